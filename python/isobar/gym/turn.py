# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Turning a cube on a palm with two fingers that feel."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..contact import Material
from ..geometry import box, half_space
from ..model import Model
from ..pose import Pose
from ..sensor import Sensor
from ..vector import WorldVector
from ..world import World
from .draws import Draws
from .task import Array, Mask, Outcome, Task, held

_FACING = {"left": np.diag([1.0, 1.0, 1.0]), "right": np.diag([-1.0, -1.0, 1.0])}


class TurnCube(Task):
    """A cube of 40 mm lies on a palm between two fingers with soft pads, which move in the plane of the
    palm and turn about its normal: they grip the cube, turn it, let go and come back for more.

    Action (6): target of each finger's slides x and y (1 is 30 mm) and angle (1 is 0.8 rad). Observation
    (52): the fingers' positions and velocities (12), cosine and sine of the cube's angle that is left
    (2), cube's place (2), velocity (3), shear and pressure of 4 x 4 cells of each pad (32, pressure in
    10 kPa), time left (1). Reward: the angle that came nearer, minus what it is away from the middle,
    minus a hundredth of the action squared; 5 within 0.1 rad, where the episode ends."""

    action_size, observation_size = 6, 52
    episode_steps = 300
    reach, swing = 0.03, 0.8  # [m], [rad]
    tolerance = 0.1  # [rad]
    kept = ("goals", "left_over")

    def variant(self, factors: dict[str, float]) -> World:
        model = Model()
        friction = 0.8 * factors["friction"]
        palm = Material(compliance="rigid", friction_static=0.2, friction_dynamic=0.2)
        hard = Material(compliance="rigid", friction_static=friction, friction_dynamic=friction)
        pad = Material(compliance="compliant", modulus=1e6 * factors["modulus"], resolution_hint=0.02,
                       friction_static=friction, friction_dynamic=friction)
        model.add_geometry("world", half_space(), name="palm", material=palm)
        mass, side = 0.1 * factors["mass"], 0.04
        model.add_body("cube", mass=mass, inertia=np.full(3, mass * side**2 / 6))
        model.add_geometry("cube", box(side, side, side), name="skin", material=hard)
        model.set_free_pose("cube", (0, 0, side / 2))
        for name, facing in _FACING.items():
            self._add_finger(model, name, facing, pad)
        return World(model, time_step=self.time_step)

    def _add_finger(self, model: Model, name: str, facing: Array, pad: Material) -> None:
        """Slides and a hinge in a frame whose x points at the cube."""
        place = Pose(facing, facing @ np.array([-0.05, 0, 0.02]))
        parent = "world"
        for axis, kind in ((0, "prismatic"), (1, "prismatic"), (2, "revolute")):
            joint = f"{name}_{'xyz'[axis]}"
            body = f"{name}_pad" if axis == 2 else joint
            model.add_body(body, mass=0.05, inertia=(2e-5, 2e-5, 2e-5))
            bound = self.swing if kind == "revolute" else self.reach
            model.add_joint(joint, kind, parent, body, axis=np.eye(3)[axis],
                            x_pf=place if parent == "world" else Pose(), lower=-bound, upper=bound)
            stiff = (4.0, 0.1, 1.0) if kind == "revolute" else (600.0, 15.0, 12.0)
            model.add_actuator(joint, joint, kp=stiff[0], kd=stiff[1], effort_limit=stiff[2])
            parent = body
        model.add_geometry(f"{name}_pad", box(0.012, 0.024, 0.024), name="pad", material=pad)

    def sensors(self) -> list[Sensor]:
        turn = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])  # z of S along x of the pad
        return [Sensor(name=f"{name}_skin", kind="tactile", body=f"{name}_pad", rows=4, columns=4,
                       width=0.024, height=0.024, reach=0.02, x_bs=Pose(turn, [0.006, 0, 0]))
                for name in _FACING]

    def prepare(self, worlds: WorldVector) -> None:
        world = worlds.variant_world(0)
        self._cube = world.body_index("cube")
        names = [f"{name}_{axis}" for name in _FACING for axis in "xyz"]
        bodies = [world.joint_body(joint) for joint in names]
        self._q = [world.coordinates(body).q_index for body in bodies]
        self._v = [world.coordinates(body).v_index for body in bodies]
        self._actuators = [world.actuator_index(name) for name in names]
        self._free = world.coordinates("cube").q_index
        self._start = world.get_state()
        self._cells = [worlds.sensor_columns(f"{name}_skin") for name in _FACING]
        self.goals, self.left_over = np.zeros(len(worlds)), np.zeros(len(worlds))

    def begin(self, worlds: WorldVector, mask: Mask, draws: Draws) -> tuple[Array, Array]:
        count, reach = int(mask.sum()), self.ranges.pose
        q, v = (np.tile(np.asarray(row), (count, 1)) for row in self._start)
        yaw = draws.uniform(-0.3, 0.3)[:, 0] * reach
        q[:, self._free:self._free + 4] = np.stack(
            [np.cos(yaw / 2), 0 * yaw, 0 * yaw, np.sin(yaw / 2)], axis=1)
        q[:, self._free + 4:self._free + 6] = draws.uniform(-0.004, 0.004, 2) * reach
        sign = np.where(draws.uniform(0, 1)[:, 0] < 0.5, -1.0, 1.0)
        self.goals[mask] = yaw + sign * draws.uniform(0.4, 1.2)[:, 0]
        self.left_over[mask] = self.goals[mask] - yaw
        return q, v

    def actuations(self, worlds: WorldVector, actions: Array) -> Array:
        position = np.zeros_like(actions)
        position[:, self._actuators] = actions * np.tile([self.reach, self.reach, self.swing], 2)
        return held(worlds, position=position)

    def _left(self, cube: Array) -> Array:
        """What is left of the angle, in (-pi, pi]."""
        left = self.goals - 2 * np.arctan2(cube[:, 6], cube[:, 3])
        return np.asarray((left + np.pi) % (2 * np.pi) - np.pi)

    def observe(self, worlds: WorldVector) -> Array:
        cube = worlds.body_poses[:, self._cube]
        twist = worlds.body_twists[:, self._cube]
        left = self._left(cube)
        values = worlds.sensor_values
        cells = [values[:, columns][:, 6:102].reshape(len(worlds), 16, 6)[:, :, 0] / 1e4
                 for columns in self._cells]
        return np.column_stack([worlds.q[:, self._q], worlds.v[:, self._v], np.cos(left), np.sin(left),
                                cube[:, :2] / 0.01, twist[:, 3:5], twist[:, 2], *cells,
                                worlds.times / (self.episode_steps * self.substeps * self.time_step)])

    def outcome(self, worlds: WorldVector, actions: Array) -> Outcome:
        cube = worlds.body_poses[:, self._cube]
        left = self._left(cube)
        nearer = np.abs(self.left_over) - np.abs(left)
        self.left_over = left
        away = np.linalg.norm(cube[:, :2], axis=1)
        is_there = np.abs(left) < self.tolerance
        is_lost = away > 0.06
        info: dict[str, Any] = {"angle_left": left, "success": is_there, "lost": is_lost}
        return Outcome(nearer - away - 0.01 * (actions**2).sum(axis=1) + 5.0 * is_there - 5.0 * is_lost,
                       is_there | is_lost, info)
