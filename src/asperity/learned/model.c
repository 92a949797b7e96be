// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "asperity/learned/model.h"
#include "base/core/text.h"
#include "math/dense.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

iso_status iso_learned_check(iso_context* ctx, const iso_learned_material* m, const char* what) {
    ISO_REQUIRE(ctx, isfinite(m->young_modulus) && m->young_modulus > 0.0, ISO_ERR_RANGE,
                "%s: Young's modulus is %g Pa, expected finite and > 0", what, m->young_modulus);
    ISO_REQUIRE(ctx, m->poisson > -1.0 && m->poisson <= 0.5, ISO_ERR_RANGE,
                "%s: Poisson's ratio is %g, expected above -1, at most 0.5", what, m->poisson);
    ISO_REQUIRE(ctx, isfinite(m->density) && m->density > 0.0, ISO_ERR_RANGE,
                "%s: the density is %g kg/m^3, expected finite and > 0", what, m->density);
    return ISO_OK;
}

void iso_learned_features_of(iso_learned_features kind, const iso_learned_material* a,
                             const iso_learned_material* b, double* out) {
    const iso_learned_material* both[2] = {a, b};
    for (int i = 0; i < 2; ++i) {
        double e = 1e-9 * both[i]->young_modulus, rho = both[i]->density;
        out[3 * i] = kind == ISO_LEARNED_LOG ? log(e) : e;
        out[3 * i + 1] = both[i]->poisson;
        out[3 * i + 2] = kind == ISO_LEARNED_LOG ? log(rho) : rho;
    }
}

void iso_learned_point_of(const iso_learned* m, const double* features, double* out) {
    for (int i = 0; i < ISO_LEARNED_SIZE; ++i) {
        bool is_raw = m->features == ISO_LEARNED_RAW;
        out[i] = is_raw ? features[i] : (features[i] - m->centre[i]) / m->spread[i];
    }
}

double iso_learned_kernel(const iso_learned* m, const double* x, const double* y) {
    double straight = 0.0, swapped = 0.0;
    for (int i = 0; i < ISO_LEARNED_SIZE; ++i) {
        double d = x[i] - y[i], s = x[i] - y[(i + 3) % ISO_LEARNED_SIZE];
        straight += m->weights[i] * d * d;
        swapped += m->weights[i] * s * s;
    }
    return m->is_symmetric ? 0.5 * (exp(-straight) + exp(-swapped)) : exp(-straight);
}

// Mean and population standard deviation of the features, of both orders if symmetric.
static void standardise(iso_learned* m) {
    double sum[ISO_LEARNED_SIZE] = {0}, square[ISO_LEARNED_SIZE] = {0}, x[ISO_LEARNED_SIZE];
    int orders = m->is_symmetric ? 2 : 1;
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < m->row_count * orders; ++i) {
            const iso_learned_row* r = &m->rows[i / orders];
            bool is_swapped = i % orders == 1;
            iso_learned_features_of(m->features, is_swapped ? &r->b : &r->a,
                                    is_swapped ? &r->a : &r->b, x);
            for (int k = 0; k < ISO_LEARNED_SIZE; ++k) {
                sum[k] += pass == 0 ? x[k] : 0.0;
                square[k] += pass == 1 ? (x[k] - m->centre[k]) * (x[k] - m->centre[k]) : 0.0;
            }
        }
        for (int k = 0; k < ISO_LEARNED_SIZE; ++k) {
            m->centre[k] = sum[k] / (m->row_count * orders);
            m->spread[k] = sqrt(square[k] / (m->row_count * orders));
        }
    }
    for (int k = 0; k < ISO_LEARNED_SIZE; ++k) {
        bool is_even = m->spread[k] <= 1e-12 * fabs(m->centre[k]); // the same in all rows
        m->spread[k] = is_even ? fmax(fabs(m->centre[k]), 1e-12) : m->spread[k];
    }
    for (int i = 0; i < m->row_count; ++i) {
        iso_learned_features_of(m->features, &m->rows[i].a, &m->rows[i].b, x);
        iso_learned_point_of(m, x, m->points + i * ISO_LEARNED_SIZE);
    }
}

static void collect_materials(iso_learned* m) {
    for (int i = 0; i < 2 * m->row_count; ++i) {
        const iso_learned_material* x = i % 2 ? &m->rows[i / 2].b : &m->rows[i / 2].a;
        if (x->name[0] != '\0' && !iso_learned_find(m, x->name)) {
            m->materials[m->material_count++] = *x;
        }
    }
}

static iso_status check_desc(iso_context* ctx, const iso_learned_desc* d) {
    char what[32];
    ISO_REQUIRE(ctx, d->rows && d->row_count >= 3 && d->row_count <= ISO_LEARNED_ROWS_MAX,
                ISO_ERR_RANGE, "there are %d rows to learn from, expected 4 to %d", d->row_count,
                ISO_LEARNED_ROWS_MAX);
    ISO_REQUIRE(ctx, isfinite(d->epsilon) && d->epsilon >= 0.0, ISO_ERR_RANGE,
                "epsilon is %g, expected finite and >= 0", d->epsilon);
    ISO_REQUIRE(ctx, isfinite(d->penalty) && d->penalty > 0.0, ISO_ERR_RANGE,
                "the penalty C is %g, expected finite and > 0", d->penalty);
    ISO_REQUIRE(ctx, isfinite(d->gamma) && d->gamma > 0.0, ISO_ERR_RANGE,
                "gamma is %g, expected finite and > 0", d->gamma);
    ISO_REQUIRE(ctx, d->kind == ISO_LEARNED_SVR || d->features != ISO_LEARNED_RAW, ISO_ERR_ARGUMENT,
                "a Gaussian process of raw features, expected standardised or logarithmic ones");
    for (int i = 0; i < d->row_count; ++i) {
        iso_status status = ISO_OK;
        (void)snprintf(what, sizeof what, "row %d", i + 1);
        status = iso_learned_check(ctx, &d->rows[i].a, what);
        status = status == ISO_OK ? iso_learned_check(ctx, &d->rows[i].b, what) : status;
        if (status != ISO_OK) {
            return status;
        }
        ISO_REQUIRE(ctx, isfinite(d->rows[i].friction) && d->rows[i].friction >= 0.0, ISO_ERR_RANGE,
                    "row %d: friction is %g, expected finite and >= 0", i + 1, d->rows[i].friction);
    }
    return ISO_OK;
}

iso_status iso_learned_begin(iso_context* ctx, const iso_learned_desc* desc, iso_learned** out) {
    *out = NULL;
    iso_status status = check_desc(ctx, desc);
    if (status != ISO_OK) {
        return status;
    }
    int n = desc->row_count;
    iso_learned* m = iso_alloc_zeroed(ctx, sizeof *m);
    ISO_REQUIRE(ctx, m, ISO_ERR_MEMORY, "model of friction");
    m->ctx = ctx;
    m->kind = desc->kind;
    m->features = desc->features;
    m->is_symmetric = desc->is_symmetric;
    m->epsilon = desc->epsilon;
    m->penalty = desc->penalty;
    m->gamma = desc->gamma;
    m->row_count = n;
    m->rows = iso_alloc_array(ctx, n, sizeof *m->rows);
    m->points = iso_alloc_array(ctx, n * (ISO_LEARNED_SIZE + 1), sizeof(double));
    m->materials = iso_alloc_array(ctx, 2 * n, sizeof *m->materials);
    m->factor = desc->kind == ISO_LEARNED_GP ? iso_alloc_array(ctx, n * n, sizeof(double)) : NULL;
    ISO_CHECK(ctx, m->rows && m->points && m->materials && (m->factor || !desc->kind),
              ISO_ERR_MEMORY, "model of %d rows", n);
    m->coefficients = m->points + n * ISO_LEARNED_SIZE;
    memset(m->coefficients, 0, (size_t)n * sizeof(double));
    memcpy(m->rows, desc->rows, (size_t)n * sizeof *m->rows);
    standardise(m);
    collect_materials(m);
    *out = m;

done:
    if (status != ISO_OK) {
        iso_learned_destroy(m);
    }
    return status;
}

void iso_learned_destroy(iso_learned* model) {
    if (model) {
        iso_context* ctx = model->ctx;
        iso_free(ctx, model->rows);
        iso_free(ctx, model->points);
        iso_free(ctx, model->materials);
        iso_free(ctx, model->factor);
        iso_free(ctx, model);
    }
}

const iso_learned_material* iso_learned_find(const iso_learned* model, const char* name) {
    for (int i = 0; model && name && i < model->material_count; ++i) {
        if (iso_text_equals_folded(model->materials[i].name, name)) {
            return &model->materials[i];
        }
    }
    return NULL;
}

int iso_learned_material_count(const iso_learned* model) {
    return model ? model->material_count : 0;
}

const iso_learned_material* iso_learned_material_at(const iso_learned* model, int index) {
    bool is_there = model && index >= 0 && index < model->material_count;
    return is_there ? &model->materials[index] : NULL;
}

void iso_learned_at(const iso_learned* m, const double* point, double* out_mean,
                    double* out_deviation) {
    double mean = m->bias, k[ISO_LEARNED_ROWS_MAX];
    for (int i = 0; i < m->row_count; ++i) {
        k[i] = iso_learned_kernel(m, m->points + i * ISO_LEARNED_SIZE, point);
        mean += m->coefficients[i] * k[i];
    }
    *out_mean = mean;
    *out_deviation = 1.0;
    if (m->kind != ISO_LEARNED_GP) {
        return;
    }
    double rest = m->variance * iso_learned_kernel(m, point, point) + m->mean_variance;
    for (int i = 0; i < m->row_count; ++i) {
        k[i] = m->variance * k[i] + m->mean_variance;
    }
    iso_cholesky_forward(m->factor, m->row_count, m->row_count, k);
    for (int i = 0; i < m->row_count; ++i) {
        rest -= k[i] * k[i];
    }
    *out_deviation = sqrt(fmax(rest, 0.0) + m->noise_variance);
}

iso_status iso_learned_predict(const iso_learned* model, const iso_learned_material* a,
                               const iso_learned_material* b, iso_learned_value* out_value) {
    ISO_REQUIRE(model ? model->ctx : NULL, model && a && b && out_value, ISO_ERR_ARGUMENT,
                "model, both materials and out_value are required");
    *out_value = (iso_learned_value){0};
    iso_status status = iso_learned_check(model->ctx, a, "the first material");
    status = status == ISO_OK ? iso_learned_check(model->ctx, b, "the second material") : status;
    if (status != ISO_OK) {
        return status;
    }
    double x[ISO_LEARNED_SIZE], point[ISO_LEARNED_SIZE], mean = 0.0, deviation = 0.0;
    iso_learned_features_of(model->features, a, b, x);
    iso_learned_point_of(model, x, point);
    iso_learned_at(model, point, &mean, &deviation);
    *out_value = (iso_learned_value){.friction = fmax(mean, 0.0),
                                     .low = fmax(mean - model->interval * deviation, 0.0),
                                     .high = fmax(mean + model->interval * deviation, 0.0),
                                     .outside = iso_learned_outside(model, x)};
    return ISO_OK;
}
