// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/text/yaml_tree.h"

#include <string.h>
#include <yaml.h>

typedef struct yaml_anchor {
    const char* name;
    iso_yaml_node* node;
} yaml_anchor;

// One document being parsed: the open collections, the anchors seen, how many nodes there are.
typedef struct yaml_builder {
    iso_scene_build* build;
    const char* file;
    yaml_parser_t parser;
    iso_yaml_node* root;
    iso_yaml_node* open[ISO_SCENE_MAX_DEPTH];
    const char* pending_key[ISO_SCENE_MAX_DEPTH]; ///< of open mappings; NULL: a key comes next
    int depth;
    int node_count;
    ISO_ARRAY(yaml_anchor) anchors;
} yaml_builder;

static iso_source mark_source(const yaml_builder* b, const yaml_mark_t* mark) {
    iso_source at = {b->file, mark->line < INT32_MAX ? (int)mark->line + 1 : 0};
    return at;
}

static iso_status new_node(yaml_builder* b, iso_yaml_kind kind, iso_source at, const char* tag,
                           iso_yaml_node** out_node) {
    iso_scene_build* build = b->build;
    ISO_SCENE_REQUIRE(build, at, ++b->node_count <= ISO_SCENE_MAX_NODES, ISO_ERR_RANGE,
                      "more than %d YAML nodes", ISO_SCENE_MAX_NODES);
    ISO_SCENE_REQUIRE(build, at, ++build->nodes_read <= ISO_SCENE_MAX_ALL_ELEMENTS, ISO_ERR_RANGE,
                      "the files that are read have more than %d YAML nodes together",
                      ISO_SCENE_MAX_ALL_ELEMENTS);
    iso_yaml_node* node = iso_arena_push(&build->arena, sizeof *node);
    ISO_REQUIRE(build->ctx, node, ISO_ERR_MEMORY, "YAML node");
    *node = (iso_yaml_node){.kind = kind, .source = at, .tag = "", .text = ""};
    if (tag && *tag) {
        ISO_SCENE_TRY(iso_scene_copy_text(build, tag, strlen(tag), &node->tag));
    }
    *out_node = node;
    return ISO_OK;
}

static iso_status append_child(iso_scene_build* build, iso_yaml_node* parent, const char* key,
                               iso_yaml_node* child) {
    if (parent->count == parent->capacity) {
        int capacity = parent->capacity ? 2 * parent->capacity : 8;
        iso_yaml_node** children = iso_arena_push_array(&build->arena, capacity, sizeof *children);
        const char** keys = iso_arena_push_array(&build->arena, capacity, sizeof *keys);
        ISO_REQUIRE(build->ctx, children && keys, ISO_ERR_MEMORY, "YAML collection");
        for (int i = 0; i < parent->count; ++i) {
            children[i] = parent->children[i];
            keys[i] = parent->keys[i];
        }
        parent->children = children;
        parent->keys = keys;
        parent->capacity = capacity;
    }
    parent->children[parent->count] = child;
    parent->keys[parent->count++] = key;
    return ISO_OK;
}

// Put a finished scalar or a new collection where it belongs.
static iso_status place_node(yaml_builder* b, iso_yaml_node* node) {
    iso_scene_build* build = b->build;
    if (b->depth == 0) {
        b->root = node;
        return ISO_OK;
    }
    iso_yaml_node* parent = b->open[b->depth - 1];
    const char** key = &b->pending_key[b->depth - 1];
    if (parent->kind == ISO_YAML_SEQUENCE) {
        return append_child(build, parent, NULL, node);
    }
    if (*key) {
        iso_status status = append_child(build, parent, *key, node);
        *key = NULL;
        return status;
    }
    ISO_SCENE_REQUIRE(build, node->source, node->kind == ISO_YAML_SCALAR && *node->text,
                      ISO_ERR_PARSE, "a key must be a word");
    ISO_SCENE_REQUIRE(build, node->source, parent->count < ISO_SCENE_MAX_NAMES, ISO_ERR_RANGE,
                      "more than %d keys in one mapping", ISO_SCENE_MAX_NAMES);
    ISO_SCENE_REQUIRE(build, node->source, !iso_yaml_get(parent, node->text), ISO_ERR_PARSE,
                      "the key '%s' is there twice", node->text);
    *key = node->text;
    return ISO_OK;
}

static iso_status open_collection(yaml_builder* b, iso_yaml_node* node) {
    ISO_SCENE_REQUIRE(b->build, node->source, b->depth < ISO_SCENE_MAX_DEPTH, ISO_ERR_RANGE,
                      "values are nested deeper than %d", ISO_SCENE_MAX_DEPTH);
    b->open[b->depth] = node;
    b->pending_key[b->depth++] = NULL;
    return ISO_OK;
}

// --- anchors -------------------------------------------------------------------------------------

static iso_status add_anchor(yaml_builder* b, const char* name, iso_yaml_node* node) {
    if (!name) {
        return ISO_OK;
    }
    iso_scene_build* build = b->build;
    ISO_SCENE_REQUIRE(build, node->source, b->anchors.count < ISO_SCENE_MAX_NAMES, ISO_ERR_RANGE,
                      "more than %d anchors", ISO_SCENE_MAX_NAMES);
    ISO_SCENE_TRY(ISO_ARRAY_GROW(build->ctx, &b->anchors));
    yaml_anchor anchor = {.node = node};
    ISO_SCENE_TRY(iso_scene_copy_text(build, name, strlen(name), &anchor.name));
    b->anchors.data[b->anchors.count++] = anchor;
    return ISO_OK;
}

// Deep copy; every copied node counts, so aliases of aliases cannot explode.
static iso_status copy_node(yaml_builder* b, const iso_yaml_node* node, iso_yaml_node** out_copy) {
    ISO_SCENE_TRY(new_node(b, node->kind, node->source, node->tag, out_copy));
    iso_yaml_node* copy = *out_copy;
    copy->text = node->text;
    copy->is_plain = node->is_plain;
    for (int i = 0; i < node->count; ++i) {
        iso_yaml_node* child = NULL;
        ISO_SCENE_TRY(copy_node(b, node->children[i], &child));
        ISO_SCENE_TRY(append_child(b->build, copy, node->keys[i], child));
    }
    return ISO_OK;
}

static iso_status place_alias(yaml_builder* b, const yaml_event_t* event) {
    const char* name = (const char*)event->data.alias.anchor;
    iso_source at = mark_source(b, &event->start_mark);
    const iso_yaml_node* found = NULL;
    for (int i = b->anchors.count - 1; i >= 0 && !found; --i) {
        if (strcmp(b->anchors.data[i].name, name) == 0) {
            found = b->anchors.data[i].node;
        }
    }
    iso_name_list list = ISO_NAME_LIST(b->anchors.data, b->anchors.count, yaml_anchor, name);
    if (!found) {
        return iso_scene_fail_missing(b->build, at, &list, "anchor", name);
    }
    for (int i = 0; i < b->depth; ++i) {
        ISO_SCENE_REQUIRE(b->build, at, b->open[i] != found, ISO_ERR_PARSE,
                          "the alias '*%s' is inside of what it stands for", name);
    }
    iso_yaml_node* copy = NULL;
    ISO_SCENE_TRY(copy_node(b, found, &copy));
    return place_node(b, copy);
}

// --- events --------------------------------------------------------------------------------------

static iso_status take_scalar(yaml_builder* b, const yaml_event_t* event) {
    iso_yaml_node* node = NULL;
    iso_source at = mark_source(b, &event->start_mark);
    const char* text = (const char*)event->data.scalar.value;
    ISO_SCENE_TRY(new_node(b, ISO_YAML_SCALAR, at, (const char*)event->data.scalar.tag, &node));
    ISO_SCENE_REQUIRE(b->build, at, strlen(text) == event->data.scalar.length, ISO_ERR_PARSE,
                      "a value with a zero byte");
    ISO_SCENE_TRY(iso_scene_copy_text(b->build, text, event->data.scalar.length, &node->text));
    node->is_plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    ISO_SCENE_TRY(add_anchor(b, (const char*)event->data.scalar.anchor, node));
    return place_node(b, node);
}

static iso_status take_collection(yaml_builder* b, iso_yaml_kind kind, const yaml_mark_t* mark,
                                  const yaml_char_t* tag, const yaml_char_t* anchor) {
    iso_yaml_node* node = NULL;
    ISO_SCENE_TRY(new_node(b, kind, mark_source(b, mark), (const char*)tag, &node));
    ISO_SCENE_TRY(add_anchor(b, (const char*)anchor, node));
    ISO_SCENE_TRY(place_node(b, node));
    return open_collection(b, node);
}

static iso_status take_event(yaml_builder* b, const yaml_event_t* event) {
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return take_scalar(b, event);
    case YAML_ALIAS_EVENT:
        return place_alias(b, event);
    case YAML_SEQUENCE_START_EVENT:
        return take_collection(b, ISO_YAML_SEQUENCE, &event->start_mark,
                               event->data.sequence_start.tag, event->data.sequence_start.anchor);
    case YAML_MAPPING_START_EVENT:
        return take_collection(b, ISO_YAML_MAPPING, &event->start_mark,
                               event->data.mapping_start.tag, event->data.mapping_start.anchor);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        --b->depth;
        return ISO_OK;
    case YAML_DOCUMENT_START_EVENT:
        ISO_SCENE_REQUIRE(b->build, mark_source(b, &event->start_mark), !b->root, ISO_ERR_PARSE,
                          "a second YAML document, expected one");
        return ISO_OK;
    default:
        return ISO_OK;
    }
}

// Is there a tab in the indentation of a line?
static bool is_indented_by_tab(const char* bytes, size_t size, size_t line) {
    const char* at = bytes;
    const char* end = bytes + size;
    for (; line > 0 && at; --line) {
        at = memchr(at, '\n', (size_t)(end - at));
        at = at ? at + 1 : NULL;
    }
    while (at && at < end && *at == ' ') {
        ++at;
    }
    return at && at < end && *at == '\t';
}

static iso_status parse_events(yaml_builder* b, const char* bytes, size_t size) {
    for (bool is_done = false; !is_done;) {
        yaml_event_t event;
        if (!yaml_parser_parse(&b->parser, &event)) {
            const char* problem = b->parser.problem ? b->parser.problem : "unreadable";
            bool is_tab = is_indented_by_tab(bytes, size, b->parser.problem_mark.line);
            return iso_scene_fail(b->build, mark_source(b, &b->parser.problem_mark), ISO_ERR_PARSE,
                                  "not well-formed YAML: %s%s", problem,
                                  is_tab ? " (the line is indented by a tab, expected spaces)"
                                         : "");
        }
        is_done = event.type == YAML_STREAM_END_EVENT;
        iso_status status = take_event(b, &event);
        yaml_event_delete(&event);
        ISO_SCENE_TRY(status);
    }
    return ISO_OK;
}

iso_status iso_yaml_parse(iso_scene_build* build, const char* file, const char* bytes, size_t size,
                          iso_yaml_node** out_root) {
    iso_source at = {file, 0};
    *out_root = NULL;
    ISO_SCENE_REQUIRE(build, at, size <= ISO_SCENE_MAX_BYTES, ISO_ERR_RANGE,
                      "%zu bytes, expected at most %zu", size, ISO_SCENE_MAX_BYTES);
    if (size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) { // a byte-order mark
        bytes += 3;
        size -= 3;
    }
    yaml_builder b = {.build = build, .file = file};
    ISO_REQUIRE(build->ctx, yaml_parser_initialize(&b.parser), ISO_ERR_MEMORY, "YAML parser");
    yaml_parser_set_input_string(&b.parser, (const unsigned char*)bytes, size);
    yaml_parser_set_encoding(&b.parser, YAML_UTF8_ENCODING);
    iso_status status = parse_events(&b, bytes, size);
    yaml_parser_delete(&b.parser);
    ISO_ARRAY_FREE(build->ctx, &b.anchors);
    ISO_SCENE_TRY(status);
    if (!b.root) {
        return iso_yaml_new_mapping(build, at, out_root);
    }
    *out_root = b.root;
    return ISO_OK;
}

// What says in words that it is nothing; "key:" alone may have been forgotten.
static bool is_stated_null(const iso_yaml_node* node) {
    return iso_yaml_is_null(node) && *node->text;
}

iso_yaml_node* iso_yaml_get(const iso_yaml_node* node, const char* key) {
    if (!node || node->kind != ISO_YAML_MAPPING) {
        return NULL;
    }
    for (int i = 0; i < node->count; ++i) {
        if (strcmp(node->keys[i], key) == 0) {
            return is_stated_null(node->children[i]) ? NULL : node->children[i];
        }
    }
    return NULL;
}

iso_name_list iso_yaml_keys(const iso_yaml_node* node) {
    bool has_keys = node && node->kind == ISO_YAML_MAPPING;
    return iso_name_list_of(has_keys ? node->keys : NULL, has_keys ? node->count : 0);
}

iso_status iso_yaml_put(iso_scene_build* build, iso_yaml_node* mapping, const char* key,
                        iso_yaml_node* value) {
    for (int i = 0; i < mapping->count; ++i) {
        if (strcmp(mapping->keys[i], key) == 0) {
            mapping->children[i] = value;
            return ISO_OK;
        }
    }
    return append_child(build, mapping, key, value);
}

iso_status iso_yaml_new_mapping(iso_scene_build* build, iso_source at, iso_yaml_node** out_node) {
    iso_yaml_node* node = iso_arena_push(&build->arena, sizeof *node);
    ISO_REQUIRE(build->ctx, node, ISO_ERR_MEMORY, "YAML node");
    *node = (iso_yaml_node){.kind = ISO_YAML_MAPPING, .source = at, .tag = "", .text = ""};
    *out_node = node;
    return ISO_OK;
}

bool iso_yaml_is_null(const iso_yaml_node* node) {
    return !node ||
           (node->kind == ISO_YAML_SCALAR && node->is_plain &&
            (!*node->text || strcmp(node->text, "~") == 0 || strcmp(node->text, "null") == 0));
}
