// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "isobar/mover.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "task/paths/lookup.h"
#include "task/paths/path.h"

#include <stdio.h>
#include <string.h>

/// Largest difference of the first and the last pose of a path that is repeated [m], [1].
#define CLOSED 1e-9

typedef struct mover {
    int body;
    iso_profile profile;
    int key_count; ///< poses after the first
    bool is_repeated;
    double start_time;
    iso_pose start;       ///< first pose; without poses: where it was when made
    iso_spatial velocity; ///< without poses
    double* times;        ///< [key_count] after start_time; owned
    iso_pose* poses;      ///< [key_count]; owned
} mover;

struct iso_movers {
    iso_context* ctx;
    int count;
    mover* movers;
};

iso_mover_desc iso_mover_desc_default(void) {
    return (iso_mover_desc){.profile = ISO_PROFILE_CUBIC};
}

static double pose_difference(const iso_pose* a, const iso_pose* b) {
    double worst = iso_vec3_norm(iso_vec3_sub(a->p, b->p));
    for (int i = 0; i < 9; ++i) {
        worst = fmax(worst, fabs(a->r.m[i / 3][i % 3] - b->r.m[i / 3][i % 3]));
    }
    return worst;
}

#define REQUIRE_OF(ctx, desc, condition, status, ...)                         \
    do {                                                                      \
        if (!(condition)) {                                                   \
            (void)iso_fail(ctx, status, __func__, __VA_ARGS__);               \
            return iso_fail_prefix(ctx, status, "%s%sbody '%s'",              \
                                   (desc)->source ? (desc)->source : "",      \
                                   (desc)->source ? ": " : "", (desc)->body); \
        }                                                                     \
    } while (0)

static iso_status check_path(iso_context* ctx, const iso_mover_desc* desc) {
    int n = desc->pose_count;
    REQUIRE_OF(ctx, desc, n >= 0 && (n == 0 || (desc->times && desc->poses)), ISO_ERR_ARGUMENT,
               "pose_count is %d, expected 0, or times and poses", n);
    REQUIRE_OF(ctx, desc, desc->profile == ISO_PROFILE_CUBIC || desc->profile == ISO_PROFILE_LINEAR,
               ISO_ERR_RANGE, "profile is %d, expected 0 or 1", (int)desc->profile);
    REQUIRE_OF(ctx, desc,
               iso_vec3_is_finite(desc->velocity.rotational) &&
                   iso_vec3_is_finite(desc->velocity.translational),
               ISO_ERR_RANGE,
               "its velocity is (%g, %g, %g) rad/s, (%g, %g, %g) m/s, expected finite",
               desc->velocity.rotational.x, desc->velocity.rotational.y,
               desc->velocity.rotational.z, desc->velocity.translational.x,
               desc->velocity.translational.y, desc->velocity.translational.z);
    for (int i = 0; i < n; ++i) {
        REQUIRE_OF(ctx, desc,
                   isfinite(desc->times[i]) && (i == 0 || desc->times[i] > desc->times[i - 1]),
                   ISO_ERR_RANGE, "time %d of its path is %g s, expected finite and rising", i,
                   desc->times[i]);
        REQUIRE_OF(ctx, desc, iso_pose_is_rigid(&desc->poses[i]), ISO_ERR_RANGE,
                   "the rotation of pose %d of its path is %g off one, expected below 1e-6, and a "
                   "finite place",
                   i, iso_pose_gap(&desc->poses[i]));
    }
    if (desc->is_repeated) {
        REQUIRE_OF(ctx, desc, n >= 2, ISO_ERR_RANGE,
                   "a path that is repeated has %d poses, expected 2 or more", n);
        double gap = pose_difference(&desc->poses[0], &desc->poses[n - 1]);
        REQUIRE_OF(ctx, desc, gap <= CLOSED, ISO_ERR_RANGE,
                   "a path that is repeated ends %g away from where it begins, expected %g", gap,
                   CLOSED);
    }
    return ISO_OK;
}

static iso_status add_mover(const iso_world* world, iso_movers* movers,
                            const iso_mover_desc* desc) {
    iso_context* ctx = movers->ctx;
    ISO_REQUIRE(ctx, desc->body, ISO_ERR_ARGUMENT, "mover %d names no body", movers->count);
    iso_status status = check_path(ctx, desc);
    if (status != ISO_OK) {
        return status;
    }
    mover* m = &movers->movers[movers->count];
    *m = (mover){.profile = desc->profile,
                 .key_count = desc->pose_count > 0 ? desc->pose_count - 1 : 0,
                 .is_repeated = desc->is_repeated,
                 .velocity = desc->pose_count > 0 ? iso_spatial_zero() : desc->velocity};
    status = iso_look_up_body(ctx, world, desc->body, &m->body);
    if (status != ISO_OK) {
        return desc->source ? iso_fail_prefix(ctx, status, "%s", desc->source) : status;
    }
    REQUIRE_OF(ctx, desc, m->body > 0 && iso_world_body_is_fixed(world, m->body), ISO_ERR_RANGE,
               "is not welded to the world: a path cannot be prescribed");
    for (int i = 0; i < movers->count; ++i) {
        REQUIRE_OF(ctx, desc, movers->movers[i].body != m->body, ISO_ERR_ARGUMENT, "has two paths");
    }
    ++movers->count;
    bool has_poses = desc->pose_count > 0;
    m->start = has_poses ? desc->poses[0] : iso_world_body_pose(world, m->body);
    m->start_time = has_poses ? desc->times[0] : iso_world_time(world);
    m->times = iso_alloc_array(ctx, m->key_count, sizeof *m->times);
    m->poses = iso_alloc_array(ctx, m->key_count, sizeof *m->poses);
    ISO_REQUIRE(ctx, m->times && m->poses, ISO_ERR_MEMORY, "path of %d poses", desc->pose_count);
    for (int i = 0; i < m->key_count; ++i) {
        m->times[i] = desc->times[i + 1] - desc->times[0];
        m->poses[i] = desc->poses[i + 1];
    }
    return ISO_OK;
}

iso_status iso_movers_create(const iso_world* world, const iso_mover_desc* descs, int count,
                             iso_movers** out_movers) {
    iso_context* ctx = world ? iso_world_context(world) : NULL;
    ISO_REQUIRE(ctx, world && out_movers && count >= 0 && (descs || count == 0), ISO_ERR_ARGUMENT,
                "world, descs and out_movers are required");
    *out_movers = NULL;
    iso_movers* movers = iso_alloc_zeroed(ctx, sizeof *movers);
    ISO_REQUIRE(ctx, movers, ISO_ERR_MEMORY, "%d movers", count);
    movers->ctx = ctx;
    iso_status status = ISO_OK;
    movers->movers = iso_alloc_array(ctx, count, sizeof *movers->movers);
    ISO_CHECK(ctx, movers->movers, ISO_ERR_MEMORY, "%d movers", count);
    for (int i = 0; i < count; ++i) {
        ISO_TRY(add_mover(world, movers, &descs[i]));
    }
    *out_movers = movers;

done:
    if (status != ISO_OK) {
        iso_movers_destroy(movers);
    }
    return status;
}

void iso_movers_destroy(iso_movers* movers) {
    if (!movers) {
        return;
    }
    for (int i = 0; i < movers->count; ++i) {
        iso_free(movers->ctx, movers->movers[i].times);
        iso_free(movers->ctx, movers->movers[i].poses);
    }
    iso_free(movers->ctx, movers->movers);
    iso_free(movers->ctx, movers);
}

int iso_movers_count(const iso_movers* movers) {
    return movers ? movers->count : 0;
}

// The start moved on with a constant twist: turned about an axis through its own origin.
static iso_pose drift(const mover* m, double elapsed) {
    iso_pose x = m->start;
    iso_quat turn = iso_quat_from_rotation_vector(iso_vec3_scale(m->velocity.rotational, elapsed));
    x.p = iso_vec3_add_scaled(x.p, m->velocity.translational, elapsed);
    x.r = iso_mat3_from_quat(iso_quat_normalized(iso_quat_mul(turn, iso_quat_from_mat3(&x.r))));
    return x;
}

static iso_pose pose_at(const mover* m, double time) {
    double elapsed = time - m->start_time;
    if (m->key_count == 0) {
        return iso_spatial_dot(m->velocity, m->velocity) > 0.0 ? drift(m, elapsed) : m->start;
    }
    if (elapsed <= 0.0) {
        return m->start;
    }
    double length = m->times[m->key_count - 1];
    if (m->is_repeated) {
        elapsed -= length * floor(elapsed / length);
    } else if (elapsed >= length) {
        return m->poses[m->key_count - 1];
    }
    return iso_path_pose(m->profile, m->times, m->key_count, &m->start, m->poses, elapsed);
}

iso_pose iso_movers_pose(const iso_movers* movers, int index, double time) {
    bool is_there = movers && index >= 0 && index < movers->count;
    return is_there ? pose_at(&movers->movers[index], time) : iso_pose_identity();
}

iso_status iso_movers_apply(const iso_movers* movers, iso_world* world) {
    ISO_REQUIRE(world ? iso_world_context(world) : NULL, movers && world, ISO_ERR_ARGUMENT,
                "movers and world are required");
    double time = iso_world_time(world), dt = iso_world_settings(world)->time_step;
    for (int i = 0; i < movers->count; ++i) {
        const mover* m = &movers->movers[i];
        iso_pose now = pose_at(m, time), next = pose_at(m, time + dt);
        iso_mat3 turn = iso_mat3_mul(next.r, iso_mat3_transpose(now.r));
        iso_vec3 rotation = iso_quat_to_rotation_vector(iso_quat_from_mat3(&turn));
        iso_spatial v = iso_spatial_make(iso_vec3_scale(rotation, 1.0 / dt),
                                         iso_vec3_scale(iso_vec3_sub(next.p, now.p), 1.0 / dt));
        iso_status status = iso_world_set_prescribed(world, m->body, &now, v);
        if (status != ISO_OK) {
            return status;
        }
    }
    return ISO_OK;
}
