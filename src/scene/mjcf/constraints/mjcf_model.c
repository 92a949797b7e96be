// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Contact models that MJCF names: texts of <custom>, which MuJoCo passes over.

#include "scene/mjcf/mjcf.h"
#include "scene/tags/isobar_tags.h"

#include <string.h>

#define PREFIX "isobar:"
#define KEY PREFIX "model"

static iso_status collect(iso_mjcf_reader* reader, const xmlNode* node, const char* name) {
    iso_scene_build* build = reader->build;
    size_t length = strlen(KEY);
    bool is_one = strncmp(name, KEY, length) == 0 && name[length] == ':' && name[length + 1];
    ISO_SCENE_REQUIRE(build, iso_xml_source(node),
                      iso_xml_is(node, "text") && (is_one || strcmp(name, KEY) == 0), ISO_ERR_PARSE,
                      "<%s>: name is '%.60s', expected <text> with " KEY " or " KEY ":GEOM_OR_PAIR",
                      iso_xml_name(node), name);
    const char* data = NULL;
    iso_material_spec spec = iso_material_spec_default();
    ISO_SCENE_TRY(iso_xml_required_attribute(build, node, "data", &data));
    ISO_SCENE_TRY(
        iso_isobar_read_model(build, iso_xml_source(node), "<text>: data of " KEY, data, &spec));
    ISO_SCENE_TRY(ISO_ARRAY_GROW(build->ctx, &reader->models));
    reader->models.data[reader->models.count++] =
        (iso_mjcf_model){.name = is_one ? name + length + 1 : "",
                         .node = node,
                         .kind = spec.value.model,
                         .is_used = !is_one};
    return ISO_OK;
}

// A name of some other program, but so near that it may be misspelt.
static iso_status warn_of_near_name(iso_mjcf_reader* reader, const xmlNode* node,
                                    const char* name) {
    static const char* const known[] = {KEY, NULL};
    iso_name_list list = iso_name_list_of(known, -1);
    const char *colon = strchr(name, ':'), *begin = NULL;
    const char* second = colon ? strchr(colon + 1, ':') : NULL;
    size_t length = second ? (size_t)(second - name) : strlen(name);
    ISO_SCENE_TRY(iso_scene_copy_text(reader->build, name, length, &begin));
    if (iso_name_list_nearest(&list, begin) >= 0) {
        iso_scene_warn_once(reader->build, iso_xml_source(node), name,
                            "<%s>: name is '%.60s', which means nothing here; did you mean '" KEY
                            "'?",
                            iso_xml_name(node), name);
    }
    return ISO_OK;
}

iso_status iso_mjcf_collect_models(iso_mjcf_reader* reader, const xmlNode* custom) {
    for (const xmlNode* child = iso_xml_first(custom); child; child = iso_xml_next(child)) {
        const char* name = NULL;
        ISO_SCENE_TRY(iso_xml_attribute(reader->build, child, "name", &name));
        if (name) {
            ISO_SCENE_TRY(strncmp(name, PREFIX, strlen(PREFIX)) == 0
                              ? collect(reader, child, name)
                              : warn_of_near_name(reader, child, name));
        }
    }
    return ISO_OK;
}

iso_contact_model_kind iso_mjcf_find_model(iso_mjcf_reader* reader, const char* name,
                                           bool is_geom) {
    iso_contact_model_kind of_all = ISO_CONTACT_MODEL_DEFAULT, own = ISO_CONTACT_MODEL_DEFAULT;
    bool has_own = false;
    for (int i = 0; i < reader->models.count; ++i) {
        iso_mjcf_model* model = &reader->models.data[i];
        if (!*model->name) {
            of_all = is_geom ? model->kind : of_all;
        } else if (name && iso_mjcf_is_named(reader, name, model->name)) {
            own = model->kind;
            has_own = model->is_used = true;
        }
    }
    return has_own ? own : of_all;
}

iso_status iso_mjcf_check_models(const iso_mjcf_reader* reader) {
    iso_name_list names =
        ISO_NAME_LIST(reader->geoms.data, reader->geoms.count, iso_mjcf_geom, name);
    for (int i = 0; i < reader->models.count; ++i) {
        const iso_mjcf_model* model = &reader->models.data[i];
        char hint[ISO_NAME_TEXT_SIZE];
        ISO_SCENE_REQUIRE(reader->build, iso_xml_source(model->node), model->is_used,
                          ISO_ERR_NOT_FOUND,
                          "<text>: " KEY ":%.60s names no geom and no pair of <contact>%s",
                          model->name, iso_name_list_hint(&names, model->name, hint, sizeof hint));
    }
    return ISO_OK;
}
