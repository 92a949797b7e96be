// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "record/frames/foxglove.h"

#include "record/json/json_text.h"
#include "record/proto/proto_schema.h"
#include "record/proto/proto_write.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

// Fields of https://docs.foxglove.dev/docs/sdk/schemas, numbered from 1 in their order.
enum { k_deletions = 1, k_entities };
enum { k_deletion_timestamp = 1, k_deletion_type };
enum { k_timestamp = 1, k_frame_id, k_id, k_lifetime, k_frame_locked, k_triangles = 12 };
enum { k_pose = 1, k_points, k_color, k_colors, k_indices };
enum { k_position = 1, k_orientation };
enum { k_seconds = 1, k_nanoseconds };
#define DELETE_ALL 1

static const iso_proto_message k_times[2] = {
    {"Timestamp", "int64 seconds, int32 nanos", NULL},
    {"Duration", "int64 seconds, int32 nanos", NULL},
};

static const iso_proto_message k_scene[] = {
    {"Color", "double r, double g, double b, double a", NULL},
    {"Quaternion", "double x, double y, double z, double w", NULL},
    {"Vector3", "double x, double y, double z", NULL},
    {"Point3", "double x, double y, double z", NULL},
    {"Pose", "Vector3 position, Quaternion orientation", NULL},
    {"KeyValuePair", "string key, string value", NULL},
    {"ArrowPrimitive",
     "Pose pose, double shaft_length, double shaft_diameter, double head_length, "
     "double head_diameter, Color color",
     NULL},
    {"CubePrimitive", "Pose pose, Vector3 size, Color color", NULL},
    {"SpherePrimitive", "Pose pose, Vector3 size, Color color", NULL},
    {"CylinderPrimitive",
     "Pose pose, Vector3 size, double bottom_scale, double top_scale, Color color", NULL},
    {"LinePrimitive",
     "#Type type, Pose pose, double thickness, bool scale_invariant, *Point3 points, Color color, "
     "*Color colors, *fixed32 indices",
     "LINE_STRIP, LINE_LOOP, LINE_LIST"},
    {"TriangleListPrimitive",
     "Pose pose, *Point3 points, Color color, *Color colors, *fixed32 indices", NULL},
    {"TextPrimitive",
     "Pose pose, bool billboard, double font_size, bool scale_invariant, Color color, string text",
     NULL},
    {"ModelPrimitive",
     "Pose pose, Vector3 scale, Color color, bool override_color, string url, string media_type, "
     "bytes data",
     NULL},
    {"SceneEntityDeletion", "google.protobuf.Timestamp timestamp, #Type type, string id",
     "MATCHING_ID, ALL"},
    {"SceneEntity",
     "google.protobuf.Timestamp timestamp, string frame_id, string id, "
     "google.protobuf.Duration lifetime, bool frame_locked, *KeyValuePair metadata, "
     "*ArrowPrimitive arrows, *CubePrimitive cubes, *SpherePrimitive spheres, "
     "*CylinderPrimitive cylinders, *LinePrimitive lines, *TriangleListPrimitive triangles, "
     "*TextPrimitive texts, *ModelPrimitive models",
     NULL},
    {"SceneUpdate", "*SceneEntityDeletion deletions, *SceneEntity entities", NULL},
};

void iso_scene_put_schema(iso_bytes* out) {
    static const iso_proto_file files[] = {
        {.name = "google/protobuf/timestamp.proto",
         .package = "google.protobuf",
         .message_count = 1,
         .messages = &k_times[0]},
        {.name = "google/protobuf/duration.proto",
         .package = "google.protobuf",
         .message_count = 1,
         .messages = &k_times[1]},
        {.name = "foxglove/SceneUpdate.proto",
         .package = "foxglove",
         .message_count = sizeof k_scene / sizeof k_scene[0],
         .messages = k_scene,
         .imports = {"google/protobuf/timestamp.proto", "google/protobuf/duration.proto"}},
    };
    iso_proto_put_schema(out, files, sizeof files / sizeof files[0]);
}

// Viridis, to a thousandth.
static void find_color(double pressure, double top_pressure, double out_rgba[4]) {
    double t = top_pressure > 0.0 ? pressure / top_pressure : 0.0;
    t = t > 0.0 ? (t < 1.0 ? t : 1.0) : 0.0; // also for NaN
    int low = t < 1.0 ? (int)(t * 16.0) : 15;
    double weight = t * 16.0 - low;
    out_rgba[3] = 1.0;
    for (int i = 0; i < 3; ++i) {
        double value = (1.0 - weight) * k_viridis[low][i] + weight * k_viridis[low + 1][i];
        out_rgba[i] = round(value / 255.0 * 1000.0) / 1000.0;
    }
}

static void put_instant(iso_bytes* out, int field, double time) {
    double whole = floor(time);
    size_t start = iso_proto_begin(out, field);
    iso_proto_put_int(out, k_seconds, (int64_t)whole);
    iso_proto_put_int(out, k_nanoseconds, (int64_t)((time - whole) * 1e9));
    iso_proto_end(out, start);
}

// In single precision.
static void put_point(iso_bytes* out, int field, iso_vec3 p) {
    const double xyz[3] = {(double)(float)p.x, (double)(float)p.y, (double)(float)p.z};
    iso_proto_put_tuple(out, field, xyz, 3);
}

// Everything of a scene entity before its triangles.
static size_t begin_entity(iso_bytes* out, double time, const char* frame_id, const char* id) {
    size_t start = iso_proto_begin(out, k_entities);
    put_instant(out, k_timestamp, time);
    iso_proto_put_text(out, k_frame_id, frame_id);
    iso_proto_put_text(out, k_id, id);
    put_instant(out, k_lifetime, 0.0);
    iso_proto_put_int(out, k_frame_locked, true);
    return start;
}

static size_t begin_triangles(iso_bytes* out, const iso_pose* pose, const double rgba[4]) {
    size_t start = iso_proto_begin(out, k_triangles), place = iso_proto_begin(out, k_pose);
    iso_quat q = iso_quat_from_mat3(&pose->r);
    const double xyzw[4] = {q.x, q.y, q.z, q.w};
    put_point(out, k_position, pose->p);
    iso_proto_put_tuple(out, k_orientation, xyzw, 4);
    iso_proto_end(out, place);
    iso_proto_put_tuple(out, k_color, rgba, 4);
    return start;
}

static void put_surface(iso_bytes* out, const iso_body_surface* surface) {
    const iso_tri_mesh* mesh = surface->mesh;
    double rgba[4];
    for (int i = 0; i < 4; ++i) {
        rgba[i] = (double)surface->rgba[i];
    }
    size_t start = begin_triangles(out, &surface->x_bg, rgba);
    for (int i = 0; i < mesh->vertex_count; ++i) {
        put_point(out, k_points, mesh->vertices[i]);
    }
    size_t indices = iso_proto_begin(out, k_indices);
    for (int i = 0; i < mesh->triangle_count; ++i) {
        for (int k = 0; k < 3; ++k) {
            iso_bytes_put_u32(out, (uint32_t)mesh->triangles[i][k]);
        }
    }
    iso_proto_end(out, indices);
    iso_proto_end(out, start);
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
    for (int i = 0; i < model->body_count; ++i) {
        const iso_recorded_body* body = &model->bodies[i];
        bool shows_collision = !has_visuals(body);
        if (body->surface_count == 0) {
            continue;
        }
        size_t start = begin_entity(out, 0.0, body->name, body->name);
        for (int k = 0; k < body->surface_count; ++k) {
            if (body->surfaces[k].is_collision == shows_collision) {
                put_surface(out, &body->surfaces[k]);
            }
        }
        iso_proto_end(out, start);
    }
}

// Corners of neighbouring faces that fall on one point are kept once: the last ones that were met,
// by the bits of where they are. One that was forgotten comes again.
enum { k_known_corners = 1024 };

typedef struct known_corner {
    float at[3];
    double pressure;
    int number; ///< from 1; 0: none
} known_corner;

static known_corner* find_known(known_corner known[k_known_corners], const float at[3]) {
    uint32_t bits[3];
    memcpy(bits, at, sizeof bits);
    uint32_t mixed = (bits[0] * 73856093u) ^ (bits[1] * 19349663u) ^ (bits[2] * 83492791u);
    return &known[(mixed ^ mixed >> 15) & (k_known_corners - 1)];
}

// The number of a corner, which is added with its colour when it is new. What differs less in
// pressure than colours are rounded to is one.
static uint32_t put_corner(iso_bytes* out, known_corner known[k_known_corners], iso_vec3 p,
                           double pressure, double top_pressure, int* count) {
    const float at[3] = {(float)p.x, (float)p.y, (float)p.z};
    known_corner* found = find_known(known, at);
    if (found->number > 0 && memcmp(found->at, at, sizeof at) == 0 &&
        fabs(found->pressure - pressure) <= 1e-3 * top_pressure) {
        return (uint32_t)(found->number - 1);
    }
    double rgba[4];
    find_color(pressure, top_pressure, rgba);
    put_point(out, k_points, p);
    iso_proto_put_tuple(out, k_colors, rgba, 4);
    *found = (known_corner){{at[0], at[1], at[2]}, pressure, ++*count};
    return (uint32_t)(*count - 1);
}

// The faces of a patch as fans of triangles over shared points.
static void put_patch(iso_bytes* out, iso_bytes* indices, const iso_patch* patch,
                      double top_pressure) {
    static const double white[4] = {1.0, 1.0, 1.0, 1.0};
    known_corner known[k_known_corners];
    int count = 0;
    iso_pose identity = iso_pose_identity();
    size_t start = begin_triangles(out, &identity, white);
    for (int i = 0; i < k_known_corners; ++i) {
        known[i].number = 0;
    }
    iso_bytes_clear(indices);
    for (int f = 0; f < patch->face_count; ++f) {
        uint32_t first = 0, last = 0;
        for (int i = patch->face_offsets[f]; i < patch->face_offsets[f + 1]; ++i) {
            int place = i - patch->face_offsets[f];
            uint32_t corner = put_corner(out, known, patch->vertices[i], patch->vertex_pressures[i],
                                         top_pressure, &count);
            first = place == 0 ? corner : first;
            if (place > 1) {
                iso_bytes_put_u32(indices, first);
                iso_bytes_put_u32(indices, last);
                iso_bytes_put_u32(indices, corner);
            }
            last = corner;
        }
    }
    size_t all = iso_proto_begin(out, k_indices);
    iso_bytes_put(out, indices->data, indices->size);
    out->has_failed = out->has_failed || indices->has_failed;
    iso_proto_end(out, all);
    iso_proto_end(out, start);
}

void iso_encode_contact_scene(iso_bytes* out, iso_bytes* scratch, const iso_recorded_frame* frame,
                              bool with_faces, double top_pressure) {
    size_t deletion = iso_proto_begin(out, k_deletions); // all of the frame before
    put_instant(out, k_deletion_timestamp, frame->time);
    iso_proto_put_int(out, k_deletion_type, DELETE_ALL);
    iso_proto_end(out, deletion);
    for (int i = 0; i < frame->contact_count; ++i) {
        const iso_contact* contact = &frame->contacts[i];
        if (with_faces && contact->patch.face_offsets) {
            char id[32];
            snprintf(id, sizeof id, "contact %d", i);
            size_t start = begin_entity(out, frame->time, "world", id);
            put_patch(out, scratch, &contact->patch, top_pressure);
            iso_proto_end(out, start);
        }
    }
}
