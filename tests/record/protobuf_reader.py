# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Messages of Protocol Buffers as dictionaries, by the schema that comes with them alone: what any
reader of MCAP files does. https://protobuf.dev/programming-guides/encoding"""

import struct

DOUBLE, INT64, INT32, FIXED32, BOOL, STRING, MESSAGE, BYTES, ENUM = 1, 3, 5, 7, 8, 9, 11, 12, 14
FIXED = {DOUBLE: "<d", FIXED32: "<I"}
REPEATED = 3


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def fields(data):
    """(number, value) of every field: int, or bytes."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        wire = key & 7
        if wire == 0:
            value, at = varint(data, at)
        else:
            size, at = varint(data, at) if wire == 2 else ({1: 8, 5: 4}[wire], at)
            if at + size > len(data):
                raise ValueError("a field ends beyond its message")
            value, at = bytes(data[at:at + size]), at + size
        yield key >> 3, value


class Schema:
    """A FileDescriptorSet."""

    def __init__(self, data):
        self.messages = {}
        for _, file in fields(data):
            parts = list(fields(file))
            package = next(v.decode() for n, v in parts if n == 2)
            for number, message in parts:
                if number == 4:
                    name, described = None, {}
                    for part, value in fields(message):
                        if part == 1:
                            name = value.decode()
                        elif part == 2:
                            field = dict(fields(value))
                            described[field[3]] = (field[1].decode(), field[5], field[4] == REPEATED,
                                                   field.get(6, b"").decode())
                    self.messages[f".{package}.{name}"] = described

    def decode(self, name, data):
        described = self.messages[name]
        out = {}
        for field, kind, repeated, _ in described.values():
            out[field] = [] if repeated else None if kind == MESSAGE else "" if kind == STRING else 0
        for number, value in fields(data):
            field, kind, repeated, type_name = described[number]
            if repeated and isinstance(value, bytes) and kind not in (STRING, MESSAGE, BYTES):
                out[field] += self.unpack(kind, value)
            elif repeated:
                out[field].append(self.one(kind, value, type_name))
            else:
                out[field] = self.one(kind, value, type_name)
        return out

    def one(self, kind, value, type_name):
        if kind == MESSAGE:
            return self.decode(type_name, value)
        if kind in FIXED:
            return struct.unpack(FIXED[kind], value)[0]
        return value.decode() if kind == STRING else bool(value) if kind == BOOL else value

    @staticmethod
    def unpack(kind, data):
        if kind in FIXED:
            return [v for (v,) in struct.iter_unpack(FIXED[kind], data)]
        values, at = [], 0
        while at < len(data):
            value, at = varint(data, at)
            values.append(value)
        return values
