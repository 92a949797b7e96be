# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Putting a peg into a hole of which one does not know exactly where it is."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..contact import Material
from ..geometry import box
from ..model import Model
from ..pose import Pose
from ..sensor import Sensor
from ..vector import WorldVector
from ..world import World
from .draws import Draws
from .task import Array, Mask, Outcome, Task, held


class PegInHole(Task):
    """A square peg of 20 mm on three slides and two hinges (a compliant wrist) goes 25 mm into a hole with 0.4 mm of
    play on each side. Where the hole is seen is wrong by up to 2 mm, so it has to be felt.

    Action (3): where the peg's holder should go from where it is, 1 is 4 mm. Observation (16): peg from
    where the hole is seen (3), in cm; its velocity (3); angles and rates of the wrist (4); force (3)
    [10 N] and moment (3) [N m] of the contacts on the peg. Reward: minus the distance from the bottom
    in cm / 10, 5 at a depth of 20 mm, where the episode ends."""

    action_size, observation_size = 3, 16
    substeps = 20
    time_step = 1e-3
    depth, side, play = 0.025, 0.02, 4e-4  # [m]
    kept = ("errors", "targets")

    def variant(self, factors: dict[str, float]) -> World:
        model = Model()
        friction = 0.3 * factors["friction"]
        rigid = Material(compliance="rigid", friction_static=friction, friction_dynamic=friction)
        soft = Material(compliance="compliant", modulus=2e7 * factors["modulus"], resolution_hint=0.01,
                        friction_static=friction, friction_dynamic=friction)
        half, wall = self.side / 2 + self.play, 0.04
        for index, (x, y) in enumerate(((1, 0), (-1, 0), (0, 1), (0, -1))):
            size = (wall, 2 * half + 2 * wall, 0.03) if x else (2 * half, wall, 0.03)
            model.add_geometry("world", box(*size), name=f"wall_{index}", material=rigid, x_bg=Pose(
                np.eye(3), [x * (half + wall / 2), y * (half + wall / 2), -0.015]))
        parent = "world"
        for axis, kind in ((0, "prismatic"), (1, "prismatic"), (2, "prismatic"), (0, "revolute"),
                           (1, "revolute")):
            joint = f"{'turn' if kind == 'revolute' else 'slide'}_{'xyz'[axis]}"
            body = "peg" if joint == "turn_y" else joint
            mass = 0.1 * factors["mass"]
            model.add_body(body, mass=mass, inertia=np.full(3, mass * 2e-4))
            model.add_joint(joint, kind, parent, body, axis=np.eye(3)[axis],
                            x_pf=(0, 0, 0.04 if parent == "world" else 0))
            stiff = (3.0, 0.1) if kind == "revolute" else (1500.0, 40.0)
            model.add_actuator(joint, joint, kp=stiff[0], kd=stiff[1], effort_limit=40.0)
            parent = body
        model.add_geometry("peg", box(self.side, self.side, 0.06), name="tip", material=soft)
        return World(model, time_step=self.time_step)

    def sensors(self) -> list[Sensor]:
        return [Sensor(name="feel", kind="contact", body="peg")]

    def prepare(self, worlds: WorldVector) -> None:
        world = worlds.variant_world(0)
        names = ["slide_x", "slide_y", "slide_z", "turn_x", "turn_y"]
        bodies = [world.joint_body(joint) for joint in names]
        self._q = [world.coordinates(body).q_index for body in bodies]
        self._v = [world.coordinates(body).v_index for body in bodies]
        self._actuators = [world.actuator_index(name) for name in names]
        self._start = world.get_state()
        self._feel = worlds.sensor_columns("feel")
        self.errors, self.targets = np.zeros((len(worlds), 2)), np.zeros((len(worlds), 3))

    def begin(self, worlds: WorldVector, mask: Mask, draws: Draws) -> tuple[Array, Array]:
        count, reach = int(mask.sum()), self.ranges.pose
        q, v = (np.tile(np.asarray(row), (count, 1)) for row in self._start)
        place = draws.uniform(-0.01, 0.01, 3) * reach
        q[:, self._q[:3]] = place
        self.errors[mask] = draws.uniform(-0.002, 0.002, 2) * reach
        self.targets[mask] = place
        return q, v

    def actuations(self, worlds: WorldVector, actions: Array) -> Array:
        self.targets = np.clip(worlds.q[:, self._q[:3]] + 0.004 * actions, -0.05, 0.05)
        position = np.zeros((len(worlds), 5))
        position[:, self._actuators[:3]] = self.targets
        return held(worlds, position=position)

    def _tip(self, worlds: WorldVector) -> Array:
        """Middle of the peg's lower end, from the middle of the hole's upper edge [m]."""
        return np.asarray(worlds.q[:, self._q[:3]] + np.array([0, 0, 0.01]))

    def observe(self, worlds: WorldVector) -> Array:
        seen = self._tip(worlds)
        seen[:, :2] += self.errors
        q, v = worlds.q[:, self._q], worlds.v[:, self._v]
        feel = worlds.sensor_values[:, self._feel]
        return np.column_stack([seen / 0.01, v[:, :3], q[:, 3:], v[:, 3:], feel[:, :3] / 10,
                                feel[:, 3:6]])

    def outcome(self, worlds: WorldVector, actions: Array) -> Outcome:
        tip = self._tip(worlds)
        goal = np.array([0.0, 0.0, -self.depth])
        distance = np.linalg.norm(tip - goal, axis=1)
        inside = (np.abs(tip[:, :2]) < 2e-3).all(axis=1)
        is_there = inside & (tip[:, 2] < -0.8 * self.depth)
        info: dict[str, Any] = {"depth": np.maximum(-tip[:, 2], 0.0), "success": is_there}
        return Outcome(5.0 * is_there - 10.0 * distance, is_there, info)
