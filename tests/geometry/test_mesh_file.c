// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// What says which mesh files are read: every extension that it lists has a reader and a kind.

#include "geometry/mesh_files/surface_file.h"
#include "geometry/mesh_files/vtk/volume_file.h"
#include "isobar/mesh_file.h"
#include "support/check.h"
#include "support/failing_context.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const iso_vec3 k_ones = {1.0, 1.0, 1.0};

// Reading nothing as this format fails, but not because there is no such format.
static void check_reader(iso_context* ctx, iso_mesh_file_kind kind, const char* extension) {
    iso_status status;
    if (kind == ISO_MESH_FILE_SURFACE) {
        iso_tri_mesh mesh;
        status = iso_tri_mesh_load_memory(ctx, "", 0, extension, "m", k_ones, &mesh);
    } else {
        iso_volume_file file;
        status = iso_volume_file_load_memory(ctx, "", 0, extension, "m", k_ones, &file);
    }
    CHECK(status != ISO_OK && status != ISO_ERR_UNSUPPORTED, "%s: %s", extension,
          iso_context_error(ctx));
}

static int check_kind(iso_context* ctx, iso_mesh_file_kind kind) {
    char text[256], path[64];
    iso_mesh_file_extensions(kind, text, sizeof text);
    int count = 0;
    for (char* word = strtok(text, ", "); word; word = strtok(NULL, ", "), ++count) {
        assert_int_equal(word[0], '.');
        (void)snprintf(path, sizeof path, "a.b/part%s", word);
        assert_int_equal(iso_mesh_file_kind_of(path), kind);
        for (char* c = path; *c; ++c) {
            *c = (char)toupper((unsigned char)*c);
        }
        assert_int_equal(iso_mesh_file_kind_of(path), kind);
        strcat(path, "x");
        assert_int_equal(iso_mesh_file_kind_of(path), ISO_MESH_FILE_NONE);
        check_reader(ctx, kind, word + 1);
    }
    return count;
}

static void every_extension_has_a_reader_and_a_kind(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    CHECK(check_kind(ctx, ISO_MESH_FILE_SURFACE) >= 6, "surfaces");
    CHECK(check_kind(ctx, ISO_MESH_FILE_VOLUME) >= 3, "volumes");
    assert_int_equal(check_kind(ctx, ISO_MESH_FILE_NONE), 0);
    test_context_destroy(ctx);
}

static void what_is_no_mesh_has_no_kind(void** state) {
    (void)state;
    static const char* const paths[] = {"scene.yaml", "obj", "a.obj/b", "a.", "", NULL};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; ++i) {
        assert_int_equal(iso_mesh_file_kind_of(paths[i]), ISO_MESH_FILE_NONE);
    }
    char text[6] = "xxxxx";
    iso_mesh_file_extensions(ISO_MESH_FILE_SURFACE, text, 4); // what does not fit is cut
    assert_int_equal(strlen(text), 3);
    assert_int_equal(text[4], 'x');
    iso_mesh_file_extensions(ISO_MESH_FILE_SURFACE, text, 0);
    iso_mesh_file_extensions(ISO_MESH_FILE_SURFACE, NULL, 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_extension_has_a_reader_and_a_kind),
        cmocka_unit_test(what_is_no_mesh_has_no_kind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
