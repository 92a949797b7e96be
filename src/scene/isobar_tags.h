// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "scene/xml.h"

/// Read <isobar:contact_properties> of a collision over what `spec` already states: the keys of
/// scenarios as <isobar:KEY>, the value as text or attribute `value`. Other programs pass over the
/// block; where it says what <drake:proximity_properties> says too, it wins.
iso_status iso_isobar_read_properties(iso_scene_build* build, const xmlNode* element,
                                      iso_material_spec* spec);
