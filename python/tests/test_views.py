# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Views of the library's memory: not copied, never read once that memory is used again or freed."""

import copy
import os
import pathlib
import pickle
import subprocess
import sys

import numpy as np
import pytest

import isobar
from conftest import soft_ball

PLAIN = {
    "asarray": np.asarray,
    "array": np.array,
    "ascontiguousarray": np.ascontiguousarray,
    "copy": lambda view: view.copy(),
    "copy.copy": copy.copy,
    "copy.deepcopy": copy.deepcopy,
    "pickle": lambda view: pickle.loads(pickle.dumps(view)),
    "sorted": np.sort,
    "sum with zero": lambda view: view + 0.0,
    "out": lambda view: np.add(view, 0.0, out=np.empty(view.shape)),
    "astype": lambda view: view.astype(np.float64),
    "concatenate": lambda view: np.concatenate([view[:1], view[1:]]),
}


@pytest.mark.parametrize("make", PLAIN.values(), ids=PLAIN)
def test_plain_arrays_made_from_a_view_stay(ball_world, make):
    view = ball_world.contacts[0].patch.pressures
    plain, kept = make(view), np.array(view.tolist())
    ball_world.step(3)
    ball_world.close()
    assert type(plain) is np.ndarray and plain.dtype == np.float64
    assert np.array_equal(plain, kept if make is not np.sort else np.sort(kept))


WATCHED = {
    "slice": lambda view: view[::2],
    "mask": lambda view: view[1:][:, None],
    "transpose": lambda view: view.T,
    "reshape": lambda view: np.reshape(view, (-1, 1)),
    "ravel": lambda view: view.ravel(),
    "split": lambda view: np.split(view, [1])[1],
    "atleast_2d": np.atleast_2d,
    "squeeze": lambda view: view[None].squeeze(),
    "view": lambda view: view.view(np.int64),
    "rows": lambda view: next(iter(view[:, None])),
    "broadcast": lambda view: np.broadcast_to(view, (2, len(view))),
}


@pytest.mark.parametrize("make", WATCHED.values(), ids=WATCHED)
def test_arrays_that_share_memory_with_a_view_are_watched(ball_world, make):
    view = ball_world.contacts[0].patch.pressures
    part = make(view)
    assert type(part) is isobar.View and np.shares_memory(part, view)
    assert np.isfinite(part).all()
    ball_world.step()
    with pytest.raises(isobar.StaleError, match="the world has stepped since"):
        np.asarray(part)
    with pytest.raises(isobar.StaleError):
        part.sum()


def test_nothing_hands_out_the_memory_itself(ball_world):
    view = ball_world.contacts[0].patch.pressures
    with pytest.raises(ValueError):
        np.array(view, copy=False)
    with pytest.raises(TypeError):
        memoryview(view)
    for name in ("base", "data", "__array_interface__"):
        assert not hasattr(view, name)
    with pytest.raises(ValueError, match="read-only"):
        view[0] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        np.add(1.0, 1.0, out=view)
    with pytest.raises(ValueError):
        view.sort()


def test_a_view_computes_as_an_array_does(ball_world):
    patch = ball_world.contacts[0].patch
    view, plain = patch.centroids, np.asarray(patch.centroids)
    for result, expected in (
            (view @ np.eye(3), plain @ np.eye(3)), (2.0 * view - 1.0, 2.0 * plain - 1.0),
            (view > 0.0, plain > 0.0), (np.linalg.norm(view, axis=1), np.linalg.norm(plain, axis=1)),
            (view[patch.areas > 0.0], plain), (plain[:len(view)] + view, 2.0 * plain),
            (np.einsum("ij,ij->i", view, view), np.einsum("ij,ij->i", plain, plain)),
            (patch.areas[:, None] * view, np.asarray(patch.areas)[:, None] * plain),
            (view.mean(axis=0), plain.mean(axis=0)), (view.dtype, plain.dtype), (view.ndim, 2),
            (float(view[0, 0]), plain[0, 0]), (str(view), str(plain)), (len(view), len(plain)),
            (plain[0, 0] in view, True)):
        assert np.array_equal(result, expected)
        assert not isinstance(result, isobar.View)


# Freed memory is overwritten (MALLOC_PERTURB_) and large blocks are unmapped, so that reading what is
# gone shows.
AFTER_CLOSE = """
import gc
import numpy as np
import isobar
from conftest import soft_ball

def world():
    made = isobar.World(soft_ball(), time_step=1e-3)
    made.step(10)
    return made

first = world()
expected = {"mesh": first.surfaces("ball")[0].mesh.vertices.copy(),
            "names": (first.contact_peak.body_name_a, first.contact_peak.body_name_b)}
second = world()
mesh, peak = second.surfaces("ball")[0].mesh, second.contact_peak
vertices = mesh.vertices
view = second.contacts[0].patch.pressures
plain = np.asarray(view)
kept = plain.tolist()
second.close()
del second
gc.collect()
fill = [world() for _ in range(3)]  # takes the freed memory, if there is any
assert np.array_equal(vertices, expected["mesh"])
assert mesh.inspect().is_closed
assert (peak.body_name_a, peak.body_name_b) == expected["names"]
assert plain.tolist() == kept
try:
    view.sum()
    raise SystemExit("a view of a closed world was read")
except isobar.StaleError:
    pass
shape = isobar.ContactShape(isobar.sphere(0.1), isobar.Material(modulus=1e5))
surface = shape.surface
shape.close()
del shape
gc.collect()
assert abs(np.linalg.norm(surface.vertices, axis=1).max() - 0.1) < 1e-12
print("read")
"""


def test_what_outlives_its_closed_world_reads_no_freed_memory():
    environment = dict(os.environ, MALLOC_PERTURB_="165")
    path = [str(pathlib.Path(__file__).parent), *sys.path]
    environment["PYTHONPATH"] = os.pathsep.join(entry for entry in path if entry)
    done = subprocess.run([sys.executable, "-c", AFTER_CLOSE], capture_output=True, text=True,
                          check=False, env=environment)
    assert (done.returncode, done.stdout) == (0, "read\n"), done.stderr


def test_closed_worlds_are_freed_once_nothing_of_them_is_left(ball_world):
    handle = ball_world._handle
    vertices = ball_world.surfaces("ball")[0].mesh.vertices
    part = vertices[1:]
    ball_world.close()
    assert handle._user_count > 0
    del vertices
    assert handle._user_count > 0 and np.isfinite(part).all()
    del part
    assert handle._user_count == 0


def test_parts_of_a_model_are_stale_once_it_has_more_of_them():
    model = soft_ball()
    ball, geometry = model.bodies[1], model.geometries[1]
    material = geometry.material
    for index in range(40):
        model.add_body(f"more{index}")
    with pytest.raises(isobar.StaleError, match="a body was added to the model since"):
        assert ball.mass
    with pytest.raises(isobar.StaleError):
        ball.mass = 2.0
    assert geometry.name == "geometry" and material.modulus == 1e5
    model.add_geometry(1, isobar.sphere(0.1), name="another")
    with pytest.raises(isobar.StaleError):
        assert material.modulus
    model.bodies[1].mass = 2.0
    assert isobar.World(model).body_mass("ball") == 2.0


def test_pointers_of_the_library_are_not_replaced():
    model = soft_ball()
    geometry = model.geometries[1]
    with pytest.raises(AttributeError, match="name cannot be set here"):
        geometry.name = "other"
    with pytest.raises(AttributeError):
        geometry.material = isobar.Material()
    with pytest.raises(AttributeError):
        geometry.material.modulus_table = [[0.0, 1.0], [1.0, 2.0]]
    geometry.material.modulus = 2e5
    assert model.geometries[1].material.modulus == 2e5


def test_what_a_nested_structure_points_to_lives_with_the_outer_one():
    geometry = isobar.Geometry()
    table = np.array([[0.0, 1e4], [1.0, 2e4]])
    geometry.material.modulus_table = table.copy()
    noise = [np.full((2, 2), float(i)) for i in range(64)]
    assert np.array_equal(geometry.material.modulus_table, table), noise[0]


END_UNDER_LOCK = """
import sys
import numpy as np
import isobar
from isobar import _native

def objects(directory):
    model = isobar.Model()
    model.add_body("ball", mass=1.0, inertia=(1, 1, 1))
    world = isobar.World(model)
    shape = isobar.ContactShape(isobar.sphere(0.1))
    recorder = isobar.Recorder(directory + "/a.mcap", world)
    world.step()
    recorder.record()
    recorder.close()
    (mesh := isobar.Shape("sphere")).radius = 0.1
    return [model, world, world.clone(), isobar.WorldBatch([world]), shape, isobar.Query(), recorder,
            isobar.Recording(directory + "/a.mcap"), isobar.Recorder(directory + "/b.mcap", world),
            isobar.Sensors(world, []), isobar.Task(world), isobar.Movers(world, []),
            mesh.tessellate(0.05)]

kept = objects(sys.argv[1])
with _native.ffi._lock:  # as when the collector runs while cffi looks something up
    while kept:
        kept.pop()
print("ended")
"""


def test_objects_end_while_cffi_holds_its_lock(tmp_path):
    # In a process of its own: nothing has been destroyed there before. It takes a second.
    done = subprocess.run([sys.executable, "-c", END_UNDER_LOCK, str(tmp_path)], timeout=120,
                          capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "ended", done.stderr
