# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Many worlds of one structure, driven and read through arrays."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ._native import Context, Handle, error_class, expect, ffi, lib, text
from ._struct import c_array, enum_value
from .sensor import Sensor
from .world import World

Array = npt.NDArray[np.float64]


def _doubles(array: Array | None) -> Any:
    return ffi.NULL if array is None else ffi.cast("double*", array.ctypes.data)


class WorldVector:
    """Many worlds of one structure that are driven and read through arrays, one row a world, by
    threads of C's: no Python runs per world. Each world is a clone of one of several variants, which
    differ in numbers (masses, materials, friction, sizes); a reset may put it into another one. Every
    world comes to the same bits as when it is stepped alone."""

    def __init__(self, variants: Sequence[World], count: int, thread_count: int = 1,
                 sensors: Sequence[Sensor] = ()) -> None:
        """variants: in the state in which worlds start; they must not be stepped any more. sensors:
        read by sensor_values. thread_count: 1 to 256."""
        for index, world in enumerate(variants):
            expect(world, "World", f"variant {index}")
        context, out = Context(), ffi.new("iso_vector**")
        pointers = ffi.new("iso_world*[]", [world._handle.pointer for world in variants])
        array, _held = c_array("iso_sensor_desc", sensors)
        desc = ffi.new("iso_vector_desc*")
        desc.variants, desc.variant_count, desc.world_count = pointers, len(variants), count
        desc.thread_count, desc.sensors, desc.sensor_count = thread_count, array, len(sensors)
        context.call(lib.iso_vector_create, context.pointer, desc, out)
        pointer = out[0]
        self._context, self._lock = context, threading.RLock()
        self._handle = Handle(pointer, lambda: lib.iso_vector_destroy(pointer),
                              [context.handle, *(world._handle for world in variants)])
        self._variants = list(variants)
        first = variants[0]
        self.body_names, self.joint_names = first.body_names, first.joint_names
        self.actuator_names = first.actuator_names
        self._columns: dict[str, slice] = {}
        widths, at = [first_width(first, sensor) for sensor in sensors], 0
        for sensor, width in zip(sensors, widths):
            self._columns[str(sensor.name)] = slice(at, at + width)
            at += width

    def __len__(self) -> int:
        return int(lib.iso_vector_count(self._handle.pointer))

    def __repr__(self) -> str:
        return f"<WorldVector of {len(self)} worlds of {len(self._variants)} variants>"

    def variant_world(self, variant: int) -> World:
        """A variant, to look up names, indices and its start."""
        return self._variants[variant]

    def close(self) -> None:
        """Release it and its worlds now; the variants stay."""
        self._handle.release()

    # Acting

    def step(self, count: int = 1, actuations: npt.ArrayLike | None = None) -> None:
        """Advance every world by `count` steps. actuations: (worlds, actuators, 3) feed_forward,
        position, velocity, held until changed. A world that cannot step stays where it is: see
        failed."""
        rows = None
        if actuations is not None:
            shape = (len(self), len(self.actuator_names), 3)
            rows = np.ascontiguousarray(np.broadcast_to(actuations, shape), dtype=np.float64)
        with self._lock:
            self._context.call(lib.iso_vector_step, self._handle.pointer,
                               ffi.cast("iso_actuation*", _doubles(rows)), count)

    def reset(self, mask: npt.ArrayLike | None = None, variants: npt.ArrayLike | None = None,
              q: npt.ArrayLike | None = None, v: npt.ArrayLike | None = None) -> None:
        """Put worlds back to the start: those of mask (worlds,), all by default; each into its variant
        of variants (worlds,), with positions q (worlds, q_count) and velocities v (worlds, v_count)
        in place of the variant's."""
        count = len(self)
        chosen = None if mask is None else np.ascontiguousarray(
            np.broadcast_to(mask, (count,)), dtype=np.bool_)
        kinds = None if variants is None else np.ascontiguousarray(
            np.broadcast_to(variants, (count,)), dtype=np.int32)
        widths = [lib.iso_vector_width(self._handle.pointer, enum_value("iso_vector_field", name))
                  for name in ("q", "v")]
        rows = [None if given is None else np.ascontiguousarray(
            np.broadcast_to(given, (count, width)), dtype=np.float64)
            for given, width in zip((q, v), widths)]
        with self._lock:
            self._context.call(
                lib.iso_vector_reset, self._handle.pointer,
                ffi.NULL if chosen is None else ffi.cast("bool*", chosen.ctypes.data),
                ffi.NULL if kinds is None else ffi.cast("int*", kinds.ctypes.data),
                _doubles(rows[0]), _doubles(rows[1]))

    # Reading

    def _read(self, field: str, columns: int) -> Array:
        value, pointer = enum_value("iso_vector_field", field), self._handle.pointer
        width = int(lib.iso_vector_width(pointer, value))
        out = np.empty((len(self), width))
        with self._lock:
            self._context.call(lib.iso_vector_read, pointer, value, _doubles(out))
        return out if columns == 0 else out.reshape(len(self), -1, columns)

    @property
    def q(self) -> Array:
        """(worlds, q_count) positions."""
        return self._read("q", 0)

    @property
    def v(self) -> Array:
        """(worlds, v_count) velocities."""
        return self._read("v", 0)

    @property
    def times(self) -> Array:
        """(worlds,) [s]"""
        return self._read("time", 0)[:, 0]

    @property
    def body_poses(self) -> Array:
        """(worlds, bodies, 7) position [m] and quaternion w x y z; in W."""
        return self._read("body_poses", 7)

    @property
    def body_twists(self) -> Array:
        """(worlds, bodies, 6) angular velocity [rad/s], velocity of the origin [m/s]; in W."""
        return self._read("body_twists", 6)

    @property
    def contact_forces(self) -> Array:
        """(worlds, bodies, 3) sum of all contacts in the last step [N], in W."""
        return self._read("contact_forces", 3)

    @property
    def joint_efforts(self) -> Array:
        """(worlds, joints) of actuators in the last step [N m] or [N]."""
        return self._read("efforts", 0)

    @property
    def sensor_values(self) -> Array:
        """(worlds, values of all sensors)."""
        return self._read("sensors", 0)

    def sensor_columns(self, sensor: str) -> slice:
        """Columns of a sensor in sensor_values."""
        if sensor not in self._columns:
            raise KeyError(f"there is no sensor '{sensor}', expected one of "
                           + ", ".join(self._columns))
        return self._columns[sensor]

    @property
    def failed(self) -> npt.NDArray[np.bool_]:
        """(worlds,) which worlds the last step() could not step."""
        out = np.zeros(len(self), dtype=np.bool_)
        lib.iso_vector_failures(self._handle.pointer, ffi.cast("bool*", out.ctypes.data))
        return out

    @property
    def variants(self) -> npt.NDArray[np.int32]:
        """(worlds,) of which variant each is."""
        pointer = self._handle.pointer
        return np.array([lib.iso_vector_variant(pointer, i) for i in range(len(self))],
                        dtype=np.int32)

    def status(self, world: int) -> type[Any] | None:
        """Class of the error of a world's last step, or None."""
        status = lib.iso_vector_status(self._handle.pointer, world)
        return None if status == lib.ISO_OK else error_class(status)

    # Checkpoints

    def save(self) -> list[tuple[int, bytes]]:
        """Variant and whole state of every world."""
        states = []
        with self._lock:
            for index, variant in enumerate(self.variants):
                world = lib.iso_vector_world(self._handle.pointer, index)
                size, written = lib.iso_world_state_size(world), ffi.new("size_t*")
                buffer = ffi.new("char[]", size)
                self._check(lib.iso_world_save(world, buffer, size, written), world)
                states.append((int(variant), bytes(ffi.buffer(buffer, written[0]))))
        return states

    def restore(self, states: Sequence[tuple[int, bytes]]) -> None:
        """Take over what save() gave; the worlds go on with the same bits."""
        if len(states) != len(self):
            raise ValueError(f"{len(states)} states, expected {len(self)}")
        with self._lock:
            self.reset(variants=[variant for variant, _ in states])
            for index, (_, state) in enumerate(states):
                world = lib.iso_vector_world(self._handle.pointer, index)
                self._check(lib.iso_world_restore(world, ffi.from_buffer(state), len(state)), world)

    def _check(self, status: int, world: Any) -> None:
        if status != lib.ISO_OK:
            message = text(lib.iso_context_error(lib.iso_world_context(world)))
            raise error_class(status)(message or text(lib.iso_status_text(status)))


def first_width(world: World, sensor: Sensor) -> int:
    """Numbers that a sensor gives."""
    from .sensor import Sensors
    return len(Sensors(world, [sensor])[str(sensor.name)].ravel())
