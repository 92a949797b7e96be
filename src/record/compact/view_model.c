// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "record/compact/view_model.h"

#include <string.h>

static void put_surface(iso_json* json, const iso_body_surface* surface) {
    const iso_tri_mesh* mesh = surface->mesh;
    iso_bytes scratch = iso_bytes_make(json->out->ctx);
    size_t value_count =
        3 * (size_t)(mesh->vertex_count > mesh->triangle_count ? mesh->vertex_count
                                                               : mesh->triangle_count);
    void* room = iso_bytes_reserve(&scratch, value_count * 4 + 1);
    if (!room) {
        json->out->has_failed = true;
        return;
    }
    float* reals = room;
    uint32_t* indices = room;
    iso_json_begin_object(json, NULL);
    for (int i = 0; i < mesh->vertex_count; ++i) {
        reals[3 * i] = (float)mesh->vertices[i].x;
        reals[3 * i + 1] = (float)mesh->vertices[i].y;
        reals[3 * i + 2] = (float)mesh->vertices[i].z;
    }
    iso_json_put_f32(json, "vertices", reals, 3 * mesh->vertex_count);
    for (int i = 0; i < 3 * mesh->triangle_count; ++i) {
        indices[i] = (uint32_t)mesh->triangles[i / 3][i % 3];
    }
    iso_json_put_u32(json, "triangles", indices, 3 * mesh->triangle_count);
    iso_json_begin_array(json, "color");
    for (int i = 0; i < 4; ++i) {
        iso_json_put_float(json, NULL, (double)surface->rgba[i]);
    }
    iso_json_end_array(json);
    iso_json_begin_array(json, "pose");
    iso_json_put_pose_values(json, &surface->x_bg);
    iso_json_end_array(json);
    iso_json_put_text(json, "role", surface->is_collision ? "collision" : "visual");
    iso_json_end_object(json);
    iso_bytes_free(&scratch);
}

void iso_view_put_model(iso_json* json, const iso_recorded_model* model) {
    iso_json_begin_array(json, "bodies");
    for (int i = 0; i < model->body_count; ++i) {
        const iso_recorded_body* body = &model->bodies[i];
        iso_json_begin_object(json, NULL);
        iso_json_put_text(json, "name", body->name);
        iso_json_put_bool(json, "fixed", body->is_fixed);
        iso_json_begin_array(json, "visuals");
        for (int k = 0; k < body->surface_count; ++k) {
            put_surface(json, &body->surfaces[k]);
        }
        iso_json_end_array(json);
        iso_json_end_object(json);
    }
    iso_json_end_array(json);
    iso_json_begin_array(json, "joints");
    for (int i = 0; i < model->joint_count; ++i) {
        iso_json_put_text(json, NULL, model->joints[i].name);
    }
    iso_json_end_array(json);
}

static void put_texts(iso_json* json, const char* key, const char* const* texts, int count) {
    iso_json_begin_array(json, key);
    for (int i = 0; i < count; ++i) {
        iso_json_put_text(json, NULL, texts[i]);
    }
    iso_json_end_array(json);
}

// Number of a body by its name; -1 when there is none.
static int find_body(const iso_recorded_model* model, const char* name) {
    for (int i = 0; i < model->body_count; ++i) {
        if (strcmp(model->bodies[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

void iso_view_put_sensors(iso_json* json, const iso_recorded_model* model) {
    iso_json_begin_array(json, "sensors");
    for (int i = 0; i < model->sensor_count; ++i) {
        const iso_recorded_sensor* sensor = &model->sensors[i];
        iso_json_begin_object(json, NULL);
        iso_json_put_text(json, "name", sensor->name);
        iso_json_put_text(json, "kind", iso_sensor_kind_name(sensor->kind));
        iso_json_put_int(json, "body", find_body(model, sensor->body));
        iso_json_begin_array(json, "pose");
        iso_json_put_pose_values(json, &sensor->x_bs);
        iso_json_end_array(json);
        iso_json_put_int(json, "rows", sensor->rows);
        iso_json_put_int(json, "columns", sensor->columns);
        iso_json_begin_array(json, "size");
        iso_json_put_number(json, NULL, sensor->width);
        iso_json_put_number(json, NULL, sensor->height);
        iso_json_end_array(json);
        iso_json_put_int(json, "value_count", sensor->value_count);
        put_texts(json, "value_names", sensor->value_names, sensor->name_count);
        put_texts(json, "value_units", sensor->value_units, sensor->name_count);
        iso_json_end_object(json);
    }
    iso_json_end_array(json);
}

void iso_view_put_pairs(iso_json* json, const iso_recorded_model* model,
                        const iso_pair_list* list) {
    iso_json_begin_array(json, "pairs");
    for (int i = 0; i < list->pairs.count; ++i) {
        const iso_pair* pair = &list->pairs.data[i];
        iso_json_begin_object(json, NULL);
        iso_json_put_text(json, "a", model->bodies[pair->body_a].name);
        iso_json_put_text(json, "b", model->bodies[pair->body_b].name);
        if (iso_pair_list_is_ambiguous(list, i)) {
            iso_json_put_text(json, "geometry_a", pair->geometry_a);
            iso_json_put_text(json, "geometry_b", pair->geometry_b);
        }
        iso_json_end_object(json);
    }
    iso_json_end_array(json);
}
