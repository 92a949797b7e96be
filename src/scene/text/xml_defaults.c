// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// What files of SDFormat say that nobody has to hear: programs that write them say every default.

#include "base/core/text.h"
#include "scene/text/xml.h"

#include <string.h>

// What to say of an element that does not matter.
#define ANY NULL

static const struct {
    const char* element;
    const char* value; ///< without effect; ANY: each one is
} k_defaults[] = {
    // of models, links and worlds
    {"allow_auto_disable", "true"},
    {"enable_wind", "false"},
    {"must_be_base_link", "false"},
    {"linear", "0"},
    {"angular", "0"},
    {"linear_velocity", "0 0 0"},
    {"real_time_factor", ANY},
    {"real_time_update_rate", ANY},
    {"max_contacts", ANY},
    // of surfaces
    {"restitution_coefficient", "0"},
    {"threshold", "100000"},
    {"coefficient", "1"},
    {"use_patch_radius", "true"},
    {"patch_radius", "0"},
    {"surface_radius", "0"},
    {"slip", "0"},
    {"slip1", "0"},
    {"slip2", "0"},
    {"collide_without_contact", "false"},
    {"collide_without_contact_bitmask", ANY}, // beside the switch
    {"soft_cfm", "0"},
    {"soft_erp", "0.2"},
    {"max_vel", "0.01"},
    {"min_depth", "0"},
    // of joints
    {"stiffness", "1e8"},
    {"dissipation", "1"},
    {"provide_feedback", ANY},
    {"cfm_damping", ANY},
    {"implicit_spring_damper", ANY},
    {"cfm", "0"},
    {"erp", "0.2"},
    {"bounce", "0"},
    {"must_be_loop_joint", "false"},
    // of links and joints of URDF in Gazebo
    {"selfCollide", "false"},
    {"static", "false"},
    {"provideFeedback", ANY},
    {"implicitSpringDamper", ANY},
    {"stopCfm", "0"},
    {"stopErp", "0.2"},
    {"dampingFactor", "0"},
    {"maxVel", "0.01"},
    {"minDepth", "0"},
};

// These hold some of the others.
static bool is_group(const xmlNode* node) {
    static const char* const k_groups[] = {"velocity_decay", "wind",   "bounce",  "torsional",
                                           "physics",        "ode",    "simbody", "limit",
                                           "suspension",     "bullet", NULL};
    return iso_xml_is_one_of(node, k_groups) && !node->properties;
}

// Of numbers, switches and words; blanks around them do not count.
static bool is_same_value(const char* text, const char* expected) {
    double a[3], b[3];
    int count = iso_text_to_doubles(expected, b, 3);
    if (count <= 0) {
        const char* word = text + strspn(text, " \t\r\n");
        size_t length = strcspn(word, " \t\r\n");
        const char* digit = strcmp(expected, "true") == 0 ? "1" : "0";
        return (length == strlen(expected) && strncmp(word, expected, length) == 0) ||
               (length == 1 && *word == *digit);
    }
    bool is_same = iso_text_to_doubles(text, a, 3) == count;
    for (int i = 0; i < count && is_same; ++i) {
        is_same = a[i] == b[i];
    }
    return is_same;
}

static bool is_default_value(const xmlNode* node) {
    const xmlNode* content = node->children;
    bool is_text = content && content->type == XML_TEXT_NODE && !content->next;
    bool is_default = false;
    for (size_t i = 0; i < sizeof k_defaults / sizeof *k_defaults && !is_default; ++i) {
        const char* value = k_defaults[i].value;
        is_default =
            iso_xml_is(node, k_defaults[i].element) &&
            (value == ANY || (is_text && is_same_value((const char*)content->content, value)));
    }
    return is_default;
}

bool iso_xml_says_default(const xmlNode* node) {
    const xmlNode* child = iso_xml_first(node);
    if (!child) {
        bool is_empty = !node->children || xmlIsBlankNode(node->children);
        return is_group(node) ? is_empty : !node->properties && is_default_value(node);
    }
    bool is_default = is_group(node);
    for (; child && is_default; child = iso_xml_next(child)) {
        is_default = iso_xml_says_default(child);
    }
    return is_default;
}
