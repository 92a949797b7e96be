// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/text.h"
#include "geometry/mesh/mesh.h"
#include "geometry/mesh_files/surface_file.h"
#include "geometry/surface_samples.h"
#include "support/failing_context.h"
#include "support/kept_warning.h"

static const iso_vec3 k_ones = {1.0, 1.0, 1.0};

static iso_status load(iso_context* ctx, const void* bytes, size_t size, iso_tri_mesh* out_mesh) {
    return iso_tri_mesh_load_memory(ctx, bytes, size, "ply", "m", k_ones, out_mesh);
}

#define HEAD "element vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
#define FACES "property list uchar int vertex_indices\nend_header\n"
#define CORNERS "0 0 0\n1 0 0\n0 1 0\n0 0 1\n"

static void coordinates_are_those_of_the_text_in_double_precision(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    static const char k_text[] =
        "ply\r\nformat ascii 1.0\r\ncomment by hand\r\nobj_info 7\r\nelement camera 1\r\n"
        "property list uchar float f\r\nproperty int i\r\nelement vertex 3\r\n"
        "property uchar red\r\nproperty double z\r\nproperty double x\r\nproperty double y\r\n"
        "element face 1\r\nproperty list int float texcoord\r\n"
        "property list uchar uint vertex_index\r\nend_header\r\n"
        "2 .5 .6 7\r\n255 0 0.1 0\r\n\r\n0 0 1 0\r\n0 0 0 1e-1\r\n2 0.5 0.5 3 0 1 2\r\n";
    iso_tri_mesh mesh;
    CHECK_OK(ctx, load(ctx, k_text, strlen(k_text), &mesh));
    assert_int_equal(mesh.triangle_count, 1);
    CHECK_BITS(mesh.vertices[0].x, 0.1);
    CHECK_BITS(mesh.vertices[2].y, 0.1);
    iso_tri_mesh_destroy(ctx, &mesh);
    test_context_destroy(ctx);
}

static void put(iso_text* file, iso_context* ctx, bool is_big, double value, char type) {
    unsigned char bytes[8], turned[8];
    int32_t i = (int32_t)value;
    int16_t s = (int16_t)value;
    uint8_t b = (uint8_t)value;
    float f = (float)value;
    size_t size = type == 'd' ? 8 : type == 's' ? 2 : type == 'b' ? 1 : 4;
    switch (type) { // little-endian machines
    case 'd':
        memcpy(bytes, &value, sizeof value);
        break;
    case 'f':
        memcpy(bytes, &f, sizeof f);
        break;
    case 'i':
        memcpy(bytes, &i, sizeof i);
        break;
    case 's':
        memcpy(bytes, &s, sizeof s);
        break;
    default:
        bytes[0] = b;
    }
    for (size_t k = 0; k < size; ++k) {
        turned[k] = bytes[is_big ? size - 1 - k : k];
    }
    CHECK_OK(ctx, iso_text_append(ctx, file, (const char*)turned, size));
}

// A square, a triangle and a line; a strip of three triangles and one of one.
static iso_text make_binary(iso_context* ctx, bool is_big) {
    static const double k_xyz[5][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, -1}};
    static const int k_numbers[] = {0, 4, 0, 1, 2, 3, 1, 9, 3, 0, 1, 4, 0, 2, 2, 1};
    static const char k_types[] = "bbiiiibfbiiibbii";
    static const int k_strips[] = {8, 0, 1, 3, 2, 4, -1, 1, 2};
    iso_text file = {0};
    CHECK_OK(ctx, iso_text_printf(
                      ctx, &file,
                      "ply\nformat binary_%s_endian 1.0\nelement vertex 5\nproperty double x\n"
                      "property float y\nproperty short z\nproperty uchar red\nelement face 3\n"
                      "property list uchar float weights\nproperty list uchar int vertex_index\n"
                      "element edge 1\nproperty int a\nproperty int b\nelement tristrips 1\n"
                      "property list int int vertex_indices\nend_header\n",
                      is_big ? "big" : "little"));
    for (int i = 0; i < 5; ++i) {
        for (int k = 0; k < 3; ++k) {
            put(&file, ctx, is_big, k_xyz[i][k], "dfs"[k]);
        }
        put(&file, ctx, is_big, 7, 'b');
    }
    for (size_t i = 0; i < sizeof k_numbers / sizeof k_numbers[0]; ++i) {
        put(&file, ctx, is_big, k_numbers[i], k_types[i]);
    }
    put(&file, ctx, is_big, 0, 'i');
    put(&file, ctx, is_big, 1, 'i');
    for (size_t i = 0; i < sizeof k_strips / sizeof k_strips[0]; ++i) {
        put(&file, ctx, is_big, k_strips[i], 'i');
    }
    return file;
}

static void both_byte_orders_with_polygons_edges_and_strips_are_read(void** state) {
    (void)state;
    kept_warning kept;
    iso_context* ctx = warned_context(&kept);
    for (int is_big = 0; is_big < 2; ++is_big) {
        iso_text file = make_binary(ctx, is_big);
        iso_tri_mesh mesh;
        CHECK_OK(ctx, load(ctx, file.data, file.length, &mesh));
        CHECK_TEXT(kept.text, "m: 2 points and lines are left out");
        assert_int_equal(mesh.triangle_count, 2 + 1 + 3);
        assert_int_equal(mesh.vertex_count, 5);
        // Of the strip the first two cover the square from the same side, the third is (3, 2, 4).
        iso_vec3 sum = iso_vec3_zero();
        for (int i = 3; i < 5; ++i) {
            const int* t = mesh.triangles[i];
            sum =
                iso_vec3_add(sum, iso_triangle_area_vector(mesh.vertices[t[0]], mesh.vertices[t[1]],
                                                           mesh.vertices[t[2]]));
        }
        CHECK_VEC3_NEAR(sum, iso_vec3_make(0, 0, 1), 0.0);
        iso_tri_mesh_destroy(ctx, &mesh);
        // Cut anywhere it is an error; with more at its end a warning.
        for (size_t cut = 1; cut < file.length; ++cut) {
            iso_status status = load(ctx, file.data, file.length - cut, &mesh);
            CHECK(status == ISO_ERR_PARSE || status == ISO_ERR_RANGE, "%d cut off: %d", (int)cut,
                  (int)status);
            CHECK_ERROR(ctx, "m:");
        }
        CHECK_OK(ctx, iso_text_append(ctx, &file, "xyz", 3));
        CHECK_OK(ctx, load(ctx, file.data, file.length, &mesh));
        iso_tri_mesh_destroy(ctx, &mesh);
        iso_text_free(ctx, &file);
    }
    iso_context_destroy(ctx);
}

static void what_follows_the_elements_is_a_warning(void** state) {
    (void)state;
    kept_warning kept;
    iso_context* ctx = warned_context_of(&kept, "follows");
    static const char k_text[] =
        "ply\nformat ascii 1.0\n" HEAD "element face 1\n" FACES CORNERS "3 0 1 2\n3 0 1 3\n";
    iso_tri_mesh mesh;
    CHECK_OK(ctx, load(ctx, k_text, strlen(k_text), &mesh));
    assert_int_equal(mesh.triangle_count, 1);
    CHECK_TEXT(kept.text, "m: what follows the elements of the header (8 bytes) is left out");
    iso_tri_mesh_destroy(ctx, &mesh);
    iso_context_destroy(ctx);
}

static void malformed_files_are_refused_with_their_line(void** state) {
    (void)state;
#define ASCII "ply\nformat ascii 1.0\n"
#define FOUR "element face 4\n"
#define THREE "3 0 2 1\n3 0 1 3\n3 0 3 2\n"
    static const struct {
        const char* text;
        iso_status status;
        const char* message;
    } k_cases[] = {
        {ASCII HEAD FOUR FACES CORNERS THREE "0\n", ISO_ERR_RANGE,
         "m:17: face 4 has 0 corners, expected 1 to 4096"},
        {ASCII HEAD FOUR FACES CORNERS THREE "-1 1 2 3\n", ISO_ERR_RANGE,
         "m:17: a list of face 4 has -1 values"},
        {ASCII HEAD FOUR FACES CORNERS THREE "4000000000 1 2 3\n", ISO_ERR_RANGE,
         "m:17: a list of face 4 has 4e+09 values"},
        {ASCII HEAD FOUR FACES CORNERS THREE "3 1 2 4\n", ISO_ERR_RANGE,
         "m:17: face 4 names vertex 4, expected 0 to 3"},
        {ASCII HEAD FOUR FACES CORNERS THREE "3 1 2 -1\n", ISO_ERR_RANGE, "names vertex -1"},
        {ASCII HEAD FOUR FACES CORNERS THREE "3 1 2 0.5\n", ISO_ERR_RANGE, "names vertex 0.5"},
        {ASCII HEAD FOUR FACES CORNERS THREE "3 1 2", ISO_ERR_PARSE,
         "the file ends in face 4 of 4"},
        {ASCII HEAD FOUR FACES CORNERS "3 1 2\n" THREE, ISO_ERR_PARSE,
         "m:14: face 1 has too few values"},
        {ASCII HEAD FOUR FACES CORNERS "3 1 2 3 0\n" THREE, ISO_ERR_PARSE,
         "m:14: face 1 has more values than the header announces"},
        {ASCII HEAD FOUR FACES CORNERS "3 1 2 x\n" THREE, ISO_ERR_PARSE,
         "m:14: a value is 'x', expected a finite number"},
        {ASCII HEAD "element face 9\n" FACES CORNERS THREE, ISO_ERR_PARSE,
         "m:17: the file ends in face 4 of 9"},
        {ASCII
         "element vertex 400000000\nproperty float x\nproperty float y\nproperty float z\n" FOUR
             FACES CORNERS THREE,
         ISO_ERR_RANGE,
         "m:10: 400000000 of element 'vertex' are announced, but the rest of the file (48 bytes) "
         "has room for at most 8"},
        {ASCII HEAD "element face 400000000\n" FACES CORNERS THREE, ISO_ERR_RANGE,
         "400000000 of element 'face' are announced"},
        {ASCII HEAD "element face -4\n" FACES CORNERS THREE, ISO_ERR_PARSE,
         "m:7: the number of an element is '-4', expected 0 or more"},
        {ASCII HEAD HEAD FOUR FACES, ISO_ERR_PARSE, "m:7: element vertex is there twice"},
        {ASCII FOUR FACES, ISO_ERR_PARSE, "element 'face' is not whole"},
        {ASCII "element vertex 4\nproperty float x\nend_header\n", ISO_ERR_PARSE,
         "element 'vertex' is not whole"},
        {ASCII "property float x\n", ISO_ERR_PARSE, "m:3: a property comes before any element"},
        {ASCII HEAD "property half w\n", ISO_ERR_PARSE, "the type of a property is 'half'"},
        {ASCII HEAD "property list float int w\n", ISO_ERR_PARSE, "the type of a count is 'float'"},
        {ASCII "elements\n", ISO_ERR_PARSE, "m:3: the next line of the header is 'elements'"},
        {"ply\nformat binary 1.0\n", ISO_ERR_PARSE, "m:2: the format is 'binary'"},
        {"ply\n" HEAD FOUR FACES, ISO_ERR_PARSE, "the header has no line 'format'"},
        {"solid x\n", ISO_ERR_PARSE, "m:1: not a .ply file"},
        {"", ISO_ERR_PARSE, "m:1: not a .ply file"},
        {ASCII HEAD "end_header\n" CORNERS, ISO_ERR_GEOMETRY, "m: the file has no triangles"},
    };
    iso_context* ctx = test_context();
    iso_tri_mesh mesh;
    for (size_t i = 0; i < sizeof k_cases / sizeof k_cases[0]; ++i) {
        CHECK_STATUS(ctx, load(ctx, k_cases[i].text, strlen(k_cases[i].text), &mesh),
                     k_cases[i].status);
        CHECK_ERROR(ctx, k_cases[i].message);
        assert_null(mesh.vertices);
    }
    test_context_destroy(ctx);
}

static iso_status load_once(iso_context* ctx, void* user) {
    const iso_text* file = user;
    iso_tri_mesh mesh;
    iso_status status = load(ctx, file->data, file->length, &mesh);
    iso_tri_mesh_destroy(ctx, &mesh);
    return status;
}

static void reading_survives_every_allocation_failure(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_text file = make_binary(ctx, true);
    int count = check_every_allocation_failure(load_once, &file);
    CHECK(count >= 8, "%d allocations", count);
    iso_text_free(ctx, &file);
    test_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coordinates_are_those_of_the_text_in_double_precision),
        cmocka_unit_test(both_byte_orders_with_polygons_edges_and_strips_are_read),
        cmocka_unit_test(what_follows_the_elements_is_a_warning),
        cmocka_unit_test(malformed_files_are_refused_with_their_line),
        cmocka_unit_test(reading_survives_every_allocation_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
