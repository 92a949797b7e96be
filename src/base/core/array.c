// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/array.h"

#include <limits.h>

iso_status iso_array_reserve_bytes(iso_context* ctx, void** data, int* capacity, int needed,
                                   size_t element_size) {
    if (needed <= *capacity) {
        return ISO_OK;
    }
    int grown = *capacity < 8 ? 8 : (*capacity > INT_MAX / 2 ? INT_MAX : *capacity * 2);
    if (grown < needed) {
        grown = needed;
    }
    ISO_REQUIRE(ctx, (size_t)grown <= SIZE_MAX / element_size, ISO_ERR_MEMORY,
                "array of %d elements of %zu bytes does not fit into memory", grown, element_size);
    void* moved = iso_realloc(ctx, *data, (size_t)grown * element_size);
    ISO_REQUIRE(ctx, moved, ISO_ERR_MEMORY, "array of %d elements of %zu bytes", grown,
                element_size);
    *data = moved;
    *capacity = grown;
    return ISO_OK;
}
