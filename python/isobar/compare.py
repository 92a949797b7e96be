# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""One scene with several contact models, side by side: `isobar compare` as a function."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ._command import run_command, texts
from .errors import ArgumentError
from .geometry import PathLike

MODELS = ("pressure_field", "volumetric", "hertz")


class ModelRun:
    """What a scene came to with one contact model. error: why it did not run, or not to its end,
    "" else. Where it began: time [s], steps, wall_seconds of stepping, contacts_of_other_models (pairs
    that the model does not take), bodies {name: {"position": [m], "quaternion_wxyz", "velocity" [m/s],
    "angular_velocity" [rad/s]}}, contacts (a list of dictionaries), energy {part: [J]}, and differences
    from the first that ran. These are as `isobar compare --json` has them."""

    def __init__(self, said: Mapping[str, Any]) -> None:
        self.model = str(said["model"])
        self.error = str(said["error"] or "")
        self.steps = int(said["steps"])
        self.time = float(said.get("time", 0.0))
        self.wall_seconds = float(said.get("wall_s", 0.0))
        self.contacts_of_other_models = int(said.get("contacts_of_other_models", 0))
        self.bodies: dict[str, dict[str, list[float]]] = said.get("bodies", {})
        self.contacts: list[dict[str, Any]] = said.get("contacts", [])
        self.energy: dict[str, float] = said.get("energy", {})
        self.differences: dict[str, Any] | None = said.get("differences")

    def __repr__(self) -> str:
        state = f", {self.error}" if self.error else ""
        return f"<ModelRun {self.model}: {self.steps} steps, {len(self.contacts)} contacts{state}>"


def compare(scene: PathLike, models: Sequence[str] = MODELS,
            until: float | None = None, settings: Mapping[str, Any] | None = None,
            packages: Mapping[str, PathLike] | None = None, keyframe: str | int | None = None,
            output: PathLike | None = None, frame_rate: float | None = None,
            timeout: float | None = None) -> list[ModelRun]:
    """Run a scene with each of these contact models, all pairs that one takes with it whatever their
    materials name; in their order. until [s], by default what the scene says, else 1; settings,
    packages, keyframe as load(); output: a page with all of them side by side (HTML), of frame_rate [Hz]
    at most; timeout [s]. A model that cannot run the scene has an `error`; a scene that cannot be
    read is raised."""
    names = texts("models", models, "['hertz', 'pressure_field']")
    if not names or len(set(names)) < len(names) or not set(names) <= set(MODELS):
        raise ArgumentError(f"models is {names!r}, expected some of {', '.join(MODELS)}, each once")
    if until is not None and not until > 0.0:
        raise ArgumentError(f"until is {until!r}, expected a number of seconds > 0, or None")
    options = {"--until": until, "--keyframe": keyframe, "-o": output, "--frame-rate": frame_rate}
    said = run_command("compare", scene, ["--models", ",".join(names)], options, settings, packages, timeout)
    return [ModelRun(run) for run in said["models"]]
