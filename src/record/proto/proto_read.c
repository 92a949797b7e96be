// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "record/proto/proto_read.h"

#include <limits.h>
#include <string.h>

iso_proto_field iso_proto_read(const void* message, size_t size) {
    const unsigned char* at = message;
    return (iso_proto_field){.at = at, .end = size > 0 ? at + size : at};
}

bool iso_proto_take_varint(const unsigned char** at, const unsigned char* end,
                           uint64_t* out_value) {
    uint64_t value = 0;
    for (int shift = 0; *at < end && shift < 64; shift += 7) {
        unsigned byte = *(*at)++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *out_value = value;
            return true;
        }
    }
    return false;
}

double iso_proto_double(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static bool take_value(iso_proto_field* field) {
    size_t left = (size_t)(field->end - field->at);
    size_t size = field->wire == ISO_PROTO_FIXED64 ? 8 : 4;
    switch (field->wire) {
    case ISO_PROTO_VARINT:
        return iso_proto_take_varint(&field->at, field->end, &field->value);
    case ISO_PROTO_SIZED:
        if (!iso_proto_take_varint(&field->at, field->end, &field->value) ||
            field->value > (uint64_t)(field->end - field->at)) {
            return false;
        }
        field->data = field->at;
        field->size = (size_t)field->value;
        field->at += field->size;
        return true;
    case ISO_PROTO_FIXED64:
    case ISO_PROTO_FIXED32:
        if (left < size) {
            return false;
        }
        field->value = size == 8 ? iso_load_u64(field->at) : iso_load_u32(field->at);
        field->at += size;
        return true;
    }
    return false;
}

bool iso_proto_next(iso_proto_field* field) {
    uint64_t key = 0;
    if (field->is_bad || field->at == field->end) {
        return false;
    }
    field->data = NULL;
    field->size = 0;
    field->is_bad = !iso_proto_take_varint(&field->at, field->end, &key) || key >> 3 == 0 ||
                    key >> 3 > INT_MAX >> 3;
    field->number = field->is_bad ? 0 : (int)(key >> 3);
    field->wire = (iso_proto_wire)(key & 7);
    field->is_bad = field->is_bad || !take_value(field);
    return !field->is_bad;
}
