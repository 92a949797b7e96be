# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""A Jaco arm with two air-filled bubbles takes a pepper off a table."""

from __future__ import annotations

import os
import pathlib
from typing import Any

import numpy as np

from .. import errors
from ..contact import Material
from ..scene import load
from ..vector import WorldVector
from ..world import World
from .draws import Draws
from .task import Array, Mask, Outcome, Ranges, Task, held

_SCENE = pathlib.Path(__file__).resolve().parents[3] / "scenes" / "jaco_grasp.yaml"
_UNSTATED = Material().modulus
_PEPPER = "pepper::yellow_bell_pepper_no_stem"


class JacoGrasp(Task):
    """Seven joints of the arm and a gripper whose fingers are soft bubbles; the pepper lies within reach.
    The robot's files are Drake's: assets is the folder that package://drake_models stands for, by
    default what the environment variable ISOBAR_ASSETS says.

    Action (8): speed of each joint of the arm, 1 is 0.5 rad/s, and force of the gripper, 1 closes with
    40 N. Observation (38): joint positions and velocities (9 + 9), pepper's pose (7) and twist (6),
    the grasp's place from the pepper (3), forces of contacts on both bubbles (2) [10 N], the held
    gripper force and the pepper's height (2). Reward: minus the distance of the grasp from the
    pepper, plus 10 times the pepper's height over the table; 5 at 0.1 m, where the episode ends."""

    action_size, observation_size = 8, 38
    time_step = 4e-3
    substeps = 10
    episode_steps = 150
    kept = ("targets", "forces")

    def __init__(self, ranges: Ranges | None = None, assets: str | os.PathLike[str] | None = None,
                 scene: str | os.PathLike[str] | None = None) -> None:
        super().__init__(ranges)
        found = assets or os.environ.get("ISOBAR_ASSETS")
        if found is None or not pathlib.Path(found).is_dir():
            raise errors.FileError("the files of the Jaco arm are missing: let ISOBAR_ASSETS or assets "
                                   "name the folder of drake_models")
        if scene is None and not _SCENE.is_file():
            raise errors.FileError(f"{_SCENE} is not part of the package: let scene name "
                                   "scenes/jaco_grasp.yaml of Isobar's sources")
        self._scene = load(scene or _SCENE, packages={"drake_models": found})

    def variant(self, factors: dict[str, float]) -> World:
        model = self._scene.model
        for index, original in enumerate(self._materials()):
            geometry = model.geometries[index].material
            geometry.friction_static = original[0] * factors["friction"]
            geometry.friction_dynamic = original[1] * factors["friction"]
            if original[2] != _UNSTATED:  # surfaces of the arm are rigid, and told when they state one
                geometry.modulus = original[2] * factors["modulus"]
        world = World(model, self._scene.settings, time_step=self.time_step)
        return world

    def _materials(self) -> list[tuple[float, float, float]]:
        if not hasattr(self, "_originals"):
            self._originals = [(g.material.friction_static, g.material.friction_dynamic,
                                g.material.modulus) for g in self._scene.model.geometries]
        return self._originals

    def prepare(self, worlds: WorldVector) -> None:
        world = worlds.variant_world(0)
        self._arm = [world.joint_index(f"j2s7s300_joint_{i}") for i in range(1, 8)]
        self._finger = world.joint_index("gripper::left_finger_sliding_joint")
        self._q = [world.coordinates(world.joint_body(j)).q_index for j in range(world.joint_count)]
        self._v = [world.coordinates(world.joint_body(j)).v_index for j in range(world.joint_count)]
        self._drives = {world.actuator_joint(a): a for a in range(len(world.actuator_names))}
        self._pepper = world.body_index(_PEPPER)
        self._hand = world.body_index("gripper::gripper")
        self._bubbles = [world.body_index(f"gripper::{side}_finger_bubble") for side in ("left", "right")]
        self._free = world.coordinates(_PEPPER).q_index
        self._start = world.get_state()
        self._height = float(world.body_pose(_PEPPER).translation[2])
        self.targets = np.zeros((len(worlds), 7))
        self.forces = np.zeros(len(worlds))

    def begin(self, worlds: WorldVector, mask: Mask, draws: Draws) -> tuple[Array, Array]:
        count, reach = int(mask.sum()), self.ranges.pose
        q, v = (np.tile(np.asarray(row), (count, 1)) for row in self._start)
        q[:, self._free + 4:self._free + 6] += draws.uniform(-0.05, 0.05, 2) * reach
        self.targets[mask] = q[:, [self._q[j] for j in self._arm]]
        self.forces[mask] = 0.0
        return q, v

    def actuations(self, worlds: WorldVector, actions: Array) -> Array:
        step = self.substeps * self.time_step
        self.targets = self.targets + 0.5 * step * actions[:, :7]
        self.forces = 40.0 * actions[:, 7]
        position, effort = (np.zeros((len(worlds), len(worlds.actuator_names))) for _ in range(2))
        for column, joint in enumerate(self._arm):
            position[:, self._drives[joint]] = self.targets[:, column]
        effort[:, self._drives[self._finger]] = self.forces
        return held(worlds, position=position, feed_forward=effort)

    def _grasp(self, poses: Array) -> Array:
        """Place between the bubbles."""
        hand = poses[:, self._hand]
        w, x, y, z = hand[:, 3:].T
        axis = np.stack([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)], axis=1)
        return np.asarray(hand[:, :3] - 0.182 * axis)

    def observe(self, worlds: WorldVector) -> Array:
        poses, twists, forces = worlds.body_poses, worlds.body_twists, worlds.contact_forces
        pepper = poses[:, self._pepper]
        pressed = np.linalg.norm(forces[:, self._bubbles], axis=2) / 10
        return np.column_stack([worlds.q[:, self._q], worlds.v[:, self._v], pepper,
                                twists[:, self._pepper], self._grasp(poses) - pepper[:, :3], pressed,
                                self.forces / 40, pepper[:, 2] - self._height])

    def outcome(self, worlds: WorldVector, actions: Array) -> Outcome:
        poses = worlds.body_poses
        pepper = poses[:, self._pepper]
        distance = np.linalg.norm(self._grasp(poses) - pepper[:, :3], axis=1)
        height = pepper[:, 2] - self._height
        is_there = (height > 0.1) & (distance < 0.1)
        info: dict[str, Any] = {"distance": distance, "height": height, "success": is_there}
        return Outcome(10.0 * np.clip(height, 0, 0.1) - distance + 5.0 * is_there, is_there, info)
