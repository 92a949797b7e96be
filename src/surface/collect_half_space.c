// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "surface/kernels.h"

#include "base/fail.h"

typedef struct collector {
    iso_face_list* list;
    iso_cull cull;
} collector;

// Values at the corners of four tetrahedra: pressure (weight 1) or nothing (weight 0) minus f; and
// the lanes where they take both signs.
static int differences(const iso_tet_packet* packet, iso_affine f, double weight,
                       double out[4][4]) {
    iso_wide zero = iso_wide_set(0.0), most = zero, least = zero;
    for (int corner = 0; corner < 4; ++corner) {
        iso_wide value =
            iso_wide_mul_add(iso_wide_set(f.gradient.x), iso_wide_load(packet->vertices[corner][0]),
                             iso_wide_set(f.offset));
        value = iso_wide_mul_add(iso_wide_set(f.gradient.y),
                                 iso_wide_load(packet->vertices[corner][1]), value);
        value = iso_wide_mul_add(iso_wide_set(f.gradient.z),
                                 iso_wide_load(packet->vertices[corner][2]), value);
        iso_wide p = iso_wide_mul(iso_wide_set(weight), iso_wide_load(packet->pressures[corner]));
        iso_wide h = iso_wide_sub(p, value);
        iso_wide_store(out[corner], h);
        most = corner == 0 ? h : iso_wide_max(most, h);
        least = corner == 0 ? h : iso_wide_min(least, h);
    }
    return iso_wide_bits(
        iso_wide_and(iso_wide_greater(most, zero), iso_wide_less_equal(least, zero)));
}

// Slice one tetrahedron by h = 0, which rises into its body (body 0), and keep pressures of at
// least `least`. The normal points out of body 0.
static iso_status collect_slice(const collector* c, const iso_tet_packet* packet, int lane,
                                double h_lanes[4][4], double least, iso_vec3 normal,
                                const iso_face_side* side_0, const iso_face_side* side_1) {
    double corners[4][4], h[4];
    for (int i = 0; i < 4; ++i) {
        corners[i][0] = packet->vertices[i][0][lane];
        corners[i][1] = packet->vertices[i][1][lane];
        corners[i][2] = packet->vertices[i][2][lane];
        corners[i][3] = packet->pressures[i][lane];
        h[i] = h_lanes[i][lane];
    }
    iso_clip_polygon first, second;
    iso_clip_polygon* polygon = &first;
    if (iso_clip_slice_tet(corners, h, polygon) < 3) {
        return ISO_OK;
    }
    bool is_below = false;
    for (int i = 0; i < polygon->count; ++i) {
        is_below = is_below || polygon->v[i].x[3] < least;
    }
    if (is_below) {
        for (int i = 0; i < polygon->count; ++i) {
            iso_wide_store(polygon->v[i].d, iso_wide_set(polygon->v[i].x[3] - least));
        }
        iso_clip_plane(polygon, 0, &second);
        polygon = &second;
    }
    if (polygon->count < 3 || iso_clip_clean(polygon) < 3) {
        return ISO_OK;
    }
    ISO_REQUIRE(c->list->arena->ctx, iso_face_list_add(c->list, polygon, normal, side_0, side_1),
                ISO_ERR_MEMORY, "contact polygon");
    return ISO_OK;
}

iso_status iso_collect_field_half_space(iso_face_list* list, const iso_field* field,
                                        const iso_half_space* half_space, const iso_pose* x_01,
                                        iso_cull cull) {
    iso_status status = ISO_OK;
    collector c = {list, cull};
    bool is_rigid = half_space->slope == 0.0;
    iso_vec3 up = iso_mat3_column(&x_01->r, 2);
    // Rigid: h = height above the plane. Compliant: h = p0 - p1 with p1 = -slope * height.
    double factor = is_rigid ? -1.0 : -half_space->slope;
    iso_affine f = {iso_vec3_scale(up, factor), -factor * iso_vec3_dot(up, x_01->p)};
    iso_vec3 g1 = is_rigid ? iso_vec3_zero() : f.gradient;
    double least = is_rigid ? -INFINITY : half_space->least;
    int* leaves;
    int leaf_count;
    ISO_TRY(iso_bvh_cut(list->arena, &field->tree, f, 0.0, 0.0, !is_rigid, &leaves, &leaf_count));
    for (int i = 0; i < leaf_count; ++i) {
        const iso_tet_packet* packet = &field->packets[leaves[i]];
        double h[4][4];
        int lanes = iso_bvh_leaf_lanes(&field->tree, leaves[i]) &
                    differences(packet, f, is_rigid ? 0.0 : 1.0, h);
        for (int lane = 0; lane < ISO_WIDE_LANES; ++lane) {
            if (!(lanes >> lane & 1)) {
                continue;
            }
            iso_vec3 g0 = {packet->gradient[0][lane], packet->gradient[1][lane],
                           packet->gradient[2][lane]};
            iso_face_side side_0 = {g0, iso_field_packet_tet(field, packet, lane)};
            iso_face_side side_1 = {g1, -1};
            if (is_rigid) { // as Drake does, faces on a rigid plane are never culled
                ISO_TRY(
                    collect_slice(&c, packet, lane, h, least, iso_vec3_neg(up), &side_0, &side_1));
                continue;
            }
            iso_vec3 rise = iso_vec3_sub(g0, g1);
            if (iso_cull_keeps(cull, rise, g0) && iso_cull_keeps(cull, iso_vec3_neg(rise), g1)) {
                iso_vec3 normal = iso_vec3_neg(iso_vec3_normalized(rise));
                ISO_TRY(collect_slice(&c, packet, lane, h, least, normal, &side_0, &side_1));
            }
        }
    }

done:
    return status;
}

// Keep the part of a triangle of body 1 that lies at or below the outer boundary of the half space.
static iso_status collect_triangle(const collector* c, const iso_half_space* half_space,
                                   const iso_tri_packet* packet, int lane, int element,
                                   const iso_pose* x_01) {
    iso_vec3 n = {packet->normal[0][lane], packet->normal[1][lane], packet->normal[2][lane]};
    iso_vec3 normal = iso_mat3_mul_vec3(&x_01->r, n);
    iso_vec3 gradient = {0.0, 0.0, -half_space->slope};
    if (!iso_cull_keeps(c->cull, normal, gradient)) {
        return ISO_OK;
    }
    iso_clip_polygon first, second;
    iso_clip_polygon* polygon = &first;
    first.count = 3;
    int inside = 0, outside = 0;
    for (int corner = 0; corner < 3; ++corner) {
        iso_vec3 v = {packet->vertices[corner][0][lane], packet->vertices[corner][1][lane],
                      packet->vertices[corner][2][lane]};
        v = iso_pose_point(x_01, v);
        iso_clip_vertex* out = &first.v[2 - corner]; // reversed: faces point from 0 into 1
        double p = -half_space->slope * v.z;
        iso_wide_store(out->x, iso_wide_make(v.x, v.y, v.z, p));
        iso_wide_store(out->d, iso_wide_set(p - half_space->least));
        inside += p > half_space->least;
        outside += p < half_space->least;
    }
    // A triangle in the boundary belongs to the half space when it faces it.
    if (inside == 0 && (outside > 0 || !(normal.z < 0.0))) {
        return ISO_OK;
    }
    if (outside > 0) {
        iso_clip_plane(polygon, 0, &second);
        polygon = &second;
    }
    if (polygon->count < 3 || iso_clip_clean(polygon) < 3) {
        return ISO_OK;
    }
    iso_face_side side_0 = {gradient, -1}, side_1 = {iso_vec3_zero(), element};
    ISO_REQUIRE(c->list->arena->ctx,
                iso_face_list_add(c->list, polygon, iso_vec3_neg(normal), &side_0, &side_1),
                ISO_ERR_MEMORY, "contact polygon");
    return ISO_OK;
}

iso_status iso_collect_half_space_surface(iso_face_list* list, const iso_half_space* half_space,
                                          const iso_tri_set* surface, const iso_pose* x_01,
                                          iso_cull cull) {
    iso_status status = ISO_OK;
    collector c = {list, cull};
    // Pressure of the half space as a function of position in frame 1.
    iso_vec3 up_1 = iso_vec3_make(x_01->r.m[2][0], x_01->r.m[2][1], x_01->r.m[2][2]);
    iso_affine f = {iso_vec3_scale(up_1, -half_space->slope), -half_space->slope * x_01->p.z};
    int* leaves;
    int leaf_count;
    ISO_TRY(iso_bvh_cut(list->arena, &surface->tree, f, half_space->least, INFINITY, false, &leaves,
                        &leaf_count));
    for (int i = 0; i < leaf_count; ++i) {
        int lanes = iso_bvh_leaf_lanes(&surface->tree, leaves[i]);
        for (int lane = 0; lane < ISO_WIDE_LANES; ++lane) {
            if (lanes >> lane & 1) {
                const iso_tri_packet* packet = &surface->packets[leaves[i]];
                int element = iso_tri_set_packet_triangle(surface, packet, lane);
                ISO_TRY(collect_triangle(&c, half_space, packet, lane, element, x_01));
            }
        }
    }

done:
    return status;
}
