// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Bodies that spin freely. With the gyroscopic moment of the start of the step they gain energy
// without bound. So forces give their angular momentum, which then stays what it is in space while
// the body turns by the mean of its velocities at both ends: that keeps the energy, too. Where it
// turns far, impulses would do work by that mean which they do not do on the momentum. So they all
// act first, and it turns freely then. docs/theory/step.md.

#include "stepper/stages/stages.h"

// A piece of the step turns a body by less [rad]: Newton's method converges in a few iterations.
#define LARGEST_TURN 0.25
#define MOST_PIECES 256
#define MOST_ITERATIONS 20
#define RELATIVE_TOLERANCE 1e-15
// Moments whose differences are a smaller share are equal.
#define ROUND_SHARE 1e-13
// What turns further in a step is struck first and turns then [rad].
#define FAR_TURN 0.1

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

// Velocity and momentum are parallel, so nothing turns them.
static bool is_round(const iso_mat3* inertia) {
    double most = ROUND_SHARE * (inertia->m[0][0] + inertia->m[1][1] + inertia->m[2][2]);
    bool is_even = true;
    for (int i = 0; i < 3; ++i) {
        int k = (i + 1) % 3;
        is_even = is_even && fabs(inertia->m[i][k]) <= most &&
                  fabs(inertia->m[i][i] - inertia->m[k][k]) <= most;
    }
    return is_even;
}

static iso_vec3 solve3(const iso_mat3* a, iso_vec3 b) {
    iso_vec3 x = iso_mat3_column(a, 0), y = iso_mat3_column(a, 1), z = iso_mat3_column(a, 2);
    iso_vec3 yz = iso_vec3_cross(y, z);
    double det = iso_vec3_dot(x, yz);
    return iso_vec3_make(iso_vec3_dot(b, yz) / det, iso_vec3_dot(x, iso_vec3_cross(b, z)) / det,
                         iso_vec3_dot(x, iso_vec3_cross(y, b)) / det);
}

// x turned by a rotation vector.
static iso_vec3 turned(iso_vec3 turn, iso_vec3 x) {
    double half = 0.5 * iso_vec3_norm(turn);
    double share = half > 1e-8 ? sin(half) / half : 1.0; // 1 - cos is 2 sin^2 of the half
    iso_vec3 once = iso_vec3_cross(turn, x);
    x = iso_vec3_add_scaled(x, once, share * cos(half));
    return iso_vec3_add_scaled(x, iso_vec3_cross(turn, once), 0.5 * share * share);
}

// The mean velocity w of a turn without moments: I w = (m0 + m1) / 2, m1 = exp(-dt w) m0 the
// momentum as the body sees it afterwards. Then w . (m1 - m0) = 0, which is the change of energy.
static bool find_turn(const iso_mat3* inertia, iso_vec3 m0, double dt, iso_vec3* w) {
    *w = solve3(inertia, m0);
    for (int i = 0; i < MOST_ITERATIONS; ++i) {
        iso_vec3 m1 = turned(iso_vec3_scale(*w, -dt), m0);
        iso_vec3 mean = iso_vec3_scale(iso_vec3_add(m0, m1), 0.5);
        iso_vec3 residual = iso_vec3_sub(iso_mat3_mul_vec3(inertia, *w), mean);
        iso_mat3 slope = iso_mat3_add(*inertia, iso_mat3_scale(iso_mat3_skew(mean), -0.5 * dt));
        iso_vec3 change = solve3(&slope, residual);
        *w = iso_vec3_sub(*w, change);
        if (iso_vec3_norm(change) <= RELATIVE_TOLERANCE * iso_vec3_norm(*w)) {
            break; // rounding may stop the changes a little above the tolerance
        }
    }
    return isfinite(iso_vec3_norm(*w));
}

// The rotation vector of a turn that is nearest to another one.
static iso_vec3 nearest_vector(iso_quat turn, iso_vec3 wanted) {
    iso_vec3 vector = iso_quat_to_rotation_vector(turn);
    double angle = iso_vec3_norm(vector), whole = 2.0 * ISO_PI;
    iso_vec3 axis = iso_vec3_normalized(vector);
    double rounds = round((iso_vec3_dot(axis, wanted) - angle) / whole);
    return iso_vec3_scale(axis, angle + whole * rounds);
}

// A turn of the whole step, in pieces that turn the body little: its rotation vector. False where
// they would be too many.
static bool find_turn_in_pieces(const iso_mat3* inertia, iso_vec3 m, double dt,
                                iso_vec3* out_turn) {
    double wanted = ceil(iso_vec3_norm(solve3(inertia, m)) * dt / LARGEST_TURN);
    int pieces = wanted <= MOST_PIECES ? (int)fmax(wanted, 1.0) : 0;
    iso_quat turn = iso_quat_identity();
    iso_vec3 sum = iso_vec3_zero();
    bool is_found = pieces > 0;
    for (int i = 0; i < pieces && is_found; ++i) {
        double piece = dt / pieces;
        iso_vec3 w;
        is_found = find_turn(inertia, m, piece, &w);
        m = turned(iso_vec3_scale(w, -piece), m);
        iso_vec3 part = iso_vec3_scale(w, piece);
        iso_mat3 r = iso_mat3_from_quat(turn);
        sum = iso_vec3_add(sum, iso_mat3_mul_vec3(&r, part));
        turn = iso_quat_mul(turn, iso_quat_from_rotation_vector(part));
    }
    *out_turn = pieces > 1 ? nearest_vector(turn, sum) : sum;
    return is_found;
}

// The velocity that contacts see of a body with a momentum: that by which it turns freely in the
// step, or, where that is far, that which it has.
static iso_status find_seen(const iso_stages* s, int tree, const iso_mat3* inertia,
                            iso_vec3 momentum, double dt, iso_vec3* out_w) {
    const iso_stepper* stepper = s->stepper;
    const iso_multibody* multibody = stepper->dynamics.multibody;
    int first = multibody->tree_v_index[tree];
    *out_w = solve3(inertia, momentum);
    double speed = iso_vec3_norm(*out_w), most = MOST_PIECES * LARGEST_TURN;
    ISO_REQUIRE(
        stepper->ctx, speed * dt <= most, ISO_ERR_NUMERIC,
        "body '%s' spins at %g rad/s, expected at most %g rad/s with steps of %g s; steps of "
        "%.2g s would do",
        iso_stepper_body_name(stepper, multibody->dof_body[first]), speed, most / dt, dt,
        most / speed);
    iso_vec3 turn;
    if (speed * dt <= FAR_TURN && find_turn_in_pieces(inertia, momentum, dt, &turn)) {
        *out_w = iso_vec3_scale(turn, 1.0 / dt);
    }
    return ISO_OK;
}

bool iso_stages_is_free_body(const iso_multibody* multibody, int tree) {
    int first = multibody->tree_v_index[tree];
    return !iso_multibody_is_anchored(multibody, tree) &&
           multibody->bodies[multibody->dof_body[first]].mobility == ISO_MOBILITY_FREE &&
           multibody->tree_v_index[tree + 1] - first == 6;
}

static iso_vec3 get_spin(const double* v) {
    return iso_vec3_make(v[0], v[1], v[2]);
}

// The moments about the centre of mass at the start, from those half a step later.
static iso_mat3 start_inertia(const iso_stages* s, const iso_mat3* inertia, iso_vec3 w0) {
    iso_mat3 r =
        iso_mat3_from_quat(iso_quat_from_rotation_vector(iso_vec3_scale(w0, 0.5 * s->span)));
    return iso_mat3_mul(iso_mat3_transpose(r), iso_mat3_mul(*inertia, r));
}

static iso_vec3 start_center(const iso_stages* s, const free_rotor* rotor, iso_vec3 w0) {
    return turned(iso_vec3_scale(w0, -0.5 * s->span), rotor->center);
}

// The midpoint method: half of the moments before the turn of the whole step, half after it.
static iso_status correct_midpoint(iso_stages* s, int tree, const free_rotor* rotor,
                                   iso_vec3 kick) {
    int first = s->stepper->dynamics.multibody->tree_v_index[tree];
    double* v_star = s->v_star + first;
    iso_free_spin* spin = &s->spins[tree];
    double dt = iso_stages_dt(s, tree);
    iso_vec3 w0 = get_spin(s->input->v + first), explicit_w = get_spin(v_star), w;
    iso_mat3 inertia = start_inertia(s, &rotor->inertia, w0);
    spin->start = iso_mat3_mul_vec3(&inertia, w0);
    iso_vec3 momentum = iso_vec3_add(spin->start, kick);
    iso_status status = find_seen(s, tree, &inertia, momentum, s->span, &w);
    if (status != ISO_OK) {
        return status;
    }
    spin->lead = iso_vec3_sub(momentum, iso_mat3_mul_vec3(&rotor->inertia, w));
    iso_vec3 change = iso_vec3_sub(w, explicit_w), shift = iso_vec3_cross(rotor->center, change);
    // The centre of mass goes on from its velocity at the start by forces alone.
    iso_vec3 swing = iso_vec3_cross(w0, rotor->center);
    iso_vec3 start = iso_vec3_cross(w0, start_center(s, rotor, w0));
    shift = iso_vec3_add(shift, iso_vec3_sub(start, swing));
    shift = iso_vec3_add_scaled(shift, iso_vec3_cross(w0, swing), dt);
    const double add[6] = {change.x, change.y, change.z, shift.x, shift.y, shift.z};
    for (int i = 0; i < 6; ++i) {
        v_star[i] += add[i];
    }
    return ISO_OK;
}

// v* of a tree of six freedoms: its bias has the gyroscopic moment w0 x I w0 of the start.
static iso_status correct(iso_stages* s, int tree) {
    const iso_multibody* multibody = s->stepper->dynamics.multibody;
    int first = multibody->tree_v_index[tree];
    double* v_star = s->v_star + first;
    free_rotor rotor = read_rotor(s->a + multibody->tree_m_index[tree]);
    iso_free_spin* spin = &s->spins[tree];
    bool is_middle = iso_stages_is_middle(s, tree);
    double dt = iso_stages_dt(s, tree);
    spin->is_carried =
        !is_round(&rotor.inertia) || (is_middle && iso_vec3_norm_squared(rotor.center) > 0.0);
    if (!spin->is_carried) {
        return ISO_OK;
    }
    iso_vec3 w0 = get_spin(s->input->v + first), explicit_w = get_spin(v_star), w;
    iso_vec3 m0 = iso_mat3_mul_vec3(&rotor.inertia, w0);
    iso_vec3 momentum = iso_mat3_mul_vec3(&rotor.inertia, explicit_w);
    momentum = iso_vec3_add_scaled(momentum, iso_vec3_cross(w0, m0), dt);
    if (is_middle) {
        return correct_midpoint(s, tree, &rotor, iso_vec3_sub(momentum, m0));
    }
    iso_status status = find_seen(s, tree, &rotor.inertia, momentum, dt, &w);
    if (status != ISO_OK) {
        return status;
    }
    spin->lead = iso_vec3_sub(momentum, iso_mat3_mul_vec3(&rotor.inertia, w));
    iso_vec3 change = iso_vec3_sub(w, explicit_w);
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
        s->spins[t] = (iso_free_spin){.is_carried = false};
        iso_status status = iso_stages_is_free_body(multibody, t) ? correct(s, t) : ISO_OK;
        if (status != ISO_OK) {
            return status;
        }
    }
    return ISO_OK;
}

// The angular momentum at the end of a step, and the moments about the centre of mass at its start.
static iso_vec3 end_momentum(const iso_stages* s, int tree, free_rotor* rotor) {
    int first = s->stepper->dynamics.multibody->tree_v_index[tree];
    const iso_free_spin* spin = &s->spins[tree];
    iso_vec3 turning = iso_mat3_mul_vec3(&rotor->inertia, get_spin(s->v + first));
    iso_vec3 momentum = iso_vec3_add(turning, spin->lead);
    if (iso_stages_is_middle(s, tree)) {
        iso_vec3 half = iso_vec3_sub(momentum, spin->start);
        momentum = iso_vec3_add_scaled(spin->start, half, iso_stages_whole(s, tree));
        rotor->inertia = start_inertia(s, &rotor->inertia, get_spin(s->input->v + first));
    }
    return momentum;
}

void iso_stages_turn(iso_stages* s, double* v) {
    const iso_multibody* multibody = s->stepper->dynamics.multibody;
    for (int t = 0; t < multibody->tree_count; ++t) {
        if (!s->spins[t].is_carried) {
            continue;
        }
        int first = multibody->tree_v_index[t];
        iso_vec3 turn = iso_vec3_scale(get_spin(s->v + first), s->span), free;
        free_rotor rotor = read_rotor(s->a + multibody->tree_m_index[t]);
        iso_vec3 momentum = end_momentum(s, t, &rotor);
        iso_vec3 w = solve3(&rotor.inertia, momentum);
        bool is_far = fmax(iso_vec3_norm(w) * s->span, iso_vec3_norm(turn)) > FAR_TURN;
        if (is_far && find_turn_in_pieces(&rotor.inertia, momentum, s->span, &free)) {
            turn = free;
            v[first] = turn.x / s->span;
            v[first + 1] = turn.y / s->span;
            v[first + 2] = turn.z / s->span;
        }
        iso_vec3 seen = turned(iso_vec3_neg(turn), momentum); // by the body where it is then
        s->spins[t].turn = turn;
        s->spins[t].end = turned(turn, solve3(&rotor.inertia, seen));
    }
}

// The midpoint method: the centre of mass goes straight on, the joint's point about it.
static void carry_center(iso_stages* s, int tree, const free_rotor* rotor) {
    const iso_multibody* multibody = s->stepper->dynamics.multibody;
    int first = multibody->tree_v_index[tree];
    const double *v0 = s->input->v + first, *v = s->v + first;
    iso_vec3 w0 = get_spin(v0), w = get_spin(v);
    iso_vec3 from = start_center(s, rotor, w0), to = turned(s->spins[tree].turn, from);
    iso_vec3 start = iso_vec3_add(get_spin(v0 + 3), iso_vec3_cross(w0, from));
    iso_vec3 mean = iso_vec3_add(get_spin(v + 3), iso_vec3_cross(w, rotor->center));
    iso_vec3 end = iso_vec3_add_scaled(start, iso_vec3_sub(mean, start), iso_stages_whole(s, tree));
    iso_vec3 end_v = iso_vec3_sub(end, iso_vec3_cross(s->spins[tree].end, to));
    iso_vec3 way = iso_vec3_add_scaled(iso_vec3_sub(from, to), mean, s->span);
    int index = multibody->bodies[multibody->dof_body[first]].q_index + 4;
    const double ways[3] = {way.x, way.y, way.z}, ends[3] = {end_v.x, end_v.y, end_v.z};
    for (int i = 0; i < 3; ++i) {
        s->q[index + i] = s->input->q[index + i] + ways[i];
        s->end_v[first + 3 + i] = ends[i];
    }
}

void iso_stages_carry_spins(iso_stages* s) {
    const iso_multibody* multibody = s->stepper->dynamics.multibody;
    for (int t = 0; t < multibody->tree_count; ++t) {
        if (!s->spins[t].is_carried) {
            continue;
        }
        int first = multibody->tree_v_index[t];
        free_rotor rotor = read_rotor(s->a + multibody->tree_m_index[t]);
        iso_vec3 end = s->spins[t].end;
        s->end_v[first] = end.x;
        s->end_v[first + 1] = end.y;
        s->end_v[first + 2] = end.z;
        if (iso_stages_is_middle(s, t) && iso_vec3_norm_squared(rotor.center) > 0.0) {
            carry_center(s, t, &rotor);
        }
    }
}
