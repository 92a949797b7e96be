// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/sdf/sdf.h"

#include "base/values/hash.h"

#include <stdlib.h>
#include <string.h>

#define OLDEST 4 // of the versions 1.x that are read as they stand
#define NEWEST 12

// --- scopes and nodes ----------------------------------------------------------------------------

typedef struct wanted_node {
    const iso_sdf_reader* reader;
    const iso_sdf_scope* scope;
    const char* name;
    size_t length;
} wanted_node;

static bool is_wanted(const void* user, int index) {
    const wanted_node* wanted = user;
    const iso_sdf_node* node = wanted->reader->nodes.data[index];
    return node->scope == wanted->scope && strncmp(node->name, wanted->name, wanted->length) == 0 &&
           node->name[wanted->length] == '\0';
}

static uint64_t hash_of(const iso_sdf_scope* scope, const char* name, size_t length) {
    return iso_hash_bytes(iso_hash_bytes(ISO_HASH_SEED, &scope, sizeof(const void*)), name, length);
}

iso_sdf_node* iso_sdf_find_node(const iso_sdf_reader* reader, const iso_sdf_scope* scope,
                                const char* name, size_t length) {
    wanted_node wanted = {reader, scope, name, length};
    int index =
        iso_name_table_find(&reader->table, hash_of(scope, name, length), is_wanted, &wanted);
    return index >= 0 ? reader->nodes.data[index] : NULL;
}

static iso_status note_node(iso_sdf_reader* reader, iso_sdf_node* node) {
    iso_context* ctx = reader->build->ctx;
    uint64_t hash = hash_of(node->scope, node->name, strlen(node->name));
    ISO_SCENE_TRY(ISO_ARRAY_GROW(ctx, &reader->nodes));
    ISO_SCENE_TRY(iso_name_table_add(ctx, &reader->table, hash, reader->nodes.count));
    reader->nodes.data[reader->nodes.count++] = node;
    return ISO_OK;
}

iso_status iso_sdf_add_node(iso_sdf_reader* reader, iso_sdf_scope* scope, iso_sdf_kind kind,
                            const xmlNode* element, const char* name, iso_sdf_node** out_node) {
    iso_scene_build* build = reader->build;
    iso_source at = iso_xml_source(element);
    ISO_SCENE_REQUIRE(build, at, *name, ISO_ERR_PARSE, "<%s> has an empty name",
                      iso_xml_name(element));
    ISO_SCENE_REQUIRE(build, at, strcmp(name, "world") != 0 && strncmp(name, "__", 2) != 0,
                      ISO_ERR_PARSE, "the name '%s' is reserved", name);
    const iso_sdf_node* other = iso_sdf_find_node(reader, scope, name, strlen(name));
    ISO_SCENE_REQUIRE(build, at, !other, ISO_ERR_PARSE,
                      "<%s> has the name '%s' of the <%s> in line %d", iso_xml_name(element), name,
                      iso_xml_name(other->element), iso_xml_source(other->element).line);
    ISO_SCENE_REQUIRE(build, at, scope->node_count < ISO_SCENE_MAX_NAMES, ISO_ERR_RANGE,
                      "more than %d names in one model", ISO_SCENE_MAX_NAMES);
    if (scope->node_count == scope->node_capacity) {
        int capacity = scope->node_capacity ? 2 * scope->node_capacity : 16;
        iso_sdf_node** nodes = iso_arena_push_array(&build->arena, capacity, sizeof *nodes);
        ISO_REQUIRE(build->ctx, nodes, ISO_ERR_MEMORY, "names of a model");
        if (scope->node_count > 0) {
            memcpy(nodes, scope->nodes, (size_t)scope->node_count * sizeof *nodes);
        }
        scope->nodes = nodes;
        scope->node_capacity = capacity;
    }
    iso_sdf_node* node = iso_arena_push(&build->arena, sizeof *node);
    ISO_REQUIRE(build->ctx, node, ISO_ERR_MEMORY, "name of a model part");
    *node = (iso_sdf_node){.kind = kind,
                           .name = name,
                           .element = element,
                           .scope = scope,
                           .pose = iso_pose_identity(),
                           .body = -1};
    scope->nodes[scope->node_count++] = node;
    *out_node = node;
    return note_node(reader, node);
}

static const char* non_empty(const char* text) {
    return text && *text ? text : NULL;
}

// Up to version 1.6 links, joints and frames had names of their own kinds: one that is taken by
// another kind gets its kind behind it, as in libsdformat.
static iso_status rename_old(iso_sdf_reader* reader, const iso_sdf_scope* scope, iso_sdf_kind kind,
                             const xmlNode* element, const char** name) {
    iso_scene_build* build = reader->build;
    const iso_sdf_node* other = iso_sdf_find_node(reader, scope, *name, strlen(*name));
    if (scope->version > 106 || !other || other->kind == kind) {
        return ISO_OK;
    }
    const char* before = *name;
    ISO_SCENE_TRY(iso_scene_format(build, name, "%s_%s", before, iso_xml_name(element)));
    iso_scene_warn_once(build, iso_xml_source(element), *name,
                        "<%s> has the name '%s' of something else, and is called '%s' here",
                        iso_xml_name(element), before, *name);
    return ISO_OK;
}

static iso_status collect_part(iso_sdf_reader* reader, iso_sdf_scope* scope, iso_sdf_kind kind,
                               const xmlNode* element) {
    iso_scene_build* build = reader->build;
    const char* name = NULL;
    iso_sdf_node* node = NULL;
    ISO_SCENE_TRY(iso_xml_required_attribute(build, element, "name", &name));
    ISO_SCENE_TRY(rename_old(reader, scope, kind, element, &name));
    ISO_SCENE_TRY(iso_sdf_add_node(reader, scope, kind, element, name, &node));
    ISO_SCENE_TRY(iso_sdf_read_pose(build, element, &node->pose, &node->relative_to));
    if (kind == ISO_SDF_FRAME) {
        const char* attached = NULL;
        ISO_SCENE_TRY(iso_xml_attribute(build, element, "attached_to", &attached));
        node->attached_to = non_empty(attached);
    } else if (kind == ISO_SDF_JOINT) {
        ISO_SCENE_TRY(iso_xml_child_text(build, element, "child", &node->attached_to));
        if (!*node->attached_to) {
            ISO_SCENE_TRY(iso_xml_child_text(build, element, "drake:child", &node->attached_to));
        }
        ISO_SCENE_REQUIRE(build, iso_xml_source(element), *node->attached_to, ISO_ERR_PARSE,
                          "joint '%s' has no <child>", name);
    }
    return ISO_OK;
}

// --- documents -----------------------------------------------------------------------------------

bool iso_sdf_is_root(const xmlNode* root) {
    return iso_xml_is(root, "sdf") || iso_xml_is(root, "gazebo");
}

iso_status iso_sdf_parse(iso_sdf_reader* reader, const char* path, const char* bytes, size_t size,
                         const xmlNode** out_root) {
    iso_scene_build* build = reader->build;
    iso_source at = {path, 0};
    ISO_SCENE_REQUIRE(build, at, reader->docs.count < ISO_SDF_MAX_DOCUMENTS, ISO_ERR_RANGE,
                      "more than %d files are included", ISO_SDF_MAX_DOCUMENTS);
    ISO_SCENE_TRY(ISO_ARRAY_GROW(build->ctx, &reader->docs));
    xmlDoc* doc = NULL;
    ISO_SCENE_TRY(iso_xml_parse(build, path, bytes, size, &doc));
    reader->docs.data[reader->docs.count++] = doc;
    *out_root = xmlDocGetRootElement(doc);
    return iso_sdf_is_root(*out_root) ? iso_sdf_check_elements(build, *out_root) : ISO_OK;
}

iso_status iso_sdf_read_version(iso_scene_build* build, const xmlNode* root, int* out_version) {
    iso_source at = iso_xml_source(root);
    const char* text = NULL;
    ISO_SCENE_TRY(iso_xml_required_attribute(build, root, "version", &text));
    char* end = NULL;
    long major = strtol(text, &end, 10);
    long minor = *end == '.' ? strtol(end + 1, &end, 10) : 0;
    bool is_newer = major > 1 || minor > NEWEST;
    ISO_SCENE_REQUIRE(build, at,
                      *end == '\0' && major >= 1 && major < 10 && minor >= 0 && minor < 100 &&
                          (is_newer || minor >= 2),
                      ISO_ERR_UNSUPPORTED, "SDFormat version is '%s', expected 1.2 to 1.%d", text,
                      NEWEST);
    if (is_newer || minor < OLDEST) {
        iso_scene_warn_once(
            build, at, "sdf version", "SDFormat version is '%s', %s than 1.%d: read as 1.%d", text,
            is_newer ? "newer" : "older", is_newer ? NEWEST : OLDEST, is_newer ? NEWEST : OLDEST);
        minor = is_newer ? NEWEST : OLDEST;
    }
    *out_version = (int)(100 + minor);
    return ISO_OK;
}

iso_status iso_sdf_read_switch(iso_scene_build* build, const xmlNode* element, const char* name,
                               bool* value) {
    const xmlNode* child = iso_xml_child(element, name);
    const char* text = NULL;
    if (!child) {
        return ISO_OK;
    }
    ISO_SCENE_TRY(iso_xml_text(build, child, &text));
    return iso_xml_parse_bool(build, child, "its value", text, value);
}

// --- models and worlds ---------------------------------------------------------------------------

static iso_status collect_children(iso_sdf_reader* reader, iso_sdf_scope* scope) {
    for (const xmlNode* child = iso_xml_first(scope->element); child; child = iso_xml_next(child)) {
        iso_sdf_node* node = NULL;
        iso_status status = ISO_OK;
        if (iso_xml_is(child, "link") && !scope->is_world) {
            status = collect_part(reader, scope, ISO_SDF_LINK, child);
        } else if (iso_xml_is(child, "frame")) {
            status = collect_part(reader, scope, ISO_SDF_FRAME, child);
        } else if (iso_xml_is(child, "joint") || iso_xml_is(child, "drake:joint")) {
            status = collect_part(reader, scope, ISO_SDF_JOINT, child);
        } else if (iso_xml_is(child, "model")) {
            iso_sdf_manner manner = {.version = scope->version};
            status = iso_sdf_collect_model(reader, child, scope, &manner, &node);
        } else if (iso_xml_is(child, "include")) {
            status = iso_sdf_collect_include(reader, child, scope);
        }
        ISO_SCENE_TRY(status);
    }
    return ISO_OK;
}

iso_status iso_sdf_add_scope(iso_sdf_reader* reader, const xmlNode* element, iso_sdf_scope* parent,
                             const iso_sdf_manner* manner, iso_sdf_node** out_node) {
    iso_scene_build* build = reader->build;
    const char *name = NULL, *node_name = NULL;
    ISO_SCENE_TRY(manner->rename ? ISO_OK
                                 : iso_xml_required_attribute(build, element, "name", &name));
    name = manner->rename ? manner->rename : name;
    node_name = name;
    if (manner->is_merged) {
        ISO_SCENE_TRY(iso_scene_format(build, &node_name, "_merged__%s__model__", name));
    }
    ISO_SCENE_TRY(iso_sdf_add_node(reader, parent, ISO_SDF_MODEL, element, node_name, out_node));
    iso_sdf_scope* scope = iso_arena_push(&build->arena, sizeof *scope);
    ISO_REQUIRE(build->ctx, scope, ISO_ERR_MEMORY, "model '%s'", name);
    parent->merged_count += manner->is_merged;
    *scope = (iso_sdf_scope){.parent = parent,
                             .node = *out_node,
                             .name = name,
                             .scoped_name = parent->scoped_name,
                             .frame_name = manner->is_merged ? node_name : "__model__",
                             .element = element,
                             .is_merged = manner->is_merged,
                             .is_static = parent->is_static,
                             .version = manner->version};
    (*out_node)->model = scope;
    return manner->is_merged
               ? ISO_OK
               : iso_scene_scoped(build, parent->scoped_name, name, &scope->scoped_name);
}

iso_status iso_sdf_collect_model(iso_sdf_reader* reader, const xmlNode* element,
                                 iso_sdf_scope* parent, const iso_sdf_manner* manner,
                                 iso_sdf_node** out_node) {
    iso_scene_build* build = reader->build;
    iso_source at = iso_xml_source(element);
    ISO_SCENE_TRY(iso_sdf_add_scope(reader, element, parent, manner, out_node));
    iso_sdf_node* node = *out_node;
    iso_sdf_scope* scope = node->model;
    ISO_SCENE_TRY(iso_sdf_read_pose(build, element, &node->pose, &node->relative_to));
    const char* attribute = NULL;
    ISO_SCENE_TRY(iso_xml_attribute(build, element, "placement_frame", &attribute));
    node->placement_frame = non_empty(attribute);
    ISO_SCENE_TRY(iso_xml_attribute(build, element, "canonical_link", &attribute));
    scope->canonical_link = non_empty(attribute);
    if (!scope->is_merged) {
        ISO_SCENE_TRY(iso_sdf_read_switch(build, element, "static", &scope->is_static));
    }
    scope->is_self_collided = scope->is_merged && parent->is_self_collided;
    scope->says_self_collided = iso_xml_child(element, "self_collide") != NULL;
    ISO_SCENE_TRY(iso_sdf_read_switch(build, element, "self_collide", &scope->is_self_collided));
    ISO_SCENE_TRY(collect_children(reader, scope));
    if (scope->canonical_link) {
        iso_sdf_target target;
        ISO_SCENE_TRY(iso_sdf_find(reader, at, scope, scope->canonical_link, &target));
        ISO_SCENE_REQUIRE(build, at, target.node && target.node->kind == ISO_SDF_LINK,
                          ISO_ERR_PARSE, "canonical_link '%s' is not a link",
                          scope->canonical_link);
    }
    return ISO_OK;
}

iso_status iso_sdf_collect_document(iso_sdf_reader* reader, const xmlNode* root,
                                    iso_sdf_scope* world, const char* rename) {
    iso_scene_build* build = reader->build;
    iso_source at = iso_xml_source(root);
    ISO_SCENE_TRY(iso_sdf_read_version(build, root, &world->version));
    int model_count = 0, world_count = 0;
    for (const xmlNode* child = iso_xml_first(root); child; child = iso_xml_next(child)) {
        iso_sdf_node* node = NULL;
        if (iso_xml_is(child, "model")) {
            iso_sdf_manner manner = {.version = world->version,
                                     .rename = model_count++ == 0 ? rename : NULL};
            ISO_SCENE_TRY(iso_sdf_collect_model(reader, child, world, &manner, &node));
        } else if (iso_xml_is(child, "world")) {
            if (world_count++ > 0) { // as Gazebo, which runs one
                iso_scene_warn_once(build, iso_xml_source(child), "world",
                                    "a second <world> is left out: the first is read");
                continue;
            }
            world->element = child;
            ISO_SCENE_TRY(collect_children(reader, world));
        } else if (!iso_xml_is(child, "light")) { // only a renderer would use it
            static const char* const known[] = {"model", "world", "light", "actor", NULL};
            iso_xml_warn_unsupported(build, child, known);
        }
    }
    if (model_count + world_count == 0) {
        iso_scene_warn_once(build, at, "nothing", "<sdf> has neither a <model> nor a <world>");
    }
    ISO_SCENE_REQUIRE(build, at, !rename || (model_count == 1 && world_count == 0),
                      ISO_ERR_UNSUPPORTED,
                      "the file has %d models and %d worlds; only a single model can be renamed to "
                      "'%s'",
                      model_count, world_count, rename);
    return ISO_OK;
}
