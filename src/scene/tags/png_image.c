// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/tags/png_image.h"

iso_status iso_png_read(iso_scene_build* build, iso_source at, const char* path, const char* bytes,
                        size_t size, int most, iso_png_image* out) {
    char fault[ISO_PNG_FAULT_SIZE] = "";
    iso_png_image image;
    iso_status status = iso_png_decode(build->ctx, &build->arena, bytes, size, most, &image, fault);
    ISO_REQUIRE(build->ctx, status != ISO_ERR_MEMORY, ISO_ERR_MEMORY, "image '%s'", path);
    ISO_SCENE_REQUIRE(build, at, status != ISO_ERR_PARSE, ISO_ERR_PARSE,
                      "image '%s' cannot be read: %s", path, fault);
    ISO_SCENE_REQUIRE(build, at, status == ISO_OK, ISO_ERR_RANGE,
                      "image '%s' is %d by %d, expected at most %d points", path, image.rows,
                      image.columns, most);
    *out = image;
    return ISO_OK;
}
