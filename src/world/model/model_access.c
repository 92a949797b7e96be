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
    return index >= 0 && index < model->joints.count ? &model->joints.data[index] : NULL;
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

typedef struct named_body {
    const iso_model* model;
    const char* name;
} named_body;

static bool is_named(const void* user, int index) {
    const named_body* body = user;
    return strcmp(body->model->bodies.data[index].desc.name, body->name) == 0;
}

int iso_model_find_body(const iso_model* model, const char* name) {
    named_body body = {model, name};
    return name == NULL ? -1
                        : iso_name_table_find(&model->body_names,
                                              iso_hash_text(ISO_HASH_SEED, name), is_named, &body);
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
int iso_model_find_joint(const iso_model* model, const char* name) {
    for (int i = 0; name != NULL && i < model->joints.count; ++i) {
        if (strcmp(model->joints.data[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}
int iso_model_find_actuator(const iso_model* model, const char* name) {
    for (int i = 0; name != NULL && i < model->actuators.count; ++i) {
        if (strcmp(model->actuators.data[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}
