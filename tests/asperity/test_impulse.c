// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "asperity/contact/impulse.h"
#include "asperity/elastic/modes.h"
#include "elastic_grid.h"
#include "support/failing_context.h"

#include <math.h>

static iso_impulse_law draw_law(test_random* random) {
    iso_impulse_law law = {.least = pow(10.0, test_random_uniform(random, -4.0, 0.0))};
    law.stiffness = pow(10.0, test_random_uniform(random, -6.0, 2.0));
    law.reach = 100.0 * law.least;
    return law;
}

// What the thesis claims: one encounter, even at a large step, ends beyond H; what is killed rests;
// what is not changes its kinetic energy by the work of the field.
static void one_encounter_keeps_its_distance_and_its_energy(void** state) {
    int killed = 0, solved = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 4000; ++seed) {
        test_random random = test_random_make(seed);
        iso_impulse_law law = draw_law(&random);
        double x = law.least * (1.0 + pow(10.0, test_random_uniform(&random, -3.0, 1.0)));
        double v = law.least * pow(10.0, test_random_uniform(&random, -2.0, 4.0));
        v *= test_random_int(&random, 0, 1) ? 1.0 : -1.0;
        double mass = pow(10.0, test_random_uniform(&random, -4.0, 2.0));
        double step = pow(10.0, test_random_uniform(&random, -5.0, 0.0));
        iso_encounter found = iso_impulse_meet(&law, v, x, 1.0 / mass, step);
        double after = v + found.impulse / mass, way = v * step;
        CHECK(x + after * step >= law.least * (1.0 - 1e-12), "%g", (x + after * step) / law.least);
        CHECK(found.is_killed || after * v >= 0.0, "%g %g", v, after);
        if (found.is_killed) {
            CHECK_AT_MOST(fabs(after / v), 1e-14);
            ++killed;
            continue;
        }
        double from = x - law.least, work = law.stiffness * way / (from * (from + way));
        double gain = 0.5 * mass * (after * after - v * v);
        CHECK_NEAR(gain / (fabs(work) + 0.5 * mass * v * v),
                   work / (fabs(work) + 0.5 * mass * v * v), 1e-14);
        ++solved;
    }
    CHECK(killed > 500 && solved > 500, "%d %d", killed, solved);
}

typedef struct meeting {
    elastic_grid grid;
    iso_elastic* e;
    iso_elastic_system* s;
} meeting;

// Two squares of two triangles each, the upper one shifted by a drawn way, thrown down.
static meeting meeting_make(iso_context* ctx, uint64_t seed, double gap) {
    test_random random = test_random_make(seed);
    const int cells[3] = {1, 1, 0};
    iso_barrier_law law = {0.01, 1.0, 0.0, 1.0};
    elastic_grid one = elastic_grid_box(2, cells, 1.0);
    meeting m = {.grid = one};
    double shift[2] = {test_random_uniform(&random, -0.9, 0.9), 1.0 + gap};
    m.grid.vertex_count = 8;
    m.grid.element_count = 4;
    m.grid.vertices = calloc(16, sizeof(double));
    m.grid.elements = calloc(12, sizeof(int));
    for (int i = 0; i < 16; ++i) {
        m.grid.vertices[i] = one.vertices[i % 8] + (i >= 8 ? shift[i % 2] : 0.0);
    }
    for (int i = 0; i < 12; ++i) {
        m.grid.elements[i] = one.elements[i % 6] + (i >= 6 ? 4 : 0);
    }
    elastic_grid_free(&one);
    iso_elastic_material material = {1e4, 0.3, pow(10.0, test_random_uniform(&random, 0.0, 2.0)),
                                     0.0, 0.0};
    m.e = elastic_grid_body(ctx, &m.grid, &material);
    CHECK_OK(ctx, iso_elastic_system_create(ctx, m.e, &law, &m.s));
    for (int v = 0; v < 8; ++v) {
        m.s->v[2 * v] = test_random_uniform(&random, -0.3, 0.3);
        m.s->v[2 * v + 1] = v < 4 ? 0.0 : -test_random_uniform(&random, 0.5, 1.5);
    }
    return m;
}

static void meeting_free(iso_context* ctx, meeting* m) {
    iso_elastic_system_destroy(m->s);
    iso_elastic_destroy(ctx, m->e);
    elastic_grid_free(&m->grid);
}

static void sums_of(const meeting* m, double out[3]) {
    out[0] = out[1] = 0.0;
    out[2] = iso_elastic_energy(m->e, m->s->x);
    for (int i = 0; i < 16; ++i) {
        out[i % 2] += m->e->masses[i / 2] * m->s->v[i];
        out[2] += 0.5 * m->e->masses[i / 2] * m->s->v[i] * m->s->v[i];
    }
}

// By masses both bodies together keep their momentum; by the printed shares (3.49) they do not.
static void impulses_keep_momentum_unless_they_are_as_printed(void** state) {
    iso_context* ctx = test_context();
    int broken = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 30; ++seed) {
        for (int printed = 0; printed < 2; ++printed) {
            meeting m = meeting_make(ctx, seed, 0.05);
            iso_impulse_law law = {0.01, 1e-3, 0.1, printed};
            iso_explicit_report report = {.kill_count = 0};
            double before[3], after[3], high[2], worst = 0.0;
            CHECK_OK(ctx, iso_elastic_top_modes(ctx, m.e, m.e->rest, NULL, high));
            double step = 0.2 * iso_elastic_longest_step(high[0], 0.0, 0.0);
            sums_of(&m, before);
            for (int i = 0; i < 400; ++i) {
                CHECK_OK(ctx, iso_elastic_system_explicit_step(m.s, &law, step, &report));
                sums_of(&m, after);
                double scale = m.e->masses[0] * 8.0;
                worst = fmax(worst, hypot(after[0] - before[0], after[1] - before[1]) / scale);
            }
            CHECK(report.kill_count > 0 || report.impulse[1] > 0.0, "%g", report.impulse[1]);
            if (printed) {
                broken += worst > 1e-3;
            } else {
                CHECK_AT_MOST(worst, 1e-13);
                CHECK_OK(ctx, iso_skin_check_apart(&m.s->skin, m.e, m.s->x));
            }
            meeting_free(ctx, &m);
        }
    }
    CHECK(broken > 10, "%d", broken);
    test_context_destroy(ctx);
}

// Without contact: below the longest step energy stays, above it grows.
static void the_longest_step_is_the_border_of_stability(void** state) {
    iso_context* ctx = test_context();
    (void)state;
    for (uint64_t seed = 1; seed <= 10; ++seed) {
        for (int k = 0; k < 2; ++k) {
            meeting m = meeting_make(ctx, seed, 50.0);
            iso_impulse_law law = {0.01, 1e-3, 0.1, false};
            iso_explicit_report report = {.kill_count = 0};
            double high[2], sums[3];
            CHECK_OK(ctx, iso_elastic_top_modes(ctx, m.e, m.e->rest, NULL, high));
            double step = iso_elastic_longest_step(high[0], 0.0, 0.0) * (k ? 1.02 : 0.97);
            for (int i = 0; i < 16; ++i) {
                m.s->v[i] *= 1e-6; // small strains
            }
            sums_of(&m, sums);
            double first = sums[2];
            for (int i = 0; i < 300; ++i) {
                CHECK_OK(ctx, iso_elastic_system_explicit_step(m.s, &law, step, &report));
            }
            sums_of(&m, sums);
            CHECK(k ? sums[2] > 1e4 * first : sums[2] < 100.0 * first, "%g", sums[2] / first);
            meeting_free(ctx, &m);
        }
    }
    test_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_encounter_keeps_its_distance_and_its_energy),
        cmocka_unit_test(impulses_keep_momentum_unless_they_are_as_printed),
        cmocka_unit_test(the_longest_step_is_the_border_of_stability),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
