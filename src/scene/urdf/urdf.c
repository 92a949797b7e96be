// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/urdf/urdf.h"

#include "scene/sdf/sdf.h"
#include "scene/tags/drake_tags.h"

#include <math.h>
#include <string.h>

#define FAR_TURN (2.0 * ISO_PI) // limits at or beyond it [rad] are those of a joint without any

static iso_status read_xyz_rpy(iso_scene_build* build, const xmlNode* element, iso_pose* out_pose) {
    double xyz[3] = {0.0, 0.0, 0.0}, rpy[3] = {0.0, 0.0, 0.0};
    ISO_SCENE_TRY(iso_xml_attribute_numbers(build, element, "xyz", 3, xyz, NULL));
    ISO_SCENE_TRY(iso_xml_attribute_numbers(build, element, "rpy", 3, rpy, NULL));
    iso_vec3 p = iso_vec3_make(xyz[0], xyz[1], xyz[2]);
    ISO_SCENE_REQUIRE(build, iso_xml_source(element), iso_vec3_norm(p) <= ISO_SCENE_MAX_LENGTH,
                      ISO_ERR_RANGE, "<%s> is %g m from its parent, expected at most %g",
                      iso_xml_name(element), iso_vec3_norm(p), ISO_SCENE_MAX_LENGTH);
    *out_pose = iso_pose_make(iso_mat3_from_rpy(rpy[0], rpy[1], rpy[2]), p);
    return ISO_OK;
}

iso_status iso_urdf_read_origin(iso_scene_build* build, const xmlNode* element,
                                iso_pose* out_pose) {
    const xmlNode* origin = iso_xml_child(element, "origin");
    *out_pose = iso_pose_identity();
    return origin ? read_xyz_rpy(build, origin, out_pose) : ISO_OK;
}

iso_status iso_urdf_find_body(const iso_urdf_reader* reader, iso_source at, const char* name,
                              int* out_body) {
    *out_body = ISO_WORLD_BODY;
    if (strcmp(name, "world") == 0) {
        return ISO_OK;
    }
    const char* scoped = NULL;
    ISO_SCENE_TRY(iso_scene_scoped(reader->build, reader->scope, name, &scoped));
    *out_body = iso_model_find_body(reader->build->model, scoped);
    iso_name_list list = iso_scene_body_names(reader->build);
    return *out_body >= 0 ? ISO_OK : iso_scene_fail_missing(reader->build, at, &list, "link", name);
}

// --- joints --------------------------------------------------------------------------------------

static iso_status read_end(const iso_urdf_reader* reader, const xmlNode* joint, const char* which,
                           int* out_body) {
    const xmlNode* element = iso_xml_child(joint, which);
    const char* link = NULL;
    ISO_SCENE_REQUIRE(reader->build, iso_xml_source(joint), element, ISO_ERR_PARSE,
                      "<joint> has no <%s>", which);
    ISO_SCENE_TRY(iso_xml_required_attribute(reader->build, element, "link", &link));
    return iso_urdf_find_body(reader, iso_xml_source(element), link, out_body);
}

static iso_status read_limit(iso_scene_build* build, const xmlNode* limit, const char* name,
                             double* value, bool* out_found) {
    const char* text = NULL;
    ISO_SCENE_TRY(iso_xml_attribute(build, limit, name, &text));
    *out_found = text != NULL;
    return text ? iso_xml_parse_limit(build, limit, name, text, value) : ISO_OK;
}

// A continuous joint has none, whatever a file says: many say 0 and 0. One that is missing beside
// the other is 0, as the format says; upside down they count for nothing, as in MuJoCo.
static iso_status read_positions(iso_scene_build* build, const xmlNode* limit, bool is_continuous,
                                 iso_joint_desc* desc) {
    iso_source at = iso_xml_source(limit);
    double lower = 0.0, upper = 0.0;
    bool has_lower = false, has_upper = false;
    ISO_SCENE_TRY(read_limit(build, limit, "lower", &lower, &has_lower));
    ISO_SCENE_TRY(read_limit(build, limit, "upper", &upper, &has_upper));
    if (is_continuous && (has_lower || has_upper)) {
        bool is_far = lower <= -FAR_TURN && upper >= FAR_TURN;
        iso_scene_log_once(build, is_far ? ISO_LOG_INFO : ISO_LOG_WARNING, at,
                           is_far ? "far limits" : "limits of a continuous joint",
                           "joint '%s' is continuous: its limits %g and %g do not count",
                           desc->name, lower, upper);
    }
    if (is_continuous || (!has_lower && !has_upper)) {
        return ISO_OK;
    }
    if (!has_lower || !has_upper) {
        iso_scene_warn_once(build, at, desc->name,
                            "joint '%s': <limit> has no '%s', which is 0 then, as the format says",
                            desc->name, has_lower ? "upper" : "lower");
    }
    if (lower > upper) {
        char key[256];
        (void)snprintf(key, sizeof key, "limits of %s", desc->name);
        iso_scene_warn_once(build, at, key,
                            "joint '%s': lower limit %g is above upper limit %g: neither counts",
                            desc->name, lower, upper);
        return ISO_OK;
    }
    desc->lower = lower;
    desc->upper = upper;
    return ISO_OK;
}

// Largest velocity or effort. A negative one is none, as in SDFormat.
static iso_status read_most(iso_scene_build* build, const xmlNode* limit, const char* name,
                            const iso_joint_desc* desc, double* value) {
    bool is_found = false;
    ISO_SCENE_TRY(read_limit(build, limit, name, value, &is_found));
    if (is_found && *value < 0.0) {
        iso_scene_warn_once(build, iso_xml_source(limit), name,
                            "joint '%s': %s limit %g is taken as none, expected >= 0", desc->name,
                            name, *value);
        *value = INFINITY;
    }
    return ISO_OK;
}

static iso_status read_limits(iso_scene_build* build, const xmlNode* joint, bool is_continuous,
                              iso_joint_desc* desc) {
    static const char* const known[] = {NULL};
    const xmlNode* limit = iso_xml_child(joint, "limit");
    if (!limit) {
        return ISO_OK;
    }
    iso_xml_warn_unknown(build, limit, known);
    ISO_SCENE_TRY(read_positions(build, limit, is_continuous, desc));
    ISO_SCENE_TRY(read_most(build, limit, "velocity", desc, &desc->velocity_limit));
    return read_most(build, limit, "effort", desc, &desc->effort_limit);
}

static iso_status read_motion(iso_scene_build* build, const xmlNode* joint, bool is_continuous,
                              iso_joint_desc* desc) {
    double n[3] = {1.0, 0.0, 0.0};
    const xmlNode* axis = iso_xml_child(joint, "axis");
    const xmlNode* dynamics = iso_xml_child(joint, "dynamics");
    if (axis) {
        ISO_SCENE_TRY(iso_xml_attribute_numbers(build, axis, "xyz", 3, n, NULL));
    }
    iso_vec3 v = iso_vec3_make(n[0], n[1], n[2]);
    double norm = iso_vec3_norm(v);
    ISO_SCENE_REQUIRE(build, iso_xml_source(axis ? axis : joint), norm > 1e-6 && norm < 1e12,
                      ISO_ERR_RANGE, "joint '%s': the axis has length %g, expected a direction",
                      desc->name, norm);
    desc->axis = iso_vec3_normalized(v);
    if (dynamics) {
        ISO_SCENE_TRY(
            iso_xml_attribute_numbers(build, dynamics, "damping", 1, &desc->damping, NULL));
        ISO_SCENE_TRY(
            iso_xml_attribute_numbers(build, dynamics, "friction", 1, &desc->friction, NULL));
        ISO_SCENE_TRY(iso_scene_check_efforts(build, iso_xml_source(dynamics), desc));
    }
    return read_limits(build, joint, is_continuous, desc);
}

// <drake:screw_thread_pitch value="metres per turn">
static iso_status read_pitch(iso_scene_build* build, const xmlNode* joint, iso_joint_desc* desc) {
    const xmlNode* pitch = iso_xml_child(joint, "drake:screw_thread_pitch");
    double per_turn = 0.0;
    if (pitch) {
        ISO_SCENE_TRY(iso_xml_attribute_numbers(build, pitch, "value", 1, &per_turn, NULL));
    }
    ISO_SCENE_REQUIRE(build, iso_xml_source(pitch ? pitch : joint), per_turn != 0.0, ISO_ERR_RANGE,
                      "joint '%s': <drake:screw_thread_pitch> is %g m, expected not 0", desc->name,
                      per_turn);
    desc->pitch = per_turn / (2.0 * ISO_PI);
    return ISO_OK;
}

// Joints of several degrees of freedom: no limits, one damping.
static iso_status read_several(iso_scene_build* build, const xmlNode* joint, iso_joint_desc* desc) {
    const xmlNode* dynamics = iso_xml_child(joint, "dynamics");
    const xmlNode* axis = iso_xml_child(joint, "axis");
    if (dynamics) {
        const char* text = NULL;
        ISO_SCENE_TRY(iso_xml_attribute(build, dynamics, "damping", &text));
        if (text) {
            ISO_SCENE_TRY(iso_drake_read_damping(build, dynamics, text, desc));
        }
        ISO_SCENE_TRY(
            iso_xml_attribute_numbers(build, dynamics, "friction", 1, &desc->friction, NULL));
        ISO_SCENE_TRY(iso_scene_check_efforts(build, iso_xml_source(dynamics), desc));
    }
    if (desc->kind == ISO_JOINT_UNIVERSAL) { // about x, then y, as in Drake
        desc->axis = iso_vec3_make(1.0, 0.0, 0.0);
        desc->axis_2 = iso_vec3_make(0.0, 1.0, 0.0);
    }
    if (desc->kind == ISO_JOINT_PLANAR) {
        // The normal of the plane, of the format's default; planes are normal to z here.
        double n[3] = {1.0, 0.0, 0.0};
        if (axis) {
            ISO_SCENE_TRY(iso_xml_attribute_numbers(build, axis, "xyz", 3, n, NULL));
        }
        iso_vec3 normal = iso_vec3_make(n[0], n[1], n[2]);
        ISO_SCENE_REQUIRE(build, iso_xml_source(axis ? axis : joint), iso_vec3_norm(normal) > 1e-6,
                          ISO_ERR_RANGE, "joint '%s': the axis has length %g, expected a direction",
                          desc->name, iso_vec3_norm(normal));
        iso_pose turn = iso_pose_make(iso_scene_turn_z_to(normal), iso_vec3_zero());
        desc->x_pf = iso_pose_mul(&desc->x_pf, &turn);
        desc->x_cm = iso_pose_mul(&desc->x_cm, &turn);
    }
    return ISO_OK;
}

static iso_status add_typed_joint(const iso_urdf_reader* reader, const xmlNode* joint,
                                  const char* type, iso_joint_desc* desc) {
    iso_scene_build* build = reader->build;
    iso_source at = iso_xml_source(joint);
    if (strcmp(type, "floating") == 0) {
        // Six degrees of freedom: a free body that starts at the joint.
        iso_scene_frame parent = {.body = desc->parent, .x_bf = iso_pose_identity()};
        iso_scene_set_start(build, at, desc->child, &parent, &desc->x_pf);
        build->starts.data[desc->child].may_stand = false;
        return ISO_OK;
    }
    if (strcmp(type, "fixed") == 0) {
        desc->kind = ISO_JOINT_WELD;
        return iso_scene_add_joint(build, at, desc, NULL);
    }
    static const struct {
        const char* name;
        iso_joint_kind kind;
    } kinds[] = {{"revolute", ISO_JOINT_REVOLUTE},   {"continuous", ISO_JOINT_REVOLUTE},
                 {"prismatic", ISO_JOINT_PRISMATIC}, {"planar", ISO_JOINT_PLANAR},
                 {"screw", ISO_JOINT_SCREW},         {"universal", ISO_JOINT_UNIVERSAL},
                 {"ball", ISO_JOINT_BALL},           {"spherical", ISO_JOINT_BALL}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
        if (strcmp(type, kinds[i].name) == 0) {
            desc->kind = kinds[i].kind;
        }
    }
    ISO_SCENE_REQUIRE(build, at, desc->kind != ISO_JOINT_WELD, ISO_ERR_UNSUPPORTED,
                      "joint '%s' is of type '%s', expected fixed, revolute, continuous, "
                      "prismatic, planar, floating, screw, universal or ball",
                      desc->name, type);
    if (iso_scene_has_one_dof(desc->kind)) {
        ISO_SCENE_TRY(read_motion(build, joint, strcmp(type, "continuous") == 0, desc));
    } else {
        ISO_SCENE_TRY(read_several(build, joint, desc));
    }
    if (desc->kind == ISO_JOINT_SCREW) {
        ISO_SCENE_TRY(read_pitch(build, joint, desc));
    }
    return iso_scene_add_joint(build, at, desc, NULL);
}

// Soft limits are kept by the controller of the real robot.
static void warn_of_safety(iso_scene_build* build, const xmlNode* joint, const char* name) {
    const xmlNode* safety = iso_xml_child(joint, "safety_controller");
    if (safety) {
        iso_scene_warn_once(build, iso_xml_source(safety), "safety_controller",
                            "joint '%s': <safety_controller> is not supported: the joint moves as "
                            "far as <limit> lets it, not to its soft limits only",
                            name);
    }
}

iso_status iso_urdf_add_joint(const iso_urdf_reader* reader, const xmlNode* joint) {
    // calibration is for real robots.
    static const char* const known[] = {"parent",      "child",
                                        "origin",      "axis",
                                        "limit",       "dynamics",
                                        "mimic",       "safety_controller",
                                        "calibration", "drake:screw_thread_pitch",
                                        NULL};
    iso_scene_build* build = reader->build;
    iso_joint_desc desc = iso_joint_desc_default();
    const char* name = NULL;
    const char* type = NULL;
    iso_xml_warn_unknown(build, joint, known);
    ISO_SCENE_TRY(iso_xml_required_attribute(build, joint, "name", &name));
    ISO_SCENE_TRY(iso_xml_required_attribute(build, joint, "type", &type));
    if (reader->is_static && strcmp(type, "fixed") != 0) {
        iso_scene_warn_once(build, iso_xml_source(joint), "joint of a static model",
                            "joint '%s' of a static model does not move", name);
        type = "fixed";
    }
    ISO_SCENE_TRY(iso_scene_scoped(build, reader->scope, name, &desc.name));
    warn_of_safety(build, joint, desc.name);
    ISO_SCENE_TRY(read_end(reader, joint, "parent", &desc.parent));
    ISO_SCENE_TRY(read_end(reader, joint, "child", &desc.child));
    ISO_SCENE_TRY(iso_urdf_read_origin(build, joint, &desc.x_pf));
    return add_typed_joint(reader, joint, type, &desc);
}

// <mimic joint multiplier offset>
static iso_status add_mimic(const iso_urdf_reader* reader, const xmlNode* joint) {
    iso_scene_build* build = reader->build;
    const xmlNode* mimic = iso_xml_child(joint, "mimic");
    if (!mimic) {
        return ISO_OK;
    }
    iso_source at = iso_xml_source(mimic);
    const char* name = NULL;
    double multiplier = 1.0, offset = 0.0;
    int joints[2];
    ISO_SCENE_TRY(iso_xml_attribute_numbers(build, mimic, "multiplier", 1, &multiplier, NULL));
    ISO_SCENE_TRY(iso_xml_attribute_numbers(build, mimic, "offset", 1, &offset, NULL));
    for (int i = 0; i < 2; ++i) {
        const char* scoped = NULL;
        ISO_SCENE_TRY(iso_xml_required_attribute(build, i == 0 ? mimic : joint,
                                                 i == 0 ? "joint" : "name", &name));
        ISO_SCENE_TRY(iso_scene_scoped(build, reader->scope, name, &scoped));
        joints[i] = iso_model_find_joint(build->model, scoped);
        if (joints[i] < 0 && i == 0) { // urdfdom does not look
            iso_scene_warn_once(build, at, name,
                                "<mimic> is left out: there is no joint named '%s', so that the "
                                "joint moves freely",
                                name);
            return ISO_OK;
        }
        iso_name_list list = iso_scene_moving_joint_names(build);
        ISO_SCENE_TRY(joints[i] >= 0
                          ? ISO_OK
                          : iso_scene_fail_missing(build, at, &list, "joint that moves", name));
    }
    return iso_scene_add_mimic(build, at, joints[0], joints[1], multiplier, offset);
}

// --- robot ---------------------------------------------------------------------------------------

// <frame name link xyz rpy>, an extension of Drake.
static iso_status add_frame(const iso_urdf_reader* reader, const xmlNode* frame) {
    iso_scene_build* build = reader->build;
    const char* name = NULL;
    const char* link = NULL;
    const char* scoped = NULL;
    int body = 0;
    iso_pose x_bf;
    ISO_SCENE_TRY(iso_xml_required_attribute(build, frame, "name", &name));
    ISO_SCENE_TRY(iso_xml_required_attribute(build, frame, "link", &link));
    ISO_SCENE_TRY(iso_urdf_find_body(reader, iso_xml_source(frame), link, &body));
    ISO_SCENE_TRY(read_xyz_rpy(build, frame, &x_bf));
    ISO_SCENE_TRY(iso_scene_scoped(build, reader->scope, name, &scoped));
    return iso_scene_add_frame(build, iso_xml_source(frame), scoped, body, &x_bf);
}

typedef iso_status (*add_fn)(const iso_urdf_reader* reader, const xmlNode* element);

static iso_status add_group(const iso_urdf_reader* reader, const xmlNode* element) {
    return iso_drake_read_filter_group(reader->build, element, reader->scope);
}

// Elements that would change the motion if they were left out.
static iso_status refuse(const iso_urdf_reader* reader, const xmlNode* element) {
    return iso_scene_fail(reader->build, iso_xml_source(element), ISO_ERR_UNSUPPORTED,
                          "<%s> is not supported", iso_xml_name(element));
}

static iso_status add_ball(const iso_urdf_reader* reader, const xmlNode* element) {
    return iso_drake_read_ball_constraint(reader->build, element, reader->scope);
}

static iso_status add_all(const iso_urdf_reader* reader, const char* name, add_fn add) {
    for (const xmlNode* child = iso_xml_first(reader->robot); child; child = iso_xml_next(child)) {
        if (iso_xml_is(child, name)) {
            ISO_SCENE_TRY(add(reader, child));
        }
    }
    return ISO_OK;
}

static iso_status read_parts(const iso_urdf_reader* reader) {
    static const char* const known[] = {"link",       "joint",       "transmission",
                                        "frame",      "material",    "drake:collision_filter_group",
                                        "loop_joint", "drake:joint", "drake:ball_constraint",
                                        "gazebo",     NULL};
    static const char* const joints[] = {"joint", "drake:joint"};
    static const char* const without[] = {"loop_joint", "deformable", "reduced_deformable"};
    iso_xml_warn_unknown(reader->build, reader->robot, known);
    ISO_SCENE_TRY(iso_urdf_check_elements(reader));
    if (!iso_xml_child(reader->robot, "link")) {
        reader->build->may_be_empty = true;
        iso_scene_warn_once(reader->build, iso_xml_source(reader->robot), "link",
                            "the robot has no <link>: there is nothing in it");
    }
    for (int i = 0; i < 3; ++i) {
        ISO_SCENE_TRY(add_all(reader, without[i], refuse));
    }
    ISO_SCENE_TRY(add_all(reader, "link", iso_urdf_add_link));
    for (int i = 0; i < 2; ++i) {
        ISO_SCENE_TRY(add_all(reader, joints[i], iso_urdf_add_joint));
    }
    for (int i = 0; i < 2; ++i) {
        ISO_SCENE_TRY(add_all(reader, joints[i], add_mimic));
    }
    ISO_SCENE_TRY(add_all(reader, "frame", add_frame));
    ISO_SCENE_TRY(add_all(reader, "transmission", iso_urdf_add_transmission));
    ISO_SCENE_TRY(add_all(reader, "drake:ball_constraint", add_ball));
    ISO_SCENE_TRY(add_all(reader, "gazebo", iso_urdf_add_gazebo));
    return add_all(reader, "drake:collision_filter_group", add_group);
}

// The rest of NAME in xacro:NAME; NULL: something else.
static const char* macro_name(const xmlNode* node) {
    const char* prefix = node->ns && node->ns->prefix ? (const char*)node->ns->prefix : "";
    const char* name = iso_xml_name(node);
    return strcmp(prefix, "xacro") == 0 ? name : strncmp(name, "xacro:", 6) == 0 ? name + 6 : NULL;
}

// A robot whose macros are still to be expanded is none; a call that was left over in one that has
// links brings nothing, as other readers take it.
static iso_status require_expanded(iso_scene_build* build, const xmlNode* robot) {
    static const char* const own[] = {"include", "macro", "property", "arg", "if", "unless"};
    bool has_links = iso_xml_child(robot, "link") != NULL;
    for (const xmlNode* child = iso_xml_first(robot); child; child = iso_xml_next(child)) {
        const char* name = macro_name(child);
        bool is_call = name != NULL && has_links;
        for (size_t i = 0; i < sizeof own / sizeof *own && is_call; ++i) {
            is_call = strcmp(name, own[i]) != 0;
        }
        ISO_SCENE_REQUIRE(build, iso_xml_source(child), !name || is_call, ISO_ERR_UNSUPPORTED,
                          "xacro must be expanded first: xacro FILE > X.urdf");
        if (is_call) {
            iso_scene_warn_once(build, iso_xml_source(child), "macro left over",
                                "<xacro:%s> was not expanded: what it stands for is missing", name);
        }
    }
    return ISO_OK;
}

static iso_status list_materials(iso_scene_build* build, const xmlNode* robot,
                                 iso_urdf_materials* materials) {
    for (const xmlNode* child = iso_xml_first(robot); child; child = iso_xml_next(child)) {
        iso_urdf_material material = {.color = iso_xml_child(child, "color")};
        if (iso_xml_is(child, "material") && material.color) {
            ISO_SCENE_TRY(iso_xml_attribute(build, child, "name", &material.name));
            ISO_SCENE_TRY(ISO_ARRAY_GROW(build->ctx, &materials->list));
            materials->list.data[materials->list.count++] = material;
        }
    }
    return ISO_OK;
}

iso_status iso_urdf_read_robot(iso_scene_build* build, const xmlNode* robot, const char* scope,
                               bool is_static) {
    iso_urdf_materials materials = {.index = {.noted = 0}};
    iso_urdf_reader reader = {.build = build,
                              .robot = robot,
                              .scope = scope,
                              .is_static = is_static,
                              .materials = &materials};
    iso_status status = require_expanded(build, robot);
    if (status == ISO_OK) {
        status = list_materials(build, robot, &materials);
    }
    if (status == ISO_OK) {
        status = read_parts(&reader);
    }
    ISO_ARRAY_FREE(build->ctx, &materials.list);
    iso_name_index_destroy(build->ctx, &materials.index);
    return status;
}

// That of the file where there is none, as in MuJoCo.
static iso_status read_name(iso_scene_build* build, const xmlNode* robot, const char** out_name) {
    iso_source at = iso_xml_source(robot);
    ISO_SCENE_TRY(iso_xml_attribute(build, robot, "name", out_name));
    if (*out_name && **out_name) {
        return ISO_OK;
    }
    const char* slash = strrchr(at.file, '/');
    const char* stem = slash ? slash + 1 : at.file;
    const char* dot = strrchr(stem, '.');
    ISO_SCENE_TRY(
        iso_scene_copy_text(build, stem, dot ? (size_t)(dot - stem) : strlen(stem), out_name));
    ISO_SCENE_REQUIRE(build, at, **out_name, ISO_ERR_PARSE, "<robot> needs the attribute 'name'");
    char other[ISO_NAME_TEXT_SIZE];
    iso_scene_warn_once(build, at, "name", "<robot> has no name%s: it is called '%s', as its file",
                        iso_xml_has_instead(robot, "name", other, sizeof other), *out_name);
    return ISO_OK;
}

static iso_status read_document(iso_scene_build* build, const xmlNode* robot, const char* scope,
                                const char* rename) {
    const char* name = rename;
    const char* scoped = NULL;
    ISO_SCENE_REQUIRE(build, iso_xml_source(robot), iso_xml_is(robot, "robot"), ISO_ERR_PARSE,
                      "the outermost element is <%s>, expected <robot>", iso_xml_name(robot));
    ISO_SCENE_TRY(require_expanded(build, robot));
    if (!rename) {
        ISO_SCENE_TRY(read_name(build, robot, &name));
    }
    build->name = build->name ? build->name : name;
    ISO_SCENE_TRY(iso_scene_scoped(build, scope, name, &scoped));
    return iso_urdf_read_robot(build, robot, scoped, false);
}

iso_status iso_urdf_read_bytes(iso_scene_build* build, const char* path, const char* bytes,
                               size_t size, const char* scope, const char* rename) {
    xmlDoc* doc = NULL;
    iso_status status = iso_xml_parse(build, path, bytes, size, &doc);
    if (status == ISO_OK) {
        status = read_document(build, xmlDocGetRootElement(doc), scope, rename);
    }
    xmlFreeDoc(doc);
    return status;
}
