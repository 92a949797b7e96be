// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/xml.h"

#include <stdio.h>
#include <string.h>

// Attributes that nobody reads: most are misspelt, and what they say would be lost in silence.

void iso_xml_warn_attributes(iso_scene_build* build, const xmlNode* node,
                             const char* const* known) {
    iso_name_list list = iso_name_list_of(known, -1);
    for (const xmlAttr* attribute = node->properties; attribute; attribute = attribute->next) {
        const char* name = (const char*)attribute->name;
        if (attribute->ns || strchr(name, ':') || iso_name_list_find(&list, name) >= 0) {
            continue;
        }
        char key[160], hint[ISO_NAME_TEXT_SIZE];
        (void)snprintf(key, sizeof key, "%s.%s", iso_xml_name(node), name);
        iso_scene_warn_once(build, iso_xml_source(node), key,
                            "attribute '%s' of <%s> has no meaning here and is ignored%s", name,
                            iso_xml_name(node), iso_name_list_hint(&list, name, hint, sizeof hint));
    }
}

static const iso_xml_row* find_row(const iso_xml_row* rows, int count, const xmlNode* node) {
    for (int i = 0; i < count; ++i) {
        if (iso_xml_is(node, rows[i].element)) {
            return &rows[i];
        }
    }
    return NULL;
}

void iso_xml_warn_attributes_below(iso_scene_build* build, const xmlNode* node,
                                   const iso_xml_row* rows, int count) {
    const iso_xml_row* row = find_row(rows, count, node);
    if (!row) {
        return;
    }
    iso_xml_warn_attributes(build, node, row->attributes);
    for (const xmlNode* child = iso_xml_first(node); child; child = iso_xml_next(child)) {
        iso_xml_warn_attributes_below(build, child, rows, count);
    }
}
