// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "surface/clipping/slab_filter.h"

// A number for either child of the node of body 0, as iso_bvh_lanes_0() has them.
static iso_double4 both_sides(double first, double second) {
    return iso_double4_make(first, first, second, second);
}

int iso_slab_filter_keeps(const void* user, const iso_bvh_expansion* e_0,
                          const iso_bvh_expansion* e_1) {
    const iso_slab_filter* filter = user;
    const iso_field_slab* slab = &filter->field->slabs[e_0->slots[0] >> 1];
    const iso_bvh_pose* x_01 = &filter->x_01;
    iso_double4 c[3], h[3], t[3];
    int hits = 15;
    for (int i = 0; i < 3; ++i) {
        c[i] = iso_bvh_lanes_1(e_1->node->center[i]);
        h[i] = iso_bvh_lanes_1(e_1->node->half[i]);
    }
    for (int i = 0; i < 3; ++i) {
        t[i] = iso_double4_mul_add(x_01->r[i][0], c[0], x_01->p[i]);
        t[i] = iso_double4_mul_add(x_01->r[i][1], c[1], t[i]);
        t[i] = iso_double4_mul_add(x_01->r[i][2], c[2], t[i]);
    }
    for (int i = 0; i < 3; ++i) {
        t[i] = iso_double4_sub(t[i], iso_bvh_lanes_0(e_0->node->center[i]));
    }
    for (int direction = 0; direction < 2 && hits != 0; ++direction) {
        const uint16_t* half = slab->half[direction];
        iso_double4 u[3], at = iso_double4_set(0.0);
        iso_double4 reach = both_sides(iso_field_slab_half(half[0]), iso_field_slab_half(half[1]));
        for (int i = 0; i < 3; ++i) {
            const int8_t* axis = slab->axis[direction][i];
            u[i] = both_sides((double)axis[0], (double)axis[1]);
            at = iso_double4_mul_add(u[i], t[i], at);
        }
        for (int i = 0; i < 3; ++i) {
            iso_double4 along = iso_double4_mul(u[0], x_01->r[0][i]);
            along = iso_double4_mul_add(u[1], x_01->r[1][i], along);
            along = iso_double4_mul_add(u[2], x_01->r[2][i], along);
            reach = iso_double4_mul_add(iso_double4_abs(along), h[i], reach);
        }
        hits &= iso_double4_bits(iso_double4_less_equal(iso_double4_abs(at), reach));
    }
    return hits;
}
