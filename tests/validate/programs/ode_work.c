// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Work and precision of the methods of integrator/ode.h on problems with published ends: one line
// for each method, problem and accuracy. The error is the largest relative one at the end.

#include "integrator/ode.h"
#include "integrator/stiff_equations.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 8 };

typedef struct test_problem {
    const char* name;
    iso_ode_rhs_fn rhs;
    int dimension;
    double t_end, scale;
    double start[MOST], end[MOST];
} test_problem;

// Ends of the test set for initial value problems of Bari.
static const test_problem k_problems[] = {
    {"robertson",
     robertson,
     3,
     1e11,
     1e-9,
     {1.0, 0.0, 0.0},
     {0.2083340149701255e-7, 0.8333360770334713e-13, 0.9999999791665050}},
    {"van_der_pol",
     van_der_pol,
     2,
     2000.0,
     1e-3,
     {2.0, 0.0},
     {1.706167732170483, -0.8928097010247975e-3}},
    {"hires",
     hires,
     8,
     321.8122,
     1e-4,
     {1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0057},
     {0.7371312573325668e-3, 0.1442485726316185e-3, 0.5888729740967575e-4, 0.1175651343283149e-2,
      0.2386356198831331e-2, 0.6238968252742796e-2, 0.2849998395185769e-2, 0.2850001604814231e-2}},
};

static void run(iso_context* ctx, const iso_ode_method* method, const test_problem* p,
                double accuracy) {
    double scales[MOST], y[MOST], t = 0.0, error = 0.0;
    for (int i = 0; i < MOST; ++i) {
        scales[i] = p->scale;
    }
    memcpy(y, p->start, sizeof y);
    double mu = 1e3; // of van der Pol's equation
    iso_ode_problem problem = {
        .dimension = p->dimension, .rhs = p->rhs, .user = &mu, .scales = scales, .relative = 1.0};
    iso_ode_state state = {.work = malloc(iso_ode_work_size(method, &problem))};
    iso_ode_report report;
    clock_t begin = clock();
    iso_status status =
        iso_ode_advance(ctx, method, &problem, &t, y, p->t_end, accuracy, &state, &report);
    double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    for (int i = 0; i < p->dimension; ++i) {
        error = fmax(error, fabs(y[i] / p->end[i] - 1.0));
    }
    printf("{\"problem\": \"%s\", \"method\": \"%s\", \"accuracy\": %g, \"ok\": %s, \"error\": %g, "
           "\"steps\": %d, \"rhs\": %d, \"jacobians\": %d, \"factors\": %d, \"seconds\": %g}\n",
           p->name, method->name, accuracy, status == ISO_OK ? "true" : "false", error,
           report.accepted_count, report.rhs_count, report.jacobian_count, report.factor_count,
           seconds);
    free(state.work);
}

int main(void) {
    iso_context* ctx = NULL;
    if (iso_context_create(NULL, &ctx) != ISO_OK) {
        return 1;
    }
    for (int p = 0; p < (int)(sizeof k_problems / sizeof *k_problems); ++p) {
        const iso_ode_method* method = NULL;
        for (int m = 0; (method = iso_ode_method_at(m)); ++m) {
            for (int k = 3; method->is_stiff && method->most_order > 1 && k <= 9; ++k) {
                run(ctx, method, &k_problems[p], pow(10.0, -k));
            }
        }
    }
    iso_context_destroy(ctx);
    return 0;
}
