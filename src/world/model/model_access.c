// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "world/model/model.h"

#include "base/values/hash.h"

#include <string.h>

int iso_model_body_count(const iso_model* model) {
    return model->bodies.count;
}
int iso_model_joint_count(const iso_model* model) {
    return model->joints.count;
}
int iso_model_geometry_count(const iso_model* model) {
    return model->geometries.count;
}
int iso_model_visual_count(const iso_model* model) {
    return model->visuals.count;
}
int iso_model_actuator_count(const iso_model* model) {
    return model->actuators.count;
}

iso_body_desc* iso_model_body(iso_model* model, int index) {
    return index >= 0 && index < model->bodies.count ? &model->bodies.data[index].desc : NULL;
}
iso_joint_desc* iso_model_joint(iso_model* model, int index) {
    if (index < 0 || index >= model->joints.count) {
        return NULL;
    }
    model->may_be_edited = true;
    return &model->joints.data[index];
}
iso_geometry_desc* iso_model_geometry(iso_model* model, int index, int* out_body) {
    if (index < 0 || index >= model->geometries.count) {
        return NULL;
    }
    if (out_body != NULL) {
        *out_body = model->geometries.data[index].body;
    }
    return &model->geometries.data[index].desc;
}
iso_visual_desc* iso_model_visual(iso_model* model, int index, int* out_body) {
    if (index < 0 || index >= model->visuals.count) {
        return NULL;
    }
    if (out_body != NULL) {
        *out_body = model->visuals.data[index].body;
    }
    return &model->visuals.data[index].desc;
}
iso_actuator_desc* iso_model_actuator(iso_model* model, int index) {
    return index >= 0 && index < model->actuators.count ? &model->actuators.data[index] : NULL;
}

// What is looked for: the names of the model's parts are those of a list.
typedef struct named_part {
    const iso_name_list* parts;
    const char* name;
} named_part;

static bool is_named(const void* user, int index) {
    const named_part* part = user;
    return strcmp(iso_name_list_at(part->parts, index), part->name) == 0;
}

static int find_part(const iso_name_table* table, const iso_name_list* parts, const char* name) {
    named_part part = {parts, name};
    return name == NULL
               ? -1
               : iso_name_table_find(table, iso_hash_text(ISO_HASH_SEED, name), is_named, &part);
}

int iso_model_find_body(const iso_model* model, const char* name) {
    iso_name_list bodies =
        ISO_NAME_LIST(model->bodies.data, model->bodies.count, iso_body_part, desc.name);
    return find_part(&model->body_names, &bodies, name);
}

int iso_model_find_joint(const iso_model* model, const char* name) {
    iso_name_list joints =
        ISO_NAME_LIST(model->joints.data, model->joints.count, iso_joint_desc, name);
    return find_part(&model->joint_names, &joints, name);
}

int iso_model_find_actuator(const iso_model* model, const char* name) {
    iso_name_list actuators =
        ISO_NAME_LIST(model->actuators.data, model->actuators.count, iso_actuator_desc, name);
    return find_part(&model->actuator_names, &actuators, name);
}

int iso_model_find_fixed_tendon(const iso_model* model, const char* name) {
    iso_name_list tendons =
        ISO_NAME_LIST(model->tendons.data, model->tendons.count, iso_fixed_tendon_desc, name);
    return find_part(&model->tendon_names, &tendons, name);
}

int iso_model_find_coupler(const iso_model* model, const char* name) {
    iso_name_list couplers =
        ISO_NAME_LIST(model->couplers.data, model->couplers.count, iso_coupler_desc, name);
    return find_part(&model->coupler_names, &couplers, name);
}

int iso_model_find_constraint(const iso_model* model, const char* name) {
    iso_name_list constraints =
        ISO_NAME_LIST(model->constraints.data, model->constraints.count, iso_constraint_desc, name);
    return find_part(&model->constraint_names, &constraints, name);
}

static bool has_scoped_name(const char* name, const char* body, const char* geometry) {
    size_t length = strlen(body);
    return strncmp(name, body, length) == 0 && strncmp(name + length, "::", 2) == 0 &&
           strcmp(name + length + 2, geometry) == 0;
}
int iso_model_find_geometry(const iso_model* model, const char* name) {
    int found = -1;
    for (int i = 0; name != NULL && i < model->geometries.count; ++i) {
        const char* body = model->bodies.data[model->geometries.data[i].body].desc.name;
        if (has_scoped_name(name, body, model->geometries.data[i].desc.name)) {
            if (found >= 0) {
                return -1; // "a::b" of body "a" is "b" of body "a::b" too
            }
            found = i;
        }
    }
    return found;
}
