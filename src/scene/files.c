// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/build.h"

#include "base/log.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// Where the asset package is looked for when neither options, scene nor environment name it.
static const char* const k_assets_package = "drake_models";
static const char* const k_assets_variable = "ISOBAR_ASSETS";
static const char* const k_assets_fallback = "../shared/assets";

static bool has_prefix(const char* text, const char* prefix) {
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

iso_status iso_scene_add_package(iso_scene_build* build, const char* name, const char* directory) {
    for (int i = 0; i < build->packages.count; ++i) {
        if (strcmp(build->packages.data[i].name, name) == 0) {
            return ISO_OK; // the first one wins: options come before files
        }
    }
    ISO_SCENE_TRY(ISO_ARRAY_GROW(build->ctx, &build->packages));
    iso_scene_package package = {NULL, NULL};
    ISO_SCENE_TRY(iso_scene_copy_text(build, name, strlen(name), &package.name));
    ISO_SCENE_TRY(iso_scene_copy_text(build, directory, strlen(directory), &package.directory));
    build->packages.data[build->packages.count++] = package;
    return ISO_OK;
}

static const char* find_package(const iso_scene_build* build, const char* name) {
    for (int i = 0; i < build->packages.count; ++i) {
        if (strcmp(build->packages.data[i].name, name) == 0) {
            return build->packages.data[i].directory;
        }
    }
    return NULL;
}

// The built-in fallback for the package of robot and object models.
static iso_status add_fallback_package(iso_scene_build* build, const char* name) {
    if (build->is_memory_only || strcmp(name, k_assets_package) != 0) {
        return ISO_OK;
    }
    const char* directory = getenv(k_assets_variable);
    if (!directory || !*directory) {
        struct stat info;
        if (stat(k_assets_fallback, &info) != 0 || !S_ISDIR(info.st_mode)) {
            return ISO_OK;
        }
        directory = k_assets_fallback;
    }
    iso_log(build->ctx, ISO_LOG_INFO, "package %s is taken from %s", name, directory);
    return iso_scene_add_package(build, name, directory);
}

// The nearest folder above a file, or beside one above it, that is called as the package and has
// what is wanted: where packages lie together, as robots are published.
static iso_status find_package_above(iso_scene_build* build, iso_source at, const char* name,
                                     const char* tail) {
    enum { k_most = 16 };
    const char* file = at.file ? at.file : "";
    const char* slash = strrchr(file, '/');
    const char* folder = NULL;
    ISO_SCENE_TRY(slash ? iso_scene_copy_text(build, file, (size_t)(slash - file) + 1, &folder)
                        : iso_scene_copy_text(build, "./", 2, &folder));
    for (int i = 0; i < k_most; ++i) {
        const char *directory = NULL, *wanted = NULL;
        ISO_SCENE_TRY(iso_scene_format(build, &directory, "%s%s", folder, name));
        ISO_SCENE_TRY(iso_scene_format(build, &wanted, "%s/%s", directory, tail));
        if (iso_scene_file_exists(build, wanted)) {
            iso_log(build->ctx, ISO_LOG_INFO, "package %s is taken from %s", name, directory);
            return iso_scene_add_package(build, name, directory);
        }
        size_t length = strlen(folder) - 1; // without the slash
        while (length > 0 && folder[length - 1] != '/') {
            --length;
        }
        const char* last = folder + length;
        bool is_plain =
            strcmp(last, "/") != 0 && strcmp(last, "./") != 0 && strcmp(last, "../") != 0;
        ISO_SCENE_TRY(is_plain && length > 0 ? iso_scene_copy_text(build, folder, length, &folder)
                      : is_plain             ? iso_scene_copy_text(build, "./", 2, &folder)
                                             : iso_scene_format(build, &folder, "%s../", folder));
    }
    return ISO_OK;
}

// NAME/rest of package://NAME/rest.
static iso_status resolve_package(iso_scene_build* build, iso_source at, const char* uri,
                                  const char* rest, const char** out_path) {
    const char* slash = strchr(rest, '/');
    size_t length = slash ? (size_t)(slash - rest) : strlen(rest);
    ISO_SCENE_REQUIRE(build, at, length > 0, ISO_ERR_PARSE, "URI '%s' names no package", uri);
    const char* name = NULL;
    ISO_SCENE_TRY(iso_scene_copy_text(build, rest, length, &name));
    if (!find_package(build, name)) {
        ISO_SCENE_TRY(add_fallback_package(build, name));
    }
    const char* tail = slash ? slash + 1 : "";
    if (!find_package(build, name)) {
        ISO_SCENE_TRY(find_package_above(build, at, name, tail));
    }
    const char* directory = find_package(build, name);
    ISO_SCENE_REQUIRE(
        build, at, directory, ISO_ERR_NOT_FOUND,
        "package '%s' of '%s' is not known; say where it is with --package %s=DIR%s", name, uri,
        name,
        strcmp(name, k_assets_package) == 0
            ? " or ISOBAR_ASSETS=DIR (the repository RobotLocomotion/models of GitHub, "
              "at commit deee02d4d799 for Drake 1.51.1)"
            : "");
    size_t used = strlen(directory);
    const char* separator = used > 0 && directory[used - 1] == '/' ? "" : "/";
    return iso_scene_format(build, out_path, "%s%s%s", directory, separator, tail);
}

iso_status iso_scene_resolve_uri(iso_scene_build* build, iso_source at, const char* uri,
                                 const char** out_path) {
    ISO_SCENE_REQUIRE(build, at, *uri, ISO_ERR_PARSE, "empty file name");
    if (has_prefix(uri, "package://")) {
        return resolve_package(build, at, uri, uri + strlen("package://"), out_path);
    }
    if (has_prefix(uri, "model://")) {
        return resolve_package(build, at, uri, uri + strlen("model://"), out_path);
    }
    if (has_prefix(uri, "file://")) {
        const char* path = uri + strlen("file://");
        return iso_scene_copy_text(build, path, strlen(path), out_path);
    }
    ISO_SCENE_REQUIRE(build, at, !strstr(uri, "://"), ISO_ERR_UNSUPPORTED,
                      "URI '%s' has an unknown scheme, expected package://, model://, file:// or a "
                      "path",
                      uri);
    if (*uri == '/') {
        return iso_scene_copy_text(build, uri, strlen(uri), out_path);
    }
    const char* from = at.line > 0 && at.file ? at.file : build->root_path;
    const char* slash = from ? strrchr(from, '/') : NULL;
    int length = slash ? (int)(slash - from) + 1 : 0;
    return iso_scene_format(build, out_path, "%.*s%s", length, from ? from : "", uri);
}

iso_status iso_scene_resolve_mesh(iso_scene_build* build, iso_source at, const char* uri,
                                  bool is_visual, const char** out_path) {
    iso_status status = iso_scene_resolve_uri(build, at, uri, out_path);
    if (status == ISO_ERR_NOT_FOUND && is_visual) {
        iso_scene_warn_once(build, at, uri,
                            "visual mesh '%s' is of an unknown package and is not "
                            "shown",
                            uri);
        *out_path = NULL;
        return ISO_OK;
    }
    return status;
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
    iso_status status = iso_file_read(build->ctx, path, ISO_SCENE_MAX_BYTES, out_bytes, out_size);
    // The outermost file is its own place.
    return status == ISO_OK || strcmp(at.file, path) == 0 ? status
                                                          : iso_scene_fail_at(build, at, status);
}
