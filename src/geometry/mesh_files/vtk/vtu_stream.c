// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "geometry/mesh_files/vtk/vtu_stream.h"

#include "base/values/base64.h"

#include <string.h>

iso_vtu_stream iso_vtu_stream_make(const void* bytes, size_t size, bool is_base64) {
    return (iso_vtu_stream){.bytes = bytes, .size = size, .is_base64 = is_base64};
}

size_t iso_vtu_stream_room(const iso_vtu_stream* stream) {
    size_t left = stream->size - stream->at;
    return stream->is_base64 ? left / 4 * 3 + (size_t)stream->held_count : left;
}

static bool is_space(unsigned char c) {
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

// The next four digits, which are one to three bytes.
static bool decode_group(iso_vtu_stream* stream) {
    uint32_t bits = 0;
    int digit_count = 0, padding_count = 0;
    while (digit_count + padding_count < 4) {
        if (stream->at == stream->size) {
            return false;
        }
        unsigned char c = stream->bytes[stream->at++];
        if (is_space(c)) {
            continue;
        }
        int value = iso_base64_value((char)c);
        if (c == '=') {
            ++padding_count;
        } else if (value < 0 || padding_count > 0) {
            return false;
        } else {
            ++digit_count;
        }
        bits = bits << 6 | (uint32_t)(value < 0 ? 0 : value);
    }
    if (digit_count < 2) {
        return false;
    }
    for (int i = 0; i < 3; ++i) {
        stream->held[i] = (unsigned char)(bits >> (16 - 8 * i));
    }
    stream->held_count = digit_count - 1;
    return true;
}

bool iso_vtu_stream_read(iso_vtu_stream* stream, void* out_bytes, size_t size) {
    unsigned char* out = out_bytes;
    if (size > iso_vtu_stream_room(stream)) {
        return false;
    }
    if (!stream->is_base64) {
        memcpy(out, stream->bytes + stream->at, size);
        stream->at += size;
        return true;
    }
    while (size > 0) {
        if (stream->held_count == 0 && !decode_group(stream)) {
            return false;
        }
        size_t taken = (size_t)stream->held_count < size ? (size_t)stream->held_count : size;
        memcpy(out, stream->held, taken);
        memmove(stream->held, stream->held + taken, sizeof stream->held - taken);
        stream->held_count -= (int)taken;
        out += taken;
        size -= taken;
    }
    return true;
}
