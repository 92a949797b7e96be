// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "base/core/text.h"
#include "base/system/clock.h"
#include "base/system/process.h"
#include "geometry/mesh/mesh.h"
#include "geometry/mesh/topology.h"
#include "geometry/search/distance.h"
#include "geometry/tetrahedra/tet_repair.h"
#include "geometry/tetrahedra/tet_split.h"
#include "isobar/field.h"
#include "prepare/measure/quality.h"
#include "prepare/meshers/mesher.h"
#include "prepare/meshers/smooth.h"
#include "prepare/stages.h"
#include "prepare/surface/surface_needles.h"
#include "prepare/surface/surface_repair.h"
#include "prepare/surface/surface_untangle.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define VOLUME_TOLERANCE 1e-3 // of gmsh with the triangles as they are; bowl of 7910: 2e-5
#define VOLUME_DOUBT 0.05     // of meshers that make a new surface
#define LEAST_QUALITY 1e-14   // kept needles: 3e-12; edges of 4e-10 m: 3e-16
#define MOST_STEEP 1e4        // kept needles of robot fingers: 928; edges of 3e-11 m: 4.5e7
#define GMSH_SHARE 0.25       // robot parts: 1 to 6 s, or not at all
#define COARSE_SHARE 0.3      // kept of the time limit; a coarse surface takes 7 to 25 s
#define COARSE_WELD 5e-3      // of the largest side
#define MOST_LAYERS 64
#define NEEDLE_SHARE 5e-4   // height of a triangle over the largest side
#define ON_BACKING 1e-6     // of the largest side: single precision of .stl files
#define BLUNT_SHARE 2e-3    // blunting may shift the surface so far, over the largest side
#define SLICE_TOLERANCE 0.2 // of the distance between two levels

// Of a share of the time limit, since the first mesher began.
static double time_left(const iso_prepare_job* job, double share) {
    return share * job->desc->time_limit - (iso_clock_seconds() - job->mesh_start);
}

static bool is_dirty(const iso_prepare_report* r) {
    return r->hole_count + r->non_manifold_edge_count + r->intersection_count > 0;
}

// Most of fTetWild's time goes into bringing many small triangles down to the edges it wants, and
// into an envelope that is narrow beside them: merge first what is near, then ask for less.
static iso_status mesh_coarsely(iso_prepare_job* job) {
    const iso_ftetwild_care care = {.envelope = 5e-3, .stop_energy = 20.0, .iteration_count = 20};
    const iso_vec3 size = iso_vec3_sub(job->report->upper, job->report->lower);
    double weld = job->desc->core ? 0.0 : COARSE_WELD * job->side; // a core is to keep its place
    iso_surface_repair unused = {0};
    iso_status status = ISO_OK;
    char advice[64];
    job->slack = weld + care.envelope * iso_vec3_norm(size);
    (void)snprintf(advice, sizeof advice, "; --time-limit %.3g may do without",
                   5.0 * job->desc->time_limit);
    iso_prepare_warn(job,
                     "fTetWild %s: it fills a coarser surface, within %.2g mm of this one%s, for "
                     "at most %.3g s%s",
                     job->has_crashed ? "crashed" : "was not ready in time", 1e3 * job->slack,
                     weld > 0.0 ? " with vertices merged" : "", job->time_limit,
                     job->has_crashed ? "" : advice);
    if (weld > 0.0) {
        ISO_TRY(iso_surface_weld(job->ctx, &job->joined, weld, &unused));
    }
    status = iso_mesh_by_ftetwild(job, care);

done:
    return status;
}

// The last part of the limit is kept for a coarser surface, whatever gmsh took; that is tried where
// fTetWild is late or crashes, as it does on some surfaces.
static iso_status mesh_by_ftetwild(iso_prepare_job* job) {
    double kept = COARSE_SHARE * job->desc->time_limit;
    job->report->mesher = "fTetWild";
    job->time_limit -= kept;
    iso_status status = iso_mesh_by_ftetwild(job, ISO_FTETWILD_FINE);
    bool is_worth_it = status == ISO_ERR_NO_CONVERGENCE || job->has_crashed;
    if (status == ISO_OK || !is_worth_it || iso_prepare_is_cancelled(job)) {
        return status;
    }
    char reason[ISO_PREPARE_TEXT_SIZE] = "";
    if (job->has_crashed) {
        (void)snprintf(reason, sizeof reason, "%s; on a coarser surface",
                       iso_context_error(job->ctx));
    }
    job->time_limit = kept;
    status = mesh_coarsely(job);
    return status == ISO_OK || !reason[0] ? status
                                          : iso_fail_prefix(job->ctx, status, "%s", reason);
}

// A result that is no body, or another one, is worth as little as none.
static iso_status check_gmsh_result(iso_prepare_job* job) {
    iso_mesh_report found;
    iso_status status = iso_tet_mesh_inspect(job->ctx, &job->mesh, &found);
    double expected = iso_tri_mesh_volume(&job->joined);
    double tolerance = job->desc->size > 0.0 ? 0.2 : VOLUME_TOLERANCE;
    if (status != ISO_OK) {
        return iso_fail_prefix(job->ctx, status, "gmsh's result");
    }
    ISO_REQUIRE(job->ctx, fabs(found.volume - expected) <= tolerance * expected, ISO_ERR_GEOMETRY,
                "gmsh's result has %.4g m^3, the surface encloses %.4g m^3: it did not mesh the "
                "body%s",
                found.volume, expected,
                job->desc->size > 0.0 ? "; try a smaller --size, or none" : "");
    return ISO_OK;
}

static iso_status mesh_by_gmsh(iso_prepare_job* job) {
    job->report->mesher = "gmsh";
    iso_status status = iso_mesh_by_gmsh(job);
    return status == ISO_OK ? check_gmsh_result(job) : status;
}

// The surface without needles, which make gmsh fail and tetrahedra flat.
static iso_status blunt(iso_prepare_job* job, int* out_move_count, double* out_shift) {
    iso_surface_untangling done = {0};
    const iso_surface_patience patience = {iso_prepare_is_late, job};
    double height = NEEDLE_SHARE * job->side;
    iso_status status = iso_surface_blunt_needles(job->ctx, &job->joined, height, out_move_count);
    if (status != ISO_OK) {
        return status;
    }
    ISO_REQUIRE(job->ctx, *out_move_count > 0, ISO_ERR_GEOMETRY, "no needles");
    job->deadline = iso_clock_seconds() + time_left(job, GMSH_SHARE);
    return iso_surface_untangle_near(job->ctx, &job->joined, &job->given, height,
                                     BLUNT_SHARE * job->side, &patience, &done, out_shift);
}

// gmsh a second time, in what its first run has left of its share. The surface that it was given
// before comes back where this fails.
static iso_status mesh_without_needles(iso_prepare_job* job, const char* reason) {
    iso_tri_mesh before = job->joined;
    int count = 0;
    double shift = 0.0;
    iso_status status = ISO_OK;
    job->is_blunted = true;
    ISO_TRY(
        iso_tri_mesh_copy_scaled(job->ctx, &before, iso_vec3_make(1.0, 1.0, 1.0), &job->joined));
    ISO_TRY(blunt(job, &count, &shift));
    job->time_limit = time_left(job, GMSH_SHARE);
    ISO_CHECK(job->ctx, job->time_limit > 0.0, ISO_ERR_NO_CONVERGENCE, "gmsh has no time left");
    iso_prepare_warn(job,
                     "%.90s; gmsh once more, without needles: %d edges turned or shrunk, which "
                     "shifts the surface by up to %.2g mm",
                     reason, count, 1e3 * shift);
    status = mesh_by_gmsh(job);

done:
    if (status == ISO_OK) {
        iso_tri_mesh_destroy(job->ctx, &before);
    } else {
        iso_tri_mesh_destroy(job->ctx, &job->joined);
        iso_tet_mesh_destroy(job->ctx, &job->mesh);
        job->joined = before;
    }
    return status;
}

// In auto mode a failure of gmsh is a reason to blunt needles, then to try fTetWild, in the time
// that gmsh has left; being cancelled is not.
static iso_status fall_back(iso_prepare_job* job, iso_status status) {
    char reason[ISO_PREPARE_TEXT_SIZE];
    if (status == ISO_ERR_MEMORY || iso_prepare_is_cancelled(job)) {
        return status;
    }
    (void)snprintf(reason, sizeof reason, "%s", iso_context_error(job->ctx));
    iso_tet_mesh_destroy(job->ctx, &job->mesh);
    if (!job->is_blunted && job->desc->size == 0.0 && time_left(job, GMSH_SHARE) > 0.0) {
        status = mesh_without_needles(job, reason);
        if (status == ISO_OK || status == ISO_ERR_MEMORY || iso_prepare_is_cancelled(job)) {
            return status;
        }
    }
    job->time_limit = fmax(time_left(job, 1.0), (1.0 - GMSH_SHARE) * job->desc->time_limit);
    iso_prepare_warn(job, "%.180s; fTetWild is used instead, for at most %.4g s", reason,
                     job->time_limit);
    status = mesh_by_ftetwild(job);
    return status == ISO_OK ? ISO_OK
                            : iso_fail_prefix(job->ctx, status, "%s; then fTetWild", reason);
}

// What else may work where a mesher made nothing of use.
static iso_status suggest(iso_prepare_job* job, iso_status status) {
    char reason[1024];
    if (status != ISO_ERR_GEOMETRY) {
        return status;
    }
    bool has_size = job->desc->size > 0.0;
    bool is_last = strcmp(job->report->mesher, "fTetWild") == 0;
    (void)snprintf(reason, sizeof reason, "%s", iso_context_error(job->ctx));
    return iso_fail(job->ctx, status, __func__, "%s: try %s%s", reason,
                    is_last ? "" : "--mesher ftetwild, ",
                    has_size ? "another --size or none" : "a new surface by --size");
}

static void doubt_volume(iso_prepare_job* job, double volume) {
    double expected = job->report->surface_volume;
    if (expected > 0.0 && fabs(volume - expected) > VOLUME_DOUBT * expected) {
        iso_prepare_warn(job, "the mesh has %.4g m^3, %+.1f %% of what the surface encloses%s",
                         volume, 100.0 * (volume / expected - 1.0),
                         job->report->intersection_count > 0 ? " (overlaps counted twice)" : "");
    }
}

// Holes are closed as the mesher likes: what it builds there may stand out.
static void doubt_closing(iso_prepare_job* job) {
    const iso_prepare_report* r = job->report;
    iso_vec3 lower, upper;
    if (r->hole_count == 0) {
        return;
    }
    iso_points_bounds(job->mesh.vertices, job->mesh.vertex_count, &lower, &upper);
    iso_vec3 low = iso_vec3_sub(r->lower, lower), high = iso_vec3_sub(upper, r->upper);
    double beyond = fmax(fmax(fmax(low.x, low.y), low.z), fmax(fmax(high.x, high.y), high.z));
    if (beyond > fmax(ISO_PREPARE_CLOSING_DOUBT * job->side, job->slack)) {
        iso_prepare_warn(job,
                         "where %s closed the hole%s the mesh stands out of the surface by up to "
                         "%.2g mm: see the report's pictures, or close the surface first",
                         r->mesher, iso_text_plural(r->hole_count), 1e3 * beyond);
    }
}

// The two programs of auto mode share the time limit: gmsh, which is fast where it works at all,
// has a quarter of it, fTetWild the rest.
static iso_status mesh_by_either(iso_prepare_job* job) {
    job->time_limit = GMSH_SHARE * job->desc->time_limit;
    iso_status status = mesh_by_gmsh(job);
    return status == ISO_OK ? ISO_OK : fall_back(job, status);
}

static void tell_mesh(iso_prepare_job* job) {
    double volume = iso_tet_mesh_volume(&job->mesh);
    iso_prepare_say(job, "%d vertices, %d tetrahedra, %.4g m^3 by %s", job->mesh.vertex_count,
                    job->mesh.tet_count, volume, job->report->mesher);
    doubt_volume(job, volume);
    doubt_closing(job);
}

iso_status iso_stage_mesh(iso_prepare_job* job) {
    iso_prepare_mesher mesher = job->desc->mesher;
    iso_status status = ISO_OK;
    job->mesh_start = iso_clock_seconds();
    if (mesher == ISO_PREPARE_MESHER_FTETWILD) {
        ISO_TRY(mesh_by_ftetwild(job));
    } else if (mesher == ISO_PREPARE_MESHER_AUTO && is_dirty(job->report)) {
        iso_prepare_warn(job, "gmsh cannot take this surface; fTetWild is used instead");
        ISO_TRY(mesh_by_ftetwild(job));
    } else if (mesher == ISO_PREPARE_MESHER_AUTO) {
        ISO_TRY(mesh_by_either(job));
    } else {
        ISO_TRY(suggest(job, mesh_by_gmsh(job)));
    }
    tell_mesh(job);

done:
    return status;
}

static iso_extent_kind extent_kind(const iso_prepare_job* job) {
    switch (job->desc->field) {
    case ISO_PREPARE_FIELD_DISTANCE:
        return ISO_EXTENT_DISTANCE;
    case ISO_PREPARE_FIELD_POISSON:
    case ISO_PREPARE_FIELD_LAPLACE:
        return ISO_EXTENT_POISSON;
    case ISO_PREPARE_FIELD_AUTO:
        break;
    }
    return iso_prepare_is_bonded(job->desc) ? ISO_EXTENT_POISSON : ISO_EXTENT_DISTANCE;
}

static const char* extent_name(const iso_prepare_job* job) {
    return extent_kind(job) == ISO_EXTENT_DISTANCE ? "distance"
           : iso_prepare_is_bonded(job->desc)      ? "laplace"
                                                   : "poisson";
}

// The mesher may have moved the core's surface: what is nearer to the core's surface than to the
// body's, of the skin, belongs to it.
static iso_status mark_core(iso_prepare_job* job, bool* is_core) {
    iso_distance_tree *body = NULL, *core = NULL;
    iso_tet_topology topology = {0};
    iso_status status = ISO_OK;
    ISO_TRY(iso_distance_tree_create(job->ctx, &job->surface, &body));
    ISO_TRY(iso_distance_tree_create(job->ctx, &job->core, &core));
    ISO_TRY(iso_tet_topology_create(job->ctx, &job->mesh, &topology));
    for (int i = 0; i < job->mesh.vertex_count; ++i) {
        iso_vec3 p = job->mesh.vertices[i];
        is_core[i] = topology.is_on_skin[i] && iso_distance_to_surface(core, p, NULL, NULL) <
                                                   iso_distance_to_surface(body, p, NULL, NULL);
    }

done:
    iso_tet_topology_destroy(job->ctx, &topology);
    iso_distance_tree_destroy(job->ctx, body);
    iso_distance_tree_destroy(job->ctx, core);
    return status;
}

// Distance of the skin from what it is bonded to, that of the surface or the plane.
static double backing_distance(const iso_prepare_job* job, const iso_distance_tree* backing,
                               iso_vec3 p) {
    const iso_prepare_desc* d = job->desc;
    iso_vec3 n = d->backing_normal;
    double distance = backing ? iso_distance_to_surface(backing, p, NULL, NULL) : INFINITY;
    if (iso_vec3_norm_squared(n) > 0.0) {
        iso_vec3 q = iso_vec3_scale(d->backing_point, job->report->scale);
        double height = iso_vec3_dot(iso_vec3_normalized(n), iso_vec3_sub(p, q));
        distance = fmin(distance, fabs(height));
    }
    return distance;
}

// What of the skin lies on the backing, as near as a mesher keeps it.
static iso_status mark_backing(iso_prepare_job* job, bool* is_core) {
    double near = ON_BACKING * job->side + job->slack;
    iso_distance_tree* backing = NULL;
    iso_tet_topology topology = {0};
    iso_status status = ISO_OK;
    int count = 0;
    if (job->desc->backing) {
        ISO_TRY(iso_distance_tree_create(job->ctx, &job->backing, &backing));
    }
    ISO_TRY(iso_tet_topology_create(job->ctx, &job->mesh, &topology));
    for (int i = 0; i < job->mesh.vertex_count; ++i) {
        bool is_bonded =
            topology.is_on_skin[i] && backing_distance(job, backing, job->mesh.vertices[i]) <= near;
        is_core[i] = is_core[i] || is_bonded;
        count += is_bonded;
    }
    ISO_CHECK(
        job->ctx, count >= 3, ISO_ERR_GEOMETRY,
        "%d vertices of the skin lie on the backing (within %.2g m), expected 3 or more: check "
        "its unit and place",
        count, near);

done:
    iso_tet_topology_destroy(job->ctx, &topology);
    iso_distance_tree_destroy(job->ctx, backing);
    return status;
}

static iso_status solve(iso_prepare_job* job) {
    iso_prepare_report* r = job->report;
    iso_extent_report found = {0};
    iso_extent_desc desc = iso_extent_desc_default();
    iso_status status = ISO_OK;
    bool* is_core = iso_alloc_array(job->ctx, job->mesh.vertex_count, sizeof *is_core);
    double* extents = iso_alloc_array(job->ctx, job->mesh.vertex_count, sizeof *extents);
    ISO_CHECK(job->ctx, is_core && extents, ISO_ERR_MEMORY, "extents of %d vertices",
              job->mesh.vertex_count);
    desc.kind = extent_kind(job);
    if (job->desc->core) {
        ISO_TRY(mark_core(job, is_core));
    }
    if (job->desc->backing || iso_vec3_norm_squared(job->desc->backing_normal) > 0.0) {
        ISO_TRY(mark_backing(job, is_core));
    }
    desc.is_core = iso_prepare_is_bonded(job->desc) ? is_core : NULL;
    ISO_TRY(iso_extent_solve(job->ctx, &job->mesh, &desc, extents, &found));
    iso_free(job->ctx, job->extents);
    job->extents = extents;
    extents = NULL;
    r->core_vertex_count = found.core_vertex_count;
    r->clamped_count = found.clamped_count;
    r->residual = found.residual;

done:
    iso_free(job->ctx, is_core);
    iso_free(job->ctx, extents);
    return status;
}

// Cut along equal extents, smooth and solve anew: the new vertices make the field finer.
static iso_status add_layers(iso_prepare_job* job) {
    double levels[MOST_LAYERS];
    int count = job->desc->layers - 1;
    iso_nodal_arrays arrays = {{job->extents}, 1};
    for (int i = 0; i < count; ++i) {
        levels[i] = (i + 1.0) / (count + 1.0);
    }
    iso_status status = iso_tet_mesh_slice(job->ctx, &job->mesh, &arrays, levels, count,
                                           SLICE_TOLERANCE / (count + 1.0));
    job->extents = arrays.values[0];
    if (status == ISO_OK) { // cuts leave flat tetrahedra
        status = iso_tet_mesh_smooth(job->ctx, &job->mesh);
    }
    return status == ISO_OK ? solve(job) : status;
}

static iso_status make_field(iso_prepare_job* job) {
    iso_tet_repair_report repaired = {0};
    iso_status status = ISO_OK;
    ISO_TRY(iso_tet_mesh_give_interior(job->ctx, NULL, &job->mesh, NULL, &repaired));
    job->report->inner_vertex_count =
        repaired.edge_count + repaired.triangle_count + repaired.tet_count;
    if (job->report->inner_vertex_count > 0) { // the middles of edges are seldom the best places
        ISO_TRY(iso_tet_mesh_smooth(job->ctx, &job->mesh));
    }
    job->report->field = extent_name(job);
    ISO_TRY(solve(job));
    if (job->desc->layers > 1) {
        ISO_TRY(add_layers(job));
    }
    job->report->extent_mean = iso_tet_mesh_mean(&job->mesh, job->extents);
    iso_prepare_say(job,
                    "%d inner vertices added (on %d edges, %d triangles, %d tetrahedra between "
                    "vertices of the skin); %s extent of %d vertices, mean %.3f over the volume",
                    job->report->inner_vertex_count, repaired.edge_count, repaired.triangle_count,
                    repaired.tet_count, job->report->field, job->mesh.vertex_count,
                    job->report->extent_mean);

done:
    return status;
}

// Flatness does little harm: a flat tetrahedron of even extents has a gentle field. One across
// which the extent jumps makes contact there as stiff as the jump is steep; one without a height
// that rounding leaves has no field at all.
static iso_status check_field(iso_prepare_job* job) {
    double steepness = iso_tet_mesh_steepness(&job->mesh, job->extents);
    ISO_REQUIRE(job->ctx, steepness <= MOST_STEEP, ISO_ERR_GEOMETRY,
                "tetrahedra of %s are so flat that the pressure rises up to %.2g times as steeply "
                "as on average, at most %g times is wanted",
                job->report->mesher, steepness, MOST_STEEP);
    double quality = iso_tet_mesh_quality(&job->mesh).min;
    ISO_REQUIRE(job->ctx, quality >= LEAST_QUALITY, ISO_ERR_GEOMETRY,
                "the flattest tetrahedron of %s has quality %.2g, at least %g is wanted",
                job->report->mesher, quality, LEAST_QUALITY);
    return ISO_OK;
}

// A field that is nonsense is a failure of gmsh as well: both stages again, by fTetWild.
static iso_status remesh(iso_prepare_job* job, iso_status failure) {
    iso_status status = ISO_OK;
    iso_prepare_end(job);
    iso_prepare_begin(job, "mesh");
    ISO_TRY(fall_back(job, failure));
    tell_mesh(job);
    iso_prepare_end(job);
    iso_prepare_begin(job, "field");
    ISO_TRY(make_field(job));
    status = check_field(job);

done:
    return status;
}

iso_status iso_stage_field(iso_prepare_job* job) {
    iso_status status = make_field(job);
    if (status != ISO_OK) {
        return status;
    }
    status = check_field(job);
    while (status == ISO_ERR_GEOMETRY && job->desc->mesher == ISO_PREPARE_MESHER_AUTO &&
           strcmp(job->report->mesher, "gmsh") == 0) {
        status = remesh(job, status);
    }
    return suggest(job, status);
}
