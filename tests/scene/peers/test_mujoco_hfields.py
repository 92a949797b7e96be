# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Heights of a file are those that MuJoCo reads: all kinds of PNG and its own format, with random values.

Skipped where mujoco or the shared library are missing.
"""

import pathlib
import struct
import sys
import tempfile
import unittest
import zlib

try:
    import mujoco
    import numpy as np

    import isobar
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

# Colour type of the format: samples of a point, and the bits that a sample may have.
KINDS = {0: (1, (1, 2, 4, 8, 16)), 2: (3, (8, 16)), 3: (1, (1, 2, 4, 8)), 4: (2, (8, 16)),
         6: (4, (8, 16))}
PASSES = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2),
          (0, 1, 1, 2))


def chunk(kind, data):
    body = kind + data
    return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))


def pack_rows(samples, bits):
    """Rows of (rows, values) samples, each after its filter 0."""
    out = b""
    for row in samples:
        text = "".join(f"{value:0{bits}b}" for value in row)
        text += "0" * (-len(text) % 8)
        out += b"\0" + int(text, 2).to_bytes(len(text) // 8, "big")
    return out


def write_png(gen, kind, bits, rows, columns, is_interlaced):
    """A random image, with a gamma that heights are to pass over."""
    count = KINDS[kind][0]
    samples = gen.integers(0, 2 ** bits, (rows, columns, count))
    more = chunk(b"gAMA", struct.pack(">I", 45455))
    if kind == 3:
        more += chunk(b"PLTE", bytes(gen.integers(0, 256, 3 * 2 ** bits).tolist()))
    data = b""
    for x, y, dx, dy in PASSES if is_interlaced else ((0, 0, 1, 1),):
        part = samples[y::dy, x::dx]
        if part.size:
            data += pack_rows(part.reshape(len(part), -1), bits)
    head = struct.pack(">IIBBBBB", columns, rows, bits, kind, 0, 0, is_interlaced)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + more
            + chunk(b"IDAT", zlib.compress(data)) + chunk(b"IEND", b""))


MODEL = """<mujoco model="m"><asset><hfield name="h" file="{}" size="3 2 1 0.5"/></asset>
<worldbody><geom name="h" type="hfield" hfield="h"/></worldbody></mujoco>"""


class Files(unittest.TestCase):
    """Height fields of images and of MuJoCo's own format."""

    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.scratch.name)
        self.count = 0

    def tearDown(self):
        self.scratch.cleanup()

    def load(self, image, ending="png"):
        self.count += 1
        name = f"h{self.count}.{ending}"  # MuJoCo keeps what it read by name
        (self.folder / name).write_bytes(image)
        (self.folder / "m.xml").write_text(MODEL.format(name), encoding="utf-8")
        return isobar.load(self.folder / "m.xml")

    def test_heights_of_all_kinds_of_png_are_those_of_mujoco(self):
        gen = np.random.default_rng(2)
        worst = 0.0
        for kind, (_, depths) in KINDS.items():
            for bits in depths:
                for is_interlaced in (0, 1):
                    rows, columns = gen.integers(2, 20, 2)
                    scene = self.load(write_png(gen, kind, bits, int(rows), int(columns),
                                                is_interlaced))
                    model = mujoco.MjModel.from_xml_path(str(self.folder / "m.xml"))
                    self.assertEqual((model.hfield_nrow[0], model.hfield_ncol[0]), (rows, columns))
                    surface = scene.create_world().surfaces("world")[0]
                    heights = surface.mesh.vertices[:rows * columns, 2]
                    error = np.abs(heights - model.hfield_data).max()
                    worst = max(worst, error)
                    with self.subTest(kind=kind, bits=bits, is_interlaced=is_interlaced):
                        self.assertLess(error, 1e-7)  # MuJoCo's are single precision
        print(f"heights off by {worst:.1e} m at most")

    def test_heights_of_its_own_format_are_those_of_mujoco(self):
        gen = np.random.default_rng(4)
        for rows, columns in ((2, 2), (3, 7), (5, 2)):
            values = gen.uniform(-3, 5, rows * columns).astype("<f4")
            scene = self.load(struct.pack("<ii", rows, columns) + values.tobytes(), "bin")
            model = mujoco.MjModel.from_xml_path(str(self.folder / "m.xml"))
            self.assertEqual((model.hfield_nrow[0], model.hfield_ncol[0]), (rows, columns))
            surface = scene.create_world().surfaces("world")[0]
            error = np.abs(surface.mesh.vertices[:rows * columns, 2] - model.hfield_data).max()
            self.assertLess(error, 1e-6)  # measured 8.6e-8: single precision

    def test_broken_files_of_its_own_format_are_refused_with_a_reason(self):
        good = struct.pack("<ii4f", 2, 2, 1.0, 2.0, 3.0, 4.0)
        for data, error, reason in (
                (b"", isobar.ParseError, "m.xml:1: <hfield>: '.*bin' has 0 bytes"),
                (good[:7], isobar.ParseError, "'.*bin' has 7 bytes"),
                (good[:-1], isobar.ParseError, "'.*bin' has 23 bytes, expected 24 for 2 rows of 2 heights"),
                (good + b"x", isobar.ParseError, "'.*bin' has 25 bytes, expected 24 for 2 rows of 2"),
                (struct.pack("<ii4f", 1, 4, 1, 2, 3, 4), isobar.RangeError, "'.*bin' has 1 rows of 4 heights"),
                (struct.pack("<ii", -1, -1), isobar.RangeError, r"4.29497e\+09 rows of 4.29497e\+09 heights"),
                (struct.pack("<ii", 1 << 16, 1 << 16), isobar.RangeError, "'.*bin' has 65536 rows of 65536 heights"),
                (struct.pack("<ii4f", 2, 2, 1.0, np.nan, 3.0, 4.0), isobar.ParseError, "height 1 of '.*bin' is nan"),
                (struct.pack("<ii4f", 2, 2, 1.0, 2.0, 3.0, -np.inf), isobar.ParseError, "height 3 of '.*bin' is -inf")):
            with self.assertRaisesRegex(error, reason):
                self.load(data, "bin")

    def test_images_that_are_none_are_refused_with_a_reason(self):
        gen = np.random.default_rng(3)
        good = write_png(gen, 2, 8, 9, 9, 0)
        broken = bytearray(good)
        broken[good.index(b"IDAT") + 20] ^= 255
        for image, reason in (
                (good[:60], "image '.*png' cannot be read: "),
                (bytes(broken), "m.xml:1: image '.*png' cannot be read: "),
                (b"no image", "'.*png' is no PNG image"),
                (write_png(gen, 0, 8, 1, 9, 0), "'.*png' has 1 rows of 9 heights"),
                (good.replace(struct.pack(">II", 9, 9), struct.pack(">II", 2000, 2000)),
                 "cannot be read: ")):
            with self.assertRaisesRegex(isobar.Error, reason):
                self.load(image)
        head = struct.pack(">IIBBBBB", 2000, 2000, 8, 0, 0, 0, 0)
        with self.assertRaisesRegex(isobar.RangeError, "2000 by 2000, expected at most 1200000"):
            self.load(good[:8] + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"")))


if __name__ == "__main__":
    unittest.main()
