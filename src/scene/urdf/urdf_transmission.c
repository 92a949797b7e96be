// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// <transmission>: actuators of a URDF.

#include "scene/urdf/urdf.h"

#include "base/core/text.h"
#include "scene/tags/drake_tags.h"

#include <string.h>

// <drake:rotor_inertia value> and <drake:gear_ratio value>
static iso_status read_rotor(iso_scene_build* build, const xmlNode* actuator,
                             iso_joint_desc* joint) {
    const xmlNode* rotor = iso_xml_child(actuator, "drake:rotor_inertia");
    const xmlNode* gear = iso_xml_child(actuator, "drake:gear_ratio");
    if (!iso_scene_has_one_dof(joint->kind)) {
        return ISO_OK;
    }
    if (rotor) {
        ISO_SCENE_TRY(
            iso_xml_attribute_numbers(build, rotor, "value", 1, &joint->rotor_inertia, NULL));
    }
    if (gear) {
        ISO_SCENE_TRY(iso_xml_attribute_numbers(build, gear, "value", 1, &joint->gear_ratio, NULL));
    }
    return iso_scene_check_efforts(build, iso_xml_source(actuator), joint);
}

// What turns motors into joints: actuators here act on joints.
static iso_status check_reduction(iso_scene_build* build, const xmlNode* part,
                                  const iso_joint_desc* joint) {
    const char* text = NULL;
    double ratio = 0.0;
    ISO_SCENE_TRY(iso_xml_child_text(build, part, "mechanicalReduction", &text));
    bool is_said = *text != '\0';
    bool is_number = is_said && iso_text_to_double(text, &ratio);
    if (is_said && !(is_number && (ratio == 1.0 || ratio == joint->gear_ratio))) {
        const xmlNode* reduction = iso_xml_child(part, "mechanicalReduction");
        iso_scene_warn_once(
            build, iso_xml_source(reduction), "mechanicalReduction",
            "<mechanicalReduction> %.40s of joint '%s' is not used: what its actuator "
            "is told is the joint's effort, position and velocity, and the rotor's "
            "inertia counts times the square of <drake:gear_ratio>, which is %g",
            text, joint->name, joint->gear_ratio);
    }
    return ISO_OK;
}

static iso_status add_actuator(const iso_urdf_reader* reader, const xmlNode* element, int joint) {
    static const char* const known[] = {"hardwareInterface",      "mechanicalReduction",
                                        "drake:controller_gains", "drake:rotor_inertia",
                                        "drake:gear_ratio",       NULL};
    iso_scene_build* build = reader->build;
    iso_source at = iso_xml_source(element);
    iso_joint_desc* driven = iso_model_joint(build->model, joint);
    iso_xml_warn_unknown(build, element, known);
    if (!iso_scene_has_one_dof(driven->kind) || driven->effort_limit == 0.0) {
        iso_scene_warn_once(build, at, driven->name,
                            "no actuator for joint '%s', nor its rotor: it %s", driven->name,
                            driven->effort_limit == 0.0 ? "has effort limit 0"
                                                        : "has not one degree of freedom");
        return ISO_OK;
    }
    ISO_SCENE_TRY(read_rotor(build, element, driven));
    ISO_SCENE_TRY(check_reduction(build, element, driven));
    iso_actuator_desc actuator = iso_actuator_desc_default();
    const char* name = NULL;
    ISO_SCENE_TRY(iso_xml_required_attribute(build, element, "name", &name));
    ISO_SCENE_TRY(iso_scene_scoped(build, reader->scope, name, &name));
    ISO_SCENE_TRY(iso_scene_unique_actuator_name(build, name, &actuator.name));
    if (actuator.name != name) {
        iso_scene_warn_once(build, at, actuator.name,
                            "there is another actuator '%s': that of joint '%s' is called '%s'",
                            name, driven->name, actuator.name);
    }
    actuator.joint = joint;
    actuator.effort_limit = driven->effort_limit;
    const xmlNode* gains = iso_xml_child(element, "drake:controller_gains");
    if (gains) {
        ISO_SCENE_TRY(iso_drake_read_gains(build, gains, &actuator));
    }
    return iso_scene_add_actuator(build, at, &actuator, NULL);
}

// Robots move without their transmissions, as in programs that pass them over.
static iso_status warn_ignored(const iso_urdf_reader* reader, const xmlNode* transmission,
                               const char* why) {
    const char* name = NULL;
    ISO_SCENE_TRY(iso_xml_attribute(reader->build, transmission, "name", &name));
    iso_scene_warn_once(reader->build, iso_xml_source(transmission), why,
                        "transmission '%.80s' makes no actuator: %s", name ? name : "", why);
    return ISO_OK;
}

static iso_status add_simple(const iso_urdf_reader* reader, const xmlNode* transmission) {
    iso_scene_build* build = reader->build;
    const xmlNode* joint = iso_xml_child(transmission, "joint");
    const xmlNode* actuator = iso_xml_child(transmission, "actuator");
    if (!joint || !actuator) {
        return warn_ignored(reader, transmission,
                            joint ? "it has no <actuator>" : "it has no <joint>");
    }
    const char* name = NULL;
    const char* scoped = NULL;
    ISO_SCENE_TRY(iso_xml_required_attribute(build, joint, "name", &name));
    ISO_SCENE_TRY(iso_scene_scoped(build, reader->scope, name, &scoped));
    int index = iso_model_find_joint(build->model, scoped);
    if (index < 0) {
        iso_name_list list = iso_scene_joint_names(build);
        char text[ISO_NAME_TEXT_SIZE];
        return warn_ignored(reader, joint->parent,
                            iso_name_list_missing(&list, "joint", name, text, sizeof text));
    }
    ISO_SCENE_TRY(check_reduction(build, joint, iso_model_joint(build->model, index)));
    return add_actuator(reader, actuator, index);
}

iso_status iso_urdf_add_transmission(const iso_urdf_reader* reader, const xmlNode* transmission) {
    // robotNamespace is a label of ROS.
    static const char* const known[] = {"type", "joint", "actuator", "robotNamespace", NULL};
    iso_scene_build* build = reader->build;
    iso_source at = iso_xml_source(transmission);
    const char* type = NULL;
    iso_xml_warn_unknown(build, transmission, known);
    const xmlNode* type_element = iso_xml_child(transmission, "type");
    ISO_SCENE_TRY(iso_xml_child_text(build, transmission, "type", &type));
    if (type_element && !*type) {
        ISO_SCENE_TRY(iso_xml_attribute(build, type_element, "name", &type));
    } else if (!type_element) {
        ISO_SCENE_TRY(iso_xml_attribute(build, transmission, "type", &type));
    }
    if (!type || !strstr(type, "SimpleTransmission")) {
        iso_scene_warn_once(build, at, type ? type : "transmission",
                            "transmission of type '%s' is ignored, expected SimpleTransmission",
                            type ? type : "");
        return ISO_OK;
    }
    return add_simple(reader, transmission);
}
