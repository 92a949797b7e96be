// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "isobar/volume.h"
#include "math/eigen3.h"

// [Gonthier2007], A.3, uses the weight 0.95, 1 degree and 15 iterations; the iteration here ends at
// rounding, which with its shift takes two or three.
static const double k_previous_weight = 0.95;
static const double k_same = 1e-6;      // eigenvalues closer than this, relative to the largest
static const double k_ambiguous = 0.55; // square cosine below which two spaces are about as near
enum { k_iteration_max = 15 };

const char* iso_volume_normal_status_name(iso_volume_normal_status status) {
    static const char* const names[] = {"found", "plane", "isotropic", "ambiguous", "none"};
    return (int)status >= 0 && (int)status < 5 ? names[status] : "unknown";
}

// The adjugate of a symmetric matrix, its inverse times the determinant: the factor does not turn
// a direction, so that the matrix may be singular.
static iso_mat3 adjugate(const iso_mat3* a) {
    iso_vec3 r0 = iso_vec3_make(a->m[0][0], a->m[0][1], a->m[0][2]);
    iso_vec3 r1 = iso_vec3_make(a->m[0][1], a->m[1][1], a->m[1][2]);
    iso_vec3 r2 = iso_vec3_make(a->m[0][2], a->m[1][2], a->m[2][2]);
    return iso_mat3_from_columns(iso_vec3_cross(r1, r2), iso_vec3_cross(r2, r0),
                                 iso_vec3_cross(r0, r1));
}

// Inverse iteration for the eigenvector of a simple eigenvalue nearest to the shift. The start has
// a part along it.
static iso_vec3 iterate(const iso_mat3* j, double shift, iso_vec3 start, int* out_iterations) {
    iso_mat3 moved = iso_mat3_add(*j, iso_mat3_diagonal(-shift, -shift, -shift));
    iso_mat3 inverse = adjugate(&moved);
    iso_vec3 n = start;
    for (*out_iterations = 1; *out_iterations < k_iteration_max; ++*out_iterations) {
        iso_vec3 next = iso_vec3_normalized(iso_mat3_mul_vec3(&inverse, n));
        if (iso_vec3_norm_squared(next) == 0.0) {
            // The start is normal to it: any column that is not 0 will do.
            next = iso_vec3_normalized(iso_mat3_column(&inverse, *out_iterations % 3));
        }
        double change = iso_vec3_norm_squared(iso_vec3_cross(n, next));
        n = next;
        if (change < 1e-30) {
            break;
        }
    }
    return iso_vec3_dot(n, start) < 0.0 ? iso_vec3_neg(n) : n;
}

// The guess without its part along v; zero where nothing is left.
static iso_vec3 beside(iso_vec3 guess, iso_vec3 v) {
    return iso_vec3_add_scaled(guess, v, -iso_vec3_dot(guess, v));
}

// Two eigenvalues coincide; `alone` is the axis of the third.
static void choose_of_two(iso_vec3 guess, iso_vec3 alone, iso_volume_normal* out) {
    double along = iso_vec3_dot(guess, alone);
    iso_vec3 rest = beside(guess, alone);
    bool is_alone = along * along >= 0.5;
    out->direction = is_alone ? alone : iso_vec3_normalized(rest);
    out->cosine = is_alone ? fabs(along) : iso_vec3_norm(rest);
    out->status = is_alone ? ISO_VOLUME_NORMAL_FOUND : ISO_VOLUME_NORMAL_PLANE;
    if (out->cosine * out->cosine < k_ambiguous) {
        out->status = ISO_VOLUME_NORMAL_AMBIGUOUS;
    }
}

// All differ: the axis nearest to the guess.
static void choose_of_three(const iso_mat3* j, iso_vec3 values, iso_vec3 guess,
                            iso_volume_normal* out) {
    int steps = 0;
    double best = -1.0;
    out->iterations = 0;
    iso_vec3 axes[3];
    bool low_is_closer = values.y - values.x < values.z - values.y;
    // The axis that is told best first; the others are normal to it.
    int first = low_is_closer ? 2 : 0;
    axes[first] = iterate(j, iso_vec3_get(values, first), guess, &steps);
    out->iterations += steps;
    iso_vec3 start = beside(guess, axes[first]);
    if (iso_vec3_norm(start) < 1e-9) {
        iso_vec3 x = iso_vec3_make(1.0, 0.0, 0.0), y = iso_vec3_make(0.0, 1.0, 0.0);
        start = beside(fabs(axes[first].x) < 0.7 ? x : y, axes[first]);
    }
    start = iso_vec3_normalized(start);
    axes[1] = iterate(j, values.y, start, &steps);
    axes[1] = iso_vec3_normalized(beside(axes[1], axes[first]));
    out->iterations += steps;
    axes[2 - first] = iso_vec3_cross(axes[first], axes[1]);
    int chosen = 0;
    for (int k = 0; k < 3; ++k) {
        double cosine = fabs(iso_vec3_dot(axes[k], guess));
        chosen = cosine > best ? k : chosen;
        best = cosine > best ? cosine : best;
    }
    out->direction = axes[chosen];
    out->cosine = best;
    out->status = best * best < k_ambiguous ? ISO_VOLUME_NORMAL_AMBIGUOUS : ISO_VOLUME_NORMAL_FOUND;
    double gap_low = values.y - values.x, gap_high = values.z - values.y;
    double gap = chosen == 0 ? gap_low : chosen == 2 ? gap_high : fmin(gap_low, gap_high);
    out->separation = gap / values.z;
}

static void choose(const iso_mat3* j, iso_vec3 guess, iso_volume_normal* out) {
    iso_vec3 values = iso_sym3_eigenvalues(j);
    double same = k_same * values.z;
    bool low_same = values.y - values.x <= same, high_same = values.z - values.y <= same;
    out->direction = guess;
    out->cosine = 1.0;
    if (low_same && high_same) {
        out->status = ISO_VOLUME_NORMAL_ISOTROPIC;
    } else if (low_same || high_same) {
        double alone = low_same ? values.z : values.x;
        iso_vec3 axis = iterate(j, alone, guess, &out->iterations);
        choose_of_two(guess, axis, out);
        bool is_axis = out->status != ISO_VOLUME_NORMAL_PLANE;
        out->separation = is_axis ? fabs(values.y - alone) / values.z : 0.0;
    } else {
        choose_of_three(j, values, guess, out);
    }
}

iso_volume_normal iso_volume_find_normal(const iso_volume_metrics* metrics, iso_vec3 previous) {
    iso_volume_normal out = {.status = ISO_VOLUME_NORMAL_NONE};
    iso_vec3 geometric = iso_vec3_normalized(iso_vec3_neg(metrics->area));
    iso_vec3 guess = geometric;
    if (iso_vec3_norm_squared(previous) > 0.0) {
        guess = iso_vec3_lerp(geometric, previous, k_previous_weight);
    }
    guess = iso_vec3_normalized(guess);
    if (!(metrics->volume > 0.0) || iso_vec3_norm_squared(guess) == 0.0) {
        return out;
    }
    choose(&metrics->inertia, guess, &out);
    if (iso_vec3_dot(out.direction, guess) < 0.0) {
        out.direction = iso_vec3_neg(out.direction);
    }
    iso_vec3 turned = iso_mat3_mul_vec3(&metrics->inertia, out.direction);
    double about = iso_vec3_dot(out.direction, turned);
    out.gyration = sqrt(fmax(about, 0.0) / metrics->volume);
    return out;
}
