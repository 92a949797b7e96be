// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// SDFormat as Gazebo means it: what touches, friction along directions, masses, gears and screws.

#include "scene/fixture.h"
#include "support/random.h"

#include <math.h>

static void load(fixture* f, const char* text) {
    load_as(f, ISO_SCENE_FORMAT_SDF, text);
}

#define SDF(text) "<sdf version='1.11'>\n<model name='m'>" text "</model></sdf>"
#define BALL(rest)                                                                      \
    "<collision name='c'><geometry><sphere><radius>1</radius></sphere></geometry>" rest \
    "</collision>"
#define LINK(name, more) "<link name='" name "'>" more BALL("") "</link>"
#define ON "<self_collide>true</self_collide>"
#define OFF "<self_collide>0</self_collide>"

// --- self_collide --------------------------------------------------------------------------------

static void links_of_one_model_touch_where_one_of_them_says_so(void** state) {
    static const struct {
        const char* text;
        bool ab, ac, bc; ///< touch
    } cases[] = {
        {LINK("a", "") LINK("b", "") LINK("c", ""), false, false, false},
        {LINK("a", ON) LINK("b", "") LINK("c", ""), true, true, false},
        {ON LINK("a", "") LINK("b", "") LINK("c", ""), true, true, true},
        {ON LINK("a", OFF) LINK("b", OFF) LINK("c", ""), false, true, true},
    };
    fixture* f = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[2000];
        (void)snprintf(text, sizeof text, SDF("%s"), cases[i].text);
        f->log = (kept_log){.length = 0};
        load(f, text);
        assert_int_equal(may_touch(&f->scene, "m::a", "m::b"), cases[i].ab);
        assert_int_equal(may_touch(&f->scene, "m::a", "m::c"), cases[i].ac);
        assert_int_equal(may_touch(&f->scene, "m::b", "m::c"), cases[i].bc);
        assert_int_equal(strstr(f->log.text, "links of model 'm' do not touch each other") != NULL,
                         i == 0);
    }
}

static void links_of_other_models_touch(void** state) {
    fixture* f = *state;
    load(f,
         "<sdf version='1.11'><world name='w'><model name='m'>" LINK("a", "")
             LINK("b", "") "<model name='n'>" LINK("a", "") "</model></model><model name='k'>" LINK(
                 "a", "") "</model></world></sdf>");
    assert_false(may_touch(&f->scene, "m::a", "m::b"));
    assert_true(may_touch(&f->scene, "m::a", "k::a"));
    assert_true(may_touch(&f->scene, "m::a", "m::n::a")); // that model is another one
}

// Two balls in one place: no force between them, unless the file asks for it.
static void what_does_not_touch_feels_no_force(void** state) {
    fixture* f = *state;
    for (int is_on = 0; is_on < 2; ++is_on) {
        iso_world* world = NULL;
        load(f, is_on ? SDF(ON LINK("a", "") LINK("b", "<pose>1 0 0 0 0 0</pose>"))
                      : SDF(LINK("a", "") LINK("b", "<pose>1 0 0 0 0 0</pose>")));
        CHECK_OK(f->ctx, iso_world_create(f->ctx, f->scene.model, &f->scene.world, &world));
        CHECK_OK(f->ctx, iso_world_step(world));
        assert_int_equal(iso_world_contact_count(world), is_on);
        iso_world_destroy(world);
    }
}

// --- friction ------------------------------------------------------------------------------------

static void friction_along_the_second_direction_alone_is_a_warning(void** state) {
    static const double coefficients[] = {0.4, 1.0};
    fixture* f = *state;
    for (int i = 0; i < 2; ++i) {
        char text[1000];
        (void)snprintf(text, sizeof text,
                       SDF("<link name='a'>" BALL("<surface><friction>\n<ode><mu2>%g</mu2></ode>"
                                                  "</friction></surface>") "</link>"),
                       coefficients[i]);
        f->log = (kept_log){.length = 0};
        load(f, text);
        CHECK_BITS(geometry_of(&f->scene, "m::a", "c")->material.friction_static, coefficients[i]);
        assert_int_equal(f->log.warning_count, i == 0);
        if (i == 0) {
            CHECK_TEXT(f->log.text,
                       "test.sdf:3: friction mu is absent, mu2 is 0.4: it counts along "
                       "both directions (by default mu is 1)");
        }
    }
}

static void friction_along_two_directions_is_a_warning_where_they_differ(void** state) {
    static const struct {
        const char* text;
        bool is_warned;
    } cases[] = {{"<mu>0.7</mu><mu2>0.4</mu2>", true},
                 {"<mu>0.7</mu><mu2>0.7</mu2><fdir1>1 0 0</fdir1>", false},
                 {"<mu>0.7</mu><mu2>0.9</mu2><fdir1>1 0 0</fdir1>", true},
                 {"<mu>0.7</mu>", false}};
    fixture* f = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[1000];
        (void)snprintf(text, sizeof text,
                       SDF("<link name='a'>" BALL("<surface><friction>\n<ode>%s</ode></friction>"
                                                  "</surface>") "</link>"),
                       cases[i].text);
        f->log = (kept_log){.length = 0};
        load(f, text);
        const iso_contact_material* m = &geometry_of(&f->scene, "m::a", "c")->material;
        CHECK_BITS(m->friction_static, 0.7);
        CHECK_BITS(m->friction_dynamic, 0.7);
        assert_int_equal(f->log.warning_count, cases[i].is_warned);
        if (cases[i].is_warned) {
            CHECK_TEXT(f->log.text, "test.sdf:3: friction is mu 0.7 along one direction, mu2 0.");
            CHECK_TEXT(f->log.text, "they are not told apart, 0.7 counts along both");
        }
    }
}

// --- masses --------------------------------------------------------------------------------------

#define BOX                                                                               \
    "<collision name='a'><density>200</density><pose>0 0 1 0.3 0 0</pose><geometry><box>" \
    "<size>1 2 3</size></box></geometry></collision>"

// Against Drake 1.51.1.
static void an_automatic_inertia_is_that_of_the_collisions(void** state) {
    fixture* f = *state;
    load(f, SDF("<link name='l'><inertial auto='true'><density>500</density></inertial>" BOX
                "<collision name='b'><pose>1 0 0 0 0.4 0</pose><geometry><capsule><radius>0.2"
                "</radius><length>0.5</length></capsule></geometry></collision></link>"));
    const iso_body_desc* l = iso_model_body(f->scene.model, body_index(&f->scene, "m::l"));
    CHECK_REL(l->mass, 1248.1710873550435, 1e-14); // measured 0
    CHECK_VEC3_NEAR(l->center_of_mass, iso_vec3_make(0.03859333695761308, 0, 0.961406663042387),
                    1e-15); // measured 1.1e-16
    iso_mat3 expected = iso_mat3_diagonal(1348.91856305, 1051.87016882, 591.18019942);
    expected.m[0][2] = expected.m[2][0] = 45.58896132;
    expected.m[1][2] = expected.m[2][1] = 141.16061835;
    CHECK_MAT3_NEAR(l->inertia, expected, 1e-8); // digits of the numbers
    // A mass scales all of it.
    load(f, SDF("<link name='l'><inertial auto='true'><mass>3</mass></inertial>" BOX "</link>"));
    l = iso_model_body(f->scene.model, body_index(&f->scene, "m::l"));
    CHECK_BITS(l->mass, 3.0);
    CHECK_NEAR(l->inertia.m[0][0], 3.25, 1e-14);      // measured 0
    CHECK_NEAR(l->inertia.m[1][1], 2.39083476, 1e-8); // digits of the number
    CHECK_NEAR(l->inertia.m[1][2], 0.35290155, 1e-8);
    // Water where nothing is said; a plane weighs nothing.
    load(f,
         SDF("<link name='l'><inertial auto='true'><pose>1 0 0 0 0 0</pose></inertial><collision "
             "name='p'>\n<geometry><plane/></geometry></collision>" BALL("") "</link>"));
    l = iso_model_body(f->scene.model, body_index(&f->scene, "m::l"));
    CHECK_REL(l->mass, 4000.0 / 3.0 * ISO_PI, 1e-14);
    CHECK_BITS(l->center_of_mass.x, 0.0);
    CHECK_TEXT(f->log.text, "this collision encloses nothing and has no mass");
    CHECK_TEXT(f->log.text, "<pose> and <inertia> do not count beside what the collisions give");
}

// --- gears and screws ----------------------------------------------------------------------------

#define PLAIN(name) "<link name='" name "'/>"
#define JOINT(name, type, parent, child, axis, more)                                  \
    "<joint name='" name "' type='" type "'><parent>" parent "</parent><child>" child \
    "</child><axis><xyz>" axis "</xyz></axis>" more "</joint>"
#define GEAR(ratio, axis, axis_2)                                                              \
    "\n<joint name='g' type='gearbox'><parent>b</parent><child>c</child><gearbox_ratio>" ratio \
    "</gearbox_ratio><gearbox_reference_body>a</gearbox_reference_body><axis><xyz>" axis       \
    "</xyz></axis><axis2><xyz>" axis_2 "</xyz></axis2></joint>"

static const iso_coupler_desc* only_coupler(const fixture* f) {
    assert_int_equal(iso_model_coupler_count(f->scene.model), 1);
    return iso_model_coupler(f->scene.model, 0);
}

// theta_2 = -ratio theta_1, angles of the child about axis2 and of the parent about axis.
static void a_gearbox_couples_the_joints_of_two_gears(void** state) {
    static const struct {
        const char* text;
        double ratio;
    } cases[] = {
        {JOINT("j", "revolute", "a", "b", "0 0 1", "") JOINT("k", "revolute", "a", "c", "0 0 1", "")
             GEAR("3", "0 0 1", "0 0 1"),
         -3.0},
        {JOINT("j", "revolute", "a", "b", "0 0 1", "")
             JOINT("k", "revolute", "a", "c", "0 0 -1", "") GEAR("3", "0 0 1", "0 0 1"),
         3.0},
        {JOINT("j", "revolute", "b", "a", "0 0 1", "") JOINT("k", "revolute", "a", "c", "0 0 1", "")
             GEAR("-3", "0 0 1", "0 0 1"),
         -3.0}, // b is the parent of a: its angle about a is -q
        {JOINT("j", "revolute", "a", "b", "1 0 0", "") JOINT("k", "revolute", "a", "c", "0 1 0", "")
             GEAR("2", "1 0 0", "0 -1 0"),
         2.0},
    };
    fixture* f = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[3000];
        (void)snprintf(text, sizeof text, SDF(PLAIN("a") PLAIN("b") PLAIN("c") "%s"),
                       cases[i].text);
        load(f, text);
        const iso_coupler_desc* coupler = only_coupler(f);
        assert_string_equal(coupler->name, "m::g");
        assert_int_equal(coupler->joint_a, iso_model_find_joint(f->scene.model, "m::j"));
        assert_int_equal(coupler->joint_b, iso_model_find_joint(f->scene.model, "m::k"));
        CHECK_BITS(coupler->ratio, cases[i].ratio);
    }
    iso_scene_destroy(f->ctx, &f->scene);
    assert_int_equal(
        load_text(f->ctx, ISO_SCENE_FORMAT_SDF,
                  SDF(PLAIN("a") PLAIN("b") PLAIN("c") JOINT("j", "revolute", "a", "b", "1 0 0", "")
                          JOINT("k", "revolute", "a", "c", "0 1 0", "")
                              GEAR("2", "1 0 0", "0 0 1")),
                  &f->scene),
        ISO_ERR_UNSUPPORTED);
    CHECK_ERROR(f->ctx, "test.sdf:3: gearbox 'g': its axis is not along that of joint 'm::k'");
}

#define SPINDLE(order_1, order_2)                                                            \
    SDF("<link name='base'/><link name='spindle'><pose>0 0 1 0 0 0</pose></link>"            \
        "<link name='nut'><pose>0 0 2 0 0 0</pose></link>" JOINT("turn", "revolute", "base", \
                                                                 "spindle", "0 0 1", "")     \
            order_1 order_2 JOINT("fix", "fixed", "world", "base", "0 0 1", ""))
#define SLIDE JOINT("slide", "prismatic", "base", "nut", "0 0 -1", "")
#define THREAD                                          \
    JOINT("thread", "screw", "spindle", "nut", "0 0 1", \
          "<screw_thread_pitch>0.01</screw_thread_pitch>")

// A nut that cannot turn goes along the spindle as that turns: by -pitch per turn of the spindle,
// since the nut turns back relative to it.
static void a_screw_that_closes_a_loop_ties_hinge_and_slide(void** state) {
    static const char* const texts[] = {SPINDLE(SLIDE, THREAD), SPINDLE(THREAD, SLIDE)};
    fixture* f = *state;
    for (int i = 0; i < 2; ++i) {
        load(f, texts[i]);
        const iso_coupler_desc* coupler = only_coupler(f);
        assert_string_equal(coupler->name, "m::thread");
        assert_string_equal(iso_model_joint(f->scene.model, coupler->joint_a)->name, "m::turn");
        assert_string_equal(iso_model_joint(f->scene.model, coupler->joint_b)->name, "m::slide");
        CHECK_REL(coupler->ratio, 0.01 / (2.0 * ISO_PI), 1e-15); // the slide counts downwards
        CHECK_TEXT(f->log.text,
                   "joint 'm::thread' closes a loop: it becomes a coupler of joints 'm::turn' and "
                   "'m::slide'");
    }
    // In the world it moves as the screw alone would: one turn, one pitch.
    iso_world* world = NULL;
    iso_model_joint(f->scene.model, iso_model_find_joint(f->scene.model, "m::turn"))->velocity =
        2.0;
    f->scene.world.gravity = iso_vec3_zero();
    CHECK_OK(f->ctx, iso_world_create(f->ctx, f->scene.model, &f->scene.world, &world));
    for (int i = 0; i < 100; ++i) {
        CHECK_OK(f->ctx, iso_world_step(world));
    }
    iso_pose nut = iso_world_body_pose(world, iso_world_find_body(world, "m::nut"));
    iso_pose spindle = iso_world_body_pose(world, iso_world_find_body(world, "m::spindle"));
    double turned = atan2(spindle.r.m[1][0], spindle.r.m[0][0]);
    assert_true(turned > 0.1);
    CHECK_NEAR(nut.p.z - 2.0, -0.01 / (2.0 * ISO_PI) * turned, 1e-12);
    iso_world_destroy(world);
    iso_scene_destroy(f->ctx, &f->scene);
    load(f, SPINDLE(JOINT("slide", "prismatic", "base", "nut", "0 1 0", ""), THREAD));
    assert_true(iso_model_find_joint(f->scene.model, "m::thread") >= 0);
}

#define CRANK(order_1, order_2)                                                                \
    SDF("<link name='base'/><link name='crank'><pose>0 0 1 0 0 0</pose></link>"                \
        "<link name='rod'><pose>0.2 0 1.2 0 0 0</pose></link>"                                 \
        "<link name='slider'><pose>0.9 0 1 0 0 0</pose></link>" JOINT("fix", "fixed", "world", \
                                                                      "base", "0 0 1", "")     \
            JOINT("turn", "revolute", "base", "crank", "0 1 0", "")                            \
                JOINT("knee", "revolute", "crank", "rod", "0 1 0", "") order_1 order_2)
#define DAMPED_SLIDE                                                                        \
    "<joint name='slide' type='prismatic'><parent>base</parent><child>slider</child><axis>" \
    "<xyz>1 0 0</xyz><dynamics><damping>3</damping></dynamics><limit><upper>0.1</upper>"    \
    "<effort>7</effort></limit></axis></joint>"
#define PIN JOINT("pin", "revolute", "rod", "slider", "0 1 0", "")

// A crank, its rod and what slides: whether the pin closes the loop or the slide, which keeps its
// damping, limits and actuator.
static void a_slide_that_closes_a_loop_moves_as_one_of_the_tree(void** state) {
    static const char* const texts[] = {CRANK(DAMPED_SLIDE, PIN), CRANK(PIN, DAMPED_SLIDE)};
    fixture* f = *state;
    double at[2][3];
    for (int i = 0; i < 2; ++i) {
        load(f, texts[i]);
        int slide = iso_model_find_joint(f->scene.model, "m::slide");
        assert_true(slide >= 0);
        CHECK_BITS(iso_model_joint(f->scene.model, slide)->upper, 0.1);
        double mass = 0.0;
        for (int body = 1; body < iso_model_body_count(f->scene.model); ++body) {
            mass += iso_model_body(f->scene.model, body)->mass;
        }
        CHECK_BITS(mass, 4.0);
        iso_world* world = NULL;
        CHECK_OK(f->ctx, iso_world_create(f->ctx, f->scene.model, &f->scene.world, &world));
        for (int step = 0; step < 800; ++step) {
            CHECK_OK(f->ctx, iso_world_step(world));
        }
        iso_pose slider = iso_world_body_pose(world, iso_world_find_body(world, "m::slider"));
        iso_pose crank = iso_world_body_pose(world, iso_world_find_body(world, "m::crank"));
        at[i][0] = slider.p.x;
        at[i][1] = slider.p.z;
        at[i][2] = atan2(crank.r.m[0][2], crank.r.m[0][0]);
        iso_world_destroy(world);
    }
    CHECK_TEXT(f->log.text, "joint 'm::slide' closes a loop: it moves a body 'm::slide_end', which "
                            "has half of the mass of 'm::slider'");
    assert_true(fabs(at[0][2]) > 0.3);
    for (int i = 0; i < 3; ++i) {
        CHECK_NEAR(at[1][i], at[0][i], 2e-5); // 6e-6: the loops are held by springs
    }
}

// --- polygons ------------------------------------------------------------------------------------

#define PRISM(points, height)                                                             \
    SDF("<link name='l'><inertial auto='true'><density>1</density></inertial><collision " \
        "name='c'><geometry>\n<polyline>" points "<height>" height "</height></polyline>" \
        "</geometry></collision></link>")
#define P(x, y) "<point>" #x " " #y "</point>"

static void a_polyline_is_a_prism(void** state) {
    // A step: 2 x 1 and 1 x 1 on its left, with points on straight sides, either way round, closed
    // or not; a star; a comb.
    static const struct {
        const char* text;
        double volume;
        iso_vec3 center;
    } cases[] = {
        {PRISM(P(0, 0) P(1, 0) P(2, 0) P(2, 1) P(1, 1) P(1, 2) P(0, 2) P(0, 1), "2"),
         6.0,
         {2.5 / 3.0, 2.5 / 3.0, 1.0}},
        {PRISM(P(0, 1) P(0, 2) P(1, 2) P(1, 1) P(2, 1) P(2, 0) P(1, 0) P(0, 0) P(0, 1), "2"),
         6.0,
         {2.5 / 3.0, 2.5 / 3.0, 1.0}},
        {PRISM(P(0, 3) P(-1, 1) P(-3, 0) P(-1, -1) P(0, -3) P(1, -1) P(3, 0) P(1, 1), "0.5"),
         6.0,
         {0, 0, 0.25}},
        {PRISM(P(0, 0) P(5, 0) P(5, 3) P(4, 3) P(4, 1) P(3, 1) P(3, 3) P(2, 3) P(2, 1) P(1, 1)
                   P(1, 3) P(0, 3),
               "1"),
         11.0,
         {2.5, 14.5 / 11.0, 0.5}},
    };
    fixture* f = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        load(f, cases[i].text);
        const iso_body_desc* l = iso_model_body(f->scene.model, 1);
        CHECK_REL(l->mass, cases[i].volume, 1e-14); // measured 3e-16
        CHECK_VEC3_NEAR(l->center_of_mass, cases[i].center, 1e-14);
    }
}

// A polygon around (x, y) seen from there, either way round: its text, and what it adds to the sums
// of area, and of area times x and y.
static size_t draw_polygon(test_random* random, double x, double y, double least, double most,
                           double sign, char* text, size_t size, double sums[3]) {
    int count = test_random_int(random, 3, 9), way = test_random_int(random, 0, 1) ? 1 : -1;
    double px[10], py[10];
    size_t used = (size_t)snprintf(text, size, "<polyline><height>0.5</height>");
    for (int i = 0; i < count; ++i) {
        double radius = test_random_uniform(random, least, most);
        double angle = way * 2.0 * ISO_PI * i / count;
        px[i] = x + radius * cos(angle);
        py[i] = y + radius * sin(angle);
        used +=
            (size_t)snprintf(text + used, size - used, "<point>%.17g %.17g</point>", px[i], py[i]);
    }
    for (int i = 0; i < count; ++i) {
        int j = (i + 1) % count;
        double twice = sign * way * (px[i] * py[j] - px[j] * py[i]);
        sums[0] += 0.5 * twice;
        sums[1] += twice * (px[i] + px[j]) / 6.0;
        sums[2] += twice * (py[i] + py[j]) / 6.0;
    }
    return used + (size_t)snprintf(text + used, size - used, "</polyline>");
}

// Holes in the cells of a grid of 0.5 m, in any order beside the polygon that goes around them all.
static void polylines_within_another_are_holes(void** state) {
    fixture* f = *state;
    test_random random = test_random_make(3);
    for (int draw = 0; draw < 60; ++draw) {
        char text[20000];
        double sums[3] = {0.0, 0.0, 0.0};
        int outer_place = test_random_int(&random, 0, 9);
        size_t used = (size_t)snprintf(text, sizeof text, "%s",
                                       "<sdf version='1.9'><model name='m'><link name='l'>"
                                       "<inertial auto='true'><density>1</density></inertial>"
                                       "<collision name='c'><geometry>");
        for (int cell = 0; cell < 10; ++cell) {
            char* end = text + used;
            size_t left = sizeof text - used;
            if (cell == outer_place) {
                used += draw_polygon(&random, 0.0, 0.0, 3.0, 4.0, 1.0, end, left, sums);
            } else if (test_random_int(&random, 0, 2) > 0) {
                double x = 0.5 * (cell % 3 - 1), y = 0.5 * (cell / 3 - 1);
                used += draw_polygon(&random, x, y, 0.02, 0.24, -1.0, end, left, sums);
            }
        }
        (void)snprintf(text + used, sizeof text - used,
                       "</geometry></collision></link></model></sdf>");
        load(f, text);
        const iso_body_desc* l = iso_model_body(f->scene.model, 1);
        CHECK_REL(l->mass, 0.5 * sums[0], 1e-13); // measured 2e-15
        iso_vec3 center = iso_vec3_make(sums[1] / sums[0], sums[2] / sums[0], 0.25);
        CHECK_VEC3_NEAR(l->center_of_mass, center, 1e-13);
        iso_world* world = NULL; // its surface is closed: no warning
        f->log = (kept_log){.length = 0};
        CHECK_OK(f->ctx, iso_world_create(f->ctx, f->scene.model, &f->scene.world, &world));
        assert_null(strstr(f->log.text, "open"));
        iso_world_destroy(world);
        iso_scene_destroy(f->ctx, &f->scene);
    }
}

// A third of the cylinder, less what 64 sides leave out; its middle is the half of its length.
static void a_cone_has_its_tip_above_its_middle(void** state) {
    fixture* f = *state;
    load(f, SDF("<link name='l'><inertial auto='true'/><collision name='c'><geometry><cone><radius>"
                "2</radius><length>4</length></cone></geometry></collision></link>"));
    const iso_body_desc* l = iso_model_body(f->scene.model, 1);
    double disc = 32.0 * sin(ISO_PI / 32.0) * 4.0; // of 64 sides
    CHECK_REL(l->mass, 1000.0 * disc * 4.0 / 3.0, 1e-14);
    CHECK_VEC3_NEAR(l->center_of_mass, iso_vec3_make(0, 0, -1), 1e-14);
    load(f,
         SDF("<link name='l'><collision name='c'><geometry><cone/></geometry></collision></link>"));
    CHECK_TEXT(f->log.text, "<cone> has no radius: it is 1 m, as the format says");
}

// Old files give links and joints names of their own; new ones may not.
static void old_files_may_name_a_joint_as_a_link(void** state) {
    static const char text[] =
        "<sdf version='1.%d'><model name='m'><link name='a'/><link name='b'/>\n<joint name='b' "
        "type='fixed'><parent>a</parent><child>b</child></joint></model></sdf>";
    fixture* f = *state;
    char old[400], newer[400];
    (void)snprintf(old, sizeof old, text, 6);
    (void)snprintf(newer, sizeof newer, text, 7);
    load(f, old);
    assert_int_equal(joint_named(&f->scene, "m::b_joint")->kind, ISO_JOINT_WELD);
    CHECK_TEXT(f->log.text, "test.sdf:2: <joint> has the name 'b' of something else, and is called "
                            "'b_joint' here");
    iso_scene_destroy(f->ctx, &f->scene);
    assert_int_equal(load_text(f->ctx, ISO_SCENE_FORMAT_SDF, newer, &f->scene), ISO_ERR_PARSE);
    CHECK_ERROR(f->ctx, "test.sdf:2: <joint> has the name 'b' of the <link> in line 1");
}

static void polygons_that_enclose_nothing_are_errors(void** state) {
    static const struct {
        const char *text, *message;
    } cases[] = {
        {PRISM(P(0, 0) P(1, 0), "1"), "test.sdf:3: the polygon of 2 different points has no area"},
        {PRISM(P(0, 0) P(1, 0) P(2, 0), "1"), "the polygon of 3 different points has no area"},
        {PRISM(P(0, 0) P(1, 1) P(1, 0) P(0, 1), "1"), "two sides of the polygon cut each other"},
        {PRISM(P(0, 0) P(3, 0) P(1, 2) P(2, -1), "1"), "two sides of the polygon cut each other"},
        {PRISM(P(0, 0) P(4, 0) P(0, 4) "<height>2</height></polyline><polyline>" P(1, 1) P(2, 1)
                   P(1, 2),
               "1"),
         "<polyline>: height is 1 m, of the one before 2 m, expected the same"},
        {PRISM(P(0, 0) P(4, 0) P(0, 4) "</polyline><polyline>" P(5, 0) P(6, 0) P(6, 1), "1"),
         "several polygons of a <polyline>: expected one and holes in it"},
        {PRISM(P(0, 0) P(4, 0) P(0, 4) "</polyline><polyline>" P(1, 1) P(5, 1) P(1, 2), "1"),
         "two polygons of a <polyline> cut each other"},
        {PRISM(P(0, 0) P(1, 0) P(1, 1), "0"), "<polyline>: height is 0 m, expected > 0"},
        {PRISM(P(0, 0) P(1, x) P(1, 1), "1"), "its value is '1 x', expected 2 finite numbers"},
    };
    fixture* f = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        assert_true(load_text(f->ctx, ISO_SCENE_FORMAT_SDF, cases[i].text, &f->scene) != ISO_OK);
        CHECK_ERROR(f->ctx, cases[i].message);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(links_of_one_model_touch_where_one_of_them_says_so),
        TEST(links_of_other_models_touch),
        TEST(what_does_not_touch_feels_no_force),
        TEST(friction_along_two_directions_is_a_warning_where_they_differ),
        TEST(friction_along_the_second_direction_alone_is_a_warning),
        TEST(an_automatic_inertia_is_that_of_the_collisions),
        TEST(a_gearbox_couples_the_joints_of_two_gears),
        TEST(a_screw_that_closes_a_loop_ties_hinge_and_slide),
        TEST(a_slide_that_closes_a_loop_moves_as_one_of_the_tree),
        TEST(a_polyline_is_a_prism),
        TEST(polylines_within_another_are_holes),
        TEST(a_cone_has_its_tip_above_its_middle),
        TEST(old_files_may_name_a_joint_as_a_link),
        TEST(polygons_that_enclose_nothing_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
