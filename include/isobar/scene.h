// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/model.h"
#include "isobar/mover.h"
#include "isobar/sensor.h"
#include "isobar/task.h"
#include "isobar/world.h"

/// A scene file turned into descriptors: everything iso_world_create() and iso_task_create() need.
typedef struct iso_scene {
    char* name;       ///< of the scene (model or scenario name)
    iso_model* model; ///<
    iso_world_desc world;
    double until; ///< simulated time the scene asks for [s]; 0: not said
    iso_command_desc* commands;
    int command_count;
    iso_program_desc* programs; ///< [program_count] for iso_task_add_program()
    int program_count;
    void* program_memory;     ///< what programs point to; owned
    iso_sensor_desc* sensors; ///< [sensor_count] for iso_sensors_create()
    int sensor_count;
    iso_mover_desc* movers; ///< [mover_count] for iso_movers_create(); owned by program_memory
    int mover_count;
} iso_scene;

/// Where package://NAME/... and model://NAME/... URIs point.
typedef struct iso_package {
    const char* name;
    const char* directory;
} iso_package;

/// "path=value" changes to a scenario before it is read ("simulation.time_step=0.002"); for SDF,
/// URDF and MJCF files the paths of the `simulation` section apply.
typedef struct iso_scene_options {
    const iso_package* packages; ///< win over those in the file
    int package_count;
    const char* const* settings; ///< "path=value"
    int setting_count;
} iso_scene_options;

/// Load a scenario (.yaml, .yml), SDFormat (.sdf, .world), URDF (.urdf) or MJCF (.mjcf) file; an
/// .xml file is what its outermost element says. Unsupported elements are logged once each with
/// file and line; nothing is dropped silently.
/// @param      options    may be NULL
/// @param[out] out_scene  owned by the caller, release with iso_scene_destroy(); zeroed on error
/// @return ISO_ERR_IO, ISO_ERR_PARSE, ISO_ERR_NOT_FOUND (package, frame, file), ISO_ERR_RANGE,
///         ISO_ERR_UNSUPPORTED; the message starts with file:line
ISO_NODISCARD ISO_API iso_status iso_scene_load(iso_context* ctx, const char* path,
                                                const iso_scene_options* options,
                                                iso_scene* out_scene);
/// The task of a scene: its commands, its programs and the paths of its bodies. Conditions on
/// sensors need iso_task_set_sensors().
/// @param      world     made from the scene's model
/// @param[out] out_task  owned by the caller, release with iso_task_destroy(); NULL on error
/// @return errors of iso_task_create(), iso_task_add_program() and iso_movers_create()
ISO_NODISCARD ISO_API iso_status iso_scene_create_task(const iso_scene* scene,
                                                       const iso_world* world, iso_task** out_task);
/// Release what a scene holds and zero it.
ISO_API void iso_scene_destroy(iso_context* ctx, iso_scene* scene);
