// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Frames of files: where they are, by name, while the bodies move.

#include "scene/fixture.h"
#include "support/failing_context.h"

#include <math.h>

static const char k_scenario[] =
    "bodies:\n"
    "  - {name: base, mass: 1, inertia: [1, 1, 1], fixed: true}\n"
    "  - {name: arm, mass: 1, inertia: [1, 1, 1]}\n"
    "joints: [{name: hinge, type: revolute, parent: base, child: arm, axis: [0, 0, 1], position: "
    "0.5}]\n"
    "sensors: [{name: there, type: frame, body: tip}]\n"
    "directives:\n"
    "  - add_frame: {name: tip, X_PF: {base_frame: arm, translation: [1, 0, 0]}}\n"
    "  - add_frame: {name: tool, X_PF: {base_frame: tip, translation: [0, 0, 2]}}\n"
    "  - add_frame: {name: corner, X_PF: {base_frame: world, translation: [3, 0, 0]}}\n";

static const char k_sdf[] =
    "<sdf version='1.9'><model name='m'><link name='a'/>\n"
    "<frame name='grasp' attached_to='a'><pose>0 0 1 0 0 0</pose></frame>\n"
    "<model name='n'><link name='b'/><frame name='grip' attached_to='b'/></model>"
    "</model></sdf>";

static const char k_urdf[] =
    "<robot name='r'><link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' "
    "ixy='0' ixz='0' iyz='0'/></inertial></link>\n"
    "<frame name='grasp' link='a' xyz='0 2 0' rpy='0 0 0'/></robot>";

static const char k_mjcf[] =
    "<mujoco model='m'><worldbody><site name='mark' pos='1 0 0'/><body name='b' pos='0 0 1'>"
    "<freejoint/><geom size='0.1'/>\n<site name='tip' pos='0 0 0.5'/><site name='b'/><site/>"
    "</body></worldbody></mujoco>";

static iso_world* make_world_of(fixture* f, iso_scene_format_kind format, const char* text) {
    iso_world* world = NULL;
    CHECK_OK(f->ctx, load_text(f->ctx, format, text, &f->scene));
    CHECK_OK(f->ctx, iso_world_create(f->ctx, f->scene.model, &f->scene.world, &world));
    return world;
}

static iso_vec3 place(const fixture* f, const iso_world* world, const char* name) {
    int frame = iso_scene_find_frame(&f->scene, name);
    CHECK(frame >= 0, "no frame '%s'", name);
    return iso_scene_frame_pose(&f->scene, world, frame).p;
}

static void frames_of_directives_move_with_their_bodies(void** state) {
    fixture* f = *state;
    iso_world* world = make_world_of(f, ISO_SCENE_FORMAT_SCENARIO, k_scenario);
    assert_int_equal(f->scene.frame_count, 3); // bodies are not among them
    assert_string_equal(f->scene.frames[0].source, "test.yaml:7");
    const iso_scene_frame* tip = &f->scene.frames[iso_scene_find_frame(&f->scene, "tip")];
    assert_string_equal(iso_model_body(f->scene.model, tip->body)->name, "arm");
    // Measured 1.6e-16 at most.
    CHECK_VEC3_NEAR(tip->x_bf.p, iso_vec3_make(1.0, 0.0, 0.0), 1e-15);
    CHECK_VEC3_NEAR(place(f, world, "tip"), iso_vec3_make(cos(0.5), sin(0.5), 0.0), 1e-15);
    CHECK_OK(f->ctx, iso_world_set_joint(world, 0, 1.2, 0.0));
    CHECK_VEC3_NEAR(place(f, world, "tip"), iso_vec3_make(cos(1.2), sin(1.2), 0.0), 1e-15);
    CHECK_VEC3_NEAR(place(f, world, "tool"), iso_vec3_make(cos(1.2), sin(1.2), 2.0), 1e-15);
    CHECK_VEC3_NEAR(place(f, world, "corner"), iso_vec3_make(3.0, 0.0, 0.0), 1e-15);
    iso_world_destroy(world);
}

static void frames_of_sdformat_are_scoped(void** state) {
    fixture* f = *state;
    iso_world* world = make_world_of(f, ISO_SCENE_FORMAT_SDF, k_sdf);
    assert_true(iso_scene_find_frame(&f->scene, "m::grasp") >= 0);
    assert_true(iso_scene_find_frame(&f->scene, "m::n::grip") >= 0);
    assert_int_equal(iso_scene_find_frame(&f->scene, "grip"),
                     iso_scene_find_frame(&f->scene, "n::grip"));
    assert_int_equal(iso_scene_find_frame(&f->scene, "ip"), -1);
    assert_int_equal(iso_scene_find_frame(&f->scene, "__model__"), -1); // of m or of n
    assert_true(iso_scene_find_frame(&f->scene, "n::__model__") >= 0);
    CHECK_VEC3_NEAR(place(f, world, "grasp"), iso_vec3_make(0.0, 0.0, 1.0), 1e-15); // measured 0
    iso_world_destroy(world);
}

static void frames_of_urdf_are_kept(void** state) {
    fixture* f = *state;
    iso_world* world = make_world_of(f, ISO_SCENE_FORMAT_URDF, k_urdf);
    assert_int_equal(f->scene.frame_count, 1);
    assert_string_equal(f->scene.frames[0].name, "r::grasp");
    assert_string_equal(f->scene.frames[0].source, "test.urdf:2");
    CHECK_VEC3_NEAR(place(f, world, "grasp"), iso_vec3_make(0.0, 2.0, 0.0), 1e-15); // measured 0
    iso_world_destroy(world);
}

static void sites_of_mjcf_are_frames(void** state) {
    fixture* f = *state;
    iso_world* world = make_world_of(f, ISO_SCENE_FORMAT_XML, k_mjcf);
    assert_int_equal(f->scene.frame_count, 3); // one site has no name
    assert_int_equal(f->scene.frames[0].body, ISO_WORLD_BODY);
    // Measured 0 for all.
    CHECK_VEC3_NEAR(place(f, world, "mark"), iso_vec3_make(1.0, 0.0, 0.0), 1e-15);
    CHECK_VEC3_NEAR(place(f, world, "m::tip"), iso_vec3_make(0.0, 0.0, 1.5), 1e-15);
    // A site may have the name of a body.
    CHECK_VEC3_NEAR(place(f, world, "b_site"), iso_vec3_make(0.0, 0.0, 1.0), 1e-15);
    iso_world_destroy(world);
}

static void what_is_no_frame_is_minus_one_or_the_identity(void** state) {
    fixture* f = *state;
    iso_world* world = make_world_of(f, ISO_SCENE_FORMAT_SCENARIO, k_scenario);
    assert_int_equal(iso_scene_find_frame(&f->scene, "arm"), -1);
    assert_int_equal(iso_scene_find_frame(&f->scene, ""), -1);
    assert_int_equal(iso_scene_find_frame(&f->scene, NULL), -1);
    assert_int_equal(iso_scene_find_frame(NULL, "tip"), -1);
    const int frames[] = {-1, 3, 1000};
    for (int i = 0; i < 3; ++i) {
        CHECK_VEC3_NEAR(iso_scene_frame_pose(&f->scene, world, frames[i]).p, iso_vec3_zero(), 0.0);
    }
    CHECK_VEC3_NEAR(iso_scene_frame_pose(&f->scene, NULL, 0).p, iso_vec3_zero(), 0.0);
    iso_world_destroy(world);
}

static iso_status attempt(iso_context* ctx, void* user) {
    iso_scene scene = {0};
    iso_status status = load_text(ctx, ISO_SCENE_FORMAT_SDF, user, &scene);
    assert_true(status == ISO_OK || (scene.frames == NULL && scene.frame_count == 0));
    iso_scene_destroy(ctx, &scene);
    return status;
}

static void every_allocation_failure_is_reported_and_leaks_nothing(void** state) {
    (void)state;
    assert_true(check_every_allocation_failure(attempt, (void*)(uintptr_t)k_sdf) > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(frames_of_directives_move_with_their_bodies),
        TEST(frames_of_sdformat_are_scoped),
        TEST(frames_of_urdf_are_kept),
        TEST(sites_of_mjcf_are_frames),
        TEST(what_is_no_frame_is_minus_one_or_the_identity),
        cmocka_unit_test(every_allocation_failure_is_reported_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
