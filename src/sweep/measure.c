// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "sweep/measure.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "base/values/name.h"

#include <math.h>
#include <string.h>

static const struct {
    const char* prefix;
    iso_sweep_reduction reduction;
} k_reductions[] = {{"max_", ISO_SWEEP_MAX},
                    {"min_", ISO_SWEEP_MIN},
                    {"mean_", ISO_SWEEP_MEAN},
                    {"rms_", ISO_SWEEP_RMS}};

static iso_status find_quantity(iso_context* ctx, const char* name, int* out_quantity) {
    iso_name_list list =
        ISO_NAME_LIST(k_iso_sweep_quantities, k_iso_sweep_quantity_count, iso_sweep_quantity, name);
    return iso_name_list_require(ctx, &list, "quantity to measure", name, out_quantity);
}

iso_status iso_sweep_measure_read(iso_context* ctx, const char* text, iso_sweep_measure_spec* out) {
    *out = (iso_sweep_measure_spec){0};
    const char* open = text != NULL ? strchr(text, '(') : NULL;
    size_t length = text != NULL ? strlen(text) : 0;
    char word[64];
    ISO_REQUIRE(ctx,
                open != NULL && open != text && text[length - 1] == ')' &&
                    (size_t)(open - text) < sizeof word,
                ISO_ERR_PARSE, "'%s' is no measure; expected one as 'max_slip(spanner)'",
                text != NULL ? text : "");
    const char* start = text;
    for (size_t i = 0; i < sizeof k_reductions / sizeof k_reductions[0]; ++i) {
        size_t size = strlen(k_reductions[i].prefix);
        if (strncmp(text, k_reductions[i].prefix, size) == 0) {
            out->reduction = k_reductions[i].reduction;
            start = text + size;
        }
    }
    memcpy(word, start, (size_t)(open - start));
    word[open - start] = '\0';
    iso_status status = ISO_OK;
    ISO_TRY(find_quantity(ctx, word, &out->quantity));
    out->text = iso_strdup(ctx, text);
    out->name = iso_strndup(ctx, open + 1, length - (size_t)(open - text) - 2);
    ISO_CHECK(ctx, out->text != NULL && out->name != NULL, ISO_ERR_MEMORY, "measure");

done:
    if (status != ISO_OK) {
        iso_sweep_measure_free(ctx, out);
        status = iso_fail_prefix(ctx, status, "%s", text);
    }
    return status;
}

void iso_sweep_measure_free(iso_context* ctx, iso_sweep_measure_spec* spec) {
    iso_free(ctx, spec->text);
    iso_free(ctx, spec->name);
    *spec = (iso_sweep_measure_spec){0};
}

iso_status iso_sweep_gauge_begin(iso_context* ctx, const iso_sweep_measure_spec* spec,
                                 const iso_sweep_site* site, iso_sweep_gauge* out) {
    *out = (iso_sweep_gauge){.last = NAN, .most = -INFINITY, .least = INFINITY};
    iso_sweep_subject_kind kind = k_iso_sweep_quantities[spec->quantity].kind;
    iso_status status = iso_sweep_find_subject(ctx, kind, spec->name, site, &out->subject);
    return status == ISO_OK ? status : iso_fail_prefix(ctx, status, "%s", spec->text);
}

void iso_sweep_gauge_read(iso_sweep_gauge* gauge, const iso_sweep_measure_spec* spec,
                          const iso_sweep_site* site) {
    const iso_sweep_quantity* quantity = &k_iso_sweep_quantities[spec->quantity];
    double value = quantity->read(site, &gauge->subject);
    if (quantity->is_summed) {
        gauge->traveled += value * iso_world_settings(site->world)->time_step;
        value = gauge->traveled;
    }
    gauge->last = value;
    if (isnan(value)) {
        return;
    }
    gauge->most = fmax(gauge->most, value);
    gauge->least = fmin(gauge->least, value);
    gauge->sum += value;
    gauge->square_sum += value * value;
    ++gauge->count;
}

double iso_sweep_gauge_value(const iso_sweep_gauge* gauge, const iso_sweep_measure_spec* spec) {
    if (spec->reduction == ISO_SWEEP_FINAL) {
        return gauge->last;
    }
    if (gauge->count == 0) {
        return NAN;
    }
    switch (spec->reduction) {
    case ISO_SWEEP_MAX:
        return gauge->most;
    case ISO_SWEEP_MIN:
        return gauge->least;
    case ISO_SWEEP_MEAN:
        return gauge->sum / (double)gauge->count;
    case ISO_SWEEP_RMS:
        return sqrt(gauge->square_sum / (double)gauge->count);
    case ISO_SWEEP_FINAL:
        break;
    }
    return gauge->last;
}
