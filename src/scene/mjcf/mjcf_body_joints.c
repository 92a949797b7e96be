// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/mjcf/mjcf_draft.h"

#include <string.h>

// The joints of a body of an MJCF file.

// --- joints --------------------------------------------------------------------------------------

static iso_status name_joint(iso_mjcf_reader* reader, const iso_mjcf_body_draft* draft, int index,
                             const char** out_name) {
    ISO_SCENE_TRY(iso_mjcf_name(reader, draft->joints[index].item.node, out_name));
    if (*out_name && **out_name) {
        return ISO_OK;
    }
    return iso_scene_format(reader->build, out_name, index == 0 ? "%s_joint" : "%s_joint_%d",
                            draft->name, index);
}

static iso_status remember_joint(iso_mjcf_reader* reader, const iso_mjcf_joint* joint) {
    ISO_SCENE_TRY(ISO_ARRAY_GROW(reader->build->ctx, &reader->joints));
    reader->joints.data[reader->joints.count] = *joint;
    reader->joints.data[reader->joints.count++].owner = reader->bodies.count; // comes next
    return ISO_OK;
}

// One joint; x_parent is where the child would be in the parent if the joint were at `ref`.
static iso_status add_joint(iso_mjcf_reader* reader, const iso_mjcf_body_draft* draft, int index,
                            int parent, int child, const iso_pose* x_parent) {
    iso_scene_build* build = reader->build;
    const iso_mjcf_placed_joint* placed = &draft->joints[index];
    iso_joint_desc desc = iso_joint_desc_default();
    iso_mjcf_joint joint = {.type = placed->type, .body = child};
    double p[3] = {0.0};
    ISO_SCENE_TRY(name_joint(reader, draft, index, &joint.name));
    ISO_SCENE_TRY(iso_scene_scoped(build, reader->scope, joint.name, &desc.name));
    ISO_SCENE_TRY(iso_mjcf_read_joint(reader, &placed->item, placed->type, &desc, &joint));
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, &placed->item, "pos", 3, 3, p, NULL));
    iso_vec3 anchor = iso_pose_point(&placed->x_frame, iso_vec3_make(p[0], p[1], p[2]));
    desc.axis = iso_vec3_normalized(iso_mat3_mul_vec3(&placed->x_frame.r, desc.axis));
    desc.parent = parent;
    desc.child = child;
    desc.x_cm = iso_pose_from_position(anchor);
    desc.x_pf = iso_pose_mul(x_parent, &desc.x_cm);
    // F is where M would be at position 0.
    iso_joint_desc back = desc;
    back.position = -joint.ref;
    iso_pose offset = iso_scene_joint_displacement(&back);
    desc.x_pf = iso_pose_mul(&desc.x_pf, &offset);
    ISO_SCENE_TRY(
        iso_scene_add_joint(build, iso_xml_source(placed->item.node), &desc, &joint.joint));
    return remember_joint(reader, &joint);
}

// A body floats without a joint; one that has damping or an armature needs it.
static iso_status load_free_body(const iso_mjcf_reader* reader, iso_source at,
                                 const iso_mjcf_joint* joint, double damping, double armature) {
    iso_scene_build* build = reader->build;
    iso_joint_desc desc = iso_joint_desc_default();
    desc.kind = ISO_JOINT_FREE;
    desc.parent = ISO_WORLD_BODY;
    desc.child = joint->body;
    desc.damping = damping;
    desc.rotor_inertia = armature;
    ISO_SCENE_TRY(iso_scene_scoped(build, reader->scope, joint->name, &desc.name));
    ISO_SCENE_TRY(iso_scene_source_text(build, at, &desc.source));
    ISO_SCENE_TRY(iso_scene_check_efforts(build, at, &desc));
    iso_status status = iso_model_add_joint(build->model, &desc, NULL);
    return status == ISO_OK ? ISO_OK : iso_scene_fail_at(build, at, status);
}

static iso_status add_free_joint(iso_mjcf_reader* reader, const iso_mjcf_body_draft* draft,
                                 int parent, int body) {
    iso_source at = iso_xml_source(draft->joints[0].item.node);
    iso_mjcf_joint joint = {.type = ISO_MJCF_FREE, .joint = -1, .body = body};
    ISO_SCENE_REQUIRE(
        reader->build, at, draft->joint_count == 1 && parent == ISO_WORLD_BODY, ISO_ERR_PARSE,
        "body '%s': a free joint is the only joint of a body of the world", draft->name);
    static const char* const known[] = {"name",     "class",     "type",         "group",
                                        "align",    "user",      "pos",          "damping",
                                        "armature", "stiffness", "frictionloss", NULL};
    double damping = 0.0, armature = 0.0;
    const iso_mjcf_item* item = &draft->joints[0].item;
    iso_xml_warn_attributes(reader->build, item->node, known);
    ISO_SCENE_TRY(name_joint(reader, draft, 0, &joint.name));
    bool is_joint = iso_xml_is(item->node, "joint"); // classes of which have all of these, too
    ISO_SCENE_TRY(is_joint ? iso_mjcf_coefficient(reader, item, "damping", &damping) : ISO_OK);
    ISO_SCENE_TRY(is_joint ? iso_mjcf_numbers(reader, item, "armature", 1, 1, &armature, NULL)
                           : ISO_OK);
    joint.armature = armature;
    if (damping != 0.0 || armature != 0.0) {
        ISO_SCENE_TRY(load_free_body(reader, at, &joint, damping, armature));
    }
    for (int i = 9; known[i] && is_joint; ++i) {
        double value[3] = {0.0};
        int most = strcmp(known[i], "stiffness") == 0 ? 3 : 1;
        ISO_SCENE_TRY(iso_mjcf_numbers(reader, item, known[i], 1, most, value, NULL));
        if (value[0] != 0.0) {
            iso_scene_warn_once(reader->build, at, known[i],
                                "joint '%s': %s of a free joint is not supported and is ignored",
                                joint.name, known[i]);
        }
    }
    return remember_joint(reader, &joint);
}

iso_status iso_mjcf_add_joints(iso_mjcf_reader* reader, const iso_mjcf_body_draft* draft,
                               int parent, int body, const iso_pose* x_pb) {
    iso_scene_build* build = reader->build;
    iso_source at = iso_xml_source(draft->node);
    iso_pose x = *x_pb;
    iso_pose identity = iso_pose_identity();
    int from = parent;
    if (draft->joint_count == 0) {
        return iso_scene_add_weld(build, at, parent, body, x_pb, &identity);
    }
    for (int i = 0; i < draft->joint_count; ++i) {
        if (draft->joints[i].type == ISO_MJCF_FREE) {
            return add_free_joint(reader, draft, parent, body);
        }
    }
    for (int i = 0; i < draft->joint_count; ++i) {
        int to = body;
        if (i < draft->joint_count - 1) {
            iso_body_desc middle = iso_body_desc_default();
            middle.mass = 0.0;
            middle.inertia = iso_mat3_zero();
            ISO_SCENE_TRY(iso_scene_format(build, &middle.name, "%s.%d",
                                           iso_model_body(build->model, body)->name, i + 1));
            ISO_SCENE_TRY(iso_scene_add_body(build, at, &middle, &identity, &to));
        }
        ISO_SCENE_TRY(add_joint(reader, draft, i, from, to, &x));
        from = to;
        x = identity;
    }
    return ISO_OK;
}
