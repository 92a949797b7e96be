// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// The finished mesh: what it is, and how far it is from the surface that was given.

#include "base/core/fail.h"
#include "base/core/text.h"
#include "geometry/mesh/mesh.h"
#include "geometry/search/distance.h"
#include "prepare/measure/depth.h"
#include "prepare/measure/deviation.h"
#include "prepare/measure/quality.h"
#include "prepare/stages.h"

#include <math.h>
#include <string.h>

#define POOR_QUALITY 0.01 // worth a warning

// The skin that came about beside the surface that was given.
static iso_status measure_deviation(iso_prepare_job* job, bool* out_is_inside) {
    iso_prepare_report* r = job->report;
    iso_tri_mesh skin = {0};
    iso_status status = ISO_OK;
    ISO_TRY(iso_tet_mesh_skin(job->ctx, &job->mesh, &skin));
    ISO_TRY(iso_surface_measure_deviation(job->ctx, &skin, &job->given, &r->skin_off));
    ISO_TRY(iso_surface_measure_deviation(job->ctx, &job->given, &skin, &r->surface_off));
    double winding;
    ISO_TRY(iso_tri_mesh_winding_number(job->ctx, &skin, r->surface_off.where, &winding));
    *out_is_inside = winding > 0.5;

done:
    iso_tri_mesh_destroy(job->ctx, &skin);
    return status;
}

// Why the surface is away from the skin where it is most.
static const char* reason_of_surface_off(const iso_prepare_job* job, bool is_inside) {
    const iso_prepare_report* r = job->report;
    bool is_coarse = job->desc->size > 0.0;
    if (!is_inside) {
        return is_coarse ? "outside: something was lost; a smaller --size may keep it"
                         : "outside: something was lost";
    }
    if (r->intersection_count > 0 || r->non_manifold_edge_count > 0) {
        return "inside the body: what overlaps has become one";
    }
    return is_coarse ? "inside the body: edges of --size are too long to follow it"
                     : "inside the body: the mesher did not follow it";
}

// What is more than any mesher promises. What closes a hole, and what lies inside where parts
// overlap, is off by the size of the hole and of the part.
static void doubt_deviation(iso_prepare_job* job, bool is_inside) {
    const iso_prepare_report* r = job->report;
    double doubt = fmax(ISO_PREPARE_CLOSING_DOUBT * job->side, job->slack);
    const iso_prepare_deviation *skin = &r->skin_off, *surface = &r->surface_off;
    if (skin->max > doubt) {
        iso_prepare_warn(job,
                         "the mesh's skin lies up to %.2g mm off the surface (%.2g mm rms), most "
                         "near (%.4g, %.4g, %.4g)%s",
                         1e3 * skin->max, 1e3 * skin->rms, skin->where.x, skin->where.y,
                         skin->where.z, r->hole_count > 0 ? ": holes were closed" : "");
    }
    if (surface->max > doubt) {
        iso_prepare_warn(
            job,
            "the surface lies up to %.2g mm off the mesh's skin (%.2g mm rms), most near (%.4g, "
            "%.4g, %.4g), %s",
            1e3 * surface->max, 1e3 * surface->rms, surface->where.x, surface->where.y,
            surface->where.z, reason_of_surface_off(job, is_inside));
    }
}

static void doubt_mesh(iso_prepare_job* job, const iso_mesh_report* found) {
    double quality = job->report->quality_min;
    if (quality < POOR_QUALITY) {
        iso_prepare_warn(job, "the flattest tetrahedron has quality %.2g (1 is regular): %s",
                         quality,
                         strcmp(job->report->mesher, "gmsh") == 0
                             ? "--mesher ftetwild makes a new surface with better ones, in minutes"
                             : "another --size may give better");
    }
    if (found->component_count > 1) {
        iso_prepare_warn(job, "the mesh has %d parts that do not touch", found->component_count);
    }
    if (found->non_manifold_edge_count > 0) {
        iso_prepare_warn(job,
                         "the skin of the mesh touches itself along %d edge%s: as a rigid body it "
                         "would not be closed; another --size or mesher may give better",
                         found->non_manifold_edge_count,
                         iso_text_plural(found->non_manifold_edge_count));
    }
}

iso_status iso_stage_measure(iso_prepare_job* job) {
    iso_prepare_report* r = job->report;
    iso_mass_properties mass;
    iso_mesh_report found;
    iso_mesh_depth depth;
    bool is_inside = false;
    iso_status status = ISO_OK;
    ISO_TRY(iso_tet_mesh_inspect(job->ctx, &job->mesh, &found));
    ISO_TRY(iso_tet_mesh_mass_properties(job->ctx, &job->mesh, &mass));
    ISO_TRY(iso_tet_mesh_depth(job->ctx, &job->mesh, job->extents, &depth));
    r->thickness = depth.deepest;
    r->full_depth_low = depth.full_low;
    r->full_depth_high = depth.full_high;
    iso_mesh_quality quality = iso_tet_mesh_quality(&job->mesh);
    memcpy(r->quality_bins, quality.bins, sizeof quality.bins);
    r->quality_min = quality.min;
    r->quality_mean = quality.mean;
    r->dihedral_min = quality.dihedral_min;
    r->mesh_vertex_count = job->mesh.vertex_count;
    r->mesh_tet_count = job->mesh.tet_count;
    r->mesh_volume = mass.volume;
    r->mass = mass.volume * job->desc->density;
    r->center_of_mass = mass.center_of_mass;
    r->inertia = iso_mat3_scale(mass.inertia, job->desc->density);
    ISO_TRY(measure_deviation(job, &is_inside));
    iso_prepare_say(job,
                    "quality at least %.2g, mean %.3f; %.4g kg; skin off the surface by up to %.2g "
                    "mm, surface off the skin by up to %.2g mm",
                    r->quality_min, r->quality_mean, r->mass, 1e3 * r->skin_off.max,
                    1e3 * r->surface_off.max);
    doubt_mesh(job, &found);
    doubt_deviation(job, is_inside);

done:
    return status;
}
