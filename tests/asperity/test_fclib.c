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
            p.w[i] = test_random_int(&random, 0, 2) ? 0.0 : test_random_normal(&random);
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
        cmocka_unit_test(files_survive_every_allocation_failure),
#endif
        cmocka_unit_test_setup_teardown(problems_of_scenes_are_solved, test_set_up, test_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
