// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Problems and a run of a method, for the tests of ode.h.

#include "integrator/ode.h"

#include "integrator/stiff_equations.h"
#include "support/check.h"
#include "support/failing_context.h"
#include "support/random.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_COMPONENTS = 16 };

typedef struct ode_run {
    iso_context* ctx;
    const iso_ode_method* method;
    iso_ode_problem problem;
    iso_ode_state state;
    iso_ode_report report;
    double t, y[MOST_COMPONENTS], scales[MOST_COMPONENTS];
    int calls;
} ode_run;

static inline void ode_make(ode_run* r, const char* method, iso_ode_rhs_fn rhs, int dimension,
                            const double* y, void* user) {
    memset(r, 0, sizeof *r);
    r->ctx = test_context();
    r->method = iso_ode_find_method(method);
    CHECK(r->method != NULL, "no method %s", method);
    r->problem = (iso_ode_problem){.dimension = dimension, .rhs = rhs, .user = user};
    memcpy(r->y, y, (size_t)dimension * sizeof *y);
}

static inline iso_status ode_go(ode_run* r, double t_end, double accuracy) {
    free(r->state.work);
    size_t size = iso_ode_work_size(r->method, &r->problem);
    r->state.work = malloc(size > 0 ? size : 1);
    return iso_ode_advance(r->ctx, r->method, &r->problem, &r->t, r->y, t_end, accuracy, &r->state,
                           &r->report);
}

static inline void ode_destroy(ode_run* r) {
    free(r->state.work);
    test_context_destroy(r->ctx);
}
