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
    iso_wide normal_w; // of a rigid plane, and its components spread over lanes
    iso_wide normals[4];
    iso_wide turn[4]; // columns of the rotation of body 0, and nothing; fourth lanes: -f
} slicer;

// A tetrahedron and its slice: vectors in W relative to the origin of body 0, (x, y, z, p). A slice
// has 4 vertices, of which the last two are one when it is a triangle, or the first two when it
// goes backward.
typedef struct slice {
    int cell, tet; // index in the mesh
    int signs;     // bit i: h > 0 at corner i
    int count;     // vertices
    iso_wide h;
    iso_wide normal, gradient; // out of body 0; fourth lanes 0
    double corners[4][4];
    double v[4][4];
    double centroid[4];
    double twice_area;
} slice;

// Slices are found, cut, measured and written in turns: the steps of one wait long for each other.
#define MOST_SLICES 16

// Find h and the corners; false when h does not take both signs.
static inline bool evaluate(const slicer* s, const iso_field_cell* cell, bool is_rigid,
                            slice* out) {
    const iso_field_point* points = s->field->points;
    iso_wide w[4], p[4];
    for (int corner = 0; corner < 4; ++corner) {
        const double* x = points[cell->corners[corner]].x;
        w[corner] = iso_wide_mul_add(s->turn[0], iso_wide_set(x[0]), s->turn[3]);
        w[corner] = iso_wide_mul_add(s->turn[1], iso_wide_set(x[1]), w[corner]);
        w[corner] = iso_wide_mul_add(s->turn[2], iso_wide_set(x[2]), w[corner]);
        p[corner] = iso_wide_load(x);
        iso_wide_store(out->corners[corner], iso_wide_with_last(w[corner], p[corner]));
    }
    out->h = iso_wide_lasts(w);
    out->h = is_rigid ? out->h : iso_wide_add(iso_wide_lasts(p), out->h);
    out->signs = iso_wide_bits(iso_wide_greater(out->h, iso_wide_set(0.0)));
    return (out->signs != 0) & (out->signs != 15);
}

// Find gradient and normal; false when the face is culled, or has no normal.
static inline bool prepare(const slicer* s, const iso_field_cell* cell, bool is_rigid, slice* out) {
    iso_vec3 g = cell->piece.gradient;
    out->gradient = iso_face_turn(s->list, g.x, g.y, g.z);
    if (is_rigid) { // as Drake does, faces on a rigid plane are never culled
        out->normal = s->normal_w;
        return true;
    }
    iso_wide rise = iso_wide_sub(out->gradient, s->gradient_1_w);
    double squared = iso_wide_sum(iso_wide_mul(rise, rise));
    out->normal = iso_wide_mul(iso_wide_set(-1.0 / sqrt(squared)), rise);
    iso_vec3 rise_0 = iso_vec3_sub(g, s->gradient_1);
    return squared > 0.0 && iso_cull_keeps(s->cull, rise_0, g) &&
           iso_cull_keeps(s->cull, iso_vec3_neg(rise_0), s->gradient_1);
}

// Slice one tetrahedron in its own frame, with all that may happen to a polygon: cut off where the
// pressure is below the least, vertices that coincide.
static bool put_any_slice(const slicer* s, const iso_field_cell* cell, const slice* ready) {
    iso_vec3 g0 = cell->piece.gradient;
    iso_vec3 rise = iso_vec3_sub(g0, s->gradient_1);
    iso_vec3 normal = s->is_rigid ? s->normal : iso_vec3_neg(iso_vec3_normalized(rise));
    double corners[4][4], h[4];
    iso_wide_store(h, ready->h);
    for (int i = 0; i < 4; ++i) {
        iso_wide_store(corners[i], iso_wide_load(s->field->points[cell->corners[i]].x));
    }
    iso_clip_polygon first, second;
    iso_clip_polygon* polygon = &first;
    iso_clip_slice_tet(corners, h, polygon);
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
    iso_face_side side_0 = {g0, ready->tet};
    iso_face_side side_1 = {s->gradient_1, -1};
    return iso_face_list_add(s->list, polygon, normal, &side_0, &side_1);
}

static void put_fan(const slicer* s, slice* ready) {
    bool is_swapped = s->list->frame.is_swapped;
    iso_wide normal = ready->normal, gradient_0 = ready->gradient;
    int tet = ready->tet;
    iso_face_facts facts = {is_swapped ? iso_wide_neg(normal) : normal,
                            is_swapped ? s->gradient_1_w : gradient_0,
                            is_swapped ? gradient_0 : s->gradient_1_w,
                            {is_swapped ? -1 : tet, is_swapped ? tet : -1}};
    iso_face_put_fan(s->list, ready->v, ready->count, normal, iso_wide_load(ready->centroid),
                     &facts);
}

// Write a polygon of 3 or 4 vertices; what all faces share is filled in at the end.
static inline void put_quad(const slicer* s, const slice* ready, bool is_rigid) {
    iso_face_list* list = s->list;
    const iso_face_columns to = list->to;
    int face = list->face_count, vertex = list->vertex_count;
    iso_wide origin = list->origin, v[4], centroid = iso_wide_load(ready->centroid);
    for (int k = 0; k < 4; ++k) { // of a triangle the last will be written over
        v[k] = iso_wide_load(ready->v[k]);
        iso_face_put(&to.vertices[vertex + k], iso_wide_add(v[k], origin));
    }
    iso_wide most = iso_wide_max(iso_wide_max(v[0], v[1]), iso_wide_max(v[2], v[3]));
    list->max_pressure = iso_wide_max(most, list->max_pressure);
    iso_wide_store(&to.vertex_pressures[vertex], iso_wide_lasts(v));
    to.face_offsets[face + 1] = vertex + ready->count;
    to.areas[face] = 0.5 * ready->twice_area;
    to.pressures[face] = ready->centroid[3];
    iso_face_put(&to.centroids[face], iso_wide_add(centroid, origin));
    bool is_swapped = list->frame.is_swapped;
    iso_vec3* gradients = is_swapped ? to.gradients_b : to.gradients_a;
    iso_face_put(&gradients[face], ready->gradient);
    to.elements[face].a = is_swapped ? -1 : ready->tet;
    to.elements[face].b = is_swapped ? ready->tet : -1;
    if (!is_rigid) {
        iso_face_put(&to.normals[face], is_swapped ? iso_wide_neg(ready->normal) : ready->normal);
    }
    list->face_count = face + 1;
    list->vertex_count = vertex + ready->count;
}

static inline void cut_slice(slice* ready, bool is_backward) {
    const iso_clip_edges* edges = &iso_clip_slices[is_backward][ready->signs];
    iso_wide from = iso_wide_pick(ready->h, &edges->from), to = iso_wide_pick(ready->h, &edges->to);
    double t[4];
    iso_wide_store(t, iso_wide_div(from, iso_wide_sub(from, to)));
    const double* corners = ready->corners[0];
    for (int k = 0; k < 4; ++k) {
        iso_wide a = iso_wide_load(corners + edges->from_at[k]);
        iso_wide b = iso_wide_load(corners + edges->to_at[k]);
        iso_wide_store(ready->v[k], iso_wide_mul_add(iso_wide_set(t[k]), iso_wide_sub(b, a), a));
    }
    ready->count = edges->count;
}

// Twice the areas of triangles with a corner at the origin, seen along normals.
static iso_wide twice_area(const iso_wide n[3], const iso_wide a[4], const iso_wide b[4]) {
    iso_wide area = iso_wide_set(0.0);
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        iso_wide cross = iso_wide_sub(iso_wide_mul(a[j], b[k]), iso_wide_mul(a[k], b[j]));
        area = iso_wide_mul_add(n[i], cross, area);
    }
    return area;
}

// Measure four slices; returns the lanes in which nothing can have happened to the polygon. As a
// fan about the same vertex whichever way the vertices go; of a triangle one part is zero.
static inline int measure_four(const slicer* s, slice* const four[4], bool is_rigid,
                               bool is_backward) {
    iso_wide v[4][4], n[4], sum[4];
    double areas[4];
    iso_wide low = iso_wide_set(INFINITY);
    for (int k = 0; k < 4; ++k) {
        for (int lane = 0; lane < 4; ++lane) {
            v[k][lane] = iso_wide_load(four[lane]->v[is_backward ? 3 - k : k]);
        }
        iso_wide_transpose(v[k]);
        low = iso_wide_min(low, v[k][3]);
    }
    for (int lane = 0; lane < 4; ++lane) {
        n[lane] = is_rigid ? s->normals[lane] : four[lane]->normal;
    }
    if (!is_rigid) {
        iso_wide_transpose(n);
    }
    for (int k = 1; k < 4; ++k) {
        for (int i = 0; i < 4; ++i) {
            v[k][i] = iso_wide_sub(v[k][i], v[0][i]);
        }
    }
    iso_wide first = twice_area(n, v[1], v[2]), second = twice_area(n, v[2], v[3]);
    iso_wide both = iso_wide_add(first, second);
    iso_wide scale = iso_wide_div(iso_wide_set(1.0 / 3.0), both);
    for (int i = 0; i < 4; ++i) {
        sum[i] = iso_wide_mul(first, iso_wide_add(v[1][i], v[2][i]));
        sum[i] = iso_wide_mul_add(second, iso_wide_add(v[2][i], v[3][i]), sum[i]);
        sum[i] = iso_wide_mul_add(sum[i], scale, v[0][i]);
    }
    iso_wide_transpose(sum);
    iso_wide_store(areas, both);
    for (int lane = 0; lane < 4; ++lane) {
        iso_wide_store(four[lane]->centroid, sum[lane]);
        four[lane]->twice_area = areas[lane];
    }
    // A triangle has its area in the part about its three different vertices.
    iso_wide_mask is_whole =
        iso_wide_greater(is_backward ? second : first, iso_wide_set(s->sliver));
    iso_wide_mask is_part = iso_wide_greater(is_backward ? first : second, iso_wide_set(s->sliver));
    int triangles = 0;
    for (int lane = 0; lane < 4; ++lane) {
        triangles |= (four[lane]->count == 3) << lane;
    }
    int clear = iso_wide_bits(is_whole) & (iso_wide_bits(is_part) | triangles);
    if (!is_rigid) {
        clear &= iso_wide_bits(iso_wide_greater_equal(low, iso_wide_set(s->least)));
    }
    return clear;
}

// Cut, measure and write a batch of slices.
static inline bool put_slices(const slicer* s, slice* slices, int count, bool is_rigid,
                              bool is_backward) {
    bool ok = iso_face_has_room(s->list, count, 4 * count);
    for (int i = 0; i < count; ++i) {
        cut_slice(&slices[i], is_backward);
    }
    for (int begin = 0; begin < count && ok; begin += 4) {
        int end = begin + 4 < count ? begin + 4 : count;
        slice* four[4];
        for (int lane = 0; lane < 4; ++lane) {
            four[lane] = &slices[begin + lane < end ? begin + lane : begin];
        }
        int clear = measure_four(s, four, is_rigid, is_backward);
        for (int i = begin; i < end && ok; ++i) {
            if (!(clear >> (i - begin) & 1)) {
                ok = put_any_slice(s, &s->field->cells[slices[i].cell], &slices[i]) &&
                     iso_face_has_room(s->list, count, 4 * count);
            } else if (s->list->is_fan) {
                put_fan(s, &slices[i]);
            } else {
                put_quad(s, &slices[i], is_rigid);
            }
        }
    }
    return ok;
}

// Slice the tetrahedra of all leaves.
static inline bool put_leaves(const slicer* s, const int* leaves, int count, bool is_rigid,
                              bool is_backward) {
    slice slices[MOST_SLICES];
    int slice_count = 0;
    bool ok = true;
    for (int i = 0; i < count && ok; ++i) {
        int begin = leaves[i] * ISO_BVH_LEAF_SIZE, end = begin + ISO_BVH_LEAF_SIZE;
        end = end < s->field->mesh.tet_count ? end : s->field->mesh.tet_count;
        for (int k = begin; k < end; ++k) {
            const iso_field_cell* cell = &s->field->cells[k];
            slice* ready = &slices[slice_count];
            ready->cell = k;
            ready->tet = s->field->tree.elements[k];
            bool is_cut = evaluate(s, cell, is_rigid, ready);
            slice_count += is_cut & prepare(s, cell, is_rigid, ready);
        }
        if (slice_count > MOST_SLICES - ISO_BVH_LEAF_SIZE || i + 1 == count) {
            ok = put_slices(s, slices, slice_count, is_rigid, is_backward);
            slice_count = 0;
        }
    }
    return ok;
}

// The same for each kind of slices, so that the kind is no question inside the loop.
static bool put_all(const slicer* s, const int* leaves, int count) {
    bool is_backward = s->list->frame.is_swapped && !s->list->is_fan;
    if (s->is_rigid) {
        return is_backward ? put_leaves(s, leaves, count, true, true)
                           : put_leaves(s, leaves, count, true, false);
    }
    return is_backward ? put_leaves(s, leaves, count, false, true)
                       : put_leaves(s, leaves, count, false, false);
}

static void fill_shared(const slicer* s, int begin) {
    const iso_face_list* list = s->list;
    bool is_swapped = list->frame.is_swapped;
    if (s->is_rigid) {
        iso_face_fill(list->to.normals, begin, list->face_count,
                      is_swapped ? iso_wide_neg(s->normal_w) : s->normal_w);
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
    s.normal_w = iso_face_turn(list, s.normal.x, s.normal.y, s.normal.z);
    double n[4];
    iso_wide_store(n, s.normal_w);
    for (int i = 0; i < 4; ++i) {
        s.normals[i] = iso_wide_set(n[i]);
    }
    const double* g = &s.f.gradient.x;
    for (int i = 0; i < 3; ++i) {
        s.turn[i] = iso_wide_with_last(list->turn[i], iso_wide_set(-g[i]));
    }
    s.turn[3] = iso_wide_make(0.0, 0.0, 0.0, -s.f.offset);
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
    ISO_CHECK(
        list->arena->ctx,
        iso_face_list_reserve(list, ISO_WIDE_LANES * leaf_count, 4 * ISO_WIDE_LANES * leaf_count) &&
            put_all(&s, leaves, leaf_count),
        ISO_ERR_MEMORY, "contact polygons");
    fill_shared(&s, begin);

done:
    return status;
}
