// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/events.h"
#include "isobar/model.h"
#include "isobar/mover.h"
#include "isobar/sensor.h"
#include "isobar/task.h"
#include "isobar/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A frame of a scene file: a place fixed to a body. Frames are what `add_frame` directives,
/// `frame` of SDFormat (`__model__` of each model among them) and URDF, and named `site` of MJCF
/// make; bodies are not among them.
typedef struct iso_scene_frame {
    const char* name;   ///< scoped, unique among bodies and frames
    int body;           ///< in the scene's model; ISO_WORLD_BODY: the world
    iso_pose x_bf;      ///< pose in the body
    const char* source; ///< "file:line"
} iso_scene_frame;

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
    iso_force_desc* forces; ///< [force_count] for iso_task_add_force(); owned by program_memory
    int force_count;
    void* program_memory;     ///< what programs point to; owned
    iso_sensor_desc* sensors; ///< [sensor_count] for iso_sensors_create()
    int sensor_count;
    iso_mover_desc* movers; ///< [mover_count] for iso_movers_create(); owned by program_memory
    int mover_count;
    iso_scene_frame* frames; ///< [frame_count], in the order of the file
    int frame_count;
    bool has_events;       ///< the scene asks to be watched
    iso_watch_desc events; ///< then: for iso_world_watch()
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
/// The task of a scene: its commands, forces, programs and the paths of its bodies. Conditions on
/// sensors need iso_task_set_sensors().
/// @param      world     made from the scene's model
/// @param[out] out_task  owned by the caller, release with iso_task_destroy(); NULL on error
/// @return errors of iso_task_create(), iso_task_add_force(), iso_task_add_program() and
///         iso_movers_create()
ISO_NODISCARD ISO_API iso_status iso_scene_create_task(const iso_scene* scene,
                                                       const iso_world* world, iso_task** out_task);
/// Frame by its scoped name, or by what follows a "::" of it when only one matches; -1 otherwise.
ISO_API int iso_scene_find_frame(const iso_scene* scene, const char* name);
/// Where a frame of the scene is now, x_wf.
/// @param world  made from the scene's model
/// @return the identity for a frame out of range and for a world without the frame's body
ISO_API iso_pose iso_scene_frame_pose(const iso_scene* scene, const iso_world* world, int frame);
/// Release what a scene holds and zero it.
ISO_API void iso_scene_destroy(iso_context* ctx, iso_scene* scene);

#ifdef __cplusplus
}
#endif
