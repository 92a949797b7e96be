# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Programs: motions, efforts and waits of groups of joints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ._native import encode, ffi, text
from ._struct import Struct, c_array
from .pose import Pose

Array = npt.NDArray[np.float64]


def _doubles(keep: dict[str, Any], name: str, values: npt.ArrayLike | None) -> Any:
    """Pointer to a copy of numbers that lives as long as the structure; NULL for None."""
    if values is None:
        keep[name] = None
        return ffi.NULL
    array = np.array(values, dtype=np.float64).ravel()
    keep[name] = array
    return ffi.cast("double*", array.ctypes.data)


class Keyframe(Struct):
    """Where a motion is at a time [s] since its step began: positions of joints, or the pose x_rt of
    the moved frame."""

    _ctype = "iso_keyframe"
    _own = ("positions",)

    time: float
    x_rt: Pose

    def __init__(self, **members: Any) -> None:
        members.setdefault("x_rt", Pose())
        super().__init__(**members)

    @property
    def positions(self) -> Array | None:
        """(n,) as given, or None."""
        value: Array | None = self._keep.get("positions")
        return value

    @positions.setter
    def positions(self, values: npt.ArrayLike | None) -> None:
        self._c.positions = _doubles(self._keep, "positions", values)


class Condition(Struct):
    """A comparison: kind "time", "contact_force" (of bodies name and other), "joint_position",
    "joint_speed", "joint_effort", "constraint_force", "program" (name has finished step other),
    "sensor" (component of sensor name), "body_x", "body_y", "body_z" or "body_speed". True when the value is >= value, or < value with is_below;
    a size (contact, constraint, speeds) at value 0 when it is > 0."""

    _ctype = "iso_condition"
    _default = "iso_condition_default"

    kind: str
    name: str | None
    other: str | None
    component: int
    is_below: bool
    value: float


class ProgramSwitch(Struct):
    """A constraint that a step attaches (is_on) or detaches when it begins; keeps_offset: as the
    bodies are then, else as the model has it."""

    _ctype = "iso_program_switch"

    constraint: str | None
    is_on: bool
    keeps_offset: bool


class ProgramStep(Struct):
    """A step of a program: motion "hold", "joints", "frame" or "effort", profile "cubic" or "linear".

    joints: keyframes with positions; is_kept, joints that stay. frame: x_bt in body moves through
    keyframes with poses in x_br of base (is_following: while that moves), or, with is_relative, in
    itself. effort: efforts. hold, effort: duration, the least time [s]. conditions end the step when
    all have held for hold_time [s]; after timeout [s] it fails, or goes on with is_patient."""

    _ctype = "iso_program_step"
    _default = "iso_program_step_default"
    _own = ("keyframe_count", "keyframes", "is_kept", "efforts", "condition_count", "conditions",
            "switch_count", "switches")

    name: str | None
    motion: str
    profile: str
    body: str | None
    x_bt: Pose
    base: str | None
    x_br: Pose
    is_following: bool
    is_relative: bool
    position_weight: float
    orientation_weight: float
    duration: float
    hold_time: float
    timeout: float
    is_patient: bool

    @property
    def keyframes(self) -> list[Keyframe]:
        """As given."""
        return list(self._keep.get("keyframes", ([],))[0])

    @keyframes.setter
    def keyframes(self, values: Sequence[Keyframe]) -> None:
        array, held = c_array("iso_keyframe", values)
        self._keep["keyframes"] = (list(values), held, array)
        self._c.keyframes, self._c.keyframe_count = array, len(values)

    @property
    def conditions(self) -> list[Condition]:
        """As given."""
        return list(self._keep.get("conditions", ([],))[0])

    @conditions.setter
    def conditions(self, values: Sequence[Condition]) -> None:
        array, held = c_array("iso_condition", values)
        self._keep["conditions"] = (list(values), held, array)
        self._c.conditions, self._c.condition_count = array, len(values)

    @property
    def switches(self) -> list[ProgramSwitch]:
        """Of constraints when the step begins, as given."""
        return list(self._keep.get("switches", ([],))[0])

    @switches.setter
    def switches(self, values: Sequence[ProgramSwitch]) -> None:
        array, held = c_array("iso_program_switch", values)
        self._keep["switches"] = (list(values), held, array)
        self._c.switches, self._c.switch_count = array, len(values)

    @property
    def efforts(self) -> Array | None:
        """(n,) [N m] or [N] as given, or None."""
        value: Array | None = self._keep.get("efforts")
        return value

    @efforts.setter
    def efforts(self, values: npt.ArrayLike | None) -> None:
        self._c.efforts = _doubles(self._keep, "efforts", values)

    @property
    def is_kept(self) -> list[bool] | None:
        """(n,) as given, or None."""
        kept = self._keep.get("is_kept")
        return None if kept is None else [bool(value) for value in kept]

    @is_kept.setter
    def is_kept(self, values: Sequence[bool] | None) -> None:
        self._keep["is_kept"] = None if values is None else ffi.new("bool[]", list(values))
        self._c.is_kept = ffi.NULL if values is None else self._keep["is_kept"]


class Program(Struct):
    """Steps for a group of actuators, or without any a criterion whose steps only wait; feed_forward
    "none", "gravity" or "dynamics". velocity_limits and posture have one number for each of
    actuators, or are None. ends_run: Task.is_over once it is done."""

    _ctype = "iso_program_desc"
    _default = "iso_program_desc_default"
    _own = ("actuator_count", "actuators", "velocity_limits", "posture", "step_count", "steps")

    name: str | None
    posture_rate: float
    feed_forward: str
    position_tolerance: float
    orientation_tolerance: float
    is_repeated: bool
    ends_run: bool
    source: str | None

    @property
    def actuators(self) -> list[str]:
        """Names."""
        return [text(self._c.actuators[i]) for i in range(self._c.actuator_count)]

    @actuators.setter
    def actuators(self, names: Sequence[str]) -> None:
        strings = [ffi.new("char[]", encode(name)) for name in names]
        array = ffi.new("char*[]", strings)
        self._keep["actuators"] = (strings, array)
        self._c.actuators, self._c.actuator_count = array, len(names)

    def _numbers(self, pointer: Any) -> Array | None:
        size = 8 * self._c.actuator_count
        return None if pointer == ffi.NULL else np.frombuffer(ffi.buffer(pointer, size)).copy()

    @property
    def velocity_limits(self) -> Array | None:
        """(n,) [rad/s] or [m/s], or None: those of the joints."""
        return self._numbers(self._c.velocity_limits)

    @velocity_limits.setter
    def velocity_limits(self, values: npt.ArrayLike | None) -> None:
        self._c.velocity_limits = _doubles(self._keep, "velocity_limits", values)

    @property
    def posture(self) -> Array | None:
        """(n,) [rad] or [m], or None: where the joints are when a step begins."""
        return self._numbers(self._c.posture)

    @posture.setter
    def posture(self, values: npt.ArrayLike | None) -> None:
        self._c.posture = _doubles(self._keep, "posture", values)

    @property
    def steps(self) -> list[ProgramStep]:
        """Those of a scene without keyframes, efforts and conditions, which only the library sees."""
        if "steps" in self._keep:
            return list(self._keep["steps"][0])
        return [ProgramStep._refer(self._c.steps + i, self) for i in range(self._c.step_count)]

    @steps.setter
    def steps(self, values: Sequence[ProgramStep]) -> None:
        array, held = c_array("iso_program_step", values)
        self._keep["steps"] = (list(values), held, array)
        self._c.steps, self._c.step_count = array, len(values)


class ProgramState(Struct):
    """How far a program has come: step, its index (the number of steps when is_done), step_name,
    step_time [s] when it began; is_criterion: without actuators; how far the moved frame's reference is behind its path, [m], [rad]."""

    _ctype = "iso_program_state"

    name: str
    step: int
    step_name: str
    step_time: float
    is_done: bool
    is_criterion: bool
    position_error: float
    orientation_error: float


class JointLimits(Struct):
    """Limits of a joint; infinite: none. velocity is not enforced by the step."""

    _ctype = "iso_joint_limits"

    lower: float
    upper: float
    velocity: float


class ActuatorGains(Struct):
    """What an actuator was made with; effort_limit, the larger one of effort_lower and effort_upper,
    infinite: none."""

    _ctype = "iso_actuator_gains"

    effort_limit: float
    kp: float
    kd: float
    effort_lower: float
    effort_upper: float
