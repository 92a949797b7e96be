# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""A WebSocket client (RFC 6455) that can misbehave, and a reader of live frames.

It is written from the documents (docs/live.md, docs/recording.md), not from Isobar's code.
"""

import base64
import hashlib
import json
import os
import socket
import struct
import time

GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10


class Refused(Exception):
    """The server answered the handshake with this status."""

    def __init__(self, status):
        super().__init__(str(status))
        self.status = status


def request(port, path="/", host=None, method="GET", headers=()):
    """Status, headers and body of one HTTP request, exactly as asked for."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        lines = [f"{method} {path} HTTP/1.1", f"Host: {host or f'127.0.0.1:{port}'}",
                 "Connection: close", *headers, "", ""]
        connection.sendall("\r\n".join(lines).encode())
        answer = b""
        while True:
            try:
                part = connection.recv(1 << 16)
            except ConnectionResetError:
                break
            if not part:
                break
            answer += part
            head, _, body = answer.partition(b"\r\n\r\n")
            length = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length")]
            if length and len(body) >= int(length[0].split(b":")[1]):
                break
    head, _, body = answer.partition(b"\r\n\r\n")
    lines = head.decode().split("\r\n")
    fields = dict(line.lower().split(": ", 1) for line in lines[1:] if ": " in line)
    return int(lines[0].split()[1]) if lines[0] else 0, fields, body


class WebSocket:
    """One connection; messages are read when asked for and not before."""

    def __init__(self, port, token, origin="same", host=None, receive_buffer=None):
        host = host or f"127.0.0.1:{port}"
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(10)
        self.socket.connect(("127.0.0.1", port))
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [f"GET /live?token={token} HTTP/1.1", f"Host: {host}", "Upgrade: websocket",
                 "Connection: Upgrade", f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13",
                 "Sec-WebSocket-Protocol: isobar-live"]
        if origin is not None:
            lines.append(f"Origin: {f'http://{host}' if origin == 'same' else origin}")
        self.socket.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        self.data = b""
        head = self._until(b"\r\n\r\n").decode()
        status = int(head.split()[1]) if head else 0
        if status != 101:
            self.socket.close()
            raise Refused(status)
        accept = base64.b64encode(hashlib.sha1((key + GUID).encode()).digest()).decode()
        assert f"sec-websocket-accept: {accept}".lower() in head.lower(), head

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def _more(self):
        part = self.socket.recv(1 << 18)
        if not part:
            raise ConnectionError("closed")
        self.data += part

    def _until(self, mark):
        while mark not in self.data:
            try:
                self._more()
            except (ConnectionError, ConnectionResetError):
                return b""
        head, self.data = self.data.split(mark, 1)
        return head

    def _take(self, count):
        while len(self.data) < count:
            self._more()
        taken, self.data = self.data[:count], self.data[count:]
        return taken

    def send_frame(self, payload, opcode=TEXT, claimed=None, final=True):
        """claimed: the length that the header tells, where it is not that of the payload."""
        size = len(payload) if claimed is None else claimed
        head = bytes([(128 if final else 0) | opcode])
        if size < 126:
            head += bytes([128 | size])
        elif size < 65536:
            head += bytes([128 | 126]) + struct.pack(">H", size)
        else:
            head += bytes([128 | 127]) + struct.pack(">Q", size)
        mask = os.urandom(4)
        body = bytes(b ^ mask[i % 4] for i, b in enumerate(payload))
        self.socket.sendall(head + mask + body)

    def send(self, **command):
        self.send_frame(json.dumps(command).encode())

    def receive(self):
        """(opcode, payload) of the next message."""
        first, second = self._take(2)
        assert first & 128, "messages of the server come in one piece"
        size = second & 127
        if size == 126:
            size = struct.unpack(">H", self._take(2))[0]
        elif size == 127:
            size = struct.unpack(">Q", self._take(8))[0]
        return first & 15, self._take(size)

    def close_code(self):
        """Code with which the server ended the connection; 0: without one, None: it did not for 10 s.
        Messages before it are lost."""
        end = time.monotonic() + 10
        try:
            while time.monotonic() < end:
                opcode, payload = self.receive()
                if opcode == CLOSE:
                    return struct.unpack(">H", payload[:2])[0]
        except (ConnectionError, ConnectionResetError, TimeoutError):
            return 0

    def model(self):
        opcode, payload = self.receive()
        assert opcode == TEXT
        return json.loads(payload)

    def frame(self, wanted=lambda frame: True, timeout=20.0):
        """The next frame that is as wanted."""
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            opcode, payload = self.receive()
            if opcode == BINARY:
                frame = Frame(payload)
                if wanted(frame):
                    return frame
        raise TimeoutError("no frame was as wanted")


class Frame:
    """A live frame: status, then the packed numbers and polygons of docs/recording.md."""

    def __init__(self, payload):
        size = struct.unpack_from("<I", payload)[0]
        assert size % 4 == 0
        self.status = json.loads(payload[4:4 + size])
        self.read_numbers(payload[4 + size:])

    @classmethod
    def of_numbers(cls, data):
        """Of a block of numbers alone, as pages of recordings have it."""
        frame = cls.__new__(cls)
        frame.read_numbers(data)
        return frame

    def read_numbers(self, data):
        self.time, *energy = struct.unpack_from("<d3f", data)
        self.energy = dict(zip(("kinetic", "potential", "elastic"), energy))
        bodies, joints, sensors, contacts = struct.unpack_from("<4I", data, 20)
        at = 36
        self.poses = [struct.unpack_from("<7f", data, at + 28 * i) for i in range(bodies)]
        at += 28 * bodies
        self.joints = struct.unpack_from(f"<{joints}f", data, at)
        at += 4 * joints
        self.sensors = struct.unpack_from(f"<{sensors}f", data, at)
        at += 4 * sensors
        self.contacts = []
        for _ in range(contacts):
            row = struct.unpack_from("<2I12f", data, at)
            self.contacts.append({"pair": row[0], "faces": row[1], "area": row[2], "force": row[3:6],
                                  "moment": row[6:9], "center_of_pressure": row[9:12],
                                  "max_pressure": row[12], "normal_force": row[13]})
            at += 56
        self.packed_polygons = data[at:]

    @property
    def polygons(self):
        """Of every contact; read when asked for, which takes long here."""
        packed = self.packed_polygons
        return read_polygons(packed, len(self.contacts)) if packed else []


def read_polygons(data, contact_count):
    """Per contact the faces as lists of (x, y, z, pressure)."""
    at, patches = 0, []
    for _ in range(contact_count):
        (faces,) = struct.unpack_from("<I", data, at)
        if faces == 0:
            at += 4
            patches.append([])
            continue
        _, vertices, corners, code_size = struct.unpack_from("<4I", data, at)
        x, y, z, step, low, pressure_step = struct.unpack_from("<6f", data, at + 16)
        at += 40
        channels = []
        for start, by in ((x, step), (y, step), (z, step), (low, pressure_step)):
            last, values = 0, []
            for i in range(corners):
                folded = data[at + i] | data[at + corners + i] << 8
                last = (last + (folded >> 1 if folded % 2 == 0 else ~(folded >> 1))) % 65536
                values.append(start + by * last)
            channels.append(values)
            at += 2 * corners
        codes, end = [], at + code_size
        while at < end:
            value = shift = 0
            while True:
                byte, at = data[at], at + 1
                value |= (byte & 127) << shift
                shift += 7
                if byte < 128:
                    break
            codes.append(value)
        counts, backs, known, polygons = codes[:faces], iter(codes[faces:]), 0, []
        assert sum(counts) == vertices == len(codes) - faces
        for count in counts:
            polygon = []
            for _ in range(count):
                corner = known - next(backs)
                known += corner == known
                polygon.append(tuple(channel[corner] for channel in channels))
            polygons.append(polygon)
        assert known == corners
        patches.append(polygons)
    assert at == len(data)
    return patches
