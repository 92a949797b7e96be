// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "stepper/joint_potential.h"

#include <math.h>

// Stiffness of a limit before regularisation [N/m] or [N m/rad], and the near-rigid floor: no
// motion against it has a period below BETA dt. [Castro2022] section V-B.
#define LIMIT_STIFFNESS 1e12
#define BETA 0.1

// A joint that starts far outside its limits comes back this fast at most [rad/s] or [m/s]; what a
// step overshoots a limit by in motion is far less.
#define RECOVERY_SPEED 1.0

iso_joint_limit iso_joint_limit_make(int dof, double sign, double distance, double mobility,
                                     double dt) {
    double horizon = 2.0 * dt; // dt + relaxation time, which is dt
    double floor = BETA * BETA / (4.0 * ISO_PI * ISO_PI) * mobility;
    return (iso_joint_limit){
        .dof = dof,
        .sign = sign,
        .target = fmin(-distance / horizon, RECOVERY_SPEED),
        .regularization = fmax(floor, 1.0 / (dt * horizon * LIMIT_STIFFNESS)),
    };
}

static double limit_impulse(const iso_joint_limit* limit, double v) {
    return fmax((limit->target - limit->sign * v) / limit->regularization, 0.0);
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
    double v = u[0] + alpha * du[0];
    double gradient, hessian;
    *out_value = eval_limit(user, &v, &gradient, &hessian);
    *out_slope = gradient * du[0];
    *out_curvature = hessian * du[0] * du[0];
}

const iso_potential_ops iso_joint_limit_ops = {eval_limit, line_limit};

static double clamp(double x, double limit) {
    return fmin(fmax(x, -limit), limit);
}

iso_drive iso_drive_make(int dof, double kp, double kd, double limit,
                         const iso_actuation* actuation, double q, double dt) {
    return (iso_drive){
        .dof = dof,
        .start =
            actuation->feed_forward + kp * (actuation->position - q) + kd * actuation->velocity,
        .gain = kp * dt + kd,
        .limit = limit,
        .dt = dt,
    };
}

bool iso_drive_is_linear(const iso_drive* drive) {
    return drive->gain == 0.0 || drive->limit == 0.0 || isinf(drive->limit);
}

double iso_drive_effort(const iso_drive* drive, double v) {
    return clamp(drive->start - drive->gain * v, drive->limit);
}

// The velocity that the whole effort at v = 0 stands for, start / gain, is kept.
void iso_drive_soften(iso_drive* drive, double mobility) {
    double stiffest = 4.0 * ISO_PI * ISO_PI / (BETA * BETA * drive->dt * mobility);
    if (drive->gain > stiffest) {
        drive->start *= stiffest / drive->gain;
        drive->gain = stiffest;
    }
}

// Value relative to v = 0: -dt times the integral of the effort. With e = start - gain v and Phi
// the antiderivative of clamp, it is dt / gain (Phi(e) - Phi(start)).
static double drive_value(const iso_drive* drive, double v) {
    double e0 = drive->start, e1 = drive->start - drive->gain * v;
    double c0 = clamp(e0, drive->limit), c1 = clamp(e1, drive->limit);
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

static double eval_drive(const void* user, const double* u, double* out_gradient,
                         double* out_hessian) {
    const iso_drive* drive = user;
    double wanted = drive->start - drive->gain * u[0];
    out_gradient[0] = -drive->dt * clamp(wanted, drive->limit);
    out_hessian[0] = fabs(wanted) < drive->limit ? drive->dt * drive->gain : 0.0;
    return drive_value(drive, u[0]);
}

static void line_drive(const void* user, const double* u, const double* du, double alpha,
                       double* out_value, double* out_slope, double* out_curvature) {
    double v = u[0] + alpha * du[0];
    double gradient, hessian;
    *out_value = eval_drive(user, &v, &gradient, &hessian);
    *out_slope = gradient * du[0];
    *out_curvature = hessian * du[0] * du[0];
}

const iso_potential_ops iso_drive_ops = {eval_drive, line_drive};
