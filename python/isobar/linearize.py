# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""The derivative of a step."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ._native import ffi, lib, text
from .errors import ArgumentError

if TYPE_CHECKING:
    from .world import World

Array = npt.NDArray[np.float64]


@dataclasses.dataclass(frozen=True)
class Linearization:
    """dx' = a dx + b du of x = (q, v), changes of q in the coordinates of v; n = 2 v_count.

    a (n, n); b (n, actuators, 3), for feed_forward, position and velocity of each actuator;
    a_errors (n,) and b_errors (actuators, 3), how far each column may be off: where one is large the
    step has a kink there, and no derivative. reason: why some columns, or all, are by differences of whole
    steps; None: all are by the implicit function theorem. p: by each parameter asked for, (n,) or, of a pose, (n, 6);
    p_errors: how far those may be off."""

    a: Array
    b: Array
    a_errors: Array
    b_errors: Array
    reason: str | None = None
    p: dict[tuple[str, str], Array] = dataclasses.field(default_factory=dict)
    p_errors: dict[tuple[str, str], Array] = dataclasses.field(default_factory=dict)

    def is_smooth(self, tolerance: float = 1e-6) -> bool:
        """Whether no column is off by more than that."""
        worst = max((float(e.max()) for e in (self.a_errors, self.b_errors, *self.p_errors.values())
                     if e.size), default=0.0)
        return worst <= tolerance

    def vjp(self, cotangent: npt.ArrayLike) -> tuple[Array, Array]:
        """Vector-Jacobian product, for autograd.Function of PyTorch or custom_vjp of JAX: (n,) of x'
        to those of x (n,) and of the actuations (actuators, 3)."""
        g = np.asarray(cotangent, dtype=np.float64)
        return g @ self.a, np.tensordot(g, self.b, axes=1)

    def vjp_parameters(self, cotangent: npt.ArrayLike) -> dict[tuple[str, str], Array]:
        """The same to the cotangents of parameters: () or, of a pose, (6,)."""
        g = np.asarray(cotangent, dtype=np.float64)
        return {parameter: np.asarray(g @ column) for parameter, column in self.p.items()}


KINDS = {"friction": lib.ISO_PARAMETER_FRICTION, "modulus": lib.ISO_PARAMETER_MODULUS,
         "dissipation": lib.ISO_PARAMETER_DISSIPATION, "pose": lib.ISO_PARAMETER_POSE,
         "mass": lib.ISO_PARAMETER_MASS}


def _parameters(asked: Sequence[tuple[str, str]], keep: list[Any]) -> tuple[Any, list[slice]]:
    """The C array of them, and the columns of each."""
    places: list[slice] = []
    rows: list[tuple[int, Any, int]] = []
    for parameter in asked:
        kind, name = (parameter if isinstance(parameter, tuple) and len(parameter) == 2 else (None, None))
        if kind not in KINDS or not isinstance(name, str):
            raise ArgumentError(f"parameter is {parameter!r}, expected (kind, name) with a kind of "
                                f"{', '.join(KINDS)}")
        keep.append(ffi.new("char[]", name.encode()))
        axes = 6 if kind == "pose" else 1
        places.append(slice(len(rows), len(rows) + axes))
        rows += [(KINDS[kind], keep[-1], axis) for axis in range(axes)]
    return ffi.new("iso_world_parameter[]", rows), places


def linearize(world: World, step_count: int, thread_count: int, position_step: float,
              velocity_step: float, control_step: float, differences: bool,
              parameters: Sequence[tuple[str, str]] = (),
              parameter_step: float = 1e-3) -> Linearization:
    """As World.linearize()."""
    n, actuators = 2 * world.v_count, len(world.actuator_names)
    a, b = np.empty((n, n)), np.empty((n, actuators, 3))
    keep: list[Any] = []
    rows, places = _parameters(parameters, keep)
    p, first = np.empty((n, len(rows))), n + 3 * actuators
    errors = np.empty(first + len(rows))
    desc = ffi.new("iso_linearize_desc*", lib.iso_linearize_desc_default())
    desc.step_count, desc.thread_count = step_count, thread_count
    desc.position_step, desc.velocity_step = position_step, velocity_step
    desc.control_step, desc.differences = control_step, differences
    desc.parameters, desc.parameter_count, desc.parameter_step = rows, len(rows), parameter_step
    desc.out_parameters = ffi.cast("double*", p.ctypes.data)
    reason = ffi.new("const char**")
    desc.reason = reason
    out = [ffi.cast("double*", array.ctypes.data) for array in (a, b, errors)]
    world._context.call(lib.iso_world_linearize, world._handle.pointer, desc, *out)

    def parts(array: Array, start: int) -> dict[tuple[str, str], Array]:
        return {parameter: array[..., start + place.start:start + place.stop].squeeze(-1)
                if parameter[0] != "pose" else array[..., start + place.start:start + place.stop]
                for parameter, place in zip(parameters, places)}

    return Linearization(a, b, errors[:n], errors[n:first].reshape(actuators, 3), text(reason[0]) or None,
                         parts(p, 0), parts(errors, first))
