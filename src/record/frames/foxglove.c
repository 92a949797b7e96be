// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "record/frames/foxglove.h"

#include "record/json/json_text.h"

#include <stdio.h>

// The colour map viridis at 17 places, red green blue 0 to 255.
static const unsigned char k_viridis[17][3] = {
    {68, 1, 84},    {72, 24, 106},  {71, 45, 123},  {66, 64, 134},  {59, 82, 139},  {51, 99, 141},
    {44, 114, 142}, {38, 130, 142}, {33, 145, 140}, {31, 160, 136}, {40, 174, 128}, {63, 188, 115},
    {94, 201, 98},  {132, 212, 75}, {173, 220, 48}, {216, 226, 25}, {253, 231, 37},
};

static void put_moment(iso_json* json, const char* key, double time) {
    double whole = floor(time);
    iso_json_begin_object(json, key);
    iso_json_put_int(json, "sec", (int64_t)whole);
    iso_json_put_int(json, "nsec", (int64_t)((time - whole) * 1e9));
    iso_json_end_object(json);
}

static void put_vector(iso_json* json, const char* key, iso_vec3 v) {
    iso_json_begin_object(json, key);
    iso_json_put_float(json, "x", v.x);
    iso_json_put_float(json, "y", v.y);
    iso_json_put_float(json, "z", v.z);
    iso_json_end_object(json);
}

static void put_rotation(iso_json* json, const char* key, const iso_mat3* r) {
    iso_quat q = iso_quat_from_mat3(r);
    iso_json_begin_object(json, key);
    iso_json_put_float(json, "x", q.x);
    iso_json_put_float(json, "y", q.y);
    iso_json_put_float(json, "z", q.z);
    iso_json_put_float(json, "w", q.w);
    iso_json_end_object(json);
}

static void put_color(iso_json* json, const char* key, const double rgba[4]) {
    static const char* const names[4] = {"r", "g", "b", "a"};
    iso_json_begin_object(json, key);
    for (int i = 0; i < 4; ++i) {
        iso_json_put_float(json, names[i], rgba[i]);
    }
    iso_json_end_object(json);
}

static void put_pressure_color(iso_json* json, double pressure, double top_pressure) {
    double t = top_pressure > 0.0 ? pressure / top_pressure : 0.0;
    t = t > 0.0 ? (t < 1.0 ? t : 1.0) : 0.0; // also for NaN
    int low = t < 1.0 ? (int)(t * 16.0) : 15;
    double weight = t * 16.0 - low;
    double rgba[4] = {0.0, 0.0, 0.0, 1.0};
    for (int i = 0; i < 3; ++i) {
        double value = (1.0 - weight) * k_viridis[low][i] + weight * k_viridis[low + 1][i];
        rgba[i] = round(value / 255.0 * 1000.0) / 1000.0;
    }
    put_color(json, NULL, rgba);
}

void iso_encode_transforms(iso_bytes* out, const iso_recorded_model* model,
                           const iso_recorded_frame* frame) {
    iso_json json = iso_json_make(out);
    iso_json_begin_object(&json, NULL);
    iso_json_begin_array(&json, "transforms");
    for (int i = 1; i < model->body_count; ++i) {
        iso_json_begin_object(&json, NULL);
        put_moment(&json, "timestamp", frame->time);
        iso_json_put_text(&json, "parent_frame_id", model->bodies[0].name);
        iso_json_put_text(&json, "child_frame_id", model->bodies[i].name);
        put_vector(&json, "translation", frame->poses[i].p);
        put_rotation(&json, "rotation", &frame->poses[i].r);
        iso_json_end_object(&json);
    }
    iso_json_end_array(&json);
    iso_json_end_object(&json);
}

// Everything of a scene entity before its triangles.
static void begin_entity(iso_json* json, double time, const char* frame_id, const char* id) {
    static const char* const unused[] = {"metadata",  "arrows", "cubes", "spheres",
                                         "cylinders", "lines",  "texts", "models"};
    iso_json_begin_object(json, NULL);
    put_moment(json, "timestamp", time);
    iso_json_put_text(json, "frame_id", frame_id);
    iso_json_put_text(json, "id", id);
    put_moment(json, "lifetime", 0.0);
    iso_json_put_bool(json, "frame_locked", true);
    for (size_t i = 0; i < sizeof unused / sizeof unused[0]; ++i) {
        iso_json_begin_array(json, unused[i]);
        iso_json_end_array(json);
    }
    iso_json_begin_array(json, "triangles");
}

static void end_entity(iso_json* json) {
    iso_json_end_array(json);
    iso_json_end_object(json);
}

static void begin_triangles(iso_json* json, const iso_pose* pose) {
    iso_json_begin_object(json, NULL);
    iso_json_begin_object(json, "pose");
    put_vector(json, "position", pose->p);
    put_rotation(json, "orientation", &pose->r);
    iso_json_end_object(json);
}

static void put_surface(iso_json* json, const iso_body_surface* surface) {
    const iso_tri_mesh* mesh = surface->mesh;
    double rgba[4];
    begin_triangles(json, &surface->x_bg);
    iso_json_begin_array(json, "points");
    for (int i = 0; i < mesh->vertex_count; ++i) {
        put_vector(json, NULL, mesh->vertices[i]);
    }
    iso_json_end_array(json);
    for (int i = 0; i < 4; ++i) {
        rgba[i] = (double)surface->rgba[i];
    }
    put_color(json, "color", rgba);
    iso_json_begin_array(json, "colors");
    iso_json_end_array(json);
    iso_json_begin_array(json, "indices");
    for (int i = 0; i < mesh->triangle_count; ++i) {
        for (int k = 0; k < 3; ++k) {
            iso_json_put_int(json, NULL, mesh->triangles[i][k]);
        }
    }
    iso_json_end_array(json);
    iso_json_end_object(json);
}

static bool has_visuals(const iso_recorded_body* body) {
    for (int i = 0; i < body->surface_count; ++i) {
        if (!body->surfaces[i].is_collision) {
            return true;
        }
    }
    return false;
}

void iso_encode_body_scene(iso_bytes* out, const iso_recorded_model* model) {
    iso_json json = iso_json_make(out);
    iso_json_begin_object(&json, NULL);
    iso_json_begin_array(&json, "deletions");
    iso_json_end_array(&json);
    iso_json_begin_array(&json, "entities");
    for (int i = 0; i < model->body_count; ++i) {
        const iso_recorded_body* body = &model->bodies[i];
        bool shows_collision = !has_visuals(body);
        if (body->surface_count == 0) {
            continue;
        }
        begin_entity(&json, 0.0, body->name, body->name);
        for (int k = 0; k < body->surface_count; ++k) {
            if (body->surfaces[k].is_collision == shows_collision) {
                put_surface(&json, &body->surfaces[k]);
            }
        }
        end_entity(&json);
    }
    iso_json_end_array(&json);
    iso_json_end_object(&json);
}

// The faces of a patch as fans of triangles over shared points.
static void put_patch(iso_json* json, const iso_patch* patch, double top_pressure) {
    static const double white[4] = {1.0, 1.0, 1.0, 1.0};
    iso_pose identity = {iso_mat3_identity(), iso_vec3_zero()};
    begin_triangles(json, &identity);
    iso_json_begin_array(json, "points");
    for (int i = 0; i < patch->vertex_count; ++i) {
        put_vector(json, NULL, patch->vertices[i]);
    }
    iso_json_end_array(json);
    put_color(json, "color", white);
    iso_json_begin_array(json, "colors");
    for (int i = 0; i < patch->vertex_count; ++i) {
        put_pressure_color(json, patch->vertex_pressures[i], top_pressure);
    }
    iso_json_end_array(json);
    iso_json_begin_array(json, "indices");
    for (int f = 0; f < patch->face_count; ++f) {
        int first = patch->face_offsets[f];
        for (int i = first + 2; i < patch->face_offsets[f + 1]; ++i) {
            iso_json_put_int(json, NULL, first);
            iso_json_put_int(json, NULL, i - 1);
            iso_json_put_int(json, NULL, i);
        }
    }
    iso_json_end_array(json);
    iso_json_end_object(json);
}

void iso_encode_contact_scene(iso_bytes* out, const iso_recorded_frame* frame,
                              double top_pressure) {
    iso_json json = iso_json_make(out);
    iso_json_begin_object(&json, NULL);
    iso_json_begin_array(&json, "deletions"); // all of the frame before
    iso_json_begin_object(&json, NULL);
    put_moment(&json, "timestamp", frame->time);
    iso_json_put_int(&json, "type", 1);
    iso_json_put_text(&json, "id", "");
    iso_json_end_object(&json);
    iso_json_end_array(&json);
    iso_json_begin_array(&json, "entities");
    for (int i = 0; i < frame->contact_count; ++i) {
        const iso_contact* contact = &frame->contacts[i];
        if (contact->patch.face_offsets) {
            char id[32];
            snprintf(id, sizeof id, "contact %d", i);
            begin_entity(&json, frame->time, "world", id);
            put_patch(&json, &contact->patch, top_pressure);
            end_entity(&json);
        }
    }
    iso_json_end_array(&json);
    iso_json_end_object(&json);
}
