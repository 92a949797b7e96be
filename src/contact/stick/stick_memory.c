// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// What a pair that sticks remembers: recalled at the start of a step, kept at its end.

#include "contact/stick/stick_parts.h"

#include <math.h>

// Share of the radius of a patch that its centre may wander before new material counts as having
// come in: a pressed or shaken body moves its centre without rolling.
#define PLAY_RATIO 0.25

static iso_vec3 to_vec3(const double x[3]) {
    return iso_vec3_make(x[0], x[1], x[2]);
}
static void from_vec3(iso_vec3 x, double out[3]) {
    out[0] = x.x;
    out[1] = x.y;
    out[2] = x.z;
}

// A slip twist about p_wc as it is kept, and back.
static void keep_slip(const double slip[6], iso_vec3 p_wc, const iso_pose* x_wa, double out[6]) {
    iso_vec3 w = to_vec3(slip);
    iso_vec3 v = iso_vec3_add(to_vec3(slip + 3), iso_vec3_cross(w, iso_vec3_sub(x_wa->p, p_wc)));
    from_vec3(iso_mat3_tmul_vec3(&x_wa->r, w), out);
    from_vec3(iso_mat3_tmul_vec3(&x_wa->r, v), out + 3);
}
static void recall_slip(const double kept[6], iso_vec3 p_wc, const iso_pose* x_wa, double out[6]) {
    iso_vec3 w = iso_mat3_mul_vec3(&x_wa->r, to_vec3(kept));
    iso_vec3 v = iso_mat3_mul_vec3(&x_wa->r, to_vec3(kept + 3));
    from_vec3(w, out);
    from_vec3(iso_vec3_add(v, iso_vec3_cross(w, iso_vec3_sub(p_wc, x_wa->p))), out + 3);
}

// Distance that the patch has rolled over both bodies since the last step, beyond the play; moves
// the marks along. A patch that stays where it is on one body follows that one.
static double roll(const iso_contact_pair* pair, const iso_pose* x_wa, const iso_pose* x_wb,
                   double radius, iso_stick_memory* memory, double* out_follows_b) {
    iso_vec3 center = pair->patch.centroid;
    iso_vec3 mark_a = iso_pose_point(x_wa, to_vec3(memory->center_a));
    iso_vec3 mark_b = iso_pose_point(x_wb, to_vec3(memory->center_b));
    iso_vec3 e_a = iso_vec3_sub(center, mark_a), e_b = iso_vec3_sub(center, mark_b);
    double way_a = iso_vec3_norm(e_a), way_b = iso_vec3_norm(e_b);
    double excess = fmin(way_a, way_b) - PLAY_RATIO * radius;
    *out_follows_b = way_a + way_b > 0.0 ? way_a / (way_a + way_b) : 0.5;
    if (!(excess > 0.0)) {
        return 0.0;
    }
    mark_a = iso_vec3_add_scaled(mark_a, e_a, excess / way_a);
    mark_b = iso_vec3_add_scaled(mark_b, e_b, excess / way_b);
    from_vec3(iso_pose_inverse_point(x_wa, mark_a), memory->center_a);
    from_vec3(iso_pose_inverse_point(x_wb, mark_b), memory->center_b);
    return excess;
}

// Stretch, into `felt`, and slip at the start of the step, from the last one.
static void recall_stretch(const iso_contact_pair* pair, const iso_pose* x_wa, const iso_pose* x_wb,
                           const iso_stick_memory* memory, iso_stick* stick, double felt[6],
                           double slip[6]) {
    stick->memory = *memory;
    iso_pose x_wr = iso_rest_place(memory, x_wa);
    iso_rest_place_displacement(&x_wr, x_wb, pair->p_wc, stick->whole);
    recall_slip(memory->slip, pair->p_wc, x_wa, slip);
    double radius = stick->reach / ISO_STICK_REACH_RATIO;
    double rolled = roll(pair, x_wa, x_wb, radius, &stick->memory, &stick->follows_b);
    stick->left = rolled > 0.0 ? exp(-rolled / radius) : 1.0;
    for (int i = 0; i < 6; ++i) {
        felt[i] = stick->left * stick->whole[i];
    }
}

// The first step of a pair: no stretch, and slip as the bodies move.
static void start(const iso_contact_pair* pair, const iso_pose* x_wa, const iso_pose* x_wb,
                  iso_spatial v_c0, iso_stick* stick, double slip[6]) {
    stick->memory = (iso_stick_memory){0};
    iso_rest_place_keep(x_wb, x_wa, &stick->memory);
    from_vec3(iso_pose_inverse_point(x_wa, pair->patch.centroid), stick->memory.center_a);
    from_vec3(iso_pose_inverse_point(x_wb, pair->patch.centroid), stick->memory.center_b);
    from_vec3(v_c0.rotational, slip);
    from_vec3(v_c0.translational, slip + 3);
}

// In the coordinates: slip and stretch. Returns the energy of the spring, with the slip that was
// kept.
ISO_SIX_INLINE double set_start(iso_stick* stick, const double felt[6], const double twist[6],
                                double kept, int n) {
    double *sigma = iso_stick_sigma(stick->inner, n), stretch[ISO_SIX_STRIDE];
    double spring[ISO_SIX_STRIDE];
    iso_six_store(sigma, iso_stick_to_sigma(stick, twist, n));
    if (n == 3) {
        iso_six_store(stick->inner->slip, iso_stick_to_twist(stick, sigma, 3));
    }
    iso_six_store(stretch, iso_stick_to_sigma(stick, felt, n));
    iso_six force = iso_stick_stiffen(stick, stretch, n);
    iso_six_store(stick->impulse, iso_six_scale(force, stick->dt));
    iso_six rest = iso_six_add_scaled(iso_six_load(stretch), -kept, iso_six_load(sigma));
    iso_six_store(spring, rest);
    return 0.5 * iso_six_sum(iso_six_multiply(rest, iso_stick_stiffen(stick, spring, n)));
}

void iso_stick_recall(const iso_contact_pair* pair, const iso_pose* x_wa, const iso_pose* x_wb,
                      const iso_stick_memory* memory, iso_spatial v_c0, iso_stick* stick) {
    double felt[6] = {0.0}, slip[6];
    if (memory) {
        recall_stretch(pair, x_wa, x_wb, memory, stick, felt, slip);
    } else {
        start(pair, x_wa, x_wb, v_c0, stick, slip);
    }
    double kept = memory ? memory->kept_slip * stick->dt : 0.0;
    stick->start_energy = 0.0;
    if (stick->size == 3) {
        stick->start_energy = set_start(stick, felt, slip, kept, 3);
    } else if (stick->size == 6) {
        stick->start_energy = set_start(stick, felt, slip, kept, 6);
    }
}

// No more of what has no stiffness than the reach; held: what has some.
static void shorten(const iso_stick* stick, const double* held, double stretch[6]) {
    double size2 = 0.0;
    for (int i = 0; i < 6; ++i) {
        double rest = stick->metric[i] * (stretch[i] - held[i]);
        size2 += rest * rest;
    }
    if (size2 > stick->reach * stick->reach) {
        double kept = stick->reach / sqrt(size2);
        for (int i = 0; i < 6; ++i) {
            stretch[i] = held[i] + kept * (stretch[i] - held[i]);
        }
    }
}

// What touches in one point has no stiffness against turning about its normal, and its point may
// run along the surface: a turn that was remembered would move the stretch along with it.
static void forget_spin(const iso_stick* stick, double stretch[6]) {
    iso_vec3 first = to_vec3(stick->r + 3), second = to_vec3(stick->r + ISO_SIX_STRIDE + 3);
    iso_vec3 normal = iso_vec3_normalized(iso_vec3_cross(first, second)), turn = to_vec3(stretch);
    from_vec3(iso_vec3_add_scaled(turn, normal, -iso_vec3_dot(turn, normal)), stretch);
}

// Energy of the spring at a stretch; held: that in the coordinates.
ISO_SIX_INLINE double end_energy(const iso_stick* stick, const double* held, double given_up,
                                 int n) {
    double spring[ISO_SIX_STRIDE];
    iso_six sigma = iso_six_load(iso_stick_sigma(stick->inner, n));
    iso_six rest = iso_six_add_scaled(iso_six_load(held), (given_up - 1.0) * stick->dt, sigma);
    iso_six_store(spring, rest);
    return 0.5 * iso_six_sum(iso_six_multiply(rest, iso_stick_stiffen(stick, spring, n)));
}

// Stretch after the step: the motion, less the slip that is given up. Returns the energy of the
// spring.
static double find_stretch(const iso_stick* stick, const double v[6], const double slip[6],
                           double given_up, double out[6]) {
    double felt[ISO_SIX_STRIDE], held[ISO_SIX_STRIDE] = {0.0};
    for (int i = 0; i < 6; ++i) {
        out[i] = stick->left * stick->whole[i] + stick->dt * (v[i] - given_up * slip[i]);
    }
    if (stick->size == 6) {
        iso_six_store(felt, iso_stick_to_sigma(stick, out, 6));
        return end_energy(stick, felt, given_up, 6);
    }
    double energy = 0.0;
    if (stick->size == 3) {
        iso_six_store(felt, iso_stick_to_sigma(stick, out, 3));
        iso_six_store(held, iso_stick_to_twist(stick, felt, 3));
        energy = end_energy(stick, felt, given_up, 3);
    }
    if (stick->is_point) {
        forget_spin(stick, out);
    }
    shorten(stick, held, out);
    return energy;
}

// Share of the bodies' motion over the step, u, that a change of the stretch takes back.
static double share_taken_back(const iso_stick* stick, const double u[6], const double change[6]) {
    double taken = 0.0, all = 0.0;
    for (int i = 0; i < 6; ++i) {
        double weight = stick->metric[i] * stick->metric[i];
        taken -= weight * stick->dt * u[i] * change[i];
        all += weight * stick->dt * u[i] * stick->dt * u[i];
    }
    return all > 0.0 ? fmax(0.0, fmin(1.0, taken / all)) : 0.0;
}

// Where a point of the patch goes over the step.
static iso_vec3 move_with_patch(const iso_stick* stick, const iso_pair_poses poses[2],
                                iso_vec3 p_w) {
    iso_vec3 a = iso_pose_point(&poses[1].x_wa, iso_pose_inverse_point(&poses[0].x_wa, p_w));
    iso_vec3 b = iso_pose_point(&poses[1].x_wb, iso_pose_inverse_point(&poses[0].x_wb, p_w));
    return iso_vec3_add_scaled(a, iso_vec3_sub(b, a), stick->follows_b);
}

// The exact displacement at the end of the step, with the change. What it differs by from the
// bodies' velocities times dt, which is of second order, goes with the motion.
static void move_rest_place(const iso_stick* stick, const double u[6], const double change[6],
                            const iso_pose* x_wb, const iso_pose* x_wa, iso_vec3 p_wc,
                            iso_stick_memory* memory) {
    double moved[6];
    iso_pose x_wr = iso_rest_place(memory, x_wa);
    iso_rest_place_displacement(&x_wr, x_wb, p_wc, moved);
    double share = share_taken_back(stick, u, change);
    for (int i = 0; i < 6; ++i) {
        double excess = moved[i] - (stick->whole[i] + stick->dt * u[i]);
        moved[i] += change[i] - share * excess;
    }
    x_wr = iso_rest_place_before(moved, x_wb, p_wc);
    iso_rest_place_keep(&x_wr, x_wa, memory);
}

void iso_stick_commit(const iso_stick* stick, const iso_pair_poses poses[2], const double v[6],
                      const double u[6], iso_stick_memory* out_memory) {
    double stretch[6], change[6], largest = 0.0;
    const double* slip = stick->inner->slip;
    iso_vec3 p_wc = move_with_patch(stick, poses, stick->points->p_wc);
    *out_memory = stick->memory;
    double speed = iso_compliant_points_mean_slip(stick->points, slip);
    double given_up = speed > stick->elastic ? 1.0 - stick->elastic / speed : 0.0;
    out_memory->energy = find_stretch(stick, v, slip, given_up, stretch);
    out_memory->kept_slip = 1.0 - given_up;
    out_memory->is_slipping = given_up > 0.0 ? 1.0 : 0.0;
    keep_slip(slip, p_wc, &poses[1].x_wa, out_memory->slip);
    // Where nothing slips, turns over or exceeds the reach, the bodies' motion is all of the
    // change.
    for (int i = 0; i < 6; ++i) {
        double moved = stick->whole[i] + stick->dt * u[i];
        change[i] = stretch[i] - moved;
        largest = fmax(largest, stick->metric[i] * fabs(change[i]));
    }
    if (largest > 0.0) {
        move_rest_place(stick, u, change, &poses[1].x_wb, &poses[1].x_wa, p_wc, out_memory);
    }
}
