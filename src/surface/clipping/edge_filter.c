// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "surface/clipping/edge_filter.h"

// With the direction e of an edge through v, the length a of a cell and a corner x of it, a point's
// distance to the plane along e and a through v, times |e x a|, is
//   (e x a) . (x - v) = e . (a x x) + a . (e x v).
// The triangle lies where this is negative when a . n > 0, and positive when a . n < 0.

// Bounds what floats make of that, relative to the sum of the products of the norms: inputs are
// rounded to 6e-8 of themselves, sums of six products to 4e-7, and norms are sums of absolute
// values.
#define ROUNDING 2e-6

static inline void cross(const iso_double4 a[3], const iso_double4 b[3], iso_double4 out[3]) {
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        out[i] = iso_double4_mul_subtract(a[k], b[j], iso_double4_mul(a[j], b[k]));
    }
}

static inline iso_double4 norm_1(const iso_double4 a[3]) {
    return iso_double4_add(iso_double4_add(iso_double4_abs(a[0]), iso_double4_abs(a[1])),
                           iso_double4_abs(a[2]));
}

double iso_edge_lines_fill(iso_double4 corners[3][3], const iso_double4 normal[3], double slack,
                           iso_edge_lines* out) {
    iso_double4 longest = iso_double4_set(0.0);
    for (int edge = 0; edge < 3; ++edge) {
        const iso_double4 *from = corners[edge], *to = corners[(edge + 1) % 3];
        iso_double4 along[3], moment[3], square = iso_double4_set(0.0);
        for (int i = 0; i < 3; ++i) {
            along[i] = iso_double4_sub(to[i], from[i]);
            square = iso_double4_mul_add(along[i], along[i], square);
        }
        iso_double4 length = iso_double4_sqrt(square);
        longest = iso_double4_max(longest, length);
        for (int i = 0; i < 3; ++i) {
            along[i] = iso_double4_div(along[i], length);
        }
        cross(along, from, moment);
        for (int i = 0; i < 3; ++i) {
            out->along[edge][i] = iso_float16_spread(along[i]);
            out->moment[edge][i] = iso_float16_spread(moment[i]);
        }
        out->slack[edge] = iso_float16_spread(
            iso_double4_mul_add(iso_double4_set(ROUNDING), norm_1(moment), iso_double4_set(slack)));
    }
    for (int i = 0; i < 3; ++i) {
        out->normal[i] = iso_float16_spread(normal[i]);
    }
    double lengths[4];
    iso_double4_store(lengths, longest);
    return fmax(fmax(lengths[0], lengths[1]), fmax(lengths[2], lengths[3]));
}

// Four cells in floats, a lane for each; along their length from corner 3 to the others.
typedef struct cell_lines {
    iso_float16 along[3], moment[4][3]; // [corner]: along x corner
    iso_float16 reach, flat;            // norm of `along`, and how far it leans by rounding
    iso_float16 slack;                  // of rounding in the moments
} cell_lines;

static inline cell_lines lines_of_leaf(const iso_field* field, int leaf) {
    int last = field->tree.element_count - 1;
    iso_double4 x[4][4], along[3], largest = iso_double4_set(0.0);
    cell_lines out;
    for (int corner = 0; corner < 4; ++corner) {
        for (int lane = 0; lane < ISO_BVH_LEAF_SIZE; ++lane) {
            int cell = leaf * ISO_BVH_LEAF_SIZE + lane;
            int point = field->cells[cell < last ? cell : last].corners[corner];
            x[corner][lane] = iso_double4_load(field->points[point].x);
        }
        iso_double4_transpose(x[corner]);
    }
    for (int i = 0; i < 3; ++i) {
        along[i] = iso_double4_add(iso_double4_add(x[0][i], x[1][i]), x[2][i]);
        along[i] = iso_double4_mul_subtract(iso_double4_set(3.0), x[3][i], along[i]);
        out.along[i] = iso_float16_each(along[i]);
    }
    for (int corner = 0; corner < 4; ++corner) {
        iso_double4 moment[3];
        cross(along, x[corner], moment);
        largest = iso_double4_max(largest, norm_1(moment));
        for (int i = 0; i < 3; ++i) {
            out.moment[corner][i] = iso_float16_each(moment[i]);
        }
    }
    out.reach = iso_float16_each(norm_1(along));
    out.flat = iso_float16_each(iso_double4_mul(iso_double4_set(ROUNDING), norm_1(along)));
    out.slack = iso_float16_each(iso_double4_mul(iso_double4_set(ROUNDING), largest));
    return out;
}

static inline iso_float16 dot_add(const iso_float16 a[3], const iso_float16 b[3], iso_float16 sum) {
    for (int i = 0; i < 3; ++i) {
        sum = iso_float16_mul_add(a[i], b[i], sum);
    }
    return sum;
}

int iso_edge_lines_apart(const iso_edge_lines* lines, const iso_field* field, int leaf) {
    static const float k_zeros[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    const iso_float16 zero = iso_float16_load_each(k_zeros);
    const cell_lines cells = lines_of_leaf(field, leaf);
    iso_float16 lean = dot_add(cells.along, lines->normal, zero);
    int ahead = iso_float16_bits(iso_float16_less(cells.flat, lean));
    int behind = iso_float16_bits(iso_float16_less(iso_float16_add(lean, cells.flat), zero));
    int apart = 0;
    for (int edge = 0; edge < 3; ++edge) {
        iso_float16 slack = iso_float16_mul_add(cells.reach, lines->slack[edge], cells.slack);
        iso_float16 at = dot_add(cells.along, lines->moment[edge], zero);
        iso_float16 least, most;
        for (int corner = 0; corner < 4; ++corner) {
            iso_float16 d = dot_add(lines->along[edge], cells.moment[corner], at);
            least = corner == 0 ? d : iso_float16_min(least, d);
            most = corner == 0 ? d : iso_float16_max(most, d);
        }
        int above = iso_float16_bits(iso_float16_less(slack, least));
        int below = iso_float16_bits(iso_float16_less(iso_float16_add(most, slack), zero));
        apart |= (above & ahead) | (below & behind);
    }
    return apart;
}
