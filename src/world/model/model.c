// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "world/model/model.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "base/values/hash.h"
#include "contact/pairs/material.h"

#include <string.h>

enum { k_where_size = 512 };

iso_body_desc iso_body_desc_default(void) {
    iso_body_desc desc = {.mass = 1.0,
                          .inertia = iso_mat3_diagonal(1.0, 1.0, 1.0),
                          .collision_group = UINT32_MAX,
                          .collision_mask = UINT32_MAX};
    return desc;
}

iso_geometry_desc iso_geometry_desc_default(void) {
    iso_geometry_desc desc = {.shape = iso_shape_desc_default(ISO_SHAPE_SPHERE),
                              .x_bg = iso_pose_identity(),
                              .material = iso_contact_material_default(),
                              .collision_group = 1,
                              .collision_mask = 1};
    return desc;
}

iso_visual_desc iso_visual_desc_default(void) {
    iso_visual_desc desc = {.shape = iso_shape_desc_default(ISO_SHAPE_SPHERE),
                            .x_bg = iso_pose_identity(),
                            .rgba = {0.7F, 0.7F, 0.7F, 1.0F}};
    return desc;
}

iso_joint_desc iso_joint_desc_default(void) {
    iso_joint_desc desc = {.kind = ISO_JOINT_WELD,
                           .x_pf = iso_pose_identity(),
                           .x_cm = iso_pose_identity(),
                           .axis = {0.0, 0.0, 1.0},
                           .lower = -INFINITY,
                           .upper = INFINITY,
                           .velocity_limit = INFINITY,
                           .effort_limit = INFINITY,
                           .effort_lower = -INFINITY,
                           .effort_upper = INFINITY,
                           .axis_2 = {1.0, 0.0, 0.0},
                           .gear_ratio = 1.0};
    return desc;
}

iso_actuator_desc iso_actuator_desc_default(void) {
    iso_actuator_desc desc = {.effort_limit = INFINITY,
                              .effort_lower = -INFINITY,
                              .effort_upper = INFINITY,
                              .adhesion_body = -1};
    return desc;
}

iso_status iso_model_create(iso_context* ctx, iso_model** out_model) {
    ISO_REQUIRE(ctx, out_model != NULL, ISO_ERR_ARGUMENT, "out_model is required");
    *out_model = NULL;
    iso_model* model = iso_alloc_zeroed(ctx, sizeof *model);
    ISO_REQUIRE(ctx, model != NULL, ISO_ERR_MEMORY, "out of memory for a model");
    model->ctx = ctx;
    iso_body_desc world = iso_body_desc_default();
    world.name = "world";
    world.mass = 0.0;
    world.inertia = iso_mat3_zero();
    iso_status status = iso_model_add_body(model, &world, NULL);
    if (status != ISO_OK) {
        iso_model_destroy(model);
        return status;
    }
    *out_model = model;
    return ISO_OK;
}

/// Free a string the model owns, which the public descriptors show as const.
static void free_text(iso_context* ctx, const char* text) {
    iso_free(ctx, (void*)(uintptr_t)text);
}

void iso_model_destroy(iso_model* model) {
    if (model == NULL) {
        return;
    }
    iso_context* ctx = model->ctx;
    for (int i = 0; i < model->bodies.count; ++i) {
        free_text(ctx, model->bodies.data[i].desc.name);
        free_text(ctx, model->bodies.data[i].desc.source);
    }
    for (int i = 0; i < model->joints.count; ++i) {
        free_text(ctx, model->joints.data[i].name);
        free_text(ctx, model->joints.data[i].source);
    }
    for (int i = 0; i < model->geometries.count; ++i) {
        free_text(ctx, model->geometries.data[i].desc.name);
        free_text(ctx, model->geometries.data[i].desc.source);
        iso_shape_desc_free(ctx, &model->geometries.data[i].desc.shape);
        iso_free(ctx, model->geometries.data[i].table);
    }
    for (int i = 0; i < model->visuals.count; ++i) {
        free_text(ctx, model->visuals.data[i].desc.name);
        iso_shape_desc_free(ctx, &model->visuals.data[i].desc.shape);
    }
    for (int i = 0; i < model->actuators.count; ++i) {
        free_text(ctx, model->actuators.data[i].name);
    }
    iso_model_free_closure(model);
    iso_model_free_tendons(model);
    iso_name_table_destroy(ctx, &model->body_names);
    iso_name_table_destroy(ctx, &model->geometry_names);
    iso_name_table_destroy(ctx, &model->joint_names);
    iso_name_table_destroy(ctx, &model->actuator_names);
    iso_name_table_destroy(ctx, &model->tendon_names);
    iso_name_table_destroy(ctx, &model->coupler_names);
    iso_name_table_destroy(ctx, &model->constraint_names);
    ISO_ARRAY_FREE(ctx, &model->bodies);
    ISO_ARRAY_FREE(ctx, &model->inboard);
    ISO_ARRAY_FREE(ctx, &model->joints);
    ISO_ARRAY_FREE(ctx, &model->geometries);
    ISO_ARRAY_FREE(ctx, &model->visuals);
    ISO_ARRAY_FREE(ctx, &model->actuators);
    ISO_ARRAY_FREE(ctx, &model->excluded);
    ISO_ARRAY_FREE(ctx, &model->pairs);
    iso_free(ctx, model);
}

/// Replace a borrowed text by an owned copy; NULL stays NULL.
static iso_status own_text(iso_context* ctx, const char** text) {
    if (*text == NULL) {
        return ISO_OK;
    }
    char* copy = iso_strdup(ctx, *text);
    *text = copy;
    ISO_REQUIRE(ctx, copy != NULL, ISO_ERR_MEMORY, "out of memory for a name");
    return ISO_OK;
}

/// Two texts at once; on failure neither is owned.
static iso_status own_texts(iso_context* ctx, const char** name, const char** source) {
    iso_status status = own_text(ctx, name);
    if (status != ISO_OK) {
        return status;
    }
    status = own_text(ctx, source);
    if (status != ISO_OK) {
        free_text(ctx, *name);
    }
    return status;
}

static iso_status note_name(const iso_model* model, iso_name_table* table, const char* name,
                            int index) {
    return iso_name_table_add(model->ctx, table, iso_hash_text(ISO_HASH_SEED, name), index);
}

static void* copy_bytes(iso_context* ctx, const void* bytes, int count, size_t size) {
    void* copy = iso_alloc_array(ctx, count, size);
    if (copy != NULL && count > 0) {
        memcpy(copy, bytes, (size_t)count * size);
    }
    return copy;
}

static iso_status copy_surface(iso_context* ctx, const iso_tri_mesh* mesh,
                               const iso_tri_mesh** out_copy) {
    iso_tri_mesh* copy = iso_alloc_zeroed(ctx, sizeof *copy);
    *out_copy = copy;
    ISO_REQUIRE(ctx, copy != NULL, ISO_ERR_MEMORY, "out of memory for a mesh");
    copy->vertices = copy_bytes(ctx, mesh->vertices, mesh->vertex_count, sizeof *mesh->vertices);
    copy->triangles =
        copy_bytes(ctx, mesh->triangles, mesh->triangle_count, sizeof *mesh->triangles);
    ISO_REQUIRE(ctx, copy->vertices != NULL && copy->triangles != NULL, ISO_ERR_MEMORY,
                "out of memory for a mesh of %d triangles", mesh->triangle_count);
    copy->vertex_count = mesh->vertex_count;
    copy->triangle_count = mesh->triangle_count;
    return ISO_OK;
}

static iso_status copy_volume(iso_context* ctx, const iso_tet_mesh* mesh,
                              const iso_tet_mesh** out_copy) {
    iso_tet_mesh* copy = iso_alloc_zeroed(ctx, sizeof *copy);
    *out_copy = copy;
    ISO_REQUIRE(ctx, copy != NULL, ISO_ERR_MEMORY, "out of memory for a mesh");
    copy->vertices = copy_bytes(ctx, mesh->vertices, mesh->vertex_count, sizeof *mesh->vertices);
    copy->tets = copy_bytes(ctx, mesh->tets, mesh->tet_count, sizeof *mesh->tets);
    ISO_REQUIRE(ctx, copy->vertices != NULL && copy->tets != NULL, ISO_ERR_MEMORY,
                "out of memory for a mesh of %d tetrahedra", mesh->tet_count);
    copy->vertex_count = mesh->vertex_count;
    copy->tet_count = mesh->tet_count;
    return ISO_OK;
}

void iso_shape_desc_free(iso_context* ctx, iso_shape_desc* shape) {
    free_text(ctx, shape->path);
    if (shape->surface != NULL) {
        iso_tri_mesh* surface = (iso_tri_mesh*)(uintptr_t)shape->surface;
        iso_tri_mesh_destroy(ctx, surface);
        iso_free(ctx, surface);
    }
    if (shape->volume != NULL) {
        iso_tet_mesh* volume = (iso_tet_mesh*)(uintptr_t)shape->volume;
        iso_tet_mesh_destroy(ctx, volume);
        iso_free(ctx, volume);
    }
    shape->path = NULL;
    shape->surface = NULL;
    shape->volume = NULL;
}

iso_status iso_shape_desc_copy(iso_context* ctx, const iso_shape_desc* shape,
                               iso_shape_desc* out_copy) {
    iso_status status = ISO_OK;
    *out_copy = *shape;
    out_copy->surface = NULL;
    out_copy->volume = NULL;
    ISO_TRY(own_text(ctx, &out_copy->path));
    if (shape->surface != NULL) {
        ISO_TRY(copy_surface(ctx, shape->surface, &out_copy->surface));
    }
    if (shape->volume != NULL) {
        ISO_TRY(copy_volume(ctx, shape->volume, &out_copy->volume));
    }

done:
    if (status != ISO_OK) {
        iso_shape_desc_free(ctx, out_copy);
    }
    return status;
}

iso_status iso_model_add_body(iso_model* model, const iso_body_desc* desc, int* out_index) {
    ISO_REQUIRE(NULL, model != NULL, ISO_ERR_ARGUMENT, "model is required");
    iso_context* ctx = model->ctx;
    ISO_REQUIRE(ctx, desc != NULL, ISO_ERR_ARGUMENT, "desc is required");
    char where[k_where_size];
    iso_model_where(desc->source, where, sizeof where);
    iso_status status = iso_model_check_body(ctx, desc, where);
    if (status != ISO_OK) {
        return status;
    }
    ISO_REQUIRE(ctx, iso_model_find_body(model, desc->name) < 0, ISO_ERR_ARGUMENT,
                "%sbody name '%s' is used twice", where, desc->name);
    status = ISO_ARRAY_GROW(ctx, &model->bodies);
    if (status == ISO_OK) {
        status = ISO_ARRAY_GROW(ctx, &model->inboard);
    }
    if (status != ISO_OK) {
        return status;
    }
    iso_body_part body = {*desc, iso_pose_identity(), iso_spatial_zero()};
    status = own_texts(ctx, &body.desc.name, &body.desc.source);
    if (status != ISO_OK) {
        return status;
    }
    status = note_name(model, &model->body_names, desc->name, model->bodies.count);
    if (status != ISO_OK) {
        free_text(ctx, body.desc.name);
        free_text(ctx, body.desc.source);
        return status;
    }
    if (out_index != NULL) {
        *out_index = model->bodies.count;
    }
    model->inboard.data[model->inboard.count++] = -1;
    model->bodies.data[model->bodies.count++] = body;
    return ISO_OK;
}

typedef struct named_geometry {
    const iso_model* model;
    int body;
    const char* name;
} named_geometry;

static bool is_named(const void* user, int index) {
    const named_geometry* geometry = user;
    const iso_geometry_part* part = &geometry->model->geometries.data[index];
    return part->body == geometry->body && strcmp(part->desc.name, geometry->name) == 0;
}

static uint64_t hash_of_geometry(int body, const char* name) {
    return iso_hash_text(iso_hash_bytes(ISO_HASH_SEED, &body, sizeof body), name);
}

static bool has_geometry(const iso_model* model, int body, const char* name) {
    named_geometry geometry = {model, body, name};
    return iso_name_table_find(&model->geometry_names, hash_of_geometry(body, name), is_named,
                               &geometry) >= 0;
}

/// Give a part a material of its own, table included.
static iso_status own_material(iso_context* ctx, const iso_contact_material* material,
                               iso_geometry_part* part) {
    iso_modulus_row* table = NULL;
    if (material->modulus_row_count > 0) {
        table =
            copy_bytes(ctx, material->modulus_table, material->modulus_row_count, sizeof *table);
        ISO_REQUIRE(ctx, table != NULL, ISO_ERR_MEMORY, "out of memory for a table of %d moduli",
                    material->modulus_row_count);
    }
    iso_free(ctx, part->table);
    part->table = table;
    part->desc.material = *material;
    part->desc.material.modulus_table = table;
    return ISO_OK;
}

iso_status iso_model_set_material(iso_model* model, int geometry,
                                  const iso_contact_material* material) {
    ISO_REQUIRE(NULL, model != NULL, ISO_ERR_ARGUMENT, "model is required");
    iso_context* ctx = model->ctx;
    ISO_REQUIRE(ctx, material != NULL, ISO_ERR_ARGUMENT, "material is required");
    ISO_REQUIRE(ctx, geometry >= 0 && geometry < model->geometries.count, ISO_ERR_RANGE,
                "geometry index %d, expected in [0, %d)", geometry, model->geometries.count);
    iso_geometry_part* part = &model->geometries.data[geometry];
    iso_status status = iso_contact_material_check(ctx, material, part->desc.name);
    return status == ISO_OK ? own_material(ctx, material, part) : status;
}

iso_status iso_model_add_geometry(iso_model* model, int body, const iso_geometry_desc* desc,
                                  int* out_index) {
    ISO_REQUIRE(NULL, model != NULL, ISO_ERR_ARGUMENT, "model is required");
    iso_context* ctx = model->ctx;
    ISO_REQUIRE(ctx, desc != NULL && desc->name != NULL, ISO_ERR_ARGUMENT,
                "desc and its name are required");
    char where[k_where_size];
    iso_model_where(desc->source, where, sizeof where);
    ISO_REQUIRE(ctx, body >= 0 && body < model->bodies.count, ISO_ERR_RANGE,
                "%sgeometry '%s': body index %d, expected in [0, %d)", where, desc->name, body,
                model->bodies.count);
    ISO_REQUIRE(ctx, !has_geometry(model, body, desc->name), ISO_ERR_ARGUMENT,
                "%sgeometry name '%s' is used twice on body '%s'", where, desc->name,
                model->bodies.data[body].desc.name);
    iso_status status = iso_model_check_geometry(ctx, desc, where);
    if (status == ISO_OK) {
        status = ISO_ARRAY_GROW(ctx, &model->geometries);
    }
    if (status != ISO_OK) {
        return status;
    }
    iso_geometry_part geometry = {body, *desc, NULL};
    status = own_texts(ctx, &geometry.desc.name, &geometry.desc.source);
    if (status != ISO_OK) {
        return status;
    }
    status = iso_shape_desc_copy(ctx, &desc->shape, &geometry.desc.shape);
    if (status == ISO_OK) {
        status = own_material(ctx, &desc->material, &geometry);
        if (status == ISO_OK) {
            status =
                iso_name_table_add(ctx, &model->geometry_names, hash_of_geometry(body, desc->name),
                                   model->geometries.count);
        }
        if (status != ISO_OK) {
            iso_shape_desc_free(ctx, &geometry.desc.shape);
            iso_free(ctx, geometry.table);
        }
    }
    if (status != ISO_OK) {
        free_text(ctx, geometry.desc.name);
        free_text(ctx, geometry.desc.source);
        return status;
    }
    if (out_index != NULL) {
        *out_index = model->geometries.count;
    }
    model->geometries.data[model->geometries.count++] = geometry;
    return ISO_OK;
}

iso_status iso_model_add_visual(iso_model* model, int body, const iso_visual_desc* desc,
                                int* out_index) {
    ISO_REQUIRE(NULL, model != NULL, ISO_ERR_ARGUMENT, "model is required");
    iso_context* ctx = model->ctx;
    ISO_REQUIRE(ctx, desc != NULL && desc->name != NULL, ISO_ERR_ARGUMENT,
                "desc and its name are required");
    ISO_REQUIRE(ctx, body >= 0 && body < model->bodies.count, ISO_ERR_RANGE,
                "visual '%s': body index %d, expected in [0, %d)", desc->name, body,
                model->bodies.count);
    iso_status status = iso_model_check_visual(ctx, desc);
    if (status == ISO_OK) {
        status = ISO_ARRAY_GROW(ctx, &model->visuals);
    }
    if (status != ISO_OK) {
        return status;
    }
    iso_visual_part visual = {body, *desc};
    status = own_text(ctx, &visual.desc.name);
    if (status != ISO_OK) {
        return status;
    }
    status = iso_shape_desc_copy(ctx, &desc->shape, &visual.desc.shape);
    if (status != ISO_OK) {
        free_text(ctx, visual.desc.name);
        return status;
    }
    if (out_index != NULL) {
        *out_index = model->visuals.count;
    }
    model->visuals.data[model->visuals.count++] = visual;
    return ISO_OK;
}

// Whose child is which, after joints may have been edited.
static void renew_inboard(iso_model* model) {
    for (int i = 0; i < model->inboard.count; ++i) {
        model->inboard.data[i] = -1;
    }
    for (int j = 0; j < model->joints.count; ++j) {
        int child = model->joints.data[j].child;
        if (child >= 0 && child < model->inboard.count) { // else iso_model_check() says so
            model->inboard.data[child] = j;
        }
    }
    model->may_be_edited = false;
}

iso_status iso_model_add_joint(iso_model* model, const iso_joint_desc* desc, int* out_index) {
    ISO_REQUIRE(NULL, model != NULL, ISO_ERR_ARGUMENT, "model is required");
    iso_context* ctx = model->ctx;
    ISO_REQUIRE(ctx, desc != NULL, ISO_ERR_ARGUMENT, "desc is required");
    char where[k_where_size];
    iso_model_where(desc->source, where, sizeof where);
    if (model->may_be_edited) {
        renew_inboard(model);
    }
    iso_status status = iso_model_check_joint(model, desc, model->inboard.data, where);
    if (status != ISO_OK) {
        return status;
    }
    ISO_REQUIRE(ctx, iso_model_find_joint(model, desc->name) < 0, ISO_ERR_ARGUMENT,
                "%sjoint name '%s' is used twice", where, desc->name);
    status = ISO_ARRAY_GROW(ctx, &model->joints);
    if (status != ISO_OK) {
        return status;
    }
    iso_joint_desc joint = *desc;
    status = own_texts(ctx, &joint.name, &joint.source);
    if (status != ISO_OK) {
        return status;
    }
    status = note_name(model, &model->joint_names, joint.name, model->joints.count);
    if (status != ISO_OK) {
        free_text(ctx, joint.name);
        free_text(ctx, joint.source);
        return status;
    }
    if (out_index != NULL) {
        *out_index = model->joints.count;
    }
    model->inboard.data[joint.child] = model->joints.count;
    model->joints.data[model->joints.count++] = joint;
    return ISO_OK;
}

iso_status iso_model_add_actuator(iso_model* model, const iso_actuator_desc* desc, int* out_index) {
    ISO_REQUIRE(NULL, model != NULL, ISO_ERR_ARGUMENT, "model is required");
    iso_context* ctx = model->ctx;
    ISO_REQUIRE(ctx, desc != NULL && desc->name != NULL, ISO_ERR_ARGUMENT,
                "desc and its name are required");
    iso_status status = iso_model_check_actuator(model, desc);
    if (status != ISO_OK) {
        return status;
    }
    ISO_REQUIRE(ctx, iso_model_find_actuator(model, desc->name) < 0, ISO_ERR_ARGUMENT,
                "actuator name '%s' is used twice", desc->name);
    status = ISO_ARRAY_GROW(ctx, &model->actuators);
    if (status != ISO_OK) {
        return status;
    }
    iso_actuator_desc actuator = *desc;
    status = own_text(ctx, &actuator.name);
    if (status != ISO_OK) {
        return status;
    }
    status = note_name(model, &model->actuator_names, actuator.name, model->actuators.count);
    if (status != ISO_OK) {
        free_text(ctx, actuator.name);
        return status;
    }
    if (out_index != NULL) {
        *out_index = model->actuators.count;
    }
    model->actuators.data[model->actuators.count++] = actuator;
    return ISO_OK;
}

iso_status iso_model_exclude_pair(iso_model* model, int body_a, int body_b) {
    ISO_REQUIRE(NULL, model != NULL, ISO_ERR_ARGUMENT, "model is required");
    int count = model->bodies.count;
    ISO_REQUIRE(model->ctx, body_a >= 0 && body_a < count && body_b >= 0 && body_b < count,
                ISO_ERR_RANGE, "bodies %d and %d, expected in [0, %d)", body_a, body_b, count);
    iso_status status = ISO_ARRAY_GROW(model->ctx, &model->excluded);
    if (status == ISO_OK) {
        iso_excluded_pair pair = {body_a, body_b};
        model->excluded.data[model->excluded.count++] = pair;
    }
    return status;
}

iso_status iso_model_set_free_pose(iso_model* model, int body, const iso_pose* x_wb) {
    ISO_REQUIRE(NULL, model != NULL, ISO_ERR_ARGUMENT, "model is required");
    ISO_REQUIRE(model->ctx, body > 0 && body < model->bodies.count, ISO_ERR_RANGE,
                "body index %d, expected in [1, %d)", body, model->bodies.count);
    iso_status status = iso_model_check_pose(model->ctx, x_wb, "x_wb", "body",
                                             model->bodies.data[body].desc.name, "");
    if (status == ISO_OK) {
        model->bodies.data[body].x_wb = *x_wb;
    }
    return status;
}

iso_status iso_model_set_free_twist(iso_model* model, int body, iso_spatial v_wb) {
    ISO_REQUIRE(NULL, model != NULL, ISO_ERR_ARGUMENT, "model is required");
    ISO_REQUIRE(model->ctx, body > 0 && body < model->bodies.count, ISO_ERR_RANGE,
                "body index %d, expected in [1, %d)", body, model->bodies.count);
    iso_status status = iso_model_check_twist(model->ctx, v_wb, model->bodies.data[body].desc.name);
    if (status == ISO_OK) {
        model->bodies.data[body].v_wb = v_wb;
    }
    return status;
}
