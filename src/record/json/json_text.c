// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "record/json/json_text.h"

#include "record/json/number_text.h"

#include <stdio.h>
#include <string.h>

iso_json iso_json_make(iso_bytes* out) {
    return (iso_json){.out = out};
}

static void put_char(iso_json* json, char c) {
    iso_bytes_put(json->out, &c, 1);
}

static void put_escaped(iso_json* json, const char* text) {
    put_char(json, '"');
    const char* start = text;
    for (const char* c = text;; ++c) {
        bool is_plain = (unsigned char)*c >= 0x20 && *c != '"' && *c != '\\' && *c != '<';
        if (is_plain) {
            continue;
        }
        iso_bytes_put(json->out, start, (size_t)(c - start));
        if (*c == '\0') {
            break;
        }
        char escape[8];
        int length = snprintf(escape, sizeof escape, "\\u%04x", (unsigned)(unsigned char)*c);
        iso_bytes_put(json->out, escape, (size_t)length);
        start = c + 1;
    }
    put_char(json, '"');
}

// What stands before a value: comma and key.
static void begin_value(iso_json* json, const char* key) {
    if (json->needs_comma) {
        put_char(json, ',');
    }
    json->needs_comma = true;
    if (key) {
        put_escaped(json, key);
        put_char(json, ':');
    }
}

void iso_json_begin_object(iso_json* json, const char* key) {
    begin_value(json, key);
    put_char(json, '{');
    json->needs_comma = false;
}

void iso_json_end_object(iso_json* json) {
    put_char(json, '}');
    json->needs_comma = true;
}

void iso_json_begin_array(iso_json* json, const char* key) {
    begin_value(json, key);
    put_char(json, '[');
    json->needs_comma = false;
}

void iso_json_end_array(iso_json* json) {
    put_char(json, ']');
    json->needs_comma = true;
}

void iso_json_put_text(iso_json* json, const char* key, const char* text) {
    begin_value(json, key);
    put_escaped(json, text);
}

void iso_json_put_bool(iso_json* json, const char* key, bool value) {
    begin_value(json, key);
    iso_bytes_put(json->out, value ? "true" : "false", value ? 4 : 5);
}

// Meshes are mostly integers: printf would take longer than all else of a model.
void iso_json_put_int(iso_json* json, const char* key, int64_t value) {
    begin_value(json, key);
    char text[24], *const end = text + sizeof text, *at = end;
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    do {
        *--at = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (value < 0) {
        *--at = '-';
    }
    iso_bytes_put(json->out, at, (size_t)(end - at));
}

void iso_json_put_number(iso_json* json, const char* key, double value) {
    begin_value(json, key);
    if (!isfinite(value)) {
        iso_bytes_put(json->out, "null", 4);
        return;
    }
    char* room = iso_bytes_reserve(json->out, ISO_NUMBER_TEXT_SIZE);
    if (room) {
        json->out->size += (size_t)iso_number_format(value, room);
    }
}

void iso_json_put_float(iso_json* json, const char* key, double value) {
    begin_value(json, key);
    float rounded = (float)value;
    if (!isfinite(rounded)) {
        iso_bytes_put(json->out, "null", 4);
        return;
    }
    char* room = iso_bytes_reserve(json->out, ISO_NUMBER_TEXT_SIZE);
    if (room) {
        json->out->size += (size_t)iso_number_format_float(rounded, room);
    }
}

void iso_json_put_numbers(iso_json* json, const char* key, const double* values, int count) {
    iso_json_begin_array(json, key);
    for (int i = 0; i < count; ++i) {
        iso_json_put_number(json, NULL, values[i]);
    }
    iso_json_end_array(json);
}

void iso_json_put_vec3_values(iso_json* json, iso_vec3 value) {
    iso_json_put_number(json, NULL, value.x);
    iso_json_put_number(json, NULL, value.y);
    iso_json_put_number(json, NULL, value.z);
}

void iso_json_put_vec3(iso_json* json, const char* key, iso_vec3 value) {
    iso_json_put_vec3s(json, key, &value, 1);
}

void iso_json_put_vec3s(iso_json* json, const char* key, const iso_vec3* values, int count) {
    iso_json_begin_array(json, key);
    for (int i = 0; i < count; ++i) {
        iso_json_put_vec3_values(json, values[i]);
    }
    iso_json_end_array(json);
}

void iso_json_put_pose_values(iso_json* json, const iso_pose* pose) {
    iso_quat q = iso_quat_from_mat3(&pose->r);
    iso_json_put_vec3_values(json, pose->p);
    iso_json_put_number(json, NULL, q.w);
    iso_json_put_vec3_values(json, iso_vec3_make(q.x, q.y, q.z));
}

void iso_json_put_raw(iso_json* json, const char* key, const char* text, size_t size) {
    begin_value(json, key);
    iso_bytes_put(json->out, text, size);
}

static void put_base64(iso_json* json, const char* key, const char* kind, const void* values,
                       int count) {
    iso_json_begin_object(json, key);
    begin_value(json, kind);
    put_char(json, '"');
    iso_bytes_put_base64(json->out, values, 4 * (size_t)count);
    put_char(json, '"');
    iso_json_end_object(json);
}

void iso_json_put_base64(iso_json* json, const char* key, const void* data, size_t size) {
    begin_value(json, key);
    put_char(json, '"');
    iso_bytes_put_base64(json->out, data, size);
    put_char(json, '"');
}

void iso_json_put_f32(iso_json* json, const char* key, const float* values, int count) {
    put_base64(json, key, "f32", values, count);
}

void iso_json_put_u32(iso_json* json, const char* key, const uint32_t* values, int count) {
    put_base64(json, key, "u32", values, count);
}
