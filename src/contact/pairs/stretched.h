// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Friction with tangential compliance of a pair, whatever its contact model: ISO_FRICTION_COMPLIANT
// and ISO_FRICTION_BRUSH in the continuous methods. docs/theory/friction_laws.md.

#include "contact/pairs/contact_system.h"
#include "friction/shell/brush.h"

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

/// A pair whose friction has springs, and what they remember.
typedef struct iso_stretched_pair {
    const iso_contact_system* system;
    const iso_contact_pair* pair; ///< its model has `presses`
    const iso_pose* x_wb;         ///< of the body with which the springs move
    iso_spatial v_c;              ///< twist of the surfaces
    const iso_brush* brush;       ///< a field; NULL: six numbers
    const double* numbers;        ///< of the field, or of the stretch, axes of that body
    iso_arena* arena;             ///< for scratch and `missing`; the caller releases it
} iso_stretched_pair;

/// Wrench of a stretched pair.
typedef struct iso_stretched {
    iso_spatial wrench;        ///< on B (moment about p_wc; force), pressure and friction
    iso_contact_losses losses; ///< friction: what it takes from the motion, heat and stretch
    const iso_corner* missing; ///< [missing_count] as those of iso_brush_result
    int missing_count;
} iso_stretched;

/// Whether pairs of the system remember a stretch.
bool iso_contact_system_has_stretch(const iso_contact_system* system);
/// Whether they do is up to the method, which says so before any step; one at the velocity level
/// that may stick has fields with ISO_FRICTION_MODEL_BRUSH.
void iso_contact_system_allow_stretch(iso_contact_system* system, bool is_continuous,
                                      bool may_stick);
/// Whether pairs have fields of springs, at either level.
bool iso_contact_system_has_field(const iso_contact_system* system);
/// Size of the cubes that carry the springs of a pair [m]; 0: the pair has no field.
double iso_contact_system_brush_size(const iso_contact_system* system, int geometry_a,
                                     int geometry_b);

/// Whether the springs of a field move with A: with B but where only B's surface moves on its body,
/// which would leave them behind.
bool iso_contact_field_is_on_a(const iso_contact_system* system, const iso_contact_pair* pair);

/// Springs at more corners of a pair: a merged copy of its field, in the arena.
/// @param      more   ordered, none of them in the field
/// @param      s      of the springs of the field
/// @param[out] out_s  of all; NULL on error
/// @return ISO_ERR_MEMORY, ISO_ERR_RANGE (too many corners; the message names the pair)
iso_status iso_contact_grow_field(iso_arena* arena, const iso_contact_system* system,
                                  int geometry_a, int geometry_b, const iso_corner* more, int count,
                                  iso_brush* brush, const double* s, double** out_s);

/// What places feel, to the faces that they stand for: friction is added to the tractions; stretch
/// and sliding, where asked for, in the mean by force.
/// @param forces  [face_count] scratch
void iso_press_fill_faces(const iso_patch* patch, const iso_press* presses, int count,
                          const iso_press_felt* felt, double* forces, const iso_face_values* faces);

/// The pair without friction.
iso_contact_pair iso_contact_pair_smooth(const iso_contact_pair* pair);

/// Friction of a stretched pair alone, without the wrench of the pressure.
/// @param[in,out] faces  friction is added to the tractions
/// @param[out] rates     of the numbers; NULL where there are none
iso_status iso_contact_stretched_friction(const iso_stretched_pair* stretched,
                                          const iso_face_values* faces, double* rates,
                                          iso_stretched* out);

/// Wrench of a stretched pair, as `wrench` of its model.
iso_status iso_contact_stretched_wrench(const iso_stretched_pair* stretched,
                                        const iso_face_values* faces, double* rates,
                                        iso_stretched* out);
