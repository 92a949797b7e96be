// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "asperity/elastic/modes.h"
#include "asperity/elastic/sparse.h"
#include "elastic_grid.h"
#include "math/eigen.h"
#include "support/failing_context.h"

#include <math.h>

typedef struct scene {
    elastic_grid grid;
    iso_elastic_material material;
    iso_elastic* e;
    double *x, *u, *f;
    int n;
} scene;

static scene scene_make(iso_context* ctx, uint64_t seed, double shake) {
    test_random random = test_random_make(seed);
    scene s = {0};
    s.grid =
        elastic_grid_make(&random, seed % 2 ? 2 : 3, 3, pow(10.0, (double)(seed % 5) - 3.0), 0.15);
    s.material = elastic_material_draw(&random);
    s.e = elastic_grid_body(ctx, &s.grid, &s.material);
    s.x = elastic_deform(s.e, &random, shake);
    s.n = s.e->vertex_count * s.e->dimension;
    s.u = calloc((size_t)s.n, sizeof(double));
    s.f = calloc((size_t)s.n, sizeof(double));
    for (int i = 0; i < s.n; ++i) {
        s.u[i] = test_random_normal(&random);
    }
    return s;
}

static void scene_free(iso_context* ctx, scene* s) {
    iso_elastic_destroy(ctx, s->e);
    elastic_grid_free(&s->grid);
    free(s->x);
    free(s->u);
    free(s->f);
}

static double pitch_of(const scene* s) {
    return pow(s->e->volumes[0], 1.0 / s->e->dimension);
}

static double norm(const double* a, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += a[i] * a[i];
    }
    return sqrt(sum);
}

static double dot(const double* a, const double* b, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

static void forces_are_the_slope_of_the_energy(void** state) {
    iso_context* ctx = test_context();
    (void)state;
    for (uint64_t seed = 1; seed <= 60; ++seed) {
        scene s = scene_make(ctx, seed, 0.2);
        double h = 1e-5 * pitch_of(&s) / norm(s.u, s.n), *y = calloc((size_t)s.n, sizeof *y);
        CHECK(iso_elastic_add_forces(s.e, s.x, s.f) == -1, "seed %d", (int)seed);
        double e[2];
        for (int k = 0; k < 2; ++k) {
            for (int i = 0; i < s.n; ++i) {
                y[i] = s.x[i] + (k ? h : -h) * s.u[i];
            }
            e[k] = iso_elastic_energy(s.e, y);
        }
        double scale = norm(s.f, s.n) * norm(s.u, s.n);
        CHECK_NEAR(dot(s.f, s.u, s.n) / scale, -(e[1] - e[0]) / (2.0 * h) / scale,
                   2e-9); // measured 2.8e-10
        free(y);
        scene_free(ctx, &s);
    }
    test_context_destroy(ctx);
}

static void force_changes_and_hessians_are_the_slope_of_the_forces(void** state) {
    iso_context* ctx = test_context();
    (void)state;
    for (uint64_t seed = 1; seed <= 60; ++seed) {
        scene s = scene_make(ctx, seed, 0.2);
        double h = 1e-5 * pitch_of(&s) / norm(s.u, s.n), *y = calloc((size_t)(3 * s.n), sizeof *y);
        double *low = y + s.n, *by_blocks = y + 2 * s.n;
        for (int i = 0; i < s.n; ++i) {
            y[i] = s.x[i] + h * s.u[i];
        }
        iso_elastic_add_forces(s.e, y, s.f);
        for (int i = 0; i < s.n; ++i) {
            y[i] = s.x[i] - h * s.u[i];
        }
        iso_elastic_add_forces(s.e, y, low);
        for (int i = 0; i < s.n; ++i) {
            s.f[i] = (s.f[i] - low[i]) / (2.0 * h);
            y[i] = 0.0;
        }
        iso_elastic_add_differential(s.e, s.x, s.u, false, y);
        int d = s.e->dimension, size = d * (d + 1);
        for (int k = 0; k < s.e->element_count; ++k) {
            double block[144];
            const int* v = s.e->elements + k * (d + 1);
            iso_elastic_element_hessian(s.e, k, s.x, false, block);
            for (int i = 0; i < size * size; ++i) {
                int r = i / size, c = i % size;
                by_blocks[v[r / d] * d + r % d] -= block[i] * s.u[v[c / d] * d + c % d];
            }
        }
        double scale = norm(s.f, s.n);
        for (int i = 0; i < s.n; ++i) {
            CHECK_NEAR(y[i] / scale, s.f[i] / scale, 2e-9);        // measured 1.2e-10
            CHECK_NEAR(by_blocks[i] / scale, y[i] / scale, 1e-14); // measured 6e-16
        }
        free(y);
        scene_free(ctx, &s);
    }
    test_context_destroy(ctx);
}

// The projected Hessian has no negative eigenvalue, and is the exact one where that has none.
static void projected_hessians_are_the_nearest_without_negative_eigenvalues(void** state) {
    iso_context* ctx = test_context();
    int changed = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 60; ++seed) {
        scene s = scene_make(ctx, seed, 0.4);
        int d = s.e->dimension, size = d * (d + 1);
        double exact[144], near[144], y[12];
        test_random random = test_random_make(seed + 1000);
        for (int k = 0; k < s.e->element_count; ++k) {
            iso_elastic_element_hessian(s.e, k, s.x, false, exact);
            iso_elastic_element_hessian(s.e, k, s.x, true, near);
            double top = 0.0, difference = 0.0, low = 0.0;
            for (int i = 0; i < size * size; ++i) {
                top = fmax(top, fabs(exact[i]));
                difference = fmax(difference, fabs(near[i] - exact[i]));
            }
            for (int t = 0; t < 40; ++t) {
                for (int i = 0; i < size; ++i) {
                    y[i] = test_random_normal(&random);
                }
                double of_near = 0.0, of_exact = 0.0;
                for (int i = 0; i < size * size; ++i) {
                    of_near += near[i] * y[i / size] * y[i % size];
                    of_exact += exact[i] * y[i / size] * y[i % size];
                }
                low = fmin(low, of_exact / top);
                CHECK(of_near >= -1e-12 * top * dot(y, y, size), "%g", of_near / top);
                CHECK(of_near >= of_exact - 1e-12 * top * dot(y, y, size), "%g",
                      of_near - of_exact);
            }
            CHECK(low >= -1e-12 || difference > 1e-12 * top, "%g", low);
            changed += difference > 1e-12 * top;
        }
        scene_free(ctx, &s);
    }
    CHECK(changed > 50, "%d", changed);
    test_context_destroy(ctx);
}

static void rigid_motions_cost_nothing_and_forces_have_no_resultant(void** state) {
    iso_context* ctx = test_context();
    (void)state;
    for (uint64_t seed = 1; seed <= 40; ++seed) {
        scene s = scene_make(ctx, seed, 0.2);
        int d = s.e->dimension;
        test_random random = test_random_make(seed + 7);
        iso_mat3 turn = d == 3 ? iso_mat3_from_quat(test_random_quat(&random))
                               : iso_mat3_from_axis_angle((iso_vec3){0, 0, 1}, (double)seed);
        double* y = calloc((size_t)(2 * s.n), sizeof *y);
        double* z = y + s.n;
        for (int i = 0; i < s.n; ++i) {
            for (int a = 0; a < d; ++a) {
                y[i] += turn.m[i % d][a] * s.x[i / d * d + a];
                z[i] += turn.m[i % d][a] * s.e->rest[i / d * d + a];
            }
            y[i] += pitch_of(&s) * (i % d);
        }
        double energy = iso_elastic_energy(s.e, s.x), volume = 0.0;
        for (int k = 0; k < s.e->element_count; ++k) {
            volume += s.e->volumes[k];
        }
        CHECK_REL(iso_elastic_energy(s.e, y), energy, 1e-13); // measured 2.9e-15
        CHECK_AT_MOST(fabs(iso_elastic_energy(s.e, z)) / (s.material.young * volume),
                      1e-26); // measured 2e-30
        iso_elastic_add_forces(s.e, s.x, s.f);
        double sum[3] = {0}, moment[3] = {0}, size = 0.0, reach = 0.0;
        for (int v = 0; v < s.e->vertex_count; ++v) {
            double p[3] = {0}, f[3] = {0};
            for (int a = 0; a < d; ++a) {
                p[a] = s.x[v * d + a];
                f[a] = s.f[v * d + a];
                sum[a] += f[a];
                size += fabs(f[a]);
                reach = fmax(reach, fabs(p[a]));
            }
            for (int a = 0; a < 3; ++a) {
                int b = (a + 1) % 3, c = (a + 2) % 3;
                moment[a] += p[b] * f[c] - p[c] * f[b];
            }
        }
        for (int a = 0; a < 3; ++a) {
            CHECK_AT_MOST(fabs(sum[a]) / size, 1e-14);              // measured 7e-17
            CHECK_AT_MOST(fabs(moment[a]) / (size * reach), 1e-14); // measured 5e-17
        }
        free(y);
        scene_free(ctx, &s);
    }
    test_context_destroy(ctx);
}

// Of small strains: E along a bar with free sides, E / (1 - nu^2) of a plate in plane strain.
static void a_stretched_block_has_its_modulus(void** state) {
    iso_context* ctx = test_context();
    (void)state;
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        scene s = scene_make(ctx, seed, 0.0);
        int d = s.e->dimension;
        double nu = s.material.poisson, young = s.material.young, strain = 1e-6;
        double side = d == 3 ? -nu * strain : -nu / (1.0 - nu) * strain;
        for (int i = 0; i < s.n; ++i) {
            s.x[i] = s.e->rest[i] * (1.0 + (i % d == 0 ? strain : side));
        }
        double volume = 0.0;
        for (int k = 0; k < s.e->element_count; ++k) {
            volume += s.e->volumes[k];
        }
        double modulus = 2.0 * iso_elastic_energy(s.e, s.x) / (volume * strain * strain);
        CHECK_REL(modulus, d == 3 ? young : young / (1.0 - nu * nu), 1e-5); // measured 1e-6
        double f[9], g[9], p[9];
        iso_elastic_gradient(s.e, 0, s.x, f);
        double j = iso_inverse_transposed(d, f, g);
        iso_neo_hookean_stress(d, s.e->lame[0], f, g, j, p);
        CHECK_REL(p[0] / strain, d == 3 ? young : young / (1.0 - nu * nu), 1e-5); // measured 3e-6
        CHECK_AT_MOST(fabs(p[d + 1]) / (young * strain), 1e-5);
        scene_free(ctx, &s);
    }
    test_context_destroy(ctx);
}

static void damping_takes_energy_and_spares_rigid_motion(void** state) {
    iso_context* ctx = test_context();
    (void)state;
    for (uint64_t seed = 1; seed <= 40; ++seed) {
        scene s = scene_make(ctx, seed, 0.02);
        int d = s.e->dimension;
        double drag = 0.0, scale = 0.0;
        for (int i = 0; i < s.n; ++i) {
            drag += s.e->drag[i / d] * s.u[i] * s.u[i];
            s.x[i] = s.e->rest[i];
        }
        iso_elastic_add_damping(s.e, s.x, s.u, s.f);
        CHECK(dot(s.f, s.u, s.n) <= -drag, "%g", dot(s.f, s.u, s.n));
        scale = norm(s.f, s.n);
        memset(s.f, 0, (size_t)s.n * sizeof(double));
        for (int v = 0; v < s.e->vertex_count; ++v) { // translation and a small rotation
            s.u[v * d] = 1.0 - s.x[v * d + 1] / pitch_of(&s);
            s.u[v * d + 1] = 2.0 + s.x[v * d] / pitch_of(&s);
            s.u[v * d + d - 1] += d == 3 ? 3.0 - s.u[v * d + 2] : 0.0;
        }
        iso_elastic_add_differential(s.e, s.x, s.u, true, s.f);
        CHECK_AT_MOST(norm(s.f, s.n) / scale, 1e-14); // measured 6e-16
        scene_free(ctx, &s);
    }
    test_context_destroy(ctx);
}

// Against the dense matrix of unit displacements, as the thesis makes it.
static void top_modes_are_those_of_the_dense_matrix(void** state) {
    iso_context* ctx = test_context();
    (void)state;
    for (uint64_t seed = 1; seed <= 24; ++seed) {
        scene s = scene_make(ctx, seed, 0.05);
        int n = s.n, d = s.e->dimension, zeros = 0;
        double *a = calloc((size_t)(2 * n * n), sizeof *a), high[2], first = 0.0, second = 0.0;
        for (int k = 0; k < n; ++k) {
            memset(s.u, 0, (size_t)n * sizeof(double));
            memset(s.f, 0, (size_t)n * sizeof(double));
            s.u[k] = 1.0;
            iso_elastic_add_differential(s.e, s.e->rest, s.u, false, s.f);
            for (int i = 0; i < n; ++i) {
                a[i * n + k] = -s.f[i] / sqrt(s.e->masses[i / d] * s.e->masses[k / d]);
            }
        }
        for (int i = 0; i < n * n; ++i) {
            CHECK_NEAR(a[i] / fabs(a[0]), a[i % n * n + i / n] / fabs(a[0]), 1e-12);
        }
        iso_symmetric_eigen(a, n, a + n * n);
        for (int i = 0; i < n; ++i) {
            double value = a[i * n + i];
            second = value > first ? first : fmax(second, value);
            first = fmax(first, value);
        }
        for (int i = 0; i < n; ++i) {
            CHECK(a[i * n + i] >= -1e-11 * first, "%g", a[i * n + i] / first);
            zeros += a[i * n + i] < 1e-8 * first;
        }
        assert_int_equal(zeros, d == 2 ? 3 : 6);
        CHECK_OK(ctx, iso_elastic_top_modes(ctx, s.e, s.e->rest, NULL, high));
        CHECK_REL(high[0], first, 1e-12); // measured 2.2e-14
        CHECK_REL(high[1], second, 1e-9); // measured 1.8e-14
        free(a);
        scene_free(ctx, &s);
    }
    test_context_destroy(ctx);
}

// (3.38), (3.39): both top modes at the border of overshoot, lower ones beyond; the longest step.
static void critical_damping_and_the_longest_step_are_limits(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 50; ++seed) {
        test_random random = test_random_make(seed);
        double high[2] = {pow(10.0, test_random_uniform(&random, 0.0, 12.0)), 0.0}, alpha, beta;
        high[1] = high[0] * test_random_uniform(&random, 0.1, 1.0);
        iso_elastic_critical_damping(high, &alpha, &beta);
        for (int k = 0; k < 2; ++k) {
            CHECK_REL(alpha + beta * high[k], 2.0 * sqrt(high[k]), 1e-12);
        }
        double lower = high[1] * test_random_uniform(&random, 0.0, 1.0);
        CHECK(alpha + beta * lower >= 2.0 * sqrt(lower), "%g", lower);
        double w = sqrt(high[0]);
        CHECK_REL(iso_elastic_longest_step(high[0], 0.0, 0.0), 2.0 / w, 1e-12);
        CHECK_REL(iso_elastic_longest_step(high[0], alpha, beta), 0.8284271247461901 / w, 1e-12);
        double h = iso_elastic_longest_step(high[0], alpha, beta);
        for (int k = 0; k < 2; ++k) { // the oscillator stays below and grows above
            double q = 1.0, v = 0.0, step = h * (k ? 1.01 : 0.99);
            for (int i = 0; i < 3000; ++i) {
                v -= step * (high[0] * q + (alpha + beta * high[0]) * v);
                q += step * v;
            }
            CHECK(k ? fabs(q) > 1e3 : fabs(q) < 1.0, "%g", q);
        }
    }
}

static void a_sparse_system_is_solved_under_every_pattern(void** state) {
    iso_context* ctx = test_context();
    iso_sparse sparse = {.ctx = ctx};
    (void)state;
    for (uint64_t seed = 1; seed <= 40; ++seed) {
        test_random random = test_random_make(seed);
        int d = test_random_int(&random, 2, 3), n = test_random_int(&random, 4, 40), size = n * d;
        double b[120], x[120], y[120], block[144];
        bool fixed[120];
        iso_sparse_begin(&sparse, d, n);
        for (int k = 0; k < 3 * n; ++k) { // sums of squares
            int v[4], count = test_random_int(&random, 1, 4);
            for (int i = 0; i < count; ++i) {
                v[i] = i == 0 ? k % n : (v[i - 1] + test_random_int(&random, 1, n / 4)) % n;
            }
            int width = count * d;
            for (int i = 0; i < width; ++i) {
                x[i] = test_random_normal(&random);
            }
            for (int i = 0; i < width * width; ++i) {
                block[i] = x[i / width] * x[i % width] + (i / width == i % width ? 0.5 : 0.0);
            }
            memcpy(iso_sparse_add(&sparse, v, count), block,
                   (size_t)(width * width) * sizeof(double));
        }
        for (int i = 0; i < size; ++i) {
            fixed[i] = test_random_int(&random, 0, 5) == 0;
            b[i] = x[i] = fixed[i] ? 0.0 : test_random_normal(&random);
        }
        CHECK_OK(ctx, iso_sparse_factor(&sparse, fixed));
        iso_sparse_solve(&sparse, x);
        iso_sparse_multiply(&sparse, x, y);
        for (int i = 0; i < size; ++i) {
            CHECK_NEAR(y[i], b[i], 1e-13); // measured 3e-15
        }
        int before = sparse.matrix.analysis_count;
        CHECK_OK(ctx, iso_sparse_factor(&sparse, fixed));
        assert_int_equal(sparse.matrix.analysis_count, before);
    }
    int one = 0;
    iso_sparse_begin(&sparse, 2, 1);
    memcpy(iso_sparse_add(&sparse, &one, 1), (double[]){1, 2, 2, 1}, 4 * sizeof(double));
    assert_int_equal(iso_sparse_factor(&sparse, NULL), ISO_ERR_NO_CONVERGENCE);
    iso_sparse_free(&sparse);
    test_context_destroy(ctx);
}

static iso_status attempt(iso_context* ctx, void* user) {
    iso_elastic* e = NULL;
    iso_status status = iso_elastic_create(ctx, user, &e);
    double high[2];
    if (status == ISO_OK) {
        status = iso_elastic_top_modes(ctx, e, e->rest, NULL, high);
    }
    iso_elastic_destroy(ctx, e);
    return status;
}

static void bad_bodies_are_refused(void** state) {
    iso_context* ctx = test_context();
    (void)state;
    const double vertices[8] = {0, 0, 1, 0, 1, 1, 5, 5};
    const int good[3] = {0, 1, 2}, turned[3] = {0, 2, 1}, far[3] = {0, 1, 7};
    iso_elastic_material m = {1e6, 0.3, 1e3, 0.0, 0.0};
    iso_elastic_desc d = {.dimension = 2,
                          .vertices = vertices,
                          .vertex_count = 3,
                          .elements = good,
                          .element_count = 1,
                          .materials = &m,
                          .material_count = 1};
    iso_elastic* e = NULL;
    assert_true(check_every_allocation_failure(attempt, &d) >= 9);
    d.elements = turned;
    CHECK_STATUS(ctx, iso_elastic_create(ctx, &d, &e), ISO_ERR_GEOMETRY);
    CHECK_ERROR(ctx, "element 0 is inverted or flat at rest");
    d.elements = far;
    CHECK_STATUS(ctx, iso_elastic_create(ctx, &d, &e), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "element 0 has vertex 7, expected 0 to 2");
    d.elements = good;
    d.vertex_count = 4;
    CHECK_STATUS(ctx, iso_elastic_create(ctx, &d, &e), ISO_ERR_GEOMETRY);
    CHECK_ERROR(ctx, "vertex 3 belongs to no element");
    d.vertex_count = 3;
    const struct {
        iso_elastic_material material;
        const char* part;
    } bad[] = {{{-1.0, 0.3, 1.0, 0.0, 0.0}, "Young's modulus is -1 Pa"},
               {{1e-9, 0.3, 1.0, 0.0, 0.0}, "Young's modulus is 1e-09 Pa"},
               {{1e30, 0.3, 1.0, 0.0, 0.0}, "Young's modulus is 1e+30 Pa"},
               {{1.0, 0.3, 1e12, 0.0, 0.0}, "the density is 1e+12 kg/m^3"},
               {{1.0, 0.5, 1.0, 0.0, 0.0}, "Poisson's ratio is 0.5, expected in (-1, 0.5)"},
               {{1.0, -1.0, 1.0, 0.0, 0.0}, "Poisson's ratio is -1"},
               {{1.0, 0.3, 0.0, 0.0, 0.0}, "the density is 0 kg/m^3"},
               {{1.0, 0.3, 1.0, NAN, 0.0}, "the damping alpha is nan"},
               {{1.0, 0.3, 1.0, 0.0, -2.0}, "the damping beta is -2 s"}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        m = bad[i].material;
        CHECK_STATUS(ctx, iso_elastic_create(ctx, &d, &e), ISO_ERR_RANGE);
        CHECK_ERROR(ctx, bad[i].part);
    }
    test_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_are_the_slope_of_the_energy),
        cmocka_unit_test(force_changes_and_hessians_are_the_slope_of_the_forces),
        cmocka_unit_test(projected_hessians_are_the_nearest_without_negative_eigenvalues),
        cmocka_unit_test(rigid_motions_cost_nothing_and_forces_have_no_resultant),
        cmocka_unit_test(a_stretched_block_has_its_modulus),
        cmocka_unit_test(damping_takes_energy_and_spares_rigid_motion),
        cmocka_unit_test(top_modes_are_those_of_the_dense_matrix),
        cmocka_unit_test(critical_damping_and_the_longest_step_are_limits),
        cmocka_unit_test(a_sparse_system_is_solved_under_every_pattern),
        cmocka_unit_test(bad_bodies_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
