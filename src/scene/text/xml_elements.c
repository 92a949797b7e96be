// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/text/xml.h"

#include <stdio.h>
#include <string.h>

// Most elements in a record.
#define MOST_ENTRIES 200

// What would be lost in silence: attributes that nobody reads, most of them misspelt, and second
// elements where the first one counts.

// Of another program's name space, whether or not that was declared.
static bool is_of_others(const char* name) {
    return strchr(name, ':') && strncmp(name, "drake:", 6) != 0 && strncmp(name, "isobar:", 7) != 0;
}

// As it is written, with its prefix. Returns text.
static const char* attribute_name(const xmlAttr* attribute, char* text, size_t size) {
    const char* prefix =
        attribute->ns && attribute->ns->prefix ? (const char*)attribute->ns->prefix : "";
    (void)snprintf(text, size, "%s%s%s", prefix, *prefix ? ":" : "", (const char*)attribute->name);
    return text;
}

void iso_xml_warn_attributes(iso_scene_build* build, const xmlNode* node,
                             const char* const* known) {
    iso_name_list list = iso_name_list_of(known, -1);
    for (const xmlAttr* attribute = node->properties; attribute; attribute = attribute->next) {
        char name[128], key[300], hint[ISO_NAME_TEXT_SIZE];
        attribute_name(attribute, name, sizeof name);
        if (is_of_others(name) || iso_name_list_find(&list, name) >= 0 ||
            iso_xml_attribute_says_default(attribute)) {
            continue;
        }
        (void)snprintf(key, sizeof key, "%s.%s", iso_xml_name(node), name);
        iso_scene_warn_once(build, iso_xml_source(node), key,
                            "attribute '%s' of <%s> has no meaning here and is ignored%s", name,
                            iso_xml_name(node), iso_name_list_hint(&list, name, hint, sizeof hint));
    }
}

void iso_xml_warn_children(iso_scene_build* build, const xmlNode* node, const char* const* known) {
    char name[160], key[340], hint[ISO_NAME_TEXT_SIZE];
    iso_name_list list = iso_name_list_of(known, -1);
    for (const xmlNode* child = iso_xml_first(node); child; child = iso_xml_next(child)) {
        iso_xml_full_name(child, name, sizeof name);
        if (!is_of_others(name) && !iso_xml_is_one_of(child, known)) {
            (void)snprintf(key, sizeof key, "%s in %s", name, iso_xml_name(node));
            iso_scene_warn_once(build, iso_xml_source(child), key,
                                "<%s> in <%s> has no meaning there and is ignored%s", name,
                                iso_xml_name(node),
                                iso_name_list_hint(&list, name, hint, sizeof hint));
        }
    }
}

// Is it called so: "frame", or "force_torque/frame" where it is in a <force_torque>?
static bool is_at(const xmlNode* node, const char* path) {
    const char* slash = strchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) : 0;
    bool is_inner = node->parent->type == XML_ELEMENT_NODE;
    const char* parent = is_inner ? (const char*)node->parent->name : "";
    return iso_xml_is(node, slash ? slash + 1 : path) &&
           (!slash || (strncmp(parent, path, length) == 0 && parent[length] == '\0'));
}

static const iso_xml_row* find_row(const iso_xml_row* rows, int count, const xmlNode* node) {
    for (int i = 0; i < count; ++i) {
        if (is_at(node, rows[i].element)) {
            return &rows[i];
        }
    }
    return NULL;
}

// Whatever is in these is there once.
static bool is_record(const xmlNode* element) {
    static const char* const k_records[] = {"drake:proximity_properties",
                                            "isobar:contact_properties",
                                            "drake:joint",
                                            "inertial",
                                            "inertia",
                                            "axis",
                                            "axis2",
                                            "limit",
                                            "dynamics",
                                            "mimic",
                                            "force_torque",
                                            NULL};
    return iso_xml_is_one_of(element, k_records);
}

// Elements that say one thing, and may say it once; others are kinds of which there are many, or
// those of other programs.
static bool says_one_thing(const xmlNode* element) {
    static const char* const k_names[] = {
        "inertial", "mass", "inertia", "origin", "pose", "geometry", "parent", "child", "axis",
        "axis2", "limit", "dynamics", "mimic", "drake:mimic", "safety_controller",
        // shapes
        "box", "sphere", "cylinder", "capsule", "drake:capsule", "ellipsoid", "drake:ellipsoid",
        "plane", "mesh", "size", "radius", "length", "radii", "normal", "uri", "scale",
        // of links, joints, models and collisions
        "gravity", "static", "surface", "ode", "mu", "mu2", "placement_frame", "thread_pitch",
        "screw_thread_pitch", "drake:screw_thread_pitch", "drake:rotor_inertia", "drake:gear_ratio",
        "drake:controller_gains", "drake:proximity_properties", "isobar:contact_properties",
        "collide_bitmask", "turnGravityOff", "mechanicalReduction", NULL};
    return iso_xml_is_one_of(element, k_names) || is_record(element->parent) ||
           (iso_xml_is(element, "material") && iso_xml_is(element->parent, "visual"));
}

// Contact properties may be said in any order, so none of two is the first.
static bool is_properties(const xmlNode* node) {
    return node->type == XML_ELEMENT_NODE && (iso_xml_is(node, "drake:proximity_properties") ||
                                              iso_xml_is(node, "isobar:contact_properties"));
}

// The first shape of a geometry counts, as in other programs; a polyline may have several parts.
static void check_shape(iso_scene_build* build, const xmlNode* element) {
    const xmlNode* first = iso_xml_first(element->parent);
    if (iso_xml_is(element->parent, "geometry") && element != first &&
        strcmp(iso_xml_name(element), iso_xml_name(first)) != 0) {
        iso_scene_warn_once(build, iso_xml_source(element), "shapes of one geometry",
                            "<%s> in <geometry> is ignored, its shape is the <%s> in line %d",
                            iso_xml_name(element), iso_xml_name(first), iso_xml_source(first).line);
    }
}

// Of other elements the first one counts, as in other programs.
static iso_status check_once(iso_scene_build* build, const xmlNode* element) {
    if (!says_one_thing(element)) {
        return ISO_OK;
    }
    char name[160], before[160], parent[160], key[340];
    bool is_entry = is_record(element->parent);
    int count = 0;
    iso_xml_full_name(element, name, sizeof name);
    iso_xml_full_name(element->parent, parent, sizeof parent);
    (void)snprintf(key, sizeof key, "a second %s in %s", name, parent);
    for (const xmlNode* other = element->prev; other; other = other->prev) {
        if (other->type != XML_ELEMENT_NODE) {
            continue;
        }
        ISO_SCENE_REQUIRE(build, iso_xml_source(element), !is_entry || ++count < MOST_ENTRIES,
                          ISO_ERR_RANGE, "more than %d elements in <%s>", MOST_ENTRIES, parent);
        if (strcmp(name, iso_xml_full_name(other, before, sizeof before)) != 0) {
            continue;
        }
        int first = iso_xml_source(other).line;
        ISO_SCENE_REQUIRE(build, iso_xml_source(element), !is_properties(element->parent),
                          ISO_ERR_PARSE, "a second <%s> in <%s>, the first is in line %d", name,
                          parent, first);
        iso_scene_warn_once(build, iso_xml_source(element), key,
                            "a second <%s> in <%s> is ignored, the first is in line %d", name,
                            parent, first);
        break;
    }
    return ISO_OK;
}

static bool holds_text(const xmlNode* node) {
    for (const xmlNode* part = node->children; part; part = part->next) {
        if (part->type == XML_TEXT_NODE && !xmlIsBlankNode(part)) {
            return true;
        }
    }
    return false;
}

// What other programs and renderers are told.
static bool is_foreign(const xmlNode* node) {
    static const char* const k_names[] = {"plugin", "light", "gui", "scene", NULL};
    char name[160];
    return is_of_others(iso_xml_full_name(node, name, sizeof name)) ||
           iso_xml_is_one_of(node, k_names);
}

const iso_xml_row* iso_xml_check_row(iso_scene_build* build, const xmlNode* node,
                                     const iso_xml_row* rows, int count) {
    const iso_xml_row* row = find_row(rows, count, node);
    if (row) {
        iso_xml_warn_attributes(build, node, row->attributes);
    }
    if (row && row->children) {
        iso_xml_warn_children(build, node, row->children);
    }
    return row;
}

iso_status iso_xml_check_elements(iso_scene_build* build, const xmlNode* node,
                                  const iso_xml_row* rows, int count) {
    static const char* const value[] = {"value", NULL}; // URDF's place of a value
    const iso_xml_row* row = iso_xml_check_row(build, node, rows, count);
    bool is_property = is_properties(node->parent);
    bool is_root = node->parent->type != XML_ELEMENT_NODE;
    const iso_xml_row* above = is_root ? NULL : find_row(rows, count, node->parent);
    bool is_stranger = above && above->children && !iso_xml_is_one_of(node, above->children);
    bool is_value = is_property || holds_text(node) || (!iso_xml_first(node) && !is_stranger);
    if (!row && is_value && !is_foreign(node)) {
        iso_xml_warn_attributes(build, node, value + holds_text(node));
        iso_xml_warn_children(build, node, value + 1);
    }
    if (!row) {
        return ISO_OK;
    }
    for (const xmlNode* child = iso_xml_first(node); child; child = iso_xml_next(child)) {
        ISO_SCENE_TRY(check_once(build, child));
        check_shape(build, child);
        ISO_SCENE_TRY(iso_xml_check_elements(build, child, rows, count));
    }
    return ISO_OK;
}
