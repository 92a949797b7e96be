# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""What a learning task says about itself; environments (env.py) run it in one world or in many."""

from __future__ import annotations

import abc
import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ..sensor import Sensor
from ..vector import WorldVector
from ..world import World
from .draws import Draws

Array = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


@dataclasses.dataclass
class Ranges:
    """How far the worlds of a task differ: factors low to high on what the task has. 1, 1: all the
    same. Parameters are drawn once per variant, poses at every reset."""

    friction: tuple[float, float] = (0.7, 1.3)
    modulus: tuple[float, float] = (0.7, 1.4)
    mass: tuple[float, float] = (0.8, 1.25)
    pose: float = 1.0

    @classmethod
    def none(cls) -> Ranges:
        """Every world alike, poses as well."""
        return cls((1.0, 1.0), (1.0, 1.0), (1.0, 1.0), 0.0)

    def draw(self, rng: np.random.Generator) -> dict[str, float]:
        """Factors of a variant."""
        for name in ("friction", "modulus", "mass"):
            factors = np.asarray(getattr(self, name), dtype=np.float64)
            if factors.shape != (2,):
                raise ValueError(f"the range of {name} has the shape {factors.shape}, expected low and high")
            low, high = factors
            if not 0.0 < low <= high < np.inf:
                raise ValueError(f"the range of {name} is {low} to {high}, expected factors > 0 that rise")
        return {name: float(np.exp(rng.uniform(*np.log(getattr(self, name)))))
                for name in ("friction", "modulus", "mass")}


@dataclasses.dataclass
class Outcome:
    """What a step came to, one row a world."""

    reward: Array
    terminated: Mask
    info: dict[str, Any]


class Task(abc.ABC):
    """A task in worlds of one structure. Arrays have one row a world; nothing here may loop over
    worlds but variant(), which is called once per variant."""

    time_step = 2e-3
    substeps = 10  # of the world per step of the environment
    episode_steps = 200
    action_size: int
    observation_size: int

    def __init__(self, ranges: Ranges | None = None) -> None:
        self.ranges = Ranges() if ranges is None else ranges

    @abc.abstractmethod
    def variant(self, factors: dict[str, float]) -> World:
        """A world at the start, its parameters times the factors of friction, modulus and mass."""

    def sensors(self) -> Sequence[Sensor]:
        """What `worlds.sensor_values` holds."""
        return ()

    @abc.abstractmethod
    def prepare(self, worlds: WorldVector) -> None:
        """Look up what the methods below index; allocate what is kept per world."""

    @abc.abstractmethod
    def begin(self, worlds: WorldVector, mask: Mask, draws: Draws) -> tuple[Array, Array]:
        """Positions and velocities (worlds of mask, ...) at the start of an episode."""

    @abc.abstractmethod
    def actuations(self, worlds: WorldVector, actions: Array) -> Array:
        """(worlds, actuators, 3) of actions (worlds, action_size) in [-1, 1]."""

    @abc.abstractmethod
    def observe(self, worlds: WorldVector) -> Array:
        """(worlds, observation_size)"""

    @abc.abstractmethod
    def outcome(self, worlds: WorldVector, actions: Array) -> Outcome:
        """After a step."""

    # What an environment saves beside the worlds: arrays of one row a world, by name.

    kept: tuple[str, ...] = ()


def held(worlds: WorldVector, position: Array | None = None, velocity: Array | None = None,
         feed_forward: Array | None = None) -> Array:
    """(worlds, actuators, 3) of columns (worlds, actuators)."""
    out = np.zeros((len(worlds), len(worlds.actuator_names), 3))
    for column, values in enumerate((feed_forward, position, velocity)):
        if values is not None:
            out[:, :, column] = values
    return out
