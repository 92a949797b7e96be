// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "stepper/constraints/joint_potential.h"

#include "math/dense.h"
#include "math/limits.h"

#include <math.h>

// As stiff as a step resolves: no motion against a limit has a period below BETA dt. [Castro2022]
// section V-B.
#define BETA 0.1

// A joint that starts far outside its limits comes back this fast at most [rad/s] or [m/s]; what a
// step overshoots a limit by in motion is far less.
#define RECOVERY_SPEED 1.0

// A sum of joints w . q adds gain w w^T to their matrix, of rank one: so many times that and what
// rounding leaves of the matrix is still good to 1e-7.
#define STIFFEST_SUM 1e9

iso_joint_limit iso_joint_limit_make(int dof, double sign, double distance, double mobility,
                                     double dt) {
    double horizon = 2.0 * dt; // dt + relaxation time, which is dt
    return (iso_joint_limit){
        .dof = dof,
        .sign = sign,
        .target = fmin(-distance / horizon, RECOVERY_SPEED),
        .regularization = BETA * BETA / (4.0 * ISO_PI * ISO_PI) * mobility,
    };
}

static double limit_impulse(const iso_joint_limit* limit, double v) {
    return fmax((limit->target - limit->sign * v) / limit->regularization, 0.0);
}

double iso_joint_limit_impulse(const iso_joint_limit* limit, double v) {
    return limit->sign * limit_impulse(limit, v);
}

static double eval_limit(const void* user, const double* u, double* out_gradient,
                         double* out_hessian) {
    const iso_joint_limit* limit = user;
    double impulse = limit_impulse(limit, u[0]);
    out_gradient[0] = -limit->sign * impulse;
    out_hessian[0] = impulse > 0.0 ? 1.0 / limit->regularization : 0.0;
    return 0.5 * limit->regularization * impulse * impulse;
}

static void line_limit(const void* user, const double* u, const double* du, double alpha,
                       double* out_value, double* out_slope, double* out_curvature) {
    iso_potential_line_1(eval_limit, user, u, du, alpha, out_value, out_slope, out_curvature);
}

const iso_potential_ops iso_joint_limit_ops = {eval_limit, line_limit, NULL};

iso_drive iso_drive_make(int dof, double kp, double kd, double lower, double upper,
                         const iso_actuation* actuation, double q, double dt) {
    return (iso_drive){
        .dof = dof,
        .start =
            actuation->feed_forward + kp * (actuation->position - q) + kd * actuation->velocity,
        .gain = kp * dt + kd,
        .share = 1.0,
        .lower = lower,
        .upper = upper,
        .dt = dt,
    };
}

bool iso_drive_is_linear(const iso_drive* drive) {
    return drive->gain == 0.0 || drive->lower == drive->upper ||
           (isinf(drive->lower) && isinf(drive->upper));
}

double iso_drive_effort(const iso_drive* drive, double v) {
    return iso_clamp(drive->start - drive->gain * v, drive->lower, drive->upper);
}

// The velocity that the whole effort at v = 0 stands for, start / gain, is kept.
static void bound_gain(iso_drive* drive, double most) {
    if (drive->gain > most) {
        drive->share = most / drive->gain;
        drive->start *= most / drive->gain;
        drive->gain = most;
    }
}

void iso_drive_soften(iso_drive* drive, double mobility) {
    bound_gain(drive, 4.0 * ISO_PI * ISO_PI / (BETA * BETA * drive->dt * mobility));
}

void iso_drive_keep_regular(iso_drive* drive, double mobility) {
    bound_gain(drive, STIFFEST_SUM / (drive->dt * mobility));
}

// Value relative to v = 0: -dt times the integral of the effort. With e = start - gain v and Phi
// the antiderivative of clamp, it is dt / gain (Phi(e) - Phi(start)).
double iso_drive_value(const iso_drive* drive, double v) {
    double e0 = drive->start, e1 = drive->start - drive->gain * v;
    double c0 = iso_clamp(e0, drive->lower, drive->upper);
    double c1 = iso_clamp(e1, drive->lower, drive->upper);
    if (c0 == e0 && c1 == e1) {
        return -0.5 * drive->dt * (e0 + e1) * v;
    }
    if (c0 == c1) {
        return -drive->dt * c0 * v;
    }
    // Phi(e) = c e - c^2 / 2 with c = clamp(e)
    double difference = (c1 * e1 - 0.5 * c1 * c1) - (c0 * e0 - 0.5 * c0 * c0);
    return drive->dt / drive->gain * difference;
}

double iso_drive_curvature(const iso_drive* drive, double v) {
    double wanted = drive->start - drive->gain * v;
    return wanted > drive->lower && wanted < drive->upper ? drive->dt * drive->gain : 0.0;
}

static double eval_drive(const void* user, const double* u, double* out_gradient,
                         double* out_hessian) {
    const iso_drive* drive = user;
    double wanted = drive->start - drive->gain * u[0];
    out_gradient[0] = -drive->dt * iso_clamp(wanted, drive->lower, drive->upper);
    out_hessian[0] = iso_drive_curvature(drive, u[0]);
    return iso_drive_value(drive, u[0]);
}

static void line_drive(const void* user, const double* u, const double* du, double alpha,
                       double* out_value, double* out_slope, double* out_curvature) {
    iso_potential_line_1(eval_drive, user, u, du, alpha, out_value, out_slope, out_curvature);
}

const iso_potential_ops iso_drive_ops = {eval_drive, line_drive, NULL};

// Dry friction gives way by this part of the velocity that its load would make in one step. Much
// less, and line searches could no longer find the kink.
#define FRICTION_FLOOR 1e-6

// Ties give way by this part of what their load would make in one step.
#define TIE_FLOOR 1e-6

// Added to the mobilities of a tie's rows, each scaled to 1: they may all but repeat each other.
#define LEAST_MOBILITY 1e-13

iso_joint_friction iso_joint_friction_make(int dof, double friction, double mobility, double dt) {
    return (iso_joint_friction){
        .dof = dof, .limit = dt * friction, .regularization = FRICTION_FLOOR * mobility};
}

double iso_joint_friction_impulse(const iso_joint_friction* friction, double v) {
    return iso_clamp(-v / friction->regularization, -friction->limit, friction->limit);
}

static double eval_friction(const void* user, const double* u, double* out_gradient,
                            double* out_hessian) {
    const iso_joint_friction* friction = user;
    double impulse = iso_joint_friction_impulse(friction, u[0]);
    bool is_stuck = fabs(impulse) < friction->limit;
    out_gradient[0] = -impulse;
    out_hessian[0] = is_stuck ? 1.0 / friction->regularization : 0.0;
    double elastic = 0.5 * friction->regularization * impulse * impulse;
    return is_stuck ? elastic : friction->limit * fabs(u[0]) - elastic;
}

static void line_friction(const void* user, const double* u, const double* du, double alpha,
                          double* out_value, double* out_slope, double* out_curvature) {
    iso_potential_line_1(eval_friction, user, u, du, alpha, out_value, out_slope, out_curvature);
}

const iso_potential_ops iso_joint_friction_ops = {eval_friction, line_friction, NULL};

double iso_joint_friction_share(const void* user, const double* u, const double* du) {
    const iso_joint_friction* friction = user;
    double stuck = friction->regularization * friction->limit;
    double after = u[0] + du[0];
    bool is_reversed = (u[0] > stuck && after < -stuck) || (u[0] < -stuck && after > stuck);
    return is_reversed ? -u[0] / du[0] : 1.0;
}

// Rows from..to of a tie, which share their units.
static void aim(iso_tie* tie, const double* sizes, int from, int to, double dt, double recovery) {
    double square = 0.0;
    for (int i = from; i < to; ++i) {
        square += sizes[i] * sizes[i];
    }
    bool is_slack = tie->is_one_sided && sizes[from] < 0.0;
    double time = is_slack ? dt : fmax(dt, recovery), speed = sqrt(square) / time;
    double factor = speed > RECOVERY_SPEED && !is_slack ? RECOVERY_SPEED / speed : 1.0;
    for (int i = from; i < to; ++i) {
        tie->target[i] = -factor * sizes[i] / time;
    }
}

// K = B^T (R B W B^T)^-1 B with the combinations B that joints reach and R = TIE_FLOOR.
static void stiffen(iso_tie* tie, const double* delassus, const iso_gap_reach* reach) {
    enum { N = ISO_POTENTIAL_MAX_ROWS };
    int n = tie->rows, m = reach->count;
    double identity[N * N] = {0.0}, b[N * N], bw[N * N], w[N * N], scale[N];
    for (int i = 0; i < n; ++i) {
        identity[i * (n + 1)] = 1.0;
    }
    iso_gap_reach_apply(reach, n, identity, n, b);
    iso_gap_reach_apply(reach, n, delassus, n, bw);
    for (int i = 0; i < m * m; ++i) {
        w[i] = iso_dense_dot(bw + i / m * n, b + i % m * n, n);
    }
    for (int i = 0; i < m; ++i) {
        double mobility = w[i * (m + 1)];
        scale[i] = mobility > 0.0 ? 1.0 / sqrt(mobility) : 1.0;
    }
    for (int i = 0; i < m; ++i) {
        for (int j = 0; j < m; ++j) {
            w[i * m + j] *= scale[i] * scale[j];
        }
        w[i * (m + 1)] += LEAST_MOBILITY;
        for (int j = 0; j < n; ++j) {
            b[i * n + j] *= scale[i];
        }
    }
    if (!iso_cholesky_factor(w, m, m)) {
        return; // not finite: so is the state
    }
    iso_cholesky_forward_block(w, m, m, b, n, n);
    iso_dense_add_atb(tie->stiffness, n, 1.0 / TIE_FLOOR, b, n, b, n, n, m, n);
}

iso_tie iso_tie_make(int rows, const double* sizes, bool is_one_sided, const double* delassus,
                     const iso_gap_reach* reach, double dt, double recovery) {
    iso_tie tie = {.rows = rows, .is_one_sided = is_one_sided};
    int rotations = rows == 6 ? 3 : 0;
    if (rotations > 0) {
        aim(&tie, sizes, 0, rotations, dt, recovery);
    }
    aim(&tie, sizes, rotations, rows, dt, recovery);
    stiffen(&tie, delassus, reach);
    return tie;
}

iso_tie iso_tie_make_spring(double size, double stiffness, double damping, bool is_one_sided,
                            double delassus, double dt) {
    double floor = TIE_FLOOR * (delassus > 0.0 ? delassus : 1.0);
    double gain = dt * (stiffness * dt + damping);
    iso_tie tie = {.rows = 1, .is_one_sided = is_one_sided};
    if (gain <= 0.0) {
        return tie;
    }
    tie.target[0] = -stiffness * size * dt / gain;
    tie.stiffness[0] = 1.0 / fmax(1.0 / gain, floor);
    return tie;
}

void iso_tie_impulses(const iso_tie* tie, const double* u, double* out_impulses) {
    for (int i = 0; i < tie->rows; ++i) {
        double impulse = 0.0;
        for (int j = 0; j < tie->rows; ++j) {
            impulse += tie->stiffness[i * tie->rows + j] * (tie->target[j] - u[j]);
        }
        out_impulses[i] = tie->is_one_sided ? fmin(impulse, 0.0) : impulse;
    }
}

static double eval_tie(const void* user, const double* u, double* out_gradient,
                       double* out_hessian) {
    const iso_tie* tie = user;
    double impulses[ISO_POTENTIAL_MAX_ROWS] = {0.0};
    double value = 0.0;
    iso_tie_impulses(tie, u, impulses);
    bool is_idle = tie->is_one_sided && impulses[0] == 0.0;
    for (int i = 0; i < tie->rows * tie->rows; ++i) {
        out_hessian[i] = is_idle ? 0.0 : tie->stiffness[i];
    }
    for (int i = 0; i < tie->rows; ++i) {
        out_gradient[i] = -impulses[i];
        value += 0.5 * impulses[i] * (tie->target[i] - u[i]);
    }
    return is_idle ? 0.0 : value;
}

static void line_tie(const void* user, const double* u, const double* du, double alpha,
                     double* out_value, double* out_slope, double* out_curvature) {
    const iso_tie* tie = user;
    double at[ISO_POTENTIAL_MAX_ROWS] = {0.0}, gradient[ISO_POTENTIAL_MAX_ROWS];
    double hessian[ISO_POTENTIAL_MAX_ROWS * ISO_POTENTIAL_MAX_ROWS];
    for (int i = 0; i < tie->rows; ++i) {
        at[i] = u[i] + alpha * du[i];
    }
    *out_value = eval_tie(user, at, gradient, hessian);
    *out_slope = *out_curvature = 0.0;
    for (int i = 0; i < tie->rows; ++i) {
        *out_slope += gradient[i] * du[i];
        for (int j = 0; j < tie->rows; ++j) {
            *out_curvature += du[i] * hessian[i * tie->rows + j] * du[j];
        }
    }
}

const iso_potential_ops iso_tie_ops = {eval_tie, line_tie, NULL};
