// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "volume/column_clip.h"
#include "volume/sweep.h"

typedef struct plane_sweep {
    const iso_volume_body* b;
    iso_pose x_ab;
    iso_volume_moments moments;
} plane_sweep;

// The corners of a triangle below z = 0 with their depths: at most four.
static int clip_below(const iso_vec3 p[3], iso_column_corner* out) {
    int count = 0;
    for (int i = 0; i < 3; ++i) {
        iso_vec3 here = p[i], next = p[(i + 1) % 3];
        if (here.z <= 0.0) {
            out[count++] = (iso_column_corner){here, -here.z};
        }
        if ((here.z <= 0.0) != (next.z <= 0.0)) {
            // From the lower end, so that both triangles of the edge find one point.
            iso_vec3 low = here.z <= 0.0 ? here : next, high = here.z <= 0.0 ? next : here;
            iso_vec3 cut = iso_vec3_lerp(low, high, low.z / (low.z - high.z));
            cut.z = 0.0;
            out[count++] = (iso_column_corner){cut, 0.0};
        }
    }
    return count;
}

static void add_leaf(plane_sweep* s, int leaf) {
    const iso_tri_mesh* mesh = &s->b->surface;
    for (int i = 0; i < ISO_BVH_LEAF_SIZE; ++i) {
        int element = s->b->tree.elements[leaf * ISO_BVH_LEAF_SIZE + i];
        if (element < 0) {
            continue;
        }
        iso_vec3 p[3];
        iso_column_corner corners[ISO_COLUMN_MAX_CORNERS];
        for (int k = 0; k < 3; ++k) {
            p[k] = iso_pose_point(&s->x_ab, mesh->vertices[mesh->triangles[element][k]]);
        }
        int count = clip_below(p, corners);
        if (count >= 3) {
            iso_volume_add_columns(&s->moments, corners, count, -1.0, 1.0);
        }
    }
}

// Whether the box of a child reaches below the plane, by a slack for the rounding of floats.
static bool is_below(const plane_sweep* s, const iso_bvh_node* node, int side, double slack) {
    const double* r = s->x_ab.r.m[2];
    double z = s->x_ab.p.z, reach = slack;
    for (int k = 0; k < 3; ++k) {
        z += r[k] * (double)node->center[k][side];
        reach += fabs(r[k]) * (double)node->half[k][side];
    }
    return z <= reach;
}

void iso_volume_sweep_plane(const iso_volume_body* b, const iso_pose* x_ab,
                            iso_volume_metrics* out_metrics) {
    plane_sweep s = {.b = b, .x_ab = *x_ab};
    int stack[ISO_BVH_STACK_SIZE], depth = 0;
    double slack = 1e-6 * (iso_vec3_distance(b->lower, b->upper) + fabs(x_ab->p.z));
    // In the plane, near the body: what is far away would cancel.
    iso_vec3 near = iso_pose_point(x_ab, iso_vec3_lerp(b->lower, b->upper, 0.5));
    near.z = 0.0;
    s.x_ab.p = iso_vec3_sub(s.x_ab.p, near);
    stack[depth++] = 0;
    while (depth > 0) {
        const iso_bvh_node* node = &b->tree.nodes[stack[--depth]];
        for (int side = 0; side < 2; ++side) {
            if (!is_below(&s, node, side, slack)) {
                continue;
            }
            if (node->child[side] >= 0) {
                stack[depth++] = node->child[side];
            } else {
                add_leaf(&s, -1 - node->child[side]);
            }
        }
    }
    iso_pose x_as = iso_pose_from_position(near);
    iso_volume_finish(&s.moments, &x_as, ISO_VOLUME_POLYHEDRAL, out_metrics);
}
