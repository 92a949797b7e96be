// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/sdf/sdf.h"
#include "scene/tags/drake_tags.h"

#include <math.h>
#include <string.h>

// The body a joint end is fixed to and the pose of the joint frame in it.
iso_status iso_sdf_read_end(iso_sdf_reader* reader, const iso_sdf_node* joint, const char* name,
                            const iso_pose* x_sj, int* out_body, iso_pose* out_x) {
    iso_scene_build* build = reader->build;
    iso_source at = iso_xml_source(joint->element);
    iso_sdf_scope* scope = joint->scope;
    if (strcmp(name, "world") == 0) {
        iso_pose x_ws;
        ISO_SCENE_TRY(iso_sdf_scope_pose(reader, scope, &x_ws));
        *out_body = ISO_WORLD_BODY;
        *out_x = iso_pose_mul(&x_ws, x_sj);
        return ISO_OK;
    }
    iso_sdf_target target;
    iso_sdf_node* link = NULL;
    iso_pose x_sl;
    ISO_SCENE_TRY(iso_sdf_find(reader, at, scope, name, &target));
    ISO_SCENE_TRY(iso_sdf_link_of(reader, &target, at, &link));
    ISO_SCENE_REQUIRE(build, at, link, ISO_ERR_PARSE, "joint '%s': '%s' is not part of a link",
                      joint->name, name);
    iso_sdf_target own = {link, link->scope};
    ISO_SCENE_TRY(iso_sdf_pose_in(reader, scope, &own, &x_sl));
    *out_body = link->body;
    *out_x = iso_pose_inverse_mul(&x_sl, x_sj);
    return ISO_OK;
}

static iso_status find_kind(iso_scene_build* build, const iso_sdf_node* joint,
                            iso_joint_kind* out_kind, bool* out_is_continuous) {
    static const struct {
        const char* name;
        iso_joint_kind kind;
    } kinds[] = {{"fixed", ISO_JOINT_WELD},          {"revolute", ISO_JOINT_REVOLUTE},
                 {"continuous", ISO_JOINT_REVOLUTE}, {"prismatic", ISO_JOINT_PRISMATIC},
                 {"screw", ISO_JOINT_SCREW},         {"universal", ISO_JOINT_UNIVERSAL},
                 {"ball", ISO_JOINT_BALL},           {"planar", ISO_JOINT_PLANAR},
                 {"revolute2", ISO_JOINT_UNIVERSAL}};
    const char* type = NULL;
    ISO_SCENE_TRY(iso_xml_required_attribute(build, joint->element, "type", &type));
    *out_is_continuous = strcmp(type, "continuous") == 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
        if (strcmp(type, kinds[i].name) == 0) {
            *out_kind = kinds[i].kind;
            return ISO_OK;
        }
    }
    bool is_curved = strcmp(type, "curvilinear") == 0;
    ISO_SCENE_REQUIRE(build, iso_xml_source(joint->element), !is_curved, ISO_ERR_UNSUPPORTED,
                      "joint '%s' is curvilinear: motion along a curve is not supported, expected "
                      "joints along and about straight axes",
                      joint->name);
    return iso_scene_fail(build, iso_xml_source(joint->element), ISO_ERR_UNSUPPORTED,
                          "joint '%s' is of type '%s', expected fixed, revolute, continuous, "
                          "prismatic, screw, universal, revolute2, ball, planar or gearbox",
                          joint->name, type);
}

static void warn_of_axis(iso_scene_build* build, const xmlNode* axis) {
    static const char* const known[] = {
        "xyz",   "limit",       "dynamics", "use_parent_model_frame", "drake:controller_gains",
        "mimic", "drake:mimic", NULL};
    iso_xml_warn_unknown(build, axis, known);
}

// Axis in the joint frame. Up to 1.4, and with use_parent_model_frame, files give it in the model.
iso_status iso_sdf_read_axis(iso_sdf_reader* reader, const iso_sdf_node* joint, const xmlNode* axis,
                             const iso_pose* x_sj, iso_vec3* out_axis) {
    iso_scene_build* build = reader->build;
    const xmlNode* xyz = iso_xml_child(axis, "xyz");
    double n[3] = {0.0, 0.0, 1.0};
    const char* text = NULL;
    const char* expressed_in = NULL;
    bool is_in_model = joint->scope->version <= 104;
    warn_of_axis(build, axis);
    if (xyz) {
        ISO_SCENE_TRY(iso_xml_text(build, xyz, &text));
        ISO_SCENE_TRY(iso_xml_parse_numbers(build, xyz, "its value", text, 3, n));
        ISO_SCENE_TRY(iso_xml_attribute(build, xyz, "expressed_in", &expressed_in));
    }
    const xmlNode* in_model = iso_xml_child(axis, "use_parent_model_frame");
    if (in_model) {
        ISO_SCENE_TRY(iso_xml_text(build, in_model, &text));
        ISO_SCENE_TRY(iso_xml_parse_bool(build, in_model, "its value", text, &is_in_model));
    }
    iso_vec3 v = iso_vec3_make(n[0], n[1], n[2]);
    double norm = iso_vec3_norm(v);
    ISO_SCENE_REQUIRE(build, iso_xml_source(xyz ? xyz : axis), norm > 1e-6 && norm < 1e12,
                      ISO_ERR_RANGE, "joint '%s': the axis has length %g, expected a direction",
                      joint->name, norm);
    v = iso_vec3_scale(v, 1.0 / norm);
    if (expressed_in && *expressed_in) {
        iso_sdf_target target;
        iso_pose x_se;
        ISO_SCENE_TRY(
            iso_sdf_find(reader, iso_xml_source(xyz), joint->scope, expressed_in, &target));
        ISO_SCENE_TRY(iso_sdf_pose_in(reader, joint->scope, &target, &x_se));
        v = iso_mat3_tmul_vec3(&x_sj->r, iso_mat3_mul_vec3(&x_se.r, v));
    } else if (is_in_model) {
        v = iso_mat3_tmul_vec3(&x_sj->r, v);
    }
    *out_axis = iso_vec3_normalized(v);
    return ISO_OK;
}

// A limit that may be absent or infinite; negative means "none" where is_negative_none.
static iso_status read_limit(iso_scene_build* build, const xmlNode* limit, const char* name,
                             bool is_negative_none, double* out_value) {
    const xmlNode* child = iso_xml_child(limit, name);
    const char* text = NULL;
    if (!child) {
        return ISO_OK;
    }
    ISO_SCENE_TRY(iso_xml_text(build, child, &text));
    iso_status status = iso_xml_parse_limit(build, child, "its value", text, out_value);
    if (status != ISO_OK && strcmp(name, "velocity") == 0) {
        // Recorded only: no reason to refuse the file.
        iso_scene_warn_once(build, iso_xml_source(child), name,
                            "velocity limit '%.40s' is not a number and is ignored", text);
        return ISO_OK;
    }
    ISO_SCENE_TRY(status);
    if (is_negative_none && *out_value < 0.0) {
        *out_value = INFINITY;
    }
    return ISO_OK;
}

static iso_status read_limits(iso_scene_build* build, const xmlNode* axis, bool is_continuous,
                              iso_joint_desc* desc) {
    // stiffness and dissipation of the stops are those of the step's own limit constraints.
    static const char* const known[] = {"lower", "upper", "effort", "velocity", NULL};
    const xmlNode* limit = iso_xml_child(axis, "limit");
    if (!limit) {
        return ISO_OK;
    }
    iso_xml_warn_unknown(build, limit, known);
    ISO_SCENE_TRY(read_limit(build, limit, "lower", false, &desc->lower));
    ISO_SCENE_TRY(read_limit(build, limit, "upper", false, &desc->upper));
    ISO_SCENE_TRY(read_limit(build, limit, "velocity", true, &desc->velocity_limit));
    ISO_SCENE_TRY(read_limit(build, limit, "effort", true, &desc->effort_limit));
    ISO_SCENE_REQUIRE(build, iso_xml_source(limit), desc->lower <= desc->upper, ISO_ERR_RANGE,
                      "joint '%s': lower limit %g is above upper limit %g", desc->name, desc->lower,
                      desc->upper);
    if (is_continuous) {
        desc->lower = -INFINITY;
        desc->upper = INFINITY;
    }
    return ISO_OK;
}

static iso_status read_dynamics(iso_scene_build* build, const xmlNode* axis, iso_joint_desc* desc) {
    static const char* const known[] = {"damping", "friction", "spring_stiffness",
                                        "spring_reference", NULL};
    const xmlNode* dynamics = iso_xml_child(axis, "dynamics");
    if (!dynamics) {
        return ISO_OK;
    }
    iso_xml_warn_unknown(build, dynamics, known);
    ISO_SCENE_TRY(iso_xml_child_numbers(build, dynamics, "damping", 1, &desc->damping, NULL));
    ISO_SCENE_TRY(iso_xml_child_numbers(build, dynamics, "friction", 1, &desc->friction, NULL));
    ISO_SCENE_TRY(
        iso_xml_child_numbers(build, dynamics, "spring_stiffness", 1, &desc->stiffness, NULL));
    ISO_SCENE_TRY(iso_xml_child_numbers(build, dynamics, "spring_reference", 1,
                                        &desc->spring_reference, NULL));
    return iso_scene_check_efforts(build, iso_xml_source(dynamics), desc);
}

// All and only joints with a non-zero effort limit have an actuator, as in Drake.
static iso_status add_actuator(iso_scene_build* build, const iso_sdf_node* joint,
                               const iso_joint_desc* desc, int index) {
    const xmlNode* axis = iso_xml_child(joint->element, "axis");
    const xmlNode* gains = iso_xml_child(joint->element, "drake:controller_gains");
    gains = gains || !axis ? gains : iso_xml_child(axis, "drake:controller_gains");
    if (desc->effort_limit == 0.0) {
        return ISO_OK;
    }
    iso_actuator_desc actuator = iso_actuator_desc_default();
    actuator.name = desc->name;
    actuator.joint = index;
    actuator.effort_limit = desc->effort_limit;
    if (gains) {
        ISO_SCENE_TRY(iso_drake_read_gains(build, gains, &actuator));
    }
    return iso_scene_add_actuator(build, iso_xml_source(joint->element), &actuator, NULL);
}

// How far a screw moves as it turns: <screw_thread_pitch> [m/turn], or <thread_pitch> of old files
// [-rad/m].
static iso_status read_pitch(iso_scene_build* build, const iso_sdf_node* joint,
                             iso_joint_desc* desc) {
    double per_turn = 0.0, thread_pitch = 1.0;
    bool is_new = false;
    ISO_SCENE_TRY(
        iso_xml_child_numbers(build, joint->element, "screw_thread_pitch", 1, &per_turn, &is_new));
    ISO_SCENE_TRY(
        iso_xml_child_numbers(build, joint->element, "thread_pitch", 1, &thread_pitch, NULL));
    desc->pitch = is_new ? per_turn / (2.0 * ISO_PI) : -1.0 / thread_pitch;
    ISO_SCENE_REQUIRE(build, iso_xml_source(joint->element),
                      isfinite(desc->pitch) && desc->pitch != 0.0, ISO_ERR_RANGE,
                      "joint '%s': the screw moves %g m/rad, expected finite and not 0", desc->name,
                      desc->pitch);
    return ISO_OK;
}

// What the second axis of a universal joint says otherwise than the first one, which counts.
static iso_status warn_of_second(iso_scene_build* build, const xmlNode* axis_2,
                                 const iso_joint_desc* desc) {
    iso_joint_desc own = *desc, limits = *desc;
    bool has_dynamics = iso_xml_child(axis_2, "dynamics") != NULL;
    own.damping = own.friction = own.stiffness = own.spring_reference = 0.0;
    ISO_SCENE_TRY(read_dynamics(build, axis_2, &own));
    ISO_SCENE_TRY(read_limits(build, axis_2, false, &limits));
    if (has_dynamics &&
        (own.damping != desc->damping || own.friction != desc->friction ||
         own.stiffness != desc->stiffness || own.spring_reference != desc->spring_reference)) {
        iso_scene_warn_once(build, iso_xml_source(axis_2), "dynamics of a second axis",
                            "joint '%s': <dynamics> of <axis2> is ignored, that of <axis> counts "
                            "for both",
                            desc->name);
    }
    if (isfinite(limits.lower) || isfinite(limits.upper)) {
        iso_scene_warn_once(build, iso_xml_source(axis_2), "limits of several degrees of freedom",
                            "joint '%s': limits of a universal joint are not supported and are "
                            "ignored",
                            desc->name);
    }
    return ISO_OK;
}

// The axes of a universal joint; where one is missing, z, and what is across the first.
static iso_status read_two_axes(iso_sdf_reader* reader, const iso_sdf_node* joint,
                                const iso_pose* x_sj, const xmlNode* axis, iso_joint_desc* desc) {
    iso_scene_build* build = reader->build;
    const xmlNode* axis_2 = iso_xml_child(joint->element, "axis2");
    iso_source at = iso_xml_source(joint->element);
    if (axis) {
        ISO_SCENE_TRY(iso_sdf_read_axis(reader, joint, axis, x_sj, &desc->axis));
    }
    if (axis_2) {
        ISO_SCENE_TRY(warn_of_second(build, axis_2, desc));
        ISO_SCENE_TRY(iso_sdf_read_axis(reader, joint, axis_2, x_sj, &desc->axis_2));
    } else {
        iso_vec3 x = iso_vec3_make(1.0, 0.0, 0.0), y = iso_vec3_make(0.0, 1.0, 0.0);
        iso_vec3 across = fabs(desc->axis.x) < 0.9 ? x : y;
        double along = iso_vec3_dot(across, desc->axis);
        desc->axis_2 = iso_vec3_normalized(iso_vec3_add_scaled(across, desc->axis, -along));
    }
    if (!axis || !axis_2) {
        iso_scene_warn_once(build, at, desc->name,
                            "universal joint '%s' lacks <axis> or <axis2>: it turns about (%g, %g, "
                            "%g), then about (%g, %g, %g)",
                            joint->name, desc->axis.x, desc->axis.y, desc->axis.z, desc->axis_2.x,
                            desc->axis_2.y, desc->axis_2.z);
    }
    double sine = iso_vec3_norm(iso_vec3_cross(desc->axis, desc->axis_2));
    ISO_SCENE_REQUIRE(build, axis_2 ? iso_xml_source(axis_2) : at, sine >= 1e-3, ISO_ERR_RANGE,
                      "joint '%s': <axis> and <axis2> are parallel", joint->name);
    return ISO_OK;
}

// Joints of several degrees of freedom have one damping, friction and stiffness for all of them,
// and no limits.
static iso_status read_several(iso_sdf_reader* reader, const iso_sdf_node* joint,
                               const iso_pose* x_sj, const xmlNode* axis, iso_joint_desc* desc) {
    iso_scene_build* build = reader->build;
    iso_joint_desc limits = *desc;
    if (axis) {
        ISO_SCENE_TRY(read_dynamics(build, axis, desc));
        ISO_SCENE_TRY(read_limits(build, axis, false, &limits));
    }
    const xmlNode* damping = iso_xml_child(joint->element, "drake:damping");
    if (damping) {
        const char* text = NULL;
        ISO_SCENE_TRY(iso_xml_text(build, damping, &text));
        ISO_SCENE_TRY(iso_drake_read_damping(build, damping, text, desc));
    }
    ISO_SCENE_TRY(iso_scene_check_efforts(build, iso_xml_source(joint->element), desc));
    if (isfinite(limits.lower) || isfinite(limits.upper)) {
        iso_scene_warn_once(build, iso_xml_source(axis), "limits of several degrees of freedom",
                            "joint '%s': limits of a %s joint are not supported and are ignored",
                            desc->name, iso_scene_joint_types[desc->kind]);
    }
    if (desc->kind != ISO_JOINT_UNIVERSAL) {
        return ISO_OK;
    }
    return read_two_axes(reader, joint, x_sj, axis, desc);
}

static iso_status read_rotor(iso_scene_build* build, const iso_sdf_node* joint,
                             iso_joint_desc* desc) {
    const xmlNode* element = joint->element;
    const xmlNode* rotor = iso_xml_child(element, "drake:rotor_inertia");
    if (rotor && desc->effort_limit == 0.0) { // of no actuator
        iso_scene_warn_once(build, iso_xml_source(rotor), desc->name,
                            "no rotor for joint '%s': it has effort limit 0", desc->name);
        return ISO_OK;
    }
    ISO_SCENE_TRY(iso_xml_child_numbers(build, element, "drake:rotor_inertia", 1,
                                        &desc->rotor_inertia, NULL));
    ISO_SCENE_TRY(
        iso_xml_child_numbers(build, element, "drake:gear_ratio", 1, &desc->gear_ratio, NULL));
    return iso_scene_check_efforts(build, iso_xml_source(element), desc);
}

static iso_status read_motion(iso_sdf_reader* reader, const iso_sdf_node* joint,
                              const iso_pose* x_sj, bool is_continuous, iso_joint_desc* desc) {
    iso_scene_build* build = reader->build;
    const xmlNode* axis = iso_xml_child(joint->element, "axis");
    if (axis) {
        warn_of_axis(build, axis);
    }
    if (!iso_scene_has_one_dof(desc->kind)) {
        return read_several(reader, joint, x_sj, axis, desc);
    }
    if (axis) {
        ISO_SCENE_TRY(iso_sdf_read_axis(reader, joint, axis, x_sj, &desc->axis));
        ISO_SCENE_TRY(read_limits(build, axis, is_continuous, desc));
        ISO_SCENE_TRY(read_dynamics(build, axis, desc));
    } else {
        iso_scene_warn_once(build, iso_xml_source(joint->element), desc->name,
                            "joint '%s' has no <axis>: it is z of the joint, as the format says",
                            desc->name);
    }
    ISO_SCENE_TRY(read_rotor(build, joint, desc));
    return desc->kind == ISO_JOINT_SCREW ? read_pitch(build, joint, desc) : ISO_OK;
}

// Pose of a link or frame, or of the world, in the scope of a joint.
static iso_status find_pose(iso_sdf_reader* reader, const iso_sdf_node* joint, const char* name,
                            iso_pose* out_x) {
    iso_sdf_target target;
    if (strcmp(name, "world") == 0) {
        iso_pose x_ws;
        ISO_SCENE_TRY(iso_sdf_scope_pose(reader, joint->scope, &x_ws));
        *out_x = iso_pose_inverse(&x_ws);
        return ISO_OK;
    }
    iso_source at = iso_xml_source(joint->element);
    ISO_SCENE_TRY(iso_sdf_find(reader, at, joint->scope, name, &target));
    return iso_sdf_pose_in(reader, joint->scope, &target, out_x);
}

// A <joint> stands where its child's pose and its own put it. A <drake:joint> joins two frames,
// which coincide at position 0 wherever the file puts the links.
iso_status iso_sdf_read_ends(iso_sdf_reader* reader, const iso_sdf_node* joint, iso_pose* x_sj,
                             iso_joint_desc* desc) {
    iso_scene_build* build = reader->build;
    iso_sdf_target own = {(iso_sdf_node*)(uintptr_t)joint, joint->scope};
    const char* parent = NULL;
    const char* frame = NULL;
    ISO_SCENE_TRY(iso_xml_child_text(build, joint->element, "parent", &parent));
    ISO_SCENE_TRY(iso_xml_child_text(build, joint->element, "drake:parent", &frame));
    parent = *parent ? parent : frame;
    ISO_SCENE_REQUIRE(build, iso_xml_source(joint->element), *parent, ISO_ERR_PARSE,
                      "joint '%s' has no <parent>", joint->name);
    ISO_SCENE_TRY(iso_sdf_pose_in(reader, joint->scope, &own, x_sj));
    iso_pose x_sf = *x_sj;
    if (parent == frame) {
        ISO_SCENE_TRY(find_pose(reader, joint, parent, &x_sf));
        ISO_SCENE_TRY(find_pose(reader, joint, joint->attached_to, x_sj));
    }
    ISO_SCENE_TRY(iso_sdf_read_end(reader, joint, parent, &x_sf, &desc->parent, &desc->x_pf));
    return iso_sdf_read_end(reader, joint, joint->attached_to, x_sj, &desc->child, &desc->x_cm);
}

// A joint of a link and itself is a slip of the pen; one of two frames of a link constrains
// nothing.
static bool are_ends_named_alike(const iso_sdf_node* joint) {
    const xmlNode *parent = iso_xml_child(joint->element, "parent"),
                  *child = iso_xml_child(joint->element, "child");
    xmlChar* a = parent ? xmlNodeGetContent(parent) : NULL;
    xmlChar* b = child ? xmlNodeGetContent(child) : NULL;
    bool is_same = a && b && xmlStrEqual(a, b);
    xmlFree(a);
    xmlFree(b);
    return is_same;
}

static iso_status add_joint(iso_sdf_reader* reader, const iso_sdf_node* joint) {
    static const char* const known[] = {"parent",
                                        "child",
                                        "axis",
                                        "axis2",
                                        "pose",
                                        "thread_pitch",
                                        "screw_thread_pitch",
                                        "drake:controller_gains",
                                        "drake:rotor_inertia",
                                        "drake:gear_ratio",
                                        "drake:mimic",
                                        "drake:parent",
                                        "drake:child",
                                        "drake:damping",
                                        "sensor",
                                        NULL};
    iso_scene_build* build = reader->build;
    iso_source at = iso_xml_source(joint->element);
    iso_joint_desc desc = iso_joint_desc_default();
    bool is_continuous = false, is_gear = false;
    iso_pose x_sj;
    ISO_SCENE_TRY(iso_sdf_is_gear(build, joint, &is_gear));
    if (is_gear) {
        return ISO_OK; // no joint, but what ties two of them
    }
    ISO_SCENE_TRY(find_kind(build, joint, &desc.kind, &is_continuous));
    if (joint->scope->is_static) {
        if (desc.kind != ISO_JOINT_WELD) {
            iso_scene_warn_once(build, at, "joint of a static model",
                                "joint '%s' of a static model does not move", joint->name);
        }
        return ISO_OK;
    }
    iso_xml_warn_unknown(build, joint->element, known);
    ISO_SCENE_TRY(iso_scene_scoped(build, joint->scope->scoped_name, joint->name, &desc.name));
    ISO_SCENE_TRY(iso_sdf_read_ends(reader, joint, &x_sj, &desc));
    if (desc.parent == desc.child && !are_ends_named_alike(joint)) {
        iso_scene_warn_once(build, at, desc.name,
                            "joint '%s' is left out: its frames are of one link, '%s'", desc.name,
                            iso_model_body(build->model, desc.child)->name);
        return ISO_OK;
    }
    ISO_SCENE_TRY(iso_sdf_add_joint_sensors(build, joint->element, joint->scope->scoped_name,
                                            desc.name, &desc.x_cm));
    const xmlNode* axis_2 = iso_xml_child(joint->element, "axis2");
    if (axis_2 && desc.kind != ISO_JOINT_UNIVERSAL) {
        iso_scene_warn_once(build, iso_xml_source(axis_2), "axis2",
                            "joint '%s': <axis2> has no meaning for a %s joint and is ignored; "
                            "expected type universal",
                            desc.name, iso_scene_joint_types[desc.kind]);
    }
    if (desc.kind == ISO_JOINT_WELD) {
        return iso_scene_add_joint(build, at, &desc, NULL);
    }
    int index = -1;
    ISO_SCENE_TRY(read_motion(reader, joint, &x_sj, is_continuous, &desc));
    ISO_SCENE_TRY(iso_scene_add_joint(build, at, &desc, &index));
    return index < 0 || !iso_scene_has_one_dof(desc.kind)
               ? ISO_OK
               : add_actuator(build, joint, &desc, index);
}

static bool is_of_type(const iso_sdf_node* joint, const char* type) {
    for (const xmlAttr* a = joint->element->properties; a; a = a->next) {
        if (strcmp((const char*)a->name, "type") == 0 && a->children && a->children->content) {
            return strcmp((const char*)a->children->content, type) == 0;
        }
    }
    return false;
}

// A screw of what a slide moves, too, closes a loop, whichever comes first in the file: a slide
// cannot. So does a ball joint of what another kind moves: it cannot be turned round.
static bool is_late(const iso_sdf_node* joint) {
    bool is_screw = is_of_type(joint, "screw"), is_ball = is_of_type(joint, "ball");
    bool is_found = false;
    for (int i = 0; (is_screw || is_ball) && i < joint->scope->node_count && !is_found; ++i) {
        const iso_sdf_node* other = joint->scope->nodes[i];
        bool is_before = is_ball ? !is_of_type(other, "ball") : is_of_type(other, "prismatic");
        is_found = other->kind == ISO_SDF_JOINT && is_before &&
                   strcmp(other->attached_to, joint->attached_to) == 0;
    }
    return is_found;
}

iso_status iso_sdf_add_joint(iso_sdf_reader* reader, const iso_sdf_node* joint) {
    return is_late(joint) ? ISO_OK : add_joint(reader, joint);
}

iso_status iso_sdf_add_late_joint(iso_sdf_reader* reader, const iso_sdf_node* joint) {
    return is_late(joint) ? add_joint(reader, joint) : ISO_OK;
}

// --- mimic ---------------------------------------------------------------------------------------

static iso_status find_sdf_joint(const iso_sdf_reader* reader, const iso_sdf_node* joint,
                                 const char* name, iso_source at, int* out_joint) {
    const char* scoped = NULL;
    ISO_SCENE_TRY(iso_scene_scoped(reader->build, joint->scope->scoped_name, name, &scoped));
    *out_joint = iso_model_find_joint(reader->build->model, scoped);
    iso_name_list list = iso_scene_moving_joint_names(reader->build);
    return *out_joint >= 0
               ? ISO_OK
               : iso_scene_fail_missing(reader->build, at, &list, "joint that moves", name);
}

// <axis><mimic joint><multiplier/><offset/><reference/></mimic>: the follower is at
// multiplier (leader - reference) + offset. Drake's own tag has attributes.
iso_status iso_sdf_add_tie(iso_sdf_reader* reader, const iso_sdf_node* joint) {
    iso_scene_build* build = reader->build;
    const xmlNode* axis = iso_xml_child(joint->element, "axis");
    const xmlNode* own = iso_xml_child(joint->element, "drake:mimic");
    const xmlNode* standard = axis ? iso_xml_child(axis, "mimic") : NULL;
    const xmlNode* mimic = standard ? standard : own;
    bool is_gear = false;
    ISO_SCENE_TRY(iso_sdf_is_gear(build, joint, &is_gear));
    if (is_gear && !joint->scope->is_static) {
        return iso_sdf_add_gear(reader, joint);
    }
    if (!mimic || joint->scope->is_static) {
        return ISO_OK;
    }
    iso_source at = iso_xml_source(mimic);
    double multiplier = 1.0, offset = 0.0, reference = 0.0;
    const char* name = NULL;
    int leader = -1, follower = -1;
    ISO_SCENE_TRY(iso_xml_required_attribute(build, mimic, "joint", &name));
    ISO_SCENE_TRY(iso_xml_child_numbers(build, mimic, "multiplier", 1, &multiplier, NULL));
    ISO_SCENE_TRY(iso_xml_child_numbers(build, mimic, "offset", 1, &offset, NULL));
    ISO_SCENE_TRY(iso_xml_child_numbers(build, mimic, "reference", 1, &reference, NULL));
    ISO_SCENE_TRY(iso_xml_attribute_numbers(build, mimic, "multiplier", 1, &multiplier, NULL));
    ISO_SCENE_TRY(iso_xml_attribute_numbers(build, mimic, "offset", 1, &offset, NULL));
    ISO_SCENE_TRY(find_sdf_joint(reader, joint, name, at, &leader));
    ISO_SCENE_TRY(find_sdf_joint(reader, joint, joint->name, at, &follower));
    return iso_scene_add_mimic(build, at, leader, follower, multiplier,
                               offset - multiplier * reference);
}
