# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Geometry, fields, recordings, prepare, examples."""

import pathlib
import shutil
import subprocess
import sys

import numpy as np
import pytest

import isobar
from isobar import _native

SOURCE = pathlib.Path(__file__).resolve().parents[2]
CUBE = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
FACES = [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6],
         [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]


def fan():
    """Cube of 12 tetrahedra about its centre."""
    vertices = np.vstack([CUBE, [[0.5, 0.5, 0.5]]])
    return isobar.TetMesh(vertices, [[8, *face] for face in FACES])


def write_cube(path, size=0.05):
    lines = [f"v {size * x} {size * y} {size * z}" for x, y, z in CUBE]
    lines += [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in FACES]
    path.write_text("\n".join(lines) + "\n")


def test_meshes_are_passed_without_a_copy():
    vertices, faces = CUBE.copy(), np.array(FACES, dtype=np.int32)
    mesh = isobar.TriMesh(vertices, faces)
    assert np.shares_memory(mesh.vertices, vertices) and np.shares_memory(mesh.triangles, faces)
    assert int(_native.ffi.cast("uintptr_t", mesh._c.vertices)) == vertices.ctypes.data
    report = mesh.inspect()
    assert report.is_closed and report.volume == pytest.approx(1.0) and report.area == 6.0
    vertices *= 2.0
    assert mesh.mass_properties().volume == pytest.approx(8.0)


def test_meshes_are_loaded(tmp_path):
    write_cube(tmp_path / "cube.obj", 0.5)
    mesh = isobar.TriMesh.load(tmp_path / "cube.obj", scale=(2, 2, 2))
    address = int(_native.ffi.cast("uintptr_t", mesh._c.vertices))
    vertices = mesh.vertices
    assert vertices.ctypes.data == address
    del mesh
    assert vertices.max() == 1.0  # the array keeps its memory


def test_mass_properties_of_shapes():
    ball = isobar.sphere(0.1).mass_properties()
    assert ball.volume == pytest.approx(4 / 3 * np.pi * 1e-3, rel=1e-12)
    assert np.allclose(ball.inertia, 0.4 * ball.volume * 0.01 * np.eye(3))
    assert isobar.ellipsoid(1, 2, 3).mass_properties().volume == pytest.approx(8 * np.pi)
    assert isobar.cylinder(1, 2).mass_properties().volume == pytest.approx(2 * np.pi)
    assert isobar.capsule(1, 2).mass_properties().volume == pytest.approx(10 / 3 * np.pi)
    assert isobar.mesh(fan()).mass_properties().volume == pytest.approx(1.0)
    assert isobar.convex(isobar.TriMesh(CUBE, FACES)).mass_properties().volume == pytest.approx(1)
    with pytest.raises(isobar.GeometryError):
        isobar.half_space().mass_properties()
    assert isobar.box(1, 1, 1).tessellate(0.5).inspect().is_closed
    assert isobar.Shape("half_space").kind_name == "half_space"


def test_extent_fields():
    mesh = fan()
    extents, report = mesh.extents("poisson")
    assert np.array_equal(extents, [0] * 8 + [1]) and report.free_vertex_count == 1
    assert mesh.skin().inspect().triangle_count == 12
    assert mesh.mass_properties().volume == pytest.approx(1.0)
    assert mesh.inspect().tet_count == 12
    assert isobar.tet_quality(*CUBE[[0, 3, 5, 6]]) == pytest.approx(1.0)
    with pytest.raises(ValueError):
        mesh.extents(is_core=[True])


def test_moduli():
    assert isobar.half_space_modulus(3e6, 0.5) == pytest.approx(4e6)
    assert isobar.half_space_force_sphere(4e6, 0.1, 1e-3) == pytest.approx(
        4 / 3 * 4e6 * np.sqrt(0.1) * 1e-3**1.5)
    assert isobar.half_space_force_cylinder(4e6, 0.1, 1e-3) == pytest.approx(800.0)
    assert isobar.half_space_pressure_cylinder(4e6, 0.1, 1e-3) > 0
    assert isobar.half_space_pressure_sphere(4e6, 0.1, 1e-3) > 0
    assert np.isnan(isobar.layer_modulus(1e6, 0.5))
    table = isobar.modulus_table(lambda depth: 1e6 * depth**2, 0.1, 4)
    assert np.allclose(table[:, 0], (np.arange(1, 5) / 4) ** 2)
    assert np.allclose(table[:, 1], 1e6 * 0.01 * table[:, 0])
    material = isobar.Material(modulus_table=table)
    assert np.array_equal(material.modulus_table, table)
    assert isobar.ContactShape(isobar.sphere(0.1), material).max_pressure == pytest.approx(1e4)

    def fails(depth):
        raise ZeroDivisionError(depth)

    with pytest.raises(ZeroDivisionError):
        isobar.modulus_table(fails, 0.1, 4)


def test_recordings_come_back(ball_world, tmp_path):
    path = tmp_path / "ball.mcap"
    hashes = []
    with isobar.Recorder(path, ball_world, frame_rate=0.0, scene_name="ball") as recorder:
        for _ in range(5):
            ball_world.step()
            recorder.record()
            hashes.append(ball_world.state_hash)
        assert recorder.frame_count == 5
        face_count = ball_world.contacts[0].patch.face_count
        pose = ball_world.body_pose("ball")
    with isobar.Recording(path) as recording:
        assert recording.is_complete and len(recording) == 5
        assert recording.scene_name == "ball" and recording.isobar_version == isobar.__version__
        assert recording.settings.time_step == 1e-3
        assert [b.name for b in recording.bodies] == ball_world.body_names
        assert len(recording.bodies[1].surfaces) == 1 and recording.joints == []
        assert np.allclose(np.diff(recording.times), 1e-3, atol=1e-9)
        assert [recording.read(i).state_hash for i in range(5)] == hashes
        assert [frame.state_hash for frame in recording] == hashes
        assert recording[-1].state_hash == hashes[-1] and recording[1].state_hash == hashes[1]
        with pytest.raises(IndexError, match="frame 5, expected 0 to 4"):
            recording[5]
        assert repr(recording).startswith("<Recording of ball, 5 frames, t = 0.0")
        assert recording.hashes["state_hash"].tolist() == hashes
        frame = recording.read(4)
        assert frame.contacts[0].patch.face_count == face_count
        assert frame.contacts[0].patch.gradients_a is None
        assert frame.contacts[0].patch.pressures.shape == (face_count,)
        assert np.array_equal(frame.poses["translation"][1], pose.translation)
        assert frame.twists.shape == (2, 6) and frame.joint_positions.shape == (0,)
        assert frame.energy.kinetic == ball_world.energy().kinetic
        view = frame.contacts[0].tractions
        recording.read(0)
        with pytest.raises(isobar.StaleError):
            view.sum()
        told = []
        recording.export_csv(tmp_path / "csv", progress=lambda *frames: told.append(frames))
        assert told == [(i, 5) for i in range(1, 6)]
        with pytest.raises(ZeroDivisionError):
            recording.export_vtk(tmp_path / "vtk", progress=lambda *_: 1 // 0)
        assert (tmp_path / "csv" / "faces.csv").exists()
        assert (tmp_path / "vtk" / "patches.pvd").exists()
        recording.write_view(tmp_path / "page.html",
                             html_template=b"<html>@@ISOBAR_DATA@@</html>")
        assert (tmp_path / "page.html").stat().st_size > 1000
        with pytest.raises(isobar.RangeError):
            recording.read(5)
        with pytest.raises(isobar.ArgumentError):
            recording.write_view(tmp_path / "page.html", html_template=b"nothing")


def test_a_recording_becomes_a_page_without_being_told_of_one(ball_world, tmp_path):
    page = pathlib.Path(isobar._native.LIBRARY).resolve().parents[1] / "viewer" / "index.html"
    with isobar.Recorder(tmp_path / "run.mcap", ball_world) as recorder:
        ball_world.step()
        recorder.record()
    with isobar.Recording(tmp_path / "run.mcap") as recording:
        if not page.exists():  # a build without npm
            with pytest.raises(isobar.UnsupportedError, match="npm"):
                recording.write_view(tmp_path / "run.html")
            return
        recording.write_view(tmp_path / "run.html")
        recording.write_view(str(tmp_path / "slow.html"), 10.0, size_limit=1 << 20)
    head, tail = page.read_bytes().split(b"@@ISOBAR_DATA@@")
    for name in ("run.html", "slow.html"):
        written = (tmp_path / name).read_bytes()
        assert written.startswith(head) and written.endswith(tail)
        assert len(written) > len(head) + len(tail) + 1000


def test_contacts_and_deformed_bodies_are_exported(ball_world, tmp_path):
    ball_world.update_contacts()
    ball_world.export_contacts_vtk(tmp_path / "contacts")
    ball_world.export_deformed_vtk(tmp_path / "deformed")
    assert (tmp_path / "contacts" / "patches.vtp").exists()
    assert list((tmp_path / "deformed").glob("*.vtk"))


@pytest.mark.skipif(shutil.which("gmsh") is None, reason="needs gmsh")
def test_prepare_makes_a_mesh(tmp_path):
    write_cube(tmp_path / "cube.obj")
    said = []
    report = isobar.prepare(tmp_path / "cube.obj", tmp_path / "cube.vtk", size=0.02,
                            progress=lambda stage, elapsed, message: said.append(stage))
    assert report.mesh_tet_count > 10 and report.mesher == "gmsh"
    assert report.mesh_volume == pytest.approx(0.05**3, rel=1e-9)
    assert said and report.stages and report.holes == [] and report.intersections.shape == (0, 3)
    volume, mass = isobar.inspect_volume(tmp_path / "cube.vtk")
    assert volume.has_extent and volume.mesh.tet_count == report.mesh_tet_count
    assert mass.volume == pytest.approx(0.05**3, rel=1e-9)
    shape = isobar.ContactShape(isobar.mesh(tmp_path / "cube.vtk"))
    assert not shape.is_rigid
    with pytest.raises(isobar.NoConvergenceError) as caught:
        isobar.prepare(tmp_path / "cube.obj", tmp_path / "again.vtk", is_cancelled=lambda: True)
    assert isinstance(caught.value.report, isobar.PrepareReport)
    assert not (tmp_path / "again.vtk").exists()

    def fails(stage, elapsed, message):
        raise ZeroDivisionError(stage)

    with pytest.raises(ZeroDivisionError):
        isobar.prepare(tmp_path / "cube.obj", tmp_path / "again.vtk", progress=fails)


def test_prepare_takes_the_mesher_of_the_interpreter_that_calls_it(tmp_path, monkeypatch):
    write_cube(tmp_path / "cube.obj")
    (tmp_path / "pytetwild.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delenv("ISOBAR_PYTHON", raising=False)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "this_python"))
    with pytest.raises(isobar.NotFoundError, match="this_python"):
        isobar.prepare(tmp_path / "cube.obj", tmp_path / "cube.vtk", mesher="ftetwild")
    with pytest.raises(isobar.NotFoundError, match="other_python"):
        isobar.prepare(tmp_path / "cube.obj", tmp_path / "cube.vtk", mesher="ftetwild", python="other_python")
    monkeypatch.setenv("ISOBAR_PYTHON", "third_python")
    with pytest.raises(isobar.NotFoundError, match="third_python"):
        isobar.prepare(tmp_path / "cube.obj", tmp_path / "cube.vtk", mesher="ftetwild")


def test_frames_of_files_are_found_and_followed(tmp_path):
    path = tmp_path / "arm.yaml"
    path.write_text("""
bodies: [{name: arm, mass: 1, inertia: [1, 1, 1]}]
joints: [{name: hinge, type: revolute, parent: world, child: arm, axis: [0, 0, 1], position: 0.5}]
directives:
  - add_frame: {name: tool::tip, X_PF: {base_frame: arm, translation: [1, 0, 0]}}
  - add_frame: {name: mark, X_PF: {base_frame: world, translation: [0, 0, 3]}}
""", encoding="utf-8")
    scene = isobar.load(path)
    assert [frame.name for frame in scene.frames] == ["tool::tip", "mark"]
    assert scene.frame("tip").source.endswith("arm.yaml:5")
    assert scene.frame_body("tip") == "arm" and scene.frame_body("mark") == "world"
    assert "2 frames" in repr(scene)
    assert repr(scene.model) == "<Model of 2 bodies, 1 joints, 0 geometries, 0 actuators>"
    world = scene.create_world()
    for name, recorded in (("arm.mcap", world), ("clone.mcap", world.clone())):
        with isobar.Recorder(tmp_path / name, recorded) as recorder:
            recorder.record()
        with isobar.Recording(tmp_path / name) as recording:
            assert recording.scene_name == "arm"
    # Measured 0 for both.
    np.testing.assert_allclose(scene.frame_pose(world, "tip").translation,
                               [np.cos(0.5), np.sin(0.5), 0], atol=1e-15)
    np.testing.assert_allclose(scene.frame_pose(world, 1).translation, [0, 0, 3], atol=0)
    goal = isobar.IkTarget(body=scene.frame_body("tip"), x_bt=scene.frame("tip").x_bf,
                           x_wt=(0, 1, 0), orientation_weight=0)
    q, _ = world.inverse_kinematics([goal])
    np.testing.assert_allclose(q, [np.pi / 2], atol=1e-6)  # measured 6e-11
    world.set_state(q)
    np.testing.assert_allclose(scene.frame_pose(world, "tip").translation, [0, 1, 0], atol=1e-6)
    with pytest.raises(KeyError):
        scene.frame("arm")
    with pytest.raises(IndexError):
        scene.frame(2)


def test_a_scenario_excludes_a_pair_of_mjcf(tmp_path):
    (tmp_path / "balls.xml").write_text("""
<mujoco><worldbody>
<body name="a"><freejoint/><geom name="one" type="sphere" size="0.1"/></body>
<body name="b" pos="0.1 0 0"><freejoint/><geom name="two" type="sphere" size="0.1"/></body>
</worldbody><contact><pair geom1="one" geom2="two"/></contact></mujoco>
""", encoding="utf-8")
    scenario = "directives: [{add_model: {name: balls, file: balls.xml}}]\n"
    for more, count in (("", 1), ("excluded_geometries: [{geometry_a: '*::b::*', geometry_b: '*::a::*'}]", 0)):
        (tmp_path / "balls.yaml").write_text(scenario + more, encoding="utf-8")
        world = isobar.load(tmp_path / "balls.yaml").create_world()
        world.update_contacts()
        assert len(world.contacts) == count


def test_spheres_are_counted():
    assert isobar.sphere(0.05).tet_count(0.01) == 512
    assert isobar.sphere(0.05).tet_count(1e-9) > 1e17
    assert isobar.box(1, 1, 1).tet_count(0.01) == 0


def test_units_are_guessed():
    assert isobar.guess_unit(200.0) == "mm"
    assert isobar.guess_unit(0.2) is None
    assert isobar.unit_length("in") == 0.0254
    with pytest.raises(ValueError, match="'inch' is not a unit of length; expected one of um, mm, cm"):
        isobar.unit_length("inch")


@pytest.mark.skipif(shutil.which("gmsh") is None, reason="needs gmsh")
def test_prepare_takes_units_as_the_command_does(tmp_path):
    write_cube(tmp_path / "cube.obj")
    said = {}
    report = isobar.prepare(tmp_path / "cube.obj", tmp_path / "cube.vtk", units="in", scale=2,
                            progress=lambda stage, elapsed, message: said.update({stage: message}))
    assert report.mesh_volume == pytest.approx((0.05 * 2 * 0.0254)**3, rel=1e-9)
    assert said["scale"].endswith(" m") and isobar.PrepareOptions(units="in").unit == 0.0254
    assert isobar.PrepareOptions(unit=1e-3).units == "mm" and isobar.PrepareOptions().units is None
    with pytest.raises(ValueError, match="'inch' is not a unit"):
        isobar.prepare(tmp_path / "cube.obj", tmp_path / "cube.vtk", units="inch")
    isobar.prepare(tmp_path / "cube.obj", tmp_path / "cube.vtk",
                   progress=lambda stage, elapsed, message: said.update({stage: message}))
    assert said["scale"].endswith("coordinates taken as metres")


def test_poses_compose():
    a = isobar.Pose.from_rpy(0.1, 0.2, 0.3, (1, 2, 3))
    b = isobar.Pose.from_quaternion((1, 1, 0, 0), (0, 0, 1))
    assert np.allclose((a @ b).matrix, a.matrix @ b.matrix)
    assert np.allclose((a @ a.inverse()).matrix, np.eye(4))
    assert np.allclose(a.transform([[1, 0, 0]])[0], a.matrix[:3, 0] + a.translation)


def test_the_example_grasps(tmp_path):
    pytest.importorskip("matplotlib")
    script = SOURCE / "python" / "examples" / "grasp.py"
    picture = tmp_path / "patch.png"
    done = subprocess.run([sys.executable, str(script), "--output", str(picture)],
                          capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "N" in done.stdout
    assert picture.read_bytes().startswith(b"\x89PNG") and picture.stat().st_size > 10000
