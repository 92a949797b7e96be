// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/core/array.h"
#include "base/values/name.h"
#include "isobar/dynamics.h"
#include "isobar/sensor.h"

/// Values of a tactile sensor before its cells, and of each cell.
#define ISO_TACTILE_HEAD 6
#define ISO_TACTILE_CELL 6
/// Values of the blocks behind them, one of every cell: its state, its reading.
#define ISO_TACTILE_BLOCKS(sensor) (iso_taxels_is_set(&(sensor)->desc.taxels) ? 2 : 1)

/// A sensor with its names looked up.
typedef struct iso_sensor {
    iso_sensor_desc desc;        ///< strings owned
    int body, other_body;        ///< other_body: -1 when any
    iso_pose x_bs;               ///< in the body
    int joint;                   ///< of one degree of freedom; -1: none
    int fixed_tendon;            ///< -1: none
    iso_coordinates coordinates; ///< of the body's inboard joint
    int value_index, value_count;
} iso_sensor;

/// Polygon in the frame of a sensor.
typedef ISO_ARRAY(iso_vec3) iso_sensor_polygon;

struct iso_sensors {
    iso_context* ctx;
    int count;
    iso_sensor* sensors; ///< [count]
    int value_count;
    double* values;   ///< [value_count]
    double* followed; ///< [most cells of a sensor] while taxels are read
    int most_cells;
    int body_count, q_count, v_count;
    double *q, *v;                  ///< [q_count], [v_count]
    iso_body_load* loads;           ///< [body_count]
    iso_sensor_polygon polygons[5]; ///< a face and its pieces, while it is cut
    bool has_springs;               ///< friction of what a grid felt last has: it knows what slides
};

/// Name and unit of a value.
typedef struct iso_sensor_field {
    const char* name;
    const char* unit;
} iso_sensor_field;
iso_sensor_field iso_sensor_field_of(const iso_sensor* sensor, int value);
/// Names of all sensors, also of none (NULL).
iso_name_list iso_sensors_names(const iso_sensors* sensors);
/// States and readings of a tactile sensor from its cells. What it remembers is kept with the
/// world.
/// @return ISO_ERR_MEMORY
iso_status iso_sensor_read_taxels(iso_sensors* sensors, const iso_sensor* sensor, iso_world* world,
                                  double* values);
/// Has a sensor of these memory, and the world none of it?
bool iso_sensors_are_new(const iso_sensors* sensors, const iso_world* world);
/// Has it hysteresis?
bool iso_sensor_has_memory(const iso_sensor* sensor);
/// Number of values of a sensor whose names are looked up.
int iso_sensor_value_count(const iso_sensor* sensor);

/// +1 when the sensor's body is B of a contact that it feels, -1 when it is A, 0 otherwise.
double iso_sensor_side(const iso_sensor* sensor, const iso_contact* contact);

/// Does the ray from p along d meet the zone of a sensor? Points in it always do. All in S.
/// @param d  not zero
bool iso_sensor_zone_is_met(const iso_sensor_desc* desc, iso_vec3 p, iso_vec3 d);

/// Area of the part of a face on which the pressure is not negative: what is not in the margin, as
/// iso_patch.area counts it [m^2].
double iso_sensor_pressed_area(const iso_patch* patch, int face);

/// Values of a tactile sensor from the contacts of a world.
/// @param x_ws  pose of S when the contacts were made
/// @return ISO_ERR_MEMORY
iso_status iso_sensor_read_tactile(iso_sensors* sensors, const iso_sensor* sensor,
                                   const iso_world* world, const iso_pose* x_ws,
                                   double* out_values);
