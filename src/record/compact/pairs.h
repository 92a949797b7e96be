// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/core/array.h"
#include "isobar/contact.h"

/// Two geometries that were met in contact.
typedef struct iso_pair {
    int body_a, body_b;
    char* geometry_a;
    char* geometry_b;
} iso_pair;

/// Pairs in the order in which they were met; the index is the pair's number.
typedef struct iso_pair_list {
    iso_context* ctx;
    ISO_ARRAY(iso_pair) pairs;
} iso_pair_list;

iso_pair_list iso_pair_list_make(iso_context* ctx);
void iso_pair_list_free(iso_pair_list* list);
/// Number of the pair of a contact, which is added when it is new. O(pairs).
/// @return ISO_ERR_MEMORY
iso_status iso_pair_list_find(iso_pair_list* list, const iso_contact* contact, int* out_pair);
/// True when these bodies touch with more than one pair of geometries.
bool iso_pair_list_is_ambiguous(const iso_pair_list* list, int pair);
