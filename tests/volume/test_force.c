// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "volume/solids.h"
#include "volume/solids/force.h"

// A block of these sides, turned by r, with B's surface facing along `facing`.
static iso_volume_metrics block(iso_vec3 s, iso_mat3 r, iso_vec3 facing) {
    double v = s.x * s.y * s.z;
    iso_mat3 own =
        iso_mat3_diagonal(v * (s.y * s.y + s.z * s.z) / 12.0, v * (s.z * s.z + s.x * s.x) / 12.0,
                          v * (s.x * s.x + s.y * s.y) / 12.0);
    iso_volume_metrics m = {.volume = v};
    m.inertia = iso_mat3_mul(r, iso_mat3_mul(own, iso_mat3_transpose(r)));
    m.area = iso_vec3_neg(facing);
    return m;
}

// T11: plates, rods and cubes in any pose, guesses off by up to 30 degrees.
static void normals_are_the_axes_near_the_guess(void** state) {
    (void)state;
    test_random random = test_random_make(31);
    for (int i = 0; i < 2000; ++i) {
        iso_vec3 s = test_random_vec3(&random, 0.1, 1.0);
        s.y = s.x * 1.2;
        s.z = i % 2 ? s.x * 0.01 : s.x * 3.0;
        iso_mat3 r = test_random_pose(&random, 0.0).r;
        int axis = test_random_int(&random, 0, 2);
        iso_vec3 tilt = iso_vec3_scale(test_random_unit_vec3(&random), 0.5);
        iso_vec3 exact = iso_mat3_column(&r, axis);
        iso_volume_metrics m = block(s, r, iso_vec3_add(exact, tilt));
        iso_volume_normal n = iso_volume_find_normal(&m, iso_vec3_zero());
        assert_int_equal(n.status, ISO_VOLUME_NORMAL_FOUND);
        CHECK_VEC3_NEAR(n.direction, exact, 1e-12);
        double a = iso_vec3_get(s, (axis + 1) % 3), b = iso_vec3_get(s, (axis + 2) % 3);
        CHECK_REL(n.gyration, sqrt((a * a + b * b) / 12.0), 1e-13);
        CHECK_AT_MOST(n.iterations, 8);
    }
}

static void undetermined_normals_are_said(void** state) {
    (void)state;
    test_random random = test_random_make(32);
    for (int i = 0; i < 500; ++i) {
        iso_mat3 r = test_random_pose(&random, 0.0).r;
        iso_vec3 guess = test_random_unit_vec3(&random);
        iso_volume_metrics cube = block(iso_vec3_make(1.0, 1.0, 1.0), r, guess);
        iso_volume_normal n = iso_volume_find_normal(&cube, iso_vec3_zero());
        assert_int_equal(n.status, ISO_VOLUME_NORMAL_ISOTROPIC);
        CHECK_VEC3_NEAR(n.direction, guess, 1e-15);
        iso_vec3 axis = iso_mat3_column(&r, 2);
        double along = iso_vec3_dot(axis, guess);
        if (along * along > 0.4) {
            continue;
        }
        iso_volume_metrics rod = block(iso_vec3_make(0.1, 0.1, 1.0), r, guess);
        n = iso_volume_find_normal(&rod, iso_vec3_zero());
        assert_int_equal(n.status, ISO_VOLUME_NORMAL_PLANE);
        CHECK_NEAR(iso_vec3_dot(n.direction, axis), 0.0, 1e-12);
        CHECK_VEC3_NEAR(n.direction, iso_vec3_normalized(iso_vec3_add_scaled(guess, axis, -along)),
                        1e-12);
    }
    iso_volume_metrics none = {0};
    iso_volume_normal n = iso_volume_find_normal(&none, iso_vec3_make(0.0, 0.0, 1.0));
    assert_int_equal(n.status, ISO_VOLUME_NORMAL_NONE);
    // Between two axes of a block.
    iso_vec3 between = iso_vec3_make(1.0, 0.0, 1.0);
    iso_volume_metrics slab = block(iso_vec3_make(1.0, 0.5, 0.2), iso_mat3_identity(), between);
    n = iso_volume_find_normal(&slab, iso_vec3_zero());
    assert_int_equal(n.status, ISO_VOLUME_NORMAL_AMBIGUOUS);
}

// A ball over the edge of a table: the normal turns from the face's to the side's without a jump,
// and the volume goes without one.
static void the_normal_turns_smoothly_over_an_edge(void** state) {
    iso_context* ctx = *state;
    iso_volume_body *table = box_body(ctx, 2.0, 1.0, 1.0), *ball = ball_body(ctx, 0.1);
    iso_pose x_wa = iso_pose_from_position(iso_vec3_make(0.0, -0.5, -0.5));
    iso_vec3 before = iso_vec3_zero();
    double volume = NAN;
    for (int i = -100; i <= 300; ++i) {
        double turn = fmin(fmax(i / 200.0, 0.0), 1.0), angle = ISO_PI / 2.0 * turn;
        double y = 0.098 * sin(angle) + fmin(i, 0) * 3e-4;
        double z = 0.098 * cos(angle) - fmax(i - 200, 0) * 3e-4;
        iso_pose x_wb = iso_pose_from_position(iso_vec3_make(0.0, y, z));
        iso_volume_metrics m = meet(ctx, table, &x_wa, ball, &x_wb);
        iso_volume_normal n = iso_volume_find_normal(&m, before);
        if (i > -100) {
            CHECK_NEAR(m.volume, volume, 0.1 * volume);
            CHECK_VEC3_NEAR(n.direction, before, 0.05);
        }
        if (i == -100) {
            CHECK_VEC3_NEAR(n.direction, iso_vec3_make(0.0, 0.0, 1.0), 1e-6);
        }
        before = n.direction;
        volume = m.volume;
    }
    CHECK_VEC3_NEAR(before, iso_vec3_make(0.0, 1.0, 0.0), 1e-6);
    iso_volume_body_destroy(ctx, table);
    iso_volume_body_destroy(ctx, ball);
}

// d of [Gonthier2007] (3.23), 2.2's table.
static const double k_restitution[][2] = {
    {0.3, 0.92612459434}, {0.5, 0.71637526664},  {0.7, 0.44437979689},
    {0.9, 0.14983375562}, {0.99, 0.01499984849},
};

typedef struct impact {
    iso_context* ctx;
    const iso_volume_body *table, *body;
    iso_pose x_wb; // of the body; z is stepped
    iso_volume_law law;
    iso_volume_memory memory;
    double mass, gravity, peak;
} impact;

// Force along z at a height and an upward speed.
static double push(impact* s, double z, double speed) {
    iso_pose x_wa = iso_pose_identity();
    s->x_wb.p.z = z;
    iso_volume_metrics m = meet(s->ctx, s->table, &x_wa, s->body, &s->x_wb);
    iso_volume_normal n = {.direction = {0.0, 0.0, 1.0}, .status = ISO_VOLUME_NORMAL_FOUND};
    iso_volume_motion motion = {.speed_apart = speed};
    iso_volume_force f = iso_volume_force_of(&s->law, &s->memory, &m, &n, &motion);
    s->peak = fmax(s->peak, f.normal_force);
    return f.normal_force;
}

// Runge and Kutta's method from touch until the body has left; returns the speed.
static double bounce(impact* s, double z, double speed, double dt) {
    for (int i = 0; i < 200000; ++i) {
        double k[4][2], zi = z, vi = speed, way[4] = {0.0, 0.5, 0.5, 1.0};
        for (int j = 0; j < 4; ++j) {
            if (j > 0) {
                zi = z + way[j] * dt * k[j - 1][0];
                vi = speed + way[j] * dt * k[j - 1][1];
            }
            k[j][0] = vi;
            k[j][1] = push(s, zi, vi) / s->mass - s->gravity;
        }
        z += dt / 6.0 * (k[0][0] + 2.0 * k[1][0] + 2.0 * k[2][0] + k[3][0]);
        speed += dt / 6.0 * (k[0][1] + 2.0 * k[1][1] + 2.0 * k[2][1] + k[3][1]);
        if (speed > 0.0 && push(s, z, speed) == 0.0) {
            return speed;
        }
    }
    return NAN;
}

// The loop of (3.21) does not ask how force grows with depth: any shape gives the restitution.
static void any_shape_bounces_with_its_restitution(void** state) {
    iso_context* ctx = *state;
    test_random random = test_random_make(34);
    iso_shape_desc plane = iso_shape_desc_default(ISO_SHAPE_HALF_SPACE);
    iso_volume_body* table = body_of_shape(ctx, &plane);
    for (int i = 0; i < 10; ++i) {
        const double* row = k_restitution[i % 5];
        iso_tri_mesh hull = draw_hull(ctx, &random);
        impact s = {.ctx = ctx, .table = table, .mass = 2.0};
        iso_volume_body* body = i % 2 ? ball_body(ctx, 0.1) : body_of_mesh(ctx, &hull);
        s.body = body;
        s.law = (iso_volume_law){1e7, row[1] / row[0], 1e-3, INFINITY};
        s.x_wb = test_random_pose(&random, 0.0);
        double low = i % 2 ? -0.1 : INFINITY, v = test_random_uniform(&random, 0.1, 2.0);
        for (int k = 0; i % 2 == 0 && k < hull.vertex_count; ++k) {
            low = fmin(low, iso_mat3_mul_vec3(&s.x_wb.r, hull.vertices[k]).z);
        }
        iso_volume_metrics touch = {0};
        iso_volume_begin(&s.memory, &touch, v, false);
        double out = bounce(&s, -low, -v, 2e-5);
        CHECK_REL(out / v, row[0], 3e-5);
        iso_volume_body_destroy(ctx, body);
        iso_tri_mesh_destroy(ctx, &hull);
    }
    iso_volume_body_destroy(ctx, table);
}

// E9: a ball of 2 kg and 0.1 m, k_v = 1e7 N/m^3, e = 0.5, arrives with 1.4009 m/s.
static void first_impact_of_e9_peaks_at_439_newton(void** state) {
    iso_context* ctx = *state;
    iso_shape_desc plane = iso_shape_desc_default(ISO_SHAPE_HALF_SPACE);
    iso_volume_body *table = body_of_shape(ctx, &plane), *ball = ball_body(ctx, 0.1);
    impact s = {.ctx = ctx, .table = table, .body = ball, .mass = 2.0, .gravity = 9.81};
    s.x_wb = iso_pose_identity();
    s.law = (iso_volume_law){1e7, 0.71637526664 / 0.5, 1e-3, 1.0};
    iso_volume_metrics touch = {0};
    double v = sqrt(2.0 * 9.81 * 0.1);
    CHECK_NEAR(v, 1.4009, 2e-4);
    iso_volume_begin(&s.memory, &touch, v, false);
    double out = bounce(&s, 0.1, -v, 5e-5);
    CHECK_NEAR(out, 0.5929, 1e-3); // gravity takes some of one half
    CHECK_NEAR(s.peak, 439.0, 0.5);
    iso_volume_body_destroy(ctx, table);
    iso_volume_body_destroy(ctx, ball);
}

// T13: rest depth, decay of rolling and deceleration of spin of E9's ball.
static void rolling_and_spin_decay_as_in_e9(void** state) {
    iso_context* ctx = *state;
    iso_shape_desc plane = iso_shape_desc_default(ISO_SHAPE_HALF_SPACE);
    iso_volume_body *table = body_of_shape(ctx, &plane), *ball = ball_body(ctx, 0.1);
    iso_volume_law law = {1e7, 0.71637526664 / 0.5, 1e-3, 1.0};
    iso_volume_memory memory = {.is_touching = true, .impact_speed = 0.0855};
    double low = 0.09, high = 0.1, weight = 2.0 * 9.81, mass_term = 7.0 / 5.0 * 2.0 * 0.01;
    iso_pose x_wa = iso_pose_identity();
    iso_volume_metrics m = {0};
    for (int i = 0; i < 60; ++i) {
        double z = 0.5 * (low + high);
        iso_pose x_wb = iso_pose_from_position(iso_vec3_make(0.0, 0.0, z));
        m = meet(ctx, table, &x_wa, ball, &x_wb);
        *(law.stiffness * m.volume > weight ? &low : &high) = z;
    }
    CHECK_NEAR(low, 0.09749, 1e-5);
    iso_volume_normal n = iso_volume_find_normal(&m, iso_vec3_zero());
    iso_spatial rest = iso_spatial_zero(), moving = iso_spatial_zero();
    moving.rotational = iso_vec3_make(-1.9695, 0.0, 3.0);
    moving.translational = iso_vec3_make(0.0, 0.19695, 0.0);
    iso_vec3 center = iso_vec3_make(0.0, 0.0, low);
    iso_volume_motion motion = iso_volume_motion_of(&m, &n, &rest, x_wa.p, &moving, center);
    iso_volume_force f = iso_volume_force_of(&law, &memory, &m, &n, &motion);
    CHECK_REL(f.normal_force, weight, 1e-9);
    CHECK_REL(f.rolling.x / (1.9695 * mass_term), 0.976, 2e-3);
    iso_volume_friction pure = iso_volume_coulomb(0.05, 0.0, &n, &motion);
    motion.slip = iso_vec3_zero();
    motion.surface_speed = n.gyration * 3.0;
    pure = iso_volume_coulomb(0.05, 1e-9, &n, &motion);
    CHECK_REL(-pure.moment * weight / (0.4 * 2.0 * 0.01), 1.58, 5e-3);
    iso_volume_body_destroy(ctx, table);
    iso_volume_body_destroy(ctx, ball);
}

static iso_spatial draw_twist(test_random* random) {
    iso_vec3 w = test_random_vec3(random, -1.0, 1.0);
    iso_vec3 v = test_random_vec3(random, -1.0, 1.0);
    return iso_spatial_make(w, v);
}

// T12: the limits of (4.210), the circle of (4.211), and that forces only take energy.
static void friction_and_rolling_take_energy(void** state) {
    (void)state;
    test_random random = test_random_make(35);
    for (int i = 0; i < 1000; ++i) {
        iso_mat3 r = test_random_pose(&random, 0.0).r;
        iso_volume_metrics m = block(test_random_vec3(&random, 0.01, 0.1), r,
                                     iso_mat3_column(&r, test_random_int(&random, 0, 2)));
        iso_volume_normal n = iso_volume_find_normal(&m, iso_vec3_zero());
        iso_spatial a = draw_twist(&random), b = draw_twist(&random);
        iso_vec3 p = test_random_vec3(&random, -1.0, 1.0);
        iso_volume_motion motion = iso_volume_motion_of(&m, &n, &a, p, &b, p);
        iso_volume_friction c = iso_volume_coulomb(0.4, 0.0, &n, &motion);
        double force = iso_vec3_norm(c.traction) / 0.4;
        double spin = fabs(c.moment) / (0.4 * n.gyration);
        CHECK_NEAR(force * force + spin * spin, 1.0, 1e-13);
        iso_volume_law law = {1e6, 0.5, 1e-3, INFINITY};
        iso_volume_memory memory = {.is_touching = true, .impact_speed = 0.7};
        iso_volume_force f = iso_volume_force_of(&law, &memory, &m, &n, &motion);
        iso_spatial wrench = iso_volume_wrench(&f, &n, &c);
        iso_spatial twist = iso_spatial_make(motion.spin, motion.velocity);
        double taken = iso_spatial_dot(wrench, twist) - f.elastic_force * motion.speed_apart;
        CHECK_AT_MOST(taken, 1e-12);
        CHECK(f.normal_force >= 0.0, "pulls with %g N", f.normal_force);
        // Of springs that only push, and so both end at the same speed apart.
        double reach =
            sqrt(3.0 * (m.inertia.m[0][0] + m.inertia.m[1][1] + m.inertia.m[2][2]) / m.volume);
        CHECK_AT_MOST(iso_vec3_norm(f.rolling), f.normal_force * reach * (1.0 + 1e-12));
        motion.speed_apart = 0.7 / law.damping_share * (1.0 - 1e-9);
        f = iso_volume_force_of(&law, &memory, &m, &n, &motion);
        CHECK(f.normal_force > 0.0, "pushes with %g N", f.normal_force);
        CHECK_AT_MOST(iso_vec3_norm(f.rolling), 2e-9 * reach * f.elastic_force);
    }
}

// T10: springs in a row; the plate is where both press alike; a soft and a rigid body.
static void two_soft_bodies_share_the_volume(void** state) {
    (void)state;
    test_random random = test_random_make(36);
    for (int i = 0; i < 200; ++i) {
        double ka = pow(10.0, test_random_uniform(&random, 4.0, 10.0));
        double kb = pow(10.0, test_random_uniform(&random, 4.0, 10.0));
        double k = iso_volume_pair_stiffness(ka, kb), share = iso_volume_share_of_a(ka, kb);
        CHECK_REL(ka * share, kb * (1.0 - share), 1e-9);
        CHECK_REL(ka * share, k, 1e-14);
        CHECK_REL(iso_volume_pair_stiffness(ka, INFINITY), ka, 1e-15);
        CHECK_NEAR(iso_volume_share_of_a(ka, INFINITY), 1.0, 0.0);
    }
}

static void a_late_contact_relaxes(void** state) {
    (void)state;
    iso_volume_law law = {1e6, 0.5, 1e-3, 0.5};
    iso_volume_memory memory = {0};
    iso_volume_metrics m =
        block(iso_vec3_make(0.1, 0.1, 0.01), iso_mat3_identity(), iso_vec3_make(0.0, 0.0, 0.01));
    iso_volume_normal n = iso_volume_find_normal(&m, iso_vec3_zero());
    iso_volume_motion still = {0};
    iso_volume_begin(&memory, &m, 0.3, true);
    CHECK_NEAR(iso_volume_force_of(&law, &memory, &m, &n, &still).normal_force, 0.0, 0.0);
    for (int i = 0; i < 7; ++i) {
        iso_volume_relax(&law, &memory, 0.1);
    }
    double pressing = m.volume * (1.0 - exp(-0.7 / 0.5));
    CHECK_REL(iso_volume_force_of(&law, &memory, &m, &n, &still).normal_force, 1e6 * pressing,
              1e-14);
    iso_volume_end(&memory);
    CHECK(!memory.is_touching && memory.offset == 0.0, "offset %g", memory.offset);
}

// E10: the speed at touch, from what a step of any length finds.
static void speed_at_touch_does_not_depend_on_the_step(void** state) {
    iso_context* ctx = *state;
    test_random random = test_random_make(37);
    iso_shape_desc plane = iso_shape_desc_default(ISO_SHAPE_HALF_SPACE);
    iso_volume_body *table = body_of_shape(ctx, &plane), *ball = ball_body(ctx, 0.1);
    iso_pose x_wa = iso_pose_identity();
    for (int i = 0; i < 100; ++i) {
        double v = test_random_uniform(&random, 0.1, 2.0);
        double late = test_random_uniform(&random, 1e-6, 1e-3);
        double depth = v * late + 0.5 * 9.81 * late * late, speed = v + 9.81 * late;
        iso_pose x_wb = iso_pose_from_position(iso_vec3_make(0.0, 0.0, 0.1 - depth));
        iso_volume_metrics m = meet(ctx, table, &x_wa, ball, &x_wb);
        CHECK_REL(iso_volume_touch_speed(&m, speed, 9.81), v, 5e-4);
    }
    iso_volume_body_destroy(ctx, table);
    iso_volume_body_destroy(ctx, ball);
}

// T9: a ball on a star of cells: force, rolling and friction of the cells together are the whole's.
static void cutting_a_body_changes_no_force(void** state) {
    iso_context* ctx = *state;
    test_random random = test_random_make(38);
    iso_volume_law law = {1e7, 0.7, 1e-3, INFINITY};
    iso_volume_memory memory = {.is_touching = true, .impact_speed = 0.5};
    for (int i = 0; i < 100; ++i) {
        star_prism star = draw_star(&random, false);
        iso_tri_mesh mesh = star_mesh(ctx, &star);
        iso_volume_body *whole = body_of_mesh(ctx, &mesh), *ball = ball_body(ctx, 0.3);
        iso_pose x_wa = iso_pose_identity(), x_wb = x_wa;
        x_wb.p = test_random_vec3(&random, -0.1, 0.1);
        x_wb.p.z = 0.5 * star.height + 0.28;
        iso_volume_metrics m[2] = {meet(ctx, whole, &x_wa, ball, &x_wb)};
        for (int k = 0; k < star.corners; ++k) {
            iso_tri_mesh part = star_cell(ctx, &star, k);
            iso_volume_body* cell = body_of_mesh(ctx, &part);
            iso_volume_metrics c = meet(ctx, cell, &x_wa, ball, &x_wb);
            iso_volume_join(&m[1], &c);
            iso_volume_body_destroy(ctx, cell);
            iso_tri_mesh_destroy(ctx, &part);
        }
        iso_spatial a = draw_twist(&random), b = draw_twist(&random), wrench[2];
        for (int k = 0; k < 2; ++k) {
            iso_volume_normal n = iso_volume_find_normal(&m[k], iso_vec3_zero());
            iso_volume_motion motion = iso_volume_motion_of(&m[k], &n, &a, x_wa.p, &b, x_wb.p);
            iso_volume_force f = iso_volume_force_of(&law, &memory, &m[k], &n, &motion);
            iso_volume_friction c = iso_volume_coulomb(0.3, 1e-6, &n, &motion);
            wrench[k] = iso_volume_wrench(&f, &n, &c);
        }
        double size = law.stiffness * m[0].volume;
        CHECK_VEC3_NEAR(wrench[1].translational, wrench[0].translational, 1e-9 * size);
        CHECK_VEC3_NEAR(wrench[1].rotational, wrench[0].rotational, 1e-9 * size);
        iso_volume_body_destroy(ctx, whole);
        iso_volume_body_destroy(ctx, ball);
        iso_tri_mesh_destroy(ctx, &mesh);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(normals_are_the_axes_near_the_guess),
        cmocka_unit_test(undetermined_normals_are_said),
        cmocka_unit_test(the_normal_turns_smoothly_over_an_edge),
        cmocka_unit_test(any_shape_bounces_with_its_restitution),
        cmocka_unit_test(first_impact_of_e9_peaks_at_439_newton),
        cmocka_unit_test(rolling_and_spin_decay_as_in_e9),
        cmocka_unit_test(friction_and_rolling_take_energy),
        cmocka_unit_test(two_soft_bodies_share_the_volume),
        cmocka_unit_test(a_late_contact_relaxes),
        cmocka_unit_test(cutting_a_body_changes_no_force),
        cmocka_unit_test(speed_at_touch_does_not_depend_on_the_step),
    };
    return cmocka_run_group_tests(tests, test_set_up, test_tear_down);
}
