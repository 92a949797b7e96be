// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Deformed configurations of the bodies of a world.

#include "support/assets.h"
#include "support/failing_context.h"
#include "world/scenes.h"

#include <stdio.h>
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

// A cube 4 mm deep in the ground, one 6 mm deep in it and turned, and one far away.
static iso_world* make_stack(void) {
    iso_model* model = make_model(ctx);
    iso_mat3 level = iso_mat3_identity();
    iso_pose low = iso_pose_from_position(iso_vec3_make(0.0, 0.0, 0.046));
    iso_pose high = iso_pose_make(iso_mat3_from_rpy(0.0, 0.0, 0.5), iso_vec3_make(0.01, 0.0, 0.14));
    iso_pose far = iso_pose_from_position(iso_vec3_make(1.0, 0.0, 1.0));
    add_ground(ctx, model, 0.5, &level);
    add_cube(ctx, model, "a_low", 0.5, &low);
    add_cube(ctx, model, "b_high", 0.5, &high);
    add_cube(ctx, model, "c_far", 0.5, &far);
    iso_world* world = NULL;
    iso_world_desc desc = iso_world_desc_default();
    CHECK_OK(ctx, iso_world_create(ctx, model, &desc, &world));
    iso_model_destroy(model);
    CHECK_OK(ctx, iso_world_update_contacts(world));
    return world;
}

static iso_deformed deform(const iso_world* world, const char* name) {
    iso_deformed deformed;
    CHECK_OK(ctx, iso_world_deformed(world, iso_world_find_body(world, name), 0, &deformed));
    return deformed;
}

// The ground takes a flat slice; the two cubes share what they overlap.
static void bodies_lose_what_contact_displaces(void** state) {
    (void)state;
    iso_world* world = make_stack();
    iso_deformed low = deform(world, "a_low"), high = deform(world, "b_high");
    iso_deformed far = deform(world, "c_far"), ground = deform(world, "world");
    const double whole = 1e-3, slice = 0.1 * 0.1 * 0.004;
    CHECK_REL(low.volume + low.displaced_volume, whole, 1e-12);   // measured 1e-15
    CHECK_REL(high.volume + high.displaced_volume, whole, 1e-12); // measured 1e-15
    // Two squares turned by 0.5 rad against each other share less than one of them.
    double shared = low.displaced_volume - slice + high.displaced_volume;
    CHECK(shared > 0.8 * 1e-2 * 0.006 && shared < 1e-2 * 0.006, "overlap %g m^3", shared);
    CHECK_REL(far.volume, whole, 1e-12); // measured 2e-16
    CHECK_BITS(far.displaced_volume, 0.0);
    CHECK(ground.tet_count == 0 && ground.vertices == NULL, "%d tetrahedra", ground.tet_count);
    double lowest = 1.0;
    for (int i = 0; i < low.vertex_count; ++i) {
        lowest = fmin(lowest, low.vertices[i].z);
    }
    CHECK_NEAR(lowest, 0.0, 1e-14); // measured 0
    iso_deformed* all[4] = {&low, &high, &far, &ground};
    for (int i = 0; i < 4; ++i) {
        iso_deformed_destroy(ctx, all[i]);
        CHECK(all[i]->tet_count == 0 && all[i]->tets == NULL, "not zeroed");
    }
    iso_world_destroy(world);
}

static void wrong_indices_are_errors(void** state) {
    (void)state;
    iso_world* world = make_stack();
    iso_deformed deformed;
    CHECK_STATUS(ctx, iso_world_deformed(world, 99, 0, &deformed), ISO_ERR_RANGE);
    CHECK_STATUS(ctx, iso_world_deformed(world, 1, 1, &deformed), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "surface 1 of body 1, expected one of its 1");
    CHECK_STATUS(ctx, iso_world_deformed(world, 1, 0, NULL), ISO_ERR_ARGUMENT);
    CHECK(iso_world_deformed(NULL, 1, 0, &deformed) == ISO_ERR_ARGUMENT, "no world");
    iso_deformed_destroy(ctx, NULL);
    iso_world_destroy(world);
}

// The exported tetrahedra are a mesh that can be read again, of the same volume.
static void exported_bodies_are_meshes_again(void** state) {
    (void)state;
    char folder[TEST_PATH_SIZE], path[TEST_PATH_SIZE + 64];
    iso_world* world = make_stack();
    iso_deformed low = deform(world, "a_low");
    CHECK_OK(ctx, iso_deformed_export_vtk(world, temp_path(folder, "deformed")));
    snprintf(path, sizeof path, "%s/%02d.a_low.box.vtk", folder,
             iso_world_find_body(world, "a_low"));
    iso_tet_mesh mesh;
    CHECK_OK(ctx, iso_tet_mesh_load(ctx, path, iso_vec3_make(1.0, 1.0, 1.0), &mesh));
    CHECK(mesh.tet_count == low.tet_count, "%d of %d tetrahedra", mesh.tet_count, low.tet_count);
    iso_mass_properties mass;
    CHECK_OK(ctx, iso_tet_mesh_mass_properties(ctx, &mesh, &mass));
    CHECK_REL(mass.volume, low.volume, 1e-12); // measured 1e-15
    iso_tet_mesh_destroy(ctx, &mesh);
    iso_deformed_destroy(ctx, &low);
    CHECK_STATUS(ctx, iso_deformed_export_vtk(world, "/nonexistent/a/b"), ISO_ERR_IO);
    CHECK_STATUS(ctx, iso_deformed_export_vtk(world, NULL), ISO_ERR_ARGUMENT);
    CHECK(iso_deformed_export_vtk(NULL, folder) == ISO_ERR_ARGUMENT, "no world");
    iso_world_destroy(world);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(bodies_lose_what_contact_displaces),
        TEST(wrong_indices_are_errors),
        TEST(exported_bodies_are_meshes_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
