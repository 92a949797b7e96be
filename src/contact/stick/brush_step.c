// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "contact/stick/brush_step.h"

#include "base/core/fail.h"
#include "contact/pairs/episode.h"
#include "contact/pairs/material.h"
#include "contact/pairs/stretched.h"
#include "friction/shell/shell.h"

#include <math.h>
#include <string.h>

// A corner that is pressed over the step, in W.
typedef struct spring {
    int corner; // of the field
    iso_vec3 arm, normal;
    iso_vec3 pull;  // stiffness times stretch at the start, over the normal force
    double impulse; // normal [N s]
} spring;

struct iso_brush_step {
    iso_brush brush;
    iso_brush_field field;
    double* s; // [ISO_CORNER_NUMBERS * brush.count] at the start, axes of the body
    iso_shell shell;
    double mu, slope; // of the pull by the velocity: kbar (dt + tau) [s/m]
    double way;       // of a spring in the step to where friction holds it
    double dt;
    iso_mat3 r_wb;
    iso_vec3 p_bc;   // in W
    double* bounds;  // of friction of the points [padded_count], times dt
    spring* springs; // [spring_count]
    int spring_count;
    iso_press* presses; // [press_count]
    int press_count;
    iso_press_felt* felt; // [press_count]
    double* forces;       // [face_count]
    double energy;        // at the start [J]
    iso_pair_memory pair;
};

// Forces of the points, which lose their own friction.
static void take_bounds(iso_brush_step* b, iso_compliant_points* points) {
    size_t bytes = (size_t)points->padded_count * sizeof *b->bounds;
    memcpy(b->bounds, points->friction_force, bytes);
    memset(points->friction_force, 0, bytes);
    for (int i = 0; i < b->press_count; ++i) {
        b->presses[i].force = b->bounds[i] / (b->mu * b->dt);
    }
}

// Places of the points, from the origin of the body in its axes: any may be pressed by what is
// found.
static iso_status find_presses(const iso_contact_step_input* input, const iso_pose* x_wb,
                               iso_compliant_points* points, iso_brush_step* b) {
    iso_arena* arena = input->arena;
    b->presses = iso_arena_push_array(arena, points->count, sizeof *b->presses);
    b->bounds = iso_arena_push_array(arena, points->padded_count, sizeof *b->bounds);
    ISO_REQUIRE(arena->ctx, b->presses && b->bounds, ISO_ERR_MEMORY, "friction of a contact");
    for (int i = 0; i < points->count; ++i) {
        iso_vec3 r = iso_vec3_make(points->rx[i], points->ry[i], points->rz[i]);
        iso_vec3 n = iso_vec3_make(points->nx[i], points->ny[i], points->nz[i]);
        iso_vec3 p_bw = iso_vec3_sub(iso_vec3_add(points->p_wc, r), x_wb->p);
        b->presses[b->press_count++] =
            (iso_press){iso_mat3_tmul_vec3(&x_wb->r, p_bw), iso_mat3_tmul_vec3(&x_wb->r, n), 0.0,
                        points->face[i]};
    }
    take_bounds(b, points);
    return ISO_OK;
}

// The corners that the pair remembers and those that are pressed now, and what presses on them.
static iso_status find_field(const iso_contact_step_input* input, iso_brush_step* b) {
    iso_arena* arena = input->arena;
    iso_status status = ISO_OK;
    ISO_TRY(iso_episode_recall_field(arena, input->memory, input->memory_count, &b->brush, &b->s));
    ISO_TRY(iso_brush_load(arena, &b->brush, b->presses, b->press_count, &b->field));
    if (b->field.missing_count > 0) {
        ISO_TRY(iso_contact_grow_field(arena, input->system, input->pair->geometry_a,
                                       input->pair->geometry_b, b->field.missing,
                                       b->field.missing_count, &b->brush, b->s, &b->s));
        ISO_TRY(iso_brush_load(arena, &b->brush, b->presses, b->press_count, &b->field));
    }
done:
    return status;
}

static iso_vec3 numbers_of(const iso_brush_step* b, int corner) {
    const double* s = b->s + ISO_CORNER_NUMBERS * corner;
    return iso_vec3_make(s[0], s[1], s[2]);
}

// Springs of the pressed corners, in W about the common point of the pair.
static void find_springs(iso_brush_step* b) {
    b->spring_count = 0;
    for (int i = 0; i < b->field.count; ++i) {
        const iso_corner_load* c = &b->field.loads[i];
        if (c->is_pressed) {
            iso_vec3 pull = iso_vec3_scale(numbers_of(b, i), sqrt(b->shell.stiffness / c->force));
            b->springs[b->spring_count++] = (spring){
                .corner = i,
                .arm = iso_vec3_sub(iso_mat3_mul_vec3(&b->r_wb, c->place), b->p_bc),
                .normal = iso_mat3_mul_vec3(&b->r_wb, c->normal),
                .pull = iso_mat3_mul_vec3(&b->r_wb, iso_vec3_tangential(pull, c->normal)),
                .impulse = b->dt * c->force,
            };
        }
    }
}

static iso_status make_springs(const iso_contact_step_input* input, iso_brush_step* b) {
    iso_arena* arena = input->arena;
    b->springs = iso_arena_push_array(arena, b->field.count, sizeof *b->springs);
    b->felt = iso_arena_push_array(arena, b->press_count, sizeof *b->felt);
    b->forces = iso_arena_push_array(arena, input->pair->patch.face_count, sizeof *b->forces);
    ISO_REQUIRE(arena->ctx, b->springs && b->felt && b->forces, ISO_ERR_MEMORY, "%d corners",
                b->field.count);
    for (int i = 0; i < b->field.count; ++i) {
        iso_vec3 s = numbers_of(b, i);
        b->energy += 0.5 * iso_vec3_dot(s, s);
    }
    find_springs(b);
    return ISO_OK;
}

// The body of the springs, where the patch was found.
static iso_pose find_body(const iso_contact_step_input* input) {
    const iso_contact_pair* pair = input->pair;
    bool is_on_a = iso_contact_field_is_on_a(input->system, pair);
    int geometry = is_on_a ? pair->geometry_a : pair->geometry_b;
    iso_pose x_gb = iso_pose_inverse(&iso_contact_system_geometry(input->system, geometry)->x_bg);
    return iso_pose_mul(is_on_a ? &pair->x_wa : &pair->x_wb, &x_gb);
}

iso_status iso_brush_step_begin(const iso_contact_step_input* input, double size,
                                iso_compliant_points* points, iso_brush_step** out) {
    const iso_contact_pair* pair = input->pair;
    *out = NULL;
    if (!(pair->friction_dynamic > 0.0)) {
        return ISO_OK;
    }
    iso_brush_step* b = iso_arena_push(input->arena, sizeof *b);
    ISO_REQUIRE(input->arena->ctx, b, ISO_ERR_MEMORY, "friction of a contact");
    iso_shell shell = iso_contact_shell(iso_contact_system_options(input->system));
    iso_pose x_wb = find_body(input);
    *b = (iso_brush_step){
        .brush = {.size = size},
        .shell = shell,
        .mu = pair->friction_dynamic,
        .slope = shell.stiffness * (input->dt + shell.time),
        .way = input->span / (input->dt + shell.time),
        .dt = input->dt,
        .r_wb = x_wb.r,
        .p_bc = iso_vec3_sub(pair->p_wc, x_wb.p),
        .pair = {.geometry_a = pair->geometry_a, .geometry_b = pair->geometry_b},
    };
    iso_status status = ISO_OK;
    ISO_TRY(find_presses(input, &x_wb, points, b));
    ISO_TRY(find_field(input, b));
    ISO_TRY(make_springs(input, b));
    *out = b;
done:
    return status;
}

// What the springs would pull with if nothing slid: Coulomb's bound cuts it.
static iso_vec3 pull_at(const iso_brush_step* b, const spring* at, const double v[6]) {
    iso_vec3 u = iso_vec3_cross(iso_vec3_make(v[0], v[1], v[2]), at->arm);
    u = iso_vec3_tangential(iso_vec3_add(u, iso_vec3_make(v[3], v[4], v[5])), at->normal);
    return iso_vec3_add_scaled(at->pull, u, b->slope);
}

// Huber's function of the pull over the slope.
static double value_of(const iso_brush_step* b, const spring* at, double size) {
    double mu = b->mu;
    double huber = size <= mu ? 0.5 * size * size : mu * (size - 0.5 * mu);
    return at->impulse * huber / b->slope;
}

static void add_gradient(const spring* at, iso_vec3 by_velocity, double* gradient) {
    iso_vec3 moment = iso_vec3_cross(at->arm, by_velocity);
    const double g[6] = {moment.x, moment.y, moment.z, by_velocity.x, by_velocity.y, by_velocity.z};
    for (int i = 0; i < 6; ++i) {
        gradient[i] += g[i];
    }
}

// G^T D G with the velocity G v of a corner: D is across the normal and, in slip, across the pull.
static void add_hessian(const iso_brush_step* b, const spring* at, iso_vec3 pull, double size,
                        double* hessian) {
    bool slides = size > b->mu;
    double factor = at->impulse * b->slope * (slides ? b->mu / size : 1.0);
    iso_vec3 along = slides ? iso_vec3_scale(pull, 1.0 / size) : iso_vec3_zero();
    iso_vec3 columns[6], across[6];
    for (int j = 0; j < 6; ++j) {
        iso_vec3 axis = iso_vec3_make(j % 3 == 0, j % 3 == 1, j % 3 == 2);
        columns[j] = j < 3 ? iso_vec3_cross(axis, at->arm) : axis;
        across[j] = iso_vec3_tangential(iso_vec3_tangential(columns[j], at->normal), along);
    }
    for (int i = 0; i < 6; ++i) {
        for (int j = 0; j < 6; ++j) { // projections: the same as with the column, and symmetric
            hessian[6 * i + j] += factor * iso_vec3_dot(across[i], across[j]);
        }
    }
}

double iso_brush_step_eval(const iso_brush_step* b, const double v[6], double* gradient,
                           double* hessian) {
    double value = 0.0;
    for (int i = 0; i < b->spring_count; ++i) {
        const spring* at = &b->springs[i];
        iso_vec3 pull = pull_at(b, at, v);
        double size = iso_vec3_norm(pull);
        value += value_of(b, at, size);
        if (gradient) {
            double share = size > b->mu ? b->mu / size : 1.0;
            add_gradient(at, iso_vec3_scale(pull, at->impulse * share), gradient);
        }
        if (hessian) {
            add_hessian(b, at, pull, size, hessian);
        }
    }
    return value;
}

static void load_springs(iso_brush_step* b, iso_compliant_points* points) {
    take_bounds(b, points);
    iso_brush_reload(&b->field, b->presses, b->press_count);
    find_springs(b);
}

static void give_bounds(const iso_brush_step* b, iso_compliant_points* points) {
    memcpy(points->friction_force, b->bounds, (size_t)points->padded_count * sizeof *b->bounds);
}

bool iso_brush_step_follow(iso_brush_step* b, iso_compliant_points* points, const double v0[6],
                           const double v[6], const double gradient[6], double coarseness) {
    give_bounds(b, points);
    bool has_followed = iso_compliant_points_follow(points, v0, v, gradient, b->mu, coarseness);
    load_springs(b, points);
    return has_followed;
}

void iso_brush_step_go_back(iso_brush_step* b, iso_compliant_points* points) {
    give_bounds(b, points);
    iso_compliant_points_go_back(points, b->mu);
    load_springs(b, points);
}

void iso_brush_step_line(const iso_brush_step* b, const double v[6], const double dv[6],
                         double alpha, double* value, double* slope, double* curvature) {
    double at_alpha[6];
    for (int i = 0; i < 6; ++i) {
        at_alpha[i] = v[i] + alpha * dv[i];
    }
    for (int i = 0; i < b->spring_count; ++i) {
        const spring* at = &b->springs[i];
        iso_vec3 pull = pull_at(b, at, at_alpha);
        iso_vec3 du = iso_vec3_cross(iso_vec3_make(dv[0], dv[1], dv[2]), at->arm);
        du = iso_vec3_tangential(iso_vec3_add(du, iso_vec3_make(dv[3], dv[4], dv[5])), at->normal);
        double size = iso_vec3_norm(pull);
        double share = size > b->mu ? b->mu / size : 1.0;
        double along = iso_vec3_dot(pull, du);
        double square = iso_vec3_dot(du, du);
        square -= size > b->mu ? along * along / (size * size) : 0.0;
        *value += value_of(b, at, size);
        *slope += at->impulse * share * along;
        *curvature += at->impulse * b->slope * share * square;
    }
}

void iso_brush_step_add_sizes(const iso_brush_step* b, double out[6]) {
    for (int i = 0; i < b->spring_count; ++i) {
        double most = b->mu * b->springs[i].impulse, arm = iso_vec3_norm(b->springs[i].arm);
        for (int k = 0; k < 6; ++k) {
            out[k] += k < 3 ? most * arm : most;
        }
    }
}

double iso_brush_step_energy(const iso_brush_step* b) {
    return b->energy;
}

int iso_brush_step_memory_count(const iso_brush_step* b) {
    return iso_episode_field_memories(b->brush.count);
}

// How far a spring goes on from where a step within the time step leaves it: what slides stays at
// Coulomb's bound, what is not pressed at rest.
static double way_of(const iso_brush_step* b, const iso_corner_load* corner) {
    return corner->is_pressed && !corner->is_sliding ? b->way : fmin(b->way, 1.0);
}

iso_spatial iso_brush_step_result(const iso_brush_step* b, const double v[6],
                                  const iso_patch* patch, const iso_face_values* faces,
                                  double* out_taken) {
    iso_spatial wrench = iso_spatial_zero();
    *out_taken = 0.0;
    for (int i = 0; i < b->spring_count; ++i) {
        const spring* at = &b->springs[i];
        iso_corner_load* c = &b->field.loads[at->corner];
        iso_vec3 pull = pull_at(b, at, v);
        double size = iso_vec3_norm(pull);
        c->is_sliding = size > b->mu;
        c->share = iso_vec3_scale(pull, c->is_sliding ? -b->mu / size : -1.0);
        c->stretch = iso_vec3_scale(iso_vec3_add(c->share, at->pull), -way_of(b, c));
        c->stretch = iso_vec3_add(c->stretch, at->pull); // at the end of the step
        c->stretch = iso_vec3_scale(c->stretch, 1.0 / b->shell.stiffness);
        iso_vec3 friction = iso_vec3_scale(c->share, c->force);
        wrench.rotational = iso_vec3_add(wrench.rotational, iso_vec3_cross(at->arm, friction));
        wrench.translational = iso_vec3_add(wrench.translational, friction);
        *out_taken -=
            iso_vec3_dot(friction, iso_vec3_scale(iso_vec3_sub(pull, at->pull), 1.0 / b->slope));
    }
    iso_brush_feel(&b->field, b->presses, b->press_count, b->felt);
    iso_press_fill_faces(patch, b->presses, b->press_count, b->felt, b->forces, faces);
    return wrench;
}

int iso_brush_step_commit(const iso_brush_step* b, iso_pair_memory* out_memories) {
    for (int i = 0; i < b->field.count; ++i) {
        const iso_corner_load* c = &b->field.loads[i];
        iso_vec3 held = iso_vec3_zero(), s = numbers_of(b, i);
        if (c->is_pressed) {
            held = iso_mat3_tmul_vec3(&b->r_wb, c->share);
            held = iso_vec3_scale(held, -sqrt(c->force / b->shell.stiffness));
        }
        s = iso_vec3_add_scaled(s, iso_vec3_sub(held, s), way_of(b, c));
        const double numbers[ISO_CORNER_NUMBERS] = {s.x, s.y, s.z};
        memcpy(b->s + ISO_CORNER_NUMBERS * i, numbers, sizeof numbers);
    }
    return iso_episode_keep_field(&b->pair, 0.0, &b->brush, b->s, out_memories);
}
