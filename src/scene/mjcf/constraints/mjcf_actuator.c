// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "math/limits.h"
#include "scene/mjcf/constraints/mjcf_adhesion.h"

#include <math.h>
#include <string.h>

// An actuator pulls along a length l = gear (c q + d) with the force
//     gain u + bias_0 + bias_1 l + bias_2 dl/dt
// of its control or activation u, so the joint feels gear c times that. Isobar's law is kp (q* - q)
// + kd (v* - v) + u.

// --- transmissions -------------------------------------------------------------------------------

static bool drives(const iso_mjcf_transmission* drive) {
    return drive->joint >= 0 || drive->fixed_tendon >= 0 || drive->is_adhesion;
}

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
    if (!drives(out)) {
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

// --- laws ----------------------------------------------------------------------------------------

// What a drive feels of the joints' inertias without its gear.
static iso_status driven_inertia(iso_mjcf_reader* reader, const xmlNode* node,
                                 const iso_mjcf_transmission* drive, double* out_inertia) {
    if (drive->joint >= 0) {
        return iso_mjcf_effective_inertia(reader, node, drive->joint, out_inertia);
    }
    const iso_fixed_tendon_desc* tendon =
        iso_model_fixed_tendon(reader->build->model, drive->fixed_tendon);
    return tendon->part_count > 0 ? iso_mjcf_route_inertia(reader, node, tendon, out_inertia)
                                  : iso_mjcf_tendon_inertia(reader, node, tendon, out_inertia);
}

// The damping of a share of critical damping.
static iso_status damp_by_ratio(iso_mjcf_reader* reader, const iso_mjcf_item* item,
                                const iso_mjcf_transmission* drive, double kp, double gear,
                                double ratio, double* out_kv) {
    double arm = fabs(gear * drive->scale), inertia = 0.0;
    if (!drives(drive)) {
        return ISO_OK;
    }
    if (drive->joint < 0 && drive->has_gears) {
        iso_scene_warn_once(reader->build, iso_xml_source(item->node), "dampratio",
                            "<%s>: dampratio of what is no joint or tendon is ignored",
                            iso_xml_name(item->node));
        return ISO_OK;
    }
    ISO_SCENE_REQUIRE(reader->build, iso_xml_source(item->node),
                      ratio > 0.0 && kp >= 0.0 && arm > 0.0, ISO_ERR_RANGE,
                      "<%s>: dampratio %g, kp %g, gear %g, expected the first > 0, the second >= "
                      "0, the third not 0",
                      iso_xml_name(item->node), ratio, kp, gear);
    ISO_SCENE_TRY(driven_inertia(reader, item->node, drive, &inertia));
    *out_kv = 2.0 * ratio * sqrt(kp * inertia) / arm;
    return ISO_OK;
}

// kv or dampratio of <position> and <intvelocity>, whichever the element has itself.
static iso_status read_damping(iso_mjcf_reader* reader, const iso_mjcf_item* item,
                               const iso_mjcf_transmission* drive, double kp, double gear,
                               double* out_kv) {
    const char* own_kv = NULL;
    const char* own_ratio = NULL;
    double ratio = 0.0;
    ISO_SCENE_TRY(iso_xml_attribute(reader->build, item->node, "kv", &own_kv));
    ISO_SCENE_TRY(iso_xml_attribute(reader->build, item->node, "dampratio", &own_ratio));
    ISO_SCENE_REQUIRE(reader->build, iso_xml_source(item->node), !own_kv || !own_ratio,
                      ISO_ERR_PARSE, "<%s>: kv and dampratio are both given, expected one",
                      iso_xml_name(item->node));
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, item, "kv", 1, 1, out_kv, NULL));
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, item, "dampratio", 1, 1, &ratio, NULL));
    return ratio == 0.0 || own_kv ? ISO_OK
                                  : damp_by_ratio(reader, item, drive, kp, gear, ratio, out_kv);
}

static iso_status read_position_law(iso_mjcf_reader* reader, const iso_mjcf_item* item,
                                    const iso_mjcf_transmission* drive, double gear,
                                    iso_mjcf_actuator* law) {
    double kp = 1.0, kv = 0.0;
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, item, "kp", 1, 1, &kp, NULL));
    ISO_SCENE_TRY(read_damping(reader, item, drive, kp, gear, &kv));
    law->gain = kp;
    law->bias[1] = -kp;
    law->bias[2] = -kv;
    return ISO_OK;
}

// What turns controls into activations, which the law has in place of controls.
static iso_status read_dynamics(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                                iso_mjcf_actuator* law, double* lag, bool* is_known) {
    const char* type = NULL;
    double width = 1.0;
    ISO_SCENE_TRY(iso_mjcf_text(reader, item, "dyntype", &type));
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, item, "actdim", 1, 1, &width, NULL));
    law->width = (int)iso_clamp(width, 1.0, ISO_SCENE_MAX_NAMES);
    if (!type || strcmp(type, "none") == 0) {
        return ISO_OK;
    }
    law->dynamics = ISO_MJCF_LAGGED;
    if (strcmp(type, "integrator") == 0) {
        law->dynamics = ISO_MJCF_INTEGRATED;
    } else if (strcmp(type, "filter") == 0 || strcmp(type, "filterexact") == 0) {
        double numbers[10] = {1.0};
        ISO_SCENE_TRY(iso_mjcf_numbers(reader, item, "dynprm", 1, 10, numbers, NULL));
        *lag = numbers[0];
    } else {
        *is_known = false;
    }
    *is_known = *is_known && width <= 1.0;
    return ISO_OK;
}

static iso_status read_general_law(iso_mjcf_reader* reader, const iso_mjcf_item* item,
                                   const iso_mjcf_transmission* drive, double gear,
                                   iso_mjcf_actuator* law, double* lag, bool* out_is_known) {
    const char* types[2] = {NULL, NULL};
    double gain[10] = {1.0}, bias[10] = {0.0};
    ISO_SCENE_TRY(iso_mjcf_text(reader, item, "gaintype", &types[0]));
    ISO_SCENE_TRY(iso_mjcf_text(reader, item, "biastype", &types[1]));
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, item, "gainprm", 1, 10, gain, NULL));
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, item, "biasprm", 1, 10, bias, NULL));
    bool is_affine = types[1] && strcmp(types[1], "affine") == 0;
    *out_is_known = (!types[0] || strcmp(types[0], "fixed") == 0) &&
                    (is_affine || !types[1] || strcmp(types[1], "none") == 0);
    ISO_SCENE_TRY(read_dynamics(reader, item, law, lag, out_is_known));
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

// A pneumatic or hydraulic one: pressures lag behind controls, the force is area times pressure.
static iso_status read_cylinder_law(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                                    iso_mjcf_actuator* law, double* lag) {
    double diameter = 0.0;
    int diameter_count = 0;
    *lag = 1.0;
    law->dynamics = ISO_MJCF_LAGGED;
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, item, "timeconst", 1, 1, lag, NULL));
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, item, "area", 1, 1, &law->gain, NULL));
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, item, "diameter", 1, 1, &diameter, &diameter_count));
    if (diameter_count > 0) {
        law->gain = ISO_PI / 4.0 * diameter * diameter;
    }
    return iso_mjcf_numbers(reader, item, "bias", 3, 3, law->bias, NULL);
}

static iso_status read_law(iso_mjcf_reader* reader, const iso_mjcf_item* item,
                           const iso_mjcf_transmission* drive, double gear, iso_mjcf_actuator* law,
                           bool* out_is_known) {
    const xmlNode* node = item->node;
    double kv = 1.0, lag = 0.0;
    *out_is_known = true;
    law->gain = 1.0;
    if (iso_xml_is(node, "position")) {
        ISO_SCENE_TRY(read_position_law(reader, item, drive, gear, law));
        ISO_SCENE_TRY(iso_mjcf_numbers(reader, item, "timeconst", 1, 1, &lag, NULL));
        law->dynamics = lag > 0.0 ? ISO_MJCF_LAGGED : ISO_MJCF_DIRECT;
    } else if (iso_xml_is(node, "intvelocity")) {
        law->dynamics = ISO_MJCF_INTEGRATED;
        ISO_SCENE_TRY(read_position_law(reader, item, drive, gear, law));
    } else if (iso_xml_is(node, "velocity")) {
        ISO_SCENE_TRY(iso_mjcf_numbers(reader, item, "kv", 1, 1, &kv, NULL));
        law->gain = kv;
        law->bias[2] = -kv;
    } else if (iso_xml_is(node, "damper")) {
        ISO_SCENE_TRY(iso_mjcf_numbers(reader, item, "kv", 1, 1, &kv, NULL));
        ISO_SCENE_REQUIRE(reader->build, iso_xml_source(node), kv >= 0.0, ISO_ERR_RANGE,
                          "<damper>: kv is %g, expected >= 0", kv);
        law->gain = 0.0;
        law->damping = kv;
    } else if (iso_xml_is(node, "cylinder")) {
        ISO_SCENE_TRY(read_cylinder_law(reader, item, law, &lag));
    } else if (iso_xml_is(node, "adhesion")) {
        ISO_SCENE_TRY(iso_mjcf_read_adhesion_law(reader, item, law));
    } else if (iso_xml_is(node, "general")) {
        ISO_SCENE_TRY(read_general_law(reader, item, drive, gear, law, &lag, out_is_known));
    } else if (!iso_xml_is(node, "motor")) {
        *out_is_known = false;
        law->dynamics = iso_xml_is(node, "muscle") ? ISO_MJCF_LAGGED : ISO_MJCF_DIRECT;
    }
    if (*out_is_known && law->dynamics == ISO_MJCF_LAGGED && lag > 0.0) {
        iso_scene_warn_once(reader->build, iso_xml_source(node), "lag of actuators",
                            "<%s>: what it is told acts at once, without its lag of %g s",
                            iso_xml_name(node), lag);
    }
    return ISO_OK;
}

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
    if (share > 0.0 && drives(drive) && (is_integrated || iso_xml_is(item->node, "position"))) {
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
    ISO_SCENE_TRY(read_law(reader, item, &drive, gears[0], &law, &is_known));
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
    } else if (drives(&drive) && law.gear != 0.0) {
        ISO_SCENE_TRY(add_driven(reader, item, &drive, &law));
    }
    ISO_SCENE_TRY(ISO_ARRAY_GROW(build->ctx, &reader->actuators));
    reader->actuators.data[reader->actuators.count++] = law;
    return ISO_OK;
}
