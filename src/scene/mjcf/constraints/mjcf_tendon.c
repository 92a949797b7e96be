// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/mjcf/mjcf.h"

#include <math.h>
#include <string.h>

// --- springs -------------------------------------------------------------------------------------

iso_status iso_mjcf_read_rest(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                              iso_mjcf_rest* out) {
    double rest[2] = {-1.0, -1.0};
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, item, "springlength", 1, 2, rest, NULL));
    const char* text = NULL;
    double* own = NULL;
    int count = 0;
    ISO_SCENE_TRY(iso_mjcf_text(reader, item, "springlength", &text));
    ISO_SCENE_TRY(iso_mjcf_parse_list(reader, item->node, "springlength", text ? text : "", &own,
                                      &count)); // one length is both, whatever its class says
    *out = (iso_mjcf_rest){rest[0], count == 1 ? rest[0] : rest[1], false};
    ISO_SCENE_REQUIRE(reader->build, iso_xml_source(item->node), out->lower <= out->upper,
                      ISO_ERR_RANGE, "<%s>: springlength is %g to %g, expected to rise",
                      iso_xml_name(item->node), out->lower, out->upper);
    out->is_start = out->lower == -1.0 && out->upper == -1.0;
    return ISO_OK;
}

void iso_mjcf_warn_of_rest(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                           const iso_mjcf_rest* rest) {
    iso_scene_warn_once(reader->build, iso_xml_source(item->node), "springlength",
                        "<%s>: a spring that rests between the lengths %g and %g is not supported; "
                        "it is left out",
                        iso_xml_name(item->node), rest->lower, rest->upper);
}

// --- spatial -------------------------------------------------------------------------------------

iso_status iso_mjcf_tendon_armature(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                                    double* armature) {
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, item, "armature", 1, 1, armature, NULL));
    ISO_SCENE_REQUIRE(reader->build, iso_xml_source(item->node), *armature >= 0.0, ISO_ERR_RANGE,
                      "<%s>: armature is %g, expected >= 0", iso_xml_name(item->node), *armature);
    return ISO_OK;
}

static iso_status add_route(iso_mjcf_reader* reader, const iso_mjcf_item* item,
                            const iso_mjcf_tendon* named) {
    int index = -1;
    ISO_SCENE_TRY(iso_mjcf_make_route(reader, named, true, &index));
    if (index < 0) {
        iso_scene_warn_once(reader->build, iso_xml_source(item->node), named->flaw,
                            "<spatial> is left out: %s", named->flaw);
    }
    return ISO_OK;
}

// A rope between two sites.
static iso_status add_rope(iso_mjcf_reader* reader, const iso_mjcf_item* item,
                           const iso_mjcf_tendon* named, const iso_mjcf_site* from,
                           const iso_mjcf_site* to) {
    iso_scene_build* build = reader->build;
    iso_source at = iso_xml_source(item->node);
    const iso_mjcf_body* a = &reader->bodies.data[from->body];
    const iso_mjcf_body* b = &reader->bodies.data[to->body];
    double range[2], stiffness = 0.0, damping = 0.0, friction = 0.0, armature = 0.0;
    bool is_limited = false;
    iso_mjcf_rest rest;
    iso_constraint_desc rope = iso_constraint_desc_default();
    ISO_SCENE_TRY(iso_mjcf_position_range(reader, item, range, &is_limited));
    ISO_SCENE_TRY(iso_mjcf_read_rest(reader, item, &rest));
    ISO_SCENE_TRY(iso_mjcf_coefficient(reader, item, "stiffness", &stiffness));
    ISO_SCENE_TRY(iso_mjcf_coefficient(reader, item, "damping", &damping));
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, item, "frictionloss", 1, 1, &friction, NULL));
    ISO_SCENE_TRY(iso_mjcf_tendon_armature(reader, item, &armature));
    stiffness = reader->is_off.spring ? 0.0 : stiffness;
    damping = reader->is_off.damper ? 0.0 : damping;
    bool is_slack = rest.lower <= 0.0 && rest.upper > 0.0;
    bool is_point = rest.lower == rest.upper && rest.upper >= 0.0;
    rope.body_a = a->body;
    rope.body_b = b->body;
    rope.x_ap = from->x_bs;
    rope.x_bq = to->x_bs;
    friction = reader->is_off.friction ? 0.0 : friction;
    bool needs_route = friction > 0.0 || armature > 0.0;
    bool acts = is_limited || stiffness > 0.0 || damping > 0.0 || needs_route;
    bool is_spring = stiffness == 0.0 || is_slack || is_point || rest.is_start;
    if (is_limited && range[0] <= 0.0 && stiffness == 0.0 && damping == 0.0 && !needs_route) {
        rope.kind = ISO_CONSTRAINT_TENDON;
        rope.length = range[1];
    } else if (!is_limited && !needs_route && acts && is_spring) {
        iso_vec3 p = iso_pose_point(&a->x_wb, from->x_bs.p);
        iso_vec3 q = iso_pose_point(&b->x_wb, to->x_bs.p);
        rope.kind = is_slack ? ISO_CONSTRAINT_TENDON : ISO_CONSTRAINT_DISTANCE;
        rope.length = is_slack || is_point ? rest.upper : iso_vec3_distance(p, q);
        rope.stiffness = stiffness;
        rope.damping = damping;
    } else {
        return acts ? add_route(reader, item, named) : ISO_OK; // else actuators act along it
    }
    if (!iso_mjcf_can_part(reader, item->node, from->body, to->body)) {
        return ISO_OK;
    }
    ISO_SCENE_TRY(iso_mjcf_name_closure(reader, item->node, "tendon",
                                        iso_model_constraint_count(build->model), &rope.name));
    return iso_scene_add_constraint(build, at, &rope);
}

static iso_status add_spatial(iso_mjcf_reader* reader, const iso_mjcf_item* item,
                              const iso_mjcf_tendon* named) {
    const iso_mjcf_site* sites[2] = {NULL, NULL};
    int count = 0;
    bool is_straight = true;
    for (const xmlNode* child = iso_xml_first(item->node); child; child = iso_xml_next(child)) {
        const char* name = NULL;
        if (!iso_xml_is(child, "site") || count >= 2) {
            is_straight = false;
            continue;
        }
        ISO_SCENE_TRY(iso_xml_required_attribute(reader->build, child, "site", &name));
        ISO_SCENE_TRY(iso_mjcf_find_site(reader, child, name, &sites[count]));
        ++count;
    }
    is_straight = is_straight && !named->is_watched;
    return is_straight && count == 2 ? add_rope(reader, item, named, sites[0], sites[1])
                                     : add_route(reader, item, named);
}

// --- fixed ---------------------------------------------------------------------------------------

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

// A weight times a joint of a <fixed>; a free joint has no index.
typedef struct fixed_term {
    const iso_mjcf_joint* joint;
    double weight;
    bool is_simple; ///< a hinge or slide
} fixed_term;

static iso_status read_term(const iso_mjcf_reader* reader, const xmlNode* child, fixed_term* out) {
    static const char* const known[] = {"joint", "coef", NULL};
    iso_mjcf_item item = {child, -1};
    const char* text = NULL;
    ISO_SCENE_REQUIRE(reader->build, iso_xml_source(child), iso_xml_is(child, "joint"),
                      ISO_ERR_PARSE, "<fixed> holds <%s>, expected <joint>", iso_xml_name(child));
    iso_xml_warn_attributes(reader->build, child, known);
    ISO_SCENE_TRY(iso_xml_required_attribute(reader->build, child, "joint", &text));
    ISO_SCENE_TRY(iso_mjcf_find_joint(reader, child, text, &out->joint));
    ISO_SCENE_TRY(iso_xml_required_attribute(reader->build, child, "coef", &text));
    out->is_simple = out->joint->type >= ISO_MJCF_SLIDE && out->joint->joint >= 0;
    return iso_mjcf_numbers(reader, &item, "coef", 1, 1, &out->weight, NULL);
}

iso_status iso_mjcf_reduce_tendon(const iso_mjcf_reader* reader, const xmlNode* fixed,
                                  iso_mjcf_transmission* out) {
    bool is_known = true;
    int leader = -1;
    double size = 0.0;
    *out = (iso_mjcf_transmission){.joint = -1, .fixed_tendon = -1};
    for (const xmlNode* child = iso_xml_first(fixed); child; child = iso_xml_next(child)) {
        double ratio = 0.0, offset = 0.0;
        fixed_term term = {0};
        ISO_SCENE_TRY(read_term(reader, child, &term));
        leader = leader < 0 ? term.joint->joint : leader;
        is_known = is_known && term.is_simple &&
                   find_relation(reader, leader, term.joint->joint, &ratio, &offset);
        out->scale += term.weight * ratio;
        out->offset += term.weight * offset;
        size += fabs(term.weight * ratio);
    }
    // What couplings hold does not move: rounding is no motion.
    bool can_move = fabs(out->scale) > 1e-12 * size;
    out->joint = is_known && can_move ? leader : -1;
    out->is_held = is_known && !can_move && size > 0.0;
    return ISO_OK;
}

iso_status iso_mjcf_make_sum(iso_scene_build* build, const iso_mjcf_tendon* const* tendons,
                             int count, iso_mjcf_sum* out) {
    int term_count = 0;
    *out = (iso_mjcf_sum){0};
    for (int i = 0; i < count; ++i) {
        for (const xmlNode* c = iso_xml_first(tendons[i]->element); c; c = iso_xml_next(c)) {
            ++term_count;
        }
    }
    out->joints = iso_arena_push_array(&build->arena, term_count, sizeof *out->joints);
    out->weights = iso_arena_push_array(&build->arena, term_count, sizeof *out->weights);
    ISO_REQUIRE(build->ctx, out->joints && out->weights, ISO_ERR_MEMORY, "tendon of %d joints",
                term_count);
    return ISO_OK;
}

iso_status iso_mjcf_add_to_sum(iso_mjcf_reader* reader, const iso_mjcf_tendon* found, double factor,
                               iso_mjcf_sum* sum) {
    iso_mjcf_tendon* tendon = &reader->tendons.data[found - reader->tendons.data];
    for (const xmlNode* c = iso_xml_first(tendon->element); c; c = iso_xml_next(c)) {
        int at = 0;
        fixed_term term = {0};
        ISO_SCENE_TRY(read_term(reader, c, &term));
        if (!term.is_simple) {
            tendon->flaw = "it is not one of hinges and slides only";
            return ISO_OK;
        }
        while (at < sum->count && sum->joints[at] != term.joint->joint) {
            ++at;
        }
        double part = factor * term.weight;
        double weight = (at < sum->count ? sum->weights[at] : 0.0) + part;
        sum->joints[at] = term.joint->joint;
        sum->weights[at] = fabs(weight) > 1e-14 * fabs(part) ? weight : 0.0; // no rounding
        sum->start += factor * term.weight * term.joint->ref;
        sum->count = at < sum->count ? sum->count : sum->count + 1;
    }
    return ISO_OK;
}

void iso_mjcf_drop_zeros(iso_mjcf_sum* sum) {
    int kept = 0;
    for (int i = 0; i < sum->count; ++i) {
        sum->joints[kept] = sum->joints[i];
        sum->weights[kept] = sum->weights[i];
        kept += sum->weights[i] != 0.0;
    }
    sum->count = kept;
}

iso_status iso_mjcf_make_tendon(iso_mjcf_reader* reader, const iso_mjcf_tendon* found,
                                int* out_index) {
    iso_scene_build* build = reader->build;
    iso_fixed_tendon_desc desc = iso_fixed_tendon_desc_default();
    iso_mjcf_tendon* tendon = &reader->tendons.data[found - reader->tendons.data];
    iso_mjcf_sum sum;
    *out_index = tendon->fixed_tendon;
    if (*out_index >= 0 || tendon->flaw) {
        return ISO_OK;
    }
    if (iso_xml_is(tendon->element, "spatial")) {
        return iso_mjcf_make_route(reader, found, false, out_index);
    }
    ISO_SCENE_TRY(iso_mjcf_make_sum(build, &found, 1, &sum));
    ISO_SCENE_TRY(iso_mjcf_add_to_sum(reader, found, 1.0, &sum));
    iso_mjcf_drop_zeros(&sum);
    if (!tendon->flaw && sum.count == 0) {
        tendon->flaw = "the coef of each of its joints add up to 0";
    }
    if (tendon->flaw) {
        return ISO_OK;
    }
    desc.joint_count = sum.count;
    desc.joints = sum.joints;
    desc.weights = sum.weights;
    ISO_SCENE_TRY(iso_mjcf_name_closure(reader, tendon->element, "tendon",
                                        iso_model_fixed_tendon_count(build->model), &desc.name));
    ISO_SCENE_TRY(iso_scene_add_fixed_tendon(build, iso_xml_source(tendon->element), &desc,
                                             &tendon->fixed_tendon));
    *out_index = tendon->fixed_tendon;
    return ISO_OK;
}

// Length of a fixed tendon where the springs of all joints are at rest: that of its own spring.
static iso_status find_rest(const iso_mjcf_reader* reader, const xmlNode* fixed,
                            double* out_length) {
    *out_length = 0.0;
    for (const xmlNode* child = iso_xml_first(fixed); child; child = iso_xml_next(child)) {
        fixed_term term = {0};
        ISO_SCENE_TRY(read_term(reader, child, &term));
        *out_length += term.weight * term.joint->spring_reference;
    }
    return ISO_OK;
}

// What a fixed tendon does by itself.
typedef struct fixed_law {
    double stiffness, damping, friction;
    double armature;
    double rest, range[2];
    bool is_limited;
} fixed_law;

// Spring, damper, friction and limits along scale q + offset are those of a joint.
static void add_to_joint(const fixed_law* law, const iso_mjcf_transmission* drive,
                         iso_joint_desc* joint) {
    double s = drive->scale, k = law->stiffness * s * s;
    if (k > 0.0) {
        double rest = (law->rest - drive->offset) / s, sum = joint->stiffness + k;
        joint->spring_reference = (joint->stiffness * joint->spring_reference + k * rest) / sum;
        joint->stiffness = sum;
    }
    joint->damping += law->damping * s * s;
    joint->friction += law->friction * fabs(s);
    joint->rotor_inertia += law->armature * s * s;
    if (law->is_limited) {
        double a = (law->range[0] - drive->offset) / s, b = (law->range[1] - drive->offset) / s;
        joint->lower = fmax(joint->lower, fmin(a, b));
        joint->upper = fmin(joint->upper, fmax(a, b));
    }
}

// The same along a sum of joints that nothing couples.
static iso_status add_to_tendon(iso_mjcf_reader* reader, const iso_mjcf_item* item,
                                const iso_mjcf_tendon* read, const fixed_law* law) {
    iso_scene_build* build = reader->build;
    int index = -1;
    ISO_SCENE_TRY(iso_mjcf_make_tendon(reader, read, &index));
    if (index < 0) {
        iso_scene_warn_once(build, iso_xml_source(item->node), read->flaw,
                            "tendon '%s' with its stiffness, damping, frictionloss and range is "
                            "left out: %s",
                            read->name ? read->name : "", read->flaw);
        return ISO_OK;
    }
    ISO_SCENE_REQUIRE(build, iso_xml_source(item->node),
                      law->stiffness >= 0.0 && law->damping >= 0.0 && law->friction >= 0.0 &&
                          law->armature >= 0.0,
                      ISO_ERR_RANGE,
                      "<fixed>: stiffness %g, damping %g, frictionloss %g, armature %g, expected "
                      ">= 0",
                      law->stiffness, law->damping, law->friction, law->armature);
    iso_fixed_tendon_desc* tendon = iso_model_fixed_tendon(build->model, index);
    tendon->stiffness = law->stiffness;
    tendon->damping = law->damping;
    tendon->spring_reference = law->rest;
    tendon->friction = law->friction;
    tendon->rotor_inertia = law->armature;
    if (law->is_limited) {
        tendon->lower = law->range[0];
        tendon->upper = law->range[1];
    }
    return ISO_OK;
}

static iso_status read_law(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                           fixed_law* law) {
    iso_mjcf_rest rest;
    ISO_SCENE_REQUIRE(reader->build, iso_xml_source(item->node), iso_xml_first(item->node),
                      ISO_ERR_PARSE, "<%s> has no joints, expected <joint joint='...' coef='...'/>",
                      iso_xml_name(item->node));
    ISO_SCENE_TRY(iso_mjcf_coefficient(reader, item, "stiffness", &law->stiffness));
    ISO_SCENE_TRY(iso_mjcf_coefficient(reader, item, "damping", &law->damping));
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, item, "frictionloss", 1, 1, &law->friction, NULL));
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, item, "armature", 1, 1, &law->armature, NULL));
    ISO_SCENE_TRY(iso_mjcf_position_range(reader, item, law->range, &law->is_limited));
    ISO_SCENE_TRY(iso_mjcf_read_rest(reader, item, &rest));
    law->rest = rest.lower;
    if (rest.is_start) {
        return find_rest(reader, item->node, &law->rest);
    }
    if (law->stiffness != 0.0 && rest.lower < rest.upper) {
        iso_mjcf_warn_of_rest(reader, item, &rest);
        law->stiffness = 0.0;
    }
    return ISO_OK;
}

static iso_status add_fixed(iso_mjcf_reader* reader, const iso_mjcf_item* item,
                            const iso_mjcf_tendon* read) {
    iso_scene_build* build = reader->build;
    iso_source at = iso_xml_source(item->node);
    fixed_law law = {0};
    iso_mjcf_transmission drive;
    ISO_SCENE_TRY(read_law(reader, item, &law));
    ISO_SCENE_TRY(iso_mjcf_reduce_tendon(reader, item->node, &drive));
    bool acts = law.stiffness != 0.0 || law.damping != 0.0 || law.friction != 0.0 ||
                law.armature != 0.0 || law.is_limited;
    if (!acts || drive.is_held) {
        return ISO_OK; // what is held feels nothing of it
    }
    if (drive.joint < 0 || read->is_watched) {
        return add_to_tendon(reader, item, read, &law);
    }
    iso_joint_desc* joint = iso_model_joint(build->model, drive.joint);
    add_to_joint(&law, &drive, joint);
    ISO_SCENE_REQUIRE(build, at, joint->lower <= joint->upper, ISO_ERR_RANGE,
                      "<fixed>: its range leaves joint '%s' none, from %g to %g", joint->name,
                      joint->lower, joint->upper);
    return iso_scene_check_efforts(build, at, joint);
}

// --- both ----------------------------------------------------------------------------------------

const char* const iso_mjcf_tendon_attributes[] = {
    "name", "class", "group",    "limited",      "range", "stiffness", "damping", "springlength",
    "rgba", "width", "material", "frictionloss", "user",  "armature",  NULL};

iso_status iso_mjcf_name_tendon(iso_mjcf_reader* reader, const xmlNode* node) {
    iso_mjcf_tendon tendon = {.element = node, .fixed_tendon = -1};
    bool is_spatial = iso_xml_is(node, "spatial");
    if (!is_spatial && !iso_xml_is(node, "fixed")) {
        static const char* const known[] = {"spatial", "fixed", NULL};
        iso_xml_warn_unsupported(reader->build, node, known);
        return ISO_OK;
    }
    iso_xml_warn_attributes(reader->build, node, iso_mjcf_tendon_attributes);
    ISO_SCENE_TRY(iso_mjcf_name(reader, node, &tendon.name));
    ISO_SCENE_TRY(iso_mjcf_require_new_name(
        reader, node, ISO_MJCF_TENDONS,
        ISO_NAME_LIST(reader->tendons.data, reader->tendons.count, iso_mjcf_tendon, name),
        tendon.name));
    ISO_SCENE_TRY(ISO_ARRAY_GROW(reader->build->ctx, &reader->tendons));
    reader->tendons.data[reader->tendons.count++] = tendon;
    return ISO_OK;
}

iso_status iso_mjcf_read_tendon(iso_mjcf_reader* reader, const xmlNode* node) {
    iso_mjcf_item item;
    bool is_spatial = iso_xml_is(node, "spatial");
    if (!is_spatial && !iso_xml_is(node, "fixed")) {
        return ISO_OK;
    }
    const iso_mjcf_tendon* named = &reader->tendons.data[reader->tendons_read++];
    ISO_SCENE_TRY(iso_mjcf_item_of(reader, node, 0, &item));
    return is_spatial ? add_spatial(reader, &item, named) : add_fixed(reader, &item, named);
}
