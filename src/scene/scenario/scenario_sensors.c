// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/scenario/scenario.h"

#include <limits.h>
#include <string.h>

// What each kind of sensor reads besides name and type (docs/scene_format.md).
#define MOST_KEYS 24
static const char* const k_keys[][MOST_KEYS] = {
    [ISO_SENSOR_JOINT] = {"name", "type", "joint", "pose", "on_parent", NULL},
    [ISO_SENSOR_FORCE_TORQUE] = {"name", "type", "joint", "body", "pose", "on_parent", NULL},
    [ISO_SENSOR_CONTACT] = {"name", "type", "body", "pose", "geometry", "other_body",
                            "other_geometry", "zone", NULL},
    [ISO_SENSOR_TACTILE] = {"name",       "type",           "body",  "pose",    "geometry",
                            "other_body", "other_geometry", "rows",  "columns", "size",
                            "reach",      "slip_speed",     "gain",  "offset",  "hysteresis",
                            "noise",      "step",           "range", "seed",    NULL},
    [ISO_SENSOR_IMU] = {"name", "type", "body", "pose", NULL},
    [ISO_SENSOR_FRAME] = {"name", "type", "body", "pose", "relative_to", NULL},
    [ISO_SENSOR_VELOCITY] = {"name", "type", "body", "pose", "relative_to", NULL},
    [ISO_SENSOR_SUBTREE] = {"name", "type", "body", NULL},
    [ISO_SENSOR_FIXED_TENDON] = {"name", "type", "fixed_tendon", NULL},
    [ISO_SENSOR_RANGE] = {"name", "type", "body", "pose", "reach", NULL},
    [ISO_SENSOR_ACCELERATION] = {"name", "type", "body", "pose", NULL},
};

// NULL: a kind without a row.
static const char* const* keys_of(int kind) {
    int count = (int)(sizeof k_keys / sizeof *k_keys);
    return kind < count && k_keys[kind][0] ? k_keys[kind] : NULL;
}

// Pose within the frame, body or joint named beside it.
static iso_status read_pose(iso_scene_build* build, const iso_yaml_node* node, iso_pose* out_x) {
    const iso_yaml_node* pose = iso_yaml_get(node, "pose");
    iso_scene_frame unused;
    ISO_SCENE_REQUIRE(build, pose ? pose->source : node->source, !iso_yaml_get(pose, "base_frame"),
                      ISO_ERR_PARSE,
                      "the pose of a sensor is in its body or joint; no base_frame there");
    return iso_scenario_read_pose(build, pose, "pose", "", &unused, out_x);
}

// The body of a body or frame by name, and the pose of the latter in it.
static iso_status read_frame(iso_scene_build* build, const iso_yaml_node* node, const char* key,
                             const char** out_body, iso_pose* out_x) {
    const iso_yaml_node* name_node = iso_yaml_get(node, key);
    const char* name = NULL;
    iso_scene_frame frame;
    if (iso_yaml_is_null(name_node)) {
        return ISO_OK;
    }
    ISO_SCENE_TRY(iso_yaml_text(build, name_node, key, &name));
    ISO_SCENE_TRY(iso_scene_require_frame(build, name_node->source, name, &frame));
    *out_body = iso_model_body(build->model, frame.body)->name;
    *out_x = frame.x_bf;
    return ISO_OK;
}

static iso_status read_joint(iso_scene_build* build, const iso_yaml_node* node,
                             const char** out_joint) {
    const iso_yaml_node* joint = iso_yaml_get(node, "joint");
    const char* name = NULL;
    int index = -1;
    if (iso_yaml_is_null(joint)) {
        return ISO_OK;
    }
    ISO_SCENE_TRY(iso_yaml_text(build, joint, "joint", &name));
    ISO_SCENE_TRY(iso_scene_find_joint(build, joint->source, name, &index));
    *out_joint = iso_model_joint(build->model, index)->name;
    return ISO_OK;
}

static iso_status read_fixed_tendon(iso_scene_build* build, const iso_yaml_node* node,
                                    const char** out_tendon) {
    const iso_yaml_node* tendon = iso_yaml_get(node, "fixed_tendon");
    int index = -1;
    if (iso_yaml_is_null(tendon)) {
        return ISO_OK;
    }
    ISO_SCENE_TRY(iso_yaml_text(build, tendon, "fixed_tendon", out_tendon));
    ISO_SCENE_TRY(iso_scene_find_fixed_tendon(build, tendon->source, *out_tendon, &index));
    *out_tendon = iso_model_fixed_tendon(build->model, index)->name;
    return ISO_OK;
}

// A sensor is of one thing, of the kind that its type asks for.
static iso_status check_target(const iso_scene_build* build, const iso_yaml_node* node,
                               const iso_sensor_desc* desc) {
    bool has_one = (desc->joint != NULL) != (desc->body != NULL);
    const char* expected = "a body";
    if (desc->kind == ISO_SENSOR_JOINT) {
        has_one = desc->joint != NULL;
        expected = "a joint";
    } else if (desc->kind == ISO_SENSOR_FORCE_TORQUE) {
        expected = "either a joint or a body";
    } else if (desc->kind == ISO_SENSOR_FIXED_TENDON) {
        has_one = desc->fixed_tendon != NULL;
        expected = "a fixed_tendon";
    }
    ISO_SCENE_REQUIRE(build, node->source, has_one, ISO_ERR_PARSE,
                      "sensor '%s' of type %s names %s", desc->name,
                      iso_sensor_kind_name(desc->kind), expected);
    return ISO_OK;
}

static iso_status read_grid(iso_scene_build* build, const iso_yaml_node* node,
                            iso_sensor_desc* desc) {
    const iso_yaml_node* size = iso_yaml_get(node, "size");
    double sides[2] = {desc->width, desc->height};
    ISO_SCENE_TRY(iso_yaml_get_count(build, node, "rows", 1, 4096, &desc->rows));
    ISO_SCENE_TRY(iso_yaml_get_count(build, node, "columns", 1, 4096, &desc->columns));
    if (!iso_yaml_is_null(size)) {
        ISO_SCENE_TRY(iso_yaml_numbers(build, size, "size", 2, sides));
    }
    for (int i = 0; i < 2; ++i) {
        ISO_SCENE_REQUIRE(build, size ? size->source : node->source,
                          sides[i] > 0.0 && sides[i] <= ISO_SCENE_MAX_LENGTH, ISO_ERR_RANGE,
                          "size is %g m, expected > 0", sides[i]);
    }
    desc->width = sides[0];
    desc->height = sides[1];
    return iso_yaml_get_ranged(build, node, "reach", 0.0, true, INFINITY, &desc->reach);
}

// What real taxels make of the pressures.
static iso_status read_taxels(iso_scene_build* build, const iso_yaml_node* node,
                              iso_sensor_desc* desc) {
    iso_taxels* t = &desc->taxels;
    const iso_yaml_node* range = iso_yaml_get(node, "range");
    const iso_yaml_node* gain = iso_yaml_get(node, "gain");
    double limits[2] = {t->low, t->high};
    ISO_SCENE_TRY(
        iso_yaml_get_ranged(build, node, "slip_speed", 0.0, true, 1e6, &desc->slip_speed));
    ISO_SCENE_TRY(iso_yaml_get_number(build, node, "gain", &t->gain));
    ISO_SCENE_REQUIRE(build, gain ? gain->source : node->source, t->gain != 0.0, ISO_ERR_RANGE,
                      "gain is %g, expected a number other than 0", t->gain);
    ISO_SCENE_TRY(iso_yaml_get_number(build, node, "offset", &t->offset));
    ISO_SCENE_TRY(iso_yaml_get_ranged(build, node, "hysteresis", 0.0, false, 1e12, &t->hysteresis));
    ISO_SCENE_TRY(iso_yaml_get_ranged(build, node, "noise", 0.0, false, 1e12, &t->noise));
    ISO_SCENE_TRY(iso_yaml_get_ranged(build, node, "step", 0.0, false, 1e12, &t->step));
    ISO_SCENE_TRY(iso_yaml_get_count(build, node, "seed", 0, INT_MAX, &t->seed));
    if (!iso_yaml_is_null(range)) {
        ISO_SCENE_TRY(iso_yaml_numbers(build, range, "range", 2, limits));
        ISO_SCENE_REQUIRE(build, range->source, limits[0] < limits[1], ISO_ERR_RANGE,
                          "range is %g to %g, expected the lower one first", limits[0], limits[1]);
    }
    t->low = limits[0];
    t->high = limits[1];
    return ISO_OK;
}

static iso_status read_zone(iso_scene_build* build, const iso_yaml_node* node,
                            iso_sensor_desc* desc) {
    static const char* const known[] = {"shape", "radius", "length", "size", "semi_axes", NULL};
    const iso_yaml_node* zone = iso_yaml_get(node, "zone");
    iso_shape_desc shape;
    if (iso_yaml_is_null(zone)) {
        return ISO_OK;
    }
    ISO_SCENE_TRY(iso_yaml_check_mapping(build, zone, "zone", known));
    ISO_SCENE_TRY(iso_scenario_read_shape(build, zone, "zone", &shape));
    return iso_scene_set_zone(build, zone->source, &shape, desc);
}

static iso_status read_sensor(iso_scene_build* build, const iso_yaml_node* node) {
    int kind = 0;
    iso_sensor_desc desc = iso_sensor_desc_default();
    iso_yaml_node* needed = NULL;
    iso_pose x_frame = iso_pose_identity(), x;
    ISO_SCENE_REQUIRE(build, node->source, node->kind == ISO_YAML_MAPPING, ISO_ERR_PARSE,
                      "an entry of sensors is not a mapping");
    ISO_SCENE_TRY(iso_yaml_require_text(build, node, "a sensor", "name", &desc.name));
    ISO_SCENE_TRY(iso_yaml_require(build, node, "a sensor", "type", &needed));
    ISO_SCENE_TRY(iso_yaml_get_name(build, node, "type", ISO_NAMES_SENSOR_KIND, &kind));
    desc.kind = (iso_sensor_kind)kind;
    const char* const* keys = keys_of(kind);
    ISO_SCENE_REQUIRE(build, node->source, keys, ISO_ERR_UNSUPPORTED,
                      "sensor '%s': scenarios have no sensors of type %s", desc.name,
                      iso_sensor_kind_name(desc.kind));
    ISO_SCENE_TRY(iso_yaml_check_mapping(build, node, "a sensor", keys));
    ISO_SCENE_TRY(read_joint(build, node, &desc.joint));
    ISO_SCENE_TRY(read_frame(build, node, "body", &desc.body, &x_frame));
    ISO_SCENE_TRY(read_fixed_tendon(build, node, &desc.fixed_tendon));
    ISO_SCENE_TRY(check_target(build, node, &desc));
    ISO_SCENE_TRY(read_pose(build, node, &x));
    desc.x_bs = iso_pose_mul(&x_frame, &x);
    ISO_SCENE_TRY(iso_yaml_get_bool(build, node, "on_parent", &desc.is_on_parent));
    ISO_SCENE_TRY(iso_yaml_get_text(build, node, "geometry", &desc.geometry));
    ISO_SCENE_TRY(iso_yaml_get_text(build, node, "other_geometry", &desc.other_geometry));
    ISO_SCENE_TRY(read_frame(build, node, "other_body", &desc.other_body, &x_frame));
    ISO_SCENE_TRY(read_frame(build, node, "relative_to", &desc.other_body, &desc.x_or));
    ISO_SCENE_TRY(read_grid(build, node, &desc));
    ISO_SCENE_TRY(read_taxels(build, node, &desc));
    ISO_SCENE_TRY(read_zone(build, node, &desc));
    return iso_scene_add_sensor(build, node->source, &desc, true);
}

iso_status iso_scenario_read_sensors(const iso_scenario* scenario) {
    iso_scene_build* build = scenario->build;
    const iso_yaml_node* sensors = iso_yaml_get(scenario->root, "sensors");
    if (iso_yaml_is_null(sensors)) {
        return ISO_OK;
    }
    ISO_SCENE_TRY(iso_yaml_check_sequence(build, sensors, "sensors"));
    for (int i = 0; i < sensors->count; ++i) {
        ISO_SCENE_TRY(read_sensor(build, sensors->children[i]));
    }
    return ISO_OK;
}
