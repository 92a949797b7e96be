// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/sdf/sdf.h"

#include "scene/tags/drake_tags.h"

#include <string.h>

static iso_status read_mujocos(iso_sdf_reader* reader, const iso_sdf_scope* scope) {
    for (int i = 0; i < scope->node_count; ++i) {
        iso_sdf_scope* model = scope->nodes[i]->model;
        if (model) {
            ISO_SCENE_TRY(model->mujoco_path ? iso_sdf_read_mujoco(reader, model)
                                             : read_mujocos(reader, model));
        }
    }
    return ISO_OK;
}

static iso_status add_included(iso_sdf_reader* reader, const iso_sdf_scope* model) {
    return model->mujoco_path ? iso_sdf_place_mujoco(reader, model)
                              : iso_sdf_add_robot(reader, model);
}

static iso_status add_links(iso_sdf_reader* reader, iso_sdf_scope* scope) {
    for (int i = 0; i < scope->node_count; ++i) {
        iso_sdf_node* node = scope->nodes[i];
        if (node->kind == ISO_SDF_LINK) {
            ISO_SCENE_TRY(iso_sdf_add_link(reader, node));
        } else if (node->model) {
            ISO_SCENE_TRY(node->model->robot ? add_included(reader, node->model)
                                             : add_links(reader, node->model));
        }
    }
    return ISO_OK;
}

typedef iso_status (*joint_fn)(iso_sdf_reader* reader, const iso_sdf_node* joint);

static iso_status add_joints(iso_sdf_reader* reader, const iso_sdf_scope* scope, joint_fn add) {
    for (int i = 0; i < scope->node_count; ++i) {
        const iso_sdf_node* node = scope->nodes[i];
        if (node->kind == ISO_SDF_JOINT) {
            ISO_SCENE_TRY(add(reader, node));
        } else if (node->kind == ISO_SDF_MODEL) {
            ISO_SCENE_TRY(add_joints(reader, node->model, add));
        }
    }
    return ISO_OK;
}

// Make a frame of the file known to scenarios: a body and a pose in it.
static iso_status add_target_frame(iso_sdf_reader* reader, iso_source at, const char* name,
                                   iso_sdf_scope* scope, const iso_sdf_target* target) {
    iso_sdf_node* link = NULL;
    iso_pose x_bf;
    ISO_SCENE_TRY(iso_sdf_link_of(reader, target, at, &link));
    ISO_SCENE_TRY(iso_sdf_pose_in(reader, scope, target, &x_bf));
    if (link) {
        iso_sdf_target body = {link, link->scope};
        iso_pose x_sl;
        ISO_SCENE_TRY(iso_sdf_pose_in(reader, scope, &body, &x_sl));
        x_bf = iso_pose_inverse_mul(&x_sl, &x_bf);
    } else {
        iso_pose x_ws;
        ISO_SCENE_TRY(iso_sdf_scope_pose(reader, scope, &x_ws));
        x_bf = iso_pose_mul(&x_ws, &x_bf);
    }
    return iso_scene_add_frame(reader->build, at, name, link ? link->body : ISO_WORLD_BODY, &x_bf);
}

static iso_status add_frames(iso_sdf_reader* reader, iso_sdf_scope* scope) {
    iso_scene_build* build = reader->build;
    const char* name = NULL;
    for (int i = 0; i < scope->node_count; ++i) {
        iso_sdf_node* node = scope->nodes[i];
        iso_source at = iso_xml_source(node->element);
        if (node->kind == ISO_SDF_FRAME) {
            iso_sdf_target target = {node, scope};
            ISO_SCENE_TRY(iso_scene_scoped(build, scope->scoped_name, node->name, &name));
            ISO_SCENE_TRY(add_target_frame(reader, at, name, scope, &target));
        } else if (node->kind == ISO_SDF_MODEL) {
            ISO_SCENE_TRY(add_frames(reader, node->model));
        }
    }
    if (scope->is_world) {
        return ISO_OK;
    }
    iso_sdf_target own = {NULL, scope};
    ISO_SCENE_TRY(iso_scene_scoped(build, scope->scoped_name, scope->frame_name, &name));
    return add_target_frame(reader, iso_xml_source(scope->element), name, scope, &own);
}

static iso_status add_model_extras(iso_sdf_reader* reader, const iso_sdf_scope* scope) {
    static const char* const known[] = {"link",         "frame",
                                        "joint",        "model",
                                        "include",      "pose",
                                        "static",       "drake:collision_filter_group",
                                        "drake:joint",  "drake:ball_constraint",
                                        "self_collide", NULL};
    iso_scene_build* build = reader->build;
    for (int i = 0; i < scope->node_count; ++i) {
        if (scope->nodes[i]->kind == ISO_SDF_MODEL) {
            ISO_SCENE_TRY(add_model_extras(reader, scope->nodes[i]->model));
        }
    }
    if (scope->is_world || scope->robot) {
        return ISO_OK;
    }
    iso_xml_warn_unknown(build, scope->element, known);
    for (const xmlNode* child = iso_xml_first(scope->element); child; child = iso_xml_next(child)) {
        if (iso_xml_is(child, "drake:collision_filter_group")) {
            ISO_SCENE_TRY(iso_drake_read_filter_group(build, child, scope->scoped_name));
        } else if (iso_xml_is(child, "drake:ball_constraint")) {
            ISO_SCENE_TRY(iso_drake_read_ball_constraint(build, child, scope->scoped_name));
        }
    }
    return ISO_OK;
}

static iso_status read_physics(iso_scene_build* build, const xmlNode* physics) {
    static const char* const known[] = {"max_step_size", "gravity", NULL};
    iso_xml_warn_unknown(build, physics, known);
    double step = 0.0;
    bool has_step = false;
    ISO_SCENE_TRY(iso_xml_child_numbers(build, physics, "max_step_size", 1, &step, &has_step));
    if (has_step) {
        ISO_SCENE_REQUIRE(build, iso_xml_source(physics), step > 0.0 && step <= 10.0, ISO_ERR_RANGE,
                          "max_step_size is %g s, expected > 0 and <= 10", step);
        build->world.time_step = step;
    }
    return ISO_OK;
}

static iso_status read_gravity(iso_scene_build* build, const xmlNode* parent) {
    iso_vec3* g = &build->world.gravity;
    double n[3] = {g->x, g->y, g->z};
    ISO_SCENE_TRY(iso_xml_child_numbers(build, parent, "gravity", 3, n, NULL));
    *g = iso_vec3_make(n[0], n[1], n[2]);
    ISO_SCENE_REQUIRE(build, iso_xml_source(parent), iso_vec3_norm(*g) <= 1e4, ISO_ERR_RANGE,
                      "gravity is %g m/s^2, expected at most 1e4", iso_vec3_norm(*g));
    return ISO_OK;
}

static iso_status read_world(iso_scene_build* build, const xmlNode* world) {
    // Light and the looks of a world are nothing to a simulation; of its air, its field and its
    // place on earth only sensors would tell that are not read.
    static const char* const known[] = {
        "model", "include", "frame", "joint",      "gravity",        "physics",
        "light", "scene",   "gui",   "atmosphere", "magnetic_field", "spherical_coordinates",
        NULL};
    iso_xml_warn_unknown(build, world, known);
    const xmlNode* physics = iso_xml_child(world, "physics");
    if (physics) {
        ISO_SCENE_TRY(read_physics(build, physics));
        ISO_SCENE_TRY(read_gravity(build, physics)); // where 1.4 and 1.5 put it
    }
    return read_gravity(build, world);
}

static iso_status read_root(iso_sdf_reader* reader, const xmlNode* root, const char* scope,
                            const char* rename) {
    iso_scene_build* build = reader->build;
    iso_sdf_scope world = {.name = "", .scoped_name = scope, .is_world = true};
    ISO_SCENE_TRY(iso_sdf_collect_document(reader, root, &world, rename));
    const char* name = NULL;
    if (world.element) {
        ISO_SCENE_TRY(iso_xml_attribute(build, world.element, "name", &name));
    } else if (world.node_count > 0) {
        name = world.nodes[0]->name;
    }
    build->name = build->name ? build->name : name;
    build->may_be_empty = true;
    ISO_SCENE_TRY(read_mujocos(reader, &world));
    ISO_SCENE_TRY(add_links(reader, &world));
    ISO_SCENE_TRY(add_frames(reader, &world));
    ISO_SCENE_TRY(add_joints(reader, &world, iso_sdf_add_joint));
    ISO_SCENE_TRY(add_joints(reader, &world, iso_sdf_add_late_joint));
    ISO_SCENE_TRY(add_joints(reader, &world, iso_sdf_add_tie));
    ISO_SCENE_TRY(add_model_extras(reader, &world));
    ISO_SCENE_TRY(iso_sdf_exclude_links(reader, &world));
    return world.element ? read_world(build, world.element) : ISO_OK;
}

iso_status iso_sdf_read_bytes(iso_scene_build* build, const char* path, const char* bytes,
                              size_t size, const char* scope, const char* rename) {
    iso_sdf_reader reader = {.build = build};
    const xmlNode* root = NULL;
    iso_status status = iso_sdf_parse(&reader, path, bytes, size, &root);
    if (status == ISO_OK && !iso_sdf_is_root(root)) {
        status =
            iso_scene_fail(build, iso_xml_source(root), ISO_ERR_PARSE,
                           "the outermost element is <%s>, expected <sdf>", iso_xml_name(root));
    }
    if (status == ISO_OK) {
        status = read_root(&reader, root, scope, rename);
    }
    for (int i = 0; i < reader.docs.count; ++i) {
        xmlFreeDoc(reader.docs.data[i]);
    }
    ISO_ARRAY_FREE(build->ctx, &reader.docs);
    ISO_ARRAY_FREE(build->ctx, &reader.nodes);
    iso_name_table_destroy(build->ctx, &reader.table);
    return status;
}
