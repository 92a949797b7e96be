// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/mjcf/mjcf.h"

#include <stdint.h>
#include <string.h>

// <attach>: a body or frame of another file, all that it holds, or a body of the same file once
// more, with a prefix before all names. The other file is read with its own compiler settings and
// default classes; what refers to the attached parts comes along.

typedef struct attachment {
    iso_mjcf_reader* reader;
    xmlNode* place;               ///< <attach>
    xmlNode* root;                ///< <mujoco> of the attached file
    const char* prefix;           ///< "" for none
    const char* class_mark;       ///< behind names of classes, which no other attachment has
    const char* wanted;           ///< name of the body or frame; NULL: everything
    const char* tag;              ///< "body" or "frame"
    const char* class_name;       ///< of its main class, with the prefix
    ISO_ARRAY(const char*) names; ///< of what is attached, without prefix
} attachment;

static const xmlChar* utf8(const char* text) {
    return (const xmlChar*)text;
}

// --- names ---------------------------------------------------------------------------------------

static bool is_name(const char* attribute) {
    static const char* const names[] = {"name",   "class",    "childclass", "mesh",
                                        "hfield", "material", "texture"};
    bool is_found = iso_mjcf_is_reference(attribute);
    for (size_t i = 0; i < sizeof names / sizeof *names && !is_found; ++i) {
        is_found = strcmp(attribute, names[i]) == 0;
    }
    return is_found;
}

static iso_status set_attribute(const attachment* a, xmlNode* node, const char* name,
                                const char* value) {
    const xmlAttr* set = xmlSetProp(node, utf8(name), utf8(value));
    ISO_REQUIRE(a->reader->build->ctx, set, ISO_ERR_MEMORY, "attribute of an attached element");
    return ISO_OK;
}

static bool names_class(const char* attribute) {
    return strcmp(attribute, "class") == 0 || strcmp(attribute, "childclass") == 0;
}

static iso_status add_prefix(const attachment* a, xmlNode* node) {
    iso_scene_build* build = a->reader->build;
    bool changes = *a->prefix || *a->class_mark;
    for (const xmlAttr* attribute = node->properties; attribute && changes;
         attribute = attribute->next) {
        const char *key = (const char*)attribute->name, *value = NULL;
        if (!is_name(key)) {
            continue;
        }
        ISO_SCENE_TRY(iso_xml_attribute(build, node, key, &value));
        if (value && *value && strcmp(value, "world") != 0) {
            ISO_SCENE_TRY(iso_scene_format(build, &value, "%s%s%s", a->prefix, value,
                                           names_class(key) ? a->class_mark : ""));
            ISO_SCENE_TRY(set_attribute(a, node, key, value));
        }
    }
    for (xmlNode* child = iso_xml_first(node); child; child = iso_xml_next(child)) {
        ISO_SCENE_TRY(add_prefix(a, child));
    }
    return ISO_OK;
}

static iso_status list_name(attachment* a, const xmlNode* node) {
    const char* name = NULL;
    ISO_SCENE_TRY(iso_xml_attribute(a->reader->build, node, "name", &name));
    if (name && *name) {
        ISO_SCENE_TRY(ISO_ARRAY_GROW(a->reader->build->ctx, &a->names));
        a->names.data[a->names.count++] = name;
    }
    return ISO_OK;
}

static iso_status list_names(attachment* a, const xmlNode* node) {
    ISO_SCENE_TRY(list_name(a, node));
    for (const xmlNode* child = iso_xml_first(node); child; child = iso_xml_next(child)) {
        ISO_SCENE_TRY(list_names(a, child));
    }
    return ISO_OK;
}

// Is everything that an element refers to attached?
static iso_status is_at_home(const attachment* a, const xmlNode* node, bool* is_home) {
    iso_name_list names = iso_name_list_of(a->names.data, a->names.count);
    for (const xmlAttr* attribute = node->properties; attribute; attribute = attribute->next) {
        const char *key = (const char*)attribute->name, *value = NULL;
        if (iso_mjcf_is_reference(key)) {
            ISO_SCENE_TRY(iso_xml_attribute(a->reader->build, node, key, &value));
            *is_home = *is_home && (strcmp(value, "world") == 0 || !*value ||
                                    iso_name_list_find(&names, value) >= 0);
        }
    }
    for (const xmlNode* child = iso_xml_first(node); child; child = iso_xml_next(child)) {
        ISO_SCENE_TRY(is_at_home(a, child, is_home));
    }
    return ISO_OK;
}

// Takes what refers to other parts out of a section; the names of the rest are attached, too.
static iso_status filter(attachment* a, xmlNode* section) {
    xmlNode* next = NULL;
    for (xmlNode* child = iso_xml_first(section); child && a->wanted; child = next) {
        bool is_home = true;
        next = iso_xml_next(child);
        ISO_SCENE_TRY(is_at_home(a, child, &is_home));
        if (is_home) {
            ISO_SCENE_TRY(list_name(a, child));
        } else {
            xmlUnlinkNode(child);
            xmlFreeNode(child);
        }
    }
    return ISO_OK;
}

// --- classes -------------------------------------------------------------------------------------

static iso_status name_main_class(attachment* a) {
    iso_scene_build* build = a->reader->build;
    const char* name = NULL;
    const xmlNode* section = iso_xml_child(a->root, "default");
    if (section) {
        ISO_SCENE_TRY(iso_xml_attribute(build, section, "class", &name));
    } else { // it has those of the format, not those of the file around it
        xmlNode* made = xmlNewChild(a->root, NULL, utf8("default"), NULL);
        ISO_REQUIRE(build->ctx, made, ISO_ERR_MEMORY, "class of an attached file");
    }
    return iso_scene_format(build, &a->class_name, "%s%s%s", a->prefix, name ? name : "main",
                            a->class_mark);
}

// Attachments of one prefix, and those without, have classes of their own all the same.
static iso_status mark_classes(attachment* a) {
    iso_mjcf_reader* reader = a->reader;
    bool is_new = *a->prefix != '\0';
    for (int i = 0; i < reader->prefixes.count && is_new; ++i) {
        is_new = strcmp(reader->prefixes.data[i], a->prefix) != 0;
    }
    ISO_SCENE_TRY(ISO_ARRAY_GROW(reader->build->ctx, &reader->prefixes));
    reader->prefixes.data[reader->prefixes.count++] = a->prefix;
    return is_new ? ISO_OK
                  : iso_scene_format(reader->build, &a->class_mark, "%c%d", ISO_MJCF_CLASS_MARK,
                                     reader->prefixes.count);
}

// What has a class by its own word only.
static bool has_class(const xmlNode* section, const xmlNode* child) {
    return iso_xml_is(section, "actuator") || iso_xml_is(section, "tendon") ||
           iso_xml_is(section, "equality") || iso_xml_is(child, "pair") ||
           (iso_xml_is(section, "asset") && iso_xml_is(child, "mesh"));
}

static iso_status give_classes(const attachment* a, xmlNode* section) {
    const char* name = NULL;
    for (xmlNode* child = iso_xml_first(section); child; child = iso_xml_next(child)) {
        ISO_SCENE_TRY(iso_xml_attribute(a->reader->build, child, "class", &name));
        if (!name && has_class(section, child)) {
            ISO_SCENE_TRY(set_attribute(a, child, "class", a->class_name));
        }
    }
    return ISO_OK;
}

// --- sections ------------------------------------------------------------------------------------

static iso_status take_default(attachment* a, xmlNode* section) {
    iso_mjcf_reader* reader = a->reader;
    ISO_SCENE_TRY(add_prefix(a, section));
    ISO_SCENE_TRY(set_attribute(a, section, "class", a->class_name));
    ISO_SCENE_TRY(ISO_ARRAY_GROW(reader->build->ctx, &reader->attached_defaults));
    reader->attached_defaults.data[reader->attached_defaults.count++] = section;
    return ISO_OK;
}

static iso_status take_section(attachment* a, xmlNode* section) {
    iso_mjcf_reader* reader = a->reader;
    bool refers = !iso_xml_is(section, "asset") && !iso_xml_is(section, "compiler");
    ISO_SCENE_TRY(refers ? filter(a, section) : ISO_OK);
    ISO_SCENE_TRY(add_prefix(a, section));
    ISO_SCENE_TRY(give_classes(a, section));
    ISO_SCENE_TRY(ISO_ARRAY_GROW(reader->build->ctx, &reader->sections));
    reader->sections.data[reader->sections.count++] = section;
    return ISO_OK;
}

// Those of the file, in an order in which names are known before they are referred to.
static iso_status take_sections(attachment* a) {
    static const char* const names[] = {"compiler", "asset",   "tendon", "actuator",
                                        "equality", "contact", "sensor", NULL};
    for (int i = 0; names[i]; ++i) {
        for (xmlNode* s = iso_xml_first(a->root); s; s = iso_xml_next(s)) {
            ISO_SCENE_TRY(iso_xml_is(s, names[i]) ? take_section(a, s) : ISO_OK);
        }
    }
    for (xmlNode* s = iso_xml_first(a->root); s; s = iso_xml_next(s)) {
        ISO_SCENE_TRY(iso_xml_is(s, "default") ? take_default(a, s) : ISO_OK);
        if (iso_xml_is(s, "keyframe")) {
            iso_scene_warn_once(a->reader->build, iso_xml_source(s), "attached keyframes",
                                "keyframes of an attached file are left out");
        }
    }
    return ISO_OK;
}

// What the file itself attached, from these sections and classes on.
static iso_status take_nested(attachment* a, int first_section, int first_default) {
    iso_mjcf_reader* reader = a->reader;
    int kept = first_section;
    for (int i = first_section; i < reader->sections.count; ++i) {
        xmlNode* section = (xmlNode*)(uintptr_t)reader->sections.data[i];
        bool refers = !iso_xml_is(section, "asset") && !iso_xml_is(section, "compiler");
        ISO_SCENE_TRY(refers ? filter(a, section) : ISO_OK);
        ISO_SCENE_TRY(add_prefix(a, section));
        reader->sections.data[kept++] = section;
    }
    for (int i = first_default; i < reader->attached_defaults.count; ++i) {
        ISO_SCENE_TRY(add_prefix(a, (xmlNode*)(uintptr_t)reader->attached_defaults.data[i]));
    }
    return ISO_OK;
}

// --- bodies --------------------------------------------------------------------------------------

static iso_status find_part(const attachment* a, xmlNode* node, xmlNode** out_found) {
    for (xmlNode* child = iso_xml_first(node); child && !*out_found; child = iso_xml_next(child)) {
        const char* name = NULL;
        ISO_SCENE_TRY(iso_xml_attribute(a->reader->build, child, "name", &name));
        if (name && iso_xml_is(child, a->tag) && strcmp(name, a->wanted) == 0) {
            *out_found = child;
        } else {
            ISO_SCENE_TRY(find_part(a, child, out_found));
        }
    }
    return ISO_OK;
}

// An element of no file, which stands in for <attach>.
static iso_status make_wrapper(const attachment* a, xmlDoc* doc, xmlNode** out_wrapper) {
    iso_mjcf_reader* reader = a->reader;
    ISO_SCENE_TRY(ISO_ARRAY_GROW(reader->build->ctx, &reader->wrappers));
    xmlNode* wrapper = xmlNewDocNode(doc, NULL, utf8("attached"), NULL);
    ISO_REQUIRE(reader->build->ctx, wrapper, ISO_ERR_MEMORY, "attached elements");
    reader->wrappers.data[reader->wrappers.count++] = wrapper;
    iso_xml_stand_in(a->place, wrapper);
    *out_wrapper = wrapper;
    return ISO_OK;
}

static iso_status add_element(const attachment* a, xmlNode* to, const char* name,
                              xmlNode** out_child) {
    *out_child = xmlNewChild(to, NULL, utf8(name), NULL);
    ISO_REQUIRE(a->reader->build->ctx, *out_child, ISO_ERR_MEMORY, "attached elements");
    (*out_child)->line = a->place->line;
    return ISO_OK;
}

// The class that a part has from what is around it in its file.
static iso_status keep_class(const attachment* a, xmlNode* part) {
    const char* name = NULL;
    ISO_SCENE_TRY(iso_xml_attribute(a->reader->build, part, "childclass", &name));
    bool is_own = name != NULL;
    for (const xmlNode* n = part->parent; !name && n && n->type == XML_ELEMENT_NODE;
         n = n->parent) {
        ISO_SCENE_TRY(iso_xml_attribute(a->reader->build, n, "childclass", &name));
    }
    return name && !is_own ? set_attribute(a, part, "childclass", name) : ISO_OK;
}

static iso_status take_bodies(attachment* a) {
    iso_scene_build* build = a->reader->build;
    xmlNode *wrapper = NULL, *frame = NULL, *part = NULL;
    for (xmlNode* s = iso_xml_first(a->root); s && a->wanted; s = iso_xml_next(s)) {
        ISO_SCENE_TRY(iso_xml_is(s, "worldbody") && !part ? find_part(a, s, &part) : ISO_OK);
    }
    ISO_SCENE_REQUIRE(build, iso_xml_source(a->place), part || !a->wanted, ISO_ERR_NOT_FOUND,
                      "<attach>: there is no %s named '%s' in '%s'", a->tag, a->wanted,
                      iso_xml_source(a->root).file);
    // Nodes stay in their documents, whose names they share.
    ISO_SCENE_TRY(make_wrapper(a, part ? part->doc : a->root->doc, &wrapper));
    // A <frame> gives what is in it the main class of its file.
    ISO_SCENE_TRY(add_element(a, wrapper, "frame", &frame));
    if (part) {
        ISO_SCENE_TRY(keep_class(a, part));
        xmlUnlinkNode(part);
        (void)xmlAddChild(frame, part);
    }
    for (xmlNode* s = iso_xml_first(a->root); s && !part; s = iso_xml_next(s)) {
        xmlNode* place = NULL;
        if (iso_xml_is(s, "worldbody")) {
            ISO_SCENE_TRY(add_element(a, frame, "include", &place));
            iso_xml_stand_in(place, s);
        }
    }
    ISO_SCENE_TRY(list_names(a, frame));
    ISO_SCENE_TRY(add_prefix(a, frame));
    return set_attribute(a, frame, "childclass", a->class_name);
}

// --- files ---------------------------------------------------------------------------------------

// That of a file, as its outermost element has it.
static iso_status read_model_name(iso_scene_build* build, iso_source at, const char* path,
                                  const char** out_name) {
    xmlDoc* doc = NULL;
    ISO_SCENE_TRY(iso_xml_read_file(build, at, path, &doc));
    iso_status status = iso_xml_attribute(build, xmlDocGetRootElement(doc), "model", out_name);
    xmlFreeDoc(doc);
    return status;
}

// <model> of <asset>, by its name or that of the model in it.
static iso_status find_model(const iso_mjcf_reader* reader, const xmlNode* root,
                             const xmlNode* place, const char* wanted, const char** out_path) {
    iso_scene_build* build = reader->build;
    for (const xmlNode* s = iso_xml_first(root); s; s = iso_xml_next(s)) {
        const xmlNode* child = iso_xml_is(s, "asset") ? iso_xml_first(s) : NULL;
        for (; child; child = iso_xml_next(child)) {
            const char *name = NULL, *file = NULL;
            if (!iso_xml_is(child, "model")) {
                continue;
            }
            ISO_SCENE_TRY(iso_xml_required_attribute(build, child, "file", &file));
            ISO_SCENE_TRY(iso_xml_attribute(build, child, "name", &name));
            ISO_SCENE_TRY(iso_mjcf_resolve(reader, child, file, out_path));
            if (!name) {
                ISO_SCENE_TRY(read_model_name(build, iso_xml_source(child), *out_path, &name));
            }
            if (name && strcmp(name, wanted) == 0) {
                return ISO_OK;
            }
        }
    }
    return iso_scene_fail(build, iso_xml_source(place), ISO_ERR_NOT_FOUND,
                          "<attach>: there is no <model> named '%.80s' in <asset>", wanted);
}

static iso_status parse_attached(attachment* a, const char* path, bool is_self) {
    iso_mjcf_reader* reader = a->reader;
    iso_source at = iso_xml_source(a->place);
    char* bytes = NULL;
    size_t size = 0;
    int outer = reader->reading, sections = reader->sections.count;
    int defaults = reader->attached_defaults.count;
    ISO_SCENE_TRY(iso_scene_read_file(reader->build, at, path, &bytes, &size));
    iso_status status = ISO_ARRAY_GROW(reader->build->ctx, &reader->settings);
    if (status == ISO_OK) {
        reader->reading = reader->settings.count;
        reader->settings.data[reader->settings.count++] = iso_mjcf_settings_default(path);
        status = iso_mjcf_parse(reader, path, bytes, size, &a->root);
    }
    iso_free(reader->build->ctx, bytes);
    ISO_SCENE_TRY(status);
    ISO_SCENE_REQUIRE(reader->build, iso_xml_source(a->root), iso_xml_is(a->root, "mujoco"),
                      ISO_ERR_UNSUPPORTED, "an attached file begins with <%s>, expected <mujoco>",
                      iso_xml_name(a->root));
    ISO_SCENE_TRY(iso_mjcf_expand_includes(reader, a->root, 0));
    ISO_SCENE_TRY(is_self ? ISO_OK : iso_mjcf_expand_attachments(reader, a->root));
    ISO_SCENE_TRY(name_main_class(a));
    ISO_SCENE_TRY(take_bodies(a));
    ISO_SCENE_TRY(take_nested(a, sections, defaults));
    ISO_SCENE_TRY(take_sections(a));
    reader->reading = outer;
    return ISO_OK;
}

static iso_status attach(iso_mjcf_reader* reader, const xmlNode* root, xmlNode* place) {
    static const char* const known[] = {"model", "body", "frame", "prefix", NULL};
    iso_scene_build* build = reader->build;
    attachment a = {
        .reader = reader, .place = place, .prefix = "", .class_mark = "", .tag = "body"};
    iso_source at = iso_xml_source(place);
    const char *model = NULL, *frame = NULL, *prefix = NULL;
    const char* path = iso_mjcf_settings_of(reader, root)->path;
    iso_xml_warn_attributes(build, place, known);
    ISO_SCENE_TRY(iso_xml_attribute(build, place, "model", &model));
    ISO_SCENE_TRY(iso_xml_attribute(build, place, "body", &a.wanted));
    ISO_SCENE_TRY(iso_xml_attribute(build, place, "frame", &frame));
    ISO_SCENE_TRY(iso_xml_attribute(build, place, "prefix", &prefix));
    a.prefix = prefix ? prefix : a.prefix;
    a.tag = frame ? "frame" : a.tag;
    a.wanted = frame ? frame : a.wanted;
    ISO_SCENE_REQUIRE(build, at, model || a.wanted, ISO_ERR_PARSE,
                      "<attach> says neither which model nor which body or frame");
    ISO_SCENE_TRY(mark_classes(&a));
    if (!model) {
        iso_status status = parse_attached(&a, path, true);
        ISO_ARRAY_FREE(build->ctx, &a.names);
        return status;
    }
    ISO_SCENE_TRY(find_model(reader, root, place, model, &path));
    ISO_SCENE_TRY(iso_scene_enter_file(build, at, path));
    iso_status status = parse_attached(&a, path, false);
    iso_scene_leave_file(build);
    ISO_ARRAY_FREE(build->ctx, &a.names);
    return status;
}

static iso_status expand_below(iso_mjcf_reader* reader, const xmlNode* root, const xmlNode* node) {
    xmlNode* next = NULL;
    for (xmlNode* child = iso_xml_first(node); child; child = next) {
        next = iso_xml_next(child); // what is put in its place is complete already
        ISO_SCENE_TRY(iso_xml_is(child, "attach") ? attach(reader, root, child)
                                                  : expand_below(reader, root, child));
    }
    return ISO_OK;
}

// Each file is no deeper by itself, but they may hang one in the other.
static iso_status check_depth(const iso_mjcf_reader* reader, const xmlNode* node, int depth) {
    ISO_SCENE_REQUIRE(reader->build, iso_xml_source(node), depth < ISO_SCENE_MAX_NESTING,
                      ISO_ERR_RANGE, "elements are nested deeper than %d", ISO_SCENE_MAX_NESTING);
    for (const xmlNode* child = iso_xml_first(node); child; child = iso_xml_next(child)) {
        ISO_SCENE_TRY(check_depth(reader, child, depth + 1));
    }
    return ISO_OK;
}

iso_status iso_mjcf_expand_attachments(iso_mjcf_reader* reader, const xmlNode* root) {
    for (const xmlNode* s = iso_xml_first(root); s; s = iso_xml_next(s)) {
        ISO_SCENE_TRY(iso_xml_is(s, "worldbody") ? expand_below(reader, root, s) : ISO_OK);
    }
    return check_depth(reader, root, 0);
}
