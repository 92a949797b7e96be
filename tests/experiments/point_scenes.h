// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// The experiments of [Gonthier2007] chapter 5 that need no world: an impact, a block on a moving
// plate, a ball over a surface, a double pendulum. The pure functions of the point model under
// the explicit methods of src/integrator; tests and `make validate` share them.

#include "contact/point/point_contact.h"
#include "contact/point/point_pair.h"
#include "integrator/explicit_rk.h"

#include <string.h>

#define DEGREE (ISO_PI / 180.0)
#define SCENE_SIZE 16 // doubles of a state, at most

/// A mechanical state with the memory of its one contact behind it.
typedef struct point_scene {
    iso_point_contact_law law;
    iso_point_memory memory;
    int count; ///< mechanical numbers
    double y[SCENE_SIZE];
    double t;
    double work[8 * SCENE_SIZE];
    /// Depth and slip of the contact; and the mechanical rates under its force.
    double (*contact)(const struct point_scene* scene, const double* y, iso_bristle_slip* slip);
    void (*rates)(const struct point_scene* scene, const double* y, const iso_point_result* r,
                  const iso_bristle_slip* slip, double* out);
    const void* data;
} point_scene;

static inline void point_scene_eval(const point_scene* scene, const double* y,
                                    iso_point_result* out, iso_bristle_slip* slip) {
    iso_point_memory memory = scene->memory;
    iso_point_memory_unpack(y + scene->count, &memory);
    double depth = scene->contact(scene, y, slip);
    iso_point_eval(&scene->law, &memory, depth, slip, out);
}

static inline iso_status point_scene_rhs(void* user, double t, const double* y, double* out) {
    const point_scene* scene = user;
    iso_point_result r;
    iso_bristle_slip slip;
    (void)t;
    point_scene_eval(scene, y, &r, &slip);
    scene->rates(scene, y, &r, &slip, out);
    memset(out + scene->count, 0, ISO_POINT_STATE_COUNT * sizeof *out);
    if (scene->memory.is_touching) {
        iso_point_rates_pack(&r, out + scene->count);
    }
    return ISO_OK;
}

/// What acts now.
static inline iso_point_result point_scene_now(const point_scene* scene) {
    iso_point_result r;
    iso_bristle_slip slip;
    point_scene_eval(scene, scene->y, &r, &slip);
    return r;
}

/// One step of the classical method, then the memory's episodes: found late, as a fixed step does.
static inline bool point_scene_step(point_scene* scene, double dt) {
    iso_rk_problem problem = {
        .dimension = scene->count + ISO_POINT_STATE_COUNT, .rhs = point_scene_rhs, .user = scene};
    iso_rk_state state = {.work = scene->work};
    double end = scene->t + dt;
    iso_status status = iso_rk_advance(NULL, &iso_rk_table_rk4, &problem, &scene->t, scene->y, end,
                                       0.0, &state, NULL);
    iso_bristle_slip slip;
    double depth = scene->contact(scene, scene->y, &slip);
    if (depth > 0.0 && !scene->memory.is_touching) {
        iso_point_touch(&scene->law, depth, -iso_vec3_dot(slip.velocity, slip.normal), 0.0,
                        &scene->memory);
    } else if (depth <= 0.0 && scene->memory.is_touching) {
        iso_point_part(&scene->memory);
    } else {
        return status == ISO_OK;
    }
    iso_point_memory_pack(&scene->memory, scene->y + scene->count);
    return status == ISO_OK;
}

/// Bristles that matter not.
static inline iso_bristle_params point_scene_frictionless(void) {
    iso_bristle_params p = {0.0, 0.0, 1e3, 10.0, 0.0, 1e-3, 0.0, 1e-5};
    return p;
}

// ---- E1: a mass hits a plane --------------------------------------------------------------------

static inline double impact_contact(const point_scene* s, const double* y, iso_bristle_slip* slip) {
    (void)s;
    *slip = (iso_bristle_slip){.normal = {0.0, 0.0, 1.0}, .velocity = {0.0, 0.0, y[1]}};
    return -y[0];
}

static inline void impact_rates(const point_scene* s, const double* y, const iso_point_result* r,
                                const iso_bristle_slip* slip, double* out) {
    (void)slip;
    out[0] = y[1];
    out[1] = r->force.z / *(const double*)s->data;
}

/// Restitution, greatest depth and least force of one impact by integration, in about `steps`
/// steps of a contact without damping.
static inline double impact_run(const iso_point_contact_law* law, double mass, double speed,
                                int steps, double* out_depth, double* out_least) {
    point_scene s = {
        .law = *law, .count = 2, .data = &mass, .contact = impact_contact, .rates = impact_rates};
    double p = law->exponent;
    double depth = pow((p + 1.0) * mass * speed * speed / (2.0 * law->stiffness), 1.0 / (p + 1.0));
    double dt = 3.0 * depth / speed / steps;
    s.y[1] = -speed;
    iso_point_touch(law, 0.0, speed, 0.0, &s.memory);
    iso_point_memory_pack(&s.memory, s.y + 2);
    *out_depth = 0.0;
    *out_least = 0.0;
    do {
        if (!point_scene_step(&s, dt)) {
            return NAN;
        }
        *out_depth = fmax(*out_depth, -s.y[0]);
        *out_least = fmin(*out_least, point_scene_now(&s).normal_force);
    } while (s.memory.is_touching && s.t < 1e5 * depth / speed);
    return s.y[1] / speed;
}

// ---- E2: a block on a plate that moves at 45 degrees, held by a spring
// ----------------------------

/// [0..1] position, [2..3] velocity; mass 1 kg, spring 2 N/m, g 10 m/s^2. The contact only rubs:
/// its normal force is the weight.
static inline iso_bristle_params block_friction(void) {
    iso_bristle_params p = {0.15, 0.1, 1e4, sqrt(1e5) / 10.0, 0.01, 0.001, 2.0, 1e-5};
    return p;
}

typedef struct block_state {
    double y[4 + ISO_BRISTLE_STATE_COUNT];
    double plate; ///< speed [m/s]
    iso_bristle_params friction;
} block_state;

static inline iso_vec3 block_force(const block_state* b, const double* y, iso_bristle_result* r) {
    double c = b->plate * sqrt(0.5);
    iso_bristle_slip slip = {.normal = {0.0, 0.0, 1.0}, .velocity = {y[2] - c, y[3] - c, 0.0}};
    iso_bristle_state memory = {{y[4], y[5], y[6]}, y[7], y[8]};
    iso_bristle_eval(&b->friction, &memory, &slip, r);
    return iso_vec3_scale(r->traction, 10.0);
}

static inline iso_status block_rhs(void* user, double t, const double* y, double* out) {
    iso_bristle_result r;
    iso_vec3 f = block_force(user, y, &r);
    (void)t;
    out[0] = y[2];
    out[1] = y[3];
    out[2] = f.x - 2.0 * y[0];
    out[3] = f.y - 2.0 * y[1];
    out[4] = r.rate.deflection.x;
    out[5] = r.rate.deflection.y;
    out[6] = r.rate.deflection.z;
    out[7] = r.rate.turn;
    out[8] = r.rate.dwell;
    return ISO_OK;
}

/// Peaks of |force| and |position|, the first `most` of each, over a time.
typedef struct block_peaks {
    double force[8], position[8], position_time[8], asymmetry;
    int force_count, position_count;
} block_peaks;

static inline block_peaks block_run(double plate, double until, double dt) {
    block_state b = {.plate = plate, .friction = block_friction()};
    block_peaks p = {.asymmetry = 0.0};
    b.y[2] = b.y[3] = plate * sqrt(0.5);
    b.y[8] = 1.0;
    double work[8 * (4 + ISO_BRISTLE_STATE_COUNT)], t = 0.0, f[3] = {0.0}, x[3] = {0.0};
    iso_rk_problem problem = {.dimension = 9, .rhs = block_rhs, .user = &b};
    double top = 0.0; // a force peak counts once the force has fallen well below it
    while (t < until) {
        iso_rk_state state = {.work = work};
        iso_bristle_result r;
        if (iso_rk_advance(NULL, &iso_rk_table_rk4, &problem, &t, b.y, t + dt, 0.0, &state, NULL)) {
            break;
        }
        f[2] = iso_vec3_norm(block_force(&b, b.y, &r));
        x[2] = hypot(b.y[0], b.y[1]);
        p.asymmetry = fmax(p.asymmetry, fabs(b.y[0] - b.y[1]));
        top = r.stick > 1e-3 ? fmax(top, f[2]) : top;
        if (top > 0.0 && r.stick < 1e-3 && p.force_count < 8) {
            p.force[p.force_count++] = top;
            top = 0.0;
        }
        if (x[1] > x[0] && x[1] >= x[2] && p.position_count < 8) {
            p.position[p.position_count] = x[1];
            p.position_time[p.position_count++] = t - dt;
        }
        x[0] = x[1];
        x[1] = x[2];
    }
    return p;
}

// ---- E3-E5: a ball over a surface
// -----------------------------------------------------------------

/// y: position, velocity, angular velocity.
typedef struct ball_data {
    iso_point_surface surface;
    double mass, radius, gravity;
} ball_data;

static inline iso_vec3 scene_vec3(const double* y) {
    return iso_vec3_make(y[0], y[1], y[2]);
}

static inline double ball_contact(const point_scene* s, const double* y, iso_bristle_slip* slip) {
    const ball_data* ball = s->data;
    iso_point_gap gap;
    iso_point_gap_find(&ball->surface, scene_vec3(y), ball->radius, &gap);
    iso_vec3 arm = iso_vec3_scale(gap.normal, -ball->radius);
    *slip = (iso_bristle_slip){.normal = gap.normal};
    slip->velocity = iso_vec3_add(scene_vec3(y + 3), iso_vec3_cross(scene_vec3(y + 6), arm));
    return -gap.distance;
}

static inline void ball_rates(const point_scene* s, const double* y, const iso_point_result* r,
                              const iso_bristle_slip* slip, double* out) {
    const ball_data* ball = s->data;
    iso_vec3 arm = iso_vec3_scale(slip->normal, -ball->radius);
    iso_vec3 spin = iso_vec3_scale(iso_vec3_cross(arm, r->force),
                                   1.0 / (0.4 * ball->mass * ball->radius * ball->radius));
    for (int i = 0; i < 3; ++i) {
        out[i] = y[3 + i];
        out[3 + i] = iso_vec3_get(r->force, i) / ball->mass - (i == 2 ? ball->gravity : 0.0);
        out[6 + i] = iso_vec3_get(spin, i);
    }
}

/// Kinetic, potential and stored.
static inline double ball_energy(const point_scene* s) {
    const ball_data* ball = s->data;
    double v = iso_vec3_norm_squared(scene_vec3(s->y + 3));
    double w = ball->radius * ball->radius * iso_vec3_norm_squared(scene_vec3(s->y + 6));
    return ball->mass * (0.5 * v + 0.2 * w + ball->gravity * s->y[2]) + point_scene_now(s).energy;
}

static inline iso_point_contact_law ball_law(void) {
    iso_point_contact_law law = {
        .stiffness = 1e6, .exponent = 1.5, .restitution = {0.5, 0.0}, .small_speed = 1e-3};
    law.friction = (iso_bristle_params){0.45, 0.4, 1e5, 1e4, 0.0, 0.1, 0.01, 1e-3};
    return law;
}

static inline point_scene ball_scene(const ball_data* ball, iso_vec3 position, iso_vec3 velocity) {
    point_scene s = {
        .law = ball_law(), .count = 9, .data = ball, .contact = ball_contact, .rates = ball_rates};
    for (int i = 0; i < 3; ++i) {
        s.y[i] = iso_vec3_get(position, i);
        s.y[3 + i] = iso_vec3_get(velocity, i);
    }
    return s;
}

/// E3: thrown onto a plane that falls by 20 degrees along x.
#define INCLINE (20.0 * DEGREE)
static inline point_scene incline_scene(ball_data* ball) {
    double c = cos(INCLINE), s = sin(INCLINE);
    *ball = (ball_data){
        {ISO_POINT_PLANE, {0.4 * s, 0.0, 0.4 * c}, {s, 0.0, c}, {0.0, 0.0, 0.0}, 0.0, 0.0},
        2.0,
        0.1,
        9.81};
    return ball_scene(ball, iso_vec3_make(0.0, 0.0, 2.0), iso_vec3_make(-1.0, 0.5, 0.0));
}

/// E4, E5: inside a level cylinder, with a speed along it.
static inline point_scene cylinder_scene(ball_data* ball, double along) {
    *ball = (ball_data){
        {ISO_POINT_CYLINDER, {0.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 0.0}, -1.0, 0.0},
        2.0,
        0.1,
        9.81};
    point_scene s = ball_scene(ball, iso_vec3_make(0.3, 0.0, -0.5), iso_vec3_make(0.0, along, 0.0));
    s.law.friction.damping = 316.0;
    return s;
}

// ---- E6: a double pendulum over a surface
// ---------------------------------------------------------

/// y: angles of both links to the downward vertical, then their rates.
typedef struct pendulum_data {
    double length[2], mass[2], center[2], inertia[2], gravity, height;
} pendulum_data;

static inline void pendulum_jacobian(const pendulum_data* p, const double* y, double jx[2],
                                     double jz[2]) {
    for (int i = 0; i < 2; ++i) {
        jx[i] = p->length[i] * cos(y[i]);
        jz[i] = p->length[i] * sin(y[i]);
    }
}

static inline double pendulum_contact(const point_scene* s, const double* y,
                                      iso_bristle_slip* slip) {
    const pendulum_data* p = s->data;
    double jx[2], jz[2];
    pendulum_jacobian(p, y, jx, jz);
    *slip = (iso_bristle_slip){.normal = {0.0, 0.0, 1.0}};
    slip->velocity.x = jx[0] * y[2] + jx[1] * y[3];
    slip->velocity.z = jz[0] * y[2] + jz[1] * y[3];
    return jx[0] + jx[1] - p->height; // cosines: how far the tip hangs below the surface
}

static inline void pendulum_mass(const pendulum_data* p, const double* y, double m[3]) {
    m[0] = p->inertia[0] + p->mass[0] * p->center[0] * p->center[0] +
           p->mass[1] * p->length[0] * p->length[0];
    m[1] = p->mass[1] * p->length[0] * p->center[1] * cos(y[0] - y[1]);
    m[2] = p->inertia[1] + p->mass[1] * p->center[1] * p->center[1];
}

static inline void pendulum_rates(const point_scene* s, const double* y, const iso_point_result* r,
                                  const iso_bristle_slip* slip, double* out) {
    const pendulum_data* p = s->data;
    double jx[2], jz[2], m[3], f[2];
    (void)slip;
    pendulum_jacobian(p, y, jx, jz);
    pendulum_mass(p, y, m);
    double h = p->mass[1] * p->length[0] * p->center[1] * sin(y[0] - y[1]);
    double weight[2] = {p->mass[0] * p->center[0] + p->mass[1] * p->length[0],
                        p->mass[1] * p->center[1]};
    for (int i = 0; i < 2; ++i) {
        double turning = i == 0 ? -h * y[3] * y[3] : h * y[2] * y[2];
        f[i] =
            turning - weight[i] * p->gravity * sin(y[i]) + jx[i] * r->force.x + jz[i] * r->force.z;
        out[i] = y[2 + i];
    }
    double det = m[0] * m[2] - m[1] * m[1];
    out[2] = (m[2] * f[0] - m[1] * f[1]) / det;
    out[3] = (m[0] * f[1] - m[1] * f[0]) / det;
}

static inline double pendulum_energy(const point_scene* s) {
    const pendulum_data* p = s->data;
    const double* y = s->y;
    double m[3];
    pendulum_mass(p, y, m);
    double kinetic = 0.5 * (m[0] * y[2] * y[2] + m[2] * y[3] * y[3]) + m[1] * y[2] * y[3];
    double potential =
        -p->gravity * ((p->mass[0] * p->center[0] + p->mass[1] * p->length[0]) * cos(y[0]) +
                       p->mass[1] * p->center[1] * cos(y[1]));
    return kinetic + potential + point_scene_now(s).energy;
}

/// The law of E6; E6b has its own stiffness, restitution and friction.
static inline iso_point_contact_law pendulum_law(double stiffness, double restitution,
                                                 double mu_static, double mu_dynamic) {
    iso_point_contact_law law = {.stiffness = stiffness,
                                 .exponent = 1.5,
                                 .restitution = {restitution, 0.0},
                                 .small_speed = 1e-3};
    law.friction =
        (iso_bristle_params){mu_static, mu_dynamic, 1e5, sqrt(1e5), 0.0, 0.1, 0.75, 1e-3};
    return law;
}

/// E6: both links at 45 degrees, on the way down.
static inline point_scene pendulum_scene(pendulum_data* p, double stiffness) {
    *p = (pendulum_data){{0.5, 0.25}, {5.0, 2.0}, {0.5, 0.25}, {0.0, 0.0}, 9.81, 0.61};
    return (point_scene){.law = pendulum_law(stiffness, 0.9, 0.15, 0.12),
                         .count = 4,
                         .y = {45.0 * DEGREE, 45.0 * DEGREE, -120.0 * DEGREE, 10.0 * DEGREE},
                         .data = p,
                         .contact = pendulum_contact,
                         .rates = pendulum_rates};
}

/// Energy lost in one impact of the benchmark of Ahmed, Lankarani and Pereira, percent of the
/// kinetic energy before; angles in degrees.
static inline double pendulum_impact_loss(double angle_1, double angle_2, double restitution,
                                          double friction, double dt) {
    pendulum_data data = {{1.0, 1.0}, {2.0, 2.0}, {0.5, 0.5}, {1.0 / 6.0, 1.0 / 6.0}, 9.81, 0.0};
    data.height = cos(angle_1 * DEGREE) + cos(angle_2 * DEGREE);
    point_scene s = {.law = pendulum_law(1e8, restitution, friction, friction),
                     .count = 4,
                     .y = {angle_1 * DEGREE, angle_2 * DEGREE, -1.0, -1.0},
                     .data = &data,
                     .contact = pendulum_contact,
                     .rates = pendulum_rates};
    iso_bristle_slip slip;
    s.contact(&s, s.y, &slip);
    iso_point_touch(&s.law, 0.0, -slip.velocity.z, 0.0, &s.memory);
    double m[3], before = pendulum_energy(&s);
    pendulum_mass(&data, s.y, m);
    double kinetic = 0.5 * (m[0] + m[2]) + m[1];
    do {
        if (!point_scene_step(&s, dt)) {
            return NAN;
        }
    } while (s.memory.is_touching && s.t < 0.1);
    return 100.0 * (before - pendulum_energy(&s)) / kinetic;
}
