// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/alloc.h"
#include "base/core/text.h"
#include "geometry/mesh/mesh.h"
#include "geometry/mesh_files/vtk/volume_write.h"
#include "support/assets.h"
#include "support/check.h"
#include "support/failing_context.h"
#include "support/random.h"

#include <string.h>

// Many tetrahedra on one edge: enough for several blocks of compressed data.
static iso_volume_file make_volume(iso_context* ctx, int tet_count) {
    iso_volume_file v = {0};
    test_random random = test_random_make(5);
    CHECK_OK(ctx, iso_tet_mesh_allocate(ctx, 2 * tet_count + 2, tet_count, &v.mesh));
    v.mesh.vertices[1] = iso_vec3_make(0, 0, 1.0 / 3.0);
    v.extent = iso_alloc_array(ctx, v.mesh.vertex_count, sizeof *v.extent);
    v.modulus = iso_alloc_array(ctx, v.mesh.vertex_count, sizeof *v.modulus);
    for (int i = 0; i < tet_count; ++i) {
        double x = test_random_uniform(&random, 1.0, 2.0), y = 10.0 * i + 1.0;
        v.mesh.vertices[2 * i + 2] = iso_vec3_make(x, y, 0);
        v.mesh.vertices[2 * i + 3] = iso_vec3_make(x, y + 1.0, 1e-300);
        int corners[4] = {0, 1, 2 * i + 2, 2 * i + 3};
        memcpy(v.mesh.tets[i], corners, sizeof corners);
    }
    for (int i = 0; i < v.mesh.vertex_count; ++i) {
        v.extent[i] = test_random_uniform(&random, 0.0, 1.0);
        v.modulus[i] = 1e5 * test_random_uniform(&random, 1.0, 2.0);
    }
    for (int i = 0; i < tet_count; ++i) {
        if (iso_tet_mesh_tet_volume(&v.mesh, i) < 0.0) {
            int held = v.mesh.tets[i][0];
            v.mesh.tets[i][0] = v.mesh.tets[i][1];
            v.mesh.tets[i][1] = held;
        }
    }
    return v;
}

static void check_same(const iso_volume_file* a, const iso_volume_file* b) {
    assert_int_equal(a->mesh.vertex_count, b->mesh.vertex_count);
    assert_int_equal(a->mesh.tet_count, b->mesh.tet_count);
    assert_memory_equal(a->mesh.vertices, b->mesh.vertices,
                        (size_t)a->mesh.vertex_count * sizeof *a->mesh.vertices);
    assert_memory_equal(a->mesh.tets, b->mesh.tets,
                        (size_t)a->mesh.tet_count * sizeof *a->mesh.tets);
    CHECK_ARRAY_BITS(a->extent, b->extent, a->mesh.vertex_count);
    CHECK_ARRAY_BITS(a->modulus, b->modulus, a->mesh.vertex_count);
    assert_null(b->pressure);
}

static void what_is_written_reads_back_with_the_same_bits(void** state) {
    (void)state;
    static const char* const k_names[] = {"round.vtk", "round.vtu", "round.VTU"};
    iso_context* ctx = test_context();
    iso_volume_metadata metadata = {
        .units = "m", .generator = "isobar 1", .source = "a b%c\"d\n\xc3\xa9.stl", .modulus = 1e7};
    for (int i = 0; i < 6; ++i) {
        iso_volume_file v = make_volume(ctx, i < 3 ? 1 : 3000);
        char path[TEST_PATH_SIZE];
        temp_path(path, k_names[i % 3]);
        FILE* file = fopen(path, "wb");
        assert_non_null(file);
        CHECK_OK(ctx, iso_volume_file_write(ctx, path, file, &v, &metadata));
        assert_int_equal(fclose(file), 0);
        iso_volume_file back;
        CHECK_OK(ctx, iso_volume_file_load(ctx, path, iso_vec3_make(1, 1, 1), &back));
        check_same(&v, &back);
        iso_volume_file_destroy(ctx, &back);
        iso_volume_file_destroy(ctx, &v);
        remove(path);
    }
    test_context_destroy(ctx);
}

static void metadata_is_optional_and_texts_are_encoded(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_volume_file v = make_volume(ctx, 1);
    for (int i = 0; i < 2; ++i) {
        iso_volume_metadata metadata = {.source = i ? "two words" : NULL};
        char path[TEST_PATH_SIZE];
        FILE* file = fopen(temp_path(path, "meta.vtk"), "wb");
        assert_non_null(file);
        CHECK_OK(ctx, iso_volume_file_write(ctx, path, file, &v, &metadata));
        assert_int_equal(fclose(file), 0);
        char* bytes;
        size_t size;
        CHECK_OK(ctx, iso_file_read(ctx, path, 1 << 20, &bytes, &size));
        assert_true((strstr(bytes, "FieldData") != NULL) == (i == 1));
        assert_true(
            (strstr(bytes, "source 1 9 unsigned_char\n116 119 111 32 119 111 114 100 115\n") !=
             NULL) == (i == 1));
        iso_free(ctx, bytes);
        remove(path);
    }
    iso_volume_metadata none = {0};
    CHECK_STATUS(ctx, iso_volume_file_write(ctx, "a.msh", stdout, &v, &none), ISO_ERR_UNSUPPORTED);
    CHECK_ERROR(ctx, "a.msh: a mesh is written as .vtk or .vtu");
    CHECK_STATUS(ctx, iso_volume_file_write(ctx, NULL, stdout, &v, &none), ISO_ERR_ARGUMENT);
    iso_volume_file_destroy(ctx, &v);
    test_context_destroy(ctx);
}

static iso_status write_once(iso_context* ctx, void* user) {
    iso_volume_metadata metadata = {.units = "m"};
    FILE* file = tmpfile();
    assert_non_null(file);
    iso_status status = iso_volume_file_write(ctx, "x.vtu", file, user, &metadata);
    assert_int_equal(fclose(file), 0);
    return status;
}

static void writing_survives_every_allocation_failure(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_volume_file v = make_volume(ctx, 2);
    int count = check_every_allocation_failure(write_once, &v);
    CHECK(count >= 5, "%d allocations", count);
    iso_volume_file_destroy(ctx, &v);
    test_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_reads_back_with_the_same_bits),
        cmocka_unit_test(metadata_is_optional_and_texts_are_encoded),
        cmocka_unit_test(writing_survives_every_allocation_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
