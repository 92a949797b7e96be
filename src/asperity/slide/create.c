// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "asperity/elastic/modes.h"
#include "asperity/slide/block_mesh.h"
#include "asperity/slide/slide.h"
#include "base/values/hash.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/// Points of penalty forces: one on each half of a cell of the rough faces.
#define POINT_SPACING 0.7071067811865476
/// K2 of penalty forces over K1.
#define NEAR_OVER_FAR 1000.0

iso_lab_slide_desc iso_lab_slide_desc_default(void) {
    iso_lab_block block = {.young = 1e6, .poisson = 0.45, .density = 1000.0};
    return (iso_lab_slide_desc){.lower = block,
                                .upper = block,
                                .speed = 0.01,
                                .rate = 1.0,
                                .settle_steps = 20,
                                .max_newton = 60,
                                .max_lags = 20,
                                .tolerance = 1e-4,
                                .thread_count = 1};
}

iso_elastic_material iso_lab_block_material(const iso_lab_block* b) {
    return (iso_elastic_material){b->young, b->poisson, b->density, b->mass_damping,
                                  b->stiffness_damping};
}

static iso_status require(iso_context* ctx, bool is_good, const char* what, double value,
                          const char* expected) {
    ISO_REQUIRE(ctx, is_good, ISO_ERR_RANGE, "%s is %g, expected %s", what, value, expected);
    return ISO_OK;
}

// A mean pressure beyond the modulus crushes the blocks, and no solver finds how.
static iso_status check_load(iso_context* ctx, const iso_lab_slide_desc* d) {
    const iso_lab_surface* face = d->upper.surface;
    double area = face->pitch * (face->columns - 1);
    area *= face->rows > 1 ? face->pitch * (face->rows - 1) : 1.0;
    double softer = fmin(d->lower.young, d->upper.young);
    ISO_REQUIRE(ctx, !(area > 0.0) || d->load <= softer * area, ISO_ERR_RANGE,
                "the load is %g %s, a mean pressure of %g Pa, expected at most Young's modulus of "
                "the softer block, %g Pa",
                d->load, face->rows > 1 ? "N" : "N/m", d->load / area, softer);
    return ISO_OK;
}

// Within a longer reach each vertex meets most of the other block, at any distance.
static iso_status check_reach(iso_context* ctx, const iso_lab_slide_desc* d) {
    enum { most = 8 }; // pitches
    double pitch = fmin(d->lower.surface->pitch, d->upper.surface->pitch);
    ISO_REQUIRE(ctx, d->reach <= most * pitch, ISO_ERR_RANGE,
                "the reach of contact is %g m, expected at most %d pitches, %g m", d->reach,
                (int)most, most * pitch);
    return ISO_OK;
}

static iso_status check(iso_context* ctx, const iso_lab_slide_desc* d) {
    const struct {
        double value, most;
        bool may_be_zero;
        const char* what;
    } numbers[] = {
        {d->load, 1e30, true, "the load in N/m"},
        {d->gravity, 1e9, true, "gravity in m/s^2"},
        {d->speed, 1e12, false, "the speed in m/s"},
        {d->rate, 1e60, d->drive == ISO_LAB_DRIVE_SPEED, "the rate of the force in N/(m s)"},
        {d->tow, 1e30, true, "the stiffness of the drive in N/m^2"},
        {d->step, 1e15, true, "the step in s"},
        {d->settle_step, 1e15, true, "the step of loading in s"},
        {d->friction, 1e3, true, "the local coefficient of friction"},
        {d->slip_speed, 1e12, true, "the slip speed in m/s"},
        {d->reach, 1e308, true, "the reach of contact in m"},
        {d->stiffness, 1e60, true, "the stiffness of contact"},
        {d->sample_step, 1e15, true, "the time between samples in s"},
        {d->hold_time, 1e15, true, "the time of the controller in s"}};
    iso_status status = ISO_OK;
    ISO_REQUIRE(ctx, d->lower.surface && d->upper.surface, ISO_ERR_ARGUMENT,
                "both blocks need a surface");
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
        double v = numbers[i].value;
        char range[32];
        (void)snprintf(range, sizeof range, "%s 0, at most %g", numbers[i].may_be_zero ? ">=" : ">",
                       numbers[i].most);
        ISO_TRY(require(ctx, v <= numbers[i].most && (numbers[i].may_be_zero ? v >= 0.0 : v > 0.0),
                        numbers[i].what, v, range));
    }
    ISO_TRY(require(ctx, d->load > 0.0 || d->gravity > 0.0, "load and gravity", d->load,
                    "one of them > 0"));
    ISO_TRY(require(ctx, d->settle_steps >= 1, "the number of loading steps", d->settle_steps,
                    "1 at least"));
    ISO_TRY(require(ctx, d->max_newton >= 1, "the number of Newton steps", d->max_newton,
                    "1 at least"));
    ISO_TRY(require(ctx, d->max_lags >= 1, "the number of friction updates", d->max_lags,
                    "1 at least"));
    ISO_TRY(require(ctx, d->thread_count >= 1 && d->thread_count <= 256, "the number of threads",
                    d->thread_count, "1 to 256"));
    ISO_TRY(require(ctx, d->tolerance >= 1e-9 && d->tolerance <= 0.1, "the tolerance", d->tolerance,
                    "1e-9 to 0.1"));
    for (int i = 0; i < 2; ++i) {
        iso_elastic_material m = iso_lab_block_material(i ? &d->upper : &d->lower);
        status = iso_elastic_material_check(ctx, &m);
        if (status != ISO_OK) {
            return iso_fail_prefix(ctx, status, "%s block", i ? "upper" : "lower");
        }
    }
    ISO_TRY(check_load(ctx, d));
    ISO_TRY(check_reach(ctx, d));

done:
    return status;
}

// Values that follow from others where 0 was given.
static void fill_defaults(iso_lab_slide_desc* d, int dimension, double longest_step) {
    double pitch = fmin(d->lower.surface->pitch, d->upper.surface->pitch);
    double soft = fmin(d->lower.young, d->upper.young);
    bool is_implicit = d->method == ISO_LAB_METHOD_IMPLICIT;
    d->tow = d->tow > 0.0 ? d->tow : d->upper.young * (dimension == 3 ? pitch : 1.0);
    d->slip_speed = d->slip_speed > 0.0 ? d->slip_speed : 0.01 * d->speed;
    bool is_penalty = dimension == 3 && !is_implicit;
    d->reach = d->reach > 0.0 ? d->reach : (is_penalty ? 2.0 : 0.1) * pitch;
    if (!(d->step > 0.0)) {
        d->step = is_implicit ? 0.25 * pitch / d->speed : (is_penalty ? 0.7 : 0.2) * longest_step;
    }
    if (!(d->stiffness > 0.0) && !is_penalty) { // force of a modulus over a pitch at half the reach
        d->stiffness = is_implicit ? soft * pitch / (4.33 * d->reach * d->reach * d->reach)
                                   : 0.25 * soft * pitch * d->reach * d->reach;
        d->stiffness *= dimension == 3 ? pitch : 1.0;
    }
}

static void fill_weights(iso_lab_slide* slide, const iso_block_mesh* upper) {
    int flat_count = upper->flat_count, columns = upper->flat_columns, rows = upper->flat_rows;
    int first = slide->e->vertex_count - flat_count;
    double all = 0.0;
    for (int i = 0; i < flat_count; ++i) {
        int column = i % columns, row = i / columns;
        double along = column == 0 || column == columns - 1 ? 0.5 : 1.0;
        double across = rows > 1 && (row == 0 || row == rows - 1) ? 0.5 : 1.0;
        slide->weights[first + i] = along * across;
        all += slide->weights[first + i];
    }
    for (int i = 0; i < flat_count; ++i) {
        slide->weights[first + i] /= all;
    }
    for (int v = slide->first_upper; v < slide->e->vertex_count; ++v) {
        slide->mass += slide->e->masses[v];
    }
}

// The guide that keeps the flat face level on the whole along an axis: tilt as the slope of the
// line, or plane, through its vertices.
static iso_status make_guide(iso_context* ctx, iso_lab_slide* slide, int flat_count, int axis) {
    int dim = slide->e->dimension;
    iso_guide* guide = &slide->s->guides[axis];
    int first = slide->e->vertex_count - flat_count;
    const double* rest = slide->e->rest;
    double middle = 0.0, square = 0.0;
    guide->vertices = iso_alloc_array(ctx, flat_count, sizeof *guide->vertices);
    guide->levers = iso_alloc_array(ctx, flat_count, sizeof *guide->levers);
    ISO_REQUIRE(ctx, guide->vertices && guide->levers, ISO_ERR_MEMORY, "guide of %d vertices",
                flat_count);
    for (int i = 0; i < flat_count; ++i) {
        middle += slide->weights[first + i] * rest[dim * (first + i) + axis];
    }
    for (int i = 0; i < flat_count; ++i) {
        double off = rest[dim * (first + i) + axis] - middle;
        guide->vertices[i] = first + i;
        guide->levers[i] = slide->weights[first + i] * off;
        square += guide->levers[i] * off;
    }
    for (int i = 0; i < flat_count; ++i) {
        guide->levers[i] /= square;
    }
    guide->count = flat_count;
    // of an angle; square: length^2 / 12; in space of a face as thick as a flat column is wide
    double thickness = dim == 2 ? 1.0 : slide->pitch;
    guide->stiffness = slide->desc.upper.young * square * thickness;
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
                              d->sample_step,
                              d->hold_time,
                              d->keep_printed ? 1.0 : 0.0};
    uint64_t hash = iso_hash_bytes(1, numbers, sizeof numbers);
    hash = iso_hash_bytes(hash, e->rest, (size_t)(e->vertex_count * e->dimension) * sizeof(double));
    hash = iso_hash_bytes(hash, e->lame, (size_t)e->element_count * sizeof *e->lame);
    hash = iso_hash_bytes(hash, e->damping, (size_t)e->element_count * sizeof(double));
    hash = iso_hash_bytes(hash, e->masses, (size_t)e->vertex_count * sizeof(double));
    return iso_hash_bytes(hash, e->drag, (size_t)e->vertex_count * sizeof(double));
}

/// Explicit steps between two samples.
#define STEPS_MOST 1e7
/// Damping of explicit steps over the critical one of the highest mode; the steps are as much
/// shorter.
#define DAMPING_MOST 50.0

// Explicit steps are stable and not damped so much that a run of them would never end.
static iso_status check_explicit(iso_context* ctx, const iso_lab_slide_desc* d,
                                 const iso_lab_slide_info* info) {
    double alpha = fmax(d->lower.mass_damping, d->upper.mass_damping);
    double beta = fmax(d->lower.stiffness_damping, d->upper.stiffness_damping);
    double w = info->highest_mode, ratio = 0.5 * (alpha / w + beta * w);
    ISO_REQUIRE(
        ctx, ratio <= DAMPING_MOST, ISO_ERR_RANGE,
        "damping alpha %g 1/s, beta %g s is %.3g times critical for the highest mode, expected "
        "at most %g with explicit steps: alpha at most %.3g 1/s or beta at most %.3g s",
        alpha, beta, ratio, DAMPING_MOST, 2.0 * DAMPING_MOST * w, 2.0 * DAMPING_MOST / w);
    ISO_REQUIRE(ctx, d->step < info->stable_step, ISO_ERR_RANGE,
                "the step is %g s, expected below the stability limit of the highest mode, %g s",
                d->step, info->stable_step);
    ISO_REQUIRE(ctx, d->friction == 0.0, ISO_ERR_RANGE,
                "the local coefficient of friction is %g, expected 0 of the explicit method",
                d->friction);
    return ISO_OK;
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
    if (d->damps_highest) {
        d->lower.stiffness_damping = d->upper.stiffness_damping = info->critical_beta;
        for (int i = 0; i < slide->e->element_count; ++i) {
            slide->e->damping[i] = info->critical_beta;
        }
    }
    info->stable_step =
        iso_elastic_longest_step(high[0], fmax(d->lower.mass_damping, d->upper.mass_damping),
                                 fmax(d->lower.stiffness_damping, d->upper.stiffness_damping));
    fill_defaults(d, slide->e->dimension, info->stable_step);
    bool is_implicit = d->method == ISO_LAB_METHOD_IMPLICIT;
    status = is_implicit ? ISO_OK : check_explicit(ctx, d, info);
    if (status != ISO_OK) {
        return status;
    }
    double sample = d->sample_step > 0.0 ? d->sample_step : 0.25 * slide->pitch / d->speed;
    info->sample_step = is_implicit ? d->step : fmax(d->step, sample);
    ISO_REQUIRE(
        ctx, info->sample_step <= STEPS_MOST * d->step, ISO_ERR_RANGE,
        "the %g s between samples are %.3g explicit steps of %g s, expected at most %g: less "
        "damping or less time between samples",
        info->sample_step, info->sample_step / d->step, d->step, STEPS_MOST);
    d->settle_step = d->settle_step > 0.0 ? d->settle_step : info->sample_step;
    info->normal_force = d->load + d->gravity * slide->mass;
    info->step = d->step;
    info->reach = d->reach;
    info->stiffness = d->stiffness;
    info->tow = d->tow;
    info->slip_speed = d->slip_speed;
    return ISO_OK;
}

// What the explicit method in space needs: points, and K1 by which load and weight are borne at the
// start.
static iso_status make_penalty(iso_context* ctx, iso_lab_slide* slide) {
    iso_lab_slide_desc* d = &slide->desc;
    iso_elastic_system* s = slide->s;
    iso_penalty* p = &slide->penalty;
    double unit = d->stiffness > 0.0 ? d->stiffness : 1.0, borne[3], least = 0.0;
    iso_penalty_law law = {unit, NEAR_OVER_FAR * unit, d->reach, d->keep_printed};
    int acting = 0;
    iso_status status =
        iso_penalty_init(ctx, slide->e, &s->skin, POINT_SPACING * slide->pitch, &law, p);
    if (status != ISO_OK || d->stiffness > 0.0) {
        return status;
    }
    status = iso_penalty_list(p, s->x);
    if (status != ISO_OK) {
        return status;
    }
    iso_penalty_add(p, s->x, s->trial, borne, &acting, &least);
    ISO_REQUIRE(ctx, borne[2] > 0.0, ISO_ERR_RANGE,
                "penalty forces with a reach of %g m bear nothing at the start, expected a longer "
                "reach or a stiffness",
                d->reach);
    d->stiffness = slide->info.stiffness = slide->info.normal_force / borne[2];
    p->law.far_stiffness = d->stiffness;
    p->law.near_stiffness = NEAR_OVER_FAR * d->stiffness;
    return ISO_OK;
}

static iso_status make_system(iso_context* ctx, iso_lab_slide* slide, const iso_block_mesh m[2],
                              const bool* fixed) {
    const iso_lab_slide_desc* d = &slide->desc;
    bool is_penalty = m[0].dimension == 3 && d->method == ISO_LAB_METHOD_EXPLICIT;
    iso_barrier_law law = {d->reach, is_penalty ? 1.0 : d->stiffness, d->friction, d->slip_speed};
    iso_status status = iso_elastic_system_create(ctx, slide->e, &law, &slide->s);
    for (int axis = 0; axis < m[0].dimension - 1 && status == ISO_OK; ++axis) {
        status = make_guide(ctx, slide, m[1].flat_count, axis);
    }
    if (status != ISO_OK) {
        return status;
    }
    memcpy(slide->s->fixed, fixed, (size_t)slide->s->size * sizeof *fixed);
    if (d->thread_count > 1 && d->method == ISO_LAB_METHOD_IMPLICIT) {
        status = iso_task_pool_create(ctx, d->thread_count, &slide->pool);
        slide->s->sparse.pool = slide->pool;
    }
    return status == ISO_OK && is_penalty ? make_penalty(ctx, slide) : status;
}

static iso_status build(iso_context* ctx, iso_lab_slide* slide, const iso_block_mesh m[2]) {
    iso_lab_slide_desc* d = &slide->desc;
    int dim = m[0].dimension;
    bool* fixed = NULL;
    iso_status status = iso_lab_slide_place(ctx, m, d, &slide->e);
    if (status != ISO_OK) {
        return status;
    }
    int n = slide->e->vertex_count;
    slide->first_upper = m[0].vertex_count;
    slide->pitch = fmin(d->lower.surface->pitch, d->upper.surface->pitch);
    slide->info.dimension = dim;
    slide->info.vertex_count = n;
    slide->info.first_upper = slide->first_upper;
    slide->info.stress_scale = 0.1 * fmax(d->lower.young, d->upper.young);
    slide->info.element_count = slide->e->element_count;
    slide->weights = iso_alloc_array(ctx, n, sizeof(double));
    slide->energies = iso_alloc_array(ctx, slide->e->element_count, sizeof(double));
    slide->stresses = iso_alloc_array(ctx, 2 * n, sizeof(double));
    slide->kept = iso_alloc_array(ctx, 2 * dim * n, sizeof(double));
    fixed = iso_alloc_array(ctx, dim * n, sizeof *fixed);
    ISO_CHECK(ctx, slide->weights && slide->energies && slide->stresses && slide->kept && fixed,
              ISO_ERR_MEMORY, "%d vertices", n);
    fill_weights(slide, &m[1]);
    for (int i = dim * (m[0].vertex_count - m[0].flat_count); i < dim * m[0].vertex_count; ++i) {
        fixed[i] = true;
    }
    ISO_TRY(tune(ctx, slide, fixed));
    ISO_TRY(make_system(ctx, slide, m, fixed));
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
    slide->penalty.ctx = slide->penalty.hash.ctx = ctx;
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
    iso_penalty_free(&slide->penalty);
    iso_elastic_system_destroy(slide->s);
    iso_task_pool_destroy(slide->pool);
    iso_elastic_destroy(ctx, slide->e);
    iso_free(ctx, slide->weights);
    iso_free(ctx, slide->energies);
    iso_free(ctx, slide->stresses);
    iso_free(ctx, slide->kept);
    iso_free(ctx, slide);
}
