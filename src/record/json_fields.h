// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/arena.h"
#include "isobar/math.h"
#include "isobar/names.h"

#include <jansson.h>

// Checked access to the fields of a JSON object; every error names the field, what is there and
// what was expected. null stands for a number that was not finite.

/// Parse one JSON object; release with json_decref().
iso_status iso_json_parse(iso_context* ctx, const char* text, size_t size, json_t** out_root);
/// As a member of object: an array (out_count elements) or an object.
iso_status iso_json_get_array(iso_context* ctx, const json_t* object, const char* key,
                              json_t** out_array, int* out_count);
/// An array of so many elements.
iso_status iso_json_get_array_of(iso_context* ctx, const json_t* object, const char* key, int count,
                                 json_t** out_array);
iso_status iso_json_get_object(iso_context* ctx, const json_t* object, const char* key,
                               json_t** out_member);
iso_status iso_json_get_number(iso_context* ctx, const json_t* object, const char* key,
                               double* out_value);
/// An integer in [low, high].
iso_status iso_json_get_int(iso_context* ctx, const json_t* object, const char* key, int64_t low,
                            int64_t high, int64_t* out_value);
iso_status iso_json_get_bool(iso_context* ctx, const json_t* object, const char* key,
                             bool* out_value);
/// Borrowed from the JSON value.
iso_status iso_json_get_text(iso_context* ctx, const json_t* object, const char* key,
                             const char** out_text);
/// Copied into the arena.
iso_status iso_json_copy_text(iso_arena* arena, const json_t* object, const char* key,
                              const char** out_text);
/// One of the names of a list.
iso_status iso_json_get_name(iso_context* ctx, const json_t* object, const char* key,
                             iso_name_family family, int* out_value);
/// count numbers into out_values.
iso_status iso_json_get_numbers(iso_context* ctx, const json_t* object, const char* key, int count,
                                double* out_values);
iso_status iso_json_get_vec3(iso_context* ctx, const json_t* object, const char* key,
                             iso_vec3* out_value);
/// count numbers in new memory of the arena.
iso_status iso_json_copy_numbers(iso_arena* arena, const json_t* object, const char* key, int count,
                                 const double** out_values);
/// 3 count numbers.
iso_status iso_json_copy_vec3s(iso_arena* arena, const json_t* object, const char* key, int count,
                               const iso_vec3** out_values);
/// All integers of an array, each in [low, high], in new memory of the arena.
iso_status iso_json_copy_ints(iso_arena* arena, const json_t* object, const char* key, int low,
                              int high, int** out_values, int* out_count);
/// Pose of 7 numbers: position, quaternion (w x y z), normalised.
iso_pose iso_pose_from_numbers(const double* values);
