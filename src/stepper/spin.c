// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Gyroscopic moments of bodies that move freely. Taken at the start of the step they feed energy
// into a spinning body without bound; by the midpoint rule they take and give none.

#include "stepper/stages.h"

// A piece of the step turns a body by less [rad]: Newton's method converges in a few iterations.
#define LARGEST_TURN 0.25
#define MOST_PIECES 256
#define MOST_ITERATIONS 20
#define RELATIVE_TOLERANCE 1e-15

// A rigid body in the axes of its joint, with its moments about the centre of mass.
typedef struct free_rotor {
    double mass;
    iso_vec3 center; // from the joint's point
    iso_mat3 inertia;
} free_rotor;

// From the mass matrix [J, m [c]x; -m [c]x, m 1], J = inertia - m [c]x [c]x.
static free_rotor read_rotor(const double* a) {
    free_rotor rotor = {.mass = a[21]};
    rotor.center = iso_vec3_make(a[16] / a[21], a[5] / a[21], a[9] / a[21]);
    iso_mat3 c = iso_mat3_skew(rotor.center);
    iso_mat3 j = {{{a[0], a[1], a[2]}, {a[6], a[7], a[8]}, {a[12], a[13], a[14]}}};
    rotor.inertia = iso_mat3_add(j, iso_mat3_scale(iso_mat3_mul(c, c), rotor.mass));
    return rotor;
}

static iso_vec3 solve3(const iso_mat3* a, iso_vec3 b) {
    iso_vec3 x = iso_mat3_column(a, 0), y = iso_mat3_column(a, 1), z = iso_mat3_column(a, 2);
    iso_vec3 yz = iso_vec3_cross(y, z);
    double det = iso_vec3_dot(x, yz);
    return iso_vec3_make(iso_vec3_dot(b, yz) / det, iso_vec3_dot(x, iso_vec3_cross(b, z)) / det,
                         iso_vec3_dot(x, iso_vec3_cross(y, b)) / det);
}

// I (w1 - w0) + dt w x I w = impulse with w = (w0 + w1) / 2: |I w| and w . I w stay what they are
// when the impulse is zero.
static bool midpoint(const iso_mat3* inertia, iso_vec3 w0, iso_vec3 impulse, double dt,
                     iso_vec3* out_w1) {
    iso_vec3 w1 = w0;
    for (int i = 0; i < MOST_ITERATIONS; ++i) {
        iso_vec3 w = iso_vec3_scale(iso_vec3_add(w0, w1), 0.5);
        iso_vec3 momentum = iso_mat3_mul_vec3(inertia, w);
        iso_vec3 residual = iso_mat3_mul_vec3(inertia, iso_vec3_sub(w1, w0));
        residual = iso_vec3_add_scaled(residual, iso_vec3_cross(w, momentum), dt);
        residual = iso_vec3_sub(residual, impulse);
        iso_mat3 turn = iso_mat3_add(iso_mat3_mul(iso_mat3_skew(w), *inertia),
                                     iso_mat3_skew(iso_vec3_neg(momentum)));
        iso_mat3 slope = iso_mat3_add(*inertia, iso_mat3_scale(turn, 0.5 * dt));
        iso_vec3 change = solve3(&slope, residual);
        w1 = iso_vec3_sub(w1, change);
        if (iso_vec3_norm(change) <= RELATIVE_TOLERANCE * iso_vec3_norm(w1)) {
            *out_w1 = w1;
            return true;
        }
    }
    // Rounding may stop the changes a little above the tolerance.
    *out_w1 = w1;
    return isfinite(iso_vec3_norm(w1));
}

// Angular velocity after the step, in pieces that turn the body little.
static bool turn_rotor(const free_rotor* rotor, iso_vec3 w0, iso_vec3 impulse, double dt,
                       iso_vec3* out_w1) {
    double spin = iso_vec3_norm(w0) + iso_vec3_norm(solve3(&rotor->inertia, impulse));
    double wanted = ceil(spin * dt / LARGEST_TURN);
    if (!(wanted <= MOST_PIECES)) {
        return false;
    }
    int pieces = wanted > 1.0 ? (int)wanted : 1;
    iso_vec3 piece_impulse = iso_vec3_scale(impulse, 1.0 / pieces);
    bool is_good = true;
    for (int i = 0; i < pieces && is_good; ++i) {
        is_good = midpoint(&rotor->inertia, w0, piece_impulse, dt / pieces, &w0);
    }
    *out_w1 = w0;
    return is_good;
}

// v* of a tree of six freedoms: its bias has the gyroscopic moment w0 x I w0 of the start.
static iso_status correct(iso_stages* s, int tree) {
    const iso_stepper* stepper = s->stepper;
    const iso_multibody* multibody = stepper->dynamics.multibody;
    int first = multibody->tree_v_index[tree];
    const double* v = s->input->v + first;
    double* v_star = s->v_star + first;
    free_rotor rotor = read_rotor(s->a + multibody->tree_m_index[tree]);
    iso_vec3 w0 = iso_vec3_make(v[0], v[1], v[2]);
    iso_vec3 explicit_w = iso_vec3_make(v_star[0], v_star[1], v_star[2]);
    iso_vec3 gyroscopic = iso_vec3_cross(w0, iso_mat3_mul_vec3(&rotor.inertia, w0));
    if (iso_vec3_norm(gyroscopic) == 0.0) {
        return ISO_OK;
    }
    iso_vec3 impulse = iso_mat3_mul_vec3(&rotor.inertia, iso_vec3_sub(explicit_w, w0));
    impulse = iso_vec3_add_scaled(impulse, gyroscopic, s->dt);
    iso_vec3 w1;
    ISO_REQUIRE(stepper->ctx, turn_rotor(&rotor, w0, impulse, s->dt, &w1), ISO_ERR_NUMERIC,
                "body '%s' spins at %g rad/s, expected at most %g rad/s with steps of %g s",
                iso_stepper_body_name(stepper, multibody->dof_body[first]), iso_vec3_norm(w0),
                MOST_PIECES * LARGEST_TURN / s->dt, s->dt);
    iso_vec3 change = iso_vec3_sub(w1, explicit_w);
    iso_vec3 shift = iso_vec3_cross(rotor.center, change); // the centre of mass goes on as it did
    v_star[0] += change.x;
    v_star[1] += change.y;
    v_star[2] += change.z;
    v_star[3] += shift.x;
    v_star[4] += shift.y;
    v_star[5] += shift.z;
    return ISO_OK;
}

iso_status iso_stages_correct_spins(iso_stages* s) {
    const iso_multibody* multibody = s->stepper->dynamics.multibody;
    for (int t = 0; t < multibody->tree_count; ++t) {
        int first = multibody->tree_v_index[t];
        const iso_mb_body* root = &multibody->bodies[multibody->dof_body[first]];
        if (root->mobility == ISO_MOBILITY_FREE && multibody->tree_v_index[t + 1] - first == 6) {
            iso_status status = correct(s, t);
            if (status != ISO_OK) {
                return status;
            }
        }
    }
    return ISO_OK;
}
