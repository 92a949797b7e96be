// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Compliant points inside whole steps: against the continuous law as dt goes to zero, and under a
// free body that a small Newton method moves.

#include "contact/discrete/compliant_points.h"
#include "contact/hand_patch.h"
#include "contact/pressure_field/point_fill.h"
#include "contact/pressure_field/pressure_field.h"
#include "support/check.h"
#include "support/failing_context.h"
#include "support/random.h"

typedef struct fixture {
    iso_context* ctx;
    iso_contact_system* system;
    iso_arena arena;
} fixture;

static fixture fixture_make(double stiction_velocity) {
    fixture f = {.ctx = test_context()};
    iso_contact_options options = iso_contact_options_default();
    options.stiction_velocity = stiction_velocity;
    options.cull = ISO_CULL_DRAKE; // one sample a face in both laws
    CHECK_OK(f.ctx, iso_contact_system_create(f.ctx, NULL, 0, NULL, &options, &f.system));
    CHECK_OK(f.ctx, iso_arena_init(&f.arena, f.ctx, 1 << 20));
    return f;
}

static void fixture_free(fixture* f) {
    iso_arena_destroy(&f->arena);
    iso_contact_system_destroy(f->ctx, f->system);
    test_context_destroy(f->ctx);
}

// A bowl of n x n faces with a pressure bump in the middle and slopes that differ by body.
static hand_patch bowl(int n) {
    hand_patch h = hand_patch_make(n * n);
    for (int i = 0; i < n * n; ++i) {
        double x = 0.04 * ((i % n + 0.5) / n - 0.5), y = 0.04 * ((i / n + 0.5) / n - 0.5);
        double a = 0.01 / n;
        iso_vec3 normal = iso_vec3_normalized(iso_vec3_make(-8.0 * x, -8.0 * y, 1.0));
        iso_vec3 e1 = iso_vec3_normalized(iso_vec3_cross(iso_vec3_make(0.0, 1.0, 0.0), normal));
        iso_vec3 e2 = iso_vec3_cross(normal, e1);
        iso_vec3 c = iso_vec3_make(x, y, 4.0 * (x * x + y * y));
        iso_vec3 v[4];
        for (int k = 0; k < 4; ++k) {
            v[k] = iso_vec3_add_scaled(iso_vec3_add_scaled(c, e1, k == 1 || k == 2 ? a : -a), e2,
                                       k >= 2 ? a : -a);
        }
        hand_patch_add(&h, v, 4, 1e4 * (1.0 - 900.0 * (x * x + y * y)), iso_vec3_zero(),
                       iso_vec3_scale(normal, -2e6), iso_vec3_scale(normal, 5e6));
    }
    hand_patch_finish(&h);
    h.pair.dissipation = 4.0;
    h.pair.friction_static = h.pair.friction_dynamic = 0.5;
    return h;
}

static const double k_small_delassus[36] = {
    [0] = 1e-3, [7] = 1e-3, [14] = 1e-3, [21] = 1e-3, [28] = 1e-3, [35] = 1e-3};

static void to_array(iso_spatial v, double out[6]) {
    const double values[6] = {v.rotational.x,    v.rotational.y,    v.rotational.z,
                              v.translational.x, v.translational.y, v.translational.z};
    memcpy(out, values, sizeof values);
}

// impulse / dt at the velocity of the start of the step tends to the wrench of the continuous law,
// with an error proportional to dt. Slip is far above both regularisations.
static void discrete_wrench_converges_to_the_continuous_one(void** state) {
    (void)state;
    fixture f = fixture_make(1e-7);
    hand_patch h = bowl(6);
    iso_spatial v =
        iso_spatial_make(iso_vec3_make(0.2, -0.1, 0.3), iso_vec3_make(0.05, 0.02, -0.01));
    for (int law = 0; law < 2; ++law) {
        h.pair.dissipation = law == ISO_POINT_LAW_LAGGED ? 4.0 : 0.0;
        iso_vec3 tractions[2][36], slips[2][36];
        iso_spatial exact =
            iso_contact_continuous_wrench(f.system, &h.pair, v, tractions[0], slips[0]);
        double at[6], errors[4], dt = 4e-4;
        to_array(v, at);
        for (int i = 0; i < 4; ++i, dt *= 0.5) {
            iso_compliant_points p;
            CHECK_OK(f.ctx, iso_compliant_points_build(f.system, &h.pair, (iso_point_law)law, dt, v,
                                                       NULL, k_small_delassus, &f.arena, &p));
            iso_spatial wrench =
                iso_compliant_points_result(&p, &h.pair.patch, at, tractions[1], slips[1]);
            errors[i] = iso_vec3_distance(wrench.translational, exact.translational) /
                        iso_vec3_norm(exact.translational);
            for (int k = 0; k < 36; ++k) {
                CHECK_VEC3_NEAR(slips[1][k], slips[0][k], 1e-16); // measured 0
            }
        }
        CHECK_AT_MOST(errors[3], 1e-3); // measured 3.4e-4
        for (int i = 0; i < 3; ++i) {
            CHECK_NEAR(log2(errors[i] / errors[i + 1]), 1.0, 1e-5); // measured 5.3e-7
        }
    }
    hand_patch_free(&h);
    fixture_free(&f);
}

// Wrench, tractions and gradient are one answer.
static void result_is_the_impulse_over_the_step(void** state) {
    (void)state;
    fixture f = fixture_make(1e-4);
    hand_patch h = bowl(7);
    h.pair.relaxation_time = 1e-3;
    double dt = 1e-3, v[6] = {0.2, -0.1, 0.3, 0.05, 0.02, -0.01}, gradient[6], wrench[6];
    for (int law = 0; law < 2; ++law) {
        iso_compliant_points p;
        CHECK_OK(f.ctx, iso_compliant_points_build(f.system, &h.pair, (iso_point_law)law, dt,
                                                   iso_spatial_zero(), NULL, k_small_delassus,
                                                   &f.arena, &p));
        iso_compliant_points_eval(&p, v, gradient, NULL);
        iso_vec3 tractions[49];
        iso_spatial result = iso_compliant_points_result(&p, &h.pair.patch, v, tractions, NULL);
        iso_spatial sum = iso_spatial_zero();
        for (int i = 0; i < 49; ++i) {
            iso_vec3 force = iso_vec3_scale(tractions[i], h.areas[i]);
            iso_vec3 arm = iso_vec3_sub(h.centroids[i], h.pair.p_wc);
            sum = iso_spatial_add(sum, iso_spatial_make(iso_vec3_cross(arm, force), force));
        }
        CHECK_SPATIAL_NEAR(result, sum, 1e-13); // measured 6.7e-16
        to_array(result, wrench);
        for (int i = 0; i < 6; ++i) {
            CHECK_NEAR(wrench[i], -gradient[i] / dt, 1e-17); // measured 2.2e-19
        }
        iso_spatial alone = iso_compliant_points_result(&p, &h.pair.patch, v, NULL, NULL);
        CHECK_SPATIAL_NEAR(alone, result, 0.0); // measured 0
    }
    hand_patch_free(&h);
    fixture_free(&f);
}

// With A and B exchanged and the twist reversed the impulse is reversed, the potential the same.
static void exchanging_the_bodies_reverses_the_impulse(void** state) {
    (void)state;
    fixture f = fixture_make(1e-4);
    double v[6] = {0.2, -0.1, 0.3, 0.05, 0.02, -0.01}, back[6], g[6], g_back[6];
    for (int i = 0; i < 6; ++i) {
        back[i] = -v[i];
    }
    for (int law = 0; law < 2; ++law) {
        hand_patch h = bowl(7);
        iso_compliant_points p, q;
        CHECK_OK(f.ctx, iso_compliant_points_build(f.system, &h.pair, (iso_point_law)law, 1e-3,
                                                   iso_spatial_zero(), NULL, k_small_delassus,
                                                   &f.arena, &p));
        for (int i = 0; i < h.pair.patch.face_count; ++i) {
            iso_vec3 gradient = h.gradients_a[i];
            h.gradients_a[i] = h.gradients_b[i];
            h.gradients_b[i] = gradient;
            h.normals[i] = iso_vec3_neg(h.normals[i]);
        }
        CHECK_OK(f.ctx, iso_compliant_points_build(f.system, &h.pair, (iso_point_law)law, 1e-3,
                                                   iso_spatial_zero(), NULL, k_small_delassus,
                                                   &f.arena, &q));
        double value = iso_compliant_points_eval(&p, v, g, NULL);
        CHECK_BITS(iso_compliant_points_eval(&q, back, g_back, NULL), value);
        for (int i = 0; i < 6; ++i) {
            CHECK_NEAR(g_back[i], -g[i], 0.0); // measured 0
        }
        hand_patch_free(&h);
    }
    fixture_free(&f);
}

// A rigid ring of radius 1.5 m and 3 kg on three compliant spots, 10 m/s^2 of gravity.
#define DISK_MASS 3.0
#define DISK_RADIUS 1.5
#define DISK_AREA 1e-4
#define DISK_DT 1e-2

typedef struct disk {
    hand_patch patch;
    double stiffness; ///< of one spot [N/m]
    double height;    ///< of the ring above touching [m]
    double v[6];
    iso_vec3 tractions[3];
    int iterations; ///< of the last step
} disk;

static disk disk_make(double stiffness, double mu, double relaxation_time) {
    disk d = {.patch = hand_patch_make(3), .stiffness = stiffness};
    double a = 0.5 * sqrt(DISK_AREA);
    double slope = stiffness / DISK_AREA;
    for (int i = 0; i < 3; ++i) {
        double angle = 2.0 * ISO_PI * i / 3.0;
        double x = DISK_RADIUS * cos(angle), y = DISK_RADIUS * sin(angle);
        iso_vec3 v[4] = {iso_vec3_make(x - a, y - a, 0.0), iso_vec3_make(x + a, y - a, 0.0),
                         iso_vec3_make(x + a, y + a, 0.0), iso_vec3_make(x - a, y + a, 0.0)};
        hand_patch_add(&d.patch, v, 4, 0.0, iso_vec3_zero(), iso_vec3_make(0.0, 0.0, -slope),
                       iso_vec3_zero());
    }
    hand_patch_finish(&d.patch);
    d.patch.pair.patch.is_rigid_b = true;
    d.patch.pair.p_wc = iso_vec3_zero();
    d.patch.pair.friction_static = d.patch.pair.friction_dynamic = mu;
    d.patch.pair.relaxation_time = relaxation_time;
    return d;
}

// Solve H x = b in place, Gaussian elimination without pivoting (H is positive definite).
static void solve6(double h[36], double b[6]) {
    for (int k = 0; k < 6; ++k) {
        for (int i = k + 1; i < 6; ++i) {
            double factor = h[6 * i + k] / h[7 * k];
            for (int j = k; j < 6; ++j) {
                h[6 * i + j] -= factor * h[6 * k + j];
            }
            b[i] -= factor * b[k];
        }
    }
    for (int i = 5; i >= 0; --i) {
        for (int j = i + 1; j < 6; ++j) {
            b[i] -= h[6 * i + j] * b[j];
        }
        b[i] /= h[7 * i];
    }
}

// One step under gravity and an applied wrench: minimise 1/2 |v - v*|_M^2 + l(v) by Newton with
// bisection on the slope along each direction.
static void disk_step(fixture* f, disk* d, iso_point_law law, const double applied[6],
                      const double guess[6]) {
    const double j = DISK_MASS * DISK_RADIUS * DISK_RADIUS;
    const double mass[6] = {j, j, j, DISK_MASS, DISK_MASS, DISK_MASS};
    double w[36] = {0.0}, target[6], v[6];
    for (int i = 0; i < 6; ++i) {
        w[7 * i] = 1.0 / mass[i];
        double gravity = i == 5 ? -10.0 * DISK_MASS : 0.0;
        target[i] = d->v[i] + DISK_DT * (applied[i] + gravity) / mass[i];
        v[i] = guess ? guess[i] : d->v[i];
    }
    for (int i = 0; i < 3; ++i) {
        d->patch.pressures[i] = -d->stiffness * d->height / DISK_AREA;
    }
    iso_compliant_points p;
    iso_spatial v0 = iso_spatial_make(iso_vec3_make(d->v[0], d->v[1], d->v[2]),
                                      iso_vec3_make(d->v[3], d->v[4], d->v[5]));
    CHECK_OK(f->ctx, iso_compliant_points_build(f->system, &d->patch.pair, law, DISK_DT, v0, NULL,
                                                w, &f->arena, &p));
    for (d->iterations = 0; d->iterations < 200; ++d->iterations) {
        double g[6], h[36], dv[6], largest = 0.0;
        iso_compliant_points_eval(&p, v, g, h);
        for (int i = 0; i < 6; ++i) {
            h[7 * i] += mass[i];
            g[i] += mass[i] * (v[i] - target[i]);
            dv[i] = -g[i];
            largest = fmax(largest, fabs(g[i]));
        }
        if (largest < 1e-13) {
            break;
        }
        solve6(h, dv);
        double low = 0.0, high = 1.0, alpha = 1.0;
        for (int k = 0; k < 60; ++k) {
            double value, slope, curvature;
            iso_compliant_points_line(&p, v, dv, alpha, &value, &slope, &curvature);
            for (int i = 0; i < 6; ++i) {
                slope += mass[i] * (v[i] + alpha * dv[i] - target[i]) * dv[i];
            }
            if (k == 0 && slope <= 0.0) {
                break;
            }
            low = slope < 0.0 ? alpha : low;
            high = slope < 0.0 ? high : alpha;
            alpha = 0.5 * (low + high);
        }
        for (int i = 0; i < 6; ++i) {
            v[i] += alpha * dv[i];
        }
    }
    memcpy(d->v, v, sizeof v);
    d->height += DISK_DT * v[5];
    iso_compliant_points_result(&p, &d->patch.pair.patch, v, d->tractions, NULL);
}

// Normal and tangential impulse of one spot.
static double normal_impulse(const disk* d, int i) {
    return DISK_DT * DISK_AREA * d->tractions[i].z;
}
static double tangential_impulse(const disk* d, int i) {
    return DISK_DT * DISK_AREA * hypot(d->tractions[i].x, d->tractions[i].y);
}

static void a_twisted_disk_sticks_below_the_friction_limit(void** state) {
    (void)state;
    const double applied[6] = {0.0, 0.0, 20.0, 0.0, 0.0, 0.0};
    for (int law = 0; law < 2; ++law) {
        fixture f = fixture_make(1e-4);
        disk d = disk_make(1e4, 2.0 / 3.0, 2.0 * DISK_DT);
        d.patch.pair.dissipation = 20.0;
        int steps = law == ISO_POINT_LAW_LAGGED ? 400 : 40;
        for (int i = 0; i < steps; ++i) {
            const double guess[6] = {0.1, -0.2, 4.0, 1.0, 2.0, 3.0};
            disk_step(&f, &d, (iso_point_law)law, applied, i == 0 ? guess : NULL);
        }
        double slip = hypot(d.v[3], d.v[4]) + DISK_RADIUS * fabs(d.v[2]);
        // Static friction needs slip. SAP: R_t times the impulse, R_t from the mean tangential
        // mobility (1/m + 1/m + R^2/J) / 2 = 0.5 1/kg. Lagged: s / sqrt(s^2 + eps^2) = 2/3.
        double sap = 1e-4 * 0.5 * DISK_DT * 20.0 / DISK_RADIUS;
        double lagged = 1e-4 * (2.0 / 3.0) / sqrt(1.0 - 4.0 / 9.0);
        CHECK_REL(slip, law == ISO_POINT_LAW_SAP ? sap : lagged, 1e-9); // measured 4.3e-13
        CHECK_NEAR(d.v[5], 0.0, 1e-9);                                  // measured 1.8e-12
        for (int i = 0; i < 3; ++i) {
            CHECK_REL(normal_impulse(&d, i), DISK_DT * DISK_MASS * 10.0 / 3.0,
                      1e-6); // measured 1.7e-11
            CHECK_REL(tangential_impulse(&d, i), DISK_DT * 20.0 / (3.0 * DISK_RADIUS),
                      1e-6); // measured 2.1e-14
        }
        // The next step starts from its own answer.
        disk_step(&f, &d, (iso_point_law)law, applied, NULL);
        CHECK(d.iterations <= 1, "%d iterations from the answer", d.iterations);
        hand_patch_free(&d.patch);
        fixture_free(&f);
    }
}

static void a_twisted_disk_slides_above_the_friction_limit(void** state) {
    (void)state;
    const double applied[6] = {0.0, 0.0, 40.0, 0.0, 0.0, 0.0}; // limit 30 N m
    for (int law = 0; law < 2; ++law) {
        for (int rigid = 0; rigid < 2; ++rigid) {
            fixture f = fixture_make(1e-4);
            disk d = disk_make(rigid ? 1e20 : 1e4, 2.0 / 3.0, 2.0 * DISK_DT);
            d.patch.pair.dissipation = 20.0;
            d.height = -DISK_MASS * 10.0 / 3.0 / d.stiffness;
            for (int i = 0; i < 40; ++i) {
                disk_step(&f, &d, (iso_point_law)law, applied, NULL);
            }
            CHECK(d.v[2] > 0.1, "disk turns at %g rad/s", d.v[2]);
            for (int i = 0; i < 3; ++i) {
                CHECK_REL(tangential_impulse(&d, i), 2.0 / 3.0 * normal_impulse(&d, i),
                          law == ISO_POINT_LAW_SAP ? 1e-14 : 1e-6); // measured 2.1e-16, 6.3e-9
            }
            hand_patch_free(&d.patch);
            fixture_free(&f);
        }
    }
}

static void a_disk_without_friction_accelerates_freely(void** state) {
    (void)state;
    const double applied[6] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0};
    for (int law = 0; law < 2; ++law) {
        fixture f = fixture_make(1e-4);
        disk d = disk_make(1e4, 0.0, 2.0 * DISK_DT);
        d.patch.pair.dissipation = 20.0;
        for (int i = 0; i < 30; ++i) {
            disk_step(&f, &d, (iso_point_law)law, applied, NULL);
        }
        CHECK_NEAR(d.v[3], 0.1, 1e-14); // measured 6.9e-17
        hand_patch_free(&d.patch);
        fixture_free(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(discrete_wrench_converges_to_the_continuous_one),
        cmocka_unit_test(result_is_the_impulse_over_the_step),
        cmocka_unit_test(exchanging_the_bodies_reverses_the_impulse),
        cmocka_unit_test(a_twisted_disk_sticks_below_the_friction_limit),
        cmocka_unit_test(a_twisted_disk_slides_above_the_friction_limit),
        cmocka_unit_test(a_disk_without_friction_accelerates_freely),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
