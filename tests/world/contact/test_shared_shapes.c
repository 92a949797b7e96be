// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Geometries of one mesh share a contact shape, whatever array it came in: 100 of one hull cost
// what one costs. One coordinate or one corner that differs makes a shape of its own.

#include "geometry/mesh/mesh.h"
#include "geometry/tessellation/tessellate.h"
#include "support/failing_context.h"
#include "support/random.h"
#include "world/scenes.h"
#include "world/state/world_state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define GEOMETRY_COUNT 24

// Different meshes: cubes of two sizes; one with a coordinate of the next number, which no file
// would tell apart; one with its faces in another order.
enum { k_mesh_count = 4 };

static void make_surface(iso_context* ctx, int which, iso_tri_mesh* out) {
    iso_shape_desc cube = iso_shape_desc_default(ISO_SHAPE_BOX);
    double edge = which == 1 ? 0.2 : 0.1;
    cube.size = iso_vec3_make(edge, edge, edge);
    CHECK_OK(ctx, iso_tessellate_surface(ctx, &cube, 1.0, out));
    if (which == 2) {
        out->vertices[0].x = nextafter(out->vertices[0].x, 1.0);
    } else if (which == 3) {
        int first[3];
        memcpy(first, out->triangles[0], sizeof first);
        memcpy(out->triangles[0], out->triangles[1], sizeof first);
        memcpy(out->triangles[1], first, sizeof first);
    }
}

static void make_volume(iso_context* ctx, int which, iso_tet_mesh* out) {
    iso_shape_desc cube = iso_shape_desc_default(ISO_SHAPE_BOX);
    double edge = which == 1 ? 0.2 : 0.1;
    double* extents = NULL;
    cube.size = iso_vec3_make(edge, edge, edge);
    CHECK_OK(ctx, iso_tessellate_volume(ctx, &cube, 1.0, out, &extents));
    iso_free(ctx, extents);
    if (which == 2) {
        out->vertices[0].x = nextafter(out->vertices[0].x, 1.0);
    } else if (which == 3) {
        int first[4];
        memcpy(first, out->tets[0], sizeof first);
        memcpy(out->tets[0], out->tets[1], sizeof first);
        memcpy(out->tets[1], first, sizeof first);
    }
}

// Shapes of a world of drawn geometries; kinds: convex hulls, surfaces or volumes.
static void check_kind(iso_context* ctx, test_random* random, int kind) {
    iso_model* model = make_model(ctx);
    bool is_used[k_mesh_count][2] = {{false}};
    int expected = 0;
    for (int i = 0; i < GEOMETRY_COUNT; ++i) {
        iso_tri_mesh surface = {0};
        iso_tet_mesh volume = {0};
        char name[16];
        snprintf(name, sizeof name, "g%d", i);
        int mesh = test_random_int(random, 0, k_mesh_count - 1);
        int modulus = test_random_int(random, 0, 1);
        iso_geometry_desc desc = iso_geometry_desc_default();
        desc.name = name;
        desc.shape = iso_shape_desc_default(kind == 0 ? ISO_SHAPE_CONVEX : ISO_SHAPE_MESH);
        desc.material.compliance = kind == 1 ? ISO_COMPLIANCE_RIGID : ISO_COMPLIANCE_COMPLIANT;
        desc.material.modulus = modulus == 0 ? 1e6 : 2e6;
        if (kind == 2) {
            make_volume(ctx, mesh, &volume);
            desc.shape.volume = &volume;
        } else {
            make_surface(ctx, mesh, &surface);
            desc.shape.surface = &surface;
        }
        CHECK_OK(ctx, iso_model_add_geometry(model, ISO_WORLD_BODY, &desc, NULL));
        iso_tri_mesh_destroy(ctx, &surface);
        iso_tet_mesh_destroy(ctx, &volume);
        expected += is_used[mesh][modulus] ? 0 : 1;
        is_used[mesh][modulus] = true;
    }
    iso_world* world = make_world(ctx, model, NULL);
    CHECK(world->shape_count == expected, "kind %d: %d shapes, expected %d", kind,
          world->shape_count, expected);
    iso_world_destroy(world);
    iso_model_destroy(model);
}

static void geometries_of_equal_meshes_share_a_shape(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    test_random random = test_random_make(4);
    for (int kind = 0; kind < 3; ++kind) {
        for (int draw = 0; draw < 5; ++draw) {
            check_kind(ctx, &random, kind);
        }
    }
    test_context_destroy(ctx);
}

// Processor time in which a world of so many cubes is made, the least of three [s].
static double seconds_for(iso_context* ctx, int count) {
    iso_model* model = make_model(ctx);
    iso_world_desc settings = iso_world_desc_default();
    double least = INFINITY;
    for (int i = 0; i < count; ++i) {
        char name[16];
        iso_pose x_wb = iso_pose_from_position(iso_vec3_make(0.2 * i, 0.0, 1.0));
        snprintf(name, sizeof name, "cube%d", i);
        add_cube(ctx, model, name, 0.5, &x_wb);
    }
    for (int k = 0; k < 3; ++k) {
        clock_t start = clock();
        iso_world* world = make_world(ctx, model, &settings);
        least = fmin(least, (double)(clock() - start) / CLOCKS_PER_SEC);
        CHECK_VEC3_NEAR(iso_world_body_pose(world, iso_world_find_body(world, "cube77")).p,
                        iso_vec3_make(15.4, 0.0, 1.0), 1e-12);
        iso_world_destroy(world);
    }
    iso_model_destroy(model);
    return least;
}

// Ten times as many bodies, and pairs of a hundred times as many that need no look: not what the
// square of their number would take.
static void many_free_bodies_are_placed_in_one_go(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    double few = seconds_for(ctx, 200), many = seconds_for(ctx, 2000);
    print_message("200 bodies: %.1e s, 2000: %.1e s\n", few, many);
    assert_true(many < 35.0 * few); // measured 13; by kinematics of all for each body 90
    test_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(geometries_of_equal_meshes_share_a_shape),
        cmocka_unit_test(many_free_bodies_are_placed_in_one_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
