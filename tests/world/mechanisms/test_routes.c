// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Tendons that run through space: what they do is the slope of their length, in drawn mechanisms;
// and machines of ropes that books solve.

#include "world/mechanisms.h"

enum { ARMS = 5 };

// --- numbers -------------------------------------------------------------------------------------

static double draw(uint64_t* state, double low, double high) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return low + (high - low) * (double)(*state >> 11) / 9007199254740992.0;
}

static iso_vec3 draw_vec3(uint64_t* state, double size) {
    double x = draw(state, -size, size);
    double y = draw(state, -size, size);
    double z = draw(state, -size, size);
    return iso_vec3_make(x, y, z);
}

static iso_pose draw_pose(uint64_t* state, double size) {
    iso_vec3 axis = iso_vec3_normalized(draw_vec3(state, 1.0));
    double angle = draw(state, 0.0, 3.0);
    return iso_pose_make(iso_mat3_from_axis_angle(axis, angle), draw_vec3(state, size));
}

// --- drawn routes --------------------------------------------------------------------------------

// Hinges and slides, some on the world and some on each other.
static void add_arms(iso_context* ctx, iso_model* model, uint64_t* state) {
    static const char* const names[] = {"a", "b", "c", "d", "e"};
    for (int i = 0; i < ARMS; ++i) {
        int body = add_light(ctx, model, names[i], 0.0);
        int parent = (int)draw(state, 0.0, i + 0.999);
        bool is_slide = draw(state, 0.0, 1.0) < 0.3;
        iso_joint_desc joint = joint_between(
            names[i], is_slide ? ISO_JOINT_PRISMATIC : ISO_JOINT_REVOLUTE, parent, body);
        joint.x_pf = draw_pose(state, 0.5);
        joint.axis = iso_vec3_normalized(draw_vec3(state, 1.0));
        CHECK_OK(ctx, iso_model_add_joint(model, &joint, NULL));
    }
}

// Points with obstacles between them, two pieces.
static int draw_parts(uint64_t* state, iso_route_part* parts) {
    int count = 0;
    for (int i = 0; i < 6; ++i) {
        iso_route_part point = {.kind = ISO_ROUTE_POINT, .other = -1};
        point.body = i == 0 ? ARMS : (int)draw(state, 0.0, ARMS + 0.999);
        point.x_bs = draw_pose(state, 1.0);
        if (i == 3) {
            parts[count++] =
                (iso_route_part){.kind = ISO_ROUTE_PULLEY, .divisor = draw(state, 0.5, 3.0)};
        } else if (i > 0) {
            bool is_sphere = draw(state, 0.0, 1.0) < 0.5, has_side = draw(state, 0.0, 1.0) < 0.6;
            iso_route_part round = {.kind = is_sphere ? ISO_ROUTE_SPHERE : ISO_ROUTE_CYLINDER,
                                    .other = -1};
            round.body = (int)draw(state, 0.0, ARMS + 0.999);
            round.x_bs = draw_pose(state, 0.5);
            round.radius = draw(state, 0.1, 0.5);
            if (has_side) { // within it or beside it
                round.other = round.body;
                round.x_bo = iso_pose_from_position(
                    iso_vec3_add(round.x_bs.p, draw_vec3(state, 1.2 * round.radius)));
            }
            parts[count++] = round;
        }
        parts[count++] = point;
    }
    return count;
}

// l'(q) v against a difference of lengths, and the power of what joints feel of spring and damper.
static void check_slopes(iso_context* ctx, iso_world* world, uint64_t* state, double* worst) {
    double q[ARMS], v[ARMS], near[ARMS], tau[ARMS], lengths[2], power = 0.0;
    for (int i = 0; i < ARMS; ++i) {
        q[i] = draw(state, -1.0, 1.0);
        v[i] = draw(state, -1.0, 1.0);
    }
    for (int side = 0; side < 2; ++side) {
        for (int i = 0; i < ARMS; ++i) {
            near[i] = q[i] + (side == 0 ? -1e-6 : 1e-6) * v[i];
        }
        CHECK_OK(ctx, iso_world_set_state(world, near, v));
        lengths[side] = iso_world_fixed_tendon(world, 0).length;
    }
    CHECK_OK(ctx, iso_world_set_state(world, q, v));
    CHECK_OK(ctx, iso_world_passive_forces(world, tau));
    iso_fixed_tendon_state now = iso_world_fixed_tendon(world, 0);
    for (int i = 0; i < ARMS; ++i) {
        power += tau[i] * v[i];
    }
    // Where a line begins to touch what it is wound around, differences jump over a bend.
    double off = fabs((lengths[1] - lengths[0]) / 2e-6 - now.velocity);
    CHECK_AT_MOST(fabs(lengths[1] + lengths[0] - 2.0 * now.length), 1e-5);
    worst[0] = fmax(worst[0], off);
    worst[1] = fmax(worst[1], fabs(power - now.passive_effort * now.velocity));
}

static void joints_feel_the_slope_of_a_length(void** unused) {
    (void)unused;
    iso_context* ctx = test_context();
    double worst[2] = {0.0, 0.0};
    for (uint64_t seed = 1; seed <= 60; ++seed) {
        uint64_t state = seed * UINT64_C(0x9e3779b97f4a7c15);
        iso_route_part parts[32];
        iso_fixed_tendon_desc rope = iso_fixed_tendon_desc_default();
        iso_world_desc desc = iso_world_desc_default();
        iso_model* model = make_model(ctx);
        add_arms(ctx, model, &state);
        rope.name = "rope";
        rope.part_count = draw_parts(&state, parts);
        rope.parts = parts;
        rope.stiffness = 3.0;
        rope.damping = 0.7;
        CHECK_OK(ctx, iso_model_add_fixed_tendon(model, &rope, NULL));
        iso_world* world = make_world(ctx, model, &desc);
        for (int i = 0; i < 10; ++i) {
            check_slopes(ctx, world, &state, worst);
        }
        iso_world_destroy(world);
        iso_model_destroy(model);
    }
    print_message("slopes off by %.1e, powers by %.1e\n", worst[0], worst[1]);
    assert_true(worst[0] < 1e-8 && worst[1] < 1e-12);
    test_context_destroy(ctx);
}

// v . (what rotors add to efforts without accelerations) is I l' l'', against a difference of
// lengths.
static void check_motion(iso_context* ctx, iso_world* world, iso_world* plain, double inertia,
                         uint64_t* state, double* worst, int* checked) {
    const double step = 1e-4;
    double q[ARMS], v[ARMS], near[ARMS], tau[2][ARMS], lengths[5], power = 0.0;
    for (int i = 0; i < ARMS; ++i) {
        q[i] = draw(state, -1.0, 1.0);
        v[i] = draw(state, -1.0, 1.0);
    }
    for (int k = 0; k < 5; ++k) {
        for (int i = 0; i < ARMS; ++i) {
            near[i] = q[i] + (k - 2) * step * v[i];
        }
        CHECK_OK(ctx, iso_world_set_state(world, near, v));
        lengths[k] = iso_world_fixed_tendon(world, 0).length;
    }
    CHECK_OK(ctx, iso_world_set_state(world, q, v));
    CHECK_OK(ctx, iso_world_set_state(plain, q, v));
    CHECK_OK(ctx, iso_world_inverse_dynamics(world, NULL, tau[0]));
    CHECK_OK(ctx, iso_world_inverse_dynamics(plain, NULL, tau[1]));
    for (int i = 0; i < ARMS; ++i) {
        power += (tau[0][i] - tau[1][i]) * v[i];
    }
    double near_bend = (lengths[1] - 2.0 * lengths[2] + lengths[3]) / (step * step);
    double far_bend = (lengths[0] - 2.0 * lengths[2] + lengths[4]) / (4.0 * step * step);
    double bend = (4.0 * near_bend - far_bend) / 3.0;
    double rate = iso_world_fixed_tendon(world, 0).velocity;
    if (fabs(near_bend - far_bend) < 1e-4 * (1.0 + fabs(near_bend))) { // it does not begin to touch
        *worst = fmax(*worst, fabs(power - inertia * rate * bend) / (1.0 + fabs(power)));
        ++*checked;
    }
    double speed = 2.0 * (iso_world_energy(world).kinetic - iso_world_energy(plain).kinetic);
    CHECK_NEAR(speed, inertia * rate * rate, 1e-12 * (1.0 + speed));
}

// Over drawn routes with all obstacles, also along their insides.
static void rotors_feel_how_lengths_accelerate(void** unused) {
    (void)unused;
    iso_context* ctx = test_context();
    double worst = 0.0;
    int checked = 0;
    for (uint64_t seed = 1; seed <= 60; ++seed) {
        uint64_t state = seed * UINT64_C(0x9e3779b97f4a7c15);
        iso_route_part parts[32];
        iso_fixed_tendon_desc rope = iso_fixed_tendon_desc_default();
        iso_world_desc desc = iso_world_desc_default();
        iso_model *model = make_model(ctx), *plain_model = make_model(ctx);
        uint64_t same = state;
        add_arms(ctx, model, &state);
        add_arms(ctx, plain_model, &same);
        rope.name = "rope";
        rope.part_count = draw_parts(&state, parts);
        rope.parts = parts;
        CHECK_OK(ctx, iso_model_add_fixed_tendon(plain_model, &rope, NULL));
        rope.rotor_inertia = 0.7;
        CHECK_OK(ctx, iso_model_add_fixed_tendon(model, &rope, NULL));
        iso_world* world = make_world(ctx, model, &desc);
        iso_world* plain = make_world(ctx, plain_model, &desc);
        for (int i = 0; i < 10; ++i) {
            check_motion(ctx, world, plain, rope.rotor_inertia, &state, &worst, &checked);
        }
        iso_world_destroy(world);
        iso_world_destroy(plain);
        iso_model_destroy(model);
        iso_model_destroy(plain_model);
    }
    print_message("%d lengths accelerate as their rotors feel, off by %.1e\n", checked, worst);
    assert_true(checked > 400 && worst < 2e-6); // measured 6.7e-7, of the differences
    test_context_destroy(ctx);
}

// A slider on a line, whose rope leads to a point beside it: (m + I (dl/dx)^2) v^2 stays.
static void a_rotor_on_a_rope_keeps_its_energy_in_every_method(void** unused) {
    (void)unused;
    static const iso_method methods[] = {METHODS_OF_EVERY_KIND, ISO_METHOD_RK4, ISO_METHOD_RADAU};
    iso_context* ctx = test_context();
    for (size_t i = 0; i < sizeof methods / sizeof *methods; ++i) {
        iso_model* model = make_model(ctx);
        iso_world_desc desc = iso_world_desc_default();
        iso_fixed_tendon_desc rope = iso_fixed_tendon_desc_default();
        iso_route_part parts[2] = {{.kind = ISO_ROUTE_POINT, .other = -1},
                                   {.kind = ISO_ROUTE_POINT, .other = -1}};
        int body = add_light(ctx, model, "slider", 0.0);
        iso_joint_desc joint = joint_between("slider", ISO_JOINT_PRISMATIC, 0, body);
        joint.axis = iso_vec3_make(1.0, 0.0, 0.0);
        joint.position = -1.0;
        joint.velocity = 2.0;
        CHECK_OK(ctx, iso_model_add_joint(model, &joint, NULL));
        double mass = iso_model_body(model, body)->mass, inertia = 3.0 * mass;
        parts[0].x_bs = iso_pose_from_position(iso_vec3_make(0.0, 0.5, 0.0));
        parts[1].body = body;
        parts[1].x_bs = iso_pose_identity();
        rope.name = "rope";
        rope.part_count = 2;
        rope.parts = parts;
        rope.rotor_inertia = inertia;
        CHECK_OK(ctx, iso_model_add_fixed_tendon(model, &rope, NULL));
        desc.method = methods[i];
        desc.time_step = 1e-3;
        desc.gravity = iso_vec3_zero();
        iso_world* world = make_world(ctx, model, &desc);
        double worst = 0.0, start = mass * 4.0 + inertia * 4.0 / 1.25;
        for (int s = 0; s < 1500; ++s) {
            CHECK_OK(ctx, iso_world_step(world));
            double x = iso_world_joint_position(world, 0), v = iso_world_joint_velocity(world, 0);
            double now = (mass + inertia * x * x / (x * x + 0.25)) * v * v;
            worst = fmax(worst, fabs(now / start - 1.0));
        }
        print_message("method %d: energy off by %.1e\n", (int)methods[i], worst);
        bool is_convex = methods[i] <= ISO_METHOD_SAP || methods[i] == ISO_METHOD_SIMILAR ||
                         methods[i] == ISO_METHOD_TAMSI || methods[i] == ISO_METHOD_MIDPOINT;
        assert_true(worst < (is_convex ? 1e-2 : 1e-6)); // 4.3e-3 and 9.1e-8
        iso_world_destroy(world);
        iso_model_destroy(model);
    }
    test_context_destroy(ctx);
}

// --- Atwood --------------------------------------------------------------------------------------

static int add_weight(iso_context* ctx, iso_model* model, const char* name, double mass, double x) {
    iso_body_desc desc = iso_body_desc_default();
    int body = -1;
    desc.name = name;
    desc.mass = mass;
    CHECK_OK(ctx, iso_model_add_body(model, &desc, &body));
    iso_joint_desc joint = joint_between(name, ISO_JOINT_PRISMATIC, 0, body);
    joint.axis = iso_vec3_make(0.0, 0.0, 1.0);
    joint.x_pf = iso_pose_from_position(iso_vec3_make(x, 0.0, -1.0));
    CHECK_OK(ctx, iso_model_add_joint(model, &joint, NULL));
    return body;
}

// Two weights on a rope over a wheel of 0.3 m: a = g (m2 - m1) / (m1 + m2).
static void a_rope_over_a_wheel_is_that_of_atwood(void** unused) {
    (void)unused;
    static const iso_method methods[] = {METHODS_OF_EVERY_KIND};
    iso_context* ctx = test_context();
    for (size_t i = 0; i < sizeof methods / sizeof *methods; ++i) {
        iso_model* model = make_model(ctx);
        iso_world_desc desc = iso_world_desc_default();
        iso_fixed_tendon_desc rope = iso_fixed_tendon_desc_default();
        iso_route_part parts[3] = {{.kind = ISO_ROUTE_POINT, .other = -1},
                                   {.kind = ISO_ROUTE_CYLINDER, .other = -1, .radius = 0.3},
                                   {.kind = ISO_ROUTE_POINT, .other = -1}};
        parts[0].body = add_weight(ctx, model, "light", 1.0, -0.3);
        parts[2].body = add_weight(ctx, model, "heavy", 2.0, 0.3);
        parts[0].x_bs = parts[2].x_bs = iso_pose_identity();
        iso_vec3 x = iso_vec3_make(1.0, 0.0, 0.0);
        parts[1].x_bs = iso_pose_make(iso_mat3_from_axis_angle(x, 0.5 * ISO_PI), iso_vec3_zero());
        // The short way is above: its side is there, and not below.
        parts[1].other = 0;
        parts[1].x_bo = iso_pose_from_position(iso_vec3_make(0.0, 0.0, 1.0));
        rope.name = "rope";
        rope.part_count = 3;
        rope.parts = parts;
        rope.upper = 2.0 + 0.3 * ISO_PI;
        CHECK_OK(ctx, iso_model_add_fixed_tendon(model, &rope, NULL));
        desc.method = methods[i];
        desc.time_step = 1e-3;
        desc.gravity = iso_vec3_make(0.0, 0.0, -9.0);
        iso_world* world = make_world(ctx, model, &desc);
        CHECK_NEAR(iso_world_fixed_tendon(world, 0).length, rope.upper, 1e-15);
        for (int s = 0; s < 300; ++s) {
            CHECK_OK(ctx, iso_world_step(world));
        }
        double up = iso_world_joint_velocity(world, iso_world_find_joint(world, "light"));
        double down = iso_world_joint_velocity(world, iso_world_find_joint(world, "heavy"));
        print_message("method %d: %.2e, %.2e\n", (int)methods[i], up - 0.9, down + 0.9);
        CHECK_NEAR(up, 0.9, 1e-12);
        CHECK_NEAR(down, -0.9, 1e-12);
        iso_world_destroy(world);
        iso_model_destroy(model);
    }
    test_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joints_feel_the_slope_of_a_length),
        cmocka_unit_test(rotors_feel_how_lengths_accelerate),
        cmocka_unit_test(a_rotor_on_a_rope_keeps_its_energy_in_every_method),
        cmocka_unit_test(a_rope_over_a_wheel_is_that_of_atwood)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
