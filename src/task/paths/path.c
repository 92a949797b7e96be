// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "task/paths/path.h"

#include "task/paths/cubic.h"

#include <math.h>

// Point i of a path: 0 is the start, i > 0 keyframe i - 1.
static double time_at(const double* times, int i) {
    return i == 0 ? 0.0 : times[i - 1];
}

// Interval of a time before times[count - 1], by bisection: i ends at times[i].
static int find_interval(const double* times, int count, double time) {
    int low = 0, high = count - 1;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (time >= times[middle]) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

typedef struct scalar_path {
    const double* times;
    int count, stride;
    double start;
    const double* values;
} scalar_path;

static double value_at(const scalar_path* p, int i) {
    return i == 0 ? p->start : p->values[(i - 1) * p->stride];
}

static double chord(const scalar_path* p, int i) {
    return (value_at(p, i + 1) - value_at(p, i)) /
           (time_at(p->times, i + 1) - time_at(p->times, i));
}

static double slope_at(const scalar_path* p, int i) {
    if (i == 0 || i == p->count) {
        return 0.0;
    }
    double h0 = time_at(p->times, i) - time_at(p->times, i - 1);
    double h1 = time_at(p->times, i + 1) - time_at(p->times, i);
    return iso_cubic_slope(h0, chord(p, i - 1), h1, chord(p, i));
}

iso_path_coordinate iso_path_scalar(iso_profile profile, const double* times, int count,
                                    double start, const double* values, int stride, double time) {
    scalar_path p = {times, count, stride, start, values};
    iso_path_coordinate out = {value_at(&p, count), 0.0};
    if (time >= times[count - 1]) {
        return out;
    }
    int i = find_interval(times, count, time);
    double t0 = time_at(times, i), h = time_at(times, i + 1) - t0;
    double y0 = value_at(&p, i), y1 = value_at(&p, i + 1), t = fmax(time - t0, 0.0);
    if (profile == ISO_PROFILE_LINEAR) {
        out.rate = (y1 - y0) / h;
        out.value = y0 + (y1 - y0) * (t / h);
        return out;
    }
    double m0 = slope_at(&p, i), m1 = slope_at(&p, i + 1);
    out.value = iso_cubic_value(t, h, y0, y1, m0, m1);
    out.rate = iso_cubic_rate(t, h, y0, y1, m0, m1);
    return out;
}

double iso_path_peak_rate(iso_profile profile, const double* times, int count, double start,
                          const double* values, int stride) {
    scalar_path p = {times, count, stride, start, values};
    double peak = 0.0;
    for (int i = 0; i < count; ++i) {
        double h = time_at(times, i + 1) - time_at(times, i);
        double rate = profile == ISO_PROFILE_LINEAR
                          ? fabs(chord(&p, i))
                          : iso_cubic_peak_rate(h, value_at(&p, i), value_at(&p, i + 1),
                                                slope_at(&p, i), slope_at(&p, i + 1));
        peak = fmax(peak, rate);
    }
    return peak;
}

// --- orientations --------------------------------------------------------------------------------

typedef struct turn_path {
    const double* times;
    int count;
    const iso_pose* start;
    const iso_pose* poses;
} turn_path;

static const iso_pose* pose_at(const turn_path* p, int i) {
    return i == 0 ? p->start : &p->poses[i - 1];
}

// Rotation vector from a to b, in the axes of a (or of b: it is the same).
static iso_vec3 turn_between(const iso_mat3* a, const iso_mat3* b) {
    iso_mat3 r = iso_mat3_mul(iso_mat3_transpose(*a), *b);
    return iso_quat_to_rotation_vector(iso_quat_from_mat3(&r));
}

// Angular velocity of the chord of interval i, in the axes of both of its ends.
static iso_vec3 turn_chord(const turn_path* p, int i) {
    double h = time_at(p->times, i + 1) - time_at(p->times, i);
    return iso_vec3_scale(turn_between(&pose_at(p, i)->r, &pose_at(p, i + 1)->r), 1.0 / h);
}

// Angular velocity at point i, in its own axes.
static iso_vec3 turn_slope(const turn_path* p, int i) {
    if (i == 0 || i == p->count) {
        return iso_vec3_zero();
    }
    double h0 = time_at(p->times, i) - time_at(p->times, i - 1);
    double h1 = time_at(p->times, i + 1) - time_at(p->times, i);
    iso_vec3 a = turn_chord(p, i - 1), b = turn_chord(p, i);
    return iso_vec3_make(iso_cubic_slope(h0, a.x, h1, b.x), iso_cubic_slope(h0, a.y, h1, b.y),
                         iso_cubic_slope(h0, a.z, h1, b.z));
}

static iso_mat3 turn(iso_vec3 v) {
    return iso_mat3_from_quat(iso_quat_from_rotation_vector(v));
}

// Cubic quaternion curve with given angular velocities at both ends (Kim, Kim, Shin 1995): three
// turns, one after the other, with cumulative Bernstein weights.
static iso_mat3 turn_cubic(const turn_path* p, int i, double t, double h) {
    const iso_mat3* r0 = &pose_at(p, i)->r;
    const iso_mat3* r1 = &pose_at(p, i + 1)->r;
    iso_vec3 first = iso_vec3_scale(turn_slope(p, i), h / 3.0);
    iso_vec3 last = iso_vec3_scale(turn_slope(p, i + 1), h / 3.0);
    iso_mat3 after_first = iso_mat3_mul(*r0, turn(first));
    iso_mat3 before_last = iso_mat3_mul(*r1, turn(iso_vec3_neg(last)));
    iso_vec3 middle = turn_between(&after_first, &before_last);
    double s = t / h, r = 1.0 - s;
    double b1 = 1.0 - r * r * r, b2 = s * s * (3.0 - 2.0 * s), b3 = s * s * s;
    iso_mat3 out = iso_mat3_mul(*r0, turn(iso_vec3_scale(first, b1)));
    out = iso_mat3_mul(out, turn(iso_vec3_scale(middle, b2)));
    return iso_mat3_mul(out, turn(iso_vec3_scale(last, b3)));
}

iso_pose iso_path_pose(iso_profile profile, const double* times, int count, const iso_pose* start,
                       const iso_pose* poses, double time) {
    enum { k_stride = sizeof(iso_pose) / sizeof(double) };
    if (time >= times[count - 1]) {
        return poses[count - 1];
    }
    turn_path p = {times, count, start, poses};
    int i = find_interval(times, count, time);
    double t0 = time_at(times, i), h = time_at(times, i + 1) - t0, t = fmax(time - t0, 0.0);
    iso_pose out;
    const iso_pose* first = poses;
    out.p.x = iso_path_scalar(profile, times, count, start->p.x, &first->p.x, k_stride, time).value;
    out.p.y = iso_path_scalar(profile, times, count, start->p.y, &first->p.y, k_stride, time).value;
    out.p.z = iso_path_scalar(profile, times, count, start->p.z, &first->p.z, k_stride, time).value;
    if (profile == ISO_PROFILE_CUBIC) {
        out.r = turn_cubic(&p, i, t, h);
    } else {
        iso_vec3 v = turn_between(&pose_at(&p, i)->r, &pose_at(&p, i + 1)->r);
        out.r = iso_mat3_mul(pose_at(&p, i)->r, turn(iso_vec3_scale(v, t / h)));
    }
    return out;
}
