// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Problems and a run of a method, for the tests of ode.h.

#include "integrator/ode.h"

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

/// Three species; rates over nine decades. [Hairer1996] IV.1.
static inline iso_status robertson(void* user, double t, const double* y, double* out) {
    (void)user;
    (void)t;
    out[0] = -0.04 * y[0] + 1e4 * y[1] * y[2];
    out[2] = 3e7 * y[1] * y[1];
    out[1] = -out[0] - out[2];
    return ISO_OK;
}

/// user: double mu.
static inline iso_status van_der_pol(void* user, double t, const double* y, double* out) {
    (void)t;
    double mu = *(const double*)user;
    out[0] = y[1];
    out[1] = mu * (1.0 - y[0] * y[0]) * y[1] - y[0];
    return ISO_OK;
}

/// Eight species of a plant's growth. [Hairer1996] IV.10.
static inline iso_status hires(void* user, double t, const double* y, double* d) {
    (void)user;
    (void)t;
    d[0] = -1.71 * y[0] + 0.43 * y[1] + 8.32 * y[2] + 0.0007;
    d[1] = 1.71 * y[0] - 8.75 * y[1];
    d[2] = -10.03 * y[2] + 0.43 * y[3] + 0.035 * y[4];
    d[3] = 8.32 * y[1] + 1.71 * y[2] - 1.12 * y[3];
    d[4] = -1.745 * y[4] + 0.43 * y[5] + 0.43 * y[6];
    d[5] = -280.0 * y[5] * y[7] + 0.69 * y[3] + 1.71 * y[4] - 0.43 * y[5] + 0.69 * y[6];
    d[6] = 280.0 * y[5] * y[7] - 1.81 * y[6];
    d[7] = -d[6];
    return ISO_OK;
}
