# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""A data set of pokes into a soft pad: shapes, poses, depths and speeds drawn from a seed.

    python -m isobar.pokes -o pokes.npz --count 1000 --seed 1

The same seed gives the same data. What is finished is kept beside the file (pokes.npz.parts): the same
command goes on where it was, whatever ended it."""

from __future__ import annotations

import argparse
import json
import math
import os
import pathlib
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .contact import Material
from .geometry import PathLike, Shape, box, cylinder, ellipsoid, sphere
from .model import Model
from .pose import Pose
from .sensor import Sensor, Sensors
from .tactile import skin_image, stick_slip
from .world import World

Array = npt.NDArray[np.float64]

SHAPES = ("sphere", "box", "cylinder", "ellipsoid")
PAD = (0.03, 0.03, 0.008)  #: sides of the pad, its upper face on z = 0 [m]
MODULUS, FRICTION = 3e5, 0.8
MOST_DEPTH = 1.5e-3  #: of the pokes [m]
MOST_SPEED = 0.02  #: along the pad [m/s]; every second poke stands still
PART = 50  #: pokes of a part


class _Poke:
    """What is drawn for poke `index`, whatever the others are."""

    def __init__(self, seed: int, index: int) -> None:
        draw = np.random.default_rng([seed, index])
        self.kind = int(draw.integers(len(SHAPES)))
        self.size = draw.uniform(2e-3, 6e-3, 3)  # radius; half sides; radius, half length; semi-axes
        quaternion = draw.normal(size=4)
        w, x, y, z = quaternion / np.linalg.norm(quaternion)
        self.quaternion = np.array([w, x, y, z])
        self.rotation = np.array([
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])
        self.depth = draw.uniform(0.2, 1.0) * MOST_DEPTH
        place, angle = draw.uniform(-4e-3, 4e-3, 2), draw.uniform(0.0, 2.0 * math.pi)
        speed = MOST_SPEED * draw.uniform() * draw.integers(2)
        self.velocity = np.array([speed * math.cos(angle), speed * math.sin(angle), 0.0])
        self.position = np.array([*place, self._below() - self.depth])

    def _below(self) -> float:
        """How far the shape reaches below its origin, as it is turned [m]."""
        down = self.rotation[2]
        if SHAPES[self.kind] == "sphere":
            return float(self.size[0])
        if SHAPES[self.kind] == "box":
            return float(np.abs(down) @ self.size)
        if SHAPES[self.kind] == "cylinder":
            return float(self.size[0] * math.hypot(down[0], down[1]) + self.size[1] * abs(down[2]))
        return float(np.linalg.norm(down * self.size))

    def shape(self) -> Shape:
        make: dict[str, Callable[[], Shape]] = {
            "sphere": lambda: sphere(self.size[0]),
            "box": lambda: box(*(2.0 * self.size)),
            "cylinder": lambda: cylinder(self.size[0], 2.0 * self.size[1]),
            "ellipsoid": lambda: ellipsoid(*self.size)}
        return make[SHAPES[self.kind]]()


def _make_world(poke: _Poke) -> World:
    model = Model()
    model.add_geometry("world", box(*PAD), name="pad", x_bg=(0.0, 0.0, -0.5 * PAD[2]),
                       material=Material(compliance="compliant", modulus=MODULUS,
                                         friction_static=FRICTION, friction_dynamic=FRICTION))
    body = model.add_body("poker", mass=0.01, inertia=np.eye(3) * 1e-7)
    model.add_geometry(body, poke.shape(), name="tip",
                       material=Material(compliance="rigid", resolution_hint=5e-4,
                                         friction_static=FRICTION, friction_dynamic=FRICTION))
    model.set_free_pose(body, Pose(poke.rotation, poke.position))
    model.set_free_twist(body, np.concatenate([np.zeros(3), poke.velocity]))
    return World(model, gravity=[0, 0, 0])


def poke(seed: int, index: int, cells: int = 16, pixels: int = 64) -> dict[str, Any]:
    """One poke of the data set, by name as in the file."""
    drawn = _Poke(seed, index)
    world = _make_world(drawn)
    sensors = Sensors(world, [Sensor(name="pad", kind="tactile", body="world", rows=cells,
                                     columns=cells, width=0.024, height=0.024)])
    world.update_contacts()
    sensors.update()
    grid = sensors.grid("pad")
    image = skin_image(world, sensors, "pad", (pixels, pixels), softness=5e-4)
    return {"shape": np.uint8(drawn.kind), "size": drawn.size, "position": drawn.position,
            "quaternion": drawn.quaternion, "depth": drawn.depth, "velocity": drawn.velocity,
            "force": sensors["pad"][:3], "grid": grid.astype(np.float32),
            "stick_slip": stick_slip(grid), "image_depth": image.depth.astype(np.float32),
            "image_shear": image.shear.astype(np.float32), "image_rgb": image.rgb}


def _save(path: pathlib.Path, arrays: Mapping[str, Any]) -> None:
    """Whole or not at all."""
    unfinished = path.with_name(path.name + ".new")
    with open(unfinished, "wb") as stream:
        np.savez_compressed(stream, **arrays)
    os.replace(unfinished, path)


def _start(parts: pathlib.Path, settings: Mapping[str, Any]) -> None:
    """Make the folder of parts, or see that it is of the same data set."""
    parts.mkdir(exist_ok=True)
    told = parts / "settings.json"
    if told.exists():
        known = json.loads(told.read_text(encoding="utf-8"))
        if known != settings:
            raise ValueError(f"{told}: parts of a data set with {known}, expected {settings}; give "
                             "another file or remove the folder")
    else:
        unfinished = parts / "settings.json.new"
        unfinished.write_text(json.dumps(settings), encoding="utf-8")
        os.replace(unfinished, told)


def make(path: PathLike, count: int = 1000, seed: int = 1, cells: int = 16, pixels: int = 64,
         progress: Callable[[int, int], object] | None = None) -> int:
    """Write a data set; what parts of it hold is not computed again. How many pokes were computed.
    progress(done, count) after every part."""
    for name, value, low, high in (("count", count, 1, 10**7), ("seed", seed, 0, 2**63 - 1),
                                   ("cells", cells, 1, 256), ("pixels", pixels, 2, 1024)):
        if not low <= value <= high:
            raise ValueError(f"{name} is {value}, expected {low} to {high}")
    out = pathlib.Path(os.fspath(path))
    if out.is_dir():
        raise ValueError(f"{out} is a folder, expected a file")
    parts = out.with_name(out.name + ".parts")
    _start(parts, {"format": "isobar-pokes-1", "count": count, "seed": seed, "cells": cells,
                   "pixels": pixels})
    files, computed = [], 0
    for first in range(0, count, PART):
        end = min(first + PART, count)
        files.append(parts / f"{first:08d}.npz")
        if not files[-1].exists():
            rows = [poke(seed, i, cells, pixels) for i in range(first, end)]
            _save(files[-1], {name: np.stack([row[name] for row in rows]) for name in rows[0]})
            computed += end - first
        if progress is not None:
            progress(end, count)
    loaded = [np.load(file) for file in files]
    _save(out, {"shapes": np.array(SHAPES),
                **{name: np.concatenate([part[name] for part in loaded]) for name in loaded[0]}})
    shutil.rmtree(parts)
    return computed


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m isobar.pokes",
                                     description="a data set of pokes into a soft pad")
    parser.add_argument("-o", dest="path", metavar="FILE.npz", required=True)
    for name, default, help_text in (("count", 1000, "pokes"), ("seed", 1, "of what is drawn"),
                                     ("cells", 16, "taxels along a side"),
                                     ("pixels", 64, "of the images along a side")):
        parser.add_argument(f"--{name}", type=int, default=default, help=help_text)
    parser.add_argument("--quiet", action="store_true")
    options = parser.parse_args(arguments)

    def show(done: int, count: int) -> None:
        print(f"\r{done} of {count} pokes", end="", file=sys.stderr, flush=True)

    try:
        make(options.path, options.count, options.seed, options.cells, options.pixels,
             None if options.quiet else show)
    except (ValueError, OSError) as error:
        print(f"\nerror: {error}", file=sys.stderr)
        return 3
    if not options.quiet:
        print(file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
