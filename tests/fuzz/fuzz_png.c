// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0
//
// PNG images of height fields: whatever the bytes, the reader gives as many values as it says or
// an error with a message.

#include "scene/tags/png_image.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    enum { k_most = 10000 };
    iso_context_desc desc = iso_context_desc_default();
    iso_scene_build build;
    iso_context* ctx = NULL;
    iso_png_image image;
    iso_source at = {"input", 1};
    if (iso_context_create(&desc, &ctx) != ISO_OK) {
        return 0;
    }
    if (iso_scene_build_init(&build, ctx, NULL) == ISO_OK) {
        if (iso_png_read(&build, at, "input", (const char*)data, size, k_most, &image) == ISO_OK) {
            unsigned sum = 0; // so that every value is looked at
            for (int i = 0; i < image.rows * image.columns; ++i) {
                sum += image.values[i];
            }
            if (image.rows < 1 || image.columns < 1 || sum > 255u * k_most) {
                abort();
            }
        } else if (!iso_context_error(ctx)[0] || strchr(iso_context_error(ctx), '\n')) {
            abort();
        }
    }
    iso_scene_build_reset(&build);
    iso_context_destroy(ctx);
    return 0;
}
