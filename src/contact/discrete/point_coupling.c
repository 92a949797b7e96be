// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Normal force that comes of slip: docs/theory/contact.md.

#include "contact/discrete/compliant_points.h"

#include <math.h>

// Speed along the surfaces at a point.
static double slip_at(const iso_compliant_points* points, int i, const double v[6]) {
    iso_vec3 r = iso_vec3_make(points->rx[i], points->ry[i], points->rz[i]);
    iso_vec3 n = iso_vec3_make(points->nx[i], points->ny[i], points->nz[i]);
    iso_vec3 w = iso_vec3_make(v[0], v[1], v[2]);
    iso_vec3 u = iso_vec3_add(iso_vec3_make(v[3], v[4], v[5]), iso_vec3_cross(w, r));
    return iso_vec3_norm(iso_vec3_add_scaled(u, n, -iso_vec3_dot(u, n)));
}

// Impulse per speed along the normal, and how fast slip seems to approach.
static double slope_of(const iso_compliant_points* points, int i) {
    return points->law == ISO_POINT_LAW_SAP ? 1.0 / points->regularization[i]
                                            : points->dt * points->dt * points->stiffness[i];
}

static double approach_of(const iso_compliant_points* points, int i, const double v[6]) {
    double approach = points->friction_force[i] * slip_at(points, i, v);
    return points->law == ISO_POINT_LAW_SAP ? approach : approach - points->bias[i];
}

double iso_compliant_points_coupling(const iso_compliant_points* points, const double v[6]) {
    if (points->law != ISO_POINT_LAW_SAP && points->law != ISO_POINT_LAW_SIMILAR) {
        return 0.0;
    }
    double slopes = 0.0, impulses = 0.0;
    bool is_even = false; // the law knows the slip of the start: bodies sink, evenly, by little
    for (int i = 0; i < points->count; ++i) {
        if (points->load[i] > 0.0) {
            slopes += slope_of(points, i);
            impulses += slope_of(points, i) * approach_of(points, i, v);
            is_even = is_even || (points->law == ISO_POINT_LAW_SIMILAR && points->bias[i] > 0.0);
        }
    }
    double mean = is_even && slopes > 0.0 ? impulses / slopes : 0.0, sum = 0.0;
    for (int i = 0; i < points->count; ++i) {
        if (points->load[i] > 0.0) {
            sum += slope_of(points, i) * fabs(approach_of(points, i, v) - mean);
        }
    }
    return sum;
}
