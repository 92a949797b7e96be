# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Recordings as arrays: NPZ, HDF5 (h5py) and Parquet (pyarrow). Every number as it was recorded."""

from __future__ import annotations

import dataclasses
import importlib
import os
import pathlib
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .errors import FileError, UnsupportedError
from .events import Event
from .geometry import PathLike
from .world_values import Energy

if TYPE_CHECKING:
    from .record import Frame, Recording

Arrays = dict[str, npt.NDArray[Any]]

#: Of each contact: numbers, and how many.
_CONTACT = {"body_a": 0, "body_b": 0, "normal": 3, "wrench": 6, "elastic_energy": 0, "extent_a": 0, "extent_b": 0}
_PATCH = {"area": 0, "max_pressure": 0, "centroid": 3, "center_of_pressure": 3}
_FACE = {"areas": 0, "centroids": 3, "normals": 3, "pressures": 0}
_FELT = {"tractions": 3, "slip_velocities": 3, "stretches": 3, "sliding": 0}  # NaN: friction without springs


def _module(name: str, what: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise UnsupportedError(f"{what} needs {name}, which is not installed: pip install {name}") from None


def _stack(rows: list[Any], width: int, dtype: Any = np.float64) -> npt.NDArray[Any]:
    shape = (len(rows), width) if width else (len(rows),)
    return np.asarray(rows, dtype=dtype).reshape(shape)


def _join(parts: list[Any], width: int) -> npt.NDArray[Any]:
    return np.concatenate(parts) if parts else np.empty((0, width) if width else 0)


class _Contacts:
    """The contacts of all frames, one after another; so are their faces, and the vertices of these."""

    def __init__(self) -> None:
        self.rows: dict[str, list[Any]] = {name: [] for name in ("frame", *_CONTACT, *_PATCH)}
        self.geometries: list[tuple[str, str]] = []
        self.parts: dict[str, list[Any]] = {name: [] for name in (*_FACE, *_FELT, "vertices", "vertex_pressures")}
        self.face_starts, self.vertex_starts = [0], [0]

    def add(self, index: int, frame: Frame) -> None:
        for contact in frame.contacts:
            patch = contact.patch
            self.rows["frame"].append(index)
            for name in _CONTACT:
                self.rows[name].append(np.array(getattr(contact, name)))
            for name in _PATCH:
                self.rows[name].append(np.array(getattr(patch, name)))
            self.geometries.append((contact.geometry_name_a, contact.geometry_name_b))
            offsets = patch.face_offsets
            if offsets is None:  # recorded without faces
                self.face_starts.append(self.face_starts[-1])
                continue
            self.face_starts.append(self.face_starts[-1] + patch.face_count)
            self.vertex_starts.extend(self.vertex_starts[-1] + np.asarray(offsets)[1:])
            for name in (*_FACE, "vertices", "vertex_pressures"):
                self.parts[name].append(np.array(getattr(patch, name)))
            for name, width in _FELT.items():
                found = getattr(contact, name)  # None: friction without springs
                shape = (patch.face_count, width) if width else patch.face_count
                self.parts[name].append(np.full(shape, np.nan) if found is None else np.array(found))

    def arrays(self) -> Arrays:
        whole = {"frame", "body_a", "body_b"}
        found = {f"contacts/{name}": _stack(rows, {**_CONTACT, **_PATCH}.get(name, 0),
                                            np.int64 if name in whole else np.float64)
                 for name, rows in self.rows.items()}
        for side in (0, 1):
            found[f"contacts/geometry_{'ab'[side]}"] = np.array([pair[side] for pair in self.geometries], dtype=np.str_)
        widths = {**_FACE, **_FELT, "vertices": 3, "vertex_pressures": 0}
        found.update({f"faces/{name}": _join(parts, widths[name]) for name, parts in self.parts.items()})
        found["contacts/face_starts"] = np.array(self.face_starts, dtype=np.int64)
        found["faces/vertex_starts"] = np.array(self.vertex_starts, dtype=np.int64)
        return found


def _events(recording: Recording) -> Arrays:
    """A row an event, by time: the fields of Event."""
    found, kinds = recording.events, {"time": np.float64, "direction": np.int64}
    return {f"events/{field.name}": np.array([getattr(event, field.name) for event in found],
                                             dtype=kinds.get(field.name, np.str_))
            for field in dataclasses.fields(Event)}


def recording_arrays(recording: Recording) -> Arrays:
    """As Recording.arrays()."""
    bodies, joints = [body.name for body in recording.bodies], [name for name, _ in recording.joints]
    names = {"times": 0, "step_counts": 0, "state_hashes": 0, "rotations": 0, "translations": 0, "twists": 0,
             "joint_positions": 0, "joint_velocities": 0, "joint_efforts": 0}
    rows: dict[str, list[Any]] = {name: [] for name in names}
    energies: dict[str, list[float]] = {name: [] for name in Energy.__annotations__ if not name.startswith("_")}
    sensors: dict[str, list[Any]] = {sensor.name: [] for sensor in recording.sensors}
    contacts = _Contacts()
    for index, frame in enumerate(recording):
        rows["times"].append(frame.time)
        rows["step_counts"].append(frame.step_count)
        rows["state_hashes"].append(frame.state_hash)
        poses, energy = frame.poses, frame.energy
        rows["rotations"].append(poses["rotation"].copy())
        rows["translations"].append(poses["translation"].copy())
        for name in ("twists", "joint_positions", "joint_velocities", "joint_efforts"):
            rows[name].append(np.array(getattr(frame, name)))
        for name, values in energies.items():
            values.append(getattr(energy, name))
        read = frame.sensors
        for name, readings in sensors.items():
            readings.append(read[name])
        contacts.add(index, frame)
    count, kinds = len(rows["times"]), {"step_counts": np.int64, "state_hashes": np.uint64}
    shapes = {"rotations": (len(bodies), 3, 3), "translations": (len(bodies), 3), "twists": (len(bodies), 6),
              **{f"joint_{what}": (len(joints),) for what in ("positions", "velocities", "efforts")}}
    found: Arrays = {name: np.asarray(values, dtype=kinds.get(name, np.float64)).reshape(count, *shapes.get(name, ()))
                     for name, values in rows.items()}
    found.update({f"energy/{name}": np.array(values) for name, values in energies.items()})
    found.update({f"sensors/{name}": np.array(values).reshape(count, -1) for name, values in sensors.items()})
    found["bodies"], found["joints"] = np.array(bodies, dtype=np.str_), np.array(joints, dtype=np.str_)
    return {**found, **contacts.arrays(), **_events(recording)}


def _whole(recording: Recording, path: PathLike, write: Any) -> None:
    """A file that is there whole or not at all, through symbolic links. It takes the place of no
    device, and not of the recording."""
    target = pathlib.Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        raise FileError(f"{os.fspath(path)}: not a regular file")
    if target.exists() and recording._path.exists() and target.samefile(recording._path):
        raise FileError(f"{os.fspath(path)}: would replace the recording, expected a file of its own")
    part = target.with_name(target.name + ".part")
    try:
        write(part)
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def write_npz(recording: Recording, path: PathLike) -> None:
    """As Recording.export_npz()."""
    def write(part: pathlib.Path) -> None:
        with part.open("wb") as stream:
            np.savez_compressed(stream, **recording_arrays(recording))  # type: ignore[arg-type]
    _whole(recording, path, write)


def write_hdf5(recording: Recording, path: PathLike) -> None:
    """As Recording.export_hdf5()."""
    h5py = _module("h5py", "export_hdf5()")

    def write(part: pathlib.Path) -> None:
        with h5py.File(part, "w") as file:
            file.attrs["scene"], file.attrs["isobar_version"] = recording.scene_name, recording.isobar_version
            for name, values in recording_arrays(recording).items():
                if values.dtype.kind == "U":
                    file.create_dataset(name, data=[str(v) for v in values], dtype=h5py.string_dtype())
                else:
                    file.create_dataset(name, data=values, compression="gzip" if values.size > 1000 else None)
    _whole(recording, path, write)


def _columns(arrays: Arrays, prefix: str, names: dict[str, str]) -> dict[str, npt.NDArray[Any]]:
    """Arrays of one length as columns: name, or name_0, name_1, ... of vectors."""
    found = {}
    for key, name in names.items():
        values = arrays[prefix + key]
        flat = values.reshape(len(values), -1) if values.ndim > 1 else values[:, None]
        for i in range(flat.shape[1]):
            found[name if values.ndim == 1 else f"{name}_{i}"] = np.ascontiguousarray(flat[:, i])
    return found


def _tables(arrays: Arrays) -> dict[str, dict[str, npt.NDArray[Any]]]:
    """Tables with a row a frame, a body in a frame, a contact, a face, an event."""
    times, bodies = arrays["times"], arrays["bodies"]
    frames = {"time": times, "step_count": arrays["step_counts"],
              **{key.replace("/", "_"): values for key, values in arrays.items() if key.startswith("energy/")}}
    for what in ("positions", "velocities", "efforts"):
        for k, joint in enumerate(arrays["joints"]):
            frames[f"{joint}_{what}"] = np.ascontiguousarray(arrays[f"joint_{what}"][:, k])
    for key, values in arrays.items():
        if key.startswith("sensors/"):
            frames.update({f"{key[8:]}_{k}": np.ascontiguousarray(values[:, k]) for k in range(values.shape[1])})
    count = len(bodies)
    flat = {key: arrays[key].reshape(len(times) * count, -1) for key in ("translations", "rotations", "twists")}
    of_bodies = {"time": np.repeat(times, count), "body": np.tile(bodies, len(times)),
                 **_columns(flat, "", {"translations": "translation", "rotations": "rotation", "twists": "twist"})}
    owner = np.repeat(np.arange(len(arrays["contacts/frame"])), np.diff(arrays["contacts/face_starts"]))
    at = arrays["contacts/frame"]
    contacts = {"time": times[at], "a": bodies[arrays["contacts/body_a"]], "b": bodies[arrays["contacts/body_b"]],
                **_columns(arrays, "contacts/", {name: name for name in ("geometry_a", "geometry_b", *_CONTACT, *_PATCH)})}
    faces = {"time": times[at[owner]], "contact": owner,
             **_columns(arrays, "faces/", {name: name.removesuffix("s") for name in (*_FACE, "tractions")}),
             **_columns(arrays, "faces/", {"slip_velocities": "slip_velocity", "stretches": "stretch", "sliding": "sliding"})}
    events = {key[7:]: values for key, values in arrays.items() if key.startswith("events/")}
    return {"frames": frames, "bodies": of_bodies, "contacts": contacts, "faces": faces, "events": events}


def write_parquet(recording: Recording, directory: PathLike) -> None:
    """As Recording.export_parquet()."""
    pyarrow, parquet = _module("pyarrow", "export_parquet()"), _module("pyarrow.parquet", "export_parquet()")
    folder = pathlib.Path(os.fspath(directory))
    folder.mkdir(exist_ok=True)
    for name, columns in _tables(recording_arrays(recording)).items():
        table = pyarrow.table({key: pyarrow.array(values.tolist() if values.dtype.kind == "U" else values)
                               for key, values in columns.items()})
        _whole(recording, folder / f"{name}.parquet", lambda part, table=table: parquet.write_table(table, part))
