// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/mjcf/mjcf.h"

#include <math.h>
#include <string.h>

// What ties the tree together, tendons aside: equalities, excluded pairs.

iso_status iso_mjcf_name_closure(iso_mjcf_reader* reader, const xmlNode* node, const char* noun,
                                 int count, const char** out_name) {
    const char* name = NULL;
    ISO_SCENE_TRY(iso_mjcf_name(reader, node, &name));
    if (!name || !*name) {
        ISO_SCENE_TRY(iso_scene_format(reader->build, &name, "%s_%d", noun, count));
    }
    return iso_scene_scoped(reader->build, reader->scope, name, out_name);
}

// --- equalities ----------------------------------------------------------------------------------

bool iso_mjcf_can_part(const iso_mjcf_reader* reader, const xmlNode* node, int body_a, int body_b) {
    const iso_mjcf_body *a = &reader->bodies.data[body_a], *b = &reader->bodies.data[body_b];
    bool can_part = !(a->is_static && b->is_static) && a->weld != b->weld;
    if (!can_part) {
        iso_scene_warn_once(reader->build, iso_xml_source(node), iso_xml_name(node),
                            "<%s> between bodies '%s' and '%s' is left out, as they cannot move to "
                            "each other",
                            iso_xml_name(node), a->name, b->name);
    }
    return can_part;
}

static iso_status read_bodies(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                              const iso_mjcf_body** out_a, const iso_mjcf_body** out_b) {
    const char* name = NULL;
    ISO_SCENE_TRY(iso_xml_required_attribute(reader->build, item->node, "body1", &name));
    ISO_SCENE_TRY(iso_mjcf_find_body(reader, item->node, name, out_a));
    ISO_SCENE_TRY(iso_mjcf_text(reader, item, "body2", &name));
    *out_b = &reader->bodies.data[0];
    return name ? iso_mjcf_find_body(reader, item->node, name, out_b) : ISO_OK;
}

// site1 and site2 coincide.
static iso_status read_sites(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                             iso_constraint_desc* constraint, int* bodies) {
    const iso_mjcf_site* sites[2];
    const char* name = NULL;
    static const char* const keys[] = {"site1", "site2"};
    for (int i = 0; i < 2; ++i) {
        ISO_SCENE_TRY(iso_xml_required_attribute(reader->build, item->node, keys[i], &name));
        ISO_SCENE_TRY(iso_mjcf_find_site(reader, item->node, name, &sites[i]));
    }
    constraint->body_a = reader->bodies.data[sites[0]->body].body;
    constraint->body_b = reader->bodies.data[sites[1]->body].body;
    constraint->x_ap = sites[0]->x_bs;
    constraint->x_bq = sites[1]->x_bs;
    bodies[0] = sites[0]->body;
    bodies[1] = sites[1]->body;
    return ISO_OK;
}

static iso_status add_connect(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                              iso_constraint_desc* constraint, int* bodies) {
    double n[3] = {0.0};
    int count = 0;
    const iso_mjcf_body* a = NULL;
    const iso_mjcf_body* b = NULL;
    ISO_SCENE_TRY(read_bodies(reader, item, &a, &b));
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, item, "anchor", 3, 3, n, &count));
    ISO_SCENE_TRY(count == 3 ? ISO_OK
                             : iso_xml_needs_attribute(reader->build, item->node, "anchor"));
    constraint->body_a = a->body;
    constraint->body_b = b->body;
    bodies[0] = (int)(a - reader->bodies.data);
    bodies[1] = (int)(b - reader->bodies.data);
    constraint->x_ap.p = iso_vec3_make(n[0], n[1], n[2]);
    // Where that point is on the other body in the pose of the file.
    iso_pose x_ba = iso_pose_inverse_mul(&b->x_wb, &a->x_wb);
    constraint->x_bq.p = iso_pose_point(&x_ba, constraint->x_ap.p);
    return ISO_OK;
}

// The anchor, a point of body2, lies at relpose, a pose in body1.
static iso_status add_weld(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                           iso_constraint_desc* constraint, int* bodies) {
    double n[7] = {0.0}, anchor[3] = {0.0};
    const iso_mjcf_body* a = NULL;
    const iso_mjcf_body* b = NULL;
    ISO_SCENE_TRY(read_bodies(reader, item, &a, &b));
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, item, "relpose", 7, 7, n, NULL));
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, item, "anchor", 3, 3, anchor, NULL));
    constraint->x_bq.p = iso_vec3_make(anchor[0], anchor[1], anchor[2]);
    constraint->body_a = a->body;
    constraint->body_b = b->body;
    bodies[0] = (int)(a - reader->bodies.data);
    bodies[1] = (int)(b - reader->bodies.data);
    double norm = sqrt(n[3] * n[3] + n[4] * n[4] + n[5] * n[5] + n[6] * n[6]);
    if (norm > 1e-9) {
        iso_quat q = iso_quat_normalized(iso_quat_make(n[3], n[4], n[5], n[6]));
        constraint->x_ap = iso_pose_from_quat(q, iso_vec3_make(n[0], n[1], n[2]));
    } else { // as they are in the pose of the file
        iso_pose x_ab = iso_pose_inverse_mul(&a->x_wb, &b->x_wb);
        constraint->x_ap = iso_pose_mul(&x_ab, &constraint->x_bq);
    }
    return ISO_OK;
}

// A weld that minds no turn is a ball. Other scales of torques only weigh how a soft one gives way.
static iso_status read_kind(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                            iso_constraint_kind* out_kind) {
    double scale = 1.0;
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, item, "torquescale", 1, 1, &scale, NULL));
    bool is_ball = iso_xml_is(item->node, "connect") || scale == 0.0;
    *out_kind = is_ball ? ISO_CONSTRAINT_BALL : ISO_CONSTRAINT_WELD;
    return ISO_OK;
}

// What joint and tendon equalities say: x1 = c0 + c1 x2 + ... + c4 x2^4, each from the pose of the
// file.
typedef struct curve {
    double c[5];
    bool is_straight; ///< c0 and c1 alone
} curve;

static iso_status read_curve(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                             bool has_second, curve* out) {
    *out = (curve){{0.0, 1.0, 0.0, 0.0, 0.0}, true};
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, item, "polycoef", 1, 5, out->c, NULL));
    for (int i = 1; i < 5; ++i) {
        out->c[i] = has_second ? out->c[i] : 0.0;
        out->is_straight = out->is_straight && (i == 1 || out->c[i] == 0.0);
    }
    return ISO_OK;
}

// The same in x2 = x - start.
static void count_from(curve* l, double start) {
    for (int i = 0; i < 4; ++i) { // Horner's scheme, again and again
        for (int k = 3; k >= i; --k) {
            l->c[k] -= start * l->c[k + 1];
        }
    }
}

// A joint that an equality holds at a constant stays there between its limits. One that may be
// switched on later is a weld of its two bodies.
static iso_status hold_joint(iso_mjcf_reader* reader, const iso_mjcf_item* item, int held,
                             double position, bool is_active) {
    iso_scene_build* build = reader->build;
    iso_joint_desc* joint = iso_model_joint(build->model, held);
    if (is_active) {
        joint->position = joint->lower = joint->upper = position;
        return ISO_OK;
    }
    iso_constraint_desc weld = iso_constraint_desc_default();
    iso_vec3 way = iso_vec3_scale(joint->axis, position);
    bool is_slide = joint->kind == ISO_JOINT_PRISMATIC;
    iso_quat turn = is_slide ? iso_quat_identity() : iso_quat_from_rotation_vector(way);
    iso_pose x_fm = iso_pose_from_quat(turn, is_slide ? way : iso_vec3_zero());
    weld.kind = ISO_CONSTRAINT_WELD;
    weld.body_a = joint->parent;
    weld.body_b = joint->child;
    weld.x_ap = iso_pose_mul(&joint->x_pf, &x_fm);
    weld.x_bq = joint->x_cm;
    weld.is_off = true;
    ISO_SCENE_TRY(iso_mjcf_name_closure(reader, item->node, "equality",
                                        iso_model_constraint_count(build->model), &weld.name));
    return iso_scene_add_constraint(build, iso_xml_source(item->node), &weld);
}

// q_b = ratio q_a + offset + bow; bow: [ISO_COUPLER_CURVE] or NULL
static iso_status couple(iso_mjcf_reader* reader, const iso_mjcf_item* item,
                         const iso_mjcf_coupling* coupling, const double* bow, bool is_active) {
    iso_scene_build* build = reader->build;
    iso_coupler_desc coupler = iso_coupler_desc_default();
    coupler.joint_a = coupling->joint_a;
    coupler.joint_b = coupling->joint_b;
    coupler.ratio = coupling->ratio;
    coupler.offset = coupling->offset;
    coupler.is_off = !is_active;
    if (bow) {
        memcpy(coupler.curve, bow, sizeof coupler.curve);
    }
    ISO_SCENE_TRY(iso_mjcf_name_closure(reader, item->node, "equality",
                                        iso_model_coupler_count(build->model), &coupler.name));
    iso_scene_free_follower(build, iso_xml_source(item->node), &coupler);
    ISO_SCENE_TRY(iso_scene_add_coupler(build, iso_xml_source(item->node), &coupler));
    if (bow || !is_active) {
        return ISO_OK; // no law of the two joints that always holds, or no line
    }
    ISO_SCENE_TRY(ISO_ARRAY_GROW(build->ctx, &reader->couplings));
    reader->couplings.data[reader->couplings.count++] = *coupling;
    return ISO_OK;
}

// joint1 - ref1 = c0 + c1 (joint2 - ref2) + ... + c4 (joint2 - ref2)^4
static iso_status add_joint_equality(iso_mjcf_reader* reader, const iso_mjcf_item* item,
                                     bool is_active) {
    iso_scene_build* build = reader->build;
    curve l;
    const iso_mjcf_joint* joints[2] = {NULL, NULL};
    const char* name = NULL;
    ISO_SCENE_TRY(iso_xml_required_attribute(build, item->node, "joint1", &name));
    ISO_SCENE_TRY(iso_mjcf_find_joint(reader, item->node, name, &joints[1]));
    ISO_SCENE_TRY(iso_xml_attribute(build, item->node, "joint2", &name));
    if (name) {
        ISO_SCENE_TRY(iso_mjcf_find_joint(reader, item->node, name, &joints[0]));
    }
    ISO_SCENE_TRY(read_curve(reader, item, name, &l));
    if (l.is_straight && l.c[1] == 0.0) {
        ISO_SCENE_REQUIRE(build, iso_xml_source(item->node),
                          joints[1]->joint >= 0 && joints[1]->type >= ISO_MJCF_SLIDE,
                          ISO_ERR_UNSUPPORTED, "<joint>: joint '%s' is neither a hinge nor a slide",
                          joints[1]->name);
        return hold_joint(reader, item, joints[1]->joint, joints[1]->ref + l.c[0], is_active);
    }
    double bow[ISO_COUPLER_CURVE];
    if (!l.is_straight) { // else the sum in the line below, to the bit
        count_from(&l, joints[0]->ref);
        memcpy(bow, l.c + 2, sizeof bow);
    }
    double start = l.is_straight ? l.c[1] * joints[0]->ref : 0.0;
    return couple(reader, item,
                  &(iso_mjcf_coupling){joints[0]->joint, joints[1]->joint, l.c[1],
                                       l.c[0] + joints[1]->ref - start},
                  l.is_straight ? NULL : bow, is_active);
}

// Whether both joints can be within their limits.
static bool have_room(const iso_mjcf_reader* reader, const iso_mjcf_coupling* c) {
    const iso_joint_desc* a = iso_model_joint(reader->build->model, c->joint_a);
    const iso_joint_desc* b = iso_model_joint(reader->build->model, c->joint_b);
    double low = c->ratio * a->lower + c->offset, high = c->ratio * a->upper + c->offset;
    return fmin(low, high) <= b->upper && fmax(low, high) >= b->lower;
}

// A sum of joints stays where it is: of one joint by its limits, of two by a coupler, of more, and
// against limits of the joints, by limits of a fixed tendon.
static iso_status hold_sum(iso_mjcf_reader* reader, const iso_mjcf_item* item,
                           const iso_mjcf_sum* sum, double length, bool is_active) {
    iso_model* model = reader->build->model;
    iso_source at = iso_xml_source(item->node);
    const double* w = sum->weights;
    iso_fixed_tendon_desc tendon = iso_fixed_tendon_desc_default();
    const char* name = NULL;
    if (sum->count == 1) {
        return hold_joint(reader, item, sum->joints[0], length / w[0], is_active);
    }
    if (sum->count == 2) {
        iso_mjcf_coupling coupling = {sum->joints[0], sum->joints[1], -w[0] / w[1], length / w[1]};
        if (!is_active || have_room(reader, &coupling)) {
            return couple(reader, item, &coupling, NULL, is_active);
        }
        iso_scene_warn_once(reader->build, at, "equality against limits",
                            "<tendon>: the limits of joints '%s' and '%s' leave no position where "
                            "this equality holds: it gives way as they do",
                            iso_model_joint(model, sum->joints[0])->name,
                            iso_model_joint(model, sum->joints[1])->name);
    }
    tendon.is_off = !is_active;
    tendon.joint_count = sum->count;
    tendon.joints = sum->joints;
    tendon.weights = w;
    tendon.lower = tendon.upper = length;
    ISO_SCENE_TRY(iso_mjcf_name_closure(reader, item->node, "equality",
                                        iso_model_fixed_tendon_count(model), &name));
    // The tendon that is held often has the same name.
    ISO_SCENE_TRY(iso_scene_format(reader->build, &tendon.name, "%s_equality", name));
    return iso_scene_add_fixed_tendon(reader->build, at, &tendon, NULL);
}

// The sum l1 - c1 l2 of `count` fixed tendons. @param[out] out_flaw  why it is none; NULL: it is
// one
static iso_status sum_up(iso_mjcf_reader* reader, const iso_mjcf_tendon* const* tendons,
                         const double* factors, int count, iso_mjcf_sum* out,
                         const char** out_flaw) {
    ISO_SCENE_TRY(iso_mjcf_make_sum(reader->build, tendons, count, out));
    *out_flaw = NULL;
    for (int i = 0; i < count && !*out_flaw; ++i) {
        if (!tendons[i]->flaw) {
            ISO_SCENE_TRY(iso_mjcf_add_to_sum(reader, tendons[i], factors[i], out));
        }
        *out_flaw = tendons[i]->flaw;
    }
    iso_mjcf_drop_zeros(out);
    if (!*out_flaw && out->count == 0) {
        *out_flaw = "its joints cancel";
    }
    return ISO_OK;
}

// A curve of lengths is taken as its tangent at the pose of the file, with a warning, or left out
// where that is flat.
static bool straighten(const iso_mjcf_reader* reader, const iso_mjcf_item* item, const curve* l) {
    bool is_flat = l->c[1] == 0.0;
    if (!l->is_straight) {
        iso_scene_warn_once(reader->build, iso_xml_source(item->node), "curved <tendon>",
                            "<tendon>: polycoef %g %g %g %g %g is not linear: %s", l->c[0], l->c[1],
                            l->c[2], l->c[3], l->c[4],
                            is_flat ? "the equality is left out"
                                    : "only its first two numbers are used, the tangent at the "
                                      "pose of the file");
    }
    return l->is_straight || !is_flat;
}

// l1 = c0 + c1 l2, each from its length in the pose of the file
static iso_status add_tendon_equality(iso_mjcf_reader* reader, const iso_mjcf_item* item,
                                      bool is_active) {
    iso_scene_build* build = reader->build;
    const iso_mjcf_tendon* tendons[2] = {NULL, NULL};
    const char *name = NULL, *flaw = NULL;
    iso_mjcf_sum sum;
    curve l;
    ISO_SCENE_TRY(iso_xml_required_attribute(build, item->node, "tendon1", &name));
    ISO_SCENE_TRY(iso_mjcf_find_tendon(reader, item->node, name, &tendons[0]));
    ISO_SCENE_TRY(iso_xml_attribute(build, item->node, "tendon2", &name));
    if (name) {
        ISO_SCENE_TRY(iso_mjcf_find_tendon(reader, item->node, name, &tendons[1]));
    }
    ISO_SCENE_TRY(read_curve(reader, item, name, &l));
    if (!straighten(reader, item, &l)) {
        return ISO_OK;
    }
    int count = l.c[1] == 0.0 ? 1 : 2, routes = 0;
    const double factors[2] = {1.0, -l.c[1]};
    for (int i = 0; i < count; ++i) {
        routes += iso_xml_is(tendons[i]->element, "spatial");
    }
    if (routes == count) {
        return iso_mjcf_hold_routes(reader, item->node, tendons, factors, count, l.c[0], is_active);
    }
    if (routes > 0) {
        flaw = "one of the two is spatial, the other a sum of joints";
    } else {
        ISO_SCENE_TRY(sum_up(reader, tendons, factors, count, &sum, &flaw));
    }
    if (flaw) {
        iso_scene_warn_once(build, iso_xml_source(item->node), flaw,
                            "equality of tendon '%s' is left out: %s", tendons[0]->name, flaw);
        return ISO_OK;
    }
    return hold_sum(reader, item, &sum, sum.start + l.c[0], is_active);
}

// One that is not active waits to be switched on.
static iso_status add_equality(iso_mjcf_reader* reader, const iso_mjcf_item* item, bool is_active) {
    iso_scene_build* build = reader->build;
    iso_constraint_desc constraint = iso_constraint_desc_default();
    const char* site = NULL;
    bool is_connect = iso_xml_is(item->node, "connect");
    int bodies[2] = {ISO_WORLD_BODY, ISO_WORLD_BODY};
    if (iso_xml_is(item->node, "joint")) {
        return add_joint_equality(reader, item, is_active);
    }
    if (iso_xml_is(item->node, "tendon")) {
        return add_tendon_equality(reader, item, is_active);
    }
    if (!is_connect && !iso_xml_is(item->node, "weld")) {
        static const char* const known[] = {"connect", "weld",     "joint",      "tendon",
                                            "flex",    "flexvert", "flexstrain", NULL};
        iso_xml_warn_unsupported(build, item->node, known);
        return ISO_OK;
    }
    ISO_SCENE_TRY(iso_xml_attribute(build, item->node, "site1", &site));
    ISO_SCENE_TRY(read_kind(reader, item, &constraint.kind));
    constraint.is_off = !is_active;
    if (site) {
        ISO_SCENE_TRY(read_sites(reader, item, &constraint, bodies));
    } else {
        ISO_SCENE_TRY(is_connect ? add_connect(reader, item, &constraint, bodies)
                                 : add_weld(reader, item, &constraint, bodies));
    }
    if (!iso_mjcf_can_part(reader, item->node, bodies[0], bodies[1])) {
        return ISO_OK;
    }
    ISO_SCENE_TRY(iso_mjcf_name_closure(reader, item->node, "equality",
                                        iso_model_constraint_count(build->model),
                                        &constraint.name));
    return iso_scene_add_constraint(build, iso_xml_source(item->node), &constraint);
}

const char* const iso_mjcf_equality_attributes[] = {
    "name",  "class",  "active", "body1",    "body2",   "anchor",  "relpose",     "site1",
    "site2", "joint1", "joint2", "polycoef", "tendon1", "tendon2", "torquescale", NULL};

iso_status iso_mjcf_read_equality(iso_mjcf_reader* reader, const xmlNode* node) {
    iso_mjcf_item item;
    int is_active = 1;
    iso_xml_warn_attributes(reader->build, node, iso_mjcf_equality_attributes);
    ISO_SCENE_TRY(iso_mjcf_item_of(reader, node, 0, &item));
    ISO_SCENE_TRY(iso_mjcf_flag(reader, &item, "active", &is_active));
    if (reader->is_off.equality) {
        iso_scene_warn_once(reader->build, iso_xml_source(node), "inactive equality",
                            "<%s> is not active and is left out: <flag> disables equalities",
                            iso_xml_name(node));
        return ISO_OK;
    }
    return add_equality(reader, &item, is_active != 0);
}
