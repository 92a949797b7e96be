// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "asperity/contact/system.h"

#include <string.h>

static iso_status check_law(iso_context* ctx, const iso_barrier_law* law) {
    ISO_REQUIRE(ctx, isfinite(law->reach) && law->reach > 0.0, ISO_ERR_RANGE,
                "the barrier's reach is %g m, expected finite and > 0", law->reach);
    ISO_REQUIRE(ctx, isfinite(law->stiffness) && law->stiffness > 0.0, ISO_ERR_RANGE,
                "the barrier's stiffness is %g J/m^4, expected finite and > 0", law->stiffness);
    ISO_REQUIRE(ctx, isfinite(law->friction) && law->friction >= 0.0, ISO_ERR_RANGE,
                "the local coefficient of friction is %g, expected finite and >= 0", law->friction);
    ISO_REQUIRE(ctx, isfinite(law->slip_speed) && law->slip_speed > 0.0, ISO_ERR_RANGE,
                "the slip speed of friction is %g m/s, expected finite and > 0", law->slip_speed);
    return ISO_OK;
}

static iso_status allocate(iso_context* ctx, iso_elastic_system* s) {
    double** arrays[] = {&s->x,          &s->v,     &s->push,  &s->spring,
                         &s->spring_end, &s->begin, &s->ahead, &s->gradient,
                         &s->direction,  &s->trial, &s->damped};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i) {
        *arrays[i] = iso_alloc_array(ctx, s->size, sizeof(double));
        ISO_REQUIRE(ctx, *arrays[i], ISO_ERR_MEMORY, "%d numbers", s->size);
    }
    s->fixed = iso_alloc_array(ctx, s->size, sizeof *s->fixed);
    ISO_REQUIRE(ctx, s->fixed, ISO_ERR_MEMORY, "%d numbers", s->size);
    bool is_damped = false;
    for (int i = 0; i < s->e->element_count; ++i) {
        is_damped = is_damped || s->e->damping[i] > 0.0;
    }
    if (is_damped) {
        int block = s->e->dimension * (s->e->dimension + 1);
        size_t bytes = (size_t)s->e->element_count * (size_t)(block * block) * sizeof(double);
        s->blocks = iso_alloc(ctx, bytes);
        ISO_REQUIRE(ctx, s->blocks, ISO_ERR_MEMORY, "damping of %d elements", s->e->element_count);
    }
    return ISO_OK;
}

iso_status iso_elastic_system_create(iso_context* ctx, const iso_elastic* e,
                                     const iso_barrier_law* law, iso_elastic_system** out) {
    *out = NULL;
    iso_status status = check_law(ctx, law);
    if (status != ISO_OK) {
        return status;
    }
    iso_elastic_system* s = iso_alloc_zeroed(ctx, sizeof *s);
    ISO_REQUIRE(ctx, s, ISO_ERR_MEMORY, "system of elastic bodies");
    s->ctx = s->sparse.ctx = s->skin.ctx = s->skin.hash.ctx = ctx;
    s->e = e;
    s->law = *law;
    s->size = e->vertex_count * e->dimension;
    ISO_TRY(allocate(ctx, s));
    memcpy(s->x, e->rest, (size_t)s->size * sizeof(double));
    ISO_TRY(iso_skin_init(ctx, e, &s->skin));
    ISO_TRY(iso_skin_check_apart(&s->skin, e, s->x));
    *out = s;

done:
    if (status != ISO_OK) {
        iso_elastic_system_destroy(s);
    }
    return status;
}

void iso_elastic_system_destroy(iso_elastic_system* s) {
    if (s == NULL) {
        return;
    }
    iso_context* ctx = s->ctx;
    double* arrays[] = {s->x,     s->v,        s->push,      s->spring, s->spring_end, s->begin,
                        s->ahead, s->gradient, s->direction, s->trial,  s->damped,     s->blocks};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i) {
        iso_free(ctx, arrays[i]);
    }
    iso_free(ctx, s->fixed);
    for (int i = 0; i < 2; ++i) {
        iso_free(ctx, s->guides[i].vertices);
        iso_free(ctx, s->guides[i].levers);
    }
    iso_skin_free(&s->skin);
    iso_sparse_free(&s->sparse);
    ISO_ARRAY_FREE(ctx, &s->lagged);
    iso_free(ctx, s);
}

double iso_guide_tilt(const iso_elastic_system* s, const iso_guide* guide, const double* x) {
    int d = s->e->dimension;
    double tilt = 0.0;
    for (int i = 0; i < guide->count; ++i) {
        int at = guide->vertices[i] * d + d - 1;
        tilt += guide->levers[i] * (x[at] - s->e->rest[at]);
    }
    return tilt;
}

void iso_guide_add(const iso_elastic_system* s, const iso_guide* guide, double factor,
                   double* out) {
    int d = s->e->dimension;
    for (int i = 0; i < guide->count; ++i) {
        out[guide->vertices[i] * d + d - 1] += factor * guide->levers[i];
    }
}
