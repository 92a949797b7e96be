// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "contact/pressure_field/derivative.h"

#include "contact/discrete/six.h"
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

// How a wrench about p_wc answers to a vector: a column for each of its components.
typedef struct answer {
    iso_six columns[3];
} answer;

// How samples answer to what changes at them: their velocity, the pressure, and the place of their
// force.
typedef struct share {
    answer by_velocity;
    iso_six by_pressure, force;
} share;

// A corner of a triangle of a fan, and what it moves of the samples so far: themselves and, by its
// place, their area.
typedef struct corner {
    iso_vec3 p;
    double pressure;
    iso_rate3 p_rate;
    iso_rate1 pressure_rate;
    share moved;
    answer by_place;
} corner;

// How samples that share a normal and a dissipation answer to those.
typedef struct face_answer {
    answer by_normal;
    iso_six by_dissipation;
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

// sum += weight x
static void add_six(iso_six* sum, iso_six x, double weight) {
    *sum = iso_six_add_scaled(*sum, weight, x);
}

static void add_share(share* sum, const share* a, double weight) {
    for (int j = 0; j < 3; ++j) {
        add_six(&sum->by_velocity.columns[j], a->by_velocity.columns[j], weight);
    }
    add_six(&sum->by_pressure, a->by_pressure, weight);
    add_six(&sum->force, a->force, weight);
}

// The wrench of a force.
static iso_six wrench_at(iso_vec3 arm, iso_vec3 force) {
    iso_vec3 m = iso_vec3_cross(arm, force);
    return iso_six_make(iso_double4_make(m.x, m.y, m.z, force.x),
                        iso_double4_make(force.y, force.z, 0.0, 0.0));
}

// Wrenches of the three unit forces.
static answer units_at(iso_vec3 arm) {
    return (answer){{wrench_at(arm, iso_vec3_make(1.0, 0.0, 0.0)),
                     wrench_at(arm, iso_vec3_make(0.0, 1.0, 0.0)),
                     wrench_at(arm, iso_vec3_make(0.0, 0.0, 1.0))}};
}

// sum += weight x y^T
static void add_outer(answer* sum, iso_six x, iso_vec3 y, double weight) {
    add_six(&sum->columns[0], x, weight * y.x);
    add_six(&sum->columns[1], x, weight * y.y);
    add_six(&sum->columns[2], x, weight * y.z);
}

// sum += matrix y
static void add_product(iso_six* sum, const answer* matrix, iso_vec3 y) {
    add_six(sum, matrix->columns[0], y.x);
    add_six(sum, matrix->columns[1], y.y);
    add_six(sum, matrix->columns[2], y.z);
}

// A spin changes the velocity at the sample by w x arm.
static void add_spin(const answer* by_velocity, iso_vec3 arm, iso_six by_spin[3]) {
    add_product(&by_spin[0], by_velocity, iso_vec3_make(0.0, -arm.z, arm.y));
    add_product(&by_spin[1], by_velocity, iso_vec3_make(arm.z, 0.0, -arm.x));
    add_product(&by_spin[2], by_velocity, iso_vec3_make(-arm.y, arm.x, 0.0));
}

// What a sample adds, and what it is moved by where it lies. With D = d p0+ and b = rho s n - D (n
// - rho v_t) the traction answers to the velocity, of which the stress takes the part along the
// normal and friction that in the plane, by
//     b n^T - s rho'/|v_t| v_t v_t^T - s rho,
// and to the normal, by which v_n changes by v . dn and v_t by -n (v . dn) - v_n dn, by
//     b v^T + v_n s rho'/|v_t| v_t v_t^T + s (1 + rho v_n).
// Tension has no friction.
static void add_sample(const face_law* law, const sample* at, face_answer* face, iso_six by_spin[3],
                       iso_six* by_area, share* out) {
    point_state s = find_state(law, at);
    double pressed = fmax(s.stress, 0.0), rough = at->area * pressed * s.ratio;
    double stretch = at->area * pressed * s.stretch;
    double damped = s.is_damped ? at->area * law->dissipation * s.loading : 0.0;
    iso_vec3 along = iso_vec3_add_scaled(law->normal, s.v_t, s.stress > 0.0 ? -s.ratio : 0.0);
    iso_vec3 b = iso_vec3_add_scaled(iso_vec3_scale(law->normal, rough), along, -damped);
    iso_six force = wrench_at(s.arm, traction_of(law, &s)), across = wrench_at(s.arm, b);
    iso_six slip = wrench_at(s.arm, s.v_t), line = wrench_at(s.arm, along);
    answer units = units_at(s.arm);
    out->by_velocity = (answer){{iso_six_zero(), iso_six_zero(), iso_six_zero()}};
    add_outer(&out->by_velocity, across, law->normal, 1.0);
    add_outer(&out->by_velocity, slip, s.v_t, -stretch);
    add_outer(&face->by_normal, across, s.v, 1.0);
    add_outer(&face->by_normal, slip, s.v_t, stretch * s.v_n);
    for (int j = 0; j < 3; ++j) {
        add_six(&out->by_velocity.columns[j], units.columns[j], -rough);
        add_six(&face->by_normal.columns[j], units.columns[j], at->area * s.stress + rough * s.v_n);
    }
    add_spin(&out->by_velocity, s.arm, by_spin);
    *by_area = iso_six_add(*by_area, force);
    double by_dissipation = s.is_damped ? -at->area * s.loading * s.v_n : 0.0;
    bool is_pressed = s.is_damped && at->pressure > 0.0;
    double by_pressure = is_pressed ? at->area * (1.0 - law->dissipation * s.v_n) : 0.0;
    add_six(&face->by_dissipation, line, by_dissipation);
    out->by_pressure = iso_six_scale(line, by_pressure);
    out->force = iso_six_scale(force, at->area);
}

// What moves with a corner meets another velocity, w x (its motion), and has another arm.
static answer find_by_place(const corner* c, iso_vec3 w) {
    double bare[ISO_SIX_STRIDE];
    iso_six_store(bare, c->moved.force);
    iso_vec3 force = iso_vec3_make(bare[3], bare[4], bare[5]);
    answer sum = c->by_place;
    for (int j = 0; j < 3; ++j) {
        iso_vec3 motion = iso_vec3_make(j == 0, j == 1, j == 2);
        iso_vec3 m = iso_vec3_cross(motion, force);
        iso_six moment = iso_six_make(iso_double4_make(m.x, m.y, m.z, 0.0), iso_double4_set(0.0));
        sum.columns[j] = iso_six_add(sum.columns[j], moment);
        add_product(&sum.columns[j], &c->moved.by_velocity, iso_vec3_cross(w, motion));
    }
    return sum;
}

static void add_corner(const corner* c, iso_vec3 w, iso_six by_pose[6]) {
    answer by_place = find_by_place(c, w);
    for (int j = 0; j < 6; ++j) {
        add_product(&by_pose[j], &by_place, c->p_rate.d[j]);
        add_six(&by_pose[j], c->moved.by_pressure, c->pressure_rate.d[j]);
    }
}

static void add_face_answer(const face_law* law, const face_answer* face, iso_six by_pose[6]) {
    for (int j = 0; j < 6; ++j) {
        add_six(&by_pose[j], face->by_dissipation, law->dissipation_rate.d[j]);
        if (j < 3) {
            add_product(&by_pose[j], &face->by_normal, iso_mat3_column(&law->normal_rate, j));
        }
    }
}

// Everything a face needs while the walk is on its polygon.
typedef struct derivative_walk {
    const iso_contact_system* system;
    const iso_contact_pair* pair;
    const iso_pose *x_wa, *x_wb;
    face_law law;
    face_answer face;                        // of the samples since set_dissipation()
    iso_six wrench, by_pose[6], by_twist[6]; // derivatives column by column
} derivative_walk;

static void set_dissipation(derivative_walk* walk, int face, const iso_rate3* centroid_rate) {
    iso_face_slopes slopes = iso_patch_face_slopes(&walk->pair->patch, face);
    walk->law.dissipation =
        iso_contact_face_dissipation(&walk->system->options, walk->pair, &slopes);
    iso_contact_face_dissipation_rate(walk->system, walk->pair, face, walk->x_wa, walk->x_wb,
                                      &walk->law.normal_rate, centroid_rate,
                                      &walk->law.dissipation_rate);
    walk->face = (face_answer){0};
}

// Wrench and stiffness of samples of one area.
static void add_samples(derivative_walk* walk, const share* all, iso_six by_area, double area) {
    add_six(&walk->wrench, by_area, area);
    for (int j = 0; j < 3; ++j) {
        walk->by_twist[3 + j] = iso_six_add(walk->by_twist[3 + j], all->by_velocity.columns[j]);
    }
}

// Three samples in a triangle, counter-clockwise about n.
static void add_triangle(derivative_walk* walk, iso_vec3 n, corner* const corners[3]) {
    iso_vec3 a = iso_vec3_sub(corners[1]->p, corners[0]->p);
    iso_vec3 b = iso_vec3_sub(corners[2]->p, corners[0]->p);
    iso_vec3 sum = iso_vec3_add(iso_vec3_add(corners[0]->p, corners[1]->p), corners[2]->p);
    double pressures = corners[0]->pressure + corners[1]->pressure + corners[2]->pressure;
    double area = iso_vec3_dot(n, iso_vec3_cross(a, b)) / 6.0;
    share all = {0}, own;
    iso_six by_area = iso_six_zero();
    for (int i = 0; i < 3; ++i) {
        // Barycentric coordinates (2/3, 1/6, 1/6): 1/2 here, 1/6 of all to all.
        sample at = {area, (pressures + 3.0 * corners[i]->pressure) / 6.0,
                     iso_vec3_scale(iso_vec3_add_scaled(sum, corners[i]->p, 3.0), 1.0 / 6.0)};
        add_sample(&walk->law, &at, &walk->face, walk->by_twist, &by_area, &own);
        add_share(&corners[i]->moved, &own, 0.5);
        add_share(&all, &own, 1.0);
    }
    for (int i = 0; i < 3; ++i) {
        add_share(&corners[i]->moved, &all, 1.0 / 6.0);
    }
    iso_vec3 by_a = iso_vec3_cross(b, n), by_b = iso_vec3_cross(n, a);
    add_outer(&corners[0]->by_place, by_area, iso_vec3_add(by_a, by_b), -1.0 / 6.0);
    add_outer(&corners[1]->by_place, by_area, by_a, 1.0 / 6.0);
    add_outer(&corners[2]->by_place, by_area, by_b, 1.0 / 6.0);
    add_samples(walk, &all, by_area, area);
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

static void add_corners(derivative_walk* walk, const corner* middle, const corner* rim,
                        int rim_count) {
    add_corner(middle, walk->law.v_c.rotational, walk->by_pose);
    for (int i = 0; i < rim_count; ++i) {
        add_corner(&rim[i], walk->law.v_c.rotational, walk->by_pose);
    }
}

static void add_centroid(derivative_walk* walk, const iso_polygon_rates* rates) {
    corner middle = {.p_rate = rates->centroid_rate, .pressure_rate = rates->pressure_rate};
    sample at = {rates->area, rates->pressure, rates->centroid};
    iso_six by_area = iso_six_zero();
    add_sample(&walk->law, &at, &walk->face, walk->by_twist, &by_area, &middle.moved);
    add_samples(walk, &middle.moved, by_area, rates->area);
    for (int j = 0; j < 6; ++j) {
        add_six(&walk->by_pose[j], by_area, rates->area_rate.d[j]);
    }
    add_corners(walk, &middle, NULL, 0);
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
        add_corners(walk, &middle, rim, count);
    } else if (rates.area > 0.0) {
        add_centroid(walk, &rates);
    }
    add_face_answer(&walk->law, &walk->face, walk->by_pose);
}

// Where the pressure is zero between two corners.
static corner zero_corner(const corner* a, const corner* b) {
    double drop = a->pressure - b->pressure, ratio = a->pressure / drop;
    corner r = {.p = iso_vec3_lerp(a->p, b->p, ratio), .pressure = 0.0};
    iso_vec3 along = iso_vec3_sub(b->p, a->p);
    for (int j = 0; j < 6; ++j) {
        double change =
            (a->pressure * b->pressure_rate.d[j] - b->pressure * a->pressure_rate.d[j]) /
            (drop * drop);
        r.p_rate.d[j] = iso_vec3_lerp(a->p_rate.d[j], b->p_rate.d[j], ratio);
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
        add_corner(&cuts[i], walk->law.v_c.rotational, walk->by_pose);
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
        add_face_answer(&walk->law, &walk->face, walk->by_pose);
    }
    add_corners(walk, &middle, rim, polygon->count);
}

static void put_derivatives(const derivative_walk* walk, iso_contact_derivatives* out) {
    double x[ISO_SIX_STRIDE];
    iso_six_store(x, walk->wrench);
    out->wrench =
        iso_spatial_make(iso_vec3_make(x[0], x[1], x[2]), iso_vec3_make(x[3], x[4], x[5]));
    for (int j = 0; j < 6; ++j) {
        double by_twist[ISO_SIX_STRIDE];
        iso_six_store(x, walk->by_pose[j]);
        iso_six_store(by_twist, walk->by_twist[j]);
        for (int i = 0; i < 6; ++i) {
            out->by_pose[i][j] = x[i];
            out->by_twist[i][j] = by_twist[i];
        }
    }
}

iso_status iso_contact_wrench_derivatives(const iso_contact_system* system,
                                          const iso_contact_pair* pair, const iso_pose* x_wa,
                                          const iso_pose* x_wb, iso_spatial v_c,
                                          iso_contact_derivatives* out_derivatives) {
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
    put_derivatives(&walk, out_derivatives);
    return iso_boundary_walk_finish(&boundary, system->ctx);
}
