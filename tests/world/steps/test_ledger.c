// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// The ledger of energies closes: to the accuracy of the continuous methods, to first order in the
// time step at the velocity level.

#include "world/mechanisms.h"

typedef enum scene_kind { SCENE_MACHINE, SCENE_CONTACT } scene_kind;

/// A double pendulum with everything that acts in joints, which hits its limits: dampers, dry
/// friction, a spring, a drive that reaches its effort limit, a rope to the world.
static iso_model* make_machine(iso_context* ctx) {
    iso_model* model = make_model(ctx);
    int upper = add_lopsided(ctx, model, "upper"), lower = add_light(ctx, model, "lower", 0.4);
    iso_joint_desc desc = joint_between("one", ISO_JOINT_REVOLUTE, ISO_WORLD_BODY, upper);
    desc.axis = iso_vec3_make(0.0, 1.0, 0.0);
    desc.position = 1.2;
    desc.lower = -0.6;
    desc.damping = 0.3;
    int joint = -1;
    CHECK_OK(ctx, iso_model_add_joint(model, &desc, &joint));
    desc = joint_between("two", ISO_JOINT_REVOLUTE, upper, lower);
    desc.x_pf.p = iso_vec3_make(0.4, 0.0, 0.1);
    desc.axis = iso_vec3_make(0.0, 1.0, 0.0);
    desc.friction = 0.4;
    desc.upper = 0.5;
    desc.lower = -0.7;
    desc.stiffness = 3.0;
    CHECK_OK(ctx, iso_model_add_joint(model, &desc, NULL));
    iso_actuator_desc drive = iso_actuator_desc_default();
    drive.name = "drive";
    drive.joint = joint;
    drive.kp = 20.0;
    drive.kd = 1.0;
    drive.effort_limit = 4.0;
    CHECK_OK(ctx, iso_model_add_actuator(model, &drive, NULL));
    iso_constraint_desc rope = iso_constraint_desc_default();
    rope.name = "rope";
    rope.kind = ISO_CONSTRAINT_TENDON;
    rope.body_a = ISO_WORLD_BODY;
    rope.body_b = lower;
    rope.x_bq.p = iso_vec3_make(0.3, 0.0, -0.2);
    rope.length = 0.6;
    rope.stiffness = 500.0;
    rope.damping = 20.0;
    CHECK_OK(ctx, iso_model_add_constraint(model, &rope, NULL));
    return model;
}

typedef struct ledger {
    double sum;    ///< what must be constant
    double stored; ///< kinetic energy, for scale
    double parts;  ///< contact work + change of elastic energy + losses: 0
    iso_energy energy;
} ledger;

static ledger read_ledger(iso_context* ctx, iso_world* world) {
    ledger found = {.energy = iso_world_energy(world)};
    const iso_energy* e = &found.energy;
    iso_elastic_energy elastic;
    CHECK_OK(ctx, iso_world_update_contacts(world));
    CHECK_OK(ctx, iso_world_elastic_energy(world, -1, &elastic));
    assert_true(elastic.is_exact);
    found.sum = e->kinetic + e->potential + e->spring - e->actuation - e->contact - e->constraint -
                e->limit + e->damping;
    found.parts = e->contact + elastic.energy + e->friction + e->contact_damping;
    found.stored = e->kinetic;
    return found;
}

// What is read after a step are the contacts at its start: their energy is that of this state.
static void energy_after_a_step_is_that_of_its_contacts(void** state) {
    (void)state;
    static const iso_method methods[] = {ISO_METHOD_LAGGED, ISO_METHOD_RK4};
    iso_context* ctx = test_context();
    for (int i = 0; i < 2; ++i) {
        iso_model* model = make_bouncing_ball(ctx);
        iso_world_desc desc = iso_world_desc_default();
        desc.method = methods[i];
        iso_world* world = make_world(ctx, model, &desc);
        double least = INFINITY, off = 0.0;
        for (int k = 0; k < 20; ++k) {
            iso_elastic_energy start, end;
            CHECK_OK(ctx, iso_world_update_contacts(world));
            CHECK_OK(ctx, iso_world_elastic_energy(world, -1, &start));
            CHECK_OK(ctx, iso_world_step(world));
            CHECK_OK(ctx, iso_world_elastic_energy(world, -1, &end));
            assert_true(start.is_exact && end.is_exact);
            CHECK_BITS(end.energy, start.energy);
            least = k < 10 ? INFINITY : fmin(least, start.energy);
            off = fmax(off, fabs(iso_world_energy(world).elastic - start.energy) / start.energy);
        }
        assert_true(least > 0.0);
        CHECK(off > 0.01, "columns are %g off: as good as exact", off);
        iso_world_destroy(world);
        iso_model_destroy(model);
    }
    test_context_destroy(ctx);
}

typedef struct closing {
    double sum, parts; ///< largest residual at the ends of tenths of the run [J]
    iso_energy last;
} closing;

static closing run_ledger(iso_context* ctx, scene_kind kind, iso_method method, double time_step,
                          double accuracy) {
    iso_model* model = kind == SCENE_MACHINE ? make_machine(ctx) : make_bouncing_ball(ctx);
    iso_world_desc desc = iso_world_desc_default();
    desc.method = method;
    desc.time_step = time_step;
    desc.accuracy = accuracy;
    desc.contact.representation = ISO_REPRESENTATION_TRIANGLE;
    desc.contact.stiction_velocity = 1e-2;
    iso_world* world = make_world(ctx, model, &desc);
    double seconds = kind == SCENE_MACHINE ? 1.0 : 0.05;
    int steps = (int)lround(seconds / time_step / 10.0);
    iso_actuation target = {.feed_forward = 0.5, .position = -1.0};
    if (kind == SCENE_MACHINE) {
        CHECK_OK(ctx, iso_world_set_actuation(world, 0, &target));
    }
    ledger start = read_ledger(ctx, world);
    closing found = {0};
    for (int i = 0; i < 10; ++i) {
        for (int k = 0; k < steps; ++k) {
            int body = iso_world_find_body(world, kind == SCENE_MACHINE ? "lower" : "ball");
            iso_spatial push =
                iso_spatial_make(iso_vec3_make(0.01, 0.0, 0.02), iso_vec3_make(0.3, 0.0, 0.0));
            CHECK_OK(ctx, iso_world_apply_wrench(world, body, push));
            CHECK_OK(ctx, iso_world_step(world));
        }
        ledger now = read_ledger(ctx, world);
        found.sum = fmax(found.sum, fabs(now.sum - start.sum));
        found.parts = fmax(found.parts, fabs(now.parts - start.parts));
        found.last = now.energy;
    }
    iso_world_destroy(world);
    iso_model_destroy(model);
    return found;
}

/// Limits and ropes are as stiff as a step allows: rk4 does not resolve what hits them, however
/// small the step, and its ledger was 2e-2 J of 0.5 J off with each. Impulses at the mean velocity
/// close it.
static void works_of_blows_close_without_error_control(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    for (int i = 0; i < 4; ++i) {
        bool has_rope = i >= 2;
        iso_model* model = make_model(ctx);
        int body = add_light(ctx, model, "slider", 1.0);
        iso_joint_desc desc = joint_between("slide", ISO_JOINT_PRISMATIC, ISO_WORLD_BODY, body);
        desc.axis = iso_vec3_make(1.0, 0.0, 0.0);
        desc.velocity = 1.0;
        desc.upper = has_rope ? INFINITY : 0.1;
        CHECK_OK(ctx, iso_model_add_joint(model, &desc, NULL));
        iso_constraint_desc rope = iso_constraint_desc_default();
        rope.name = "rope";
        rope.kind = ISO_CONSTRAINT_TENDON;
        rope.body_a = ISO_WORLD_BODY;
        rope.body_b = body;
        rope.length = 0.1;
        if (has_rope) {
            CHECK_OK(ctx, iso_model_add_constraint(model, &rope, NULL));
        }
        iso_world_desc settings = iso_world_desc_default();
        settings.method = ISO_METHOD_RK4;
        settings.time_step = i % 2 == 0 ? 4e-3 : 1e-3;
        settings.gravity = iso_vec3_zero();
        iso_world* world = make_world(ctx, model, &settings);
        ledger start = read_ledger(ctx, world);
        for (int k = 0; k < lround(0.15 / settings.time_step); ++k) {
            CHECK_OK(ctx, iso_world_step(world));
        }
        ledger end = read_ledger(ctx, world);
        double work = has_rope ? end.energy.constraint : end.energy.limit;
        CHECK(work < -0.4, "work is %g J", work);
        CHECK_NEAR(end.sum, start.sum, 1e-12); // measured 2e-16
        iso_world_destroy(world);
        iso_model_destroy(model);
    }
    test_context_destroy(ctx);
}

static void works_of_a_machine_close(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    closing rk = run_ledger(ctx, SCENE_MACHINE, ISO_METHOD_RK45, 5e-3, 1e-9);
    CHECK_AT_MOST(rk.sum, 1e-9); // measured 2.5e-11
    // Everything took part: the residual is small beside each.
    CHECK(rk.last.limit < -0.01 && rk.last.damping > 0.1 && fabs(rk.last.actuation) > 0.1 &&
              fabs(rk.last.constraint) > 0.01 && fabs(rk.last.applied) > 0.01,
          "limit %g, damping %g, actuation %g, constraint %g, applied %g J", rk.last.limit,
          rk.last.damping, rk.last.actuation, rk.last.constraint, rk.last.applied);
    double coarse = run_ledger(ctx, SCENE_MACHINE, ISO_METHOD_LAGGED, 2e-3, 1e-3).sum;
    double middle = run_ledger(ctx, SCENE_MACHINE, ISO_METHOD_LAGGED, 5e-4, 1e-3).sum;
    double fine = run_ledger(ctx, SCENE_MACHINE, ISO_METHOD_LAGGED, 1.25e-4, 1e-3).sum;
    double order = log(coarse / fine) / log(16.0);
    CHECK(order > 0.9 && order < 1.3, "order %g of %g, %g, %g J", order, coarse, middle, fine);
    test_context_destroy(ctx);
}

static void losses_of_a_contact_close(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    closing rk = run_ledger(ctx, SCENE_CONTACT, ISO_METHOD_RK45, 1e-3, 1e-11);
    CHECK_AT_MOST(rk.sum, 1e-12);   // measured 1.6e-14
    CHECK_AT_MOST(rk.parts, 1e-10); // measured 7.1e-13
    CHECK(rk.last.friction > 1e-3 && rk.last.contact_damping > 1e-3, "friction %g, damping %g J",
          rk.last.friction, rk.last.contact_damping);
    static const iso_method methods[] = {ISO_METHOD_LAGGED, ISO_METHOD_SAP, ISO_METHOD_SIMILAR,
                                         ISO_METHOD_TAMSI};
    for (int i = 0; i < 4; ++i) {
        closing coarse = run_ledger(ctx, SCENE_CONTACT, methods[i], 5e-4, 1e-3);
        closing fine = run_ledger(ctx, SCENE_CONTACT, methods[i], 5e-4 / 16.0, 1e-3);
        double order = log(coarse.sum / fine.sum) / log(16.0);
        CHECK(order > 0.9 && order < 1.3, "method %d: order %g of %g, %g J", (int)methods[i], order,
              coarse.sum, fine.sum);
        // The points of faces have the moment of the centroid rule: this one ends at the mesh.
        CHECK_AT_MOST(fine.parts, 3e-4); // measured at most 7e-5
    }
    closing coarse = run_ledger(ctx, SCENE_CONTACT, ISO_METHOD_MIDPOINT, 5e-4, 1e-3);
    closing fine = run_ledger(ctx, SCENE_CONTACT, ISO_METHOD_MIDPOINT, 5e-4 / 16.0, 1e-3);
    double order = log(coarse.sum / fine.sum) / log(16.0);
    CHECK(order > 1.6, "midpoint: order %g of %g, %g J", order, coarse.sum, fine.sum);
    test_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_after_a_step_is_that_of_its_contacts),
        cmocka_unit_test(works_of_blows_close_without_error_control),
        cmocka_unit_test(works_of_a_machine_close),
        cmocka_unit_test(losses_of_a_contact_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
