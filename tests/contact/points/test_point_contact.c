// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "contact/point/point_contact.h"
#include "contact/point/point_pair.h"
#include "support/check.h"
#include "support/random.h"

static iso_point_surface draw_surface(test_random* random) {
    iso_point_surface s = {.kind = (iso_point_surface_kind)test_random_int(
                               random, 0, ISO_POINT_SURFACE_KIND_COUNT - 1)};
    s.point = test_random_vec3(random, -1.0, 1.0);
    s.axis = test_random_unit_vec3(random);
    s.axis_2 = test_random_unit_vec3(random);
    s.radius = test_random_uniform(random, 0.5, 2.0);
    s.radius = test_random_int(random, 0, 1) ? s.radius : -s.radius;
    s.angle = test_random_uniform(random, 0.2, ISO_PI - 0.2);
    return s;
}

static iso_point_contact_law draw_law(test_random* random) {
    iso_point_contact_law law = {.exponent = test_random_uniform(random, 1.0, 2.5),
                                 .small_speed = 1e-3};
    law.stiffness = exp(test_random_uniform(random, log(1e4), log(1e10)));
    law.restitution.base = test_random_uniform(random, ISO_LEAST_RESTITUTION, 1.0);
    law.restitution.slope = test_random_uniform(random, 0.0, 0.3);
    law.damping = (iso_impact_damping)test_random_int(random, 0, ISO_IMPACT_DAMPING_COUNT - 1);
    double relaxation = test_random_uniform(random, 0.1, 2.0);
    law.relaxation_time = test_random_int(random, 0, 1) * relaxation;
    law.friction = (iso_bristle_params){0.5, 0.3, 1e3, 20.0, 0.0, 0.01, 0.1, 1e-4};
    return law;
}

// The distance is one to the surface: its gradient is the normal. (Not on the far side of an edge,
// where the paper's planes end.)
static void normals_are_the_gradients_of_distances(void** state) {
    iso_context* ctx = *state;
    test_random random = test_random_make(330);
    for (int i = 0; i < 5000; ++i) {
        iso_point_surface s = draw_surface(&random);
        CHECK_OK(ctx, iso_point_surface_check(ctx, &s, 0.1));
        iso_vec3 center = test_random_vec3(&random, -3.0, 3.0), step;
        iso_point_gap gap, high, low;
        iso_point_gap_find(&s, center, 0.1, &gap);
        CHECK_NEAR(iso_vec3_norm(gap.normal), 1.0, 1e-14);
        CHECK_VEC3_NEAR(iso_vec3_add_scaled(gap.point, gap.normal, 0.1), center, 1e-14);
        if (fabs(gap.distance + 0.1) < 1e-3) {
            continue; // at the surface, where the side changes
        }
        for (int k = 0; k < 3; ++k) {
            step = iso_vec3_make(1e-6 * (k == 0), 1e-6 * (k == 1), 1e-6 * (k == 2));
            iso_point_gap_find(&s, iso_vec3_add(center, step), 0.1, &high);
            iso_point_gap_find(&s, iso_vec3_sub(center, step), 0.1, &low);
            if (iso_vec3_distance(high.normal, low.normal) < 1e-3) {
                CHECK_NEAR((high.distance - low.distance) / 2e-6, iso_vec3_get(gap.normal, k),
                           1e-5);
            }
        }
    }
}

// As a ball goes around an edge or a tip the normal turns without a jump: steps are Lipschitz.
static void normals_turn_smoothly_over_an_edge_and_a_tip(void** state) {
    (void)state;
    iso_vec3 left = {-0.6, 0.0, 0.8}, right = {0.8, 0.0, 0.6};
    iso_point_surface edge = {ISO_POINT_EDGE, {0.0, 0.0, 0.0}, left, right, 0.0, 0.0};
    iso_point_surface cone = {
        ISO_POINT_CONE, {0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, {0.0, 0.0, 0.0}, 0.0, 1.0};
    iso_point_gap gap, before;
    for (int k = 0; k < 2; ++k) {
        for (int i = 0; i <= 2000; ++i) {
            double angle = (i / 1000.0 - 1.0) * 1.4; // from straight up
            iso_vec3 center = iso_vec3_make(sin(angle), 0.0, cos(angle));
            iso_point_gap_find(k ? &cone : &edge, center, 0.99, &gap);
            if (i > 0) {
                CHECK_AT_MOST(iso_vec3_distance(gap.normal, before.normal), 0.0014 * 1.01);
            }
            before = gap;
        }
    }
    iso_point_gap_find(&edge, iso_vec3_make(-1.0, 0.3, 0.0), 0.1, &gap);
    CHECK_VEC3_NEAR(gap.normal, left, 1e-15);
    iso_point_gap_find(&edge, iso_vec3_make(1.0, 0.3, -0.1), 0.1, &gap);
    CHECK_VEC3_NEAR(gap.normal, right, 1e-15);
}

// The curvature told is that of the distance: where the normal turns, it turns by it.
static void curvatures_are_those_of_the_surfaces(void** state) {
    (void)state;
    test_random random = test_random_make(331);
    int count = 0;
    for (int i = 0; i < 3000; ++i) {
        iso_point_surface s = draw_surface(&random);
        iso_point_gap gap, moved;
        iso_vec3 center = test_random_vec3(&random, -2.0, 2.0);
        iso_point_gap_find(&s, center, 0.0, &gap);
        if (!gap.is_smooth) {
            continue;
        }
        // To the surface itself, then along it in both principal directions.
        iso_vec3 foot = iso_vec3_add_scaled(center, gap.normal, -gap.distance);
        iso_vec3 other = iso_vec3_cross(gap.normal, gap.below.direction);
        double curvature[2] = {gap.below.first, gap.below.second};
        iso_point_gap_find(&s, foot, 0.0, &gap);
        for (int k = 0; k < 2; ++k) {
            iso_vec3 along = k == 0 ? gap.below.direction : other;
            iso_point_gap_find(&s, iso_vec3_add_scaled(foot, along, 1e-6), 0.0, &moved);
            iso_vec3 turn = iso_vec3_scale(iso_vec3_sub(moved.normal, gap.normal), 1e6);
            bool is_same = moved.is_smooth && iso_vec3_dot(moved.normal, gap.normal) > 0.99;
            if (fabs(gap.distance) < 1e-12 && curvature[k] < 100.0 && is_same) {
                ++count;
                CHECK_VEC3_NEAR(turn, iso_vec3_scale(along, curvature[k]),
                                1e-4 * (1.0 + curvature[k] * curvature[k]));
            }
        }
    }
    CHECK(count > 2000, "only %d looked at", count);
}

// Never a tensile force; friction in its cone; what is lost in the normal direction is not negative
// where the law is the exact one or without an offset.
static void forces_never_pull(void** state) {
    iso_context* ctx = *state;
    test_random random = test_random_make(332);
    for (int i = 0; i < 20000; ++i) {
        iso_point_contact_law law = draw_law(&random);
        CHECK_OK(ctx, iso_point_contact_law_check(ctx, &law));
        iso_point_memory memory;
        double speed = exp(test_random_uniform(&random, -9.0, 2.0));
        iso_point_touch(&law, test_random_uniform(&random, -1e-4, 1e-3), speed, 0.0, &memory);
        iso_bristle_slip slip = {.normal = test_random_unit_vec3(&random)};
        slip.velocity = iso_vec3_scale(test_random_vec3(&random, -1.0, 1.0), 2.0 * speed);
        iso_point_result r;
        double depth = test_random_uniform(&random, -1e-3, 1e-2);
        iso_point_eval(&law, &memory, depth, &slip, &r);
        double pressing = iso_vec3_dot(r.force, slip.normal);
        CHECK_AT_MOST(-r.normal_force, 0.0);
        CHECK_NEAR(pressing, r.normal_force, 1e-12 * (1.0 + r.normal_force));
        iso_vec3 across = iso_vec3_add_scaled(r.force, slip.normal, -pressing);
        CHECK_AT_MOST(iso_vec3_norm(across), 0.5 * r.normal_force * (1.0 + 1e-9));
        if (law.relaxation_time == 0.0) {
            CHECK_AT_MOST(-r.normal_dissipation, 1e-12 * (1.0 + r.elastic_force * speed));
        }
        if (depth - memory.offset <= 0.0) {
            CHECK_NEAR(r.normal_force, 0.0, 0.0);
        }
    }
}

// 2.3: what a step found too late makes no force at once, and is given back with tau_r.
static void late_detection_makes_no_energy(void** state) {
    (void)state;
    test_random random = test_random_make(333);
    for (int i = 0; i < 200; ++i) {
        iso_point_contact_law law = draw_law(&random);
        law.relaxation_time = test_random_uniform(&random, 0.5, 2.0);
        double late = exp(test_random_uniform(&random, -12.0, -6.0));
        iso_point_memory memory;
        iso_point_touch(&law, late, 0.5, 0.0, &memory);
        iso_bristle_slip slip = {.normal = {0.0, 0.0, 1.0}};
        iso_point_result r;
        iso_point_eval(&law, &memory, late, &slip, &r);
        CHECK_NEAR(r.normal_force, 0.0, 0.0);
        double dt = 1e-4 * law.relaxation_time;
        for (int k = 0; k < 10000; ++k) {
            iso_point_eval(&law, &memory, late, &slip, &r);
            iso_point_memory_add(&memory, &r, dt);
        }
        CHECK_REL(memory.offset, late * exp(-1.0), 1e-4);
        iso_point_part(&memory);
        iso_point_eval(&law, &memory, late, &slip, &r);
        CHECK_NEAR(r.normal_force, 0.0, 0.0);
    }
}

static void bad_laws_and_surfaces_are_named(void** state) {
    iso_context* ctx = *state;
    test_random random = test_random_make(334);
    iso_point_contact_law good = draw_law(&random), law;
    const struct {
        size_t offset;
        double value;
        const char* text;
    } cases[] = {
        {offsetof(iso_point_contact_law, stiffness), -1.0, "contact stiffness is -1 N/m^p"},
        {offsetof(iso_point_contact_law, exponent), 0.5, "exponent of the depth is 0.5"},
        {offsetof(iso_point_contact_law, restitution), 0.0, "restitution is 0, expected 0.01 to 1"},
        {offsetof(iso_point_contact_law, small_speed), 0.0, "small speed of impact is 0 m/s"},
        {offsetof(iso_point_contact_law, relaxation_time), -1.0, "relaxation time is -1 s"},
        {offsetof(iso_point_contact_law, friction), 0.1, "static friction is 0.1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        law = good;
        *(double*)((char*)&law + cases[i].offset) = cases[i].value;
        CHECK_STATUS(ctx, iso_point_contact_law_check(ctx, &law), ISO_ERR_RANGE);
        CHECK_ERROR(ctx, cases[i].text);
    }
    iso_point_surface s = {
        ISO_POINT_CYLINDER, {0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, {0.0, 0.0, 0.0}, -0.1, 0.0};
    CHECK_STATUS(ctx, iso_point_surface_check(ctx, &s, 0.2), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "expected below 0.1 m, that of the hollow cylinder");
    s.radius = 0.0;
    CHECK_STATUS(ctx, iso_point_surface_check(ctx, &s, 0.2), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "the radius of the cylinder is 0 m");
    s = (iso_point_surface){
        ISO_POINT_CONE, {0.0, 0.0, 0.0}, {0.0, 0.0, 2.0}, {0.0, 0.0, 0.0}, 0.0, 4.0};
    CHECK_STATUS(ctx, iso_point_surface_check(ctx, &s, 0.2), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "expected a unit vector");
    s.axis.z = 1.0;
    CHECK_STATUS(ctx, iso_point_surface_check(ctx, &s, 0.2), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "the opening of the cone is 4 rad");
    s = (iso_point_surface){
        ISO_POINT_EDGE, {0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, {0.0, 0.0, -1.0}, 0.0, 0.0};
    CHECK_STATUS(ctx, iso_point_surface_check(ctx, &s, 0.2), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "the planes of the edge face each other");
}

static int make_context(void** state) {
    iso_context_desc desc = iso_context_desc_default();
    desc.log_level = ISO_LOG_ERROR;
    return iso_context_create(&desc, (iso_context**)state) == ISO_OK ? 0 : -1;
}

static int drop_context(void** state) {
    iso_context_destroy(*state);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(normals_are_the_gradients_of_distances),
        cmocka_unit_test(normals_turn_smoothly_over_an_edge_and_a_tip),
        cmocka_unit_test(curvatures_are_those_of_the_surfaces),
        cmocka_unit_test(forces_never_pull),
        cmocka_unit_test(late_detection_makes_no_energy),
        cmocka_unit_test(bad_laws_and_surfaces_are_named),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
