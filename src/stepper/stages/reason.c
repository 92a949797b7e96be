// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Why a step was slow, in the words of the model.

#include "stepper/stages/stages.h"

// A step of so many Newton iterations needs no excuse.
#define FEW_ITERATIONS 5

// Whether the gradient of a contact failed the forecast along its mean normal rather than across.
static bool is_normal(const iso_contact_pair* pair, const double error[6]) {
    iso_vec3 e = iso_vec3_make(error[3], error[4], error[5]);
    double along = iso_vec3_dot(e, pair->model->normal(pair));
    return 2.0 * along * along > iso_vec3_norm_squared(e);
}

static void blame_contact(iso_stages* s, const iso_convex_report* convex) {
    for (int i = 0; i < s->set.pair_count; ++i) {
        if (s->pair_potential[i] == convex->slowest_potential) {
            const iso_contact_pair* pair = &s->set.pairs[i];
            s->report.reason = is_normal(pair, convex->slowest_error) ? ISO_STEP_REASON_OPENING
                                                                      : ISO_STEP_REASON_FRICTION;
            s->report.reason_body_a = pair->body_a;
            s->report.reason_body_b = pair->body_b;
        }
    }
}

static iso_step_reason joint_reason(const iso_potential_ops* ops) {
    if (ops == &iso_joint_limit_ops) {
        return ISO_STEP_REASON_LIMIT;
    }
    if (ops == &iso_drive_ops || ops == &iso_drive_sum_ops) {
        return ISO_STEP_REASON_DRIVE;
    }
    return ops == &iso_joint_friction_ops ? ISO_STEP_REASON_JOINT_FRICTION
                                          : ISO_STEP_REASON_CONSTRAINT;
}

void iso_stages_find_reason(iso_stages* s, const iso_convex_report* convex) {
    // A step that ends with more than the tolerance ends at rounding.
    bool is_rounding = convex->residual > s->stepper->convex.relative_tolerance;
    if (is_rounding) {
        s->report.reason = ISO_STEP_REASON_ROUNDING;
    }
    if (convex->iterations <= FEW_ITERATIONS || convex->slowest_potential < 0) {
        return;
    }
    s->report.reason = ISO_STEP_REASON_NONE;
    blame_contact(s, convex);
    if (s->report.reason == ISO_STEP_REASON_NONE) {
        const iso_potential* potential = &s->potentials[convex->slowest_potential];
        s->report.reason = joint_reason(potential->ops);
        if (!potential->jacobian_a) {
            s->report.reason_body_a = s->stepper->dynamics.multibody->dof_body[potential->dof];
        }
    }
    if (convex->is_at_rounding || is_rounding) {
        s->report.reason = ISO_STEP_REASON_ROUNDING;
    }
}
