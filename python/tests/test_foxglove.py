# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""isobar.foxglove: what a client of the WebSocket protocol gets, and what official readers find."""

import base64
import json
import os
import socket
import struct
import subprocess
import sys

import numpy as np
import pytest

import isobar

pytest.importorskip("foxglove")
import isobar.foxglove  # noqa: E402


def test_quaternions_turn_as_their_matrices():
    rng = np.random.default_rng(3)
    for _ in range(200):
        x, y, z, w = q = rng.standard_normal(4)
        x, y, z, w = q = q / np.linalg.norm(q) * (1 if w >= 0 else -1)
        matrix = np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                           [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                           [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]])
        assert np.allclose(isobar.foxglove.quaternion(matrix), q, atol=1e-12)


class Client:
    """The least of a client: RFC 6455, subprotocol foxglove.sdk.v1."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=20)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall((f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\n"
                             f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\n"
                             "Sec-WebSocket-Version: 13\r\n"
                             "Sec-WebSocket-Protocol: foxglove.sdk.v1\r\n\r\n").encode())
        self.buffer = b""
        while b"\r\n\r\n" not in self.buffer:
            self.buffer += self.socket.recv(4096)
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        assert b" 101 " in head.splitlines()[0], head

    def take(self, size):
        while len(self.buffer) < size:
            part = self.socket.recv(65536)
            assert part, "the server has closed"
            self.buffer += part
        taken, self.buffer = self.buffer[:size], self.buffer[size:]
        return taken

    def receive(self):
        """Opcode (1: text, 2: binary) and content of a message."""
        first, second = self.take(2)
        size = second & 127
        if size > 125:
            size = struct.unpack(">H", self.take(2))[0] if size == 126 else struct.unpack(">Q", self.take(8))[0]
        return first & 15, self.take(size)

    def send(self, message):
        content = json.dumps(message).encode()
        mask = os.urandom(4)
        size = bytes([0x80 | len(content)]) if len(content) < 126 else b"\xfe" + struct.pack(">H", len(content))
        masked = bytes(c ^ mask[i % 4] for i, c in enumerate(content))
        self.socket.sendall(b"\x81" + size + mask + masked)


def test_a_client_gets_bodies_patches_forces_and_clouds(ball_world):
    with isobar.foxglove.Stream(ball_world, port=0, frame_rate=0) as stream:
        client, offered = Client(stream.port), {}
        while len(offered) < 6:
            kind, content = client.receive()
            said = json.loads(content) if kind == 1 else {}
            for channel in said.get("channels", []):
                offered[channel["topic"]] = channel
        assert set(offered) == {"/tf", "/bodies", "/patches", "/forces", "/pressure", "/joints"}
        assert offered["/forces"]["schemaName"] == "foxglove.SceneUpdate"
        assert offered["/pressure"]["schemaName"] == "foxglove.PointCloud"
        client.send({"op": "subscribe", "subscriptions": [
            {"id": i, "channelId": offered[topic]["id"]} for i, topic in enumerate(sorted(offered))]})
        topics, got = sorted(offered), {}
        client.socket.settimeout(0.2)
        for _ in range(100):
            ball_world.step()
            stream.update()
            try:
                while True:
                    kind, content = client.receive()
                    if kind == 2 and content[0] == 1:  # message data: id, time, content
                        number, stamp = struct.unpack("<IQ", content[1:13])
                        got.setdefault(topics[number], []).append((stamp, content[13:]))
            except TimeoutError:
                pass
            if len(got) >= 5:
                break
        assert set(got) >= {"/tf", "/bodies", "/patches", "/forces", "/pressure"}
        assert abs(got["/tf"][-1][0] - 1e9 * ball_world.time) <= 2e6  # a step of 1 ms


def test_a_converted_recording_is_read_by_the_official_reader(ball_world, tmp_path):
    reader = pytest.importorskip("mcap.reader")
    path, output = tmp_path / "ball.mcap", tmp_path / "foxglove.mcap"
    with isobar.Recorder(path, ball_world, frame_rate=0) as recorder:
        for _ in range(4):
            ball_world.step()
            recorder.record()
    contact = ball_world.contacts[0]
    faces = [np.array(contact.patch.centroids), np.array(contact.patch.pressures)]
    assert isobar.foxglove.convert(path, output) == 4
    with open(output, "rb") as stream:
        summary = list(reader.make_reader(stream).iter_messages(topics=["/pressure"]))
    assert len(summary) == 4 and summary[0][0].name == "foxglove.PointCloud"
    assert summary[0][1].message_encoding == "protobuf"
    with pytest.raises(ValueError, match="the recording itself"):
        isobar.foxglove.convert(path, path)
    assert len(isobar.Recording(path)) == 4
    # The last points: six floats of each face stand together in the message.
    wanted = np.column_stack(faces).astype("<f4")
    data = summary[-1][2].data
    for row in wanted:
        assert row.tobytes() in data


def test_a_second_stream_on_a_port_is_refused_with_its_cure(ball_world):
    with isobar.foxglove.Stream(ball_world, port=0) as stream:
        with pytest.raises(OSError, match=f"127.0.0.1:{stream.port} cannot be listened on.*port=0"):
            isobar.foxglove.Stream(ball_world, port=stream.port)
        with isobar.foxglove.Stream(ball_world, port=0) as other:
            assert other.port != stream.port


def test_what_is_missing_is_said():
    code = "import sys; sys.modules['foxglove'] = None\nimport isobar.foxglove"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "pip install foxglove-sdk" in done.stderr
