// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Drawn flights at fixed steps: what goes through something in a step is said, what goes by beside
// it or lands on it gently is not.

#include "support/check.h"
#include "support/kept_warning.h"
#include "support/random.h"
#include "world/scenes.h"

#define DRAW_COUNT 60

/// Two wedges, not in the middle of their boxes.
static iso_vec3 wedge_vertices[2][4];
static int wedge_triangles[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
static iso_tri_mesh wedges[2] = {{4, 4, wedge_vertices[0], wedge_triangles},
                                 {4, 4, wedge_vertices[1], wedge_triangles}};

static const iso_method methods[] = {ISO_METHOD_LAGGED, ISO_METHOD_MIDPOINT, ISO_METHOD_RK4,
                                     ISO_METHOD_SAP,    ISO_METHOD_SIMILAR,  ISO_METHOD_TAMSI};
static const char* const method_names[] = {"lagged", "midpoint", "rk4", "sap", "similar", "tamsi"};

/// A shape, and half the sides of its box.
typedef struct drawn_shape {
    iso_shape_desc desc;
    iso_vec3 half;
} drawn_shape;

static drawn_shape draw_shape(test_random* r, iso_contact_model_kind model, bool is_round,
                              int index) {
    static const iso_shape_kind kinds[] = {ISO_SHAPE_SPHERE, ISO_SHAPE_CAPSULE,  ISO_SHAPE_BOX,
                                           ISO_SHAPE_BOX,    ISO_SHAPE_CYLINDER, ISO_SHAPE_MESH};
    bool is_hertz = model == ISO_CONTACT_MODEL_HERTZ;
    int most = is_hertz ? is_round ? 1 : 4 : 5;
    drawn_shape s = {.desc = iso_shape_desc_default(kinds[test_random_int(r, 0, most)])};
    iso_vec3* v = wedge_vertices[index];
    double radius = test_random_uniform(r, 0.02, 0.2), length = test_random_uniform(r, 0.05, 0.8);
    s.desc.radius = radius;
    s.desc.length = length;
    s.half = iso_vec3_make(radius, radius, radius);
    switch (s.desc.kind) {
    case ISO_SHAPE_CAPSULE:
        s.half.z += 0.5 * length;
        break;
    case ISO_SHAPE_CYLINDER:
        s.half.z = 0.5 * length;
        break;
    case ISO_SHAPE_BOX: // a brick, a stick or a plate
        s.half =
            iso_vec3_make(test_random_uniform(r, 0.005, 0.5), test_random_uniform(r, 0.005, 0.05),
                          test_random_uniform(r, 0.01, 0.5));
        s.desc.size = iso_vec3_scale(s.half, 2.0);
        break;
    case ISO_SHAPE_MESH:
        v[0] = iso_vec3_make(-radius, -radius, -radius);
        v[1] = iso_vec3_make(radius, -radius, -radius);
        v[2] = iso_vec3_make(-radius, radius, -radius);
        v[3] = iso_vec3_make(-radius, -radius, radius);
        s.desc.surface = &wedges[index];
        break;
    default:
        break;
    }
    return s;
}

/// A place within a shape, not near its surface.
static iso_vec3 draw_place(test_random* r, const drawn_shape* s) {
    double x = test_random_uniform(r, -0.5, 0.5), y = test_random_uniform(r, -0.5, 0.5);
    double z = test_random_uniform(r, -0.5, 0.5);
    if (s->desc.kind == ISO_SHAPE_MESH) {
        x = y = z = test_random_uniform(r, -0.7, -0.55);
    }
    return iso_vec3_make(x * s->half.x, y * s->half.y, z * s->half.z);
}

static double half_width(const drawn_shape* s, const iso_mat3* r_wg, iso_vec3 n) {
    iso_vec3 d = iso_mat3_tmul_vec3(r_wg, n);
    return fabs(d.x) * s->half.x + fabs(d.y) * s->half.y + fabs(d.z) * s->half.z;
}

/// What flies, [0], and what rests, [1].
typedef struct drawn_flight {
    iso_contact_model_kind model;
    int method;
    drawn_shape shapes[2];
    iso_pose x[2];
    iso_vec3 velocity, turning;
    double time_step, friction;
    bool is_rigid;
    const char* part; ///< of the warnings that count
} drawn_flight;

static drawn_flight draw_flight(test_random* r) {
    static const iso_contact_model_kind models[] = {
        ISO_CONTACT_MODEL_PRESSURE_FIELD, ISO_CONTACT_MODEL_HERTZ, ISO_CONTACT_MODEL_VOLUMETRIC};
    drawn_flight f = {.model = models[test_random_int(r, 0, 2)],
                      .method = test_random_int(r, 0, 5),
                      .time_step = test_random_uniform(r, 1e-3, 1e-2),
                      .is_rigid = test_random_int(r, 0, 3) == 0,
                      .part = " went ",
                      .friction = test_random_int(r, 0, 1) * 0.5};
    bool is_first_round = test_random_int(r, 0, 1);
    for (int i = 0; i < 2; ++i) {
        f.shapes[i] = draw_shape(r, f.model, i == is_first_round, i);
        f.x[i] = test_random_pose(r, 1.0);
    }
    return f;
}

static iso_world* make_flight(iso_context* ctx, const drawn_flight* f) {
    iso_model* model = make_model(ctx);
    static const char* const names[] = {"flier", "target"};
    for (int i = 0; i < 2; ++i) {
        int body = add_body(ctx, model, names[i], 1.0, iso_vec3_make(0.1, 0.1, 0.1));
        iso_geometry_desc desc = iso_geometry_desc_default();
        desc.name = "g";
        desc.shape = f->shapes[i].desc;
        desc.material.model = f->model;
        desc.material.margin = 0.0;
        bool is_rigid = (f->is_rigid && i == 0 && f->model == ISO_CONTACT_MODEL_PRESSURE_FIELD) ||
                        desc.shape.kind == ISO_SHAPE_MESH ||
                        desc.shape.kind == ISO_SHAPE_HALF_SPACE;
        desc.material.compliance = is_rigid ? ISO_COMPLIANCE_RIGID : ISO_COMPLIANCE_COMPLIANT;
        desc.material.modulus = 1e5;
        desc.material.friction_static = desc.material.friction_dynamic = f->friction;
        bool is_ground = desc.shape.kind == ISO_SHAPE_HALF_SPACE;
        CHECK_OK(ctx,
                 iso_model_add_geometry(model, is_ground ? ISO_WORLD_BODY : body, &desc, NULL));
        CHECK_OK(ctx, iso_model_set_free_pose(model, body, &f->x[i]));
        iso_spatial v = i == 0 ? iso_spatial_make(f->turning, f->velocity) : iso_spatial_zero();
        CHECK_OK(ctx, iso_model_set_free_twist(model, body, v));
    }
    iso_world_desc desc = iso_world_desc_default();
    desc.gravity = iso_vec3_zero();
    desc.time_step = f->time_step;
    desc.method = methods[f->method];
    iso_world* world = make_world(ctx, model, &desc);
    iso_model_destroy(model);
    return world;
}

/// Warnings of so many steps, and where the flier is at the end.
static int fly(const drawn_flight* f, int step_count, kept_warning* kept, iso_pose* out_x,
               double* out_speed) {
    iso_context* ctx = warned_context_of(kept, f->part);
    iso_world* world = make_flight(ctx, f);
    int flier = iso_world_find_body(world, "flier");
    for (int i = 0; i < step_count && iso_world_step(world) == ISO_OK; ++i) {
    }
    *out_x = iso_world_body_pose(world, flier);
    *out_speed = iso_vec3_norm(iso_world_body_twist(world, flier).translational);
    int count = iso_world_contact_passage(world).pair_count;
    iso_world_destroy(world);
    iso_context_destroy(ctx);
    return count;
}

// A place of the one meets one of the other within a step; at its ends they are far apart.
static void what_goes_through_is_said(void** state) {
    (void)state;
    int through_count = 0;
    for (int i = 0; i < DRAW_COUNT; ++i) {
        test_random r = test_random_make((uint64_t)i);
        drawn_flight f = draw_flight(&r);
        iso_vec3 d = test_random_unit_vec3(&r);
        double reach = iso_vec3_norm(f.shapes[0].half) + iso_vec3_norm(f.shapes[1].half);
        double share = test_random_uniform(&r, 0.2, 0.8), step = test_random_int(&r, 0, 2);
        double way = test_random_uniform(&r, 1.1, 3.0) * reach / fmin(share, 1.0 - share);
        iso_vec3 meet = iso_pose_point(&f.x[1], draw_place(&r, &f.shapes[1]));
        iso_vec3 place = iso_mat3_mul_vec3(&f.x[0].r, draw_place(&r, &f.shapes[0]));
        f.x[0].p = iso_vec3_add_scaled(iso_vec3_sub(meet, place), d, -way * (step + share));
        f.velocity = iso_vec3_scale(d, way / f.time_step);
        kept_warning kept;
        iso_pose x;
        double speed;
        int count = fly(&f, 4, &kept, &x, &speed);
        bool is_beyond = iso_vec3_dot(iso_vec3_sub(x.p, meet), d) > reach ||
                         speed > 2.0 * iso_vec3_norm(f.velocity); // or thrown away
        CHECK(!is_beyond || count == 1, "draw %d: %s, model %d, shapes %d and %d, %d warnings", i,
              method_names[f.method], f.model, f.shapes[0].desc.kind, f.shapes[1].desc.kind, count);
        through_count += is_beyond;
    }
    CHECK(through_count >= DRAW_COUNT * 3 / 4, "%d went through", through_count);
}

static void what_goes_by_is_not(void** state) {
    (void)state;
    for (int i = 0; i < DRAW_COUNT; ++i) {
        test_random r = test_random_make(1000 + (uint64_t)i);
        drawn_flight f = draw_flight(&r);
        iso_vec3 side = i % 2 ? test_random_unit_vec3(&r)
                              : iso_mat3_column(&f.x[i / 2 % 2].r, test_random_int(&r, 0, 2));
        iso_vec3 d = iso_vec3_normalized(iso_vec3_cross(side, test_random_unit_vec3(&r)));
        double gap = test_random_uniform(&r, 1e-4, 0.05), way = test_random_uniform(&r, 0.05, 5.0);
        gap += half_width(&f.shapes[0], &f.x[0].r, side);
        gap += half_width(&f.shapes[1], &f.x[1].r, side);
        iso_vec3 beside = iso_vec3_add_scaled(f.x[1].p, side, gap);
        f.x[0].p = iso_vec3_add_scaled(beside, d, -way * test_random_uniform(&r, 0.0, 3.0));
        f.velocity = iso_vec3_scale(d, way / f.time_step);
        kept_warning kept;
        iso_pose x;
        double speed;
        int count = fly(&f, 3, &kept, &x, &speed);
        CHECK(count == 0, "draw %d: %s, model %d, shapes %d and %d: %s", i, method_names[f.method],
              f.model, f.shapes[0].desc.kind, f.shapes[1].desc.kind, kept.text);
    }
}

// On a table, much faster along it than towards it; most leave it over its edge.
static void what_lands_gently_is_not(void** state) {
    (void)state;
    for (int i = 0; i < DRAW_COUNT; ++i) {
        test_random r = test_random_make(2000 + (uint64_t)i);
        drawn_flight f = draw_flight(&r);
        f.shapes[0] = draw_shape(&r, f.model, true, 0);
        f.shapes[1] = (drawn_shape){iso_shape_desc_default(ISO_SHAPE_BOX), {1.0, 1.0, 0.1}};
        f.shapes[1].desc.size = iso_vec3_scale(f.shapes[1].half, 2.0);
        f.x[1] = iso_pose_identity();
        iso_vec3 h = f.shapes[0].half;
        double least = fmin(h.x, fmin(h.y, h.z)), way = least * test_random_uniform(&r, 1.0, 20.0);
        double height = 0.1 + half_width(&f.shapes[0], &f.x[0].r, iso_vec3_make(0.0, 0.0, 1.0));
        double sink = least * test_random_uniform(&r, 0.0, 0.1);
        double x = test_random_uniform(&r, -1.0, 1.0), y = test_random_uniform(&r, -0.9, 0.9);
        f.x[0].p = iso_vec3_make(x, y, height + sink * test_random_uniform(&r, 0.0, 3.0) + 1e-6);
        f.velocity = iso_vec3_scale(iso_vec3_make(way, 0.0, -sink), 1.0 / f.time_step);
        kept_warning kept;
        iso_pose x_end;
        double speed;
        int count = fly(&f, 6, &kept, &x_end, &speed);
        CHECK(count == 0, "draw %d: %s, model %d, shape %d: %s", i, method_names[f.method], f.model,
              f.shapes[0].desc.kind, kept.text);
    }
}

// Onto the ground: whatever ends below it, or is thrown away from it, is said.
static void what_enters_the_ground_is_said(void** state) {
    (void)state;
    int lost_count = 0;
    for (int i = 0; i < DRAW_COUNT; ++i) {
        test_random r = test_random_make(3000 + (uint64_t)i);
        drawn_flight f = draw_flight(&r);
        f.part = NULL; // what is too soft is said otherwise
        f.shapes[0] = draw_shape(&r, f.model, true, 0);
        f.shapes[1] = (drawn_shape){.desc = iso_shape_desc_default(ISO_SHAPE_HALF_SPACE)};
        f.x[1] = iso_pose_identity();
        iso_vec3 up = iso_vec3_make(0.0, 0.0, 1.0);
        double half = half_width(&f.shapes[0], &f.x[0].r, up);
        double way = half * test_random_uniform(&r, 2.5, 20.0);
        f.x[0].p.z = half + 1e-3 + way * test_random_uniform(&r, 0.0, 2.0);
        f.velocity = iso_vec3_make(0.0, 0.0, -way / f.time_step);
        kept_warning kept;
        iso_pose x;
        double speed;
        (void)fly(&f, 6, &kept, &x, &speed);
        bool is_lost = x.p.z < 0.0 || speed > 2.0 * way / f.time_step;
        CHECK(!is_lost || kept.count > 0, "draw %d: %s, model %d, shape %d: %g m, %g m/s of %g", i,
              method_names[f.method], f.model, f.shapes[0].desc.kind, x.p.z, speed,
              way / f.time_step);
        lost_count += is_lost;
    }
    CHECK(lost_count >= DRAW_COUNT / 4, "%d were lost", lost_count);
}

/// A square frame, solid from `inner` to 0.5 m, 0.1 m high; corners go round, top and bottom.
static void make_frame(double inner, iso_vec3 vertices[16], int triangles[32][3]) {
    static const int around[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    for (int i = 0; i < 16; ++i) { // outer bottom, outer top, inner bottom, inner top
        double size = i < 8 ? 0.5 : inner, height = i / 4 % 2 ? 0.05 : -0.05;
        vertices[i] = iso_vec3_make(size * around[i % 4][0], size * around[i % 4][1], height);
    }
    static const int rings[4][2] = {{0, 4}, {4, 12}, {12, 8}, {8, 0}}; // each to the next one
    int count = 0;
    for (int k = 0; k < 4; ++k) {
        for (int i = 0; i < 4; ++i) {
            int a = rings[k][0] + i, b = rings[k][0] + (i + 1) % 4;
            int c = rings[k][1] + (i + 1) % 4, d = rings[k][1] + i;
            const int both[2][3] = {{a, b, c}, {a, c, d}};
            memcpy(triangles[count], both, sizeof both);
            count += 2;
        }
    }
}

// A frame that flies over a post has the post where its middle is; its rim does hit things.
static void a_frame_flies_over_a_post(void** state) {
    (void)state;
    iso_vec3 vertices[16];
    int triangles[32][3];
    iso_tri_mesh frame = {16, 32, vertices, triangles};
    for (int i = 0; i < DRAW_COUNT; ++i) {
        test_random r = test_random_make(4000 + (uint64_t)i);
        double inner = test_random_uniform(&r, 0.2, 0.45), post = 0.05;
        make_frame(inner, vertices, triangles);
        bool is_hit = i % 2;
        double x =
            is_hit ? 0.5 * (inner + 0.5) : test_random_uniform(&r, -0.9, 0.9) * (inner - post);
        drawn_flight f = {.model = ISO_CONTACT_MODEL_PRESSURE_FIELD,
                          .method = test_random_int(&r, 0, 5),
                          .time_step = 0.01};
        f.shapes[0] = (drawn_shape){iso_shape_desc_default(ISO_SHAPE_MESH), {0.5, 0.5, 0.05}};
        f.shapes[0].desc.surface = &frame;
        f.shapes[1] = (drawn_shape){iso_shape_desc_default(ISO_SHAPE_BOX), {post, post, 0.3}};
        f.shapes[1].desc.size = iso_vec3_scale(f.shapes[1].half, 2.0);
        f.x[1] = iso_pose_identity();
        double way = test_random_uniform(&r, 1.0, 3.0);
        f.x[0] =
            iso_pose_from_position(iso_vec3_make(x, 0.0, 0.36 + test_random_uniform(&r, 0.0, 0.2)));
        f.velocity = iso_vec3_make(0.0, 0.0, -way / f.time_step);
        kept_warning kept;
        iso_pose x_end;
        double speed;
        int count = fly(&f, 2, &kept, &x_end, &speed);
        bool is_beyond = x_end.p.z < -0.35;
        CHECK(is_hit ? count == 1 || !is_beyond : count == 0, "draw %d: %s, %d: %s", i,
              method_names[f.method], is_hit, kept.text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_goes_through_is_said),
        cmocka_unit_test(what_goes_by_is_not),
        cmocka_unit_test(what_lands_gently_is_not),
        cmocka_unit_test(what_enters_the_ground_is_said),
        cmocka_unit_test(a_frame_flies_over_a_post),
    };
    return cmocka_run_group_tests_name("tunnelling draws", tests, NULL, NULL);
}
