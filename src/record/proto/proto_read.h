// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "record/proto/proto_write.h"

/// Walks over the fields of a message of Protocol Buffers. Start with iso_proto_read().
typedef struct iso_proto_field {
    int number;
    iso_proto_wire wire;
    uint64_t value;            ///< varint, fixed64, fixed32
    const unsigned char* data; ///< sized: [size] bytes, of the message
    size_t size;
    bool is_bad; ///< the message is damaged here: no field follows
    const unsigned char *at, *end;
} iso_proto_field;

iso_proto_field iso_proto_read(const void* message, size_t size);
/// Go to the next field; false at the end, and where the message is damaged.
bool iso_proto_next(iso_proto_field* field);
/// Take a varint off packed numbers; false at the end, and where it is damaged.
bool iso_proto_take_varint(const unsigned char** at, const unsigned char* end, uint64_t* out_value);
/// A fixed64 as what it is in most cases.
double iso_proto_double(uint64_t bits);
