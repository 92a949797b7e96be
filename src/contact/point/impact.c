// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "contact/point/impact.h"

// Below this (A - ln(1 + A)) / A^2 is its series: the difference would lose digits.
#define SMALL_SHARE 0.1
#define BISECTIONS 200

#define TINIEST 1e-100 // restitution

typedef double (*share_fn)(double e);

static bool is_restitution(double e) {
    return e >= TINIEST && e <= 1.0;
}

static double exact_share(double e) {
    return e >= 1.0 ? 0.0 : iso_damping_factor(e, NULL) / e;
}

static double hunt_crossley_share(double e) {
    return 1.5 * (1.0 - e);
}

static double lankarani_nikravesh_share(double e) {
    return 0.75 * (1.0 - e * e);
}

static const struct {
    const char* name;
    share_fn share;
} k_laws[ISO_IMPACT_DAMPING_COUNT] = {
    [ISO_IMPACT_DAMPING_EXACT] = {"exact", exact_share},
    [ISO_IMPACT_DAMPING_HUNT_CROSSLEY] = {"hunt_crossley", hunt_crossley_share},
    [ISO_IMPACT_DAMPING_LANKARANI_NIKRAVESH] = {"lankarani_nikravesh", lankarani_nikravesh_share},
};

const char* iso_impact_damping_name(iso_impact_damping law) {
    return (unsigned)law < ISO_IMPACT_DAMPING_COUNT ? k_laws[law].name : "";
}

double iso_damping_share(iso_impact_damping law, double e) {
    bool is_law = (unsigned)law < ISO_IMPACT_DAMPING_COUNT;
    return is_law && is_restitution(e) ? k_laws[law].share(e) : NAN;
}

double iso_restitution_at(const iso_restitution* r, double speed) {
    return fmax(r->base - r->slope * speed, ISO_LEAST_RESTITUTION);
}

// (x - ln(1 + x)) / x^2 for x > -1.
static double loop_half(double x) {
    if (fabs(x) > SMALL_SHARE) {
        return (x - log1p(x)) / (x * x);
    }
    double sum = 0.0;
    for (int n = 18; n >= 2; --n) {
        sum = 1.0 / n - x * sum;
    }
    return sum;
}

// The loop of an impact closes where compression stores what restitution gives back: with
// G(x) = (x - ln(1 + x)) / x^2, G(A) = e^2 G(-e A), e A = d. In u = -ln(1 - d) no digit of 1 - d is
// lost. The difference is positive below the root and negative above it.
static double excess(double e, double u) {
    double d = -expm1(-u);
    double restored = d > SMALL_SHARE ? (u - d) / (d * d) : loop_half(-d);
    return loop_half(d / e) - e * e * restored;
}

double iso_damping_factor(double e, double* out_log_rest) {
    double low = 0.0, high = is_restitution(e) ? 0.0 : NAN;
    if (is_restitution(e) && e < 1.0) {
        high = 1.0;
        while (excess(e, high) > 0.0 && high < 1e4) {
            high *= 2.0;
        }
    }
    for (int i = 0; i < BISECTIONS; ++i) {
        double middle = 0.5 * (low + high);
        if (middle <= low || middle >= high) {
            break;
        }
        if (excess(e, middle) > 0.0) {
            low = middle;
        } else {
            high = middle;
        }
    }
    if (out_log_rest != NULL) {
        *out_log_rest = high;
    }
    return -expm1(-high);
}

double iso_damping_restitution(double share) {
    if (!(share >= 0.0)) {
        return NAN;
    }
    double low = 0.0, high = share > 1.0 ? 1.0 / share : 1.0;
    for (int i = 0; i < BISECTIONS && share > 0.0; ++i) {
        double middle = 0.5 * (low + high);
        if (middle <= low || middle >= high) {
            break;
        }
        bool is_below = middle * middle * loop_half(-middle * share) < loop_half(share);
        low = is_below ? middle : low;
        high = is_below ? high : middle;
    }
    return share > 0.0 ? 0.5 * (low + high) : 1.0;
}

double iso_impact_depth(double stiffness, double exponent, double mass, double speed,
                        double share) {
    if (!(stiffness > 0.0 && exponent >= 1.0 && mass >= 0.0 && share >= 0.0)) {
        return NAN;
    }
    double energy = mass * speed * speed * loop_half(share);
    return pow((exponent + 1.0) * energy / stiffness, 1.0 / (exponent + 1.0));
}
