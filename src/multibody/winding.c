// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Lines wound around circles. docs/theory/multibody.md.

#include "math/limits.h"
#include "multibody/route.h"

#include <math.h>
#include <string.h>

// Below this, lengths are none.
#define LEAST 1e-15

static double dot(const double* a, const double* b) {
    return a[0] * b[0] + a[1] * b[1];
}

static double cross(const double* a, const double* b) {
    return a[0] * b[1] - a[1] * b[0];
}

// The point of the segment from a to b that is nearest to the origin; 0 to 1 is where it lies.
static double find_nearest(const double* a, const double* b, double* out) {
    double along[2] = {b[0] - a[0], b[1] - a[1]};
    double t = iso_clamp(-dot(a, along) / dot(along, along), 0.0, 1.0);
    out[0] = a[0] + t * along[0];
    out[1] = a[1] + t * along[1];
    return t;
}

// Where a line from p meets the circle as a tangent, on its left (turn > 0) or its right.
static void find_tangent(const double* p, double radius, double turn, double* out) {
    double square = dot(p, p), along = radius * radius / square;
    double across = turn * radius * sqrt(fmax(square - radius * radius, 0.0)) / square;
    out[0] = along * p[0] - across * p[1];
    out[1] = along * p[1] + across * p[0];
}

// Whether a short way from a to b passes the circle on the side opposite to the one it is to take:
// the ray from the centre away from that side meets the chord.
static bool is_opposite(const double* a, const double* b, const double* side) {
    double area = cross(a, b);
    return cross(b, side) * area > 0.0 && cross(side, a) * area > 0.0;
}

// The arc that is left for each way is not below 0: the short one is taken where the chord meets
// the circle, and the long one turns by more than half a turn.
iso_winding iso_winding_outside(const double* a, const double* b, double radius,
                                const double* side) {
    iso_winding out = {.is_wound = false};
    double chord[2] = {b[0] - a[0], b[1] - a[1]}, nearest[2];
    if (dot(a, a) < radius * radius || dot(b, b) < radius * radius || radius < LEAST ||
        dot(chord, chord) < LEAST) {
        return out;
    }
    bool is_long = side && is_opposite(a, b, side);
    find_nearest(a, b, nearest);
    if (dot(nearest, nearest) > radius * radius && !is_long) {
        return out;
    }
    double turn = (cross(a, b) >= 0.0) != is_long ? 1.0 : -1.0; // 1: counterclockwise
    find_tangent(a, radius, turn, out.a);
    find_tangent(b, radius, -turn, out.b);
    double angle = turn * atan2(cross(out.a, out.b), dot(out.a, out.b));
    bool is_whole = angle < (is_long ? 0.0 : -1e-9); // where it only touches, rounding is no turn
    out.arc = radius * fmax(is_whole ? angle + 2.0 * ISO_PI : angle, 0.0);
    out.is_wound = true;
    out.is_long = is_long;
    return out;
}

// d/dangle of the distance from p to the circle's point there, which p sees at that angle from its
// own, and its rate.
static double slope(double distance, double radius, double angle, double* out_rate) {
    double c = cos(angle), s = sin(angle);
    double way = sqrt(distance * distance + radius * radius - 2.0 * distance * radius * c);
    double first = distance * radius * s / way;
    *out_rate = (distance * radius * c - first * first) / way;
    return first;
}

iso_winding iso_winding_inside(const double* a, const double* b, double radius) {
    iso_winding out = {.is_wound = false};
    double da = sqrt(dot(a, a)), db = sqrt(dot(b, b)), chord[2] = {b[0] - a[0], b[1] - a[1]};
    if (da <= radius || db <= radius || radius < LEAST) {
        return out;
    }
    if (dot(chord, chord) > LEAST) {
        double nearest[2], t = find_nearest(a, b, nearest);
        if (t > 0.0 && t < 1.0 && dot(nearest, nearest) <= radius * radius) {
            return out;
        }
    }
    // The shortest way over the circle, between the directions of both ends.
    double whole = atan2(cross(a, b), dot(a, b)), span = fabs(whole), low = 0.0, high = span;
    double at = 0.5 * span;
    for (int i = 0; i < 100 && high - low > 1e-16 * span; ++i) {
        double rate_a = 0.0, rate_b = 0.0;
        double rise = slope(da, radius, at, &rate_a) - slope(db, radius, span - at, &rate_b);
        double next = at - rise / (rate_a + rate_b);
        low = rise < 0.0 ? at : low;
        high = rise < 0.0 ? high : at;
        if (fabs(next - at) <= 1e-16 * span) {
            break;
        }
        at = next > low && next < high ? next : 0.5 * (low + high);
    }
    double c = cos(copysign(at, whole)), s = sin(copysign(at, whole)), scale = radius / da;
    out.is_wound = true;
    out.angle = at;
    out.a[0] = scale * (c * a[0] - s * a[1]);
    out.a[1] = scale * (c * a[1] + s * a[0]);
    memcpy(out.b, out.a, sizeof out.b);
    return out;
}
