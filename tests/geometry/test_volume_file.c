// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/alloc.h"
#include "base/core/text.h"
#include "geometry/mesh/mesh.h"
#include "geometry/mesh_files/vtk/volume_file.h"
#include "support/assets.h"
#include "support/check.h"
#include "support/failing_context.h"

#include <stdio.h>
#include <string.h>

static const iso_vec3 k_ones = {1.0, 1.0, 1.0};

// Two tetrahedra on the triangle (0,0,0), (1,0,0), (0,1,0), with extents 0 to 1 in steps of 1/4 at
// that triangle, (0,0,1) and (0,0,-1). The samples in the corpus were written by VTK 9.7 and Gmsh
// 4.8.4, all but ascii_22.
static const char* const k_samples[] = {
    "vtu/ascii_raw_32_0_0",
    "vtu/binary_raw_32_0_0",
    "vtu/binary_raw_64_1_0",
    "vtu/binary_zlib_32_1_0",
    "vtu/binary_zlib_64_0_0",
    "vtu/appended_raw_64_0_0",
    "vtu/appended_raw_32_0_1",
    "vtu/appended_zlib_32_0_0",
    "vtu/appended_zlib_32_1_1",
    "msh/ascii_22",
    "msh/gmsh_220",
    "msh/gmsh_221",
    "msh/gmsh_410",
    "msh/gmsh_411",
    "vtk/ascii_extent",
    "vtk/binary_extent",
};
enum { k_sample_count = (int)(sizeof k_samples / sizeof k_samples[0]) };

static char* read_sample(iso_context* ctx, const char* sample, size_t* out_size) {
    char path[TEST_PATH_SIZE], relative[256];
    char* bytes = NULL;
    snprintf(relative, sizeof relative, "tests/fuzz/corpus/%s", sample);
    CHECK_OK(ctx, iso_file_read(ctx, source_path(path, relative), 1 << 20, &bytes, out_size));
    return bytes;
}

static iso_status read_bytes(iso_context* ctx, const char* bytes, size_t size, const char* sample,
                             iso_vec3 scale, iso_volume_file* out_file) {
    char extension[4] = {sample[0], sample[1], sample[2], '\0'};
    return iso_volume_file_load_memory(ctx, bytes, size, extension, "x", scale, out_file);
}

// Vertices may come in any order: gmsh sorts them.
static double expected_extent(iso_vec3 p) {
    return p.z > 0.5 ? 0.75 : (p.z < -0.5 ? 1.0 : 0.25 * p.x + 0.5 * p.y);
}

static void samples_of_vtk_and_gmsh_give_the_same_mesh_and_extents(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    for (int i = 0; i < k_sample_count; ++i) {
        size_t size = 0;
        char* bytes = read_sample(ctx, k_samples[i], &size);
        iso_volume_file file;
        CHECK_OK(ctx, read_bytes(ctx, bytes, size, k_samples[i], k_ones, &file));
        assert_int_equal(file.mesh.vertex_count, 5); // a sixth one that nothing uses is left out
        assert_int_equal(file.mesh.tet_count, 2);
        CHECK_NEAR(iso_tet_mesh_volume(&file.mesh), 1.0 / 3.0, 1e-16); // measured 0
        assert_non_null(file.extent);
        for (int k = 0; k < 5; ++k) {
            CHECK_BITS(file.extent[k], expected_extent(file.mesh.vertices[k]));
        }
        assert_null(file.pressure);
        assert_null(file.modulus);
        iso_volume_file_destroy(ctx, &file);
        iso_free(ctx, bytes);
    }
    test_context_destroy(ctx);
}

static void scale_is_applied_and_mirrors_are_righted(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    for (int i = 0; i < k_sample_count; ++i) {
        size_t size = 0;
        char* bytes = read_sample(ctx, k_samples[i], &size);
        iso_volume_file file;
        CHECK_OK(ctx, read_bytes(ctx, bytes, size, k_samples[i], iso_vec3_make(-2, 3, 0.5), &file));
        CHECK_NEAR(iso_tet_mesh_volume(&file.mesh), 1.0, 1e-15); // measured 0
        iso_volume_file_destroy(ctx, &file);
        CHECK_STATUS(ctx,
                     read_bytes(ctx, bytes, size, k_samples[i], iso_vec3_make(1, NAN, 1), &file),
                     ISO_ERR_RANGE);
        iso_free(ctx, bytes);
    }
    test_context_destroy(ctx);
}

static void cut_files_are_errors_or_lack_what_is_behind_the_cut(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    for (int i = 0; i < k_sample_count; ++i) {
        size_t size = 0;
        char* bytes = read_sample(ctx, k_samples[i], &size);
        int good_count = 0;
        for (size_t cut = 0; cut < size; ++cut) {
            iso_volume_file file;
            iso_status status = read_bytes(ctx, bytes, cut, k_samples[i], k_ones, &file);
            good_count += status == ISO_OK;
            CHECK(status == ISO_OK || (!file.mesh.tets && !file.extent), "%s cut at %zu",
                  k_samples[i], cut);
            CHECK(status == ISO_OK || strstr(iso_context_error(ctx), "x:") != NULL, "%s",
                  iso_context_error(ctx));
            iso_volume_file_destroy(ctx, &file);
        }
        // Cut behind the last data, but before the end.
        CHECK(good_count < 220, "%s: %d cuts are read", k_samples[i], good_count);
        iso_free(ctx, bytes);
    }
    test_context_destroy(ctx);
}

static void every_kind_is_read_by_its_extension(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    static const char* const k_files[][2] = {{"vtu/appended_zlib_32_0_0", "two.vtu"},
                                             {"msh/gmsh_411", "two.MSH"},
                                             {"vtk/ascii", "t.vtk"}};
    for (int i = 0; i < 3; ++i) {
        size_t size = 0;
        char path[TEST_PATH_SIZE];
        char* bytes = read_sample(ctx, k_files[i][0], &size);
        FILE* out = fopen(temp_path(path, k_files[i][1]), "wb");
        assert_non_null(out);
        assert_int_equal(fwrite(bytes, 1, size, out), size);
        assert_int_equal(fclose(out), 0);
        iso_free(ctx, bytes);
        assert_true(iso_volume_file_is_known(path));
        iso_tet_mesh mesh;
        CHECK_OK(ctx, iso_tet_mesh_load(ctx, path, k_ones, &mesh));
        iso_shape_desc shape = iso_shape_desc_default(ISO_SHAPE_MESH);
        shape.path = path;
        iso_mass_properties mass;
        CHECK_OK(ctx, iso_shape_mass_properties(ctx, &shape, &mass));
        CHECK_REL(mass.volume, iso_tet_mesh_volume(&mesh), 1e-15); // measured 0
        iso_tet_mesh_destroy(ctx, &mesh);
        remove(path);
    }
    assert_false(iso_volume_file_is_known("two.obj"));
    assert_false(iso_volume_file_is_known("msh"));
    iso_tet_mesh mesh;
    iso_volume_file file;
    CHECK_STATUS(ctx, iso_tet_mesh_load(ctx, "a.obj", k_ones, &mesh), ISO_ERR_UNSUPPORTED);
    CHECK_ERROR(ctx, "a.obj: a volume file must be one of .vtk, .");
    CHECK_STATUS(ctx, iso_volume_file_load(ctx, "a.obj", k_ones, &file), ISO_ERR_UNSUPPORTED);
    CHECK_STATUS(ctx, iso_volume_file_load(ctx, "/no/such.vtu", k_ones, &file), ISO_ERR_IO);
    CHECK_STATUS(ctx, iso_volume_file_load(ctx, NULL, k_ones, &file), ISO_ERR_ARGUMENT);
    CHECK_STATUS(ctx, iso_volume_file_load_memory(ctx, "", 0, "obj", "n", k_ones, &file),
                 ISO_ERR_UNSUPPORTED);
    test_context_destroy(ctx);
}

typedef struct bad_case {
    const char* text;
    iso_status status;
    const char* message;
} bad_case;

static void check_bad(const char* kind, const bad_case* cases, size_t case_count) {
    iso_context* ctx = test_context();
    for (size_t i = 0; i < case_count; ++i) {
        iso_volume_file file;
        CHECK_STATUS(ctx,
                     read_bytes(ctx, cases[i].text, strlen(cases[i].text), kind, k_ones, &file),
                     cases[i].status);
        CHECK_ERROR(ctx, cases[i].message);
        assert_null(file.mesh.vertices);
        assert_null(file.extent);
    }
    test_context_destroy(ctx);
}

#define VTU(attributes, piece)                                                    \
    "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" " attributes ">" \
    "<UnstructuredGrid>" piece "</UnstructuredGrid></VTKFile>"
#define PIECE(points, cells, inside) \
    "<Piece NumberOfPoints=\"" points "\" NumberOfCells=\"" cells "\">\n" inside "</Piece>"
#define ARRAY(type, name, values) \
    "<DataArray type=\"" type "\" Name=\"" name "\" format=\"ascii\">" values "</DataArray>\n"
#define XYZ(values)                                                                         \
    "<Points><DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">" values \
    "</DataArray></Points>\n"
#define FOUR XYZ("0 0 0 1 0 0 0 1 0 0 0 1")
#define CELLS(connectivity, offsets, types)                                                     \
    "<Cells>\n" ARRAY("Int64", "connectivity", connectivity) ARRAY("Int64", "offsets", offsets) \
        ARRAY("UInt8", "types", types) "</Cells>"
#define ONE CELLS("0 1 2 3", "4", "10")

static void bad_vtu_files_are_refused_with_line_value_and_range(void** state) {
    (void)state;
    static const bad_case k_cases[] = {
        {"", ISO_ERR_PARSE, "x: the file is empty"},
        {"<VTKFile", ISO_ERR_PARSE, "x:1: not well-formed XML"},
        {"<!DOCTYPE a [<!ENTITY b \"c\">]><VTKFile/>", ISO_ERR_PARSE,
         "document type definitions are not read"},
        {"<html/>", ISO_ERR_UNSUPPORTED, "x:1: the file is a <html> of type ''"},
        {"<VTKFile type=\"PolyData\"/>", ISO_ERR_UNSUPPORTED, "<VTKFile> of type 'PolyData'"},
        {VTU("byte_order=\"Middle\"", ""), ISO_ERR_UNSUPPORTED,
         "byte_order is 'Middle', expected LittleEndian or BigEndian"},
        {VTU("header_type=\"Int8\"", ""), ISO_ERR_UNSUPPORTED, "header_type is 'Int8'"},
        {VTU("compressor=\"vtkLZ4DataCompressor\"", ""), ISO_ERR_UNSUPPORTED,
         "compressor is 'vtkLZ4DataCompressor', expected vtkZLibDataCompressor"},
        {VTU("", ""), ISO_ERR_PARSE, "x:2: <UnstructuredGrid> has no <Piece>"},
        {VTU("", "<Piece/><Piece/>"), ISO_ERR_UNSUPPORTED, "has more than one <Piece>: merge"},
        {VTU("", "<Piece/>"), ISO_ERR_PARSE, "<Piece> has no attribute NumberOfPoints"},
        {VTU("", PIECE("-1", "1", "")), ISO_ERR_RANGE, "NumberOfPoints is -1, expected 0 to"},
        {VTU("", PIECE("four", "1", "")), ISO_ERR_PARSE, "is 'four', expected an integer"},
        {VTU("", PIECE("700000000", "1", FOUR)), ISO_ERR_RANGE,
         "x:3: 2100000000 values are expected, but the array (23 bytes) has room for at most 12"},
        {VTU("", PIECE("4", "1", "")), ISO_ERR_PARSE, "<Piece> has no <Points>"},
        {VTU("", PIECE("4", "1", XYZ("0 0 0 1 0 0 0 1 0 0 0 1 5"))), ISO_ERR_RANGE,
         "x:3: the array has more than 12 values"},
        {VTU("", PIECE("4", "1", XYZ("0 0 0 1 0 0 0 1 0 0 0.00"))), ISO_ERR_PARSE,
         "the file ends where a value is expected"},
        {VTU("", PIECE("4", "1", XYZ("0 0 0 1 0 0 0 1 0 0 0 nan"))), ISO_ERR_PARSE,
         "x:3: a value is 'nan', expected a finite number"},
        {VTU("", PIECE("4", "1", FOUR)), ISO_ERR_PARSE, "<Piece> has no <Cells>"},
        {VTU("", PIECE("4", "1", FOUR "<Cells/>")), ISO_ERR_PARSE,
         "<Cells> has no DataArray 'types'"},
        {VTU("", PIECE("4", "1", FOUR CELLS("0 1 2 4", "4", "10"))), ISO_ERR_RANGE,
         "x:5: value 3 of the array is 4, expected 0 to 3"},
        {VTU("", PIECE("4", "1", FOUR CELLS("0 1 2", "3", "10"))), ISO_ERR_RANGE,
         "cell 0 has 3 vertices, expected 4"},
        {VTU("", PIECE("4", "1", FOUR CELLS("0 1 2 3 0 1 2 3 0 1", "10", "24"))),
         ISO_ERR_UNSUPPORTED, "cell 0 is of type 24: of volume cells only linear tetrahedra"},
        {VTU("", PIECE("4", "1", FOUR CELLS("0 1 2", "3", "5"))), ISO_ERR_GEOMETRY,
         "no tetrahedra (1 other cells)"},
        {VTU("", PIECE("4", "1", FOUR CELLS("0 1 2 2", "4", "10"))), ISO_ERR_GEOMETRY,
         "x: no tetrahedron with a volume"},
        {VTU("",
             PIECE("4", "1",
                   FOUR ONE "<PointData>" ARRAY("Float32", "extent", "0 0 1.5") "</PointData>")),
         ISO_ERR_PARSE, "ends where a value is expected"},
        {VTU("", PIECE("4", "1",
                       FOUR ONE "<PointData>" ARRAY("String", "extent", "0 1 2 3") "</PointData>")),
         ISO_ERR_UNSUPPORTED, "type is 'String', expected Float32"},
        {VTU("",
             PIECE("4", "1",
                   FOUR ONE "<PointData><DataArray type=\"Int8\" Name=\"extent\" format=\"raw\"/>"
                            "</PointData>")),
         ISO_ERR_PARSE, "format is 'raw', expected ascii, binary or appended"},
        {VTU("", PIECE("4", "1",
                       FOUR ONE
                       "<PointData><DataArray type=\"Int8\" Name=\"extent\" format=\"appended\" "
                       "offset=\"0\"/></PointData>")),
         ISO_ERR_PARSE, "the file has no AppendedData"},
        {VTU("",
             PIECE("4", "1",
                   FOUR ONE "<PointData><DataArray type=\"Int8\" Name=\"extent\" format=\"binary\">"
                            "BQAAAAABAgM=</DataArray></PointData>")),
         ISO_ERR_RANGE, "the array announces 5 bytes of data, expected 4"},
        {VTU("compressor=\"vtkZLibDataCompressor\"",
             PIECE("4", "1",
                   FOUR ONE "<PointData><DataArray type=\"Int8\" Name=\"extent\" format=\"binary\">"
                            "AQAAAAAAAQAEAAAABAAAAAAAAAAAAAAA</DataArray></PointData>")),
         ISO_ERR_PARSE, "a block of compressed data cannot be unpacked into 4 bytes"},
        {VTU("", PIECE("4", "1", FOUR ONE)) "<AppendedData", ISO_ERR_PARSE,
         "AppendedData must begin with an underscore"},
    };
    check_bad("vtu", k_cases, sizeof k_cases / sizeof k_cases[0]);
}

#define FORMAT2 "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define FORMAT4 "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
#define NODES2 "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n"
#define NODES4 "$Nodes\n1 4 1 4\n3 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n$EndNodes\n"
#define TET2 "$Elements\n1\n1 4 2 0 1 1 2 3 4\n$EndElements\n"
#define VIEW(count, values) \
    "$NodeData\n1\n\"extent\"\n1\n0\n3\n0\n1\n" count "\n" values "$EndNodeData\n"

static void bad_msh_files_are_refused_with_line_value_and_range(void** state) {
    (void)state;
    static const bad_case k_cases[] = {
        {"", ISO_ERR_PARSE, "x:1: the file ends where the next word is expected"},
        {"solid\n", ISO_ERR_PARSE, "x:1: the next word is 'solid', expected $MeshFormat"},
        {"$NOD\n1\n", ISO_ERR_PARSE, "expected $MeshFormat (Gmsh 2.2 or 4.1)"},
        {"$MeshFormat\n4 0 8\n", ISO_ERR_UNSUPPORTED,
         "x:2: the file is of version 4, expected 2.2 or 4.1: convert it with 'gmsh"},
        {"$MeshFormat\n4.1 2 8\n", ISO_ERR_RANGE, "the file type is 2, expected 0 to 1"},
        {"$MeshFormat\n4.1 0 4\n", ISO_ERR_RANGE, "the size of numbers is 4, expected 8 to 8"},
        {"$MeshFormat\n4.1 1 8\nabcd", ISO_ERR_PARSE, "the byte order is unclear"},
        {FORMAT2, ISO_ERR_PARSE, "x:4: the file has no $Nodes"},
        {FORMAT2 NODES2, ISO_ERR_PARSE, "the file has no $Elements"},
        {FORMAT2 TET2, ISO_ERR_PARSE, "$Elements comes before $Nodes"},
        {FORMAT2 NODES2 NODES2, ISO_ERR_PARSE, "$Nodes is given twice"},
        {FORMAT2 NODES2 TET2 TET2, ISO_ERR_PARSE, "$Elements is given twice"},
        {FORMAT2 "$Nodes\n99999999\n1 0 0 0\n", ISO_ERR_RANGE,
         "x:5: 99999999 nodes are announced, but the rest of the file (9 bytes)"},
        {FORMAT2 "$Nodes\n-1\n", ISO_ERR_RANGE, "-1 nodes are announced"},
        {FORMAT2 "$Nodes\nmany\n", ISO_ERR_PARSE, "the number of nodes is 'many'"},
        {FORMAT2 "$Nodes\n1\n0 0 0 0\n$EndNodes\n", ISO_ERR_RANGE,
         "the tag of a node is 0, expected 1 to"},
        {FORMAT2 "$Nodes\n2\n1 0 0 0\n1 0 0 1\n$EndNodes\n", ISO_ERR_PARSE,
         "node 1 is given twice"},
        {FORMAT2 "$Nodes\n1\n1 0 inf 0\n$EndNodes\n", ISO_ERR_PARSE,
         "x:6: a coordinate is 'inf', expected a finite number"},
        {FORMAT2 "$Nodes\n1\n1 0 0 0\n$EndElements\n", ISO_ERR_PARSE,
         "the next word is '$EndElements', expected $EndNodes"},
        {FORMAT2 NODES2 "$Elements\n1\n1 4 2 0 1 1 2 3 9\n$EndElements\n", ISO_ERR_RANGE,
         "x:13: element 1 has node 9, which is not among the 4 nodes"},
        {FORMAT2 "$Comments\ntwo\nlines\n$EndComments\n" NODES2
                 "$Elements\n1\n1 4 2 0 1 1 2 3 9\n$EndElements\n",
         ISO_ERR_RANGE, "x:17: element 1 has node 9"},
        {FORMAT2 NODES2 "$Elements\n1\n1 11 2 0 1 1 2 3 4 1 2 3 4 1 2\n$EndElements\n",
         ISO_ERR_UNSUPPORTED,
         "an element is of type 11 (second-order tetrahedron): of volume elements only "
         "first-order"},
        {FORMAT2 NODES2 "$Elements\n1\n1 99 2 0 1 1 2 3 4\n$EndElements\n", ISO_ERR_UNSUPPORTED,
         "type 99 (unknown)"},
        {FORMAT2 NODES2 "$Elements\n1\n1 2 2 0 1 1 2 3\n$EndElements\n", ISO_ERR_GEOMETRY,
         "no tetrahedra (1 elements of lower dimension): mesh the volume with 'gmsh -3'"},
        {FORMAT2 NODES2 "$Elements\n1\n1 4 2 0 1 1 3 2 3\n$EndElements\n", ISO_ERR_GEOMETRY,
         "x: no tetrahedron with a volume"},
        {FORMAT2 NODES2 TET2 "$Periodic\n0\n", ISO_ERR_PARSE, "the file ends inside section $Peri"},
        {FORMAT2 NODES2 TET2 VIEW("3", "1 0\n2 0\n3 1\n"), ISO_ERR_PARSE,
         "array 'extent' has no value at vertex 3 (of 4, counted from 0)"},
        {FORMAT2 NODES2 TET2 VIEW("5", "1 0\n2 0\n3 0\n4 1\n2 0.5\n"), ISO_ERR_PARSE,
         "x:28: node 2 is given a second value, 0.5 after 0"},
        {FORMAT2 NODES2 TET2 VIEW("1", "7 0\n"), ISO_ERR_RANGE,
         "a value is given for node 7, which is not among the 4 nodes"},
        {FORMAT2 NODES2 TET2 VIEW("1000", "7 0\n"), ISO_ERR_RANGE,
         "1000 node values are announced"},
        {FORMAT2 NODES2 TET2 VIEW("1", "1 nan\n"), ISO_ERR_PARSE, "a node value is 'nan'"},
        {FORMAT2 VIEW("1", "1 0\n"), ISO_ERR_PARSE, "$NodeData comes before $Nodes"},
        {FORMAT4 NODES4 "$Elements\n1 1 1 1\n3 1 5 1\n1 1 2 3 4 1 2 3 4\n$EndElements\n",
         ISO_ERR_UNSUPPORTED, "type 5 (hexahedron)"},
        {FORMAT4 NODES4 "$Elements\n1 1 1 1\n3 1 4 9000000\n1 1 2 3 4\n$EndElements\n",
         ISO_ERR_RANGE, "9000000 elements are announced"},
        {FORMAT4 "$Nodes\n9000000 1 1 1\n", ISO_ERR_RANGE, "9000000 blocks are announced"},
        {FORMAT4 "$Nodes\n1 4 1 4\n7 1 0 4\n", ISO_ERR_RANGE,
         "the dimension of an entity is 7, expected 0 to 3"},
    };
    check_bad("msh", k_cases, sizeof k_cases / sizeof k_cases[0]);
}

static void nodes_with_parameters_gaps_and_lower_elements_are_read(void** state) {
    (void)state;
    static const char k_text[] = FORMAT4
        "$Nodes\n2 4 10 900\n2 1 1 3\n900\n20\n10\n0 0 0 5 6\n1 0 0 5 6\n0 1 0 5 6\n"
        "3 1 0 1\n40\n0 0 1\n$EndNodes\n$Elements\n3 3 1 3\n0 1 15 1\n1 40\n2 1 2 1\n2 900 20 10\n"
        "3 1 4 1\n3 900 20 10 40\n$EndElements\n"
        "$NodeData\n2\n\"pressure\"\n\"scheme\"\n1\n0.5\n4\n0\n1\n4\n0\n10 3\n20 2\n900 1\n40 "
        "4\n$EndNodeData\n";
    iso_context* ctx = test_context();
    iso_volume_file file;
    CHECK_OK(ctx, read_bytes(ctx, k_text, sizeof k_text - 1, "msh", k_ones, &file));
    for (int i = 0; i < 4; ++i) {
        CHECK_BITS(file.pressure[i], 1.0 + i);
        assert_int_equal(file.mesh.tets[0][i], i);
    }
    iso_volume_file_destroy(ctx, &file);
    test_context_destroy(ctx);
}

static iso_status read_once(iso_context* ctx, void* user) {
    const char* sample = user;
    size_t size = 0;
    char* bytes = NULL;
    char path[TEST_PATH_SIZE], relative[256];
    snprintf(relative, sizeof relative, "tests/fuzz/corpus/%s", sample);
    iso_status status = iso_file_read(ctx, source_path(path, relative), 1 << 20, &bytes, &size);
    if (status == ISO_OK) {
        iso_volume_file file;
        status = read_bytes(ctx, bytes, size, sample, k_ones, &file);
        assert_true((status == ISO_OK) == (file.mesh.tets != NULL));
        assert_true((status == ISO_OK) == (file.extent != NULL));
        iso_volume_file_destroy(ctx, &file);
    }
    iso_free(ctx, bytes);
    return status;
}

// Arrays that nobody reads: what the log says of them.
typedef struct kept_words {
    char text[2048];
    int warning_count;
} kept_words;

static void keep_words(void* user, iso_log_level level, const char* message) {
    kept_words* kept = user;
    kept->warning_count += level == ISO_LOG_WARNING;
    size_t length = strlen(kept->text);
    (void)snprintf(kept->text + length, sizeof kept->text - length, "%s\n", message);
}

static const char k_vtk_tet[] = "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\n"
                                "POINTS 4 double\n0 0 0 1 0 0 0 1 0 0 0 1\nCELLS 1 5\n4 0 1 2 3\n"
                                "CELL_TYPES 1\n10\n";
#define VTK_POINTS(name) "POINT_DATA 4\nSCALARS " name " double\nLOOKUP_TABLE default\n1 2 3 4\n"
#define VTU_TET(point_data)                                                                       \
    "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\"><UnstructuredGrid>"                       \
    "<Piece NumberOfPoints=\"4\" NumberOfCells=\"1\"><Points><DataArray type=\"Float64\" "        \
    "NumberOfComponents=\"3\" format=\"ascii\">0 0 0 1 0 0 0 1 0 0 0 1</DataArray></Points>"      \
    "<Cells><DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">0 1 2 3</DataArray>" \
    "<DataArray type=\"Int32\" Name=\"offsets\" format=\"ascii\">4</DataArray><DataArray "        \
    "type=\"UInt8\" Name=\"types\" format=\"ascii\">10</DataArray></Cells>" point_data            \
    "</Piece></UnstructuredGrid></VTKFile>"
#define VTU_ARRAY(name, components)                                                        \
    "<DataArray type=\"Float64\" Name=\"" name "\" NumberOfComponents=\"" components "\" " \
    "format=\"ascii\">1 2 3 4</DataArray>"
#define MSH_TET                                                                          \
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 " \
    "1\n$EndNodes"                                                                       \
    "\n$Elements\n1\n1 4 2 0 1 1 2 3 4\n$EndElements\n"
#define MSH_ARRAY(name) \
    "$NodeData\n1\n\"" name "\"\n1\n0\n3\n0\n1\n4\n1 1\n2 2\n3 3\n4 4\n$EndNodeData\n"

static void arrays_that_are_not_read_are_named(void** state) {
    (void)state;
    static const struct {
        const char *kind, *tail, *words;
        int warning_count;
    } cases[] = {
        {"vtk", VTK_POINTS("presure"),
         "x: array 'presure' is not used; did you mean 'pressure'? Read are point arrays of one "
         "component named pressure, extent or modulus\n",
         1},
        {"vtk", VTK_POINTS("Extend"), "array 'Extend' is not used; did you mean 'extent'?", 1},
        {"vtk", VTK_POINTS("temperature"), "x: arrays that are not used: 'temperature'\n", 0},
        {"vtk", VTK_POINTS("pressure") "SCALARS presure double\nLOOKUP_TABLE default\n1 2 3 4\n",
         "arrays that are not used: 'presure'", 0}, // the field is there
        {"vtk", VTK_POINTS("pressure") "SCALARS modulas double\nLOOKUP_TABLE default\n1 2 3 4\n",
         "did you mean 'modulus'?", 1},
        {"vtk", "CELL_DATA 1\nSCALARS pressure double\nLOOKUP_TABLE default\n1\n",
         "array 'pressure' has values of cells, not of points, and is not used", 1},
        {"vtk", "FIELD of_the_file 1\nmodulus 1 1 double\n1e7\n", "", 0}, // as `prepare` writes
        {"vtk", "POINT_DATA 4\nVECTORS pressure double\n1 1 1 1 1 1 1 1 1 1 1 1\n",
         "array 'pressure' has more than one component and is not used", 1},
        {"vtu", VTU_TET("<PointData>" VTU_ARRAY("presure", "1") "</PointData>"),
         "x: array 'presure' is not used; did you mean 'pressure'?", 1},
        {"vtu", VTU_TET("<PointData>" VTU_ARRAY("u", "1") VTU_ARRAY("extent", "3") "</PointData>"),
         "array 'extent' has more than one component", 1},
        {"vtu", VTU_TET("<CellData>" VTU_ARRAY("extents", "1") "</CellData>"),
         "did you mean 'extent'?", 1},
        {"msh", MSH_TET MSH_ARRAY("presure"),
         "x: array 'presure' is not used; did you mean 'pressure'?", 1},
        {"msh", MSH_TET MSH_ARRAY("pressure") MSH_ARRAY("quality"),
         "x: arrays that are not used: 'quality'\n", 0},
    };
    kept_words kept;
    iso_context_desc desc = iso_context_desc_default();
    desc.log_fn = keep_words;
    desc.log_user = &kept;
    desc.log_level = ISO_LOG_INFO;
    iso_context* ctx = NULL;
    assert_int_equal(iso_context_create(&desc, &ctx), ISO_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char bytes[4096];
        bool is_vtk = strcmp(cases[i].kind, "vtk") == 0;
        (void)snprintf(bytes, sizeof bytes, "%s%s", is_vtk ? k_vtk_tet : "", cases[i].tail);
        iso_volume_file file;
        kept = (kept_words){.warning_count = 0};
        CHECK_OK(ctx, iso_volume_file_load_memory(ctx, bytes, strlen(bytes), cases[i].kind, "x",
                                                  k_ones, &file));
        CHECK_TEXT(kept.text, cases[i].words);
        CHECK(cases[i].words[0] != '\0' || kept.text[0] == '\0', "'%s' is told", kept.text);
        assert_null(strstr(kept.text, "not used: \n")); // a list without names
        assert_int_equal(kept.warning_count, cases[i].warning_count);
        iso_volume_file_destroy(ctx, &file);
    }
    iso_context_destroy(ctx);
}

static void reading_survives_every_allocation_failure(void** state) {
    (void)state;
    static const char* const k_used[] = {"vtu/ascii_raw_32_0_0", "vtu/appended_zlib_32_1_1",
                                         "msh/ascii_22", "msh/gmsh_411", "vtk/ascii_extent"};
    for (int i = 0; i < 5; ++i) {
        int count = check_every_allocation_failure(read_once, (void*)(uintptr_t)k_used[i]);
        CHECK(count >= 4, "%s: %d allocations", k_used[i], count);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_of_vtk_and_gmsh_give_the_same_mesh_and_extents),
        cmocka_unit_test(scale_is_applied_and_mirrors_are_righted),
        cmocka_unit_test(cut_files_are_errors_or_lack_what_is_behind_the_cut),
        cmocka_unit_test(every_kind_is_read_by_its_extension),
        cmocka_unit_test(bad_vtu_files_are_refused_with_line_value_and_range),
        cmocka_unit_test(bad_msh_files_are_refused_with_line_value_and_range),
        cmocka_unit_test(nodes_with_parameters_gaps_and_lower_elements_are_read),
        cmocka_unit_test(arrays_that_are_not_read_are_named),
        cmocka_unit_test(reading_survives_every_allocation_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
