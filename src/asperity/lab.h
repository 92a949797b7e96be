// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "isobar/lab.h"

/// Points of the largest grid: 8192 x 8192.
#define ISO_LAB_POINTS_MAX (1 << 26)

/// An empty grid, heights zero. @return ISO_ERR_RANGE, ISO_ERR_MEMORY
iso_status iso_lab_surface_allocate(iso_context* ctx, int rows, int columns, double pitch,
                                    iso_lab_surface* out);

/// Doubles in rising order, for qsort().
static inline int iso_lab_compare(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

/// A list or matrix of an archive.
typedef struct iso_lab_numbers {
    double* values; ///< [rows * columns] row major; iso_free() is the caller's, of errors too
    int rows, columns;
} iso_lab_numbers;

/// Do these bytes begin as a zip archive?
bool iso_lab_npz_is(const char* bytes, size_t size);
/// One array of an .npz of NumPy: doubles or floats, stored or compressed; a list is one row.
/// @return ISO_ERR_NOT_FOUND (none of this name; says nothing), ISO_ERR_PARSE, ISO_ERR_RANGE (not
///         finite), ISO_ERR_MEMORY
iso_status iso_lab_npz_read(iso_context* ctx, const char* path, const char* bytes, size_t size,
                            const char* name, iso_lab_numbers* out);

/// Sum of a[i] b[i], or of a[i] where b is NULL: lane l of eight takes i = l, l + 8, ... within
/// blocks of 4096, blocks in turn. The same bits on every back end, rounding of short sums.
static inline double iso_lab_sum(const double* a, const double* b, int count) {
    double total = 0.0;
    for (int block = 0; block < count; block += 4096) {
        double lanes[8] = {0};
        int end = count - block < 4096 ? count : block + 4096;
        int i = block;
        for (; i + 8 <= end; i += 8) {
            for (int l = 0; l < 8; ++l) {
                lanes[l] += b ? a[i + l] * b[i + l] : a[i + l];
            }
        }
        for (int l = 0; i < end; ++i, ++l) {
            lanes[l] += b ? a[i] * b[i] : a[i];
        }
        total += ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) +
                 ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
    }
    return total;
}
