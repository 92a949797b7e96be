// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/scenario/scenario.h"
#include "scene/tags/material_keys.h"

#include <ctype.h>
#include <string.h>

const char* const iso_scenario_property_keys[] = {"compliance",
                                                  "modulus",
                                                  "resolution_hint",
                                                  "margin",
                                                  "slab_thickness",
                                                  "dissipation",
                                                  "relaxation_time",
                                                  "friction",
                                                  "friction_static",
                                                  "friction_dynamic",
                                                  "extent",
                                                  "stiffening",
                                                  "modulus_table",
                                                  "layers",
                                                  "expansion_rate",
                                                  "restitution",
                                                  "restitution_speed",
                                                  "restitution_slope",
                                                  "adhesion",
                                                  "keep_mesh",
                                                  "bonded_skin",
                                                  "model",
                                                  "young_modulus",
                                                  "poisson_ratio",
                                                  NULL};
_Static_assert(sizeof iso_scenario_property_keys / sizeof *iso_scenario_property_keys ==
                   ISO_SCENARIO_PROPERTY_COUNT + 1,
               "the count in the header is that of the keys");

static iso_status read_material_choices(const iso_scene_build* build, const iso_yaml_node* node,
                                        iso_material_spec* spec) {
    static const char* const compliances[] = {"default", "rigid", "compliant"};
    int index = 0;
    if (iso_yaml_get(node, "compliance")) {
        ISO_SCENE_TRY(iso_yaml_get_choice(build, node, "compliance", compliances, 3, &index));
        spec->value.compliance = (iso_compliance)index;
        spec->stated |= ISO_MATERIAL_COMPLIANCE;
    }
    if (iso_yaml_get(node, "extent")) {
        ISO_SCENE_TRY(iso_yaml_get_choice(build, node, "extent", iso_extent_names, 3, &index));
        spec->value.extent_kind = (iso_extent_kind)index;
        spec->stated |= ISO_MATERIAL_EXTENT;
    }
    if (iso_yaml_get(node, "model")) {
        ISO_SCENE_TRY(
            iso_yaml_get_name(build, node, "model", ISO_NAMES_CONTACT_MODEL_KIND, &index));
        spec->value.model = (iso_contact_model_kind)index;
        spec->stated |= ISO_MATERIAL_MODEL;
    }
    if (iso_yaml_get(node, "keep_mesh")) {
        ISO_SCENE_TRY(iso_yaml_get_bool(build, node, "keep_mesh", &spec->value.is_mesh_kept));
        spec->stated |= ISO_MATERIAL_KEEP_MESH;
    }
    if (iso_yaml_get(node, "bonded_skin")) {
        ISO_SCENE_TRY(iso_yaml_get_bool(build, node, "bonded_skin", &spec->value.is_skin_bonded));
        spec->stated |= ISO_MATERIAL_BONDED_SKIN;
    }
    const iso_yaml_node* layers = iso_yaml_get(node, "layers");
    double count = 0.0;
    if (layers) {
        ISO_SCENE_TRY(iso_yaml_number(build, layers, "layers", &count));
        ISO_SCENE_TRY(iso_material_spec_set_layers(build, layers->source, count, spec));
    }
    return ISO_OK;
}

static iso_status read_table(iso_scene_build* build, const iso_yaml_node* table,
                             iso_material_spec* spec) {
    if (!table) {
        return ISO_OK;
    }
    ISO_SCENE_REQUIRE(build, table->source, table->kind == ISO_YAML_SEQUENCE && table->count > 0,
                      ISO_ERR_PARSE,
                      "modulus_table is no list of rows, expected [[extent, modulus], ...]");
    double* numbers = iso_arena_push_array(&build->arena, 2 * table->count, sizeof *numbers);
    ISO_REQUIRE(build->ctx, numbers, ISO_ERR_MEMORY, "table of %d moduli", table->count);
    for (int i = 0; i < table->count; ++i) {
        const iso_yaml_node* row = table->children[i];
        ISO_SCENE_REQUIRE(build, row->source, row->kind == ISO_YAML_SEQUENCE, ISO_ERR_PARSE,
                          "row %d of modulus_table is no list, expected [extent, modulus]", i + 1);
        ISO_SCENE_TRY(iso_yaml_numbers(build, row, "a row of modulus_table", 2, numbers + 2 * i));
    }
    return iso_material_spec_set_table(build, table->source, numbers, table->count, spec);
}

static bool is_auto(const iso_yaml_node* node) {
    return node && node->kind == ISO_YAML_SCALAR && strcmp(node->text, "auto") == 0;
}

static bool is_word(const char* text) {
    return isalpha((unsigned char)text[0]);
}

static bool is_learned(const char* key, const iso_yaml_node* node) {
    return node->kind == ISO_YAML_MAPPING && strcmp(key, "friction") == 0;
}

// {table: FILE, pressure: P}
static iso_status read_friction_table(iso_scene_build* build, const iso_yaml_node* node,
                                      iso_material_spec* spec) {
    static const char* const known[] = {"table", "pressure", NULL};
    const char* uri = NULL;
    iso_yaml_node* value = NULL;
    double pressure = 0.0;
    ISO_SCENE_TRY(iso_yaml_check_mapping(build, node, "friction with a table", known));
    ISO_SCENE_TRY(iso_yaml_require_text(build, node, "friction", "table", &uri));
    ISO_SCENE_TRY(iso_yaml_require(build, node, "friction with a table", "pressure", &value));
    ISO_SCENE_TRY(
        iso_yaml_get_ranged(build, node, "pressure", 0.0, true, ISO_SCENE_MAX_PRESSURE, &pressure));
    return iso_scene_friction_of_table(build, node->source, uri, pressure, spec);
}

// {bristle: {sigma0: ..., ...}}: the seven parameters.
static iso_status read_bristles(const iso_scene_build* build, const iso_yaml_node* node,
                                iso_material_spec* spec) {
    static const char* const known_friction[] = {"bristle", NULL};
    static const char* const known[] = {"sigma0",  "sigma1",         "sigma2",     "static",
                                        "dynamic", "stribeck_speed", "dwell_time", NULL};
    const iso_yaml_node* own = iso_yaml_get(node, "bristle");
    iso_contact_material* m = &spec->value;
    iso_yaml_node* value = NULL;
    ISO_SCENE_TRY(iso_yaml_check_mapping(build, node, "friction with bristles", known_friction));
    ISO_SCENE_TRY(iso_yaml_check_mapping(build, own, "bristle", known));
    ISO_SCENE_TRY(iso_yaml_require(build, own, "bristle", "sigma0", &value));
    const struct {
        const char* key;
        double upper;
        bool is_open;
        double* target;
        unsigned bit;
    } rows[] = {
        {"sigma0", 1e12, true, &m->bristle_stiffness, ISO_MATERIAL_BRISTLES},
        {"sigma1", 1e12, true, &m->bristle_damping, ISO_MATERIAL_BRISTLES},
        {"sigma2", 1e12, false, &m->bristle_viscous, ISO_MATERIAL_BRISTLES},
        {"stribeck_speed", ISO_SCENE_MAX_SPEED, true, &m->stribeck_speed, ISO_MATERIAL_BRISTLES},
        {"dwell_time", ISO_SCENE_MAX_TIME, false, &m->dwell_time, ISO_MATERIAL_BRISTLES},
        {"static", ISO_SCENE_MAX_FRICTION, false, &m->friction_static,
         ISO_MATERIAL_FRICTION_STATIC},
        {"dynamic", ISO_SCENE_MAX_FRICTION, false, &m->friction_dynamic,
         ISO_MATERIAL_FRICTION_DYNAMIC},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        if (iso_yaml_get(own, rows[i].key)) {
            ISO_SCENE_TRY(iso_yaml_get_ranged(build, own, rows[i].key, 0.0, rows[i].is_open,
                                              rows[i].upper, rows[i].target));
            spec->stated |= rows[i].bit;
        }
    }
    return ISO_OK;
}

// {learned: FILE, material: NAME}, or the material's own numbers in the place of its name.
static iso_status read_learned(iso_scene_build* build, const iso_yaml_node* node,
                               iso_material_spec* spec) {
    static const char* const known[] = {"learned",  "material", "young_modulus",
                                        "poisson",  "density",  "table",
                                        "pressure", "bristle",  NULL};
    const char *uri = NULL, *name = NULL;
    iso_learned_material own = {.poisson = -1.0};
    if (iso_yaml_get(node, "bristle")) {
        return read_bristles(build, node, spec);
    }
    ISO_SCENE_TRY(iso_yaml_check_mapping(build, node, "friction", known));
    if (iso_yaml_get(node, "table")) {
        return read_friction_table(build, node, spec);
    }
    ISO_SCENE_TRY(iso_yaml_require_text(build, node, "friction", "learned", &uri));
    ISO_SCENE_TRY(iso_yaml_get_text(build, node, "material", &name));
    int given = 0;
    for (int i = 2; i < 5; ++i) {
        given += iso_yaml_get(node, known[i]) ? 1 : 0;
    }
    ISO_SCENE_REQUIRE(build, node->source, name ? given == 0 : given == 3, ISO_ERR_PARSE,
                      "friction needs either material, a name of the model, or young_modulus, "
                      "poisson and density of its own");
    ISO_SCENE_TRY(
        iso_yaml_get_ranged(build, node, "young_modulus", 0.0, true, 1e15, &own.young_modulus));
    ISO_SCENE_TRY(iso_yaml_get_ranged(build, node, "poisson", -1.0, true, 0.5, &own.poisson));
    ISO_SCENE_TRY(iso_yaml_get_ranged(build, node, "density", 0.0, true, 1e9, &own.density));
    return iso_scene_learn(build, node->source, uri, name, &own, spec);
}

static iso_status read_numbers(const iso_scene_build* build, const iso_yaml_node* node,
                               iso_material_spec* spec) {
    for (int i = 0; i < iso_material_key_count; ++i) {
        const iso_material_key* key = &iso_material_keys[i];
        const iso_yaml_node* value_node = iso_yaml_get(node, key->name);
        double value = ISO_MARGIN_AUTO;
        if (!value_node || is_learned(key->name, value_node)) {
            continue;
        }
        bool is_margin = key->bits == ISO_MATERIAL_MARGIN;
        if (!is_margin || !is_auto(value_node)) {
            ISO_SCENE_REQUIRE(
                build, value_node->source,
                !is_margin || value_node->kind != ISO_YAML_SCALAR || !is_word(value_node->text),
                ISO_ERR_PARSE, "margin is '%.80s', expected a number or auto", value_node->text);
            ISO_SCENE_TRY(
                iso_yaml_get_ranged(build, node, key->name, 0.0, key->is_open, key->upper, &value));
        }
        iso_material_spec_set(spec, key, value);
    }
    return ISO_OK;
}

iso_status iso_scenario_read_properties(iso_scene_build* build, const iso_yaml_node* node,
                                        iso_material_spec* spec) {
    iso_material_spec own = iso_material_spec_default();
    ISO_SCENE_TRY(read_material_choices(build, node, &own));
    const iso_yaml_node* friction = iso_yaml_get(node, "friction");
    ISO_SCENE_REQUIRE(build, node->source,
                      !friction || (!iso_yaml_get(node, "friction_static") &&
                                    !iso_yaml_get(node, "friction_dynamic")),
                      ISO_ERR_PARSE,
                      "friction sets both friction_static and friction_dynamic; give one or two");
    ISO_SCENE_TRY(read_numbers(build, node, &own));
    if (friction && is_learned("friction", friction)) {
        ISO_SCENE_TRY(read_learned(build, friction, &own));
    }
    ISO_SCENE_TRY(read_table(build, iso_yaml_get(node, "modulus_table"), &own));
    ISO_SCENE_TRY(iso_material_spec_check_rivals(build, node->source, &own));
    iso_material_spec_apply(spec, &own);
    return ISO_OK;
}

iso_status iso_scenario_read_material(const iso_scenario* scenario, const iso_yaml_node* node,
                                      iso_material_spec* spec) {
    iso_scene_build* build = scenario->build;
    const iso_yaml_node* name_node = iso_yaml_get(node, "material");
    if (name_node) {
        const char* name = NULL;
        ISO_SCENE_TRY(iso_yaml_text(build, name_node, "material", &name));
        const iso_yaml_node* named = iso_yaml_get(iso_yaml_get(scenario->root, "materials"), name);
        iso_name_list list = iso_yaml_keys(iso_yaml_get(scenario->root, "materials"));
        ISO_SCENE_TRY(
            named ? ISO_OK
                  : iso_scene_fail_missing(build, name_node->source, &list, "material", name));
        ISO_SCENE_TRY(iso_scenario_read_properties(build, named, spec));
    }
    iso_material_spec own = iso_material_spec_default();
    ISO_SCENE_TRY(iso_scenario_read_properties(build, node, &own));
    iso_material_spec_apply(spec, &own);
    return iso_material_spec_finish(build, node->source, spec);
}

static iso_status check_named(const iso_scenario* scenario) {
    iso_scene_build* build = scenario->build;
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
        build->default_material_at = standard->source;
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
