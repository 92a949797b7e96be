// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Weighted sums of joints, with springs, dampers and actuators along them.

#include "world/sliders.h"

#include <stdlib.h>

/// l'' = -k m^-1 (l - l0) with m^-1 = sum of w_i^2 / m_i, for sliders of trees of their own.
static void a_spring_along_a_sum_has_its_frequency(void** state) {
    (void)state;
    static const struct {
        iso_method method;
        double time_step, tolerance;
    } cases[] = {{ISO_METHOD_LAGGED, 1e-4, 5e-3}, // implicit, of first order
                 {ISO_METHOD_RK4, 1e-3, 1e-9},
                 {ISO_METHOD_RK45, 1e-2, 1e-8}};
    const double frequency = 7.5;
    iso_context* ctx = test_context();
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; ++i) {
        int joints[SLIDERS], count = i % 2 == 0 ? 2 : SLIDERS;
        double mobility = 0.0;
        for (int j = 0; j < count; ++j) {
            mobility += k_slider_weights[j] * k_slider_weights[j] / k_slider_masses[j];
        }
        iso_model* model = make_model(ctx);
        add_sliders(ctx, model, false, joints);
        add_tendon(ctx, model, joints, count, frequency * frequency / mobility, 0.0);
        iso_world* world = make_still(ctx, model, cases[i / 2].method, cases[i / 2].time_step);
        assert_int_equal(iso_world_fixed_tendon_count(world), 1);
        double start = iso_world_fixed_tendon(world, 0).length - 0.3, worst = 0.0;
        double energy = stored_energy(world);
        int steps = (int)lround(0.5 / cases[i / 2].time_step);
        for (int s = 1; s <= steps; ++s) {
            CHECK_OK(ctx, iso_world_step(world));
            double expected = 0.3 + start * cos(frequency * cases[i / 2].time_step * s);
            worst = fmax(worst, fabs(iso_world_fixed_tendon(world, 0).length - expected));
        }
        print_message("method %d, %d trees: length off by %.1e of %g, energy by %.1e\n",
                      (int)cases[i / 2].method, count, worst, start,
                      stored_energy(world) / energy - 1.0);
        assert_true(worst < cases[i / 2].tolerance * fabs(start));
        iso_world_destroy(world);
        iso_model_destroy(model);
    }
    test_context_destroy(ctx);
}

/// Every joint feels its weight times the effort: impulses stand as the weights do, whether the
/// law is part of the free motion or a potential, in one tree or three.
static void joints_feel_their_weights(void** state) {
    (void)state;
    static const iso_method methods[] = {METHODS_OF_EVERY_KIND};
    static const double limits[] = {INFINITY, 5.0};
    iso_context* ctx = test_context();
    for (size_t i = 0; i < sizeof methods / sizeof *methods; ++i) {
        for (int k = 0; k < 4; ++k) {
            int joints[SLIDERS];
            bool is_one_tree = k / 2 == 1;
            iso_model* model = make_model(ctx);
            add_sliders(ctx, model, is_one_tree, joints);
            int tendon = add_tendon(ctx, model, joints, SLIDERS, 3.0, 0.2);
            add_actuator(ctx, model, tendon, 100.0, 2.0, limits[k % 2]);
            iso_world* world = make_still(ctx, model, methods[i], 1e-3);
            iso_actuation actuation = {.position = 1.0};
            CHECK_OK(ctx, iso_world_set_actuation(world, 0, &actuation));
            CHECK_OK(ctx, iso_world_step(world));
            iso_fixed_tendon_state sum = iso_world_fixed_tendon(world, 0);
            double momenta[SLIDERS] = {0.0}, carried = 0.0;
            for (int j = SLIDERS - 1; j >= 0; --j) {
                // A slider carries those on it.
                double v = 0.0;
                for (int b = is_one_tree ? 0 : j; b <= j; ++b) {
                    v += iso_world_joint_velocity(world, b);
                }
                carried = (is_one_tree ? carried : 0.0) + k_slider_masses[j] * v;
                momenta[j] = carried;
            }
            double along = momenta[0] / k_slider_weights[0];
            for (int j = 1; j < SLIDERS; ++j) {
                double residual = fabs(momenta[j] / k_slider_weights[j] / along - 1.0);
                if (residual > 1e-9) { // measured 1e-10 at most
                    fail_msg("method %d, limit %g, %d trees: momentum %d off by %.1e",
                             (int)methods[i], limits[k % 2], is_one_tree ? 1 : 3, j, residual);
                }
            }
            double effort = sum.actuator_effort;
            assert_true(fabs(effort) <= limits[k % 2]);
            double wanted = 1e-3 * (effort + sum.passive_effort);
            print_message("method %d: impulse %g, efforts' %g\n", (int)methods[i], along, wanted);
            // At the velocity level efforts are those at the end; else they change meanwhile.
            bool is_implicit = methods[i] != ISO_METHOD_RK23 && methods[i] != ISO_METHOD_RK45;
            assert_true(fabs(along / wanted - 1.0) < (is_implicit ? 1e-9 : 2e-2));
            double felt = iso_world_joint_effort(world, 1);
            assert_true(felt == k_slider_weights[1] * effort);
            iso_world_destroy(world);
            iso_model_destroy(model);
        }
    }
    test_context_destroy(ctx);
}

/// Gains beyond what a step resolves bring the sum to its target and keep it there.
static void absurd_gains_stay_stable(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    for (int k = 0; k < 4; ++k) {
        int joints[SLIDERS];
        iso_model* model = make_model(ctx);
        add_sliders(ctx, model, k / 2 == 1, joints);
        int tendon = add_tendon(ctx, model, joints, SLIDERS, 0.0, 0.0);
        add_actuator(ctx, model, tendon, 1e12, 1e6, k % 2 == 1 ? 100.0 : INFINITY);
        iso_world* world = make_still(ctx, model, ISO_METHOD_LAGGED, 1e-2);
        iso_actuation actuation = {.position = 0.7};
        CHECK_OK(ctx, iso_world_set_actuation(world, 0, &actuation));
        for (int s = 0; s < 300; ++s) {
            CHECK_OK(ctx, iso_world_step(world));
        }
        double error = iso_world_fixed_tendon(world, 0).length - 0.7;
        print_message("case %d: length off by %.1e\n", k, error);
        assert_true(fabs(error) < 1e-5);
        iso_world_destroy(world);
        iso_model_destroy(model);
    }
    test_context_destroy(ctx);
}

/// What the damper takes is booked; with it the ledger closes to the step's order.
static void the_ledger_of_energies_closes(void** state) {
    (void)state;
    static const struct {
        iso_method method;
        double tolerance;
    } cases[] = {{ISO_METHOD_LAGGED, 2e-2}, {ISO_METHOD_RK4, 1e-8}};
    iso_context* ctx = test_context();
    for (int i = 0; i < 2; ++i) {
        int joints[SLIDERS];
        iso_model* model = make_model(ctx);
        add_sliders(ctx, model, true, joints);
        int tendon = add_tendon(ctx, model, joints, SLIDERS, 20.0, 0.5);
        add_actuator(ctx, model, tendon, 5.0, 0.1, INFINITY);
        iso_world* world = make_still(ctx, model, cases[i].method, 1e-4);
        iso_actuation actuation = {.position = 1.0, .feed_forward = 0.3};
        CHECK_OK(ctx, iso_world_set_actuation(world, 0, &actuation));
        double start = stored_energy(world);
        for (int s = 0; s < 5000; ++s) {
            CHECK_OK(ctx, iso_world_step(world));
        }
        iso_energy e = iso_world_energy(world);
        double open = stored_energy(world) - start - e.actuation + e.damping;
        print_message("method %d: ledger open by %.1e of %g J\n", (int)cases[i].method, open,
                      e.damping);
        assert_true(e.damping > 0.0 && fabs(open) < cases[i].tolerance * e.damping);
        iso_world_destroy(world);
        iso_model_destroy(model);
    }
    test_context_destroy(ctx);
}

/// A slider with everything in its joint, or in a tendon l = 2 q over it.
static iso_world* make_slider(iso_context* ctx, iso_model* model, bool has_tendon,
                              iso_method method) {
    iso_body_desc body = iso_body_desc_default();
    int index = -1, at = -1;
    body.name = "a";
    body.mass = 0.7;
    CHECK_OK(ctx, iso_model_add_body(model, &body, &index));
    iso_joint_desc joint = joint_between("a", ISO_JOINT_PRISMATIC, 0, index);
    joint.axis = iso_vec3_make(1.0, 0.0, 0.0);
    joint.velocity = 2.0;
    iso_fixed_tendon_desc tendon = iso_fixed_tendon_desc_default();
    const int joints[] = {0};
    const double weight[] = {2.0};
    tendon.name = "twice";
    tendon.joints = joints;
    tendon.weights = weight;
    tendon.joint_count = 1;
    if (has_tendon) {
        tendon.stiffness = 10.0;
        tendon.damping = 0.05;
        tendon.spring_reference = 0.2;
        tendon.friction = 0.4;
        tendon.lower = -0.3;
        tendon.upper = 0.6;
    } else {
        joint.stiffness = 40.0;
        joint.damping = 0.2;
        joint.spring_reference = 0.1;
        joint.friction = 0.8;
        joint.lower = -0.15;
        joint.upper = 0.3;
    }
    CHECK_OK(ctx, iso_model_add_joint(model, &joint, NULL));
    CHECK_OK(ctx, iso_model_add_fixed_tendon(model, &tendon, &at));
    return make_still(ctx, model, method, 1e-3);
}

static void a_sum_of_one_joint_has_the_laws_of_joints(void** state) {
    (void)state;
    static const iso_method methods[] = {METHODS_OF_EVERY_KIND};
    iso_context* ctx = test_context();
    for (size_t i = 0; i < sizeof methods / sizeof *methods; ++i) {
        iso_model* models[2] = {make_model(ctx), make_model(ctx)};
        iso_world* worlds[2];
        double worst = 0.0, farthest = 0.0;
        for (int k = 0; k < 2; ++k) {
            worlds[k] = make_slider(ctx, models[k], k == 1, methods[i]);
        }
        for (int s = 0; s < 600; ++s) {
            CHECK_OK(ctx, iso_world_step(worlds[0]));
            CHECK_OK(ctx, iso_world_step(worlds[1]));
            double q = iso_world_joint_position(worlds[0], 0);
            worst = fmax(worst, fabs(iso_world_joint_position(worlds[1], 0) - q));
            farthest = fmax(farthest, q);
        }
        iso_energy joint = iso_world_energy(worlds[0]), sum = iso_world_energy(worlds[1]);
        double energy = fmax(fabs(joint.damping - sum.damping), fabs(joint.limit - sum.limit));
        energy = fmax(energy, fabs(joint.spring - sum.spring));
        print_message("method %d: position off by %.1e, energies by %.1e, limit took %.1e J\n",
                      (int)methods[i], worst, energy, joint.limit);
        assert_true(farthest > 0.29 && fabs(joint.limit) > 1e-3); // it ran into the limit
        assert_true(worst < 1e-9 && energy < 1e-9);
        for (int k = 0; k < 2; ++k) {
            iso_world_destroy(worlds[k]);
            iso_model_destroy(models[k]);
        }
    }
    test_context_destroy(ctx);
}

/// A rotor of J that l turns adds J w w^T to the mass matrix, J l'^2 / 2 to the energy, and slows
/// the spring: l'' = -k l / (m + J) with 1 / m = sum of w_i^2 / m_i.
static void rotors_are_turned_by_sums(void** state) {
    (void)state;
    static const iso_method methods[] = {ISO_METHOD_RK4, ISO_METHOD_RK45, ISO_METHOD_LAGGED};
    const double rotor = 0.7, stiffness = 3.0;
    iso_context* ctx = test_context();
    for (size_t i = 0; i < sizeof methods / sizeof *methods; ++i) {
        int joints[SLIDERS];
        double m[SLIDERS * SLIDERS], with[SLIDERS * SLIDERS], mobility = 0.0, worst = 0.0;
        iso_model* model = make_model(ctx);
        add_sliders(ctx, model, false, joints);
        int tendon = add_tendon(ctx, model, joints, SLIDERS, stiffness, 0.0);
        iso_world* plain = make_still(ctx, model, methods[i], 1e-3);
        iso_model_fixed_tendon(model, tendon)->rotor_inertia = rotor;
        iso_world* world = make_still(ctx, model, methods[i], 1e-3);
        CHECK_OK(ctx, iso_world_mass_matrix(plain, m));
        CHECK_OK(ctx, iso_world_mass_matrix(world, with));
        for (int k = 0; k < SLIDERS * SLIDERS; ++k) {
            double added = rotor * k_slider_weights[k / SLIDERS] * k_slider_weights[k % SLIDERS];
            worst = fmax(worst, fabs(with[k] - m[k] - added));
        }
        assert_true(worst < 1e-14);
        for (int k = 0; k < SLIDERS; ++k) {
            mobility += k_slider_weights[k] * k_slider_weights[k] / k_slider_masses[k];
        }
        double frequency = sqrt(stiffness / (1.0 / mobility + rotor));
        double start = iso_world_fixed_tendon(world, 0).length - 0.3, off = 0.0;
        double energy = stored_energy(world);
        for (int s = 1; s <= 1000; ++s) {
            CHECK_OK(ctx, iso_world_step(world));
            double expected = 0.3 + start * cos(frequency * 1e-3 * s);
            off = fmax(off, fabs(iso_world_fixed_tendon(world, 0).length - expected));
        }
        double lost = fabs(stored_energy(world) / energy - 1.0);
        print_message("method %d: length off by %.1e, energy by %.1e\n", (int)methods[i], off,
                      lost);
        double tolerance =
            methods[i] == ISO_METHOD_LAGGED ? 5e-3 : 1e-9; // implicit, of first order
        assert_true(off < tolerance && lost < tolerance);
        iso_world_destroy(plain);
        iso_world_destroy(world);
        iso_model_destroy(model);
    }
    test_context_destroy(ctx);
}

/// A sum that is held once it is switched on, by methods of every kind; states and clones carry
/// that, and a wide gap is refused.
static void limits_are_switched_on_and_off(void** state) {
    (void)state;
    static const iso_method methods[] = {METHODS_OF_EVERY_KIND};
    iso_context* ctx = test_context();
    for (size_t i = 0; i < sizeof methods / sizeof *methods; ++i) {
        int joints[SLIDERS];
        size_t size = 0;
        iso_model* model = make_model(ctx);
        add_sliders(ctx, model, false, joints);
        iso_fixed_tendon_desc* sum =
            iso_model_fixed_tendon(model, add_tendon(ctx, model, joints, SLIDERS, 0.0, 0.0));
        sum->lower = sum->upper = 0.6;
        sum->is_off = true;
        iso_model_joint(model, joints[0])->velocity = 1.0;
        iso_world *world = make_still(ctx, model, methods[i], 1e-3), *clone = NULL;
        iso_world* other = make_still(ctx, model, methods[i], 1e-3);
        double start = iso_world_fixed_tendon(world, 0).length; // 0.6
        assert_false(iso_world_fixed_tendon(world, 0).is_on);
        for (int s = 0; s < 5; ++s) {
            CHECK_OK(ctx, iso_world_step(world));
        }
        CHECK_NEAR(iso_world_fixed_tendon(world, 0).length, start + 0.005, 1e-12);
        CHECK_OK(ctx, iso_world_switch_fixed_tendon(world, 0, true));
        CHECK_OK(ctx, iso_world_clone(world, &clone));
        void* bytes = malloc(iso_world_state_size(world));
        CHECK_OK(ctx, iso_world_save(world, bytes, iso_world_state_size(world), &size));
        CHECK_OK(ctx, iso_world_restore(other, bytes, size));
        free(bytes);
        assert_true(iso_world_fixed_tendon(other, 0).is_on &&
                    iso_world_fixed_tendon(clone, 0).is_on);
        for (int s = 0; s < 100; ++s) {
            CHECK_OK(ctx, iso_world_step(world));
            CHECK_OK(ctx, iso_world_step(clone));
            CHECK_OK(ctx, iso_world_step(other));
        }
        CHECK_NEAR(iso_world_fixed_tendon(world, 0).length, 0.6, 1e-6);
        assert_true(iso_world_state_hash(world) == iso_world_state_hash(other));
        assert_true(iso_world_state_hash(world) == iso_world_state_hash(clone));
        CHECK_OK(ctx, iso_world_switch_fixed_tendon(world, 0, false));
        double q[SLIDERS] = {1.0, 0.0, 0.0}, v[SLIDERS] = {0.0};
        CHECK_OK(ctx, iso_world_set_state(world, q, v));
        CHECK_STATUS(ctx, iso_world_switch_fixed_tendon(world, 0, true), ISO_ERR_RANGE);
        CHECK_ERROR(ctx, "fixed tendon 'sum': its length is 0.4 beyond its limits");
        CHECK_STATUS(ctx, iso_world_switch_fixed_tendon(world, 1, true), ISO_ERR_RANGE);
        CHECK_OK(ctx, iso_world_step(world));
        CHECK_NEAR(iso_world_fixed_tendon(world, 0).length, 1.0, 1e-12);
        iso_world_destroy(clone);
        iso_world_destroy(other);
        iso_world_destroy(world);
        iso_model_destroy(model);
    }
    test_context_destroy(ctx);
}

/// Motors pull two sums with limits, over three trees and one, as far as they go and no farther.
static void limits_of_sums_hold(void** state) {
    (void)state;
    static const iso_method methods[] = {METHODS_OF_EVERY_KIND};
    iso_context* ctx = test_context();
    for (size_t i = 0; i < sizeof methods / sizeof *methods; ++i) {
        for (int k = 0; k < 4; ++k) {
            int joints[SLIDERS];
            iso_model* model = make_model(ctx);
            add_sliders(ctx, model, k / 2 == 1, joints);
            int tendon = add_tendon(ctx, model, joints, k / 2 == 1 ? 2 : SLIDERS, 0.0, 0.0);
            iso_model_fixed_tendon(model, tendon)->lower = -0.2;
            iso_model_fixed_tendon(model, tendon)->upper = 0.5;
            add_actuator(ctx, model, tendon, 0.0, 1.0, INFINITY);
            iso_world* world = make_still(ctx, model, methods[i], 1e-3);
            double side = k % 2 == 0 ? 1.0 : -1.0;
            double effort = k / 2 == 1 ? 20.0 : 2.5; // mobilities stand as 1 to 8, about
            iso_actuation actuation = {.feed_forward = effort * side};
            CHECK_OK(ctx, iso_world_set_actuation(world, 0, &actuation));
            for (int s = 0; s < 1500; ++s) {
                CHECK_OK(ctx, iso_world_step(world));
            }
            double length = iso_world_fixed_tendon(world, 0).length;
            double error = side > 0.0 ? length - 0.5 : -0.2 - length;
            bool is_implicit = methods[i] != ISO_METHOD_RK23 && methods[i] != ISO_METHOD_RK45;
            if (fabs(error) > (is_implicit ? 1e-6 : 2e-4)) {
                fail_msg("method %d, case %d: %.1e beyond the limit", (int)methods[i], k, error);
            }
            double held = iso_world_fixed_tendon(world, 0).limit_effort / (-effort * side);
            print_message("method %d: the limit holds %.1e of the effort too much\n",
                          (int)methods[i], held - 1.0);
            assert_true(fabs(held - 1.0) < 1e-9);
            iso_world_destroy(world);
            iso_model_destroy(model);
        }
    }
    test_context_destroy(ctx);
}

/// What is pushed up against its upper limit does the opposite, bit for bit, of what is pushed down
/// against the lower one.
static void lower_limits_mirror_upper_ones(void** state) {
    (void)state;
    static const iso_method methods[] = {METHODS_OF_EVERY_KIND};
    iso_context* ctx = test_context();
    for (size_t i = 0; i < sizeof methods / sizeof *methods; ++i) {
        iso_world* worlds[2];
        for (int k = 0; k < 2; ++k) {
            double side = k == 0 ? 1.0 : -1.0;
            int joints[SLIDERS];
            iso_model* model = make_model(ctx);
            add_sliders(ctx, model, false, joints);
            for (int j = 0; j < SLIDERS; ++j) {
                iso_model_joint(model, joints[j])->position *= side;
            }
            int tendon = add_tendon(ctx, model, joints, SLIDERS, 0.0, 0.0);
            double* limit = k == 0 ? &iso_model_fixed_tendon(model, tendon)->upper
                                   : &iso_model_fixed_tendon(model, tendon)->lower;
            *limit = 0.7 * side; // the length is 0.6
            add_actuator(ctx, model, tendon, 0.0, 1.0, INFINITY);
            worlds[k] = make_still(ctx, model, methods[i], 1e-3);
            iso_actuation actuation = {.feed_forward = 5.0 * side};
            CHECK_OK(ctx, iso_world_set_actuation(worlds[k], 0, &actuation));
            iso_model_destroy(model);
        }
        double longest = 0.0;
        for (int s = 0; s < 300; ++s) {
            CHECK_OK(ctx, iso_world_step(worlds[0]));
            CHECK_OK(ctx, iso_world_step(worlds[1]));
            iso_fixed_tendon_state up = iso_world_fixed_tendon(worlds[0], 0);
            iso_fixed_tendon_state down = iso_world_fixed_tendon(worlds[1], 0);
            CHECK_BITS(up.length, -down.length);
            CHECK_BITS(up.velocity, -down.velocity);
            longest = fmax(longest, up.length);
        }
        CHECK(longest > 0.699, "longest %g: the limit was not met", longest);
        iso_world_destroy(worlds[0]);
        iso_world_destroy(worlds[1]);
    }
    test_context_destroy(ctx);
}

/// In whatever order its joints are named.
static void a_length_is_the_sum_of_weights_times_positions(void** state) {
    (void)state;
    static const int orders[][SLIDERS] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                          {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    iso_context* ctx = test_context();
    for (int i = 0; i < 12; ++i) {
        int joints[SLIDERS], named[SLIDERS];
        double weights[SLIDERS];
        iso_model* model = make_model(ctx);
        add_sliders(ctx, model, i >= 6, joints);
        for (int j = 0; j < SLIDERS; ++j) {
            named[j] = joints[orders[i % 6][j]];
            weights[j] = k_slider_weights[orders[i % 6][j]];
        }
        iso_fixed_tendon_desc desc = iso_fixed_tendon_desc_default();
        desc.name = "sum";
        desc.joints = named;
        desc.weights = weights;
        desc.joint_count = SLIDERS;
        CHECK_OK(ctx, iso_model_add_fixed_tendon(model, &desc, NULL));
        iso_world* world = make_still(ctx, model, ISO_METHOD_LAGGED, 1e-3);
        static const char* const names[] = {"a", "b", "c"};
        for (int j = 0; j < SLIDERS; ++j) {
            CHECK_OK(ctx, iso_world_set_joint(world, iso_world_find_joint(world, names[j]), 0.3 + j,
                                              0.7 - 2.0 * j));
        }
        iso_fixed_tendon_state state_now = iso_world_fixed_tendon(world, 0);
        CHECK_NEAR(state_now.length, 0.3 - 0.5 * 1.3 + 2.0 * 2.3, 1e-14);   // measured 0
        CHECK_NEAR(state_now.velocity, 0.7 + 0.5 * 1.3 - 2.0 * 3.3, 1e-14); // measured 0
        iso_world_destroy(world);
        iso_model_destroy(model);
    }
    test_context_destroy(ctx);
}

static void bad_tendons_are_refused(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    int joints[SLIDERS], index = -1;
    iso_model* model = make_model(ctx);
    add_sliders(ctx, model, false, joints);
    const int twice[] = {joints[0], joints[0]}, unknown[] = {joints[0], 9};
    const double zero[] = {1.0, 0.0}, nan_weight[] = {1.0, NAN};
    const double huge[] = {1e200, 1.0}, tiny[] = {1.0, -1e-200};
    const struct {
        const int* joints;
        const double* weights;
        double stiffness, lower, upper;
        const char* says;
    } cases[] = {
        {twice, k_slider_weights, 0.0, -1.0, 1.0, "joint 'a' is there twice"},
        {unknown, k_slider_weights, 0.0, -1.0, 1.0, "joint index 9, expected in [0, 3)"},
        {joints, zero, 0.0, -1.0, 1.0, "weight of joint 'b' is 0, expected a size of"},
        {joints, nan_weight, 0.0, -1.0, 1.0, "weight of joint 'b' is nan, expected a size of"},
        {joints, huge, 0.0, -1.0, 1.0, "joint 'a' is 1e+200, expected a size of 1e-09 to 1e+09"},
        {joints, tiny, 0.0, -1.0, 1.0, "weight of joint 'b' is -1e-200, expected a size of"},
        {joints, k_slider_weights, -1.0, -1.0, 1.0, "stiffness -1"},
        {joints, k_slider_weights, 0.0, 1.0, -1.0, "limits 1 to -1, expected lower <= upper"},
        {joints, k_slider_weights, 0.0, INFINITY, INFINITY, "limits inf to inf, expected lower"},
        {joints, k_slider_weights, 0.0, -INFINITY, -INFINITY, "limits -inf to -inf, expected"},
        {joints, k_slider_weights, 0.0, NAN, 1.0, "limits nan to 1, expected lower <= upper"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        iso_fixed_tendon_desc desc = iso_fixed_tendon_desc_default();
        desc.name = "sum";
        desc.joint_count = 2;
        desc.joints = cases[i].joints;
        desc.weights = cases[i].weights;
        desc.stiffness = cases[i].stiffness;
        desc.lower = cases[i].lower;
        desc.upper = cases[i].upper;
        assert_int_not_equal(iso_model_add_fixed_tendon(model, &desc, &index), ISO_OK);
        CHECK_ERROR(ctx, cases[i].says);
    }
    // Of no joint, and with one of its lists missing.
    for (int i = 0; i < 4; ++i) {
        iso_fixed_tendon_desc desc = iso_fixed_tendon_desc_default();
        desc.name = "sum";
        desc.joint_count = i == 0 ? 0 : i == 1 ? -1 : 2;
        desc.joints = i == 2 ? NULL : joints;
        desc.weights = i == 3 ? NULL : k_slider_weights;
        CHECK_STATUS(ctx, iso_model_add_fixed_tendon(model, &desc, &index), ISO_ERR_ARGUMENT);
        CHECK_ERROR(ctx, "joints, expected at least one, and a weight of each");
    }
    iso_world* world = NULL;
    assert_int_equal(iso_model_add_fixed_tendon(model, NULL, NULL), ISO_ERR_ARGUMENT);
    assert_int_equal(iso_model_add_fixed_tendon(NULL, NULL, NULL), ISO_ERR_ARGUMENT);
    assert_true(iso_model_find_fixed_tendon(model, NULL) == -1);
    assert_null(iso_model_fixed_tendon(model, 0));
    iso_fixed_tendon_desc* tendon =
        iso_model_fixed_tendon(model, add_tendon(ctx, model, joints, 2, 1.0, 0.0));
    static const int counts[] = {1, 3, 1000};
    for (int i = 0; i < 3; ++i) {
        tendon->joint_count = counts[i];
        assert_int_equal(iso_world_create(ctx, model, NULL, &world), ISO_ERR_ARGUMENT);
        CHECK_ERROR(ctx, "expected the 2 that it was added with");
    }
    // What was spoilt since, of the last of two, with where it stands.
    tendon->joint_count = 2;
    iso_fixed_tendon_desc last = iso_fixed_tendon_desc_default();
    last.joint_count = 2;
    last.joints = joints;
    last.weights = k_slider_weights;
    CHECK_STATUS(ctx, iso_model_add_fixed_tendon(model, &last, &index), ISO_ERR_ARGUMENT);
    last.name = "last";
    last.source = "robot.xml:12";
    CHECK_OK(ctx, iso_model_add_fixed_tendon(model, &last, &index));
    iso_model_fixed_tendon(model, index)->friction = -1.0;
    CHECK_STATUS(ctx, iso_world_create(ctx, model, NULL, &world), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "robot.xml:12: fixed tendon 'last': friction is -1, expected finite and >= 0");
    iso_model_destroy(model);
    test_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_spring_along_a_sum_has_its_frequency),
        cmocka_unit_test(joints_feel_their_weights),
        cmocka_unit_test(absurd_gains_stay_stable),
        cmocka_unit_test(the_ledger_of_energies_closes),
        cmocka_unit_test(a_sum_of_one_joint_has_the_laws_of_joints),
        cmocka_unit_test(rotors_are_turned_by_sums),
        cmocka_unit_test(limits_are_switched_on_and_off),
        cmocka_unit_test(limits_of_sums_hold),
        cmocka_unit_test(a_length_is_the_sum_of_weights_times_positions),
        cmocka_unit_test(bad_tendons_are_refused),
        cmocka_unit_test(lower_limits_mirror_upper_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
