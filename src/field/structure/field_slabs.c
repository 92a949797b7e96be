// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "field/structure/field_slabs.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"

#include <string.h>

// Slabs are kept where leaves are this many times smaller between them than in their boxes.
#define LEAST_GAIN 4.0
// Growth of the slabs against rounding, relative to the size of the body.
#define PADDING 4e-13
// Length of an axis, as integers.
#define AXIS_LENGTH 127.0
// Squarings that leave the longest direction of a matrix.
#define SQUARINGS 6

// Cells below a child of a node, a range as leaves are in the order of the tree, and the sum of the
// outer products of their edges.
typedef struct bundle {
    int begin, end;
    iso_mat3 edges;
} bundle;

static iso_vec3 corner_of(const iso_field* field, int cell, int corner) {
    const double* x = field->points[field->cells[cell].corners[corner]].x;
    return iso_vec3_make(x[0], x[1], x[2]);
}

static bundle bundle_of_leaf(const iso_field* field, int leaf) {
    int begin = leaf * ISO_BVH_LEAF_SIZE, end = begin + ISO_BVH_LEAF_SIZE;
    bundle b = {begin, end < field->mesh.tet_count ? end : field->mesh.tet_count, iso_mat3_zero()};
    for (int cell = b.begin; cell < b.end; ++cell) {
        for (int i = 0; i < 4; ++i) {
            for (int j = i + 1; j < 4; ++j) {
                iso_vec3 e = iso_vec3_sub(corner_of(field, cell, i), corner_of(field, cell, j));
                b.edges = iso_mat3_add(b.edges, iso_mat3_outer(e, e));
            }
        }
    }
    return b;
}

// The direction in which a positive matrix is largest.
static iso_vec3 longest_direction(iso_mat3 m) {
    for (int i = 0; i < SQUARINGS; ++i) {
        double trace = m.m[0][0] + m.m[1][1] + m.m[2][2];
        m = iso_mat3_scale(m, trace > 0.0 ? 1.0 / trace : 0.0);
        m = iso_mat3_mul(m, m);
    }
    int best = m.m[0][0] >= m.m[1][1] ? 0 : 1;
    best = m.m[best][best] >= m.m[2][2] ? best : 2;
    return iso_vec3_normalized(iso_mat3_column(&m, best));
}

// Two directions across the edges of a bundle.
static void directions_across(const iso_mat3* edges, iso_vec3 out[2]) {
    iso_vec3 along = longest_direction(*edges);
    iso_mat3 across =
        iso_mat3_add(iso_mat3_identity(), iso_mat3_scale(iso_mat3_outer(along, along), -1.0));
    out[0] = longest_direction(iso_mat3_mul(across, iso_mat3_mul(*edges, across)));
    out[1] = iso_vec3_cross(along, out[0]);
}

// The upper two bytes of the least float that is no less.
static uint16_t round_up(double value) {
    float next = nextafterf((float)value, INFINITY);
    uint32_t bits;
    memcpy(&bits, &next, sizeof bits);
    return (uint16_t)((bits + 0xffff) >> 16);
}

// Whole numbers along a direction.
static iso_vec3 axis_along(iso_vec3 direction) {
    iso_vec3 u = iso_vec3_scale(direction, AXIS_LENGTH);
    return iso_vec3_make(round(u.x), round(u.y), round(u.z));
}

// The two slabs of a node's child across its edges.
static void fill_slab(const iso_field* field, const bundle* b, int node, int side) {
    const iso_bvh_node* box = &field->tree.nodes[node];
    iso_field_slab* out = &field->slabs[node];
    iso_vec3 across[2], center;
    directions_across(&b->edges, across);
    iso_vec3 u = axis_along(across[0]), w = axis_along(across[1]);
    center = iso_vec3_make((double)box->center[0][side], (double)box->center[1][side],
                           (double)box->center[2][side]);
    double halves[2] = {0.0, 0.0};
    for (int i = 4 * b->begin; i < 4 * b->end; ++i) {
        iso_vec3 x = iso_vec3_sub(corner_of(field, i / 4, i % 4), center);
        halves[0] = fmax(halves[0], fabs(iso_vec3_dot(u, x)));
        halves[1] = fmax(halves[1], fabs(iso_vec3_dot(w, x)));
    }
    for (int k = 0; k < 2; ++k) {
        iso_vec3 axis = k == 0 ? u : w;
        out->axis[k][0][side] = (int8_t)axis.x;
        out->axis[k][1][side] = (int8_t)axis.y;
        out->axis[k][2][side] = (int8_t)axis.z;
        out->half[k][side] = round_up(halves[k] + AXIS_LENGTH * PADDING * field->size);
    }
}

// Area across the slabs of the box of a node's child, and of what is between them.
typedef struct slab_areas {
    double boxed, between;
} slab_areas;

static void add_areas(const iso_bvh_node* node, const iso_field_slab* slab, int side,
                      slab_areas* sums) {
    double boxed = 1.0, between = 1.0;
    for (int direction = 0; direction < 2; ++direction) {
        double width = 0.0;
        for (int i = 0; i < 3; ++i) {
            width += fabs((double)slab->axis[direction][i][side]) * (double)node->half[i][side];
        }
        boxed *= width;
        between *= iso_field_slab_half(slab->half[direction][side]);
    }
    sums->boxed += boxed;
    sums->between += between;
}

// Fills the slabs of a subtree, of its leaves or of all that is above them (`leaves` is NULL);
// returns its cells.
static bundle fill_slabs(const iso_field* field, int child, slab_areas* leaves) {
    if (child < 0) {
        return bundle_of_leaf(field, -1 - child);
    }
    const iso_bvh_node* node = &field->tree.nodes[child];
    bundle parts[2];
    for (int side = 0; side < 2; ++side) {
        parts[side] = fill_slabs(field, node->child[side], leaves);
        if (node->child[side] < 0 && leaves) {
            fill_slab(field, &parts[side], child, side);
            add_areas(node, &field->slabs[child], side, leaves);
        } else if (node->child[side] >= 0 && !leaves) {
            fill_slab(field, &parts[side], child, side);
        }
    }
    return (bundle){parts[0].begin, parts[1].end, iso_mat3_add(parts[0].edges, parts[1].edges)};
}

iso_status iso_field_make_slabs(iso_context* ctx, iso_field* field) {
    slab_areas leaves = {0.0, 0.0};
    if (field->tree.leaf_count < 2) {
        return ISO_OK;
    }
    field->slabs = iso_alloc_array(ctx, field->tree.node_count, sizeof *field->slabs);
    ISO_REQUIRE(ctx, field->slabs, ISO_ERR_MEMORY, "slabs of %d nodes", field->tree.node_count);
    fill_slabs(field, 0, &leaves);
    if (leaves.boxed >= LEAST_GAIN * leaves.between) {
        fill_slabs(field, 0, NULL);
    } else {
        iso_free(ctx, field->slabs);
        field->slabs = NULL;
    }
    field->slab_width = 2.0 / AXIS_LENGTH * sqrt(leaves.between / field->tree.leaf_count);
    return ISO_OK;
}
