// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <stdbool.h>
#include <stddef.h>

/// What is wrong with a .dae that assimp would not see.
typedef struct iso_dae_fault {
    int line;
    char text[160];
} iso_dae_fault;

/// Look for corners that are no whole numbers, and for a document type definition (whose entities
/// may grow without end). For a process with bounds: what has no end in the file has none here. It
/// goes on where XML is not well formed, as assimp does.
/// @param size  at most INT_MAX
/// @return whether there is a fault, and the first one
bool iso_dae_find_fault(const char* bytes, size_t size, iso_dae_fault* out_fault);

/// Put blanks in the place of comments, which assimp takes for elements where it expects others.
void iso_dae_blank_comments(char* bytes, size_t size);
