// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/math.h"
#include "record/json/bytes.h"

/// JSON text, put piece by piece into a byte buffer; commas are set by themselves. Values that are
/// not finite become null. Not checked: that pieces nest properly.
typedef struct iso_json {
    iso_bytes* out;
    bool needs_comma;
} iso_json;

iso_json iso_json_make(iso_bytes* out);
/// key NULL inside arrays and at the top.
void iso_json_begin_object(iso_json* json, const char* key);
void iso_json_end_object(iso_json* json);
void iso_json_begin_array(iso_json* json, const char* key);
void iso_json_end_array(iso_json* json);
/// A string; '<' is escaped so that the text may stand inside an HTML element.
void iso_json_put_text(iso_json* json, const char* key, const char* text);
void iso_json_put_bool(iso_json* json, const char* key, bool value);
void iso_json_put_int(iso_json* json, const char* key, int64_t value);
/// Reads back to the same double.
void iso_json_put_number(iso_json* json, const char* key, double value);
/// Reads back to the same float: shorter, for pictures.
void iso_json_put_float(iso_json* json, const char* key, double value);
void iso_json_put_numbers(iso_json* json, const char* key, const double* values, int count);
void iso_json_put_vec3(iso_json* json, const char* key, iso_vec3 value);
/// 3 count numbers.
void iso_json_put_vec3s(iso_json* json, const char* key, const iso_vec3* values, int count);
/// 3 numbers into the array that is open.
void iso_json_put_vec3_values(iso_json* json, iso_vec3 value);
/// Position, then quaternion (w x y z): 7 numbers into the array that is open.
void iso_json_put_pose_values(iso_json* json, const iso_pose* pose);
/// A value written by hand.
void iso_json_put_raw(iso_json* json, const char* key, const char* text, size_t size);
/// {"f32": base64} or {"u32": base64}, little endian.
void iso_json_put_f32(iso_json* json, const char* key, const float* values, int count);
void iso_json_put_u32(iso_json* json, const char* key, const uint32_t* values, int count);
/// A string of base64.
void iso_json_put_base64(iso_json* json, const char* key, const void* data, size_t size);
