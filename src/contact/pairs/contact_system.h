// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/core/arena.h"
#include "base/system/task_pool.h"
#include "contact/contact_model.h"
#include "contact/pairs/broad_phase.h"
#include "contact/pairs/filter.h"
#include "friction/friction_law.h"
#include "isobar/bristle.h"
#include "isobar/contact.h"
#include "isobar/linearize.h"
#include "surface/shapes/contact_shape.h"

typedef struct iso_lasting_pair iso_lasting_pair; // lasting_pair.h

/// One geometry as contact sees it. Geometries are given sorted by (body scoped name, geometry
/// name): A of a pair is the one with the smaller index.
typedef struct iso_contact_geometry {
    const char* name;      ///< borrowed
    const char* body_name; ///< scoped, borrowed
    int body;              ///< index of the multibody
    iso_pose x_bg;
    iso_contact_shape* shape; ///< borrowed; several geometries may share one
    iso_contact_material material;
    const char* source;        ///< for messages of iso_contact_system_create() only; may be NULL
    iso_vec3 surface_velocity; ///< of the surface on the body, axes of G (conveyor belts) [m/s]
    iso_collision_bits bits;   ///<
    iso_contact_rules rules;   ///< with geometries of larger index; borrowed
} iso_contact_geometry;

/// @param geometries   copied
/// @param bodies       which of them may meet, and how many there are; copied
/// Checks every pair that may meet: two half spaces are an error naming both geometries; two open
/// rigid surfaces pass through each other, of which a warning names a pair. Prepares the layers of
/// rigid x rigid pairs.
iso_status iso_contact_system_create(iso_context* ctx, const iso_contact_geometry* geometries,
                                     int geometry_count, const iso_body_filter* bodies,
                                     const iso_contact_options* options,
                                     iso_contact_system** out_system);
/// The same system once more with scratch of its own; shapes and names are borrowed by both.
iso_status iso_contact_system_clone(iso_context* ctx, const iso_contact_system* system,
                                    iso_contact_system** out_clone);
void iso_contact_system_destroy(iso_context* ctx, iso_contact_system* system);
int iso_contact_system_geometry_count(const iso_contact_system* system);
const iso_contact_geometry* iso_contact_system_geometry(const iso_contact_system* system,
                                                        int index);
/// False for geometries whose bodies or collision bits are filtered, unless a rule says otherwise,
/// and for two open rigid surfaces.
/// @param geometry_a  the smaller index
bool iso_contact_system_may_meet(const iso_contact_system* system, int geometry_a, int geometry_b);
const iso_contact_options* iso_contact_system_options(const iso_contact_system* system);

/// The friction law of a pair in the continuous methods.
iso_friction iso_contact_pair_friction(const iso_contact_system* system,
                                       const iso_contact_pair* pair);

/// The model of a pair that may meet.
const iso_contact_model* iso_contact_system_model(const iso_contact_system* system, int geometry_a,
                                                  int geometry_b);
/// From now on the model of all pairs that it takes; what it prepares of them is done here.
/// @param model  borrowed
iso_status iso_contact_system_use_model(iso_contact_system* system, const iso_contact_model* model);

/// `complete` of a model whose contacts have no faces: which bodies are rigid.
iso_status iso_contact_complete_faceless(const iso_contact_system* system, iso_contact_pair* pair,
                                         iso_arena* arena);

/// How the continuous wrench changes, by central differences of the model's own geometry and law.
/// @param arena  for scratch, released before returning
/// @return errors of the model's geometry
iso_status iso_contact_differences(iso_contact_system* system, const iso_contact_pair* pair,
                                   iso_spatial v_c, iso_arena* arena,
                                   iso_contact_derivatives* out_derivatives);

/// Energy of what a pair remembers [J]; and whether what a file says it remembers can be.
double iso_contact_memory_energy(const iso_contact_system* system, const iso_pair_memory* memory);
bool iso_contact_memory_is_usable(const iso_contact_system* system, const iso_pair_memory* memory);

/// Slower impacts count as this fast: what rests touches at no speed [m/s].
#define ISO_LEAST_IMPACT_SPEED 1e-3

/// Dissipation of a pair for an impact of this speed, latched where a material asks for that [s/m].
double iso_contact_impact_dissipation(const iso_contact_system* system, int geometry_a,
                                      int geometry_b, double speed);

/// Where a patch comes from that only moved, along a half space which sees it as it was.
typedef struct iso_moved_patch {
    const iso_contact_pair* from; ///< NULL: it was found
    iso_pose motion;              ///< of its points, in W
    bool is_turned;               ///< false: without rotation
} iso_moved_patch;

/// Two geometries that touch, with their combined material.
struct iso_contact_pair {
    int geometry_a, geometry_b; ///< a < b
    int body_a, body_b;
    const iso_contact_model* model;
    const void* own;     ///< of its manifold
    iso_pose x_wa, x_wb; ///< of the geometries, where the patch was found
    iso_vec3 p_wc;       ///< common point of twists and wrenches of this pair (centre of pressure)
    double dissipation_a, dissipation_b; ///< combined per face for ISO_COMBINE_ELANDT
    double modulus_a, modulus_b;         ///< nominal; INFINITY when rigid
    double dissipation;                  ///< combined by ISO_COMBINE_DRAKE or _ELANDT_MEAN [s/m]
    const double* face_dissipations;     ///< [face_count] for ISO_DAMPING_EXTENT_RATE, else NULL
    double adhesion;                     ///< combined [Pa]
    double relaxation_time;              ///< sum [s]
    double friction_static, friction_dynamic;
    const iso_lasting_pair* lasting;    ///< what an episode of contact keeps; NULL: nothing
    const iso_bristle_params* bristles; ///< its bristles; NULL: none
    double extent_a, extent_b;          ///< as iso_contact's
    double sheet_thickness, sheet_depth;
    double sheet_share; ///< of the force: what the back takes of the pair's, or a pair that meets
                        ///< in a third geometry of the smaller one of those that touch it
    int sheet_geometry; ///< what the patch lies on both sides of, or a third geometry through which
                        ///< A and B meet; -1: nothing
    int kept;           ///< one more than the index of where its manifold may be kept; 0: nowhere
    void* step;         ///< iso_contact_system_hold_kept(): what steps made of the patch; or NULL
    iso_moved_patch moved; ///<
    iso_patch patch;       ///< as in iso_contact_manifold
};

/// The order of a set.
static inline bool iso_contact_pair_is_before(const iso_contact_pair* a,
                                              const iso_contact_pair* b) {
    return a->geometry_a != b->geometry_a ? a->geometry_a < b->geometry_a
                                          : a->geometry_b < b->geometry_b;
}

/// The numbers of materials that a step of a pair may depend on; doubles only.
typedef struct iso_pair_materials {
    double dissipation_a, dissipation_b, dissipation;
    double modulus_a, modulus_b;
    double relaxation_time, adhesion;
    double friction_static, friction_dynamic;
} iso_pair_materials;

static inline iso_pair_materials iso_contact_pair_materials(const iso_contact_pair* pair) {
    return (iso_pair_materials){pair->dissipation_a, pair->dissipation_b,   pair->dissipation,
                                pair->modulus_a,     pair->modulus_b,       pair->relaxation_time,
                                pair->adhesion,      pair->friction_static, pair->friction_dynamic};
}

/// Where whoever steps a pair may keep something while its geometries stay where they are, bit by
/// bit; NULL at first. NULL: nowhere.
/// @param[out] out_arena  of which it shall be, and which goes with it
void** iso_contact_system_place(const iso_contact_system* system, const iso_contact_pair* pair,
                                iso_arena** out_arena);

typedef struct iso_lacking_pair {
    int geometry_a, geometry_b;
    iso_contact_lack lack;
} iso_lacking_pair;

struct iso_contact_set {
    int pair_count;
    iso_contact_pair* pairs; ///< ordered by (geometry_a, geometry_b)
    int lacking_count;
    iso_lacking_pair* lacking; ///< those that lack something
    int candidate_count;       ///< pairs after the broad phase
    int face_count;            ///< over all pairs
    double broad_seconds, narrow_seconds;
};

/// Share of a field's largest pressure from which its bodies are near passing through each other.
#define ISO_DEEP_EXTENT 0.9
/// Share of the force from which a sheet is told of: that of the far side of a plate, or of what is
/// pulled in. An edge of a solid that is pressed past the middle of another one has less.
#define ISO_LEAST_SHEET_SHARE 0.1
/// Whether a contact is one that its model gets wrong: deep, on both sides of a sheet, or lacking.
bool iso_contact_pair_is_deep(const iso_contact_pair* pair);
bool iso_contact_pair_is_sheet(const iso_contact_pair* pair);
bool iso_contact_set_is_odd(const iso_contact_set* set);

/// A bound of the rate at which any geometry, as any other one sees it, moves by the sides of its
/// box [1/s]. Half spaces have none, nor do points and the missing thickness of sheets count. What
/// moves by less than its sides does not pass another body unseen.
/// @param x_wb, v_wb  [body_count]
double iso_contact_system_pace(const iso_contact_system* system, const iso_pose* x_wb,
                               const iso_spatial* v_wb);
/// That rate of the smaller one of two geometries.
double iso_contact_system_pair_pace(const iso_contact_system* system, int a, int b,
                                    const iso_pose* x_wb, const iso_spatial* v_wb);

/// The longest time in which no geometry moves by more than `share` of its sides [s]; infinite
/// where nothing moves.
double iso_contact_system_own_step(const iso_contact_system* system, const iso_pose* x_wb,
                                   const iso_spatial* v_wb, const iso_spatial* a_wb, double share);

/// The longest time, at most `horizon` [s], in which each geometry, also as each larger one that it
/// may touch sees it, moves by at most `share` of its sides, or by less than what lies between.
/// O(n log n) and pairs that may come near; the broad phase is scratch.
/// @param x_wb, v_wb, a_wb  [body_count] poses, twists and accelerations (of body origins)
/// @param arena             for scratch, released before returning
double iso_contact_system_longest_step(iso_contact_system* system, const iso_pose* x_wb,
                                       const iso_spatial* v_wb, const iso_spatial* a_wb,
                                       double share, double horizon, iso_arena* arena);

/// Stages 2 and 3: which pairs, and their patches. Pure function of the poses; the system's own
/// buffers (per-worker arenas, broad-phase order) are scratch.
/// @param x_wb   [body_count]
/// @param pool   threads over pairs; results do not depend on their number; NULL: in the caller
/// @param arena  receives the set; valid until the arena is reset
iso_status iso_contact_system_update(iso_contact_system* system, const iso_pose* x_wb,
                                     iso_task_pool* pool, iso_arena* arena,
                                     iso_contact_set* out_set);
/// Updates from now on keep what they find of geometries that moved, too, for steps from the same
/// poses that come next; without it they keep that of geometries that stand still.
void iso_contact_system_keep_found(iso_contact_system* system, bool keeps);
/// Hold what is kept of the pairs of the last update, which then know what steps made of it, until
/// this is called with NULL. Meanwhile nothing else is kept.
void iso_contact_system_hold_kept(iso_contact_system* system, iso_contact_set* set);
/// Updates from now on take patches of these pairs, which are held, where those only moved along a
/// half space that stands still, to rounding. NULL: no longer.
void iso_contact_system_move_from(iso_contact_system* system, const iso_contact_set* set);
/// The same of pairs that have a marked body, or of those that have none.
/// @param marks  [body_count]; NULL: all pairs
iso_status iso_contact_system_update_some(iso_contact_system* system, const iso_pose* x_wb,
                                          const bool* marks, bool has_mark, iso_task_pool* pool,
                                          iso_arena* arena, iso_contact_set* out_set);

/// Pairs that may meet and whose boxes do on the way of their bodies, which went for `time` as they
/// move now, to x_wb; what reaches into a half space at either end. Ordered by (a, b).
/// @param x_wb, v_wb      [body_count]
/// @param[out] out_pairs  until the next call with the system
/// @return ISO_ERR_MEMORY, and no pairs
iso_status iso_contact_system_find_crossings(iso_contact_system* system, const iso_pose* x_wb,
                                             const iso_spatial* v_wb, double time,
                                             const iso_candidate** out_pairs, int* out_count);

/// Where two geometries meet.
typedef struct iso_contact_meeting {
    iso_vec3 normal; ///< mean, unit, from A into B; zero where there is none
    iso_vec3 p_w;    ///< common point
} iso_contact_meeting;

/// Whether a pair that may meet does at these poses of its geometries, by its model; false where
/// that fails. Contacts found before stay as they are.
/// @param arena  for scratch, released before returning
bool iso_contact_system_meets(iso_contact_system* system, int a, int b, const iso_pose x_wg[2],
                              iso_arena* arena, iso_contact_meeting* out_meeting);

/// From now on a number of one geometry differs by this, and of no other one, until it is restored.
/// Shapes, which others share, stay as they are.
/// @param axis    of ISO_PARAMETER_POSE
/// @param change  as of iso_world_vary()
/// @return ISO_ERR_ARGUMENT (a geometry without such a number), ISO_ERR_MEMORY
iso_status iso_contact_system_vary(iso_contact_system* system, int geometry,
                                   iso_world_parameter_kind kind, int axis, double change);
void iso_contact_system_restore(iso_contact_system* system);
