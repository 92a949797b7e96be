# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Equations of motion of a world at its present state."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import numpy.typing as npt

from ._native import Context, Handle, encode, ffi, index_of, lib, no_such
from ._struct import Struct, c_array, from_c, to_c
from ._views import Epoch
from .named import POSITIONS, VELOCITIES, Named, coordinate_names
from .pose import Pose

Array = npt.NDArray[np.float64]


class Coordinates(Struct):
    """Where the coordinates of a body's inboard joint are, within q and v of the world."""

    _ctype = "iso_coordinates"

    joint_name: str
    kind: str
    parent: int
    q_index: int
    q_count: int
    v_index: int
    v_count: int


class IkTarget(Struct):
    """Where a frame T fixed to a body (name or index) should go: x_bt, T in the body; x_wt, where it
    should be in W; position_weight, orientation_weight [m/rad], 0 for free."""

    _ctype = "iso_ik_target"
    _default = "iso_ik_target_default"
    _own = ("body",)

    x_bt: Pose
    x_wt: Pose
    position_weight: float
    orientation_weight: float

    @property
    def body(self) -> int | str:
        """As given."""
        value: int | str = self._keep.get("body", int(self._c.body))
        return value

    @body.setter
    def body(self, value: int | str) -> None:
        if not isinstance(value, str):
            self._c.body = value
        self._keep["body"] = value


class IkReport(Struct):
    """How inverse kinematics ended: errors [m], [rad]."""

    _ctype = "iso_ik_report"

    iterations: int
    position_error: float
    orientation_error: float
    closure_error: float
    worst_target: int
    active_limit_count: int


class BodyLoad(Struct):
    """How a body moved and what its inboard joint carried in the last step, in W: pose x_wb, twist
    v_wb (6,), acceleration a_wb (6,) (angular; of the origin), pose x_wm of the joint's frame M,
    f_bm_w (6,) wrench of the joint on the body about M's origin."""

    _ctype = "iso_body_load"

    x_wb: Pose
    v_wb: Array
    a_wb: Array
    x_wm: Pose
    f_bm_w: Array


class SubtreeMotion(Struct):
    """Motion of a body with everything it carries, in W: mass [kg], centre of mass p_wc (3,) [m],
    its velocity v_wc (3,) [m/s], angular momentum h_c_w (3,) about it [N m s]."""

    _ctype = "iso_subtree_motion"

    mass: float
    p_wc: Array
    v_wc: Array
    h_c_w: Array


class CouplerState(Struct):
    """A coupler q_b = offset + ratio q_a + curve as the last step left it: residual [rad] or [m], effort
    on joint B [N m] or [N]; slope dq_b/dq_a where it is now."""

    _ctype = "iso_coupler_state"

    name: str
    joint_a: int
    joint_b: int
    residual: float
    effort: float
    ratio: float
    offset: float
    curve: Array
    slope: float
    is_on: bool


class FixedTendonState(Struct):
    """A fixed tendon in the present state: length, its rate, the effort of spring and damper along it,
    those of its actuators and of its limits in the last step, and whether its limits hold (is_on)."""

    _ctype = "iso_fixed_tendon_state"

    name: str
    length: float
    velocity: float
    passive_effort: float
    actuator_effort: float
    is_on: bool
    limit_effort: float


class ConstraintState(Struct):
    """A constraint as the last step left it: errors [m], [rad]; f_b_w (6,) wrench on B about Q's
    origin, in W; is_on: it acts."""

    _ctype = "iso_constraint_state"

    name: str
    kind: str
    body_a: int
    body_b: int
    position_error: float
    orientation_error: float
    f_b_w: Array
    is_on: bool


def _in(values: npt.ArrayLike | None, count: int, name: str) -> tuple[Any, Any]:
    """Pointer to numbers that a call reads (NULL for None), and the array that holds them."""
    if values is None:
        return ffi.NULL, None
    array = np.ascontiguousarray(values, dtype=np.float64)
    if array.shape != (count,):
        raise ValueError(f"{name} has shape {array.shape}, expected ({count},)")
    return ffi.cast("const double*", array.ctypes.data), array


def _out(array: Array) -> Any:
    return ffi.cast("double*", array.ctypes.data)


class Dynamics:
    """M(q) dv/dt + bias(q, v) = tau, dq/dt = N(q) v. Part of World."""

    _context: Context
    _handle: Handle
    _epoch: Epoch

    @property
    def body_names(self) -> list[str]:
        """Scoped names by index; the first is "world"."""
        raise NotImplementedError

    @property
    def joint_names(self) -> list[str]:
        """Scoped names by index."""
        raise NotImplementedError

    def body_index(self, body: int | str) -> int:
        """Index of a body; of a name, scoped or bare when only one matches."""
        raise NotImplementedError

    def _body(self, body: int | str) -> int:
        """The same, checked."""
        raise NotImplementedError

    def _changed(self, reason: str) -> None:
        raise NotImplementedError

    @property
    def q_count(self) -> int:
        """Number of positions q."""
        return int(lib.iso_world_q_count(self._handle.pointer))

    @property
    def v_count(self) -> int:
        """Number of velocities v, the degrees of freedom."""
        return int(lib.iso_world_v_count(self._handle.pointer))

    def coordinates(self, body: int | str) -> Coordinates:
        """Where the coordinates of a body's inboard joint are."""
        value: Coordinates = Coordinates._copy(
            lib.iso_world_coordinates(self._handle.pointer, self._body(body)), self._handle)
        return value

    def _coordinate_names(self) -> tuple[list[str], list[str], list[str]]:
        """Names of the numbers of q and of v, and of the joints; a world's never change."""
        known: tuple[list[str], list[str], list[str]] | None = self.__dict__.get("_known_names")
        if known is None:
            q: list[str] = [""] * self.q_count
            v: list[str] = [""] * self.v_count
            for body, name in enumerate(self.body_names):
                at = self.coordinates(body)
                owner = at.joint_name or name
                q[at.q_index:at.q_index + at.q_count] = coordinate_names(
                    owner, at.kind, at.q_count, POSITIONS)
                v[at.v_index:at.v_index + at.v_count] = coordinate_names(
                    owner, at.kind, at.v_count, VELOCITIES)
            known = self.__dict__["_known_names"] = (q, v, self.joint_names)
        return known

    @property
    def position_names(self) -> list[str]:
        """Of each number of q: the joint's name, with ".qw", ".x" and so on behind it where it has
        several; of a body that floats without a joint, its own."""
        return list(self._coordinate_names()[0])

    @property
    def velocity_names(self) -> list[str]:
        """Of each number of v, and so of forces, M and Jacobians; as position_names, with ".wx" or
        ".vx" for angular and linear velocities."""
        return list(self._coordinate_names()[1])

    def _named_velocities(self, values: Array) -> Named:
        _, names, joints = self._coordinate_names()
        return Named(values, names, joints)

    def get_state(self) -> tuple[Named, Named]:
        """Copies of q (q_count,) and v (v_count,)."""
        q, v = np.empty(self.q_count), np.empty(self.v_count)
        self._context.call(lib.iso_world_get_state, self._handle.pointer, _out(q), _out(v))
        names, _, joints = self._coordinate_names()
        return Named(q, names, joints), self._named_velocities(v)

    def set_state(self, q: npt.ArrayLike | None = None, v: npt.ArrayLike | None = None) -> None:
        """Replace q or v or both; quaternions are normalised. Time, the contacts' memory and the
        energy ledger stay."""
        q_in, q_keep = _in(q, self.q_count, "q")
        v_in, v_keep = _in(v, self.v_count, "v")
        self._changed("the state of the world was set")
        self._context.call(lib.iso_world_set_state, self._handle.pointer, q_in, v_in)
        del q_keep, v_keep

    def _vector(self, function: Any) -> Named:
        result = np.empty(self.v_count)
        self._context.call(function, self._handle.pointer, _out(result))
        return self._named_velocities(result)

    def mass_matrix(self) -> Array:
        """M (v_count, v_count), rotors included [kg, kg m, kg m^2]."""
        result = np.empty((self.v_count, self.v_count))
        self._context.call(lib.iso_world_mass_matrix, self._handle.pointer, _out(result))
        return result

    def bias(self) -> Named:
        """(v_count,) centrifugal, gyroscopic and gravity forces [N m], [N]."""
        return self._vector(lib.iso_world_bias)

    def gravity_forces(self) -> Named:
        """(v_count,) generalised force of gravity [N m], [N]."""
        return self._vector(lib.iso_world_gravity_forces)

    def passive_forces(self) -> Named:
        """(v_count,) of the joints' dampers and springs [N m], [N]."""
        return self._vector(lib.iso_world_passive_forces)

    def inverse_dynamics(self, vdot: npt.ArrayLike | None = None) -> Named:
        """tau (v_count,) = M vdot + bias; vdot (v_count,), None: zeros."""
        result = np.empty(self.v_count)
        given, keep = _in(vdot, self.v_count, "vdot")
        self._context.call(lib.iso_world_inverse_dynamics, self._handle.pointer, given,
                           _out(result))
        del keep
        return self._named_velocities(result)

    def forward_dynamics(self, tau: npt.ArrayLike | None = None) -> Named:
        """vdot (v_count,) = M^-1 (tau - bias); tau (v_count,), None: zeros."""
        result = np.empty(self.v_count)
        given, keep = _in(tau, self.v_count, "tau")
        self._context.call(lib.iso_world_forward_dynamics, self._handle.pointer, given,
                           _out(result))
        del keep
        return self._named_velocities(result)

    def jacobian(self, body: int | str, p_bp: npt.ArrayLike = (0.0, 0.0, 0.0)) -> Array:
        """(6, v_count) of the twist (angular velocity; velocity of P) in W of a point P fixed to a
        body at p_bp [m]."""
        result = np.empty((6, self.v_count))
        self._context.call(lib.iso_world_jacobian, self._handle.pointer, self.body_index(body),
                           to_c("iso_vec3", p_bp)[0], _out(result))
        return result

    def center_of_mass(self, body: int | str = 0) -> tuple[Array, Array]:
        """Position (3,) [m] and Jacobian (3, v_count) of the centre of mass of a body with all it
        carries; 0: of all that can move."""
        position, jacobian = ffi.new("iso_vec3*"), np.empty((3, self.v_count))
        self._context.call(lib.iso_world_center_of_mass, self._handle.pointer,
                           self.body_index(body), position, _out(jacobian))
        return from_c("iso_vec3", position), jacobian

    def momentum(self) -> Array:
        """(6,) angular momentum about the world origin [N m s], linear momentum [N s]; in W."""
        with self._context.lock:
            value: Array = from_c("iso_spatial", lib.iso_world_momentum(self._handle.pointer))
        return value

    def subtree_motion(self, body: int | str = 0) -> SubtreeMotion:
        """Mass, centre and momentum of a body with all it carries; 0: of all bodies."""
        index = self._body(body)
        with self._context.lock:
            motion: SubtreeMotion = SubtreeMotion._copy(
                lib.iso_world_subtree_motion(self._handle.pointer, index))
        return motion

    def inverse_kinematics(self, targets: list[IkTarget], q: npt.ArrayLike | None = None,
                           position_tolerance: float | None = None,
                           orientation_tolerance: float | None = None,
                           max_iterations: int | None = None,
                           is_fixed: npt.ArrayLike | None = None) -> tuple[Array, IkReport]:
        """Positions (q_count,) near the guess q (None: the present ones) that bring frames to their
        targets, and a report. The state is not changed: see set_state(). is_fixed: (v_count,) bool,
        degrees of freedom that must not move. Raises NoConvergenceError when there is no solution
        near the guess."""
        options = ffi.new("iso_ik_options*")
        options[0] = lib.iso_ik_options_default()
        for name, value in (("position_tolerance", position_tolerance),
                            ("orientation_tolerance", orientation_tolerance),
                            ("max_iterations", max_iterations)):
            if value is not None:
                setattr(options, name, value)
        if is_fixed is not None:
            flags = np.ascontiguousarray(is_fixed, dtype=np.bool_)
            if flags.shape != (self.v_count,):
                raise ValueError(f"is_fixed has shape {flags.shape}, expected ({self.v_count},)")
            options.is_fixed = ffi.cast("bool*", flags.ctypes.data)
        result = self.get_state()[0] if q is None else np.array(q, dtype=np.float64)
        if result.shape != (self.q_count,):
            raise ValueError(f"q has shape {result.shape}, expected ({self.q_count},)")
        array, _held = c_array("iso_ik_target", targets)
        for index, target in enumerate(targets):
            if isinstance(target.body, str):
                array[index].body = self.body_index(target.body)
        report = IkReport()
        self._context.call(lib.iso_world_inverse_kinematics, self._handle.pointer, array,
                           len(targets), options, _out(result), report._c)
        return result, report

    def fixed_tendon_index(self, tendon: int | str) -> int:
        """Index of a fixed tendon by name; an index stays."""
        if not isinstance(tendon, str):
            return operator.index(tendon)
        index = int(lib.iso_world_find_fixed_tendon(self._handle.pointer, encode(tendon)))
        names = (state.name for state in self.fixed_tendons)
        return index if index >= 0 else index_of("fixed tendon", tendon, names)

    @property
    def fixed_tendons(self) -> list[FixedTendonState]:
        """Fixed tendons, by name, in the present state."""
        pointer = self._handle.pointer
        return [FixedTendonState._copy(lib.iso_world_fixed_tendon(pointer, i), self._handle)
                for i in range(lib.iso_world_fixed_tendon_count(pointer))]

    @property
    def couplers(self) -> list[CouplerState]:
        """Couplers, by name, as the last step left them."""
        pointer = self._handle.pointer
        return [CouplerState._copy(lib.iso_world_coupler(pointer, i), self._handle)
                for i in range(lib.iso_world_coupler_count(pointer))]

    @property
    def constraints(self) -> list[ConstraintState]:
        """Constraints, by name, as the last step left them."""
        pointer = self._handle.pointer
        return [ConstraintState._copy(lib.iso_world_constraint(pointer, i), self._handle)
                for i in range(lib.iso_world_constraint_count(pointer))]

    def switch_constraint(self, constraint: int | str, is_on: bool,
                          keep_offset: bool = False) -> None:
        """Attach (True) or detach a constraint, by name or index, from the next step on; a state
        carries it. keep_offset: as the bodies are now; else as the model has it, where a gap of at most
        0.02 m and 0.1 rad is closed in the next steps (RangeError: a wider one)."""
        if isinstance(constraint, str):
            index = int(lib.iso_world_find_constraint(self._handle.pointer, encode(constraint)))
            if index < 0:
                raise no_such("constraint", constraint, [c.name for c in self.constraints])
            constraint = index
        self._changed("a constraint was switched")
        self._context.call(lib.iso_world_switch_constraint, self._handle.pointer,
                           operator.index(constraint), bool(is_on), bool(keep_offset))

    def switch_coupler(self, coupler: int | str, is_on: bool) -> None:
        """Let a coupler act (True) or not, by name or index, from the next step on; a state carries
        it. What is open, at most 0.02 m or 0.1 rad, is closed (RangeError: a wider gap)."""
        if isinstance(coupler, str):
            index = int(lib.iso_world_find_coupler(self._handle.pointer, encode(coupler)))
            if index < 0:
                raise no_such("coupler", coupler, [c.name for c in self.couplers])
            coupler = index
        self._changed("a coupler was switched")
        self._context.call(lib.iso_world_switch_coupler, self._handle.pointer,
                           operator.index(coupler), bool(is_on))

    def switch_fixed_tendon(self, tendon: int | str, is_on: bool) -> None:
        """Let the limits of a fixed tendon hold (True) or not, by name or index, from the next step on;
        a state carries it. Its length may lie 0.02 m beyond them, or 0.1 times its largest weight
        (RangeError: a wider gap)."""
        if isinstance(tendon, str):
            index = int(lib.iso_world_find_fixed_tendon(self._handle.pointer, encode(tendon)))
            if index < 0:
                raise no_such("fixed tendon", tendon, [t.name for t in self.fixed_tendons])
            tendon = index
        self._changed("a fixed tendon was switched")
        self._context.call(lib.iso_world_switch_fixed_tendon, self._handle.pointer,
                           operator.index(tendon), bool(is_on))

    @property
    def body_loads(self) -> list[BodyLoad]:
        """Loads of all bodies in the last step, or in the state of the last update_contacts(): after
        a step of a velocity-level method means over it, in the state at its start."""
        count = lib.iso_world_body_count(self._handle.pointer)
        out = ffi.new("iso_body_load[]", count)
        self._context.call(lib.iso_world_body_loads, self._handle.pointer, out)
        return [BodyLoad._copy(out[i]) for i in range(count)]

    def joint_frame(self, body: int | str) -> Pose:
        """Pose in a body of frame M of its inboard joint."""
        index = self._body(body)
        value: Pose = from_c("iso_pose", lib.iso_world_joint_frame(self._handle.pointer, index))
        return value


def joint_body(pointer: Any, joint: int) -> int:
    """Body whose inboard joint it is."""
    return int(lib.iso_world_joint_body(pointer, joint))
