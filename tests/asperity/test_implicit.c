// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "asperity/contact/system.h"
#include "elastic_grid.h"
#include "support/failing_context.h"

#include <math.h>

/// A block above a wider one, both of rectangles of triangles (boxes of tetrahedra).
typedef struct blocks {
    int dimension, vertex_count, first_upper;
    elastic_grid grid;
    iso_elastic* e;
    iso_elastic_system* s;
} blocks;

static blocks blocks_make(iso_context* ctx, int dimension, double gap,
                          const iso_elastic_material* material, const iso_barrier_law* law) {
    blocks b = {.dimension = dimension};
    const int cells_low[3] = {8, 2, 3}, cells_high[3] = {3, 2, 2};
    elastic_grid low = elastic_grid_box(dimension, cells_low, 1.0);
    elastic_grid high = elastic_grid_box(dimension, cells_high, 1.0);
    int d = dimension, n = low.vertex_count, m = low.element_count;
    b.grid = low;
    b.grid.vertex_count += high.vertex_count;
    b.grid.element_count += high.element_count;
    b.grid.vertices = realloc(low.vertices, (size_t)(b.grid.vertex_count * d) * sizeof(double));
    b.grid.elements = realloc(low.elements, (size_t)(b.grid.element_count * (d + 1)) * sizeof(int));
    for (int i = 0; i < high.vertex_count * d; ++i) {
        double shift[3] = {2.4, 2.0 + gap, 0.4};
        b.grid.vertices[n * d + i] = high.vertices[i] + shift[i % d];
    }
    for (int i = 0; i < high.element_count * (d + 1); ++i) {
        b.grid.elements[m * (d + 1) + i] = high.elements[i] + n;
    }
    elastic_grid_free(&high);
    b.vertex_count = b.grid.vertex_count;
    b.first_upper = n;
    b.e = elastic_grid_body(ctx, &b.grid, material);
    CHECK_OK(ctx, iso_elastic_system_create(ctx, b.e, law, &b.s));
    return b;
}

static void blocks_free(iso_context* ctx, blocks* b) {
    iso_elastic_system_destroy(b->s);
    iso_elastic_destroy(ctx, b->e);
    elastic_grid_free(&b->grid);
}

static void fix_floor(blocks* b) {
    for (int i = 0; i < b->first_upper * b->dimension; ++i) {
        b->s->fixed[i] = b->e->rest[i / b->dimension * b->dimension + 1] == 0.0;
    }
}

static void push_all(blocks* b, double along, double up) {
    for (int v = b->first_upper; v < b->vertex_count; ++v) {
        b->s->push[v * b->dimension] = along * b->e->masses[v];
        b->s->push[v * b->dimension + 1] = up * b->e->masses[v];
    }
}

static double mass_of(const blocks* b, int from, int to) {
    double sum = 0.0;
    for (int v = from; v < to; ++v) {
        sum += b->e->masses[v];
    }
    return sum;
}

static double momentum_of(const blocks* b, int axis) {
    double sum = 0.0;
    for (int v = 0; v < b->vertex_count; ++v) {
        sum += b->e->masses[v] * b->s->v[v * b->dimension + axis];
    }
    return sum;
}

static double energy_of(const blocks* b) {
    double sum = iso_elastic_energy(b->e, b->s->x);
    for (int i = 0; i < b->s->size; ++i) {
        sum += 0.5 * b->e->masses[i / b->dimension] * b->s->v[i] * b->s->v[i];
    }
    return sum;
}

static const iso_elastic_material k_soft = {1e5, 0.3, 1000.0, 0.0, 0.0};
static const iso_barrier_law k_law = {0.02, 1e9, 0.0, 1e-3};

static iso_implicit_options options_make(double step) {
    return (iso_implicit_options){step, 1e-9, 200, 1, 1e-6};
}

static void gradients_and_hessians_are_differences_of_the_potential(void** state) {
    iso_context* ctx = test_context();
    (void)state;
    for (uint64_t seed = 1; seed <= 16; ++seed) {
        test_random random = test_random_make(seed);
        iso_elastic_material material = k_soft;
        iso_barrier_law law = k_law;
        material.stiffness_damping = 0.01;
        material.mass_damping = 0.5;
        law.friction = 0.4;
        law.reach = 0.3;
        blocks b = blocks_make(ctx, seed % 2 ? 2 : 3, 0.1, &material, &law);
        iso_elastic_system* s = b.s;
        double *u = calloc((size_t)(4 * s->size), sizeof *u), *y = u + s->size, *g = y + s->size;
        for (int i = 0; i < s->size; ++i) {
            s->v[i] = test_random_normal(&random);
            s->push[i] = 100.0 * test_random_normal(&random);
            s->spring[i] = 1e4 * test_random_uniform(&random, 0.0, 1.0);
            s->spring_end[i] = s->x[i] + 0.1 * test_random_normal(&random);
            u[i] = test_random_normal(&random);
        }
        CHECK_OK(ctx, iso_elastic_system_begin(s, 0.01));
        for (int i = 0; i < s->size; ++i) {
            s->x[i] += 0.02 * test_random_uniform(&random, -1.0, 1.0);
        }
        CHECK_OK(ctx, iso_skin_find_pairs(&s->skin, s->x, NULL, 0.35));
        CHECK_OK(ctx, iso_elastic_system_lag(s, s->x));
        CHECK(s->lagged.count > 3, "%d", s->lagged.count);
        iso_elastic_system_gradient(s, s->x, g);
        double value[2], along = 0.0, h = 1e-7, scale = 0.0;
        for (int k = 0; k < 2; ++k) {
            for (int i = 0; i < s->size; ++i) {
                y[i] = s->x[i] + (k ? h : -h) * u[i];
            }
            value[k] = iso_elastic_system_value(s, y);
        }
        for (int i = 0; i < s->size; ++i) {
            along += g[i] * u[i];
            scale += fabs(g[i] * u[i]);
        }
        CHECK_NEAR(along / scale, (value[1] - value[0]) / (2.0 * h) / scale,
                   2e-8); // measured 1.5e-9
        CHECK_OK(ctx, iso_elastic_system_hessian(s, s->x, true));
        CHECK_OK(ctx, iso_sparse_factor(&s->sparse, s->fixed)); // no negative eigenvalue
        CHECK_OK(ctx, iso_elastic_system_hessian(s, s->x, false));
        iso_status exact = iso_sparse_factor(&s->sparse, s->fixed);
        CHECK(exact == ISO_OK || exact == ISO_ERR_NO_CONVERGENCE, "%d", exact);
        iso_sparse_multiply(&s->sparse, u, y);
        for (int i = 0; i < s->size; ++i) {
            s->trial[i] = s->x[i] + h * u[i];
        }
        iso_elastic_system_gradient(s, s->trial, s->direction);
        for (int i = 0; i < s->size; ++i) {
            s->trial[i] = s->x[i] - h * u[i];
        }
        iso_elastic_system_gradient(s, s->trial, s->gradient);
        scale = 0.0;
        for (int i = 0; i < s->size; ++i) {
            scale = fmax(scale, fabs(y[i]));
        }
        for (int i = 0; i < s->size; ++i) {
            CHECK_NEAR(y[i] / scale, (s->direction[i] - s->gradient[i]) / (2.0 * h) / scale, 1e-7);
        }
        free(u);
        blocks_free(ctx, &b);
    }
    test_context_destroy(ctx);
}

// Bodies thrown at each other, in steps that would carry them far through each other.
static void bodies_thrown_at_each_other_never_overlap_and_keep_their_momentum(void** state) {
    iso_context* ctx = test_context();
    (void)state;
    for (uint64_t seed = 1; seed <= 5; ++seed) {
        test_random random = test_random_make(seed);
        iso_barrier_law law = k_law;
        law.friction = test_random_uniform(&random, 0.0, 0.8);
        blocks b = blocks_make(ctx, seed % 4 ? 2 : 3, 0.3, &k_soft, &law);
        double speed = test_random_uniform(&random, 1.0, 6.0), sum = 0.0, before = 0.0;
        for (int v = 0; v < b.vertex_count; ++v) {
            b.s->v[v * b.dimension] = v < b.first_upper ? 0.0 : test_random_uniform(&random, 0, 1);
            b.s->v[v * b.dimension + 1] = v < b.first_upper ? speed : -speed;
        }
        double first[2] = {momentum_of(&b, 0), momentum_of(&b, 1)};
        iso_implicit_options options = options_make(0.05);
        before = energy_of(&b);
        for (int i = 0; i < (seed % 4 ? 12 : 4); ++i) {
            iso_implicit_report report;
            CHECK_OK(ctx, iso_elastic_system_step(b.s, &options, &report));
            CHECK_OK(ctx, iso_skin_check_apart(&b.s->skin, b.e, b.s->x));
            double now = energy_of(&b), scale = mass_of(&b, 0, b.vertex_count) * speed;
            CHECK(now <= before * (1.0 + 1e-9), "%g %g", now, before);
            before = now;
            sum += report.pair_count;
            CHECK_NEAR(momentum_of(&b, 0) / scale, first[0] / scale, 1e-13); // measured 4e-15
            CHECK_NEAR(momentum_of(&b, 1) / scale, first[1] / scale, 1e-13);
        }
        CHECK(sum > 0.0, "%g", sum);
        blocks_free(ctx, &b);
    }
    test_context_destroy(ctx);
}

// Pushed by less than friction allows it creeps below the slip speed; by more it gains what is
// left.
static void a_block_sticks_and_slides_by_coulomb(void** state) {
    iso_context* ctx = test_context();
    (void)state;
    for (uint64_t seed = 1; seed <= 4; ++seed) {
        test_random random = test_random_make(seed);
        iso_elastic_material material = k_soft;
        iso_barrier_law law = k_law;
        material.young = 1e6;
        material.stiffness_damping = 0.05;
        law.friction = test_random_uniform(&random, 0.1, 0.6);
        blocks b = blocks_make(ctx, 2, 0.01, &material, &law);
        int d = b.dimension;
        fix_floor(&b);
        double mass = mass_of(&b, b.first_upper, b.vertex_count), gravity = 9.81;
        iso_implicit_options options = options_make(0.05);
        options.max_lags = 50;
        iso_implicit_report report;
        push_all(&b, 0.0, -gravity);
        for (int i = 0; i < 60; ++i) {
            CHECK_OK(ctx, iso_elastic_system_step(b.s, &options, &report));
        }
        CHECK_REL(report.normal[1], mass * gravity, 5e-3); // still swings; measured 2.7e-3
        push_all(&b, 0.7 * law.friction * gravity, -gravity);
        for (int i = 0; i < 80; ++i) {
            CHECK_OK(ctx, iso_elastic_system_step(b.s, &options, &report));
        }
        CHECK_AT_MOST(report.lag_error, 1e-6);
        CHECK_REL(report.normal[0] + report.tangential[0], -0.7 * law.friction * mass * gravity,
                  2e-3);
        double speed = 0.0;
        for (int v = b.first_upper; v < b.vertex_count; ++v) {
            speed += b.e->masses[v] / mass * b.s->v[v * d];
        }
        CHECK(speed < law.slip_speed, "%g", speed);
        double excess = 0.5;
        push_all(&b, (law.friction + excess) * gravity, -gravity);
        double begin = 0.0, end = 0.0;
        for (int i = 0; i < 12; ++i) {
            CHECK_OK(ctx, iso_elastic_system_step(b.s, &options, &report));
            if (i == 5 || i == 11) {
                speed = 0.0;
                for (int v = b.first_upper; v < b.vertex_count; ++v) {
                    speed += b.e->masses[v] / mass * b.s->v[v * d];
                }
                begin = i == 5 ? speed : begin;
                end = speed;
            }
        }
        CHECK_REL((end - begin) / (6 * options.step), excess * gravity, 5e-3); // measured 8e-4
        blocks_free(ctx, &b);
    }
    test_context_destroy(ctx);
}

static void a_falling_body_gains_what_implicit_euler_says(void** state) {
    iso_context* ctx = test_context();
    (void)state;
    iso_elastic_material material = k_soft;
    material.mass_damping = 0.7;
    blocks b = blocks_make(ctx, 2, 5.0, &material, &k_law);
    iso_implicit_options options = options_make(0.02);
    iso_implicit_report report;
    fix_floor(&b);
    push_all(&b, 0.0, -9.81);
    double v = 0.0;
    for (int i = 0; i < 20; ++i) {
        CHECK_OK(ctx, iso_elastic_system_step(b.s, &options, &report));
        v = (v - 9.81 * options.step) / (1.0 + material.mass_damping * options.step);
        CHECK_REL(b.s->v[2 * b.first_upper + 1], v, 1e-12); // measured 4e-14
        assert_int_equal(report.pair_count, 0);
    }
    blocks_free(ctx, &b);
    test_context_destroy(ctx);
}

static void a_step_that_fails_leaves_everything_as_it_was(void** state) {
    iso_context* ctx = test_context();
    (void)state;
    blocks b = blocks_make(ctx, 2, 0.01, &k_soft, &k_law);
    iso_implicit_options options = options_make(0.02);
    iso_implicit_report report;
    options.max_newton = 1;
    options.tolerance = 1e-300;
    push_all(&b, 1.0, -9.81);
    CHECK_STATUS(ctx, iso_elastic_system_step(b.s, &options, &report), ISO_ERR_NO_CONVERGENCE);
    CHECK_ERROR(ctx, "after 1 steps, expected at most 1e-300 m");
    CHECK_ARRAY_BITS(b.s->x, b.e->rest, b.s->size);
    options.step = -1.0;
    CHECK_STATUS(ctx, iso_elastic_system_step(b.s, &options, &report), ISO_ERR_RANGE);
    const iso_barrier_law bad[] = {{0, 1, 0, 1}, {1, -1, 0, 1}, {1, 1, -1, 1}, {1, 1, 0, NAN}};
    const char* parts[] = {"reach is 0 m", "stiffness is -1", "friction is -1",
                           "speed of friction is nan"};
    for (int i = 0; i < 4; ++i) {
        iso_elastic_system* s = NULL;
        CHECK_STATUS(ctx, iso_elastic_system_create(ctx, b.e, &bad[i], &s), ISO_ERR_RANGE);
        CHECK_ERROR(ctx, parts[i]);
    }
    blocks_free(ctx, &b);
    test_context_destroy(ctx);
}

static iso_status attempt(iso_context* ctx, void* user) {
    iso_elastic_system* s = NULL;
    iso_implicit_options options = options_make(0.02);
    iso_implicit_report report;
    iso_status status = iso_elastic_system_create(ctx, user, &k_law, &s);
    if (status == ISO_OK) {
        status = iso_elastic_system_step(s, &options, &report);
    }
    iso_elastic_system_destroy(s);
    return status;
}

static void failed_allocations_are_reported(void** state) {
    iso_context* ctx = test_context();
    (void)state;
    for (int d = 2; d <= 3; ++d) {
        blocks b = blocks_make(ctx, d, 0.01, &k_soft, &k_law);
        assert_true(check_every_allocation_failure(attempt, b.e) >= 30);
        blocks_free(ctx, &b);
    }
    test_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_and_hessians_are_differences_of_the_potential),
        cmocka_unit_test(bodies_thrown_at_each_other_never_overlap_and_keep_their_momentum),
        cmocka_unit_test(a_block_sticks_and_slides_by_coulomb),
        cmocka_unit_test(a_falling_body_gains_what_implicit_euler_says),
        cmocka_unit_test(a_step_that_fails_leaves_everything_as_it_was),
        cmocka_unit_test(failed_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
