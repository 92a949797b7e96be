# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Worlds and recordings in Foxglove, by its own SDK: `pip install isobar[foxglove]`, then

    stream = isobar.foxglove.Stream(world)      # Foxglove: open connection, ws://localhost:8765
    while True:
        world.step()
        stream.update()

    isobar.foxglove.convert("run.mcap", "foxglove.mcap")

Topics (Protobuf, schemas of Foxglove): /tf, /bodies, /patches (triangles coloured by pressure), /forces
(arrows on the second body of each pair), /pressure (point cloud of face centroids with pressure, shear,
slip), /joints, and /tactile/NAME (image of each grid's pressures [Pa])."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

try:
    import foxglove
    from foxglove import channels, messages
except ImportError as error:
    raise ImportError("isobar.foxglove needs the SDK of Foxglove: pip install foxglove-sdk") from error

from .contact import Contact
from .geometry import PathLike
from .record import Recording
from .sensor import Sensors
from .world import World

Array = npt.NDArray[np.float64]

#: Colours of pressures from zero to the highest, viridis at quarters.
_VIRIDIS = np.array([[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]]) / 255
_FIELDS = ("x", "y", "z", "pressure", "shear", "slip")
_LONGEST_ARROW = 0.5  # of the scene's size, for the largest force so far


def quaternion(rotation: npt.ArrayLike) -> Array:
    """x, y, z, w of a rotation matrix, w >= 0."""
    r = np.asarray(rotation, dtype=np.float64)
    outer = np.array([[r[0, 0] - r[1, 1] - r[2, 2], 0, 0, 0],
                      [r[1, 0] + r[0, 1], r[1, 1] - r[0, 0] - r[2, 2], 0, 0],
                      [r[2, 0] + r[0, 2], r[2, 1] + r[1, 2], r[2, 2] - r[0, 0] - r[1, 1], 0],
                      [r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1], np.trace(r)]])
    q: Array = np.linalg.eigh(outer)[1][:, -1]  # of the lower triangle
    return -q if q[3] < 0 else q


def _placed(rotation: npt.ArrayLike, translation: npt.ArrayLike) -> tuple[Any, Any]:
    """Vector3 and Quaternion."""
    x, y, z, w = map(float, quaternion(rotation))
    px, py, pz = map(float, np.asarray(translation))
    return messages.Vector3(x=px, y=py, z=pz), messages.Quaternion(x=x, y=y, z=z, w=w)


def _pose(rotation: npt.ArrayLike, translation: npt.ArrayLike) -> Any:
    position, orientation = _placed(rotation, translation)
    return messages.Pose(position=position, orientation=orientation)


def _along(direction: Array) -> Array:
    """A rotation whose x axis points there."""
    x = direction / np.linalg.norm(direction)
    y = np.cross(np.eye(3)[np.argmin(np.abs(x))], x)
    y /= np.linalg.norm(y)
    return np.column_stack([x, y, np.cross(x, y)])


def _colors(shares: Array) -> list[Any]:
    rgb = np.column_stack([np.interp(shares, np.linspace(0, 1, 5), column) for column in _VIRIDIS.T])
    return [messages.Color(r=float(r), g=float(g), b=float(b), a=1.0) for r, g, b in rgb]


def _points(vertices: npt.ArrayLike) -> list[Any]:
    return [messages.Point3(x=x, y=y, z=z) for x, y, z in np.asarray(vertices).tolist()]


def _fan(offsets: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """Triangles of the faces that own the vertices offsets[f] to offsets[f + 1]."""
    offsets = np.asarray(offsets, dtype=np.int64)
    counts = np.diff(offsets) - 2
    first = np.repeat(offsets[:-1], counts)
    within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.column_stack([first, first + within + 1, first + within + 2])


class _Topics:
    """Channels of one context, and what was seen of forces and pressures so far."""

    def __init__(self, context: Any, size: float) -> None:
        self._context, self._size = context, size
        self._tf = channels.FrameTransformsChannel("/tf", context=context)
        self._bodies = channels.SceneUpdateChannel("/bodies", context=context)
        self._patches = channels.SceneUpdateChannel("/patches", context=context)
        self._forces = channels.SceneUpdateChannel("/forces", context=context)
        self._cloud = channels.PointCloudChannel("/pressure", context=context)
        self._joints = channels.JointStatesChannel("/joints", context=context)
        self._grids: dict[str, Any] = {}
        self._max_force = self._max_pressure = 0.0

    def log_bodies(self, stamp: int, bodies: Iterable[tuple[str, list[Any]]]) -> None:
        entities = []
        for name, surfaces in bodies:
            looks = [s for s in surfaces if not s.is_collision] or surfaces
            parts = [messages.TriangleListPrimitive(
                pose=_pose(s.x_bg.rotation, s.x_bg.translation), points=_points(s.mesh.vertices),
                indices=np.asarray(s.mesh.triangles).ravel().tolist(),
                color=messages.Color(**dict(zip("rgba", map(float, s.rgba))))) for s in looks]
            if parts:
                entities.append(messages.SceneEntity(frame_id=name, id=name, frame_locked=True,
                                                     triangles=parts))
        self._bodies.log(messages.SceneUpdate(entities=entities), log_time=stamp)

    def log_frame(self, stamp: int, names: list[str], rotations: Array, translations: Array,
                  joints: list[tuple[str, float, float]]) -> None:
        """rotations (n, 3, 3) and translations (n, 3) of the bodies, the world first."""
        moved = []
        for name, rotation, translation in list(zip(names, rotations, translations))[1:]:
            position, orientation = _placed(rotation, translation)
            moved.append(messages.FrameTransform(
                timestamp=_time(stamp), parent_frame_id=names[0], child_frame_id=name,
                translation=position, rotation=orientation))
        self._tf.log(messages.FrameTransforms(transforms=moved), log_time=stamp)
        if joints:
            states = [messages.JointState(name=name, position=q, velocity=v) for name, q, v in joints]
            self._joints.log(messages.JointStates(timestamp=_time(stamp), joints=states), log_time=stamp)

    def log_contacts(self, stamp: int, root: str, contacts: list[Contact]) -> None:
        patches, arrows, rows = [], [], [np.empty((0, len(_FIELDS)), dtype=np.float32)]
        for contact in contacts:
            force = np.array(contact.wrench[3:])
            self._max_force = max(self._max_force, float(np.linalg.norm(force)))
            self._max_pressure = max(self._max_pressure, contact.patch.max_pressure)
            if np.linalg.norm(force) > 0:
                arrows.append(self._arrow(np.array(contact.patch.center_of_pressure), force))
            if contact.patch.face_count and contact.patch.vertices is not None:
                patches.append(self._triangles(contact))
                rows.append(_rows(contact))
        self._log_entity(self._patches, stamp, root, "patches", triangles=patches)
        self._log_entity(self._forces, stamp, root, "forces", arrows=arrows)
        data = np.concatenate(rows)
        kind = messages.PackedElementFieldNumericType.Float32
        fields = [messages.PackedElementField(name=name, offset=4 * i, type=kind)
                  for i, name in enumerate(_FIELDS)]
        self._cloud.log(messages.PointCloud(
            timestamp=_time(stamp), frame_id=root, pose=_pose(np.eye(3), np.zeros(3)),
            point_stride=4 * len(_FIELDS), fields=fields, data=data.tobytes()), log_time=stamp)

    def log_grid(self, stamp: int, name: str, frame: str, grid: Array) -> None:
        """grid: (rows, columns, 6) of a tactile sensor; the image has its first row on top."""
        if name not in self._grids:
            topic = "/tactile/" + name.replace("::", "/")
            self._grids[name] = channels.RawImageChannel(topic, context=self._context)
        pressures = np.ascontiguousarray(grid[..., 0], dtype="<f4")
        height, width = pressures.shape
        self._grids[name].log(messages.RawImage(
            timestamp=_time(stamp), frame_id=frame, width=width, height=height, encoding="32FC1",
            step=4 * width, data=pressures.tobytes()), log_time=stamp)

    def _arrow(self, at: Array, force: Array) -> Any:
        length = _LONGEST_ARROW * self._size * float(np.linalg.norm(force)) / self._max_force
        thick = 0.02 * self._size
        return messages.ArrowPrimitive(
            pose=_pose(_along(force), at), shaft_length=0.8 * length, shaft_diameter=thick / 2,
            head_length=0.2 * length, head_diameter=thick, color=messages.Color(r=0.9, g=0.4, b=0.1, a=1.0))

    def _triangles(self, contact: Contact) -> Any:
        patch = contact.patch
        shares = np.asarray(patch.vertex_pressures) / max(self._max_pressure, 1e-300)
        return messages.TriangleListPrimitive(
            pose=_pose(np.eye(3), np.zeros(3)), points=_points(patch.vertices),
            colors=_colors(np.clip(shares, 0, 1)), indices=_fan(patch.face_offsets).ravel().tolist())

    @staticmethod
    def _log_entity(channel: Any, stamp: int, root: str, name: str, **parts: Any) -> None:
        entity = messages.SceneEntity(timestamp=_time(stamp), frame_id=root, id=name, **parts)
        channel.log(messages.SceneUpdate(entities=[entity]), log_time=stamp)


def _rows(contact: Contact) -> npt.NDArray[np.float32]:
    """x, y, z, pressure, size of the shear traction, slip speed of every face."""
    patch = contact.patch
    normals, tractions = np.asarray(patch.normals), np.asarray(contact.tractions)
    shear = tractions - np.sum(tractions * normals, axis=1, keepdims=True) * normals
    return np.column_stack([
        patch.centroids, patch.pressures, np.linalg.norm(shear, axis=1),
        np.linalg.norm(np.asarray(contact.slip_velocities), axis=1)]).astype("<f4")


def _time(stamp: int) -> Any:
    return messages.Timestamp(stamp // 10**9, stamp % 10**9)


def _stamp(seconds: float) -> int:
    return round(1e9 * seconds)


def _size(bodies: list[tuple[str, list[Any]]]) -> float:
    """Of the largest body that is not the world, for arrows [m]."""
    sizes = [float(np.ptp(s.mesh.vertices, axis=0).max()) for _, surfaces in bodies[1:] for s in surfaces]
    return max(sizes, default=1.0)


class _Listener(foxglove.websocket.ServerListener):
    """Notes that someone has come who has not seen the bodies."""

    def __init__(self) -> None:
        self.is_new = True

    def on_subscribe(self, client: Any, channel: Any) -> None:
        if channel.topic == "/bodies":
            self.is_new = True


class Stream:
    """A server for Foxglove that shows a world while a program steps it. Use it in a `with` statement,
    or close it."""

    def __init__(self, world: World, sensors: Sensors | None = None, *, host: str = "127.0.0.1",
                 port: int = 8765, name: str = "isobar", frame_rate: float = 30.0) -> None:
        """host: address to listen on, this machine only unless told; there is no token: who can
        connect sees the world. port: 0 takes a free one, which the attribute port tells; two streams
        need two. frame_rate: frames per second of wall time at
        most [Hz]; 0: every update()."""
        self._world, self._sensors = world, sensors
        self._bodies = [(body, world.surfaces(body)) for body in world.body_names]
        context = foxglove.Context()
        self._listener = _Listener()
        self._topics = _Topics(context, _size(self._bodies))
        try:
            self._server = foxglove.start_server(name=name, host=host, port=port, context=context,
                                                 server_listener=self._listener)
        except RuntimeError as error:
            raise OSError(f"{host}:{port} cannot be listened on, as by a second stream or another program: "
                          f"choose a free port, such as port=0, whose number .port tells ({error})") from error
        self._period = 1 / frame_rate if frame_rate > 0 else 0.0
        self._next = 0.0
        self._is_closed = False

    @property
    def port(self) -> int:
        """That it listens on."""
        return int(self._server.port)

    def update(self) -> bool:
        """Show the world as it is now; false: no frame was due. Contacts are those of the last step."""
        now = time.monotonic()
        if now < self._next:
            return False
        self._next = now + self._period
        world, stamp = self._world, _stamp(self._world.time)
        if self._listener.is_new:
            self._listener.is_new = False
            self._topics.log_bodies(stamp, self._bodies)
        names = list(world.body_names)
        joints = list(zip(world.joint_names, map(float, world.joint_positions),
                          map(float, world.joint_velocities)))
        poses = np.asarray(world.body_poses)
        self._topics.log_frame(stamp, names, poses[:, :3, :3], poses[:, :3, 3], joints)
        self._topics.log_contacts(stamp, names[0], world.contacts)
        if self._sensors is not None:
            self._sensors.update()
            for sensor in self._sensors.names:
                if self._sensors.description(sensor).kind == "tactile":
                    body = names[self._sensors.frame(sensor)[0]]
                    self._topics.log_grid(stamp, sensor, body, self._sensors.grid(sensor))
        return True

    def close(self) -> None:
        """Close all connections."""
        if not self._is_closed:
            self._is_closed = True
            self._server.stop()

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def convert(recording: PathLike, output: PathLike) -> int:
    """Write a recording as an MCAP file of Foxglove's own schemas; how many frames."""
    if os.path.exists(output) and os.path.samefile(recording, output):
        raise ValueError(f"{os.fspath(output)!r} is the recording itself, expected another file")
    context = foxglove.Context()
    with Recording(recording) as recorded, foxglove.open_mcap(os.fspath(output), allow_overwrite=True, context=context):
        bodies = [(body.name, body.surfaces) for body in recorded.bodies]
        names = [name for name, _ in bodies]
        topics = _Topics(context, _size(bodies))
        grids = [(s.name, s.body) for s in recorded.sensors if s.rows > 0]
        joint_names = [name for name, _ in recorded.joints]
        for index, frame in enumerate(recorded):
            stamp = _stamp(frame.time)
            if index == 0:
                topics.log_bodies(stamp, bodies)
            joints = list(zip(joint_names, map(float, frame.joint_positions), map(float, frame.joint_velocities)))
            poses = frame.poses
            topics.log_frame(stamp, names, poses["rotation"], poses["translation"], joints)
            topics.log_contacts(stamp, names[0], frame.contacts)
            for name, body in grids:
                topics.log_grid(stamp, name, body, frame.grid(name))
        return len(recorded)


__all__ = ["Stream", "convert", "quaternion"]
