// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "geometry/search/distance.h"
#include "volume/solids.h"

#include <stdlib.h>

static void aligned_boxes_have_a_box_in_common(void** state) {
    iso_context* ctx = *state;
    test_random random = test_random_make(1);
    for (int i = 0; i < 300; ++i) {
        iso_vec3 a = test_random_vec3(&random, 0.2, 1.0), b = test_random_vec3(&random, 0.2, 1.0);
        iso_volume_body* body_a = box_body(ctx, a.x, a.y, a.z);
        iso_volume_body* body_b = box_body(ctx, b.x, b.y, b.z);
        // Half of the places are multiples of a grid, so that faces lie upon each other.
        iso_vec3 p = test_random_vec3(&random, -1.0, 1.0);
        if (i % 2 == 0) {
            p = iso_vec3_scale(iso_vec3_add(a, b), 0.5);
            p.x = i % 4 == 0 ? 0.5 * (a.x - b.x) : 0.0;
            p.y = 0.0;
            p.z -= i % 8 < 4 ? 1e-9 : 0.1 * fmin(a.z, b.z);
        }
        iso_pose x_wa = iso_pose_identity(), x_wb = iso_pose_from_position(p);
        iso_volume_metrics m = meet(ctx, body_a, &x_wa, body_b, &x_wb);
        iso_vec3 high = iso_vec3_min(iso_vec3_scale(a, 0.5), iso_vec3_add_scaled(p, b, 0.5));
        iso_vec3 low = iso_vec3_max(iso_vec3_scale(a, -0.5), iso_vec3_add_scaled(p, b, -0.5));
        iso_vec3 s = iso_vec3_max(iso_vec3_sub(high, low), iso_vec3_zero());
        double v = s.x * s.y * s.z;
        CHECK_NEAR(m.volume, v, 1e-15);
        if (v > 0.0) {
            iso_mat3 inertia = iso_mat3_diagonal(v * (s.y * s.y + s.z * s.z) / 12.0,
                                                 v * (s.z * s.z + s.x * s.x) / 12.0,
                                                 v * (s.x * s.x + s.y * s.y) / 12.0);
            CHECK_VEC3_NEAR(m.centroid, iso_vec3_lerp(low, high, 0.5), 1e-14);
            CHECK_MAT3_NEAR(m.inertia, inertia, 1e-15);
        }
        iso_volume_body_destroy(ctx, body_a);
        iso_volume_body_destroy(ctx, body_b);
    }
}

static void order_of_bodies_and_frame_do_not_matter(void** state) {
    iso_context* ctx = *state;
    test_random random = test_random_make(2);
    int met = 0;
    for (int i = 0; i < 400; ++i) {
        iso_volume_body* a = draw_body(ctx, &random);
        iso_volume_body* b = draw_body(ctx, &random);
        iso_pose x_wa = test_random_pose(&random, 0.5);
        iso_pose x_wb = test_random_pose(&random, 0.5);
        iso_pose x_vw = test_random_pose(&random, 2.0);
        iso_volume_metrics ab = meet(ctx, a, &x_wa, b, &x_wb);
        iso_volume_metrics ba = meet(ctx, b, &x_wb, a, &x_wa);
        check_same(ab, ba, 2e-14);                              // measured 3.9e-15
        CHECK_VEC3_NEAR(ab.area, iso_vec3_neg(ba.area), 3e-14); // measured 5.3e-15
        CHECK_VEC3_NEAR(ab.turn, iso_vec3_neg(ba.turn), 2e-14); // measured 3.1e-15
        iso_pose x_va = iso_pose_mul(&x_vw, &x_wa), x_vb = iso_pose_mul(&x_vw, &x_wb);
        iso_volume_metrics moved = meet(ctx, a, &x_va, b, &x_vb);
        CHECK_NEAR(moved.volume, ab.volume, 1e-14);
        if (ab.volume > 1e-6) {
            ++met;
            CHECK_VEC3_NEAR(moved.centroid, iso_pose_point(&x_vw, ab.centroid),
                            1e-12); // measured 6.2e-14
        }
        iso_volume_body_destroy(ctx, a);
        iso_volume_body_destroy(ctx, b);
    }
    CHECK(met > 250, "%d pairs met", met);
}

// A big box with the solid as its cavity.
static iso_volume_body* complement_of(iso_context* ctx, const iso_tri_mesh* solid) {
    iso_shape_desc box = iso_shape_desc_default(ISO_SHAPE_BOX);
    box.size = iso_vec3_make(12.0, 12.0, 12.0);
    iso_tri_mesh outer, both;
    CHECK_OK(ctx, iso_shape_surface(ctx, &box, 1.0, &outer));
    int n = outer.vertex_count, f = outer.triangle_count;
    CHECK_OK(ctx,
             iso_tri_mesh_allocate(ctx, n + solid->vertex_count, f + solid->triangle_count, &both));
    for (int i = 0; i < both.vertex_count; ++i) {
        both.vertices[i] = i < n ? outer.vertices[i] : solid->vertices[i - n];
    }
    for (int i = 0; i < both.triangle_count; ++i) {
        const int* t = i < f ? outer.triangles[i] : solid->triangles[i - f];
        int offset = i < f ? 0 : n;
        set_face(&both, i, t[0] + offset, t[i < f ? 1 : 2] + offset, t[i < f ? 2 : 1] + offset);
    }
    iso_volume_body* body = body_of_mesh(ctx, &both);
    iso_tri_mesh_destroy(ctx, &outer);
    iso_tri_mesh_destroy(ctx, &both);
    return body;
}

static void parts_in_a_solid_and_beside_it_make_the_whole(void** state) {
    iso_context* ctx = *state;
    test_random random = test_random_make(3);
    for (int i = 0; i < 300; ++i) {
        iso_volume_body* a = draw_body(ctx, &random);
        iso_tri_mesh mesh = draw_solid(ctx, &random);
        iso_volume_body* b = body_of_mesh(ctx, &mesh);
        iso_volume_body* not_b = complement_of(ctx, &mesh);
        iso_pose x_wa = test_random_pose(&random, 0.5);
        iso_pose x_wb = test_random_pose(&random, 0.5);
        iso_volume_metrics in = meet(ctx, a, &x_wa, b, &x_wb);
        iso_volume_metrics beside = meet(ctx, a, &x_wa, not_b, &x_wb);
        iso_volume_metrics whole = meet(ctx, a, &x_wa, a, &x_wa);
        raw_moments sum = {0}, all = {0};
        add_raw(&sum, &in);
        add_raw(&sum, &beside);
        add_raw(&all, &whole);
        check_same_raw(sum, all, 1e-11); // of a box of 12 m
        CHECK_NEAR(whole.volume, iso_volume_body_volume(a), 1e-13);
        iso_volume_body_destroy(ctx, a);
        iso_volume_body_destroy(ctx, b);
        iso_volume_body_destroy(ctx, not_b);
        iso_tri_mesh_destroy(ctx, &mesh);
    }
}

// Halton's sequence.
static double halton(int index, int base) {
    double f = 1.0, r = 0.0;
    for (; index > 0; index /= base) {
        f /= base;
        r += f * (index % base);
    }
    return r;
}

static void volumes_are_those_of_points_counted(void** state) {
    iso_context* ctx = *state;
    test_random random = test_random_make(4);
    enum { k_points = 4000 };
    for (int i = 0; i < 40; ++i) {
        iso_tri_mesh mesh_a = draw_solid(ctx, &random), mesh_b = draw_solid(ctx, &random);
        iso_volume_body* a = body_of_mesh(ctx, &mesh_a);
        iso_volume_body* b = body_of_mesh(ctx, &mesh_b);
        iso_pose x_wa = test_random_pose(&random, 0.3), x_wb = test_random_pose(&random, 0.3);
        iso_volume_metrics m = meet(ctx, a, &x_wa, b, &x_wb);
        iso_distance_tree *tree_a, *tree_b;
        CHECK_OK(ctx, iso_distance_tree_create(ctx, &mesh_a, &tree_a));
        CHECK_OK(ctx, iso_distance_tree_create(ctx, &mesh_b, &tree_b));
        double side = 2.6, cell = side * side * side / k_points, volume = 0.0;
        iso_vec3 first = iso_vec3_zero();
        for (int k = 1; k <= k_points; ++k) {
            iso_vec3 p = {halton(k, 2), halton(k, 3), halton(k, 5)};
            p = iso_vec3_scale(iso_vec3_sub(p, iso_vec3_make(0.5, 0.5, 0.5)), side);
            p = iso_vec3_add(p, x_wa.p);
            iso_vec3 p_a = iso_pose_inverse_point(&x_wa, p);
            iso_vec3 p_b = iso_pose_inverse_point(&x_wb, p);
            if (iso_distance_tree_winding_number(tree_a, p_a) > 0.5 &&
                iso_distance_tree_winding_number(tree_b, p_b) > 0.5) {
                volume += cell;
                first = iso_vec3_add_scaled(first, p, cell);
            }
        }
        CHECK_NEAR(m.volume, volume, 0.05);                                 // measured 0.032
        CHECK_VEC3_NEAR(iso_vec3_scale(m.centroid, m.volume), first, 0.04); // measured 0.024
        iso_distance_tree_destroy(ctx, tree_a);
        iso_distance_tree_destroy(ctx, tree_b);
        iso_volume_body_destroy(ctx, a);
        iso_volume_body_destroy(ctx, b);
        iso_tri_mesh_destroy(ctx, &mesh_a);
        iso_tri_mesh_destroy(ctx, &mesh_b);
    }
}

static void cutting_a_body_changes_no_sum(void** state) {
    iso_context* ctx = *state;
    test_random random = test_random_make(5);
    for (int i = 0; i < 200; ++i) {
        star_prism star = draw_star(&random, false);
        iso_tri_mesh mesh = star_mesh(ctx, &star);
        iso_volume_body* whole = body_of_mesh(ctx, &mesh);
        iso_volume_body* other = draw_body(ctx, &random);
        iso_pose x_wa = test_random_pose(&random, 0.4), x_wb = test_random_pose(&random, 0.4);
        iso_volume_metrics m = meet(ctx, whole, &x_wa, other, &x_wb);
        raw_moments sum = {0}, all = {0};
        iso_vec3 area = iso_vec3_zero();
        add_raw(&all, &m);
        for (int k = 0; k < star.corners; ++k) {
            iso_tri_mesh part = star_cell(ctx, &star, k);
            iso_volume_body* cell = body_of_mesh(ctx, &part);
            iso_volume_metrics c = meet(ctx, cell, &x_wa, other, &x_wb);
            add_raw(&sum, &c);
            area = iso_vec3_add(area, c.area);
            iso_volume_body_destroy(ctx, cell);
            iso_tri_mesh_destroy(ctx, &part);
        }
        check_same_raw(sum, all, 1e-14);      // measured 1.8e-15
        CHECK_VEC3_NEAR(area, m.area, 1e-14); // measured 2.1e-15
        iso_volume_body_destroy(ctx, whole);
        iso_volume_body_destroy(ctx, other);
        iso_tri_mesh_destroy(ctx, &mesh);
    }
}

static iso_pose turned_about(const iso_pose* x, iso_vec3 center, iso_vec3 rotation) {
    iso_mat3 r = iso_mat3_from_quat(iso_quat_from_rotation_vector(rotation));
    iso_vec3 arm = iso_vec3_sub(x->p, center);
    return iso_pose_make(iso_mat3_mul(r, x->r), iso_vec3_add(center, iso_mat3_mul_vec3(&r, arm)));
}

static void area_and_turn_are_derivatives_of_the_volume(void** state) {
    iso_context* ctx = *state;
    test_random random = test_random_make(6);
    double h = 1e-5;
    for (int i = 0; i < 200; ++i) {
        iso_volume_body* a = draw_body(ctx, &random);
        iso_volume_body* b = draw_body(ctx, &random);
        iso_pose x_wa = test_random_pose(&random, 0.4), x_wb = test_random_pose(&random, 0.4);
        iso_volume_metrics m = meet(ctx, a, &x_wa, b, &x_wb);
        iso_vec3 d = test_random_unit_vec3(&random);
        iso_pose up = x_wb, down = x_wb;
        up.p = iso_vec3_add_scaled(up.p, d, h);
        down.p = iso_vec3_add_scaled(down.p, d, -h);
        double slope =
            (meet(ctx, a, &x_wa, b, &up).volume - meet(ctx, a, &x_wa, b, &down).volume) / (2.0 * h);
        CHECK_NEAR(iso_vec3_dot(m.area, d), slope, 5e-8); // measured 7.2e-9
        if (m.volume > 0.0) {
            up = turned_about(&x_wb, m.centroid, iso_vec3_scale(d, h));
            down = turned_about(&x_wb, m.centroid, iso_vec3_scale(d, -h));
            slope = (meet(ctx, a, &x_wa, b, &up).volume - meet(ctx, a, &x_wa, b, &down).volume) /
                    (2.0 * h);
            CHECK_NEAR(iso_vec3_dot(m.turn, d), slope, 5e-8); // measured 7.2e-9
        }
        iso_volume_body_destroy(ctx, a);
        iso_volume_body_destroy(ctx, b);
    }
}

// A corner of a box dipped into a face by a depth far below the box: a tetrahedron.
static void tiny_overlaps_keep_their_digits(void** state) {
    iso_context* ctx = *state;
    test_random random = test_random_make(7);
    iso_volume_body* table = box_body(ctx, 2.0, 2.0, 1.0);
    iso_volume_body* cube = box_body(ctx, 1.0, 1.0, 1.0);
    for (int i = 0; i < 200; ++i) {
        double depth = pow(10.0, test_random_uniform(&random, -7.0, -2.0));
        iso_pose x_wb = test_random_pose(&random, 0.0), x_wa = iso_pose_identity();
        iso_mat3 r = x_wb.r;
        double low = 0.5 * (fabs(r.m[2][0]) + fabs(r.m[2][1]) + fabs(r.m[2][2]));
        double least = fmin(fabs(r.m[2][0]), fmin(fabs(r.m[2][1]), fabs(r.m[2][2])));
        if (least < 0.05) {
            continue;
        }
        x_wb.p = iso_vec3_make(0.1, -0.05, 0.5 + low - depth);
        depth = 0.5 + low - x_wb.p.z; // as rounded
        double exact =
            depth * depth * depth / (6.0 * fabs(r.m[2][0]) * fabs(r.m[2][1]) * fabs(r.m[2][2]));
        iso_volume_metrics m = meet(ctx, table, &x_wa, cube, &x_wb);
        CHECK_REL(m.volume, exact, 1e-14 / depth);
        CHECK_NEAR(m.centroid.z, 0.5 - depth / 4.0, 1e-15);
    }
    iso_volume_body_destroy(ctx, table);
    iso_volume_body_destroy(ctx, cube);
}

// No jump larger than what the surface sweeps, through poses where faces and edges coincide.
static void volume_is_continuous_through_alignment(void** state) {
    iso_context* ctx = *state;
    test_random random = test_random_make(8);
    for (int i = 0; i < 40; ++i) {
        iso_volume_body* a = i % 2 ? box_body(ctx, 1.0, 1.0, 1.0) : draw_body(ctx, &random);
        iso_vec3 axis = test_random_unit_vec3(&random);
        iso_pose x_wa = iso_pose_identity();
        double before = NAN;
        for (int k = -40; k <= 40; ++k) {
            double angle = k == 0 ? 0.0 : copysign(pow(10.0, -abs(k) / 2.5), k);
            iso_vec3 p = i % 3 ? iso_vec3_zero() : iso_vec3_make(0.0, 0.0, 0.999);
            iso_pose x_wb = iso_pose_make(iso_mat3_from_axis_angle(axis, angle), p);
            iso_volume_metrics m = meet(ctx, a, &x_wa, a, &x_wb);
            if (k > -39) {
                CHECK_NEAR(m.volume, before, 12.0 * pow(10.0, -(abs(k) - 1) / 2.5) + 1e-14);
            }
            before = m.volume;
        }
        iso_volume_body_destroy(ctx, a);
    }
}

static void half_spaces_cut_as_big_boxes_do(void** state) {
    iso_context* ctx = *state;
    test_random random = test_random_make(9);
    iso_shape_desc plane = iso_shape_desc_default(ISO_SHAPE_HALF_SPACE);
    iso_volume_body* half_space = body_of_shape(ctx, &plane);
    iso_volume_body* box = box_body(ctx, 20.0, 20.0, 10.0);
    for (int i = 0; i < 300; ++i) {
        iso_volume_body* b = draw_body(ctx, &random);
        iso_pose x_wa = test_random_pose(&random, 0.5), x_wb = test_random_pose(&random, 0.5);
        iso_pose x_ac = iso_pose_from_position(iso_vec3_make(0.3, -0.2, -5.0));
        iso_pose x_wc = iso_pose_mul(&x_wa, &x_ac);
        iso_volume_metrics plane_b = meet(ctx, half_space, &x_wa, b, &x_wb);
        iso_volume_metrics box_b = meet(ctx, box, &x_wc, b, &x_wb);
        check_same(plane_b, box_b, 8e-14);                // measured 1.6e-14
        CHECK_VEC3_NEAR(plane_b.area, box_b.area, 2e-13); // measured 3.9e-14
        CHECK_VEC3_NEAR(plane_b.turn, box_b.turn, 1e-13); // measured 2.1e-14
        iso_volume_metrics b_plane = meet(ctx, b, &x_wb, half_space, &x_wa);
        CHECK_VEC3_NEAR(b_plane.area, iso_vec3_neg(plane_b.area), 0.0);
        iso_volume_body_destroy(ctx, b);
    }
    iso_volume_body_destroy(ctx, half_space);
    iso_volume_body_destroy(ctx, box);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aligned_boxes_have_a_box_in_common),
        cmocka_unit_test(order_of_bodies_and_frame_do_not_matter),
        cmocka_unit_test(parts_in_a_solid_and_beside_it_make_the_whole),
        cmocka_unit_test(volumes_are_those_of_points_counted),
        cmocka_unit_test(cutting_a_body_changes_no_sum),
        cmocka_unit_test(area_and_turn_are_derivatives_of_the_volume),
        cmocka_unit_test(tiny_overlaps_keep_their_digits),
        cmocka_unit_test(volume_is_continuous_through_alignment),
        cmocka_unit_test(half_spaces_cut_as_big_boxes_do),
    };
    return cmocka_run_group_tests(tests, test_set_up, test_tear_down);
}
