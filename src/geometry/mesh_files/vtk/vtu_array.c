// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "geometry/mesh_files/vtk/vtu_array.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "base/core/text.h"
#include "geometry/mesh_files/vtk/vtu_stream.h"
#include "geometry/mesh_text/lexer.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

// zlib packs at most about 1032 bytes into one.
#define LARGEST_RATIO 1040

iso_status iso_vtu_fail(const iso_vtu_file* file, const xmlNode* element, iso_status status,
                        const char* format, ...) {
    char message[512];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return iso_fail(file->ctx, status, __func__, "%s:%ld: %s", file->name, xmlGetLineNo(element),
                    message);
}

const char* iso_vtu_attribute(const xmlNode* element, const char* name) {
    for (const xmlAttr* a = element->properties; a; a = a->next) {
        if (strcmp((const char*)a->name, name) == 0) {
            return a->children && a->children->content ? (const char*)a->children->content : "";
        }
    }
    return NULL;
}

iso_status iso_vtu_integer_attribute(const iso_vtu_file* file, const xmlNode* element,
                                     const char* name, int64_t low, int64_t high,
                                     int64_t* out_value) {
    const char* text = iso_vtu_attribute(element, name);
    if (!text) {
        return iso_vtu_fail(file, element, ISO_ERR_PARSE, "<%s> has no attribute %s",
                            (const char*)element->name, name);
    }
    if (!iso_word_to_integer((iso_word){text, strlen(text)}, out_value)) {
        return iso_vtu_fail(file, element, ISO_ERR_PARSE, "%s is '%.40s', expected an integer",
                            name, text);
    }
    if (*out_value < low || *out_value > high) {
        return iso_vtu_fail(file, element, ISO_ERR_RANGE, "%s is %lld, expected %lld to %lld", name,
                            (long long)*out_value, (long long)low, (long long)high);
    }
    return ISO_OK;
}

typedef struct value_type {
    const char* name;
    size_t size;
    bool is_real, is_signed;
} value_type;

static const value_type k_types[] = {
    {"Int8", 1, false, true},    {"UInt8", 1, false, false},  {"Int16", 2, false, true},
    {"UInt16", 2, false, false}, {"Int32", 4, false, true},   {"UInt32", 4, false, false},
    {"Int64", 8, false, true},   {"UInt64", 8, false, false}, {"Float32", 4, true, true},
    {"Float64", 8, true, true},
};

static iso_status read_type(const iso_vtu_file* file, const xmlNode* element,
                            const value_type** out_type) {
    const char* name = iso_vtu_attribute(element, "type");
    for (size_t i = 0; name && i < sizeof k_types / sizeof k_types[0]; ++i) {
        if (strcmp(k_types[i].name, name) == 0) {
            *out_type = &k_types[i];
            return ISO_OK;
        }
    }
    return iso_vtu_fail(file, element, ISO_ERR_UNSUPPORTED,
                        "type is '%.40s', expected Float32, Float64, Int8 to Int64 or UInt8 to "
                        "UInt64",
                        name ? name : "");
}

// An unsigned number of the file's byte order.
static uint64_t read_bits(const iso_vtu_file* file, const unsigned char* bytes, size_t size) {
    uint64_t bits = 0;
    for (size_t i = 0; i < size; ++i) {
        bits = bits << 8 | bytes[file->is_big_endian ? i : size - 1 - i];
    }
    return bits;
}

// The text directly inside an element: children such as InformationKey have text of their own.
static iso_status own_text(const iso_vtu_file* file, const xmlNode* element, iso_text* out_text) {
    iso_status status = iso_text_append(file->ctx, out_text, "", 0);
    for (const xmlNode* child = element->children; child && status == ISO_OK; child = child->next) {
        if ((child->type == XML_TEXT_NODE || child->type == XML_CDATA_SECTION_NODE) &&
            child->content) {
            const char* text = (const char*)child->content;
            status = iso_text_append(file->ctx, out_text, text, strlen(text));
        }
    }
    return status;
}

static iso_status fail_end(const iso_vtu_file* file, const xmlNode* element) {
    return iso_vtu_fail(file, element, ISO_ERR_PARSE, "the data of the array ends early");
}

static iso_status fail_size(const iso_vtu_file* file, const xmlNode* element, uint64_t found,
                            size_t expected) {
    return iso_vtu_fail(file, element, ISO_ERR_RANGE,
                        "the array announces %llu bytes of data, expected %zu",
                        (unsigned long long)found, expected);
}

static bool read_header(const iso_vtu_file* file, iso_vtu_stream* stream, uint64_t* out_value) {
    unsigned char bytes[8];
    if (!iso_vtu_stream_read(stream, bytes, file->header_size)) {
        return false;
    }
    *out_value = read_bits(file, bytes, file->header_size);
    return true;
}

// One block: packed bytes in, the bytes they stand for out.
static iso_status unpack_block(const iso_vtu_file* file, const xmlNode* element,
                               iso_vtu_stream* stream, uint64_t packed_size, unsigned char* out,
                               size_t size) {
    if (packed_size > iso_vtu_stream_room(stream)) {
        return fail_end(file, element);
    }
    iso_status status = ISO_OK;
    unsigned char* packed = iso_alloc(file->ctx, (size_t)packed_size);
    ISO_CHECK(file->ctx, packed, ISO_ERR_MEMORY, "packed block of %zu bytes", (size_t)packed_size);
    if (!iso_vtu_stream_read(stream, packed, (size_t)packed_size)) {
        status = fail_end(file, element);
        goto done;
    }
    uLongf unpacked_size = (uLongf)size;
    int result = uncompress(out, &unpacked_size, packed, (uLong)packed_size);
    if (result != Z_OK || unpacked_size != size) {
        status = iso_vtu_fail(file, element, ISO_ERR_PARSE,
                              "a block of compressed data cannot be unpacked into %zu bytes", size);
    }

done:
    iso_free(file->ctx, packed);
    return status;
}

// The header of compressed data: number of blocks, bytes of a block and of the last one when that
// is shorter (else 0), packed bytes of each block.
typedef struct packing {
    uint64_t block_count, block_size, last_size;
    uint64_t* packed_sizes;
} packing;

static iso_status read_packing(const iso_vtu_file* file, const xmlNode* element,
                               iso_vtu_stream* stream, size_t expected, packing* out_packing) {
    packing* p = out_packing;
    if (!read_header(file, stream, &p->block_count) || !read_header(file, stream, &p->block_size) ||
        !read_header(file, stream, &p->last_size) ||
        p->block_count > iso_vtu_stream_room(stream) / file->header_size ||
        p->block_count > INT_MAX) {
        return fail_end(file, element);
    }
    uint64_t whole_count = p->block_count - (p->block_count > 0 && p->last_size > 0);
    uint64_t last = p->block_count > 0 ? p->last_size : 0;
    bool fits = p->block_size <= expected && last <= expected &&
                (p->block_size == 0 || whole_count <= expected / p->block_size);
    // A block may be announced longer than an array that fits into part of one.
    if (whole_count == 0) {
        fits = last <= expected;
    }
    uint64_t total = fits ? whole_count * (whole_count ? p->block_size : 0) + last : UINT64_MAX;
    if (total != expected) {
        return fail_size(file, element, total, expected);
    }
    p->packed_sizes = iso_alloc_array(file->ctx, (int)p->block_count, sizeof *p->packed_sizes);
    ISO_REQUIRE(file->ctx, p->packed_sizes, ISO_ERR_MEMORY, "%llu blocks",
                (unsigned long long)p->block_count);
    for (uint64_t i = 0; i < p->block_count; ++i) {
        if (!read_header(file, stream, &p->packed_sizes[i])) {
            return fail_end(file, element);
        }
    }
    return ISO_OK;
}

static iso_status unpack(const iso_vtu_file* file, const xmlNode* element, iso_vtu_stream* stream,
                         unsigned char* out, size_t size) {
    packing p = {0};
    size_t at = 0;
    iso_status status = read_packing(file, element, stream, size, &p);
    for (uint64_t i = 0; i < p.block_count && status == ISO_OK; ++i) {
        bool is_short = i + 1 == p.block_count && p.last_size > 0;
        size_t block_size = (size_t)(is_short ? p.last_size : p.block_size);
        status = unpack_block(file, element, stream, p.packed_sizes[i], out + at, block_size);
        at += block_size;
    }
    iso_free(file->ctx, p.packed_sizes);
    return status;
}

// size bytes of a binary array, of the file's byte order.
static iso_status read_stream(const iso_vtu_file* file, const xmlNode* element,
                              iso_vtu_stream* stream, size_t size, unsigned char** out_bytes) {
    size_t room = iso_vtu_stream_room(stream);
    size_t most = !file->is_compressed
                      ? room
                      : (room > SIZE_MAX / LARGEST_RATIO ? SIZE_MAX : room * LARGEST_RATIO);
    if (size > most) {
        return iso_vtu_fail(file, element, ISO_ERR_RANGE,
                            "the array has %zu bytes of data, but the rest of the file has room "
                            "for %zu",
                            size, most);
    }
    iso_status status = ISO_OK;
    uint64_t announced = 0;
    unsigned char* bytes = iso_alloc(file->ctx, size);
    ISO_CHECK(file->ctx, bytes, ISO_ERR_MEMORY, "array of %zu bytes", size);
    if (file->is_compressed) {
        ISO_TRY(unpack(file, element, stream, bytes, size));
    } else if (!read_header(file, stream, &announced)) {
        ISO_TRY(fail_end(file, element));
    } else if (announced != size) {
        ISO_TRY(fail_size(file, element, announced, size));
    } else if (!iso_vtu_stream_read(stream, bytes, size)) {
        ISO_TRY(fail_end(file, element));
    }
    *out_bytes = bytes;

done:
    if (status != ISO_OK) {
        iso_free(file->ctx, bytes);
    }
    return status;
}

// The bytes of a binary or appended array.
static iso_status read_binary(const iso_vtu_file* file, const xmlNode* element, bool is_appended,
                              size_t size, unsigned char** out_bytes) {
    iso_vtu_stream stream;
    iso_text text = {0};
    iso_status status = ISO_OK;
    if (is_appended) {
        int64_t offset = 0;
        if (!file->appended) {
            return iso_vtu_fail(file, element, ISO_ERR_PARSE, "the file has no AppendedData");
        }
        ISO_TRY(iso_vtu_integer_attribute(file, element, "offset", 0, (int64_t)file->appended_size,
                                          &offset));
        stream = iso_vtu_stream_make(file->appended + offset, file->appended_size - (size_t)offset,
                                     file->is_base64);
    } else {
        ISO_TRY(own_text(file, element, &text));
        stream = iso_vtu_stream_make(text.data, text.length, true);
    }
    status = read_stream(file, element, &stream, size, out_bytes);

done:
    iso_text_free(file->ctx, &text);
    return status;
}

// What the values of an array go to: doubles, or integers within limits. Memory is taken once it is
// known that the file has as many values.
typedef struct target {
    bool wants_doubles;
    int64_t low, high; // of integers
    double* doubles;
    int64_t* integers;
} target;

static iso_status allocate_target(const iso_vtu_file* file, int64_t count, target* t) {
    if (t->wants_doubles) {
        t->doubles = iso_alloc_array(file->ctx, (int)count, sizeof *t->doubles);
    } else {
        t->integers = iso_alloc_array(file->ctx, (int)count, sizeof *t->integers);
    }
    ISO_REQUIRE(file->ctx, t->doubles || t->integers, ISO_ERR_MEMORY, "%lld values",
                (long long)count);
    return ISO_OK;
}

static iso_status put_integer(const iso_vtu_file* file, const xmlNode* element, int64_t value,
                              target* t, int64_t i) {
    if (value < t->low || value > t->high) {
        return iso_vtu_fail(file, element, ISO_ERR_RANGE,
                            "value %lld of the array is %lld, expected %lld to %lld", (long long)i,
                            (long long)value, (long long)t->low, (long long)t->high);
    }
    t->integers[i] = value;
    return ISO_OK;
}

static iso_status read_text_values(const iso_vtu_file* file, const xmlNode* element, int64_t count,
                                   target* t) {
    iso_text text = {0};
    iso_status status = ISO_OK;
    ISO_TRY(own_text(file, element, &text));
    // Text needs a digit and a separator for each value.
    if ((uint64_t)count > text.length / 2 + 1) {
        ISO_TRY(iso_vtu_fail(file, element, ISO_ERR_RANGE,
                             "%lld values are expected, but the array (%zu bytes) has room for at "
                             "most %zu",
                             (long long)count, text.length, text.length / 2 + 1));
    }
    ISO_TRY(allocate_target(file, count, t));
    iso_lexer lexer = iso_lexer_make(file->ctx, file->name, text.data, text.length);
    long line = xmlGetLineNo(element);
    lexer.line = line > 0 && line < INT_MAX / 2 ? (int)line : 1;
    for (int64_t i = 0; i < count; ++i) {
        iso_word word = iso_lexer_next_word(&lexer);
        int64_t integer = 0;
        if (t->wants_doubles) {
            if (!iso_word_to_double(word, &t->doubles[i])) {
                ISO_TRY(iso_lexer_fail_word(&lexer, word, "a value", "a finite number"));
            }
        } else if (!iso_word_to_integer(word, &integer)) {
            ISO_TRY(iso_lexer_fail_word(&lexer, word, "a value", "an integer"));
        } else {
            ISO_TRY(put_integer(file, element, integer, t, i));
        }
    }
    if (iso_lexer_next_word(&lexer).length > 0) {
        status = iso_lexer_fail(&lexer, ISO_ERR_RANGE, "the array has more than %lld values",
                                (long long)count);
    }

done:
    iso_text_free(file->ctx, &text);
    return status;
}

static int64_t extend_sign(const value_type* type, uint64_t bits) {
    if (type->is_signed && type->size < 8) {
        uint64_t sign = (uint64_t)1 << (8 * type->size - 1);
        return (int64_t)((bits ^ sign) - sign);
    }
    // Unsigned values above INT64_MAX are out of every range asked for.
    return !type->is_signed && bits > INT64_MAX ? INT64_MAX : (int64_t)bits;
}

static double bits_to_real(const value_type* type, uint64_t bits) {
    if (type->size == 4) {
        uint32_t narrow = (uint32_t)bits;
        float value;
        memcpy(&value, &narrow, sizeof value);
        return (double)value;
    }
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static iso_status convert(const iso_vtu_file* file, const xmlNode* element, const value_type* type,
                          const unsigned char* bytes, int64_t count, target* t) {
    for (int64_t i = 0; i < count; ++i) {
        uint64_t bits = read_bits(file, bytes + (size_t)i * type->size, type->size);
        if (!t->wants_doubles) {
            iso_status status = put_integer(file, element, extend_sign(type, bits), t, i);
            if (status != ISO_OK) {
                return status;
            }
            continue;
        }
        double value = type->is_real ? bits_to_real(type, bits) : (double)extend_sign(type, bits);
        if (!isfinite(value)) {
            return iso_vtu_fail(file, element, ISO_ERR_PARSE,
                                "value %lld of the array is %g, expected a finite number",
                                (long long)i, value);
        }
        t->doubles[i] = value;
    }
    return ISO_OK;
}

static iso_status read_values(const iso_vtu_file* file, const xmlNode* element, int64_t count,
                              const value_type* type, target* t) {
    const char* format = iso_vtu_attribute(element, "format");
    bool is_appended = format && strcmp(format, "appended") == 0;
    if (format && strcmp(format, "ascii") == 0) {
        return read_text_values(file, element, count, t);
    }
    if (!is_appended && !(format && strcmp(format, "binary") == 0)) {
        return iso_vtu_fail(file, element, ISO_ERR_PARSE,
                            "format is '%.40s', expected ascii, binary or appended",
                            format ? format : "");
    }
    unsigned char* bytes = NULL;
    iso_status status = read_binary(file, element, is_appended, (size_t)count * type->size, &bytes);
    if (status == ISO_OK) {
        status = allocate_target(file, count, t);
    }
    if (status == ISO_OK) {
        status = convert(file, element, type, bytes, count, t);
    }
    iso_free(file->ctx, bytes);
    return status;
}

// On failure nothing of the target is left.
static iso_status read_array(const iso_vtu_file* file, const xmlNode* element, int64_t count,
                             target* t) {
    const value_type* type = NULL;
    iso_status status = ISO_OK;
    if (count < 0 || count > INT_MAX) {
        ISO_TRY(iso_vtu_fail(file, element, ISO_ERR_RANGE, "%lld values, expected 0 to %d",
                             (long long)count, INT_MAX));
    }
    ISO_TRY(read_type(file, element, &type));
    if (type->is_real && !t->wants_doubles) {
        ISO_TRY(iso_vtu_fail(file, element, ISO_ERR_UNSUPPORTED,
                             "type is '%s', expected one of integers", type->name));
    }
    status = read_values(file, element, count, type, t);

done:
    if (status != ISO_OK) {
        iso_free(file->ctx, t->doubles);
        iso_free(file->ctx, t->integers);
        *t = (target){0};
    }
    return status;
}

iso_status iso_vtu_read_doubles(const iso_vtu_file* file, const xmlNode* element, int64_t count,
                                double** out_values) {
    target t = {.wants_doubles = true};
    iso_status status = read_array(file, element, count, &t);
    *out_values = t.doubles;
    return status;
}

iso_status iso_vtu_read_integers(const iso_vtu_file* file, const xmlNode* element, int64_t count,
                                 int64_t low, int64_t high, int64_t** out_values) {
    target t = {.low = low, .high = high};
    iso_status status = read_array(file, element, count, &t);
    *out_values = t.integers;
    return status;
}
