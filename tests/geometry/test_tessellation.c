// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0
//
// With arguments this program writes a tessellation for test_drake_tessellation.py instead of
// testing: test_geometry_tessellation KIND A B C HINT (sizes as KIND needs them) prints the counts,
// vertices with extents and tetrahedra, then counts, vertices and triangles of the rigid surface.

#include "base/core/alloc.h"
#include "geometry/mesh/mesh.h"
#include "geometry/mesh/shape.h"
#include "geometry/mesh/topology.h"
#include "geometry/tessellation/tessellate.h"
#include "support/check.h"
#include "support/failing_context.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct solid {
    iso_tet_mesh mesh;
    double* extents;
    iso_tri_mesh skin;
} solid;

static iso_shape_desc make_shape(iso_shape_kind kind, double a, double b, double c) {
    iso_shape_desc shape = iso_shape_desc_default(kind);
    shape.radius = a;
    shape.length = b;
    shape.size = iso_vec3_make(a, b, c);
    return shape;
}

static solid make_solid(iso_context* ctx, const iso_shape_desc* shape, double hint) {
    solid s;
    CHECK_OK(ctx, iso_tessellate_volume(ctx, shape, hint, &s.mesh, &s.extents));
    CHECK_OK(ctx, iso_tessellate_surface(ctx, shape, hint, &s.skin));
    return s;
}

static void destroy_solid(iso_context* ctx, solid* s) {
    iso_tet_mesh_destroy(ctx, &s->mesh);
    iso_tri_mesh_destroy(ctx, &s->skin);
    iso_free(ctx, s->extents);
}

// Vertices - edges + triangles - tetrahedra of a solid ball is 1, of its skin 2.
static void check_euler(iso_context* ctx, const solid* s) {
    iso_tri_topology t;
    CHECK_OK(ctx, iso_tri_topology_create(ctx, &s->skin, &t));
    assert_int_equal(s->skin.vertex_count - t.edge_count + s->skin.triangle_count, 2);
    iso_tri_topology_destroy(ctx, &t);

    iso_tet_topology tets;
    CHECK_OK(ctx, iso_tet_topology_create(ctx, &s->mesh, &tets));
    // Count the edges of the tetrahedra as those of the surface made of all their faces.
    iso_tri_mesh faces;
    CHECK_OK(ctx, iso_tri_mesh_allocate(ctx, s->mesh.vertex_count, 4 * s->mesh.tet_count, &faces));
    for (int face = 0; face < faces.triangle_count; ++face) {
        for (int k = 0; k < 3; ++k) {
            faces.triangles[face][k] = s->mesh.tets[face / 4][k_tet_faces[face % 4][k]];
        }
    }
    CHECK_OK(ctx, iso_tri_topology_create(ctx, &faces, &t));
    int face_count = (4 * s->mesh.tet_count + tets.skin_face_count) / 2;
    assert_int_equal(s->mesh.vertex_count - t.edge_count + face_count - s->mesh.tet_count, 1);
    iso_tri_topology_destroy(ctx, &t);
    iso_tet_topology_destroy(ctx, &tets);
    iso_tri_mesh_destroy(ctx, &faces);
}

// What every tessellation promises.
static void check_solid(iso_context* ctx, const solid* s) {
    CHECK_OK(ctx, iso_tet_mesh_check(ctx, &s->mesh));
    CHECK_OK(ctx, iso_tri_mesh_check_closed(ctx, &s->skin));
    check_euler(ctx, s);
    // measured 1.3e-14 (sphere of 8192 triangles)
    CHECK_REL(iso_tri_mesh_volume(&s->skin), iso_tet_mesh_volume(&s->mesh), 5e-14);

    iso_tet_topology t;
    CHECK_OK(ctx, iso_tet_topology_create(ctx, &s->mesh, &t));
    for (int i = 0; i < s->mesh.vertex_count; ++i) {
        CHECK_BITS(s->extents[i], t.is_on_skin[i] ? 0.0 : 1.0);
    }
    for (int i = 0; i < s->mesh.tet_count; ++i) {
        double deepest = 0.0;
        for (int k = 0; k < 4; ++k) {
            deepest = fmax(deepest, s->extents[s->mesh.tets[i][k]]);
        }
        CHECK_BITS(deepest, 1.0); // no tetrahedron without pressure
    }
    iso_tet_topology_destroy(ctx, &t);
}

static void check_shape(const iso_shape_desc* shape, double hint, int vertex_count, int tet_count,
                        double volume, double volume_tolerance) {
    iso_context* ctx = test_context();
    solid s = make_solid(ctx, shape, hint);
    assert_int_equal(s.mesh.vertex_count, vertex_count);
    assert_int_equal(s.mesh.tet_count, tet_count);
    double asked = iso_shape_tet_count(shape, hint);
    CHECK_BITS(asked, iso_shape_is_curved(shape->kind) ? (double)tet_count : 0.0);
    check_solid(ctx, &s);
    CHECK_REL(iso_tet_mesh_volume(&s.mesh), volume, volume_tolerance);
    destroy_solid(ctx, &s);
    test_context_destroy(ctx);
}

static void boxes_have_the_counts_of_their_medial_axis(void** state) {
    (void)state;
    static const struct {
        double x, y, z;
        int vertex_count, tet_count;
    } k_cases[] = {
        {2, 2, 2, 15, 24},
        {2, 2, 4, 17, 40},
        {2, 4, 2, 17, 40},
        {4, 2, 2, 17, 40},
        {2, 4, 4, 18, 44},
        {4, 2, 4, 18, 44},
        {4, 4, 2, 18, 44},
        {2, 4, 6, 18, 44},
        {6, 4, 2, 18, 44},
        {4, 2, 6, 18, 44},
        {0.1, 0.1, 0.1 + 1e-16, 15, 24},
    };
    for (size_t i = 0; i < sizeof k_cases / sizeof k_cases[0]; ++i) {
        iso_shape_desc box = make_shape(ISO_SHAPE_BOX, k_cases[i].x, k_cases[i].y, k_cases[i].z);
        double volume = k_cases[i].x * k_cases[i].y * k_cases[i].z;
        // measured 8.9e-16
        check_shape(&box, 0.0, k_cases[i].vertex_count, k_cases[i].tet_count, volume, 4e-15);
    }
}

static void box_faces_are_fans_of_four_about_their_centres(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_shape_desc box = make_shape(ISO_SHAPE_BOX, 0.3, 0.2, 0.1);
    iso_tri_mesh skin;
    CHECK_OK(ctx, iso_tessellate_surface(ctx, &box, 0.0, &skin));
    assert_int_equal(skin.vertex_count, 14);
    assert_int_equal(skin.triangle_count, 24);
    int uses[14] = {0};
    for (int i = 0; i < 24; ++i) {
        for (int k = 0; k < 3; ++k) {
            ++uses[skin.triangles[i][k]];
        }
    }
    for (int i = 0; i < 14; ++i) {
        iso_vec3 p = skin.vertices[i];
        int zero_count = (p.x == 0.0) + (p.y == 0.0) + (p.z == 0.0);
        assert_true(zero_count == 0 || zero_count == 2); // corner or face centre
        assert_int_equal(uses[i], zero_count == 2 ? 4 : 6);
    }
    iso_tri_mesh_destroy(ctx, &skin);
    test_context_destroy(ctx);
}

static void spheres_follow_the_hint_and_never_pass_level_eight(void** state) {
    (void)state;
    double previous_volume = 0.0;
    static const double k_hints[] = {1.5, 1.0, 0.5, 0.25, 0.125, 0.06};
    static const int k_levels[] = {0, 1, 2, 3, 4, 5};
    iso_shape_desc sphere = make_shape(ISO_SHAPE_SPHERE, 1.0, 1.0, 1.0);
    for (int i = 0; i < 6; ++i) {
        iso_context* ctx = test_context();
        int tet_count = 8 << (2 * k_levels[i]);
        solid s = make_solid(ctx, &sphere, k_hints[i]);
        assert_int_equal(s.mesh.tet_count, tet_count);
        CHECK_BITS(iso_shape_tet_count(&sphere, k_hints[i]), (double)tet_count);
        assert_int_equal(s.mesh.vertex_count, tet_count / 2 + 3);
        check_solid(ctx, &s);
        double volume = iso_tet_mesh_volume(&s.mesh);
        CHECK(volume > previous_volume && volume < 4.0 / 3.0 * ISO_PI, "volume %g", volume);
        previous_volume = volume;
        // The equator is a regular polygon whose chord is within the hint.
        double chord = 2.0 * sin(ISO_PI / (4 << k_levels[i]));
        CHECK_AT_MOST(chord, k_hints[i]);
        for (int k = 0; k < s.mesh.vertex_count; ++k) {
            // measured 2.2e-16
            CHECK_NEAR(iso_vec3_norm(s.mesh.vertices[k]), s.extents[k] == 1.0 ? 0.0 : 1.0, 2e-15);
        }
        destroy_solid(ctx, &s);
        test_context_destroy(ctx);
    }
    CHECK_REL(previous_volume, 4.0 / 3.0 * ISO_PI, 2e-3); // measured 1.5e-3 at level 5

    iso_context* ctx = test_context();
    iso_tet_mesh finest;
    double* extents;
    CHECK_OK(ctx, iso_tessellate_volume(ctx, &sphere, 1e-9, &finest, &extents));
    assert_int_equal(finest.tet_count, 8 << 16);
    CHECK_AT_MOST(1e18, iso_shape_tet_count(&sphere, 1e-9)); // asked for
    iso_tet_mesh_destroy(ctx, &finest);
    iso_free(ctx, extents);
    test_context_destroy(ctx);
}

static void octahedron_has_its_closed_form_volume(void** state) {
    (void)state;
    iso_shape_desc sphere = make_shape(ISO_SHAPE_SPHERE, 0.3, 1.0, 1.0);
    // measured 0
    check_shape(&sphere, 10.0, 7, 8, 4.0 / 3.0 * 0.027, 2e-15);
}

static void ellipsoids_are_scaled_spheres_by_the_largest_semi_axis(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_shape_desc sphere = make_shape(ISO_SHAPE_SPHERE, 1.0, 1.0, 1.0);
    iso_shape_desc ellipsoid = make_shape(ISO_SHAPE_ELLIPSOID, 0.1, 0.2, 0.3);
    solid a = make_solid(ctx, &sphere, 0.5);
    solid b = make_solid(ctx, &ellipsoid, 0.15);
    check_solid(ctx, &b);
    assert_int_equal(a.mesh.vertex_count, b.mesh.vertex_count);
    for (int i = 0; i < a.mesh.vertex_count; ++i) {
        iso_vec3 expected = iso_vec3_mul(a.mesh.vertices[i], ellipsoid.size);
        CHECK_VEC3_NEAR(b.mesh.vertices[i], expected, 1e-16); // measured 0
    }
    destroy_solid(ctx, &a);
    destroy_solid(ctx, &b);
    test_context_destroy(ctx);
}

static void cylinders_are_prisms_with_the_counts_of_their_medial_axis(void** state) {
    (void)state;
    static const struct {
        double radius, length, hint;
        int side_count, vertex_extra, tet_factor;
    } k_cases[] = {
        {1.0, 4.0, 1.5, 5, 4, 5},   {1.0, 2.0, 1.5, 5, 3, 4},   {0.05, 0.1, 0.01, 32, 3, 4},
        {1.0, 4.0, 100.0, 3, 4, 5}, {0.1, 0.5, 0.02, 32, 4, 5},
    };
    for (size_t i = 0; i < sizeof k_cases / sizeof k_cases[0]; ++i) {
        double r = k_cases[i].radius, length = k_cases[i].length;
        int n = k_cases[i].side_count;
        iso_shape_desc cylinder = make_shape(ISO_SHAPE_CYLINDER, r, length, 1.0);
        double area = 0.5 * n * r * r * sin(2.0 * ISO_PI / n);
        // measured 1.9e-15
        check_shape(&cylinder, k_cases[i].hint, 2 * n + k_cases[i].vertex_extra,
                    k_cases[i].tet_factor * n, area * length, 1e-14);
    }
    // A disk: medial centre and rim.
    iso_shape_desc disk = make_shape(ISO_SHAPE_CYLINDER, 2.0, 0.5, 1.0);
    double area = 0.5 * 7 * 4.0 * sin(2.0 * ISO_PI / 7);
    check_shape(&disk, 2.0, 3 * 7 + 3, 9 * 7, area * 0.5, 1e-14); // measured 1.9e-15
}

static void capsules_have_two_medial_vertices_and_even_rings(void** state) {
    (void)state;
    static const struct {
        double hint;
        int side_count;
    } k_cases[] = {{100.0, 3}, {1.6, 3}, {1.25, 5}, {1.0, 6}, {0.5, 12}, {0.2, 31}};
    double exact = ISO_PI * 2.0 + 4.0 / 3.0 * ISO_PI;
    double previous_volume = 0.0;
    for (size_t i = 0; i < sizeof k_cases / sizeof k_cases[0]; ++i) {
        iso_context* ctx = test_context();
        iso_shape_desc capsule = make_shape(ISO_SHAPE_CAPSULE, 1.0, 2.0, 1.0);
        int n = k_cases[i].side_count, m = n / 2;
        solid s = make_solid(ctx, &capsule, k_cases[i].hint);
        assert_int_equal(s.mesh.vertex_count, 2 * n * m + 4);
        assert_int_equal(s.mesh.tet_count, 4 * n * (m - 1) + 5 * n);
        check_solid(ctx, &s);
        double volume = iso_tet_mesh_volume(&s.mesh);
        CHECK(volume >= previous_volume && volume < exact, "volume %g", volume);
        previous_volume = volume;
        for (int k = 2; k < s.mesh.vertex_count; ++k) {
            iso_vec3 p = s.mesh.vertices[k];
            iso_vec3 q = iso_vec3_make(p.x, p.y, fabs(p.z) - 1.0); // from the end of the axis
            CHECK_NEAR(iso_vec3_norm(q), 1.0, 4e-15);              // measured 2.2e-16
        }
        destroy_solid(ctx, &s);
        test_context_destroy(ctx);
    }
    CHECK_REL(previous_volume, exact, 1.5e-2); // measured 7.9e-3
    iso_shape_desc capsule = make_shape(ISO_SHAPE_CAPSULE, 1.0, 2.0, 1.0);
    iso_context* ctx = test_context();
    iso_tet_mesh finest;
    double* extents;
    CHECK_OK(ctx, iso_tessellate_volume(ctx, &capsule, 1e-9, &finest, &extents));
    assert_int_equal(finest.vertex_count, 2 * 706 * 353 + 4);
    iso_tet_mesh_destroy(ctx, &finest);
    iso_free(ctx, extents);
    test_context_destroy(ctx);
}

static void primitives_are_mirror_symmetric(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_shape_desc shapes[] = {
        make_shape(ISO_SHAPE_SPHERE, 0.07, 0.0, 0.0),
        make_shape(ISO_SHAPE_BOX, 0.1, 0.2, 0.4),
        make_shape(ISO_SHAPE_BOX, 0.3, 0.3, 0.3),
    };
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; ++i) {
        iso_tri_mesh skin;
        CHECK_OK(ctx, iso_tessellate_surface(ctx, &shapes[i], 0.02, &skin));
        for (int k = 0; k < skin.vertex_count; ++k) {
            for (int axis = 0; axis < 3; ++axis) {
                iso_vec3 flip =
                    iso_vec3_make(axis == 0 ? -1 : 1, axis == 1 ? -1 : 1, axis == 2 ? -1 : 1);
                iso_vec3 image = iso_vec3_mul(skin.vertices[k], flip);
                int found = 0;
                for (int j = 0; j < skin.vertex_count; ++j) {
                    iso_vec3 p = skin.vertices[j];
                    found += p.x == image.x && p.y == image.y && p.z == image.z;
                }
                assert_int_equal(found, 1); // exactly, not nearly
            }
        }
        iso_tri_mesh_destroy(ctx, &skin);
    }
    test_context_destroy(ctx);
}

static void inflated_shapes_grow_on_every_side(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_shape_desc in = make_shape(ISO_SHAPE_BOX, 1.0, 2.0, 3.0), out;
    CHECK_OK(ctx, iso_shape_inflate(ctx, &in, 0.25, &out));
    CHECK_VEC3_NEAR(out.size, iso_vec3_make(1.5, 2.5, 3.5), 0.0);
    in.kind = ISO_SHAPE_ELLIPSOID;
    CHECK_OK(ctx, iso_shape_inflate(ctx, &in, 0.25, &out));
    CHECK_VEC3_NEAR(out.size, iso_vec3_make(1.25, 2.25, 3.25), 0.0);
    in = make_shape(ISO_SHAPE_CYLINDER, 1.0, 2.0, 3.0);
    CHECK_OK(ctx, iso_shape_inflate(ctx, &in, 0.25, &out));
    assert_true(out.radius == 1.25 && out.length == 2.5);
    in.kind = ISO_SHAPE_CAPSULE;
    CHECK_OK(ctx, iso_shape_inflate(ctx, &in, 0.25, &out));
    assert_true(out.radius == 1.25 && out.length == 2.0);
    in.kind = ISO_SHAPE_SPHERE;
    CHECK_OK(ctx, iso_shape_inflate(ctx, &in, 0.0, &out));
    assert_true(out.radius == 1.0);
    CHECK_STATUS(ctx, iso_shape_inflate(ctx, &in, -0.1, &out), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "margin is -0.1 m");
    in.kind = ISO_SHAPE_CONVEX;
    CHECK_STATUS(ctx, iso_shape_inflate(ctx, &in, 0.1, &out), ISO_ERR_UNSUPPORTED);
    test_context_destroy(ctx);
}

static void default_resolution_is_between_an_eighth_and_a_half_of_the_size(void** state) {
    (void)state;
    iso_shape_desc shape = make_shape(ISO_SHAPE_SPHERE, 0.05, 1.0, 1.0);
    CHECK_BITS(iso_shape_default_resolution(&shape), 0.02);
    shape.radius = 1.0;
    CHECK_BITS(iso_shape_default_resolution(&shape), 0.125);
    shape.radius = 0.01;
    CHECK_BITS(iso_shape_default_resolution(&shape), 0.005);
    shape.kind = ISO_SHAPE_CYLINDER; // ends of 26 sides
    CHECK_BITS(iso_shape_default_resolution(&shape), 0.0025);
    shape.kind = ISO_SHAPE_SPHERE;
    iso_context* ctx = test_context();
    static const double k_radii[] = {0.01, 0.05, 1.0};
    static const int k_tet_counts[] = {128, 128, 2048};
    for (int i = 0; i < 3; ++i) {
        shape.radius = k_radii[i];
        iso_tet_mesh mesh;
        double* extents;
        CHECK_OK(ctx, iso_tessellate_volume(ctx, &shape, iso_shape_default_resolution(&shape),
                                            &mesh, &extents));
        assert_int_equal(mesh.tet_count, k_tet_counts[i]);
        iso_tet_mesh_destroy(ctx, &mesh);
        iso_free(ctx, extents);
    }
    test_context_destroy(ctx);
    shape = make_shape(ISO_SHAPE_ELLIPSOID, 0.1, 0.4, 0.2);
    CHECK_BITS(iso_shape_default_resolution(&shape), 0.05);
    shape = make_shape(ISO_SHAPE_BOX, 0.1, 0.4, 0.02);
    CHECK_BITS(iso_shape_default_resolution(&shape), 0.005);
    shape.kind = ISO_SHAPE_HALF_SPACE;
    CHECK_BITS(iso_shape_default_resolution(&shape), 0.02);
}

static void bad_shapes_are_refused_with_value_and_range(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_tet_mesh mesh;
    double* extents;
    iso_shape_desc shape = make_shape(ISO_SHAPE_SPHERE, -0.5, 1.0, 1.0);
    CHECK_STATUS(ctx, iso_tessellate_volume(ctx, &shape, 0.1, &mesh, &extents), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "sphere: radius is -0.5 m, expected finite and > 0");
    shape.radius = NAN;
    CHECK_STATUS(ctx, iso_tessellate_volume(ctx, &shape, 0.1, &mesh, &extents), ISO_ERR_RANGE);
    shape.radius = 1.0;
    CHECK_STATUS(ctx, iso_tessellate_volume(ctx, &shape, 0.0, &mesh, &extents), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "sphere: resolution hint is 0 m");
    shape = make_shape(ISO_SHAPE_BOX, 1.0, 0.0, 1.0);
    CHECK_STATUS(ctx, iso_tessellate_volume(ctx, &shape, 0.1, &mesh, &extents), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "box: edge is 0 m");
    shape = make_shape(ISO_SHAPE_CAPSULE, 1.0, INFINITY, 1.0);
    CHECK_STATUS(ctx, iso_tessellate_volume(ctx, &shape, 0.1, &mesh, &extents), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "capsule: length is inf m");
    shape = make_shape(ISO_SHAPE_HALF_SPACE, 1.0, 1.0, 1.0);
    CHECK_STATUS(ctx, iso_tessellate_volume(ctx, &shape, 0.1, &mesh, &extents),
                 ISO_ERR_UNSUPPORTED);
    shape.kind = (iso_shape_kind)77;
    CHECK_STATUS(ctx, iso_tessellate_volume(ctx, &shape, 0.1, &mesh, &extents), ISO_ERR_ARGUMENT);
    assert_string_equal(iso_shape_kind_name(shape.kind), "unknown");
    shape = iso_shape_desc_default(ISO_SHAPE_MESH);
    CHECK_STATUS(ctx, iso_tessellate_volume(ctx, &shape, 0.1, &mesh, &extents), ISO_ERR_ARGUMENT);
    CHECK_ERROR(ctx, "neither a file name nor a mesh");
    shape.path = "x.vtk";
    shape.scale.y = 0.0;
    CHECK_STATUS(ctx, iso_tessellate_volume(ctx, &shape, 0.1, &mesh, &extents), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "scale y is 0");
    shape = make_shape(ISO_SHAPE_SPHERE, 1e-120, 1.0, 1.0); // its volume is below every double
    CHECK_STATUS(ctx, iso_tessellate_volume(ctx, &shape, 1.0, &mesh, &extents), ISO_ERR_GEOMETRY);
    assert_null(mesh.vertices);
    assert_null(extents);
    test_context_destroy(ctx);
}

static void half_spaces_are_shown_as_a_square_of_a_hundred_hints(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_shape_desc shape = iso_shape_desc_default(ISO_SHAPE_HALF_SPACE);
    iso_tri_mesh mesh;
    CHECK_OK(ctx, iso_shape_surface(ctx, &shape, 0.02, &mesh));
    CHECK_REL(iso_tri_mesh_area(&mesh), 4.0, 1e-15); // measured 0
    for (int i = 0; i < mesh.triangle_count; ++i) {
        const int* t = mesh.triangles[i];
        iso_vec3 n =
            iso_triangle_area_vector(mesh.vertices[t[0]], mesh.vertices[t[1]], mesh.vertices[t[2]]);
        assert_true(n.x == 0.0 && n.y == 0.0 && n.z > 0.0);
    }
    iso_tri_mesh_destroy(ctx, &mesh);
    CHECK_STATUS(ctx, iso_shape_surface(ctx, &shape, -1.0, &mesh), ISO_ERR_RANGE);
    test_context_destroy(ctx);
}

static iso_status tessellate_all(iso_context* ctx, void* user) {
    (void)user;
    static const iso_shape_kind k_kinds[] = {ISO_SHAPE_SPHERE, ISO_SHAPE_BOX, ISO_SHAPE_CYLINDER,
                                             ISO_SHAPE_CAPSULE};
    iso_status status = ISO_OK;
    for (int i = 0; i < 4 && status == ISO_OK; ++i) {
        iso_shape_desc shape = make_shape(k_kinds[i], 1.0, 2.0, 3.0);
        iso_tet_mesh mesh;
        double* extents;
        status = iso_tessellate_volume(ctx, &shape, 1.0, &mesh, &extents);
        assert_true((status == ISO_OK) == (mesh.tets != NULL));
        assert_true((status == ISO_OK) == (extents != NULL));
        iso_tet_mesh_destroy(ctx, &mesh);
        iso_free(ctx, extents);
        iso_tri_mesh surface = {0};
        if (status == ISO_OK) {
            status = iso_shape_surface(ctx, &shape, 1.0, &surface);
        }
        assert_true((status == ISO_OK) == (surface.triangles != NULL));
        iso_tri_mesh_destroy(ctx, &surface);
    }
    return status;
}

static void tessellation_survives_every_allocation_failure(void** state) {
    (void)state;
    int count = check_every_allocation_failure(tessellate_all, NULL);
    CHECK(count > 20, "%d allocations", count);
}

static int dump(char** argv) {
    iso_context* ctx = test_context();
    iso_shape_kind kind = ISO_SHAPE_SPHERE;
    while (strcmp(iso_shape_kind_name(kind), argv[1]) != 0) {
        ++kind;
    }
    iso_shape_desc shape = make_shape(kind, atof(argv[2]), atof(argv[3]), atof(argv[4]));
    if (kind == ISO_SHAPE_CONVEX) {
        shape.path = argv[2];
    }
    solid s;
    double hint = atof(argv[5]);
    iso_status status = iso_tessellate_volume(ctx, &shape, hint, &s.mesh, &s.extents);
    if (status == ISO_OK) {
        status = iso_tessellate_surface(ctx, &shape, hint, &s.skin);
    }
    if (status != ISO_OK) {
        fprintf(stderr, "%s\n", iso_context_error(ctx));
        return 1;
    }
    printf("%d %d\n", s.mesh.vertex_count, s.mesh.tet_count);
    for (int i = 0; i < s.mesh.vertex_count; ++i) {
        iso_vec3 p = s.mesh.vertices[i];
        printf("%.17g %.17g %.17g %.17g\n", p.x, p.y, p.z, s.extents[i]);
    }
    for (int i = 0; i < s.mesh.tet_count; ++i) {
        const int* t = s.mesh.tets[i];
        printf("%d %d %d %d\n", t[0], t[1], t[2], t[3]);
    }
    printf("%d %d\n", s.skin.vertex_count, s.skin.triangle_count);
    for (int i = 0; i < s.skin.vertex_count; ++i) {
        iso_vec3 p = s.skin.vertices[i];
        printf("%.17g %.17g %.17g\n", p.x, p.y, p.z);
    }
    for (int i = 0; i < s.skin.triangle_count; ++i) {
        const int* t = s.skin.triangles[i];
        printf("%d %d %d\n", t[0], t[1], t[2]);
    }
    destroy_solid(ctx, &s);
    test_context_destroy(ctx);
    return 0;
}

int main(int argc, char** argv) {
    if (argc == 6) {
        return dump(argv);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_have_the_counts_of_their_medial_axis),
        cmocka_unit_test(box_faces_are_fans_of_four_about_their_centres),
        cmocka_unit_test(spheres_follow_the_hint_and_never_pass_level_eight),
        cmocka_unit_test(octahedron_has_its_closed_form_volume),
        cmocka_unit_test(ellipsoids_are_scaled_spheres_by_the_largest_semi_axis),
        cmocka_unit_test(cylinders_are_prisms_with_the_counts_of_their_medial_axis),
        cmocka_unit_test(capsules_have_two_medial_vertices_and_even_rings),
        cmocka_unit_test(primitives_are_mirror_symmetric),
        cmocka_unit_test(inflated_shapes_grow_on_every_side),
        cmocka_unit_test(default_resolution_is_between_an_eighth_and_a_half_of_the_size),
        cmocka_unit_test(bad_shapes_are_refused_with_value_and_range),
        cmocka_unit_test(half_spaces_are_shown_as_a_square_of_a_hundred_hints),
        cmocka_unit_test(tessellation_survives_every_allocation_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
