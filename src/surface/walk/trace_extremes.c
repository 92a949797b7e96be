// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "surface/walk/trace_extremes.h"

#include "field/structure/field_parts.h"
#include "field/structure/field_ring.h"
#include "surface/walk/trace_ray.h"

// A point this close to a cell, relative to the size of the bodies, may lie in it.
#define PADDING 1e-12
// Slopes this small, relative to the gradients, may be none; those of boxes, which are floats.
#define SLOPE_PADDING 1e-9
#define BOX_PADDING 1e-6
// Cells around a vertex of which more are not looked at: it counts as extreme.
#define MOST_AROUND 64
// Work of sending a line, in steps of a descent.
#define LINE_WORK 64

// Pairs of children among whose cells, and whose kinks, some gradients may be equal.
static int may_share_gradients(const void* user, const iso_bvh_expansion* e_0,
                               const iso_bvh_expansion* e_1) {
    const iso_extreme_search* s = user;
    const iso_field_turn* a = &s->cells->turns[e_0->slots[0] >> 1];
    const iso_field_turn* b = &s->kinks->marks.kink_turns[e_1->slots[0] >> 1];
    const iso_mat3* r = &s->x_ck.r;
    iso_double4 half_0[3], half_1[3], center_1[3], way[3], slack = iso_double4_set(s->box_slack);
    int hits = 15;
    for (int i = 0; i < 3; ++i) {
        half_0[i] = iso_bvh_lanes_0(a->half[i]);
        half_1[i] = iso_bvh_lanes_1(b->half[i]);
        center_1[i] = iso_bvh_lanes_1(b->center[i]);
    }
    for (int i = 0; i < 3; ++i) {
        iso_double4 c = iso_double4_neg(iso_bvh_lanes_0(a->center[i]));
        iso_double4 reach = iso_double4_add(half_0[i], slack);
        for (int j = 0; j < 3; ++j) {
            c = iso_double4_mul_add(iso_double4_set(r->m[i][j]), center_1[j], c);
            reach = iso_double4_mul_add(iso_double4_set(fabs(r->m[i][j])), half_1[j], reach);
        }
        way[i] = c;
        hits &= iso_double4_bits(iso_double4_less_equal(iso_double4_abs(c), reach));
    }
    for (int i = 0; i < 3 && hits != 0; ++i) {
        iso_double4 c = iso_double4_set(0.0), reach = iso_double4_add(half_1[i], slack);
        for (int j = 0; j < 3; ++j) {
            c = iso_double4_mul_add(iso_double4_set(r->m[j][i]), way[j], c);
            reach = iso_double4_mul_add(iso_double4_set(fabs(r->m[j][i])), half_0[j], reach);
        }
        hits &= iso_double4_bits(iso_double4_less_equal(iso_double4_abs(c), reach));
    }
    return hits;
}

static iso_vec3 corner_at(const iso_field* field, int cell, int corner) {
    const double* x = iso_field_corner(field, cell, corner);
    return iso_vec3_make(x[0], x[1], x[2]);
}

// What lies around a place: where it is both, the place is not extreme.
typedef struct surroundings {
    bool is_higher, is_lower;
} surroundings;

static void note(surroundings* around, double change, double slack) {
    around->is_higher |= change > slack;
    around->is_lower |= change < -slack;
}

// Whether the pressure less an affine function is locally extreme in a vertex.
static bool is_extreme_vertex(const iso_field* field, int cell, int corner, iso_vec3 gradient,
                              double slack) {
    int cells[MOST_AROUND], count = 1, vertex = field->cells[cell].corners[corner];
    const double* x = field->points[vertex].x;
    surroundings around = {false, false};
    cells[0] = cell;
    for (int i = 0; i < count; ++i) {
        const iso_field_cell* c = &field->cells[cells[i]];
        for (int k = 0; k < 4; ++k) {
            if (c->corners[k] == vertex) {
                continue;
            }
            const double* y = field->points[c->corners[k]].x;
            iso_vec3 way = iso_vec3_make(y[0] - x[0], y[1] - x[1], y[2] - x[2]);
            note(&around, y[3] - x[3] - iso_vec3_dot(gradient, way), slack * iso_vec3_norm(way));
            int next = c->neighbors[k], known = next < 0;
            for (int m = 0; m < count && !known; ++m) {
                known = cells[m] == next;
            }
            if (!known) {
                if (count == MOST_AROUND) {
                    return !around.is_higher || !around.is_lower;
                }
                cells[count++] = next;
            }
        }
        if (around.is_higher && around.is_lower) {
            return false;
        }
    }
    return true;
}

// An edge of one field.
typedef struct edge_of {
    const iso_field* field;
    int cell, i, j;
} edge_of;

// A face of the other one, not on the skin.
typedef struct face_of {
    const iso_field* field;
    int cell, face;
} face_of;

// Whether the pressure around an edge, less an affine one, is as asked for around a place of it.
static bool is_extreme_edge(const edge_of* e, iso_vec3 x, iso_vec3 gradient, double slack,
                            bool may_be_most, bool may_be_least, bool is_named_by_first) {
    iso_field_ring ring;
    iso_field_ring_kind kind = iso_field_ring_around(e->field, e->cell, e->i, e->j, &ring);
    if (kind != ISO_FIELD_RING_CLOSED) {
        return kind == ISO_FIELD_RING_LONG;
    }
    for (int k = 0; k < ring.count; ++k) {
        if (is_named_by_first && ring.cells[k] < e->cell) {
            return false;
        }
        const double* y = e->field->points[ring.spokes[k]].x;
        iso_vec3 way = iso_vec3_sub(iso_vec3_make(y[0], y[1], y[2]), x);
        iso_vec3 g = e->field->cells[ring.cells[k]].piece.gradient;
        double change = iso_vec3_dot(iso_vec3_sub(g, gradient), way);
        double most = slack * iso_vec3_norm(way);
        may_be_most = may_be_most && change <= most;
        may_be_least = may_be_least && change >= -most;
        if (!may_be_most && !may_be_least) {
            return false;
        }
    }
    return true;
}

// Whether an edge crosses a face in a place where the difference of the pressures is locally
// extreme: along the edge, where one is affine on either side, and around it, where the other is.
// @param x_fe        pose of the edge's field in the face's
// @param is_first    true: of the cells around the edge the first one counts
// @param out_place   the place, in the frame of the face
static bool is_extreme_crossing(const iso_extreme_search* s, const edge_of* e, const face_of* f,
                                const iso_pose* x_fe, bool is_first, iso_vec3* out_place) {
    const iso_field_cell* front = &f->field->cells[f->cell];
    iso_vec3 n = {front->planes[0][f->face], front->planes[1][f->face], front->planes[2][f->face]};
    iso_vec3 begin = corner_at(e->field, e->cell, e->i), end = corner_at(e->field, e->cell, e->j);
    iso_vec3 from = iso_pose_point(x_fe, begin), to = iso_pose_point(x_fe, end);
    double offset = front->planes[3][f->face];
    double d_from = iso_vec3_dot(n, from) + offset, d_to = iso_vec3_dot(n, to) + offset;
    double across = fabs(d_to - d_from);
    if (fmin(d_from, d_to) > s->padding || fmax(d_from, d_to) < -s->padding ||
        across <= 2.0 * s->padding) {
        return false;
    }
    iso_vec3 way = iso_vec3_sub(to, from);
    iso_vec3 g_front = front->piece.gradient;
    iso_vec3 g_back = f->field->cells[front->neighbors[f->face]].piece.gradient;
    double rise =
        iso_field_corner(e->field, e->cell, e->j)[3] - iso_field_corner(e->field, e->cell, e->i)[3];
    double length = iso_vec3_norm(way), slack = s->slack * length,
           sign = d_to > d_from ? 1.0 : -1.0;
    double in_front = sign * (rise - iso_vec3_dot(g_front, way)); // towards the front
    double behind = sign * (rise - iso_vec3_dot(g_back, way));
    bool may_be_most = in_front <= slack && behind >= -slack;
    bool may_be_least = in_front >= -slack && behind <= slack;
    if (!may_be_most && !may_be_least) {
        return false;
    }
    double t = fmin(1.0, fmax(0.0, -d_from / (d_to - d_from)));
    *out_place = iso_vec3_lerp(from, to, t);
    if (!iso_field_cell_contains(front, *out_place, s->padding * fmax(1.0, length / across))) {
        return false;
    }
    double turn = behind - in_front;
    double share = turn != 0.0 ? fmin(1.0, fmax(0.0, -in_front / turn)) : 0.0;
    iso_vec3 g = iso_vec3_lerp(g_front, g_back, share);
    return is_extreme_edge(e, iso_vec3_lerp(begin, end, t), iso_mat3_tmul_vec3(&x_fe->r, g),
                           s->slack, may_be_most, may_be_least, is_first);
}

// The bodies the other way round.
static bool pass_turned(void* user, int cell_1, int cell_0) {
    const iso_extreme_search* s = user;
    return s->fn(s->user, cell_0, cell_1);
}

// A line from a place, in the frame of the kinks, in both cells. Where rounding has it leave a body
// at once, it is looked for from afar.
static bool send_line(iso_extreme_search* s, int cell, int kink_cell, iso_vec3 from, iso_vec3 way,
                      bool* out_is_done) {
    bool is_turned = s->round == 1;
    iso_seed_fn fn = is_turned ? pass_turned : s->fn;
    void* user = is_turned ? s : s->user;
    s->work += LINE_WORK;
    return iso_seed_segment(s->cells, s->kinks, &s->x_ck, cell, kink_cell, from, way, fn, user,
                            out_is_done) &&
           (*out_is_done ||
            iso_seed_ray(s->arena, s->cells, s->kinks, &s->x_ck, iso_pose_point(&s->x_ck, from),
                         iso_mat3_mul_vec3(&s->x_ck.r, iso_vec3_normalized(way)), fn, user));
}

static iso_vec3 middle_of(const iso_field* field, int cell) {
    iso_vec3 sum = iso_vec3_zero();
    for (int i = 0; i < 4; ++i) {
        sum = iso_vec3_add_scaled(sum, corner_at(field, cell, i), 0.25);
    }
    return sum;
}

static bool send_from(iso_extreme_search* s, int cell, int kink_cell, iso_vec3 from) {
    bool is_done = false;
    return send_line(s, cell, kink_cell, from, iso_vec3_sub(middle_of(s->kinks, kink_cell), from),
                     &is_done);
}

// An affine function in the frame of the cells.
static iso_affine turn_affine(const iso_pose* x, iso_affine f) {
    iso_vec3 g = iso_mat3_mul_vec3(&x->r, f.gradient);
    return (iso_affine){g, f.offset - iso_vec3_dot(g, x->p)};
}

static void make_kink(const iso_extreme_search* s, int place, iso_extreme_kink* out) {
    int part = s->kinks->marks.kinks.elements[place], count = 0;
    out->place = place;
    out->cell = iso_field_part_cell(part);
    out->corners = iso_field_part_corners(part);
    for (int i = 0; i < 4; ++i) {
        if (out->corners >> i & 1 && count < 2) {
            out->first[count] = i;
            out->ends[count++] = iso_pose_point(&s->x_ck, corner_at(s->kinks, out->cell, i));
        }
    }
    int others = 15 & ~out->corners;
    if ((others & (others - 1)) == 0) {
        int face = __builtin_ctz((unsigned)others);
        const iso_field_cell* cell = &s->kinks->cells[out->cell];
        iso_affine plane = {{cell->planes[0][face], cell->planes[1][face], cell->planes[2][face]},
                            cell->planes[3][face]};
        out->first[0] = face;
        out->plane = turn_affine(&s->x_ck, plane);
        out->front = turn_affine(&s->x_ck, cell->piece);
        out->back = turn_affine(&s->x_ck, s->kinks->cells[cell->neighbors[face]].piece);
    }
}

static bool try_vertex(iso_extreme_search* s, int cell, const iso_extreme_kink* kink) {
    if (kink->place == s->sent ||
        !iso_field_cell_contains(&s->cells->cells[cell], kink->ends[0], s->padding)) {
        return true;
    }
    iso_vec3 g = iso_mat3_tmul_vec3(&s->x_ck.r, s->cells->cells[cell].piece.gradient);
    if (!is_extreme_vertex(s->kinks, kink->cell, kink->first[0], g, s->slack)) {
        return true;
    }
    s->sent = kink->place;
    return send_from(s, cell, kink->cell, corner_at(s->kinks, kink->cell, kink->first[0]));
}

static iso_double4 values_at(iso_affine f, const iso_double4 x[3]) {
    iso_double4 r =
        iso_double4_mul_add(iso_double4_set(f.gradient.x), x[0], iso_double4_set(f.offset));
    r = iso_double4_mul_add(iso_double4_set(f.gradient.y), x[1], r);
    return iso_double4_mul_add(iso_double4_set(f.gradient.z), x[2], r);
}

static const int k_edges[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

// Edges of a cell, one bit each, that cross the plane of a face and along which the difference of
// the pressures changes one way before and the other way behind it, or nearly so.
static int bending_edges(const iso_extreme_search* s, int cell, const iso_extreme_kink* kink) {
    const int* corners = s->cells->cells[cell].corners;
    iso_double4 x[4];
    for (int i = 0; i < 4; ++i) {
        x[i] = iso_double4_load(s->cells->points[corners[i]].x);
    }
    iso_double4_transpose(x);
    iso_double4 d = values_at(kink->plane, x), padding = iso_double4_set(s->padding);
    int above = iso_double4_bits(iso_double4_greater_equal(d, iso_double4_neg(padding)));
    int below = iso_double4_bits(iso_double4_less_equal(d, padding));
    if (above == 0 || below == 0) {
        return 0;
    }
    double front[4], back[4];
    iso_double4_store(front, iso_double4_sub(x[3], values_at(kink->front, x)));
    iso_double4_store(back, iso_double4_sub(x[3], values_at(kink->back, x)));
    int edges = 0;
    for (int k = 0; k < 6; ++k) {
        int i = k_edges[k][0], j = k_edges[k][1];
        double in_front = front[j] - front[i], behind = back[j] - back[i];
        int is_crossing = ((above >> i & below >> j) | (above >> j & below >> i)) & 1;
        int may_bend = (fmin(in_front, behind) <= s->noise) & (fmax(in_front, behind) >= -s->noise);
        edges |= (is_crossing & may_bend) << k;
    }
    return edges;
}

// A face among the kinks and the edges of a cell.
static bool try_face(iso_extreme_search* s, int cell, const iso_extreme_kink* kink) {
    face_of f = {s->kinks, kink->cell, kink->first[0]};
    bool ok = true;
    for (int edges = bending_edges(s, cell, kink); edges != 0 && ok; edges &= edges - 1) {
        const int* ends = k_edges[__builtin_ctz((unsigned)edges)];
        edge_of e = {s->cells, cell, ends[0], ends[1]};
        iso_vec3 place;
        if (is_extreme_crossing(s, &e, &f, &s->x_kc, true, &place)) {
            ok = send_from(s, cell, kink->cell, place);
        }
    }
    return ok;
}

// Faces of a cell that a line between two points crosses, or nearly, one bit each.
static int crossed_faces(const iso_field_cell* cell, const iso_vec3 ends[2], double padding) {
    iso_double4 plane[4], d[2];
    for (int i = 0; i < 4; ++i) {
        plane[i] = iso_double4_load(cell->planes[i]);
    }
    for (int i = 0; i < 2; ++i) {
        d[i] = iso_double4_mul_add(plane[0], iso_double4_set(ends[i].x), plane[3]);
        d[i] = iso_double4_mul_add(plane[1], iso_double4_set(ends[i].y), d[i]);
        d[i] = iso_double4_mul_add(plane[2], iso_double4_set(ends[i].z), d[i]);
    }
    iso_double4 low = iso_double4_min(d[0], d[1]), high = iso_double4_max(d[0], d[1]);
    int reached = iso_double4_bits(iso_double4_greater_equal(high, iso_double4_set(-padding)));
    int left = iso_double4_bits(iso_double4_less_equal(low, iso_double4_set(padding)));
    return reached == 15 ? left : 0;
}

// An edge among the kinks and the faces of a cell.
static bool try_edge(iso_extreme_search* s, int cell, const iso_extreme_kink* kink) {
    edge_of e = {s->kinks, kink->cell, kink->first[0], kink->first[1]};
    const iso_field_cell* c = &s->cells->cells[cell];
    bool ok = true;
    for (int faces = crossed_faces(c, kink->ends, s->padding); faces != 0 && ok;
         faces &= faces - 1) {
        face_of f = {s->cells, cell, __builtin_ctz((unsigned)faces)};
        iso_vec3 place;
        if (c->neighbors[f.face] >= 0 && is_extreme_crossing(s, &e, &f, &s->x_ck, false, &place)) {
            ok = send_from(s, cell, kink->cell, iso_pose_inverse_point(&s->x_ck, place));
        }
    }
    return ok;
}

static bool try_kink(void* user, int cell, int place) {
    iso_extreme_search* s = user;
    iso_extreme_kink* kink = &s->kept[place % ISO_EXTREME_KINKS];
    if (kink->place != place) {
        make_kink(s, place, kink);
    }
    int corners = kink->corners, but_one = corners & (corners - 1);
    return but_one == 0                     ? try_vertex(s, cell, kink)
           : (but_one & (but_one - 1)) == 0 ? try_edge(s, cell, kink)
                                            : try_face(s, cell, kink);
}

static void begin_round(iso_extreme_search* s) {
    s->search.sets[0] =
        (iso_piece_set){.field = s->cells, .tree = &s->cells->tree, .kind = ISO_PIECE_CELL};
    s->search.sets[1] =
        (iso_piece_set){.field = s->kinks, .tree = &s->kinks->marks.kinks, .kind = ISO_PIECE_PLACE};
    s->search.x_01 = &s->x_ck;
    s->sent = -1;
    for (int i = 0; i < ISO_EXTREME_KINKS; ++i) {
        s->kept[i].place = -1;
    }
    iso_piece_search_begin(&s->search);
}

// To the next round that there is something to do in.
static void skip_done(iso_extreme_search* s) {
    while (s->round < 2 && iso_piece_search_is_done(&s->search)) {
        s->work += s->search.work;
        s->search.work = 0;
        if (++s->round == 1) {
            const iso_field* cells = s->cells;
            iso_pose x = s->x_ck;
            s->cells = s->kinks;
            s->kinks = cells;
            s->x_ck = s->x_kc;
            s->x_kc = x;
            begin_round(s);
        }
    }
}

void iso_extreme_search_begin(iso_extreme_search* s, iso_arena* arena, const iso_field* field_0,
                              const iso_field* field_1, const iso_pose* x_01, iso_seed_fn fn,
                              void* user) {
    s->arena = arena;
    s->cells = field_0;
    s->kinks = field_1;
    s->x_ck = *x_01;
    s->x_kc = iso_pose_inverse(x_01);
    s->round = 0;
    s->work = 0;
    s->padding = PADDING * (field_0->size + field_1->size);
    s->slack = SLOPE_PADDING * (field_0->max_gradient + field_1->max_gradient);
    s->box_slack = BOX_PADDING * (field_0->max_gradient + field_1->max_gradient);
    s->noise = s->slack * (field_0->size + field_1->size);
    s->fn = fn;
    s->user = user;
    s->search.fn = try_kink;
    s->search.user = s;
    s->search.most_rise = INFINITY;
    s->search.along_0 = s->search.along_1 = iso_vec3_zero();
    s->search.filter = may_share_gradients;
    s->search.filter_user = s;
    s->search.is_level = false;
    begin_round(s);
    skip_done(s);
}

bool iso_extreme_search_step(iso_extreme_search* s) {
    bool ok = iso_piece_search_step(&s->search);
    skip_done(s);
    return ok;
}
