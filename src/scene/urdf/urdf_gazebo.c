// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/sdf/sdf.h"
#include "scene/tags/isobar_tags.h"
#include "scene/urdf/urdf.h"

#include <string.h>

static iso_status add_sensors(const iso_urdf_reader* reader, const xmlNode* gazebo, int body) {
    iso_scene_build* build = reader->build;
    for (const xmlNode* child = iso_xml_first(gazebo); child; child = iso_xml_next(child)) {
        const char* relative_to = NULL;
        iso_pose x;
        if (iso_xml_is(child, "sensor") && iso_sdf_is_read_sensor(build, child, false)) {
            ISO_SCENE_TRY(iso_sdf_check_elements(build, child));
            ISO_SCENE_TRY(iso_sdf_read_pose(build, child, &x, &relative_to));
            ISO_SCENE_TRY(iso_sdf_add_sensor(build, child, reader->scope, body, NULL, &x, NULL));
        }
    }
    return ISO_OK;
}

// <mu1>, <mu2>, <kp>, <kd>: of all collisions of the link that do not state theirs.
static iso_status set_friction(iso_scene_build* build, const xmlNode* gazebo, int body) {
    for (int i = 0; i < iso_model_geometry_count(build->model); ++i) {
        int owner;
        iso_contact_material* material = &iso_model_geometry(build->model, i, &owner)->material;
        iso_material_spec spec = {.value = *material, .stated = build->stated_materials.data[i]};
        if (owner == body) {
            ISO_SCENE_TRY(iso_sdf_read_friction(build, gazebo, "mu1", "mu2", &spec));
            material->friction_static = spec.value.friction_static;
            material->friction_dynamic = spec.value.friction_dynamic;
            build->stated_materials.data[i] = spec.stated;
            ISO_SCENE_TRY(iso_sdf_read_ode_law(build, gazebo, &build->point_laws.data[i]));
        }
    }
    return ISO_OK;
}

// <turnGravityOff>: true takes the link's weight away.
static iso_status set_weight(iso_scene_build* build, const xmlNode* gazebo, int body) {
    const xmlNode* element = iso_xml_child(gazebo, "turnGravityOff");
    const char* text = NULL;
    bool is_weightless = false;
    if (!element || body == ISO_WORLD_BODY) {
        return ISO_OK;
    }
    ISO_SCENE_TRY(iso_xml_attribute_or_text(build, element, "value", &text));
    ISO_SCENE_TRY(iso_xml_parse_bool(build, element, "the value", text, &is_weightless));
    iso_model_body(build->model, body)->gravity_compensation = is_weightless ? 1.0 : 0.0;
    return ISO_OK;
}

iso_status iso_urdf_add_gazebo(const iso_urdf_reader* reader, const xmlNode* gazebo) {
    // What only a renderer would use is passed over.
    static const char* const of_links[] = {
        "sensor", "mu1", "mu2", "turnGravityOff", "material", "visual", "kp", "kd", NULL};
    // Joints stay as they are, which is what these ask Gazebo for.
    static const char* const of_joints[] = {"sensor", "preserveFixedJoint",
                                            "disableFixedJointLumping", NULL};
    static const char* const of_robots[] = {"plugin", NULL}; // of other programs
    iso_scene_build* build = reader->build;
    const char* name = NULL;
    const char* scoped = NULL;
    ISO_SCENE_TRY(iso_xml_attribute(build, gazebo, "reference", &name));
    if (!name) { // of the whole robot
        iso_xml_warn_unknown(build, gazebo, of_robots);
        return ISO_OK;
    }
    ISO_SCENE_TRY(iso_scene_scoped(build, reader->scope, name, &scoped));
    int joint = iso_model_find_joint(build->model, scoped);
    if (joint >= 0) {
        iso_xml_warn_unknown(build, gazebo, of_joints);
        return iso_sdf_add_joint_sensors(build, gazebo, reader->scope, scoped,
                                         &iso_model_joint(build->model, joint)->x_cm);
    }
    int body = iso_model_find_body(build->model, scoped);
    if (body < 0 && strcmp(name, "world") != 0) {
        iso_scene_warn_once(build, iso_xml_source(gazebo), scoped,
                            "<gazebo>: there is no link or joint '%.80s'%s", name,
                            iso_xml_child(gazebo, "sensor") ? ", so no sensor on it" : "");
        return ISO_OK;
    }
    iso_xml_warn_unknown(build, gazebo, of_links);
    ISO_SCENE_TRY(iso_urdf_find_body(reader, iso_xml_source(gazebo), name, &body));
    ISO_SCENE_TRY(set_friction(build, gazebo, body));
    ISO_SCENE_TRY(set_weight(build, gazebo, body));
    return add_sensors(reader, gazebo, body);
}
