// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "asperity/contact/impulse.h"
#include "asperity/slide/slide.h"

#include <math.h>
#include <string.h>

/// Of a step that does not converge.
#define MOST_HALVINGS 8

double iso_lab_slide_mean(const iso_lab_slide* slide, const double* of, int axis) {
    double sum = 0.0;
    for (int v = slide->first_upper; v < slide->e->vertex_count; ++v) {
        sum += slide->e->masses[v] * of[slide->e->dimension * v + axis];
    }
    return sum / slide->mass;
}

// What acts during the step that ends at a time: load and weight, in part while they come on, and
// the pull.
static void set_forces(iso_lab_slide* slide, double share, double time) {
    const iso_lab_slide_desc* d = &slide->desc;
    const iso_elastic* e = slide->e;
    iso_elastic_system* s = slide->s;
    int dim = e->dimension;
    for (int v = 0; v < e->vertex_count; ++v) {
        int at = dim * v;
        s->push[at + dim - 1] = -share * (d->gravity * e->masses[v] + d->load * slide->weights[v]);
        if (d->drive == ISO_LAB_DRIVE_FORCE) {
            bool is_upper = v >= slide->first_upper;
            s->push[at] = is_upper ? d->rate * time * e->masses[v] / slide->mass : 0.0;
        } else {
            s->spring[at] = d->tow * slide->weights[v];
            s->spring_end[at] = e->rest[at] + d->speed * time;
        }
        if (dim == 3) { // held across
            s->spring[at + 1] = d->tow * slide->weights[v];
            s->spring_end[at + 1] = e->rest[at + 1];
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
    int up = slide->e->dimension - 1;
    out->rise = iso_lab_slide_mean(slide, s->x, up) - slide->mean_y;
    out->velocity = iso_lab_slide_mean(slide, s->v, 0);
    out->normal = report->normal[up] + report->tangential[up];
    out->transverse = up == 2 ? -(report->normal[1] + report->tangential[1]) : 0.0;
    out->tangential = -(report->normal[0] + report->tangential[0]);
    out->is_sliding = fabs(out->velocity) > d->speed && fabs(out->travel) > slide->pitch;
}

// From one time to a later one, with shares of the load; in halves where a step does not converge,
// as when the block snaps from one place to another. What was done before a failure stays done.
static iso_status advance(iso_lab_slide* slide, const double time[2], const double share[2],
                          int halvings, iso_implicit_report* report) {
    const iso_lab_slide_desc* d = &slide->desc;
    iso_implicit_options options = {.step = time[1] - time[0],
                                    .tolerance = d->tolerance * d->reach,
                                    .max_newton = d->max_newton,
                                    .max_lags = d->max_lags,
                                    .lag_tolerance = 1e-3};
    set_forces(slide, share[1], fmax(time[1], 0.0));
    int before = report->newton_count;
    iso_status status = iso_elastic_system_step(slide->s, &options, report);
    if (status != ISO_ERR_NO_CONVERGENCE || halvings >= MOST_HALVINGS) {
        report->newton_count += before;
        return status;
    }
    report->newton_count += before;
    double middle[2] = {0.5 * (time[0] + time[1]), 0.5 * (share[0] + share[1])};
    status = advance(slide, (double[]){time[0], middle[0]}, (double[]){share[0], middle[1]},
                     halvings + 1, report);
    return status != ISO_OK ? status
                            : advance(slide, (double[]){middle[0], time[1]},
                                      (double[]){middle[1], share[1]}, halvings + 1, report);
}

// A step of penalty forces; the controller answers to their sum: a spring and a critical damper
// that bring the block back within hold_time, as if contact were twice the force over the reach.
static iso_status penalty_step(iso_lab_slide* slide, double step, iso_explicit_report* sum) {
    const iso_lab_slide_desc* d = &slide->desc;
    iso_elastic_system* s = slide->s;
    double contact[3];
    iso_status status = iso_penalty_begin_step(s, &slide->penalty, contact, sum);
    if (status != ISO_OK) {
        return status;
    }
    double wanted = slide->info.normal_force, push = 0.0;
    if (d->hold_time > 0.0) {
        double way = 0.5 * d->reach * (wanted - contact[2]) / wanted;
        push = slide->mass / d->hold_time *
               (way / d->hold_time + 2.0 * iso_lab_slide_mean(slide, s->v, 2));
    }
    for (int v = slide->first_upper; v < slide->e->vertex_count; ++v) {
        s->gradient[3 * v + 2] -= push * slide->e->masses[v] / slide->mass;
    }
    iso_penalty_end_step(s, step, contact, sum);
    return ISO_OK;
}

/// Share of the reach that the impulses keep free.
#define LEAST_OF_REACH 0.2

// The same by explicit steps, whose mean forces are reported.
static iso_status advance_explicitly(iso_lab_slide* slide, const double time[2],
                                     const double share[2], iso_implicit_report* report) {
    const iso_lab_slide_desc* d = &slide->desc;
    iso_impulse_law law = {LEAST_OF_REACH * d->reach, d->stiffness, d->reach, d->keep_printed};
    iso_explicit_report sum = {.least_gap = INFINITY};
    double span = time[1] - time[0];
    int count = (int)fmin(fmax(ceil(span / d->step), 1.0), 1e9);
    for (int i = 0; i < count; ++i) {
        double part = (i + 1.0) / count;
        set_forces(slide, share[0] + part * (share[1] - share[0]),
                   fmax(time[0] + part * span, 0.0));
        iso_status status =
            slide->e->dimension == 3
                ? penalty_step(slide, span / count, &sum)
                : iso_elastic_system_explicit_step(slide->s, &law, span / count, &sum);
        if (status != ISO_OK) {
            return status;
        }
    }
    ISO_REQUIRE(slide->s->ctx, sum.reload_count < count, ISO_ERR_GEOMETRY,
                "elements turned over in each of %d explicit steps", count);
    for (int a = 0; a < slide->e->dimension; ++a) {
        report->normal[a] = sum.impulse[a] / span;
    }
    report->pair_count = sum.pair_count;
    report->least_gap = sum.least_gap;
    return ISO_OK;
}

iso_status iso_lab_slide_step(iso_context* ctx, iso_lab_slide* slide,
                              iso_lab_slide_sample* out_sample) {
    ISO_REQUIRE(ctx, slide && out_sample, ISO_ERR_ARGUMENT, "slide and out_sample are required");
    const iso_lab_slide_desc* d = &slide->desc;
    iso_elastic_system* s = slide->s;
    int64_t next = slide->step_count + 1, left = next - d->settle_steps;
    bool is_loading = left <= 0;
    double step = is_loading ? d->settle_step : slide->info.sample_step;
    double time[2] = {(double)(left - 1) * step, (double)left * step};
    double share[2] = {fmin((double)(next - 1) / d->settle_steps, 1.0),
                       fmin((double)next / d->settle_steps, 1.0)};
    iso_implicit_report report = {0};
    memcpy(slide->kept, s->x, (size_t)s->size * sizeof(double));
    memcpy(slide->kept + s->size, s->v, (size_t)s->size * sizeof(double));
    iso_status status = d->method == ISO_LAB_METHOD_IMPLICIT
                            ? advance(slide, time, share, 0, &report)
                            : advance_explicitly(slide, time, share, &report);
    if (status != ISO_OK) {
        memcpy(s->x, slide->kept, (size_t)s->size * sizeof(double));
        memcpy(s->v, slide->kept + s->size, (size_t)s->size * sizeof(double));
        return iso_fail_prefix(ctx, status, "step %lld", (long long)next);
    }
    slide->step_count = next;
    if (is_loading) {
        slide->mean_x = iso_lab_slide_mean(slide, s->x, 0);
        slide->mean_y = iso_lab_slide_mean(slide, s->x, slide->e->dimension - 1);
    }
    fill_sample(slide, time[1], &report, out_sample);
    return ISO_OK;
}

iso_lab_slide_info iso_lab_slide_info_of(const iso_lab_slide* slide) {
    return slide->info;
}

int64_t iso_lab_slide_steps(const iso_lab_slide* slide) {
    return slide->step_count;
}

// Von Mises' stress of F = f, g = f^-T: Cauchy's is P f^T / J, in the plane with F33 = 1.
static double equivalent_stress(int d, iso_lame m, const double* f, const double* g, double j) {
    double p[9], c[3][3] = {{0.0}}, sum = 0.0;
    iso_neo_hookean_stress(d, m, f, g, j, p);
    for (int a = 0; a < d; ++a) {
        for (int b = 0; b < d; ++b) {
            for (int k = 0; k < d; ++k) {
                c[a][b] += p[a * d + k] * f[b * d + k] / j;
            }
        }
    }
    c[2][2] = d == 2 ? m.lambda * log(j) / j : c[2][2];
    for (int a = 0; a < 3; ++a) {
        int b = (a + 1) % 3;
        double off = c[a][a] - c[b][b];
        sum += 0.5 * off * off + 3.0 * c[a][b] * c[a][b];
    }
    return sqrt(sum);
}

iso_lab_slide_view iso_lab_slide_view_of(iso_lab_slide* slide) {
    const iso_elastic* e = slide->e;
    int d = e->dimension;
    double *stresses = slide->stresses, *volumes = stresses + e->vertex_count;
    memset(stresses, 0, (size_t)(2 * e->vertex_count) * sizeof(double));
    for (int i = 0; i < e->element_count; ++i) {
        double f[9], g[9] = {0.0};
        iso_elastic_gradient(e, i, slide->s->x, f);
        double j = iso_inverse_transposed(d, f, g);
        slide->energies[i] = iso_neo_hookean_energy(d, e->lame[i], f, j);
        double stress = j > 0.0 ? equivalent_stress(d, e->lame[i], f, g, j) : 0.0;
        for (int k = 0; k <= d; ++k) {
            int v = e->elements[i * (d + 1) + k];
            stresses[v] += e->volumes[i] * stress;
            volumes[v] += e->volumes[i];
        }
    }
    for (int v = 0; v < e->vertex_count; ++v) {
        stresses[v] /= volumes[v];
    }
    const iso_skin* skin = &slide->s->skin;
    return (iso_lab_slide_view){.places = slide->s->x,
                                .elements = e->elements,
                                .energies = slide->energies,
                                .stresses = stresses,
                                .faces = skin->faces.data,
                                .face_count = skin->face_count};
}
