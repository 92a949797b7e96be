// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/mjcf/mjcf_draft.h"

#include "base/core/log.h"

#include <string.h>

static iso_status add_body(iso_mjcf_reader* reader, const xmlNode* node, int parent,
                           const iso_pose* x_frame, int child_class);

// --- what a body consists of ---------------------------------------------------------------------

static iso_status find_joint_type(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                                  iso_mjcf_joint_type* out_type) {
    static const char* const types[] = {"free", "ball", "slide", "hinge"};
    const char* name = NULL;
    *out_type = ISO_MJCF_FREE;
    if (iso_xml_is(item->node, "freejoint")) {
        return ISO_OK;
    }
    ISO_SCENE_TRY(iso_mjcf_text(reader, item, "type", &name));
    *out_type = ISO_MJCF_HINGE;
    for (int i = 0; name && i < 4; ++i) {
        if (strcmp(name, types[i]) == 0) {
            *out_type = (iso_mjcf_joint_type)i;
            return ISO_OK;
        }
    }
    ISO_SCENE_REQUIRE(reader->build, iso_xml_source(item->node), !name, ISO_ERR_PARSE,
                      "<joint>: type is '%.40s', expected free, ball, slide or hinge", name);
    return ISO_OK;
}

static iso_status collect_joint(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                                const iso_pose* x_frame, iso_mjcf_body_draft* draft) {
    ISO_SCENE_REQUIRE(reader->build, iso_xml_source(item->node),
                      draft->joint_count < ISO_MJCF_MAX_JOINTS, ISO_ERR_RANGE,
                      "body '%s' has more than %d joints", draft->name, ISO_MJCF_MAX_JOINTS);
    iso_mjcf_placed_joint* joint = &draft->joints[draft->joint_count++];
    *joint = (iso_mjcf_placed_joint){.item = *item, .x_frame = *x_frame};
    return find_joint_type(reader, item, &joint->type);
}

// Pose and class inside a <frame>.
static iso_status enter_frame(const iso_mjcf_reader* reader, const xmlNode* node,
                              const iso_pose* x_frame, int child_class, iso_pose* out_x,
                              int* out_class) {
    iso_mjcf_item item = {node, child_class};
    iso_pose x;
    *out_class = child_class;
    ISO_SCENE_TRY(iso_mjcf_find_class(reader, node, "childclass", out_class));
    ISO_SCENE_TRY(iso_mjcf_pose(reader, &item, &x));
    *out_x = iso_pose_mul(x_frame, &x);
    return ISO_OK;
}

// Before geoms are weighed, which auto does where there is none.
static iso_status find_inertial(const iso_mjcf_reader* reader, const xmlNode* node,
                                const iso_pose* x_frame, iso_mjcf_body_draft* draft) {
    for (const xmlNode* child = iso_xml_first(node); child; child = iso_xml_next(child)) {
        if (iso_xml_is(child, "inertial")) {
            ISO_SCENE_REQUIRE(reader->build, iso_xml_source(child), !draft->inertial, ISO_ERR_PARSE,
                              "body '%s' has a second <inertial>, expected one", draft->name);
            draft->inertial = child;
            draft->x_inertial = *x_frame;
        } else if (iso_xml_is(child, "frame")) {
            iso_pose x;
            int inner = 0;
            ISO_SCENE_TRY(enter_frame(reader, child, x_frame, 0, &x, &inner));
            ISO_SCENE_TRY(find_inertial(reader, child, &x, draft));
        }
    }
    return ISO_OK;
}

static iso_status collect(iso_mjcf_reader* reader, const xmlNode* node, const iso_pose* x_frame,
                          int child_class, iso_mjcf_body_draft* draft);

// The masses of what a <replicate> holds.
static iso_status collect_copies(iso_mjcf_reader* reader, const xmlNode* node,
                                 const iso_pose* x_frame, int child_class,
                                 iso_mjcf_body_draft* draft) {
    iso_mjcf_replicate replicate;
    iso_pose x;
    ISO_SCENE_TRY(iso_mjcf_begin_copies(reader, node, &child_class, &replicate));
    for (int i = 0; i < replicate.count; ++i) {
        ISO_SCENE_TRY(iso_mjcf_next_copy(reader, node, &replicate, x_frame, &x));
        ISO_SCENE_TRY(collect(reader, node, &x, child_class, draft));
    }
    iso_mjcf_end_copies(reader, &replicate);
    return ISO_OK;
}

static iso_status collect(iso_mjcf_reader* reader, const xmlNode* node, const iso_pose* x_frame,
                          int child_class, iso_mjcf_body_draft* draft) {
    for (const xmlNode* child = iso_xml_first(node); child; child = iso_xml_next(child)) {
        iso_mjcf_item item;
        if (iso_xml_is(child, "joint") || iso_xml_is(child, "freejoint")) {
            if (reader->is_static) {
                continue;
            }
            ISO_SCENE_TRY(iso_mjcf_item_of(reader, child, child_class, &item));
            ISO_SCENE_TRY(collect_joint(reader, &item, x_frame, draft));
        } else if (iso_xml_is(child, "geom") && draft->has_geometry_mass) {
            ISO_SCENE_TRY(iso_mjcf_item_of(reader, child, child_class, &item));
            double before = draft->sum.mass;
            iso_mat3 axes;
            ISO_SCENE_TRY(iso_mjcf_add_geom_mass(reader, &item, x_frame, &draft->sum, &axes));
            if (draft->sum.mass - before > 1e-14) { // what MuJoCo takes for a mass
                ++draft->massive_count;
                draft->inertial_axes = axes;
            }
        } else if (iso_xml_is(child, "frame")) {
            iso_pose x;
            int inner = child_class;
            ISO_SCENE_TRY(enter_frame(reader, child, x_frame, child_class, &x, &inner));
            ISO_SCENE_TRY(collect(reader, child, &x, inner, draft));
        } else if (iso_xml_is(child, "replicate")) {
            ISO_SCENE_TRY(collect_copies(reader, child, x_frame, child_class, draft));
        }
    }
    return ISO_OK;
}

// Elements that would change the motion if they were left out.
static iso_status refuse(const iso_mjcf_reader* reader, const xmlNode* node) {
    bool expands = iso_xml_is(node, "composite") || iso_xml_is(node, "attach");
    ISO_SCENE_REQUIRE(reader->build, iso_xml_source(node), !iso_xml_is(node, "flexcomp"),
                      ISO_ERR_UNSUPPORTED,
                      "<flexcomp>: a deformable body is not supported, neither as this nor as the "
                      "<flex> that MuJoCo saves");
    return iso_scene_fail(reader->build, iso_xml_source(node), ISO_ERR_UNSUPPORTED,
                          "<%s> is not supported inside a body%s", iso_xml_name(node),
                          expands ? "; save the model from MuJoCo, which expands it" : "");
}

static bool is_refused(const xmlNode* node) {
    static const char* const names[] = {"composite", "flexcomp", "attach", "plugin"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        if (iso_xml_is(node, names[i])) {
            return true;
        }
    }
    return false;
}

static const char* const k_frame_attributes[] = {
    "name", "childclass", "pos", "quat", "axisangle", "xyaxes", "zaxis", "euler", NULL};

static iso_status add_parts(iso_mjcf_reader* reader, const xmlNode* node, const iso_pose* x_frame,
                            int child_class, int body);

static iso_status add_copies(iso_mjcf_reader* reader, const xmlNode* node, const iso_pose* x_frame,
                             int child_class, int body) {
    iso_mjcf_replicate replicate;
    iso_pose x;
    ISO_SCENE_TRY(iso_mjcf_begin_copies(reader, node, &child_class, &replicate));
    for (int i = 0; i < replicate.count; ++i) {
        ISO_SCENE_TRY(iso_mjcf_next_copy(reader, node, &replicate, x_frame, &x));
        ISO_SCENE_TRY(add_parts(reader, node, &x, child_class, body));
    }
    iso_mjcf_end_copies(reader, &replicate);
    return ISO_OK;
}

// Geometry, sites and child bodies.
static iso_status add_parts(iso_mjcf_reader* reader, const xmlNode* node, const iso_pose* x_frame,
                            int child_class, int body) {
    static const char* const known[] = {"geom",      "site",     "body",  "frame",
                                        "replicate", "inertial", "joint", "freejoint",
                                        "camera",    "light",    NULL};
    for (const xmlNode* child = iso_xml_first(node); child; child = iso_xml_next(child)) {
        if (is_refused(child)) {
            return refuse(reader, child);
        }
        bool is_of_body = iso_xml_is(child, "joint") || iso_xml_is(child, "freejoint") ||
                          iso_xml_is(child, "inertial");
        ISO_SCENE_REQUIRE(reader->build, iso_xml_source(child), body > 0 || !is_of_body,
                          ISO_ERR_PARSE, "<%s> of the world, which has no joints and no inertia",
                          iso_xml_name(child));
    }
    iso_xml_warn_unknown(reader->build, node, known);
    for (const xmlNode* child = iso_xml_first(node); child; child = iso_xml_next(child)) {
        iso_mjcf_item item;
        if (iso_xml_is(child, "geom")) {
            ISO_SCENE_TRY(iso_mjcf_item_of(reader, child, child_class, &item));
            ISO_SCENE_TRY(iso_mjcf_add_geom(reader, &item, body, x_frame));
        } else if (iso_xml_is(child, "site")) {
            ISO_SCENE_TRY(iso_mjcf_item_of(reader, child, child_class, &item));
            ISO_SCENE_TRY(iso_mjcf_add_site(reader, &item, body, x_frame));
        } else if (iso_xml_is(child, "body")) {
            ISO_SCENE_TRY(add_body(reader, child, body, x_frame, child_class));
        } else if (iso_xml_is(child, "frame")) {
            iso_pose x;
            int inner = child_class;
            iso_xml_warn_attributes(reader->build, child, k_frame_attributes);
            ISO_SCENE_TRY(enter_frame(reader, child, x_frame, child_class, &x, &inner));
            ISO_SCENE_TRY(add_parts(reader, child, &x, inner, body));
        } else if (iso_xml_is(child, "replicate")) {
            ISO_SCENE_TRY(add_copies(reader, child, x_frame, child_class, body));
        }
    }
    return ISO_OK;
}

// --- bodies --------------------------------------------------------------------------------------

static iso_status name_body(iso_mjcf_reader* reader, const xmlNode* node, const char** out_name) {
    ISO_SCENE_TRY(iso_mjcf_name(reader, node, out_name));
    return *out_name && **out_name
               ? ISO_OK
               : iso_scene_format(reader->build, out_name, "body_%d", reader->bodies.count);
}

// A body that a program moves: fixed here, until a motion is prescribed.
static iso_status read_mocap(const iso_mjcf_reader* reader, const iso_mjcf_body_draft* draft,
                             int parent, bool* out_is_mocap) {
    iso_mjcf_item item = {draft->node, -1};
    iso_source at = iso_xml_source(draft->node);
    int flag = 0;
    ISO_SCENE_TRY(iso_mjcf_flag(reader, &item, "mocap", &flag));
    ISO_SCENE_REQUIRE(reader->build, at,
                      !flag || (parent == ISO_WORLD_BODY && draft->joint_count == 0), ISO_ERR_PARSE,
                      "mocap body '%s' hangs on a body or joint, expected a child of <worldbody> "
                      "without joints",
                      draft->name);
    if (flag) {
        iso_log(reader->build->ctx, ISO_LOG_INFO,
                "%s:%d: mocap body '%s' stands where it is until 'motions' of a scenario or a "
                "prescribed motion moves it",
                at.file, at.line, draft->name);
    }
    *out_is_mocap = flag != 0;
    return ISO_OK;
}

static iso_status add_body(iso_mjcf_reader* reader, const xmlNode* node, int parent,
                           const iso_pose* x_frame, int child_class) {
    static const char* const known[] = {"name",      "childclass", "pos",      "quat",
                                        "axisangle", "xyaxes",     "zaxis",    "euler",
                                        "user",      "mocap",      "gravcomp", NULL};
    iso_scene_build* build = reader->build;
    iso_mjcf_item item = {node, -1};
    iso_pose x, x_bi, identity = iso_pose_identity();
    iso_mjcf_body_draft draft = {.node = node};
    iso_body_desc desc = iso_body_desc_default();
    int inner = child_class;
    iso_xml_warn_attributes(reader->build, node, known);
    ISO_SCENE_TRY(iso_mjcf_find_class(reader, node, "childclass", &inner));
    ISO_SCENE_TRY(iso_mjcf_pose(reader, &item, &x));
    draft.place = x.p;
    ISO_SCENE_TRY(name_body(reader, node, &draft.name));
    ISO_SCENE_TRY(iso_scene_scoped(build, reader->scope, draft.name, &desc.name));
    ISO_SCENE_TRY(find_inertial(reader, node, &identity, &draft));
    int infers = iso_mjcf_settings_of(reader, node)->inertia_from_geometry;
    draft.has_geometry_mass = infers == 1 || (infers == 2 && !draft.inertial);
    ISO_SCENE_TRY(collect(reader, node, &identity, inner, &draft));
    ISO_SCENE_TRY(iso_mjcf_read_mass(reader, &draft, &desc));
    ISO_SCENE_TRY(iso_mjcf_align_body(reader, &draft, &desc, &x_bi));
    ISO_SCENE_TRY(
        iso_mjcf_numbers(reader, &item, "gravcomp", 1, 1, &desc.gravity_compensation, NULL));
    const iso_mjcf_body above = reader->bodies.data[parent];
    iso_pose x_pb = iso_pose_mul(x_frame, &x);
    iso_pose x_parts = iso_pose_inverse(&x_bi);
    x_pb = iso_pose_mul(&x_pb, &x_bi);
    iso_mjcf_body body = {.name = draft.name, .x_wb = iso_pose_mul(&above.x_wb, &x_pb)};
    body.is_static = above.is_static && draft.joint_count == 0;
    ISO_SCENE_TRY(read_mocap(reader, &draft, above.body, &body.is_mocap));
    ISO_SCENE_TRY(iso_scene_add_body(build, iso_xml_source(node), &desc, &body.x_wb, &body.body));
    ISO_SCENE_TRY(iso_mjcf_add_joints(reader, &draft, above.body, body.body, &x_pb));
    if (draft.joint_count > 1 && !above.is_static) {
        // As between any body and its parent; here there are bodies in between.
        ISO_SCENE_TRY(iso_model_exclude_pair(build->model, above.body, body.body));
    }
    ISO_SCENE_TRY(ISO_ARRAY_GROW(build->ctx, &reader->bodies));
    int index = reader->bodies.count++;
    body.parent = parent;
    body.weld = draft.joint_count == 0 ? above.weld : index;
    reader->bodies.data[index] = body;
    return add_parts(reader, node, &x_parts, inner, index);
}

iso_status iso_mjcf_add_bodies(iso_mjcf_reader* reader, const xmlNode* worldbody) {
    iso_pose identity = iso_pose_identity();
    int child_class = 0;
    ISO_SCENE_TRY(iso_mjcf_find_class(reader, worldbody, "childclass", &child_class));
    return add_parts(reader, worldbody, &identity, child_class, 0);
}
