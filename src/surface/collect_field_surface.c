// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "surface/kernels.h"

#include "base/fail.h"

// What the quick tests add against rounding, relative to the size of the bodies: they must not lose
// a polygon, the exact decision is the clipping.
#define QUICK_SLACK 1e-13

// A triangle of body 1 in frame 0.
typedef struct tri_view {
    iso_vec3 v[3], normal;
    iso_vec3 lower, upper;
    int element;
} tri_view;

typedef struct collector {
    iso_face_list* list;
    const iso_field* field;
    const iso_tri_set* surface;
    iso_cull cull;
    const iso_pose* x_01;
    double slack; // rounding that the quick tests forgive [m]
} collector;

static void view_triangle(const collector* c, const iso_tri_packet* packet, int lane,
                          tri_view* out) {
    const iso_pose* x_01 = c->x_01;
    iso_vec3 slack = iso_vec3_make(c->slack, c->slack, c->slack);
    for (int corner = 0; corner < 3; ++corner) {
        iso_vec3 v = {packet->vertices[corner][0][lane], packet->vertices[corner][1][lane],
                      packet->vertices[corner][2][lane]};
        out->v[corner] = iso_pose_point(x_01, v);
    }
    iso_vec3 n = {packet->normal[0][lane], packet->normal[1][lane], packet->normal[2][lane]};
    out->normal = iso_mat3_mul_vec3(&x_01->r, n);
    out->lower = iso_vec3_min(out->v[0], iso_vec3_min(out->v[1], out->v[2]));
    out->upper = iso_vec3_max(out->v[0], iso_vec3_max(out->v[1], out->v[2]));
    out->lower = iso_vec3_sub(out->lower, slack);
    out->upper = iso_vec3_add(out->upper, slack);
    out->element = iso_tri_set_packet_triangle(c->surface, packet, lane);
}

// Lanes whose gradient the cull keeps: iso_cull_keeps() for four.
static int kept_lanes(const collector* c, const iso_tet_packet* packet, const tri_view* b) {
    if (c->cull == ISO_CULL_NONE) {
        return 15;
    }
    iso_wide gx = iso_wide_load(packet->gradient[0]), gy = iso_wide_load(packet->gradient[1]);
    iso_wide gz = iso_wide_load(packet->gradient[2]), zero = iso_wide_set(0.0);
    iso_wide along = iso_wide_mul(gx, iso_wide_set(b->normal.x));
    along = iso_wide_mul_add(gy, iso_wide_set(b->normal.y), along);
    along = iso_wide_mul_add(gz, iso_wide_set(b->normal.z), along);
    iso_wide squared = iso_wide_mul_add(gz, gz, iso_wide_mul_add(gy, gy, iso_wide_mul(gx, gx)));
    double bound = ISO_CULL_COSINE * ISO_CULL_COSINE * iso_vec3_norm_squared(b->normal);
    return iso_wide_bits(iso_wide_or(
        iso_wide_greater(along, zero),
        iso_wide_less(iso_wide_mul(along, along), iso_wide_mul(squared, iso_wide_set(bound)))));
}

// Lanes whose tetrahedron's box meets the triangle's and whose corners lie on both sides of, or in,
// the triangle's plane.
static int may_touch(const collector* c, const iso_tet_packet* packet, const tri_view* b) {
    iso_wide normal[3] = {iso_wide_set(b->normal.x), iso_wide_set(b->normal.y),
                          iso_wide_set(b->normal.z)};
    iso_wide lower[3] = {iso_wide_set(b->lower.x), iso_wide_set(b->lower.y),
                         iso_wide_set(b->lower.z)};
    iso_wide upper[3] = {iso_wide_set(b->upper.x), iso_wide_set(b->upper.y),
                         iso_wide_set(b->upper.z)};
    iso_wide along[4];
    iso_wide_mask hit = {0};
    for (int axis = 0; axis < 3; ++axis) {
        iso_wide x[4];
        for (int corner = 0; corner < 4; ++corner) {
            x[corner] = iso_wide_load(packet->vertices[corner][axis]);
            along[corner] = axis == 0 ? iso_wide_mul(normal[0], x[corner])
                                      : iso_wide_mul_add(normal[axis], x[corner], along[corner]);
        }
        iso_wide least = iso_wide_min(iso_wide_min(x[0], x[1]), iso_wide_min(x[2], x[3]));
        iso_wide most = iso_wide_max(iso_wide_max(x[0], x[1]), iso_wide_max(x[2], x[3]));
        iso_wide_mask overlap = iso_wide_and(iso_wide_less_equal(least, upper[axis]),
                                             iso_wide_greater_equal(most, lower[axis]));
        hit = axis == 0 ? overlap : iso_wide_and(hit, overlap);
    }
    double level = iso_vec3_dot(b->normal, b->v[0]);
    iso_wide least =
        iso_wide_min(iso_wide_min(along[0], along[1]), iso_wide_min(along[2], along[3]));
    iso_wide most =
        iso_wide_max(iso_wide_max(along[0], along[1]), iso_wide_max(along[2], along[3]));
    hit = iso_wide_and(hit, iso_wide_less_equal(least, iso_wide_set(level + c->slack)));
    hit = iso_wide_and(hit, iso_wide_greater_equal(most, iso_wide_set(level - c->slack)));
    return iso_wide_bits(hit);
}

// Distances of the corners of the triangle to the faces, [face][corner][lane], and the lanes where
// no face has the whole triangle outside.
static int distances(const iso_tet_packet* packet, const tri_view* b, double out[4][3][4]) {
    iso_wide zero = iso_wide_set(0.0);
    iso_wide_mask inside = iso_wide_equal(zero, zero);
    for (int face = 0; face < 4; ++face) {
        iso_wide n[4];
        for (int i = 0; i < 4; ++i) {
            n[i] = iso_wide_load(packet->planes[face][i]);
        }
        iso_wide most = zero;
        for (int corner = 0; corner < 3; ++corner) {
            iso_wide d = iso_wide_mul(n[0], iso_wide_set(b->v[corner].x));
            d = iso_wide_mul_add(n[1], iso_wide_set(b->v[corner].y), d);
            d = iso_wide_mul_add(n[2], iso_wide_set(b->v[corner].z), d);
            d = iso_wide_add(d, n[3]);
            iso_wide_store(out[face][corner], d);
            most = corner == 0 ? d : iso_wide_max(most, d);
        }
        inside = iso_wide_and(inside, iso_wide_greater_equal(most, zero));
    }
    return iso_wide_bits(inside);
}

// Faces whose tetrahedron lies where the triangle's normal points: of the two tetrahedra of a face,
// only that one owns a triangle in the face.
static int facing(const iso_tet_packet* packet, int lane, iso_vec3 normal) {
    int faces = 0;
    for (int face = 0; face < 4; ++face) {
        iso_vec3 inward = {packet->planes[face][0][lane], packet->planes[face][1][lane],
                           packet->planes[face][2][lane]};
        faces |= (iso_vec3_dot(inward, normal) > 0.0) << face;
    }
    return faces;
}

static iso_status collect_pair(const collector* c, const iso_tet_packet* packet, int lane,
                               double d[4][3][4], const tri_view* b) {
    iso_affine f = {
        {packet->gradient[0][lane], packet->gradient[1][lane], packet->gradient[2][lane]},
        packet->offset[lane]};
    iso_clip_polygon first, second;
    first.count = 3;
    for (int corner = 0; corner < 3; ++corner) {
        double* x = first.v[corner].x;
        x[0] = b->v[corner].x;
        x[1] = b->v[corner].y;
        x[2] = b->v[corner].z;
        x[3] = iso_affine_eval(f, b->v[corner]);
        for (int face = 0; face < 4; ++face) {
            first.v[corner].d[face] = d[face][corner][lane];
        }
    }
    iso_clip_polygon* polygon =
        iso_clip_planes(&first, &second, 0.0, facing(packet, lane, b->normal), 0);
    if (!polygon || iso_clip_clean(polygon) < 3) {
        return ISO_OK;
    }
    // The triangle is wound about the outward normal of body 1; faces point from 0 into 1.
    for (int i = 0, j = polygon->count - 1; i < j; ++i, --j) {
        iso_clip_vertex swap = polygon->v[i];
        polygon->v[i] = polygon->v[j];
        polygon->v[j] = swap;
    }
    iso_face_side side_0 = {f.gradient, iso_field_packet_tet(c->field, packet, lane)};
    iso_face_side side_1 = {iso_vec3_zero(), b->element};
    ISO_REQUIRE(c->list->arena->ctx,
                iso_face_list_add(c->list, polygon, iso_vec3_neg(b->normal), &side_0, &side_1),
                ISO_ERR_MEMORY, "contact polygon");
    return ISO_OK;
}

static iso_status collect_lanes(const collector* c, const iso_tet_packet* packet, int lanes,
                                const tri_view* b) {
    lanes &= kept_lanes(c, packet, b);
    if (lanes == 0) {
        return ISO_OK;
    }
    lanes &= may_touch(c, packet, b);
    if (lanes == 0) {
        return ISO_OK;
    }
    double d[4][3][4];
    lanes &= distances(packet, b, d);
    iso_status status = ISO_OK;
    for (int lane = 0; lane < ISO_WIDE_LANES && status == ISO_OK; ++lane) {
        if (lanes >> lane & 1) {
            status = collect_pair(c, packet, lane, d, b);
        }
    }
    return status;
}

iso_status iso_collect_field_surface(iso_face_list* list, const iso_field* field,
                                     const iso_tri_set* surface, const iso_pose* x_01,
                                     iso_cull cull) {
    iso_bvh_matches matches;
    iso_status status = ISO_OK;
    ISO_TRY(iso_bvh_match(list->arena, &field->tree, &surface->tree, x_01, &matches));
    collector c = {list, field, surface, cull, x_01, QUICK_SLACK * (field->size + surface->size)};
    for (int leaf_1 = 0; leaf_1 < surface->tree.leaf_count; ++leaf_1) {
        int begin = matches.offsets[leaf_1], end = matches.offsets[leaf_1 + 1];
        if (begin == end) {
            continue;
        }
        int lanes_1 = iso_bvh_leaf_lanes(&surface->tree, leaf_1);
        for (int lane = 0; lane < ISO_WIDE_LANES; ++lane) {
            if (!(lanes_1 >> lane & 1)) {
                continue;
            }
            tri_view view;
            view_triangle(&c, &surface->packets[leaf_1], lane, &view);
            for (int i = begin; i < end; ++i) {
                int leaf_0 = matches.leaves[i];
                ISO_TRY(collect_lanes(&c, &field->packets[leaf_0],
                                      iso_bvh_leaf_lanes(&field->tree, leaf_0), &view));
            }
        }
    }

done:
    return status;
}
