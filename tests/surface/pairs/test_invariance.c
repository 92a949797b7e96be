// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// What must not change a patch: the order of the pair, a common motion, repetition, the
// representation; and what a patch must be: complete, closed inside a body, continuous in the pose.

#include "surface/pair_fixture.h"

#include <stdlib.h>
#include <string.h>

static iso_context* ctx;
static iso_arena arena;
static iso_arena other_arena;

static int set_up(void** state) {
    (void)state;
    ctx = test_context();
    return iso_arena_init(&arena, ctx, 0) == ISO_OK &&
                   iso_arena_init(&other_arena, ctx, 0) == ISO_OK
               ? 0
               : 1;
}

static int tear_down(void** state) {
    (void)state;
    iso_arena_destroy(&arena);
    iso_arena_destroy(&other_arena);
    test_context_destroy(ctx);
    return 0;
}

static iso_patch query_in(iso_arena* where, const iso_contact_shape* a, iso_pose x_wa,
                          const iso_contact_shape* b, iso_pose x_wb,
                          iso_representation representation) {
    iso_contact_options options = fixture_options();
    options.representation = representation;
    iso_patch patch;
    CHECK_OK(ctx, iso_arena_reset(where));
    CHECK_OK(ctx, iso_pair_query(where, a, &x_wa, b, &x_wb, &options, &patch));
    return patch;
}

static iso_patch query(const iso_contact_shape* a, iso_pose x_wa, const iso_contact_shape* b,
                       iso_pose x_wb) {
    return query_in(&arena, a, x_wa, b, x_wb, ISO_REPRESENTATION_POLYGON);
}

// One pair of every kind of kernel; 0 .. PAIR_KINDS - 1.
#define PAIR_KINDS 8
static void make_pair(int kind, iso_contact_shape** a, iso_contact_shape** b) {
    iso_contact_material slab = fixture_compliant(1e6, 0.0);
    slab.slab_thickness = 0.05;
    iso_contact_material soft = fixture_compliant(1e5, 0.05);
    soft.margin = 0.01;
    switch (kind) {
    case 0:
        *a = fixture_shape(ctx, fixture_sphere(0.1), fixture_compliant(1e5, 0.05));
        *b = fixture_shape(ctx, fixture_box(0.1, 0.2, 0.15), fixture_compliant(1e6, 0.0));
        return;
    case 1: // equal shapes: only the poses tell them apart
        *a = fixture_shape(ctx, fixture_box(0.1, 0.2, 0.15), fixture_compliant(1e6, 0.0));
        *b = fixture_shape(ctx, fixture_box(0.1, 0.2, 0.15), fixture_compliant(1e6, 0.0));
        return;
    case 2:
        *a = fixture_shape(ctx, fixture_box(0.1, 0.2, 0.15), fixture_compliant(1e6, 0.0));
        *b = fixture_shape(ctx, fixture_cylinder(0.05, 0.3), fixture_rigid(0.03));
        return;
    case 3:
        *a = fixture_half_space(ctx, fixture_rigid(0.0));
        *b = fixture_shape(ctx, fixture_cylinder(0.05, 0.3), fixture_compliant(1e6, 0.03));
        return;
    case 4:
        *a = fixture_half_space(ctx, slab);
        *b = fixture_shape(ctx, fixture_cylinder(0.05, 0.3), fixture_compliant(1e6, 0.03));
        return;
    case 5:
        *a = fixture_half_space(ctx, slab);
        *b = fixture_shape(ctx, fixture_cylinder(0.05, 0.3), fixture_rigid(0.03));
        return;
    case 6: // equally steep: their content tells them apart
        *a = fixture_shape(ctx, fixture_box(0.1, 0.2, 0.15), fixture_compliant(1e6, 0.0));
        *b = fixture_shape(ctx, fixture_box(0.1, 0.2, 0.25), fixture_compliant(1e6, 0.0));
        return;
    default:
        *a = fixture_shape(ctx, fixture_sphere(0.1), soft);
        *b = fixture_shape(ctx, fixture_cylinder(0.05, 0.3), soft);
        return;
    }
}

static void random_poses(test_random* random, iso_pose* x_wa, iso_pose* x_wb) {
    *x_wa = test_random_pose(random, 0.1);
    iso_pose x_ab = test_random_pose(random, 0.08);
    *x_wb = iso_pose_mul(x_wa, &x_ab);
}

static void destroy_pair(iso_contact_shape* a, iso_contact_shape* b) {
    iso_contact_shape_destroy(ctx, a);
    iso_contact_shape_destroy(ctx, b);
}

static void check_mirrored(const iso_patch* p, const iso_patch* q) {
    CHECK(p->face_count == q->face_count && p->vertex_count == q->vertex_count,
          "%d, %d faces; %d, %d vertices", p->face_count, q->face_count, p->vertex_count,
          q->vertex_count);
    CHECK(p->is_rigid_a == q->is_rigid_b && p->is_rigid_b == q->is_rigid_a, "rigid flags");
    CHECK_BITS(p->area, q->area);
    CHECK_VEC3_NEAR(p->center_of_pressure, q->center_of_pressure, 0.0);
    for (int f = 0; f < p->face_count; ++f) {
        CHECK_BITS(p->areas[f], q->areas[f]);
        CHECK_BITS(p->pressures[f], q->pressures[f]);
        CHECK_VEC3_NEAR(p->normals[f], iso_vec3_neg(q->normals[f]), 0.0);
        CHECK_VEC3_NEAR(p->gradients_a[f], q->gradients_b[f], 0.0);
        CHECK_VEC3_NEAR(p->gradients_b[f], q->gradients_a[f], 0.0);
        int begin = p->face_offsets[f], last = p->face_offsets[f + 1] - 1;
        for (int i = begin; i <= last; ++i) {
            CHECK_VEC3_NEAR(p->vertices[i], q->vertices[begin + last - i], 0.0);
        }
    }
}

static void swapping_a_and_b_mirrors_the_patch_bit_for_bit(void** state) {
    (void)state;
    test_random random = test_random_make(1);
    for (int kind = 0; kind < PAIR_KINDS; ++kind) {
        iso_contact_shape *a, *b;
        make_pair(kind, &a, &b);
        int contacts = 0;
        for (int i = 0; i < 50; ++i) {
            iso_pose x_wa, x_wb;
            random_poses(&random, &x_wa, &x_wb);
            iso_patch p = query(a, x_wa, b, x_wb);
            iso_patch q = query_in(&other_arena, b, x_wb, a, x_wa, ISO_REPRESENTATION_POLYGON);
            check_mirrored(&p, &q);
            contacts += p.face_count > 0;
        }
        CHECK(contacts > 20, "kind %d: %d contacts", kind, contacts);
        destroy_pair(a, b);
    }
}

static void patch_moves_with_the_bodies(void** state) {
    (void)state;
    test_random random = test_random_make(2);
    double worst_force = 0.0, worst_point = 0.0;
    for (int kind = 0; kind < PAIR_KINDS; ++kind) {
        iso_contact_shape *a, *b;
        make_pair(kind, &a, &b);
        for (int i = 0; i < 50; ++i) {
            iso_pose x_wa, x_wb;
            random_poses(&random, &x_wa, &x_wb);
            iso_pose x = test_random_pose(&random, 1.0);
            iso_patch p = query(a, x_wa, b, x_wb);
            if (p.face_count == 0) {
                continue;
            }
            iso_patch q = query_in(&other_arena, a, iso_pose_mul(&x, &x_wa), b,
                                   iso_pose_mul(&x, &x_wb), ISO_REPRESENTATION_POLYGON);
            CHECK_REL(q.area, p.area, 1e-11); // measured 7.3e-14
            iso_vec3 f = iso_mat3_mul_vec3(&x.r, fixture_wrench(&p).translational);
            double scale = p.area * p.max_pressure;
            worst_force =
                fmax(worst_force, iso_vec3_distance(f, fixture_wrench(&q).translational) / scale);
            worst_point =
                fmax(worst_point, iso_vec3_distance(iso_pose_point(&x, p.center_of_pressure),
                                                    q.center_of_pressure));
        }
        destroy_pair(a, b);
    }
    CHECK_AT_MOST(worst_force, 1e-12); // measured 5.5e-14
    CHECK_AT_MOST(worst_point, 1e-12); // measured 1.7e-15
}

static void fans_of_triangles_cover_the_polygons(void** state) {
    (void)state;
    test_random random = test_random_make(3);
    for (int kind = 0; kind < PAIR_KINDS; ++kind) {
        iso_contact_shape *a, *b;
        make_pair(kind, &a, &b);
        for (int i = 0; i < 20; ++i) {
            iso_pose x_wa, x_wb;
            random_poses(&random, &x_wa, &x_wb);
            iso_patch p = query(a, x_wa, b, x_wb);
            iso_patch q = query_in(&other_arena, a, x_wa, b, x_wb, ISO_REPRESENTATION_TRIANGLE);
            fixture_check_patch(&q, 0.2);
            if (p.face_count == 0) {
                CHECK(q.face_count == 0, "%d triangles", q.face_count);
                continue;
            }
            CHECK(q.face_count >= p.vertex_count - p.face_count &&
                      q.vertex_count == 3 * q.face_count,
                  "%d triangles for %d vertices", q.face_count, p.vertex_count);
            CHECK_REL(q.area, p.area, 1e-13); // measured 2e-15
            CHECK_VEC3_NEAR(fixture_wrench(&q).translational, fixture_wrench(&p).translational,
                            1e-13 * p.area * p.max_pressure); // measured 3e-15
        }
        destroy_pair(a, b);
    }
}

typedef struct edge {
    iso_vec3 from, to;
    double pressure; // larger one of the ends
} edge;

// Lengths of the edges that have no opposite partner, split into those at zero pressure and others.
static void count_open_edges(const iso_patch* p, double tolerance, double* out_rim,
                             double* out_gaps) {
    edge* edges = malloc((size_t)p->vertex_count * sizeof *edges);
    int count = 0;
    for (int f = 0; f < p->face_count; ++f) {
        int begin = p->face_offsets[f], end = p->face_offsets[f + 1];
        for (int i = begin; i < end; ++i) {
            int j = i + 1 < end ? i + 1 : begin;
            edges[count++] =
                (edge){p->vertices[i], p->vertices[j],
                       fmax(fabs(p->vertex_pressures[i]), fabs(p->vertex_pressures[j]))};
        }
    }
    *out_rim = *out_gaps = 0.0;
    for (int i = 0; i < count; ++i) {
        bool is_shared = false;
        for (int j = 0; j < count && !is_shared; ++j) {
            is_shared = iso_vec3_distance(edges[i].from, edges[j].to) <= tolerance &&
                        iso_vec3_distance(edges[i].to, edges[j].from) <= tolerance;
        }
        if (!is_shared) {
            double length = iso_vec3_distance(edges[i].from, edges[i].to);
            *(edges[i].pressure <= 1e-9 * p->max_pressure ? out_rim : out_gaps) += length;
        }
    }
    free(edges);
}

// Without culling a patch of two fields ends only where the pressure is zero.
static void neighbouring_faces_share_their_edges(void** state) {
    (void)state;
    test_random random = test_random_make(4);
    int contacts = 0;
    double worst = 0.0, rim = 0.0;
    for (int kind = 0; kind < 5; ++kind) {
        iso_contact_shape *a, *b;
        make_pair(kind, &a, &b);
        for (int i = 0; i < 40; ++i) {
            iso_pose x_wa, x_wb;
            random_poses(&random, &x_wa, &x_wb);
            iso_patch p = query(a, x_wa, b, x_wb);
            double open, gaps;
            count_open_edges(&p, 1e-10, &open, &gaps);
            worst = fmax(worst, gaps);
            rim = fmax(rim, open);
            contacts += p.face_count > 0;
        }
        destroy_pair(a, b);
    }
    CHECK(contacts > 120, "%d contacts", contacts);
    CHECK(rim > 0.1, "longest rim %g m", rim);
    CHECK_AT_MOST(worst, 1e-9); // measured 0: total length of gaps [m]
}

static void body_inside_another_has_a_closed_patch(void** state) {
    (void)state;
    iso_contact_shape* big = fixture_shape(ctx, fixture_sphere(1.0), fixture_compliant(1e5, 0.5));
    for (int i = 0; i < 2; ++i) {
        iso_contact_material inner = fixture_compliant(1e5, 0.125);
        if (i == 1) {
            inner = fixture_rigid(0.125);
        }
        iso_contact_shape* small = fixture_shape(ctx, fixture_sphere(0.125), inner);
        iso_patch p = query(big, iso_pose_identity(), small,
                            iso_pose_from_position(iso_vec3_make(0.5, 0.0, 0.0)));
        CHECK(p.face_count > 8, "%d faces", p.face_count);
        iso_vec3 sum = iso_vec3_zero();
        double volume = 0.0; // enclosed, by the divergence theorem
        for (int f = 0; f < p.face_count; ++f) {
            sum = iso_vec3_add_scaled(sum, p.normals[f], p.areas[f]);
            volume -= p.areas[f] * iso_vec3_dot(p.normals[f], p.centroids[f]) / 3.0;
        }
        double rim, gaps;
        count_open_edges(&p, 1e-10, &rim, &gaps);
        CHECK_AT_MOST(iso_vec3_norm(sum), 1e-14 * p.area * 100.0); // measured 4e-17
        CHECK_AT_MOST(rim + gaps, 0.0);
        CHECK(volume > 0.0, "enclosed volume %g", volume);
        iso_contact_shape_destroy(ctx, small);
    }
    iso_contact_shape_destroy(ctx, big);
}

// Bodies along a path: b moves over a, tilting.
static iso_pose path_pose(double s, double height) {
    return iso_pose_make(iso_mat3_from_rpy(0.15 * s, 0.1 - 0.12 * s, 0.8 * s),
                         iso_vec3_make(0.03 * s - 0.01, 0.02 * s, height - 0.002 * s));
}

typedef struct sliding_pair {
    const iso_contact_shape *a, *b;
    double height;
    iso_representation representation;
} sliding_pair;

static iso_patch at(const sliding_pair* path, double s) {
    return query_in(&arena, path->a, iso_pose_identity(), path->b, path_pose(s, path->height),
                    path->representation);
}

static bool same_topology(const iso_patch* p, int faces, int vertices) {
    return p->face_count == faces && p->vertex_count == vertices;
}

// Bisect onto changes of the patch's combinatorics; the wrench must not jump there.
static void check_continuity(const sliding_pair* path, int steps) {
    double peak = 0.0, worst = 0.0;
    int events = 0;
    for (int i = 0; i < steps; ++i) {
        double low = (double)i / steps, high = (double)(i + 1) / steps;
        iso_patch p = at(path, low);
        int faces = p.face_count, vertices = p.vertex_count;
        for (int f = 0; f < p.face_count; ++f) {
            CHECK(p.is_rigid_a || p.is_rigid_b ||
                      iso_vec3_dot(p.gradients_a[f], p.gradients_b[f]) < 0.0,
                  "step %d face %d: gradients not opposed", i, f);
        }
        peak = fmax(peak, iso_vec3_norm(fixture_wrench(&p).translational));
        p = at(path, high);
        if (same_topology(&p, faces, vertices)) {
            continue;
        }
        ++events;
        for (int k = 0; k < 60 && high - low > 1e-15; ++k) {
            double middle = 0.5 * (low + high);
            p = at(path, middle);
            *(same_topology(&p, faces, vertices) ? &low : &high) = middle;
        }
        p = at(path, low);
        iso_spatial before = fixture_wrench(&p);
        p = at(path, high);
        iso_spatial jump = iso_spatial_sub(fixture_wrench(&p), before);
        worst = fmax(worst, iso_vec3_norm(jump.translational));
        worst = fmax(worst, iso_vec3_norm(jump.rotational) / 0.1);
    }
    CHECK(events > 5, "%d events", events);
    CHECK_AT_MOST(worst / peak, 1e-9); // measured 9.5e-14
}

static void wrench_is_continuous_through_vertex_and_edge_events(void** state) {
    (void)state;
    iso_contact_shape* table =
        fixture_shape(ctx, fixture_box(0.2, 0.2, 0.2), fixture_compliant(1e6, 0.0));
    iso_contact_shape* ball =
        fixture_shape(ctx, fixture_sphere(0.05), fixture_compliant(3e5, 0.0125));
    iso_contact_shape* cube = fixture_shape(ctx, fixture_box(0.05, 0.05, 0.05), fixture_rigid(0.0));
    iso_contact_shape* ground = fixture_half_space(ctx, fixture_rigid(0.0));
    for (int i = 0; i < 2; ++i) {
        iso_representation r = i ? ISO_REPRESENTATION_TRIANGLE : ISO_REPRESENTATION_POLYGON;
        check_continuity(&(sliding_pair){table, ball, 0.145, r}, 600);
        check_continuity(&(sliding_pair){table, cube, 0.122, r}, 600);
        check_continuity(&(sliding_pair){ground, ball, 0.045, r}, 600);
    }
    destroy_pair(table, ball);
    destroy_pair(cube, ground);
}

// Force and moment about a point on B, exact: on each triangle of a fan about a corner p and x are
// affine, so the rule of the midpoints of the edges integrates p and p x.
static iso_spatial exact_wrench(const iso_patch* p, iso_vec3 about) {
    iso_spatial sum = iso_spatial_zero();
    for (int f = 0; f < p->face_count; ++f) {
        int first = p->face_offsets[f];
        for (int i = first + 1; i + 1 < p->face_offsets[f + 1]; ++i) {
            int corner[3] = {first, i, i + 1};
            iso_vec3 a = iso_vec3_sub(p->vertices[i], p->vertices[first]);
            iso_vec3 b = iso_vec3_sub(p->vertices[i + 1], p->vertices[first]);
            double third = iso_vec3_dot(iso_vec3_cross(a, b), p->normals[f]) / 6.0;
            for (int k = 0; k < 3; ++k) {
                int u = corner[k], v = corner[(k + 1) % 3];
                double load = third * 0.5 * (p->vertex_pressures[u] + p->vertex_pressures[v]);
                iso_vec3 force = iso_vec3_scale(p->normals[f], load);
                iso_vec3 x = iso_vec3_lerp(p->vertices[u], p->vertices[v], 0.5);
                sum.translational = iso_vec3_add(sum.translational, force);
                sum.rotational =
                    iso_vec3_add(sum.rotational, iso_vec3_cross(iso_vec3_sub(x, about), force));
            }
        }
    }
    return sum;
}

// Work over a closed loop of poses, relative to the sum of its absolute parts.
static double loop_work(const iso_contact_shape* a, const iso_contact_shape* b, double height,
                        int steps) {
    double work = 0.0, total = 0.0;
    iso_vec3 axis = iso_vec3_normalized(iso_vec3_make(0.3, -0.5, 0.2));
    for (int i = 0; i < steps; ++i) {
        double s = 2.0 * ISO_PI * i / steps, ds = 2.0 * ISO_PI / steps;
        double angle = 0.3 * sin(s), rate = 0.3 * cos(s);
        iso_vec3 x = {0.02 * cos(s), 0.01 * sin(s), height + 0.004 * sin(s + 0.5)};
        iso_vec3 v = {-0.02 * sin(s), 0.01 * cos(s), 0.004 * cos(s + 0.5)};
        iso_patch p = query(a, iso_pose_identity(), b,
                            iso_pose_make(iso_mat3_from_axis_angle(axis, angle), x));
        iso_spatial f = exact_wrench(&p, x);
        iso_spatial twist = iso_spatial_make(iso_vec3_scale(axis, rate), v);
        work += iso_spatial_dot(f, twist) * ds;
        total += fabs(iso_spatial_dot(f, twist) * ds);
    }
    CHECK(total > 1e-3, "work %g J", total);
    return fabs(work) / total;
}

// Pressure fields have an energy: a loop through sliding, tilting and pressing gives back all work.
static void closed_path_does_no_work(void** state) {
    (void)state;
    iso_contact_shape* table =
        fixture_shape(ctx, fixture_box(0.2, 0.2, 0.2), fixture_compliant(1e6, 0.0));
    iso_contact_shape* ball =
        fixture_shape(ctx, fixture_sphere(0.05), fixture_compliant(3e5, 0.025));
    iso_contact_shape* cube = fixture_shape(ctx, fixture_box(0.05, 0.05, 0.05), fixture_rigid(0.0));
    iso_contact_shape* ground = fixture_half_space(ctx, fixture_rigid(0.0));
    CHECK_AT_MOST(loop_work(table, ball, 0.14, 2000), 1e-9);  // measured 5.1e-13
    CHECK_AT_MOST(loop_work(table, cube, 0.12, 2000), 1e-9);  // measured 9.6e-12
    CHECK_AT_MOST(loop_work(ground, ball, 0.04, 2000), 1e-9); // measured 5.7e-13
    destroy_pair(table, ball);
    destroy_pair(cube, ground);
}

static void repeated_query_gives_the_same_bits_and_allocates_nothing(void** state) {
    (void)state;
    for (int kind = 0; kind < PAIR_KINDS; ++kind) {
        iso_contact_shape *a, *b;
        make_pair(kind, &a, &b);
        test_random random = test_random_make(6);
        iso_pose x_wa, x_wb;
        random_poses(&random, &x_wa, &x_wb);
        iso_patch p = query_in(&other_arena, a, x_wa, b, x_wb, ISO_REPRESENTATION_POLYGON);
        query(a, x_wa, b, x_wb);
        query(a, x_wa, b, x_wb);
        long before = test_heap_of(ctx)->call_count;
        for (int i = 0; i < 3; ++i) {
            iso_patch q = query(a, x_wa, b, x_wb);
            CHECK(q.face_count == p.face_count, "%d, %d faces", q.face_count, p.face_count);
            CHECK(q.face_count == 0 || memcmp(p.vertices, q.vertices,
                                              (size_t)p.vertex_count * sizeof *p.vertices) == 0,
                  "kind %d: vertices differ", kind);
        }
        CHECK(test_heap_of(ctx)->call_count == before, "%ld allocations",
              test_heap_of(ctx)->call_count - before);
        destroy_pair(a, b);
    }
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(swapping_a_and_b_mirrors_the_patch_bit_for_bit),
        TEST(patch_moves_with_the_bodies),
        TEST(fans_of_triangles_cover_the_polygons),
        TEST(neighbouring_faces_share_their_edges),
        TEST(body_inside_another_has_a_closed_patch),
        TEST(wrench_is_continuous_through_vertex_and_edge_events),
        TEST(closed_path_does_no_work),
        TEST(repeated_query_gives_the_same_bits_and_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
