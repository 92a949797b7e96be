// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "base/core/text.h"
#include "geometry/mesh/mesh.h"
#include "geometry/mesh_files/vtk/volume_file.h"
#include "prepare/meshers/mesher.h"
#include "prepare/surface/shells.h"

#include <string.h>

#define STEP_MAX_SIZE ((size_t)512 * 1024 * 1024)

static const iso_vec3 k_ones = {1.0, 1.0, 1.0};
static const iso_vec3 k_millimetres = {1e-3, 1e-3, 1e-3};

static const char* program(const iso_prepare_job* job) {
    return job->desc->gmsh ? job->desc->gmsh : "gmsh";
}

// Say what to do when the program is missing.
static iso_status run(iso_prepare_job* job, const char* const* args) {
    iso_status status = iso_mesher_run(job, "gmsh", args, true);
    if (status == ISO_ERR_NOT_FOUND) {
        status = iso_fail(job->ctx, ISO_ERR_NOT_FOUND, __func__,
                          "gmsh is not installed (looked for '%s'): run tools/setup or "
                          "'apt install gmsh', or name it with --gmsh",
                          program(job));
    }
    return status;
}

// The surface in gmsh's format, exact to the last bit; each shell is an entity of its own.
static iso_status write_surface(iso_prepare_job* job, const iso_shells* shells) {
    const iso_tri_mesh* mesh = &job->joined;
    iso_context* ctx = job->ctx;
    iso_text text = {0};
    iso_status status = ISO_OK;
    ISO_TRY(iso_text_printf(ctx, &text, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%d\n",
                            mesh->vertex_count));
    for (int i = 0; i < mesh->vertex_count; ++i) {
        iso_vec3 p = mesh->vertices[i];
        ISO_TRY(iso_text_printf(ctx, &text, "%d %.17g %.17g %.17g\n", i + 1, p.x, p.y, p.z));
    }
    ISO_TRY(iso_text_printf(ctx, &text, "$EndNodes\n$Elements\n%d\n", mesh->triangle_count));
    for (int i = 0; i < mesh->triangle_count; ++i) {
        const int* t = mesh->triangles[i];
        ISO_TRY(iso_text_printf(ctx, &text, "%d 2 2 0 %d %d %d %d\n", i + 1,
                                shells->shell_of[i] + 1, t[0] + 1, t[1] + 1, t[2] + 1));
    }
    ISO_TRY(iso_text_printf(ctx, &text, "$EndElements\n"));
    status = iso_prepare_write(job, "surface.msh", text.data, text.length);

done:
    iso_text_free(ctx, &text);
    return status;
}

#define COMMON                    \
    "General.NumThreads = 1;\n"   \
    "General.AbortOnError = 0;\n" \
    "Mesh.Binary = 0;\n"          \
    "Mesh.MshFileVersion = 4.1;\n"

// Without SetOutsideValue = 0 gmsh 4.8.4 reads it from memory that it has not set: a corner that
// rounding puts outside the grid then wants edges of any length, as the length of PATH has it.
static const char k_sizes[] = "Mesh.Algorithm3D = 1;\n"
                              "Mesh.Optimize = 1;\n"
                              "Mesh.MeshSizeExtendFromBoundary = 0;\n"
                              "Mesh.MeshSizeFromPoints = 0;\n"
                              "Field[1] = Structured;\n"
                              "Field[1].FileName = \"size.txt\";\n"
                              "Field[1].TextFormat = 1;\n"
                              "Field[1].SetOutsideValue = 0;\n"
                              "Background Field = 1;\n";

// The triangles stay: one volume for each outward shell, with the cavities in it.
static iso_status append_kept_surface(iso_context* ctx, const iso_shells* shells, iso_text* text) {
    iso_status status = ISO_OK;
    for (int i = 0; i < shells->count; ++i) {
        ISO_TRY(iso_text_printf(ctx, text, "Surface Loop(%d) = {%d};\n", i + 1, i + 1));
    }
    for (int i = 0; i < shells->count; ++i) {
        if (shells->owners[i] != i) {
            continue;
        }
        ISO_TRY(iso_text_printf(ctx, text, "Volume(%d) = {%d", i + 1, i + 1));
        for (int k = 0; k < shells->count; ++k) {
            if (k != i && shells->owners[k] == i) {
                ISO_TRY(iso_text_printf(ctx, text, ", %d", k + 1));
            }
        }
        ISO_TRY(iso_text_printf(ctx, text, "};\n"));
    }

done:
    return status;
}

// Patches between edges of more than 40 degrees are meshed anew.
static const char k_new_surface[] = "ClassifySurfaces{40*Pi/180, 1, 1, Pi};\n"
                                    "CreateGeometry;\n"
                                    "s() = Surface{:};\n"
                                    "Surface Loop(1) = s();\n"
                                    "Volume(1) = {1};\n";

static iso_status write_script(iso_prepare_job* job, const iso_shells* shells) {
    iso_text text = {0};
    iso_status status = ISO_OK;
    ISO_TRY(iso_text_printf(job->ctx, &text, COMMON "Merge \"surface.msh\";\n"));
    if (job->desc->size > 0.0) {
        ISO_TRY(iso_text_printf(job->ctx, &text, "%s", k_new_surface));
    } else {
        ISO_TRY(append_kept_surface(job->ctx, shells, &text));
    }
    // Facets that meet at less than a tenth of a degree fail at once; the second time it is tried.
    ISO_TRY(iso_text_printf(job->ctx, &text, "%s",
                            job->is_blunted ? "Mesh.AngleToleranceFacetOverlap = 0.001;\n" : ""));
    // With a physical group gmsh saves that alone: no triangles.
    ISO_TRY(iso_text_printf(job->ctx, &text, "Physical Volume(1) = Volume{:};\n%s", k_sizes));
    status = iso_prepare_write(job, "volume.geo", text.data, text.length);

done:
    iso_text_free(job->ctx, &text);
    return status;
}

static iso_status read_result(iso_prepare_job* job) {
    char* path = iso_prepare_path(job, "volume.msh");
    ISO_REQUIRE(job->ctx, path, ISO_ERR_MEMORY, "path of a file");
    iso_volume_file file;
    iso_status status = iso_volume_file_load(job->ctx, path, k_ones, &file);
    if (status == ISO_OK) {
        job->mesh = file.mesh;
        file.mesh = (iso_tet_mesh){0};
    } else if (status != ISO_ERR_MEMORY) {
        char reason[1024];
        const char* text = iso_context_error(job->ctx);
        size_t length = strlen(text) < sizeof reason - 1 ? strlen(text) : sizeof reason - 1;
        memcpy(reason, text, length);
        reason[length] = '\0';
        const char* own = strstr(reason, "volume.msh");
        status = iso_fail(job->ctx, ISO_ERR_GEOMETRY, __func__,
                          "gmsh ended well, but its result is no mesh (%s)", own ? own : reason);
    }
    iso_volume_file_destroy(job->ctx, &file);
    iso_free(job->ctx, path);
    return status;
}

iso_status iso_mesh_by_gmsh(iso_prepare_job* job) {
    const char* args[] = {program(job), "-3", "volume.geo", "-o", "volume.msh", "-nopopup",
                          "-nt",        "1",  "-v",         "4",  NULL};
    iso_shells shells = {0};
    iso_status status = ISO_OK;
    ISO_TRY(iso_shells_find(job->ctx, &job->joined, &shells));
    ISO_TRY(write_surface(job, &shells));
    ISO_TRY(iso_size_grid_write(job));
    ISO_TRY(write_script(job, &shells));
    ISO_TRY(run(job, args));
    status = read_result(job);

done:
    iso_shells_destroy(job->ctx, &shells);
    return status;
}

static iso_status copy_step(iso_prepare_job* job, const char* path) {
    char* bytes = NULL;
    size_t size = 0;
    iso_status status = iso_file_read(job->ctx, path, STEP_MAX_SIZE, &bytes, &size);
    if (status == ISO_OK && (size < 12 || memcmp(bytes, "ISO-10303-21", 12) != 0)) {
        status = iso_fail(job->ctx, ISO_ERR_PARSE, __func__,
                          "%s:1: not a STEP file: it must begin with 'ISO-10303-21'", path);
    }
    if (status == ISO_OK) {
        status = iso_prepare_write(job, "input.step", bytes, size);
    }
    iso_free(job->ctx, bytes);
    return status;
}

iso_status iso_step_surface(iso_prepare_job* job, const char* path, iso_tri_mesh* out_mesh) {
    *out_mesh = (iso_tri_mesh){0};
    iso_text script = {0};
    char* result = iso_prepare_path(job, "input.stl");
    const char* args[] = {program(job), "-2",  "step.geo", "-format", "stl", "-o", "input.stl",
                          "-nopopup",   "-nt", "1",        "-v",      "4",   NULL};
    iso_status status = ISO_OK;
    ISO_CHECK(job->ctx, result, ISO_ERR_MEMORY, "path of a file");
    ISO_TRY(copy_step(job, path));
    // 16 edges to a full circle, or the wanted length. Read in millimetres: OpenCASCADE's
    // tolerances are lengths, and in metres gmsh 4.8.4 leaves edges of fused bodies open.
    ISO_TRY(iso_text_printf(job->ctx, &script,
                            COMMON "Geometry.OCCTargetUnit = \"MM\";\nMerge \"input.step\";\n"
                                   "Mesh.MeshSizeFromCurvature = 16;\nMesh.MinimumCirclePoints = "
                                   "16;\n"));
    if (job->desc->size > 0.0) {
        ISO_TRY(iso_text_printf(job->ctx, &script, "Mesh.MeshSizeMax = %.9g;\n",
                                1e3 * job->desc->size / job->desc->scale));
    }
    ISO_TRY(iso_prepare_write(job, "step.geo", script.data, script.length));
    ISO_TRY(run(job, args));
    status = iso_tri_mesh_load(job->ctx, result, k_millimetres, out_mesh);
    if (status != ISO_OK && status != ISO_ERR_MEMORY) {
        status = iso_fail(job->ctx, ISO_ERR_GEOMETRY, __func__,
                          "%s: gmsh made no surface of it: is it a solid?", path);
    }

done:
    iso_text_free(job->ctx, &script);
    iso_free(job->ctx, result);
    return status;
}
