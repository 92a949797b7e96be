// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/mjcf/mjcf.h"

#include <string.h>

// A <flag> and what it disables.
typedef struct flag_row {
    const char* name;
    bool* parts[4]; ///< NULL: no more
} flag_row;

static iso_status read_flag(iso_mjcf_reader* reader, const xmlNode* node, const char* name,
                            bool* out_is_off) {
    const char* text = NULL;
    *out_is_off = false;
    ISO_SCENE_TRY(iso_xml_attribute(reader->build, node, name, &text));
    if (text) {
        *out_is_off = strcmp(text, "disable") == 0;
        ISO_SCENE_REQUIRE(reader->build, iso_xml_source(node),
                          *out_is_off || strcmp(text, "enable") == 0, ISO_ERR_PARSE,
                          "<flag>: %s is '%.40s', expected enable or disable", name, text);
    }
    return ISO_OK;
}

// Where parents' geoms touch their children's, other pairs touch than here.
static iso_status warn_of_parents(iso_mjcf_reader* reader, const xmlNode* node) {
    bool is_off = false;
    ISO_SCENE_TRY(read_flag(reader, node, "filterparent", &is_off));
    if (is_off) {
        iso_scene_warn_once(reader->build, iso_xml_source(node), "filterparent",
                            "<flag>: filterparent is not supported: bodies do not touch their "
                            "parents; list what shall touch as <pair>");
    }
    return ISO_OK;
}

iso_status iso_mjcf_read_flags(iso_mjcf_reader* reader, const xmlNode* node) {
    static const char* const known[] = {
        "constraint", "equality", "frictionloss", "limit",     "contact",      "passive", "spring",
        "damper",     "gravity",  "clampctrl",    "actuation", "filterparent", NULL};
    iso_mjcf_flags* off = &reader->is_off;
    const flag_row rows[] = {
        {"constraint", {&off->equality, &off->friction, &off->limit, &off->contact}},
        {"equality", {&off->equality}},
        {"frictionloss", {&off->friction}},
        {"limit", {&off->limit}},
        {"contact", {&off->contact}},
        {"passive", {&off->spring, &off->damper}},
        {"spring", {&off->spring}},
        {"damper", {&off->damper}},
        {"gravity", {&off->gravity}},
        {"clampctrl", {&off->control_range}},
        {"actuation", {&off->actuation}}};
    iso_xml_warn_attributes(reader->build, node, known);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        bool is_off = false;
        ISO_SCENE_TRY(read_flag(reader, node, rows[i].name, &is_off));
        for (int k = 0; k < 4 && rows[i].parts[k]; ++k) {
            *rows[i].parts[k] = *rows[i].parts[k] || is_off;
        }
    }
    return warn_of_parents(reader, node);
}

static void drop(bool is_off, double* value) {
    *value = is_off ? 0.0 : *value;
}

void iso_mjcf_drop_disabled(const iso_mjcf_reader* reader, int first_joint, int first_tendon) {
    iso_model* model = reader->build->model;
    const iso_mjcf_flags* off = &reader->is_off;
    for (int i = first_joint; i < iso_model_joint_count(model); ++i) {
        iso_joint_desc* joint = iso_model_joint(model, i);
        drop(off->spring, &joint->stiffness);
        drop(off->damper, &joint->damping);
        drop(off->friction, &joint->friction);
    }
    for (int i = first_tendon; i < iso_model_fixed_tendon_count(model); ++i) {
        iso_fixed_tendon_desc* tendon = iso_model_fixed_tendon(model, i);
        drop(off->spring, &tendon->stiffness);
        drop(off->damper, &tendon->damping);
        drop(off->friction, &tendon->friction);
    }
    for (int i = 1; i < reader->bodies.count; ++i) { // MuJoCo then computes nothing passive at all
        int body = reader->bodies.data[i].body;
        drop(off->spring && off->damper, &iso_model_body(model, body)->gravity_compensation);
    }
}
