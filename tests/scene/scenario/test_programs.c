// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Programs and CSV tables in scenarios: what they become, and what is wrong with bad ones.

#include "scene/fixture.h"

#include "isobar/task.h"
#include "isobar/world.h"

#include <math.h>
#include <stdlib.h>

#define ARM                                                                                       \
    "bodies:\n"                                                                                   \
    "- {name: upper, mass: 1, geometry: [{shape: box, size: [0.5, 0.05, 0.05], pose: "            \
    "{translation: [0.25, 0, 0]}}]}\n"                                                            \
    "- {name: lower, mass: 1, geometry: [{shape: box, size: [0.4, 0.05, 0.05], pose: "            \
    "{translation: [0.2, 0, 0]}}]}\n"                                                             \
    "- {name: block, mass: 1, fixed: true, geometry: [{shape: sphere, radius: 0.1}], pose: "      \
    "{translation: [3, 0, 0]}}\n"                                                                 \
    "joints:\n"                                                                                   \
    "- {name: shoulder, type: revolute, parent: world, child: upper, limits: {lower: -3, upper: " \
    "3}, position: 0.3}\n"                                                                        \
    "- {name: elbow, type: revolute, parent: upper, child: lower, pose: {translation: [0.5, 0, "  \
    "0]}, limits: {lower: -3, upper: 3}, position: 0.9}\n"

static iso_status load_steps(fixture* f, const char* steps) {
    char text[8192];
    snprintf(text, sizeof text,
             "simulation: {gravity: [0, 0, 0]}\n" ARM
             "directives: [{add_frame: {name: tip, X_PF: {base_frame: lower, translation: [0.4, 0, "
             "0]}}}]\n"
             "programs:\n- name: arm\n  joints: [shoulder, elbow]\n  kp: {shoulder: 4000, elbow: "
             "2000}\n  kd: 50\n  steps:\n%s",
             steps);
    return load_text(f->ctx, ISO_SCENE_FORMAT_SCENARIO, text, &f->scene);
}

static void a_program_becomes_a_description(void** state) {
    fixture* f = *state;
    CHECK_OK(f->ctx,
             load_steps(f,
                        "  - name: fold\n"
                        "    move_joints: {positions: {elbow: 1.5}, duration: 2, profile: "
                        "linear}\n"
                        "  - move_frame:\n"
                        "      frame: lower\n"
                        "      follow: true\n"
                        "      keyframes:\n"
                        "      - {time: 1, pose: {base_frame: block, translation: [-2.5, 0, 0]}}\n"
                        "      - {time: 3, pose: {base_frame: block, translation: [-2.4, 0, 0]}}\n"
                        "    until:\n"
                        "    - {contact: [lower, block], above: 3}\n"
                        "    - {speed: all, below: 0.1}\n"
                        "    hold_time: 0.2\n"
                        "    timeout: 7\n"
                        "    on_timeout: continue\n"
                        "  - {effort: {shoulder: -4}, duration: 0.5}\n"));
    assert_int_equal(f->scene.program_count, 1);
    const iso_program_desc* program = &f->scene.programs[0];
    assert_string_equal(program->name, "arm");
    assert_string_equal(program->source, "test.yaml:11");
    assert_int_equal(program->actuator_count, 2);
    assert_string_equal(program->actuators[1], "elbow");
    assert_int_equal(program->step_count, 3);
    const iso_program_step* fold = &program->steps[0];
    assert_string_equal(fold->name, "fold");
    assert_int_equal(fold->motion, ISO_MOTION_JOINTS);
    assert_int_equal(fold->profile, ISO_PROFILE_LINEAR);
    assert_true(fold->is_kept[0] && !fold->is_kept[1]);
    CHECK_BITS(fold->keyframes[0].positions[1], 1.5);
    CHECK_BITS(fold->keyframes[0].time, 2.0);
    const iso_program_step* reach = &program->steps[1];
    assert_null(reach->name);
    assert_int_equal(reach->motion, ISO_MOTION_FRAME);
    assert_string_equal(reach->body, "lower");
    assert_string_equal(reach->base, "block");
    assert_true(reach->is_following && reach->is_patient);
    assert_int_equal(reach->keyframe_count, 2);
    CHECK_BITS(reach->keyframes[1].x_rt.p.x, -2.4);
    assert_int_equal(reach->condition_count, 2);
    assert_int_equal(reach->conditions[0].kind, ISO_CONDITION_CONTACT_FORCE);
    assert_string_equal(reach->conditions[0].other, "block");
    assert_null(reach->conditions[1].name);
    assert_true(reach->conditions[1].is_below);
    CHECK_BITS(reach->hold_time, 0.2);
    CHECK_BITS(reach->timeout, 7.0);
    const iso_program_step* press = &program->steps[2];
    assert_int_equal(press->motion, ISO_MOTION_EFFORT);
    assert_true(press->is_kept[1]);
    CHECK_BITS(press->efforts[0], -4.0);
    CHECK_BITS(iso_model_actuator(f->scene.model, 1)->kp, 2000.0);
}

static void a_program_of_a_scenario_runs(void** state) {
    fixture* f = *state;
    iso_world* world = NULL;
    iso_task* task = NULL;
    CHECK_OK(f->ctx, load_steps(f, "  - move_frame: {frame: tip, relative: true, "
                                   "orientation_weight: 0, pose: {translation: [0.05, 0.02, 0]}, "
                                   "duration: 0.5}\n"
                                   "  - until: {speed: all, below: 1.0e-3}\n"));
    CHECK_OK(f->ctx, iso_world_create(f->ctx, f->scene.model, &f->scene.world, &world));
    CHECK_OK(f->ctx, iso_scene_create_task(&f->scene, world, &task));
    int lower = iso_world_find_body(world, "lower");
    iso_vec3 tip = iso_vec3_make(0.4, 0.0, 0.0), goal = iso_vec3_make(0.45, 0.02, 0.0);
    iso_pose before = iso_world_body_pose(world, lower);
    while (!iso_task_program(task, world, 0).is_done) {
        CHECK_OK(f->ctx, iso_task_step(task, world));
    }
    iso_pose after = iso_world_body_pose(world, lower);
    // At rest the PD law has done the rest, but for its last 1e-3 rad/s; measured 2.8e-5 m.
    CHECK_VEC3_NEAR(iso_pose_point(&after, tip), iso_pose_point(&before, goal), 1e-3);
    iso_task_destroy(task);
    iso_world_destroy(world);
}

static void bad_steps_are_errors_with_their_line(void** state) {
    fixture* f = *state;
    static const struct {
        const char *steps, *error;
    } cases[] = {
        {"  - {name: x}\n",
         "test.yaml:16: a step needs move_joints, move_frame, effort, duration, "},
        {"  - {attach: [x, y], detach: y}\n",
         "test.yaml:16: constraint 'y' is named twice, expected once in attach or in detach"},
        {"  - {effort: 1, move_joints: {positions: 1, duration: 1}}\n", "a step has one of"},
        {"  - {move_joints: {positions: [1], duration: 1}}\n", "test.yaml:16: positions"},
        {"  - {move_joints: {positions: {wrist: 1}, duration: 1}}\n", "'wrist'"},
        {"  - {move_joints: {positions: 1, duration: 0}}\n", "duration is 0 s, expected > 0"},
        {"  - {move_joints: {positions: 1}}\n", "duration"},
        {"  - {move_joints: {keyframes: [{time: 1, positions: 0}, {time: 1, positions: 0}]}}\n",
         "time is 1 s, expected > 1"},
        {"  - {move_frame: {frame: hand, pose: {}, duration: 1}}\n", "'hand'"},
        {"  - {move_frame: {frame: lower, pose: {base: block}, duration: 1}}\n", "base"},
        {"  - {duration: 1, timeout: 3}\n", "timeout, on_timeout and hold_time need until"},
        {"  - {until: {contact: [lower, ghost], above: 1}}\n", "'ghost'"},
        {"  - {until: {contact: lower}}\n", "either above or below"},
        {"  - {until: {position: elbow, speed: elbow, above: 1}}\n", "a condition has one of"},
        {"  - {until: {above: 1}}\n", "a condition needs one of"},
        {"  - {until: []}\n", "until is empty"},
        {"  - {until: {program: arm}}\n", "step"},
        {"  - {until: {time: 1}, on_timeout: panic}\n", "panic"},
        {"  - {move_joints: {file: nowhere.csv}}\n", "nowhere.csv"},
        {"  - 7\n", "a step is not a mapping"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        iso_status status = load_steps(f, cases[i].steps);
        CHECK(status != ISO_OK, "accepted: %s", cases[i].steps);
        CHECK_ERROR(f->ctx, cases[i].error);
        CHECK_ERROR(f->ctx, "test.yaml:");
    }
}

// --- files ---------------------------------------------------------------------------------------

static void write_file(const char* path, const char* text) {
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static iso_status load_with_csv(fixture* f, const char* csv, const char* rest) {
    char text[8192];
    write_file("programs_test.csv", csv);
    snprintf(text, sizeof text, ARM "%s", rest);
    write_file("programs_test.yaml", text);
    iso_status status = iso_scene_load(f->ctx, "programs_test.yaml", NULL, &f->scene);
    remove("programs_test.csv");
    remove("programs_test.yaml");
    return status;
}

static const char k_moves[] = "programs:\n- name: arm\n  joints: [shoulder, elbow]\n  kp: 1\n"
                              "  steps: [{move_joints: {file: programs_test.csv}}]\n";
static const char k_pushes[] =
    "actuation:\n- joint: elbow\n  effort: {type: cubic, file: programs_test.csv, column: force}\n";

static void tables_are_read_from_csv_files(void** state) {
    fixture* f = *state;
    CHECK_OK(f->ctx, load_with_csv(f, "# a push\n\n t , other, force\r\n0, 9, 1\n2 ,9, 5\r\n3,9,4",
                                   k_pushes));
    const iso_signal_desc* signal = &f->scene.commands[0].signal;
    assert_int_equal(signal->kind, ISO_SIGNAL_CUBIC);
    assert_int_equal(signal->table_count, 3);
    CHECK_BITS(signal->table_times[1], 2.0);
    CHECK_BITS(signal->table_values[2], 4.0);
    CHECK_BITS(iso_signal_eval(signal, 1.0), 3.0);
    iso_scene_destroy(f->ctx, &f->scene);

    CHECK_OK(f->ctx, load_with_csv(f, "time,elbow\n0,0.9\n1,1.5\n2.5,0.5\n", k_moves));
    const iso_program_step* step = &f->scene.programs[0].steps[0];
    assert_int_equal(step->keyframe_count, 3);
    assert_true(step->is_kept[0] && !step->is_kept[1]);
    CHECK_BITS(step->keyframes[0].time, 0.0);
    CHECK_BITS(step->keyframes[2].time, 2.5);
    CHECK_BITS(step->keyframes[2].positions[1], 0.5);
    iso_scene_destroy(f->ctx, &f->scene);

    // A byte order mark belongs to no column.
    CHECK_OK(f->ctx, load_with_csv(f, "\xEF\xBB\xBFtime,elbow\n1,1.5\n", k_moves));
    CHECK_BITS(f->scene.programs[0].steps[0].keyframes[0].positions[1], 1.5);
    iso_scene_destroy(f->ctx, &f->scene);
    CHECK_OK(f->ctx, load_with_csv(f,
                                   "\xEF\xBB\xBF"
                                   "0,1\n1,2\n",
                                   "actuation:\n- joint: elbow\n  effort: {type: table, file: "
                                   "programs_test.csv, time: 1, column: 2}\n"));
    assert_int_equal(f->scene.commands[0].signal.table_count, 2);
}

static void what_is_wrong_in_a_csv_file_has_its_line(void** state) {
    fixture* f = *state;
    static const struct {
        const char *csv, *rest, *error;
    } cases[] = {
        {"t,force\n0,1\n1,x\n", k_pushes,
         "programs_test.csv:3: column 2 is 'x', expected a finite"},
        {"t,force\n0,1\n\n1\n", k_pushes,
         "programs_test.csv:4: the line has 1 columns, expected 2"},
        {"t,force\n0,1\n1,nan\n", k_pushes, "programs_test.csv:3: column 2 is 'nan'"},
        {"t,force\n0,1\n0,2\n", k_pushes, "programs_test.csv:3: the time is 0 s after 0 s"},
        {"t,force\n", k_pushes, "the file has no numbers"},
        {"t,weight\n0,1\n", k_pushes, "programs_test.csv has no column 'force'"},
        {"0,1\n1,2\n", k_moves, "programs_test.csv:1: the first line must name the columns"},
        {"time,wrist\n1,2\n", k_moves, "programs_test.csv:1: "},
        {"time,elbow\n0,1\n", k_moves, "programs_test.csv:2: the last time is 0 s"},
        {"time,elbow\n-1,2\n0,1\n", k_moves, "programs_test.csv:2: the first time is -1 s"},
        {"#\ntime,elbow,shoulder,elbow\n1,2,3,4\n", k_moves,
         "programs_test.csv:2: columns 2 and 4 are both called 'elbow'"},
        {"t,force,force\n0,1,2\n", k_pushes,
         "programs_test.csv:1: columns 2 and 3 are both called 'force'"},
        {"time,elbow\n2,2\n1,1\n", k_moves, "programs_test.csv:3: the time is 1 s after 2 s"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        iso_status status = load_with_csv(f, cases[i].csv, cases[i].rest);
        CHECK(status != ISO_OK, "accepted: %s", cases[i].csv);
        CHECK_ERROR(f->ctx, cases[i].error);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_program_becomes_a_description),          TEST(a_program_of_a_scenario_runs),
        TEST(bad_steps_are_errors_with_their_line),     TEST(tables_are_read_from_csv_files),
        TEST(what_is_wrong_in_a_csv_file_has_its_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
