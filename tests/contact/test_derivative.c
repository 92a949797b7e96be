// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Derivatives of the continuous law against central differences of the law itself.

#include "contact/pairs/contact_system_state.h"
#include "contact/pressure_field/derivative.h"
#include "contact/pressure_field/pressure_field.h"
#include "surface/moments/moments.h"
#include "surface/moving_pairs.h"

#include "support/arena_fixture.h"

// Every choice the law has, in turn.
typedef struct law_case {
    const char* name;
    iso_representation representation;
    iso_combine combine;
    iso_damping damping;
    iso_friction_law friction;
    double dissipation; // [s/m]
    double mu;
    double adhesion; // [Pa]
} law_case;

static const law_case k_cases[] = {
    {"elastic", ISO_REPRESENTATION_POLYGON, ISO_COMBINE_DRAKE, ISO_DAMPING_HUNT_CROSSLEY,
     ISO_FRICTION_VISCOUS, 0.0, 0.0, 0.0},
    {"damped", ISO_REPRESENTATION_POLYGON, ISO_COMBINE_DRAKE, ISO_DAMPING_HUNT_CROSSLEY,
     ISO_FRICTION_VISCOUS, 2.0, 0.0, 0.0},
    {"viscous friction", ISO_REPRESENTATION_POLYGON, ISO_COMBINE_DRAKE, ISO_DAMPING_HUNT_CROSSLEY,
     ISO_FRICTION_VISCOUS, 2.0, 0.5, 0.0},
    {"tanh, per face", ISO_REPRESENTATION_POLYGON, ISO_COMBINE_ELANDT, ISO_DAMPING_HUNT_CROSSLEY,
     ISO_FRICTION_TANH, 2.0, 0.5, 0.0},
    {"atan, mean", ISO_REPRESENTATION_TRIANGLE, ISO_COMBINE_ELANDT_MEAN, ISO_DAMPING_HUNT_CROSSLEY,
     ISO_FRICTION_ATAN, 2.0, 0.5, 0.0},
    {"stribeck, fans, per face", ISO_REPRESENTATION_TRIANGLE, ISO_COMBINE_ELANDT,
     ISO_DAMPING_HUNT_CROSSLEY, ISO_FRICTION_STRIBECK, 2.0, 0.5, 0.0},
    {"extent rate", ISO_REPRESENTATION_POLYGON, ISO_COMBINE_DRAKE, ISO_DAMPING_EXTENT_RATE,
     ISO_FRICTION_TANH, 2.0, 0.5, 0.0},
    {"extent rate, fans, adhesion", ISO_REPRESENTATION_TRIANGLE, ISO_COMBINE_DRAKE,
     ISO_DAMPING_EXTENT_RATE, ISO_FRICTION_TANH, 20.0, 0.5, 100.0},
    {"adhesion", ISO_REPRESENTATION_POLYGON, ISO_COMBINE_DRAKE, ISO_DAMPING_HUNT_CROSSLEY,
     ISO_FRICTION_TANH, 20.0, 0.5, 1000.0},
};
#define CASE_COUNT ((int)(sizeof k_cases / sizeof *k_cases))

static iso_contact_geometry make_geometry(const char* name, int body, iso_contact_shape* shape,
                                          const law_case* c) {
    iso_contact_geometry g = {.name = name,
                              .body_name = name,
                              .body = body,
                              .x_bg = iso_pose_identity(),
                              .shape = shape,
                              .material = iso_contact_material_default()};
    g.material.modulus = shape->is_rigid ? 1e7 : shape->material.modulus;
    g.material.margin = shape->material.margin;
    g.material.slab_thickness = shape->material.slab_thickness;
    g.material.dissipation = body == 0 ? c->dissipation : 1.5 * c->dissipation;
    g.material.friction_static = 1.4 * c->mu;
    g.material.friction_dynamic = c->mu;
    g.material.adhesion = c->adhesion;
    return g;
}

static iso_contact_system* make_system(iso_contact_shape* a, iso_contact_shape* b,
                                       const law_case* c) {
    iso_contact_geometry geometries[2] = {make_geometry("a", 0, a, c), make_geometry("b", 1, b, c)};
    const iso_body_filter bodies = {.body_count = 2};
    iso_contact_options options = iso_contact_options_default();
    options.representation = c->representation;
    options.combine = c->combine;
    options.damping = c->damping;
    options.friction_law = c->friction;
    options.stiction_velocity = 0.05; // wide: the slips below lie on both sides of it
    iso_contact_system* system;
    CHECK_OK(ctx, iso_contact_system_create(ctx, geometries, 2, &bodies, &options, &system));
    return system;
}

// The pair with P as its common point; false without contact.
static bool find_pair(iso_contact_system* system, const moving_scene* s, const iso_pose* x_wb,
                      iso_contact_pair* out_pair) {
    iso_pose x[2] = {s->x_wa, *x_wb};
    iso_contact_set set;
    CHECK_OK(ctx, iso_contact_system_update(system, x, NULL, &arena, &set));
    if (set.pair_count == 0) {
        return false;
    }
    *out_pair = set.pairs[0];
    out_pair->p_wc = s->p_wp;
    return true;
}

static iso_spatial twist_step(iso_spatial v, int axis, double step) {
    double t[6];
    moving_unpack(v, t);
    t[axis] += step;
    return iso_spatial_make(iso_vec3_make(t[0], t[1], t[2]), iso_vec3_make(t[3], t[4], t[5]));
}

// The wrench with B moved, or with the twist changed, by a step along one axis.
static iso_spatial wrench_beside(iso_contact_system* system, const moving_scene* s,
                                 const iso_contact_pair* still, iso_spatial v_c, bool is_of_pose,
                                 int axis, double by) {
    if (!is_of_pose) {
        return iso_contact_continuous_wrench(system, still, twist_step(v_c, axis, by), NULL, NULL);
    }
    iso_contact_pair pair;
    iso_pose x = moving_step(&s->x_wb, s->p_wp, axis, by);
    iso_arena_mark mark = iso_arena_get_mark(&arena);
    iso_spatial wrench = iso_spatial_zero();
    if (find_pair(system, s, &x, &pair)) {
        wrench = iso_contact_continuous_wrench(system, &pair, v_c, NULL, NULL);
    }
    iso_arena_release(&arena, mark);
    return wrench;
}

// Central differences of fourth order.
static void differences(iso_contact_system* system, const moving_scene* s,
                        const iso_contact_pair* still, iso_spatial v_c, bool is_of_pose,
                        double step, double out[6][6]) {
    static const double k_steps[4] = {-2.0, -1.0, 1.0, 2.0};
    static const double k_weights[4] = {1.0 / 12.0, -8.0 / 12.0, 8.0 / 12.0, -1.0 / 12.0};
    for (int axis = 0; axis < 6; ++axis) {
        double sum[6] = {0.0};
        for (int k = 0; k < 4; ++k) {
            double f[6];
            moving_unpack(wrench_beside(system, s, still, v_c, is_of_pose, axis, k_steps[k] * step),
                          f);
            for (int i = 0; i < 6; ++i) {
                sum[i] += k_weights[k] / step * f[i];
            }
        }
        for (int i = 0; i < 6; ++i) {
            out[i][axis] = sum[i];
        }
    }
}

#define BOUND 1e-7

// Error relative to the largest entry. A corner of the law, or a change of the patch's
// combinatorics, that lies within the stencil lies outside a shorter one.
static double smallest_error(iso_contact_system* system, const moving_scene* s,
                             const iso_contact_pair* still, iso_spatial v_c, bool is_of_pose,
                             double derived[6][6], double scale) {
    static const double k_steps[3] = {3e-6, 3e-7, 3e-8};
    double error = INFINITY, largest = fmax(moving_largest(derived), scale);
    for (int i = 0; i < 3 && error > BOUND; ++i) {
        double k[6][6];
        differences(system, s, still, v_c, is_of_pose, k_steps[i], k);
        error = fmin(error, moving_difference(derived, k) / largest);
    }
    return error;
}

static bool check_scene(iso_contact_system* system, const moving_scene* s, const law_case* c,
                        iso_spatial v_c) {
    iso_contact_pair pair;
    if (!find_pair(system, s, &s->x_wb, &pair)) {
        return false;
    }
    iso_contact_derivatives derived;
    CHECK_OK(ctx, iso_contact_wrench_derivatives(system, &pair, &s->x_wa, &s->x_wb, v_c, &derived));
    iso_spatial wrench = iso_contact_continuous_wrench(system, &pair, v_c, NULL, NULL);
    double scale = moving_largest(derived.by_pose);
    double force = iso_vec3_norm(wrench.translational); // where all is at the floor of adhesion
    CHECK_SPATIAL_NEAR(derived.wrench, wrench, 1e-13 * scale); // measured 2e-15
    CHECK_AT_MOST(smallest_error(system, s, &pair, v_c, true, derived.by_pose, force),
                  BOUND); // measured 3.1e-8, at the best step 3.4e-9
    if (c->dissipation > 0.0) {
        CHECK_AT_MOST(smallest_error(system, s, &pair, v_c, false, derived.by_twist, force),
                      BOUND); // measured 3e-10
    } else {
        CHECK_NEAR(moving_largest(derived.by_twist), 0.0, 0.0);
    }
    return true;
}

static void derivatives_are_the_limit_of_differences(void** state) {
    (void)state;
    test_random random = test_random_make(21);
    int contacts = 0;
    for (int i = 0; i < CASE_COUNT; ++i) {
        for (int kind = 0; kind < MOVING_KINDS; ++kind) {
            iso_contact_shape *a, *b;
            moving_pair(ctx, kind, &a, &b);
            iso_contact_system* system = make_system(a, b, &k_cases[i]);
            for (int k = 0; k < 4; ++k) { // the same scenes, watched or not
                CHECK_OK(ctx, iso_arena_reset(&arena));
                moving_scene s = moving_scene_random(kind, a, b, &random);
                iso_spatial v = {test_random_vec3(&random, -0.3, 0.3),
                                 test_random_vec3(&random, -0.1, 0.1)};
                contacts += k < TEST_ROUNDS(4, 1) && check_scene(system, &s, &k_cases[i], v);
            }
            iso_contact_system_destroy(ctx, system);
            iso_contact_shape_destroy(ctx, a);
            iso_contact_shape_destroy(ctx, b);
        }
    }
    CHECK(contacts > TEST_ROUNDS(340, 80), "%d contacts of %d", contacts, TEST_ROUNDS(360, 90));
}

// Without damping and friction the force is that of the pressure, which one sample at the centroid
// gives exactly; fans give the moment too.
static void elastic_derivative_is_that_of_the_exact_wrench(void** state) {
    (void)state;
    test_random random = test_random_make(22);
    for (int kind = 0; kind < MOVING_KINDS; ++kind) {
        for (int fans = 0; fans < 2; ++fans) {
            law_case c = k_cases[0];
            c.representation = fans ? ISO_REPRESENTATION_TRIANGLE : ISO_REPRESENTATION_POLYGON;
            iso_contact_shape *a, *b;
            moving_pair(ctx, kind, &a, &b);
            iso_contact_system* system = make_system(a, b, &c);
            moving_scene s = moving_scene_random(kind, a, b, &random);
            iso_contact_pair pair;
            CHECK(find_pair(system, &s, &s.x_wb, &pair), "no contact");
            iso_contact_derivatives derived;
            iso_spatial wrench;
            double exact[6][6];
            CHECK_OK(ctx, iso_contact_wrench_derivatives(system, &pair, &s.x_wa, &s.x_wb,
                                                         iso_spatial_zero(), &derived));
            CHECK_OK(ctx, iso_patch_wrench_derivative(ctx, a, &s.x_wa, b, &s.x_wb, c.representation,
                                                      &pair.patch, s.p_wp, &wrench, exact));
            double error = 0.0;
            for (int i = fans ? 0 : 3; i < 6; ++i) {
                for (int j = 0; j < 6; ++j) {
                    error = fmax(error, fabs(exact[i][j] - derived.by_pose[i][j]));
                }
            }
            CHECK_AT_MOST(error, 1e-10 * moving_largest(exact)); // measured 3e-14
            iso_contact_system_destroy(ctx, system);
            iso_contact_shape_destroy(ctx, a);
            iso_contact_shape_destroy(ctx, b);
        }
    }
}

static void damping_without_friction_is_symmetric(void** state) {
    (void)state;
    test_random random = test_random_make(23);
    iso_contact_shape *a, *b;
    moving_pair(ctx, 0, &a, &b);
    iso_contact_system* system = make_system(a, b, &k_cases[1]);
    moving_scene s = moving_scene_random(0, a, b, &random);
    iso_contact_pair pair;
    CHECK(find_pair(system, &s, &s.x_wb, &pair), "no contact");
    iso_contact_derivatives derived;
    CHECK_OK(ctx, iso_contact_wrench_derivatives(system, &pair, &s.x_wa, &s.x_wb,
                                                 iso_spatial_zero(), &derived));
    for (int i = 0; i < 6; ++i) {
        CHECK(derived.by_twist[i][i] < 0.0, "entry %d is %g", i, derived.by_twist[i][i]);
        for (int j = 0; j < i; ++j) {
            CHECK_NEAR(derived.by_twist[i][j], derived.by_twist[j][i],
                       1e-14 * moving_largest(derived.by_twist)); // measured 3e-17
        }
    }
    iso_contact_system_destroy(ctx, system);
    iso_contact_shape_destroy(ctx, a);
    iso_contact_shape_destroy(ctx, b);
}

// Column of the derivative by the twist as a difference to one side.
static void one_sided(iso_contact_system* system, const iso_contact_pair* pair, iso_spatial v,
                      int axis, double step, double out[6]) {
    double here[6], beside[6];
    moving_unpack(iso_contact_continuous_wrench(system, pair, v, NULL, NULL), here);
    iso_spatial moved = twist_step(v, axis, step);
    moving_unpack(iso_contact_continuous_wrench(system, pair, moved, NULL, NULL), beside);
    for (int i = 0; i < 6; ++i) {
        out[i] = (beside[i] - here[i]) / step;
    }
}

static double column_error(double derived[6][6], int axis, const double column[6]) {
    double error = 0.0;
    for (int i = 0; i < 6; ++i) {
        error = fmax(error, fabs(derived[i][axis] - column[i]));
    }
    return error;
}

// A rigid box in a slab, all of whose faces are at a corner of the law at once: v_n = 1/d, where
// the damped pressure ends, or |v_t| = v_s, where viscous friction stops to grow. Differences to
// one side have the derivative, those to the other side another one, and central ones the mean.
static void at_a_corner_the_derivative_is_that_of_one_side(void** state) {
    (void)state;
    static const struct {
        iso_vec3 v;
        int axis;
        double inside; // direction of the side whose derivative it is
    } corners[] = {{{0.0, 0.0, 0.5}, 5, 1.0}, {{0.05, 0.0, 0.0}, 3, -1.0}};
    law_case c = k_cases[2];
    iso_contact_material slab = fixture_compliant(1e6, 0.0);
    slab.slab_thickness = 0.05;
    iso_contact_shape* a = fixture_half_space(ctx, slab);
    iso_contact_shape* b = fixture_shape(ctx, fixture_box(0.1, 0.1, 0.1), fixture_rigid(0.0));
    iso_contact_system* system = make_system(a, b, &c);
    moving_scene s = {.a = a, .b = b, .x_wa = iso_pose_identity(), .x_wb = iso_pose_identity()};
    s.x_wb.p.z = 0.04;
    iso_contact_pair pair;
    CHECK(find_pair(system, &s, &s.x_wb, &pair), "no contact");
    for (int i = 0; i < 2; ++i) {
        int axis = corners[i].axis;
        iso_spatial v = {iso_vec3_zero(), corners[i].v};
        iso_contact_derivatives derived;
        CHECK_OK(ctx, iso_contact_wrench_derivatives(system, &pair, &s.x_wa, &s.x_wb, v, &derived));
        double inside[6], outside[6], step = 1e-7 * corners[i].inside;
        one_sided(system, &pair, v, axis, step, inside);
        one_sided(system, &pair, v, axis, -step, outside);
        double size = fmax(fabs(inside[axis]), fabs(outside[axis]));
        CHECK_AT_MOST(column_error(derived.by_twist, axis, inside), 1e-6 * size); // measured 0
        CHECK(column_error(derived.by_twist, axis, outside) > 0.9 * size, "no corner at %d", i);
    }
    iso_contact_system_destroy(ctx, system);
    iso_contact_shape_destroy(ctx, a);
    iso_contact_shape_destroy(ctx, b);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(derivatives_are_the_limit_of_differences),
        TEST(elastic_derivative_is_that_of_the_exact_wrench),
        TEST(damping_without_friction_is_symmetric),
        TEST(at_a_corner_the_derivative_is_that_of_one_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
