// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Friction with tangential compliance of a pair, whatever its contact model: ISO_FRICTION_COMPLIANT
// in the continuous methods. docs/theory/friction_laws.md.

#include "contact/pairs/contact_system.h"
#include "friction/shell/stretch.h"

/// Places of a pair, in an arena.
struct iso_press_list {
    iso_arena* arena;
    iso_press* data;
    int count, capacity;
    bool is_full; ///< out of memory
};

/// Add a place that presses; one that does not is left out.
/// @param place  from the common point of the pair [m]
void iso_press_add(iso_press_list* list, iso_vec3 place, iso_vec3 normal, double force, int face);

/// Wrench of a stretched pair.
typedef struct iso_stretched {
    iso_spatial wrench;        ///< on B (moment about p_wc; force), pressure and friction
    iso_contact_losses losses; ///< friction: what it takes from the motion, heat and stretch
    iso_stretch rate;          ///< of the stretch, axes of body B
} iso_stretched;

/// Whether pairs of the system remember a stretch.
bool iso_contact_system_has_stretch(const iso_contact_system* system);
/// Whether they do is up to the method, which says so before any step.
void iso_contact_system_allow_stretch(iso_contact_system* system, bool is_continuous);

/// The pair without friction.
iso_contact_pair iso_contact_pair_smooth(const iso_contact_pair* pair);

/// Friction of a stretched pair alone, without the wrench of the pressure; its model has `presses`.
/// @param r_wb     of the body of B, with which the stretch turns
/// @param stretch  axes of body B
/// @param arena    for scratch, released before returning
/// @param[in,out] tractions  [face_count] friction is added; NULL
iso_status iso_contact_stretched_friction(const iso_contact_system* system,
                                          const iso_contact_pair* pair, const iso_mat3* r_wb,
                                          iso_spatial v_c, const iso_stretch* stretch,
                                          iso_arena* arena, iso_vec3* tractions,
                                          iso_stretched* out);

/// Wrench of a stretched pair, as `wrench` of its model, which has `presses`.
iso_status iso_contact_stretched_wrench(const iso_contact_system* system,
                                        const iso_contact_pair* pair, const iso_mat3* r_wb,
                                        iso_spatial v_c, const iso_stretch* stretch,
                                        iso_arena* arena, iso_vec3* out_tractions,
                                        iso_vec3* out_slips, iso_stretched* out);
