# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""What tactile sensors make of contacts: cells that stick or slip, readings of real taxels, images of
the deformed skin as a camera behind it sees them (docs/sensors.md)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ._native import Context, encode, ffi, lib, text
from ._struct import Struct
from .contact import Contact
from .geometry import PathLike
from .pose import Pose
from .sensor import Sensors
from .world import World

Array = npt.NDArray[np.float64]

#: Values of stick_slip().
NO_CONTACT, STICKS, SLIPS = 0, 1, 2


def stick_slip(grid: npt.ArrayLike, speed: float = 1e-3) -> npt.NDArray[np.int8]:
    """What each cell of a grid (..., 6) of Sensors.grid() does: NO_CONTACT, STICKS, or SLIPS, where
    the other body moves along it at `speed` [m/s] or more."""
    cells = np.array(grid, dtype=np.float64, order="C")
    if cells.ndim < 1 or cells.shape[-1] != 6:
        raise ValueError(f"grid has the shape {cells.shape}, expected (..., 6)")
    context, states = Context(), np.empty(cells.shape[:-1])
    context.call(lib.iso_cell_states, context.pointer, _doubles(cells), states.size, speed,
                 _doubles(states))
    return states.astype(np.int8)


class Taxels(Struct):
    """A model of real taxels: reading = offset + gain play(p) + noise, in steps and within a range.

    The play operator has the hysteresis: it follows the pressure p [Pa] at a distance of at most
    `hysteresis` [Pa], so rising and falling pressures read differently by twice that. `noise` is the
    standard deviation of the reading, `step` its resolution (0: none), `low` and `high` its range.
    Also what the `taxels` of a tactile Sensor are."""

    _ctype = "iso_taxels"
    _default = "iso_taxels_default"

    gain: float
    offset: float
    hysteresis: float
    noise: float
    step: float
    low: float
    high: float
    seed: int

    def __init__(self, **members: Any) -> None:
        super().__init__(**members)
        context = Context()
        context.call(lib.iso_taxels_check, context.pointer, self._c)
        self.reset()

    def reset(self) -> None:
        """Taxels that were never pressed; the noise starts anew from the seed."""
        object.__setattr__(self, "_memory", {"followed": None, "draw": 0, "context": Context()})

    def read(self, pressures: npt.ArrayLike) -> Array:
        """Readings of the same shape. Call it in the order of time: taxels remember."""
        if "_memory" not in self.__dict__:
            self.reset()  # those of a sensor
        p = np.array(pressures, dtype=np.float64, order="C")
        if not np.isfinite(p).all():
            raise ValueError(f"pressures hold {p[~np.isfinite(p)][0]} Pa, expected finite numbers")
        memory = self._memory
        if memory["followed"] is None:
            memory["followed"] = np.zeros(p.shape)
        followed, readings = memory["followed"], np.empty(p.shape)
        if p.shape != followed.shape:
            raise ValueError(f"pressures have the shape {p.shape}, expected {followed.shape} as "
                             "before")
        context = memory["context"]
        context.call(lib.iso_taxels_read, context.pointer, self._c, _doubles(p), 1, p.size,
                     memory["draw"], _doubles(followed), _doubles(readings))
        memory["draw"] += 1
        return readings

    @classmethod
    def fit(cls, presses: PathLike) -> Taxels:
        """From a CSV file of presses of one taxel, in the order of time, rising and falling: columns
        `pressure` [Pa] and `reading`. What `isobar identify` finds."""
        context, table = Context(), ffi.new("iso_table*")
        found = ffi.new("iso_identified*")
        try:
            context.call(lib.iso_table_read, context.pointer, encode(presses), table)
            context.call(lib.iso_identify_table, context.pointer, table, lib.ISO_IDENTIFY_PRESSES,
                         ffi.NULL, found)
        finally:
            lib.iso_table_destroy(context.pointer, table)
        return cls(**{text(p.name): p.value for p in found.parameters[0:found.count]})


def _doubles(array: Array) -> Any:
    return ffi.cast("double*", ffi.from_buffer(array))


@dataclass(frozen=True)
class SkinImage:
    """What a camera behind the skin sees; rows along y, columns along x of S."""

    depth: Array  #: (rows, columns) of the skin below the plane of S [m]
    shear: Array  #: (rows, columns, 2) traction of the other body along x and y [Pa]
    pressure: Array  #: (rows, columns) [Pa]
    rgb: npt.NDArray[np.uint8]  #: (rows, columns, 3) lit from three sides in red, green, blue


def skin_image(world: World, sensors: Sensors, sensor: int | str,
               size: tuple[int, int] = (64, 64), softness: float = 0.0,
               markers: tuple[int, int] = (0, 0), shear_compliance: float = 0.0) -> SkinImage:
    """The skin under a tactile sensor as its contacts deform it: depth and shear, shaded. The skin at
    rest is the x-y plane of S.

    size: rows and columns of pixels. softness: the skin beside a contact follows it within about so
    many metres. markers: rows and columns of dark dots on the skin, which move by
    shear_compliance [m/Pa] times the shear."""
    desc = sensors.description(sensor)
    if desc.kind != "tactile":
        raise ValueError(f"sensor '{desc.name}' is of kind {desc.kind}, expected tactile")
    for name, counts, low in (("size", size, 2), ("markers", markers, 0)):
        if len(counts) != 2 or min(counts) < low or max(counts) > 4096:
            raise ValueError(f"{name} is {counts}, expected {low} to 4096 rows and columns")
    if not (0.0 <= softness < math.inf and 0.0 <= shear_compliance < math.inf):
        raise ValueError(f"softness is {softness} and shear_compliance {shear_compliance}, expected "
                         "finite and >= 0")
    body, x_bs = sensors.frame(sensor)
    x_wb = world.body_pose(body)
    x_ws = Pose(x_wb.rotation @ x_bs.rotation, x_wb.rotation @ x_bs.translation + x_wb.translation)
    grid = _Raster(size, desc.width, desc.height)
    grid.add(world.contacts, world.body_names[body], x_ws)
    depth = grid.depth
    pitch = desc.width / size[1], desc.height / size[0]
    if softness > 0.0:
        spread = _blur(_blur(depth, softness / pitch[1], 0), softness / pitch[0], 1)
        depth = np.where(grid.pressure > 0.0, depth, spread)
    rgb = _shade(depth, pitch)
    if min(markers) > 0:
        _draw_markers(rgb, markers, grid.shear * shear_compliance / pitch)
    return SkinImage(depth, grid.shear, grid.pressure, rgb)


class _Raster:
    """Depth, pressure and shear at the centres of pixels, from the faces of contacts."""

    def __init__(self, size: tuple[int, int], width: float, height: float) -> None:
        self.depth, self.pressure = np.zeros(size), np.zeros(size)
        self.shear = np.zeros((*size, 2))
        self.x = ((np.arange(size[1]) + 0.5) / size[1] - 0.5) * width
        self.y = ((np.arange(size[0]) + 0.5) / size[0] - 0.5) * height

    def add(self, contacts: Iterable[Contact], body: str, x_ws: Pose) -> None:
        for contact in contacts:
            side = (contact.body_name_b == body) - (contact.body_name_a == body)
            patch = contact.patch
            if side == 0 or patch.vertices is None or contact.tractions is None:
                continue
            corners = (patch.vertices - x_ws.translation) @ x_ws.rotation
            normals = -side * (np.asarray(patch.normals) @ x_ws.rotation)  # out of the skin
            tractions = side * (np.asarray(contact.tractions) @ x_ws.rotation)
            pressures = np.asarray(patch.pressures)
            for f, (first, end) in enumerate(zip(patch.face_offsets, patch.face_offsets[1:])):
                if normals[f, 2] > 1e-6 and pressures[f] > 0.0:
                    self._face(corners[first:end], normals[f], float(pressures[f]), tractions[f])

    def _face(self, corners: Array, normal: Array, pressure: float, traction: Array) -> None:
        low, high = corners.min(axis=0), corners.max(axis=0)
        columns = slice(*np.searchsorted(self.x, (low[0], high[0])))
        rows = slice(*np.searchsorted(self.y, (low[1], high[1])))
        if rows.start == rows.stop or columns.start == columns.stop:
            return
        x, y = np.meshgrid(self.x[columns], self.y[rows])
        is_in, is_out = np.ones(x.shape, dtype=bool), np.ones(x.shape, dtype=bool)
        for a, b in zip(corners, np.roll(corners, -1, axis=0)):
            turn = (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0])
            is_in &= turn >= 0.0
            is_out &= turn <= 0.0
        center = corners.mean(axis=0)
        z = center[2] - (normal[0] * (x - center[0]) + normal[1] * (y - center[1])) / normal[2]
        depth = self.depth[rows, columns]
        is_deeper = (is_in | is_out) & (-z > depth)
        depth[is_deeper] = -z[is_deeper]
        self.pressure[rows, columns][is_deeper] = pressure
        self.shear[rows, columns][is_deeper] = traction[:2]


def _blur(values: Array, sigma: float, axis: int) -> Array:
    reach = min(max(1, math.ceil(3.0 * sigma)), values.shape[axis] - 1)
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sigma) ** 2)
    weights /= weights.sum()
    count = values.shape[axis]
    return np.apply_along_axis(lambda line: np.convolve(line, weights)[reach:reach + count], axis, values)


def _shade(depth: Array, pitch: tuple[float, float]) -> npt.NDArray[np.uint8]:
    slope_y, slope_x = np.gradient(-depth, pitch[1], pitch[0])
    length = np.sqrt(slope_x**2 + slope_y**2 + 1.0)
    rgb = np.empty((*depth.shape, 3))
    elevation = math.radians(30.0)
    for i, turn in enumerate((90.0, 210.0, 330.0)):  # red, green, blue
        angle = math.radians(turn)
        light = (math.cos(elevation) * math.cos(angle), math.cos(elevation) * math.sin(angle),
                 math.sin(elevation))
        lit = (-slope_x * light[0] - slope_y * light[1] + light[2]) / length
        rgb[..., i] = 0.25 + 0.75 * np.maximum(lit, 0.0)
    return np.round(255.0 * np.minimum(rgb, 1.0)).astype(np.uint8)


def _draw_markers(rgb: npt.NDArray[np.uint8], count: tuple[int, int], shift: Array) -> None:
    """Dots of one pixel and its four neighbours, moved by (x, y) pixels."""
    rows, columns = rgb.shape[:2]
    for r in ((np.arange(count[0]) + 0.5) / count[0] * rows).astype(int):
        for c in ((np.arange(count[1]) + 0.5) / count[1] * columns).astype(int):
            at = int(round(r + shift[r, c, 1])), int(round(c + shift[r, c, 0]))
            for dr, dc in ((0, 0), (1, 0), (-1, 0), (0, 1), (0, -1)):
                if 0 <= at[0] + dr < rows and 0 <= at[1] + dc < columns:
                    rgb[at[0] + dr, at[1] + dc] = 16
