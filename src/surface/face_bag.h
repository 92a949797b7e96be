// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Faces that are found in any order, by any number of threads, and put in the order of the elements
// that they lie in.

#include "base/task_pool.h"
#include "surface/face_list.h"

/// A list of faces that is full, or being filled, and the one before it.
typedef struct iso_face_page {
    iso_face_list list;
    struct iso_face_page* older;
} iso_face_page;

/// Of one thread. Memory comes from an arena of that thread.
typedef struct iso_face_bag {
    iso_arena* arena;
    iso_face_frame frame;
    iso_representation representation;
    iso_face_page* page; ///< NULL: none yet
} iso_face_bag;

/// An empty bag for the faces of a list; allocates nothing.
void iso_face_bag_begin(iso_face_bag* bag, iso_arena* arena, const iso_face_list* list);

/// A list with room for one more polygon; NULL when out of memory.
iso_face_list* iso_face_bag_open(iso_face_bag* bag, int vertex_count);

/// Move the faces of all bags to an empty list, in the order of the element of body 1, then of body
/// 0. Faces of the same two elements must lie in one bag, and stay in their order.
/// @param scratch  of this thread; what is pushed here stays
/// @param pool     threads that may take part; NULL: none
/// @return false when out of memory
bool iso_face_bag_merge(iso_face_list* list, iso_face_bag* const* bags, int bag_count,
                        iso_arena* scratch, iso_task_pool* pool);
