// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Names of an MJCF file: each is new in its list, and is found there.

#include "scene/mjcf/mjcf.h"

#include <string.h>

iso_status iso_mjcf_require_new_name(const iso_mjcf_reader* reader, const xmlNode* node,
                                     iso_name_list taken, const char* name) {
    for (int i = 0; name && *name && i < taken.count; ++i) {
        ISO_SCENE_REQUIRE(reader->build, iso_xml_source(node),
                          strcmp(iso_name_list_at(&taken, i), name) != 0, ISO_ERR_PARSE,
                          "<%s>: the name '%s' is taken", iso_xml_name(node), name);
    }
    return ISO_OK;
}

#define DEFINE_FIND(function, type, list, noun)                                                 \
    iso_status function(const iso_mjcf_reader* reader, const xmlNode* node, const char* name,   \
                        const type** out_found) {                                               \
        for (int i = 0; i < reader->list.count; ++i) {                                          \
            const type* found = &reader->list.data[i];                                          \
            if (iso_mjcf_is_named(reader, found->name, name)) {                                 \
                *out_found = found;                                                             \
                return ISO_OK;                                                                  \
            }                                                                                   \
        }                                                                                       \
        iso_name_list names = ISO_NAME_LIST(reader->list.data, reader->list.count, type, name); \
        return iso_scene_fail_missing(reader->build, iso_xml_source(node), &names, noun, name); \
    }

DEFINE_FIND(iso_mjcf_find_body, iso_mjcf_body, bodies, "body")
DEFINE_FIND(iso_mjcf_find_joint, iso_mjcf_joint, joints, "joint")
DEFINE_FIND(iso_mjcf_find_tendon, iso_mjcf_tendon, tendons, "tendon")
DEFINE_FIND(iso_mjcf_find_geom, iso_mjcf_geom, geoms, "geom")
DEFINE_FIND(iso_mjcf_find_site, iso_mjcf_site, sites, "site")
