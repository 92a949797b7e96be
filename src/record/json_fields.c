// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "record/json_fields.h"

#include "base/fail.h"

#include <limits.h>
#include <string.h>

iso_status iso_json_parse(iso_context* ctx, const char* text, size_t size, json_t** out_root) {
    json_error_t error;
    *out_root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
    ISO_REQUIRE(ctx, *out_root, ISO_ERR_PARSE, "byte %d: %s", error.position, error.text);
    if (!json_is_object(*out_root)) {
        json_decref(*out_root);
        *out_root = NULL;
        return iso_fail(ctx, ISO_ERR_PARSE, __func__, "not a JSON object");
    }
    return ISO_OK;
}

static const char* kind_name(const json_t* value) {
    static const char* const names[] = {"an object", "an array", "a string", "an integer",
                                        "a number",  "true",     "false",    "null"};
    return value ? names[json_typeof(value)] : "nothing";
}

static iso_status fail_kind(iso_context* ctx, const char* key, const json_t* value,
                            const char* expected) {
    return iso_fail(ctx, ISO_ERR_PARSE, __func__, "\"%s\" is %s, expected %s", key,
                    kind_name(value), expected);
}

iso_status iso_json_get_array(iso_context* ctx, const json_t* object, const char* key,
                              json_t** out_array, int* out_count) {
    *out_array = json_object_get(object, key);
    if (!json_is_array(*out_array) || json_array_size(*out_array) > INT_MAX) {
        return fail_kind(ctx, key, *out_array, "an array");
    }
    *out_count = (int)json_array_size(*out_array);
    return ISO_OK;
}

iso_status iso_json_get_object(iso_context* ctx, const json_t* object, const char* key,
                               json_t** out_member) {
    *out_member = json_object_get(object, key);
    return json_is_object(*out_member) ? ISO_OK : fail_kind(ctx, key, *out_member, "an object");
}

// A number, or null for NaN.
static bool read_number(const json_t* value, double* out_value) {
    *out_value = json_is_number(value) ? json_number_value(value) : NAN;
    return json_is_number(value) || json_is_null(value);
}

iso_status iso_json_get_number(iso_context* ctx, const json_t* object, const char* key,
                               double* out_value) {
    const json_t* value = json_object_get(object, key);
    return read_number(value, out_value) ? ISO_OK : fail_kind(ctx, key, value, "a number");
}

iso_status iso_json_get_int(iso_context* ctx, const json_t* object, const char* key, int64_t low,
                            int64_t high, int64_t* out_value) {
    const json_t* value = json_object_get(object, key);
    if (!json_is_integer(value)) {
        return fail_kind(ctx, key, value, "an integer");
    }
    *out_value = (int64_t)json_integer_value(value);
    ISO_REQUIRE(ctx, *out_value >= low && *out_value <= high, ISO_ERR_PARSE,
                "\"%s\" is %lld, expected %lld to %lld", key, (long long)*out_value, (long long)low,
                (long long)high);
    return ISO_OK;
}

iso_status iso_json_get_bool(iso_context* ctx, const json_t* object, const char* key,
                             bool* out_value) {
    const json_t* value = json_object_get(object, key);
    *out_value = json_is_true(value);
    return json_is_boolean(value) ? ISO_OK : fail_kind(ctx, key, value, "true or false");
}

iso_status iso_json_get_text(iso_context* ctx, const json_t* object, const char* key,
                             const char** out_text) {
    const json_t* value = json_object_get(object, key);
    *out_text = json_string_value(value);
    return *out_text ? ISO_OK : fail_kind(ctx, key, value, "a string");
}

iso_status iso_json_copy_text(iso_arena* arena, const json_t* object, const char* key,
                              const char** out_text) {
    const char* text = NULL;
    iso_status status = iso_json_get_text(arena->ctx, object, key, &text);
    if (status != ISO_OK) {
        return status;
    }
    size_t size = strlen(text) + 1;
    char* copy = iso_arena_push(arena, size);
    ISO_REQUIRE(arena->ctx, copy, ISO_ERR_MEMORY, "\"%s\" of %zu bytes", key, size);
    memcpy(copy, text, size);
    *out_text = copy;
    return ISO_OK;
}

iso_status iso_json_get_name(iso_context* ctx, const json_t* object, const char* key,
                             iso_name_family family, int* out_value) {
    const char* text = NULL;
    iso_status status = iso_json_get_text(ctx, object, key, &text);
    if (status != ISO_OK) {
        return status;
    }
    *out_value = iso_name_find(family, text);
    ISO_REQUIRE(ctx, *out_value >= 0, ISO_ERR_PARSE, "\"%s\" is \"%.32s\", not a known name", key,
                text);
    return ISO_OK;
}

iso_status iso_json_get_array_of(iso_context* ctx, const json_t* object, const char* key, int count,
                                 json_t** out_array) {
    int size = 0;
    iso_status status = iso_json_get_array(ctx, object, key, out_array, &size);
    if (status != ISO_OK) {
        return status;
    }
    ISO_REQUIRE(ctx, size == count, ISO_ERR_PARSE, "\"%s\" has %d elements, expected %d", key, size,
                count);
    return ISO_OK;
}

iso_status iso_json_get_numbers(iso_context* ctx, const json_t* object, const char* key, int count,
                                double* out_values) {
    json_t* array = NULL;
    iso_status status = iso_json_get_array_of(ctx, object, key, count, &array);
    if (status != ISO_OK) {
        return status;
    }
    for (int i = 0; i < count; ++i) {
        const json_t* value = json_array_get(array, (size_t)i);
        if (!read_number(value, &out_values[i])) {
            return fail_kind(ctx, key, value, "numbers");
        }
    }
    return ISO_OK;
}

iso_status iso_json_get_vec3(iso_context* ctx, const json_t* object, const char* key,
                             iso_vec3* out_value) {
    double values[3] = {0.0, 0.0, 0.0};
    iso_status status = iso_json_get_numbers(ctx, object, key, 3, values);
    *out_value = iso_vec3_make(values[0], values[1], values[2]);
    return status;
}

iso_status iso_json_copy_numbers(iso_arena* arena, const json_t* object, const char* key, int count,
                                 const double** out_values) {
    double* values = iso_arena_push_array(arena, count, sizeof *values);
    ISO_REQUIRE(arena->ctx, values, ISO_ERR_MEMORY, "\"%s\" of %d numbers", key, count);
    *out_values = values;
    return iso_json_get_numbers(arena->ctx, object, key, count, values);
}

iso_status iso_json_copy_vec3s(iso_arena* arena, const json_t* object, const char* key, int count,
                               const iso_vec3** out_values) {
    const double* values = NULL;
    iso_vec3* vectors = iso_arena_push_array(arena, count, sizeof *vectors);
    ISO_REQUIRE(arena->ctx, vectors && count <= INT_MAX / 3, ISO_ERR_MEMORY, "\"%s\" of %d vectors",
                key, count);
    iso_arena_mark mark = iso_arena_get_mark(arena);
    iso_status status = iso_json_copy_numbers(arena, object, key, 3 * count, &values);
    for (int i = 0; status == ISO_OK && i < count; ++i) {
        vectors[i] = iso_vec3_make(values[3 * i], values[3 * i + 1], values[3 * i + 2]);
    }
    iso_arena_release(arena, mark);
    *out_values = vectors;
    return status;
}

iso_status iso_json_copy_ints(iso_arena* arena, const json_t* object, const char* key, int low,
                              int high, int** out_values, int* out_count) {
    json_t* array = NULL;
    iso_status status = iso_json_get_array(arena->ctx, object, key, &array, out_count);
    if (status != ISO_OK) {
        return status;
    }
    int* values = iso_arena_push_array(arena, *out_count, sizeof *values);
    ISO_REQUIRE(arena->ctx, values, ISO_ERR_MEMORY, "\"%s\" of %d integers", key, *out_count);
    for (int i = 0; i < *out_count; ++i) {
        const json_t* element = json_array_get(array, (size_t)i);
        if (!json_is_integer(element)) {
            return fail_kind(arena->ctx, key, element, "integers");
        }
        json_int_t value = json_integer_value(element);
        ISO_REQUIRE(arena->ctx, value >= low && value <= high, ISO_ERR_PARSE,
                    "\"%s\" holds %lld, expected %d to %d", key, (long long)value, low, high);
        values[i] = (int)value;
    }
    *out_values = values;
    return ISO_OK;
}

iso_pose iso_pose_from_numbers(const double* values) {
    iso_quat q = iso_quat_make(values[3], values[4], values[5], values[6]);
    iso_pose pose;
    pose.r = iso_mat3_from_quat(iso_quat_normalized(q));
    pose.p = iso_vec3_make(values[0], values[1], values[2]);
    return pose;
}
