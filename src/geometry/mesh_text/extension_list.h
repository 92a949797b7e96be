// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string.h>

/// Extensions of formats for a message: ".vtk, .vtu, .msh".
typedef struct iso_extension_list {
    char text[128];
} iso_extension_list;

/// One more; what does not fit is cut.
static inline void iso_extension_list_add(iso_extension_list* list, const char* extension) {
    size_t most = sizeof list->text - 1;
    strncat(list->text, list->text[0] ? ", ." : ".", most - strlen(list->text));
    strncat(list->text, extension, most - strlen(list->text));
}
