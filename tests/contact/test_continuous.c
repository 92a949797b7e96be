// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "contact/hand_patch.h"
#include "contact/pressure_field/pressure_field.h"
#include "support/check.h"
#include "support/failing_context.h"
#include "support/random.h"

typedef struct fixture {
    iso_context* ctx;
    iso_contact_system* system;
} fixture;

static fixture fixture_make(iso_representation representation, iso_combine combine, iso_cull cull) {
    fixture f = {.ctx = test_context()};
    iso_contact_options options = iso_contact_options_default();
    options.representation = representation;
    options.combine = combine;
    options.cull = cull;
    options.stiction_velocity = 1e-6;
    CHECK_OK(f.ctx, iso_contact_system_create(f.ctx, NULL, 0, NULL, &options, &f.system));
    return f;
}

static void fixture_free(fixture* f) {
    iso_contact_system_destroy(f->ctx, f->system);
    test_context_destroy(f->ctx);
}

// Bottom face of a rigid unit cube at depth 0.5 in a half space with p = -z; B is the cube, the
// common point its centre.
static hand_patch cube_in_half_space(bool is_triangles, double depth) {
    hand_patch h = hand_patch_square(0.5, 1, is_triangles, depth, iso_vec3_zero(), 1.0);
    h.pair.patch.is_rigid_b = true;
    for (int f = 0; f < h.pair.patch.face_count; ++f) {
        h.gradients_b[f] = iso_vec3_zero();
    }
    h.pair.p_wc = iso_vec3_make(0.0, 0.0, 0.5);
    return h;
}

static void cube_in_half_space_feels_half_a_newton(void** state) {
    (void)state;
    for (int triangles = 0; triangles < 2; ++triangles) {
        fixture f =
            fixture_make(triangles ? ISO_REPRESENTATION_TRIANGLE : ISO_REPRESENTATION_POLYGON,
                         ISO_COMBINE_DRAKE, ISO_CULL_NONE);
        hand_patch h = cube_in_half_space(triangles, 0.5);
        iso_spatial still =
            iso_contact_continuous_wrench(f.system, &h.pair, iso_spatial_zero(), NULL, NULL);
        CHECK_VEC3_NEAR(still.translational, iso_vec3_make(0.0, 0.0, 0.5), 2e-16); // 5.6e-17
        CHECK_VEC3_NEAR(still.rotational, iso_vec3_zero(), 2e-16);                 // measured 0

        // mu = 1, slip 1 m/s along x: F = (-0.5, 0, 0.5), torque about y 0.25 at height 0.5.
        h.pair.friction_static = h.pair.friction_dynamic = 1.0;
        iso_spatial slip = iso_spatial_make(iso_vec3_zero(), iso_vec3_make(1.0, 0.0, 0.0));
        iso_spatial slid = iso_contact_continuous_wrench(f.system, &h.pair, slip, NULL, NULL);
        CHECK_VEC3_NEAR(slid.translational, iso_vec3_make(-0.5, 0.0, 0.5), 2e-16); // 7.9e-17
        CHECK_VEC3_NEAR(slid.rotational, iso_vec3_make(0.0, 0.25, 0.0), 2e-16);    // measured 0

        // d = 1, v_n = -1 doubles the pressure; v_n = 2 pulls nothing.
        h.pair.dissipation = 1.0;
        iso_spatial in = iso_spatial_make(iso_vec3_zero(), iso_vec3_make(0.0, 0.0, -1.0));
        iso_spatial closing = iso_contact_continuous_wrench(f.system, &h.pair, in, NULL, NULL);
        CHECK_VEC3_NEAR(closing.translational, iso_vec3_make(0.0, 0.0, 1.0), 4e-16); // 1.1e-16
        iso_spatial out = iso_spatial_scale(in, -2.0);
        iso_spatial leaving = iso_contact_continuous_wrench(f.system, &h.pair, out, NULL, NULL);
        CHECK_VEC3_NEAR(leaving.translational, iso_vec3_zero(), 0.0); // measured 0
        hand_patch_free(&h);
        fixture_free(&f);
    }
}

// In the margin the pressure is negative; damping must not turn it into a push.
static void margin_never_pushes(void** state) {
    (void)state;
    fixture f = fixture_make(ISO_REPRESENTATION_POLYGON, ISO_COMBINE_DRAKE, ISO_CULL_NONE);
    hand_patch h = cube_in_half_space(false, -0.01);
    h.pair.dissipation = 1.0;
    for (double v_n = -3.0; v_n <= 3.0; v_n += 0.5) {
        iso_spatial v = iso_spatial_make(iso_vec3_zero(), iso_vec3_make(0.1, 0.0, v_n));
        iso_spatial w = iso_contact_continuous_wrench(f.system, &h.pair, v, NULL, NULL);
        CHECK_VEC3_NEAR(w.translational, iso_vec3_zero(), 0.0); // measured 0
    }
    hand_patch_free(&h);
    fixture_free(&f);
}

// The three-point rule integrates pressure times position exactly: for p = p0 + gx x over a square
// of half width a, the moment about y is -gx (2a)^4 / 12.
static void triangles_carry_the_exact_moment(void** state) {
    (void)state;
    fixture f = fixture_make(ISO_REPRESENTATION_TRIANGLE, ISO_COMBINE_DRAKE, ISO_CULL_NONE);
    hand_patch h = hand_patch_square(0.5, 1, true, 2.0, iso_vec3_make(1.5, 0.0, 0.0), 1.0);
    iso_spatial w =
        iso_contact_continuous_wrench(f.system, &h.pair, iso_spatial_zero(), NULL, NULL);
    CHECK_VEC3_NEAR(w.translational, iso_vec3_make(0.0, 0.0, 2.0), 1e-15);      // 0
    CHECK_VEC3_NEAR(w.rotational, iso_vec3_make(0.0, -1.5 / 12.0, 0.0), 1e-15); // 4.4e-17
    hand_patch_free(&h);
    fixture_free(&f);
}

static iso_spatial random_twist(test_random* random, double scale) {
    return iso_spatial_make(test_random_vec3(random, -10.0 * scale, 10.0 * scale),
                            test_random_vec3(random, -scale, scale));
}

// A bumpy patch of tilted faces with both bodies compliant.
static hand_patch bumpy_patch(test_random* random, int count) {
    hand_patch h = hand_patch_make(count);
    for (int i = 0; i < count; ++i) {
        iso_vec3 n = iso_vec3_normalized(
            iso_vec3_add(iso_vec3_make(0.0, 0.0, 1.0), test_random_vec3(random, -0.4, 0.4)));
        iso_vec3 e1 = iso_vec3_normalized(iso_vec3_cross(n, test_random_unit_vec3(random)));
        iso_vec3 e2 = iso_vec3_cross(n, e1);
        iso_vec3 center = test_random_vec3(random, -0.05, 0.05);
        iso_vec3 v[3] = {iso_vec3_add_scaled(center, e1, 0.01),
                         iso_vec3_add_scaled(center, e2, 0.012),
                         iso_vec3_add_scaled(iso_vec3_add_scaled(center, e1, -0.01), e2, -0.004)};
        iso_vec3 g = iso_vec3_scale(e1, test_random_uniform(random, -1e5, 1e5));
        double slope_a = test_random_uniform(random, 1e6, 1e7);
        double slope_b = test_random_uniform(random, 1e6, 1e7);
        double p0 = test_random_uniform(random, 1e3, 1e4) - iso_vec3_dot(g, center);
        hand_patch_add(&h, v, 3, p0, g, iso_vec3_scale(n, -slope_a), iso_vec3_scale(n, slope_b));
    }
    hand_patch_finish(&h);
    h.pair.dissipation = 3.0;
    h.pair.dissipation_a = 2.0;
    h.pair.dissipation_b = 5.0;
    h.pair.friction_static = h.pair.friction_dynamic = 0.6;
    return h;
}

static void wrench_is_the_sum_of_the_tractions(void** state) {
    (void)state;
    test_random random = test_random_make(11);
    fixture f = fixture_make(ISO_REPRESENTATION_POLYGON, ISO_COMBINE_ELANDT, ISO_CULL_DRAKE);
    hand_patch h = bumpy_patch(&random, 40);
    iso_vec3 tractions[40], slips[40];
    iso_spatial v = random_twist(&random, 0.1);
    iso_spatial w = iso_contact_continuous_wrench(f.system, &h.pair, v, tractions, slips);
    iso_spatial sum = iso_spatial_zero();
    for (int i = 0; i < 40; ++i) {
        iso_vec3 force = iso_vec3_scale(tractions[i], h.areas[i]);
        iso_vec3 arm = iso_vec3_sub(h.centroids[i], h.pair.p_wc);
        sum = iso_spatial_add(sum, iso_spatial_make(iso_vec3_cross(arm, force), force));
        CHECK_NEAR(iso_vec3_dot(slips[i], h.normals[i]), 0.0, 1e-15); // measured 2.1e-17
        double p = iso_vec3_dot(tractions[i], h.normals[i]);
        iso_vec3 tangential = iso_vec3_add_scaled(tractions[i], h.normals[i], -p);
        // Friction opposes slip with the full Coulomb bound: slips are far above 1e-6 m/s.
        CHECK_REL(iso_vec3_dot(tangential, slips[i]), -0.6 * p * iso_vec3_norm(slips[i]),
                  1e-14); // measured 7.3e-16
    }
    CHECK_SPATIAL_NEAR(w, sum, 1e-13); // measured 0
    hand_patch_free(&h);
    fixture_free(&f);
}

// The patch with A and B exchanged.
static void exchange_bodies(hand_patch* h) {
    for (int i = 0; i < h->pair.patch.face_count; ++i) {
        iso_vec3 gradient = h->gradients_a[i];
        h->gradients_a[i] = h->gradients_b[i];
        h->gradients_b[i] = gradient;
        h->normals[i] = iso_vec3_neg(h->normals[i]);
    }
    double d = h->pair.dissipation_a;
    h->pair.dissipation_a = h->pair.dissipation_b;
    h->pair.dissipation_b = d;
}

static double ramp(void* user, const iso_friction_params* pair, double speed) {
    (void)user;
    return pair->friction_dynamic * speed / (speed + pair->velocity);
}

static void exchanging_the_bodies_reverses_the_wrench(void** state) {
    (void)state;
    test_random random = test_random_make(12);
    for (int law = 0; law < ISO_FRICTION_LAW_COUNT; ++law) {
        fixture f = fixture_make(ISO_REPRESENTATION_TRIANGLE, ISO_COMBINE_ELANDT, ISO_CULL_NONE);
        iso_contact_options* options = (iso_contact_options*)iso_contact_system_options(f.system);
        options->friction_law = (iso_friction_law)law;
        options->own_friction.coefficient = ramp;
        hand_patch h = bumpy_patch(&random, 40);
        iso_spatial v = random_twist(&random, 0.1);
        iso_spatial w = iso_contact_continuous_wrench(f.system, &h.pair, v, NULL, NULL);
        exchange_bodies(&h);
        iso_spatial other = iso_contact_continuous_wrench(f.system, &h.pair,
                                                          iso_spatial_scale(v, -1.0), NULL, NULL);
        CHECK_SPATIAL_NEAR(other, iso_spatial_scale(w, -1.0), 0.0); // measured 0
        hand_patch_free(&h);
        fixture_free(&f);
    }
}

// Damping and friction take power out, whatever the motion: the wrench without them, minus the
// wrench with them, acts against the twist.
static void no_twist_gains_power_from_damping_and_friction(void** state) {
    (void)state;
    test_random random = test_random_make(13);
    const iso_combine rules[] = {ISO_COMBINE_DRAKE, ISO_COMBINE_ELANDT};
    for (int rule = 0; rule < 2; ++rule) {
        fixture f = fixture_make(ISO_REPRESENTATION_TRIANGLE, rules[rule], ISO_CULL_NONE);
        hand_patch h = bumpy_patch(&random, 40);
        iso_spatial elastic =
            iso_contact_continuous_wrench(f.system, &h.pair, iso_spatial_zero(), NULL, NULL);
        for (int i = 0; i < 500; ++i) {
            iso_spatial v = random_twist(&random, i % 2 ? 1e-6 : 1.0);
            iso_spatial w = iso_contact_continuous_wrench(f.system, &h.pair, v, NULL, NULL);
            double loss = iso_spatial_dot(elastic, v) - iso_spatial_dot(w, v);
            CHECK_AT_MOST(-loss, 0.0); // smallest loss measured: 1e-6 W
        }
        hand_patch_free(&h);
        fixture_free(&f);
    }
}

// The energy of the overlap is what the elastic force did: dU/dh = -F for a rigid face moving out
// of the field p = -z, and for two fields in series.
static void elastic_energy_is_the_work_of_the_elastic_force(void** state) {
    (void)state;
    hand_patch cube = cube_in_half_space(false, 0.5);
    CHECK_NEAR(iso_contact_elastic_energy(&cube.pair), 0.125, 1e-16); // measured 0
    hand_patch_free(&cube);

    // Pressure p0 + gx x over a square, slopes 2 and 3: U = int p^2 / (2 g) with g = 6/5.
    double p0 = 2.0, gx = 1.5;
    hand_patch h = hand_patch_square(0.5, 3, false, p0, iso_vec3_make(gx, 0.0, 0.0), 2.0);
    for (int i = 0; i < h.pair.patch.face_count; ++i) {
        h.gradients_b[i].z = 3.0;
    }
    double expected = (p0 * p0 + gx * gx / 12.0) / (2.0 * 1.2);
    CHECK_REL(iso_contact_elastic_energy(&h.pair), expected, 1e-14); // measured 1.3e-16
    // A face that would pull has no potential and no energy.
    h.gradients_b[0].z = -1.0;
    CHECK(iso_contact_elastic_energy(&h.pair) < expected, "face with a falling field counted");
    hand_patch_free(&h);
}

// The field below the side of a box is tangential but for rounding: a cube pressed 1 mm into the
// ground stores what the flat part of its bottom stores.
static void tangential_fields_store_little(void** state) {
    (void)state;
    double depth = 1e-3, slope = 2e7, pressure = slope * depth;
    hand_patch h = hand_patch_square(0.5, 1, true, pressure, iso_vec3_zero(), slope);
    double flat = iso_contact_elastic_energy(&h.pair);
    for (int f = 0; f < h.pair.patch.face_count; ++f) {
        h.gradients_a[f] = iso_vec3_make(slope, 0.0, -1e-9);
        h.gradients_b[f] = iso_vec3_make(slope, 0.0, 1e-9);
    }
    // Half the gradient instead of all of it: twice the energy.
    CHECK_REL(iso_contact_elastic_energy(&h.pair), 2.0 * flat, 1e-14);
    hand_patch_free(&h);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cube_in_half_space_feels_half_a_newton),
        cmocka_unit_test(margin_never_pushes),
        cmocka_unit_test(triangles_carry_the_exact_moment),
        cmocka_unit_test(wrench_is_the_sum_of_the_tractions),
        cmocka_unit_test(exchanging_the_bodies_reverses_the_wrench),
        cmocka_unit_test(no_twist_gains_power_from_damping_and_friction),
        cmocka_unit_test(elastic_energy_is_the_work_of_the_elastic_force),
        cmocka_unit_test(tangential_fields_store_little),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
