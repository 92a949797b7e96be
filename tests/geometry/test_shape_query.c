// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Distances and rays: primitives in closed form, surfaces by search trees.

#include "geometry/mesh/mesh.h"
#include "geometry/search/distance.h"
#include "geometry/search/primitive_query.h"
#include "geometry/search/ray_cast.h"
#include "geometry/surfaces/surface_normals.h"
#include "support/check.h"
#include "support/failing_context.h"
#include "support/random.h"
#include "support/winding.h"

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

#define PRIMITIVE_COUNT 7

static iso_shape_desc make_primitive(int index) {
    static const iso_shape_kind k_kinds[PRIMITIVE_COUNT] = {
        ISO_SHAPE_SPHERE,  ISO_SHAPE_ELLIPSOID, ISO_SHAPE_BOX,      ISO_SHAPE_CYLINDER,
        ISO_SHAPE_CAPSULE, ISO_SHAPE_ELLIPSOID, ISO_SHAPE_CYLINDER,
    };
    iso_shape_desc s = iso_shape_desc_default(k_kinds[index]);
    s.radius = 0.3;
    s.length = index == 6 ? 0.1 : 1.1;
    s.size = iso_vec3_make(0.5, 0.9, 0.7);
    if (index == 5) { // round and flat
        s.size = iso_vec3_make(0.8, 0.05, 0.8);
    }
    return s;
}

// Largest n . x over a convex shape.
static double support(const iso_shape_desc* s, iso_vec3 n) {
    double flat = sqrt(n.x * n.x + n.y * n.y);
    iso_vec3 scaled = iso_vec3_mul(n, s->size);
    switch (s->kind) {
    case ISO_SHAPE_SPHERE:
        return s->radius;
    case ISO_SHAPE_ELLIPSOID:
        return iso_vec3_norm(scaled);
    case ISO_SHAPE_BOX:
        return 0.5 * (fabs(scaled.x) + fabs(scaled.y) + fabs(scaled.z));
    case ISO_SHAPE_CYLINDER:
        return s->radius * flat + 0.5 * s->length * fabs(n.z);
    default:
        return s->radius + 0.5 * s->length * fabs(n.z);
    }
}

// The signed distance to a convex shape is the largest of n . p - support(n) over unit vectors n,
// outside and inside: a normal that reaches it proves both the bound and the value.
static void primitive_distance_is_the_largest_over_all_normals(void** state) {
    (void)state;
    test_random random = test_random_make(1);
    for (int index = 0; index < PRIMITIVE_COUNT; ++index) {
        iso_shape_desc s = make_primitive(index);
        for (int i = 0; i < 2000; ++i) {
            iso_vec3 p = test_random_vec3(&random, -1.5, 1.5);
            if (i % 4 == 1) { // planes and axes of symmetry
                p.x = 0.0;
            } else if (i % 4 == 2) {
                p = iso_vec3_make(0.0, i % 8 == 2 ? 0.0 : 0.2 * p.y, i % 16 == 2 ? 0.0 : p.z);
            } else if (i % 4 == 3) {
                p = iso_vec3_scale(p, 0.1);
            } else if (i % 8 == 4) { // so near to planes of symmetry that a share of 1 is lost
                p = iso_vec3_mul(p, iso_vec3_make(1e-15, i % 16 == 4 ? 1e-14 : 1.0, 1e-13));
            }
            iso_vec3 q, n;
            if (i % 8 == 0) { // on the surface, to rounding
                iso_primitive_distance(&s, p, &q, &n);
                p = q;
            }
            double d = iso_primitive_distance(&s, p, &q, &n);
            CHECK_NEAR(iso_vec3_norm(n), 1.0, 1e-14);                  // measured 4e-16
            CHECK_NEAR(iso_vec3_dot(n, p) - support(&s, n), d, 1e-14); // measured 9e-16
            CHECK_NEAR(iso_vec3_distance(p, q), fabs(d), 1e-14);       // measured 4e-16
            CHECK_NEAR(iso_vec3_dot(n, q), support(&s, n), 1e-14);     // measured 9e-16
            for (int k = 0; k < 20; ++k) {
                iso_vec3 other = test_random_unit_vec3(&random);
                double bound = iso_vec3_dot(other, p) - support(&s, other);
                CHECK(bound <= d + 1e-14, "%g beyond the distance %g", bound, d);
            }
        }
    }
}

static void a_ray_ends_on_the_first_point_of_a_primitive(void** state) {
    (void)state;
    test_random random = test_random_make(2);
    for (int index = 0; index < PRIMITIVE_COUNT; ++index) {
        iso_shape_desc s = make_primitive(index);
        int hits = 0;
        for (int i = 0; i < 2000; ++i) {
            iso_vec3 o = test_random_vec3(&random, -1.2, 1.2), d = test_random_unit_vec3(&random);
            if (i % 5 == 0) { // along an axis, often through the middle
                d = iso_vec3_make(i % 3 == 0 ? -1.0 : 0.0, i % 3 == 1 ? 1.0 : 0.0,
                                  i % 3 == 2 ? 1.0 : 0.0);
                o = iso_vec3_scale(o, i % 2 ? 1.0 : 0.01);
            }
            double t, length = 4.0;
            iso_vec3 n, q, m;
            bool is_hit = iso_primitive_ray_cast(&s, o, d, &t, &n);
            double side = iso_primitive_distance(&s, o, &q, &m);
            if (is_hit) {
                iso_vec3 p = iso_vec3_add_scaled(o, d, t);
                CHECK_NEAR(iso_primitive_distance(&s, p, &q, &m), 0.0, 1e-14); // measured 4e-16
                CHECK_NEAR(iso_vec3_dot(n, p), support(&s, n), 1e-14);         // measured 3e-16
                CHECK(side > 0.0 ? iso_vec3_dot(n, d) <= 0.0 : iso_vec3_dot(n, d) >= 0.0,
                      "normal on the wrong side");
                length = t;
                ++hits;
            }
            CHECK(is_hit || side > 0.0, "a ray from inside misses");
            for (int k = 1; k < 50; ++k) {
                double at = length * k / 50.0;
                double between = iso_primitive_distance(&s, iso_vec3_add_scaled(o, d, at), &q, &m);
                CHECK(side > 0.0 ? between > -1e-14 : between < 1e-14, "crossed at %g of %g", at,
                      length);
            }
        }
        CHECK(hits > 100, "%d hits", hits);
    }
}

// Whose square is 0, or hardly a number.
static void a_slope_that_is_next_to_none_changes_nothing(void** state) {
    (void)state;
    const double slopes[] = {0.0, 1e-300, 1e-170, 1e-160, 1e-99, 1e-30, 1e-17};
    for (int index = 0; index < PRIMITIVE_COUNT; ++index) {
        iso_shape_desc s = make_primitive(index);
        double straight = NAN;
        for (int i = 0; i < 7; ++i) {
            iso_vec3 o = {0.002, 0.001, 3.0}, d = {slopes[i], -slopes[i], -1.0}, n;
            double t = NAN;
            CHECK(iso_primitive_ray_cast(&s, o, d, &t, &n), "shape %d is missed by a slope of %g",
                  index, slopes[i]);
            straight = i == 0 ? t : straight;
            CHECK_NEAR(t, straight, 1e-15); // measured 0
            CHECK(n.z > 0.5, "shape %d by a slope of %g: a normal of %g", index, slopes[i], n.z);
        }
    }
}

static void a_half_space_is_met_from_both_sides(void** state) {
    (void)state;
    iso_shape_desc s = iso_shape_desc_default(ISO_SHAPE_HALF_SPACE);
    iso_vec3 q, n, up = {0.0, 0.0, 1.0}, down = {0.0, 0.0, -1.0};
    double t;
    CHECK_NEAR(iso_primitive_distance(&s, iso_vec3_make(1.0, 2.0, -3.0), &q, &n), -3.0, 0.0);
    CHECK_VEC3_NEAR(q, iso_vec3_make(1.0, 2.0, 0.0), 0.0);
    CHECK(iso_primitive_ray_cast(&s, iso_vec3_make(0.0, 0.0, 2.0), down, &t, &n) && t == 2.0,
          "from above");
    CHECK(iso_primitive_ray_cast(&s, iso_vec3_make(0.0, 0.0, -2.0), up, &t, &n) && t == 2.0,
          "from below");
    CHECK_VEC3_NEAR(n, up, 0.0);
    CHECK(!iso_primitive_ray_cast(&s, iso_vec3_make(0.0, 0.0, 2.0), up, &t, &n), "away");
    CHECK(!iso_primitive_ray_cast(&s, iso_vec3_make(0.0, 0.0, 1.0), iso_vec3_make(1.0, 0.0, 0.0),
                                  &t, &n),
          "beside");
}

// A closed surface that is not convex: a torus of radii 1 and 0.4 about z.
#define TORUS_LONG 24
#define TORUS_ROUND 12

static iso_tri_mesh make_torus(void) {
    iso_tri_mesh mesh;
    CHECK_OK(ctx, iso_tri_mesh_allocate(ctx, TORUS_LONG * TORUS_ROUND, 2 * TORUS_LONG * TORUS_ROUND,
                                        &mesh));
    for (int i = 0; i < TORUS_LONG; ++i) {
        for (int j = 0; j < TORUS_ROUND; ++j) {
            double u = 2.0 * ISO_PI * i / TORUS_LONG, v = 2.0 * ISO_PI * j / TORUS_ROUND;
            double r = 1.0 + 0.4 * cos(v);
            mesh.vertices[i * TORUS_ROUND + j] =
                iso_vec3_make(r * cos(u), r * sin(u), 0.4 * sin(v));
            int a = i * TORUS_ROUND + j, b = (i + 1) % TORUS_LONG * TORUS_ROUND + j;
            int c = i * TORUS_ROUND + (j + 1) % TORUS_ROUND;
            int d = (i + 1) % TORUS_LONG * TORUS_ROUND + (j + 1) % TORUS_ROUND;
            int* first = mesh.triangles[2 * (i * TORUS_ROUND + j)];
            int* second = mesh.triangles[2 * (i * TORUS_ROUND + j) + 1];
            first[0] = a, first[1] = b, first[2] = d;
            second[0] = a, second[1] = d, second[2] = c;
        }
    }
    return mesh;
}

static iso_vec3 corner(const iso_tri_mesh* mesh, int triangle, int k) {
    return mesh->vertices[mesh->triangles[triangle][k]];
}

static void winding_number_counts_the_inside_once(void** state) {
    (void)state;
    iso_tri_mesh torus = make_torus();
    CHECK_NEAR(test_winding_number(&torus, iso_vec3_make(1.0, 0.0, 0.0)), 1.0,
               1e-14);                                                    // 2e-16
    CHECK_NEAR(test_winding_number(&torus, iso_vec3_zero()), 0.0, 1e-14); // measured 3e-17
    CHECK_NEAR(test_winding_number(&torus, iso_vec3_make(3.0, 0.0, 1.0)), 0.0, 1e-14); // 0
    iso_tri_mesh_destroy(ctx, &torus);
}

// The torus, dented at random; with some triangles left out, or with a second one through it.
static iso_tri_mesh make_dented(test_random* random, bool is_open, bool is_double) {
    iso_tri_mesh one = make_torus(), mesh;
    int copies = is_double ? 2 : 1;
    CHECK_OK(ctx, iso_tri_mesh_allocate(ctx, copies * one.vertex_count, copies * one.triangle_count,
                                        &mesh));
    for (int c = 0; c < copies; ++c) {
        iso_pose x = c == 0 ? iso_pose_identity() : test_random_pose(random, 0.5);
        int base = c * one.vertex_count;
        for (int i = 0; i < one.vertex_count; ++i) {
            iso_vec3 dent = test_random_vec3(random, -0.1, 0.1);
            mesh.vertices[base + i] = iso_pose_point(&x, iso_vec3_add(one.vertices[i], dent));
        }
        for (int t = 0; t < one.triangle_count; ++t) {
            for (int k = 0; k < 3; ++k) {
                mesh.triangles[c * one.triangle_count + t][k] = base + one.triangles[t][k];
            }
        }
    }
    mesh.triangle_count -= is_open ? mesh.triangle_count / 3 : 0;
    iso_tri_mesh_destroy(ctx, &one);
    return mesh;
}

static void winding_numbers_of_trees_are_those_of_all_triangles(void** state) {
    (void)state;
    test_random random = test_random_make(9);
    double worst = 0.0;
    int insides = 0, twices = 0;
    const int points = TEST_ROUNDS(400, 80);
    for (int m = 0; m < 12; ++m) {
        iso_tri_mesh mesh = make_dented(&random, m % 4 == 1, m % 4 >= 2);
        iso_distance_tree* tree;
        CHECK_OK(ctx, iso_distance_tree_create(ctx, &mesh, &tree));
        for (int i = 0; i < points; ++i) {
            iso_vec3 p = test_random_vec3(&random, -2.0, 2.0);
            if (i % 2 == 0) { // near the surface, and now and then on it
                int t = test_random_int(&random, 0, mesh.triangle_count - 1);
                p = iso_vec3_lerp(corner(&mesh, t, 0), corner(&mesh, t, 1), 0.3);
                p = iso_vec3_add_scaled(p, test_random_unit_vec3(&random), i % 8 == 0 ? 0.0 : 1e-3);
            }
            double expected = test_winding_number(&mesh, p), single;
            double winding = iso_distance_tree_winding_number(tree, p);
            CHECK_OK(ctx, iso_tri_mesh_winding_number(ctx, &mesh, p, &single));
            CHECK_BITS(single, winding);
            // On the surface all that is near is the same; its own angle may be rounded either way.
            worst = i % 8 == 0 ? worst : fmax(worst, fabs(winding - expected));
            double off = winding - expected;
            CHECK_NEAR(off - round(2.0 * off) / 2.0, 0.0, 2e-3);
            insides += expected > 0.5;
            twices += expected > 1.5;
        }
        iso_distance_tree_destroy(ctx, tree);
        iso_tri_mesh_destroy(ctx, &mesh);
    }
    CHECK_AT_MOST(worst, 2e-3); // measured 7.4e-4
    CHECK(insides > points && twices > points / 10, "%d points inside, %d twice", insides, twices);
}

// Random points, and points a hair off every face, edge and corner.
static void feature_normals_tell_inside_from_outside(void** state) {
    (void)state;
    test_random random = test_random_make(3);
    iso_tri_mesh torus = make_torus();
    iso_surface_normals normals;
    iso_distance_tree* tree;
    CHECK_OK(ctx, iso_surface_normals_create(ctx, &torus, &normals));
    CHECK_OK(ctx, iso_distance_tree_create(ctx, &torus, &tree));
    CHECK(normals.is_manifold, "closed surface");
    int inside_count = 0, corner_count = 0, edge_count = 0;
    for (int i = 0; i < 6000; ++i) {
        iso_vec3 p = test_random_vec3(&random, -1.5, 1.5);
        if (i % 2) {
            int t = test_random_int(&random, 0, torus.triangle_count - 1);
            double share = i % 3 == 0 ? 0.0 : 0.5;
            iso_vec3 rim = iso_vec3_lerp(corner(&torus, t, 0), corner(&torus, t, 1), share);
            p = iso_vec3_add_scaled(rim, test_random_unit_vec3(&random), 1e-4);
        }
        iso_vec3 q;
        int t;
        iso_triangle_feature feature;
        iso_distance_to_surface(tree, p, &q, &t);
        iso_triangle_nearest_feature(p, corner(&torus, t, 0), corner(&torus, t, 1),
                                     corner(&torus, t, 2), &feature);
        iso_vec3 n = iso_surface_normal_at(&normals, t, feature);
        bool is_inside = test_winding_number(&torus, p) > 0.5;
        CHECK((iso_vec3_dot(iso_vec3_sub(p, q), n) < 0.0) == is_inside, "point %d", i);
        inside_count += is_inside;
        corner_count += feature.corner >= 0;
        edge_count += feature.corner < 0 && feature.edge >= 0;
    }
    CHECK(inside_count > 500 && corner_count > 100 && edge_count > 500,
          "%d inside, %d corners, %d edges", inside_count, corner_count, edge_count);
    iso_distance_tree_destroy(ctx, tree);
    iso_surface_normals_destroy(ctx, &normals);
    iso_tri_mesh_destroy(ctx, &torus);
}

// Moeller and Trumbore's test of every triangle.
static double brute_ray(const iso_tri_mesh* mesh, iso_vec3 o, iso_vec3 d) {
    double best = INFINITY;
    for (int t = 0; t < mesh->triangle_count; ++t) {
        iso_vec3 a = corner(mesh, t, 0);
        iso_vec3 e1 = iso_vec3_sub(corner(mesh, t, 1), a), e2 = iso_vec3_sub(corner(mesh, t, 2), a);
        iso_vec3 s = iso_vec3_sub(o, a), h = iso_vec3_cross(d, e2), q = iso_vec3_cross(s, e1);
        double det = iso_vec3_dot(e1, h);
        double u = iso_vec3_dot(s, h) / det, v = iso_vec3_dot(d, q) / det;
        double at = iso_vec3_dot(e2, q) / det;
        if (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && at >= 0.0 && at < best) {
            best = at;
        }
    }
    return best;
}

static void tree_finds_what_every_triangle_would(void** state) {
    (void)state;
    test_random random = test_random_make(4);
    iso_tri_mesh torus = make_torus();
    iso_distance_tree* tree;
    CHECK_OK(ctx, iso_distance_tree_create(ctx, &torus, &tree));
    int hits = 0;
    for (int i = 0; i < 3000; ++i) {
        iso_vec3 o = test_random_vec3(&random, -1.5, 1.5), d = test_random_unit_vec3(&random);
        double expected = brute_ray(&torus, o, d), t = INFINITY;
        int triangle = iso_ray_cast_surface(tree, o, d, INFINITY, &t);
        CHECK((triangle >= 0) == isfinite(expected), "ray %d", i);
        if (triangle >= 0) {
            CHECK_NEAR(t, expected, 1e-12); // measured 1.3e-15
            CHECK(iso_ray_cast_surface(tree, o, d, 0.999 * t, &t) < 0, "beyond the limit");
            CHECK(iso_segment_meets_surface(&torus, o, iso_vec3_add_scaled(o, d, 1.001 * t)),
                  "way %d ends behind the surface", i);
            CHECK(!iso_segment_meets_surface(&torus, o, iso_vec3_add_scaled(o, d, 0.999 * t)),
                  "way %d ends before the surface", i);
            ++hits;
        }
    }
    CHECK(hits > 500, "%d hits", hits);
    CHECK(!iso_segment_meets_surface(&torus, torus.vertices[0], torus.vertices[0]), "no way");
    iso_distance_tree_destroy(ctx, tree);
    iso_tri_mesh_destroy(ctx, &torus);
}

// A ray from inside a convex surface that is aimed at an edge or a corner meets it there.
static void no_ray_slips_between_two_triangles(void** state) {
    (void)state;
    test_random random = test_random_make(5);
    iso_shape_desc sphere = iso_shape_desc_default(ISO_SHAPE_SPHERE);
    iso_tri_mesh mesh;
    iso_distance_tree* tree;
    CHECK_OK(ctx, iso_shape_surface(ctx, &sphere, 0.3, &mesh));
    CHECK_OK(ctx, iso_distance_tree_create(ctx, &mesh, &tree));
    for (int i = 0; i < 200; ++i) {
        iso_vec3 o = test_random_vec3(&random, -0.4, 0.4);
        for (int t = 0; t < mesh.triangle_count; ++t) {
            double share = i % 2 ? 0.0 : test_random_uniform(&random, 0.0, 1.0);
            iso_vec3 aim = iso_vec3_lerp(corner(&mesh, t, 0), corner(&mesh, t, 1), share);
            iso_vec3 d = iso_vec3_normalized(iso_vec3_sub(aim, o));
            double at = INFINITY;
            CHECK(iso_ray_cast_surface(tree, o, d, INFINITY, &at) >= 0, "left at triangle %d", t);
            CHECK_NEAR(at, iso_vec3_distance(aim, o), 1e-13); // measured 9e-16
        }
    }
    iso_distance_tree_destroy(ctx, tree);
    iso_tri_mesh_destroy(ctx, &mesh);
}

static void equally_near_triangles_give_the_lowest_index(void** state) {
    (void)state;
    iso_vec3 vertices[5] = {
        {0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {-1.0, 0.0, 0.0}, {0.0, -1.0, 0.0}};
    int triangles[4][3] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 1}};
    iso_tri_mesh mesh = {5, 4, vertices, triangles};
    iso_distance_tree* tree;
    CHECK_OK(ctx, iso_distance_tree_create(ctx, &mesh, &tree));
    double t;
    int triangle = iso_ray_cast_surface(tree, iso_vec3_make(0.0, 0.0, 1.0),
                                        iso_vec3_make(0.0, 0.0, -1.0), INFINITY, &t);
    CHECK(triangle == 0 && t == 1.0, "triangle %d at %g", triangle, t);
    iso_distance_tree_destroy(ctx, tree);
}

static iso_status make_normals(iso_context* failing, void* user) {
    iso_surface_normals normals;
    iso_status status = iso_surface_normals_create(failing, user, &normals);
    iso_surface_normals_destroy(failing, &normals);
    return status;
}

static void every_allocation_failure_is_survived(void** state) {
    (void)state;
    iso_tri_mesh torus = make_torus();
    check_every_allocation_failure(make_normals, &torus);
    iso_tri_mesh_destroy(ctx, &torus);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(primitive_distance_is_the_largest_over_all_normals),
        TEST(a_ray_ends_on_the_first_point_of_a_primitive),
        TEST(a_slope_that_is_next_to_none_changes_nothing),
        TEST(a_half_space_is_met_from_both_sides),
        TEST(winding_number_counts_the_inside_once),
        TEST(winding_numbers_of_trees_are_those_of_all_triangles),
        TEST(feature_normals_tell_inside_from_outside),
        TEST(tree_finds_what_every_triangle_would),
        TEST(no_ray_slips_between_two_triangles),
        TEST(equally_near_triangles_give_the_lowest_index),
        TEST(every_allocation_failure_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
