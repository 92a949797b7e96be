// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "volume/octree.h"
#include "volume/solids.h"

static const iso_pose* origin(void) {
    static iso_pose x;
    x = iso_pose_identity();
    return &x;
}

// A ball and a half space by [Gonthier2007]'s forms, over ten decades of depth.
static void caps_are_the_closed_forms(void** state) {
    iso_context* ctx = *state;
    test_random random = test_random_make(21);
    iso_shape_desc plane = iso_shape_desc_default(ISO_SHAPE_HALF_SPACE);
    iso_volume_body* half_space = body_of_shape(ctx, &plane);
    for (int i = 0; i < 200; ++i) {
        double r = test_random_uniform(&random, 0.01, 2.0);
        double h = r * pow(10.0, test_random_uniform(&random, -9.0, 0.3));
        iso_volume_body* ball = ball_body(ctx, r);
        iso_pose x_wb = test_random_pose(&random, 1.0);
        x_wb.p.z = r - h;
        h = r - x_wb.p.z; // as rounded
        iso_volume_metrics m = meet(ctx, half_space, origin(), ball, &x_wb);
        double v = ISO_PI * h * h * (3.0 * r - h) / 3.0;
        double n =
            ISO_PI / 2.0 * (4.0 * r * r * h * h * h / 3.0 - r * pow(h, 4.0) + pow(h, 5.0) / 5.0);
        double center = 3.0 * pow(2.0 * r - h, 2.0) / (4.0 * (3.0 * r - h));
        CHECK_REL(m.volume, v, 1e-14);
        CHECK_REL(m.inertia.m[2][2], n, 1e-14);
        CHECK_NEAR(m.centroid.z, x_wb.p.z - center, 2e-15); // measured 8.9e-16
        CHECK_REL(m.area.z, -ISO_PI * h * (2.0 * r - h), 1e-14);
        iso_volume_body_destroy(ctx, ball);
    }
    iso_volume_body_destroy(ctx, half_space);
}

// Discs summed along the line of centres.
static iso_volume_metrics lens_by_discs(double ra, double rb, double d) {
    enum { k_steps = 4000 };
    iso_volume_metrics out = {0};
    double low = fmax(-ra, d - rb), high = fmin(ra, d + rb), first = 0.0, second = 0.0;
    double step = (high - low) / k_steps;
    for (int i = 0; i < k_steps; ++i) {
        double z = low + (i + 0.5) * step;
        double square = fmin(ra * ra - z * z, rb * rb - (z - d) * (z - d));
        double disc = ISO_PI * square * step;
        out.volume += disc;
        first += disc * z;
        second += disc * z * z;
        out.inertia.m[2][2] += disc * square / 2.0;
    }
    out.centroid.z = first / out.volume;
    out.inertia.m[0][0] = 0.5 * out.inertia.m[2][2] + second - first * out.centroid.z;
    return out;
}

static void lenses_are_sums_of_discs(void** state) {
    iso_context* ctx = *state;
    test_random random = test_random_make(22);
    for (int i = 0; i < 100; ++i) {
        double ra = test_random_uniform(&random, 0.3, 1.0);
        double rb = test_random_uniform(&random, 0.3, 1.0);
        double d = test_random_uniform(&random, 0.01, ra + rb - 0.02);
        iso_volume_body *a = ball_body(ctx, ra), *b = ball_body(ctx, rb);
        iso_pose x_wb = iso_pose_from_position(iso_vec3_make(0.0, 0.0, d));
        iso_volume_metrics m = meet(ctx, a, origin(), b, &x_wb), sum = lens_by_discs(ra, rb, d);
        CHECK_NEAR(m.volume, sum.volume, 1e-6);
        CHECK_NEAR(m.centroid.z, sum.centroid.z, 1e-6);
        CHECK_NEAR(m.inertia.m[0][0], sum.inertia.m[0][0], 1e-6);
        CHECK_NEAR(m.inertia.m[2][2], sum.inertia.m[2][2], 1e-6);
        iso_volume_body_destroy(ctx, a);
        iso_volume_body_destroy(ctx, b);
    }
}

static void a_ball_in_cells_of_a_body_is_one_ball(void** state) {
    iso_context* ctx = *state;
    test_random random = test_random_make(23);
    for (int i = 0; i < 200; ++i) {
        star_prism star = draw_star(&random, false);
        iso_tri_mesh mesh = star_mesh(ctx, &star);
        iso_volume_body* whole = body_of_mesh(ctx, &mesh);
        double r = test_random_uniform(&random, 0.1, 1.2);
        iso_volume_body* ball = ball_body(ctx, r);
        iso_pose x_wa = test_random_pose(&random, 0.8), x_wb = test_random_pose(&random, 0.1);
        // The centre of the ball at the middle of the base: on an edge of every cell.
        x_wb.p =
            i % 4 ? x_wb.p : iso_pose_point(&x_wa, iso_vec3_make(0.0, 0.0, -0.5 * star.height));
        iso_volume_metrics m = meet(ctx, whole, &x_wa, ball, &x_wb);
        raw_moments sum = {0}, all = {0};
        add_raw(&all, &m);
        iso_volume_metrics joined = {0};
        for (int k = 0; k < star.corners; ++k) {
            iso_tri_mesh part = star_cell(ctx, &star, k);
            iso_volume_body* cell = body_of_mesh(ctx, &part);
            iso_volume_metrics c = meet(ctx, cell, &x_wa, ball, &x_wb);
            add_raw(&sum, &c);
            iso_volume_join(&joined, &c);
            iso_volume_body_destroy(ctx, cell);
            iso_tri_mesh_destroy(ctx, &part);
        }
        check_same_raw(sum, all, 3e-14); // measured 5.8e-15
        check_same(joined, m, 3e-14);
        CHECK_VEC3_NEAR(joined.area, m.area, 1e-14); // measured 1.5e-15
        CHECK_VEC3_NEAR(joined.turn, m.turn, 1e-14);
        iso_volume_body_destroy(ctx, whole);
        iso_volume_body_destroy(ctx, ball);
        iso_tri_mesh_destroy(ctx, &mesh);
    }
}

static void a_ball_sees_a_big_box_as_a_half_space(void** state) {
    iso_context* ctx = *state;
    test_random random = test_random_make(24);
    iso_shape_desc plane = iso_shape_desc_default(ISO_SHAPE_HALF_SPACE);
    iso_volume_body* half_space = body_of_shape(ctx, &plane);
    iso_volume_body* box = box_body(ctx, 4.0, 4.0, 4.0);
    iso_pose x_wc = iso_pose_from_position(iso_vec3_make(0.0, 0.0, -2.0));
    for (int i = 0; i < 200; ++i) {
        double r = test_random_uniform(&random, 0.1, 1.0);
        double h = r * pow(10.0, test_random_uniform(&random, -3.0, 0.3));
        h = i % 10 ? h : r; // the centre in the face
        iso_volume_body* ball = ball_body(ctx, r);
        iso_pose x_wb = iso_pose_from_position(iso_vec3_make(0.1, -0.05, r - h));
        iso_volume_metrics a = meet(ctx, half_space, origin(), ball, &x_wb);
        iso_volume_metrics b = meet(ctx, box, &x_wc, ball, &x_wb);
        check_same(b, a, 1e-14);
        CHECK_VEC3_NEAR(b.area, a.area, 1e-14);
        iso_volume_body_destroy(ctx, ball);
    }
    iso_volume_body_destroy(ctx, half_space);
    iso_volume_body_destroy(ctx, box);
}

static void area_of_a_ball_is_the_derivative(void** state) {
    iso_context* ctx = *state;
    test_random random = test_random_make(25);
    double h = 1e-5;
    for (int i = 0; i < 200; ++i) {
        iso_volume_body *a = draw_body(ctx, &random), *ball = ball_body(ctx, 0.5);
        iso_pose x_wa = test_random_pose(&random, 0.5), x_wb = test_random_pose(&random, 0.5);
        iso_vec3 d = test_random_unit_vec3(&random);
        iso_pose up = x_wb, down = x_wb;
        up.p = iso_vec3_add_scaled(up.p, d, h);
        down.p = iso_vec3_add_scaled(down.p, d, -h);
        double slope =
            (meet(ctx, a, &x_wa, ball, &up).volume - meet(ctx, a, &x_wa, ball, &down).volume) /
            (2.0 * h);
        iso_volume_metrics m = meet(ctx, a, &x_wa, ball, &x_wb);
        CHECK_NEAR(iso_vec3_dot(m.area, d), slope, 1e-8); // measured 1.4e-9
        iso_volume_body_destroy(ctx, a);
        iso_volume_body_destroy(ctx, ball);
    }
}

// A prism whose base has the area of the disc.
static iso_tri_mesh many_sided(iso_context* ctx, double r, double length, int n) {
    iso_tri_mesh mesh;
    CHECK_OK(ctx, iso_tri_mesh_allocate(ctx, 2 * n + 2, 4 * n, &mesh));
    mesh.vertices[2 * n] = iso_vec3_make(0.0, 0.0, -0.5 * length);
    mesh.vertices[2 * n + 1] = iso_vec3_make(0.0, 0.0, 0.5 * length);
    double equal_area = r * sqrt(2.0 * ISO_PI / n / sin(2.0 * ISO_PI / n));
    for (int i = 0; i < n; ++i) {
        double angle = 2.0 * ISO_PI * i / n, x = equal_area * cos(angle);
        int next = (i + 1) % n;
        mesh.vertices[i] = iso_vec3_make(x, equal_area * sin(angle), -0.5 * length);
        mesh.vertices[n + i] = iso_vec3_make(x, equal_area * sin(angle), 0.5 * length);
        set_face(&mesh, 4 * i, i, next, n + next);
        set_face(&mesh, 4 * i + 1, i, n + next, n + i);
        set_face(&mesh, 4 * i + 2, next, i, 2 * n);
        set_face(&mesh, 4 * i + 3, n + i, n + next, 2 * n + 1);
    }
    return mesh;
}

static void cylinders_are_prisms_of_many_sides(void** state) {
    iso_context* ctx = *state;
    test_random random = test_random_make(26);
    iso_shape_desc plane = iso_shape_desc_default(ISO_SHAPE_HALF_SPACE);
    iso_shape_desc round = iso_shape_desc_default(ISO_SHAPE_CYLINDER);
    iso_volume_body* half_space = body_of_shape(ctx, &plane);
    round.radius = 0.4;
    round.length = 0.9;
    iso_tri_mesh mesh = many_sided(ctx, round.radius, round.length, 2000);
    iso_volume_body *cylinder = body_of_shape(ctx, &round), *prism = body_of_mesh(ctx, &mesh);
    for (int i = 0; i < 300; ++i) {
        iso_pose x_wb = test_random_pose(&random, 0.4);
        x_wb.r = i % 5 ? x_wb.r : iso_mat3_from_rpy(i % 2 ? 0.0 : ISO_PI / 2.0, 0.0, 0.3);
        iso_volume_metrics a = meet(ctx, half_space, origin(), cylinder, &x_wb);
        iso_volume_metrics b = meet(ctx, half_space, origin(), prism, &x_wb);
        check_same(a, b, 3e-10);               // measured 7.2e-11
        CHECK_VEC3_NEAR(a.area, b.area, 3e-6); // measured 6.5e-7
        CHECK_VEC3_NEAR(a.turn, b.turn, 1e-7); // measured 1.6e-8
    }
    iso_volume_body_destroy(ctx, half_space);
    iso_volume_body_destroy(ctx, cylinder);
    iso_volume_body_destroy(ctx, prism);
    iso_tri_mesh_destroy(ctx, &mesh);
}

static void octrees_keep_their_digits(void** state) {
    iso_context* ctx = *state;
    test_random random = test_random_make(27);
    for (int i = 0; i < TEST_ROUNDS(20, 4); ++i) {
        bool is_round = i % 2 == 0;
        iso_volume_body* a = is_round ? ball_body(ctx, 0.6) : box_body(ctx, 1.0, 0.7, 0.8);
        iso_volume_body* b = i % 4 < 2 ? ball_body(ctx, 0.5) : box_body(ctx, 0.8, 0.9, 0.5);
        iso_pose x_ab = test_random_pose(&random, 0.4);
        iso_volume_metrics exact = meet(ctx, a, origin(), b, &x_ab), octree;
        iso_volume_settings settings = {.digits = i % 3 + 1.2, .max_depth = 8};
        bool is_done = iso_volume_octree(a, b, &x_ab, &settings, &octree);
        double allowed = pow(10.0, -settings.digits);
        CHECK(is_done, "error %g", octree.error);
        CHECK_REL(octree.volume, exact.volume, allowed);
        CHECK_VEC3_NEAR(octree.centroid, exact.centroid, allowed);
        CHECK_VEC3_NEAR(octree.area, exact.area, 0.05);
        iso_volume_body_destroy(ctx, a);
        iso_volume_body_destroy(ctx, b);
    }
}

// Stretched to a unit ball, a half space stays one.
static void ellipsoids_are_stretched_balls(void** state) {
    iso_context* ctx = *state;
    test_random random = test_random_make(28);
    iso_shape_desc plane = iso_shape_desc_default(ISO_SHAPE_HALF_SPACE);
    iso_volume_body* half_space = body_of_shape(ctx, &plane);
    for (int i = 0; i < 12; ++i) {
        iso_shape_desc shape = iso_shape_desc_default(ISO_SHAPE_ELLIPSOID);
        shape.size = test_random_vec3(&random, 0.2, 0.8);
        iso_volume_body* b = body_of_shape(ctx, &shape);
        iso_pose x_wb = test_random_pose(&random, 0.2);
        iso_vec3 n = iso_vec3_make(x_wb.r.m[2][0], x_wb.r.m[2][1], x_wb.r.m[2][2]);
        double stretch = iso_vec3_norm(iso_vec3_mul(n, shape.size));
        double h = fmin(fmax(1.0 - x_wb.p.z / stretch, 0.0), 2.0);
        double exact =
            ISO_PI * h * h * (3.0 - h) / 3.0 * shape.size.x * shape.size.y * shape.size.z;
        iso_volume_metrics m = meet(ctx, b, &x_wb, half_space, origin());
        assert_int_equal(m.method, ISO_VOLUME_ANALYTIC);
        CHECK_REL(m.volume, exact, 1e-12); // measured 1e-14
        iso_volume_body_destroy(ctx, b);
    }
    iso_volume_body_destroy(ctx, half_space);
}

// A lean of 1e-9 is as much as one of 1e-3 where the bottom is that little deep: stiff coins that
// slide had theirs lost, and stopped.
static void cylinders_that_hardly_lean_press_on_one_side(void** state) {
    iso_context* ctx = *state;
    iso_shape_desc plane = iso_shape_desc_default(ISO_SHAPE_HALF_SPACE);
    iso_volume_body* half_space = body_of_shape(ctx, &plane);
    for (int seed = 0; seed < 200; ++seed) {
        test_random random = test_random_make((uint64_t)seed + 800);
        iso_shape_desc shape = iso_shape_desc_default(ISO_SHAPE_CYLINDER);
        double r = shape.radius = test_random_uniform(&random, 0.01, 1.0);
        shape.length = r * test_random_uniform(&random, 0.1, 2.0);
        double depth = r * pow(10.0, test_random_uniform(&random, -9.0, -4.0));
        double lean = test_random_uniform(&random, 0.0, 0.999) * depth / r;
        double way = test_random_uniform(&random, -ISO_PI, ISO_PI);
        iso_vec3 about = iso_vec3_make(-sin(way), cos(way), 0.0);
        iso_quat turned = iso_quat_from_rotation_vector(iso_vec3_scale(about, lean));
        iso_pose x = iso_pose_identity();
        x.r = iso_mat3_from_quat(turned);
        x.p.z = 0.5 * shape.length * (seed % 2 ? 1.0 : cos(lean)) - depth;
        iso_volume_body* b = body_of_shape(ctx, &shape);
        iso_volume_metrics m = meet(ctx, half_space, origin(), b, &x);
        double aside = m.centroid.x * cos(way) + m.centroid.y * sin(way);
        double exact = 0.25 * r * r * lean / depth;
        CHECK(fabs(aside - exact) < 1e-3 * r, "seed %d: %g, expected %g of %g", seed, aside, exact,
              r);
        double size = ISO_PI * r * r * depth;
        CHECK(fabs(m.volume - size) < 1e-3 * size, "seed %d: %g, expected %g", seed, m.volume,
              size);
        iso_volume_body_destroy(ctx, b);
    }
    iso_volume_body_destroy(ctx, half_space);
}

static void what_cannot_be_is_refused(void** state) {
    iso_context* ctx = *state;
    iso_volume_metrics m;
    iso_shape_desc plane = iso_shape_desc_default(ISO_SHAPE_HALF_SPACE);
    iso_shape_desc egg = iso_shape_desc_default(ISO_SHAPE_ELLIPSOID);
    egg.size = iso_vec3_make(0.3, 0.4, 0.5);
    iso_volume_body *a = body_of_shape(ctx, &plane), *b = body_of_shape(ctx, &egg), *bad;
    const iso_pose* x = origin();
    CHECK_STATUS(ctx, iso_volume_intersect(ctx, a, x, a, x, NULL, &m), ISO_ERR_UNSUPPORTED);
    iso_volume_settings settings = {.digits = 9.0, .max_depth = 4};
    CHECK_OK(ctx, iso_volume_intersect(ctx, a, x, b, x, &settings, &m)); // without an octree
    settings.by_octree = true;
    CHECK_STATUS(ctx, iso_volume_intersect(ctx, a, x, b, x, &settings, &m), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "digits is 9");
    settings.digits = 6.0;
    iso_pose x_wb = iso_pose_from_position(iso_vec3_make(0.55, 0.0, 0.1));
    assert_false(iso_volume_octree(b, b, &x_wb, &settings, &m));
    CHECK(m.volume > 0.0 && m.error > 1e-6, "volume %g, error %g", m.volume, m.error);
    x_wb.r.m[0][0] = 2.0;
    CHECK_STATUS(ctx, iso_volume_intersect(ctx, a, x, b, &x_wb, NULL, &m), ISO_ERR_RANGE);
    test_random random = test_random_make(1);
    iso_tri_mesh mesh = draw_torus(ctx, &random);
    --mesh.triangle_count;
    iso_shape_desc open = iso_shape_desc_default(ISO_SHAPE_MESH);
    open.surface = &mesh;
    CHECK_STATUS(ctx, iso_volume_body_create(ctx, &open, &bad), ISO_ERR_GEOMETRY);
    ++mesh.triangle_count;
    iso_tri_mesh_destroy(ctx, &mesh);
    iso_volume_body_destroy(ctx, a);
    iso_volume_body_destroy(ctx, b);
}

static iso_status make_star(iso_context* ctx, void* user) {
    iso_shape_desc shape = iso_shape_desc_default(ISO_SHAPE_MESH);
    iso_volume_body* body;
    shape.surface = user;
    iso_status status = iso_volume_body_create(ctx, &shape, &body);
    assert_true((status == ISO_OK) == (body != NULL));
    iso_volume_body_destroy(ctx, body);
    return status;
}

static void every_allocation_may_fail(void** state) {
    iso_context* ctx = *state;
    test_random random = test_random_make(29);
    iso_tri_mesh mesh = draw_torus(ctx, &random);
    CHECK(check_every_allocation_failure(make_star, &mesh) > 5, "few allocations");
    iso_tri_mesh_destroy(ctx, &mesh);
}

static void a_query_allocates_nothing(void** state) {
    iso_context* ctx = *state;
    test_random random = test_random_make(30);
    for (int kind = ISO_SHAPE_SPHERE; kind <= ISO_SHAPE_HALF_SPACE; ++kind) {
        iso_shape_desc shape = iso_shape_desc_default((iso_shape_kind)kind);
        iso_volume_body *a = body_of_shape(ctx, &shape), *b = draw_body(ctx, &random);
        iso_pose x_wb = test_random_pose(&random, 0.3);
        long before = test_heap_of(ctx)->call_count;
        iso_volume_metrics m;
        CHECK_OK(ctx, iso_volume_intersect(ctx, a, origin(), b, &x_wb, NULL, &m));
        CHECK(m.volume > 0.0, "volume %g", m.volume);
        assert_int_equal(test_heap_of(ctx)->call_count, before);
        iso_volume_body_destroy(ctx, a);
        iso_volume_body_destroy(ctx, b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(caps_are_the_closed_forms),
        cmocka_unit_test(lenses_are_sums_of_discs),
        cmocka_unit_test(a_ball_in_cells_of_a_body_is_one_ball),
        cmocka_unit_test(a_ball_sees_a_big_box_as_a_half_space),
        cmocka_unit_test(area_of_a_ball_is_the_derivative),
        cmocka_unit_test(cylinders_are_prisms_of_many_sides),
        cmocka_unit_test(octrees_keep_their_digits),
        cmocka_unit_test(ellipsoids_are_stretched_balls),
        cmocka_unit_test(cylinders_that_hardly_lean_press_on_one_side),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(a_query_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, test_set_up, test_tear_down);
}
