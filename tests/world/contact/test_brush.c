// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Coulomb friction behind a field of springs in worlds: ISO_FRICTION_BRUSH of the continuous
// methods, ISO_FRICTION_MODEL_BRUSH at the velocity level.

#include "support/failing_context.h"
#include "support/random.h"
#include "world/scenes.h"

#include <math.h>

#define RADIUS 0.03
#define STIFFNESS 500.0
#define FRICTION 0.5

// What stands on a floor, both turned alike; of the two bodies the second carries the field.
typedef struct standing {
    iso_method method;
    iso_friction_law law;
    double size;      // of the grid
    double inertia;   // of the body
    bool is_cylinder; // else a box
    bool is_carrier;  // the field is on the body, else on the floor
    iso_mat3 turn;
    double resolution;
    double time_step; // 0: 2e-3
} standing;

static const standing k_usual = {.method = ISO_METHOD_RK45,
                                 .law = ISO_FRICTION_BRUSH,
                                 .size = 7.5e-3,
                                 .inertia = 8e-4,
                                 .is_carrier = true,
                                 .turn = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
                                 .resolution = 0.01};

static iso_vec3 turned(const standing* s, double x, double y, double z) {
    return iso_mat3_mul_vec3(&s->turn, iso_vec3_make(x, y, z));
}

static iso_world* make_standing(iso_context* ctx, const standing* s) {
    iso_model* model = make_model(ctx);
    iso_vec3 inertia = iso_vec3_make(s->inertia, s->inertia, s->inertia);
    int body = add_body(ctx, model, s->is_carrier ? "zbody" : "body", 0.5, inertia);
    iso_geometry_desc desc = iso_geometry_desc_default();
    desc.name = "it";
    desc.shape = iso_shape_desc_default(s->is_cylinder ? ISO_SHAPE_CYLINDER : ISO_SHAPE_BOX);
    desc.shape.size = iso_vec3_make(0.1, 0.08, 0.04);
    desc.shape.radius = RADIUS;
    desc.shape.length = 0.04;
    desc.material.compliance = ISO_COMPLIANCE_COMPLIANT;
    desc.material.modulus = 1e6;
    desc.material.dissipation = 20.0;
    desc.material.resolution_hint = s->resolution;
    desc.material.friction_static = desc.material.friction_dynamic = FRICTION;
    iso_pose at = iso_pose_make(s->turn, turned(s, 0.001, 0.002, 0.0199));
    add_ground(ctx, model, FRICTION, &s->turn);
    CHECK_OK(ctx, iso_model_add_geometry(model, body, &desc, NULL));
    CHECK_OK(ctx, iso_model_set_free_pose(model, body, &at));
    iso_world_desc settings = iso_world_desc_default();
    settings.method = s->method;
    settings.time_step = s->time_step > 0.0 ? s->time_step : 2e-3;
    settings.accuracy = 1e-6; // of continuous methods
    settings.gravity = turned(s, 0.0, 0.0, -9.81);
    settings.contact.friction = ISO_FRICTION_MODEL_BRUSH;
    settings.contact.friction_law = s->law;
    settings.contact.friction_stiffness = STIFFNESS;
    settings.contact.friction_damping_time = 0.05;
    settings.contact.brush_size = s->size;
    iso_world* world = make_world(ctx, model, &settings);
    iso_model_destroy(model);
    step_many(ctx, world, (int)(0.1 / settings.time_step + 0.5));
    return world;
}

// Moment about the normal of a body that is spun for a while, over its whole normal force.
static double spun_moment(iso_context* ctx, const standing* s, double rate, int steps) {
    iso_world* world = make_standing(ctx, s);
    iso_spatial spin = iso_spatial_make(turned(s, 0.0, 0.0, rate), iso_vec3_zero());
    iso_spatial now = iso_world_body_twist(world, 1);
    iso_pose at = iso_world_body_pose(world, 1);
    CHECK_OK(ctx, iso_world_set_free_body(world, 1, &at, iso_spatial_add(now, spin)));
    step_many(ctx, world, steps);
    iso_contact contact = iso_world_contact(world, 0);
    iso_vec3 n = turned(s, 0.0, 0.0, 1.0);
    double moment = fabs(iso_vec3_dot(contact.f_b_w.rotational, n));
    double force = fabs(iso_vec3_dot(contact.f_b_w.translational, n));
    iso_world_destroy(world);
    return moment / (FRICTION * force * RADIUS);
}

// [Elandt2022] eq. 6.15: the field of a cylinder that spins long has the moment of a law of the
// slip speed on the same patch, two thirds of mu N R; its error falls with the third power
// of the grid or faster.
static void a_spinning_cylinder_reaches_the_moment_of_sliding(void** state) {
    (void)state;
    TEST_SKIP_IF_WATCHED();
    iso_context* ctx = test_context();
    standing s = k_usual;
    s.is_cylinder = true;
    s.inertia = 1e3;
    s.law = ISO_FRICTION_VISCOUS;
    double exact = spun_moment(ctx, &s, 5.0, 3), errors[2];
    CHECK_REL(exact, 2.0 / 3.0, 0.015); // a polygon; measured 0.0098
    s.law = ISO_FRICTION_BRUSH;
    for (int i = 0; i < 2; ++i) {
        s.size = i == 0 ? 7.5e-3 : 3.75e-3;
        s.is_carrier = i == 0;
        errors[i] = spun_moment(ctx, &s, 5.0, 12) / exact - 1.0;
    }
    CHECK_NEAR(errors[0], 0.0, 2e-3); // measured 6e-4
    CHECK_NEAR(errors[1], 0.0, 2e-4); // measured 4.2e-5
    test_context_destroy(ctx);
}

// A box that is pushed and turned below the limit moves as six numbers have it: all its places
// move rigidly, then.
static void what_sticks_gives_way_as_six_numbers(void** state) {
    (void)state;
    TEST_SKIP_IF_WATCHED();
    const iso_method methods[] = {ISO_METHOD_RK45, ISO_METHOD_RADAU};
    iso_context* ctx = test_context();
    for (int seed = 0; seed < TEST_ROUNDS(2, 2); ++seed) {
        test_random random = test_random_make((uint64_t)seed);
        double angle = test_random_uniform(&random, 0.0, 6.0);
        double push = test_random_uniform(&random, 0.2, 0.8), turn = 0.02;
        iso_spatial load = iso_spatial_make(iso_vec3_make(0.0, 0.0, turn),
                                            iso_vec3_make(push * cos(angle), push * sin(angle), 0));
        iso_vec3 moved[2];
        double twisted[2];
        for (int i = 0; i < 2; ++i) {
            standing s = k_usual;
            s.law = i == 0 ? ISO_FRICTION_COMPLIANT : ISO_FRICTION_BRUSH;
            s.method = methods[seed % 2];
            s.is_carrier = seed == 0;
            s.size = 0.03;
            iso_world* world = make_standing(ctx, &s);
            iso_pose start = iso_world_body_pose(world, 1);
            for (int k = 0; k < 30; ++k) {
                CHECK_OK(ctx, iso_world_apply_wrench(world, 1, load));
                step_many(ctx, world, 1);
            }
            iso_pose end = iso_world_body_pose(world, 1);
            moved[i] = iso_vec3_sub(end.p, start.p);
            twisted[i] = iso_mat3_column(&end.r, 0).y - iso_mat3_column(&start.r, 0).y;
            assert_true(iso_world_energy(world).stretch > 0.0);
            iso_world_destroy(world);
        }
        double apart = iso_vec3_norm(iso_vec3_sub(moved[1], moved[0]));
        CHECK_AT_MOST(apart / iso_vec3_norm(moved[0]), 3e-3); // measured 6.9e-4
        CHECK_REL(twisted[1], twisted[0], 0.04);              // measured 0.0135
    }
    test_context_destroy(ctx);
}

// Turned with its floor and gravity a box does the same; stretches and the share that slides fit
// the tractions.
static void motion_does_not_depend_on_axes(void** state) {
    (void)state;
    const iso_method methods[] = {ISO_METHOD_RK45, ISO_METHOD_LAGGED, ISO_METHOD_MIDPOINT};
    iso_context* ctx = test_context();
    for (int seed = 0; seed < TEST_ROUNDS(3, 3); ++seed) {
        test_random random = test_random_make((uint64_t)seed);
        iso_vec3 v = test_random_vec3(&random, -0.3, 0.3);
        double spin = test_random_uniform(&random, -8.0, 8.0);
        iso_vec3 moved[2], pulled[2];
        for (int i = 0; i < 2; ++i) {
            standing s = k_usual;
            s.size = 0.02;
            s.method = methods[seed % 3];
            s.turn = i == 0 ? s.turn : iso_mat3_from_quat(test_random_quat(&random));
            iso_world* world = make_standing(ctx, &s);
            iso_pose at = iso_world_body_pose(world, 1);
            iso_vec3 start = at.p;
            iso_spatial twist =
                iso_spatial_make(turned(&s, 0.0, 0.0, spin), turned(&s, v.x, v.y, 0.0));
            CHECK_OK(ctx, iso_world_set_free_body(world, 1, &at, twist));
            step_many(ctx, world, 5);
            iso_contact c = iso_world_contact(world, 0);
            assert_true(c.stretches && c.sliding);
            moved[i] =
                iso_mat3_tmul_vec3(&s.turn, iso_vec3_sub(iso_world_body_pose(world, 1).p, start));
            iso_vec3 sum = iso_vec3_zero();
            double slides = 0.0;
            for (int f = 0; f < c.patch.face_count; ++f) {
                sum = iso_vec3_add_scaled(sum, c.tractions[f], c.patch.areas[f]);
                assert_true(c.sliding[f] >= 0.0 && c.sliding[f] <= 1.0 + 1e-12);
                // at constant energy the stretch grows where the pressure falls
                CHECK_AT_MOST(iso_vec3_norm(c.stretches[f]), 1.1 * FRICTION / STIFFNESS);
                CHECK_NEAR(iso_vec3_dot(c.stretches[f], c.patch.normals[f]), 0.0, 1e-12);
                slides += c.sliding[f] / c.patch.face_count;
            }
            CHECK_AT_MOST(iso_vec3_norm(iso_vec3_sub(sum, c.f_b_w.translational)), 1e-10);
            CHECK(slides > 0.5, "%g slides", slides); // it still moves fast
            pulled[i] = iso_mat3_tmul_vec3(&s.turn, sum);
            iso_world_destroy(world);
        }
        CHECK_AT_MOST(iso_vec3_norm(iso_vec3_sub(moved[1], moved[0])), 1e-8);   // measured 3.7e-11
        CHECK_AT_MOST(iso_vec3_norm(iso_vec3_sub(pulled[1], pulled[0])), 1e-4); // measured 6e-6
    }
    test_context_destroy(ctx);
}

// A ball that falls on a soft block, slides, rolls and rebounds.
static iso_world* make_bounce(iso_context* ctx, iso_method method, double time_step, double size) {
    iso_model* model = make_bouncing_ball(ctx);
    iso_world_desc settings = iso_world_desc_default();
    settings.method = method;
    settings.time_step = time_step;
    settings.accuracy = 1e-7; // of continuous methods
    settings.contact.friction = ISO_FRICTION_MODEL_BRUSH;
    settings.contact.friction_law = ISO_FRICTION_BRUSH;
    settings.contact.brush_size = size;
    iso_world* world = make_world(ctx, model, &settings);
    iso_model_destroy(model);
    return world;
}

// A thrown box at the velocity level: springs take what friction takes and no more, whatever the
// step; all that is lost is booked; it comes to rest and stays there on a slope, as it does by the
// continuous method.
static void steps_book_what_springs_take(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    for (int seed = 0; seed < TEST_ROUNDS(4, 2); ++seed) {
        test_random random = test_random_make((uint64_t)seed);
        standing s = k_usual;
        s.method = seed % 2 == 0 ? ISO_METHOD_LAGGED : ISO_METHOD_MIDPOINT;
        s.is_cylinder = seed % 3 == 0;
        s.is_carrier = seed % 4 < 2;
        s.time_step = test_random_uniform(&random, 3.0, 10.0) * 1e-3;
        s.size = test_random_uniform(&random, 0.01, 0.05);
        iso_world* world = make_standing(ctx, &s);
        iso_vec3 v = test_random_vec3(&random, -0.4, 0.4);
        double spin = test_random_uniform(&random, -8.0, 8.0);
        iso_pose at = iso_world_body_pose(world, 1);
        iso_spatial twist =
            iso_spatial_make(iso_vec3_make(0.0, 0.0, spin), iso_vec3_make(v.x, v.y, 0.0));
        CHECK_OK(ctx, iso_world_set_free_body(world, 1, &at, twist));
        iso_energy before = iso_world_energy(world);
        double most = 0.0;
        for (int k = 0; k < 150; ++k) {
            step_many(ctx, world, 1);
            iso_energy e = iso_world_energy(world);
            double gain = e.stretch - before.stretch;
            CHECK(gain <= e.friction - before.friction + 1e-12, "springs took %g J of %g", gain,
                  e.friction - before.friction);
            CHECK_NEAR(e.stretch_booked - before.stretch_booked, 0.0, 1e-12);
            double stored = e.elastic - before.elastic, lost = e.contact - before.contact;
            lost += e.friction - before.friction + e.contact_damping - before.contact_damping;
            CHECK_NEAR(lost + stored, 0.0, 0.02 * (before.kinetic + 1e-3));
            CHECK(e.kinetic + e.stretch <=
                      1.02 * (before.kinetic + before.stretch + before.elastic),
                  "%g J of %g", e.kinetic, before.kinetic);
            most = fmax(most, e.stretch);
        }
        assert_true(most > 0.0);
        CHECK_AT_MOST(iso_world_energy(world).kinetic, 1e-4 * before.kinetic);
        iso_world_destroy(world);
    }
    test_context_destroy(ctx);
}

// Thrown bodies end where the continuous method has them, the nearer the shorter the step.
static void short_steps_tend_to_the_continuous_field(void** state) {
    (void)state;
    TEST_SKIP_IF_WATCHED();
    iso_context* ctx = test_context();
    for (int seed = 0; seed < TEST_ROUNDS(2, 1); ++seed) {
        test_random random = test_random_make((uint64_t)seed);
        iso_vec3 v = test_random_vec3(&random, -0.3, 0.3);
        double spin = test_random_uniform(&random, -6.0, 6.0);
        iso_vec3 moved[3];
        for (int i = 0; i < 3; ++i) {
            standing s = k_usual;
            s.size = 0.02;
            s.method = i == 0          ? ISO_METHOD_RADAU
                       : seed % 2 == 0 ? ISO_METHOD_LAGGED
                                       : ISO_METHOD_MIDPOINT;
            s.time_step = i == 1 ? 2e-3 : 2.5e-4;
            iso_world* world = make_standing(ctx, &s);
            iso_pose at = iso_world_body_pose(world, 1);
            iso_spatial twist =
                iso_spatial_make(iso_vec3_make(0.0, 0.0, spin), iso_vec3_make(v.x, v.y, 0.0));
            CHECK_OK(ctx, iso_world_set_free_body(world, 1, &at, twist));
            step_many(ctx, world, (int)(0.03 / s.time_step + 0.5));
            moved[i] = iso_vec3_sub(iso_world_body_pose(world, 1).p, at.p);
            iso_world_destroy(world);
        }
        double size = iso_vec3_norm(moved[0]);
        double coarse = iso_vec3_norm(iso_vec3_sub(moved[1], moved[0])) / size;
        double fine = iso_vec3_norm(iso_vec3_sub(moved[2], moved[0])) / size;
        CHECK_AT_MOST(coarse, 0.1);
        CHECK_AT_MOST(fine, 0.02);
    }
    test_context_destroy(ctx);
}

// Contact begins and ends within long steps, which show no other motion than short ones, nor do
// other methods. What contact took went into friction and damping; what friction took is heat and
// stretch.
static void contacts_begin_and_move_within_steps(void** state) {
    (void)state;
    const iso_method methods[] = {ISO_METHOD_RK45, ISO_METHOD_RADAU, ISO_METHOD_CVODE};
    iso_context* ctx = test_context();
    iso_world* fine = make_bounce(ctx, ISO_METHOD_RK45, 1e-3, 0.02);
    double stretch = 0.0;
    for (int k = 0; k < 60; ++k) {
        step_many(ctx, fine, 1);
        iso_energy e = iso_world_energy(fine);
        stretch = fmax(stretch, e.stretch);
        CHECK_AT_MOST(e.stretch, e.friction);
        if (iso_world_contact_count(fine) == 0) {
            CHECK_NEAR(e.contact + e.friction + e.contact_damping, 0.0, 2e-6); // measured 3.8e-7
        }
    }
    CHECK(stretch > 0.0, "%g J in stretch", stretch);
    for (int i = 0; i < TEST_ROUNDS(3, 1); ++i) {
        iso_world* coarse = make_bounce(ctx, methods[i], 30e-3, 0.02);
        step_many(ctx, coarse, 2);
        iso_vec3 apart = iso_vec3_sub(iso_world_body_twist(coarse, 1).translational,
                                      iso_world_body_twist(fine, 1).translational);
        CHECK_AT_MOST(iso_vec3_norm(apart), 1e-6); // measured 3.9e-9
        iso_world_destroy(coarse);
    }
    iso_world_destroy(fine);
    test_context_destroy(ctx);
}

// A saved state goes on with the same bits; a grid of another size does not take it.
static void a_field_is_saved(iso_method method) {
    iso_context* ctx = test_context();
    iso_world* a = make_bounce(ctx, method, 2e-3, 0.01);
    iso_world* b = make_bounce(ctx, method, 2e-3, 0.01);
    iso_world* other = make_bounce(ctx, method, 2e-3, 0.02);
    step_many(ctx, a, 5);
    double stretch = iso_world_energy(a).stretch;
    assert_true(stretch > 0.0);
    static char buffer[1 << 20];
    size_t size = iso_world_state_size(a);
    assert_true(size <= sizeof buffer);
    CHECK_OK(ctx, iso_world_save(a, buffer, sizeof buffer, &size));
    CHECK_OK(ctx, iso_world_restore(b, buffer, size));
    CHECK_BITS(iso_world_energy(b).stretch, stretch);
    step_many(ctx, a, 10);
    step_many(ctx, b, 10);
    assert_true(iso_world_state_hash(a) == iso_world_state_hash(b));
    assert_int_equal(iso_world_restore(other, buffer, size), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "expected of the method and friction law of this world");
    iso_world_destroy(a);
    iso_world_destroy(b);
    iso_world_destroy(other);
    test_context_destroy(ctx);
}

static void fields_are_saved(void** state) {
    (void)state;
    const iso_method methods[] = {ISO_METHOD_RK45, ISO_METHOD_LAGGED};
    for (int i = 0; i < 2; ++i) {
        a_field_is_saved(methods[i]);
    }
}

// A grid far too fine for a patch is an error that says so, and no step is made.
static void a_grid_too_fine_is_an_error(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_world* world = make_bounce(ctx, ISO_METHOD_RK45, 20e-3, 1e-5);
    uint64_t before = iso_world_state_hash(world);
    assert_int_equal(iso_world_step(world), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "brush size is 1e-05 m: the field between 'ball::ball' and 'world::block' "
                     "needs more than");
    assert_true(iso_world_state_hash(world) == before);
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_spinning_cylinder_reaches_the_moment_of_sliding),
        cmocka_unit_test(what_sticks_gives_way_as_six_numbers),
        cmocka_unit_test(motion_does_not_depend_on_axes),
        cmocka_unit_test(steps_book_what_springs_take),
        cmocka_unit_test(short_steps_tend_to_the_continuous_field),
        cmocka_unit_test(contacts_begin_and_move_within_steps),
        cmocka_unit_test(fields_are_saved),
        cmocka_unit_test(a_grid_too_fine_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
