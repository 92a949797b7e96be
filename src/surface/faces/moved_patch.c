// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "surface/faces/moved_patch.h"

// By a motion; or of directions, by its rotation alone. NULL: there is no memory.
static const iso_vec3* move_array(iso_arena* arena, const iso_vec3* from, int count,
                                  const iso_pose* motion) {
    iso_vec3* to = iso_arena_push_array(arena, count, sizeof *to);
    for (int i = 0; to && i < count; ++i) {
        to[i] = iso_pose_point(motion, from[i]);
    }
    return to;
}

bool iso_patch_move(iso_arena* arena, const iso_patch* from, const iso_pose* motion, bool is_turned,
                    iso_patch* out) {
    const iso_pose turn = {motion->r, iso_vec3_zero()};
    int faces = from->face_count;
    *out = *from;
    out->vertices = move_array(arena, from->vertices, from->vertex_count, motion);
    out->centroids = move_array(arena, from->centroids, faces, motion);
    out->centroid = iso_pose_point(motion, from->centroid);
    out->center_of_pressure = iso_pose_point(motion, from->center_of_pressure);
    if (is_turned) {
        out->normals = move_array(arena, from->normals, faces, &turn);
        out->gradients_a = move_array(arena, from->gradients_a, faces, &turn);
        out->gradients_b = move_array(arena, from->gradients_b, faces, &turn);
    }
    return out->vertices && out->centroids && out->normals && out->gradients_a && out->gradients_b;
}
