// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/system/layout.h"

#include "isobar/base.h"

int iso_layout_count(void) {
    return iso_layout_entry_count;
}

const char* iso_layout_name(int entry) {
    return entry >= 0 && entry < iso_layout_entry_count ? iso_layout_entries[entry].name : "";
}

long long iso_layout_value(int entry) {
    return entry >= 0 && entry < iso_layout_entry_count ? iso_layout_entries[entry].value : -1;
}
