// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "record/vtk_text.h"

#include "record/number_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// A file in the making: its XML text, and the raw arrays that follow it.
typedef struct vtp {
    iso_bytes* xml;
    iso_bytes raw;
    size_t array_start;
} vtp;

// An array: announced in the XML, then its bytes, which begin with their number.
static void begin_array(vtp* file, const char* type, const char* name, int components) {
    iso_bytes_put_line(
        file->xml,
        "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"appended\" "
        "offset=\"%zu\"/>",
        type, name, components, file->raw.size);
    iso_bytes_put_u64(&file->raw, 0);
    file->array_start = file->raw.size;
}

static void end_array(vtp* file) {
    iso_bytes_set_u64(&file->raw, file->array_start - 8, file->raw.size - file->array_start);
}

// The names of all bodies, as character codes ended by zeros.
static void put_names(vtp* file, const iso_recorded_model* model) {
    iso_bytes_put_line(
        file->xml,
        "<Array type=\"String\" Name=\"body_names\" NumberOfTuples=\"%d\" format=\"ascii\">",
        model->body_count);
    for (int i = 0; i < model->body_count; ++i) {
        for (const char* c = model->bodies[i].name; *c; ++c) {
            char code[8];
            int length = snprintf(code, sizeof code, "%u ", (unsigned)(unsigned char)*c);
            iso_bytes_put(file->xml, code, (size_t)length);
        }
        iso_bytes_put(file->xml, "0\n", 2);
    }
    iso_bytes_put_line(file->xml, "</Array>");
}

static void begin_file(vtp* file, const iso_recorded_model* model, const iso_recorded_frame* frame,
                       int point_count, int cell_count) {
    char time[ISO_NUMBER_TEXT_SIZE] = "0";
    if (isfinite(frame->time)) {
        iso_number_format(frame->time, time);
    }
    iso_bytes_put_line(file->xml, "<?xml version=\"1.0\"?>");
    iso_bytes_put_line(file->xml,
                       "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" "
                       "header_type=\"UInt64\">");
    iso_bytes_put_line(file->xml, "<PolyData><FieldData>");
    iso_bytes_put_line(file->xml,
                       "<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" "
                       "format=\"ascii\">%s</DataArray>",
                       time);
    put_names(file, model);
    iso_bytes_put_line(file->xml, "</FieldData>");
    iso_bytes_put_line(file->xml,
                       "<Piece NumberOfPoints=\"%d\" NumberOfVerts=\"0\" NumberOfLines=\"0\" "
                       "NumberOfStrips=\"0\" NumberOfPolys=\"%d\">",
                       point_count, cell_count);
}

static void end_file(vtp* file) {
    iso_bytes_put_line(file->xml, "</Piece></PolyData>");
    iso_bytes_put_line(file->xml, "<AppendedData encoding=\"raw\">");
    iso_bytes_put(file->xml, "_", 1); // the arrays' offsets count from here
    iso_bytes_put(file->xml, file->raw.data, file->raw.size);
    iso_bytes_put_line(file->xml, "\n</AppendedData></VTKFile>");
    file->xml->has_failed = file->xml->has_failed || file->raw.has_failed;
    iso_bytes_free(&file->raw);
}

static void put_u32(vtp* file, int value) {
    iso_bytes_put_u32(&file->raw, (uint32_t)value);
}

// Visit every surface of every body.
typedef void (*surface_fn)(vtp* file, const iso_recorded_frame* frame, int body,
                           const iso_body_surface* surface);
static void each_surface(vtp* file, const iso_recorded_model* model,
                         const iso_recorded_frame* frame, surface_fn visit) {
    for (int i = 0; i < model->body_count; ++i) {
        for (int k = 0; k < model->bodies[i].surface_count; ++k) {
            visit(file, frame, i, &model->bodies[i].surfaces[k]);
        }
    }
}

static void put_surface_points(vtp* file, const iso_recorded_frame* frame, int body,
                               const iso_body_surface* surface) {
    iso_pose x_wg = iso_pose_mul(&frame->poses[body], &surface->x_bg);
    for (int i = 0; i < surface->mesh->vertex_count; ++i) {
        iso_vec3 p = iso_pose_point(&x_wg, surface->mesh->vertices[i]);
        iso_bytes_put(&file->raw, &p, sizeof p);
    }
}

static void put_surface_bodies(vtp* file, const iso_recorded_frame* frame, int body,
                               const iso_body_surface* surface) {
    (void)frame;
    for (int i = 0; i < surface->mesh->triangle_count; ++i) {
        put_u32(file, body);
    }
}

static void put_surface_roles(vtp* file, const iso_recorded_frame* frame, int body,
                              const iso_body_surface* surface) {
    (void)frame;
    (void)body;
    for (int i = 0; i < surface->mesh->triangle_count; ++i) {
        iso_bytes_put_u8(&file->raw, surface->is_collision ? 1 : 0);
    }
}

static void put_surface_colors(vtp* file, const iso_recorded_frame* frame, int body,
                               const iso_body_surface* surface) {
    (void)frame;
    (void)body;
    for (int i = 0; i < surface->mesh->triangle_count; ++i) {
        for (int k = 0; k < 4; ++k) {
            float value = fminf(fmaxf(surface->rgba[k], 0.0F), 1.0F);
            iso_bytes_put_u8(&file->raw, (unsigned)lroundf(255.0F * value));
        }
    }
}

static void put_triangles(vtp* file, const iso_recorded_model* model) {
    int first = 0;
    for (int i = 0; i < model->body_count; ++i) {
        for (int k = 0; k < model->bodies[i].surface_count; ++k) {
            const iso_tri_mesh* mesh = model->bodies[i].surfaces[k].mesh;
            for (int t = 0; t < mesh->triangle_count; ++t) {
                put_u32(file, first + mesh->triangles[t][0]);
                put_u32(file, first + mesh->triangles[t][1]);
                put_u32(file, first + mesh->triangles[t][2]);
            }
            first += mesh->vertex_count;
        }
    }
}

void iso_vtk_put_bodies(iso_bytes* out, const iso_recorded_model* model,
                        const iso_recorded_frame* frame) {
    vtp file = {out, iso_bytes_make(out->ctx), 0};
    int point_count = 0, triangle_count = 0;
    for (int i = 0; i < model->body_count; ++i) {
        for (int k = 0; k < model->bodies[i].surface_count; ++k) {
            point_count += model->bodies[i].surfaces[k].mesh->vertex_count;
            triangle_count += model->bodies[i].surfaces[k].mesh->triangle_count;
        }
    }
    begin_file(&file, model, frame, point_count, triangle_count);
    iso_bytes_put_line(out, "<CellData Scalars=\"body\">");
    begin_array(&file, "Int32", "body", 1);
    each_surface(&file, model, frame, put_surface_bodies);
    end_array(&file);
    begin_array(&file, "UInt8", "is_collision", 1);
    each_surface(&file, model, frame, put_surface_roles);
    end_array(&file);
    begin_array(&file, "UInt8", "rgba", 4);
    each_surface(&file, model, frame, put_surface_colors);
    end_array(&file);
    iso_bytes_put_line(out, "</CellData><Points>");
    begin_array(&file, "Float64", "points", 3);
    each_surface(&file, model, frame, put_surface_points);
    end_array(&file);
    iso_bytes_put_line(out, "</Points><Polys>");
    begin_array(&file, "Int32", "connectivity", 1);
    put_triangles(&file, model);
    end_array(&file);
    begin_array(&file, "Int32", "offsets", 1);
    for (int i = 1; i <= triangle_count; ++i) {
        put_u32(&file, 3 * i);
    }
    end_array(&file);
    iso_bytes_put_line(out, "</Polys>");
    end_file(&file);
}

// What a cell of a patch carries.
typedef enum face_field {
    FACE_PRESSURE,
    FACE_AREA,
    FACE_TRACTION,
    FACE_SLIP,
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
    default:
        return contact->patch.normals;
    }
}

static int shown_faces(const iso_contact* contact) {
    return contact->patch.face_offsets ? contact->patch.face_count : 0;
}

static void put_face_field(vtp* file, const iso_recorded_frame* frame, const char* name,
                           face_field field, int components) {
    begin_array(file, "Float64", name, components);
    for (int i = 0; i < frame->contact_count; ++i) {
        const iso_contact* contact = &frame->contacts[i];
        size_t count = (size_t)shown_faces(contact) * (size_t)components;
        iso_bytes_put(&file->raw, field_values(contact, field), count * sizeof(double));
    }
    end_array(file);
}

// An integer per contact, repeated for its faces: the contact's index or a body's.
static void put_face_owner(vtp* file, const iso_recorded_frame* frame, const char* name) {
    begin_array(file, "Int32", name, 1);
    for (int i = 0; i < frame->contact_count; ++i) {
        const iso_contact* contact = &frame->contacts[i];
        int value = i;
        if (strcmp(name, "contact") != 0) {
            value = strcmp(name, "body_a") == 0 ? contact->body_a : contact->body_b;
        }
        for (int f = 0; f < shown_faces(contact); ++f) {
            put_u32(file, value);
        }
    }
    end_array(file);
}

static void put_patch_points(vtp* file, const iso_recorded_frame* frame, bool wants_pressures) {
    for (int i = 0; i < frame->contact_count; ++i) {
        const iso_patch* patch = &frame->contacts[i].patch;
        size_t count = shown_faces(&frame->contacts[i]) > 0 ? (size_t)patch->vertex_count : 0;
        if (wants_pressures) {
            iso_bytes_put(&file->raw, patch->vertex_pressures, count * sizeof(double));
        } else {
            iso_bytes_put(&file->raw, patch->vertices, count * sizeof(iso_vec3));
        }
    }
}

static void put_polygons(vtp* file, const iso_recorded_frame* frame, int point_count) {
    begin_array(file, "Int32", "connectivity", 1);
    for (int i = 0; i < point_count; ++i) {
        put_u32(file, i); // vertices are not shared
    }
    end_array(file);
    begin_array(file, "Int32", "offsets", 1);
    int first = 0;
    for (int i = 0; i < frame->contact_count; ++i) {
        const iso_patch* patch = &frame->contacts[i].patch;
        for (int f = 0; f < shown_faces(&frame->contacts[i]); ++f) {
            put_u32(file, first + patch->face_offsets[f + 1]);
        }
        first += shown_faces(&frame->contacts[i]) > 0 ? patch->vertex_count : 0;
    }
    end_array(file);
}

void iso_vtk_put_patches(iso_bytes* out, const iso_recorded_model* model,
                         const iso_recorded_frame* frame) {
    vtp file = {out, iso_bytes_make(out->ctx), 0};
    int point_count = 0, face_count = 0;
    for (int i = 0; i < frame->contact_count; ++i) {
        int shown = shown_faces(&frame->contacts[i]);
        face_count += shown;
        point_count += shown > 0 ? frame->contacts[i].patch.vertex_count : 0;
    }
    begin_file(&file, model, frame, point_count, face_count);
    iso_bytes_put_line(out, "<PointData Scalars=\"pressure\">");
    begin_array(&file, "Float64", "pressure", 1);
    put_patch_points(&file, frame, true);
    end_array(&file);
    iso_bytes_put_line(out, "</PointData><CellData Scalars=\"pressure\">");
    put_face_field(&file, frame, "pressure", FACE_PRESSURE, 1);
    put_face_field(&file, frame, "area", FACE_AREA, 1);
    put_face_field(&file, frame, "traction", FACE_TRACTION, 3);
    put_face_field(&file, frame, "slip_velocity", FACE_SLIP, 3);
    put_face_field(&file, frame, "normal", FACE_NORMAL, 3);
    put_face_owner(&file, frame, "contact");
    put_face_owner(&file, frame, "body_a");
    put_face_owner(&file, frame, "body_b");
    iso_bytes_put_line(out, "</CellData><Points>");
    begin_array(&file, "Float64", "points", 3);
    put_patch_points(&file, frame, false);
    end_array(&file);
    iso_bytes_put_line(out, "</Points><Polys>");
    put_polygons(&file, frame, point_count);
    iso_bytes_put_line(out, "</Polys>");
    end_file(&file);
}
