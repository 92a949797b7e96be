// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/inspect/inspect.h"
#include "cli/parts/json_output.h"
#include "cli/parts/session.h"
#include "cli/parts/text.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { k_doubt_max = 8 };

/// What the reader of a report should know, one line each.
typedef struct doubts {
    char lines[k_doubt_max][320];
    int count;
} doubts;

static void doubt(doubts* list, const char* format, ...) ISO_PRINTF(2, 3);
static void doubt(doubts* list, const char* format, ...) {
    if (list->count < k_doubt_max) {
        va_list args;
        va_start(args, format);
        vsnprintf(list->lines[list->count++], sizeof list->lines[0], format, args);
        va_end(args);
    }
}

static void doubt_size(doubts* list, const iso_mesh_report* r) {
    double x = r->upper.x - r->lower.x, y = r->upper.y - r->lower.y, z = r->upper.z - r->lower.z;
    double side = fmax(x, fmax(y, z));
    const char* guess = iso_guess_unit(side);
    if (guess != NULL) {
        doubt(list, "the largest side is %g m if the file is in metres; is it in %s?", side,
              side > 5.0 ? guess : "another unit");
    }
}

static void doubt_sides(doubts* list, const iso_mesh_report* r, bool has_mass) {
    const char* what = has_mass ? "are turned where they make contact or mass"
                                : "are turned where they make contact, but give no mass";
    if (r->is_closed && !r->is_oriented) {
        doubt(list,
              "the triangles face both sides: those that face inward %s; 'isobar prepare' turns "
              "them for good",
              what);
    } else if (r->is_closed && r->volume < 0.0) {
        doubt(list, "the triangles face inward: they %s", what);
    }
}

static void doubt_overlap(doubts* list, const iso_mesh_report* r) {
    enum { k_named_max = 3 };
    char places[96] = "";
    size_t length = 0;
    for (int i = 0; i < r->intersection_count && i < k_named_max && length < sizeof places; ++i) {
        iso_vec3 p = r->intersections[i];
        length += (size_t)snprintf(places + length, sizeof places - length, "%s(%.3g, %.3g, %.3g)",
                                   i > 0 ? ", " : "", p.x, p.y, p.z);
    }
    if (r->intersection_count > 0) {
        doubt(list,
              "%d pair%s of triangles cut each other or lie upon each other, first near %s: what "
              "overlaps counts twice, in contact and in mass%s",
              r->intersection_count, cli_plural(r->intersection_count), places,
              r->tet_count > 0 ? "" : "; 'isobar prepare' makes one body of it");
    }
}

/// A field that does not vanish on the skin, as contact wants it.
static void doubt_skin(doubts* list, const char* what, const char* unit, bool has, double on_skin,
                       double largest) {
    if (has && on_skin > 1e-9 * largest) {
        doubt(list,
              "%s is up to %g%s on the skin, expected 0: contact refuses the mesh, unless its "
              "material has bonded_skin",
              what, on_skin, unit);
    }
}

static void doubt_volume(doubts* list, const iso_volume_report* r) {
    if (r->quality_min < 0.05) {
        doubt(list, "the flattest tetrahedron has quality %.2g (1 is regular)", r->quality_min);
    }
    if (r->skin_element_count > 0) {
        doubt(list,
              r->has_extent || r->has_pressure
                  ? "%d tetrahedra have all corners on the skin: the file's own field is 0 in them"
                  : "%d tetrahedra have all corners on the skin: a field is 0 there, so they get "
                    "inner vertices when one is made",
              r->skin_element_count);
    }
    if (r->has_extent && (r->extent_low < 0.0 || r->extent_high > 1.0)) {
        doubt(list, "extent runs from %g to %g, expected 0 to 1", r->extent_low, r->extent_high);
    }
    if (r->has_extent && r->extent_high <= 0.0) {
        doubt(list, "extent is 0 everywhere: the body would offer no resistance");
    }
    if (r->has_pressure && r->pressure_low < 0.0) {
        doubt(list, "pressure goes down to %g Pa, expected >= 0", r->pressure_low);
    }
    if (r->has_pressure && !(r->pressure_high > 0.0)) {
        doubt(list, "pressure is nowhere above 0: the body would offer no resistance");
    }
    doubt_skin(list, "pressure", " Pa", r->has_pressure, r->skin_pressure_max, r->pressure_high);
    doubt_skin(list, "extent", "", r->has_extent, r->skin_extent_max, r->extent_high);
    if (r->has_modulus && !(r->modulus_low > 0.0)) {
        doubt(list, "modulus goes down to %g Pa, expected > 0", r->modulus_low);
    }
    if (r->mesh.component_count > 1) {
        doubt(list, "%d parts that do not touch", r->mesh.component_count);
    }
}

static json_t* mesh_json(const char* path, const iso_mesh_report* r,
                         const iso_mass_properties* mass, const doubts* list) {
    json_t* mesh = json_pack(
        "{s:o,s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:b,s:b,s:o,s:o,s:f,s:f}", "file",
        cli_json_path(path), "vertices", r->vertex_count, "triangles", r->triangle_count,
        "tetrahedra", r->tet_count, "components", r->component_count, "boundary_edges",
        r->boundary_edge_count, "non_manifold_edges", r->non_manifold_edge_count, "degenerate",
        r->degenerate_count, "intersections", r->intersection_count, "closed", (int)r->is_closed,
        "oriented", (int)r->is_oriented, "lower", cli_json_vec3(r->lower), "upper",
        cli_json_vec3(r->upper), "area", r->area, "volume", r->volume);
    if (mass != NULL) {
        json_object_set_new(mesh, "center_of_mass", cli_json_vec3(mass->center_of_mass));
    }
    json_t* warnings = json_array();
    for (int i = 0; i < list->count; ++i) {
        json_array_append_new(warnings, json_string(list->lines[i]));
    }
    json_object_set_new(mesh, "warnings", warnings);
    return mesh;
}

static void add_range(json_t* object, const char* name, bool has, double low, double high) {
    json_object_set_new(object, name, has ? json_pack("[f,f]", low, high) : json_null());
}

static void add_volume_json(json_t* mesh, const iso_volume_report* r) {
    json_t* bins = json_array();
    for (int i = 0; i < ISO_PREPARE_BIN_COUNT; ++i) {
        json_array_append_new(bins, json_integer(r->quality_bins[i]));
    }
    json_object_set_new(mesh, "quality_bins", bins);
    json_object_set_new(mesh, "quality_min", json_real(r->quality_min));
    json_object_set_new(mesh, "quality_mean", json_real(r->quality_mean));
    json_object_set_new(mesh, "dihedral_min", json_real(r->dihedral_min));
    json_object_set_new(mesh, "edge_mean", json_real(r->edge_mean));
    json_object_set_new(mesh, "thickness", json_real(r->thickness));
    json_object_set_new(mesh, "skin_elements", json_integer(r->skin_element_count));
    add_range(mesh, "full_extent_depth", r->has_extent, r->full_depth_low, r->full_depth_high);
    add_range(mesh, "extent", r->has_extent, r->extent_low, r->extent_high);
    add_range(mesh, "pressure", r->has_pressure, r->pressure_low, r->pressure_high);
    add_range(mesh, "modulus", r->has_modulus, r->modulus_low, r->modulus_high);
}

static void print_mesh(const char* path, const iso_mesh_report* r,
                       const iso_mass_properties* mass) {
    printf("%s: %d vertices, %d triangles", path, r->vertex_count, r->triangle_count);
    if (r->tet_count > 0) {
        printf(" on the skin, %d tetrahedra", r->tet_count);
    }
    printf(", %d part%s\n", r->component_count, cli_plural(r->component_count));
    printf("bounds [m]    %g %g %g  to  %g %g %g\n", r->lower.x, r->lower.y, r->lower.z, r->upper.x,
           r->upper.y, r->upper.z);
    printf("surface       %g m^2, %s\n", r->area,
           r->is_closed ? (r->is_oriented ? "closed" : "closed, but not oriented outward")
           : r->boundary_edge_count == 0 ? "no holes, but it touches itself along edges"
                                         : "open");
    if (r->boundary_edge_count + r->non_manifold_edge_count + r->degenerate_count > 0) {
        printf(
            "defects       %d boundary edge%s, %d edge%s of three or more triangles, %d degenerate "
            "triangle%s\n",
            r->boundary_edge_count, cli_plural(r->boundary_edge_count), r->non_manifold_edge_count,
            cli_plural(r->non_manifold_edge_count), r->degenerate_count,
            cli_plural(r->degenerate_count));
    }
    if (mass != NULL) {
        printf("volume        %g m^3, centre of mass %g %g %g m\n", mass->volume,
               mass->center_of_mass.x, mass->center_of_mass.y, mass->center_of_mass.z);
        printf("inertia/dens. %g %g %g m^5 (diagonal, about the centre of mass)\n",
               mass->inertia.m[0][0], mass->inertia.m[1][1], mass->inertia.m[2][2]);
    }
    printf("contact       %s\n", r->tet_count > 0 ? "compliant or rigid"
                                 : r->is_closed
                                     ? "rigid; 'isobar prepare' makes a compliant body of it"
                                     : "rigid sheet");
}

static void print_volume(const iso_volume_report* r) {
    printf("size          mean edge %g m, deepest vertex %g m below the skin\n", r->edge_mean,
           r->thickness);
    printf(
        "quality       at least %.2g, mean %.3f (1 is regular); smallest angle between faces %.1f "
        "deg\n",
        r->quality_min, r->quality_mean, r->dihedral_min * 180.0 / ISO_PI);
    if (r->has_extent) {
        printf("extent        %g to %g, on the skin up to %g; the largest ", r->extent_low,
               r->extent_high, r->skin_extent_max);
        if (r->full_depth_high > r->full_depth_low) {
            printf("%g to ", r->full_depth_low);
        }
        printf("%g m below it\n", r->full_depth_high);
    }
    if (r->has_pressure) {
        printf("pressure      %g to %g Pa\n", r->pressure_low, r->pressure_high);
    }
    if (r->has_modulus) {
        printf("modulus       %g to %g Pa\n", r->modulus_low, r->modulus_high);
    }
    if (!r->has_extent && !r->has_pressure) {
        printf("field         none in the file: made from the distance to the skin when used\n");
    }
}

static void print_doubts(const doubts* list) {
    for (int i = 0; i < list->count; ++i) {
        printf("note          %s\n", list->lines[i]);
    }
}

/// Mass as that of the file is made where a scene leaves it to the mesh: what faces inward is
/// turned.
static iso_status measure_surface(iso_context* ctx, const char* path, const iso_tri_mesh* mesh,
                                  iso_mesh_report* out_report, iso_mass_properties* out_mass,
                                  bool* out_has_mass) {
    iso_status status = iso_tri_mesh_inspect(ctx, mesh, out_report);
    if (status != ISO_OK || !out_report->is_closed) {
        return status;
    }
    if (out_report->is_oriented && out_report->volume > 0.0) {
        status = iso_tri_mesh_mass_properties(ctx, mesh, out_mass);
        *out_has_mass = status == ISO_OK;
        return status;
    }
    iso_shape_desc shape = iso_shape_desc_default(ISO_SHAPE_MESH);
    shape.path = path;
    *out_has_mass = iso_shape_mass_properties(ctx, &shape, out_mass) == ISO_OK;
    return ISO_OK;
}

cli_exit cli_inspect_surface(cli_session* session, const cli_options* options) {
    iso_mesh_report r;
    iso_mass_properties mass;
    bool has_mass = false;
    doubts list = {.count = 0};
    iso_tri_mesh mesh;
    iso_status status =
        iso_tri_mesh_load(session->ctx, options->input, iso_vec3_make(1.0, 1.0, 1.0), &mesh);
    if (status != ISO_OK) {
        return cli_report(session, status);
    }
    status = measure_surface(session->ctx, options->input, &mesh, &r, &mass, &has_mass);
    iso_tri_mesh_destroy(session->ctx, &mesh);
    if (status != ISO_OK) {
        char before[PATH_MAX + 4];
        (void)snprintf(before, sizeof before, "%s: ", options->input);
        return cli_report_about(session, status, before, "");
    }
    doubt_size(&list, &r);
    doubt_sides(&list, &r, has_mass);
    doubt_overlap(&list, &r);
    if (options->is_json) {
        return cli_json_print(mesh_json(options->input, &r, has_mass ? &mass : NULL, &list));
    }
    print_mesh(options->input, &r, has_mass ? &mass : NULL);
    print_doubts(&list);
    return CLI_DONE;
}

cli_exit cli_inspect_volume(cli_session* session, const cli_options* options) {
    iso_volume_report r;
    iso_mass_properties mass;
    doubts list = {.count = 0};
    iso_status status = iso_volume_inspect(session->ctx, options->input, &r, &mass);
    if (status != ISO_OK) {
        return cli_report(session, status);
    }
    doubt_size(&list, &r.mesh);
    doubt_overlap(&list, &r.mesh);
    doubt_volume(&list, &r);
    if (options->is_json) {
        json_t* object = mesh_json(options->input, &r.mesh, &mass, &list);
        add_volume_json(object, &r);
        return cli_json_print(object);
    }
    print_mesh(options->input, &r.mesh, &mass);
    print_volume(&r);
    print_doubts(&list);
    return CLI_DONE;
}
