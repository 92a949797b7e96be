// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Stage 4: what contacts, joint limits and drives with an effort limit ask of the new velocity.

#include "stepper/stages/stages.h"

#include <float.h>
#include <math.h>
#include <string.h>

// The step for which springs of friction that sticks are made, with error control [s].
#define SUBSTEP_LAW_STEP 1e-3

// Points of a pair whose surfaces move on their bodies, or with bodies that a caller moves.
struct iso_moving_points {
    const iso_compliant_points* points;
    const iso_stick* stick; // NULL: friction is regularised
    iso_slip_dual* dual;    // of lagged, regularised friction; else NULL
    double twist[6];        // of the surfaces, when the bodies that move freely stand still
};

static void add_six(const double* a, const double* b, double* out) {
    for (int i = 0; i < 6; ++i) {
        out[i] = a[i] + b[i];
    }
}

static double eval_points(const void* user, const double* u, double* out_gradient,
                          double* out_hessian) {
    const struct iso_moving_points* moving = user;
    double v[6];
    add_six(u, moving->twist, v);
    if (moving->dual) {
        return iso_compliant_points_eval_dual(moving->points, v, moving->dual, out_gradient);
    }
    return iso_compliant_points_eval(moving->points, v, out_gradient, out_hessian);
}

static void line_points(const void* user, const double* u, const double* du, double alpha,
                        double* out_value, double* out_slope, double* out_curvature) {
    const struct iso_moving_points* moving = user;
    double v[6];
    add_six(u, moving->twist, v);
    iso_compliant_points_line(moving->points, v, du, alpha, out_value, out_slope, out_curvature);
}

// What u has beside the twist of the surfaces is noise of both.
static void size_points(const void* user, const double* u_sizes, double* out_sizes) {
    const struct iso_moving_points* moving = user;
    double v[6];
    for (int i = 0; i < 6; ++i) {
        v[i] = u_sizes[i] + fabs(moving->twist[i]);
    }
    if (moving->stick) {
        iso_stick_add_sizes(moving->stick, v, out_sizes);
    } else {
        iso_compliant_points_add_sizes(moving->points, out_sizes);
    }
}

static const iso_potential_ops points_ops = {eval_points, line_points, size_points};

// Without a potential: impulse and Jacobian only (solver/root.h).
static double eval_tamsi(const void* user, const double* u, double* out_residual,
                         double* out_jacobian) {
    const struct iso_moving_points* moving = user;
    double v[6];
    add_six(u, moving->twist, v);
    iso_compliant_points_residual(moving->points, v, out_residual, out_jacobian);
    return 0.0;
}

static double limit_tamsi(const void* user, const double* u, const double* du) {
    const struct iso_moving_points* moving = user;
    double v[6];
    add_six(u, moving->twist, v);
    return iso_compliant_points_transition(moving->points, v, du);
}

static const iso_potential_ops tamsi_ops = {eval_tamsi, NULL, size_points};

static double eval_stick(const void* user, const double* u, double* out_gradient,
                         double* out_hessian) {
    const struct iso_moving_points* moving = user;
    double v[6];
    (void)out_hessian;
    add_six(u, moving->twist, v);
    return iso_stick_eval(moving->stick, v, out_gradient);
}

static void line_stick(const void* user, const double* u, const double* du, double alpha,
                       double* out_value, double* out_slope, double* out_curvature) {
    const struct iso_moving_points* moving = user;
    double v[6];
    add_six(u, moving->twist, v);
    iso_stick_line(moving->stick, v, du, alpha, out_value, out_slope, out_curvature);
}

static const iso_potential_ops stick_ops = {eval_stick, line_stick, size_points};

static bool eliminate_slip(void* user, double* out_correction, double* out_hessian) {
    return iso_stick_eliminate(user, out_correction, out_hessian);
}
static void direct_slip(void* user, const double* du) {
    iso_stick_direct(user, du);
}
static void advance_slip(void* user, double alpha) {
    iso_stick_advance(user, alpha);
}
static double refine_slip(void* user, double value, double* out_gradient) {
    return iso_stick_refine(user, value, out_gradient);
}

static const iso_inner_ops slip_ops = {eliminate_slip, direct_slip, advance_slip, refine_slip};

// Directions of friction: they choose the Hessian and nothing else.
static bool find_hessian(void* user, double* out_correction, double* out_hessian) {
    const struct iso_moving_points* moving = user;
    (void)out_correction;
    iso_compliant_points_dual_hessian(moving->points, out_hessian);
    return false;
}
static void direct_friction(void* user, const double* du) {
    const struct iso_moving_points* moving = user;
    iso_slip_dual_step(moving->dual, du);
}
static void stay(void* user, double alpha) {
    (void)user;
    (void)alpha;
}

static const iso_inner_ops friction_ops = {find_hessian, direct_friction, stay, NULL};

// The potential of a pair without its points: u = V_B - V_A at the common point.
static iso_status make_contact(const iso_stages* s, const iso_contact_pair* pair,
                               iso_potential* out) {
    iso_pair_jacobians j;
    iso_status status = iso_stages_pair_jacobians(s, pair->body_a, pair->body_b, pair->p_wc, &j);
    if (status == ISO_OK) {
        *out = (iso_potential){&points_ops,  NULL,         6, j.tree_a, j.tree_b,
                               j.jacobian_a, j.jacobian_b, 0};
    }
    return status;
}

// Sticking friction of a pair, from what it remembers of the last step.
static iso_status make_stick(iso_stages* s, int index, iso_spatial v_c0) {
    const iso_contact_pair* pair = &s->set.pairs[index];
    const iso_step_input* input = s->input;
    iso_stick_inner* inner = iso_arena_push(&s->stepper->arena, sizeof *inner);
    ISO_REQUIRE(s->stepper->ctx, inner, ISO_ERR_MEMORY, "friction of a contact");
    const iso_pair_memory* memory =
        iso_pair_memory_next(input->memories, input->memory_count, pair->geometry_a,
                             pair->geometry_b, &s->memories_passed);
    iso_pair_memory kept = memory ? *memory : (iso_pair_memory){0};
    kept.kept_slip *= s->span / s->dt; // a share of the slip over the whole step
    const iso_pose* x_wb = iso_stages_start_poses(s);
    // Substeps of unlike lengths share one law.
    s->points[index].law_step = s->stepper->settings.error_control ? SUBSTEP_LAW_STEP : 0.0;
    iso_stick_init(iso_contact_system_options(s->stepper->dynamics.contact), pair,
                   &x_wb[pair->body_a], &x_wb[pair->body_b], memory ? &kept : NULL, v_c0,
                   &s->points[index], inner, &s->sticks[index]);
    s->moving[index].stick = &s->sticks[index];
    return ISO_OK;
}

static iso_point_law point_law(iso_method method) {
    switch (method) {
    case ISO_METHOD_SAP:
        return ISO_POINT_LAW_SAP;
    case ISO_METHOD_SIMILAR:
        return ISO_POINT_LAW_SIMILAR;
    case ISO_METHOD_TAMSI:
        return ISO_POINT_LAW_TAMSI;
    default:
        return ISO_POINT_LAW_LAGGED;
    }
}

// Regularised friction of a pair whose directions Newton's method follows.
static iso_status make_dual(iso_stages* s, int index) {
    iso_slip_dual* dual = iso_arena_push(&s->stepper->arena, sizeof *dual);
    ISO_REQUIRE(s->stepper->ctx, dual, ISO_ERR_MEMORY, "friction of a contact");
    *dual = (iso_slip_dual){0};
    s->moving[index].dual = dual;
    s->inners[s->potential_count] = (iso_inner){&friction_ops, &s->moving[index], NULL, NULL};
    return ISO_OK;
}

static iso_status add_contact(iso_stages* s, int index) {
    iso_stepper* stepper = s->stepper;
    const iso_contact_pair* pair = &s->set.pairs[index];
    const iso_multibody* multibody = stepper->dynamics.multibody;
    iso_point_law law = point_law(stepper->settings.method);
    bool is_free =
        multibody->bodies[pair->body_a].tree >= 0 || multibody->bodies[pair->body_b].tree >= 0;
    iso_potential* potential = &s->potentials[s->potential_count];
    double delassus[36] = {0.0};
    iso_status status = ISO_OK;
    if (is_free) {
        ISO_TRY(make_contact(s, pair, potential));
        ISO_TRY(iso_stages_add_delassus(s, potential->tree_a, potential->jacobian_a, 6, delassus));
        if (potential->tree_b >= 0) {
            ISO_TRY(
                iso_stages_add_delassus(s, potential->tree_b, potential->jacobian_b, 6, delassus));
        }
    }
    iso_spatial belt = iso_surface_twist(stepper->dynamics.contact, &s->kinematics, pair);
    iso_spatial u_c0 = iso_pair_twist(&s->kinematics, pair), v_c0 = iso_spatial_add(u_c0, belt);
    ISO_TRY(iso_compliant_points_build(stepper->dynamics.contact, pair, law, s->dt, v_c0, &u_c0,
                                       delassus, &stepper->arena, &s->points[index]));
    if (s->is_midpoint) {
        iso_compliant_points_rewind(&s->points[index], v_c0, 0.5 * s->span, s->span);
    }
    belt = iso_stages_add_fixed_twist(s, pair->body_a, pair->body_b, pair->p_wc, belt);
    iso_vec3 w = belt.rotational, v = belt.translational;
    s->moving[index] =
        (struct iso_moving_points){&s->points[index], NULL, NULL, {w.x, w.y, w.z, v.x, v.y, v.z}};
    potential->user = &s->moving[index];
    if (s->sticks) {
        ISO_TRY(make_stick(s, index, v_c0));
    }
    if (s->sticks && is_free) {
        potential->ops = &stick_ops;
        iso_stick* stick = &s->sticks[index];
        s->inners[s->potential_count] =
            (iso_inner){&slip_ops, stick, &stick->inner->residual, &stick->inner->slope};
    } else if (is_free && law == ISO_POINT_LAW_LAGGED) {
        ISO_TRY(make_dual(s, index));
    }
    if (s->limits_of && is_free) {
        potential->ops = &tamsi_ops;
        s->limits_of[s->potential_count] = limit_tamsi;
    }
    s->pair_potential[index] = is_free ? s->potential_count++ : -1;
done:
    return status;
}

// Speed a joint may reach in this step without anything in its way.
static double possible_speed(const iso_stages* s, int dof, double mobility) {
    double speed = fmax(fabs(s->input->v[dof]), fabs(s->v_star[dof]));
    return mobility > 0.0 ? speed + s->dt * mobility * iso_stages_driven_effort(s, dof) : speed;
}

// Limits that the joint of a body may reach within two steps. Mobilities are costly: only joints
// near a limit, or drives of unknown reach, need one.
static iso_status find_limits(iso_stages* s, int body_index) {
    const iso_mb_body* body = &s->stepper->dynamics.multibody->bodies[body_index];
    double q = s->input->q[body->q_index];
    int dof = body->v_index;
    double window = 2.0 * s->dt * possible_speed(s, dof, 0.0);
    if (q - window > body->lower && q + window < body->upper && !iso_stages_is_driven(s, dof)) {
        return ISO_OK;
    }
    double mobility = 0.0;
    iso_status status = iso_stages_mobility(s, dof, &mobility);
    if (status != ISO_OK) {
        return status;
    }
    window = fmin(2.0 * s->dt * possible_speed(s, dof, mobility), DBL_MAX);
    if (q - window <= body->lower) {
        s->limits[s->limit_count++] =
            iso_joint_limit_make(dof, 1.0, q - body->lower, mobility, s->dt);
    }
    if (q + window >= body->upper) {
        s->limits[s->limit_count++] =
            iso_joint_limit_make(dof, -1.0, body->upper - q, mobility, s->dt);
    }
    return ISO_OK;
}

void iso_stages_add_joint_potential(iso_stages* s, const iso_potential_ops* ops, const void* user,
                                    int dof) {
    const iso_multibody* multibody = s->stepper->dynamics.multibody;
    int tree = multibody->bodies[multibody->dof_body[dof]].tree;
    iso_potential potential = {ops, user, 1, tree, -1, NULL, NULL, dof};
    s->potentials[s->potential_count++] = potential;
}

static bool stick_is_asked(const iso_stages* s) {
    const iso_stepper* stepper = s->stepper;
    return (stepper->settings.method == ISO_METHOD_LAGGED ||
            stepper->settings.method == ISO_METHOD_MIDPOINT) &&
           stepper->dynamics.contact &&
           iso_contact_system_options(stepper->dynamics.contact)->friction ==
               ISO_FRICTION_MODEL_STICK;
}

static iso_status push_arrays(iso_stages* s) {
    iso_arena* arena = &s->stepper->arena;
    int pairs = s->set.pair_count;
    int joints = 2 * s->stepper->limited_count + iso_stages_drive_count(s->stepper) +
                 iso_stages_tendon_capacity(s->stepper) +
                 iso_stages_constraint_capacity(s->stepper);
    s->points = iso_arena_push_array(arena, pairs, sizeof *s->points);
    s->moving = iso_arena_push_array(arena, pairs, sizeof *s->moving);
    s->pair_potential = iso_arena_push_array(arena, pairs, sizeof *s->pair_potential);
    s->potentials = iso_arena_push_array(arena, pairs + joints + 1, sizeof *s->potentials);
    s->limits = iso_arena_push_array(arena, 2 * s->stepper->limited_count, sizeof *s->limits);
    s->inners = iso_arena_push_array(arena, pairs + joints + 1, sizeof *s->inners);
    ISO_REQUIRE(arena->ctx,
                s->points && s->moving && s->pair_potential && s->potentials && s->limits &&
                    s->inners,
                ISO_ERR_MEMORY, "potentials of %d contacts and %d joints", pairs, joints);
    memset(s->inners, 0, (size_t)(pairs + joints + 1) * sizeof *s->inners);
    if (s->stepper->settings.method == ISO_METHOD_TAMSI) {
        int count = pairs + joints + 1;
        s->limits_of = iso_arena_push_array(arena, count, sizeof *s->limits_of);
        ISO_REQUIRE(arena->ctx, s->limits_of, ISO_ERR_MEMORY, "limits of %d potentials", count);
        memset(s->limits_of, 0, (size_t)count * sizeof *s->limits_of);
    }
    if (stick_is_asked(s)) {
        s->sticks = iso_arena_push_array(arena, pairs, sizeof *s->sticks);
        ISO_REQUIRE(arena->ctx, s->sticks, ISO_ERR_MEMORY, "friction of %d contacts", pairs);
    }
    return ISO_OK;
}

iso_status iso_stage_potentials(iso_stages* s) {
    iso_status status = ISO_OK;
    ISO_TRY(push_arrays(s));
    for (int i = 0; i < s->set.pair_count; ++i) {
        ISO_TRY(add_contact(s, i));
    }
    for (int i = 0; i < s->stepper->limited_count; ++i) {
        ISO_TRY(find_limits(s, s->stepper->limited[i]));
    }
    for (int i = 0; i < s->limit_count; ++i) {
        iso_stages_add_joint_potential(s, &iso_joint_limit_ops, &s->limits[i], s->limits[i].dof);
    }
    ISO_TRY(iso_stages_drive_potentials(s));
    ISO_TRY(iso_stages_tendon_potentials(s));
    ISO_TRY(iso_stage_constraints(s));
done:
    iso_stages_lap(s, 4);
    return status;
}
