// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// The patch of one way to find faces, without a query.

#include "support/check.h"
#include "surface/kernels/kernels.h"

typedef iso_status (*field_kernel)(iso_face_list* list, const iso_field* field_0,
                                   const iso_field* field_1, const iso_pose* x_01, iso_cull cull);

/// Its memory is of the arena, which is emptied first.
static inline iso_patch kernel_patch(iso_context* ctx, iso_arena* arena, field_kernel fn,
                                     const iso_field* field_0, const iso_field* field_1,
                                     const iso_pose* x_01, iso_cull cull) {
    iso_face_frame frame = {.x_w0 = iso_pose_identity(),
                            .size = fmax(field_0->size, field_1->size)};
    iso_face_list list;
    iso_patch patch;
    CHECK_OK(ctx, iso_arena_reset(arena));
    iso_face_list_begin(&list, arena, &frame, ISO_REPRESENTATION_POLYGON);
    CHECK_OK(ctx, fn(&list, field_0, field_1, x_01, cull));
    CHECK_OK(ctx, iso_face_list_finish(&list, &patch));
    return patch;
}
