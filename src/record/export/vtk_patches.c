// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "record/export/vtk_file.h"
#include "record/export/vtk_text.h"

#include <string.h>

// Integers follow each other and shrink by much; doubles hardly do.
enum { INTEGER_LEVEL = 1, REAL_LEVEL = 0 };

// What a cell of a patch carries.
typedef enum face_field {
    FACE_PRESSURE,
    FACE_AREA,
    FACE_TRACTION,
    FACE_SLIP,
    FACE_STRETCH,
    FACE_SLIDING,
    FACE_NORMAL,
} face_field;

static const void* field_values(const iso_contact* contact, face_field field) {
    switch (field) {
    case FACE_PRESSURE:
        return contact->patch.pressures;
    case FACE_AREA:
        return contact->patch.areas;
    case FACE_TRACTION:
        return contact->tractions;
    case FACE_SLIP:
        return contact->slip_velocities;
    case FACE_STRETCH:
        return contact->stretches;
    case FACE_SLIDING:
        return contact->sliding;
    default:
        return contact->patch.normals;
    }
}

static int shown_faces(const iso_contact* contact) {
    return contact->patch.face_offsets ? contact->patch.face_count : 0;
}

// Whether friction has springs: then it has in all contacts with faces.
static bool has_springs(const iso_recorded_frame* frame) {
    bool has = false, has_not = false;
    for (int i = 0; i < frame->contact_count; ++i) {
        bool has_both = frame->contacts[i].stretches && frame->contacts[i].sliding;
        has = has || (shown_faces(&frame->contacts[i]) > 0 && has_both);
        has_not = has_not || (shown_faces(&frame->contacts[i]) > 0 && !has_both);
    }
    return has && !has_not;
}

static void put_face_field(iso_vtk_file* file, const iso_recorded_frame* frame, const char* name,
                           face_field field, int components) {
    for (int i = 0; i < frame->contact_count; ++i) {
        const iso_contact* contact = &frame->contacts[i];
        size_t count = (size_t)shown_faces(contact) * (size_t)components;
        iso_bytes_put(&file->values, field_values(contact, field), count * sizeof(double));
    }
    iso_vtk_file_put_array(file, "Float64", name, components, REAL_LEVEL);
}

// An integer per contact, repeated for its faces: the contact's index or a body's.
static void put_face_owner(iso_vtk_file* file, const iso_recorded_frame* frame, const char* name) {
    for (int i = 0; i < frame->contact_count; ++i) {
        const iso_contact* contact = &frame->contacts[i];
        int value = i;
        if (strcmp(name, "contact") != 0) {
            value = strcmp(name, "body_a") == 0 ? contact->body_a : contact->body_b;
        }
        for (int f = 0; f < shown_faces(contact); ++f) {
            iso_bytes_put_u32(&file->values, (uint32_t)value);
        }
    }
    iso_vtk_file_put_array(file, "Int32", name, 1, INTEGER_LEVEL);
}

static void put_patch_points(iso_vtk_file* file, const iso_recorded_frame* frame,
                             bool wants_pressures) {
    for (int i = 0; i < frame->contact_count; ++i) {
        const iso_patch* patch = &frame->contacts[i].patch;
        size_t count = shown_faces(&frame->contacts[i]) > 0 ? (size_t)patch->vertex_count : 0;
        if (wants_pressures) {
            iso_bytes_put(&file->values, patch->vertex_pressures, count * sizeof(double));
        } else {
            iso_bytes_put(&file->values, patch->vertices, count * sizeof(iso_vec3));
        }
    }
}

static void put_polygons(iso_vtk_file* file, const iso_recorded_frame* frame, int point_count) {
    for (int i = 0; i < point_count; ++i) {
        iso_bytes_put_u32(&file->values, (uint32_t)i); // vertices are not shared
    }
    iso_vtk_file_put_array(file, "Int32", "connectivity", 1, INTEGER_LEVEL);
    int first = 0;
    for (int i = 0; i < frame->contact_count; ++i) {
        const iso_patch* patch = &frame->contacts[i].patch;
        for (int f = 0; f < shown_faces(&frame->contacts[i]); ++f) {
            iso_bytes_put_u32(&file->values, (uint32_t)(first + patch->face_offsets[f + 1]));
        }
        first += shown_faces(&frame->contacts[i]) > 0 ? patch->vertex_count : 0;
    }
    iso_vtk_file_put_array(file, "Int32", "offsets", 1, INTEGER_LEVEL);
}

void iso_vtk_put_patches(iso_bytes* out, const iso_recorded_model* model,
                         const iso_recorded_frame* frame) {
    iso_vtk_file file = iso_vtk_file_make(out);
    int point_count = 0, face_count = 0;
    for (int i = 0; i < frame->contact_count; ++i) {
        int shown = shown_faces(&frame->contacts[i]);
        face_count += shown;
        point_count += shown > 0 ? frame->contacts[i].patch.vertex_count : 0;
    }
    iso_vtk_file_begin(&file, model, &frame->time, point_count, face_count);
    iso_bytes_put_line(out, "<PointData Scalars=\"pressure\">");
    put_patch_points(&file, frame, true);
    iso_vtk_file_put_array(&file, "Float64", "pressure", 1, REAL_LEVEL);
    iso_bytes_put_line(out, "</PointData><CellData Scalars=\"pressure\">");
    put_face_field(&file, frame, "pressure", FACE_PRESSURE, 1);
    put_face_field(&file, frame, "area", FACE_AREA, 1);
    put_face_field(&file, frame, "traction", FACE_TRACTION, 3);
    put_face_field(&file, frame, "slip_velocity", FACE_SLIP, 3);
    if (has_springs(frame)) {
        put_face_field(&file, frame, "stretch", FACE_STRETCH, 3);
        put_face_field(&file, frame, "sliding", FACE_SLIDING, 1);
    }
    put_face_field(&file, frame, "normal", FACE_NORMAL, 3);
    put_face_owner(&file, frame, "contact");
    put_face_owner(&file, frame, "body_a");
    put_face_owner(&file, frame, "body_b");
    iso_bytes_put_line(out, "</CellData><Points>");
    put_patch_points(&file, frame, false);
    iso_vtk_file_put_array(&file, "Float64", "points", 3, REAL_LEVEL);
    iso_bytes_put_line(out, "</Points><Polys>");
    put_polygons(&file, frame, point_count);
    iso_bytes_put_line(out, "</Polys>");
    iso_vtk_file_end(&file);
}
