// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// The planes of level faces hold what they say, and spare the search for starts most of a rim.

#include "field/structure/field_parts.h"
#include "surface/pair_fixture.h"
#include "surface/walk/trace_seeds.h"

static void check_plane(const iso_field* field, int node, int side, int part) {
    const iso_field_planes* planes = &field->marks.planes[node];
    const iso_bvh_node* box = &field->marks.level.nodes[node];
    const iso_field_cell* cell = &field->cells[iso_field_part_cell(part)];
    int corners = iso_field_part_corners(part);
    int face = corners == 14 ? 0 : corners == 13 ? 1 : corners == 11 ? 2 : 3;
    double squared = 0.0, at = cell->planes[3][face];
    for (int i = 0; i < 3; ++i) {
        double d = cell->planes[i][face] - (double)planes->center[i][side];
        squared += d * d;
        at += cell->planes[i][face] * (double)box->center[i][side];
    }
    CHECK(sqrt(squared) <= (double)planes->radius[side], "node %d side %d: normal %g off, ball %g",
          node, side, sqrt(squared), (double)planes->radius[side]);
    CHECK(fabs(at) <= (double)planes->farthest[side], "node %d side %d: plane %g off, most %g",
          node, side, at, (double)planes->farthest[side]);
}

// Checks all faces below a child against the planes of `node`; returns their number.
static int check_below(const iso_field* field, int node, int side, int child) {
    const iso_bvh* level = &field->marks.level;
    if (child >= 0) {
        return check_below(field, node, side, level->nodes[child].child[0]) +
               check_below(field, node, side, level->nodes[child].child[1]);
    }
    int begin = (-1 - child) * ISO_BVH_LEAF_SIZE, count = 0;
    for (; count < ISO_BVH_LEAF_SIZE && level->elements[begin + count] >= 0; ++count) {
        check_plane(field, node, side, level->elements[begin + count]);
    }
    return count;
}

static void planes_hold_the_faces_below_them(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_contact_shape* shape =
        fixture_shape(ctx, fixture_sphere(0.1), fixture_compliant(1e5, 0.02));
    const iso_field* field = shape->field;
    assert_non_null(field->marks.planes);
    for (int node = 0; node < field->marks.level.node_count; ++node) {
        for (int side = 0; side < 2; ++side) {
            int count = check_below(field, node, side, field->marks.level.nodes[node].child[side]);
            CHECK(count > 0, "nothing below side %d of node %d", side, node);
        }
    }
    iso_contact_shape_destroy(ctx, shape);
    test_context_destroy(ctx);
}

static void bodies_of_few_faces_or_with_margins_have_none(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_contact_material soft = fixture_compliant(1e5, 0.02);
    soft.margin = 1e-3;
    iso_contact_shape* shapes[2] = {
        fixture_shape(ctx, fixture_box(0.1, 0.2, 0.15), fixture_compliant(1e6, 0.0)),
        fixture_shape(ctx, fixture_sphere(0.1), soft)};
    for (int i = 0; i < 2; ++i) {
        assert_null(shapes[i]->field->marks.planes);
        iso_contact_shape_destroy(ctx, shapes[i]);
    }
    test_context_destroy(ctx);
}

static bool count_start(void* user, int cell_0, int cell_1) {
    (void)cell_0;
    (void)cell_1;
    ++*(int*)user;
    return true;
}

static int count_starts(const iso_field* field_0, const iso_field* field_1, const iso_pose* x_01) {
    int count = 0;
    long work = 0;
    assert_true(
        iso_seed_rims(field_0, field_1, x_01, (iso_search_part){0, 1}, count_start, &count, &work));
    return count;
}

// Without planes the search finds all pairs of faces on the rim.
static void a_rim_of_two_balls_starts_in_few_places(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_contact_shape* a = fixture_shape(ctx, fixture_sphere(0.1), fixture_compliant(1e5, 0.01));
    iso_contact_shape* b = fixture_shape(ctx, fixture_sphere(0.08), fixture_compliant(1e6, 0.01));
    test_random random = test_random_make(3);
    iso_field without = *a->field;
    without.marks.planes = NULL;
    int with = 0, all = 0;
    for (int i = 0; i < 40; ++i) {
        iso_pose x_01 = test_random_pose(&random, 0.0);
        x_01.p =
            iso_vec3_scale(test_random_unit_vec3(&random), test_random_uniform(&random, 0.1, 0.17));
        int few = count_starts(a->field, b->field, &x_01);
        CHECK(few > 0, "no start in pose %d", i);
        with += few;
        all += count_starts(&without, b->field, &x_01);
    }
    CHECK(10 * with < all, "%d starts of %d", with, all);
    iso_contact_shape_destroy(ctx, a);
    iso_contact_shape_destroy(ctx, b);
    test_context_destroy(ctx);
}

#define MOST_PARTS 5

// Starts in the order in which they are found.
#define MOST_STARTS 4096
typedef struct starts {
    int count;
    uint64_t pairs[MOST_STARTS];
} starts;

static bool note_start(void* user, int cell_0, int cell_1) {
    starts* s = user;
    assert_true(s->count < MOST_STARTS);
    s->pairs[s->count++] = (uint64_t)cell_0 << 32 | (uint64_t)cell_1;
    return true;
}

static int compare_pairs(const void* left, const void* right) {
    uint64_t a = *(const uint64_t*)left, b = *(const uint64_t*)right;
    return (a > b) - (a < b);
}

// @param counts  to which the starts of every part are added
static void check_parts(const iso_field* field_0, const iso_field* field_1, const iso_pose* x_01,
                        int part_count, int counts[]) {
    starts whole = {0}, parts = {0};
    long work = 0;
    assert_true(
        iso_seed_rims(field_0, field_1, x_01, (iso_search_part){0, 1}, note_start, &whole, &work));
    for (int i = 0; i < part_count; ++i) {
        int before = parts.count;
        iso_search_part part = {i, part_count};
        assert_true(iso_seed_rims(field_0, field_1, x_01, part, note_start, &parts, &work));
        counts[i] += parts.count - before;
    }
    CHECK(whole.count == parts.count, "%d starts, %d in %d parts", whole.count, parts.count,
          part_count);
    qsort(whole.pairs, (size_t)whole.count, sizeof *whole.pairs, compare_pairs);
    qsort(parts.pairs, (size_t)parts.count, sizeof *parts.pairs, compare_pairs);
    assert_memory_equal(whole.pairs, parts.pairs, (size_t)whole.count * sizeof *whole.pairs);
}

// Each of the first so many parts has starts, in some pose and division.
static void check_counts(const char* name, const int counts[MOST_PARTS], int part_count) {
    for (int i = 0; i < part_count; ++i) {
        CHECK(counts[i] > 0, "%s: %d starts in part %d", name, counts[i], i);
    }
}

// Fine bodies, whose search is dealt out, and boxes, where a part may end before that.
static void parts_of_a_search_find_what_the_whole_finds(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_contact_shape* a = fixture_shape(ctx, fixture_sphere(0.1), fixture_compliant(1e5, 0.01));
    iso_contact_shape* b = fixture_shape(ctx, fixture_sphere(0.08), fixture_compliant(1e6, 0.01));
    iso_contact_shape* box =
        fixture_shape(ctx, fixture_box(0.1, 0.2, 0.15), fixture_compliant(1e6, 0.0));
    test_random random = test_random_make(7);
    iso_field without = *a->field;
    without.marks.planes = NULL;
    int fine[MOST_PARTS] = {0}, mixed[MOST_PARTS] = {0}, coarse[MOST_PARTS] = {0};
    int all[MOST_PARTS + 1][MOST_PARTS] = {{0}};
    for (int i = 0; i < 20; ++i) {
        iso_pose x_01 = test_random_pose(&random, 0.0);
        x_01.p =
            iso_vec3_scale(test_random_unit_vec3(&random), test_random_uniform(&random, 0.1, 0.16));
        for (int part_count = 1; part_count <= MOST_PARTS; ++part_count) {
            check_parts(a->field, b->field, &x_01, part_count, fine);
            check_parts(&without, b->field, &x_01, part_count, all[part_count]);
            check_parts(box->field, b->field, &x_01, part_count, mixed);
            check_parts(box->field, box->field, &x_01, part_count, coarse);
        }
    }
    check_counts("fine", fine, MOST_PARTS);
    check_counts("box and ball", mixed, MOST_PARTS);
    check_counts("boxes", coarse, 2); // done before there is enough for three
    check_counts("without planes", all[MOST_PARTS], MOST_PARTS);
    CHECK(2 * abs(all[2][0] - all[2][1]) < all[1][0], "starts in two parts: %d and %d", all[2][0],
          all[2][1]);
    iso_contact_shape_destroy(ctx, a);
    iso_contact_shape_destroy(ctx, b);
    iso_contact_shape_destroy(ctx, box);
    test_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planes_hold_the_faces_below_them),
        cmocka_unit_test(bodies_of_few_faces_or_with_margins_have_none),
        cmocka_unit_test(a_rim_of_two_balls_starts_in_few_places),
        cmocka_unit_test(parts_of_a_search_find_what_the_whole_finds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
