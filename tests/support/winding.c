// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "support/winding.h"

#include <math.h>

double test_winding_number(const iso_tri_mesh* mesh, iso_vec3 p) {
    double sum = 0.0;
    for (int t = 0; t < mesh->triangle_count; ++t) {
        iso_vec3 v[3];
        double length[3];
        for (int k = 0; k < 3; ++k) {
            v[k] = iso_vec3_sub(mesh->vertices[mesh->triangles[t][k]], p);
            length[k] = iso_vec3_norm(v[k]);
        }
        double along = length[0] * length[1] * length[2] + iso_vec3_dot(v[0], v[1]) * length[2] +
                       iso_vec3_dot(v[1], v[2]) * length[0] + iso_vec3_dot(v[2], v[0]) * length[1];
        sum += atan2(iso_vec3_dot(v[0], iso_vec3_cross(v[1], v[2])), along);
    }
    return sum / (2.0 * ISO_PI);
}
