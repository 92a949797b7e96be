// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Where and how an MJCF file starts: its pose, or a keyframe on request; its time step.

#include "isobar/world.h"
#include "scene/mjcf_fixture.h"

#include <math.h>

#define TWO_HINGES                                                      \
    "<worldbody><body name='a'><joint name='j' ref='0.5'/>" BALL        \
    "<body name='b'><joint name='k' ref='0.25'/>" BALL "</body></body>" \
    "<body name='c' pos='1 2 3'><freejoint/>" BALL "</body>"            \
    "<body name='t' mocap='true' pos='4 5 6'/></worldbody>"
#define RADIANS "<mujoco model='m'><compiler angle='radian'/>"
#define KEYS                                                                      \
    "<keyframe><key name='up' qpos='0.1'/><key qpos='0.2 0.3 7 8' mpos='1 1 1'/>" \
    "<key name='home' qpos='0.4'/><key name='1' qpos='0.6'/></keyframe></mujoco>"

static void a_file_starts_at_its_pose_unless_a_keyframe_is_asked_for(void** state) {
    fixture* f = *state;
    static const struct {
        const char* key; ///< NULL: none
        double j, k;
        iso_vec3 c;
    } cases[] = {{NULL, 0.5, 0.25, {1, 2, 3}},
                 {"up", 0.1, 0.25, {1, 2, 3}}, // what it leaves out is as in the file
                 {"home", 0.4, 0.25, {1, 2, 3}},
                 {"'1'", 0.6, 0.25, {1, 2, 3}}, // a name wins over an index
                 {"2", 0.4, 0.25, {1, 2, 3}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        if (cases[i].key) {
            load_from(f, cases[i].key, RADIANS TWO_HINGES KEYS);
        } else {
            load(f, RADIANS TWO_HINGES KEYS);
            CHECK_TEXT(f->log.text, "test.xml:1: the start is the pose of the file, not this");
        }
        CHECK_BITS(joint_named(&f->scene, "m::j")->position, cases[i].j);
        CHECK_BITS(joint_named(&f->scene, "m::k")->position, cases[i].k);
        CHECK_VEC3_NEAR(start_pose_of(&f->scene, "m::c").p, cases[i].c, 0.0);
        CHECK_VEC3_NEAR(start_pose_of(&f->scene, "m::t").p, iso_vec3_make(4, 5, 6), 0.0);
    }
}

// As MuJoCo lengthens it: (7 8) are the first numbers of a free joint.
static void a_short_keyframe_goes_on_as_the_file(void** state) {
    fixture* f = *state;
    load_from(f, "1",
              RADIANS TWO_HINGES "<keyframe><key/><key qpos='0.2 0.3 7 8' mpos=''/>"
                                 "</keyframe></mujoco>");
    CHECK_BITS(joint_named(&f->scene, "m::k")->position, 0.3);
    CHECK_VEC3_NEAR(start_pose_of(&f->scene, "m::c").p, iso_vec3_make(7, 8, 3), 0.0);
}

static void a_keyframe_that_is_not_there_is_named(void** state) {
    fixture* f = *state;
    static const struct {
        const char* setting;
        const char* text;
        iso_scene_format_kind format;
        const char* message;
    } cases[] = {{"simulation.keyframe=hom", RADIANS TWO_HINGES KEYS, ISO_SCENE_FORMAT_XML,
                  "there is no keyframe named 'hom'; did you mean 'home'?"},
                 {"simulation.keyframe=4", RADIANS TWO_HINGES KEYS, ISO_SCENE_FORMAT_XML,
                  "the start is to be keyframe 4, expected 0 to 3 or a name"},
                 {"simulation.keyframe=up", RADIANS TWO_HINGES "</mujoco>", ISO_SCENE_FORMAT_XML,
                  "the start is to be keyframe 'up', but the model has no <key>"},
                 {"simulation.keyframe=up", "<robot name='r'><link name='l'/></robot>",
                  ISO_SCENE_FORMAT_XML,
                  "the start is to be keyframe 'up', which only MJCF files have"},
                 {"simulation.keyframe=up", "bodies: []\n", ISO_SCENE_FORMAT_SCENARIO,
                  "a keyframe is that of one MJCF file: say it in the add_model of that file"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const char* setting = cases[i].setting;
        iso_scene_options options = {.settings = &setting, .setting_count = 1};
        iso_status status = iso_scene_load_bytes(f->ctx, "test", cases[i].format, cases[i].text,
                                                 strlen(cases[i].text), &options, &f->scene);
        assert_true(status != ISO_OK);
        CHECK_ERROR(f->ctx, cases[i].message);
    }
}

// 0 is brought into the range of controls that does not hold it, with and without a keyframe.
static void controls_of_0_are_within_their_range(void** state) {
    fixture* f = *state;
    load(f, RADIANS TWO_HINGES "<actuator><motor joint='j' ctrlrange='2 3'/></actuator></mujoco>");
    assert_int_equal(f->scene.command_count, 1);
    CHECK_BITS(f->scene.commands[0].signal.offset, 2.0);
}

static void a_file_has_steps_of_2_ms(void** state) {
    fixture* f = *state;
    load(f, RADIANS TWO_HINGES "</mujoco>");
    CHECK_BITS(f->scene.world.time_step, 0.002);
    load(f, RADIANS "<option timestep='0.004'/>" TWO_HINGES "</mujoco>");
    CHECK_BITS(f->scene.world.time_step, 0.004);
}

static void unnamed_geoms_have_names_wherever_they_stand(void** state) {
    fixture* f = *state;
    load(f, "<mujoco model='m'><worldbody>" BALL "<body name='a'><freejoint/>" BALL "<frame>" BALL
            "<frame><body name='b'><joint/>" BALL "</body>" BALL "</frame></frame></body>" BALL
            "</worldbody></mujoco>");
    assert_int_equal(iso_model_geometry_count(f->scene.model), 6);
    (void)geometry_of(&f->scene, "world", "collision_1");
    (void)geometry_of(&f->scene, "m::a", "collision_2");
    (void)geometry_of(&f->scene, "m::b", "collision");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_file_starts_at_its_pose_unless_a_keyframe_is_asked_for),
        TEST(a_short_keyframe_goes_on_as_the_file),
        TEST(a_keyframe_that_is_not_there_is_named),
        TEST(controls_of_0_are_within_their_range),
        TEST(a_file_has_steps_of_2_ms),
        TEST(unnamed_geoms_have_names_wherever_they_stand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
