// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Queries of two shapes without a world.

#include "isobar/query.h"

#include "support/kept_warning.h"
#include "surface/moving_pairs.h"

#include "support/arena_fixture.h"

#include <stddef.h>
#include <string.h>

static iso_query* make_query(int thread_count) {
    iso_query_desc desc = iso_query_desc_default();
    desc.thread_count = thread_count;
    iso_query* query;
    CHECK_OK(ctx, iso_query_create(ctx, &desc, &query));
    return query;
}

typedef struct pair_of_shapes {
    iso_contact_shape *a, *b;
} pair_of_shapes;

static pair_of_shapes make_shapes(int kind) {
    pair_of_shapes s;
    moving_pair(ctx, kind, &s.a, &s.b);
    return s;
}

static void destroy_shapes(pair_of_shapes s) {
    iso_contact_shape_destroy(ctx, s.a);
    iso_contact_shape_destroy(ctx, s.b);
}

// A soft sphere of 10 cm, 1 cm deep in a rigid half space that is A.
static pair_of_shapes make_ball_on_plane(void) {
    iso_contact_material soft = fixture_compliant(1e5, 0.05);
    soft.dissipation = 2.0;
    return (pair_of_shapes){fixture_half_space(ctx, fixture_rigid(0.0)),
                            fixture_shape(ctx, fixture_sphere(0.1), soft)};
}

static void patch_is_that_of_the_pair(void** state) {
    (void)state;
    test_random random = test_random_make(1);
    iso_query* query = make_query(1);
    iso_contact_options options = iso_contact_options_default();
    for (int kind = 0; kind < MOVING_KINDS; ++kind) {
        pair_of_shapes s = make_shapes(kind);
        for (int i = 0; i < 5; ++i) {
            moving_scene at = moving_scene_random(kind, s.a, s.b, &random);
            iso_patch patch, expected;
            CHECK_OK(ctx, iso_query_patch(query, s.a, &at.x_wa, s.b, &at.x_wb, &patch));
            CHECK_OK(ctx, iso_arena_reset(&arena));
            CHECK_OK(ctx,
                     iso_pair_query(&arena, s.a, &at.x_wa, s.b, &at.x_wb, &options, &expected));
            CHECK(patch.face_count == expected.face_count, "%d faces", patch.face_count);
            CHECK_BITS(patch.area, expected.area);
            CHECK_ARRAY_BITS(&patch.vertices[0].x, &expected.vertices[0].x, 3 * patch.vertex_count);
        }
        destroy_shapes(s);
    }
    iso_query_destroy(query);
}

static void nothing_in_contact_gives_an_empty_answer(void** state) {
    (void)state;
    iso_query* query = make_query(1);
    pair_of_shapes s = make_ball_on_plane();
    iso_pose x_wa = iso_pose_identity();
    iso_pose x_wb = iso_pose_from_position(iso_vec3_make(0.0, 0.0, 1.0));
    iso_query_motion motion = iso_query_motion_default();
    motion.wants_derivatives = true;
    iso_patch patch;
    iso_query_result result;
    iso_query_summary summary = {.face_count = 7};
    CHECK_OK(ctx, iso_query_patch(query, s.a, &x_wa, s.b, &x_wb, &patch));
    CHECK(patch.face_count == 0 && patch.face_offsets[0] == 0, "%d faces", patch.face_count);
    CHECK_OK(ctx, iso_query_wrench(query, s.a, &x_wa, s.b, &x_wb, &motion, &result));
    CHECK(result.patch.face_count == 0 && result.patch.face_offsets[0] == 0, "faces");
    CHECK_SPATIAL_NEAR(result.f_bp_w, iso_spatial_zero(), 0.0);
    CHECK_NEAR(moving_largest(result.stiffness), 0.0, 0.0);
    CHECK_OK(ctx, iso_query_batch(query, s.a, s.b, &x_wb, 1, &summary));
    CHECK(summary.face_count == 0, "%d faces", summary.face_count);
    CHECK_OK(ctx, iso_query_batch(query, s.a, s.b, NULL, 0, NULL));
    destroy_shapes(s);
    iso_query_destroy(query);
}

// A box of 2a x 2b x 2h pressed d into a plane. Its pressure is E/h times the distance to the next
// face, so the energy is E/h times the integral over r of the volume that is deeper inside than r:
// E/h (2a 2b d^2/2 - (2a + 2b) d^3/3 + d^4/3).
static void the_energy_of_a_box_is_the_integral_of_its_pressure(void** state) {
    (void)state;
    const double modulus = 1e5, depths[] = {0.001, 0.01, 0.04};
    iso_query* query = make_query(1);
    pair_of_shapes s = {
        fixture_half_space(ctx, fixture_rigid(0.0)),
        fixture_shape(ctx, fixture_box(0.2, 0.16, 0.1), fixture_compliant(modulus, 0.05))};
    iso_pose x_wa = iso_pose_make(iso_mat3_from_rpy(0.4, -0.9, 0.2), iso_vec3_make(1.0, 2.0, 3.0));
    iso_pose x_ab = iso_pose_from_position(iso_vec3_make(0.03, 0.01, 0.2));
    x_ab.r = iso_mat3_from_rpy(0.0, 0.0, 0.7);
    iso_pose x_wb = iso_pose_mul(&x_wa, &x_ab);
    iso_elastic_energy stored = {.energy = -1.0};
    CHECK_OK(ctx, iso_query_elastic_energy(query, s.a, &x_wa, s.b, &x_wb, &stored));
    CHECK_NEAR(stored.energy, 0.0, 0.0);
    for (int i = 0; i < 3; ++i) {
        double d = depths[i];
        double volume = 0.2 * 0.16 * d * d / 2.0 - 0.36 * d * d * d / 3.0 + d * d * d * d / 3.0;
        x_ab.p.z = 0.05 - d;
        x_wb = iso_pose_mul(&x_wa, &x_ab);
        CHECK_OK(ctx, iso_query_elastic_energy(query, s.a, &x_wa, s.b, &x_wb, &stored));
        CHECK_REL(stored.energy, modulus / 0.05 * volume, 1e-11); // measured 2.7e-13
        assert_true(stored.is_exact);
    }
    CHECK_STATUS(ctx, iso_query_elastic_energy(query, s.a, &x_wa, s.b, &x_wb, NULL),
                 ISO_ERR_ARGUMENT);
    CHECK_STATUS(ctx, iso_query_elastic_energy(NULL, s.a, &x_wa, s.b, &x_wb, &stored),
                 ISO_ERR_ARGUMENT);
    destroy_shapes(s);
    iso_query_destroy(query);
}

// Wrench, energy and matrices of a ball at rest on a plane agree with each other and with central
// differences of the call itself.
static void derivatives_describe_the_next_query(void** state) {
    (void)state;
    iso_query* query = make_query(1);
    pair_of_shapes s = make_ball_on_plane();
    iso_pose x_wa = iso_pose_identity();
    iso_pose x_wb = iso_pose_make(iso_mat3_from_rpy(0.3, 0.2, 0.1), iso_vec3_make(0.1, 0.2, 0.09));
    iso_query_motion motion = iso_query_motion_default();
    motion.p_wp = iso_vec3_make(0.0, 0.1, 0.05);
    motion.v_ab = iso_spatial_make(iso_vec3_make(0.1, 0.2, -0.1), iso_vec3_make(0.05, 0.0, -0.02));
    iso_query_result result;
    CHECK_OK(ctx, iso_query_wrench(query, s.a, &x_wa, s.b, &x_wb, &motion, &result));
    CHECK_NEAR(moving_largest(result.stiffness) + moving_largest(result.damping), 0.0, 0.0);
    motion.wants_derivatives = true;
    CHECK_OK(ctx, iso_query_wrench(query, s.a, &x_wa, s.b, &x_wb, &motion, &result));
    CHECK(result.f_bp_w.translational.z > 0.0 && result.elastic_energy > 0.0, "no contact");
    CHECK(result.elastic_stiffness[5][5] > 0.0 && result.damping[5][5] > 0.0, "no resistance");
    const double step = 1e-6;
    for (int axis = 0; axis < 6; ++axis) {
        double ends[4][6];
        for (int side = 0; side < 2; ++side) {
            iso_query_result moved;
            iso_query_motion still = motion;
            still.wants_derivatives = false;
            iso_pose x = moving_step(&x_wb, motion.p_wp, axis, side ? step : -step);
            CHECK_OK(ctx, iso_query_wrench(query, s.a, &x_wa, s.b, &x, &still, &moved));
            moving_unpack(moved.f_bp_w, ends[side]);
            moving_unpack(moved.elastic_f_bp_w, ends[2 + side]);
        }
        for (int i = 0; i < 6; ++i) {
            double law = -0.5 * (ends[1][i] - ends[0][i]) / step;
            double elastic = -0.5 * (ends[3][i] - ends[2][i]) / step;
            // measured 3e-10, 3e-10
            CHECK_NEAR(result.stiffness[i][axis], law, 1e-6 * moving_largest(result.stiffness));
            CHECK_NEAR(result.elastic_stiffness[i][axis], elastic,
                       1e-6 * moving_largest(result.elastic_stiffness));
        }
    }
    destroy_shapes(s);
    iso_query_destroy(query);
}

static void materials_of_the_call_replace_those_of_the_shapes(void** state) {
    (void)state;
    iso_query* query = make_query(1);
    pair_of_shapes s = make_ball_on_plane();
    iso_pose x_wa = iso_pose_identity();
    iso_pose x_wb = iso_pose_from_position(iso_vec3_make(0.0, 0.0, 0.09));
    iso_query_motion motion = iso_query_motion_default();
    motion.v_ab.translational = iso_vec3_make(1.0, 0.0, 0.0);
    iso_query_result smooth, rough;
    CHECK_OK(ctx, iso_query_wrench(query, s.a, &x_wa, s.b, &x_wb, &motion, &smooth));
    CHECK_NEAR(smooth.f_bp_w.translational.x, 0.0,
               1e-12); // shapes without friction; measured 0
    iso_contact_material material = iso_contact_material_default();
    material.friction_static = material.friction_dynamic = 0.3;
    motion.material_a = motion.material_b = &material;
    CHECK_OK(ctx, iso_query_wrench(query, s.a, &x_wa, s.b, &x_wb, &motion, &rough));
    CHECK_REL(rough.f_bp_w.translational.x, -0.3 * rough.f_bp_w.translational.z, 1e-13); // 0
    material.friction_dynamic = 0.5;
    CHECK_STATUS(ctx, iso_query_wrench(query, s.a, &x_wa, s.b, &x_wb, &motion, &rough),
                 ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "friction");
    destroy_shapes(s);
    iso_query_destroy(query);
}

// How stiff a shape is was settled with its field: the materials of a call do not say it anew, not
// even where dissipations are weighted with the moduli.
static void moduli_of_the_call_are_not_read(void** state) {
    (void)state;
    iso_query* query = make_query(1);
    iso_contact_material slab = fixture_compliant(1e6, 0.0), soft = fixture_compliant(1e5, 0.05);
    slab.slab_thickness = 0.1;
    slab.dissipation = 5.0;
    soft.dissipation = 2.0;
    pair_of_shapes s = {fixture_half_space(ctx, slab),
                        fixture_shape(ctx, fixture_sphere(0.1), soft)};
    iso_pose x_wa = iso_pose_identity();
    iso_pose x_wb = iso_pose_from_position(iso_vec3_make(0.0, 0.0, 0.09));
    iso_query_motion motion = iso_query_motion_default();
    motion.v_ab.translational = iso_vec3_make(0.0, 0.0, -0.01);
    iso_query_result own, given;
    CHECK_OK(ctx, iso_query_wrench(query, s.a, &x_wa, s.b, &x_wb, &motion, &own));
    slab.modulus = 1e3;
    motion.material_a = &slab;
    motion.material_b = &soft;
    CHECK_OK(ctx, iso_query_wrench(query, s.a, &x_wa, s.b, &x_wb, &motion, &given));
    CHECK(own.f_bp_w.translational.z > 1.01 * own.elastic_f_bp_w.translational.z, "no damping");
    CHECK_BITS(given.f_bp_w.translational.z, own.f_bp_w.translational.z);
    destroy_shapes(s);
    iso_query_destroy(query);
}

#define POSE_COUNT TEST_ROUNDS(200, 40)

static void random_poses(int kind, pair_of_shapes s, iso_pose* out) {
    test_random random = test_random_make(9);
    for (int i = 0; i < POSE_COUNT; ++i) {
        moving_scene at = moving_scene_random(kind, s.a, s.b, &random);
        out[i] = iso_pose_inverse_mul(&at.x_wa, &at.x_wb);
    }
}

static void batch_has_the_same_bits_on_any_number_of_threads(void** state) {
    (void)state;
    static iso_pose x_ab[POSE_COUNT];
    static iso_query_summary first[POSE_COUNT], other[POSE_COUNT];
    for (int kind = 0; kind < MOVING_KINDS; kind += 2) {
        pair_of_shapes s = make_shapes(kind);
        random_poses(kind, s, x_ab);
        memset(first, 0, sizeof first);
        for (int threads = 1; threads <= 3; ++threads) {
            iso_query* query = make_query(threads);
            memset(other, 0, sizeof other);
            iso_query_summary* out = threads == 1 ? first : other;
            CHECK_OK(ctx, iso_query_batch(query, s.a, s.b, x_ab, POSE_COUNT, out));
            const int numbers = (int)((sizeof *first - offsetof(iso_query_summary, area)) / 8);
            for (int i = 0; threads > 1 && i < POSE_COUNT; ++i) {
                CHECK(first[i].face_count == other[i].face_count, "%d threads: %d, %d faces",
                      threads, first[i].face_count, other[i].face_count);
                CHECK_ARRAY_BITS(&first[i].area, &other[i].area, numbers);
            }
            iso_query_destroy(query);
        }
        destroy_shapes(s);
    }
}

static void batch_summarizes_what_single_queries_say(void** state) {
    (void)state;
    static iso_pose x_ab[POSE_COUNT];
    static iso_query_summary summaries[POSE_COUNT];
    iso_query* query = make_query(2);
    pair_of_shapes s = make_shapes(0);
    iso_pose x_wa = iso_pose_identity();
    random_poses(0, s, x_ab);
    CHECK_OK(ctx, iso_query_batch(query, s.a, s.b, x_ab, POSE_COUNT, summaries));
    for (int i = 0; i < POSE_COUNT; ++i) {
        iso_query_motion motion = iso_query_motion_default();
        iso_query_result r;
        CHECK_OK(ctx, iso_query_wrench(query, s.a, &x_wa, s.b, &x_ab[i], &motion, &r));
        CHECK(summaries[i].face_count == r.patch.face_count, "pose %d", i);
        CHECK_BITS(summaries[i].area, r.patch.area);
        CHECK_BITS(summaries[i].max_pressure, r.patch.max_pressure);
        CHECK_BITS(summaries[i].elastic_energy, r.elastic_energy);
        CHECK_VEC3_NEAR(summaries[i].center_of_pressure, r.patch.center_of_pressure, 0.0);
        CHECK_SPATIAL_NEAR(summaries[i].f_ba_a, r.elastic_f_bp_w, 0.0);
    }
    destroy_shapes(s);
    iso_query_destroy(query);
}

static void a_repeated_query_allocates_nothing(void** state) {
    (void)state;
    static iso_pose x_ab[POSE_COUNT];
    static iso_query_summary summaries[POSE_COUNT];
    iso_query* query = make_query(2);
    pair_of_shapes s = make_shapes(1);
    random_poses(1, s, x_ab);
    iso_pose x_wa = iso_pose_identity();
    iso_query_motion motion = iso_query_motion_default();
    motion.wants_derivatives = true;
    long before = 0;
    for (int round = 0; round < 6; ++round) {
        if (round == 3) {
            before = test_heap_of(ctx)->call_count;
        }
        iso_patch patch;
        iso_query_result r;
        CHECK_OK(ctx, iso_query_batch(query, s.a, s.b, x_ab, POSE_COUNT, summaries));
        CHECK_OK(ctx, iso_query_patch(query, s.a, &x_wa, s.b, &x_ab[0], &patch));
        CHECK_OK(ctx, iso_query_wrench(query, s.a, &x_wa, s.b, &x_ab[0], &motion, &r));
    }
    long after = test_heap_of(ctx)->call_count;
    CHECK(after == before, "%ld allocations", after - before);
    destroy_shapes(s);
    iso_query_destroy(query);
}

static void two_rigid_shapes_get_their_layer(void** state) {
    (void)state;
    iso_query* query = make_query(1);
    pair_of_shapes s = {fixture_shape(ctx, fixture_box(0.2, 0.2, 0.2), fixture_rigid(0.0)),
                        fixture_shape(ctx, fixture_box(0.1, 0.1, 0.1), fixture_rigid(0.0))};
    iso_pose x_wa = iso_pose_identity();
    iso_pose x_wb = iso_pose_from_position(iso_vec3_make(0.0, 0.0, 0.15 - 1e-4));
    iso_patch patch;
    CHECK_OK(ctx, iso_query_patch(query, s.a, &x_wa, s.b, &x_wb, &patch));
    // 1e7 Pa per 1 mm over 0.1 mm.
    CHECK_REL(patch.max_pressure, 1e6, 1e-9); // measured 0
    destroy_shapes(s);
    iso_query_destroy(query);
}

// Each pair makes a new law; the flat tetrahedron is thinner than its layer.
static void a_layer_that_is_not_whole_is_told_once(void** state) {
    (void)state;
    kept_warning kept;
    iso_context* listener = warned_context_of(&kept, "its rigid layer is without");
    iso_vec3 vertices[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 0.01}};
    int triangles[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
    iso_tri_mesh surface = {4, 4, vertices, triangles};
    iso_shape_desc desc = iso_shape_desc_default(ISO_SHAPE_MESH);
    desc.surface = &surface;
    iso_contact_shape* flat = fixture_shape(listener, desc, fixture_rigid(0.0));
    iso_contact_shape* balls[2]; // bare skins, larger: solids would carry the layer
    for (int i = 0; i < 2; ++i) {
        iso_contact_shape* solid =
            fixture_shape(listener, fixture_sphere(2.0 + i), fixture_rigid(0.0));
        desc.surface = iso_contact_shape_surface(solid);
        balls[i] = fixture_shape(listener, desc, fixture_rigid(0.0));
        iso_contact_shape_destroy(listener, solid);
    }
    iso_query_desc query_desc = iso_query_desc_default();
    query_desc.options.rigid_layer_thickness = 0.01;
    iso_query* query;
    CHECK_OK(listener, iso_query_create(listener, &query_desc, &query));
    iso_pose identity = iso_pose_identity();
    iso_query_motion motion = iso_query_motion_default();
    for (int i = 0; i < 4; ++i) {
        iso_query_result result;
        CHECK_OK(listener, iso_query_wrench(query, flat, &identity, balls[i % 2], &identity,
                                            &motion, &result));
    }
    assert_int_equal(kept.count, 1);
    iso_query_destroy(query);
    iso_contact_shape_destroy(listener, flat);
    iso_contact_shape_destroy(listener, balls[0]);
    iso_contact_shape_destroy(listener, balls[1]);
    iso_context_destroy(listener);
}

static void bad_calls_are_refused_with_the_value(void** state) {
    (void)state;
    iso_query* query = make_query(1);
    pair_of_shapes s = make_ball_on_plane();
    iso_pose good = iso_pose_identity(), nan = good, scaled = good, mirrored = good, far = good;
    nan.p.x = NAN;
    far.p.y = -1e308;
    scaled.r.m[1][1] = 1.0 + 1e-8;
    mirrored.r.m[2][2] = -1.0;
    iso_patch patch;
    iso_query_summary summary[2];
    CHECK_STATUS(ctx, iso_query_patch(query, s.a, &nan, s.b, &good, &patch), ISO_ERR_NUMERIC);
    CHECK_ERROR(ctx, "x_wa");
    CHECK_STATUS(ctx, iso_query_patch(query, s.a, &good, s.b, &scaled, &patch), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "x_wb: r is no rotation, an entry of r^T r - 1 is 2e-08");
    CHECK_STATUS(ctx, iso_query_patch(query, s.a, &mirrored, s.b, &good, &patch), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "mirrors");
    CHECK_STATUS(ctx, iso_query_patch(query, s.a, &good, s.b, &far, &patch), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "x_wb: a coordinate of p is 1e+308 m, expected at most 1e+12");
    CHECK_STATUS(ctx, iso_query_patch(query, s.a, &good, NULL, &good, &patch), ISO_ERR_ARGUMENT);
    iso_pose poses[2] = {good, scaled};
    CHECK_STATUS(ctx, iso_query_batch(query, s.a, s.b, poses, 2, summary), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "x_ab[1]");
    CHECK_STATUS(ctx, iso_query_batch(query, s.a, s.b, poses, -1, summary), ISO_ERR_ARGUMENT);
    CHECK_ERROR(ctx, "count is -1");
    CHECK_STATUS(ctx, iso_query_batch(query, s.a, s.b, poses, 2, NULL), ISO_ERR_ARGUMENT);
    CHECK_STATUS(ctx, iso_query_patch(query, s.a, &good, s.a, &good, &patch), ISO_ERR_GEOMETRY);
    CHECK_ERROR(ctx, "half spaces");
    iso_query_motion motion = iso_query_motion_default();
    motion.v_ab.rotational.y = INFINITY;
    iso_query_result result;
    CHECK_STATUS(ctx, iso_query_wrench(query, s.a, &good, s.b, &good, &motion, &result),
                 ISO_ERR_NUMERIC);
    iso_query_desc desc = iso_query_desc_default();
    desc.thread_count = 0;
    iso_query* none;
    CHECK_STATUS(ctx, iso_query_create(ctx, &desc, &none), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "thread count is 0");
    desc = iso_query_desc_default();
    desc.options.stiction_velocity = 0.0;
    CHECK_STATUS(ctx, iso_query_create(ctx, &desc, &none), ISO_ERR_RANGE);
    destroy_shapes(s);
    iso_query_destroy(query);
}

static void two_open_sheets_make_no_pair(void** state) {
    (void)state;
    iso_query* query = make_query(1);
    iso_vec3 vertices[3] = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}};
    int triangles[1][3] = {{0, 1, 2}};
    iso_tri_mesh sheet = {3, 1, vertices, triangles};
    iso_shape_desc desc = iso_shape_desc_default(ISO_SHAPE_MESH);
    desc.surface = &sheet;
    iso_contact_shape* a = fixture_shape(ctx, desc, fixture_rigid(0.0));
    iso_pose x = iso_pose_identity();
    iso_patch patch;
    CHECK_STATUS(ctx, iso_query_patch(query, a, &x, a, &x, &patch), ISO_ERR_GEOMETRY);
    CHECK_ERROR(ctx, "open rigid surfaces");
    iso_contact_shape_destroy(ctx, a);
    iso_query_destroy(query);
}

static iso_status ask_everything(iso_context* failing, void* user) {
    (void)user;
    iso_shape_desc box = fixture_box(0.1, 0.1, 0.1);
    iso_contact_material rigid = fixture_rigid(0.0);
    iso_contact_shape *a = NULL, *b = NULL;
    iso_query* query = NULL;
    iso_query_desc desc = iso_query_desc_default();
    iso_pose x_wa = iso_pose_identity();
    iso_pose x_wb = iso_pose_from_position(iso_vec3_make(0.01, 0.02, 0.0995));
    iso_query_motion motion = iso_query_motion_default();
    iso_query_result result;
    iso_query_summary summary;
    iso_patch patch;
    motion.wants_derivatives = true;
    iso_status status = iso_contact_shape_create(failing, &box, &rigid, &a);
    if (status == ISO_OK) {
        status = iso_contact_shape_create(failing, &box, &rigid, &b);
    }
    if (status == ISO_OK) {
        status = iso_query_create(failing, &desc, &query);
    }
    if (status == ISO_OK) {
        status = iso_query_patch(query, a, &x_wa, b, &x_wb, &patch);
    }
    if (status == ISO_OK) {
        status = iso_query_wrench(query, a, &x_wa, b, &x_wb, &motion, &result);
    }
    if (status == ISO_OK) {
        status = iso_query_batch(query, a, b, &x_wb, 1, &summary);
    }
    iso_query_destroy(query);
    iso_contact_shape_destroy(failing, a);
    iso_contact_shape_destroy(failing, b);
    return status;
}

static void every_allocation_failure_is_survived(void** state) {
    (void)state;
    CHECK(check_every_allocation_failure(ask_everything, NULL) > 20, "few allocations");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(patch_is_that_of_the_pair),
        TEST(nothing_in_contact_gives_an_empty_answer),
        TEST(derivatives_describe_the_next_query),
        TEST(materials_of_the_call_replace_those_of_the_shapes),
        TEST(moduli_of_the_call_are_not_read),
        TEST(batch_has_the_same_bits_on_any_number_of_threads),
        TEST(batch_summarizes_what_single_queries_say),
        TEST(a_repeated_query_allocates_nothing),
        TEST(two_rigid_shapes_get_their_layer),
        TEST(a_layer_that_is_not_whole_is_told_once),
        TEST(bad_calls_are_refused_with_the_value),
        TEST(two_open_sheets_make_no_pair),
        TEST(every_allocation_failure_is_survived),
        TEST(the_energy_of_a_box_is_the_integral_of_its_pressure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
