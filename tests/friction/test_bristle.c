// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "friction/bristle.h"
#include "support/check.h"
#include "support/failing_context.h"
#include "support/random.h"

static const iso_vec3 k_up = {0.0, 0.0, 1.0};

static iso_bristle_params draw_params(test_random* random) {
    iso_bristle_params p;
    p.friction_dynamic = test_random_uniform(random, 0.05, 0.8);
    p.friction_static = p.friction_dynamic + test_random_uniform(random, 0.0, 0.4);
    p.stiffness = exp(test_random_uniform(random, log(1e2), log(1e5)));
    double load = test_random_uniform(random, 1.0, 20.0);
    p.damping = test_random_uniform(random, 0.5, 3.0) * sqrt(p.stiffness / load);
    double viscous = test_random_uniform(random, 0.0, 0.1);
    p.viscous = test_random_int(random, 0, 1) * viscous;
    p.stribeck_speed = exp(test_random_uniform(random, log(1e-3), log(0.1)));
    p.dwell_time =
        test_random_int(random, 0, 3) > 0 ? test_random_uniform(random, 0.001, 1.0) : 0.0;
    p.smoothing_speed = 0.01 * p.stribeck_speed;
    return p;
}

static iso_bristle_state draw_state(test_random* random, const iso_bristle_params* p,
                                    iso_vec3 normal) {
    iso_bristle_state s;
    iso_vec3 z = test_random_vec3(random, -1.0, 1.0);
    z = iso_vec3_add_scaled(z, normal, -iso_vec3_dot(z, normal));
    s.deflection = iso_vec3_scale(z, p->friction_static / p->stiffness);
    s.turn = test_random_uniform(random, -1.0, 1.0) * p->friction_static / p->stiffness / 0.01;
    s.dwell = test_random_uniform(random, 0.0, 1.0);
    return s;
}

static iso_bristle_slip draw_slip(test_random* random, const iso_bristle_params* p) {
    iso_bristle_slip slip;
    slip.normal = test_random_unit_vec3(random);
    double speed = p->stribeck_speed * exp(test_random_uniform(random, -7.0, 4.0));
    slip.velocity = iso_vec3_scale(test_random_unit_vec3(random), speed);
    slip.radius = test_random_int(random, 0, 1) * 0.01;
    slip.spin = 100.0 * p->stribeck_speed * test_random_uniform(random, -2.0, 2.0);
    return slip;
}

// Friction never exceeds its cone, lies in the tangent plane, and the memory stays in it.
static void friction_stays_in_its_cone_and_plane(void** state) {
    (void)state;
    test_random random = test_random_make(300);
    for (int i = 0; i < 20000; ++i) {
        iso_bristle_params p = draw_params(&random);
        iso_bristle_slip slip = draw_slip(&random, &p);
        iso_bristle_state memory = draw_state(&random, &p, slip.normal);
        iso_bristle_result r;
        iso_bristle_eval(&p, &memory, &slip, &r);
        iso_vec3 v = iso_vec3_add_scaled(slip.velocity, slip.normal,
                                         -iso_vec3_dot(slip.velocity, slip.normal));
        double carried = iso_vec3_norm(iso_vec3_add_scaled(r.traction, v, p.viscous));
        CHECK_AT_MOST(carried, r.bound * (1.0 + 1e-12));
        CHECK_AT_MOST(r.bound, p.friction_static * (1.0 + 1e-15));
        CHECK_NEAR(iso_vec3_dot(r.traction, slip.normal), 0.0, 1e-14);
        double rate = iso_vec3_norm(r.rate.deflection);
        CHECK_NEAR(iso_vec3_dot(r.rate.deflection, slip.normal), 0.0, 1e-14 * (1.0 + rate));
        double torque = fabs(r.moment + p.viscous * slip.radius * slip.radius * slip.spin);
        CHECK_AT_MOST(torque, r.bound * slip.radius * (1.0 + 1e-12));
        // What the bristles carry is their stiffness and damping: traction and rates agree.
        iso_vec3 z = iso_vec3_add_scaled(memory.deflection, slip.normal,
                                         -iso_vec3_dot(memory.deflection, slip.normal));
        iso_vec3 b =
            iso_vec3_add_scaled(iso_vec3_scale(z, p.stiffness), r.rate.deflection, p.damping);
        CHECK_VEC3_NEAR(iso_vec3_neg(iso_vec3_add_scaled(b, v, p.viscous)), r.traction, 1e-11);
    }
}

// One law, read off the equations of the paper in their order: rate (3.35), saturation (3.40),
// corrected rate (3.41), force (3.42), dwell (3.36); in one dimension.
static void point_law_follows_the_papers_sequence(void** state) {
    (void)state;
    test_random random = test_random_make(301);
    for (int i = 0; i < 20000; ++i) {
        iso_bristle_params p = draw_params(&random);
        iso_bristle_slip slip = draw_slip(&random, &p);
        slip.normal = k_up;
        slip.radius = 0.0;
        slip.velocity.y = slip.velocity.z = 0.0;
        iso_bristle_state memory = draw_state(&random, &p, k_up);
        memory.deflection.y = 0.0;
        double v = slip.velocity.x, z = memory.deflection.x, ratio = v / p.stribeck_speed;
        double s = exp(-ratio * ratio), x = fabs(v) / p.smoothing_speed;
        double dir =
            x >= 1.0 ? (v > 0.0 ? 1.0 : -1.0) : v / p.smoothing_speed * (1.5 - 0.5 * x * x);
        double dz = s * v + (1.0 - s) * (p.friction_dynamic / p.damping * dir -
                                         p.stiffness / p.damping * z);
        double dwell = p.dwell_time > 0.0 ? memory.dwell : s;
        double bound = p.friction_dynamic + (p.friction_static - p.friction_dynamic) * dwell;
        double b = p.stiffness * z + p.damping * dz;
        if (fabs(b) > bound) {
            b = b > 0.0 ? bound : -bound;
            dz = b / p.damping - p.stiffness / p.damping * z;
        }
        iso_bristle_result r;
        iso_bristle_eval(&p, &memory, &slip, &r);
        CHECK_NEAR(r.traction.x, -(b + p.viscous * v), 1e-12);
        CHECK_NEAR(r.rate.deflection.x, dz, 1e-10 * (1.0 + fabs(dz)));
        if (p.dwell_time > 0.0) {
            double tau = s >= memory.dwell ? p.dwell_time : p.damping / p.stiffness;
            CHECK_NEAR(r.rate.dwell, (s - memory.dwell) / tau, 1e-14 / tau);
        }
    }
}

static iso_vec3 turned(const iso_mat3* r, iso_vec3 v) {
    return iso_mat3_mul_vec3(r, v);
}

static void law_is_the_same_in_every_frame(void** state) {
    (void)state;
    test_random random = test_random_make(302);
    for (int i = 0; i < 5000; ++i) {
        iso_bristle_params p = draw_params(&random);
        iso_bristle_slip slip = draw_slip(&random, &p), slip_2 = slip;
        iso_bristle_state a = draw_state(&random, &p, slip.normal), b = a;
        iso_quat q = test_random_quat(&random);
        iso_mat3 rotation = iso_mat3_from_quat(q);
        slip_2.normal = turned(&rotation, slip.normal);
        slip_2.velocity = turned(&rotation, slip.velocity);
        b.deflection = turned(&rotation, a.deflection);
        iso_bristle_result ra, rb;
        iso_bristle_eval(&p, &a, &slip, &ra);
        iso_bristle_eval(&p, &b, &slip_2, &rb);
        double rate = iso_vec3_norm(ra.rate.deflection);
        CHECK_VEC3_NEAR(rb.traction, turned(&rotation, ra.traction), 1e-10);
        CHECK_VEC3_NEAR(rb.rate.deflection, turned(&rotation, ra.rate.deflection),
                        1e-11 * (1.0 + rate));
        iso_bristle_step(&p, &a, &slip, 1e-3, &ra);
        iso_bristle_step(&p, &b, &slip_2, 1e-3, &rb);
        CHECK_VEC3_NEAR(rb.traction, turned(&rotation, ra.traction), 1e-10);
        CHECK_NEAR(rb.moment, ra.moment, 1e-12);
    }
}

// The closed form of the implicit step solves z' = z + dt rate(z'), of the continuous law, with
// the dwell of the end.
static void implicit_step_solves_backward_euler(void** state) {
    (void)state;
    test_random random = test_random_make(303);
    int saturated = 0;
    for (int i = 0; i < 20000; ++i) {
        iso_bristle_params p = draw_params(&random);
        iso_bristle_slip slip = draw_slip(&random, &p);
        iso_bristle_state old = draw_state(&random, &p, slip.normal), now = old;
        double dt = exp(test_random_uniform(&random, log(1e-6), log(1.0)));
        iso_bristle_result step, at_end;
        iso_bristle_step(&p, &now, &slip, dt, &step);
        iso_bristle_eval(&p, &now, &slip, &at_end);
        double size = p.friction_static / p.stiffness +
                      p.damping / p.stiffness * iso_vec3_norm(slip.velocity);
        CHECK_VEC3_NEAR(now.deflection,
                        iso_vec3_add_scaled(old.deflection, at_end.rate.deflection, dt),
                        1e-12 * size * (1.0 + dt * p.stiffness / p.damping));
        CHECK_VEC3_NEAR(step.traction, at_end.traction, 1e-9);
        CHECK_NEAR(step.moment, at_end.moment, 1e-11);
        saturated += step.is_saturated;
    }
    CHECK(saturated > 4000 && saturated < 16000, "%d of 20000 saturated", saturated);
}

// Small implicit steps tend to the continuous law, at first order.
static void implicit_steps_tend_to_the_continuous_law(void** state) {
    (void)state;
    test_random random = test_random_make(304);
    for (int i = 0; i < 20; ++i) {
        iso_bristle_params p = draw_params(&random);
        double period = p.damping / p.stiffness, error[2];
        iso_bristle_slip slip = draw_slip(&random, &p);
        for (int k = 0; k < 2; ++k) {
            iso_bristle_state a = {.dwell = 0.5}, b = a;
            int n = k == 0 ? 400 : 1600;
            double dt = period / n;
            iso_bristle_result r = {0};
            for (int j = 0; j < n; ++j) {
                iso_bristle_step(&p, &a, &slip, dt, &r);
            }
            for (int j = 0; j < 40 * n; ++j) { // fine explicit steps
                iso_bristle_eval(&p, &b, &slip, &r);
                b.deflection = iso_vec3_add_scaled(b.deflection, r.rate.deflection, dt / 40.0);
                b.dwell += dt / 40.0 * r.rate.dwell;
            }
            error[k] = iso_vec3_distance(a.deflection, b.deflection) /
                       (iso_vec3_norm(b.deflection) + 1e-12);
        }
        CHECK_AT_MOST(error[1], 0.3 * error[0] + 1e-9); // a quarter
    }
}

// From rest and with a constant load friction never gives the bodies more than it took from them.
// (The energy in the bristles is no storage function: docs/theory/bristle.md.)
static void friction_takes_energy_from_any_motion(void** state) {
    (void)state;
    test_random random = test_random_make(305);
    double worst = 0.0, least = INFINITY;
    for (int i = 0; i < 200; ++i) {
        iso_bristle_params p = draw_params(&random);
        double radius = (i % 2) * 0.01, period = p.damping / p.stiffness, dt = 0.02 * period;
        iso_bristle_state memory = {.dwell = test_random_uniform(&random, 0.0, 1.0)};
        iso_vec3 amplitude[3], phase = test_random_vec3(&random, 0.0, 2.0 * ISO_PI);
        for (int k = 0; k < 3; ++k) {
            double speed = p.stribeck_speed * exp(test_random_uniform(&random, -3.0, 3.0));
            amplitude[k] = iso_vec3_scale(test_random_vec3(&random, -1.0, 1.0), speed);
        }
        double work = 0.0;
        for (int j = 0; j < 5000; ++j) {
            iso_bristle_slip slip = {.normal = k_up, .radius = radius};
            for (int k = 0; k < 3; ++k) {
                double wave = sin(0.3 * (k + 1) * j * 0.02 + phase.x * k + phase.y);
                slip.velocity = iso_vec3_add_scaled(slip.velocity, amplitude[k], wave);
                slip.spin += 100.0 * amplitude[k].z * wave;
            }
            slip.velocity.z = 0.0;
            iso_bristle_result r;
            iso_bristle_step(&p, &memory, &slip, dt, &r);
            double power = -iso_vec3_dot(r.traction, slip.velocity) - r.moment * slip.spin;
            work += dt * power;
            double unit = p.friction_static * p.friction_static / (2.0 * p.stiffness);
            worst = fmin(worst, work / unit);
        }
        least = fmin(least, work);
    }
    CHECK_AT_MOST(-worst, 1e-9);
    CHECK(least > 0.0, "%g", least);
}

// Slid for long at one speed, the friction is that of the Stribeck curve.
static void lasting_slides_follow_the_stribeck_curve(void** state) {
    (void)state;
    test_random random = test_random_make(306);
    for (int i = 0; i < 500; ++i) {
        iso_bristle_params p = draw_params(&random);
        double speed = p.stribeck_speed * test_random_uniform(&random, 0.05, 4.0);
        iso_bristle_slip slip = {.normal = k_up, .velocity = {speed, 0.0, 0.0}};
        iso_bristle_state memory = {0};
        iso_bristle_result r = {0};
        for (int j = 0; j < 400; ++j) {
            iso_bristle_step(&p, &memory, &slip, 10.0 * (p.dwell_time + 1.0), &r);
        }
        CHECK_REL(-r.traction.x, iso_bristle_steady(&p, speed), 1e-6);
    }
}

// [Gonthier2007] 4.209-4.213: a patch that spins and slides shares its bound: C_v^2 + C_w^2 = 1.
static void fast_patches_share_the_bound(void** state) {
    (void)state;
    test_random random = test_random_make(307);
    for (int i = 0; i < 2000; ++i) {
        iso_bristle_params p = draw_params(&random);
        p.viscous = 0.0;
        double radius = exp(test_random_uniform(&random, log(1e-3), log(0.1)));
        double angle = test_random_uniform(&random, 0.01, 0.5 * ISO_PI - 0.01);
        double speed = 30.0 * p.stribeck_speed;
        iso_bristle_slip slip = {.normal = k_up, .radius = radius};
        slip.velocity.x = speed * cos(angle);
        slip.spin = speed * sin(angle) / radius;
        iso_bristle_state memory = {0};
        iso_bristle_result r = {0};
        iso_bristle_step(&p, &memory, &slip, 1e3, &r);
        CHECK_REL(-r.traction.x, p.friction_dynamic * cos(angle), 1e-9);
        CHECK_REL(-r.moment, p.friction_dynamic * radius * sin(angle), 1e-9);
    }
}

// The thesis' sgn(spin) would make the moment jump by up to mu_C / 2 between stick and slip, which
// no error control steps over.
static void nothing_jumps_where_the_spin_passes_zero(void** state) {
    (void)state;
    test_random random = test_random_make(308);
    for (int i = 0; i < 4000; ++i) {
        iso_bristle_params p = draw_params(&random);
        iso_bristle_slip slip = draw_slip(&random, &p);
        iso_bristle_state memory = draw_state(&random, &p, slip.normal);
        iso_bristle_result r[2];
        slip.radius = 0.01;
        for (int k = 0; k < 2; ++k) {
            slip.spin = (k == 0 ? 1e-9 : -1e-9) * p.smoothing_speed / slip.radius;
            iso_bristle_eval(&p, &memory, &slip, &r[k]);
        }
        // Damping may jump by sigma_1 times the spin.
        double small = 1e-6 * p.friction_dynamic;
        CHECK_NEAR(r[0].moment / slip.radius, r[1].moment / slip.radius, small); // measured 3e-9
        CHECK_NEAR(r[0].rate.turn * slip.radius * p.damping,
                   r[1].rate.turn * slip.radius * p.damping, small);
    }
}

static void bad_parameters_are_named(void** state) {
    iso_context* ctx = *state;
    iso_bristle_guess guess = {.friction_dynamic = 0.3};
    iso_bristle_params good, p;
    CHECK_OK(ctx, iso_bristle_from_guess(ctx, &guess, &good));
    CHECK_REL(good.stiffness, 3000.0, 1e-12);
    CHECK_REL(good.damping, 2.0 * sqrt(3000.0 / 9.81), 1e-12);
    const struct {
        size_t offset;
        double value;
        const char* text;
    } cases[] = {
        {offsetof(iso_bristle_params, friction_dynamic), -0.1, "dynamic friction is -0.1"},
        {offsetof(iso_bristle_params, friction_static), 0.2, "expected >= 0.3"},
        {offsetof(iso_bristle_params, stiffness), 0.0, "bristle stiffness is 0 1/m"},
        {offsetof(iso_bristle_params, damping), NAN, "bristle damping is nan s/m"},
        {offsetof(iso_bristle_params, viscous), -1.0, "viscous friction is -1 s/m"},
        {offsetof(iso_bristle_params, stribeck_speed), INFINITY, "Stribeck speed is inf m/s"},
        {offsetof(iso_bristle_params, dwell_time), -2.0, "dwell time is -2 s"},
        {offsetof(iso_bristle_params, smoothing_speed), 0.01, "a tenth of the Stribeck speed"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        p = good;
        *(double*)((char*)&p + cases[i].offset) = cases[i].value;
        CHECK_STATUS(ctx, iso_bristle_check(ctx, &p), ISO_ERR_RANGE);
        CHECK_ERROR(ctx, cases[i].text);
    }
}

static int make_context(void** state) {
    iso_context_desc desc = iso_context_desc_default();
    desc.log_level = ISO_LOG_ERROR;
    return iso_context_create(&desc, (iso_context**)state) == ISO_OK ? 0 : -1;
}

static int drop_context(void** state) {
    iso_context_destroy(*state);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(friction_stays_in_its_cone_and_plane),
        cmocka_unit_test(point_law_follows_the_papers_sequence),
        cmocka_unit_test(law_is_the_same_in_every_frame),
        cmocka_unit_test(implicit_step_solves_backward_euler),
        cmocka_unit_test(implicit_steps_tend_to_the_continuous_law),
        cmocka_unit_test(friction_takes_energy_from_any_motion),
        cmocka_unit_test(lasting_slides_follow_the_stribeck_curve),
        cmocka_unit_test(fast_patches_share_the_bound),
        cmocka_unit_test(nothing_jumps_where_the_spin_passes_zero),
        cmocka_unit_test(bad_parameters_are_named),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
