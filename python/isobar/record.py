# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Recordings: MCAP files of a running world (docs/recording.md)."""

from __future__ import annotations

import contextlib
import operator
import os
import pathlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from ._native import Context, Handle, callback, encode, expect, ffi, index_of, lib, text, viewer_page
from ._struct import Struct, enum_name, from_c
from ._views import Epoch, array_over
from .contact import Contact, _Volatile
from .errors import ArgumentError, Error
from .events import Event, event_from
from .geometry import PathLike
from .pose import POSE_DTYPE, Pose
from .sensor import Sensors
from .world import World
from .world_values import Energy, Surface, WorldSettings

Array = npt.NDArray[np.float64]

#: Told of every frame that an export has taken: progress(done, count).
Progress = Callable[[int, int], object]


class RecorderOptions(Struct):
    """frame_rate [Hz] (0: every call), with_faces, with_foxglove, json_contacts (not in Protocol
    Buffers), exact_energy (elastic energies, about as long as the patches of a step),
    flush_interval [s], chunk_size [bytes], scene_path of the file the world was made from, for
    `isobar replay`, size_limit of the file [bytes] (0: none), in_background (a thread encodes and
    writes)."""

    _ctype = "iso_recorder_desc"
    _default = "iso_recorder_desc_default"
    _own = ("scene_options", "sensors")

    scene_name: str | None
    frame_rate: float
    with_faces: bool
    with_foxglove: bool
    json_contacts: bool
    exact_energy: bool
    flush_interval: float
    chunk_size: int
    scene_path: str | None
    size_limit: float
    in_background: bool


class Recorder:
    """Writes an MCAP file while a world runs; use it in a `with` statement, or close it. Where a
    step of the world failed, close() adds the state before it, if no frame has that yet."""

    def __init__(self, path: PathLike, world: World, sensors: Sensors | None = None,
                 **options: Any) -> None:
        """sensors: recorded too; record() updates them. options: members of RecorderOptions;
        scene_name is that of the scene unless given."""
        expect(world, "World", "world")
        desc = RecorderOptions(**{"scene_name": world._scene_name, **options})
        if sensors is not None:
            desc._c.sensors = expect(sensors, "Sensors", "sensors")._handle.pointer
        context, out = Context(), ffi.new("iso_recorder**")
        with world._context.lock:
            context.call(lib.iso_recorder_create, context.pointer, encode(path),
                         world._handle.pointer, desc._c, out, also=world._context)
        self._context, self._world, self._sensors = context, world, sensors
        pointer = out[0]
        self._is_closed = False
        self._kept_time = -np.inf  # of the last frame
        kept = [] if sensors is None else [sensors._handle]
        self._handle = Handle(pointer, self._end, [context.handle, *kept])
        self._c = pointer

    def _end(self) -> None:
        if not self._is_closed:
            self._is_closed = True
            lib.iso_recorder_close(self._c)

    def record(self) -> None:
        """Record the present state and the last contacts, unless the frame rate says that it is too
        early. Call it after every step."""
        with self._world._context.lock:
            is_due = self.is_due
            if self._sensors is not None and is_due:
                self._sensors.update()
            self._context.call(lib.iso_recorder_record, self._handle.pointer,
                               self._world._handle.pointer, also=self._world._context)
            self._kept_time = self._world.time if is_due else self._kept_time

    @property
    def is_due(self) -> bool:
        """Will record() keep a frame of the present state?"""
        return bool(lib.iso_recorder_is_due(self._handle.pointer, self._world._handle.pointer))

    @property
    def next_time(self) -> float:
        """When the next frame is due, on the grid of the frame rate [s]; infinite at the size limit."""
        return float(lib.iso_recorder_next_time(self._handle.pointer))

    def record_within(self, clone: World) -> None:
        """Keep a frame of a clone that World.place_within() has put within the last step of the world:
        before record() of that step, in the order of time. Sensors of the recorder are read there."""
        expect(clone, "World", "clone")
        if clone.body_names != self._world.body_names or clone.joint_names != self._world.joint_names:
            raise ArgumentError("clone has other bodies or joints; expected one from the world's clone()")
        with clone._context.lock:
            if self._sensors is not None:
                self._context.call(lib.iso_sensors_update, self._sensors._handle.pointer,
                                   clone._handle.pointer, also=clone._context)
            self._context.call(lib.iso_recorder_record_within, self._handle.pointer,
                               clone._handle.pointer, also=clone._context)

    @property
    def frame_count(self) -> int:
        """Frames recorded so far."""
        return int(lib.iso_recorder_frame_count(self._handle.pointer))

    def _record_last(self) -> None:
        """The state that a failed step began with, where frames are less frequent than steps."""
        world = self._world
        if not world._has_failed or world._handle._is_released or world.time <= self._kept_time:
            return
        with contextlib.suppress(Error), world._context.lock:  # the step's failure is the one to tell
            world.update_contacts()
            self.record_within(world)

    def close(self) -> None:
        """Finish the file."""
        if not self._is_closed:
            self._record_last()
            pointer = self._handle.pointer
            self._is_closed = True
            try:
                self._context.call(lib.iso_recorder_close, pointer)
            finally:
                self._handle.release()

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class RecordedBody:
    """name, is_fixed, mass [kg], surfaces."""

    def __init__(self, c: Any, handle: Handle, context: Context) -> None:
        self.name = text(c.name)
        self.is_fixed = bool(c.is_fixed)
        self.mass = float(c.mass)
        self.surfaces = [Surface(c.surfaces[i], handle, context) for i in range(c.surface_count)]


class RecordedSensor:
    """name, kind, body, pose x_bs of its frame in the body; rows, columns, width, height [m] of a
    tactile one, else 0; value_names, value_units (a tactile one: 12, the last 6 of every
    cell; then "stick_slip" and, with taxels, "reading" of every cell)."""

    def __init__(self, c: Any) -> None:
        self.name = text(c.name)
        self.kind = enum_name("iso_sensor_kind", c.kind)
        self.body = text(c.body)
        self.x_bs: Pose = from_c("iso_pose", c.x_bs)
        self.rows, self.columns = int(c.rows), int(c.columns)
        self.width, self.height = float(c.width), float(c.height)
        self.value_names = [text(c.value_names[i]) for i in range(c.name_count)]
        self.value_units = [text(c.value_units[i]) for i in range(c.name_count)]


class _Values(dict[str, Array]):
    def __missing__(self, name: str) -> Array:
        known = list(self)
        return self[known[index_of("sensor", name, known)]]


class Frame(_Volatile):
    """One recorded instant. Valid until the next frame is read."""

    def __init__(self, c: Any, keep: Handle, epoch: Epoch, model: Any) -> None:
        super().__init__(c, keep, epoch)
        self._model = model

    @property
    def time(self) -> float:
        """[s]"""
        return float(self._get("time"))

    @property
    def step_count(self) -> int:
        return int(self._get("step_count"))

    @property
    def state_hash(self) -> int:
        return int(self._get("state_hash"))

    @property
    def poses(self) -> Any:
        """(body_count,) of POSE_DTYPE, X_WB: members rotation (3, 3), translation (3,) [m]."""
        self._epoch.check()
        raw = array_over(self._c.poses, (self._model.body_count * 12,), np.float64, self._owner)
        return raw.copy().view(POSE_DTYPE)

    @property
    def twists(self) -> Any:
        """(body_count, 6) angular velocity [rad/s], velocity of the origin [m/s]; in W."""
        return self._view("twists", (self._model.body_count, 6))

    @property
    def joint_positions(self) -> Any:
        """(joint_count,) [rad] or [m]"""
        return self._view("joint_positions", (self._model.joint_count,))

    @property
    def joint_velocities(self) -> Any:
        """(joint_count,) [rad/s] or [m/s]"""
        return self._view("joint_velocities", (self._model.joint_count,))

    @property
    def joint_efforts(self) -> Any:
        """(joint_count,) [N m] or [N]"""
        return self._view("joint_efforts", (self._model.joint_count,))

    @property
    def sensors(self) -> dict[str, Array]:
        """Values of every sensor, by its name or by the end of it where only one matches."""
        values = self._view("sensor_values", (self._model.sensor_value_count,))
        if values is None:
            return _Values()
        listed = [self._model.sensors[i] for i in range(self._model.sensor_count)]
        return _Values((text(s.name), np.array(values[s.value_index:s.value_index + s.value_count]))
                       for s in listed)

    def grid(self, sensor: str) -> Array:
        """(rows, columns, 6) of a tactile sensor: pressure, shear x, y [Pa], slip velocity x, y
        [m/s], area [m^2]."""
        c = self._tactile(sensor)
        cells = 6 * c.rows * c.columns
        grid: Array = self.sensors[sensor][6:6 + cells].reshape(c.rows, c.columns, 6)
        return grid

    def states(self, sensor: str) -> npt.NDArray[np.int8]:
        """(rows, columns) of a tactile sensor: 0 nothing touches the cell, 1 it sticks, 2 it slips."""
        return self._block(sensor, 0, "states").astype(np.int8)

    def readings(self, sensor: str) -> Array:
        """(rows, columns) of a tactile sensor with taxels: what they read."""
        return self._block(sensor, 1, "readings")

    def _block(self, sensor: str, which: int, what: str) -> Array:
        c = self._tactile(sensor)
        if c.name_count <= 12 + which:
            raise ValueError(f"sensor '{sensor}' has no {what} in this recording")
        cells = c.rows * c.columns
        first = 6 + (6 + which) * cells
        block: Array = self.sensors[sensor][first:first + cells].reshape(c.rows, c.columns)
        return block

    def _tactile(self, sensor: str) -> Any:
        """The described sensor, which has cells."""
        names = [text(self._model.sensors[i].name) for i in range(self._model.sensor_count)]
        c = self._model.sensors[names.index(sensor) if sensor in names
                                else index_of("sensor", sensor, names)]
        if c.rows == 0:
            raise ValueError(f"sensor '{sensor}' has no cells, it is not tactile")
        return c

    @property
    def contacts(self) -> list[Contact]:
        """As those of a world, without gradients (None)."""
        return [Contact(self._c.contacts[i], self._owner, self._epoch)
                for i in range(self._get("contact_count"))]

    @property
    def energy(self) -> Energy:
        value: Energy = Energy._copy(self._get("energy"))
        return value


class Recording:
    """A recording opened for reading. recording[i] or read(i) is a frame, and the recording a
    sequence of them; what was read before becomes stale."""

    def __init__(self, path: PathLike) -> None:
        context, out = Context(), ffi.new("iso_recording**")
        self._path = pathlib.Path(os.path.abspath(os.fsdecode(path)))
        context.call(lib.iso_recording_open, context.pointer, encode(path), out)
        pointer = out[0]
        self._context = context
        self._handle = Handle(pointer, lambda: lib.iso_recording_close(pointer), [context.handle])
        self._epoch = Epoch()
        self._model = lib.iso_recording_model(pointer)

    def close(self) -> None:
        """Release it now; its frames become stale."""
        self._epoch.end("the recording was closed")
        self._handle.release()

    def __enter__(self) -> Recording:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def is_complete(self) -> bool:
        """False when the program that wrote it was killed."""
        return bool(lib.iso_recording_is_complete(self._handle.pointer))

    def _described(self) -> Any:
        assert self._handle.pointer is not None  # raises when closed
        return self._model

    @property
    def scene_name(self) -> str:
        return text(self._described().scene_name)

    @property
    def isobar_version(self) -> str:
        """Version of the library that wrote it."""
        return text(self._described().isobar_version)

    @property
    def settings(self) -> WorldSettings:
        """Of the recorded world."""
        model = self._described()
        value: WorldSettings = WorldSettings._copy(ffi.addressof(model, "settings"), self._handle)
        return value

    @property
    def bodies(self) -> list[RecordedBody]:
        model = self._described()
        return [RecordedBody(model.bodies[i], self._handle, self._context)
                for i in range(model.body_count)]

    @property
    def joints(self) -> list[tuple[str, str]]:
        """Name and kind of each joint."""
        model = self._described()
        return [(text(model.joints[i].name), enum_name("iso_joint_kind", model.joints[i].kind))
                for i in range(model.joint_count)]

    @property
    def sensors(self) -> list[RecordedSensor]:
        model = self._described()
        return [RecordedSensor(model.sensors[i]) for i in range(model.sensor_count)]

    def __repr__(self) -> str:
        count = len(self)
        if count == 0:
            return f"<Recording of {self.scene_name}, no frames>"
        return (f"<Recording of {self.scene_name}, {count} frames, "
                f"t = {self.times[0]:g} to {self.times[-1]:g} s>")

    def _repr_html_(self) -> str:
        """The page, inline in a notebook. What was read before becomes stale."""
        from .notebook import recording_html
        return recording_html(self)

    def __len__(self) -> int:
        return int(lib.iso_recording_frame_count(self._handle.pointer))

    def __getitem__(self, frame: int) -> Frame:
        count, frame = len(self), operator.index(frame)
        if not -count <= frame < count:
            raise IndexError(f"frame {frame}, expected 0 to {count - 1}")
        return self.read(frame % count)

    def __iter__(self) -> Iterator[Frame]:
        return (self.read(i) for i in range(len(self)))

    @property
    def times(self) -> Array:
        """(frame_count,) [s]"""
        pointer = self._handle.pointer
        return np.array([lib.iso_recording_frame_time(pointer, i) for i in range(len(self))])

    @property
    def initial_state(self) -> bytes:
        """State at the start, for World.restore(); empty when it is not known."""
        model = self._described()
        return bytes(ffi.buffer(model.state, model.state_size)) if model.state_size else b""

    @property
    def hashes(self) -> npt.NDArray[np.void]:
        """step_count and state_hash of all states that were recorded, those without a frame too."""
        out, count = ffi.new("iso_recorded_hash**"), ffi.new("int*")
        self._context.call(lib.iso_recording_hashes, self._handle.pointer, out, count)
        dtype = np.dtype([("step_count", np.int64), ("state_hash", np.uint64)])
        size = count[0] * ffi.sizeof("iso_recorded_hash")
        data = bytes(ffi.buffer(out[0], size)) if size else b""
        return np.frombuffer(data, dtype=dtype)

    @property
    def events(self) -> list[Event]:
        """What happened in the steps of a watched world (World.watch(), a scene's `events`), by time."""
        out, count = ffi.new("iso_event**"), ffi.new("int*")
        self._context.call(lib.iso_recording_events, self._handle.pointer, out, count)
        names = ["", *(body.name for body in self.bodies)]
        return [event_from(out[0][i], lambda body: names[body + 1]) for i in range(count[0])]

    def read(self, frame: int) -> Frame:
        """Read one frame; what was read before becomes stale."""
        out = ffi.new("iso_recorded_frame**")
        with self._context.lock:
            epoch, self._epoch = self._epoch, Epoch()
            epoch.end("another frame was read")
            self._context.call(lib.iso_recording_read, self._handle.pointer, frame, out)
            return Frame(out[0], self._handle, self._epoch, self._model)

    def export_csv(self, directory: PathLike, progress: Progress | None = None) -> None:
        """Write bodies.csv, joints.csv, contacts.csv, faces.csv, energy.csv, and sensors.csv where
        there are sensors."""
        with self._pass(progress):
            self._context.call(lib.iso_recording_export_csv, self._handle.pointer,
                               encode(directory))

    def export_vtk(self, directory: PathLike, progress: Progress | None = None) -> None:
        """Write bodies and patches of every frame as VTK files."""
        with self._pass(progress):
            self._context.call(lib.iso_recording_export_vtk, self._handle.pointer,
                               encode(directory))

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """All frames as NumPy arrays in memory, every number as recorded: times, translations (frames,
        bodies, 3), rotations, twists, joint_*, energy/*, sensors/*, contacts/* with a row a contact
        (contacts/frame is its frame), faces/* with a row a face and events/* with a row an event. Faces of contact i are
        contacts/face_starts[i] to [i + 1]; vertices of face k faces/vertex_starts[k] to [k + 1]."""
        from .export import recording_arrays
        return recording_arrays(self)

    def export_npz(self, path: PathLike) -> None:
        """Write arrays() into a file that numpy.load() reads."""
        from .export import write_npz
        write_npz(self, path)

    def export_hdf5(self, path: PathLike) -> None:
        """Write arrays() into an HDF5 file, names with / as groups. Needs h5py."""
        from .export import write_hdf5
        write_hdf5(self, path)

    def export_parquet(self, directory: PathLike) -> None:
        """Write frames, bodies, contacts, faces and events.parquet, a row each, into a directory. Needs pyarrow."""
        from .export import write_parquet
        write_parquet(self, directory)

    def write_view(self, path: PathLike, frame_rate: float | None = None,
                   size_limit: int | None = None, progress: Progress | None = None,
                   html_template: bytes | None = None, with_faces: bool = True) -> None:
        """Write a self-contained page that shows the recording in a browser.
        frame_rate: frames kept per simulated second [Hz]; size_limit: bytes of frame data;
        with_faces: the polygons of patches.
        html_template: another page than the package's; holds @@ISOBAR_DATA@@ once."""
        if html_template is None:
            html_template = viewer_page()
        desc = ffi.new("iso_view_desc*")
        desc[0] = lib.iso_view_desc_default()
        if frame_rate is not None:
            desc.frame_rate = frame_rate
        if size_limit is not None:
            desc.size_limit = size_limit
        desc.with_faces = with_faces
        with self._pass(progress):
            self._context.call(lib.iso_recording_write_view, self._handle.pointer, html_template,
                               len(html_template), encode(path), desc)

    @contextlib.contextmanager
    def _pass(self, progress: Progress | None) -> Iterator[None]:
        """Over all frames. What `progress` raises first is raised when the files are written."""
        epoch, self._epoch = self._epoch, Epoch()
        epoch.end("the recording was exported")
        raised: list[BaseException] = []

        @callback("void(void*, int, int)")
        def on_frame(_user: Any, done: int, count: int) -> None:
            if progress is not None and not raised:
                try:
                    progress(done, count)
                except BaseException as error:  # carried over the C frames
                    raised.append(error)

        with self._context.lock:
            lib.iso_recording_set_progress(self._handle.pointer, on_frame, ffi.NULL)
            try:
                yield
            finally:
                lib.iso_recording_set_progress(self._handle.pointer, ffi.NULL, ffi.NULL)
        if raised:
            raise raised[0]
