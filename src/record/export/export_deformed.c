// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/fail.h"
#include "record/export/export_file.h"
#include "record/json/number_text.h"

#include <stdio.h>
#include <string.h>

#define NAME_SIZE 256

static void put_number(iso_bytes* out, double value, char end) {
    char text[ISO_NUMBER_TEXT_SIZE + 1];
    int length = iso_number_format(value, text);
    text[length] = end;
    iso_bytes_put(out, text, (size_t)length + 1);
}

static void put_points(iso_bytes* out, const char* title, const char* dataset,
                       const iso_deformed* d, int begin, int end) {
    iso_bytes_put_line(out, "# vtk DataFile Version 3.0");
    iso_bytes_put_line(out, "%s", title);
    iso_bytes_put_line(out, "ASCII");
    iso_bytes_put_line(out, "DATASET %s", dataset);
    iso_bytes_put_line(out, "POINTS %d double", end - begin);
    for (int i = begin; i < end; ++i) {
        put_number(out, d->vertices[i].x, ' ');
        put_number(out, d->vertices[i].y, ' ');
        put_number(out, d->vertices[i].z, '\n');
    }
}

static void put_pressures(iso_bytes* out, const iso_deformed* d, int begin, int end) {
    iso_bytes_put_line(out, "POINT_DATA %d", end - begin);
    iso_bytes_put_line(out, "SCALARS pressure double 1");
    iso_bytes_put_line(out, "LOOKUP_TABLE default");
    for (int i = begin; i < end; ++i) {
        put_number(out, d->pressures[i], '\n');
    }
}

static void put_tets(iso_bytes* out, const iso_deformed* d) {
    int vertex_count = 4 * d->tet_count;
    put_points(out, "deformed body", "UNSTRUCTURED_GRID", d, 0, vertex_count);
    iso_bytes_put_line(out, "CELLS %d %d", d->tet_count, 5 * d->tet_count);
    for (int i = 0; i < d->tet_count; ++i) {
        const int* t = d->tets[i];
        iso_bytes_put_line(out, "4 %d %d %d %d", t[0], t[1], t[2], t[3]);
    }
    iso_bytes_put_line(out, "CELL_TYPES %d", d->tet_count);
    for (int i = 0; i < d->tet_count; ++i) {
        iso_bytes_put_line(out, "10");
    }
    put_pressures(out, d, 0, vertex_count);
}

static void put_surface(iso_bytes* out, const iso_deformed* d) {
    int begin = 4 * d->tet_count;
    put_points(out, "surface of a deformed body", "POLYDATA", d, begin, d->vertex_count);
    iso_bytes_put_line(out, "POLYGONS %d %d", d->triangle_count, 4 * d->triangle_count);
    for (int i = 0; i < d->triangle_count; ++i) {
        const int* t = d->triangles[i];
        iso_bytes_put_line(out, "3 %d %d %d", t[0] - begin, t[1] - begin, t[2] - begin);
    }
    iso_bytes_put_line(out, "CELL_DATA %d", d->triangle_count);
    iso_bytes_put_line(out, "SCALARS is_contact int 1");
    iso_bytes_put_line(out, "LOOKUP_TABLE default");
    for (int i = 0; i < d->triangle_count; ++i) {
        iso_bytes_put_line(out, "%d", d->is_contact[i] ? 1 : 0);
    }
    put_pressures(out, d, begin, d->vertex_count);
}

// "03.model.link.geometry": letters, digits, - and _ stay, runs of everything else become a dot.
static void file_name(char name[NAME_SIZE], int body, const char* body_name, const char* geometry,
                      const char* ending) {
    const char* const parts[2] = {body_name, geometry};
    int length = snprintf(name, NAME_SIZE, "%02d", body);
    size_t room = NAME_SIZE - strlen(ending) - 2;
    for (int i = 0; i < 2; ++i) {
        bool is_gap = true;
        for (const char* c = parts[i]; *c && (size_t)length < room; ++c) {
            bool is_plain = (*c >= '0' && *c <= '9') || (*c >= 'A' && *c <= 'Z') ||
                            (*c >= 'a' && *c <= 'z') || *c == '-' || *c == '_';
            if (is_plain && is_gap) {
                name[length++] = '.';
            }
            if (is_plain) {
                name[length++] = *c;
            }
            is_gap = !is_plain;
        }
    }
    memcpy(name + length, ending, strlen(ending) + 1);
}

static iso_status write_file(iso_context* ctx, const char* directory, const char* name,
                             iso_bytes* bytes) {
    iso_file_writer file;
    iso_status status = iso_export_file_open(ctx, directory, name, &file);
    if (status != ISO_OK) {
        return status;
    }
    ISO_TRY(iso_export_file_put(ctx, &file, bytes));
    ISO_TRY(iso_file_writer_commit(ctx, &file));

done:
    iso_file_writer_abort(ctx, &file);
    return status;
}

static iso_status write_body(iso_context* ctx, const iso_world* world, int body, int surface,
                             const char* directory, iso_bytes* bytes) {
    iso_deformed deformed = {0};
    char name[NAME_SIZE];
    const char* body_name = iso_world_body_name(world, body);
    const char* geometry = iso_world_body_surface(world, body, surface).name;
    iso_status status = ISO_OK;
    ISO_TRY(iso_world_deformed(world, body, surface, &deformed));
    if (deformed.tet_count > 0) {
        iso_bytes_clear(bytes);
        put_tets(bytes, &deformed);
        file_name(name, body, body_name, geometry, ".vtk");
        ISO_TRY(write_file(ctx, directory, name, bytes));
        iso_bytes_clear(bytes);
        put_surface(bytes, &deformed);
        file_name(name, body, body_name, geometry, ".surface.vtk");
        ISO_TRY(write_file(ctx, directory, name, bytes));
    }

done:
    iso_deformed_destroy(ctx, &deformed);
    return status;
}

iso_status iso_deformed_export_vtk(const iso_world* world, const char* directory) {
    if (!world) {
        return ISO_ERR_ARGUMENT;
    }
    iso_context* ctx = iso_world_context(world);
    ISO_REQUIRE(ctx, directory, ISO_ERR_ARGUMENT, "directory is required");
    iso_bytes bytes = iso_bytes_make(ctx);
    iso_status status = ISO_OK;
    ISO_TRY(iso_directory_make(ctx, directory));
    for (int body = 0; body < iso_world_body_count(world); ++body) {
        for (int i = 0; i < iso_world_body_surface_count(world, body); ++i) {
            ISO_TRY(write_body(ctx, world, body, i, directory, &bytes));
        }
    }

done:
    iso_bytes_free(&bytes);
    return status;
}
