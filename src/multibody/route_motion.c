// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// How the length of a route accelerates while no joint does: what a rotor along it feels of motion.
// Lengths of pieces are carried with their first and second rates in time.
// docs/theory/multibody.md.

#include "multibody/route.h"

#include <math.h>

// A number with its rates.
typedef struct rates {
    double x, v, a;
} rates;

// A point with its rates.
typedef struct moving {
    iso_vec3 x, v, a;
} moving;

static rates add(rates a, rates b) {
    return (rates){a.x + b.x, a.v + b.v, a.a + b.a};
}
static rates scale(rates a, double s) {
    return (rates){s * a.x, s * a.v, s * a.a};
}
static rates mul(rates a, rates b) {
    return (rates){a.x * b.x, a.v * b.x + a.x * b.v, a.a * b.x + 2.0 * a.v * b.v + a.x * b.a};
}
// f(a), from f and its derivatives there.
static rates compose(rates a, double f, double df, double ddf) {
    return (rates){f, df * a.v, df * a.a + ddf * a.v * a.v};
}
static rates root(rates a) {
    double r = sqrt(a.x);
    return r > 0.0 ? compose(a, r, 0.5 / r, -0.25 / (r * a.x)) : (rates){0.0, 0.0, 0.0};
}
static rates inverse(rates a) {
    double i = 1.0 / a.x;
    return compose(a, i, -i * i, 2.0 * i * i * i);
}

static rates dot(moving a, moving b) {
    return (rates){iso_vec3_dot(a.x, b.x), iso_vec3_dot(a.v, b.x) + iso_vec3_dot(a.x, b.v),
                   iso_vec3_dot(a.a, b.x) + 2.0 * iso_vec3_dot(a.v, b.v) + iso_vec3_dot(a.x, b.a)};
}
static moving sub(moving a, moving b) {
    return (moving){iso_vec3_sub(a.x, b.x), iso_vec3_sub(a.v, b.v), iso_vec3_sub(a.a, b.a)};
}
static moving stretch(moving a, rates s) {
    moving out = {iso_vec3_scale(a.x, s.x), iso_vec3_scale(a.v, s.x), iso_vec3_scale(a.a, s.x)};
    out.v = iso_vec3_add_scaled(out.v, a.x, s.v);
    out.a = iso_vec3_add_scaled(iso_vec3_add_scaled(out.a, a.v, 2.0 * s.v), a.x, s.a);
    return out;
}

// What a walk along a route sees.
typedef struct view {
    const iso_kinematics* kinematics;
    const iso_spatial* a_wb;
} view;

// A point fixed to a body.
static moving carried(const view* w, int body, iso_vec3 p) {
    iso_spatial v = w->kinematics->v_wb[body];
    iso_vec3 arm = iso_vec3_sub(p, w->kinematics->x_wb[body].p);
    iso_spatial a = iso_multibody_shift_acceleration(w->a_wb[body], v.rotational, arm);
    return (moving){p, iso_spatial_shift_twist(v, arm).translational, a.translational};
}

// A point of another body as seen from the place of an obstacle: R^T (p - o).
static moving seen(const view* w, int body, const iso_pose* x_ws, moving p) {
    iso_spatial v = w->kinematics->v_wb[body];
    iso_vec3 turn = v.rotational, gain = w->a_wb[body].rotational;
    moving d = sub(p, carried(w, body, x_ws->p));
    iso_vec3 slip = iso_vec3_sub(d.v, iso_vec3_cross(turn, d.x));
    iso_vec3 rise = iso_vec3_sub(d.a, iso_vec3_cross(gain, d.x));
    rise = iso_vec3_sub(rise, iso_vec3_scale(iso_vec3_cross(turn, d.v), 2.0));
    rise = iso_vec3_add(rise, iso_vec3_cross(turn, iso_vec3_cross(turn, d.x)));
    return (moving){iso_mat3_tmul_vec3(&x_ws->r, d.x), iso_mat3_tmul_vec3(&x_ws->r, slip),
                    iso_mat3_tmul_vec3(&x_ws->r, rise)};
}

static rates length_of(moving a) {
    return root(dot(a, a));
}

// The angle between two directions from the centre, in their plane.
static rates angle_between(moving a, moving b) {
    rates c = dot(stretch(a, inverse(length_of(a))), stretch(b, inverse(length_of(b))));
    double x = fmin(1.0, fmax(-1.0, c.x));
    double sine =
        iso_vec3_norm(iso_vec3_cross(a.x, b.x)) / (iso_vec3_norm(a.x) * iso_vec3_norm(b.x));
    if (sine < 1e-12) { // they lie in line: the angle is at its least or most
        return (rates){x > 0.0 ? 0.0 : acos(-1.0), 0.0, 0.0};
    }
    return compose(c, atan2(sine, x), -1.0 / sine, -x / (sine * sine * sine));
}

// From a distance to the circle along a tangent, and the angle that it spans at the centre.
static rates tangent(rates distance, double radius) {
    return root(add(mul(distance, distance), (rates){-radius * radius, 0.0, 0.0}));
}
static rates tangent_angle(rates distance, double radius) {
    double t = sqrt(fmax(distance.x * distance.x - radius * radius, 1e-300)), d = distance.x;
    double slope = radius / (d * t);
    return compose(distance, atan2(t, radius), slope,
                   -radius * (t * t + d * d) / (d * d * t * t * t));
}

// Around the outside: both tangents and the arc between them.
static rates outside(rates from, rates to, rates angle, double radius, bool is_long) {
    rates whole = {2.0 * acos(-1.0), 0.0, 0.0};
    rates turn = is_long ? add(whole, scale(angle, -1.0)) : angle;
    rates spans = add(tangent_angle(from, radius), tangent_angle(to, radius));
    rates arc = scale(add(turn, scale(spans, -1.0)), radius);
    arc = arc.x > 0.0 ? arc : (rates){0.0, 0.0, 0.0};
    return add(add(tangent(from, radius), tangent(to, radius)), arc);
}

// The way from a distance to the circle's point that is seen under an angle.
static rates way_to(rates distance, rates angle, double radius) {
    rates c = compose(angle, cos(angle.x), -sin(angle.x), -cos(angle.x));
    rates square = add(mul(distance, distance), (rates){radius * radius, 0.0, 0.0});
    return root(add(square, scale(mul(distance, c), -2.0 * radius)));
}

// Along the inside, touching where the sum of both ways is least: the point moves so that it stays
// there, which takes what its rate would add.
static rates inside(rates from, rates to, rates angle, double radius, double at) {
    double rate = 0.0;
    for (int i = 0; i < 2; ++i) { // the second time with the rate that keeps it least
        rates near = {at, rate, 0.0}, far = add(angle, scale(near, -1.0));
        rates sum = add(way_to(from, near, radius), way_to(to, far, radius));
        if (i == 1) {
            return sum;
        }
        rates none = {at, 0.0, 0.0}, one = {at, 1.0, 0.0}, two = {at, -1.0, 0.0};
        rates still =
            add(way_to(from, none, radius), way_to(to, add(angle, scale(none, -1.0)), radius));
        rates up = add(way_to(from, one, radius), way_to(to, add(angle, scale(one, -1.0)), radius));
        rates down =
            add(way_to(from, two, radius), way_to(to, add(angle, scale(two, -1.0)), radius));
        double bend = 0.5 * (up.a + down.a) - still.a, slope = 0.5 * (up.a - down.a);
        rate = bend > 0.0 ? -0.5 * slope / bend : 0.0;
    }
    return (rates){0.0, 0.0, 0.0};
}

static moving in_plane(moving a, bool is_flat) {
    if (is_flat) {
        a.x.z = a.v.z = a.a.z = 0.0;
    }
    return a;
}

// A line between two points that an obstacle turns as it was found to.
static rates wound(const iso_route_part* part, const iso_route_turn* turn, moving p, moving q) {
    bool is_cylinder = part->kind == ISO_ROUTE_CYLINDER;
    moving a = in_plane(p, is_cylinder), b = in_plane(q, is_cylinder);
    rates from = length_of(a), to = length_of(b), angle = angle_between(a, b);
    rates flat = turn->is_inside ? inside(from, to, angle, part->radius, turn->angle)
                                 : outside(from, to, angle, part->radius, turn->is_long);
    if (!is_cylinder) {
        return flat;
    }
    rates climb = {q.x.z - p.x.z, q.v.z - p.v.z, q.a.z - p.a.z};
    return root(add(mul(flat, flat), mul(climb, climb)));
}

static rates between(const view* w, const iso_route_part* obstacle, int a, iso_vec3 p, int b,
                     iso_vec3 q) {
    moving from = carried(w, a, p), to = carried(w, b, q);
    iso_route_turn turn;
    if (!obstacle || !iso_route_find_turn(obstacle, w->kinematics, p, q, &turn)) {
        return length_of(sub(to, from));
    }
    iso_pose x_ws = iso_pose_mul(&w->kinematics->x_wb[obstacle->body], &obstacle->x_bs);
    return wound(obstacle, &turn, seen(w, obstacle->body, &x_ws, from),
                 seen(w, obstacle->body, &x_ws, to));
}

double iso_route_acceleration(const iso_route* route, const iso_kinematics* kinematics,
                              const iso_spatial* a_wb) {
    const iso_route_part *last = NULL, *obstacle = NULL;
    view w = {kinematics, a_wb};
    iso_vec3 p = iso_vec3_zero();
    double sum = 0.0, share = 1.0;
    for (int i = 0; i < route->count; ++i) {
        const iso_route_part* part = &route->parts[i];
        if (part->kind == ISO_ROUTE_POINT) {
            iso_vec3 q = iso_pose_point(&kinematics->x_wb[part->body], part->x_bs.p);
            sum += last ? share * between(&w, obstacle, last->body, p, part->body, q).a : 0.0;
            last = part;
            obstacle = NULL;
            p = q;
        } else if (part->kind == ISO_ROUTE_PULLEY) {
            share = 1.0 / part->divisor;
            last = NULL;
        } else {
            obstacle = part;
        }
    }
    return sum;
}

double iso_joint_length_rate(const iso_joint_length* length, const iso_multibody* multibody,
                             const iso_kinematics* kinematics, const double* v) {
    const iso_route* route = &length->route;
    double rate = route->count > 0 ? iso_route_rate(route, multibody, kinematics, v) : 0.0;
    for (int i = 0; i < length->count; ++i) {
        rate += length->weights[i] * v[multibody->bodies[length->bodies[i]].v_index];
    }
    return rate;
}

void iso_joint_length_add_effort(const iso_joint_length* length, const iso_multibody* multibody,
                                 const iso_kinematics* kinematics, double effort, double* tau) {
    if (length->route.count > 0) {
        iso_route_add_effort(&length->route, multibody, kinematics, effort, tau);
    }
    for (int i = 0; i < length->count; ++i) {
        tau[multibody->bodies[length->bodies[i]].v_index] += length->weights[i] * effort;
    }
}
