// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/core/arena.h"

/// Room for why an image cannot be read.
#define ISO_PNG_FAULT_SIZE 128

/// A PNG image as a grid of grey values.
typedef struct iso_png_image {
    int rows, columns;
    unsigned char* values; ///< [rows * columns] 0 to 255, the uppermost row first; of the arena
    double pitch;          ///< between points as the image states it (pHYs) [m]; 0: not at all
    bool has_colours;      ///< red, green and blue differ somewhere
    uint16_t* fine;        ///< [rows * columns] 0 to 65535 of an image of 16 bits; NULL of others
} iso_png_image;

/// Are these the bytes of a PNG image?
bool iso_png_is(const char* bytes, size_t size);
/// Grey values as they are in the file, without gamma: of a colour its red, of 16 bits the upper 8,
/// of fewer than 8 a multiple. Transparency does not count. Says nothing to the context.
/// @param most            values that it may have
/// @param[out] out        of ISO_ERR_RANGE rows and columns only
/// @param[out] out_fault  where it cannot be read: why
/// @return ISO_ERR_MEMORY, ISO_ERR_PARSE, ISO_ERR_RANGE (larger than most)
iso_status iso_png_decode(iso_context* ctx, iso_arena* arena, const char* bytes, size_t size,
                          int most, iso_png_image* out, char out_fault[ISO_PNG_FAULT_SIZE]);
