// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "isobar/slide.h"
#include "support/check.h"
#include "support/failing_context.h"
#include "support/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct faces {
    iso_lab_surface lower, upper;
} faces;

static faces faces_make(iso_context* ctx, uint64_t seed, int lower, int upper, double rms) {
    iso_lab_surface_desc d = iso_lab_surface_desc_default();
    faces f;
    d.kind = ISO_LAB_KIND_PINK;
    d.rows = 1;
    d.pitch = 1e-5;
    d.rms_height = rms;
    d.longest = 24.0 * d.pitch;
    d.shortest = 8.0 * d.pitch;
    d.columns = lower;
    d.seed = 2 * seed;
    CHECK_OK(ctx, iso_lab_surface_make(ctx, &d, &f.lower));
    d.columns = upper;
    d.seed = 2 * seed + 1;
    CHECK_OK(ctx, iso_lab_surface_make(ctx, &d, &f.upper));
    return f;
}

static void faces_free(iso_context* ctx, faces* f) {
    iso_lab_surface_free(ctx, &f->lower);
    iso_lab_surface_free(ctx, &f->upper);
}

static iso_lab_slide_desc desc_make(const faces* f) {
    iso_lab_slide_desc d = iso_lab_slide_desc_default();
    d.lower.surface = &f->lower;
    d.upper.surface = &f->upper;
    d.lower.height = d.upper.height = 2e-4;
    d.lower.stiffness_damping = d.upper.stiffness_damping = 1e-4;
    d.load = 5.0;
    d.settle_steps = 10;
    return d;
}

static void run(iso_context* ctx, const iso_lab_slide_desc* d, int steps,
                iso_lab_slide_sample* out) {
    iso_lab_slide* slide = NULL;
    CHECK_OK(ctx, iso_lab_slide_create(ctx, d, &slide));
    for (int i = 0; i < steps; ++i) {
        CHECK_OK(ctx, iso_lab_slide_step(ctx, slide, &out[i]));
    }
    iso_lab_slide_destroy(ctx, slide);
}

// Flat faces slide with the local coefficient; the load is carried.
static void flat_faces_slide_with_the_local_coefficient(void** state) {
    TEST_SKIP_IF_WATCHED();
    iso_context* ctx = test_context();
    (void)state;
    test_random random = test_random_make(1);
    faces f = faces_make(ctx, 1, 65, 25, 1e-6);
    memset(f.lower.heights, 0, 65 * sizeof(double));
    memset(f.upper.heights, 0, 25 * sizeof(double));
    iso_lab_slide_desc d = desc_make(&f);
    d.friction = test_random_uniform(&random, 0.05, 0.7);
    iso_lab_slide_sample s[40];
    run(ctx, &d, 40, s);
    CHECK_REL(s[39].normal, d.load, 1e-4);
    CHECK_REL(s[39].tangential / s[39].normal, d.friction, 0.02); // the leading edge ploughs
    faces_free(ctx, &f);
    test_context_destroy(ctx);
}

// (E, density, stiffness, load) times 2 leave every acceleration, and so every bit of the motion.
static void twice_the_stiffness_and_mass_and_load_move_alike_to_the_bit(void** state) {
    TEST_SKIP_IF_WATCHED();
    iso_context* ctx = test_context();
    (void)state;
    for (uint64_t seed = 1; seed <= 2; ++seed) {
        faces f = faces_make(ctx, seed, 65, 25, 4e-6);
        iso_lab_slide_sample s[2][16];
        for (int k = 0; k < 2; ++k) {
            iso_lab_slide_desc d = desc_make(&f);
            d.friction = seed == 1 ? 0.0 : 0.2;
            double c = k ? 2.0 : 1.0;
            d.lower.young *= c;
            d.upper.young *= c;
            d.lower.density *= c;
            d.upper.density *= c;
            d.load *= c;
            run(ctx, &d, 16, s[k]);
        }
        for (int i = 0; i < 16; ++i) {
            CHECK_BITS(s[1][i].travel, s[0][i].travel);
            CHECK_BITS(s[1][i].rise, s[0][i].rise);
            CHECK_BITS(s[1][i].normal, 2.0 * s[0][i].normal);
            CHECK_BITS(s[1][i].tangential, 2.0 * s[0][i].tangential);
        }
        faces_free(ctx, &f);
    }
    test_context_destroy(ctx);
}

// The thesis' impulses carry the same load and scale to the bit as well; a step beyond the
// stability limit is refused, and the limit said.
static void explicit_steps_carry_the_load_and_have_a_limit(void** state) {
    TEST_SKIP_IF_WATCHED_FOR_RACES();
    iso_context* ctx = test_context();
    (void)state;
    faces f = faces_make(ctx, 3, 33, 25, 2e-6);
    iso_lab_slide_desc d = desc_make(&f);
    iso_lab_slide_sample s[2][10];
    d.method = ISO_LAB_METHOD_EXPLICIT;
    d.lower.height = d.upper.height = 8e-5;
    d.lower.stiffness_damping = d.upper.stiffness_damping = 3e-8;
    d.lower.mass_damping = d.upper.mass_damping = 1e4;
    d.speed = 0.2;
    d.settle_step = 2e-5;
    for (int k = 0; k < 2; ++k) {
        run(ctx, &d, 10, s[k]);
        d.lower.young *= 2.0;
        d.upper.young *= 2.0;
        d.lower.density *= 2.0;
        d.upper.density *= 2.0;
        d.load *= 2.0;
    }
    CHECK_REL(s[0][9].normal, 5.0, 0.2); // still swings
    for (int i = 0; i < 10; ++i) {
        CHECK_BITS(s[1][i].travel, s[0][i].travel);
        CHECK_BITS(s[1][i].normal, 2.0 * s[0][i].normal);
    }
    d.step = 1e-3;
    iso_lab_slide* slide = NULL;
    CHECK_STATUS(ctx, iso_lab_slide_create(ctx, &d, &slide), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "the step is 0.001 s, expected below the stability limit of the highest mode");
    faces_free(ctx, &f);
    test_context_destroy(ctx);
}

// Killed after drawn steps and gone on with from its file, a run has the same bits.
static void a_resumed_run_has_the_same_bits(void** state) {
    TEST_SKIP_IF_WATCHED_FOR_RACES();
    iso_context* ctx = test_context();
    (void)state;
    char path[64];
    snprintf(path, sizeof path, "/tmp/isobar_slide_%d.state", (int)getpid());
    for (uint64_t seed = 1; seed <= 2; ++seed) {
        test_random random = test_random_make(seed);
        faces f = faces_make(ctx, seed, 65, 25, 4e-6);
        iso_lab_slide_desc d = desc_make(&f);
        enum { STEPS = 14 };
        iso_lab_slide_sample s[STEPS], again;
        iso_lab_slide *whole = NULL, *part = NULL;
        int stop = test_random_int(&random, 2, STEPS - 2);
        CHECK_OK(ctx, iso_lab_slide_create(ctx, &d, &whole));
        for (int i = 0; i < STEPS; ++i) {
            CHECK_OK(ctx, iso_lab_slide_step(ctx, whole, &s[i]));
            if (i + 1 == stop) {
                CHECK_OK(ctx, iso_lab_slide_save(ctx, whole, path));
            }
        }
        CHECK_OK(ctx, iso_lab_slide_create(ctx, &d, &part));
        CHECK_OK(ctx, iso_lab_slide_restore(ctx, part, path));
        assert_int_equal(iso_lab_slide_steps(part), stop);
        for (int i = stop; i < STEPS; ++i) {
            CHECK_OK(ctx, iso_lab_slide_step(ctx, part, &again));
            CHECK_BITS(again.travel, s[i].travel);
            CHECK_BITS(again.normal, s[i].normal);
            CHECK_BITS(again.tangential, s[i].tangential);
            assert_int_equal(again.newton_count, s[i].newton_count);
        }
        iso_lab_slide_destroy(ctx, part);
        d.load *= 2.0;
        CHECK_OK(ctx, iso_lab_slide_create(ctx, &d, &part));
        CHECK_STATUS(ctx, iso_lab_slide_restore(ctx, part, path), ISO_ERR_ARGUMENT);
        CHECK_ERROR(ctx, "the state of other blocks");
        iso_lab_slide_destroy(ctx, part);
        FILE* file = fopen(path, "r+b");
        fseek(file, 100, SEEK_SET);
        fputc(test_random_int(&random, 1, 255), file);
        fputc('x', file);
        fclose(file);
        CHECK_STATUS(ctx, iso_lab_slide_restore(ctx, whole, path), ISO_ERR_PARSE);
        CHECK_ERROR(ctx, "the file is damaged");
        CHECK_OK(ctx, iso_lab_text_write(ctx, path, "not a state of anything, only a text", 30));
        CHECK_STATUS(ctx, iso_lab_slide_restore(ctx, whole, path), ISO_ERR_PARSE);
        iso_lab_slide_destroy(ctx, whole);
        faces_free(ctx, &f);
    }
    unlink(path);
    test_context_destroy(ctx);
}

static void bad_input_is_refused(void** state) {
    iso_context* ctx = test_context();
    (void)state;
    faces f = faces_make(ctx, 1, 65, 25, 4e-6);
    iso_lab_slide_desc good = desc_make(&f), d = good;
    iso_lab_slide* slide = NULL;
#define REFUSED(change, code, part)                                 \
    d = good;                                                       \
    change;                                                         \
    CHECK_STATUS(ctx, iso_lab_slide_create(ctx, &d, &slide), code); \
    CHECK_ERROR(ctx, part)
    REFUSED(d.lower.young = -1.0, ISO_ERR_RANGE, "lower block: Young's modulus is -1 Pa");
    REFUSED(d.upper.poisson = 0.5, ISO_ERR_RANGE, "upper block: Poisson's ratio is 0.5");
    REFUSED(d.speed = 0.0, ISO_ERR_RANGE, "the speed in m/s is 0, expected > 0");
    REFUSED(d.load = NAN, ISO_ERR_RANGE, "the load in N/m is nan");
    REFUSED(d.load = 0.0, ISO_ERR_RANGE, "load and gravity is 0, expected one of them > 0");
    REFUSED(d.settle_steps = 0, ISO_ERR_RANGE, "the number of loading steps");
    REFUSED(d.tolerance = 1.0, ISO_ERR_RANGE, "the tolerance is 1, expected 1e-9 to 0.1");
    REFUSED(d.upper.height = 1e-6, ISO_ERR_RANGE, "upper block: the block is 1e-06 m high");
    REFUSED(d.upper.surface = d.lower.surface, ISO_ERR_RANGE, "expected shorter than the lower");
    REFUSED(d.lower.surface = NULL, ISO_ERR_ARGUMENT, "both blocks need a surface");
    d = good;
    f.lower.heights[7] = NAN;
    CHECK_STATUS(ctx, iso_lab_slide_create(ctx, &d, &slide), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "lower block: height 7 of a face is nan m");
    for (int i = 0; i < 65; ++i) { // a saw that no halved layer can follow
        f.lower.heights[i] = i % 2 ? 0.0 : 1.2e-4;
    }
    CHECK_STATUS(ctx, iso_lab_slide_create(ctx, &d, &slide), ISO_ERR_GEOMETRY);
    CHECK_ERROR(ctx, "a profile is too steep for its pitch: element");
    faces_free(ctx, &f);
    test_context_destroy(ctx);
}

static iso_status attempt(iso_context* ctx, void* user) {
    iso_lab_slide* slide = NULL;
    iso_lab_slide_sample sample;
    iso_status status = iso_lab_slide_create(ctx, user, &slide);
    if (status == ISO_OK) {
        status = iso_lab_slide_step(ctx, slide, &sample);
    }
    iso_lab_slide_destroy(ctx, slide);
    return status;
}

static void failed_allocations_are_reported(void** state) {
    TEST_SKIP_IF_WATCHED_FOR_RACES();
    iso_context* ctx = test_context();
    (void)state;
    faces f = faces_make(ctx, 1, 33, 25, 2e-6);
    iso_lab_slide_desc d = desc_make(&f);
    assert_true(check_every_allocation_failure(attempt, &d) >= 60);
    faces_free(ctx, &f);
    test_context_destroy(ctx);
}

// Faces of blocks in space, of drawn heights.
static faces faces_make_space(iso_context* ctx, uint64_t seed, double rms) {
    iso_lab_surface_desc d = iso_lab_surface_desc_default();
    faces f;
    d.kind = ISO_LAB_KIND_PINK;
    d.rows = 5;
    d.columns = 9;
    d.pitch = 1e-5;
    d.rms_height = rms;
    d.shortest = 2.0 * d.pitch;
    d.seed = 2 * seed;
    CHECK_OK(ctx, iso_lab_surface_make(ctx, &d, &f.lower));
    d.columns = 5;
    d.seed = 2 * seed + 1;
    CHECK_OK(ctx, iso_lab_surface_make(ctx, &d, &f.upper));
    return f;
}

static iso_lab_slide_desc desc_make_space(const faces* f) {
    iso_lab_slide_desc d = desc_make(f);
    d.lower.height = d.upper.height = 4e-5;
    d.load = 1e-5;
    d.settle_steps = 4;
    return d;
}

// In space flat faces slide with the local coefficient, too: the binomial law with a = 0 gives b.
static void in_space_flat_faces_slide_with_the_local_coefficient(void** state) {
    TEST_SKIP_IF_WATCHED();
    iso_context* ctx = test_context();
    (void)state;
    test_random random = test_random_make(1);
    faces f = faces_make_space(ctx, 1, 1e-6);
    memset(f.lower.heights, 0, (size_t)(5 * 9) * sizeof(double));
    memset(f.upper.heights, 0, (size_t)(5 * 5) * sizeof(double));
    iso_lab_slide_desc d = desc_make_space(&f);
    d.friction = test_random_uniform(&random, 0.05, 0.5);
    iso_lab_slide_sample s[8];
    run(ctx, &d, 8, s);
    CHECK_REL(s[7].normal, d.load, 1e-3);
    CHECK_REL(s[7].tangential / s[7].normal, d.friction, 0.03); // the leading edge ploughs
    CHECK_NEAR(s[7].transverse / s[7].normal, 0.0, 0.05);       // cells have one diagonal
    faces_free(ctx, &f);
    test_context_destroy(ctx);
}

static void threads_change_no_bit(void** state) {
    iso_context* ctx = test_context();
    iso_lab_slide_sample first[6], s[6];
    (void)state;
    const int rows = TEST_ROUNDS(6, 2);
    faces f = faces_make_space(ctx, 3, 2e-6);
    iso_lab_slide_desc d = desc_make_space(&f);
    for (int threads = 1; threads <= 3; ++threads) {
        d.thread_count = threads;
        run(ctx, &d, rows, threads == 1 ? first : s);
        for (int i = 0; threads > 1 && i < rows; ++i) {
            CHECK_BITS(s[i].normal, first[i].normal);
            CHECK_BITS(s[i].tangential, first[i].tangential);
            CHECK_BITS(s[i].travel, first[i].travel);
        }
    }
    d.thread_count = 0;
    iso_lab_slide* slide = NULL;
    CHECK_STATUS(ctx, iso_lab_slide_create(ctx, &d, &slide), ISO_ERR_RANGE);
    faces_free(ctx, &f);
    test_context_destroy(ctx);
}

// The thesis' penalty contact: the controller holds the normal force, the start is in balance, and
// a run gone on with has the same bits.
static void penalty_contact_holds_its_normal_force_and_resumes(void** state) {
    TEST_SKIP_IF_WATCHED_FOR_RACES();
    iso_context* ctx = test_context();
    (void)state;
    char path[64];
    snprintf(path, sizeof path, "/tmp/isobar_slide3_%d.state", (int)getpid());
    for (uint64_t seed = 1; seed <= 2; ++seed) {
        faces f = faces_make_space(ctx, seed, 4e-6);
        iso_lab_slide_desc d = desc_make_space(&f);
        iso_lab_slide_sample s[10], again;
        iso_lab_slide *whole = NULL, *part = NULL;
        d.method = ISO_LAB_METHOD_EXPLICIT;
        d.damps_highest = true;
        d.lower.young = d.upper.young = 1e8;
        d.settle_steps = 1;
        d.sample_step = d.settle_step = 2e-7;
        d.hold_time = 1e-6;
        d.speed = 0.5;
        CHECK_OK(ctx, iso_lab_slide_create(ctx, &d, &whole));
        for (int i = 0; i < 10; ++i) {
            CHECK_OK(ctx, iso_lab_slide_step(ctx, whole, &s[i]));
            CHECK_REL(s[i].normal, d.load, 0.05);
            if (i == 4) {
                CHECK_OK(ctx, iso_lab_slide_save(ctx, whole, path));
            }
        }
        CHECK_OK(ctx, iso_lab_slide_create(ctx, &d, &part));
        CHECK_OK(ctx, iso_lab_slide_restore(ctx, part, path));
        for (int i = 5; i < 10; ++i) {
            CHECK_OK(ctx, iso_lab_slide_step(ctx, part, &again));
            CHECK_BITS(again.travel, s[i].travel);
            CHECK_BITS(again.normal, s[i].normal);
            CHECK_BITS(again.tangential, s[i].tangential);
        }
        iso_lab_slide_destroy(ctx, whole);
        iso_lab_slide_destroy(ctx, part);
        faces_free(ctx, &f);
    }
    unlink(path);
    test_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flat_faces_slide_with_the_local_coefficient),
        cmocka_unit_test(twice_the_stiffness_and_mass_and_load_move_alike_to_the_bit),
        cmocka_unit_test(explicit_steps_carry_the_load_and_have_a_limit),
        cmocka_unit_test(a_resumed_run_has_the_same_bits),
        cmocka_unit_test(in_space_flat_faces_slide_with_the_local_coefficient),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(penalty_contact_holds_its_normal_force_and_resumes),
        cmocka_unit_test(bad_input_is_refused),
        cmocka_unit_test(failed_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
