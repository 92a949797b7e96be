// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// A rigid body on three points, the "pizza saver" of the convex contact literature ([Castro2022]):
// mass 3 kg in the points, radius 1.5 m, gravity 10 m/s^2, friction 2/3, time step 10 ms. Patches
// are made by hand, so that stiffness and gap are exact.

#include "contact/discrete/compliant_points.h"
#include "contact/hand_patch.h"
#include "contact/pressure_field/point_fill.h"
#include "solver/convex.h"
#include "stepper/rig.h"

#define RADIUS 1.5
#define MASS 3.0
#define GRAVITY 10.0
#define DT 0.01

typedef struct disk {
    rig* rig;
    iso_arena arena;
    iso_convex_solver solver;
    double stiffness, friction;
    iso_compliant_points points;
    iso_potential potential;
    iso_convex_problem problem;
    iso_convex_report report;
    double a[36], v_star[6], jacobian[36];
    int a_index[2];
    iso_vec3 tractions[3], slips[3]; // at the end of the step
    double area;
    hand_patch patch;
} disk;

static disk* disk_make(double stiffness, double friction) {
    disk* d = calloc(1, sizeof *d);
    d->rig = rig_make();
    int body = rig_add_free(d->rig, "disk", MASS);
    double moment = MASS * RADIUS * RADIUS;
    d->rig->bodies[body].inertia = iso_mat3_diagonal(0.5 * moment, 0.5 * moment, moment);
    rig_finish(d->rig);
    CHECK_OK(d->rig->ctx, iso_arena_init(&d->arena, d->rig->ctx, 0));
    d->solver.matrix.ctx = d->rig->ctx;
    d->stiffness = stiffness;
    d->friction = friction;
    rig_update(d->rig);
    return d;
}

static void disk_destroy(disk* d) {
    hand_patch_free(&d->patch);
    iso_convex_solver_destroy(&d->solver);
    iso_arena_destroy(&d->arena);
    rig_destroy(d->rig);
    free(d);
}

// Three small faces below the points of the disk; A is the ground, the field is the disk's.
static void lay_patch(disk* d) {
    double half = 0.01, slope = d->stiffness / (4.0 * half * half);
    hand_patch_free(&d->patch);
    d->patch = hand_patch_make(3);
    d->patch.pair.patch.is_rigid_a = true;
    const iso_pose* x_wb = &d->rig->kinematics.x_wb[1];
    for (int i = 0; i < 3; ++i) {
        double angle = 2.0 * ISO_PI / 3.0 * i;
        iso_vec3 p =
            iso_pose_point(x_wb, iso_vec3_make(RADIUS * cos(angle), RADIUS * sin(angle), 0.0));
        iso_vec3 corners[4] = {
            iso_vec3_make(p.x - half, p.y - half, 0.0), iso_vec3_make(p.x + half, p.y - half, 0.0),
            iso_vec3_make(p.x + half, p.y + half, 0.0), iso_vec3_make(p.x - half, p.y + half, 0.0)};
        hand_patch_add(&d->patch, corners, 4, -p.z * slope, iso_vec3_zero(), iso_vec3_zero(),
                       iso_vec3_make(0.0, 0.0, slope));
    }
    hand_patch_finish(&d->patch);
    iso_contact_pair* pair = &d->patch.pair;
    pair->body_b = 1;
    pair->modulus_a = INFINITY;
    pair->friction_static = pair->friction_dynamic = d->friction;
    pair->relaxation_time = 2.0 * DT;
    d->area = 4.0 * half * half;
}

// The problem of one step under gravity, a force along x and a moment about z.
static void pose_problem(disk* d, double force, double moment) {
    rig* r = d->rig;
    lay_patch(d);
    CHECK_OK(r->ctx, iso_arena_reset(&d->arena));
    CHECK_OK(r->ctx, iso_multibody_mass_matrix(&r->multibody, &r->kinematics, &d->arena, d->a));
    iso_spatial applied[2] = {iso_spatial_zero(), iso_spatial_make(iso_vec3_make(0.0, 0.0, moment),
                                                                   iso_vec3_make(force, 0.0, 0.0))};
    CHECK_OK(r->ctx, iso_multibody_acceleration(&r->multibody, &r->kinematics, r->v,
                                                iso_vec3_make(0.0, 0.0, -GRAVITY), NULL, applied,
                                                &d->arena, d->v_star));
    for (int i = 0; i < 6; ++i) {
        d->v_star[i] = r->v[i] + DT * d->v_star[i];
    }
    iso_vec3 p_wc = d->patch.pair.p_wc;
    iso_multibody_jacobian(&r->multibody, &r->kinematics, 1, p_wc, d->jacobian);
    double delassus[36] = {0.0};
    for (int i = 0; i < 6; ++i) {
        for (int j = 0; j < 6; ++j) {
            for (int k = 0; k < 6; ++k) {
                delassus[6 * i + j] +=
                    d->jacobian[6 * i + k] * d->jacobian[6 * j + k] / d->a[7 * k];
            }
        }
    }
    iso_spatial v_c = iso_pair_twist(&r->kinematics, &d->patch.pair);
    CHECK_OK(r->ctx, iso_compliant_points_build(r->contact, &d->patch.pair, ISO_POINT_LAW_SAP, DT,
                                                v_c, NULL, delassus, &d->arena, &d->points));
}

static double eval_points(const void* user, const double* u, double* g, double* h) {
    return iso_compliant_points_eval(user, u, g, h);
}

static void line_points(const void* user, const double* u, const double* du, double alpha,
                        double* value, double* slope, double* curvature) {
    iso_compliant_points_line(user, u, du, alpha, value, slope, curvature);
}

static const iso_potential_ops points_ops = {eval_points, line_points, NULL};

static void disk_solve(disk* d, double v[6]) {
    rig* r = d->rig;
    d->a_index[1] = 36;
    d->potential = (iso_potential){&points_ops, &d->points, 6, 0, -1, d->jacobian, NULL, 0};
    d->problem = (iso_convex_problem){
        1,   r->multibody.tree_v_index, d->a_index, d->a, d->v_star, 1, &d->potential, NULL, NULL,
        NULL};
    iso_convex_options options = iso_convex_options_default();
    options.relative_tolerance = 1e-10;
    CHECK_OK(r->ctx, iso_convex_solve(&d->solver, &d->problem, &options, &d->arena, v, &d->report));
}

static void disk_step(disk* d, double force, double moment) {
    rig* r = d->rig;
    pose_problem(d, force, moment);
    double v[6] = {1.0, 2.0, 3.0, 4.0, -5.0, 6.0}; // far from the solution
    disk_solve(d, v);
    double u[6];
    iso_potential_velocity(&d->problem, &d->potential, v, u);
    iso_compliant_points_result(&d->points, &d->patch.pair.patch, u, d->tractions, d->slips);
    memcpy(r->v, v, sizeof v);
    iso_multibody_integrate(&r->multibody, r->q, r->v, DT, r->q);
    rig_update(r);
}

static double normal_impulse(const disk* d, int i) {
    return DT * d->area * d->tractions[i].z;
}

static double friction_impulse(const disk* d, int i) {
    return DT * d->area * hypot(d->tractions[i].x, d->tractions[i].y);
}

static void disk_sticks_below_the_friction_limit(void** state) {
    (void)state;
    disk* d = disk_make(1e4, 2.0 / 3.0);
    for (int i = 0; i < 40; ++i) {
        disk_step(d, 0.0, 20.0);
    }
    const double* v = d->rig->v;
    CHECK_AT_MOST(fabs(v[5]), 1e-10);        // measured 2e-12
    CHECK_AT_MOST(hypot(v[3], v[4]), 1e-10); // measured 9e-16
    for (int i = 0; i < 3; ++i) {
        CHECK_REL(normal_impulse(d, i), DT * MASS * GRAVITY / 3.0, 1e-6);    // measured 2e-11
        CHECK_REL(friction_impulse(d, i), DT * 20.0 / (3.0 * RADIUS), 1e-6); // measured 2e-9
        CHECK_AT_MOST(iso_vec3_norm(d->slips[i]), 1e-3 * 2.0 / 3.0 * DT * GRAVITY); // measured 7e-7
    }
    disk_destroy(d);
}

static void exact_guess_needs_no_iteration(void** state) {
    (void)state;
    disk* d = disk_make(1e4, 2.0 / 3.0);
    for (int i = 0; i < 40; ++i) {
        disk_step(d, 0.0, 20.0);
    }
    pose_problem(d, 0.0, 20.0);
    double v[6] = {0.0};
    disk_solve(d, v);
    CHECK(d->report.iterations > 0, "%d iterations", d->report.iterations);
    disk_solve(d, v);
    assert_int_equal(d->report.iterations, 0);
    disk_destroy(d);
}

/// The moment the friction can carry is mu m g R = 30.
static void disk_slides_on_the_cone_above_the_friction_limit(void** state) {
    (void)state;
    disk* d = disk_make(1e4, 2.0 / 3.0);
    for (int i = 0; i < 10; ++i) {
        disk_step(d, 0.0, 40.0);
        for (int k = 0; k < 3; ++k) {
            CHECK_REL(friction_impulse(d, k), 2.0 / 3.0 * normal_impulse(d, k),
                      1e-14); // measured 4e-16
        }
    }
    CHECK(d->rig->v[2] > 0.0, "turns with %g rad/s", d->rig->v[2]);
    disk_destroy(d);
}

static void disk_without_friction_is_pushed_freely(void** state) {
    (void)state;
    disk* d = disk_make(1e4, 0.0);
    for (int i = 0; i < 30; ++i) {
        disk_step(d, 1.0, 0.0);
    }
    CHECK_REL(d->rig->v[3], 0.1, 1e-12);  // measured 2e-15
    CHECK_NEAR(d->rig->v[2], 0.0, 1e-12); // measured 2e-17
    disk_destroy(d);
}

/// A stiffness no step can resolve is softened; the forces stay those of statics.
static void disk_on_rigid_ground_uses_the_near_rigid_floor(void** state) {
    (void)state;
    disk* d = disk_make(1e20, 2.0 / 3.0);
    for (int i = 0; i < 40; ++i) {
        disk_step(d, 0.0, 20.0);
        CHECK(d->points.softening < 1e-10, "softening %g", d->points.softening);
    }
    for (int i = 0; i < 3; ++i) {
        CHECK_REL(normal_impulse(d, i), DT * MASS * GRAVITY / 3.0, 1e-6);    // measured 2e-11
        CHECK_REL(friction_impulse(d, i), DT * 20.0 / (3.0 * RADIUS), 1e-6); // measured 2e-9
    }
    CHECK_AT_MOST(fabs(d->rig->v[5]), 1e-10); // measured 4e-12
    // Sinks in by g / omega^2 at most, where omega = 2 pi / dt.
    CHECK_AT_MOST(fabs(d->rig->q[6]), GRAVITY * DT * DT); // measured 8e-7
    disk_destroy(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(disk_sticks_below_the_friction_limit),
        cmocka_unit_test(exact_guess_needs_no_iteration),
        cmocka_unit_test(disk_slides_on_the_cone_above_the_friction_limit),
        cmocka_unit_test(disk_without_friction_is_pushed_freely),
        cmocka_unit_test(disk_on_rigid_ground_uses_the_near_rigid_floor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
