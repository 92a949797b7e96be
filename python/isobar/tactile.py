# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""What tactile sensors make of contacts: cells that stick or slip, readings of real taxels, images of
the deformed skin as a camera behind it sees them (docs/sensors.md)."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

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
    cells = np.asarray(grid, dtype=np.float64)
    if cells.ndim < 1 or cells.shape[-1] != 6:
        raise ValueError(f"grid has the shape {cells.shape}, expected (..., 6)")
    if not speed > 0.0:
        raise ValueError(f"speed is {speed} m/s, expected > 0")
    is_slipping = np.hypot(cells[..., 3], cells[..., 4]) >= speed
    found = np.where(is_slipping, SLIPS, STICKS)
    return np.where(cells[..., 5] > 0.0, found, NO_CONTACT).astype(np.int8)


@dataclass
class Taxels:
    """A model of real taxels: reading = offset + gain play(p) + noise, in steps and within a range.

    The play operator has the hysteresis: it follows the pressure p [Pa] at a distance of at most
    `hysteresis` [Pa], so rising and falling pressures read differently by twice that. `noise` is the
    standard deviation of the reading, `step` its resolution (0: none), `low` and `high` its range."""

    gain: float = 1.0
    offset: float = 0.0
    hysteresis: float = 0.0
    noise: float = 0.0
    step: float = 0.0
    low: float = -math.inf
    high: float = math.inf
    seed: int = 0
    _followed: Any = field(default=None, init=False, repr=False)
    _random: Any = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        for name in ("hysteresis", "noise", "step"):
            value = getattr(self, name)
            if not (value >= 0.0 and math.isfinite(value)):
                raise ValueError(f"{name} is {value}, expected finite and >= 0")
        if not (math.isfinite(self.gain) and self.gain != 0.0 and math.isfinite(self.offset)):
            raise ValueError(f"gain is {self.gain} and offset {self.offset}, expected finite and a "
                             "gain other than 0")
        if not self.low < self.high:
            raise ValueError(f"low is {self.low} and high {self.high}, expected low < high")
        self.reset()

    def reset(self) -> None:
        """Taxels that were never pressed; the noise starts anew from the seed."""
        self._followed = None
        self._random = np.random.default_rng(self.seed)

    def read(self, pressures: npt.ArrayLike) -> Array:
        """Readings of the same shape. Call it in the order of time: taxels remember."""
        p = np.asarray(pressures, dtype=np.float64)
        if not np.isfinite(p).all():
            raise ValueError(f"pressures hold {p[~np.isfinite(p)][0]} Pa, expected finite numbers")
        if self._followed is None:
            self._followed = np.zeros(p.shape)
        if p.shape != self._followed.shape:
            raise ValueError(f"pressures have the shape {p.shape}, expected "
                             f"{self._followed.shape} as before")
        self._followed = np.clip(self._followed, p - self.hysteresis, p + self.hysteresis)
        reading = self.offset + self.gain * self._followed
        if self.noise > 0.0:
            reading = reading + self._random.normal(0.0, self.noise, p.shape)
        if self.step > 0.0:
            reading = self.step * np.round(reading / self.step)
        return np.asarray(np.clip(reading, self.low, self.high))

    @classmethod
    def fit(cls, presses: PathLike) -> Taxels:
        """From a CSV file of presses of one taxel, in the order of time: columns `pressure` [Pa] and
        `reading`. Least squares for gain and offset, the best hysteresis by search; noise is what is
        left."""
        p, reading = _read_presses(presses)
        widest = 0.5 * float(np.ptp(p))
        widths = np.linspace(0.0, widest, 201)
        for _ in range(4):  # each a hundred times finer
            errors = [_fit_line(_play(p, w), reading)[2] for w in widths]
            best, pitch = widths[int(np.argmin(errors))], widths[1] - widths[0]
            widths = np.clip(np.linspace(best - pitch, best + pitch, 201), 0.0, widest)
        gain, offset, rms = _fit_line(_play(p, float(best)), reading)
        if gain == 0.0:
            raise ValueError(f"{presses}: all readings are {offset:g}, expected some that follow the "
                             "pressure")
        return cls(gain=gain, offset=offset, hysteresis=float(best), noise=rms)


def _read_presses(path: PathLike) -> tuple[Array, Array]:
    with open(path, newline="", encoding="utf-8-sig") as stream:
        rows = csv.reader(stream)
        names = [name.strip() for name in next(rows, [])]
        for needed in ("pressure", "reading"):
            if names.count(needed) != 1:
                raise ValueError(f"{path}:1: columns are {', '.join(names) or 'missing'}, expected "
                                 f"one '{needed}'")
        table = []
        for row in filter(None, rows):
            try:
                table.append([float(row[names.index(k)]) for k in ("pressure", "reading")])
                if not all(map(math.isfinite, table[-1])):
                    raise ValueError
            except (ValueError, IndexError):
                raise ValueError(f"{path}:{rows.line_num}: {','.join(row)}, expected a finite "
                                 "pressure and reading") from None
    if len(table) < 8 or np.ptp(np.array(table)[:, 0]) <= 0.0:
        raise ValueError(f"{path}: {len(table)} rows of presses, expected 8 or more of different "
                         "pressures")
    p, reading = np.array(table).T
    return p, reading


def _play(p: Array, width: float) -> Array:
    followed, out = 0.0, np.empty(len(p))
    for i, pressure in enumerate(p.tolist()):
        followed = min(max(followed, pressure - width), pressure + width)
        out[i] = followed
    return out


def _fit_line(x: Array, y: Array) -> tuple[float, float, float]:
    """Slope, offset, standard deviation of what is left."""
    mean, centred = x.mean(), x - x.mean()
    square = float(centred @ centred)
    slope = float(centred @ y) / square if square > 0.0 else 0.0
    offset = float(y.mean() - slope * mean)
    left = y - offset - slope * x
    return slope, offset, math.sqrt(float(left @ left) / max(len(x) - 3, 1))


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
