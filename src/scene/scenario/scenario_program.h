// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "scene/scenario/scenario.h"

/// A program being read.
typedef struct iso_program_reader {
    iso_scene_build* build;
    iso_program_desc* desc;
    int joint_count;
    const int* joints; ///< [joint_count] in the model
} iso_program_reader;

/// Memory that lives as long as the scene's programs; zeroed.
iso_status iso_program_memory(iso_scene_build* build, int count, size_t size, void** out_memory);
/// A copy of a text that lives as long.
iso_status iso_program_text(iso_scene_build* build, const char* text, const char** out_copy);

/// Index within the program of a joint by its name.
iso_status iso_program_find_joint(const iso_program_reader* reader, iso_source at, const char* name,
                                  int* out_index);
/// One number per joint: a number for all, a list, or a mapping from joints to numbers.
/// @param[out] out_is_missing  [joint_count] the joints a mapping leaves out; NULL: none may be
iso_status iso_program_read_values(const iso_program_reader* reader, const iso_yaml_node* node,
                                   const char* what, double* out_values, bool* out_is_missing);

/// An element of `steps`.
iso_status iso_program_read_step(const iso_program_reader* reader, const iso_yaml_node* node,
                                 iso_program_step* out_step);
/// One condition or a list of them. `key` is for messages.
iso_status iso_program_read_conditions(iso_scene_build* build, const iso_yaml_node* node,
                                       const char* key, iso_program_step* step);
/// The keys until, hold_time, timeout, on_timeout of a step.
iso_status iso_program_read_waits(const iso_program_reader* reader, const iso_yaml_node* node,
                                  iso_program_step* step);
