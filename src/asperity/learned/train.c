// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "asperity/lab.h"
#include "asperity/learned/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

iso_learned_desc iso_learned_desc_default(void) {
    iso_learned_desc desc = {.kind = ISO_LEARNED_SVR,
                             .features = ISO_LEARNED_STANDARD,
                             .is_symmetric = true,
                             .epsilon = 0.1,
                             .penalty = 0.5,
                             .gamma = 1.0 / 6.0};
    desc.rows = iso_learned_table(&desc.row_count);
    return desc;
}

iso_status iso_learned_fit(iso_context* ctx, const iso_learned_desc* desc, iso_learned** out) {
    iso_status status = iso_learned_begin(ctx, desc, out);
    if (status == ISO_OK) {
        status =
            desc->kind == ISO_LEARNED_GP ? iso_learned_fit_gp(*out) : iso_learned_fit_svr(*out);
        if (status != ISO_OK) {
            iso_learned_destroy(*out);
            *out = NULL;
        }
    }
    return status;
}

/// Each row by a model that has not seen it.
typedef struct left_out {
    double* means;      ///< [row_count]
    double* deviations; ///< [row_count]
    double* misses;     ///< [row_count] |row - mean| / deviation
    double* sorted;     ///< [row_count] scratch
} left_out;

static iso_status leave_out(iso_context* ctx, const iso_learned_desc* desc, left_out* l) {
    iso_status status = ISO_OK;
    iso_learned_row* others = iso_alloc_array(ctx, desc->row_count, sizeof *others);
    ISO_REQUIRE(ctx, others, ISO_ERR_MEMORY, "%d rows", desc->row_count);
    for (int i = 0; status == ISO_OK && i < desc->row_count; ++i) {
        iso_learned_desc less = *desc;
        iso_learned* m = NULL;
        double x[ISO_LEARNED_SIZE], point[ISO_LEARNED_SIZE];
        memcpy(others, desc->rows, (size_t)i * sizeof *others);
        memcpy(others + i, desc->rows + i + 1, (size_t)(desc->row_count - 1 - i) * sizeof *others);
        less.rows = others;
        less.row_count = desc->row_count - 1;
        status = iso_learned_fit(ctx, &less, &m);
        if (status == ISO_OK) {
            const iso_learned_row* r = &desc->rows[i];
            iso_learned_features_of(m->features, &r->a, &r->b, x);
            iso_learned_point_of(m, x, point);
            iso_learned_at(m, point, &l->means[i], &l->deviations[i]);
            l->misses[i] = fabs(r->friction - l->means[i]) / l->deviations[i];
        }
        iso_learned_destroy(m);
    }
    iso_free(ctx, others);
    return status;
}

// The miss that 90 % of the rows, and one more of which nothing is known, stay below; a row may be
// left out (-1: none). [Vovk2005], split conformal prediction.
static double quantile(const left_out* l, int count, int without) {
    int kept = 0;
    for (int i = 0; i < count; ++i) {
        l->sorted[kept] = l->misses[i];
        kept += i != without ? 1 : 0;
    }
    qsort(l->sorted, (size_t)kept, sizeof *l->sorted, iso_lab_compare);
    int rank = (int)ceil(0.9 * (kept + 1));
    return l->sorted[(rank < kept ? rank : kept) - 1];
}

static void count_errors(const iso_learned_desc* desc, const left_out* l, iso_learned_report* r) {
    double sum = 0.0;
    int n = desc->row_count, within = 0;
    for (int i = 0; i < n; ++i) {
        sum += desc->rows[i].friction;
    }
    for (int i = 0; i < n; ++i) {
        double y = desc->rows[i].friction, d = y - l->means[i], e = y - (sum - y) / (n - 1);
        r->loo_mae += fabs(d) / n;
        r->loo_rmse += d * d / n;
        r->mean_mae += fabs(e) / n;
        r->mean_rmse += e * e / n;
        double width = quantile(l, n, i);
        within += l->misses[i] <= width ? 1 : 0;
        r->interval += width * l->deviations[i] / n;
    }
    r->loo_rmse = sqrt(r->loo_rmse);
    r->mean_rmse = sqrt(r->mean_rmse);
    r->coverage = (double)within / n;
}

static void count_training(const iso_learned* m, iso_learned_report* r) {
    double sum = 0.0, square = 0.0, error = 0.0;
    int n = m->row_count;
    for (int i = 0; i < n; ++i) {
        double mean = 0.0, deviation = 0.0, y = m->rows[i].friction;
        iso_learned_at(m, m->points + i * ISO_LEARNED_SIZE, &mean, &deviation);
        r->train_mae += fabs(y - mean) / n;
        error += (y - mean) * (y - mean) / n;
        sum += y / n;
        square += y * y / n;
    }
    r->train_rmse = sqrt(error);
    r->train_r2 = 1.0 - error / fmax(square - sum * sum, 1e-300);
    r->row_count = n;
    r->support_count = m->support_count;
    r->bound_count = m->bound_count;
    r->bias = m->bias;
    for (int k = 0; m->kind == ISO_LEARNED_GP && k < 3; ++k) {
        r->lengths[k] = sqrt(0.5 / m->weights[k]);
    }
    r->noise = sqrt(m->noise_variance);
}

static iso_status left_out_make(iso_context* ctx, int count, left_out* l) {
    l->means = iso_alloc_array(ctx, 4 * count, sizeof(double));
    ISO_REQUIRE(ctx, l->means, ISO_ERR_MEMORY, "%d rows", count);
    l->deviations = l->means + count;
    l->misses = l->deviations + count;
    l->sorted = l->misses + count;
    return ISO_OK;
}

// The model and, where wanted, the report of it.
static iso_status train(iso_context* ctx, const iso_learned_desc* desc, iso_learned** out_model,
                        iso_learned_report* out_report, double* out_left_out) {
    left_out l = {0};
    iso_learned* m = NULL;
    iso_status status = ISO_OK;
    ISO_REQUIRE(ctx, desc->row_count >= 4, ISO_ERR_RANGE,
                "there are %d rows to learn from, expected at least 4", desc->row_count);
    ISO_TRY(iso_learned_fit(ctx, desc, &m));
    ISO_TRY(left_out_make(ctx, desc->row_count, &l));
    ISO_TRY(leave_out(ctx, desc, &l));
    m->interval = quantile(&l, desc->row_count, -1);
    if (out_report) {
        count_training(m, out_report);
        count_errors(desc, &l, out_report);
    }
    if (out_left_out) {
        memcpy(out_left_out, l.means, (size_t)desc->row_count * sizeof *l.means);
    }
    if (out_model) {
        *out_model = m;
        m = NULL;
    }

done:
    iso_free(ctx, l.means);
    iso_learned_destroy(m);
    return status;
}

iso_status iso_learned_train(iso_context* ctx, const iso_learned_desc* desc,
                             iso_learned** out_model) {
    ISO_REQUIRE(ctx, desc && out_model, ISO_ERR_ARGUMENT, "desc and out_model are required");
    *out_model = NULL;
    return train(ctx, desc, out_model, NULL, NULL);
}

iso_status iso_learned_evaluate(iso_context* ctx, const iso_learned_desc* desc,
                                iso_learned_report* out_report, double* out_left_out,
                                iso_learned** out_model) {
    ISO_REQUIRE(ctx, desc && out_report, ISO_ERR_ARGUMENT, "desc and out_report are required");
    *out_report = (iso_learned_report){0};
    if (out_model) {
        *out_model = NULL;
    }
    return train(ctx, desc, out_model, out_report, out_left_out);
}
