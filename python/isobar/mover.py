# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Fixed bodies on prescribed paths."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ._native import Handle, expect, ffi, lib
from ._struct import Struct, c_array, from_c
from .pose import Pose, PoseLike, as_pose
from .task import Task
from .world import World

Array = npt.NDArray[np.float64]


class Mover(Struct):
    """The path of a body that is welded to the world: through poses at times, or with a velocity
    (6,) for ever. profile "cubic" or "linear"; is_repeated, from the first pose again."""

    _ctype = "iso_mover_desc"
    _default = "iso_mover_desc_default"
    _own = ("pose_count", "times", "poses")

    body: str | None
    profile: str
    is_repeated: bool
    velocity: Array
    source: str | None

    @property
    def path(self) -> tuple[Array, list[Pose]]:
        """times (n,) [s] and as many poses; empty where there is a velocity."""
        count = self._c.pose_count
        size = 8 * count
        times = np.frombuffer(ffi.buffer(self._c.times, size)).copy() if count else np.empty(0)
        return times, [from_c("iso_pose", self._c.poses[i]) for i in range(count)]

    @path.setter
    def path(self, value: tuple[npt.ArrayLike, Sequence[PoseLike]]) -> None:
        times = np.ascontiguousarray(value[0], dtype=np.float64).ravel()
        poses = [as_pose(pose) for pose in value[1]]
        if len(times) != len(poses):
            raise ValueError(f"{len(times)} times and {len(poses)} poses")
        numbers = np.array([[*p.rotation.ravel(), *p.translation] for p in poses],
                           dtype=np.float64).reshape(-1, 12)
        self._keep["path"] = (times, numbers)
        self._c.pose_count = len(times)
        self._c.times = ffi.cast("double*", times.ctypes.data)
        self._c.poses = ffi.cast("iso_pose*", numbers.ctypes.data)


class Movers:
    """Bodies that move on their paths: call apply() before every step, or let a task do it."""

    def __init__(self, world: World, movers: Sequence[Mover]) -> None:
        expect(world, "World", "world")
        array, _held = c_array("iso_mover_desc", movers)
        out = ffi.new("iso_movers**")
        world._context.call(lib.iso_movers_create, world._handle.pointer, array, len(movers), out)
        pointer = out[0]
        self._context, self._world = world._context, world
        self._is_taken = False
        self._handle = Handle(pointer, self._end, [world._handle])
        self._c = pointer

    def _end(self) -> None:
        if not self._is_taken:
            lib.iso_movers_destroy(self._c)

    def apply(self) -> None:
        """Put every body where it is at the world's time, with the twist of the next step."""
        self._world._changed("the state of the world was set")
        self._context.call(lib.iso_movers_apply, self._handle.pointer,
                           self._world._handle.pointer)

    def __len__(self) -> int:
        return int(lib.iso_movers_count(self._handle.pointer))

    def pose(self, mover: int, time: float) -> Pose:
        """Pose in W of a body on its path at a time [s]."""
        if not 0 <= mover < len(self):
            raise IndexError(f"mover {mover}, expected 0 to {len(self) - 1}")
        value: Pose = from_c("iso_pose", lib.iso_movers_pose(self._handle.pointer, mover, time))
        return value

    def hand_to(self, task: Task) -> None:
        """Let a task apply the movers before every step; they end with it."""
        lib.iso_task_take_movers(task._handle.pointer, self._handle.pointer)
        self._is_taken = True
        self._handle.release()
