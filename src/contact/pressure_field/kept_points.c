// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "contact/pressure_field/kept_points.h"

#include "base/core/fail.h"
#include "contact/pairs/contact_system_state.h"

#include <math.h>
#include <string.h>

// What is filled in: arrays of iso_compliant_points.
enum { k_array_count = 10 };

// Slower than this share of what makes a patch turn, it does not whatever its normal is.
#define SURELY_SLOW 0.99

/// What a filling depends on besides the patch, and what it made.
typedef struct kept_points {
    iso_point_law law;
    double dt, dissipation_a, dissipation_b, dissipation, relaxation_time, modulus_a, modulus_b;
    double friction;
    iso_vec3 p_wc;
    bool has_adhesion, is_spread;
    int count;
    double* arrays[k_array_count]; ///< [count] each
    double* tension_limit;         ///< [count]; NULL: it has none
    int* face;                     ///< [count]
    iso_kept_steady steady;
} kept_points;

static void list_arrays(iso_compliant_points* p, double** out) {
    double* const arrays[k_array_count] = {p->rx, p->ry,   p->rz,    p->nx,          p->ny,
                                           p->nz, p->area, p->force, p->dissipation, p->stiffness};
    memcpy(out, arrays, sizeof arrays);
}

static kept_points describe(const iso_contact_pair* pair, const iso_spatial* v_c0,
                            const iso_compliant_points* points) {
    return (kept_points){.law = points->law,
                         .dt = points->dt,
                         .dissipation_a = pair->dissipation_a,
                         .dissipation_b = pair->dissipation_b,
                         .dissipation = pair->dissipation,
                         .relaxation_time = pair->relaxation_time,
                         .modulus_a = pair->modulus_a,
                         .modulus_b = pair->modulus_b,
                         .friction = pair->friction_dynamic,
                         .p_wc = pair->p_wc,
                         .has_adhesion = points->has_adhesion,
                         .is_spread = v_c0 != NULL};
}

static bool is_same(const kept_points* a, const kept_points* b) {
    return a->law == b->law && a->dt == b->dt && a->dissipation_a == b->dissipation_a &&
           a->dissipation_b == b->dissipation_b && a->dissipation == b->dissipation &&
           a->relaxation_time == b->relaxation_time && a->modulus_a == b->modulus_a &&
           a->modulus_b == b->modulus_b && a->friction == b->friction && a->p_wc.x == b->p_wc.x &&
           a->p_wc.y == b->p_wc.y && a->p_wc.z == b->p_wc.z && a->has_adhesion == b->has_adhesion &&
           a->is_spread == b->is_spread;
}

static bool keep(const kept_points* like, const iso_compliant_points* points,
                 iso_kept_manifold* manifold) {
    iso_compliant_points from = *points;
    iso_arena* arena = &manifold->arena;
    size_t bytes = (size_t)points->count * sizeof(double);
    kept_points* kept = iso_arena_push(arena, sizeof *kept);
    double *sources[k_array_count], *storage = iso_arena_push(arena, (k_array_count + 1) * bytes);
    int* face = iso_arena_push_array(arena, points->count, sizeof *face);
    if (!kept || !storage || !face) {
        return false;
    }
    *kept = *like;
    kept->count = points->count;
    list_arrays(&from, sources);
    for (int i = 0; i < k_array_count && points->count > 0; ++i) {
        kept->arrays[i] = storage + (size_t)i * (size_t)points->count;
        memcpy(kept->arrays[i], sources[i], bytes);
    }
    if (points->has_adhesion && points->count > 0) {
        kept->tension_limit = storage + (size_t)k_array_count * (size_t)points->count;
        memcpy(kept->tension_limit, points->tension_limit, bytes);
    }
    if (points->count > 0) {
        memcpy(face, points->face, (size_t)points->count * sizeof *face);
    }
    kept->face = face;
    manifold->step = kept;
    return true;
}

static iso_status restore(const kept_points* kept, iso_arena* arena, iso_compliant_points* points) {
    iso_status status = iso_compliant_points_allocate(arena, kept->count, points);
    size_t bytes = (size_t)kept->count * sizeof(double);
    points->count = status == ISO_OK ? kept->count : 0;
    if (points->count > 0) {
        double* targets[k_array_count];
        list_arrays(points, targets);
        for (int i = 0; i < k_array_count; ++i) {
            memcpy(targets[i], kept->arrays[i], bytes);
        }
        if (kept->tension_limit) {
            memcpy(points->tension_limit, kept->tension_limit, bytes);
        }
        memcpy(points->face, kept->face, (size_t)kept->count * sizeof *kept->face);
    }
    return status;
}

iso_status iso_compliant_points_refill(const iso_contact_system* system,
                                       const iso_contact_pair* pair, const iso_spatial* v_c0,
                                       iso_arena* arena, iso_compliant_points* points,
                                       iso_kept_steady** out_steady) {
    const iso_contact_options* options = &system->options;
    iso_kept_manifold* manifold = iso_contact_system_kept(system, pair);
    *out_steady = NULL;
    double spin = v_c0 ? iso_vec3_norm(v_c0->rotational) : 0.0;
    bool may_keep = manifold && !pair->face_dissipations &&
                    spin * sqrt(pair->patch.area) < SURELY_SLOW * options->stiction_velocity;
    if (!may_keep) {
        return iso_compliant_points_fill(options, pair, v_c0, arena, points);
    }
    kept_points now = describe(pair, v_c0, points), *kept = manifold->step;
    bool is_kept = kept && is_same(kept, &now);
    iso_status status = is_kept ? restore(kept, arena, points)
                                : iso_compliant_points_fill(options, pair, v_c0, arena, points);
    if (status == ISO_OK && !kept) {
        is_kept = keep(&now, points, manifold);
        ISO_REQUIRE(arena->ctx, is_kept, ISO_ERR_MEMORY, "%d points of a contact", points->count);
    }
    kept = manifold->step;
    *out_steady = is_kept ? &kept->steady : NULL;
    return status;
}
