// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "asperity/elastic/body.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"

#include <string.h>

iso_status iso_elastic_material_check(iso_context* ctx, const iso_elastic_material* m) {
    ISO_REQUIRE(ctx, m->young >= 1e-3 && m->young <= 1e15, ISO_ERR_RANGE,
                "Young's modulus is %g Pa, expected in [1e-3, 1e15]", m->young);
    ISO_REQUIRE(ctx, m->poisson > -1.0 && m->poisson < 0.5, ISO_ERR_RANGE,
                "Poisson's ratio is %g, expected in (-1, 0.5)", m->poisson);
    ISO_REQUIRE(ctx, m->density >= 1e-6 && m->density <= 1e9, ISO_ERR_RANGE,
                "the density is %g kg/m^3, expected in [1e-6, 1e9]", m->density);
    ISO_REQUIRE(ctx, isfinite(m->mass_damping) && m->mass_damping >= 0.0, ISO_ERR_RANGE,
                "the damping alpha is %g 1/s, expected finite and >= 0", m->mass_damping);
    ISO_REQUIRE(ctx, isfinite(m->stiffness_damping) && m->stiffness_damping >= 0.0, ISO_ERR_RANGE,
                "the damping beta is %g s, expected finite and >= 0", m->stiffness_damping);
    return ISO_OK;
}

static iso_status check(iso_context* ctx, const iso_elastic_desc* d) {
    ISO_REQUIRE(ctx, d->dimension == 2 || d->dimension == 3, ISO_ERR_RANGE,
                "dimension is %d, expected 2 or 3", d->dimension);
    ISO_REQUIRE(ctx,
                d->vertices && d->elements && d->materials && d->vertex_count > d->dimension &&
                    d->element_count > 0 && d->material_count > 0,
                ISO_ERR_ARGUMENT, "vertices, elements and materials are required");
    for (int i = 0; i < d->material_count; ++i) {
        iso_status status = iso_elastic_material_check(ctx, &d->materials[i]);
        if (status != ISO_OK) {
            return iso_fail_prefix(ctx, status, "material %d", i);
        }
    }
    for (int i = 0; i < d->vertex_count * d->dimension; ++i) {
        ISO_REQUIRE(ctx, isfinite(d->vertices[i]), ISO_ERR_RANGE,
                    "vertex %d lies at %g m, expected finite", i / d->dimension, d->vertices[i]);
    }
    for (int i = 0; i < d->element_count * (d->dimension + 1); ++i) {
        ISO_REQUIRE(ctx, d->elements[i] >= 0 && d->elements[i] < d->vertex_count, ISO_ERR_RANGE,
                    "element %d has vertex %d, expected 0 to %d", i / (d->dimension + 1),
                    d->elements[i], d->vertex_count - 1);
    }
    for (int i = 0; d->material_of && i < d->element_count; ++i) {
        ISO_REQUIRE(ctx, d->material_of[i] >= 0 && d->material_of[i] < d->material_count,
                    ISO_ERR_RANGE, "element %d has material %d, expected 0 to %d", i,
                    d->material_of[i], d->material_count - 1);
    }
    return ISO_OK;
}

// Gradients of the hat functions are the rows of the inverse of D_m, its columns the edges to the
// last vertex (3.13); that of the last vertex makes their sum zero.
static double fill_slopes(const iso_elastic* e, int element) {
    int d = e->dimension;
    const int* v = e->elements + element * (d + 1);
    double edges[9], inverse[9], volume = 0.0;
    for (int j = 0; j < d; ++j) {
        for (int i = 0; i < d; ++i) {
            edges[i * d + j] = e->rest[v[j] * d + i] - e->rest[v[d] * d + i];
        }
    }
    volume = iso_inverse_transposed(d, edges, inverse);
    if (!(volume > 0.0)) {
        return volume;
    }
    double* slopes = e->slopes + element * (d + 1) * d;
    for (int i = 0; i < d; ++i) {
        double sum = 0.0;
        for (int j = 0; j < d; ++j) {
            slopes[j * d + i] = inverse[i * d + j];
            sum += inverse[i * d + j];
        }
        slopes[d * d + i] = -sum;
    }
    return volume / (d == 2 ? 2.0 : 6.0);
}

static iso_status fill(iso_context* ctx, const iso_elastic_desc* desc, iso_elastic* e) {
    int d = e->dimension;
    memcpy(e->rest, desc->vertices, (size_t)(e->vertex_count * d) * sizeof(double));
    memcpy(e->elements, desc->elements, (size_t)(e->element_count * (d + 1)) * sizeof(int));
    for (int i = 0; i < e->element_count; ++i) {
        const iso_elastic_material* m =
            &desc->materials[desc->material_of ? desc->material_of[i] : 0];
        e->volumes[i] = fill_slopes(e, i);
        ISO_REQUIRE(ctx, e->volumes[i] > 0.0, ISO_ERR_GEOMETRY,
                    "element %d is inverted or flat at rest: its volume is %g, expected > 0", i,
                    e->volumes[i]);
        e->lame[i] = iso_lame_make(m->young, m->poisson);
        e->damping[i] = m->stiffness_damping;
        for (int k = 0; k <= d; ++k) {
            double mass = m->density * e->volumes[i] / (d + 1);
            e->masses[e->elements[i * (d + 1) + k]] += mass;
            e->drag[e->elements[i * (d + 1) + k]] += m->mass_damping * mass;
        }
    }
    for (int i = 0; i < e->vertex_count; ++i) {
        ISO_REQUIRE(ctx, e->masses[i] > 0.0, ISO_ERR_GEOMETRY,
                    "vertex %d belongs to no element, expected one at least", i);
    }
    return ISO_OK;
}

iso_status iso_elastic_create(iso_context* ctx, const iso_elastic_desc* desc, iso_elastic** out) {
    ISO_REQUIRE(ctx, desc && out, ISO_ERR_ARGUMENT, "desc and out are required");
    *out = NULL;
    iso_status status = check(ctx, desc);
    if (status != ISO_OK) {
        return status;
    }
    iso_elastic* e = iso_alloc_zeroed(ctx, sizeof *e);
    ISO_REQUIRE(ctx, e, ISO_ERR_MEMORY, "elastic bodies");
    int d = e->dimension = desc->dimension, n = e->vertex_count = desc->vertex_count;
    int m = e->element_count = desc->element_count;
    e->rest = iso_alloc_array(ctx, n * d, sizeof *e->rest);
    e->elements = iso_alloc_array(ctx, m * (d + 1), sizeof *e->elements);
    e->slopes = iso_alloc_array(ctx, m * (d + 1) * d, sizeof *e->slopes);
    e->volumes = iso_alloc_array(ctx, m, sizeof *e->volumes);
    e->lame = iso_alloc_array(ctx, m, sizeof *e->lame);
    e->damping = iso_alloc_array(ctx, m, sizeof *e->damping);
    e->masses = iso_alloc_array(ctx, n, sizeof *e->masses);
    e->drag = iso_alloc_array(ctx, n, sizeof *e->drag);
    ISO_CHECK(ctx,
              e->rest && e->elements && e->slopes && e->volumes && e->lame && e->damping &&
                  e->masses && e->drag,
              ISO_ERR_MEMORY, "elastic bodies of %d vertices", n);
    ISO_TRY(fill(ctx, desc, e));
    *out = e;

done:
    if (status != ISO_OK) {
        iso_elastic_destroy(ctx, e);
    }
    return status;
}

void iso_elastic_destroy(iso_context* ctx, iso_elastic* e) {
    if (e == NULL) {
        return;
    }
    iso_free(ctx, e->rest);
    iso_free(ctx, e->elements);
    iso_free(ctx, e->slopes);
    iso_free(ctx, e->volumes);
    iso_free(ctx, e->lame);
    iso_free(ctx, e->damping);
    iso_free(ctx, e->masses);
    iso_free(ctx, e->drag);
    iso_free(ctx, e);
}
