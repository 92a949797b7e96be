// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "isobar/linearize.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "base/system/task_pool.h"
#include "isobar/dynamics.h"
#include "isobar/state.h"
#include "learn/tangent.h"

#include <math.h>
#include <string.h>

/// Steps of a column: h, h/2, h/4.
enum { k_level_count = 3 };

/// A column whose error is larger is tried again with steps so much shorter.
enum { k_trial_count = 3 };
static const double k_good_error = 1e-7;
static const double k_shorter = 16.0;

/// A call under way.
typedef struct linearization {
    const iso_world* world;
    iso_linearize_desc desc;
    int q_count, v_count, actuator_count;
    int column_count;        ///< of (A B)
    double *q, *v;           ///< the state
    double *next_q, *next_v; ///< that of the unchanged world, from which differences count
    double* columns;         ///< [column_count * 2 v_count], of parameters last
    double* errors;          ///< [column_count]
    iso_status* statuses;    ///< [column_count]
    iso_world** clones;      ///< [thread_count]
    void** states;           ///< [thread_count] the state, as saved
    size_t state_size;       ///<
    double** scratch;        ///< [thread_count] of worker_room() numbers
} linearization;

static size_t worker_room(const linearization* l) {
    return (size_t)l->q_count + (size_t)(6 + k_level_count) * 2 * (size_t)l->v_count;
}

static int first_parameter(const linearization* l) {
    return 2 * l->v_count + 3 * l->actuator_count;
}

iso_linearize_desc iso_linearize_desc_default(void) {
    return (iso_linearize_desc){.position_step = 1e-6,
                                .velocity_step = 1e-4,
                                .control_step = 1e-3,
                                .parameter_step = 1e-3,
                                .step_count = 1,
                                .thread_count = 1};
}

// --- one column ----------------------------------------------------------------------------------

static double step_of(const linearization* l, int column) {
    if (column < l->v_count) {
        return l->desc.position_step;
    }
    if (column < 2 * l->v_count) {
        return l->desc.velocity_step;
    }
    if (column >= first_parameter(l)) {
        return iso_linearize_parameter_step(&l->desc, column - first_parameter(l));
    }
    const double steps[] = {l->desc.control_step, l->desc.position_step, l->desc.velocity_step};
    return steps[(column - 2 * l->v_count) % 3];
}

/// Put a clone into the state, changed by h along a column.
static iso_status change(const linearization* l, iso_world* clone, int worker, int column, double h,
                         double* q, double* delta) {
    iso_status status = iso_world_restore(clone, l->states[worker], l->state_size);
    if (status != ISO_OK) {
        return status;
    }
    int parameter = column - first_parameter(l);
    if (l->desc.parameter_count > 0) { // a column before may have been one of another
        const iso_world_parameter* varied = &l->desc.parameters[parameter > 0 ? parameter : 0];
        status = iso_world_vary(clone, varied, parameter >= 0 ? h : 0.0);
        if (status != ISO_OK || parameter >= 0) {
            return status;
        }
    }
    memset(delta, 0, (size_t)l->v_count * sizeof *delta);
    if (column < l->v_count) {
        memcpy(q, l->q, (size_t)l->q_count * sizeof *q);
        delta[column] = h;
        iso_tangent_move(clone, delta, q);
        return iso_world_set_state(clone, q, NULL);
    }
    if (column < 2 * l->v_count) {
        memcpy(delta, l->v, (size_t)l->v_count * sizeof *delta);
        delta[column - l->v_count] += h;
        return iso_world_set_state(clone, NULL, delta);
    }
    int control = column - 2 * l->v_count;
    iso_actuation actuation = iso_world_actuation(clone, control / 3);
    double* numbers[] = {&actuation.feed_forward, &actuation.position, &actuation.velocity};
    *numbers[control % 3] += h;
    return iso_world_set_actuation(clone, control / 3, &actuation);
}

/// The next state from the changed one, as a difference from that of the unchanged one.
static iso_status evaluate(const linearization* l, int worker, int column, double h,
                           double* scratch, double* out) {
    iso_world* clone = l->clones[worker];
    double *q = scratch, *delta = scratch + l->q_count;
    iso_status status = change(l, clone, worker, column, h, q, delta);
    for (int i = 0; i < l->desc.step_count && status == ISO_OK; ++i) {
        status = iso_world_step(clone);
    }
    if (status == ISO_OK) {
        status = iso_world_get_state(clone, q, out + l->v_count);
    }
    if (status == ISO_OK) {
        iso_tangent_difference(clone, l->next_q, q, out);
    }
    return status;
}

/// Richardson's table of central differences: errors of h^2 and h^4 go, those of h^6 stay.
static void extrapolate(const double* d0, const double* d1, const double* d2, int count,
                        double* out, double* out_error) {
    double change = 0.0, size = 1.0;
    for (int i = 0; i < count; ++i) {
        double e0 = (4.0 * d1[i] - d0[i]) / 3.0, e1 = (4.0 * d2[i] - d1[i]) / 3.0;
        out[i] = (16.0 * e1 - e0) / 15.0;
        change = fmax(change, fabs(e1 - e0));
        size = fmax(size, fabs(out[i]));
    }
    *out_error = change / size;
}

/// What f(h) + f(-h) - 2 f(0) has that is of first order in h: the kink of f at 0, which central
/// differences alone do not see. @param bend  [count] of the step 2 h; becomes that of h
static double find_kink(const linearization* l, const double* above, const double* below, double h,
                        double* bend) {
    double kink = 0.0;
    for (int i = 0; i < 2 * l->v_count; ++i) {
        double now = i < l->v_count ? 0.0 : l->next_v[i - l->v_count];
        double bent = (above[i] - now) + (below[i] - now);
        kink = fmax(kink, fabs(4.0 * bent - bend[i]) / (2.0 * h));
        bend[i] = bent;
    }
    return kink;
}

/// Central differences with steps from h on. @param scratch  [q_count + 16 v_count]
static iso_status differentiate(const linearization* l, int column, int worker, double h,
                                double* scratch, double* out, double* out_error) {
    int count = 2 * l->v_count;
    double* above = scratch + l->q_count + 2 * count;
    double *below = above + count, *bend = below + count, *levels = bend + count;
    double kink = 0.0, size = 1.0;
    for (int level = 0; level < k_level_count; ++level, h *= 0.5) {
        double* d = levels + (size_t)level * (size_t)count;
        iso_status status = evaluate(l, worker, column, h, scratch, above);
        if (status == ISO_OK) {
            status = evaluate(l, worker, column, -h, scratch, below);
        }
        if (status != ISO_OK) {
            return status;
        }
        kink = find_kink(l, above, below, h, bend); // the last one counts
        for (int i = 0; i < count; ++i) {
            d[i] = (above[i] - below[i]) / (2.0 * h);
            size = fmax(size, fabs(d[i]));
        }
    }
    extrapolate(levels, levels + count, levels + 2 * count, count, out, out_error);
    *out_error = fmax(*out_error, kink / size);
    return ISO_OK;
}

/// A column that is not known yet. Where steps meet a kink, shorter ones may lie on one side of it.
static void find_column(void* user, int column, int worker) {
    linearization* l = user;
    int count = 2 * l->v_count;
    double* scratch = l->scratch[worker];
    double* trial = scratch + l->q_count + 8 * count; // behind what differentiate() uses
    double* out = l->columns + (size_t)column * (size_t)count;
    double h = step_of(l, column);
    l->statuses[column] = ISO_OK;
    if (isfinite(l->errors[column])) {
        return;
    }
    for (int i = 0; i < k_trial_count && l->errors[column] > k_good_error; ++i, h /= k_shorter) {
        double error = 0.0;
        l->statuses[column] = differentiate(l, column, worker, h, scratch, trial, &error);
        if (l->statuses[column] != ISO_OK) {
            return;
        }
        if (error < l->errors[column]) {
            l->errors[column] = error;
            memcpy(out, trial, (size_t)count * sizeof *out);
        }
    }
}

// --- all of them ---------------------------------------------------------------------------------

static iso_status check_desc(iso_context* ctx, const iso_linearize_desc* d) {
    const double steps[] = {d->position_step, d->velocity_step, d->control_step, d->parameter_step};
    static const char* const k_names[] = {"position", "velocity", "control", "parameter"};
    for (int i = 0; i < 4; ++i) {
        ISO_REQUIRE(ctx, isfinite(steps[i]) && steps[i] > 0.0, ISO_ERR_RANGE,
                    "the %s step is %g, expected > 0", k_names[i], steps[i]);
    }
    ISO_REQUIRE(ctx, d->step_count >= 1, ISO_ERR_RANGE, "%d time steps, expected >= 1",
                d->step_count);
    ISO_REQUIRE(ctx, d->parameter_count == 0 || (d->parameter_count > 0 && d->parameters != NULL),
                ISO_ERR_ARGUMENT, "%d parameters, expected an array of them", d->parameter_count);
    ISO_REQUIRE(ctx, d->thread_count >= 1 && d->thread_count <= 256, ISO_ERR_RANGE,
                "thread count is %d, expected in [1, 256]", d->thread_count);
    return ISO_OK;
}

static iso_status open_all(linearization* l, iso_context* ctx) {
    int threads = l->desc.thread_count;
    l->q = iso_alloc_array(ctx, l->q_count, sizeof(double));
    l->v = iso_alloc_array(ctx, l->v_count, sizeof(double));
    l->next_q = iso_alloc_array(ctx, l->q_count, sizeof(double));
    l->next_v = iso_alloc_array(ctx, l->v_count, sizeof(double));
    l->columns = iso_alloc_array(ctx, l->column_count, 2 * (size_t)l->v_count * sizeof(double) + 1);
    l->errors = iso_alloc_array(ctx, l->column_count, sizeof(double));
    l->statuses = iso_alloc_array(ctx, l->column_count, sizeof *l->statuses);
    l->clones = iso_alloc_array(ctx, threads, sizeof(iso_world*));
    l->states = iso_alloc_array(ctx, threads, sizeof(void*));
    l->scratch = iso_alloc_array(ctx, threads, sizeof(double*));
    ISO_REQUIRE(ctx,
                l->q && l->v && l->next_q && l->next_v && l->columns && l->errors && l->statuses &&
                    l->clones && l->states && l->scratch,
                ISO_ERR_MEMORY, "out of memory for a linearisation");
    size_t room = iso_world_state_size(l->world);
    for (int i = 0; i < threads; ++i) {
        l->scratch[i] = iso_alloc(ctx, worker_room(l) * sizeof(double));
        l->states[i] = iso_alloc(ctx, room);
        ISO_REQUIRE(ctx, l->scratch[i] && l->states[i], ISO_ERR_MEMORY,
                    "out of memory for a linearisation");
        iso_status status = iso_world_clone(l->world, &l->clones[i]);
        if (status == ISO_OK) {
            status = iso_world_save(l->world, l->states[i], room, &l->state_size);
        }
        if (status != ISO_OK) {
            return status;
        }
    }
    return iso_world_get_state(l->world, l->q, l->v);
}

static void close_all(linearization* l, iso_context* ctx) {
    for (int i = 0; i < l->desc.thread_count; ++i) {
        if (l->clones != NULL) {
            iso_world_destroy(l->clones[i]);
        }
        iso_free(ctx, l->states != NULL ? l->states[i] : NULL);
        iso_free(ctx, l->scratch != NULL ? l->scratch[i] : NULL);
    }
    void* const arrays[] = {l->q,      l->v,        l->next_q, l->next_v, l->columns,
                            l->errors, l->statuses, l->clones, l->states, l->scratch};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i) {
        iso_free(ctx, arrays[i]);
    }
}

static iso_status find_next(linearization* l) {
    iso_world* clone = l->clones[0];
    iso_status status = ISO_OK;
    for (int i = 0; i < l->desc.step_count && status == ISO_OK; ++i) {
        status = iso_world_step(clone);
    }
    return status == ISO_OK ? iso_world_get_state(clone, l->next_q, l->next_v) : status;
}

// By the derivative of the step itself; a reason: columns whose errors are infinite have none.
static iso_status find_implicitly(linearization* l, const char** out_reason) {
    for (int i = 0; i < l->column_count; ++i) {
        l->errors[i] = INFINITY;
    }
    if (l->desc.differences) {
        *out_reason = "differences are asked for";
        return ISO_OK;
    }
    if (l->desc.step_count > 1) {
        *out_reason = "there are several steps, between which contacts remember";
        return ISO_OK;
    }
    return iso_world_differentiate_step(l->clones[0], &l->desc, l->columns, l->errors, out_reason);
}

static iso_status find_by_differences(linearization* l, iso_context* ctx) {
    iso_task_pool* pool = NULL;
    for (int i = 0; i < l->desc.thread_count; ++i) {
        iso_world_solve_closely(l->clones[i]);
    }
    iso_status status = find_next(l);
    if (status != ISO_OK) {
        return status;
    }
    ISO_TRY(iso_task_pool_create(ctx, l->desc.thread_count, &pool));
    iso_task_pool_run(pool, l->column_count, find_column, l);
    for (int i = 0; i < l->column_count; ++i) {
        ISO_TRY(l->statuses[i]); // the message is that of one of those that failed
    }
done:
    iso_task_pool_destroy(pool);
    return status;
}

static void hand_over(const linearization* l, double* out_a, double* out_b, double* out_errors) {
    int rows = 2 * l->v_count, controls = 3 * l->actuator_count;
    int parameters = l->desc.parameter_count;
    double* out_p = l->desc.out_parameters;
    for (int i = 0; i < rows; ++i) {
        for (int k = 0; out_a != NULL && k < rows; ++k) {
            out_a[(size_t)i * (size_t)rows + (size_t)k] =
                l->columns[(size_t)k * (size_t)rows + (size_t)i];
        }
        for (int k = 0; out_b != NULL && k < controls; ++k) {
            out_b[(size_t)i * (size_t)controls + (size_t)k] =
                l->columns[(size_t)(rows + k) * (size_t)rows + (size_t)i];
        }
        for (int k = 0; out_p != NULL && k < parameters; ++k) {
            out_p[(size_t)i * (size_t)parameters + (size_t)k] =
                l->columns[(size_t)(rows + controls + k) * (size_t)rows + (size_t)i];
        }
    }
    if (out_errors != NULL) {
        memcpy(out_errors, l->errors, (size_t)l->column_count * sizeof *out_errors);
    }
}

iso_status iso_world_linearize(const iso_world* world, const iso_linearize_desc* desc,
                               double* out_a, double* out_b, double* out_errors) {
    ISO_REQUIRE(NULL, world != NULL, ISO_ERR_ARGUMENT, "world is required");
    iso_context* ctx = iso_world_context(world);
    linearization l = {.world = world,
                       .desc = desc != NULL ? *desc : iso_linearize_desc_default(),
                       .q_count = iso_world_q_count(world),
                       .v_count = iso_world_v_count(world),
                       .actuator_count = iso_world_actuator_count(world)};
    iso_status status = check_desc(ctx, &l.desc);
    if (status != ISO_OK) {
        return status;
    }
    l.column_count = first_parameter(&l) + l.desc.parameter_count;
    const char* reason = NULL;
    ISO_TRY(open_all(&l, ctx));
    ISO_TRY(find_implicitly(&l, &reason));
    if (reason != NULL) {
        ISO_TRY(find_by_differences(&l, ctx));
    }
    hand_over(&l, out_a, out_b, out_errors);
    if (l.desc.reason != NULL) {
        *l.desc.reason = reason;
    }

done:
    close_all(&l, ctx);
    return status;
}
