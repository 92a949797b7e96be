// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// The Jacobian of the continuous methods. Contact costs most of a right-hand side, so patches are
// made once, and their wrenches follow the exact derivatives of the law; joints, masses and
// everything else is differenced, for which stage 1 and the dynamics are run once a component, or
// for components of all trees together.
// docs/theory/integrators.md.

#include "stepper/flow/flow_jacobian.h"

#include "base/system/clock.h"
#include "math/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

// What memories are differenced by, before the root of rounding [J^(1/2)].
#define MEMORY_SIZE 1e-4

typedef struct pair_line {
    const iso_contact_pair* pair;
    iso_pose x_wa, x_wb; // bodies where the patch was made
    iso_spatial v_c;     // relative twist there, with that of moving surfaces
    iso_contact_derivatives law;
    iso_contact_press press; // there; of models that have it
} pair_line;

struct iso_flow_lines {
    const iso_contact_set* set;
    pair_line* pairs; // [set->pair_count]
    bool are_held;    // wrenches stay those of where the patches were made
};

static iso_spatial pair_twist(const iso_flow* f, const iso_kinematics* kinematics,
                              const iso_contact_pair* pair) {
    const iso_contact_system* system = f->stages->stepper->dynamics.contact;
    return iso_spatial_add(iso_pair_twist(kinematics, pair),
                           iso_surface_twist(system, kinematics, pair));
}

// Small motion from one pose to another, as a twist at a point.
static iso_spatial motion_between(const iso_pose* from, const iso_pose* to, iso_vec3 p_wc) {
    iso_mat3 r_inverse = iso_mat3_transpose(from->r);
    iso_mat3 turn = iso_mat3_mul(to->r, r_inverse);
    iso_vec3 w =
        iso_vec3_make(0.5 * (turn.m[2][1] - turn.m[1][2]), 0.5 * (turn.m[0][2] - turn.m[2][0]),
                      0.5 * (turn.m[1][0] - turn.m[0][1]));
    iso_vec3 shift = iso_vec3_sub(to->p, from->p);
    iso_vec3 arm = iso_vec3_sub(p_wc, from->p);
    return iso_spatial_make(w, iso_vec3_add(shift, iso_vec3_cross(w, arm)));
}

static iso_spatial multiply(const double matrix[6][6], iso_spatial x) {
    const double in[6] = {x.rotational.x,    x.rotational.y,    x.rotational.z,
                          x.translational.x, x.translational.y, x.translational.z};
    double out[6] = {0.0};
    for (int i = 0; i < 6; ++i) {
        for (int j = 0; j < 6; ++j) {
            out[i] += matrix[i][j] * in[j];
        }
    }
    return iso_spatial_make(iso_vec3_make(out[0], out[1], out[2]),
                            iso_vec3_make(out[3], out[4], out[5]));
}

// What a twist becomes, seen at the same place, when its bodies move by m.
static iso_spatial carried_twist(iso_spatial m, iso_spatial twist) {
    iso_vec3 w = m.rotational;
    return iso_spatial_make(iso_vec3_cross(w, twist.rotational),
                            iso_vec3_add(iso_vec3_cross(w, twist.translational),
                                         iso_vec3_cross(m.translational, twist.rotational)));
}

static iso_spatial carried_wrench(iso_spatial m, iso_spatial wrench) {
    iso_vec3 w = m.rotational;
    return iso_spatial_make(iso_vec3_add(iso_vec3_cross(w, wrench.rotational),
                                         iso_vec3_cross(m.translational, wrench.translational)),
                            iso_vec3_cross(w, wrench.translational));
}

iso_spatial iso_flow_line_wrench(const iso_flow* f, const iso_kinematics* kinematics, int index) {
    const pair_line* line = &f->lines->pairs[index];
    const iso_contact_pair* pair = line->pair;
    if (f->lines->are_held) {
        return line->law.wrench;
    }
    iso_spatial m_a = motion_between(&line->x_wa, &kinematics->x_wb[pair->body_a], pair->p_wc);
    iso_spatial m_b = motion_between(&line->x_wb, &kinematics->x_wb[pair->body_b], pair->p_wc);
    iso_spatial dv = iso_spatial_sub(pair_twist(f, kinematics, pair), line->v_c);
    iso_spatial wrench = iso_spatial_add(line->law.wrench, carried_wrench(m_a, line->law.wrench));
    wrench = iso_spatial_add(wrench, multiply(line->law.by_pose, iso_spatial_sub(m_b, m_a)));
    return iso_spatial_add(
        wrench, multiply(line->law.by_twist, iso_spatial_sub(dv, carried_twist(m_a, line->v_c))));
}

// Three numbers by a small relative motion of the bodies.
static iso_vec3 change_of(const double by_pose[3][6], iso_spatial m) {
    iso_vec3 w = m.rotational, v = m.translational;
    double out[3];
    for (int i = 0; i < 3; ++i) {
        const double* row = by_pose[i];
        out[i] =
            row[0] * w.x + row[1] * w.y + row[2] * w.z + row[3] * v.x + row[4] * v.y + row[5] * v.z;
    }
    return iso_vec3_make(out[0], out[1], out[2]);
}

iso_contact_press iso_flow_line_press(const iso_flow* f, const iso_kinematics* kinematics,
                                      int index, iso_vec3* out_moved) {
    const pair_line* line = &f->lines->pairs[index];
    const iso_contact_pair* pair = line->pair;
    const iso_press_drift* drift = &line->law.drift;
    iso_spatial m_a = motion_between(&line->x_wa, &kinematics->x_wb[pair->body_a], pair->p_wc);
    iso_spatial m_b = motion_between(&line->x_wb, &kinematics->x_wb[pair->body_b], pair->p_wc);
    iso_spatial m = iso_spatial_sub(m_b, m_a);
    iso_contact_press press = line->press;
    iso_vec3 n = line->press.normal, turned = iso_vec3_cross(m_a.rotational, n);
    press.normal = iso_vec3_add(iso_vec3_add(n, turned), change_of(drift->normal, m));
    press.normal = iso_vec3_normalized(press.normal);
    const double* by = drift->radius;
    press.radius += by[0] * m.rotational.x + by[1] * m.rotational.y + by[2] * m.rotational.z +
                    by[3] * m.translational.x + by[4] * m.translational.y +
                    by[5] * m.translational.z;
    press.wrench = iso_flow_line_wrench(f, kinematics, index);
    press.force += iso_vec3_dot(press.normal, press.wrench.translational) -
                   iso_vec3_dot(n, line->law.wrench.translational);
    press.force = fmax(press.force, 0.0);
    *out_moved = iso_vec3_add(m_a.translational, change_of(drift->place, m));
    return press;
}

static iso_status make_lines(iso_flow* f, const iso_stages* now, iso_flow_lines* lines) {
    iso_contact_system* system = now->stepper->dynamics.contact;
    iso_arena* arena = &now->stepper->arena;
    lines->set = &now->set;
    lines->pairs = iso_arena_push_array(arena, now->set.pair_count, sizeof *lines->pairs);
    ISO_REQUIRE(arena->ctx, lines->pairs, ISO_ERR_MEMORY, "derivatives of %d contacts",
                now->set.pair_count);
    iso_status status = ISO_OK;
    for (int i = 0; i < now->set.pair_count && status == ISO_OK; ++i) {
        pair_line* line = &lines->pairs[i];
        line->pair = &now->set.pairs[i];
        line->x_wa = now->kinematics.x_wb[line->pair->body_a];
        line->x_wb = now->kinematics.x_wb[line->pair->body_b];
        line->v_c = pair_twist(f, &now->kinematics, line->pair);
        const iso_contact_model* model = line->pair->model;
        status = iso_flow_line_pair(f, &now->set.pairs[i], line->v_c, &line->pair);
        if (status != ISO_OK) {
            break;
        }
        if (model->press) {
            line->press = model->press(line->pair, line->v_c);
        }
        status = model->derivatives
                     ? model->derivatives(system, line->pair, line->v_c, &line->law)
                     : iso_contact_differences(system, line->pair, line->v_c, arena, &line->law);
    }
    return status;
}

// Rates of (q, v) with contact along its derivatives; the kinematics stay in the arena.
static iso_status rates_beside(iso_flow* f, double t, const double* y, iso_kinematics* out_place,
                               double* out_rates) {
    const iso_multibody* multibody = f->stages->stepper->dynamics.multibody;
    iso_stages now = iso_flow_begin(f);
    double powers[ISO_WORK_COUNT];
    iso_status status = iso_flow_place(f, &now, t, y);
    if (status == ISO_OK) {
        now.set = *f->lines->set;
        iso_multibody_qdot(multibody, f->input.q, f->input.v, out_rates);
        status = iso_flow_accelerate(f, &now, out_rates + multibody->q_count, powers);
        iso_flow_copy_rates(f, out_rates + multibody->q_count + multibody->v_count);
    }
    *out_place = now.kinematics;
    iso_flow_end(f, &now);
    return status;
}

// A component a little beside; returns by how much.
static double step_aside(const double* y, int j, int motion, double* moved) {
    double size = fmax(fabs(y[j]), j < motion ? 1.0 : MEMORY_SIZE);
    volatile double place = y[j] + copysign(sqrt(DBL_EPSILON) * size, y[j]);
    moved[j] = place;
    return place - y[j];
}

static iso_status fill_columns(iso_flow* f, double t, const double* y, double* out_jacobian) {
    const iso_multibody* multibody = f->stages->stepper->dynamics.multibody;
    iso_arena* arena = &f->stages->stepper->arena;
    int motion = multibody->q_count + multibody->v_count;
    int n = motion + iso_flow_memory_count(f);
    double* moved = iso_arena_push_array(arena, 3 * n, sizeof *moved);
    ISO_REQUIRE(arena->ctx, moved, ISO_ERR_MEMORY, "columns of %d rates", n);
    double* rates = moved + n;
    double* rates_moved = moved + 2 * n;
    memcpy(moved, y, (size_t)n * sizeof *moved);
    iso_kinematics place;
    iso_status status = rates_beside(f, t, y, &place, rates);
    for (int j = 0; j < n && status == ISO_OK; ++j) {
        iso_arena_mark mark = iso_arena_get_mark(arena);
        double step = step_aside(y, j, motion, moved);
        status = rates_beside(f, t, moved, &place, rates_moved);
        for (int i = 0; i < n; ++i) {
            out_jacobian[i * n + j] = (rates_moved[i] - rates[i]) / step;
        }
        moved[j] = y[j];
        iso_arena_release(arena, mark);
    }
    return status;
}

// Trees that meet in contacts alone: one component of each is moved at a time, with the wrenches of
// contacts held, and what those change is added for each pair.
typedef struct apart {
    iso_flow* f;
    iso_flow_lines* lines;
    const iso_stages* now; // where the patches were made, with the factors of the masses there
    int motion;
    int *tree_of, *turn_of; // [motion] of components: their tree, and when they are moved
    int turn_count;
    int* column_of;   // [tree_count] component of each tree that is moved now; -1: none
    double* steps;    // [tree_count] by how much
    double** answers; // [2 pair_count] acceleration of either tree by a wrench, dofs x 6; or NULL
    iso_kinematics mixed; // bodies where the patches were made, but for those of one tree
} apart;

static bool meet_in_contacts_alone(const iso_flow* f) {
    const iso_stepper* stepper = f->stages->stepper;
    const iso_closure* closure = &stepper->closure;
    return stepper->dynamics.multibody->tree_count > 1 && closure->constraint_count == 0 &&
           closure->coupler_count == 0 && stepper->adhesion_count == 0 &&
           iso_flow_memory_count(f) == 0;
}

static void order_components(apart* a) {
    const iso_multibody* multibody = a->f->stages->stepper->dynamics.multibody;
    for (int t = 0; t < multibody->tree_count; ++t) {
        a->column_of[t] = 0; // components so far
    }
    for (int b = 1; b < multibody->body_count; ++b) {
        const iso_mb_body* body = &multibody->bodies[b];
        int q_count = iso_mobility_q_count(body->mobility);
        int count = q_count + iso_mobility_v_count(body->mobility);
        for (int k = 0; k < count; ++k) {
            int j =
                k < q_count ? body->q_index + k : multibody->q_count + body->v_index + k - q_count;
            a->tree_of[j] = body->tree;
            a->turn_of[j] = a->column_of[body->tree]++;
            a->turn_count = a->turn_of[j] >= a->turn_count ? a->turn_of[j] + 1 : a->turn_count;
        }
    }
}

// M^-1 J^T of both sides of a pair.
static iso_status make_answers(apart* a, int pair_index) {
    const iso_multibody* multibody = a->f->stages->stepper->dynamics.multibody;
    const iso_contact_pair* pair = a->lines->pairs[pair_index].pair;
    iso_arena* arena = &a->f->stages->stepper->arena;
    iso_pair_jacobians j = {.tree_a = -1, .tree_b = -1};
    bool is_free =
        multibody->bodies[pair->body_a].tree >= 0 || multibody->bodies[pair->body_b].tree >= 0;
    iso_status status =
        !is_free ? ISO_OK
                 : iso_stages_pair_jacobians(a->now, pair->body_a, pair->body_b, pair->p_wc, &j);
    for (int side = 0; side < 2 && status == ISO_OK; ++side) {
        int tree = side == 0 ? j.tree_a : j.tree_b;
        const double* jacobian = side == 0 ? j.jacobian_a : j.jacobian_b;
        a->answers[2 * pair_index + side] = NULL;
        if (tree >= 0) {
            int dofs = multibody->tree_v_index[tree + 1] - multibody->tree_v_index[tree];
            double* x = iso_arena_push_array(arena, 6 * dofs, sizeof *x);
            ISO_REQUIRE(arena->ctx, x, ISO_ERR_MEMORY, "answers of %d degrees of freedom", dofs);
            for (int d = 0; d < dofs; ++d) {
                for (int i = 0; i < 6; ++i) {
                    x[6 * d + i] = jacobian[i * dofs + d];
                }
            }
            iso_cholesky_solve_block(a->now->a_factor + multibody->tree_m_index[tree], dofs, dofs,
                                     x, 6, 6);
            a->answers[2 * pair_index + side] = x;
        }
    }
    return status;
}

static iso_status begin_apart(apart* a, iso_stages* now) {
    iso_stepper* stepper = a->f->stages->stepper;
    const iso_multibody* multibody = stepper->dynamics.multibody;
    iso_arena* arena = &stepper->arena;
    int trees = multibody->tree_count, pairs = a->lines->set->pair_count;
    size_t bodies = (size_t)multibody->body_count;
    a->tree_of = iso_arena_push_array(arena, 2 * a->motion, sizeof *a->tree_of);
    a->turn_of = a->tree_of + a->motion;
    a->column_of = iso_arena_push_array(arena, trees, sizeof *a->column_of);
    a->steps = iso_arena_push_array(arena, trees, sizeof *a->steps);
    a->answers = iso_arena_push_array(arena, 2 * pairs, sizeof *a->answers);
    ISO_REQUIRE(arena->ctx, a->tree_of && a->column_of && a->steps && a->answers, ISO_ERR_MEMORY,
                "columns of %d trees", trees);
    iso_status status = iso_flow_factor_mass(now);
    status = status == ISO_OK ? iso_kinematics_push(multibody, arena, &a->mixed) : status;
    for (int i = 0; i < pairs && status == ISO_OK; ++i) {
        status = make_answers(a, i);
    }
    if (status == ISO_OK) {
        memcpy(a->mixed.x_wb, now->kinematics.x_wb, bodies * sizeof *a->mixed.x_wb);
        memcpy(a->mixed.v_wb, now->kinematics.v_wb, bodies * sizeof *a->mixed.v_wb);
        order_components(a);
    }
    return status;
}

// What the wrench of a pair becomes when the component of one of its trees is moved.
static iso_spatial wrench_rate(apart* a, const iso_kinematics* place, int pair_index, int tree) {
    const iso_mb_body* bodies = a->f->stages->stepper->dynamics.multibody->bodies;
    const pair_line* line = &a->lines->pairs[pair_index];
    const int sides[2] = {line->pair->body_a, line->pair->body_b};
    for (int k = 0; k < 2; ++k) {
        if (bodies[sides[k]].tree == tree) {
            a->mixed.x_wb[sides[k]] = place->x_wb[sides[k]];
            a->mixed.v_wb[sides[k]] = place->v_wb[sides[k]];
        }
    }
    iso_spatial wrench = iso_flow_line_wrench(a->f, &a->mixed, pair_index);
    for (int k = 0; k < 2; ++k) {
        a->mixed.x_wb[sides[k]] = a->now->kinematics.x_wb[sides[k]];
        a->mixed.v_wb[sides[k]] = a->now->kinematics.v_wb[sides[k]];
    }
    return iso_spatial_scale(iso_spatial_sub(wrench, line->law.wrench), 1.0 / a->steps[tree]);
}

// Columns of a pair's trees: the accelerations of both by its wrench.
static void add_pair(apart* a, const iso_kinematics* place, int pair_index, double* jacobian) {
    const iso_multibody* multibody = a->f->stages->stepper->dynamics.multibody;
    const iso_contact_pair* pair = a->lines->pairs[pair_index].pair;
    int trees[2] = {multibody->bodies[pair->body_a].tree, multibody->bodies[pair->body_b].tree};
    if (trees[0] < 0 || trees[0] == trees[1]) { // as iso_pair_jacobians
        trees[0] = trees[1];
        trees[1] = -1;
    }
    for (int k = 0; k < 2; ++k) {
        int column = trees[k] >= 0 ? a->column_of[trees[k]] : -1;
        if (column < 0) {
            continue;
        }
        iso_spatial by = wrench_rate(a, place, pair_index, trees[k]);
        const double w[6] = {by.rotational.x,    by.rotational.y,    by.rotational.z,
                             by.translational.x, by.translational.y, by.translational.z};
        for (int side = 0; side < 2 && trees[side] >= 0; ++side) {
            const double* answer = a->answers[2 * pair_index + side];
            int first = multibody->tree_v_index[trees[side]];
            int end = multibody->tree_v_index[trees[side] + 1];
            for (int d = first; d < end; ++d) {
                const double* row = answer + 6 * (d - first);
                jacobian[(multibody->q_count + d) * a->motion + column] +=
                    row[0] * w[0] + row[1] * w[1] + row[2] * w[2] + row[3] * w[3] + row[4] * w[4] +
                    row[5] * w[5];
            }
        }
    }
}

// One component of each tree.
static iso_status fill_turn(apart* a, double t, const double* y, int turn, double* moved,
                            const double* rates, double* rates_moved, double* out_jacobian) {
    int trees = a->f->stages->stepper->dynamics.multibody->tree_count, n = a->motion;
    for (int k = 0; k < trees; ++k) {
        a->column_of[k] = -1;
    }
    memcpy(moved, y, (size_t)n * sizeof *moved);
    for (int j = 0; j < n; ++j) {
        if (a->turn_of[j] == turn) {
            a->column_of[a->tree_of[j]] = j;
            a->steps[a->tree_of[j]] = step_aside(y, j, n, moved);
        }
    }
    iso_kinematics place;
    a->lines->are_held = true;
    iso_status status = rates_beside(a->f, t, moved, &place, rates_moved);
    a->lines->are_held = false;
    for (int i = 0; i < n && status == ISO_OK; ++i) {
        int tree = a->tree_of[i], j = a->column_of[tree];
        if (j >= 0) {
            out_jacobian[i * n + j] = (rates_moved[i] - rates[i]) / a->steps[tree];
        }
    }
    for (int p = 0; p < a->lines->set->pair_count && status == ISO_OK; ++p) {
        add_pair(a, &place, p, out_jacobian);
    }
    return status;
}

static iso_status fill_apart(iso_flow* f, iso_flow_lines* lines, iso_stages* now, double t,
                             const double* y, double* out_jacobian) {
    const iso_multibody* multibody = f->stages->stepper->dynamics.multibody;
    iso_arena* arena = &f->stages->stepper->arena;
    int n = multibody->q_count + multibody->v_count;
    apart a = {.f = f, .lines = lines, .now = now, .motion = n};
    iso_status status = begin_apart(&a, now);
    double* moved = iso_arena_push_array(arena, 3 * n, sizeof *moved);
    if (status != ISO_OK) {
        return status;
    }
    ISO_REQUIRE(arena->ctx, moved, ISO_ERR_MEMORY, "columns of %d rates", n);
    iso_kinematics place;
    memset(out_jacobian, 0, (size_t)n * (size_t)n * sizeof *out_jacobian);
    lines->are_held = true;
    status = rates_beside(f, t, y, &place, moved + n);
    lines->are_held = false;
    for (int turn = 0; turn < a.turn_count && status == ISO_OK; ++turn) {
        iso_arena_mark mark = iso_arena_get_mark(arena);
        status = fill_turn(&a, t, y, turn, moved, moved + n, moved + 2 * n, out_jacobian);
        iso_arena_release(arena, mark);
    }
    return status;
}

iso_status iso_flow_jacobian(iso_flow* f, double t, const double* y, double* out_jacobian) {
    iso_arena* arena = &f->stages->stepper->arena;
    iso_arena_mark mark = iso_arena_get_mark(arena);
    iso_stages now = iso_flow_begin(f);
    iso_flow_lines lines = {NULL, NULL, false};
    iso_status status = ISO_OK;
    ISO_TRY(iso_flow_place(f, &now, t, y));
    ISO_TRY(iso_stage_contacts(&now));
    ISO_TRY(make_lines(f, &now, &lines));
    f->lines = &lines;
    status = meet_in_contacts_alone(f) ? fill_apart(f, &lines, &now, t, y, out_jacobian)
                                       : fill_columns(f, t, y, out_jacobian);
    status = status == ISO_OK && iso_flow_is_memory_short(f) ? ISO_ERR_NOT_FOUND : status;
done:
    f->lines = NULL;
    iso_flow_end(f, &now);
    iso_arena_release(arena, mark);
    return status;
}
