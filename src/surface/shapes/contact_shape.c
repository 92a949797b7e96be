// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "surface/shapes/contact_shape.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "base/core/log.h"
#include "base/core/text.h"
#include "field/build/field_build.h"
#include "field/build/shell.h"
#include "geometry/mesh/mesh.h"
#include "geometry/mesh/shape.h"
#include "geometry/mesh_files/vtk/volume_file.h"
#include "geometry/surfaces/surface_orient.h"
#include "geometry/tessellation/shape_mesh.h"
#include "geometry/tessellation/tessellate.h"
#include "surface/shapes/contact_shape_data.h"
#include "surface/shapes/shape_search.h"

#include <string.h>

// The square that shows a half space has edges of 100 of these [m].
#define HALF_SPACE_HINT 0.1

static const char* shape_name(const iso_shape_desc* shape) {
    return shape->path ? shape->path : iso_shape_kind_name(shape->kind);
}

static double hint_of(const iso_shape_desc* shape, double hint) {
    return hint > 0.0 ? hint : iso_shape_default_resolution(shape);
}

static iso_status check_material(iso_context* ctx, const iso_contact_material* material) {
    ISO_REQUIRE(ctx, isfinite(material->modulus) && material->modulus > 0.0, ISO_ERR_RANGE,
                "modulus is %g Pa, expected finite and > 0", material->modulus);
    ISO_REQUIRE(ctx, isfinite(material->resolution_hint) && material->resolution_hint >= 0.0,
                ISO_ERR_RANGE, "resolution hint is %g m, expected finite and >= 0",
                material->resolution_hint);
    ISO_REQUIRE(ctx, isfinite(material->margin) && material->margin >= 0.0, ISO_ERR_RANGE,
                "margin is %g m, expected finite and >= 0", material->margin);
    ISO_REQUIRE(ctx, isfinite(material->slab_thickness) && material->slab_thickness >= 0.0,
                ISO_ERR_RANGE, "slab thickness is %g m, expected finite and >= 0",
                material->slab_thickness);
    return ISO_OK;
}

static void warn_of_unreached_hint(iso_context* ctx, const iso_shape_desc* desc, double hint) {
    double asked = iso_shape_tet_count(desc, hint), got = iso_tessellate_tet_count(desc, hint);
    if (got < asked) {
        iso_log(ctx, ISO_LOG_WARNING,
                "%s: resolution hint %g m asks for %.2g tetrahedra, the finest mesh has %.0f",
                shape_name(desc), hint, asked, got);
    }
}

static iso_status make_half_space(iso_context* ctx, const iso_shape_desc* desc,
                                  const iso_contact_material* material, iso_contact_shape* shape) {
    shape->is_half_space = true;
    shape->is_closed = true;
    shape->lower = iso_vec3_make(-INFINITY, -INFINITY, -INFINITY);
    shape->upper = iso_vec3_make(INFINITY, INFINITY, INFINITY);
    shape->is_rigid = material->compliance == ISO_COMPLIANCE_RIGID;
    if (!shape->is_rigid && material->slab_thickness == 0.0) {
        ISO_REQUIRE(ctx, material->compliance == ISO_COMPLIANCE_DEFAULT, ISO_ERR_RANGE,
                    "compliant half space without slab thickness: expected the depth [m], > 0, at "
                    "which its pressure reaches the modulus");
        iso_log(ctx, ISO_LOG_INFO, "half space without slab thickness is rigid");
        shape->is_rigid = true;
    }
    ISO_REQUIRE(
        ctx, shape->is_rigid || (material->stiffening == 0.0 && material->modulus_row_count == 0),
        ISO_ERR_UNSUPPORTED,
        "compliant half space with stiffening %g and %d rows of moduli: expected a "
        "constant modulus; use a box with layers instead",
        material->stiffening, material->modulus_row_count);
    if (!shape->is_rigid &&
        (material->layer_count > 0 || material->extent_kind != ISO_EXTENT_AUTO)) {
        iso_log(ctx, ISO_LOG_WARNING,
                "half space: layers and the kind of extent are not used, its pressure rises evenly "
                "with depth");
    }
    if (!shape->is_rigid) {
        double slope = material->modulus / material->slab_thickness;
        shape->half_space = (iso_half_space){slope, -slope * material->margin};
        shape->thickness = material->slab_thickness;
        shape->max_pressure = material->modulus;
    }
    double hint = material->resolution_hint > 0.0 ? material->resolution_hint : HALF_SPACE_HINT;
    return iso_shape_surface(ctx, desc, hint, &shape->surface);
}

// Margin of the layer of a rigid shape, relative to its smallest side, at most.
#define LARGEST_LAYER_MARGIN 0.05

// Bounds of the triangles, or of the field with its margin.
static void set_bounds(iso_contact_shape* shape) {
    if (shape->field) {
        iso_points_bounds(shape->field->mesh.vertices, shape->field->mesh.vertex_count,
                          &shape->lower, &shape->upper);
    } else {
        iso_points_bounds(shape->surface.vertices, shape->surface.vertex_count, &shape->lower,
                          &shape->upper);
    }
}

// file: what came with the mesh of desc; NULL when nothing did.
static iso_status make_compliant(iso_context* ctx, const iso_shape_desc* desc,
                                 const iso_contact_material* material, const iso_volume_file* file,
                                 iso_contact_shape* shape) {
    iso_field_recipe recipe = {.modulus = material->modulus,
                               .margin = material->margin,
                               .resolution_hint = material->resolution_hint,
                               .extent_kind = material->extent_kind,
                               .stiffening = material->stiffening,
                               .modulus_table = material->modulus_table,
                               .modulus_row_count = material->modulus_row_count,
                               .layer_count = material->layer_count,
                               .is_mesh_kept = material->is_mesh_kept,
                               .is_skin_bonded = material->is_skin_bonded};
    if (file) {
        recipe.pressure = file->pressure;
        recipe.extent = file->extent;
        recipe.moduli = file->modulus;
    }
    iso_field_summary summary;
    iso_status status = ISO_OK;
    bool is_hull = desc->kind == ISO_SHAPE_CONVEX;
    if (is_hull) {
        status = iso_shape_load_hull(ctx, desc, &shape->surface);
        recipe.hull = &shape->surface;
    }
    if (status == ISO_OK) {
        status = iso_field_create_for_shape(ctx, desc, &recipe, &summary, &shape->field);
    }
    if (status != ISO_OK) {
        return status;
    }
    shape->is_closed = true;
    shape->thickness = summary.thickness;
    shape->max_pressure = shape->field->max_pressure;
    if (summary.is_given) {
        // The extent of a given pressure is its share of the largest: p0 = M e with this M.
        shape->material.modulus = shape->max_pressure;
        shape->material.stiffening = 0.0;
        shape->material.modulus_table = NULL;
        shape->material.modulus_row_count = 0;
    }
    return is_hull ? ISO_OK
                   : iso_tessellate_surface(ctx, desc, hint_of(desc, material->resolution_hint),
                                            &shape->surface);
}

static iso_status make_rigid(iso_context* ctx, const iso_shape_desc* desc,
                             const iso_contact_material* material, iso_contact_shape* shape) {
    shape->is_rigid = true;
    shape->shape = *desc;
    shape->shape.path = NULL;
    shape->resolution_hint = hint_of(desc, material->resolution_hint);
    iso_status status = ISO_OK;
    if (shape->volume.tet_count > 0) {
        status = iso_tet_mesh_skin(ctx, &shape->volume, &shape->surface);
    } else {
        status = iso_tessellate_surface(ctx, desc, shape->resolution_hint, &shape->surface);
    }
    if (status == ISO_OK) {
        status = iso_surface_make_solid(ctx, shape_name(desc), &shape->surface, &shape->is_closed);
    }
    if (status == ISO_OK) {
        status = iso_tri_set_create(ctx, &shape->surface, &shape->triangles);
    }
    if (status == ISO_OK && shape->triangles.degenerate_count > 0) {
        iso_log(ctx, ISO_LOG_WARNING, "%s: %d triangle%s without area left out of contact",
                shape_name(desc), shape->triangles.degenerate_count,
                iso_text_plural(shape->triangles.degenerate_count));
    }
    return status;
}

// Volume files with their nodal arrays, everything else as it is.
static iso_status load_mesh(iso_context* ctx, const iso_shape_desc* desc, iso_tri_mesh* surface,
                            iso_volume_file* file) {
    if (desc->volume || desc->surface || !iso_volume_file_is_known(desc->path)) {
        return iso_shape_load_mesh(ctx, desc, surface, &file->mesh);
    }
    return iso_volume_file_load(ctx, desc->path, desc->scale, file);
}

// Meshes come as tetrahedra or as a bare surface, which decides what an undeclared one becomes.
static iso_status make_from_mesh(iso_context* ctx, const iso_shape_desc* desc,
                                 const iso_contact_material* material, iso_contact_shape* shape) {
    iso_tri_mesh surface = {0};
    iso_volume_file file = {0};
    // The mesh is read once; from here on it is inline and already scaled.
    iso_shape_desc loaded = iso_shape_desc_default(ISO_SHAPE_MESH);
    loaded.path = desc->path; // names it in the log
    iso_status status = load_mesh(ctx, desc, &surface, &file);
    if (status != ISO_OK) {
        return status;
    }
    bool has_volume = file.mesh.tet_count > 0;
    bool is_rigid = material->compliance == ISO_COMPLIANCE_RIGID;
    ISO_CHECK(ctx, has_volume || material->compliance != ISO_COMPLIANCE_COMPLIANT, ISO_ERR_GEOMETRY,
              "a surface declared compliant takes tetrahedra: make them with `isobar prepare %s "
              "-o OUT.vtk`, or declare it convex or rigid",
              desc->path ? desc->path : "FILE");
    if (!has_volume && !is_rigid) { // of which a world warns, who knows where it is from
        iso_log(ctx, ISO_LOG_DEBUG, "%s is a surface without tetrahedra: it becomes rigid",
                shape_name(desc));
        is_rigid = true;
    }
    loaded.surface = has_volume ? NULL : &surface;
    loaded.volume = has_volume ? &file.mesh : NULL;
    if (!is_rigid) {
        ISO_TRY(make_compliant(ctx, &loaded, material, &file, shape));
    } else {
        if (has_volume) {
            shape->volume = file.mesh;
            file.mesh = (iso_tet_mesh){0};
            loaded.volume = &shape->volume;
        }
        ISO_TRY(make_rigid(ctx, &loaded, material, shape));
    }

done:
    iso_tri_mesh_destroy(ctx, &surface);
    iso_volume_file_destroy(ctx, &file);
    if (status != ISO_OK && desc->path) {
        return iso_fail_prefix(ctx, status, "%s", desc->path);
    }
    return status;
}

// Keep what later questions need of the descriptors.
static iso_status remember(iso_context* ctx, const iso_shape_desc* desc,
                           const iso_contact_material* material, iso_contact_shape* shape) {
    shape->ctx = ctx;
    shape->primitive = *desc;
    shape->primitive.path = NULL;
    shape->primitive.surface = NULL;
    shape->primitive.volume = NULL;
    shape->material = *material;
    shape->material.modulus_table = NULL;
    if (!material->modulus_table || material->modulus_row_count <= 0) {
        return ISO_OK;
    }
    int rows = material->modulus_row_count;
    iso_modulus_row* table = iso_alloc_array(ctx, rows, sizeof *table);
    ISO_REQUIRE(ctx, table, ISO_ERR_MEMORY, "table of %d moduli", rows);
    memcpy(table, material->modulus_table, (size_t)rows * sizeof *table);
    shape->modulus_table = table;
    shape->material.modulus_table = table;
    return ISO_OK;
}

iso_status iso_contact_shape_create(iso_context* ctx, const iso_shape_desc* desc,
                                    const iso_contact_material* material,
                                    iso_contact_shape** out_shape) {
    ISO_REQUIRE(ctx, desc && material && out_shape, ISO_ERR_ARGUMENT,
                "shape, material and out_shape are required");
    *out_shape = NULL;
    iso_contact_material settled = *material;
    settled.margin = settled.margin == ISO_MARGIN_AUTO ? 0.0 : settled.margin; // no time step here
    material = &settled;
    iso_status status = iso_shape_check(ctx, desc);
    if (status == ISO_OK) {
        status = check_material(ctx, material);
    }
    if (status != ISO_OK) {
        return status;
    }
    iso_contact_shape* shape = iso_alloc_zeroed(ctx, sizeof *shape);
    ISO_REQUIRE(ctx, shape, ISO_ERR_MEMORY, "contact shape of %s", shape_name(desc));
    ISO_TRY(remember(ctx, desc, material, shape));
    warn_of_unreached_hint(ctx, desc, material->resolution_hint);
    if (desc->kind == ISO_SHAPE_HALF_SPACE) {
        ISO_TRY(make_half_space(ctx, desc, material, shape));
    } else {
        if (desc->kind == ISO_SHAPE_MESH) {
            ISO_TRY(make_from_mesh(ctx, desc, material, shape));
        } else if (material->compliance == ISO_COMPLIANCE_RIGID) {
            ISO_TRY(make_rigid(ctx, desc, material, shape));
        } else {
            ISO_TRY(make_compliant(ctx, desc, material, NULL, shape));
        }
        set_bounds(shape);
    }
    *out_shape = shape;

done:
    if (status != ISO_OK) {
        iso_contact_shape_destroy(ctx, shape);
    }
    return status;
}

void iso_contact_shape_destroy(iso_context* ctx, iso_contact_shape* shape) {
    if (!shape) {
        return;
    }
    iso_tri_mesh_destroy(ctx, &shape->surface);
    iso_tet_mesh_destroy(ctx, &shape->volume);
    iso_tri_set_destroy(ctx, &shape->triangles);
    iso_field_destroy(ctx, shape->field);
    iso_field_destroy(ctx, shape->layer);
    iso_shape_search_destroy(ctx, atomic_load(&shape->probe));
    iso_field_flux_destroy(ctx, shape->flux);
    iso_field_flux_destroy(ctx, shape->layer_flux);
    iso_free(ctx, shape->modulus_table);
    iso_free(ctx, shape);
}

bool iso_contact_shape_is_rigid(const iso_contact_shape* shape) {
    return shape->is_rigid;
}

bool iso_contact_shape_is_half_space(const iso_contact_shape* shape) {
    return shape->is_half_space;
}

bool iso_contact_shape_is_closed(const iso_contact_shape* shape) {
    return shape->is_closed;
}

void iso_contact_shape_bounds(const iso_contact_shape* shape, iso_vec3* out_lower,
                              iso_vec3* out_upper) {
    *out_lower = shape->lower;
    *out_upper = shape->upper;
}

const iso_tri_mesh* iso_contact_shape_surface(const iso_contact_shape* shape) {
    return &shape->surface;
}

int iso_contact_shape_tet_count(const iso_contact_shape* shape) {
    return shape->field ? shape->field->mesh.tet_count : 0;
}

double iso_contact_shape_thickness(const iso_contact_shape* shape) {
    return shape->thickness;
}

double iso_contact_shape_max_pressure(const iso_contact_shape* shape) {
    return shape->max_pressure;
}

bool iso_contact_shape_is_bare(const iso_contact_shape* shape) {
    return shape->is_rigid && shape->is_closed && shape->shape.kind == ISO_SHAPE_MESH &&
           shape->volume.tet_count == 0;
}

// How whole the layer of a rigid shape is: that of a bare surface may lack tetrahedra.
static int layer_rank(const iso_contact_shape* shape) {
    bool is_bare = iso_contact_shape_is_bare(shape);
    return shape->is_half_space ? 3 : (!shape->is_closed ? 0 : (is_bare ? 1 : 2));
}

static int compare(double a, double b) {
    return (a > b) - (a < b);
}

bool iso_contact_shape_carries_layer(const iso_contact_shape* a, const iso_contact_shape* b) {
    int order = layer_rank(a) - layer_rank(b);
    if (order == 0 && a != b) {
        order = compare(iso_vec3_norm(iso_vec3_sub(b->upper, b->lower)),
                        iso_vec3_norm(iso_vec3_sub(a->upper, a->lower)));
    }
    const iso_tri_mesh *u = &a->surface, *v = &b->surface;
    if (order == 0 && a != b) {
        order = u->vertex_count - v->vertex_count;
    }
    for (int i = 0; order == 0 && a != b && i < u->vertex_count; ++i) {
        const double* p = &u->vertices[i].x;
        const double* q = &v->vertices[i].x;
        for (int k = 0; order == 0 && k < 3; ++k) {
            order = compare(p[k], q[k]);
        }
    }
    return order >= 0;
}

iso_status iso_contact_shape_prepare_layer(iso_context* ctx, iso_contact_shape* shape,
                                           const iso_contact_options* options) {
    if (!shape->is_rigid || shape->has_layer) {
        return ISO_OK;
    }
    double thickness = options->rigid_layer_thickness, modulus = options->rigid_layer_modulus;
    ISO_REQUIRE(ctx, shape->is_closed, ISO_ERR_GEOMETRY,
                "an open rigid surface cannot carry the layer of rigid contact");
    ISO_REQUIRE(ctx, isfinite(thickness) && thickness > 0.0, ISO_ERR_RANGE,
                "rigid layer thickness is %g m, expected finite and > 0", thickness);
    ISO_REQUIRE(ctx, isfinite(modulus) && modulus > 0.0, ISO_ERR_RANGE,
                "rigid layer modulus is %g Pa, expected finite and > 0", modulus);
    // That of the material, as far as a small shape has room for it.
    iso_vec3 size = iso_vec3_sub(shape->upper, shape->lower);
    double side = fmin(size.x, fmin(size.y, size.z));
    double margin = fmax(shape->material.margin, 0.0);
    iso_status status = ISO_OK;
    if (shape->is_half_space) {
        double slope = modulus / thickness;
        shape->layer_half_space = (iso_half_space){slope, -slope * margin};
    } else if (iso_contact_shape_is_bare(shape)) {
        status = iso_field_create_for_layer(ctx, &shape->surface, &shape->triangles.tree, modulus,
                                            thickness, &shape->layer);
    } else {
        // Hulls and volumes are kept here, already scaled.
        iso_shape_desc desc = shape->shape;
        if (desc.kind == ISO_SHAPE_CONVEX) {
            desc.surface = &shape->surface;
        } else if (desc.kind == ISO_SHAPE_MESH) {
            desc.volume = &shape->volume;
        }
        if (desc.kind == ISO_SHAPE_CONVEX || desc.kind == ISO_SHAPE_MESH) {
            desc.scale = iso_vec3_make(1.0, 1.0, 1.0);
        }
        iso_field_recipe recipe = {.modulus = modulus,
                                   .thickness = thickness,
                                   .margin = fmin(margin, LARGEST_LAYER_MARGIN * side),
                                   .resolution_hint = shape->resolution_hint};
        status = iso_field_create_for_shape(ctx, &desc, &recipe, NULL, &shape->layer);
    }
    shape->has_layer = status == ISO_OK;
    return status;
}

void iso_contact_shape_log_layer(iso_context* ctx, iso_contact_shape* shape, const char* owner) {
    if (!shape->layer || shape->is_layer_told || shape->shape.kind != ISO_SHAPE_MESH ||
        shape->volume.tet_count > 0) {
        return;
    }
    shape->is_layer_told = true;
    int full_count = 3 * shape->surface.triangle_count;
    int dropped_count = full_count - shape->layer->mesh.tet_count;
    if (dropped_count > 0) {
        bool is_much = dropped_count > ISO_MUCH_OVERLAP * full_count;
        iso_log(ctx, is_much ? ISO_LOG_WARNING : ISO_LOG_INFO,
                "%s: its rigid layer is without %d of %d tetrahedra, which would overlap", owner,
                dropped_count, full_count);
    }
}
