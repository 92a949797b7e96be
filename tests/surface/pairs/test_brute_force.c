// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Patches against a brute-force search with independent clipping, on random poses.

#include "support/assets.h"
#include "surface/brute_force.h"
#include "surface/moving_pairs.h"

// After the helpers, whose parameters have the names of its variables.
#include "support/arena_fixture.h"

#include <stdio.h>
#include <string.h>

#define POSES TEST_ROUNDS(1000, 200)
#define MESH_POSES TEST_ROUNDS(12, 4)
// Pressures below this part of the field's largest are left out of the comparison, and below this
// part of the other's largest, which is its rounding.
#define LEAST_PRESSURE 1e-9
#define LEAST_OF_OTHER 1e-11

// What the worst pose of a pair showed, relative to the pair's largest area, force and moment,
// and of the centre relative to its size.
typedef struct residuals {
    double area, force, moment, center;
    double peak_area, peak_force, peak_moment;
    int contacts, faces, missing_faces;
} residuals;

static double larger(double a, double b) {
    return a > b ? a : b;
}

static void compare(const iso_patch* patch, const brute_sums* truth, residuals* r) {
    iso_spatial f = fixture_wrench(patch);
    r->peak_area = larger(r->peak_area, truth->area);
    r->peak_force = larger(r->peak_force, iso_vec3_norm(truth->force));
    r->peak_moment = larger(r->peak_moment, iso_vec3_norm(truth->moment));
    double area = 0.0;
    int face_count = 0;
    for (int i = 0; i < patch->face_count; ++i) {
        bool is_loaded = fabs(patch->pressures[i]) > truth->least;
        area += is_loaded ? patch->areas[i] : 0.0;
        face_count += is_loaded;
    }
    r->area = larger(r->area, fabs(area - truth->area));
    r->force = larger(r->force, iso_vec3_distance(f.translational, truth->force));
    r->moment = larger(r->moment, iso_vec3_distance(f.rotational, truth->moment));
    r->contacts += truth->face_count > 0;
    r->faces += truth->face_count;
    r->missing_faces += abs(face_count - truth->face_count);
    if (truth->load > 1e-6 * r->peak_force && patch->face_count > 0) {
        iso_vec3 center = iso_vec3_scale(truth->load_moment, 1.0 / truth->load);
        r->center = larger(r->center, iso_vec3_distance(patch->center_of_pressure, center));
    }
}

static void check_residuals(const char* name, const residuals* r, int poses) {
    if (getenv("ISO_TOL_SCALE")) {
        printf("%s: %d of %d poses in contact, %d faces, %d differ; area %.1e force %.1e moment "
               "%.1e center %.1e\n",
               name, r->contacts, poses, r->faces, r->missing_faces, r->area / r->peak_area,
               r->force / r->peak_force, r->moment / r->peak_moment, r->center);
    }
    CHECK(r->contacts > poses / 4, "%s: only %d of %d poses in contact", name, r->contacts, poses);
    CHECK_AT_MOST(r->area / r->peak_area, 1e-11);     // measured 2.2e-12
    CHECK_AT_MOST(r->force / r->peak_force, 1e-11);   // measured 4.7e-13
    CHECK_AT_MOST(r->moment / r->peak_moment, 1e-11); // measured 4.8e-13
    CHECK_AT_MOST(r->center, 1e-11);                  // measured 1.5e-13
    // Slivers at the edge of rounding may exist in one and not in the other.
    CHECK_AT_MOST(r->missing_faces, 1e-4 * r->faces); // measured 0
}

static iso_patch query(const iso_contact_shape* a, const iso_pose* x_wa, const iso_contact_shape* b,
                       const iso_pose* x_wb) {
    iso_contact_options options = fixture_options();
    iso_patch patch;
    CHECK_OK(ctx, iso_arena_reset(&arena));
    CHECK_OK(ctx, iso_pair_query(&arena, a, x_wa, b, x_wb, &options, &patch));
    return patch;
}

// B at a random pose with its centre within `reach` of A's, both moved by a random common pose.
static void random_poses(test_random* random, double reach, iso_pose* x_wa, iso_pose* x_wb) {
    *x_wa = test_random_pose(random, 0.1);
    iso_pose x_ab = test_random_pose(random, 0.0);
    x_ab.p = iso_vec3_scale(test_random_unit_vec3(random), test_random_uniform(random, 0.0, reach));
    *x_wb = iso_pose_mul(x_wa, &x_ab);
}

static brute_sums truth_of(const iso_contact_shape* a, const iso_pose* x_wa,
                           const iso_contact_shape* b, const iso_pose* x_wb, double size) {
    const iso_contact_shape* shapes[2] = {a, b};
    const iso_pose* poses[2] = {x_wa, x_wb};
    brute_tet* tets[2] = {NULL, NULL};
    for (int i = 0; i < 2; ++i) {
        if (shapes[i]->field) {
            tets[i] = brute_tets(&shapes[i]->field->mesh, shapes[i]->field->pressures, poses[i]);
        }
    }
    brute_sums sums;
    double least = LEAST_PRESSURE * (a->field ? a->field->max_pressure : b->half_space.slope);
    least = fmax(least, b->field ? LEAST_OF_OTHER * b->field->max_pressure : 0.0);
    int a_count = iso_contact_shape_tet_count(a);
    if (tets[0] && tets[1]) {
        sums = brute_field_field(tets[0], a_count, tets[1], iso_contact_shape_tet_count(b), size,
                                 least);
    } else if (tets[0] && b->is_half_space) {
        sums = brute_field_half_space(tets[0], a_count, x_wb, b->half_space.slope, size, least);
    } else if (tets[0]) {
        sums = brute_field_surface(tets[0], a_count, &b->surface, x_wb, size, least);
    } else {
        sums = brute_surface_half_space(&a->surface, x_wa, x_wb, b->half_space.slope, size, least);
    }
    free(tets[0]);
    free(tets[1]);
    return sums;
}

static void run_pair(const char* name, iso_contact_shape* a, iso_contact_shape* b, double size,
                     double reach, int poses) {
    test_random random = test_random_make(7);
    residuals r = {0};
    for (int i = 0; i < poses; ++i) {
        iso_pose x_wa, x_wb;
        random_poses(&random, reach, &x_wa, &x_wb);
        iso_patch patch = query(a, &x_wa, b, &x_wb);
        fixture_check_patch(&patch, size);
        brute_sums truth = truth_of(a, &x_wa, b, &x_wb, size);
        compare(&patch, &truth, &r);
    }
    r.center /= size;
    check_residuals(name, &r, poses);
    iso_contact_shape_destroy(ctx, a);
    iso_contact_shape_destroy(ctx, b);
}

static void two_compliant_boxes_match_brute_force(void** state) {
    (void)state;
    run_pair("box-box",
             fixture_shape(ctx, fixture_box(0.1, 0.2, 0.15), fixture_compliant(1e6, 0.0)),
             fixture_shape(ctx, fixture_box(0.12, 0.12, 0.12), fixture_compliant(3e5, 0.0)), 0.2,
             0.18, POSES);
}

static void sphere_and_box_match_brute_force(void** state) {
    (void)state;
    run_pair("sphere-box", fixture_shape(ctx, fixture_sphere(0.1), fixture_compliant(1e6, 0.1)),
             fixture_shape(ctx, fixture_box(0.1, 0.2, 0.15), fixture_compliant(1e9, 0.0)), 0.2, 0.2,
             POSES);
}

static void field_with_margin_and_cylinder_match_brute_force(void** state) {
    (void)state;
    iso_contact_material soft = fixture_compliant(1e5, 0.05);
    soft.margin = 0.01;
    run_pair("margin-cylinder", fixture_shape(ctx, fixture_sphere(0.1), soft),
             fixture_shape(ctx, fixture_cylinder(0.05, 0.3), fixture_compliant(1e6, 0.05)), 0.2,
             0.2, POSES);
}

static void compliant_box_and_rigid_sphere_match_brute_force(void** state) {
    (void)state;
    run_pair("box-rigid sphere",
             fixture_shape(ctx, fixture_box(0.1, 0.2, 0.15), fixture_compliant(1e6, 0.0)),
             fixture_shape(ctx, fixture_sphere(0.1), fixture_rigid(0.05)), 0.2, 0.2, POSES);
}

static void compliant_cylinder_and_rigid_half_space_match_brute_force(void** state) {
    (void)state;
    run_pair("cylinder-half space",
             fixture_shape(ctx, fixture_cylinder(0.05, 0.3), fixture_compliant(1e6, 0.02)),
             fixture_half_space(ctx, fixture_rigid(0.0)), 0.2, 0.15, POSES);
}

static void compliant_box_and_compliant_half_space_match_brute_force(void** state) {
    (void)state;
    iso_contact_material slab = fixture_compliant(1e6, 0.0);
    slab.slab_thickness = 0.05;
    run_pair("box-slab",
             fixture_shape(ctx, fixture_box(0.1, 0.2, 0.15), fixture_compliant(1e6, 0.0)),
             fixture_half_space(ctx, slab), 0.2, 0.1, POSES);
}

// The margin reaches beyond the half space, which has none: its plane cuts the patch.
static void field_with_margin_and_compliant_half_space_match_brute_force(void** state) {
    (void)state;
    iso_contact_material soft = fixture_compliant(1e5, 0.05);
    soft.margin = 0.01;
    iso_contact_material slab = fixture_compliant(1e6, 0.0);
    slab.slab_thickness = 0.05;
    run_pair("margin-slab", fixture_shape(ctx, fixture_sphere(0.1), soft),
             fixture_half_space(ctx, slab), 0.2, 0.12, POSES);
}

static void rigid_sphere_and_compliant_half_space_match_brute_force(void** state) {
    (void)state;
    iso_contact_material slab = fixture_compliant(1e6, 0.0);
    slab.slab_thickness = 0.05;
    run_pair("rigid sphere-slab", fixture_shape(ctx, fixture_sphere(0.1), fixture_rigid(0.02)),
             fixture_half_space(ctx, slab), 0.2, 0.1, POSES);
}

// A mesh that is not convex, of layers and with a margin, and an ellipsoid stiffer by four orders,
// at both ends of sizes: faces lie within 1e-4 of the depth below its skin.
static void bodies_of_any_size_and_modulus_match_brute_force(void** state) {
    (void)state;
    static const double k_sizes[3] = {1e-3, 1.0, 1e3};
    for (int i = 0; i < 3; ++i) {
        double size = k_sizes[i];
        iso_tet_mesh hook = moving_hook(ctx);
        iso_shape_desc mesh = iso_shape_desc_default(ISO_SHAPE_MESH);
        mesh.volume = &hook;
        mesh.scale = iso_vec3_make(size, size, size);
        iso_contact_material soft = fixture_compliant(1e3, 0.0), hard = fixture_compliant(1e7, 0.0);
        soft.layer_count = 3;
        soft.stiffening = 0.5;
        soft.margin = 5e-3 * size;
        hard.resolution_hint = 0.05 * size;
        iso_shape_desc ellipsoid = iso_shape_desc_default(ISO_SHAPE_ELLIPSOID);
        ellipsoid.size = iso_vec3_scale(iso_vec3_make(0.1, 0.07, 0.05), size);
        run_pair("hook-ellipsoid", fixture_shape(ctx, mesh, soft),
                 fixture_shape(ctx, ellipsoid, hard), size, 0.2 * size, MESH_POSES);
        iso_tet_mesh_destroy(ctx, &hook);
    }
}

static iso_contact_shape* asset_shape(const char* path, iso_contact_material material) {
    char buffer[TEST_PATH_SIZE];
    iso_shape_desc desc = iso_shape_desc_default(ISO_SHAPE_MESH);
    desc.path = asset_path(buffer, path);
    return fixture_shape(ctx, desc, material);
}

static void pepper_and_bowl_match_brute_force(void** state) {
    (void)state;
    iso_contact_shape* pepper = asset_shape("veggies/assets/yellow_bell_pepper_no_stem_low.vtk",
                                            fixture_compliant(1e6, 0.0));
    iso_contact_shape* bowl =
        asset_shape("dishes/assets/evo_bowl_coarse3k.vtk", fixture_compliant(1e7, 0.0));
    run_pair("pepper-bowl", pepper, bowl, 0.1, 0.08, MESH_POSES);
}

static void bubble_and_cylinder_match_brute_force(void** state) {
    (void)state;
    // First what may skip the test, so that nothing else is left behind.
    iso_contact_shape* bubble =
        asset_shape("wsg_50_description/meshes/bubble.vtk", fixture_compliant(1e4, 0.0));
    iso_contact_shape* cylinder =
        fixture_shape(ctx, fixture_cylinder(0.015, 0.11), fixture_compliant(1e8, 0.01));
    run_pair("bubble-cylinder", bubble, cylinder, 0.1, 0.04, MESH_POSES);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(two_compliant_boxes_match_brute_force),
        TEST(sphere_and_box_match_brute_force),
        TEST(field_with_margin_and_cylinder_match_brute_force),
        TEST(compliant_box_and_rigid_sphere_match_brute_force),
        TEST(compliant_cylinder_and_rigid_half_space_match_brute_force),
        TEST(compliant_box_and_compliant_half_space_match_brute_force),
        TEST(field_with_margin_and_compliant_half_space_match_brute_force),
        TEST(rigid_sphere_and_compliant_half_space_match_brute_force),
        TEST(bodies_of_any_size_and_modulus_match_brute_force),
        TEST(pepper_and_bowl_match_brute_force),
        TEST(bubble_and_cylinder_match_brute_force),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
