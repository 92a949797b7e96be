// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// CVODE of SUNDIALS behind ode.h: backward differentiation formulas of order 1 to 5, with a dense
// Jacobian. It takes memory from the heap. Built where SUNDIALS was found.

#if defined(ISO_HAS_CVODE)

#include "integrator/ode_parts.h"

#include "base/core/fail.h"

#include <cvode/cvode.h>
#include <float.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_newton.h>

#define MOST_STEPS 100000
// Share of the accuracy by which a step may err.
#define STEP_SHARE 0.1
// Iterations of Newton's method; what so many roundings of y lack is solved, and what does not
// shrink by this factor does not converge.
#define MOST_ITERATIONS 6
#define ROUNDINGS 4.0
#define SLOWEST 0.9
#define MESSAGE_SIZE 256

typedef struct solver {
    iso_context* ctx;
    const iso_ode_problem* problem;
    iso_ode_report* report;
    double accuracy;
    double *weights, *scratch, *jacobian, *projected; // in the caller's work
    SUNContext sundials;
    void* cvode;
    N_Vector y, kept, tolerances, lack;
    SUNMatrix matrix;
    SUNLinearSolver linear;
    SUNNonlinearSolver newton;
    double last_lack;           // of Newton's last iteration
    iso_status callback_status; // not ISO_OK: of a callback, to be returned
    int bad;
    char message[MESSAGE_SIZE];
} solver;

static size_t work_size(const iso_ode_problem* problem) {
    size_t d = (size_t)problem->dimension, n = (size_t)iso_ode_feedback(problem);
    return (4 * d + n * n) * sizeof(double);
}

static void note_error(int code, const char* module, const char* function, char* text, void* user) {
    (void)code;
    (void)module;
    (void)function;
    solver* s = user;
    snprintf(s->message, sizeof s->message, "%s", text);
}

static int rhs(realtype t, N_Vector y, N_Vector out, void* user) {
    solver* s = user;
    int d = s->problem->dimension;
    const double* values = N_VGetArrayPointer(y);
    if (!iso_ode_is_finite(values, d, &s->bad)) {
        return 1;
    }
    ++s->report->rhs_count;
    s->callback_status = s->problem->rhs(s->problem->user, t, values, N_VGetArrayPointer(out));
    if (s->callback_status != ISO_OK) {
        return -1;
    }
    return iso_ode_is_finite(N_VGetArrayPointer(out), d, &s->bad) ? 0 : 1;
}

// Integrals along the way have rows of zeros: nothing depends on them.
static int jacobian(realtype t, N_Vector y, N_Vector f, SUNMatrix out, void* user, N_Vector t1,
                    N_Vector t2, N_Vector t3) {
    (void)t2;
    (void)t3;
    solver* s = user;
    int n = iso_ode_feedback(s->problem), which = 0;
    (void)t1;
    s->callback_status =
        iso_ode_jacobian(s->problem, t, N_VGetArrayPointer(y), N_VGetArrayPointer(f), s->weights,
                         s->accuracy, s->scratch, s->jacobian, s->report);
    if (s->callback_status != ISO_OK) {
        return -1;
    }
    SUNMatZero(out);
    for (int j = 0; j < n; ++j) {
        realtype* column = SM_COLUMN_D(out, j);
        for (int i = 0; i < n; ++i) {
            column[i] = s->jacobian[i * n + j];
        }
    }
    return iso_ode_is_finite(s->jacobian, n * n, &which) ? 0 : 1;
}

// What the equations of a step lack at the last evaluation, in units of the allowed error.
static double find_lack(solver* s, N_Vector change, N_Vector correction, N_Vector weights) {
    realtype t = 0.0, gamma = 0.0, rl1 = 0.0;
    N_Vector predicted = NULL, y = NULL, f = NULL, zn1 = NULL;
    void* user = NULL;
    if (CVodeGetNonlinearSystemData(s->cvode, &t, &predicted, &y, &f, &gamma, &rl1, &zn1, &user) !=
        CV_SUCCESS) {
        return INFINITY;
    }
    N_VLinearSum(rl1, zn1, -gamma, f, s->lack);
    N_VLinearSum(1.0, s->lack, 1.0, change, s->lack);
    N_VLinearSum(1.0, s->lack, -1.0, correction, s->lack);
    return N_VWrmsNorm(s->lack, weights);
}

// The method's own test looks at corrections. A matrix of what is stiffer than the equations makes
// them small although nothing is solved: dry friction that has let go, or a contact that ended.
static int has_converged(SUNNonlinearSolver newton, N_Vector change, N_Vector correction,
                         realtype most, N_Vector weights, void* user) {
    solver* s = user;
    int made = 0;
    SUNNonlinSolGetCurIter(newton, &made);
    double rounding = ROUNDINGS * DBL_EPSILON * N_VWrmsNorm(s->y, weights);
    double lack = find_lack(s, change, correction, weights);
    double ratio = made > 0 ? lack / s->last_lack : 0.0;
    s->last_lack = lack;
    if (!isfinite(lack)) {
        return SUN_NLS_CONV_RECVR;
    }
    if (lack <= rounding || N_VWrmsNorm(correction, weights) <= rounding) {
        return SUN_NLS_SUCCESS;
    }
    if (made > 0 && !(ratio < SLOWEST)) {
        return SUN_NLS_CONV_RECVR;
    }
    return made > 0 && ratio / (1.0 - ratio) * lack <= most ? SUN_NLS_SUCCESS : SUN_NLS_CONTINUE;
}

static void destroy(solver* s) {
    if (s->cvode) {
        CVodeFree(&s->cvode);
    }
    if (s->newton) {
        SUNNonlinSolFree(s->newton);
    }
    if (s->linear) {
        SUNLinSolFree(s->linear);
    }
    if (s->matrix) {
        SUNMatDestroy(s->matrix);
    }
    N_Vector vectors[] = {s->y, s->kept, s->tolerances, s->lack};
    for (int i = 0; i < 4; ++i) {
        if (vectors[i]) {
            N_VDestroy(vectors[i]);
        }
    }
    if (s->sundials) {
        SUNContext_Free(&s->sundials);
    }
}

// CVODE bounds a root mean square; a root of the sum of squares bounds each component. Each step of
// its formulas errs to the same side and by as much as it may, so it may err by a share only.
static void fill_tolerances(solver* s) {
    int d = s->problem->dimension;
    double* values = N_VGetArrayPointer(s->tolerances);
    for (int i = 0; i < d; ++i) {
        double scale = s->problem->scales ? s->problem->scales[i] : 1.0;
        values[i] = STEP_SHARE * s->accuracy * scale / sqrt(d);
    }
}

static bool create(solver* s, double t, const double* y) {
    int d = s->problem->dimension;
    if (SUNContext_Create(NULL, &s->sundials) != 0) {
        return false;
    }
    s->y = N_VNew_Serial(d, s->sundials);
    s->kept = N_VNew_Serial(d, s->sundials);
    s->tolerances = N_VNew_Serial(d, s->sundials);
    s->lack = N_VNew_Serial(d, s->sundials);
    s->matrix = SUNDenseMatrix(d, d, s->sundials);
    s->cvode = CVodeCreate(CV_BDF, s->sundials);
    if (!s->y || !s->kept || !s->tolerances || !s->lack || !s->matrix || !s->cvode) {
        return false;
    }
    s->linear = SUNLinSol_Dense(s->y, s->matrix, s->sundials);
    memcpy(N_VGetArrayPointer(s->y), y, (size_t)d * sizeof *y);
    fill_tolerances(s);
    double relative = STEP_SHARE * s->accuracy * s->problem->relative / sqrt(d);
    s->newton = SUNNonlinSol_Newton(s->y, s->sundials);
    return s->linear && s->newton && CVodeSetErrHandlerFn(s->cvode, note_error, s) == CV_SUCCESS &&
           CVodeInit(s->cvode, rhs, t, s->y) == CV_SUCCESS &&
           CVodeSVtolerances(s->cvode, relative, s->tolerances) == CV_SUCCESS &&
           CVodeSetUserData(s->cvode, s) == CV_SUCCESS &&
           CVodeSetLinearSolver(s->cvode, s->linear, s->matrix) == CV_SUCCESS &&
           CVodeSetJacFn(s->cvode, jacobian) == CV_SUCCESS &&
           CVodeSetNonlinearSolver(s->cvode, s->newton) == CV_SUCCESS &&
           SUNNonlinSolSetMaxIters(s->newton, MOST_ITERATIONS) == SUN_NLS_SUCCESS &&
           SUNNonlinSolSetConvTestFn(s->newton, has_converged, s) == SUN_NLS_SUCCESS;
}

static bool set_limits(const solver* s, double t_end, const iso_ode_state* state) {
    const iso_ode_problem* problem = s->problem;
    return CVodeSetStopTime(s->cvode, t_end) == CV_SUCCESS &&
           CVodeSetMinStep(s->cvode, problem->min_step) == CV_SUCCESS &&
           CVodeSetMaxStep(s->cvode, problem->max_step) == CV_SUCCESS &&
           CVodeSetInitStep(s->cvode, state->h) == CV_SUCCESS;
}

static void evaluate_curve(const iso_ode_curve* curve, double t, double* out_y) {
    const solver* s = curve->method;
    double inside = fmin(fmax(t, curve->t_start), curve->t_end);
    if (CVodeGetDky(s->cvode, inside, 0, s->kept) == CV_SUCCESS) {
        memcpy(out_y, N_VGetArrayPointer(s->kept), (size_t)curve->dimension * sizeof *out_y);
    }
}

static void count_all(const solver* s, double accepted_error) {
    long failed = 0, unsolved = 0, factors = 0, iterations = 0;
    iso_ode_report* report = s->report;
    CVodeGetNumErrTestFails(s->cvode, &failed);
    CVodeGetNumNonlinSolvConvFails(s->cvode, &unsolved);
    CVodeGetNumLinSolvSetups(s->cvode, &factors);
    CVodeGetNumNonlinSolvIters(s->cvode, &iterations);
    report->rejected_count = (int)failed;
    report->unsolved_count = (int)unsolved;
    report->factor_count = (int)factors;
    report->iteration_count = (int)iterations;
    report->largest_error = fmax(report->largest_error, accepted_error);
}

// Largest estimated error of the last step, in units of the allowed one, and its component.
static double find_worst(solver* s) {
    int d = s->problem->dimension;
    double largest = 0.0;
    if (CVodeGetEstLocalErrors(s->cvode, s->kept) == CV_SUCCESS) {
        const double* errors = N_VGetArrayPointer(s->kept);
        for (int i = 0; i < d; ++i) {
            double error = fabs(errors[i]) / s->weights[i];
            s->report->worst_component = error > largest ? i : s->report->worst_component;
            largest = fmax(largest, error);
        }
    }
    return largest;
}

static iso_status fail(solver* s, int flag, double t, double h) {
    if (s->callback_status != ISO_OK) {
        return s->callback_status;
    }
    bool is_rhs = flag == CV_FIRST_RHSFUNC_ERR || flag == CV_REPTD_RHSFUNC_ERR ||
                  flag == CV_UNREC_RHSFUNC_ERR;
    if (is_rhs) {
        s->report->worst_component = s->bad;
    }
    return iso_fail(s->ctx, is_rhs ? ISO_ERR_NUMERIC : ISO_ERR_NO_CONVERGENCE, __func__,
                    "cvode at t = %.9g s: %s in a step of %g s; component %d is the worst; %d "
                    "steps made (%s)",
                    t, is_rhs ? "the right-hand side is not finite" : "it gives up", h,
                    s->report->worst_component, s->report->accepted_count, s->message);
}

// Events, observers and the projection after an internal step.
static iso_status show_step(solver* s, iso_ode_event_search* search, double t_start, double* t) {
    const iso_ode_problem* problem = s->problem;
    iso_ode_curve curve = {t_start, *t, problem->dimension, evaluate_curve, s};
    iso_status status = ISO_OK;
    if (problem->events) {
        double middle = 0.5 * (t_start + *t), end = *t;
        s->report->event =
            iso_ode_event_search_look(problem, &curve, middle, s->scratch, search, t);
        if (s->report->event < 0) {
            s->report->event =
                iso_ode_event_search_look(problem, &curve, end, s->scratch, search, t);
        }
    }
    evaluate_curve(&curve, *t, s->projected);
    if (problem->step_done) {
        status = problem->step_done(problem->user, &curve);
    }
    if (problem->project && status == ISO_OK) {
        problem->project(problem->user, *t, s->projected);
    }
    return status;
}

// CVODE's own derivative does for later steps; a first one asks for f.
static iso_status limit_step(solver* s, double t, const double* y, double t_end) {
    iso_status status = ISO_OK;
    double* f = s->scratch;
    if (!s->problem->longest_step) {
        return ISO_OK;
    }
    if (s->report->accepted_count == 0) {
        ++s->report->rhs_count;
        status = s->problem->rhs(s->problem->user, t, y, f);
    } else if (CVodeGetDky(s->cvode, t, 1, s->kept) == CV_SUCCESS) {
        memcpy(f, N_VGetArrayPointer(s->kept), (size_t)s->problem->dimension * sizeof *f);
    }
    if (status == ISO_OK) {
        const iso_ode_problem* p = s->problem;
        double longest =
            iso_ode_longest_step(p->longest_step, p->user, t, y, f, p->max_step, t_end - t);
        longest = fmax(longest, 2.0 * p->min_step);
        CVodeSetMaxStep(s->cvode, longest);
        // CVODE chose the next step when it ended the last one.
        CVodeSetStopTime(s->cvode, fmin(t + longest, t_end));
    }
    return status;
}

// What a step may err by is above rounding, too: CVODE would give up without naming a component.
static iso_status refresh_weights(const solver* s, double t, const double* y) {
    iso_status status = ISO_OK;
    const double shares[] = {STEP_SHARE, 1.0};
    for (int i = 0; i < 2 && status == ISO_OK; ++i) {
        status = iso_ode_weights(s->ctx, "cvode", s->problem, shares[i] * s->accuracy, t, y,
                                 s->report, s->weights);
    }
    return status;
}

static iso_status step_once(solver* s, iso_ode_event_search* search, double t_end, double* t,
                            double* y) {
    iso_ode_report* report = s->report;
    int limit = s->problem->max_step_count > 0 ? s->problem->max_step_count : MOST_STEPS;
    double t_new = *t, h = 0.0;
    int order = 0;
    iso_status status = refresh_weights(s, *t, y);
    if (status == ISO_OK) {
        status = limit_step(s, *t, y, t_end);
    }
    if (status != ISO_OK) {
        return status;
    }
    int flag = CVode(s->cvode, t_end, s->y, &t_new, CV_ONE_STEP);
    double error = find_worst(s);
    CVodeGetLastStep(s->cvode, &h);
    count_all(s, flag >= 0 ? error : 0.0);
    int made = report->accepted_count + report->rejected_count + report->unsolved_count;
    if (flag < 0 || made >= limit) {
        if (flag >= 0) {
            snprintf(s->message, sizeof s->message, "all allowed steps are made");
        }
        return fail(s, flag, *t, h);
    }
    ++report->accepted_count;
    CVodeGetLastOrder(s->cvode, &order);
    ++report->order_counts[order];
    iso_note_length(report->accepted_count, h, t_new >= t_end, &report->smallest_step);
    status = show_step(s, search, *t, &t_new);
    if (status == ISO_OK) {
        *t = t_new >= t_end ? t_end : t_new;
        memcpy(y, s->projected, (size_t)s->problem->dimension * sizeof *y);
    }
    return status;
}

static iso_status advance(iso_context* ctx, const iso_ode_problem* problem, double* t, double* y,
                          double t_end, double accuracy, iso_ode_state* state,
                          iso_ode_report* report) {
    int d = problem->dimension;
    double* work = state->work;
    solver s = {.ctx = ctx,
                .problem = problem,
                .report = report,
                .accuracy = accuracy,
                .weights = work,
                .scratch = work + d,
                .projected = work + 3 * d,
                .jacobian = work + 4 * d,
                .bad = -1};
    iso_ode_event_search search;
    iso_status status = ISO_OK;
    ISO_CHECK(ctx, create(&s, *t, y) && set_limits(&s, t_end, state), ISO_ERR_MEMORY,
              "cvode: %d components (%s)", d, s.message);
    iso_ode_event_search_start(problem, *t, y, &search);
    while (*t < t_end && report->event < 0) {
        ISO_TRY(step_once(&s, &search, t_end, t, y));
    }
    CVodeGetCurrentStep(s.cvode, &state->h);
    CVodeGetCurrentOrder(s.cvode, &state->order);
done:
    destroy(&s);
    return status;
}

const iso_ode_method iso_ode_cvode = {.name = "cvode",
                                      .most_order = 5,
                                      .is_stiff = true,
                                      .has_curve = true,
                                      .allocates = true,
                                      .work_size = work_size,
                                      .advance = advance};

#else

typedef int iso_no_cvode; // a file is not empty

#endif
