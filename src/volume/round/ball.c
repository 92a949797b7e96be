// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "math/eigen3.h"
#include "math/frame.h"
#include "volume/round/round.h"
#include "volume/solids/moments.h"

// A solid of revolution: volume, where its centre is along the axis, and its moments about that.
typedef struct slice {
    double volume, center, along, across; // along: inertia about the axis
} slice;

// The part of a ball within depth of its pole; center is its distance from the pole. With s the
// distance from the pole a disc has the square radius s (2 r - s).
static slice cap(double r, double depth) {
    double h2 = depth * depth, h3 = h2 * depth;
    double m0 = ISO_PI * h2 * (r - depth / 3.0);
    double m1 = ISO_PI * h3 * (2.0 / 3.0 * r - depth / 4.0);
    double m2 = ISO_PI * h2 * h2 * (r / 2.0 - depth / 5.0);
    double disc = ISO_PI / 2.0 * h3 * (4.0 / 3.0 * r * r - r * depth + h2 / 5.0);
    slice out = {.volume = m0, .center = m1 / m0, .along = disc};
    out.across = 0.5 * disc + m2 - m1 * out.center;
    return out;
}

// Inertia with these values about an axis and across it.
static iso_mat3 about_axis(iso_vec3 axis, double along, double across) {
    iso_mat3 out = iso_mat3_diagonal(across, across, across);
    return iso_mat3_add(out, iso_mat3_scale(iso_mat3_outer(axis, axis), along - across));
}

static void set_ball(double radius, iso_vec3 center, iso_volume_metrics* out) {
    slice whole = cap(radius, 2.0 * radius);
    out->volume = whole.volume;
    out->centroid = center;
    out->inertia = iso_mat3_diagonal(whole.along, whole.along, whole.along);
    out->face_count = 1;
}

void iso_volume_plane_ball(double radius, iso_vec3 center, iso_volume_metrics* out_metrics) {
    *out_metrics = (iso_volume_metrics){.method = ISO_VOLUME_ANALYTIC};
    double depth = radius - center.z;
    if (!(depth > 0.0)) {
        return;
    }
    if (depth >= 2.0 * radius) {
        set_ball(radius, center, out_metrics);
        return;
    }
    slice s = cap(radius, depth);
    out_metrics->volume = s.volume;
    out_metrics->centroid = iso_vec3_make(center.x, center.y, s.center - depth);
    out_metrics->inertia = iso_mat3_diagonal(s.across, s.across, s.along);
    out_metrics->area.z = -ISO_PI * depth * (2.0 * radius - depth);
    out_metrics->face_count = 1;
}

bool iso_volume_ball_face(double radius, iso_vec3 box_size, const iso_pose* x_ab,
                          iso_volume_metrics* out_metrics) {
    iso_vec3 center = iso_pose_inverse_point(x_ab, iso_vec3_zero());
    double beyond[3]; // the planes of its faces
    int face = 0;
    for (int i = 0; i < 3; ++i) {
        beyond[i] = fabs(iso_vec3_get(center, i)) - 0.5 * iso_vec3_get(box_size, i);
        face = beyond[i] > beyond[face] ? i : face;
    }
    double height = beyond[face], rest = (radius - height) * (radius + height);
    double reach = height <= 0.0 ? radius : rest > 0.0 ? sqrt(rest) : 0.0; // across, below the face
    for (int i = 0; i < 3; ++i) {
        if (i != face && beyond[i] + reach > 0.0) {
            return false;
        }
    }
    if (radius - height > iso_vec3_get(box_size, face)) {
        return false;
    }
    double sign = iso_vec3_get(center, face) < 0.0 ? -1.0 : 1.0;
    iso_vec3 n = iso_vec3_scale(iso_mat3_column(&x_ab->r, face), sign);
    iso_volume_metrics m;
    iso_volume_plane_ball(radius, iso_vec3_make(0.0, 0.0, height), &m);
    *out_metrics = (iso_volume_metrics){.method = ISO_VOLUME_ANALYTIC};
    if (m.volume > 0.0) {
        out_metrics->volume = m.volume;
        out_metrics->centroid = iso_vec3_scale(n, m.centroid.z - height);
        out_metrics->inertia = about_axis(n, m.inertia.m[2][2], m.inertia.m[0][0]);
        out_metrics->area = iso_vec3_scale(n, -m.area.z);
        out_metrics->face_count = 1;
    }
    return true;
}

// In its own axes, scaled to a ball: a half space stays one, and moments scale back.
void iso_volume_plane_ellipsoid(iso_vec3 semi_axes, const iso_pose* x_ab,
                                iso_volume_metrics* out_metrics) {
    const double d[3] = {semi_axes.x, semi_axes.y, semi_axes.z};
    iso_mat3 scale = iso_mat3_diagonal(d[0], d[1], d[2]);
    iso_vec3 up = iso_vec3_make(x_ab->r.m[2][0], x_ab->r.m[2][1], x_ab->r.m[2][2]); // in B
    iso_vec3 scaled = iso_mat3_mul_vec3(&scale, up);
    double reach = iso_vec3_norm(scaled);
    iso_vec3 n = iso_vec3_scale(scaled, 1.0 / reach);
    iso_volume_metrics unit;
    *out_metrics = (iso_volume_metrics){.method = ISO_VOLUME_ANALYTIC};
    iso_volume_plane_ball(1.0, iso_vec3_make(0.0, 0.0, x_ab->p.z / reach), &unit);
    if (!(unit.volume > 0.0)) {
        return;
    }
    double all = d[0] * d[1] * d[2], height = x_ab->p.z / reach;
    // About the centre of the ball, along n: the centroid, and second moments about it.
    double along = 0.5 * (unit.inertia.m[0][0] + unit.inertia.m[1][1] - unit.inertia.m[2][2]);
    double across = 0.5 * unit.inertia.m[2][2];
    iso_mat3 second = iso_mat3_diagonal(across, across, across);
    second = iso_mat3_add(second, iso_mat3_scale(iso_mat3_outer(n, n), along - across));
    second = iso_mat3_mul(iso_mat3_mul(scale, second), scale);
    second = iso_mat3_scale(second, all);
    iso_mat3 inertia = iso_sym3_complement(&second, 1.0);
    iso_vec3 center = iso_mat3_mul_vec3(&scale, iso_vec3_scale(n, unit.centroid.z - height));
    iso_vec3 section = iso_mat3_mul_vec3(&scale, iso_vec3_scale(n, -height));
    out_metrics->volume = all * unit.volume;
    out_metrics->centroid = iso_pose_point(x_ab, center);
    out_metrics->inertia =
        iso_mat3_mul(iso_mat3_mul(x_ab->r, inertia), iso_mat3_transpose(x_ab->r));
    // Along the normal of the plane: unit areas times the volume's scale over that along it.
    out_metrics->area = iso_vec3_make(0.0, 0.0, unit.area.z * all / reach);
    iso_vec3 arm = iso_mat3_mul_vec3(&x_ab->r, iso_vec3_sub(section, center));
    out_metrics->turn = iso_vec3_cross(arm, out_metrics->area);
    out_metrics->face_count = 1;
}

bool iso_volume_ellipsoid_face(iso_vec3 semi_axes, iso_vec3 box_size, const iso_pose* x_ab,
                               iso_volume_metrics* out_metrics) {
    iso_vec3 center = iso_pose_inverse_point(x_ab, iso_vec3_zero());
    double reach[3], beyond[3]; // along the axes of the box; the planes of its faces
    int face = 0;
    for (int i = 0; i < 3; ++i) {
        iso_vec3 n = iso_mat3_column(&x_ab->r, i);
        reach[i] =
            iso_vec3_norm(iso_vec3_make(n.x * semi_axes.x, n.y * semi_axes.y, n.z * semi_axes.z));
        beyond[i] = fabs(iso_vec3_get(center, i)) - 0.5 * iso_vec3_get(box_size, i);
        face = beyond[i] > beyond[face] ? i : face;
    }
    for (int i = 0; i < 3; ++i) {
        if (i != face && beyond[i] + reach[i] > 0.0) {
            return false;
        }
    }
    if (reach[face] - beyond[face] > iso_vec3_get(box_size, face)) {
        return false;
    }
    // The half space below the face, in a frame whose z is the face's normal.
    double sign = iso_vec3_get(center, face) < 0.0 ? -1.0 : 1.0;
    iso_vec3 n = iso_vec3_scale(iso_mat3_column(&x_ab->r, face), sign);
    iso_vec3 x = iso_any_perpendicular(n);
    iso_mat3 r = iso_mat3_from_columns(x, iso_vec3_cross(n, x), n);
    iso_pose x_ah = iso_pose_make(r, iso_vec3_scale(n, -beyond[face]));
    iso_pose x_ha = iso_pose_inverse(&x_ah);
    iso_volume_plane_ellipsoid(semi_axes, &x_ha, out_metrics);
    iso_volume_exchange(out_metrics);
    iso_volume_move(&x_ah, out_metrics);
    return true;
}

void iso_volume_ball_ball(double radius_a, double radius_b, iso_vec3 center_b,
                          iso_volume_metrics* out_metrics) {
    *out_metrics = (iso_volume_metrics){.method = ISO_VOLUME_ANALYTIC};
    double distance = iso_vec3_norm(center_b), overlap = radius_a + radius_b - distance;
    if (!(overlap > 0.0)) {
        return;
    }
    double reach_a = distance + radius_b - radius_a, reach_b = distance + radius_a - radius_b;
    if (reach_a <= 0.0 || reach_b <= 0.0) {
        bool is_b = reach_a <= 0.0;
        set_ball(is_b ? radius_b : radius_a, is_b ? center_b : iso_vec3_zero(), out_metrics);
        return;
    }
    iso_vec3 axis = iso_vec3_scale(center_b, 1.0 / distance);
    double depth_a = overlap * reach_a / (2.0 * distance);
    double depth_b = overlap * reach_b / (2.0 * distance);
    slice a = cap(radius_a, depth_a), b = cap(radius_b, depth_b);
    // Along the axis from the plane between the caps; A's lies beyond it, B's before it.
    double at_a = depth_a - a.center, at_b = b.center - depth_b, total = a.volume + b.volume;
    double at = (a.volume * at_a + b.volume * at_b) / total;
    double apart = a.volume * b.volume / total * (at_a - at_b) * (at_a - at_b);
    double plane = radius_a - depth_a;
    out_metrics->volume = total;
    out_metrics->centroid = iso_vec3_scale(axis, plane + at);
    out_metrics->inertia = about_axis(axis, a.along + b.along, a.across + b.across + apart);
    out_metrics->area = iso_vec3_scale(axis, -ISO_PI * depth_a * (2.0 * radius_a - depth_a));
    out_metrics->face_count = 2;
}
