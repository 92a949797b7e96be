// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Jacobians that move the twist of a free body to another point have products of their own: they
// must be those of the dense ones.

#include "solver/term.h"
#include "support/check.h"
#include "support/random.h"

#include <string.h>

enum { k_stride = 14 };

typedef struct rig {
    double jacobian_a[36], jacobian_b[36];
    int v_index[3];
    iso_potential potential;
    iso_convex_problem problem;
    iso_newton_term term;
    double blocks[3][6 * k_stride]; // of A, of B, of both
} rig;

static void fill_shift(test_random* random, double sign, double j[36]) {
    iso_vec3 q = test_random_vec3(random, -2.0, 2.0);
    const double rows[36] = {1, 0,    0,   0, 0, 0, 0,   1, 0,    0, 0, 0, 0,    0,   1, 0, 0, 0,
                             0, -q.z, q.y, 1, 0, 0, q.z, 0, -q.x, 0, 1, 0, -q.y, q.x, 0, 0, 0, 1};
    for (int i = 0; i < 36; ++i) {
        j[i] = sign * rows[i];
    }
}

static void fill_hessian(test_random* random, double* hessian) {
    double root[36];
    for (int i = 0; i < 36; ++i) {
        root[i] = test_random_normal(random);
    }
    for (int i = 0; i < 6; ++i) {
        for (int j = 0; j < 6; ++j) {
            hessian[6 * i + j] = 0.0;
            for (int k = 0; k < 6; ++k) {
                hessian[6 * i + j] += root[6 * i + k] * root[6 * j + k];
            }
        }
    }
}

static void make(rig* r, uint64_t seed, bool has_b, bool is_transposed) {
    test_random random = test_random_make(seed);
    memset(r, 0, sizeof *r);
    fill_shift(&random, seed % 2 == 0 ? 1.0 : -1.0, r->jacobian_a);
    fill_shift(&random, 1.0, r->jacobian_b);
    r->v_index[1] = 6;
    r->v_index[2] = 12;
    r->potential = (iso_potential){.rows = 6,
                                   .tree_a = 0,
                                   .tree_b = has_b ? 1 : -1,
                                   .jacobian_a = r->jacobian_a,
                                   .jacobian_b = r->jacobian_b};
    r->problem = (iso_convex_problem){
        .tree_count = 2, .v_index = r->v_index, .potential_count = 1, .potentials = &r->potential};
    r->term.diagonal_a = (iso_block_view){r->blocks[0], k_stride, false};
    r->term.diagonal_b = (iso_block_view){r->blocks[1], k_stride, false};
    r->term.coupling = (iso_block_view){r->blocks[2], k_stride, is_transposed};
    iso_term_init(&r->term, &r->problem, 0);
    fill_hessian(&random, r->term.hessian);
}

// Upper triangles of the diagonal blocks, and all of the coupling.
static double largest_difference(const rig* x, const rig* y) {
    double largest = 0.0;
    for (int b = 0; b < 3; ++b) {
        for (int i = 0; i < 6; ++i) {
            for (int j = b < 2 ? i : 0; j < 6; ++j) {
                int at = i * k_stride + j;
                largest = fmax(largest, fabs(x->blocks[b][at] - y->blocks[b][at]));
            }
        }
    }
    return largest;
}

static void shifted_products_are_those_of_dense_jacobians(void** state) {
    (void)state;
    double product[2 * 36], v[12], f[6];
    for (int seed = 1; seed <= 40; ++seed) {
        rig shifted, dense;
        test_random random = test_random_make((uint64_t)seed + 1000);
        for (int i = 0; i < 12; ++i) {
            v[i] = test_random_normal(&random);
            f[i / 2] = test_random_normal(&random);
        }
        make(&shifted, (uint64_t)seed, seed % 5 != 0, seed % 3 == 0);
        make(&dense, (uint64_t)seed, seed % 5 != 0, seed % 3 == 0);
        assert_true(shifted.term.is_shift);
        dense.term.is_shift = false;
        iso_term_add_hessian(&shifted.term, product);
        iso_term_add_hessian(&dense.term, product);
        CHECK_AT_MOST(largest_difference(&shifted, &dense), 1e-12); // measured 7.1e-15
        double u[2][6] = {{0.0}}, y[2][12] = {{0.0}};
        iso_term_velocity(&shifted.term, v, u[0]);
        iso_term_velocity(&dense.term, v, u[1]);
        iso_term_add_transposed(&shifted.term, -0.7, f, y[0]);
        iso_term_add_transposed(&dense.term, -0.7, f, y[1]);
        CHECK_ARRAY_NEAR(u[0], u[1], 6, 1e-14);  // measured 1.8e-15
        CHECK_ARRAY_NEAR(y[0], y[1], 12, 1e-14); // measured 4.4e-16
    }
}

// What is next to a block in its row is another block.
static void nothing_beside_a_block_changes(void** state) {
    (void)state;
    double product[2 * 36];
    rig r;
    make(&r, 3, true, false);
    iso_term_add_hessian(&r.term, product);
    for (int b = 0; b < 3; ++b) {
        for (int i = 0; i < 6; ++i) {
            for (int j = 6; j < k_stride; ++j) {
                CHECK_BITS(r.blocks[b][i * k_stride + j], 0.0);
            }
        }
    }
}

static void other_jacobians_are_not_taken_for_shifts(void** state) {
    (void)state;
    rig r;
    make(&r, 1, true, false);
    for (int i = 0; i < 36; ++i) {
        double kept = r.jacobian_b[i];
        r.jacobian_b[i] = kept + 1e-3;
        iso_term_init(&r.term, &r.problem, 0);
        CHECK(!r.term.is_shift, "entry %d", i);
        r.jacobian_b[i] = kept;
    }
    iso_term_init(&r.term, &r.problem, 0);
    assert_true(r.term.is_shift);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shifted_products_are_those_of_dense_jacobians),
        cmocka_unit_test(nothing_beside_a_block_changes),
        cmocka_unit_test(other_jacobians_are_not_taken_for_shifts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
