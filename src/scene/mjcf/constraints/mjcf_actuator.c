// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "math/limits.h"
#include "scene/mjcf/constraints/mjcf_actuator_law.h"
#include "scene/mjcf/constraints/mjcf_adhesion.h"

#include <math.h>
#include <string.h>

// --- transmissions -------------------------------------------------------------------------------

// A fixed tendon whose joints are coupled to each other drives the first of them.
static iso_status read_tendon(iso_mjcf_reader* reader, const xmlNode* node, const char* name,
                              iso_mjcf_transmission* out) {
    const iso_mjcf_tendon* tendon = NULL;
    ISO_SCENE_TRY(iso_mjcf_find_tendon(reader, node, name, &tendon));
    *out = (iso_mjcf_transmission){.joint = -1, .fixed_tendon = -1};
    if (iso_xml_is(tendon->element, "fixed")) {
        ISO_SCENE_TRY(iso_mjcf_reduce_tendon(reader, tendon->element, out));
        if (out->joint < 0) {
            ISO_SCENE_TRY(iso_mjcf_make_tendon(reader, tendon, &out->fixed_tendon));
            out->scale = 1.0;
            out->offset = 0.0;
        }
    } else {
        ISO_SCENE_TRY(iso_mjcf_make_tendon(reader, tendon, &out->fixed_tendon));
        out->scale = 1.0;
    }
    if (!iso_mjcf_drives(out)) {
        iso_scene_warn_once(reader->build, iso_xml_source(node), name,
                            "actuator of tendon '%s' is left out: %s", name, tendon->flaw);
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
    ISO_SCENE_REQUIRE(
        build, iso_xml_source(node), name, ISO_ERR_PARSE,
        "<%s> does not say what it drives, expected joint, jointinparent, tendon, site, "
        "cranksite or body",
        iso_xml_name(node));
    return ISO_OK;
}

static iso_status read_transmission(iso_mjcf_reader* reader, const xmlNode* node,
                                    const double* gears, iso_mjcf_transmission* out) {
    iso_scene_build* build = reader->build;
    const char* name = NULL;
    const iso_mjcf_joint* joint = NULL;
    const char* site = NULL;
    *out = (iso_mjcf_transmission){.joint = -1, .fixed_tendon = -1, .scale = 1.0};
    ISO_SCENE_TRY(check_target(build, node));
    ISO_SCENE_TRY(iso_mjcf_read_adhesion_body(reader, node, out));
    if (out->is_adhesion) {
        return ISO_OK;
    }
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
    ISO_SCENE_TRY(iso_xml_attribute(build, node, "site", &site));
    if (site || (joint && joint->type < ISO_MJCF_SLIDE)) {
        out->has_gears = true;
        return iso_mjcf_make_wrench(reader, node, gears, &out->fixed_tendon);
    }
    if (!joint || joint->joint < 0) {
        iso_scene_warn_once(build, iso_xml_source(node), "transmission",
                            "an actuator on a crank or body is left out");
        return ISO_OK;
    }
    out->joint = joint->joint;
    return ISO_OK;
}

// --- ranges --------------------------------------------------------------------------------------

static void clamp_range(double* range, const double* bounds) {
    for (int i = 0; i < 2; ++i) {
        range[i] = iso_clamp(range[i], bounds[0], bounds[1]);
    }
}

// offset + factor * range
static void map_range(double* range, double factor, double offset) {
    double a = offset + factor * range[0], b = offset + factor * range[1];
    range[0] = fmin(a, b);
    range[1] = fmax(a, b);
}

// The range that the file gives what an actuator pulls, limited or not.
static iso_status read_target_range(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                                    int joint, double* range) {
    const char* name = NULL;
    ISO_SCENE_TRY(iso_xml_attribute(reader->build, item->node, "tendon", &name));
    if (name) {
        const iso_mjcf_tendon* tendon = NULL;
        iso_mjcf_item of_tendon;
        bool is_limited = false;
        ISO_SCENE_TRY(iso_mjcf_find_tendon(reader, item->node, name, &tendon));
        ISO_SCENE_TRY(iso_mjcf_item_of(reader, tendon->element, 0, &of_tendon));
        return iso_mjcf_range(reader, &of_tendon, "range", "limited", range, &is_limited);
    }
    int index = 0;
    while (reader->joints.data[index].joint != joint) {
        ++index;
    }
    memcpy(range, reader->joints.data[index].range, 2 * sizeof *range);
    return ISO_OK;
}

// Where controls and activations end.
static iso_status read_input_ranges(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                                    const iso_mjcf_transmission* drive, iso_mjcf_actuator* law) {
    double share = 0.0, range[2] = {0.0, 0.0};
    bool is_integrated = iso_xml_is(item->node, "intvelocity");
    if (iso_xml_is(item->node, "adhesion")) { // limited, whatever the flags say
        ISO_SCENE_TRY(iso_mjcf_numbers(reader, item, "ctrlrange", 2, 2, law->control_range, NULL));
    } else {
        ISO_SCENE_TRY(
            iso_mjcf_force_range(reader, item, "ctrlrange", "ctrllimited", law->control_range));
    }
    ISO_SCENE_TRY(iso_mjcf_force_range(reader, item, "actrange", "actlimited", law->act_range));
    if (iso_xml_is(item->node, "damper")) {
        law->control_range[0] = fmax(law->control_range[0], 0.0);
    }
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, item, "inheritrange", 1, 1, &share, NULL));
    if (share > 0.0 && iso_mjcf_drives(drive) &&
        (is_integrated || iso_xml_is(item->node, "position"))) {
        ISO_SCENE_TRY(read_target_range(reader, item, drive->joint, range));
        double middle = 0.5 * (range[0] + range[1]), half = 0.5 * share * (range[1] - range[0]);
        ISO_SCENE_REQUIRE(reader->build, iso_xml_source(item->node), half > 0.0, ISO_ERR_PARSE,
                          "<%s>: inheritrange of a joint or tendon without range",
                          iso_xml_name(item->node));
        double* inherits = is_integrated ? law->act_range : law->control_range;
        inherits[0] = middle - half;
        inherits[1] = middle + half;
    }
    if (reader->is_off.control_range) {
        law->control_range[0] = -INFINITY;
        law->control_range[1] = INFINITY;
    }
    return ISO_OK;
}

// What it can bring to the joint: of a motor what its controls or activations give, within
// forcerange. Positions and velocities are not bounded here.
static iso_status read_effort_range(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                                    const iso_mjcf_actuator* law, double* range) {
    double bounds[2];
    range[0] = -INFINITY;
    range[1] = INFINITY;
    if (law->bias[1] == 0.0 && law->bias[2] == 0.0 && law->gain != 0.0) {
        if (law->dynamics != ISO_MJCF_INTEGRATED) {
            clamp_range(range, law->control_range);
        }
        clamp_range(range, law->act_range);
        map_range(range, law->gain, law->bias[0]);
    }
    ISO_SCENE_TRY(iso_mjcf_force_range(reader, item, "forcerange", "forcelimited", bounds));
    clamp_range(range, bounds);
    map_range(range, law->gear, 0.0);
    return ISO_OK;
}

// What a joint can take in all bounds its own actuators only.
static void warn_of_unbounded_joints(const iso_mjcf_reader* reader, const xmlNode* node,
                                     int fixed_tendon) {
    iso_model* model = reader->build->model;
    for (int i = 0; fixed_tendon >= 0 && i < reader->joints.count; ++i) {
        const iso_mjcf_joint* joint = &reader->joints.data[i];
        const iso_fixed_tendon_desc* tendon = iso_model_fixed_tendon(model, fixed_tendon);
        bool is_bounded = isfinite(joint->effort_range[0]) || isfinite(joint->effort_range[1]);
        for (int k = 0; is_bounded && k < tendon->joint_count; ++k) {
            if (tendon->joints[k] == joint->joint) {
                iso_scene_warn_once(reader->build, iso_xml_source(node), "actuatorfrcrange",
                                    "joint '%s': its actuatorfrcrange does not bound actuators of "
                                    "tendons",
                                    iso_model_joint(model, joint->joint)->name);
            }
        }
    }
}

static iso_status name_actuator(iso_mjcf_reader* reader, const xmlNode* node,
                                const char** out_name) {
    const char* name = NULL;
    ISO_SCENE_TRY(iso_mjcf_name(reader, node, &name));
    if (!name || !*name) {
        ISO_SCENE_TRY(
            iso_scene_format(reader->build, &name, "actuator_%d", reader->actuators.count));
    }
    return iso_scene_scoped(reader->build, reader->scope, name, out_name);
}

static iso_status add_driven(iso_mjcf_reader* reader, const iso_mjcf_item* item,
                             const iso_mjcf_transmission* drive, iso_mjcf_actuator* law) {
    iso_scene_build* build = reader->build;
    iso_source at = iso_xml_source(item->node);
    iso_actuator_desc actuator = iso_actuator_desc_default();
    double range[2], arm = law->gear;
    if (reader->is_off.actuation) {
        iso_scene_warn_once(build, at, "actuation",
                            "<flag> disables actuation: actuators are left out");
        return ISO_OK;
    }
    ISO_SCENE_TRY(name_actuator(reader, item->node, &actuator.name));
    ISO_SCENE_TRY(read_effort_range(reader, item, law, range));
    actuator.joint = drive->joint;
    actuator.fixed_tendon = drive->fixed_tendon;
    if (drive->is_adhesion) {
        iso_mjcf_bound_adhesion(reader, item->node, &actuator, drive->body, range);
    }
    actuator.effort_limit = fmax(fabs(range[0]), fabs(range[1]));
    if (range[0] != -range[1]) {
        actuator.effort_lower = range[0];
        actuator.effort_upper = range[1];
    }
    actuator.kp = -law->bias[1] * arm * arm;
    actuator.kd = -law->bias[2] * arm * arm;
    if (drive->is_adhesion && (law->bias[1] != 0.0 || law->bias[2] != 0.0)) {
        iso_scene_warn_once(build, at, actuator.name,
                            "actuator '%s' is left out: adhesion with a bias of position or "
                            "velocity is not supported",
                            actuator.name);
        return ISO_OK;
    }
    if (actuator.kp < 0.0 || actuator.kd < 0.0) {
        iso_scene_warn_once(build, at, actuator.name,
                            "actuator '%s' is left out: its force grows with position (%g) or "
                            "velocity (%g), only gains that pull back are supported",
                            actuator.name, -actuator.kp, -actuator.kd);
        return ISO_OK;
    }
    if (!(range[0] < range[1])) {
        iso_scene_warn_once(build, at, actuator.name,
                            "actuator '%s' is left out: its force cannot vary", actuator.name);
        return ISO_OK;
    }
    warn_of_unbounded_joints(reader, item->node, drive->fixed_tendon);
    return iso_scene_add_actuator(build, at, &actuator, &law->actuator);
}

// What an actuator adds to its joint or tendon by itself, beside its force.
static iso_status add_reflected(iso_mjcf_reader* reader, const iso_mjcf_item* item,
                                const iso_mjcf_transmission* drive, double gear) {
    iso_model* model = reader->build->model;
    double armature = 0.0, damping = 0.0, square = gear * gear * drive->scale * drive->scale;
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, item, "armature", 1, 1, &armature, NULL));
    ISO_SCENE_TRY(iso_mjcf_coefficient(reader, item, "damping", &damping));
    damping = reader->is_off.damper ? 0.0 : damping;
    bool is_left_out = drive->joint < 0;
    ISO_SCENE_REQUIRE(reader->build, iso_xml_source(item->node), armature >= 0.0 && damping >= 0.0,
                      ISO_ERR_RANGE, "<%s>: armature %g, damping %g, expected >= 0",
                      iso_xml_name(item->node), armature, damping);
    if (drive->joint >= 0) {
        iso_model_joint(model, drive->joint)->rotor_inertia += armature * square;
        iso_model_joint(model, drive->joint)->damping += damping * square;
        reader->inertias = armature > 0.0 ? NULL : reader->inertias; // which it changes
    } else if (drive->fixed_tendon >= 0) {
        iso_fixed_tendon_desc* tendon = iso_model_fixed_tendon(model, drive->fixed_tendon);
        tendon->damping += damping * square;
        is_left_out = false;
        for (int i = 0; i < tendon->part_count; ++i) { // of sites and free joints
            iso_route_kind kind = tendon->parts[i].kind;
            is_left_out = is_left_out || kind == ISO_ROUTE_FRAME || kind == ISO_ROUTE_WRENCH;
        }
        tendon->rotor_inertia += is_left_out ? 0.0 : armature * square;
    }
    if (armature != 0.0 && is_left_out) {
        iso_scene_warn_once(reader->build, iso_xml_source(item->node), "armature of an actuator",
                            "<%s>: its armature is ignored, as it drives no joint or tendon",
                            iso_xml_name(item->node));
    }
    return ISO_OK;
}

// Its place among the activations of a keyframe.
static void count_activation(iso_mjcf_reader* reader, const xmlNode* node, iso_mjcf_actuator* law) {
    bool is_unknown = iso_xml_is(node, "plugin") || iso_xml_is(node, "dcmotor");
    law->activation = -1;
    if (is_unknown || reader->activation_count < 0) {
        reader->activation_count = -1;
    } else if (law->dynamics != ISO_MJCF_DIRECT) {
        law->activation = reader->activation_count;
        reader->activation_count += law->width;
    }
}

const char* const iso_mjcf_actuator_attributes[] = {
    "name",      "class",      "group",         "ctrllimited", "forcelimited",
    "ctrlrange", "forcerange", "gear",          "joint",       "tendon",
    "gaintype",  "biastype",   "dyntype",       "gainprm",     "biasprm",
    "kp",        "kv",         "dampratio",     "user",        "actlimited",
    "actrange",  "dynprm",     "jointinparent", "site",        "body",
    "refsite",   "cranksite",  "slidersite",    "actdim",      "inheritrange",
    "timeconst", "area",       "diameter",      "bias",        "armature",
    "damping",   NULL};

// Of what is left out nothing more is said.
static void warn_attributes(const iso_mjcf_reader* reader, const xmlNode* node) {
    static const char* const kinds[] = {"motor",       "position", "velocity", "general",
                                        "intvelocity", "damper",   "cylinder", NULL};
    if (iso_xml_is(node, "adhesion")) {
        iso_xml_warn_attributes(reader->build, node, iso_mjcf_adhesion_attributes);
    }
    for (int i = 0; kinds[i]; ++i) {
        if (iso_xml_is(node, kinds[i])) {
            iso_xml_warn_attributes(reader->build, node, iso_mjcf_actuator_attributes);
        }
    }
}

iso_status iso_mjcf_read_actuator(iso_mjcf_reader* reader, const xmlNode* node) {
    iso_scene_build* build = reader->build;
    iso_mjcf_item own;
    const iso_mjcf_item* item = &own;
    double gears[6] = {1.0};
    bool is_known = false;
    iso_mjcf_transmission drive;
    iso_mjcf_actuator law = {.actuator = -1, .width = 1};
    warn_attributes(reader, node);
    ISO_SCENE_TRY(iso_mjcf_item_of(reader, node, 0, &own));
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, item, "gear", 1, 6, gears, NULL));
    ISO_SCENE_TRY(read_transmission(reader, item->node, gears, &drive));
    gears[0] = drive.has_gears ? 1.0 : gears[0];
    ISO_SCENE_TRY(add_reflected(reader, item, &drive, gears[0]));
    ISO_SCENE_TRY(iso_mjcf_read_law(reader, item, &drive, gears[0], &law, &is_known));
    ISO_SCENE_TRY(read_input_ranges(reader, item, &drive, &law));
    count_activation(reader, item->node, &law);
    // The offset of a tendon's length becomes a constant force.
    law.bias[0] += law.bias[1] * gears[0] * drive.offset;
    law.gear = gears[0] * drive.scale;
    if (!is_known) {
        iso_scene_warn_once(
            build, iso_xml_source(item->node), iso_xml_name(item->node),
            "<%s> is left out: actuators are motor, position, velocity, "
            "intvelocity, damper, cylinder, adhesion, or general with fixed gain, affine "
            "bias and the dynamics none, integrator, filter or filterexact",
            iso_xml_name(item->node));
    } else if (iso_mjcf_drives(&drive) && law.gear != 0.0) {
        ISO_SCENE_TRY(add_driven(reader, item, &drive, &law));
    }
    ISO_SCENE_TRY(ISO_ARRAY_GROW(build->ctx, &reader->actuators));
    reader->actuators.data[reader->actuators.count++] = law;
    return ISO_OK;
}
