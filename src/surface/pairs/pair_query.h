// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/core/arena.h"
#include "surface/kernels/kernels.h"
#include "surface/shapes/contact_shape.h"

/// What takes part of one shape of a pair: a field, the triangles of its surface, or a half space.
/// A rigid shape may take part through its layer.
typedef struct iso_pair_side {
    const iso_field* field;
    const iso_tri_set* triangles;
    const iso_half_space* half_space;
    const iso_pose* x_w;
    bool is_rigid; ///< no field: its gradients are zero
} iso_pair_side;

/// The sides of A and B as iso_pair_query() takes them. The poses are borrowed.
void iso_pair_find_sides(const iso_contact_shape* a, const iso_pose* x_wa,
                         const iso_contact_shape* b, const iso_pose* x_wb, iso_pair_side* out_a,
                         iso_pair_side* out_b);

/// Contact patch of two shapes at the given poses: every supported pair. Normals point from A into
/// B, everything in W. Pure: depends on its arguments only. Memory comes from `arena`; scratch is
/// released before returning, but for what is small beside the results; allocates nothing else.
/// Which pairs: volume x volume, volume x surface, volume x half space (rigid or compliant),
/// surface x compliant half space, and rigid x rigid through the layer of one of them
/// (iso_contact_shape_carries_layer()). Two half spaces, or two open
/// surfaces, are the caller's error (checked when pairs are made). The result has face_count 0 when
/// there is no contact. Faces of zero area are not reported.
iso_status iso_pair_query(iso_arena* arena, const iso_contact_shape* a, const iso_pose* x_wa,
                          const iso_contact_shape* b, const iso_pose* x_wb,
                          const iso_contact_options* options, iso_patch* out_patch);

/// iso_pair_query() that says how much work it was: pairs of elements, or of leaves of trees, that
/// it looked at. Depends on nothing but the arguments.
iso_status iso_pair_query_counted(iso_arena* arena, const iso_contact_shape* a,
                                  const iso_pose* x_wa, const iso_contact_shape* b,
                                  const iso_pose* x_wb, const iso_contact_options* options,
                                  iso_patch* out_patch, long* out_work);

/// iso_pair_query() by several threads; the same bits. The search_threads's arenas hold scratch
/// only.
iso_status iso_pair_query_with(iso_search_threads* search_threads, iso_arena* arena,
                               const iso_contact_shape* a, const iso_pose* x_wa,
                               const iso_contact_shape* b, const iso_pose* x_wb,
                               const iso_contact_options* options, iso_patch* out_patch);

/// Whether there are poses in which threads can share the work on a pair.
bool iso_pair_is_large(const iso_contact_shape* a, const iso_contact_shape* b);

/// Whether they can in these.
bool iso_pair_is_shared(const iso_contact_shape* a, const iso_pose* x_wa,
                        const iso_contact_shape* b, const iso_pose* x_wb);
