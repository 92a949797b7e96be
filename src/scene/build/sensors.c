// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/build/build.h"

#include "base/core/log.h"

iso_status iso_scene_add_sensor(iso_scene_build* build, iso_source at, const iso_sensor_desc* desc,
                                bool is_strict) {
    iso_sensor_desc sensor = *desc;
    ISO_SCENE_REQUIRE(build, at, build->sensors.count < ISO_SCENE_MAX_NAMES, ISO_ERR_PARSE,
                      "more than %d sensors", ISO_SCENE_MAX_NAMES);
    iso_name_list taken =
        ISO_NAME_LIST(build->sensors.data, build->sensors.count, iso_sensor_desc, name);
    ISO_SCENE_TRY(
        iso_scene_unique_name(build, &build->sensor_index, &taken, desc->name, &sensor.name));
    ISO_SCENE_REQUIRE(build, at, !is_strict || sensor.name == desc->name, ISO_ERR_PARSE,
                      "there is another sensor '%s'", desc->name);
    ISO_SCENE_TRY(iso_scene_source_text(build, at, &sensor.source));
    ISO_SCENE_TRY(ISO_ARRAY_GROW(build->ctx, &build->sensors));
    build->sensors.data[build->sensors.count++] = sensor;
    return ISO_OK;
}

iso_status iso_scene_set_zone(const iso_scene_build* build, iso_source at,
                              const iso_shape_desc* shape, iso_sensor_desc* desc) {
    iso_vec3 round = iso_vec3_make(shape->radius, 0.5 * shape->length, 0.0);
    switch (shape->kind) {
    case ISO_SHAPE_SPHERE:
        desc->zone = ISO_ZONE_SPHERE;
        desc->zone_size = iso_vec3_make(shape->radius, 0.0, 0.0);
        return ISO_OK;
    case ISO_SHAPE_CAPSULE:
        desc->zone = ISO_ZONE_CAPSULE;
        desc->zone_size = round;
        return ISO_OK;
    case ISO_SHAPE_CYLINDER:
        desc->zone = ISO_ZONE_CYLINDER;
        desc->zone_size = round;
        return ISO_OK;
    case ISO_SHAPE_ELLIPSOID:
        desc->zone = ISO_ZONE_ELLIPSOID;
        desc->zone_size = shape->size;
        return ISO_OK;
    case ISO_SHAPE_BOX:
        desc->zone = ISO_ZONE_BOX;
        desc->zone_size = iso_vec3_scale(shape->size, 0.5);
        return ISO_OK;
    case ISO_SHAPE_HALF_SPACE:
    case ISO_SHAPE_CONVEX:
    case ISO_SHAPE_MESH:
        break;
    }
    return iso_scene_fail(build, at, ISO_ERR_UNSUPPORTED,
                          "the zone of a sensor is a %s, expected sphere, capsule, cylinder, "
                          "ellipsoid or box",
                          iso_shape_kind_name(shape->kind));
}

enum { k_text_count = 8 };

static void list_texts(iso_sensor_desc* desc, const char** texts[k_text_count]) {
    texts[0] = &desc->name;
    texts[1] = &desc->joint;
    texts[2] = &desc->body;
    texts[3] = &desc->geometry;
    texts[4] = &desc->other_body;
    texts[5] = &desc->other_geometry;
    texts[6] = &desc->source;
    texts[7] = &desc->fixed_tendon;
}

void iso_scene_free_sensors(iso_context* ctx, iso_sensor_desc* sensors, int count) {
    for (int i = 0; i < count; ++i) {
        const char** texts[k_text_count];
        list_texts(&sensors[i], texts);
        for (int k = 0; k < k_text_count; ++k) {
            iso_free(ctx, (void*)(uintptr_t)*texts[k]);
        }
    }
    iso_free(ctx, sensors);
}

// A joint that was turned round has its ends the other way about: what is measured stays that on
// the end that the file means. Axes and points are those of the other end, which is the same
// where the joint is fixed.
static void keep_side(const iso_scene_build* build, iso_sensor_desc* sensor) {
    int index = sensor->joint ? iso_model_find_joint(build->model, sensor->joint) : -1;
    const iso_joint_desc* joint = index >= 0 ? iso_model_joint(build->model, index) : NULL;
    if (!joint || !build->starts.data[joint->child].is_turned) {
        return;
    }
    sensor->is_on_parent = !sensor->is_on_parent;
    if (joint->kind != ISO_JOINT_WELD) {
        iso_log(build->ctx, ISO_LOG_WARNING,
                "%s: sensor '%s': joint '%s' starts from body '%s' here, whose axes are taken",
                sensor->source, sensor->name, joint->name,
                iso_model_body(build->model, joint->child)->name);
    }
}

iso_status iso_scene_copy_sensors(const iso_scene_build* build, iso_sensor_desc** out_sensors) {
    iso_context* ctx = build->ctx;
    int count = build->sensors.count;
    *out_sensors = NULL;
    if (count == 0) {
        return ISO_OK;
    }
    iso_sensor_desc* copies = iso_alloc_array(ctx, count, sizeof *copies);
    ISO_REQUIRE(ctx, copies, ISO_ERR_MEMORY, "%d sensors", count);
    bool is_done = true;
    for (int i = 0; i < count; ++i) {
        const char** texts[k_text_count];
        copies[i] = build->sensors.data[i];
        keep_side(build, &copies[i]);
        list_texts(&copies[i], texts);
        for (int k = 0; k < k_text_count; ++k) {
            bool is_there = *texts[k] != NULL;
            *texts[k] = is_there ? iso_strdup(ctx, *texts[k]) : NULL;
            is_done = is_done && is_there == (*texts[k] != NULL);
        }
    }
    if (!is_done) {
        iso_scene_free_sensors(ctx, copies, count);
        return iso_fail(ctx, ISO_ERR_MEMORY, __func__, "names of %d sensors", count);
    }
    *out_sensors = copies;
    return ISO_OK;
}
