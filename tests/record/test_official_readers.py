# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""What Isobar records and exports, read by others: the official MCAP reader, VTK, csv and json.

The sample is that of sample.h, written by the C test program test_record_export.
"""

import base64
import csv
import json
import math
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import warnings
import xml.etree.ElementTree
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "live"))
from web_client import Frame, read_polygons  # noqa: E402

from protobuf_reader import Schema  # noqa: E402

SKIPPED = 77
FRAMES = 12
WRITER = pathlib.Path(os.environ.get("ISOBAR_BINARY_DIR", "/nonexistent"), "tests/test_record_export")
CHANNELS = {
    "/isobar/model": "isobar.Model",
    "/isobar/state": "isobar.State",
    "/isobar/contacts": "isobar.Contacts",
    "/isobar/energy": "isobar.Energy",
    "/isobar/hashes": "isobar.Hashes",
    "/isobar/sensors": "isobar.Sensors",
    "/tf": "foxglove.FrameTransforms",
    "/scene": "foxglove.SceneUpdate",
    "/scene/bodies": "foxglove.SceneUpdate",
}


PROTOBUF = {"/isobar/contacts", "/scene", "/scene/bodies"}


def decode(schema, message):
    """A message as a dictionary, by the schema that comes with it."""
    if schema.encoding == "protobuf":
        return Schema(schema.data).decode("." + schema.name, message.data)
    return json.loads(message.data)


def inflate(text):
    """A block of a page: base64 of raw DEFLATE."""
    return zlib.decompress(base64.b64decode(text), -15)


def conforms(value, schema):
    """True when a JSON value has the types that its schema names (the part of JSON schema used)."""
    if "enum" in schema:
        return value in schema["enum"]
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    python_types = {
        "object": dict, "array": list, "string": str, "boolean": bool,
        "integer": int, "number": (int, float), "null": type(None),
    }
    if not any(isinstance(value, python_types[kind]) for kind in kinds):
        return False
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        if not set(value) <= set(properties) and properties:
            return False
        return all(conforms(value[key], properties[key]) for key in value if key in properties)
    if isinstance(value, list):
        return all(conforms(element, schema["items"]) for element in value)
    return True


def place(pose, point):
    """Where a pose (position, unit quaternion w, x, y, z) takes a point."""
    w, u = pose[3], pose[4:7]

    def cross(a, b):
        return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]

    t = [2 * c for c in cross(u, point)]
    return [o + p + w * a + b for o, p, a, b in zip(pose, point, t, cross(u, t))]


class Sample(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        directory = tempfile.mkdtemp(prefix="isobar_record_")
        cls.addClassCleanup(shutil.rmtree, directory)
        cls.directory = pathlib.Path(directory)
        template = cls.directory / "template.html"
        template.write_text("<html><script>@@ISOBAR_DATA@@</script></html>", encoding="utf-8")
        subprocess.run([str(WRITER), directory, str(template)], check=True)
        cls.mcap = cls.directory / "sample.mcap"


class OfficialMcapReader(Sample):
    def test_summary_names_every_channel(self):
        with open(self.mcap, "rb") as stream:
            summary = make_reader(stream, validate_crcs=True).get_summary()
        found = {c.topic: summary.schemas[c.schema_id].name for c in summary.channels.values()}
        self.assertEqual(found, CHANNELS)
        for channel in summary.channels.values():
            self.assertEqual(channel.message_encoding,
                             "protobuf" if channel.topic in PROTOBUF else "json")
        self.assertEqual(len(summary.schemas), 8)  # two channels share SceneUpdate
        counts = {
            summary.channels[id].topic: count
            for id, count in summary.statistics.channel_message_counts.items()
        }
        once = {"/isobar/model": 1, "/scene/bodies": 1}
        self.assertEqual(counts, {topic: once.get(topic, FRAMES) for topic in CHANNELS})
        self.assertEqual(summary.statistics.message_count, sum(counts.values()))
        self.assertEqual(summary.statistics.chunk_count, len(summary.chunk_indexes))

    def test_indexed_and_streaming_readers_agree_with_all_checksums(self):
        with open(self.mcap, "rb") as stream:
            indexed = [
                (channel.topic, message.log_time, message.data)
                for _, channel, message in make_reader(stream, validate_crcs=True).iter_messages()
            ]
        channels, streamed = {}, []
        with open(self.mcap, "rb") as stream:
            for record in StreamReader(stream, validate_crcs=True).records:
                if isinstance(record, mcap.records.Channel):
                    channels[record.id] = record.topic
                elif isinstance(record, mcap.records.Message):
                    topic = channels[record.channel_id]
                    streamed.append((topic, record.log_time, record.data))
                elif isinstance(record, mcap.records.DataEnd):
                    self.assertNotEqual(record.data_section_crc, 0)
                elif isinstance(record, mcap.records.Footer):
                    self.assertNotEqual(record.summary_crc, 0)
        self.assertEqual(sorted(indexed), sorted(streamed))
        self.assertEqual(len(indexed), 2 + 7 * FRAMES)

    def test_time_ranges_use_the_index(self):
        with open(self.mcap, "rb") as stream:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)  # later readers: starting_at
                found = list(make_reader(stream).iter_messages(
                    topics=["/isobar/energy"], start_time=30_000_000, end_time=60_000_001))
        self.assertEqual([json.loads(m.data)["kinetic"] for _, _, m in found], [4, 5, 6, 7])

    def test_messages_conform_to_their_schemas(self):
        with open(self.mcap, "rb") as stream:
            for schema, channel, message in make_reader(stream).iter_messages():
                if channel.topic in PROTOBUF:
                    self.assertTrue(decode(schema, message), channel.topic)
                    continue
                value = json.loads(message.data)
                self.assertTrue(conforms(value, json.loads(schema.data)), channel.topic)
                self.assertEqual(
                    set(value), set(json.loads(schema.data)["properties"]) & set(value))

    def test_schemas_are_json_schemas_of_objects(self):
        with open(self.mcap, "rb") as stream:
            schemas = make_reader(stream).get_summary().schemas.values()
        for schema in schemas:
            if schema.encoding == "protobuf":
                self.assertIn("." + schema.name, Schema(schema.data).messages)
            else:
                self.assertEqual(schema.encoding, "jsonschema")
                self.assertEqual(json.loads(schema.data)["type"], "object", schema.name)

    def test_googles_decoder_reads_the_same(self):
        try:
            from mcap_protobuf.decoder import DecoderFactory
        except ImportError:
            self.skipTest("mcap-protobuf-support is missing")
        with open(self.mcap, "rb") as stream:
            count = 0
            for schema, channel, message in make_reader(stream).iter_messages(topics=sorted(PROTOBUF)):
                theirs = DecoderFactory().decoder_for("protobuf", schema)(message.data)
                ours = decode(schema, message)
                count += self.same(theirs, ours)
        self.assertGreater(count, 1000)

    def same(self, theirs, ours):
        """How many values agree."""
        count = 0
        for name, value in ours.items():
            found = getattr(theirs, name)
            pairs = list(zip(found, value, strict=True)) if isinstance(value, list) else [(found, value)]
            for a, b in pairs:
                if isinstance(b, dict):
                    count += self.same(a, b)
                elif b is not None:
                    self.assertEqual(a, b, name)
                    count += 1
        return count

    def test_foxgloves_schema_is_the_standard_one(self):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)
                from foxglove.messages import SceneUpdate
        except ImportError:
            self.skipTest("foxglove-sdk is missing")
        with open(self.mcap, "rb") as stream:
            schemas = make_reader(stream).get_summary().schemas.values()
        ours = next(Schema(s.data).messages for s in schemas if s.name == "foxglove.SceneUpdate")
        self.assertEqual(ours, Schema(SceneUpdate.get_schema().data).messages)

    def test_the_scene_has_the_faces_with_points_that_neighbours_share(self):
        """Fans of the same corners in single precision, in the same order and of the same colours."""
        path = self.directory / "shared.mcap"
        scene = pathlib.Path(__file__).parents[2] / "scenes" / "demo.yaml"
        subprocess.run(["isobar", "run", str(scene), "--until", "0.1", "--record", str(path), "--quiet"],
                       check=True)
        corners = points = 0
        top = 0.0
        with open(path, "rb") as stream:
            frames = {}
            for schema, channel, message in make_reader(stream).iter_messages(topics=["/scene", "/isobar/contacts"]):
                frames.setdefault(message.sequence, {})[channel.topic] = decode(schema, message)
        for frame in frames.values():
            contacts = frame["/isobar/contacts"].get("contacts", [])
            top = max([top] + [c["max_pressure"] for c in contacts])
            for contact, entity in zip(contacts, frame["/scene"].get("entities", []), strict=True):
                faces, [drawn] = contact["polygons"], entity["triangles"]
                at, wanted = 0, []
                for count in faces["counts"]:
                    wanted += [k for i in range(at + 2, at + count) for k in (at, i - 1, i)]
                    at += count
                self.assertEqual(len(drawn["indices"]), len(wanted))
                self.assertEqual(len(drawn["colors"]), len(drawn["points"]))
                seen = {}
                for corner, index in zip(wanted, drawn["indices"]):
                    point = [drawn["points"][index][k] for k in "xyz"]
                    exact = faces["vertices"][3 * corner:3 * corner + 3]
                    self.assertEqual(point, [struct.unpack("f", struct.pack("f", x))[0] for x in exact])
                    seen.setdefault(index, set()).add(faces["vertex_pressures"][corner])
                for pressures in seen.values():  # one colour: to a thousandth of the highest so far
                    self.assertLessEqual(max(pressures) - min(pressures), 2e-3 * top)
                corners += at
                points += len(drawn["points"])
        self.assertGreater(corners, 1000)
        self.assertLess(points, 0.5 * corners)

    def test_sensors_are_described_once_and_read_in_every_frame(self):
        with open(self.mcap, "rb") as stream:
            topics = ["/isobar/model", "/isobar/sensors"]
            found = [json.loads(m.data) for _, _, m in make_reader(stream).iter_messages(topics=topics)]
        described, frames = found[0]["sensors"], found[1:]
        self.assertEqual([s["kind"] for s in described], ["imu", "tactile"])
        self.assertEqual((described[1]["rows"], described[1]["columns"]), (2, 3))
        self.assertEqual(described[1]["value_names"][6:],
                         ["pressure", "shear_x", "shear_y", "slip_x", "slip_y", "area"])
        self.assertEqual(described[1]["value_units"][6:], ["Pa", "Pa", "Pa", "m/s", "m/s", "m^2"])
        self.assertEqual(len(frames), FRAMES)
        for frame in frames:
            for sensor, read in zip(described, frame["sensors"], strict=True):
                self.assertEqual(read["name"], sensor["name"])
                self.assertEqual(len(read["values"]), sensor["value_count"])

    def test_truncated_file_streams_every_whole_chunk(self):
        data = self.mcap.read_bytes()
        counts = []
        for cut in range(len(data) // 10, len(data), len(data) // 10):
            part = self.directory / "cut.mcap"
            part.write_bytes(data[:cut])
            count = 0
            with open(part, "rb") as stream:
                try:
                    for record in StreamReader(stream, validate_crcs=True).records:
                        count += isinstance(record, mcap.records.Message)
                except (mcap.exceptions.EndOfFile, struct.error):
                    pass
            counts.append(count)
        self.assertEqual(counts, sorted(counts))
        self.assertGreater(counts[-1], 0)

    def test_foxglove_scene_draws_each_patch_and_clears_the_last_frame(self):
        with open(self.mcap, "rb") as stream:
            scenes = [decode(s, m) for s, _, m in
                      make_reader(stream).iter_messages(topics=["/scene"])]
        for step, scene in enumerate(scenes):
            self.assertEqual(scene["deletions"][0]["type"], 1)
            self.assertEqual(len(scene["entities"]), step % 3)
            for entity in scene["entities"]:
                triangles = entity["triangles"][0]
                self.assertEqual(len(triangles["points"]), 20)
                self.assertEqual(len(triangles["colors"]), 20)
                self.assertEqual(len(triangles["indices"]), 3 * (20 - 2 * 5))
                self.assertLess(max(triangles["indices"]), 20)

    def test_foxglove_transforms_are_unit_quaternions_below_the_world(self):
        with open(self.mcap, "rb") as stream:
            for _, _, message in make_reader(stream).iter_messages(topics=["/tf"]):
                transforms = json.loads(message.data)["transforms"]
                self.assertEqual(len(transforms), 2)
                for transform in transforms:
                    self.assertEqual(transform["parent_frame_id"], "world")
                    norm = sum(transform["rotation"][k] ** 2 for k in "xyzw")
                    self.assertAlmostEqual(norm, 1.0, delta=5e-7)  # measured 1.6e-7: floats


class Vtk(Sample):
    def read(self, name):
        reader = vtk.vtkXMLPolyDataReader()
        reader.SetFileName(str(self.directory / name))
        reader.Update()
        return reader.GetOutput()

    def contacts(self, step):
        with open(self.mcap, "rb") as stream:
            found = [decode(s, m) for s, _, m in
                     make_reader(stream).iter_messages(topics=["/isobar/contacts"])]
        return found[step]["contacts"]

    def test_patches_carry_the_recorded_fields(self):
        data = self.read("patches_000002.vtp")
        contacts = self.contacts(2)
        self.assertEqual(data.GetNumberOfCells(), 10)
        self.assertEqual(data.GetNumberOfPoints(), 40)
        for name, key, size in (("pressure", "pressures", 1), ("area", "areas", 1),
                                ("traction", "tractions", 3), ("normal", "normals", 3),
                                ("slip_velocity", "slip_velocities", 3)):
            array = data.GetCellData().GetArray(name)
            values = [x for i in range(10) for x in array.GetTuple(i)]
            self.assertEqual(array.GetNumberOfComponents(), size)
            self.assertEqual(values, [x for c in contacts for x in c["polygons"][key]])
        points = [x for i in range(40) for x in data.GetPoint(i)]
        self.assertEqual(points, [x for c in contacts for x in c["polygons"]["vertices"]])
        pressures = data.GetPointData().GetArray("pressure")
        self.assertEqual([pressures.GetValue(i) for i in range(40)],
                         [x for c in contacts for x in c["polygons"]["vertex_pressures"]])
        sizes = [data.GetCell(i).GetNumberOfPoints() for i in range(10)]
        self.assertEqual(sizes, [n for c in contacts for n in c["polygons"]["counts"]])
        owners = data.GetCellData().GetArray("contact")
        self.assertEqual([owners.GetValue(i) for i in range(10)], [0] * 5 + [1] * 5)
        self.assertEqual(data.GetFieldData().GetArray("TimeValue").GetValue(0), 0.02)

    def test_frames_without_contact_are_empty(self):
        data = self.read("patches_000003.vtp")
        self.assertEqual(data.GetNumberOfCells(), 0)
        self.assertEqual(data.GetNumberOfPoints(), 0)

    def test_bodies_stand_at_their_poses(self):
        data = self.read("bodies_000000.vtp")
        self.assertEqual(data.GetNumberOfCells(), 12)
        names = data.GetFieldData().GetAbstractArray("body_names")
        self.assertEqual([names.GetValue(i) for i in range(3)],
                         ["world", "ball::ball", 'box, the "big" <one>::lid'])
        with open(self.mcap, "rb") as stream:
            state = next(json.loads(m.data) for _, _, m in
                         make_reader(stream).iter_messages(topics=["/isobar/state"]))
        # The first vertex of the ball's skin is its origin.
        for got, want in zip(data.GetPoint(0), state["poses"][7:10]):
            self.assertAlmostEqual(got, want, delta=1e-7)  # measured 2.4e-8: floats

    def test_bodies_are_those_of_the_model(self):
        with open(self.mcap, "rb") as stream:
            messages = [json.loads(m.data) for _, _, m in make_reader(stream).iter_messages(
                topics=["/isobar/model", "/isobar/state"])]
        bodies, poses = messages[0]["bodies"], messages[3]["poses"]
        for name, is_fixed in (("bodies_000002.vtp", False), ("bodies_fixed.vtp", True)):
            data, point, triangle = self.read(name), 0, 0
            arrays = [data.GetCellData().GetArray(k) for k in ("body", "is_collision", "rgba")]
            for index, body in enumerate(bodies):
                for surface in body["surfaces"] if body["is_fixed"] == is_fixed else []:
                    # A point of the surface goes where two poses, one after the other, take it.
                    for k in range(0, len(surface["vertices"]), 3):
                        want = place(poses[7 * index:], place(surface["pose"],
                                                              surface["vertices"][k:k + 3]))
                        for got, expected in zip(data.GetPoint(point + k // 3), want):
                            self.assertAlmostEqual(got, expected, delta=1e-6)  # measured 4.8e-8
                    for k in range(0, len(surface["triangles"]), 3):
                        ids = data.GetCell(triangle + k // 3).GetPointIds()
                        self.assertEqual([ids.GetId(i) - point for i in range(3)],
                                         surface["triangles"][k:k + 3])
                        values = [array.GetTuple(triangle + k // 3) for array in arrays]
                        color = [round(255 * c) for c in surface["color"]]
                        self.assertEqual([list(v) for v in values],
                                         [[index], [surface["role"] == "collision"], color])
                    point += len(surface["vertices"]) // 3
                    triangle += len(surface["triangles"]) // 3
            self.assertEqual((data.GetNumberOfPoints(), data.GetNumberOfCells()), (point, triangle))

    def test_collections_name_every_file(self):
        for series in ("bodies", "patches"):
            root = xml.etree.ElementTree.parse(self.directory / f"{series}.pvd").getroot()
            sets = root.findall("./Collection/DataSet")
            parts = 2 if series == "bodies" else 1
            self.assertEqual(len(sets), parts * FRAMES)
            for i, entry in enumerate(sets):
                self.assertTrue((self.directory / entry.get("file")).exists())
                self.assertEqual(entry.get("part"), str(i % parts))
                self.assertAlmostEqual(float(entry.get("timestep")), 0.01 * (i // parts), delta=1e-9)


class Tables(Sample):
    def test_csv_modules_read_the_tables(self):
        with open(self.directory / "bodies.csv", newline="", encoding="utf-8") as stream:
            rows = list(csv.DictReader(stream))
        self.assertEqual(len(rows), 2 * FRAMES)
        self.assertEqual(rows[1]["body"], 'box, the "big" <one>::lid')
        norm = sum(float(rows[1][k]) ** 2 for k in ("qw", "qx", "qy", "qz"))
        self.assertAlmostEqual(norm, 1.0, delta=1e-14)  # measured 2.2e-16

    def test_page_holds_what_was_recorded(self):
        text = (self.directory / "view.html").read_text(encoding="utf-8")
        view = json.loads(text.split("<script>")[1].split("</script>")[0])
        self.assertEqual(view["format"], "isobar-view-2")
        # 100 recorded frames per second, at most 60 on the page: the first of every 1/60 s.
        steps = [0, 2, 4, 5, 7, 9, 10]
        self.assertEqual(view["times"], [0.01 * step for step in steps])
        self.assertEqual(view["energy"]["total"], [6.0 + 3 * step for step in steps])
        numbers = [Frame.of_numbers(inflate(text)) for text in view["numbers"]]
        self.assertEqual([len(frame.contacts) for frame in numbers], [step % 3 for step in steps])
        self.assertEqual([s["name"] for s in view["sensors"]], ["imu", "skin <of> the lid"])
        self.assertEqual([s["body"] for s in view["sensors"]], [1, 2])
        self.assertEqual(view["sensors"][1]["size"], [0.03, 0.02])
        with open(self.mcap, "rb") as stream:
            read = [json.loads(m.data)["sensors"] for _, _, m in
                    make_reader(stream).iter_messages(topics=["/isobar/sensors"])]
        for step, frame in zip(steps, numbers, strict=True):
            known = [value for sensor in read[step] for value in sensor["values"]]
            single = struct.pack(f"<{len(known)}f", *known)
            self.assertEqual(struct.pack(f"<{len(known)}f", *frame.sensors), single)
        with open(self.mcap, "rb") as stream:
            recorded = [decode(s, m)["contacts"] for s, _, m in
                        make_reader(stream).iter_messages(topics=["/isobar/contacts"])]
        polygons = read_polygons(inflate(view["polygons"][1]), 2)
        for shown, faces, known in zip(numbers[1].contacts, polygons, recorded[2], strict=True):
            for got, want in zip(shown["force"], known["force"], strict=True):
                self.assertAlmostEqual(got, want, delta=1e-6 * abs(want))
            self.assertEqual([len(face) for face in faces], known["polygons"]["counts"])
            self.check_corners([corner for face in faces for corner in face], known["polygons"])

    def check_corners(self, corners, known):
        """Rounded to a hundredth of the mean edge, and to a thousandth of the range of pressures."""
        vertices = [known["vertices"][3 * i:3 * i + 3] for i in range(len(corners))]
        edges, first = [], 0
        for count in known["counts"]:
            ring = vertices[first:first + count]
            edges += [math.dist(a, b) for a, b in zip(ring, ring[1:] + ring[:1])]
            first += count
        edge = sum(edges) / len(edges)
        largest = max(max(v[k] for v in vertices) - min(v[k] for v in vertices) for k in range(3))
        step = max(edge / 100, largest / 65500)
        pressures = known["vertex_pressures"]
        for (x, y, z, pressure), vertex, want in zip(corners, vertices, pressures, strict=True):
            # Half a step each way, and floats.
            self.assertLessEqual(max(abs(a - b) for a, b in zip((x, y, z), vertex)), 0.51 * step)
            self.assertAlmostEqual(pressure, want, delta=0.51 / 1023 * (max(pressures) - min(pressures)))


if __name__ == "__main__":
    try:
        import mcap.exceptions
        import mcap.records
        import vtk
        from mcap.reader import make_reader
        from mcap.stream_reader import StreamReader
    except ImportError as error:
        print(f"skipped: {error}")
        sys.exit(SKIPPED)
    if not WRITER.exists():
        print(f"skipped: {WRITER} is not built")
        sys.exit(SKIPPED)
    unittest.main()
