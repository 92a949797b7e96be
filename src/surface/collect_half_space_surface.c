// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "surface/kernels.h"

#include "base/fail.h"
#include "surface/face_writer.h"

#include <string.h>

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
    iso_wide columns[4];           // the same side by side: (x, y, z, p)
    double least;        // pressure at the outer boundary; without a margin 0, not -0 [Pa]
    double sliver;       // triangles of twice this area or less are looked at closely [m^2]
    iso_wide gradient_w; // of the half space
    iso_wide high;       // largest pressures of whole triangles put so far
} slab_collector;

// Four triangles side by side, in W and relative to the origin of body 0: (x, y, z, p).
typedef struct triangle_packet {
    iso_wide v[3][4], centroid[4];
    iso_wide normal[3]; // out of body 1
    iso_wide area;
    iso_wide high;            // largest pressure at the vertices
    iso_wide_mask is_whole;   // to be kept as it is, if it is not culled
    iso_wide_mask is_outside; // of the outer boundary
    int elements[ISO_WIDE_LANES];
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
        for (int i = 0; i < polygon->count; ++i) {
            polygon->v[i].x[3] = fmax(c->least, polygon->v[i].x[3]);
        }
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
        iso_wide turned = iso_wide_mul_add(c->turn[i][0], iso_wide_load(v[0]), shift[i]);
        turned = iso_wide_mul_add(c->turn[i][1], iso_wide_load(v[1]), turned);
        out[i] = iso_wide_mul_add(c->turn[i][2], iso_wide_load(v[2]), turned);
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
    iso_wide a[3], b[3];
    for (int k = 0; k < 3; ++k) {
        const double(*x)[ISO_WIDE_LANES] = packet->vertices[k];
        turn_lanes(c, x, c->shift, out->v[k]);
        iso_wide pressure = iso_wide_mul_add(c->depth[0], iso_wide_load(x[0]), c->depth[3]);
        pressure = iso_wide_mul_add(c->depth[1], iso_wide_load(x[1]), pressure);
        out->v[k][3] = iso_wide_mul_add(c->depth[2], iso_wide_load(x[2]), pressure);
    }
    turn_lanes(c, packet->normal, none, out->normal);
    // About the middle vertex, which both orders share: swapping bodies leaves the area as it is.
    for (int i = 0; i < 3; ++i) {
        a[i] = iso_wide_sub(out->v[2][i], out->v[1][i]);
        b[i] = iso_wide_sub(out->v[0][i], out->v[1][i]);
    }
    iso_wide twice_area = iso_wide_set(0.0);
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        iso_wide cross = iso_wide_sub(iso_wide_mul(a[j], b[k]), iso_wide_mul(a[k], b[j]));
        twice_area = iso_wide_mul_add(out->normal[i], cross, twice_area);
    }
    for (int i = 0; i < 4; ++i) {
        iso_wide ends = iso_wide_add(out->v[0][i], out->v[2][i]);
        out->centroid[i] = iso_wide_mul(iso_wide_add(ends, out->v[1][i]), third);
    }
    out->area = iso_wide_mul(iso_wide_set(0.5), twice_area);
    iso_wide low = iso_wide_min(iso_wide_min(out->v[0][3], out->v[1][3]), out->v[2][3]);
    out->high = iso_wide_max(iso_wide_max(out->v[0][3], out->v[1][3]), out->v[2][3]);
    out->is_whole = iso_wide_and(
        iso_wide_and(iso_wide_greater_equal(low, least), iso_wide_greater(out->high, least)),
        iso_wide_greater(twice_area, iso_wide_set(c->sliver)));
    out->is_outside = iso_wide_less(out->high, least);
}

// The lanes of a set before all others, in their order.
#define LANES(a, b, c, d)                                                          \
    {                                                                              \
        { 2 * a, 2 * a + 1, 2 * b, 2 * b + 1, 2 * c, 2 * c + 1, 2 * d, 2 * d + 1 } \
    }
static const iso_wide_order k_lanes_first[16] = {
    LANES(0, 1, 2, 3), LANES(0, 1, 2, 3), LANES(1, 0, 2, 3), LANES(0, 1, 2, 3),
    LANES(2, 0, 1, 3), LANES(0, 2, 1, 3), LANES(1, 2, 0, 3), LANES(0, 1, 2, 3),
    LANES(3, 0, 1, 2), LANES(0, 3, 1, 2), LANES(1, 3, 0, 2), LANES(0, 1, 3, 2),
    LANES(2, 3, 0, 1), LANES(0, 2, 3, 1), LANES(1, 2, 3, 0), LANES(0, 1, 2, 3)};

static void move_lanes_first(triangle_packet* t, int lanes) {
    const iso_wide_order* order = &k_lanes_first[lanes];
    for (int i = 0; i < 4; ++i) {
        for (int k = 0; k < 3; ++k) {
            t->v[k][i] = iso_wide_pick(t->v[k][i], order);
        }
        t->centroid[i] = iso_wide_pick(t->centroid[i], order);
    }
    for (int i = 0; i < 3; ++i) {
        t->normal[i] = iso_wide_pick(t->normal[i], order);
    }
    t->area = iso_wide_pick(t->area, order);
    int from[ISO_WIDE_LANES];
    memcpy(from, t->elements, sizeof from);
    for (int lane = 0; lane < ISO_WIDE_LANES; ++lane) {
        t->elements[lane] = from[order->halves[2 * lane] / 2];
    }
}

// Write the vertices of four triangles, of each (x, y, z, x), (y, z, x, y), z.
static inline void put_triangle_vertices(double* out, iso_wide v[3][4], const iso_wide origin[3]) {
    iso_wide x[9];
    for (int i = 0; i < 9; ++i) {
        x[i] = iso_wide_add(v[i / 3][i % 3], origin[i % 3]);
    }
    double last[ISO_WIDE_LANES];
    iso_wide_store(last, x[8]);
    iso_wide_transpose(x);
    iso_wide_transpose(x + 4);
    for (int lane = 0; lane < ISO_WIDE_LANES; ++lane) {
        iso_wide_store(out + 9 * lane, x[lane]);
        iso_wide_store(out + 9 * lane + 4, x[4 + lane]);
        out[9 * lane + 8] = last[lane];
    }
}

// Write four triangles and count the first of them. Gradients are filled in at the end.
static inline void put_triangles(const slab_collector* c, const triangle_packet* t, int count) {
    iso_face_list* list = c->list;
    const iso_face_columns to = list->to;
    bool is_swapped = list->frame.is_swapped;
    int face = list->face_count, vertex = list->vertex_count;
    double at[4];
    iso_wide_store(at, list->origin);
    const iso_wide origin[3] = {iso_wide_set(at[0]), iso_wide_set(at[1]), iso_wide_set(at[2])};
    iso_wide v[3][4], normal[3];
    for (int i = 0; i < 4; ++i) {
        v[0][i] = is_swapped ? t->v[0][i] : t->v[2][i];
        v[1][i] = t->v[1][i];
        v[2][i] = is_swapped ? t->v[2][i] : t->v[0][i];
    }
    for (int i = 0; i < 3; ++i) {
        normal[i] = is_swapped ? t->normal[i] : iso_wide_neg(t->normal[i]);
    }
    put_triangle_vertices(&to.vertices[vertex].x, v, origin);
    iso_wide_store_xyz(&to.vertex_pressures[vertex], v[0][3], v[1][3], v[2][3]);
    iso_wide_store_xyz(&to.centroids[face].x, iso_wide_add(t->centroid[0], origin[0]),
                       iso_wide_add(t->centroid[1], origin[1]),
                       iso_wide_add(t->centroid[2], origin[2]));
    iso_wide_store_xyz(&to.normals[face].x, normal[0], normal[1], normal[2]);
    iso_wide_store(&to.areas[face], t->area);
    iso_wide_store(&to.pressures[face], t->centroid[3]);
    for (int lane = 0; lane < ISO_WIDE_LANES; ++lane) {
        to.elements[face + lane].a = is_swapped ? t->elements[lane] : -1;
        to.elements[face + lane].b = is_swapped ? -1 : t->elements[lane];
        to.face_offsets[face + lane + 1] = vertex + 3 * (lane + 1);
    }
    list->face_count = face + count;
    list->vertex_count = vertex + 3 * count;
}

// The corners of the part of a triangle where a function is not negative, each on an edge to a
// corner where it is: at its start, or where the function vanishes (weight 1). Three corners are
// made four by a repetition.
typedef struct part_corners {
    unsigned char from[4], to[4];
    double weight[4];
    int count;
} part_corners;
#define ONE_INSIDE(a, b, c) \
    { {a, a, a, a}, {b, b, c, c}, {0.0, 1.0, 1.0, 1.0}, 3 }
#define TWO_INSIDE(a, b, c) \
    { {a, b, b, a}, {c, c, c, c}, {0.0, 0.0, 1.0, 1.0}, 4 }
// Bit i of the index: not negative at corner i.
static const part_corners k_parts[8] = {
    {.count = 0},        ONE_INSIDE(0, 1, 2), ONE_INSIDE(1, 2, 0), TWO_INSIDE(0, 1, 2),
    ONE_INSIDE(2, 0, 1), TWO_INSIDE(2, 0, 1), TWO_INSIDE(1, 2, 0), {.count = 0}};

// Cut a triangle (x, y, z, p) at the outer boundary. Returns the number of corners left, 0 where
// the boundary does not cross it or two of them coincide.
static inline int cut_triangle(double x[3][4], double least, double out[4][4]) {
    double d[3] = {x[0][3] - least, x[1][3] - least, x[2][3] - least};
    const part_corners* part = &k_parts[(d[0] >= 0.0) | (d[1] >= 0.0) << 1 | (d[2] >= 0.0) << 2];
    const int count = part->count;
    if (count == 0) {
        return 0;
    }
    bool is_same = false;
    iso_wide first = iso_wide_load(x[part->from[0]]), before = first;
    for (int k = 0; k < 4; ++k) {
        int from = part->from[k], to = part->to[k];
        double weight = part->weight[k];
        iso_wide a = iso_wide_load(x[from]), b = iso_wide_load(x[to]);
        iso_wide t = iso_wide_set(weight * (d[from] / (d[from] - d[to])));
        iso_wide v = iso_wide_mul_add(t, iso_wide_sub(b, a), a);
        iso_wide_store(out[k], weight > 0.0 ? iso_wide_with_last(v, iso_wide_set(least)) : v);
        is_same |= (k > 0 && k < count) & (int)iso_clip_same_point(v, before);
        before = v;
    }
    return is_same || iso_clip_same_point(first, before) ? 0 : count;
}

// Write the part of a triangle (x, y, z, p) that the outer boundary crosses; false when it takes a
// closer look.
static bool put_part(const slab_collector* c, double x[3][4], iso_wide normal, int element) {
    iso_face_list* list = c->list;
    bool is_swapped = list->frame.is_swapped;
    double v[4][4];
    int count = cut_triangle(x, c->least, v);
    if (count == 0) {
        return false;
    }
    iso_wide centroid = iso_wide_load(v[0]);
    double twice_area = iso_face_measure(v, count, iso_face_area_axis(normal), &centroid);
    if (!(twice_area > 0.0)) {
        return true;
    }
    const iso_wide none = iso_wide_set(0.0);
    iso_face_facts facts = {is_swapped ? iso_wide_neg(normal) : normal,
                            is_swapped ? none : c->gradient_w,
                            is_swapped ? c->gradient_w : none,
                            {is_swapped ? element : -1, is_swapped ? -1 : element}};
    if (list->is_fan) {
        iso_face_put_fan(list, v, count, normal, centroid, &facts);
    } else {
        iso_face_put_vertices(list, v, count);
        iso_face_close(list, facts, 0.5 * twice_area, centroid);
    }
    return true;
}

// Write what is left of a triangle that is not whole.
// @param place  among the elements of the tree
static iso_status put_other(const slab_collector* c, int place) {
    const iso_tri_packet* packet = &c->surface->packets[place / ISO_BVH_LEAF_SIZE];
    int lane = place % ISO_BVH_LEAF_SIZE, element = c->surface->tree.elements[place];
    const iso_wide* columns = c->columns;
    const double(*n)[ISO_WIDE_LANES] = packet->normal;
    double x[3][4];
    for (int k = 0; k < 3; ++k) { // reversed: from 0 into 1
        const double(*v)[ISO_WIDE_LANES] = packet->vertices[2 - k];
        iso_wide w = iso_wide_mul_add(columns[0], iso_wide_set(v[0][lane]), columns[3]);
        w = iso_wide_mul_add(columns[1], iso_wide_set(v[1][lane]), w);
        w = iso_wide_mul_add(columns[2], iso_wide_set(v[2][lane]), w);
        iso_wide_store(x[k], w);
    }
    iso_wide normal = iso_wide_mul(columns[0], iso_wide_set(-n[0][lane]));
    normal = iso_wide_mul_add(columns[1], iso_wide_set(-n[1][lane]), normal);
    normal = iso_wide_mul_add(columns[2], iso_wide_set(-n[2][lane]), normal);
    normal = iso_wide_with_last(normal, iso_wide_set(0.0));
    iso_status status = ISO_OK;
    ISO_REQUIRE(c->list->arena->ctx, iso_face_has_room(c->list, 1, 4), ISO_ERR_MEMORY,
                "contact polygon");
    if (!put_part(c, x, normal, element)) {
        status = collect_triangle(c, packet, lane, element);
    }
    return status;
}

// Write the whole triangles of a leaf, for which there is room, and append the places of others
// that are not outside. Returns how many others there are then.
static inline int put_leaf(slab_collector* c, int leaf, int* others, int other_count) {
    const iso_tri_packet* packet = &c->surface->packets[leaf];
    const iso_bvh* tree = &c->surface->tree;
    triangle_packet ready;
    measure_packet(c, packet, &ready);
    iso_wide_mask is_kept = kept_triangles(c, packet);
    iso_wide_mask is_whole = iso_wide_and(ready.is_whole, is_kept);
    int lanes =
        iso_wide_bits(is_kept) & iso_bvh_leaf_lanes(tree, leaf) & ~iso_wide_bits(ready.is_outside);
    int whole = c->list->is_fan ? 0 : lanes & iso_wide_bits(is_whole);
    for (int lane = 0; lane < ISO_WIDE_LANES; ++lane) {
        others[other_count] = leaf * ISO_BVH_LEAF_SIZE + lane;
        other_count += (lanes & ~whole) >> lane & 1;
    }
    if (whole) {
        memcpy(ready.elements, &tree->elements[leaf * ISO_BVH_LEAF_SIZE], sizeof ready.elements);
        c->high = iso_wide_max(iso_wide_select(is_whole, ready.high, c->high), c->high);
        if (whole != 15) {
            move_lanes_first(&ready, whole);
        }
        put_triangles(c, &ready, (whole & 1) + (whole >> 1 & 1) + (whole >> 2 & 1) + (whole >> 3));
    }
    return other_count;
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
    for (int j = 0; j < 3; ++j) {
        c.columns[j] =
            iso_wide_make(r.m[0][j], r.m[1][j], r.m[2][j], -half_space->slope * x_01->r.m[2][j]);
    }
    c.columns[3] = iso_wide_make(shift.x, shift.y, shift.z, -half_space->slope * x_01->p.z);
    c.least = half_space->least + 0.0;
    c.sliver = size * (TRIANGLE_SLIVER_PER_SIZE + TRIANGLE_SLIVER_PER_SIZE_SQUARED * size);
    c.high = iso_wide_set(-INFINITY);
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
    if (leaf_count == 0) {
        return ISO_OK;
    }
    int room = ISO_WIDE_LANES * (leaf_count + 1);
    int* others = iso_arena_push_array(list->arena, room, sizeof *others);
    ISO_CHECK(list->arena->ctx, others && iso_face_list_reserve(list, room, 3 * room),
              ISO_ERR_MEMORY, "contact polygons");
    int other_count = 0;
    for (int i = 0; i < leaf_count; ++i) {

        other_count = put_leaf(&c, leaves[i], others, other_count);
    }
    for (int i = 0; i < other_count; ++i) {
        ISO_TRY(put_other(&c, others[i]));
    }
    iso_face_add_max_pressure(list, c.high);
    bool is_swapped = list->frame.is_swapped;
    iso_face_fill(is_swapped ? list->to.gradients_b : list->to.gradients_a, begin, list->face_count,
                  c.gradient_w);
    iso_face_fill(is_swapped ? list->to.gradients_a : list->to.gradients_b, begin, list->face_count,
                  iso_wide_set(0.0));

done:
    return status;
}
