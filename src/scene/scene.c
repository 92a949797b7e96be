// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/scene.h"

#include "base/core/text.h"
#include "scene/mjcf/mjcf_read.h"
#include "scene/points/point_laws.h"
#include "scene/scenario/scenario.h"
#include "scene/sdf/sdf.h"
#include "scene/urdf/urdf.h"

#include <string.h>

static bool find_format(const char* path, iso_scene_format_kind* out_format) {
    static const struct {
        const char* extension;
        iso_scene_format_kind format;
    } formats[] = {{"yaml", ISO_SCENE_FORMAT_SCENARIO}, {"yml", ISO_SCENE_FORMAT_SCENARIO},
                   {"sdf", ISO_SCENE_FORMAT_SDF},       {"world", ISO_SCENE_FORMAT_SDF},
                   {"urdf", ISO_SCENE_FORMAT_URDF},     {"mjcf", ISO_SCENE_FORMAT_MJCF},
                   {"xml", ISO_SCENE_FORMAT_XML}};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; ++i) {
        if (iso_path_has_extension(path, formats[i].extension)) {
            *out_format = formats[i].format;
            return true;
        }
    }
    return false;
}

static iso_status require_format(iso_scene_build* build, iso_source at, const char* path,
                                 iso_scene_format_kind* out_format) {
    bool is_said = at.line == 0 && at.file && strcmp(at.file, path) == 0; // before the message
    ISO_SCENE_REQUIRE(build, at, !iso_path_has_extension(path, "xacro"), ISO_ERR_UNSUPPORTED,
                      "xacro must be expanded first: xacro FILE > X.urdf");
    ISO_SCENE_REQUIRE(
        build, at, find_format(path, out_format), ISO_ERR_UNSUPPORTED,
        "%s%s%sof an unknown kind, expected .yaml, .yml, .sdf, .world, .urdf, .mjcf or .xml",
        is_said ? "" : "'", is_said ? "" : path, is_said ? "" : "' is ");
    return ISO_OK;
}

// What an .xml file is, by its outermost element.
static iso_status find_xml_format(iso_scene_build* build, const char* path, const char* bytes,
                                  size_t size, iso_scene_format_kind* out_format) {
    static const struct {
        const char* root;
        iso_scene_format_kind format;
    } roots[] = {{"mujoco", ISO_SCENE_FORMAT_MJCF},
                 {"sdf", ISO_SCENE_FORMAT_SDF},
                 {"robot", ISO_SCENE_FORMAT_URDF}};
    xmlDoc* doc = NULL;
    ISO_SCENE_TRY(iso_xml_parse(build, path, bytes, size, &doc));
    const xmlNode* root = xmlDocGetRootElement(doc);
    iso_status status = ISO_ERR_UNSUPPORTED;
    for (size_t i = 0; i < sizeof roots / sizeof *roots && status != ISO_OK; ++i) {
        if (iso_xml_is(root, roots[i].root)) {
            *out_format = roots[i].format;
            status = ISO_OK;
        }
    }
    if (status != ISO_OK) {
        status = iso_scene_fail(build, iso_xml_source(root), status,
                                "the outermost element is <%s>, expected <mujoco>, <sdf> or "
                                "<robot>",
                                iso_xml_name(root));
    }
    xmlFreeDoc(doc);
    return status;
}

static iso_status read_model_bytes(iso_scene_build* build, iso_scene_format_kind format,
                                   const char* path, const char* bytes, size_t size,
                                   const char* scope, const char* rename) {
    if (format == ISO_SCENE_FORMAT_XML) {
        ISO_SCENE_TRY(find_xml_format(build, path, bytes, size, &format));
    }
    const char* keyframe = build->keyframe;
    iso_source at = {path, 0};
    ISO_SCENE_REQUIRE(build, at, !keyframe || format == ISO_SCENE_FORMAT_MJCF, ISO_ERR_ARGUMENT,
                      "the start is to be keyframe '%.80s', which only MJCF files have", keyframe);
    if (format == ISO_SCENE_FORMAT_MJCF) {
        iso_mjcf_manner manner = {.scope = scope, .rename = rename};
        return iso_mjcf_read_bytes(build, path, bytes, size, &manner);
    }
    return format == ISO_SCENE_FORMAT_SDF
               ? iso_sdf_read_bytes(build, path, bytes, size, scope, rename)
               : iso_urdf_read_bytes(build, path, bytes, size, scope, rename);
}

iso_status iso_scene_read_model(iso_scene_build* build, iso_source at, const char* path,
                                const char* scope, const char* rename) {
    iso_scene_format_kind format = ISO_SCENE_FORMAT_SDF;
    char* bytes = NULL;
    size_t size = 0;
    ISO_SCENE_TRY(require_format(build, at, path, &format));
    ISO_SCENE_REQUIRE(build, at, format != ISO_SCENE_FORMAT_SCENARIO, ISO_ERR_UNSUPPORTED,
                      "'%s' is no model file, expected .sdf, .urdf or MJCF", path);
    ISO_SCENE_TRY(iso_scene_enter_file(build, at, path));
    iso_status status = iso_scene_read_file(build, at, path, &bytes, &size);
    if (status == ISO_OK) {
        status = read_model_bytes(build, format, path, bytes, size, scope, rename);
    }
    iso_free(build->ctx, bytes);
    iso_scene_leave_file(build);
    return status;
}

// Move what was built into the scene.
static iso_status hand_over(iso_scene_build* build, iso_scene* out_scene) {
    const char* slash = strrchr(build->root_path, '/');
    const char* stem = slash ? slash + 1 : build->root_path;
    const char* dot = strrchr(stem, '.');
    char* name = build->name && *build->name
                     ? iso_strdup(build->ctx, build->name)
                     : iso_strndup(build->ctx, stem, dot ? (size_t)(dot - stem) : strlen(stem));
    ISO_REQUIRE(build->ctx, name, ISO_ERR_MEMORY, "name of the scene");
    iso_text_make_printable(name); // files may be called anything
    iso_status status = iso_scene_copy_frames(build, out_scene);
    if (status == ISO_OK) {
        status = iso_scene_copy_sensors(build, &out_scene->sensors);
    }
    if (status != ISO_OK) {
        iso_scene_free_frames(build->ctx, out_scene->frames, out_scene->frame_count);
        *out_scene = (iso_scene){0};
        iso_free(build->ctx, name);
        return status;
    }
    out_scene->sensor_count = build->sensors.count;
    out_scene->name = name;
    out_scene->model = build->model;
    out_scene->world = build->world;
    out_scene->until = build->until;
    out_scene->commands = build->commands.data;
    out_scene->command_count = build->commands.count;
    out_scene->programs = build->programs.data;
    out_scene->program_count = build->programs.count;
    out_scene->program_memory = build->program_memory;
    out_scene->forces = build->forces;
    out_scene->force_count = build->force_count;
    out_scene->movers = build->movers;
    out_scene->mover_count = build->mover_count;
    out_scene->has_events = build->has_events;
    out_scene->events = build->events;
    build->model = NULL;
    build->commands.data = NULL;
    build->commands.count = 0;
    build->programs.data = NULL;
    build->program_memory = NULL;
    return ISO_OK;
}

static iso_status build_scene(iso_scene_build* build, iso_scene_format_kind format,
                              const char* path, const char* bytes, size_t size,
                              const iso_scene_options* options) {
    iso_source at = {path, 0};
    if (format == ISO_SCENE_FORMAT_SCENARIO) {
        ISO_SCENE_TRY(iso_scenario_read_bytes(build, path, bytes, size, options));
    } else {
        ISO_SCENE_TRY(iso_scenario_read_keyframe(build, options));
        ISO_SCENE_TRY(read_model_bytes(build, format, path, bytes, size, "", NULL));
        ISO_SCENE_TRY(iso_scenario_read_settings(build, options));
    }
    bool is_empty =
        iso_model_body_count(build->model) <= 1 && iso_model_geometry_count(build->model) == 0;
    ISO_SCENE_REQUIRE(build, at, !is_empty || build->may_be_empty, ISO_ERR_PARSE,
                      "the scene has no bodies");
    if (is_empty) {
        iso_scene_warn_once(build, at, "empty", "the scene has no bodies: nothing can move");
    }
    ISO_SCENE_TRY(iso_scene_finish(build));
    return iso_scene_map_points(build);
}

// One load; bytes NULL: read the file.
static iso_status load(iso_context* ctx, const char* path, const iso_scene_format_kind* format,
                       const char* bytes, size_t size, const iso_scene_options* options,
                       iso_scene* out_scene) {
    iso_scene_build build = {.ctx = ctx};
    iso_source at = {path, 0};
    iso_scene_format_kind kind = format ? *format : ISO_SCENE_FORMAT_SCENARIO;
    char* owned = NULL;
    iso_status status = ISO_OK;
    ISO_TRY(iso_scene_build_init(&build, ctx, options));
    build.root_path = path;
    build.is_memory_only = bytes != NULL;
    if (!bytes) {
        ISO_TRY(require_format(&build, at, path, &kind));
        ISO_TRY(iso_scene_read_file(&build, at, path, &owned, &size));
        bytes = owned;
    }
    ISO_TRY(iso_scene_enter_file(&build, at, path));
    ISO_TRY(build_scene(&build, kind, path, bytes, size, options));
    ISO_TRY(hand_over(&build, out_scene));

done:
    iso_free(ctx, owned);
    iso_scene_build_reset(&build);
    return status;
}

iso_status iso_scene_load(iso_context* ctx, const char* path, const iso_scene_options* options,
                          iso_scene* out_scene) {
    ISO_REQUIRE(ctx, path && out_scene, ISO_ERR_ARGUMENT, "path and out_scene are required");
    *out_scene = (iso_scene){0};
    return load(ctx, path, NULL, NULL, 0, options, out_scene);
}

iso_status iso_scene_load_bytes(iso_context* ctx, const char* path, iso_scene_format_kind format,
                                const char* bytes, size_t size, const iso_scene_options* options,
                                iso_scene* out_scene) {
    ISO_REQUIRE(ctx, path && out_scene && (bytes || size == 0), ISO_ERR_ARGUMENT,
                "path, bytes and out_scene are required");
    *out_scene = (iso_scene){0};
    return load(ctx, path, &format, bytes ? bytes : "", size, options, out_scene);
}

iso_status iso_scene_create_task(const iso_scene* scene, const iso_world* world,
                                 iso_task** out_task) {
    iso_context* ctx = world ? iso_world_context(world) : NULL;
    ISO_REQUIRE(ctx, scene && world && out_task, ISO_ERR_ARGUMENT,
                "scene, world and out_task are required");
    iso_status status = iso_task_create(world, scene->commands, scene->command_count, out_task);
    for (int i = 0; i < scene->force_count && status == ISO_OK; ++i) {
        status = iso_task_add_force(*out_task, world, &scene->forces[i]);
    }
    for (int i = 0; i < scene->program_count && status == ISO_OK; ++i) {
        status = iso_task_add_program(*out_task, world, &scene->programs[i]);
    }
    if (status == ISO_OK && scene->mover_count > 0) {
        iso_movers* movers = NULL;
        status = iso_movers_create(world, scene->movers, scene->mover_count, &movers);
        iso_task_take_movers(*out_task, movers);
    }
    if (status != ISO_OK) {
        iso_task_destroy(*out_task);
        *out_task = NULL;
    }
    return status;
}

void iso_scene_destroy(iso_context* ctx, iso_scene* scene) {
    if (!scene) {
        return;
    }
    for (int i = 0; i < scene->command_count; ++i) {
        iso_free(ctx, (void*)(uintptr_t)scene->commands[i].actuator);
        iso_free(ctx, (void*)(uintptr_t)scene->commands[i].signal.table_times);
        iso_free(ctx, (void*)(uintptr_t)scene->commands[i].signal.table_values);
    }
    iso_free(ctx, scene->commands);
    iso_free(ctx, scene->programs);
    iso_scene_free_programs(ctx, scene->program_memory);
    iso_scene_free_sensors(ctx, scene->sensors, scene->sensor_count);
    iso_scene_free_frames(ctx, scene->frames, scene->frame_count);
    iso_free(ctx, scene->name);
    iso_model_destroy(scene->model);
    *scene = (iso_scene){0};
}
