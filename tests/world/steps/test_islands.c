// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Groups of bodies that do not touch each other are steps of their own.

#include "support/failing_context.h"
#include "support/random.h"
#include "world/scenes.h"

#include <stdio.h>
#include <string.h>

enum { PILES = 2, CUBES = 4, STEPS = 300 };

// Tilted cubes that fall on each other; pile 1 stands two metres away and leans the other way.
static void add_pile(iso_context* ctx, iso_model* model, int pile) {
    double lean = pile == 0 ? 1.0 : -0.7;
    for (int i = 0; i < CUBES; ++i) {
        char name[16];
        snprintf(name, sizeof name, "%c%d", 'b' + pile, i);
        iso_pose x_wb = iso_pose_make(
            iso_mat3_from_rpy(0.2 * i * lean, 0.1 * i, 0.3),
            iso_vec3_make(2.0 * pile + 0.02 * (i % 2), 0.01 * (i % 3), 0.06 + 0.105 * i));
        add_cube(ctx, model, name, 0.6, &x_wb);
    }
}

// A world with the piles of the mask, and a cube that falls beside them.
static iso_world* make_piles(iso_context* ctx, int mask, int thread_count, iso_method method,
                             iso_friction_model friction) {
    iso_model* model = make_model(ctx);
    iso_mat3 level = iso_mat3_identity();
    add_ground(ctx, model, 0.6, &level);
    for (int pile = PILES - 1; pile >= 0; --pile) {
        if (mask >> pile & 1) {
            add_pile(ctx, model, pile);
        }
    }
    iso_pose high = iso_pose_from_position(iso_vec3_make(-3.0, 0.0, 50.0));
    add_cube(ctx, model, "a_falling", 0.6, &high);
    iso_world_desc desc = iso_world_desc_default();
    desc.time_step = 2e-3;
    desc.thread_count = thread_count;
    desc.method = method;
    desc.contact.friction = friction;
    iso_world* world = make_world(ctx, model, &desc);
    iso_model_destroy(model);
    return world;
}

static void check_same_pile(const iso_world* a, const iso_world* b, int pile) {
    for (int i = 0; i < CUBES; ++i) {
        char name[16];
        snprintf(name, sizeof name, "%c%d", 'b' + pile, i);
        int in_a = iso_world_find_body(a, name), in_b = iso_world_find_body(b, name);
        iso_pose x_a = iso_world_body_pose(a, in_a), x_b = iso_world_body_pose(b, in_b);
        iso_spatial v_a = iso_world_body_twist(a, in_a), v_b = iso_world_body_twist(b, in_b);
        CHECK_ARRAY_BITS(&x_a.p.x, &x_b.p.x, 3);
        CHECK_ARRAY_BITS(&x_a.r.m[0][0], &x_b.r.m[0][0], 9);
        CHECK_ARRAY_BITS(&v_a.rotational.x, &v_b.rotational.x, 3);
        CHECK_ARRAY_BITS(&v_a.translational.x, &v_b.translational.x, 3);
    }
}

static void piles_in_one_world_have_the_bits_of_each_alone(void** state) {
    (void)state;
    for (int draw = 0; draw < 4; ++draw) {
        iso_method method = draw & 2 ? ISO_METHOD_MIDPOINT : ISO_METHOD_LAGGED;
        iso_friction_model model =
            draw & 1 ? ISO_FRICTION_MODEL_STICK : ISO_FRICTION_MODEL_REGULARIZED;
        iso_context* ctx = test_context();
        iso_world* both = make_piles(ctx, 3, 1, method, model);
        iso_world* shared = make_piles(ctx, 3, 3, method, model);
        iso_world* alone[PILES] = {make_piles(ctx, 1, 1, method, model),
                                   make_piles(ctx, 2, 1, method, model)};
        int most_islands = 0, largest = 0;
        for (int step = 0; step < TEST_ROUNDS(STEPS, 40); ++step) {
            CHECK_OK(ctx, iso_world_step(both));
            CHECK_OK(ctx, iso_world_step(shared));
            int total = 0, slowest = 0;
            for (int pile = 0; pile < PILES; ++pile) {
                CHECK_OK(ctx, iso_world_step(alone[pile]));
                iso_step_report part = iso_world_step_report(alone[pile]);
                total += part.total_iterations;
                slowest = part.iterations > slowest ? part.iterations : slowest;
            }
            iso_step_report report = iso_world_step_report(both);
            assert_int_equal(report.total_iterations, total);
            assert_true(slowest <= total);
            assert_int_equal(report.iterations, slowest);
            most_islands = report.island_count > most_islands ? report.island_count : most_islands;
            largest = report.largest_island > largest ? report.largest_island : largest;
        }
        assert_true(iso_world_state_hash(both) == iso_world_state_hash(shared));
        for (int pile = 0; pile < PILES; ++pile) {
            check_same_pile(both, alone[pile], pile);
            iso_world_destroy(alone[pile]);
        }
        CHECK(most_islands >= PILES, "%d islands", most_islands);
        CHECK(largest >= 2 && largest <= CUBES, "largest of %d trees", largest);
        iso_world_destroy(both);
        iso_world_destroy(shared);
        test_context_destroy(ctx);
    }
}

static void slow_steps_say_why(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_world* world = make_piles(ctx, 3, 1, ISO_METHOD_LAGGED, ISO_FRICTION_MODEL_REGULARIZED);
    int slow = 0;
    for (int step = 0; step < STEPS; ++step) {
        CHECK_OK(ctx, iso_world_step(world));
        iso_step_report report = iso_world_step_report(world);
        CHECK((report.reason != ISO_STEP_REASON_NONE) == (report.iterations > 5),
              "reason %d after %d iterations", (int)report.reason, report.iterations);
        if (report.reason != ISO_STEP_REASON_NONE) {
            ++slow;
            CHECK(report.reason == ISO_STEP_REASON_OPENING ||
                      report.reason == ISO_STEP_REASON_FRICTION ||
                      report.reason == ISO_STEP_REASON_ROUNDING,
                  "%s", iso_step_reason_text(report.reason));
            CHECK(report.reason_body_a >= 0 && report.reason_body_b >= 0 &&
                      report.reason_body_a != report.reason_body_b,
                  "bodies %d and %d", report.reason_body_a, report.reason_body_b);
        }
    }
    CHECK(slow > 0, "%d slow steps", slow);
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

// --- drawn groups --------------------------------------------------------------------------------

enum { GROUPS = 4, BODIES = 3, SEEDS = 7, DRAWN_STEPS = 100, KINDS = 5 };

// What a group is held by: nothing, limits and dry friction of a joint, a loop, a whirl, a floor
// that moves.
typedef enum group_kind { FREE, HINGED, TIED, WHIRLING, CARRIED } group_kind;

typedef struct group {
    uint64_t seed;
    group_kind kind;
    double log_modulus; // from what the step resolves to what it does not
} group;

static void name_body(char name[16], int place, int i) {
    snprintf(name, 16, "%c%d", 'b' + place, i);
}

static int add_block(iso_context* ctx, iso_model* model, const char* name, double modulus,
                     double thickness) {
    int body = add_body(ctx, model, name, 1.0, iso_vec3_make(0.002, 0.0016, 0.0018));
    iso_geometry_desc desc = iso_geometry_desc_default();
    desc.name = "box";
    desc.shape = iso_shape_desc_default(ISO_SHAPE_BOX);
    desc.shape.size = iso_vec3_make(0.1, 0.1, thickness);
    desc.material.compliance = ISO_COMPLIANCE_COMPLIANT;
    desc.material.modulus = modulus;
    desc.material.friction_static = desc.material.friction_dynamic = 0.5;
    CHECK_OK(ctx, iso_model_add_geometry(model, body, &desc, NULL));
    return body;
}

static void add_joint_of(iso_context* ctx, iso_model* model, int body, const char* name,
                         const iso_pose* x_wb, test_random* random, bool is_weld) {
    iso_joint_desc joint = iso_joint_desc_default();
    joint.name = name;
    joint.kind = is_weld ? ISO_JOINT_WELD : ISO_JOINT_REVOLUTE;
    joint.parent = ISO_WORLD_BODY;
    joint.child = body;
    joint.x_pf = *x_wb;
    if (!is_weld) {
        joint.axis = iso_vec3_make(0.0, 1.0, 0.0);
        joint.velocity = 3.0;
        joint.friction = test_random_uniform(random, -0.1, 0.1);
        joint.friction = fmax(joint.friction, 0.0);
        joint.lower = -test_random_uniform(random, 0.1, 0.4);
        joint.upper = test_random_uniform(random, 0.1, 0.4);
    }
    CHECK_OK(ctx, iso_model_add_joint(model, &joint, NULL));
}

// Blocks over each other at a place of the ground; the lowest is what the group is held by.
static void add_group(iso_context* ctx, iso_model* model, const group* g, int place) {
    test_random random = test_random_make(g->seed);
    int bodies[BODIES];
    for (int i = 0; i < BODIES; ++i) {
        char name[16];
        name_body(name, place, i);
        bool is_jointed = i == 0 && (g->kind == HINGED || g->kind == CARRIED);
        bodies[i] = add_block(ctx, model, name, pow(10.0, g->log_modulus), 0.1);
        iso_pose x_wb = iso_pose_make(
            iso_mat3_from_rpy(is_jointed ? 0.0 : test_random_uniform(&random, -0.2, 0.2),
                              test_random_uniform(&random, -0.2, 0.2), 0.3),
            iso_vec3_make(2.0 * place, 0.01 * i, (is_jointed ? 0.15 : 0.08) + 0.13 * i));
        if (is_jointed) {
            add_joint_of(ctx, model, bodies[i], name, &x_wb, &random, g->kind == CARRIED);
            continue;
        }
        CHECK_OK(ctx, iso_model_set_free_pose(model, bodies[i], &x_wb));
        double spin = g->kind == WHIRLING && i == 0 ? 400.0 : 2.0;
        CHECK_OK(ctx,
                 iso_model_set_free_twist(model, bodies[i],
                                          iso_spatial_make(test_random_vec3(&random, -spin, spin),
                                                           iso_vec3_make(0.0, 0.1, -1.5))));
    }
    if (g->kind == TIED) {
        iso_constraint_desc tie = iso_constraint_desc_default();
        char name[16];
        name_body(name, place, BODIES);
        tie.name = name;
        tie.kind = ISO_CONSTRAINT_DISTANCE;
        tie.body_a = bodies[0];
        tie.body_b = bodies[1];
        tie.length = 0.13;
        CHECK_OK(ctx, iso_model_add_constraint(model, &tie, NULL));
    }
}

// A world with the groups of the mask, the last one first when that is asked for.
static iso_world* make_drawn(iso_context* ctx, const group* groups, int mask, bool is_reversed,
                             const iso_world_desc* desc) {
    iso_model* model = make_model(ctx);
    iso_mat3 level = iso_mat3_identity();
    add_ground(ctx, model, 0.5, &level);
    for (int i = 0; i < GROUPS; ++i) {
        int place = is_reversed ? GROUPS - 1 - i : i;
        if (mask >> place & 1) {
            add_group(ctx, model, &groups[place], place);
        }
    }
    iso_world* world = make_world(ctx, model, desc);
    iso_model_destroy(model);
    for (int place = 0; place < GROUPS; ++place) {
        if (mask >> place & 1 && groups[place].kind == CARRIED) {
            char name[16];
            name_body(name, place, 0);
            int body = iso_world_find_body(world, name);
            iso_pose x_wb = iso_world_body_pose(world, body);
            iso_spatial v_wb =
                iso_spatial_make(iso_vec3_make(0.0, 0.5, 0.3), iso_vec3_make(0.1, 0.0, 0.2));
            CHECK_OK(ctx, iso_world_set_prescribed(world, body, &x_wb, v_wb));
        }
    }
    return world;
}

static void check_same_group(const iso_world* a, const iso_world* b, int place, const char* what) {
    for (int i = 0; i < BODIES; ++i) {
        char name[16];
        name_body(name, place, i);
        int in_a = iso_world_find_body(a, name), in_b = iso_world_find_body(b, name);
        iso_pose x_a = iso_world_body_pose(a, in_a), x_b = iso_world_body_pose(b, in_b);
        iso_spatial v_a = iso_world_body_twist(a, in_a), v_b = iso_world_body_twist(b, in_b);
        CHECK(memcmp(&x_a, &x_b, sizeof x_a) == 0 && memcmp(&v_a, &v_b, sizeof v_a) == 0,
              "%s: body '%s' is off by %g m, %g m/s", what, name,
              iso_vec3_norm(iso_vec3_sub(x_a.p, x_b.p)),
              iso_vec3_norm(iso_vec3_sub(v_a.translational, v_b.translational)));
    }
}

static void draw_groups(test_random* random, group groups[GROUPS]) {
    for (int i = 0; i < GROUPS; ++i) {
        groups[i].seed = test_random_bits(random);
        groups[i].kind = (group_kind)test_random_int(random, 0, KINDS - 1);
        groups[i].log_modulus = test_random_uniform(random, 5.0, 9.0);
    }
}

// Each group as in its own world, in one of drawn others, in other orders and with threads.
static void drawn_groups_move_as_each_alone(void** state) {
    (void)state;
    static const iso_method methods[] = {ISO_METHOD_MIDPOINT, ISO_METHOD_LAGGED};
    for (uint64_t seed = 0; seed < 2 * TEST_ROUNDS(SEEDS, 1); ++seed) {
        iso_context* ctx = test_context();
        test_random random = test_random_make(seed / 2);
        group groups[GROUPS];
        draw_groups(&random, groups);
        iso_world_desc desc = iso_world_desc_default();
        desc.method = methods[seed % 2];
        desc.time_step = 2e-3;
        desc.contact.friction = test_random_int(&random, 0, 1) ? ISO_FRICTION_MODEL_STICK
                                                               : ISO_FRICTION_MODEL_REGULARIZED;
        int all = (1 << GROUPS) - 1, some = test_random_int(&random, 1, all);
        iso_world* worlds[GROUPS + 2];
        int masks[GROUPS + 2] = {all, some};
        iso_world_desc shared = desc;
        shared.thread_count = 3;
        worlds[0] = make_drawn(ctx, groups, all, true, &shared);
        worlds[1] = make_drawn(ctx, groups, some, false, &desc);
        for (int i = 0; i < GROUPS; ++i) {
            masks[2 + i] = 1 << i;
            worlds[2 + i] = make_drawn(ctx, groups, 1 << i, false, &desc);
        }
        for (int w = 0; w < GROUPS + 2; ++w) {
            step_many(ctx, worlds[w], TEST_ROUNDS(DRAWN_STEPS, 40));
        }
        for (int i = 0; i < GROUPS; ++i) {
            check_same_group(worlds[0], worlds[2 + i], i, "all");
            if (masks[1] >> i & 1) {
                check_same_group(worlds[1], worlds[2 + i], i, "some");
            }
        }
        for (int w = 0; w < GROUPS + 2; ++w) {
            iso_world_destroy(worlds[w]);
        }
        test_context_destroy(ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(piles_in_one_world_have_the_bits_of_each_alone),
        cmocka_unit_test(slow_steps_say_why),
        cmocka_unit_test(drawn_groups_move_as_each_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
