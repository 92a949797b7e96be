// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/mjcf/mjcf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// <replicate>: what it holds is read several times, each time a step further on. Names of copies
// get their number at the end; what refers to such a name from elsewhere is copied along.

#define NO_COPY (-1)

// Names of which there is no copy, so that nothing refers to them.
static iso_status list_absent(iso_mjcf_reader* reader, const xmlNode* node) {
    const char* name = NULL;
    for (const xmlNode* child = iso_xml_first(node); child; child = iso_xml_next(child)) {
        ISO_SCENE_TRY(iso_xml_attribute(reader->build, child, "name", &name));
        if (name && *name) {
            ISO_SCENE_TRY(ISO_ARRAY_GROW(reader->build->ctx, &reader->copies));
            reader->copies.data[reader->copies.count++] = (iso_mjcf_copy){name, "", NO_COPY};
        }
        ISO_SCENE_TRY(list_absent(reader, child));
    }
    return ISO_OK;
}

iso_status iso_mjcf_begin_copies(iso_mjcf_reader* reader, const xmlNode* node, int* child_class,
                                 iso_mjcf_replicate* out) {
    static const char* const known[] = {"count", "offset", "euler", "sep", "childclass", NULL};
    iso_scene_build* build = reader->build;
    iso_mjcf_item item = {node, -1};
    const char* text = NULL;
    double offset[3] = {0.0};
    *out = (iso_mjcf_replicate){
        .separator = "", .outer_suffix = reader->suffix, .outer_instance = reader->instance};
    iso_xml_warn_attributes(build, node, known);
    ISO_SCENE_TRY(iso_xml_required_attribute(build, node, "count", &text));
    ISO_SCENE_TRY(iso_mjcf_whole(reader, &item, "count", 0.0, ISO_SCENE_MAX_NAMES, &out->count));
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, &item, "offset", 3, 3, offset, NULL));
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, &item, "euler", 3, 3, out->angles, NULL));
    ISO_SCENE_TRY(iso_xml_attribute(build, node, "sep", &text));
    out->separator = text ? text : out->separator;
    out->offset = iso_vec3_make(offset[0], offset[1], offset[2]);
    for (const xmlNode* child = iso_xml_first(node); child; child = iso_xml_next(child)) {
        ISO_SCENE_REQUIRE(build, iso_xml_source(child),
                          !iso_xml_is(child, "joint") && !iso_xml_is(child, "freejoint") &&
                              !iso_xml_is(child, "inertial"),
                          ISO_ERR_UNSUPPORTED,
                          "<%s> in a <replicate>, expected it in a body that is copied",
                          iso_xml_name(child));
    }
    ISO_SCENE_TRY(out->count == 0 ? list_absent(reader, node) : ISO_OK);
    return iso_mjcf_find_class(reader, node, "childclass", child_class);
}

// Elements that all copies may have together, those included of which other elements are made.
#define MOST_COPIED (10 * ISO_SCENE_MAX_NAMES)
#define COST_OF_READING 5 // names are looked up, among all there are

static int count_elements(const xmlNode* node) {
    int count = 1;
    for (const xmlNode* child = iso_xml_first(node); child; child = iso_xml_next(child)) {
        count += count_elements(child);
    }
    return count;
}

static iso_status count_copied(iso_mjcf_reader* reader, const xmlNode* node, int count) {
    reader->copied += count;
    ISO_SCENE_REQUIRE(reader->build, iso_xml_source(node), reader->copied <= MOST_COPIED,
                      ISO_ERR_RANGE, "<replicate> makes more than %d copies of elements",
                      MOST_COPIED);
    return ISO_OK;
}

// Angles are multiples, which turns about several axes are not; offsets follow the turns.
iso_status iso_mjcf_next_copy(iso_mjcf_reader* reader, const xmlNode* node,
                              iso_mjcf_replicate* replicate, const iso_pose* x_frame,
                              iso_pose* out_x) {
    double angles[3];
    int index = replicate->index++;
    int width = snprintf(NULL, 0, "%d", replicate->count);
    ISO_SCENE_TRY(count_copied(reader, node, count_elements(node)));
    for (int i = 0; i < 3; ++i) {
        angles[i] = index * replicate->angles[i];
    }
    iso_pose x = {.r = iso_mjcf_euler_rotation(reader, node, angles), .p = replicate->place};
    replicate->place = iso_vec3_add(x.p, iso_mat3_mul_vec3(&x.r, replicate->offset));
    *out_x = iso_pose_mul(x_frame, &x);
    reader->instance = ++reader->instance_count;
    return iso_scene_format(reader->build, &reader->suffix, "%s%0*d%s", replicate->separator, width,
                            index, replicate->outer_suffix);
}

void iso_mjcf_end_copies(iso_mjcf_reader* reader, const iso_mjcf_replicate* replicate) {
    reader->suffix = replicate->outer_suffix;
    reader->instance = replicate->outer_instance;
}

iso_status iso_mjcf_name(iso_mjcf_reader* reader, const xmlNode* node, const char** out_name) {
    const char* base = NULL;
    ISO_SCENE_TRY(iso_xml_attribute(reader->build, node, "name", &base));
    *out_name = base;
    if (!base || !*base || !*reader->suffix) {
        return ISO_OK;
    }
    ISO_SCENE_TRY(ISO_ARRAY_GROW(reader->build->ctx, &reader->copies));
    reader->copies.data[reader->copies.count++] =
        (iso_mjcf_copy){base, reader->suffix, reader->instance};
    return iso_scene_format(reader->build, out_name, "%s%s", base, reader->suffix);
}

bool iso_mjcf_is_named(const iso_mjcf_reader* reader, const char* own, const char* name) {
    size_t length = strlen(name);
    return own && (strcmp(own, name) == 0 || (*reader->suffix && strncmp(own, name, length) == 0 &&
                                              strcmp(own + length, reader->suffix) == 0));
}

bool iso_mjcf_is_reference(const char* attribute) {
    static const char* const names[] = {
        "joint",     "joint1",     "joint2",   "jointinparent", "body",    "body1",
        "body2",     "geom",       "geom1",    "geom2",         "site",    "site1",
        "site2",     "refsite",    "tendon",   "tendon1",       "tendon2", "actuator",
        "cranksite", "slidersite", "sidesite", "objname",       "refname"};
    bool is_found = false;
    for (size_t i = 0; i < sizeof names / sizeof *names && !is_found; ++i) {
        is_found = strcmp(attribute, names[i]) == 0;
    }
    return is_found;
}

// Does an element, or one in it, refer to this name?
static bool refers_to(const xmlNode* node, const char* name) {
    for (const xmlAttr* attribute = node->properties; attribute; attribute = attribute->next) {
        const xmlNode* value = attribute->children;
        if (value && value->content && !value->next &&
            strcmp((const char*)value->content, name) == 0 &&
            iso_mjcf_is_reference((const char*)attribute->name)) {
            return true;
        }
    }
    for (const xmlNode* child = iso_xml_first(node); child; child = iso_xml_next(child)) {
        if (refers_to(child, name)) {
            return true;
        }
    }
    return false;
}

// An element and the copy it is read for.
typedef struct reading {
    const xmlNode* node;
    const char* suffix;
    int instance, order;
} reading;

typedef struct reading_list {
    ISO_ARRAY(reading) items;
} reading_list;

static int compare_readings(const void* a, const void* b) {
    const reading *x = a, *y = b;
    return x->instance != y->instance ? (x->instance > y->instance) - (x->instance < y->instance)
                                      : (x->order > y->order) - (x->order < y->order);
}

static iso_status add_reading(iso_context* ctx, reading_list* list, const xmlNode* node,
                              const char* suffix, int instance) {
    ISO_SCENE_TRY(ISO_ARRAY_GROW(ctx, &list->items));
    list->items.data[list->items.count] = (reading){node, suffix, instance, list->items.count};
    ++list->items.count;
    return ISO_OK;
}

// Once for each copy that an element refers to, else once; not where it has no copy.
static iso_status add_readings(iso_mjcf_reader* reader, const xmlNode* node, reading_list* list) {
    int first = list->items.count;
    const char* absent = NULL;
    for (int i = 0; i < reader->copies.count; ++i) {
        const iso_mjcf_copy* copy = &reader->copies.data[i];
        bool is_new = refers_to(node, copy->base);
        if (copy->instance == NO_COPY) {
            absent = is_new ? copy->base : absent;
            continue;
        }
        for (int j = first; j < list->items.count && is_new; ++j) {
            is_new = list->items.data[j].instance != copy->instance;
        }
        if (is_new) {
            ISO_SCENE_TRY(count_copied(reader, node, COST_OF_READING));
            ISO_SCENE_TRY(
                add_reading(reader->build->ctx, list, node, copy->suffix, copy->instance));
        }
    }
    if (absent && list->items.count == first) {
        iso_scene_warn_once(reader->build, iso_xml_source(node), absent,
                            "<%s> is left out: <replicate> makes no copy of '%s'",
                            iso_xml_name(node), absent);
        return ISO_OK;
    }
    return list->items.count > first ? ISO_OK : add_reading(reader->build->ctx, list, node, "", 0);
}

iso_status iso_mjcf_each_copy(iso_mjcf_reader* reader, const char* name, iso_mjcf_fn fn) {
    reading_list list = {0};
    iso_status status = ISO_OK;
    for (int i = 0; i < reader->sections.count; ++i) {
        const xmlNode* section = reader->sections.data[i];
        const xmlNode* child = iso_xml_is(section, name) ? iso_xml_first(section) : NULL;
        for (; child && status == ISO_OK; child = iso_xml_next(child)) {
            status = add_readings(reader, child, &list);
        }
    }
    if (list.items.count > 0) {
        qsort(list.items.data, (size_t)list.items.count, sizeof *list.items.data, compare_readings);
    }
    for (int i = 0; i < list.items.count && status == ISO_OK; ++i) {
        reader->suffix = list.items.data[i].suffix;
        reader->instance = list.items.data[i].instance;
        status = fn(reader, list.items.data[i].node);
    }
    reader->suffix = "";
    reader->instance = 0;
    ISO_ARRAY_FREE(reader->build->ctx, &list.items);
    return status;
}
