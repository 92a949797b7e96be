// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/mjcf.h"

#include "base/log.h"
#include "math/eigen3.h"

#include <math.h>
#include <string.h>

#define MAX_JOINTS 16 // of one body

// A <joint> and the <frame> around it.
typedef struct placed_joint {
    iso_mjcf_item item;
    iso_pose x_frame;
    iso_mjcf_joint_type type;
} placed_joint;

// What is known of a body before it is added.
typedef struct body_draft {
    const xmlNode* node;
    const char* name; ///< as in the file, or made up
    placed_joint joints[MAX_JOINTS];
    int joint_count;
    const xmlNode* inertial; ///< NULL: there is none
    iso_pose x_inertial;     ///< of the <frame> around it
    bool has_geometry_mass;  ///< the geoms give the inertia
    iso_mass_sum sum;
} body_draft;

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
                                const iso_pose* x_frame, body_draft* draft) {
    ISO_SCENE_REQUIRE(reader->build, iso_xml_source(item->node), draft->joint_count < MAX_JOINTS,
                      ISO_ERR_RANGE, "body '%s' has more than %d joints", draft->name, MAX_JOINTS);
    placed_joint* joint = &draft->joints[draft->joint_count++];
    *joint = (placed_joint){.item = *item, .x_frame = *x_frame};
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
                                const iso_pose* x_frame, body_draft* draft) {
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
                          int child_class, body_draft* draft);

// The masses of what a <replicate> holds.
static iso_status collect_copies(iso_mjcf_reader* reader, const xmlNode* node,
                                 const iso_pose* x_frame, int child_class, body_draft* draft) {
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
                          int child_class, body_draft* draft) {
    for (const xmlNode* child = iso_xml_first(node); child; child = iso_xml_next(child)) {
        iso_mjcf_item item;
        if (iso_xml_is(child, "joint") || iso_xml_is(child, "freejoint")) {
            ISO_SCENE_TRY(iso_mjcf_item_of(reader, child, child_class, &item));
            ISO_SCENE_TRY(collect_joint(reader, &item, x_frame, draft));
        } else if (iso_xml_is(child, "geom") && draft->has_geometry_mass) {
            ISO_SCENE_TRY(iso_mjcf_item_of(reader, child, child_class, &item));
            ISO_SCENE_TRY(iso_mjcf_add_geom_mass(reader, &item, x_frame, &draft->sum));
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
    return iso_scene_fail(reader->build, iso_xml_source(node), ISO_ERR_UNSUPPORTED,
                          "<%s> is not supported inside a body; save the model from MuJoCo, which "
                          "expands it",
                          iso_xml_name(node));
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

// --- inertia -------------------------------------------------------------------------------------

static iso_status read_inertial(const iso_mjcf_reader* reader, const xmlNode* node,
                                const iso_pose* x_frame, iso_body_desc* body) {
    static const char* const known[] = {"pos",   "quat", "axisangle",   "xyaxes",      "zaxis",
                                        "euler", "mass", "diaginertia", "fullinertia", NULL};
    iso_mjcf_item item = {node, -1};
    iso_pose x;
    double n[6] = {0.0};
    int mass_count = 0, diagonal_count = 0, full_count = 0;
    iso_xml_warn_attributes(reader->build, node, known);
    ISO_SCENE_TRY(iso_mjcf_pose(reader, &item, &x));
    x = iso_pose_mul(x_frame, &x);
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, &item, "mass", 1, 1, &body->mass, &mass_count));
    ISO_SCENE_TRY(mass_count == 1 ? ISO_OK : iso_xml_needs_attribute(reader->build, node, "mass"));
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, &item, "diaginertia", 3, 3, n, &diagonal_count));
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, &item, "fullinertia", 6, 6, n, &full_count));
    ISO_SCENE_REQUIRE(reader->build, iso_xml_source(node), diagonal_count == 0 || full_count == 0,
                      ISO_ERR_PARSE,
                      "<inertial>: diaginertia and fullinertia are both given, expected one");
    body->inertia = iso_mat3_diagonal(n[0], n[1], n[2]);
    body->inertia.m[0][1] = body->inertia.m[1][0] = n[3];
    body->inertia.m[0][2] = body->inertia.m[2][0] = n[4];
    body->inertia.m[1][2] = body->inertia.m[2][1] = n[5];
    iso_mat3 rotated = iso_mat3_mul(x.r, body->inertia);
    body->inertia = iso_mat3_mul(rotated, iso_mat3_transpose(x.r));
    body->center_of_mass = x.p;
    return ISO_OK;
}

static iso_mat3 sphere_of(double moment) {
    return iso_mat3_diagonal(moment, moment, moment);
}

// What the compiler makes of a mass: no less than its bounds, and then moments of a solid.
static void bound_mass(const iso_mjcf_reader* reader, iso_body_desc* body) {
    double least = reader->bound_inertia;
    if (body->mass >= 0.0) { // else an error
        body->mass = fmax(body->mass, reader->bound_mass);
    }
    bool has_mass = body->mass > 0.0;
    if (has_mass && least > 0.0 && iso_sym3_eigenvalues(&body->inertia).x < least) {
        iso_mat3 above = iso_mat3_add(body->inertia, sphere_of(-least));
        body->inertia = iso_mat3_add(iso_sym3_clip_negative(&above), sphere_of(least));
    }
    if (reader->has_balanced_inertia && !iso_scene_is_of_solid(&body->inertia)) {
        const iso_mat3* i = &body->inertia;
        body->inertia = sphere_of((i->m[0][0] + i->m[1][1] + i->m[2][2]) / 3.0);
    }
}

static iso_status read_mass(const iso_mjcf_reader* reader, const body_draft* draft,
                            iso_body_desc* body) {
    const xmlNode* inertial = draft->inertial;
    body->mass = 0.0;
    body->inertia = iso_mat3_zero();
    body->center_of_mass = iso_vec3_zero();
    if (draft->has_geometry_mass && draft->sum.mass > 0.0) {
        iso_mass_sum_get(&draft->sum, body);
    } else if (inertial) { // also of a body that is to have its geoms' mass, if these have none
        ISO_SCENE_TRY(read_inertial(reader, inertial, &draft->x_inertial, body));
    }
    bound_mass(reader, body);
    ISO_SCENE_TRY(iso_scene_check_inertia(
        reader->build, iso_xml_source(inertial ? inertial : draft->node), body->name, body, true));
    if (body->mass == 0.0) { // a file that gives moments without mass is wrong, MuJoCo itself does
        body->inertia = sphere_of(fmax(0.0, reader->bound_inertia));
    }
    return ISO_OK;
}

// --- joints --------------------------------------------------------------------------------------

static iso_status name_joint(iso_mjcf_reader* reader, const body_draft* draft, int index,
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
static iso_status add_joint(iso_mjcf_reader* reader, const body_draft* draft, int index, int parent,
                            int child, const iso_pose* x_parent) {
    iso_scene_build* build = reader->build;
    const placed_joint* placed = &draft->joints[index];
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

// A body floats without a joint; one that has damping needs it.
static iso_status damp_free_body(const iso_mjcf_reader* reader, iso_source at,
                                 const iso_mjcf_joint* joint, double damping) {
    iso_scene_build* build = reader->build;
    iso_joint_desc desc = iso_joint_desc_default();
    desc.kind = ISO_JOINT_FREE;
    desc.parent = ISO_WORLD_BODY;
    desc.child = joint->body;
    desc.damping = damping;
    ISO_SCENE_TRY(iso_scene_scoped(build, reader->scope, joint->name, &desc.name));
    ISO_SCENE_TRY(iso_scene_source_text(build, at, &desc.source));
    ISO_SCENE_TRY(iso_scene_check_efforts(build, at, &desc));
    iso_status status = iso_model_add_joint(build->model, &desc, NULL);
    return status == ISO_OK ? ISO_OK : iso_scene_fail_at(build, at, status);
}

static iso_status add_free_joint(iso_mjcf_reader* reader, const body_draft* draft, int parent,
                                 int body) {
    iso_source at = iso_xml_source(draft->joints[0].item.node);
    iso_mjcf_joint joint = {.type = ISO_MJCF_FREE, .joint = -1, .body = body};
    ISO_SCENE_REQUIRE(
        reader->build, at, draft->joint_count == 1 && parent == ISO_WORLD_BODY, ISO_ERR_PARSE,
        "body '%s': a free joint is the only joint of a body of the world", draft->name);
    static const char* const known[] = {"name",      "class",    "type",         "group",
                                        "align",     "user",     "pos",          "damping",
                                        "stiffness", "armature", "frictionloss", NULL};
    double damping = 0.0;
    const iso_mjcf_item* item = &draft->joints[0].item;
    iso_xml_warn_attributes(reader->build, item->node, known);
    ISO_SCENE_TRY(name_joint(reader, draft, 0, &joint.name));
    bool is_joint = iso_xml_is(item->node, "joint"); // classes of which have all of these, too
    ISO_SCENE_TRY(is_joint ? iso_mjcf_numbers(reader, item, "damping", 1, 1, &damping, NULL)
                           : ISO_OK);
    if (damping != 0.0) {
        ISO_SCENE_TRY(damp_free_body(reader, at, &joint, damping));
    }
    for (int i = 8; known[i] && is_joint; ++i) {
        double value = 0.0;
        ISO_SCENE_TRY(iso_mjcf_numbers(reader, item, known[i], 1, 1, &value, NULL));
        if (value != 0.0) {
            iso_scene_warn_once(reader->build, at, known[i],
                                "joint '%s': %s of a free joint is not supported and is ignored",
                                joint.name, known[i]);
        }
    }
    return remember_joint(reader, &joint);
}

// The joints of a body in their order, with massless bodies between them.
static iso_status add_joints(iso_mjcf_reader* reader, const body_draft* draft, int parent, int body,
                             const iso_pose* x_pb) {
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

// --- bodies --------------------------------------------------------------------------------------

static iso_status name_body(iso_mjcf_reader* reader, const xmlNode* node, const char** out_name) {
    ISO_SCENE_TRY(iso_mjcf_name(reader, node, out_name));
    return *out_name && **out_name
               ? ISO_OK
               : iso_scene_format(reader->build, out_name, "body_%d", reader->bodies.count);
}

// A body that a program moves: fixed here, until a motion is prescribed.
static iso_status read_mocap(const iso_mjcf_reader* reader, const body_draft* draft, int parent,
                             bool* out_is_mocap) {
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
    iso_pose x, identity = iso_pose_identity();
    body_draft draft = {.node = node};
    iso_body_desc desc = iso_body_desc_default();
    int inner = child_class;
    iso_xml_warn_attributes(reader->build, node, known);
    ISO_SCENE_TRY(iso_mjcf_find_class(reader, node, "childclass", &inner));
    ISO_SCENE_TRY(iso_mjcf_pose(reader, &item, &x));
    ISO_SCENE_TRY(name_body(reader, node, &draft.name));
    ISO_SCENE_TRY(iso_scene_scoped(build, reader->scope, draft.name, &desc.name));
    ISO_SCENE_TRY(find_inertial(reader, node, &identity, &draft));
    draft.has_geometry_mass = reader->inertia_from_geometry == 1 ||
                              (reader->inertia_from_geometry == 2 && !draft.inertial);
    ISO_SCENE_TRY(collect(reader, node, &identity, inner, &draft));
    ISO_SCENE_TRY(read_mass(reader, &draft, &desc));
    ISO_SCENE_TRY(
        iso_mjcf_numbers(reader, &item, "gravcomp", 1, 1, &desc.gravity_compensation, NULL));
    const iso_mjcf_body above = reader->bodies.data[parent];
    iso_pose x_pb = iso_pose_mul(x_frame, &x);
    iso_mjcf_body body = {.name = draft.name, .x_wb = iso_pose_mul(&above.x_wb, &x_pb)};
    body.is_static = above.is_static && draft.joint_count == 0;
    ISO_SCENE_TRY(read_mocap(reader, &draft, above.body, &body.is_mocap));
    ISO_SCENE_TRY(iso_scene_add_body(build, iso_xml_source(node), &desc, &body.x_wb, &body.body));
    ISO_SCENE_TRY(add_joints(reader, &draft, above.body, body.body, &x_pb));
    if (draft.joint_count > 1 && !above.is_static) {
        // As between any body and its parent; here there are bodies in between.
        ISO_SCENE_TRY(iso_model_exclude_pair(build->model, above.body, body.body));
    }
    ISO_SCENE_TRY(ISO_ARRAY_GROW(build->ctx, &reader->bodies));
    int index = reader->bodies.count++;
    body.parent = parent;
    body.weld = draft.joint_count == 0 ? above.weld : index;
    reader->bodies.data[index] = body;
    return add_parts(reader, node, &identity, inner, index);
}

iso_status iso_mjcf_add_bodies(iso_mjcf_reader* reader, const xmlNode* worldbody) {
    iso_pose identity = iso_pose_identity();
    int child_class = 0;
    ISO_SCENE_TRY(iso_mjcf_find_class(reader, worldbody, "childclass", &child_class));
    return add_parts(reader, worldbody, &identity, child_class, 0);
}
