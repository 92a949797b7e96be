# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Recordings as arrays: what NPZ, HDF5 and Parquet read back is every frame to the bit."""

import os
import sys

import conftest
import numpy as np
import pytest

import isobar


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A recording of a ball that falls onto a floor and rolls, with an arm; some frames have no contact."""
    path = tmp_path_factory.mktemp("arrays") / "run.mcap"
    model = conftest.soft_ball()
    model.add_body("link", mass=0.5, inertia=(5e-3, 5e-3, 5e-3))
    model.add_joint("hinge", "revolute", "world", "link", axis=(0, 1, 0), x_pf=(-0.5, 0, 0.5))
    world = isobar.World(model, time_step=2e-3)
    world.set_free_body("ball", (0, 0, 0.0502), (0, 3, 0, 0.2, 0, -0.1))
    world.watch(levels=[isobar.EventLevel("body_x", "ball", 1e-3, name="passes")])
    with isobar.Recorder(path, world, frame_rate=0) as recorder:
        for _ in range(30):
            world.step()
            recorder.record()
    return path


def same(a, b):
    assert a.dtype == b.dtype
    np.testing.assert_array_equal(a, b)


def test_arrays_are_the_frames_to_the_bit(run):
    with isobar.Recording(run) as recording:
        found = recording.arrays()
        at, starts, corners = 0, found["contacts/face_starts"], found["faces/vertex_starts"]
        for i, frame in enumerate(recording):
            same(found["translations"][i], frame.poses["translation"])
            same(found["rotations"][i], frame.poses["rotation"])
            same(found["joint_positions"][i], np.array(frame.joint_positions))
            assert found["energy/kinetic"][i] == frame.energy.kinetic
            assert int(found["state_hashes"][i]) == frame.state_hash
            for contact in frame.contacts:
                faces = slice(starts[at], starts[at + 1])
                assert found["contacts/frame"][at] == i
                assert found["contacts/geometry_b"][at] == contact.geometry_name_b
                same(found["contacts/wrench"][at], np.array(contact.wrench))
                same(found["faces/pressures"][faces], np.array(contact.patch.pressures))
                same(found["faces/tractions"][faces], np.array(contact.tractions))
                vertices = slice(corners[starts[at]], corners[starts[at + 1]])
                same(found["faces/vertices"][vertices], np.array(contact.patch.vertices))
                at += 1
        assert 10 < at < 30
        assert at == len(found["contacts/frame"])
        assert len(found["faces/areas"]) == starts[-1] > 100


def test_arrays_and_tables_hold_events(run, tmp_path):
    with isobar.Recording(run) as recording:
        found, events = recording.arrays(), recording.events
        recording.export_npz(tmp_path / "run.npz")
    with isobar.Recording(run) as recording, np.load(tmp_path / "run.npz") as saved:
        assert {"contact_begins", "level"} <= {event.kind for event in events}
        for name in ("kind", "time", "body_a", "body_b", "geometry_a", "geometry_b", "function", "direction"):
            want = [getattr(event, name) for event in events]
            assert found[f"events/{name}"].tolist() == saved[f"events/{name}"].tolist() == want


def test_arrays_without_events_are_empty(tmp_path):
    world = isobar.World(conftest.soft_ball(), time_step=2e-3)
    with isobar.Recorder(tmp_path / "run.mcap", world, frame_rate=0) as recorder:
        world.step()
        recorder.record()
    with isobar.Recording(tmp_path / "run.mcap") as recording:
        found = recording.arrays()
        recording.export_npz(tmp_path / "run.npz")
    with np.load(tmp_path / "run.npz") as saved:
        assert found["events/time"].shape == saved["events/kind"].shape == (0,)


def test_arrays_take_the_place_of_no_device_and_not_of_the_recording(run, tmp_path):
    before = run.read_bytes()
    link, pipe = tmp_path / "link.npz", tmp_path / "pipe"
    link.symlink_to(run)
    os.mkfifo(pipe)
    with isobar.Recording(run) as recording:
        for path in (run, link, run.parent / ".." / run.parent.name / run.name):
            with pytest.raises(isobar.FileError, match="would replace the recording"):
                recording.export_npz(path)
        for path in (pipe, tmp_path):
            with pytest.raises(isobar.FileError, match="not a regular file"):
                recording.export_npz(path)
        assert pipe.is_fifo() and run.read_bytes() == before
        other = tmp_path / "other.npz"
        link.unlink()
        link.symlink_to(other)
        recording.export_npz(link)
        assert link.is_symlink() and other.stat().st_size > 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.npz", "other.npz", "pipe"]


def test_npz_reads_back(run, tmp_path):
    with isobar.Recording(run) as recording:
        want = recording.arrays()
        recording.export_npz(tmp_path / "run.npz")
    with np.load(tmp_path / "run.npz") as got:
        assert set(got) == set(want)
        for name, values in want.items():
            same(got[name], values)
    assert [path.name for path in tmp_path.iterdir()] == ["run.npz"]


def test_hdf5_reads_back(run, tmp_path):
    h5py = pytest.importorskip("h5py")
    with isobar.Recording(run) as recording:
        want = recording.arrays()
        recording.export_hdf5(tmp_path / "run.h5")
    with h5py.File(tmp_path / "run.h5") as got:
        for name, values in want.items():
            if values.dtype.kind == "U":
                assert got[name].asstr()[()].tolist() == values.tolist()
            else:
                same(got[name][()], values)


def test_parquet_reads_back(run, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    with isobar.Recording(run) as recording:
        want = recording.arrays()
        recording.export_parquet(tmp_path / "tables")
    table = {name: parquet.read_table(tmp_path / "tables" / f"{name}.parquet") for name in
             ("frames", "bodies", "contacts", "faces", "events")}
    assert table["events"]["kind"].to_pylist() == want["events/kind"].tolist() != []
    same(table["frames"]["time"].to_numpy(), want["times"])
    same(table["faces"]["pressure"].to_numpy(), want["faces/pressures"])
    same(table["faces"]["traction_2"].to_numpy(), want["faces/tractions"][:, 2])
    same(table["contacts"]["wrench_5"].to_numpy(), want["contacts/wrench"][:, 5])
    same(table["bodies"]["translation_0"].to_numpy(), want["translations"][..., 0].ravel())
    assert table["bodies"]["body"].to_pylist()[:len(want["bodies"])] == want["bodies"].tolist()


def test_without_faces_and_without_libraries(run, tmp_path, monkeypatch):
    world = isobar.World(conftest.soft_ball(), time_step=2e-3)
    with isobar.Recorder(tmp_path / "few.mcap", world, frame_rate=0, with_faces=False) as recorder:
        world.step()
        recorder.record()
    with isobar.Recording(tmp_path / "few.mcap") as recording:
        assert len(recording.arrays()["faces/areas"]) == 0
    for name in ("h5py", "pyarrow"):
        monkeypatch.setitem(sys.modules, name, None)
    with isobar.Recording(run) as recording:
        with pytest.raises(isobar.UnsupportedError, match="pip install h5py"):
            recording.export_hdf5(tmp_path / "run.h5")
        with pytest.raises(isobar.UnsupportedError, match="pip install pyarrow"):
            recording.export_parquet(tmp_path / "tables")
