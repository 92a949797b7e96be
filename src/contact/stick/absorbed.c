// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "contact/stick/absorbed.h"

#include <math.h>

// Of the way that a point moves in a step, so much counts: it may turn meanwhile.
#define WAY_MARGIN 1.5

// Of what was absorbed beyond what is stored, so many times that is kept, which rounding and errors
// of the step's order may take.
#define MOST_KEPT 4.0

// Stiffness times time step that forces are divided by, at least [N s/m].
#define SMALLEST_STEP_STIFFNESS 1e-300

// Norms of the pressure gradients at a face; 0 where rigid.
static void find_gradients(const iso_patch* patch, int face, double* out_a, double* out_b) {
    *out_a = patch->is_rigid_a ? 0.0 : iso_vec3_norm(patch->gradients_a[face]);
    *out_b = patch->is_rigid_b ? 0.0 : iso_vec3_norm(patch->gradients_b[face]);
}

static double energy_by(const iso_compliant_points* points, int i, double k) {
    double load = points->load[i];
    return load > 0.0 && k > 0.0 ? 0.5 * load * load / k : 0.0;
}

// Faces that stand along a gradient are less stiff against their normal than the fields they store
// in, and store less than it says.
static double energy_of(const iso_patch* patch, const iso_compliant_points* points, int i) {
    double k = points->stiffness[i], a = 0.0, b = 0.0;
    if (patch->face_count > 0) {
        find_gradients(patch, points->face[i], &a, &b);
        k = fmax(k, points->area[i] * (a > 0.0 && b > 0.0 ? a * b / (a + b) : a + b));
    }
    return energy_by(points, i, k);
}

// How fast the motion at the start of the step may have changed the load of a point [N/s]: the way
// in may have led over other parts of a field.
static double loading_rate(const iso_contact_step_input* input, const iso_compliant_points* points,
                           int i) {
    const iso_patch* patch = &input->pair->patch;
    iso_vec3 r = iso_vec3_make(points->rx[i], points->ry[i], points->rz[i]);
    iso_vec3 w = input->u_c0.rotational;
    iso_vec3 u = iso_vec3_add(input->u_c0.translational, iso_vec3_cross(w, r));
    if (patch->face_count == 0) {
        iso_vec3 n = iso_vec3_make(points->nx[i], points->ny[i], points->nz[i]);
        return points->stiffness[i] * fabs(iso_vec3_dot(n, u));
    }
    double a = 0.0, b = 0.0;
    find_gradients(patch, points->face[i], &a, &b);
    return points->area[i] * fmax(a, b) * iso_vec3_norm(u);
}

double iso_absorbed_before(const iso_contact_step_input* input,
                           const iso_compliant_points* points) {
    double sum = 0.0, time = input->is_start ? 0.0 : WAY_MARGIN * fmax(points->dt, input->since);
    for (int i = 0; i < points->count; ++i) {
        double way = time * loading_rate(input, points, i);
        sum += points->load[i] > way ? energy_of(&input->pair->patch, points, i) : 0.0;
    }
    return sum;
}

double iso_absorbed_limit(const iso_contact_step_input* input, double absorbed,
                          iso_compliant_points* points) {
    const iso_patch* patch = &input->pair->patch;
    double stored = 0.0, most = 0.0;
    for (int i = 0; i < points->count; ++i) {
        most += energy_by(points, i, points->stiffness[i]);
    }
    for (int i = 0; most > absorbed && i < points->count; ++i) {
        stored += energy_of(patch, points, i);
    }
    if (!(stored > absorbed)) {
        return fmin(absorbed, MOST_KEPT * most);
    }
    // Springs that start so much less loaded store what was absorbed. What a step resolves, it
    // gives back with an error of its order. Parts of a step find what the last whole one left.
    double steps = fmax(input->since / points->dt, 1.0);
    double share = sqrt(absorbed / stored), ratio = points->stiffness_ratio * steps * steps;
    if (points->law == ISO_POINT_LAW_SAP) { // its springs push as stiffly as dampers
        ratio *= 1.0 + input->pair->relaxation_time / points->dt;
    }
    share = (1.0 + ratio * share) / (1.0 + ratio);
    bool is_bound = points->law == ISO_POINT_LAW_LAGGED; // else a coefficient
    double smoothest = iso_contact_system_options(input->system)->stiction_velocity;
    for (int i = 0; i < points->count; ++i) {
        double k = points->stiffness[i], d = points->dissipation[i];
        double steady = points->force[i] - points->load[i];
        if (points->load[i] > 0.0) {
            points->load[i] *= share;
            if (is_bound) { // and what smooths it with it
                points->friction_force[i] *= share;
                points->slip_scale[i] = fmax(share * points->slip_scale[i], smoothest);
            }
        }
        points->force[i] = points->load[i] + share * steady;
        if (points->law == ISO_POINT_LAW_SAP) {
            points->bias[i] *= share;
            continue;
        }
        double release = points->force[i] / fmax(points->dt * k, SMALLEST_STEP_STIFFNESS);
        points->limit[i] = d * release > 1.0 ? 1.0 / d : release;
        if (points->has_adhesion) {
            double left = d > 0.0 ? points->force[i] - points->dt * k / d : 0.0;
            points->tension_slope[i] = d * fmax(left, 0.0);
        }
    }
    points->turning_speed *= share;
    return absorbed;
}
