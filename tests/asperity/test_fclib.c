// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "isobar/lab_rigid.h"
#include "support/check.h"
#include "support/failing_context.h"
#include "support/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef ISO_HAS_HDF5
#include <hdf5.h>

static void make_name(char* path) {
    int file = mkstemp(path);
    CHECK(file >= 0, "no temporary file");
    close(file);
}

static void problems_come_back_from_their_file(void** state) {
    char path[] = "/tmp/isobar_fclibXXXXXX";
    make_name(path);
    for (uint64_t seed = 1; seed <= 10; ++seed) {
        test_random random = test_random_make(seed);
        int count = test_random_int(&random, 1, 8), n = 3 * count;
        iso_fclib p, read;
        CHECK_OK(*state, iso_fclib_allocate(*state, count, &p));
        for (int i = 0; i < n * n; ++i) {
            double value = test_random_int(&random, 0, 2) ? 0.0 : test_random_normal(&random);
            p.w[i] = p.w[i % n * n + i / n] = i % (n + 1) == 0 ? fabs(value) : value;
        }
        for (int i = 0; i < n; ++i) {
            p.b[i] = test_random_normal(&random);
            p.u[i] = test_random_normal(&random);
            p.r[i] = test_random_normal(&random);
            p.friction[i / 3] = test_random_uniform(&random, 0.0, 1.0);
        }
        CHECK_OK(*state, iso_fclib_write(*state, path, &p));
        CHECK_OK(*state, iso_fclib_read(*state, path, &read));
        CHECK(read.contact_count == count, "%d of %d", read.contact_count, count);
        CHECK_ARRAY_NEAR(read.w, p.w, n * n, 0.0);
        CHECK_ARRAY_BITS(read.b, p.b, n);
        CHECK_ARRAY_BITS(read.friction, p.friction, count);
        CHECK_ARRAY_BITS(read.u, p.u, n);
        CHECK_ARRAY_BITS(read.r, p.r, n);
        iso_fclib_free(*state, &p);
        iso_fclib_free(*state, &read);
    }
    remove(path);
}

static void what_is_no_problem_is_refused(void** state) {
    char path[] = "/tmp/isobar_fclibXXXXXX";
    iso_fclib p, read;
    make_name(path);
    CHECK_STATUS(*state, iso_fclib_read(*state, "/no/file.hdf5", &read), ISO_ERR_IO);
    FILE* file = fopen(path, "w");
    CHECK(file != NULL, "%s", path);
    fputs("not HDF5", file);
    fclose(file);
    CHECK_STATUS(*state, iso_fclib_read(*state, path, &read), ISO_ERR_PARSE);
    CHECK_OK(*state, iso_fclib_allocate(*state, 2, &p));
    p.w[3] = 1.0;
    CHECK_OK(*state, iso_fclib_write(*state, path, &p));
    CHECK_STATUS(*state, iso_fclib_read(*state, path, &read), ISO_ERR_RANGE);
    CHECK_ERROR(*state, "W(3, 0) is 0 and W(0, 3) 1, expected symmetric");
    for (double off = 1e-3; off > 1e-12; off *= 1e-6) { // files of others: rounding, and more
        p.w[0] = p.w[21] = 1.0;
        p.w[3] = 0.25 + off;
        p.w[18] = 0.25;
        CHECK_OK(*state, iso_fclib_write(*state, path, &p));
        CHECK_OK(*state, iso_fclib_read(*state, path, &read));
        CHECK_NEAR(read.w[18], off > 1e-6 ? 0.25 + off / 2.0 : 0.25, 1e-15);
        CHECK_NEAR(read.w[3], off > 1e-6 ? 0.25 + off / 2.0 : 0.25 + off, 1e-15);
        iso_fclib_free(*state, &read);
    }
    p.w[0] = p.w[21] = p.w[18] = p.w[3] = 0.0;
    p.w[7] = -1.0;
    CHECK_OK(*state, iso_fclib_write(*state, path, &p));
    CHECK_STATUS(*state, iso_fclib_read(*state, path, &read), ISO_ERR_RANGE);
    CHECK_ERROR(*state, "W(1, 1) is -1, expected >= 0");
    p.w[7] = 0.0;
    p.friction[1] = -1.0;
    CHECK_OK(*state, iso_fclib_write(*state, path, &p));
    CHECK_STATUS(*state, iso_fclib_read(*state, path, &read), ISO_ERR_RANGE);
    p.friction[1] = 0.0;
    p.w[3] = (double)INFINITY;
    CHECK_OK(*state, iso_fclib_write(*state, path, &p));
    CHECK_STATUS(*state, iso_fclib_read(*state, path, &read), ISO_ERR_RANGE);
    CHECK_STATUS(*state, iso_fclib_write(*state, "/no/file.hdf5", &p), ISO_ERR_IO);
    CHECK_STATUS(*state, iso_fclib_write(*state, "/dev/full", &p), ISO_ERR_IO);
    CHECK_ERROR(*state, "/dev/full: ");
    iso_fclib_free(*state, &p);
    CHECK_STATUS(*state, iso_fclib_allocate(*state, 0, &p), ISO_ERR_RANGE);
    // A file that was cut off is refused.
    CHECK_OK(*state, iso_fclib_of_scene(*state, ISO_RIGID_INCLINE, &p));
    CHECK_OK(*state, iso_fclib_write(*state, path, &p));
    iso_fclib_free(*state, &p);
    file = fopen(path, "r");
    static char bytes[1 << 16];
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    for (uint64_t seed = 1; seed <= 50; ++seed) {
        test_random random = test_random_make(seed);
        size_t kept = (size_t)test_random_int(&random, 1, (int)size - 1);
        file = fopen(path, "w");
        fwrite(bytes, 1, kept, file);
        fclose(file);
        iso_status status = iso_fclib_read(*state, path, &read);
        CHECK(status != ISO_OK, "%zu of %zu bytes are enough", kept, size);
    }
    remove(path);
}

// --- global problems -----------------------------------------------------------------------------

typedef struct global {
    int size, n;    ///< velocities, three a contact
    bool is_turned; ///< triplets of H are rows and columns, which do not fit the other way
    double *m, *h, *f, *w, *mu;
} global;

static global draw_global(test_random* random) {
    global g = {.size = test_random_int(random, 3, 30), .n = 3 * test_random_int(random, 1, 5)};
    g.m = calloc((size_t)(g.size * g.size + g.size * g.n + g.size + 2 * g.n), sizeof *g.m);
    g.h = g.m + g.size * g.size;
    g.f = g.h + g.size * g.n;
    g.w = g.f + g.size;
    g.mu = g.w + g.n;
    for (int i = 0; i < g.size * g.size; ++i) {
        int r = i / g.size, c = i % g.size;
        if (r > c && test_random_int(random, 0, 3) == 0) {
            double value = test_random_normal(random);
            g.m[r * g.size + c] = g.m[c * g.size + r] = value;
            g.m[r * (g.size + 1)] += fabs(value);
            g.m[c * (g.size + 1)] += fabs(value);
        }
    }
    for (int i = 0; i < g.size; ++i) {
        g.m[i * (g.size + 1)] += test_random_uniform(random, 0.1, 3.0);
        g.f[i] = test_random_normal(random);
    }
    for (int i = 0; i < g.size * g.n; ++i) {
        g.h[i] = test_random_int(random, 0, 2) ? 0.0 : test_random_normal(random);
    }
    g.is_turned = g.size > g.n && test_random_int(random, 0, 1) == 1;
    g.h[(g.size - 1) * g.n] += g.is_turned ? 2.5 : 0.0;
    for (int i = 0; i < g.n; ++i) {
        g.w[i] = test_random_normal(random);
        g.mu[i / 3] = test_random_uniform(random, 0.0, 1.0);
    }
    return g;
}

static void write_set(hid_t file, const char* name, hid_t type, int count, const void* values) {
    hsize_t size = (hsize_t)count;
    hid_t space = H5Screate_simple(1, &size, NULL), links = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    hid_t set = H5Dcreate2(file, name, type, space, links, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(set);
    H5Pclose(links);
    H5Sclose(space);
}

// @param kind  -2 by rows, -1 by columns, 0 triplets: of columns and rows; 1 of rows and columns,
//              as the header of FCLIB says and its files do not have them
static void write_matrix(hid_t file, const char* group, int kind, int rows, int columns,
                         const double* a) {
    static int p[1024], i[1024];
    static double x[1024];
    bool is_turned = kind == 1;
    kind = kind == 1 ? 0 : kind;
    int count = 0, lines = kind == -2 ? rows : columns, across = kind == -2 ? columns : rows;
    for (int l = 0; l < lines; ++l) {
        if (kind < 0) {
            p[l] = count;
        }
        for (int k = 0; k < across; ++k) {
            int r = kind == -2 ? l : k, c = kind == -2 ? k : l;
            if (a[r * columns + c] != 0.0) {
                if (kind == 0) {
                    p[count] = is_turned ? r : c;
                }
                i[count] = kind == 0 && is_turned ? c : kind == 0 ? r : k;
                x[count++] = a[r * columns + c];
            }
        }
    }
    p[kind < 0 ? lines : count] = count;
    int nz = kind == 0 ? count : kind;
    const struct {
        const char* name;
        int count;
        hid_t type;
        const void* values;
    } sets[] = {{"nzmax", 1, H5T_NATIVE_INT, &count},
                {"m", 1, H5T_NATIVE_INT, &rows},
                {"n", 1, H5T_NATIVE_INT, &columns},
                {"nz", 1, H5T_NATIVE_INT, &nz},
                {"p", kind == 0 ? count : lines + 1, H5T_NATIVE_INT, p},
                {"i", count, H5T_NATIVE_INT, i},
                {"x", count, H5T_NATIVE_DOUBLE, x}};
    for (size_t k = 0; k < sizeof sets / sizeof sets[0]; ++k) {
        char name[64];
        (void)snprintf(name, sizeof name, "%s/%s", group, sets[k].name);
        write_set(file, name, sets[k].type, sets[k].count, sets[k].values);
    }
}

static void write_global(const char* path, const global* g, int kind) {
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    int dimensions = 3;
    write_set(file, "/fclib_global/spacedim", H5T_NATIVE_INT, 1, &dimensions);
    write_matrix(file, "/fclib_global/M", kind, g->size, g->size, g->m);
    int other = kind == -2 && g->is_turned ? 1 : -2 - kind;
    write_matrix(file, "/fclib_global/H", other, g->size, g->n, g->h);
    write_set(file, "/fclib_global/vectors/f", H5T_NATIVE_DOUBLE, g->size, g->f);
    write_set(file, "/fclib_global/vectors/w", H5T_NATIVE_DOUBLE, g->n, g->w);
    write_set(file, "/fclib_global/vectors/mu", H5T_NATIVE_DOUBLE, g->n / 3, g->mu);
    H5Fclose(file);
}

// M x = y for each force of the file: H r + f, whatever r; its velocities are H^T x + w.
static void check_velocities(const global* g, const iso_fclib* p, test_random* random) {
    double r[15], x[30] = {0};
    for (int i = 0; i < g->n; ++i) {
        r[i] = test_random_normal(random);
    }
    for (int sweep = 0; sweep < 4000; ++sweep) { // Gauss-Seidel: M is dominated by its diagonal
        for (int i = 0; i < g->size; ++i) {
            double rest = g->f[i];
            for (int k = 0; k < g->n; ++k) {
                rest += g->h[i * g->n + k] * r[k];
            }
            for (int k = 0; k < g->size; ++k) {
                rest -= k == i ? 0.0 : g->m[i * g->size + k] * x[k];
            }
            x[i] = rest / g->m[i * (g->size + 1)];
        }
    }
    for (int i = 0; i < g->n; ++i) {
        double wanted = g->w[i], found = p->b[i];
        for (int k = 0; k < g->size; ++k) {
            wanted += g->h[k * g->n + i] * x[k];
        }
        for (int k = 0; k < g->n; ++k) {
            found += p->w[i * g->n + k] * r[k];
        }
        CHECK_NEAR(found, wanted, 1e-9 * (1.0 + fabs(wanted))); // measured 1e-12
    }
}

static void global_problems_become_local_ones(void** state) {
    char path[] = "/tmp/isobar_fclibXXXXXX";
    make_name(path);
    for (uint64_t seed = 1; seed <= 60; ++seed) {
        test_random random = test_random_make(seed);
        global g = draw_global(&random);
        iso_fclib p;
        write_global(path, &g, -(int)(seed % 3));
        CHECK_OK(*state, iso_fclib_read(*state, path, &p));
        CHECK(3 * p.contact_count == g.n, "%d contacts", p.contact_count);
        CHECK_ARRAY_BITS(p.friction, g.mu, g.n / 3);
        check_velocities(&g, &p, &random);
        iso_fclib_free(*state, &p);
        int at = test_random_int(&random, 0, g.size - 1);
        int other = (at + test_random_int(&random, 1, g.size - 1)) % g.size;
        g.m[at * g.size + other] += 0.1;
        write_global(path, &g, -(int)(seed % 3));
        CHECK_STATUS(*state, iso_fclib_read(*state, path, &p), ISO_ERR_RANGE);
        CHECK_ERROR(*state, "of M differ by");
        g.m[at * g.size + other] -= 0.1;
        g.m[at * (g.size + 1)] = -1.0;
        write_global(path, &g, -(int)(seed % 3));
        CHECK_STATUS(*state, iso_fclib_read(*state, path, &p), ISO_ERR_RANGE);
        CHECK_ERROR(*state, "M is not positive definite");
        free(g.m);
    }
    remove(path);
}

static iso_status write_table(iso_context* ctx, void* path) {
    iso_fclib p;
    iso_status status = iso_fclib_of_scene(ctx, ISO_RIGID_TABLE, &p);
    status = status == ISO_OK ? iso_fclib_write(ctx, path, &p) : status;
    iso_fclib_free(ctx, &p);
    return status;
}

static void files_survive_every_allocation_failure(void** state) {
    char path[] = "/tmp/isobar_fclibXXXXXX";
    (void)state;
    make_name(path);
    CHECK(check_every_allocation_failure(write_table, path) >= 6, "few allocations");
    remove(path);
}
#endif

// The table by the exact cone: three legs and more carry the weight, whatever the share.
static void problems_of_scenes_are_solved(void** state) {
    for (int scene = 0; scene < ISO_RIGID_SCENE_COUNT; ++scene) {
        iso_fclib p;
        iso_rigid_result r;
        CHECK_OK(*state, iso_fclib_of_scene(*state, (iso_rigid_scene)scene, &p));
        CHECK_OK(*state, iso_fclib_solve(*state, &p, &r));
        CHECK(r.is_solved, "scene %d: residual %g", scene, r.residual);
        for (int i = 0; i < p.contact_count; ++i) {
            double pull = hypot(p.r[3 * i + 1], p.r[3 * i + 2]);
            CHECK(p.r[3 * i] >= 0.0 && pull <= p.friction[i] * p.r[3 * i] * (1.0 + 1e-9) + 1e-12,
                  "contact %d", i);
            CHECK(fabs(fmin(p.r[3 * i], p.u[3 * i])) < 1e-8, "contact %d", i);
        }
        iso_fclib_free(*state, &p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
#ifdef ISO_HAS_HDF5
        cmocka_unit_test_setup_teardown(problems_come_back_from_their_file, test_set_up,
                                        test_tear_down),
        cmocka_unit_test_setup_teardown(what_is_no_problem_is_refused, test_set_up, test_tear_down),
        cmocka_unit_test_setup_teardown(global_problems_become_local_ones, test_set_up,
                                        test_tear_down),
        cmocka_unit_test(files_survive_every_allocation_failure),
#endif
        cmocka_unit_test_setup_teardown(problems_of_scenes_are_solved, test_set_up, test_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
