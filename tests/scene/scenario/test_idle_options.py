# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Options of scenarios that count for nothing where they stand are said, and only there.

Each key of materials, simulation and events in the schema is here with a context in which it is
idle and one in which it counts, or among those that count always: a new key needs a decision.
Skipped where the shared library is missing.
"""

import copy
import json
import logging
import os
import pathlib
import sys
import tempfile
import unittest

try:
    import isobar
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

IDLE = "(counts|not count|is ignored|left out|does not have)"
ROOT = pathlib.Path(os.environ.get("ISOBAR_SOURCE_DIR", pathlib.Path(__file__).parents[3]))
SCHEMA = json.loads((ROOT / "docs" / "scenario.schema.json").read_text(encoding="utf-8"))

RIGID = {"ball": {"compliance": "rigid"}}
SLAB = {"ball": {"shape": "half_space"}, "floor": {"shape": "box", "size": [1, 1, 1]}}
BOX = {"ball": {"shape": "box", "size": [0.1, 0.1, 0.1]}}
HERTZ = {"simulation": {"contact_model": "hertz", "method": "rk45"}}
SAP = {"simulation": {"method": "sap"}}
RK4 = {"simulation": {"method": "rk4"}}
RK45 = {"simulation": {"method": "rk45"}}
REGULAR = {"simulation": {"friction": "regularized"}}
TWO_RIGID = {"floor": {"compliance": "rigid"}, "ball": {"compliance": "rigid"}}
SAID = {"friction_static": "static friction"}


def and_(*contexts):
    """Contexts together."""
    result = {}
    for context in contexts:
        for part, keys in context.items():
            result.setdefault(part, {}).update(keys)
    return result


def beside(**keys):
    return {"ball": keys}


# key: (value, context in which it is idle, context in which it counts)
MATERIAL = {
    "modulus": (1e6, RIGID, {}),
    "stiffening": (0.5, RIGID, {}),
    "modulus_table": ([[0, 1e6], [1, 2e6]], RIGID, {}),
    "margin": (1e-4, RIGID, {}),
    "extent": ("distance", RIGID, {}),
    "layers": (2, RIGID, {}),
    "slab_thickness": (0.1, {}, SLAB),
    "resolution_hint": (0.05, BOX, {}),
    "keep_mesh": (True, {}, None),
    "bonded_skin": (True, {}, None),
    "dissipation": (3.0, SAP, {}),
    "expansion_rate": (10.0, SAP, {}),
    "restitution": (0.5, SAP, {}),
    "restitution_speed": (2.0, {}, beside(restitution=0.5)),
    "restitution_slope": (0.1, {}, beside(restitution=0.5)),
    "relaxation_time": (0.2, {}, SAP),
    "friction_static": (0.8, and_(SAP, beside(friction_dynamic=0.3)), beside(friction_dynamic=0.3)),
    "young_modulus": (1e6, {}, HERTZ),
    "poisson_ratio": (0.4, {}, HERTZ),
}
# adhesion, and bristles of friction: errors where they cannot be
ALWAYS_OF_MATERIAL = {"compliance", "friction", "friction_dynamic", "model", "adhesion"}

SIMULATION = {
    "accuracy": (1e-4, {}, RK45),
    "max_substeps": (100, {}, RK45),
    "initial_step": (1e-4, {}, RK45),
    "max_step": (1e-3, {}, RK45),
    "friction": ("stick", SAP, {}),
    "friction_law": ("tanh", {}, RK45),
    "friction_stiffness": (1e4, REGULAR, {}),
    "friction_damping_time": (1e-3, REGULAR, {}),
    "brush_size": (1e-2, RK45, and_(RK45, {"simulation": {"friction_law": "brush"}})),
    "rigid_layer_thickness": (1e-3, {}, TWO_RIGID),
    "rigid_layer_modulus": (1e7, {}, TWO_RIGID),
    "point_parameters": ("hertz", {}, None),
}
SIMULATION["accuracy"] = (1e-4, RK4, RK45)
ALWAYS_OF_SIMULATION = {"time_step", "until", "gravity", "method", "representation", "cull", "combine", "damping",
                        "regularization", "stiction_velocity", "contact_model", "massless", "threads"}

EVENTS = {"slip_speed": (0.1, {"events": {"slip": False}}, {"events": {"slip": True}})}
ALWAYS_OF_EVENTS = {"contacts", "slip"}


def scenario(context):
    parts = copy.deepcopy(context)
    floor = {"name": "top", "shape": "half_space", "compliance": "rigid"} | parts.get("floor", {})
    ball = {"name": "skin", "shape": "sphere", "compliance": "compliant"} | parts.get("ball", {})
    ball |= {"radius": 0.1} if ball["shape"] == "sphere" else {}
    body = {"name": "ball", "mass": 1, "inertia": [1, 1, 1], "geometry": [ball], "pose": {"translation": [0, 0, 1]}}
    result = {"simulation": {"time_step": 1e-3} | parts.get("simulation", {}),
              "bodies": [{"name": "floor", "fixed": True, "geometry": [floor]}, body]}
    return result | ({"events": parts["events"]} if "events" in parts else {})


def keys_of(*path):
    node = SCHEMA
    for part in path:
        node = node[part]
    return set(node)


class Idle(unittest.TestCase):
    def warnings(self, context):
        with tempfile.TemporaryDirectory() as folder, self.assertLogs("isobar", "WARNING") as logs:
            path = pathlib.Path(folder) / "s.yaml"
            path.write_text(json.dumps(scenario(context)), encoding="utf-8")
            logging.getLogger("isobar").warning("so that there is one")
            isobar.load(path).create_world()
        return "\n".join(logs.output[1:])

    def check(self, part, rows):
        for key, (value, idle, live) in rows.items():
            with self.subTest(key=key):
                own = {part: {key: value}}
                said = self.warnings(and_(idle, own))
                word = SAID.get(key, key)
                self.assertRegex(said, rf"(?m)^(?=.*\b{word}\b).*{IDLE}", "where it is idle")
                if live is not None:
                    self.assertNotRegex(self.warnings(and_(live, own)), rf"(?m)^(?=.*\b{word}\b).*{IDLE}", "where it counts")

    def test_every_key_of_materials_that_is_idle_is_said(self):
        self.assertEqual(MATERIAL.keys() | ALWAYS_OF_MATERIAL, keys_of("$defs", "properties", "oneOf", 0, "properties"))
        self.check("ball", MATERIAL)

    def test_every_key_of_simulation_that_is_idle_is_said(self):
        self.assertEqual(SIMULATION.keys() | ALWAYS_OF_SIMULATION,
                         keys_of("properties", "simulation", "oneOf", 0, "properties"))
        self.check("simulation", SIMULATION)

    def test_every_key_of_events_that_is_idle_is_said(self):
        self.check("events", EVENTS)
        self.assertIn("looks for nothing", self.warnings({"events": {"contacts": False, "slip": False}}))

    def test_a_key_that_one_of_those_that_state_it_uses_is_not_said(self):
        context = and_(RIGID, beside(modulus=1e6), {"floor": {"compliance": "compliant", "slab_thickness": 0.1, "modulus": 1e6}})
        self.assertEqual(self.warnings(context), "")

    def test_a_default_material_that_nothing_uses_is_said(self):
        with tempfile.TemporaryDirectory() as folder, self.assertLogs("isobar", "WARNING") as logs:
            path = pathlib.Path(folder) / "s.yaml"
            path.write_text(json.dumps(scenario({}) | {"default_material": {"slab_thickness": 0.1}}), encoding="utf-8")
            isobar.load(path)
        self.assertIn("slab_thickness of", logs.output[0])


if __name__ == "__main__":
    unittest.main()
