// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Capsules in polyhedra that need not be convex: against sections of boxes, sums over cells and
// differences; poses are drawn, some with axes and faces in the planes of the others.

#include "volume/octree.h"
#include "volume/round/round.h"
#include "volume/solids.h"

static iso_shape_desc draw_capsule(test_random* random) {
    iso_shape_desc shape = iso_shape_desc_default(ISO_SHAPE_CAPSULE);
    shape.radius = test_random_uniform(random, 0.05, 0.4);
    shape.length = test_random_uniform(random, 0.02, 1.2);
    return shape;
}

static iso_pose draw_pose(test_random* random, int seed, double reach) {
    iso_pose x = test_random_pose(random, reach);
    if (seed % 4 == 3) {
        iso_vec3 y = iso_vec3_make(0.0, 1.0, 0.0), z = iso_vec3_make(0.0, 0.0, 1.0);
        x.r = seed % 8 == 3 ? iso_mat3_identity()
                            : iso_mat3_from_columns(y, z, iso_vec3_make(1.0, 0.0, 0.0));
    }
    return x;
}

static iso_volume_metrics common(const iso_shape_desc* capsule, const iso_volume_body* body,
                                 const iso_pose* x_ab) {
    iso_volume_metrics m;
    iso_volume_capsule_polyhedron(capsule->radius, capsule->length, body, x_ab, &m);
    return m;
}

static void check_alike(const iso_volume_metrics* x, const iso_volume_metrics* y, double area_near,
                        int seed) {
    CHECK(fabs(x->volume - y->volume) < 1e-9 * y->volume + 1e-13, "seed %d: %.14g, expected %.14g",
          seed, x->volume, y->volume);
    iso_vec3 fx = iso_vec3_scale(x->centroid, x->volume),
             fy = iso_vec3_scale(y->centroid, y->volume);
    CHECK_VEC3_NEAR(fx, fy, 1e-10);
    CHECK_MAT3_NEAR(x->inertia, y->inertia, 1e-10);
    CHECK_VEC3_NEAR(x->area, y->area, area_near);
    CHECK_VEC3_NEAR(x->turn, y->turn, area_near);
}

static void in_boxes_they_are_sections(void** state) {
    iso_context* ctx = *state;
    iso_pose identity = iso_pose_identity();
    int count = 0;
    for (int seed = 0; seed < 80; ++seed) {
        test_random random = test_random_make((uint64_t)seed);
        iso_shape_desc capsule = draw_capsule(&random);
        iso_shape_desc box = iso_shape_desc_default(ISO_SHAPE_BOX);
        box.size = test_random_vec3(&random, 0.1, 1.0);
        iso_pose x_ab = draw_pose(&random, seed, 0.6);
        iso_volume_body* body = body_of_shape(ctx, &box);
        iso_volume_metrics sections, m = common(&capsule, body, &x_ab);
        iso_volume_slices(&capsule, &box, &x_ab, &identity, &sections);
        check_alike(&m, &sections, 1e-6, seed);
        count += m.volume > 0.0;
        iso_volume_body_destroy(ctx, body);
    }
    CHECK(count > 30, "%d", count);
}

// A face in the plane of a cap, and a centre of a cap in a face and on an edge.
static void faces_may_lie_in_their_planes(void** state) {
    iso_context* ctx = *state;
    iso_pose identity = iso_pose_identity();
    iso_shape_desc box = iso_shape_desc_default(ISO_SHAPE_BOX);
    box.size = iso_vec3_make(0.5, 0.6, 0.8);
    iso_volume_body* body = body_of_shape(ctx, &box);
    for (int i = 0; i < 18; ++i) {
        test_random random = test_random_make((uint64_t)i + 1000);
        iso_shape_desc capsule = draw_capsule(&random);
        iso_pose x_ab = iso_pose_identity();
        double z = 0.5 * capsule.length + (i % 2 ? 0.4 : -0.4);
        x_ab.p = iso_vec3_make(i / 2 % 3 * 0.125, i / 6 * 0.15, i % 4 < 2 ? z : -z);
        iso_volume_metrics sections, m = common(&capsule, body, &x_ab);
        iso_volume_slices(&capsule, &box, &x_ab, &identity, &sections);
        CHECK(fabs(m.volume - sections.volume) < 1e-9 * sections.volume + 1e-13,
              "%d: %.14g, expected %.14g", i, m.volume, sections.volume);
        CHECK_MAT3_NEAR(m.inertia, sections.inertia, 1e-10);
        iso_shape_desc cylinder = capsule;
        cylinder.kind = ISO_SHAPE_CYLINDER;
        iso_volume_slices(&cylinder, &box, &x_ab, &identity, &sections);
        iso_volume_cylinder_polyhedron(cylinder.radius, cylinder.length, body, &x_ab, &m);
        CHECK(fabs(m.volume - sections.volume) < 1e-9 * sections.volume + 1e-13,
              "%d: cylinder %.14g, expected %.14g", i, m.volume, sections.volume);
    }
    iso_volume_body_destroy(ctx, body);
}

static void in_cells_of_a_body_they_are_one(void** state) {
    iso_context* ctx = *state;
    int count = 0;
    for (int seed = 0; seed < 30; ++seed) {
        test_random random = test_random_make((uint64_t)seed + 2000);
        iso_shape_desc capsule = draw_capsule(&random);
        star_prism star = draw_star(&random, false);
        iso_tri_mesh mesh = star_mesh(ctx, &star);
        iso_volume_body* body = body_of_mesh(ctx, &mesh);
        iso_pose x_ab = draw_pose(&random, seed, 0.7);
        iso_volume_metrics m = common(&capsule, body, &x_ab), sum = {0};
        for (int i = 0; i < star.corners; ++i) {
            iso_tri_mesh part = star_cell(ctx, &star, i);
            iso_volume_body* cell = body_of_mesh(ctx, &part);
            iso_volume_metrics of_cell = common(&capsule, cell, &x_ab);
            iso_volume_join(&sum, &of_cell);
            iso_tri_mesh_destroy(ctx, &part);
            iso_volume_body_destroy(ctx, cell);
        }
        check_alike(&m, &sum, 1e-9, seed);
        count += m.volume > 0.0;
        iso_tri_mesh_destroy(ctx, &mesh);
        iso_volume_body_destroy(ctx, body);
    }
    CHECK(count > 20, "%d", count);
}

static void area_and_turn_are_the_derivatives(void** state) {
    iso_context* ctx = *state;
    for (int seed = 0; seed < 40; ++seed) {
        test_random random = test_random_make((uint64_t)seed + 3000);
        iso_shape_desc capsule = draw_capsule(&random);
        star_prism star = draw_star(&random, true);
        iso_tri_mesh mesh = star_mesh(ctx, &star);
        iso_volume_body* body = body_of_mesh(ctx, &mesh);
        iso_pose x = draw_pose(&random, 0, 0.8);
        iso_vec3 d = test_random_unit_vec3(&random);
        iso_volume_metrics m = common(&capsule, body, &x);
        double step = 1e-5, volumes[2][2];
        for (int side = 0; side < 2; ++side) {
            iso_vec3 by = iso_vec3_scale(d, side ? step : -step);
            iso_pose moved = {x.r, iso_vec3_add(x.p, by)};
            iso_mat3 r = iso_mat3_from_quat(iso_quat_from_rotation_vector(by));
            iso_vec3 arm = iso_mat3_mul_vec3(&r, iso_vec3_sub(x.p, m.centroid));
            iso_pose turned = {iso_mat3_mul(r, x.r), iso_vec3_add(m.centroid, arm)};
            volumes[0][side] = common(&capsule, body, &moved).volume;
            volumes[1][side] = common(&capsule, body, &turned).volume;
        }
        double shifted = (volumes[0][1] - volumes[0][0]) / (2.0 * step);
        double turned = (volumes[1][1] - volumes[1][0]) / (2.0 * step);
        CHECK(fabs(iso_vec3_dot(m.area, d) - shifted) < 1e-6, "seed %d: %g, %g", seed,
              iso_vec3_dot(m.area, d), shifted);
        CHECK(fabs(iso_vec3_dot(m.turn, d) - turned) < 1e-6, "seed %d: %g, %g", seed,
              iso_vec3_dot(m.turn, d), turned);
        iso_tri_mesh_destroy(ctx, &mesh);
        iso_volume_body_destroy(ctx, body);
    }
}

// The public function takes this way, whichever comes first.
static void meshes_may_come_first(void** state) {
    iso_context* ctx = *state;
    test_random random = test_random_make(4000);
    iso_pose identity = iso_pose_identity();
    iso_shape_desc shape = draw_capsule(&random);
    star_prism star = draw_star(&random, true);
    iso_tri_mesh mesh = star_mesh(ctx, &star);
    iso_volume_body *body = body_of_mesh(ctx, &mesh), *capsule = body_of_shape(ctx, &shape);
    iso_pose x_ab = test_random_pose(&random, 0.2);
    iso_volume_metrics m = common(&shape, body, &x_ab), one, other;
    CHECK_OK(ctx, iso_volume_intersect(ctx, capsule, &identity, body, &x_ab, NULL, &one));
    CHECK_OK(ctx, iso_volume_intersect(ctx, body, &x_ab, capsule, &identity, NULL, &other));
    assert_int_equal(one.method, ISO_VOLUME_ANALYTIC);
    iso_volume_exchange(&other);
    check_alike(&one, &m, 1e-9, 0);
    check_alike(&other, &m, 1e-9, 1);
    iso_tri_mesh_destroy(ctx, &mesh);
    iso_volume_body_destroy(ctx, body);
    iso_volume_body_destroy(ctx, capsule);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_boxes_they_are_sections),
        cmocka_unit_test(faces_may_lie_in_their_planes),
        cmocka_unit_test(in_cells_of_a_body_they_are_one),
        cmocka_unit_test(area_and_turn_are_the_derivatives),
        cmocka_unit_test(meshes_may_come_first),
    };
    return cmocka_run_group_tests(tests, test_set_up, test_tear_down);
}
