// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Names of an MJCF file: each is new in its list, and is found there.

#include "scene/mjcf/mjcf.h"

iso_status iso_mjcf_require_new_name(const iso_mjcf_reader* reader, const xmlNode* node, int kind,
                                     iso_name_list taken, const char* name) {
    iso_scene_build* build = reader->build;
    int found = -1;
    ISO_SCENE_TRY(iso_name_index_find(build->ctx, &reader->indices[kind], &taken, name, &found));
    ISO_SCENE_REQUIRE(build, iso_xml_source(node), found < 0, ISO_ERR_PARSE,
                      "<%s>: the name '%s' is taken", iso_xml_name(node), name);
    return ISO_OK;
}

// The first thing of a name, or of what becomes of the name in the copy that is read.
static iso_status find_named(const iso_mjcf_reader* reader, int kind, const iso_name_list* list,
                             const char* name, int* out_index) {
    iso_scene_build* build = reader->build;
    iso_name_index* index = &reader->indices[kind];
    int found = -1, copy = -1;
    ISO_SCENE_TRY(iso_name_index_find(build->ctx, index, list, name, &found));
    if (*reader->suffix) {
        const char* copied = NULL;
        ISO_SCENE_TRY(iso_scene_format(build, &copied, "%s%s", name, reader->suffix));
        ISO_SCENE_TRY(iso_name_index_find(build->ctx, index, list, copied, &copy));
        found = found < 0 || (copy >= 0 && copy < found) ? copy : found;
    }
    *out_index = found;
    return ISO_OK;
}

#define DEFINE_FIND(function, kind, type, list, noun)                                           \
    iso_status function(const iso_mjcf_reader* reader, const xmlNode* node, const char* name,   \
                        const type** out_found) {                                               \
        iso_name_list names = ISO_NAME_LIST(reader->list.data, reader->list.count, type, name); \
        int index = -1;                                                                         \
        ISO_SCENE_TRY(find_named(reader, kind, &names, name, &index));                          \
        if (index < 0) {                                                                        \
            return iso_scene_fail_missing(reader->build, iso_xml_source(node), &names, noun,    \
                                          name);                                                \
        }                                                                                       \
        *out_found = &reader->list.data[index];                                                 \
        return ISO_OK;                                                                          \
    }

DEFINE_FIND(iso_mjcf_find_body, ISO_MJCF_BODIES, iso_mjcf_body, bodies, "body")
DEFINE_FIND(iso_mjcf_find_joint, ISO_MJCF_JOINTS, iso_mjcf_joint, joints, "joint")
DEFINE_FIND(iso_mjcf_find_tendon, ISO_MJCF_TENDONS, iso_mjcf_tendon, tendons, "tendon")
DEFINE_FIND(iso_mjcf_find_geom, ISO_MJCF_GEOMS, iso_mjcf_geom, geoms, "geom")
DEFINE_FIND(iso_mjcf_find_site, ISO_MJCF_SITES, iso_mjcf_site, sites, "site")
