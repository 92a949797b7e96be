// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "surface/shapes/contact_shape.h"

/// Make layers of different shapes beforehand, as iso_contact_shape_prepare_layer() makes them,
/// where they are many bare surface meshes and there are processors: at the same time. Says
/// nothing: a shape may be left without its layer, for whatever reason.
/// @param shapes  [shape_count] their order and some of them are lost
void iso_contact_shapes_prepare_layers(iso_context* ctx, iso_contact_shape** shapes,
                                       int shape_count, const iso_contact_options* options);
