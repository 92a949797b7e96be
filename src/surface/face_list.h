// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/arena.h"
#include "isobar/contact.h"
#include "surface/clip.h"

/// Polygons as the kernels find them, in the frame of body 0, one record after the other.
typedef struct iso_face_list {
    iso_arena* arena;
    double* data; ///< the arena's newest allocation
    size_t used, capacity;
    int polygon_count;
    int vertex_count;
} iso_face_list;

/// What one body has to do with a polygon.
typedef struct iso_face_side {
    iso_vec3 gradient; ///< of its field, zero when rigid [Pa/m]
    int element;       ///< tetrahedron or triangle of its mesh; -1: half space
} iso_face_side;

/// Append a polygon of 3 or more vertices, counter-clockwise about its normal, which points from
/// body 0 into body 1.
/// @return false when out of memory
bool iso_face_list_add(iso_face_list* list, const iso_clip_polygon* polygon, iso_vec3 normal,
                       const iso_face_side* side_0, const iso_face_side* side_1);

/// How body 0 and body 1 of the kernels map to A and B.
typedef struct iso_face_frame {
    iso_pose x_w0;   ///< frame of the list
    bool is_swapped; ///< body 0 is B
    bool is_rigid_0, is_rigid_1;
} iso_face_frame;

/// Turn the polygons into faces of a patch in W: everything of iso_patch is filled. Faces without
/// area are left out. The results are one allocation of the arena, made after the list.
/// @param[out] out_block, out_block_size  that allocation
iso_status iso_face_list_finish(const iso_face_list* list, const iso_face_frame* frame,
                                iso_representation representation, iso_patch* out_patch,
                                void** out_block, size_t* out_block_size);

/// Move the pointers of a patch from one copy of its block to another.
void iso_patch_rebase(iso_patch* patch, const void* old_block, void* new_block);
