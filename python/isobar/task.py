# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""What acts on a world before every step: commands, programs, controllers."""

from __future__ import annotations

import numbers
import reprlib
import weakref
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import errors
from ._native import Context, Handle, callback, expect, ffi, lib
from ._struct import Struct, c_array
from .pose import Pose
from .program import Program, ProgramState

if TYPE_CHECKING:
    from .sensor import Sensors
    from .world import World

Array = npt.NDArray[np.float64]


class Signal(Struct):
    """A scalar signal of time: kind "constant", "square_wave", "table" or "cubic"; times [s]. Tables are
    given as times (n,) and values (n,)."""

    _ctype = "iso_signal_desc"
    _default = "iso_signal_desc_default"
    _own = ("table_count", "table_times", "table_values")

    kind: str
    offset: float
    amplitude: float
    period: float
    duty: float
    phase: float

    @property
    def table(self) -> tuple[Array, Array] | None:
        """times (n,) [s] and values (n,), or None."""
        if self._c.table_times == ffi.NULL:
            return None
        size = 8 * self._c.table_count
        return (np.frombuffer(ffi.buffer(self._c.table_times, size)).copy(),
                np.frombuffer(ffi.buffer(self._c.table_values, size)).copy())

    @table.setter
    def table(self, rows: tuple[npt.ArrayLike, npt.ArrayLike]) -> None:
        times, values = (np.ascontiguousarray(part, dtype=np.float64).ravel() for part in rows)
        if len(times) != len(values):
            raise ValueError(f"{len(times)} times and {len(values)} values")
        self._keep["table"] = (times, values)
        self._c.table_count = len(times)
        self._c.table_times = ffi.cast("double*", times.ctypes.data)
        self._c.table_values = ffi.cast("double*", values.ctypes.data)

    def check(self) -> None:
        """Raise what is wrong with the parameters."""
        context = Context()
        context.call(lib.iso_signal_check, context.pointer, self._c)

    def __call__(self, time: float) -> float:
        """Value at a time [s]."""
        return float(lib.iso_signal_eval(self._c, time))

    def rate(self, time: float) -> float:
        """Its rate at a time [1/s]."""
        return float(lib.iso_signal_rate(self._c, time))


class Command(Struct):
    """A signal that drives an actuator; kind "effort", "position" or "velocity"."""

    _ctype = "iso_command_desc"

    actuator: str | None
    kind: str
    signal: Signal


class Force(Struct):
    """A force [N] and a torque [N m] on a body, each three numbers or Signals, x, y, z. The force acts
    at the origin of F, x_bf in the body; is_in_body: along the axes of F, else along those of W."""

    _ctype = "iso_force_desc"
    _default = "iso_force_desc_default"
    _own = ("force", "torque")

    body: str | None
    x_bf: Pose
    is_in_body: bool
    source: str | None

    def _components(self, name: str) -> list[Signal]:
        return [Signal._refer(ffi.addressof(getattr(self._c, name), i), self) for i in range(3)]

    def _store(self, name: str, values: Sequence[float | Signal]) -> None:
        if isinstance(values, str) or not isinstance(values, (Sequence, np.ndarray)):
            raise TypeError(f"{name} is {reprlib.repr(values)}, expected three numbers or Signals, "
                            "x, y, z")
        for value in values:
            if not isinstance(value, (Signal, numbers.Real)):
                raise TypeError(f"a component of {name} is {reprlib.repr(value)}, expected a number "
                                "or a Signal")
        signals = [value if isinstance(value, Signal)
                   else Signal(offset=float(value)) for value in values]
        if len(signals) != 3:
            raise ValueError(f"{name} has {len(signals)} components, expected x, y, z")
        for index, signal in enumerate(signals):
            getattr(self._c, name)[index] = signal._c[0]
        self._keep[name] = signals

    @property
    def force(self) -> list[Signal]:
        """x, y, z [N]."""
        return self._components("force")

    @force.setter
    def force(self, values: Sequence[float | Signal]) -> None:
        self._store("force", values)

    @property
    def torque(self) -> list[Signal]:
        """x, y, z [N m]."""
        return self._components("torque")

    @torque.setter
    def torque(self, values: Sequence[float | Signal]) -> None:
        self._store("torque", values)


#: A controller: called before every step with the world, its time [s] and what the actuators are told,
#: (actuator_count, 3) rows of feed_forward, position, velocity, which it may change or replace by what
#: it returns. It may ask the world anything but not change its state.
Controller = Callable[["World", float, Array], "npt.ArrayLike | None"]


class Task:
    """Commands, forces, programs and a controller that act on a world before every step; set it as
    World.task. Exceptions of the controller come out of the step."""

    def __init__(self, world: World, commands: Sequence[Command] = (),
                 programs: Sequence[Program] = (), controller: Controller | None = None,
                 sensors: Sensors | None = None, forces: Sequence[Force] = ()) -> None:
        expect(world, "World", "world")
        for values, name in ((forces, "Force"), (programs, "Program")):
            if not isinstance(values, Iterable):
                raise TypeError(f"expected a list of {name}, not {type(values).__name__}")
        array, _held = c_array("iso_command_desc", commands)
        out = ffi.new("iso_task**")
        world._context.call(lib.iso_task_create, world._handle.pointer, array, len(commands), out)
        self._adopt(world, out[0])
        for force in forces:
            self.add_force(force)
        for program in programs:
            self.add_program(program)
        if controller is not None:
            self.set_controller(controller)
        if sensors is not None:
            self.set_sensors(sensors)

    def _adopt(self, world: World, pointer: Any) -> None:
        self._context, self._world = world._context, world._handle
        self._owner = weakref.ref(world)
        self._raised: BaseException | None = None
        self._callbacks: list[Any] = []
        self._handle = Handle(pointer, lambda: lib.iso_task_destroy(pointer), [world._handle])

    @classmethod
    def _of_scene(cls, scene: Any, world: World) -> Task:
        out = ffi.new("iso_task**")
        world._context.call(lib.iso_scene_create_task, scene, world._handle.pointer, out)
        task = cls.__new__(cls)
        task._adopt(world, out[0])
        return task

    def add_program(self, program: Program) -> None:
        """Add a program; it begins with the next step."""
        self._context.call(lib.iso_task_add_program, self._handle.pointer, self._world.pointer,
                           expect(program, "Program", "program")._c)

    def add_force(self, force: Force) -> None:
        """Push a body from the next step on."""
        self._context.call(lib.iso_task_add_force, self._handle.pointer, self._world.pointer,
                           expect(force, "Force", "force")._c)

    @property
    def is_over(self) -> bool:
        """Whether a program with ends_run is done, or a criterion of a file with `stop: true` met: a loop
        that steps may stop."""
        return bool(lib.iso_task_is_over(self._handle.pointer, self._world.pointer))

    def set_sensors(self, sensors: Sensors | None) -> None:
        """Sensors that conditions look at."""
        pointer = ffi.NULL
        if sensors is not None:
            pointer = expect(sensors, "Sensors", "sensors")._handle.pointer
            self._handle.add_parent(sensors._handle)
        lib.iso_task_set_sensors(self._handle.pointer, pointer)

    def set_controller(self, controller: Controller | None) -> None:
        """A callable that acts before every step, or None."""
        if controller is None:
            lib.iso_task_set_controller(self._handle.pointer, ffi.NULL, ffi.NULL)
            return
        if not callable(controller):
            raise TypeError(f"controller is {controller!r}, expected a callable")
        self_ref = weakref.ref(self)

        @callback("iso_status(void*, iso_world*, double, iso_actuation*)")
        def control(_user: Any, _world: Any, time: float, actuations: Any) -> int:
            task = self_ref()
            if task is None:
                return int(lib.ISO_ERR_ARGUMENT)
            try:
                task._control(controller, time, actuations)
            except BaseException as error:  # carried over the C frames, raised again by _call()
                task._raised = error
                return int(lib.ISO_ERR_ARGUMENT)
            return int(lib.ISO_OK)

        self._callbacks.append(control)  # kept: the one before may be running
        lib.iso_task_set_controller(self._handle.pointer, control, ffi.NULL)

    def _control(self, controller: Controller, time: float, actuations: Any) -> None:
        world = self._owner()
        if world is None:
            raise errors.StaleError("the world of the task is gone")
        count = lib.iso_world_actuator_count(self._world.pointer)
        shared = np.frombuffer(ffi.buffer(actuations, 24 * count)).reshape(count, 3) if count \
            else np.empty((0, 3))
        values = shared.copy()
        answer = controller(world, time, values)
        _ = self._world.pointer  # raises when the controller closed the world
        told = values if answer is None else np.asarray(answer, dtype=np.float64)
        if count and told.shape != shared.shape:
            raise ValueError(f"the controller returned shape {told.shape}, expected {shared.shape}: "
                             "a row of feed_forward, position, velocity for each actuator")
        if count:
            shared[:] = told

    def _call(self, function: Any) -> None:
        self._raised = None
        try:
            self._context.call(function, self._handle.pointer, self._world.pointer)
        except errors.Error:
            raised, self._raised = self._raised, None
            if raised is not None:
                raise raised from None
            raise

    def apply(self) -> None:
        """Set the actuation of the world for its present time."""
        self._call(lib.iso_task_apply)

    def observe(self) -> None:
        """After a step: read what conditions look at and keep it with the state."""
        self._call(lib.iso_task_observe)

    def step(self) -> None:
        """apply(), a time step, observe()."""
        world = self._owner()
        if world is not None:
            world._changed("the world has stepped since")
            world._has_failed = True  # unless it comes back
        self._call(lib.iso_task_step)
        if world is not None:
            world._has_failed = False

    @property
    def programs(self) -> list[ProgramState]:
        """How far the programs have come."""
        pointer = self._handle.pointer
        return [ProgramState._copy(lib.iso_task_program(pointer, self._world.pointer, i),
                                   self._handle)
                for i in range(lib.iso_task_program_count(pointer))]
