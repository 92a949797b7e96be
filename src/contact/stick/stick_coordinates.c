// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Coordinates of sticking friction: the twist itself, or where a patch is flat those three in which
// its stiffness is the identity. K comes in the order of iso_six_upper_at.

#include "contact/stick/stick_parts.h"
#include "math/dense.h"

#include <math.h>
#include <string.h>

// Directions with a smaller share of the stiffness have no friction where that leaves three: a flat
// patch has 1e-15 there. What is remembered jumps where a patch passes this, which should be rare.
#define SMALLEST_STIFFNESS_RATIO 1e-10

// Else all directions get so much more of its mean, so that the Hessian by the slip can be
// inverted: where there is no friction the slip follows the motion, without force.
#define LEAST_STIFFNESS_RATIO 1e-5

// What rounding makes indefinite gets so much more on a diagonal of ones, at first.
#define LEAST_MORE 1e-14

// Inverse of a positive definite 3 x 3 matrix in place, rows of four, by Gauss and Jordan. Row p
// becomes t, which is row p over the pivot but for 1 / pivot in its own place, and each other row
// loses its entry f there: row - f (t + e_p).
static inline void invert_gram(double* a) {
    for (int p = 0; p < 3; ++p) {
        double* row = a + ISO_DOUBLE4_LANES * p;
        double inverse = 1.0 / row[p];
        double e_p[ISO_DOUBLE4_LANES] = {0.0, 0.0, 0.0, 0.0};
        e_p[p] = 1.0;
        iso_double4 unit = iso_double4_load(e_p);
        iso_double4 scaled = iso_double4_mul(iso_double4_load(row), iso_double4_set(inverse));
        iso_double4 change = iso_double4_mul_add(unit, iso_double4_set(inverse), scaled);
        for (int k = 0; k < 3; ++k) {
            double* other = a + ISO_DOUBLE4_LANES * k;
            if (k != p) {
                iso_double4 f = iso_double4_set(other[p]);
                iso_double4_store(other,
                                  iso_double4_mul_subtract(f, change, iso_double4_load(other)));
            }
        }
        iso_double4_store(row, iso_double4_sub(change, unit));
    }
}

// With a larger share of the stiffness in all translations no more has to be known.
#define SURELY_CURVED_RATIO 1e-4

// Mean stiffness of the two translations along a flat patch.
static inline double mean_stiffness(const double k[ISO_SIX_UPPER]) {
    return 0.5 * iso_stick_translational(k);
}

// Sizes of friction that are rounding of places: as a share of the radius of the patch.
#define ROUNDING_RATIO 1e-6

// Rotations are measured by the size of the patch: metric[i] x[i] is a length. Where friction says
// nothing of the size, as that of one face or point does not, the area does.
static void set_metric(double length, iso_stick* stick) {
    double radius = stick->reach / ISO_STICK_REACH_RATIO;
    length = length > ROUNDING_RATIO * radius ? length : radius > 0.0 ? radius : 1.0;
    for (int i = 0; i < 6; ++i) {
        stick->metric[i] = i < 3 ? length : 1.0;
    }
}

// Normals that differ resist every translation.
static bool is_surely_curved(const double k[ISO_SIX_UPPER]) {
    double xx = k[16], xy = k[17], xz = k[18], yy = k[19], yz = k[15], zz = k[20];
    double determinant =
        xx * (yy * zz - yz * yz) + xy * (yz * xz - xy * zz) + xz * (xy * yz - yy * xz);
    double mean = mean_stiffness(k);
    return determinant > SURELY_CURVED_RATIO * (mean * mean * mean);
}

typedef struct stiffness_factor {
    int rank;                     ///< at most 3
    bool is_flat;                 ///< no more than these
    double r[3 * ISO_SIX_STRIDE]; ///< zero beyond the rank
} stiffness_factor;

// The first three rows of K = R^T R by Cholesky's method with pivots, rows of six; destroys k.
static void factor_stiffness(double* k, stiffness_factor* out) {
    double largest = 0.0;
    for (int i = 0; i < 6; ++i) {
        double other = k[(ISO_SIX_STRIDE + 1) * i];
        largest = other > largest ? other : largest;
    }
    for (int i = 0; i < 3; ++i) {
        iso_six_store(out->r + ISO_SIX_STRIDE * i, iso_six_zero());
    }
    for (out->rank = 0;; ++out->rank) {
        int pivot = 0;
        double found = k[0];
        for (int i = 1; i < 6; ++i) {
            double other = k[(ISO_SIX_STRIDE + 1) * i];
            pivot = other > found ? i : pivot;
            found = other > found ? other : found;
        }
        bool is_left = found > SMALLEST_STIFFNESS_RATIO * largest;
        if (!is_left || out->rank == 3) {
            out->is_flat = !is_left;
            return;
        }
        double inverse = 1.0 / found;
        iso_six row = iso_six_load(k + ISO_SIX_STRIDE * pivot);
        iso_six_store(out->r + ISO_SIX_STRIDE * out->rank, iso_six_scale(row, 1.0 / sqrt(found)));
        for (int i = 0; i < 6; ++i) {
            double* k_i = k + ISO_SIX_STRIDE * i;
            double share = -inverse * k_i[pivot];
            iso_six_store(k_i, iso_six_add_scaled(iso_six_load(k_i), share, row));
        }
        iso_six_store(k + ISO_SIX_STRIDE * pivot, iso_six_zero());
    }
}

// Three rows of six, padded, become six of four.
static void transpose(const double* a, double* out) {
    for (int half = 0; half < 2; ++half) { // of the columns of a
        iso_double4 rows[4];
        for (int i = 0; i < 3; ++i) {
            rows[i] = iso_double4_load(a + ISO_SIX_STRIDE * i + ISO_DOUBLE4_LANES * half);
        }
        rows[3] = iso_double4_set(0.0);
        iso_double4_transpose(rows);
        for (int j = 0; j < (half == 0 ? 4 : 2); ++j) {
            iso_double4_store(out + ISO_DOUBLE4_LANES * (ISO_DOUBLE4_LANES * half + j), rows[j]);
        }
    }
}

// B^T = (R R^T)^-1 R in units of the metric.
static void find_inverse(const double* r, int rank, double* b_t) {
    double r_t[6 * ISO_DOUBLE4_LANES], gram[3 * ISO_DOUBLE4_LANES], unit = 0.0;
    transpose(r, r_t);
    // About 1 for its inverse; rows beyond the rank are those of the identity.
    for (int j = 0; j < 6; ++j) {
        unit += r[j] * r[j];
    }
    unit = rank > 0 ? unit : 1.0;
    for (int i = 0; i < 3; ++i) {
        iso_double4 row = iso_stick_combine_four(r_t, r + ISO_SIX_STRIDE * i, 6);
        iso_double4_store(gram + ISO_DOUBLE4_LANES * i,
                          iso_double4_mul(row, iso_double4_set(1.0 / unit)));
        gram[(ISO_DOUBLE4_LANES + 1) * i] += i < rank ? 0.0 : 1.0;
    }
    invert_gram(gram);
    for (int i = 0; i < 3; ++i) {
        iso_six row = iso_six_combine(r, gram + ISO_DOUBLE4_LANES * i, 3);
        iso_six_store(b_t + ISO_SIX_STRIDE * i, iso_six_scale(row, 1.0 / unit));
    }
}

// R and B of a flat patch from its first three rows in units of the metric.
static void set_flat(const stiffness_factor* factor, iso_six grow, iso_six shrink,
                     iso_stick* stick) {
    double b_t[3 * ISO_SIX_STRIDE];
    find_inverse(factor->r, factor->rank, b_t);
    for (int i = 0; i < 3; ++i) {
        int at = ISO_SIX_STRIDE * i;
        iso_six_store(stick->r + at, iso_six_multiply(iso_six_load(factor->r + at), grow));
        iso_six_store(stick->b_t + at, iso_six_multiply(iso_six_load(b_t + at), shrink));
    }
    transpose(stick->r, stick->r_t);
    transpose(stick->b_t, stick->b);
    double weight = stick->inverse_coupling;
    iso_six_store(stick->weight, iso_six_make(iso_double4_make(weight, weight, weight, 0.0),
                                              iso_double4_set(0.0)));
}

static void set_full(const double k[ISO_SIX_UPPER], iso_stick* stick) {
    double least = LEAST_STIFFNESS_RATIO * mean_stiffness(k), d[6];
    for (int i = 0; i < ISO_SIX_UPPER; i += ISO_DOUBLE4_LANES) {
        iso_double4_store(stick->k_upper + i, iso_double4_load(k + i));
    }
    for (int i = 0; i < 6; ++i) {
        double* row = stick->k + ISO_SIX_STRIDE * i;
        int at = iso_six_upper_at[i][i];
        d[i] = k[at] + least * stick->metric[i] * stick->metric[i];
        iso_six_store(row, iso_six_upper_row(k, i));
        row[i] = stick->k_upper[at] = d[i];
    }
    iso_double4 one = iso_double4_set(1.0), inverse = iso_double4_set(stick->inverse_coupling);
    iso_double4 low = iso_double4_make(d[0], d[1], d[2], d[3]);
    iso_double4 high = iso_double4_make(d[4], d[5], 1.0, 1.0);
    high = iso_double4_mul(iso_double4_make(1.0, 1.0, 0.0, 0.0), iso_double4_div(one, high));
    low = iso_double4_div(one, low);
    iso_six_store(stick->weight,
                  iso_six_make(iso_double4_mul(low, inverse), iso_double4_mul(high, inverse)));
}

void iso_stick_find_no_coordinates(iso_stick* stick) {
    stick->size = 0;
    stick->is_point = false;
    iso_six_store(stick->weight, iso_six_zero());
    set_metric(0.0, stick);
}

void iso_stick_find_coordinates(const double k[ISO_SIX_UPPER], iso_stick* stick) {
    double scaled[6 * ISO_SIX_STRIDE];
    set_metric(sqrt((k[0] + k[3] + k[11]) / iso_stick_translational(k)), stick);
    stick->size = 6;
    stick->is_point = false;
    if (is_surely_curved(k)) {
        set_full(k, stick);
        return;
    }
    double length = stick->metric[0], shorter = 1.0 / length;
    iso_double4 ones = iso_double4_make(1.0, 1.0, 0.0, 0.0);
    iso_six grow = iso_six_make(iso_double4_make(length, length, length, 1.0), ones);
    iso_six shrink = iso_six_make(iso_double4_make(shorter, shorter, shorter, 1.0), ones);
    for (int i = 0; i < 6; ++i) {
        iso_six product = iso_six_multiply(iso_six_upper_row(k, i), shrink);
        iso_six_store(scaled + ISO_SIX_STRIDE * i, iso_six_scale(product, i < 3 ? shorter : 1.0));
    }
    stiffness_factor factor;
    factor_stiffness(scaled, &factor);
    if (factor.is_flat) {
        stick->size = 3;
        stick->is_point = factor.rank == 2;
        set_flat(&factor, grow, shrink, stick);
    } else {
        set_full(k, stick);
    }
}

void iso_stick_invert_stably(const double m[ISO_SIX_UPPER], double* out) {
    double factor[36], scale[6];
    for (int i = 0; i < 6; ++i) {
        double d = m[iso_six_upper_at[i][i]];
        scale[i] = d > 0.0 ? 1.0 / sqrt(d) : 0.0;
    }
    bool is_factored = false;
    for (double more = 0.0; !is_factored && more < 1.0; more = more * 100.0 + LEAST_MORE) {
        for (int i = 0; i < 6; ++i) {
            for (int j = 0; j < 6; ++j) {
                factor[6 * i + j] = scale[i] * scale[j] * m[iso_six_upper_at[i][j]];
            }
            factor[7 * i] = 1.0 + more;
        }
        is_factored = iso_cholesky_factor(factor, 6, 6);
    }
    memset(out, 0, 6 * ISO_SIX_STRIDE * sizeof *out);
    for (int i = 0; i < 6 && is_factored; ++i) {
        double column[6] = {0.0};
        column[i] = scale[i];
        iso_cholesky_solve(factor, 6, 6, column);
        for (int j = 0; j < 6; ++j) {
            out[ISO_SIX_STRIDE * i + j] = column[j] * scale[j];
        }
    }
}

// A slip twist about a point that far away.
static void move_slip(const double slip[6], iso_vec3 way, double out[6]) {
    iso_spatial moved = iso_spatial_make(iso_vec3_make(slip[0], slip[1], slip[2]),
                                         iso_vec3_make(slip[3], slip[4], slip[5]));
    moved = iso_spatial_shift_twist(moved, way);
    iso_vec3 w = moved.rotational, v = moved.translational;
    memcpy(out, (const double[6]){w.x, w.y, w.z, v.x, v.y, v.z}, 6 * sizeof *out);
}

bool iso_stick_adopt(const iso_stick* stick, const iso_stick* other) {
    const double still[6] = {0.0};
    iso_stick_inner* inner = stick->inner;
    const iso_stick_inner* from = other->inner;
    if (stick->size != other->size) {
        return false;
    }
    inner->newton_steps = ISO_STICK_KEPT_STEPS;
    if (stick != other) {
        move_slip(from->slip, iso_vec3_sub(stick->points->p_wc, other->points->p_wc), inner->slip);
    }
    if (stick != other && stick->size == 3) {
        iso_six_store(inner->sigma, iso_stick_to_sigma(stick, inner->slip, 3));
        iso_six_store(inner->slip, iso_stick_to_twist(stick, inner->sigma, 3));
    }
    if (inner->dual.is_started) {
        iso_slip_dual_step(&inner->dual, still);
    }
    return true;
}
