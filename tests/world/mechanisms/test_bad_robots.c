// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Robots that cannot be, or hardly: contradicting loops, limits and couplers, bodies without mass,
// mass ratios of 1e6, absurd gains. Every method either says what is wrong, naming the body, joint
// or constraint, or goes on with finite numbers.

#include "world/mechanisms.h"

#include <stdio.h>
#include <string.h>

static const iso_method k_methods[] = {ISO_METHOD_LAGGED, ISO_METHOD_SAP, ISO_METHOD_SIMILAR,
                                       ISO_METHOD_TAMSI,  ISO_METHOD_RK4, ISO_METHOD_RK23,
                                       ISO_METHOD_RK45};
enum { LEVEL_COUNT = 4, METHOD_COUNT = sizeof k_methods / sizeof k_methods[0] };

static void check_finite(const iso_world* world) {
    for (int b = 1; b < iso_world_body_count(world); ++b) {
        iso_pose x = iso_world_body_pose(world, b);
        iso_spatial v = iso_world_body_twist(world, b);
        CHECK(iso_pose_is_finite(&x) && iso_vec3_is_finite(v.rotational) &&
                  iso_vec3_is_finite(v.translational),
              "method %d: body '%s' at (%g, %g, %g), speed (%g, %g, %g)",
              (int)iso_world_settings(world)->method, iso_world_body_name(world, b), x.p.x, x.p.y,
              x.p.z, v.translational.x, v.translational.y, v.translational.z);
    }
}

typedef iso_model* (*maker)(iso_context* ctx);

/// What became of a robot.
typedef struct fate {
    int refused;           ///< methods whose world or step failed with a message
    int refused_by_levels; ///< those at the velocity level among them
    char message[512];
} fate;

static bool says(const char* message, const char* names) {
    // Any of the names, separated by '|'.
    char copy[128];
    snprintf(copy, sizeof copy, "%s", names);
    for (char* name = strtok(copy, "|"); name; name = strtok(NULL, "|")) {
        if (strstr(message, name)) {
            return true;
        }
    }
    return false;
}

/// Run with every method; `names` are those of which a refusal must mention one.
static fate run_all(iso_context* ctx, maker make, int steps, const char* names) {
    fate found = {0};
    for (int i = 0; i < METHOD_COUNT; ++i) {
        iso_model* model = make(ctx);
        iso_world_desc desc = iso_world_desc_default();
        desc.method = k_methods[i];
        desc.time_step = 1e-3;
        iso_world* world = NULL;
        iso_status status = iso_world_create(ctx, model, &desc, &world);
        for (int k = 0; k < steps && status == ISO_OK; ++k) {
            status = iso_world_step(world);
        }
        if (status != ISO_OK) {
            ++found.refused;
            found.refused_by_levels += i < LEVEL_COUNT;
            snprintf(found.message, sizeof found.message, "%s", iso_context_error(ctx));
            CHECK(says(found.message, names), "method %d: '%s' names none of '%s'",
                  (int)k_methods[i], found.message, names);
        }
        if (world) {
            check_finite(world);
        }
        iso_world_destroy(world);
        iso_model_destroy(model);
    }
    return found;
}

static int add_link(iso_context* ctx, iso_model* model, const char* name, int parent, double mass,
                    double position) {
    iso_body_desc desc = iso_body_desc_default();
    desc.name = name;
    desc.mass = mass;
    desc.center_of_mass = iso_vec3_make(0.25, 0.0, 0.0);
    desc.inertia = iso_mat3_diagonal(1e-3 * mass, 0.02 * mass, 0.02 * mass);
    int body = -1;
    CHECK_OK(ctx, iso_model_add_body(model, &desc, &body));
    iso_joint_desc joint = joint_between(name, ISO_JOINT_REVOLUTE, parent, body);
    joint.x_pf.p = iso_vec3_make(parent == ISO_WORLD_BODY ? 0.0 : 0.5, 0.0, 0.0);
    joint.axis = iso_vec3_make(0.0, 1.0, 0.0);
    joint.position = position;
    CHECK_OK(ctx, iso_model_add_joint(model, &joint, NULL));
    return body;
}

static void tie(iso_context* ctx, iso_model* model, const char* name, iso_constraint_kind kind,
                int body, iso_vec3 p_w, iso_vec3 p_b, double length) {
    iso_constraint_desc desc = iso_constraint_desc_default();
    desc.name = name;
    desc.kind = kind;
    desc.body_a = ISO_WORLD_BODY;
    desc.body_b = body;
    desc.x_ap.p = p_w;
    desc.x_bq.p = p_b;
    desc.length = length;
    CHECK_OK(ctx, iso_model_add_constraint(model, &desc, NULL));
}

/// A beam welded to the world three times, which agree.
static iso_model* make_redundant(iso_context* ctx) {
    iso_model* model = make_model(ctx);
    int beam = add_link(ctx, model, "beam", ISO_WORLD_BODY, 1.0, 0.0);
    for (int i = 0; i < 3; ++i) {
        static const char* const names[] = {"tie_a", "tie_b", "tie_c"};
        iso_vec3 at = iso_vec3_make(0.1 * i, 0.0, 0.0);
        tie(ctx, model, names[i], ISO_CONSTRAINT_WELD, beam, at, at, 1.0);
    }
    return model;
}

/// A tip held at two places at once.
static iso_model* make_contradiction(iso_context* ctx) {
    iso_model* model = make_model(ctx);
    int upper = add_link(ctx, model, "upper", ISO_WORLD_BODY, 1.0, 0.3);
    int lower = add_link(ctx, model, "lower", upper, 1.0, 0.4);
    iso_vec3 tip = iso_vec3_make(0.5, 0.0, 0.0);
    tie(ctx, model, "tie_here", ISO_CONSTRAINT_BALL, lower, iso_vec3_make(0.7, 0.0, -0.3), tip,
        1.0);
    tie(ctx, model, "tie_there", ISO_CONSTRAINT_BALL, lower, iso_vec3_make(0.6, 0.0, 0.2), tip,
        1.0);
    return model;
}

/// A bar out of reach.
static iso_model* make_out_of_reach(iso_context* ctx) {
    iso_model* model = make_model(ctx);
    int link = add_link(ctx, model, "link", ISO_WORLD_BODY, 1.0, 0.3);
    tie(ctx, model, "bar", ISO_CONSTRAINT_DISTANCE, link, iso_vec3_make(5.0, 0.0, 0.0),
        iso_vec3_make(0.5, 0.0, 0.0), 1.0);
    return model;
}

/// Couplers that only rest satisfies.
static iso_model* make_contradicting_gears(iso_context* ctx) {
    iso_model* model = make_model(ctx);
    add_link(ctx, model, "one", ISO_WORLD_BODY, 1.0, 0.0);
    add_link(ctx, model, "two", ISO_WORLD_BODY, 1.0, 0.0);
    for (int i = 0; i < 2; ++i) {
        iso_coupler_desc gear = iso_coupler_desc_default();
        gear.name = i == 0 ? "gear_2" : "gear_3";
        gear.joint_a = 0;
        gear.joint_b = 1;
        gear.ratio = 2.0 + i;
        CHECK_OK(ctx, iso_model_add_coupler(model, &gear, NULL));
    }
    return model;
}

static void loops_that_agree_hold_and_loops_that_do_not_are_named(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    assert_int_equal(run_all(ctx, make_redundant, 300, "").refused, 0);
    assert_int_equal(run_all(ctx, make_contradiction, 10, "tie_here|tie_there").refused,
                     METHOD_COUNT);
    assert_int_equal(run_all(ctx, make_out_of_reach, 10, "bar").refused, METHOD_COUNT);
    assert_int_equal(run_all(ctx, make_contradicting_gears, 300, "").refused, 0);
    test_context_destroy(ctx);
}

/// A tip without mass on a hinge.
static iso_model* make_massless_tip(iso_context* ctx) {
    iso_model* model = make_model(ctx);
    int link = add_link(ctx, model, "link", ISO_WORLD_BODY, 1.0, 0.3);
    add_link(ctx, model, "tip", link, 0.0, 0.2);
    return model;
}

/// A body without mass between two that have some, on hinges about the same axis.
static iso_model* make_massless_link(iso_context* ctx) {
    iso_model* model = make_model(ctx);
    int first = add_link(ctx, model, "first", ISO_WORLD_BODY, 1.0, 0.3);
    int middle = add_link(ctx, model, "middle", first, 0.0, 0.2);
    add_link(ctx, model, "last", middle, 1.0, 0.4);
    return model;
}

static iso_model* make_massless_free(iso_context* ctx) {
    iso_model* model = make_model(ctx);
    iso_body_desc desc = iso_body_desc_default();
    desc.name = "ghost";
    desc.mass = 0.0;
    desc.inertia = iso_mat3_diagonal(0.0, 0.0, 0.0);
    CHECK_OK(ctx, iso_model_add_body(model, &desc, NULL));
    return model;
}

static void motion_without_mass_is_refused_by_name(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    assert_int_equal(run_all(ctx, make_massless_tip, 10, "tip").refused, METHOD_COUNT);
    assert_int_equal(run_all(ctx, make_massless_free, 10, "ghost").refused, METHOD_COUNT);
    assert_int_equal(run_all(ctx, make_massless_link, 300, "").refused, 0);
    test_context_destroy(ctx);
}

static iso_model* make_limited(iso_context* ctx, double lower, double upper, double position) {
    iso_model* model = make_model(ctx);
    int link = add_link(ctx, model, "link", ISO_WORLD_BODY, 1.0, 0.0);
    add_link(ctx, model, "tip", link, 1.0, 0.0);
    for (int i = 0; i < 2; ++i) {
        iso_joint_desc* joint = iso_model_joint(model, i);
        joint->lower = lower;
        joint->upper = upper;
        joint->position = position;
    }
    return model;
}

static iso_model* make_swapped_limits(iso_context* ctx) {
    return make_limited(ctx, 1.0, -1.0, 0.0);
}
static iso_model* make_closed_limits(iso_context* ctx) {
    return make_limited(ctx, 0.25, 0.25, 0.25);
}
static iso_model* make_far_limits(iso_context* ctx) {
    return make_limited(ctx, 40.0, 41.0, -20.0);
}

static void limits_may_be_closed_but_not_contradict(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    assert_int_equal(run_all(ctx, make_swapped_limits, 10, "link|tip").refused, METHOD_COUNT);
    assert_int_equal(run_all(ctx, make_closed_limits, 300, "").refused, 0);
    assert_int_equal(run_all(ctx, make_far_limits, 300, "link|tip").refused_by_levels, 0);
    test_context_destroy(ctx);
}

/// Seven links, each a tenth of the one before; or ten times.
static iso_model* make_chain(iso_context* ctx, double factor) {
    static const char* const names[] = {"a", "b", "c", "d", "e", "f", "g"};
    iso_model* model = make_model(ctx);
    int parent = ISO_WORLD_BODY;
    double mass = factor < 1.0 ? 1e3 : 1e-3;
    for (int i = 0; i < 7; ++i) {
        parent = add_link(ctx, model, names[i], parent, mass, 0.2);
        mass *= factor;
    }
    return model;
}

static iso_model* make_thinning_chain(iso_context* ctx) {
    return make_chain(ctx, 0.1);
}
static iso_model* make_growing_chain(iso_context* ctx) {
    return make_chain(ctx, 10.0);
}

static void mass_ratios_of_a_million_stay_finite(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    assert_int_equal(run_all(ctx, make_thinning_chain, 300, "").refused, 0);
    // A step of 1 ms is too long for the fast links of the other one with rk4, which says so.
    fate growing = run_all(ctx, make_growing_chain, 300, "'a'|'b'|'c'|'d'|'e'|'f'|'g'");
    assert_int_equal(growing.refused_by_levels, 0);
    assert_true(growing.refused <= 1);
    test_context_destroy(ctx);
}

static iso_model* make_driven(iso_context* ctx, double kp, double kd, double limit) {
    iso_model* model = make_model(ctx);
    int link = add_link(ctx, model, "link", ISO_WORLD_BODY, 1.0, 0.3);
    add_link(ctx, model, "tip", link, 1e-3, -0.2);
    for (int i = 0; i < 2; ++i) {
        iso_actuator_desc drive = iso_actuator_desc_default();
        drive.name = i == 0 ? "drive_link" : "drive_tip";
        drive.joint = i;
        drive.kp = kp;
        drive.kd = kd;
        drive.effort_limit = limit;
        CHECK_OK(ctx, iso_model_add_actuator(model, &drive, NULL));
    }
    return model;
}

static iso_model* make_stiff_drive(iso_context* ctx) {
    return make_driven(ctx, 1e18, 0.0, INFINITY);
}
static iso_model* make_viscous_drive(iso_context* ctx) {
    return make_driven(ctx, 0.0, 1e18, INFINITY);
}
static iso_model* make_stiff_limited_drive(iso_context* ctx) {
    return make_driven(ctx, 1e18, 1e12, 1e3);
}
static iso_model* make_strong_drive(iso_context* ctx) {
    return make_driven(ctx, 1e12, 1e-9, 1e12);
}

static void absurd_gains_stay_finite_or_are_named(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    static const maker makers[] = {make_stiff_drive, make_viscous_drive, make_stiff_limited_drive,
                                   make_strong_drive};
    for (int i = 0; i < 4; ++i) {
        // Drives are implicit at the velocity level; the continuous methods name the body.
        assert_int_equal(run_all(ctx, makers[i], 100, "link|tip").refused_by_levels, 0);
    }
    test_context_destroy(ctx);
}

static iso_model* make_quick_drive(iso_context* ctx) {
    return make_driven(ctx, 1e9, 0.0, INFINITY);
}

static iso_model* make_quicker_drive(iso_context* ctx) {
    return make_driven(ctx, 1e12, 0.0, INFINITY);
}

// The tip swings with some 1e7 rad/s, so a step of 1 ms would take thousands of substeps.
static void substeps_end_where_they_may_and_the_error_says_what_helps(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    static const iso_method methods[] = {ISO_METHOD_RK23, ISO_METHOD_RK45};
    for (int i = 0; i < 2; ++i) {
        iso_model* model = make_quick_drive(ctx);
        iso_world_desc desc = iso_world_desc_default();
        iso_world* world = NULL;
        assert_int_equal(desc.max_substeps, 5000);
        desc.method = methods[i];
        desc.max_substeps = 0;
        CHECK_STATUS(ctx, iso_world_create(ctx, model, &desc, &world), ISO_ERR_RANGE);
        CHECK_ERROR(ctx, "max_substeps is 0, expected in [1, 100000]");
        desc.max_substeps = 100;
        CHECK_OK(ctx, iso_world_create(ctx, model, &desc, &world));
        uint64_t hash = iso_world_state_hash(world);
        CHECK_STATUS(ctx, iso_world_step(world), ISO_ERR_NO_CONVERGENCE);
        CHECK_ERROR(ctx, "step 1 at t = 0 s: body 'tip' or its joint moves too fast or stiffly");
        CHECK_ERROR(ctx, "use a velocity-level method (lagged), an accuracy larger than 0.001, or "
                         "more than 100 max_substeps");
        CHECK_ERROR(ctx, "100 steps made, at most that many allowed, the next would be ");
        assert_true(iso_world_state_hash(world) == hash);
        iso_world_destroy(world);
        iso_model_destroy(model);

        // 30 times as fast: 5000 substeps do not do, either.
        model = make_quicker_drive(ctx);
        desc.max_substeps = 5000;
        CHECK_OK(ctx, iso_world_create(ctx, model, &desc, &world));
        CHECK_STATUS(ctx, iso_world_step(world), ISO_ERR_NO_CONVERGENCE);
        CHECK_ERROR(ctx, "step 1 at t = 0 s: body 'tip' or its joint moves too fast or stiffly");
        CHECK_ERROR(ctx, "5000 steps made, at most that many allowed, the next would be ");
        iso_world_destroy(world);
        iso_model_destroy(model);
    }
    test_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_that_agree_hold_and_loops_that_do_not_are_named),
        cmocka_unit_test(motion_without_mass_is_refused_by_name),
        cmocka_unit_test(limits_may_be_closed_but_not_contradict),
        cmocka_unit_test(mass_ratios_of_a_million_stay_finite),
        cmocka_unit_test(absurd_gains_stay_finite_or_are_named),
        cmocka_unit_test(substeps_end_where_they_may_and_the_error_says_what_helps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
