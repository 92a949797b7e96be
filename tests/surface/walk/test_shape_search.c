// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Distances, rays and pressures of contact shapes.

#include "geometry/search/distance.h"
#include "surface/moving_pairs.h"

#include "support/arena_fixture.h"
#include "support/winding.h"

static iso_contact_shape* make_mesh(const iso_tet_mesh* volume, iso_compliance compliance) {
    iso_shape_desc desc = iso_shape_desc_default(ISO_SHAPE_MESH);
    desc.volume = volume;
    iso_contact_material material = fixture_compliant(1e6, 0.0);
    material.compliance = compliance;
    return fixture_shape(ctx, desc, material);
}

// A cube with one corner pushed in beyond its middle, of tetrahedra. The caller destroys it.
static iso_tet_mesh make_corner(void) {
    iso_contact_shape* box =
        fixture_shape(ctx, fixture_box(0.2, 0.2, 0.2), fixture_compliant(1e6, 0.0));
    const iso_tet_mesh* from = &box->field->mesh;
    int n = from->vertex_count, t = from->tet_count;
    iso_tet_mesh mesh;
    CHECK_OK(ctx, iso_tet_mesh_allocate(ctx, n, t, &mesh));
    for (int i = 0; i < n; ++i) {
        mesh.vertices[i] = from->vertices[i];
        if (iso_vec3_distance(mesh.vertices[i], iso_vec3_make(0.1, 0.1, 0.1)) < 1e-9) {
            mesh.vertices[i] = iso_vec3_make(0.02, 0.02, 0.02);
        }
    }
    for (int i = 0; i < t; ++i) {
        for (int k = 0; k < 4; ++k) {
            mesh.tets[i][k] = from->tets[i][k];
        }
    }
    iso_contact_shape_destroy(ctx, box);
    return mesh;
}

static void check_against_every_triangle(iso_contact_shape* shape, test_random* random) {
    const iso_tri_mesh* mesh = iso_contact_shape_surface(shape);
    int inside = 0;
    for (int i = 0; i < 2000; ++i) {
        iso_vec3 p = test_random_vec3(random, -0.15, 0.15);
        iso_distance d;
        CHECK_OK(ctx, iso_contact_shape_distance(shape, p, &d));
        double least = INFINITY;
        for (int t = 0; t < mesh->triangle_count; ++t) {
            const int* v = mesh->triangles[t];
            iso_vec3 q = iso_triangle_nearest_point(p, mesh->vertices[v[0]], mesh->vertices[v[1]],
                                                    mesh->vertices[v[2]]);
            least = fmin(least, iso_vec3_distance(p, q));
        }
        bool is_inside = test_winding_number(mesh, p) > 0.5;
        CHECK(d.is_signed && d.triangle >= 0, "point %d", i);
        CHECK_NEAR(d.distance, is_inside ? -least : least, 1e-15); // measured 0
        CHECK_NEAR(iso_vec3_norm(d.normal), 1.0, 1e-14);           // 2.3e-16
        iso_vec3 foot = iso_vec3_add_scaled(p, d.normal, -d.distance);
        CHECK_VEC3_NEAR(foot, d.nearest, 1e-15); // measured 6e-17
        inside += is_inside;
    }
    CHECK(inside > 100, "%d inside", inside);
}

static void distance_is_exact_to_a_skin_that_is_not_convex(void** state) {
    (void)state;
    test_random random = test_random_make(1);
    iso_tet_mesh corner = make_corner();
    iso_contact_shape* soft = make_mesh(&corner, ISO_COMPLIANCE_COMPLIANT);
    iso_contact_shape* hard = make_mesh(&corner, ISO_COMPLIANCE_RIGID);
    check_against_every_triangle(soft, &random);
    check_against_every_triangle(hard, &random);
    iso_contact_shape_destroy(ctx, soft);
    iso_contact_shape_destroy(ctx, hard);
    iso_tet_mesh_destroy(ctx, &corner);
}

static void on_the_surface_the_normal_points_out(void** state) {
    (void)state;
    iso_tet_mesh corner = make_corner();
    iso_contact_shape* shape = make_mesh(&corner, ISO_COMPLIANCE_RIGID);
    const iso_tri_mesh* mesh = iso_contact_shape_surface(shape);
    for (int i = 0; i < mesh->vertex_count; ++i) {
        iso_distance d;
        CHECK_OK(ctx, iso_contact_shape_distance(shape, mesh->vertices[i], &d));
        CHECK_NEAR(d.distance, 0.0, 0.0);
        iso_vec3 out = iso_vec3_add_scaled(mesh->vertices[i], d.normal, 1e-4);
        CHECK(test_winding_number(mesh, out) < 0.5, "corner %d", i);
    }
    // Between corners the point itself is off by rounding.
    test_random random = test_random_make(3);
    for (int i = 0; i < 50 * mesh->triangle_count; ++i) {
        const int* v = mesh->triangles[i % mesh->triangle_count];
        iso_vec3 a = mesh->vertices[v[0]], b = mesh->vertices[v[1]], c = mesh->vertices[v[2]];
        double s = test_random_uniform(&random, 0.1, 0.8);
        iso_vec3 p = iso_vec3_lerp(iso_vec3_lerp(a, b, s), c, 0.4);
        iso_vec3 n = iso_vec3_cross(iso_vec3_sub(b, a), iso_vec3_sub(c, a));
        iso_distance d;
        CHECK_OK(ctx, iso_contact_shape_distance(shape, p, &d));
        CHECK_NEAR(d.distance, 0.0, 1e-15);                       // measured 3e-17
        CHECK_VEC3_NEAR(d.normal, iso_vec3_normalized(n), 1e-14); // measured 2e-16
    }
    iso_contact_shape_destroy(ctx, shape);
    iso_tet_mesh_destroy(ctx, &corner);
}

static void a_primitive_is_the_exact_shape_not_its_tessellation(void** state) {
    (void)state;
    iso_contact_shape* sphere =
        fixture_shape(ctx, fixture_sphere(0.1), fixture_compliant(1e6, 0.05));
    iso_vec3 p = {0.05, 0.06, 0.07};
    iso_distance d;
    iso_ray_hit hit;
    bool is_hit;
    CHECK_OK(ctx, iso_contact_shape_distance(sphere, p, &d));
    CHECK_NEAR(d.distance, iso_vec3_norm(p) - 0.1, 0.0);
    CHECK(d.is_signed && d.triangle == -1, "triangle %d", d.triangle);
    CHECK_OK(ctx,
             iso_contact_shape_ray_cast(sphere, iso_vec3_make(1.0, 0.0, 0.0),
                                        iso_vec3_make(-7.0, 0.0, 0.0), INFINITY, &is_hit, &hit));
    CHECK(is_hit, "missed");
    CHECK_NEAR(hit.distance, 0.9, 1e-15);                             // measured 0
    CHECK_VEC3_NEAR(hit.normal, iso_vec3_make(1.0, 0.0, 0.0), 1e-15); // measured 0
    CHECK_VEC3_NEAR(hit.point, iso_vec3_make(0.1, 0.0, 0.0), 1e-15);  // measured 3e-17
    CHECK_OK(ctx, iso_contact_shape_ray_cast(sphere, iso_vec3_make(1.0, 0.0, 0.0),
                                             iso_vec3_make(-1.0, 0.0, 0.0), 0.5, &is_hit, &hit));
    CHECK(!is_hit && hit.triangle == -1 && hit.distance == 0.0, "hit beyond the limit");
    iso_contact_shape_destroy(ctx, sphere);
}

// An open square: no inside, but rays and distances.
static void an_open_surface_has_distances_without_sign(void** state) {
    (void)state;
    iso_vec3 vertices[4] = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {1.0, 1.0, 0.0}, {0.0, 1.0, 0.0}};
    int triangles[2][3] = {{0, 1, 2}, {0, 2, 3}};
    iso_tri_mesh sheet = {4, 2, vertices, triangles};
    iso_shape_desc desc = iso_shape_desc_default(ISO_SHAPE_MESH);
    desc.surface = &sheet;
    iso_contact_shape* shape = fixture_shape(ctx, desc, fixture_rigid(0.0));
    for (int side = -1; side <= 1; side += 2) {
        iso_distance d;
        iso_ray_hit hit;
        bool is_hit;
        iso_vec3 p = {0.3, 0.6, 0.25 * side};
        CHECK_OK(ctx, iso_contact_shape_distance(shape, p, &d));
        CHECK(!d.is_signed && d.distance == 0.25, "distance %g", d.distance);
        CHECK_VEC3_NEAR(d.normal, iso_vec3_make(0.0, 0.0, side), 0.0);
        CHECK_OK(ctx, iso_contact_shape_ray_cast(shape, p, iso_vec3_make(0.0, 0.0, -side), INFINITY,
                                                 &is_hit, &hit));
        CHECK(is_hit && hit.distance == 0.25 && hit.triangle == 1, "hit at %g", hit.distance);
        CHECK_VEC3_NEAR(hit.normal, iso_vec3_make(0.0, 0.0, 1.0), 0.0);
    }
    iso_contact_shape_destroy(ctx, shape);
}

static void pressure_is_that_of_the_field(void** state) {
    (void)state;
    iso_contact_material slab = fixture_compliant(1e6, 0.0);
    slab.slab_thickness = 0.1;
    slab.margin = 0.02;
    iso_contact_shape* plane = fixture_half_space(ctx, slab);
    iso_contact_shape* box =
        fixture_shape(ctx, fixture_box(0.2, 0.2, 0.2), fixture_compliant(1e6, 0.0));
    iso_contact_shape* hard = fixture_shape(ctx, fixture_box(0.2, 0.2, 0.2), fixture_rigid(0.0));
    bool is_in;
    double p;
    CHECK_OK(ctx, iso_contact_shape_pressure(plane, iso_vec3_make(3.0, 1.0, -0.05), &is_in, &p));
    CHECK(is_in, "below the plane");
    CHECK_REL(p, 5e5, 1e-15); // measured 0
    CHECK_OK(ctx, iso_contact_shape_pressure(plane, iso_vec3_make(0.0, 0.0, 0.01), &is_in, &p));
    CHECK(is_in && p < 0.0, "in the margin: %g", p);
    CHECK_OK(ctx, iso_contact_shape_pressure(plane, iso_vec3_make(0.0, 0.0, 0.03), &is_in, &p));
    CHECK(!is_in && p == 0.0, "above: %g", p);
    CHECK_OK(ctx, iso_contact_shape_pressure(box, iso_vec3_make(0.01, 0.02, 0.05), &is_in, &p));
    CHECK(is_in, "inside");
    CHECK_REL(p, 5e5, 1e-14); // depth 0.05 of 0.1; measured 0
    CHECK_OK(ctx, iso_contact_shape_pressure(box, iso_vec3_make(0.2, 0.0, 0.0), &is_in, &p));
    CHECK(!is_in && p == 0.0, "outside: %g", p);
    CHECK_OK(ctx, iso_contact_shape_pressure(hard, iso_vec3_zero(), &is_in, &p));
    CHECK(!is_in, "rigid");
    iso_contact_shape_destroy(ctx, plane);
    iso_contact_shape_destroy(ctx, box);
    iso_contact_shape_destroy(ctx, hard);
}

// From the least double to the largest, along a diagonal.
static void a_direction_may_have_any_length(void** state) {
    (void)state;
    iso_contact_shape* box = fixture_shape(ctx, fixture_box(0.2, 0.2, 0.2), fixture_rigid(0.0));
    const double lengths[] = {5e-324, 1e-310, 1e-200, 1.0, 1e200, 1.7e308};
    for (int i = 0; i < 6; ++i) {
        iso_ray_hit hit;
        bool is_hit = false;
        iso_vec3 o = {-0.5, -0.45, 0.0}, d = {lengths[i], lengths[i], 0.0};
        CHECK_OK(ctx, iso_contact_shape_ray_cast(box, o, d, 1.0, &is_hit, &hit));
        CHECK(is_hit, "missed along %g", lengths[i]);
        CHECK_NEAR(hit.distance, 0.4 * sqrt(2.0), 1e-15);                   // measured 0
        CHECK_VEC3_NEAR(hit.point, iso_vec3_make(-0.1, -0.05, 0.0), 1e-15); // measured 3.1e-17
        CHECK_VEC3_NEAR(hit.normal, iso_vec3_make(-1.0, 0.0, 0.0), 0.0);
    }
    iso_contact_shape_destroy(ctx, box);
}

static void bad_questions_are_refused(void** state) {
    (void)state;
    iso_contact_shape* box = fixture_shape(ctx, fixture_box(0.2, 0.2, 0.2), fixture_rigid(0.0));
    iso_vec3 nan = {0.0, NAN, 0.0}, x = {1.0, 0.0, 0.0};
    iso_distance d;
    iso_ray_hit hit;
    bool flag;
    double p;
    CHECK_STATUS(ctx, iso_contact_shape_distance(box, nan, &d), ISO_ERR_NUMERIC);
    CHECK_STATUS(ctx, iso_contact_shape_distance(box, x, NULL), ISO_ERR_ARGUMENT);
    CHECK_STATUS(ctx, iso_contact_shape_pressure(box, nan, &flag, &p), ISO_ERR_NUMERIC);
    CHECK_STATUS(ctx, iso_contact_shape_ray_cast(box, nan, x, 1.0, &flag, &hit), ISO_ERR_NUMERIC);
    CHECK_STATUS(ctx, iso_contact_shape_ray_cast(box, x, iso_vec3_zero(), 1.0, &flag, &hit),
                 ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "(0, 0, 0)");
    CHECK_STATUS(ctx, iso_contact_shape_ray_cast(box, x, x, -1.0, &flag, &hit), ISO_ERR_RANGE);
    CHECK_STATUS(ctx, iso_contact_shape_ray_cast(box, x, x, NAN, &flag, &hit), ISO_ERR_RANGE);
    iso_contact_shape_destroy(ctx, box);
}

static iso_status probe_mesh(iso_context* failing, void* user) {
    iso_shape_desc desc = iso_shape_desc_default(ISO_SHAPE_MESH);
    desc.volume = user;
    iso_contact_material material = fixture_rigid(0.0);
    iso_contact_shape* shape = NULL;
    iso_distance d;
    iso_status status = iso_contact_shape_create(failing, &desc, &material, &shape);
    if (status == ISO_OK) {
        status = iso_contact_shape_distance(shape, iso_vec3_zero(), &d);
    }
    iso_contact_shape_destroy(failing, shape);
    return status;
}

static void every_allocation_failure_is_survived(void** state) {
    (void)state;
    iso_tet_mesh corner = make_corner();
    check_every_allocation_failure(probe_mesh, &corner);
    iso_tet_mesh_destroy(ctx, &corner);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(distance_is_exact_to_a_skin_that_is_not_convex),
        TEST(on_the_surface_the_normal_points_out),
        TEST(a_primitive_is_the_exact_shape_not_its_tessellation),
        TEST(an_open_surface_has_distances_without_sign),
        TEST(pressure_is_that_of_the_field),
        TEST(a_direction_may_have_any_length),
        TEST(bad_questions_are_refused),
        TEST(every_allocation_failure_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
