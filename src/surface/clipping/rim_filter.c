// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "surface/clipping/rim_filter.h"

#include "surface/clipping/overlap_box.h"

static void spread(iso_vec3 v, iso_float4 out[3]) {
    for (int i = 0; i < 3; ++i) {
        out[i] = iso_float4_set((float)iso_vec3_get(v, i));
    }
}

bool iso_rim_filter_begin(iso_rim_filter* filter, const iso_field* field_0,
                          const iso_field* field_1, const iso_pose* x_01) {
    iso_overlap_box meeting;
    if (!iso_overlap_box_find(field_0, field_1, x_01, &meeting)) {
        return false;
    }
    iso_vec3 axes[3], through = iso_vec3_zero();
    for (int i = 0; i < 3; ++i) {
        const double* row = meeting.x_m0.r.m[i];
        axes[i] = iso_vec3_make(row[0], row[1], row[2]);
        through =
            iso_vec3_add_scaled(through, axes[i], 0.5 * (meeting.lower[i] + meeting.upper[i]));
    }
    filter->lines[0].planes = field_0->marks.planes;
    filter->lines[1].planes = field_1->marks.planes;
    spread(axes[0], filter->lines[0].along);
    spread(through, filter->lines[0].through);
    spread(iso_mat3_tmul_vec3(&x_01->r, axes[0]), filter->lines[1].along);
    spread(iso_pose_inverse_point(x_01, through), filter->lines[1].through);
    for (int k = 0; k < 2; ++k) {
        spread(axes[1 + k], filter->across[k]);
        for (int i = 0; i < 3; ++i) {
            filter->across_abs[k][i] = iso_float4_abs(filter->across[k][i]);
        }
        filter->at[k] = iso_float4_set((float)-iso_vec3_dot(axes[1 + k], through));
    }
    double reach = field_0->size + field_1->size + iso_vec3_norm(x_01->p);
    filter->slack = iso_float4_set((float)(ISO_BVH_FLOAT_SLACK * reach));
    return true;
}

static inline iso_float4 dot(const iso_float4 a[3], const iso_float4 b[3]) {
    return iso_float4_mul_add(a[2], b[2],
                              iso_float4_mul_add(a[1], b[1], iso_float4_mul(a[0], b[0])));
}

// Over the faces below a child of a node: normals along the line, and distances of the point from
// the planes, of which more is inside.
typedef struct plane_bounds {
    iso_float4 along_low, along_high, depth_low, depth_high;
} plane_bounds;

static inline plane_bounds bounds_of(const iso_rim_line* line, const iso_float4 box[3],
                                     const iso_float4 center[3], iso_float4 radius,
                                     iso_float4 farthest) {
    iso_float4 d[3];
    for (int i = 0; i < 3; ++i) {
        d[i] = iso_float4_sub(line->through[i], box[i]);
    }
    iso_float4 along = dot(line->along, center), depth = dot(center, d);
    iso_float4 far = iso_float4_mul_add(radius, iso_float4_sqrt(dot(d, d)), farthest);
    return (plane_bounds){iso_float4_sub(along, radius), iso_float4_add(along, radius),
                          iso_float4_sub(depth, far), iso_float4_add(depth, far)};
}

// The least product of two intervals.
static inline iso_float4 least_product(iso_float4 a_low, iso_float4 a_high, iso_float4 b_low,
                                       iso_float4 b_high) {
    return iso_float4_min(
        iso_float4_min(iso_float4_mul(a_low, b_low), iso_float4_mul(a_low, b_high)),
        iso_float4_min(iso_float4_mul(a_high, b_low), iso_float4_mul(a_high, b_high)));
}

int iso_rim_filter_keeps(const void* user, const iso_bvh_expansion* e_0,
                         const iso_bvh_expansion* e_1) {
    const iso_rim_filter* f = user;
    const iso_field_planes* p_0 = &f->lines[0].planes[e_0->slots[0] >> 1];
    const iso_field_planes* p_1 = &f->lines[1].planes[e_1->slots[0] >> 1];
    const iso_float4 zero = iso_float4_set(0.0f);
    iso_float4 x_0[3], half[3], n_0[3], x_1[3], n_1[3], d[2], h[2];
    for (int i = 0; i < 3; ++i) {
        x_0[i] = iso_float4_load_each_twice(e_0->node->center[i]);
        half[i] = iso_float4_load_each_twice(e_0->node->half[i]);
        n_0[i] = iso_float4_load_each_twice(p_0->center[i]);
        x_1[i] = iso_float4_load_twice(e_1->node->center[i]);
        n_1[i] = iso_float4_load_twice(p_1->center[i]);
    }
    plane_bounds s_0 =
        bounds_of(&f->lines[0], x_0, n_0, iso_float4_load_each_twice(p_0->radius),
                  iso_float4_add(iso_float4_load_each_twice(p_0->farthest), f->slack));
    plane_bounds s_1 = bounds_of(&f->lines[1], x_1, n_1, iso_float4_load_twice(p_1->radius),
                                 iso_float4_add(iso_float4_load_twice(p_1->farthest), f->slack));
    iso_float4 forward =
        least_product(s_1.along_low, s_1.along_high, s_0.depth_low, s_0.depth_high);
    forward = iso_float4_add(forward, least_product(iso_float4_sub(zero, s_0.along_low),
                                                    iso_float4_sub(zero, s_0.along_high),
                                                    s_1.depth_low, s_1.depth_high));
    int turns_back = iso_float4_bits(iso_float4_less_equal(forward, f->slack));
    for (int k = 0; k < 2; ++k) {
        d[k] = iso_float4_add(dot(f->across[k], x_0), f->at[k]);
        h[k] = iso_float4_add(dot(f->across_abs[k], half), f->slack);
    }
    int passes =
        iso_float4_bits(iso_float4_and(iso_float4_less_equal(iso_float4_abs(d[0]), h[0]),
                                       iso_float4_less_equal(iso_float4_sub(zero, h[1]), d[1])));
    return turns_back | passes;
}
