// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "scene/text/xml.h"

/// The shapes that SDFormat and URDF write alike: a size is a child element or an attribute.

/// Read <sphere>, <cylinder>, <capsule> or <drake:ellipsoid>.
/// @param      has_defaults  sizes that are missing are those of SDFormat, with a warning
/// @param[out] out_is_read   false: it is something else
iso_status iso_shape_tag_read(iso_scene_build* build, const xmlNode* element, bool has_defaults,
                              iso_shape_desc* shape, bool* out_is_read);
/// That a size is missing, and what it is then [m].
void iso_shape_tag_warn_default(iso_scene_build* build, const xmlNode* element, const char* name,
                                double value);
/// An ellipsoid of semi-axes <a> <b> <c>.
iso_status iso_shape_tag_read_ellipsoid(iso_scene_build* build, const xmlNode* element,
                                        iso_shape_desc* shape);
/// A shape that is none of those known: what is only seen may be left out, what collides may not.
iso_status iso_shape_tag_unknown(iso_scene_build* build, const xmlNode* element, bool is_visual);
/// Can a visual be shown? Warns of sizes that no shape has.
bool iso_shape_tag_is_shown(iso_scene_build* build, const xmlNode* visual,
                            const iso_shape_desc* shape);
/// Is a collision a shape without extent in any direction, as some put where a link has none? It is
/// left out, with a warning.
bool iso_shape_tag_is_point(iso_scene_build* build, const xmlNode* collision,
                            const iso_shape_desc* shape);
/// A colour component in [0, 1]: others are clamped, with a warning.
float iso_shape_tag_color(iso_scene_build* build, const xmlNode* color, int component,
                          double value);
