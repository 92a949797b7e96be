// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// <include>: models of other files: SDFormat, URDF and MJCF.

#include "scene/sdf/sdf.h"

#include <string.h>

// The only <model> of an included document; NULL where there is nothing to simulate, as in those of
// lights.
static iso_status find_only_model(iso_sdf_reader* reader, iso_source at, const xmlNode* root,
                                  const xmlNode** out_model) {
    iso_scene_build* build = reader->build;
    const xmlNode* only = NULL;
    const char* file = iso_xml_source(root).file;
    for (const xmlNode* child = iso_xml_first(root); child; child = iso_xml_next(child)) {
        ISO_SCENE_REQUIRE(build, at, !iso_xml_is(child, "world"), ISO_ERR_UNSUPPORTED,
                          "the included file '%s' has a <world>, expected a <model>", file);
        if (iso_xml_is(child, "model")) {
            ISO_SCENE_REQUIRE(build, at, !only, ISO_ERR_UNSUPPORTED,
                              "the included file '%s' has several models, expected one", file);
            only = child;
        }
    }
    if (!only && !iso_xml_child(root, "light")) {
        iso_scene_warn_once(build, at, file, "the included file '%s' has no <model>", file);
    }
    *out_model = only;
    return ISO_OK;
}

static iso_status read_merge(iso_sdf_reader* reader, const xmlNode* include,
                             const iso_sdf_scope* scope, const xmlNode* root, bool* out_is_merged) {
    iso_scene_build* build = reader->build;
    const char* merge = NULL;
    *out_is_merged = false;
    ISO_SCENE_TRY(iso_xml_attribute(build, include, "merge", &merge));
    if (merge) {
        ISO_SCENE_TRY(iso_xml_parse_bool(build, include, "merge", merge, out_is_merged));
    }
    bool is_model = iso_sdf_is_root(root);
    if (*out_is_merged && (scope->is_world || !is_model)) {
        iso_scene_warn_once(
            build, iso_xml_source(include), "merge",
            "<include merge=\"true\"> of %s is not supported: what it brings keeps a "
            "scope of its own",
            is_model                    ? "a model in a world"
            : iso_xml_is(root, "robot") ? "a URDF"
                                        : "an MJCF file");
        *out_is_merged = false;
    }
    return ISO_OK;
}

// Models in a static one are static.
static void spread_static(const iso_sdf_scope* scope) {
    for (int i = 0; i < scope->node_count && scope->is_static; ++i) {
        iso_sdf_scope* model = scope->nodes[i]->model;
        if (model) {
            model->is_static = true;
            spread_static(model);
        }
    }
}

// What <include> says wins over what the included model says.
static iso_status apply_include(iso_sdf_reader* reader, const xmlNode* include,
                                iso_sdf_node* node) {
    iso_scene_build* build = reader->build;
    // Plugins of the model are those of other programs.
    static const char* const known[] = {"uri",    "name",   "pose", "placement_frame",
                                        "static", "plugin", NULL};
    iso_xml_warn_unknown(build, include, known);
    if (iso_xml_child(include, "pose")) {
        ISO_SCENE_TRY(iso_sdf_read_pose(build, include, &node->pose, &node->relative_to));
    }
    const char* placement = NULL;
    ISO_SCENE_TRY(iso_xml_child_text(build, include, "placement_frame", &placement));
    if (*placement) {
        ISO_SCENE_REQUIRE(build, iso_xml_source(include), iso_xml_child(include, "pose"),
                          ISO_ERR_PARSE, "<include> with <placement_frame> needs a <pose>");
        node->placement_frame = placement;
    }
    node->element = include;
    if (node->model->is_merged) {
        return ISO_OK;
    }
    ISO_SCENE_TRY(iso_sdf_read_switch(build, include, "static", &node->model->is_static));
    spread_static(node->model);
    return ISO_OK;
}

static iso_status collect_root(iso_sdf_reader* reader, const xmlNode* root, const xmlNode* model,
                               iso_sdf_scope* scope, const iso_sdf_manner* manner,
                               iso_sdf_node** out_node) {
    if (model) {
        return iso_sdf_collect_model(reader, model, scope, manner, out_node);
    }
    const char* path = iso_xml_source(root).file;
    return iso_xml_is(root, "robot")
               ? iso_sdf_collect_robot(reader, root, scope, manner, out_node)
               : iso_sdf_collect_mujoco(reader, root, path, scope, manner, out_node);
}

static iso_status include_root(iso_sdf_reader* reader, const xmlNode* include, iso_sdf_scope* scope,
                               const xmlNode* root) {
    iso_scene_build* build = reader->build;
    iso_source at = iso_xml_source(include);
    const xmlNode* model = NULL;
    iso_sdf_manner manner = {.version = scope->version};
    bool is_model = iso_sdf_is_root(root);
    ISO_SCENE_REQUIRE(
        build, iso_xml_source(root),
        is_model || iso_xml_is(root, "robot") || iso_xml_is(root, "mujoco"), ISO_ERR_PARSE,
        "the outermost element is <%s>, expected <sdf>, <robot> or <mujoco>", iso_xml_name(root));
    if (is_model) {
        ISO_SCENE_TRY(iso_sdf_read_version(build, root, &manner.version));
        ISO_SCENE_TRY(find_only_model(reader, at, root, &model));
        if (!model) {
            return ISO_OK;
        }
    }
    const char* name = NULL;
    iso_sdf_node* node = NULL;
    ISO_SCENE_TRY(iso_xml_child_text(build, include, "name", &name));
    ISO_SCENE_TRY(read_merge(reader, include, scope, root, &manner.is_merged));
    manner.rename = *name ? name : NULL;
    ISO_SCENE_TRY(collect_root(reader, root, model, scope, &manner, &node));
    return apply_include(reader, include, node);
}

static iso_status include_document(iso_sdf_reader* reader, const xmlNode* include,
                                   iso_sdf_scope* scope, const char* path) {
    iso_scene_build* build = reader->build;
    char* bytes = NULL;
    size_t size = 0;
    const xmlNode* root = NULL;
    ISO_SCENE_TRY(iso_scene_read_file(build, iso_xml_source(include), path, &bytes, &size));
    iso_status status = iso_sdf_parse(reader, path, bytes, size, &root);
    iso_free(build->ctx, bytes);
    return status == ISO_OK ? include_root(reader, include, scope, root) : status;
}

// Models that come with Gazebo, which worlds include without having them: what they say of contact.
static const struct {
    const char *name, *title, *text; ///< as model://NAME, as on the server
} k_gazebo_models[] = {
    {"sun", "Sun", "<sdf version='1.5'><light name='sun' type='directional'/></sdf>"},
    {"ground_plane", "Ground Plane",
     "<sdf version='1.5'><model name='ground_plane'><static>true</static><link name='link'>"
     "<collision name='collision'><geometry><plane><normal>0 0 1</normal><size>100 100</size>"
     "</plane></geometry><surface><friction><ode><mu>100</mu><mu2>50</mu2></ode></friction>"
     "</surface></collision></link></model></sdf>"},
};

// Text of the model of Gazebo that a URI ends with; NULL: it is none.
static const char* find_gazebo_model(const char* uri) {
    const char* scheme = strstr(uri, "://");
    const char* shelf = strstr(uri, "/models/");
    const char* name = shelf ? shelf + strlen("/models/") : scheme ? scheme + 3 : "";
    for (size_t i = 0; i < sizeof k_gazebo_models / sizeof *k_gazebo_models; ++i) {
        if (strcmp(name, k_gazebo_models[i].name) == 0 ||
            strcmp(name, k_gazebo_models[i].title) == 0) {
            return k_gazebo_models[i].text;
        }
    }
    return NULL;
}

static iso_status include_gazebo_model(iso_sdf_reader* reader, const xmlNode* include,
                                       iso_sdf_scope* scope, const char* uri, const char* text) {
    const xmlNode* root = NULL;
    iso_scene_warn_once(reader->build, iso_xml_source(include), uri,
                        "'%s' is not there: that of Gazebo is taken", uri);
    ISO_SCENE_TRY(iso_sdf_parse(reader, uri, text, strlen(text), &root));
    return include_root(reader, include, scope, root);
}

// A file, the folder of a model, or its bare name.
static iso_status find_file(iso_scene_build* build, iso_source at, const char* uri,
                            const char** out_path) {
    const char* inside = NULL;
    ISO_SCENE_TRY(iso_scene_resolve_uri(build, at, uri, out_path));
    if (iso_scene_file_exists(build, *out_path)) {
        return ISO_OK;
    }
    ISO_SCENE_TRY(iso_scene_model_in_folder(build, at, *out_path, &inside));
    if (!inside && !strstr(uri, "://") && *uri != '/' && !build->is_memory_only) {
        const char *model = NULL, *folder = NULL;
        ISO_SCENE_TRY(iso_scene_format(build, &model, "model://%s", uri));
        iso_status status = iso_scene_resolve_uri(build, at, model, &folder);
        if (status == ISO_OK) {
            ISO_SCENE_TRY(iso_scene_model_in_folder(build, at, folder, &inside));
        }
        ISO_SCENE_TRY(status == ISO_ERR_NOT_FOUND ? ISO_OK : status);
    }
    *out_path = inside ? inside : *out_path;
    return ISO_OK;
}

iso_status iso_sdf_collect_include(iso_sdf_reader* reader, const xmlNode* include,
                                   iso_sdf_scope* scope) {
    iso_scene_build* build = reader->build;
    iso_source at = iso_xml_source(include);
    const char* uri = NULL;
    const char* path = NULL;
    ISO_SCENE_TRY(iso_xml_child_text(build, include, "uri", &uri));
    ISO_SCENE_REQUIRE(build, at, *uri, ISO_ERR_PARSE, "<include> has no <uri>");
    const char* own = find_gazebo_model(uri);
    iso_status status = find_file(build, at, uri, &path);
    if (status == ISO_ERR_NOT_FOUND && own) {
        return include_gazebo_model(reader, include, scope, uri, own);
    }
    ISO_SCENE_TRY(status);
    ISO_SCENE_TRY(iso_scene_enter_file(build, at, path));
    status = include_document(reader, include, scope, path);
    iso_scene_leave_file(build);
    return status;
}
