// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/system/task_pool.h"
#include "surface/faces/face_bag.h"

/// Move the faces of bags, which are sorted, to an empty list, in the order of the element of body
/// 1, then of body 0. No two polygons have both elements in common.
/// @param scratch  of this thread; what is pushed here stays
/// @param pool     threads that may take part; NULL: none
/// @return false when out of memory
bool iso_face_merge(iso_face_list* list, iso_face_bag* const* bags, int bag_count,
                    iso_arena* scratch, iso_task_pool* pool);
