// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "base/core/text.h"
#include "base/system/clock.h"
#include "geometry/mesh/mesh.h"
#include "geometry/mesh/topology.h"
#include "geometry/search/distance.h"
#include "geometry/surfaces/surface_intersections.h"
#include "math/limits.h"
#include "prepare/meshers/mesher.h"
#include "prepare/stages.h"
#include "prepare/surface/surface_faults.h"
#include "prepare/surface/surface_repair.h"
#include "prepare/surface/surface_untangle.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// More than a mesher makes in an hour, and than a query should have.
#define MOST_SKIN_TRIANGLES 2e6

#define WELD_SHARE 1e-6     // of the largest side
#define UNTANGLE_SHARE 1e-3 // of the largest side: as far as fTetWild shifts a surface
#define UNTANGLE_TIME 0.1   // of the time limit, beside what the meshers have

bool iso_path_is_step(const char* path) {
    return iso_path_has_extension(path, ".step") || iso_path_has_extension(path, ".stp");
}

static iso_status read_surface(iso_prepare_job* job, const char* path, iso_tri_mesh* out_mesh) {
    return iso_path_is_step(path)
               ? iso_step_surface(job, path, out_mesh)
               : iso_tri_mesh_load(job->ctx, path, iso_vec3_make(1.0, 1.0, 1.0), out_mesh);
}

iso_status iso_stage_read(iso_prepare_job* job) {
    iso_status status = read_surface(job, job->desc->input, &job->surface);
    if (status == ISO_OK) {
        job->report->input_vertex_count = job->surface.vertex_count;
        job->report->input_triangle_count = job->surface.triangle_count;
        iso_prepare_say(job, "%d vertices, %d triangles", job->surface.vertex_count,
                        job->surface.triangle_count);
    }
    return status;
}

static double unit_of(const iso_prepare_job* job, const char* path) {
    return job->desc->unit > 0.0 && !iso_path_is_step(path) ? job->desc->unit : 1.0;
}

static double length_in(double length, const char** out_unit) {
    static const struct {
        const char* name;
        double metres;
    } units[] = {{"km", 1e3}, {"m", 1.0}, {"mm", 1e-3}, {"um", 1e-6}};
    int i = 0;
    while (i < 3 && length < units[i].metres) {
        ++i;
    }
    *out_unit = units[i].name;
    return length / units[i].metres;
}

static void doubt_size(iso_prepare_job* job) {
    const char* guess = iso_guess_unit(job->side);
    const char *unit, *other_unit;
    double side = length_in(job->side, &unit);
    if (!guess) {
        return;
    }
    if (job->desc->unit > 0.0 || iso_path_is_step(job->desc->input) || strcmp(guess, "m") == 0) {
        iso_prepare_warn(job, "the largest side is %.3g %s: are unit and scale right?", side, unit);
        return;
    }
    double other = length_in(job->side * (strcmp(guess, "mm") == 0 ? 1e-3 : 1e-6), &other_unit);
    iso_prepare_warn(job,
                     "the largest side is %.3g %s, coordinates taken as metres; did you mean "
                     "--units %s (%.3g %s)?",
                     side, unit, guess, other, other_unit);
}

static double weld_tolerance(const iso_prepare_job* job) {
    return job->desc->weld_tolerance > 0.0 ? job->desc->weld_tolerance : WELD_SHARE * job->side;
}

iso_status iso_stage_scale(iso_prepare_job* job) {
    iso_prepare_report* r = job->report;
    r->scale = unit_of(job, job->desc->input) * job->desc->scale;
    if (iso_path_is_step(job->desc->input) && job->desc->unit > 0.0) {
        iso_prepare_warn(job, "%s says its own unit: --units is not used", job->desc->input);
    }
    iso_tri_mesh_scale(&job->surface, iso_vec3_make(r->scale, r->scale, r->scale));
    iso_points_bounds(job->surface.vertices, job->surface.vertex_count, &r->lower, &r->upper);
    iso_vec3 size = iso_vec3_sub(r->upper, r->lower);
    job->side = fmax(size.x, fmax(size.y, size.z));
    ISO_REQUIRE(job->ctx, job->side >= ISO_SMALLEST_SIZE && job->side <= ISO_LARGEST_SIZE,
                ISO_ERR_RANGE,
                "%s: the largest side is %g m, expected in [%g, %g]: are unit and scale right "
                "(--units, --scale)?",
                job->desc->input, job->side, ISO_SMALLEST_SIZE, ISO_LARGEST_SIZE);
    // No scene takes a centre of mass beyond.
    double reach = hypot(
        fmax(fabs(r->lower.x), fabs(r->upper.x)),
        hypot(fmax(fabs(r->lower.y), fabs(r->upper.y)), fmax(fabs(r->lower.z), fabs(r->upper.z))));
    ISO_REQUIRE(job->ctx, reach <= ISO_FILE_FARTHEST, ISO_ERR_RANGE,
                "%s: the surface reaches %g m from the origin, expected at most %g: are unit and "
                "scale right (--units, --scale)? Else move it",
                job->desc->input, reach, ISO_FILE_FARTHEST);
    double thickness = fmin(size.x, fmin(size.y, size.z));
    ISO_REQUIRE(job->ctx, thickness > weld_tolerance(job), ISO_ERR_GEOMETRY,
                "%s: the surface is %g m thick, expected more than the %g m within which vertices "
                "are merged: a sheet needs thickness, a thin body a smaller --weld",
                job->desc->input, thickness, weld_tolerance(job));
    ISO_REQUIRE(job->ctx, job->desc->size < job->side, ISO_ERR_RANGE,
                "edge length %g m is not below the largest side of the body, %g m", job->desc->size,
                job->side);
    bool is_guess = job->desc->unit == 0.0 && !iso_path_is_step(job->desc->input);
    iso_prepare_say(job, "factor %g: %.4g x %.4g x %.4g m%s", r->scale, size.x, size.y, size.z,
                    is_guess ? ", coordinates taken as metres" : "");
    doubt_size(job);
    return ISO_OK;
}

// What lies inside another part, and the vertices that nothing uses then.
static iso_status drop_nested(iso_prepare_job* job, iso_tri_mesh* mesh) {
    int count = 0;
    iso_surface_repair unused = {0};
    iso_status status = iso_surface_drop_nested(job->ctx, mesh, &count);
    if (count < 0) {
        iso_prepare_warn(job, "too many parts to look for those inside others: none is left out");
    }
    job->report->dropped_count += count > 0 ? count : 0;
    return status == ISO_OK && count > 0 ? iso_surface_tidy(job->ctx, mesh, &unused) : status;
}

static iso_status repair(iso_prepare_job* job, iso_tri_mesh* mesh, iso_surface_repair* out_repair) {
    double tolerance = weld_tolerance(job);
    iso_status status = ISO_OK;
    ISO_TRY(iso_surface_weld(job->ctx, mesh, tolerance, out_repair));
    ISO_TRY(iso_surface_remove_slivers(job->ctx, mesh, tolerance, out_repair));
    if (job->desc->is_solid) {
        ISO_TRY(drop_nested(job, mesh));
    }
    status = iso_surface_orient(job->ctx, mesh, &out_repair->orientation);

done:
    return status;
}

iso_status iso_stage_repair(iso_prepare_job* job) {
    iso_prepare_report* r = job->report;
    iso_surface_repair done = {0};
    iso_status status = repair(job, &job->surface, &done);
    r->vertex_count = job->surface.vertex_count;
    r->triangle_count = job->surface.triangle_count;
    r->part_count = done.orientation.part_count;
    r->welded_count = done.welded_count;
    r->collapsed_count = done.collapsed_count;
    r->duplicate_count = done.duplicate_count;
    r->degenerate_count = done.degenerate_count;
    r->turned_count = done.orientation.turned_count;
    r->cavity_count = done.orientation.cavity_count;
    if (status == ISO_OK) {
        iso_prepare_say(job,
                        "%d vertices merged, %d triangles collapsed, %d repeated, %d slivers "
                        "flipped, %d turned over; %d part%s",
                        r->welded_count, r->collapsed_count, r->duplicate_count,
                        r->degenerate_count, r->turned_count, r->part_count,
                        iso_text_plural(r->part_count));
        if (r->turned_count >= r->triangle_count) {
            iso_prepare_warn(job, "the surface was inside out and was turned over");
        }
        if (r->cavity_count > 0) {
            iso_prepare_warn(job,
                             "%d of %d parts lie inside another one and are taken as cavities; "
                             "--solid leaves out what is inside",
                             r->cavity_count, r->part_count);
        }
        if (r->dropped_count > 0) {
            iso_prepare_warn(job, "left out because of --solid: %d part%s inside another one",
                             r->dropped_count, iso_text_plural(r->dropped_count));
        }
    }
    return status;
}

static iso_status find_faults(iso_prepare_job* job) {
    iso_prepare_report* r = job->report;
    iso_tri_topology topology = {0};
    iso_status status = ISO_OK;
    ISO_TRY(iso_tri_topology_create(job->ctx, &job->surface, &topology));
    r->non_manifold_edge_count = topology.non_manifold_edge_count;
    r->inconsistent_edge_count = topology.flipped_edge_count;
    r->surface_area = iso_tri_mesh_area(&job->surface);
    ISO_TRY(iso_surface_find_holes(job->ctx, &job->surface, &r->hole_count, r->holes));
    r->surface_volume = r->hole_count == 0 && r->non_manifold_edge_count == 0
                            ? iso_tri_mesh_volume(&job->surface)
                            : 0.0;
    status = iso_surface_find_intersections(job->ctx, &job->surface, ISO_PREPARE_HOLE_MAX,
                                            &r->intersection_count, r->intersections);
    ISO_CHECK(job->ctx, status != ISO_OK || r->inconsistent_edge_count == 0, ISO_ERR_GEOMETRY,
              "%s: the surface has one side alone, as a Moebius band has, and so no inside, "
              "whatever closes it; repair it",
              job->desc->input);

done:
    iso_tri_topology_destroy(job->ctx, &topology);
    return status;
}

static void describe_holes(const iso_prepare_report* r, char out_text[ISO_PREPARE_TEXT_SIZE]) {
    const iso_prepare_hole* h = &r->holes[0];
    const char* unit;
    double length = length_in(h->length, &unit);
    (void)snprintf(out_text, ISO_PREPARE_TEXT_SIZE,
                   "%d hole%s (%s%.3g %s around, near (%.4g, %.4g, %.4g))", r->hole_count,
                   iso_text_plural(r->hole_count), r->hole_count == 1 ? "" : "longest ", length,
                   unit, h->center.x, h->center.y, h->center.z);
}

static void describe_intersections(const iso_prepare_report* r,
                                   char out_text[ISO_PREPARE_TEXT_SIZE]) {
    iso_vec3 p = r->intersections[0];
    (void)snprintf(out_text, ISO_PREPARE_TEXT_SIZE,
                   "%d pair%s of triangles that cut each other, first near (%.4g, %.4g, %.4g)",
                   r->intersection_count, iso_text_plural(r->intersection_count), p.x, p.y, p.z);
}

// "3 holes (longest 12 mm around, near (0.1, 0, 0.2)), 1 edge of three or more triangles and 2
// pairs of triangles that cut each other, first near (0, 0, 0.1)"; "" when there are no faults.
static void describe_faults(const iso_prepare_report* r, char out_text[ISO_PREPARE_TEXT_SIZE]) {
    char faults[3][ISO_PREPARE_TEXT_SIZE];
    int count = 0;
    size_t length = 0;
    if (r->hole_count > 0) {
        describe_holes(r, faults[count++]);
    }
    if (r->non_manifold_edge_count > 0) {
        (void)snprintf(faults[count++], ISO_PREPARE_TEXT_SIZE,
                       "%d edge%s of three or more triangles", r->non_manifold_edge_count,
                       iso_text_plural(r->non_manifold_edge_count));
    }
    if (r->intersection_count > 0) {
        describe_intersections(r, faults[count++]);
    }
    out_text[0] = '\0';
    for (int i = 0; i < count && length < ISO_PREPARE_TEXT_SIZE; ++i) {
        const char* joint = i == 0 ? "" : (i + 1 < count ? ", " : " and ");
        length += (size_t)snprintf(out_text + length, ISO_PREPARE_TEXT_SIZE - length, "%s%s", joint,
                                   faults[i]);
    }
}

// gmsh takes no triangles that cut each other, fTetWild takes minutes over them. Most are needles
// folded over their neighbours: where small moves of edges undo them all, it is done.
static iso_status untangle(iso_prepare_job* job) {
    iso_prepare_report* r = job->report;
    double tolerance = UNTANGLE_SHARE * job->side;
    const iso_surface_patience patience = {iso_prepare_is_late, job};
    iso_tri_mesh mended = {0};
    iso_surface_untangling done = {0};
    double shift = 0.0;
    iso_status status = ISO_OK;
    job->deadline = iso_clock_seconds() + UNTANGLE_TIME * job->desc->time_limit;
    ISO_TRY(
        iso_tri_mesh_copy_scaled(job->ctx, &job->surface, iso_vec3_make(1.0, 1.0, 1.0), &mended));
    status = iso_surface_untangle_near(job->ctx, &mended, &job->surface, tolerance, tolerance,
                                       &patience, &done, &shift);
    ISO_CHECK(job->ctx, !iso_prepare_is_cancelled(job), ISO_ERR_NO_CONVERGENCE,
              "cancelled while triangles that cut each other were undone");
    if (status != ISO_OK) {
        status = status == ISO_ERR_GEOMETRY ? ISO_OK : status; // it stays as it is
        goto done;
    }
    r->untangled_count = r->intersection_count;
    r->intersection_count = 0;
    iso_prepare_warn(job,
                     "%d pairs of triangles that cut each other, first near (%.4g, %.4g, %.4g), "
                     "were undone: %d edges turned, %d shrunk; that shifts the surface by up to "
                     "%.2g mm",
                     r->untangled_count, r->intersections[0].x, r->intersections[0].y,
                     r->intersections[0].z, done.flip_count, done.collapse_count, 1e3 * shift);
    r->vertex_count = mended.vertex_count;
    r->triangle_count = mended.triangle_count;
    r->surface_area = iso_tri_mesh_area(&mended);
    r->surface_volume = iso_tri_mesh_volume(&mended);
    job->original = job->surface;
    job->surface = mended;
    mended = (iso_tri_mesh){0};

done:
    iso_tri_mesh_destroy(job->ctx, &mended);
    return status;
}

// Equilateral triangles of the wanted edge length would cover the skin; each carries a tetrahedron.
static iso_status check_skin_count(const iso_prepare_job* job) {
    double size = job->desc->size, area = job->report->surface_area;
    double share = 0.25 * sqrt(3.0); // area of a triangle over its squared edge
    ISO_REQUIRE(job->ctx, size == 0.0 || area <= MOST_SKIN_TRIANGLES * share * size * size,
                ISO_ERR_RANGE,
                "edge length %g m: the skin of %.4g m^2 would take %.2g triangles, at most %.2g: "
                "ask for %.2g m or more",
                size, area, area / (share * size * size), MOST_SKIN_TRIANGLES,
                1.01 * sqrt(area / (share * MOST_SKIN_TRIANGLES)));
    return ISO_OK;
}

iso_status iso_stage_check(iso_prepare_job* job) {
    iso_prepare_report* r = job->report;
    char faults[ISO_PREPARE_TEXT_SIZE];
    iso_status status = find_faults(job);
    if (status == ISO_OK) {
        status = check_skin_count(job);
    }
    if (status != ISO_OK) {
        return status;
    }
    bool is_open = r->hole_count > 0;
    if (r->intersection_count > 0 && !is_open && r->non_manifold_edge_count == 0 &&
        job->desc->mesher != ISO_PREPARE_MESHER_FTETWILD) {
        status = untangle(job);
        if (status != ISO_OK) {
            return status;
        }
    }
    describe_faults(r, faults);
    bool takes_all = job->desc->mesher == ISO_PREPARE_MESHER_FTETWILD;
    bool takes_closed = job->desc->mesher != ISO_PREPARE_MESHER_GMSH;
    ISO_REQUIRE(job->ctx, !faults[0] || takes_all || (takes_closed && !is_open), ISO_ERR_GEOMETRY,
                "%s: the surface has %s: repair it%s or use --mesher ftetwild", job->desc->input,
                faults, r->hole_count > 0 ? ", take a closed one (a collision mesh)" : "");
    if (faults[0]) {
        iso_prepare_say(job, "%s", faults);
        iso_prepare_warn(job, "the surface has %s", faults);
        return ISO_OK;
    }
    iso_prepare_say(job, "closed, no triangles cut each other; area %.4g m^2, volume %.4g m^3",
                    r->surface_area, r->surface_volume);
    ISO_REQUIRE(job->ctx, r->surface_volume > 0.0, ISO_ERR_GEOMETRY,
                "%s: the surface encloses %g m^3, expected > 0", job->desc->input,
                r->surface_volume);
    return ISO_OK;
}

// Body and core as one surface, the core turned over: it is a cavity of the body.
static iso_status join(iso_context* ctx, const iso_tri_mesh* body, const iso_tri_mesh* core,
                       iso_tri_mesh* out_joined) {
    iso_status status =
        iso_tri_mesh_allocate(ctx, body->vertex_count + core->vertex_count,
                              body->triangle_count + core->triangle_count, out_joined);
    if (status != ISO_OK) {
        return status;
    }
    memcpy(out_joined->vertices, body->vertices,
           (size_t)body->vertex_count * sizeof *body->vertices);
    memcpy(out_joined->triangles, body->triangles,
           (size_t)body->triangle_count * sizeof *body->triangles);
    for (int i = 0; i < core->vertex_count; ++i) {
        out_joined->vertices[body->vertex_count + i] = core->vertices[i];
    }
    for (int i = 0; i < core->triangle_count; ++i) {
        for (int k = 0; k < 3; ++k) {
            out_joined->triangles[body->triangle_count + i][k] =
                core->triangles[i][2 - k] + body->vertex_count;
        }
    }
    return ISO_OK;
}

static iso_status read_core(iso_prepare_job* job) {
    iso_surface_repair repaired = {0};
    double factor = unit_of(job, job->desc->core) * job->desc->scale;
    iso_status status = ISO_OK;
    ISO_TRY(read_surface(job, job->desc->core, &job->core));
    iso_tri_mesh_scale(&job->core, iso_vec3_make(factor, factor, factor));
    ISO_TRY(repair(job, &job->core, &repaired));
    status = iso_tri_mesh_check_closed(job->ctx, &job->core);

done:
    return status == ISO_OK ? ISO_OK
                            : iso_fail_prefix(job->ctx, status, "core %s", job->desc->core);
}

static iso_status read_backing(iso_prepare_job* job) {
    double factor = unit_of(job, job->desc->backing) * job->desc->scale;
    iso_status status = read_surface(job, job->desc->backing, &job->backing);
    if (status == ISO_OK) {
        iso_tri_mesh_scale(&job->backing, iso_vec3_make(factor, factor, factor));
        status = iso_tri_mesh_check(job->ctx, &job->backing);
    }
    return status == ISO_OK ? ISO_OK
                            : iso_fail_prefix(job->ctx, status, "backing %s", job->desc->backing);
}

// Parts are not told apart: look here and there.
static iso_status check_core_vertices(iso_prepare_job* job) {
    int step = job->core.vertex_count / 64 + 1;
    iso_distance_tree* tree = NULL;
    iso_status status = ISO_OK;
    ISO_TRY(iso_distance_tree_create(job->ctx, &job->surface, &tree));
    for (int i = 0; i < job->core.vertex_count; i += step) {
        iso_vec3 p = job->core.vertices[i];
        ISO_CHECK(job->ctx, iso_distance_tree_winding_number(tree, p) > 0.5, ISO_ERR_GEOMETRY,
                  "core %s lies outside the body at (%g, %g, %g); it must lie inside: check its "
                  "unit and place",
                  job->desc->core, p.x, p.y, p.z);
    }

done:
    iso_distance_tree_destroy(job->ctx, tree);
    return status;
}

// Inside: one vertex of each part is, and no triangles cut each other.
static iso_status check_core_inside(iso_prepare_job* job) {
    int count = 0;
    iso_vec3 places[ISO_PREPARE_HOLE_MAX];
    iso_status status = iso_surface_find_intersections(job->ctx, &job->joined, ISO_PREPARE_HOLE_MAX,
                                                       &count, places);
    if (status != ISO_OK) {
        return status;
    }
    ISO_REQUIRE(job->ctx, count == job->report->intersection_count, ISO_ERR_GEOMETRY,
                "core %s cuts the surface of the body, or itself, near (%g, %g, %g); it must lie "
                "inside: check its unit and place",
                job->desc->core, places[0].x, places[0].y, places[0].z);
    return check_core_vertices(job);
}

iso_status iso_stage_core(iso_prepare_job* job) {
    iso_status status = ISO_OK;
    if (job->desc->core) {
        ISO_TRY(read_core(job));
    }
    if (job->desc->backing) {
        ISO_TRY(read_backing(job));
    }
    ISO_TRY(join(job->ctx, &job->surface, &job->core, &job->joined));
    ISO_TRY(join(job->ctx, job->original.triangle_count > 0 ? &job->original : &job->surface,
                 &job->core, &job->given));
    if (job->desc->core) {
        ISO_TRY(check_core_inside(job));
        job->report->surface_volume -= iso_tri_mesh_volume(&job->core);
        iso_prepare_say(job, "%d vertices, %d triangles, %.4g m^3 inside the body",
                        job->core.vertex_count, job->core.triangle_count,
                        iso_tri_mesh_volume(&job->core));
    } else {
        iso_prepare_say(job, "none");
    }

done:
    return status;
}
