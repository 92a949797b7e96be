// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Capsules and cylinders cut by half spaces and balls: sections across the axis are discs cut by a
// line or by another disc.

#include "volume/round/round.h"
#include "volume/solids/moments.h"

// Most places along the axis where sections change their kind.
#define MOST_BREAKS 16
// Part of a length below which two places are one.
#define SAME_PLACE 1e-14

// Positive half of Gauss and Legendre's 16 points on [-1, 1]: place, weight.
static const double k_gauss[8][2] = {
    {0.09501250983763744, 0.18945061045506850}, {0.28160355077925891, 0.18260341504492359},
    {0.45801677765722739, 0.16915651939500254}, {0.61787624440264375, 0.14959598881657673},
    {0.75540440835500303, 0.12462897125553387}, {0.86563120238783174, 0.09515851168249278},
    {0.94457502307323258, 0.06225352393864789}, {0.98940093499164993, 0.02715245941175409},
};

// B about the origin of L with its axis along z; A in it, symmetric in y.
typedef struct cut {
    double radius, half; // of B: its cylinder
    bool is_capsule;     // B has caps
    bool is_ball;        // A: ball of this radius about (ball_x, ball_z), ball_x >= 0
    double ball, ball_x, ball_z;
    double slope, upright; // A: below slope x + upright z = offset, slope >= 0
    double offset;
    double breaks[MOST_BREAKS];
    int count;
    iso_volume_moments m;  // about a point of the skin, where small volumes are
    double area_x, area_z; // of the outward surface of A in B: ball; the plane's section
    double section, section_x, section_z;
} cut;

// A part of a disc, and moments of its area about the origin.
typedef struct part {
    double area, x, xx, yy;
} part;

// The part of a disc about 0 beyond x = place. The angle is half of that under which it is seen.
static part segment(double radius, double place, double* out_angle) {
    double share = radius > 0.0 ? place / radius : 1.0;
    double angle = share >= 1.0 ? 0.0 : share <= -1.0 ? ISO_PI : acos(share);
    double sine = sin(angle), r2 = radius * radius, r4 = r2 * r2;
    double two = sin(2.0 * angle), four = sin(4.0 * angle);
    *out_angle = angle;
    return (part){.area = r2 * (angle - 0.5 * two),
                  .x = 2.0 / 3.0 * r2 * radius * sine * sine * sine,
                  .xx = 0.25 * r4 * (angle - 0.25 * four),
                  .yy = r4 * (0.25 * angle - two / 6.0 + four / 48.0)};
}

static part mirrored(part p) {
    p.x = -p.x;
    return p;
}

static part moved(part p, double by) {
    p.xx += 2.0 * by * p.x + by * by * p.area;
    p.x += by * p.area;
    return p;
}

static part sum(part a, part b) {
    return (part){a.area + b.area, a.x + b.x, a.xx + b.xx, a.yy + b.yy};
}

// Radius of B's section.
static double profile(const cut* c, double z) {
    double over = fabs(z) - c->half;
    if (over <= 0.0) {
        return c->radius;
    }
    double square = c->is_capsule ? (c->radius - over) * (c->radius + over) : 0.0;
    return square > 0.0 ? sqrt(square) : 0.0;
}

static void add_part(cut* c, part p, double z, double weight) {
    iso_volume_moments* m = &c->m;
    p = moved(p, -m->reference.x);
    z -= m->reference.z;
    m->volume += weight * p.area;
    m->first.x += weight * p.x;
    m->first.z += weight * p.area * z;
    m->second.m[0][0] += weight * p.xx;
    m->second.m[0][2] += weight * p.x * z;
    m->second.m[1][1] += weight * p.yy;
    m->second.m[2][2] += weight * p.area * z * z;
}

// A disc and what of it lies below a line.
static void add_line(cut* c, double z, double weight) {
    double r = profile(c, z), place = (c->offset - c->upright * z) / c->slope, angle;
    add_part(c, mirrored(segment(r, -place, &angle)), z, weight);
    double chord = fabs(place) < r ? 2.0 * sqrt((r - place) * (r + place)) : 0.0;
    double stripe = weight * chord / c->slope;
    c->section += stripe;
    c->section_x += stripe * (place - c->m.reference.x);
    c->section_z += stripe * (z - c->m.reference.z);
}

// Two discs: a lens of two segments, or the smaller one.
static void add_lens(cut* c, double z, double weight) {
    double r = profile(c, z), from = z - c->ball_z, x = c->ball_x;
    double square = (c->ball - from) * (c->ball + from);
    double q = square > 0.0 ? sqrt(square) : 0.0, angle = 0.0, arc = 0.0;
    if (r + q <= x || q == 0.0) {
        return;
    }
    if (fabs(r - q) >= x) {
        bool is_b = r < q;
        part p = segment(is_b ? r : q, -1e300, &angle);
        add_part(c, is_b ? p : moved(p, x), z, weight);
        arc = is_b ? 0.0 : ISO_PI;
    } else {
        double line = 0.5 * (x + (r - q) * (r + q) / x);
        part of_b = segment(r, line, &angle);
        part of_a = moved(mirrored(segment(q, x - line, &arc)), x);
        add_part(c, sum(of_b, of_a), z, weight);
    }
    c->area_x -= 2.0 * weight * q * sin(arc);
    c->area_z += 2.0 * weight * from * arc;
}

static void integrate(cut* c, double from, double to) {
    double middle = 0.5 * (from + to), half = 0.5 * (to - from), quarter = 0.5 * ISO_PI;
    for (int i = 0; i < 16; ++i) {
        double place = i % 2 ? -k_gauss[i / 2][0] : k_gauss[i / 2][0];
        double turn = quarter * place; // z = middle + half sin(turn): smooth at both ends
        double z = middle + half * sin(turn);
        double weight = half * cos(turn) * quarter * k_gauss[i / 2][1];
        if (c->is_ball) {
            add_lens(c, z, weight);
        } else {
            add_line(c, z, weight);
        }
    }
}

static void add_break(cut* c, double z) {
    double end = c->half + (c->is_capsule ? c->radius : 0.0);
    if (!(fabs(z) <= end) || c->count == MOST_BREAKS) {
        return;
    }
    int i = c->count++;
    for (; i > 0 && c->breaks[i - 1] > z; --i) {
        c->breaks[i] = c->breaks[i - 1];
    }
    c->breaks[i] = z;
}

// Where the line of A meets the outline of B: x = +-radius, and circles about the ends.
static void break_line(cut* c) {
    double s = c->slope, u = c->upright;
    for (int side = -1; side <= 1; side += 2) {
        if (u != 0.0) {
            add_break(c, (c->offset - side * s * c->radius) / u);
        }
        double rest = c->offset - side * u * c->half; // of the line, about this end
        double square = (c->radius - rest) * (c->radius + rest);
        if (c->is_capsule && square >= 0.0) {
            add_break(c, side * c->half + u * rest + s * sqrt(square));
            add_break(c, side * c->half + u * rest - s * sqrt(square));
        }
    }
}

// Where the circle of A meets the outline of B, and its own ends.
static void break_ball(cut* c) {
    for (int side = -1; side <= 1; side += 2) {
        double aside = side * c->radius - c->ball_x;
        double square = (c->ball - aside) * (c->ball + aside);
        double high = square > 0.0 ? sqrt(square) : NAN;
        add_break(c, c->ball_z + high);
        add_break(c, c->ball_z - high);
        add_break(c, c->ball_z + side * c->ball);
        if (!c->is_capsule) {
            continue;
        }
        double dz = c->ball_z - side * c->half, d2 = c->ball_x * c->ball_x + dz * dz;
        double along = 0.5 * (1.0 + (c->radius - c->ball) * (c->radius + c->ball) / d2);
        double off = c->radius * c->radius / d2 - along * along;
        double across = off > 0.0 ? c->ball_x * sqrt(off) : NAN;
        add_break(c, side * c->half + along * dz + across);
        add_break(c, side * c->half + along * dz - across);
    }
}

static void integrate_pieces(cut* c) {
    double end = c->half + (c->is_capsule ? c->radius : 0.0);
    add_break(c, -end);
    add_break(c, end);
    if (c->is_capsule) {
        add_break(c, -c->half);
        add_break(c, c->half);
    }
    for (int i = 1; i < c->count; ++i) {
        if (c->breaks[i] - c->breaks[i - 1] > SAME_PLACE * end) {
            integrate(c, c->breaks[i - 1], c->breaks[i]);
        }
    }
    c->m.face_count = c->count;
}

static cut make_cut(const iso_shape_desc* b) {
    return (cut){
        .radius = b->radius, .half = 0.5 * b->length, .is_capsule = b->kind == ISO_SHAPE_CAPSULE};
}

// Frame L in A: z along the axis of B, x along `to` as far as that is across the axis.
static iso_pose frame_of(const iso_pose* x_ab, iso_vec3 to) {
    iso_vec3 axis = iso_mat3_column(&x_ab->r, 2);
    iso_vec3 x = iso_vec3_add_scaled(to, axis, -iso_vec3_dot(to, axis));
    bool is_across = iso_vec3_norm(x) > 1e-9 * iso_vec3_norm(to);
    x = is_across ? iso_vec3_normalized(x) : iso_mat3_column(&x_ab->r, 0);
    return iso_pose_make(iso_mat3_from_columns(x, iso_vec3_cross(axis, x), axis), x_ab->p);
}

void iso_volume_plane_section(const iso_shape_desc* b, const iso_pose* x_ab,
                              iso_volume_metrics* out_metrics) {
    iso_vec3 up = iso_vec3_make(0.0, 0.0, 1.0);
    iso_pose x_al = frame_of(x_ab, up);
    cut c = make_cut(b);
    c.slope = fmax(x_al.r.m[2][0], 1e-9); // upright to 1e-9 rad: the same to rounding
    c.upright = x_al.r.m[2][2];
    c.offset = -x_al.p.z;
    c.m.reference = iso_vec3_make(-c.radius, 0.0, c.upright > 0.0 ? -c.half : c.half);
    break_line(&c);
    integrate_pieces(&c);
    // What of B is in the half space closes with the plane's section.
    iso_vec3 n = iso_vec3_make(x_al.r.m[2][0], x_al.r.m[2][1], x_al.r.m[2][2]);
    c.m.area = iso_vec3_scale(n, -c.section);
    c.m.turn = iso_vec3_cross(n, iso_vec3_make(c.section_x, 0.0, c.section_z));
    iso_volume_finish(&c.m, &x_al, ISO_VOLUME_ANALYTIC, out_metrics);
}

void iso_volume_ball_section(double radius, const iso_shape_desc* b, const iso_pose* x_ab,
                             iso_volume_metrics* out_metrics) {
    iso_pose x_al = frame_of(x_ab, iso_vec3_neg(x_ab->p)); // the ball is at the origin of A
    iso_vec3 ball = iso_mat3_tmul_vec3(&x_al.r, iso_vec3_neg(x_al.p));
    cut c = make_cut(b);
    c.is_ball = true;
    c.ball = radius;
    c.ball_x = fmax(ball.x, 0.0);
    c.ball_z = ball.z;
    c.m.reference = iso_vec3_make(c.radius, 0.0, fmax(fmin(ball.z, c.half), -c.half));
    break_ball(&c);
    integrate_pieces(&c);
    c.m.area = iso_vec3_make(-c.area_x, 0.0, -c.area_z);
    iso_vec3 arm = iso_vec3_sub(iso_vec3_make(c.ball_x, 0.0, c.ball_z), c.m.reference);
    c.m.turn = iso_vec3_cross(arm, c.m.area);
    iso_volume_finish(&c.m, &x_al, ISO_VOLUME_ANALYTIC, out_metrics);
}
