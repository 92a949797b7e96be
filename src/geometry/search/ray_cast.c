// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "geometry/search/ray_cast.h"

#include "geometry/search/distance_tree.h"

// Widens boxes against the rounding of their slab test, relative.
#define BOX_SLACK 1e-12

// A ray with the axes permuted and sheared so that it runs along the third one: the test of a
// triangle is then a sign test of three 2x2 determinants, each made of one edge only.
typedef struct sheared_ray {
    double origin[3], direction[3];
    int kx, ky, kz;
    double sx, sy, sz;
} sheared_ray;

static sheared_ray shear(iso_vec3 origin, iso_vec3 direction) {
    sheared_ray r = {.origin = {origin.x, origin.y, origin.z},
                     .direction = {direction.x, direction.y, direction.z}};
    const double* d = r.direction;
    r.kz = fabs(d[0]) > fabs(d[1]) ? 0 : 1;
    r.kz = fabs(d[2]) > fabs(d[r.kz]) ? 2 : r.kz;
    r.kx = (r.kz + 1) % 3;
    r.ky = (r.kx + 1) % 3;
    r.sx = d[r.kx] / d[r.kz];
    r.sy = d[r.ky] / d[r.kz];
    r.sz = 1.0 / d[r.kz];
    return r;
}

// Corner of a triangle in the sheared frame: (x, y, z).
static void shear_point(const sheared_ray* ray, iso_vec3 p, double out[3]) {
    double a[3] = {p.x - ray->origin[0], p.y - ray->origin[1], p.z - ray->origin[2]};
    out[0] = a[ray->kx] - ray->sx * a[ray->kz];
    out[1] = a[ray->ky] - ray->sy * a[ray->kz];
    out[2] = ray->sz * a[ray->kz];
}

// Distance along the ray; negative when the triangle is missed or behind.
static double hit_triangle(const sheared_ray* ray, const iso_tri_mesh* mesh, int triangle) {
    double a[3], b[3], c[3];
    shear_point(ray, mesh->vertices[mesh->triangles[triangle][0]], a);
    shear_point(ray, mesh->vertices[mesh->triangles[triangle][1]], b);
    shear_point(ray, mesh->vertices[mesh->triangles[triangle][2]], c);
    double u = c[0] * b[1] - c[1] * b[0];
    double v = a[0] * c[1] - a[1] * c[0];
    double w = b[0] * a[1] - b[1] * a[0];
    if ((u < 0.0 || v < 0.0 || w < 0.0) && (u > 0.0 || v > 0.0 || w > 0.0)) {
        return -1.0;
    }
    double sum = u + v + w;
    if (sum == 0.0) {
        return -1.0;
    }
    double t = (u * a[2] + v * b[2] + w * c[2]) / sum;
    return t >= 0.0 ? t : -1.0;
}

// Distance at which the ray enters a box, INFINITY when it misses.
static double enter_box(const sheared_ray* ray, const iso_distance_node* n) {
    double near = 0.0, far = INFINITY;
    for (int axis = 0; axis < 3; ++axis) {
        double lower = iso_vec3_get(n->lower, axis) - ray->origin[axis];
        double upper = iso_vec3_get(n->upper, axis) - ray->origin[axis];
        double d = ray->direction[axis];
        double slack = BOX_SLACK * (fabs(lower) + fabs(upper));
        if (d == 0.0) {
            if (lower > slack || upper < -slack) {
                return INFINITY;
            }
            continue;
        }
        double first = ((d > 0.0 ? lower - slack : upper + slack)) / d;
        double last = ((d > 0.0 ? upper + slack : lower - slack)) / d;
        near = first > near ? first : near;
        far = last < far ? last : far;
    }
    return near <= far ? near : INFINITY;
}

int iso_ray_cast_surface(const iso_distance_tree* tree, iso_vec3 origin, iso_vec3 direction,
                         double max_distance, double* out_distance) {
    sheared_ray ray = shear(origin, direction);
    double best = max_distance;
    int triangle = -1;
    int stack[ISO_DISTANCE_TREE_STACK];
    int depth = 0;
    stack[depth++] = 0;
    while (depth > 0) {
        const iso_distance_node* n = &tree->nodes[stack[--depth]];
        double entry = enter_box(&ray, n);
        if (entry == INFINITY || entry > best * (1.0 + BOX_SLACK)) {
            continue;
        }
        for (int i = n->first; i < n->first + n->count; ++i) {
            int candidate = tree->order[i];
            double t = hit_triangle(&ray, tree->mesh, candidate);
            if (t >= 0.0 && (t < best || (t == best && (triangle < 0 || candidate < triangle)))) {
                best = t;
                triangle = candidate;
            }
        }
        if (n->count == 0) {
            const iso_distance_node* left = &tree->nodes[n->child];
            int left_is_near = enter_box(&ray, left) <= enter_box(&ray, left + 1);
            stack[depth++] = n->child + left_is_near; // the far child
            stack[depth++] = n->child + 1 - left_is_near;
        }
    }
    if (triangle >= 0) {
        *out_distance = best;
    }
    return triangle;
}

bool iso_segment_meets_surface(const iso_tri_mesh* mesh, iso_vec3 a, iso_vec3 b) {
    iso_vec3 along = iso_vec3_sub(b, a);
    double length = iso_vec3_norm(along);
    if (length == 0.0) {
        return false;
    }
    sheared_ray ray = shear(a, iso_vec3_scale(along, 1.0 / length));
    for (int i = 0; i < mesh->triangle_count; ++i) {
        double t = hit_triangle(&ray, mesh, i);
        if (t >= 0.0 && t <= length) {
            return true;
        }
    }
    return false;
}
