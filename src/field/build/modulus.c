// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "field/build/modulus.h"

#include "base/core/fail.h"

iso_status iso_modulus_law_check(iso_context* ctx, const iso_modulus_law* law) {
    ISO_REQUIRE(ctx, isfinite(law->modulus) && law->modulus > 0.0, ISO_ERR_RANGE,
                "modulus is %g Pa, expected finite and > 0", law->modulus);
    ISO_REQUIRE(ctx, law->stiffening >= 0.0 && law->stiffening < 1.0, ISO_ERR_RANGE,
                "stiffening is %g, expected at least 0 and below 1", law->stiffening);
    ISO_REQUIRE(ctx, law->row_count >= 0 && (law->row_count == 0 || law->rows), ISO_ERR_ARGUMENT,
                "table of moduli of %d rows is missing", law->row_count);
    for (int i = 0; i < law->row_count; ++i) {
        iso_modulus_row row = law->rows[i];
        double before = i > 0 ? law->rows[i - 1].extent : -1.0;
        ISO_REQUIRE(ctx, row.extent >= 0.0 && row.extent <= 1.0 && row.extent > before,
                    ISO_ERR_RANGE,
                    "row %d of the table of moduli has extent %g, expected in [0, 1] and above "
                    "that of the row before",
                    i, row.extent);
        ISO_REQUIRE(ctx, isfinite(row.modulus) && row.modulus > 0.0, ISO_ERR_RANGE,
                    "row %d of the table of moduli has modulus %g Pa, expected finite and > 0", i,
                    row.modulus);
    }
    return ISO_OK;
}

static double table_modulus(const iso_modulus_row* rows, int row_count, double e) {
    int above = 0;
    while (above < row_count && rows[above].extent < e) {
        ++above;
    }
    if (above == 0 || above == row_count) {
        return rows[above == 0 ? 0 : row_count - 1].modulus;
    }
    const iso_modulus_row *low = &rows[above - 1], *high = &rows[above];
    double share = (e - low->extent) / (high->extent - low->extent);
    return low->modulus + share * (high->modulus - low->modulus);
}

double iso_modulus_law_pressure(const iso_modulus_law* law, double modulus, double extent) {
    double inside = fmax(extent, 0.0);
    if (law->row_count > 0) {
        return table_modulus(law->rows, law->row_count, inside) * extent;
    }
    return law->stiffening > 0.0 ? modulus / (1.0 - law->stiffening * inside) * extent
                                 : modulus * extent;
}

double iso_layer_modulus(double youngs_modulus, double poisson_ratio) {
    double nu = poisson_ratio;
    if (!(youngs_modulus > 0.0 && nu > -1.0 && nu < 0.5)) {
        return NAN;
    }
    return youngs_modulus * (1.0 - nu) / ((1.0 + nu) * (1.0 - 2.0 * nu));
}

double iso_half_space_modulus(double youngs_modulus, double poisson_ratio) {
    if (!(youngs_modulus > 0.0 && poisson_ratio > -1.0 && poisson_ratio <= 0.5)) {
        return NAN;
    }
    return youngs_modulus / (1.0 - poisson_ratio * poisson_ratio);
}

double iso_half_space_pressure_cylinder(double modulus, double radius, double depth) {
    return 2.0 * modulus * fmax(depth, 0.0) / (ISO_PI * radius);
}

double iso_half_space_pressure_sphere(double modulus, double radius, double depth) {
    return modulus / ISO_PI * sqrt(fmax(depth, 0.0) / radius);
}

double iso_half_space_force_cylinder(double modulus, double radius, double penetration) {
    return 2.0 * modulus * radius * fmax(penetration, 0.0);
}

double iso_half_space_force_sphere(double modulus, double radius, double penetration) {
    double d = fmax(penetration, 0.0);
    return 4.0 / 3.0 * modulus * sqrt(radius * d) * d;
}

iso_status iso_modulus_table_fill(iso_context* ctx, iso_pressure_law_fn law, void* user,
                                  double thickness, iso_modulus_row* out_rows, int row_count) {
    ISO_REQUIRE(ctx, law && out_rows && row_count >= 1, ISO_ERR_ARGUMENT,
                "law, out_rows and row_count >= 1 are required, row_count is %d", row_count);
    ISO_REQUIRE(ctx, isfinite(thickness) && thickness > 0.0, ISO_ERR_RANGE,
                "thickness is %g m, expected finite and > 0", thickness);
    for (int i = 0; i < row_count; ++i) {
        double root = (double)(i + 1) / row_count;
        double e = root * root;
        double pressure = law(user, e * thickness);
        ISO_REQUIRE(ctx, isfinite(pressure) && pressure > 0.0, ISO_ERR_RANGE,
                    "the law gives %g Pa at depth %g m, expected finite and > 0", pressure,
                    e * thickness);
        out_rows[i] = (iso_modulus_row){e, pressure / e};
    }
    return ISO_OK;
}
