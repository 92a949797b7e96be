// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Every robot and object model of the assets, and every scene of the source tree, loads.

#include "scene/load.h"

#include "support/assets.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

typedef void (*visit_fn)(const char* path, void* user);

static bool ends_with(const char* text, const char* end) {
    size_t length = strlen(text), end_length = strlen(end);
    return length > end_length && strcmp(text + length - end_length, end) == 0;
}

// Call visit for every file below a folder whose name has one of the endings, in order.
static void visit_files(const char* folder, const char* const* endings, visit_fn visit,
                        void* user) {
    struct dirent** entries = NULL;
    int count = scandir(folder, &entries, NULL, alphasort);
    assert_true(count >= 0);
    for (int i = 0; i < count; ++i) {
        char path[TEST_PATH_SIZE];
        struct stat info;
        int length = snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        assert_true(length > 0 && length < (int)sizeof path);
        bool is_hidden = entries[i]->d_name[0] == '.';
        free(entries[i]);
        if (is_hidden || stat(path, &info) != 0) {
            continue;
        }
        if (S_ISDIR(info.st_mode)) {
            visit_files(path, endings, visit, user);
        }
        for (int e = 0; endings[e]; ++e) {
            if (ends_with(path, endings[e])) {
                visit(path, user);
            }
        }
    }
    free(entries);
}

typedef struct tally {
    iso_context* ctx;
    kept_log log;
    int file_count, body_count, geometry_count, actuator_count;
} tally;

static void check_poses(const iso_scene* scene, const char* path) {
    for (int i = 0; i < iso_model_body_count(scene->model); ++i) {
        iso_pose x = start_pose(scene, i);
        CHECK(iso_pose_is_finite(&x), "%s: body %d", path, i);
    }
}

static void load_model(const char* path, void* user) {
    tally* t = user;
    iso_scene scene;
    iso_status status = iso_scene_load(t->ctx, path, NULL, &scene);
    CHECK(status == ISO_OK, "%s", iso_context_error(t->ctx));
    CHECK(iso_model_body_count(scene.model) > 1, "%s has no bodies", path);
    check_poses(&scene, path);
    ++t->file_count;
    t->body_count += iso_model_body_count(scene.model) - 1;
    t->geometry_count += iso_model_geometry_count(scene.model);
    t->actuator_count += iso_model_actuator_count(scene.model);
    iso_scene_destroy(t->ctx, &scene);
}

static void every_model_of_the_assets_loads(void** state) {
    (void)state;
    static const char* const endings[] = {".sdf", ".urdf", NULL};
    char root[TEST_PATH_SIZE];
    tally t = {.file_count = 0};
    asset_path(root, ".");
    t.ctx = keeping_context(&t.log);
    visit_files(root, endings, load_model, &t);
    // The sums over all files that Drake finds in them (bodies without the world; Drake keeps eight
    // spheres of radius 0, which make no contact).
    assert_int_equal(t.file_count, 48);
    assert_int_equal(t.body_count, 272);
    assert_int_equal(t.actuator_count, 157);
    assert_int_equal(t.geometry_count, 496 - 8);
    iso_context_destroy(t.ctx);
}

static void a_missing_visual_is_a_warning_and_a_missing_collision_mesh_an_error(void** state) {
    (void)state;
    static const char* const format =
        "<sdf version='1.7'><model name='m'><link name='l'><%s name='x'><geometry><mesh>"
        "<uri>missing.obj</uri></mesh></geometry></%s></link></model></sdf>";
    char path[TEST_PATH_SIZE];
    kept_log log;
    iso_context* ctx = keeping_context(&log);
    for (int is_visual = 0; is_visual < 2; ++is_visual) {
        iso_scene scene;
        const char* kind = is_visual ? "visual" : "collision";
        FILE* file = fopen(temp_path(path, "mesh.sdf"), "wb");
        assert_non_null(file);
        fprintf(file, format, kind, kind);
        fclose(file);
        CHECK_STATUS(ctx, iso_scene_load(ctx, path, NULL, &scene), is_visual ? ISO_OK : ISO_ERR_IO);
        CHECK_TEXT(is_visual ? log.text : iso_context_error(ctx), "mesh.sdf:1: ");
        CHECK_TEXT(is_visual ? log.text : iso_context_error(ctx), "missing.obj' cannot be read");
        iso_scene_destroy(ctx, &scene);
    }
    iso_context_destroy(ctx);
}

static void every_scene_of_the_source_tree_loads(void** state) {
    (void)state;
    static const char* const endings[] = {".yaml", ".sdf", NULL};
    char root[TEST_PATH_SIZE];
    tally t = {.file_count = 0};
    asset_path(root, "."); // the scenes of the peers name these
    t.ctx = keeping_context(&t.log);
    visit_files(source_path(root, "scenes"), endings, load_model, &t);
    assert_true(t.file_count >= 11);
    iso_context_destroy(t.ctx);
}

static void the_scenes_of_the_peers_pin_what_a_default_could_move(void** state) {
    (void)state;
    char path[TEST_PATH_SIZE], root[TEST_PATH_SIZE];
    static const struct {
        const char* file;
        double time_step, until;
        int body_count, geometry_count;
    } scenes[] = {
        {"scenes/peers/ball_plate.yaml", 1e-3, 0.4, 4, 3},
        {"scenes/peers/ball_paddle.yaml", 1e-3, 0.5, 3, 2},
        {"scenes/peers/pepper_bowl.yaml", 1e-2, 2.0, 4, 3},
        {"scenes/peers/spatula_slip_control.yaml", 4e-2, 30.0, 7, 3},
        {"scenes/peers/rolling_sphere.yaml", 1e-3, 2.0, 2, 2},
        {"scenes/peers/slope.yaml", 1e-3, 12.0, 2, 2},
        {"scenes/peers/stack.yaml", 1e-3, 1.0, 6, 6},
        {"scenes/peers/balls_in_bin.yaml", 5e-3, 1.0, 28, 32},
    };
    asset_path(root, ".");
    kept_log log;
    iso_context* ctx = keeping_context(&log);
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; ++i) {
        iso_scene scene;
        CHECK_OK(ctx, iso_scene_load(ctx, source_path(path, scenes[i].file), NULL, &scene));
        CHECK_BITS(scene.world.time_step, scenes[i].time_step);
        CHECK_BITS(scene.until, scenes[i].until);
        assert_int_equal(scene.world.method, ISO_METHOD_LAGGED);
        assert_int_equal(scene.world.contact.representation, ISO_REPRESENTATION_POLYGON);
        assert_int_equal(scene.world.contact.cull, ISO_CULL_DRAKE);
        assert_int_equal(scene.world.contact.combine, ISO_COMBINE_DRAKE);
        assert_int_equal(scene.world.contact.regularization, ISO_REGULARIZATION_DRAKE);
        assert_int_equal(iso_model_body_count(scene.model), scenes[i].body_count);
        assert_int_equal(iso_model_geometry_count(scene.model), scenes[i].geometry_count);
        for (int g = 0; g < scenes[i].geometry_count; ++g) {
            const iso_contact_material* m = &iso_model_geometry(scene.model, g, NULL)->material;
            assert_true(m->compliance != ISO_COMPLIANCE_DEFAULT);
            CHECK_BITS(m->margin, 0.0);
        }
        iso_scene_destroy(ctx, &scene);
    }
    iso_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_model_of_the_assets_loads),
        cmocka_unit_test(a_missing_visual_is_a_warning_and_a_missing_collision_mesh_an_error),
        cmocka_unit_test(every_scene_of_the_source_tree_loads),
        cmocka_unit_test(the_scenes_of_the_peers_pin_what_a_default_could_move),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
