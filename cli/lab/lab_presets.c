// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/lab/lab.h"

#include <math.h>
#include <string.h>

// The surface of an experiment, where an option does not say otherwise: each by itself.
static void fill_surface(cli_lab_options* lab, iso_lab_kind kind, int columns,
                         const iso_lab_surface_desc* band) {
    iso_lab_surface_desc* d = &lab->surface;
    d->kind = lab->has_kind ? d->kind : kind;
    d->columns = lab->has_points ? d->columns : columns;
    d->rms_height = d->rms_height > 0.0 ? d->rms_height : band->rms_height;
    d->shortest = d->shortest > 0.0 ? d->shortest : band->shortest;
    d->longest = d->longest > 0.0 ? d->longest : band->longest;
}

// E1: 208 of 512 points, waves from 16 to 100, 5 high. Blocks too short for them have all of it
// smaller in the same ratio, and flatter where few points are left to a wave.
static void fill_band(cli_lab_options* lab, iso_lab_surface_desc* band) {
    double points = lab->has_points ? lab->surface.columns : 512.0;
    double* upper = &lab->slide.upper_points;
    double share = fmax(2.0 * floor(points * 208.0 / 512.0 / 2.0), 4.0);
    *upper = *upper > 0.0 ? *upper : fmin(share, 208.0);
    double pitch = lab->pitch > 0.0 ? lab->pitch : 0.5;
    double scale = fmin((*upper + 1.0) * pitch / 100.0, 1.0);
    band->longest = 100.0 * scale;
    band->shortest = fmin(fmax(16.0 * scale, 4.0 * pitch), 0.5 * band->longest);
    band->rms_height = 5.0 * scale * fmin(band->shortest / (16.0 * pitch), 1.0);
}

// Experiments E2 and E3 of [Datta2018]: slides in space with its numbers, and with choices where it
// gives none: blocks instead of discs, their size and height, rates.
static void fill(cli_options* o, bool is_static) {
    cli_slide_options* s = &o->lab.slide;
    bool has_rate = s->force_rate > 0.0;
    const struct {
        double *target, value;
    } defaults[] = {{&s->dimension, 3.0},
                    {&s->young, 1e11},
                    {&s->poisson, 0.25},
                    {&s->density, 3000.0},
                    {&s->press, o->lab.load_count > 0 ? 0.0 : 15.0},
                    {&s->upper_points, 14.0},
                    {&s->across, 14.0},
                    {&s->height, 0.04},
                    {&s->settle, 1.0},
                    {&s->sample, 2e-5},
                    {&s->hold, 3e-4},
                    {&s->speed, is_static ? 0.01 : 0.2},
                    {&s->travel, 1e-3},
                    {&s->force_rate, is_static ? 1.5e4 : 0.0},
                    {&o->lab.pitch, 0.005}};
    for (size_t i = 0; i < sizeof defaults / sizeof defaults[0]; ++i) {
        *defaults[i].target = *defaults[i].target > 0.0 ? *defaults[i].target : defaults[i].value;
    }
    s->is_damped = s->is_damped || s->beta <= 0.0;
    s->method = s->method != NULL ? s->method : "explicit";
    s->most_time =
        is_static && !has_rate ? 2e-3 : 0.0; // a rate of one's own: to four times the load
    fill_surface(&o->lab, ISO_LAB_KIND_WHITE, 24, &(iso_lab_surface_desc){.rms_height = 0.0028});
}

// A slide in the plane at a speed: waves short enough that its way has many of them, steep enough
// to hinder, and the loss of rubber, so that the mean over the way is friction and no height.
static void fill_plane(cli_lab_options* lab) {
    static const double waves = 16.0, height = 0.3; // [pitches]
    iso_lab_surface_desc* d = &lab->surface;
    cli_slide_options* s = &lab->slide;
    double pitch = lab->pitch > 0.0 ? lab->pitch : d->pitch;
    bool has_waves = d->shortest > 0.0 || d->longest > 0.0 || d->roll_off > 0.0;
    d->rms_height = d->rms_height > 0.0 ? d->rms_height : height * pitch;
    double upper = cli_slide_upper(s, d->columns);
    d->longest = has_waves ? d->longest : fmin(waves, fmin(upper, d->columns)) * pitch;
    if (s->beta < 0.0 && !s->is_damped) {
        s->beta = pitch / (s->speed > 0.0 ? s->speed : iso_lab_slide_desc_default().speed);
    }
}

static void fill_rest(cli_options* options) {
    cli_lab_options* lab = &options->lab;
    bool is_explicit = lab->slide.method != NULL && strcmp(lab->slide.method, "explicit") == 0;
    if (strcmp(options->input, "slide") == 0 && lab->from == NULL && !is_explicit &&
        !(lab->slide.force_rate > 0.0) && !cli_slide_is_in_space(&lab->slide)) {
        fill_plane(lab);
    }
    double usual = iso_lab_surface_desc_default().rms_height;
    lab->surface.rms_height = lab->surface.rms_height > 0.0 ? lab->surface.rms_height : usual;
    lab->slide.beta = fmax(lab->slide.beta, 0.0);
}

void cli_lab_preset(cli_options* options) {
    if (strcmp(options->input, "e2") == 0 || strcmp(options->input, "e3") == 0) {
        fill(options, options->input[1] == '3');
        options->input = "slide";
    } else if (strcmp(options->input, "e1") == 0) {
        iso_lab_surface_desc band = {.kind = ISO_LAB_KIND_PINK};
        fill_band(&options->lab, &band);
        fill_surface(&options->lab, ISO_LAB_KIND_PINK, 512, &band);
    } else if (strcmp(options->input, "e4") == 0) {
        options->input = "learn";
    }
    fill_rest(options);
}
