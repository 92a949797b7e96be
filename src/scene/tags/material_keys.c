// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/tags/material_keys.h"

#include <math.h>
#include <string.h>

#define OFFSET(member) offsetof(iso_contact_material, member)

const iso_material_key iso_material_keys[] = {
    {"modulus", OFFSET(modulus), ISO_MATERIAL_MODULUS, true, ISO_SCENE_MAX_PRESSURE},
    {"resolution_hint", OFFSET(resolution_hint), ISO_MATERIAL_RESOLUTION_HINT, false,
     ISO_SCENE_MAX_LENGTH},
    {"margin", OFFSET(margin), ISO_MATERIAL_MARGIN, false, ISO_SCENE_MAX_LENGTH},
    {"slab_thickness", OFFSET(slab_thickness), ISO_MATERIAL_SLAB_THICKNESS, true,
     ISO_SCENE_MAX_LENGTH},
    {"dissipation", OFFSET(dissipation), ISO_MATERIAL_DISSIPATION, false,
     ISO_SCENE_MAX_DISSIPATION},
    {"relaxation_time", OFFSET(relaxation_time), ISO_MATERIAL_RELAXATION_TIME, false,
     ISO_SCENE_MAX_TIME},
    {"friction", OFFSET(friction_static), ISO_MATERIAL_FRICTION_STATIC, false,
     ISO_SCENE_MAX_FRICTION},
    {"friction", OFFSET(friction_dynamic), ISO_MATERIAL_FRICTION_DYNAMIC, false,
     ISO_SCENE_MAX_FRICTION},
    {"friction_static", OFFSET(friction_static), ISO_MATERIAL_FRICTION_STATIC, false,
     ISO_SCENE_MAX_FRICTION},
    {"friction_dynamic", OFFSET(friction_dynamic), ISO_MATERIAL_FRICTION_DYNAMIC, false,
     ISO_SCENE_MAX_FRICTION},
    {"stiffening", OFFSET(stiffening), ISO_MATERIAL_STIFFENING, false, 1.0},
    {"expansion_rate", OFFSET(expansion_rate), ISO_MATERIAL_EXPANSION_RATE, true,
     ISO_SCENE_MAX_DISSIPATION},
    {"restitution", OFFSET(restitution), ISO_MATERIAL_RESTITUTION, true, 1.0},
    {"restitution_speed", OFFSET(restitution_speed), ISO_MATERIAL_RESTITUTION_SPEED, false,
     ISO_SCENE_MAX_SPEED},
    {"restitution_slope", OFFSET(restitution_slope), ISO_MATERIAL_RESTITUTION_SLOPE, false, 1e6},
    {"adhesion", OFFSET(adhesion), ISO_MATERIAL_ADHESION, false, ISO_SCENE_MAX_PRESSURE},
    {"young_modulus", OFFSET(young_modulus), ISO_MATERIAL_YOUNG_MODULUS, true,
     ISO_SCENE_MAX_PRESSURE},
    {"poisson_ratio", OFFSET(poisson_ratio), ISO_MATERIAL_POISSON_RATIO, false, 0.5},
    {"bristle_stiffness", OFFSET(bristle_stiffness), ISO_MATERIAL_BRISTLES, false, 1e12},
    {"bristle_damping", OFFSET(bristle_damping), ISO_MATERIAL_BRISTLES, false, 1e12},
    {"bristle_viscous", OFFSET(bristle_viscous), ISO_MATERIAL_BRISTLES, false, 1e12},
    {"stribeck_speed", OFFSET(stribeck_speed), ISO_MATERIAL_BRISTLES, true, ISO_SCENE_MAX_SPEED},
    {"dwell_time", OFFSET(dwell_time), ISO_MATERIAL_BRISTLES, false, ISO_SCENE_MAX_TIME},
};
const int iso_material_key_count = sizeof iso_material_keys / sizeof *iso_material_keys;

const char* const iso_extent_names[] = {"auto", "distance", "poisson", NULL};

void iso_material_spec_set(iso_material_spec* spec, const iso_material_key* key, double value) {
    memcpy((char*)&spec->value + key->offset, &value, sizeof value);
    spec->stated |= key->bits;
}

iso_status iso_material_spec_set_table(iso_scene_build* build, iso_source at, const double* numbers,
                                       int row_count, iso_material_spec* spec) {
    ISO_SCENE_REQUIRE(build, at, row_count >= 1 && row_count <= ISO_SCENE_MAX_ROWS, ISO_ERR_RANGE,
                      "modulus_table has %d rows, expected 1 to %d", row_count, ISO_SCENE_MAX_ROWS);
    iso_modulus_row* rows = iso_arena_push_array(&build->arena, row_count, sizeof *rows);
    ISO_REQUIRE(build->ctx, rows, ISO_ERR_MEMORY, "table of %d moduli", row_count);
    for (int i = 0; i < row_count; ++i) {
        rows[i] = (iso_modulus_row){numbers[2 * i], numbers[2 * i + 1]};
        ISO_SCENE_REQUIRE(build, at, rows[i].extent >= 0.0 && rows[i].extent <= 1.0, ISO_ERR_RANGE,
                          "extent of row %d of modulus_table is %g, expected in [0, 1]", i + 1,
                          rows[i].extent);
        ISO_SCENE_REQUIRE(build, at, i == 0 || rows[i].extent > rows[i - 1].extent, ISO_ERR_RANGE,
                          "extent of row %d of modulus_table is %g, expected above %g", i + 1,
                          rows[i].extent, rows[i - 1].extent);
        ISO_SCENE_REQUIRE(
            build, at, isfinite(rows[i].modulus) && rows[i].modulus > 0.0, ISO_ERR_RANGE,
            "modulus of row %d of modulus_table is %g Pa, expected > 0", i + 1, rows[i].modulus);
    }
    spec->value.modulus_table = rows;
    spec->value.modulus_row_count = row_count;
    spec->stated |= ISO_MATERIAL_MODULUS_TABLE;
    return ISO_OK;
}

iso_status iso_material_spec_set_layers(const iso_scene_build* build, iso_source at, double count,
                                        iso_material_spec* spec) {
    ISO_SCENE_REQUIRE(build, at,
                      count >= 0.0 && count <= ISO_SCENE_MAX_LAYERS && count == floor(count),
                      ISO_ERR_RANGE, "layers is %g, expected a whole number, 0 to %d", count,
                      ISO_SCENE_MAX_LAYERS);
    spec->value.layer_count = (int)count;
    spec->stated |= ISO_MATERIAL_LAYERS;
    return ISO_OK;
}

static const char* first_name(unsigned bits, unsigned without) {
    for (int i = 0; i < iso_material_key_count; ++i) {
        if (bits & iso_material_keys[i].bits & ~without) {
            return iso_material_keys[i].name;
        }
    }
    return "modulus_table";
}

static unsigned lowest_bit(unsigned bits) {
    return bits & (~bits + 1u);
}

iso_status iso_material_spec_check_rivals(const iso_scene_build* build, iso_source at,
                                          const iso_material_spec* spec) {
    unsigned damping = spec->stated & ISO_MATERIAL_DAMPING_BITS;
    ISO_SCENE_REQUIRE(build, at, damping == lowest_bit(damping), ISO_ERR_PARSE,
                      "%s and %s are both given, expected one of dissipation, expansion_rate and "
                      "restitution",
                      first_name(damping, 0), first_name(damping, lowest_bit(damping)));
    unsigned moduli = spec->stated & (ISO_MATERIAL_MODULUS | ISO_MATERIAL_STIFFENING);
    ISO_SCENE_REQUIRE(build, at, !(spec->stated & ISO_MATERIAL_MODULUS_TABLE) || moduli == 0,
                      ISO_ERR_PARSE,
                      "modulus_table and %s are both given; the table replaces modulus and "
                      "stiffening",
                      first_name(moduli, 0));
    return ISO_OK;
}
