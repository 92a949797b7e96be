# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Errors, log and lifetimes."""

import gc
import logging
import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import isobar
from conftest import soft_ball
from isobar import _native


def c_error(function, *args):
    """Message that C leaves in a context of its own."""
    context = _native.Context()
    status = function(context.pointer, *args)
    assert status != _native.lib.ISO_OK
    return _native.error_class(status), _native.text(_native.lib.iso_context_error(context.pointer))


def test_text_of_a_missing_file_is_that_of_c(tmp_path):
    path = str(tmp_path / "nothing.yaml")
    kind, message = c_error(_native.lib.iso_scene_load, path.encode(), _native.ffi.NULL,
                            _native.ffi.new("iso_scene*"))
    with pytest.raises(isobar.FileError) as caught:
        isobar.load(path)
    assert kind is isobar.FileError
    assert str(caught.value) == message
    assert path in message


def test_text_of_a_malformed_file_names_the_line(tmp_path):
    path = tmp_path / "bad.yaml"
    path.write_text("name: bad\nsimulation:\n  time_step: [1\n")
    kind, message = c_error(_native.lib.iso_scene_load, str(path).encode(), _native.ffi.NULL,
                            _native.ffi.new("iso_scene*"))
    with pytest.raises(isobar.ParseError) as caught:
        isobar.load(path)
    assert kind is isobar.ParseError
    assert str(caught.value) == message
    assert message.startswith(f"{path}:")


def test_text_of_a_bad_material_is_that_of_c():
    shape, material = isobar.sphere(0.1), isobar.Material(modulus=-2.0)
    kind, message = c_error(_native.lib.iso_contact_shape_create, shape._c, material._c,
                            _native.ffi.new("iso_contact_shape**"))
    with pytest.raises(isobar.RangeError) as caught:
        isobar.ContactShape(shape, material)
    assert kind is isobar.RangeError
    assert str(caught.value) == message
    assert "-2" in message


def test_errors_are_python_errors_too():
    assert issubclass(isobar.RangeError, ValueError)
    assert issubclass(isobar.FileError, OSError)
    with pytest.raises(ValueError, match="mass"):
        isobar.Model().add_body("b", mass=-1.0)


def test_a_failed_step_leaves_the_state():
    world = isobar.World(soft_ball())
    q, v = world.get_state()
    with pytest.raises(isobar.RangeError):
        world.set_state(q * np.nan)
    assert np.array_equal(world.get_state()[0], q)
    assert np.array_equal(world.get_state()[1], v)


def test_unknown_names_and_indices_are_reported():
    world = isobar.World(soft_ball())
    with pytest.raises(KeyError, match="no body named 'bell'; did you mean 'ball'"):
        world.body_pose("bell")
    with pytest.raises(KeyError, match="there is no body named 'bal'; did you mean 'ball'"):
        world.body_pose("bal")
    with pytest.raises(isobar.NotFoundError) as caught:
        world.body_pose("bal")
    assert str(caught.value) == "there is no body named 'bal'; did you mean 'ball'?"
    assert repr(world).startswith("<World at t = 0 s, 2 bodies, 6 degrees")
    world.close()
    assert repr(world) == "<World, closed>"
    world = isobar.World(soft_ball())
    with pytest.raises(IndexError):
        world.body_pose(17)
    with pytest.raises(KeyError, match="no body named 'elephant', expected 'world' or 'ball'"):
        world.body_pose("elephant")  # nothing like it: some that there are
    with pytest.raises(KeyError, match="no actuator named 'motor', nor any other"):
        world.set_actuation("motor", 1.0)
    with pytest.raises(AttributeError, match="no member 'modolus'.*; did you mean 'modulus'"):
        isobar.Material(modolus=1.0)
    with pytest.raises(ValueError, match="'laged' is not a method.*; did you mean 'lagged'"):
        isobar.WorldSettings(method="laged")
    with pytest.raises(KeyError, match="no body named 'bal'; did you mean 'ball'"):
        soft_ball().body_index("bal")


def test_names_do_not_end_at_a_null_character(tmp_path):
    model = soft_ball()
    world = isobar.World(model)
    for ask in (world.body_mass, world.joint_index, world.actuator_index,
                world.fixed_tendon_index, model.body_index, model.geometry_index,
                isobar.load, lambda name: isobar.Sweep(name, {"friction": [1]}, ["max_force(ball)"]),
                lambda name: isobar.Sweep(tmp_path, {name: [1]}, []),
                lambda name: isobar.ProgramStep(name=name)):
        with pytest.raises(ValueError, match="null character"):
            ask("ball\0, and more")


def test_values_of_another_type_are_named():
    model = soft_ball()
    world = isobar.World(model)
    with pytest.raises(TypeError, match="a world is made of a Model, not str"):
        isobar.World("ball.yaml")
    with pytest.raises(TypeError, match="time_step is 'fast': must be real number"):
        isobar.World(model, time_step="fast")
    with pytest.raises(ValueError, match=r"gravity: expected shape \(3,\), not \(\)"):
        isobar.World(model, gravity=-9.81)
    with pytest.raises(TypeError, match="shape is 'sphere', expected a Shape"):
        model.add_geometry("ball", "sphere")
    for wrong in (1.5, None):
        with pytest.raises(TypeError, match="integer"):
            world.body_pose(wrong)
    with pytest.raises(TypeError, match="integer"):
        world.step("a")
    assert world.step_count == 0


def test_text_with_a_null_character_is_refused(tmp_path):
    for ask in (lambda: isobar.Model().add_body("ball\0"), lambda: isobar.load("ball\0.yaml"),
                lambda: isobar.load("ball.yaml", settings={"bodies.ball\0": 1}),
                lambda: isobar.World(soft_ball()).save_file(tmp_path / "state\0")):
        with pytest.raises(ValueError, match="has a null character"):
            ask()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("make, message", [
    (lambda world: isobar.World(soft_ball(), {"time_step": 1}), "settings is .*, expected a WorldSettings"),
    (lambda world: isobar.ContactShape(isobar.Material(), isobar.sphere(1)), "shape is .*, expected a Shape"),
    (lambda world: isobar.ContactShape(isobar.sphere(1), {}), "material is {}, expected a Material"),
    (lambda world: isobar.Geometry(material=isobar.sphere(1)), "material is .*, expected a Material"),
    (lambda world: isobar.Query({}), "options is {}, expected a ContactOptions"),
    (lambda world: isobar.Query().patch(isobar.sphere(1), (0, 0, 0), None, (0, 0, 0)),
     "a is .*, expected a ContactShape"),
    (lambda world: isobar.Task("world"), "world is 'world', expected a World"),
    (lambda world: setattr(world, "task", "grasp"), "task is 'grasp', expected a Task"),
    (lambda world: isobar.Task(world, programs=["arm"]), "program is 'arm', expected a Program"),
    (lambda world: isobar.Task(world, controller=3), "controller is 3, expected a callable"),
    (lambda world: isobar.Task(world, sensors=[]), "sensors is .*, expected a Sensors"),
    (lambda world: isobar.Sensors(world, ["imu"]), "element 0 is 'imu', expected a Sensor"),
    (lambda world: isobar.Sensors(world, isobar.Sensor()), "expected a list of Sensor, not Sensor"),
    (lambda world: isobar.Movers("world", []), "world is 'world', expected a World"),
    (lambda world: isobar.Recorder("never.mcap", "world"), "world is 'world', expected a World"),
    (lambda world: isobar.WorldBatch([world, 2]), "world 1 is 2, expected a World"),
    (lambda world: soft_ball().set_material(0, None), "material is None, expected a Material"),
])
def test_objects_of_another_class_are_refused(make, message):
    with pytest.raises(TypeError, match=message):
        make(isobar.World(soft_ball()))


def test_arrays_of_another_shape_are_refused():
    two_rows = np.zeros((2, 3), dtype=isobar.POSE_DTYPE)
    for poses in (two_rows, np.zeros((2, 3, 4, 4))):
        with pytest.raises(ValueError, match=r"poses have shape \(2, 3"):
            isobar.Query().batch(isobar.ContactShape(isobar.sphere(1)),
                                 isobar.ContactShape(isobar.sphere(1)), poses)
    with pytest.raises(ValueError, match=r"vertices have shape \(3, 2\), expected \(n, 3\)"):
        isobar.TriMesh(np.zeros((3, 2)), np.zeros((1, 3), dtype=int))
    with pytest.raises(ValueError, match=r"tets have shape \(1, 3\), expected \(n, 4\)"):
        isobar.TetMesh(np.zeros((4, 3)), np.zeros((1, 3), dtype=int))
    mesh = isobar.TriMesh(np.zeros(9), np.array([0, 1, 2]))  # flat lists are clear
    assert mesh.vertices.shape == (3, 3) and mesh.triangles.shape == (1, 3)


def test_no_steps_backwards():
    world = isobar.World(soft_ball())
    with pytest.raises(isobar.RangeError, match="-1 steps, expected 0 or more"):
        world.step(-1)
    world.step(0)
    assert world.step_count == 0


def test_log_goes_to_logging(tmp_path, caplog):
    path = tmp_path / "flat.obj"
    path.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"
                    "f 1 2 2\n")
    with caplog.at_level(logging.WARNING, logger="isobar"):
        mesh = isobar.TriMesh.load(path)
    assert len(mesh.triangles) == 4
    assert any(str(path) in record.message or "triangle" in record.message
               for record in caplog.records)
    assert {record.name for record in caplog.records} == {"isobar"}


def resident_bytes():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_a_thousand_worlds_and_queries_leave_no_memory():
    model = soft_ball()
    shape = isobar.ContactShape(isobar.box(0.1, 0.1, 0.1))
    made = 0

    def once():
        nonlocal made
        world = isobar.World(model)
        world.step()
        world.contacts  # noqa: B018 - views of a dead world must not keep it
        query, other = isobar.Query(), isobar.ContactShape(isobar.sphere(0.05))
        assert query.patch(shape, (0, 0, 0), other, (0, 0, 0.08)).face_count > 0
        made += 1

    for _ in range(100):
        once()
    gc.collect()
    before = resident_bytes()
    for _ in range(1000):
        once()
    gc.collect()
    grown = resident_bytes() - before
    assert made == 1100
    # A world takes about 1.5 MB, so that one leak in a thousand shows; measured growth 0.01 MB.
    assert grown < 4e6, f"{grown / 1e6} MB"


def test_the_order_of_destruction_does_not_matter():
    world = isobar.World(soft_ball())
    world.step()
    contacts, surfaces = world.contacts, world.surfaces("ball")
    pressures = contacts[0].patch.pressures
    total = float(pressures.sum())
    del world, contacts
    gc.collect()
    # The views keep what they show.
    assert float(pressures.sum()) == total
    assert surfaces[0].mesh.vertices.shape[1] == 3

    query, shape = isobar.Query(), isobar.ContactShape(isobar.sphere(0.1))
    query.patch(shape, (0, 0, 0), shape, (0.15, 0, 0))
    shape.close()
    with pytest.raises(isobar.StaleError):
        query.patch(shape, (0, 0, 0), shape, (0.15, 0, 0))
    query.close()
    with pytest.raises(isobar.StaleError):
        assert shape.tet_count


def test_worlds_run_in_threads_with_the_same_bits():
    model = soft_ball()
    alone = isobar.World(model)
    alone.step(200)
    worlds = [isobar.World(model) for _ in range(4)]
    threads = [threading.Thread(target=world.step, args=(200,)) for world in worlds]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {world.state_hash for world in worlds} == {alone.state_hash}


def test_one_world_serves_threads_in_turn():
    world, alone = isobar.World(soft_ball()), isobar.World(soft_ball())
    threads = [threading.Thread(target=lambda: [world.step() for _ in range(50)])
               for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    alone.step(200)
    assert world.step_count == 200
    assert world.state_hash == alone.state_hash


def test_the_interpreter_lock_is_released_during_a_step():
    world = isobar.World(soft_ball())
    inside, done = [], threading.Event()
    ticks = 0

    def work():
        inside.append(True)
        world.step(3000)
        done.set()

    old = sys.getswitchinterval()
    sys.setswitchinterval(60.0)  # a thread that holds the lock keeps it
    try:
        thread = threading.Thread(target=work)
        thread.start()
        while not done.is_set():
            ticks += 1
            done.wait(1e-4)
        thread.join()
    finally:
        sys.setswitchinterval(old)
    assert inside and ticks > 10  # hundreds; one or two if the lock were held


def test_a_missing_library_is_said(tmp_path):
    code = "import isobar"
    environment = {**os.environ, "ISOBAR_LIBRARY": str(tmp_path / "none.so")}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True,
                          text=True, check=False)
    assert done.returncode != 0
    assert "none.so" in done.stderr


def test_a_rigid_layer_with_gaps_names_its_geometry(caplog):
    model = isobar.Model()
    plate = isobar.box(0.1, 0.1, 0.0005).tessellate(0.05)  # thinner than the layer
    body = model.add_body("plate", mass=1.0, inertia=np.eye(3))
    rigid = isobar.Material(compliance="rigid")
    model.add_geometry(body, isobar.mesh(plate), "skin", material=rigid)
    floor = isobar.box(1, 1, 1).tessellate(1)  # a solid would carry the layer
    model.add_geometry(0, isobar.mesh(floor), "floor", material=rigid)
    with caplog.at_level("WARNING", logger="isobar"):
        isobar.World(model)
    assert "geometry 'skin' of 'plate': its rigid layer is without" in caplog.text


def test_a_task_acts_on_the_world_that_it_was_made_for() -> None:
    model = soft_ball()
    world, other = isobar.World(model), isobar.World(model)
    with pytest.raises(isobar.errors.ArgumentError, match="the task acts on another world"):
        world.task = isobar.Task(other)
    assert world.task is None


def test_geometries_are_found_by_name() -> None:
    model, shape = isobar.Model(), isobar.box(0.1, 0.1, 0.1)
    for body in ("left_pad", "right_pad"):
        model.add_geometry(model.add_body(body), shape, name="tip")
    model.add_geometry("right_pad", shape, name="back")
    assert [model.geometry_index(name) for name in ("left_pad::tip", "right_pad::tip", "back", 1)] \
        == [0, 1, 2, 1]
    model.set_material("back", isobar.Material(friction_static=0.75))
    assert model.geometries[2].material.friction_static == 0.75
    assert model.body_of_geometry("back") == model.body_index("right_pad")
    for name, message in (("tip", "can be geometry 'left_pad::tip' or 'right_pad::tip'; say which"),
                          ("left_pad", "did you mean 'left_pad::tip'"),
                          ("front", "there is no geometry named 'front', expected")):
        with pytest.raises(isobar.errors.NotFoundError, match=message):
            model.set_material(name, isobar.Material())


def test_joints_of_a_tendon_come_with_the_model() -> None:
    with pytest.raises(AttributeError, match=r"joints of FixedTendon cannot be set here; .*add_fixed_tendon"):
        isobar.FixedTendon(joints=["elbow"])


def test_indices_out_of_range_and_objects_of_other_kinds_are_named() -> None:
    model = isobar.Model()
    model.add_body("a")
    world = isobar.World(model)
    for call in (world.actuation, world.actuator_gains, world.joint_limits, world.coordinates):
        for index in (-1, 2**40):
            with pytest.raises((IndexError, isobar.Error), match=rf"{index}"):
                call(index)
    for call, word in ((lambda: world.attach(1.0, [1.0]), "float"), (lambda: world.attachment(None), "NoneType"),
                       (lambda: world.place_within(0.0, 3), "expected a World"),
                       (lambda: model.add_solid("b", [1], 1.0), "expected a Shape")):
        with pytest.raises(TypeError, match=word):
            call()
