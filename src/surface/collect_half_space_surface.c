// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "surface/kernels.h"

#include "base/fail.h"
#include "surface/face_writer.h"

// Triangles that may have vertices closer than 1e-14 m (iso_clip_clean), as against a half space.
#define TRIANGLE_SLIVER_PER_SIZE 1e-13
#define TRIANGLE_SLIVER_PER_SIZE_SQUARED 1e-14

// A rigid surface in a compliant half space.
typedef struct slab_collector {
    iso_face_list* list;
    const iso_half_space* half_space;
    const iso_tri_set* surface;
    iso_cull cull;
    const iso_pose* x_01;
    iso_wide turn[3][3], shift[3]; // from frame 1 to W, relative to the origin of body 0
    iso_wide depth[4];             // pressure as a function of position in frame 1
    double sliver;       // triangles of twice this area or less are looked at closely [m^2]
    iso_wide gradient_w; // of the half space
} slab_collector;

// Four triangles side by side, in W and relative to the origin of body 0, in the order in which
// they are stored: (x, y, z, p).
typedef struct triangle_packet {
    iso_wide v[3][4], centroid[4];
    iso_wide normal[4]; // as A and B see it; fourth 0
    iso_wide area;
    iso_wide high;                   // largest pressure at the vertices
    iso_wide_mask is_kept, is_whole; // not culled; and to be kept as it is
} triangle_packet;

// Keep the part of a triangle of body 1 that lies at or below the outer boundary of the half space.
static iso_status collect_triangle(const slab_collector* c, const iso_tri_packet* packet, int lane,
                                   int element) {
    const iso_half_space* half_space = c->half_space;
    const iso_pose* x_01 = c->x_01;
    iso_vec3 n = {packet->normal[0][lane], packet->normal[1][lane], packet->normal[2][lane]};
    iso_vec3 normal = iso_mat3_mul_vec3(&x_01->r, n);
    iso_vec3 gradient = {0.0, 0.0, -half_space->slope};
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

static void turn_lanes(const slab_collector* c, const double v[3][ISO_WIDE_LANES],
                       const iso_wide shift[3], iso_wide out[3]) {
    for (int i = 0; i < 3; ++i) {
        out[i] = iso_wide_mul_add(c->turn[i][0], iso_wide_load(v[0]), shift[i]);
        out[i] = iso_wide_mul_add(c->turn[i][1], iso_wide_load(v[1]), out[i]);
        out[i] = iso_wide_mul_add(c->turn[i][2], iso_wide_load(v[2]), out[i]);
    }
}

// Lanes that culling keeps: iso_cull_keeps() of the normals in the half space.
static iso_wide_mask kept_triangles(const slab_collector* c, const iso_tri_packet* packet) {
    iso_wide n[3] = {iso_wide_load(packet->normal[0]), iso_wide_load(packet->normal[1]),
                     iso_wide_load(packet->normal[2])};
    iso_wide along = iso_wide_mul(c->depth[0], n[0]), squared = iso_wide_mul(n[0], n[0]);
    along = iso_wide_mul_add(c->depth[2], n[2], iso_wide_mul_add(c->depth[1], n[1], along));
    squared = iso_wide_mul_add(n[2], n[2], iso_wide_mul_add(n[1], n[1], squared));
    double slope = c->half_space->slope;
    double limit =
        c->cull == ISO_CULL_NONE ? INFINITY : ISO_CULL_COSINE * ISO_CULL_COSINE * slope * slope;
    return iso_wide_or(
        iso_wide_greater(along, iso_wide_set(0.0)),
        iso_wide_less(iso_wide_mul(along, along), iso_wide_mul(iso_wide_set(limit), squared)));
}

// Turn and measure four triangles.
static inline void measure_packet(const slab_collector* c, const iso_tri_packet* packet,
                                  triangle_packet* out) {
    const iso_wide none[3] = {iso_wide_set(0.0), iso_wide_set(0.0), iso_wide_set(0.0)};
    const iso_wide third = iso_wide_set(1.0 / 3.0), least = iso_wide_set(c->half_space->least);
    bool is_swapped = c->list->frame.is_swapped;
    iso_wide n[3], a[3], b[3];
    for (int k = 0; k < 3; ++k) {
        const double(*x)[ISO_WIDE_LANES] = packet->vertices[is_swapped ? k : 2 - k];
        turn_lanes(c, x, c->shift, out->v[k]);
        iso_wide pressure = iso_wide_mul_add(c->depth[0], iso_wide_load(x[0]), c->depth[3]);
        pressure = iso_wide_mul_add(c->depth[1], iso_wide_load(x[1]), pressure);
        out->v[k][3] = iso_wide_mul_add(c->depth[2], iso_wide_load(x[2]), pressure);
    }
    turn_lanes(c, packet->normal, none, n);
    // About the middle vertex, which both orders share: swapping bodies leaves the area as it is.
    for (int i = 0; i < 3; ++i) {
        a[i] = iso_wide_sub(out->v[is_swapped ? 2 : 0][i], out->v[1][i]);
        b[i] = iso_wide_sub(out->v[is_swapped ? 0 : 2][i], out->v[1][i]);
    }
    iso_wide twice_area = iso_wide_set(0.0);
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        iso_wide cross = iso_wide_sub(iso_wide_mul(a[j], b[k]), iso_wide_mul(a[k], b[j]));
        twice_area = iso_wide_mul_add(n[i], cross, twice_area);
        out->normal[i] = is_swapped ? n[i] : iso_wide_neg(n[i]);
    }
    for (int i = 0; i < 4; ++i) {
        iso_wide ends = iso_wide_add(out->v[0][i], out->v[2][i]);
        out->centroid[i] = iso_wide_mul(iso_wide_add(ends, out->v[1][i]), third);
    }
    out->normal[3] = iso_wide_set(0.0);
    out->area = iso_wide_mul(iso_wide_set(0.5), twice_area);
    out->is_kept = kept_triangles(c, packet);
    iso_wide low = iso_wide_min(iso_wide_min(out->v[0][3], out->v[1][3]), out->v[2][3]);
    out->high = iso_wide_max(iso_wide_max(out->v[0][3], out->v[1][3]), out->v[2][3]);
    out->is_whole =
        iso_wide_and(iso_wide_and(out->is_kept, iso_wide_greater_equal(low, least)),
                     iso_wide_and(iso_wide_greater(out->high, least),
                                  iso_wide_greater(twice_area, iso_wide_set(c->sliver))));
}

// Four vectors relative to the origin of body 0 as vectors in W, one after the other.
static inline void place(const iso_face_list* list, const iso_wide v[4], iso_wide out[4]) {
    double origin[4];
    iso_wide_store(origin, list->origin);
    for (int i = 0; i < 4; ++i) {
        out[i] = i < 3 ? iso_wide_add(v[i], iso_wide_set(origin[i])) : v[i];
    }
    iso_wide_transpose(out);
}

// Write the four triangles one after the other and step over those that count, without a branch:
// the others are written over. Gradients are filled in at the end.
static inline void put_triangles(const slab_collector* c, const triangle_packet* t, int lanes,
                                 const int* elements) {
    iso_face_list* list = c->list;
    const iso_face_columns to = list->to;
    bool is_swapped = list->frame.is_swapped;
    iso_wide v[3][4], centroid[4],
        normal[4] = {t->normal[0], t->normal[1], t->normal[2], t->normal[3]};
    iso_wide pressures[4] = {t->v[0][3], t->v[1][3], t->v[2][3], iso_wide_set(0.0)};
    double area[4], pressure[4];
    for (int k = 0; k < 3; ++k) {
        place(list, t->v[k], v[k]);
    }
    place(list, t->centroid, centroid);
    iso_wide_transpose(normal);
    iso_wide_transpose(pressures);
    iso_wide_store(area, t->area);
    iso_wide_store(pressure, t->centroid[3]);
    int face = list->face_count;
    for (int lane = 0; lane < ISO_WIDE_LANES; ++lane) {
        int vertex = list->vertex_count;
        for (int k = 0; k < 3; ++k) {
            iso_face_put(&to.vertices[vertex + k], v[k][lane]);
        }
        iso_wide_store(&to.vertex_pressures[vertex], pressures[lane]);
        to.elements[face].a = is_swapped ? elements[lane] : -1;
        to.elements[face].b = is_swapped ? -1 : elements[lane];
        to.areas[face] = area[lane];
        to.pressures[face] = pressure[lane];
        iso_face_put(&to.centroids[face], centroid[lane]);
        iso_face_put(&to.normals[face], normal[lane]);
        int counts = lanes >> lane & 1;
        list->vertex_count = vertex + (3 & -counts);
        to.face_offsets[face + 1] = list->vertex_count;
        face += counts;
    }
    list->face_count = face;
    iso_wide_store(pressure, iso_wide_select(t->is_whole, t->high, iso_wide_set(-INFINITY)));
    for (int lane = 0; lane < ISO_WIDE_LANES; ++lane) {
        list->max_pressure = iso_wide_max(iso_wide_set(pressure[lane]), list->max_pressure);
    }
}

static iso_status collect_packet(const slab_collector* c, int leaf) {
    const iso_tri_packet* packet = &c->surface->packets[leaf];
    iso_context* ctx = c->list->arena->ctx;
    iso_status status = ISO_OK;
    triangle_packet ready;
    measure_packet(c, packet, &ready);
    ISO_REQUIRE(ctx, iso_face_has_room(c->list, ISO_WIDE_LANES, 3 * ISO_WIDE_LANES), ISO_ERR_MEMORY,
                "contact polygons");
    const int* elements = &c->surface->tree.elements[leaf * ISO_BVH_LEAF_SIZE];
    int lanes = iso_wide_bits(ready.is_kept) & iso_bvh_leaf_lanes(&c->surface->tree, leaf);
    int whole = c->list->is_fan ? 0 : lanes & iso_wide_bits(ready.is_whole);
    if (whole) {
        put_triangles(c, &ready, whole, elements);
    }
    for (int lane = 0; lane < ISO_WIDE_LANES && status == ISO_OK; ++lane) {
        if ((lanes & ~whole) >> lane & 1) {
            status = collect_triangle(c, packet, lane, elements[lane]);
        }
    }
    return status;
}

static slab_collector slab_collector_make(iso_face_list* list, const iso_half_space* half_space,
                                          const iso_tri_set* surface, const iso_pose* x_01,
                                          iso_cull cull) {
    slab_collector c = {
        .list = list, .half_space = half_space, .surface = surface, .cull = cull, .x_01 = x_01};
    const iso_mat3* r_w0 = &list->frame.x_w0.r;
    iso_mat3 r = iso_mat3_mul(*r_w0, x_01->r);
    iso_vec3 shift = iso_mat3_mul_vec3(r_w0, x_01->p);
    double size = surface->size;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            c.turn[i][j] = iso_wide_set(r.m[i][j]);
        }
        c.shift[i] = iso_wide_set(iso_vec3_get(shift, i));
        c.depth[i] = iso_wide_set(-half_space->slope * x_01->r.m[2][i]);
    }
    c.depth[3] = iso_wide_set(-half_space->slope * x_01->p.z);
    c.sliver = size * (TRIANGLE_SLIVER_PER_SIZE + TRIANGLE_SLIVER_PER_SIZE_SQUARED * size);
    c.gradient_w = iso_face_turn(list, 0.0, 0.0, -half_space->slope);
    return c;
}

iso_status iso_collect_half_space_surface(iso_face_list* list, const iso_half_space* half_space,
                                          const iso_tri_set* surface, const iso_pose* x_01,
                                          iso_cull cull) {
    iso_status status = ISO_OK;
    slab_collector c = slab_collector_make(list, half_space, surface, x_01, cull);
    // Pressure of the half space as a function of position in frame 1.
    iso_vec3 up_1 = iso_vec3_make(x_01->r.m[2][0], x_01->r.m[2][1], x_01->r.m[2][2]);
    iso_affine f = {iso_vec3_scale(up_1, -half_space->slope), -half_space->slope * x_01->p.z};
    int begin = list->face_count, leaf_count;
    int* leaves;
    ISO_TRY(iso_bvh_cut(list->arena, &surface->tree, f, half_space->least, INFINITY, false, &leaves,
                        &leaf_count));
    ISO_CHECK(list->arena->ctx,
              leaf_count == 0 || iso_face_list_reserve(list, ISO_WIDE_LANES * leaf_count,
                                                       3 * ISO_WIDE_LANES * leaf_count + 4),
              ISO_ERR_MEMORY, "contact polygons");
    for (int i = 0; i < leaf_count; ++i) {
        ISO_TRY(collect_packet(&c, leaves[i]));
    }
    bool is_swapped = list->frame.is_swapped;
    iso_face_fill(is_swapped ? list->to.gradients_b : list->to.gradients_a, begin, list->face_count,
                  c.gradient_w);
    iso_face_fill(is_swapped ? list->to.gradients_a : list->to.gradients_b, begin, list->face_count,
                  iso_wide_set(0.0));

done:
    return status;
}
