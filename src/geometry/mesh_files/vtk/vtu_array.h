// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/base.h"

#include <libxml/tree.h>

// The arrays of a .vtu file (VTK's XML format), for vtu.c.

/// What holds for a whole file.
typedef struct iso_vtu_file {
    iso_context* ctx;
    const char* name; ///< for messages
    bool is_big_endian;
    bool is_compressed;   ///< by zlib, block by block
    size_t header_size;   ///< bytes of one number of the header in front of binary data, 4 or 8
    bool is_base64;       ///< appended data
    const char* appended; ///< behind the underscore; NULL when there is none
    size_t appended_size;
} iso_vtu_file;

/// Report a fault at an element: "name:line: message".
iso_status iso_vtu_fail(const iso_vtu_file* file, const xmlNode* element, iso_status status,
                        const char* format, ...) ISO_PRINTF(4, 5);

/// Value of an attribute without prefix, owned by the document; NULL when there is none.
const char* iso_vtu_attribute(const xmlNode* element, const char* name);

/// An attribute that is a whole number in [low, high].
iso_status iso_vtu_integer_attribute(const iso_vtu_file* file, const xmlNode* element,
                                     const char* name, int64_t low, int64_t high,
                                     int64_t* out_value);

/// The count values of a DataArray as finite doubles, or as integers in [low, high]; release with
/// iso_free().
/// @return ISO_ERR_PARSE, ISO_ERR_RANGE (count, values), ISO_ERR_UNSUPPORTED (type), ISO_ERR_MEMORY
iso_status iso_vtu_read_doubles(const iso_vtu_file* file, const xmlNode* element, int64_t count,
                                double** out_values);
iso_status iso_vtu_read_integers(const iso_vtu_file* file, const xmlNode* element, int64_t count,
                                 int64_t low, int64_t high, int64_t** out_values);
