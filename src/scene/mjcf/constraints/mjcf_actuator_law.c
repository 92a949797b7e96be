// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/mjcf/constraints/mjcf_actuator_law.h"

#include "scene/mjcf/constraints/mjcf_adhesion.h"

#include <math.h>
#include <string.h>

// An actuator pulls along a length l = gear (c q + d) with the force
//     gain u + bias_0 + bias_1 l + bias_2 dl/dt
// of its control or activation u, so the joint feels gear c times that. Isobar's law is kp (q* - q)
// + kd (v* - v) + u.

// What MuJoCo keeps of an actuator: the classes that it goes on from and then the element itself
// change parts of it.
typedef struct record {
    double gain[10], bias[10], dynamics[10], width;
    const char *gain_type, *bias_type, *dynamics_type;
} record;

bool iso_mjcf_drives(const iso_mjcf_transmission* drive) {
    return drive->joint >= 0 || drive->fixed_tendon >= 0 || drive->is_adhesion;
}

// --- shares of critical damping ------------------------------------------------------------------

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
    if (!iso_mjcf_drives(drive)) {
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

// --- kinds ---------------------------------------------------------------------------------------

static iso_status put_servo(const iso_mjcf_reader* reader, const iso_mjcf_item* own, record* r) {
    double kp = r->gain[0], kv = 0.0, ratio = 0.0, lag = 0.0;
    int kv_count = 0, ratio_count = 0, lag_count = 0;
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, own, "kp", 1, 1, &kp, NULL));
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, own, "kv", 1, 1, &kv, &kv_count));
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, own, "dampratio", 1, 1, &ratio, &ratio_count));
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, own, "timeconst", 1, 1, &lag, &lag_count));
    ISO_SCENE_REQUIRE(reader->build, iso_xml_source(own->node), !kv_count || !ratio_count,
                      ISO_ERR_PARSE, "<%s>: kv and dampratio are both given, expected one",
                      iso_xml_name(own->node));
    ISO_SCENE_REQUIRE(reader->build, iso_xml_source(own->node),
                      kv >= 0.0 && ratio >= 0.0 && lag >= 0.0, ISO_ERR_RANGE,
                      "<%s>: kv %g, dampratio %g, timeconst %g, expected >= 0",
                      iso_xml_name(own->node), kv, ratio, lag);
    r->gain[0] = kp;
    r->bias[1] = -kp;
    r->bias[2] = kv_count ? -kv : ratio_count ? ratio : r->bias[2];
    bool keeps = strcmp(r->dynamics_type, "filterexact") == 0 && !lag_count;
    r->dynamics[0] = keeps ? r->dynamics[0] : lag;
    r->dynamics_type = r->dynamics[0] > 0.0 ? "filterexact" : "none";
    r->dynamics_type = iso_xml_is(own->node, "intvelocity") ? "integrator" : r->dynamics_type;
    r->gain_type = "fixed";
    r->bias_type = "affine";
    return ISO_OK;
}

static iso_status put_velocity(const iso_mjcf_reader* reader, const iso_mjcf_item* own, record* r) {
    double kv = r->gain[0];
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, own, "kv", 1, 1, &kv, NULL));
    r->gain[0] = kv;
    memset(r->bias, 0, sizeof r->bias);
    r->bias[2] = -kv;
    r->dynamics_type = "none";
    r->gain_type = "fixed";
    r->bias_type = "affine";
    return ISO_OK;
}

static iso_status put_damper(const iso_mjcf_reader* reader, const iso_mjcf_item* own, record* r) {
    double kv = strcmp(r->gain_type, "affine") == 0 ? -r->gain[2] : 0.0;
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, own, "kv", 1, 1, &kv, NULL));
    ISO_SCENE_REQUIRE(reader->build, iso_xml_source(own->node), kv >= 0.0, ISO_ERR_RANGE,
                      "<damper>: kv is %g, expected >= 0", kv);
    memset(r->gain, 0, sizeof r->gain);
    r->gain[2] = -kv;
    r->dynamics_type = "none";
    r->gain_type = "affine";
    r->bias_type = "none";
    return ISO_OK;
}

// A pneumatic or hydraulic one: pressures lag behind controls, the force is area times pressure.
static iso_status put_cylinder(const iso_mjcf_reader* reader, const iso_mjcf_item* own, record* r) {
    double diameter = 0.0;
    int diameter_count = 0;
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, own, "timeconst", 1, 1, r->dynamics, NULL));
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, own, "area", 1, 1, r->gain, NULL));
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, own, "diameter", 1, 1, &diameter, &diameter_count));
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, own, "bias", 3, 3, r->bias, NULL));
    if (diameter_count > 0) {
        r->gain[0] = ISO_PI / 4.0 * diameter * diameter;
    }
    r->dynamics_type = "filter";
    r->gain_type = "fixed";
    r->bias_type = "affine";
    return ISO_OK;
}

static iso_status put_text(const iso_mjcf_reader* reader, const xmlNode* node, const char* name,
                           const char** text) {
    const char* own = NULL;
    ISO_SCENE_TRY(iso_xml_attribute(reader->build, node, name, &own));
    *text = own ? own : *text;
    return ISO_OK;
}

static iso_status put_general(const iso_mjcf_reader* reader, const iso_mjcf_item* own, record* r) {
    ISO_SCENE_TRY(put_text(reader, own->node, "gaintype", &r->gain_type));
    ISO_SCENE_TRY(put_text(reader, own->node, "biastype", &r->bias_type));
    ISO_SCENE_TRY(put_text(reader, own->node, "dyntype", &r->dynamics_type));
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, own, "gainprm", 1, 10, r->gain, NULL));
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, own, "biasprm", 1, 10, r->bias, NULL));
    return iso_mjcf_numbers(reader, own, "dynprm", 1, 10, r->dynamics, NULL);
}

// What one element, of a class or of the actuators, says.
static iso_status put(const iso_mjcf_reader* reader, const xmlNode* node, record* r) {
    iso_mjcf_item own = {node, -1};
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, &own, "actdim", 1, 1, &r->width, NULL));
    if (iso_xml_is(node, "position") || iso_xml_is(node, "intvelocity")) {
        return put_servo(reader, &own, r);
    }
    if (iso_xml_is(node, "velocity")) {
        return put_velocity(reader, &own, r);
    }
    if (iso_xml_is(node, "damper")) {
        return put_damper(reader, &own, r);
    }
    if (iso_xml_is(node, "cylinder")) {
        return put_cylinder(reader, &own, r);
    }
    if (iso_xml_is(node, "general")) {
        return put_general(reader, &own, r);
    }
    if (iso_xml_is(node, "motor")) {
        r->gain[0] = 1.0;
        r->gain_type = "fixed";
        r->bias_type = r->dynamics_type = "none";
    } else if (iso_xml_is(node, "adhesion")) {
        ISO_SCENE_TRY(iso_mjcf_numbers(reader, &own, "gain", 1, 1, r->gain, NULL));
        r->gain_type = "fixed";
        r->bias_type = "none";
    } else { // left out, and so are those that it is a class of
        r->gain_type = r->bias_type = iso_xml_name(node);
        r->dynamics_type = iso_xml_is(node, "muscle") ? "muscle" : "none";
    }
    return ISO_OK;
}

// An actuator of a class; none: node is NULL.
typedef struct place {
    const iso_mjcf_class* own;
    int element; // of the class that it is in
    const xmlNode* node;
} place;

static bool is_actuator(const xmlNode* node) {
    return node->type == XML_ELEMENT_NODE && iso_mjcf_is_actuator(iso_xml_name(node));
}

// The actuator before one, in its element or those of the class before.
static place before(place from) {
    place at = {from.own, from.element, from.node ? from.node->prev : NULL};
    for (;;) {
        while (at.node && !is_actuator(at.node)) {
            at.node = at.node->prev;
        }
        if (at.node || at.element <= 0) {
            return at;
        }
        at.node = at.own->elements.data[--at.element]->last;
    }
}

// Whether an element goes on from what one of a class says: <general> and its own kind.
static bool goes_on(const xmlNode* node, const xmlNode* from) {
    return iso_xml_is(node, "general") || iso_xml_is(from, "general") ||
           strcmp(iso_xml_name(node), iso_xml_name(from)) == 0;
}

// What the actuators of one class say, from the first to the last.
static iso_status put_range(const iso_mjcf_reader* reader, place first, place last, record* r) {
    const xmlNode* node = first.node;
    for (int i = first.element; i <= last.element; ++i) {
        node = i == first.element ? node : last.own->elements.data[i]->children;
        for (; node; node = node == last.node ? NULL : node->next) {
            ISO_SCENE_TRY(is_actuator(node) ? put(reader, node, r) : ISO_OK);
        }
    }
    return ISO_OK;
}

// The last actuator of a class of which `count` elements say something; one that says nothing of
// actuators is a copy of the class around it as that was when it began.
static place last_of(const iso_mjcf_reader* reader, int index, int count) {
    place last = {0};
    while (index >= 0 && !last.node) {
        const iso_mjcf_class* own = &reader->classes.data[index];
        last =
            before((place){own, count < own->elements.count ? count : own->elements.count, NULL});
        index = own->parent;
        count = own->parent_count;
    }
    return last;
}

// What an element starts from: the nearest class whose last actuator it goes on from, with what
// that one goes on from in its own class and above.
// @param count  of the first class's elements say something
// @param ended  the classes above are asked as they are at the end, as actuators do; else as they
//               were when the one inside began, as classes do
static iso_status put_classes(const iso_mjcf_reader* reader, int index, int count, bool ended,
                              const xmlNode* node, record* r) {
    place last = {0};
    for (; index >= 0; index = reader->classes.data[index].parent) {
        last = last_of(reader, index, count);
        if (!last.node) {
            return ISO_OK; // nothing of a kind: the element goes on from that
        }
        if (goes_on(node, last.node)) {
            break;
        }
        count = ended ? ISO_SCENE_MAX_NAMES : reader->classes.data[index].parent_count;
    }
    if (index < 0) {
        return ISO_OK;
    }
    place first = last;
    for (place k = before(first); k.node && goes_on(first.node, k.node); k = before(k)) {
        first = k;
    }
    const iso_mjcf_class* own = last.own;
    ISO_SCENE_TRY(put_classes(reader, own->parent, own->parent_count, false, first.node, r));
    return put_range(reader, first, last, r);
}

static iso_status gather(const iso_mjcf_reader* reader, const iso_mjcf_item* item, record* r) {
    *r = (record){.gain = {1.0}, .dynamics = {1.0}, .width = 1.0};
    r->gain_type = "fixed";
    r->bias_type = r->dynamics_type = "none";
    ISO_SCENE_TRY(put_classes(reader, item->class_index, ISO_SCENE_MAX_NAMES, true, item->node, r));
    return put(reader, item->node, r);
}

// --- the law -------------------------------------------------------------------------------------

// What turns controls into activations, which the law has in place of controls.
static bool take_dynamics(const record* r, iso_mjcf_actuator* law) {
    bool is_lagged = strncmp(r->dynamics_type, "filter", 6) == 0;
    law->width = (int)iso_clamp(r->width, 1.0, ISO_SCENE_MAX_NAMES);
    if (strcmp(r->dynamics_type, "none") == 0) {
        law->dynamics = ISO_MJCF_DIRECT;
        return true;
    }
    bool is_integrated = strcmp(r->dynamics_type, "integrator") == 0;
    law->dynamics = is_integrated ? ISO_MJCF_INTEGRATED : ISO_MJCF_LAGGED;
    return r->width <= 1.0 && (is_integrated || is_lagged);
}

static bool take_gains(const record* r, iso_mjcf_actuator* law) {
    bool is_affine = strcmp(r->bias_type, "affine") == 0;
    bool is_damper = strcmp(r->gain_type, "affine") == 0 && law->dynamics == ISO_MJCF_DIRECT &&
                     r->gain[0] == 0.0 && r->gain[1] == 0.0 && r->gain[2] <= 0.0 && !is_affine;
    law->gain = is_damper ? 0.0 : r->gain[0];
    law->damping = is_damper ? -r->gain[2] : 0.0;
    for (int i = 0; is_affine && i < 3; ++i) {
        law->bias[i] = r->bias[i];
    }
    return (is_damper || strcmp(r->gain_type, "fixed") == 0) &&
           (is_affine || strcmp(r->bias_type, "none") == 0);
}

iso_status iso_mjcf_read_law(iso_mjcf_reader* reader, const iso_mjcf_item* item,
                             const iso_mjcf_transmission* drive, double gear,
                             iso_mjcf_actuator* law, bool* out_is_known) {
    record r;
    ISO_SCENE_TRY(gather(reader, item, &r));
    bool is_lasting = take_dynamics(&r, law);
    *out_is_known = take_gains(&r, law) && is_lasting;
    ISO_SCENE_TRY(iso_xml_is(item->node, "adhesion") ? iso_mjcf_check_adhesion(reader, item, law)
                                                     : ISO_OK);
    // Of a position law a third number above 0 is a damping ratio.
    if (*out_is_known && law->bias[2] > 0.0 && law->bias[1] == -law->gain) {
        double kv = 0.0, ratio = law->bias[2];
        ISO_SCENE_TRY(damp_by_ratio(reader, item, drive, law->gain, gear, ratio, &kv));
        law->bias[2] = -kv;
    }
    if (*out_is_known && law->dynamics == ISO_MJCF_LAGGED && r.dynamics[0] > 0.0) {
        iso_scene_warn_once(reader->build, iso_xml_source(item->node), "lag of actuators",
                            "<%s>: what it is told acts at once, without its lag of %g s",
                            iso_xml_name(item->node), r.dynamics[0]);
    }
    return ISO_OK;
}
