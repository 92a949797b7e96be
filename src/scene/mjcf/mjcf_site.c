// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Sites of an MJCF file, and the frames that they become.

#include "scene/mjcf/mjcf.h"

const char* const iso_mjcf_site_attributes[] = {
    "name",   "class", "pos",   "quat",     "axisangle", "xyaxes", "zaxis", "euler",
    "fromto", "type",  "group", "material", "rgba",      "size",   "user",  NULL};

iso_status iso_mjcf_add_site(iso_mjcf_reader* reader, const iso_mjcf_item* item, int body,
                             const iso_pose* x_frame) {
    iso_mjcf_site site = {.body = body};
    iso_pose x;
    iso_xml_warn_attributes(reader->build, item->node, iso_mjcf_site_attributes);
    ISO_SCENE_TRY(iso_mjcf_name(reader, item->node, &site.name));
    if (!site.name) {
        return ISO_OK; // nothing can refer to it
    }
    ISO_SCENE_TRY(iso_mjcf_require_new_name(
        reader, item->node, ISO_MJCF_SITES,
        ISO_NAME_LIST(reader->sites.data, reader->sites.count, iso_mjcf_site, name), site.name));
    const char* ends = NULL;
    iso_shape_desc shape, solid;
    ISO_SCENE_TRY(iso_mjcf_text(reader, item, "fromto", &ends));
    ISO_SCENE_TRY(ends ? iso_mjcf_read_shape(reader, item, &shape, &solid, &x)
                       : iso_mjcf_pose(reader, item, &x));
    site.x_bs = iso_pose_mul(x_frame, &x);
    site.item = *item;
    ISO_SCENE_TRY(ISO_ARRAY_GROW(reader->build->ctx, &reader->sites));
    reader->sites.data[reader->sites.count++] = site;
    return ISO_OK;
}

iso_status iso_mjcf_add_frames(const iso_mjcf_reader* reader) {
    iso_scene_build* build = reader->build;
    for (int i = 0; i < reader->sites.count; ++i) {
        const iso_mjcf_site* site = &reader->sites.data[i];
        iso_source at = iso_xml_source(site->item.node);
        const char* name = NULL;
        ISO_SCENE_TRY(iso_scene_scoped(build, reader->scope, site->name, &name));
        bool is_frame = false;
        ISO_SCENE_TRY(iso_scene_is_frame(build, name, &is_frame));
        if (is_frame) { // a body may have the name of a site
            ISO_SCENE_TRY(iso_scene_format(build, &name, "%s_site", name));
        }
        int body = reader->bodies.data[site->body].body;
        ISO_SCENE_TRY(iso_scene_add_frame(build, at, name, body, &site->x_bs));
    }
    return ISO_OK;
}
