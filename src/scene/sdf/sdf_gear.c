// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// <joint type="gearbox">: two links turn about a third one, theta_2 = -ratio theta_1.

#include "scene/sdf/sdf.h"

#include <string.h>

iso_status iso_sdf_is_gear(iso_scene_build* build, const iso_sdf_node* joint, bool* out_is_gear) {
    const char* type = NULL;
    ISO_SCENE_TRY(iso_xml_attribute(build, joint->element, "type", &type));
    *out_is_gear = type && strcmp(type, "gearbox") == 0;
    return ISO_OK;
}

// The first of the bodies that fixed joints make one.
static int welded_root(const iso_scene_build* build, int body) {
    for (int depth = 0; depth < build->starts.count; ++depth) {
        int joint = build->starts.data[body].parent_joint;
        if (joint < 0 || iso_model_joint(build->model, joint)->kind != ISO_JOINT_WELD) {
            break;
        }
        body = iso_model_joint(build->model, joint)->parent;
    }
    return body;
}

// The hinge by which a link turns about the reference, and the sense of its coordinate about an
// axis of the gearbox on `link`.
static iso_status find_hinge(iso_sdf_reader* reader, const iso_sdf_node* gear, int reference,
                             int link, iso_vec3 axis_in_link, int* out_joint, double* out_sense) {
    iso_scene_build* build = reader->build;
    iso_source at = iso_xml_source(gear->element);
    int from = welded_root(build, reference), to = welded_root(build, link);
    iso_mat3 r;
    *out_joint = -1;
    for (int j = 0; j < iso_model_joint_count(build->model); ++j) {
        const iso_joint_desc* joint = iso_model_joint(build->model, j);
        int parent = welded_root(build, joint->parent), child = welded_root(build, joint->child);
        if (joint->kind == ISO_JOINT_REVOLUTE &&
            ((parent == from && child == to) || (parent == to && child == from))) {
            *out_joint = j;
            *out_sense = child == to ? 1.0 : -1.0;
        }
    }
    ISO_SCENE_REQUIRE(build, at, *out_joint >= 0, ISO_ERR_UNSUPPORTED,
                      "gearbox '%s': '%s' does not turn about '%s' by a revolute joint", gear->name,
                      iso_model_body(build->model, link)->name,
                      iso_model_body(build->model, reference)->name);
    const iso_joint_desc* hinge = iso_model_joint(build->model, *out_joint);
    (void)iso_scene_root_of(build, link, &r);
    *out_sense *=
        iso_scene_sense(iso_scene_axis_in_root(build, hinge), iso_mat3_mul_vec3(&r, axis_in_link));
    ISO_SCENE_REQUIRE(build, at, *out_sense != 0.0, ISO_ERR_UNSUPPORTED,
                      "gearbox '%s': its axis is not along that of joint '%s'", gear->name,
                      hinge->name);
    return ISO_OK;
}

iso_status iso_sdf_add_gear(iso_sdf_reader* reader, const iso_sdf_node* joint) {
    static const char* const known[] = {
        "parent",  "child", "axis", "axis2", "pose", "gearbox_ratio", "gearbox_reference_body",
        "physics", NULL};
    iso_scene_build* build = reader->build;
    iso_source at = iso_xml_source(joint->element);
    const xmlNode* axes[] = {iso_xml_child(joint->element, "axis"),
                             iso_xml_child(joint->element, "axis2")};
    iso_joint_desc desc = iso_joint_desc_default();
    iso_coupler_desc coupler = iso_coupler_desc_default();
    const char* name = NULL;
    double ratio = 1.0, senses[2];
    int reference, hinges[2];
    iso_pose x_sj, x;
    iso_xml_warn_unknown(build, joint->element, known);
    ISO_SCENE_TRY(iso_sdf_read_ends(reader, joint, &x_sj, &desc));
    ISO_SCENE_TRY(iso_xml_child_numbers(build, joint->element, "gearbox_ratio", 1, &ratio, NULL));
    ISO_SCENE_TRY(iso_xml_child_text(build, joint->element, "gearbox_reference_body", &name));
    ISO_SCENE_REQUIRE(build, at, *name && axes[0], ISO_ERR_PARSE,
                      "gearbox '%s' needs <gearbox_reference_body> and <axis>", joint->name);
    ISO_SCENE_REQUIRE(build, at, ratio != 0.0, ISO_ERR_RANGE,
                      "gearbox '%s': <gearbox_ratio> is 0, expected another number", joint->name);
    ISO_SCENE_TRY(iso_sdf_read_end(reader, joint, name, &x_sj, &reference, &x));
    for (int i = 0; i < 2; ++i) {
        const iso_pose* x_link = i == 0 ? &desc.x_pf : &desc.x_cm;
        iso_vec3 axis;
        ISO_SCENE_TRY(iso_sdf_read_axis(reader, joint, axes[i] ? axes[i] : axes[0], &x_sj, &axis));
        ISO_SCENE_TRY(find_hinge(reader, joint, reference, i == 0 ? desc.parent : desc.child,
                                 iso_mat3_mul_vec3(&x_link->r, axis), &hinges[i], &senses[i]));
    }
    ISO_SCENE_TRY(iso_scene_scoped(build, joint->scope->scoped_name, joint->name, &coupler.name));
    coupler.joint_a = hinges[0];
    coupler.joint_b = hinges[1];
    coupler.ratio = -ratio * senses[0] * senses[1];
    iso_scene_free_follower(build, at, &coupler);
    return iso_scene_add_coupler(build, at, &coupler);
}
