// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "field/structure/field.h"
#include "geometry/search/bvh_descent.h"

/// What a walk over the trees of a field with slabs and of another body needs to drop pairs of
/// boxes.
typedef struct iso_slab_filter {
    const iso_field* field;
    iso_bvh_pose x_01;
} iso_slab_filter;

/// An iso_bvh_filter: pairs of children whose box of body 1 reaches into both slabs of body 0.
int iso_slab_filter_keeps(const void* user, const iso_bvh_expansion* e_0,
                          const iso_bvh_expansion* e_1);
