// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/alloc.h"
#include "base/core/text.h"
#include "geometry/mesh/mesh.h"
#include "geometry/mesh_files/vtk/vtk.h"
#include "support/assets.h"
#include "support/check.h"
#include "support/failing_context.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static const iso_vec3 k_ones = {1.0, 1.0, 1.0};

#define HEADER "# vtk DataFile Version 3.0\ntwo tetrahedra\nASCII\nDATASET UNSTRUCTURED_GRID\n"
#define POINTS "POINTS 5 double\n0 0 0 1 0 0\n0 1 0\n0 0 1 0 0 -1\n"
#define CELLS "CELLS 2 10\n4 0 1 2 3\n4 0 2 1 4\n"
#define TYPES "CELL_TYPES 2\n10\n10\n"

static iso_status read_text(iso_context* ctx, const char* text, iso_tet_mesh* out_mesh) {
    return iso_vtk_read_memory(ctx, text, strlen(text), "x.vtk", k_ones, NULL, out_mesh, NULL);
}

static void check_two_tets(iso_context* ctx, iso_tet_mesh* mesh) {
    assert_int_equal(mesh->vertex_count, 5);
    assert_int_equal(mesh->tet_count, 2);
    CHECK_NEAR(iso_tet_mesh_volume(mesh), 1.0 / 3.0, 1e-16); // measured 0
    CHECK_VEC3_NEAR(mesh->vertices[4], iso_vec3_make(0, 0, -1), 0.0);
    assert_int_equal(mesh->tets[1][1], 2);
    iso_tet_mesh_destroy(ctx, mesh);
}

static void ascii_files_of_old_and_new_layout_are_read(void** state) {
    (void)state;
    static const char* const k_texts[] = {
        HEADER POINTS CELLS TYPES,
        // keywords in lower case, DOS line ends, one line
        "# vtk DataFile Version 2.0\r\nt\r\nascii\r\ndataset unstructured_grid\r\npoints 5 "
        "float\r\n0 0 0 1 0 0 0 1 0 0 0 1 0 0 -1\r\ncells 2 10 4 0 1 2 3 4 0 2 1 4\r\n"
        "cell_types 2\r\n10 10\r\n",
        // version 5
        "# vtk DataFile Version 5.1\nt\nASCII\nDATASET UNSTRUCTURED_GRID\n" POINTS
        "\nCELLS 3 8\nOFFSETS vtktypeint64\n0 4 8\nCONNECTIVITY vtktypeint64\n0 1 2 3\n0 2 1 4\n"
        "\n" TYPES,
        // every kind of data that is to be skipped
        "# vtk DataFile Version 5.1\nt\nASCII\nDATASET UNSTRUCTURED_GRID\n"
        "FIELD FieldData 2\nTimeValue 1 1 double\n0.5\nMETADATA\nINFORMATION 0\n\n"
        "names 2 1 int\n3 4\n" POINTS "METADATA\nINFORMATION 1\nNAME x LOCATION y\nDATA 3\n\n"
        "CELLS 3 8\nOFFSETS vtktypeint64\n0 4 8\nCONNECTIVITY vtktypeint64\n0 1 2 3 0 2 1 4\n" TYPES
        "CELL_DATA 2\nSCALARS part int\nLOOKUP_TABLE default\n1 2\nVECTORS v float\n1 2 3 4 5 6\n"
        "POINT_DATA 5\nSCALARS s double 2\nLOOKUP_TABLE t\n1 2 3 4 5 6 7 8 9 10\n"
        "LOOKUP_TABLE t 2\n0 0 0 1 1 1 1 1\nNORMALS n float\n1 2 3 4 5 6 7 8 9 1 2 3 4 5 6\n"
        "TEXTURE_COORDINATES tc 2 float\n1 2 3 4 5 6 7 8 9 10\n"
        "COLOR_SCALARS c 3\n1 2 3 4 5 6 7 8 9 1 2 3 4 5 6\n"
        "TENSORS T double\n1 2 3 4 5 6 7 8 9 1 2 3 4 5 6 7 8 9 1 2 3 4 5 6 7 8 9 1 2 3 4 5 6 7 8 9 "
        "1 2 3 4 5 6 7 8 9\nMETADATA\nCOMPONENT_NAMES\na\n",
    };
    iso_context* ctx = test_context();
    for (size_t i = 0; i < sizeof k_texts / sizeof k_texts[0]; ++i) {
        iso_tet_mesh mesh;
        CHECK_OK(ctx, read_text(ctx, k_texts[i], &mesh));
        check_two_tets(ctx, &mesh);
    }
    test_context_destroy(ctx);
}

// Big-endian binary pieces.
static void put(iso_context* ctx, iso_text* text, const void* value, size_t size) {
    unsigned char bytes[8];
    memcpy(bytes, value, size);
    for (size_t i = 0; i < size / 2; ++i) { // this test runs on little-endian machines
        unsigned char held = bytes[i];
        bytes[i] = bytes[size - 1 - i];
        bytes[size - 1 - i] = held;
    }
    CHECK_OK(ctx, iso_text_append(ctx, text, (const char*)bytes, size));
}

static void put_ints(iso_context* ctx, iso_text* text, const int* values, int count, size_t size) {
    for (int i = 0; i < count; ++i) {
        int64_t wide = values[i];
        int32_t narrow = values[i];
        put(ctx, text, size == 8 ? (void*)&wide : (void*)&narrow, size);
    }
}

static iso_text binary_file(iso_context* ctx, bool is_float, bool is_version_5, double last_z,
                            size_t* out_types_end) {
    static const int k_cells[] = {4, 0, 1, 2, 3, 4, 0, 2, 1, 4};
    static const int k_offsets[] = {0, 4, 8}, k_corners[] = {0, 1, 2, 3, 0, 2, 1, 4};
    static const int k_types[] = {10, 10};
    double z[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, last_z};
    iso_text text = {0};
    CHECK_OK(ctx, iso_text_printf(ctx, &text,
                                  "# vtk DataFile Version %s\nt\nBINARY\nDATASET "
                                  "UNSTRUCTURED_GRID\nPOINTS 5 %s\n",
                                  is_version_5 ? "5.1" : "4.2", is_float ? "float" : "double"));
    for (int i = 0; i < 15; ++i) {
        float narrow = (float)z[i];
        put(ctx, &text, is_float ? (void*)&narrow : (void*)&z[i], is_float ? 4 : 8);
    }
    if (is_version_5) {
        CHECK_OK(ctx, iso_text_printf(ctx, &text, "\nCELLS 3 8\nOFFSETS vtktypeint64\n"));
        put_ints(ctx, &text, k_offsets, 3, 8);
        CHECK_OK(ctx, iso_text_printf(ctx, &text, "\nCONNECTIVITY vtktypeint64\n"));
        put_ints(ctx, &text, k_corners, 8, 8);
    } else {
        CHECK_OK(ctx, iso_text_printf(ctx, &text, "\nCELLS 2 10\n"));
        put_ints(ctx, &text, k_cells, 10, 4);
    }
    CHECK_OK(ctx, iso_text_printf(ctx, &text, "\nCELL_TYPES 2\n"));
    put_ints(ctx, &text, k_types, 2, 4);
    *out_types_end = text.length;
    CHECK_OK(ctx, iso_text_printf(ctx, &text,
                                  "\nPOINT_DATA 5\nSCALARS depth short\n"
                                  "LOOKUP_TABLE default\n"));
    for (int i = 0; i < 5; ++i) {
        int16_t value = (int16_t)(i - 2);
        put(ctx, &text, &value, 2);
    }
    CHECK_OK(ctx, iso_text_printf(ctx, &text, "\n"));
    return text;
}

static void binary_files_are_big_endian_floats_or_doubles(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    size_t types_end;
    for (int i = 0; i < 4; ++i) {
        iso_text text = binary_file(ctx, i & 1, i & 2, -1.0, &types_end);
        iso_tet_mesh mesh;
        double* depth;
        CHECK_OK(ctx, iso_vtk_read_memory(ctx, text.data, text.length, "b.vtk", k_ones, "depth",
                                          &mesh, &depth));
        for (int k = 0; k < 5; ++k) {
            CHECK_BITS(depth[k], (double)(k - 2));
        }
        iso_free(ctx, depth);
        check_two_tets(ctx, &mesh);
        // Cut anywhere before the types end, the file is an error; behind, attributes are missing.
        for (size_t size = 0; size < types_end; ++size) {
            iso_status status =
                iso_vtk_read_memory(ctx, text.data, size, "b.vtk", k_ones, NULL, &mesh, NULL);
            CHECK(status == ISO_ERR_PARSE || status == ISO_ERR_RANGE ||
                      (status == ISO_ERR_UNSUPPORTED && size < 80), // half a dataset name
                  "size %zu: status %d", size, (int)status);
        }
        iso_text_free(ctx, &text);
    }
    iso_text text = binary_file(ctx, false, false, NAN, &types_end);
    iso_tet_mesh mesh;
    CHECK_STATUS(
        ctx, iso_vtk_read_memory(ctx, text.data, text.length, "b.vtk", k_ones, NULL, &mesh, NULL),
        ISO_ERR_PARSE);
    CHECK_ERROR(ctx, "b.vtk: byte ");
    CHECK_ERROR(ctx, "a coordinate is nan, expected a finite number");
    iso_text_free(ctx, &text);
    test_context_destroy(ctx);
}

static void point_arrays_are_found_by_name(void** state) {
    (void)state;
    static const char k_text[] = HEADER POINTS CELLS TYPES
        "CELL_DATA 2\nSCALARS e double 1\nLOOKUP_TABLE default\n7 8\n"
        "POINT_DATA 5\nFIELD f 2\ng 3 5 double\n1 2 3 4 5 6 7 8 9 10 11 12 "
        "13 14 15\ne 1 5 double\n0 0.25 0.5 0.75 1\n";
    iso_context* ctx = test_context();
    iso_tet_mesh mesh;
    double* e;
    CHECK_OK(ctx,
             iso_vtk_read_memory(ctx, k_text, sizeof k_text - 1, "x.vtk", k_ones, "e", &mesh, &e));
    for (int i = 0; i < 5; ++i) {
        CHECK_BITS(e[i], 0.25 * i);
    }
    iso_free(ctx, e);
    iso_tet_mesh_destroy(ctx, &mesh);
    CHECK_STATUS(
        ctx, iso_vtk_read_memory(ctx, k_text, sizeof k_text - 1, "x.vtk", k_ones, "g", &mesh, &e),
        ISO_ERR_NOT_FOUND);
    CHECK_ERROR(ctx, "no point array 'g' of one component");
    assert_null(mesh.tets);
    assert_null(e);
    test_context_destroy(ctx);
}

static void scale_is_applied_and_mirrors_are_righted(void** state) {
    (void)state;
    static const char k_text[] = HEADER POINTS CELLS TYPES;
    iso_context* ctx = test_context();
    iso_tet_mesh mesh;
    CHECK_OK(ctx, iso_vtk_read_memory(ctx, k_text, sizeof k_text - 1, "x.vtk",
                                      iso_vec3_make(-2, 3, 0.5), NULL, &mesh, NULL));
    CHECK_NEAR(iso_tet_mesh_volume(&mesh), 1.0, 1e-15); // measured 0
    iso_tet_mesh_destroy(ctx, &mesh);
    CHECK_STATUS(ctx,
                 iso_vtk_read_memory(ctx, k_text, sizeof k_text - 1, "x.vtk",
                                     iso_vec3_make(1, 0, 1), NULL, &mesh, NULL),
                 ISO_ERR_RANGE);
    test_context_destroy(ctx);
}

// A tetrahedron of negative volume is turned, not refused.
static void turned_tetrahedra_are_mended(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_tet_mesh mesh;
    CHECK_OK(ctx, read_text(ctx, HEADER POINTS "CELLS 2 10\n4 0 1 2 3\n4 0 1 2 4\n" TYPES, &mesh));
    CHECK_REL(iso_tet_mesh_tet_volume(&mesh, 1), 1.0 / 6.0, 1e-15); // measured 0
    iso_tet_mesh_destroy(ctx, &mesh);
    test_context_destroy(ctx);
}

static void bad_files_are_refused_with_line_value_and_range(void** state) {
    (void)state;
    static const struct {
        const char* text;
        iso_status status;
        const char* message;
    } k_cases[] = {
        {"", ISO_ERR_PARSE, "x.vtk:1: not a legacy VTK file"},
        {"solid x\n", ISO_ERR_PARSE, "# vtk DataFile Version"},
        {"# vtk DataFile Version 3.0\nt\nXML\n", ISO_ERR_PARSE, "x.vtk:3: the format is 'XML'"},
        {"# vtk DataFile Version 3.0\nt\nASCII\nPOINTS 3", ISO_ERR_PARSE, "expected DATASET"},
        {"# vtk DataFile Version 3.0\nt\nASCII\nDATASET POLYDATA\n", ISO_ERR_UNSUPPORTED,
         "x.vtk:4: the dataset is 'POLYDATA', expected UNSTRUCTURED_GRID"},
        {HEADER, ISO_ERR_PARSE, "x.vtk:5: the file has no POINTS"},
        {HEADER "BOGUS 3\n", ISO_ERR_PARSE, "x.vtk:5: unknown section 'BOGUS'"},
        {HEADER POINTS, ISO_ERR_PARSE, "no CELLS"},
        {HEADER POINTS CELLS, ISO_ERR_PARSE, "no CELL_TYPES"},
        {HEADER CELLS, ISO_ERR_PARSE, "CELLS comes before POINTS"},
        {HEADER POINTS POINTS, ISO_ERR_PARSE, "POINTS is given twice"},
        {HEADER POINTS CELLS CELLS, ISO_ERR_PARSE, "CELLS is given twice"},
        {HEADER "POINTS -5 double\n", ISO_ERR_RANGE,
         "x.vtk:5: the number of points is -5, expected 0 to 2147483647"},
        {HEADER "POINTS 99999999999999999999 double\n", ISO_ERR_PARSE,
         "the number of points is '99999999999999999999', expected an integer"},
        {HEADER "POINTS 2000000000 double\n0 0 0\n", ISO_ERR_RANGE,
         "6000000000 values are announced, but the rest of the file"},
        {HEADER "POINTS five double\n", ISO_ERR_PARSE, "is 'five', expected an integer"},
        {HEADER "POINTS", ISO_ERR_PARSE, "the file ends where the number of points is expected"},
        {HEADER "POINTS 5 string\n", ISO_ERR_PARSE, "the data type is 'string'"},
        {HEADER "POINTS 2 double\n0 0 0\n1 nan 0\n", ISO_ERR_PARSE,
         "x.vtk:7: a coordinate is 'nan', expected a finite number"},
        {HEADER "POINTS 2 double\n0 0 0\n1 1e999 0\n", ISO_ERR_PARSE, "'1e999'"},
        {HEADER "POINTS 2 double\n0 0 0\n1 0x1 0\n", ISO_ERR_PARSE, "'0x1'"},
        {HEADER "POINTS 2 double\n0 0 0\n1 2\n", ISO_ERR_PARSE, "the file ends where a coordinate"},
        {HEADER POINTS "CELLS 2 10\n4 0 1 2 3\n4 0 2 5 4\n" TYPES, ISO_ERR_RANGE,
         "cell 1: x.vtk:11: a vertex of a cell is 5, expected 0 to 4"},
        {HEADER POINTS "CELLS 2 10\n4 0 1 2 -3\n4 0 2 1 4\n" TYPES, ISO_ERR_RANGE, "is -3"},
        {HEADER POINTS "CELLS 2 10\n4 0 1 2 3\n3 0 2 1\n", ISO_ERR_UNSUPPORTED,
         "cell 1 has 3 vertices: only tetrahedra"},
        {HEADER POINTS "CELLS 2 12\n4 0 1 2 3\n4 0 2 1 4\n" TYPES, ISO_ERR_RANGE,
         "CELLS announces 12 values, expected 5 for each of 2 tetrahedra"},
        {HEADER POINTS "CELLS 9 2\n4 0 1 2 3\n4 0 2 1 4\n" TYPES, ISO_ERR_RANGE,
         "CELLS announces 9 cells in 2 values"},
        {HEADER POINTS "CELLS 2 2000000000\n", ISO_ERR_RANGE, "CELLS: 2000000000 values"},
        {HEADER POINTS CELLS "CELL_TYPES 2\n10\n5\n", ISO_ERR_UNSUPPORTED,
         "x.vtk:14: cell 1 is of type 5, expected 10 (tetrahedron)"},
        {HEADER POINTS CELLS "CELL_TYPES 3\n10 10 10\n", ISO_ERR_PARSE,
         "CELL_TYPES has 3 entries, expected 2"},
        {HEADER POINTS "CELLS 1 5\n4 0 1 1 3\nCELL_TYPES 1\n10\n", ISO_ERR_GEOMETRY,
         "x.vtk: no tetrahedron with a volume"},
        {HEADER POINTS "CELLS 0 0\nCELL_TYPES 0\n", ISO_ERR_GEOMETRY, "no tetrahedra"},
        {HEADER POINTS CELLS TYPES "POINT_DATA 4\n", ISO_ERR_PARSE,
         "POINT_DATA has 4 entries, expected 5"},
        {HEADER POINTS CELLS TYPES "CELL_DATA 2\nSCALARS s int\nLOOKUP_TABLE default\n1\n",
         ISO_ERR_PARSE, "the file ends inside an array"},
        {HEADER POINTS CELLS TYPES "FIELD f 1\na 2147483647 2147483647 double\n", ISO_ERR_RANGE,
         "are announced"},
        {HEADER POINTS CELLS TYPES "FIELD f 1\na 2147483647", ISO_ERR_PARSE, "number of tuples"},
        {"# vtk DataFile Version 5.1\nt\nASCII\nDATASET UNSTRUCTURED_GRID\n" POINTS
         "CELLS 3 8\nOFFSETS vtktypeint64\n0 4 7\n",
         ISO_ERR_UNSUPPORTED, "cell 1 has 3 vertices"},
        {"# vtk DataFile Version 5.1\nt\nASCII\nDATASET UNSTRUCTURED_GRID\n" POINTS
         "CELLS 2 8\nOFFSETS vtktypeint64\n0 4\n",
         ISO_ERR_RANGE, "CELLS announces 8 vertices, expected 4 for each of 1 tetrahedra"},
        {"# vtk DataFile Version 5.1\nt\nASCII\nDATASET UNSTRUCTURED_GRID\n" POINTS
         "CELLS 3 8\nOFFSETS vtktypeint64\n0 4 8\nCONNECT",
         ISO_ERR_PARSE, "expected CONNECTIVITY"},
        {"# vtk DataFile Version 5.1\nt\nASCII\nDATASET UNSTRUCTURED_GRID\n" POINTS
         "CELLS 3 8\nOFFSETS vtktypeint64\n0 4 9\n",
         ISO_ERR_RANGE, "an offset of CELLS is 9, expected 0 to 8"},
    };
    iso_context* ctx = test_context();
    for (size_t i = 0; i < sizeof k_cases / sizeof k_cases[0]; ++i) {
        iso_tet_mesh mesh;
        CHECK_STATUS(ctx, read_text(ctx, k_cases[i].text, &mesh), k_cases[i].status);
        CHECK_ERROR(ctx, k_cases[i].message);
        assert_null(mesh.vertices);
        assert_null(mesh.tets);
    }
    iso_tet_mesh mesh;
    CHECK_STATUS(ctx, iso_tet_mesh_load(ctx, "/no/such/file.vtk", k_ones, &mesh), ISO_ERR_IO);
    CHECK_ERROR(ctx, "/no/such/file.vtk: No such file");
    test_context_destroy(ctx);
}

static void robot_assets_are_read(void** state) {
    (void)state;
    static const struct {
        const char* path;
        int vertex_count, tet_count;
    } k_cases[] = {
        {"dishes/assets/evo_bowl_fine44k.vtk", 9856, 44675},
        {"dishes/assets/evo_bowl_coarse3k.vtk", 744, 3374},
        {"veggies/assets/yellow_bell_pepper_no_stem_low.vtk", 667, 2519},
        {"wsg_50_description/meshes/bubble.vtk", 67, 212},
    };
    iso_context* ctx = test_context();
    for (size_t i = 0; i < sizeof k_cases / sizeof k_cases[0]; ++i) {
        char path[TEST_PATH_SIZE];
        iso_tet_mesh mesh;
        struct timespec begin, end;
        asset_path(path, k_cases[i].path);
        timespec_get(&begin, TIME_UTC);
        CHECK_OK(ctx, iso_tet_mesh_load(ctx, path, k_ones, &mesh));
        timespec_get(&end, TIME_UTC);
        print_message("%s: %d vertices, %d tetrahedra, %.0f ms\n", k_cases[i].path,
                      mesh.vertex_count, mesh.tet_count,
                      1e3 * (double)(end.tv_sec - begin.tv_sec) +
                          1e-6 * (double)(end.tv_nsec - begin.tv_nsec));
        assert_int_equal(mesh.vertex_count, k_cases[i].vertex_count);
        assert_int_equal(mesh.tet_count, k_cases[i].tet_count);
        iso_mesh_report r;
        CHECK_OK(ctx, iso_tet_mesh_inspect(ctx, &mesh, &r));
        assert_true(r.is_closed && r.is_oriented);
        assert_int_equal(r.component_count, 1);
        iso_tet_mesh_destroy(ctx, &mesh);
    }
    test_context_destroy(ctx);
}

static iso_status read_once(iso_context* ctx, void* user) {
    iso_tet_mesh mesh;
    double* array;
    (void)user;
    static const char k_text[] = HEADER POINTS CELLS TYPES "POINT_DATA 5\nSCALARS e float\n"
                                                           "LOOKUP_TABLE default\n1 2 3 4 5\n";
    iso_status status =
        iso_vtk_read_memory(ctx, k_text, sizeof k_text - 1, "x.vtk", k_ones, "e", &mesh, &array);
    assert_true((status == ISO_OK) == (mesh.tets != NULL));
    assert_true((status == ISO_OK) == (array != NULL));
    iso_tet_mesh_destroy(ctx, &mesh);
    iso_free(ctx, array);
    return status;
}

static void reading_survives_every_allocation_failure(void** state) {
    (void)state;
    int count = check_every_allocation_failure(read_once, NULL);
    CHECK(count >= 3, "%d allocations", count);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ascii_files_of_old_and_new_layout_are_read),
        cmocka_unit_test(binary_files_are_big_endian_floats_or_doubles),
        cmocka_unit_test(point_arrays_are_found_by_name),
        cmocka_unit_test(scale_is_applied_and_mirrors_are_righted),
        cmocka_unit_test(turned_tetrahedra_are_mended),
        cmocka_unit_test(bad_files_are_refused_with_line_value_and_range),
        cmocka_unit_test(robot_assets_are_read),
        cmocka_unit_test(reading_survives_every_allocation_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
