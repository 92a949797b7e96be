# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Sensors: what a robot would measure in a world (docs/sensors.md)."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ._native import Handle, encode, expect, ffi, lib, no_such, text
from ._struct import Struct, c_array, enum_value, from_c
from .pose import Pose
from .world import World

Array = npt.NDArray[np.float64]


class Sensor(Struct):
    """A sensor of a kind ("joint", "force_torque", "contact", "tactile", "imu", "frame",
    "velocity", "subtree", "fixed_tendon", "range", "acceleration"). joint, body or fixed_tendon, by name; x_bs, its frame S in the body, or in the joint's frame on the child; geometry,
    other_body, other_geometry narrow contact and tactile sensors; a frame or
    velocity is seen from x_or in other_body; is_on_parent turns the sign of forces. Tactile: rows, columns, width, height [m] of
    the grid in the x-y plane of S, reach [m], slip_speed [m/s] of cells that slip, and taxels
    (isobar.tactile.Taxels). Contact: zone ("all", "sphere", "capsule", "cylinder",
    "ellipsoid", "box"), a shape at S in which faces count, and zone_size [m]: radius and half length,
    semi-axes or half sizes. Range: reach [m]."""

    _ctype = "iso_sensor_desc"
    _default = "iso_sensor_desc_default"

    name: str | None
    kind: str
    joint: str | None
    body: str | None
    fixed_tendon: str | None
    x_bs: Pose
    geometry: str | None
    other_body: str | None
    other_geometry: str | None
    x_or: Pose
    is_on_parent: bool
    rows: int
    columns: int
    width: float
    height: float
    reach: float
    source: str | None
    zone: str
    zone_size: Array
    slip_speed: float
    taxels: Any  # isobar.tactile.Taxels


def sensor_kind_name(kind: str) -> str:
    """The word for a kind in scene files and recordings."""
    return text(lib.iso_sensor_kind_name(enum_value("iso_sensor_kind", kind)))


class Sensors:
    """The sensors of a world and their last values: sensors["wrist"] is an array."""

    def __init__(self, world: World, sensors: Sequence[Sensor]) -> None:
        """Values are zero until update()."""
        expect(world, "World", "world")
        array, _held = c_array("iso_sensor_desc", sensors)
        out = ffi.new("iso_sensors**")
        world._context.call(lib.iso_sensors_create, world._handle.pointer, array, len(sensors), out)
        pointer = out[0]
        self._context, self._world = world._context, world
        self._handle = Handle(pointer, lambda: lib.iso_sensors_destroy(pointer), [world._handle])

    def update(self) -> None:
        """Read all sensors. Contacts of the world are computed when it has none yet."""
        world = self._world
        with self._context.lock:
            self._context.call(lib.iso_sensors_update, self._handle.pointer, world._handle.pointer)

    def __repr__(self) -> str:
        return f"<Sensors {', '.join(self.names)}>"

    def __len__(self) -> int:
        return int(lib.iso_sensors_count(self._handle.pointer))

    def index(self, sensor: int | str) -> int:
        """Index by name, or by the end of it where only one matches."""
        pointer = self._handle.pointer
        index = (int(lib.iso_sensors_find(pointer, encode(sensor))) if isinstance(sensor, str)
                 else operator.index(sensor))
        if not 0 <= index < len(self):
            if not isinstance(sensor, str):
                raise IndexError(f"sensor {sensor}, expected 0 to {len(self) - 1}")
            raise no_such("sensor", sensor, self.names)
        return index

    @property
    def names(self) -> list[str]:
        return [text(lib.iso_sensors_desc(self._handle.pointer, i).name) for i in range(len(self))]

    def description(self, sensor: int | str) -> Sensor:
        """What a sensor was made with."""
        value: Sensor = Sensor._copy(
            lib.iso_sensors_desc(self._handle.pointer, self.index(sensor)), self._handle)
        return value

    def frame(self, sensor: int | str) -> tuple[int, Pose]:
        """The body that S is fixed to, and the pose of S in it."""
        pointer, index = self._handle.pointer, self.index(sensor)
        return (int(lib.iso_sensors_body(pointer, index)),
                from_c("iso_pose", lib.iso_sensors_frame(pointer, index)))

    def __getitem__(self, sensor: int | str) -> Array:
        """The values of the last update(), copied."""
        pointer, index = self._handle.pointer, self.index(sensor)
        count = lib.iso_sensors_value_count(pointer, index)
        values = np.empty(count)
        out = ffi.cast("double*", ffi.from_buffer(values))
        self._context.call(lib.iso_sensors_read, pointer, index, out, count)
        return values

    def value_names(self, sensor: int | str) -> list[tuple[str, str]]:
        """Name and unit of each value of a sensor."""
        pointer, index = self._handle.pointer, self.index(sensor)
        return [(text(lib.iso_sensors_value_name(pointer, index, k)),
                 text(lib.iso_sensors_value_unit(pointer, index, k)))
                for k in range(lib.iso_sensors_value_count(pointer, index))]

    def named(self, sensor: int | str) -> dict[str, float]:
        """The values of a sensor by name; those of cells are left out."""
        found: dict[str, float] = {}
        for (name, _), value in zip(self.value_names(sensor), self[sensor]):
            found.setdefault(name, float(value))
        is_grid = self.description(sensor).kind == "tactile"
        return dict(list(found.items())[:6]) if is_grid else found

    def grid(self, sensor: int | str) -> Array:
        """(rows, columns, 6) of a tactile sensor: pressure, shear x, y [Pa], slip velocity x, y
        [m/s], area [m^2]."""
        index = self.index(sensor)
        first = lib.iso_sensors_cell(self._handle.pointer, index, 0, 0)
        if first < 0:
            raise ValueError(f"sensor '{self.names[index]}' has no cells, it is not tactile")
        desc = self.description(index)
        grid: Array = self[index][first:first + 6 * desc.rows * desc.columns]
        return grid.reshape(desc.rows, desc.columns, 6)

    @property
    def have_memory(self) -> bool:
        """Has a tactile sensor hysteresis, so that readings depend on what was before? Then call
        update() after every step."""
        return bool(lib.iso_sensors_have_memory(self._handle.pointer))

    def copy_memory(self, source: World, target: World) -> None:
        """Give a world what the sensors remember in another one of the same model."""
        for world in (source, target):
            expect(world, "World", "world")
        with self._context.lock:
            self._context.call(lib.iso_sensors_copy_memory, self._handle.pointer,
                               source._handle.pointer, target._handle.pointer)

    def states(self, sensor: int | str) -> npt.NDArray[np.int8]:
        """(rows, columns) of a tactile sensor: 0 nothing touches the cell, 1 it sticks, 2 it slips."""
        return self._block(sensor, lib.iso_sensors_states, "states").astype(np.int8)

    def readings(self, sensor: int | str) -> Array:
        """(rows, columns) of a tactile sensor with taxels: what they read."""
        return self._block(sensor, lib.iso_sensors_readings, "readings")

    def _block(self, sensor: int | str, find: Any, what: str) -> Array:
        index = self.index(sensor)
        first, desc = find(self._handle.pointer, index), self.description(index)
        if first < 0:
            raise ValueError(f"sensor '{self.names[index]}' has no {what}, it is not tactile or has "
                             "no taxels")
        block: Array = self[index][first:first + desc.rows * desc.columns]
        return block.reshape(desc.rows, desc.columns)
