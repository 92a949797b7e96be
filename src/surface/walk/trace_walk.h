// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// The walk over a contact surface: visits pairs of elements, and from each the pairs beyond the
// faces that the surface crosses. Where rounding decides whether it does, pairs are visited a
// second time, closely, and everything they touch is visited as well. Theory:
// docs/theory/contact_surface.md.

#include "surface/walk/trace.h"

/// Faces, or edges, beyond which the surface goes on, one bit each.
typedef struct iso_touched {
    int sides_0, sides_1;
} iso_touched;

/// What else a visit has to say.
enum {
    ISO_VISIT_CLOSE = 1, ///< rounding may be against it
    ISO_VISIT_FAILED = 2 ///< out of memory
};

/// Elements beyond the sides of an element, -1: none. For arrays of structures.
typedef struct iso_walk_neighbors {
    const int* first; ///< four of element 0
    size_t stride;    ///< bytes from one element's to the next one's
} iso_walk_neighbors;

/// Set `most_close` after iso_walk_begin(): it is INT_MAX then.
typedef struct iso_walk {
    iso_trace trace, close;
    long work;        ///< visits and close visits
    long vain_starts; ///< of those that lead to no other; where no threads share the walk
    int close_count;  ///< visits that rounding may have been against
    int most_close;   ///< of those; where there are more the walk gives up
    bool is_tied;     ///< it did
    iso_walk_neighbors neighbors_0, neighbors_1;
    int element_1; ///< that visits look at, -1: none yet
    void* user;
    /// Look at another element of body 1.
    void (*look_at)(void* user, int element_1);
    /// What a pair with that element touches; its polygon goes where it belongs.
    iso_touched (*visit)(void* user, int element_0, int* out_notes);
    /// What a pair may touch if rounding is against it; nothing when it does not matter.
    iso_touched (*visit_closely)(void* user, int element_0);
} iso_walk;

/// Prepare the tables of a walk whose functions, user and neighbours are set.
/// @return false when out of memory
bool iso_walk_begin(iso_walk* walk, iso_arena* arena);

/// The same of one of several threads, as iso_trace_begin_shared().
bool iso_walk_begin_shared(iso_walk* walk, iso_arena* arena, iso_share* share, int element_count_1,
                           int thread, int thread_count);

/// Walk from a pair over everything that is connected with it; an iso_seed_fn. When several threads
/// walk, the pair only joins the queue.
/// @return false when out of memory, or when the walk gave up. Whether it does depends neither on
///         the way of the walk nor on threads
bool iso_walk_from(void* walk, int element_0, int element_1);

/// Take part in the walk of several threads, each with an iso_walk that iso_walk_begin_shared()
/// made for the same table, until it ends (iso_share.end). What is close is left for
/// iso_walk_closely().
/// @param find_starts  called for each of ISO_SHARE_START_PARTS by one of the threads; may call
///                     iso_walk_from(); false when that did
/// @return whether this thread is to call iso_walk_closely(): one of them, if they got to the end
bool iso_walk_shared(iso_walk* walk, bool (*find_starts)(void* user, int part), void* user);

/// After iso_walk_shared(), in one thread: the close visits that a thread, perhaps this one, left.
/// The others may still be on their way out.
/// @return false when out of memory, when the common table is full (iso_share.end), or when the
///         walk gave up
bool iso_walk_closely(iso_walk* walk, const iso_walk* found);
