# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Gymnasium environments: `pip install isobar[gym]`, then

    import gymnasium, isobar.gym
    env = gymnasium.make("isobar/Push-v0")
    many = gymnasium.make_vec("isobar/PegInHole-v0", num_envs=64, vectorization_mode="vector_entry_point")

See docs/gym.md. A task of one's own is a subclass of Task; Env and VectorEnv run it."""

from typing import Any

try:
    import gymnasium
except ImportError as error:
    raise ImportError("isobar.gym needs gymnasium 1.0 or later: pip install gymnasium") from error

from ..errors import ArgumentError
from .draws import Draws
from .env import Env, Episodes, VectorEnv
from .jaco import JacoGrasp
from .peg import PegInHole
from .push import Push
from .task import Outcome, Ranges, Task
from .turn import TurnCube

TASKS: dict[str, type[Task]] = {"Push": Push, "TurnCube": TurnCube, "PegInHole": PegInHole,
                                "JacoGrasp": JacoGrasp}


def _task(name: str, options: dict[str, Any] | None) -> Task:
    if name not in TASKS:
        raise ArgumentError(f"there is no task '{name}', expected one of {', '.join(TASKS)}")
    return TASKS[name](**(options or {}))


def _check_render_mode(options: dict[str, Any]) -> None:
    mode = options.pop("render_mode", None)
    if mode is not None:
        raise ArgumentError(f"render_mode is '{mode}', expected None: environments draw nothing")


def make(task: str, task_options: dict[str, Any] | None = None, **options: Any) -> Env:
    """An Env of a task by name; task_options are those of the task."""
    _check_render_mode(options)
    return Env(_task(task, task_options), **options)


def make_vector(task: str, num_envs: int, task_options: dict[str, Any] | None = None,
                **options: Any) -> VectorEnv:
    """A VectorEnv of a task by name."""
    _check_render_mode(options)
    return VectorEnv(_task(task, task_options), num_envs, **options)


def _register() -> None:
    for name in TASKS:
        key = f"isobar/{name}-v0"
        if key not in gymnasium.registry:
            gymnasium.register(key, entry_point="isobar.gym:make",
                               vector_entry_point="isobar.gym:make_vector", kwargs={"task": name})


_register()

__all__ = ["Draws", "Env", "Episodes", "JacoGrasp", "Outcome", "PegInHole", "Push", "Ranges", "TASKS",
           "Task", "TurnCube", "VectorEnv", "make", "make_vector"]
