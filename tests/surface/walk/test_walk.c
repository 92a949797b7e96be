// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Walking over the surface of equal pressure against trying all pairs of tetrahedra: face by face
// the same, whichever of the two a query would choose. Half of the poses are in line with the axes,
// where faces and edges of the bodies fall on each other.

#include "base/core/alloc.h"
#include "base/core/poison.h"
#include "field/build/field_build.h"
#include "field/build/shell.h"
#include "geometry/mesh/mesh.h"
#include "geometry/tessellation/tessellate.h"
#include "support/assets.h"
#include "surface/kernel_patch.h"
#include "surface/pair_fixture.h"
#include "surface/walk/element_search.h"
#include "surface/walk/trace_walk.h"

// After the helpers, whose parameters have the names of its variables.
#include "support/arena_fixture.h"

#include <stdlib.h>
#include <string.h>

// One thread that walks as several would: with tighter starts, to faces in the order of the cells.
static iso_search_threads search_threads;

// Faces smaller than this part of the squared size of the bodies may be decided by rounding.
#define LEAST_AREA 1e-12

// What of a face is compared.
typedef struct face {
    iso_face_elements elements;
    double area, pressure;
    iso_vec3 centroid;
} face;

static int compare_faces(const void* left, const void* right) {
    const face *a = left, *b = right;
    if (a->elements.a != b->elements.a) {
        return a->elements.a < b->elements.a ? -1 : 1;
    }
    return (a->elements.b > b->elements.b) - (a->elements.b < b->elements.b);
}

static face* collect(field_kernel fn, const iso_field* field_0, const iso_field* field_1,
                     const iso_pose* x_01, iso_cull cull, double least_area, int* out_count) {
    iso_patch patch = kernel_patch(ctx, &arena, fn, field_0, field_1, x_01, cull);
    face* faces = malloc((size_t)(patch.face_count + 1) * sizeof *faces);
    assert_non_null(faces);
    *out_count = 0;
    for (int i = 0; i < patch.face_count; ++i) {
        if (patch.areas[i] > least_area) {
            faces[(*out_count)++] =
                (face){patch.elements[i], patch.areas[i], patch.pressures[i], patch.centroids[i]};
        }
    }
    qsort(faces, (size_t)*out_count, sizeof *faces, compare_faces);
    return faces;
}

static iso_status walk_freely(iso_face_list* list, const iso_field* field_0,
                              const iso_field* field_1, const iso_pose* x_01, iso_cull cull) {
    return iso_collect_field_field(list, field_0, field_1, x_01, cull, NULL);
}

static iso_status walk_in_order(iso_face_list* list, const iso_field* field_0,
                                const iso_field* field_1, const iso_pose* x_01, iso_cull cull) {
    return iso_collect_field_field_in_order(NULL, list, field_0, field_1, x_01, cull, NULL);
}

static iso_status walk_with_crew(iso_face_list* list, const iso_field* field_0,
                                 const iso_field* field_1, const iso_pose* x_01, iso_cull cull) {
    return iso_collect_field_field_in_order(&search_threads, list, field_0, field_1, x_01, cull,
                                            NULL);
}

static long few_poses; // in which few tetrahedra reached to where bodies met, with faces

// What bodies of middle size do: they walk only where many tetrahedra reach to where they meet.
static iso_status try_few_or_walk(iso_face_list* list, const iso_field* field_0,
                                  const iso_field* field_1, const iso_pose* x_01, iso_cull cull) {
    bool are_few;
    iso_status status =
        iso_collect_field_pairs_if_few(list, field_0, field_1, x_01, cull, &are_few);
    few_poses += are_few && list->face_count > 0;
    return status == ISO_OK && !are_few
               ? iso_collect_field_field(list, field_0, field_1, x_01, cull, NULL)
               : status;
}

typedef struct tally {
    int poses, contacts;
    long faces;
} tally;

// Faces that all pairs of a pose have.
typedef struct tried_faces {
    face* faces;
    int count;
} tried_faces;

static void check_walk(field_kernel walk, const tried_faces* tried, const iso_field* field_0,
                       const iso_field* field_1, const iso_pose* x_01, iso_cull cull,
                       const char* name, int pose) {
    double size = field_0->size + field_1->size;
    int count;
    face* walked = collect(walk, field_0, field_1, x_01, cull, LEAST_AREA * size * size, &count);
    CHECK(tried->count == count, "%s, pose %d: %d faces of all pairs, %d of the walk", name, pose,
          tried->count, count);
    for (int i = 0; i < tried->count && i < count; ++i) {
        const face *a = &tried->faces[i], *b = &walked[i];
        CHECK(compare_faces(a, b) == 0, "%s, pose %d: face of tetrahedra %d, %d against %d, %d",
              name, pose, a->elements.a, a->elements.b, b->elements.a, b->elements.b);
        CHECK_NEAR(b->area, a->area, 1e-15 * size * size);                   // measured 2e-17
        CHECK_NEAR(b->pressure, a->pressure, 1e-12 * field_0->max_pressure); // measured 4e-16
    }
    free(walked);
}

static void check_pose(const iso_field* field_0, const iso_field* field_1, const iso_pose* x_01,
                       iso_cull cull, const char* name, tally* t) {
    double size = field_0->size + field_1->size;
    tried_faces tried;
    tried.faces = collect(iso_collect_field_pairs, field_0, field_1, x_01, cull,
                          LEAST_AREA * size * size, &tried.count);
    check_walk(walk_freely, &tried, field_0, field_1, x_01, cull, name, t->poses);
    check_walk(walk_in_order, &tried, field_0, field_1, x_01, cull, name, t->poses);
    check_walk(walk_with_crew, &tried, field_0, field_1, x_01, cull, name, t->poses);
    check_walk(try_few_or_walk, &tried, field_0, field_1, x_01, cull, name, t->poses);
    free(tried.faces);
    t->contacts += tried.count > 0;
    t->faces += tried.count;
    t->poses++;
}

// Random poses, and poses turned by right angles and shifted along axes by eighths of the reach.
static iso_pose pose_of(test_random* random, int index, double reach) {
    iso_pose x = test_random_pose(random, 0.0);
    iso_vec3 d =
        iso_vec3_scale(test_random_unit_vec3(random), test_random_uniform(random, 0.0, reach));
    x.p = d;
    if (index % 2 == 0) {
        return x;
    }
    double right = 0.5 * ISO_PI;
    x.r = index % 3 == 0 ? iso_mat3_identity()
                         : iso_mat3_from_rpy(right * (index / 2 % 4), right * (index / 8 % 4), 0.0);
    x.p = iso_vec3_make(index % 4 == 1 ? 0.0 : d.x, index % 8 < 4 ? d.y : 0.0, d.z);
    if (index % 16 == 7) {
        double step = reach / 8.0;
        x.p = iso_vec3_make(step * round(d.x / step), step * round(d.y / step),
                            step * round(d.z / step));
    }
    return index % 32 == 5 ? iso_pose_identity() : x;
}

// On top of a body, the skins nearly in one plane, `height` apart: what is between both skins and
// both margins crosses planes of many cells that it does not come near.
static iso_pose flat_pose_of(test_random* random, int index, double height) {
    double tilt = pow(10.0, test_random_uniform(random, -9.0, -2.0));
    iso_vec3 axis = iso_vec3_make(test_random_uniform(random, -1.0, 1.0), 0.5, 0.0);
    iso_pose x;
    x.r = iso_mat3_mul(iso_mat3_from_quat(iso_quat_from_rotation_vector(
                           iso_vec3_scale(axis, index % 5 == 0 ? 0.0 : tilt))),
                       iso_mat3_from_rpy(0.0, 0.0, test_random_uniform(random, -3.0, 3.0)));
    x.p = iso_vec3_make(test_random_uniform(random, -0.03, 0.03),
                        test_random_uniform(random, -0.03, 0.03),
                        height + test_random_uniform(random, -2e-4, 1e-4));
    return x;
}

typedef iso_pose (*pose_rule)(test_random* random, int index, double reach);

// Takes the fields over.
static void check_pair_in(pose_rule rule, const char* name, iso_field* field_0, iso_field* field_1,
                          double reach, int poses) {
    test_random random = test_random_make(11);
    tally t = {0};
    iso_task_pool* pool = NULL;
    CHECK_OK(ctx, iso_task_pool_create(ctx, 1, &pool));
    search_threads = (iso_search_threads){0};
    CHECK_OK(ctx, iso_search_threads_join(&search_threads, ctx, pool));
    for (int i = 0; i < TEST_ROUNDS(poses, poses > 12 ? poses / 3 : poses); ++i) {
        iso_pose x_01 = rule(&random, i, reach), x_10 = iso_pose_inverse(&x_01);
        iso_cull cull = i % 4 == 0 ? ISO_CULL_DRAKE : ISO_CULL_NONE;
        // Either body may play either part: the searches treat them differently.
        check_pose(field_0, field_1, &x_01, cull, name, &t);
        if (i % 2 == 0) {
            check_pose(field_1, field_0, &x_10, cull, name, &t);
        }
    }
    CHECK(t.contacts > t.poses / 4, "%s: %d contacts", name, t.contacts);
    iso_search_threads_destroy(&search_threads);
    iso_task_pool_destroy(pool);
    iso_field_destroy(ctx, field_0);
    iso_field_destroy(ctx, field_1);
}

static void check_pair(const char* name, iso_field* field_0, iso_field* field_1, double reach,
                       int poses) {
    check_pair_in(pose_of, name, field_0, field_1, reach, poses);
}

static iso_field* field_by(iso_shape_desc shape, iso_field_recipe recipe) {
    iso_field* field = NULL;
    CHECK_OK(ctx, iso_field_create_for_shape(ctx, &shape, &recipe, NULL, &field));
    return field;
}

static iso_field* field_of(iso_shape_desc shape, double modulus, double margin, double hint) {
    return field_by(
        shape, (iso_field_recipe){.modulus = modulus, .margin = margin, .resolution_hint = hint});
}

static iso_shape_desc ellipsoid(double x, double y, double z) {
    iso_shape_desc s = iso_shape_desc_default(ISO_SHAPE_ELLIPSOID);
    s.size = iso_vec3_make(x, y, z);
    return s;
}

// Queues and the table grow by what they need, each for itself, and keep what they hold.
static void what_a_walk_keeps_grows_in_time(void** state) {
    (void)state;
    iso_trace trace;
    assert_true(iso_trace_begin(&trace, &arena));
    for (int i = 0; i < 20000; ++i) {
        assert_true(iso_trace_reserve(&trace));
        CHECK(trace.near_count + ISO_TRACE_STEP <= trace.near_capacity &&
                  trace.far_count + ISO_TRACE_STEP <= trace.far_capacity &&
                  4 * (trace.used + ISO_TRACE_STEP) <= trace.mask,
              "no room for visit %d", i);
        assert_true(iso_trace_visit(&trace, false, 3 * i, i / 7));
        trace.near[trace.near_count++] = i;
        if (i % 3 == 0) {
            trace.far[trace.far_count++] = (iso_trace_pair){i, i / 7};
        }
    }
    for (int i = 0; i < 20000; ++i) {
        assert_int_equal(trace.near[i], i);
        assert_true(iso_trace_is_visited(&trace, false, 3 * i, i / 7));
        assert_false(iso_trace_is_visited(&trace, false, 3 * i + 1, i / 7));
    }
    assert_int_equal(trace.far_count, 6667);
    CHECK_OK(ctx, iso_arena_reset(&arena));
}

// Two rings of elements, and the pairs of them that are said to meet.
#define RING 7
typedef struct ring_pairs {
    bool meets[RING][RING];
    int visits[RING][RING];
    int looked_at; // -1: nothing yet
} ring_pairs;

static void look_at_ring(void* user, int element_1) {
    ((ring_pairs*)user)->looked_at = element_1;
}

// Sides 0 and 1 lead to the element before and the one behind.
static iso_touched visit_ring(void* user, int element_0, int* out_notes) {
    ring_pairs* p = user;
    iso_touched touched = {0, 0};
    *out_notes = 0;
    assert_true(p->looked_at >= 0);
    int element_1 = p->looked_at;
    ++p->visits[element_0][element_1];
    for (int side = 0; side < 2; ++side) {
        int step = side == 0 ? RING - 1 : 1;
        touched.sides_0 |= p->meets[(element_0 + step) % RING][element_1] << side;
        touched.sides_1 |= p->meets[element_0][(element_1 + step) % RING] << side;
    }
    return touched;
}

static void mark_connected(const ring_pairs* p, int element_0, int element_1,
                           bool marks[RING][RING]) {
    if (!p->meets[element_0][element_1] || marks[element_0][element_1]) {
        return;
    }
    marks[element_0][element_1] = true;
    for (int step = 1; step < RING; step += RING - 2) {
        mark_connected(p, (element_0 + step) % RING, element_1, marks);
        mark_connected(p, element_0, (element_1 + step) % RING, marks);
    }
}

// From every pair of rings that meet in half of their pairs, one walk with a table of its own.
static void a_walk_visits_once_what_is_connected_with_its_start(void** state) {
    (void)state;
    test_random random = test_random_make(11);
    int neighbors[RING][4];
    ring_pairs pairs = {.looked_at = -1};
    for (int i = 0; i < RING; ++i) {
        memcpy(neighbors[i], (int[4]){(i + RING - 1) % RING, (i + 1) % RING, -1, -1}, 16);
        for (int j = 0; j < RING; ++j) {
            pairs.meets[i][j] = test_random_uniform(&random, 0.0, 1.0) < 0.5;
        }
    }
    for (int start = 0; start < RING * RING; ++start) {
        bool marks[RING][RING] = {{false}};
        memset(pairs.visits, 0, sizeof pairs.visits);
        pairs.looked_at = -1;
        iso_walk walk = {.user = &pairs, .look_at = look_at_ring, .visit = visit_ring};
        walk.neighbors_0 = walk.neighbors_1 = (iso_walk_neighbors){neighbors[0], sizeof *neighbors};
        if (!pairs.meets[start / RING][start % RING]) {
            continue;
        }
        assert_true(iso_walk_begin(&walk, &arena));
        assert_true(iso_walk_from(&walk, start / RING, start % RING));
        mark_connected(&pairs, start / RING, start % RING, marks);
        for (int i = 0; i < RING * RING; ++i) {
            CHECK(pairs.visits[i / RING][i % RING] == marks[i / RING][i % RING],
                  "from (%d, %d): %d visits of (%d, %d)", start / RING, start % RING,
                  pairs.visits[i / RING][i % RING], i / RING, i % RING);
        }
        CHECK_OK(ctx, iso_arena_reset(&arena));
    }
}

// Threads that come while parts of the search for starts are left make these first, whatever there
// is on offer, and each is made by one.
static void every_part_of_the_search_for_starts_is_given_out_once(void** state) {
    (void)state;
    iso_share share;
    iso_trace_pair pairs[ISO_SHARE_PAIRS] = {{3, 4}};
    int count;
    assert_true(iso_share_init(&share, &arena, 1024));
    iso_share_clear(&share);
    for (int part = 0; part < ISO_SHARE_START_PARTS; ++part) {
        CHECK(iso_share_take(&share, false, pairs, &count) == ISO_SHARE_STARTS && count == part,
              "part %d, expected %d", count, part);
        assert_int_equal(iso_share_offer(&share, &(iso_trace_pair){part, 7}, 1), 1);
    }
    assert_int_equal(iso_share_take(&share, false, pairs, &count), ISO_SHARE_PAIRS_TAKEN);
    assert_int_equal(count, 1);
    assert_int_equal(pairs[0].element_0, ISO_SHARE_START_PARTS - 1);
    iso_share_destroy(&share);
    CHECK_OK(ctx, iso_arena_reset(&arena));
}

static void boxes_have_the_same_faces(void** state) {
    (void)state;
    check_pair("boxes", field_of(fixture_box(0.1, 0.2, 0.15), 1e6, 0.0, 0.0),
               field_of(fixture_box(0.12, 0.12, 0.12), 3e5, 0.0, 0.0), 0.18, 400);
    check_pair("equal boxes", field_of(fixture_box(0.1, 0.1, 0.1), 1e6, 0.0, 0.0),
               field_of(fixture_box(0.1, 0.1, 0.1), 1e6, 0.0, 0.0), 0.12, 400);
}

static void round_bodies_have_the_same_faces(void** state) {
    (void)state;
    check_pair("spheres", field_of(fixture_sphere(0.1), 1e5, 0.0, 0.05),
               field_of(fixture_sphere(0.06), 1e6, 0.0, 0.03), 0.15, 60);
    check_pair("equal spheres", field_of(fixture_sphere(0.1), 1e5, 0.0, 0.06),
               field_of(fixture_sphere(0.1), 1e5, 0.0, 0.06), 0.2, 60);
    check_pair("cylinders", field_of(fixture_cylinder(0.05, 0.2), 1e5, 0.0, 0.03),
               field_of(fixture_cylinder(0.05, 0.3), 1e6, 0.0, 0.03), 0.12, 120);
    check_pair("ellipsoid and cylinder", field_of(ellipsoid(0.05, 0.08, 0.1), 2e5, 0.0, 0.04),
               field_of(fixture_cylinder(0.04, 0.2), 1e5, 0.0, 0.03), 0.12, 60);
    CHECK(few_poses > 100, "only %ld poses of few tetrahedra", few_poses);
}

// Rims of these are searched where they may turn back only.
static void check_fine_pair(const char* name, iso_field* field_0, iso_field* field_1, double reach,
                            int poses) {
    CHECK(field_0->marks.planes && field_1->marks.planes, "%s: no planes", name);
    check_pair(name, field_0, field_1, reach, poses);
}

static iso_field* two_balls(double radius, double distance, double modulus, double hint);

static void fine_bodies_have_the_same_faces(void** state) {
    (void)state;
    check_fine_pair("fine spheres", field_of(fixture_sphere(0.1), 1e5, 0.0, 0.02),
                    field_of(fixture_sphere(0.06), 1e6, 0.0, 0.012), 0.16, TEST_ROUNDS(5, 3));
    check_fine_pair("fine ellipsoids", field_of(ellipsoid(0.05, 0.1, 0.2), 1e5, 0.0, 0.02),
                    field_of(ellipsoid(0.15, 0.06, 0.06), 1e5, 0.0, 0.02), 0.12, TEST_ROUNDS(5, 3));
    check_fine_pair("fine cylinders", field_of(fixture_cylinder(0.05, 0.1), 1e5, 0.0, 0.009),
                    field_of(fixture_cylinder(0.03, 0.15), 1e6, 0.0, 0.006), 0.1,
                    TEST_ROUNDS(6, 2));
    check_fine_pair("fine ball, two balls", two_balls(0.04, 0.1, 1e5, 0.01),
                    field_of(fixture_sphere(0.1), 1e6, 0.0, 0.02), 0.15, TEST_ROUNDS(5, 3));
}

static void bodies_inside_each_other_have_the_same_faces(void** state) {
    (void)state;
    check_pair("box in box", field_of(fixture_box(0.3, 0.3, 0.3), 1e6, 0.0, 0.0),
               field_of(fixture_box(0.05, 0.06, 0.04), 2e6, 0.0, 0.0), 0.16, 200);
    check_pair("sphere in sphere", field_of(fixture_sphere(0.2), 1e5, 0.0, 0.08),
               field_of(fixture_sphere(0.05), 1e5, 0.0, 0.025), 0.15, 60);
    // Islands where the inner field's ridge rises above the outer field's.
    check_pair("plate in sphere", field_of(fixture_sphere(0.2), 1e5, 0.0, 0.1),
               field_of(fixture_box(0.16, 0.1, 0.01), 1e5, 0.0, 0.0), 0.12, 120);
}

// A skew brick of which another tetrahedron is the first, wherever that is in its leaf of the tree.
static iso_field* brick_from(int first) {
    iso_shape_desc shape = fixture_box(0.1, 0.2, 0.15);
    iso_tet_mesh mesh = {0};
    double* extents = NULL;
    CHECK_OK(ctx, iso_tessellate_volume(ctx, &shape, 0.0, &mesh, &extents));
    for (int i = 0; i < mesh.vertex_count; ++i) {
        iso_vec3* v = &mesh.vertices[i];
        *v = iso_vec3_make(v->x + 0.2 * v->y, v->y + 0.1 * v->z, v->z + 0.3 * v->x);
    }
    for (int k = 0; k < 4; ++k) {
        int vertex = mesh.tets[0][k];
        mesh.tets[0][k] = mesh.tets[first % mesh.tet_count][k];
        mesh.tets[first % mesh.tet_count][k] = vertex;
    }
    iso_field* field = NULL;
    CHECK_OK(ctx, iso_field_create(ctx, &mesh, extents, &field));
    return field;
}

#define MOST_TETS 64
typedef struct found_pairs {
    const int *elements_0, *elements_1; // of the trees
    bool is_found[MOST_TETS][MOST_TETS];
} found_pairs;

static bool note_pair(void* user, int cell_0, int cell_1) {
    found_pairs* found = user;
    found->is_found[found->elements_0[cell_0]][found->elements_1[cell_1]] = true;
    return true;
}

static void a_search_of_cells_finds_all_that_have_faces(void** state) {
    (void)state;
    test_random random = test_random_make(17);
    int lanes[ISO_BVH_LEAF_SIZE] = {0};
    for (int i = 0; i < 100; ++i) {
        iso_field *field_0 = brick_from(i), *field_1 = brick_from(i / 3);
        iso_pose x_01 = pose_of(&random, i, 0.1);
        found_pairs found = {.elements_0 = field_0->tree.elements,
                             .elements_1 = field_1->tree.elements};
        assert_true(field_0->mesh.tet_count <= MOST_TETS);
        iso_piece_search search = {
            .sets = {{field_0, &field_0->tree, ISO_PIECE_CELL},
                     {field_1, &field_1->tree, ISO_PIECE_CELL}},
            .x_01 = &x_01,
            .fn = note_pair,
            .user = &found,
            .is_level = true,
        };
        assert_true(iso_piece_search_run(&search, (iso_search_part){0, 1}));
        int count, place = 0;
        face* faces = collect(iso_collect_field_pairs, field_0, field_1, &x_01, ISO_CULL_NONE,
                              LEAST_AREA, &count);
        while (field_0->tree.elements[place] != 0) {
            ++place;
        }
        for (int k = 0; k < count; ++k) {
            iso_face_elements e = faces[k].elements;
            CHECK(found.is_found[e.a][e.b], "pose %d: tetrahedra %d and %d", i, e.a, e.b);
            lanes[place % ISO_BVH_LEAF_SIZE] += e.a == 0;
        }
        free(faces);
        iso_field_destroy(ctx, field_0);
        iso_field_destroy(ctx, field_1);
    }
    for (int lane = 0; lane < ISO_BVH_LEAF_SIZE; ++lane) {
        CHECK(lanes[lane] > 0, "%d faces of the first in place %d", lanes[lane], lane);
    }
}

static void margins_have_the_same_faces(void** state) {
    (void)state;
    check_pair("one margin", field_of(fixture_sphere(0.1), 1e5, 0.01, 0.06),
               field_of(fixture_cylinder(0.05, 0.3), 1e6, 0.0, 0.05), 0.2, 120);
    // Rims where the soft box's pressure is 0, right between its cells.
    iso_field_recipe layers = {.modulus = 1e4, .margin = 0.01, .layer_count = 2};
    check_pair("margin of a soft box", field_by(fixture_box(0.2, 0.2, 0.2), layers),
               field_of(fixture_box(0.15, 0.2, 0.2), 1e7, 0.0, 0.0), 0.2, 120);
    check_pair("two margins", field_of(fixture_sphere(0.06), 1e6, 5e-3, 0.05),
               field_of(fixture_cylinder(0.04, 0.1), 2e6, 1e-3, 0.04), 0.1, 120);
    check_pair("equal margins", field_of(fixture_box(0.1, 0.1, 0.1), 1e5, 0.01, 0.05),
               field_of(fixture_box(0.1, 0.1, 0.1), 1e5, 0.01, 0.05), 0.15, 200);
}

static void flat_bodies_on_each_other_have_the_same_faces(void** state) {
    (void)state;
    check_pair_in(flat_pose_of, "cylinders",
                  field_of(fixture_cylinder(0.05, 0.04), 1e6, 1e-4, 0.01),
                  field_of(fixture_cylinder(0.06, 0.06), 1e6, 1e-4, 0.015), 0.05, 60);
    check_pair_in(flat_pose_of, "box on cylinder",
                  field_of(fixture_cylinder(0.05, 0.04), 1e6, 1e-4, 0.01),
                  field_of(fixture_box(0.08, 0.1, 0.06), 3e6, 5e-5, 0.0), 0.05, 60);
    check_pair_in(flat_pose_of, "boxes", field_of(fixture_box(0.1, 0.1, 0.04), 1e6, 1e-4, 0.0),
                  field_of(fixture_box(0.08, 0.1, 0.06), 1e6, 1e-4, 0.0), 0.05, 60);
}

// A hollow ball: two layers of tetrahedra around a cavity, pressure between them.
static iso_field* hollow_ball(double radius, double wall, double pressure, double hint) {
    iso_shape_desc shape = fixture_sphere(radius);
    iso_tri_mesh outer = {0}, middle = {0};
    iso_tet_mesh layers[2] = {{0}, {0}}, mesh = {0};
    int dropped;
    CHECK_OK(ctx, iso_tessellate_surface(ctx, &shape, hint, &outer));
    CHECK_OK(ctx, iso_tri_mesh_copy_scaled(ctx, &outer, iso_vec3_make(1.0, 1.0, 1.0), &middle));
    CHECK_OK(ctx, iso_shell_create(ctx, &outer, -0.5 * wall, &layers[0], &dropped));
    int n = outer.vertex_count;
    memcpy(middle.vertices, layers[0].vertices + n, (size_t)n * sizeof *middle.vertices);
    CHECK_OK(ctx, iso_shell_create(ctx, &middle, -0.5 * wall, &layers[1], &dropped));
    int count = layers[0].tet_count;
    CHECK_OK(ctx, iso_tet_mesh_allocate(ctx, 3 * n, count + layers[1].tet_count, &mesh));
    double* pressures = iso_alloc_array(ctx, 3 * n, sizeof *pressures);
    assert_non_null(pressures);
    for (int i = 0; i < 3 * n; ++i) {
        mesh.vertices[i] = i < n ? layers[0].vertices[i] : layers[1].vertices[i - n];
        pressures[i] = i >= n && i < 2 * n ? pressure : 0.0;
    }
    for (int i = 0; i < mesh.tet_count; ++i) {
        for (int k = 0; k < 4; ++k) {
            mesh.tets[i][k] = i < count ? layers[0].tets[i][k] : n + layers[1].tets[i - count][k];
        }
    }
    iso_tri_mesh_destroy(ctx, &outer);
    iso_tri_mesh_destroy(ctx, &middle);
    iso_tet_mesh_destroy(ctx, &layers[0]);
    iso_tet_mesh_destroy(ctx, &layers[1]);
    iso_field* field = NULL;
    CHECK_OK(ctx, iso_field_create(ctx, &mesh, pressures, &field));
    return field;
}

// A ball that fills the cavity and reaches into the wall on all sides has a closed patch that no
// boundary meets.
static void hollow_bodies_have_the_same_faces(void** state) {
    (void)state;
    iso_field* hollow = hollow_ball(0.1, 0.03, 1e5, 0.04);
    CHECK(hollow->marks.hollow_count == 1, "%d hollows", hollow->marks.hollow_count);
    iso_field* ball = field_of(fixture_sphere(0.08), 1e5, 0.0, 0.04);
    int count;
    iso_pose at = iso_pose_from_position(iso_vec3_make(0.001, 0.002, 0.0));
    free(collect(walk_freely, hollow, ball, &at, ISO_CULL_NONE, 0.0, &count));
    CHECK(count > 100, "%d faces around the cavity", count);
    check_pair("ball in hollow ball", hollow, ball, 0.06, TEST_ROUNDS(60, 15));
    check_pair("stiff ball in hollow ball", hollow_ball(0.1, 0.03, 1e5, 0.05),
               field_of(fixture_sphere(0.08), 1e7, 0.0, 0.05), 0.06, TEST_ROUNDS(60, 15));
    check_pair("hollow balls", hollow_ball(0.1, 0.03, 1e5, 0.05),
               hollow_ball(0.09, 0.02, 3e5, 0.05), 0.15, TEST_ROUNDS(60, 15));
}

// Two bodies as one mesh, far apart.
static iso_field* two_balls(double radius, double distance, double modulus, double hint) {
    iso_shape_desc shape = fixture_sphere(radius);
    iso_tet_mesh ball = {0}, mesh = {0};
    double* extents = NULL;
    CHECK_OK(ctx, iso_tessellate_volume(ctx, &shape, hint, &ball, &extents));
    int n = ball.vertex_count;
    CHECK_OK(ctx, iso_tet_mesh_allocate(ctx, 2 * n, 2 * ball.tet_count, &mesh));
    double* pressures = iso_alloc_array(ctx, 2 * n, sizeof *pressures);
    assert_non_null(pressures);
    for (int i = 0; i < 2 * n; ++i) {
        mesh.vertices[i] = ball.vertices[i % n];
        mesh.vertices[i].x += i < n ? 0.0 : distance;
        pressures[i] = modulus * extents[i % n];
    }
    for (int i = 0; i < mesh.tet_count; ++i) {
        for (int k = 0; k < 4; ++k) {
            mesh.tets[i][k] = ball.tets[i % ball.tet_count][k] + (i < ball.tet_count ? 0 : n);
        }
    }
    iso_tet_mesh_destroy(ctx, &ball);
    iso_free(ctx, extents);
    iso_field* field = NULL;
    CHECK_OK(ctx, iso_field_create(ctx, &mesh, pressures, &field));
    return field;
}

static void every_part_of_a_mesh_has_its_faces(void** state) {
    (void)state;
    check_pair("two balls, box", two_balls(0.05, 0.12, 1e5, 0.025),
               field_of(fixture_box(0.2, 0.1, 0.1), 1e6, 0.0, 0.0), 0.12, 120);
    check_pair("two balls in a sphere", two_balls(0.03, 0.08, 1e5, 0.02),
               field_of(fixture_sphere(0.2), 1e5, 0.0, 0.1), 0.1, 60);
}

// Pressures that are not level on the skin and vanish inside: nothing is known of such fields.
static iso_field* wild_field(test_random* random, double modulus) {
    iso_shape_desc shape = fixture_cylinder(0.06, 0.12);
    iso_tet_mesh mesh = {0};
    double* pressures = NULL;
    CHECK_OK(ctx, iso_tessellate_volume(ctx, &shape, 0.04, &mesh, &pressures));
    for (int i = 0; i < mesh.vertex_count; ++i) {
        pressures[i] = modulus * test_random_uniform(random, -0.2, 1.0);
        pressures[i] = i % 5 == 0 ? 0.0 : pressures[i];
    }
    iso_field* field = NULL;
    CHECK_OK(ctx, iso_field_create(ctx, &mesh, pressures, &field));
    return field;
}

static void fields_of_any_pressure_have_the_same_faces(void** state) {
    (void)state;
    test_random random = test_random_make(5);
    for (int i = 0; i < 6; ++i) {
        check_pair("wild", wild_field(&random, 1e5), wild_field(&random, i % 2 ? 1e5 : 1e6), 0.1,
                   24);
    }
    check_pair("wild and level", wild_field(&random, 1e5),
               field_of(fixture_sphere(0.08), 1e5, 0.0, 0.04), 0.1, 60);
}

static iso_field* asset_field(const char* path, double modulus) {
    char buffer[TEST_PATH_SIZE];
    iso_shape_desc desc = iso_shape_desc_default(ISO_SHAPE_MESH);
    desc.path = asset_path(buffer, path);
    return field_of(desc, modulus, 0.0, 0.0);
}

static void real_meshes_have_the_same_faces(void** state) {
    (void)state;
    const char* pepper = "veggies/assets/yellow_bell_pepper_no_stem_low.vtk";
    const char* bowl = "dishes/assets/evo_bowl_coarse3k.vtk";
    const double moduli[3] = {1e6, 1e7, 1e9};
    for (int i = 0; i < TEST_ROUNDS(3, 1); ++i) {
        check_pair("pepper and bowl", asset_field(pepper, moduli[i]), asset_field(bowl, 1e7), 0.06,
                   TEST_ROUNDS(16, 8));
    }
    check_pair("peppers", asset_field(pepper, 1e6), asset_field(pepper, 1e6), 0.06,
               TEST_ROUNDS(16, 4));
    check_pair("bubble and cylinder", asset_field("wsg_50_description/meshes/bubble.vtk", 1e4),
               field_of(fixture_cylinder(0.015, 0.11), 1e8, 0.0, 0.01), 0.04, TEST_ROUNDS(32, 8));
}

// Deep in each other, where threads gain; not where bodies barely touch, nor apart, nor small ones.
static void faces_come_in_order_where_large_bodies_overlap_much(void** state) {
    (void)state;
    iso_field* fine = field_of(fixture_sphere(0.1), 1e5, 0.0, 0.012);
    iso_field* coarse = field_of(fixture_sphere(0.1), 1e5, 0.0, 0.1);
    CHECK(fine->mesh.tet_count >= 2048, "%d tetrahedra", fine->mesh.tet_count);
    double ball = 4.0 / 3.0 * 3.14159265358979 * 1e-3;
    CHECK(fine->volume > 0.95 * ball && fine->volume < ball, "volume %g m^3", fine->volume);
    const struct {
        double distance;
        bool is_ordered;
    } cases[] = {{0.02, true}, {0.08, true}, {0.19, false}, {0.3, false}};
    for (int i = 0; i < 4; ++i) {
        iso_pose at = iso_pose_from_position(iso_vec3_make(0.0, 0.0, cases[i].distance));
        CHECK(iso_field_walk_is_ordered(fine, fine, &at) == cases[i].is_ordered, "%g m apart",
              cases[i].distance);
        CHECK(!iso_field_walk_is_ordered(coarse, coarse, &at), "coarse, %g m", cases[i].distance);
    }
    iso_field_destroy(ctx, fine);
    iso_field_destroy(ctx, coarse);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(boxes_have_the_same_faces),
        TEST(round_bodies_have_the_same_faces),
        TEST(fine_bodies_have_the_same_faces),
        TEST(bodies_inside_each_other_have_the_same_faces),
        TEST(a_search_of_cells_finds_all_that_have_faces),
        TEST(margins_have_the_same_faces),
        TEST(flat_bodies_on_each_other_have_the_same_faces),
        TEST(hollow_bodies_have_the_same_faces),
        TEST(every_part_of_a_mesh_has_its_faces),
        TEST(fields_of_any_pressure_have_the_same_faces),
        TEST(real_meshes_have_the_same_faces),
        TEST(faces_come_in_order_where_large_bodies_overlap_much),
        TEST(what_a_walk_keeps_grows_in_time),
        TEST(a_walk_visits_once_what_is_connected_with_its_start),
        TEST(every_part_of_the_search_for_starts_is_given_out_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
