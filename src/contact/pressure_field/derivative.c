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

// How a wrench about p_wc answers to a vector, row by row.
typedef struct answer {
    iso_mat3 moment, force;
} answer;

// A corner of a triangle of a fan, and how the samples so far answer to its motion and pressure.
typedef struct corner {
    iso_vec3 p;
    double pressure;
    iso_rate3 p_rate;
    iso_rate1 pressure_rate;
    answer by_place;
    iso_spatial by_pressure;
} corner;

// How samples that share a normal, a dissipation and a change of area answer to those.
typedef struct face_answer {
    answer by_normal;
    iso_spatial by_dissipation, by_area;
} face_answer;

// One sample of the quadrature.
typedef struct sample {
    double area, pressure;
    iso_vec3 p_wq;
} sample;

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

static answer answer_at(iso_vec3 arm, iso_mat3 force) {
    return (answer){iso_mat3_mul(iso_mat3_skew(arm), force), force};
}

static iso_spatial wrench_at(iso_vec3 arm, iso_vec3 force) {
    return iso_spatial_make(iso_vec3_cross(arm, force), force);
}

static void add_answer(answer* sum, const answer* a, double weight) {
    sum->moment = iso_mat3_add(sum->moment, iso_mat3_scale(a->moment, weight));
    sum->force = iso_mat3_add(sum->force, iso_mat3_scale(a->force, weight));
}

static void add_wrench(iso_spatial* sum, iso_spatial wrench, double weight) {
    *sum = iso_spatial_add(*sum, iso_spatial_scale(wrench, weight));
}

static void add_column(double m[6][6], int column, iso_vec3 moment, iso_vec3 force) {
    m[0][column] += moment.x;
    m[1][column] += moment.y;
    m[2][column] += moment.z;
    m[3][column] += force.x;
    m[4][column] += force.y;
    m[5][column] += force.z;
}

// x y^T
static iso_mat3 outer(iso_vec3 x, iso_vec3 y) {
    return iso_mat3_from_columns(iso_vec3_scale(x, y.x), iso_vec3_scale(x, y.y),
                                 iso_vec3_scale(x, y.z));
}

// dt/dv: of the stress along the normal, of friction in the plane. With D = d p0+ and n . v_t = 0:
// -D (n - rho v_t) n^T - s (rho (1 - n n^T) + rho'/|v_t| v_t v_t^T); tension has no friction.
static iso_mat3 traction_by_velocity(const face_law* law, const point_state* s, iso_vec3 along) {
    double damped = s->is_damped ? law->dissipation * s->loading : 0.0;
    double pressed = fmax(s->stress, 0.0), rough = pressed * s->ratio;
    iso_mat3 m = outer(iso_vec3_scale(along, -damped), law->normal);
    m = iso_mat3_add(m, outer(iso_vec3_scale(law->normal, rough), law->normal));
    m = iso_mat3_add(m, outer(iso_vec3_scale(s->v_t, -pressed * s->stretch), s->v_t));
    for (int i = 0; i < 3; ++i) {
        m.m[i][i] -= rough;
    }
    return m;
}

// dt/dn, by which v_n changes by v . dn and v_t by -n (v . dn) - v_n dn:
// -D (n - rho v_t) v^T + s (1 + rho v_n) + s rho n v^T + s v_n rho'/|v_t| v_t v_t^T
static iso_mat3 traction_by_normal(const face_law* law, const point_state* s, iso_vec3 along) {
    double damped = s->is_damped ? law->dissipation * s->loading : 0.0;
    double pressed = fmax(s->stress, 0.0), rough = pressed * s->ratio;
    iso_mat3 m = outer(iso_vec3_scale(along, -damped), s->v);
    m = iso_mat3_add(m, outer(iso_vec3_scale(law->normal, rough), s->v));
    m = iso_mat3_add(m, outer(iso_vec3_scale(s->v_t, pressed * s->v_n * s->stretch), s->v_t));
    for (int i = 0; i < 3; ++i) {
        m.m[i][i] += s->stress + rough * s->v_n;
    }
    return m;
}

// A change of the twist changes the velocity at the sample: v + w x arm.
static void add_twist_columns(const answer* by_velocity, iso_vec3 arm, double by_twist[6][6]) {
    iso_mat3 turn = iso_mat3_scale(iso_mat3_skew(arm), -1.0);
    answer by_spin = {iso_mat3_mul(by_velocity->moment, turn),
                      iso_mat3_mul(by_velocity->force, turn)};
    for (int j = 0; j < 3; ++j) {
        add_column(by_twist, j, iso_mat3_column(&by_spin.moment, j),
                   iso_mat3_column(&by_spin.force, j));
        add_column(by_twist, 3 + j, iso_mat3_column(&by_velocity->moment, j),
                   iso_mat3_column(&by_velocity->force, j));
    }
}

// What a sample adds. It lies at the weighted mean of corners, and so moves.
static void add_sample(const face_law* law, const sample* at, const double* weights,
                       corner* const* corners, int corner_count, face_answer* face,
                       iso_contact_derivatives* out) {
    point_state s = find_state(law, at);
    iso_vec3 traction = traction_of(law, &s), force = iso_vec3_scale(traction, at->area);
    add_wrench(&out->wrench, wrench_at(s.arm, force), 1.0);
    add_wrench(&face->by_area, wrench_at(s.arm, traction), 1.0);
    double ratio = s.stress > 0.0 ? s.ratio : 0.0;
    iso_vec3 along = iso_vec3_add_scaled(law->normal, s.v_t, -ratio);
    iso_mat3 by_v = iso_mat3_scale(traction_by_velocity(law, &s, along), at->area);
    answer by_velocity = answer_at(s.arm, by_v);
    add_twist_columns(&by_velocity, s.arm, out->by_twist);
    answer by_normal =
        answer_at(s.arm, iso_mat3_scale(traction_by_normal(law, &s, along), at->area));
    add_answer(&face->by_normal, &by_normal, 1.0);
    if (s.is_damped) {
        iso_spatial line = wrench_at(s.arm, iso_vec3_scale(along, at->area));
        add_wrench(&face->by_dissipation, line, -s.loading * s.v_n);
        double share = at->pressure > 0.0 ? 1.0 - law->dissipation * s.v_n : 0.0;
        for (int k = 0; k < corner_count; ++k) {
            add_wrench(&corners[k]->by_pressure, line, weights[k] * share);
        }
    }
    // A sample that moves meets another velocity, w x (its motion), and has another arm.
    answer by_place = answer_at(s.arm, iso_mat3_mul(by_v, iso_mat3_skew(law->v_c.rotational)));
    by_place.moment = iso_mat3_add(by_place.moment, iso_mat3_scale(iso_mat3_skew(force), -1.0));
    for (int k = 0; k < corner_count; ++k) {
        add_answer(&corners[k]->by_place, &by_place, weights[k]);
    }
}

static void add_corner(const corner* c, double by_pose[6][6]) {
    for (int j = 0; j < 6; ++j) {
        iso_vec3 moment = iso_mat3_mul_vec3(&c->by_place.moment, c->p_rate.d[j]);
        iso_vec3 force = iso_mat3_mul_vec3(&c->by_place.force, c->p_rate.d[j]);
        double change = c->pressure_rate.d[j];
        add_column(by_pose, j, iso_vec3_add_scaled(moment, c->by_pressure.rotational, change),
                   iso_vec3_add_scaled(force, c->by_pressure.translational, change));
    }
}

static void add_face_answer(const face_law* law, const face_answer* face,
                            const iso_rate1* area_rate, double by_pose[6][6]) {
    iso_mat3 moments = iso_mat3_mul(face->by_normal.moment, law->normal_rate);
    iso_mat3 forces = iso_mat3_mul(face->by_normal.force, law->normal_rate);
    for (int j = 0; j < 6; ++j) {
        iso_spatial change = iso_spatial_scale(face->by_dissipation, law->dissipation_rate.d[j]);
        add_wrench(&change, face->by_area, area_rate->d[j]);
        add_column(by_pose, j, change.rotational, change.translational);
        if (j < 3) {
            add_column(by_pose, j, iso_mat3_column(&moments, j), iso_mat3_column(&forces, j));
        }
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

// Three samples in a triangle, counter-clockwise about n.
static void add_triangle(derivative_walk* walk, iso_vec3 n, corner* const corners[3]) {
    iso_vec3 a = iso_vec3_sub(corners[1]->p, corners[0]->p);
    iso_vec3 b = iso_vec3_sub(corners[2]->p, corners[0]->p);
    iso_vec3 sum = iso_vec3_add(iso_vec3_add(corners[0]->p, corners[1]->p), corners[2]->p);
    double pressures = corners[0]->pressure + corners[1]->pressure + corners[2]->pressure;
    double area = iso_vec3_dot(n, iso_vec3_cross(a, b)) / 6.0;
    iso_vec3 by_a = iso_vec3_cross(b, n), by_b = iso_vec3_cross(n, a);
    iso_rate1 area_rate;
    for (int j = 0; j < 6; ++j) {
        iso_vec3 da = iso_vec3_sub(corners[1]->p_rate.d[j], corners[0]->p_rate.d[j]);
        iso_vec3 db = iso_vec3_sub(corners[2]->p_rate.d[j], corners[0]->p_rate.d[j]);
        area_rate.d[j] = (iso_vec3_dot(by_a, da) + iso_vec3_dot(by_b, db)) / 6.0;
    }
    face_answer face = {0};
    for (int i = 0; i < 3; ++i) {
        double weights[3] = {1.0 / 6.0, 1.0 / 6.0, 1.0 / 6.0};
        weights[i] = 2.0 / 3.0;
        sample at = {area, (pressures + 3.0 * corners[i]->pressure) / 6.0,
                     iso_vec3_scale(iso_vec3_add_scaled(sum, corners[i]->p, 3.0), 1.0 / 6.0)};
        add_sample(&walk->law, &at, weights, corners, 3, &face, walk->out);
    }
    add_face_answer(&walk->law, &face, &area_rate, walk->out->by_pose);
}

// The corners of a polygon, and the one in the middle.
static void find_corners(const derivative_walk* walk, const iso_moving_polygon* polygon,
                         const iso_polygon_rates* rates, corner* out_middle, corner* out_rim) {
    *out_middle = (corner){.p = rates->centroid,
                           .pressure = rates->pressure,
                           .p_rate = rates->centroid_rate,
                           .pressure_rate = rates->pressure_rate};
    for (int i = 0; i < polygon->count; ++i) {
        out_rim[i] = (corner){0};
        out_rim[i].p = polygon->vertices[i];
        out_rim[i].pressure = polygon->pressures[i];
        iso_moving_polygon_vertex_rate(polygon, i, walk->law.p_wc, &out_rim[i].p_rate,
                                       &out_rim[i].pressure_rate);
    }
}

static void add_corners(const corner* middle, const corner* rim, int rim_count,
                        double by_pose[6][6]) {
    add_corner(middle, by_pose);
    for (int i = 0; i < rim_count; ++i) {
        add_corner(&rim[i], by_pose);
    }
}

static void add_centroid(derivative_walk* walk, const iso_polygon_rates* rates) {
    corner middle = {.p_rate = rates->centroid_rate, .pressure_rate = rates->pressure_rate};
    corner* corners[1] = {&middle};
    sample at = {rates->area, rates->pressure, rates->centroid};
    face_answer face = {0};
    add_sample(&walk->law, &at, (const double[1]){1.0}, corners, 1, &face, walk->out);
    add_face_answer(&walk->law, &face, &rates->area_rate, walk->out->by_pose);
    add_corner(&middle, walk->out->by_pose);
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
            corner* corners[3] = {&middle, &rim[iso_face_order_at(&order, k)],
                                  &rim[iso_face_order_at(&order, k + 1)]};
            add_triangle(walk, iso_face_order_up(walk->law.normal), corners);
        }
        add_corners(&middle, rim, count, walk->out->by_pose);
    } else if (rates.area > 0.0) {
        add_centroid(walk, &rates);
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
static void add_pressed_triangle(derivative_walk* walk, corner* const corners[3]) {
    corner cuts[3];
    corner* part[6];
    int count = 0, cut_count = 0;
    double least = fmin(corners[0]->pressure, fmin(corners[1]->pressure, corners[2]->pressure));
    double most = fmax(corners[0]->pressure, fmax(corners[1]->pressure, corners[2]->pressure));
    if (least >= -ISO_PRESSED_ROUNDING * most) {
        add_triangle(walk, walk->law.normal, corners);
        return;
    }
    for (int i = 0; i < 3; ++i) {
        corner *a = corners[i], *b = corners[(i + 1) % 3];
        if (a->pressure >= 0.0) {
            part[count++] = a;
        }
        if ((a->pressure < 0.0 && b->pressure > 0.0) || (a->pressure > 0.0 && b->pressure < 0.0)) {
            cuts[cut_count] = zero_corner(a, b);
            part[count++] = &cuts[cut_count++];
        }
    }
    for (int i = 2; i < count; ++i) {
        corner* triangle[3] = {part[0], part[i - 1], part[i]};
        add_triangle(walk, walk->law.normal, triangle);
    }
    for (int i = 0; i < cut_count; ++i) {
        add_corner(&cuts[i], walk->out->by_pose);
    }
}

static void add_fan(derivative_walk* walk, const iso_moving_polygon* polygon) {
    iso_polygon_rates rates;
    iso_moving_polygon_rates(polygon, walk->law.p_wc, &rates);
    corner middle, rim[ISO_MOVING_VERTICES];
    find_corners(walk, polygon, &rates, &middle, rim);
    for (int i = 0; i < polygon->count; ++i) {
        int triangle = polygon->is_reversed ? polygon->count - 1 - i : i;
        corner* corners[3] = {&middle, &rim[i], &rim[i + 1 < polygon->count ? i + 1 : 0]};
        iso_rate3 middle_rate;
        for (int j = 0; j < 6; ++j) {
            iso_vec3 sum = iso_vec3_add(corners[0]->p_rate.d[j], corners[1]->p_rate.d[j]);
            middle_rate.d[j] =
                iso_vec3_scale(iso_vec3_add(sum, corners[2]->p_rate.d[j]), 1.0 / 3.0);
        }
        set_dissipation(walk, polygon->first_face + triangle, &middle_rate);
        add_pressed_triangle(walk, corners);
    }
    add_corners(&middle, rim, polygon->count, walk->out->by_pose);
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
