// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Lines wound around circles. docs/theory/multibody.md.

#include "math/reach.h"
#include "stepper/route.h"

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

// Whether the segments from a to b and from c to d meet.
static bool do_cross(const double* a, const double* b, const double* c, const double* d) {
    double u[2] = {b[0] - a[0], b[1] - a[1]}, w[2] = {d[0] - c[0], d[1] - c[1]};
    double ac[2] = {c[0] - a[0], c[1] - a[1]}, area = cross(u, w);
    if (fabs(area) < LEAST) {
        return false;
    }
    double s = cross(ac, w) / area, t = cross(ac, u) / area;
    return s >= 0.0 && s <= 1.0 && t >= 0.0 && t <= 1.0;
}

// Where a line from p meets the circle as a tangent, on its left (turn > 0) or its right.
static void find_tangent(const double* p, double radius, double turn, double* out) {
    double square = dot(p, p), along = radius * radius / square;
    double across = turn * radius * sqrt(fmax(square - radius * radius, 0.0)) / square;
    out[0] = along * p[0] - across * p[1];
    out[1] = along * p[1] + across * p[0];
}

// The winding that turns counterclockwise (1) or clockwise (-1), and how good it is.
static double wind(const double* a, const double* b, double radius, double turn,
                   const double* side, iso_winding* out) {
    find_tangent(a, radius, turn, out->a);
    find_tangent(b, radius, -turn, out->b);
    double angle = turn * atan2(cross(out->a, out->b), dot(out->a, out->b));
    out->arc = radius * (angle < 0.0 ? angle + 2.0 * ISO_PI : angle);
    out->is_wound = !do_cross(a, out->a, b, out->b);
    if (!out->is_wound) {
        return -INFINITY;
    }
    double sum[2] = {out->a[0] + out->b[0], out->a[1] + out->b[1]};
    double chord[2] = {out->a[0] - out->b[0], out->a[1] - out->b[1]};
    double size = sqrt(dot(sum, sum));
    return side ? (size > LEAST ? dot(sum, side) / size : 0.0) : -dot(chord, chord);
}

iso_winding iso_winding_outside(const double* a, const double* b, double radius,
                                const double* side) {
    iso_winding ways[2], straight = {.is_wound = false};
    double chord[2] = {b[0] - a[0], b[1] - a[1]}, nearest[2];
    if (dot(a, a) < radius * radius || dot(b, b) < radius * radius || radius < LEAST ||
        dot(chord, chord) < LEAST) {
        return straight;
    }
    find_nearest(a, b, nearest);
    if (dot(nearest, nearest) > radius * radius && (!side || dot(side, nearest) >= 0.0)) {
        return straight;
    }
    double right = wind(a, b, radius, -1.0, side, &ways[0]);
    double left = wind(a, b, radius, 1.0, side, &ways[1]);
    return right > left ? ways[0] : ways[1];
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
    out.a[0] = scale * (c * a[0] - s * a[1]);
    out.a[1] = scale * (c * a[1] + s * a[0]);
    memcpy(out.b, out.a, sizeof out.b);
    return out;
}
