# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""The JSON schema of scenarios accepts every scene of the source tree and refuses broken ones."""

import copy
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import jsonschema
import yaml

ROOT = pathlib.Path(os.environ.get("ISOBAR_SOURCE_DIR", pathlib.Path(__file__).parents[3]))


class SceneLoader(yaml.SafeLoader):
    """YAML as Isobar reads it: 1e5 is a number, tags such as !Rpy are dropped."""


SceneLoader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$"),
    list("-+0123456789."),
)
SceneLoader.add_multi_constructor(
    "!", lambda loader, suffix, node: loader.construct_mapping(node, deep=True)
)

GOOD = {
    "simulation": {"time_step": 0.001},
    "bodies": [
        {"name": "world", "geometry": [{"shape": "half_space"}]},
        {
            "name": "ball",
            "mass": 1,
            "geometry": [{"shape": "sphere", "radius": 0.1, "friction": 0.5}],
            "pose": {"translation": [0, 0, 1], "rotation": {"deg": [0, 0, 90]}},
        },
    ],
    "actuation": [{"joint": "j", "effort": {"type": "constant", "value": 2}}],
    "sensors": [{"name": "t", "type": "contact", "body": "ball",
                 "zone": {"shape": "box", "size": [0.1, 0.1, 0.01]}}],
}

# What is done to GOOD, and where the schema must complain.
BROKEN = [
    (lambda s: s.update(bodys=[]), "bodys"),
    (lambda s: s["simulation"].update(time_step=0), "time_step"),
    (lambda s: s["simulation"].update(time_step="fast"), "time_step"),
    (lambda s: s["simulation"].update(method="magic"), "method"),
    (lambda s: s["simulation"].update(method="radau", accuracy=2), "accuracy"),
    (lambda s: s["simulation"].update(gravity=[0, 1]), "gravity"),
    (lambda s: s["simulation"].update(margin=1), "margin"),
    (lambda s: s["bodies"][1].pop("name"), "bodies"),
    (lambda s: s["bodies"][1].pop("mass"), "bodies"),
    (lambda s: s["bodies"][1].update(mass=-1), "bodies"),
    (lambda s: s["bodies"][0].update(mass=1), "bodies"),
    (lambda s: s["bodies"][1]["geometry"][0].update(shape="blob"), "bodies"),
    (lambda s: s["bodies"][1]["geometry"][0].pop("radius"), "bodies"),
    (lambda s: s["bodies"][1]["geometry"][0].update(friction=-0.1), "bodies"),
    (lambda s: s["bodies"][1]["geometry"][0].update(friction=1e9), "bodies"),
    (lambda s: s["bodies"][1]["geometry"][0].update(modulus=1e30), "bodies"),
    (lambda s: s["sensors"][0]["zone"].update(shape="mesh"), "sensors"),
    (lambda s: s["bodies"][1]["pose"].update(rotation={"deg": [1, 2]}), "bodies"),
    (lambda s: s["bodies"][1]["pose"].update(rotation={"gamma": 1}), "bodies"),
    (lambda s: s.update(directives=[{"add_robot": {}}]), "directives"),
    (lambda s: s.update(directives=[{"add_model": {"name": "m"}}]), "directives"),
    (lambda s: s["actuation"][0].pop("joint"), "actuation"),
    (lambda s: s["actuation"][0].update(effort={"type": "square_wave"}), "actuation"),
    (lambda s: s["actuation"][0].pop("effort"), "actuation"),
    (lambda s: s.update(excluded_geometries=[{"geometry_a": "*"}]), "excluded_geometries"),
]


# Where an unknown key is put into a scene, and the place in the schema that lists the known ones.
BALL = "bodies:\n- {name: a, mass: 1, inertia: [1, 1, 1]%s}\n"
KEYS = [
    ("x_: 1\n", "properties"),
    ("simulation: {x_: 1}\n", "properties/simulation/oneOf/0/properties"),
    ("default_material: {x_: 1}\n", "$defs/properties/oneOf/0/properties"),
    ("contact_overrides: [{x_: 1}]\n",
     "properties/contact_overrides/oneOf/0/items/properties"),
    (BALL % ", x_: 1", "$defs/body/properties"),
    ("bodies: [{name: world, x_: 1}]\n", "$defs/world/properties"),
    (BALL % ", geometry: [{x_: 1}]", "$defs/geometry/properties"),
    (BALL % ", visuals: [{x_: 1}]", "$defs/visual/properties"),
    (BALL % ", pose: {x_: 1}", "$defs/pose/oneOf/0/properties"),
    (BALL % ", velocity: {x_: 1}", "$defs/velocity/oneOf/0/properties"),
    ("joints: [{x_: 1}]\n", "$defs/joint/properties"),
    (BALL % "" + "joints: [{name: j, type: revolute, parent: world, child: a, limits: {x_: 1}}]\n",
     "$defs/joint/properties/limits/oneOf/0/properties"),
    ("couplers: [{x_: 1}]\n", "$defs/coupler/properties"),
    ("fixed_tendons: [{x_: 1}]\n", "$defs/fixed_tendon/properties"),
    ("fixed_tendons: [{name: t, limits: {x_: 1}}]\n",
     "$defs/fixed_tendon/properties/limits/oneOf/0/properties"),
    ("constraints: [{x_: 1}]\n", "$defs/constraint/properties"),
    ("initial: [{body: a, x_: 1}]\n", "properties/initial/oneOf/0/items/oneOf/0/properties"),
    ("initial: [{joint: a, x_: 1}]\n", "properties/initial/oneOf/0/items/oneOf/1/properties"),
    ("excluded_geometries: [{x_: 1}]\n",
     "properties/excluded_geometries/oneOf/0/items/properties"),
    ("actuation: [{x_: 1}]\n", "properties/actuation/oneOf/0/items/properties"),
    ("forces: [{x_: 1}]\n", "$defs/force/properties"),
    ("programs: [{x_: 1}]\n", "$defs/program/properties"),
    ("criteria: [{x_: 1}]\n", "$defs/criterion/properties"),
    ("directives: [{add_model: {x_: 1}}]\n",
     "properties/directives/oneOf/0/items/oneOf/0/properties/add_model/properties"),
    ("directives: [{add_collision_filter_group: {x_: 1}}]\n",
     "properties/directives/oneOf/0/items/oneOf/4/properties/add_collision_filter_group"
     "/properties"),
]


# Where a value is put, and the place in the schema that has its unit and range.
JOINT = "joints: [{name: j, type: revolute, parent: world, child: a, %s}]\n"
TENDON = JOINT % "axis: [0, 0, 1]" + "fixed_tendons: [{name: t, joints: [j], weights: [1], %s}]\n"
PROGRAM = JOINT % "axis: [0, 0, 1]" + "programs: [{name: p, joints: [j], %s}]\n"
GEOMETRY = "bodies: [{name: a, mass: 1, geometry: [{%s}]}]\n"
VALUES = [
    ("simulation: {%s}\n", "properties/simulation/oneOf/0/properties"),
    ("simulation: {friction_law: brush, method: rk45, %s}\n",
     "properties/simulation/oneOf/0/properties"),
    ("default_material: {%s}\n" + BALL % "", "$defs/properties/oneOf/0/properties"),
    ("default_material: {friction: {bristle: {sigma0: 1, %s}}}\n" + BALL % "",
     "$defs/properties/oneOf/0/properties/friction/anyOf/3/properties/bristle/properties"),
    ("bodies: [{name: a, inertia: [1, 1, 1], %s}]\n", "$defs/body/properties"),
    (GEOMETRY % "shape: sphere, %s", "$defs/geometry/properties"),
    (GEOMETRY % "shape: capsule, radius: 1, %s", "$defs/geometry/properties"),
    (BALL % "" + JOINT, "$defs/joint/properties"),
    (BALL % "" + JOINT % "limits: {%s}", "$defs/joint/properties/limits/oneOf/0/properties"),
    (BALL % "" + TENDON, "$defs/fixed_tendon/properties"),
    (BALL % "" + JOINT % "axis: [0, 0, 1]" + "actuation: [{joint: j, effort: 1, %s}]\n",
     "properties/actuation/oneOf/0/items/properties"),
    (BALL % "" + PROGRAM, "$defs/program/properties"),
    (BALL % "" + PROGRAM % "steps: [{until: {time: 1}, %s}]", "$defs/program_step/properties"),
    (BALL % "" + "sensors: [{name: s, type: tactile, body: a, %s}]\n", "$defs/sensor/properties"),
    ("events: {%s}\n" + BALL % "", "properties/events/oneOf/0/properties"),
    (BALL % "" + "criteria: [{name: c, when: {time: 1}, %s}]\n", "$defs/criterion/properties"),
    (BALL % "" + "constraints: [{name: c, type: tendon, body_a: a, body_b: world, %s}]\n",
     "$defs/constraint/properties"),
]


def low_values(properties):
    """(key, units) of numbers that may not be -2 and have a unit, [N m] or [N]."""
    for key, value in properties.items():
        low = value.get("minimum", value.get("exclusiveMinimum"))
        units = re.findall(r"\[(?![-\d])([^],]*)\]", value.get("description", ""))
        # friction is a coefficient elsewhere: the reader tells no unit.
        if low is not None and low >= 0 and units and key != "friction":
            yield key, units


def message_of(text):
    """What the reader says of a scene; "" when it likes it."""
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        file.write(text)
        file.flush()
        return subprocess.run(["isobar", "inspect", "--quiet", file.name], capture_output=True,
                              text=True, check=False).stderr


def keys_of_reader(text):
    """The keys that the reader says it expects where `text` has the key x_."""
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        file.write(text)
        file.flush()
        result = subprocess.run(["isobar", "inspect", file.name], capture_output=True, text=True,
                                check=False)
    match = re.search(r"unknown key 'x_' in .*, expected one of (.*)$", result.stderr.strip())
    if result.returncode == 0 or not match:
        raise AssertionError(f"{text}: {result.stderr}")
    return set(match.group(1).split(", "))


class Schema(unittest.TestCase):
    def setUp(self):
        self.schema = json.loads((ROOT / "docs/scenario.schema.json").read_text())
        jsonschema.Draft7Validator.check_schema(self.schema)
        self.validator = jsonschema.Draft7Validator(self.schema)

    def test_every_scene_of_the_source_tree_is_valid(self):
        paths = sorted((ROOT / "scenes").rglob("*.yaml"))
        self.assertGreaterEqual(len(paths), 9)
        for path in paths:
            scene = yaml.load(path.read_text(), SceneLoader)
            errors = [f"{list(e.path)}: {e.message}" for e in self.validator.iter_errors(scene)]
            self.assertEqual(errors, [], f"{path}")

    def test_a_plain_file_of_directives_is_valid(self):
        text = """
directives:
- add_model:
    name: iiwa
    file: package://drake_models/iiwa_description/urdf/iiwa14_primitive_collision.urdf
    default_joint_positions: {iiwa_joint_1: [-1.57]}
- add_frame:
    name: table_top
    X_PF: {base_frame: world, translation: [0, 0, 1.0], rotation: !Rpy {deg: [0, 0, 90]}}
- add_weld: {parent: world, child: "iiwa::base"}
"""
        self.validator.validate(yaml.load(text, SceneLoader))

    @unittest.skipUnless(shutil.which("isobar"), "the command is not built")
    def test_the_schema_has_the_keys_that_the_reader_knows(self):
        for text, place in KEYS:
            node = self.schema
            for part in place.split("/"):
                node = node[int(part)] if isinstance(node, list) else node[part]
            with self.subTest(place=place):
                self.assertEqual(set(node), keys_of_reader(text))

    def test_what_the_schema_is_tested_with_is_valid(self):
        self.validator.validate(GOOD)

    def test_broken_scenes_are_refused_at_the_right_place(self):
        for number, (damage, place) in enumerate(BROKEN):
            scene = copy.deepcopy(GOOD)
            damage(scene)
            errors = list(self.validator.iter_errors(scene))
            self.assertTrue(errors, f"broken scene {number} is accepted")
            said = " ".join(f"{list(e.path)} {e.message}" for e in errors)
            self.assertIn(place, said, f"broken scene {number}")

    def test_a_value_out_of_range_is_told_with_its_unit(self):
        told = set()
        for text, place in VALUES:
            properties = self.schema
            for part in place.split("/"):
                properties = properties[int(part) if part.isdigit() else part]
            for key, units in low_values(properties):
                message = message_of(text % f"{key}: -2")
                found = re.search(rf"{key} is -2(.*), expected >", message)
                if found:  # else another key is asked for first
                    told.add(key)
                    self.assertTrue(all(unit in found[1] for unit in units), f"{message}{units}")
        self.assertGreaterEqual(len(told), 40, sorted(told))


if __name__ == "__main__":
    unittest.main()
