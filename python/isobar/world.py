# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Worlds: a model with a state that advances in time."""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import errors
from ._native import Context, Handle, encode, expect, ffi, lib, no_such, text
from ._struct import enum_name, from_c, to_c
from ._views import Epoch
from .contact import Contact, ElasticEnergy, FrictionErrors
from .dynamics import Dynamics, joint_body
from .events import Watched
from .geometry import PathLike
from .linearize import Linearization, linearize
from .model import Model
from .pose import Pose, PoseLike
from .program import ActuatorGains, JointLimits
from .world_values import (ContactPassage, ContactPeak, Deformed, Energy, StepReport, Surface,
                           WorldRayHit, WorldSettings)

if TYPE_CHECKING:
    from .live import LiveView
    from .sensor import Sensors
    from .task import Task

Array = npt.NDArray[np.float64]


class World(Dynamics, Watched):
    """A model with a state. Bodies, joints and actuators are named by scoped name, by bare name
    where only one matches, or by index; body 0 is "world".

    Long calls release the interpreter's lock. One world serves one thread at a time: a second one
    waits. Different worlds are independent."""

    def __init__(self, model: Model, settings: WorldSettings | None = None,
                 **changes: Any) -> None:
        """Build a world; changes are members of WorldSettings, World(model, time_step=2e-3). An
        accuracy of a velocity-level method, World(model, accuracy=1e-3), asks for error control;
        the time step is then 0.01 s where none is given."""
        if not isinstance(model, Model):
            raise TypeError(f"a world is made of a Model, not {type(model).__name__} "
                            "(a Scene has create_world())")
        desc = WorldSettings()
        if settings is not None:
            desc._c[0] = expect(settings, "WorldSettings", "settings")._c[0]
        for name, value in changes.items():
            setattr(desc, name, value)
        if "accuracy" in changes and "error_control" not in changes:
            desc.error_control = lib.iso_method_is_velocity_level(desc._c.method)
            if desc.error_control and settings is None and "time_step" not in changes:
                desc.time_step = 0.0
        context = Context()
        out = ffi.new("iso_world**")
        with model._context.lock:
            context.call(lib.iso_world_create, context.pointer, model._handle.pointer, desc._c, out,
                         also=model._context)
        self._adopt(context, out[0])

    def _adopt(self, context: Context, pointer: Any) -> None:
        self._context = context
        self._handle = Handle(pointer, lambda: lib.iso_world_destroy(pointer), [context.handle])
        self._epoch = Epoch()
        self._task: Task | None = None
        self._event_functions: list[Any] = []
        self._scene_name = ""
        self._has_failed = False

    @property
    def task(self) -> Task | None:
        """Commands that act before every step, made for this world, or None."""
        return self._task

    @task.setter
    def task(self, task: Task | None) -> None:
        if task is not None and expect(task, "Task", "task")._world is not self._handle:
            raise errors.ArgumentError("the task acts on another world")
        self._task = task

    def _changed(self, reason: str) -> None:
        epoch, self._epoch = self._epoch, Epoch()
        epoch.end(reason)

    def close(self) -> None:
        """Release it now; its views and contacts become stale."""
        self._changed("the world was closed")
        self._handle.release()

    def __repr__(self) -> str:
        if self._handle._is_released:
            return "<World, closed>"
        return (f"<World at t = {self.time:g} s, {self.body_count} bodies, "
                f"{self.v_count} degrees of freedom, {len(self.actuator_names)} actuators>")

    def __enter__(self) -> World:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Time

    def step(self, count: int = 1) -> None:
        """Advance by `count` time steps, with the commands of `task`. Views and contacts taken
        before become stale. On failure the state is that before the failing step."""
        if operator.index(count) < 0:
            raise errors.RangeError(f"{count} steps, expected 0 or more")
        pointer, task = self._handle.pointer, self.task
        with self._context.lock:
            self._changed("the world has stepped since")
            self._event_error = None
            self._has_failed = False  # the last step
            friction = FrictionErrors()
            try:
                with friction:
                    for _ in range(count):
                        if task is not None:
                            task.step()
                        else:
                            self._context.call(lib.iso_world_step, pointer)
            except errors.Error:
                self._has_failed = True
                raised, self._event_error = self._event_error or friction.error, None
                if raised is not None:
                    raise raised from None
                raise

    def show(self, sensors: Sensors | None = None, *, browser: bool = False,
             **options: Any) -> LiveView:
        """Serve a live view of this world to browsers of this machine (docs/live.md):

            view = world.show()
            print(view.url)
            view.run()          # until interrupted; or world.step() and view.update() in a loop

        browser: open the page too. options: those of LiveView."""
        from .live import LiveView
        view = LiveView(self, sensors, **options)
        if browser:
            view.open()
        return view

    def _repr_html_(self) -> str:
        """The present state on the viewer's page, inline in a notebook."""
        from .notebook import world_html
        return world_html(self)

    def update_contacts(self) -> None:
        """Compute the contacts of the present state, as `isobar patch` does."""
        self._changed("contacts were computed anew")
        self._context.call(lib.iso_world_update_contacts, self._handle.pointer)

    @property
    def time(self) -> float:
        """[s]"""
        return float(lib.iso_world_time(self._handle.pointer))

    @property
    def step_count(self) -> int:
        """Steps made so far."""
        return int(lib.iso_world_step_count(self._handle.pointer))

    @property
    def settings(self) -> WorldSettings:
        """What the world was made with."""
        value: WorldSettings = WorldSettings._copy(lib.iso_world_settings(self._handle.pointer))
        return value

    # Whole states

    @property
    def model_hash(self) -> int:
        """FNV-1a of everything constant that shapes the motion."""
        return int(lib.iso_world_model_hash(self._handle.pointer))

    def save(self) -> bytes:
        """The whole state: what contacts remember, actuation and the energy ledger too."""
        with self._context.lock:
            size, written = lib.iso_world_state_size(self._handle.pointer), ffi.new("size_t*")
            buffer = ffi.new("char[]", max(size, 1))
            self._context.call(lib.iso_world_save, self._handle.pointer, buffer, size, written)
            return bytes(ffi.buffer(buffer, written[0]))

    @property
    def structure_hash(self) -> int:
        """FNV-1a of names and kinds of all parts, whatever their numbers are."""
        return int(lib.iso_world_structure_hash(self._handle.pointer))

    def restore(self, state: bytes, other_parameters: bool = False) -> None:
        """Take over a state that save() gave; on failure the world is untouched. It steps on with
        the same bits; there are no contacts until the next step or update_contacts().
        other_parameters: the state may be of a world with other masses, friction, moduli, sizes or
        gains, whose structure_hash is the same; the next steps bring in order what does not agree."""
        self._changed("the state of the world was restored")
        function = lib.iso_world_restore_across if other_parameters else lib.iso_world_restore
        self._context.call(function, self._handle.pointer, ffi.from_buffer(state), len(state))

    def save_file(self, path: PathLike) -> None:
        """save() into a file, written whole or not at all."""
        self._context.call(lib.iso_world_save_file, self._handle.pointer, encode(path))

    def load_file(self, path: PathLike) -> None:
        """restore() from a file."""
        self._changed("the state of the world was restored")
        self._context.call(lib.iso_world_load_file, self._handle.pointer, encode(path))

    def clone(self) -> World:
        """A second world in the same state that shares what is constant; without the task, which
        Scene.create_task() makes again. It shares the lock too: threads that step the two take turns,
        a WorldBatch steps them at once."""
        out = ffi.new("iso_world**")
        self._context.call(lib.iso_world_clone, self._handle.pointer, out)
        world = World.__new__(World)
        world._adopt(self._context, out[0])
        world._scene_name = self._scene_name
        return world

    # What others keep with the state

    def attach(self, name: str, values: npt.ArrayLike) -> None:
        """Keep numbers under a name (1 to 15 bytes): they are saved, restored and cloned with the
        world and mean nothing to it."""
        array = np.ascontiguousarray(values, dtype=np.float64).ravel()
        out, is_new = ffi.new("double**"), ffi.new("bool*")
        with self._context.lock:
            self._context.call(lib.iso_world_attach, self._handle.pointer, encode(name),
                               len(array), out, is_new)
            ffi.memmove(out[0], ffi.from_buffer(array), array.nbytes)

    def attachment(self, name: str) -> Array | None:
        """Numbers kept under a name, or None."""
        count = ffi.new("int*")
        with self._context.lock:
            values = lib.iso_world_attachment(self._handle.pointer, encode(name), count)
            if values == ffi.NULL:
                return None
            return np.frombuffer(ffi.buffer(values, 8 * count[0])).copy()

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Inside, whatever would change the state fails; so it does afterwards, once. close() waits
        for the end."""
        pointer = self._handle.pointer
        self._handle.use()
        lib.iso_world_hold(pointer)
        try:
            yield
        finally:
            try:
                self._context.call(lib.iso_world_release, pointer)
            finally:
                self._handle.disuse()

    # Bodies

    def _index(self, function: Any, key: int | str, kind: str) -> int:
        if not isinstance(key, str):
            return operator.index(key)
        index = int(function(self._handle.pointer, encode(key)))
        if index < 0:
            names: list[str] = getattr(self, f"{kind}_names")
            raise no_such(kind, key, names)
        return index

    def _checked(self, index: int, count: int, kind: str) -> int:
        if not 0 <= index < count:
            raise IndexError(f"{kind} {index}, expected 0 to {count - 1}" if count else
                             f"{kind} {index}, of which there is none")
        return index

    def body_index(self, body: int | str) -> int:
        """Index of a body; sorted by name, unlike those of the model."""
        return self._index(lib.iso_world_find_body, body, "body")

    def _body(self, body: int | str) -> int:
        return self._checked(self.body_index(body), self.body_count, "body")

    def _joint(self, joint: int | str) -> int:
        return self._checked(self.joint_index(joint), self.joint_count, "joint")

    def _actuator(self, actuator: int | str) -> int:
        count = int(lib.iso_world_actuator_count(self._handle.pointer))
        return self._checked(self.actuator_index(actuator), count, "actuator")

    @property
    def body_count(self) -> int:
        """Number of bodies, "world" included."""
        return int(lib.iso_world_body_count(self._handle.pointer))

    @property
    def body_names(self) -> list[str]:
        """Scoped names by index."""
        pointer = self._handle.pointer
        return [text(lib.iso_world_body_name(pointer, i)) for i in range(self.body_count)]

    def body_mass(self, body: int | str) -> float:
        """[kg]; 0 for "world"."""
        return float(lib.iso_world_body_mass(self._handle.pointer, self._body(body)))

    def body_is_fixed(self, body: int | str) -> bool:
        """True for the world and everything welded to it."""
        return bool(lib.iso_world_body_is_fixed(self._handle.pointer, self._body(body)))

    def body_pose(self, body: int | str) -> Pose:
        """X_WB."""
        value: Pose = from_c("iso_pose",
                             lib.iso_world_body_pose(self._handle.pointer, self._body(body)))
        return value

    def body_twist(self, body: int | str) -> Array:
        """(6,) angular velocity [rad/s], velocity of the body origin [m/s]; in W."""
        value: Array = from_c("iso_spatial",
                              lib.iso_world_body_twist(self._handle.pointer, self._body(body)))
        return value

    @property
    def body_poses(self) -> Array:
        """(body_count, 4, 4) homogeneous matrices X_WB."""
        return np.array([self.body_pose(i).matrix for i in range(self.body_count)])

    @property
    def body_twists(self) -> Array:
        """(body_count, 6) angular velocity [rad/s], velocity of the origin [m/s]; in W."""
        return np.array([self.body_twist(i) for i in range(self.body_count)])

    def surfaces(self, body: int | str) -> list[Surface]:
        """Surfaces of a body; visuals only with load_visuals."""
        pointer, index = self._handle.pointer, self._body(body)
        return [Surface(lib.iso_world_body_surface(pointer, index, i), self._handle, self._context)
                for i in range(lib.iso_world_body_surface_count(pointer, index))]

    def set_free_body(self, body: int | str, x_wb: PoseLike,
                      v_wb: npt.ArrayLike = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)) -> None:
        """Pose and twist (6,) of a body that floats freely."""
        self._changed("the state of the world was set")
        self._context.call(lib.iso_world_set_free_body, self._handle.pointer,
                           self.body_index(body), to_c("iso_pose", x_wb),
                           to_c("iso_spatial", v_wb)[0])

    def set_prescribed(self, body: int | str, x_wb: PoseLike | None,
                       v_wb: npt.ArrayLike = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)) -> None:
        """Move a body that is welded to the world: it is at x_wb now and every step moves it on
        with the twist v_wb (6,), which contacts and constraints see. None: back to where the model
        has it, at rest."""
        self._changed("the state of the world was set")
        self._context.call(lib.iso_world_set_prescribed, self._handle.pointer,
                           self.body_index(body),
                           ffi.NULL if x_wb is None else to_c("iso_pose", x_wb),
                           to_c("iso_spatial", v_wb)[0])

    def apply_wrench_for_one_step(self, body: int | str, wrench: npt.ArrayLike) -> None:
        """Wrench (6,) on a body in the next step only: moment about the body origin [N m], force
        [N]; in W. Over many steps: call it before each of them."""
        self._context.call(lib.iso_world_apply_wrench, self._handle.pointer,
                           self.body_index(body), to_c("iso_spatial", wrench)[0])

    def apply_wrench(self, body: int | str, wrench: npt.ArrayLike) -> None:
        """apply_wrench_for_one_step(): it lasts one step, as that name says."""
        self.apply_wrench_for_one_step(body, wrench)

    # Joints of one degree of freedom

    def joint_index(self, joint: int | str) -> int:
        """Index of a joint of one degree of freedom; in the order of their coordinates, unlike those
        of the model."""
        return self._index(lib.iso_world_find_joint, joint, "joint")

    @property
    def joint_count(self) -> int:
        """Joints of one degree of freedom."""
        return int(lib.iso_world_joint_count(self._handle.pointer))

    @property
    def joint_names(self) -> list[str]:
        """Scoped names by index."""
        pointer = self._handle.pointer
        return [text(lib.iso_world_joint_name(pointer, i)) for i in range(self.joint_count)]

    @property
    def joint_kinds(self) -> list[str]:
        """ "revolute", "prismatic" or "screw", by index."""
        pointer = self._handle.pointer
        return [enum_name("iso_joint_kind", lib.iso_world_joint_kind(pointer, i))
                for i in range(self.joint_count)]

    def _of_joints(self, function: Any) -> Array:
        pointer = self._handle.pointer
        return np.array([function(pointer, i) for i in range(self.joint_count)], dtype=np.float64)

    @property
    def joint_positions(self) -> Array:
        """(joint_count,) [rad] or [m]"""
        return self._of_joints(lib.iso_world_joint_position)

    @property
    def joint_velocities(self) -> Array:
        """(joint_count,) [rad/s] or [m/s]"""
        return self._of_joints(lib.iso_world_joint_velocity)

    @property
    def joint_efforts(self) -> Array:
        """(joint_count,) of actuators in the last step [N m] or [N]"""
        return self._of_joints(lib.iso_world_joint_effort)

    def joint_body(self, joint: int | str) -> int:
        """Body whose inboard joint it is."""
        index = self._joint(joint)
        return joint_body(self._handle.pointer, index)

    def joint_limits(self, joint: int | str) -> JointLimits:
        """Limits of position and velocity."""
        value: JointLimits = JointLimits._copy(
            lib.iso_world_joint_limits(self._handle.pointer, self._joint(joint)))
        return value

    def set_joint(self, joint: int | str, position: float, velocity: float = 0.0) -> None:
        """Position [rad] or [m] and velocity of a joint."""
        self._changed("the state of the world was set")
        self._context.call(lib.iso_world_set_joint, self._handle.pointer, self.joint_index(joint),
                           position, velocity)

    # Actuators

    def actuator_index(self, actuator: int | str) -> int:
        """Index of an actuator, its row in actuations; sorted by name, unlike those of the model."""
        return self._index(lib.iso_world_find_actuator, actuator, "actuator")

    @property
    def actuator_names(self) -> list[str]:
        """Names by index."""
        pointer = self._handle.pointer
        return [text(lib.iso_world_actuator_name(pointer, i))
                for i in range(lib.iso_world_actuator_count(pointer))]

    def actuator_joint(self, actuator: int | str) -> int:
        """Index of the joint an actuator drives; -1: it drives a fixed tendon or is adhesion."""
        return int(lib.iso_world_actuator_joint(self._handle.pointer, self._actuator(actuator)))

    def actuator_fixed_tendon(self, actuator: int | str) -> int:
        """Index of the fixed tendon an actuator drives; -1: it drives a joint or is adhesion."""
        index = self._actuator(actuator)
        return int(lib.iso_world_actuator_fixed_tendon(self._handle.pointer, index))

    def actuator_adhesion_body(self, actuator: int | str) -> int:
        """Index of the body whose contacts an actuator pulls together; -1: it is no adhesion."""
        index = self._actuator(actuator)
        return int(lib.iso_world_actuator_adhesion_body(self._handle.pointer, index))

    def actuator_gains(self, actuator: int | str) -> ActuatorGains:
        """What an actuator was made with."""
        value: ActuatorGains = ActuatorGains._copy(
            lib.iso_world_actuator_gains(self._handle.pointer, self._actuator(actuator)))
        return value

    def actuation(self, actuator: int | str) -> Array:
        """(3,) what an actuator is told now: feed_forward, position, velocity."""
        value = lib.iso_world_actuation(self._handle.pointer, self._actuator(actuator))
        return np.array([value.feed_forward, value.position, value.velocity])

    def set_actuation(self, actuator: int | str, feed_forward: float = 0.0, position: float = 0.0,
                      velocity: float = 0.0) -> None:
        """Held until changed: feed_forward [N m] or [N], position and velocity of the PD law.
        World.task, where there is one, sets what it drives anew before every step."""
        value = ffi.new("iso_actuation*", [feed_forward, position, velocity])
        self._context.call(lib.iso_world_set_actuation, self._handle.pointer,
                           self.actuator_index(actuator), value)

    def lead_actuation(self, actuator: int | str, start: Sequence[float],
                       end: Sequence[float]) -> None:
        """What an actuator follows within the next step of midpoint or a method with error control,
        linearly: start and end are (feed_forward, position, velocity). It then holds the end. Other
        methods take what set_actuation() says, which also takes this back."""
        if len(start) != 3 or len(end) != 3:
            raise errors.ArgumentError("start and end are (feed_forward, position, velocity)")
        self._context.call(lib.iso_world_lead_actuation, self._handle.pointer,
                           self.actuator_index(actuator), ffi.new("iso_actuation*", list(start)),
                           ffi.new("iso_actuation*", list(end)))

    def linearize(self, step_count: int = 1, thread_count: int = 1, position_step: float = 1e-6,
                  velocity_step: float = 1e-4, control_step: float = 1e-3,
                  differences: bool = False, parameters: Sequence[tuple[str, str]] = (),
                  parameter_step: float = 1e-3) -> Linearization:
        """The derivative of `step_count` steps from the present state and actuation, without the task:
        of one step of lagged, sap or similar by the implicit function theorem, else, or with
        `differences`, by differences of whole steps that are extrapolated to zero (`reason` says why).
        Steps: the largest changes of positions [m], [rad], velocities and efforts. parameters:
        ("friction" | "modulus" | "dissipation" | "pose", "body::geometry") or ("mass", "body"), of
        moduli and masses their logarithms, of a pose six numbers, in the axes of the body."""
        return linearize(self, step_count, thread_count, position_step, velocity_step, control_step,
                         differences, parameters, parameter_step)

    # Contacts

    @property
    def contacts(self) -> list[Contact]:
        """Contacts of the last step (patches at its start) or of update_contacts(), sorted by
        names. Valid until the world changes."""
        with self._context.lock:
            pointer = self._handle.pointer
            return [Contact(lib.iso_world_contact(pointer, i), self._handle, self._epoch)
                    for i in range(lib.iso_world_contact_count(pointer))]

    def contact_friction(self, contact: int) -> float:
        """Coefficient of friction of what slides in a contact, by its index in contacts."""
        pointer = self._handle.pointer
        index = self._checked(contact, lib.iso_world_contact_count(pointer), "contact")
        return float(lib.iso_world_contact_friction(pointer, index))

    def ray_cast(self, origin: npt.ArrayLike, direction: npt.ArrayLike,
                 max_distance: float = float("inf"),
                 ignored_body: int | str | None = None) -> WorldRayHit | None:
        """First geometry that a ray meets in the present state; None when it misses. Those of
        ignored_body are passed through."""
        result = WorldRayHit._copy(ffi.new("iso_world_ray_hit*")[0], self._handle)
        ignored = -1 if ignored_body is None else self._body(ignored_body)
        self._context.call(lib.iso_world_ray_cast, self._handle.pointer,
                           to_c("iso_vec3", origin)[0], to_c("iso_vec3", direction)[0],
                           max_distance, ignored, result._c)
        return result if result.body >= 0 else None

    @property
    def contact_peak(self) -> ContactPeak:
        """The contact that came nearest to passing through since the world was made."""
        value: ContactPeak = ContactPeak._copy(lib.iso_world_contact_peak(self._handle.pointer),
                                               self._handle)
        return value

    @property
    def contact_passage(self) -> ContactPassage:
        """Bodies that went through each other unseen since the world was made or cloned."""
        value: ContactPassage = ContactPassage._copy(
            lib.iso_world_contact_passage(self._handle.pointer), self._handle)
        return value

    def deformed(self, body: int | str, surface: int) -> Deformed:
        """What contact leaves of a compliant geometry, after update_contacts(); surface: index in
        surfaces(). Empty for what is not a compliant body of tetrahedra."""
        out = ffi.new("iso_deformed*")
        context = self._context
        context.call(lib.iso_world_deformed, self._handle.pointer, self.body_index(body), surface,
                     out)
        keep = Handle(out, lambda: lib.iso_deformed_destroy(context.pointer, out),
                      [context.handle])
        return Deformed(out, keep)

    def export_contacts_vtk(self, directory: PathLike) -> None:
        """Write bodies.vtp and patches.vtp of the present contacts."""
        self._context.call(lib.iso_contacts_export_vtk, self._handle.pointer, encode(directory))

    def export_deformed_vtk(self, directory: PathLike) -> None:
        """Write the deformed configuration of every compliant body of tetrahedra."""
        self._context.call(lib.iso_deformed_export_vtk, self._handle.pointer, encode(directory))

    # Reports

    def energy(self) -> Energy:
        """Energy of the present state [J]."""
        with self._context.lock:
            value: Energy = Energy._copy(lib.iso_world_energy(self._handle.pointer))
        return value

    def elastic_energy(self, contact: int = -1) -> ElasticEnergy:
        """Energy stored in the contacts last computed, exact where it can be (`is_exact`); call
        it after update_contacts(). contact: index of one of them, -1 all together."""
        out = ffi.new("iso_elastic_energy*")
        self._context.call(lib.iso_world_elastic_energy, self._handle.pointer, contact, out)
        value: ElasticEnergy = ElasticEnergy._copy(out[0])
        return value

    def report(self) -> StepReport:
        """What the last step cost."""
        value: StepReport = StepReport._copy(lib.iso_world_step_report(self._handle.pointer))
        return value

    @property
    def state_hash(self) -> int:
        """FNV-1a of time, positions and velocities."""
        return int(lib.iso_world_state_hash(self._handle.pointer))
