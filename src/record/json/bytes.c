// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "record/json/bytes.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "base/values/base64.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

iso_bytes iso_bytes_make(iso_context* ctx) {
    return (iso_bytes){.ctx = ctx};
}

void iso_bytes_free(iso_bytes* bytes) {
    iso_free(bytes->ctx, bytes->data);
    *bytes = (iso_bytes){.ctx = bytes->ctx};
}

void iso_bytes_clear(iso_bytes* bytes) {
    bytes->size = 0;
    bytes->has_failed = false;
}

iso_status iso_bytes_status(const iso_bytes* bytes) {
    ISO_REQUIRE(bytes->ctx, !bytes->has_failed, ISO_ERR_MEMORY, "record buffer beyond %zu bytes",
                bytes->capacity);
    return ISO_OK;
}

char* iso_bytes_reserve(iso_bytes* bytes, size_t size) {
    if (bytes->has_failed) {
        return NULL;
    }
    if (size <= bytes->capacity - bytes->size) {
        return bytes->size > 0 ? bytes->data + bytes->size : bytes->data; // nothing may be NULL
    }
    size_t needed = bytes->size + size;
    size_t capacity = bytes->capacity < 256 ? 256 : bytes->capacity + bytes->capacity / 2;
    capacity = capacity < needed ? needed : capacity;
    char* moved = needed >= size ? iso_realloc(bytes->ctx, bytes->data, capacity) : NULL;
    if (!moved) {
        bytes->has_failed = true;
        return NULL;
    }
    bytes->data = moved;
    bytes->capacity = capacity;
    return bytes->data + bytes->size;
}

void iso_bytes_put(iso_bytes* bytes, const void* data, size_t size) {
    char* room = iso_bytes_reserve(bytes, size);
    if (room && size > 0) {
        memcpy(room, data, size);
        bytes->size += size;
    }
}

static void store(char* room, uint64_t value, int count) {
    for (int i = 0; i < count; ++i) {
        room[i] = (char)(unsigned char)(value >> (8 * i) & 0xff);
    }
}

static void put_number(iso_bytes* bytes, uint64_t value, int count) {
    char* room = iso_bytes_reserve(bytes, (size_t)count);
    if (room) {
        store(room, value, count);
        bytes->size += (size_t)count;
    }
}

void iso_bytes_put_u8(iso_bytes* bytes, unsigned value) {
    put_number(bytes, value, 1);
}

void iso_bytes_put_u16(iso_bytes* bytes, unsigned value) {
    put_number(bytes, value, 2);
}

void iso_bytes_put_u32(iso_bytes* bytes, uint32_t value) {
    put_number(bytes, value, 4);
}

void iso_bytes_put_u64(iso_bytes* bytes, uint64_t value) {
    put_number(bytes, value, 8);
}

void iso_bytes_put_text(iso_bytes* bytes, const char* text) {
    size_t length = strlen(text);
    iso_bytes_put_u32(bytes, (uint32_t)length);
    iso_bytes_put(bytes, text, length);
}

void iso_bytes_put_line(iso_bytes* bytes, const char* format, ...) {
    char line[512];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    size_t most = sizeof line - 1;
    iso_bytes_put(bytes, line, length < 0 ? 0 : ((size_t)length < most ? (size_t)length : most));
    iso_bytes_put(bytes, "\n", 1);
}

void iso_bytes_set_u32(iso_bytes* bytes, size_t offset, uint32_t value) {
    if (!bytes->has_failed) {
        store(bytes->data + offset, value, 4);
    }
}

void iso_bytes_set_u64(iso_bytes* bytes, size_t offset, uint64_t value) {
    if (!bytes->has_failed) {
        store(bytes->data + offset, value, 8);
    }
}

void iso_bytes_put_base64(iso_bytes* bytes, const void* data, size_t size) {
    char* out = iso_bytes_reserve(bytes, (size + 2) / 3 * 4);
    if (!out) {
        return;
    }
    for (size_t i = 0; i < size; i += 3) {
        iso_base64_put((const unsigned char*)data + i, size - i, out);
        out += 4;
    }
    bytes->size += (size + 2) / 3 * 4;
}

static uint64_t load(const void* at, int count) {
    const unsigned char* in = at;
    uint64_t value = 0;
    for (int i = 0; i < count; ++i) {
        value |= (uint64_t)in[i] << (8 * i);
    }
    return value;
}

uint32_t iso_load_u16(const void* at) {
    return (uint32_t)load(at, 2);
}

uint32_t iso_load_u32(const void* at) {
    return (uint32_t)load(at, 4);
}

uint64_t iso_load_u64(const void* at) {
    return load(at, 8);
}
