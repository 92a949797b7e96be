// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "geometry/mesh_files/polygon.h"

// Twice the area vector.
static iso_vec3 newell_normal(const iso_vec3* corners, int corner_count) {
    iso_vec3 normal = iso_vec3_zero();
    for (int i = 1; i + 1 < corner_count; ++i) {
        iso_vec3 a = iso_vec3_sub(corners[i], corners[0]);
        iso_vec3 b = iso_vec3_sub(corners[i + 1], corners[0]);
        normal = iso_vec3_add(normal, iso_vec3_cross(a, b));
    }
    return normal;
}

// Positive when a, b, c turn left about the normal.
static double turn(iso_vec3 normal, iso_vec3 a, iso_vec3 b, iso_vec3 c) {
    return iso_vec3_dot(normal, iso_vec3_cross(iso_vec3_sub(b, a), iso_vec3_sub(c, a)));
}

// Corner of the fan: quadrilaterals, which need not be flat, are cut along their shorter diagonal.
static int fan_corner(const iso_vec3* corners, int corner_count) {
    if (corner_count != 4) {
        return 0;
    }
    double even = iso_vec3_norm_squared(iso_vec3_sub(corners[2], corners[0]));
    double odd = iso_vec3_norm_squared(iso_vec3_sub(corners[3], corners[1]));
    return even < odd ? 0 : 1;
}

// Every fan triangle turns the same way: the fan about the ring's start covers the polygon once.
static bool fan_fits(const iso_vec3* corners, const int* ring, int ring_count, iso_vec3 normal) {
    for (int i = 1; i + 1 < ring_count; ++i) {
        if (turn(normal, corners[ring[0]], corners[ring[i]], corners[ring[i + 1]]) < 0.0) {
            return false;
        }
    }
    return true;
}

// Corner i of the ring can be cut off: it turns left and no other corner lies in its triangle.
static bool is_ear(const iso_vec3* corners, const int* ring, int ring_count, int i,
                   iso_vec3 normal) {
    iso_vec3 a = corners[ring[(i + ring_count - 1) % ring_count]];
    iso_vec3 b = corners[ring[i]];
    iso_vec3 c = corners[ring[(i + 1) % ring_count]];
    if (turn(normal, a, b, c) <= 0.0) {
        return false;
    }
    for (int k = 2; k < ring_count - 1; ++k) {
        iso_vec3 p = corners[ring[(i + k) % ring_count]];
        if (turn(normal, a, b, p) >= 0.0 && turn(normal, b, c, p) >= 0.0 &&
            turn(normal, c, a, p) >= 0.0) {
            return false;
        }
    }
    return true;
}

void iso_polygon_triangulate(const iso_vec3* corners, int corner_count, int* workspace,
                             int (*out_triangles)[3]) {
    int* ring = workspace;
    int ring_count = corner_count;
    int triangle_count = 0;
    iso_vec3 normal = newell_normal(corners, corner_count);
    int first = fan_corner(corners, corner_count);
    for (int i = 0; i < corner_count; ++i) {
        ring[i] = (first + i) % corner_count;
    }
    bool is_fan = fan_fits(corners, ring, ring_count, normal);
    while (!is_fan && ring_count > 3) {
        int ear = 0;
        while (ear < ring_count && !is_ear(corners, ring, ring_count, ear, normal)) {
            ++ear;
        }
        if (ear == ring_count) {
            break; // crosses itself: a fan of what is left
        }
        int* triangle = out_triangles[triangle_count++];
        triangle[0] = ring[(ear + ring_count - 1) % ring_count];
        triangle[1] = ring[ear];
        triangle[2] = ring[(ear + 1) % ring_count];
        for (int i = ear; i + 1 < ring_count; ++i) {
            ring[i] = ring[i + 1];
        }
        --ring_count;
    }
    for (int i = 1; i + 1 < ring_count; ++i) {
        int* triangle = out_triangles[triangle_count++];
        triangle[0] = ring[0];
        triangle[1] = ring[i];
        triangle[2] = ring[i + 1];
    }
}
