// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Friction laws of the continuous methods in worlds, with every contact model.

#include "support/failing_context.h"
#include "support/random.h"
#include "world/scenes.h"

#include <math.h>

static double rational(void* user, const iso_friction_params* pair, double speed) {
    (void)user;
    return pair->friction_dynamic * speed / (speed + 0.5 * pair->velocity);
}

// A ball too heavy to roll, pressed on a floor that leans by `lean`.
static iso_world* make_slider(iso_context* ctx, test_random* random, iso_contact_model_kind kind,
                              const iso_contact_options* options, double lean, iso_method method) {
    iso_model* model = make_model(ctx);
    iso_mat3 flat = iso_mat3_identity();
    double radius = test_random_uniform(random, 0.03, 0.08);
    int ball = add_body(ctx, model, "ball", 0.5, iso_vec3_make(1e9, 1e9, 1e9));
    iso_geometry_desc desc = iso_geometry_desc_default();
    desc.name = "ball";
    desc.shape = iso_shape_desc_default(ISO_SHAPE_SPHERE);
    desc.shape.radius = radius;
    desc.material.compliance = ISO_COMPLIANCE_COMPLIANT;
    desc.material.modulus = desc.material.young_modulus = 1e6;
    desc.material.model = kind;
    desc.material.dissipation = 50.0;
    desc.material.resolution_hint = 0.4 * radius;
    desc.material.friction_static = 0.7;
    desc.material.friction_dynamic = 0.5;
    iso_pose at = iso_pose_from_position(iso_vec3_make(0.0, 0.0, 0.99 * radius));
    add_ground(ctx, model, 0.5, &flat);
    CHECK_OK(ctx, iso_model_add_geometry(model, ball, &desc, NULL));
    CHECK_OK(ctx, iso_model_set_free_pose(model, ball, &at));
    iso_world_desc settings = iso_world_desc_default();
    settings.method = method;
    settings.time_step = 5e-3;
    settings.accuracy = 1e-7;
    settings.contact = *options;
    double heading = test_random_uniform(random, 0.0, 6.0);
    settings.gravity = iso_vec3_make(9.81 * sin(lean) * cos(heading),
                                     9.81 * sin(lean) * sin(heading), -9.81 * cos(lean));
    iso_world* world = make_world(ctx, model, &settings);
    iso_model_destroy(model);
    return world;
}

static double speed_of(const iso_world* world) {
    iso_vec3 v = iso_world_body_twist(world, 1).translational;
    return sqrt(v.x * v.x + v.y * v.y);
}

// What slides down steadily has the slip speed at which the law gives tan(lean), whatever the
// contact model. The floor has one coefficient, so the pair's static one is 2 a b / (a + b).
static void sliding_down_is_as_fast_as_the_law_says(void** state) {
    (void)state;
    const iso_contact_model_kind kinds[] = {ISO_CONTACT_MODEL_PRESSURE_FIELD,
                                            ISO_CONTACT_MODEL_HERTZ, ISO_CONTACT_MODEL_VOLUMETRIC};
    const iso_friction_law laws[] = {ISO_FRICTION_VISCOUS, ISO_FRICTION_TANH,
                                     ISO_FRICTION_ATAN,    ISO_FRICTION_STRIBECK,
                                     ISO_FRICTION_OWN,     ISO_FRICTION_THREE_PIECE};
    for (int i = 0; i < 18; ++i) {
        test_random random = test_random_make((uint64_t)i);
        iso_context* ctx = test_context();
        iso_contact_options options = iso_contact_options_default();
        options.friction_law = laws[i % 6];
        options.own_friction.coefficient = rational;
        options.stiction_velocity = 0.02;
        double lean = test_random_uniform(&random, 0.1, 0.3);
        iso_world* world = make_slider(ctx, &random, kinds[i / 6], &options, lean, ISO_METHOD_RK45);
        step_many(ctx, world, 200);
        double mu = iso_friction_coefficient(
            options.friction_law, &options.own_friction,
            &(iso_friction_params){2.0 * 0.7 * 0.5 / 1.2, 0.5, 0.02, 0.0}, speed_of(world));
        CHECK_REL(mu, tan(lean), 1e-8); // measured 1.2e-9
        iso_world_destroy(world);
        test_context_destroy(ctx);
    }
}

static double driving(void* user, const iso_friction_params* pair, double speed) {
    (void)user;
    return speed < 10.0 * pair->velocity ? 0.5 : -0.1;
}

static double broken(void* user, const iso_friction_params* pair, double speed) {
    (void)user;
    return speed > 50.0 * pair->velocity ? NAN : speed;
}

static void laws_of_ones_own_are_tried(void** state) {
    (void)state;
    const struct {
        double (*law)(void*, const iso_friction_params*, double);
        iso_status status;
        const char* text;
    } cases[] = {{NULL, ISO_ERR_ARGUMENT, "expected own_friction with a function"},
                 {driving, ISO_ERR_RANGE, "gives 0.5 at a slip speed of 0 m/s"},
                 {broken, ISO_ERR_RANGE, "gives nan at a slip speed of 0.01 m/s"},
                 {rational, ISO_OK, NULL}};
    iso_context* ctx = test_context();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        iso_model* model = make_model(ctx);
        iso_world_desc settings = iso_world_desc_default();
        settings.contact.friction_law = ISO_FRICTION_OWN;
        settings.contact.own_friction.coefficient = cases[i].law;
        iso_world* world = NULL;
        assert_int_equal(iso_world_create(ctx, model, &settings, &world), cases[i].status);
        if (cases[i].text) {
            CHECK_ERROR(ctx, cases[i].text);
        }
        iso_world_destroy(world);
        iso_model_destroy(model);
    }
    test_context_destroy(ctx);
}

// Coulomb's law behind springs: what is pushed less than mu stays where it is, stretched by
// tan(lean) / kbar; what is pushed more slides as a rigid body would.
static void compliant_friction_sticks_and_slides(void** state) {
    (void)state;
    const iso_contact_model_kind kinds[] = {ISO_CONTACT_MODEL_PRESSURE_FIELD,
                                            ISO_CONTACT_MODEL_HERTZ, ISO_CONTACT_MODEL_VOLUMETRIC};
    const iso_method methods[] = {ISO_METHOD_RK45, ISO_METHOD_RADAU, ISO_METHOD_RK23};
    for (int i = 0; i < 18; ++i) {
        test_random random = test_random_make((uint64_t)i);
        iso_context* ctx = test_context();
        iso_contact_options options = iso_contact_options_default();
        options.friction_law = ISO_FRICTION_COMPLIANT;
        options.friction_stiffness = 2000.0;
        bool slides = i % 2 == 1;
        double mu = 0.5, lean = test_random_uniform(&random, 0.2, 0.4);
        lean += slides ? 0.3 : 0.0;
        iso_world* world = make_slider(ctx, &random, kinds[i % 3], &options, lean, methods[i / 6]);
        step_many(ctx, world, 200);
        iso_vec3 first = iso_world_body_pose(world, 1).p;
        double speed = speed_of(world);
        step_many(ctx, world, 40);
        double path = iso_vec3_norm(iso_vec3_sub(iso_world_body_pose(world, 1).p, first));
        double gain = speed_of(world) - speed;
        double weight = 0.5 * 9.81 * cos(lean), bound = slides ? mu : tan(lean);
        double slope = slides ? sin(lean) - mu * cos(lean) : 0.0;
        CHECK_NEAR(gain, 40 * 5e-3 * 9.81 * slope, 1e-9);         // measured 1.7e-12
        CHECK_NEAR(path, 40 * 5e-3 * (speed + 0.5 * gain), 1e-9); // measured 1.2e-14
        // measured 5.6e-12
        CHECK_REL(iso_world_energy(world).stretch, 0.5 * weight * bound * bound / 2000.0, 1e-7);
        CHECK_AT_MOST(iso_world_step_report(world).iterations, 7);
        iso_world_destroy(world);
        test_context_destroy(ctx);
    }
}

// A ball that falls on a soft block, slides, rolls and rebounds.
static iso_world* make_bounce(iso_context* ctx, iso_method method, double time_step,
                              double accuracy, double max_step) {
    iso_model* model = make_bouncing_ball(ctx);
    iso_world_desc settings = iso_world_desc_default();
    settings.method = method;
    settings.time_step = time_step;
    settings.accuracy = accuracy;
    settings.max_step = max_step;
    settings.contact.friction_law = ISO_FRICTION_COMPLIANT;
    iso_world* world = make_world(ctx, model, &settings);
    iso_model_destroy(model);
    return world;
}

static double distance_of(const iso_world* a, const iso_world* b) {
    iso_spatial u = iso_world_body_twist(a, 1), v = iso_world_body_twist(b, 1);
    iso_vec3 p = iso_world_body_pose(a, 1).p, q = iso_world_body_pose(b, 1).p;
    return fmax(iso_vec3_norm(iso_vec3_sub(p, q)),
                iso_vec3_norm(iso_vec3_sub(u.translational, v.translational)));
}

// Contact begins and ends within long steps, which show no other motion than short ones. What
// contact took went into friction and damping; what friction took is heat and stretch.
static void compliant_contacts_begin_within_steps(void** state) {
    (void)state;
    const iso_method methods[] = {ISO_METHOD_RK45, ISO_METHOD_RADAU};
    iso_context* ctx = test_context();
    for (int i = 0; i < TEST_ROUNDS(4, 1); ++i) {
        double max_step = i < 2 ? 0.0 : 1e-3; // the ball falls for more than two of these
        iso_world* fine = make_bounce(ctx, methods[i % 2], 1e-3, 1e-8, 0.0);
        iso_world* coarse = make_bounce(ctx, methods[i % 2], 50e-3, 1e-8, max_step);
        double worst = 0.0, stretch = 0.0;
        for (int k = 0; k < 6; ++k) {
            step_many(ctx, fine, 50);
            step_many(ctx, coarse, 1);
            worst = fmax(worst, distance_of(fine, coarse));
            iso_energy e = iso_world_energy(fine);
            stretch = fmax(stretch, e.stretch);
            CHECK_AT_MOST(e.stretch, e.friction);
            if (iso_world_contact_count(fine) == 0) {
                // measured 1.5e-10
                CHECK_NEAR(e.contact + e.friction + e.contact_damping, 0.0, 1e-8);
            }
        }
        CHECK_AT_MOST(worst, 1e-6); // measured 2.8e-8
        CHECK(stretch > 0.0, "%g J in stretch", stretch);
        iso_world_destroy(fine);
        iso_world_destroy(coarse);
    }
    test_context_destroy(ctx);
}

// A soft box on a floor, at rest.
static iso_world* make_box(iso_context* ctx, iso_method method) {
    iso_model* model = make_model(ctx);
    iso_mat3 flat = iso_mat3_identity();
    int box = add_body(ctx, model, "box", 0.5, iso_vec3_make(8e-4, 8e-4, 8e-4));
    iso_geometry_desc desc = iso_geometry_desc_default();
    desc.name = "box";
    desc.shape = iso_shape_desc_default(ISO_SHAPE_BOX);
    desc.shape.size = iso_vec3_make(0.1, 0.08, 0.04);
    desc.material.compliance = ISO_COMPLIANCE_COMPLIANT;
    desc.material.modulus = 1e6;
    desc.material.dissipation = 20.0;
    iso_pose at = iso_pose_from_position(iso_vec3_make(0.0, 0.0, 0.0199));
    add_ground(ctx, model, 0.5, &flat);
    CHECK_OK(ctx, iso_model_add_geometry(model, box, &desc, NULL));
    CHECK_OK(ctx, iso_model_set_free_pose(model, box, &at));
    iso_world_desc settings = iso_world_desc_default();
    settings.method = method;
    settings.accuracy = 1e-7;
    settings.contact.friction_law = ISO_FRICTION_COMPLIANT;
    settings.contact.friction_stiffness = 500.0;
    settings.contact.friction_damping_time = 0.05;
    iso_world* world = make_world(ctx, model, &settings);
    iso_model_destroy(model);
    step_many(ctx, world, 300);
    return world;
}

// Below the limit friction of the velocity-level step and of the continuous methods is the same
// spring: a box that is pushed and turned moves as far, by forces drawn from seeds.
static void sticking_steps_and_compliance_give_way_alike(void** state) {
    (void)state;
    TEST_SKIP_IF_WATCHED();
    const iso_method methods[] = {ISO_METHOD_LAGGED, ISO_METHOD_RK45, ISO_METHOD_RADAU};
    iso_context* ctx = test_context();
    for (int seed = 0; seed < TEST_ROUNDS(2, 1); ++seed) {
        iso_vec3 moved[3];
        double turned[3];
        test_random random = test_random_make((uint64_t)seed);
        double angle = test_random_uniform(&random, 0.0, 6.0);
        double push = test_random_uniform(&random, 0.2, 0.8), turn = 0.02;
        iso_spatial load = iso_spatial_make(iso_vec3_make(0.0, 0.0, turn),
                                            iso_vec3_make(push * cos(angle), push * sin(angle), 0));
        for (int i = 0; i < 3; ++i) {
            iso_world* world = make_box(ctx, methods[i]);
            iso_pose start = iso_world_body_pose(world, 1);
            for (int k = 0; k < 800; ++k) {
                CHECK_OK(ctx, iso_world_apply_wrench(world, 1, load));
                step_many(ctx, world, 1);
            }
            iso_pose end = iso_world_body_pose(world, 1);
            moved[i] = iso_vec3_sub(end.p, start.p);
            turned[i] = iso_mat3_column(&end.r, 0).y - iso_mat3_column(&start.r, 0).y;
            iso_world_destroy(world);
            iso_vec3 apart = iso_vec3_sub(moved[i], moved[0]);
            CHECK_AT_MOST(iso_vec3_norm(apart) / iso_vec3_norm(moved[0]), 0.01); // measured 0.0041
            CHECK_REL(turned[i], turned[0], 0.01);                               // measured 0.0036
            CHECK_REL(iso_vec3_norm(moved[i]), push / (500.0 * 0.5 * 9.81), 0.02); // as a block
        }
    }
    test_context_destroy(ctx);
}

// A saved state goes on with the same bits.
static void stretches_are_saved(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_world* a = make_bounce(ctx, ISO_METHOD_RK45, 2e-3, 1e-6, 0.0);
    iso_world* b = make_bounce(ctx, ISO_METHOD_RK45, 2e-3, 1e-6, 0.0);
    step_many(ctx, a, 5);
    assert_true(iso_world_energy(a).stretch > 0.0);
    static char buffer[1 << 20];
    size_t size = iso_world_state_size(a);
    assert_true(size <= sizeof buffer);
    CHECK_OK(ctx, iso_world_save(a, buffer, sizeof buffer, &size));
    CHECK_OK(ctx, iso_world_restore(b, buffer, size));
    step_many(ctx, a, 10);
    step_many(ctx, b, 10);
    assert_true(iso_world_state_hash(a) == iso_world_state_hash(b));
    iso_world_destroy(a);
    iso_world_destroy(b);
    test_context_destroy(ctx);
}

// Two Hertz balls thrown at a floor: the first has bristles, the second restitution at the speed of
// each impact. Either may be left out.
static iso_world* make_throw(iso_context* ctx, uint64_t seed, const bool has[2],
                             iso_friction_law law, iso_method method) {
    iso_model* model = make_model(ctx);
    test_random random = test_random_make(seed);
    iso_geometry_desc desc = iso_geometry_desc_default();
    desc.name = "floor";
    desc.shape = iso_shape_desc_default(ISO_SHAPE_HALF_SPACE);
    desc.material.compliance = ISO_COMPLIANCE_RIGID;
    CHECK_OK(ctx, iso_model_add_geometry(model, ISO_WORLD_BODY, &desc, NULL));
    for (int i = 0; i < 2; ++i) {
        double speed = test_random_uniform(&random, 0.2, 1.0);
        double height = test_random_uniform(&random, 1e-3, 4e-3);
        desc = iso_geometry_desc_default();
        desc.name = "ball";
        desc.shape = iso_shape_desc_default(ISO_SHAPE_SPHERE);
        desc.shape.radius = 0.05;
        desc.material.compliance = ISO_COMPLIANCE_COMPLIANT;
        desc.material.young_modulus = 1e8;
        desc.material.model = ISO_CONTACT_MODEL_HERTZ;
        desc.material.bristle_stiffness = i == 0 ? 500.0 : 0.0;
        if (i == 1) {
            desc.material.restitution = 0.7;
            desc.material.restitution_speed = 0.0;
        }
        if (has[i]) {
            const char* name = i == 0 ? "first" : "second";
            int ball = add_body(ctx, model, name, 0.4, iso_vec3_make(4e-4, 4e-4, 4e-4));
            CHECK_OK(ctx, iso_model_add_geometry(model, ball, &desc, NULL));
            iso_pose x_wb = iso_pose_from_position(iso_vec3_make(i, 0.0, 0.05 + height));
            CHECK_OK(ctx, iso_model_set_free_pose(model, ball, &x_wb));
            iso_vec3 v = iso_vec3_make(0.0, speed, -speed);
            CHECK_OK(ctx, iso_model_set_free_twist(model, ball,
                                                   iso_spatial_make(iso_vec3_make(5.0, 0, 2), v)));
        }
    }
    iso_world_desc settings = iso_world_desc_default();
    settings.method = method;
    settings.time_step = 10e-3;
    settings.accuracy = 1e-7;
    settings.max_substeps = 100000;
    settings.contact.friction_law = law;
    iso_world* world = make_world(ctx, model, &settings);
    iso_model_destroy(model);
    return world;
}

static double apart(const iso_world* a, int body_a, const iso_world* b, int body_b) {
    iso_spatial u = iso_world_body_twist(a, body_a), v = iso_world_body_twist(b, body_b);
    return fmax(iso_vec3_norm(iso_vec3_sub(u.translational, v.translational)),
                0.05 * iso_vec3_norm(iso_vec3_sub(u.rotational, v.rotational)));
}

// Speed of a ball along the normal where it touches the floor, if it falls or fell freely.
static double speed_without_height(const iso_world* world) {
    double v = iso_world_body_twist(world, 1).translational.z;
    return sqrt(v * v + 2.0 * 9.81 * (iso_world_body_pose(world, 1).p.z - 0.05));
}

// In one world some pairs have bristles, others stretch and latched impacts, and each moves as it
// does alone: bristles come before the friction law.
static void kinds_of_memory_live_side_by_side(void** state) {
    (void)state;
    const iso_method methods[] = {ISO_METHOD_RK45, ISO_METHOD_RADAU};
    iso_context* ctx = test_context();
    for (int seed = 0; seed < 6; ++seed) {
        iso_world* worlds[4];
        const bool has[4][2] = {{true, true}, {true, false}, {false, true}, {true, false}};
        for (int i = 0; i < 4; ++i) {
            iso_friction_law law = i < 3 ? ISO_FRICTION_COMPLIANT : ISO_FRICTION_VISCOUS;
            worlds[i] = make_throw(ctx, (uint64_t)seed, has[i], law, methods[seed % 2]);
        }
        double fall = speed_without_height(worlds[2]), most = 0.0;
        double one = 0.0, two = 0.0;
        for (int k = 0; k < 10; ++k) {
            for (int i = 0; i < 4; ++i) {
                step_many(ctx, worlds[i], 1);
            }
            one = fmax(one, apart(worlds[0], 1, worlds[1], 1));
            two = fmax(two, apart(worlds[0], 2, worlds[2], 1));
            assert_true(apart(worlds[1], 1, worlds[3], 1) == 0.0);
            bool rises = iso_world_contact_count(worlds[2]) == 0 &&
                         iso_world_body_twist(worlds[2], 1).translational.z > 0.0;
            most = rises ? fmax(most, speed_without_height(worlds[2])) : most;
        }
        CHECK_AT_MOST(fmax(one, two), 1e-4); // measured 3.9e-6
        CHECK_NEAR(most / fall, 0.7, 0.02);  // gravity takes some
        for (int i = 0; i < 4; ++i) {
            iso_world_destroy(worlds[i]);
        }
    }
    test_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sliding_down_is_as_fast_as_the_law_says),
        cmocka_unit_test(laws_of_ones_own_are_tried),
        cmocka_unit_test(compliant_friction_sticks_and_slides),
        cmocka_unit_test(compliant_contacts_begin_within_steps),
        cmocka_unit_test(sticking_steps_and_compliance_give_way_alike),
        cmocka_unit_test(stretches_are_saved),
        cmocka_unit_test(kinds_of_memory_live_side_by_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
