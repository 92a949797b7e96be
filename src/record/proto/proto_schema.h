// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "record/json/bytes.h"

/// A message: its fields are numbered from 1 in this order.
typedef struct iso_proto_message {
    const char* name;
    const char* fields; ///< "type name, ...": double, bool, int32, int64, fixed32, string, bytes; a
                        ///< message of the same file, or with a dot of another; # before an enum
                        ///< of the message; * before a type that is repeated
    const char* values; ///< of the enum "Type", from 0, between commas; NULL: none
} iso_proto_message;

/// A file of messages.
typedef struct iso_proto_file {
    const char* name;
    const char* package;
    int message_count;
    const iso_proto_message* messages;
    const char* imports[3]; ///< files; what is left is NULL
} iso_proto_file;

/// Put a google.protobuf.FileDescriptorSet, the schema that MCAP files carry. Files come after
/// those that they import.
void iso_proto_put_schema(iso_bytes* out, const iso_proto_file* files, int file_count);
