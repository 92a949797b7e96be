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
    iso_context* ctx = test_context();
    (void)state;
    for (uint64_t seed = 1; seed <= 2; ++seed) {
        test_random random = test_random_make(seed);
        faces f = faces_make(ctx, seed, 65, 25, 1e-6);
        memset(f.lower.heights, 0, 65 * sizeof(double));
        memset(f.upper.heights, 0, 25 * sizeof(double));
        iso_lab_slide_desc d = desc_make(&f);
        d.friction = test_random_uniform(&random, 0.05, 0.7);
        iso_lab_slide_sample s[40];
        run(ctx, &d, 40, s);
        CHECK_REL(s[39].normal, d.load, 1e-4);
        CHECK_REL(s[39].tangential / s[39].normal, d.friction, 0.02); // the leading edge ploughs
        faces_free(ctx, &f);
    }
    test_context_destroy(ctx);
}

// (E, density, stiffness, load) times 2 leave every acceleration, and so every bit of the motion.
static void twice_the_stiffness_and_mass_and_load_move_alike_to_the_bit(void** state) {
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flat_faces_slide_with_the_local_coefficient),
        cmocka_unit_test(twice_the_stiffness_and_mass_and_load_move_alike_to_the_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
