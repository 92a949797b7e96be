# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Pushing a soft block over a table to a goal."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..geometry import box, cylinder, half_space
from ..contact import Material
from ..model import Model
from ..vector import WorldVector
from ..world import World
from .draws import Draws
from .task import Array, Mask, Outcome, Task, held


class Push(Task):
    """A round pusher on two slides pushes a block of 80 mm to a goal on the table.

    Action (2): velocity of the pusher, 1 is 0.3 m/s. Observation (13): pusher's position and velocity,
    block's position, cosine and sine of its yaw, velocity and yaw rate, goal. Reward: minus the
    distance of the block from the goal, minus a tenth of that of the pusher from the block, 1 more
    within `tolerance`, where the episode ends."""

    action_size, observation_size = 2, 13
    speed = 0.3  # [m/s]
    tolerance = 0.02  # [m]
    kept = ("goals",)

    def variant(self, factors: dict[str, float]) -> World:
        model = Model()
        friction = 0.4 * factors["friction"]
        rigid = Material(compliance="rigid", friction_static=friction, friction_dynamic=friction)
        soft = Material(compliance="compliant", modulus=1e6 * factors["modulus"], resolution_hint=0.08,
                        friction_static=friction, friction_dynamic=friction)
        model.add_geometry("world", half_space(), name="table", material=rigid)
        mass = 0.4 * factors["mass"]
        side, height = 0.08, 0.04
        model.add_body("block", mass=mass, inertia=mass / 12 * np.array(
            [side**2 + height**2, side**2 + height**2, 2 * side**2]))
        model.add_geometry("block", box(side, side, height), name="skin", material=soft)
        model.set_free_pose("block", (0, 0, height / 2 - 1e-5))
        for name, parent, axis in (("slide_x", "world", (1, 0, 0)), ("slide_y", "slide_x", (0, 1, 0))):
            body = "pusher" if name == "slide_y" else name
            model.add_body(body, mass=0.3, inertia=(1e-4, 1e-4, 1e-4))
            model.add_joint(name, "prismatic", parent, body, axis=axis,
                            x_pf=(0, 0, 0.03 if parent == "world" else 0), lower=-0.5, upper=0.5)
            model.add_actuator(name, name, kd=200.0, effort_limit=30.0)
        model.add_geometry("pusher", cylinder(0.015, 0.04), name="tip", material=rigid)
        return World(model, time_step=self.time_step)

    def prepare(self, worlds: WorldVector) -> None:
        world = worlds.variant_world(0)
        self._block = world.body_index("block")
        slides = [world.coordinates(body) for body in ("slide_x", "pusher")]
        self._q, self._v = [c.q_index for c in slides], [c.v_index for c in slides]
        self._free = world.coordinates("block").q_index
        self._start = world.get_state()
        self.goals = np.zeros((len(worlds), 2))

    def begin(self, worlds: WorldVector, mask: Mask, draws: Draws) -> tuple[Array, Array]:
        count, reach = int(mask.sum()), self.ranges.pose
        q, v = (np.tile(np.asarray(row), (count, 1)) for row in self._start)
        yaw = draws.uniform(-np.pi, np.pi)[:, 0] * reach
        place = draws.uniform(-0.1, 0.1, 2) * reach
        q[:, self._free:self._free + 4] = np.stack(
            [np.cos(yaw / 2), 0 * yaw, 0 * yaw, np.sin(yaw / 2)], axis=1)
        q[:, self._free + 4:self._free + 6] = place
        angle, distance = draws.uniform(0, 2 * np.pi)[:, 0], draws.uniform(0.1, 0.25)[:, 0]
        self.goals[mask] = place + (distance * np.stack([np.cos(angle), np.sin(angle)])).T
        # Behind the block, as the goal sees it.
        behind = angle + np.pi + draws.uniform(-1, 1)[:, 0] * reach
        q[:, self._q] = place + 0.12 * np.stack([np.cos(behind), np.sin(behind)]).T
        return q, v

    def actuations(self, worlds: WorldVector, actions: Array) -> Array:
        return held(worlds, velocity=self.speed * actions)

    def _look(self, worlds: WorldVector) -> tuple[Array, Array, Array]:
        """Pusher's q and v, block's pose."""
        q, v = worlds.q, worlds.v
        return q[:, self._q], v[:, self._v], worlds.body_poses[:, self._block]

    def observe(self, worlds: WorldVector) -> Array:
        position, velocity, block = self._look(worlds)
        twist = worlds.body_twists[:, self._block]
        yaw = 2 * np.arctan2(block[:, 6], block[:, 3])
        return np.column_stack([position, velocity, block[:, :2], np.cos(yaw), np.sin(yaw),
                                twist[:, 3:5], twist[:, 2], self.goals])

    def outcome(self, worlds: WorldVector, actions: Array) -> Outcome:
        position, _, block = self._look(worlds)
        distance = np.linalg.norm(block[:, :2] - self.goals, axis=1)
        reach = np.linalg.norm(block[:, :2] - position, axis=1)
        is_there = distance < self.tolerance
        info: dict[str, Any] = {"distance": distance, "success": is_there}
        return Outcome(is_there - distance - 0.1 * reach, is_there, info)

