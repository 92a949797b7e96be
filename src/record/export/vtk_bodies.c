// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/fail.h"
#include "record/export/vtk_file.h"
#include "record/export/vtk_text.h"

#include <math.h>

// What is packed once may take its time; points, which every frame writes, hardly shrink.
enum { CELL_LEVEL = 6, POINT_LEVEL = 0 };

/// The values of one array, gathered over the surfaces.
typedef struct surface_values {
    iso_bytes bytes;
    const iso_recorded_frame* frame; ///< of points
    int first_vertex;                ///< of the next surface
} surface_values;

typedef void (*surface_fn)(surface_values* out, int body, const iso_body_surface* surface);

// Visit every surface of every body of the part.
static void each_surface(const iso_vtk_bodies* bodies, surface_values* out, surface_fn visit) {
    const iso_recorded_model* model = bodies->model;
    iso_bytes_clear(&out->bytes);
    out->first_vertex = 0;
    for (int i = 0; i < model->body_count; ++i) {
        bool is_in =
            bodies->part == ISO_VTK_ALL || bodies->is_still[i] == (bodies->part == ISO_VTK_STILL);
        for (int k = 0; is_in && k < model->bodies[i].surface_count; ++k) {
            visit(out, i, &model->bodies[i].surfaces[k]);
        }
    }
}

static void put_points(surface_values* out, int body, const iso_body_surface* surface) {
    iso_pose x_wg = iso_pose_mul(&out->frame->poses[body], &surface->x_bg);
    for (int i = 0; i < surface->mesh->vertex_count; ++i) {
        iso_vec3 p = iso_pose_point(&x_wg, surface->mesh->vertices[i]);
        const float point[3] = {(float)p.x, (float)p.y, (float)p.z};
        iso_bytes_put(&out->bytes, point, sizeof point);
    }
}

static void put_body(surface_values* out, int body, const iso_body_surface* surface) {
    for (int i = 0; i < surface->mesh->triangle_count; ++i) {
        iso_bytes_put_u32(&out->bytes, (uint32_t)body);
    }
}

static void put_role(surface_values* out, int body, const iso_body_surface* surface) {
    (void)body;
    for (int i = 0; i < surface->mesh->triangle_count; ++i) {
        iso_bytes_put_u8(&out->bytes, surface->is_collision ? 1 : 0);
    }
}

static void put_color(surface_values* out, int body, const iso_body_surface* surface) {
    (void)body;
    for (int i = 0; i < surface->mesh->triangle_count; ++i) {
        for (int k = 0; k < 4; ++k) {
            float value = fminf(fmaxf(surface->rgba[k], 0.0F), 1.0F);
            iso_bytes_put_u8(&out->bytes, (unsigned)lroundf(255.0F * value));
        }
    }
}

static void put_triangles(surface_values* out, int body, const iso_body_surface* surface) {
    const iso_tri_mesh* mesh = surface->mesh;
    (void)body;
    for (int i = 0; i < 3 * mesh->triangle_count; ++i) {
        int vertex = out->first_vertex + mesh->triangles[i / 3][i % 3];
        iso_bytes_put_u32(&out->bytes, (uint32_t)vertex);
    }
    out->first_vertex += mesh->vertex_count;
}

static void put_offsets(surface_values* out, int triangle_count) {
    iso_bytes_clear(&out->bytes);
    for (int i = 1; i <= triangle_count; ++i) {
        iso_bytes_put_u32(&out->bytes, 3 * (uint32_t)i);
    }
}

static void pack(iso_vtk_bodies* bodies, iso_bytes* xml, const char* type, const char* name,
                 int components, const surface_values* values) {
    iso_vtk_put_array(xml, &bodies->raw, type, name, components, &values->bytes, CELL_LEVEL);
}

iso_status iso_vtk_bodies_init(iso_vtk_bodies* bodies, iso_context* ctx,
                               const iso_recorded_model* model, const bool* is_still,
                               iso_vtk_part part) {
    surface_values values = {iso_bytes_make(ctx), NULL, 0};
    iso_bytes empty = values.bytes;
    *bodies = (iso_vtk_bodies){model, is_still, part, 0, 0, empty, empty, empty};
    iso_status status = ISO_OK;
    each_surface(bodies, &values, put_triangles);
    bodies->point_count = values.first_vertex;
    bodies->triangle_count = (int)(values.bytes.size / (3 * sizeof(uint32_t)));
    pack(bodies, &bodies->polygons_xml, "Int32", "connectivity", 1, &values);
    put_offsets(&values, bodies->triangle_count);
    pack(bodies, &bodies->polygons_xml, "Int32", "offsets", 1, &values);
    each_surface(bodies, &values, put_body);
    pack(bodies, &bodies->data_xml, "Int32", "body", 1, &values);
    each_surface(bodies, &values, put_role);
    pack(bodies, &bodies->data_xml, "UInt8", "is_collision", 1, &values);
    each_surface(bodies, &values, put_color);
    pack(bodies, &bodies->data_xml, "UInt8", "rgba", 4, &values);
    iso_bytes_free(&values.bytes);
    ISO_TRY(iso_bytes_status(&bodies->raw));
    ISO_TRY(iso_bytes_status(&bodies->data_xml));
    ISO_TRY(iso_bytes_status(&bodies->polygons_xml));

done:
    if (status != ISO_OK) {
        iso_vtk_bodies_free(bodies);
    }
    return status;
}

void iso_vtk_bodies_free(iso_vtk_bodies* bodies) {
    iso_bytes_free(&bodies->data_xml);
    iso_bytes_free(&bodies->polygons_xml);
    iso_bytes_free(&bodies->raw);
}

void iso_vtk_put_bodies(iso_bytes* out, const iso_vtk_bodies* bodies,
                        const iso_recorded_frame* frame) {
    iso_vtk_file file = iso_vtk_file_make(out);
    surface_values points = {iso_bytes_make(out->ctx), frame, 0};
    iso_vtk_file_begin(&file, bodies->model, bodies->part == ISO_VTK_STILL ? NULL : &frame->time,
                       bodies->point_count, bodies->triangle_count);
    iso_bytes_put(&file.raw, bodies->raw.data, bodies->raw.size);
    iso_bytes_put_line(out, "<CellData Scalars=\"body\">");
    iso_bytes_put(out, bodies->data_xml.data, bodies->data_xml.size);
    iso_bytes_put_line(out, "</CellData><Points>");
    each_surface(bodies, &points, put_points);
    iso_vtk_put_array(out, &file.raw, "Float32", "points", 3, &points.bytes, POINT_LEVEL);
    iso_bytes_put_line(out, "</Points><Polys>");
    iso_bytes_put(out, bodies->polygons_xml.data, bodies->polygons_xml.size);
    iso_bytes_put_line(out, "</Polys>");
    iso_bytes_free(&points.bytes);
    iso_vtk_file_end(&file);
}
