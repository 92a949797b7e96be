// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/core/alloc.h"
#include "base/core/fail.h"

/// A growable array of T: struct { T* data; int count; int capacity; }. Zero-initialise.
#define ISO_ARRAY(T)  \
    struct {          \
        T* data;      \
        int count;    \
        int capacity; \
    }

/// Make room for at least needed elements. Returns ISO_ERR_MEMORY; keeps contents on failure.
iso_status iso_array_reserve_bytes(iso_context* ctx, void** data, int* capacity, int needed,
                                   size_t element_size);

#define ISO_ARRAY_RESERVE(ctx, array, needed)                                        \
    iso_array_reserve_bytes(ctx, (void**)&(array)->data, &(array)->capacity, needed, \
                            sizeof *(array)->data)

/// Room for one more, amortised doubling; then `array.data[array.count++] = x`.
#define ISO_ARRAY_GROW(ctx, array) ISO_ARRAY_RESERVE(ctx, array, (array)->count + 1)

#define ISO_ARRAY_FREE(ctx, array)              \
    do {                                        \
        iso_free(ctx, (array)->data);           \
        (array)->data = NULL;                   \
        (array)->count = (array)->capacity = 0; \
    } while (0)
