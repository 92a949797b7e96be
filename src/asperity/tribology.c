// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "isobar/tribology.h"

#include "base/core/fail.h"
#include "isobar/math.h"

#include <math.h>

double iso_trib_contact_modulus(double young_1, double poisson_1, double young_2,
                                double poisson_2) {
    return 1.0 /
           ((1.0 - poisson_1 * poisson_1) / young_1 + (1.0 - poisson_2 * poisson_2) / young_2);
}

double iso_trib_radius(double radius_1, double radius_2) {
    return 1.0 / (1.0 / radius_1 + 1.0 / radius_2);
}

iso_trib_hertz iso_trib_hertz_of(double load, double radius, double contact_modulus) {
    double a = cbrt(3.0 * load * radius / (4.0 * contact_modulus));
    double p0 = cbrt(6.0 * load * contact_modulus * contact_modulus /
                     (ISO_PI * ISO_PI * ISO_PI * radius * radius));
    return (iso_trib_hertz){a, p0, a * a / radius, ISO_PI * a * a};
}

double iso_trib_hertz_pressure(const iso_trib_hertz* hertz, double r) {
    double share = r / hertz->contact_radius;
    return share < 1.0 ? hertz->max_pressure * sqrt(1.0 - share * share) : 0.0;
}

double iso_trib_atomic_friction(double areal_density, double slip_time, double speed, double area) {
    return areal_density / slip_time * speed * area;
}

double iso_trib_bowden_tabor(double shear_strength, double ratio, double reference) {
    return shear_strength / (ratio * reference);
}

double iso_trib_archard_growing(double load, int count, double radius, double contact_modulus) {
    return count * iso_trib_hertz_of(load / count, radius, contact_modulus).area;
}

double iso_trib_archard_multiplying(double load, double load_each, double radius,
                                    double contact_modulus) {
    return load / load_each * iso_trib_hertz_of(load_each, radius, contact_modulus).area;
}

double iso_trib_work_of_adhesion(double gamma_1, double gamma_2, double gamma_12) {
    return gamma_1 + gamma_2 - gamma_12;
}

double iso_trib_adhesion(const double* radii, int count, double work) {
    double sum = 0.0;
    for (int i = 0; i < count; ++i) {
        sum += 2.0 * ISO_PI * radii[i] * work;
    }
    return sum;
}

double iso_trib_summit_friction(double shear_strength, const double* radii, const double* loads,
                                int count, double contact_modulus) {
    double sum = 0.0;
    for (int i = 0; i < count; ++i) {
        sum += iso_trib_hertz_of(loads[i], radii[i], contact_modulus).area;
    }
    return shear_strength * sum;
}

// Slope of the heights at i of count, step apart in memory; one-sided at an edge that does not
// repeat.
static double slope_at(const iso_lab_surface* s, const double* z, int i, int count, int step) {
    int before = i > 0 ? i - 1 : (s->is_periodic ? count - 1 : 0);
    int after = i + 1 < count ? i + 1 : (s->is_periodic ? 0 : count - 1);
    double width =
        (i > 0 || s->is_periodic ? 1.0 : 0.0) + (i + 1 < count || s->is_periodic ? 1.0 : 0.0);
    double rise = z[(size_t)after * (size_t)step] - z[(size_t)before * (size_t)step];
    return count > 1 ? rise / (width * s->pitch) : 0.0;
}

iso_status iso_trib_rough_friction(iso_context* ctx, const iso_lab_surface* surface,
                                   const double* pressures, iso_trib_binomial law,
                                   double* out_normal, double* out_friction) {
    ISO_REQUIRE(ctx, surface && surface->heights && pressures && out_normal && out_friction,
                ISO_ERR_ARGUMENT, "surface, pressures and both outputs are required");
    ISO_REQUIRE(ctx, isfinite(law.a) && law.a >= 0.0 && isfinite(law.b) && law.b >= 0.0,
                ISO_ERR_RANGE, "the shear stress is %g Pa + %g p, expected both finite and >= 0",
                law.a, law.b);
    double normal = 0.0, friction = 0.0;
    for (int r = 0; r < surface->rows; ++r) {
        const double* row = surface->heights + (size_t)r * (size_t)surface->columns;
        for (int c = 0; c < surface->columns; ++c) {
            double p = pressures[(size_t)r * (size_t)surface->columns + (size_t)c];
            if (!(p > 0.0)) {
                continue;
            }
            double x = atan(slope_at(surface, row, c, surface->columns, 1));
            double y =
                atan(slope_at(surface, surface->heights + c, r, surface->rows, surface->columns));
            double shear = law.a + law.b * p;
            normal += (p * cos(x) - shear * sin(x)) * cos(y);
            friction += (p * sin(x) + shear * cos(x)) * cos(y);
        }
    }
    *out_normal = normal * surface->pitch * surface->pitch;
    *out_friction = friction * surface->pitch * surface->pitch;
    return ISO_OK;
}
