// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "sweep/quantity.h"

#include "base/core/fail.h"
#include "base/values/name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { k_name_size = 512 };

static const char* body_name(const void* world, int index) {
    return iso_world_body_name(world, index);
}

static const char* joint_name(const void* world, int index) {
    return iso_world_joint_name(world, index);
}

static const char* sensor_name(const void* sensors, int index) {
    return iso_sensors_desc(sensors, index).name;
}

static const char* program_name(const void* site, int index) {
    const iso_sweep_site* s = site;
    return iso_task_program(s->task, s->world, index).name;
}

static iso_status find_body(iso_context* ctx, const iso_world* world, const char* name,
                            int* out_body) {
    iso_name_list list = {.at = body_name, .owner = world, .count = iso_world_body_count(world)};
    return iso_name_list_require(ctx, &list, "body", name, out_body);
}

/// "A" or "A|B"
static iso_status find_contact(iso_context* ctx, const iso_world* world, const char* name,
                               iso_sweep_subject* out) {
    const char* bar = strchr(name, '|');
    char first[k_name_size];
    size_t length = bar != NULL ? (size_t)(bar - name) : strlen(name);
    ISO_REQUIRE(ctx, length < sizeof first, ISO_ERR_NOT_FOUND,
                "a name of %zu letters, expected at most %d", length, k_name_size - 1);
    memcpy(first, name, length);
    first[length] = '\0';
    out->other = -1;
    iso_status status = find_body(ctx, world, first, &out->index);
    if (status == ISO_OK && bar != NULL) {
        status = find_body(ctx, world, bar + 1, &out->other);
    }
    return status;
}

static iso_status find_column(iso_context* ctx, const iso_sensors* sensors, const char* column,
                              iso_sweep_subject* out) {
    int count = iso_sensors_value_count(sensors, out->index);
    char* end = NULL;
    long number = strtol(column, &end, 10);
    if (end != column && *end == '\0') {
        ISO_REQUIRE(ctx, number >= 0 && number < count, ISO_ERR_NOT_FOUND,
                    "sensor '%s' has no column %ld, expected 0 to %d",
                    iso_sensors_desc(sensors, out->index).name, number, count - 1);
        out->other = (int)number;
        return ISO_OK;
    }
    for (int i = 0; i < count; ++i) {
        if (strcmp(iso_sensors_value_name(sensors, out->index, i), column) == 0) {
            out->other = i;
            return ISO_OK;
        }
    }
    return iso_fail(ctx, ISO_ERR_NOT_FOUND, __func__,
                    "sensor '%s' has no column '%s', expected a number or a name as '%s'",
                    iso_sensors_desc(sensors, out->index).name, column,
                    iso_sensors_value_name(sensors, out->index, 0));
}

/// "SENSOR.COLUMN", parted by the last dot
static iso_status find_sensor(iso_context* ctx, const iso_sensors* sensors, const char* name,
                              iso_sweep_subject* out) {
    const char* dot = strrchr(name, '.');
    char first[k_name_size];
    ISO_REQUIRE(ctx, dot != NULL && (size_t)(dot - name) < sizeof first, ISO_ERR_NOT_FOUND,
                "'%s' names no column of a sensor, expected SENSOR.COLUMN", name);
    memcpy(first, name, (size_t)(dot - name));
    first[dot - name] = '\0';
    iso_name_list list = {.at = sensor_name, .owner = sensors, .count = iso_sensors_count(sensors)};
    iso_status status = iso_name_list_require(ctx, &list, "sensor", first, &out->index);
    return status == ISO_OK ? find_column(ctx, sensors, dot + 1, out) : status;
}

iso_status iso_sweep_find_subject(iso_context* ctx, iso_sweep_subject_kind kind, const char* name,
                                  const iso_sweep_site* site, iso_sweep_subject* out) {
    *out = (iso_sweep_subject){.index = -1, .other = -1};
    iso_name_list list = {.owner = site->world};
    switch (kind) {
    case ISO_SWEEP_OF_NOTHING:
        ISO_REQUIRE(ctx, name[0] == '\0', ISO_ERR_NOT_FOUND, "it is of no '%s', expected '()'",
                    name);
        return ISO_OK;
    case ISO_SWEEP_OF_BODY:
        return find_body(ctx, site->world, name, &out->index);
    case ISO_SWEEP_OF_CONTACT:
        return find_contact(ctx, site->world, name, out);
    case ISO_SWEEP_OF_JOINT:
        list.at = joint_name;
        list.count = iso_world_joint_count(site->world);
        return iso_name_list_require(ctx, &list, "joint of one degree of freedom", name,
                                     &out->index);
    case ISO_SWEEP_OF_PROGRAM:
        list = (iso_name_list){
            .at = program_name, .owner = site, .count = iso_task_program_count(site->task)};
        return iso_name_list_require(ctx, &list, "program", name, &out->index);
    case ISO_SWEEP_OF_SENSOR:
        return find_sensor(ctx, site->sensors, name, out);
    }
    return ISO_ERR_NOT_FOUND;
}
