// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/mjcf.h"

#include <math.h>
#include <string.h>

// An actuator pulls along a length l = gear (c q + d) with the force
//     gain u + bias_0 + bias_1 l + bias_2 dl/dt,
// so the joint feels gear c times that. Isobar's law is kp (q* - q) + kd (v* - v) + u.

// Length per joint position: l = scale q + offset, without the gear.
typedef struct transmission {
    int joint; ///< in the model; -1: none that can be driven
    double scale, offset;
} transmission;

// --- transmissions -------------------------------------------------------------------------------

// q of `joint` in terms of q of `leader`: ratio and offset, if they are the same or coupled.
static bool find_relation(const iso_mjcf_reader* reader, int leader, int joint, double* ratio,
                          double* offset) {
    *ratio = 1.0;
    *offset = 0.0;
    if (joint == leader) {
        return true;
    }
    for (int i = 0; i < reader->couplings.count; ++i) {
        const iso_mjcf_coupling* c = &reader->couplings.data[i];
        if (c->joint_a == leader && c->joint_b == joint) {
            *ratio = c->ratio;
            *offset = c->offset;
            return true;
        }
        if (c->joint_b == leader && c->joint_a == joint) {
            *ratio = 1.0 / c->ratio;
            *offset = -c->offset / c->ratio;
            return true;
        }
    }
    return false;
}

// A fixed tendon whose joints are coupled to each other drives the first of them.
static iso_status read_tendon(const iso_mjcf_reader* reader, const xmlNode* node, const char* name,
                              transmission* out) {
    const iso_mjcf_tendon* tendon = NULL;
    ISO_SCENE_TRY(iso_mjcf_find_tendon(reader, node, name, &tendon));
    *out = (transmission){.joint = -1};
    const xmlNode* child =
        iso_xml_is(tendon->element, "fixed") ? iso_xml_first(tendon->element) : NULL;
    bool is_known = child != NULL;
    int leader = -1;
    for (; child && is_known; child = iso_xml_next(child)) {
        iso_mjcf_item item = {child, -1};
        const iso_mjcf_joint* joint = NULL;
        const char* joint_name = NULL;
        double coefficient = 0.0, ratio = 0.0, offset = 0.0;
        ISO_SCENE_TRY(iso_xml_required_attribute(reader->build, child, "joint", &joint_name));
        ISO_SCENE_TRY(iso_mjcf_find_joint(reader, child, joint_name, &joint));
        ISO_SCENE_TRY(iso_mjcf_numbers(reader, &item, "coef", 1, 1, &coefficient, NULL));
        leader = leader < 0 ? joint->joint : leader;
        is_known = find_relation(reader, leader, joint->joint, &ratio, &offset);
        out->scale += coefficient * ratio;
        out->offset += coefficient * offset;
    }
    out->joint = is_known && out->scale != 0.0 ? leader : -1;
    if (out->joint < 0) {
        iso_scene_warn_once(reader->build, iso_xml_source(node), name,
                            "actuator of tendon '%s' is left out: it takes a fixed tendon of "
                            "joints that equalities couple",
                            name);
    }
    return ISO_OK;
}

// An actuator says what it drives, were it something that is left out here.
static iso_status check_target(iso_scene_build* build, const xmlNode* node) {
    static const char* const targets[] = {"joint", "jointinparent", "tendon",
                                          "site",  "cranksite",     "body"};
    const char* name = NULL;
    for (size_t i = 0; i < sizeof targets / sizeof *targets && !name; ++i) {
        ISO_SCENE_TRY(iso_xml_attribute(build, node, targets[i], &name));
        name = name && *name ? name : NULL;
    }
    ISO_SCENE_REQUIRE(build, iso_xml_source(node), name, ISO_ERR_PARSE,
                      "<%s> says not what it drives, expected joint, jointinparent, tendon, site, "
                      "cranksite or body",
                      iso_xml_name(node));
    return ISO_OK;
}

static iso_status read_transmission(const iso_mjcf_reader* reader, const xmlNode* node,
                                    transmission* out) {
    iso_scene_build* build = reader->build;
    const char* name = NULL;
    const iso_mjcf_joint* joint = NULL;
    *out = (transmission){-1, 1.0, 0.0};
    ISO_SCENE_TRY(check_target(build, node));
    ISO_SCENE_TRY(iso_xml_attribute(build, node, "tendon", &name));
    if (name) {
        return read_tendon(reader, node, name, out);
    }
    ISO_SCENE_TRY(iso_xml_attribute(build, node, "joint", &name));
    if (!name) {
        ISO_SCENE_TRY(iso_xml_attribute(build, node, "jointinparent", &name));
    }
    if (name) {
        ISO_SCENE_TRY(iso_mjcf_find_joint(reader, node, name, &joint));
    }
    if (!joint || joint->joint < 0 || joint->type == ISO_MJCF_BALL) {
        iso_scene_warn_once(build, iso_xml_source(node), "transmission",
                            "an actuator on other than a hinge, slide or tendon is left out");
        return ISO_OK;
    }
    out->joint = joint->joint;
    return ISO_OK;
}

// --- laws ----------------------------------------------------------------------------------------

// The damping of a share of critical damping.
static iso_status damp_by_ratio(iso_mjcf_reader* reader, const iso_mjcf_item* item,
                                const transmission* drive, double kp, double gear, double ratio,
                                double* out_kv) {
    double arm = fabs(gear * drive->scale), inertia = 0.0;
    if (drive->joint < 0) {
        return ISO_OK;
    }
    ISO_SCENE_REQUIRE(reader->build, iso_xml_source(item->node),
                      ratio > 0.0 && kp >= 0.0 && arm > 0.0, ISO_ERR_RANGE,
                      "<%s>: dampratio %g, kp %g, gear %g, expected the first > 0, the second >= "
                      "0, the third not 0",
                      iso_xml_name(item->node), ratio, kp, gear);
    ISO_SCENE_TRY(iso_mjcf_effective_inertia(reader, item->node, drive->joint, &inertia));
    *out_kv = 2.0 * ratio * sqrt(kp * inertia) / arm;
    return ISO_OK;
}

// kv or dampratio, whichever the element has itself.
static iso_status read_damping(iso_mjcf_reader* reader, const iso_mjcf_item* item,
                               const transmission* drive, double kp, double gear, double* out_kv) {
    const char* own_kv = NULL;
    const char* own_ratio = NULL;
    double ratio = 0.0;
    ISO_SCENE_TRY(iso_xml_attribute(reader->build, item->node, "kv", &own_kv));
    ISO_SCENE_TRY(iso_xml_attribute(reader->build, item->node, "dampratio", &own_ratio));
    ISO_SCENE_REQUIRE(reader->build, iso_xml_source(item->node), !own_kv || !own_ratio,
                      ISO_ERR_PARSE, "<position>: kv and dampratio are both given, expected one");
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, item, "kv", 1, 1, out_kv, NULL));
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, item, "dampratio", 1, 1, &ratio, NULL));
    return ratio == 0.0 || own_kv ? ISO_OK
                                  : damp_by_ratio(reader, item, drive, kp, gear, ratio, out_kv);
}

static iso_status read_position_law(iso_mjcf_reader* reader, const iso_mjcf_item* item,
                                    const transmission* drive, double gear,
                                    iso_mjcf_actuator* law) {
    double kp = 1.0, kv = 0.0;
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, item, "kp", 1, 1, &kp, NULL));
    ISO_SCENE_TRY(read_damping(reader, item, drive, kp, gear, &kv));
    law->gain = kp;
    law->bias[1] = -kp;
    law->bias[2] = -kv;
    return ISO_OK;
}

static iso_status read_general_law(iso_mjcf_reader* reader, const iso_mjcf_item* item,
                                   const transmission* drive, double gear, iso_mjcf_actuator* law,
                                   bool* out_is_known) {
    const char* types[3] = {NULL, NULL, NULL};
    double gain[10] = {1.0}, bias[10] = {0.0};
    ISO_SCENE_TRY(iso_mjcf_text(reader, item, "gaintype", &types[0]));
    ISO_SCENE_TRY(iso_mjcf_text(reader, item, "biastype", &types[1]));
    ISO_SCENE_TRY(iso_mjcf_text(reader, item, "dyntype", &types[2]));
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, item, "gainprm", 1, 10, gain, NULL));
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, item, "biasprm", 1, 10, bias, NULL));
    bool is_affine = types[1] && strcmp(types[1], "affine") == 0;
    *out_is_known = (!types[0] || strcmp(types[0], "fixed") == 0) &&
                    (is_affine || !types[1] || strcmp(types[1], "none") == 0) &&
                    (!types[2] || strcmp(types[2], "none") == 0);
    law->gain = gain[0];
    for (int i = 0; is_affine && i < 3; ++i) {
        law->bias[i] = bias[i];
    }
    // Of a position law a third number above 0 is a damping ratio.
    bool is_ratio = law->bias[2] > 0.0 && law->bias[1] == -law->gain;
    if (*out_is_known && is_ratio) {
        double kv = 0.0;
        ISO_SCENE_TRY(damp_by_ratio(reader, item, drive, law->gain, gear, law->bias[2], &kv));
        law->bias[2] = -kv;
    }
    return ISO_OK;
}

static iso_status read_law(iso_mjcf_reader* reader, const iso_mjcf_item* item,
                           const transmission* drive, double gear, iso_mjcf_actuator* law,
                           bool* out_is_known) {
    double kv = 1.0;
    *out_is_known = true;
    law->gain = 1.0;
    if (iso_xml_is(item->node, "motor")) {
        return ISO_OK;
    }
    if (iso_xml_is(item->node, "position")) {
        return read_position_law(reader, item, drive, gear, law);
    }
    if (iso_xml_is(item->node, "velocity")) {
        ISO_SCENE_TRY(iso_mjcf_numbers(reader, item, "kv", 1, 1, &kv, NULL));
        law->gain = kv;
        law->bias[2] = -kv;
        return ISO_OK;
    }
    if (iso_xml_is(item->node, "general")) {
        return read_general_law(reader, item, drive, gear, law, out_is_known);
    }
    *out_is_known = false;
    return ISO_OK;
}

static void clamp_range(double* range, const double* bounds) {
    for (int i = 0; i < 2; ++i) {
        range[i] = fmin(fmax(range[i], bounds[0]), bounds[1]);
    }
}

// offset + factor * range
static void map_range(double* range, double factor, double offset) {
    double a = offset + factor * range[0], b = offset + factor * range[1];
    range[0] = fmin(a, b);
    range[1] = fmax(a, b);
}

// What the joint can feel: of a motor what its controls give, within forcerange, within the range
// of the joint.
static iso_status read_effort_range(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                                    const iso_mjcf_actuator* law, int joint, double* range) {
    double bounds[2];
    range[0] = -INFINITY;
    range[1] = INFINITY;
    if (law->bias[1] == 0.0 && law->bias[2] == 0.0 && law->gain != 0.0) {
        ISO_SCENE_TRY(iso_mjcf_force_range(reader, item, "ctrlrange", "ctrllimited", range));
        map_range(range, law->gain, law->bias[0]);
    } else {
        bool is_limited = false; // of positions or velocities, which are not bounded here
        ISO_SCENE_TRY(
            iso_mjcf_range(reader, item, "ctrlrange", "ctrllimited", bounds, &is_limited));
    }
    ISO_SCENE_TRY(iso_mjcf_force_range(reader, item, "forcerange", "forcelimited", bounds));
    clamp_range(range, bounds);
    map_range(range, law->gear, 0.0);
    for (int i = 0; i < reader->joints.count; ++i) {
        if (reader->joints.data[i].joint == joint) {
            clamp_range(range, reader->joints.data[i].effort_range);
        }
    }
    return ISO_OK;
}

static iso_status name_actuator(const iso_mjcf_reader* reader, const xmlNode* node,
                                const char** out_name) {
    const char* name = NULL;
    ISO_SCENE_TRY(iso_xml_attribute(reader->build, node, "name", &name));
    if (!name || !*name) {
        ISO_SCENE_TRY(
            iso_scene_format(reader->build, &name, "actuator_%d", reader->actuators.count));
    }
    return iso_scene_scoped(reader->build, reader->scope, name, out_name);
}

static iso_status add_driven(const iso_mjcf_reader* reader, const iso_mjcf_item* item, int joint,
                             iso_mjcf_actuator* law) {
    iso_scene_build* build = reader->build;
    iso_source at = iso_xml_source(item->node);
    iso_actuator_desc actuator = iso_actuator_desc_default();
    double range[2], arm = law->gear;
    ISO_SCENE_TRY(name_actuator(reader, item->node, &actuator.name));
    ISO_SCENE_TRY(read_effort_range(reader, item, law, joint, range));
    actuator.joint = joint;
    actuator.effort_limit = fmax(fabs(range[0]), fabs(range[1]));
    if (range[0] != -range[1]) {
        actuator.effort_lower = range[0];
        actuator.effort_upper = range[1];
    }
    actuator.kp = -law->bias[1] * arm * arm;
    actuator.kd = -law->bias[2] * arm * arm;
    ISO_SCENE_REQUIRE(
        build, at, actuator.kp >= 0.0 && actuator.kd >= 0.0, ISO_ERR_RANGE,
        "actuator '%s': its force grows with position (%g) or velocity (%g), expected "
        "gains that pull back",
        actuator.name, -actuator.kp, -actuator.kd);
    if (!(range[0] < range[1])) {
        iso_scene_warn_once(build, at, actuator.name,
                            "actuator '%s' is left out: its force cannot vary", actuator.name);
        return ISO_OK;
    }
    return iso_scene_add_actuator(build, at, &actuator, &law->actuator);
}

static iso_status add_actuator(iso_mjcf_reader* reader, const iso_mjcf_item* item) {
    iso_scene_build* build = reader->build;
    double gears[6] = {1.0};
    bool is_known = false;
    transmission drive;
    iso_mjcf_actuator law = {.actuator = -1};
    ISO_SCENE_TRY(read_transmission(reader, item->node, &drive));
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, item, "gear", 1, 6, gears, NULL));
    ISO_SCENE_TRY(read_law(reader, item, &drive, gears[0], &law, &is_known));
    // The offset of a tendon's length becomes a constant force.
    law.bias[0] += law.bias[1] * gears[0] * drive.offset;
    law.gear = gears[0] * drive.scale;
    if (!is_known) {
        iso_scene_warn_once(build, iso_xml_source(item->node), iso_xml_name(item->node),
                            "<%s> is left out: actuators are motor, position, velocity, or general "
                            "with fixed gain, affine bias and no dynamics",
                            iso_xml_name(item->node));
    } else if (drive.joint >= 0 && law.gear != 0.0) {
        ISO_SCENE_TRY(add_driven(reader, item, drive.joint, &law));
    }
    ISO_SCENE_TRY(ISO_ARRAY_GROW(build->ctx, &reader->actuators));
    reader->actuators.data[reader->actuators.count++] = law;
    return ISO_OK;
}

const char* const iso_mjcf_actuator_attributes[] = {
    "name",      "class",      "group",     "ctrllimited", "forcelimited",
    "ctrlrange", "forcerange", "gear",      "joint",       "tendon",
    "gaintype",  "biastype",   "dyntype",   "gainprm",     "biasprm",
    "kp",        "kv",         "dampratio", "user",        "jointinparent",
    "site",      "body",       "refsite",   "cranksite",   "slidersite",
    NULL};

iso_status iso_mjcf_read_actuators(iso_mjcf_reader* reader, const xmlNode* section) {
    static const char* const kinds[] = {"motor", "position", "velocity", "general"};
    for (const xmlNode* child = iso_xml_first(section); child; child = iso_xml_next(child)) {
        iso_mjcf_item item;
        bool is_read = false; // of what is left out nothing more is said
        for (int i = 0; i < 4; ++i) {
            is_read = is_read || iso_xml_is(child, kinds[i]);
        }
        if (is_read) {
            iso_xml_warn_attributes(reader->build, child, iso_mjcf_actuator_attributes);
        }
        ISO_SCENE_TRY(iso_mjcf_item_of(reader, child, 0, &item));
        ISO_SCENE_TRY(add_actuator(reader, &item));
    }
    return ISO_OK;
}
