// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// What URIs of robot files mean: packages, models that lie beside each other, paths.

#include "scene/text/xml.h"

#include "base/core/log.h"

#include <stdlib.h>
#include <string.h>

#define MOST_FOLDERS 16 // above a file

// Where Gazebo and SDFormat look for models: folders between colons.
static const char* const k_variables[] = {"GZ_SIM_RESOURCE_PATH", "IGN_GAZEBO_RESOURCE_PATH",
                                          "GAZEBO_MODEL_PATH", "SDF_PATH"};

// Folders in which models lie together, above or beside a file.
static const char* const k_shelves[] = {"", "models/"};

static bool has_prefix(const char* text, const char* prefix) {
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

// --- percent signs -------------------------------------------------------------------------------

static int hex_digit(char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

// "my%20mesh.obj" where there is no such file, but a "my mesh.obj".
static iso_status decode(iso_scene_build* build, const char** path) {
    if (!strchr(*path, '%') || iso_scene_file_exists(build, *path)) {
        return ISO_OK;
    }
    size_t length = strlen(*path), used = 0;
    char* text = iso_arena_push(&build->arena, length + 1);
    ISO_REQUIRE(build->ctx, text, ISO_ERR_MEMORY, "path of %zu bytes", length);
    for (const char* c = *path; *c; ++c) {
        int high = *c == '%' ? hex_digit(c[1]) : -1;
        int low = high >= 0 ? hex_digit(c[2]) : -1;
        bool is_coded = low >= 0 && high + low > 0;
        text[used++] = is_coded ? (char)(16 * high + low) : *c;
        c += is_coded ? 2 : 0;
    }
    text[used] = '\0';
    *path = iso_scene_file_exists(build, text) ? text : *path;
    return ISO_OK;
}

// A search that finds nothing leaves no texts behind: a file may ask for thousands.
static void forget(iso_scene_build* build, iso_arena_mark mark, bool is_found) {
    if (!is_found) {
        iso_arena_release(&build->arena, mark);
    }
}

// --- packages ------------------------------------------------------------------------------------

// Has a folder what is wanted: a file, or a folder of a model?
static iso_status has_target(iso_scene_build* build, const char* directory, const char* tail,
                             const char** out_path, bool* out_has) {
    size_t used = strlen(directory);
    const char* slash = used > 0 && directory[used - 1] == '/' ? "" : "/";
    const char* inside = NULL;
    ISO_SCENE_TRY(iso_scene_format(build, out_path, "%s%s%s", directory, slash, tail));
    ISO_SCENE_TRY(decode(build, out_path));
    *out_has = iso_scene_file_exists(build, *out_path);
    if (!*out_has) {
        iso_arena_mark mark = iso_arena_get_mark(&build->arena);
        iso_source nowhere = {*out_path, 0};
        ISO_SCENE_TRY(iso_scene_model_in_folder(build, nowhere, *out_path, &inside));
        *out_has = inside != NULL;
        iso_arena_release(&build->arena, mark);
    }
    return ISO_OK;
}

// The first folder of a package that has it, else the first one; NULL when there is none.
static iso_status find_in_packages(iso_scene_build* build, const char* name, const char* tail,
                                   const char** out_path, bool* out_has) {
    const char* first = NULL;
    *out_has = false;
    for (int i = 0; i < build->packages.count && !*out_has; ++i) {
        if (strcmp(build->packages.data[i].name, name) == 0) {
            ISO_SCENE_TRY(
                has_target(build, build->packages.data[i].directory, tail, out_path, out_has));
            first = first ? first : *out_path;
        }
    }
    *out_path = *out_has ? *out_path : first;
    return ISO_OK;
}

// A folder called as the package in another one; when it has what is wanted it becomes known.
static iso_status try_folder(iso_scene_build* build, const char* parent, const char* name,
                             const char* tail, bool* out_has) {
    const char *directory = NULL, *path = NULL;
    ISO_SCENE_TRY(iso_scene_format(build, &directory, "%s%s", parent, name));
    ISO_SCENE_TRY(has_target(build, directory, tail, &path, out_has));
    if (!*out_has) {
        return ISO_OK;
    }
    iso_log(build->ctx, ISO_LOG_INFO, "package %s is taken from %s", name, directory);
    return iso_scene_add_package(build, name, directory);
}

static iso_status find_by_variables(iso_scene_build* build, const char* name, const char* tail,
                                    bool* out_has) {
    iso_arena_mark mark = iso_arena_get_mark(&build->arena);
    *out_has = false;
    for (size_t i = 0; i < sizeof k_variables / sizeof *k_variables; ++i) {
        const char* folders = getenv(k_variables[i]);
        while (folders && *folders && !*out_has) {
            size_t length = strcspn(folders, ":");
            const char* parent = NULL;
            if (length > 0) {
                ISO_SCENE_TRY(iso_scene_format(build, &parent, "%.*s/", (int)length, folders));
                ISO_SCENE_TRY(try_folder(build, parent, name, tail, out_has));
            }
            folders += length + (folders[length] == ':');
        }
    }
    forget(build, mark, *out_has);
    return ISO_OK;
}

static iso_status folder_of(iso_scene_build* build, const char* file, const char** out_folder) {
    const char* slash = file ? strrchr(file, '/') : NULL;
    return slash ? iso_scene_copy_text(build, file, (size_t)(slash - file) + 1, out_folder)
                 : iso_scene_copy_text(build, "./", 2, out_folder);
}

// Above the root there is nothing.
static bool is_beyond_root(const char* folder) {
    return has_prefix(folder, "/../");
}

// "a/b/" becomes "a/", "./" becomes "./../".
static iso_status go_up(iso_scene_build* build, const char** folder) {
    size_t length = strlen(*folder) - 1; // without the slash
    while (length > 0 && (*folder)[length - 1] != '/') {
        --length;
    }
    const char* last = *folder + length;
    bool is_plain = strcmp(last, "/") != 0 && strcmp(last, "./") != 0 && strcmp(last, "../") != 0;
    return is_plain && length > 0 ? iso_scene_copy_text(build, *folder, length, folder)
           : is_plain             ? iso_scene_copy_text(build, "./", 2, folder)
                                  : iso_scene_format(build, folder, "%s../", *folder);
}

// The nearest folder above a file, or beside one above it, that is called as the package and has
// what is wanted: where packages lie together, as robots are published.
static iso_status find_above(iso_scene_build* build, iso_source at, const char* name,
                             const char* tail, bool* out_has) {
    iso_arena_mark mark = iso_arena_get_mark(&build->arena);
    const char* folder = NULL;
    ISO_SCENE_TRY(folder_of(build, at.file, &folder));
    *out_has = false;
    for (int i = 0; i < MOST_FOLDERS && !*out_has && !is_beyond_root(folder); ++i) {
        for (size_t k = 0; k < sizeof k_shelves / sizeof *k_shelves && !*out_has; ++k) {
            const char* parent = NULL;
            ISO_SCENE_TRY(iso_scene_format(build, &parent, "%s%s", folder, k_shelves[k]));
            ISO_SCENE_TRY(try_folder(build, parent, name, tail, out_has));
        }
        ISO_SCENE_TRY(go_up(build, &folder));
    }
    forget(build, mark, *out_has);
    return ISO_OK;
}

// package:///path: in the nearest folder above the file that has it, else as it stands.
static iso_status resolve_nameless(iso_scene_build* build, iso_source at, const char* uri,
                                   const char* rest, const char** out_path) {
    iso_arena_mark mark = iso_arena_get_mark(&build->arena);
    const char* folder = NULL;
    bool has_it = false;
    ISO_SCENE_TRY(folder_of(build, at.file, &folder));
    while (*rest == '/') {
        ++rest;
    }
    ISO_SCENE_REQUIRE(build, at, *rest, ISO_ERR_PARSE, "URI '%s' names no package", uri);
    for (int i = 0; i < MOST_FOLDERS && !has_it && !is_beyond_root(folder); ++i) {
        ISO_SCENE_TRY(has_target(build, folder, rest, out_path, &has_it));
        ISO_SCENE_TRY(go_up(build, &folder));
    }
    forget(build, mark, has_it);
    return has_it ? ISO_OK : iso_scene_format(build, out_path, "/%s", rest);
}

// A package by what lies in its folder, so that it is the file in it which is missing.
static iso_status find_without_target(iso_scene_build* build, iso_source at, const char* name,
                                      const char* tail, const char** out_path) {
    static const char* const k_marks[] = {"package.xml", "model.config"};
    bool has_it = false;
    for (int i = 0; i < 2 && !has_it; ++i) {
        ISO_SCENE_TRY(find_by_variables(build, name, k_marks[i], &has_it));
        if (!has_it) {
            ISO_SCENE_TRY(find_above(build, at, name, k_marks[i], &has_it));
        }
    }
    return find_in_packages(build, name, tail, out_path, &has_it);
}

// NAME/rest of package://NAME/rest.
static iso_status resolve_package(iso_scene_build* build, iso_source at, const char* uri,
                                  const char* rest, const char** out_path) {
    const char* slash = strchr(rest, '/');
    size_t length = slash ? (size_t)(slash - rest) : strlen(rest);
    if (length == 0) {
        return resolve_nameless(build, at, uri, rest, out_path);
    }
    const char* name = NULL;
    const char* tail = slash ? slash + 1 : "";
    bool has_it = false;
    ISO_SCENE_TRY(iso_scene_copy_text(build, rest, length, &name));
    ISO_SCENE_TRY(find_in_packages(build, name, tail, out_path, &has_it));
    if (!*out_path) {
        ISO_SCENE_TRY(iso_scene_add_fallback_package(build, name));
        ISO_SCENE_TRY(find_in_packages(build, name, tail, out_path, &has_it));
    }
    if (!has_it && !build->is_memory_only) {
        ISO_SCENE_TRY(find_by_variables(build, name, tail, &has_it));
        if (!has_it) {
            ISO_SCENE_TRY(find_above(build, at, name, tail, &has_it));
        }
        ISO_SCENE_TRY(find_in_packages(build, name, tail, out_path, &has_it));
        if (!*out_path) {
            ISO_SCENE_TRY(find_without_target(build, at, name, tail, out_path));
        }
    }
    ISO_SCENE_REQUIRE(build, at, *out_path, ISO_ERR_NOT_FOUND,
                      "package '%s' of '%s' is not known; say where it is with --package %s=DIR%s",
                      name, uri, name,
                      strcmp(name, "drake_models") == 0 ? " or ISOBAR_ASSETS=DIR (the repository "
                                                          "RobotLocomotion/models of GitHub, "
                                                          "at commit deee02d4d799 for Drake "
                                                          "1.51.1)"
                      : has_prefix(uri, "model://")     ? ", or the folder it is in by SDF_PATH"
                                                        : "");
    return ISO_OK;
}

// --- URIs ----------------------------------------------------------------------------------------

// A path that is not absolute is relative to the file that mentions it.
static iso_status resolve_path(iso_scene_build* build, iso_source at, const char* path,
                               const char** out_path) {
    if (*path == '/') {
        ISO_SCENE_TRY(iso_scene_copy_text(build, path, strlen(path), out_path));
    } else {
        const char* from = at.line > 0 && at.file ? at.file : build->root_path;
        const char* slash = from ? strrchr(from, '/') : NULL;
        int length = slash ? (int)(slash - from) + 1 : 0;
        ISO_SCENE_TRY(iso_scene_format(build, out_path, "%.*s%s", length, from ? from : "", path));
    }
    return decode(build, out_path);
}

// https://SERVER/.../models/NAME[/VERSION][/files/rest], as Gazebo names models that it fetches:
// one that is here already, found by its name as that of model://NAME is.
static iso_status resolve_server(iso_scene_build* build, iso_source at, const char* uri,
                                 const char** out_path) {
    const char* shelf = strstr(uri, "/models/");
    const char* name = shelf ? shelf + strlen("/models/") : "";
    int length = (int)strcspn(name, "/");
    const char* files = strstr(name, "/files/");
    const char* local = NULL;
    ISO_SCENE_REQUIRE(
        build, at, length > 0, ISO_ERR_UNSUPPORTED,
        "URI '%s' is on a server, from which nothing is fetched, expected package://, "
        "model://, file:// or a path",
        uri);
    ISO_SCENE_TRY(iso_scene_format(build, &local, "%.*s%s%s", length, name, files ? "/" : "",
                                   files ? files + strlen("/files/") : ""));
    iso_status status = resolve_package(build, at, uri, local, out_path);
    ISO_SCENE_REQUIRE(
        build, at, status != ISO_ERR_NOT_FOUND, ISO_ERR_NOT_FOUND,
        "'%s' is on a server, from which nothing is fetched; get it (gz fuel download "
        "-u '%s') and say where it is with --package '%.*s=DIR'",
        uri, uri, length, name);
    return status;
}

iso_status iso_scene_resolve_uri(iso_scene_build* build, iso_source at, const char* uri,
                                 const char** out_path) {
    *out_path = NULL;
    ISO_SCENE_REQUIRE(build, at, *uri, ISO_ERR_PARSE, "empty file name");
    if (has_prefix(uri, "package://")) {
        return resolve_package(build, at, uri, uri + strlen("package://"), out_path);
    }
    if (has_prefix(uri, "model://")) {
        return resolve_package(build, at, uri, uri + strlen("model://"), out_path);
    }
    if (has_prefix(uri, "file://")) {
        return resolve_path(build, at, uri + strlen("file://"), out_path);
    }
    if (has_prefix(uri, "https://") || has_prefix(uri, "http://")) {
        return resolve_server(build, at, uri, out_path);
    }
    ISO_SCENE_REQUIRE(build, at, !strstr(uri, "://"), ISO_ERR_UNSUPPORTED,
                      "URI '%s' has an unknown scheme, expected package://, model://, file:// or a "
                      "path",
                      uri);
    return resolve_path(build, at, uri, out_path);
}

// NAME/rest of a mesh in a package whose folder has another name, as that of a copy: the nearest
// folder above the file with that rest in it. NAME alone is a file there.
static iso_status find_renamed(iso_scene_build* build, iso_source at, const char* uri,
                               const char** path) {
    const char* scheme = strstr(uri, "://");
    const char* start = scheme ? scheme + strspn(scheme + 1, "/") + 1 : "";
    const char* slash = strchr(start, '/');
    const char* tail = slash ? slash + 1 : start;
    bool is_package = has_prefix(uri, "package://") || has_prefix(uri, "model://");
    const char *folder = NULL, *name = NULL, *found = NULL;
    bool has_it = *path && iso_scene_file_exists(build, *path);
    if (has_it || !is_package || !*tail) {
        return ISO_OK;
    }
    iso_arena_mark mark = iso_arena_get_mark(&build->arena);
    ISO_SCENE_TRY(iso_scene_copy_text(build, start, strcspn(start, "/"), &name));
    ISO_SCENE_TRY(folder_of(build, at.file, &folder));
    for (int i = 0; i < MOST_FOLDERS && !has_it && !is_beyond_root(folder); ++i) {
        ISO_SCENE_TRY(has_target(build, folder, tail, &found, &has_it));
        if (has_it && slash) {
            iso_log(build->ctx, ISO_LOG_INFO, "package %s is taken from %s", name, folder);
            ISO_SCENE_TRY(iso_scene_add_package(build, name, folder));
        }
        *path = has_it ? found : *path;
        ISO_SCENE_TRY(go_up(build, &folder));
    }
    forget(build, mark, has_it);
    return ISO_OK;
}

iso_status iso_scene_resolve_mesh(iso_scene_build* build, iso_source at, const char* uri,
                                  bool is_visual, const char** out_path) {
    iso_status status = iso_scene_resolve_uri(build, at, uri, out_path);
    if (status == ISO_OK || status == ISO_ERR_NOT_FOUND) {
        ISO_SCENE_TRY(find_renamed(build, at, uri, out_path));
        status = *out_path ? ISO_OK : status;
    }
    if (!is_visual || status == ISO_OK || status == ISO_ERR_MEMORY) {
        return status;
    }
    *out_path = NULL;
    iso_scene_warn_once(build, at, uri, "visual mesh '%s' %s and is not shown", uri,
                        status == ISO_ERR_NOT_FOUND ? "is of an unknown package"
                        : *uri                      ? "is of an unknown kind of address"
                                                    : "has no name");
    return ISO_OK;
}

// --- folders of models ---------------------------------------------------------------------------

// <model><sdf version>FILE</sdf></model>: of several versions the last one.
static iso_status read_config(iso_scene_build* build, iso_source at, const char* config,
                              const char** out_name) {
    xmlDoc* doc = NULL;
    *out_name = "model.sdf";
    ISO_SCENE_TRY(iso_xml_read_file(build, at, config, &doc));
    iso_status status = ISO_OK;
    const xmlNode* root = xmlDocGetRootElement(doc);
    for (const xmlNode* child = iso_xml_first(root); child && status == ISO_OK;
         child = iso_xml_next(child)) {
        const char* text = "";
        if (iso_xml_is(child, "sdf")) {
            status = iso_xml_text(build, child, &text);
        }
        *out_name = *text ? text : *out_name;
    }
    xmlFreeDoc(doc);
    return status;
}

iso_status iso_scene_model_in_folder(iso_scene_build* build, iso_source at, const char* folder,
                                     const char** out_path) {
    size_t used = strlen(folder);
    const char* slash = used > 0 && folder[used - 1] == '/' ? "" : "/";
    const char *config = NULL, *name = "model.sdf";
    *out_path = NULL;
    ISO_SCENE_TRY(iso_scene_format(build, &config, "%s%smodel.config", folder, slash));
    if (iso_scene_file_exists(build, config)) {
        ISO_SCENE_TRY(read_config(build, at, config, &name));
    }
    const char* path = NULL;
    ISO_SCENE_TRY(iso_scene_format(build, &path, "%s%s%s", folder, slash, name));
    *out_path = iso_scene_file_exists(build, path) ? path : NULL;
    return ISO_OK;
}
