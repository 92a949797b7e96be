// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "asperity/contact/box_hash.h"
#include "asperity/contact/gap.h"
#include "asperity/elastic/body.h"

/// The boundary of elastic bodies, and which of its parts may meet. Parts of one body never count:
/// self contact is not looked for.
typedef struct iso_skin {
    iso_context* ctx;
    int dimension, body_count;
    ISO_ARRAY(int) body_of; ///< [vertex_count] body of each vertex: connected elements
    ISO_ARRAY(int) faces;   ///< [face_count * dimension] edges, or triangles
    ISO_ARRAY(int) edges;   ///< [edge_count * 2] of the triangles; none in the plane
    ISO_ARRAY(int) points;  ///< vertices on the boundary
    int face_count, edge_count;

    ISO_ARRAY(iso_pair) pairs; ///< found by iso_skin_find_pairs()
    iso_box_hash hash;
    ISO_ARRAY(iso_lab_box) boxes;
    iso_box_list found;
} iso_skin;

/// Find the boundary. @return ISO_ERR_MEMORY
iso_status iso_skin_init(iso_context* ctx, const iso_elastic* e, iso_skin* skin);
void iso_skin_free(iso_skin* skin);

/// Put the boxes of features (vertices of each, one after the other), swept from x to x + u and
/// widened by reach, into the hash. @return ISO_ERR_MEMORY
iso_status iso_skin_put_boxes(iso_skin* skin, const int* features, int size, int count,
                              const double* x, const double* u, double reach);
/// The box of one feature.
iso_lab_box iso_skin_box_of(int dimension, const int* vertices, int count, const double* x,
                            const double* u, double reach);

/// Collect all pairs of features of different bodies whose boxes come within reach while places go
/// from x to x + u.
/// @param u  NULL: they rest
/// @return ISO_ERR_MEMORY
iso_status iso_skin_find_pairs(iso_skin* skin, const double* x, const double* u, double reach);

/// Share of the motion x + t u that is free of collision, over the pairs found: as
/// iso_gap_free_share().
double iso_skin_free_share(const iso_skin* skin, const double* x, const double* u, double keep);

/// Refuse bodies that overlap: a face or edge of one that cuts one of another, or lies inside.
/// @return ISO_ERR_GEOMETRY naming vertices and bodies, ISO_ERR_MEMORY
iso_status iso_skin_check_apart(iso_skin* skin, const iso_elastic* e, const double* x);
