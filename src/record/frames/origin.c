// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "record/frames/origin.h"

#include "base/core/fail.h"
#include "base/values/base64.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define MOST_STEPS 9007199254740992.0 // counted one by one by a double

void iso_encode_origin(iso_json* json, const iso_recorded_model* model) {
    const iso_scene_options* options = &model->scene_options;
    if (model->state_size == 0) {
        return;
    }
    iso_json_begin_object(json, "origin");
    iso_json_put_text(json, "path", model->scene_path);
    iso_json_begin_array(json, "settings");
    for (int i = 0; i < options->setting_count; ++i) {
        iso_json_put_text(json, NULL, options->settings[i]);
    }
    iso_json_end_array(json);
    iso_json_begin_array(json, "packages");
    for (int i = 0; i < options->package_count; ++i) {
        iso_json_begin_object(json, NULL);
        iso_json_put_text(json, "name", options->packages[i].name);
        iso_json_put_text(json, "directory", options->packages[i].directory);
        iso_json_end_object(json);
    }
    iso_json_end_array(json);
    // The closing quote comes after as many digits as it takes.
    iso_json_put_raw(json, "state", "\"", 1);
    iso_bytes_put_base64(json->out, model->state, model->state_size);
    iso_bytes_put(json->out, "\"", 1);
    iso_json_end_object(json);
}

static iso_status decode_base64(iso_arena* arena, const char* text, const void** out_bytes,
                                size_t* out_size) {
    size_t length = strlen(text), count = 0;
    while (length > 0 && text[length - 1] == '=') {
        --length;
    }
    unsigned char* bytes = iso_arena_push(arena, length / 4 * 3 + 3);
    ISO_REQUIRE(arena->ctx, bytes, ISO_ERR_MEMORY, "state of %zu digits", length);
    uint32_t group = 0;
    for (size_t i = 0; i < length; ++i) {
        int value = iso_base64_value(text[i]);
        ISO_REQUIRE(arena->ctx, value >= 0, ISO_ERR_PARSE,
                    "\"state\" has the character %d at %zu, expected base64", text[i], i);
        group = group << 6 | (uint32_t)value;
        if (i % 4 != 0) {
            bytes[count++] = (unsigned char)(group >> (6 - 2 * (i % 4)));
        }
    }
    *out_bytes = bytes;
    *out_size = count;
    return ISO_OK;
}

static iso_status copy_string(iso_arena* arena, const json_t* value, const char** out_text) {
    const char* text = json_string_value(value);
    ISO_REQUIRE(arena->ctx, text, ISO_ERR_PARSE, "\"settings\" holds something else than strings");
    size_t size = strlen(text) + 1;
    char* copy = iso_arena_push(arena, size);
    ISO_REQUIRE(arena->ctx, copy, ISO_ERR_MEMORY, "setting of %zu bytes", size);
    memcpy(copy, text, size);
    *out_text = copy;
    return ISO_OK;
}

static iso_status decode_options(const iso_json_doc* doc, const json_t* origin,
                                 iso_scene_options* options) {
    iso_arena* arena = doc->arena;
    iso_context* ctx = doc->ctx;
    iso_status status = ISO_OK;
    json_t *settings = NULL, *packages = NULL;
    ISO_TRY(iso_json_get_array(doc, origin, "settings", &settings, &options->setting_count));
    ISO_TRY(iso_json_get_array(doc, origin, "packages", &packages, &options->package_count));
    const char** texts = iso_arena_push_array(arena, options->setting_count, sizeof(char*));
    iso_package* list = iso_arena_push_array(arena, options->package_count, sizeof *list);
    ISO_CHECK(ctx, texts && list, ISO_ERR_MEMORY, "%d settings", options->setting_count);
    for (int i = 0; i < options->setting_count; ++i) {
        ISO_TRY(copy_string(arena, json_array_get(settings, (size_t)i), &texts[i]));
    }
    for (int i = 0; i < options->package_count; ++i) {
        const json_t* package = json_array_get(packages, (size_t)i);
        ISO_TRY(iso_json_copy_text(arena, package, "name", &list[i].name));
        ISO_TRY(iso_json_copy_text(arena, package, "directory", &list[i].directory));
    }
    options->settings = texts;
    options->packages = list;
done:
    return status;
}

iso_status iso_decode_origin(const iso_json_doc* doc, iso_recorded_model* model) {
    iso_arena* arena = doc->arena;
    iso_context* ctx = doc->ctx;
    iso_status status = ISO_OK;
    json_t* origin = NULL;
    const char* state = NULL;
    model->scene_path = "";
    if (!json_object_get(doc->root, "origin")) {
        return ISO_OK;
    }
    ISO_TRY(iso_json_get_object(ctx, doc->root, "origin", &origin));
    ISO_TRY(iso_json_copy_text(arena, origin, "path", &model->scene_path));
    ISO_TRY(decode_options(doc, origin, &model->scene_options));
    ISO_TRY(iso_json_get_text(ctx, origin, "state", &state));
    ISO_TRY(decode_base64(arena, state, &model->state, &model->state_size));
done:
    return status;
}

void iso_encode_hashes(iso_bytes* out, const iso_recorded_hash* hashes, int count) {
    iso_json json = iso_json_make(out);
    iso_json_begin_object(&json, NULL);
    iso_json_begin_array(&json, "step_counts");
    for (int i = 0; i < count; ++i) {
        iso_json_put_int(&json, NULL, hashes[i].step_count);
    }
    iso_json_end_array(&json);
    iso_json_begin_array(&json, "state_hashes");
    for (int i = 0; i < count; ++i) {
        char text[24];
        snprintf(text, sizeof text, "%016" PRIx64, hashes[i].state_hash);
        iso_json_put_text(&json, NULL, text);
    }
    iso_json_end_array(&json);
    iso_json_end_object(&json);
}

iso_status iso_decode_hashes(iso_arena* scratch, const char* text, size_t size,
                             iso_recorded_hashes* hashes) {
    iso_context* ctx = scratch->ctx;
    iso_arena_mark mark = iso_arena_get_mark(scratch);
    iso_json_doc doc;
    iso_number_list steps = {NULL, 0};
    json_t* list = NULL;
    iso_status status = iso_json_parse(scratch, text, size, &doc);
    if (status != ISO_OK) {
        return status;
    }
    ISO_TRY(iso_json_get_list(&doc, doc.root, "step_counts", &steps));
    ISO_TRY(iso_json_get_array_of(&doc, doc.root, "state_hashes", steps.count, &list));
    for (int i = 0; i < steps.count; ++i) {
        double step = steps.values[i];
        const char* digits = json_string_value(json_array_get(list, (size_t)i));
        iso_recorded_hash hash = {0};
        int used = 0;
        ISO_CHECK(ctx,
                  fabs(step) <= MOST_STEPS && floor(step) == step && digits &&
                      sscanf(digits, "%16" SCNx64 "%n", &hash.state_hash, &used) == 1 &&
                      used == 16 && digits[16] == '\0',
                  ISO_ERR_PARSE, "hash %d is not a step count and 16 hexadecimal digits", i);
        hash.step_count = (int64_t)step;
        ISO_TRY(ISO_ARRAY_GROW(ctx, hashes));
        hashes->data[hashes->count++] = hash;
    }
done:
    iso_json_release(&doc);
    iso_arena_release(scratch, mark);
    return status;
}
