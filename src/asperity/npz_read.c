// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "asperity/lab.h"
#include "base/core/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

// A zip archive of .npy files, by its catalog at the end.
typedef struct npz {
    iso_context* ctx;
    const char* path;
    const unsigned char* bytes;
    size_t size;
} npz;

static size_t number_at(const npz* z, size_t at, int bytes) {
    size_t value = 0;
    for (int i = 0; i < bytes; ++i) {
        value |= (size_t)z->bytes[at + (size_t)i] << (8 * i);
    }
    return value;
}

// A member: where it lies, how it is packed. ISO_ERR_NOT_FOUND: there is none.
typedef struct member {
    size_t at, packed, size;
    int method;
} member;

static bool is_within(const npz* z, size_t at, size_t count) {
    return at <= z->size && count <= z->size - at;
}

// Takes an entry of the catalog, and goes to the next. False: it is damaged.
static bool take_entry(const npz* z, size_t* at, const char* name, member* out, bool* out_is_it) {
    if (!is_within(z, *at, 46) || number_at(z, *at, 4) != 0x02014b50) {
        return false;
    }
    size_t length = number_at(z, *at + 28, 2), wanted = strlen(name);
    size_t rest = length + number_at(z, *at + 30, 2) + number_at(z, *at + 32, 2);
    size_t local = number_at(z, *at + 42, 4);
    if (!is_within(z, *at + 46, rest) || !is_within(z, local, 30)) {
        return false;
    }
    *out = (member){local + 30 + number_at(z, local + 26, 2) + number_at(z, local + 28, 2),
                    number_at(z, *at + 20, 4), number_at(z, *at + 24, 4),
                    (int)number_at(z, *at + 10, 2)};
    *out_is_it = length == wanted + 4 && memcmp(z->bytes + *at + 46, name, wanted) == 0 &&
                 memcmp(z->bytes + *at + 46 + wanted, ".npy", 4) == 0;
    *at += 46 + rest;
    return is_within(z, out->at, out->packed) &&
           out->size <= (size_t)ISO_LAB_POINTS_MAX * 8 + 65536;
}

static iso_status find_member(const npz* z, const char* name, member* out) {
    size_t end = z->size >= 22 ? z->size - 22 : 0;
    while (end > 0 && end + 65558 > z->size && number_at(z, end, 4) != 0x06054b50) {
        --end;
    }
    bool is_good = is_within(z, end, 22) && number_at(z, end, 4) == 0x06054b50, is_it = false;
    size_t count = is_good ? number_at(z, end + 10, 2) : 0;
    size_t at = is_good ? number_at(z, end + 16, 4) : 0;
    for (size_t i = 0; is_good && !is_it && i < count; ++i) {
        is_good = take_entry(z, &at, name, out, &is_it);
    }
    ISO_REQUIRE(z->ctx, is_good, ISO_ERR_PARSE, "%s: the archive (.npz) is damaged", z->path);
    return is_it ? ISO_OK : ISO_ERR_NOT_FOUND;
}

static bool unpack(const npz* z, const member* m, unsigned char* out) {
    if (m->method == 0) {
        memcpy(out, z->bytes + m->at, m->size <= m->packed ? m->size : 0);
        return m->size == m->packed;
    }
    z_stream s = {.next_in = (Bytef*)(uintptr_t)(z->bytes + m->at),
                  .avail_in = (uInt)m->packed,
                  .next_out = out,
                  .avail_out = (uInt)m->size};
    if (m->method != 8 || inflateInit2(&s, -MAX_WBITS) != Z_OK) {
        return false;
    }
    bool is_good = inflate(&s, Z_FINISH) == Z_STREAM_END && s.avail_out == 0;
    (void)inflateEnd(&s);
    return is_good;
}

// Rows and columns of "(4, 5)"; a list is a row, a number is one of one.
static bool read_shape(const char* text, int shape[2]) {
    const char* c = strstr(text, "'shape': (");
    int count = 0;
    shape[0] = shape[1] = 1;
    for (c = c != NULL ? c + 10 : NULL; c != NULL && *c >= '0' && *c <= '9' && count < 3;) {
        char* end = NULL;
        long n = strtol(c, &end, 10);
        if (n < 1 || n > ISO_LAB_POINTS_MAX || count == 2) {
            return false;
        }
        shape[0] = count == 0 ? 1 : shape[1];
        shape[1] = (int)n;
        ++count;
        c = end + strspn(end, ", ");
    }
    return c != NULL && *c == ')' && (int64_t)shape[0] * shape[1] <= ISO_LAB_POINTS_MAX;
}

static iso_status read_numbers(const npz* z, const char* name, const unsigned char* data,
                               size_t size, iso_lab_numbers* out) {
    char head[1024] = "";
    int shape[2] = {0};
    bool is_npy = size >= 12 && memcmp(data, "\x93NUMPY", 6) == 0;
    size_t begin = is_npy && data[6] == 1 ? 10 : 12, length = 0;
    for (size_t i = 8; is_npy && i < begin; ++i) {
        length |= (size_t)data[i] << (8 * (i - 8));
    }
    is_npy = is_npy && length < sizeof head && begin + length <= size;
    memcpy(head, data + begin, is_npy ? length : 0);
    bool is_double = strstr(head, "'descr': '<f8'") != NULL;
    bool is_single = strstr(head, "'descr': '<f4'") != NULL;
    bool is_turned = strstr(head, "'fortran_order': True") != NULL;
    ISO_REQUIRE(z->ctx, is_npy && (is_double || is_single) && read_shape(head, shape),
                ISO_ERR_PARSE, "%s: %s is no list or matrix of floating-point numbers (<f8, <f4)",
                z->path, name);
    size_t count = (size_t)shape[0] * (size_t)shape[1], each = is_double ? 8 : 4;
    ISO_REQUIRE(z->ctx, size - begin - length == count * each, ISO_ERR_PARSE,
                "%s: %s has %zu bytes, expected %zu of %d x %d numbers", z->path, name,
                size - begin - length, count * each, shape[0], shape[1]);
    *out =
        (iso_lab_numbers){iso_alloc_array(z->ctx, (int)count, sizeof(double)), shape[0], shape[1]};
    ISO_REQUIRE(z->ctx, out->values, ISO_ERR_MEMORY, "%zu numbers", count);
    for (size_t i = 0; i < count; ++i) {
        size_t r = i / (size_t)shape[1], c = i % (size_t)shape[1];
        const unsigned char* from =
            data + begin + length + each * (is_turned ? c * (size_t)shape[0] + r : i);
        float single = 0.0F;
        memcpy(is_double ? (void*)&out->values[i] : (void*)&single, from, each);
        out->values[i] = is_double ? out->values[i] : (double)single;
        ISO_REQUIRE(z->ctx, isfinite(out->values[i]), ISO_ERR_RANGE,
                    "%s: number %zu of %s is %g, expected finite", z->path, i + 1, name,
                    out->values[i]);
    }
    return ISO_OK;
}

bool iso_lab_npz_is(const char* bytes, size_t size) {
    return size >= 22 && memcmp(bytes, "PK\x03\x04", 4) == 0;
}

iso_status iso_lab_npz_read(iso_context* ctx, const char* path, const char* bytes, size_t size,
                            const char* name, iso_lab_numbers* out) {
    npz z = {ctx, path, (const unsigned char*)bytes, size};
    member m = {0};
    *out = (iso_lab_numbers){NULL, 0, 0};
    iso_status status = find_member(&z, name, &m);
    if (status != ISO_OK) {
        return status;
    }
    unsigned char* data = iso_alloc(ctx, m.size + 1);
    ISO_REQUIRE(ctx, data, ISO_ERR_MEMORY, "%zu bytes", m.size);
    if (unpack(&z, &m, data)) {
        status = read_numbers(&z, name, data, m.size, out);
    } else {
        status = iso_fail(ctx, ISO_ERR_PARSE, __func__, "%s: %s cannot be unpacked", path, name);
    }
    iso_free(ctx, data);
    return status;
}
