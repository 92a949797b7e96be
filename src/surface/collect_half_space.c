// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "surface/kernels.h"

#include "base/fail.h"
#include "surface/face_writer.h"

// Vertices coincide within 1e-14 m along every axis (iso_clip_clean). A triangle with two such
// vertices has less than this much area per metre of the body, and rounding adds this much per
// square metre.
#define SLIVER_PER_SIZE 1e-13
#define SLIVER_PER_SIZE_SQUARED 1e-14
// A field cut by a half space: tetrahedra are sliced where h = 0, which rises into the field.
// Rigid: h = -f, the depth below the plane. Compliant: h = pressure - f, f the half space's.
typedef struct slicer {
    iso_face_list* list;
    const iso_field* field;
    iso_cull cull;
    bool is_rigid;
    iso_affine f;        // in frame 0
    double least;        // pressures below are cut off
    double sliver;       // triangles of twice this area or less may have coincident corners [m^2]
    iso_vec3 normal;     // of a rigid plane, out of body 0
    iso_vec3 gradient_1; // of the half space; in W:
    iso_wide gradient_1_w;
    iso_wide turn[3][3]; // rotation of body 0, spread over lanes
} slicer;

// Four tetrahedra ready to be sliced, [lane] after lane: vectors in W relative to the origin of
// body 0, (x, y, z, p).
typedef struct slice_packet {
    const iso_tet_packet* packet;
    const int* tets; // [lane], indices in the mesh
    double h[ISO_WIDE_LANES][4];
    double corners[ISO_WIDE_LANES][4][4];
    double normals[ISO_WIDE_LANES][4]; // out of body 0; fourth lane 0
    double axes[ISO_WIDE_LANES][4];    // iso_face_area_axis() of the normals
    double gradients[ISO_WIDE_LANES][4];
} slice_packet;

static void spread_turn(slicer* s) {
    const iso_mat3* r = &s->list->frame.x_w0.r;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            s->turn[i][j] = iso_wide_set(r->m[i][j]);
        }
    }
}

static inline void put_lanes(iso_wide v[4], double* out, size_t stride) {
    iso_wide_transpose(v);
    for (size_t lane = 0; lane < ISO_WIDE_LANES; ++lane) {
        iso_wide_store(out + lane * stride, v[lane]);
    }
}

// Turn four vectors [component] into W and write them lane by lane, with a fourth component.
static inline void put_turned(const slicer* s, const iso_wide v[3], iso_wide fourth, double* out,
                              size_t stride) {
    iso_wide w[4];
    for (int i = 0; i < 3; ++i) {
        w[i] = iso_wide_mul(s->turn[i][0], v[0]);
        w[i] = iso_wide_mul_add(s->turn[i][1], v[1], w[i]);
        w[i] = iso_wide_mul_add(s->turn[i][2], v[2], w[i]);
    }
    w[3] = fourth;
    put_lanes(w, out, stride);
}

// h at the corners of four tetrahedra; returns the lanes where it takes both signs.
static inline int evaluate(const slicer* s, const iso_tet_packet* packet, iso_wide h[4]) {
    iso_wide zero = iso_wide_set(0.0), weight = iso_wide_set(s->is_rigid ? 0.0 : 1.0);
    iso_wide most = zero, least = zero;
    for (int corner = 0; corner < 4; ++corner) {
        const double(*x)[ISO_WIDE_LANES] = packet->vertices[corner];
        iso_wide value = iso_wide_mul_add(iso_wide_set(s->f.gradient.x), iso_wide_load(x[0]),
                                          iso_wide_set(s->f.offset));
        value = iso_wide_mul_add(iso_wide_set(s->f.gradient.y), iso_wide_load(x[1]), value);
        value = iso_wide_mul_add(iso_wide_set(s->f.gradient.z), iso_wide_load(x[2]), value);
        iso_wide p = iso_wide_load(packet->pressures[corner]);
        h[corner] = iso_wide_sub(iso_wide_mul(weight, p), value);
        most = corner == 0 ? h[corner] : iso_wide_max(most, h[corner]);
        least = corner == 0 ? h[corner] : iso_wide_min(least, h[corner]);
    }
    return iso_wide_bits(
        iso_wide_and(iso_wide_greater(most, zero), iso_wide_less_equal(least, zero)));
}

static iso_wide dot_wide(const iso_wide a[3], const iso_wide b[3]) {
    return iso_wide_mul_add(a[2], b[2], iso_wide_mul_add(a[1], b[1], iso_wide_mul(a[0], b[0])));
}

// iso_cull_keeps() of a normal that goes into the field, for four gradients.
static iso_wide_mask keeps(const iso_wide into_field[3], const iso_wide gradient[3]) {
    iso_wide along = dot_wide(into_field, gradient);
    iso_wide limit =
        iso_wide_mul(iso_wide_set(ISO_CULL_COSINE * ISO_CULL_COSINE),
                     iso_wide_mul(dot_wide(into_field, into_field), dot_wide(gradient, gradient)));
    return iso_wide_or(iso_wide_greater(along, iso_wide_set(0.0)),
                       iso_wide_less(iso_wide_mul(along, along), limit));
}

// Normals of the surfaces of equal pressure, out of body 0; returns the lanes that are not culled
// and have one.
static int equal_pressure_normals(const slicer* s, const iso_wide g0[3], iso_wide out_normal[3]) {
    iso_wide g1[3] = {iso_wide_set(s->gradient_1.x), iso_wide_set(s->gradient_1.y),
                      iso_wide_set(s->gradient_1.z)};
    iso_wide rise[3], fall[3];
    for (int i = 0; i < 3; ++i) {
        rise[i] = iso_wide_sub(g0[i], g1[i]);
        fall[i] = iso_wide_neg(rise[i]);
    }
    iso_wide squared = dot_wide(rise, rise), zero = iso_wide_set(0.0);
    iso_wide_mask kept = iso_wide_greater(squared, zero);
    iso_wide scale = iso_wide_div(iso_wide_set(1.0), iso_wide_sqrt(squared));
    for (int i = 0; i < 3; ++i) {
        out_normal[i] = iso_wide_mul(fall[i], scale);
    }
    if (s->cull != ISO_CULL_NONE) {
        kept = iso_wide_and(kept, iso_wide_and(keeps(rise, g0), keeps(fall, g1)));
    }
    return iso_wide_bits(kept);
}

static void put_axes(slice_packet* out) {
    for (int lane = 0; lane < ISO_WIDE_LANES; ++lane) {
        iso_wide_store(out->axes[lane], iso_face_area_axis(iso_wide_load(out->normals[lane])));
    }
}

// Returns the lanes to be sliced; *out is only set when there are any.
static inline int prepare_packet(const slicer* s, int leaf, slice_packet* out) {
    const iso_tet_packet* packet = &s->field->packets[leaf];
    iso_wide h[4], g[3], normal[3], zero = iso_wide_set(0.0);
    int lanes = evaluate(s, packet, h) & iso_bvh_leaf_lanes(&s->field->tree, leaf);
    if (lanes == 0) {
        return 0;
    }
    out->packet = packet;
    out->tets = &s->field->tree.elements[leaf * ISO_BVH_LEAF_SIZE];
    for (int i = 0; i < 3; ++i) {
        g[i] = iso_wide_load(packet->gradient[i]);
    }
    if (!s->is_rigid) { // as Drake does, faces on a rigid plane are never culled
        lanes &= equal_pressure_normals(s, g, normal);
        put_turned(s, normal, zero, out->normals[0], 4);
        put_axes(out);
    }
    put_turned(s, g, zero, out->gradients[0], 4);
    for (int corner = 0; corner < 4; ++corner) {
        iso_wide x[3];
        for (int axis = 0; axis < 3; ++axis) {
            x[axis] = iso_wide_load(packet->vertices[corner][axis]);
        }
        put_turned(s, x, iso_wide_load(packet->pressures[corner]), out->corners[0][corner], 16);
    }
    put_lanes(h, out->h[0], 4);
    return lanes;
}

// Slice one tetrahedron in its own frame, with all that may happen to a polygon: cut off where the
// pressure is below the least, vertices that coincide.
static bool put_any_slice(const slicer* s, const slice_packet* ready, int lane) {
    const iso_tet_packet* packet = ready->packet;
    iso_vec3 g0 = {packet->gradient[0][lane], packet->gradient[1][lane], packet->gradient[2][lane]};
    iso_vec3 rise = iso_vec3_sub(g0, s->gradient_1);
    iso_vec3 normal = s->is_rigid ? s->normal : iso_vec3_neg(iso_vec3_normalized(rise));
    double corners[4][4];
    for (int i = 0; i < 4; ++i) {
        corners[i][0] = packet->vertices[i][0][lane];
        corners[i][1] = packet->vertices[i][1][lane];
        corners[i][2] = packet->vertices[i][2][lane];
        corners[i][3] = packet->pressures[i][lane];
    }
    iso_clip_polygon first, second;
    iso_clip_polygon* polygon = &first;
    iso_clip_slice_tet(corners, ready->h[lane], polygon);
    bool is_below = false;
    for (int i = 0; i < polygon->count; ++i) {
        double over = polygon->v[i].x[3] - s->least;
        iso_wide_store(polygon->v[i].d, iso_wide_set(over));
        is_below = is_below || over < 0.0;
    }
    if (is_below) {
        iso_clip_plane(polygon, 0, &second);
        polygon = &second;
    }
    if (polygon->count < 3 || iso_clip_clean(polygon) < 3) {
        return true;
    }
    iso_face_side side_0 = {g0, ready->tets[lane]};
    iso_face_side side_1 = {s->gradient_1, -1};
    return iso_face_list_add(s->list, polygon, normal, &side_0, &side_1);
}

static bool is_any_below(const iso_wide v[4], double least) {
    iso_wide low = iso_wide_min(iso_wide_min(v[0], v[1]), iso_wide_min(v[2], v[3]));
    return iso_wide_last(low) < least;
}

static void put_fan(const slicer* s, const slice_packet* ready, int lane, const iso_wide v[4],
                    int count, iso_wide centroid) {
    bool is_swapped = s->list->frame.is_swapped;
    iso_wide normal = iso_wide_load(ready->normals[lane]);
    iso_wide gradient_0 = iso_wide_load(ready->gradients[lane]);
    int tet = ready->tets[lane];
    iso_face_facts facts = {is_swapped ? iso_wide_neg(normal) : normal,
                            is_swapped ? s->gradient_1_w : gradient_0,
                            is_swapped ? gradient_0 : s->gradient_1_w,
                            {is_swapped ? -1 : tet, is_swapped ? tet : -1}};
    double stored[4][4];
    for (int k = 0; k < 4; ++k) {
        iso_wide_store(stored[k], v[k]);
    }
    iso_face_put_fan(s->list, stored, count, normal, centroid, &facts);
}

// Write a polygon of 3 or 4 vertices; what all faces share is filled in at the end.
static inline void put_quad(const slicer* s, const slice_packet* ready, int lane,
                            const iso_wide v[4], int count, iso_wide centroid, double area) {
    iso_face_list* list = s->list;
    const iso_face_columns to = list->to;
    int face = list->face_count, vertex = list->vertex_count;
    iso_wide origin = list->origin, columns[4];
    for (int k = 0; k < 4; ++k) { // of a triangle the last will be written over
        columns[k] = v[k];
        iso_face_put(&to.vertices[vertex + k], iso_wide_add(v[k], origin));
    }
    iso_wide most = iso_wide_max(iso_wide_max(v[0], v[1]), iso_wide_max(v[2], v[3]));
    list->max_pressure = iso_wide_max(most, list->max_pressure);
    iso_wide_transpose(columns);
    iso_wide_store(&to.vertex_pressures[vertex], columns[3]);
    to.face_offsets[face + 1] = vertex + count;
    to.areas[face] = area;
    to.pressures[face] = iso_wide_last(centroid);
    iso_face_put(&to.centroids[face], iso_wide_add(centroid, origin));
    bool is_swapped = list->frame.is_swapped;
    iso_vec3* gradients = is_swapped ? to.gradients_b : to.gradients_a;
    iso_face_put(&gradients[face], iso_wide_load(ready->gradients[lane]));
    int tet = ready->tets[lane];
    to.elements[face].a = is_swapped ? -1 : tet;
    to.elements[face].b = is_swapped ? tet : -1;
    if (!s->is_rigid) {
        iso_wide normal = iso_wide_load(ready->normals[lane]);
        iso_face_put(&to.normals[face], is_swapped ? iso_wide_neg(normal) : normal);
    }
    list->face_count = face + 1;
    list->vertex_count = vertex + count;
}

// Slice a tetrahedron. The polygon has 4 vertices, of which the last two are one when it is a
// triangle, or the first two when it goes backward.
static inline bool put_slice(const slicer* s, const slice_packet* ready, int lane,
                             const iso_clip_edges slices[16], bool is_backward) {
    iso_wide h = iso_wide_load(ready->h[lane]), v[4];
    int signs = iso_wide_bits(iso_wide_greater(h, iso_wide_set(0.0)));
    const iso_clip_edges* edges = &slices[signs];
    iso_wide from = iso_wide_pick(h, &edges->from), to = iso_wide_pick(h, &edges->to);
    double t[4];
    iso_wide_store(t, iso_wide_div(from, iso_wide_sub(from, to)));
    const double* corners = ready->corners[lane][0];
    for (int k = 0; k < 4; ++k) {
        iso_wide a = iso_wide_load(corners + edges->from_at[k]);
        iso_wide b = iso_wide_load(corners + edges->to_at[k]);
        v[k] = iso_wide_mul_add(iso_wide_set(t[k]), iso_wide_sub(b, a), a);
    }
    // The same fan whichever way the vertices go. Of a triangle one part is zero.
    iso_wide first = is_backward ? v[3] : v[0];
    iso_wide a = iso_wide_sub(is_backward ? v[2] : v[1], first);
    iso_wide b = iso_wide_sub(is_backward ? v[1] : v[2], first);
    iso_wide c = iso_wide_sub(is_backward ? v[0] : v[3], first);
    iso_wide axis = iso_wide_load(ready->axes[lane]);
    double ab = iso_face_twice_area(axis, a, b), bc = iso_face_twice_area(axis, b, c);
    iso_wide sum = iso_wide_mul_add(iso_wide_set(bc), iso_wide_add(b, c),
                                    iso_wide_mul(iso_wide_set(ab), iso_wide_add(a, b)));
    iso_wide centroid = iso_wide_mul_add(sum, iso_wide_set((1.0 / 3.0) / (ab + bc)), first);
    double whole = is_backward ? bc : ab, part = is_backward ? ab : bc;
    bool is_clear = (whole > s->sliver) & ((part > s->sliver) | (edges->count == 3));
    if (!is_clear || (!s->is_rigid && is_any_below(v, s->least))) {
        return put_any_slice(s, ready, lane);
    }
    if (s->list->is_fan) {
        put_fan(s, ready, lane, v, edges->count, centroid);
    } else {
        put_quad(s, ready, lane, v, edges->count, centroid, 0.5 * (ab + bc));
    }
    return true;
}

// Slice the tetrahedra of all leaves.
static bool put_leaves(const slicer* s, const int* leaves, int count, slice_packet* ready) {
    bool is_backward = s->list->frame.is_swapped && !s->list->is_fan;
    bool ok = true;
    for (int i = 0; i < count && ok; ++i) {
        int lanes = prepare_packet(s, leaves[i], ready);
        ok = iso_face_has_room(s->list, ISO_WIDE_LANES, 4 * ISO_WIDE_LANES);
        for (int lane = 0; lane < ISO_WIDE_LANES && ok; ++lane) {
            if (lanes >> lane & 1) {
                ok = put_slice(s, ready, lane, iso_clip_slices[is_backward], is_backward);
            }
        }
    }
    return ok;
}

static void fill_shared(const slicer* s, const slice_packet* ready, int begin) {
    const iso_face_list* list = s->list;
    bool is_swapped = list->frame.is_swapped;
    if (s->is_rigid) {
        iso_wide normal = iso_wide_load(ready->normals[0]);
        iso_face_fill(list->to.normals, begin, list->face_count,
                      is_swapped ? iso_wide_neg(normal) : normal);
    }
    iso_face_fill(is_swapped ? list->to.gradients_a : list->to.gradients_b, begin, list->face_count,
                  s->gradient_1_w);
}

static slicer slicer_make(iso_face_list* list, const iso_field* field,
                          const iso_half_space* half_space, const iso_pose* x_01, iso_cull cull) {
    bool is_rigid = half_space->slope == 0.0;
    iso_vec3 up = iso_mat3_column(&x_01->r, 2);
    double factor = is_rigid ? -1.0 : -half_space->slope;
    double size = field->size;
    slicer s = {.list = list, .field = field, .cull = cull, .is_rigid = is_rigid};
    s.f = (iso_affine){iso_vec3_scale(up, factor), -factor * iso_vec3_dot(up, x_01->p)};
    s.least = is_rigid ? -INFINITY : half_space->least;
    s.sliver = size * (SLIVER_PER_SIZE + SLIVER_PER_SIZE_SQUARED * size);
    s.normal = iso_vec3_neg(up);
    s.gradient_1 = is_rigid ? iso_vec3_zero() : s.f.gradient;
    s.gradient_1_w = iso_face_turn(list, s.gradient_1.x, s.gradient_1.y, s.gradient_1.z);
    spread_turn(&s);
    return s;
}

iso_status iso_collect_field_half_space(iso_face_list* list, const iso_field* field,
                                        const iso_half_space* half_space, const iso_pose* x_01,
                                        iso_cull cull) {
    iso_status status = ISO_OK;
    slicer s = slicer_make(list, field, half_space, x_01, cull);
    int begin = list->face_count;
    int* leaves;
    int leaf_count;
    ISO_TRY(
        iso_bvh_cut(list->arena, &field->tree, s.f, 0.0, 0.0, !s.is_rigid, &leaves, &leaf_count));
    if (leaf_count == 0) {
        return ISO_OK;
    }
    slice_packet ready;
    for (int lane = 0; lane < ISO_WIDE_LANES; ++lane) {
        iso_wide_store(ready.normals[lane],
                       iso_face_turn(list, s.normal.x, s.normal.y, s.normal.z));
    }
    put_axes(&ready);
    bool ok =
        iso_face_list_reserve(list, ISO_WIDE_LANES * leaf_count, 4 * ISO_WIDE_LANES * leaf_count) &&
        put_leaves(&s, leaves, leaf_count, &ready);
    ISO_CHECK(list->arena->ctx, ok, ISO_ERR_MEMORY, "contact polygons");
    fill_shared(&s, &ready, begin);

done:
    return status;
}
