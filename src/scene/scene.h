// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/scene.h"

typedef enum iso_scene_format_kind {
    ISO_SCENE_FORMAT_SCENARIO,
    ISO_SCENE_FORMAT_SDF,
    ISO_SCENE_FORMAT_URDF,
    ISO_SCENE_FORMAT_MJCF,
    ISO_SCENE_FORMAT_XML, ///< SDFormat, URDF or MJCF, by the outermost element
} iso_scene_format_kind;

/// Load a scene from memory. No other file is opened: includes and meshes fail (fuzzing).
/// @param path  name for messages
iso_status iso_scene_load_bytes(iso_context* ctx, const char* path, iso_scene_format_kind format,
                                const char* bytes, size_t size, const iso_scene_options* options,
                                iso_scene* out_scene);
