// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "record/frames/encode.h"

#include "record/frames/origin.h"
#include "record/frames/schemas.h"
#include "record/json/json_text.h"

#include <stdio.h>

static void put_settings(iso_json* json, const iso_world_desc* settings) {
    const iso_contact_options* contact = &settings->contact;
    iso_json_begin_object(json, "settings");
    iso_json_put_number(json, "time_step", settings->time_step);
    iso_json_put_vec3(json, "gravity", settings->gravity);
    iso_json_put_text(json, "method", iso_name_of(ISO_NAMES_METHOD, (int)settings->method));
    iso_json_put_number(json, "accuracy", settings->accuracy);
    if (settings->error_control) {
        iso_json_put_bool(json, "error_control", true);
    }
    iso_json_put_int(json, "max_substeps", settings->max_substeps);
    if (settings->initial_step > 0.0) {
        iso_json_put_number(json, "initial_step", settings->initial_step);
    }
    if (settings->max_step > 0.0) {
        iso_json_put_number(json, "max_step", settings->max_step);
    }
    iso_json_put_int(json, "thread_count", settings->thread_count);
    iso_json_put_text(json, "representation",
                      iso_name_of(ISO_NAMES_REPRESENTATION, (int)contact->representation));
    iso_json_put_text(json, "cull", iso_name_of(ISO_NAMES_CULL, (int)contact->cull));
    iso_json_put_text(json, "combine", iso_name_of(ISO_NAMES_COMBINE, (int)contact->combine));
    iso_json_put_text(json, "damping", iso_name_of(ISO_NAMES_DAMPING, (int)contact->damping));
    iso_json_put_text(json, "regularization",
                      iso_name_of(ISO_NAMES_REGULARIZATION, (int)contact->regularization));
    iso_json_put_number(json, "rigid_layer_thickness", contact->rigid_layer_thickness);
    iso_json_put_number(json, "rigid_layer_modulus", contact->rigid_layer_modulus);
    iso_json_put_number(json, "stiction_velocity", contact->stiction_velocity);
    iso_json_put_text(json, "friction",
                      iso_name_of(ISO_NAMES_FRICTION_MODEL, (int)contact->friction));
    iso_json_put_text(json, "friction_law",
                      iso_name_of(ISO_NAMES_FRICTION_LAW, (int)contact->friction_law));
    iso_json_put_number(json, "friction_stiffness", contact->friction_stiffness);
    iso_json_put_number(json, "friction_damping_time", contact->friction_damping_time);
    if (contact->brush_size > 0.0) {
        iso_json_put_number(json, "brush_size", contact->brush_size);
    }
    iso_json_put_text(json, "contact_model",
                      iso_name_of(ISO_NAMES_CONTACT_MODEL_KIND, (int)contact->model));
    iso_json_end_object(json);
}

static void put_pose(iso_json* json, const char* key, const iso_pose* pose) {
    iso_json_begin_array(json, key);
    iso_json_put_pose_values(json, pose);
    iso_json_end_array(json);
}

static void put_surface(iso_json* json, const iso_body_surface* surface) {
    const iso_tri_mesh* mesh = surface->mesh;
    iso_json_begin_object(json, NULL);
    iso_json_put_text(json, "name", surface->name);
    iso_json_put_text(json, "role", surface->is_collision ? "collision" : "visual");
    put_pose(json, "pose", &surface->x_bg);
    iso_json_begin_array(json, "color");
    for (int i = 0; i < 4; ++i) {
        iso_json_put_float(json, NULL, (double)surface->rgba[i]);
    }
    iso_json_end_array(json);
    iso_json_put_vec3s(json, "vertices", mesh->vertices, mesh->vertex_count);
    iso_json_begin_array(json, "triangles");
    for (int i = 0; i < mesh->triangle_count; ++i) {
        for (int k = 0; k < 3; ++k) {
            iso_json_put_int(json, NULL, mesh->triangles[i][k]);
        }
    }
    iso_json_end_array(json);
    iso_json_end_object(json);
}

static void put_body(iso_json* json, const iso_recorded_body* body) {
    iso_json_begin_object(json, NULL);
    iso_json_put_text(json, "name", body->name);
    iso_json_put_bool(json, "is_fixed", body->is_fixed);
    iso_json_put_number(json, "mass", body->mass);
    iso_json_begin_array(json, "surfaces");
    for (int i = 0; i < body->surface_count; ++i) {
        put_surface(json, &body->surfaces[i]);
    }
    iso_json_end_array(json);
    iso_json_end_object(json);
}

static void put_texts(iso_json* json, const char* key, const char* const* texts, int count) {
    iso_json_begin_array(json, key);
    for (int i = 0; i < count; ++i) {
        iso_json_put_text(json, NULL, texts[i]);
    }
    iso_json_end_array(json);
}

static void put_sensors(iso_json* json, const iso_recorded_model* model) {
    iso_json_begin_array(json, "sensors");
    for (int i = 0; i < model->sensor_count; ++i) {
        const iso_recorded_sensor* sensor = &model->sensors[i];
        const double size[2] = {sensor->width, sensor->height};
        iso_json_begin_object(json, NULL);
        iso_json_put_text(json, "name", sensor->name);
        iso_json_put_text(json, "kind", iso_name_of(ISO_NAMES_SENSOR_KIND, (int)sensor->kind));
        iso_json_put_text(json, "body", sensor->body);
        put_pose(json, "pose", &sensor->x_bs);
        iso_json_put_int(json, "rows", sensor->rows);
        iso_json_put_int(json, "columns", sensor->columns);
        iso_json_put_numbers(json, "size", size, 2);
        iso_json_put_int(json, "value_count", sensor->value_count);
        put_texts(json, "value_names", sensor->value_names, sensor->name_count);
        put_texts(json, "value_units", sensor->value_units, sensor->name_count);
        iso_json_end_object(json);
    }
    iso_json_end_array(json);
}

void iso_encode_sensors(iso_bytes* out, const iso_recorded_model* model,
                        const iso_recorded_frame* frame) {
    iso_json json = iso_json_make(out);
    iso_json_begin_object(&json, NULL);
    iso_json_put_number(&json, "time", frame->time);
    iso_json_begin_array(&json, "sensors");
    for (int i = 0; i < model->sensor_count; ++i) {
        const iso_recorded_sensor* sensor = &model->sensors[i];
        iso_json_begin_object(&json, NULL);
        iso_json_put_text(&json, "name", sensor->name);
        iso_json_put_numbers(&json, "values", frame->sensor_values + sensor->value_index,
                             sensor->value_count);
        iso_json_end_object(&json);
    }
    iso_json_end_array(&json);
    iso_json_end_object(&json);
}

void iso_encode_model(iso_bytes* out, const iso_recorded_model* model) {
    iso_json json = iso_json_make(out);
    iso_json_begin_object(&json, NULL);
    iso_json_put_text(&json, "format", ISO_RECORDING_FORMAT);
    iso_json_put_text(&json, "isobar_version", model->isobar_version);
    iso_json_put_text(&json, "scene", model->scene_name);
    put_settings(&json, &model->settings);
    iso_json_begin_array(&json, "bodies");
    for (int i = 0; i < model->body_count; ++i) {
        put_body(&json, &model->bodies[i]);
    }
    iso_json_end_array(&json);
    iso_json_begin_array(&json, "joints");
    for (int i = 0; i < model->joint_count; ++i) {
        iso_json_begin_object(&json, NULL);
        iso_json_put_text(&json, "name", model->joints[i].name);
        iso_json_put_text(&json, "kind",
                          iso_name_of(ISO_NAMES_JOINT_KIND, (int)model->joints[i].kind));
        iso_json_end_object(&json);
    }
    iso_json_end_array(&json);
    put_sensors(&json, model);
    iso_encode_origin(&json, model);
    iso_json_end_object(&json);
}

void iso_encode_state(iso_bytes* out, const iso_recorded_model* model,
                      const iso_recorded_frame* frame) {
    char hash[24];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)frame->state_hash);
    iso_json json = iso_json_make(out);
    iso_json_begin_object(&json, NULL);
    iso_json_put_number(&json, "time", frame->time);
    iso_json_put_int(&json, "step_count", frame->step_count);
    iso_json_put_text(&json, "state_hash", hash);
    iso_json_begin_array(&json, "poses");
    for (int i = 0; i < model->body_count; ++i) {
        iso_json_put_pose_values(&json, &frame->poses[i]);
    }
    iso_json_end_array(&json);
    iso_json_begin_array(&json, "twists");
    for (int i = 0; i < model->body_count; ++i) {
        iso_spatial v_wb = frame->twists[i];
        iso_json_put_vec3_values(&json, v_wb.rotational);
        iso_json_put_vec3_values(&json, v_wb.translational);
    }
    iso_json_end_array(&json);
    iso_json_put_numbers(&json, "joint_positions", frame->joint_positions, model->joint_count);
    iso_json_put_numbers(&json, "joint_velocities", frame->joint_velocities, model->joint_count);
    iso_json_put_numbers(&json, "joint_efforts", frame->joint_efforts, model->joint_count);
    iso_json_end_object(&json);
}

static void put_faces(iso_json* json, const iso_contact* contact) {
    const iso_patch* patch = &contact->patch;
    int n = patch->face_count;
    iso_json_begin_object(json, "polygons");
    iso_json_begin_array(json, "counts");
    for (int f = 0; f < n; ++f) {
        iso_json_put_int(json, NULL, patch->face_offsets[f + 1] - patch->face_offsets[f]);
    }
    iso_json_end_array(json);
    iso_json_put_vec3s(json, "vertices", patch->vertices, patch->vertex_count);
    iso_json_put_numbers(json, "vertex_pressures", patch->vertex_pressures, patch->vertex_count);
    iso_json_put_numbers(json, "areas", patch->areas, n);
    iso_json_put_vec3s(json, "centroids", patch->centroids, n);
    iso_json_put_vec3s(json, "normals", patch->normals, n);
    iso_json_put_numbers(json, "pressures", patch->pressures, n);
    iso_json_put_vec3s(json, "tractions", contact->tractions, n);
    iso_json_put_vec3s(json, "slip_velocities", contact->slip_velocities, n);
    if (contact->stretches && contact->sliding) {
        iso_json_put_vec3s(json, "stretches", contact->stretches, n);
        iso_json_put_numbers(json, "sliding", contact->sliding, n);
    }
    iso_json_end_object(json);
}

static void put_contact(iso_json* json, const iso_contact* contact, bool with_faces) {
    const iso_patch* patch = &contact->patch;
    iso_json_begin_object(json, NULL);
    iso_json_put_text(json, "a", contact->body_name_a);
    iso_json_put_text(json, "b", contact->body_name_b);
    iso_json_put_text(json, "geometry_a", contact->geometry_name_a);
    iso_json_put_text(json, "geometry_b", contact->geometry_name_b);
    iso_json_put_int(json, "body_a", contact->body_a);
    iso_json_put_int(json, "body_b", contact->body_b);
    iso_json_put_bool(json, "is_rigid_a", patch->is_rigid_a);
    iso_json_put_bool(json, "is_rigid_b", patch->is_rigid_b);
    iso_json_put_int(json, "faces", patch->face_count);
    iso_json_put_number(json, "area", patch->area);
    iso_json_put_vec3(json, "force", contact->f_b_w.translational);
    iso_json_put_vec3(json, "moment", contact->f_b_w.rotational);
    iso_json_put_vec3(json, "center_of_pressure", patch->center_of_pressure);
    iso_json_put_vec3(json, "centroid", patch->centroid);
    iso_json_put_number(json, "max_pressure", patch->max_pressure);
    iso_json_put_number(json, "elastic_energy", contact->elastic_energy);
    iso_json_put_bool(json, "is_energy_exact", contact->is_energy_exact);
    iso_json_put_number(json, "extent_a", contact->extent_a);
    iso_json_put_number(json, "extent_b", contact->extent_b);
    iso_json_put_number(json, "sheet_thickness", contact->sheet_thickness);
    iso_json_put_number(json, "sheet_depth", contact->sheet_depth);
    if (contact->manifold != ISO_MANIFOLD_PATCH) {
        iso_json_put_text(json, "model", contact->model);
        iso_json_put_int(json, "manifold", (int)contact->manifold);
        iso_json_put_vec3(json, "normal", contact->normal);
    }
    if (with_faces && patch->face_offsets) {
        put_faces(json, contact);
    }
    iso_json_end_object(json);
}

void iso_encode_contacts(iso_bytes* out, const iso_recorded_frame* frame, bool with_faces) {
    iso_json json = iso_json_make(out);
    iso_json_begin_object(&json, NULL);
    iso_json_put_number(&json, "time", frame->time);
    iso_json_begin_array(&json, "contacts");
    for (int i = 0; i < frame->contact_count; ++i) {
        put_contact(&json, &frame->contacts[i], with_faces);
    }
    iso_json_end_array(&json);
    iso_json_end_object(&json);
}

void iso_encode_event(iso_bytes* out, const iso_event* event) {
    if (out->size > 0) {
        iso_bytes_put(out, ",", 1);
    }
    iso_json json = iso_json_make(out);
    iso_json_begin_object(&json, NULL);
    iso_json_put_text(&json, "kind", iso_name_of(ISO_NAMES_EVENT_KIND, (int)event->kind));
    iso_json_put_number(&json, "time", event->time);
    iso_json_put_text(&json, "name", event->function_name);
    iso_json_put_int(&json, "body_a", event->body_a);
    iso_json_put_int(&json, "body_b", event->body_b);
    iso_json_put_text(&json, "geometry_a", event->geometry_name_a);
    iso_json_put_text(&json, "geometry_b", event->geometry_name_b);
    iso_json_put_int(&json, "direction", event->direction);
    iso_json_end_object(&json);
}

void iso_encode_events(iso_bytes* out, const char* events, size_t size) {
    iso_bytes_put(out, "{\"events\":[", 11);
    iso_bytes_put(out, events, size);
    iso_bytes_put(out, "]}", 2);
}

void iso_encode_energy(iso_bytes* out, const iso_recorded_frame* frame) {
    const iso_energy* energy = &frame->energy;
    iso_json json = iso_json_make(out);
    iso_json_begin_object(&json, NULL);
    iso_json_put_number(&json, "time", frame->time);
#define PUT(name) iso_json_put_number(&json, #name, energy->name);
    ISO_RECORDED_ENERGIES(PUT)
    ISO_LATER_ENERGIES(PUT)
#undef PUT
    iso_json_end_object(&json);
}
