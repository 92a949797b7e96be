// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/fail.h"
#include "geometry/mesh/mesh.h"
#include "geometry/mesh/topology.h"
#include "geometry/mesh_files/vtk/volume_file.h"
#include "prepare/measure/depth.h"
#include "prepare/measure/quality.h"

#include <math.h>
#include <string.h>

const char* iso_guess_unit(double side) {
    if (side > 5000.0) {
        return "um";
    }
    return side > 5.0 ? "mm" : (side < 1e-3 ? "m" : NULL);
}

double iso_unit_length(const char* name) {
    static const struct {
        const char* name;
        double metres;
    } units[] = {{"um", 1e-6}, {"mm", 1e-3},   {"cm", 1e-2},
                 {"m", 1.0},   {"in", 0.0254}, {"ft", 0.3048}};
    for (size_t i = 0; name && i < sizeof units / sizeof units[0]; ++i) {
        if (strcmp(units[i].name, name) == 0) {
            return units[i].metres;
        }
    }
    return 0.0;
}

static void range(const double* values, int count, bool* out_has, double* out_low,
                  double* out_high) {
    *out_has = values != NULL;
    *out_low = values ? INFINITY : 0.0;
    *out_high = values ? -INFINITY : 0.0;
    for (int i = 0; values && i < count; ++i) {
        *out_low = fmin(*out_low, values[i]);
        *out_high = fmax(*out_high, values[i]);
    }
}

static iso_status measure_skin(iso_context* ctx, const iso_volume_file* file,
                               iso_volume_report* r) {
    const iso_tet_mesh* mesh = &file->mesh;
    iso_tet_topology topology = {0};
    iso_mesh_depth depth;
    iso_status status = ISO_OK;
    ISO_TRY(iso_tet_mesh_depth(ctx, mesh, file->extent, &depth));
    r->thickness = depth.deepest;
    r->full_depth_low = depth.full_low;
    r->full_depth_high = depth.full_high;
    ISO_TRY(iso_tet_topology_create(ctx, mesh, &topology));
    for (int i = 0; i < mesh->vertex_count; ++i) {
        if (topology.is_on_skin[i] && file->extent) {
            r->skin_extent_max = fmax(r->skin_extent_max, file->extent[i]);
        }
        if (topology.is_on_skin[i] && file->pressure) {
            r->skin_pressure_max = fmax(r->skin_pressure_max, file->pressure[i]);
        }
    }
    for (int i = 0; i < mesh->tet_count; ++i) {
        const int* t = mesh->tets[i];
        const bool* on = topology.is_on_skin;
        r->skin_element_count += on[t[0]] && on[t[1]] && on[t[2]] && on[t[3]];
    }

done:
    iso_tet_topology_destroy(ctx, &topology);
    return status;
}

static double mean_edge(const iso_tet_mesh* mesh) {
    double sum = 0.0;
    for (int i = 0; i < mesh->tet_count; ++i) {
        for (int a = 0; a < 4; ++a) {
            for (int b = 0; b < a; ++b) {
                sum += iso_vec3_distance(mesh->vertices[mesh->tets[i][a]],
                                         mesh->vertices[mesh->tets[i][b]]);
            }
        }
    }
    return sum / (6.0 * mesh->tet_count);
}

iso_status iso_volume_inspect(iso_context* ctx, const char* path, iso_volume_report* out_report,
                              iso_mass_properties* out_mass) {
    ISO_REQUIRE(ctx, path && out_report, ISO_ERR_ARGUMENT, "path and out_report are required");
    *out_report = (iso_volume_report){0};
    iso_volume_report* r = out_report;
    iso_volume_file file = {0};
    iso_status status = ISO_OK;
    ISO_TRY(iso_volume_file_load(ctx, path, iso_vec3_make(1.0, 1.0, 1.0), &file));
    ISO_TRY(iso_tet_mesh_inspect(ctx, &file.mesh, &r->mesh));
    if (out_mass) {
        ISO_TRY(iso_tet_mesh_mass_properties(ctx, &file.mesh, out_mass));
    }
    int count = file.mesh.vertex_count;
    range(file.extent, count, &r->has_extent, &r->extent_low, &r->extent_high);
    range(file.pressure, count, &r->has_pressure, &r->pressure_low, &r->pressure_high);
    range(file.modulus, count, &r->has_modulus, &r->modulus_low, &r->modulus_high);
    iso_mesh_quality q = iso_tet_mesh_quality(&file.mesh);
    memcpy(r->quality_bins, q.bins, sizeof q.bins);
    r->quality_min = q.min;
    r->quality_mean = q.mean;
    r->dihedral_min = q.dihedral_min;
    r->edge_mean = mean_edge(&file.mesh);
    ISO_TRY(measure_skin(ctx, &file, r));

done:
    iso_volume_file_destroy(ctx, &file);
    return status;
}
