// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// The law of taxels; its fit is in presses.c.

#include "isobar/taxels.h"

#include "base/core/fail.h"
#include "base/values/draw.h"
#include "base/values/hash.h"
#include "contact/identify/kinds.h"

enum { CELL_VALUES = 6 }; // pressure, shear x, y, slip x, y, area

iso_taxels iso_taxels_default(void) {
    return (iso_taxels){.gain = 1.0, .low = -INFINITY, .high = INFINITY};
}

bool iso_taxels_is_set(const iso_taxels* t) {
    return t && (t->gain != 1.0 || t->offset != 0.0 || t->hysteresis != 0.0 || t->noise != 0.0 ||
                 t->step != 0.0 || t->low != -INFINITY || t->high != INFINITY);
}

iso_status iso_taxels_check(iso_context* ctx, const iso_taxels* t) {
    ISO_REQUIRE(ctx, t, ISO_ERR_ARGUMENT, "taxels are required");
    const struct {
        const char* name;
        double value;
    } sizes[] = {{"hysteresis", t->hysteresis}, {"noise", t->noise}, {"step", t->step}};
    for (int i = 0; i < 3; ++i) {
        ISO_REQUIRE(ctx, isfinite(sizes[i].value) && sizes[i].value >= 0.0, ISO_ERR_RANGE,
                    "%s is %g, expected finite and >= 0", sizes[i].name, sizes[i].value);
    }
    ISO_REQUIRE(ctx, isfinite(t->gain) && t->gain != 0.0, ISO_ERR_RANGE,
                "gain is %g, expected finite and not 0", t->gain);
    ISO_REQUIRE(ctx, isfinite(t->offset), ISO_ERR_RANGE, "offset is %g, expected finite",
                t->offset);
    ISO_REQUIRE(ctx, t->low < t->high, ISO_ERR_RANGE, "low is %g and high %g, expected low < high",
                t->low, t->high);
    ISO_REQUIRE(ctx, t->seed >= 0, ISO_ERR_RANGE, "seed is %d, expected >= 0", t->seed);
    return ISO_OK;
}

double iso_play(double followed, double x, double half_width) {
    return fmin(fmax(followed, x - half_width), x + half_width);
}

// Of one taxel in one reading, whatever the others are.
static double noise_of(int seed, uint64_t draw, int taxel) {
    const uint64_t key[3] = {(uint64_t)seed, draw, (uint64_t)taxel};
    iso_draw source = {iso_hash_bytes(ISO_HASH_SEED, key, sizeof key)};
    double normals[2];
    iso_draw_normals(&source, normals);
    return normals[0];
}

iso_status iso_taxels_read(iso_context* ctx, const iso_taxels* t, const double* pressures,
                           int stride, int count, uint64_t draw, double* followed,
                           double* readings) {
    ISO_REQUIRE(ctx, count >= 0 && stride > 0 && ((pressures && followed && readings) || !count),
                ISO_ERR_ARGUMENT, "pressures, followed and readings are required");
    iso_status status = iso_taxels_check(ctx, t);
    for (int i = 0; status == ISO_OK && i < count; ++i) {
        followed[i] = iso_play(followed[i], pressures[(long)i * stride], t->hysteresis);
        double reading = t->offset + t->gain * followed[i];
        reading += t->noise > 0.0 ? t->noise * noise_of(t->seed, draw, i) : 0.0;
        reading = t->step > 0.0 ? t->step * nearbyint(reading / t->step) : reading;
        readings[i] = fmin(fmax(reading, t->low), t->high);
    }
    return status;
}

iso_status iso_cell_states(iso_context* ctx, const double* cells, int count, double speed,
                           double* states) {
    ISO_REQUIRE(ctx, count >= 0 && ((cells && states) || !count), ISO_ERR_ARGUMENT,
                "cells and states are required");
    ISO_REQUIRE(ctx, isfinite(speed) && speed > 0.0, ISO_ERR_RANGE,
                "speed is %g m/s, expected finite and > 0", speed);
    for (int i = 0; i < count; ++i) {
        const double* cell = cells + (long)CELL_VALUES * i;
        states[i] = ISO_CELL_FREE;
        if (cell[5] > 0.0) {
            states[i] = hypot(cell[3], cell[4]) >= speed ? ISO_CELL_SLIPS : ISO_CELL_STICKS;
        }
    }
    return ISO_OK;
}
