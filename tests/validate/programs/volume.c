// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// What Gonthier 2007 says of volumes, plates, normals and friction, T9 to T12: drawn bodies against
// closed forms and other ways to the same number.

#include "base/core/fail.h"
#include "support/random.c" // NOLINT: programs have no library of the tests
#include "volume/octree.h"
#include "volume/round/round.h"
#include "volume/solids/force.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static iso_context* ctx;

static void must(iso_status status) {
    if (status != ISO_OK) {
        fprintf(stderr, "volume: %s\n", iso_context_error(ctx));
        exit(1);
    }
}

static iso_volume_body* body_of(iso_shape_kind kind, double radius, double length, iso_vec3 size) {
    iso_shape_desc shape = iso_shape_desc_default(kind);
    iso_volume_body* body = NULL;
    shape.radius = radius;
    shape.length = length;
    shape.size = size;
    must(iso_volume_body_create(ctx, &shape, &body));
    return body;
}

static iso_volume_metrics meet(const iso_volume_body* a, const iso_pose* x_wa,
                               const iso_volume_body* b, const iso_pose* x_wb) {
    iso_volume_metrics m;
    must(iso_volume_intersect(ctx, a, x_wa, b, x_wb, NULL, &m));
    return m;
}

static iso_pose down(double z) {
    return iso_pose_from_position(iso_vec3_make(0.0, 0.0, z));
}

// T9: caps of balls by a half space, a box (closed form and polyhedral sums) and an octree.
static void caps(void) {
    double plane = 0.0, box = 0.0, octree = 0.0, inertia = 0.0;
    for (int i = 0; i < 50; ++i) {
        test_random random = test_random_make((uint64_t)i);
        double r = test_random_uniform(&random, 0.05, 0.5);
        double h = r * test_random_uniform(&random, 0.01, 0.5);
        iso_volume_body* ball = body_of(ISO_SHAPE_SPHERE, r, 0.0, iso_vec3_zero());
        iso_volume_body* half = body_of(ISO_SHAPE_HALF_SPACE, 0.0, 0.0, iso_vec3_zero());
        iso_volume_body* table = body_of(ISO_SHAPE_BOX, 0.0, 0.0, iso_vec3_make(4.0, 4.0, 2.0));
        iso_pose x_ball = down(r - h), x_half = down(0.0), x_table = down(-1.0);
        double exact = ISO_PI * h * h * (3.0 * r - h) / 3.0;
        double j_n = 0.5 * ISO_PI *
                     (4.0 * r * r * h * h * h / 3.0 - r * h * h * h * h + h * h * h * h * h / 5.0);
        iso_volume_metrics a = meet(half, &x_half, ball, &x_ball), b, c;
        iso_pose x_ba = iso_pose_inverse_mul(&x_ball, &x_table);
        iso_volume_ball_polyhedron(r, table, &x_ba, &b);
        const iso_volume_settings settings = {.digits = 2.0, .max_depth = 7};
        (void)iso_volume_octree(ball, table, &x_ba, &settings, &c);
        plane = fmax(plane, fabs(a.volume / exact - 1.0));
        inertia = fmax(inertia, fabs(a.inertia.m[2][2] / j_n - 1.0));
        box = fmax(box, fabs(b.volume / exact - 1.0));
        octree = fmax(octree, fabs(c.volume / exact - 1.0));
        iso_volume_body_destroy(ctx, ball);
        iso_volume_body_destroy(ctx, half);
        iso_volume_body_destroy(ctx, table);
    }
    printf("{\"kind\": \"caps\", \"plane\": %.3g, \"inertia\": %.3g, \"box\": %.3g, \"octree\": "
           "%.3g}\n",
           plane, inertia, box, octree);
}

// T9: a box on a body that is cut into cells at drawn places, over the edge too.
static void cells(void) {
    double force = 0.0, moment = 0.0;
    for (int i = 0; i < 100; ++i) {
        test_random random = test_random_make((uint64_t)i + 100);
        double cut = test_random_uniform(&random, -0.4, 0.4);
        iso_shape_kind kind = i % 3 == 0   ? ISO_SHAPE_BOX
                              : i % 3 == 1 ? ISO_SHAPE_CYLINDER
                                           : ISO_SHAPE_SPHERE;
        iso_volume_body* body = body_of(kind, 0.3, 0.5, iso_vec3_make(0.5, 0.4, 0.3));
        iso_pose x_wb = test_random_pose(&random, 0.1), x_whole = down(-0.5);
        iso_volume_body* whole = body_of(ISO_SHAPE_BOX, 0.0, 0.0, iso_vec3_make(1.0, 1.0, 1.0));
        iso_volume_metrics m = meet(whole, &x_whole, body, &x_wb), sum = {0};
        for (int side = 0; side < 2; ++side) {
            double wide = side ? 0.5 - cut : 0.5 + cut, at = side ? 0.5 + cut : cut - 0.5;
            iso_volume_body* cell = body_of(ISO_SHAPE_BOX, 0.0, 0.0, iso_vec3_make(wide, 1.0, 1.0));
            iso_pose x_cell = iso_pose_from_position(iso_vec3_make(0.5 * at, 0.0, -0.5));
            iso_volume_metrics c = meet(cell, &x_cell, body, &x_wb);
            iso_volume_join(&sum, &c);
            iso_volume_body_destroy(ctx, cell);
        }
        force = fmax(force, fabs(sum.volume / m.volume - 1.0));
        moment = fmax(moment, iso_vec3_norm(iso_vec3_sub(sum.centroid, m.centroid)));
        iso_volume_body_destroy(ctx, body);
        iso_volume_body_destroy(ctx, whole);
    }
    printf("{\"kind\": \"cells\", \"force\": %.3g, \"moment\": %.3g}\n", force, moment);
}

// T10: the plate between foundations lies where both press alike.
static void plates(void) {
    double worst = 0.0;
    for (int i = 0; i < 1000; ++i) {
        test_random random = test_random_make((uint64_t)i + 200);
        double k_a = pow(10.0, test_random_uniform(&random, 3.0, 11.0));
        double k_b = pow(10.0, test_random_uniform(&random, 3.0, 11.0));
        double share = iso_volume_share_of_a(k_a, k_b), k = iso_volume_pair_stiffness(k_a, k_b);
        worst = fmax(worst, fabs(k_a * share / (k_b * iso_volume_share_of_a(k_b, k_a)) - 1.0));
        worst = fmax(worst, fabs(k_a * share / k - 1.0));
    }
    printf("{\"kind\": \"plates\", \"worst\": %.3g, \"rigid\": %g}\n", worst,
           iso_volume_share_of_a(INFINITY, 1e7));
}

// T11: the axis of a lens; a cube has none; over the edge of a table the axis turns smoothly.
static void normals(void) {
    iso_volume_body* ball = body_of(ISO_SHAPE_SPHERE, 0.1, 0.0, iso_vec3_zero());
    iso_volume_body* table = body_of(ISO_SHAPE_BOX, 0.0, 0.0, iso_vec3_make(1.0, 1.0, 0.5));
    iso_volume_body* cube = body_of(ISO_SHAPE_BOX, 0.0, 0.0, iso_vec3_make(0.5, 0.5, 0.5));
    double lens = 1.0, turn = 0.0, before = 0.0;
    for (int i = 0; i < 50; ++i) {
        test_random random = test_random_make((uint64_t)i + 300);
        iso_vec3 n = test_random_unit_vec3(&random);
        iso_pose x_wa = iso_pose_identity();
        iso_pose x_wb = iso_pose_from_position(
            iso_vec3_scale(n, 0.2 - pow(10.0, test_random_uniform(&random, -6.0, -2.0))));
        iso_volume_metrics m = meet(ball, &x_wa, ball, &x_wb);
        iso_volume_normal found = iso_volume_find_normal(&m, iso_vec3_zero());
        lens = fmin(lens, iso_vec3_dot(found.direction, n));
    }
    iso_vec3 last = iso_vec3_zero();
    for (int i = 0; i <= 400; ++i) { // 0.1 mm a step, 1 mm deep
        double y = 0.5 + (i - 200) * 1e-4, over = fmax(y - 0.5, 0.0);
        iso_pose x_wa = down(-0.25), x_wb = iso_pose_from_position(
                                         iso_vec3_make(0.0, y, sqrt(0.099 * 0.099 - over * over)));
        iso_volume_metrics m = meet(table, &x_wa, ball, &x_wb);
        iso_volume_normal found = iso_volume_find_normal(&m, last);
        double angle = atan2(found.direction.y, found.direction.z);
        turn = i > 0 ? fmax(turn, fabs(angle - before)) : 0.0;
        before = angle;
        last = found.direction;
    }
    iso_pose x_ca = down(0.0), x_cb = iso_pose_from_position(iso_vec3_make(0.3, 0.3, 0.3));
    iso_volume_metrics m = meet(cube, &x_ca, cube, &x_cb);
    iso_volume_normal none = iso_volume_find_normal(&m, iso_vec3_zero());
    printf("{\"kind\": \"normals\", \"lens\": %.3g, \"turn\": %.6g, \"end\": %.6g, \"cube\": "
           "\"%s\"}\n",
           1.0 - lens, turn, before, iso_volume_normal_status_name(none.status));
    iso_volume_body_destroy(ctx, ball);
    iso_volume_body_destroy(ctx, table);
    iso_volume_body_destroy(ctx, cube);
}

// T12: friction and torque of a plate of radius 1 that slides and spins, u = v / w.
static void contensou(double u) {
    bool is_spin = u == 0.0, is_slip = isinf(u);
    const iso_volume_normal normal = {.direction = {0.0, 0.0, 1.0}, .gyration = 1.0 / sqrt(3.0)};
    iso_volume_metrics m = {.volume = 1.0};
    iso_spatial still = iso_spatial_zero();
    iso_spatial v =
        iso_spatial_make(iso_vec3_make(0.0, 0.0, is_slip ? 0.0 : 1.0), iso_vec3_make(is_spin   ? 0.0
                                                                                     : is_slip ? 1.0
                                                                                               : u,
                                                                                     0.0, 0.0));
    iso_volume_motion motion =
        iso_volume_motion_of(&m, &normal, &still, iso_vec3_zero(), &v, iso_vec3_zero());
    iso_volume_friction f = iso_volume_coulomb(1.0, 1e-9, &normal, &motion);
    printf("{\"kind\": \"contensou\", \"u\": %g, \"force\": %.12g, \"torque\": %.12g}\n",
           is_slip ? 1e300 : u, iso_vec3_norm(f.traction), fabs(f.moment));
}

int main(void) {
    must(iso_context_create(NULL, &ctx));
    caps();
    cells();
    plates();
    normals();
    static const double ratios[] = {0.0, 0.5, 1.0, 5.0, INFINITY};
    for (int i = 0; i < 5; ++i) {
        contensou(ratios[i]);
    }
    iso_context_destroy(ctx);
    return 0;
}
