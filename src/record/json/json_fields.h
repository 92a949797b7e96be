// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/core/arena.h"
#include "isobar/math.h"
#include "isobar/names.h"
#include "record/json/json_numbers.h"

#include <jansson.h>

// Checked access to the fields of a JSON object; every error names the field, what is there and
// what was expected. null stands for a number that was not finite.

/// A JSON text that was read. Its numbers lie in the arena and outlive it.
typedef struct iso_json_doc {
    iso_context* ctx;
    iso_arena* arena;
    json_t* root; ///< an object
    const iso_number_list* lists;
    int list_count;
} iso_json_doc;

/// Parse one JSON object; release with iso_json_release().
iso_status iso_json_parse(iso_arena* arena, const char* text, size_t size, iso_json_doc* out_doc);
void iso_json_release(iso_json_doc* doc);

/// As a member of object: an array of out_count objects or strings, or an object.
iso_status iso_json_get_array(const iso_json_doc* doc, const json_t* object, const char* key,
                              json_t** out_array, int* out_count);
/// An array of so many elements.
iso_status iso_json_get_array_of(const iso_json_doc* doc, const json_t* object, const char* key,
                                 int count, json_t** out_array);
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
/// An array of numbers, where they lie.
iso_status iso_json_get_list(const iso_json_doc* doc, const json_t* object, const char* key,
                             iso_number_list* out_list);
/// count numbers, where they lie.
iso_status iso_json_get_numbers(const iso_json_doc* doc, const json_t* object, const char* key,
                                int count, const double** out_values);
iso_status iso_json_get_vec3(const iso_json_doc* doc, const json_t* object, const char* key,
                             iso_vec3* out_value);
/// 3 count numbers.
iso_status iso_json_get_vec3s(const iso_json_doc* doc, const json_t* object, const char* key,
                              int count, const iso_vec3** out_values);
/// All integers of an array, each in [low, high], in new memory of the arena.
iso_status iso_json_copy_ints(const iso_json_doc* doc, const json_t* object, const char* key,
                              int low, int high, int** out_values, int* out_count);
/// Pose of 7 numbers: position, quaternion (w x y z), normalised.
iso_pose iso_pose_from_numbers(const double* values);
