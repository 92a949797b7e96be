// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// A stiff block between two floors, whose contacts are softened for the sake of the step.

#include "stepper/rig.h"
#include "support/kept_warning.h"
#include "support/random.h"

#include <math.h>

static const iso_method velocity_methods[] = {ISO_METHOD_LAGGED, ISO_METHOD_SAP, ISO_METHOD_SIMILAR,
                                              ISO_METHOD_TAMSI};
static const char word[] = "is pressed between bodies that do not give way";

typedef struct press {
    iso_method method;
    double modulus, mass, time_step, squeeze;
    bool is_open; // the block lies on the lower floor, under its weight
} press;

// The force on the upper floor, or the lower one.
static double find_force(const press* p, kept_warning* kept) {
    rig* r = rig_make();
    test_context_destroy(r->ctx);
    r->ctx = warned_context_of(kept, word);
    r->settings.method = p->method;
    r->settings.time_step = p->time_step;
    r->settings.gravity = iso_vec3_make(0.0, 0.0, p->is_open ? -9.81 : 0.0);
    int block = rig_add_free(r, "block", p->mass);
    iso_contact_material soft = rig_material(p->modulus, 1.0, 0.3);
    iso_contact_material rigid = rig_material(0.0, 0.0, 0.3);
    const iso_vec3 size = {0.1, 0.1, 0.1};
    rig_add_shape(r, block, ISO_SHAPE_BOX, size, &soft, iso_pose_identity());
    for (int side = p->is_open ? 1 : 0; side < 2; ++side) {
        double sign = side == 0 ? 1.0 : -1.0;
        iso_pose pose = {iso_mat3_from_rpy(side == 0 ? ISO_PI : 0.0, 0.0, 0.0),
                         iso_vec3_make(0.0, 0.0, sign * (0.05 - p->squeeze))};
        rig_add_shape(r, 0, ISO_SHAPE_HALF_SPACE, size, &rigid, pose);
    }
    rig_finish(r);
    rig_set_free(r, block, iso_pose_identity(), iso_spatial_zero());
    rig_step(r, p->is_open ? 50 : 4);
    const iso_contact_result* contacts = &r->output.contacts;
    double force =
        contacts->set.pair_count > 0 ? iso_vec3_norm(contacts->f_b_w[0].translational) : 0.0;
    rig_clear(r);
    iso_context_destroy(r->ctx);
    free(r);
    return force;
}

static press draw_press(test_random* random) {
    return (press){.method = velocity_methods[(int)test_random_uniform(random, 0.0, 3.999)],
                   .modulus = pow(10.0, test_random_uniform(random, 6.0, 12.0)),
                   .mass = pow(10.0, test_random_uniform(random, -2.0, 1.0)),
                   .time_step = pow(10.0, test_random_uniform(random, -4.0, -2.0)),
                   .squeeze = pow(10.0, test_random_uniform(random, -6.0, -3.0))};
}

/// What is told is the share of the force that the press bears; the step that is named bears all.
static void a_press_that_bears_less_says_so_once(void** state) {
    (void)state;
    test_random random = test_random_make(26);
    int soft = 0, stiff = 0;
    for (int i = 0; i < 120; ++i) {
        press p = draw_press(&random), whole = p;
        kept_warning kept;
        whole.modulus = 1e4; // the pressure is proportional to it
        double share = find_force(&p, &kept) * 1e4 / p.modulus;
        int count = kept.count;
        const char* text = strstr(kept.text, "bears ");
        double told = 0.0, step = 0.0;
        if (text) {
            int found =
                sscanf(text, "bears %lf %% of its force; steps of at most %lf", &told, &step);
            assert_int_equal(found, 2);
        }
        share /= find_force(&whole, &kept);
        assert_int_equal(kept.count, 0);
        if (share > 0.89 && share < 0.91) {
            continue;
        }
        CHECK(count == (share < 0.9), "%d warnings where %g of the force is borne", count, share);
        if (count == 0) {
            ++stiff;
            continue;
        }
        ++soft;
        CHECK_REL(0.01 * told, share, 6e-3);
        p.time_step = step;
        double better = find_force(&p, &kept) * 1e4 / p.modulus;
        CHECK(better > 0.9 * find_force(&whole, &kept), "%g N with a step of %g s", better, step);
    }
    CHECK(soft > 20 && stiff > 20, "%d soft, %d stiff", soft, stiff);
}

/// The force of what lies on a floor is its weight, however soft the contact is.
static void what_lies_on_a_floor_says_nothing(void** state) {
    (void)state;
    test_random random = test_random_make(27);
    for (int i = 0; i < 40; ++i) {
        press p = draw_press(&random);
        p.is_open = true;
        p.squeeze = 0.0;
        kept_warning kept;
        find_force(&p, &kept);
        assert_int_equal(kept.count, 0);
    }
}

// What leads the jaws: a drive each, two for each whose sum is bounded, one for both where one jaw
// follows the other, one along a tendon of both or the spring of that, dampers alone.
typedef enum hold {
    HELD_BY_DRIVES,
    HELD_BY_SUMS,
    HELD_BY_ONE,
    HELD_BY_TENDON,
    HELD_BY_SPRING,
    HELD_BY_DAMPERS,
    HOLD_COUNT
} hold;

// The same block between two jaws, each on a slider that is led `squeeze` too far.
typedef struct grip {
    press p;
    hold hold;
    bool is_drakes, is_at_limit; // the drives pull with less than their gains ask for
    double stiffness, jaw_mass;  // of a drive [N/m], of a jaw [kg]
} grip;

// One drive of a jaw or, with a tendon, of both.
static void add_drive(rig* r, const grip* g, int jaw, double stiffness, double position) {
    double most = g->is_at_limit ? 1e-4 * g->stiffness * g->p.squeeze : INFINITY;
    bool is_damper = g->hold == HELD_BY_DAMPERS;
    double kd = is_damper ? stiffness * g->p.time_step : 0.0;
    r->actuators[r->actuator_count] = (iso_actuator){.body = jaw,
                                                     .tendon = jaw < 0 ? 0 : -1,
                                                     .next = -1,
                                                     .effort_lower = -most,
                                                     .effort_upper = most,
                                                     .kp = is_damper ? 0.0 : stiffness,
                                                     .kd = kd};
    r->actuations[r->actuator_count++] = (iso_actuation){
        .position = position, .velocity = is_damper ? position / g->p.time_step : 0.0};
}

static void add_sum(rig* r, const grip* g, int jaw, double position) {
    int first = r->actuator_count;
    double most = g->is_at_limit ? 1e-4 * g->stiffness * g->p.squeeze : 1e3 * g->stiffness;
    grip half = *g;
    half.is_at_limit = false;
    for (int i = 0; i < 2; ++i) {
        add_drive(r, &half, jaw, 0.5 * g->stiffness, position);
        r->actuators[first + i].is_summed = true;
        r->actuators[first + i].sum_lower = -most;
        r->actuators[first + i].sum_upper = most;
    }
    r->actuators[first].next = first + 1;
    r->actuators[first + 1].is_next = true;
}

static void lead_jaws(rig* r, const grip* g, const int jaws[2]) {
    static const double weights[2] = {1.0, -1.0};
    const double squeeze = g->p.squeeze;
    if (g->hold == HELD_BY_ONE) {
        r->couplers[r->coupler_count++] =
            (iso_coupler){.body_a = jaws[0], .body_b = jaws[1], .ratio = -1.0};
        add_drive(r, g, jaws[0], g->stiffness, -squeeze);
    } else if (g->hold == HELD_BY_TENDON || g->hold == HELD_BY_SPRING) {
        r->bodies[jaws[1]].joined = jaws[0];
        bool is_spring = g->hold == HELD_BY_SPRING;
        r->tendons[r->tendon_count++] =
            (iso_fixed_tendon){.count = 2,
                               .bodies = jaws,
                               .weights = weights,
                               .stiffness = is_spring ? g->stiffness : 0.0,
                               .reference = -2.0 * squeeze,
                               .lower = -INFINITY,
                               .upper = INFINITY};
        if (!is_spring) {
            add_drive(r, g, -1, g->stiffness, -2.0 * squeeze);
        }
    } else {
        for (int side = 0; side < 2; ++side) {
            double position = side == 0 ? -squeeze : squeeze;
            if (g->hold == HELD_BY_SUMS) {
                add_sum(r, g, jaws[side], position);
            } else {
                add_drive(r, g, jaws[side], g->stiffness, position);
            }
        }
    }
}

// The force when all are at rest.
static double whole_grip(const grip* g) {
    double ways[] = {[HELD_BY_DRIVES] = 1.0, [HELD_BY_SUMS] = 1.0,   [HELD_BY_ONE] = 2.0,
                     [HELD_BY_TENDON] = 0.5, [HELD_BY_SPRING] = 0.5, [HELD_BY_DAMPERS] = 1.0};
    if (g->is_at_limit) {
        return 1e-4 * g->stiffness * g->p.squeeze * (g->hold == HELD_BY_ONE ? 0.5 : 1.0);
    }
    return g->p.squeeze / (ways[g->hold] / g->stiffness + 5.0 / g->p.modulus);
}

static double find_grip(const grip* g, double time_step, kept_warning* kept) {
    rig* r = rig_make();
    test_context_destroy(r->ctx);
    r->ctx = warned_context_of(kept, word);
    r->settings.method = g->p.method;
    r->settings.time_step = time_step;
    r->settings.gravity = iso_vec3_zero();
    r->settings.contact.regularization =
        g->is_drakes ? ISO_REGULARIZATION_DRAKE : ISO_REGULARIZATION_PATCH;
    int block = rig_add_free(r, "block", g->p.mass);
    iso_contact_material soft = rig_material(g->p.modulus, 1.0, 0.3);
    iso_contact_material rigid = rig_material(0.0, 0.0, 0.3);
    rig_add_shape(r, block, ISO_SHAPE_BOX, iso_vec3_make(0.1, 0.1, 0.1), &soft,
                  iso_pose_identity());
    int jaws[2];
    for (int side = 0; side < 2; ++side) {
        double sign = side == 0 ? 1.0 : -1.0;
        iso_pose pose = {iso_mat3_identity(), iso_vec3_make(0.0, 0.0, 0.15 * sign)};
        jaws[side] = rig_add_body(r, side == 0 ? "upper" : "lower", 0, ISO_MOBILITY_PRISMATIC,
                                  iso_vec3_make(0.0, 0.0, 1.0), g->jaw_mass, g->jaw_mass);
        rig_add_shape(r, jaws[side], ISO_SHAPE_BOX, iso_vec3_make(0.3, 0.3, 0.2), &rigid, pose);
    }
    lead_jaws(r, g, jaws);
    rig_finish(r);
    rig_set_free(r, block, iso_pose_identity(), iso_spatial_zero());
    rig_step(r, 100);
    double force = 0.0;
    if (r->output.contacts.set.pair_count > 0) {
        force = iso_vec3_norm(r->output.contacts.f_b_w[0].translational);
    }
    rig_clear(r);
    iso_context_destroy(r->ctx);
    free(r);
    return force;
}

static grip draw_grip(test_random* random) {
    grip g = {.p = draw_press(random)};
    double stiffness = 0.2 * g.p.modulus; // of a side of the block [N/m]
    g.is_drakes = test_random_uniform(random, 0.0, 1.0) < 0.5;
    g.hold = (hold)test_random_uniform(random, 0.0, HOLD_COUNT - 1e-9);
    g.is_at_limit = test_random_uniform(random, 0.0, 1.0) < 0.2 && g.hold != HELD_BY_SPRING;
    g.stiffness = stiffness * pow(10.0, test_random_uniform(random, -3.0, 1.0));
    g.jaw_mass = g.p.mass * pow(10.0, test_random_uniform(random, -1.0, 1.0));
    // The step over the period of the block on its side, so that what is driven comes to rest.
    double periods = pow(10.0, test_random_uniform(random, 1.0, 4.0));
    g.p.time_step = periods * sqrt(g.p.mass / stiffness);
    if (g.hold == HELD_BY_SUMS || g.hold == HELD_BY_ONE) { // else a step softens them, too
        double most = g.hold == HELD_BY_SUMS ? 1e3 : 2e4;
        g.stiffness = fmin(g.stiffness, most * g.jaw_mass / (g.p.time_step * g.p.time_step));
    }
    return g;
}

/// Jaws give way as the gains of what leads them say; drives at their limits bear what they pull.
static void a_grip_that_bears_less_says_so(void** state) {
    (void)state;
    test_random random = test_random_make(28);
    int soft = 0, stiff = 0, said[HOLD_COUNT] = {0};
    for (int i = 0; i < TEST_ROUNDS(300, 40); ++i) {
        grip g = draw_grip(&random);
        kept_warning kept;
        double force = find_grip(&g, g.p.time_step, &kept), told = 0.0, step = 0.0;
        int count = kept.count;
        const char* text = strstr(kept.text, "bears ");
        if (count > 0) {
            assert_int_equal(
                sscanf(text, "bears %lf %% of its force; steps of at most %lf", &told, &step), 2);
        }
        if (g.hold == HELD_BY_DAMPERS) {
            CHECK(count == 0, "%d: dampers bear what they bear", i); // whatever gives way
            continue;
        }
        double whole = whole_grip(&g), share = force / whole;
        if ((share > 0.88 && share < 0.92) || (g.is_at_limit && share < 0.9)) {
            continue; // in doubt, or still on the way to its limit
        }
        CHECK(count == (share < 0.9), "%d: %d warnings where %g is borne, led by %d", i, count,
              share, (int)g.hold);
        said[g.hold] += count;
        ++*(count > 0 ? &soft : &stiff);
        if (count > 0) {
            // It is told while jaws that follow still move. Measured 0.34; else 0.0075.
            bool is_rough = g.is_drakes || g.hold >= HELD_BY_ONE;
            CHECK_REL(0.01 * told, share, is_rough ? 0.4 : 0.01);
            double better = find_grip(&g, step, &kept) / whole;
            // Drake's steps are so much shorter that drives may still be on their way.
            CHECK(g.is_drakes ? kept.count == 0 : better > 0.9, "%d: %g with a step of %g s", i,
                  better, step);
        }
    }
    CHECK(soft > TEST_ROUNDS(40, 3) && stiff > TEST_ROUNDS(40, 3), "%d soft, %d stiff", soft,
          stiff);
    for (hold kind = HELD_BY_DRIVES; kind < HELD_BY_DAMPERS; ++kind) {
        CHECK(said[kind] >= TEST_ROUNDS(2, 0), "led by %d: %d said", (int)kind, said[kind]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_press_that_bears_less_says_so_once),
        cmocka_unit_test(what_lies_on_a_floor_says_nothing),
        cmocka_unit_test(a_grip_that_bears_less_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
