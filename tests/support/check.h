// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// A thin layer over cmocka. Every check that fails prints file, line, the expression, its value,
// what was expected, the residual and the tolerance.
//
// The environment variable ISO_TOL_SCALE multiplies every tolerance. With ISO_TOL_SCALE=0 no check
// fails; each prints its true residual instead, which is how the measured residual beside a
// tolerance is found.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "isobar/base.h"
#include "isobar/math.h"

/// Whether a sanitizer watches the test, which then takes ten to thirty times as long.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define TEST_IS_WATCHED 1
#endif
#endif
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define TEST_IS_WATCHED 1
#elif !defined(TEST_IS_WATCHED)
#define TEST_IS_WATCHED 0
#endif

/// Rounds of a long loop. A sanitizer needs to see each line of code a few times only.
#define TEST_ROUNDS(many, few_watched) (TEST_IS_WATCHED ? (few_watched) : (many))

/// Ends a long test of numbers that a sanitizer could only see again: other tests run its code.
#define TEST_SKIP_IF_WATCHED()                                      \
    do {                                                            \
        if (TEST_IS_WATCHED) {                                      \
            print_message("skipped: too long under a sanitizer\n"); \
            skip();                                                 \
        }                                                           \
    } while (0)

/// Whether that sanitizer looks for races, of which a test without threads has none.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TEST_IS_WATCHED_FOR_RACES 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define TEST_IS_WATCHED_FOR_RACES 1
#elif !defined(TEST_IS_WATCHED_FOR_RACES)
#define TEST_IS_WATCHED_FOR_RACES 0
#endif

/// Ends a long test without threads under ThreadSanitizer.
#define TEST_SKIP_IF_WATCHED_FOR_RACES()                            \
    do {                                                            \
        if (TEST_IS_WATCHED_FOR_RACES) {                            \
            print_message("skipped: no threads, and so no race\n"); \
            skip();                                                 \
        }                                                           \
    } while (0)

/// |value - expected| <= tolerance.
#define CHECK_NEAR(value, expected, tolerance) \
    check_near(__FILE__, __LINE__, #value, value, expected, tolerance)

/// |value - expected| <= tolerance * |expected|.
#define CHECK_REL(value, expected, tolerance) \
    check_relative(__FILE__, __LINE__, #value, value, expected, tolerance)

/// Equal bit for bit (so 0.0 is not -0.0, and a NaN equals itself).
#define CHECK_BITS(value, expected) check_bits(__FILE__, __LINE__, #value, value, expected)

/// count doubles, each within tolerance of its partner.
#define CHECK_ARRAY_NEAR(values, expected, count, tolerance) \
    check_array_near(__FILE__, __LINE__, #values, values, expected, count, tolerance)

/// count doubles, each equal to its partner bit for bit.
#define CHECK_ARRAY_BITS(values, expected, count) \
    check_array_bits(__FILE__, __LINE__, #values, values, expected, count)

/// value <= bound (a residual, an error, a drift). Prints the margin with ISO_TOL_SCALE=0.
#define CHECK_AT_MOST(value, bound) check_at_most(__FILE__, __LINE__, #value, value, bound)

/// Distance of two vectors <= tolerance.
#define CHECK_VEC3_NEAR(value, expected, tolerance) \
    check_vec3_near(__FILE__, __LINE__, #value, value, expected, tolerance)

/// Largest difference of two matrices' elements <= tolerance.
#define CHECK_MAT3_NEAR(value, expected, tolerance) \
    check_mat3_near(__FILE__, __LINE__, #value, value, expected, tolerance)

/// Rotation matrices and positions of two poses (iso_pose) agree within tolerance.
#define CHECK_POSE_NEAR(value, expected, tolerance) \
    check_pose_near(__FILE__, __LINE__, #value, value, expected, tolerance)

/// Both halves of two spatial vectors agree within tolerance.
#define CHECK_SPATIAL_NEAR(value, expected, tolerance) \
    check_spatial_near(__FILE__, __LINE__, #value, value, expected, tolerance)

/// The condition holds; the rest is a printf format with the values behind it.
#define CHECK(condition, ...) \
    check_condition(__FILE__, __LINE__, #condition, (condition) ? true : false, __VA_ARGS__)

/// The call succeeded; otherwise print the context's error.
#define CHECK_OK(ctx, call) check_status(__FILE__, __LINE__, #call, ctx, call, ISO_OK)

/// The call gave this status.
#define CHECK_STATUS(ctx, call, expected) \
    check_status(__FILE__, __LINE__, #call, ctx, call, expected)

/// The last error of the context contains this text.
#define CHECK_ERROR(ctx, part) check_text(__FILE__, __LINE__, iso_context_error(ctx), part)

/// text contains part.
#define CHECK_TEXT(text, part) check_text(__FILE__, __LINE__, text, part)

void check_near(const char* file, int line, const char* expression, double value, double expected,
                double tolerance);
void check_relative(const char* file, int line, const char* expression, double value,
                    double expected, double tolerance);
void check_bits(const char* file, int line, const char* expression, double value, double expected);
void check_array_near(const char* file, int line, const char* expression, const double* values,
                      const double* expected, int count, double tolerance);
void check_array_bits(const char* file, int line, const char* expression, const double* values,
                      const double* expected, int count);
void check_at_most(const char* file, int line, const char* expression, double value, double bound);
void check_vec3_near(const char* file, int line, const char* expression, iso_vec3 value,
                     iso_vec3 expected, double tolerance);
void check_mat3_near(const char* file, int line, const char* expression, iso_mat3 value,
                     iso_mat3 expected, double tolerance);
void check_pose_near(const char* file, int line, const char* expression, iso_pose value,
                     iso_pose expected, double tolerance);
void check_spatial_near(const char* file, int line, const char* expression, iso_spatial value,
                        iso_spatial expected, double tolerance);
void check_condition(const char* file, int line, const char* expression, bool holds,
                     const char* format, ...) ISO_PRINTF(5, 6);
void check_status(const char* file, int line, const char* expression, const iso_context* ctx,
                  iso_status status, iso_status expected);
void check_text(const char* file, int line, const char* text, const char* part);
