# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Reads a scenario file (docs/scene_format.md) for the engines Isobar is compared with."""

import dataclasses
import math
import pathlib
import re

import numpy as np
import yaml


class _Loader(yaml.SafeLoader):
    """YAML as Isobar reads it: 1e5 is a number, a tag on a mapping is kept under the key '!'."""


_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"^[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?$|^[-+]?\.inf$|^\.nan$"),
    list("-+0123456789."),
)


def _tagged(loader, suffix, node):
    value = loader.construct_mapping(node, deep=True) if node.value else {}
    return {"!": suffix, **value}


_Loader.add_multi_constructor("!", _tagged)


def _use_degrees(node):
    """Turn {rad: [...]}, which only Isobar knows, into {deg: [...]} below a YAML node."""
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value == "rad" and isinstance(value, yaml.SequenceNode):
                key.value = "deg"
                for angle in value.value:
                    angle.value = repr(math.degrees(float(angle.value)))
            else:
                _use_degrees(value)
    elif isinstance(node, yaml.SequenceNode):
        for item in node.value:
            _use_degrees(item)


@dataclasses.dataclass
class Scenario:
    """A file as plain Python: `root` its sections, `directives` that section as YAML text."""

    path: pathlib.Path
    root: dict
    directives: str
    packages: dict

    @property
    def name(self):
        return self.root.get("name", self.path.stem)

    @property
    def time_step(self):
        return float(self.simulation.get("time_step", 1e-3))

    @property
    def until(self):
        return float(self.simulation.get("until", 1.0))

    @property
    def simulation(self):
        return self.root.get("simulation") or {}

    def section(self, name):
        return self.root.get(name) or []

    def named_material(self, properties):
        """The contact properties of a geometry: those of its named material, then its own."""
        merged = dict((self.root.get("materials") or {}).get(properties.get("material"), {}))
        merged.update({key: value for key, value in properties.items() if key in PROPERTIES})
        return merged


PROPERTIES = (
    "compliance",
    "modulus",
    "resolution_hint",
    "margin",
    "slab_thickness",
    "dissipation",
    "relaxation_time",
    "friction",
    "friction_static",
    "friction_dynamic",
)


def read(path, packages=(), settings=()):
    """Read a scenario file.

    packages  {name: directory}, beside those the file names
    settings  {"simulation.time_step": 0.01, ...}; the section simulation only
    """
    path = pathlib.Path(path)
    text = path.read_text()
    root = yaml.load(text, _Loader) or {}
    directives = ""
    for key, value in yaml.compose(text, _Loader).value:
        if key.value == "directives":
            _use_degrees(value)
            directives = "directives:\n" + yaml.serialize(value)
    for key, value in dict(settings).items():
        section, name = key.split(".")
        if section != "simulation":
            raise ValueError(f"{key}: only simulation.* can be changed")
        root.setdefault("simulation", {})[name] = value
    found = {name: path.parent / place for name, place in (root.get("packages") or {}).items()}
    found.update({name: pathlib.Path(place) for name, place in dict(packages).items()})
    return Scenario(path, root, directives, found)


def rotation(value):
    """A 3x3 matrix from {deg | rad}, {angle_deg | angle_rad, axis}, {wxyz} or nothing."""
    if not value or value.get("!") == "Identity":
        return np.eye(3)
    if "deg" in value or "rad" in value:
        angles = value["rad"] if "rad" in value else np.radians(value["deg"])
        roll, pitch, yaw = (float(angle) for angle in angles)
        return _about(2, yaw) @ _about(1, pitch) @ _about(0, roll)
    if "axis" in value:
        degrees = value.get("angle_deg")
        angle = math.radians(degrees) if degrees is not None else float(value["angle_rad"])
        axis = np.array(value["axis"], float)
        axis /= np.linalg.norm(axis)
        cross = np.cross(np.eye(3), axis)
        return np.eye(3) - math.sin(angle) * cross + (1 - math.cos(angle)) * cross @ cross
    if "wxyz" in value:
        w, x, y, z = np.array(value["wxyz"], float) / np.linalg.norm(value["wxyz"])
        cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        return np.eye(3) + 2 * w * cross + 2 * cross @ cross
    raise ValueError(f"unknown rotation {value}")


def _about(axis, angle):
    i, j = (axis + 1) % 3, (axis + 2) % 3
    matrix = np.eye(3)
    matrix[i, i] = matrix[j, j] = math.cos(angle)
    matrix[j, i] = math.sin(angle)
    matrix[i, j] = -math.sin(angle)
    return matrix


def pose(value):
    """(3x3 rotation, translation, base frame or 'world') of {translation, rotation, base_frame}."""
    value = value or {}
    translation = np.array(value.get("translation", [0, 0, 0]), float)
    return rotation(value.get("rotation")), translation, value.get("base_frame", "world")


def signal(value):
    """A function of time from a number or {type: constant | square_wave | table, ...}."""
    if not isinstance(value, dict):
        return lambda time, constant=float(value): constant
    kind = value["type"]
    if kind == "constant":
        return lambda time, constant=float(value["value"]): constant
    if kind == "table":
        times, values = np.array(value["times"], float), np.array(value["values"], float)
        return lambda time: float(np.interp(time, times, values))
    if kind != "square_wave":
        raise ValueError(f"unknown signal {kind}")
    offset, amplitude = float(value.get("offset", 0)), float(value["amplitude"])
    period, duty = float(value["period"]), float(value.get("duty", 0.5))
    phase = float(value.get("phase", 0))

    def wave(time):
        # The share of the period that is over, as Isobar computes it: a tie must fall the same way.
        turns = (time + phase) / period
        return offset + (amplitude if turns - math.floor(turns) < duty else 0.0)

    return wave
