// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Curved moduli, layers, given fields, nodal moduli, margins and thickness.

#include "field/build/field_build.h"
#include "field/build/modulus.h"
#include "field/build/thickness.h"
#include "field/grid_mesh.h"
#include "geometry/mesh/topology.h"
#include "geometry/tessellation/tessellate.h"
#include "geometry/tetrahedra/tet_split.h"
#include "support/failing_context.h"
#include "support/kept_warning.h"
#include "support/random.h"

#include <stdlib.h>
#include <string.h>

static iso_context* ctx;

static int set_up(void** state) {
    (void)state;
    ctx = test_context();
    return 0;
}

static int tear_down(void** state) {
    (void)state;
    test_context_destroy(ctx);
    return 0;
}

static iso_field* make(iso_shape_desc shape, iso_field_recipe recipe, double* out_thickness) {
    iso_field* field = NULL;
    iso_field_summary summary;
    CHECK_OK(ctx, iso_field_create_for_shape(ctx, &shape, &recipe, &summary, &field));
    if (out_thickness) {
        *out_thickness = summary.thickness;
    }
    return field;
}

static iso_shape_desc mesh_shape(const iso_tet_mesh* mesh) {
    iso_shape_desc shape = iso_shape_desc_default(ISO_SHAPE_MESH);
    shape.volume = mesh;
    return shape;
}

static iso_shape_desc cube(double edge) {
    iso_shape_desc shape = iso_shape_desc_default(ISO_SHAPE_BOX);
    shape.size = iso_vec3_make(edge, edge, edge);
    return shape;
}

static double box_extent(iso_vec3 p, double half) {
    return 1.0 - fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z))) / half;
}

static void moduli_follow_their_laws(void** state) {
    (void)state;
    iso_modulus_law law = {2e5, 0.0, NULL, 0};
    CHECK_BITS(iso_modulus_law_pressure(&law, 2e5, 0.3), 2e5 * 0.3);
    CHECK_BITS(iso_modulus_law_pressure(&law, 3e5, -0.1), 3e5 * -0.1);
    law.stiffening = 0.8;
    CHECK_REL(iso_modulus_law_pressure(&law, 2e5, 1.0), 1e6, 1e-15);       // measured 2e-16
    CHECK_REL(iso_modulus_law_pressure(&law, 2e5, 0.5), 1e5 / 0.6, 1e-15); // measured 0
    CHECK_REL(iso_modulus_law_pressure(&law, 2e5, -0.1), -2e4, 1e-15);     // slope at the skin
    const iso_modulus_row rows[3] = {{0.1, 1e5}, {0.5, 3e5}, {0.9, 3e6}};
    law.rows = rows;
    law.row_count = 3;
    CHECK_OK(ctx, iso_modulus_law_check(ctx, &law));
    CHECK_REL(iso_modulus_law_pressure(&law, 0.0, 0.3), 0.3 * 2e5, 1e-15);   // between rows
    CHECK_REL(iso_modulus_law_pressure(&law, 0.0, 0.5), 0.5 * 3e5, 1e-15);   // on a row
    CHECK_REL(iso_modulus_law_pressure(&law, 0.0, 0.05), 0.05 * 1e5, 1e-15); // clamped
    CHECK_REL(iso_modulus_law_pressure(&law, 0.0, 1.0), 3e6, 1e-15);         // clamped
    CHECK_REL(iso_modulus_law_pressure(&law, 0.0, -0.2), -0.2 * 1e5, 1e-15);
}

static void bad_laws_are_refused(void** state) {
    (void)state;
    iso_modulus_law law = {1e5, 1.0, NULL, 0};
    CHECK_STATUS(ctx, iso_modulus_law_check(ctx, &law), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "stiffening is 1, expected at least 0 and below 1");
    iso_modulus_row rows[2] = {{0.5, 1e5}, {0.5, 2e5}};
    law = (iso_modulus_law){1e5, 0.0, rows, 2};
    CHECK_STATUS(ctx, iso_modulus_law_check(ctx, &law), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "row 1 of the table of moduli has extent 0.5");
    rows[1] = (iso_modulus_row){0.6, -2.0};
    CHECK_STATUS(ctx, iso_modulus_law_check(ctx, &law), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "row 1 of the table of moduli has modulus -2 Pa");
    law.rows = NULL;
    CHECK_STATUS(ctx, iso_modulus_law_check(ctx, &law), ISO_ERR_ARGUMENT);
    iso_field_recipe recipe = iso_field_recipe_default();
    recipe.layer_count = -1;
    iso_shape_desc shape = cube(1.0);
    iso_field* field;
    CHECK_STATUS(ctx, iso_field_create_for_shape(ctx, &shape, &recipe, NULL, &field),
                 ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "layer count is -1");
}

// Every vertex of the cut mesh has the pressure of the law at its extent, with margin or not.
static void layers_put_the_law_on_the_vertices(void** state) {
    (void)state;
    for (int margin = 0; margin < 2; ++margin) {
        iso_field_recipe recipe = iso_field_recipe_default();
        recipe.modulus = 1e5;
        recipe.stiffening = 0.9;
        recipe.layer_count = 4;
        recipe.margin = margin ? 0.01 : 0.0;
        iso_field* field = make(cube(0.4), recipe, NULL);
        bool has_level[5] = {false};
        for (int i = 0; i < field->mesh.vertex_count; ++i) {
            double e = box_extent(field->mesh.vertices[i], 0.2);
            double expected = 1e5 / (1.0 - 0.9 * fmax(e, 0.0)) * e;
            CHECK_NEAR(field->pressures[i], expected, 1e-8); // measured 2e-11
            double level = 5.0 * sqrt(fmax(e, 0.0));
            has_level[(int)fmin(4.0, level + 0.5)] |= fabs(level - round(level)) < 1e-6;
        }
        for (int i = 0; i < 5; ++i) {
            CHECK(has_level[i], "no vertex at level %d", i);
        }
        CHECK_REL(iso_tet_mesh_volume(&field->mesh), pow(margin ? 0.42 : 0.4, 3), 1e-13);
        CHECK_REL(field->min_pressure, margin ? -5e3 : 0.0, 1e-12); // -M0 / 0.2 * 0.01
        iso_field_destroy(ctx, field);
    }
}

static double sphere_law(void* user, double depth) {
    return iso_half_space_pressure_sphere(1e6, *(double*)user, depth);
}

// A box without layers has vertices of extents 0 and 1 alone: the chord is 5.5 times the law.
static void curved_laws_without_layers_are_warned_of(void** state) {
    (void)state;
    static const struct {
        double stiffening;
        int layer_count, warning_count;
    } cases[] = {{0.0, 0, 0}, {0.3, 0, 0}, {0.5, 0, 1}, {0.9, 0, 1}, {0.9, 16, 0}};
    kept_warning kept;
    iso_context* listener = warned_context_of(&kept, "above the curved modulus");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        iso_field_recipe recipe = iso_field_recipe_default();
        recipe.stiffening = cases[i].stiffening;
        recipe.layer_count = cases[i].layer_count;
        iso_shape_desc shape = cube(0.4);
        iso_field* field = NULL;
        kept.count = 0;
        CHECK_OK(listener, iso_field_create_for_shape(listener, &shape, &recipe, NULL, &field));
        CHECK(kept.count == cases[i].warning_count, "case %zu: %d warnings", i, kept.count);
        iso_field_destroy(listener, field);
    }
    iso_context_destroy(listener);
}

static void tables_of_a_law_meet_it_at_their_rows(void** state) {
    (void)state;
    double radius = 0.5;
    iso_modulus_row rows[8];
    CHECK_OK(ctx, iso_modulus_table_fill(ctx, sphere_law, &radius, 0.2, rows, 8));
    iso_field_recipe recipe = iso_field_recipe_default();
    recipe.modulus_table = rows;
    recipe.modulus_row_count = 8;
    recipe.layer_count = 7;
    iso_field* field = make(cube(0.4), recipe, NULL);
    for (int i = 0; i < field->mesh.vertex_count; ++i) {
        double depth = 0.2 * box_extent(field->mesh.vertices[i], 0.2);
        double expected = sphere_law(&radius, depth);
        CHECK_NEAR(field->pressures[i], expected, 1e-8 * expected + 1e-6); // measured 1e-11
    }
    iso_field_destroy(ctx, field);
    CHECK_STATUS(ctx, iso_modulus_table_fill(ctx, sphere_law, &radius, 0.0, rows, 8),
                 ISO_ERR_RANGE);
    CHECK_STATUS(ctx, iso_modulus_table_fill(ctx, sphere_law, &radius, 1.0, rows, 0),
                 ISO_ERR_ARGUMENT);
    radius = INFINITY;
    CHECK_STATUS(ctx, iso_modulus_table_fill(ctx, sphere_law, &radius, 1.0, rows, 8),
                 ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "the law gives 0 Pa at depth");
}

// Appendix B: the fields integrate to the forces, and the forces to coefficient R_e d.
static void half_space_laws_integrate_to_their_forces(void** state) {
    (void)state;
    const double modulus = iso_half_space_modulus(1e6, 0.3), radius = 0.4, d = 1e-3;
    CHECK_REL(modulus, 1e6 / 0.91, 1e-15); // measured 0
    CHECK_REL(iso_half_space_pressure_cylinder(modulus, radius, d) * ISO_PI * radius * radius,
              iso_half_space_force_cylinder(modulus, radius, d), 1e-14); // measured 1e-16
    // Sphere: 2 pi times the integral of r p(d - r^2 / 2R), in s = 1 - r^2 / (2 R d) by Simpson's
    // rule in sqrt(s), in which the integrand is a polynomial.
    int n = 64;
    double sum = 0.0;
    for (int i = 0; i <= n; ++i) {
        double t = (double)i / n, weight = i == 0 || i == n ? 1.0 : 2.0 + 2.0 * (i % 2);
        double p = iso_half_space_pressure_sphere(modulus, radius, d * t * t);
        sum += weight / (3.0 * n) * p * 2.0 * t;
    }
    double force = iso_half_space_force_sphere(modulus, radius, d);
    CHECK_REL(2.0 * ISO_PI * radius * d * sum, force, 1e-14); // measured 4e-16
    double contact_radius = sqrt(2.0 * d * radius);
    CHECK_REL(force / (modulus * contact_radius * d), 2.0 * sqrt(2.0) / 3.0, 1e-14); // measured 0
    CHECK_REL(iso_half_space_force_cylinder(modulus, radius, d) / (modulus * radius * d), 2.0,
              1e-14);
    CHECK_BITS(iso_half_space_pressure_sphere(modulus, radius, -1.0), 0.0);
    CHECK_BITS(iso_half_space_force_sphere(modulus, radius, -1.0), 0.0);
    CHECK_REL(iso_layer_modulus(1e6, 0.3), 1e6 * 0.7 / (1.3 * 0.4), 1e-15); // measured 0
    CHECK(isnan(iso_layer_modulus(1e6, 0.5)) && isnan(iso_half_space_modulus(-1.0, 0.3)), "NaN");
}

// L of a cube is its half edge h (|grad e| = 1 / h everywhere); margins, layers and the law do not
// count.
static void thickness_is_that_of_the_body(void** state) {
    (void)state;
    double plain, layered, margin;
    iso_field_recipe recipe = iso_field_recipe_default();
    iso_field_destroy(ctx, make(cube(0.4), recipe, &plain));
    recipe.layer_count = 5;
    recipe.stiffening = 0.5;
    iso_field_destroy(ctx, make(cube(0.4), recipe, &layered));
    recipe.margin = 0.003;
    iso_field_destroy(ctx, make(cube(0.4), recipe, &margin));
    CHECK_REL(plain, 0.2, 1e-13);   // measured 0
    CHECK_REL(layered, 0.2, 1e-13); // measured 0
    CHECK_REL(margin, 0.2, 1e-12);  // measured 4e-15
}

// Appendix C.3, figure C.2: a core between two layers may be anywhere between them.
static void thickness_is_unchanged_by_a_shifted_core_and_by_the_mesh(void** state) {
    (void)state;
    const double shifts[3] = {0.0, 0.3, -0.45};
    for (int i = 0; i < 6; ++i) {
        int cells = i < 3 ? 4 : 12;
        iso_tet_mesh mesh = grid_box(ctx, iso_vec3_make(0, 0, -2), iso_vec3_make(1, 1, 2),
                                     (int[3]){2, 2, cells}, false);
        double* e = iso_alloc_array(ctx, mesh.vertex_count, sizeof *e);
        for (int v = 0; v < mesh.vertex_count; ++v) {
            // Faces of the core at -1 and 1, shifted; the outer skin stays.
            double z = mesh.vertices[v].z, outer = 2.0 - fabs(z);
            mesh.vertices[v].z += shifts[i % 3] * fmin(1.0, outer);
            e[v] = fmin(1.0, outer);
        }
        double layer = iso_characteristic_thickness(&mesh, e, 1.0);
        CHECK_REL(layer, 1.0, 1e-14); // measured 2e-16
        // Other tetrahedra, the same field.
        iso_nodal_arrays arrays = {{e}, 1};
        const double levels[2] = {0.2, 0.55};
        CHECK_OK(ctx, iso_tet_mesh_slice(ctx, &mesh, &arrays, levels, 2, 1e-3));
        CHECK_REL(iso_characteristic_thickness(&mesh, arrays.values[0], 1.0), layer, 1e-13);
        iso_free(ctx, arrays.values[0]);
        iso_tet_mesh_destroy(ctx, &mesh);
    }
}

// ---- fields that come with the mesh

static void check_refused(const iso_tet_mesh* mesh, iso_field_recipe recipe, const char* part) {
    iso_shape_desc shape = mesh_shape(mesh);
    iso_field* field = NULL;
    CHECK_STATUS(ctx, iso_field_create_for_shape(ctx, &shape, &recipe, NULL, &field),
                 ISO_ERR_RANGE);
    CHECK_ERROR(ctx, part);
}

// A cell at a corner whose diagonal does not lead inside has tetrahedra on the skin alone.
static void tetrahedra_that_a_given_field_leaves_dead_are_counted(void** state) {
    (void)state;
    static const char part[] = "extent is used as given and is 0 in ";
    kept_warning kept;
    iso_context* listener = warned_context_of(&kept, part);
    for (int is_radial = 0; is_radial < 2; ++is_radial) {
        iso_tet_mesh mesh = grid_box(ctx, iso_vec3_make(-1, -1, -1), iso_vec3_make(1, 1, 1),
                                     (int[3]){4, 4, 4}, is_radial == 1);
        double* values = iso_alloc_array(ctx, mesh.vertex_count, sizeof *values);
        for (int i = 0; i < mesh.vertex_count; ++i) {
            values[i] = box_extent(mesh.vertices[i], 1.0);
        }
        int expected = 0;
        for (int i = 0; i < mesh.tet_count; ++i) {
            const int* t = mesh.tets[i];
            expected += values[t[0]] + values[t[1]] + values[t[2]] + values[t[3]] == 0.0;
        }
        CHECK((expected == 0) == (is_radial == 1), "%d tetrahedra on the skin alone", expected);
        iso_field_recipe recipe = iso_field_recipe_default();
        recipe.extent = values;
        iso_shape_desc shape = mesh_shape(&mesh);
        iso_field* field = NULL;
        kept.count = 0;
        CHECK_OK(listener, iso_field_create_for_shape(listener, &shape, &recipe, NULL, &field));
        assert_int_equal(kept.count, 1 - is_radial);
        if (kept.count > 0) {
            assert_int_equal(atoi(strstr(kept.text, part) + strlen(part)), expected);
        }
        iso_field_destroy(listener, field);
        iso_free(ctx, values);
        iso_tet_mesh_destroy(ctx, &mesh);
    }
    iso_context_destroy(listener);
}

static void given_fields_are_used_as_they_are(void** state) {
    (void)state;
    iso_tet_mesh mesh =
        grid_box(ctx, iso_vec3_make(-1, -1, -1), iso_vec3_make(1, 1, 1), (int[3]){4, 4, 4}, false);
    double* values = iso_alloc_array(ctx, mesh.vertex_count, sizeof *values);
    for (int i = 0; i < mesh.vertex_count; ++i) {
        iso_vec3 v = mesh.vertices[i];
        values[i] = 0.3 * (1 - v.x * v.x) * (1 - v.y * v.y) * (1 - v.z * v.z);
    }
    iso_field_recipe recipe = iso_field_recipe_default();
    recipe.modulus = 7.0;
    recipe.pressure = values;
    iso_field* field = make(mesh_shape(&mesh), recipe, NULL);
    CHECK_ARRAY_BITS(field->pressures, values, mesh.vertex_count);
    iso_field_destroy(ctx, field);
    recipe.pressure = NULL;
    recipe.extent = values;
    field = make(mesh_shape(&mesh), recipe, NULL);
    for (int i = 0; i < mesh.vertex_count; ++i) {
        CHECK_BITS(field->pressures[i], 7.0 * values[i]);
    }
    iso_field_destroy(ctx, field);
    // Asked for the distance, it is the distance.
    recipe.extent_kind = ISO_EXTENT_DISTANCE;
    field = make(mesh_shape(&mesh), recipe, NULL);
    CHECK_REL(field->max_pressure, 7.0, 1e-15); // measured 0
    iso_field_destroy(ctx, field);
    recipe.extent_kind = ISO_EXTENT_AUTO;

    values[0] = 2e-9;
    check_refused(&mesh, recipe, "extent of vertex 0 on the skin is 2e-09, expected 0");
    recipe.is_skin_bonded = true;
    iso_field_destroy(ctx, make(mesh_shape(&mesh), recipe, NULL));
    recipe.is_skin_bonded = false;
    values[0] = 0.0;
    values[62] = 1.5;
    check_refused(&mesh, recipe, "extent of vertex 62 is 1.5, expected at most 1");
    values[62] = -0.1;
    check_refused(&mesh, recipe, "extent of vertex 62 is -0.1, expected >= 0");
    values[62] = NAN;
    check_refused(&mesh, recipe, "extent of vertex 62 is nan");
    memset(values, 0, (size_t)mesh.vertex_count * sizeof *values);
    check_refused(&mesh, recipe, "the largest extent of 125 vertices is 0, expected > 0");
    recipe.extent = NULL;
    recipe.pressure = values;
    values[0] = 5.0;
    check_refused(&mesh, recipe, "pressure of vertex 0 on the skin is 5 Pa, expected 0");
    iso_free(ctx, values);
    iso_tet_mesh_destroy(ctx, &mesh);
}

static void moduli_may_vary_in_space(void** state) {
    (void)state;
    iso_tet_mesh mesh =
        grid_box(ctx, iso_vec3_make(-1, -1, -1), iso_vec3_make(1, 1, 1), (int[3]){4, 4, 4}, false);
    double* moduli = iso_alloc_array(ctx, mesh.vertex_count, sizeof *moduli);
    for (int i = 0; i < mesh.vertex_count; ++i) {
        moduli[i] = 1e5 * (3.0 + mesh.vertices[i].x);
    }
    for (int k = 0; k < 3; ++k) {
        iso_field_recipe recipe = iso_field_recipe_default();
        recipe.moduli = moduli;
        recipe.stiffening = k > 0 ? 0.5 : 0.0;
        recipe.layer_count = k > 1 ? 2 : 0;
        recipe.margin = k > 1 ? 0.05 : 0.0;
        iso_field* field = make(mesh_shape(&mesh), recipe, NULL);
        for (int i = 0; i < field->mesh.vertex_count; ++i) {
            iso_vec3 v = field->mesh.vertices[i];
            double e = box_extent(v, 1.0), x = fmax(-1.0, fmin(1.0, v.x));
            double expected = 1e5 * (3.0 + x) / (1.0 - recipe.stiffening * fmax(e, 0.0)) * e;
            CHECK_NEAR(field->pressures[i], expected, 1e-9); // measured 2e-10
        }
        iso_field_destroy(ctx, field);
    }
    moduli[7] = 0.0;
    iso_field_recipe recipe = iso_field_recipe_default();
    recipe.moduli = moduli;
    check_refused(&mesh, recipe, "modulus of vertex 7 is 0 Pa, expected finite and > 0");
    iso_free(ctx, moduli);
    iso_tet_mesh_destroy(ctx, &mesh);
}

// ---- Poisson's equation on shapes

// Of a sphere 1 - r^2 / R^2: the slope at the skin is 2 / R, at the skin of the margin too.
static void poisson_fields_are_steeper_at_the_skin(void** state) {
    (void)state;
    iso_shape_desc sphere = iso_shape_desc_default(ISO_SHAPE_SPHERE);
    sphere.radius = 0.1;
    iso_field_recipe recipe = iso_field_recipe_default();
    recipe.modulus = 1e5;
    recipe.extent_kind = ISO_EXTENT_POISSON;
    recipe.resolution_hint = 0.01;
    recipe.margin = 0.001;
    iso_field* field = make(sphere, recipe, NULL);
    CHECK_REL(field->max_pressure, 1e5, 1e-15); // measured 0
    double worst = 0.0;
    for (int i = 0; i < field->mesh.vertex_count; ++i) {
        double r = iso_vec3_norm(field->mesh.vertices[i]) / 0.1;
        double expected = r > 1.0 ? 2e5 * (1.0 - r) : 1e5 * (1.0 - r * r);
        worst = fmax(worst, fabs(field->pressures[i] - expected));
    }
    CHECK_AT_MOST(worst, 1500.0); // measured 954 Pa of 1e5
    CHECK(field->min_pressure < 0.0, "the margin is negative");
    iso_field_destroy(ctx, field);
    // All primitives, and a mesh.
    const iso_shape_kind kinds[4] = {ISO_SHAPE_ELLIPSOID, ISO_SHAPE_BOX, ISO_SHAPE_CYLINDER,
                                     ISO_SHAPE_CAPSULE};
    recipe.resolution_hint = 0.0;
    recipe.margin = 0.0;
    for (int k = 0; k < 4; ++k) {
        iso_shape_desc shape = iso_shape_desc_default(kinds[k]);
        shape.radius = 0.1;
        shape.size = iso_vec3_make(0.2, 0.3, 0.4);
        field = make(shape, recipe, NULL);
        CHECK_REL(field->max_pressure, 1e5, 1e-15); // measured 0
        CHECK_BITS(field->min_pressure, 0.0);
        iso_field_destroy(ctx, field);
    }
    iso_tet_mesh mesh =
        grid_box(ctx, iso_vec3_make(-1, -1, -1), iso_vec3_make(1, 1, 1), (int[3]){4, 4, 4}, false);
    field = make(mesh_shape(&mesh), recipe, NULL);
    CHECK_REL(field->max_pressure, 1e5, 1e-15); // measured 0
    iso_field_destroy(ctx, field);
    iso_tet_mesh_destroy(ctx, &mesh);
}

// ---- margins

static void keep_tets(iso_tet_mesh* mesh, bool (*is_kept)(iso_vec3 centroid)) {
    int kept = 0;
    for (int i = 0; i < mesh->tet_count; ++i) {
        iso_vec3 c = iso_vec3_zero();
        for (int k = 0; k < 4; ++k) {
            c = iso_vec3_add_scaled(c, mesh->vertices[mesh->tets[i][k]], 0.25);
        }
        if (is_kept(c)) {
            memcpy(mesh->tets[kept++], mesh->tets[i], sizeof mesh->tets[i]);
        }
    }
    mesh->tet_count = kept;
}

static bool is_in_notched_cube(iso_vec3 p) {
    return p.x < 2.0 || p.z < 2.0;
}

static bool is_in_two_bars(iso_vec3 p) {
    return (p.x < 2.0) == (p.z < 2.0);
}

// The field with margin of what is left of a cube of 4 m.
static iso_field* make_with_margin(bool (*is_kept)(iso_vec3 p), iso_tet_mesh* out_mesh) {
    const int n[3] = {4, 4, 4};
    *out_mesh = grid_box(ctx, iso_vec3_make(0, 0, 0), iso_vec3_make(4, 4, 4), n, false);
    keep_tets(out_mesh, is_kept);
    iso_field_recipe recipe = iso_field_recipe_default();
    recipe.modulus = 1e5;
    recipe.margin = 0.05;
    return make(mesh_shape(out_mesh), recipe, NULL);
}

// An L has a margin mitred inside its notch; the field is -M / reference * margin on the outside.
static void margin_of_a_notch_keeps_the_sign(void** state) {
    (void)state;
    iso_tet_mesh mesh;
    iso_field* field = make_with_margin(is_in_notched_cube, &mesh);
    double deepest = 1.0;                                         // of the grid's points: (1, y, 1)
    CHECK_REL(field->min_pressure, -1e5 * 0.05 / deepest, 1e-14); // measured 0
    test_random random = test_random_make(5);
    int outside = 0;
    for (int i = 0; i < 20000; ++i) {
        iso_vec3 p = test_random_vec3(&random, -0.1, 4.1);
        double value;
        bool is_inside = p.x >= 0 && p.y >= 0 && p.z >= 0 && p.x <= 4 && p.y <= 4 && p.z <= 4 &&
                         (p.x <= 2 || p.z <= 2);
        if (iso_field_value(field, p, &value)) {
            CHECK(is_inside ? value >= -1e-6 : value <= 1e-6, "(%g, %g, %g): %g Pa", p.x, p.y, p.z,
                  value);
            outside += !is_inside;
        } else {
            CHECK(!is_inside, "(%g, %g, %g) has no pressure", p.x, p.y, p.z);
        }
    }
    CHECK(outside > 500, "%d points in the margin", outside);
    // Halfway out from the faces of the notch: half of the least pressure.
    double value;
    CHECK(iso_field_value(field, iso_vec3_make(2.025, 2.1, 3.2), &value), "beside the notch");
    CHECK_NEAR(value, -2500.0, 1e-8); // measured 5e-11
    CHECK(iso_field_value(field, iso_vec3_make(2.025, 2.1, 2.04), &value), "in its corner");
    CHECK(value < 0.0, "%g", value);
    iso_field_destroy(ctx, field);
    iso_tet_mesh_destroy(ctx, &mesh);
}

// Two bars that touch along an edge have a margin on all of their sides but at that edge.
static void margin_of_a_skin_that_touches_itself_leaves_the_edge_out(void** state) {
    (void)state;
    iso_tet_mesh mesh;
    iso_field* field = make_with_margin(is_in_two_bars, &mesh);
    CHECK_REL(field->min_pressure, -1e5 * 0.05, 1e-14); // measured 0
    double value;
    CHECK(iso_field_value(field, iso_vec3_make(-0.025, 2.1, 1.1), &value), "beside a bar");
    CHECK_NEAR(value, -2500.0, 1e-8); // measured 5e-11
    CHECK(!iso_field_value(field, iso_vec3_make(2.025, 2.1, 1.975), &value), "at the edge");
    iso_field_destroy(ctx, field);
    iso_tet_mesh_destroy(ctx, &mesh);
}

static iso_status attempt(iso_context* failing, void* user) {
    iso_field_recipe recipe = iso_field_recipe_default();
    recipe.extent_kind = ISO_EXTENT_POISSON;
    recipe.layer_count = 1;
    recipe.margin = 0.01;
    recipe.resolution_hint = 0.25;
    recipe.stiffening = 0.3;
    iso_field* field = NULL;
    iso_status status = iso_field_create_for_shape(failing, user, &recipe, NULL, &field);
    iso_field_destroy(failing, field);
    return status;
}

static void every_allocation_failure_is_survived(void** state) {
    (void)state;
    iso_shape_desc box = cube(1.0);
    iso_tet_mesh mesh =
        grid_box(ctx, iso_vec3_make(-1, -1, -1), iso_vec3_make(1, 1, 1), (int[3]){2, 2, 2}, false);
    iso_shape_desc shape = mesh_shape(&mesh);
    CHECK(check_every_allocation_failure(attempt, &box) > 40, "box");
    CHECK(check_every_allocation_failure(attempt, &shape) > 40, "mesh");
    iso_tet_mesh_destroy(ctx, &mesh);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(moduli_follow_their_laws),
        TEST(bad_laws_are_refused),
        TEST(layers_put_the_law_on_the_vertices),
        TEST(curved_laws_without_layers_are_warned_of),
        TEST(tables_of_a_law_meet_it_at_their_rows),
        TEST(half_space_laws_integrate_to_their_forces),
        TEST(thickness_is_that_of_the_body),
        TEST(thickness_is_unchanged_by_a_shifted_core_and_by_the_mesh),
        TEST(tetrahedra_that_a_given_field_leaves_dead_are_counted),
        TEST(given_fields_are_used_as_they_are),
        TEST(moduli_may_vary_in_space),
        TEST(poisson_fields_are_steeper_at_the_skin),
        TEST(margin_of_a_notch_keeps_the_sign),
        TEST(margin_of_a_skin_that_touches_itself_leaves_the_edge_out),
        TEST(every_allocation_failure_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
