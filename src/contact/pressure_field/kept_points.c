// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "contact/pressure_field/kept_points.h"

#include "base/core/fail.h"
#include "contact/pairs/contact_system_state.h"

#include <math.h>
#include <string.h>

// Arrays of numbers that are filled in, but for that of tension.
enum { k_array_count = 10 };

// Slower than this share of what makes a patch turn, it does not whatever its normal is.
#define SURELY_SLOW 0.99

/// What a filling depends on besides the patch, and what it made.
typedef struct kept_points {
    iso_point_law law;
    double dt;
    iso_pair_materials materials;
    iso_vec3 p_wc;
    bool has_adhesion, is_spread;
    iso_compliant_points filled; ///< in the arena of the manifold
    iso_kept_steady steady;
} kept_points;

// What was filled in, to points without any.
static iso_status copy_filled(const iso_compliant_points* from, iso_arena* arena,
                              iso_compliant_points* to) {
    to->has_adhesion = from->has_adhesion;
    iso_status status = iso_compliant_points_allocate(arena, from->count, to);
    to->count = status == ISO_OK ? from->count : 0;
    if (to->count > 0) {
        const double* const sources[k_array_count] = {
            from->rx, from->ry,   from->rz,    from->nx,          from->ny,
            from->nz, from->area, from->force, from->dissipation, from->stiffness};
        double* const targets[k_array_count] = {to->rx,          to->ry,       to->rz,   to->nx,
                                                to->ny,          to->nz,       to->area, to->force,
                                                to->dissipation, to->stiffness};
        size_t bytes = (size_t)to->count * sizeof(double);
        for (int i = 0; i < k_array_count; ++i) {
            memcpy(targets[i], sources[i], bytes);
        }
        if (from->has_adhesion) {
            memcpy(to->tension_limit, from->tension_limit, bytes);
        }
        memcpy(to->face, from->face, (size_t)to->count * sizeof *to->face);
    }
    return status;
}

static kept_points describe(const iso_contact_pair* pair, const iso_spatial* v_c0,
                            const iso_compliant_points* points) {
    return (kept_points){.law = points->law,
                         .dt = points->dt,
                         .materials = iso_contact_pair_materials(pair),
                         .p_wc = pair->p_wc,
                         .has_adhesion = points->has_adhesion,
                         .is_spread = v_c0 != NULL};
}

static bool is_same(const kept_points* a, const kept_points* b) {
    return a->law == b->law && a->dt == b->dt &&
           memcmp(&a->materials, &b->materials, sizeof a->materials) == 0 &&
           memcmp(&a->p_wc, &b->p_wc, sizeof a->p_wc) == 0 && a->has_adhesion == b->has_adhesion &&
           a->is_spread == b->is_spread;
}

static bool keep(const kept_points* like, const iso_compliant_points* points,
                 iso_kept_manifold* manifold) {
    kept_points* kept = iso_arena_push(&manifold->arena, sizeof *kept);
    if (!kept) {
        return false;
    }
    *kept = *like;
    if (copy_filled(points, &manifold->arena, &kept->filled) != ISO_OK) {
        return false;
    }
    manifold->step = kept;
    return true;
}

static void turn_arrays(const iso_mat3* turn, int count, double* x, double* y, double* z) {
    for (int i = 0; i < count; ++i) {
        iso_vec3 to = iso_mat3_mul_vec3(turn, iso_vec3_make(x[i], y[i], z[i]));
        x[i] = to.x;
        y[i] = to.y;
        z[i] = to.z;
    }
}

// Those of the patch that moved here; false: they were not kept, or others.
static bool move_filled(const kept_points* now, const iso_contact_pair* pair, iso_arena* arena,
                        iso_compliant_points* points, iso_status* out_status) {
    kept_points* from = pair->moved.from->step;
    kept_points there = *now;
    there.p_wc = pair->moved.from->p_wc;
    if (!from || !is_same(from, &there)) {
        return false;
    }
    *out_status = copy_filled(&from->filled, arena, points);
    if (*out_status == ISO_OK && pair->moved.is_turned) {
        const iso_mat3* turn = &pair->moved.motion.r;
        turn_arrays(turn, points->count, points->rx, points->ry, points->rz);
        turn_arrays(turn, points->count, points->nx, points->ny, points->nz);
    }
    return true;
}

iso_status iso_compliant_points_refill(const iso_contact_system* system,
                                       const iso_contact_pair* pair, const iso_spatial* v_c0,
                                       iso_arena* arena, iso_compliant_points* points,
                                       iso_kept_steady** out_steady) {
    const iso_contact_options* options = &system->options;
    iso_kept_manifold* manifold = iso_contact_system_kept(system, pair);
    *out_steady = NULL;
    double spin = v_c0 ? iso_vec3_norm(v_c0->rotational) : 0.0;
    const iso_contact_pair* from = pair->moved.from;
    bool is_wanted = from || (manifold && manifold->is_wanted);
    bool may_keep = (manifold || from) && !pair->face_dissipations &&
                    (spin * sqrt(pair->patch.area) < SURELY_SLOW * options->stiction_velocity ||
                     (is_wanted && !iso_compliant_points_turn(options, pair, v_c0)));
    if (!may_keep) {
        return iso_compliant_points_fill(options, pair, v_c0, arena, points);
    }
    if (from) {
        kept_points now = describe(pair, v_c0, points), *there = from->step;
        iso_status status = ISO_OK;
        bool is_moved = move_filled(&now, pair, arena, points, &status);
        *out_steady = is_moved ? &there->steady : NULL;
        return is_moved ? status : iso_compliant_points_fill(options, pair, v_c0, arena, points);
    }
    kept_points now = describe(pair, v_c0, points), *kept = manifold->step;
    bool is_kept = kept && is_same(kept, &now);
    iso_status status = is_kept ? copy_filled(&kept->filled, arena, points)
                                : iso_compliant_points_fill(options, pair, v_c0, arena, points);
    if (status == ISO_OK && !kept) {
        is_kept = keep(&now, points, manifold);
        ISO_REQUIRE(arena->ctx, is_kept, ISO_ERR_MEMORY, "%d points of a contact", points->count);
    }
    kept = manifold->step;
    *out_steady = is_kept ? &kept->steady : NULL;
    return status;
}
