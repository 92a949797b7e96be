// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// E9 of [Gonthier2007], 5.2.2: a ball falls on a table, bounces twice, rolls, spins down and rolls
// over the edge. Fixed steps of Bogacki's and Shampine's third-order method.

#include "volume/solids.h"
#include "volume/solids/force.h"

#include <string.h>
#include <time.h>

static const double k_mass = 2.0, k_radius = 0.1, k_gravity = 9.81;
static const double k_stiction = 0.08, k_coulomb = 0.05, k_sigma0 = 1e5, k_stribeck = 1e-3;
static const double k_dwell_time = 0.3, k_least_speed = 1e-5;

enum { k_p = 0, k_v = 3, k_w = 6, k_z = 9, k_theta = 12, k_dwell = 13, k_states = 14 };

typedef struct edge {
    iso_context* ctx;
    iso_volume_body *table, *ball;
    iso_volume_law law;
    iso_volume_memory memory;
    iso_vec3 normal; // of the last step
    double x[k_states];
    // What the last evaluation saw.
    iso_volume_metrics metrics;
    double approach, normal_force;
    bool locates;        // touch, within a step
    bool is_along_slope; // the normal is the slope of the volume, as in worlds, not its axis
    bool is_slippery;    // without friction
} edge;

static iso_vec3 get(const double* x) {
    return iso_vec3_make(x[0], x[1], x[2]);
}

static void put(double* x, iso_vec3 v) {
    x[0] = v.x;
    x[1] = v.y;
    x[2] = v.z;
}

static iso_vec3 limited(iso_vec3 u, double most) {
    double length = iso_vec3_norm(u);
    return length > most ? iso_vec3_scale(u, most / length) : u;
}

// The volumetric bristles of 4.4.2, written from the equations for this test alone.
static iso_volume_friction bristles(const iso_volume_motion* m, iso_vec3 n, const double* x,
                                    double* rate) {
    double sigma1 = sqrt(k_sigma0), r = m->gyration, w = m->speed_of_spin;
    double speed = fmax(m->surface_speed, k_least_speed), slip = iso_vec3_norm(m->slip);
    double s = exp(-pow(m->surface_speed / k_stribeck, 2.0));
    double share_v = s + (1.0 - s) * slip / speed, share_w = s + (1.0 - s) * r * fabs(w) / speed;
    double bound = k_coulomb + (k_stiction - k_coulomb) * x[k_dwell];
    iso_vec3 z = iso_vec3_add_scaled(get(&x[k_z]), n, -iso_vec3_dot(get(&x[k_z]), n));
    double u = slip / k_least_speed;
    double slope = slip >= k_least_speed ? 1.0 / slip : (1.5 - 0.5 * u * u) / k_least_speed;
    iso_vec3 dz = iso_vec3_scale(m->slip, s + (1.0 - s) * k_coulomb / sigma1 * slope * share_v);
    dz = iso_vec3_add_scaled(dz, z, -(1.0 - s) * k_sigma0 / sigma1);
    iso_vec3 b = iso_vec3_add_scaled(iso_vec3_scale(z, k_sigma0), dz, sigma1);
    iso_vec3 bent = limited(b, bound * share_v);
    dz = iso_vec3_scale(iso_vec3_add_scaled(bent, z, -k_sigma0), 1.0 / sigma1);
    double sign = w > 0.0 ? 1.0 : w < 0.0 ? -1.0 : 0.0, theta = x[k_theta];
    double dt =
        s * w + (1.0 - s) * (k_coulomb * share_w / (sigma1 * r) * sign - k_sigma0 / sigma1 * theta);
    double most = bound * share_w / r, twist = k_sigma0 * theta + sigma1 * dt;
    twist = fmin(fmax(twist, -most), most);
    put(&rate[k_z], dz);
    rate[k_theta] = (twist - k_sigma0 * theta) / sigma1;
    double time = s >= x[k_dwell] ? k_dwell_time : sigma1 / k_sigma0;
    rate[k_dwell] = (s - x[k_dwell]) / time;
    return (iso_volume_friction){iso_vec3_neg(bent), -r * r * twist};
}

static void evaluate(edge* e, const double* x, double* rate) {
    iso_pose x_wa = iso_pose_from_position(iso_vec3_make(0.0, -0.7, -0.5));
    iso_pose x_wb = iso_pose_from_position(get(&x[k_p]));
    iso_volume_metrics m = meet(e->ctx, e->table, &x_wa, e->ball, &x_wb);
    iso_volume_normal n = iso_volume_find_normal(&m, e->normal);
    if (e->is_along_slope && m.volume > 0.0) {
        n.direction = iso_vec3_scale(m.area, -1.0 / iso_vec3_norm(m.area));
    }
    iso_spatial rest = iso_spatial_zero(), moving = {get(&x[k_w]), get(&x[k_v])};
    iso_volume_motion motion = iso_volume_motion_of(&m, &n, &rest, x_wa.p, &moving, x_wb.p);
    memset(rate, 0, k_states * sizeof *rate);
    put(&rate[k_p], moving.translational);
    rate[k_v + 2] = -k_gravity;
    e->metrics = m;
    e->approach = -motion.speed_apart;
    e->normal_force = 0.0;
    if (!e->memory.is_touching || !(m.volume > 0.0)) {
        return;
    }
    iso_volume_force f = iso_volume_force_of(&e->law, &e->memory, &m, &n, &motion);
    iso_volume_friction friction = {.moment = 0.0};
    if (!e->is_slippery) {
        friction = bristles(&motion, n.direction, x, rate);
    }
    iso_spatial wrench = iso_volume_wrench(&f, &n, &friction);
    wrench = iso_spatial_shift_wrench(wrench, iso_vec3_sub(x_wb.p, m.centroid));
    iso_vec3 push = iso_vec3_scale(wrench.translational, 1.0 / k_mass);
    put(&rate[k_v], iso_vec3_add(get(&rate[k_v]), push));
    put(&rate[k_w], iso_vec3_scale(wrench.rotational, 1.0 / (0.4 * k_mass * k_radius * k_radius)));
    e->normal_force = f.normal_force;
    e->memory.normal = n.direction;
}

// Begin and end of contact at whole steps.
static bool look(edge* e, double* rate) {
    bool was_touching = e->memory.is_touching;
    evaluate(e, e->x, rate);
    if (!was_touching && e->metrics.volume > 0.0) {
        iso_volume_begin(&e->memory, &e->metrics, e->approach, !e->locates);
        evaluate(e, e->x, rate);
    } else if (was_touching && !(e->metrics.volume > 0.0)) {
        iso_volume_end(&e->memory);
        memset(&e->x[k_z], 0, 5 * sizeof(double));
        evaluate(e, e->x, rate);
    }
    e->normal = e->memory.normal;
    return !was_touching && e->memory.is_touching;
}

// k is the rate at the start of the step.
static void step(edge* e, const double* k, double dt) {
    double k2[k_states], k3[k_states], x[k_states];
    for (int i = 0; i < k_states; ++i) {
        x[i] = e->x[i] + 0.5 * dt * k[i];
    }
    evaluate(e, x, k2);
    for (int i = 0; i < k_states; ++i) {
        x[i] = e->x[i] + 0.75 * dt * k2[i];
    }
    evaluate(e, x, k3);
    for (int i = 0; i < k_states; ++i) {
        e->x[i] += dt / 9.0 * (2.0 * k[i] + 3.0 * k2[i] + 4.0 * k3[i]);
    }
    iso_volume_relax(&e->law, &e->memory, dt);
}

// A step, ended at touch where that is located; returns its length.
static double step_to_touch(edge* e, const double* k, double dt) {
    double before[k_states], rate[k_states], low = 0.0, high = dt;
    memcpy(before, e->x, sizeof before);
    step(e, k, dt);
    evaluate(e, e->x, rate);
    if (!e->locates || e->memory.is_touching || !(e->metrics.volume > 0.0)) {
        return dt;
    }
    for (int i = 0; i < 40; ++i) {
        double middle = 0.5 * (low + high);
        memcpy(e->x, before, sizeof before);
        step(e, k, middle);
        evaluate(e, e->x, rate);
        *(e->metrics.volume > 0.0 ? &high : &low) = middle;
    }
    memcpy(e->x, before, sizeof before);
    step(e, k, high);
    return high;
}

static double energy(const edge* e) {
    double v2 = iso_vec3_norm_squared(get(&e->x[k_v]));
    double w2 = iso_vec3_norm_squared(get(&e->x[k_w]));
    return k_mass * (0.5 * v2 + 0.2 * k_radius * k_radius * w2 + k_gravity * e->x[k_p + 2]);
}

typedef struct story {
    double touch[4], speed[4], along[4], peak; // of each impact; v_y half way to the next
    int touches;
    double spin_ends, slowest, slowest_y, lost, most_energy;
    double spin_at_half, dwell[2];
    iso_vec3 v_lost;
    double w_lost;
} story;

static void note(edge* e, double t, story* s) {
    if (s->touches >= 3 && s->spin_ends == 0.0 && e->x[k_w + 2] < 0.01) {
        s->spin_ends = t;
    }
    if (s->touches >= 3 && t < 4.0 && e->x[k_v + 1] < s->slowest) {
        s->slowest = e->x[k_v + 1];
        s->slowest_y = e->x[k_p + 1];
    }
    s->dwell[0] = t < 1.85 ? e->x[k_dwell] : s->dwell[0];
    s->dwell[1] = t < 2.75 ? e->x[k_dwell] : s->dwell[1];
    if (s->lost == 0.0 && t > 2.0 && !e->memory.is_touching) {
        s->lost = t;
        s->v_lost = get(&e->x[k_v]);
        s->w_lost = e->x[k_w];
    }
}

static story run(edge* e, double dt) {
    story s = {.slowest = 1.0};
    double rate[k_states], kept = INFINITY;
    for (double t = 0.0; t < 4.7;) {
        if (look(e, rate) && s.touches < 4) {
            s.touch[s.touches] = t;
            s.speed[s.touches++] = e->memory.impact_speed;
        }
        s.peak = fmax(s.peak, e->normal_force);
        if (s.touches > 0 && s.touches < 4 && !e->memory.is_touching) {
            s.along[s.touches - 1] = e->x[k_v + 1];
        }
        if (!e->memory.is_touching) { // what springs hold is not counted: compare flights
            s.most_energy = fmax(s.most_energy, energy(e) - kept);
            kept = fmin(kept, energy(e));
        }
        note(e, t, &s);
        t += step_to_touch(e, rate, dt);
    }
    return s;
}

static edge make_edge(iso_context* ctx) {
    edge e = {.ctx = ctx};
    e.table = box_body(ctx, 2.0, 2.0, 1.0); // its edge at y = 0.3
    e.ball = ball_body(ctx, k_radius);
    e.law = (iso_volume_law){1e7, 0.71637526664 / 0.5, 1e-3, 1.0};
    e.x[k_p + 2] = 0.2;
    e.x[k_v + 1] = 0.3;
    e.x[k_w + 2] = 3.0;
    return e;
}

static void end_edge(edge* e) {
    iso_volume_body_destroy(e->ctx, e->table);
    iso_volume_body_destroy(e->ctx, e->ball);
}

static void a_ball_rolls_over_the_edge_as_in_the_thesis(void** state) {
    iso_context* ctx = *state;
    edge e = make_edge(ctx);
    clock_t start = clock();
    story s = run(&e, 5e-5);
    print_message("E9: %.2f s of processor time, lost at %.4f s\n",
                  (double)(clock() - start) / CLOCKS_PER_SEC, s.lost);
    const double touch[3] = {0.1428, 0.2946, 0.36245}, speed[3] = {1.4009, 0.5929, 0.0855};
    for (int i = 0; i < 3; ++i) {
        CHECK_NEAR(s.touch[i], touch[i], 1e-10); // measured 3e-14
        CHECK_NEAR(s.speed[i], speed[i], 1e-4);  // measured 3.2e-5
    }
    // To the digits that are printed: half a unit of the last one, and what was measured beyond.
    CHECK_NEAR(s.peak, 439.0, 0.5);        // measured 0.026
    CHECK_NEAR(s.along[0], 0.2078, 5e-5);  // measured 6.7e-6
    CHECK_NEAR(s.along[1], 0.19695, 1e-5); // measured 4.0e-6
    CHECK_NEAR(s.spin_ends, 1.9, 0.01);    // measured 0.0053
    CHECK_NEAR(s.dwell[0], 0.018, 1e-3);   // measured 3.0e-5
    CHECK_NEAR(s.dwell[1], 0.95, 5e-3);    // measured 1.4e-3
    CHECK_NEAR(s.slowest, 0.011, 5e-4);    // measured 8.2e-5
    CHECK_NEAR(s.slowest_y, 0.281, 5e-4);  // measured 1.8e-5
    CHECK_NEAR(s.lost, 4.356, 2e-3);       // measured 3.0e-4
    CHECK_NEAR(s.v_lost.y, 0.512, 2e-3);   // measured 3.7e-4
    CHECK_NEAR(s.v_lost.z, -1.032, 2e-3);  // measured 2.6e-4
    CHECK_NEAR(s.w_lost, -5.84, 0.02);     // measured 9.5e-3
    CHECK_AT_MOST(s.most_energy, 1e-10);   // measured 4.2e-12
    end_edge(&e);
}

// Pressures on a ball pass through its centre: without friction nothing turns it. The principal
// axis of the thesis turns it at the edge by more than friction could; the slope of the volume by
// what is due to the depth of the foundation, which vanishes as that gets stiffer.
static void the_principal_axis_turns_a_ball_without_friction(void** state) {
    double turned[2];
    for (int i = 0; i < 2; ++i) {
        edge e = make_edge(*state);
        double weight = k_mass * k_gravity, rate[k_states], dt = 1e-4;
        e.is_along_slope = i == 1;
        e.is_slippery = true;
        e.x[k_p + 1] = 0.28;
        e.x[k_p + 2] = k_radius - sqrt(weight / (e.law.stiffness * ISO_PI * k_radius));
        e.x[k_v + 1] = 0.05;
        e.x[k_w + 2] = 0.0;
        e.memory = (iso_volume_memory){.is_touching = true, .impact_speed = 1.0};
        for (double t = 0.0; t < 2.0 && e.memory.is_touching; t += dt) {
            look(&e, rate);
            step(&e, rate, dt);
        }
        turned[i] = e.x[k_w];
        end_edge(&e);
    }
    CHECK_NEAR(turned[0], -8.67, 0.02); // measured 4e-3
    CHECK_NEAR(turned[1], 1.46, 0.02);  // measured 4e-3
}

// E10: with longer steps the ball leaves earlier, as the speed of the last impact is found too
// high. With touch located, steps of 50 and 250 us agree.
static void longer_steps_drift_unless_touch_is_located(void** state) {
    TEST_SKIP_IF_WATCHED();
    const double dt[3] = {5e-5, 2.5e-4, 1e-3}, lost[3] = {4.356, 4.029, 3.714};
    story first = {0};
    for (int i = 0; i < 3; ++i) {
        edge late = make_edge(*state), located = make_edge(*state);
        located.locates = true;
        story s = run(&late, dt[i]), t = run(&located, dt[i]);
        print_message("E10: %g s: lost at %.4f s, last impact %.5f m/s; located %.4f s, %.5f m/s\n",
                      dt[i], s.lost, s.speed[2], t.lost, t.speed[2]);
        CHECK_NEAR(s.lost, lost[i],
                   i < 2 ? 2e-3 : 0.01); // measured 1e-3, 5e-3: rounding tells there
        first = i == 0 ? t : first;
        CHECK_NEAR(t.lost, first.lost, i < 2 ? 5e-4 : 0.1); // measured 5e-5, 0.052
        CHECK_NEAR(t.speed[2], first.speed[2], i < 2 ? 1e-5 : 1e-3);
        end_edge(&late);
        end_edge(&located);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_rolls_over_the_edge_as_in_the_thesis),
        cmocka_unit_test(the_principal_axis_turns_a_ball_without_friction),
        cmocka_unit_test(longer_steps_drift_unless_touch_is_located),
    };
    return cmocka_run_group_tests(tests, test_set_up, test_tear_down);
}
