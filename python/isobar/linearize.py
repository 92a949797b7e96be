# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""The derivative of a step."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ._native import ffi, lib, text

if TYPE_CHECKING:
    from .world import World

Array = npt.NDArray[np.float64]


@dataclasses.dataclass(frozen=True)
class Linearization:
    """dx' = a dx + b du of x = (q, v), changes of q in the coordinates of v; n = 2 v_count.

    a (n, n); b (n, actuators, 3), for feed_forward, position and velocity of each actuator;
    a_errors (n,) and b_errors (actuators, 3), how far each column may be off: where one is large the
    step has a kink there, and no derivative. reason: why it is by differences of whole steps; None:
    it is by the implicit function theorem."""

    a: Array
    b: Array
    a_errors: Array
    b_errors: Array
    reason: str | None = None

    def is_smooth(self, tolerance: float = 1e-6) -> bool:
        """Whether no column is off by more than that."""
        worst = max((float(e.max()) for e in (self.a_errors, self.b_errors) if e.size), default=0.0)
        return worst <= tolerance

    def vjp(self, cotangent: npt.ArrayLike) -> tuple[Array, Array]:
        """Vector-Jacobian product, for autograd.Function of PyTorch or custom_vjp of JAX: (n,) of x'
        to those of x (n,) and of the actuations (actuators, 3)."""
        g = np.asarray(cotangent, dtype=np.float64)
        return g @ self.a, np.tensordot(g, self.b, axes=1)


def linearize(world: World, step_count: int, thread_count: int, position_step: float,
              velocity_step: float, control_step: float, differences: bool) -> Linearization:
    """As World.linearize()."""
    n, actuators = 2 * world.v_count, len(world.actuator_names)
    a, b = np.empty((n, n)), np.empty((n, actuators, 3))
    errors = np.empty(n + 3 * actuators)
    desc = ffi.new("iso_linearize_desc*", lib.iso_linearize_desc_default())
    desc.step_count, desc.thread_count = step_count, thread_count
    desc.position_step, desc.velocity_step = position_step, velocity_step
    desc.control_step, desc.differences = control_step, differences
    reason = ffi.new("const char**")
    desc.reason = reason
    out = [ffi.cast("double*", array.ctypes.data) for array in (a, b, errors)]
    world._context.call(lib.iso_world_linearize, world._handle.pointer, desc, *out)
    return Linearization(a, b, errors[:n], errors[n:].reshape(actuators, 3), text(reason[0]) or None)
