// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "support/per_face.h"
#include "contact/stick/point_step.h"

#include <math.h>
#include <string.h>

// A compliant point with SAP's regularised cone; docs/theory/contact.md.
typedef struct face_point {
    double n[3];         // from A into B
    double mu, r_n, r_t; // friction, regularisation [m/(N s^2)]
    double bias;         // separation velocity from which it is silent [m/s]
} face_point;

static double dot(const double* a, const double* b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// H = a (I - n n^T) + b n n^T + c t t^T + e (n t^T + t n^T)
static void fill_hessian(const double* n, const double* t, double a, double b, double c, double e,
                         double* out) {
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            out[3 * i + j] = (i == j ? a : 0.0) + (b - a) * n[i] * n[j] + c * t[i] * t[j] +
                             e * (n[i] * t[j] + t[i] * n[j]);
        }
    }
}

static double eval_face(const void* user, const double* u, double* out_gradient,
                        double* out_hessian) {
    const face_point* p = user;
    double v_n = dot(u, p->n), t[3], value = 0.0;
    for (int i = 0; i < 3; ++i) {
        t[i] = u[i] - v_n * p->n[i];
    }
    double speed = sqrt(dot(t, t)), closing = p->bias - v_n;
    double scale = speed > 0.0 ? 1.0 / speed : 0.0;
    for (int i = 0; i < 3; ++i) {
        t[i] *= scale;
    }
    double gamma_n = 0.0, gamma_t = 0.0, a = 0.0, b = 0.0, c = 0.0, e = 0.0;
    if (speed / p->r_t <= p->mu * closing / p->r_n) { // sticks
        gamma_n = closing / p->r_n;
        gamma_t = speed / p->r_t;
        value = 0.5 * (closing * gamma_n + speed * gamma_t);
        a = 1.0 / p->r_t;
        b = 1.0 / p->r_n;
    } else if (closing + p->mu * speed > 0.0) { // slides
        double reach = closing + p->mu * speed;
        b = 1.0 / (p->r_n + p->mu * p->mu * p->r_t);
        gamma_n = reach * b;
        gamma_t = p->mu * gamma_n;
        value = 0.5 * reach * gamma_n;
        a = gamma_t * scale;
        c = p->mu * p->mu * b - a;
        e = -p->mu * b;
    }
    for (int i = 0; i < 3; ++i) {
        out_gradient[i] = gamma_t * t[i] - gamma_n * p->n[i];
    }
    if (out_hessian) {
        fill_hessian(p->n, t, a, b, c, e, out_hessian);
    }
    return value;
}

static void line_face(const void* user, const double* u, const double* du, double alpha,
                      double* out_value, double* out_slope, double* out_curvature) {
    double at[3], gradient[3], hessian[9];
    for (int i = 0; i < 3; ++i) {
        at[i] = u[i] + alpha * du[i];
    }
    *out_value = eval_face(user, at, gradient, hessian);
    *out_slope = dot(gradient, du);
    *out_curvature = 0.0;
    for (int i = 0; i < 3; ++i) {
        *out_curvature += du[i] * dot(hessian + 3 * i, du);
    }
}

static const iso_potential_ops face_ops = {eval_face, line_face, NULL};

// Rows of the velocity at r: v + w x r, from the twist's (w; v).
static const double* point_jacobian(const double* six, int dofs, const double r[3],
                                    iso_arena* arena) {
    double* rows = iso_arena_push_array(arena, 3 * dofs, sizeof *rows);
    for (int d = 0; rows && d < dofs; ++d) {
        const double w[3] = {six[d], six[dofs + d], six[2 * dofs + d]};
        rows[d] = six[3 * dofs + d] + w[1] * r[2] - w[2] * r[1];
        rows[dofs + d] = six[4 * dofs + d] + w[2] * r[0] - w[0] * r[2];
        rows[2 * dofs + d] = six[5 * dofs + d] + w[0] * r[1] - w[1] * r[0];
    }
    return rows;
}

static int dofs_of(const iso_multibody* multibody, int tree) {
    return multibody->tree_v_index[tree + 1] - multibody->tree_v_index[tree];
}

static iso_status add_faces(const iso_stages* s, int pair, iso_arena* arena, iso_potential* out) {
    const iso_multibody* multibody = s->stepper->dynamics.multibody;
    const iso_compliant_points* points = iso_point_step_points(&s->steps[pair]);
    const iso_potential* six = &s->potentials[s->pair_potential[pair]];
    face_point* faces = iso_arena_push_array(arena, points->count, sizeof *faces);
    ISO_REQUIRE(s->stepper->ctx, faces, ISO_ERR_MEMORY, "%d faces", points->count);
    for (int i = 0; i < points->count; ++i) {
        faces[i] = (face_point){.n = {points->nx[i], points->ny[i], points->nz[i]},
                                .mu = points->friction_force[i],
                                .r_n = points->regularization[i],
                                .r_t = points->slip_scale[i],
                                .bias = points->bias[i]};
        const double r[3] = {points->rx[i], points->ry[i], points->rz[i]};
        out[i] = (iso_potential){.ops = &face_ops,
                                 .user = &faces[i],
                                 .rows = 3,
                                 .tree_a = six->tree_a,
                                 .tree_b = six->tree_b};
        out[i].jacobian_a =
            point_jacobian(six->jacobian_a, dofs_of(multibody, six->tree_a), r, arena);
        bool is_whole = out[i].jacobian_a != NULL;
        if (six->tree_b >= 0) {
            out[i].jacobian_b =
                point_jacobian(six->jacobian_b, dofs_of(multibody, six->tree_b), r, arena);
            is_whole = is_whole && out[i].jacobian_b != NULL;
        }
        ISO_REQUIRE(s->stepper->ctx, is_whole, ISO_ERR_MEMORY, "Jacobian of a face");
    }
    return ISO_OK;
}

iso_status per_face_problem(const iso_stages* s, iso_arena* arena,
                            iso_convex_problem* out_problem) {
    ISO_REQUIRE(s->stepper->ctx, s->stepper->settings.method == ISO_METHOD_SAP, ISO_ERR_ARGUMENT,
                "constraints for every face are those of method sap");
    int contact_count = 0, face_count = 0;
    for (int i = 0; i < s->set.pair_count; ++i) {
        if (s->pair_potential[i] >= 0) {
            contact_count++;
            face_count += iso_point_step_points(&s->steps[i])->count;
        }
    }
    int rest = s->potential_count - contact_count; // limits, drives, ties come after the contacts
    iso_potential* all = iso_arena_push_array(arena, face_count + rest, sizeof *all);
    ISO_REQUIRE(s->stepper->ctx, all, ISO_ERR_MEMORY, "%d faces", face_count);
    int count = 0;
    for (int i = 0; i < s->set.pair_count; ++i) {
        if (s->pair_potential[i] >= 0) {
            iso_status status = add_faces(s, i, arena, all + count);
            if (status != ISO_OK) {
                return status;
            }
            count += iso_point_step_points(&s->steps[i])->count;
        }
    }
    memcpy(all + count, s->potentials + contact_count, (size_t)rest * sizeof *all);
    *out_problem = iso_stages_problem(s);
    out_problem->potentials = all;
    out_problem->potential_count = count + rest;
    out_problem->inners = NULL; // plain Newton
    return ISO_OK;
}
