// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Any text as a message of a recording: what jansson takes for an object is one here too, with the
// same numbers in the arrays of its members.

#include "record/json/json_fields.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

// An array of numbers and nulls.
static bool is_flat(const json_t* array) {
    for (size_t i = 0; i < json_array_size(array); ++i) {
        const json_t* element = json_array_get(array, i);
        if (!json_is_number(element) && !json_is_null(element)) {
            return false;
        }
    }
    return json_is_array(array);
}

static void compare_list(const json_t* array, const iso_number_list* list) {
    if ((size_t)list->count != json_array_size(array)) {
        abort();
    }
    for (int i = 0; i < list->count; ++i) {
        const json_t* element = json_array_get(array, (size_t)i);
        double value = list->values[i];
        if (json_is_null(element) ? !isnan(value) : value != json_number_value(element)) {
            abort();
        }
    }
}

static void compare(const json_t* root, const iso_json_doc* doc) {
    const char* key;
    json_t* member;
    json_object_foreach((json_t*)(uintptr_t)root, key, member) {
        iso_number_list list;
        bool is_list = iso_json_get_list(doc, doc->root, key, &list) == ISO_OK;
        if (is_list != is_flat(member)) {
            abort();
        }
        if (is_list) {
            compare_list(member, &list);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    iso_context* ctx;
    iso_context_desc desc = iso_context_desc_default();
    if (iso_context_create(&desc, &ctx) != ISO_OK) {
        return 0;
    }
    iso_arena arena;
    iso_json_doc doc;
    json_error_t error;
    json_t* root = json_loadb((const char*)data, size, JSON_REJECT_DUPLICATES, &error);
    if (iso_arena_init(&arena, ctx, 0) == ISO_OK) {
        bool is_object = iso_json_parse(&arena, (const char*)data, size, &doc) == ISO_OK;
        bool has_null = size > 0 && memchr(data, 0, size);
        if (is_object ? has_null : json_is_object(root) && !has_null) {
            abort();
        }
        if (is_object && json_is_object(root)) {
            compare(root, &doc);
        }
        if (is_object) {
            iso_json_release(&doc);
        }
        iso_arena_destroy(&arena);
    }
    json_decref(root);
    iso_context_destroy(ctx);
    return 0;
}
