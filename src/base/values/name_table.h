// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/values/name.h"

/// From hashes of names to the indices of what has them. Zero-initialise. Names stay where they
/// are: whoever asks compares them.
typedef struct iso_name_table {
    uint64_t* hashes;
    int* indices; ///< -1: free
    int capacity; ///< 0 or a power of two; at most half of it is in use
    int count;
} iso_name_table;

/// Whether something has the name that is looked for.
typedef bool (*iso_name_test)(const void* user, int index);

/// Note one more. @return ISO_ERR_MEMORY
iso_status iso_name_table_add(iso_context* ctx, iso_name_table* table, uint64_t hash, int index);

/// @return the index of one of the hash that passes the test, -1: none does
int iso_name_table_find(const iso_name_table* table, uint64_t hash, iso_name_test has_name,
                        const void* user);
void iso_name_table_destroy(iso_context* ctx, iso_name_table* table);

/// The names of a list that grows at its end only, noted as far as they were asked for.
/// Zero-initialise.
typedef struct iso_name_index {
    iso_name_table table;
    iso_name_table parts; ///< what follows a "::" in names, of each the first two that have it
    int noted;            ///< names of the list that are in the table, or equal to one that is
    int noted_parts;      ///< names of the list whose parts are in the other table
} iso_name_index;

/// @param[out] out_index  the first thing of exactly this name; -1: none has it, or NULL or "" was
///                        asked for
/// @return ISO_ERR_MEMORY
iso_status iso_name_index_find(iso_context* ctx, iso_name_index* index, const iso_name_list* list,
                               const char* name, int* out_index);
/// iso_name_list_find() in time that does not grow with the list.
/// @return ISO_ERR_MEMORY
iso_status iso_name_index_find_scoped(iso_context* ctx, iso_name_index* index,
                                      const iso_name_list* list, const char* name, int* out_index);
/// Note all names of a list for iso_name_index_look_up(). @return ISO_ERR_MEMORY
iso_status iso_name_index_note(iso_context* ctx, iso_name_index* index, const iso_name_list* list);
/// iso_name_list_find() in a list that was noted and is as it was.
int iso_name_index_look_up(const iso_name_index* index, const iso_name_list* list,
                           const char* name);
void iso_name_index_destroy(iso_context* ctx, iso_name_index* index);
