// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "prepare/measure/quality.h"

#include "geometry/mesh/mesh.h"

#include <math.h>

// Inradius 3 V / A; circumradius from the products of opposite edges: with them as sides a triangle
// has the area 6 V R.
double iso_tet_quality(iso_vec3 a, iso_vec3 b, iso_vec3 c, iso_vec3 d) {
    double volume = fabs(iso_tet_signed_volume(a, b, c, d));
    double area = iso_vec3_norm(iso_triangle_area_vector(a, b, c)) +
                  iso_vec3_norm(iso_triangle_area_vector(a, b, d)) +
                  iso_vec3_norm(iso_triangle_area_vector(a, c, d)) +
                  iso_vec3_norm(iso_triangle_area_vector(b, c, d));
    double x = iso_vec3_distance(a, b) * iso_vec3_distance(c, d);
    double y = iso_vec3_distance(a, c) * iso_vec3_distance(b, d);
    double z = iso_vec3_distance(a, d) * iso_vec3_distance(b, c);
    double heron = (x + y + z) * (x + y - z) * (y + z - x) * (z + x - y);
    if (!(heron > 0.0) || !(area > 0.0)) {
        return 0.0;
    }
    double inradius = 3.0 * volume / area;
    double circumradius = 0.25 * sqrt(heron) / (6.0 * volume);
    return fmin(1.0, 3.0 * inradius / circumradius);
}

static double smallest_dihedral(const iso_vec3 p[4]) {
    iso_vec3 normals[4];
    double smallest = INFINITY;
    for (int f = 0; f < 4; ++f) {
        const int* v = k_tet_faces[f];
        normals[f] = iso_vec3_normalized(iso_triangle_area_vector(p[v[0]], p[v[1]], p[v[2]]));
        for (int g = 0; g < f; ++g) {
            double cosine = -iso_vec3_dot(normals[f], normals[g]);
            smallest = fmin(smallest, acos(fmax(-1.0, fmin(1.0, cosine))));
        }
    }
    return smallest;
}

iso_mesh_quality iso_tet_mesh_quality(const iso_tet_mesh* mesh) {
    iso_mesh_quality q = {.min = 1.0, .dihedral_min = INFINITY};
    for (int i = 0; i < mesh->tet_count; ++i) {
        iso_vec3 p[4];
        for (int k = 0; k < 4; ++k) {
            p[k] = mesh->vertices[mesh->tets[i][k]];
        }
        double quality = iso_tet_quality(p[0], p[1], p[2], p[3]);
        int bin = (int)(quality * ISO_PREPARE_BIN_COUNT);
        ++q.bins[bin < ISO_PREPARE_BIN_COUNT ? bin : ISO_PREPARE_BIN_COUNT - 1];
        q.min = fmin(q.min, quality);
        q.mean += quality / mesh->tet_count;
        q.dihedral_min = fmin(q.dihedral_min, smallest_dihedral(p));
    }
    return q;
}

double iso_tet_mesh_mean(const iso_tet_mesh* mesh, const double* values) {
    double sum = 0.0, volume = 0.0;
    for (int i = 0; i < mesh->tet_count; ++i) {
        const int* t = mesh->tets[i];
        double own = iso_tet_mesh_tet_volume(mesh, i);
        sum += 0.25 * own * (values[t[0]] + values[t[1]] + values[t[2]] + values[t[3]]);
        volume += own;
    }
    return volume > 0.0 ? sum / volume : 0.0;
}

double iso_tet_mesh_steepness(const iso_tet_mesh* mesh, const double* values) {
    double largest = 0.0, sum = 0.0, volume = 0.0;
    for (int i = 0; i < mesh->tet_count; ++i) {
        const int* t = mesh->tets[i];
        // Each corner pulls along the normal of the opposite face: area vectors over 3 V.
        iso_vec3 pull = iso_vec3_zero();
        for (int f = 1; f < 4; ++f) { // above the first corner, so that a constant gives 0
            iso_vec3 p[3];
            for (int k = 0; k < 3; ++k) {
                p[k] = mesh->vertices[t[k_tet_faces[f][k]]];
            }
            iso_vec3 normal = iso_triangle_area_vector(p[0], p[1], p[2]);
            pull = iso_vec3_add(pull, iso_vec3_scale(normal, (values[t[f]] - values[t[0]]) / 3.0));
        }
        double own = iso_tet_mesh_tet_volume(mesh, i), total = iso_vec3_norm(pull);
        largest = fmax(largest, total > 0.0 ? total / own : 0.0);
        sum += total;
        volume += own;
    }
    return sum > 0.0 ? largest * volume / sum : 0.0;
}
