# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Gymnasium environments over the worlds of a task: Env for one world, VectorEnv for many."""

from __future__ import annotations

import copy
import numbers
import os
from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from ..vector import WorldVector
from .draws import Draws
from .task import Mask, Outcome, Task

Observations = npt.NDArray[np.float32]
Actions = npt.NDArray[np.float32]
_LARGEST_SEED = 2**63


class Episodes:
    """A task at work in `count` worlds: what Env and VectorEnv have in common."""

    def __init__(self, task: Task, count: int, variant_count: int, thread_count: int | None,
                 variant_seed: int) -> None:
        self.task = task
        rng = np.random.default_rng(variant_seed)
        self._variants = [task.variant(task.ranges.draw(rng)) for _ in range(variant_count)]
        threads = thread_count or min(count, os.cpu_count() or 1)
        self.worlds = WorldVector(self._variants, count, threads, task.sensors())
        self.seeds = np.zeros(count, dtype=np.uint64)
        self.episodes = np.zeros(count, dtype=np.int64)
        self.elapsed = np.zeros(count, dtype=np.int64)
        self.is_seeded = False
        self.has_begun = False
        task.prepare(self.worlds)

    def seed(self, index: int, seed: int) -> None:
        """The next episode of this world is the first one of this seed."""
        self.seeds[index] = np.uint64(seed % 2**64)
        self.episodes[index] = 0
        self.is_seeded = True

    def begin(self, mask: Mask) -> None:
        """A new episode in the worlds of mask."""
        self.has_begun = True
        draws = Draws(self.seeds[mask], self.episodes[mask])
        self.episodes[mask] += 1
        self.elapsed[mask] = 0
        count = len(self.worlds)
        kinds = np.zeros(count, dtype=np.int32)
        kinds[mask] = draws.index(len(self._variants))
        rows = self.task.begin(self.worlds, mask, draws)
        q, v = (np.zeros((count, row.shape[1])) for row in rows)
        q[mask], v[mask] = rows
        self.worlds.reset(mask, kinds, q, v)

    def observe(self) -> Observations:
        """(worlds, observation_size)"""
        return self.task.observe(self.worlds).astype(np.float32)

    def step(self, actions: npt.ArrayLike) -> tuple[Outcome, Mask]:
        """Outcome, and which episodes were cut for their length. What cannot be stepped any more
        ends with a reward of 0."""
        if not self.has_begun:
            raise gymnasium.error.ResetNeeded("step() comes before the first reset()")
        rows = np.asarray(actions, dtype=np.float64)
        if rows.shape != (len(self.worlds), self.task.action_size):
            raise ValueError(f"actions are of shape {rows.shape}, expected {(len(self.worlds), self.task.action_size)}")
        if not np.isfinite(rows).all():
            world, number = np.argwhere(~np.isfinite(rows))[0]
            raise ValueError(f"number {number} of the action of world {world} is {rows[world, number]}, expected finite ones")
        rows = np.clip(rows, -1.0, 1.0)
        self.worlds.step(self.task.substeps, self.task.actuations(self.worlds, rows))
        outcome = self.task.outcome(self.worlds, rows)
        failed = self.worlds.failed
        outcome.reward = np.where(failed, 0.0, outcome.reward)
        outcome.terminated = outcome.terminated | failed
        outcome.info["failed"] = failed
        self.elapsed += 1
        return outcome, self.elapsed >= self.task.episode_steps

    def save(self) -> dict[str, Any]:
        """Everything that the coming steps depend on."""
        return {"worlds": self.worlds.save(), "seeds": self.seeds.copy(),
                "episodes": self.episodes.copy(), "elapsed": self.elapsed.copy(), "is_seeded": self.is_seeded,
                "task": {name: copy.deepcopy(getattr(self.task, name)) for name in self.task.kept}}

    def restore(self, saved: dict[str, Any]) -> None:
        """Take over what save() gave."""
        if not isinstance(saved, dict) or not {"worlds", "seeds", "episodes", "elapsed", "task"} <= saved.keys():
            raise TypeError(f"the checkpoint is a {type(saved).__name__}, expected what save() gave")
        self.has_begun = True
        self.worlds.restore(saved["worlds"])
        self.seeds, self.episodes = saved["seeds"].copy(), saved["episodes"].copy()
        self.elapsed = saved["elapsed"].copy()
        self.is_seeded = saved["is_seeded"]
        for name, value in saved["task"].items():
            setattr(self.task, name, copy.deepcopy(value))


def _check_options(options: dict[str, Any] | None, *known: str) -> None:
    for name in options or {}:
        if name not in known:
            raise ValueError(f"there is no option '{name}' of reset(), expected {' or '.join(known) or 'none'}")


def _spaces(task: Task) -> tuple[Any, Any]:
    return (gymnasium.spaces.Box(-np.inf, np.inf, (task.observation_size,), np.float32),
            gymnasium.spaces.Box(-1.0, 1.0, (task.action_size,), np.float32))


class Env(gymnasium.Env[Observations, Actions]):
    """A task in one world. variant_count: how many sets of parameters are drawn (with variant_seed),
    of which each episode has one."""

    metadata: dict[str, Any] = {"render_modes": []}

    def __init__(self, task: Task, variant_count: int = 1, variant_seed: int = 0) -> None:
        self.render_mode = None
        self._run = Episodes(task, 1, variant_count, 1, variant_seed)
        self.observation_space, self.action_space = _spaces(task)

    @property
    def worlds(self) -> WorldVector:
        """The one world."""
        return self._run.worlds

    def reset(self, *, seed: int | None = None,
              options: dict[str, Any] | None = None) -> tuple[Observations, dict[str, Any]]:
        """Begin an episode: with a seed the first one of it, the same as in a world of VectorEnv."""
        _check_options(options)
        super().reset(seed=seed, options=options)
        if seed is not None:
            self._run.seed(0, seed)
        elif not self._run.is_seeded:
            self._run.seed(0, int(self.np_random.integers(_LARGEST_SEED)))
        self._run.begin(np.ones(1, dtype=np.bool_))
        return self._run.observe()[0], {}

    def step(self, action: Actions) -> tuple[Observations, float, bool, bool, dict[str, Any]]:
        """One step of the task, `task.substeps` of the world."""
        outcome, truncated = self._run.step(np.asarray(action)[None])
        info = {name: values[0] for name, values in outcome.info.items()}
        return (self._run.observe()[0], float(outcome.reward[0]), bool(outcome.terminated[0]),
                bool(truncated[0]), info)

    def save(self) -> dict[str, Any]:
        """A checkpoint: everything that the coming steps depend on."""
        return {**self._run.save(), "rng": self.np_random.bit_generator.state}

    def restore(self, saved: dict[str, Any]) -> None:
        """Take over a checkpoint of an environment made with the same arguments."""
        self._run.restore(saved)
        self.np_random.bit_generator.state = saved["rng"]

    def close(self) -> None:
        """Release the world."""
        self._run.worlds.close()


class VectorEnv(gymnasium.vector.VectorEnv[Observations, Actions, npt.NDArray[Any]]):
    """A task in many worlds, stepped by threads of C's. Episodes that ended begin anew in the next
    step, whose action they ignore (autoreset_mode "NextStep"), or in the same one, which then has what
    they ended with in info["final_obs"] and info["final_info"] ("SameStep"). All as in Gymnasium's
    SyncVectorEnv of as many Env."""

    def __init__(self, task: Task, num_envs: int, variant_count: int = 8, variant_seed: int = 0,
                 thread_count: int | None = None,
                 autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP) -> None:
        self.num_envs = num_envs
        self.render_mode = None
        self._mode = AutoresetMode(autoreset_mode)
        self.metadata = {"render_modes": [], "autoreset_mode": self._mode}
        self._run = Episodes(task, num_envs, variant_count, thread_count, variant_seed)
        self.single_observation_space, self.single_action_space = _spaces(task)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._has_ended = np.zeros(num_envs, dtype=np.bool_)

    @property
    def worlds(self) -> WorldVector:
        """All of them."""
        return self._run.worlds

    def reset(self, *, seed: int | Sequence[int | None] | None = None,
              options: dict[str, Any] | None = None) -> tuple[Observations, dict[str, Any]]:
        """Begin episodes: everywhere, or in the worlds of options["reset_mask"]. seed: that of the
        first world, the next ones have the following numbers; or one for each."""
        _check_options(options, "reset_mask")
        mask = np.ones(self.num_envs, dtype=np.bool_)
        if options is not None and "reset_mask" in options:
            mask = np.asarray(options["reset_mask"], dtype=np.bool_)
        if mask.shape != (self.num_envs,):
            raise ValueError(f"reset_mask has shape {mask.shape}, expected {(self.num_envs,)}")
        if isinstance(seed, numbers.Integral):
            seed = int(seed)
        if seed is not None and (isinstance(seed, (str, bytes)) or not isinstance(seed, (int, Sequence, np.ndarray))):
            raise TypeError(f"seed is {seed!r}, expected a whole number, or one or None for each world")
        single = seed if isinstance(seed, int) else None
        super().reset(seed=single, options=options)
        if seed is None:
            if not self._run.is_seeded:
                for index, one in enumerate(self.np_random.integers(_LARGEST_SEED, size=self.num_envs)):
                    self._run.seed(index, int(one))
        else:
            seeds = [seed + i for i in range(self.num_envs)] if isinstance(seed, int) else list(seed)
            if len(seeds) != self.num_envs:
                raise ValueError(f"{len(seeds)} seeds, expected {self.num_envs}")
            for index, one in enumerate(seeds):
                if one is not None and mask[index]:
                    self._run.seed(index, one)
        self._run.begin(mask)
        self._has_ended[mask] = False
        return self._run.observe(), {}

    def step(self, actions: Actions) -> tuple[Observations, npt.NDArray[np.float64], Mask, Mask,
                                              dict[str, Any]]:
        """One step of the task in all worlds."""
        begun = self._has_ended
        if self._mode == AutoresetMode.DISABLED and begun.any():
            raise ValueError(f"the episodes of worlds {np.flatnonzero(begun).tolist()} have ended: "
                             "begin them anew, reset(options={'reset_mask': mask})")
        outcome, truncated = self._run.step(actions)
        info = _as_info(outcome.info, ~begun)
        if begun.any():
            self._run.begin(begun)
            outcome.reward[begun] = 0.0
            outcome.terminated[begun] = False
            truncated[begun] = False
        ended = outcome.terminated | truncated
        observations = self._run.observe()
        if self._mode == AutoresetMode.SAME_STEP:
            if ended.any():
                info = {**_as_info(outcome.info, ~ended), "final_obs": _where(ended, observations),
                        "_final_obs": ended.copy(), "final_info": _as_info(outcome.info, ended),
                        "_final_info": ended.copy()}
                self._run.begin(ended)
                observations = self._run.observe()
        else:
            self._has_ended = ended
        return observations, outcome.reward, outcome.terminated, truncated, info

    def save(self) -> dict[str, Any]:
        """A checkpoint: everything that the coming steps depend on."""
        return {**self._run.save(), "ended": self._has_ended.copy()}

    def restore(self, saved: dict[str, Any]) -> None:
        """Take over a checkpoint of an environment made with the same arguments."""
        self._run.restore(saved)
        self._has_ended = saved["ended"].copy()

    def close_extras(self, **kwargs: Any) -> None:
        """Release the worlds."""
        self._run.worlds.close()


def _where(mask: Mask, rows: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Zero in other rows."""
    found = np.zeros_like(rows)
    found[mask] = rows[mask]
    return found


def _as_info(values: dict[str, Any], mask: Mask) -> dict[str, Any]:
    """Each with the mask beside it of the worlds that have it; nothing where no world has."""
    info: dict[str, Any] = {}
    for name, rows in values.items() if mask.any() else ():
        info[name], info[f"_{name}"] = _where(mask, rows), mask.copy()
    return info
