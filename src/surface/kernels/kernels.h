// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// The kinds of element pairs. Every kernel works in the frame of body 0, appends polygons to a list
// and takes its scratch from the list's arena. Theory: docs/theory/contact_surface.md.

#include "field/structure/field.h"
#include "surface/faces/face_list.h"
#include "surface/kernels/search_threads.h"
#include "surface/kernels/tri_set.h"

/// A half space z <= 0 of its own frame, outward normal +z. Its pressure is slope * (-z), down to
/// the floor `least` (negative in the margin); rigid when slope is 0.
typedef struct iso_half_space {
    double slope; ///< modulus / slab thickness [Pa/m]
    double least; ///< pressure at the outer boundary of the margin, -slope * margin [Pa]
} iso_half_space;

/// Two fields: the surface of equal pressure. Body 0's field should be the softer one: pressures
/// are interpolated from its vertices. Walks over the surface; faces come in the order of the walk.
/// Where the pressures are equal at a corner of many tetrahedra of either body, all pairs of these
/// touch, and the walk would visit them all.
/// @param[out] out_is_tied  whether it gave up for that reason: the list is empty then. NULL: it
///                          does not give up
iso_status iso_collect_field_field(iso_face_list* list, const iso_field* field_0,
                                   const iso_field* field_1, const iso_pose* x_01, iso_cull cull,
                                   bool* out_is_tied);

/// The same faces in another order, by trying every pair of tetrahedra whose boxes and pressures
/// meet.
iso_status iso_collect_field_pairs(iso_face_list* list, const iso_field* field_0,
                                   const iso_field* field_1, const iso_pose* x_01, iso_cull cull);

/// The same where few tetrahedra reach to where the bodies meet, whatever their size: finding where
/// to start a walk takes longer (docs/decisions/contact/contact_surface_search.md). *out_are_few:
/// whether it is so; there are no faces otherwise.
iso_status iso_collect_field_pairs_if_few(iso_face_list* list, const iso_field* field_0,
                                          const iso_field* field_1, const iso_pose* x_01,
                                          iso_cull cull, bool* out_are_few);

/// The first with its faces in the order of the elements of body 1, then of body 0, which does not
/// depend on the way of the walk, so threads may share it.
/// @param search_threads  they; NULL: one thread alone
iso_status iso_collect_field_field_in_order(iso_search_threads* search_threads, iso_face_list* list,
                                            const iso_field* field_0, const iso_field* field_1,
                                            const iso_pose* x_01, iso_cull cull, bool* out_is_tied);

/// Whether there are poses in which that is worth while.
bool iso_field_walk_is_large(const iso_field* field_0, const iso_field* field_1);

/// Whether it is in this one: where many tetrahedra of two large bodies lie where they overlap.
bool iso_field_walk_is_ordered(const iso_field* field_0, const iso_field* field_1,
                               const iso_pose* x_01);

/// Whether the second is the faster one, whatever the pose.
bool iso_field_pairs_are_few(const iso_field* field_0, const iso_field* field_1);

/// Body 0 has a field, body 1 is a rigid surface: the surface inside the field.
iso_status iso_collect_field_surface(iso_face_list* list, const iso_field* field,
                                     const iso_tri_set* surface, const iso_pose* x_01,
                                     iso_cull cull);

/// Body 0 has a field, body 1 is a half space, rigid (slope 0: its plane inside the field) or
/// compliant (the surface of equal pressure).
iso_status iso_collect_field_half_space(iso_face_list* list, const iso_field* field,
                                        const iso_half_space* half_space, const iso_pose* x_01,
                                        iso_cull cull);

/// Body 0 is a compliant half space, body 1 a rigid surface: the surface inside the half space.
iso_status iso_collect_half_space_surface(iso_face_list* list, const iso_half_space* half_space,
                                          const iso_tri_set* surface, const iso_pose* x_01,
                                          iso_cull cull);

/// cos(5 pi / 8)
#define ISO_CULL_COSINE (-0.38268343236508977)

/// False when a face must be dropped: the angle between its normal, taken into the side of rising
/// pressure, and the gradient is 5 pi / 8 or more, or the gradient is zero. Neither vector need be
/// of unit length.
static inline bool iso_cull_keeps(iso_cull cull, iso_vec3 into_field, iso_vec3 gradient) {
    if (cull == ISO_CULL_NONE) {
        return true;
    }
    double along = iso_vec3_dot(into_field, gradient);
    return along > 0.0 || along * along < ISO_CULL_COSINE * ISO_CULL_COSINE *
                                              iso_vec3_norm_squared(into_field) *
                                              iso_vec3_norm_squared(gradient);
}
