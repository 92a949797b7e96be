// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "stepper/tangent/columns.h"

#include "math/dense.h"

#include <math.h>
#include <string.h>

// The Hessian is dense here.
#define MOST_DOFS 400

// Residuals of a column: at h, -h and h / 2. The last tells a kink, and what the first two are off
// by; where these bend by no more than this share it is not needed.
#define STRAIGHT 1e-7
static const double k_sides[ISO_TANGENT_SIDES] = {1.0, -1.0, 0.5};

// A column whose error is larger, by what a step has to do with, is tried again with a step so much
// shorter.
#define GOOD_ERROR 1e-6
#define SHORTER 16.0
#define TRIALS 2

// Hessians next to the base count while the second step towards theirs is at most such a share of
// the first one, or of the change itself.
#define LEAST_GAIN 0.1
#define SMALL_CHANGE 1e-9

static double* push(const iso_tangent_call* t, int count) {
    return iso_arena_push_array(&t->stepper->arena, count, sizeof(double));
}

static iso_status open_tangent(iso_tangent_call* t) {
    bool is_whole = true;
    for (int i = 0; i < ISO_TANGENT_SIDES; ++i) {
        t->q[i] = push(t, t->q_count);
        t->v[i] = push(t, t->v_count);
        t->r[i] = push(t, t->v_count);
        t->controls[i] = iso_arena_push_array(
            &t->stepper->arena, t->stepper->dynamics.actuator_count, sizeof *t->controls[i]);
        is_whole = is_whole && t->q[i] && t->v[i] && t->r[i] && t->controls[i];
    }
    iso_arena* arena = &t->stepper->arena;
    int trees = t->stepper->dynamics.multibody->tree_count;
    int columns = iso_tangent_column_count(t);
    t->islands = iso_arena_push_array(arena, trees, sizeof *t->islands);
    t->is_taken = iso_arena_push_array(arena, trees, sizeof *t->is_taken);
    t->is_changed = iso_arena_push_array(arena, trees, sizeof *t->is_changed);
    t->is_lost = iso_arena_push_array(arena, trees, sizeof *t->is_lost);
    t->is_done = iso_arena_push_array(arena, columns, sizeof *t->is_done);
    t->group = iso_arena_push_array(arena, columns, sizeof *t->group);
    t->bent = iso_arena_push_array(arena, columns, sizeof *t->bent);
    t->is_bent = iso_arena_push_array(arena, t->v_count, sizeof *t->is_bent);
    is_whole = is_whole && t->bent && t->is_bent && t->islands && t->is_taken && t->is_changed &&
               t->is_lost && t->is_done && t->group;
    if (is_whole && columns > 0) {
        memset(t->is_done, 0, (size_t)columns * sizeof *t->is_done);
    }
    if (is_whole && trees > 0) {
        memset(t->is_lost, 0, (size_t)trees * sizeof *t->is_lost);
    }
    t->delta = push(t, t->v_count);
    t->error = push(t, t->v_count);
    t->whole = push(t, t->v_count);
    t->kinks = push(t, t->v_count);
    t->scratch = push(t, t->v_count);
    t->column = push(t, 2 * t->v_count);
    for (int i = 0; i <= ISO_CONVEX_MOST_FOLLOWED; ++i) {
        t->dv[i] = push(t, t->v_count);
        t->now[i] = push(t, t->v_count);
        is_whole = is_whole && t->dv[i] && t->now[i];
    }
    is_whole = is_whole && t->delta && t->error && t->whole && t->kinks && t->scratch && t->column;
    ISO_REQUIRE(t->stepper->ctx, is_whole, ISO_ERR_MEMORY, "derivative of a step");
    return ISO_OK;
}

// The input changed along all columns of a group, each by its own step times a share.
static iso_step_input change(const iso_tangent_call* t, const int* group, int count, int side,
                             double share) {
    iso_step_input input = *t->input;
    int actuators = t->stepper->dynamics.actuator_count;
    memcpy(t->v[side], input.v, (size_t)t->v_count * sizeof(double));
    if (actuators > 0) {
        memcpy(t->controls[side], input.actuations, (size_t)actuators * sizeof *t->controls[side]);
    }
    memset(t->delta, 0, (size_t)t->v_count * sizeof *t->delta);
    for (int i = 0; i < count; ++i) {
        int column = group[i], control = column - 2 * t->v_count;
        double h = share * iso_tangent_step(t, column);
        if (column < t->v_count) {
            t->delta[column] = h;
        } else if (control < 0) {
            t->v[side][column - t->v_count] += h;
        } else if (column < iso_tangent_first_parameter(t)) {
            iso_actuation* a = &t->controls[side][control / 3];
            double* numbers[] = {&a->feed_forward, &a->position, &a->velocity};
            *numbers[control % 3] += h;
        }
    }
    iso_multibody_integrate(t->stepper->dynamics.multibody, input.q, t->delta, 1.0, t->q[side]);
    input.q = t->q[side];
    input.v = t->v[side];
    input.actuations = t->controls[side];
    return input;
}

// Half the differences of two new states, in the coordinates of v.
static void state_difference(iso_tangent_call* t) {
    const iso_multibody* multibody = t->stepper->dynamics.multibody;
    double *above = t->delta, *out = t->column;
    const double* now = t->chain.bases[t->chain.count - 1].stages.q;
    const iso_stages* sides = t->sides;
    iso_multibody_difference(multibody, now, sides[0].q, above);
    iso_multibody_difference(multibody, now, sides[1].q, out);
    for (int i = 0; i < t->v_count; ++i) {
        out[i] = 0.5 * (above[i] - out[i]);
        out[t->v_count + i] = 0.5 * (sides[0].end_v[i] - sides[1].end_v[i]);
    }
}

// How far dv of a problem may be off: where the Hessian does not hold along it, and where the
// residual at h / 2 is not on the parabola through the others. A kink K |x| is K h / 4 off there,
// and K that from which central differences choose; a cubic is 3/8 of what they are off by.
// Without a residual there, all of the bend may be a kink. What follows is off by it, too.
static void add_errors(iso_tangent_call* t, int problem, const double* dv) {
    const iso_tangent_base* base = &t->chain.bases[problem];
    double *kept = t->delta, *error = t->scratch;
    iso_tangent_check(base, dv, kept);
    for (int i = 0; i < t->v_count; ++i) {
        double above = t->r[0][i], below = t->r[1][i], now = t->now[problem][i];
        double bend = above + below - 2.0 * now;
        double parabola = now + 0.25 * (above - below) + 0.125 * bend;
        kept[i] = fabs(kept[i]);
        error[i] =
            t->has_half && t->is_bent[i] ? 4.0 * fabs(t->r[2][i] - parabola) : 0.5 * fabs(bend);
    }
    iso_cholesky_solve(base->factor, t->v_count, t->v_count, kept);
    iso_cholesky_solve(base->factor, t->v_count, t->v_count, error);
    for (int i = 0; i < t->v_count; ++i) {
        t->whole[i] += fabs(kept[i] + error[i]);
        t->error[i] += fabs(error[i]);
    }
}

// A column is what its island has of the group's. Kept where its error is smaller than before.
// Returns whether a shorter step may mend it.
static bool take_column(const iso_tangent_call* t, int column, double share,
                        iso_tangent_output* output) {
    int island = iso_tangent_column_island(t, column);
    double* out = output->columns + (size_t)column * 2 * (size_t)t->v_count;
    double h = share * iso_tangent_step(t, column), error = 0.0, whole = 0.0, size = 1.0;
    for (int i = 0; i < t->v_count; ++i) {
        if (island < 0 || iso_tangent_dof_island(t, i) == island) {
            error = fmax(error, t->error[i] / h);
            whole = fmax(whole, t->whole[i] / h);
            size = fmax(size, fmax(fabs(t->column[i]), fabs(t->column[t->v_count + i])) / h);
        }
    }
    bool is_mendable = error / size > GOOD_ERROR;
    if (!(whole / size < output->errors[column])) {
        return is_mendable;
    }
    output->errors[column] = whole / size;
    for (int i = 0; i < t->v_count; ++i) {
        bool is_own = island < 0 || iso_tangent_dof_island(t, i) == island;
        out[i] = is_own ? t->column[i] / h : 0.0;
        out[t->v_count + i] = is_own ? t->column[t->v_count + i] / h : 0.0;
    }
    return is_mendable;
}

// Whether the residuals of an island above and below lie on a straight line with that between.
static bool is_straight(const iso_tangent_call* t, int problem, int island) {
    const double* now = t->now[problem];
    double bend = 0.0, slope = 0.0;
    for (int i = 0; i < t->v_count; ++i) {
        if (island < 0 || iso_tangent_dof_island(t, i) == island) {
            double above = t->r[0][i], below = t->r[1][i];
            bend = fmax(bend, fabs(above + below - 2.0 * now[i]));
            slope = fmax(slope, fabs(above - below));
        }
    }
    return bend <= STRAIGHT * slope;
}

// Columns of a group that do not. Of a chain of problems all do not where one does not: what comes
// later may bend yet.
static void find_bent(iso_tangent_call* t, int problem, const int* group, int count) {
    t->bent_count = 0;
    for (int k = 0; k < count; ++k) {
        if (!is_straight(t, problem, iso_tangent_column_island(t, group[k]))) {
            t->bent[t->bent_count++] = group[k];
        }
    }
    if (t->bent_count > 0 && t->chain.count > 1) {
        memcpy(t->bent, group, (size_t)count * sizeof *group);
        t->bent_count = count;
    }
    for (int i = 0; i < t->v_count; ++i) {
        t->is_bent[i] = false;
        for (int k = 0; k < t->bent_count && !t->is_bent[i]; ++k) {
            int island = iso_tangent_column_island(t, t->bent[k]);
            t->is_bent[i] = island < 0 || island == iso_tangent_dof_island(t, i);
        }
    }
}

// Have the parameter of a group, which has one column then, differ by a share of its step.
static iso_status vary(const iso_tangent_call* t, const int* group, double share) {
    int parameter = group[0] - iso_tangent_first_parameter(t);
    return parameter < 0
               ? ISO_OK
               : t->steps->vary(t->steps->user, parameter, share * iso_tangent_step(t, group[0]));
}

static double largest(const iso_tangent_call* t, const double* x) {
    double size = 0.0;
    for (int i = 0; i < t->v_count; ++i) {
        size = fmax(size, fabs(x[i]));
    }
    return size;
}

// Two steps of Newton's towards what the Hessians next to the base give; off by the second at most.
// False: these are too different.
static bool correct(iso_tangent_call* t, const iso_tangent_base* base, double* dv) {
    double *first = t->delta, *second = t->scratch;
    double size = largest(t, dv);
    iso_tangent_other_hessians(base, t->near, dv, first);
    iso_cholesky_solve(base->factor, t->v_count, t->v_count, first);
    iso_tangent_other_hessians(base, t->near, first, second);
    iso_cholesky_solve(base->factor, t->v_count, t->v_count, second);
    for (int i = 0; i < t->v_count; ++i) {
        dv[i] += second[i] - first[i];
        t->error[i] += fabs(second[i]);
        t->whole[i] += fabs(second[i]);
    }
    return largest(t, second) <= fmax(LEAST_GAIN * largest(t, first), SMALL_CHANGE * size);
}

// Whether a group changes patches, or what else than velocities and controls.
static bool is_found_anew(const iso_tangent_call* t, const int* group) {
    return group[0] < t->v_count || group[0] >= iso_tangent_first_parameter(t);
}

// Whether a group changes efforts alone, which contacts know nothing of until they follow.
static bool keeps_contacts(const iso_tangent_call* t, const int* group, int count) {
    bool is_kept = t->chain.count == 1;
    for (int i = 0; i < count; ++i) {
        int control = group[i] - 2 * t->v_count;
        is_kept = is_kept && control >= 0 && group[i] < iso_tangent_first_parameter(t) &&
                  !iso_actuator_is_adhesion(&t->stepper->dynamics.actuators[control / 3]);
    }
    return is_kept;
}

// Whether a group changes trees alone, so that contacts of others stay, until they follow.
static bool keeps_some(const iso_tangent_call* t, const int* group) {
    return t->chain.count == 1 && group[0] < 2 * t->v_count;
}

// Trees whose positions or velocities a group changes.
static void mark_changed(const iso_tangent_call* t, const int* group, int count) {
    const iso_multibody* multibody = t->stepper->dynamics.multibody;
    memset(t->is_changed, 0, (size_t)multibody->tree_count * sizeof *t->is_changed);
    for (int i = 0; i < count; ++i) {
        if (group[i] < 2 * t->v_count) {
            t->is_changed[multibody->bodies[multibody->dof_body[group[i] % t->v_count]].tree] =
                true;
        }
    }
}

static iso_status open_side(iso_tangent_call* t, const int* group, int count, int side,
                            double share) {
    iso_stages* base = &t->chain.bases[0].stages;
    bool is_known = keeps_contacts(t, group, count) || keeps_some(t, group);
    const iso_tangent_shared shared = {.contacts = is_found_anew(t, group) ? NULL : &base->set,
                                       .like = is_known ? base : NULL,
                                       .changed = t->is_changed};
    iso_step_input input = change(t, group, count, side, k_sides[side] * share);
    iso_status status = vary(t, group, k_sides[side] * share);
    ISO_TRY(status);
    ISO_TRY(iso_tangent_stages(t->stepper, &input, &shared, &t->sides[side]));
    ISO_TRY(iso_stage_push_state(&t->sides[side]));
done:
    return status;
}

static bool find_residual(iso_tangent_call* t, int problem, int side) {
    bool is_found =
        iso_tangent_residual(&t->chain.bases[problem], &t->sides[side], t->r[side], &t->near[side]);
    t->is_open = t->is_open || !is_found;
    return is_found;
}

// What the solution of a problem is on a side, in t->sides[side].v.
static void move_velocity(const iso_tangent_call* t, int problem, int side) {
    for (int i = 0; i < t->v_count; ++i) {
        t->sides[side].v[i] = t->chain.bases[problem].v[i] + k_sides[side] * t->dv[problem][i];
    }
}

// From a problem on to the next one: friction bound by the impulses of its solution.
static iso_status follow(iso_tangent_call* t, const int* group, int problem, int side,
                         double share) {
    iso_status status = vary(t, group, k_sides[side] * share);
    if (status == ISO_OK) {
        move_velocity(t, problem, side);
        iso_tangent_side_follow(&t->near[side], problem, t->sides[side].v, t->kinks);
    }
    return status;
}

// The side at h / 2, up to a problem.
static iso_status open_half(iso_tangent_call* t, int problem, double share) {
    const int* group = t->bent;
    mark_changed(t, group, t->bent_count);
    iso_status status = open_side(t, group, t->bent_count, 2, share);
    for (int k = 0; k < problem && status == ISO_OK; ++k) {
        t->has_half = find_residual(t, k, 2);
        status = t->has_half ? follow(t, group, k, 2, share) : status;
    }
    return status;
}

// dv of one problem, by differences of its residual where the solution rests; false: there is none.
static iso_status pass_problem(iso_tangent_call* t, const int* group, int count, int problem,
                               double share, bool* out_is_whole) {
    const iso_tangent_base* base = &t->chain.bases[problem];
    double* dv = t->dv[problem];
    iso_status status = ISO_OK;
    *out_is_whole = find_residual(t, problem, 0) && find_residual(t, problem, 1);
    if (!*out_is_whole) {
        return ISO_OK;
    }
    for (int i = 0; i < t->v_count; ++i) {
        dv[i] = 0.5 * (t->r[1][i] - t->r[0][i]);
    }
    iso_cholesky_solve(base->factor, t->v_count, t->v_count, dv);
    *out_is_whole = !is_found_anew(t, group) || correct(t, base, dv);
    if (!*out_is_whole) {
        if (count == 1) {
            iso_tangent_lose_column(t, group[0]);
        }
        return ISO_OK;
    }
    if (!t->has_half) {
        find_bent(t, problem, group, count);
        t->has_half = t->bent_count > 0;
        ISO_TRY(t->has_half ? open_half(t, problem, share) : ISO_OK);
    }
    if (t->has_half) {
        *out_is_whole = find_residual(t, problem, 2);
    }
    add_errors(t, problem, dv);
    bool may_follow = problem < ISO_CONVEX_MOST_FOLLOWED && !keeps_contacts(t, group, count);
    for (int i = 0; i < (t->has_half ? 3 : 2) && may_follow; ++i) {
        ISO_TRY(follow(t, group, problem, i, share));
    }
done:
    return status;
}

// Differences of the residuals, problem by problem, then of the state that goes with the last one.
// @param[in,out] group, columns  afterwards those that a shorter step may mend; all where none is
// found
static iso_status try_group(iso_tangent_call* t, int* group, int* columns, double share,
                            iso_tangent_output* output, bool* out_is_whole) {
    iso_status status = ISO_OK;
    int count = *columns;
    t->has_half = false;
    mark_changed(t, group, count);
    memset(t->whole, 0, (size_t)t->v_count * sizeof *t->whole);
    memset(t->error, 0, (size_t)t->v_count * sizeof *t->error);
    memset(t->kinks, 0, (size_t)t->v_count * sizeof *t->kinks);
    for (int i = 0; i < 2; ++i) {
        ISO_TRY(open_side(t, group, count, i, share));
    }
    for (int k = 0; k < t->chain.count; ++k) {
        ISO_TRY(pass_problem(t, group, count, k, share, out_is_whole));
        if (!*out_is_whole) {
            return ISO_OK;
        }
    }
    for (int i = 0; i < 2; ++i) {
        move_velocity(t, t->chain.count - 1, i);
        ISO_TRY(vary(t, group, k_sides[i] * share)); // masses carry momenta on
        ISO_TRY(iso_stage_move(&t->sides[i]));
    }
    state_difference(t);
    for (int i = 0; i < t->v_count; ++i) {
        double kink = fabs(t->kinks[i] * t->dv[t->chain.count - 1][i]);
        t->error[i] += kink;
        t->whole[i] += kink;
    }
    *columns = 0;
    for (int i = 0; i < count; ++i) {
        if (take_column(t, group[i], share, output)) {
            group[(*columns)++] = group[i];
        }
    }
done:
    return status;
}

// Where steps meet a kink, shorter ones may lie on one side of it. A group in which some column has
// none is left as it is.
static iso_status find_group(iso_tangent_call* t, int* group, int count, iso_tangent_output* output,
                             bool* out_is_whole) {
    iso_arena* arena = &t->stepper->arena;
    iso_arena_mark mark = iso_arena_get_mark(arena);
    double share = 1.0;
    iso_status status = ISO_OK;
    *out_is_whole = true;
    for (int k = 0; k < TRIALS && count > 0; ++k, share /= SHORTER) {
        status = try_group(t, group, &count, share, output, out_is_whole);
        iso_status restored = vary(t, group, 0.0);
        status = status == ISO_OK ? restored : status;
        iso_arena_release(arena, mark);
        if (status != ISO_OK || t->is_open || (count > 1 && !*out_is_whole)) {
            break;
        }
    }
    return status;
}

// Of a group in which some column has no derivative, each on its own.
static iso_status find_columns(iso_tangent_call* t, int* group, int count,
                               iso_tangent_output* output) {
    bool is_whole = false;
    iso_status status = find_group(t, group, count, output, &is_whole);
    for (int i = 0; i < count && count > 1 && !is_whole && !t->is_open && status == ISO_OK; ++i) {
        bool has_one = false;
        status = find_group(t, &group[i], 1, output, &has_one);
    }
    return status;
}

static const char* find_reason(const iso_stepper* stepper) {
    const iso_method_row* method = stepper->method;
    if (!iso_stepper_is_velocity_level(stepper->settings.method) || method->takes_the_middle ||
        method->law == ISO_DISCRETE_TAMSI) {
        return "the method is none of lagged, sap, similar";
    }
    if (stepper->settings.error_control) {
        return "the step has error control";
    }
    return stepper->dynamics.multibody->v_count > MOST_DOFS
               ? "there are more than 400 degrees of freedom"
               : NULL;
}

static iso_status differentiate(iso_tangent_call* t, iso_tangent_output* output) {
    iso_status status = ISO_OK;
    ISO_TRY(open_tangent(t));
    ISO_TRY(iso_tangent_chain_find(t->stepper, t->input, &t->chain, &output->reason));
    if (output->reason) {
        return ISO_OK;
    }
    for (int i = 0; i < t->chain.count && !output->reason; ++i) {
        const iso_tangent_base* base = &t->chain.bases[i];
        if (!iso_tangent_residual(base, &base->stages, t->now[i], NULL)) {
            output->reason = "the solution has no residual";
        }
    }
    iso_tangent_find_islands(t);
    iso_tangent_leave_out_targets(t);
    for (int count = 1; count > 0 && !output->reason;) {
        count = iso_tangent_next_group(t, t->group);
        ISO_TRY(count > 0 ? find_columns(t, t->group, count, output) : ISO_OK);
    }
    iso_tangent_clear_lost(t, output);
    if (!output->reason) {
        iso_tangent_put_targets(t, output);
        output->reason = iso_tangent_is_complete(t, output)
                             ? NULL
                             : "a contact opens, closes or turns flat near by";
    }
done:
    return status;
}

iso_status iso_stepper_differentiate(iso_stepper* stepper, const iso_step_input* input,
                                     const iso_tangent_steps* steps, iso_tangent_output* output) {
    const iso_multibody* multibody = stepper->dynamics.multibody;
    iso_tangent_call t = {.stepper = stepper,
                          .input = input,
                          .steps = steps,
                          .q_count = multibody->q_count,
                          .v_count = multibody->v_count};
    iso_tangent_clear_output(&t, output);
    output->reason = find_reason(stepper);
    if (output->reason) {
        return ISO_OK;
    }
    iso_status status = iso_arena_reset(&stepper->arena);
    if (status != ISO_OK) {
        return status;
    }
    stepper->rest.is_found = false; // its arrays go
    status = differentiate(&t, output);
    if (stepper->dynamics.contact) {
        iso_contact_system_hold_kept(stepper->dynamics.contact, NULL);
    }
    return status;
}
