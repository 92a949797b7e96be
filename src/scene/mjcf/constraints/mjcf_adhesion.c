// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Actuators that pull at what a body touches.

#include "scene/mjcf/constraints/mjcf_adhesion.h"

#include <math.h>

const char* const iso_mjcf_adhesion_attributes[] = {
    "name", "class",       "group", "ctrlrange", "forcerange", "forcelimited",
    "body", "ctrllimited", "gain",  "user",      NULL};

// MuJoCo averages the normals of the body's contacts, and heeds no gear.
iso_status iso_mjcf_read_adhesion_body(iso_mjcf_reader* reader, const xmlNode* node,
                                       iso_mjcf_transmission* out) {
    bool is_adhesion = iso_xml_is(node, "adhesion");
    const iso_mjcf_body* body = NULL;
    const char* name = NULL;
    ISO_SCENE_TRY(iso_xml_attribute(reader->build, node, "body", &name));
    ISO_SCENE_TRY(is_adhesion && !name ? iso_xml_needs_attribute(reader->build, node, "body")
                                       : ISO_OK);
    if (!name || !(is_adhesion || iso_xml_is(node, "general"))) {
        return ISO_OK;
    }
    ISO_SCENE_TRY(iso_mjcf_find_body(reader, node, name, &body));
    out->is_adhesion = out->has_gears = true;
    out->body = body->body;
    return ISO_OK;
}

iso_status iso_mjcf_check_adhesion(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                                   const iso_mjcf_actuator* law) {
    iso_source at = iso_xml_source(item->node);
    double range[2] = {0.0, 0.0};
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, item, "ctrlrange", 2, 2, range, NULL));
    ISO_SCENE_REQUIRE(reader->build, at, law->gain >= 0.0, ISO_ERR_RANGE,
                      "<adhesion>: gain is %g, expected >= 0", law->gain);
    ISO_SCENE_REQUIRE(reader->build, at, range[0] >= 0.0 && range[0] < range[1], ISO_ERR_RANGE,
                      "<adhesion>: ctrlrange is %g to %g, expected to rise from 0 or more",
                      range[0], range[1]);
    return ISO_OK;
}

// Adhesion pulls: MuJoCo would let contacts be pushed apart, too.
void iso_mjcf_bound_adhesion(const iso_mjcf_reader* reader, const xmlNode* node,
                             iso_actuator_desc* actuator, int body, double* range) {
    actuator->adhesion_body = body;
    if (range[0] < 0.0) {
        iso_scene_warn_once(reader->build, iso_xml_source(node), "adhesion",
                            "<%s> of a body: forces below 0, which would push contacts apart, "
                            "are 0",
                            iso_xml_name(node));
    }
    range[0] = fmax(range[0], 0.0);
    range[1] = fmax(range[1], 0.0);
}
