// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/sdf/sdf.h"

#include <string.h>

#define MAX_CHAIN 1000 // models that are placed by frames in one another

// --- reading a pose ------------------------------------------------------------------------------

static iso_status read_rotation(iso_scene_build* build, const xmlNode* element, const char* text,
                                bool is_quaternion, bool is_degrees, iso_pose* out_pose) {
    double n[7] = {0};
    int count = is_quaternion ? 7 : 6;
    ISO_SCENE_TRY(iso_xml_parse_numbers(build, element, "its value", text, count, n));
    iso_vec3 p = iso_vec3_make(n[0], n[1], n[2]);
    ISO_SCENE_REQUIRE(build, iso_xml_source(element), iso_vec3_norm(p) <= ISO_SCENE_MAX_LENGTH,
                      ISO_ERR_RANGE, "<pose> is %g m from its origin, expected at most %g",
                      iso_vec3_norm(p), ISO_SCENE_MAX_LENGTH);
    if (is_quaternion) {
        double norm = sqrt(n[3] * n[3] + n[4] * n[4] + n[5] * n[5] + n[6] * n[6]);
        ISO_SCENE_REQUIRE(build, iso_xml_source(element), norm > 1e-6, ISO_ERR_RANGE,
                          "<pose>: the quaternion has norm %g, expected 1", norm);
        iso_quat q = iso_quat_make(n[6] / norm, n[3] / norm, n[4] / norm, n[5] / norm);
        *out_pose = iso_pose_from_quat(q, p);
        return ISO_OK;
    }
    double unit = is_degrees ? ISO_PI / 180.0 : 1.0;
    *out_pose = iso_pose_make(iso_mat3_from_rpy(n[3] * unit, n[4] * unit, n[5] * unit), p);
    return ISO_OK;
}

iso_status iso_sdf_read_pose(iso_scene_build* build, const xmlNode* element, iso_pose* out_pose,
                             const char** out_relative_to) {
    *out_pose = iso_pose_identity();
    *out_relative_to = NULL;
    const xmlNode* pose = iso_xml_child(element, "pose");
    if (!pose) {
        return ISO_OK;
    }
    const char* text = NULL;
    const char* format = NULL;
    const char* degrees = NULL;
    bool is_degrees = false;
    ISO_SCENE_TRY(iso_xml_attribute(build, pose, "frame", out_relative_to)); // up to version 1.6
    const char* relative_to = NULL;
    ISO_SCENE_TRY(iso_xml_attribute(build, pose, "relative_to", &relative_to));
    *out_relative_to = relative_to ? relative_to : *out_relative_to;
    if (*out_relative_to && !**out_relative_to) {
        *out_relative_to = NULL;
    }
    ISO_SCENE_TRY(iso_xml_attribute(build, pose, "degrees", &degrees));
    if (degrees) {
        ISO_SCENE_TRY(iso_xml_parse_bool(build, pose, "degrees", degrees, &is_degrees));
    }
    ISO_SCENE_TRY(iso_xml_attribute(build, pose, "rotation_format", &format));
    bool is_quaternion = format && strcmp(format, "quat_xyzw") == 0;
    ISO_SCENE_REQUIRE(build, iso_xml_source(pose),
                      !format || is_quaternion || strcmp(format, "euler_rpy") == 0,
                      ISO_ERR_UNSUPPORTED,
                      "<pose>: rotation_format is '%s', expected euler_rpy or quat_xyzw", format);
    ISO_SCENE_TRY(iso_xml_text(build, pose, &text));
    return *text ? read_rotation(build, pose, text, is_quaternion, is_degrees, out_pose) : ISO_OK;
}

// --- names ---------------------------------------------------------------------------------------

// In a scope and in what is merged into it.
static iso_sdf_node* find_node(const iso_sdf_reader* reader, const iso_sdf_scope* scope,
                               const char* name, size_t length) {
    iso_sdf_node* node = iso_sdf_find_node(reader, scope, name, length);
    for (int i = 0; !node && scope->merged_count > 0 && i < scope->node_count; ++i) {
        const iso_sdf_scope* model = scope->nodes[i]->model;
        node = model && model->is_merged ? find_node(reader, model, name, length) : NULL;
    }
    return node;
}

// Names may be "model::link": the whole name first (older files flatten), then part by part.
static bool find_target(const iso_sdf_reader* reader, iso_sdf_scope* scope, const char* name,
                        iso_sdf_target* out_target) {
    for (;;) {
        bool is_own_frame = strcmp(name, scope->is_world ? "world" : "__model__") == 0;
        iso_sdf_node* node = find_node(reader, scope, name, strlen(name));
        if (node || is_own_frame) {
            *out_target = (iso_sdf_target){node, node ? node->scope : scope};
            return true;
        }
        const char* colons = strstr(name, "::");
        if (!colons) {
            return false;
        }
        iso_sdf_node* outer = find_node(reader, scope, name, (size_t)(colons - name));
        if (!outer || outer->kind != ISO_SDF_MODEL) {
            return false;
        }
        scope = outer->model;
        name = colons + 2;
    }
}

static const char* node_name(const void* owner, int index) {
    return ((const iso_sdf_scope*)owner)->nodes[index]->name;
}

iso_status iso_sdf_find(const iso_sdf_reader* reader, iso_source at, iso_sdf_scope* scope,
                        const char* name, iso_sdf_target* out_target) {
    iso_name_list list = {.at = node_name, .owner = scope, .count = scope->node_count};
    char noun[160];
    (void)snprintf(noun, sizeof noun, "link, joint, frame or model of %s '%.80s'",
                   scope->is_world ? "world" : "model", scope->scoped_name);
    return find_target(reader, scope, name, out_target)
               ? ISO_OK
               : iso_scene_fail_missing(reader->build, at, &list, noun, name);
}

// --- poses ---------------------------------------------------------------------------------------

static iso_status resolve_node(const iso_sdf_reader* reader, iso_sdf_node* node, int depth);
static iso_status resolve_chain(const iso_sdf_reader* reader, iso_sdf_node* node, int depth);

static iso_status target_pose(const iso_sdf_reader* reader, const iso_sdf_scope* scope,
                              const iso_sdf_target* target, int depth, iso_pose* out_x) {
    iso_pose x = iso_pose_identity();
    const iso_sdf_scope* in = target->scope;
    if (target->node) {
        ISO_SCENE_TRY(resolve_chain(reader, target->node, depth));
        x = target->node->x_sn;
        in = target->node->scope;
    }
    // Up from the target's scope to the asked one, through the nested models' frames.
    for (; in != scope; in = in->parent) {
        iso_sdf_node* model = in->node;
        ISO_SCENE_TRY(resolve_chain(reader, model, depth));
        x = iso_pose_mul(&model->x_sn, &x);
    }
    *out_x = x;
    return ISO_OK;
}

// What a pose is relative to when the file does not say.
static const char* default_reference(const iso_sdf_node* node) {
    bool is_fixed_to_other = node->kind == ISO_SDF_FRAME || node->kind == ISO_SDF_JOINT;
    return is_fixed_to_other ? node->attached_to : NULL;
}

static const char* reference_of(const iso_sdf_node* node) {
    return node->relative_to ? node->relative_to : default_reference(node);
}

// The node whose pose that of another one hangs on first, where that is unknown yet; NULL: none.
static iso_status next_unknown(const iso_sdf_reader* reader, const iso_sdf_node* node,
                               iso_sdf_node** out_next) {
    const char* reference = reference_of(node);
    iso_sdf_target target = {NULL, node->scope};
    if (reference) {
        iso_source at = iso_xml_source(node->element);
        ISO_SCENE_TRY(iso_sdf_find(reader, at, node->scope, reference, &target));
    }
    bool is_unknown = target.node && target.node->pose_progress == ISO_SDF_UNKNOWN;
    *out_next = is_unknown ? target.node : NULL;
    return ISO_OK;
}

typedef struct node_path {
    ISO_ARRAY(iso_sdf_node*) nodes;
} node_path;

// Nodes that hang on each other, up to one whose pose hangs on nothing unknown.
static iso_status follow(const iso_sdf_reader* reader, iso_sdf_node* node, node_path* path) {
    while (node) {
        ISO_SCENE_REQUIRE(reader->build, iso_xml_source(node->element), !node->is_on_path,
                          ISO_ERR_PARSE,
                          "the pose of '%s' is relative to itself through other "
                          "frames",
                          node->name);
        ISO_SCENE_TRY(ISO_ARRAY_GROW(reader->build->ctx, &path->nodes));
        path->nodes.data[path->nodes.count++] = node;
        node->is_on_path = true;
        ISO_SCENE_TRY(next_unknown(reader, node, &node));
    }
    return ISO_OK;
}

// Chains of frames may be long: their far ends come first, so that none calls itself often.
static iso_status resolve_chain(const iso_sdf_reader* reader, iso_sdf_node* node, int depth) {
    node_path path = {{0}};
    iso_status status =
        node->pose_progress == ISO_SDF_UNKNOWN ? follow(reader, node, &path) : ISO_OK;
    for (int i = 0; i < path.nodes.count; ++i) {
        path.nodes.data[i]->is_on_path = false;
    }
    for (int i = path.nodes.count - 1; i >= 0 && status == ISO_OK; --i) {
        status = resolve_node(reader, path.nodes.data[i], depth);
    }
    ISO_ARRAY_FREE(reader->build->ctx, &path.nodes);
    return status == ISO_OK ? resolve_node(reader, node, depth) : status;
}

static iso_status resolve_node(const iso_sdf_reader* reader, iso_sdf_node* node, int depth) {
    iso_source at = iso_xml_source(node->element);
    if (node->pose_progress == ISO_SDF_KNOWN) {
        return ISO_OK;
    }
    ISO_SCENE_REQUIRE(reader->build, at, node->pose_progress == ISO_SDF_UNKNOWN, ISO_ERR_PARSE,
                      "the pose of '%s' is relative to itself through other frames", node->name);
    ISO_SCENE_REQUIRE(reader->build, at, depth < MAX_CHAIN, ISO_ERR_RANGE,
                      "the pose of '%s' hangs on a chain of more than %d models", node->name,
                      MAX_CHAIN);
    node->pose_progress = ISO_SDF_IN_PROGRESS;
    const char* reference = reference_of(node);
    iso_pose x_sr = iso_pose_identity();
    if (reference) {
        iso_sdf_target target;
        ISO_SCENE_TRY(iso_sdf_find(reader, at, node->scope, reference, &target));
        ISO_SCENE_TRY(target_pose(reader, node->scope, &target, depth + 1, &x_sr));
    }
    node->x_sn = iso_pose_mul(&x_sr, &node->pose);
    if (node->kind == ISO_SDF_MODEL && node->placement_frame) {
        // The pose is that of a frame inside the model.
        iso_sdf_target placed;
        iso_pose x_mp;
        ISO_SCENE_TRY(iso_sdf_find(reader, at, node->model, node->placement_frame, &placed));
        ISO_SCENE_TRY(target_pose(reader, node->model, &placed, depth + 1, &x_mp));
        iso_pose x_pm = iso_pose_inverse(&x_mp);
        node->x_sn = iso_pose_mul(&node->x_sn, &x_pm);
    }
    node->pose_progress = ISO_SDF_KNOWN;
    return ISO_OK;
}

iso_status iso_sdf_pose_in(const iso_sdf_reader* reader, const iso_sdf_scope* scope,
                           const iso_sdf_target* target, iso_pose* out_x) {
    return target_pose(reader, scope, target, 0, out_x);
}

iso_status iso_sdf_scope_pose(const iso_sdf_reader* reader, const iso_sdf_scope* scope,
                              iso_pose* out_x) {
    const iso_sdf_scope* world = scope;
    while (world->parent) {
        world = world->parent;
    }
    iso_sdf_target own = {NULL, (iso_sdf_scope*)(uintptr_t)scope};
    return target_pose(reader, world, &own, 0, out_x);
}

// --- attachment ----------------------------------------------------------------------------------

static bool has_link(iso_sdf_scope* scope) {
    for (int* i = &scope->first_link; *i < scope->node_count; ++*i) {
        const iso_sdf_node* node = scope->nodes[*i];
        if (node->kind == ISO_SDF_LINK || (node->model && has_link(node->model))) {
            return true;
        }
    }
    return false;
}

// The first link; without one of its own that of the first nested model that has one.
static iso_sdf_target canonical_target(const iso_sdf_reader* reader, iso_sdf_scope* scope) {
    iso_sdf_target target = {NULL, scope};
    if (scope->canonical_link) {
        (void)find_target(reader, scope, scope->canonical_link, &target);
        return target;
    }
    if (!has_link(scope)) {
        return target;
    }
    for (int i = scope->first_link; i < scope->node_count; ++i) {
        iso_sdf_scope* model = scope->nodes[i]->model;
        if (scope->nodes[i]->kind == ISO_SDF_LINK ||
            (model && model->is_merged && has_link(model))) {
            return (iso_sdf_target){scope->nodes[i], scope};
        }
    }
    return (iso_sdf_target){scope->nodes[scope->first_link], scope};
}

static iso_status next_target(const iso_sdf_reader* reader, iso_sdf_target* target) {
    iso_sdf_node* node = target->node;
    if (!node) {
        *target = canonical_target(reader, target->scope); // __model__
        return ISO_OK;
    }
    if (node->kind == ISO_SDF_MODEL) {
        *target = canonical_target(reader, node->model);
        return ISO_OK;
    }
    if (!node->attached_to) {
        *target = (iso_sdf_target){NULL, node->scope};
        return ISO_OK;
    }
    return iso_sdf_find(reader, iso_xml_source(node->element), node->scope, node->attached_to,
                        target);
}

// The link is that of all nodes on the way to it.
static iso_status note_link(const iso_sdf_reader* reader, const iso_sdf_target* from,
                            iso_sdf_node* link) {
    for (iso_sdf_target now = *from; now.node != link && !(now.node && now.node->link);) {
        if (now.node) {
            now.node->link = link;
        }
        ISO_SCENE_TRY(next_target(reader, &now));
    }
    return ISO_OK;
}

iso_status iso_sdf_link_of(const iso_sdf_reader* reader, const iso_sdf_target* target,
                           iso_source at, iso_sdf_node** out_link) {
    iso_sdf_target now = *target;
    for (int depth = 0; depth <= 2 * reader->nodes.count; ++depth) { // each and its model
        bool is_link = now.node && now.node->kind == ISO_SDF_LINK;
        if (is_link || (now.node && now.node->link)) {
            *out_link = is_link ? now.node : now.node->link;
            return note_link(reader, target, *out_link);
        }
        // What has no link stands in the world.
        iso_sdf_scope* model = now.node ? now.node->model : now.scope;
        if (model && (model->is_world || !has_link(model))) {
            *out_link = NULL;
            return ISO_OK;
        }
        ISO_SCENE_TRY(next_target(reader, &now));
    }
    return iso_scene_fail(reader->build, at, ISO_ERR_PARSE,
                          "'%s' is attached to itself through other frames",
                          target->node ? target->node->name : "__model__");
}
