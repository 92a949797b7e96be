// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/tags/isobar_tags.h"

#include "base/values/name.h"
#include "isobar/names.h"
#include "scene/tags/drake_tags.h"
#include "scene/tags/material_keys.h"

#include <string.h>

#define PREFIX "isobar:"

// Tags whose values are no numbers, behind which those of iso_material_keys follow.
static const char* const k_choices[] = {"compliance", "extent",      "modulus_table", "layers",
                                        "keep_mesh",  "bonded_skin", "model"};
#define CHOICE_COUNT ((int)(sizeof k_choices / sizeof *k_choices))

static const char* tag_name(const void* owner, int index) {
    (void)owner;
    return index < CHOICE_COUNT ? k_choices[index] : iso_material_keys[index - CHOICE_COUNT].name;
}

// The tag without its prefix; NULL when it is none of these.
static const char* key_of(const xmlNode* element) {
    char name[64];
    for (int i = 0; i < CHOICE_COUNT + iso_material_key_count; ++i) {
        snprintf(name, sizeof name, PREFIX "%s", tag_name(NULL, i));
        if (iso_xml_is(element, name)) {
            return tag_name(NULL, i);
        }
    }
    return NULL;
}

static iso_status read_choice(const iso_scene_build* build, iso_source at, const char* key,
                              const char* text, const char* const* names, int* out_index) {
    for (int i = 0; names[i]; ++i) {
        if (strcmp(text, names[i]) == 0) {
            *out_index = i;
            return ISO_OK;
        }
    }
    return iso_scene_fail(build, at, ISO_ERR_PARSE,
                          "<" PREFIX "%s> is '%.40s', expected one of %s, %s, %s", key, text,
                          names[0], names[1], names[2]);
}

static int count_words(const char* text) {
    int count = 0;
    for (const char* c = text + strspn(text, " \t\r\n"); *c; c += strspn(c, " \t\r\n")) {
        ++count;
        c += strcspn(c, " \t\r\n");
    }
    return count;
}

static iso_status read_table(iso_scene_build* build, const xmlNode* element, const char* text,
                             iso_material_spec* spec) {
    iso_source at = iso_xml_source(element);
    int count = count_words(text);
    ISO_SCENE_REQUIRE(build, at, count >= 2 && count % 2 == 0 && count <= 2 * ISO_SCENE_MAX_ROWS,
                      ISO_ERR_PARSE,
                      "<" PREFIX "modulus_table> has %d numbers, expected pairs of extent and "
                      "modulus, at most %d",
                      count, ISO_SCENE_MAX_ROWS);
    double* numbers = iso_arena_push_array(&build->arena, count, sizeof *numbers);
    ISO_REQUIRE(build->ctx, numbers, ISO_ERR_MEMORY, "table of %d numbers", count);
    ISO_SCENE_TRY(iso_xml_parse_numbers(build, element, "its value", text, count, numbers));
    return iso_material_spec_set_table(build, at, numbers, count / 2, spec);
}

static iso_status read_number(iso_scene_build* build, const xmlNode* element, const char* key,
                              const char* text, iso_material_spec* spec) {
    double value = 0.0;
    ISO_SCENE_TRY(iso_xml_parse_numbers(build, element, "its value", text, 1, &value));
    if (strcmp(key, "layers") == 0) {
        return iso_material_spec_set_layers(build, iso_xml_source(element), value, spec);
    }
    for (int i = 0; i < iso_material_key_count; ++i) {
        const iso_material_key* k = &iso_material_keys[i];
        if (strcmp(key, k->name) == 0) {
            ISO_SCENE_REQUIRE(build, iso_xml_source(element),
                              (value > 0.0 || (!k->is_open && value == 0.0)) && value <= k->upper,
                              ISO_ERR_RANGE, "<" PREFIX "%s> is %g, expected %s 0 and <= %g", key,
                              value, k->is_open ? ">" : ">=", k->upper);
            iso_material_spec_set(spec, k, value);
        }
    }
    return ISO_OK;
}

// <isobar:keep_mesh>, <isobar:bonded_skin>
static iso_status read_flag(const iso_scene_build* build, iso_source at, const char* key,
                            const char* text, iso_material_spec* spec) {
    bool is_true = strcmp(text, "true") == 0;
    ISO_SCENE_REQUIRE(build, at, is_true || strcmp(text, "false") == 0, ISO_ERR_PARSE,
                      "<" PREFIX "%s> is '%.40s', expected true or false", key, text);
    if (strcmp(key, "keep_mesh") == 0) {
        spec->value.is_mesh_kept = is_true;
        spec->stated |= ISO_MATERIAL_KEEP_MESH;
    } else {
        spec->value.is_skin_bonded = is_true;
        spec->stated |= ISO_MATERIAL_BONDED_SKIN;
    }
    return ISO_OK;
}

iso_status iso_isobar_read_model(const iso_scene_build* build, iso_source at, const char* what,
                                 const char* text, iso_material_spec* spec) {
    static const char* const names[] = {"pressure_field", "hertz", "volumetric", NULL};
    iso_name_list list = iso_name_list_of(names, -1);
    char hint[ISO_NAME_TEXT_SIZE];
    int kind = iso_name_find(ISO_NAMES_CONTACT_MODEL_KIND, text);
    ISO_SCENE_REQUIRE(build, at, kind >= 0, ISO_ERR_PARSE,
                      "%s is '%.40s', expected one of pressure_field, hertz, volumetric%s", what,
                      text, iso_name_list_hint(&list, text, hint, sizeof hint));
    spec->value.model = (iso_contact_model_kind)kind;
    spec->stated |= ISO_MATERIAL_MODEL;
    return ISO_OK;
}

static iso_status read_tag(iso_scene_build* build, const xmlNode* element,
                           iso_material_spec* spec) {
    static const char* const compliances[] = {"default", "rigid", "compliant", NULL};
    const char* key = key_of(element);
    const char* text = NULL;
    int index = 0;
    if (!key) {
        iso_name_list list = {.at = tag_name, .count = CHOICE_COUNT + iso_material_key_count};
        iso_xml_warn_misspelt(build, element, iso_xml_name(element), &list);
        return ISO_OK;
    }
    iso_source at = iso_xml_source(element);
    ISO_SCENE_TRY(iso_xml_attribute_or_text(build, element, "value", &text));
    if (strcmp(key, "compliance") == 0) {
        ISO_SCENE_TRY(read_choice(build, at, key, text, compliances, &index));
        spec->value.compliance = (iso_compliance)index;
        spec->stated |= ISO_MATERIAL_COMPLIANCE;
        return ISO_OK;
    }
    if (strcmp(key, "model") == 0) {
        return iso_isobar_read_model(build, at, "<" PREFIX "model>", text, spec);
    }
    if (strcmp(key, "extent") == 0) {
        ISO_SCENE_TRY(read_choice(build, at, key, text, iso_extent_names, &index));
        spec->value.extent_kind = (iso_extent_kind)index;
        spec->stated |= ISO_MATERIAL_EXTENT;
        return ISO_OK;
    }
    if (strcmp(key, "margin") == 0 && strcmp(text, "auto") == 0) {
        spec->value.margin = ISO_MARGIN_AUTO;
        spec->stated |= ISO_MATERIAL_MARGIN;
        return ISO_OK;
    }
    if (strcmp(key, "keep_mesh") == 0 || strcmp(key, "bonded_skin") == 0) {
        return read_flag(build, at, key, text, spec);
    }
    if (strcmp(key, "modulus_table") == 0) {
        return read_table(build, element, text, spec);
    }
    return read_number(build, element, key, text, spec);
}

static iso_status read_properties(iso_scene_build* build, const xmlNode* element,
                                  iso_material_spec* spec) {
    iso_material_spec own = iso_material_spec_default();
    for (const xmlNode* tag = iso_xml_first(element); tag; tag = iso_xml_next(tag)) {
        ISO_SCENE_TRY(read_tag(build, tag, &own));
    }
    ISO_SCENE_TRY(iso_material_spec_check_rivals(build, iso_xml_source(element), &own));
    iso_material_spec_apply(spec, &own);
    return ISO_OK;
}

iso_status iso_isobar_read_contact(iso_scene_build* build, const xmlNode* collision,
                                   iso_material_spec* spec) {
    const xmlNode* proximity = iso_xml_child(collision, "drake:proximity_properties");
    const xmlNode* own = iso_xml_child(collision, "isobar:contact_properties");
    ISO_SCENE_TRY(proximity ? iso_drake_read_proximity(build, proximity, spec) : ISO_OK);
    return own ? read_properties(build, own, spec) : ISO_OK;
}
