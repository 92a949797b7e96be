// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Writes messages of Protocol Buffers (https://protobuf.dev/programming-guides/encoding). A field
// is named by its number.

#include "record/json/bytes.h"

/// What follows the number of a field.
typedef enum iso_proto_wire {
    ISO_PROTO_VARINT = 0,
    ISO_PROTO_FIXED64 = 1,
    ISO_PROTO_SIZED = 2,
    ISO_PROTO_FIXED32 = 5,
} iso_proto_wire;

void iso_proto_put_int(iso_bytes* out, int field, int64_t value);
void iso_proto_put_double(iso_bytes* out, int field, double value);
void iso_proto_put_text(iso_bytes* out, int field, const char* text);
/// Packed.
void iso_proto_put_doubles(iso_bytes* out, int field, const double* values, int count);
/// A message of at most 14 doubles, its fields 1 to count: a vector, a colour.
void iso_proto_put_tuple(iso_bytes* out, int field, const double* values, int count);

/// A field of the bytes that come until iso_proto_end(): a message, or packed numbers.
/// @return what iso_proto_end() is given
size_t iso_proto_begin(iso_bytes* out, int field);
void iso_proto_end(iso_bytes* out, size_t start);
/// One number of packed ones.
void iso_proto_put_varint(iso_bytes* out, uint64_t value);
