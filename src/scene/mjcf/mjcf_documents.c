// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/mjcf/mjcf.h"

#include <string.h>

// The files that an MJCF file is made of.

iso_mjcf_settings* iso_mjcf_settings_of(const iso_mjcf_reader* reader, const xmlNode* node) {
    int i = 0;
    while (reader->settings.count > 1 && reader->docs.data[i].doc != node->doc) {
        ++i;
    }
    return &reader->settings.data[reader->docs.data[i].settings];
}

iso_status iso_mjcf_resolve(const iso_mjcf_reader* reader, const xmlNode* node, const char* file,
                            const char** out_path) {
    iso_source at = iso_xml_source(node);
    iso_source main_file = {iso_mjcf_settings_of(reader, node)->path, at.line};
    bool is_uri = strstr(file, "://") != NULL;
    return iso_scene_resolve_uri(reader->build, is_uri ? at : main_file, file, out_path);
}

iso_status iso_mjcf_parse(iso_mjcf_reader* reader, const char* path, const char* bytes, size_t size,
                          xmlNode** out_root) {
    iso_scene_build* build = reader->build;
    xmlDoc* doc = NULL;
    ISO_SCENE_TRY(ISO_ARRAY_GROW(build->ctx, &reader->docs));
    ISO_SCENE_TRY(iso_xml_parse(build, path, bytes, size, &doc));
    reader->docs.data[reader->docs.count++] = (iso_mjcf_document){doc, reader->reading};
    xmlNode* root = xmlDocGetRootElement(doc);
    bool is_included = reader->docs.count > 1; // then its outermost element is called as one likes
    ISO_SCENE_REQUIRE(build, iso_xml_source(root), is_included || iso_xml_is(root, "mujoco"),
                      ISO_ERR_PARSE, "the outermost element is <%s>, expected <mujoco>",
                      iso_xml_name(root));
    *out_root = root;
    return ISO_OK;
}

iso_mjcf_settings iso_mjcf_settings_default(const char* path) {
    return (iso_mjcf_settings){.path = path,
                               .angle_unit = ISO_PI / 180.0,
                               .euler_order = "xyz",
                               .has_automatic_limits = true,
                               .inertia_from_geometry = 2,
                               .inertia_groups = {0, 5}};
}

// Relative to the main file, else to the file that includes it.
static iso_status resolve_include(const iso_mjcf_reader* reader, const xmlNode* node,
                                  const char* file, const char** out_path) {
    iso_source at = iso_xml_source(node);
    const char* nearby = NULL;
    ISO_SCENE_TRY(iso_mjcf_resolve(reader, node, file, out_path));
    if (!iso_scene_file_exists(reader->build, *out_path)) {
        ISO_SCENE_TRY(iso_scene_resolve_uri(reader->build, at, file, &nearby));
        *out_path = iso_scene_file_exists(reader->build, nearby) ? nearby : *out_path;
    }
    return ISO_OK;
}

static iso_status include_document(iso_mjcf_reader* reader, xmlNode* include, int depth) {
    iso_scene_build* build = reader->build;
    iso_source at = iso_xml_source(include);
    const char* file = NULL;
    const char* path = NULL;
    char* bytes = NULL;
    size_t size = 0;
    xmlNode* root = NULL;
    static const char* const known[] = {"file", NULL};
    iso_xml_warn_attributes(build, include, known);
    ISO_SCENE_TRY(iso_xml_required_attribute(build, include, "file", &file));
    ISO_SCENE_TRY(resolve_include(reader, include, file, &path));
    ISO_SCENE_TRY(iso_scene_enter_file(build, at, path));
    iso_status status = iso_scene_read_file(build, at, path, &bytes, &size);
    if (status == ISO_OK) {
        status = iso_mjcf_parse(reader, path, bytes, size, &root);
    }
    iso_free(build->ctx, bytes);
    if (status == ISO_OK) {
        status = iso_mjcf_expand_includes(reader, root, depth);
    }
    iso_scene_leave_file(build);
    if (status == ISO_OK) {
        iso_xml_stand_in(include, root);
    }
    return status;
}

// Every <include> below is replaced by what its file contains.
iso_status iso_mjcf_expand_includes(iso_mjcf_reader* reader, const xmlNode* node, int depth) {
    for (xmlNode* child = iso_xml_first(node); child; child = iso_xml_next(child)) {
        ISO_SCENE_REQUIRE(reader->build, iso_xml_source(child), depth < ISO_SCENE_MAX_NESTING,
                          ISO_ERR_RANGE, "elements are nested deeper than %d",
                          ISO_SCENE_MAX_NESTING);
        ISO_SCENE_TRY(iso_xml_is(child, "include")
                          ? include_document(reader, child, depth)
                          : iso_mjcf_expand_includes(reader, child, depth + 1));
    }
    return ISO_OK;
}

static iso_status collect_sections(iso_mjcf_reader* reader, const xmlNode* root) {
    for (const xmlNode* child = iso_xml_first(root); child; child = iso_xml_next(child)) {
        ISO_SCENE_TRY(ISO_ARRAY_GROW(reader->build->ctx, &reader->sections));
        reader->sections.data[reader->sections.count++] = child;
    }
    return ISO_OK;
}

iso_status iso_mjcf_read_sections(iso_mjcf_reader* reader, const char* bytes, size_t size,
                                  xmlNode** out_root) {
    static const char* const known[] = {"model", NULL};
    iso_context* ctx = reader->build->ctx;
    ISO_SCENE_TRY(ISO_ARRAY_GROW(ctx, &reader->settings));
    reader->settings.data[reader->settings.count++] = iso_mjcf_settings_default(reader->path);
    ISO_SCENE_TRY(iso_mjcf_parse(reader, reader->path, bytes, size, out_root));
    iso_xml_warn_attributes(reader->build, *out_root, known);
    ISO_SCENE_TRY(iso_mjcf_expand_includes(reader, *out_root, 0));
    ISO_SCENE_TRY(collect_sections(reader, *out_root));
    return iso_mjcf_expand_attachments(reader, *out_root);
}
