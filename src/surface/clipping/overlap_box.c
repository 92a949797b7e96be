// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "surface/clipping/overlap_box.h"

#include "base/core/fail.h"
#include "math/lanes_f64x4.h"

#include <stddef.h>

// Growth of the box against rounding, relative to the size of the bodies.
#define SLACK 1e-11

// Box and ball about the points of a field, both about one centre, in frame 0.
typedef struct hull {
    iso_vec3 center, half;
    iso_mat3 axes; // columns: of the box
    double radius;
} hull;

static double smaller(double a, double b) {
    return a < b ? a : b;
}

static double larger(double a, double b) {
    return a > b ? a : b;
}

static hull hull_of(const iso_field* field, const iso_pose* x) {
    const iso_bvh_box* box = &field->tree.bounds;
    return (hull){iso_pose_point(x, iso_vec3_lerp(box->lower, box->upper, 0.5)),
                  iso_vec3_scale(iso_vec3_sub(box->upper, box->lower), 0.5), x->r, field->radius};
}

// How far a body reaches from its centre.
static double reach_along(const hull* h, iso_vec3 direction) {
    iso_vec3 d = iso_mat3_tmul_vec3(&h->axes, direction);
    return smaller(h->radius,
                   fabs(d.x) * h->half.x + fabs(d.y) * h->half.y + fabs(d.z) * h->half.z);
}

// Least overlap found so far, and along which axis: 0 to 2 of body 0, 3 to 5 of body 1, 6 from
// centre to centre.
typedef struct least_overlap {
    double overlap;
    int axis;
} least_overlap;

static void try_axis(const hull h[2], iso_vec3 apart, iso_vec3 direction, int axis,
                     least_overlap* out) {
    double overlap = reach_along(&h[0], direction) + reach_along(&h[1], direction) -
                     fabs(iso_vec3_dot(apart, direction));
    if (overlap < out->overlap) {
        *out = (least_overlap){overlap, axis};
    }
}

static least_overlap find_least(const hull h[2], iso_vec3 apart, double slack) {
    least_overlap least = {INFINITY, 0};
    for (int axis = 0; axis < 6 && least.overlap >= -slack; ++axis) {
        try_axis(h, apart, iso_mat3_column(&h[axis / 3].axes, axis % 3), axis, &least);
    }
    double distance = iso_vec3_norm(apart);
    if (distance > 0.0) {
        try_axis(h, apart, iso_vec3_scale(apart, 1.0 / distance), 6, &least);
    }
    return least;
}

// The axes of the box, along the least overlap first.
static void find_axes(const hull h[2], iso_vec3 apart, int axis, iso_vec3 out[3]) {
    if (axis < 6) {
        for (int i = 0; i < 3; ++i) {
            out[i] = iso_mat3_column(&h[axis / 3].axes, (axis + i) % 3);
        }
    } else {
        int flat = fabs(apart.x) < fabs(apart.y) ? 0 : 1;
        iso_vec3 other = iso_vec3_make(flat == 0 ? 1.0 : 0.0, flat == 1 ? 1.0 : 0.0, 0.0);
        out[0] = iso_vec3_normalized(apart);
        out[1] = iso_vec3_normalized(iso_vec3_cross(out[0], other));
        out[2] = iso_vec3_cross(out[0], out[1]);
    }
    if (iso_vec3_dot(out[0], apart) < 0.0) {
        out[0] = iso_vec3_neg(out[0]);
    }
}

// Radius about the line between their centres of what two balls share.
static double shared_radius(const hull h[2], double distance) {
    double a = h[0].radius, b = h[1].radius;
    double along = (distance * distance + a * a - b * b) / (2.0 * distance);
    return along > 0.0 && along < distance ? sqrt(larger(a * a - along * along, 0.0))
                                           : smaller(a, b);
}

bool iso_overlap_box_find(const iso_field* field_0, const iso_field* field_1, const iso_pose* x_01,
                          iso_overlap_box* out) {
    iso_pose identity = iso_pose_identity();
    hull h[2] = {hull_of(field_0, &identity), hull_of(field_1, x_01)};
    iso_vec3 apart = iso_vec3_sub(h[1].center, h[0].center);
    double slack = out->slack = SLACK * (field_0->size + field_1->size);
    double balls = field_0->radius + field_1->radius + slack;
    if (iso_vec3_norm_squared(apart) > balls * balls) {
        return false;
    }
    least_overlap least = find_least(h, apart, slack);
    if (least.overlap < -slack) {
        return false;
    }
    iso_vec3 axes[3];
    find_axes(h, apart, least.axis, axes);
    out->x_m0 = iso_pose_identity();
    for (int i = 0; i < 3; ++i) {
        double *row = out->x_m0.r.m[i], at[2];
        row[0] = axes[i].x;
        row[1] = axes[i].y;
        row[2] = axes[i].z;
        double half[2] = {reach_along(&h[0], axes[i]), reach_along(&h[1], axes[i])};
        for (int body = 0; body < 2; ++body) {
            at[body] = iso_vec3_dot(h[body].center, axes[i]);
        }
        out->lower[i] = larger(at[0] - half[0], at[1] - half[1]) - slack;
        out->upper[i] = smaller(at[0] + half[0], at[1] + half[1]) + slack;
        if (least.axis == 6 && i > 0) {
            double radius = shared_radius(h, iso_vec3_norm(apart)) + slack;
            out->lower[i] = larger(out->lower[i], at[0] - radius);
            out->upper[i] = smaller(out->upper[i], at[0] + radius);
        }
    }
    out->x_m1 = iso_pose_mul(&out->x_m0, x_01);
    return true;
}

// Coordinates of a body in the box. The first is measured from the end where the other body begins:
// what is negative there cannot meet it.
typedef struct cutter {
    iso_double4 turn[3][3], shift[3];
    iso_double4 lower[2], upper[2], slack;
    iso_double4 length; // of the box
    bool is_body_1;
    int ends[3][2]
            [3]; // where in the boxes of a leaf the least and the greatest come from, [end][axis]
} cutter;

#define LOWER_AT(axis) \
    ((int)(offsetof(iso_bvh_lanes, lower) / sizeof(float)) + (axis)*ISO_DOUBLE4_LANES)
#define UPPER_AT(axis) \
    ((int)(offsetof(iso_bvh_lanes, upper) / sizeof(float)) + (axis)*ISO_DOUBLE4_LANES)

static cutter make_cutter(const iso_overlap_box* meeting, bool is_body_1) {
    const iso_pose* x = is_body_1 ? &meeting->x_m1 : &meeting->x_m0;
    const double p[3] = {x->p.x, x->p.y, x->p.z};
    cutter c;
    for (int i = 0; i < 3; ++i) {
        double sign = i == 0 && is_body_1 ? -1.0 : 1.0;
        double from = i > 0 ? 0.0 : (is_body_1 ? meeting->upper[0] : -meeting->lower[0]);
        c.shift[i] = iso_double4_set(sign * p[i] + from);
        for (int j = 0; j < 3; ++j) {
            c.turn[i][j] = iso_double4_set(sign * x->r.m[i][j]);
            int rises = sign * x->r.m[i][j] >= 0.0;
            c.ends[i][rises][j] = UPPER_AT(j);
            c.ends[i][!rises][j] = LOWER_AT(j);
        }
    }
    for (int k = 0; k < 2; ++k) {
        c.lower[k] = iso_double4_set(meeting->lower[k + 1]);
        c.upper[k] = iso_double4_set(meeting->upper[k + 1]);
    }
    c.slack = iso_double4_set(meeting->slack);
    c.length = iso_double4_set(meeting->upper[0] - meeting->lower[0]);
    c.is_body_1 = is_body_1;
    return c;
}

// Greatest or least value of a coordinate in each of the boxes of a leaf's cells.
static inline iso_double4 end_of(const cutter* c, const iso_bvh_lanes* boxes, int row,
                                 int is_greatest) {
    const float* ends = (const float*)(const void*)boxes;
    iso_double4 r = c->shift[row];
    for (int j = 0; j < 3; ++j) {
        const float* v = ends + c->ends[row][is_greatest][j];
        r = iso_double4_mul_add(c->turn[row][j], iso_double4_load_floats(v), r);
    }
    return r;
}

// Cells of a leaf whose own boxes reach into the box.
static int lanes_near(const cutter* c, const iso_bvh_lanes* boxes) {
    int lanes =
        iso_double4_bits(iso_double4_greater_equal(end_of(c, boxes, 0, 1), iso_double4_set(0.0)));
    for (int k = 0; k < 2 && lanes != 0; ++k) {
        iso_double4_mask above = iso_double4_greater_equal(end_of(c, boxes, k + 1, 1), c->lower[k]);
        iso_double4_mask below = iso_double4_less_equal(end_of(c, boxes, k + 1, 0), c->upper[k]);
        lanes &= iso_double4_bits(iso_double4_and(above, below));
    }
    return lanes;
}

// Coordinates of a corner of each of four cells, and the pressure there.
static void locate(const cutter* c, const iso_field* field, const int cells[ISO_DOUBLE4_LANES],
                   int corner, iso_double4 out[4]) {
    iso_double4 v[4];
    for (int lane = 0; lane < ISO_DOUBLE4_LANES; ++lane) {
        v[lane] = iso_double4_load(field->points[field->cells[cells[lane]].corners[corner]].x);
    }
    iso_double4_transpose(v);
    for (int i = 0; i < 3; ++i) {
        out[i] = iso_double4_mul_add(c->turn[i][0], v[0], c->shift[i]);
        out[i] = iso_double4_mul_add(c->turn[i][1], v[1], out[i]);
        out[i] = iso_double4_mul_add(c->turn[i][2], v[2], out[i]);
    }
    out[3] = v[3];
}

// Rectangles of what lies beyond the end of the box, and pressures.
typedef struct intervals {
    iso_double4 lower[ISO_MEETING_INTERVALS], upper[ISO_MEETING_INTERVALS];
} intervals;

// A value that is no number is passed over.
static inline void widen(intervals* r, int k, iso_double4 x) {
    r->lower[k] = iso_double4_min(x, r->lower[k]);
    r->upper[k] = iso_double4_max(x, r->upper[k]);
}

// What is beyond the end of the box, measured from where body 1 begins.
static void measure_along(const cutter* c, iso_double4* lower, iso_double4* upper) {
    iso_double4 near = iso_double4_max(*lower, iso_double4_set(0.0)), far = *upper;
    *lower = iso_double4_sub(c->is_body_1 ? iso_double4_sub(c->length, far) : near, c->slack);
    *upper = iso_double4_add(c->is_body_1 ? iso_double4_sub(c->length, near) : far, c->slack);
}

// Which of four cells have a part that reaches into the box.
static int cut_cells(const cutter* c, const iso_field* field, const int cells[ISO_DOUBLE4_LANES],
                     intervals* out) {
    const iso_double4 zero = iso_double4_set(0.0), none = iso_double4_set(NAN);
    iso_double4 at[4][4];
    for (int k = 0; k < ISO_MEETING_INTERVALS; ++k) {
        out->lower[k] = iso_double4_set(INFINITY);
        out->upper[k] = iso_double4_set(-INFINITY);
    }
    for (int corner = 0; corner < 4; ++corner) {
        locate(c, field, cells, corner, at[corner]);
        iso_double4_mask is_beyond = iso_double4_greater_equal(at[corner][0], zero);
        for (int k = 0; k < 2; ++k) {
            widen(out, k, iso_double4_select(is_beyond, at[corner][k + 1], none));
        }
        widen(out, 2, at[corner][3]);
        widen(out, 3, at[corner][0]);
    }
    for (int i = 0; i < 4; ++i) {
        for (int j = i + 1; j < 4; ++j) {
            iso_double4 a = at[i][0], b = at[j][0];
            iso_double4_mask crosses =
                iso_double4_and(iso_double4_less(iso_double4_min(a, b), zero),
                                iso_double4_greater_equal(iso_double4_max(a, b), zero));
            iso_double4 u =
                iso_double4_select(crosses, iso_double4_div(a, iso_double4_sub(a, b)), none);
            for (int k = 1; k < 3; ++k) {
                iso_double4 along = iso_double4_sub(at[j][k], at[i][k]);
                widen(out, k - 1, iso_double4_mul_add(u, along, at[i][k]));
            }
        }
    }
    measure_along(c, &out->lower[3], &out->upper[3]);
    int lanes = 15;
    for (int k = 0; k < 2; ++k) {
        out->lower[k] = iso_double4_sub(out->lower[k], c->slack);
        out->upper[k] = iso_double4_add(out->upper[k], c->slack);
        lanes &=
            iso_double4_bits(iso_double4_and(iso_double4_greater_equal(out->upper[k], c->lower[k]),
                                             iso_double4_less_equal(out->lower[k], c->upper[k])));
    }
    return lanes;
}

static void add_parts(iso_overlap_box_parts* parts, const int cells[ISO_DOUBLE4_LANES], int lanes,
                      const intervals* r) {
    double ends[ISO_MEETING_INTERVALS][2][ISO_DOUBLE4_LANES];
    for (int k = 0; k < ISO_MEETING_INTERVALS; ++k) {
        iso_double4_store(ends[k][0], r->lower[k]);
        iso_double4_store(ends[k][1], r->upper[k]);
    }
    for (int lane = 0; lane < ISO_DOUBLE4_LANES; ++lane) {
        if (!(lanes >> lane & 1)) {
            continue;
        }
        int i = parts->count++;
        iso_overlap_box_ends* to = &parts->ends[i / ISO_DOUBLES_LANES];
        parts->cells[i] = cells[lane];
        for (int k = 0; k < ISO_MEETING_INTERVALS; ++k) {
            double lower = ends[k][0][lane], upper = ends[k][1][lane];
            to->lower[k][i % ISO_DOUBLES_LANES] = lower;
            to->upper[k][i % ISO_DOUBLES_LANES] = upper;
            parts->least[k] = lower < parts->least[k] ? lower : parts->least[k];
            parts->greatest[k] = upper > parts->greatest[k] ? upper : parts->greatest[k];
        }
    }
}

static bool begin_parts(iso_arena* arena, int capacity, iso_overlap_box_parts* out) {
    int groups = (capacity + ISO_DOUBLES_LANES - 1) / ISO_DOUBLES_LANES;
    *out =
        (iso_overlap_box_parts){.cells = iso_arena_push_array(arena, capacity, sizeof *out->cells),
                                .ends = iso_arena_push_array(arena, groups, sizeof *out->ends)};
    for (int k = 0; k < ISO_MEETING_INTERVALS; ++k) {
        out->least[k] = INFINITY;
        out->greatest[k] = -INFINITY;
    }
    return out->ends && out->cells;
}

// Cells whose own boxes reach into the box, in their order.
static int list_near(const cutter* c, const iso_field* field, int* cells) {
    int count = 0;
    for (int leaf = 0; leaf < field->tree.leaf_count; ++leaf) {
        int lanes = lanes_near(c, &field->tree.lanes[leaf]);
        for (int lane = 0; lanes >> lane != 0; ++lane) {
            cells[count] = leaf * ISO_BVH_LEAF_SIZE + lane;
            count += lanes >> lane & 1;
        }
    }
    return count;
}

iso_status iso_overlap_box_cut(const iso_overlap_box* meeting, iso_arena* arena,
                               const iso_field* field, bool is_body_1, int most,
                               iso_overlap_box_parts* out) {
    cutter c = make_cutter(meeting, is_body_1);
    ISO_REQUIRE(arena->ctx, begin_parts(arena, field->tree.leaf_count * ISO_BVH_LEAF_SIZE, out),
                ISO_ERR_MEMORY, "parts of %d leaves", field->tree.leaf_count);
    // Cells come first where their parts will be: no part is written beyond the cells that are
    // read.
    int near_count = list_near(&c, field, out->cells);
    for (int first = 0; first < near_count && out->count <= most; first += ISO_DOUBLE4_LANES) {
        int cells[ISO_DOUBLE4_LANES], here = near_count - first;
        for (int lane = 0; lane < ISO_DOUBLE4_LANES; ++lane) {
            cells[lane] = out->cells[lane < here ? first + lane : first];
        }
        intervals r;
        int lanes = cut_cells(&c, field, cells, &r);
        add_parts(out, cells, here < ISO_DOUBLE4_LANES ? lanes & ((1 << here) - 1) : lanes, &r);
    }
    return ISO_OK;
}

void iso_overlap_box_shrink(iso_overlap_box* meeting, const iso_overlap_box_parts* parts) {
    for (int k = 0; k < 2; ++k) {
        meeting->lower[k + 1] = larger(meeting->lower[k + 1], parts->least[k]);
        meeting->upper[k + 1] = smaller(meeting->upper[k + 1], parts->greatest[k]);
    }
}
