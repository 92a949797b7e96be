// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "isobar/point.h"

#include "base/core/fail.h"
#include "math/elliptic.h"
#include "math/frame.h"

#define SLIMMEST 1e-6 // minor over major axis
#define UNIT_TOLERANCE 1e-6

static iso_status check_elastic(iso_context* ctx, const iso_elastic* e) {
    ISO_REQUIRE(ctx, e->modulus > 0.0, ISO_ERR_RANGE, "Young's modulus is %g Pa, expected > 0",
                e->modulus);
    ISO_REQUIRE(ctx, e->poisson > -1.0 && e->poisson <= 0.5, ISO_ERR_RANGE,
                "Poisson's ratio is %g, expected above -1 and at most 0.5", e->poisson);
    return ISO_OK;
}

iso_status iso_elastic_pair(iso_context* ctx, const iso_elastic* a, const iso_elastic* b,
                            double* out_modulus) {
    ISO_REQUIRE(ctx, a && b && out_modulus, ISO_ERR_ARGUMENT, "two materials are required");
    iso_status status = ISO_OK;
    ISO_TRY(check_elastic(ctx, a));
    ISO_TRY(check_elastic(ctx, b));
    double compliance =
        (1.0 - a->poisson * a->poisson) / a->modulus + (1.0 - b->poisson * b->poisson) / b->modulus;
    ISO_CHECK(ctx, compliance > 0.0, ISO_ERR_RANGE,
              "Young's moduli are %g and %g Pa, expected one that is finite", a->modulus,
              b->modulus);
    *out_modulus = 1.0 / compliance;
done:
    return status;
}

// Ratio of the relative curvatures along the major and the minor axis, by q = minor / major.
static double curvature_ratio(double q) {
    return iso_carlson_rd(0.0, q * q, 1.0) / iso_carlson_rd(0.0, 1.0, q * q);
}

// The q in (0, 1] of a ratio in (0, 1], by bisection of log q: monotone, so it cannot fail.
static double axis_ratio(double ratio) {
    double low = log(0.1 * SLIMMEST), high = 0.0;
    for (int i = 0; i < 200 && high - low > 1e-16; ++i) {
        double middle = 0.5 * (low + high);
        if (middle <= low || middle >= high) {
            break;
        }
        if (curvature_ratio(exp(middle)) < ratio) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return exp(0.5 * (low + high));
}

// Relative curvature in the plane (e1, e2) as a symmetric matrix: both surfaces add.
static void add_curvature(const iso_curvature* c, iso_vec3 e1, iso_vec3 e2, double m[3]) {
    double x = iso_vec3_dot(c->direction, e1), y = iso_vec3_dot(c->direction, e2);
    double norm = sqrt(x * x + y * y);
    double cosine = norm > 0.0 ? x / norm : 1.0, sine = norm > 0.0 ? y / norm : 0.0;
    double difference = c->first - c->second;
    m[0] += c->second + difference * cosine * cosine;
    m[1] += difference * cosine * sine;
    m[2] += c->second + difference * sine * sine;
}

iso_status iso_hertz_make(iso_context* ctx, double pair_modulus, const iso_curvature* a,
                          const iso_curvature* b, iso_vec3 normal, iso_hertz* out) {
    ISO_REQUIRE(ctx, a && b && out, ISO_ERR_ARGUMENT, "two curvatures are required");
    ISO_REQUIRE(ctx, isfinite(pair_modulus) && pair_modulus > 0.0, ISO_ERR_RANGE,
                "the modulus of the pair is %g Pa, expected finite and > 0", pair_modulus);
    ISO_REQUIRE(ctx, fabs(iso_vec3_dot(normal, normal) - 1.0) < UNIT_TOLERANCE, ISO_ERR_RANGE,
                "the normal is (%g, %g, %g), expected of length 1", normal.x, normal.y, normal.z);
    iso_vec3 e1 = iso_any_perpendicular(normal);
    iso_vec3 e2 = iso_vec3_cross(normal, e1);
    double m[3] = {0.0, 0.0, 0.0};
    add_curvature(a, e1, e2, m);
    add_curvature(b, e1, e2, m);
    double half = 0.5 * (m[0] - m[2]), radius = hypot(half, m[1]);
    double mean = 0.5 * (m[0] + m[2]), sharp = mean + radius;
    double blunt = sharp > 0.0 ? (m[0] * m[2] - m[1] * m[1]) / sharp : 0.0;
    ISO_REQUIRE(ctx, isfinite(sharp) && blunt > 0.0, ISO_ERR_RANGE,
                "the relative curvatures are %g and %g 1/m, expected both finite and > 0: a flat "
                "or conforming pair does not touch in a point",
                sharp, blunt);
    // The surfaces part by (blunt x^2 + sharp y^2) / 2, x along the major axis.
    double q = axis_ratio(blunt / sharp);
    ISO_REQUIRE(ctx, q >= SLIMMEST, ISO_ERR_RANGE,
                "the relative curvatures are %g and %g 1/m, expected an ellipse of contact at most "
                "1e6 times as long as wide",
                sharp, blunt);
    double rd = iso_carlson_rd(0.0, q * q, 1.0), k = iso_elliptic_k(q);
    double scale = 2.0 * rd / (3.0 * blunt * k); // a^2 over depth
    out->major = sqrt(scale);
    out->minor = q * out->major;
    out->stiffness = ISO_PI * pair_modulus * blunt / rd * scale * out->major;
    out->modulus = pair_modulus;
    double angle = 0.5 * atan2(m[1], half) + 0.5 * ISO_PI;
    out->major_axis = iso_vec3_add_scaled(iso_vec3_scale(e1, cos(angle)), e2, sin(angle));
    return ISO_OK;
}

double iso_hertz_spheres(double pair_modulus, double radius_a, double radius_b) {
    return pair_modulus > 0.0 && radius_a > 0.0 && radius_b != 0.0
               ? 4.0 / 3.0 * pair_modulus / sqrt(1.0 / radius_a + 1.0 / radius_b)
               : NAN;
}

double iso_hertz_peak(const iso_hertz* hertz, double depth) {
    return 1.5 * hertz->stiffness * sqrt(depth) / (ISO_PI * hertz->major * hertz->minor);
}
