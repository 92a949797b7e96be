// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Sensors of small worlds. Every call must succeed.

#include "isobar/sensor.h"
#include "world/scenes.h"

static const double k_g = 9.81;

static inline iso_sensor_desc sensor_of(iso_sensor_kind kind, const char* name, const char* body,
                                        const char* joint) {
    iso_sensor_desc desc = iso_sensor_desc_default();
    desc.name = name;
    desc.kind = kind;
    desc.body = body;
    desc.joint = joint;
    return desc;
}

static inline iso_sensors* make_sensors(iso_context* ctx, const iso_world* world,
                                        const iso_sensor_desc* descs, int count) {
    iso_sensors* sensors = NULL;
    CHECK_OK(ctx, iso_sensors_create(world, descs, count, &sensors));
    return sensors;
}

static inline iso_vec3 vector_at(const iso_sensors* sensors, int sensor, int first) {
    const double* v = iso_sensors_values(sensors, sensor) + first;
    return iso_vec3_make(v[0], v[1], v[2]);
}
