// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Moments of an intersection without its shape. Along an axis z a solid is what lies below its
// triangles that face up, less what lies below those that face down; as well what lies above the
// latter less what lies above the former. With the first for the lower body A, the second for the
// upper one B,
//     1_A 1_B = - sum over triangles a, b of  s_a s_b [z < h_a(x, y)] [z > h_b(x, y)],
// s = +1 facing up and -1 facing down. So each pair adds the columns between b and a over where
// their projections overlap. Every term is continuous in the poses: coplanar faces and aligned
// edges are no special cases, and where A lies below B terms are as small as the overlap.

#include "volume/sweep.h"

#include "geometry/search/bvh_descent.h"
#include "volume/column_clip.h"

enum { k_leaf = ISO_BVH_LEAF_SIZE };

// The triangles of a leaf in the frame of the sweep.
typedef struct leaf_triangles {
    int leaf, count; // leaf -1: none yet
    iso_sweep_triangle triangles[k_leaf];
} leaf_triangles;

typedef struct sweep {
    const iso_volume_body *a, *b;
    iso_pose x_sa, x_sb; // frame S of the sweep: axes of A in another order
    iso_bvh_float4_pose x_ab;
    int axis;      // of A that is z or -z of S
    double toward; // 1 or -1
    leaf_triangles leaf_a, leaf_b;
    iso_volume_moments moments;
} sweep;

static iso_mat3 permutation(int axis, double toward) {
    iso_mat3 r = iso_mat3_zero();
    int x = (axis + 1) % 3, y = (axis + 2) % 3;
    r.m[0][toward > 0.0 ? x : y] = 1.0;
    r.m[1][toward > 0.0 ? y : x] = 1.0;
    r.m[2][axis] = toward;
    return r;
}

// Bounds of B in the frame of A.
static void bounds_in_a(const iso_volume_body* b, const iso_pose* x_ab, iso_vec3* out_lower,
                        iso_vec3* out_upper) {
    iso_vec3 center = iso_pose_point(x_ab, iso_vec3_lerp(b->lower, b->upper, 0.5));
    iso_vec3 h = iso_vec3_scale(iso_vec3_sub(b->upper, b->lower), 0.5);
    const double(*r)[3] = x_ab->r.m;
    iso_vec3 half = {fabs(r[0][0]) * h.x + fabs(r[0][1]) * h.y + fabs(r[0][2]) * h.z,
                     fabs(r[1][0]) * h.x + fabs(r[1][1]) * h.y + fabs(r[1][2]) * h.z,
                     fabs(r[2][0]) * h.x + fabs(r[2][1]) * h.y + fabs(r[2][2]) * h.z};
    *out_lower = iso_vec3_sub(center, half);
    *out_upper = iso_vec3_add(center, half);
}

// Chooses the axis along which B's bounds reach least far below A's top, and the frame S about the
// middle of where the bounds overlap; false: they do not.
static bool choose_frame(sweep* s, const iso_pose* x_ab) {
    iso_vec3 lower, upper;
    bounds_in_a(s->b, x_ab, &lower, &upper);
    double least = INFINITY;
    for (int k = 0; k < 3; ++k) {
        double up = iso_vec3_get(s->a->upper, k) - iso_vec3_get(lower, k);
        double down = iso_vec3_get(upper, k) - iso_vec3_get(s->a->lower, k);
        double depth = up <= down ? up : down;
        if (depth < least) {
            least = depth;
            s->axis = k;
            s->toward = up <= down ? 1.0 : -1.0;
        }
    }
    if (!(least > 0.0)) {
        return false;
    }
    iso_vec3 middle =
        iso_vec3_lerp(iso_vec3_max(lower, s->a->lower), iso_vec3_min(upper, s->a->upper), 0.5);
    iso_mat3 r = permutation(s->axis, s->toward);
    s->x_sa = iso_pose_make(r, iso_vec3_neg(iso_mat3_mul_vec3(&r, middle)));
    s->x_sb.r = iso_mat3_mul(r, x_ab->r);
    s->x_sb.p = iso_mat3_mul_vec3(&r, iso_vec3_sub(x_ab->p, middle));
    s->x_ab = iso_bvh_float4_spread(&s->a->tree, &s->b->tree, x_ab);
    return true;
}

// Which pairs of children may have a triangle of A above one of B.
static int may_meet(const sweep* s, const iso_bvh_node* a, const iso_bvh_node* b) {
    iso_float4 c[3], h[3];
    iso_float4_mask hit = iso_float4_less_equal(iso_float4_set(0.0f), iso_float4_set(0.0f));
    for (int i = 0; i < 3; ++i) {
        c[i] = iso_float4_load_twice(b->center[i]);
        h[i] = iso_float4_load_twice(b->half[i]);
    }
    for (int i = 0; i < 3; ++i) {
        iso_float4 t = iso_float4_mul_add(s->x_ab.r[i][0], c[0], s->x_ab.p[i]);
        t = iso_float4_mul_add(s->x_ab.r[i][1], c[1], t);
        t = iso_float4_mul_add(s->x_ab.r[i][2], c[2], t);
        t = iso_float4_sub(t, iso_float4_load_each_twice(a->center[i]));
        iso_float4 reach = iso_float4_add(iso_float4_load_each_twice(a->half[i]), s->x_ab.slack);
        reach = iso_float4_mul_add(s->x_ab.r_abs[i][0], h[0], reach);
        reach = iso_float4_mul_add(s->x_ab.r_abs[i][1], h[1], reach);
        reach = iso_float4_mul_add(s->x_ab.r_abs[i][2], h[2], reach);
        iso_float4 along =
            i == s->axis ? iso_float4_mul(t, iso_float4_set((float)s->toward)) : iso_float4_abs(t);
        hit = iso_float4_and(hit, iso_float4_less_equal(along, reach));
    }
    return iso_float4_bits(hit);
}

static void set_triangle(const iso_tri_mesh* mesh, int index, const iso_pose* x,
                         iso_sweep_triangle* out) {
    for (int k = 0; k < 3; ++k) {
        out->vertex[k] = mesh->triangles[index][k];
        out->p[k] = iso_pose_point(x, mesh->vertices[out->vertex[k]]);
    }
    out->lower = iso_vec3_min(out->p[0], iso_vec3_min(out->p[1], out->p[2]));
    out->upper = iso_vec3_max(out->p[0], iso_vec3_max(out->p[1], out->p[2]));
    iso_vec3 u = iso_vec3_sub(out->p[1], out->p[0]), v = iso_vec3_sub(out->p[2], out->p[0]);
    out->twice_area = u.x * v.y - u.y * v.x;
}

static void set_leaf(const iso_volume_body* body, const iso_pose* x, int leaf,
                     leaf_triangles* out) {
    if (out->leaf == leaf) {
        return;
    }
    out->leaf = leaf;
    out->count = 0;
    for (int i = 0; i < k_leaf; ++i) {
        int element = body->tree.elements[leaf * k_leaf + i];
        if (element >= 0) {
            set_triangle(&body->surface, element, x, &out->triangles[out->count++]);
        }
    }
}

static void add_pair(const iso_sweep_triangle* a, const iso_sweep_triangle* b,
                     iso_volume_moments* m) {
    iso_column_corner corners[ISO_COLUMN_MAX_CORNERS];
    int count = iso_column_clip(a, b, corners);
    if (count > 0) {
        double facing = a->twice_area > 0.0 ? 1.0 : -1.0;
        iso_volume_add_columns(m, corners, count, -facing, facing);
    }
}

static void add_leaves(sweep* s, int leaf_a, int leaf_b) {
    set_leaf(s->a, &s->x_sa, leaf_a, &s->leaf_a);
    set_leaf(s->b, &s->x_sb, leaf_b, &s->leaf_b);
    for (int j = 0; j < s->leaf_b.count; ++j) {
        const iso_sweep_triangle* b = &s->leaf_b.triangles[j];
        for (int i = 0; i < s->leaf_a.count; ++i) {
            const iso_sweep_triangle* a = &s->leaf_a.triangles[i];
            bool overlap = a->lower.x <= b->upper.x && b->lower.x <= a->upper.x &&
                           a->lower.y <= b->upper.y && b->lower.y <= a->upper.y &&
                           b->lower.z < a->upper.z;
            if (overlap && a->twice_area != 0.0) {
                add_pair(a, b, &s->moments);
            }
        }
    }
}

static void descend(sweep* s) {
    iso_bvh_slots stack[ISO_BVH_STACK_SIZE];
    int depth = 0;
    stack[depth++] = (iso_bvh_slots){ISO_BVH_ROOT, ISO_BVH_ROOT};
    while (depth > 0) {
        iso_bvh_slots top = stack[--depth];
        iso_bvh_expansion e_a, e_b;
        iso_bvh_expand(&s->a->tree, top.slot_0, &e_a);
        iso_bvh_expand(&s->b->tree, top.slot_1, &e_b);
        int lanes = may_meet(s, e_a.node, e_b.node) & iso_bvh_expanded(&e_a, &e_b);
        for (int lane = 0; lane < 4; ++lane) {
            if ((lanes >> lane & 1) == 0) {
                continue;
            }
            int child_a = e_a.node->child[lane >> 1], child_b = e_b.node->child[lane & 1];
            if (child_a < 0 && child_b < 0) {
                add_leaves(s, -1 - child_a, -1 - child_b);
            } else {
                stack[depth++] = (iso_bvh_slots){e_a.slots[lane >> 1], e_b.slots[lane & 1]};
            }
        }
    }
}

void iso_volume_sweep(const iso_volume_body* a, const iso_volume_body* b, const iso_pose* x_ab,
                      iso_volume_metrics* out_metrics) {
    sweep s;
    s.a = a;
    s.b = b;
    s.leaf_a.leaf = -1;
    s.leaf_b.leaf = -1;
    s.moments = (iso_volume_moments){0};
    if (choose_frame(&s, x_ab)) {
        descend(&s);
    }
    iso_pose x_as = iso_pose_identity();
    if (s.moments.face_count > 0) {
        x_as = iso_pose_inverse(&s.x_sa);
    }
    iso_volume_finish(&s.moments, &x_as, ISO_VOLUME_POLYHEDRAL, out_metrics);
}
