// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "scene/build.h"

/// A PNG image as a grid of grey values.
typedef struct iso_png_image {
    int rows, columns;
    unsigned char* values; ///< [rows * columns] 0 to 255, the uppermost row first; of the arena
} iso_png_image;

/// Are these the bytes of a PNG image?
bool iso_png_is(const char* bytes, size_t size);
/// Grey values as they are in the file, without gamma: of a colour its red, of 16 bits the upper 8,
/// of fewer than 8 a multiple. Transparency does not count.
/// @param most  values that it may have
iso_status iso_png_read(iso_scene_build* build, iso_source at, const char* path, const char* bytes,
                        size_t size, int most, iso_png_image* out);
