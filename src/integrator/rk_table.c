// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "integrator/explicit_rk.h"

#include <math.h>

// [Kutta1901]
const iso_rk_table iso_rk_table_rk4 = {
    .name = "RK4",
    .stage_count = 4,
    .order = 4,
    .c = {0.0, 0.5, 0.5, 1.0},
    .a = {{0.0}, {0.5}, {0.0, 0.5}, {0.0, 0.0, 1.0}},
    .b = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0},
};

// [Bogacki1989]
const iso_rk_table iso_rk_table_rk23 = {
    .name = "Bogacki-Shampine 3(2)",
    .stage_count = 4,
    .order = 3,
    .embedded_order = 2,
    .is_fsal = true,
    .c = {0.0, 0.5, 0.75, 1.0},
    .a = {{0.0}, {0.5}, {0.0, 0.75}, {2.0 / 9.0, 1.0 / 3.0, 4.0 / 9.0}},
    .b = {2.0 / 9.0, 1.0 / 3.0, 4.0 / 9.0, 0.0},
    .b_embedded = {7.0 / 24.0, 1.0 / 4.0, 1.0 / 3.0, 1.0 / 8.0},
};

// [Dormand1980]
const iso_rk_table iso_rk_table_rk45 = {
    .name = "Dormand-Prince 5(4)",
    .stage_count = 7,
    .order = 5,
    .embedded_order = 4,
    .is_fsal = true,
    .c = {0.0, 1.0 / 5.0, 3.0 / 10.0, 4.0 / 5.0, 8.0 / 9.0, 1.0, 1.0},
    .a = {{0.0},
          {1.0 / 5.0},
          {3.0 / 40.0, 9.0 / 40.0},
          {44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0},
          {19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0},
          {9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0},
          {35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0}},
    .b = {35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0, 0.0},
    .b_embedded = {5179.0 / 57600.0, 0.0, 7571.0 / 16695.0, 393.0 / 640.0, -92097.0 / 339200.0,
                   187.0 / 2100.0, 1.0 / 40.0},
};

// Order conditions. A rooted tree stands for an elementary differential; its condition is
// sum_i b_i phi_i = 1/gamma. phi of two trees joined at the root is the product of theirs, phi of a
// tree put on a stem is A phi; the tree of one stem is c = A 1. [Hairer1993] II.2.
enum { JOINED, ON_STEM };
typedef struct rooted_tree {
    int made; // from earlier rows
    int x, y; // JOINED: both; ON_STEM: x
    int order;
    double gamma;
} rooted_tree;

// Row 0 is c itself, so row numbers start at 1 here.
static const rooted_tree k_trees[] = {
    {JOINED, 0, 0, 3, 3.0},    // 1  c c
    {ON_STEM, 0, 0, 3, 6.0},   // 2  A c
    {JOINED, 0, 1, 4, 4.0},    // 3  c c c
    {JOINED, 0, 2, 4, 8.0},    // 4  c A c
    {ON_STEM, 1, 0, 4, 12.0},  // 5  A (c c)
    {ON_STEM, 2, 0, 4, 24.0},  // 6  A A c
    {JOINED, 0, 3, 5, 5.0},    // 7  c c c c
    {JOINED, 1, 2, 5, 10.0},   // 8  c c A c
    {JOINED, 2, 2, 5, 20.0},   // 9  (A c) (A c)
    {JOINED, 0, 5, 5, 15.0},   // 10 c A (c c)
    {ON_STEM, 3, 0, 5, 20.0},  // 11 A (c c c)
    {JOINED, 0, 6, 5, 30.0},   // 12 c A A c
    {ON_STEM, 4, 0, 5, 40.0},  // 13 A (c A c)
    {ON_STEM, 5, 0, 5, 60.0},  // 14 A A (c c)
    {ON_STEM, 6, 0, 5, 120.0}, // 15 A A A c
};
enum { TREE_COUNT = sizeof k_trees / sizeof k_trees[0] };

typedef double stage_vector[ISO_RK_MAX_STAGES];

static void grow(const iso_rk_table* table, const rooted_tree* tree, const stage_vector* phi,
                 double* out) {
    const double* x = phi[tree->x];
    for (int i = 0; i < table->stage_count; ++i) {
        out[i] = 0.0;
        for (int j = 0; tree->made == ON_STEM && j < i; ++j) {
            out[i] += table->a[i][j] * x[j];
        }
        if (tree->made == JOINED) {
            out[i] = x[i] * phi[tree->y][i];
        }
    }
}

static bool holds(const iso_rk_table* table, const double* b, const double* phi, double gamma,
                  double tolerance) {
    double sum = 0.0;
    for (int i = 0; i < table->stage_count; ++i) {
        sum += b[i] * phi[i];
    }
    return fabs(sum - 1.0 / gamma) <= tolerance;
}

static bool is_consistent(const iso_rk_table* table, double tolerance) {
    for (int i = 0; i < table->stage_count; ++i) {
        double sum = 0.0;
        for (int j = 0; j < table->stage_count; ++j) {
            if (j >= i && table->a[i][j] != 0.0) {
                return false;
            }
            sum += table->a[i][j];
        }
        if (!(fabs(sum - table->c[i]) <= tolerance)) {
            return false;
        }
    }
    return true;
}

int iso_rk_table_verify(const iso_rk_table* table, bool is_embedded, double tolerance) {
    const double* b = is_embedded ? table->b_embedded : table->b;
    const stage_vector ones = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0};
    if (!is_consistent(table, tolerance) || !holds(table, b, ones, 1.0, tolerance)) {
        return 0;
    }
    if (!holds(table, b, table->c, 2.0, tolerance)) {
        return 1;
    }
    stage_vector phi[1 + TREE_COUNT];
    for (int i = 0; i < table->stage_count; ++i) {
        phi[0][i] = table->c[i];
    }
    for (int k = 0; k < TREE_COUNT; ++k) {
        grow(table, &k_trees[k], (const stage_vector*)phi, phi[1 + k]);
        if (!holds(table, b, phi[1 + k], k_trees[k].gamma, tolerance)) {
            return k_trees[k].order - 1;
        }
    }
    return 5;
}
