// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Grey values of PNG images. test_mujoco_hfields.py compares all kinds of them with MuJoCo.

#include "base/core/text.h"
#include "scene/tags/png_image.h"
#include "support/check.h"
#include "support/failing_context.h"

#include <string.h>

#define IMAGE ISOBAR_SOURCE_DIR "/tests/fuzz/corpus/png/palette_4_interlaced"

// user: what was read of the file.
typedef struct bytes_of {
    char* bytes;
    size_t size;
} bytes_of;

static iso_status read_once(iso_context* ctx, void* user) {
    const bytes_of* file = user;
    iso_source at = {"m.xml", 3};
    iso_scene_build build;
    iso_png_image image;
    iso_status status = iso_scene_build_init(&build, ctx, NULL);
    if (status == ISO_OK) {
        status = iso_png_read(&build, at, "h.png", file->bytes, file->size, 35, &image);
        assert_true(status != ISO_OK || (image.rows == 5 && image.columns == 7));
    }
    iso_scene_build_reset(&build);
    return status;
}

static void reading_survives_every_allocation_failure(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    bytes_of file = {0};
    CHECK_OK(ctx, iso_file_read(ctx, IMAGE, 1 << 20, &file.bytes, &file.size));
    int count = check_every_allocation_failure(read_once, &file);
    CHECK(count >= 8, "%d allocations", count);
    iso_free(ctx, file.bytes);
    test_context_destroy(ctx);
}

// A chunk of two bytes after the image's head that says it has 1.9 GB.
static void a_chunk_longer_than_the_file_takes_no_memory(void** state) {
    (void)state;
    enum { k_head_end = 33 }; // of signature and IHDR
    static const char names[][5] = {"PLTE", "IDAT", "IEND", "tRNS", "gAMA", "cHRM", "sRGB", "iCCP",
                                    "tEXt", "zTXt", "iTXt", "bKGD", "pHYs", "sBIT", "sPLT", "hIST",
                                    "tIME", "oFFs", "pCAL", "sCAL", "eXIf", "sTER", "anCi", "CRIT"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        iso_context* ctx = test_context();
        iso_source at = {"m.xml", 3};
        iso_scene_build build;
        iso_png_image image;
        bytes_of file = {0};
        CHECK_OK(ctx, iso_file_read(ctx, IMAGE, 1 << 20, &file.bytes, &file.size));
        memcpy(file.bytes + k_head_end, "\x73\x00\x00\x30", 4);
        memcpy(file.bytes + k_head_end + 4, names[i], 4);
        CHECK_OK(ctx, iso_scene_build_init(&build, ctx, NULL));
        test_heap_of(ctx)->peak_bytes = 0;
        iso_status status =
            iso_png_read(&build, at, "h.png", file.bytes, k_head_end + 10, 35, &image);
        CHECK(status == ISO_ERR_PARSE, "%s: %s", names[i], iso_context_error(ctx));
        CHECK(test_heap_of(ctx)->peak_bytes < 1 << 18, "%s: %ld bytes", names[i],
              test_heap_of(ctx)->peak_bytes);
        iso_scene_build_reset(&build);
        iso_free(ctx, file.bytes);
        test_context_destroy(ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chunk_longer_than_the_file_takes_no_memory),
        cmocka_unit_test(reading_survives_every_allocation_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
