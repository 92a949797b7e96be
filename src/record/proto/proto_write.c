// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "record/proto/proto_write.h"

#include <string.h>

#define MOST_VARINT_BYTES 10
#define LENGTH_BYTES 5 ///< of a length that is not known yet: 2^35 bytes at most

static char* store_double(char* room, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    for (int i = 0; i < 8; ++i) {
        room[i] = (char)(unsigned char)(bits >> (8 * i) & 0xff);
    }
    return room + 8;
}

void iso_proto_put_varint(iso_bytes* out, uint64_t value) {
    char* room = iso_bytes_reserve(out, MOST_VARINT_BYTES);
    if (!room) {
        return;
    }
    size_t size = 0;
    for (; value >= 0x80; value >>= 7) {
        room[size++] = (char)(unsigned char)((value & 0x7f) | 0x80);
    }
    room[size++] = (char)(unsigned char)value;
    out->size += size;
}

static void put_key(iso_bytes* out, int field, iso_proto_wire wire) {
    iso_proto_put_varint(out, (uint64_t)field << 3 | (uint64_t)wire);
}

static void put_size(iso_bytes* out, int field, size_t size) {
    put_key(out, field, ISO_PROTO_SIZED);
    iso_proto_put_varint(out, size);
}

void iso_proto_put_int(iso_bytes* out, int field, int64_t value) {
    put_key(out, field, ISO_PROTO_VARINT);
    iso_proto_put_varint(out, (uint64_t)value);
}

void iso_proto_put_double(iso_bytes* out, int field, double value) {
    put_key(out, field, ISO_PROTO_FIXED64);
    char* room = iso_bytes_reserve(out, 8);
    if (room) {
        store_double(room, value);
        out->size += 8;
    }
}

void iso_proto_put_text(iso_bytes* out, int field, const char* text) {
    size_t length = strlen(text);
    put_size(out, field, length);
    iso_bytes_put(out, text, length);
}

void iso_proto_put_doubles(iso_bytes* out, int field, const double* values, int count) {
    size_t size = 8 * (size_t)count;
    put_size(out, field, size);
    char* room = iso_bytes_reserve(out, size);
    if (room) {
        for (int i = 0; i < count; ++i) {
            room = store_double(room, values[i]);
        }
        out->size += size;
    }
}

void iso_proto_put_tuple(iso_bytes* out, int field, const double* values, int count) {
    size_t size = 9 * (size_t)count;
    put_size(out, field, size);
    char* room = iso_bytes_reserve(out, size);
    if (room) {
        for (int i = 0; i < count; ++i) {
            *room = (char)((i + 1) << 3 | ISO_PROTO_FIXED64);
            room = store_double(room + 1, values[i]);
        }
        out->size += size;
    }
}

size_t iso_proto_begin(iso_bytes* out, int field) {
    put_key(out, field, ISO_PROTO_SIZED);
    char* room = iso_bytes_reserve(out, LENGTH_BYTES);
    if (room) {
        out->size += LENGTH_BYTES;
    }
    return out->size;
}

// The length takes all bytes kept for it: readers take numbers with leading zeros.
void iso_proto_end(iso_bytes* out, size_t start) {
    if (out->has_failed) {
        return;
    }
    uint64_t length = out->size - start;
    char* room = out->data + start - LENGTH_BYTES;
    for (int i = 0; i < LENGTH_BYTES; ++i) {
        unsigned more = i + 1 < LENGTH_BYTES ? 0x80 : 0;
        room[i] = (char)(unsigned char)((length >> (7 * i) & 0x7f) | more);
    }
}
