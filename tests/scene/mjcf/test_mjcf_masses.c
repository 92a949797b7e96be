// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// MJCF: where masses and inertias come from.

#include "isobar/dynamics.h"
#include "isobar/query.h"
#include "isobar/world.h"
#include "scene/mjcf_fixture.h"

#include <math.h>

static void masses_are_scaled_to_a_total(void** state) {
    fixture* f = *state;
    load(f, "<mujoco model='m'><compiler settotalmass='6'/><worldbody>"
            "<body name='a'><joint/><inertial pos='0 0 0' mass='1' diaginertia='1 2 3'/></body>"
            "<body name='b'><inertial pos='0 0 0' mass='2' diaginertia='1 1 1'/></body>"
            "</worldbody></mujoco>");
    const iso_body_desc* a = iso_model_body(f->scene.model, body_index(&f->scene, "m::a"));
    const iso_body_desc* b = iso_model_body(f->scene.model, body_index(&f->scene, "m::b"));
    assert_true(a->mass == 2.0 && a->inertia.m[2][2] == 6.0 && b->mass == 4.0);
    // The largest total there is; nothing is stripped from paths where nothing shall be.
    load(f, "<mujoco model='m'><compiler settotalmass='1e12' strippath='false'/><worldbody>"
            "<body name='a'><freejoint/>" BALL "</body></worldbody></mujoco>");
    CHECK_REL(iso_model_body(f->scene.model, 1)->mass, 1e12, 1e-15); // measured 0
}

// As MuJoCo has it: what turns with its parent gives that its moments.
static void what_is_fixed_to_its_parent_may_have_moments_without_mass(void** state) {
#define MOMENTS(name, joint, moments)            \
    "<body name='" name "' pos='0.3 0 0'>" joint \
    "<inertial pos='0 0 0' mass='0' diaginertia='" moments "'/></body>"
    fixture* f = *state;
    iso_world* world = NULL;
    double m = 0.0;
    load(f, "<mujoco model='m'><worldbody>" MOMENTS(
                "still", "",
                "1 2 2.5") "<body name='p'><joint axis='0 1 0'/><geom "
                           "size='0.1'/>" MOMENTS("a", "", "0.1 0.2 0.25") "</body></worldbody></"
                                                                           "mujoco>");
    CHECK_OK(f->ctx, iso_world_create(f->ctx, f->scene.model, &f->scene.world, &world));
    CHECK_OK(f->ctx, iso_world_mass_matrix(world, &m));
    CHECK_REL(m, 0.2 + 0.4 * 1000.0 * 4.0 / 3.0 * ISO_PI * pow(0.1, 5.0), 1e-14);
    iso_world_destroy(world);
    static const char* const wrong[][2] = {
        {"<mujoco model='m'><worldbody>" MOMENTS("a", "<joint/>", "1 1 1") "</worldbody></mujoco>",
         "test.xml:1: 'm::a': inertia without mass (trace 3 kg m^2), expected 0"},
        {"<mujoco model='m'><worldbody>" MOMENTS("a", "", "1 2 9") "</worldbody></mujoco>",
         "test.xml:1: 'm::a': inertia (ixx 1, iyy 2, izz 9"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        iso_scene_destroy(f->ctx, &f->scene);
        CHECK_STATUS(f->ctx, load_text(f->ctx, ISO_SCENE_FORMAT_XML, wrong[i][0], &f->scene),
                     ISO_ERR_RANGE);
        CHECK_ERROR(f->ctx, wrong[i][1]);
    }
}

// The centre of mass of a tetrahedron is the mean of its corners; its moments about that are sums
// over the corners, m / 20 (x_i - c)^2. Whichever of its ways `inertia` names.
static void a_tetrahedron_has_its_mass_whatever_inertia_says(void** state) {
    fixture* f = *state;
    static const char* const ways[] = {"", "inertia='legacy'", "inertia='exact'",
                                       "inertia='convex'"};
    static const iso_vec3 corners[4] = {{0, 0, 0}, {0.3, 0, 0}, {0, 0.2, 0}, {0.1, 0.1, 0.6}};
    const double mass = 1000.0 * 0.3 * 0.2 * 0.6 / 6.0;
    iso_vec3 center = iso_vec3_make(0.1, 0.075, 0.15);
    iso_mat3 second = iso_mat3_zero();
    for (int i = 0; i < 4; ++i) {
        iso_vec3 arm = iso_vec3_sub(corners[i], center);
        second = iso_mat3_add(second, iso_mat3_scale(iso_mat3_outer(arm, arm), mass / 20.0));
    }
    for (int i = 0; i < 4; ++i) {
        char text[1024];
        snprintf(text, sizeof text,
                 "<mujoco model='m'><asset><mesh name='o' vertex='0 0 0 3 0 0 0 1 0 1 0.5 2' "
                 "face='0 2 1 0 1 3 1 2 3 2 0 3' scale='0.1 0.2 0.3' %s/></asset><worldbody>"
                 "<body name='a'><joint/><geom type='mesh' mesh='o'/></body></worldbody></mujoco>",
                 ways[i]);
        load(f, text);
        const iso_body_desc* body = iso_model_body(f->scene.model, body_index(&f->scene, "m::a"));
        CHECK_REL(body->mass, mass, 1e-14);                   // measured 3e-16
        CHECK_VEC3_NEAR(body->center_of_mass, center, 1e-15); // measured 3.1e-17
        for (int k = 0; k < 9; ++k) {
            double trace = second.m[0][0] + second.m[1][1] + second.m[2][2];
            double expected = (k % 4 == 0 ? trace : 0.0) - second.m[k / 3][k % 3];
            CHECK_NEAR(body->inertia.m[k / 3][k % 3], expected, 1e-14); // 8.3e-17
        }
    }
}

// Two triangles of a corner; the shell's numbers are MuJoCo's.
#define OPEN_MESH(rest)                                                                       \
    "<mujoco model='m'><asset><mesh name='o' vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 2 1 0 " \
    "1 3' scale='0.1 0.1 0.1' " rest "/></asset><worldbody><body name='a'><joint/>\n<geom "   \
    "type='mesh' mesh='o'/></body></worldbody></mujoco>"

static void meshes_that_enclose_nothing_have_the_mass_that_inertia_says(void** state) {
    fixture* f = *state;
    load(f, OPEN_MESH(""));
    const iso_body_desc* legacy = iso_model_body(f->scene.model, body_index(&f->scene, "m::a"));
    CHECK_NEAR(legacy->mass, 1.0 / 18.0, 1e-15); // measured 0; MuJoCo has 0.055555555555555566
    CHECK_TEXT(f->log.text, "test.xml:2: <geom>: mesh 'o' encloses no solid: its mass is that of "
                            "the tetrahedra from its middle");
    f->log = (kept_log){.length = 0};
    load(f, OPEN_MESH("inertia='exact'"));
    const iso_body_desc* exact = iso_model_body(f->scene.model, body_index(&f->scene, "m::a"));
    CHECK_NEAR(exact->mass, 1.0 / 18.0, 1e-15); // measured 0; as MuJoCo counts it
    CHECK_TEXT(f->log.text, "test.xml:2: <geom>: mesh 'o' encloses no solid: the mass is that of");
    f->log = (kept_log){.length = 0};
    load(f, OPEN_MESH("inertia='shell'"));
    assert_int_equal(f->log.warning_count, 0);
    const iso_body_desc* shell = iso_model_body(f->scene.model, body_index(&f->scene, "m::a"));
    CHECK_NEAR(shell->mass, 10.0, 1e-13); // measured 1.8e-15
    CHECK_VEC3_NEAR(shell->center_of_mass, iso_vec3_make(1.0 / 30, 1.0 / 60, 1.0 / 60), 1e-16);
    double trace = shell->inertia.m[0][0] + shell->inertia.m[1][1] + shell->inertia.m[2][2];
    CHECK_NEAR(trace, 0.01490563 + 0.01009437 + 0.00833333, 1e-8);   // measured 3.3e-9: as printed
    double product = 0.01490563 * 0.01009437 * 0.00833333;           // as printed
    CHECK_REL(iso_mat3_determinant(&shell->inertia), product, 1e-6); // measured 5.2e-7
}

// As MuJoCo has it: at (1, 0.5, 0), with the moments of x and y exchanged.
static void an_inertia_in_a_frame_is_turned_with_it(void** state) {
    fixture* f = *state;
    load(f, WORLD("<body name='a'><joint/>" BALL "<frame pos='1 0 0' euler='0 0 90'><inertial "
                  "pos='0.5 0 0' mass='1' diaginertia='1 2 1.5'/></frame></body>"));
    const iso_body_desc* body = iso_model_body(f->scene.model, body_index(&f->scene, "m::a"));
    CHECK_NEAR(body->mass, 1.0, 0.0);
    CHECK_VEC3_NEAR(body->center_of_mass, iso_vec3_make(1.0, 0.5, 0.0), 1e-15); // measured 0
    CHECK_NEAR(body->inertia.m[0][0], 2.0, 1e-15);                              // measured 0
    CHECK_NEAR(body->inertia.m[1][1], 1.0, 1e-15);                              // measured 0
}

// As MuJoCo has it.
static void an_inertia_counts_where_geoms_that_should_have_the_mass_have_none(void** state) {
    fixture* f = *state;
    load(f, "<mujoco model='m'><compiler inertiafromgeom='true'/><worldbody><body name='a'>"
            "<joint/><geom size='0.1' mass='0'/><inertial pos='0 0 0' mass='2' "
            "diaginertia='1 2 1.5'/></body><body name='b'><joint/><geom size='0.1' mass='3'/>"
            "<inertial pos='0 0 0' mass='2' diaginertia='1 2 1.5'/></body></worldbody></mujoco>");
    const iso_body_desc* a = iso_model_body(f->scene.model, body_index(&f->scene, "m::a"));
    const iso_body_desc* b = iso_model_body(f->scene.model, body_index(&f->scene, "m::b"));
    CHECK_NEAR(a->mass, 2.0, 0.0);
    CHECK_NEAR(a->inertia.m[1][1], 2.0, 0.0);
    CHECK_NEAR(b->mass, 3.0, 1e-15); // measured 0
}

static void moments_of_no_solid_are_balanced_when_asked_for(void** state) {
    fixture* f = *state;
    load(f, "<mujoco model='m'><compiler balanceinertia='true'/><worldbody><body name='a'><joint/>"
            "<inertial pos='0 0 0' mass='1' diaginertia='1 1 9'/></body><body name='b'><joint/>"
            "<inertial pos='0 0 0' mass='1' fullinertia='1 2 3.5 0.1 0.2 0.3'/></body>"
            "</worldbody></mujoco>");
    static const char* const names[2] = {"m::a", "m::b"};
    static const double means[2] = {11.0 / 3.0, 6.5 / 3.0}; // MuJoCo's
    for (int k = 0; k < 2; ++k) {
        const iso_mat3* i =
            &iso_model_body(f->scene.model, body_index(&f->scene, names[k]))->inertia;
        CHECK_NEAR(i->m[0][0], means[k], 1e-15); // measured 0
        CHECK_NEAR(i->m[2][2], means[k], 1e-15); // measured 0
        CHECK_NEAR(i->m[0][2], 0.0, 1e-15);      // measured 0
    }
}

static void a_joint_that_moves_no_inertia_is_named_with_its_line(void** state) {
    fixture* f = *state;
    iso_world* world = NULL;
    load(f, WORLD("\n<body name='a'><joint axis='0 0 1'/>" BALL
                  "\n<body name='b'><joint axis='0 0 1'/>"
                  "<inertial pos='0 0 0' mass='1' diaginertia='0 0 0'/></body></body>"));
    CHECK_STATUS(f->ctx, iso_world_create(f->ctx, f->scene.model, &f->scene.world, &world),
                 ISO_ERR_RANGE);
    CHECK_ERROR(f->ctx, "test.xml:4: body 'm::b': degree of freedom 0 of its revolute joint moves "
                        "an inertia of 0 ");
}

// The numbers are those of MuJoCo's rays.
static void a_height_field_is_a_closed_surface(void** state) {
    fixture* f = *state;
    load(f, "<mujoco model='m'><asset><hfield name='h' nrow='3' ncol='4' size='3 2 1 0.5' "
            "elevation='1 2 3 4  5 6 7 9  3 1 5 2'/></asset><worldbody>"
            "<geom name='g' type='hfield' hfield='h' pos='0 0 1'/></worldbody></mujoco>");
    static const double rays[][3] = {{-2.5, -1.5, 0.34375}, {-2.0, -1.5, 0.28125},
                                     {0.2, -0.5, 0.54375},  {1.5, -1.5, 0.625},
                                     {-1.2, 0.5, 0.4875},   {2.9, 1.5, 0.51875}};
    const iso_geometry_desc* g = geometry_of(&f->scene, "world", "g");
    CHECK_BITS(g->x_bg.p.z, 1.0);
    assert_int_equal(g->material.compliance, ISO_COMPLIANCE_RIGID);
    iso_contact_shape* shape = NULL;
    CHECK_OK(f->ctx, iso_contact_shape_create(f->ctx, &g->shape, &g->material, &shape));
    assert_true(iso_contact_shape_is_closed(shape));
    for (size_t i = 0; i < sizeof rays / sizeof *rays; ++i) {
        bool is_hit = false;
        iso_ray_hit hit;
        iso_vec3 from = iso_vec3_make(rays[i][0], rays[i][1], 5.0);
        CHECK_OK(f->ctx, iso_contact_shape_ray_cast(shape, from, iso_vec3_make(0, 0, -1), INFINITY,
                                                    &is_hit, &hit));
        assert_true(is_hit && hit.normal.z > 0.0);
        CHECK_NEAR(hit.point.z, rays[i][2], 1e-14); // measured 7.2e-16
    }
    iso_contact_shape_destroy(f->ctx, shape);
    iso_mass_properties solid;
    CHECK_OK(f->ctx, iso_shape_mass_properties(f->ctx, &g->shape, &solid));
    // Cells of 2 m x 2 m over a base of 0.5 m: a third of the heights of both triangles.
    double sum = 0.0;
    static const double h[3][4] = {{2, 0, 4, 1}, {4, 5, 6, 8}, {0, 1, 2, 3}};
    for (int i = 0; i < 6; ++i) {
        int r = i / 3, c = i % 3;
        sum += 2.0 * (h[r][c] + h[r + 1][c + 1]) + h[r + 1][c] + h[r][c + 1];
    }
    CHECK_REL(solid.volume, 24.0 * 0.5 + 2.0 / 3.0 * sum / 8.0, 1e-14); // measured 1.5e-16
}

// A box of half the base and a quarter of the heights to each side of the geom's middle, as MuJoCo
// counts it: these are its numbers.
static void a_moving_height_field_weighs_what_mujoco_says(void** state) {
    fixture* f = *state;
    load(f, "<mujoco model='m'><asset><hfield name='h' nrow='3' ncol='3' size='1 2 0.4 0.3' "
            "elevation='0 0 0 0 1 0 0 0 0'/></asset><worldbody><body name='a' pos='0 0 1'>"
            "<freejoint/><geom type='hfield' hfield='h' density='100' pos='.1 .2 .3'/></body>"
            "</worldbody></mujoco>");
    int index = iso_model_find_body(f->scene.model, "m::a");
    const iso_body_desc* body = iso_model_body(f->scene.model, index);
    CHECK_REL(body->mass, 400.0, 1e-14);
    CHECK_VEC3_NEAR(body->center_of_mass, iso_vec3_make(0.1, 0.2, 0.3), 1e-14);
    CHECK_REL(body->inertia.m[0][0], 541.66666666666667, 1e-13);
    CHECK_REL(body->inertia.m[1][1], 141.66666666666667, 1e-13);
    CHECK_REL(body->inertia.m[2][2], 666.66666666666667, 1e-13);
    CHECK_TEXT(f->log.text, "test.xml:1: <geom>: a height field has 1.25 times the mass of what it "
                            "encloses, as MuJoCo counts it");
}

// What is empty, in an element or in its class, is what the class above says: one warning each.
static void empty_attributes_count_as_absent(void** state) {
    fixture* f = *state;
    static const char* const geoms[] = {"size", "density", "pos", "quat", "rgba", "fromto"};
    for (int i = 0; i < 12; ++i) {
        char text[1500];
        const char *name = geoms[i / 2], *blank = i % 2 ? " \n " : "";
        f->log = (kept_log){0};
        (void)snprintf(text, sizeof text,
                       "<mujoco model='m'><default><geom type='box' size='1 2 3' density='7' "
                       "pos='1 2 3' quat='1 1 0 0' rgba='.1 .2 .3 1'/><default class='k'>\n<geom "
                       "%s='%s'/></default></default><worldbody><body name='a'><freejoint/>"
                       "<geom class='k'/></body>\n\n<body name='b'><freejoint/><geom %s='%s'/>"
                       "</body></worldbody></mujoco>",
                       name, blank, name, blank);
        load(f, text);
        for (int k = 0; k < 2; ++k) {
            const iso_body_desc* body =
                iso_model_body(f->scene.model, body_index(&f->scene, k ? "m::b" : "m::a"));
            CHECK_REL(body->mass, 7.0 * 48.0, 1e-14);
            CHECK_VEC3_NEAR(body->center_of_mass, iso_vec3_make(1.0, 2.0, 3.0), 1e-14);
            // turned by 90 degrees about x: 2 * 2 and 2 * 3 change places
            CHECK_REL(body->inertia.m[2][2], body->mass * (4.0 + 36.0) / 12.0, 1e-13);
        }
        (void)snprintf(text, sizeof text, "<geom>: %s is empty and counts as absent", name);
        CHECK_TEXT(f->log.text, text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(masses_are_scaled_to_a_total),
        TEST(what_is_fixed_to_its_parent_may_have_moments_without_mass),
        TEST(a_moving_height_field_weighs_what_mujoco_says),
        TEST(a_tetrahedron_has_its_mass_whatever_inertia_says),
        TEST(meshes_that_enclose_nothing_have_the_mass_that_inertia_says),
        TEST(an_inertia_in_a_frame_is_turned_with_it),
        TEST(an_inertia_counts_where_geoms_that_should_have_the_mass_have_none),
        TEST(moments_of_no_solid_are_balanced_when_asked_for),
        TEST(a_joint_that_moves_no_inertia_is_named_with_its_line),
        TEST(a_height_field_is_a_closed_surface),
        TEST(empty_attributes_count_as_absent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
