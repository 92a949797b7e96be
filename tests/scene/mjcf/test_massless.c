// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Links without mass: what stands, what gets the mass of its shapes.

#include "scene/fixture.h"
#include "support/assets.h"
#include "support/random.h"

static void load(fixture* f, const char* text) {
    load_as(f, ISO_SCENE_FORMAT_URDF, text);
}

#define MASS                                                                                \
    "<inertial><mass value='2'/><inertia ixx='3' iyy='4' izz='5' ixy='0' ixz='0' iyz='0'/>" \
    "</inertial>"
#define JOINT(name, type, parent, child)                                                    \
    "<joint name='" name "' type='" type "'><parent link='" parent "'/><child link='" child \
    "'/></joint>"

static int joint_above(const fixture* f, const char* name) {
    int body = body_index(&f->scene, name);
    for (int i = 0; i < iso_model_joint_count(f->scene.model); ++i) {
        if (iso_model_joint(f->scene.model, i)->child == body) {
            return i;
        }
    }
    return -1;
}

#define TWO_TIPS                                         \
    "<link name='b'>" MASS "</link><link name='c'>" MASS \
    "</link>" JOINT("j", "continuous", "a", "b") JOINT("k", "continuous", "a", "c")
#define BALL(kind) "<" kind "><geometry><sphere radius='0.1'/></geometry></" kind ">"

static void a_root_without_mass_stands_where_it_starts(void** state) {
    fixture* f = *state;
    static const struct {
        const char* text;
        bool stands;
    } cases[] = {
        {"<link name='a'/>", true},
        {"<link name='a'/><link name='b'>" MASS "</link>" JOINT("j", "fixed", "a", "b"), false},
        {"<link name='a'/><link name='b'>" MASS "</link>" JOINT("j", "continuous", "a", "b"), true},
        {"<link name='a'/>" TWO_TIPS, true},
        {"<link name='a'>" BALL("visual") "</link>" TWO_TIPS, false}, // gets a mass
        {"<link name='a'>" MASS "</link>", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[2000];
        (void)snprintf(text, sizeof text, "<robot name='r'>%s</robot>", cases[i].text);
        f->log = (kept_log){0};
        iso_scene_destroy(f->ctx, &f->scene);
        CHECK_OK(f->ctx, load_text(f->ctx, ISO_SCENE_FORMAT_URDF, text, &f->scene));
        assert_int_equal(joint_above(f, "r::a") >= 0, cases[i].stands);
        assert_int_equal(strstr(f->log.text, "'r::a' has no mass") != NULL, cases[i].stands);
    }
}

static double mass_of(const fixture* f, const char* name) {
    return iso_model_body(f->scene.model, body_index(&f->scene, name))->mass;
}

// 1000 kg/m^3 of the collision shapes, else of the visual ones; what is one with a link of some
// mass keeps none.
static void what_moves_without_mass_gets_that_of_its_shapes(void** state) {
    fixture* f = *state;
    const double ball = 4.0 / 3.0 * ISO_PI;
    load(f,
         "<robot name='r'><link name='world'/>\n"
         "<link name='a'>" BALL(
             "visual") "<collision><origin xyz='0 0 0.5'/><geometry>"
                       "<box size='0.1 0.2 0.3'/></geometry></collision></link>\n"
                       "<link name='b'>" BALL(
                           "visual") "</link><link name='b_tip'/>"
                                     "<link name='c'>" MASS "</link><link name='c_tip'>" BALL(
                                         "collision") "</link>"
                                                      "<link name='d'/><link name='d_tip'>" BALL(
                                                          "collision") "</link>" JOINT("j",
                                                                                       "continuous",
                                                                                       "world", "a")
                                                          JOINT("k", "continuous", "a", "b") JOINT(
                                                              "k2", "fixed", "b", "b_tip")
                                                              JOINT("l", "continuous", "b",
                                                                    "c") JOINT("l2", "fixed", "c",
                                                                               "c_tip")
                                                                  JOINT("m", "continuous", "c", "d")
                                                                      JOINT("m2", "fixed", "d",
                                                                            "d_tip") "</robot>");
    const iso_body_desc* a = iso_model_body(f->scene.model, body_index(&f->scene, "r::a"));
    CHECK_REL(a->mass, 6.0, 1e-15); // measured 1.5e-16
    CHECK_VEC3_NEAR(a->center_of_mass, iso_vec3_make(0, 0, 0.5), 1e-15);
    CHECK_MAT3_NEAR(a->inertia, iso_mat3_diagonal(0.065, 0.05, 0.025), 1e-15);
    CHECK_REL(mass_of(f, "r::b"), ball, 1e-12);
    CHECK_BITS(mass_of(f, "r::b_tip"), 0.0);
    CHECK_BITS(mass_of(f, "r::c_tip"), 0.0); // c has a mass
    CHECK_BITS(mass_of(f, "r::d"), 0.0);
    CHECK_REL(mass_of(f, "r::d_tip"), ball, 1e-12);
    CHECK_TEXT(f->log.text,
               "test.urdf:2: 'r::a' moves, but has no mass: it gets 6 kg, those of its "
               "collision shapes at 1000 kg/m^3");
    CHECK_TEXT(f->log.text,
               "'r::b' moves, but has no mass: it gets 4.18879 kg, those of its visual");
    assert_int_equal(f->log.warning_count, 3);
}

// A chain of drawn joints to links that have neither mass nor shape, from a link that has one.
static void what_moves_only_frames_holds_where_it_starts(void** state) {
    fixture* f = *state;
    static const char* const kinds[] = {"revolute", "prismatic", "continuous"};
    test_random random = test_random_make(11);
    for (int draw = 0; draw < 30; ++draw) {
        char joints[2][512], text[2048];
        double low[2];
        for (int i = 0; i < 2; ++i) {
            iso_vec3 p = test_random_vec3(&random, -1.0, 1.0);
            iso_vec3 turn = test_random_vec3(&random, -1.5, 1.5);
            iso_vec3 axis = test_random_unit_vec3(&random);
            const char* kind = kinds[test_random_int(&random, 0, 2)];
            low[i] = strcmp(kind, "continuous") == 0 ? 0.0 : test_random_uniform(&random, 0.1, 1.0);
            (void)snprintf(joints[i], sizeof joints[i],
                           "<joint name='j%d' type='%s'><parent link='%s'/><child link='%s'/>"
                           "<origin xyz='%.17g %.17g %.17g' rpy='%.17g %.17g %.17g'/>"
                           "<axis xyz='%.17g %.17g %.17g'/><limit lower='%.17g' upper='2' "
                           "effort='1' velocity='1'/></joint>",
                           i, kind, i == 0 ? "a" : "b", i == 0 ? "b" : "c", p.x, p.y, p.z, turn.x,
                           turn.y, turn.z, axis.x, axis.y, axis.z, low[i]);
        }
        iso_pose start[2];
        for (int held = 0; held < 2; ++held) { // with masses the joints move
            (void)snprintf(text, sizeof text,
                           "<robot name='r'><link name='a'>" MASS "</link><link name='b'/>"
                           "<link name='c'>%s</link>%s%s</robot>",
                           held ? "" : MASS, joints[0], joints[1]);
            f->log = (kept_log){0};
            load(f, text);
            start[held] = start_pose_of(&f->scene, "r::c");
            int joint = joint_above(f, "r::c");
            assert_int_equal(iso_model_joint(f->scene.model, joint)->kind == ISO_JOINT_WELD, held);
            assert_int_equal(
                strstr(f->log.text, "'r::j1' moves no mass and no shape: it is taken as fixed") !=
                    NULL,
                held);
            iso_world* world = NULL;
            CHECK_OK(f->ctx, iso_world_create(f->ctx, f->scene.model, &f->scene.world, &world));
            iso_world_destroy(world);
            iso_scene_destroy(f->ctx, &f->scene);
        }
        CHECK_POSE_NEAR(start[1], start[0], 1e-14); // measured 0
    }
}

static void links_without_mass_may_be_errors(void** state) {
    fixture* f = *state;
    static const char text[] = "<robot name='r'><link name='world'/>\n<link name='a'>" BALL(
        "collision") "</link>" JOINT("j", "continuous", "world", "a") "</robot>";
    static const char* const setting = "simulation.massless=error";
    iso_scene_options options = {.settings = &setting, .setting_count = 1};
    iso_world* world = NULL;
    CHECK_OK(f->ctx, iso_scene_load_bytes(f->ctx, "test.urdf", ISO_SCENE_FORMAT_URDF, text,
                                          sizeof text - 1, &options, &f->scene));
    CHECK_BITS(mass_of(f, "r::a"), 0.0);
    assert_int_equal(iso_world_create(f->ctx, f->scene.model, &f->scene.world, &world),
                     ISO_ERR_RANGE);
    CHECK_ERROR(f->ctx, "test.urdf:2: body 'r::a' and what hangs on it have mass 0 kg");
    load(f, text);
    CHECK_OK(f->ctx, iso_world_create(f->ctx, f->scene.model, &f->scene.world, &world));
    iso_world_destroy(world);
}

#define ROD                                                                                 \
    "<inertial><mass value='3'/><inertia ixx='1' iyy='1' izz='0' ixy='0' ixz='0' iyz='0'/>" \
    "</inertial>"
#define POINT(at) "<inertial><origin xyz='" at "'/><mass value='3'/></inertial>"

// Of a ball of radius 0.1 and that mass; a point beside its axis has a moment.
static void what_turns_without_moments_gets_those_of_its_shapes(void** state) {
    static const struct {
        const char *text, *link;
        bool is_given;
    } cases[] = {
        {"<link name='a'>" POINT("0 0 1") BALL("collision") "</link>", "r::a", true}, // it floats
        {"<link name='world'/><link name='a'>" POINT("1 0 0")
             BALL("visual") "</link>" JOINT("j", "continuous", "world", "a"),
         "r::a", true}, // about x
        {"<link name='world'/><link name='a'>" POINT("0 1 0")
             BALL("visual") "</link>" JOINT("j", "continuous", "world", "a"),
         "r::a", false},
        {"<link name='world'/><link name='a'>" POINT("1 0 0") "</link>" JOINT("j", "continuous",
                                                                              "world", "a"),
         "r::a", false}, // no shape
        {"<link name='world'/><link name='a'>" POINT("1 0 0")
             BALL("visual") "</link>" JOINT("j", "prismatic", "world", "a"),
         "r::a", false},
        {"<link name='world'/><link name='a'/><link name='b'>" POINT("1 0 0")
             BALL("visual") "</link>" JOINT("j", "continuous", "world", "a")
                 JOINT("k", "fixed", "a", "b"),
         "r::b", true},
        {"<link name='a'>" POINT("0 0 1") BALL("visual") "</link><link name='b'>" MASS
                                                         "</link>" JOINT("j", "fixed", "a", "b"),
         "r::a", false}, // part of one that has moments
    };
    fixture* f = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[2000];
        (void)snprintf(text, sizeof text, "<robot name='r'>%s</robot>", cases[i].text);
        f->log = (kept_log){0};
        load(f, text);
        const iso_body_desc* body =
            iso_model_body(f->scene.model, body_index(&f->scene, cases[i].link));
        CHECK_NEAR(body->inertia.m[0][0], cases[i].is_given ? 0.4 * 3.0 * 0.01 : 0.0, 1e-16);
        CHECK_BITS(body->mass, 3.0);
        assert_int_equal(
            strstr(f->log.text, "turns, but has no moment of inertia about its axis") != NULL,
            cases[i].is_given);
    }
}

// Of water's density: r^3 = 3 m / (4 pi rho), I = 0.4 m r^2.
static void what_floats_without_shapes_turns_as_a_ball(void** state) {
    fixture* f = *state;
    static const double masses[] = {1e-6, 1.0, 3.0, 2e4};
    for (size_t i = 0; i < sizeof masses / sizeof *masses; ++i) {
        char text[600];
        (void)snprintf(text, sizeof text,
                       "<robot name='r'><link name='a'><inertial><mass value='%.17g'/><inertia "
                       "ixx='0' iyy='0' izz='0' ixy='0' ixz='0' iyz='0'/></inertial></link>"
                       "</robot>",
                       masses[i]);
        f->log = (kept_log){0};
        load(f, text);
        double volume = masses[i] / 1000.0;
        double moment = 0.4 * masses[i] * pow(3.0 * volume / (4.0 * ISO_PI), 2.0 / 3.0);
        const iso_body_desc* body = iso_model_body(f->scene.model, body_index(&f->scene, "r::a"));
        for (int k = 0; k < 3; ++k) {
            CHECK_REL(body->inertia.m[k][k], moment, 1e-14);
        }
        CHECK_TEXT(f->log.text, "test.urdf:1: 'r::a' turns, but has neither moment of inertia");
        iso_world* world = NULL;
        CHECK_OK(f->ctx, iso_world_create(f->ctx, f->scene.model, &f->scene.world, &world));
        iso_world_destroy(world);
    }
}

static void links_of_sdformat_get_a_mass_too(void** state) {
    fixture* f = *state;
    load_as(f, ISO_SCENE_FORMAT_SDF,
            "<sdf version='1.9'><model name='m'>\n<link name='a'><inertial><mass>0</mass>"
            "</inertial><collision name='c'><geometry><box><size>1 1 1</size></box></geometry>"
            "</collision></link></model></sdf>");
    CHECK_REL(mass_of(f, "m::a"), 1000.0, 1e-15);
    CHECK_TEXT(f->log.text, "test.sdf:2: 'm::a' moves, but has no mass: it gets 1000 kg");
}

static void write_file(const char* path, const char* text) {
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    (void)fputs(text, file);
    (void)fclose(file);
}

// A link of a mesh that is a tetrahedron of 80 times a scale, from files.
static void load_tetrahedron(fixture* f, const char* inertial, const char* part, double scale,
                             char mesh[TEST_PATH_SIZE]) {
    char robot[TEST_PATH_SIZE], text[2 * TEST_PATH_SIZE];
    write_file(temp_path(mesh, "tet.obj"), "v 0 0 0\nv 80 0 0\nv 0 80 0\nv 0 0 80\n"
                                           "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
    (void)snprintf(text, sizeof text,
                   "<robot name='r'><link name='world'/><link name='a'>%s<%s><geometry><mesh "
                   "filename='%s' scale='%g %g %g'/></geometry></%s></link>" JOINT(
                       "j", "continuous", "world", "a") "</robot>",
                   inertial, part, mesh, scale, scale, scale, part);
    write_file(temp_path(robot, "tet.urdf"), text);
    f->log = (kept_log){0};
    iso_scene_destroy(f->ctx, &f->scene);
    CHECK_OK(f->ctx, iso_scene_load(f->ctx, robot, NULL, &f->scene));
}

static void a_mesh_in_millimetres_is_named_where_it_makes_a_mass(void** state) {
    static const char* const k_parts[] = {"visual", "collision"};
    static const double k_scales[] = {1.0, 0.001};
    fixture* f = *state;
    char mesh[TEST_PATH_SIZE], text[2 * TEST_PATH_SIZE];
    for (int i = 0; i < 4; ++i) {
        double s = k_scales[i / 2];
        load_tetrahedron(f, "", k_parts[i % 2], s, mesh);
        CHECK_REL(mass_of(f, "r::a"), 1000.0 * pow(80.0 * s, 3.0) / 6.0, 1e-12);
        (void)snprintf(text, sizeof text,
                       "lengths of '%s' are metres (a mesh in millimetres needs scale 0.001)",
                       mesh);
        CHECK((strstr(f->log.text, text) != NULL) == (i < 2), "case %d: %s", i, f->log.text);
    }
}

static void a_root_that_stands_is_asked_for_its_millimetres_too(void** state) {
    static const double k_scales[] = {1.0, 0.001};
    fixture* f = *state;
    char mesh[TEST_PATH_SIZE], robot[TEST_PATH_SIZE], text[2 * TEST_PATH_SIZE];
    for (int i = 0; i < 2; ++i) {
        double s = k_scales[i];
        load_tetrahedron(f, "", "visual", s, mesh); // writes the mesh
        (void)snprintf(text, sizeof text,
                       "<robot name='r'><link name='a'><collision><geometry><mesh filename='%s' "
                       "scale='%g %g %g'/></geometry></collision></link></robot>",
                       mesh, s, s, s);
        write_file(temp_path(robot, "root.urdf"), text);
        f->log = (kept_log){0};
        iso_scene_destroy(f->ctx, &f->scene);
        CHECK_OK(f->ctx, iso_scene_load(f->ctx, robot, NULL, &f->scene));
        CHECK_TEXT(f->log.text, "stands where it starts, welded to 'world'");
        (void)snprintf(text, sizeof text, "lengths of '%s' are metres", mesh);
        CHECK((strstr(f->log.text, text) != NULL) == (i == 0), "case %d: %s", i, f->log.text);
    }
}

static void a_mesh_of_an_impossible_size_is_named_with_its_file(void** state) {
    fixture* f = *state;
    char mesh[TEST_PATH_SIZE], text[2 * TEST_PATH_SIZE];
    iso_world* world = NULL;
    load_tetrahedron(f, MASS, "collision", 1e4, mesh);
    CHECK_STATUS(f->ctx, iso_world_create(f->ctx, f->scene.model, &f->scene.world, &world),
                 ISO_ERR_RANGE);
    (void)snprintf(text, sizeof text, "the largest side of its mesh '%s' is 800000 m", mesh);
    CHECK_ERROR(f->ctx, text);
    load_tetrahedron(f, MASS, "collision", 1.0, mesh);
    CHECK_OK(f->ctx, iso_world_create(f->ctx, f->scene.model, &f->scene.world, &world));
    (void)snprintf(text, sizeof text, "(%s) is 80 m large, but the body of 2 kg is lighter", mesh);
    CHECK_TEXT(f->log.text, text);
    iso_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_root_without_mass_stands_where_it_starts),
        TEST(what_moves_without_mass_gets_that_of_its_shapes),
        TEST(what_moves_only_frames_holds_where_it_starts),
        TEST(links_without_mass_may_be_errors),
        TEST(what_turns_without_moments_gets_those_of_its_shapes),
        TEST(what_floats_without_shapes_turns_as_a_ball),
        TEST(links_of_sdformat_get_a_mass_too),
        TEST(a_mesh_in_millimetres_is_named_where_it_makes_a_mass),
        TEST(a_root_that_stands_is_asked_for_its_millimetres_too),
        TEST(a_mesh_of_an_impossible_size_is_named_with_its_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
