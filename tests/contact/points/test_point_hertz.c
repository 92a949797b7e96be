// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "contact/point/impact.h"
#include "contact/point/point_contact.h"
#include "contact/point/point_pair.h"
#include "isobar/point.h"
#include "support/check.h"
#include "support/random.h"

static const iso_vec3 k_up = {0.0, 0.0, 1.0}, k_x = {1.0, 0.0, 0.0};

// The table of [Gonthier2007]'s implicit equation, computed independently.
static void damping_factor_matches_its_table(void** state) {
    (void)state;
    static const double table[][2] = {
        {0.05, 0.99999998408},  {0.1, 0.99981593975},  {0.2, 0.98383334316},
        {0.3, 0.92612459434},   {0.4, 0.83299926566},  {0.5, 0.71637526664},
        {0.6, 0.58492302649},   {0.7, 0.44437979689},  {0.8, 0.29851696269},
        {0.85, 0.22440799517},  {0.9, 0.14983375562},  {0.95, 0.07498027502},
        {0.975, 0.03749759651}, {0.99, 0.01499984849}, {1.0, 0.0}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; ++i) {
        CHECK_NEAR(iso_damping_factor(table[i][0], NULL), table[i][1], 1e-11); // its digits
    }
}

// (1 + d/e) / (1 - d) = exp(d (1 + e) / e), taken in logarithms.
static void damping_factor_solves_its_equation(void** state) {
    (void)state;
    test_random random = test_random_make(310);
    for (int i = 0; i < 5000; ++i) {
        double e = test_random_uniform(&random, ISO_LEAST_RESTITUTION, 1.0), rest = 0.0;
        double d = iso_damping_factor(e, &rest), right = d * (1.0 + e) / e;
        CHECK_NEAR(log1p(d / e) + rest, right, 1e-15 * (1.0 + right));
        CHECK(d > 0.0 && d <= 1.0, "d = %g", d);
        CHECK_NEAR(iso_damping_restitution(d / e), e, 1e-13);
    }
}

static void implied_restitutions_match_the_papers_tables(void** state) {
    (void)state;
    static const double e[] = {0.1, 0.3, 0.5, 0.7, 0.9};
    static const double hc[] = {0.5158, 0.5813, 0.6630, 0.7680, 0.9090};
    static const double ln[] = {0.6653, 0.6842, 0.7252, 0.7960, 0.9132};
    for (int i = 0; i < 5; ++i) {
        double a = iso_damping_share(ISO_IMPACT_DAMPING_HUNT_CROSSLEY, e[i]);
        CHECK_NEAR(iso_damping_restitution(a), hc[i], 5e-5); // its digits
        a = iso_damping_share(ISO_IMPACT_DAMPING_LANKARANI_NIKRAVESH, e[i]);
        CHECK_NEAR(iso_damping_restitution(a), ln[i], 5e-5);
    }
}

static void laws_of_impact_say_what_is_out_of_range(void** state) {
    (void)state;
    static const double wrong[] = {0.0, -0.5, 1.0 + 1e-12, NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        double rest = 0.0;
        CHECK(isnan(iso_damping_factor(wrong[i], &rest)) && isnan(rest), "of e = %g", wrong[i]);
        for (int law = 0; law < ISO_IMPACT_DAMPING_COUNT; ++law) {
            CHECK(isnan(iso_damping_share((iso_impact_damping)law, wrong[i])), "%g", wrong[i]);
        }
    }
    CHECK_NEAR(iso_damping_factor(1e-100, NULL), 1.0, 1e-15);
    CHECK(isnan(iso_damping_share(ISO_IMPACT_DAMPING_COUNT, 0.5)), "no law");
    assert_string_equal(iso_impact_damping_name(ISO_IMPACT_DAMPING_COUNT), "");
    assert_string_equal(iso_impact_damping_name(ISO_IMPACT_DAMPING_EXACT), "exact");
    CHECK(isnan(iso_damping_restitution(-1e-9)) && isnan(iso_damping_restitution(NAN)), "share");
    CHECK(isnan(iso_impact_depth(-1.0, 1.5, 1.0, 1.0, 0.0)), "stiffness");
    CHECK(isnan(iso_impact_depth(1.0, 0.5, 1.0, 1.0, 0.0)), "exponent");
    CHECK(isnan(iso_impact_depth(1.0, 1.5, -1.0, 1.0, 0.0)), "mass");
    CHECK(isnan(iso_impact_depth(1.0, 1.5, 1.0, 1.0, -2.0)), "share");
}

static void normals_are_of_length_one(void** state) {
    iso_context* ctx = *state;
    static const iso_vec3 wrong[] = {{0.0, 0.0, 0.0}, {0.0, 0.0, 2.0}, {NAN, 0.0, 0.0}};
    iso_curvature ball = {10.0, 10.0, k_x}, flat = {0.0, 0.0, k_x};
    iso_hertz hertz;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        assert_int_equal(iso_hertz_make(ctx, 1e9, &ball, &flat, wrong[i], &hertz), ISO_ERR_RANGE);
    }
    assert_int_equal(iso_hertz_make(ctx, 1e9, &ball, &flat, k_up, &hertz), ISO_OK);
}

// Spheres of any size and stuff: the general contact is (2.2).
static void spheres_are_an_ellipse_of_equal_axes(void** state) {
    iso_context* ctx = *state;
    test_random random = test_random_make(311);
    for (int i = 0; i < 2000; ++i) {
        iso_elastic a, b;
        a.modulus = exp(test_random_uniform(&random, log(1e5), log(1e12)));
        a.poisson = test_random_uniform(&random, -0.9, 0.5);
        b.modulus = exp(test_random_uniform(&random, log(1e5), log(1e12)));
        b.poisson = test_random_uniform(&random, -0.9, 0.5);
        double ra = exp(test_random_uniform(&random, -7.0, 3.0));
        double rb = exp(test_random_uniform(&random, -7.0, 3.0));
        double pair = 0.0;
        CHECK_OK(ctx, iso_elastic_pair(ctx, &a, &b, &pair));
        iso_vec3 n = test_random_unit_vec3(&random);
        iso_vec3 t = iso_vec3_normalized(iso_vec3_cross(n, test_random_unit_vec3(&random)));
        iso_curvature ca = {1.0 / ra, 1.0 / ra, t}, cb = {1.0 / rb, 1.0 / rb, t};
        iso_hertz h;
        CHECK_OK(ctx, iso_hertz_make(ctx, pair, &ca, &cb, n, &h));
        double hi = (1.0 - a.poisson * a.poisson) / (ISO_PI * a.modulus);
        double hj = (1.0 - b.poisson * b.poisson) / (ISO_PI * b.modulus);
        double k = 4.0 / (3.0 * ISO_PI * (hi + hj)) * sqrt(ra * rb / (ra + rb));
        CHECK_REL(h.stiffness, k, 1e-13);
        CHECK_REL(iso_hertz_spheres(pair, ra, rb), k, 1e-14);
        CHECK_REL(h.minor, sqrt(ra * rb / (ra + rb)), 1e-7); // flat in q
        CHECK_REL(h.major, sqrt(ra * rb / (ra + rb)), 1e-7);
    }
}

// int_0^inf dt / ((a^2 + t) sqrt((a^2 + t)(b^2 + t) t)) and the like by quadrature: t = b^2 tan^2.
// The pressure p0 sqrt(1 - x^2/a^2 - y^2/b^2) must press the half space into M - A x^2 - B y^2
// ([Johnson1985] 3.58-3.69), here by the midpoint rule, another way than elliptic integrals.
static double potential(double a, double b, int px, int py) {
    enum { n = 400 };
    double sum = 0.0;
    for (int i = 0; i < n; ++i) { // periodic in the angle: converges geometrically
        double angle = (i + 0.5) * 0.5 * ISO_PI / n, s = sin(angle), c = cos(angle);
        // 1/r over the ellipse, direction by direction.
        double q = s * s / (b * b) + c * c / (a * a);
        double weight = 1.0 / sqrt(q);
        double x = px ? s * s / (b * b) / q / (a * a) : 1.0;
        double y = py ? c * c / (a * a) / q / (b * b) : 1.0;
        sum += weight * x * y;
    }
    return sum * 0.5 * ISO_PI / n;
}

static void ellipses_press_the_shape_they_came_from(void** state) {
    iso_context* ctx = *state;
    test_random random = test_random_make(312);
    for (int i = 0; i < 500; ++i) {
        double sharp = exp(test_random_uniform(&random, -2.0, 2.0));
        double blunt = sharp * exp(test_random_uniform(&random, -6.0, 0.0));
        double angle = test_random_uniform(&random, 0.0, ISO_PI);
        iso_curvature a = {sharp, blunt, {cos(angle), sin(angle), 0.0}}, b = {0.0, 0.0, k_x};
        iso_hertz h;
        CHECK_OK(ctx, iso_hertz_make(ctx, 1.0, &a, &b, k_up, &h));
        // At depth 1: p0 = 3 k / (2 pi a b); the surface goes down by p0/E* (M - ...) with
        // M = int dphi / sqrt(q) a b / (a b)...; see docs/theory/point_contact.md.
        double p0 = iso_hertz_peak(&h, 1.0), ma = h.major, mb = h.minor;
        CHECK_REL(p0 * potential(ma, mb, 0, 0), 1.0, 1e-12);
        CHECK_REL(p0 * potential(ma, mb, 1, 0), 0.5 * blunt, 1e-12);
        CHECK_REL(p0 * potential(ma, mb, 0, 1), 0.5 * sharp, 1e-12);
        // The long axis lies across the sharp curvature.
        double across = fabs(h.major_axis.x * cos(angle) + h.major_axis.y * sin(angle));
        CHECK_AT_MOST(across, 1e-7 / (1.0 - blunt / sharp));
    }
}

// Two equal cylinders that cross at right angles are a sphere on a plane; at another angle the
// contact does not depend on which cylinder is named first.
static void crossed_cylinders_are_symmetric(void** state) {
    iso_context* ctx = *state;
    test_random random = test_random_make(313);
    for (int i = 0; i < 500; ++i) {
        double ra = exp(test_random_uniform(&random, -3.0, 1.0));
        double rb = exp(test_random_uniform(&random, -3.0, 1.0));
        double angle = test_random_uniform(&random, 0.05, 0.5 * ISO_PI);
        iso_curvature a = {0.0, 1.0 / ra, k_x}, b = {0.0, 1.0 / rb, {cos(angle), sin(angle), 0.0}};
        iso_hertz ab, ba;
        CHECK_OK(ctx, iso_hertz_make(ctx, 1e9, &a, &b, k_up, &ab));
        CHECK_OK(ctx, iso_hertz_make(ctx, 1e9, &b, &a, k_up, &ba));
        CHECK_REL(ab.stiffness, ba.stiffness, 1e-12);
        b = (iso_curvature){0.0, 1.0 / ra, {0.0, 1.0, 0.0}};
        CHECK_OK(ctx, iso_hertz_make(ctx, 1e9, &a, &b, k_up, &ab));
        CHECK_REL(ab.stiffness, iso_hertz_spheres(1e9, ra, INFINITY), 1e-12);
    }
}

static void what_has_no_hertz_contact_is_refused(void** state) {
    iso_context* ctx = *state;
    iso_curvature flat = {0.0, 0.0, k_x}, hollow = {-2.0, -2.0, k_x}, ball = {1.0, 1.0, k_x};
    iso_curvature rod = {0.0, 1.0, k_x}, nearly = {1e-13, 1.0, k_x};
    iso_hertz h;
    const iso_curvature* bad[] = {&flat, &hollow, &rod, &nearly};
    for (int i = 0; i < 4; ++i) {
        CHECK_STATUS(ctx, iso_hertz_make(ctx, 1e9, i == 1 ? &ball : &flat, bad[i], k_up, &h),
                     ISO_ERR_RANGE);
        CHECK_ERROR(ctx, "the relative curvatures are");
    }
    iso_elastic rigid = {INFINITY, 0.3}, wrong = {1e9, 0.6};
    double pair = 0.0;
    CHECK_STATUS(ctx, iso_elastic_pair(ctx, &rigid, &rigid, &pair), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "expected one that is finite");
    CHECK_STATUS(ctx, iso_elastic_pair(ctx, &rigid, &wrong, &pair), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "Poisson's ratio is 0.6");
}

static int make_context(void** state) {
    iso_context_desc desc = iso_context_desc_default();
    desc.log_level = ISO_LOG_ERROR;
    return iso_context_create(&desc, (iso_context**)state) == ISO_OK ? 0 : -1;
}

static int drop_context(void** state) {
    iso_context_destroy(*state);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damping_factor_matches_its_table),
        cmocka_unit_test(damping_factor_solves_its_equation),
        cmocka_unit_test(implied_restitutions_match_the_papers_tables),
        cmocka_unit_test(laws_of_impact_say_what_is_out_of_range),
        cmocka_unit_test(normals_are_of_length_one),
        cmocka_unit_test(spheres_are_an_ellipse_of_equal_axes),
        cmocka_unit_test(ellipses_press_the_shape_they_came_from),
        cmocka_unit_test(crossed_cylinders_are_symmetric),
        cmocka_unit_test(what_has_no_hertz_contact_is_refused),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
