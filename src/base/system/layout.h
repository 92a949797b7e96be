// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

/// A number of the public headers: size of a structure, offset of a member, value of an enumerator.
typedef struct iso_layout_entry {
    const char* name;
    long long value;
} iso_layout_entry;

/// Made from the public headers by the build (python/isobar/_headers.py).
extern const iso_layout_entry iso_layout_entries[];
extern const int iso_layout_entry_count;
