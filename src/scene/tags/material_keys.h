// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "scene/build/build.h"

#include <stddef.h>

/// The numbers among the contact properties, as scenarios and <isobar:contact_properties> name
/// them.
typedef struct iso_material_key {
    const char* name;
    size_t offset; ///< of the double in iso_contact_material
    unsigned bits; ///< iso_material_bit
    bool is_open;  ///< 0 is excluded
    double upper;  ///< included; `stiffening` must stay below it
} iso_material_key;

extern const iso_material_key iso_material_keys[];
extern const int iso_material_key_count;

/// "auto", "distance", "poisson" in the order of iso_extent_kind; NULL at the end.
extern const char* const iso_extent_names[];

/// Number of layers and rows of a table of moduli that a file may ask for.
#define ISO_SCENE_MAX_LAYERS 1000
#define ISO_SCENE_MAX_ROWS 1000

/// Put a number into a material and note that it was stated.
void iso_material_spec_set(iso_material_spec* spec, const iso_material_key* key, double value);
/// Put a table of moduli: pairs of extent and modulus.
iso_status iso_material_spec_set_table(iso_scene_build* build, iso_source at, const double* numbers,
                                       int row_count, iso_material_spec* spec);
iso_status iso_material_spec_set_layers(const iso_scene_build* build, iso_source at, double count,
                                        iso_material_spec* spec);

/// Error when one place states two things that say the same: dissipation, expansion_rate and
/// restitution; modulus_table and modulus or stiffening.
iso_status iso_material_spec_check_rivals(const iso_scene_build* build, iso_source at,
                                          const iso_material_spec* spec);
