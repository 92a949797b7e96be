// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "multibody/route.h"

#include <math.h>

// What a walk along a route gathers.
typedef struct walk {
    const iso_multibody* multibody; // NULL: its length alone
    const iso_kinematics* kinematics;
    double length;
    double scale;    // of what is met: one over the divisor of the last pulley, and the effort
    double effort;   //
    double* tau;     // [v_count] effort dl/dq is added; NULL: not asked
    const double* v; // NULL: no rate
    double rate;
    int dof; // whose dl/dq is asked for; -1: none
    double weight;
} walk;

// --- pulls ---------------------------------------------------------------------------------------

static int find_common(const iso_multibody* multibody, int a, int b) {
    while (a != b) {
        if (a > b) {
            a = multibody->bodies[a].parent;
        } else {
            b = multibody->bodies[b].parent;
        }
    }
    return a;
}

// A wrench about p on a body, as joints up to another one feel it.
static void pull(walk* w, int body, int stop, iso_vec3 p, iso_spatial f) {
    const iso_multibody* multibody = w->multibody;
    for (int b = body; b != stop && multibody->bodies[b].tree >= 0;
         b = multibody->bodies[b].parent) {
        const iso_mb_body* mb = &multibody->bodies[b];
        int end = mb->v_index + iso_mobility_v_count(mb->mobility);
        for (int k = mb->v_index; k < end; ++k) {
            iso_vec3 to = iso_vec3_sub(w->kinematics->dof_point[k], p);
            double weight = w->scale * iso_spatial_dot(w->kinematics->dof_axis[k],
                                                       iso_spatial_shift_wrench(f, to));
            if (w->tau) {
                w->tau[k] += w->effort * weight;
            }
            w->rate += w->v ? weight * w->v[k] : 0.0;
            w->weight += k == w->dof ? weight : 0.0;
        }
    }
}

// A straight piece between points of two bodies.
static void add_piece(walk* w, int a, iso_vec3 p, int b, iso_vec3 q) {
    iso_vec3 along = iso_vec3_sub(q, p);
    double span = iso_vec3_norm(along);
    w->length += w->scale * span;
    if (!w->multibody || a == b) {
        return;
    }
    iso_vec3 u = span > 0.0 ? iso_vec3_scale(along, 1.0 / span) : iso_vec3_make(1.0, 0.0, 0.0);
    int common = find_common(w->multibody, a, b);
    pull(w, a, common, p, iso_spatial_make(iso_vec3_zero(), iso_vec3_neg(u)));
    pull(w, b, common, q, iso_spatial_make(iso_vec3_zero(), u));
}

// --- obstacles -----------------------------------------------------------------------------------

// Axes x and y of the plane in which a line from a to b is wound; in the frame of the obstacle.
static void find_plane(const iso_route_part* part, iso_vec3 a, iso_vec3 b, iso_vec3* x,
                       iso_vec3* y) {
    *x = iso_vec3_make(1.0, 0.0, 0.0);
    *y = iso_vec3_make(0.0, 1.0, 0.0);
    if (part->kind == ISO_ROUTE_SPHERE) {
        *x = iso_vec3_normalized(a);
        iso_vec3 normal = iso_vec3_cross(*x, iso_vec3_normalized(b));
        if (iso_vec3_norm(normal) < 1e-15) { // any plane will do
            bool is_x = fabs(x->x) < 0.6;
            normal = iso_vec3_cross(*x, iso_vec3_make(is_x ? 1.0 : 0.0, is_x ? 0.0 : 1.0, 0.0));
        }
        *y = iso_vec3_cross(iso_vec3_normalized(normal), *x);
    }
}

// An obstacle as a line between two points sees it.
typedef struct sight {
    iso_pose x_ws;
    iso_vec3 p_s, q_s; // the points in its frame
    iso_vec3 x, y;     // of the plane of the winding
    double from[2], to[2];
    bool is_inside;
} sight;

static iso_winding wind_in_plane(const iso_route_part* part, const iso_vec3* side, sight* s) {
    s->is_inside = side && iso_vec3_norm(*side) < part->radius;
    if (!side) {
        return iso_winding_outside(s->from, s->to, part->radius, NULL);
    }
    if (s->is_inside) {
        return iso_winding_inside(s->from, s->to, part->radius);
    }
    const double way[2] = {iso_vec3_dot(*side, s->x), iso_vec3_dot(*side, s->y)};
    return iso_winding_outside(s->from, s->to, part->radius, way);
}

static iso_winding wind(const iso_route_part* part, const iso_pose* x_wb, iso_vec3 p, iso_vec3 q,
                        sight* out) {
    iso_vec3 side_s = iso_vec3_zero();
    out->x_ws = iso_pose_mul(&x_wb[part->body], &part->x_bs);
    iso_vec3 p_s = out->p_s = iso_pose_inverse_point(&out->x_ws, p);
    iso_vec3 q_s = out->q_s = iso_pose_inverse_point(&out->x_ws, q);
    if (iso_vec3_norm(p_s) < 1e-15 || iso_vec3_norm(q_s) < 1e-15) {
        return (iso_winding){.is_wound = false};
    }
    find_plane(part, p_s, q_s, &out->x, &out->y);
    if (part->other >= 0) {
        side_s =
            iso_pose_inverse_point(&out->x_ws, iso_pose_point(&x_wb[part->other], part->x_bo.p));
    }
    out->from[0] = iso_vec3_dot(p_s, out->x);
    out->from[1] = iso_vec3_dot(p_s, out->y);
    out->to[0] = iso_vec3_dot(q_s, out->x);
    out->to[1] = iso_vec3_dot(q_s, out->y);
    return wind_in_plane(part, part->other >= 0 ? &side_s : NULL, out);
}

bool iso_route_find_turn(const iso_route_part* obstacle, const iso_kinematics* kinematics,
                         iso_vec3 p, iso_vec3 q, iso_route_turn* out_turn) {
    sight s;
    iso_winding way = wind(obstacle, kinematics->x_wb, p, q, &s);
    *out_turn = (iso_route_turn){way.is_wound && s.is_inside, way.is_long, way.angle};
    return way.is_wound;
}

// A line between p of body a and q of body b that an obstacle may turn.
static void add_wound(walk* w, const iso_route_part* part, int a, iso_vec3 p, int b, iso_vec3 q) {
    sight s;
    iso_winding way = wind(part, w->kinematics->x_wb, p, q, &s);
    if (!way.is_wound) {
        add_piece(w, a, p, b, q);
        return;
    }
    iso_vec3 meets = iso_vec3_add_scaled(iso_vec3_scale(s.x, way.a[0]), s.y, way.a[1]);
    iso_vec3 leaves = iso_vec3_add_scaled(iso_vec3_scale(s.x, way.b[0]), s.y, way.b[1]);
    if (part->kind == ISO_ROUTE_CYLINDER) { // it climbs evenly, as on the unrolled cylinder
        double first = hypot(s.from[0] - way.a[0], s.from[1] - way.a[1]);
        double last = hypot(s.to[0] - way.b[0], s.to[1] - way.b[1]);
        double climb = (s.q_s.z - s.p_s.z) / (first + way.arc + last);
        meets.z = s.p_s.z + climb * first;
        leaves.z = s.p_s.z + climb * (first + way.arc);
        way.arc = hypot(way.arc, leaves.z - meets.z);
    }
    iso_vec3 m = iso_pose_point(&s.x_ws, meets), n = iso_pose_point(&s.x_ws, leaves);
    add_piece(w, a, p, part->body, m);
    w->length += w->scale * way.arc;
    add_piece(w, part->body, n, b, q);
}

// --- frames --------------------------------------------------------------------------------------

static void add_frame(walk* w, const iso_route_part* part) {
    const iso_pose* x_wb = w->kinematics->x_wb;
    iso_pose x_ws = iso_pose_mul(&x_wb[part->body], &part->x_bs);
    iso_pose x_wo =
        part->other >= 0 ? iso_pose_mul(&x_wb[part->other], &part->x_bo) : iso_pose_identity();
    const iso_mat3* axes = part->is_in_other ? &x_wo.r : &x_ws.r;
    if (part->kind == ISO_ROUTE_FRAME) {
        iso_pose x_os = iso_pose_inverse_mul(&x_wo, &x_ws);
        iso_vec3 turn = iso_quat_to_rotation_vector(iso_quat_from_mat3(&x_os.r));
        w->length += w->scale * (iso_vec3_dot(part->weights.rotational, turn) +
                                 iso_vec3_dot(part->weights.translational, x_os.p));
    }
    if (!w->multibody) {
        return;
    }
    iso_spatial f = iso_spatial_make(iso_mat3_mul_vec3(axes, part->weights.rotational),
                                     iso_mat3_mul_vec3(axes, part->weights.translational));
    int common = part->other >= 0 ? find_common(w->multibody, part->body, part->other) : 0;
    pull(w, part->body, common, x_ws.p, f);
    if (part->other >= 0) {
        pull(w, part->other, common, x_wo.p, iso_spatial_scale(f, -1.0));
    }
}

// --- routes --------------------------------------------------------------------------------------

static void follow(const iso_route* route, walk* w) {
    const iso_route_part* last = NULL;
    const iso_route_part* obstacle = NULL;
    iso_vec3 p = iso_vec3_zero();
    w->scale = 1.0;
    for (int i = 0; i < route->count; ++i) {
        const iso_route_part* part = &route->parts[i];
        if (part->kind == ISO_ROUTE_POINT) {
            iso_vec3 q = iso_pose_point(&w->kinematics->x_wb[part->body], part->x_bs.p);
            if (last && obstacle) {
                add_wound(w, obstacle, last->body, p, part->body, q);
            } else if (last) {
                add_piece(w, last->body, p, part->body, q);
            }
            last = part;
            obstacle = NULL;
            p = q;
        } else if (part->kind == ISO_ROUTE_PULLEY) {
            w->scale = 1.0 / part->divisor;
            last = NULL;
        } else if (part->kind == ISO_ROUTE_FRAME || part->kind == ISO_ROUTE_WRENCH) {
            add_frame(w, part);
        } else {
            obstacle = part;
        }
    }
}

int iso_route_tree(const iso_route* route, const iso_multibody* multibody) {
    int tree = -1;
    for (int i = 0; i < route->count && tree < 0; ++i) {
        const iso_route_part* part = &route->parts[i];
        bool is_frame = part->kind == ISO_ROUTE_FRAME || part->kind == ISO_ROUTE_WRENCH;
        tree = part->kind != ISO_ROUTE_PULLEY ? multibody->bodies[part->body].tree : -1;
        tree =
            tree < 0 && is_frame && part->other >= 0 ? multibody->bodies[part->other].tree : tree;
    }
    return tree;
}

double iso_route_length(const iso_route* route, const iso_kinematics* kinematics) {
    walk w = {.kinematics = kinematics, .dof = -1};
    follow(route, &w);
    return w.length;
}

double iso_route_rate(const iso_route* route, const iso_multibody* multibody,
                      const iso_kinematics* kinematics, const double* v) {
    walk w = {.multibody = multibody, .kinematics = kinematics, .v = v, .dof = -1};
    follow(route, &w);
    return w.rate;
}

void iso_route_add_effort(const iso_route* route, const iso_multibody* multibody,
                          const iso_kinematics* kinematics, double effort, double* tau) {
    walk w = {
        .multibody = multibody, .kinematics = kinematics, .effort = effort, .tau = tau, .dof = -1};
    follow(route, &w);
}

double iso_route_weight(const iso_route* route, const iso_multibody* multibody,
                        const iso_kinematics* kinematics, int dof) {
    walk w = {.multibody = multibody, .kinematics = kinematics, .dof = dof};
    follow(route, &w);
    return w.weight;
}
