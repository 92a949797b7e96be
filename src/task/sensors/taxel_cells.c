// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// What follows the cells of a tactile sensor: their states, and what their taxels read. Taxels with
// hysteresis remember: that is kept with the world, so that states and clones carry it.

#include "base/core/fail.h"
#include "base/values/hash.h"
#include "isobar/state.h"
#include "task/sensors/sensors.h"

#include <stdio.h>
#include <string.h>

static int cell_count(const iso_sensor* sensor) {
    return sensor->desc.rows * sensor->desc.columns;
}

bool iso_sensor_has_memory(const iso_sensor* sensor) {
    return sensor->desc.kind == ISO_SENSOR_TACTILE && sensor->desc.taxels.hysteresis > 0.0;
}

bool iso_sensors_have_memory(const iso_sensors* sensors) {
    for (int i = 0; sensors && i < sensors->count; ++i) {
        if (iso_sensor_has_memory(&sensors->sensors[i])) {
            return true;
        }
    }
    return false;
}

// Name of what the world keeps of it.
static void name_memory(const iso_sensor* sensor, char name[16]) {
    uint64_t hash = iso_hash_text(ISO_HASH_SEED, sensor->desc.name);
    snprintf(name, 16, "taxels%08x", (unsigned)((hash ^ (hash >> 32)) & 0xffffffffU));
}

// What a world keeps of it; NULL: nothing.
static const double* memory_of(const iso_sensor* sensor, const iso_world* world) {
    char name[16];
    int count = 0;
    name_memory(sensor, name);
    const double* memory = iso_world_attachment(world, name, &count);
    return count == 1 + cell_count(sensor) ? memory : NULL;
}

bool iso_sensors_are_new(const iso_sensors* sensors, const iso_world* world) {
    for (int i = 0; sensors && i < sensors->count; ++i) {
        const iso_sensor* sensor = &sensors->sensors[i];
        if (iso_sensor_has_memory(sensor) && !memory_of(sensor, world)) {
            return true;
        }
    }
    return false;
}

iso_status iso_sensors_copy_memory(const iso_sensors* sensors, const iso_world* from,
                                   iso_world* to) {
    ISO_REQUIRE(sensors ? sensors->ctx : NULL, sensors && from && to, ISO_ERR_ARGUMENT,
                "sensors and two worlds are required");
    iso_status status = ISO_OK;
    for (int i = 0; status == ISO_OK && i < sensors->count; ++i) {
        const iso_sensor* sensor = &sensors->sensors[i];
        const double* memory = iso_sensor_has_memory(sensor) ? memory_of(sensor, from) : NULL;
        if (memory && from != to) {
            char name[16];
            int count = 1 + cell_count(sensor);
            double* copy = NULL;
            bool is_new = false;
            name_memory(sensor, name);
            ISO_TRY(iso_world_attach(to, name, count, &copy, &is_new));
            memcpy(copy, memory, (size_t)count * sizeof *copy);
        }
    }
done:
    return status;
}

// The step of the world at which the memory moved last, then where every taxel is. NULL: none.
static iso_status find_memory(const iso_sensor* sensor, iso_world* world, double** out_memory,
                              bool* out_is_due) {
    char name[16];
    *out_memory = NULL;
    *out_is_due = false;
    if (!iso_sensor_has_memory(sensor)) {
        return ISO_OK;
    }
    name_memory(sensor, name);
    bool is_new = false;
    iso_status status = iso_world_attach(world, name, 1 + cell_count(sensor), out_memory, &is_new);
    double step = (double)iso_world_step_count(world);
    if (status == ISO_OK) {
        *out_is_due = is_new || (*out_memory)[0] != step;
        (*out_memory)[0] = step;
    }
    return status;
}

// Which reading it is: of the sensor at a time.
static uint64_t draw_of(const iso_sensor* sensor, const iso_world* world) {
    double time = iso_world_time(world);
    uint64_t hash = iso_hash_text(ISO_HASH_SEED, sensor->desc.name);
    return iso_hash_bytes(hash, &time, sizeof time);
}

iso_status iso_sensor_read_taxels(iso_sensors* sensors, const iso_sensor* sensor, iso_world* world,
                                  double* values) {
    iso_context* ctx = sensors->ctx;
    int count = cell_count(sensor);
    double* cells = values + ISO_TACTILE_HEAD;
    double *states = cells + (long)ISO_TACTILE_CELL * count, *readings = states + count;
    // Friction with springs knows what slides (tactile.c).
    iso_status status = sensors->has_springs
                            ? ISO_OK
                            : iso_cell_states(ctx, cells, count, sensor->desc.slip_speed, states);
    if (status != ISO_OK || !iso_taxels_is_set(&sensor->desc.taxels)) {
        return status;
    }
    double* memory = NULL;
    bool is_due = false;
    ISO_TRY(find_memory(sensor, world, &memory, &is_due));
    double* followed = memory && is_due ? memory + 1 : sensors->followed;
    if (memory && !is_due) {
        memcpy(followed, memory + 1, (size_t)count * sizeof *followed);
    } else if (!memory) {
        memset(followed, 0, (size_t)count * sizeof *followed);
    }
    status = iso_taxels_read(ctx, &sensor->desc.taxels, cells, ISO_TACTILE_CELL, count,
                             draw_of(sensor, world), followed, readings);
done:
    return status;
}

// Index of the first value of a block, -1: there is none.
static int block(const iso_sensors* sensors, int index, int which) {
    if (!sensors || index < 0 || index >= sensors->count) {
        return -1;
    }
    const iso_sensor* sensor = &sensors->sensors[index];
    bool is_there = sensor->desc.kind == ISO_SENSOR_TACTILE && which < ISO_TACTILE_BLOCKS(sensor);
    return is_there ? ISO_TACTILE_HEAD + (ISO_TACTILE_CELL + which) * cell_count(sensor) : -1;
}

int iso_sensors_states(const iso_sensors* sensors, int sensor) {
    return block(sensors, sensor, 0);
}

int iso_sensors_readings(const iso_sensors* sensors, int sensor) {
    return block(sensors, sensor, 1);
}
