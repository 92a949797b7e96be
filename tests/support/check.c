// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "support/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double tolerance_scale(void) {
    const char* text = getenv("ISO_TOL_SCALE");
    return text ? strtod(text, NULL) : 1.0;
}

// Report how far off a value is; fail the test unless the residual is within the tolerance.
static void judge(const char* file, int line, const char* expression, double residual,
                  double tolerance, const char* details) {
    double scale = tolerance_scale();
    if (scale == 0.0) {
        fprintf(stderr, "%s:%d: residual %.3g (tolerance %.3g) of %s\n", file, line, residual,
                tolerance, expression);
        return;
    }
    if (!(residual <= tolerance * scale)) {
        print_error("%s:%d: %s: %s; residual %.3g, tolerance %.3g\n", file, line, expression,
                    details, residual, tolerance * scale);
        _fail(file, line);
    }
}

void check_near(const char* file, int line, const char* expression, double value, double expected,
                double tolerance) {
    char details[128];
    snprintf(details, sizeof details, "value %.17g, expected %.17g", value, expected);
    double residual = value == expected ? 0.0 : fabs(value - expected); // equal infinities too
    judge(file, line, expression, residual, tolerance, details);
}

void check_relative(const char* file, int line, const char* expression, double value,
                    double expected, double tolerance) {
    char details[128];
    snprintf(details, sizeof details, "value %.17g, expected %.17g (relative)", value, expected);
    double residual = value == expected ? 0.0 : fabs(value - expected) / fabs(expected);
    judge(file, line, expression, residual, tolerance, details);
}

void check_bits(const char* file, int line, const char* expression, double value, double expected) {
    if (memcmp(&value, &expected, sizeof value) != 0) {
        print_error("%s:%d: %s: value %a (%.17g), expected the bits of %a (%.17g); residual %.3g\n",
                    file, line, expression, value, value, expected, expected,
                    fabs(value - expected));
        _fail(file, line);
    }
}

// Largest difference of count pairs, and where; a NaN counts as the largest.
static double largest_residual(const double* values, const double* expected, int count,
                               int* out_index) {
    double worst = 0.0;
    *out_index = 0;
    for (int i = 0; i < count; ++i) {
        double residual = values[i] == expected[i] ? 0.0 : fabs(values[i] - expected[i]);
        if (!(residual <= worst)) {
            worst = residual;
            *out_index = i;
        }
        if (isnan(residual)) {
            break;
        }
    }
    return worst;
}

void check_array_near(const char* file, int line, const char* expression, const double* values,
                      const double* expected, int count, double tolerance) {
    int index = 0;
    double worst = largest_residual(values, expected, count, &index);
    char details[128] = "no elements";
    if (count > 0) {
        snprintf(details, sizeof details, "[%d] is %.17g, expected %.17g", index, values[index],
                 expected[index]);
    }
    judge(file, line, expression, worst, tolerance, details);
}

void check_array_bits(const char* file, int line, const char* expression, const double* values,
                      const double* expected, int count) {
    for (int i = 0; i < count; ++i) {
        if (memcmp(&values[i], &expected[i], sizeof values[i]) != 0) {
            print_error("%s:%d: %s[%d]: value %a, expected the bits of %a; residual %.3g\n", file,
                        line, expression, i, values[i], expected[i], fabs(values[i] - expected[i]));
            _fail(file, line);
        }
    }
}

void check_at_most(const char* file, int line, const char* expression, double value, double bound) {
    char details[64];
    snprintf(details, sizeof details, "expected at most %.17g", bound);
    judge(file, line, expression, value, bound, details);
}

void check_vec3_near(const char* file, int line, const char* expression, iso_vec3 value,
                     iso_vec3 expected, double tolerance) {
    char details[192];
    snprintf(details, sizeof details, "value (%.12g, %.12g, %.12g), expected (%.12g, %.12g, %.12g)",
             value.x, value.y, value.z, expected.x, expected.y, expected.z);
    judge(file, line, expression, iso_vec3_distance(value, expected), tolerance, details);
}

void check_mat3_near(const char* file, int line, const char* expression, iso_mat3 value,
                     iso_mat3 expected, double tolerance) {
    char details[512] = "";
    size_t used = 0;
    for (int row = 0; row < 3; ++row) {
        int length = snprintf(details + used, sizeof details - used,
                              "%s[%.9g %.9g %.9g] expected [%.9g %.9g %.9g]", row ? ", " : "",
                              value.m[row][0], value.m[row][1], value.m[row][2], expected.m[row][0],
                              expected.m[row][1], expected.m[row][2]);
        used += (size_t)length;
    }
    int index = 0;
    double worst = largest_residual(&value.m[0][0], &expected.m[0][0], 9, &index);
    judge(file, line, expression, worst, tolerance, details);
}

void check_pose_near(const char* file, int line, const char* expression, iso_pose value,
                     iso_pose expected, double tolerance) {
    check_mat3_near(file, line, expression, value.r, expected.r, tolerance);
    check_vec3_near(file, line, expression, value.p, expected.p, tolerance);
}

void check_spatial_near(const char* file, int line, const char* expression, iso_spatial value,
                        iso_spatial expected, double tolerance) {
    check_vec3_near(file, line, expression, value.rotational, expected.rotational, tolerance);
    check_vec3_near(file, line, expression, value.translational, expected.translational, tolerance);
}

void check_condition(const char* file, int line, const char* expression, bool holds,
                     const char* format, ...) {
    if (holds) {
        return;
    }
    char details[512];
    va_list args;
    va_start(args, format);
    vsnprintf(details, sizeof details, format, args);
    va_end(args);
    print_error("%s:%d: does not hold: %s (%s)\n", file, line, expression, details);
    _fail(file, line);
}

void check_status(const char* file, int line, const char* expression, const iso_context* ctx,
                  iso_status status, iso_status expected) {
    if (status != expected) {
        print_error("%s:%d: %s: status \"%s\", expected \"%s\"; last error: \"%s\"\n", file, line,
                    expression, iso_status_text(status), iso_status_text(expected),
                    iso_context_error(ctx));
        _fail(file, line);
    }
}

void check_text(const char* file, int line, const char* text, const char* part) {
    if (!text || !strstr(text, part)) {
        print_error("%s:%d: text \"%s\" does not contain \"%s\"\n", file, line,
                    text ? text : "(null)", part);
        _fail(file, line);
    }
}
