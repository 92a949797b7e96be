// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "math/eigen.h"
#include "multibody/mechanism.h"
#include "support/random.h"

#include <math.h>
#include <string.h>

static const char* const k_names[] = {"world", "arm::base", "arm::link", "cup"};

// A base welded to the world, a hinged link on it, a free cup.
typedef struct sample {
    iso_mb_body bodies[4];
} sample;

static sample sample_make(void) {
    sample s = {{world_body(), plain_body(), plain_body(), plain_body()}};
    s.bodies[2].parent = 1;
    s.bodies[2].mobility = ISO_MOBILITY_REVOLUTE;
    s.bodies[3].mobility = ISO_MOBILITY_FREE;
    return s;
}

static void check_refused(const sample* s, iso_status expected, const char* who,
                          const char* message) {
    iso_context* ctx = test_context();
    iso_multibody mb;
    memset(&mb, 0xff, sizeof mb);
    CHECK_STATUS(ctx, iso_multibody_create(ctx, s->bodies, 4, k_names, &mb), expected);
    CHECK_ERROR(ctx, who);
    CHECK_ERROR(ctx, message);
    assert_null(mb.bodies);
    assert_int_equal(mb.body_count, 0);
    iso_multibody_destroy(ctx, &mb);
    test_context_destroy(ctx);
}

static void the_sample_is_accepted_and_numbered(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    sample s = sample_make();
    iso_multibody mb;
    CHECK_OK(ctx, iso_multibody_create(ctx, s.bodies, 4, k_names, &mb));
    assert_int_equal(mb.q_count, 8);
    assert_int_equal(mb.v_count, 7);
    assert_int_equal(mb.tree_count, 2);
    assert_int_equal(mb.bodies[0].tree, -1);
    assert_int_equal(mb.bodies[1].tree, -1);
    assert_int_equal(mb.bodies[2].tree, 0);
    assert_int_equal(mb.bodies[3].tree, 1);
    assert_int_equal(mb.tree_v_index[1], 1);
    assert_int_equal(mb.tree_m_index[2], 37);
    assert_int_equal(mb.bodies[3].q_index, 1);
    assert_int_equal(mb.dof_body[0], 2);
    assert_int_equal(mb.dof_body[6], 3);
    iso_multibody_destroy(ctx, &mb);
    test_context_destroy(ctx);
}

// Trees whose bodies interleave still get contiguous coordinates.
static void coordinates_of_a_tree_are_contiguous(void** state) {
    (void)state;
    iso_mb_body bodies[7];
    static const int parents[7] = {-1, 0, 0, 1, 2, 3, 4};
    for (int b = 0; b < 7; ++b) {
        bodies[b] = b == 0 ? world_body() : plain_body();
        bodies[b].parent = parents[b];
        bodies[b].mobility = b == 0 || b == 3 ? ISO_MOBILITY_WELD : ISO_MOBILITY_REVOLUTE;
    }
    mechanism m = mechanism_make(bodies, 7);
    assert_int_equal(m.mb.tree_count, 2);
    assert_int_equal(m.mb.tree_v_index[1], 2);
    assert_int_equal(m.mb.tree_v_index[2], 5);
    static const int dof_body[5] = {1, 5, 2, 4, 6};
    for (int k = 0; k < 5; ++k) {
        assert_int_equal(m.mb.dof_body[k], dof_body[k]);
        assert_int_equal(m.mb.bodies[dof_body[k]].v_index, k);
    }
    mechanism_destroy(&m);
}

static void joined_trees_are_one_block(void** state) {
    (void)state;
    iso_mb_body bodies[5];
    static const int parents[5] = {-1, 0, 0, 1, 0}, joined[5] = {0, 0, 0, 0, 1};
    for (int b = 0; b < 5; ++b) {
        bodies[b] = b == 0 ? world_body() : plain_body();
        bodies[b].parent = parents[b];
        bodies[b].mobility = b == 0 ? ISO_MOBILITY_WELD : ISO_MOBILITY_REVOLUTE;
        bodies[b].joined = joined[b];
    }
    mechanism m = mechanism_make(bodies, 5);
    static const int trees[5] = {-1, 0, 1, 0, 0}, v_indices[5] = {0, 0, 3, 1, 2};
    assert_int_equal(m.mb.tree_count, 2);
    for (int b = 0; b < 5; ++b) {
        assert_int_equal(m.mb.bodies[b].tree, trees[b]);
        assert_int_equal(m.mb.bodies[b].v_index, v_indices[b]);
    }
    assert_int_equal(m.mb.tree_m_index[1], 9);
    mechanism_destroy(&m);
    bodies[2].joined = bodies[4].joined = 3; // a later one
    iso_context* ctx = test_context();
    CHECK_STATUS(ctx, iso_multibody_create(ctx, bodies, 5, NULL, &m.mb), ISO_ERR_ARGUMENT);
    CHECK_ERROR(ctx, "has index 2 and is joined to body 3, expected one in [0, 1]");
    test_context_destroy(ctx);
}

static void nothing_but_the_world_is_accepted(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_mb_body world = world_body();
    iso_multibody mb;
    CHECK_OK(ctx, iso_multibody_create(ctx, &world, 1, NULL, &mb));
    assert_int_equal(mb.v_count, 0);
    assert_int_equal(mb.tree_m_index[0], 0);
    iso_multibody_destroy(ctx, &mb);
    CHECK_STATUS(ctx, iso_multibody_create(ctx, &world, 0, NULL, &mb), ISO_ERR_ARGUMENT);
    CHECK_STATUS(ctx, iso_multibody_create(ctx, NULL, 1, NULL, &mb), ISO_ERR_ARGUMENT);
    iso_multibody_destroy(ctx, NULL);
    test_context_destroy(ctx);
}

static void parents_must_come_first(void** state) {
    (void)state;
    sample s = sample_make();
    s.bodies[2].parent = 2;
    check_refused(&s, ISO_ERR_ARGUMENT, "body 'arm::link'",
                  "parent 2, expected a parent in [0, 1]");
    s.bodies[2].parent = 3;
    check_refused(&s, ISO_ERR_ARGUMENT, "body 'arm::link'",
                  "parent 3, expected a parent in [0, 1]");
    s.bodies[2].parent = -1;
    check_refused(&s, ISO_ERR_ARGUMENT, "body 'arm::link'", "parent -1, expected a parent");
    s = sample_make();
    s.bodies[0].parent = 0;
    check_refused(&s, ISO_ERR_ARGUMENT, "body 'world'", "has parent 0, expected -1");
    s = sample_make();
    s.bodies[2].mobility = (iso_mobility)99;
    check_refused(&s, ISO_ERR_ARGUMENT, "body 'arm::link'", "joint kind is 99, expected 0 to 7");
}

static void joints_that_move_no_inertia_are_refused(void** state) {
    (void)state;
    sample s = sample_make();
    s.bodies[2].mass = 0.0;
    s.bodies[2].inertia = iso_mat3_zero();
    check_refused(&s, ISO_ERR_RANGE, "body 'arm::link'",
                  "revolute joint moves an inertia of 0 (kg or kg m^2), expected > 0 beyond "
                  "rounding; the body's "
                  "mass is 0 kg");
    s.bodies[2].mobility = ISO_MOBILITY_PRISMATIC;
    check_refused(&s, ISO_ERR_RANGE, "body 'arm::link'", "prismatic joint");
    s = sample_make();
    s.bodies[3].mass = 0.0;
    check_refused(&s, ISO_ERR_RANGE, "body 'cup'",
                  "degree of freedom 3 of its free joint moves an inertia of 0");
    s = sample_make();
    s.bodies[3].inertia = iso_mat3_zero(); // a point mass has no resistance to turning
    check_refused(&s, ISO_ERR_RANGE, "body 'cup'", "degree of freedom 0 of its free joint");
    s = sample_make();
    for (int e = -1074; e < -1022; ++e) { // its reciprocal is no number
        s = sample_make();
        s.bodies[3].mass = ldexp(1.0, e);
        check_refused(&s, ISO_ERR_RANGE, "body 'cup'", "degree of freedom 3 of its free joint");
    }
    s = sample_make();
    s.bodies[3].mobility = ISO_MOBILITY_PRISMATIC; // behind a massless one along the same axis
    s.bodies[3].parent = 2;
    s.bodies[2].mobility = ISO_MOBILITY_PRISMATIC;
    s.bodies[2].mass = 0.0;
    check_refused(&s, ISO_ERR_RANGE, "body 'arm::link'", "prismatic joint moves an inertia of 0");
    s = sample_make();
    s.bodies[1].mobility = ISO_MOBILITY_FREE; // a base without mass that nothing holds
    s.bodies[1].mass = 0.0;
    s.bodies[1].inertia = iso_mat3_zero();
    check_refused(&s, ISO_ERR_RANGE, "body 'arm::base'",
                  "it floats without mass: weld it to the world");
}

enum { k_drawn = 7, k_most_dofs = 6 * k_drawn };

// Joints of all kinds, along each other or not; many bodies without mass.
static void draw_bodies(test_random* random, iso_mb_body* bodies) {
    static const iso_vec3 axes[] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    bodies[0] = world_body();
    for (int b = 1; b < k_drawn; ++b) {
        bool is_aligned = test_random_int(random, 0, 1) == 0;
        int axis = test_random_int(random, 0, 2);
        bodies[b] = plain_body();
        bodies[b].parent = test_random_int(random, 0, b - 1);
        bodies[b].mobility = (iso_mobility)test_random_int(random, 0, 7);
        bodies[b].x_pf = is_aligned ? iso_pose_identity() : test_random_pose(random, 1.0);
        bodies[b].axis = axes[axis];
        bodies[b].axis_2 = axes[(axis + 1) % 3];
        bodies[b].pitch = 0.3;
        bodies[b].center_of_mass = test_random_vec3(random, -1.0, 1.0);
        bodies[b].mass = test_random_int(random, 0, 2) == 0 ? 0.0 : 1.0;
        bodies[b].inertia = iso_mat3_scale(iso_mat3_identity(), 0.1 * bodies[b].mass);
    }
}

// The mass matrix where all bodies have `more` mass besides, at one position.
static int drawn_masses(const iso_mb_body* drawn, double more, double* out) {
    iso_mb_body bodies[k_drawn];
    memcpy(bodies, drawn, sizeof bodies);
    for (int b = 1; b < k_drawn; ++b) {
        bodies[b].mass += more;
        bodies[b].inertia =
            iso_mat3_add(bodies[b].inertia, iso_mat3_scale(iso_mat3_identity(), more));
    }
    mechanism m = mechanism_make(bodies, k_drawn);
    int n = m.mb.v_count;
    double blocks[k_most_dofs * k_most_dofs];
    for (int i = 0; i < m.mb.q_count; ++i) {
        m.q[i] = 0.3 + 0.37 * fmod(2.1 * i, 1.7);
    }
    memset(m.v, 0, (size_t)n * sizeof *m.v);
    iso_multibody_normalize(&m.mb, m.q);
    iso_multibody_kinematics(&m.mb, m.q, m.v, &m.kinematics);
    assert_int_equal(iso_multibody_mass_matrix(&m.mb, &m.kinematics, &m.arena, blocks), ISO_OK);
    memset(out, 0, (size_t)n * (size_t)n * sizeof *out);
    for (int t = 0; t < m.mb.tree_count; ++t) {
        int first = m.mb.tree_v_index[t], dofs = m.mb.tree_v_index[t + 1] - first;
        for (int i = 0; i < dofs * dofs; ++i) {
            out[(first + i / dofs) * n + first + i % dofs] = blocks[m.mb.tree_m_index[t] + i];
        }
    }
    mechanism_destroy(&m);
    return n;
}

// Joints that move nothing are found just where the mass matrix, which is linear in the masses, is
// singular.
static void drawn_mechanisms_are_refused_where_their_mass_matrix_is_singular(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    int refused = 0, taken = 0;
    for (uint64_t seed = 0; seed < 1000; ++seed) {
        test_random random = test_random_make(seed);
        iso_mb_body bodies[k_drawn];
        double one[k_most_dofs * k_most_dofs], two[k_most_dofs * k_most_dofs];
        draw_bodies(&random, bodies);
        int n = drawn_masses(bodies, 1.0, one);
        (void)drawn_masses(bodies, 2.0, two);
        for (int i = 0; i < n * n; ++i) {
            one[i] = 2.0 * one[i] - two[i];
        }
        iso_symmetric_eigen(one, n, two);
        double least = INFINITY, most = 0.0;
        for (int i = 0; i < n; ++i) {
            least = fmin(least, one[i * n + i]);
            most = fmax(most, one[i * n + i]);
        }
        bool is_singular = n > 0 && least <= 1e-10 * most;
        iso_multibody mb;
        iso_status status = iso_multibody_create(ctx, bodies, k_drawn, NULL, &mb);
        CHECK(status == (is_singular ? ISO_ERR_RANGE : ISO_OK),
              "seed %d: '%s', eigenvalues %g to %g", (int)seed, iso_status_text(status), least,
              most);
        iso_multibody_destroy(ctx, &mb);
        refused += is_singular;
        taken += !is_singular;
    }
    CHECK(refused > 100 && taken > 100, "%d refused, %d taken", refused, taken);
    test_context_destroy(ctx);
}

static void massless_bodies_between_others_are_accepted(void** state) {
    (void)state;
    sample s = sample_make();
    s.bodies[2].mass = 0.0;
    s.bodies[2].inertia = iso_mat3_zero();
    s.bodies[3].parent = 2;
    s.bodies[3].mobility = ISO_MOBILITY_REVOLUTE;
    s.bodies[3].axis = iso_vec3_make(0.0, 1.0, 0.0);
    mechanism m = mechanism_make(s.bodies, 4);
    mechanism_destroy(&m);
    s.bodies[3].mobility = ISO_MOBILITY_WELD;
    m = mechanism_make(s.bodies, 4);
    mechanism_destroy(&m);
    s = sample_make();
    s.bodies[1].mass = 0.0; // fixed to the world
    s.bodies[1].inertia = iso_mat3_zero();
    m = mechanism_make(s.bodies, 4);
    mechanism_destroy(&m);
}

static void unphysical_inertia_is_refused(void** state) {
    (void)state;
    sample s = sample_make();
    s.bodies[2].mass = -1.5;
    check_refused(&s, ISO_ERR_RANGE, "body 'arm::link'",
                  "mass is -1.5 kg, expected finite and >= 0");
    s.bodies[2].mass = NAN;
    check_refused(&s, ISO_ERR_RANGE, "body 'arm::link'", "mass is nan kg");
    s = sample_make();
    s.bodies[3].inertia.m[1][1] = -0.25;
    check_refused(&s, ISO_ERR_RANGE, "body 'cup'", "yy -0.25");
    s.bodies[3].inertia.m[1][1] = NAN;
    check_refused(&s, ISO_ERR_RANGE, "body 'cup'", "yy nan");
    s = sample_make();
    s.bodies[3].inertia.m[0][1] = 0.25; // not symmetric
    check_refused(&s, ISO_ERR_RANGE, "body 'cup'", "symmetric");
    s.bodies[3].inertia.m[0][1] = s.bodies[3].inertia.m[1][0] = 2.0; // moments 3, -1, 1
    check_refused(&s, ISO_ERR_RANGE, "body 'cup'", "without negative principal moments");
    s = sample_make();
    for (int i = 0; i < 3; ++i) { // moments 1.8, 1.8, -0.6: only the determinant shows it
        s.bodies[3].inertia.m[i][(i + 1) % 3] = s.bodies[3].inertia.m[(i + 1) % 3][i] = -0.8;
    }
    check_refused(&s, ISO_ERR_RANGE, "body 'cup'", "without negative principal moments");
    s = sample_make();
    s.bodies[3].center_of_mass.y = INFINITY;
    check_refused(&s, ISO_ERR_RANGE, "body 'cup'", "centre of mass is (0, inf, 0) m");
}

static void bad_joints_are_refused(void** state) {
    (void)state;
    sample s = sample_make();
    s.bodies[2].axis = iso_vec3_make(0.0, 0.0, 1.01);
    check_refused(&s, ISO_ERR_RANGE, "body 'arm::link'",
                  "axis (0, 0, 1.01) of the revolute joint has length 1.01, expected 1");
    s.bodies[2].axis = iso_vec3_make(NAN, 0.0, 1.0);
    check_refused(&s, ISO_ERR_RANGE, "body 'arm::link'", "has length nan");
    s = sample_make();
    s.bodies[2].lower = 1.0;
    s.bodies[2].upper = -1.0;
    check_refused(&s, ISO_ERR_RANGE, "body 'arm::link'", "limits are [1, -1]");
    s.bodies[2].lower = NAN;
    check_refused(&s, ISO_ERR_RANGE, "body 'arm::link'", "limits are [nan, -1]");
    s = sample_make();
    s.bodies[2].damping = -0.1;
    check_refused(&s, ISO_ERR_RANGE, "body 'arm::link'", "damping is -0.1, expected finite");
    s = sample_make();
    s.bodies[1].x_pf.p.x = NAN;
    check_refused(&s, ISO_ERR_RANGE, "body 'arm::base'", "joint frame F in the parent");
    s = sample_make();
    s.bodies[1].x_mb.r.m[0][0] = -1.0;
    check_refused(&s, ISO_ERR_RANGE, "body 'arm::base'", "determinant -1");
    s.bodies[1].x_mb.r.m[0][0] = 1.001;
    check_refused(&s, ISO_ERR_RANGE, "body 'arm::base'", "not orthonormal within 1e-06");
}

static void bodies_without_names_are_called_by_number(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    sample s = sample_make();
    s.bodies[2].mass = -1.0;
    iso_multibody mb;
    CHECK_STATUS(ctx, iso_multibody_create(ctx, s.bodies, 4, NULL, &mb), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "body 2: mass is -1 kg");
    test_context_destroy(ctx);
}

// Values written with few digits in a file are made exact.
static void nearly_unit_axes_are_normalised(void** state) {
    (void)state;
    sample s = sample_make();
    s.bodies[2].axis = iso_vec3_make(0.57735027, 0.57735027, 0.57735027);
    mechanism m = mechanism_make(s.bodies, 4);
    CHECK_NEAR(iso_vec3_norm(m.mb.bodies[2].axis), 1.0, 5e-16); // measured 0
    mechanism_destroy(&m);
}

static iso_status attempt_create(iso_context* ctx, void* user) {
    iso_multibody mb;
    const sample* s = user;
    iso_status status = iso_multibody_create(ctx, s->bodies, 4, k_names, &mb);
    iso_multibody_destroy(ctx, &mb);
    return status;
}

static void create_survives_every_allocation_failure(void** state) {
    (void)state;
    sample s = sample_make();
    int count = check_every_allocation_failure(attempt_create, &s);
    CHECK(count >= 6, "%d allocations", count);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sample_is_accepted_and_numbered),
        cmocka_unit_test(coordinates_of_a_tree_are_contiguous),
        cmocka_unit_test(joined_trees_are_one_block),
        cmocka_unit_test(nothing_but_the_world_is_accepted),
        cmocka_unit_test(parents_must_come_first),
        cmocka_unit_test(joints_that_move_no_inertia_are_refused),
        cmocka_unit_test(massless_bodies_between_others_are_accepted),
        cmocka_unit_test(drawn_mechanisms_are_refused_where_their_mass_matrix_is_singular),
        cmocka_unit_test(unphysical_inertia_is_refused),
        cmocka_unit_test(bad_joints_are_refused),
        cmocka_unit_test(bodies_without_names_are_called_by_number),
        cmocka_unit_test(nearly_unit_axes_are_normalised),
        cmocka_unit_test(create_survives_every_allocation_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
