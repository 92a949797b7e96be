// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "surface/kernels.h"

#include "base/fail.h"
#include "surface/trace_clip.h"

// What the quick tests add against rounding, relative to the size of the bodies: they must not lose
// a polygon, the exact decision is the clipping.
#define QUICK_SLACK 1e-13

// Of a pair of leaves; one place beyond what is kept is written.
#define LEAF_CANDIDATES (ISO_BVH_LEAF_SIZE * ISO_BVH_LEAF_SIZE + 1)
#define MOST_CANDIDATES 256

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

// Distances of a point to the faces of a cell.
static iso_wide distances(const iso_field_cell* a, iso_vec3 x) {
    iso_wide d = iso_wide_mul(iso_wide_load(a->planes[0]), iso_wide_set(x.x));
    d = iso_wide_mul_add(iso_wide_load(a->planes[1]), iso_wide_set(x.y), d);
    d = iso_wide_mul_add(iso_wide_load(a->planes[2]), iso_wide_set(x.z), d);
    return iso_wide_add(d, iso_wide_load(a->planes[3]));
}

// Whether the corners of a cell lie on both sides of, or in, the plane of a triangle.
static bool crosses_plane(const collector* c, const iso_field_cell* a, const tri_view* b) {
    double level = iso_vec3_dot(b->normal, b->v[0]);
    bool has_below = false, has_above = false;
    for (int i = 0; i < 4; ++i) {
        const double* x = c->field->points[a->corners[i]].x;
        double along = b->normal.x * x[0] + b->normal.y * x[1] + b->normal.z * x[2];
        has_below = has_below || along <= level + c->slack;
        has_above = has_above || along >= level - c->slack;
    }
    return has_below && has_above;
}

// Faces whose cell lies where the triangle's normal points: of the two cells of a face, only that
// one owns a triangle in the face.
static int facing(const iso_field_cell* a, iso_vec3 normal) {
    iso_wide along = iso_wide_mul(iso_wide_load(a->planes[0]), iso_wide_set(normal.x));
    along = iso_wide_mul_add(iso_wide_load(a->planes[1]), iso_wide_set(normal.y), along);
    along = iso_wide_mul_add(iso_wide_load(a->planes[2]), iso_wide_set(normal.z), along);
    return iso_wide_bits(iso_wide_greater(along, iso_wide_set(0.0)));
}

// Clip the triangle corner by corner, for when rounding has it cross a plane more than twice.
static bool clip_plainly(const iso_ring* ring, int side, iso_clip_polygon* out) {
    iso_clip_polygon spare;
    out->count = 3;
    for (int i = 0; i < 3; ++i) {
        out->v[i] = ring->v[i];
    }
    const iso_clip_polygon* result = iso_clip_planes(out, &spare, 0.0, side, 0);
    if (!result) {
        return false;
    }
    *out = *result;
    return true;
}

// The triangle is wound about the outward normal of body 1; faces point from 0 into 1.
static void turn_over(const iso_ring* ring, iso_clip_polygon* out) {
    out->count = ring->count;
    for (int i = 0; i < ring->count; ++i) {
        int at = iso_ring_at(ring, ring->count - 1 - i);
        iso_wide_store(out->v[i].x, iso_wide_load(ring->v[at].x));
    }
}

// What of the triangle lies in a cell.
// @param crossed  faces that it crosses
static bool clip_triangle(iso_ring* ring, int crossed, int side, iso_clip_polygon* out) {
    for (; crossed != 0; crossed &= crossed - 1) {
        if (!iso_ring_clip(ring, iso_ring_bits_of[crossed].lowest)) {
            if (!clip_plainly(ring, side, out)) {
                return false;
            }
            for (int i = 0, j = out->count - 1; i < j; ++i, --j) {
                iso_clip_vertex swap = out->v[i];
                out->v[i] = out->v[j];
                out->v[j] = swap;
            }
            return true;
        }
        if (ring->count == 0) {
            return false;
        }
    }
    turn_over(ring, out);
    return true;
}

// A cell and a triangle that no face of the cell separates.
static bool collect_pair(const collector* c, int cell, const tri_view* b) {
    const iso_field_cell* a = &c->field->cells[cell];
    if (!crosses_plane(c, a, b)) {
        return true;
    }
    iso_affine f = a->piece;
    iso_ring ring;
    iso_wide least = iso_wide_set(INFINITY), most = iso_wide_neg(least);
    for (int i = 0; i < 3; ++i) {
        iso_vec3 v = b->v[i];
        iso_wide d = distances(a, v);
        least = iso_wide_min(least, d);
        most = iso_wide_max(most, d);
        iso_ring_measure(&ring, i, d);
        iso_wide_store(ring.v[i].x, iso_wide_make(v.x, v.y, v.z, iso_affine_eval(f, v)));
        ring.lines[i] = 0;
    }
    ring.order = 0x210;
    ring.count = ring.used = 3;
    int crossed = iso_wide_bits(iso_wide_less(least, iso_wide_set(0.0)));
    int beyond = iso_wide_bits(iso_wide_less_equal(most, iso_wide_set(0.0)));
    int side = facing(a, b->normal);
    iso_clip_polygon polygon;
    // Beyond a face without crossing it is in the face: one of its cells owns that.
    if ((beyond & (crossed | ~side)) || !clip_triangle(&ring, crossed, side, &polygon) ||
        iso_clip_clean(&polygon) < 3) {
        return true;
    }
    iso_face_side side_0 = {f.gradient, c->field->tree.elements[cell]};
    iso_face_side side_1 = {iso_vec3_zero(), b->element};
    return iso_face_list_add(c->list, &polygon, iso_vec3_neg(b->normal), &side_0, &side_1);
}

// Cells and triangles whose boxes meet, by their places. Each test writes what it tries and keeps
// it by counting on: what passes cannot be foretold.
typedef struct candidates {
    int count;
    int cells[MOST_CANDIDATES];
    unsigned char views[MOST_CANDIDATES];
} candidates;

// Keep those that no face of the cell separates.
static void keep_inside(const collector* c, const tri_view* views, candidates* list) {
    int count = 0;
    for (int i = 0; i < list->count; ++i) {
        int cell = list->cells[i], view = list->views[i];
        const iso_field_cell* a = &c->field->cells[cell];
        const iso_vec3* v = views[view].v;
        iso_wide most =
            iso_wide_max(iso_wide_max(distances(a, v[0]), distances(a, v[1])), distances(a, v[2]));
        list->cells[count] = cell;
        list->views[count] = (unsigned char)view;
        count += iso_wide_bits(iso_wide_less(most, iso_wide_set(0.0))) == 0;
    }
    list->count = count;
}

static bool collect_candidates(const collector* c, const tri_view* views, candidates* list) {
    keep_inside(c, views, list);
    for (int i = 0; i < list->count; ++i) {
        if (!collect_pair(c, list->cells[i], &views[list->views[i]])) {
            return false;
        }
    }
    list->count = 0;
    return true;
}

// Boxes and gradients of four cells.
typedef struct lane_cells {
    iso_wide lower[3], upper[3];
    iso_wide gradient[4], gradient_squared;
} lane_cells;

static void load_lanes(const collector* c, int leaf, lane_cells* out) {
    const iso_bvh_lanes* lanes = &c->field->tree.lanes[leaf];
    int last = c->field->tree.element_count - 1;
    for (int axis = 0; axis < 3; ++axis) {
        out->lower[axis] = iso_wide_load_floats(lanes->lower[axis]);
        out->upper[axis] = iso_wide_load_floats(lanes->upper[axis]);
    }
    for (int lane = 0; lane < ISO_BVH_LEAF_SIZE && c->cull != ISO_CULL_NONE; ++lane) {
        int cell = leaf * ISO_BVH_LEAF_SIZE + lane;
        out->gradient[lane] =
            iso_wide_load(&c->field->cells[cell < last ? cell : last].piece.gradient.x);
    }
    if (c->cull != ISO_CULL_NONE) {
        iso_wide* g = out->gradient;
        iso_wide_transpose(g);
        out->gradient_squared =
            iso_wide_mul_add(g[2], g[2], iso_wide_mul_add(g[1], g[1], iso_wide_mul(g[0], g[0])));
    }
}

// Lanes whose gradient the cull keeps: iso_cull_keeps() for four.
static int kept_lanes(const collector* c, const lane_cells* a, const tri_view* b) {
    if (c->cull == ISO_CULL_NONE) {
        return 15;
    }
    iso_wide along = iso_wide_mul(a->gradient[0], iso_wide_set(b->normal.x));
    along = iso_wide_mul_add(a->gradient[1], iso_wide_set(b->normal.y), along);
    along = iso_wide_mul_add(a->gradient[2], iso_wide_set(b->normal.z), along);
    double bound = ISO_CULL_COSINE * ISO_CULL_COSINE * iso_vec3_norm_squared(b->normal);
    iso_wide limit = iso_wide_mul(a->gradient_squared, iso_wide_set(bound));
    return iso_wide_bits(iso_wide_or(iso_wide_greater(along, iso_wide_set(0.0)),
                                     iso_wide_less(iso_wide_mul(along, along), limit)));
}

// Lanes whose box meets that of a triangle.
static int meeting_lanes(const lane_cells* a, const tri_view* b) {
    double lower[3] = {b->lower.x, b->lower.y, b->lower.z};
    double upper[3] = {b->upper.x, b->upper.y, b->upper.z};
    iso_wide_mask hit = iso_wide_and(iso_wide_less_equal(a->lower[0], iso_wide_set(upper[0])),
                                     iso_wide_greater_equal(a->upper[0], iso_wide_set(lower[0])));
    for (int axis = 1; axis < 3; ++axis) {
        hit = iso_wide_and(hit, iso_wide_less_equal(a->lower[axis], iso_wide_set(upper[axis])));
        hit = iso_wide_and(hit, iso_wide_greater_equal(a->upper[axis], iso_wide_set(lower[axis])));
    }
    return iso_wide_bits(hit);
}

// Add what of a leaf of the field meets the triangles of one of the surface.
static void add_candidates(const collector* c, int leaf_0, const tri_view* views, int view_count,
                           candidates* list) {
    lane_cells cells;
    load_lanes(c, leaf_0, &cells);
    for (int i = 0; i < view_count; ++i) {
        int hits = meeting_lanes(&cells, &views[i]) & kept_lanes(c, &cells, &views[i]);
        for (int lane = 0; lane < ISO_BVH_LEAF_SIZE; ++lane) {
            list->cells[list->count] = leaf_0 * ISO_BVH_LEAF_SIZE + lane;
            list->views[list->count] = (unsigned char)i;
            list->count += hits >> lane & 1;
        }
    }
}

iso_status iso_collect_field_surface(iso_face_list* list, const iso_field* field,
                                     const iso_tri_set* surface, const iso_pose* x_01,
                                     iso_cull cull) {
    iso_bvh_matches matches;
    iso_status status = ISO_OK;
    ISO_TRY(iso_bvh_match(list->arena, &field->tree, &surface->tree, x_01, &matches));
    candidates found = {.count = 0};
    collector c = {list, field, surface, cull, x_01, QUICK_SLACK * (field->size + surface->size)};
    for (int leaf_1 = 0; leaf_1 < surface->tree.leaf_count; ++leaf_1) {
        int begin = matches.offsets[leaf_1], end = matches.offsets[leaf_1 + 1];
        if (begin == end) {
            continue;
        }
        tri_view views[ISO_WIDE_LANES];
        int lanes_1 = iso_bvh_leaf_lanes(&surface->tree, leaf_1), view_count = 0;
        for (int lane = 0; lanes_1 >> lane; ++lane) {
            view_triangle(&c, &surface->packets[leaf_1], lane, &views[view_count++]);
        }
        for (int i = begin; i < end; ++i) {
            add_candidates(&c, matches.leaves[i], views, view_count, &found);
            if (i + 1 == end || found.count > MOST_CANDIDATES - LEAF_CANDIDATES) {
                ISO_CHECK(list->arena->ctx, collect_candidates(&c, views, &found), ISO_ERR_MEMORY,
                          "contact polygon");
            }
        }
    }

done:
    return status;
}
