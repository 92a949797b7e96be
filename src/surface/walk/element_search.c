// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "surface/walk/element_search.h"

#include "field/structure/field_parts.h"
#include "surface/clipping/trace_clip.h"

// Growth of boxes against rounding, relative to the size of the bodies.
#define PADDING 1e-12
// Corners within so many times that of a plane may lie in it; the others lie to one part in a
// million where they seem to.
#define CLOSE_FACTOR 1e3
// Of the places where edges cross a plane, in the same measure.
#define LINE_FACTOR 1e7
// Where p0 - p1 vanishes along an edge is found to one part in a million of its length, in the same
// measure, unless it is as many times its rounding or less at an end.
#define CROSSING_FACTOR 1e6
// Rounding of pressure differences, relative to their terms.
#define NOISE 1e-12
// The same as PADDING of pressures.
#define PRESSURE_PADDING 1e-9

// Pairs of nodes that are expanded at once, as each waits long for itself, while the stack has room
// for what a descent one by one may add to it.
#define STEP_NODES 4
#define STEP_DEPTH (ISO_BVH_STACK_SIZE - 3 * 2 * 64 - 4 * STEP_NODES)

// A search in parts is dealt out where it has as many pairs of nodes for each, or after so many
// steps.
#define DEALT_NODES 4
#define DEALT_STEPS 8

// Work of trying a pair of leaves, in steps of a descent.
#define LEAF_WORK 4

// Rotation by columns; the pressure passes through in the fourth lane.
static iso_double4 move_point(const iso_piece_search* s, const double x[4]) {
    iso_double4 r = iso_double4_mul_add(s->column[0], iso_double4_set(x[0]), s->origin);
    r = iso_double4_mul_add(s->column[1], iso_double4_set(x[1]), r);
    r = iso_double4_mul_add(s->column[2], iso_double4_set(x[2]), r);
    return iso_double4_with_last(r, iso_double4_load(x));
}

// The corners that span a part, the last one repeated: by the part's bits.
static const unsigned char k_corners[16][4] = {
    {0, 0, 0, 0}, {0, 0, 0, 0}, {1, 1, 1, 1}, {0, 1, 1, 1}, {2, 2, 2, 2}, {0, 2, 2, 2},
    {1, 2, 2, 2}, {0, 1, 2, 2}, {3, 3, 3, 3}, {0, 3, 3, 3}, {1, 3, 3, 3}, {0, 1, 3, 3},
    {2, 3, 3, 3}, {0, 2, 3, 3}, {1, 2, 3, 3}, {0, 1, 2, 3},
};

static void set_box(const iso_piece_search* s, iso_double4 lower, iso_double4 upper,
                    iso_piece* out) {
    iso_double4_store(out->lower, iso_double4_sub(lower, s->padding));
    iso_double4_store(out->upper, iso_double4_add(upper, s->padding));
}

// The box of a tetrahedron's part of pressure <= 0.
static void enclose_below_zero(const iso_double4 x[4], iso_double4* out_lower,
                               iso_double4* out_upper) {
    double p[4];
    *out_lower = iso_double4_set(INFINITY);
    *out_upper = iso_double4_set(-INFINITY);
    for (int i = 0; i < 4; ++i) {
        double v[4];
        iso_double4_store(v, x[i]);
        p[i] = v[3];
    }
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4 && p[i] <= 0.0; ++j) {
            if (i != j && p[j] <= 0.0) {
                continue;
            }
            iso_double4 t = iso_double4_set(i == j ? 0.0 : p[i] / (p[i] - p[j]));
            iso_double4 at = iso_double4_mul_add(t, iso_double4_sub(x[j], x[i]), x[i]);
            *out_lower = iso_double4_min(*out_lower, at);
            *out_upper = iso_double4_max(*out_upper, at);
        }
    }
}

static double add_abs(iso_vec3 v) {
    return fabs(v.x) + fabs(v.y) + fabs(v.z);
}

static void set_plane(const iso_piece_search* s, iso_piece* out) {
    iso_vec3 v[3];
    for (int i = 0; i < 3; ++i) {
        v[i] = iso_vec3_make(out->corners[i][0], out->corners[i][1], out->corners[i][2]);
    }
    out->normal = iso_vec3_cross(iso_vec3_sub(v[1], v[0]), iso_vec3_sub(v[2], v[0]));
    out->offset = iso_vec3_dot(out->normal, v[0]);
    out->slack = s->slack * add_abs(out->normal);
}

// The part of body 0 in a place of its tree.
static int part_0(const iso_piece_set* set, int place) {
    return set->kind == ISO_PIECE_CELL ? iso_field_part(place, 15) : set->tree->elements[place];
}

// The part of body 1 in a place of a leaf.
static void make_piece(const iso_piece_search* s, int leaf, int lane, iso_piece* out) {
    const iso_piece_set* set = &s->sets[1];
    int place = leaf * ISO_BVH_LEAF_SIZE + lane;
    int part = set->tree->elements[place];
    out->element = part;
    if (part < 0) {
        return;
    }
    if (set->kind == ISO_PIECE_CELL) {
        part = iso_field_part(place, 15);
    }
    int cell = iso_field_part_cell(part);
    const int* corners = set->field->cells[cell].corners;
    const unsigned char* spanned = k_corners[iso_field_part_corners(part)];
    iso_double4 x[4], lower, upper;
    for (int i = 0; i < 4; ++i) {
        x[i] = move_point(s, set->field->points[corners[spanned[i]]].x);
        iso_double4_store(out->corners[i], x[i]);
    }
    if (set->kind == ISO_PIECE_SHELL) {
        enclose_below_zero(x, &lower, &upper);
    } else {
        lower = iso_double4_min(iso_double4_min(x[0], x[1]), iso_double4_min(x[2], x[3]));
        upper = iso_double4_max(iso_double4_max(x[0], x[1]), iso_double4_max(x[2], x[3]));
    }
    set_box(s, lower, upper, out);
    if (s->has_planes) {
        set_plane(s, out);
    }
    if (set->kind == ISO_PIECE_PLACE) {
        out->lower[3] = -INFINITY;
        out->upper[3] = INFINITY;
    }
    out->rise = iso_vec3_dot(set->field->cells[cell].piece.gradient, s->along_1);
    out->element = set->kind == ISO_PIECE_PLACE ? place : cell;
}

static double largest_pressure(const iso_field* field) {
    return fmax(fabs(field->min_pressure), fabs(field->max_pressure));
}

static double largest_term(const iso_field* field, double reach) {
    return largest_pressure(field) + field->max_gradient * reach;
}

double iso_piece_noise(const iso_field* field_0, const iso_field* field_1) {
    double reach = 3.0 * (field_0->size + field_1->size); // of coordinates, summed over axes
    return NOISE * (largest_term(field_0, reach) + largest_term(field_1, reach));
}

void iso_piece_search_begin(iso_piece_search* search) {
    const iso_piece_set *set_0 = &search->sets[0], *set_1 = &search->sets[1];
    const iso_pose* x = search->x_01;
    double size = PADDING * (set_0->field->size + set_1->field->size);
    double pressure =
        PRESSURE_PADDING * fmin(largest_pressure(set_0->field), largest_pressure(set_1->field));
    for (int i = 0; i < 3; ++i) {
        search->column[i] = iso_double4_make(x->r.m[0][i], x->r.m[1][i], x->r.m[2][i], 0.0);
    }
    search->origin = iso_double4_make(x->p.x, x->p.y, x->p.z, 0.0);
    search->padding = iso_double4_make(size, size, size, pressure);
    search->slack = size;
    search->noise = iso_piece_noise(set_0->field, set_1->field);
    search->has_planes = set_0->kind == ISO_PIECE_FACE && set_1->kind == ISO_PIECE_FACE;
    for (int i = 0; i < ISO_PIECE_LEAVES; ++i) {
        search->leaves_1[i] = -1;
    }
    for (int i = 0; i < ISO_PIECE_PACKETS; ++i) {
        search->leaves_0[i] = -1;
    }
    search->work = 0;
    search->x_float4 = iso_bvh_float4_spread(set_0->tree, set_1->tree, x);
    bool is_any = set_0->tree->leaf_count > 0 && set_1->tree->leaf_count > 0;
    search->depth = is_any ? 1 : 0;
    search->stack[0] = (iso_bvh_slots){ISO_BVH_ROOT, ISO_BVH_ROOT};
}

static const iso_piece* pieces_of(iso_piece_search* s, int leaf_1) {
    int at = leaf_1 % ISO_PIECE_LEAVES;
    if (s->leaves_1[at] != leaf_1) {
        s->leaves_1[at] = leaf_1;
        for (int lane = 0; lane < ISO_BVH_LEAF_SIZE; ++lane) {
            make_piece(s, leaf_1, lane, &s->pieces_1[at][lane]);
        }
    }
    return s->pieces_1[at];
}

// Lanes of a leaf of body 0 whose boxes meet the box of a piece.
static int meeting_lanes(const iso_double4 lower[3], const iso_double4 upper[3],
                         const iso_piece* b) {
    iso_double4_mask hit =
        iso_double4_and(iso_double4_less_equal(lower[0], iso_double4_set(b->upper[0])),
                        iso_double4_greater_equal(upper[0], iso_double4_set(b->lower[0])));
    for (int axis = 1; axis < 3; ++axis) {
        hit = iso_double4_and(hit,
                              iso_double4_less_equal(lower[axis], iso_double4_set(b->upper[axis])));
        hit = iso_double4_and(
            hit, iso_double4_greater_equal(upper[axis], iso_double4_set(b->lower[axis])));
    }
    return iso_double4_bits(hit);
}

static iso_double4 dot_all(const iso_double4 x[3], iso_vec3 n, double offset) {
    iso_double4 d = iso_double4_mul_add(iso_double4_set(n.x), x[0], iso_double4_set(offset));
    d = iso_double4_mul_add(iso_double4_set(n.y), x[1], d);
    return iso_double4_mul_add(iso_double4_set(n.z), x[2], d);
}

static iso_double4 affine_at(const iso_double4 gradient[3], iso_double4 offset, const double x[3]) {
    iso_double4 f = iso_double4_mul_add(gradient[0], iso_double4_set(x[0]), offset);
    f = iso_double4_mul_add(gradient[1], iso_double4_set(x[1]), f);
    return iso_double4_mul_add(gradient[2], iso_double4_set(x[2]), f);
}

static void fill_faces(const iso_piece_set* set, const int parts[4], iso_face_packet* out) {
    iso_double4 planes[4], v[3][4];
    for (int lane = 0; lane < ISO_BVH_LEAF_SIZE; ++lane) {
        const iso_field_cell* cell = &set->field->cells[iso_field_part_cell(parts[lane])];
        const unsigned char* spanned = k_corners[iso_field_part_corners(parts[lane])];
        int face = 6 - spanned[0] - spanned[1] - spanned[2];
        planes[lane] = iso_double4_make(cell->planes[0][face], cell->planes[1][face],
                                        cell->planes[2][face], cell->planes[3][face]);
        for (int i = 0; i < 3; ++i) {
            v[i][lane] = iso_double4_load(set->field->points[cell->corners[spanned[i]]].x);
        }
    }
    iso_double4_transpose(planes);
    for (int i = 0; i < 3; ++i) {
        iso_double4_transpose(v[i]);
        out->normal[i] = planes[i];
        for (int axis = 0; axis < 3; ++axis) {
            out->v[i][axis] = v[i][axis];
        }
    }
    out->offset = planes[3];
}

static void fill_cells(const iso_field* field, const int parts[4], iso_cell_packet* out) {
    double p[4][4];
    iso_double4 pieces[4];
    for (int lane = 0; lane < ISO_BVH_LEAF_SIZE; ++lane) {
        const iso_field_cell* cell = &field->cells[iso_field_part_cell(parts[lane])];
        const unsigned char* spanned = k_corners[iso_field_part_corners(parts[lane])];
        for (int i = 0; i < 4; ++i) {
            p[i][lane] = field->points[cell->corners[spanned[i]]].x[3];
        }
        pieces[lane] = iso_double4_load(&cell->piece.gradient.x);
    }
    iso_double4 a = iso_double4_load(p[0]), b = iso_double4_load(p[1]), c = iso_double4_load(p[2]),
                d = iso_double4_load(p[3]);
    out->low = iso_double4_min(iso_double4_min(a, b), iso_double4_min(c, d));
    out->high = iso_double4_max(iso_double4_max(a, b), iso_double4_max(c, d));
    iso_double4_transpose(pieces);
    for (int i = 0; i < 3; ++i) {
        out->gradient[i] = pieces[i];
    }
    out->offset = pieces[3];
}

// The elements of a leaf of body 0.
static const iso_piece_packet* packet_of(iso_piece_search* s, int leaf_0) {
    int at = leaf_0 % ISO_PIECE_PACKETS;
    iso_piece_packet* packet = &s->packets_0[at];
    if (s->leaves_0[at] == leaf_0) {
        return packet;
    }
    s->leaves_0[at] = leaf_0;
    const iso_piece_set* set = &s->sets[0];
    int parts[ISO_BVH_LEAF_SIZE], first = leaf_0 * ISO_BVH_LEAF_SIZE;
    for (int lane = 0; lane < ISO_BVH_LEAF_SIZE; ++lane) {
        int place = first + (set->tree->elements[first + lane] >= 0 ? lane : 0);
        parts[lane] = part_0(set, place);
    }
    if (s->has_planes) {
        fill_faces(set, parts, &packet->faces);
    } else {
        fill_cells(set->field, parts, &packet->cells);
    }
    return packet;
}

// Lanes where some of three distances are at most, and some at least, zero, or nearly.
static int straddling(const iso_double4 d[3], double slack) {
    iso_double4 least = iso_double4_min(iso_double4_min(d[0], d[1]), d[2]);
    iso_double4 most = iso_double4_max(iso_double4_max(d[0], d[1]), d[2]);
    return iso_double4_bits(
        iso_double4_and(iso_double4_less_equal(least, iso_double4_set(slack)),
                        iso_double4_greater_equal(most, iso_double4_set(-slack))));
}

// Lanes of a packet whose faces cross the plane of a face of body 1, which crosses theirs.
static int crossing_lanes(const iso_piece_search* s, const iso_face_packet* a, const iso_piece* b) {
    iso_double4 d[3], e[3];
    for (int i = 0; i < 3; ++i) {
        d[i] = dot_all(a->v[i], b->normal, -b->offset);
        e[i] = affine_at(a->normal, a->offset, b->corners[i]);
    }
    return straddling(d, b->slack) & straddling(e, 2.0 * s->slack);
}

// Lanes of a packet whose pressures meet those of a piece, and, if asked for, do not rise against
// them and meet them at its corners.
static int level_lanes(const iso_piece_search* s, const iso_cell_packet* a, const iso_piece* b) {
    iso_double4_mask hit =
        iso_double4_and(iso_double4_less_equal(a->low, iso_double4_set(b->upper[3])),
                        iso_double4_greater_equal(a->high, iso_double4_set(b->lower[3])));
    if (s->most_rise < INFINITY) {
        iso_double4 rise = dot_all(a->gradient, s->along_0, -b->rise);
        hit = iso_double4_and(hit, iso_double4_less_equal(rise, iso_double4_set(s->most_rise)));
    }
    if (s->is_level && iso_double4_bits(hit) != 0) {
        iso_double4 least = iso_double4_set(INFINITY), most = iso_double4_set(-INFINITY);
        for (int i = 0; i < 4; ++i) {
            iso_double4 p_0 = affine_at(a->gradient, a->offset, b->corners[i]);
            iso_double4 h = iso_double4_sub(p_0, iso_double4_set(b->corners[i][3]));
            least = iso_double4_min(h, least);
            most = iso_double4_max(h, most);
        }
        hit = iso_double4_and(hit, iso_double4_less_equal(least, iso_double4_set(s->noise)));
        hit = iso_double4_and(hit, iso_double4_greater_equal(most, iso_double4_set(-s->noise)));
    }
    return iso_double4_bits(hit);
}

// Where the edges of a face cross a plane, at distances d of its corners: the least place along a
// line, by lane, and that of the line turned round. p: places of the corners.
static inline void find_crossings(iso_double4 d, iso_double4 p, iso_double4 out[2]) {
    iso_double4 next_d = iso_double4_yzx(d), next_p = iso_double4_yzx(p);
    iso_double4 t =
        iso_double4_div(iso_double4_sub(iso_double4_mul(p, next_d), iso_double4_mul(next_p, d)),
                        iso_double4_sub(next_d, d));
    iso_double4_mask is_crossed =
        iso_double4_less(iso_double4_mul(d, next_d), iso_double4_set(0.0));
    out[0] = iso_double4_select(is_crossed, t, iso_double4_set(INFINITY));
    out[1] = iso_double4_select(is_crossed, iso_double4_neg(t), iso_double4_set(INFINITY));
}

// Whether two faces, each of which crosses the plane of the other, may meet on the line that the
// planes have in common. Lanes are corners, the last one repeated.
static bool meet_on_line(const iso_piece_search* s, int part, const iso_piece* b) {
    const iso_field* field = s->sets[0].field;
    const iso_field_cell* cell = &field->cells[iso_field_part_cell(part)];
    const unsigned char* spanned = k_corners[iso_field_part_corners(part)];
    iso_double4 v_0[4], v_1[4];
    for (int i = 0; i < 4; ++i) {
        v_0[i] = iso_double4_load(field->points[cell->corners[spanned[i]]].x);
        v_1[i] = iso_double4_load(b->corners[i]);
    }
    iso_double4_transpose(v_0);
    iso_double4_transpose(v_1);
    int face = 6 - spanned[0] - spanned[1] - spanned[2];
    iso_vec3 n = {cell->planes[0][face], cell->planes[1][face], cell->planes[2][face]};
    iso_double4 d = dot_all(v_0, b->normal, -b->offset);
    iso_double4 e = dot_all(v_1, n, cell->planes[3][face]);
    iso_double4 close_d = iso_double4_set(CLOSE_FACTOR * b->slack);
    iso_double4 close_e = iso_double4_set(CLOSE_FACTOR * s->slack);
    if (iso_double4_bits(iso_double4_or(iso_double4_less_equal(iso_double4_abs(d), close_d),
                                        iso_double4_less_equal(iso_double4_abs(e), close_e)))) {
        return true; // a corner in a plane, as far as one can tell
    }
    iso_vec3 line = iso_vec3_cross(n, b->normal);
    iso_double4 ends[4];
    find_crossings(d, dot_all(v_0, line, 0.0), ends);
    find_crossings(e, dot_all(v_1, line, 0.0), ends + 2);
    iso_double4_transpose(ends);
    double least[4];
    iso_double4_store(least, iso_double4_min(iso_double4_min(ends[0], ends[1]),
                                             iso_double4_min(ends[2], ends[3])));
    double slack = LINE_FACTOR * s->slack * add_abs(line);
    return (least[0] <= slack - least[3]) & (least[2] <= slack - least[1]);
}

// Whether a cell of body 0 may hold some of what p0 - p1 leaves of a part of body 1: p0 is
// continued from the cell, and what is left spans the places where the difference vanishes along
// edges.
static bool meet_on_level(const iso_piece_search* s, int cell_0, const iso_piece* b) {
    const iso_field_cell* cell = &s->sets[0].field->cells[cell_0];
    iso_double4 plane[4], d[4], most = iso_double4_set(-INFINITY);
    double h[4], close = CROSSING_FACTOR * s->noise;
    for (int i = 0; i < 4; ++i) {
        plane[i] = iso_double4_load(cell->planes[i]);
    }
    for (int i = 0; i < 4; ++i) {
        const double* x = b->corners[i];
        h[i] = iso_affine_eval(cell->piece, iso_vec3_make(x[0], x[1], x[2])) - x[3];
        d[i] = affine_at(plane, plane[3], x);
        if (fabs(h[i]) <= close) {
            return true;
        }
    }
    for (int i = 0; i < 4; ++i) {
        for (int j = i + 1; j < 4; ++j) {
            if ((h[i] < 0.0) != (h[j] < 0.0)) {
                iso_double4 t = iso_double4_set(h[i] / (h[i] - h[j]));
                most = iso_double4_max(iso_double4_mul_add(t, iso_double4_sub(d[j], d[i]), d[i]),
                                       most);
            }
        }
    }
    return !iso_double4_bits(iso_double4_less(most, iso_double4_set(-CROSSING_FACTOR * s->slack)));
}

static bool try_pair(iso_piece_search* s, int place, const iso_piece* b) {
    int part = part_0(&s->sets[0], place), cell = iso_field_part_cell(part);
    bool may_meet = s->has_planes ? meet_on_line(s, part, b)
                    : s->is_level ? meet_on_level(s, cell, b)
                                  : true;
    return !may_meet || s->fn(s->user, cell, b->element);
}

// Pairs of lanes of two leaves that may meet: bit 4 i + j for lane i of body 1 and j of body 0.
static unsigned match_leaves(iso_piece_search* s, int leaf_0, const iso_piece* pieces) {
    const iso_bvh_lanes* lanes = &s->sets[0].tree->lanes[leaf_0];
    iso_double4 lower[3], upper[3];
    unsigned hits = 0;
    for (int axis = 0; axis < 3; ++axis) {
        lower[axis] = iso_double4_load_floats(lanes->lower[axis]);
        upper[axis] = iso_double4_load_floats(lanes->upper[axis]);
    }
    for (int lane = 0; lane < ISO_BVH_LEAF_SIZE && pieces[lane].element >= 0; ++lane) {
        int bits = meeting_lanes(lower, upper, &pieces[lane]);
        if (bits != 0) {
            const iso_piece_packet* packet = packet_of(s, leaf_0);
            bits &= s->has_planes ? crossing_lanes(s, &packet->faces, &pieces[lane])
                                  : level_lanes(s, &packet->cells, &pieces[lane]);
        }
        hits |= (unsigned)bits << (ISO_BVH_LEAF_SIZE * lane);
    }
    return hits;
}

static bool try_leaves(iso_piece_search* s, int leaf_0, int leaf_1) {
    const iso_piece* pieces = pieces_of(s, leaf_1);
    for (unsigned hits = match_leaves(s, leaf_0, pieces); hits != 0; hits &= hits - 1) {
        int half = (hits & 0xff) == 0 ? 8 : 0,
            hit = half + iso_ring_bits_of[hits >> half & 0xff].lowest;
        int lane_0 = hit % ISO_BVH_LEAF_SIZE, lane_1 = hit / ISO_BVH_LEAF_SIZE;
        if (!try_pair(s, leaf_0 * ISO_BVH_LEAF_SIZE + lane_0, &pieces[lane_1])) {
            return false;
        }
    }
    return true;
}

// Pairs of leaves that a step found, and one more that does not count.
typedef struct found_leaves {
    int count, leaves[4 * STEP_NODES + 1][2];
} found_leaves;

static inline void expand_nodes(iso_piece_search* search, found_leaves* out) {
    const iso_bvh *tree_0 = search->sets[0].tree, *tree_1 = search->sets[1].tree;
    iso_bvh_expansion e_0[STEP_NODES], e_1[STEP_NODES];
    int hits[STEP_NODES], found_count = 0;
    int count = search->depth > STEP_DEPTH   ? 1
                : search->depth < STEP_NODES ? search->depth
                                             : STEP_NODES;
    int depth = search->depth - count;
    for (int k = 0; k < count; ++k) {
        iso_bvh_slots slots = search->stack[depth + k];
        iso_bvh_expand(tree_0, slots.slot_0, &e_0[k]);
        iso_bvh_expand(tree_1, slots.slot_1, &e_1[k]);
        hits[k] = iso_bvh_overlapping(e_0[k].node, e_1[k].node, &search->x_float4) &
                  iso_bvh_expanded(&e_0[k], &e_1[k]);
    }
    for (int k = 0; k < count; ++k) {
        if (search->filter && hits[k] != 0) {
            hits[k] &= search->filter(search->filter_user, &e_0[k], &e_1[k]);
        }
        // Entries are written first and kept if they count: which do cannot be foretold.
        for (int lane = 0; lane < 4; ++lane) {
            int i = lane >> 1, j = lane & 1, is_hit = hits[k] >> lane & 1;
            int child_0 = e_0[k].node->child[i], child_1 = e_1[k].node->child[j];
            int is_leaf = (child_0 < 0) & (child_1 < 0);
            out->leaves[found_count][0] = -1 - child_0;
            out->leaves[found_count][1] = -1 - child_1;
            search->stack[depth] = (iso_bvh_slots){e_0[k].slots[i], e_1[k].slots[j]};
            found_count += is_hit & is_leaf;
            depth += is_hit & (is_leaf ^ 1);
        }
    }
    search->depth = depth;
    search->work += count + LEAF_WORK * found_count;
    out->count = found_count;
}

static bool try_found(iso_piece_search* search, const found_leaves* found) {
    for (int i = 0; i < found->count; ++i) {
        if (!try_leaves(search, found->leaves[i][0], found->leaves[i][1])) {
            return false;
        }
    }
    return true;
}

bool iso_piece_search_step(iso_piece_search* search) {
    found_leaves found;
    expand_nodes(search, &found);
    return try_found(search, &found);
}

// Keep the nodes of the part. What all parts find until then is the first one's.
static bool deal_out(iso_piece_search* search, iso_search_part part) {
    int enough = DEALT_NODES * part.count, kept = 0;
    for (int i = 0; i < DEALT_STEPS && search->depth > 0 && search->depth < enough; ++i) {
        found_leaves found;
        expand_nodes(search, &found);
        if (part.index == 0 && !try_found(search, &found)) {
            return false;
        }
    }
    for (int i = part.index; i < search->depth; i += part.count) {
        search->stack[kept++] = search->stack[i];
    }
    search->depth = kept;
    return true;
}

bool iso_piece_search_run(iso_piece_search* search, iso_search_part part) {
    iso_piece_search_begin(search);
    if (part.count > 1 && !deal_out(search, part)) {
        return false;
    }
    while (!iso_piece_search_is_done(search)) {
        if (!iso_piece_search_step(search)) {
            return false;
        }
    }
    return true;
}
