// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Lists of faces: however they grow, the patch is the same.

#include "surface/faces/face_list.h"
#include "surface/faces/fan_writer.h"
#include "surface/faces/pressed_face.h"
#include "surface/kernels/kernels.h"
#include "surface/pair_fixture.h"

// After the helpers, whose parameters have the names of its variables.
#include "support/arena_fixture.h"

#include <math.h>
#include <string.h>

#define POLYGONS 3000

// A regular polygon of 3 to 8 sides in a random plane.
static void random_polygon(test_random* random, iso_clip_polygon* out, iso_vec3* out_normal) {
    iso_vec3 n = test_random_unit_vec3(random);
    iso_vec3 u = iso_vec3_normalized(iso_vec3_cross(n, test_random_unit_vec3(random)));
    iso_vec3 v = iso_vec3_cross(n, u);
    iso_vec3 center = iso_vec3_scale(test_random_unit_vec3(random), 0.1);
    double radius = test_random_uniform(random, 1e-3, 1e-2);
    out->count = 3 + (int)test_random_uniform(random, 0.0, 5.99);
    for (int i = 0; i < out->count; ++i) {
        double angle = 2.0 * ISO_PI * i / out->count;
        iso_vec3 x = iso_vec3_add_scaled(center, u, radius * cos(angle));
        x = iso_vec3_add_scaled(x, v, radius * sin(angle));
        double values[4] = {x.x, x.y, x.z, 2e3 + 1e4 * x.x}; // positive
        memcpy(out->v[i].x, values, sizeof values);
    }
    *out_normal = n;
}

static iso_face_frame random_frame(test_random* random) {
    return (iso_face_frame){test_random_pose(random, 1.0), true, false, true, 0.2};
}

// The polygons begin .. end - 1 of a sequence.
static void add_polygons(iso_face_list* list, int begin, int end) {
    test_random random = test_random_make(8);
    for (int i = 0; i < end; ++i) {
        iso_clip_polygon polygon;
        iso_vec3 normal;
        random_polygon(&random, &polygon, &normal);
        iso_face_side side_0 = {iso_vec3_make(1e4, 0.0, 0.0), i}, side_1 = {iso_vec3_zero(), -1};
        if (i >= begin) {
            CHECK(iso_face_list_add(list, &polygon, normal, &side_0, &side_1), "polygon %d", i);
        }
    }
}

static void check_same(const iso_patch* p, const iso_patch* q) {
    CHECK(p->face_count == q->face_count && p->vertex_count == q->vertex_count, "%d, %d faces",
          p->face_count, q->face_count);
    CHECK(memcmp(p->face_offsets, q->face_offsets, sizeof(int) * (size_t)(p->face_count + 1)) == 0,
          "offsets");
    CHECK(memcmp(p->elements, q->elements, sizeof *p->elements * (size_t)p->face_count) == 0,
          "elements");
    CHECK_ARRAY_BITS(&p->vertices[0].x, &q->vertices[0].x, 3 * p->vertex_count);
    CHECK_ARRAY_BITS(p->vertex_pressures, q->vertex_pressures, p->vertex_count);
    CHECK_ARRAY_BITS(p->areas, q->areas, p->face_count);
    CHECK_ARRAY_BITS(p->pressures, q->pressures, p->face_count);
    CHECK_ARRAY_BITS(&p->centroids[0].x, &q->centroids[0].x, 3 * p->face_count);
    CHECK_ARRAY_BITS(&p->normals[0].x, &q->normals[0].x, 3 * p->face_count);
    CHECK_ARRAY_BITS(&p->gradients_a[0].x, &q->gradients_a[0].x, 3 * p->face_count);
    CHECK_ARRAY_BITS(&p->gradients_b[0].x, &q->gradients_b[0].x, 3 * p->face_count);
    CHECK_BITS(p->area, q->area);
    CHECK_BITS(p->max_pressure, q->max_pressure);
    CHECK_BITS(p->centroid.x, q->centroid.x);
    CHECK_BITS(p->center_of_pressure.y, q->center_of_pressure.y);
}

// A list with memory behind it, so that it cannot grow where it is; one with room from the start.
static void lists_that_move_give_the_bits_of_those_that_stay(void** state) {
    (void)state;
    for (int fan = 0; fan < 2; ++fan) {
        iso_representation representation =
            fan ? ISO_REPRESENTATION_TRIANGLE : ISO_REPRESENTATION_POLYGON;
        test_random random = test_random_make(5);
        iso_face_frame frame = random_frame(&random);
        iso_face_list one, whole;
        iso_patch expected, patch;
        CHECK_OK(ctx, iso_arena_reset(&arena));
        iso_face_list_begin(&one, &arena, &frame, representation);
        add_polygons(&one, 0, POLYGONS);
        CHECK_OK(ctx, iso_face_list_finish(&one, &expected));
        fixture_check_patch(&expected, 1.0);
        CHECK(expected.face_count >= POLYGONS, "%d faces", expected.face_count);

        iso_face_list_begin(&whole, &arena, &frame, representation);
        for (int part = 0; part < 5; ++part) {
            CHECK(iso_arena_push(&arena, 64) != NULL, "memory");
            add_polygons(&whole, POLYGONS * part / 5, POLYGONS * (part + 1) / 5);
        }
        CHECK_OK(ctx, iso_face_list_finish(&whole, &patch));
        check_same(&expected, &patch);

        iso_face_list_begin(&whole, &arena, &frame, representation);
        CHECK(iso_face_list_reserve(&whole, POLYGONS, 8 * POLYGONS), "memory");
        add_polygons(&whole, 0, POLYGONS);
        CHECK_OK(ctx, iso_face_list_finish(&whole, &patch));
        check_same(&expected, &patch);
    }
}

// Large scratch below the faces is given back, little is left.
static void results_take_the_place_of_large_scratch(void** state) {
    (void)state;
    test_random random = test_random_make(6);
    iso_face_frame frame = random_frame(&random);
    iso_patch patch;
    for (int large = 0; large < 2; ++large) {
        CHECK_OK(ctx, iso_arena_reset(&arena));
        CHECK(iso_arena_push(&arena, 128) != NULL, "memory");
        iso_face_list list;
        iso_face_list_begin(&list, &arena, &frame, ISO_REPRESENTATION_POLYGON);
        CHECK(iso_arena_push(&arena, large ? 4000000 : 64) != NULL, "memory");
        add_polygons(&list, 0, 500);
        CHECK_OK(ctx, iso_face_list_finish(&list, &patch));
        fixture_check_patch(&patch, 1.0);
        CHECK(arena.total < 1000000, "%zu bytes in use", arena.total);
    }
    iso_face_list empty;
    iso_face_list_begin(&empty, &arena, &frame, ISO_REPRESENTATION_POLYGON);
    size_t before = arena.total;
    CHECK(iso_arena_push(&arena, 64) != NULL, "memory");
    CHECK_OK(ctx, iso_face_list_finish(&empty, &patch));
    CHECK(patch.face_count == 0 && patch.face_offsets[0] == 0 && arena.total == before,
          "%d faces, %zu bytes", patch.face_count, arena.total);
}

static void polygons_without_area_are_left_out(void** state) {
    (void)state;
    test_random random = test_random_make(7);
    iso_face_frame frame = random_frame(&random);
    iso_face_list list;
    iso_clip_polygon flat = {.count = 4};
    for (int i = 0; i < 4; ++i) {
        double values[4] = {i, 0.0, 0.0, 1.0};
        memcpy(flat.v[i].x, values, sizeof values);
    }
    iso_face_side side = {iso_vec3_make(1.0, 0.0, 0.0), 3};
    frame.x_w0 = iso_pose_identity();
    iso_face_list_begin(&list, &arena, &frame, ISO_REPRESENTATION_POLYGON);
    CHECK(iso_face_list_add(&list, &flat, iso_vec3_make(0.0, 0.0, 1.0), &side, &side), "memory");
    CHECK(list.face_count == 0, "%d faces", list.face_count);
}

static void sums_are_those_of_the_faces_whatever_their_number(void** state) {
    (void)state;
    test_random random = test_random_make(9);
    iso_face_frame frame = random_frame(&random);
    for (int count = 1; count <= 13; ++count) {
        iso_face_list list;
        iso_patch patch;
        CHECK_OK(ctx, iso_arena_reset(&arena));
        iso_face_list_begin(&list, &arena, &frame, ISO_REPRESENTATION_POLYGON);
        add_polygons(&list, 0, count);
        CHECK_OK(ctx, iso_face_list_finish(&list, &patch));
        CHECK(patch.face_count == count, "%d faces", patch.face_count);
        double area = 0.0, force = 0.0;
        iso_vec3 moment = iso_vec3_zero(), pressure_moment = iso_vec3_zero();
        for (int f = 0; f < count; ++f) {
            double load = patch.areas[f] * patch.pressures[f];
            area += patch.areas[f];
            force += load;
            moment = iso_vec3_add_scaled(moment, patch.centroids[f], patch.areas[f]);
            pressure_moment = iso_vec3_add_scaled(pressure_moment, patch.centroids[f], load);
        }
        CHECK_REL(patch.area, area, 1e-14); // measured 2.1e-16
        iso_vec3 centroid = iso_vec3_scale(moment, 1.0 / area);
        CHECK_VEC3_NEAR(patch.centroid, centroid, 1e-14); // measured 1.1e-16
        iso_vec3 center_of_pressure = iso_vec3_scale(pressure_moment, 1.0 / force);
        CHECK_VEC3_NEAR(patch.center_of_pressure, center_of_pressure, 1e-14); // measured 2.5e-16
    }
}

// The same ball at the same place on a slab with a margin and without: what has pressure is the
// same part of the plane.
static void a_margin_changes_no_sum(void** state) {
    (void)state;
    iso_contact_options options = fixture_options();
    iso_contact_material slab = fixture_compliant(1e5, 0.0);
    slab.slab_thickness = 0.05;
    iso_contact_shape* bare = fixture_half_space(ctx, slab);
    slab.margin = 0.005;
    iso_contact_shape* wide = fixture_half_space(ctx, slab);
    iso_contact_shape* ball = fixture_shape(ctx, fixture_sphere(0.05), fixture_rigid(0.01));
    iso_pose x_wa = iso_pose_identity();
    iso_pose x_wb = iso_pose_from_position(iso_vec3_make(0.01, 0.02, 0.045));
    for (int fan = 0; fan < 2; ++fan) {
        options.representation = fan ? ISO_REPRESENTATION_TRIANGLE : ISO_REPRESENTATION_POLYGON;
        iso_patch without, with;
        CHECK_OK(ctx, iso_arena_reset(&arena));
        CHECK_OK(ctx, iso_pair_query(&arena, bare, &x_wa, ball, &x_wb, &options, &without));
        CHECK_OK(ctx, iso_pair_query(&arena, wide, &x_wa, ball, &x_wb, &options, &with));
        CHECK(with.face_count > without.face_count, "%d faces, %d with a margin",
              without.face_count, with.face_count);
        CHECK_REL(with.area, without.area, 1e-12); // measured 3e-16
        CHECK_BITS(with.max_pressure, without.max_pressure);
        CHECK_NEAR(iso_vec3_distance(with.centroid, without.centroid), 0.0,
                   1e-14); // measured 7e-18
        // One sample a triangle, and those that are cut are other triangles; measured 7e-18
        // and 1.2e-5.
        CHECK_NEAR(iso_vec3_distance(with.center_of_pressure, without.center_of_pressure), 0.0,
                   fan ? 1e-4 : 1e-14);
    }
    // In the margin only: no area, but a place.
    iso_patch patch;
    x_wb.p.z = 0.052;
    CHECK_OK(ctx, iso_pair_query(&arena, wide, &x_wa, ball, &x_wb, &options, &patch));
    CHECK(patch.face_count > 0 && patch.max_pressure < 0.0, "%d faces, %g Pa", patch.face_count,
          patch.max_pressure);
    CHECK_BITS(patch.area, 0.0);
    CHECK_NEAR(patch.centroid.x, 0.01, 1e-3); // the ball's lowest point; measured 0
    CHECK_BITS(patch.center_of_pressure.x, patch.centroid.x);
    iso_contact_shape_destroy(ctx, bare);
    iso_contact_shape_destroy(ctx, wide);
    iso_contact_shape_destroy(ctx, ball);
}

// Large bodies, whose faces the walk brings: with margins, with one and without.
static void sums_of_many_faces_leave_margins_out(void** state) {
    (void)state;
    iso_contact_options options = fixture_options();
    iso_pose x_wa = iso_pose_identity();
    iso_pose x_wb = iso_pose_from_position(iso_vec3_make(0.02, 0.01, 0.19));
    for (int margins = 0; margins < 4; ++margins) {
        iso_contact_material soft = fixture_compliant(1e5, 0.008);
        iso_contact_shape* balls[2];
        for (int i = 0; i < 2; ++i) {
            soft.margin = (margins >> i & 1) * 0.005;
            balls[i] = fixture_shape(ctx, fixture_sphere(0.1), soft);
        }
        assert_true(iso_pair_is_large(balls[0], balls[1]));
        iso_patch patch;
        CHECK_OK(ctx, iso_arena_reset(&arena));
        CHECK_OK(ctx, iso_pair_query(&arena, balls[0], &x_wa, balls[1], &x_wb, &options, &patch));
        double area = 0.0, all = 0.0;
        for (int f = 0; f < patch.face_count; ++f) {
            iso_pressed_face face;
            iso_patch_press_face(&patch, f, &face);
            area += face.area;
            all += patch.areas[f];
        }
        CHECK((all - area > 0.1 * area) == (margins == 3), "margins %d: %g of %g m^2", margins,
              area, all);
        CHECK_REL(patch.area, area, 1e-14); // measured 3.3e-16
        iso_contact_shape_destroy(ctx, balls[0]);
        iso_contact_shape_destroy(ctx, balls[1]);
    }
}

// Nine polygons with pressure, and a square of which one side has another one.
static iso_patch patch_with_rim(iso_representation representation, double rim_pressure) {
    test_random random = test_random_make(10);
    iso_face_frame frame = random_frame(&random);
    iso_face_list list;
    iso_patch patch;
    iso_clip_polygon square = {.count = 4};
    for (int i = 0; i < 4; ++i) {
        double values[4] = {0.01 * (i == 1 || i == 2), 0.01 * (i > 1), 0.0,
                            i > 1 ? 1e4 : rim_pressure};
        memcpy(square.v[i].x, values, sizeof values);
    }
    iso_face_side side = {iso_vec3_make(1.0, 0.0, 0.0), 3};
    iso_face_list_begin(&list, &arena, &frame, representation);
    add_polygons(&list, 0, 9);
    CHECK(iso_face_list_add(&list, &square, iso_vec3_make(0.0, 0.0, 1.0), &side, &side), "memory");
    CHECK_OK(ctx, iso_face_list_finish(&list, &patch));
    return patch;
}

static void a_rim_that_is_a_rounding_below_zero_reaches_into_no_margin(void** state) {
    (void)state;
    for (int fan = 0; fan < 2; ++fan) {
        iso_representation representation =
            fan ? ISO_REPRESENTATION_TRIANGLE : ISO_REPRESENTATION_POLYGON;
        CHECK_OK(ctx, iso_arena_reset(&arena));
        iso_patch whole = patch_with_rim(representation, 0.0);
        iso_patch rounded = patch_with_rim(representation, -1e-10);
        iso_patch cut = patch_with_rim(representation, -1e2);
        CHECK_BITS(rounded.area, whole.area);
        CHECK_VEC3_NEAR(rounded.center_of_pressure, whole.center_of_pressure,
                        1e-14); // measured 3e-16
        // A hundredth of the square is in the margin.
        CHECK_REL(whole.area - cut.area, 1e-4 / 101.0, 1e-10); // measured 3e-13
    }
}

// Quadrilaterals one rounding wide, seen along z: the part that is below zero there would take the
// centroid four lengths out.
static void centroids_of_slivers_lie_in_them(void** state) {
    (void)state;
    const iso_double4 axis = iso_face_area_axis(iso_double4_make(0.0, 0.0, 1.0, 0.0));
    for (int i = 0; i < 4; ++i) {
        double part = 1.1e-17,
               corners[4][4] = {{0, 0, 0, 1}, {1, 0, 0, 2}, {1, part, 0, 2}, {0, -1e-17, 0, 1}};
        double v[4][4];
        for (int k = 0; k < 4; ++k) {
            memcpy(v[k], corners[(k + i) % 4], sizeof v[k]);
        }
        double centroid[4] = {0.0};
        iso_double4 wide = iso_double4_load(centroid);
        if (iso_face_measure(v, 4, axis, &wide) > 0.0) {
            iso_double4_store(centroid, wide);
            CHECK(centroid[0] >= 0.0 && centroid[0] <= 1.0, "from corner %d: x %g", i, centroid[0]);
            CHECK(centroid[3] >= 1.0 && centroid[3] <= 2.0, "from corner %d: p %g", i, centroid[3]);
        }
    }
}

// A regular polygon far from the origin that is pressed along one side alone, some roundings deep.
static void centroids_of_slivers_that_are_pressed_lie_in_them(void** state) {
    (void)state;
    test_random random = test_random_make(13);
    int sliver_count = 0;
    for (int i = 0; i < 4000; ++i) {
        iso_clip_polygon polygon;
        iso_vec3 normal, vertices[8], shift = iso_vec3_scale(test_random_unit_vec3(&random), 1e3);
        double pressures[8], area = 1e-4, pressure = -1e4;
        random_polygon(&random, &polygon, &normal);
        int count = polygon.count, offsets[2] = {0, count};
        for (int k = 0; k < count; ++k) {
            const double* v = polygon.v[k].x;
            vertices[k] = iso_vec3_add(iso_vec3_make(v[0], v[1], v[2]), shift);
            pressures[k] = k < 2 ? pow(10.0, test_random_uniform(&random, -10.0, -5.0)) : -1e4;
        }
        iso_patch patch = {.face_count = 1,
                           .face_offsets = offsets,
                           .vertices = vertices,
                           .vertex_pressures = pressures,
                           .areas = &area,
                           .centroids = vertices,
                           .normals = &normal,
                           .pressures = &pressure};
        iso_pressed_face face;
        iso_patch_press_face(&patch, 0, &face);
        sliver_count += face.area > 0.0;
        for (int axis = 0; axis < 3 && face.area > 0.0; ++axis) {
            double low = INFINITY, high = -INFINITY, at = (&face.centroid.x)[axis];
            for (int k = 0; k < face.count; ++k) {
                low = fmin(low, (&face.vertices[k].x)[axis]);
                high = fmax(high, (&face.vertices[k].x)[axis]);
            }
            CHECK(at >= low - 1e-12 && at <= high + 1e-12, "%d: %g m of %g", i, at - low,
                  high - low);
        }
    }
    CHECK(sliver_count > 100, "%d slivers", sliver_count);
}

// Write a fan as its number of corners is known, or as any other.
static void put_fan(iso_face_list* list, bool is_known, double v[][4], int count,
                    iso_double4 normal, iso_double4 centroid, const iso_face_facts* facts) {
    CHECK(iso_face_list_reserve(list, 1, count), "room");
    if (!is_known) {
        iso_face_put_fan(list, v, count, normal, centroid, facts);
    } else if (count == 3) {
        iso_fan_put(list, v, 3, normal, centroid, facts);
    } else {
        iso_fan_put(list, v, 4, normal, centroid, facts);
    }
}

// Triangles and quadrilaterals, also such that a triangle of the fan has no area, or with pressures
// of both signs.
static void fans_of_known_corners_have_the_bits_of_any_other(void** state) {
    (void)state;
    for (int swapped = 0; swapped < 2; ++swapped) {
        test_random random = test_random_make(11);
        iso_face_frame frame = random_frame(&random);
        frame.is_swapped = swapped == 1;
        iso_face_list lists[2];
        iso_patch patches[2];
        for (int known = 0; known < 2; ++known) {
            random = test_random_make(12);
            iso_face_list_begin(&lists[known], &arena, &frame, ISO_REPRESENTATION_TRIANGLE);
            for (int i = 0; i < 1000; ++i) {
                double v[4][4], low = i % 3 == 0 ? -1.0 : 0.1;
                for (int k = 0; k < 4; ++k) {
                    double turn = 0.25 * (k + test_random_uniform(&random, 0.0, 0.9));
                    v[k][0] = cos(2.0 * ISO_PI * turn);
                    v[k][1] = sin(2.0 * ISO_PI * turn);
                    v[k][2] = 0.3;
                    v[k][3] = test_random_uniform(&random, low, 1.0);
                }
                if (i % 10 < 2) {
                    memcpy(v[1], v[0], sizeof v[1]); // a triangle without area
                }
                iso_double4 centroid = iso_double4_make(0.01, 0.0, 0.3, 0.5);
                iso_face_facts facts = {iso_double4_make(0.0, 0.0, 1.0, 0.0),
                                        iso_double4_make(1.0, 2.0, 3.0, 0.0), iso_double4_set(0.0),
                                        iso_face_elements_of(swapped == 1, i, 2 * i)};
                put_fan(&lists[known], known == 1, v, 3 + i % 2, facts.normal, centroid, &facts);
            }
            CHECK_OK(ctx, iso_face_list_finish(&lists[known], &patches[known]));
        }
        check_same(&patches[0], &patches[1]);
        CHECK(lists[0].whole_count == lists[1].whole_count, "%d, %d whole faces",
              lists[0].whole_count, lists[1].whole_count);
        CHECK(patches[0].face_count < 3500 && lists[0].whole_count < patches[0].face_count,
              "every triangle has an area, or none reaches below zero");
    }
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(lists_that_move_give_the_bits_of_those_that_stay),
        TEST(results_take_the_place_of_large_scratch),
        TEST(polygons_without_area_are_left_out),
        TEST(sums_are_those_of_the_faces_whatever_their_number),
        TEST(a_margin_changes_no_sum),
        TEST(sums_of_many_faces_leave_margins_out),
        TEST(a_rim_that_is_a_rounding_below_zero_reaches_into_no_margin),
        TEST(centroids_of_slivers_lie_in_them),
        TEST(centroids_of_slivers_that_are_pressed_lie_in_them),
        TEST(fans_of_known_corners_have_the_bits_of_any_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
