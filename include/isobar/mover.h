// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/task.h"

#ifdef __cplusplus
extern "C" {
#endif

// Fixed bodies on prescribed paths: conveyors, lifts, turntables, tools on rails.

/// The path of a body that is welded to the world. Start from iso_mover_desc_default().
typedef struct iso_mover_desc {
    const char* body;      ///< scoped name, or bare when only one matches; copied
    iso_profile profile;   ///< between poses; cubic
    int pose_count;        ///< 0: `velocity` for ever
    const double* times;   ///< [pose_count] rising [s]; copied
    const iso_pose* poses; ///< [pose_count] of the body in W; copied. It stands at the first before
                           ///< its time and at the last after it
    bool is_repeated; ///< after the last time as from the first; the first and the last pose must
                      ///< be the same to 1e-9. false
    iso_spatial velocity; ///< without poses: (angular velocity; velocity of the body's origin) in
                          ///< W, from where the world has the body when movers are made
    const char* source;   ///< "file:line" for error messages; may be NULL
} iso_mover_desc;
/// The values named beside the members; no body, no velocity.
ISO_API iso_mover_desc iso_mover_desc_default(void);

/// Bodies that move on their paths.
typedef struct iso_movers iso_movers;

/// @param      world  read during the call
/// @return ISO_ERR_NOT_FOUND (body), ISO_ERR_RANGE (times, poses), ISO_ERR_ARGUMENT (a body has two
///         paths), ISO_ERR_MEMORY
ISO_NODISCARD ISO_API iso_status iso_movers_create(const iso_world* world,
                                                   const iso_mover_desc* descs, int count,
                                                   iso_movers** out_movers);
/// Release movers; the bodies keep their last twist. NULL is allowed.
ISO_API void iso_movers_destroy(iso_movers* movers);
/// Put every body where it is on its path at the world's time, with the twist that brings it to
/// where it is one time step later. Call it before every step. Allocates nothing.
/// @return errors of iso_world_set_prescribed()
ISO_NODISCARD ISO_API iso_status iso_movers_apply(const iso_movers* movers, iso_world* world);
/// Number of movers.
ISO_API int iso_movers_count(const iso_movers* movers);
/// Pose in W of a body on its path at any time; the identity for indices out of range.
ISO_API iso_pose iso_movers_pose(const iso_movers* movers, int mover, double time);
/// Let a task apply movers before every step, in iso_task_apply(); the task owns them from now on.
/// NULL: none any more.
ISO_API void iso_task_take_movers(iso_task* task, iso_movers* movers);

#ifdef __cplusplus
}
#endif
