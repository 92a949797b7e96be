// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Which directions of a constraint joints can move. docs/theory/multibody.md, "What no joint
// moves".

#include "stepper/constraints/constraint.h"

#include "math/dense.h"
#include "math/eigen.h"

#include <math.h>
#include <string.h>

// A joint moves a direction when more than this part of its motion goes there; squared.
#define LEAST_PART 4e-10

/// What becomes of the twists of the joints between two bodies.
typedef void iso_on_twist(void* user, iso_spatial twist_at_point, double arm);

// The joints on the way from A to B but not those that carry both, which change nothing. Parents
// have smaller indices than their children.
static void visit_joints(const iso_constraint* constraint, iso_vec3 p_w,
                         const iso_multibody* multibody, const iso_kinematics* kinematics,
                         iso_on_twist* on_twist, void* user) {
    int a = constraint->body_a, b = constraint->body_b;
    while (a != b) {
        int body = a > b ? a : b;
        const iso_mb_body* joint = &multibody->bodies[body];
        int dofs = iso_mobility_v_count(joint->mobility);
        for (int d = joint->v_index; d < joint->v_index + dofs; ++d) {
            iso_vec3 r = iso_vec3_sub(p_w, kinematics->dof_point[d]);
            iso_spatial twist = kinematics->dof_axis[d];
            double arm = iso_vec3_norm(iso_vec3_cross(twist.rotational, r));
            on_twist(user, iso_spatial_shift_twist(twist, r), arm);
        }
        *(a > b ? &a : &b) = joint->parent;
    }
}

static void lengthen(void* user, iso_spatial twist, double arm) {
    double* length = user;
    (void)twist;
    *length = fmax(*length, arm);
}

// By which turns compare with moves: the longest arm that a joint has about the point, or what of
// the two links is farther from it or wider.
static double find_length(const iso_constraint* constraint, iso_vec3 p_w,
                          const iso_multibody* multibody, const iso_kinematics* kinematics) {
    const int bodies[2] = {constraint->body_a, constraint->body_b};
    double length = 0.0;
    visit_joints(constraint, p_w, multibody, kinematics, lengthen, &length);
    for (int i = 0; i < 2; ++i) {
        int index = multibody->link_of[bodies[i]];
        if (index >= 0) {
            const iso_mb_link* link = &multibody->links[index];
            iso_vec3 center = iso_pose_point(&kinematics->x_wb[link->body], link->center);
            double trace = link->inertia.m[0][0] + link->inertia.m[1][1] + link->inertia.m[2][2];
            length = fmax(length, iso_vec3_norm(iso_vec3_sub(p_w, center)));
            length = fmax(length, link->mass > 0.0 ? sqrt(0.5 * trace / link->mass) : 0.0);
        }
    }
    return length > 0.0 ? length : 1.0;
}

typedef struct sums {
    const iso_gap* gap;
    double length;
    double gram[36];
} sums;

static void scale_turns(const iso_gap* gap, double by, double* rows) {
    for (int i = 0; i < 3 && gap->kind == ISO_CONSTRAINT_WELD; ++i) {
        rows[i] *= by;
    }
}

// Adds g g^T of a joint: its rows over all that it moves.
static void add_square(void* user, iso_spatial twist, double arm) {
    sums* s = user;
    (void)arm;
    int n = s->gap->rows;
    double turn = s->length * s->length * iso_vec3_norm_squared(twist.rotational);
    double whole = turn + iso_vec3_norm_squared(twist.translational);
    double rates[6];
    iso_gap_rates(s->gap, twist, rates);
    scale_turns(s->gap, s->length, rates);
    for (int i = 0; i < n && whole > 0.0; ++i) {
        for (int j = 0; j < n; ++j) {
            s->gram[i * n + j] += rates[i] * rates[j] / whole;
        }
    }
}

// Whether all eigenvalues are above LEAST_PART for sure: those but the least have the mean of at
// most trace / (n - 1), hence a product of at most that to the power of n - 1.
static bool is_regular(const double* gram, int n) {
    double factor[36], product = 1.0, trace = 0.0;
    memcpy(factor, gram, (size_t)(n * n) * sizeof *factor);
    if (!iso_cholesky_factor(factor, n, n)) {
        return false;
    }
    for (int i = 0; i < n; ++i) {
        trace += gram[i * (n + 1)];
        product *= factor[i * (n + 1)] * factor[i * (n + 1)];
    }
    for (int i = 1; i < n; ++i) {
        product *= (n - 1) / trace;
    }
    return product > 2.0 * LEAST_PART; // twice: rounding
}

iso_gap_reach iso_gap_find_reach(const iso_gap* gap, const iso_constraint* constraint,
                                 const iso_multibody* multibody, const iso_kinematics* kinematics) {
    sums s = {.gap = gap,
              .length = find_length(constraint, gap->p_w, multibody, kinematics),
              .gram = {0.0}};
    visit_joints(constraint, gap->p_w, multibody, kinematics, add_square, &s);
    iso_gap_reach reach = {.is_whole = true, .count = gap->rows};
    double directions[36];
    int n = gap->rows;
    if (is_regular(s.gram, n)) {
        return reach;
    }
    iso_symmetric_eigen(s.gram, n, directions);
    for (int k = 0; k < n; ++k) {
        reach.is_whole = reach.is_whole && s.gram[k * (n + 1)] > LEAST_PART;
    }
    if (reach.is_whole) {
        return reach;
    }
    reach.count = 0;
    for (int k = 0; k < n; ++k) {
        if (s.gram[k * (n + 1)] > LEAST_PART) {
            double* row = &reach.rows[n * reach.count++];
            for (int i = 0; i < n; ++i) {
                row[i] = directions[i * n + k];
            }
            scale_turns(gap, s.length, row);
        }
    }
    return reach;
}

void iso_gap_reach_apply(const iso_gap_reach* reach, int gap_rows, const double* x, int n,
                         double* out) {
    for (int r = 0; r < reach->count; ++r) {
        for (int d = 0; d < n; ++d) {
            double sum = reach->is_whole ? x[r * n + d] : 0.0;
            for (int i = 0; i < gap_rows && !reach->is_whole; ++i) {
                sum += reach->rows[r * gap_rows + i] * x[i * n + d];
            }
            out[r * n + d] = sum;
        }
    }
}

void iso_gap_reach_spread(const iso_gap_reach* reach, int gap_rows, const double* forces,
                          double* out) {
    for (int i = 0; i < gap_rows; ++i) {
        out[i] = reach->is_whole ? forces[i] : 0.0;
        for (int r = 0; r < reach->count && !reach->is_whole; ++r) {
            out[i] += reach->rows[r * gap_rows + i] * forces[r];
        }
    }
}
