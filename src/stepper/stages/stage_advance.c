// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Stage 6: the convex problem, the new positions, and what the step did.

#include "contact/pairs/stretched.h"
#include "stepper/stages/stages.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Of steps that do not converge: how much smoother friction is made at first, and how much sharper
// each time.
#define SMOOTHEST 65536.0
#define SHARPER 4.0
// and the residual that is good enough then, of the sizes of all that balances.
#define LAST_TOLERANCE 1e-10

// A motion that is a smaller share of where a body is, or a smaller angle, is rounding.
#define ROUNDING (2.0 * DBL_EPSILON)

iso_convex_problem iso_stages_problem(const iso_stages* s) {
    const iso_multibody* multibody = s->stepper->dynamics.multibody;
    return (iso_convex_problem){
        .tree_count = multibody->tree_count,
        .v_index = multibody->tree_v_index,
        .a_index = multibody->tree_m_index,
        .a = s->a,
        .v_star = s->v_star,
        .potential_count = s->potential_count,
        .potentials = s->potentials,
        .inners = s->inners,
        .is_known = s->is_repeated,
        .notes = s->may_repeat ? iso_repeat_notes(s->stepper->repeat) : NULL,
    };
}

// Say in the words of the model what the solver said in numbers.
static iso_status explain(const iso_stages* s, iso_status status, const iso_convex_report* report) {
    const iso_stepper* stepper = s->stepper;
    if (report->worst_dof < 0) {
        return status;
    }
    int body = stepper->dynamics.multibody->dof_body[report->worst_dof];
    const char* name = iso_stepper_body_name(stepper, body);
    if (status == ISO_ERR_NO_CONVERGENCE) {
        return iso_fail(stepper->ctx, status, __func__,
                        "velocities did not converge: residual is %g after %d Newton iterations, "
                        "expected at most %g; worst at body '%s' (%d contacts, %d faces)",
                        report->residual, report->iterations, stepper->convex.relative_tolerance,
                        name, s->set.pair_count, s->set.face_count);
    }
    if (status == ISO_ERR_NUMERIC) {
        return iso_fail_prefix(stepper->ctx, status, "velocity of body '%s'", name);
    }
    return status;
}

// Smooth friction over so many times its slip.
static void scale_slips(const iso_stages* s, double factor) {
    for (int i = 0; i < s->set.pair_count; ++i) {
        if (s->pair_potential[i] != ISO_PAIR_REPEATED) {
            s->set.pairs[i].model->smooth(&s->steps[i], factor);
        }
    }
}

// Where friction turns from one side to the other within much less than a step of Newton's, many
// contacts together may lead it to and fro across a valley without end. With friction that is
// smoother by powers of two it does not; the last one, that of the problem, is then near its
// solution. Where that is stuck, too, impulses that balance to a share of their own sizes, not of
// what they leave, are as good as they get.
static iso_status solve_smoothly(iso_stages* s, const iso_convex_problem* problem,
                                 iso_convex_report* report) {
    iso_stepper* stepper = s->stepper;
    int iterations = report->iterations, evaluations = report->line_search_iterations;
    int total = report->total_iterations;
    iso_convex_options options = stepper->convex;
    options.last_tolerance = LAST_TOLERANCE;
    iso_status status = ISO_OK;
    for (double factor = SMOOTHEST; factor >= 1.0; factor /= SHARPER) {
        scale_slips(s, factor);
        status =
            iso_convex_solve(&stepper->solver, problem, &options, &stepper->arena, s->v, report);
        scale_slips(s, 1.0 / factor);
        iterations += report->iterations;
        evaluations += report->line_search_iterations;
        total += report->total_iterations;
        if (status != ISO_OK && status != ISO_ERR_NO_CONVERGENCE) {
            break;
        }
    }
    report->iterations = iterations;
    report->line_search_iterations = evaluations;
    report->total_iterations = total;
    return status;
}

static iso_status solve(iso_stages* s) {
    iso_stepper* stepper = s->stepper;
    iso_convex_problem problem = iso_stages_problem(s);
    iso_convex_report report;
    iso_status status;
    if (s->limits_of) {
        iso_root_options options = iso_root_options_default();
        status = iso_root_solve(&problem, s->limits_of, &options, &stepper->arena, s->v, &report);
        stepper->root_work += report.work;
    } else {
        status = iso_convex_solve(&stepper->solver, &problem, &stepper->convex, &stepper->arena,
                                  s->v, &report);
        s->has_followed = report.has_followed;
        if (status == ISO_ERR_NO_CONVERGENCE && !s->is_repeated) {
            s->may_repeat = false; // no island is then solved as in the next step
            status = solve_smoothly(s, &problem, &report);
        }
        s->has_followed = s->has_followed || report.has_followed;
        s->report.island_count = report.island_count;
        s->report.largest_island = report.largest_island;
        iso_stages_find_reason(s, &report);
    }
    s->report.total_iterations = s->limits_of ? report.iterations : report.total_iterations;
    s->report.iterations = report.iterations;
    s->report.line_search_iterations = report.line_search_iterations;
    s->report.residual = report.residual;
    s->report.cost = report.cost;
    if (report.slowest_dof >= 0) {
        s->report.slowest_body = stepper->dynamics.multibody->dof_body[report.slowest_dof];
    }
    return status == ISO_OK ? ISO_OK : explain(s, status, &report);
}

iso_status iso_stage_push_state(iso_stages* s) {
    iso_stepper* stepper = s->stepper;
    const iso_multibody* multibody = stepper->dynamics.multibody;
    s->q = iso_arena_push_array(&stepper->arena, multibody->q_count, sizeof *s->q);
    s->v = iso_arena_push_array(&stepper->arena, multibody->v_count, sizeof *s->v);
    s->end_v = iso_arena_push_array(&stepper->arena, multibody->v_count, sizeof *s->end_v);
    ISO_REQUIRE(stepper->ctx, s->q && s->v && s->end_v, ISO_ERR_MEMORY, "new state");
    return ISO_OK;
}

// Whether a body moves on its joint by less than rounding of where it is.
static bool is_still(const iso_stages* s, const iso_mb_body* body) {
    const double *q = s->input->q + body->q_index, *v = s->end_v + body->v_index;
    bool has_quat = iso_mobility_has_quat(body->mobility);
    int turns = has_quat ? 3 : 0;
    double turn = 0.0, way = 0.0, size = 0.0;
    for (int i = 0; i < turns; ++i) {
        turn = fmax(turn, fabs(v[i]));
    }
    for (int i = turns; i < iso_mobility_v_count(body->mobility); ++i) {
        way = fmax(way, fabs(v[i]));
    }
    for (int i = has_quat ? 4 : 0; i < iso_mobility_q_count(body->mobility); ++i) {
        size = fmax(size, fabs(q[i]));
    }
    return turn * s->span <= ROUNDING && way * s->span <= ROUNDING * size;
}

// Marks trees that touch something, and of which nothing moves.
static void find_still(const iso_stages* s, bool* is_kept) {
    const iso_multibody* multibody = s->stepper->dynamics.multibody;
    memset(is_kept, 0, (size_t)multibody->tree_count * sizeof *is_kept);
    for (int i = 0; i < s->set.pair_count; ++i) {
        const int bodies[2] = {s->set.pairs[i].body_a, s->set.pairs[i].body_b};
        for (int k = 0; k < 2; ++k) {
            int tree = multibody->bodies[bodies[k]].tree;
            if (tree >= 0) {
                is_kept[tree] = true;
            }
        }
    }
    for (int b = 1; b < multibody->body_count; ++b) {
        const iso_mb_body* body = &multibody->bodies[b];
        if (body->tree >= 0 && is_kept[body->tree]) {
            is_kept[body->tree] = is_still(s, body);
        }
    }
}

// What rests on others stays where it is, bit by bit, while all that would move it is rounding: so
// its contacts stay as they are. The velocity is that of the step, which asks for the same motion
// until there is more of it. With error control steps may be so short that this would hold on.
static iso_status keep_still(iso_stages* s) {
    const iso_multibody* multibody = s->stepper->dynamics.multibody;
    if (s->stepper->settings.error_control || s->set.pair_count == 0) {
        return ISO_OK;
    }
    bool* is_kept =
        iso_arena_push_array(&s->stepper->arena, multibody->tree_count, sizeof *is_kept);
    ISO_REQUIRE(s->stepper->ctx, is_kept, ISO_ERR_MEMORY, "%d trees", multibody->tree_count);
    find_still(s, is_kept);
    for (int b = 1; b < multibody->body_count; ++b) {
        const iso_mb_body* body = &multibody->bodies[b];
        if (body->tree >= 0 && is_kept[body->tree]) {
            memcpy(s->q + body->q_index, s->input->q + body->q_index,
                   (size_t)iso_mobility_q_count(body->mobility) * sizeof *s->q);
        }
    }
    s->is_kept = is_kept;
    return ISO_OK;
}

iso_status iso_stage_move(iso_stages* s) {
    const iso_multibody* multibody = s->stepper->dynamics.multibody;
    size_t bytes = (size_t)multibody->v_count * sizeof *s->v;
    memcpy(s->end_v, s->v, bytes);
    iso_stages_turn(s, s->end_v);
    iso_multibody_integrate(multibody, s->input->q, s->end_v, s->span, s->q);
    memcpy(s->end_v, s->v, bytes);
    iso_midpoint_finish(s);
    iso_stages_carry_spins(s);
    iso_status status = iso_stages_carry_centers(s);
    return status == ISO_OK ? keep_still(s) : status;
}

iso_status iso_stage_advance(iso_stages* s) {
    iso_stepper* stepper = s->stepper;
    const iso_multibody* multibody = stepper->dynamics.multibody;
    iso_status status = ISO_OK;
    ISO_TRY(iso_stage_push_state(s));
    const double* guess = s->input->guess ? s->input->guess : s->input->v;
    memcpy(s->v, guess, (size_t)multibody->v_count * sizeof *s->v);
    ISO_TRY(solve(s));
    ISO_TRY(iso_stage_move(s));
    int body = iso_find_non_finite(multibody, s->q, s->end_v);
    ISO_CHECK(stepper->ctx, body < 0, ISO_ERR_NUMERIC,
              "state of body '%s' is not finite after the step",
              iso_stepper_body_name(stepper, body));
done:
    return status;
}

static void add_twist(const double u[6], iso_spatial twist, double out[6]) {
    const double b[6] = {twist.rotational.x,    twist.rotational.y,    twist.rotational.z,
                         twist.translational.x, twist.translational.y, twist.translational.z};
    for (int i = 0; i < 6; ++i) {
        out[i] = u[i] + b[i];
    }
}

// Poses after the step, which contacts remember.
static iso_status find_end_poses(iso_stages* s) {
    const iso_multibody* multibody = s->stepper->dynamics.multibody;
    iso_status status = iso_kinematics_push(multibody, &s->stepper->arena, &s->end_kinematics);
    if (status == ISO_OK) {
        iso_multibody_kinematics(multibody, s->q, s->v, &s->end_kinematics);
        if (s->input->place_moved) {
            s->input->place_moved(s->input->place_user, s->span, &s->end_kinematics);
        }
    }
    return status;
}

// Whether a body ends the step where it began it, bit by bit.
static bool is_kept(const iso_stages* s, int body) {
    const iso_spatial* v = &s->kinematics.v_wb[body];
    int tree = s->stepper->dynamics.multibody->bodies[body].tree;
    return tree >= 0 ? s->is_kept && s->is_kept[tree] : iso_spatial_dot(*v, *v) == 0.0;
}

// Wrench of a pair, twists as in iso_contact_motion; and what it remembers.
static iso_spatial contact_result(const iso_stages* s, int index, const double v[6],
                                  const double w[6], const double free[6],
                                  iso_contact_result* result) {
    const iso_contact_pair* pair = &s->set.pairs[index];
    const iso_contact_step* step = &s->steps[index];
    const iso_pair_poses start = iso_midpoint_start(s, pair);
    const iso_pose* ends = s->end_kinematics.x_wb;
    iso_pose x_a[2] = {start.x_wa}, x_b[2] = {start.x_wb};
    iso_pair_memory* memory = &result->memories[result->memory_count];
    *memory = (iso_pair_memory){.geometry_a = pair->geometry_a, .geometry_b = pair->geometry_b};
    if (step->remembers_places) {
        x_a[1] = ends[pair->body_a];
        x_b[1] = ends[pair->body_b];
    }
    iso_contact_motion motion = {v,
                                 w,
                                 free,
                                 x_a,
                                 x_b,
                                 s->pair_potential[index] >= 0,
                                 is_kept(s, pair->body_a) && is_kept(s, pair->body_b) &&
                                     memcmp(v, w, 6 * sizeof *v) == 0};
    iso_face_values faces = iso_contact_result_faces(result, index);
    int count = 1;
    iso_spatial f_b_w = pair->model->end_step(step, &motion, &faces, memory, &count);
    result->memory_count += count;
    return f_b_w;
}

// Stretch energy gained since the last step without motion: by changes of stiffness, by turnover,
// and what pairs that parted took with them.
static double booked_stretch(const iso_stages* s) {
    const iso_contact_system* system = s->stepper->dynamics.contact;
    double booked = 0.0;
    for (int i = 0; i < s->input->memory_count; ++i) {
        booked -= iso_contact_memory_energy(system, &s->input->memories[i]);
    }
    for (int i = 0; i < s->set.pair_count; ++i) {
        booked += s->steps[i].start_energy;
    }
    return booked;
}

// What a pair did, into the result.
static iso_pair_work find_result(const iso_stages* s, const iso_convex_problem* problem, int i,
                                 iso_contact_result* result) {
    const iso_contact_pair* pair = &s->set.pairs[i];
    iso_pair_work work = {0};
    double u[6] = {0.0}, free[6] = {0.0};
    if (s->pair_potential[i] >= 0) {
        const iso_potential* potential = &s->potentials[s->pair_potential[i]];
        iso_potential_velocity(problem, potential, s->v, u);
        iso_potential_velocity(problem, potential, s->v_star, free);
    }
    double v[6];
    iso_spatial belt =
        iso_surface_twist(s->stepper->dynamics.contact,
                          iso_stages_pair_kinematics(s, pair->body_a, pair->body_b), pair);
    double w[6]; // of the bodies, u being that of those which move freely
    iso_spatial fixed =
        iso_stages_add_fixed_twist(s, pair->body_a, pair->body_b, pair->p_wc, iso_spatial_zero());
    add_twist(u, fixed, w);
    add_twist(free, fixed, free);
    add_twist(w, belt, v);
    iso_spatial f = contact_result(s, i, v, w, free, result);
    iso_spatial v_c =
        iso_spatial_make(iso_vec3_make(u[0], u[1], u[2]), iso_vec3_make(u[3], u[4], u[5]));
    result->f_b_w[i] = f;
    work.power = iso_spatial_dot(f, v_c);
    if (s->pair_potential[i] >= 0) {
        work.losses = pair->model->book(&s->steps[i], v, f, result->tractions[i], result->slips[i]);
        double whole = iso_stages_whole(s, iso_stages_pair_tree(s, pair->body_a, pair->body_b));
        work.losses.friction *= whole;
        work.losses.damping *= whole;
    }
    return work;
}

static void book_contacts(const iso_stages* s, iso_contact_result* result, iso_works* works) {
    iso_convex_problem problem = iso_stages_problem(s);
    works->contact = works->friction = works->contact_damping = 0.0;
    for (int i = 0; i < s->set.pair_count; ++i) {
        iso_pair_work* work = &s->pair_works[i];
        if (s->pair_potential[i] == ISO_PAIR_REPEATED) {
            iso_repeat_take_result(s, i, result, work);
        } else {
            *work = find_result(s, &problem, i, result);
        }
        works->contact += s->span * work->power;
        works->friction += work->losses.friction;
        works->contact_damping += work->losses.damping;
    }
}

// Arrays for the results of all contacts, with what pairs may remember and feel of fields.
static iso_status push_results(iso_stages* s, iso_contact_result* out) {
    const iso_contact_system* system = s->stepper->dynamics.contact;
    iso_arena* arena = &s->stepper->arena;
    iso_status status = iso_contact_result_push(arena, &s->set, out);
    s->pair_works = iso_arena_push_array(arena, s->set.pair_count, sizeof *s->pair_works);
    ISO_REQUIRE(arena->ctx, s->pair_works, ISO_ERR_MEMORY, "works of %d contacts",
                s->set.pair_count);
    if (status != ISO_OK || !system || !iso_contact_system_has_field(system)) {
        return status;
    }
    int most = s->set.pair_count;
    for (int i = 0; i < s->set.pair_count; ++i) {
        most += s->steps[i].more_memories;
    }
    out->memories = iso_arena_push_array(arena, most, sizeof *out->memories);
    ISO_REQUIRE(arena->ctx, out->memories, ISO_ERR_MEMORY, "memories of %d contacts",
                s->set.pair_count);
    return iso_contact_result_push_springs(arena, out);
}

iso_status iso_stage_results(iso_stages* s, iso_step_output* output) {
    const iso_multibody* multibody = s->stepper->dynamics.multibody;
    iso_status status = push_results(s, &output->contacts);
    if (status == ISO_OK && s->remembers_places) {
        status = find_end_poses(s);
    }
    if (status != ISO_OK) {
        return status;
    }
    output->contacts.memory_count = 0;
    book_contacts(s, &output->contacts, &output->works);
    output->works.actuation = output->works.applied = output->works.damping = 0.0;
    output->works.constraint = output->works.limit = 0.0;
    iso_stages_book_drives(s, output);
    for (int d = 0; d < multibody->v_count; ++d) {
        output->works.actuation += s->span * s->applied[d] * s->v[d];
        output->works.actuation += s->pulls ? s->span * s->pulled[d] * s->v[d] : 0.0;
        output->works.applied += s->span * s->applied[d] * s->v[d];
        output->works.damping +=
            s->span * multibody->bodies[multibody->dof_body[d]].damping * s->v[d] * s->v[d];
    }
    output->booked_stretch = booked_stretch(s);
    iso_convex_problem problem = iso_stages_problem(s);
    iso_stage_constraint_results(s, &problem, output);
    iso_stages_note_loads(s, output);
    iso_stages_tell_coupling(s);
    status = iso_stages_tell_soft_press(s, &output->contacts);
    status = status == ISO_OK ? iso_repeat_note(s, &output->contacts) : status;
    iso_stages_lap(s, 6);
    return status;
}
