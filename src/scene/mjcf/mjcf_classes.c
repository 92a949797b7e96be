// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Default classes, and what elements and their classes say.

#include "scene/mjcf/mjcf.h"

#include "base/values/hash.h"

#include <string.h>

// The names but that of the main class, which may change.
static iso_name_list named_classes(const iso_mjcf_reader* reader) {
    return ISO_NAME_LIST(reader->classes.data + 1, reader->classes.count - 1, iso_mjcf_class, name);
}

static iso_status class_named(const iso_mjcf_reader* reader, const char* name, int* out_index) {
    iso_name_list list = named_classes(reader);
    *out_index = 0;
    if (strcmp(reader->classes.data[0].name, name) == 0) {
        return ISO_OK;
    }
    ISO_SCENE_TRY(iso_name_index_find(reader->build->ctx, &reader->indices[ISO_MJCF_CLASSES], &list,
                                      name, out_index));
    *out_index += *out_index >= 0;
    return ISO_OK;
}

typedef struct marked_class {
    const iso_mjcf_reader* reader;
    const char* name;
    size_t length;
} marked_class;

static bool is_marked(const void* user, int index) {
    const marked_class* wanted = user;
    const char* known = wanted->reader->classes.data[index].name;
    return strncmp(known, wanted->name, wanted->length) == 0 &&
           known[wanted->length] == ISO_MJCF_CLASS_MARK;
}

// The first class that an attachment brought, by the name that it has in its file; -1: none.
static int class_marked(const iso_mjcf_reader* reader, const char* name, size_t length) {
    marked_class wanted = {reader, name, length};
    uint64_t hash = iso_hash_bytes(ISO_HASH_SEED, name, length);
    return iso_name_table_find(&reader->defaults.marked, hash, is_marked, &wanted);
}

iso_status iso_mjcf_read_default(iso_mjcf_reader* reader, const xmlNode* element, int parent) {
    iso_scene_build* build = reader->build;
    iso_source at = iso_xml_source(element);
    const char* name = NULL;
    int index = 0;
    ISO_SCENE_TRY(iso_xml_attribute(build, element, "class", &name));
    if (parent != ISO_MJCF_MAIN) {
        ISO_SCENE_TRY(name && *name ? ISO_OK : iso_xml_needs_attribute(build, element, "class"));
        ISO_SCENE_TRY(class_named(reader, name, &index));
        ISO_SCENE_REQUIRE(build, at, index < 0 || parent == ISO_MJCF_ROOT, ISO_ERR_PARSE,
                          "there is already a default class '%s'", name);
        ISO_SCENE_REQUIRE(build, at, reader->classes.count < ISO_SCENE_MAX_NAMES, ISO_ERR_RANGE,
                          "more than %d default classes", ISO_SCENE_MAX_NAMES);
        ISO_SCENE_TRY(ISO_ARRAY_GROW(build->ctx, &reader->classes));
        if (index < 0) {
            index = reader->classes.count++;
            reader->classes.data[index] =
                (iso_mjcf_class){.name = name, .parent = parent >= 0 ? parent : -1};
            reader->classes.data[index].parent_count =
                parent >= 0 ? reader->classes.data[parent].elements.count : 0;
        }
    } else if (name && *name) {
        reader->classes.data[0].name = name;
    }
    iso_mjcf_class* own = &reader->classes.data[index];
    ISO_SCENE_TRY(ISO_ARRAY_GROW(build->ctx, &own->elements));
    own->elements.data[own->elements.count++] = element;
    for (const xmlNode* child = iso_xml_first(element); child; child = iso_xml_next(child)) {
        if (iso_xml_is(child, "default")) {
            ISO_SCENE_TRY(iso_mjcf_read_default(reader, child, index));
        }
    }
    return ISO_OK;
}

iso_status iso_mjcf_find_class(const iso_mjcf_reader* reader, const xmlNode* node,
                               const char* attribute, int* class_index) {
    const char* name = NULL;
    ISO_SCENE_TRY(iso_xml_attribute(reader->build, node, attribute, &name));
    if (!name) {
        return ISO_OK;
    }
    ISO_SCENE_TRY(class_named(reader, name, class_index));
    if (*class_index < 0) {
        *class_index = class_marked(reader, name, strlen(name));
    }
    iso_name_list list =
        ISO_NAME_LIST(reader->classes.data, reader->classes.count, iso_mjcf_class, name);
    return *class_index >= 0 ? ISO_OK
                             : iso_scene_fail_missing(reader->build, iso_xml_source(node), &list,
                                                      "default class", name);
}

iso_status iso_mjcf_item_of(const iso_mjcf_reader* reader, const xmlNode* node, int child_class,
                            iso_mjcf_item* out_item) {
    *out_item = (iso_mjcf_item){node, child_class};
    return iso_mjcf_find_class(reader, node, "class", &out_item->class_index);
}

bool iso_mjcf_is_actuator(const char* tag) {
    static const char* const tags[] = {"general",     "motor",   "position",    "velocity",
                                       "intvelocity", "damper",  "cylinder",    "muscle",
                                       "adhesion",    "dcmotor", "orientation", "pid"};
    for (size_t i = 0; i < sizeof tags / sizeof *tags; ++i) {
        if (strcmp(tag, tags[i]) == 0) {
            return true;
        }
    }
    return false;
}

// All actuators share the defaults of what every actuator has.
static bool is_shared(const char* name) {
    static const char* const names[] = {"ctrllimited", "forcelimited", "ctrlrange", "forcerange",
                                        "gear",        "actlimited",   "actrange",  "inheritrange",
                                        "armature",    "damping"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        if (strcmp(name, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

// The tag that has the defaults of an element.
static iso_status find_tag(const iso_mjcf_reader* reader, const xmlNode* node, const char** tag) {
    const char* equal_joint = NULL;
    *tag = iso_xml_name(node);
    ISO_SCENE_TRY(iso_xml_attribute(reader->build, node, "joint1", &equal_joint));
    bool is_joint_equality = equal_joint && strcmp(*tag, "joint") == 0;
    if (strcmp(*tag, "fixed") == 0 || strcmp(*tag, "spatial") == 0) {
        *tag = "tendon"; // both kinds share their defaults
    } else if (strcmp(*tag, "connect") == 0 || strcmp(*tag, "weld") == 0 || is_joint_equality) {
        *tag = "equality";
    }
    return ISO_OK;
}

// Stands for the tags of all actuators.
static const char k_any_actuator[] = "actuator";

typedef struct wanted_default {
    const iso_mjcf_defaults* defaults;
    iso_mjcf_default_key key;
} wanted_default;

static bool is_default(const void* user, int index) {
    const wanted_default* wanted = user;
    const iso_mjcf_default_key* key = &wanted->defaults->keys.data[index];
    return key->class_index == wanted->key.class_index && strcmp(key->tag, wanted->key.tag) == 0 &&
           strcmp(key->name, wanted->key.name) == 0;
}

static uint64_t hash_of(const iso_mjcf_default_key* key) {
    uint64_t hash = iso_hash_bytes(ISO_HASH_SEED, &key->class_index, sizeof key->class_index);
    return iso_hash_text(iso_hash_text(hash, key->tag) + 1, key->name);
}

static iso_mjcf_default_key* find_default(const iso_mjcf_reader* reader, int class_index,
                                          const char* tag, const char* name) {
    const iso_mjcf_defaults* defaults = &reader->defaults;
    wanted_default wanted = {defaults, {.class_index = class_index, .tag = tag, .name = name}};
    int index = iso_name_table_find(&defaults->table, hash_of(&wanted.key), is_default, &wanted);
    return index >= 0 ? &defaults->keys.data[index] : NULL;
}

// An attribute that holds blanks alone says nothing, as for MuJoCo; that is warned of.
static bool says_nothing(const iso_mjcf_reader* reader, const xmlNode* node, const char* name,
                         const char* text) {
    if (text[strspn(text, " \t\r\n")]) {
        return false;
    }
    iso_scene_warn_once(reader->build, iso_xml_source(node), name,
                        "<%s>: %s is empty and counts as absent", iso_xml_name(node), name);
    return true;
}

// @param element  of those of the class; within one the last word holds
static iso_status note_default(iso_mjcf_reader* reader, int class_index, int element,
                               const char* tag, const char* name, const char* text) {
    iso_context* ctx = reader->build->ctx;
    iso_mjcf_defaults* defaults = &reader->defaults;
    iso_mjcf_default_key* key = find_default(reader, class_index, tag, name);
    if (!key) {
        iso_mjcf_default_key new = {class_index, tag, name, -1};
        ISO_SCENE_TRY(ISO_ARRAY_GROW(ctx, &defaults->keys));
        ISO_SCENE_TRY(
            iso_name_table_add(ctx, &defaults->table, hash_of(&new), defaults->keys.count));
        key = &defaults->keys.data[defaults->keys.count++];
        *key = new;
    }
    if (key->last >= 0 && defaults->texts.data[key->last].element == element) {
        defaults->texts.data[key->last].text = text;
        return ISO_OK;
    }
    ISO_SCENE_TRY(ISO_ARRAY_GROW(ctx, &defaults->texts));
    defaults->texts.data[defaults->texts.count] = (iso_mjcf_default_text){text, element, key->last};
    key->last = defaults->texts.count++;
    return ISO_OK;
}

static iso_status note_element(iso_mjcf_reader* reader, int class_index, int element,
                               const xmlNode* node) {
    const char* tag = iso_xml_name(node);
    for (const xmlAttr* a = node->properties; a; a = a->next) {
        const char *name = (const char*)a->name, *text = NULL;
        ISO_SCENE_TRY(iso_xml_attribute(reader->build, node, name, &text));
        if (says_nothing(reader, node, name, text)) {
            continue;
        }
        ISO_SCENE_TRY(note_default(reader, class_index, element, tag, name, text));
        if (iso_mjcf_is_actuator(tag) && is_shared(name)) {
            ISO_SCENE_TRY(note_default(reader, class_index, element, k_any_actuator, name, text));
        }
    }
    return ISO_OK;
}

static iso_status note_class(iso_mjcf_reader* reader, int index) {
    const iso_mjcf_class* own = &reader->classes.data[index];
    for (int i = 0; i < own->elements.count; ++i) {
        const xmlNode* child = iso_xml_first(own->elements.data[i]);
        for (; child; child = iso_xml_next(child)) {
            ISO_SCENE_TRY(iso_xml_is(child, "default") ? ISO_OK
                                                       : note_element(reader, index, i, child));
        }
    }
    for (const char* c = strchr(own->name, ISO_MJCF_CLASS_MARK); c;
         c = strchr(c + 1, ISO_MJCF_CLASS_MARK)) {
        size_t length = (size_t)(c - own->name);
        if (class_marked(reader, own->name, length) < 0) {
            ISO_SCENE_TRY(iso_name_table_add(reader->build->ctx, &reader->defaults.marked,
                                             iso_hash_bytes(ISO_HASH_SEED, own->name, length),
                                             index));
        }
    }
    return ISO_OK;
}

iso_status iso_mjcf_note_defaults(iso_mjcf_reader* reader) {
    for (int i = 0; i < reader->classes.count; ++i) {
        ISO_SCENE_TRY(note_class(reader, i));
    }
    return ISO_OK;
}

void iso_mjcf_free_defaults(iso_context* ctx, iso_mjcf_defaults* defaults) {
    ISO_ARRAY_FREE(ctx, &defaults->keys);
    ISO_ARRAY_FREE(ctx, &defaults->texts);
    iso_name_table_destroy(ctx, &defaults->table);
    iso_name_table_destroy(ctx, &defaults->marked);
}

iso_status iso_mjcf_ranked_text(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                                const char* name, int rank, const char** out_text) {
    const char* tag = NULL;
    ISO_SCENE_TRY(iso_xml_attribute(reader->build, item->node, name, out_text));
    if (*out_text && !says_nothing(reader, item->node, name, *out_text) && rank-- == 0) {
        return ISO_OK;
    }
    *out_text = NULL;
    if (reader->defaults.keys.count == 0) {
        return ISO_OK;
    }
    ISO_SCENE_TRY(find_tag(reader, item->node, &tag));
    tag = iso_mjcf_is_actuator(tag) && is_shared(name) ? k_any_actuator : tag;
    int count = ISO_SCENE_MAX_NAMES; // of the class's elements that are looked at
    for (int i = item->class_index; i >= 0; i = reader->classes.data[i].parent) {
        const iso_mjcf_default_key* key = find_default(reader, i, tag, name);
        for (int k = key ? key->last : -1; k >= 0; k = reader->defaults.texts.data[k].before) {
            if (reader->defaults.texts.data[k].element < count && rank-- == 0) {
                *out_text = reader->defaults.texts.data[k].text;
                return ISO_OK;
            }
        }
        count = reader->classes.data[i].parent_count;
    }
    return ISO_OK;
}

// The last of a class's elements, of those that are looked at, that says something; -1: none.
static int last_element(const iso_mjcf_reader* reader, const iso_mjcf_default_key* key, int count) {
    for (int k = key ? key->last : -1; k >= 0; k = reader->defaults.texts.data[k].before) {
        if (reader->defaults.texts.data[k].element < count) {
            return reader->defaults.texts.data[k].element;
        }
    }
    return -1;
}

iso_status iso_mjcf_last_of(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                            const char* const* names, int name_count, int* out_index) {
    const char* tag = NULL;
    *out_index = -1;
    if (reader->defaults.keys.count == 0) {
        return ISO_OK;
    }
    ISO_SCENE_TRY(find_tag(reader, item->node, &tag));
    int count = ISO_SCENE_MAX_NAMES;
    for (int i = item->class_index; i >= 0 && *out_index < 0; i = reader->classes.data[i].parent) {
        int latest = -1;
        for (int n = 0; n < name_count; ++n) {
            int element = last_element(reader, find_default(reader, i, tag, names[n]), count);
            *out_index = element > latest ? n : *out_index;
            latest = element > latest ? element : latest;
        }
        count = reader->classes.data[i].parent_count;
    }
    return ISO_OK;
}

iso_status iso_mjcf_text(const iso_mjcf_reader* reader, const iso_mjcf_item* item, const char* name,
                         const char** out_text) {
    return iso_mjcf_ranked_text(reader, item, name, 0, out_text);
}

void iso_mjcf_check_defaults(const iso_mjcf_reader* reader) {
    static const struct {
        const char* element;
        const char* const* attributes; ///< NULL: only a renderer or a solver reads them
    } rows[] = {{"geom", iso_mjcf_geom_attributes},
                {"site", iso_mjcf_site_attributes},
                {"mesh", iso_mjcf_mesh_attributes},
                {"joint", iso_mjcf_joint_attributes},
                {"equality", iso_mjcf_equality_attributes},
                {"tendon", iso_mjcf_tendon_attributes},
                {"motor", iso_mjcf_actuator_attributes},
                {"position", iso_mjcf_actuator_attributes},
                {"velocity", iso_mjcf_actuator_attributes},
                {"general", iso_mjcf_actuator_attributes},
                {"intvelocity", iso_mjcf_actuator_attributes},
                {"damper", iso_mjcf_actuator_attributes},
                {"cylinder", iso_mjcf_actuator_attributes},
                {"adhesion", iso_mjcf_adhesion_attributes},
                {"default", NULL},
                {"camera", NULL},
                {"light", NULL},
                {"material", NULL},
                {"texture", NULL},
                {"pair", iso_mjcf_pair_attributes}};
    enum { k_rows = sizeof rows / sizeof *rows };
    iso_name_list list = {.owner = rows, .stride = sizeof *rows, .count = k_rows};
    for (int i = 0; i < reader->classes.count; ++i) {
        const iso_mjcf_class* own = &reader->classes.data[i];
        for (int j = 0; j < own->elements.count; ++j) {
            const xmlNode* child = iso_xml_first(own->elements.data[j]);
            for (; child; child = iso_xml_next(child)) {
                int row = iso_name_list_find(&list, iso_xml_name(child));
                if (row < 0 && !iso_mjcf_is_actuator(iso_xml_name(child))) {
                    iso_xml_warn_misspelt(reader->build, child, NULL, &list);
                } else if (row >= 0 && rows[row].attributes) {
                    iso_xml_warn_attributes(reader->build, child, rows[row].attributes);
                }
            }
        }
    }
}
