// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "surface/kernels.h"

#include "base/fail.h"
#include "geometry/bvh_descent.h"
#include "surface/coincidence.h"

// Gradients this equal, relative to their length, define no plane of equal pressure.
#define PARALLEL_TOLERANCE 1e-12

// With more pairs of leaves, walking over the surface is faster.
#define MOST_LEAF_PAIRS 1024
// Of larger bodies, so many may meet: finding where to start a walk takes longer.
#define MOST_MEETING_PAIRS 64

// Stands for zero where a quotient must keep its sign.
#define SMALLEST 1e-300

// Four tetrahedra of body 0 side by side, [...][lane], made of the cells of a leaf. Unused lanes
// repeat lane 0.
typedef struct tet_packet {
    double vertices[4][3][ISO_WIDE_LANES];
    double pressures[4][ISO_WIDE_LANES];
    double gradient[3][ISO_WIDE_LANES];
    double offset[ISO_WIDE_LANES];
    double planes[4][4][ISO_WIDE_LANES]; // [face][component][lane]
    const int* tets;                     // [lane], indices in the mesh
} tet_packet;

// A tetrahedron of body 1 in frame 0, [axis][corner] or [component][face].
typedef struct tet_view {
    double v[3][4];
    double p[4];
    double plane[4][4];
    iso_affine f;
    double lower[3], upper[3], low, high;
    int flat_face; // whose three corners have the tetrahedron's lowest pressure, or -1
    int cell;
    bool has_planes;
} tet_view;

typedef struct collector {
    iso_face_list* list;
    const iso_field *field_0, *field_1;
    iso_cull cull;
    const iso_pose* x_01;
    iso_coincidence equal;
    double farthest; // that a polygon may lie from a face to lie in it [m]
} collector;

// Rotate and shift four points given as [axis][point].
static void move_points(const iso_pose* x, const iso_wide in[3], double out[3][4]) {
    double origin[3] = {x->p.x, x->p.y, x->p.z};
    for (int i = 0; i < 3; ++i) {
        iso_wide r = iso_wide_mul_add(iso_wide_set(x->r.m[i][0]), in[0], iso_wide_set(origin[i]));
        r = iso_wide_mul_add(iso_wide_set(x->r.m[i][1]), in[1], r);
        r = iso_wide_mul_add(iso_wide_set(x->r.m[i][2]), in[2], r);
        iso_wide_store(out[i], r);
    }
}

static void range_of(const double values[4], double* out_low, double* out_high) {
    double a = values[0] < values[1] ? values[0] : values[1];
    double b = values[2] < values[3] ? values[2] : values[3];
    *out_low = a < b ? a : b;
    a = values[0] > values[1] ? values[0] : values[1];
    b = values[2] > values[3] ? values[2] : values[3];
    *out_high = a > b ? a : b;
}

static int find_flat_face(const double p[4], double low, double high) {
    if (low == high) {
        return -1;
    }
    int above = -1;
    for (int i = 0; i < 4; ++i) {
        if (p[i] != low) {
            if (above >= 0) {
                return -1;
            }
            above = i;
        }
    }
    return above;
}

static void put_rows(iso_wide v[4], double* out, size_t stride) {
    iso_wide_transpose(v);
    for (size_t i = 0; i < 4; ++i) {
        iso_wide_store(out + i * stride, v[i]);
    }
}

static void pack_leaf(const iso_field* field, int leaf, tet_packet* out) {
    const iso_field_cell* cells[ISO_WIDE_LANES];
    iso_wide v[4];
    for (int lane = 0; lane < ISO_WIDE_LANES; ++lane) {
        int cell = leaf * ISO_BVH_LEAF_SIZE + lane;
        cells[lane] = &field->cells[cell < field->mesh.tet_count ? cell : cell - lane];
    }
    for (int corner = 0; corner < 4; ++corner) {
        for (int lane = 0; lane < ISO_WIDE_LANES; ++lane) {
            v[lane] = iso_wide_load(field->points[cells[lane]->corners[corner]].x);
        }
        iso_wide_transpose(v);
        for (int axis = 0; axis < 3; ++axis) {
            iso_wide_store(out->vertices[corner][axis], v[axis]);
        }
        iso_wide_store(out->pressures[corner], v[3]);
    }
    for (int i = 0; i < 4; ++i) {
        for (int lane = 0; lane < ISO_WIDE_LANES; ++lane) {
            v[lane] = iso_wide_load(cells[lane]->planes[i]);
        }
        put_rows(v, out->planes[0][i], 4 * ISO_WIDE_LANES);
    }
    for (int lane = 0; lane < ISO_WIDE_LANES; ++lane) {
        v[lane] = iso_wide_load(&cells[lane]->piece.gradient.x);
    }
    iso_wide_transpose(v);
    for (int axis = 0; axis < 3; ++axis) {
        iso_wide_store(out->gradient[axis], v[axis]);
    }
    iso_wide_store(out->offset, v[3]);
    out->tets = &field->tree.elements[leaf * ISO_BVH_LEAF_SIZE];
}

static void view_tet(const collector* c, int cell, tet_view* out) {
    const iso_pose* x_01 = c->x_01;
    const iso_field_cell* from = &c->field_1->cells[cell];
    iso_wide v[4];
    for (int i = 0; i < 4; ++i) {
        v[i] = iso_wide_load(c->field_1->points[from->corners[i]].x);
    }
    iso_wide_transpose(v);
    move_points(x_01, v, out->v);
    iso_wide_store(out->p, v[3]);
    out->f.gradient = iso_mat3_mul_vec3(&x_01->r, from->piece.gradient);
    out->f.offset = from->piece.offset - iso_vec3_dot(out->f.gradient, x_01->p);
    for (int axis = 0; axis < 3; ++axis) {
        range_of(out->v[axis], &out->lower[axis], &out->upper[axis]);
        out->lower[axis] -= c->farthest;
        out->upper[axis] += c->farthest;
    }
    range_of(out->p, &out->low, &out->high);
    out->cell = cell;
    out->has_planes = false;
}

// The face planes, needed only once a pair has passed the quick tests.
static void view_planes(const collector* c, tet_view* view) {
    const iso_field_cell* from = &c->field_1->cells[view->cell];
    const iso_pose* x_01 = c->x_01;
    const iso_mat3* r = &x_01->r;
    iso_wide n[4], m[3];
    for (int i = 0; i < 4; ++i) {
        n[i] = iso_wide_load(from->planes[i]);
    }
    for (int i = 0; i < 3; ++i) {
        m[i] = iso_wide_mul(iso_wide_set(r->m[i][0]), n[0]);
        m[i] = iso_wide_mul_add(iso_wide_set(r->m[i][1]), n[1], m[i]);
        m[i] = iso_wide_mul_add(iso_wide_set(r->m[i][2]), n[2], m[i]);
        iso_wide_store(view->plane[i], m[i]);
    }
    iso_wide along = iso_wide_mul(m[0], iso_wide_set(x_01->p.x));
    along = iso_wide_mul_add(m[1], iso_wide_set(x_01->p.y), along);
    along = iso_wide_mul_add(m[2], iso_wide_set(x_01->p.z), along);
    iso_wide_store(view->plane[3], iso_wide_sub(n[3], along));
    view->flat_face = find_flat_face(view->p, view->low, view->high);
    view->has_planes = true;
}

static iso_wide affine_wide(const iso_affine* f, const iso_wide x[3]) {
    iso_wide r = iso_wide_mul_add(iso_wide_set(f->gradient.x), x[0], iso_wide_set(f->offset));
    r = iso_wide_mul_add(iso_wide_set(f->gradient.y), x[1], r);
    return iso_wide_mul_add(iso_wide_set(f->gradient.z), x[2], r);
}

// Boxes and pressure intervals of the four tetrahedra of a packet.
typedef struct packet_bounds {
    iso_wide lower[3], upper[3], low, high;
} packet_bounds;

static void bound_packet(const tet_packet* packet, packet_bounds* out) {
    for (int axis = 0; axis < 3; ++axis) {
        iso_wide a = iso_wide_load(packet->vertices[0][axis]);
        iso_wide b = iso_wide_load(packet->vertices[1][axis]);
        iso_wide c = iso_wide_load(packet->vertices[2][axis]);
        iso_wide d = iso_wide_load(packet->vertices[3][axis]);
        out->lower[axis] = iso_wide_min(iso_wide_min(a, b), iso_wide_min(c, d));
        out->upper[axis] = iso_wide_max(iso_wide_max(a, b), iso_wide_max(c, d));
    }
    iso_wide a = iso_wide_load(packet->pressures[0]), b = iso_wide_load(packet->pressures[1]);
    iso_wide c = iso_wide_load(packet->pressures[2]), d = iso_wide_load(packet->pressures[3]);
    out->low = iso_wide_min(iso_wide_min(a, b), iso_wide_min(c, d));
    out->high = iso_wide_max(iso_wide_max(a, b), iso_wide_max(c, d));
}

static int boxes_overlap(const packet_bounds* a, const tet_view* b) {
    iso_wide_mask hit = iso_wide_and(iso_wide_less_equal(a->low, iso_wide_set(b->high)),
                                     iso_wide_greater_equal(a->high, iso_wide_set(b->low)));
    for (int axis = 0; axis < 3; ++axis) {
        hit = iso_wide_and(hit, iso_wide_less_equal(a->lower[axis], iso_wide_set(b->upper[axis])));
        hit =
            iso_wide_and(hit, iso_wide_greater_equal(a->upper[axis], iso_wide_set(b->lower[axis])));
    }
    return iso_wide_bits(hit);
}

// Boxes of four views, [axis][lane].
typedef struct view_bounds {
    double lower[3][4], upper[3][4];
} view_bounds;

static void bound_views(const tet_view views[4], view_bounds* out) {
    for (int lane = 0; lane < ISO_WIDE_LANES; ++lane) {
        for (int axis = 0; axis < 3; ++axis) {
            out->lower[axis][lane] = views[lane].lower[axis];
            out->upper[axis][lane] = views[lane].upper[axis];
        }
    }
}

// Views that a leaf of body 0 may touch.
static int views_near(const iso_bvh* tree, int leaf, const view_bounds* views) {
    iso_bvh_box box = iso_bvh_leaf_box(tree, leaf);
    iso_wide_mask hit =
        iso_wide_less_equal(iso_wide_load(views->lower[0]), iso_wide_set(box.upper.x));
    for (int axis = 0; axis < 3; ++axis) {
        iso_wide lower = iso_wide_set(iso_vec3_get(box.lower, axis));
        iso_wide upper = iso_wide_set(iso_vec3_get(box.upper, axis));
        hit = iso_wide_and(hit, iso_wide_less_equal(iso_wide_load(views->lower[axis]), upper));
        hit = iso_wide_and(hit, iso_wide_greater_equal(iso_wide_load(views->upper[axis]), lower));
    }
    return iso_wide_bits(hit);
}

// Pressure difference p0 - p1 at the corners of the four tetrahedra of the packet, zero where it is
// noise, and the lanes where it takes both signs there.
static int differences_at_0(const tet_packet* packet, const tet_view* b, double noise,
                            double out[4][4]) {
    iso_wide zero = iso_wide_set(0.0);
    iso_wide most = zero, least = zero;
    for (int corner = 0; corner < 4; ++corner) {
        iso_wide x[3];
        for (int axis = 0; axis < 3; ++axis) {
            x[axis] = iso_wide_load(packet->vertices[corner][axis]);
        }
        iso_wide h = iso_wide_sub(iso_wide_load(packet->pressures[corner]), affine_wide(&b->f, x));
        iso_wide_mask is_noise = iso_wide_less_equal(iso_wide_abs(h), iso_wide_set(noise));
        h = iso_wide_select(is_noise, zero, h);
        iso_wide_store(out[corner], h);
        most = corner == 0 ? h : iso_wide_max(most, h);
        least = corner == 0 ? h : iso_wide_min(least, h);
    }
    return iso_wide_bits(
        iso_wide_and(iso_wide_greater(most, zero), iso_wide_less_equal(least, zero)));
}

// The same at the corners of the tetrahedron of body 1, and the lanes where it takes both signs
// there, or nearly: within the slack the slice may lie in a face, which only the clipping decides.
static int differences_at_1(const tet_packet* packet, const tet_view* b, double noise,
                            iso_wide out[4], int* out_clear) {
    iso_wide g[3] = {iso_wide_load(packet->gradient[0]), iso_wide_load(packet->gradient[1]),
                     iso_wide_load(packet->gradient[2])};
    iso_wide offset = iso_wide_load(packet->offset);
    iso_wide most = offset, least = offset, scale = iso_wide_abs(offset);
    for (int corner = 0; corner < 4; ++corner) {
        iso_wide f = iso_wide_mul_add(g[0], iso_wide_set(b->v[0][corner]), offset);
        f = iso_wide_mul_add(g[1], iso_wide_set(b->v[1][corner]), f);
        f = iso_wide_mul_add(g[2], iso_wide_set(b->v[2][corner]), f);
        iso_wide h = iso_wide_sub(f, iso_wide_set(b->p[corner]));
        scale = iso_wide_max(scale, iso_wide_abs(f));
        most = corner == 0 ? h : iso_wide_max(most, h);
        least = corner == 0 ? h : iso_wide_min(least, h);
        out[corner] = h;
    }
    iso_wide slack = iso_wide_mul_add(scale, iso_wide_set(ISO_COINCIDENT_DISTANCE),
                                      iso_wide_set(4.0 * ISO_COINCIDENT_STRETCH * noise));
    iso_wide minus_slack = iso_wide_neg(slack);
    *out_clear = iso_wide_bits(
        iso_wide_and(iso_wide_greater(most, slack), iso_wide_less(least, minus_slack)));
    return iso_wide_bits(
        iso_wide_and(iso_wide_greater_equal(most, minus_slack), iso_wide_less_equal(least, slack)));
}

static iso_wide plane_distance(const iso_wide n[3], iso_wide offset, const iso_wide x[3]) {
    iso_wide d = iso_wide_mul_add(n[0], x[0], offset);
    d = iso_wide_mul_add(n[1], x[1], d);
    return iso_wide_mul_add(n[2], x[2], d);
}

// -1 / h at four corners, and where h > 0: what miss() needs of a tetrahedron's slice.
typedef struct slice_signs {
    iso_wide factor[4];
    iso_wide_mask is_positive[4];
} slice_signs;

static void sign_slice(const iso_wide h[4], slice_signs* out) {
    for (int corner = 0; corner < 4; ++corner) {
        iso_wide_mask is_positive = iso_wide_greater(h[corner], iso_wide_set(0.0));
        iso_wide nonzero = iso_wide_select(is_positive, h[corner],
                                           iso_wide_min(h[corner], iso_wide_set(-SMALLEST)));
        out->factor[corner] = iso_wide_div(iso_wide_set(-1.0), nonzero);
        out->is_positive[corner] = is_positive;
    }
}

// Lanes where the slice h = 0 of a tetrahedron lies outside a plane, d at its corners. By the lemma
// of Farkas there is then a multiple of h with d + m h < 0 at all corners: m below -d/h where h >
// 0, above it where h < 0. Corners with h = 0 or not a number make the answer no.
static iso_wide_mask miss(const slice_signs* slice, const iso_wide d[4]) {
    const iso_wide infinite = iso_wide_set(INFINITY), minus_infinite = iso_wide_set(-INFINITY);
    iso_wide below = infinite, above = minus_infinite;
    for (int corner = 0; corner < 4; ++corner) {
        iso_wide m = iso_wide_mul(d[corner], slice->factor[corner]);
        below = iso_wide_min(below, iso_wide_select(slice->is_positive[corner], m, infinite));
        above = iso_wide_max(above, iso_wide_select(slice->is_positive[corner], minus_infinite, m));
    }
    return iso_wide_less(above, below);
}

// Lanes whose slice lies outside one face of the tetrahedron of body 1.
static int outside_1(const tet_packet* packet, double differences[4][4], const tet_view* b,
                     double tolerance) {
    iso_wide x[4][3], h[4];
    slice_signs slice;
    for (int corner = 0; corner < 4; ++corner) {
        h[corner] = iso_wide_load(differences[corner]);
        for (int axis = 0; axis < 3; ++axis) {
            x[corner][axis] = iso_wide_load(packet->vertices[corner][axis]);
        }
    }
    sign_slice(h, &slice);
    int outside = 0;
    for (int face = 0; face < 4; ++face) {
        iso_wide n[3] = {iso_wide_set(b->plane[0][face]), iso_wide_set(b->plane[1][face]),
                         iso_wide_set(b->plane[2][face])};
        iso_wide offset = iso_wide_set(b->plane[3][face] + tolerance);
        iso_wide d[4];
        for (int corner = 0; corner < 4; ++corner) {
            d[corner] = plane_distance(n, offset, x[corner]);
        }
        outside |= iso_wide_bits(miss(&slice, d));
    }
    return outside;
}

// Lanes where the slice of the tetrahedron of body 1 lies outside one face of the lane's.
static int outside_0(const tet_packet* packet, const iso_wide h[4], const tet_view* b,
                     double tolerance) {
    iso_wide x[4][3];
    slice_signs slice;
    for (int corner = 0; corner < 4; ++corner) {
        for (int axis = 0; axis < 3; ++axis) {
            x[corner][axis] = iso_wide_set(b->v[axis][corner]);
        }
    }
    sign_slice(h, &slice);
    int outside = 0;
    for (int face = 0; face < 4; ++face) {
        iso_wide n[3] = {iso_wide_load(packet->planes[face][0]),
                         iso_wide_load(packet->planes[face][1]),
                         iso_wide_load(packet->planes[face][2])};
        iso_wide offset =
            iso_wide_add(iso_wide_load(packet->planes[face][3]), iso_wide_set(tolerance));
        iso_wide d[4];
        for (int corner = 0; corner < 4; ++corner) {
            d[corner] = plane_distance(n, offset, x[corner]);
        }
        outside |= iso_wide_bits(miss(&slice, d));
    }
    return outside;
}

// Distances of a point to the four planes of a tetrahedron.
static void measure_vertices(const tet_view* b, iso_clip_polygon* polygon) {
    iso_wide nx = iso_wide_load(b->plane[0]), ny = iso_wide_load(b->plane[1]);
    iso_wide nz = iso_wide_load(b->plane[2]), offset = iso_wide_load(b->plane[3]);
    for (int i = 0; i < polygon->count; ++i) {
        const double* x = polygon->v[i].x;
        iso_wide d = iso_wide_mul_add(nx, iso_wide_set(x[0]), offset);
        d = iso_wide_mul_add(ny, iso_wide_set(x[1]), d);
        d = iso_wide_mul_add(nz, iso_wide_set(x[2]), d);
        iso_wide_store(polygon->v[i].d, d);
    }
}

static iso_status collect_pair(const collector* c, const tet_packet* packet, int lane,
                               double differences[4][4], const tet_view* b) {
    iso_vec3 g0 = {packet->gradient[0][lane], packet->gradient[1][lane], packet->gradient[2][lane]};
    iso_vec3 rise = iso_vec3_sub(g0, b->f.gradient);
    double length_squared = iso_vec3_norm_squared(rise);
    double scale = iso_vec3_norm_squared(g0) + iso_vec3_norm_squared(b->f.gradient);
    if (!(length_squared > PARALLEL_TOLERANCE * PARALLEL_TOLERANCE * scale) ||
        !iso_cull_keeps(c->cull, rise, g0) ||
        !iso_cull_keeps(c->cull, iso_vec3_neg(rise), b->f.gradient)) {
        return ISO_OK;
    }
    double corners[4][4], h[4];
    double least = INFINITY;
    for (int i = 0; i < 4; ++i) {
        corners[i][0] = packet->vertices[i][0][lane];
        corners[i][1] = packet->vertices[i][1][lane];
        corners[i][2] = packet->vertices[i][2][lane];
        corners[i][3] = packet->pressures[i][lane];
        h[i] = differences[i][lane];
        least = corners[i][3] < least ? corners[i][3] : least;
    }
    iso_clip_polygon first, second;
    if (iso_clip_slice_tet(corners, h, &first) < 3) {
        return ISO_OK;
    }
    measure_vertices(b, &first);
    // On the surface p0 = p1, so a face on which p1 is uniform and lowest bounds nothing where p0
    // is nowhere lower: body 0's own boundary cuts there ([Elandt2022] section 5.0.3).
    int skipped = b->flat_face >= 0 && b->low <= least ? 1 << b->flat_face : 0;
    double tolerance = iso_coincidence_at(&c->equal, sqrt(length_squared));
    int sides = iso_coincidence_sides(iso_wide_load(b->plane[0]), iso_wide_load(b->plane[1]),
                                      iso_wide_load(b->plane[2]), rise);
    iso_clip_polygon* polygon = iso_clip_planes(&first, &second, tolerance, sides, skipped);
    if (!polygon || iso_clip_clean(polygon) < 3) {
        return ISO_OK;
    }
    // p0 rises into body 0, so the normal into body 1 is against the rise.
    iso_vec3 normal = iso_vec3_scale(rise, -1.0 / sqrt(length_squared));
    iso_face_side side_0 = {g0, packet->tets[lane]};
    iso_face_side side_1 = {b->f.gradient, c->field_1->tree.elements[b->cell]};
    ISO_REQUIRE(c->list->arena->ctx, iso_face_list_add(c->list, polygon, normal, &side_0, &side_1),
                ISO_ERR_MEMORY, "contact polygon");
    return ISO_OK;
}

// Four tetrahedra of body 0 against one of body 1.
static iso_status collect_lanes(const collector* c, const tet_packet* packet_0, int lanes,
                                const packet_bounds* bounds, tet_view* b) {
    lanes &= boxes_overlap(bounds, b);
    if (lanes == 0) {
        return ISO_OK;
    }
    double differences[4][4];
    lanes &= differences_at_0(packet_0, b, c->equal.pressure, differences);
    if (lanes == 0) {
        return ISO_OK;
    }
    iso_wide differences_1[4];
    int clear;
    lanes &= differences_at_1(packet_0, b, c->equal.pressure, differences_1, &clear);
    if (lanes == 0) {
        return ISO_OK;
    }
    if (!b->has_planes) {
        view_planes(c, b);
    }
    lanes &= ~outside_1(packet_0, differences, b, c->farthest);
    if (lanes == 0) {
        return ISO_OK;
    }
    lanes &= ~(clear & outside_0(packet_0, differences_1, b, c->farthest));
    iso_status status = ISO_OK;
    for (int lane = 0; lane < ISO_WIDE_LANES && status == ISO_OK; ++lane) {
        if (lanes >> lane & 1) {
            status = collect_pair(c, packet_0, lane, differences, b);
        }
    }
    return status;
}

bool iso_field_pairs_are_few(const iso_field* field_0, const iso_field* field_1) {
    return field_0->tree.leaf_count <= MOST_LEAF_PAIRS / field_1->tree.leaf_count;
}

bool iso_field_few_pairs_meet(const iso_field* field_0, const iso_field* field_1,
                              const iso_pose* x_01) {
    iso_bvh_descent d;
    int leaf_0, leaf_1, count = 0;
    iso_bvh_descent_begin(&d, &field_0->tree, &field_1->tree, x_01);
    while (count <= MOST_MEETING_PAIRS && iso_bvh_descent_next(&d, NULL, NULL, &leaf_0, &leaf_1)) {
        ++count;
    }
    return count <= MOST_MEETING_PAIRS;
}

// The packets of the leaves of body 0 that have been asked for.
typedef struct packet_cache {
    int count;
    int* places; // [leaf], one more than the place; 0: none yet
    tet_packet* packets;
} packet_cache;

static const tet_packet* packet_of(packet_cache* cache, const iso_field* field, int leaf) {
    if (cache->places[leaf] == 0) {
        pack_leaf(field, leaf, &cache->packets[cache->count]);
        cache->places[leaf] = ++cache->count;
    }
    return &cache->packets[cache->places[leaf] - 1];
}

static bool begin_cache(iso_arena* arena, const iso_field* field, int match_count,
                        packet_cache* out) {
    int leaf_count = field->tree.leaf_count;
    out->count = 0;
    out->places = iso_arena_push_array(arena, leaf_count, sizeof *out->places);
    out->packets = iso_arena_push_array(arena, match_count < leaf_count ? match_count : leaf_count,
                                        sizeof *out->packets);
    for (int leaf = 0; out->places && leaf < leaf_count; ++leaf) {
        out->places[leaf] = 0;
    }
    return out->places && out->packets;
}

iso_status iso_collect_field_pairs(iso_face_list* list, const iso_field* field_0,
                                   const iso_field* field_1, const iso_pose* x_01, iso_cull cull) {
    iso_bvh_matches matches;
    packet_cache cache;
    iso_status status = ISO_OK;
    ISO_TRY(iso_bvh_match(list->arena, &field_0->tree, &field_1->tree, x_01, &matches));
    ISO_CHECK(list->arena->ctx, begin_cache(list->arena, field_0, matches.count, &cache),
              ISO_ERR_MEMORY, "packets of %d tetrahedra", field_0->mesh.tet_count);
    collector c = {list, field_0, field_1, cull, x_01, iso_coincidence_of(field_0, field_1), 0.0};
    c.farthest = ISO_COINCIDENT_STRETCH * c.equal.distance;
    tet_view views[ISO_WIDE_LANES];
    for (int leaf_1 = 0; leaf_1 < field_1->tree.leaf_count; ++leaf_1) {
        int begin = matches.offsets[leaf_1], end = matches.offsets[leaf_1 + 1];
        if (begin == end) {
            continue;
        }
        int lanes_1 = iso_bvh_leaf_lanes(&field_1->tree, leaf_1);
        for (int lane = 0; lane < ISO_WIDE_LANES; ++lane) {
            int cell = leaf_1 * ISO_BVH_LEAF_SIZE + (lanes_1 >> lane & 1 ? lane : 0);
            view_tet(&c, cell, &views[lane]);
        }
        view_bounds near;
        bound_views(views, &near);
        for (int i = begin; i < end; ++i) {
            int near_1 = lanes_1 & views_near(&field_0->tree, matches.leaves[i], &near);
            if (near_1 == 0) {
                continue;
            }
            const tet_packet* packet_0 = packet_of(&cache, field_0, matches.leaves[i]);
            int lanes_0 = iso_bvh_leaf_lanes(&field_0->tree, matches.leaves[i]);
            packet_bounds bounds;
            bound_packet(packet_0, &bounds);
            for (int lane = 0; lane < ISO_WIDE_LANES; ++lane) {
                if (near_1 >> lane & 1) {
                    ISO_TRY(collect_lanes(&c, packet_0, lanes_0, &bounds, &views[lane]));
                }
            }
        }
    }

done:
    return status;
}
