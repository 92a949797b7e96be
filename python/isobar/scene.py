# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Scenes: scenario, SDFormat, URDF and MJCF files."""

from __future__ import annotations

import json
import operator
import os
import re
from collections.abc import Mapping
from typing import Any

from ._native import Context, Handle, encode, ffi, lib, no_such, text
from ._struct import Struct, enum_name, enum_value, from_c
from .events import EventLevel
from .geometry import PathLike
from .model import Model
from .mover import Mover
from .pose import Pose
from .program import Program
from .sensor import Sensor, Sensors
from .task import Command, Force, Task
from .world import World
from .world_values import WorldSettings


def names(family: str) -> list[str]:
    """What the values of an enumeration are called in scene files, recordings and Python, in their
    order: names("method") is ["lagged", "sap", ...]. Families: method, joint_kind, representation,
    cull, combine, damping, regularization, friction_model, sensor_kind, signal_kind, profile,
    feed_forward, constraint_kind, sensor_zone."""
    value = enum_value("iso_name_family", family)
    return [text(lib.iso_name_of(value, i)) for i in range(lib.iso_name_count(value))]


def method_is_built(method: str) -> bool:
    """Whether this library has a method: all have all of names("method"), but for "cvode", which
    needs SUNDIALS."""
    return bool(lib.iso_method_is_built(enum_value("iso_method", method)))


class SceneFrame(Struct):
    """A place fixed to a body: what add_frame directives, <frame> of SDFormat and URDF, and named
    <site> of MJCF make. name, scoped; body, its index in the model, which is not that in a world
    (Scene.frame_body() is what IkTarget and Sensor take); x_bf, pose in the body; source,
    "file:line"."""

    _ctype = "iso_scene_frame"

    name: str
    body: int
    x_bf: Pose
    source: str


class Scene:
    """A scene file turned into descriptions.

    name; model, which may be edited; settings of the world it asks for; until, the simulated time
    it asks for [s], 0 when not said; commands that drive its actuators; forces on its bodies; programs, criteria among them;
    sensors; movers, the paths of fixed bodies; frames, the places that the file names."""

    def __init__(self, context: Context, out: Any) -> None:
        owner = context.pointer  # while the context may still be asked for it
        self._handle = Handle(out, lambda: lib.iso_scene_destroy(owner, out), [context.handle])
        self.name = text(out.name)
        self.model = Model._own(context, Handle(out.model, lambda: None, [self._handle]))
        self.settings: WorldSettings = WorldSettings._copy(ffi.addressof(out, "world"))
        self.until = float(out.until)
        self.commands: list[Command] = [Command._refer(out.commands + i, self._handle)
                                        for i in range(out.command_count)]
        self.forces: list[Force] = [Force._refer(out.forces + i, self._handle)
                                    for i in range(out.force_count)]
        self.programs: list[Program] = [Program._refer(out.programs + i, self._handle)
                                        for i in range(out.program_count)]

        self.movers: list[Mover] = [Mover._refer(out.movers + i, self._handle)
                                    for i in range(out.mover_count)]
        self.sensors: list[Sensor] = [Sensor._refer(out.sensors + i, self._handle)
                                      for i in range(out.sensor_count)]
        self.frames: list[SceneFrame] = [SceneFrame._refer(out.frames + i, self._handle)
                                         for i in range(out.frame_count)]

    def __repr__(self) -> str:
        parts = [(len(self.commands), "commands"), (len(self.forces), "forces"), (len(self.programs), "programs"),
                 (len(self.sensors), "sensors"), (len(self.movers), "movers"), (len(self.frames), "frames")]
        return f"<Scene {self.name}" + "".join(f", {n} {what}" for n, what in parts if n) + ">"

    def _repr_html_(self) -> str:
        """The initial state on the viewer's page, inline in a notebook."""
        from .notebook import scene_html
        return scene_html(self)

    def frame_index(self, frame: int | str) -> int:
        """Index by name, or by the end of it where only one matches."""
        if isinstance(frame, str):
            index = int(lib.iso_scene_find_frame(self._handle.pointer, encode(frame)))
            if index < 0:
                raise no_such("frame", frame, [f.name for f in self.frames])
            return index
        if not 0 <= frame < len(self.frames):
            raise IndexError(f"frame {frame}, expected 0 to {len(self.frames) - 1}")
        return operator.index(frame)

    def frame(self, frame: int | str) -> SceneFrame:
        """A frame by index, by name, or by the end of its name where only one matches."""
        return self.frames[self.frame_index(frame)]

    def frame_body(self, frame: int | str) -> str:
        """Scoped name of the body that a frame is fixed to, for IkTarget, Sensor, ProgramStep."""
        return str(self.model.bodies[self.frame(frame).body].name)

    def frame_pose(self, world: World, frame: int | str) -> Pose:
        """Where a frame is now in a world made from the scene."""
        value: Pose = from_c("iso_pose", lib.iso_scene_frame_pose(
            self._handle.pointer, world._handle.pointer, self.frame_index(frame)))
        return value

    def create_sensors(self, world: World) -> Sensors:
        """The scene's sensors in a world made from it."""
        return Sensors(world, self.sensors)

    def create_world(self, **changes: Any) -> World:
        """A world in the scene's initial state, its commands and programs as the world's task.
        changes: members of WorldSettings, create_world(time_step=2e-3)."""
        world = World(self.model, self.settings, **changes)
        world._scene_name = self.name
        if self._handle.pointer.has_events:
            events = self._handle.pointer.events
            world.watch(contacts=bool(events.with_contacts), slip=bool(events.with_slip),
                        slip_speed=events.slip_speed, levels=[
                            EventLevel(enum_name("iso_level_quantity", e.quantity), text(e.of),
                                       e.level, e.direction, text(e.name))
                            for e in (events.levels[i] for i in range(events.level_count))])
        remembers = bool(self.sensors) and self.create_sensors(world).have_memory
        if self.commands or self.forces or self.programs or self.movers or remembers:
            world.task = self.create_task(world)  # reads what remembers in every step
        return world

    def create_task(self, world: World) -> Task:
        """The scene's commands and programs for a world made from it, or for a clone of one, whose
        programs go on where they were: clone.task = scene.create_task(clone)."""
        task = Task._of_scene(self._handle.pointer, world)
        if self.sensors:
            task.set_sensors(self.create_sensors(world))
        return task


def load(path: PathLike, packages: Mapping[str, PathLike] | None = None,
         settings: Mapping[str, Any] | None = None, keyframe: str | int | None = None) -> Scene:
    """Load a scenario (.yaml, .yml), SDFormat (.sdf, .world), URDF or MuJoCo (.mjcf, .xml) file.

    packages: {name: directory} that package://name/ and model://name/ URIs point to; they win over
    those in the file. settings: {"simulation.time_step": 2e-3} changes values before the file is
    read; a value is a number, a bool, text in YAML, or a list, array or dict of these. keyframe: name or
    index of the one that a MuJoCo file starts at, by default the pose of the file. What is not supported is logged
    once each, logger "isobar".
    """
    settings = dict(settings or {})
    if keyframe is not None:
        settings["simulation.keyframe"] = json.dumps(str(keyframe))
    options, _kept = scene_options(packages or {}, settings)
    context, out = Context(), ffi.new("iso_scene*")
    context.call(lib.iso_scene_load, context.pointer, encode(path), options, out)
    return Scene(context, out)


def scene_options(packages: Mapping[str, PathLike],
                  settings: Mapping[str, Any]) -> tuple[Any, list[Any]]:
    """An iso_scene_options, and what must live as long as it."""
    keep: list[Any] = []

    def string(value: PathLike) -> Any:
        keep.append(ffi.new("char[]", encode(value)))
        return keep[-1]

    options = ffi.new("iso_scene_options*")
    listed = ffi.new("iso_package[]", max(len(packages), 1))
    for index, (name, directory) in enumerate(packages.items()):
        listed[index].name, listed[index].directory = string(name), string(directory)
    changes = ffi.new("char*[]", [string(f"{k}={setting_text(v)}") for k, v in settings.items()])
    options.packages, options.package_count = listed, len(packages)
    options.settings, options.setting_count = changes, len(settings)
    return options, [*keep, listed, changes]


def setting_text(value: Any) -> str:
    """A Python value as YAML spells it; text is YAML already."""
    if isinstance(value, str):
        return value
    spelt = json.dumps(value, default=_plain, ensure_ascii=False)
    return re.sub(r'"(?:[^"\\]|\\.)*"|Infinity',
                  lambda found: ".inf" if found[0] == "Infinity" else found[0], spelt)


def _plain(value: Any) -> Any:
    """What JSON does not know: NumPy's numbers and arrays, paths."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"a setting is {value!r}, expected a number, text, bool, list, array or dict of these")
