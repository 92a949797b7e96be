// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Sensors: their making and what they are called. Reading: sensor_read.c, tactile.c.

#include "task/sensors/sensors.h"

#include "base/core/fail.h"
#include "isobar/names.h"
#include "task/paths/lookup.h"

#include <stdio.h>
#include <string.h>

#define MAX_SIDE 4096
#define MAX_CELLS 65536
#define MAX_VALUES 100000000

iso_sensor_desc iso_sensor_desc_default(void) {
    return (iso_sensor_desc){.x_bs = iso_pose_identity(),
                             .x_or = iso_pose_identity(),
                             .rows = 8,
                             .columns = 8,
                             .width = 0.02,
                             .height = 0.02,
                             .reach = INFINITY,
                             .slip_speed = 1e-3,
                             .taxels = iso_taxels_default()};
}

static bool is_kind(iso_sensor_kind kind) {
    return (int)kind >= 0 && (int)kind < iso_name_count(ISO_NAMES_SENSOR_KIND);
}

const char* iso_sensor_kind_name(iso_sensor_kind kind) {
    return iso_name_of(ISO_NAMES_SENSOR_KIND, (int)kind);
}

// --- names of values -----------------------------------------------------------------------------

static const iso_sensor_field k_wrench[] = {
    {"force_x", "N"},       {"force_y", "N"},    {"force_z", "N"},  {"moment_x", "N m"},
    {"moment_y", "N m"},    {"moment_z", "N m"}, {"area", "m^2"},   {"mean_pressure", "Pa"},
    {"max_pressure", "Pa"}, {"center_x", "m"},   {"center_y", "m"}, {"center_z", "m"},
    {"contacts", ""}};
static const iso_sensor_field k_tactile[] = {
    {"force_x", "N"},   {"force_y", "N"},   {"force_z", "N"},   {"outside_x", "N"},
    {"outside_y", "N"}, {"outside_z", "N"}, {"pressure", "Pa"}, {"shear_x", "Pa"},
    {"shear_y", "Pa"},  {"slip_x", "m/s"},  {"slip_y", "m/s"},  {"area", "m^2"},
    {"stick_slip", ""}, {"reading", ""}};
static const iso_sensor_field k_imu[] = {
    {"specific_force_x", "m/s^2"}, {"specific_force_y", "m/s^2"}, {"specific_force_z", "m/s^2"},
    {"angular_rate_x", "rad/s"},   {"angular_rate_y", "rad/s"},   {"angular_rate_z", "rad/s"}};
static const iso_sensor_field k_acceleration[] = {
    {"acceleration_x", "m/s^2"},           {"acceleration_y", "m/s^2"},
    {"acceleration_z", "m/s^2"},           {"angular_acceleration_x", "rad/s^2"},
    {"angular_acceleration_y", "rad/s^2"}, {"angular_acceleration_z", "rad/s^2"}};
static const iso_sensor_field k_frame[] = {{"position_x", "m"},
                                           {"position_y", "m"},
                                           {"position_z", "m"},
                                           {"quaternion_w", ""},
                                           {"quaternion_x", ""},
                                           {"quaternion_y", ""},
                                           {"quaternion_z", ""},
                                           {"velocity_x", "m/s"},
                                           {"velocity_y", "m/s"},
                                           {"velocity_z", "m/s"},
                                           {"angular_velocity_x", "rad/s"},
                                           {"angular_velocity_y", "rad/s"},
                                           {"angular_velocity_z", "rad/s"}};
static const iso_sensor_field k_subtree[] = {{"center_x", "m"},
                                             {"center_y", "m"},
                                             {"center_z", "m"},
                                             {"velocity_x", "m/s"},
                                             {"velocity_y", "m/s"},
                                             {"velocity_z", "m/s"},
                                             {"angular_momentum_x", "N m s"},
                                             {"angular_momentum_y", "N m s"},
                                             {"angular_momentum_z", "N m s"}};

static const iso_sensor_field k_fixed_tendon[] = {
    {"length", ""},          {"velocity", ""},     {"passive_effort", ""},
    {"actuator_effort", ""}, {"limit_effort", ""},
};

int iso_sensor_value_count(const iso_sensor* sensor) {
    switch (sensor->desc.kind) {
    case ISO_SENSOR_JOINT:
        return sensor->coordinates.q_count + sensor->coordinates.v_count + 7;
    case ISO_SENSOR_FIXED_TENDON:
        return 5;
    case ISO_SENSOR_RANGE:
        return 1;
    case ISO_SENSOR_FORCE_TORQUE:
    case ISO_SENSOR_IMU:
    case ISO_SENSOR_VELOCITY:
    case ISO_SENSOR_ACCELERATION:
        return 6;
    case ISO_SENSOR_SUBTREE:
        return 9;
    case ISO_SENSOR_CONTACT:
    case ISO_SENSOR_FRAME:
        return 13;
    case ISO_SENSOR_TACTILE:
        return ISO_TACTILE_HEAD + (ISO_TACTILE_CELL + ISO_TACTILE_BLOCKS(sensor)) *
                                      sensor->desc.rows * sensor->desc.columns;
    }
    return 0;
}

// Position, velocity or effort of a joint.
static iso_sensor_field joint_field(const iso_sensor* sensor, int value) {
    static const char* const positions[] = {"position_0", "position_1", "position_2", "position_3",
                                            "position_4", "position_5", "position_6"};
    static const char* const velocities[] = {"velocity_0", "velocity_1", "velocity_2",
                                             "velocity_3", "velocity_4", "velocity_5"};
    const iso_coordinates* c = &sensor->coordinates;
    bool is_prismatic = c->kind == ISO_JOINT_PRISMATIC;
    bool is_one = sensor->joint >= 0;
    if (value < c->q_count) {
        return is_one ? (iso_sensor_field){"position", is_prismatic ? "m" : "rad"}
                      : (iso_sensor_field){positions[value], ""};
    }
    value -= c->q_count;
    if (value < c->v_count) {
        return is_one ? (iso_sensor_field){"velocity", is_prismatic ? "m/s" : "rad/s"}
                      : (iso_sensor_field){velocities[value], ""};
    }
    value -= c->v_count;
    return value == 0 ? (iso_sensor_field){"effort", is_prismatic ? "N" : "N m"}
                      : k_wrench[value - 1];
}

// Value of a tactile sensor: before the cells, of a cell, or of a block behind them.
static iso_sensor_field tactile_field(const iso_sensor* sensor, int value) {
    int cells = sensor->desc.rows * sensor->desc.columns;
    int at = value - ISO_TACTILE_HEAD, blocks = ISO_TACTILE_CELL * cells;
    if (at < 0) {
        return k_tactile[value];
    }
    return k_tactile[ISO_TACTILE_HEAD + (at < blocks ? at % ISO_TACTILE_CELL
                                                     : ISO_TACTILE_CELL + (at - blocks) / cells)];
}

iso_sensor_field iso_sensor_field_of(const iso_sensor* sensor, int value) {
    switch (sensor->desc.kind) {
    case ISO_SENSOR_JOINT:
        return joint_field(sensor, value);
    case ISO_SENSOR_FORCE_TORQUE:
    case ISO_SENSOR_CONTACT:
        return k_wrench[value];
    case ISO_SENSOR_TACTILE:
        return tactile_field(sensor, value);
    case ISO_SENSOR_IMU:
        return k_imu[value];
    case ISO_SENSOR_FRAME:
        return k_frame[value];
    case ISO_SENSOR_VELOCITY:
        return k_frame[7 + value]; // after position and quaternion
    case ISO_SENSOR_SUBTREE:
        return k_subtree[value];
    case ISO_SENSOR_FIXED_TENDON:
        return k_fixed_tendon[value];
    case ISO_SENSOR_RANGE:
        return (iso_sensor_field){"distance", "m"};
    case ISO_SENSOR_ACCELERATION:
        return k_acceleration[value];
    }
    return (iso_sensor_field){"", ""};
}

// --- creation ------------------------------------------------------------------------------------

// "file:line: " of a sensor for the start of a message.
static const char* where(const iso_sensor_desc* desc, char* text, size_t size) {
    snprintf(text, size, "%s%s", desc->source ? desc->source : "", desc->source ? ": " : "");
    return text;
}

#define REQUIRE_OF(ctx, desc, condition, status, format, ...)                               \
    do {                                                                                    \
        char where_text[512];                                                               \
        ISO_REQUIRE(ctx, condition, status, "%ssensor '%s': " format,                       \
                    where(desc, where_text, sizeof where_text), (desc)->name, __VA_ARGS__); \
    } while (0)

static bool is_tactile_or_contact(const iso_sensor_desc* desc) {
    return desc->kind == ISO_SENSOR_CONTACT || desc->kind == ISO_SENSOR_TACTILE;
}

static iso_status check_reach(iso_context* ctx, const iso_sensor_desc* desc) {
    REQUIRE_OF(ctx, desc, desc->reach > 0.0, ISO_ERR_RANGE, "reach is %g m, expected > 0",
               desc->reach);
    return ISO_OK;
}

static iso_status check_grid(iso_context* ctx, const iso_sensor_desc* desc) {
    REQUIRE_OF(ctx, desc,
               desc->rows >= 1 && desc->columns >= 1 && desc->rows <= MAX_SIDE &&
                   desc->columns <= MAX_SIDE && desc->rows * desc->columns <= MAX_CELLS,
               ISO_ERR_RANGE,
               "%d rows and %d columns, expected 1 to %d of each and at most %d cells", desc->rows,
               desc->columns, MAX_SIDE, MAX_CELLS);
    REQUIRE_OF(ctx, desc,
               isfinite(desc->width) && isfinite(desc->height) && desc->width > 0.0 &&
                   desc->height > 0.0,
               ISO_ERR_RANGE, "grid of %g m x %g m, expected sizes > 0", desc->width, desc->height);
    REQUIRE_OF(ctx, desc, isfinite(desc->slip_speed) && desc->slip_speed > 0.0, ISO_ERR_RANGE,
               "slip_speed is %g m/s, expected finite and > 0", desc->slip_speed);
    iso_status status = iso_taxels_check(ctx, &desc->taxels);
    if (status != ISO_OK) {
        char text[512];
        return iso_fail_prefix(ctx, status, "%ssensor '%s'", where(desc, text, sizeof text),
                               desc->name);
    }
    return check_reach(ctx, desc);
}

static iso_status check_zone(iso_context* ctx, const iso_sensor_desc* desc) {
    static const int size_counts[] = {0, 1, 2, 2, 3, 3}; // in the order of iso_sensor_zone
    const char* kind = iso_sensor_kind_name(desc->kind);
    REQUIRE_OF(ctx, desc,
               (int)desc->zone >= 0 && (int)desc->zone < iso_name_count(ISO_NAMES_SENSOR_ZONE),
               ISO_ERR_RANGE, "zone is %d, expected 0 to %d", (int)desc->zone,
               iso_name_count(ISO_NAMES_SENSOR_ZONE) - 1);
    REQUIRE_OF(ctx, desc, desc->zone == ISO_ZONE_ALL || desc->kind == ISO_SENSOR_CONTACT,
               ISO_ERR_ARGUMENT, "a zone, expected of kind contact only, not %s", kind);
    for (int i = 0; i < size_counts[desc->zone]; ++i) {
        double size = iso_vec3_get(desc->zone_size, i);
        REQUIRE_OF(ctx, desc, isfinite(size) && size > 0.0, ISO_ERR_RANGE,
                   "size %d of its zone is %g m, expected > 0", i, size);
    }
    return ISO_OK;
}

static iso_status check_desc(iso_context* ctx, const iso_sensor_desc* desc, int index) {
    char text[512];
    ISO_REQUIRE(ctx, desc->name && desc->name[0], ISO_ERR_ARGUMENT, "%ssensor %d has no name",
                where(desc, text, sizeof text), index);
    REQUIRE_OF(ctx, desc, is_kind(desc->kind), ISO_ERR_RANGE, "kind is %d, expected 0 to %d",
               (int)desc->kind, iso_name_count(ISO_NAMES_SENSOR_KIND) - 1);
    bool has_joint = desc->kind == ISO_SENSOR_JOINT || desc->kind == ISO_SENSOR_FORCE_TORQUE;
    const char* kind = iso_sensor_kind_name(desc->kind);
    REQUIRE_OF(ctx, desc, desc->kind != ISO_SENSOR_JOINT || desc->joint, ISO_ERR_ARGUMENT,
               "a sensor of kind %s names a joint", kind);
    REQUIRE_OF(ctx, desc, desc->kind != ISO_SENSOR_FIXED_TENDON || desc->fixed_tendon,
               ISO_ERR_ARGUMENT, "a sensor of kind %s names a fixed tendon", kind);
    REQUIRE_OF(ctx, desc,
               desc->body || desc->kind == ISO_SENSOR_FIXED_TENDON || (has_joint && desc->joint),
               ISO_ERR_ARGUMENT, "a sensor of kind %s names a body%s", kind,
               has_joint ? " or a joint" : "");
    REQUIRE_OF(ctx, desc, iso_pose_is_rigid(&desc->x_bs) && iso_pose_is_rigid(&desc->x_or),
               ISO_ERR_RANGE,
               "rotations of its frames, x_bs and x_or, are %g and %g off one, expected below "
               "1e-6, and finite places",
               iso_pose_gap(&desc->x_bs), iso_pose_gap(&desc->x_or));
    REQUIRE_OF(ctx, desc, !desc->geometry || is_tactile_or_contact(desc), ISO_ERR_ARGUMENT,
               "geometry '%s', expected of kinds contact and tactile only", desc->geometry);
    REQUIRE_OF(ctx, desc, !desc->other_geometry || is_tactile_or_contact(desc), ISO_ERR_ARGUMENT,
               "other_geometry '%s', expected of kinds contact and tactile only",
               desc->other_geometry);
    iso_status status = desc->kind == ISO_SENSOR_RANGE ? check_reach(ctx, desc) : ISO_OK;
    status = status == ISO_OK ? check_zone(ctx, desc) : status;
    return status == ISO_OK && desc->kind == ISO_SENSOR_TACTILE ? check_grid(ctx, desc) : status;
}

// The joint of one degree of freedom above a body; -1: none.
static int joint_above(const iso_world* world, int body) {
    int low = 0, high = iso_world_joint_count(world); // in the order of their bodies
    while (low < high) {
        int middle = low + (high - low) / 2;
        bool is_before = iso_world_joint_body(world, middle) < body;
        low = is_before ? middle + 1 : low;
        high = is_before ? high : middle;
    }
    return low < iso_world_joint_count(world) && iso_world_joint_body(world, low) == body ? low
                                                                                          : -1;
}

static iso_status look_up_names(iso_context* ctx, const iso_world* world, bool is_of_joint,
                                iso_sensor* sensor) {
    const iso_sensor_desc* desc = &sensor->desc;
    iso_status status = ISO_OK;
    sensor->other_body = -1;
    sensor->fixed_tendon = -1;
    if (desc->kind == ISO_SENSOR_FIXED_TENDON) {
        ISO_TRY(iso_look_up_fixed_tendon(ctx, world, desc->fixed_tendon, &sensor->fixed_tendon));
        goto done; // it belongs to the world
    }
    ISO_TRY(is_of_joint ? iso_look_up_inboard_joint(ctx, world, desc->joint, &sensor->body)
                        : iso_look_up_body(ctx, world, desc->body, &sensor->body));
    if (desc->other_body) {
        ISO_TRY(iso_look_up_body(ctx, world, desc->other_body, &sensor->other_body));
    }
    if (desc->geometry) {
        ISO_TRY(iso_look_up_geometry(ctx, world, sensor->body, desc->geometry));
    }
    if (desc->other_geometry) {
        ISO_TRY(iso_look_up_geometry(ctx, world, sensor->other_body, desc->other_geometry));
    }

done:
    if (status != ISO_OK) {
        char text[512];
        return iso_fail_prefix(ctx, status, "%ssensor '%s'", where(desc, text, sizeof text),
                               desc->name);
    }
    return ISO_OK;
}

static iso_status look_up(iso_context* ctx, const iso_world* world, iso_sensor* sensor) {
    const iso_sensor_desc* desc = &sensor->desc;
    bool is_of_joint =
        desc->joint && (desc->kind == ISO_SENSOR_JOINT || desc->kind == ISO_SENSOR_FORCE_TORQUE);
    iso_status status = look_up_names(ctx, world, is_of_joint, sensor);
    if (status != ISO_OK) {
        return status;
    }
    REQUIRE_OF(ctx, desc, desc->kind != ISO_SENSOR_FORCE_TORQUE || sensor->body > 0, ISO_ERR_RANGE,
               "%s has no joint above it", "the world");
    iso_pose x_bm = iso_world_joint_frame(world, sensor->body);
    sensor->x_bs = is_of_joint ? iso_pose_mul(&x_bm, &desc->x_bs) : desc->x_bs;
    sensor->coordinates = iso_world_coordinates(world, sensor->body);
    sensor->joint = joint_above(world, sensor->body);
    return ISO_OK;
}

// Replace a borrowed string by a copy.
static bool copy_text(iso_context* ctx, const char** text) {
    *text = *text ? iso_strdup(ctx, *text) : NULL;
    return *text != NULL;
}

// All strings of a descriptor; what could not be copied is NULL.
static iso_status copy_texts(iso_context* ctx, iso_sensor_desc* desc) {
    const char** texts[] = {&desc->name,     &desc->joint,       &desc->body,
                            &desc->geometry, &desc->other_body,  &desc->other_geometry,
                            &desc->source,   &desc->fixed_tendon};
    bool is_done = true;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        bool is_there = *texts[i] != NULL;
        is_done = copy_text(ctx, texts[i]) == is_there && is_done;
    }
    ISO_REQUIRE(ctx, is_done, ISO_ERR_MEMORY, "names of a sensor");
    return ISO_OK;
}

static iso_status add_sensor(const iso_world* world, iso_sensors* sensors,
                             const iso_sensor_desc* desc) {
    iso_context* ctx = sensors->ctx;
    iso_status status = check_desc(ctx, desc, sensors->count);
    if (status != ISO_OK) {
        return status;
    }
    for (int i = 0; i < sensors->count; ++i) {
        const iso_sensor_desc* other = &sensors->sensors[i].desc;
        REQUIRE_OF(ctx, desc, strcmp(other->name, desc->name) != 0, ISO_ERR_ARGUMENT,
                   "the name is taken by another sensor of kind %s",
                   iso_sensor_kind_name(other->kind));
    }
    iso_sensor* sensor = &sensors->sensors[sensors->count];
    *sensor = (iso_sensor){.desc = *desc};
    ++sensors->count;
    status = copy_texts(ctx, &sensor->desc);
    status = status == ISO_OK ? look_up(ctx, world, sensor) : status;
    if (status == ISO_OK) {
        sensor->value_index = sensors->value_count;
        sensor->value_count = iso_sensor_value_count(sensor);
        REQUIRE_OF(ctx, desc, sensors->value_count <= MAX_VALUES - sensor->value_count,
                   ISO_ERR_RANGE, "more than %d values of all sensors", MAX_VALUES);
        sensors->value_count += sensor->value_count;
        if (desc->kind == ISO_SENSOR_TACTILE && desc->rows * desc->columns > sensors->most_cells) {
            sensors->most_cells = desc->rows * desc->columns;
        }
    }
    return status;
}

static iso_status allocate_scratch(iso_sensors* sensors) {
    iso_context* ctx = sensors->ctx;
    sensors->values = iso_alloc_array(ctx, sensors->value_count, sizeof *sensors->values);
    sensors->q = iso_alloc_array(ctx, sensors->q_count, sizeof *sensors->q);
    sensors->v = iso_alloc_array(ctx, sensors->v_count, sizeof *sensors->v);
    sensors->loads = iso_alloc_array(ctx, sensors->body_count, sizeof *sensors->loads);
    sensors->followed = iso_alloc_array(ctx, sensors->most_cells, sizeof *sensors->followed);
    ISO_REQUIRE(ctx,
                sensors->values && sensors->q && sensors->v && sensors->loads && sensors->followed,
                ISO_ERR_MEMORY, "%d values of sensors", sensors->value_count);
    memset(sensors->values, 0, (size_t)sensors->value_count * sizeof *sensors->values);
    return ISO_OK;
}

iso_status iso_sensors_create(const iso_world* world, const iso_sensor_desc* descs, int count,
                              iso_sensors** out_sensors) {
    iso_context* ctx = world ? iso_world_context(world) : NULL;
    ISO_REQUIRE(ctx, world && out_sensors && count >= 0 && (descs || count == 0), ISO_ERR_ARGUMENT,
                "world, descs and out_sensors are required");
    *out_sensors = NULL;
    iso_sensors* sensors = iso_alloc_zeroed(ctx, sizeof *sensors);
    ISO_REQUIRE(ctx, sensors, ISO_ERR_MEMORY, "%d sensors", count);
    sensors->ctx = ctx;
    sensors->body_count = iso_world_body_count(world);
    sensors->q_count = iso_world_q_count(world);
    sensors->v_count = iso_world_v_count(world);
    iso_status status = ISO_OK;
    sensors->sensors = iso_alloc_array(ctx, count, sizeof *sensors->sensors);
    ISO_CHECK(ctx, sensors->sensors, ISO_ERR_MEMORY, "%d sensors", count);
    for (int i = 0; i < count; ++i) {
        ISO_TRY(add_sensor(world, sensors, &descs[i]));
    }
    ISO_TRY(allocate_scratch(sensors));
    *out_sensors = sensors;

done:
    if (status != ISO_OK) {
        iso_sensors_destroy(sensors);
    }
    return status;
}

static void free_text(iso_context* ctx, const char* text) {
    iso_free(ctx, (void*)(uintptr_t)text);
}

void iso_sensors_destroy(iso_sensors* sensors) {
    if (!sensors) {
        return;
    }
    iso_context* ctx = sensors->ctx;
    for (int i = 0; i < sensors->count; ++i) {
        const iso_sensor_desc* desc = &sensors->sensors[i].desc;
        free_text(ctx, desc->name);
        free_text(ctx, desc->joint);
        free_text(ctx, desc->body);
        free_text(ctx, desc->geometry);
        free_text(ctx, desc->other_body);
        free_text(ctx, desc->other_geometry);
        free_text(ctx, desc->source);
        free_text(ctx, desc->fixed_tendon);
    }
    for (size_t i = 0; i < sizeof sensors->polygons / sizeof *sensors->polygons; ++i) {
        ISO_ARRAY_FREE(ctx, &sensors->polygons[i]);
    }
    iso_free(ctx, sensors->sensors);
    iso_free(ctx, sensors->values);
    iso_free(ctx, sensors->q);
    iso_free(ctx, sensors->v);
    iso_free(ctx, sensors->loads);
    iso_free(ctx, sensors->followed);
    iso_free(ctx, sensors);
}

// --- access --------------------------------------------------------------------------------------

static const iso_sensor* sensor_at(const iso_sensors* sensors, int index) {
    return sensors && index >= 0 && index < sensors->count ? &sensors->sensors[index] : NULL;
}

int iso_sensors_count(const iso_sensors* sensors) {
    return sensors ? sensors->count : 0;
}

iso_name_list iso_sensors_names(const iso_sensors* sensors) {
    return ISO_NAME_LIST(sensors ? sensors->sensors : NULL, sensors ? sensors->count : 0,
                         iso_sensor, desc.name);
}

int iso_sensors_find(const iso_sensors* sensors, const char* name) {
    iso_name_list list = iso_sensors_names(sensors);
    return iso_name_list_find(&list, name);
}

iso_sensor_desc iso_sensors_desc(const iso_sensors* sensors, int sensor) {
    const iso_sensor* s = sensor_at(sensors, sensor);
    return s ? s->desc : (iso_sensor_desc){0};
}

int iso_sensors_body(const iso_sensors* sensors, int sensor) {
    const iso_sensor* s = sensor_at(sensors, sensor);
    return s ? s->body : -1;
}

iso_pose iso_sensors_frame(const iso_sensors* sensors, int sensor) {
    const iso_sensor* s = sensor_at(sensors, sensor);
    return s ? s->x_bs : iso_pose_identity();
}

int iso_sensors_value_count(const iso_sensors* sensors, int sensor) {
    const iso_sensor* s = sensor_at(sensors, sensor);
    return s ? s->value_count : 0;
}

const double* iso_sensors_values(const iso_sensors* sensors, int sensor) {
    const iso_sensor* s = sensor_at(sensors, sensor);
    return s ? sensors->values + s->value_index : NULL;
}

iso_status iso_sensors_read(const iso_sensors* sensors, int sensor, double* out_values,
                            int capacity) {
    const iso_sensor* s = sensor_at(sensors, sensor);
    iso_context* ctx = sensors ? sensors->ctx : NULL;
    ISO_REQUIRE(ctx, sensors && out_values, ISO_ERR_ARGUMENT,
                "sensors and out_values are required");
    ISO_REQUIRE(ctx, s, ISO_ERR_RANGE, "sensor index %d, expected in [0, %d)", sensor,
                sensors->count);
    ISO_REQUIRE(ctx, capacity >= s->value_count, ISO_ERR_RANGE,
                "sensor '%s': room for %d values, expected at least %d", s->desc.name, capacity,
                s->value_count);
    memcpy(out_values, sensors->values + s->value_index,
           (size_t)s->value_count * sizeof *out_values);
    return ISO_OK;
}

const char* iso_sensors_value_name(const iso_sensors* sensors, int sensor, int value) {
    const iso_sensor* s = sensor_at(sensors, sensor);
    return s && value >= 0 && value < s->value_count ? iso_sensor_field_of(s, value).name : "";
}

const char* iso_sensors_value_unit(const iso_sensors* sensors, int sensor, int value) {
    const iso_sensor* s = sensor_at(sensors, sensor);
    return s && value >= 0 && value < s->value_count ? iso_sensor_field_of(s, value).unit : "";
}

int iso_sensors_cell(const iso_sensors* sensors, int sensor, int row, int column) {
    const iso_sensor* s = sensor_at(sensors, sensor);
    bool is_cell = s && s->desc.kind == ISO_SENSOR_TACTILE && row >= 0 && row < s->desc.rows &&
                   column >= 0 && column < s->desc.columns;
    return is_cell ? ISO_TACTILE_HEAD + ISO_TACTILE_CELL * (row * s->desc.columns + column) : -1;
}
