// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "field/build/thickness.h"

#include "geometry/mesh/mesh.h"

// Part of a tetrahedron in which an affine function with these values at the corners is positive.
static double positive_share(const double values[4]) {
    double up[4], down[4];
    int up_count = 0, down_count = 0;
    for (int i = 0; i < 4; ++i) {
        if (values[i] > 0.0) {
            up[up_count++] = values[i];
        } else {
            down[down_count++] = values[i];
        }
    }
    if (up_count == 0 || up_count == 4) {
        return up_count == 4 ? 1.0 : 0.0;
    }
    if (up_count != 2) {
        // One corner is cut off: lengths along its three edges multiply.
        double a = up_count == 1 ? up[0] : down[0];
        const double* others = up_count == 1 ? down : up;
        double corner = a * a * a / ((a - others[0]) * (a - others[1]) * (a - others[2]));
        return up_count == 1 ? corner : 1.0 - corner;
    }
    // A wedge between corners 0, 1 (up) and the cuts on the edges to corners 2, 3 (down), as three
    // tetrahedra. Cut fractions are measured from the corner that is up.
    double c02 = up[0] / (up[0] - down[0]), c03 = up[0] / (up[0] - down[1]);
    double c12 = up[1] / (up[1] - down[0]), c13 = up[1] / (up[1] - down[1]);
    return c12 * c13 + c02 * (1.0 - c12) * c13 + c02 * c03 * (1.0 - c13);
}

double iso_characteristic_thickness(const iso_tet_mesh* mesh, const double* extents, double full) {
    double volume = 0.0, weight = 0.0;
    for (int i = 0; i < mesh->tet_count; ++i) {
        const int* tet = mesh->tets[i];
        double e[4];
        for (int corner = 0; corner < 4; ++corner) {
            e[corner] = extents[tet[corner]];
        }
        iso_vec3 v0 = mesh->vertices[tet[0]];
        iso_vec3 a = iso_vec3_sub(mesh->vertices[tet[1]], v0);
        iso_vec3 b = iso_vec3_sub(mesh->vertices[tet[2]], v0);
        iso_vec3 c = iso_vec3_sub(mesh->vertices[tet[3]], v0);
        iso_vec3 bc = iso_vec3_cross(b, c);
        // Six times volume times gradient.
        iso_vec3 g = iso_vec3_scale(bc, e[1] - e[0]);
        g = iso_vec3_add_scaled(g, iso_vec3_cross(c, a), e[2] - e[0]);
        g = iso_vec3_add_scaled(g, iso_vec3_cross(a, b), e[3] - e[0]);
        double slope = iso_vec3_norm(g);
        if (slope > 0.0) {
            double share = positive_share(e);
            volume += share * iso_vec3_dot(a, bc);
            weight += share * slope;
        }
    }
    return weight > 0.0 ? full * volume / weight : 0.0;
}
