// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Pressure fields: values, gradients, margins, layers, and what is refused.

#include "base/core/alloc.h"
#include "field/build/field_build.h"
#include "field/build/margin.h"
#include "field/build/shell.h"
#include "field/build/skin_distance.h"
#include "geometry/mesh/mesh.h"
#include "geometry/tessellation/tessellate.h"
#include "support/check.h"
#include "support/failing_context.h"
#include "support/kept_warning.h"
#include "support/random.h"

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

static const iso_shape_kind k_primitives[5] = {ISO_SHAPE_SPHERE, ISO_SHAPE_ELLIPSOID, ISO_SHAPE_BOX,
                                               ISO_SHAPE_CYLINDER, ISO_SHAPE_CAPSULE};

static iso_shape_desc primitive(iso_shape_kind kind) {
    iso_shape_desc s = iso_shape_desc_default(kind);
    s.radius = 0.1;
    s.length = 0.5;
    s.size = iso_vec3_make(0.2, 0.3, 0.4);
    return s;
}

static iso_field_recipe recipe_of(double modulus, double thickness, double margin, double hint) {
    iso_field_recipe recipe = iso_field_recipe_default();
    recipe.modulus = modulus;
    recipe.thickness = thickness;
    recipe.margin = margin;
    recipe.resolution_hint = hint;
    return recipe;
}

static iso_field* make(iso_shape_desc shape, iso_field_recipe recipe) {
    iso_field* field = NULL;
    CHECK_OK(ctx, iso_field_create_for_shape(ctx, &shape, &recipe, NULL, &field));
    return field;
}

// Distance inside the skin of a primitive, of the shape itself and not of its tessellation.
static double depth_inside(const iso_shape_desc* s, iso_vec3 p) {
    double rho = sqrt(p.x * p.x + p.y * p.y);
    double beyond = fmax(0.0, fabs(p.z) - 0.5 * s->length);
    iso_vec3 unit = {p.x / s->size.x, p.y / s->size.y, p.z / s->size.z};
    switch (s->kind) {
    case ISO_SHAPE_SPHERE:
        return s->radius - iso_vec3_norm(p);
    case ISO_SHAPE_ELLIPSOID:
        return 0.2 * (1.0 - iso_vec3_norm(unit));
    case ISO_SHAPE_BOX:
        return fmin(0.5 * s->size.x - fabs(p.x),
                    fmin(0.5 * s->size.y - fabs(p.y), 0.5 * s->size.z - fabs(p.z)));
    case ISO_SHAPE_CYLINDER:
        return fmin(s->radius - rho, 0.5 * s->length - fabs(p.z));
    default:
        return s->radius - sqrt(rho * rho + beyond * beyond);
    }
}

// Of boxes, ellipsoids and cylinders the least size counts, whichever it is.
static void thickness_is_compared_with_the_depth_of_the_middle(void** state) {
    (void)state;
    const iso_vec3 sizes[] = {{0.2, 0.3, 0.4}, {0.4, 0.2, 0.3}, {0.3, 0.4, 0.2}};
    const iso_shape_kind kinds[] = {ISO_SHAPE_ELLIPSOID, ISO_SHAPE_BOX, ISO_SHAPE_CYLINDER};
    const double depths[3][3] = {{0.2, 0.2, 0.2}, {0.1, 0.1, 0.1}, {0.2, 0.15, 0.1}};
    for (int i = 0; i < 9; ++i) {
        iso_shape_desc shape = iso_shape_desc_default(kinds[i / 3]);
        shape.size = sizes[i % 3];
        shape.radius = sizes[i % 3].x;
        shape.length = sizes[i % 3].z;
        for (int with_margin = 0; with_margin < 2; ++with_margin) {
            iso_field* field = make(shape, recipe_of(1e5, 0.05, 0.01 * with_margin, 0.1));
            CHECK_REL(field->max_pressure, 1e5 * depths[i / 3][i % 3] / 0.05,
                      1e-13); // measured 1.9e-16
            iso_field_destroy(ctx, field);
        }
    }
}

static void pressure_of_primitives_is_zero_on_the_skin_and_the_modulus_inside(void** state) {
    (void)state;
    const double modulus = 3e5;
    for (int k = 0; k < 5; ++k) {
        iso_shape_desc shape = primitive(k_primitives[k]);
        iso_field* field = make(shape, recipe_of(modulus, 0.0, 0.0, 0.05));
        int skin = 0, deep = 0;
        for (int i = 0; i < field->mesh.vertex_count; ++i) {
            double p = field->pressures[i];
            double depth = depth_inside(&shape, field->mesh.vertices[i]);
            if (depth < 1e-12) {
                CHECK_BITS(p, 0.0);
                ++skin;
            } else {
                CHECK_REL(p, modulus, 1e-14); // measured 0
                ++deep;
            }
        }
        CHECK(skin >= 6 && deep >= 1, "%s: %d, %d vertices", iso_shape_kind_name(shape.kind), skin,
              deep);
        CHECK_REL(field->max_pressure, modulus, 1e-14); // measured 0
        CHECK_BITS(field->min_pressure, 0.0);
        iso_field_destroy(ctx, field);
    }
}

// With a margin the nominal skin keeps zero pressure and the deepest points the modulus.
static void margin_continues_the_field_outside_the_skin(void** state) {
    (void)state;
    const double modulus = 3e5, margin = 0.01;
    for (int k = 0; k < 5; ++k) {
        iso_shape_desc shape = primitive(k_primitives[k]);
        double depth = shape.kind == ISO_SHAPE_BOX || shape.kind == ISO_SHAPE_SPHERE ||
                               shape.kind == ISO_SHAPE_CYLINDER || shape.kind == ISO_SHAPE_CAPSULE
                           ? 0.1
                           : 0.2;
        iso_field* field = make(shape, recipe_of(modulus, 0.0, margin, 0.05));
        CHECK_REL(field->max_pressure, modulus, 1e-14); // measured 0
        // Ellipsoids: up to twice as negative at the short axis than at the long one.
        CHECK_NEAR(field->min_pressure, -modulus * margin / depth,
                   1e-9 * modulus); // measured 1e-10
        for (int i = 0; i < field->mesh.vertex_count; ++i) {
            double expected = modulus * depth_inside(&shape, field->mesh.vertices[i]) / depth;
            CHECK_NEAR(field->pressures[i], fmin(expected, modulus),
                       shape.kind == ISO_SHAPE_CYLINDER ? 1e-9 * modulus : 1e-12 * modulus);
        }
        iso_field_destroy(ctx, field);
    }
}

static void thickness_sets_the_slope(void** state) {
    (void)state;
    iso_field* field = make(primitive(ISO_SHAPE_BOX), recipe_of(1e7, 1e-3, 0.0, 0.0));
    CHECK_REL(field->max_pressure, 1e7 * 0.1 / 1e-3, 1e-14); // measured 0
    CHECK_REL(field->max_gradient, 1e10, 1e-13);             // measured 2e-16
    iso_field_destroy(ctx, field);
}

static void value_at_a_point_interpolates_the_vertices(void** state) {
    (void)state;
    iso_shape_desc shape = primitive(ISO_SHAPE_BOX);
    iso_field* field = make(shape, recipe_of(1e5, 0.0, 0.0, 0.0));
    test_random random = test_random_make(1);
    for (int i = 0; i < 1000; ++i) {
        iso_vec3 p = test_random_vec3(&random, -0.25, 0.25);
        double depth = depth_inside(&shape, p), value = -1.0;
        bool is_inside = iso_field_value(field, p, &value);
        CHECK(is_inside == (depth >= 0.0), "depth %g", depth);
        if (is_inside) {
            CHECK_NEAR(value, 1e5 * depth / 0.1, 1e-9); // measured 3e-11: the box's field is exact
        }
    }
    iso_field_destroy(ctx, field);
}

// Every cell agrees with its tetrahedron; the planes of a face that two share are exact opposites.
static void check_cells(double scale) {
    iso_shape_desc shape = primitive(ISO_SHAPE_CYLINDER);
    shape.radius *= scale;
    shape.length *= scale;
    iso_field* field = make(shape, recipe_of(1e5, 0.0, 0.0, 0.06 * scale));
    CHECK(sizeof(iso_field_cell) <= 192, "%zu bytes per cell", sizeof(iso_field_cell));
    int shared = 0;
    for (int i = 0; i < field->mesh.tet_count; ++i) {
        const iso_field_cell* cell = &field->cells[i];
        int tet = field->tree.elements[i];
        iso_affine f = iso_field_piece(field, tet);
        CHECK_BITS(cell->piece.offset, f.offset);
        CHECK_BITS(cell->piece.gradient.z, f.gradient.z);
        for (int corner = 0; corner < 4; ++corner) {
            int vertex = field->mesh.tets[tet][corner];
            iso_vec3 v = field->mesh.vertices[vertex];
            const double* x = field->points[cell->corners[corner]].x;
            CHECK_BITS(x[1], v.y);
            CHECK_BITS(x[3], field->pressures[vertex]);
            CHECK_NEAR(iso_affine_eval(f, v), x[3], 1e-9); // 2e-10
            for (int face = 0; face < 4; ++face) {
                double d = cell->planes[0][face] * v.x + cell->planes[1][face] * v.y +
                           cell->planes[2][face] * v.z + cell->planes[3][face];
                CHECK(face == corner ? d > 1e-3 * scale : fabs(d) < 1e-15, "distance %g", d);
            }
        }
        for (int j = 0; j < 16 * i; ++j) {
            const iso_field_cell* other = &field->cells[j / 16];
            int face = j % 4, g = j / 4 % 4;
            shared += cell->planes[0][face] == -other->planes[0][g] &&
                      cell->planes[1][face] == -other->planes[1][g] &&
                      cell->planes[2][face] == -other->planes[2][g] &&
                      cell->planes[3][face] == -other->planes[3][g];
        }
    }
    // 4 T = 2 inner + skin faces.
    iso_tri_mesh skin;
    CHECK_OK(ctx, iso_tet_mesh_skin(ctx, &field->mesh, &skin));
    CHECK(shared >= (4 * field->mesh.tet_count - skin.triangle_count) / 2, "%d shared planes",
          shared);
    iso_tri_mesh_destroy(ctx, &skin);
    iso_field_destroy(ctx, field);
}

// Large ones and some of less than a millimetre.
static void cells_hold_their_tetrahedra(void** state) {
    (void)state;
    check_cells(1.0);
    check_cells(1e-3);
}

static void meshes_measure_the_distance_to_their_skin(void** state) {
    (void)state;
    iso_shape_desc box = primitive(ISO_SHAPE_BOX);
    iso_tet_mesh mesh;
    double* extents;
    CHECK_OK(ctx, iso_tessellate_volume(ctx, &box, 0.1, &mesh, &extents));
    iso_shape_desc desc = iso_shape_desc_default(ISO_SHAPE_MESH);
    desc.volume = &mesh;
    iso_field* field = make(desc, recipe_of(1e5, 0.0, 0.0, 0.0));
    for (int i = 0; i < mesh.vertex_count; ++i) {
        CHECK_NEAR(field->pressures[i], 1e5 * extents[i], 1e-9); // measured 0
    }
    iso_field_destroy(ctx, field);

    // Its margin is a layer around the skin, mitred at the edges.
    field = make(desc, recipe_of(1e5, 0.0, 0.01, 0.0));
    iso_vec3 lower, upper;
    iso_points_bounds(field->mesh.vertices, field->mesh.vertex_count, &lower, &upper);
    CHECK_VEC3_NEAR(upper, iso_vec3_make(0.11, 0.16, 0.21), 1e-14);          // measured 3e-17
    CHECK_REL(field->min_pressure, -1e4, 1e-12);                             // measured 0
    CHECK_REL(iso_tet_mesh_volume(&field->mesh), 0.22 * 0.32 * 0.42, 1e-13); // measured 7e-16
    double value;
    CHECK(iso_field_value(field, iso_vec3_make(0.105, 0.01, 0.02), &value), "in the margin");
    CHECK_NEAR(value, -5e3, 1e-8); // measured 4e-11
    iso_field_destroy(ctx, field);
    iso_free(ctx, extents);
    iso_tet_mesh_destroy(ctx, &mesh);
}

static void hull_is_deepest_at_its_centroid(void** state) {
    (void)state;
    iso_shape_desc box = primitive(ISO_SHAPE_BOX);
    iso_tri_mesh surface;
    CHECK_OK(ctx, iso_tessellate_surface(ctx, &box, 0.1, &surface));
    iso_shape_desc desc = iso_shape_desc_default(ISO_SHAPE_CONVEX);
    desc.surface = &surface;
    iso_field* field = make(desc, recipe_of(1e5, 0.05, 0.0, 0.0));
    CHECK_REL(field->max_pressure, 1e5 * 0.1 / 0.05, 1e-13); // measured 1e-16
    double value;
    CHECK(iso_field_value(field, iso_vec3_zero(), &value), "the centroid is inside");
    CHECK_REL(value, 2e5, 1e-13); // measured 1e-16
    iso_field_destroy(ctx, field);
    iso_tri_mesh_destroy(ctx, &surface);
}

// A closed surface of a box: inward the inner copy is the box less twice the thickness.
static void shell_keeps_its_thickness_on_flat_faces(void** state) {
    (void)state;
    iso_shape_desc box = primitive(ISO_SHAPE_BOX);
    iso_tri_mesh surface;
    CHECK_OK(ctx, iso_tessellate_surface(ctx, &box, 0.1, &surface));
    iso_tet_mesh shell;
    int dropped;
    for (int i = 0; i < 2; ++i) {
        double t = i ? -0.02 : 0.03;
        CHECK_OK(ctx, iso_shell_create(ctx, &surface, t, &shell, &dropped));
        CHECK(dropped == 0 && shell.tet_count == 3 * surface.triangle_count, "%d dropped", dropped);
        CHECK_OK(ctx, iso_tet_mesh_check(ctx, &shell));
        double volume = (0.2 + 2 * t) * (0.3 + 2 * t) * (0.4 + 2 * t) - 0.2 * 0.3 * 0.4;
        CHECK_REL(iso_tet_mesh_volume(&shell), fabs(volume), 1e-13); // measured 8e-16
        iso_tet_mesh_destroy(ctx, &shell);
    }
    // Thicker than the body: the inverted ones are left out and counted.
    CHECK_OK(ctx, iso_shell_create(ctx, &surface, -0.12, &shell, &dropped));
    CHECK(dropped > 0, "nothing left out");
    CHECK_OK(ctx, iso_tet_mesh_check(ctx, &shell));
    iso_tet_mesh_destroy(ctx, &shell);
    iso_tri_mesh_destroy(ctx, &surface);
}

static void check_refused(iso_shape_desc shape, iso_field_recipe recipe, iso_status expected,
                          const char* part) {
    iso_field* field = NULL;
    CHECK_STATUS(ctx, iso_field_create_for_shape(ctx, &shape, &recipe, NULL, &field), expected);
    CHECK(field == NULL, "a refused field must be NULL");
    CHECK_ERROR(ctx, part);
}

static void bad_recipes_are_refused(void** state) {
    (void)state;
    iso_shape_desc ball = primitive(ISO_SHAPE_SPHERE);
    check_refused(ball, recipe_of(0.0, 0.0, 0.0, 0.0), ISO_ERR_RANGE, "modulus is 0");
    check_refused(ball, recipe_of(1e5, -1.0, 0.0, 0.0), ISO_ERR_RANGE, "thickness is -1");
    check_refused(ball, recipe_of(1e5, 0.0, NAN, 0.0), ISO_ERR_RANGE, "margin is");
    check_refused(ball, recipe_of(1e5, 0.0, 0.0, -2.0), ISO_ERR_RANGE, "hint is -2");
    check_refused(primitive(ISO_SHAPE_HALF_SPACE), recipe_of(1e5, 0.0, 0.0, 0.1),
                  ISO_ERR_UNSUPPORTED, "half_space");
    iso_vec3 v[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    int t[1][4] = {{0, 1, 2, 3}};
    iso_tet_mesh mesh = {4, 1, v, t};
    iso_shape_desc desc = iso_shape_desc_default(ISO_SHAPE_MESH);
    desc.volume = &mesh;
    iso_field_recipe kept = recipe_of(1e5, 0.0, 0.0, 0.0);
    kept.is_mesh_kept = true;
    check_refused(desc, kept, ISO_ERR_GEOMETRY, "expected 1 or more: refine the mesh");
}

// A field over given arrays, as other rooms build them.
static iso_status create_raw(iso_context* in, const iso_vec3* v, int tet_count, const double* p,
                             iso_field** out) {
    iso_tet_mesh mesh = {4, tet_count, iso_alloc_array(in, 4, sizeof *v),
                         iso_alloc_array(in, 1, sizeof(int[4]))};
    double* pressures = iso_alloc_array(in, 4, sizeof *p);
    memcpy(mesh.vertices, v, 4 * sizeof *v);
    memcpy(pressures, p, 4 * sizeof *p);
    for (int i = 0; i < 4; ++i) {
        mesh.tets[0][i] = i;
    }
    return iso_field_create(in, &mesh, pressures, out);
}

static void bad_tetrahedra_are_refused(void** state) {
    (void)state;
    iso_vec3 v[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    double p[4] = {0.0, 0.0, 0.0, 1.0};
    iso_field* field = NULL;
    CHECK_OK(ctx, create_raw(ctx, v, 1, p, &field));
    CHECK_REL(field->max_gradient, 1.0, 1e-15);
    iso_field_destroy(ctx, field);
    CHECK_STATUS(ctx, create_raw(ctx, v, 0, p, &field), ISO_ERR_GEOMETRY);
    CHECK(field == NULL, "refused");
    v[3].z = -1.0;
    CHECK_STATUS(ctx, create_raw(ctx, v, 1, p, &field), ISO_ERR_GEOMETRY);
    CHECK_ERROR(ctx, "tetrahedron 0 has volume -0.16");
    v[3].z = 0.0;
    CHECK_STATUS(ctx, create_raw(ctx, v, 1, p, &field), ISO_ERR_GEOMETRY);
    v[3].z = NAN;
    CHECK_STATUS(ctx, create_raw(ctx, v, 1, p, &field), ISO_ERR_NUMERIC);
    v[3].z = 1.0;
    p[2] = INFINITY;
    CHECK_STATUS(ctx, create_raw(ctx, v, 1, p, &field), ISO_ERR_NUMERIC);
}

static iso_status attempt(iso_context* failing, void* user) {
    iso_field_recipe recipe = recipe_of(1e5, 0.0, 0.01, 0.1);
    iso_field* field = NULL;
    iso_status status = iso_field_create_for_shape(failing, user, &recipe, NULL, &field);
    iso_field_destroy(failing, field);
    return status;
}

static iso_status attempt_layer(iso_context* failing, void* user) {
    iso_field* field = NULL;
    const iso_bvh none = {0};
    iso_status status = iso_field_create_for_layer(failing, user, &none, 1e5, 1e-3, &field);
    iso_field_destroy(failing, field);
    return status;
}

static void every_allocation_failure_is_survived(void** state) {
    (void)state;
    iso_shape_desc box = primitive(ISO_SHAPE_BOX);
    iso_tri_mesh surface;
    CHECK_OK(ctx, iso_tessellate_surface(ctx, &box, 0.1, &surface));
    iso_shape_desc hull = iso_shape_desc_default(ISO_SHAPE_CONVEX);
    hull.surface = &surface;
    CHECK(check_every_allocation_failure(attempt, &box) > 5, "box");
    CHECK(check_every_allocation_failure(attempt, &hull) > 20, "hull with margin");
    CHECK(check_every_allocation_failure(attempt_layer, &surface) > 5, "layer");
    iso_tri_mesh_destroy(ctx, &surface);
}

// A rod with a narrow notch: a margin wider than it folds there.
static void a_margin_that_folds_names_its_mesh(void** state) {
    (void)state;
    kept_warning kept;
    iso_context* own = warned_context_of(&kept, "margin");
    iso_tet_mesh mesh = {.vertex_count = 8, .tet_count = 5};
    mesh.vertices = iso_alloc_array(own, mesh.vertex_count, sizeof *mesh.vertices);
    mesh.tets = iso_alloc_array(own, mesh.tet_count, sizeof *mesh.tets);
    double* extents = iso_alloc_array(own, mesh.vertex_count, sizeof *extents);
    assert_true(mesh.vertices && mesh.tets && extents);
    mesh.vertices[1] = iso_vec3_make(0.0, 0.0, 1.0);
    for (int i = 0; i < 6; ++i) {
        double angle = 1.2 * i;
        mesh.vertices[2 + i] = iso_vec3_make(cos(angle), sin(angle), 0.5);
    }
    for (int i = 0; i < 5; ++i) {
        memcpy(mesh.tets[i], (int[4]){0, 2 + i, 3 + i, 1}, sizeof mesh.tets[i]);
    }
    iso_nodal_arrays arrays = {{extents}, 1};
    CHECK_OK(own, iso_margin_add(own, "rod.vtk", 2.0, 1.0, &mesh, &arrays));
    assert_int_equal(kept.count, 1);
    CHECK_TEXT(kept.text, "rod.vtk: margin of 2 m: ");
    iso_free(own, arrays.values[0]);
    iso_tet_mesh_destroy(own, &mesh);
    iso_context_destroy(own);
}

// The tetrahedron of the unit axes about an inner vertex of extent 1, with another one on its
// slanted face. `bonded` is the extent of the tip on the x axis.
static iso_tet_mesh make_corner(iso_context* c, int first_tet, double bonded,
                                double** out_extents) {
    iso_tet_mesh mesh = {.vertex_count = 6, .tet_count = 5};
    mesh.vertices = iso_alloc_array(c, mesh.vertex_count, sizeof *mesh.vertices);
    mesh.tets = iso_alloc_array(c, mesh.tet_count, sizeof *mesh.tets);
    *out_extents = iso_alloc_array(c, mesh.vertex_count, sizeof **out_extents);
    assert_true(mesh.vertices && mesh.tets && *out_extents);
    static const iso_vec3 at[6] = {{0, 0, 0}, {1, 0, 0},        {0, 1, 0},
                                   {0, 0, 1}, {0.2, 0.25, 0.3}, {1, 1, 1}};
    static const int tets[5][4] = {
        {4, 1, 2, 3}, {0, 4, 2, 3}, {0, 1, 4, 3}, {0, 1, 2, 4}, {5, 1, 3, 2}};
    memcpy(mesh.vertices, at, sizeof at);
    for (int i = 0; i < 5; ++i) {
        memcpy(mesh.tets[i], tets[(first_tet + i) % 5], sizeof tets[0]);
    }
    (*out_extents)[4] = 1.0;
    (*out_extents)[1] = bonded;
    return mesh;
}

// The inner vertex is 0.2, 0.25 and 0.3 above the faces of the axes, which have area 1/2; the
// outer tetrahedron is zero all over and has three faces of area sqrt(3)/2. A vertex has the mean
// of its faces, at least a thousandth of that of all.
static void margins_fall_by_the_mean_of_the_faces_of_a_vertex(void** state) {
    (void)state;
    const double margin = 0.01, outer = 0.5 * sqrt(3.0), x = 0.5 / 0.2, y = 0.5 / 0.25,
                 z = 0.5 / 0.3;
    const double least = 1e-3 * (x + y + z) / (1.5 + 3.0 * outer), two = 1.0 + 2.0 * outer;
    const struct {
        int vertex;
        double slope;
    } expected[] = {{0, (x + y + z) / 1.5},
                    {1, (y + z) / two},
                    {2, (x + z) / two},
                    {3, (x + y) / two},
                    {5, least}};
    for (int turn = 0; turn < 5; ++turn) { // whichever face comes last
        double* extents;
        iso_tet_mesh mesh = make_corner(ctx, turn, 0.0, &extents);
        iso_nodal_arrays arrays = {{extents}, 1};
        CHECK_OK(ctx, iso_margin_add(ctx, "tet", margin, 0.0, &mesh, &arrays));
        assert_int_equal(mesh.vertex_count, 11);
        for (int i = 0; i < 5; ++i) {
            double fall = arrays.values[0][expected[i].vertex] - arrays.values[0][6 + i];
            CHECK_REL(fall, margin * expected[i].slope, 1e-10); // measured 1.2e-16
        }
        iso_free(ctx, arrays.values[0]);
        iso_tet_mesh_destroy(ctx, &mesh);
    }
}

// A skin with a vertex that is bonded to something rigid: the faces there end the field, so the
// margin grows on the two others alone, and no pressure reaches beyond the body.
static void margins_leave_bonded_faces_out(void** state) {
    (void)state;
    kept_warning kept;
    iso_context* own = warned_context_of(&kept, "margin");
    const double margin = 0.01;
    double* extents;
    iso_tet_mesh mesh = make_corner(own, 0, 1.0, &extents);
    iso_nodal_arrays arrays = {{extents}, 1};
    CHECK_OK(own, iso_margin_add(own, "pad", margin, 0.0, &mesh, &arrays));
    assert_int_equal(mesh.vertex_count, 6 + 4); // 0, 2, 3, and the tip of the outer tetrahedron
    assert_int_equal(mesh.tet_count, 5 + 6);
    for (int i = 6; i < 10; ++i) {
        CHECK(arrays.values[0][i] < 0.0, "extent %g outside", arrays.values[0][i]);
    }
    CHECK_REL(-arrays.values[0][6], margin / 0.2, 1e-10); // measured 2e-16
    iso_free(own, arrays.values[0]);
    iso_tet_mesh_destroy(own, &mesh);

    mesh = make_corner(own, 0, 0.0, &extents); // all of it bonded
    for (int i = 0; i < 6; ++i) {
        extents[i] = 1.0;
    }
    arrays = (iso_nodal_arrays){{extents}, 1};
    assert_int_equal(kept.count, 0);
    CHECK_OK(own, iso_margin_add(own, "pad", margin, 0.0, &mesh, &arrays));
    assert_int_equal(mesh.tet_count, 5);
    assert_int_equal(kept.count, 1);
    CHECK_TEXT(kept.text, "pad: margin of 0.01 m: none, as no face of the skin is zero all over");
    iso_free(own, arrays.values[0]);
    iso_tet_mesh_destroy(own, &mesh);
    iso_context_destroy(own);
}

// A sphere that is a point beside its margin has as many tetrahedra as one of the margin's size;
// one with a usual margin has those of its own hint.
static void a_margin_wider_than_its_body_does_not_multiply_tetrahedra(void** state) {
    (void)state;
    iso_shape_desc shape = iso_shape_desc_default(ISO_SHAPE_SPHERE);
    const double radii[3] = {1e-7, 1e-6, 0.1}, hints[2] = {0.0, 2e-8};
    for (int i = 0; i < 4; ++i) {
        iso_field* field = NULL;
        shape.radius = radii[i < 3 ? i : 0];
        iso_field_recipe recipe = {
            .modulus = 1e7, .margin = 9.81e-6, .resolution_hint = hints[i == 3]};
        CHECK_OK(ctx, iso_field_create_for_shape(ctx, &shape, &recipe, NULL, &field));
        CHECK(field->mesh.tet_count >= 32 && field->mesh.tet_count <= 512,
              "radius %g: %d tetrahedra", shape.radius, field->mesh.tet_count);
        iso_field_destroy(ctx, field);
    }
}

// A stiffer field has larger pressures and gradients, and bounds that hold them; the field that it
// is made of stays.
static void a_stiffer_field_is_larger_by_the_factor(void** state) {
    (void)state;
    const double factor = 1.0 + 0x1p-30;
    iso_shape_desc shape = iso_shape_desc_default(ISO_SHAPE_CAPSULE);
    iso_field_recipe recipe = {.modulus = 1e6, .margin = 0.01, .resolution_hint = 0.5};
    iso_field *field = NULL, stiffer;
    iso_arena arena;
    CHECK_OK(ctx, iso_field_create_for_shape(ctx, &shape, &recipe, NULL, &field));
    CHECK_OK(ctx, iso_arena_init(&arena, ctx, 0));
    CHECK_OK(ctx, iso_field_stiffen(&arena, field, factor, &stiffer));
    CHECK_BITS(stiffer.max_pressure, factor * field->max_pressure);
    CHECK_BITS(stiffer.marks.lowest, factor * field->marks.lowest);
    CHECK(stiffer.marks.lowest < field->marks.lowest && field->marks.lowest < 0.0, "lowest");
    for (int i = 0; i < field->mesh.vertex_count; ++i) {
        CHECK_BITS(stiffer.points[i].x[3], factor * field->points[i].x[3]);
        CHECK_BITS(stiffer.points[i].x[0], field->points[i].x[0]);
    }
    for (int i = 0; i < field->mesh.tet_count; ++i) {
        iso_affine f = field->cells[i].piece, g = stiffer.cells[i].piece;
        CHECK_BITS(g.gradient.x, factor * f.gradient.x);
        CHECK_BITS(g.offset, factor * f.offset);
    }
    for (int i = 0; i < 2 * field->tree.node_count; ++i) {
        const iso_bvh_node *a = &field->tree.nodes[i / 2], *b = &stiffer.tree.nodes[i / 2];
        int side = i % 2;
        double low = a->low[side], high = a->high[side];
        CHECK(b->low[side] <= fmin(low, factor * low) && b->high[side] >= fmax(high, factor * high),
              "node %d: %.9g to %.9g", i / 2, (double)b->low[side], (double)b->high[side]);
        const iso_field_slope *s = &field->slopes[i / 2], *t = &stiffer.slopes[i / 2];
        for (int axis = 0; axis < 3; ++axis) {
            double most = fabs((double)s->center[axis][side]) + s->half[axis][side];
            CHECK(t->half[axis][side] >= s->half[axis][side] + (factor - 1.0) * most, "slope %d",
                  i);
        }
    }
    iso_arena_destroy(&arena);
    iso_field_destroy(ctx, field);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_margin_that_folds_names_its_mesh),
        TEST(thickness_is_compared_with_the_depth_of_the_middle),
        TEST(pressure_of_primitives_is_zero_on_the_skin_and_the_modulus_inside),
        TEST(margin_continues_the_field_outside_the_skin),
        TEST(thickness_sets_the_slope),
        TEST(value_at_a_point_interpolates_the_vertices),
        TEST(cells_hold_their_tetrahedra),
        TEST(margins_fall_by_the_mean_of_the_faces_of_a_vertex),
        TEST(margins_leave_bonded_faces_out),
        TEST(meshes_measure_the_distance_to_their_skin),
        TEST(hull_is_deepest_at_its_centroid),
        TEST(shell_keeps_its_thickness_on_flat_faces),
        TEST(a_stiffer_field_is_larger_by_the_factor),
        TEST(a_margin_wider_than_its_body_does_not_multiply_tetrahedra),
        TEST(bad_recipes_are_refused),
        TEST(bad_tetrahedra_are_refused),
        TEST(every_allocation_failure_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
