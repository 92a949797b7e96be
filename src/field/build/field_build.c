// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "field/build/field_build.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "base/core/log.h"
#include "field/build/field_body.h"
#include "field/build/margin.h"
#include "field/build/modulus.h"
#include "field/build/shell.h"
#include "field/build/thickness.h"
#include "geometry/mesh/mesh.h"
#include "geometry/mesh/shape.h"

#include <string.h>

// Pressures below this part of the modulus are rounding of zero.
#define ZERO_PRESSURE 1e-14
// Vertices nearer to a level than this part of the first gap between levels count as on it.
#define LEVEL_TOLERANCE 0.05
#define MOST_LAYERS 1000
// A pressure between vertices that is this part above its law is worth a warning.
#define CHORD_DOUBT 0.25

iso_field_recipe iso_field_recipe_default(void) {
    return (iso_field_recipe){.modulus = 1e7};
}

static iso_modulus_law law_of(const iso_field_recipe* recipe) {
    return (iso_modulus_law){recipe->modulus, recipe->stiffening, recipe->modulus_table,
                             recipe->modulus_row_count};
}

static iso_status check_recipe(iso_context* ctx, const iso_field_recipe* recipe) {
    iso_modulus_law law = law_of(recipe);
    iso_status status = iso_modulus_law_check(ctx, &law);
    if (status != ISO_OK) {
        return status;
    }
    ISO_REQUIRE(ctx, isfinite(recipe->thickness) && recipe->thickness >= 0.0, ISO_ERR_RANGE,
                "thickness is %g m, expected finite and >= 0", recipe->thickness);
    ISO_REQUIRE(ctx, isfinite(recipe->margin) && recipe->margin >= 0.0, ISO_ERR_RANGE,
                "margin is %g m, expected finite and >= 0", recipe->margin);
    ISO_REQUIRE(ctx, isfinite(recipe->resolution_hint) && recipe->resolution_hint >= 0.0,
                ISO_ERR_RANGE, "resolution hint is %g m, expected finite and > 0, or 0 for default",
                recipe->resolution_hint);
    ISO_REQUIRE(ctx, recipe->layer_count >= 0 && recipe->layer_count <= MOST_LAYERS, ISO_ERR_RANGE,
                "layer count is %d, expected 0 to %d", recipe->layer_count, MOST_LAYERS);
    ISO_REQUIRE(ctx,
                recipe->extent_kind == ISO_EXTENT_AUTO ||
                    recipe->extent_kind == ISO_EXTENT_DISTANCE ||
                    recipe->extent_kind == ISO_EXTENT_POISSON,
                ISO_ERR_RANGE, "kind of extent is %d, expected %d to %d", (int)recipe->extent_kind,
                ISO_EXTENT_AUTO, ISO_EXTENT_POISSON);
    return ISO_OK;
}

// Cut along levels of e, and along the nominal skin where the mesh reaches beyond it.
static iso_status cut_layers(iso_context* ctx, const iso_field_recipe* recipe,
                             iso_field_body* body) {
    int count = recipe->layer_count;
    if (count == 0 || body->is_pressure) {
        return ISO_OK;
    }
    double levels[MOST_LAYERS];
    for (int i = 0; i < count; ++i) {
        double root = (double)(i + 1) / (count + 1);
        levels[i] = root * root * body->full;
    }
    double tolerance = LEVEL_TOLERANCE * levels[0];
    if (body->has_margin) {
        const double skin = 0.0;
        double thin = fmin(tolerance, LEVEL_TOLERANCE * recipe->margin);
        iso_status status = iso_tet_mesh_slice(ctx, &body->mesh, &body->arrays, &skin, 1, thin);
        if (status != ISO_OK) {
            return status;
        }
    }
    return iso_tet_mesh_slice(ctx, &body->mesh, &body->arrays, levels, count, tolerance);
}

static void warn_of_unused(iso_context* ctx, const iso_field_recipe* recipe,
                           const iso_field_body* body) {
    if (body->is_pressure &&
        (recipe->stiffening > 0.0 || recipe->modulus_row_count > 0 || recipe->layer_count > 0)) {
        iso_log(ctx, ISO_LOG_WARNING,
                "the mesh brings its pressure: stiffening, table of moduli and layers are not "
                "used");
    }
    if (body->arrays.values[1] && (recipe->modulus_row_count > 0 || body->is_pressure)) {
        iso_log(ctx, ISO_LOG_WARNING, "the moduli of the mesh's vertices are not used: %s",
                body->is_pressure ? "it brings its pressure" : "a table of moduli is given");
    }
}

// Between its vertices a tetrahedron knows the chord of a curved law, which may be many times it.
static void warn_of_chords(iso_context* ctx, const iso_field_recipe* recipe,
                           const iso_field_body* body) {
    iso_modulus_law law = law_of(recipe);
    double worst = 0.0, low = 0.0, high = 0.0;
    bool is_curved = recipe->stiffening > 0.0 || recipe->modulus_row_count > 0;
    int tet_count = is_curved && !body->is_pressure ? body->mesh.tet_count : 0;
    for (int i = 0; i < tet_count; ++i) {
        double least = 1.0, most = 0.0;
        for (int k = 0; k < 4; ++k) {
            double e = body->arrays.values[0][body->mesh.tets[i][k]] / body->full;
            least = fmin(least, fmax(e, 0.0));
            most = fmax(most, e);
        }
        double chord = 0.5 * (iso_modulus_law_pressure(&law, 1.0, least) +
                              iso_modulus_law_pressure(&law, 1.0, most));
        double excess = chord / iso_modulus_law_pressure(&law, 1.0, 0.5 * (least + most)) - 1.0;
        if (most > least && excess > worst) {
            worst = excess, low = least, high = most;
        }
    }
    if (worst > CHORD_DOUBT) {
        iso_log(ctx, ISO_LOG_WARNING,
                "pressures between vertices of extent %.2g and %.2g are up to %.0f %% above the "
                "curved modulus; more layers lower that (there are %d)",
                low, high, 100.0 * worst, recipe->layer_count);
    }
}

// Extents to pressures, in place.
static void to_pressures(const iso_field_recipe* recipe, iso_field_body* body) {
    iso_modulus_law law = law_of(recipe);
    double* values = body->arrays.values[0];
    const double* moduli = body->arrays.values[1];
    for (int i = 0; i < body->mesh.vertex_count; ++i) {
        double modulus = moduli ? moduli[i] : recipe->modulus;
        double zero = ZERO_PRESSURE * (body->is_pressure ? body->full : modulus);
        double p = body->is_pressure
                       ? values[i]
                       : iso_modulus_law_pressure(&law, modulus, values[i] / body->full);
        values[i] = fabs(p) <= zero ? 0.0 : p;
    }
}

iso_status iso_field_create_for_shape(iso_context* ctx, const iso_shape_desc* shape,
                                      const iso_field_recipe* recipe,
                                      iso_field_summary* out_summary, iso_field** out_field) {
    *out_field = NULL;
    iso_field_body body = {0};
    iso_status status = ISO_OK;
    ISO_TRY(check_recipe(ctx, recipe));
    ISO_TRY(iso_field_body_make(ctx, shape, recipe, &body));
    warn_of_unused(ctx, recipe, &body);
    if (out_summary) {
        out_summary->thickness =
            iso_characteristic_thickness(&body.mesh, body.arrays.values[0], body.full);
        out_summary->is_given = body.is_pressure;
    }
    ISO_TRY(cut_layers(ctx, recipe, &body));
    if (recipe->margin > 0.0 && !body.has_margin) {
        ISO_TRY(iso_margin_add(ctx, iso_shape_mesh_name(shape), recipe->margin, body.slope,
                               &body.mesh, &body.arrays));
    }
    warn_of_chords(ctx, recipe, &body);
    to_pressures(recipe, &body);
    status = iso_field_create(ctx, &body.mesh, body.arrays.values[0], out_field);
    body.mesh = (iso_tet_mesh){0};
    body.arrays.values[0] = NULL;

done:
    iso_field_body_destroy(ctx, &body);
    return status;
}

// The triangles of a surface as a tree has them, so that what follows each other is near; those
// that it lacks come last. @param is_in_tree  [triangle_count] scratch, all false
static void order_triangles(const iso_tri_mesh* surface, const iso_bvh* tree, bool* is_in_tree,
                            int (*out_triangles)[3]) {
    int count = 0;
    for (int i = 0; i < ISO_BVH_LEAF_SIZE * tree->leaf_count; ++i) {
        int triangle = tree->elements[i];
        if (triangle >= 0) {
            is_in_tree[triangle] = true;
            memcpy(out_triangles[count++], surface->triangles[triangle], sizeof *out_triangles);
        }
    }
    for (int i = 0; i < surface->triangle_count; ++i) {
        if (!is_in_tree[i]) {
            memcpy(out_triangles[count++], surface->triangles[i], sizeof *out_triangles);
        }
    }
}

iso_status iso_field_create_for_layer(iso_context* ctx, const iso_tri_mesh* surface,
                                      const iso_bvh* tree, double modulus, double thickness,
                                      iso_field** out_field) {
    *out_field = NULL;
    iso_status status = ISO_OK;
    iso_tet_mesh shell = {0};
    int dropped_count = 0;
    double* pressures = NULL;
    iso_tri_mesh ordered = *surface;
    bool* is_in_tree = iso_alloc_array(ctx, surface->triangle_count, sizeof *is_in_tree);
    ordered.triangles = iso_alloc_array(ctx, surface->triangle_count, sizeof *ordered.triangles);
    ISO_CHECK(ctx, is_in_tree && ordered.triangles, ISO_ERR_MEMORY, "layer of %d triangles",
              surface->triangle_count);
    order_triangles(surface, tree, is_in_tree, ordered.triangles);
    ISO_TRY(iso_shell_create(ctx, &ordered, -thickness, &shell, &dropped_count));
    pressures = iso_alloc_array(ctx, shell.vertex_count, sizeof *pressures);
    ISO_CHECK(ctx, pressures, ISO_ERR_MEMORY, "layer of %d vertices", shell.vertex_count);
    for (int i = surface->vertex_count; i < shell.vertex_count; ++i) {
        pressures[i] = modulus;
    }
    status = iso_field_create_for_surfaces(ctx, &shell, pressures, out_field);
    shell = (iso_tet_mesh){0};

done:
    iso_tet_mesh_destroy(ctx, &shell);
    iso_free(ctx, ordered.triangles);
    iso_free(ctx, is_in_tree);
    return status;
}
