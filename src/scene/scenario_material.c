// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/scenario.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

const char* const iso_scenario_property_keys[] = {
    "compliance",  "modulus",         "resolution_hint", "margin",          "slab_thickness",
    "dissipation", "relaxation_time", "friction",        "friction_static", "friction_dynamic",
    NULL};
_Static_assert(sizeof iso_scenario_property_keys / sizeof *iso_scenario_property_keys ==
                   ISO_SCENARIO_PROPERTY_COUNT + 1,
               "the count in the header is that of the keys");

typedef struct property {
    const char* key;
    size_t offset;
    unsigned bits;
    bool is_open; ///< 0 is excluded
} property;

static const property k_properties[] = {
    {"modulus", offsetof(iso_contact_material, modulus), ISO_MATERIAL_MODULUS, true},
    {"resolution_hint", offsetof(iso_contact_material, resolution_hint),
     ISO_MATERIAL_RESOLUTION_HINT, false},
    {"margin", offsetof(iso_contact_material, margin), ISO_MATERIAL_MARGIN, false},
    {"slab_thickness", offsetof(iso_contact_material, slab_thickness), ISO_MATERIAL_SLAB_THICKNESS,
     true},
    {"dissipation", offsetof(iso_contact_material, dissipation), ISO_MATERIAL_DISSIPATION, false},
    {"relaxation_time", offsetof(iso_contact_material, relaxation_time),
     ISO_MATERIAL_RELAXATION_TIME, false},
    {"friction", offsetof(iso_contact_material, friction_static), ISO_MATERIAL_FRICTION_STATIC,
     false},
    {"friction", offsetof(iso_contact_material, friction_dynamic), ISO_MATERIAL_FRICTION_DYNAMIC,
     false},
    {"friction_static", offsetof(iso_contact_material, friction_static),
     ISO_MATERIAL_FRICTION_STATIC, false},
    {"friction_dynamic", offsetof(iso_contact_material, friction_dynamic),
     ISO_MATERIAL_FRICTION_DYNAMIC, false},
};

iso_status iso_scenario_read_properties(const iso_scene_build* build, const iso_yaml_node* node,
                                        iso_material_spec* spec) {
    static const char* const compliances[] = {"default", "rigid", "compliant"};
    const iso_yaml_node* compliance = iso_yaml_get(node, "compliance");
    if (compliance) {
        int index = 0;
        ISO_SCENE_TRY(iso_yaml_get_choice(build, node, "compliance", compliances, 3, &index));
        spec->value.compliance = (iso_compliance)index;
        spec->stated |= ISO_MATERIAL_COMPLIANCE;
    }
    const iso_yaml_node* friction = iso_yaml_get(node, "friction");
    ISO_SCENE_REQUIRE(build, node->source,
                      !friction || (!iso_yaml_get(node, "friction_static") &&
                                    !iso_yaml_get(node, "friction_dynamic")),
                      ISO_ERR_PARSE,
                      "friction sets both friction_static and friction_dynamic; give one or two");
    for (size_t i = 0; i < sizeof k_properties / sizeof *k_properties; ++i) {
        const property* p = &k_properties[i];
        double value = 0.0;
        if (!iso_yaml_get(node, p->key)) {
            continue;
        }
        ISO_SCENE_TRY(iso_yaml_get_ranged(build, node, p->key, 0.0, p->is_open, 1e15, &value));
        memcpy((char*)&spec->value + p->offset, &value, sizeof value);
        spec->stated |= p->bits;
    }
    return ISO_OK;
}

iso_status iso_scenario_read_material(const iso_scenario* scenario, const iso_yaml_node* node,
                                      iso_material_spec* spec) {
    const iso_scene_build* build = scenario->build;
    const iso_yaml_node* name_node = iso_yaml_get(node, "material");
    if (name_node) {
        const char* name = NULL;
        ISO_SCENE_TRY(iso_yaml_text(build, name_node, "material", &name));
        const iso_yaml_node* named = iso_yaml_get(iso_yaml_get(scenario->root, "materials"), name);
        ISO_SCENE_REQUIRE(build, name_node->source, named, ISO_ERR_NOT_FOUND,
                          "there is no material '%s' in materials", name);
        ISO_SCENE_TRY(iso_scenario_read_properties(build, named, spec));
    }
    iso_material_spec own = iso_material_spec_default();
    ISO_SCENE_TRY(iso_scenario_read_properties(build, node, &own));
    iso_material_spec_apply(spec, &own);
    return iso_material_spec_finish(build, node->source, spec);
}

static iso_status check_named(const iso_scenario* scenario) {
    const iso_scene_build* build = scenario->build;
    const iso_yaml_node* materials = iso_yaml_get(scenario->root, "materials");
    if (iso_yaml_is_null(materials)) {
        return ISO_OK;
    }
    ISO_SCENE_REQUIRE(build, materials->source, materials->kind == ISO_YAML_MAPPING, ISO_ERR_PARSE,
                      "materials is not a mapping of names to properties");
    for (int i = 0; i < materials->count; ++i) {
        iso_material_spec spec = iso_material_spec_default();
        ISO_SCENE_TRY(iso_yaml_check_mapping(build, materials->children[i], materials->keys[i],
                                             iso_scenario_property_keys));
        ISO_SCENE_TRY(iso_scenario_read_properties(build, materials->children[i], &spec));
        ISO_SCENE_TRY(iso_material_spec_finish(build, materials->children[i]->source, &spec));
    }
    return ISO_OK;
}

static iso_status add_override(const iso_scenario* scenario, const iso_yaml_node* node) {
    iso_scene_build* build = scenario->build;
    const char* known[ISO_SCENARIO_PROPERTY_COUNT + 3] = {"geometry", "material"};
    for (int i = 0; iso_scenario_property_keys[i]; ++i) {
        known[i + 2] = iso_scenario_property_keys[i];
    }
    ISO_SCENE_TRY(iso_yaml_check_mapping(build, node, "contact_overrides", known));
    iso_material_override change = {.source = node->source};
    change.material = iso_material_spec_default();
    ISO_SCENE_TRY(iso_yaml_require_text(build, node, "an entry of contact_overrides", "geometry",
                                        &change.pattern));
    ISO_SCENE_TRY(iso_scenario_read_material(scenario, node, &change.material));
    ISO_SCENE_TRY(ISO_ARRAY_GROW(build->ctx, &build->overrides));
    build->overrides.data[build->overrides.count++] = change;
    return ISO_OK;
}

iso_status iso_scenario_read_materials(const iso_scenario* scenario) {
    iso_scene_build* build = scenario->build;
    ISO_SCENE_TRY(check_named(scenario));
    const iso_yaml_node* standard = iso_yaml_get(scenario->root, "default_material");
    if (!iso_yaml_is_null(standard)) {
        ISO_SCENE_TRY(iso_yaml_check_mapping(build, standard, "default_material",
                                             iso_scenario_property_keys));
        ISO_SCENE_TRY(iso_scenario_read_properties(build, standard, &build->default_material));
        ISO_SCENE_TRY(iso_material_spec_finish(build, standard->source, &build->default_material));
    }
    const iso_yaml_node* overrides = iso_yaml_get(scenario->root, "contact_overrides");
    if (iso_yaml_is_null(overrides)) {
        return ISO_OK;
    }
    ISO_SCENE_TRY(iso_yaml_check_sequence(build, overrides, "contact_overrides"));
    for (int i = 0; i < overrides->count; ++i) {
        ISO_SCENE_REQUIRE(build, overrides->children[i]->source,
                          overrides->children[i]->kind == ISO_YAML_MAPPING, ISO_ERR_PARSE,
                          "an entry of contact_overrides is not a mapping");
        ISO_SCENE_TRY(add_override(scenario, overrides->children[i]));
    }
    return ISO_OK;
}
