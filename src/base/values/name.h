// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/base.h"

#include <stddef.h>

/// Names of what there is: bodies, keys, values of a choice. Either at() tells them, or they are
/// members of the elements of an array.
typedef struct iso_name_list {
    const void* owner; ///< what at() is told, or the array
    const char* (*at)(const void* owner, int index);
    size_t stride, offset; ///< of the elements, and of the name in one [bytes]
    int count;
} iso_name_list;

/// Room for what is said about a name; what is longer is cut.
#define ISO_NAME_TEXT_SIZE 640

/// The list of an array of names; a negative count: it ends with NULL.
iso_name_list iso_name_list_of(const char* const* names, int count);
/// The list of one member of the elements of an array.
#define ISO_NAME_LIST(array, element_count, type, member) \
    ((iso_name_list){.owner = (array),                    \
                     .stride = sizeof(type),              \
                     .offset = offsetof(type, member),    \
                     .count = (element_count)})
/// A name of the list, "" for NULL. @param index  in [0, count)
const char* iso_name_list_at(const iso_name_list* list, int index);

/// Whether a scoped name ends in "::part".
bool iso_name_ends_in_part(const char* name, const char* part);

/// Index of the thing of this name, or of the only one whose scoped name ends in "::name"; -1
/// otherwise, and for NULL or "".
int iso_name_list_find(const iso_name_list* list, const char* name);

/// Index of the thing that a misspelt name was likely meant for; -1: none is near, or name is NULL.
/// Near are names that differ by a third of their letters at most, whatever their case; two letters
/// that changed places are one difference. A scope may be left out.
int iso_name_list_nearest(const iso_name_list* list, const char* name);

/// "; did you mean 'radius'?", or "" when no name is near. Returns text.
const char* iso_name_list_hint(const iso_name_list* list, const char* name, char* text,
                               size_t size);

/// That there is no such name, with the nearest or the first ones: "there is no body named 'gren',
/// expected 'red' or 'blue'". Returns text.
/// @param noun  what is named: "body"
const char* iso_name_list_missing(const iso_name_list* list, const char* noun, const char* name,
                                  char* text, size_t size);
/// Why iso_name_list_find() finds nothing: there is no such name, with the nearest or the first
/// ones, or it is the end of several names, with these. Returns text.
const char* iso_name_list_explain(const iso_name_list* list, const char* noun, const char* name,
                                  char* text, size_t size);

/// iso_name_list_find() that fails with the explanation.
/// @return ISO_ERR_NOT_FOUND
iso_status iso_name_list_require(iso_context* ctx, const iso_name_list* list, const char* noun,
                                 const char* name, int* out_index);
