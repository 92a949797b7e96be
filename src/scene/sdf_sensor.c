// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/sdf.h"

#include <string.h>

// What only says how often and where a sensor reports is passed over.
static const char* const k_known[] = {"pose",
                                      "always_on",
                                      "update_rate",
                                      "visualize",
                                      "topic",
                                      "imu",
                                      "contact",
                                      "plugin",
                                      "force_torque",
                                      "frame_id",
                                      "enable_metrics",
                                      "gz_frame_id",
                                      "ignition_frame_id",
                                      NULL};

// <frame> parent, child (the default) or sensor; <measure_direction> child_to_parent (the default)
// or parent_to_child.
static iso_status read_force_torque(iso_scene_build* build, const xmlNode* element,
                                    const iso_pose* x_cm, iso_sensor_desc* desc) {
    static const char* const known[] = {"frame", "measure_direction", NULL};
    const xmlNode* own = iso_xml_child(element, "force_torque");
    const char* frame = "";
    const char* direction = "";
    if (own) {
        iso_xml_warn_unknown(build, own, known);
        ISO_SCENE_TRY(iso_xml_child_text(build, own, "frame", &frame));
        ISO_SCENE_TRY(iso_xml_child_text(build, own, "measure_direction", &direction));
    }
    desc->is_on_parent = strcmp(direction, "parent_to_child") != 0;
    if (strcmp(frame, "sensor") == 0) {
        return ISO_OK;
    }
    if (strcmp(frame, "parent") == 0) {
        iso_scene_warn_once(build, iso_xml_source(element), "frame parent",
                            "<force_torque>: axes of the parent are not supported, those of the "
                            "child are taken");
    }
    desc->x_bs.r = iso_mat3_transpose(x_cm->r);
    return ISO_OK;
}

static iso_status read_contact(iso_scene_build* build, const xmlNode* element,
                               iso_sensor_desc* desc) {
    static const char* const known[] = {"collision", "topic", NULL};
    const xmlNode* own = iso_xml_child(element, "contact");
    if (own) {
        iso_xml_warn_unknown(build, own, known);
        ISO_SCENE_TRY(iso_xml_child_text(build, own, "collision", &desc->geometry));
    }
    if (desc->geometry && !*desc->geometry) {
        desc->geometry = NULL;
    }
    return ISO_OK;
}

iso_status iso_sdf_add_sensor(iso_scene_build* build, const xmlNode* element, const char* scope,
                              int body, const char* joint, const iso_pose* x_start,
                              const iso_pose* x_cm) {
    const char* type = NULL;
    const char* name = NULL;
    iso_source at = iso_xml_source(element);
    iso_sensor_desc desc = iso_sensor_desc_default();
    ISO_SCENE_TRY(iso_xml_attribute(build, element, "type", &type));
    ISO_SCENE_TRY(iso_xml_attribute(build, element, "name", &name));
    type = type ? type : "";
    desc.x_bs = *x_start;
    desc.joint = joint;
    desc.body = body >= 0 ? iso_model_body(build->model, body)->name : NULL;
    bool is_imu = strcmp(type, "imu") == 0, is_contact = strcmp(type, "contact") == 0;
    bool is_force = strcmp(type, "force_torque") == 0;
    bool is_known = joint ? is_force : is_imu || is_contact;
    if (!is_known) {
        iso_scene_warn_once(build, at, type,
                            "<sensor> of type '%.40s' in a %s is not supported and is ignored",
                            type, joint ? "joint" : "link");
        return ISO_OK;
    }
    iso_xml_warn_unknown(build, element, k_known);
    desc.kind = is_imu ? ISO_SENSOR_IMU : is_contact ? ISO_SENSOR_CONTACT : ISO_SENSOR_FORCE_TORQUE;
    ISO_SCENE_TRY(iso_scene_scoped(build, scope, name && *name ? name : type, &desc.name));
    if (is_force) {
        ISO_SCENE_TRY(read_force_torque(build, element, x_cm, &desc));
    }
    if (is_contact) {
        ISO_SCENE_TRY(read_contact(build, element, &desc));
    }
    return iso_scene_add_sensor(build, at, &desc, false);
}

iso_status iso_sdf_add_joint_sensors(iso_scene_build* build, const xmlNode* element,
                                     const char* scope, const char* joint, const iso_pose* x_cm) {
    for (const xmlNode* child = iso_xml_first(element); child; child = iso_xml_next(child)) {
        const char* relative_to = NULL;
        iso_pose x;
        if (!iso_xml_is(child, "sensor")) {
            continue;
        }
        ISO_SCENE_TRY(iso_sdf_read_pose(build, child, &x, &relative_to));
        if (relative_to && *relative_to) {
            iso_scene_warn_once(build, iso_xml_source(child), "relative_to",
                                "<sensor>: relative_to '%.40s' is ignored, the pose is taken in "
                                "the joint",
                                relative_to);
        }
        ISO_SCENE_TRY(iso_sdf_add_sensor(build, child, scope, -1, joint, &x, x_cm));
    }
    return ISO_OK;
}
