// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/sdf/sdf.h"

#include <stdio.h>
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
    static const char* const known[] = {"frame", "measure_direction", "force", "torque", NULL};
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

static const char* geometry_of(const iso_scene_build* build, int body, const char* name,
                               int* out_count) {
    const char* found = NULL;
    *out_count = 0;
    for (int i = 0; i < iso_model_geometry_count(build->model); ++i) {
        int owner;
        const iso_geometry_desc* geometry = iso_model_geometry(build->model, i, &owner);
        *out_count += owner == body;
        if (owner == body && (name == NULL || strcmp(geometry->name, name) == 0)) {
            found = geometry->name;
        }
    }
    return found;
}

// Gazebo names a URDF's collisions itself, by link and number: L_collision, L_collision_1, and
// P_fixed_joint_lump__L_collision_1, counted over all of P, when it lumps L into P.
static const char* collision_of_gazebo(const iso_scene_build* build, int body, const char* name) {
    static const char lump[] = "_fixed_joint_lump__";
    const char* body_name = iso_model_body(build->model, body)->name;
    const char* scope_end = strrchr(body_name, ':');
    const char* link = scope_end ? scope_end + 1 : body_name;
    const char* lumped = strstr(name, lump);
    const char* colons = strrchr(name, ':'); // model::link::collision
    const char* rest = lumped ? lumped + strlen(lump) : name;
    size_t length = strlen(link);
    int count;
    if (colons && geometry_of(build, body, colons + 1, &count)) {
        return geometry_of(build, body, colons + 1, &count);
    }
    if (geometry_of(build, body, name, &count) || strncmp(rest, link, length) != 0 ||
        strncmp(rest + length, "_collision", strlen("_collision")) != 0) {
        return name;
    }
    const char* own = count == 1 ? geometry_of(build, body, NULL, &count)
                      : !lumped  ? geometry_of(build, body, rest + length + 1, &count)
                                 : NULL;
    return own ? own : name;
}

// PARENT_fixed_joint_lump__LINK_collision_1 of a link that is fixed to the sensor's own: the body
// LINK where it has one collision, else -1.
static int lumped_body(iso_scene_build* build, const char* scope, const char* name) {
    static const char lump[] = "_fixed_joint_lump__";
    const char* link = strstr(name, lump);
    char scoped[512];
    int count = 0;
    if (!link) {
        return -1;
    }
    link += strlen(lump);
    const char* end = link;
    for (const char* at = strstr(link, "_collision"); at; at = strstr(at + 1, "_collision")) {
        end = at;
    }
    (void)snprintf(scoped, sizeof scoped, "%s%s%.*s", scope, *scope ? "::" : "", (int)(end - link),
                   link);
    int body = iso_model_find_body(build->model, scoped);
    return body > 0 && geometry_of(build, body, NULL, &count) && count == 1 ? body : -1;
}

// @param out_is_there  false: it names a collision that the link does not have
static iso_status read_contact(iso_scene_build* build, const xmlNode* element, const char* scope,
                               int body, iso_sensor_desc* desc, bool* out_is_there) {
    static const char* const known[] = {"collision", "topic", NULL};
    const xmlNode* own = iso_xml_child(element, "contact");
    const char* name = "";
    int count;
    *out_is_there = true;
    desc->geometry = NULL;
    if (own) {
        iso_xml_warn_unknown(build, own, known);
        ISO_SCENE_TRY(iso_xml_child_text(build, own, "collision", &name));
    }
    if (!*name) {
        return ISO_OK;
    }
    desc->geometry = collision_of_gazebo(build, body, name);
    if (geometry_of(build, body, desc->geometry, &count)) {
        return ISO_OK;
    }
    int lumped = lumped_body(build, scope, name);
    *out_is_there = lumped >= 0;
    if (lumped >= 0) {
        desc->body = iso_model_body(build->model, lumped)->name;
        desc->geometry = geometry_of(build, lumped, NULL, &count);
        return ISO_OK;
    }
    iso_scene_warn_once(build, iso_xml_source(element), name,
                        "sensor '%s' is left out: its link has no collision '%.80s'", desc->name,
                        name);
    return ISO_OK;
}

// Whether noise is to be added somewhere in an element.
static bool is_noisy(const xmlNode* element) {
    bool is_found = false;
    for (const xmlNode* child = iso_xml_first(element); child && !is_found;
         child = iso_xml_next(child)) {
        const xmlAttr* type = iso_xml_is(child, "noise") ? child->properties : NULL;
        const char* text = type && type->children ? (const char*)type->children->content : "none";
        is_found = strcmp(text, "none") != 0 || is_noisy(child);
    }
    return is_found;
}

// What a sensor is told and does not do.
static iso_status warn_of_sensor(iso_scene_build* build, const xmlNode* element) {
    // Without the switch the orientation is told, too.
    static const char* const of_imu[] = {"angular_velocity", "linear_acceleration",
                                         "enable_orientation", "topic", NULL};
    const xmlNode* imu = iso_xml_child(element, "imu");
    const xmlNode* rate_node = iso_xml_child(element, "update_rate");
    double rate = 0.0;
    iso_xml_warn_unknown(build, element, k_known);
    if (imu) {
        iso_xml_warn_unknown(build, imu, of_imu);
    }
    ISO_SCENE_TRY(iso_xml_child_numbers(build, element, "update_rate", 1, &rate, NULL));
    if (rate > 0.0) {
        iso_scene_warn_once(build, iso_xml_source(rate_node), "update_rate",
                            "<update_rate> %g is ignored: sensors are read after every step", rate);
    }
    if (is_noisy(element)) {
        iso_scene_warn_once(build, iso_xml_source(element), "noise",
                            "<noise> of a sensor is not supported and is ignored: it measures "
                            "without");
    }
    return ISO_OK;
}

static const char* type_of(const xmlNode* element) {
    xmlAttr* type = xmlHasProp(element, BAD_CAST "type");
    return type && type->children && type->children->content ? (const char*)type->children->content
                                                             : "";
}

bool iso_sdf_is_read_sensor(iso_scene_build* build, const xmlNode* element, bool is_in_joint) {
    const char* type = type_of(element);
    bool is_of_link = strcmp(type, "imu") == 0 || strcmp(type, "contact") == 0;
    bool is_read = is_in_joint ? strcmp(type, "force_torque") == 0 : is_of_link;
    if (!is_read) {
        iso_scene_warn_once(build, iso_xml_source(element), type,
                            "<sensor> of type '%.40s' in a %s is not supported and is ignored",
                            type, is_in_joint ? "joint" : "link");
    }
    return is_read;
}

iso_status iso_sdf_add_sensor(iso_scene_build* build, const xmlNode* element, const char* scope,
                              int body, const char* joint, const iso_pose* x_start,
                              const iso_pose* x_cm) {
    const char* type = type_of(element);
    const char* name = NULL;
    iso_source at = iso_xml_source(element);
    iso_sensor_desc desc = iso_sensor_desc_default();
    ISO_SCENE_TRY(iso_xml_attribute(build, element, "name", &name));
    desc.x_bs = *x_start;
    desc.joint = joint;
    desc.body = body >= 0 ? iso_model_body(build->model, body)->name : NULL;
    bool is_imu = strcmp(type, "imu") == 0, is_contact = strcmp(type, "contact") == 0;
    bool is_force = strcmp(type, "force_torque") == 0;
    ISO_SCENE_TRY(warn_of_sensor(build, element));
    desc.kind = is_imu ? ISO_SENSOR_IMU : is_contact ? ISO_SENSOR_CONTACT : ISO_SENSOR_FORCE_TORQUE;
    ISO_SCENE_TRY(iso_scene_scoped(build, scope, name && *name ? name : type, &desc.name));
    if (is_force) {
        ISO_SCENE_TRY(read_force_torque(build, element, x_cm, &desc));
    }
    bool is_there = true;
    if (is_contact) {
        ISO_SCENE_TRY(read_contact(build, element, scope, body, &desc, &is_there));
    }
    return is_there ? iso_scene_add_sensor(build, at, &desc, false) : ISO_OK;
}

iso_status iso_sdf_add_joint_sensors(iso_scene_build* build, const xmlNode* element,
                                     const char* scope, const char* joint, const iso_pose* x_cm) {
    for (const xmlNode* child = iso_xml_first(element); child; child = iso_xml_next(child)) {
        const char* relative_to = NULL;
        iso_pose x;
        if (!iso_xml_is(child, "sensor") || !iso_sdf_is_read_sensor(build, child, true)) {
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
