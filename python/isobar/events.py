# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""What happens within steps of a world, and the state between their ends."""

from __future__ import annotations

import dataclasses
import math
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ._native import Context, Handle, callback, encode, expect, ffi, lib, text
from ._struct import enum_name, enum_value, from_c

if TYPE_CHECKING:
    from .world import World

Array = npt.NDArray[np.float64]
#: Of the time [s], the poses [body_count] and the twists (body_count, 6): zero where it happens.
EventFunction = Callable[[float, list[Any], Array], float]


@dataclasses.dataclass(frozen=True)
class Event:
    """Something that happened in the last step: kind, "contact_begins", "contact_ends",
    "slip_begins", "slip_ends", "function" or "level"; time [s]; body_a, body_b, geometry_a,
    geometry_b, names, "" of others; function, the name of a function or level, "" of a contact;
    direction, 1 where that rises, -1 where it falls."""

    kind: str
    time: float
    body_a: str = ""
    body_b: str = ""
    geometry_a: str = ""
    geometry_b: str = ""
    function: str = ""
    direction: int = 0


def event_from(e: Any, name_of: Callable[[int], str]) -> Event:
    """Of an iso_event; name_of: of a body, "" of -1."""
    return Event(enum_name("iso_event_kind", e.kind), e.time, name_of(e.body_a), name_of(e.body_b),
                 text(e.geometry_name_a), text(e.geometry_name_b), text(e.function_name), e.direction)


@dataclasses.dataclass(frozen=True)
class EventLevel:
    """A level that a quantity passes: quantity, "joint_position", "joint_velocity", "body_x",
    "body_y", "body_z" or "body_speed", `of` a joint or body; direction, 1: rising, -1: falling, 0:
    both; name of the event, else as `of`."""

    quantity: str
    of: str
    level: float
    direction: int = 0
    name: str = ""


class Watched:
    """The part of a World that looks into its steps."""

    _context: Context
    _handle: Handle
    _event_functions: list[Any]
    _event_error: BaseException | None = None

    def watch(self, *, contacts: bool = True, slip: bool = True, slip_speed: float = 1e-3,
              functions: Mapping[str, EventFunction] | None = None,
              levels: Sequence[EventLevel] = ()) -> None:
        """From now on find events in each step, and keep the state within it: contacts that begin
        and end, slip beyond slip_speed [m/s], where functions pass zero and quantities levels. A function is given
        time, poses and twists (angular; of the origin) of all bodies. Watching changes no motion
        and makes no step shorter. A function may ask the world, not change it; its exceptions come
        out of step(). docs/theory/events.md."""
        kept: list[Any] = []
        table = ffi.new("iso_event_function[]", max(len(functions or {}), 1))
        for index, (name, function) in enumerate((functions or {}).items()):
            names = ffi.new("char[]", encode(name))
            value = self._event_value(function)
            kept += [names, value]
            table[index].name, table[index].value = names, value
        desc = ffi.new("iso_watch_desc*", lib.iso_watch_desc_default())
        desc.with_contacts, desc.with_slip, desc.slip_speed = contacts, slip, slip_speed
        desc.functions, desc.function_count = table, len(functions or {})
        rows = ffi.new("iso_event_level[]", max(len(levels), 1))
        for row, level in zip(rows, levels):
            row.quantity = enum_value("iso_level_quantity", level.quantity)
            texts = [ffi.new("char[]", encode(level.of)),
                     ffi.new("char[]", encode(level.name or level.of))]
            row.of, row.name = texts
            row.level, row.direction = level.level, level.direction
            kept += texts
        desc.levels, desc.level_count = rows, len(levels)
        self._context.call(lib.iso_world_watch, self._handle.pointer, desc)
        self._event_functions = kept

    def _event_value(self, function: EventFunction) -> Any:
        count = int(lib.iso_world_body_count(self._handle.pointer))
        self_ref = weakref.ref(self)

        @callback("double(void*, double, const iso_pose*, const iso_spatial*)")
        def value(_user: Any, time: float, x_wb: Any, v_wb: Any) -> float:
            try:
                poses = [from_c("iso_pose", x_wb[i]) for i in range(count)]
                twists = np.frombuffer(ffi.buffer(v_wb, count * ffi.sizeof("iso_spatial")),
                                       dtype=np.float64).reshape(count, 6).copy()
                return float(function(time, poses, twists))
            except BaseException as error:  # carried over the C frames, raised again by step()
                world = self_ref()
                if world is not None:
                    world._event_error = error
                return math.nan

        return value

    def unwatch(self) -> None:
        """Find events no more."""
        self._context.call(lib.iso_world_watch, self._handle.pointer, ffi.NULL)
        self._event_functions = []

    @property
    def events(self) -> list[Event]:
        """What happened in the last step, by time; empty where the world is not watched."""
        pointer = self._handle.pointer
        found = [lib.iso_world_event(pointer, i) for i in range(lib.iso_world_event_count(pointer))]
        return [event_from(event, self._name_of) for event in found]

    def _name_of(self, body: int) -> str:
        return "" if body < 0 else text(lib.iso_world_body_name(self._handle.pointer, body))

    def state_within(self, time: float) -> tuple[Array, Array]:
        """Positions and velocities at a time [s] within the last step of a watched world."""
        q = np.empty(lib.iso_world_q_count(self._handle.pointer))
        v = np.empty(lib.iso_world_v_count(self._handle.pointer))
        self._context.call(lib.iso_world_state_within, self._handle.pointer, time,
                           ffi.cast("double*", q.ctypes.data), ffi.cast("double*", v.ctypes.data))
        return q, v

    def place_within(self, time: float, clone: World) -> None:
        """Put a clone where this world was at a time [s] within its last step; then
        clone.update_contacts() and its sensors look there."""
        expect(clone, "World", "clone")._changed("the world was placed elsewhere")
        self._context.call(lib.iso_world_place_within, self._handle.pointer, time,
                           clone._handle.pointer)
