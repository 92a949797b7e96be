// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Points of whole patches: what is built from faces, and what must not depend on their number.

#include "contact/discrete/compliant_points.h"
#include "contact/hand_patch.h"
#include "contact/pressure_field/point_fill.h"
#include "support/check.h"
#include "support/failing_context.h"
#include "support/random.h"

typedef struct fixture {
    iso_context* ctx;
    iso_contact_system* system;
    iso_arena arena;
} fixture;

static fixture fixture_make(double stiction_velocity, iso_combine combine) {
    fixture f = {.ctx = test_context()};
    iso_contact_options options = iso_contact_options_default();
    options.stiction_velocity = stiction_velocity;
    options.combine = combine;
    CHECK_OK(f.ctx, iso_contact_system_create(f.ctx, NULL, 0, NULL, &options, &f.system));
    CHECK_OK(f.ctx, iso_arena_init(&f.arena, f.ctx, 1 << 20));
    return f;
}

static fixture fixture_make_drake(double stiction_velocity) {
    fixture f = {.ctx = test_context()};
    iso_contact_options options = iso_contact_options_default();
    options.stiction_velocity = stiction_velocity;
    options.regularization = ISO_REGULARIZATION_DRAKE;
    options.cull = ISO_CULL_DRAKE;
    CHECK_OK(f.ctx, iso_contact_system_create(f.ctx, NULL, 0, NULL, &options, &f.system));
    CHECK_OK(f.ctx, iso_arena_init(&f.arena, f.ctx, 1 << 20));
    return f;
}

static void fixture_free(fixture* f) {
    iso_arena_destroy(&f->arena);
    iso_contact_system_destroy(f->ctx, f->system);
    test_context_destroy(f->ctx);
}

static iso_compliant_points build(fixture* f, const hand_patch* h, iso_point_law law, double dt,
                                  iso_spatial v_c0, const double delassus[36]) {
    iso_compliant_points points;
    CHECK_OK(f->ctx, iso_compliant_points_build(f->system, &h->pair, law, dt, v_c0, NULL, delassus,
                                                &f->arena, &points));
    return points;
}

// A free body of mass m and rotational inertia j against a fixed one, centre of mass at `arm` from
// the common point.
static void free_body_delassus(double m, double j, iso_vec3 arm, double w[36]) {
    iso_mat3 s = iso_mat3_skew(arm);
    iso_mat3 ss = iso_mat3_scale(iso_mat3_mul(s, s), -1.0 / j);
    memset(w, 0, 36 * sizeof *w);
    for (int i = 0; i < 3; ++i) {
        w[7 * i] = 1.0 / j;
        for (int k = 0; k < 3; ++k) {
            // v_c = v + w x (-arm) = v + [arm]x w
            w[6 * i + 3 + k] = s.m[k][i] / j;
            w[6 * (3 + k) + i] = s.m[k][i] / j;
            w[6 * (3 + i) + 3 + k] = ss.m[i][k] + (i == k ? 1.0 / m : 0.0);
        }
    }
}

static void faces_become_points_with_area_times_gradient(void** state) {
    (void)state;
    fixture f = fixture_make(1e-4, ISO_COMBINE_DRAKE);
    hand_patch h = hand_patch_square(0.5, 2, false, 10.0, iso_vec3_make(4.0, 0.0, 0.0), 6.0);
    for (int i = 0; i < 4; ++i) {
        h.gradients_b[i].z = 3.0; // series gradient 2 Pa/m
    }
    h.pair.dissipation = 7.0;
    double w[36] = {0.0};
    iso_compliant_points p = build(&f, &h, ISO_POINT_LAW_LAGGED, 1e-3, iso_spatial_zero(), w);
    assert_int_equal(p.count, 4);
    assert_int_equal(p.padded_count, 4);
    for (int i = 0; i < 4; ++i) {
        assert_int_equal(p.face[i], i);
        CHECK_NEAR(p.stiffness[i], 0.25 * 2.0, 1e-15);        // measured 0
        CHECK_NEAR(p.force[i], 0.25 * h.pressures[i], 1e-15); // measured 0
        CHECK_NEAR(p.dissipation[i], 7.0, 0.0);               // measured 0
        CHECK_NEAR(p.rx[i], h.centroids[i].x, 1e-16);         // measured 2.8e-17
    }
    hand_patch_free(&h);
    fixture_free(&f);
}

static void elandt_dissipation_is_combined_per_face(void** state) {
    (void)state;
    fixture f = fixture_make(1e-4, ISO_COMBINE_ELANDT);
    hand_patch h = hand_patch_square(0.5, 2, false, 10.0, iso_vec3_zero(), 6.0);
    h.gradients_b[2].z = 18.0; // A takes 3/4 of the closing velocity
    h.pair.dissipation_a = 8.0;
    h.pair.dissipation_b = 4.0;
    double w[36] = {0.0};
    iso_compliant_points p = build(&f, &h, ISO_POINT_LAW_LAGGED, 1e-3, iso_spatial_zero(), w);
    CHECK_NEAR(p.dissipation[0], 3.0, 1e-15);                                 // measured 0
    CHECK_NEAR(p.dissipation[2], 8.0 * 9.0 / 16.0 + 4.0 * 1.0 / 16.0, 1e-15); // measured 0
    hand_patch_free(&h);
    fixture_free(&f);
}

// Nine faces: 1, 3 and 4 have a slope that is not positive, 8 is a sliver.
static hand_patch patch_with_bad_slopes(void) {
    hand_patch h = hand_patch_square(0.5, 3, false, 10.0, iso_vec3_zero(), 6.0);
    h.gradients_a[1].z = 1.0;  // A's field rises towards B
    h.gradients_b[3].z = -0.5; // B's falls away from A
    h.gradients_b[4].z = 0.0;  // flat
    h.areas[8] = 1e-16;        // of 1 m^2
    h.pair.friction_dynamic = 0.5;
    return h;
}

static void without_culling_faces_of_bad_slope_keep_their_force(void** state) {
    (void)state;
    fixture f = fixture_make(1e-4, ISO_COMBINE_DRAKE);
    hand_patch h = patch_with_bad_slopes();
    const double w[36] = {0.0};
    for (int law = 0; law < 2; ++law) {
        iso_compliant_points p = build(&f, &h, (iso_point_law)law, 1e-3, iso_spatial_zero(), w);
        assert_int_equal(p.count, 8);
        for (int i = 0; i < 8; ++i) {
            // The slope of a field that falls is its gradient, in series with the other's 6; a flat
            // field has the smallest share of the steepest of its patch.
            double share = p.face[i] == 1   ? 2.0 / 7.0  // 1 and 6 of 6 and 6
                           : p.face[i] == 3 ? 2.0 / 13.0 // 6 and 1/2
                           : p.face[i] == 4 ? 1e-6
                                            : 1.0;
            CHECK_REL(p.stiffness[i], share * p.stiffness[0], 1e-14); // measured 2e-16
            CHECK_REL(p.force[i], p.force[0], 1e-14);                 // measured 2e-16
        }
    }
    hand_patch_free(&h);
    fixture_free(&f);
}

static void with_drakes_culling_faces_of_bad_slope_are_dropped(void** state) {
    (void)state;
    fixture f = fixture_make_drake(1e-4);
    hand_patch h = patch_with_bad_slopes();
    const double w[36] = {0.0};
    const double v[6] = {0.0, 0.0, 0.0, 0.1, 0.0, 0.0};
    for (int law = 0; law < 2; ++law) {
        iso_compliant_points p = build(&f, &h, (iso_point_law)law, 1e-3, iso_spatial_zero(), w);
        const int expected[] = {0, 2, 5, 6, 7};
        assert_int_equal(p.count, 5);
        assert_memory_equal(p.face, expected, sizeof expected);
        iso_vec3 tractions[9], slips[9];
        iso_compliant_points_result(&p, &h.pair.patch, v, tractions, slips);
        CHECK_VEC3_NEAR(tractions[3], iso_vec3_zero(), 0.0);          // measured 0
        CHECK_VEC3_NEAR(slips[3], iso_vec3_make(0.1, 0.0, 0.0), 0.0); // measured 0
        CHECK(tractions[2].z > 1.0, "face 2 carries %g Pa", tractions[2].z);
    }
    hand_patch_free(&h);
    fixture_free(&f);
}

static void a_patch_without_points_has_no_potential(void** state) {
    (void)state;
    fixture f = fixture_make(1e-4, ISO_COMBINE_DRAKE);
    hand_patch h = hand_patch_square(0.5, 1, false, 10.0, iso_vec3_zero(), -1.0);
    double w[36] = {0.0}, v[6] = {1.0, 1.0, 1.0, 1.0, 1.0, -1.0}, gradient[6], hessian[36];
    double zeros[36] = {0.0};
    for (int law = 0; law < 2; ++law) {
        iso_compliant_points p = build(&f, &h, (iso_point_law)law, 1e-3, iso_spatial_zero(), w);
        assert_int_equal(p.count, 0);
        CHECK_NEAR(iso_compliant_points_eval(&p, v, gradient, hessian), 0.0, 0.0); // measured 0
        CHECK_ARRAY_BITS(gradient, zeros, 6);
        CHECK_ARRAY_BITS(hessian, zeros, 36);
    }
    hand_patch_free(&h);
    fixture_free(&f);
}

// Five faces need three padding lanes: they must add nothing, so that the sum over single-face
// patches gives the same value.
static void padding_adds_nothing(void** state) {
    (void)state;
    fixture f = fixture_make(1e-4, ISO_COMBINE_DRAKE);
    hand_patch all = hand_patch_make(5);
    iso_vec3 up = iso_vec3_make(0.0, 0.0, 1e6), down = iso_vec3_make(0.0, 0.0, -1e6);
    double w[36] = {0.0}, v[6] = {0.2, 0.1, 0.3, 0.02, -0.01, -0.005};
    for (int law = 0; law < 2; ++law) {
        double sum = 0.0, sum_gradient[6] = {0.0}, gradient[6];
        all.pair.patch.face_count = 0;
        all.pair.patch.area = 0.0;
        for (int i = 0; i < 5; ++i) {
            iso_vec3 c[3] = {iso_vec3_make(0.01 * i, 0.0, 0.0),
                             iso_vec3_make(0.01 * i + 0.01, 0.0, 0.0),
                             iso_vec3_make(0.01 * i, 0.01, 0.0)};
            hand_patch one = hand_patch_make(1);
            hand_patch_add(&all, c, 3, 1e3, iso_vec3_zero(), down, up);
            hand_patch_add(&one, c, 3, 1e3, iso_vec3_zero(), down, up);
            one.pair.friction_dynamic = 0.5;
            iso_compliant_points p =
                build(&f, &one, (iso_point_law)law, 1e-3, iso_spatial_zero(), w);
            sum += iso_compliant_points_eval(&p, v, gradient, NULL);
            for (int k = 0; k < 6; ++k) {
                sum_gradient[k] += gradient[k];
            }
            hand_patch_free(&one);
        }
        all.pair.friction_dynamic = 0.5;
        iso_compliant_points p = build(&f, &all, (iso_point_law)law, 1e-3, iso_spatial_zero(), w);
        assert_int_equal(p.padded_count, 8);
        CHECK_REL(iso_compliant_points_eval(&p, v, gradient, NULL), sum, 1e-14); // measured 0
        CHECK_ARRAY_NEAR(gradient, sum_gradient, 6, 1e-16);                      // measured 0
    }
    hand_patch_free(&all);
    fixture_free(&f);
}

// Cutting every face in four changes neither stiffness nor regularisation of the patch. What is
// left is the quadrature: exact for translations, second order in the face size for rotations.
static void refining_the_mesh_changes_only_the_quadrature(void** state) {
    (void)state;
    fixture f = fixture_make(1e-4, ISO_COMBINE_DRAKE);
    iso_vec3 slope = iso_vec3_make(2e5, -1e5, 0.0);
    double w[36];
    free_body_delassus(0.3, 1e-3, iso_vec3_make(0.0, 0.0, 0.05), w);
    const double sliding[6] = {0.0, 0.0, 0.0, 0.02, 0.01, -0.003};
    const double turning[6] = {0.1, -0.2, 0.4, 0.02, 0.01, -0.003};
    static const iso_point_law laws[3] = {ISO_POINT_LAW_LAGGED, ISO_POINT_LAW_SAP,
                                          ISO_POINT_LAW_SIMILAR};
    for (int k = 0; k < 3; ++k) {
        iso_point_law law = laws[k];
        bool is_sap = law == ISO_POINT_LAW_SAP;
        double value[3], turn_value[3], gradient[3][6], turn_gradient[3][6], soft[3], eps[3];
        for (int i = 0; i < 3; ++i) {
            hand_patch h = hand_patch_square(0.02, 6 << i, false, 1e4, slope, 2e13);
            h.pair.friction_dynamic = 0.5;
            h.pair.dissipation = 5.0;
            h.pair.relaxation_time = 1e-3;
            iso_compliant_points p = build(&f, &h, law, 1e-3, iso_spatial_zero(), w);
            value[i] = iso_compliant_points_eval(&p, sliding, gradient[i], NULL);
            turn_value[i] = iso_compliant_points_eval(&p, turning, turn_gradient[i], NULL);
            soft[i] = p.softening;
            eps[i] = is_sap ? p.slip_scale[0] * (1 << (2 * (2 - i))) / 16.0 : p.slip_scale[0];
            hand_patch_free(&h);
        }
        // The near-rigid floor of SAP is in force, that of the others is not.
        CHECK(is_sap ? soft[0] < 0.1 : soft[0] == 1.0, "softening %g", soft[0]);
        for (int i = 1; i < 3; ++i) {
            CHECK_REL(soft[i], soft[0], 1e-2); // measured 0 and 1.9e-3 (SAP)
            CHECK_REL(eps[i], eps[0], 1e-2);   // measured 0 and 5.8e-4 (SAP)
            double tolerance = is_sap ? 1e-2 : 1e-13;
            CHECK_REL(value[i], value[0], tolerance);             // measured 1.9e-16, 1.9e-3
            CHECK_REL(gradient[i][5], gradient[0][5], tolerance); // measured 2.9e-16, 1.9e-3
        }
        double change[2] = {turn_value[1] - turn_value[0], turn_value[2] - turn_value[1]};
        double order = log2(fabs(change[0] / change[1]));
        CHECK_NEAR(order, 2.0, 0.1);                   // measured 1.7e-3
        CHECK_REL(turn_value[1], turn_value[0], 1e-2); // measured 7.9e-3
    }
    fixture_free(&f);
}

// The slip below which friction gives way follows the larger of the option and a small fraction of
// the speed that the friction impulse of the whole patch gives the bodies.
static void slip_regularisation_grows_with_the_impulse_of_the_patch(void** state) {
    (void)state;
    fixture f = fixture_make(1e-4, ISO_COMBINE_DRAKE);
    double m = 0.01, dt = 1e-3, w[36];
    free_body_delassus(m, 1e9, iso_vec3_zero(), w); // no rotation: slip mobility 1 / m
    for (double pressure = 1e2; pressure < 1e9; pressure *= 10.0) {
        hand_patch h = hand_patch_square(0.01, 4, false, pressure, iso_vec3_zero(), 1e8);
        h.pair.friction_dynamic = 0.5;
        iso_compliant_points p = build(&f, &h, ISO_POINT_LAW_LAGGED, dt, iso_spatial_zero(), w);
        double impulse = dt * pressure * 4e-4;
        for (int i = 0; i < p.count; ++i) {
            CHECK_REL(p.slip_scale[i], fmax(1e-4, 0.5 * 1e-5 / m * impulse),
                      1e-10);                                            // measured 5.2e-16
            CHECK_REL(p.friction_force[i], 0.5 * impulse / 16.0, 1e-14); // measured 4.3e-16
        }
        hand_patch_free(&h);
    }
    fixture_free(&f);
}

// The friction bound is last step's normal impulse with its damping (1 - d v_n)+, and nothing in
// the margin.
static void friction_bound_is_the_impulse_at_the_start(void** state) {
    (void)state;
    fixture f = fixture_make(1e-4, ISO_COMBINE_DRAKE);
    double w[36] = {0.0};
    const double pressures[] = {100.0, 100.0, 100.0, -100.0};
    const double speeds[] = {0.0, -0.1, 0.6, -0.1}, factors[] = {1.0, 1.2, 0.0, 0.0};
    for (int i = 0; i < 4; ++i) {
        hand_patch h = hand_patch_square(0.5, 1, false, pressures[i], iso_vec3_zero(), 1e4);
        h.pair.friction_dynamic = 0.5;
        h.pair.dissipation = 2.0;
        iso_spatial v0 = iso_spatial_make(iso_vec3_zero(), iso_vec3_make(0.0, 0.0, speeds[i]));
        iso_compliant_points p = build(&f, &h, ISO_POINT_LAW_LAGGED, 1e-3, v0, w);
        CHECK_NEAR(p.friction_force[0], 0.5 * 0.1 * factors[i], 1e-16); // measured 0
        hand_patch_free(&h);
    }
    fixture_free(&f);
}

// No mode of the patch is faster than the step allows: with SAP, (beta dt)^2 times the trace of W K
// is at most (2 pi)^2, beta = 0.1. Stiffness and force shrink together.
static void near_rigid_patches_are_softened_as_a_whole(void** state) {
    (void)state;
    fixture f = fixture_make(1e-4, ISO_COMBINE_DRAKE);
    double m = 2.0, dt = 1e-2, tau = 0.02, w[36];
    free_body_delassus(m, 1e9, iso_vec3_zero(), w);
    double limit = 4.0 * ISO_PI * ISO_PI * m / (0.01 * dt * dt);
    for (double slope = 1e3; slope < 1e20; slope *= 10.0) {
        hand_patch h = hand_patch_square(0.5, 3, false, 50.0, iso_vec3_zero(), 2.0 * slope);
        h.pair.relaxation_time = tau;
        h.pair.friction_dynamic = 0.5;
        iso_compliant_points p = build(&f, &h, ISO_POINT_LAW_SAP, dt, iso_spatial_zero(), w);
        double stiffness = 0.0;
        for (int i = 0; i < p.count; ++i) {
            stiffness += p.stiffness[i];
            CHECK_REL(p.regularization[i], 1.0 / (dt * (dt + tau) * p.stiffness[i]),
                      1e-15);                                       // 2.4e-16
            CHECK_REL(p.bias[i], 50.0 / slope / (dt + tau), 1e-14); // 3.1e-16
        }
        // The body turns a little: its rotational inertia is 1e9 kg m^2.
        CHECK_REL(stiffness, fmin(slope, limit), 1e-8); // measured 3e-10
        hand_patch_free(&h);
    }
    fixture_free(&f);
}

// Effective mass of a body held off the common point, by brute force: a unit impulse at each point.
static void mobility_follows_the_lever_arm(void** state) {
    (void)state;
    fixture f = fixture_make(1e-4, ISO_COMBINE_DRAKE);
    test_random random = test_random_make(41);
    iso_vec3 arm = test_random_vec3(&random, -0.1, 0.1);
    double m = 0.7, j = 2e-3, dt = 1e-3, w[36];
    free_body_delassus(m, j, arm, w);
    hand_patch h = hand_patch_square(0.05, 3, false, 1e10, iso_vec3_zero(), 2e9);
    h.pair.friction_dynamic = 1.0;
    iso_compliant_points p = build(&f, &h, ISO_POINT_LAW_LAGGED, dt, iso_spatial_zero(), w);
    // Along each tangential direction t: 1/m + |(r - arm) x t|^2 / j.
    double slip = 0.0;
    for (int i = 0; i < p.count; ++i) {
        iso_vec3 r = iso_vec3_sub(iso_vec3_make(p.rx[i], p.ry[i], p.rz[i]), arm);
        iso_vec3 x = iso_vec3_cross(r, iso_vec3_make(1.0, 0.0, 0.0));
        iso_vec3 y = iso_vec3_cross(r, iso_vec3_make(0.0, 1.0, 0.0));
        slip += 1.0 / m + 0.5 * (iso_vec3_dot(x, x) + iso_vec3_dot(y, y)) / j;
    }
    double impulse = dt * 1e10 * 0.01;
    CHECK_REL(p.slip_scale[0], 1e-5 * slip / p.count * impulse, 1e-13); // measured 2.6e-16
    hand_patch_free(&h);
    fixture_free(&f);
}

// Drake's estimate, written out: W_i = G W G^T, half the norm of its block in the tangent plane.
static double tangential_mobility(const double w[36], iso_vec3 r, iso_vec3 n, double* out_normal) {
    double g[3][6] = {{0.0, r.z, -r.y, 1.0}, {-r.z, 0.0, r.x, 0.0, 1.0}, {r.y, -r.x}};
    g[2][5] = 1.0;
    iso_mat3 w_i = iso_mat3_zero();
    for (int k = 0; k < 9 * 36; ++k) {
        int a = k / 108, b = k / 36 % 3, c = k / 6 % 6, d = k % 6;
        w_i.m[a][b] += g[a][c] * w[6 * c + d] * g[b][d];
    }
    iso_vec3 t = iso_vec3_normalized(iso_vec3_cross(n, iso_vec3_make(0.3, -0.5, 0.8)));
    iso_vec3 s = iso_vec3_cross(n, t);
    iso_vec3 wt = iso_mat3_mul_vec3(&w_i, t), ws = iso_mat3_mul_vec3(&w_i, s);
    double tt = iso_vec3_dot(t, wt), ts = iso_vec3_dot(t, ws), ss = iso_vec3_dot(s, ws);
    *out_normal = iso_vec3_dot(n, iso_mat3_mul_vec3(&w_i, n));
    return 0.5 * sqrt(tt * tt + 2.0 * ts * ts + ss * ss);
}

static void drakes_regularisation_is_set_per_face(void** state) {
    (void)state;
    fixture f = fixture_make_drake(1e-9);
    hand_patch h = hand_patch_square(0.5, 3, false, 1e6, iso_vec3_make(4e4, 1e4, 0.0), 1e9);
    h.pair.friction_dynamic = 0.7;
    h.pair.relaxation_time = 0.1;
    double w[36], dt = 1e-2;
    free_body_delassus(2.0, 0.3, iso_vec3_make(0.4, -0.3, 0.5), w);
    iso_compliant_points lagged = build(&f, &h, ISO_POINT_LAW_LAGGED, dt, iso_spatial_zero(), w);
    iso_compliant_points sap = build(&f, &h, ISO_POINT_LAW_SAP, dt, iso_spatial_zero(), w);
    for (int i = 0; i < lagged.count; ++i) {
        double normal = 0.0;
        double slip = tangential_mobility(w, h.centroids[i], h.normals[i], &normal);
        double near_rigid = normal / (4.0 * ISO_PI * ISO_PI);
        CHECK_REL(lagged.slip_scale[i], 1e-3 * slip * 0.7 * dt * lagged.force[i],
                  1e-13);                                 // measured 6e-16
        CHECK_REL(sap.slip_scale[i], 1e-3 * slip, 1e-13); // measured 6e-16
        CHECK_REL(sap.regularization[i],
                  fmax(near_rigid, 1.0 / (dt * sap.stiffness[i] * (dt + 0.1))),
                  1e-13);                                       // measured 6e-16
        CHECK_NEAR(sap.stiffness[i], lagged.stiffness[i], 0.0); // neither is softened
    }
    hand_patch_free(&h);
    fixture_free(&f);
}

static void bad_time_steps_are_refused(void** state) {
    (void)state;
    fixture f = fixture_make(1e-4, ISO_COMBINE_DRAKE);
    hand_patch h = hand_patch_square(0.05, 1, false, 1.0, iso_vec3_zero(), 1.0);
    const double bad[] = {0.0, -1e-3, NAN, INFINITY};
    double w[36] = {0.0};
    for (int i = 0; i < 4; ++i) {
        iso_compliant_points p;
        CHECK_STATUS(f.ctx,
                     iso_compliant_points_build(f.system, &h.pair, ISO_POINT_LAW_LAGGED, bad[i],
                                                iso_spatial_zero(), NULL, w, &f.arena, &p),
                     ISO_ERR_RANGE);
        CHECK_ERROR(f.ctx, "time step is ");
    }
    hand_patch_free(&h);
    fixture_free(&f);
}

static iso_status build_once(iso_context* ctx, void* user) {
    hand_patch* h = user;
    iso_contact_options options = iso_contact_options_default();
    iso_contact_system* system = NULL;
    iso_arena arena = {0};
    double w[36] = {0.0};
    iso_compliant_points points;
    iso_status status = iso_contact_system_create(ctx, NULL, 0, NULL, &options, &system);
    if (status == ISO_OK) {
        status = iso_arena_init(&arena, ctx, 0);
    }
    if (status == ISO_OK) {
        status = iso_compliant_points_build(system, &h->pair, ISO_POINT_LAW_LAGGED, 1e-3,
                                            iso_spatial_zero(), NULL, w, &arena, &points);
        iso_arena_destroy(&arena);
    }
    iso_contact_system_destroy(ctx, system);
    return status;
}

static void every_allocation_failure_is_survived(void** state) {
    (void)state;
    hand_patch h = hand_patch_square(0.05, 8, false, 1.0, iso_vec3_zero(), 1.0);
    int count = check_every_allocation_failure(build_once, &h);
    CHECK(count >= 8, "%d allocations", count);
    hand_patch_free(&h);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faces_become_points_with_area_times_gradient),
        cmocka_unit_test(elandt_dissipation_is_combined_per_face),
        cmocka_unit_test(without_culling_faces_of_bad_slope_keep_their_force),
        cmocka_unit_test(with_drakes_culling_faces_of_bad_slope_are_dropped),
        cmocka_unit_test(a_patch_without_points_has_no_potential),
        cmocka_unit_test(padding_adds_nothing),
        cmocka_unit_test(refining_the_mesh_changes_only_the_quadrature),
        cmocka_unit_test(slip_regularisation_grows_with_the_impulse_of_the_patch),
        cmocka_unit_test(friction_bound_is_the_impulse_at_the_start),
        cmocka_unit_test(near_rigid_patches_are_softened_as_a_whole),
        cmocka_unit_test(mobility_follows_the_lever_arm),
        cmocka_unit_test(drakes_regularisation_is_set_per_face),
        cmocka_unit_test(bad_time_steps_are_refused),
        cmocka_unit_test(every_allocation_failure_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
