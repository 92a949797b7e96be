// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// What pairs remember: numbers behind velocities in the state of the integrator, and speeds of
// impact, which are latched at accepted states. A pair that begins to touch within a step and has
// no numbers yet gets them when it is seen: the integration stops there and goes on from the last
// state that was accepted.

#include "contact/pairs/episode.h"
#include "contact/pairs/lasting_pair.h"
#include "friction/shell/brush.h"
#include "stepper/flow/flow.h"

/// A row of the kinds of memory.
typedef struct iso_memory_kind iso_memory_kind;

/// A pair that remembers, or may.
typedef struct iso_flow_pair {
    int geometry_a, geometry_b;
    const iso_lasting_pair* lasting; ///< its material's; NULL: no bristles, nothing is latched
    const iso_memory_kind* kind;
    int first, count;    ///< of its numbers in the memory
    const double* start; ///< [count] its numbers, as they were last known
    iso_brush brush;     ///< of a field
    double impact_speed; ///< latched [m/s]; 0: none yet
    double dissipation;  ///< of that [s/m]
} iso_flow_pair;

/// Corners that can be noted at a time.
#define ISO_FLOW_PRESSED 1024

/// A corner of a field that is pressed and has no springs.
typedef struct iso_flow_corner {
    int geometry_a, geometry_b;
    iso_corner corner;
} iso_flow_corner;

/// Those of a step, ordered by (geometry_a, geometry_b).
struct iso_flow_memory {
    iso_flow_pair* pairs; ///< [count]
    int count;
    int number_count;     ///< numbers of all pairs
    const double* now;    ///< [number_count] of the present evaluation
    double* rates;        ///< of those
    iso_flow_pair* found; ///< [added] pairs seen without numbers, since they were last counted in
    int added;
    iso_flow_corner* pressed; ///< [pressed_count] corners seen without springs since then; NULL: no
    int pressed_count;        ///< pair of the world has a field
    bool is_latched;          ///< a pair latches speeds of impact
    double* accepted;         ///< [dimension] last accepted state; owned by who advances
    double accepted_time;
};

/// A pair that touches in the present evaluation.
typedef struct iso_flow_touch {
    const iso_contact_pair* pair; ///< with the dissipation of its impact
    int index;                    ///< in the set of the stages
    iso_spatial v_c;              ///< twist of the surfaces
    const double* x;              ///< numbers of its kind
    const iso_brush* brush;       ///< of a field
    double* rates;                ///< out: of the numbers
    const iso_face_values* faces; ///< out; NULL
} iso_flow_touch;

typedef struct iso_flow_felt {
    iso_spatial wrench;
    iso_contact_losses losses;
} iso_flow_felt;

struct iso_memory_kind {
    iso_episode_kind episode;
    int count;        ///< numbers; of a field: those of a corner
    bool is_field;    ///< it has corners
    const char* name; ///< in messages
    bool has_lines;   ///< the Jacobian of implicit methods knows it
    /// Wrench of a pair and the rates of its numbers.
    iso_status (*feel)(iso_flow* f, const iso_stages* now, const iso_flow_touch* touch,
                       iso_flow_felt* out);
    // NULL without numbers.
    /// Rates where nothing touches.
    void (*relax)(const iso_flow* f, const iso_flow_pair* pair, const double* x, double* out_rates);
    /// One unit of error of each number. @param unknown  where there is no scale
    void (*scale)(const iso_flow* f, const iso_flow_pair* pair, double unknown, double* out_scales);
    /// Whether numbers are too small to be kept; NULL for fields, of which each corner is looked
    /// at.
    bool (*is_forgotten)(const iso_flow_pair* pair, const double* x);
};

/// What a pair of geometries remembers: bristles of its material, else what the friction law of the
/// world does.
/// @param lasting  of the pair, or NULL
const iso_memory_kind* iso_memory_kind_of(const iso_contact_system* system, int geometry_a,
                                          int geometry_b, const iso_lasting_pair* lasting,
                                          const iso_contact_model* model);

/// Latch speeds of impact at a state that was just accepted: where the bodies touched within the
/// substep, from the motion before and after.
void iso_flow_latch(iso_flow* f, double t, const double* y);
/// How long before the end of a substep, which leads from the last accepted state to y at t, the
/// first pair touched whose speed of impact will be latched [s]; < 0: none did, or so slowly that
/// the moment does not matter.
double iso_flow_find_touch(iso_flow* f, double t, double duration, const double* y);
/// From now on a pair has this speed of impact.
void iso_flow_set_impact(const iso_flow* f, iso_flow_pair* pair, double speed);
/// Dissipation of a pair: before a speed is latched it is that of now, within the substep in which
/// the bodies touch.
double iso_flow_dissipation(const iso_flow* f, const iso_flow_pair* pair,
                            const iso_contact_pair* touching, iso_spatial v_c);

// --- fields (flow_field.c) ---------------------------------------------------------------------

/// Note corners that are pressed and have no springs, as many as there is room for.
void iso_flow_note_corners(iso_flow_memory* m, const iso_flow_touch* touch,
                           const iso_corner* corners, int count);
/// Springs for all that were noted.
/// @return ISO_ERR_MEMORY, ISO_ERR_RANGE (too many corners)
iso_status iso_flow_add_corners(iso_flow* f);
/// Memories of a field, from its numbers.
/// @return their number
int iso_flow_keep_field(const iso_flow_pair* pair, const double* x, iso_pair_memory* out_memories);
