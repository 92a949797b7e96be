// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "friction/shell/stretch.h"

#include "friction/shell/slider.h"
#include "math/eigen.h"

#include <math.h>
#include <string.h>

#define N ISO_STRETCH_COUNT

// Eigenvalues of the scaled stiffness below this share of the largest one are zero: a flat patch
// has three of these, about its two tilts and along its normal.
#define RANK_FLOOR 1e-12

// A patch with a radius below this share of the length 1 / kbar is a point, whose arms are
// rounding.
#define POINT 1e-6

// The stiffness of a patch about its centre of pressure, ready for use.
typedef struct spring_set {
    iso_vec3 center;
    double total;         // force [N]
    double scale[N];      // S
    double inverse[N][N]; // pseudo-inverse of Kbar^(1/2)
} spring_set;

static void to_numbers(iso_spatial x, double out[N]) {
    const double numbers[N] = {x.rotational.x,    x.rotational.y,    x.rotational.z,
                               x.translational.x, x.translational.y, x.translational.z};
    memcpy(out, numbers, sizeof numbers);
}

static iso_spatial from_numbers(const double x[N]) {
    return iso_spatial_make(iso_vec3_make(x[0], x[1], x[2]), iso_vec3_make(x[3], x[4], x[5]));
}

// Motion of a place with a rigid one about the centre, without its part along the normal:
// [Elandt2022] eq. 6.10.
static iso_vec3 motion_at(iso_spatial motion, iso_vec3 arm, iso_vec3 normal) {
    iso_vec3 whole = iso_vec3_add(motion.translational, iso_vec3_cross(motion.rotational, arm));
    return iso_vec3_tangential(whole, normal);
}

static void add_moment(iso_spatial* wrench, iso_vec3 arm, iso_vec3 force) {
    wrench->rotational = iso_vec3_add(wrench->rotational, iso_vec3_cross(arm, force));
    wrench->translational = iso_vec3_add(wrench->translational, force);
}

static void find_center(const iso_press* presses, int count, spring_set* out) {
    iso_vec3 sum = iso_vec3_zero();
    for (int i = 0; i < count; ++i) {
        out->total += presses[i].force;
        sum = iso_vec3_add_scaled(sum, presses[i].place, presses[i].force);
    }
    out->center = out->total > 0.0 ? iso_vec3_scale(sum, 1.0 / out->total) : iso_vec3_zero();
}

// K of [Elandt2022] eq. D.6, column by column: the wrench that a unit of each motion calls up.
static void find_stiffness(const iso_shell* shell, const iso_press* presses, int count,
                           iso_vec3 center, double k[N][N]) {
    for (int j = 0; j < N; ++j) {
        double unit[N] = {0.0}, column[N];
        unit[j] = 1.0;
        iso_spatial motion = from_numbers(unit), sum = iso_spatial_zero();
        for (int i = 0; i < count; ++i) {
            iso_vec3 arm = iso_vec3_sub(presses[i].place, center);
            iso_vec3 moved = motion_at(motion, arm, presses[i].normal);
            add_moment(&sum, arm, iso_vec3_scale(moved, shell->stiffness * presses[i].force));
        }
        to_numbers(sum, column);
        for (int i = 0; i < N; ++i) {
            k[i][j] = column[i];
        }
    }
}

// S makes both blocks of Kbar have the trace 1: [Elandt2022] eq. 6.20. A point does not turn.
static void find_scale(const iso_shell* shell, double k[N][N], double scale[N]) {
    double turning = sqrt(fmax(k[0][0] + k[1][1] + k[2][2], 0.0));
    double moving = sqrt(fmax(k[3][3] + k[4][4] + k[5][5], 0.0));
    turning = turning * shell->stiffness > POINT * moving ? turning : 0.0;
    for (int i = 0; i < 3; ++i) {
        scale[i] = turning;
        scale[i + 3] = moving;
    }
}

static void find_roots(double k[N][N], spring_set* out) {
    double kbar[N * N], vectors[N * N], largest = 0.0;
    for (int i = 0; i < N; ++i) {
        for (int j = 0; j < N; ++j) {
            double scale = out->scale[i] * out->scale[j];
            kbar[N * i + j] = scale > 0.0 ? 0.5 * (k[i][j] + k[j][i]) / scale : 0.0;
        }
    }
    iso_symmetric_eigen(kbar, N, vectors);
    for (int m = 0; m < N; ++m) {
        largest = fmax(largest, kbar[N * m + m]);
    }
    for (int m = 0; m < N; ++m) {
        double value = kbar[N * m + m];
        double root = value > RANK_FLOOR * largest ? sqrt(value) : 0.0;
        for (int i = 0; i < N && root > 0.0; ++i) {
            for (int j = 0; j < N; ++j) {
                double both = vectors[N * i + m] * vectors[N * j + m];
                out->inverse[i][j] += both / root;
            }
        }
    }
}

static spring_set find_springs(const iso_shell* shell, const iso_press* presses, int count) {
    spring_set out = {.total = 0.0};
    find_center(presses, count, &out);
    if (out.total > 0.0) { // else K = 0
        double k[N][N];
        find_stiffness(shell, presses, count, out.center, k);
        find_scale(shell, k, out.scale);
        find_roots(k, &out);
    }
    return out;
}

// S^-1 Kbar^(-1/2) s; and, with the wrench, Kbar^(-1/2) S^-1 f.
static void unscale(const spring_set* springs, const double x[N], bool is_wrench, double out[N]) {
    for (int i = 0; i < N; ++i) {
        out[i] = 0.0;
        for (int j = 0; j < N; ++j) {
            double scale = springs->scale[is_wrench ? j : i];
            out[i] += scale > 0.0 ? springs->inverse[i][j] * x[j] / scale : 0.0;
        }
    }
}

// Friction of every place; returns the wrench about the centre of pressure.
static iso_spatial add_friction(const iso_shell* shell, double mu, const iso_press* presses,
                                int count, iso_spatial v_c, iso_press_felt* out_felt,
                                iso_stretch_result* result) {
    iso_spatial about_center = iso_spatial_zero();
    double sliding = 0.0, total = 0.0;
    for (int i = 0; i < count; ++i) {
        const iso_press* at = &presses[i];
        iso_vec3 arm = iso_vec3_sub(at->place, result->center);
        iso_vec3 stretch = motion_at(result->motion, arm, at->normal);
        iso_vec3 velocity = motion_at(v_c, at->place, at->normal);
        iso_vec3 share = iso_slider_traction(shell, mu, stretch, velocity);
        iso_vec3 friction = iso_vec3_scale(share, at->force);
        add_moment(&result->wrench, at->place, friction);
        add_moment(&about_center, arm, friction);
        result->taken -= iso_vec3_dot(friction, velocity);
        bool slides = iso_slider_slides(shell, mu, stretch, velocity);
        sliding += slides ? at->force : 0.0;
        total += at->force;
        if (out_felt) {
            out_felt[i] = (iso_press_felt){friction, stretch, slides ? 1.0 : 0.0};
        }
    }
    result->sliding = total > 0.0 ? sliding / total : 0.0;
    return about_center;
}

void iso_stretch_eval(const iso_shell* shell, double mu, const iso_press* presses, int count,
                      iso_spatial v_c, const iso_stretch* stretch, iso_press_felt* out_felt,
                      iso_stretch_result* out) {
    spring_set springs = find_springs(shell, presses, count);
    *out = (iso_stretch_result){.center = springs.center};
    double motion[N], force[N], pull[N] = {0.0};
    unscale(&springs, stretch->s, false, motion);
    out->motion = from_numbers(motion);
    to_numbers(add_friction(shell, mu, presses, count, v_c, out_felt, out), force);
    unscale(&springs, force, true, pull);
    out->heat = out->taken;
    for (int i = 0; i < N; ++i) { // [Elandt2022] eq. 6.26
        out->rate.s[i] = -(pull[i] + stretch->s[i]) / shell->time;
        out->heat -= stretch->s[i] * out->rate.s[i];
    }
}

double iso_stretch_energy(const iso_stretch* stretch) {
    double sum = 0.0;
    for (int i = 0; i < N; ++i) {
        sum += 0.5 * stretch->s[i] * stretch->s[i];
    }
    return sum;
}
