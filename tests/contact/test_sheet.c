// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Patches on both sides of thin things, with plates whose thickness and depth are known.

#include "contact/pairs/contact_system.h"
#include "contact/pressure_field/sheet.h"
#include "support/check.h"
#include "support/failing_context.h"

#define MOST_BODIES 4

typedef struct scene {
    iso_context* ctx;
    iso_arena arena;
    int count;
    iso_contact_shape* shapes[MOST_BODIES];
    iso_contact_geometry geometries[MOST_BODIES];
    iso_pose x_wb[MOST_BODIES];
    iso_contact_system* system;
    iso_contact_set set;
    double margin, modulus;
} scene;

static scene scene_make(void) {
    scene s = {.ctx = test_context(), .modulus = 1e6};
    CHECK_OK(s.ctx, iso_arena_init(&s.arena, s.ctx, 1 << 20));
    return s;
}

static void add(scene* s, const char* name, const iso_shape_desc* desc, iso_compliance compliance,
                iso_pose x_wb) {
    int i = s->count++;
    iso_contact_material material = iso_contact_material_default();
    material.compliance = compliance;
    material.modulus = s->modulus;
    material.slab_thickness = 0.1;
    material.margin = s->margin;
    CHECK_OK(s->ctx, iso_contact_shape_create(s->ctx, desc, &material, &s->shapes[i]));
    s->geometries[i] = (iso_contact_geometry){.name = name,
                                              .body_name = name,
                                              .body = i,
                                              .x_bg = iso_pose_identity(),
                                              .shape = s->shapes[i],
                                              .material = material};
    s->x_wb[i] = x_wb;
}

static void meet(scene* s, iso_cull cull) {
    const iso_body_filter bodies = {.body_count = s->count};
    iso_contact_options options = iso_contact_options_default();
    options.cull = cull;
    CHECK_OK(s->ctx, iso_contact_system_create(s->ctx, s->geometries, s->count, &bodies, &options,
                                               &s->system));
    CHECK_OK(s->ctx, iso_contact_system_update(s->system, s->x_wb, NULL, &s->arena, &s->set));
}

static void scene_free(scene* s) {
    iso_contact_system_destroy(s->ctx, s->system);
    for (int i = 0; i < s->count; ++i) {
        iso_contact_shape_destroy(s->ctx, s->shapes[i]);
    }
    iso_arena_destroy(&s->arena);
    test_context_destroy(s->ctx);
}

static iso_shape_desc box(double x, double y, double z) {
    iso_shape_desc desc = iso_shape_desc_default(ISO_SHAPE_BOX);
    desc.size = iso_vec3_make(x, y, z);
    return desc;
}

static iso_pose at(double x, double y, double z) {
    return iso_pose_from_position(iso_vec3_make(x, y, z));
}

// A plate of 2 mm, its underside `depth` below the plane, turned about y.
static void put_plate(scene* s, iso_compliance compliance, double depth, double angle) {
    iso_shape_desc ground = iso_shape_desc_default(ISO_SHAPE_HALF_SPACE);
    iso_shape_desc plate = box(0.08, 0.05, 0.002);
    add(s, "ground", &ground, ISO_COMPLIANCE_COMPLIANT, at(0.0, 0.0, 0.0));
    iso_pose x_wb = at(0.0, 0.0, 0.001 * cos(angle) - depth);
    x_wb.r = iso_mat3_from_axis_angle(iso_vec3_make(0.0, 1.0, 0.0), angle);
    add(s, "plate", &plate, compliance, x_wb);
}

static void a_rigid_plate_below_the_surface_is_measured_exactly(void** state) {
    (void)state;
    const double angles[] = {0.0, 0.02, 0.3};
    for (int i = 0; i < 3; ++i) {
        scene s = scene_make();
        put_plate(&s, ISO_COMPLIANCE_RIGID, 0.02, angles[i]);
        meet(&s, ISO_CULL_NONE);
        assert_int_equal(s.set.pair_count, 1);
        const iso_contact_pair* pair = &s.set.pairs[0];
        CHECK_NEAR(pair->sheet_thickness, 0.002, 1e-12); // measured 1.7e-18
        // The lower edge of a turned plate.
        CHECK_NEAR(pair->sheet_depth, 0.02 + 0.04 * sin(angles[i]), 1e-12); // measured 3.5e-18
        assert_int_equal(pair->sheet_geometry, 1);
        scene_free(&s);
    }
}

// Half of the plate sticks out: its back in the field is smaller than its front.
static void a_plate_half_below_the_surface_is_measured_across_itself(void** state) {
    (void)state;
    scene s = scene_make();
    put_plate(&s, ISO_COMPLIANCE_RIGID, 0.006, 0.2);
    meet(&s, ISO_CULL_NONE);
    CHECK_NEAR(s.set.pairs[0].sheet_thickness, 0.002, 1e-12); // measured 0
    CHECK(s.set.pairs[0].sheet_depth > 0.002, "depth %g", s.set.pairs[0].sheet_depth);
    scene_free(&s);
}

static void a_plate_that_is_not_through_is_no_sheet(void** state) {
    (void)state;
    const double depths[] = {1e-5, 0.001, 0.00199};
    for (int i = 0; i < 3; ++i) {
        for (int kind = 0; kind < 2; ++kind) {
            scene s = scene_make();
            put_plate(&s, kind ? ISO_COMPLIANCE_COMPLIANT : ISO_COMPLIANCE_RIGID, depths[i], 0.0);
            meet(&s, ISO_CULL_NONE);
            assert_int_equal(s.set.pair_count, 1);
            CHECK_NEAR(s.set.pairs[0].sheet_thickness, 0.0, 0.0);
            CHECK_NEAR(s.set.pairs[0].sheet_depth, 0.0, 0.0);
            assert_int_equal(s.set.pairs[0].sheet_geometry, -1);
            scene_free(&s);
        }
    }
}

// [Masterjohn2022] section VI: the surface of equal pressure closes inside the plate, until the
// ground is everywhere above its pressure and there is none.
static void a_compliant_plate_below_the_surface_is_measured_by_its_skin(void** state) {
    (void)state;
    scene s = scene_make();
    put_plate(&s, ISO_COMPLIANCE_COMPLIANT, 0.02, 0.0);
    meet(&s, ISO_CULL_NONE);
    assert_int_equal(s.set.pair_count, 1);
    CHECK_NEAR(s.set.pairs[0].sheet_thickness, 0.002, 1e-12); // measured 5.2e-18
    CHECK_NEAR(s.set.pairs[0].sheet_depth, 0.02, 1e-12);      // measured 3.5e-18
    scene_free(&s);
    s = scene_make();
    put_plate(&s, ISO_COMPLIANCE_COMPLIANT, 0.102, 0.0);
    meet(&s, ISO_CULL_NONE);
    assert_int_equal(s.set.pair_count, 0);
    scene_free(&s);
}

static void thick_bodies_are_no_sheets(void** state) {
    (void)state;
    iso_shape_desc ground = iso_shape_desc_default(ISO_SHAPE_HALF_SPACE);
    iso_shape_desc ball = iso_shape_desc_default(ISO_SHAPE_SPHERE);
    ball.radius = 0.03;
    iso_shape_desc brick = box(0.06, 0.06, 0.06);
    const iso_shape_desc* shapes[] = {&ball, &brick};
    for (int i = 0; i < 4; ++i) {
        scene s = scene_make();
        add(&s, "ground", &ground, ISO_COMPLIANCE_COMPLIANT, at(0.0, 0.0, 0.0));
        // Sunk to 90 % of the half: a ball's widest part is near the plane.
        add(&s, "solid", shapes[i % 2], i / 2 ? ISO_COMPLIANCE_RIGID : ISO_COMPLIANCE_COMPLIANT,
            at(0.0, 0.0, 0.003));
        meet(&s, ISO_CULL_NONE);
        assert_int_equal(s.set.pair_count, 1);
        CHECK_NEAR(s.set.pairs[0].sheet_depth, 0.0, 0.0);
        scene_free(&s);
    }
}

// A stiff cube stands on a soft one, their sides flush but for some nanometres.
static void flush_cubes_are_no_sheets(void** state) {
    (void)state;
    iso_shape_desc cube = box(0.1, 0.1, 0.1);
    for (int i = 0; i < 2; ++i) {
        scene s = scene_make();
        add(&s, "below", &cube, ISO_COMPLIANCE_COMPLIANT, at(0.0, 0.0, 0.0));
        add(&s, "above", &cube, i ? ISO_COMPLIANCE_RIGID : ISO_COMPLIANCE_COMPLIANT,
            at(3e-9, 1e-9, 0.0905));
        meet(&s, ISO_CULL_NONE);
        assert_int_equal(s.set.pair_count, 1);
        CHECK_NEAR(s.set.pairs[0].sheet_depth, 0.0, 0.0);
        assert_int_equal(s.set.pairs[0].sheet_geometry, -1);
        scene_free(&s);
    }
}

// One triangle mesh without thickness, in the field: right side up it is a surface, upside down it
// shows its back.
static void an_open_sheet_shows_its_back(void** state) {
    (void)state;
    iso_vec3 corners[4] = {
        {-0.03, -0.03, 0.0}, {0.03, -0.03, 0.0}, {0.03, 0.03, 0.0}, {-0.03, 0.03, 0.0}};
    int down[2][3] = {{0, 2, 1}, {0, 3, 2}}, up[2][3] = {{0, 1, 2}, {0, 2, 3}};
    for (int i = 0; i < 2; ++i) {
        iso_tri_mesh mesh = {.vertex_count = 4,
                             .triangle_count = 2,
                             .vertices = corners,
                             .triangles = i ? up : down};
        iso_shape_desc sheet = iso_shape_desc_default(ISO_SHAPE_MESH);
        sheet.surface = &mesh;
        iso_shape_desc ground = iso_shape_desc_default(ISO_SHAPE_HALF_SPACE);
        scene s = scene_make();
        add(&s, "ground", &ground, ISO_COMPLIANCE_COMPLIANT, at(0.0, 0.0, 0.0));
        add(&s, "sheet", &sheet, ISO_COMPLIANCE_RIGID, at(0.0, 0.0, -0.005));
        meet(&s, ISO_CULL_NONE);
        CHECK_NEAR(s.set.pairs[0].sheet_depth, i ? 0.005 : 0.0, 1e-15); // measured 0
        CHECK_NEAR(s.set.pairs[0].sheet_thickness, 0.0, 0.0);
        assert_int_equal(s.set.pairs[0].sheet_geometry, i ? 1 : -1);
        scene_free(&s);
    }
}

// [Elandt2022] section 7.2: a card of 1 mm between two fingers. From where their fields meet
// inside it, that contact is named; once they are through, the card's own contacts are too.
static void a_card_between_two_fingers_is_found_three_times(void** state) {
    (void)state;
    const struct {
        double depth;
        int pairs, sheets;
    } cases[] = {{0.0004, 2, 0}, {0.0007, 3, 1}, {0.003, 3, 3}};
    iso_shape_desc finger = box(0.02, 0.02, 0.02), card = box(0.08, 0.05, 0.001);
    for (int i = 0; i < 3; ++i) {
        double d = cases[i].depth;
        scene s = scene_make();
        add(&s, "a_card", &card, ISO_COMPLIANCE_RIGID, at(0.0, 0.0, 0.0));
        add(&s, "b_lower", &finger, ISO_COMPLIANCE_COMPLIANT, at(0.0, 0.0, -0.0105 + d));
        add(&s, "c_upper", &finger, ISO_COMPLIANCE_COMPLIANT, at(0.001, 0.0, 0.0105 - d));
        meet(&s, ISO_CULL_NONE);
        assert_int_equal(s.set.pair_count, cases[i].pairs);
        int sheets = 0;
        for (int k = 0; k < s.set.pair_count; ++k) {
            const iso_contact_pair* pair = &s.set.pairs[k];
            if (pair->sheet_depth > 0.0) {
                ++sheets;
                assert_int_equal(pair->sheet_geometry, 0);
                CHECK_NEAR(pair->sheet_thickness, 0.001, 1e-12); // measured 8.7e-19
                bool is_between = pair->geometry_a == 1 && pair->geometry_b == 2;
                CHECK_NEAR(pair->sheet_depth, is_between ? 2.0 * d : d, 1e-12); // measured 2.2e-18
            }
        }
        assert_int_equal(sheets, cases[i].sheets);
        scene_free(&s);
    }
}

// Three balls that touch each other, and a pile on a plane, meet outside of every third body.
static void balls_in_a_heap_are_no_sheets(void** state) {
    (void)state;
    iso_shape_desc ball = iso_shape_desc_default(ISO_SHAPE_SPHERE);
    ball.radius = 0.05;
    scene s = scene_make();
    add(&s, "a", &ball, ISO_COMPLIANCE_COMPLIANT, at(0.0, 0.0, 0.0));
    add(&s, "b", &ball, ISO_COMPLIANCE_RIGID, at(0.08, 0.0, 0.0));
    add(&s, "c", &ball, ISO_COMPLIANCE_COMPLIANT, at(0.04, 0.07, 0.0));
    meet(&s, ISO_CULL_NONE);
    assert_int_equal(s.set.pair_count, 3);
    for (int k = 0; k < 3; ++k) {
        CHECK_NEAR(s.set.pairs[k].sheet_depth, 0.0, 0.0);
    }
    scene_free(&s);
}

// Bodies with one middle: what others meet in has a front and a back, or is none.
static void what_bodies_meet_in_is_somewhat_thick(void** state) {
    (void)state;
    const iso_shape_kind kinds[] = {ISO_SHAPE_CAPSULE, ISO_SHAPE_CYLINDER, ISO_SHAPE_ELLIPSOID,
                                    ISO_SHAPE_BOX};
    int third_count = 0;
    for (int draw = 0; draw < 12; ++draw) { // what is in one place is told apart by rounding alone
        scene s = scene_make();
        s.margin = 3.924e-5;
        s.modulus = draw < 4 ? 1e5 : draw < 8 ? 1e6 : 1e7;
        for (int i = 0; i < 4; ++i) {
            iso_shape_desc desc = iso_shape_desc_default(kinds[(draw + i) % 4]);
            double edges = desc.kind == ISO_SHAPE_BOX ? 2.0 : 1.0;
            desc.size = iso_vec3_scale(iso_vec3_make(0.1, 0.2, 0.1), edges);
            desc.radius = 0.1;
            desc.length = 0.4;
            add(&s, "a", &desc, ISO_COMPLIANCE_COMPLIANT, at(0.0, 0.0, 0.0));
        }
        meet(&s, ISO_CULL_NONE);
        for (int k = 0; k < s.set.pair_count; ++k) {
            const iso_contact_pair* pair = &s.set.pairs[k];
            int g = pair->sheet_geometry;
            bool is_third = g >= 0 && g != pair->geometry_a && g != pair->geometry_b;
            third_count += is_third;
            CHECK(is_third ? pair->sheet_thickness > 0.0 : pair->sheet_thickness >= 0.0,
                  "draw %d, pair %d: %g m", draw, k, pair->sheet_thickness);
        }
        scene_free(&s);
    }
    CHECK(third_count > 0, "%d", third_count);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rigid_plate_below_the_surface_is_measured_exactly),
        cmocka_unit_test(a_plate_half_below_the_surface_is_measured_across_itself),
        cmocka_unit_test(a_plate_that_is_not_through_is_no_sheet),
        cmocka_unit_test(a_compliant_plate_below_the_surface_is_measured_by_its_skin),
        cmocka_unit_test(thick_bodies_are_no_sheets),
        cmocka_unit_test(flush_cubes_are_no_sheets),
        cmocka_unit_test(an_open_sheet_shows_its_back),
        cmocka_unit_test(a_card_between_two_fingers_is_found_three_times),
        cmocka_unit_test(balls_in_a_heap_are_no_sheets),
        cmocka_unit_test(what_bodies_meet_in_is_somewhat_thick),
    };
    return cmocka_run_group_tests_name("sheet", tests, NULL, NULL);
}
