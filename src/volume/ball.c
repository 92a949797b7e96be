// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "volume/moments.h"
#include "volume/round.h"

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
