// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/values/hash.h"
#include "contact/pairs/contact_system.h"
#include "contact/pressure_field/pressure_field.h"
#include "support/check.h"
#include "support/failing_context.h"
#include "support/kept_warning.h"
#include "support/random.h"

#include <math.h>
#include <string.h>

#define MOST_GEOMETRIES 64

// A system with its shapes, and poses of its bodies (one geometry each).
typedef struct fixture {
    iso_context* ctx;
    iso_contact_shape* shapes[MOST_GEOMETRIES];
    int shape_count;
    iso_contact_geometry geometries[MOST_GEOMETRIES];
    iso_pose x_wb[MOST_GEOMETRIES];
    int count;
    iso_contact_options options;
    iso_contact_system* system;
    iso_arena arena;
} fixture;

static void fixture_init(fixture* f) {
    memset(f, 0, sizeof *f);
    f->ctx = test_context();
    f->options = iso_contact_options_default();
    CHECK_OK(f->ctx, iso_arena_init(&f->arena, f->ctx, 0));
}

static void fixture_free(fixture* f) {
    iso_contact_system_destroy(f->ctx, f->system);
    for (int i = 0; i < f->shape_count; ++i) {
        iso_contact_shape_destroy(f->ctx, f->shapes[i]);
    }
    iso_arena_destroy(&f->arena);
    test_context_destroy(f->ctx);
}

static iso_contact_shape* add_shape(fixture* f, const iso_shape_desc* desc,
                                    const iso_contact_material* material) {
    iso_contact_shape** shape = &f->shapes[f->shape_count];
    CHECK_OK(f->ctx, iso_contact_shape_create(f->ctx, desc, material, shape));
    ++f->shape_count;
    return *shape;
}

static iso_contact_material material_of(iso_compliance compliance, double modulus) {
    iso_contact_material m = iso_contact_material_default();
    m.compliance = compliance;
    m.modulus = modulus;
    m.slab_thickness = 0.1;
    return m;
}

// Add a body with one geometry at a position of the world. Returns its index.
static int add_body(fixture* f, const char* name, iso_contact_shape* shape,
                    iso_contact_material material, iso_vec3 p_wb) {
    int i = f->count++;
    f->geometries[i] = (iso_contact_geometry){.name = name,
                                              .body_name = name,
                                              .body = i,
                                              .x_bg = iso_pose_identity(),
                                              .shape = shape,
                                              .material = material,
                                              .source = "scene.sdf:12"};
    f->x_wb[i] = iso_pose_from_position(p_wb);
    return i;
}

static iso_status create(fixture* f) {
    const iso_body_filter all = {.body_count = f->count};
    return iso_contact_system_create(f->ctx, f->geometries, f->count, &all, &f->options,
                                     &f->system);
}

static void create_filtered(fixture* f, iso_body_pair* pairs, int pair_count) {
    iso_body_filter filter;
    CHECK_OK(f->ctx, iso_body_filter_create(f->ctx, f->count, pairs, pair_count, &filter));
    CHECK_OK(f->ctx, iso_contact_system_create(f->ctx, f->geometries, f->count, &filter,
                                               &f->options, &f->system));
    iso_body_filter_free(f->ctx, &filter);
}

static iso_contact_set update(fixture* f, iso_task_pool* pool) {
    iso_contact_set set;
    CHECK_OK(f->ctx, iso_arena_reset(&f->arena));
    CHECK_OK(f->ctx, iso_contact_system_update(f->system, f->x_wb, pool, &f->arena, &set));
    return set;
}

static iso_shape_desc sphere(double radius) {
    iso_shape_desc desc = iso_shape_desc_default(ISO_SHAPE_SPHERE);
    desc.radius = radius;
    return desc;
}

static iso_shape_desc box(double x, double y, double z) {
    iso_shape_desc desc = iso_shape_desc_default(ISO_SHAPE_BOX);
    desc.size = iso_vec3_make(x, y, z);
    return desc;
}

static void pairs_carry_combined_materials(void** state) {
    (void)state;
    fixture f;
    fixture_init(&f);
    iso_contact_material soft = material_of(ISO_COMPLIANCE_COMPLIANT, 1e5);
    iso_contact_material hard = material_of(ISO_COMPLIANCE_RIGID, 1e7);
    iso_contact_material floor = material_of(ISO_COMPLIANCE_COMPLIANT, 3e5);
    soft.dissipation = 10.0;
    floor.dissipation = 20.0;
    hard.dissipation = 99.0;
    soft.friction_dynamic = 0.25;
    soft.relaxation_time = 0.02;
    floor.friction_dynamic = floor.friction_static = 1.0;
    floor.relaxation_time = 0.03;
    iso_shape_desc ball = sphere(0.1), slab = box(1.0, 1.0, 0.1);
    iso_contact_shape* ball_shape = add_shape(&f, &ball, &soft);
    iso_contact_shape* slab_shape = add_shape(&f, &slab, &floor);
    iso_contact_shape* rigid_shape = add_shape(&f, &ball, &hard);
    add_body(&f, "ball", ball_shape, soft, iso_vec3_make(0.0, 0.0, 0.09));
    add_body(&f, "floor", slab_shape, floor, iso_vec3_make(0.0, 0.0, -0.05));
    add_body(&f, "stone", rigid_shape, hard, iso_vec3_make(0.0, 0.0, 0.28));
    CHECK_OK(f.ctx, create(&f));
    iso_contact_set set = update(&f, NULL);
    assert_int_equal(set.pair_count, 2);
    assert_int_equal(set.candidate_count, 2);
    const iso_contact_pair* p = &set.pairs[0];
    assert_int_equal(p->geometry_a, 0);
    assert_int_equal(p->geometry_b, 1);
    assert_int_equal(p->body_b, 1);
    CHECK_NEAR(p->dissipation, 12.5, 1e-14);                    // measured 0
    CHECK_NEAR(p->dissipation_a, 10.0, 0.0);                    // measured 0
    CHECK_NEAR(p->dissipation_b, 20.0, 0.0);                    // measured 0
    CHECK_NEAR(p->friction_dynamic, 0.4, 1e-16);                // measured 0
    CHECK_NEAR(p->relaxation_time, 0.05, 1e-17);                // measured 0
    CHECK_NEAR(p->modulus_a, 1e5, 0.0);                         // measured 0
    CHECK_VEC3_NEAR(p->p_wc, p->patch.center_of_pressure, 0.0); // measured 0
    // The ball is above the floor: normals point from A (ball) down into B.
    CHECK(p->patch.normals[0].z < -0.9, "normal z %g", p->patch.normals[0].z);
    CHECK(set.pairs[1].geometry_b == 2 && isinf(set.pairs[1].modulus_b), "modulus %g",
          set.pairs[1].modulus_b);
    CHECK_NEAR(set.pairs[1].dissipation, 10.0, 0.0); // the rigid body's is of no consequence
    assert_int_equal(set.face_count, set.pairs[0].patch.face_count + set.pairs[1].patch.face_count);
    fixture_free(&f);
}

static void filtered_and_empty_pairs_are_absent(void** state) {
    (void)state;
    fixture f;
    fixture_init(&f);
    iso_contact_material soft = material_of(ISO_COMPLIANCE_COMPLIANT, 1e5);
    iso_shape_desc ball = sphere(0.1);
    iso_contact_shape* shape = add_shape(&f, &ball, &soft);
    add_body(&f, "a", shape, soft, iso_vec3_make(0.0, 0.0, 0.0));
    add_body(&f, "b", shape, soft, iso_vec3_make(0.19, 0.0, 0.0));
    // Its box overlaps those of both others, the ball does not touch them.
    add_body(&f, "c", shape, soft, iso_vec3_make(0.095, 0.195, 0.19));
    CHECK_OK(f.ctx, create(&f));
    iso_contact_set set = update(&f, NULL);
    assert_int_equal(set.candidate_count, 3);
    assert_int_equal(set.pair_count, 1);
    iso_contact_system_destroy(f.ctx, f.system);
    create_filtered(&f, (iso_body_pair[]){{1, 0}}, 1);
    set = update(&f, NULL);
    assert_int_equal(set.candidate_count, 2);
    assert_int_equal(set.pair_count, 0);
    assert_int_equal(set.face_count, 0);
    fixture_free(&f);
}

static double longest_of(fixture* f, const iso_spatial* v, const iso_spatial* a) {
    return iso_contact_system_longest_step(f->system, f->x_wb, v, a, 0.5, 0.1, &f->arena);
}

static void create_pair_alone(fixture* f, int a, int b) {
    iso_body_pair others[MOST_GEOMETRIES * MOST_GEOMETRIES];
    int count = 0;
    for (int i = 0; i < f->count; ++i) {
        for (int k = i + 1; k < f->count; ++k) {
            if (i != a || k != b) {
                others[count++] = (iso_body_pair){k, i};
            }
        }
    }
    create_filtered(f, others, count);
}

// Each pair alone, in a system that filters all others.
static double shortest_of_pairs(fixture* f, const iso_spatial* v, const iso_spatial* a) {
    double shortest = INFINITY;
    iso_contact_system* all = f->system;
    for (int i = 0; i < f->count; ++i) {
        for (int k = i + 1; k < f->count; ++k) {
            create_pair_alone(f, i, k);
            shortest = fmin(shortest, longest_of(f, v, a));
            iso_contact_system_destroy(f->ctx, f->system);
        }
    }
    f->system = all;
    return shortest;
}

// Balls over a plane, at all speeds: what is left out cannot be the pair that meets first.
static void longest_step_is_that_of_the_pair_that_may_meet_first(void** state) {
    (void)state;
    test_random random = test_random_make(27);
    int cut = 0;
    for (int draw = 0; draw < 40; ++draw) {
        fixture f;
        fixture_init(&f);
        iso_contact_material soft = material_of(ISO_COMPLIANCE_COMPLIANT, 1e5);
        iso_shape_desc small = sphere(0.05);
        iso_shape_desc plane = iso_shape_desc_default(ISO_SHAPE_HALF_SPACE);
        iso_contact_shape* ball = add_shape(&f, &small, &soft);
        iso_contact_shape* ground = add_shape(&f, &plane, &soft);
        double speed = pow(10.0, test_random_uniform(&random, -2.0, 2.0));
        iso_spatial v[7] = {0}, a[7] = {0};
        add_body(&f, "ground", ground, soft, iso_vec3_zero());
        for (int i = 1; i < 7; ++i) {
            iso_vec3 p = test_random_vec3(&random, -2.0, 2.0);
            add_body(&f, "ball", ball, soft, iso_vec3_make(p.x, p.y, p.z + 5.0));
            v[i] = iso_spatial_make(test_random_vec3(&random, -1.0, 1.0),
                                    iso_vec3_scale(test_random_vec3(&random, -1.0, 1.0), speed));
            a[i].translational = iso_vec3_scale(test_random_vec3(&random, -1.0, 1.0), 10.0 * speed);
        }
        CHECK_OK(f.ctx, create(&f));
        double longest = longest_of(&f, v, a);
        double own = fmin(iso_contact_system_own_step(f.system, f.x_wb, v, a, 0.5), 0.1);
        CHECK_REL(longest, shortest_of_pairs(&f, v, a), 1e-14);
        CHECK(own <= longest && longest <= 0.1, "%g and %g", own, longest);
        cut += longest > own && longest < 0.1;
        fixture_free(&f);
    }
    CHECK(cut > 5, "%d of 40 draws are cut by a pair", cut);
}

static int count_crossings(fixture* f, const iso_spatial* v_wb, double time) {
    const iso_candidate* pairs = NULL;
    int count = -1;
    CHECK_OK(f->ctx,
             iso_contact_system_find_crossings(f->system, f->x_wb, v_wb, time, &pairs, &count));
    return count;
}

static void only_paths_that_cross_are_paired(void** state) {
    (void)state;
    fixture f;
    fixture_init(&f);
    iso_contact_material soft = material_of(ISO_COMPLIANCE_COMPLIANT, 1e5);
    soft.margin = 0.0;
    iso_shape_desc small = sphere(0.1), beam = box(4.0, 0.1, 0.1);
    iso_contact_shape* shape = add_shape(&f, &small, &soft);
    iso_spatial v[40] = {0};
    // A cloud that flies together, fast.
    for (int i = 0; i < 36; ++i) {
        iso_vec3 p = iso_vec3_make(0.5 * (i % 6), 0.5 * (i / 6), 0.0);
        add_body(&f, "ball", shape, soft, p);
        v[i].translational = iso_vec3_make(0.0, 0.0, -100.0);
    }
    // What one of them went through, and what none did.
    add_body(&f, "hit", shape, soft, iso_vec3_make(0.5, 0.5, 0.6));
    add_body(&f, "missed", shape, soft, iso_vec3_make(0.75, 0.75, 0.6));
    // A beam that turns by 0.1 goes past a ball that rests 1.9 m from its middle.
    iso_contact_shape* long_shape = add_shape(&f, &beam, &soft);
    int turning = add_body(&f, "turning", long_shape, soft, iso_vec3_make(0.0, 0.0, 9.0));
    add_body(&f, "beside", shape, soft, iso_vec3_make(1.9, -0.17, 9.0));
    CHECK_OK(f.ctx, create(&f));
    assert_int_equal(count_crossings(&f, v, 0.0), 0);
    assert_int_equal(count_crossings(&f, v, 0.01), 1); // 1 m
    v[turning].rotational = iso_vec3_make(0.0, 0.0, 10.0);
    assert_int_equal(count_crossings(&f, v, 0.01), 2);
    fixture_free(&f);
}

// A heap of balls and boxes, some rigid, on a compliant half space.
static void make_heap(fixture* f) {
    fixture_init(f);
    iso_contact_material soft = material_of(ISO_COMPLIANCE_COMPLIANT, 1e5);
    iso_contact_material hard = material_of(ISO_COMPLIANCE_RIGID, 1e7);
    soft.resolution_hint = hard.resolution_hint = 0.04;
    iso_shape_desc ball = sphere(0.06), brick = box(0.1, 0.08, 0.06);
    iso_shape_desc ground = iso_shape_desc_default(ISO_SHAPE_HALF_SPACE);
    iso_contact_shape* shapes[] = {add_shape(f, &ball, &soft), add_shape(f, &brick, &soft),
                                   add_shape(f, &ball, &hard), add_shape(f, &brick, &hard)};
    iso_contact_shape* ground_shape = add_shape(f, &ground, &soft);
    add_body(f, "ground", ground_shape, soft, iso_vec3_zero());
    test_random random = test_random_make(51);
    for (int i = 0; i < 40; ++i) {
        int kind = i % 4;
        add_body(f, "part", shapes[kind], kind < 2 ? soft : hard,
                 iso_vec3_make(0.09 * (i % 4), 0.09 * (i / 4 % 4), 0.04 + 0.07 * (i / 16)));
        f->x_wb[i + 1].r = iso_mat3_from_quat(test_random_quat(&random));
    }
    CHECK_OK(f->ctx, create(f));
}

static uint64_t hash_patch(uint64_t h, const iso_contact_pair* pair) {
    const iso_patch* p = &pair->patch;
    size_t faces = (size_t)p->face_count, vertices = (size_t)p->vertex_count;
    const int ids[] = {pair->geometry_a, pair->geometry_b, p->face_count, p->vertex_count};
    const double sums[] = {p->area, p->max_pressure, pair->p_wc.x, pair->p_wc.y, pair->p_wc.z};
    h = iso_hash_bytes(h, ids, sizeof ids);
    h = iso_hash_bytes(h, sums, sizeof sums);
    h = iso_hash_bytes(h, p->face_offsets, (faces + 1) * sizeof *p->face_offsets);
    h = iso_hash_bytes(h, p->vertices, vertices * sizeof *p->vertices);
    h = iso_hash_bytes(h, p->vertex_pressures, vertices * sizeof *p->vertex_pressures);
    h = iso_hash_bytes(h, p->areas, faces * sizeof *p->areas);
    h = iso_hash_bytes(h, p->centroids, faces * sizeof *p->centroids);
    h = iso_hash_bytes(h, p->normals, faces * sizeof *p->normals);
    h = iso_hash_bytes(h, p->pressures, faces * sizeof *p->pressures);
    h = iso_hash_bytes(h, p->gradients_a, faces * sizeof *p->gradients_a);
    return iso_hash_bytes(h, p->gradients_b, faces * sizeof *p->gradients_b);
}

static uint64_t hash_set(const iso_contact_set* set) {
    uint64_t h = ISO_HASH_SEED;
    for (int i = 0; i < set->pair_count; ++i) {
        h = hash_patch(h, &set->pairs[i]);
    }
    return h;
}

static void contacts_do_not_depend_on_the_number_of_threads(void** state) {
    (void)state;
    fixture f;
    make_heap(&f);
    iso_contact_set set = update(&f, NULL);
    uint64_t expected = hash_set(&set);
    int pair_count = set.pair_count;
    CHECK(pair_count > 60 && set.candidate_count > pair_count, "%d pairs of %d candidates",
          pair_count, set.candidate_count);
    for (int i = 1; i < pair_count; ++i) {
        const iso_contact_pair* p = &set.pairs[i - 1];
        const iso_contact_pair* q = &set.pairs[i];
        CHECK(p->geometry_a < q->geometry_a ||
                  (p->geometry_a == q->geometry_a && p->geometry_b < q->geometry_b),
              "pairs %d and %d are out of order", i - 1, i);
        CHECK(q->geometry_a < q->geometry_b, "pair %d", i);
    }
    for (int threads = 1; threads <= 4; ++threads) {
        iso_task_pool* pool;
        CHECK_OK(f.ctx, iso_task_pool_create(f.ctx, threads, &pool));
        for (int round = 0; round < 3; ++round) {
            iso_contact_set other = update(&f, pool);
            assert_int_equal(other.pair_count, pair_count);
            assert_true(hash_set(&other) == expected);
        }
        iso_task_pool_destroy(pool);
    }
    fixture_free(&f);
}

static void steady_updates_allocate_nothing(void** state) {
    (void)state;
    for (int threads = 1; threads <= 4; threads += 3) {
        fixture f;
        make_heap(&f);
        iso_task_pool* pool;
        CHECK_OK(f.ctx, iso_task_pool_create(f.ctx, threads, &pool));
        // Moving: every pose wanders a little and comes back.
        iso_pose start[MOST_GEOMETRIES];
        memcpy(start, f.x_wb, sizeof start);
        long before = 0;
        for (int step = 0; step < 24; ++step) {
            before = step == 12 ? test_heap_of(f.ctx)->call_count : before;
            for (int i = 1; i < f.count; ++i) {
                f.x_wb[i].p.x = start[i].p.x + 1e-3 * (step % 4) * (i % 3);
            }
            iso_contact_set set = update(&f, pool);
            CHECK(set.pair_count > 60, "%d pairs", set.pair_count);
        }
        assert_int_equal(test_heap_of(f.ctx)->call_count, before);
        iso_task_pool_destroy(pool);
        fixture_free(&f);
    }
}

static void two_half_spaces_that_may_meet_are_refused(void** state) {
    (void)state;
    fixture f;
    fixture_init(&f);
    iso_contact_material soft = material_of(ISO_COMPLIANCE_COMPLIANT, 1e5);
    iso_shape_desc ground = iso_shape_desc_default(ISO_SHAPE_HALF_SPACE);
    iso_contact_shape* shape = add_shape(&f, &ground, &soft);
    add_body(&f, "floor", shape, soft, iso_vec3_zero());
    add_body(&f, "ceiling", shape, soft, iso_vec3_zero());
    CHECK_STATUS(f.ctx, create(&f), ISO_ERR_GEOMETRY);
    assert_null(f.system);
    CHECK_ERROR(f.ctx, "'floor'");
    CHECK_ERROR(f.ctx, "'ceiling'");
    CHECK_ERROR(f.ctx, "scene.sdf:12");
    CHECK_ERROR(f.ctx, "both half spaces");
    create_filtered(&f, (iso_body_pair[]){{0, 1}}, 1);
    assert_int_equal(update(&f, NULL).candidate_count, 0);
    fixture_free(&f);
}

// Both have their layer from the ball by then, as shapes that have it need no second look.
static void half_spaces_with_layers_may_not_meet_either(void** state) {
    (void)state;
    fixture f;
    fixture_init(&f);
    iso_contact_material hard = material_of(ISO_COMPLIANCE_RIGID, 1e6);
    hard.resolution_hint = 0.1;
    iso_shape_desc ball = sphere(0.1), ground = iso_shape_desc_default(ISO_SHAPE_HALF_SPACE);
    add_body(&f, "ball", add_shape(&f, &ball, &hard), hard, iso_vec3_zero());
    iso_contact_shape* shape = add_shape(&f, &ground, &hard);
    add_body(&f, "ceiling", shape, hard, iso_vec3_zero());
    add_body(&f, "floor", shape, hard, iso_vec3_zero());
    CHECK_STATUS(f.ctx, create(&f), ISO_ERR_GEOMETRY);
    CHECK_ERROR(f.ctx, "both half spaces");
    fixture_free(&f);
}

// Three open sheets make three pairs, which is told once; a cube still meets each of them.
static void open_sheets_pass_through_each_other_and_that_is_told(void** state) {
    (void)state;
    fixture f;
    fixture_init(&f);
    kept_warning kept;
    iso_context* listener = warned_context(&kept);
    iso_contact_material hard = material_of(ISO_COMPLIANCE_RIGID, 1e7);
    iso_contact_material soft = material_of(ISO_COMPLIANCE_COMPLIANT, 1e6);
    iso_vec3 vertices[3] = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}};
    int triangles[1][3] = {{0, 1, 2}};
    iso_tri_mesh mesh = {
        .vertex_count = 3, .triangle_count = 1, .vertices = vertices, .triangles = triangles};
    iso_shape_desc sheet = iso_shape_desc_default(ISO_SHAPE_MESH);
    iso_shape_desc cube = box(1.0, 1.0, 1.0);
    sheet.surface = &mesh;
    iso_contact_shape* shape = add_shape(&f, &sheet, &hard);
    add_body(&f, "card", shape, hard, iso_vec3_zero());
    add_body(&f, "plate", shape, hard, iso_vec3_make(0.0, 0.0, 1e-4));
    add_body(&f, "lid", shape, hard, iso_vec3_zero());
    add_body(&f, "cube", add_shape(&f, &cube, &soft), soft, iso_vec3_zero());
    f.geometries[1].source = NULL;
    iso_context* quiet = f.ctx;
    f.ctx = listener;
    CHECK_OK(listener, create(&f));
    f.ctx = quiet;
    assert_non_null(strstr(kept.text, "'card' of 'card' (scene.sdf:12)"));
    assert_non_null(strstr(kept.text, "'plate' of 'plate' (no file) and others"));
    assert_non_null(strstr(kept.text, "(3 pairs)"));
    assert_int_equal(kept.count, 1);
    assert_false(iso_contact_system_may_meet(f.system, 0, 1));
    assert_true(iso_contact_system_may_meet(f.system, 0, 3));
    assert_int_equal(update(&f, NULL).candidate_count, 3);
    iso_contact_system_destroy(listener, f.system);
    f.system = NULL;
    iso_context_destroy(listener);
    fixture_free(&f);
}

static void rigid_bodies_meet_through_a_layer(void** state) {
    (void)state;
    fixture f;
    fixture_init(&f);
    iso_contact_material hard = material_of(ISO_COMPLIANCE_RIGID, 1e7);
    iso_shape_desc ball = sphere(0.1);
    iso_shape_desc ground = iso_shape_desc_default(ISO_SHAPE_HALF_SPACE);
    hard.resolution_hint = 0.03;
    iso_contact_shape* ball_shape = add_shape(&f, &ball, &hard);
    iso_contact_shape* ground_shape = add_shape(&f, &ground, &hard);
    add_body(&f, "ball", ball_shape, hard, iso_vec3_make(0.0, 0.0, 0.0995));
    add_body(&f, "ground", ground_shape, hard, iso_vec3_zero());
    add_body(&f, "upper", ball_shape, hard, iso_vec3_make(0.0, 0.0, 0.299));
    CHECK_OK(f.ctx, create(&f));
    iso_contact_set set = update(&f, NULL);
    assert_int_equal(set.pair_count, 2);
    CHECK(set.pairs[0].patch.max_pressure > 0.0 && set.pairs[1].patch.max_pressure > 0.0,
          "pressures %g and %g Pa", set.pairs[0].patch.max_pressure,
          set.pairs[1].patch.max_pressure);
    // The ground carries the layer against the ball, the lower ball that against the upper.
    CHECK(set.pairs[0].patch.is_rigid_a && !set.pairs[0].patch.is_rigid_b, "ball and ground");
    CHECK(!set.pairs[1].patch.is_rigid_a && set.pairs[1].patch.is_rigid_b, "ball and upper");
    fixture_free(&f);
}

// What the elastic force did on the way in is stored in the overlap. Exact where the fields are
// linear along the normal; under a sphere they are not, and the difference grows with the depth.
static void elastic_energy_is_the_work_of_pressing_a_ball(void** state) {
    (void)state;
    fixture f;
    fixture_init(&f);
    iso_contact_material soft = material_of(ISO_COMPLIANCE_COMPLIANT, 1e5);
    iso_contact_material hard = material_of(ISO_COMPLIANCE_RIGID, 1e7);
    soft.resolution_hint = 0.01;
    iso_shape_desc ball = sphere(0.1);
    iso_shape_desc ground = iso_shape_desc_default(ISO_SHAPE_HALF_SPACE);
    add_body(&f, "ball", add_shape(&f, &ball, &soft), soft, iso_vec3_zero());
    add_body(&f, "ground", add_shape(&f, &ground, &hard), hard, iso_vec3_zero());
    CHECK_OK(f.ctx, create(&f));
    double work = 0.0, last_force = 0.0, step = 1e-4;
    for (int i = 1; i <= 100; ++i) {
        f.x_wb[0].p.z = 0.1 - i * step;
        iso_contact_set set = update(&f, NULL);
        double force = 0.0, energy = 0.0;
        if (set.pair_count > 0) {
            iso_spatial w = iso_contact_continuous_wrench(f.system, &set.pairs[0],
                                                          iso_spatial_zero(), NULL, NULL);
            force = -w.translational.z; // on the ground, B
            energy = iso_contact_elastic_energy(&set.pairs[0]);
        }
        work += 0.5 * step * (force + last_force);
        last_force = force;
        if (i % 50 == 0) {
            CHECK_REL(energy, work, 2e-3); // measured 6.4e-5 at 5 mm, 1.1e-3 at 10 mm
        }
    }
    fixture_free(&f);
}

static void bad_arguments_are_named(void** state) {
    (void)state;
    fixture f;
    fixture_init(&f);
    iso_contact_material soft = material_of(ISO_COMPLIANCE_COMPLIANT, 1e5);
    iso_shape_desc ball = sphere(0.1);
    iso_contact_shape* shape = add_shape(&f, &ball, &soft);
    add_body(&f, "ball", shape, soft, iso_vec3_zero());
    f.geometries[0].body = 3;
    CHECK_STATUS(f.ctx, create(&f), ISO_ERR_RANGE);
    CHECK_ERROR(f.ctx, "body is 3, expected 0 to 0");
    f.geometries[0].body = 0;
    f.geometries[0].material.dissipation = -1.0;
    CHECK_STATUS(f.ctx, create(&f), ISO_ERR_RANGE);
    CHECK_ERROR(f.ctx, "dissipation is -1 s/m");
    f.geometries[0].material = soft;
    f.geometries[0].x_bg.p.x = NAN;
    CHECK_STATUS(f.ctx, create(&f), ISO_ERR_NUMERIC);
    f.geometries[0].x_bg = iso_pose_identity();
    f.geometries[0].shape = NULL;
    CHECK_STATUS(f.ctx, create(&f), ISO_ERR_ARGUMENT);
    f.geometries[0].shape = shape;
    const iso_body_filter one = {.body_count = 1};
    CHECK_STATUS(f.ctx, iso_contact_system_create(f.ctx, NULL, 1, &one, &f.options, &f.system),
                 ISO_ERR_ARGUMENT);
    CHECK_STATUS(f.ctx, iso_contact_system_create(f.ctx, NULL, -1, &one, &f.options, &f.system),
                 ISO_ERR_ARGUMENT);
    f.options.stiction_velocity = 0.0;
    CHECK_STATUS(f.ctx, create(&f), ISO_ERR_RANGE);
    fixture_free(&f);
}

static iso_status live_through(iso_context* ctx, void* user) {
    (void)user;
    iso_contact_material soft = material_of(ISO_COMPLIANCE_COMPLIANT, 1e5);
    soft.resolution_hint = 0.1;
    iso_shape_desc ball = sphere(0.1);
    iso_contact_shape* shape = NULL;
    iso_contact_system* system = NULL;
    iso_task_pool* pool = NULL;
    iso_arena arena = {0};
    iso_contact_options options = iso_contact_options_default();
    const iso_body_filter bodies = {.body_count = 2};
    iso_pose x_wb[2] = {iso_pose_identity(), iso_pose_from_position(iso_vec3_make(0.19, 0.0, 0.0))};
    iso_status status = iso_contact_shape_create(ctx, &ball, &soft, &shape);
    if (status != ISO_OK) {
        return status;
    }
    iso_contact_geometry geometries[2];
    for (int i = 0; i < 2; ++i) {
        geometries[i] = (iso_contact_geometry){.name = "ball",
                                               .body_name = i ? "b" : "a",
                                               .body = i,
                                               .x_bg = iso_pose_identity(),
                                               .shape = shape,
                                               .material = soft};
    }
    status = iso_contact_system_create(ctx, geometries, 2, &bodies, &options, &system);
    if (status == ISO_OK) {
        status = iso_task_pool_create(ctx, 2, &pool);
    }
    if (status == ISO_OK) {
        status = iso_arena_init(&arena, ctx, 0);
    }
    for (int step = 0; step < 2 && status == ISO_OK; ++step) {
        iso_contact_set set;
        status = iso_contact_system_update(system, x_wb, pool, &arena, &set);
        assert_int_equal(set.pair_count, status == ISO_OK ? 1 : 0);
    }
    if (arena.ctx) {
        iso_arena_destroy(&arena);
    }
    iso_task_pool_destroy(pool);
    iso_contact_system_destroy(ctx, system);
    iso_contact_shape_destroy(ctx, shape);
    return status;
}

static void every_allocation_failure_is_survived(void** state) {
    (void)state;
    int count = check_every_allocation_failure(live_through, NULL);
    CHECK(count > 20, "%d allocations", count);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_carry_combined_materials),
        cmocka_unit_test(filtered_and_empty_pairs_are_absent),
        cmocka_unit_test(longest_step_is_that_of_the_pair_that_may_meet_first),
        cmocka_unit_test(only_paths_that_cross_are_paired),
        cmocka_unit_test(contacts_do_not_depend_on_the_number_of_threads),
        cmocka_unit_test(steady_updates_allocate_nothing),
        cmocka_unit_test(two_half_spaces_that_may_meet_are_refused),
        cmocka_unit_test(half_spaces_with_layers_may_not_meet_either),
        cmocka_unit_test(open_sheets_pass_through_each_other_and_that_is_told),
        cmocka_unit_test(rigid_bodies_meet_through_a_layer),
        cmocka_unit_test(elastic_energy_is_the_work_of_pressing_a_ball),
        cmocka_unit_test(bad_arguments_are_named),
        cmocka_unit_test(every_allocation_failure_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
