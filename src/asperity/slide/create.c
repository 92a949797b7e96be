// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "asperity/elastic/modes.h"
#include "asperity/slide/block_mesh.h"
#include "asperity/slide/slide.h"
#include "base/values/hash.h"

#include <math.h>
#include <string.h>

/// Share of the reach that lies between the blocks at the start.
#define START_GAP 0.5
/// Of how much longer the lower block is, the part behind the upper one at the start.
#define BEHIND 0.1

iso_lab_slide_desc iso_lab_slide_desc_default(void) {
    iso_lab_block block = {.young = 1e6, .poisson = 0.45, .density = 1000.0};
    return (iso_lab_slide_desc){.lower = block,
                                .upper = block,
                                .speed = 0.01,
                                .rate = 1.0,
                                .settle_steps = 20,
                                .max_newton = 60,
                                .max_lags = 20,
                                .tolerance = 1e-4};
}

static iso_elastic_material material_of(const iso_lab_block* b) {
    return (iso_elastic_material){b->young, b->poisson, b->density, b->mass_damping,
                                  b->stiffness_damping};
}

static iso_status require(iso_context* ctx, bool is_good, const char* what, double value,
                          const char* expected) {
    ISO_REQUIRE(ctx, is_good, ISO_ERR_RANGE, "%s is %g, expected %s", what, value, expected);
    return ISO_OK;
}

static iso_status check(iso_context* ctx, const iso_lab_slide_desc* d) {
    const struct {
        double value;
        bool may_be_zero;
        const char* what;
    } numbers[] = {{d->load, true, "the load in N/m"},
                   {d->gravity, true, "gravity in m/s^2"},
                   {d->speed, false, "the speed in m/s"},
                   {d->rate, d->drive == ISO_LAB_DRIVE_SPEED, "the rate of the force in N/(m s)"},
                   {d->tow, true, "the stiffness of the drive in N/m^2"},
                   {d->step, true, "the step in s"},
                   {d->settle_step, true, "the step of loading in s"},
                   {d->friction, true, "the local coefficient of friction"},
                   {d->slip_speed, true, "the slip speed in m/s"},
                   {d->reach, true, "the reach of contact in m"},
                   {d->stiffness, true, "the stiffness of contact"}};
    iso_status status = ISO_OK;
    ISO_REQUIRE(ctx, d->lower.surface && d->upper.surface, ISO_ERR_ARGUMENT,
                "both blocks need a surface");
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
        double v = numbers[i].value;
        ISO_TRY(require(ctx, isfinite(v) && (numbers[i].may_be_zero ? v >= 0.0 : v > 0.0),
                        numbers[i].what, v, numbers[i].may_be_zero ? ">= 0" : "> 0"));
    }
    ISO_TRY(require(ctx, d->load > 0.0 || d->gravity > 0.0, "load and gravity", d->load,
                    "one of them > 0"));
    ISO_TRY(require(ctx, d->settle_steps >= 1, "the number of loading steps", d->settle_steps,
                    "1 at least"));
    ISO_TRY(require(ctx, d->max_newton >= 1, "the number of Newton steps", d->max_newton,
                    "1 at least"));
    ISO_TRY(require(ctx, d->max_lags >= 1, "the number of friction updates", d->max_lags,
                    "1 at least"));
    ISO_TRY(require(ctx, d->tolerance >= 1e-9 && d->tolerance <= 0.1, "the tolerance", d->tolerance,
                    "1e-9 to 0.1"));
    for (int i = 0; i < 2; ++i) {
        iso_elastic_material m = material_of(i ? &d->upper : &d->lower);
        status = iso_elastic_material_check(ctx, &m);
        if (status != ISO_OK) {
            return iso_fail_prefix(ctx, status, "%s block", i ? "upper" : "lower");
        }
    }

done:
    return status;
}

// Heights of a profile at x, straight between its points.
static double height_at(const iso_block_mesh* m, double pitch, double x) {
    double at = fmin(fmax(x / pitch, 0.0), (double)(m->rough_count - 1));
    int i = (int)fmin(floor(at), (double)(m->rough_count - 2));
    double share = at - i;
    return (1.0 - share) * m->vertices[2 * i + 1] + share * m->vertices[2 * i + 3];
}

// How high the upper block's mean plane must lie for its profile, turned down, to clear the lower.
static double clearance(const iso_block_mesh* low, double low_pitch, const iso_block_mesh* high,
                        double high_pitch, double shift) {
    double most = -INFINITY;
    for (int i = 0; i < high->rough_count; ++i) {
        double x = high_pitch * i;
        most = fmax(most, high->vertices[2 * i + 1] + height_at(low, low_pitch, x + shift));
    }
    for (int i = 0; i < low->rough_count; ++i) {
        double x = low_pitch * i - shift;
        if (x >= 0.0 && x <= high_pitch * (high->rough_count - 1)) {
            most = fmax(most, low->vertices[2 * i + 1] + height_at(high, high_pitch, x));
        }
    }
    return most;
}

// Both meshes as one; the upper one turned down, which turns its triangles too.
static iso_status join(iso_context* ctx, const iso_block_mesh m[2], const double shift[2],
                       const iso_lab_slide_desc* d, iso_elastic** out) {
    int n = m[0].vertex_count + m[1].vertex_count;
    int count = m[0].triangle_count + m[1].triangle_count;
    double* places = iso_alloc_array(ctx, 2 * n, sizeof *places);
    int* triangles = iso_alloc_array(ctx, 4 * count, sizeof *triangles);
    iso_elastic_material materials[2] = {material_of(&d->lower), material_of(&d->upper)};
    iso_elastic_desc desc = {.dimension = 2,
                             .vertices = places,
                             .vertex_count = n,
                             .elements = triangles,
                             .element_count = count,
                             .material_of = triangles + 3 * count,
                             .materials = materials,
                             .material_count = 2};
    iso_status status = ISO_OK;
    ISO_CHECK(ctx, places && triangles, ISO_ERR_MEMORY, "mesh of %d vertices", n);
    memcpy(places, m[0].vertices, (size_t)m[0].vertex_count * sizeof(double[2]));
    memcpy(triangles, m[0].triangles, (size_t)m[0].triangle_count * sizeof(int[3]));
    for (int v = 0; v < m[1].vertex_count; ++v) {
        places[2 * (m[0].vertex_count + v)] = m[1].vertices[2 * v] + shift[0];
        places[2 * (m[0].vertex_count + v) + 1] = shift[1] - m[1].vertices[2 * v + 1];
    }
    for (int t = 0; t < m[1].triangle_count; ++t) {
        int* to = triangles + 3 * (m[0].triangle_count + t);
        for (int k = 0; k < 3; ++k) {
            to[k] = m[1].triangles[3 * t + 2 - k] + m[0].vertex_count;
        }
        triangles[3 * count + m[0].triangle_count + t] = 1;
    }
    status = iso_elastic_create(ctx, &desc, out);
    if (status == ISO_ERR_GEOMETRY) {
        status = iso_fail_prefix(ctx, status, "a profile is too steep for its pitch");
    }

done:
    iso_free(ctx, places);
    iso_free(ctx, triangles);
    return status;
}

// Values that follow from others where 0 was given.
static void fill_defaults(iso_lab_slide_desc* d, double longest_step) {
    double pitch = fmin(d->lower.surface->pitch, d->upper.surface->pitch);
    double soft = fmin(d->lower.young, d->upper.young);
    bool is_implicit = d->method == ISO_LAB_METHOD_IMPLICIT;
    d->tow = d->tow > 0.0 ? d->tow : d->upper.young;
    d->slip_speed = d->slip_speed > 0.0 ? d->slip_speed : 0.01 * d->speed;
    d->reach = d->reach > 0.0 ? d->reach : 0.1 * pitch;
    if (!(d->step > 0.0)) {
        d->step = is_implicit ? 0.25 * pitch / d->speed : 0.2 * longest_step;
    }
    if (!(d->stiffness > 0.0)) { // force of a modulus over a pitch at half the reach
        d->stiffness = is_implicit ? soft * pitch / (4.33 * d->reach * d->reach * d->reach)
                                   : 0.25 * soft * pitch * d->reach * d->reach;
    }
}

static void fill_weights(iso_lab_slide* slide, int flat_count) {
    int first = slide->e->vertex_count - flat_count;
    double all = 0.0;
    for (int i = 0; i < flat_count; ++i) {
        slide->weights[first + i] = i == 0 || i == flat_count - 1 ? 0.5 : 1.0;
        all += slide->weights[first + i];
    }
    for (int i = 0; i < flat_count; ++i) {
        slide->weights[first + i] /= all;
    }
    for (int v = slide->first_upper; v < slide->e->vertex_count; ++v) {
        slide->mass += slide->e->masses[v];
    }
}

// The guide that keeps the flat face level on the whole: tilt as the slope of the line through its
// vertices.
static iso_status make_guide(iso_context* ctx, iso_lab_slide* slide, int flat_count) {
    iso_guide* guide = &slide->s->guide;
    int first = slide->e->vertex_count - flat_count;
    const double* rest = slide->e->rest;
    double middle = 0.0, square = 0.0;
    guide->vertices = iso_alloc_array(ctx, flat_count, sizeof *guide->vertices);
    guide->levers = iso_alloc_array(ctx, flat_count, sizeof *guide->levers);
    ISO_REQUIRE(ctx, guide->vertices && guide->levers, ISO_ERR_MEMORY, "guide of %d vertices",
                flat_count);
    for (int i = 0; i < flat_count; ++i) {
        middle += slide->weights[first + i] * rest[2 * (first + i)];
    }
    for (int i = 0; i < flat_count; ++i) {
        double off = rest[2 * (first + i)] - middle;
        guide->vertices[i] = first + i;
        guide->levers[i] = slide->weights[first + i] * off;
        square += guide->levers[i] * off;
    }
    for (int i = 0; i < flat_count; ++i) {
        guide->levers[i] /= square;
    }
    guide->count = flat_count;
    guide->stiffness = slide->desc.upper.young * square; // of an angle; square: length^2 / 12
    return ISO_OK;
}

static uint64_t fingerprint_of(const iso_lab_slide* slide) {
    const iso_elastic* e = slide->e;
    const iso_lab_slide_desc* d = &slide->desc;
    const double numbers[] = {d->load,
                              d->gravity,
                              d->speed,
                              d->rate,
                              d->tow,
                              d->step,
                              d->friction,
                              d->reach,
                              d->slip_speed,
                              d->settle_step,
                              d->stiffness,
                              d->tolerance,
                              (double)d->drive,
                              (double)d->method,
                              (double)d->settle_steps,
                              (double)d->max_newton,
                              (double)d->max_lags,
                              d->keep_printed ? 1.0 : 0.0};
    uint64_t hash = iso_hash_bytes(1, numbers, sizeof numbers);
    hash = iso_hash_bytes(hash, e->rest, (size_t)e->vertex_count * sizeof(double[2]));
    hash = iso_hash_bytes(hash, e->lame, (size_t)e->element_count * sizeof *e->lame);
    hash = iso_hash_bytes(hash, e->damping, (size_t)e->element_count * sizeof(double));
    hash = iso_hash_bytes(hash, e->masses, (size_t)e->vertex_count * sizeof(double));
    return iso_hash_bytes(hash, e->drag, (size_t)e->vertex_count * sizeof(double));
}

// Highest modes, the step they allow, what follows; the bottom of the lower block is fixed.
static iso_status tune(iso_context* ctx, iso_lab_slide* slide, const bool* fixed) {
    double high[2];
    iso_lab_slide_desc* d = &slide->desc;
    iso_lab_slide_info* info = &slide->info;
    iso_status status = iso_elastic_top_modes(ctx, slide->e, slide->e->rest, fixed, high);
    if (status != ISO_OK) {
        return status;
    }
    iso_elastic_critical_damping(high, &info->critical_alpha, &info->critical_beta);
    info->highest_mode = sqrt(high[0]);
    info->stable_step =
        iso_elastic_longest_step(high[0], fmax(d->lower.mass_damping, d->upper.mass_damping),
                                 fmax(d->lower.stiffness_damping, d->upper.stiffness_damping));
    fill_defaults(d, info->stable_step);
    bool is_implicit = d->method == ISO_LAB_METHOD_IMPLICIT;
    ISO_REQUIRE(ctx, is_implicit || d->step < info->stable_step, ISO_ERR_RANGE,
                "the step is %g s, expected below the stability limit of the highest mode, %g s",
                d->step, info->stable_step);
    ISO_REQUIRE(ctx, is_implicit || d->friction == 0.0, ISO_ERR_RANGE,
                "the local coefficient of friction is %g, expected 0 of the explicit method",
                d->friction);
    info->sample_step = is_implicit ? d->step : fmax(d->step, 0.25 * slide->pitch / d->speed);
    d->settle_step = d->settle_step > 0.0 ? d->settle_step : info->sample_step;
    info->normal_force = d->load + d->gravity * slide->mass;
    info->step = d->step;
    info->reach = d->reach;
    info->stiffness = d->stiffness;
    info->tow = d->tow;
    info->slip_speed = d->slip_speed;
    return ISO_OK;
}

static iso_status build(iso_context* ctx, iso_lab_slide* slide, const iso_block_mesh m[2]) {
    iso_lab_slide_desc* d = &slide->desc;
    double pitch[2] = {d->lower.surface->pitch, d->upper.surface->pitch};
    double lengths[2] = {pitch[0] * (m[0].rough_count - 1), pitch[1] * (m[1].rough_count - 1)};
    ISO_REQUIRE(ctx, lengths[1] < lengths[0], ISO_ERR_RANGE,
                "the upper block is %g m long, expected shorter than the lower one, %g m",
                lengths[1], lengths[0]);
    double reach = d->reach > 0.0 ? d->reach : 0.1 * fmin(pitch[0], pitch[1]);
    double shift[2] = {BEHIND * (lengths[0] - lengths[1]), START_GAP * reach};
    shift[1] += clearance(&m[0], pitch[0], &m[1], pitch[1], shift[0]);
    iso_status status = join(ctx, m, shift, d, &slide->e);
    if (status != ISO_OK) {
        return status;
    }
    int n = slide->e->vertex_count;
    slide->first_upper = m[0].vertex_count;
    slide->pitch = fmin(pitch[0], pitch[1]);
    slide->info.vertex_count = n;
    slide->info.element_count = slide->e->element_count;
    slide->weights = iso_alloc_array(ctx, n, sizeof(double));
    slide->energies = iso_alloc_array(ctx, slide->e->element_count, sizeof(double));
    slide->kept = iso_alloc_array(ctx, 4 * n, sizeof(double));
    bool* fixed = iso_alloc_array(ctx, 2 * n, sizeof *fixed);
    ISO_CHECK(ctx, slide->weights && slide->energies && slide->kept && fixed, ISO_ERR_MEMORY,
              "%d vertices", n);
    fill_weights(slide, m[1].flat_count);
    for (int v = m[0].vertex_count - m[0].flat_count; v < m[0].vertex_count; ++v) {
        fixed[2 * v] = fixed[2 * v + 1] = true;
    }
    ISO_TRY(tune(ctx, slide, fixed));
    iso_barrier_law law = {d->reach, d->stiffness, d->friction, d->slip_speed};
    ISO_TRY(iso_elastic_system_create(ctx, slide->e, &law, &slide->s));
    ISO_TRY(make_guide(ctx, slide, m[1].flat_count));
    memcpy(slide->s->fixed, fixed, (size_t)(2 * n) * sizeof *fixed);
    slide->fingerprint = fingerprint_of(slide);

done:
    iso_free(ctx, fixed);
    return status;
}

iso_status iso_lab_slide_create(iso_context* ctx, const iso_lab_slide_desc* desc,
                                iso_lab_slide** out_slide) {
    ISO_REQUIRE(ctx, desc && out_slide, ISO_ERR_ARGUMENT, "desc and out_slide are required");
    *out_slide = NULL;
    iso_block_mesh meshes[2] = {{0}, {0}};
    iso_lab_slide* slide = NULL;
    iso_status status = ISO_OK;
    ISO_TRY(check(ctx, desc));
    for (int i = 0; i < 2; ++i) {
        const iso_lab_block* b = i ? &desc->upper : &desc->lower;
        status = iso_block_mesh_make(ctx, b->surface, b->height, &meshes[i]);
        if (status != ISO_OK) {
            iso_fail_prefix(ctx, status, "%s block", i ? "upper" : "lower");
            goto done;
        }
    }
    slide = iso_alloc_zeroed(ctx, sizeof *slide);
    ISO_CHECK(ctx, slide, ISO_ERR_MEMORY, "sliding blocks");
    slide->desc = *desc;
    ISO_TRY(build(ctx, slide, meshes));
    slide->desc.lower.surface = slide->desc.upper.surface = NULL;
    *out_slide = slide;

done:
    iso_block_mesh_free(ctx, &meshes[0]);
    iso_block_mesh_free(ctx, &meshes[1]);
    if (status != ISO_OK) {
        iso_lab_slide_destroy(ctx, slide);
    }
    return status;
}

void iso_lab_slide_destroy(iso_context* ctx, iso_lab_slide* slide) {
    if (slide == NULL) {
        return;
    }
    iso_elastic_system_destroy(slide->s);
    iso_elastic_destroy(ctx, slide->e);
    iso_free(ctx, slide->weights);
    iso_free(ctx, slide->energies);
    iso_free(ctx, slide->kept);
    iso_free(ctx, slide);
}
