// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/build/build.h"

#include "base/core/log.h"
#include "base/core/text.h"
#include "base/system/path.h"

#include <stdlib.h>
#include <string.h>

// Where the asset package is looked for when neither options, scene nor environment name it.
static const char* const k_assets_package = "drake_models";
static const char* const k_assets_variable = "ISOBAR_ASSETS";
static const char* const k_assets_fallback = "../shared/assets";

iso_status iso_scene_add_package(iso_scene_build* build, const char* name, const char* directory) {
    for (int i = 0; i < build->packages.count; ++i) {
        const iso_scene_package* known = &build->packages.data[i];
        if (strcmp(known->name, name) == 0 && strcmp(known->directory, directory) == 0) {
            return ISO_OK;
        }
    }
    ISO_SCENE_TRY(ISO_ARRAY_GROW(build->ctx, &build->packages));
    iso_scene_package package = {NULL, NULL};
    ISO_SCENE_TRY(iso_scene_copy_text(build, name, strlen(name), &package.name));
    ISO_SCENE_TRY(iso_scene_copy_text(build, directory, strlen(directory), &package.directory));
    build->packages.data[build->packages.count++] = package;
    return ISO_OK;
}

iso_status iso_scene_add_fallback_package(iso_scene_build* build, const char* name) {
    if (build->is_memory_only || strcmp(name, k_assets_package) != 0) {
        return ISO_OK;
    }
    const char* directory = getenv(k_assets_variable);
    if (!directory || !*directory) {
        if (iso_path_look(k_assets_fallback) != ISO_PATH_FOLDER) {
            return ISO_OK;
        }
        directory = k_assets_fallback;
    }
    iso_log(build->ctx, ISO_LOG_INFO, "package %s is taken from %s", name, directory);
    return iso_scene_add_package(build, name, directory);
}

bool iso_scene_file_exists(const iso_scene_build* build, const char* path) {
    return !build->is_memory_only && !iso_file_fault(path);
}

// Drop "." and "x/.." so that one file has one key.
static iso_status normalize_path(iso_scene_build* build, const char* path, const char** out_key) {
    size_t length = strlen(path);
    char* key = iso_arena_push(&build->arena, length + 2);
    ISO_REQUIRE(build->ctx, key, ISO_ERR_MEMORY, "path of %zu bytes", length);
    size_t used = 0;
    bool is_absolute = *path == '/';
    for (const char* c = path; *c;) {
        size_t part = strcspn(c, "/");
        bool is_up = part == 2 && c[0] == '.' && c[1] == '.';
        if (is_up && used > 0 && !(used >= 3 && memcmp(key + used - 3, "../", 3) == 0)) {
            for (--used; used > 0 && key[used - 1] != '/'; --used) {
            }
        } else if (part > 0 && !(part == 1 && *c == '.')) {
            memcpy(key + used, c, part);
            used += part;
            key[used++] = '/';
        }
        c += part + (c[part] == '/');
    }
    key[used] = '\0';
    return iso_scene_format(build, out_key, "%s%s", is_absolute ? "/" : "", key);
}

iso_status iso_scene_enter_file(iso_scene_build* build, iso_source at, const char* path) {
    const char* key = NULL;
    ISO_SCENE_TRY(normalize_path(build, path, &key));
    bool is_open = false;
    for (int i = 0; i < build->open_files.count; ++i) {
        is_open = is_open || strcmp(build->open_files.data[i], key) == 0;
    }
    if (is_open || build->open_files.count >= ISO_SCENE_MAX_DEPTH) {
        const char* chain = "";
        int first = build->open_files.count > 6 ? build->open_files.count - 6 : 0;
        for (int i = first; i < build->open_files.count; ++i) {
            const char* file = build->open_files.data[i];
            ISO_SCENE_TRY(
                iso_scene_format(build, &chain, "%s%.*s -> ", chain, (int)strlen(file) - 1, file));
        }
        return iso_scene_fail(build, at, ISO_ERR_PARSE, "%s: %s%s",
                              is_open ? "file includes itself" : "includes nested too deeply",
                              chain, path);
    }
    ISO_SCENE_TRY(ISO_ARRAY_GROW(build->ctx, &build->open_files));
    build->open_files.data[build->open_files.count++] = key;
    return ISO_OK;
}

void iso_scene_leave_file(iso_scene_build* build) {
    --build->open_files.count;
}

iso_status iso_scene_read_file(iso_scene_build* build, iso_source at, const char* path,
                               char** out_bytes, size_t* out_size) {
    ISO_SCENE_REQUIRE(build, at, !build->is_memory_only, ISO_ERR_IO,
                      "'%s' may not be opened while reading from memory", path);
    ISO_SCENE_REQUIRE(build, at, ++build->files_read <= ISO_SCENE_MAX_FILES, ISO_ERR_RANGE,
                      "more than %d files are read, '%s' included; do they name each other?",
                      ISO_SCENE_MAX_FILES, path);
    iso_status status = iso_file_read(build->ctx, path, ISO_SCENE_MAX_BYTES, out_bytes, out_size);
    if (status == ISO_OK) {
        build->bytes_read += *out_size;
    }
    if (status == ISO_OK && build->bytes_read > ISO_SCENE_MAX_TOTAL) {
        iso_free(build->ctx, *out_bytes);
        *out_bytes = NULL;
        return iso_scene_fail(build, at, ISO_ERR_RANGE,
                              "the files that are read have more than %zu bytes together, '%s' "
                              "included",
                              ISO_SCENE_MAX_TOTAL, path);
    }
    // The outermost file is its own place.
    return status == ISO_OK || strcmp(at.file, path) == 0 ? status
                                                          : iso_scene_fail_at(build, at, status);
}
