// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "record/proto/proto_schema.h"

#include "record/proto/proto_write.h"

#include <stdio.h>
#include <string.h>

#define NAME_SIZE 64

// Numbers of https://github.com/protocolbuffers/protobuf, google/protobuf/descriptor.proto.
enum { k_set_file = 1 };
enum { k_file_name = 1, k_file_package, k_file_dependency, k_file_message, k_file_syntax = 12 };
enum { k_message_name = 1, k_message_field, k_message_enum = 4 };
enum { k_field_name = 1, k_field_number = 3, k_field_label, k_field_type, k_field_type_name };
enum { k_enum_name = 1, k_enum_value };
enum { k_value_name = 1, k_value_number };
enum { k_label_optional = 1, k_label_repeated = 3 };
enum { k_type_message = 11, k_type_enum = 14 };

static const struct {
    const char* name;
    int type;
} k_types[] = {{"double", 1}, {"int64", 3},  {"int32", 5}, {"fixed32", 7},
               {"bool", 8},   {"string", 9}, {"bytes", 12}};

static int scalar_type(const char* name) {
    for (size_t i = 0; i < sizeof k_types / sizeof k_types[0]; ++i) {
        if (strcmp(k_types[i].name, name) == 0) {
            return k_types[i].type;
        }
    }
    return 0;
}

// `type` is as in iso_proto_message, without the star.
static void put_type(iso_bytes* out, const char* package, const char* message, const char* type) {
    char full[4 * NAME_SIZE];
    int scalar = scalar_type(type);
    bool is_enum = type[0] == '#';
    iso_proto_put_int(out, k_field_type,
                      scalar > 0 ? scalar
                      : is_enum  ? k_type_enum
                                 : k_type_message);
    if (scalar > 0) {
        return;
    }
    if (is_enum) {
        snprintf(full, sizeof full, ".%s.%s.%s", package, message, type + 1);
    } else if (strchr(type, '.')) {
        snprintf(full, sizeof full, ".%s", type);
    } else {
        snprintf(full, sizeof full, ".%s.%s", package, type);
    }
    iso_proto_put_text(out, k_field_type_name, full);
}

// The next word of a list: up to a space or comma. @return what follows
static const char* take_word(const char* at, char out_word[NAME_SIZE]) {
    int length = 0;
    while (*at == ' ' || *at == ',') {
        ++at;
    }
    while (*at != '\0' && *at != ' ' && *at != ',' && length < NAME_SIZE - 1) {
        out_word[length++] = *at++;
    }
    out_word[length] = '\0';
    return at;
}

static void put_enum(iso_bytes* out, const char* values) {
    char word[NAME_SIZE];
    size_t start = iso_proto_begin(out, k_message_enum);
    iso_proto_put_text(out, k_enum_name, "Type");
    for (int i = 0; *values != '\0'; ++i) {
        values = take_word(values, word);
        size_t value = iso_proto_begin(out, k_enum_value);
        iso_proto_put_text(out, k_value_name, word);
        iso_proto_put_int(out, k_value_number, i);
        iso_proto_end(out, value);
    }
    iso_proto_end(out, start);
}

static void put_message(iso_bytes* out, const char* package, const iso_proto_message* message) {
    char type[NAME_SIZE], name[NAME_SIZE];
    const char* at = message->fields;
    size_t start = iso_proto_begin(out, k_file_message);
    iso_proto_put_text(out, k_message_name, message->name);
    for (int number = 1; *at != '\0'; ++number) {
        at = take_word(take_word(at, type), name);
        bool is_repeated = type[0] == '*';
        size_t field = iso_proto_begin(out, k_message_field);
        iso_proto_put_text(out, k_field_name, name);
        iso_proto_put_int(out, k_field_number, number);
        iso_proto_put_int(out, k_field_label, is_repeated ? k_label_repeated : k_label_optional);
        put_type(out, package, message->name, type + is_repeated);
        iso_proto_end(out, field);
    }
    if (message->values) {
        put_enum(out, message->values);
    }
    iso_proto_end(out, start);
}

void iso_proto_put_schema(iso_bytes* out, const iso_proto_file* files, int file_count) {
    for (int i = 0; i < file_count; ++i) {
        const iso_proto_file* file = &files[i];
        size_t start = iso_proto_begin(out, k_set_file);
        iso_proto_put_text(out, k_file_name, file->name);
        iso_proto_put_text(out, k_file_package, file->package);
        for (size_t k = 0; k < sizeof file->imports / sizeof file->imports[0]; ++k) {
            if (file->imports[k]) {
                iso_proto_put_text(out, k_file_dependency, file->imports[k]);
            }
        }
        for (int k = 0; k < file->message_count; ++k) {
            put_message(out, file->package, &file->messages[k]);
        }
        iso_proto_put_text(out, k_file_syntax, "proto3");
        iso_proto_end(out, start);
    }
}
