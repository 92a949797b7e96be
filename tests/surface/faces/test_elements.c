// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Single tetrahedra and triangles: known polygons, and what lies exactly in a shared face.

#include "base/core/alloc.h"
#include "surface/pair_fixture.h"

// After the helpers, whose parameters have the names of its variables.
#include "support/arena_fixture.h"

#include <string.h>

// A compliant shape of given tetrahedra and pressures.
static iso_contact_shape* field_shape(const double (*vertices)[3], const double* p,
                                      int vertex_count, const int (*tets)[4], int tet_count) {
    iso_tet_mesh mesh = {vertex_count, tet_count,
                         iso_alloc_array(ctx, vertex_count, sizeof(iso_vec3)),
                         iso_alloc_array(ctx, tet_count, sizeof(int[4]))};
    double* pressures = iso_alloc_array(ctx, vertex_count, sizeof *pressures);
    for (int i = 0; i < vertex_count; ++i) {
        mesh.vertices[i] = iso_vec3_make(vertices[i][0], vertices[i][1], vertices[i][2]);
        pressures[i] = p[i];
    }
    memcpy(mesh.tets, tets, (size_t)tet_count * sizeof *tets);
    iso_contact_shape* shape = iso_alloc_zeroed(ctx, sizeof *shape);
    shape->is_closed = true;
    CHECK_OK(ctx, iso_field_create(ctx, &mesh, pressures, &shape->field));
    return shape;
}

// A rigid open surface of given triangles.
static iso_contact_shape* surface_shape(const double (*vertices)[3], int vertex_count,
                                        const int (*triangles)[3], int triangle_count) {
    iso_contact_shape* shape = iso_alloc_zeroed(ctx, sizeof *shape);
    shape->is_rigid = true;
    shape->surface = (iso_tri_mesh){vertex_count, triangle_count,
                                    iso_alloc_array(ctx, vertex_count, sizeof(iso_vec3)),
                                    iso_alloc_array(ctx, triangle_count, sizeof(int[3]))};
    for (int i = 0; i < vertex_count; ++i) {
        shape->surface.vertices[i] = iso_vec3_make(vertices[i][0], vertices[i][1], vertices[i][2]);
    }
    memcpy(shape->surface.triangles, triangles, (size_t)triangle_count * sizeof *triangles);
    CHECK_OK(ctx, iso_tri_set_create(ctx, &shape->surface, &shape->triangles));
    return shape;
}

static iso_patch query_with(const iso_contact_shape* a, iso_pose x_wa, const iso_contact_shape* b,
                            iso_pose x_wb, iso_contact_options options) {
    iso_patch patch;
    CHECK_OK(ctx, iso_arena_reset(&arena));
    CHECK_OK(ctx, iso_pair_query(&arena, a, &x_wa, b, &x_wb, &options, &patch));
    return patch;
}

static iso_patch query(const iso_contact_shape* a, const iso_contact_shape* b) {
    return query_with(a, iso_pose_identity(), b, iso_pose_identity(), fixture_options());
}

static const int k_one_tet[1][4] = {{0, 1, 2, 3}};

// Every expected vertex is there and no other; order and start are free.
static void check_vertices(const iso_patch* patch, const double (*expected)[3], int count) {
    CHECK(patch->vertex_count == count, "%d vertices, expected %d", patch->vertex_count, count);
    for (int i = 0; i < count; ++i) {
        double nearest = INFINITY;
        iso_vec3 e = iso_vec3_make(expected[i][0], expected[i][1], expected[i][2]);
        for (int j = 0; j < patch->vertex_count; ++j) {
            nearest = fmin(nearest, iso_vec3_distance(patch->vertices[j], e));
        }
        CHECK_AT_MOST(nearest, 1e-14); // measured 2.5e-16
    }
}

static iso_contact_shape* octagon_tet_0(void) {
    static const double v[4][3] = {{2, 0, 2}, {-2, 0, 2}, {0, 2, -2}, {0, -2, -2}};
    static const double p[4] = {8e4, 4e4, 4e4, 0.0};
    return field_shape(v, p, 4, k_one_tet, 1);
}

static void two_tetrahedra_meet_in_an_octagon(void** state) {
    (void)state;
    static const double v[4][3] = {
        {1.5, 1.5, 2.5}, {-1.5, -1.5, 2.5}, {-1.5, 1.5, -2.5}, {1.5, -1.5, -2.5}};
    static const double p[4] = {7e4, 1e4, 4e4, 4e4};
    static const double octagon[8][3] = {{0.5, 1, 0},   {1, 0.5, 0},   {1, -0.5, 0}, {0.5, -1, 0},
                                         {-0.5, -1, 0}, {-1, -0.5, 0}, {-1, 0.5, 0}, {-0.5, 1, 0}};
    iso_contact_shape* a = octagon_tet_0();
    iso_contact_shape* b = field_shape(v, p, 4, k_one_tet, 1);
    iso_patch patch = query(a, b);
    fixture_check_patch(&patch, 2.0);
    CHECK(patch.face_count == 1, "%d faces", patch.face_count);
    check_vertices(&patch, octagon, 8);
    CHECK_NEAR(patch.area, 3.5, 1e-14);                                         // measured 0
    CHECK_VEC3_NEAR(patch.normals[0], iso_vec3_make(0.0, 0.0, -1.0), 1e-15);    // measured 0
    CHECK_VEC3_NEAR(patch.gradients_a[0], iso_vec3_make(1e4, 1e4, 1e4), 1e-10); // measured 0
    CHECK_VEC3_NEAR(patch.gradients_b[0], iso_vec3_make(1e4, 1e4, 0.0), 1e-10); // measured 0
    CHECK_NEAR(patch.pressures[0], 4e4, 1e-10);                                 // measured 0
    CHECK_NEAR(patch.max_pressure, 5.5e4, 1e-10);                               // measured 0

    // Equal fields define no surface; far apart there is none.
    patch = query(a, a);
    CHECK(patch.face_count == 0, "%d faces of equal fields", patch.face_count);
    patch = query_with(a, iso_pose_identity(), b,
                       iso_pose_from_position(iso_vec3_make(0.0, 0.0, 5.0)), fixture_options());
    CHECK(patch.face_count == 0, "%d faces far apart", patch.face_count);
    iso_contact_shape_destroy(ctx, a);
    iso_contact_shape_destroy(ctx, b);
}

static void triangle_and_tetrahedron_meet_in_a_heptagon(void** state) {
    (void)state;
    static const double v[3][3] = {{1.5, 1.5, 0}, {-1.5, 0, 0}, {0, -1.5, 0}};
    static const int triangle[1][3] = {{0, 1, 2}};
    static const double heptagon[7][3] = {{1, 1, 0},     {0.5, 1, 0},   {-1, 0.25, 0},
                                          {-1, -0.5, 0}, {-0.5, -1, 0}, {0.25, -1, 0},
                                          {1, 0.5, 0}};
    iso_contact_shape* a = octagon_tet_0();
    iso_contact_shape* b = surface_shape(v, 3, triangle, 1);
    iso_patch patch = query(a, b);
    fixture_check_patch(&patch, 2.0);
    CHECK(patch.face_count == 1, "%d faces", patch.face_count);
    check_vertices(&patch, heptagon, 7);
    CHECK_NEAR(patch.area, 2.75, 1e-14);                                     // measured 0
    CHECK_VEC3_NEAR(patch.normals[0], iso_vec3_make(0.0, 0.0, -1.0), 1e-15); // measured 0
    CHECK(!patch.is_rigid_a && patch.is_rigid_b, "rigid flags %d %d", patch.is_rigid_a,
          patch.is_rigid_b);
    CHECK_VEC3_NEAR(patch.gradients_b[0], iso_vec3_zero(), 0.0);
    iso_contact_shape_destroy(ctx, a);
    iso_contact_shape_destroy(ctx, b);
}

// Two corner tetrahedra, one upside down: a square of side 1/4 at a quarter of the modulus.
static void smallest_pair_scales_with_the_modulus(void** state) {
    (void)state;
    static const double lower[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, -1}};
    static const double upper[4][3] = {
        {0.25, 0.25, -0.5}, {-0.75, 0.25, -0.5}, {0.25, -0.75, -0.5}, {0.25, 0.25, 0.5}};
    static const int down[1][4] = {{0, 2, 1, 3}};
    const double moduli[2] = {1e7, 1e10};
    for (int i = 0; i < 2; ++i) {
        double p[4] = {0.0, 0.0, 0.0, moduli[i]};
        iso_contact_shape* a = field_shape(lower, p, 4, down, 1);
        iso_contact_shape* b = field_shape(upper, p, 4, k_one_tet, 1);
        iso_patch patch = query(a, b);
        fixture_check_patch(&patch, 1.0);
        CHECK(patch.face_count == 1, "%d faces", patch.face_count);
        CHECK_NEAR(patch.area, 0.0625, 1e-15); // measured 0
        for (int j = 0; j < patch.vertex_count; ++j) {
            CHECK_BITS(patch.vertex_pressures[j], 0.25 * moduli[i]);
        }
        CHECK_VEC3_NEAR(patch.normals[0], iso_vec3_make(0.0, 0.0, 1.0), 1e-15); // measured 0
        iso_contact_shape_destroy(ctx, a);
        iso_contact_shape_destroy(ctx, b);
    }
}

// The corner of a unit tetrahedron cut off by a rigid plane n . x = depth.
typedef struct corner_cut {
    iso_vec3 vertices[3]; // on the x, y and z axis
    double pressures[3];
    double area;
    iso_vec3 normal;
} corner_cut;

static corner_cut cut_corner(const iso_contact_shape* tet, const iso_contact_shape* plane,
                             iso_mat3 turn, double depth) {
    iso_vec3 n = iso_vec3_normalized(iso_vec3_make(1.0, 2.0, 3.0));
    iso_vec3 t = iso_vec3_normalized(iso_vec3_cross(n, iso_vec3_make(1.0, 0.0, 0.0)));
    iso_mat3 r = iso_mat3_from_columns(t, iso_vec3_cross(n, t), n);
    iso_pose x_wg =
        iso_pose_make(iso_mat3_mul(turn, r), iso_vec3_scale(iso_mat3_mul_vec3(&turn, n), depth));
    iso_patch patch = query_with(tet, iso_pose_identity(), plane, x_wg, fixture_options());
    CHECK(patch.face_count == 1 && patch.vertex_count == 3, "%d faces", patch.face_count);
    corner_cut cut = {.area = patch.area, .normal = patch.normals[0]};
    for (int i = 0; i < 3; ++i) {
        iso_vec3 v = patch.vertices[i];
        int axis = v.x > v.y && v.x > v.z ? 0 : (v.y > v.z ? 1 : 2);
        cut.vertices[axis] = v;
        cut.pressures[axis] = patch.vertex_pressures[i];
    }
    return cut;
}

// With n the plane's normal and v_i = depth / n_i e_i: d v_i = (d depth - depth d n_i / n_i) / n_i
// e_i, p_i linear in v_i, area = depth^2 / (2 n_x n_y n_z).
static void patch_derivatives_match_the_closed_form(void** state) {
    (void)state;
    static const double corner[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const double p[4] = {0.25, 0.5, 0.75, 1.0}, depth = 0.25, h = 1e-5;
    iso_contact_shape* tet = field_shape(corner, p, 4, k_one_tet, 1);
    iso_contact_shape* plane = fixture_half_space(ctx, fixture_rigid(0.0));
    iso_vec3 n = iso_vec3_normalized(iso_vec3_make(1.0, 2.0, 3.0));
    for (int motion = 0; motion < 4; ++motion) { // along n, then about x, y, z
        iso_vec3 axis = iso_vec3_make(motion == 1, motion == 2, motion == 3);
        double push = motion == 0 ? h : 0.0, angle = motion == 0 ? 0.0 : h;
        corner_cut plus =
            cut_corner(tet, plane, iso_mat3_from_axis_angle(axis, angle), depth + push);
        corner_cut minus =
            cut_corner(tet, plane, iso_mat3_from_axis_angle(axis, -angle), depth - push);
        iso_vec3 dn = iso_vec3_cross(axis, n);
        double area = depth * depth / (2.0 * n.x * n.y * n.z);
        double d_area = motion == 0 ? 2.0 * area / depth : 0.0;
        for (int i = 0; i < 3; ++i) {
            double n_i = iso_vec3_get(n, i), dn_i = iso_vec3_get(dn, i);
            double dv = motion == 0 ? 1.0 / n_i : -depth * dn_i / (n_i * n_i);
            double difference =
                (iso_vec3_get(plus.vertices[i], i) - iso_vec3_get(minus.vertices[i], i)) /
                (2.0 * h);
            // Central differences leave h^2 f''' / 6; measured 9e-10 at most.
            CHECK_NEAR(difference, dv, 1e-8);
            CHECK_NEAR((plus.pressures[i] - minus.pressures[i]) / (2.0 * h), (p[i + 1] - p[0]) * dv,
                       1e-8);
            d_area -= area * dn_i / n_i;
        }
        CHECK_NEAR((plus.area - minus.area) / (2.0 * h), d_area, 1e-8);
        iso_vec3 turned = iso_vec3_scale(iso_vec3_sub(plus.normal, minus.normal), 0.5 / h);
        double sign = iso_vec3_dot(plus.normal, n) > 0.0 ? 1.0 : -1.0;
        CHECK_VEC3_NEAR(turned, iso_vec3_scale(dn, sign), 1e-9); // measured 2e-11
    }
    iso_contact_shape_destroy(ctx, tet);
    iso_contact_shape_destroy(ctx, plane);
}

static void cull_drops_faces_beyond_five_eighths_of_pi(void** state) {
    (void)state;
    const double limit = 5.0 * ISO_PI / 8.0;
    const double kept[] = {0.0, 0.5 * ISO_PI, 0.99 * limit};
    const double dropped[] = {1.01 * limit, 0.75 * ISO_PI, ISO_PI};
    static const double v[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const double p[4] = {0.0, 0.0, 0.0, 1e5}; // gradient +z
    static const int triangle[1][3] = {{0, 1, 2}};
    iso_contact_shape* a = field_shape(v, p, 4, k_one_tet, 1);
    for (int i = 0; i < 6; ++i) {
        double angle = i < 3 ? kept[i] : dropped[i - 3];
        // A small triangle about (0.2, 0.2, 0.2) whose normal makes this angle with z.
        iso_vec3 e = iso_vec3_make(0.0, 1.0, 0.0);
        iso_vec3 f = iso_vec3_make(-cos(angle), 0.0, sin(angle));
        double t[3][3];
        for (int k = 0; k < 3; ++k) {
            double c = 0.05 * cos(2.0 * ISO_PI * k / 3.0), s = 0.05 * sin(2.0 * ISO_PI * k / 3.0);
            iso_vec3 x = iso_vec3_add(iso_vec3_make(0.2, 0.2, 0.2),
                                      iso_vec3_add(iso_vec3_scale(f, c), iso_vec3_scale(e, -s)));
            t[k][0] = x.x;
            t[k][1] = x.y;
            t[k][2] = x.z;
        }
        iso_contact_shape* b = surface_shape((const double(*)[3])t, 3, triangle, 1);
        iso_contact_options options = fixture_options();
        iso_patch patch = query_with(a, iso_pose_identity(), b, iso_pose_identity(), options);
        CHECK(patch.face_count == 1, "angle %g: %d faces without culling", angle, patch.face_count);
        iso_vec3 normal = iso_vec3_neg(patch.normals[0]);
        CHECK_NEAR(normal.z, cos(angle), 1e-14); // measured 1.1e-16
        options.cull = ISO_CULL_DRAKE;
        patch = query_with(a, iso_pose_identity(), b, iso_pose_identity(), options);
        CHECK(patch.face_count == (i < 3), "angle %g: %d faces with culling", angle,
              patch.face_count);
        iso_contact_shape_destroy(ctx, b);
    }
    iso_contact_shape_destroy(ctx, a);
}

// Two tetrahedra on both sides of the triangle z = 0, pressures 0 and 2e5 at their tips.
static const double k_pair_vertices[5][3] = {
    {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.2, 0.2, 1}, {0.2, 0.2, -1}};
static const int k_pair_tets[2][4] = {{0, 1, 2, 3}, {0, 2, 1, 4}};
static const double k_pair_pressures[5] = {1e5, 1e5, 1e5, 0.0, 2e5};

static void triangle_in_a_shared_face_counts_once(void** state) {
    (void)state;
    static const double v[3][3] = {{0.1, 0.1, 0}, {0.3, 0.1, 0}, {0.1, 0.3, 0}};
    static const int up[1][3] = {{0, 1, 2}}, down[1][3] = {{0, 2, 1}};
    iso_contact_shape* a = field_shape(k_pair_vertices, k_pair_pressures, 5, k_pair_tets, 2);
    for (int i = 0; i < 2; ++i) {
        iso_contact_shape* b = surface_shape(v, 3, i ? down : up, 1);
        iso_patch patch = query(a, b);
        CHECK(patch.face_count == 1, "%d faces", patch.face_count);
        CHECK_NEAR(patch.area, 0.02, 1e-15);       // measured 3e-18
        CHECK_NEAR(patch.pressures[0], 1e5, 1e-9); // measured 0
        iso_contact_shape_destroy(ctx, b);
    }
    iso_contact_shape_destroy(ctx, a);
}

// The same for every tilt so small that the triangle lies in the face but for rounding.
static void triangle_almost_in_a_shared_face_counts_once(void** state) {
    (void)state;
    static const double v[3][3] = {{0.1, 0.1, 0}, {0.3, 0.1, 0}, {0.1, 0.3, 0}};
    static const int up[1][3] = {{0, 1, 2}};
    test_random random = test_random_make(3);
    iso_contact_shape* a = field_shape(k_pair_vertices, k_pair_pressures, 5, k_pair_tets, 2);
    iso_contact_shape* b = surface_shape(v, 3, up, 1);
    double worst = 0.0;
    for (int i = 0; i < 2000; ++i) {
        double tilt = pow(10.0, test_random_uniform(&random, -18.0, -8.0));
        iso_pose x_wa = test_random_pose(&random, 1.0);
        iso_pose x_ab =
            iso_pose_make(iso_mat3_from_quat(iso_quat_normalized(iso_quat_from_rotation_vector(
                              iso_vec3_scale(test_random_unit_vec3(&random), tilt)))),
                          iso_vec3_make(0.0, 0.0, tilt * test_random_uniform(&random, -0.2, 0.2)));
        iso_patch patch = query_with(a, x_wa, b, iso_pose_mul(&x_wa, &x_ab), fixture_options());
        worst = fmax(worst, fabs(patch.area - 0.02));
    }
    CHECK_AT_MOST(worst, 1e-15); // measured 8.7e-17
    iso_contact_shape_destroy(ctx, a);
    iso_contact_shape_destroy(ctx, b);
}

// A half space, rigid or compliant, whose contact plane is the shared face.
static void half_space_plane_in_a_shared_face_counts_once(void** state) {
    (void)state;
    iso_contact_shape* a = field_shape(k_pair_vertices, k_pair_pressures, 5, k_pair_tets, 2);
    iso_contact_shape* rigid = fixture_half_space(ctx, fixture_rigid(0.0));
    iso_patch patch = query(a, rigid);
    CHECK(patch.face_count == 1, "%d faces", patch.face_count);
    CHECK_NEAR(patch.area, 0.5, 1e-15); // measured 0
    // Pressure 1e5 at depth 1: its surface is one above the face.
    iso_contact_material material = fixture_compliant(1e5, 0.0);
    material.slab_thickness = 1.0;
    iso_contact_shape* slab = fixture_half_space(ctx, material);
    iso_pose turned = iso_pose_make(iso_mat3_diagonal(1.0, -1.0, -1.0), iso_vec3_make(0, 0, -1));
    patch = query_with(a, iso_pose_identity(), slab, turned, fixture_options());
    CHECK(patch.face_count == 1, "%d faces", patch.face_count);
    CHECK_NEAR(patch.area, 0.5, 1e-15);        // measured 0
    CHECK_NEAR(patch.pressures[0], 1e5, 1e-9); // measured 0
    iso_contact_shape_destroy(ctx, a);
    iso_contact_shape_destroy(ctx, rigid);
    iso_contact_shape_destroy(ctx, slab);
}

// The plane of equal pressure is a shared face of one of the bodies, whichever is worked on first.
static void equal_pressure_in_a_shared_face_counts_once(void** state) {
    (void)state;
    static const double big[4][3] = {{-4, -4, 1}, {8, -4, 1}, {-4, 8, 1}, {0, 0, -8}};
    static const int down[1][4] = {{0, 2, 1, 3}};
    test_random random = test_random_make(5);
    for (int i = 0; i < 400; ++i) {
        // Pressure slope * (z + 1) up to the base of `big`; 1e5 at z = 0 when slope is 1e5.
        double slope = i % 2 ? 1e5 : -0.5e5;
        double level = 1e5;
        double p[4] = {level + slope, level + slope, level + slope, level - 8.0 * slope};
        iso_contact_shape* a = field_shape(k_pair_vertices, k_pair_pressures, 5, k_pair_tets, 2);
        iso_contact_shape* b = field_shape(big, p, 4, down, 1);
        iso_pose x_w = test_random_pose(&random, 1.0);
        iso_pose x_wa = i == 0 ? iso_pose_identity() : x_w;
        bool is_a_first = i % 4 < 2;
        iso_patch patch =
            query_with(is_a_first ? a : b, x_wa, is_a_first ? b : a, x_wa, fixture_options());
        // Field a falls with z at 1e5/m; the surfaces cross transversally unless slopes agree.
        CHECK_NEAR(patch.area, 0.5, 1e-14);        // measured 2.9e-15
        CHECK_NEAR(patch.max_pressure, 1e5, 1e-7); // measured 7.3e-11
        iso_contact_shape_destroy(ctx, a);
        iso_contact_shape_destroy(ctx, b);
    }
}

// The cull takes faces away from a patch and changes no other, in however many turns and in
// whichever order what may meet is asked.
static void cull_leaves_the_other_faces_as_they_are(void** state) {
    (void)state;
    const double limit = cos(5.0 * ISO_PI / 8.0);
    iso_contact_shape* a = fixture_shape(ctx, fixture_sphere(0.1), fixture_compliant(1e5, 0.01));
    iso_contact_shape* b = fixture_shape(ctx, fixture_sphere(0.09), fixture_rigid(0.015));
    iso_contact_options options = fixture_options();
    test_random random = test_random_make(11);
    int parted = 0; // patches much of which is kept, and much dropped
    for (int i = 0; i < 40; ++i) {
        iso_pose x_wa = test_random_pose(&random, 0.1);
        iso_pose x_ab = test_random_pose(&random, 0.0);
        x_ab.p = iso_vec3_scale(test_random_unit_vec3(&random),
                                test_random_uniform(&random, 0.05, 0.11));
        iso_pose x_wb = iso_pose_mul(&x_wa, &x_ab);
        options.cull = ISO_CULL_NONE;
        iso_patch patch = query_with(a, x_wa, b, x_wb, options);
        int whole = patch.face_count, count = 0;
        double* areas = iso_alloc_array(ctx, whole, sizeof *areas);
        iso_vec3* centroids = iso_alloc_array(ctx, whole, sizeof *centroids);
        for (int f = 0; f < whole; ++f) {
            iso_vec3 g = patch.gradients_a[f];
            double cosine = -iso_vec3_dot(patch.normals[f], g) / iso_vec3_norm(g);
            CHECK(fabs(cosine - limit) > 1e-12, "face %d is on the limit", f);
            areas[count] = patch.areas[f];
            centroids[count] = patch.centroids[f];
            count += cosine > limit;
        }
        options.cull = ISO_CULL_DRAKE;
        patch = query_with(a, x_wa, b, x_wb, options);
        CHECK(patch.face_count == count, "%d of %d faces, expected %d", patch.face_count, whole,
              count);
        if (count > 0) {
            CHECK_ARRAY_BITS(patch.areas, areas, count);
            CHECK_ARRAY_BITS(&patch.centroids[0].x, &centroids[0].x, 3 * count);
        }
        parted += count > 100 && whole - count > 100;
        iso_free(ctx, areas);
        iso_free(ctx, centroids);
    }
    CHECK(parted >= 10, "only %d patches are parted", parted);
    iso_contact_shape_destroy(ctx, a);
    iso_contact_shape_destroy(ctx, b);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(two_tetrahedra_meet_in_an_octagon),
        TEST(triangle_and_tetrahedron_meet_in_a_heptagon),
        TEST(smallest_pair_scales_with_the_modulus),
        TEST(patch_derivatives_match_the_closed_form),
        TEST(cull_drops_faces_beyond_five_eighths_of_pi),
        TEST(cull_leaves_the_other_faces_as_they_are),
        TEST(triangle_in_a_shared_face_counts_once),
        TEST(triangle_almost_in_a_shared_face_counts_once),
        TEST(half_space_plane_in_a_shared_face_counts_once),
        TEST(equal_pressure_in_a_shared_face_counts_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
