// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/drake_tags.h"
#include "scene/sdf.h"

#include <math.h>
#include <string.h>

// The body a joint end is fixed to and the pose of the joint frame in it.
static iso_status read_end(iso_sdf_reader* reader, const iso_sdf_node* joint, const char* name,
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
    const char* type = NULL;
    ISO_SCENE_TRY(iso_xml_required_attribute(build, joint->element, "type", &type));
    *out_is_continuous = strcmp(type, "continuous") == 0;
    if (strcmp(type, "fixed") == 0) {
        *out_kind = ISO_JOINT_WELD;
    } else if (strcmp(type, "revolute") == 0 || *out_is_continuous) {
        *out_kind = ISO_JOINT_REVOLUTE;
    } else if (strcmp(type, "prismatic") == 0) {
        *out_kind = ISO_JOINT_PRISMATIC;
    } else {
        return iso_scene_fail(build, iso_xml_source(joint->element), ISO_ERR_UNSUPPORTED,
                              "joint '%s' is of type '%s', expected fixed, revolute, continuous or "
                              "prismatic",
                              joint->name, type);
    }
    return ISO_OK;
}

// Axis in the joint frame. Up to 1.4, and with use_parent_model_frame, files give it in the model.
static iso_status read_axis(iso_sdf_reader* reader, const iso_sdf_node* joint, const xmlNode* axis,
                            const iso_pose* x_sj, iso_vec3* out_axis) {
    iso_scene_build* build = reader->build;
    const xmlNode* xyz = iso_xml_child(axis, "xyz");
    double n[3] = {0.0, 0.0, 1.0};
    const char* text = NULL;
    const char* expressed_in = NULL;
    bool is_in_model = joint->scope->version <= 104;
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
    const xmlNode* dynamics = iso_xml_child(axis, "dynamics");
    if (!dynamics) {
        return ISO_OK;
    }
    ISO_SCENE_TRY(iso_xml_child_numbers(build, dynamics, "damping", 1, &desc->damping, NULL));
    ISO_SCENE_REQUIRE(build, iso_xml_source(dynamics), desc->damping >= 0.0, ISO_ERR_RANGE,
                      "joint '%s': damping is %g, expected >= 0", desc->name, desc->damping);
    static const char* const ignored[] = {"friction", "spring_stiffness"};
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; ++i) {
        double value = 0.0;
        ISO_SCENE_TRY(iso_xml_child_numbers(build, dynamics, ignored[i], 1, &value, NULL));
        if (value != 0.0) {
            iso_xml_warn_unsupported(build, iso_xml_child(dynamics, ignored[i]));
        }
    }
    static const char* const known[] = {"damping", "friction", "spring_stiffness",
                                        "spring_reference", NULL};
    iso_xml_warn_unknown(build, dynamics, known);
    return ISO_OK;
}

// All and only joints with a non-zero effort limit have an actuator, as in Drake.
static iso_status add_actuator(iso_scene_build* build, const iso_sdf_node* joint,
                               const iso_joint_desc* desc, int index) {
    const xmlNode* axis = iso_xml_child(joint->element, "axis");
    const xmlNode* gains = iso_xml_child(joint->element, "drake:controller_gains");
    gains = gains ? gains : iso_xml_child(axis, "drake:controller_gains");
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

static iso_status read_motion(iso_sdf_reader* reader, const iso_sdf_node* joint,
                              const iso_pose* x_sj, bool is_continuous, iso_joint_desc* desc) {
    static const char* const known[] = {
        "xyz", "limit", "dynamics", "use_parent_model_frame", "drake:controller_gains", NULL};
    iso_scene_build* build = reader->build;
    const xmlNode* axis = iso_xml_child(joint->element, "axis");
    ISO_SCENE_REQUIRE(build, iso_xml_source(joint->element), axis, ISO_ERR_PARSE,
                      "joint '%s' has no <axis>", joint->name);
    iso_xml_warn_unknown(build, axis, known);
    ISO_SCENE_TRY(read_axis(reader, joint, axis, x_sj, &desc->axis));
    ISO_SCENE_TRY(read_limits(build, axis, is_continuous, desc));
    return read_dynamics(build, axis, desc);
}

static iso_status read_frames(iso_sdf_reader* reader, const iso_sdf_node* joint, iso_pose* x_sj,
                              iso_joint_desc* desc) {
    iso_scene_build* build = reader->build;
    iso_sdf_target own = {(iso_sdf_node*)(uintptr_t)joint, joint->scope};
    const char* parent = NULL;
    ISO_SCENE_TRY(iso_xml_child_text(build, joint->element, "parent", &parent));
    ISO_SCENE_REQUIRE(build, iso_xml_source(joint->element), *parent, ISO_ERR_PARSE,
                      "joint '%s' has no <parent>", joint->name);
    ISO_SCENE_TRY(iso_sdf_pose_in(reader, joint->scope, &own, x_sj));
    ISO_SCENE_TRY(read_end(reader, joint, parent, x_sj, &desc->parent, &desc->x_pf));
    return read_end(reader, joint, joint->attached_to, x_sj, &desc->child, &desc->x_cm);
}

iso_status iso_sdf_add_joint(iso_sdf_reader* reader, const iso_sdf_node* joint) {
    static const char* const known[] = {"parent", "child", "axis", "pose", "drake:controller_gains",
                                        NULL};
    iso_scene_build* build = reader->build;
    iso_source at = iso_xml_source(joint->element);
    iso_joint_desc desc = iso_joint_desc_default();
    bool is_continuous = false;
    iso_pose x_sj;
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
    ISO_SCENE_TRY(read_frames(reader, joint, &x_sj, &desc));
    if (desc.kind == ISO_JOINT_WELD) {
        return iso_scene_add_joint(build, at, &desc, NULL);
    }
    int index = -1;
    ISO_SCENE_TRY(read_motion(reader, joint, &x_sj, is_continuous, &desc));
    ISO_SCENE_TRY(iso_scene_add_joint(build, at, &desc, &index));
    return add_actuator(build, joint, &desc, index);
}
