// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/build/build.h"

#include "base/core/context.h"
#include "base/core/log.h"
#include "base/values/hash.h"

#include <stdio.h>
#include <string.h>

// Longer ones are cut where all messages are, with a mark.
#define MESSAGE_SIZE (ISO_ERROR_SIZE + 1)

// "file:line: " or "file: ".
static int write_place(char* out, size_t size, iso_source at) {
    const char* file = at.file ? at.file : "scene";
    int length = at.line > 0 ? snprintf(out, size, "%s:%d: ", file, at.line)
                             : snprintf(out, size, "%s: ", file);
    return length < 0 || (size_t)length >= size ? (int)size - 1 : length;
}

iso_status iso_scene_fail(const iso_scene_build* build, iso_source at, iso_status status,
                          const char* format, ...) {
    char message[MESSAGE_SIZE];
    int used = write_place(message, sizeof message, at);
    va_list args;
    va_start(args, format);
    (void)vsnprintf(message + used, sizeof message - (size_t)used, format, args);
    va_end(args);
    return iso_fail(build->ctx, status, "iso_scene_load", "%s", message);
}

iso_status iso_scene_fail_at(const iso_scene_build* build, iso_source at, iso_status status) {
    char place[MESSAGE_SIZE];
    int used = write_place(place, sizeof place, at);
    place[used >= 2 ? used - 2 : 0] = '\0';
    const char* last = iso_context_error(build->ctx);
    if (strncmp(last, place, strlen(place)) == 0) {
        return status;
    }
    return iso_fail_prefix(build->ctx, status, "%s", place);
}

iso_status iso_scene_fail_missing(const iso_scene_build* build, iso_source at,
                                  const iso_name_list* list, const char* noun, const char* name) {
    char text[ISO_NAME_TEXT_SIZE];
    return iso_scene_fail(build, at, ISO_ERR_NOT_FOUND, "%s",
                          iso_name_list_missing(list, noun, name, text, sizeof text));
}

// Whether the first with this key in its file.
static bool is_first(iso_scene_build* build, iso_source at, const char* key) {
    uint64_t hash = iso_hash_text(ISO_HASH_SEED, at.file ? at.file : "");
    hash = iso_hash_text(iso_hash_text(hash, "\n"), key);
    int kept = build->warned_count < ISO_SCENE_WARNINGS ? build->warned_count : ISO_SCENE_WARNINGS;
    for (int i = 0; i < kept; ++i) {
        if (build->warned[i] == hash) {
            return false;
        }
    }
    build->warned[build->warned_count++ % ISO_SCENE_WARNINGS] = hash;
    return true;
}

void iso_scene_log_once(iso_scene_build* build, iso_log_level level, iso_source at, const char* key,
                        const char* format, ...) {
    if (!is_first(build, at, key)) {
        return;
    }
    char message[MESSAGE_SIZE];
    int used = write_place(message, sizeof message, at);
    va_list args;
    va_start(args, format);
    (void)vsnprintf(message + used, sizeof message - (size_t)used, format, args);
    va_end(args);
    iso_log(build->ctx, level, "%s", message);
}

iso_status iso_scene_copy_text(iso_scene_build* build, const char* text, size_t length,
                               const char** out_text) {
    char* copy = iso_arena_push(&build->arena, length + 1);
    ISO_REQUIRE(build->ctx, copy, ISO_ERR_MEMORY, "text of %zu bytes", length);
    if (length > 0) {
        memcpy(copy, text, length);
    }
    copy[length] = '\0';
    *out_text = copy;
    return ISO_OK;
}

iso_status iso_scene_format(iso_scene_build* build, const char** out_text, const char* format,
                            ...) {
    va_list args;
    va_start(args, format);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    ISO_REQUIRE(build->ctx, length >= 0, ISO_ERR_ARGUMENT, "text cannot be formatted");
    char* text = iso_arena_push(&build->arena, (size_t)length + 1);
    ISO_REQUIRE(build->ctx, text, ISO_ERR_MEMORY, "text of %d bytes", length);
    va_start(args, format);
    (void)vsnprintf(text, (size_t)length + 1, format, args);
    va_end(args);
    *out_text = text;
    return ISO_OK;
}

iso_status iso_scene_scoped(iso_scene_build* build, const char* scope, const char* name,
                            const char** out_text) {
    return *scope ? iso_scene_format(build, out_text, "%s::%s", scope, name)
                  : iso_scene_copy_text(build, name, strlen(name), out_text);
}
