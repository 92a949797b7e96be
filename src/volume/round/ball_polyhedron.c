// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// A homogeneous f of degree k has the integral 1 / (k + 3) of f p.n over the surface. Flat pieces
// are parts of a disc, bounded by straight edges and arcs. On the sphere, where p = R n, integrals
// of p and p p^T follow from those of n and p n^T over flat pieces, as the surface is closed; its
// area is R^2 times the solid angle of the polyhedron's surface outside the ball. An ellipsoid is
// scaled to a ball, and the polyhedron with it. A half ball has the polyhedron above its plane,
// which passes through the centre: there p.n = 0, and only the surface closes with it.

#include "geometry/mesh/mesh.h"
#include "volume/round/round.h"
#include "volume/solids/moments.h"

// Integrals of 1, x and x x^T over a flat region about the foot of the perpendicular.
typedef struct disc_moments {
    double area, x, y, xx, xy, yy;
    double solid_angle; // of what is in the disc
    double outside;     // of what of the triangle is not
} disc_moments;

typedef struct disc {
    double height, radius, ball_radius; // of its plane above the centre; its own; the ball's
    bool sums_outside;                  // also of what is not in the disc
} disc;

typedef struct point2 {
    double x, y;
} point2;

static double cross2(point2 a, point2 b) {
    return a.x * b.y - a.y * b.x;
}

static double dot2(point2 a, point2 b) {
    return a.x * b.x + a.y * b.y;
}

// Solid angle of a triangle from the origin [VanOosterom1983].
static double solid_angle(iso_vec3 a, iso_vec3 b, iso_vec3 c) {
    double la = iso_vec3_norm(a), lb = iso_vec3_norm(b), lc = iso_vec3_norm(c);
    double det = iso_vec3_dot(a, iso_vec3_cross(b, c));
    double den =
        la * lb * lc + iso_vec3_dot(a, b) * lc + iso_vec3_dot(b, c) * la + iso_vec3_dot(c, a) * lb;
    return det == 0.0 ? 0.0 : 2.0 * atan2(det, den);
}

// From the centre, of the triangle of the foot and an edge.
static double angle_of_edge(const disc* d, point2 p, point2 q) {
    return solid_angle(iso_vec3_make(0.0, 0.0, d->height), iso_vec3_make(p.x, p.y, d->height),
                       iso_vec3_make(q.x, q.y, d->height));
}

static void add_flat_triangle(const disc* d, point2 p, point2 q, disc_moments* m) {
    double area = 0.5 * cross2(p, q), sx = p.x + q.x, sy = p.y + q.y;
    m->area += area;
    m->x += area / 3.0 * sx;
    m->y += area / 3.0 * sy;
    m->xx += area / 12.0 * (p.x * p.x + q.x * q.x + sx * sx);
    m->xy += area / 12.0 * (p.x * p.y + q.x * q.y + sx * sy);
    m->yy += area / 12.0 * (p.y * p.y + q.y * q.y + sy * sy);
    m->solid_angle += angle_of_edge(d, p, q);
}

// Of the triangle of the foot and an edge beyond the disc, what is in the disc.
static void add_sector(const disc* d, point2 p, point2 q, disc_moments* m) {
    double angle = atan2(cross2(p, q), dot2(p, q));
    double lp = sqrt(dot2(p, p)), lq = sqrt(dot2(q, q)), r = d->radius;
    double c0 = p.x / lp, s0 = p.y / lp, c1 = q.x / lq, s1 = q.y / lq;
    double second = r * r * r * r / 8.0;
    m->area += 0.5 * r * r * angle;
    m->x += r * r * r / 3.0 * (s1 - s0);
    m->y += r * r * r / 3.0 * (c0 - c1);
    m->xx += second * (angle + s1 * c1 - s0 * c0);
    m->xy += second * (s1 * s1 - s0 * s0);
    m->yy += second * (angle - s1 * c1 + s0 * c0);
    double share = d->radius * d->radius / (d->ball_radius * (d->ball_radius + fabs(d->height)));
    double seen = d->height > 0.0 ? angle * share : d->height < 0.0 ? -angle * share : 0.0;
    m->solid_angle += seen;
    m->outside += d->sums_outside ? angle_of_edge(d, p, q) - seen : 0.0;
}

static void add_disc(disc_moments* sum, const disc_moments* m, double share) {
    sum->area += share * m->area;
    sum->x += share * m->x;
    sum->y += share * m->y;
    sum->xx += share * m->xx;
    sum->xy += share * m->xy;
    sum->yy += share * m->yy;
}

static point2 along(point2 a, point2 b, double t) {
    return (point2){a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)};
}

// Shares of an edge between which it is in the disc; false: nowhere.
static bool cut_edge(const disc* d, point2 a, point2 b, double* enter, double* leave) {
    point2 ab = {b.x - a.x, b.y - a.y};
    double length2 = dot2(ab, ab), t = -dot2(a, ab) / length2;
    double offset = cross2(a, b) / sqrt(length2);
    double half2 = (d->radius - fabs(offset)) * (d->radius + fabs(offset)) / length2;
    double half = half2 > 0.0 ? sqrt(half2) : 0.0;
    *enter = fmax(t - half, 0.0);
    *leave = fmin(t + half, 1.0);
    return half > 0.0 && *enter < *leave;
}

// The part in the disc of the triangle of the foot and one edge.
static void add_edge(const disc* d, point2 a, point2 b, disc_moments* m) {
    double enter, leave;
    if (a.x == b.x && a.y == b.y) {
        return;
    }
    if (!cut_edge(d, a, b, &enter, &leave)) {
        add_sector(d, a, b, m);
        return;
    }
    point2 p = enter > 0.0 ? along(a, b, enter) : a, q = leave < 1.0 ? along(a, b, leave) : b;
    if (enter > 0.0) {
        add_sector(d, a, p, m);
    }
    add_flat_triangle(d, p, q, m);
    if (leave < 1.0) {
        add_sector(d, q, b, m);
    }
}

// Sums over flat pieces with unit normal n and height h: of h times f, of n, and of p n^T.
typedef struct ball_sums {
    double volume, solid_angle, outside;
    iso_vec3 first, area, turn;
    iso_vec3 own_area, own_turn; ///< without the plane of a half ball
    iso_mat3 second, mixed;
    int face_count;
    bool sums_outside;        ///< the solid angle of what is outside the ball too
    disc_moments cut, beyond; ///< of a half ball's plane: from the centre to edges; from there on
} ball_sums;

static void add_piece(const disc* d, const disc_moments* m, iso_vec3 n, iso_vec3 u, iso_vec3 v,
                      ball_sums* s) {
    double h = d->height;
    iso_vec3 flat = iso_vec3_add(iso_vec3_scale(u, m->x), iso_vec3_scale(v, m->y));
    iso_vec3 first = iso_vec3_add_scaled(flat, n, h * m->area);
    iso_mat3 un = iso_mat3_outer(u, v), nf = iso_mat3_outer(n, flat);
    iso_mat3 second = iso_mat3_scale(iso_mat3_outer(u, u), m->xx);
    second = iso_mat3_add(second, iso_mat3_scale(iso_mat3_outer(v, v), m->yy));
    second = iso_mat3_add(second, iso_mat3_scale(iso_mat3_add(un, iso_mat3_transpose(un)), m->xy));
    second = iso_mat3_add(second, iso_mat3_scale(iso_mat3_add(nf, iso_mat3_transpose(nf)), h));
    second = iso_mat3_add(second, iso_mat3_scale(iso_mat3_outer(n, n), h * h * m->area));
    s->volume += h * m->area;
    s->first = iso_vec3_add_scaled(s->first, first, h);
    s->second = iso_mat3_add(s->second, iso_mat3_scale(second, h));
    s->mixed = iso_mat3_add(s->mixed, iso_mat3_outer(first, n));
    s->area = iso_vec3_add_scaled(s->area, n, m->area);
    s->turn = iso_vec3_add(s->turn, iso_vec3_cross(first, n));
    s->solid_angle += m->solid_angle;
    s->outside += m->outside;
    s->face_count += m->area != 0.0;
}

static void add_triangle(double radius, const iso_vec3 p[3], ball_sums* s) {
    iso_vec3 twice = iso_vec3_scale(iso_triangle_area_vector(p[0], p[1], p[2]), 2.0);
    double length = iso_vec3_norm(twice);
    if (!(length > 0.0)) {
        return;
    }
    iso_vec3 n = iso_vec3_scale(twice, 1.0 / length);
    double h = iso_vec3_dot(n, p[0]);
    if (!(fabs(h) < radius)) {
        s->outside += s->sums_outside ? solid_angle(p[0], p[1], p[2]) : 0.0;
        return;
    }
    disc d = {h, sqrt((radius - h) * (radius + h)), radius, s->sums_outside};
    iso_vec3 u = iso_vec3_normalized(iso_vec3_sub(p[1], p[0])), v = iso_vec3_cross(n, u);
    point2 q[3];
    for (int k = 0; k < 3; ++k) {
        q[k] = (point2){iso_vec3_dot(u, p[k]), iso_vec3_dot(v, p[k])};
    }
    disc_moments m = {0};
    for (int k = 0; k < 3; ++k) {
        add_edge(&d, q[k], q[(k + 1) % 3], &m);
    }
    add_piece(&d, &m, n, u, v, s);
}

// The ellipsoid: a ball whose axes are longer.
typedef struct stretched_ball {
    double radius, longest; // of the ball; the longest semi-axis
    iso_vec3 stretch;       // >= 1
    bool is_half;           // of it, what has z > 0
} stretched_ball;

// An edge of the polyhedron's section by the plane of a half ball: what of the disc is before it,
// seen from the centre, and what is beyond the part in the disc.
static void add_cut(double radius, iso_vec3 from, iso_vec3 to, ball_sums* s) {
    disc d = {0.0, radius, radius, s->sums_outside};
    point2 a = {from.x, from.y}, b = {to.x, to.y};
    double enter, leave;
    add_edge(&d, a, b, &s->cut);
    if (cut_edge(&d, a, b, &enter, &leave)) {
        disc_moments flat = {0};
        point2 p = along(a, b, enter), q = along(a, b, leave);
        add_sector(&d, p, q, &s->beyond);
        add_flat_triangle(&d, p, q, &flat);
        add_disc(&s->beyond, &flat, -1.0);
    }
}

// The part of a triangle above the plane of a half ball. Where it leaves and comes back, it ends in
// an edge there; what lies in the plane is below it.
static void add_upper_triangle(double radius, const iso_vec3 p[3], ball_sums* s) {
    iso_vec3 q[4], ends[2];
    int count = 0;
    bool is_cut = false;
    for (int k = 0; k < 3; ++k) {
        iso_vec3 a = p[k], b = p[(k + 1) % 3];
        if (a.z > 0.0) {
            q[count++] = a;
        }
        if ((a.z > 0.0) != (b.z > 0.0)) {
            iso_vec3 at = iso_vec3_lerp(a, b, a.z / (a.z - b.z));
            at.z = 0.0;
            ends[b.z > 0.0] = at;
            q[count++] = at;
            is_cut = true;
        }
    }
    for (int k = 2; k < count; ++k) {
        const iso_vec3 part[3] = {q[0], q[k - 1], q[k]};
        add_triangle(radius, part, s);
    }
    if (is_cut) {
        add_cut(radius, ends[0], ends[1], s);
    }
}

static void add_part(const stretched_ball* a, const iso_vec3 p[3], ball_sums* s) {
    if (a->is_half) {
        add_upper_triangle(a->radius, p, s);
    } else {
        add_triangle(a->radius, p, s);
    }
}

static void corners_of(const stretched_ball* a, const iso_volume_body* b, const iso_pose* x_ab,
                       int triangle, iso_vec3 out[3]) {
    for (int k = 0; k < 3; ++k) {
        iso_vec3 p = b->surface.vertices[b->surface.triangles[triangle][k]];
        p = iso_pose_point(x_ab, p);
        out[k] = iso_vec3_make(p.x / a->stretch.x, p.y / a->stretch.y, p.z / a->stretch.z);
    }
}

static bool reaches(const iso_bvh_node* node, int side, iso_vec3 center, double radius) {
    double square = 0.0;
    for (int k = 0; k < 3; ++k) {
        double away = fabs(iso_vec3_get(center, k) - (double)node->center[k][side]);
        double out = away - (double)node->half[k][side];
        square += out > 0.0 ? out * out : 0.0;
    }
    return square <= radius * radius;
}

static void add_near(const stretched_ball* a, const iso_volume_body* b, const iso_pose* x_ab,
                     ball_sums* sums) {
    iso_vec3 center = iso_pose_inverse_point(x_ab, iso_vec3_zero()), p[3];
    int stack[ISO_BVH_STACK_SIZE], depth = 0;
    stack[depth++] = 0;
    while (depth > 0) {
        const iso_bvh_node* node = &b->tree.nodes[stack[--depth]];
        for (int side = 0; side < 2; ++side) {
            if (!reaches(node, side, center, a->longest * (1.0 + 1e-6))) {
                continue;
            }
            if (node->child[side] >= 0) {
                stack[depth++] = node->child[side];
                continue;
            }
            const int* elements = &b->tree.elements[(-1 - node->child[side]) * ISO_BVH_LEAF_SIZE];
            for (int i = 0; i < ISO_BVH_LEAF_SIZE && elements[i] >= 0; ++i) {
                corners_of(a, b, x_ab, elements[i], p);
                add_part(a, p, sums);
            }
        }
    }
}

// The polyhedron's section by the plane of a half ball closes its surface.
static void close_half(const stretched_ball* a, const disc_moments* cut, ball_sums* s) {
    iso_vec3 x = {1.0, 0.0, 0.0}, y = {0.0, 1.0, 0.0}, down = {0.0, 0.0, -1.0};
    disc d = {0.0, a->radius, a->radius, false};
    disc_moments m = *cut;
    s->own_area = s->area;
    s->own_turn = s->turn;
    m.solid_angle = m.outside = 0.0;
    if (a->is_half) {
        add_piece(&d, &m, down, x, y, s);
    }
}

// Sums, and the area of the sphere in the polyhedron over R^2: the solid angle of the surface
// outside the ball. That of the whole is 4 pi or 0, unless the centre is near the surface: then
// what lies outside, which does not jump there, is summed of every triangle.
static double sum_pieces(const stretched_ball* a, const iso_volume_body* b, const iso_pose* x_ab,
                         ball_sums* s) {
    iso_vec3 center = iso_pose_inverse_point(x_ab, iso_vec3_zero()), p[3];
    iso_vec3 normal;
    double distance = iso_volume_body_distance(b, center, &normal);
    if (fabs(distance) > 1e-6 * a->radius) {
        add_near(a, b, x_ab, s);
        double r2 = distance < 0.0 ? a->radius * a->radius : 0.0, r4 = r2 * r2;
        disc_moments cut = {
            .area = ISO_PI * r2, .xx = 0.25 * ISO_PI * r4, .yy = 0.25 * ISO_PI * r4};
        add_disc(&cut, &s->beyond, -1.0);
        close_half(a, &cut, s);
        return (distance < 0.0 ? (a->is_half ? 2.0 : 4.0) * ISO_PI : 0.0) - s->solid_angle;
    }
    s->sums_outside = true;
    for (int i = 0; i < b->surface.triangle_count; ++i) {
        corners_of(a, b, x_ab, i, p);
        add_part(a, p, s);
    }
    close_half(a, &s->cut, s);
    return s->outside;
}

// Moments of the ball from the sums of what is flat.
static void set_moments(double radius, double sphere, const ball_sums* s, iso_volume_moments* m) {
    m->volume = (s->volume + radius * sphere) / 3.0;
    m->first = iso_vec3_scale(iso_vec3_add_scaled(s->first, s->area, -radius * radius), 0.25);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            double mixed = 0.5 * (s->mixed.m[i][j] + s->mixed.m[j][i]);
            double on_sphere = (i == j ? m->volume : 0.0) - mixed;
            m->second.m[i][j] = (s->second.m[i][j] + radius * radius * on_sphere) / 5.0;
        }
    }
    m->area = s->own_area;
    m->turn = s->own_turn;
    m->face_count = s->face_count + 1;
    // Apart, what is left is rounding.
    m->volume = m->volume > 1e-15 * radius * radius * radius ? m->volume : 0.0;
}

// Places stretch by D, areas as vectors by det D / D.
static void stretch_moments(iso_vec3 by, const ball_sums* s, iso_volume_moments* m) {
    const double d[3] = {by.x, by.y, by.z}, all = by.x * by.y * by.z;
    double mixed[3][3];
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            m->second.m[i][j] *= all * d[i] * d[j];
            mixed[i][j] = all * d[i] / d[j] * s->mixed.m[i][j];
        }
    }
    m->volume *= all;
    m->first =
        iso_vec3_make(all * by.x * m->first.x, all * by.y * m->first.y, all * by.z * m->first.z);
    m->area = iso_vec3_make(all / by.x * m->area.x, all / by.y * m->area.y, all / by.z * m->area.z);
    m->turn = iso_vec3_make(mixed[1][2] - mixed[2][1], mixed[2][0] - mixed[0][2],
                            mixed[0][1] - mixed[1][0]);
}

void iso_volume_ellipsoid_polyhedron(iso_vec3 semi_axes, const iso_volume_body* b,
                                     const iso_pose* x_ab, iso_volume_metrics* out_metrics) {
    double radius = fmin(semi_axes.x, fmin(semi_axes.y, semi_axes.z));
    stretched_ball a = {radius, fmax(semi_axes.x, fmax(semi_axes.y, semi_axes.z)),
                        iso_vec3_scale(semi_axes, 1.0 / radius), .is_half = false};
    ball_sums s = {0};
    iso_volume_moments m = {0};
    double sphere = radius * radius * sum_pieces(&a, b, x_ab, &s);
    set_moments(radius, sphere, &s, &m);
    if (a.longest > radius) {
        stretch_moments(a.stretch, &s, &m);
    }
    iso_pose x_aa = iso_pose_identity();
    iso_volume_finish(&m, &x_aa, ISO_VOLUME_ANALYTIC, out_metrics);
}

void iso_volume_ball_polyhedron(double radius, const iso_volume_body* b, const iso_pose* x_ab,
                                iso_volume_metrics* out_metrics) {
    iso_volume_ellipsoid_polyhedron(iso_vec3_make(radius, radius, radius), b, x_ab, out_metrics);
}

// The half of a ball above a cap's plane, in the frame of the capsule.
static void add_cap(double radius, double half, double side, const iso_volume_body* b,
                    const iso_pose* x_ab, iso_volume_metrics* sum) {
    stretched_ball ball = {radius, radius, iso_vec3_make(1.0, 1.0, 1.0), .is_half = true};
    ball_sums s = {0};
    iso_volume_moments m = {0};
    iso_volume_metrics cap;
    iso_pose x_af =
        iso_pose_make(iso_mat3_diagonal(1.0, side, side), iso_vec3_make(0.0, 0.0, side * half));
    iso_pose x_fb = iso_pose_inverse_mul(&x_af, x_ab);
    double sphere = radius * radius * sum_pieces(&ball, b, &x_fb, &s);
    set_moments(radius, sphere, &s, &m);
    iso_volume_finish(&m, &x_af, ISO_VOLUME_ANALYTIC, &cap);
    iso_volume_join(sum, &cap);
}

void iso_volume_capsule_polyhedron(double radius, double length, const iso_volume_body* b,
                                   const iso_pose* x_ab, iso_volume_metrics* out_metrics) {
    iso_volume_cylinder_polyhedron(radius, length, b, x_ab, out_metrics);
    add_cap(radius, 0.5 * length, 1.0, b, x_ab, out_metrics);
    add_cap(radius, 0.5 * length, -1.0, b, x_ab, out_metrics);
}
