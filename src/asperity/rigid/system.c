// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "asperity/rigid/system.h"

#include <math.h>

/// A contact where it is now.
typedef struct placed {
    iso_vec3 axes[3]; ///< normal and tangents, world
    iso_vec3 arms[2]; ///< from the centres of mass of a and b, world [m]
    double gap;       ///< [m]
} placed;

static placed place(const iso_rigid_system* s, const iso_rigid_contact* c) {
    const iso_rigid_body* b = &s->bodies[c->b];
    const iso_rigid_body* a = c->a >= 0 ? &s->bodies[c->a] : NULL;
    iso_mat3 axes = a ? a->r_wb : iso_mat3_identity();
    placed p = {
        .axes = {iso_mat3_column(&axes, 2), iso_mat3_column(&axes, 0), iso_mat3_column(&axes, 1)}};
    iso_vec3 origin = a ? a->p_wb : iso_vec3_zero();
    p.arms[1] = iso_mat3_mul_vec3(&b->r_wb, c->p_bc);
    p.arms[0] = iso_vec3_sub(iso_vec3_add(b->p_wb, p.arms[1]), origin);
    p.gap = iso_vec3_dot(p.axes[0], p.arms[0]) - c->height;
    return p;
}

static iso_vec3 turn_by_inverse_inertia(const iso_rigid_body* b, iso_vec3 torque) {
    iso_vec3 t = iso_mat3_tmul_vec3(&b->r_wb, torque);
    t = iso_vec3_make(t.x / b->inertia.x, t.y / b->inertia.y, t.z / b->inertia.z);
    return iso_mat3_mul_vec3(&b->r_wb, t);
}

// Angular acceleration without forces: -I^-1 (w x I w).
static iso_vec3 gyrate(const iso_rigid_body* b) {
    iso_vec3 w = iso_mat3_tmul_vec3(&b->r_wb, b->w_wb);
    iso_vec3 spin = iso_vec3_make(b->inertia.x * w.x, b->inertia.y * w.y, b->inertia.z * w.z);
    iso_vec3 torque = iso_vec3_cross(iso_mat3_mul_vec3(&b->r_wb, spin), b->w_wb);
    return turn_by_inverse_inertia(b, torque);
}

// Both bodies of a contact: index and sign of a and b.
static int body_of(const iso_rigid_contact* c, int side) {
    return side == 0 ? c->a : c->b;
}

// Sum over the bodies that both contacts touch, each of them once more where it is on both sides
// (2.22): d_i^T (1 / m + r_i x I^-1 x r_j) d_j.
static double mobility(const iso_rigid_system* s, const placed* p, int i, int k, int j, int l) {
    double sum = 0.0;
    for (int side = 0; side < 2; ++side) {
        for (int other = 0; other < 2; ++other) {
            int body = body_of(&s->contacts[i], side);
            if (body < 0 || body != body_of(&s->contacts[j], other)) {
                continue;
            }
            iso_vec3 di = p[i].axes[k], dj = p[j].axes[l];
            iso_vec3 turn =
                turn_by_inverse_inertia(&s->bodies[body], iso_vec3_cross(p[j].arms[other], dj));
            double way = side == other ? 1.0 : -1.0;
            sum += way * (iso_vec3_dot(di, dj) / s->bodies[body].mass +
                          iso_vec3_dot(iso_vec3_cross(p[i].arms[side], di), turn));
        }
    }
    return sum;
}

void iso_rigid_assemble(iso_rigid_system* s) {
    placed p[ISO_RIGID_CONTACTS];
    int n = 3 * s->contact_count;
    for (int i = 0; i < s->contact_count; ++i) {
        p[i] = place(s, &s->contacts[i]);
    }
    for (int i = 0; i < n; ++i) {
        const iso_rigid_contact* c = &s->contacts[i / 3];
        iso_vec3 d = p[i / 3].axes[i % 3];
        double now = 0.0, rate = 0.0;
        for (int side = 0; side < 2; ++side) {
            double way = side == 0 ? -1.0 : 1.0;
            if (body_of(c, side) < 0) {
                continue;
            }
            const iso_rigid_body* b = &s->bodies[body_of(c, side)];
            iso_vec3 r = p[i / 3].arms[side], turn = iso_vec3_cross(b->w_wb, r);
            iso_vec3 rates = iso_vec3_add(s->gravity, iso_vec3_cross(gyrate(b), r));
            now += way * iso_vec3_dot(d, iso_vec3_add(b->v_wb, turn));
            rate += way * iso_vec3_dot(d, rates);
            s->rates[i] = rate + way * iso_vec3_dot(d, iso_vec3_cross(b->w_wb, turn));
        }
        double gap = i % 3 == 0 ? p[i / 3].gap : 0.0;
        s->now[i] = now;
        s->b[i] = now + s->time_step * rate + (gap > 0.0 ? gap : 0.2 * gap) / s->time_step;
        for (int j = 0; j < n; ++j) {
            s->w[i * n + j] = mobility(s, p, i / 3, i % 3, j / 3, j % 3);
        }
    }
}

iso_cone_problem iso_rigid_problem(const iso_rigid_system* s) {
    return (iso_cone_problem){s->contact_count, s->w, s->b, s->friction};
}

void iso_rigid_advance(iso_rigid_system* s) {
    double h = s->time_step;
    iso_vec3 push[ISO_RIGID_BODIES], turn[ISO_RIGID_BODIES];
    for (int i = 0; i < s->body_count; ++i) {
        push[i] = iso_vec3_scale(s->gravity, h);
        turn[i] = iso_vec3_scale(gyrate(&s->bodies[i]), h);
    }
    for (int i = 0; i < s->contact_count; ++i) {
        placed p = place(s, &s->contacts[i]);
        iso_vec3 f = iso_vec3_zero();
        for (int k = 0; k < 3; ++k) {
            f = iso_vec3_add(f, iso_vec3_scale(p.axes[k], s->impulses[3 * i + k]));
        }
        for (int side = 0; side < 2; ++side) {
            int body = body_of(&s->contacts[i], side);
            double way = side == 0 ? -1.0 : 1.0;
            if (body < 0) {
                continue;
            }
            const iso_rigid_body* b = &s->bodies[body];
            iso_vec3 torque = iso_vec3_cross(p.arms[side], f);
            push[body] = iso_vec3_add(push[body], iso_vec3_scale(f, way / b->mass));
            turn[body] =
                iso_vec3_add(turn[body], turn_by_inverse_inertia(b, iso_vec3_scale(torque, way)));
        }
    }
    for (int i = 0; i < s->body_count; ++i) {
        iso_rigid_body* b = &s->bodies[i];
        b->v_wb = iso_vec3_add(b->v_wb, push[i]);
        b->w_wb = iso_vec3_add(b->w_wb, turn[i]);
        b->p_wb = iso_vec3_add(b->p_wb, iso_vec3_scale(b->v_wb, h));
        double angle = h * iso_vec3_norm(b->w_wb);
        if (angle > 0.0) {
            iso_mat3 r = iso_mat3_from_axis_angle(iso_vec3_normalized(b->w_wb), angle);
            b->r_wb = iso_mat3_mul(r, b->r_wb);
        }
    }
}
