// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "record/json/json_fields.h"

#include "base/core/fail.h"

#include <limits.h>
#include <string.h>

iso_status iso_json_parse(iso_arena* arena, const char* text, size_t size, iso_json_doc* out_doc) {
    iso_context* ctx = arena->ctx;
    iso_lifted_numbers lifted;
    json_error_t error;
    *out_doc = (iso_json_doc){.ctx = ctx, .arena = arena};
    // jansson 2.14 passes over one behind a number.
    const char* null = size > 0 ? memchr(text, 0, size) : NULL;
    ISO_REQUIRE(ctx, !null, ISO_ERR_PARSE, "byte %td: a null character", null - text);
    iso_status status = iso_json_lift_numbers(arena, text, size, &lifted);
    if (status != ISO_OK) {
        return status;
    }
    json_t* root = json_loadb(lifted.rest, lifted.rest_size, JSON_REJECT_DUPLICATES, &error);
    if (!root) {
        json_decref(json_loadb(text, size, JSON_REJECT_DUPLICATES, &error)); // where in the text
        return iso_fail(ctx, ISO_ERR_PARSE, __func__, "byte %d: %s", error.position, error.text);
    }
    if (!json_is_object(root)) {
        json_decref(root);
        return iso_fail(ctx, ISO_ERR_PARSE, __func__, "not a JSON object");
    }
    out_doc->root = root;
    out_doc->lists = lifted.lists;
    out_doc->list_count = lifted.list_count;
    return ISO_OK;
}

void iso_json_release(iso_json_doc* doc) {
    json_decref(doc->root);
    doc->root = NULL;
}

// The list that an array stands for; NULL when it is an array as such.
static const iso_number_list* find_list(const iso_json_doc* doc, const json_t* array) {
    const json_t* place = json_array_size(array) == 1 ? json_array_get(array, 0) : NULL;
    json_int_t i = json_is_integer(place) ? json_integer_value(place) : -1;
    return i >= 0 && i < doc->list_count ? &doc->lists[i] : NULL;
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

iso_status iso_json_get_array(const iso_json_doc* doc, const json_t* object, const char* key,
                              json_t** out_array, int* out_count) {
    *out_array = json_object_get(object, key);
    if (!json_is_array(*out_array) || json_array_size(*out_array) > INT_MAX) {
        return fail_kind(doc->ctx, key, *out_array, "an array");
    }
    ISO_REQUIRE(doc->ctx, !find_list(doc, *out_array), ISO_ERR_PARSE,
                "\"%s\" holds numbers, expected none", key);
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

static iso_status require_count(const iso_json_doc* doc, const char* key, int found, int expected) {
    ISO_REQUIRE(doc->ctx, found == expected, ISO_ERR_PARSE, "\"%s\" has %d elements, expected %d",
                key, found, expected);
    return ISO_OK;
}

iso_status iso_json_get_array_of(const iso_json_doc* doc, const json_t* object, const char* key,
                                 int count, json_t** out_array) {
    int size = 0;
    iso_status status = iso_json_get_array(doc, object, key, out_array, &size);
    return status == ISO_OK ? require_count(doc, key, size, count) : status;
}

iso_status iso_json_get_list(const iso_json_doc* doc, const json_t* object, const char* key,
                             iso_number_list* out_list) {
    json_t* array = json_object_get(object, key);
    const iso_number_list* list = json_is_array(array) ? find_list(doc, array) : NULL;
    if (list) {
        *out_list = *list;
        return ISO_OK;
    }
    // Empty, or not only numbers, or with literals longer than anyone writes.
    int count = 0;
    iso_status status = iso_json_get_array(doc, object, key, &array, &count);
    if (status != ISO_OK) {
        return status;
    }
    double* values = iso_arena_push_array(doc->arena, count, sizeof *values);
    ISO_REQUIRE(doc->ctx, values, ISO_ERR_MEMORY, "\"%s\" of %d numbers", key, count);
    for (int i = 0; i < count; ++i) {
        const json_t* value = json_array_get(array, (size_t)i);
        if (!read_number(value, &values[i])) {
            return fail_kind(doc->ctx, key, value, "numbers");
        }
    }
    *out_list = (iso_number_list){values, count};
    return ISO_OK;
}

iso_status iso_json_get_numbers(const iso_json_doc* doc, const json_t* object, const char* key,
                                int count, const double** out_values) {
    iso_number_list list = {NULL, 0};
    iso_status status = iso_json_get_list(doc, object, key, &list);
    *out_values = list.values;
    return status == ISO_OK ? require_count(doc, key, list.count, count) : status;
}

iso_status iso_json_get_vec3(const iso_json_doc* doc, const json_t* object, const char* key,
                             iso_vec3* out_value) {
    const double* values = NULL;
    iso_status status = iso_json_get_numbers(doc, object, key, 3, &values);
    if (status == ISO_OK) {
        *out_value = iso_vec3_make(values[0], values[1], values[2]);
    }
    return status;
}

iso_status iso_json_get_vec3s(const iso_json_doc* doc, const json_t* object, const char* key,
                              int count, const iso_vec3** out_values) {
    _Static_assert(sizeof(iso_vec3) == 3 * sizeof(double), "a vector is three numbers in a row");
    const double* values = NULL;
    ISO_REQUIRE(doc->ctx, count <= INT_MAX / 3, ISO_ERR_PARSE, "\"%s\" of %d vectors", key, count);
    iso_status status = iso_json_get_numbers(doc, object, key, 3 * count, &values);
    *out_values = (const iso_vec3*)(const void*)values;
    return status;
}

iso_status iso_json_copy_ints(const iso_json_doc* doc, const json_t* object, const char* key,
                              int low, int high, int** out_values, int* out_count) {
    iso_number_list list = {NULL, 0};
    iso_status status = iso_json_get_list(doc, object, key, &list);
    if (status != ISO_OK) {
        return status;
    }
    int* values = iso_arena_push_array(doc->arena, list.count, sizeof *values);
    ISO_REQUIRE(doc->ctx, values, ISO_ERR_MEMORY, "\"%s\" of %d integers", key, list.count);
    for (int i = 0; i < list.count; ++i) {
        double value = list.values[i];
        ISO_REQUIRE(doc->ctx, value >= low && value <= high && floor(value) == value, ISO_ERR_PARSE,
                    "\"%s\" holds %.10g, expected integers from %d to %d", key, value, low, high);
        values[i] = (int)value;
    }
    *out_values = values;
    *out_count = list.count;
    return ISO_OK;
}

iso_pose iso_pose_from_numbers(const double* values) {
    iso_quat q = iso_quat_make(values[3], values[4], values[5], values[6]);
    iso_pose pose;
    pose.r = iso_mat3_from_quat(iso_quat_normalized(q));
    pose.p = iso_vec3_make(values[0], values[1], values[2]);
    return pose;
}
