// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Pairs that remember a stretch (contact/pairs/stretched.h): six numbers each behind velocities in
// the state of the integrator. A pair that begins to touch within a step gets its six when it is
// seen: the integration stops there and goes on from the last state that was accepted.

#include "contact/pairs/stretched.h"
#include "stepper/flow/flow.h"

/// The pairs of a step, ordered as memories are.
struct iso_flow_stretches {
    iso_pair_memory* pairs; ///< [count]; their values as they were last known
    int count;
    int added;              ///< pairs seen without numbers, since they were last counted in
    const double* now;      ///< [6 count] of the present evaluation
    double* rates;          ///< [6 count] of it
    iso_pair_memory* found; ///< [added] those pairs
    double* accepted;       ///< [dimension] the last state that was accepted; owned by who advances
    double accepted_time;
};

/// The stretches at the start of a step: of all that is remembered and of all that touches. NULL
/// where pairs remember none.
iso_status iso_flow_begin_stretches(iso_flow* f);
/// Numbers of the state.
int iso_flow_stretch_count(const iso_flow* f);
/// Let pairs that were seen have numbers. y keeps what is before and behind those.
/// @param dimension  of y, afterwards longer by what iso_flow_stretch_count() has grown
/// @return the new y, in the arena
iso_status iso_flow_add_stretches(iso_flow* f, const double* y, int dimension, double** out_y);
/// One unit of error: the stretch that Coulomb's bound allows.
void iso_flow_stretch_scales(const iso_flow* f, double unknown, double* out_scales);

/// Wrench of a pair in the present evaluation; rates are noted.
/// @param index  in the set of `now`
/// @param v_c    twist of the surfaces
iso_status iso_flow_stretched_wrench(iso_flow* f, const iso_stages* now, int index, iso_spatial v_c,
                                     iso_contact_losses* out_losses, iso_spatial* out_wrench);
/// Before them: what does not touch relaxes.
void iso_flow_relax_stretches(iso_flow* f);
/// Rates of the present evaluation, out of it.
void iso_flow_copy_rates(const iso_flow* f, double* out_rates);
/// Whether all pairs that were seen have numbers.
/// @return ISO_ERR_NOT_FOUND, without a message: integrate from the last accepted state with more
iso_status iso_flow_check_stretches(const iso_flow* f);
/// What pairs remember after the step.
iso_status iso_flow_keep_stretches(const iso_flow* f, const double* s, iso_contact_result* result);
