// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "surface/kernels/kernels.h"

#include "base/core/fail.h"
#include "math/lanes_grouped.h"
#include "surface/clipping/edge_filter.h"
#include "surface/clipping/plane_filter.h"
#include "surface/clipping/slab_filter.h"
#include "surface/clipping/trace_clip.h"
#include "surface/faces/face_writer.h"
#include "surface/pairs/tri_candidates.h"

// What the quick tests add against rounding, relative to the size of the bodies: they must not lose
// a polygon, the exact decision is the clipping.
#define QUICK_SLACK 1e-13
// More than rounding to a float moves a number by, relative to it.
#define FLOAT_ROUNDING 1.2e-7

// Planes of cells tell what is apart from triangles that are not this many times as long as cells
// are wide; the others are asked for planes along their edges.
#define LONG_TRIANGLE 4.0

// Of a pair of leaves; so many places are written, however few are kept.
#define LEAF_PAIRS (ISO_BVH_LEAF_SIZE * ISO_BVH_LEAF_SIZE)
#define MANY_LEAF_PAIRS 8192
// So many boxes of two leaves that meet are worth asking all faces of the cells at once.
#define MANY_HITS 9
// Polygons for which there is room from the start: to move columns that grow takes long.
#define MOST_GUESSED (1 << 18)

// What the quick tests need of the triangles of a leaf: a group of lanes for each.
typedef struct tri_leaf {
    iso_float16 lower[3], upper[3]; // boxes
    iso_double8 normal[2][3];       // two triangles each
    iso_double8 cull_bound[2];      // squared cosine of the cull times the squared normal
    int lanes;                      // four bits for each triangle that there is
    const iso_tri_view* views;      // of the triangles
    bool has_corners;               // else `planes` are still to be filled
    iso_plane_triangles planes;
} tri_leaf;

// Four vectors, component by component, turned into frame 0; rounded as iso_mat3_mul_vec3() does.
static inline void turn_packet(const iso_pose* x_01, const double v[3][ISO_DOUBLE4_LANES],
                               iso_double4 out[4]) {
    for (int i = 0; i < 3; ++i) {
        const double* r = x_01->r.m[i];
        iso_double4 x = iso_double4_mul(iso_double4_set(r[0]), iso_double4_load(v[0]));
        iso_double4 y = iso_double4_mul(iso_double4_set(r[1]), iso_double4_load(v[1]));
        iso_double4 z = iso_double4_mul(iso_double4_set(r[2]), iso_double4_load(v[2]));
        out[i] = iso_double4_add(iso_double4_add(x, y), z);
    }
    out[3] = iso_double4_set(0.0);
}

// Boxes, rounded outward, and normals of the triangles of a packet.
// @param n  the fourth becomes the squared cosine of the cull times the squared normal
static void fill_leaf(const iso_tri_collector* c, const iso_double4 lower[3],
                      const iso_double4 upper[3], iso_double4 n[4], tri_leaf* out) {
    const iso_double4 slack = iso_double4_set(c->slack), rounding = iso_double4_set(FLOAT_ROUNDING);
    double spread[4][4];
    iso_double4 square = iso_double4_set(0.0);
    for (int i = 0; i < 3; ++i) {
        iso_double4 low =
            iso_double4_add(iso_double4_mul(iso_double4_abs(lower[i]), rounding), slack);
        iso_double4 high =
            iso_double4_add(iso_double4_mul(iso_double4_abs(upper[i]), rounding), slack);
        out->lower[i] = iso_float16_spread(iso_double4_sub(lower[i], low));
        out->upper[i] = iso_float16_spread(iso_double4_add(upper[i], high));
        square = iso_double4_add(square, iso_double4_mul(n[i], n[i]));
        iso_double4_store(spread[i], n[i]);
    }
    n[3] = iso_double4_mul(iso_double4_set(ISO_CULL_COSINE * ISO_CULL_COSINE), square);
    iso_double4_store(spread[3], n[3]);
    for (int half = 0; half < 2; ++half) {
        for (int i = 0; i < 3; ++i) {
            out->normal[half][i] = iso_double8_spread(spread[i][2 * half], spread[i][2 * half + 1]);
        }
        out->cull_bound[half] = iso_double8_spread(spread[3][2 * half], spread[3][2 * half + 1]);
    }
}

// The triangles of a packet.
static void view_triangles(const iso_tri_collector* c, const iso_tri_packet* packet,
                           tri_leaf* out_leaf, iso_tri_view* out) {
    iso_double4 v[4], lower[3], upper[3], n[4];
    const double p[3] = {c->x_01->p.x, c->x_01->p.y, c->x_01->p.z};
    for (int corner = 0; corner < 3; ++corner) {
        turn_packet(c->x_01, packet->vertices[corner], v);
        for (int i = 0; i < 3; ++i) {
            v[i] = iso_double4_add(v[i], iso_double4_set(p[i]));
            lower[i] = corner == 0 ? v[i] : iso_double4_min(lower[i], v[i]);
            upper[i] = corner == 0 ? v[i] : iso_double4_max(upper[i], v[i]);
        }
        iso_double4_transpose(v);
        for (int lane = 0; lane < ISO_DOUBLE4_LANES; ++lane) {
            iso_double4_store(out[lane].v[corner], v[lane]);
        }
    }
    turn_packet(c->x_01, packet->normal, n);
    fill_leaf(c, lower, upper, n, out_leaf);
    out_leaf->views = out;
    out_leaf->has_corners = false;
    iso_double4_transpose(n);
    for (int lane = 0; lane < ISO_DOUBLE4_LANES; ++lane) {
        iso_tri_view* view = &out[lane];
        iso_double4_store(view->normal, n[lane]);
        const double* m = view->normal;
        view->normal_w = iso_face_turn(c->list, -m[0], -m[1], -m[2]);
        view->axis_w = iso_face_area_axis(view->normal_w);
        view->element = iso_tri_set_packet_triangle(c->surface, packet, lane);
    }
}

// The edges of the triangles of a packet; returns the longest. Not inline, for the sake of surfaces
// without long ones.
__attribute__((noinline)) static double
fill_lines(const iso_tri_collector* c, const iso_tri_packet* packet, iso_edge_lines* out) {
    iso_double4 corners[3][3], v[4];
    const double p[3] = {c->x_01->p.x, c->x_01->p.y, c->x_01->p.z};
    for (int corner = 0; corner < 3; ++corner) {
        turn_packet(c->x_01, packet->vertices[corner], v);
        for (int i = 0; i < 3; ++i) {
            corners[corner][i] = iso_double4_add(v[i], iso_double4_set(p[i]));
        }
    }
    turn_packet(c->x_01, packet->normal, v);
    return iso_edge_lines_fill(corners, v, c->slack, out);
}

// Lanes whose gradient the cull keeps: iso_cull_keeps() for all pairs of two leaves.
static int kept_lanes(const iso_tri_collector* c, int leaf, const tri_leaf* b) {
    int last = c->field->tree.element_count - 1, kept = 0;
    iso_double4 g[4];
    for (int lane = 0; lane < ISO_BVH_LEAF_SIZE; ++lane) {
        int cell = leaf * ISO_BVH_LEAF_SIZE + lane;
        g[lane] = iso_double4_load(&c->field->cells[cell < last ? cell : last].piece.gradient.x);
    }
    iso_double4_transpose(g);
    iso_double4 square = iso_double4_mul_add(
        g[2], g[2], iso_double4_mul_add(g[1], g[1], iso_double4_mul(g[0], g[0])));
    const iso_double8 x = iso_double8_twice(g[0]), y = iso_double8_twice(g[1]);
    const iso_double8 z = iso_double8_twice(g[2]), squares = iso_double8_twice(square);
    const iso_double8 zero = iso_double8_twice(iso_double4_set(0.0));
    for (int half = 0; half < 2; ++half) {
        const iso_double8* n = b->normal[half];
        iso_double8 along =
            iso_double8_mul_add(z, n[2], iso_double8_mul_add(y, n[1], iso_double8_mul(x, n[0])));
        iso_double8 limit = iso_double8_mul(squares, b->cull_bound[half]);
        kept |=
            iso_double8_bits(iso_double8_or(iso_double8_less(zero, along),
                                            iso_double8_less(iso_double8_mul(along, along), limit)))
            << 8 * half;
    }
    return kept;
}

// Lanes whose boxes meet.
static int meeting_lanes(const iso_bvh_lanes* a, const tri_leaf* b) {
    iso_float16_mask hit =
        iso_float16_and(iso_float16_less_equal(iso_float16_load_each(a->lower[0]), b->upper[0]),
                        iso_float16_less_equal(b->lower[0], iso_float16_load_each(a->upper[0])));
    for (int axis = 1; axis < 3; ++axis) {
        iso_float16 lower = iso_float16_load_each(a->lower[axis]);
        iso_float16 upper = iso_float16_load_each(a->upper[axis]);
        hit = iso_float16_and(hit, iso_float16_less_equal(lower, b->upper[axis]));
        hit = iso_float16_and(hit, iso_float16_less_equal(b->lower[axis], upper));
    }
    return iso_float16_bits(hit);
}

// Pairs of two leaves, of those that hit, that no face of a cell parts; those of triangles that
// there are.
static int joint_lanes(const iso_field* field, int leaf_0, tri_leaf* leaf_1, int hits) {
    if (!leaf_1->has_corners) {
        for (int lane = 0; lane < ISO_DOUBLE4_LANES; ++lane) {
            for (int i = 0; i < 9; ++i) {
                double x = leaf_1->views[lane].v[i / 3][i % 3];
                leaf_1->planes.corners[lane][i / 3][i % 3] = (float)x;
            }
        }
        leaf_1->has_corners = true;
    }
    return hits & ~iso_planes_apart(&leaf_1->planes, field, leaf_0);
}

// The pairs of two leaves by their lanes: four cells for each view.
#define PAIRS(view) \
    (view), ISO_TRI_VIEWS + (view), 2 * ISO_TRI_VIEWS + (view), 3 * ISO_TRI_VIEWS + (view)
static const uint32_t k_leaf_pairs[LEAF_PAIRS] = {PAIRS(0), PAIRS(1), PAIRS(2), PAIRS(3)};

// Add what of a leaf of the field meets the triangles of one of the surface.
// @param lines  of these triangles where some are long, otherwise NULL
static void add_candidates(const iso_tri_collector* c, int leaf_0, tri_leaf* leaf_1,
                           const iso_edge_lines* lines, int first_view, iso_tri_candidates* list) {
    int hits = meeting_lanes(&c->field->tree.lanes[leaf_0], leaf_1) & leaf_1->lanes;
    if (list->is_culled && hits != 0) {
        hits &= kept_lanes(c, leaf_0, leaf_1);
    }
    if (!list->is_culled && __builtin_popcount((unsigned)hits) >= MANY_HITS) {
        hits = joint_lanes(c->field, leaf_0, leaf_1, hits);
    }
    if (lines && hits != 0) {
        hits &= ~iso_edge_lines_apart(lines, c->field, leaf_0);
    }
    uint32_t first = (uint32_t)leaf_0 * ISO_BVH_LEAF_SIZE * ISO_TRI_VIEWS + (uint32_t)first_view;
    list->count += iso_pick_sixteen(k_leaf_pairs, first, hits, &list->pairs[list->count]);
}

// Of large bodies a pair of leaves has about two. Room that is not needed is given back, which
// moves columns as well, so there is less for smaller bodies.
static int guess_polygons(int leaf_pairs) {
    if (leaf_pairs < MANY_LEAF_PAIRS) {
        return leaf_pairs + leaf_pairs / 2;
    }
    return leaf_pairs < MOST_GUESSED / 3 ? 2 * leaf_pairs + leaf_pairs / 4 : MOST_GUESSED;
}

iso_status iso_collect_field_surface(iso_face_list* list, const iso_field* field,
                                     const iso_tri_set* surface, const iso_pose* x_01,
                                     iso_cull cull) {
    iso_bvh_matches matches;
    iso_status status = ISO_OK;
    iso_slab_filter filter = {field, iso_bvh_spread(x_01)};
    ISO_TRY(iso_bvh_match_filtered(list->arena, &field->tree, &surface->tree, x_01,
                                   field->slabs ? iso_slab_filter_keeps : NULL, &filter, &matches));
    list->work += matches.count;
    int guess = guess_polygons(matches.count);
    ISO_CHECK(list->arena->ctx, guess == 0 || iso_face_list_reserve(list, guess, 5 * guess),
              ISO_ERR_MEMORY, "contact polygons");
    iso_tri_candidates found;
    iso_tri_candidates_begin(&found);
    iso_tri_collector c = {list, field, surface,
                           cull, x_01,  QUICK_SLACK * (field->size + surface->size)};
    iso_tri_view views[ISO_TRI_VIEWS];
    tri_leaf triangles;
    iso_edge_lines lines;
    double least_long = LONG_TRIANGLE * field->slab_width;
    bool some_long = field->slabs && (double)surface->longest > least_long;
    double reach = iso_vec3_norm(x_01->p) + sqrt(3.0) * surface->size;
    triangles.planes.slack = (float)iso_plane_slack(field, reach);
    int view_count = 0;
    for (int leaf_1 = 0, begin, end = 0; leaf_1 < surface->tree.leaf_count; ++leaf_1) {
        begin = end;
        end = matches.offsets[leaf_1 + 1];
        if (begin == end) {
            continue;
        }
        if (view_count > ISO_TRI_VIEWS - ISO_DOUBLE4_LANES) {
            ISO_CHECK(list->arena->ctx, iso_tri_candidates_put(&c, views, &found), ISO_ERR_MEMORY,
                      "contact polygon");
            view_count = 0;
        }
        int lanes_1 = iso_bvh_leaf_lanes(&surface->tree, leaf_1), first_view = view_count;
        view_triangles(&c, &surface->packets[leaf_1], &triangles, &views[view_count]);
        view_count += iso_ring_bits_of[lanes_1].count;
        bool has_long = some_long && fill_lines(&c, &surface->packets[leaf_1], &lines) > least_long;
        triangles.lanes = (1 << 4 * (view_count - first_view)) - 1;
        for (int i = begin; i < end; ++i) {
            if (found.count > ISO_TRI_CANDIDATES - LEAF_PAIRS) {
                ISO_CHECK(list->arena->ctx, iso_tri_candidates_put(&c, views, &found),
                          ISO_ERR_MEMORY, "contact polygon");
            }
            add_candidates(&c, matches.leaves[i], &triangles, has_long ? &lines : NULL, first_view,
                           &found);
        }
    }
    ISO_CHECK(list->arena->ctx, iso_tri_candidates_put(&c, views, &found), ISO_ERR_MEMORY,
              "contact polygon");

done:
    return status;
}
