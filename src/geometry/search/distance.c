// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "geometry/search/distance.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "geometry/mesh/mesh.h"
#include "geometry/search/distance_tree.h"

#include <stdlib.h>

#define LEAF_SIZE 4
// Triangles so many times the radius of their ball away are far. With 3 instead of 4 winding
// numbers are off by three times as much.
#define FAR_FACTOR 4.0

typedef iso_distance_node node;

static iso_vec3 corner(const iso_tri_mesh* mesh, int triangle, int k) {
    return mesh->vertices[mesh->triangles[triangle][k]];
}

typedef struct sort_key {
    double centre; // along the axis of the split, three times
    int triangle;
} sort_key;

static int compare_keys(const void* a, const void* b) {
    const sort_key *x = a, *y = b;
    if (x->centre != y->centre) {
        return x->centre < y->centre ? -1 : 1;
    }
    return x->triangle < y->triangle ? -1 : 1;
}

static void fit_box(const iso_distance_tree* tree, node* n) {
    n->lower = iso_vec3_make(INFINITY, INFINITY, INFINITY);
    n->upper = iso_vec3_neg(n->lower);
    for (int i = n->first; i < n->first + n->count; ++i) {
        for (int k = 0; k < 3; ++k) {
            iso_vec3 p = corner(tree->mesh, tree->order[i], k);
            n->lower = iso_vec3_min(n->lower, p);
            n->upper = iso_vec3_max(n->upper, p);
        }
    }
}

// Order the triangles of a node along the longest side of its box.
static void sort_node(iso_distance_tree* tree, const node* n, sort_key* keys) {
    iso_vec3 size = iso_vec3_sub(n->upper, n->lower);
    int axis = size.x >= size.y && size.x >= size.z ? 0 : (size.y >= size.z ? 1 : 2);
    for (int i = 0; i < n->count; ++i) {
        int triangle = tree->order[n->first + i];
        double centre = 0.0;
        for (int k = 0; k < 3; ++k) {
            centre += iso_vec3_get(corner(tree->mesh, triangle, k), axis);
        }
        keys[i] = (sort_key){centre, triangle};
    }
    qsort(keys, (size_t)n->count, sizeof *keys, compare_keys);
    for (int i = 0; i < n->count; ++i) {
        tree->order[n->first + i] = keys[i].triangle;
    }
}

static void build(iso_distance_tree* tree, sort_key* keys) {
    tree->nodes[0] = (node){.first = 0, .count = tree->mesh->triangle_count};
    tree->node_count = 1;
    for (int i = 0; i < tree->node_count; ++i) { // children are appended and met later
        node* n = &tree->nodes[i];
        fit_box(tree, n);
        if (n->count > LEAF_SIZE) {
            sort_node(tree, n, keys);
            int half = n->count / 2;
            n->child = tree->node_count;
            tree->nodes[tree->node_count++] = (node){.first = n->first, .count = half};
            tree->nodes[tree->node_count++] =
                (node){.first = n->first + half, .count = n->count - half};
            n->count = 0;
        }
    }
}

static void add_triangle(const iso_tri_mesh* mesh, int triangle, iso_winding_moment* m) {
    iso_vec3 v[3];
    for (int k = 0; k < 3; ++k) {
        v[k] = corner(mesh, triangle, k);
    }
    iso_vec3 normal = iso_triangle_area_vector(v[0], v[1], v[2]);
    double area = iso_vec3_norm(normal);
    iso_vec3 center = iso_vec3_scale(iso_vec3_add(iso_vec3_add(v[0], v[1]), v[2]), 1.0 / 3.0);
    m->normal = iso_vec3_add(m->normal, normal);
    m->center = iso_vec3_add_scaled(m->center, center, area);
    m->area += area;
}

// Moments of a part with another centre and area vector, about the centre of the whole.
static void add_first(iso_vec3 center, iso_vec3 normal, iso_winding_moment* m) {
    iso_vec3 arm = iso_vec3_sub(center, m->center);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            m->first[i][j] += iso_vec3_get(arm, i) * iso_vec3_get(normal, j);
        }
    }
}

static void set_center(const node* n, iso_winding_moment* m) {
    m->center = m->area > 0.0 ? iso_vec3_scale(m->center, 1.0 / m->area)
                              : iso_vec3_lerp(n->lower, n->upper, 0.5);
    iso_vec3 low = iso_vec3_sub(m->center, n->lower), high = iso_vec3_sub(n->upper, m->center);
    m->radius = iso_vec3_norm(iso_vec3_max(low, high));
}

static void measure_leaf(const iso_distance_tree* tree, const node* n, iso_winding_moment* m) {
    *m = (iso_winding_moment){.area = 0.0};
    for (int i = n->first; i < n->first + n->count; ++i) {
        add_triangle(tree->mesh, tree->order[i], m);
    }
    set_center(n, m);
    for (int i = n->first; i < n->first + n->count; ++i) {
        iso_winding_moment one = {.area = 0.0};
        add_triangle(tree->mesh, tree->order[i], &one);
        if (one.area > 0.0) {
            add_first(iso_vec3_scale(one.center, 1.0 / one.area), one.normal, m);
        }
    }
}

static void measure_inner(const iso_distance_tree* tree, const node* n, iso_winding_moment* m) {
    const iso_winding_moment* parts = &tree->moments[n->child];
    *m = (iso_winding_moment){.area = parts[0].area + parts[1].area};
    for (int k = 0; k < 2; ++k) {
        m->normal = iso_vec3_add(m->normal, parts[k].normal);
        m->center = iso_vec3_add_scaled(m->center, parts[k].center, parts[k].area);
    }
    set_center(n, m);
    for (int k = 0; k < 2; ++k) {
        add_first(parts[k].center, parts[k].normal, m);
        for (int i = 0; i < 9; ++i) {
            m->first[i / 3][i % 3] += parts[k].first[i / 3][i % 3];
        }
    }
}

// Children come behind their parents.
static void measure(iso_distance_tree* tree) {
    for (int i = tree->node_count; i-- > 0;) {
        const node* n = &tree->nodes[i];
        if (n->count > 0) {
            measure_leaf(tree, n, &tree->moments[i]);
        } else {
            measure_inner(tree, n, &tree->moments[i]);
        }
    }
}

iso_status iso_distance_tree_create(iso_context* ctx, const iso_tri_mesh* mesh,
                                    iso_distance_tree** out_tree) {
    *out_tree = NULL;
    int count = mesh->triangle_count;
    ISO_REQUIRE(ctx, count > 0, ISO_ERR_GEOMETRY, "distance to a surface without triangles");
    iso_status status = ISO_OK;
    sort_key* keys = iso_alloc_array(ctx, count, sizeof *keys);
    iso_distance_tree* tree = iso_alloc_zeroed(ctx, sizeof *tree);
    ISO_CHECK(ctx, keys && tree, ISO_ERR_MEMORY, "distance tree of %d triangles", count);
    tree->mesh = mesh;
    tree->order = iso_alloc_array(ctx, count, sizeof *tree->order);
    // Leaves have at least two triangles (a node of five or more is halved), unless it is the root.
    tree->nodes = iso_alloc_array(ctx, count + 1, sizeof *tree->nodes);
    ISO_CHECK(ctx, tree->order && tree->nodes, ISO_ERR_MEMORY, "distance tree of %d triangles",
              count);
    for (int i = 0; i < count; ++i) {
        tree->order[i] = i;
    }
    build(tree, keys);
    tree->moments = iso_alloc_array(ctx, tree->node_count, sizeof *tree->moments);
    ISO_CHECK(ctx, tree->moments, ISO_ERR_MEMORY, "distance tree of %d triangles", count);
    measure(tree);
    *out_tree = tree;

done:
    iso_free(ctx, keys);
    if (status != ISO_OK) {
        iso_distance_tree_destroy(ctx, tree);
    }
    return status;
}

void iso_distance_tree_destroy(iso_context* ctx, iso_distance_tree* tree) {
    if (tree) {
        iso_free(ctx, tree->order);
        iso_free(ctx, tree->nodes);
        iso_free(ctx, tree->moments);
        iso_free(ctx, tree);
    }
}

static iso_vec3 segment_nearest_point(iso_vec3 p, iso_vec3 a, iso_vec3 b, int* out_end) {
    iso_vec3 ab = iso_vec3_sub(b, a);
    double length_squared = iso_vec3_norm_squared(ab);
    double t = length_squared > 0.0 ? iso_vec3_dot(iso_vec3_sub(p, a), ab) / length_squared : 0.0;
    *out_end = t <= 0.0 ? 0 : (t >= 1.0 ? 1 : -1);
    return t <= 0.0 ? a : (t >= 1.0 ? b : iso_vec3_add_scaled(a, ab, t));
}

iso_vec3 iso_triangle_nearest_feature(iso_vec3 p, iso_vec3 a, iso_vec3 b, iso_vec3 c,
                                      iso_triangle_feature* out_feature) {
    // Inside the prism over the triangle the foot of the perpendicular is nearest.
    iso_vec3 normal = iso_vec3_cross(iso_vec3_sub(b, a), iso_vec3_sub(c, a));
    double area_squared = iso_vec3_norm_squared(normal);
    iso_vec3 corners[3] = {a, b, c};
    bool is_over = area_squared > 0.0;
    for (int k = 0; k < 3 && is_over; ++k) {
        iso_vec3 edge = iso_vec3_sub(corners[(k + 1) % 3], corners[k]);
        iso_vec3 inward = iso_vec3_cross(normal, edge);
        is_over = iso_vec3_dot(inward, iso_vec3_sub(p, corners[k])) >= 0.0;
    }
    if (is_over) {
        double height = iso_vec3_dot(normal, iso_vec3_sub(p, a)) / area_squared;
        *out_feature = (iso_triangle_feature){-1, -1};
        return iso_vec3_add_scaled(p, normal, -height);
    }
    int end;
    iso_vec3 best = segment_nearest_point(p, a, b, &end);
    *out_feature = (iso_triangle_feature){0, end};
    for (int k = 1; k < 3; ++k) {
        iso_vec3 q = segment_nearest_point(p, corners[k], corners[(k + 1) % 3], &end);
        if (iso_vec3_norm_squared(iso_vec3_sub(q, p)) <
            iso_vec3_norm_squared(iso_vec3_sub(best, p))) {
            best = q;
            *out_feature = (iso_triangle_feature){k, end < 0 ? -1 : (k + end) % 3};
        }
    }
    return best;
}

iso_vec3 iso_triangle_nearest_point(iso_vec3 p, iso_vec3 a, iso_vec3 b, iso_vec3 c) {
    iso_triangle_feature feature;
    return iso_triangle_nearest_feature(p, a, b, c, &feature);
}

static double box_distance_squared(const node* n, iso_vec3 p) {
    iso_vec3 outside = iso_vec3_max(iso_vec3_sub(n->lower, p), iso_vec3_sub(p, n->upper));
    return iso_vec3_norm_squared(iso_vec3_max(outside, iso_vec3_zero()));
}

typedef struct nearest {
    double distance_squared;
    iso_vec3 point;
    int triangle;
} nearest;

static void search_leaf(const iso_distance_tree* tree, const node* n, iso_vec3 p, nearest* best) {
    const iso_tri_mesh* mesh = tree->mesh;
    for (int i = n->first; i < n->first + n->count; ++i) {
        int t = tree->order[i];
        iso_vec3 q = iso_triangle_nearest_point(p, corner(mesh, t, 0), corner(mesh, t, 1),
                                                corner(mesh, t, 2));
        double d = iso_vec3_norm_squared(iso_vec3_sub(q, p));
        if (d < best->distance_squared || (d == best->distance_squared && t < best->triangle)) {
            *best = (nearest){d, q, t};
        }
    }
}

double iso_distance_to_surface(const iso_distance_tree* tree, iso_vec3 p, iso_vec3* out_nearest,
                               int* out_triangle) {
    nearest best = {INFINITY, p, 0};
    int stack[ISO_DISTANCE_TREE_STACK];
    int depth = 0;
    stack[depth++] = 0;
    while (depth > 0) {
        const node* n = &tree->nodes[stack[--depth]];
        // Boxes as near as the best are looked into: the order of the tree must not matter. A hair
        // is added because the distance to the box and to the triangle are rounded differently.
        if (box_distance_squared(n, p) > best.distance_squared * (1.0 + 1e-12)) {
            continue;
        }
        if (n->count > 0) {
            search_leaf(tree, n, p, &best);
            continue;
        }
        const node* left = &tree->nodes[n->child];
        int left_is_near = box_distance_squared(left, p) <= box_distance_squared(left + 1, p);
        stack[depth++] = n->child + left_is_near; // the far child
        stack[depth++] = n->child + 1 - left_is_near;
    }
    if (out_nearest) {
        *out_nearest = best.point;
    }
    if (out_triangle) {
        *out_triangle = best.triangle;
    }
    return sqrt(best.distance_squared);
}

// Half the solid angle of a triangle seen from a point.
static double half_angle(const iso_tri_mesh* mesh, int triangle, iso_vec3 p) {
    iso_vec3 a = iso_vec3_sub(corner(mesh, triangle, 0), p);
    iso_vec3 b = iso_vec3_sub(corner(mesh, triangle, 1), p);
    iso_vec3 c = iso_vec3_sub(corner(mesh, triangle, 2), p);
    double la = iso_vec3_norm(a), lb = iso_vec3_norm(b), lc = iso_vec3_norm(c);
    double along =
        la * lb * lc + iso_vec3_dot(a, b) * lc + iso_vec3_dot(b, c) * la + iso_vec3_dot(c, a) * lb;
    return atan2(iso_vec3_dot(a, iso_vec3_cross(b, c)), along);
}

// The same of all triangles of a node that is far away, d from the point: the kernel d/|d|^3 to
// first order about the node's centre.
static double half_angle_of_far(const iso_winding_moment* m, iso_vec3 d, double squared) {
    double trace = m->first[0][0] + m->first[1][1] + m->first[2][2], along = 0.0;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            along += iso_vec3_get(d, i) * m->first[i][j] * iso_vec3_get(d, j);
        }
    }
    double sum = iso_vec3_dot(m->normal, d) + trace - 3.0 * along / squared;
    return 0.5 * sum / (squared * sqrt(squared));
}

double iso_distance_tree_winding_number(const iso_distance_tree* tree, iso_vec3 p) {
    int stack[ISO_DISTANCE_TREE_STACK], depth = 0;
    double sum = 0.0;
    stack[depth++] = 0;
    while (depth > 0) {
        int at = stack[--depth];
        const node* n = &tree->nodes[at];
        const iso_winding_moment* m = &tree->moments[at];
        iso_vec3 d = iso_vec3_sub(m->center, p);
        double squared = iso_vec3_norm_squared(d), near = FAR_FACTOR * m->radius;
        if (squared > near * near) {
            sum += half_angle_of_far(m, d, squared);
        } else if (n->count > 0) {
            for (int i = n->first; i < n->first + n->count; ++i) {
                sum += half_angle(tree->mesh, tree->order[i], p);
            }
        } else {
            stack[depth++] = n->child + 1;
            stack[depth++] = n->child;
        }
    }
    return sum / (2.0 * ISO_PI);
}

iso_status iso_tri_mesh_winding_number(iso_context* ctx, const iso_tri_mesh* mesh, iso_vec3 p,
                                       double* out_winding) {
    iso_distance_tree* tree = NULL;
    iso_status status = ISO_OK;
    *out_winding = 0.0;
    if (mesh->triangle_count > 0) {
        ISO_TRY(iso_distance_tree_create(ctx, mesh, &tree));
        *out_winding = iso_distance_tree_winding_number(tree, p);
    }

done:
    iso_distance_tree_destroy(ctx, tree);
    return status;
}
