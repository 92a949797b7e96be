// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "surface/clipping/plane_filter.h"

#include <math.h>

// Bounds what floats make of n . x + offset, relative to |x| + |offset|, with unit n: inputs are
// rounded to 6e-8 of themselves, which their products double, and three sums add 6e-8 each.
#define ROUNDING 1e-6

double iso_plane_slack(const iso_field* field, double reach) {
    return ROUNDING * (reach + sqrt(3.0) * field->size); // planes pass through vertices
}

// Of sixteen bits, four for each cell, the cells that have any: one bit each.
static inline int cells_of(int bits) {
    bits |= bits >> 1;
    bits |= bits >> 2;
    bits &= 0x1111;
    return (bits | bits >> 3 | bits >> 6 | bits >> 9) & 15;
}

int iso_planes_apart(const iso_plane_triangles* triangles, const iso_field* field, int leaf) {
    int last = field->tree.element_count - 1, apart = 0;
    iso_float16 plane[4];
    for (int k = 0; k < 4; ++k) {
        iso_double4 v[ISO_BVH_LEAF_SIZE];
        for (int lane = 0; lane < ISO_BVH_LEAF_SIZE; ++lane) {
            int cell = leaf * ISO_BVH_LEAF_SIZE + lane;
            v[lane] = iso_double4_load(field->cells[cell < last ? cell : last].planes[k]);
        }
        plane[k] = iso_float16_join(v);
    }
    const iso_float16 limit = iso_float16_set(-triangles->slack);
    for (int t = 0; t < ISO_DOUBLE4_LANES; ++t) {
        iso_float16 most = limit;
        for (int corner = 0; corner < 3; ++corner) {
            const float* x = triangles->corners[t][corner];
            iso_float16 d = iso_float16_mul_add(plane[2], iso_float16_set(x[2]), plane[3]);
            d = iso_float16_mul_add(plane[1], iso_float16_set(x[1]), d);
            d = iso_float16_mul_add(plane[0], iso_float16_set(x[0]), d);
            most = corner == 0 ? d : iso_float16_max(most, d);
        }
        apart |= cells_of(iso_float16_bits(iso_float16_less(most, limit))) << 4 * t;
    }
    return apart;
}
