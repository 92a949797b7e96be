// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "isobar/lab.h"
#include "support/check.h"
#include "support/failing_context.h"
#include "support/kept_warning.h"
#include "support/random.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static iso_lab_surface_desc draw_desc(test_random* random) {
    iso_lab_surface_desc d = iso_lab_surface_desc_default();
    d.kind = (iso_lab_kind)test_random_int(random, 0, 2);
    bool is_profile = test_random_int(random, 0, 2) == 0;
    d.columns = test_random_int(random, 16, 90);
    d.rows = test_random_int(random, 16, 90);
    d.rows = is_profile ? 1 : d.rows;
    d.pitch = pow(10.0, test_random_uniform(random, -7.0, 0.0));
    d.rms_height = d.pitch * test_random_uniform(random, 0.01, 3.0);
    d.hurst = test_random_uniform(random, 0.1, 1.0);
    int least = is_profile || d.columns < d.rows ? d.columns : d.rows;
    d.longest = d.pitch * least * test_random_uniform(random, 0.6, 1.0);
    d.shortest = d.pitch * test_random_uniform(random, 2.0, 4.0);
    d.roll_off = test_random_uniform(random, d.shortest, d.longest);
    d.seed = test_random_bits(random);
    return d;
}

static void surfaces_have_their_height_and_no_wave_outside_their_band(void** state) {
    iso_context* ctx = test_context();
    (void)state;
    for (uint64_t seed = 1; seed <= 80; ++seed) {
        test_random random = test_random_make(seed);
        iso_lab_surface_desc d = draw_desc(&random);
        iso_lab_surface s;
        iso_lab_statistics m;
        CHECK_OK(ctx, iso_lab_surface_make(ctx, &d, &s));
        CHECK_OK(ctx, iso_lab_surface_measure(ctx, &s, &m));
        CHECK_REL(m.rms_height, d.rms_height, 1e-13);  // measured 4e-16
        CHECK_NEAR(m.mean / d.rms_height, 0.0, 1e-13); // measured 5e-17
        double most = 0.0, outside = 0.0;
        for (int i = 0; i < m.spectrum_count; ++i) {
            bool is_within = m.wave_numbers[i] * d.longest >= 2.0 * ISO_PI * 0.9 &&
                             m.wave_numbers[i] * d.shortest <= 2.0 * ISO_PI * 1.1;
            most = fmax(most, m.spectrum[i]);
            outside = is_within ? outside : fmax(outside, m.spectrum[i]);
        }
        CHECK_AT_MOST(outside / most, 1e-27); // measured 1.5e-31
        // Every wave's slope lies between those of the longest and of the shortest.
        double slope = m.rms_slope / d.rms_height, bend = m.rms_curvature / m.rms_slope;
        double half = d.rows > 1 ? 0.5 : 1.0;
        CHECK(slope * d.longest >= 2.0 * ISO_PI * (1.0 - 1e-9), "%g", slope * d.longest);
        CHECK(slope * d.shortest <= 2.0 * ISO_PI * (1.0 + 1e-9), "%g", slope * d.shortest);
        CHECK(bend * d.shortest <= 2.0 * ISO_PI * half * (1.0 + 1e-9), "%g", bend * d.shortest);
        iso_lab_surface_free(ctx, &s);
    }
    test_context_destroy(ctx);
}

static void the_seed_says_the_bits(void** state) {
    iso_context* ctx = test_context();
    (void)state;
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        test_random random = test_random_make(seed);
        iso_lab_surface_desc d = draw_desc(&random);
        iso_lab_surface a, b, c;
        CHECK_OK(ctx, iso_lab_surface_make(ctx, &d, &a));
        CHECK_OK(ctx, iso_lab_surface_make(ctx, &d, &b));
        d.seed += 1;
        CHECK_OK(ctx, iso_lab_surface_make(ctx, &d, &c));
        CHECK_ARRAY_BITS(a.heights, b.heights, d.rows * d.columns);
        assert_memory_not_equal(a.heights, c.heights, sizeof(double) * 16);
        iso_lab_surface_free(ctx, &a);
        iso_lab_surface_free(ctx, &b);
        iso_lab_surface_free(ctx, &c);
    }
    test_context_destroy(ctx);
}

// Mean slope of log C over log q between two wave numbers, of so many surfaces.
static double fitted_exponent(iso_context* ctx, iso_lab_surface_desc d, double low, double high) {
    double sums[5] = {0};
    for (int n = 0; n < 12; ++n) {
        iso_lab_surface s;
        iso_lab_statistics m;
        d.seed += 1;
        CHECK_OK(ctx, iso_lab_surface_make(ctx, &d, &s));
        CHECK_OK(ctx, iso_lab_surface_measure(ctx, &s, &m));
        for (int i = 0; i < m.spectrum_count; ++i) {
            if (m.wave_numbers[i] > low && m.wave_numbers[i] < high) {
                double x = log(m.wave_numbers[i]), y = log(m.spectrum[i]);
                sums[0] += 1.0;
                sums[1] += x;
                sums[2] += y;
                sums[3] += x * x;
                sums[4] += x * y;
            }
        }
        iso_lab_surface_free(ctx, &s);
    }
    return (sums[0] * sums[4] - sums[1] * sums[2]) / (sums[0] * sums[3] - sums[1] * sums[1]);
}

static void spectra_fall_as_their_exponent_says(void** state) {
    iso_context* ctx = test_context();
    (void)state;
    for (uint64_t seed = 1; seed <= 12; ++seed) {
        test_random random = test_random_make(seed);
        iso_lab_surface_desc d = draw_desc(&random);
        d.columns = d.rows > 1 ? 256 : 8192;
        d.rows = d.rows > 1 ? 256 : 1;
        d.shortest = d.longest = 0.0;
        double extent = d.columns * d.pitch;
        d.roll_off = extent / 8.0;
        double wanted = d.rows > 1 ? -2.0 - 2.0 * d.hurst : -1.0 - 2.0 * d.hurst;
        wanted = d.kind == ISO_LAB_KIND_PINK ? (d.rows > 1 ? -2.0 : -1.0) : wanted;
        wanted = d.kind == ISO_LAB_KIND_WHITE ? 0.0 : wanted;
        double found =
            fitted_exponent(ctx, d, 2.0 * ISO_PI / extent * 12.0, 0.9 * ISO_PI / d.pitch);
        CHECK_NEAR(found, wanted, 0.05); // measured up to 0.035, of the noise
    }
    test_context_destroy(ctx);
}

static void a_sine_is_measured_in_closed_form(void** state) {
    iso_context* ctx = test_context();
    (void)state;
    for (uint64_t seed = 1; seed <= 30; ++seed) {
        test_random random = test_random_make(seed);
        iso_lab_surface_desc d = draw_desc(&random);
        int waves = test_random_int(&random, 1, 5);
        d.kind = ISO_LAB_KIND_SINE;
        d.rows = d.rows > 1 ? d.columns : 1;
        d.shortest = d.roll_off = 0.0;
        d.longest = d.columns * d.pitch / waves;
        iso_lab_surface s;
        iso_lab_statistics m;
        CHECK_OK(ctx, iso_lab_surface_make(ctx, &d, &s));
        CHECK(s.is_periodic, "%d waves", waves);
        CHECK_OK(ctx, iso_lab_surface_measure(ctx, &s, &m));
        double q = 2.0 * ISO_PI / d.longest;
        CHECK_REL(m.rms_height, d.rms_height, 1e-12);
        CHECK_REL(m.rms_slope, q * d.rms_height, 1e-12); // measured 2e-15
        CHECK_REL(m.rms_curvature, q * q * d.rms_height * (d.rows > 1 ? 0.5 : 1.0), 1e-10);
        CHECK_REL(m.kurtosis, 1.5, 1e-10);
        CHECK_REL(m.high, sqrt(2.0) * d.rms_height, 1e-10);
        CHECK_REL(m.abbott[0], m.high, 0.0);
        CHECK_REL(m.abbott[100], m.low, 0.0);
        // Differences of neighbours: what a measured surface has, of a tilt that goes off.
        s.is_periodic = false;
        for (int i = 0; i < d.rows * d.columns; ++i) {
            s.heights[i] = d.rms_height * sqrt(2.0) * cos(q * d.pitch * (i % d.columns)) * 1e-6 +
                           7.0 + 0.25 * d.pitch * (i % d.columns) - d.pitch * (i / d.columns);
        }
        CHECK_OK(ctx, iso_lab_surface_measure(ctx, &s, &m));
        CHECK_AT_MOST(m.rms_height, 2e-6 * d.rms_height + 1e-13);
        iso_lab_surface_free(ctx, &s);
    }
    test_context_destroy(ctx);
}

static void poisson_discs_keep_their_distance_and_leave_no_hole(void** state) {
    iso_context* ctx = test_context();
    (void)state;
    for (uint64_t seed = 1; seed <= 24; ++seed) {
        test_random random = test_random_make(seed);
        double distance = test_random_uniform(&random, 0.02, 0.2);
        double width = test_random_uniform(&random, 0.5, 2.0);
        double depth = test_random_uniform(&random, 0.5, 2.0);
        depth = seed % 4 == 0 ? 0.0 : depth;
        double* p = NULL;
        int count = 0, holes = 0;
        CHECK_OK(ctx, iso_lab_poisson_disc(ctx, width, depth, distance, seed, &p, &count));
        double least = INFINITY;
        for (int i = 0; i < count; ++i) {
            CHECK(p[2 * i] >= 0.0 && p[2 * i] < width, "%g", p[2 * i]);
            CHECK(p[2 * i + 1] >= 0.0 && p[2 * i + 1] <= depth, "%g", p[2 * i + 1]);
            for (int k = 0; k < i; ++k) {
                least = fmin(least, hypot(p[2 * i] - p[2 * k], p[2 * i + 1] - p[2 * k + 1]));
            }
        }
        CHECK(least >= distance * (1.0 - 1e-15), "%g of %g", least, distance);
        for (int n = 0; n < 400; ++n) {
            double x = test_random_uniform(&random, 0.0, width);
            double y = test_random_uniform(&random, 0.0, 1.0) * depth, nearest = INFINITY;
            for (int i = 0; i < count; ++i) {
                nearest = fmin(nearest, hypot(p[2 * i] - x, p[2 * i + 1] - y));
            }
            holes += nearest > distance;
            CHECK_AT_MOST(nearest, 2.0 * distance);
        }
        CHECK_AT_MOST(holes, 12); // of 400; measured 0 to 7: thirty tries do not fill all
        double* again = NULL;
        int again_count = 0;
        CHECK_OK(ctx,
                 iso_lab_poisson_disc(ctx, width, depth, distance, seed, &again, &again_count));
        assert_int_equal(again_count, count);
        CHECK_ARRAY_BITS(again, p, 2 * count);
        iso_lab_points_free(ctx, p);
        iso_lab_points_free(ctx, again);
    }
    test_context_destroy(ctx);
}

static void write_file(const char* path, const char* text) {
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void measured_profiles_and_maps_are_read(void** state) {
    iso_context* ctx = test_context();
    const char* path = ISOBAR_BINARY_DIR "/lab_surface_test.csv";
    iso_lab_surface s;
    (void)state;
    write_file(path, "# of a stylus\nx,z\n0,1\n0.5,2\n1.0,-4\n1.5,8\n2,0\n");
    CHECK_OK(ctx, iso_lab_surface_read(ctx, path, 0.0, 1e-3, &s));
    assert_int_equal(s.rows, 1);
    assert_int_equal(s.columns, 5);
    CHECK_NEAR(s.pitch, 0.5, 0.0);
    CHECK_NEAR(s.heights[2], -4e-3, 1e-18);
    iso_lab_surface_free(ctx, &s);
    write_file(path, "1,2,3,4\n5,6,7,8\r\n\n9,10,11,12\n13,14,15,16");
    CHECK_OK(ctx, iso_lab_surface_read(ctx, path, 0.1, 1.0, &s));
    assert_int_equal(s.rows, 4);
    CHECK_NEAR(s.heights[13], 14.0, 0.0);
    iso_lab_surface_free(ctx, &s);
    CHECK_STATUS(ctx, iso_lab_surface_read(ctx, path, 0.0, 1.0, &s), ISO_ERR_ARGUMENT);
    write_file(path, "\xEF\xBB\xBF\"x [m]\",z\r\n0,1\r\n1,2\r\n2,4\r\n3,3\r\n");
    CHECK_OK(ctx, iso_lab_surface_read(ctx, path, 0.0, 1.0, &s));
    assert_int_equal(s.columns, 4);
    iso_lab_surface_free(ctx, &s);
    write_file(path, "\xEF\xBB\xBF"
                     "1,2,3,4\n5,6,7,8\n9,10,11,12\n13,14,15,16\n");
    CHECK_OK(ctx, iso_lab_surface_read(ctx, path, 0.1, 1.0, &s)); // no number lost to the mark
    assert_int_equal(s.rows, 4);
    CHECK_NEAR(s.heights[0], 1.0, 0.0);
    iso_lab_surface_free(ctx, &s);
    const struct {
        const char *text, *part;
        iso_status status;
    } bad[] = {
        {"0,1\n1,2\n2,x\n3,4\n", "lab_surface_test.csv:3: column 2 is 'x'", ISO_ERR_PARSE},
        {"0,1\n1,2\n2\n3,4\n", ":3: 1 numbers, expected 2", ISO_ERR_PARSE},
        {"0,1\n1,2\n2,3\n", "3 rows of 2 numbers, expected at least 4", ISO_ERR_PARSE},
        {"0,1\n1,2\n2.1,3\n3,4\n", "point 3 is at 2.1, 1.1 after the one before, expected 1",
         ISO_ERR_RANGE},
        {"0,1\n1,2\n1,3\n2,4\n3,5\n", "point 3 is at 1, 0 after", ISO_ERR_RANGE},
        {"0,1\n1,2\n2,3\n4,4\n5,5\n", "point 4 is at 4, 2 after", ISO_ERR_RANGE},
        {"1,1\n1,2\n1,3\n1,4\n", "expected 0 as of most: places", ISO_ERR_RANGE},
        {"0;1.234,5\n1;2\n2;3\n3;4\n", ":1: column 2 is '1.234,5'", ISO_ERR_PARSE},
        {"x,z\nmm,um\nmm,um\n0,1\n", ":3: column 1 is 'mm'", ISO_ERR_PARSE},
        {"1,2,3\n1,2,3\n1,2,3\n1,2,3\n", "3 columns, expected 2", ISO_ERR_PARSE},
        {"", "0 rows", ISO_ERR_PARSE},
        {"0,nan\n1,2\n2,3\n3,4\n", ":1: column 2 is 'nan'", ISO_ERR_PARSE},
        {"\xEF\xBB\xBF", "0 rows", ISO_ERR_PARSE},
        {"nan,1,2,3\n1,2,3,4\n", ":1: column 1 is 'nan'", ISO_ERR_PARSE},
        {",1\n1,2\n2,3\n3,4\n4,5\n", ":1: column 1 is ''", ISO_ERR_PARSE},
        {"x,z\nq,q\n0,1\n", ":2: column 1 is 'q'", ISO_ERR_PARSE},
        {"0;1\n1;2\n", "parted by commas, semicolons or tabs", ISO_ERR_PARSE},
        {"\x89PNG\r\n\x1a\n", "the image cannot be read", ISO_ERR_PARSE},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        write_file(path, bad[i].text);
        CHECK_STATUS(ctx, iso_lab_surface_read(ctx, path, 0.1, 1.0, &s), bad[i].status);
        CHECK_ERROR(ctx, bad[i].part);
        assert_null(s.heights);
    }
    remove(path);
    CHECK_STATUS(ctx, iso_lab_surface_read(ctx, path, 0.1, 1.0, &s), ISO_ERR_IO);
    test_context_destroy(ctx);
}

// A profile as instruments write it: separator, decimals, names with units, direction, line ends.
static void profiles_of_any_common_form_are_the_same(void** state) {
    static const struct {
        const char *text, *unit;
        double metres;
    } units[] = {{"", "", 1.0},
                 {" [m]", "m", 1.0},
                 {" (mm)", "mm", 1e-3},
                 {"/um", "um", 1e-6},
                 {" [\xC2\xB5m]", "nm", 1e-6},
                 {"_nm", "nm", 1e-9},
                 {" [\xB5m]", "in", 1e-6},
                 {" [\xCE\xBCm]", "A", 1e-6}};
    const char* path = ISOBAR_BINARY_DIR "/lab_profile_test.csv";
    iso_context* ctx = test_context();
    (void)state;
    for (uint64_t seed = 1; seed <= 200; ++seed) {
        test_random random = test_random_make(seed);
        char separator = ",;\t"[test_random_int(&random, 0, 2)];
        char point = separator != ',' && test_random_int(&random, 0, 1) ? ',' : '.';
        int unit = test_random_int(&random, 0, 7), count = test_random_int(&random, 4, 40);
        bool is_falling = test_random_int(&random, 0, 1),
             has_return = test_random_int(&random, 0, 1);
        double pitch = 0.001 * test_random_int(&random, 1, 3000), heights[40];
        FILE* file = fopen(path, "wb");
        assert_non_null(file);
        fputs(test_random_int(&random, 0, 1) ? "\xEF\xBB\xBF" : "", file);
        fprintf(file, "x%s%cz%s\n", units[unit].text, separator, units[unit].text);
        for (int i = 0; i < count; ++i) {
            int at = is_falling ? count - 1 - i : i;
            char text[2][32];
            heights[at] = 1e-6 * test_random_int(&random, -9999999, 9999999);
            (void)snprintf(text[0], sizeof text[0], "%.3f", pitch * at);
            (void)snprintf(text[1], sizeof text[1], "%.6f", heights[at]);
            for (int k = 0; k < 2; ++k) {
                *strchr(text[k], '.') = point;
            }
            fprintf(file, "%s%c%s%s", text[0], separator, text[1], has_return ? "\r\n" : "\n");
        }
        assert_int_equal(fclose(file), 0);
        iso_lab_surface s;
        CHECK_OK(ctx, iso_lab_surface_read(ctx, path, 0.0, 0.0, &s));
        assert_int_equal(s.columns, count);
        CHECK_REL(s.pitch, pitch * units[unit].metres, 1e-12);
        for (int i = 0; i < count; ++i) {
            CHECK_NEAR(s.heights[i], heights[i] * units[unit].metres, 1e-14 * units[unit].metres);
        }
        iso_lab_surface_free(ctx, &s);
    }
    // Units in a line of their own, of each column its own; unknown ones are said.
    write_file(path, "place,height\nmm,nm\n0,1\n2,3\n4,2\n6,1\n");
    iso_lab_surface s;
    CHECK_OK(ctx, iso_lab_surface_read(ctx, path, 0.0, 0.0, &s));
    CHECK_REL(s.pitch, 2e-3, 1e-15);
    CHECK_REL(s.heights[1], 3e-9, 1e-15);
    iso_lab_surface_free(ctx, &s);
    // Commas that tabs pad; words at the end of names, which are no units.
    static const char* const padded[] = {"x_A,z_in\n0.5,\t1.5\n1.5,\t2.5\n2.5,\t1.5\n3.5,\t0.5\n",
                                         "0.5,1.5\t\n1.5,2.5\t\n2.5,1.5\t\n3.5,0.5\n",
                                         "\t0.5\t,1.5\n\t1.5\t,2.5\n\t2.5\t,1.5\n\t3.5\t,0.5\n",
                                         "u_in\tscan_A\n0,5\t1,5\n1,5\t2,5\n2,5\t1,5\n3,5\t0,5\n"};
    for (size_t i = 0; i < sizeof padded / sizeof padded[0]; ++i) {
        write_file(path, padded[i]);
        CHECK_OK(ctx, iso_lab_surface_read(ctx, path, 0.0, 0.0, &s));
        CHECK_REL(s.pitch, 1.0, 1e-15);
        CHECK_REL(s.heights[1], 2.5, 1e-15);
        iso_lab_surface_free(ctx, &s);
    }
    remove(path);
    test_context_destroy(ctx);
}

static void units_that_do_not_fit_are_said(void** state) {
    const char* path = ISOBAR_BINARY_DIR "/lab_unit_test.csv";
    const struct {
        const char *text, *word;
        double height;
    } rows[] = {{"x [px],z [mm]\n0,1\n1,2\n2,1\n3,2\n", "column 1 is 'x [px]', whose unit", 0.0},
                {"x,z [mm]\n0,1\n1,2\n2,1\n3,2\n", "one has a unit, the other is in metres", 0.0},
                {"x [mm],z [mm]\n0,1\n1,2\n2,1\n3,2\n", "1e-06 m as given, but 0.001 m", 1e-6}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        kept_warning kept;
        iso_context* ctx = warned_context_of(&kept, rows[i].word);
        iso_lab_surface s;
        write_file(path, rows[i].text);
        CHECK_OK(ctx, iso_lab_surface_read(ctx, path, 0.0, rows[i].height, &s));
        CHECK(kept.count == 1, "'%s': %d warnings", rows[i].text, kept.count);
        iso_lab_surface_free(ctx, &s);
        iso_context_destroy(ctx);
    }
    kept_warning kept; // a unit that is given is none that lacks
    iso_context* ctx = warned_context_of(&kept, "the other is in metres");
    iso_lab_surface s;
    write_file(path, "x [mm],z\n0,1\n1,2\n2,1\n3,2\n");
    CHECK_OK(ctx, iso_lab_surface_read(ctx, path, 0.0, 1e-6, &s));
    assert_int_equal(kept.count, 0);
    iso_lab_surface_free(ctx, &s);
    iso_context_destroy(ctx);
    remove(path);
}

static void bad_values_are_named(void** state) {
    iso_context* ctx = test_context();
    (void)state;
    iso_lab_surface s;
    iso_lab_surface_desc bad[8];
    const char* parts[8] = {"4 columns",
                            "the pitch is -1 m",
                            "the rms height is 0 m",
                            "Hurst exponent",
                            "the shortest wave is 1",
                            "the longest wave is 300",
                            "the roll-off is at 7e+06",
                            "no wave of the grid lies between"};
    for (int i = 0; i < 8; ++i) {
        bad[i] = iso_lab_surface_desc_default();
        bad[i].pitch = 1.0;
    }
    bad[0].columns = 3;
    bad[1].pitch = -1.0;
    bad[2].rms_height = 0.0;
    bad[3].hurst = 1.5;
    bad[4].shortest = 1.0;
    bad[5].longest = 300.0;
    bad[6].roll_off = 7e6;
    bad[7].shortest = bad[7].longest = 250.0;
    for (int i = 0; i < 8; ++i) {
        CHECK_STATUS(ctx, iso_lab_surface_make(ctx, &bad[i], &s), ISO_ERR_RANGE);
        CHECK_ERROR(ctx, parts[i]);
        assert_null(s.heights);
    }
    double* points = NULL;
    int count = 0;
    CHECK_STATUS(ctx, iso_lab_poisson_disc(ctx, 1.0, 1.0, 1e-5, 1, &points, &count), ISO_ERR_RANGE);
    CHECK_STATUS(ctx, iso_lab_poisson_disc(ctx, 1.0, 1.0, 0.0, 1, &points, &count), ISO_ERR_RANGE);
    CHECK_STATUS(ctx, iso_lab_poisson_disc(ctx, 0.0, 1.0, 1.0, 1, &points, &count), ISO_ERR_RANGE);
    test_context_destroy(ctx);
}

static iso_status attempt_surface(iso_context* ctx, void* user) {
    iso_lab_surface_desc d = iso_lab_surface_desc_default();
    iso_lab_surface s;
    iso_lab_statistics m;
    double* points = NULL;
    int count = 0;
    (void)user;
    d.rows = d.columns = 16;
    iso_status status = iso_lab_surface_make(ctx, &d, &s);
    if (status == ISO_OK) {
        status = iso_lab_surface_measure(ctx, &s, &m);
    }
    if (status == ISO_OK) {
        status = iso_lab_poisson_disc(ctx, 1.0, 1.0, 0.2, 1, &points, &count);
    }
    iso_lab_points_free(ctx, points);
    iso_lab_surface_free(ctx, &s);
    return status;
}

static void every_failed_allocation_is_reported(void** state) {
    (void)state;
    assert_true(check_every_allocation_failure(attempt_surface, NULL) > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(surfaces_have_their_height_and_no_wave_outside_their_band),
        cmocka_unit_test(the_seed_says_the_bits),
        cmocka_unit_test(spectra_fall_as_their_exponent_says),
        cmocka_unit_test(a_sine_is_measured_in_closed_form),
        cmocka_unit_test(poisson_discs_keep_their_distance_and_leave_no_hole),
        cmocka_unit_test(measured_profiles_and_maps_are_read),
        cmocka_unit_test(profiles_of_any_common_form_are_the_same),
        cmocka_unit_test(units_that_do_not_fit_are_said),
        cmocka_unit_test(bad_values_are_named),
        cmocka_unit_test(every_failed_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
