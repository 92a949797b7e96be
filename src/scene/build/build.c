// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/build/build.h"

iso_status iso_scene_build_init(iso_scene_build* build, iso_context* ctx,
                                const iso_scene_options* options) {
    *build = (iso_scene_build){.ctx = ctx, .world = iso_world_desc_default(), .gives_masses = true};
    build->default_material = iso_material_spec_default();
    ISO_SCENE_TRY(iso_arena_init(&build->arena, ctx, (size_t)1 << 16));
    ISO_SCENE_TRY(iso_model_create(ctx, &build->model));
    for (int i = 0; options && i < options->package_count; ++i) {
        ISO_REQUIRE(ctx, options->packages[i].name && options->packages[i].directory,
                    ISO_ERR_ARGUMENT, "package %d has no name or no directory", i);
        ISO_SCENE_TRY(iso_scene_add_package(build, options->packages[i].name,
                                            options->packages[i].directory));
    }
    ISO_SCENE_TRY(ISO_ARRAY_GROW(ctx, &build->starts));
    build->starts.data[build->starts.count++] =
        (iso_scene_start){.x_b = iso_pose_identity(), .parent_joint = -1};
    iso_pose identity = iso_pose_identity();
    iso_source nowhere = {NULL, 0};
    return iso_scene_add_frame(build, nowhere, "world", ISO_WORLD_BODY, &identity);
}

void iso_scene_free_programs(iso_context* ctx, iso_arena* memory) {
    if (memory) {
        iso_arena_destroy(memory);
        iso_free(ctx, memory);
    }
}

void iso_scene_build_reset(iso_scene_build* build) {
    iso_context* ctx = build->ctx;
    for (int i = 0; i < build->groups.count; ++i) {
        ISO_ARRAY_FREE(ctx, &build->groups.data[i].members);
        ISO_ARRAY_FREE(ctx, &build->groups.data[i].groups);
        ISO_ARRAY_FREE(ctx, &build->groups.data[i].ignored);
    }
    for (int i = 0; i < build->commands.count; ++i) {
        iso_command_desc* command = &build->commands.data[i];
        iso_free(ctx, (void*)(uintptr_t)command->actuator);
        iso_free(ctx, (void*)(uintptr_t)command->signal.table_times);
        iso_free(ctx, (void*)(uintptr_t)command->signal.table_values);
    }
    ISO_ARRAY_FREE(ctx, &build->packages);
    ISO_ARRAY_FREE(ctx, &build->frames);
    ISO_ARRAY_FREE(ctx, &build->starts);
    ISO_ARRAY_FREE(ctx, &build->stated_materials);
    ISO_ARRAY_FREE(ctx, &build->learned);
    ISO_ARRAY_FREE(ctx, &build->point_laws);
    for (int i = 0; i < build->friction_models.count; ++i) {
        iso_learned_destroy(build->friction_models.data[i].model);
    }
    ISO_ARRAY_FREE(ctx, &build->friction_models);
    ISO_ARRAY_FREE(ctx, &build->named_by_file);
    ISO_ARRAY_FREE(ctx, &build->part_names);
    iso_name_table_destroy(ctx, &build->part_table);
    iso_name_index_destroy(ctx, &build->frame_index);
    iso_name_index_destroy(ctx, &build->actuator_index);
    iso_name_index_destroy(ctx, &build->sensor_index);
    iso_name_index_destroy(ctx, &build->body_index);
    iso_name_index_destroy(ctx, &build->joint_index);
    iso_name_index_destroy(ctx, &build->tendon_index);
    iso_name_table_destroy(ctx, &build->suffix_table);
    ISO_ARRAY_FREE(ctx, &build->suffixes);
    ISO_ARRAY_FREE(ctx, &build->groups);
    ISO_ARRAY_FREE(ctx, &build->overrides);
    ISO_ARRAY_FREE(ctx, &build->pattern_pairs);
    ISO_ARRAY_FREE(ctx, &build->pairs);
    ISO_ARRAY_FREE(ctx, &build->open_files);
    ISO_ARRAY_FREE(ctx, &build->commands);
    ISO_ARRAY_FREE(ctx, &build->sensors);
    ISO_ARRAY_FREE(ctx, &build->programs);
    iso_scene_free_programs(ctx, build->program_memory);
    iso_model_destroy(build->model);
    iso_arena_destroy(&build->arena);
    *build = (iso_scene_build){0};
}
