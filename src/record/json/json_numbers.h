// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/core/arena.h"

// A recording is nearly all flat arrays of numbers. A general JSON reader makes an object of each
// number; here they are read straight into doubles, and a general reader gets what is left.

/// The numbers of one array; null is NaN.
typedef struct iso_number_list {
    const double* values;
    int count;
} iso_number_list;

/// A JSON text without its flat arrays of numbers and nulls: array i, empty ones aside, became
/// lists[i], and in the rest stands "[i]" for it. The rest has no other array of one integer, as
/// such an array would itself have become a list.
typedef struct iso_lifted_numbers {
    const iso_number_list* lists;
    int list_count;
    const char* rest;
    size_t rest_size;
} iso_lifted_numbers;

/// What is no JSON stays in the rest. Memory of the arena.
/// @return ISO_ERR_MEMORY
iso_status iso_json_lift_numbers(iso_arena* arena, const char* text, size_t size,
                                 iso_lifted_numbers* out);
