// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "contact/pairs/broad_phase.h"
#include "contact/pairs/contact_system.h"
#include "contact/pairs/lasting_pair.h"
#include "friction/friction_law.h"
#include "isobar/volume.h"
#include "surface/kernels/search_threads.h"

/// What the narrow phase found for one candidate.
typedef struct iso_narrow_result {
    iso_status status;
    const iso_contact_model* model;
    iso_contact_manifold manifold;
    iso_moved_patch moved;
    size_t kept_bytes;    ///< of the worker's arena, for the manifold
    size_t scratch_bytes; ///< needed on top while it was computed
} iso_narrow_result;

/// What the narrow phase found for a candidate last time. A pair whose geometries are where they
/// were, bit by bit, meets as it did.
typedef struct iso_kept_manifold {
    int geometry_a, geometry_b;
    iso_pose x_wa, x_wb; ///< of the geometries
    bool is_placed;      ///< those are of the update before
    bool is_found;       ///< and this is how they meet
    bool is_wanted;      ///< again and again (iso_contact_system_keep_found())
    iso_contact_manifold manifold;
    void* step;      ///< what its model made of it for steps; NULL: nothing yet
    void* place;     ///< iso_contact_system_place()
    iso_arena arena; ///< owned; holds both
} iso_kept_manifold;

/// What never changes about a geometry, looked up once.
typedef struct iso_contact_part {
    bool is_rigid, is_half_space;
    iso_vec3 lower, upper; ///< bounds in G, margin included
    double margin;         ///< of its field, or of the layer that it may carry [m]
    double thickness;      ///< characteristic; rigid: of the layer [m]
    double max_pressure;   ///< of the field; INFINITY when rigid [Pa]
    double modulus;        ///< nominal; INFINITY when rigid [Pa]
    double dissipation;    ///< [s/m]
    double compliance;     ///< average, thickness / modulus; 0 when rigid [m/Pa]

    /// Gradient of the extent at the vertices of the field's mesh [1/m], averages of the tetrahedra
    /// about them; of another part with the same shape, or owned. Extent-rate damping only.
    const iso_vec3* extent_gradients;
    bool owns_extent_gradients;
    iso_volume_body* volume; ///< owned; volumetric contact only
} iso_contact_part;

/// A geometry that is varied (vary.h).
typedef struct iso_contact_variation iso_contact_variation;
void iso_contact_variation_destroy(iso_context* ctx, iso_contact_variation* variation);

struct iso_contact_system {
    iso_context* ctx;
    iso_contact_options options;
    bool has_field;   ///< pairs of patches have fields of springs, at either level (stretched.h)
    bool has_stretch; ///< pairs remember a stretch (stretched.h) instead of what their model keeps
    const iso_contact_model* given_model; ///< of the pairs that it takes; NULL: none was given
    int geometry_count;
    iso_contact_geometry* geometries;    ///< [geometry_count]
    iso_contact_part* parts;             ///< [geometry_count]
    iso_body_filter bodies;              ///< which of them may touch
    ISO_ARRAY(iso_lasting_pair) lasting; ///< ordered

    iso_contact_variation* variation; ///< NULL until one is varied

    // Scratch of an update.
    iso_pose* x_wg;        ///< [geometry_count]
    iso_broad_item* items; ///< [geometry_count]
    iso_broad_phase broad;
    ISO_ARRAY(iso_narrow_result) results; ///< per candidate
    ISO_ARRAY(iso_kept_manifold) kept;    ///< per candidate of the last update
    ISO_ARRAY(iso_arena) workers;         ///< patches while threads compute them
    size_t worker_bytes;                  ///< what any one worker may need
    bool keeps_found;                     ///< iso_contact_system_keep_found()
    bool holds_kept;                      ///< iso_contact_system_hold_kept()
    const iso_contact_set* moved_from;    ///< iso_contact_system_move_from()
    iso_search_threads search_threads;    ///< threads that share a large pair
};

/// A box around a geometry, margin included; not a half space.
/// @param x  pose of the geometry in the frame of the box
void iso_contact_part_box(const iso_contact_part* part, const iso_pose* x, iso_vec3* out_lower,
                          iso_vec3* out_upper);

/// Where the manifold of a pair is kept; NULL: it is not, or another one is.
iso_kept_manifold* iso_contact_system_kept(const iso_contact_system* system,
                                           const iso_contact_pair* pair);
/// Forget how pairs met: their geometries are others now.
void iso_contact_system_forget_manifolds(iso_contact_system* system);

/// Find the pairs that last; one whose model cannot have that is an error.
iso_status iso_contact_system_prepare_lasting(iso_contact_system* system);
/// One of them; NULL: it is none.
const iso_lasting_pair* iso_contact_system_lasting_pair(const iso_contact_system* system,
                                                        int geometry_a, int geometry_b);
/// Friction of lasting pairs anew, after that of a geometry has changed.
void iso_contact_system_renew_friction(iso_contact_system* system);
/// Friction of a pair: that of its rule, else of both materials.
void iso_contact_friction_coefficients(const iso_contact_system* system, int geometry_a,
                                       int geometry_b, double* out_static, double* out_dynamic);

/// What to call the origin of a geometry in a message.
static inline const char* iso_contact_source(const iso_contact_geometry* geometry) {
    return geometry->source ? geometry->source : "no file";
}
