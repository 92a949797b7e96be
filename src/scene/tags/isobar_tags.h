// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "scene/text/xml.h"

/// Read what a collision states of its contacts over what `spec` already states:
/// <drake:proximity_properties>, then <isobar:contact_properties>, which wins. In the latter are
/// the keys of scenarios as <isobar:KEY>, the value as text or attribute `value`; other programs
/// pass over it.
iso_status iso_isobar_read_contact(iso_scene_build* build, const xmlNode* collision,
                                   iso_material_spec* spec);

/// A contact model by its name. @param what  says in errors where the name stands
iso_status iso_isobar_read_model(const iso_scene_build* build, iso_source at, const char* what,
                                 const char* text, iso_material_spec* spec);
