// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/log.h"
#include "geometry/mesh_files/surface_readers.h"
#include "geometry/mesh_text/lexer.h"

#include <string.h>

// A binary file: a header of 80 bytes, the number of triangles, then for each a normal, three
// corners (floats, little-endian) and two bytes.
#define HEADER_SIZE 84
#define TRIANGLE_SIZE 50

static uint32_t read_word(const unsigned char* bytes) {
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
}

static double read_float(const unsigned char* bytes) {
    uint32_t bits = read_word(bytes);
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static bool mirrors(iso_vec3 s) {
    return ((s.x < 0.0) != (s.y < 0.0)) != (s.z < 0.0);
}

static iso_status add_triangle(iso_context* ctx, const iso_surface_source* source,
                               iso_surface_builder* builder, const double xyz[9]) {
    iso_vec3 corners[3];
    for (int k = 0; k < 3; ++k) {
        int at = mirrors(source->scale) ? 2 - k : k;
        iso_vec3 p = iso_vec3_make(xyz[3 * at], xyz[3 * at + 1], xyz[3 * at + 2]);
        corners[k] = iso_vec3_mul(p, source->scale);
    }
    return iso_surface_builder_add(ctx, builder, corners);
}

static iso_status read_binary(iso_context* ctx, const iso_surface_source* source,
                              iso_surface_builder* builder) {
    const unsigned char* bytes = source->bytes;
    uint32_t count = read_word(bytes + 80);
    size_t most = (source->size - HEADER_SIZE) / TRIANGLE_SIZE;
    ISO_REQUIRE(ctx, count <= most, ISO_ERR_RANGE,
                "%s: %u triangles are announced, but the file (%zu bytes) has room for %zu",
                source->name, count, source->size, most);
    if (count < most) {
        iso_log(ctx, ISO_LOG_WARNING,
                "%s: %u triangles are announced, and what follows them (%zu bytes) is left out, "
                "though the file has room for %zu",
                source->name, count, source->size - HEADER_SIZE - (size_t)TRIANGLE_SIZE * count,
                most);
    }
    for (uint32_t i = 0; i < count; ++i) {
        const unsigned char* at = bytes + HEADER_SIZE + (size_t)i * TRIANGLE_SIZE + 12;
        double xyz[9];
        for (int k = 0; k < 9; ++k) {
            xyz[k] = read_float(at + 4 * k);
        }
        iso_status status = add_triangle(ctx, source, builder, xyz);
        if (status != ISO_OK) {
            return iso_fail_prefix(ctx, status, "%s: triangle %u", source->name, i);
        }
    }
    return ISO_OK;
}

static iso_status expect(iso_lexer* lexer, const char* keyword) {
    iso_word word = iso_lexer_next_word(lexer);
    return iso_word_is(word, keyword) ? ISO_OK
                                      : iso_lexer_fail_word(lexer, word, "the next word", keyword);
}

static iso_status read_numbers(iso_lexer* lexer, const char* what, double out_xyz[3]) {
    for (int k = 0; k < 3; ++k) {
        iso_word word = iso_lexer_next_word(lexer);
        if (!iso_word_to_double(word, &out_xyz[k])) {
            return iso_lexer_fail_word(lexer, word, what, "a finite number");
        }
    }
    return ISO_OK;
}

// "facet" is taken already. Normals are not used and may be anything, NaN included.
static iso_status read_facet(iso_lexer* lexer, double out_xyz[9]) {
    iso_status status = ISO_OK;
    iso_lexer_next_line(lexer);
    ISO_TRY(expect(lexer, "outer"));
    ISO_TRY(expect(lexer, "loop"));
    for (int k = 0; k < 3; ++k) {
        ISO_TRY(expect(lexer, "vertex"));
        ISO_TRY(read_numbers(lexer, "a coordinate", out_xyz + 3 * k));
    }
    ISO_TRY(expect(lexer, "endloop"));
    ISO_TRY(expect(lexer, "endfacet"));

done:
    return status;
}

static iso_status read_text(iso_context* ctx, const iso_surface_source* source,
                            iso_surface_builder* builder) {
    iso_lexer lexer = iso_lexer_make(ctx, source->name, source->bytes, source->size);
    iso_word word = iso_lexer_next_word(&lexer);
    if (!iso_word_is(word, "solid")) {
        return iso_lexer_fail(&lexer, ISO_ERR_PARSE,
                              "neither a text .stl (it would begin with 'solid') nor a binary one "
                              "(it would have %d bytes or more)",
                              HEADER_SIZE);
    }
    iso_lexer_next_line(&lexer); // the name of the solid
    iso_status status = ISO_OK;
    while (status == ISO_OK) {
        word = iso_lexer_next_word(&lexer);
        if (word.length == 0) {
            break;
        }
        if (iso_word_is(word, "endsolid") || iso_word_is(word, "solid")) {
            iso_lexer_next_line(&lexer);
        } else if (iso_word_is(word, "facet")) {
            double xyz[9] = {0.0};
            status = read_facet(&lexer, xyz);
            if (status == ISO_OK) {
                status = add_triangle(ctx, source, builder, xyz);
            }
        } else {
            status = iso_lexer_fail_word(&lexer, word, "the next word", "facet or endsolid");
        }
    }
    return status;
}

iso_status iso_stl_read(iso_context* ctx, iso_surface_source* source,
                        iso_surface_builder* builder) {
    const unsigned char* bytes = source->bytes;
    bool has_header = source->size >= HEADER_SIZE;
    // Some binary files begin with "solid" as well; their size gives them away.
    bool is_binary =
        has_header &&
        (uint64_t)source->size == HEADER_SIZE + (uint64_t)TRIANGLE_SIZE * read_word(bytes + 80);
    bool says_solid = source->size >= 5 && memcmp(bytes, "solid", 5) == 0;
    return is_binary || (has_header && !says_solid) ? read_binary(ctx, source, builder)
                                                    : read_text(ctx, source, builder);
}
