// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "contact/pressure_field/derivative.h"

#include "contact/pairs/contact_system_state.h"
#include "contact/pressure_field/derivative_face.h"
#include "contact/pressure_field/face.h"
#include "surface/moments/boundary.h"

// What the samples of one face share, and the rates of it.
typedef struct face_law {
    iso_friction friction;
    double dissipation;
    double adhesion;
    iso_vec3 normal;
    iso_mat3 normal_rate; // for w
    iso_rate1 dissipation_rate;
    iso_spatial v_c;
    iso_vec3 p_wc;
} face_law;

// One sample of the quadrature: an area, a place, the pressure there.
typedef struct sample {
    double area, pressure;
    iso_vec3 p_wq;
    iso_rate1 area_rate, pressure_rate;
    iso_rate3 p_wq_rate;
} sample;

static iso_vec3 unit(int axis) {
    return iso_vec3_make(axis == 0 ? 1.0 : 0.0, axis == 1 ? 1.0 : 0.0, axis == 2 ? 1.0 : 0.0);
}

// State of the law at a sample: traction = s n - max(s, 0) rho v_t.
typedef struct point_state {
    iso_vec3 arm, v, v_t;
    double v_n;
    double loading; // p0+
    double stress;  // s, damped pressure
    double ratio;   // rho
    double stretch; // rho' / |v_t|
    bool is_damped; // s is not at its floor
} point_state;

static point_state find_state(const face_law* law, const sample* at) {
    point_state s = {.arm = iso_vec3_sub(at->p_wq, law->p_wc)};
    s.v = iso_vec3_add(law->v_c.translational, iso_vec3_cross(law->v_c.rotational, s.arm));
    s.v_n = iso_vec3_dot(s.v, law->normal);
    s.v_t = iso_vec3_add_scaled(s.v, law->normal, -s.v_n);
    s.loading = fmax(at->pressure, 0.0);
    double damped = s.loading * (1.0 - law->dissipation * s.v_n);
    s.is_damped = damped > -law->adhesion;
    s.stress = iso_damped_pressure(at->pressure, law->dissipation, s.v_n, law->adhesion);
    double speed = iso_vec3_norm(s.v_t);
    s.ratio = iso_friction_law_ratio(&law->friction, speed);
    double slope = iso_friction_law_ratio_slope(&law->friction, speed);
    s.stretch = speed > 0.0 ? slope / speed : 0.0;
    return s;
}

static iso_vec3 traction_of(const face_law* law, const point_state* s) {
    iso_vec3 t = iso_vec3_scale(law->normal, s->stress);
    return iso_vec3_add_scaled(t, s->v_t, -fmax(s->stress, 0.0) * s->ratio);
}

// Changes of what a traction depends on.
typedef struct point_change {
    iso_vec3 v, normal;
    double pressure, dissipation;
} point_change;

static iso_vec3 change_traction(const face_law* law, const sample* at, const point_state* s,
                                const point_change* by) {
    iso_vec3 n = law->normal;
    double v_n = iso_vec3_dot(n, by->v) + iso_vec3_dot(s->v, by->normal);
    iso_vec3 v_t = iso_vec3_add_scaled(by->v, n, -v_n);
    v_t = iso_vec3_add_scaled(v_t, by->normal, -s->v_n);
    double stress = 0.0;
    if (s->is_damped) {
        double loading = at->pressure > 0.0 ? by->pressure : 0.0;
        stress = loading * (1.0 - law->dissipation * s->v_n) -
                 s->loading * (law->dissipation * v_n + by->dissipation * s->v_n);
    }
    iso_vec3 t = iso_vec3_add_scaled(iso_vec3_scale(n, stress), by->normal, s->stress);
    if (s->stress > 0.0) {
        iso_vec3 pull = iso_vec3_scale(v_t, s->ratio);
        pull = iso_vec3_add_scaled(pull, s->v_t, s->stretch * iso_vec3_dot(s->v_t, v_t));
        t = iso_vec3_add_scaled(t, pull, -s->stress);
        t = iso_vec3_add_scaled(t, s->v_t, -s->ratio * stress);
    }
    return t;
}

static void add_column(double m[6][6], int column, iso_vec3 moment, iso_vec3 force) {
    m[0][column] += moment.x;
    m[1][column] += moment.y;
    m[2][column] += moment.z;
    m[3][column] += force.x;
    m[4][column] += force.y;
    m[5][column] += force.z;
}

// How a traction answers to each change.
typedef struct point_response {
    iso_mat3 to_v, to_normal;
    iso_vec3 to_pressure, to_dissipation;
} point_response;

static point_response find_response(const face_law* law, const sample* at, const point_state* s) {
    iso_vec3 v[3], n[3];
    for (int i = 0; i < 3; ++i) {
        v[i] = change_traction(law, at, s, &(point_change){.v = unit(i)});
        n[i] = change_traction(law, at, s, &(point_change){.normal = unit(i)});
    }
    return (point_response){
        .to_v = iso_mat3_from_columns(v[0], v[1], v[2]),
        .to_normal = iso_mat3_from_columns(n[0], n[1], n[2]),
        .to_pressure = change_traction(law, at, s, &(point_change){.pressure = 1.0}),
        .to_dissipation = change_traction(law, at, s, &(point_change){.dissipation = 1.0}),
    };
}

// A change of the twist changes the velocity at the sample: v + w x arm.
static void add_twist_columns(const point_response* r, iso_vec3 arm, double area,
                              double by_twist[6][6]) {
    iso_mat3 linear = iso_mat3_scale(r->to_v, area);
    iso_mat3 angular = iso_mat3_mul(linear, iso_mat3_scale(iso_mat3_skew(arm), -1.0));
    for (int j = 0; j < 3; ++j) {
        iso_vec3 w = iso_mat3_column(&angular, j), v = iso_mat3_column(&linear, j);
        add_column(by_twist, j, iso_vec3_cross(arm, w), w);
        add_column(by_twist, 3 + j, iso_vec3_cross(arm, v), v);
    }
}

static void add_sample(const face_law* law, const sample* at, iso_contact_derivatives* out) {
    point_state s = find_state(law, at);
    iso_vec3 traction = traction_of(law, &s);
    iso_vec3 force = iso_vec3_scale(traction, at->area);
    out->wrench.translational = iso_vec3_add(out->wrench.translational, force);
    out->wrench.rotational = iso_vec3_add(out->wrench.rotational, iso_vec3_cross(s.arm, force));
    point_response r = find_response(law, at, &s);
    add_twist_columns(&r, s.arm, at->area, out->by_twist);
    // A sample that moves meets another velocity: w x (its motion).
    iso_mat3 to_place = iso_mat3_mul(r.to_v, iso_mat3_skew(law->v_c.rotational));
    iso_mat3 to_turn = iso_mat3_mul(r.to_normal, law->normal_rate);
    for (int j = 0; j < 6; ++j) {
        iso_vec3 change = iso_mat3_mul_vec3(&to_place, at->p_wq_rate.d[j]);
        change = iso_vec3_add_scaled(change, r.to_pressure, at->pressure_rate.d[j]);
        change = iso_vec3_add_scaled(change, r.to_dissipation, law->dissipation_rate.d[j]);
        if (j < 3) {
            change = iso_vec3_add(change, iso_mat3_column(&to_turn, j));
        }
        change =
            iso_vec3_add_scaled(iso_vec3_scale(change, at->area), traction, at->area_rate.d[j]);
        iso_vec3 moment =
            iso_vec3_add(iso_vec3_cross(at->p_wq_rate.d[j], force), iso_vec3_cross(s.arm, change));
        add_column(out->by_pose, j, moment, change);
    }
}

// Everything a face needs while the walk is on its polygon.
typedef struct derivative_walk {
    const iso_contact_system* system;
    const iso_contact_pair* pair;
    const iso_pose *x_wa, *x_wb;
    face_law law;
    iso_contact_derivatives* out;
} derivative_walk;

static void set_dissipation(derivative_walk* walk, int face, const iso_rate3* centroid_rate) {
    iso_face_slopes slopes = iso_patch_face_slopes(&walk->pair->patch, face);
    walk->law.dissipation =
        iso_contact_face_dissipation(&walk->system->options, walk->pair, &slopes);
    iso_contact_face_dissipation_rate(walk->system, walk->pair, face, walk->x_wa, walk->x_wb,
                                      &walk->law.normal_rate, centroid_rate,
                                      &walk->law.dissipation_rate);
}

// A corner of a triangle of a fan.
typedef struct corner {
    iso_vec3 p;
    double pressure;
    iso_rate3 p_rate;
    iso_rate1 pressure_rate;
} corner;

// Weighted mean of the corners of a triangle, with its share of the area.
static void mix_corners(const corner* const corners[3], const double weights[3], sample* out) {
    out->p_wq = iso_vec3_zero();
    out->pressure = 0.0;
    out->p_wq_rate = (iso_rate3){{{0.0, 0.0, 0.0}}};
    out->pressure_rate = (iso_rate1){{0.0}};
    for (int k = 0; k < 3; ++k) {
        const corner* c = corners[k];
        out->p_wq = iso_vec3_add_scaled(out->p_wq, c->p, weights[k]);
        out->pressure += weights[k] * c->pressure;
        for (int j = 0; j < 6; ++j) {
            out->p_wq_rate.d[j] =
                iso_vec3_add_scaled(out->p_wq_rate.d[j], c->p_rate.d[j], weights[k]);
            out->pressure_rate.d[j] += weights[k] * c->pressure_rate.d[j];
        }
    }
}

// Three samples in a triangle, counter-clockwise about n.
static void add_triangle(derivative_walk* walk, iso_vec3 n, const corner* const corners[3]) {
    iso_vec3 a = iso_vec3_sub(corners[1]->p, corners[0]->p);
    iso_vec3 b = iso_vec3_sub(corners[2]->p, corners[0]->p);
    sample at = {.area = iso_vec3_dot(n, iso_vec3_cross(a, b)) / 6.0};
    for (int j = 0; j < 6; ++j) {
        iso_vec3 da = iso_vec3_sub(corners[1]->p_rate.d[j], corners[0]->p_rate.d[j]);
        iso_vec3 db = iso_vec3_sub(corners[2]->p_rate.d[j], corners[0]->p_rate.d[j]);
        iso_vec3 change = iso_vec3_add(iso_vec3_cross(da, b), iso_vec3_cross(a, db));
        at.area_rate.d[j] = iso_vec3_dot(n, change) / 6.0;
    }
    for (int i = 0; i < 3; ++i) {
        double weights[3] = {1.0 / 6.0, 1.0 / 6.0, 1.0 / 6.0};
        weights[i] = 2.0 / 3.0;
        mix_corners(corners, weights, &at);
        add_sample(&walk->law, &at, walk->out);
    }
}

// The corners of a polygon, and the one in the middle.
static void find_corners(const derivative_walk* walk, const iso_moving_polygon* polygon,
                         const iso_polygon_rates* rates, corner* out_middle, corner* out_rim) {
    *out_middle =
        (corner){rates->centroid, rates->pressure, rates->centroid_rate, rates->pressure_rate};
    for (int i = 0; i < polygon->count; ++i) {
        out_rim[i].p = polygon->vertices[i];
        out_rim[i].pressure = polygon->pressures[i];
        iso_moving_polygon_vertex_rate(polygon, i, walk->law.p_wc, &out_rim[i].p_rate,
                                       &out_rim[i].pressure_rate);
    }
}

// What is outside the margin: one sample at its centroid as Drake has it, else a fan of triangles.
static void add_polygon(derivative_walk* walk, const iso_moving_polygon* polygon) {
    iso_polygon_rates rates;
    iso_moving_polygon_rates(polygon, walk->law.p_wc, &rates);
    set_dissipation(walk, polygon->first_face, &rates.centroid_rate);
    iso_moving_polygon pressed;
    bool is_cut;
    if (!iso_moving_polygon_press(polygon, ISO_PRESSED_ROUNDING, &is_cut, &pressed)) {
        return;
    }
    if (is_cut) {
        iso_moving_polygon_rates(&pressed, walk->law.p_wc, &rates);
    }
    if (walk->system->options.cull == ISO_CULL_NONE && rates.area > 0.0) {
        corner middle, rim[ISO_MOVING_VERTICES];
        int count = is_cut ? pressed.count : polygon->count;
        find_corners(walk, is_cut ? &pressed : polygon, &rates, &middle, rim);
        const iso_vec3* vertices = is_cut ? pressed.vertices : polygon->vertices;
        iso_face_order order = iso_face_order_find(vertices, count, walk->law.normal);
        for (int k = 0; k < count; ++k) {
            const corner* corners[3] = {&middle, &rim[iso_face_order_at(&order, k)],
                                        &rim[iso_face_order_at(&order, k + 1)]};
            add_triangle(walk, iso_face_order_up(walk->law.normal), corners);
        }
        return;
    }
    sample at = {.area = rates.area,
                 .pressure = rates.pressure,
                 .p_wq = rates.centroid,
                 .area_rate = rates.area_rate,
                 .pressure_rate = rates.pressure_rate,
                 .p_wq_rate = rates.centroid_rate};
    if (at.area > 0.0) {
        add_sample(&walk->law, &at, walk->out);
    }
}

// Where the pressure is zero between two corners.
static corner zero_corner(const corner* a, const corner* b) {
    double drop = a->pressure - b->pressure, share = a->pressure / drop;
    corner r = {.p = iso_vec3_lerp(a->p, b->p, share), .pressure = 0.0};
    iso_vec3 along = iso_vec3_sub(b->p, a->p);
    for (int j = 0; j < 6; ++j) {
        double change =
            (a->pressure * b->pressure_rate.d[j] - b->pressure * a->pressure_rate.d[j]) /
            (drop * drop);
        r.p_rate.d[j] = iso_vec3_lerp(a->p_rate.d[j], b->p_rate.d[j], share);
        r.p_rate.d[j] = iso_vec3_add_scaled(r.p_rate.d[j], along, change);
    }
    return r;
}

// The part of a triangle outside the margin has three or four corners: a fan, cut as
// iso_patch_press_face() does.
static void add_pressed_triangle(derivative_walk* walk, const corner* const corners[3]) {
    corner cuts[3];
    const corner* part[6];
    int count = 0;
    double least = fmin(corners[0]->pressure, fmin(corners[1]->pressure, corners[2]->pressure));
    double most = fmax(corners[0]->pressure, fmax(corners[1]->pressure, corners[2]->pressure));
    if (least >= -ISO_PRESSED_ROUNDING * most) {
        add_triangle(walk, walk->law.normal, corners);
        return;
    }
    for (int i = 0; i < 3; ++i) {
        const corner *a = corners[i], *b = corners[(i + 1) % 3];
        if (a->pressure >= 0.0) {
            part[count++] = a;
        }
        if ((a->pressure < 0.0 && b->pressure > 0.0) || (a->pressure > 0.0 && b->pressure < 0.0)) {
            cuts[i] = zero_corner(a, b);
            part[count++] = &cuts[i];
        }
    }
    for (int i = 2; i < count; ++i) {
        const corner* triangle[3] = {part[0], part[i - 1], part[i]};
        add_triangle(walk, walk->law.normal, triangle);
    }
}

static void add_fan(derivative_walk* walk, const iso_moving_polygon* polygon) {
    static const double k_middle[3] = {1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0};
    iso_polygon_rates rates;
    iso_moving_polygon_rates(polygon, walk->law.p_wc, &rates);
    corner middle, rim[ISO_MOVING_VERTICES];
    find_corners(walk, polygon, &rates, &middle, rim);
    for (int i = 0; i < polygon->count; ++i) {
        int triangle = polygon->is_reversed ? polygon->count - 1 - i : i;
        const corner* corners[3] = {&middle, &rim[i], &rim[i + 1 < polygon->count ? i + 1 : 0]};
        sample whole;
        mix_corners(corners, k_middle, &whole);
        set_dissipation(walk, polygon->first_face + triangle, &whole.p_wq_rate);
        add_pressed_triangle(walk, corners);
    }
}

iso_status iso_contact_wrench_derivatives(const iso_contact_system* system,
                                          const iso_contact_pair* pair, const iso_pose* x_wa,
                                          const iso_pose* x_wb, iso_spatial v_c,
                                          iso_contact_derivatives* out_derivatives) {
    *out_derivatives = (iso_contact_derivatives){0};
    const iso_contact_options* options = &system->options;
    bool is_fan = options->representation == ISO_REPRESENTATION_TRIANGLE;
    derivative_walk walk = {
        .system = system,
        .pair = pair,
        .x_wa = x_wa,
        .x_wb = x_wb,
        .law = {.friction = iso_contact_pair_friction(system, pair),
                .adhesion = pair->adhesion,
                .v_c = v_c,
                .p_wc = pair->p_wc},
        .out = out_derivatives,
    };
    iso_boundary_walk boundary;
    iso_moving_polygon polygon;
    iso_boundary_walk_begin(&boundary, system->geometries[pair->geometry_a].shape, x_wa,
                            system->geometries[pair->geometry_b].shape, x_wb,
                            options->representation, &pair->patch);
    while (iso_boundary_walk_next(&boundary, &polygon)) {
        walk.law.normal = polygon.normal;
        walk.law.normal_rate = iso_moving_polygon_normal_rate(&polygon);
        (is_fan ? add_fan : add_polygon)(&walk, &polygon);
    }
    return iso_boundary_walk_finish(&boundary, system->ctx);
}
