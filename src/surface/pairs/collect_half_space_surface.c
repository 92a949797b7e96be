// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "surface/kernels/kernels.h"

#include "base/core/fail.h"
#include "surface/faces/fan_writer.h"

#include <string.h>

// Triangles that may have coincident vertices (iso_clip_clean), as against a half space.
#define TRIANGLE_SLIVER_SHARE 1.1e-12

// A rigid surface in a compliant half space.
typedef struct slab_collector {
    iso_face_list* list;
    const iso_half_space* half_space;
    const iso_tri_set* surface;
    iso_cull cull;
    const iso_pose* x_01;
    iso_double4 turn[3][3], shift[3]; // from frame 1 to W, relative to the origin of body 0
    iso_double4 depth[4];             // pressure as a function of position in frame 1
    iso_double4 columns[4];           // the same side by side: (x, y, z, p)
    double least;           // pressure at the outer boundary; without a margin 0, not -0 [Pa]
    double sliver;          // triangles of twice this area or less are looked at closely [m^2]
    iso_double4 gradient_w; // of the half space
    iso_double4 high;       // largest pressures of whole triangles put so far
} slab_collector;

// Four triangles side by side, in W and relative to the origin of body 0: (x, y, z, p).
typedef struct triangle_packet {
    iso_double4 v[3][4], centroid[4];
    iso_double4 normal[3]; // out of body 1
    iso_double4 area;
    iso_double4 high;            // largest pressure at the vertices
    iso_double4_mask is_whole;   // to be kept as it is, if it is not culled
    iso_double4_mask is_outside; // of the outer boundary
    int elements[ISO_DOUBLE4_LANES];
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
        iso_double4_store(out->x, iso_double4_make(v.x, v.y, v.z, p));
        iso_double4_store(out->d, iso_double4_set(p - half_space->least));
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
    if (polygon->count < 3 || iso_clip_clean(polygon, c->list->near) < 3) {
        return ISO_OK;
    }
    iso_face_side side_0 = {gradient, -1}, side_1 = {iso_vec3_zero(), element};
    ISO_REQUIRE(c->list->arena->ctx,
                iso_face_list_add(c->list, polygon, iso_vec3_neg(normal), &side_0, &side_1),
                ISO_ERR_MEMORY, "contact polygon");
    return ISO_OK;
}

static void turn_lanes(const slab_collector* c, const double v[3][ISO_DOUBLE4_LANES],
                       const iso_double4 shift[3], iso_double4 out[3]) {
    for (int i = 0; i < 3; ++i) {
        iso_double4 turned = iso_double4_mul_add(c->turn[i][0], iso_double4_load(v[0]), shift[i]);
        turned = iso_double4_mul_add(c->turn[i][1], iso_double4_load(v[1]), turned);
        out[i] = iso_double4_mul_add(c->turn[i][2], iso_double4_load(v[2]), turned);
    }
}

// Lanes that culling keeps: iso_cull_keeps() of the normals in the half space.
static iso_double4_mask kept_triangles(const slab_collector* c, const iso_tri_packet* packet) {
    iso_double4 n[3] = {iso_double4_load(packet->normal[0]), iso_double4_load(packet->normal[1]),
                        iso_double4_load(packet->normal[2])};
    iso_double4 along = iso_double4_mul(c->depth[0], n[0]), squared = iso_double4_mul(n[0], n[0]);
    along = iso_double4_mul_add(c->depth[2], n[2], iso_double4_mul_add(c->depth[1], n[1], along));
    squared = iso_double4_mul_add(n[2], n[2], iso_double4_mul_add(n[1], n[1], squared));
    double slope = c->half_space->slope;
    double limit =
        c->cull == ISO_CULL_NONE ? INFINITY : ISO_CULL_COSINE * ISO_CULL_COSINE * slope * slope;
    return iso_double4_or(iso_double4_greater(along, iso_double4_set(0.0)),
                          iso_double4_less(iso_double4_mul(along, along),
                                           iso_double4_mul(iso_double4_set(limit), squared)));
}

// Turn and measure four triangles.
static inline void measure_packet(const slab_collector* c, const iso_tri_packet* packet,
                                  triangle_packet* out) {
    const iso_double4 none[3] = {iso_double4_set(0.0), iso_double4_set(0.0), iso_double4_set(0.0)};
    const iso_double4 third = iso_double4_set(1.0 / 3.0),
                      least = iso_double4_set(c->half_space->least);
    iso_double4 a[3], b[3];
    for (int k = 0; k < 3; ++k) {
        const double(*x)[ISO_DOUBLE4_LANES] = packet->vertices[k];
        turn_lanes(c, x, c->shift, out->v[k]);
        iso_double4 pressure =
            iso_double4_mul_add(c->depth[0], iso_double4_load(x[0]), c->depth[3]);
        pressure = iso_double4_mul_add(c->depth[1], iso_double4_load(x[1]), pressure);
        out->v[k][3] = iso_double4_mul_add(c->depth[2], iso_double4_load(x[2]), pressure);
    }
    turn_lanes(c, packet->normal, none, out->normal);
    // About the middle vertex, which both orders share: swapping bodies leaves the area as it is.
    for (int i = 0; i < 3; ++i) {
        a[i] = iso_double4_sub(out->v[2][i], out->v[1][i]);
        b[i] = iso_double4_sub(out->v[0][i], out->v[1][i]);
    }
    iso_double4 twice_area = iso_face_twice_areas(out->normal, a, b);
    for (int i = 0; i < 4; ++i) {
        iso_double4 ends = iso_double4_add(out->v[0][i], out->v[2][i]);
        out->centroid[i] = iso_double4_mul(iso_double4_add(ends, out->v[1][i]), third);
    }
    out->area = iso_double4_mul(iso_double4_set(0.5), twice_area);
    iso_double4 low = iso_double4_min(iso_double4_min(out->v[0][3], out->v[1][3]), out->v[2][3]);
    out->high = iso_double4_max(iso_double4_max(out->v[0][3], out->v[1][3]), out->v[2][3]);
    out->is_whole = iso_double4_and(iso_double4_and(iso_double4_greater_equal(low, least),
                                                    iso_double4_greater(out->high, least)),
                                    iso_double4_greater(twice_area, iso_double4_set(c->sliver)));
    out->is_outside = iso_double4_less(out->high, least);
}

// The lanes of a set before all others, in their order.
#define LANES(a, b, c, d)                                                          \
    {                                                                              \
        { 2 * a, 2 * a + 1, 2 * b, 2 * b + 1, 2 * c, 2 * c + 1, 2 * d, 2 * d + 1 } \
    }
static const iso_double4_order k_lanes_first[16] = {
    LANES(0, 1, 2, 3), LANES(0, 1, 2, 3), LANES(1, 0, 2, 3), LANES(0, 1, 2, 3),
    LANES(2, 0, 1, 3), LANES(0, 2, 1, 3), LANES(1, 2, 0, 3), LANES(0, 1, 2, 3),
    LANES(3, 0, 1, 2), LANES(0, 3, 1, 2), LANES(1, 3, 0, 2), LANES(0, 1, 3, 2),
    LANES(2, 3, 0, 1), LANES(0, 2, 3, 1), LANES(1, 2, 3, 0), LANES(0, 1, 2, 3)};

static void move_lanes_first(triangle_packet* t, int lanes) {
    const iso_double4_order* order = &k_lanes_first[lanes];
    for (int i = 0; i < 4; ++i) {
        for (int k = 0; k < 3; ++k) {
            t->v[k][i] = iso_double4_pick(t->v[k][i], order);
        }
        t->centroid[i] = iso_double4_pick(t->centroid[i], order);
    }
    for (int i = 0; i < 3; ++i) {
        t->normal[i] = iso_double4_pick(t->normal[i], order);
    }
    t->area = iso_double4_pick(t->area, order);
    int from[ISO_DOUBLE4_LANES];
    memcpy(from, t->elements, sizeof from);
    for (int lane = 0; lane < ISO_DOUBLE4_LANES; ++lane) {
        t->elements[lane] = from[order->halves[2 * lane] / 2];
    }
}

// Write the vertices of four triangles, of each (x, y, z, x), (y, z, x, y), z.
static inline void put_triangle_vertices(double* out, iso_double4 v[3][4],
                                         const iso_double4 origin[3]) {
    iso_double4 x[9];
    for (int i = 0; i < 9; ++i) {
        x[i] = iso_double4_add(v[i / 3][i % 3], origin[i % 3]);
    }
    double last[ISO_DOUBLE4_LANES];
    iso_double4_store(last, x[8]);
    iso_double4_transpose(x);
    iso_double4_transpose(x + 4);
    for (int lane = 0; lane < ISO_DOUBLE4_LANES; ++lane) {
        iso_double4_store(out + 9 * lane, x[lane]);
        iso_double4_store(out + 9 * lane + 4, x[4 + lane]);
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
    iso_double4_store(at, list->origin);
    const iso_double4 origin[3] = {iso_double4_set(at[0]), iso_double4_set(at[1]),
                                   iso_double4_set(at[2])};
    iso_double4 v[3][4], normal[3];
    for (int i = 0; i < 4; ++i) {
        v[0][i] = is_swapped ? t->v[0][i] : t->v[2][i];
        v[1][i] = t->v[1][i];
        v[2][i] = is_swapped ? t->v[2][i] : t->v[0][i];
    }
    for (int i = 0; i < 3; ++i) {
        normal[i] = is_swapped ? t->normal[i] : iso_double4_neg(t->normal[i]);
    }
    put_triangle_vertices(&to.vertices[vertex].x, v, origin);
    iso_double4_store_xyz(&to.vertex_pressures[vertex], v[0][3], v[1][3], v[2][3]);
    iso_double4_store_xyz(&to.centroids[face].x, iso_double4_add(t->centroid[0], origin[0]),
                          iso_double4_add(t->centroid[1], origin[1]),
                          iso_double4_add(t->centroid[2], origin[2]));
    iso_double4_store_xyz(&to.normals[face].x, normal[0], normal[1], normal[2]);
    iso_double4_store(&to.areas[face], t->area);
    iso_double4_store(&to.pressures[face], t->centroid[3]);
    for (int lane = 0; lane < ISO_DOUBLE4_LANES; ++lane) {
        to.elements[face + lane].a = is_swapped ? t->elements[lane] : -1;
        to.elements[face + lane].b = is_swapped ? -1 : t->elements[lane];
        to.face_offsets[face + lane + 1] = vertex + 3 * (lane + 1);
    }
    list->face_count = face + count;
    list->vertex_count = vertex + 3 * count;
}

// Parts of four triangles side by side that the outer boundary cuts off: a corner and two points
// of the boundary, or two corners and two such points.
typedef struct part_packet {
    double v[ISO_DOUBLE4_LANES][4]
            [4]; // [lane][vertex][x, y, z, p] in W, of three vertices one twice
    iso_double4 centroid[ISO_DOUBLE4_LANES]; // (x, y, z, p)
    iso_double4 normal[ISO_DOUBLE4_LANES];   // out of body 0, fourth lane 0
    double area[ISO_DOUBLE4_LANES];
    int counts[ISO_DOUBLE4_LANES]; // of vertices
} part_packet;

// Corners of triangles [corner][x, y, z, p][lane], in the order of faces out of body 0, and their
// normals in W.
static inline void turn_others(const slab_collector* c, const int* places, int count,
                               iso_double4 x[3][4], iso_double4 normal[4]) {
    const iso_double4 columns[4] = {c->columns[0], c->columns[1], c->columns[2], c->columns[3]};
    for (int lane = 0; lane < ISO_DOUBLE4_LANES; ++lane) {
        int place = places[lane < count ? lane : 0], at = place % ISO_BVH_LEAF_SIZE;
        const iso_tri_packet* packet = &c->surface->packets[place / ISO_BVH_LEAF_SIZE];
        const double(*n)[ISO_DOUBLE4_LANES] = packet->normal;
        for (int k = 0; k < 3; ++k) { // reversed: from 0 into 1
            const double(*v)[ISO_DOUBLE4_LANES] = packet->vertices[2 - k];
            iso_double4 w = iso_double4_mul_add(columns[0], iso_double4_set(v[0][at]), columns[3]);
            w = iso_double4_mul_add(columns[1], iso_double4_set(v[1][at]), w);
            x[k][lane] = iso_double4_mul_add(columns[2], iso_double4_set(v[2][at]), w);
        }
        iso_double4 m = iso_double4_mul(columns[0], iso_double4_set(-n[0][at]));
        m = iso_double4_mul_add(columns[1], iso_double4_set(-n[1][at]), m);
        m = iso_double4_mul_add(columns[2], iso_double4_set(-n[2][at]), m);
        normal[lane] = iso_double4_with_last(m, iso_double4_set(0.0));
    }
    for (int k = 0; k < 3; ++k) {
        iso_double4_transpose(x[k]);
    }
}

// Where pressures from one corner to another become the least.
static inline void cross_boundary(const iso_double4 from[4], const iso_double4 to[4],
                                  iso_double4 least, iso_double4 out[4]) {
    iso_double4 over = iso_double4_sub(from[3], least);
    iso_double4 t = iso_double4_div(over, iso_double4_sub(over, iso_double4_sub(to[3], least)));
    for (int i = 0; i < 3; ++i) {
        out[i] = iso_double4_mul_add(t, iso_double4_sub(to[i], from[i]), from[i]);
    }
    out[3] = least;
}

// Cut and measure up to four triangles; returns the lanes in which nothing can have happened to
// the polygon but that the outer boundary cuts it.
static inline int cut_parts(const slab_collector* c, const int* places, int count,
                            part_packet* out) {
    const iso_double4 least = iso_double4_set(c->least), sliver = iso_double4_set(c->sliver);
    iso_double4 x[3][4], start[4], middle[4], end[4], from[4], v[4][4], parts[2];
    turn_others(c, places, count, x, out->normal);
    // Begin with a corner inside after one outside.
    iso_double4_mask is_second = iso_double4_and(iso_double4_greater_equal(x[1][3], least),
                                                 iso_double4_less(x[0][3], least));
    iso_double4_mask is_third = iso_double4_and(iso_double4_greater_equal(x[2][3], least),
                                                iso_double4_less(x[1][3], least));
    for (int i = 0; i < 4; ++i) {
        iso_double4 a = x[0][i], b = x[1][i], d = x[2][i];
        start[i] = iso_double4_select(is_second, b, iso_double4_select(is_third, d, a));
        middle[i] = iso_double4_select(is_second, d, iso_double4_select(is_third, a, b));
        end[i] = iso_double4_select(is_second, a, iso_double4_select(is_third, b, d));
    }
    iso_double4_mask is_cut = iso_double4_and(iso_double4_greater_equal(start[3], least),
                                              iso_double4_less(end[3], least));
    iso_double4_mask are_two = iso_double4_greater_equal(middle[3], least);
    cross_boundary(start, middle, least, v[1]);
    cross_boundary(start, end, least, v[3]);
    for (int i = 0; i < 4; ++i) {
        v[0][i] = start[i];
        v[1][i] = iso_double4_select(are_two, middle[i], v[1][i]);
        from[i] = iso_double4_select(are_two, middle[i], start[i]);
    }
    cross_boundary(from, end, least, v[2]);
    iso_double4 n[4] = {out->normal[0], out->normal[1], out->normal[2], out->normal[3]};
    iso_double4_transpose(n);
    iso_double4 twice_area = iso_face_measure_four(n, v, parts, out->centroid);
    iso_double4_transpose(out->centroid);
    iso_double4_store(out->area, iso_double4_mul(iso_double4_set(0.5), twice_area));
    int quads = iso_double4_bits(are_two);
    for (int k = 0; k < 4; ++k) {
        iso_double4_transpose(v[k]);
        out->counts[k] = 3 + (quads >> k & 1);
        for (int lane = 0; lane < ISO_DOUBLE4_LANES; ++lane) {
            iso_double4_store(out->v[lane][k], v[k][lane]);
        }
    }
    return iso_double4_bits(iso_double4_and(is_cut, iso_double4_greater(parts[0], sliver))) &
           (~quads | iso_double4_bits(iso_double4_greater(parts[1], sliver)));
}

static inline void put_part(const slab_collector* c, part_packet* p, int lane, int element) {
    iso_face_list* list = c->list;
    bool is_swapped = list->frame.is_swapped;
    const iso_double4 none = iso_double4_set(0.0), normal = p->normal[lane];
    iso_face_facts facts = {is_swapped ? iso_double4_neg(normal) : normal,
                            is_swapped ? none : c->gradient_w, is_swapped ? c->gradient_w : none,
                            iso_face_elements_of(is_swapped, -1, element)};
    if (list->is_fan) {
        iso_fan_put_polygon(list, p->v[lane], p->counts[lane], normal, p->centroid[lane], &facts);
    } else {
        iso_face_put_vertices(list, p->v[lane], p->counts[lane]);
        iso_face_close(list, facts, p->area[lane], p->centroid[lane]);
    }
}

// Write what is left of up to four triangles that are not whole.
// @param places  among the elements of the tree
static iso_status put_others(const slab_collector* c, const int* places, int count) {
    iso_status status = ISO_OK;
    part_packet p;
    int clear = cut_parts(c, places, count, &p);
    ISO_REQUIRE(c->list->arena->ctx,
                iso_face_has_room(c->list, ISO_DOUBLE4_LANES, 4 * ISO_DOUBLE4_LANES),
                ISO_ERR_MEMORY, "contact polygons");
    for (int lane = 0; lane < count; ++lane) {
        int place = places[lane], element = c->surface->tree.elements[place];
        if (clear >> lane & 1) {
            put_part(c, &p, lane, element);
            continue;
        }
        const iso_tri_packet* packet = &c->surface->packets[place / ISO_BVH_LEAF_SIZE];
        ISO_TRY(collect_triangle(c, packet, place % ISO_BVH_LEAF_SIZE, element));
    }

done:
    return status;
}

// Write the whole triangles of a leaf, for which there is room, and append the places of others
// that are not outside. Returns how many others there are then.
static inline int put_leaf(slab_collector* c, int leaf, int* others, int other_count) {
    const iso_tri_packet* packet = &c->surface->packets[leaf];
    const iso_bvh* tree = &c->surface->tree;
    triangle_packet ready;
    measure_packet(c, packet, &ready);
    iso_double4_mask is_kept = kept_triangles(c, packet);
    iso_double4_mask is_whole = iso_double4_and(ready.is_whole, is_kept);
    int lanes = iso_double4_bits(is_kept) & iso_bvh_leaf_lanes(tree, leaf) &
                ~iso_double4_bits(ready.is_outside);
    int whole = c->list->is_fan ? 0 : lanes & iso_double4_bits(is_whole);
    for (int lane = 0; lane < ISO_DOUBLE4_LANES; ++lane) {
        others[other_count] = leaf * ISO_BVH_LEAF_SIZE + lane;
        other_count += (lanes & ~whole) >> lane & 1;
    }
    if (whole) {
        memcpy(ready.elements, &tree->elements[leaf * ISO_BVH_LEAF_SIZE], sizeof ready.elements);
        c->high = iso_double4_max(iso_double4_select(is_whole, ready.high, c->high), c->high);
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
            c.turn[i][j] = iso_double4_set(r.m[i][j]);
        }
        c.shift[i] = iso_double4_set(iso_vec3_get(shift, i));
        c.depth[i] = iso_double4_set(-half_space->slope * x_01->r.m[2][i]);
    }
    c.depth[3] = iso_double4_set(-half_space->slope * x_01->p.z);
    for (int j = 0; j < 3; ++j) {
        c.columns[j] =
            iso_double4_make(r.m[0][j], r.m[1][j], r.m[2][j], -half_space->slope * x_01->r.m[2][j]);
    }
    c.columns[3] = iso_double4_make(shift.x, shift.y, shift.z, -half_space->slope * x_01->p.z);
    c.least = half_space->least + 0.0;
    c.sliver = TRIANGLE_SLIVER_SHARE * size * size;
    c.high = iso_double4_set(-INFINITY);
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
    list->work += leaf_count;
    if (leaf_count == 0) {
        return ISO_OK;
    }
    int room = ISO_DOUBLE4_LANES * (leaf_count + 1);
    int* others = iso_arena_push_array(list->arena, room, sizeof *others);
    ISO_CHECK(list->arena->ctx, others && iso_face_list_reserve(list, room, 3 * room),
              ISO_ERR_MEMORY, "contact polygons");
    int other_count = 0;
    for (int i = 0; i < leaf_count; ++i) {
        other_count = put_leaf(&c, leaves[i], others, other_count);
    }
    for (int i = 0; i < other_count; i += ISO_DOUBLE4_LANES) {
        int rest = other_count - i;
        ISO_TRY(put_others(&c, &others[i], rest < ISO_DOUBLE4_LANES ? rest : ISO_DOUBLE4_LANES));
    }
    iso_face_add_max_pressure(list, c.high);
    bool is_swapped = list->frame.is_swapped;
    iso_face_fill(is_swapped ? list->to.gradients_b : list->to.gradients_a, begin, list->face_count,
                  c.gradient_w);
    iso_face_fill(is_swapped ? list->to.gradients_a : list->to.gradients_b, begin, list->face_count,
                  iso_double4_set(0.0));

done:
    return status;
}
