// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "surface/kernels/kernels.h"

#include "base/core/fail.h"
#include "surface/faces/fan_writer.h"

// Vertices coincide within 1e-13 of the body's size along every axis (iso_clip_clean). A triangle
// with two such vertices has less than this share of the size squared as its area, with rounding.
#define SLIVER_SHARE 1.1e-12
// A field cut by a half space: tetrahedra are sliced where h = 0, which rises into the field.
// Rigid: h = -f, the depth below the plane. Compliant: h = pressure - f, f the half space's.
typedef struct slicer {
    iso_face_list* list;
    const iso_field* field;
    iso_cull cull;
    bool is_rigid;
    bool is_backward;    // the vertices of polygons go as B sees them
    iso_affine f;        // in frame 0
    double least;        // pressures below are cut off
    double sliver;       // triangles of twice this area or less may have coincident corners [m^2]
    iso_vec3 normal;     // of a rigid plane, out of body 0
    iso_vec3 gradient_1; // of the half space; in W:
    iso_double4 gradient_1_w;
    iso_double4 normal_w; // of a rigid plane, and its components spread over lanes
    iso_double4 normals[3];
    iso_double4 turn[3][3]; // rotation of body 0
    iso_double4 fall[4];    // gradient and offset of -f
    iso_double4 high;       // largest pressures of packets put so far
} slicer;

// A tetrahedron that h = 0 cuts, its corners side by side: in W relative to the origin of body 0.
typedef struct cut_tet {
    iso_double4 h;
    iso_double4 corners[4]; // (x, y, z, p)
    const iso_field_cell* cell;
    int element;
    int signs; // bit i: h > 0 at corner i
} cut_tet;

// Tetrahedra are found in batches: the steps of one wait long for each other.
#define MOST_TETS 16

// Cells are fetched into the cache this many leaves ahead: the leaves that a plane cuts lie too far
// apart for the processor to foresee.
#define LEAVES_AHEAD 8

// Four slices side by side. A slice has 4 vertices, of which the last two are one when it is a
// triangle, or the first two when it goes backward.
typedef struct slice_packet {
    const cut_tet* tets;               // [4]
    int counts[ISO_DOUBLE4_LANES];     // of vertices
    double v[ISO_DOUBLE4_LANES][4][4]; // [slice][vertex][x, y, z, p], only for fans
    iso_double4 normal[3];             // out of body 0
    iso_double4 high;                  // largest pressure at the vertices
    iso_double4 centroid[4];           // (x, y, z, p)
    iso_double4 twice_area;
} slice_packet;

// As Drake does, faces on a rigid plane are never culled.
static inline bool is_kept(const slicer* s, const iso_field_cell* cell) {
    iso_vec3 g = cell->piece.gradient, rise = iso_vec3_sub(g, s->gradient_1);
    return iso_cull_keeps(s->cull, rise, g) &&
           iso_cull_keeps(s->cull, iso_vec3_neg(rise), s->gradient_1);
}

// Have the cache bring what is read of the cells of a leaf, which may lie across two lines.
static inline void fetch_leaf(const iso_field* field, int leaf) {
    int begin = leaf * ISO_BVH_LEAF_SIZE, end = begin + ISO_BVH_LEAF_SIZE;
    end = end < field->mesh.tet_count ? end : field->mesh.tet_count;
    for (int k = begin; k < end; ++k) {
        __builtin_prefetch(field->cells[k].corners);
        __builtin_prefetch(&field->cells[k].piece.gradient.z);
    }
}

// Find h and the corners in all tetrahedra of leaves from *leaf on, until there is no room for
// those of another one; appends those in which h takes both signs and that are not culled.
static inline int find_tets(const slicer* s, bool is_rigid, const int* leaves, int leaf_count,
                            int* leaf, cut_tet* tets, int count) {
    const iso_field* field = s->field;
    const iso_field_point* points = field->points;
    const iso_field_cell* cells = field->cells;
    const int* elements = field->tree.elements;
    const iso_double4 turn[3][3] = {{s->turn[0][0], s->turn[0][1], s->turn[0][2]},
                                    {s->turn[1][0], s->turn[1][1], s->turn[1][2]},
                                    {s->turn[2][0], s->turn[2][1], s->turn[2][2]}};
    const iso_double4 fall[4] = {s->fall[0], s->fall[1], s->fall[2], s->fall[3]};
    const int tet_count = field->mesh.tet_count;
    int i = *leaf;
    for (; i < leaf_count && count <= MOST_TETS - ISO_BVH_LEAF_SIZE; ++i) {
        int begin = leaves[i] * ISO_BVH_LEAF_SIZE, end = begin + ISO_BVH_LEAF_SIZE;
        end = end < tet_count ? end : tet_count;
        if (i + LEAVES_AHEAD < leaf_count) {
            fetch_leaf(field, leaves[i + LEAVES_AHEAD]);
        }
        for (int k = begin; k < end; ++k) {
            const iso_field_cell* cell = &cells[k];
            cut_tet* out = &tets[count];
            iso_double4 x[4];
            for (int corner = 0; corner < 4; ++corner) {
                x[corner] = iso_double4_load(points[cell->corners[corner]].x);
            }
            iso_double4_transpose(x);
            for (int axis = 0; axis < 3; ++axis) {
                iso_double4 w = iso_double4_mul(turn[axis][0], x[0]);
                w = iso_double4_mul_add(turn[axis][1], x[1], w);
                out->corners[axis] = iso_double4_mul_add(turn[axis][2], x[2], w);
            }
            out->corners[3] = x[3];
            iso_double4 h = iso_double4_mul_add(fall[0], x[0], fall[3]);
            h = iso_double4_mul_add(fall[1], x[1], h);
            h = iso_double4_mul_add(fall[2], x[2], h);
            if (!is_rigid) {
                h = iso_double4_add(x[3], h);
            }
            int signs = iso_double4_bits(iso_double4_greater(h, iso_double4_set(0.0)));
            out->h = h;
            out->cell = cell;
            out->element = elements[k];
            out->signs = signs;
            count += (unsigned)(signs - 1) < 14U && (is_rigid || is_kept(s, cell));
        }
    }
    *leaf = i;
    return count;
}

// Slice one tetrahedron in its own frame, with all that may happen to a polygon: cut off where the
// pressure is below the least, vertices that coincide.
static bool put_any_slice(const slicer* s, const cut_tet* tet) {
    const iso_field_cell* cell = tet->cell;
    iso_vec3 g0 = cell->piece.gradient;
    iso_vec3 rise = iso_vec3_sub(g0, s->gradient_1);
    iso_vec3 normal = s->is_rigid ? s->normal : iso_vec3_neg(iso_vec3_normalized(rise));
    double corners[4][4], h[4];
    iso_double4_store(h, tet->h);
    for (int i = 0; i < 4; ++i) {
        iso_double4_store(corners[i], iso_double4_load(s->field->points[cell->corners[i]].x));
    }
    iso_clip_polygon first, second;
    iso_clip_polygon* polygon = &first;
    iso_clip_slice_tet(corners, h, polygon);
    bool is_below = false;
    for (int i = 0; i < polygon->count; ++i) {
        double over = polygon->v[i].x[3] - s->least;
        iso_double4_store(polygon->v[i].d, iso_double4_set(over));
        is_below = is_below || over < 0.0;
    }
    if (is_below) {
        iso_clip_plane(polygon, 0, &second);
        polygon = &second;
    }
    if (polygon->count < 3 || iso_clip_clean(polygon, s->list->near) < 3) {
        return true;
    }
    iso_face_side side_0 = {g0, tet->element};
    iso_face_side side_1 = {s->gradient_1, -1};
    return iso_face_list_add(s->list, polygon, normal, &side_0, &side_1);
}

// The vertices of a slice side by side, (x, y, z, p).
static inline void cut_slice(const cut_tet* tet, const iso_clip_edges* edges, iso_double4 out[4]) {
    iso_double4 from = iso_double4_pick(tet->h, &edges->from),
                to = iso_double4_pick(tet->h, &edges->to);
    iso_double4 t = iso_double4_div(from, iso_double4_sub(from, to));
    for (int i = 0; i < 4; ++i) {
        iso_double4 a = iso_double4_pick(tet->corners[i], &edges->from);
        iso_double4 b = iso_double4_pick(tet->corners[i], &edges->to);
        out[i] = iso_double4_mul_add(t, iso_double4_sub(b, a), a);
    }
}

// Write the vertices v[slice][x, y, z, p], which nobody sees until they are counted; of a triangle
// the last is written over.
static inline void put_slice_vertices(const iso_face_list* list, iso_double4 v[][4],
                                      const int counts[]) {
    iso_vec3* out = list->to.vertices + list->vertex_count;
    double* out_pressures = list->to.vertex_pressures + list->vertex_count;
    double at[4];
    iso_double4_store(at, list->origin);
    const iso_double4 origin[3] = {iso_double4_set(at[0]), iso_double4_set(at[1]),
                                   iso_double4_set(at[2])};
    for (int lane = 0; lane < ISO_DOUBLE4_LANES; ++lane) {
        iso_double4_store_xyz(&out->x, iso_double4_add(v[lane][0], origin[0]),
                              iso_double4_add(v[lane][1], origin[1]),
                              iso_double4_add(v[lane][2], origin[2]));
        iso_double4_store(out_pressures, v[lane][3]);
        out += counts[lane];
        out_pressures += counts[lane];
    }
}

static inline iso_double4 turned_gradient(const slicer* s, const cut_tet* tet) {
    const iso_vec3* g = &tet->cell->piece.gradient;
    return iso_face_turn(s->list, g->x, g->y, g->z);
}

static inline void find_normals(const slicer* s, slice_packet* p) {
    if (s->is_rigid) {
        for (int i = 0; i < 3; ++i) {
            p->normal[i] = s->normals[i];
        }
        return;
    }
    iso_double4 rise[4];
    for (int lane = 0; lane < ISO_DOUBLE4_LANES; ++lane) {
        rise[lane] = iso_double4_sub(turned_gradient(s, &p->tets[lane]), s->gradient_1_w);
    }
    iso_double4_transpose(rise);
    iso_double4 squared = iso_double4_add(
        iso_double4_add(iso_double4_mul(rise[0], rise[0]), iso_double4_mul(rise[2], rise[2])),
        iso_double4_mul(rise[1], rise[1]));
    iso_double4 scale = iso_double4_div(iso_double4_set(-1.0), iso_double4_sqrt(squared));
    for (int i = 0; i < 3; ++i) {
        p->normal[i] = iso_double4_mul(scale, rise[i]);
    }
}

// Measure four slices with vertices v[vertex][x, y, z, p]; returns the lanes in which nothing can
// have happened to the polygon. As a fan about the same vertex whichever way the vertices go; of a
// triangle one part is zero.
static inline int measure_slices(const slicer* s, slice_packet* p, iso_double4 v[4][4]) {
    iso_double4 parts[2];
    p->twice_area = iso_face_measure_four(p->normal, v, parts, p->centroid);
    // A triangle has its area in the part about its three different vertices.
    int triangles = 0;
    for (int lane = 0; lane < ISO_DOUBLE4_LANES; ++lane) {
        triangles |= (p->counts[lane] == 3) << lane;
    }
    iso_double4 sliver = iso_double4_set(s->sliver);
    int firsts = iso_double4_bits(iso_double4_greater(parts[0], sliver));
    int seconds = iso_double4_bits(iso_double4_greater(parts[1], sliver));
    iso_double4 low =
        iso_double4_min(iso_double4_min(v[0][3], v[1][3]), iso_double4_min(v[2][3], v[3][3]));
    return (s->is_backward ? seconds & (firsts | triangles) : firsts & (seconds | triangles)) &
           iso_double4_bits(iso_double4_greater_equal(low, iso_double4_set(s->least)));
}

// Cut and measure; as measure_slices(). Vertices are written before anyone knows whether they stay.
static inline int cut_packet(const slicer* s, slice_packet* p) {
    const iso_clip_edges* edges = iso_clip_slices[s->is_backward];
    iso_double4 v[4][4];
    for (int lane = 0; lane < ISO_DOUBLE4_LANES; ++lane) {
        const cut_tet* tet = &p->tets[lane];
        cut_slice(tet, &edges[tet->signs], v[lane]);
        p->counts[lane] = edges[tet->signs].count;
    }
    if (s->list->is_fan) {
        for (int lane = 0; lane < ISO_DOUBLE4_LANES; ++lane) {
            iso_double4 turned[4] = {v[lane][0], v[lane][1], v[lane][2], v[lane][3]};
            iso_double4_transpose(turned);
            for (int k = 0; k < 4; ++k) {
                iso_double4_store(p->v[lane][k], turned[k]);
            }
        }
    } else {
        put_slice_vertices(s->list, v, p->counts);
    }
    iso_double4 columns[4][4];
    for (int i = 0; i < 4; ++i) {
        iso_double4 column[4];
        for (int lane = 0; lane < ISO_DOUBLE4_LANES; ++lane) {
            column[lane] = v[lane][i];
        }
        iso_double4_transpose(column);
        for (int k = 0; k < 4; ++k) {
            columns[k][i] = column[k];
        }
    }
    p->high = iso_double4_max(iso_double4_max(columns[0][3], columns[1][3]),
                              iso_double4_max(columns[2][3], columns[3][3]));
    if (s->is_backward) {
        for (int i = 0; i < 4; ++i) {
            iso_double4 swap = columns[0][i];
            columns[0][i] = columns[3][i];
            columns[3][i] = swap;
            swap = columns[1][i];
            columns[1][i] = columns[2][i];
            columns[2][i] = swap;
        }
    }
    find_normals(s, p);
    return measure_slices(s, p, columns);
}

// Write the first faces of a packet, whose vertices are in place. What all faces share is filled in
// at the end.
static inline void put_faces(slicer* s, const slice_packet* p, int count) {
    iso_face_list* list = s->list;
    const iso_face_columns to = list->to;
    int face = list->face_count, vertex = list->vertex_count;
    const bool is_swapped = list->frame.is_swapped;
    iso_vec3* gradients = (is_swapped ? to.gradients_b : to.gradients_a) + face;
    const iso_double4 turn[3] = {list->turn[0], list->turn[1], list->turn[2]};
    const int not_a = is_swapped ? -1 : 0, not_b = ~not_a;
    int* ends = to.face_offsets + face + 1;
    iso_face_elements* elements = to.elements + face;
    double origin[4];
    iso_double4_store(origin, list->origin);
    s->high =
        iso_double4_max(iso_double4_select(iso_double4_first(count), p->high, s->high), s->high);
    for (int lane = 0; lane < ISO_DOUBLE4_LANES; ++lane) {
        vertex += p->counts[lane];
        ends[lane] = vertex;
        const cut_tet* tet = &p->tets[lane];
        elements[lane].a = tet->element | not_a;
        elements[lane].b = tet->element | not_b;
        const iso_vec3* g = &tet->cell->piece.gradient;
        iso_double4 gradient = iso_double4_mul(turn[0], iso_double4_set(g->x));
        gradient = iso_double4_mul_add(turn[1], iso_double4_set(g->y), gradient);
        iso_face_put(&gradients[lane],
                     iso_double4_mul_add(turn[2], iso_double4_set(g->z), gradient));
    }
    iso_double4_store(&to.areas[face], iso_double4_mul(iso_double4_set(0.5), p->twice_area));
    iso_double4_store(&to.pressures[face], p->centroid[3]);
    iso_double4_store_xyz(&to.centroids[face].x,
                          iso_double4_add(p->centroid[0], iso_double4_set(origin[0])),
                          iso_double4_add(p->centroid[1], iso_double4_set(origin[1])),
                          iso_double4_add(p->centroid[2], iso_double4_set(origin[2])));
    if (!s->is_rigid) {
        iso_double4 n[3];
        for (int i = 0; i < 3; ++i) {
            n[i] = is_swapped ? iso_double4_neg(p->normal[i]) : p->normal[i];
        }
        iso_double4_store_xyz(&to.normals[face].x, n[0], n[1], n[2]);
    }
    list->face_count = face + count;
    list->vertex_count = ends[count - 1];
}

// Not inline, and asked with a copy of a packet: polygons that stay whole are to be kept in
// registers.
__attribute__((noinline)) static void put_fans(const slicer* s, slice_packet* p, int count) {
    bool is_swapped = s->list->frame.is_swapped;
    iso_double4 normals[4] = {p->normal[0], p->normal[1], p->normal[2], iso_double4_set(0.0)};
    iso_double4_transpose(normals);
    iso_double4_transpose(p->centroid);
    for (int lane = 0; lane < count; ++lane) {
        int tet = p->tets[lane].element;
        iso_double4 gradient_0 = turned_gradient(s, &p->tets[lane]);
        iso_face_facts facts = {is_swapped ? iso_double4_neg(normals[lane]) : normals[lane],
                                is_swapped ? s->gradient_1_w : gradient_0,
                                is_swapped ? gradient_0 : s->gradient_1_w,
                                iso_face_elements_of(is_swapped, tet, -1)};
        iso_fan_put_polygon(s->list, p->v[lane], p->counts[lane], normals[lane], p->centroid[lane],
                            &facts);
    }
}

// Cut, measure and write up to four tetrahedra, in their order. There is room for four, and what is
// in it is lost.
static bool put_packet(slicer* s, cut_tet* tets, int count) {
    slice_packet p;
    p.tets = tets;
    bool ok = true;
    while (ok && count > 0) {
        for (int lane = count; lane < ISO_DOUBLE4_LANES; ++lane) {
            tets[lane] = tets[0];
        }
        if (!iso_face_has_room(s->list, ISO_DOUBLE4_LANES, 4 * ISO_DOUBLE4_LANES)) {
            return false;
        }
        int clear = cut_packet(s, &p), others = ((1 << count) - 1) & ~clear;
        int done = !others ? count : others & 1 ? 0 : others & 2 ? 1 : others & 4 ? 2 : 3;
        if (done > 0 && s->list->is_fan) {
            slice_packet fans = p; // a copy, so that polygons stay in registers
            put_fans(s, &fans, done);
        } else if (done > 0) {
            put_faces(s, &p, done);
        }
        while (ok && others >> done & 1) {
            ok = put_any_slice(s, &tets[done++]);
        }
        count -= done;
        for (int lane = 0; lane < count; ++lane) {
            tets[lane] = tets[lane + done];
        }
    }
    return ok;
}

// Slice the tetrahedra of all leaves.
static bool put_leaves(slicer* s, const int* leaves, int leaf_count) {
    cut_tet tets[MOST_TETS + ISO_DOUBLE4_LANES];
    int count = 0;
    bool ok = true;
    for (int i = 0; i < leaf_count && ok;) {
        count = s->is_rigid ? find_tets(s, true, leaves, leaf_count, &i, tets, count)
                            : find_tets(s, false, leaves, leaf_count, &i, tets, count);
        int begin = 0;
        for (; begin + ISO_DOUBLE4_LANES <= count && ok; begin += ISO_DOUBLE4_LANES) {
            ok = put_packet(s, &tets[begin], ISO_DOUBLE4_LANES);
        }
        if (i == leaf_count && ok) {
            ok = put_packet(s, &tets[begin], count - begin);
        }
        count -= begin;
        for (int k = 0; k < count; ++k) {
            tets[k] = tets[begin + k];
        }
    }
    return ok;
}

static void fill_shared(const slicer* s, int begin) {
    const iso_face_list* list = s->list;
    bool is_swapped = list->frame.is_swapped;
    if (s->is_rigid) {
        iso_face_fill(list->to.normals, begin, list->face_count,
                      is_swapped ? iso_double4_neg(s->normal_w) : s->normal_w);
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
    s.is_backward = list->frame.is_swapped && !list->is_fan;
    s.high = iso_double4_set(-INFINITY);
    s.least = is_rigid ? -INFINITY : half_space->least;
    s.sliver = SLIVER_SHARE * size * size;
    s.normal = iso_vec3_neg(up);
    s.gradient_1 = is_rigid ? iso_vec3_zero() : s.f.gradient;
    s.gradient_1_w = iso_face_turn(list, s.gradient_1.x, s.gradient_1.y, s.gradient_1.z);
    s.normal_w = iso_face_turn(list, s.normal.x, s.normal.y, s.normal.z);
    double n[4];
    iso_double4_store(n, s.normal_w);
    for (int i = 0; i < 3; ++i) {
        s.normals[i] = iso_double4_set(n[i]);
    }
    const double* g = &s.f.gradient.x;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            s.turn[i][j] = iso_double4_set(list->frame.x_w0.r.m[i][j]);
        }
        s.fall[i] = iso_double4_set(-g[i]);
    }
    s.fall[3] = iso_double4_set(-s.f.offset);
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
    list->work += leaf_count;
    if (leaf_count == 0) {
        return ISO_OK;
    }
    ISO_CHECK(list->arena->ctx,
              iso_face_list_reserve(list, ISO_DOUBLE4_LANES * (leaf_count + 1),
                                    4 * ISO_DOUBLE4_LANES * (leaf_count + 1)) &&
                  put_leaves(&s, leaves, leaf_count),
              ISO_ERR_MEMORY, "contact polygons");
    iso_face_add_max_pressure(list, s.high);
    fill_shared(&s, begin);

done:
    return status;
}
