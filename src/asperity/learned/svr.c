// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "asperity/learned/model.h"

#ifdef ISO_HAS_LIBSVM

#include <libsvm/svm.h>
#include <math.h>
#include <string.h>

static void say_nothing(const char* text) {
    (void)text;
}

/// The rows as libsvm takes them, in both orders if symmetric: row i at i, or at 2 i and 2 i + 1.
typedef struct samples {
    struct svm_problem problem;
    struct svm_node* nodes; ///< [l * 7]
} samples;

static void samples_free(iso_context* ctx, samples* s) {
    iso_free(ctx, s->nodes);
    iso_free(ctx, s->problem.x);
    iso_free(ctx, s->problem.y);
}

static iso_status samples_make(iso_context* ctx, const iso_learned* m, samples* s) {
    int orders = m->is_symmetric ? 2 : 1, count = m->row_count * orders;
    *s = (samples){.problem.l = count};
    s->nodes = iso_alloc_array(ctx, count * (ISO_LEARNED_SIZE + 1), sizeof *s->nodes);
    s->problem.x = iso_alloc_array(ctx, count, sizeof *s->problem.x);
    s->problem.y = iso_alloc_array(ctx, count, sizeof *s->problem.y);
    ISO_REQUIRE(ctx, s->nodes && s->problem.x && s->problem.y, ISO_ERR_MEMORY, "%d samples", count);
    for (int i = 0; i < count; ++i) {
        const double* x = m->points + (i / orders) * ISO_LEARNED_SIZE;
        struct svm_node* node = s->nodes + i * (ISO_LEARNED_SIZE + 1);
        for (int k = 0; k < ISO_LEARNED_SIZE; ++k) {
            int from = i % orders == 1 ? (k + 3) % ISO_LEARNED_SIZE : k;
            node[k] = (struct svm_node){k + 1, x[from]};
        }
        node[ISO_LEARNED_SIZE] = (struct svm_node){-1, 0.0};
        s->problem.x[i] = node;
        s->problem.y[i] = m->rows[i / orders].friction;
    }
    return ISO_OK;
}

static void take(iso_learned* m, const struct svm_model* trained) {
    int orders = m->is_symmetric ? 2 : 1;
    m->bias = -trained->rho[0];
    m->support_count = trained->l;
    m->bound_count = 0;
    for (int i = 0; i < trained->l; ++i) {
        double value = trained->sv_coef[0][i];
        m->coefficients[(trained->sv_indices[i] - 1) / orders] += value;
        m->bound_count += fabs(value) >= m->penalty * (1.0 - 1e-9) ? 1 : 0;
    }
}

iso_status iso_learned_fit_svr(iso_learned* m) {
    iso_context* ctx = m->ctx;
    samples s;
    for (int k = 0; k < ISO_LEARNED_SIZE; ++k) {
        m->weights[k] = m->gamma;
    }
    iso_status status = samples_make(ctx, m, &s);
    if (status == ISO_OK) {
        struct svm_parameter parameter = {.svm_type = EPSILON_SVR,
                                          .kernel_type = RBF,
                                          .gamma = m->gamma,
                                          .cache_size = 16.0,
                                          .eps = 1e-9,
                                          .C = m->penalty,
                                          .p = m->epsilon};
        svm_set_print_string_function(say_nothing);
        struct svm_model* trained = svm_train(&s.problem, &parameter);
        take(m, trained);
        svm_free_and_destroy_model(&trained);
    }
    samples_free(ctx, &s);
    return status;
}

#else

iso_status iso_learned_fit_svr(iso_learned* m) {
    return iso_fail(m->ctx, ISO_ERR_UNSUPPORTED, __func__,
                    "support vectors need libsvm, which was not there when Isobar was built; a "
                    "Gaussian process does not");
}

#endif
