// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "asperity/slide/slide.h"

#include <math.h>

double iso_lab_slide_mean(const iso_lab_slide* slide, const double* of, int axis) {
    double sum = 0.0;
    for (int v = slide->first_upper; v < slide->e->vertex_count; ++v) {
        sum += slide->e->masses[v] * of[2 * v + axis];
    }
    return sum / slide->mass;
}

// What acts during the step that ends at a time: load and weight, in part while they come on, and
// the pull.
static void set_forces(iso_lab_slide* slide, double share, double time) {
    const iso_lab_slide_desc* d = &slide->desc;
    const iso_elastic* e = slide->e;
    iso_elastic_system* s = slide->s;
    for (int v = 0; v < e->vertex_count; ++v) {
        s->push[2 * v + 1] = -share * (d->gravity * e->masses[v] + d->load * slide->weights[v]);
        if (d->drive == ISO_LAB_DRIVE_FORCE) {
            bool is_upper = v >= slide->first_upper;
            s->push[2 * v] = is_upper ? d->rate * time * e->masses[v] / slide->mass : 0.0;
        } else {
            s->spring[2 * v] = d->tow * slide->weights[v];
            s->spring_end[2 * v] = e->rest[2 * v] + d->speed * time;
        }
    }
}

static void fill_sample(const iso_lab_slide* slide, double time, const iso_implicit_report* report,
                        iso_lab_slide_sample* out) {
    const iso_lab_slide_desc* d = &slide->desc;
    const iso_elastic_system* s = slide->s;
    double pulled = fmax(time, 0.0);
    *out = (iso_lab_slide_sample){.time = time,
                                  .least_gap = report->least_gap,
                                  .contact_count = report->pair_count,
                                  .newton_count = report->newton_count,
                                  .lag_count = report->lag_count,
                                  .lag_error = report->lag_error};
    out->drive = pulled * (d->drive == ISO_LAB_DRIVE_FORCE ? d->rate : d->speed);
    out->travel = iso_lab_slide_mean(slide, s->x, 0) - slide->mean_x;
    out->rise = iso_lab_slide_mean(slide, s->x, 1) - slide->mean_y;
    out->velocity = iso_lab_slide_mean(slide, s->v, 0);
    out->normal = report->normal[1] + report->tangential[1];
    out->tangential = -(report->normal[0] + report->tangential[0]);
    out->is_sliding = fabs(out->velocity) > d->speed;
}

iso_status iso_lab_slide_step(iso_context* ctx, iso_lab_slide* slide,
                              iso_lab_slide_sample* out_sample) {
    ISO_REQUIRE(ctx, slide && out_sample, ISO_ERR_ARGUMENT, "slide and out_sample are required");
    const iso_lab_slide_desc* d = &slide->desc;
    int64_t next = slide->step_count + 1, left = next - d->settle_steps;
    bool is_loading = left <= 0;
    double time = (double)left * (is_loading ? d->settle_step : d->step);
    iso_implicit_options options = {.step = is_loading ? d->settle_step : d->step,
                                    .tolerance = d->tolerance * d->reach,
                                    .max_newton = d->max_newton,
                                    .max_lags = d->max_lags,
                                    .lag_tolerance = 1e-3};
    iso_implicit_report report;
    set_forces(slide, is_loading ? (double)next / d->settle_steps : 1.0, fmax(time, 0.0));
    iso_status status = iso_elastic_system_step(slide->s, &options, &report);
    if (status != ISO_OK) {
        return iso_fail_prefix(ctx, status, "step %lld", (long long)next);
    }
    slide->step_count = next;
    if (is_loading) {
        slide->mean_x = iso_lab_slide_mean(slide, slide->s->x, 0);
        slide->mean_y = iso_lab_slide_mean(slide, slide->s->x, 1);
    }
    fill_sample(slide, time, &report, out_sample);
    return ISO_OK;
}

iso_lab_slide_info iso_lab_slide_info_of(const iso_lab_slide* slide) {
    return slide->info;
}

int64_t iso_lab_slide_steps(const iso_lab_slide* slide) {
    return slide->step_count;
}

iso_lab_slide_view iso_lab_slide_view_of(iso_lab_slide* slide) {
    const iso_elastic* e = slide->e;
    for (int i = 0; i < e->element_count; ++i) {
        double f[4], g[4];
        iso_elastic_gradient(e, i, slide->s->x, f);
        double j = iso_inverse_transposed(2, f, g);
        slide->energies[i] = iso_neo_hookean_energy(2, e->lame[i], f, j);
    }
    return (iso_lab_slide_view){slide->s->x, e->elements, slide->energies};
}
