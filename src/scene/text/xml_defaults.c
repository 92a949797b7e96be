// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// What files say that nobody has to hear: programs that write them say every default.

#include "base/core/text.h"
#include "scene/text/xml.h"

#include <string.h>

// What to say of an element that does not matter.
#define ANY NULL
// In one value.
#define MOST_NUMBERS 5

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

// Attributes of MJCF that are not read.
static const struct {
    const char* attribute;
    const char* value; ///< that it has where nothing is said
} k_attributes[] = {
    // of <compiler> and <option>
    {"fusestatic", "false"},
    {"integrator", "Euler"},
    {"solver", "Newton"},
    {"jacobian", "auto"},
    {"iterations", "100"},
    {"tolerance", "1e-8"},
    {"ls_iterations", "50"},
    {"ls_tolerance", "0.01"},
    {"noslip_iterations", "0"},
    {"noslip_tolerance", "1e-6"},
    {"ccd_iterations", "35"},
    {"ccd_tolerance", "1e-6"},
    {"sdf_iterations", "10"},
    {"sdf_initpoints", "40"},
    {"density", "0"},
    {"viscosity", "0"},
    {"wind", "0 0 0"},
    {"magnetic", "0 -0.5 0"},
    {"o_margin", "0"},
    {"o_solref", "0.02 1"},
    {"o_solimp", "0.9 0.95 0.001 0.5 2"},
    {"o_friction", "1 1 0.005 0.0001 0.0001"},
    {"actuatorgroupdisable", ""},
    // of <flag>
    {"warmstart", "enable"},
    {"refsafe", "enable"},
    {"sensor", "enable"},
    {"midphase", "enable"},
    {"eulerdamp", "enable"},
    {"island", "enable"},
    {"nativeccd", "enable"},
    {"autoreset", "enable"},
    {"override", "disable"},
    {"energy", "disable"},
    {"fwdinv", "disable"},
    {"invdiscrete", "disable"},
    {"multiccd", "disable"},
    // of joints, geometries and actuators
    {"solreflimit", "0.02 1"},
    {"solimplimit", "0.9 0.95 0.001 0.5 2"},
    {"solreffriction", "0.02 1"},
    {"solimpfriction", "0.9 0.95 0.001 0.5 2"},
    {"margin", "0"},
    {"gap", "0"},
    {"fluidshape", "none"},
    {"fluidcoef", "0.5 0.25 1.5 1 1"},
    {"cranklength", "0"},
    {"actearly", "false"},
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
    double a[MOST_NUMBERS], b[MOST_NUMBERS];
    int count = iso_text_to_doubles(expected, b, MOST_NUMBERS);
    if (count <= 0) {
        const char* word = text + strspn(text, " \t\r\n");
        size_t length = strcspn(word, " \t\r\n");
        const char* digit = strcmp(expected, "true") == 0    ? "1"
                            : strcmp(expected, "false") == 0 ? "0"
                                                             : NULL;
        return (length == strlen(expected) && strncmp(word, expected, length) == 0) ||
               (digit && length == 1 && *word == *digit);
    }
    bool is_same = iso_text_to_doubles(text, a, MOST_NUMBERS) == count;
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

bool iso_xml_attribute_says_default(const xmlAttr* attribute) {
    const xmlNode* content = attribute->children;
    const char* text = content && content->content ? (const char*)content->content : "";
    for (size_t i = 0; i < sizeof k_attributes / sizeof *k_attributes; ++i) {
        if (strcmp((const char*)attribute->name, k_attributes[i].attribute) == 0) {
            return is_same_value(text, k_attributes[i].value);
        }
    }
    return false;
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
