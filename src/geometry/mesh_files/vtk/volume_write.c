// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "geometry/mesh_files/vtk/volume_write.h"

#include "base/core/fail.h"
#include "base/core/text.h"
#include "geometry/mesh_files/vtk/vtu_write.h"

#include <string.h>

// Texts are the codes of their characters: VTK's own texts are more than meshio reads. Behind the
// cells, where meshio takes them for data of the file as VTK does.
static void write_text(FILE* file, const char* name, const char* text) {
    fprintf(file, "%s 1 %zu unsigned_char\n", name, strlen(text));
    for (const char* c = text; *c; ++c) {
        fprintf(file, "%d%c", (unsigned char)*c, c[1] ? ' ' : '\n');
    }
}

static void write_metadata(FILE* file, const iso_volume_metadata* m) {
    const struct {
        const char *name, *text;
    } texts[] = {{"units", m->units}, {"generator", m->generator}, {"source", m->source}};
    int count = m->modulus != 0.0;
    for (int i = 0; i < 3; ++i) {
        count += texts[i].text && *texts[i].text;
    }
    if (count == 0) {
        return;
    }
    fprintf(file, "FIELD FieldData %d\n", count);
    for (int i = 0; i < 3; ++i) {
        if (texts[i].text && *texts[i].text) {
            write_text(file, texts[i].name, texts[i].text);
        }
    }
    if (m->modulus != 0.0) {
        fprintf(file, "modulus 1 1 double\n%.17g\n", m->modulus);
    }
}

static void write_legacy(FILE* file, const iso_volume_file* volume,
                         const iso_volume_metadata* metadata) {
    const iso_tet_mesh* mesh = &volume->mesh;
    fprintf(file, "# vtk DataFile Version 4.2\ntetrahedra with extents\nASCII\n"
                  "DATASET UNSTRUCTURED_GRID\n");
    fprintf(file, "POINTS %d double\n", mesh->vertex_count);
    for (int i = 0; i < mesh->vertex_count; ++i) {
        iso_vec3 p = mesh->vertices[i];
        fprintf(file, "%.17g %.17g %.17g\n", p.x, p.y, p.z);
    }
    fprintf(file, "CELLS %d %lld\n", mesh->tet_count, 5 * (long long)mesh->tet_count);
    for (int i = 0; i < mesh->tet_count; ++i) {
        const int* t = mesh->tets[i];
        fprintf(file, "4 %d %d %d %d\n", t[0], t[1], t[2], t[3]);
    }
    fprintf(file, "CELL_TYPES %d\n", mesh->tet_count);
    for (int i = 0; i < mesh->tet_count; ++i) {
        fputs("10\n", file);
    }
    write_metadata(file, metadata);
    const struct {
        const char* name;
        const double* values;
    } arrays[] = {
        {"extent", volume->extent}, {"pressure", volume->pressure}, {"modulus", volume->modulus}};
    if (volume->extent || volume->pressure || volume->modulus) {
        fprintf(file, "POINT_DATA %d\n", mesh->vertex_count);
    }
    for (int k = 0; k < 3; ++k) {
        if (arrays[k].values) {
            fprintf(file, "SCALARS %s double 1\nLOOKUP_TABLE default\n", arrays[k].name);
        }
        for (int i = 0; arrays[k].values && i < mesh->vertex_count; ++i) {
            fprintf(file, "%.17g\n", arrays[k].values[i]);
        }
    }
}

iso_status iso_volume_file_write(iso_context* ctx, const char* path, FILE* file,
                                 const iso_volume_file* volume,
                                 const iso_volume_metadata* metadata) {
    ISO_REQUIRE(ctx, path && file && volume && metadata, ISO_ERR_ARGUMENT,
                "path, file, volume and metadata are required");
    if (iso_path_has_extension(path, ".vtu")) {
        return iso_vtu_write(ctx, file, volume, metadata);
    }
    ISO_REQUIRE(ctx, iso_path_has_extension(path, ".vtk"), ISO_ERR_UNSUPPORTED,
                "%s: a mesh is written as .vtk or .vtu", path);
    write_legacy(file, volume, metadata);
    return ISO_OK;
}
