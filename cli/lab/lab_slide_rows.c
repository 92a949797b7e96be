// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/lab/lab_slide.h"

#include "isobar/identify.h"

#include <math.h>
#include <stdlib.h>

static const char* const k_names[SLIDE_COLUMNS] = {
    "time",      "drive",      "travel",    "velocity",      "rise",
    "normal",    "tangential", "least_gap", "contact_count", "newton_count",
    "lag_count", "lag_error",  "sliding",   "transverse"};

const char* slide_rows_column(int column) {
    return k_names[column];
}

bool slide_rows_add(slide_rows* rows, const iso_lab_slide_sample* sample) {
    if (rows->count == rows->capacity) {
        int capacity = 2 * rows->capacity + 64;
        iso_lab_slide_sample* data = realloc(rows->data, (size_t)capacity * sizeof *data);
        if (data == NULL) {
            return false;
        }
        rows->data = data;
        rows->capacity = capacity;
    }
    rows->data[rows->count++] = *sample;
    return true;
}

static void values_of(const iso_lab_slide_sample* s, double out[SLIDE_COLUMNS]) {
    const double values[SLIDE_COLUMNS] = {s->time,
                                          s->drive,
                                          s->travel,
                                          s->velocity,
                                          s->rise,
                                          s->normal,
                                          s->tangential,
                                          s->least_gap,
                                          s->contact_count,
                                          s->newton_count,
                                          s->lag_count,
                                          s->lag_error,
                                          s->is_sliding ? 1.0 : 0.0,
                                          s->transverse};
    for (int i = 0; i < SLIDE_COLUMNS; ++i) {
        out[i] = values[i];
    }
    out[7] = isfinite(out[7]) ? out[7] : -1.0; // no contact
}

void slide_rows_print_head(FILE* file) {
    for (int i = 0; i < SLIDE_COLUMNS; ++i) {
        fprintf(file, "%s,", k_names[i]);
    }
    fputs("row_check\n", file);
}

void slide_rows_print(FILE* file, const iso_lab_slide_sample* sample) {
    double values[SLIDE_COLUMNS];
    values_of(sample, values);
    for (int i = 0; i < SLIDE_COLUMNS; ++i) {
        fprintf(file, "%.17g,", values[i]);
    }
    fprintf(file, "%.0f\n", iso_table_check(values, SLIDE_COLUMNS));
}

bool slide_rows_parse(slide_rows* rows, const double* values, int row_count, int column_count) {
    if (column_count != SLIDE_COLUMNS + 1) { // with the check
        return false;
    }
    for (int i = 0; i < row_count; ++i) {
        const double* v = values + (size_t)i * (size_t)column_count;
        iso_lab_slide_sample s = {.time = v[0],
                                  .drive = v[1],
                                  .travel = v[2],
                                  .velocity = v[3],
                                  .rise = v[4],
                                  .normal = v[5],
                                  .tangential = v[6],
                                  .least_gap = v[7] < 0.0 ? INFINITY : v[7],
                                  .contact_count = (int)v[8],
                                  .newton_count = (int)v[9],
                                  .lag_count = (int)v[10],
                                  .lag_error = v[11],
                                  .is_sliding = v[12] != 0.0,
                                  .transverse = v[13]};
        if (!slide_rows_add(rows, &s)) {
            return false;
        }
    }
    return true;
}

double* slide_rows_columns(const slide_rows* rows) {
    double* columns = calloc((size_t)rows->count * SLIDE_COLUMNS + 1, sizeof *columns);
    for (int i = 0; columns != NULL && i < rows->count; ++i) {
        double values[SLIDE_COLUMNS];
        values_of(&rows->data[i], values);
        for (int c = 0; c < SLIDE_COLUMNS; ++c) {
            columns[(size_t)c * (size_t)rows->count + (size_t)i] = values[c];
        }
    }
    return columns;
}

// Of all rows of pulling.
typedef struct force_sums {
    double normal, transverse, held;
    int count;
} force_sums;

static void take_forces(slide_summary* s, const iso_lab_slide_sample* r, double normal_force,
                        force_sums* sums) {
    double ratio = r->tangential / r->normal;
    ++sums->count;
    sums->normal += r->normal;
    sums->transverse += r->transverse;
    sums->held += fabs(r->normal - normal_force) <= 0.05 * normal_force ? 1.0 : 0.0;
    if (fabs(r->velocity) <= 0.01 && !(ratio <= s->mu_peak)) {
        s->mu_peak = ratio;
        s->peak_time = r->time;
    }
}

// Standard error of the mean over the rows from first on, by parts of them of equal length: of the
// force along, or of that across, over the normal force.
static double spread_of(const slide_rows* rows, int first, bool is_across) {
    enum { PARTS = 4 };
    double values[PARTS], mean = 0.0, square = 0.0;
    for (int p = 0; p < PARTS; ++p) {
        double force = 0.0, down = 0.0;
        int count = rows->count - first;
        for (int i = first + count * p / PARTS; i < first + count * (p + 1) / PARTS; ++i) {
            force += is_across ? rows->data[i].transverse : rows->data[i].tangential;
            down += rows->data[i].normal;
        }
        values[p] = down > 0.0 ? force / down : (double)NAN;
        mean += values[p] / PARTS;
    }
    for (int p = 0; p < PARTS; ++p) {
        square += (values[p] - mean) * (values[p] - mean);
    }
    return sqrt(square / (PARTS - 1) / PARTS);
}

slide_summary slide_rows_summary(const slide_rows* rows, bool is_force, double normal_force) {
    slide_summary s = {
        .mu_static = NAN, .mu_kinetic = NAN, .slope = NAN, .onset = NAN, .mu_peak = NAN};
    force_sums sums = {0};
    double along = 0.0, down = 0.0, climb = 0.0, way = 0.0;
    bool is_over = false; // of a force: it has begun to slide
    int first = -1, pulled = -1;
    for (int i = 0; i < rows->count; ++i) {
        const iso_lab_slide_sample* r = &rows->data[i];
        s.newton_count += r->newton_count;
        s.travel = r->travel;
        if (!(r->time > 0.0) || !(r->normal > 0.0)) {
            is_over = is_over || (is_force && r->time > 0.0 && r->is_sliding);
            continue;
        }
        double ratio = r->tangential / r->normal;
        take_forces(&s, r, normal_force, &sums);
        pulled = pulled < 0 ? i : pulled;
        bool is_borne = r->normal >= 0.5 * normal_force; // not about to fly
        if (!is_over && is_borne && !(ratio <= s.mu_static)) {
            s.mu_static = ratio;
            s.onset = r->time;
        }
        if (is_over || !is_force) { // steps of equal length
            first = first < 0 ? i : first;
            along += r->tangential;
            down += r->normal;
            climb += i > 0 ? r->normal * (r->rise - rows->data[i - 1].rise) : 0.0;
            way += i > 0 ? r->normal * (r->travel - rows->data[i - 1].travel) : 0.0;
        }
        is_over = is_over || (is_force && r->is_sliding);
    }
    s.onset = is_force && !is_over ? NAN : s.onset;
    s.mu_kinetic = down > 0.0 ? along / down : s.mu_kinetic;
    s.spread = first >= 0 ? spread_of(rows, first, false) : (double)NAN;
    s.transverse_spread = pulled >= 0 ? spread_of(rows, pulled, true) : (double)NAN;
    s.transverse = sums.count > 0 ? sums.transverse / sums.normal : (double)NAN;
    s.held = sums.count > 0 ? sums.held / sums.count : (double)NAN;
    s.slope = way > 0.0 ? climb / way : s.slope;
    return s;
}
