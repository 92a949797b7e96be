# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Worlds, models, scenes, contacts, dynamics."""

import math

import numpy as np
import pytest

import isobar
from conftest import pendulum, soft_ball
from isobar import _native, scene


def test_a_scene_runs_with_its_commands(scenes):
    scene = isobar.load(scenes / "demo.yaml", settings={"simulation.time_step": 4e-3})
    assert scene.name == "demo"
    assert scene.until == 6.0
    assert scene.settings.time_step == 4e-3
    assert [c.kind for c in scene.commands] == ["position", "effort"]
    assert scene.commands[1].signal(1.6) == 9.0
    world = scene.create_world()
    world.step(125)
    assert world.step_count == 125
    assert world.time == pytest.approx(0.5, abs=1e-12)
    fingers = [c for c in world.contacts if "finger" in c.body_name_a]
    assert len(fingers) == 2
    # The right finger presses with 30 N; measured 6e-7 off.
    assert abs(fingers[1].wrench[3]) == pytest.approx(30.0, rel=1e-4)
    with pytest.raises(isobar.RangeError):
        isobar.load(scenes / "demo.yaml", settings={"simulation.time_step": -1.0})


@pytest.mark.parametrize("gravity", [(0, 0, -1.5), [0, np.float64(0), np.float32(-1.5)],
                                     np.array([0, 0, -1.5]), "[0, 0, -1.5]"])
def test_settings_take_what_a_sweep_makes(scenes, gravity):
    steps = np.linspace(1e-3, 2e-3, 3)
    scene = isobar.load(scenes / "demo.yaml", settings={
        "simulation.time_step": steps[1], "simulation.threads": np.int64(2),
        "simulation.gravity": gravity, "simulation.friction": "regularized",
        "initial.0.pose": {"translation": np.arange(3.0)}})
    assert scene.settings.time_step == steps[1]
    assert scene.settings.thread_count == 2
    assert scene.settings.gravity.tolist() == [0, 0, -1.5]


def test_infinite_settings_are_spelt_as_yaml_does(scenes):
    with pytest.raises(isobar.RangeError, match="time_step is inf"):
        isobar.load(scenes / "demo.yaml", settings={"simulation.time_step": math.inf})
    with pytest.raises(isobar.RangeError, match="gravity is -inf"):
        isobar.load(scenes / "demo.yaml", settings={"simulation.gravity": [0, 0, np.float64("-inf")]})
    assert scene.setting_text({"Infinity": ["-Infinity", '"Infinity', -math.inf, 2]}) == \
        '{"Infinity": ["-Infinity", "\\"Infinity", -.inf, 2]}'


def test_settings_without_meaning_in_yaml_are_refused(scenes):
    with pytest.raises(TypeError, match="a setting is <object"):
        isobar.load(scenes / "demo.yaml", settings={"simulation.time_step": object()})


def test_packages_are_found(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "tet.obj").write_text(
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n")
    urdf = tmp_path / "robot.urdf"
    urdf.write_text(
        '<robot name="r"><link name="l"><inertial><mass value="1"/><inertia ixx="1" iyy="1" '
        'izz="1" ixy="0" ixz="0" iyz="0"/></inertial><collision><geometry><mesh '
        'filename="package://parts/tet.obj"/></geometry></collision></link></robot>')
    scene = isobar.load(urdf, packages={"parts": tmp_path / "elsewhere"})
    assert scene.model.geometries[0].shape.path.endswith("tet.obj")
    with pytest.raises(isobar.NotFoundError):
        isobar.load(urdf)


def test_an_edited_actuator_says_what_is_wrong_with_it():
    model = isobar.Model()
    body = model.add_body("link", mass=1.0, inertia=np.eye(3))
    model.add_joint("hinge", "revolute", "world", body)
    model.add_actuator("motor", "hinge", kp=10.0)
    actuator = model.actuators[0]
    actuator.check()
    actuator.effort_limit, actuator.effort_lower = 2.0, 3.0
    with pytest.raises(isobar.RangeError, match="effort is 3 to inf, expected to rise"):
        actuator.check()


def test_a_ball_rests_with_its_weight(ball_world):
    ball_world.step(2000)
    (contact,) = ball_world.contacts
    weight = 0.5 * 9.81
    sign = 1.0 if contact.body_name_b == "ball" else -1.0
    # Measured 3e-11 off.
    assert sign * contact.wrench[5] == pytest.approx(weight, rel=1e-7)
    assert np.abs(ball_world.body_twists).max() < 1e-7  # measured 3e-11
    assert ball_world.report().contact_count == 1
    assert ball_world.energy().kinetic >= 0.0
    assert ball_world.contact_peak.body_name_b != ""
    assert ball_world.contact_passage.pair_count == 0
    assert ball_world.contact_passage.body_name_a == ""


def test_bodies_that_go_through_each_other_are_told(ball_world):
    ball_world.set_free_body("ball", (0, 0, 0.5), (0, 0, 0, 0, 0, -1000))
    ball_world.step()
    passage = ball_world.contact_passage
    assert (passage.pair_count, passage.body_name_a, passage.body_name_b) == (1, "ball", "world")
    assert passage.time == ball_world.time


def test_arrays_of_a_patch_agree(ball_world):
    (contact,) = ball_world.contacts
    patch = contact.patch
    assert patch.face_count > 0
    assert patch.vertices.shape == (patch.vertex_count, 3)
    assert patch.face_offsets[-1] == patch.vertex_count
    assert patch.face(0).shape[1] == 3
    assert patch.elements.shape == (patch.face_count, 2)
    for name in ("normals", "centroids", "gradients_a", "gradients_b"):
        assert getattr(patch, name).shape == (patch.face_count, 3), name
    assert contact.tractions.shape == contact.slip_velocities.shape == (patch.face_count, 3)
    # Faces at the rim count where there is pressure only: measured 0.8 % less.
    assert 0.95 * patch.areas.sum() < patch.area <= patch.areas.sum() * (1.0 + 1e-12)
    assert patch.vertex_pressures.max() == patch.max_pressure
    assert np.allclose(np.linalg.norm(patch.normals, axis=1), 1.0, atol=1e-12)
    total = (contact.tractions * patch.areas[:, None]).sum(axis=0)
    assert np.allclose(total, contact.wrench[3:], rtol=1e-9, atol=1e-9)  # measured 4e-16


def test_arrays_are_views_of_the_librarys_memory(ball_world):
    (contact,) = ball_world.contacts
    address = int(_native.ffi.cast("uintptr_t", contact._c.patch.pressures))
    first, second = contact.patch.pressures, contact.patch.pressures
    assert first.ctypes.data == address
    assert np.shares_memory(first, second)
    assert np.shares_memory(contact.patch.vertices[2:5], contact.patch.vertices)
    with pytest.raises(ValueError):
        first[0] = 1.0


USES = {
    "index": lambda a: a[0],
    "slice": lambda a: a[1:],
    "sum": lambda a: a.sum(),
    "function": np.max,
    "ufunc": lambda a: a + 1.0,
    "reflected": lambda a: np.ones(len(a)) * a,
    "iteration": list,
    "length": len,
    "copy": lambda a: a.copy(),
    "list": lambda a: a.tolist(),
    "text": repr,
    "concatenation": lambda a: np.concatenate([a, a]),
    "reshape": lambda a: a.reshape(-1),
}


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_a_stale_view_raises_instead_of_reading(ball_world, use):
    patch = ball_world.contacts[0].patch
    whole, part = patch.pressures, patch.pressures[1:]
    use(whole)
    use(part)
    ball_world.step()
    for view in (whole, part):
        with pytest.raises(isobar.StaleError, match="the world has stepped since"):
            use(view)


def test_stale_contacts_raise(ball_world):
    contact = ball_world.contacts[0]
    patch, kept = contact.patch, contact.patch.pressures.copy()
    ball_world.update_contacts()
    for read in (lambda: contact.wrench, lambda: contact.body_name_a, lambda: patch.areas,
                 lambda: patch.face_count):
        with pytest.raises(isobar.StaleError):
            read()
    assert not contact.is_valid
    assert kept.sum() > 0.0 and type(kept) is np.ndarray
    again = ball_world.contacts[0]
    ball_world.close()
    with pytest.raises(isobar.StaleError, match="closed"):
        assert again.wrench is None
    with pytest.raises(isobar.StaleError):
        ball_world.step()


def test_wrenches_act_for_one_step():
    world = isobar.World(soft_ball(), gravity=(0, 0, 0), time_step=1e-3)
    world.set_free_body("ball", (0, 0, 1.0))
    world.apply_wrench("ball", (0, 0, 0, 2.0, 0, 0))
    world.step()
    assert world.body_twist("ball")[3] == pytest.approx(2.0 / 0.5 * 1e-3, rel=1e-9)
    speed = world.body_twist("ball")[3]
    world.step()
    assert world.body_twist("ball")[3] == pytest.approx(speed, rel=1e-12)


def test_prescribed_bodies_follow_their_twist():
    model = soft_ball()
    model.add_body("lift", mass=1.0)
    model.add_joint("post", "weld", "world", "lift")
    world = isobar.World(model, time_step=1e-3)
    world.set_prescribed("lift", (0, 0, 1.0), (0, 0, 0, 0, 0, 0.5))
    world.step(100)
    assert world.body_pose("lift").translation[2] == pytest.approx(1.05, abs=1e-12)
    assert world.body_twist("lift")[5] == 0.5
    world.set_prescribed("lift", None)
    world.step()
    assert world.body_pose("lift").translation[2] == 0.0
    with pytest.raises(isobar.Error, match="ball"):
        world.set_prescribed("ball", (0, 0, 1.0))


def test_state_is_copied_and_set(arm):
    q, v = arm.get_state()
    arm.step(20)
    assert not np.array_equal(arm.get_state()[0], q)
    arm.set_state(q, v)
    assert np.array_equal(arm.get_state()[0], q)
    with pytest.raises(ValueError, match=r"q has shape \(3,\), expected \(2,\)"):
        arm.set_state(np.zeros(3))


def test_joints_and_actuators_by_name(arm):
    assert arm.joint_names == ["hinge1", "hinge2"]
    assert arm.joint_kinds == ["revolute", "revolute"]
    assert arm.actuator_names == ["motor1", "motor2"]
    assert arm.actuator_joint("motor2") == arm.joint_index("hinge2")
    assert arm.joint_body("hinge2") == arm.body_index("link2")
    arm.set_joint("hinge1", 0.1, 0.2)
    assert arm.joint_positions[0] == 0.1 and arm.joint_velocities[0] == 0.2
    arm.set_actuation("motor1", feed_forward=3.0, position=0.1)
    arm.step()
    assert abs(arm.joint_efforts[0]) > 1.0
    coordinates = arm.coordinates("link2")
    assert (coordinates.joint_name, coordinates.kind) == ("hinge2", "revolute")


def test_parts_of_a_model_are_found_by_the_end_of_their_names():
    model = isobar.Model()
    left, right = model.add_body("left::palm"), model.add_body("right::palm")
    slide = model.add_joint("left::slide", "prismatic", "world", left)
    motor = model.add_actuator("left::motor", "slide")
    assert (model.joint_index("slide"), model.actuator_index("motor")) == (slide, motor)
    assert model.body_index("right::palm") == right
    with pytest.raises(isobar.NotFoundError, match="'palm' can be body 'left::palm' or 'right::palm'; say which"):
        model.body_index("palm")
    model.add_joint("right::turn", "revolute", "left::palm", right)
    model.add_fixed_tendon("right::sum", ["slide", "turn"], [1.0, 0.5])
    world = isobar.World(model)
    assert world.fixed_tendon_index("sum") == world.fixed_tendon_index("right::sum")
    with pytest.raises(KeyError, match="no fixed tendon named 'sun'"):
        world.fixed_tendon_index("sun")


def test_dynamics_fit_together(arm):
    rng = np.random.default_rng(1)
    arm.set_state(rng.normal(size=2), rng.normal(size=2))
    m, vdot = arm.mass_matrix(), rng.normal(size=2)
    tau = arm.inverse_dynamics(vdot)
    # Rounding: measured 9e-16, 5e-15 below.
    assert np.allclose(tau, m @ vdot + arm.bias(), atol=1e-12)
    assert np.allclose(arm.forward_dynamics(tau), vdot, atol=1e-12)
    assert np.allclose(m, m.T, atol=0.0)
    q, v = arm.get_state()
    p = np.array([0.0, 0.0, -1.0])
    jacobian = arm.jacobian("link2", p)
    twist = arm.body_twist("link2")
    at_p = np.concatenate([twist[:3], twist[3:] + np.cross(
        twist[:3], arm.body_pose("link2").rotation @ p)])
    assert np.allclose(jacobian @ v, at_p, atol=1e-13)
    position, of_mass = arm.center_of_mass()
    assert position.shape == (3,)
    assert np.allclose(2.0 * of_mass @ v, arm.momentum()[3:], atol=1e-13)
    arm.set_state(v=np.zeros(2))
    assert np.allclose(arm.gravity_forces(), -arm.bias(), atol=1e-13)
    assert np.array_equal(arm.passive_forces(), np.zeros(2))


def test_inverse_kinematics_reaches(arm):
    goal = isobar.IkTarget(body="link2", x_bt=(0, 0, -1.0), x_wt=(-0.9, 0, -1.2),
                           orientation_weight=0.0)
    q, report = arm.inverse_kinematics([goal])
    assert goal.body == "link2"
    goal.body = arm.body_index("link2")
    assert np.array_equal(arm.inverse_kinematics([goal])[0], q)
    assert report.position_error < 1e-9
    arm.set_state(q)
    assert np.allclose(arm.body_pose("link2").transform((0, 0, -1.0)), (-0.9, 0, -1.2), atol=1e-8)
    goal.x_wt = (-3.0, 0, 0)
    with pytest.raises(isobar.NoConvergenceError):
        arm.inverse_kinematics([goal])
    with pytest.raises(ValueError):
        arm.inverse_kinematics([goal], is_fixed=[True])


def test_models_are_read_and_edited():
    model = pendulum()
    assert [body.name for body in model.bodies] == ["world", "link1", "link2"]
    model.bodies[1].mass = 3.0
    model.joints[0].damping = 0.5
    world = isobar.World(model)
    assert world.body_mass("link1") == 3.0
    assert model.joints[1].kind == "revolute" and model.joints[1].position == 0.3
    assert model.actuators[0].kp == 10.0
    model.bodies[1].mass = -3.0
    with pytest.raises(isobar.RangeError, match="link1"):
        isobar.World(model)


def test_couplers_and_constraints_are_reported():
    model = pendulum()
    model.add_coupler("gear", "hinge1", "hinge2", ratio=1.0)
    model.add_constraint("rope", "tendon", "world", "link2", length=5.0)
    world = isobar.World(model)
    world.step(10)
    (gear,), (rope,) = world.couplers, world.constraints
    assert gear.name == "gear" and abs(gear.residual) < 1e-8  # measured 4e-11
    assert (gear.ratio, gear.offset) == (1.0, 0.0)
    assert rope.kind == "tendon" and rope.position_error == 0.0
    assert rope.f_b_w.shape == (6,)


def test_solids_have_the_mass_of_their_shape():
    model = isobar.Model()
    body = model.add_solid("brick", isobar.box(0.1, 0.2, 0.3), 1000.0, x_bg=(0, 0, 1.0))
    desc = model.bodies[body]
    assert desc.mass == pytest.approx(6.0, rel=1e-12)
    assert np.allclose(desc.center_of_mass, (0, 0, 1.0))
    assert np.allclose(np.diag(desc.inertia), [0.065, 0.05, 0.025], rtol=1e-12)
    assert model.body_of_geometry(0) == body
    model.set_material(0, isobar.Material(friction_static=0.9, friction_dynamic=0.7))
    assert model.geometries[0].material.friction_static == 0.9
    model.add_visual(body, isobar.sphere(0.1), rgba=(1, 0, 0, 1))
    assert model.body_of_visual(0) == body
    assert model.visuals[0].rgba[0] == 1.0


def test_excluded_pairs_do_not_touch():
    model = soft_ball()
    model.exclude_pair("world", "ball")
    world = isobar.World(model)
    world.step(5)
    assert world.contacts == []


def test_a_subtree_moves_as_what_it_carries():
    model = soft_ball()
    world = isobar.World(model)
    world.set_state(v=[0, 0, 3, 1, 2, 0])
    motion = world.subtree_motion("ball")
    assert motion.mass == 0.5 and np.allclose(motion.p_wc, (0, 0, 0.048), atol=0)
    assert np.array_equal(motion.v_wc, (1, 2, 0))
    assert np.allclose(motion.h_c_w, (0, 0, 1.5e-3), rtol=1e-15, atol=0)
    with pytest.raises(IndexError, match="body 2"):
        world.subtree_motion(2)


def test_rays_meet_the_nearest_geometry():
    world = isobar.World(soft_ball())
    hit = world.ray_cast((0, 0, 1), (0, 0, -3))
    assert hit.distance == pytest.approx(0.902, abs=1e-15)
    assert hit.body == world.body_names.index("ball")
    assert hit.geometry_name == "geometry" and np.array_equal(hit.normal_w, (0, 0, 1))
    ground = world.ray_cast((0, 0, 1), (0, 0, -3), ignored_body="ball")
    assert ground.distance == 1.0 and ground.geometry_name == "ground"
    assert world.ray_cast((0, 0, 1), (0, 0, -1), max_distance=0.9) is None
    with pytest.raises(isobar.RangeError, match="expected a direction"):
        world.ray_cast((0, 0, 1), (0, 0, 0))


def test_geometries_of_a_pair_touch_with_their_own_friction():
    model = soft_ball()
    model.exclude_pair("world", "ball")
    model.add_geometry_pair(0, 1, is_unfiltered=True, friction_static=0.0, friction_dynamic=0.0)
    world = isobar.World(model)
    world.set_state(v=[0, 0, 0, 1, 0, 0])
    world.step(500)
    assert world.contacts[0].geometry_name_b == "ground"
    assert world.body_twists[world.body_index("ball")][3] == pytest.approx(1.0, abs=1e-9)
    with pytest.raises(isobar.RangeError, match="friction of geometries"):
        model.add_geometry_pair(1, 0, friction_static=0.1, friction_dynamic=0.2)
    model = soft_ball()
    model.add_geometry_pair("ground", "ball::geometry", is_excluded=True)
    world = isobar.World(model)
    world.step(500)
    assert world.body_twist("ball")[5] == pytest.approx(-9.81 * 0.5, rel=1e-12)  # it falls
    assert not world.contacts


def test_deformed_bodies_lose_what_contact_takes(ball_world):
    ball_world.step(500)
    ball_world.update_contacts()
    deformed = ball_world.deformed("ball", 0)
    assert deformed.tets.shape[1] == 4 and len(deformed.vertices) == len(deformed.pressures)
    assert deformed.is_contact.any() and not deformed.is_contact.all()
    assert deformed.displaced_volume > 0.0
    corners = deformed.vertices[deformed.tets]
    edges = corners[:, 1:] - corners[:, :1]
    # Measured 6e-16.
    assert np.linalg.det(edges).sum() / 6.0 == pytest.approx(deformed.volume, rel=1e-9)


def test_signals_and_tasks():
    signal = isobar.Signal(kind="table", table=([0.0, 1.0], [0.0, 2.0]))
    signal.check()
    assert signal(0.25) == 0.5
    with pytest.raises(isobar.RangeError):
        isobar.Signal(kind="square_wave", period=-1.0).check()
    world = isobar.World(pendulum())
    world.task = isobar.Task(world, [isobar.Command(actuator="motor1", kind="effort",
                                                    signal=isobar.Signal(offset=2.0))])
    world.step()
    other = isobar.World(pendulum())
    other.set_actuation("motor1", feed_forward=2.0)
    other.step()
    assert world.state_hash == other.state_hash
    with pytest.raises(isobar.NotFoundError):
        isobar.Task(world, [isobar.Command(actuator="nobody", kind="effort")])


def test_settings_are_kept():
    world = isobar.World(soft_ball(), time_step=2e-3, method="sap",
                         contact=isobar.ContactOptions(representation="triangle"))
    assert world.settings.method == "sap"
    assert world.settings.time_step == 2e-3
    assert world.settings.contact.representation == "triangle"
    assert np.array_equal(world.settings.gravity, [0, 0, -9.81])


def test_surfaces_are_meshes(ball_world):
    (surface,) = ball_world.surfaces("ball")
    assert surface.is_collision
    assert surface.mesh.inspect().is_closed
    assert np.linalg.norm(surface.mesh.vertices, axis=1).max() == pytest.approx(0.05, rel=1e-9)


def test_sensors_read_a_pendulum_and_are_recorded(tmp_path):
    model = isobar.Model()
    bob = model.add_body("bob", mass=2.0, inertia=np.diag([0.2, 0.3, 0.25]))
    model.add_joint("hinge", kind="revolute", parent=0, child=bob, axis=[0, 1, 0],
                    x_cm=isobar.Pose(np.eye(3), [0, 0, 1]), position=0.7)
    world = isobar.World(model)
    sensors = isobar.Sensors(world, [
        isobar.Sensor(name="hinge", kind="joint", joint="hinge"),
        isobar.Sensor(name="imu", kind="imu", body="bob"),
        isobar.Sensor(name="pad", kind="tactile", body="bob", rows=2, columns=3)])
    with isobar.Recorder(tmp_path / "a.mcap", world, sensors, frame_rate=0) as recorder:
        world.step()
        assert recorder.is_due
        recorder.record()
    named = sensors.named("hinge")
    wdot = -2 * 9.81 * np.sin(0.7) / 2.3
    # Measured 2e-15 and 4e-15.
    assert named["force_x"] == pytest.approx(-2 * (wdot + 9.81 * np.sin(0.7)), abs=1e-12)
    assert named["force_z"] == pytest.approx(2 * 9.81 * np.cos(0.7), abs=1e-12)
    assert sensors.value_names("imu")[0] == ("specific_force_x", "m/s^2")
    assert sensors.grid("pad").shape == (2, 3, 6)
    assert np.all(sensors.grid("pad") == 0)
    with pytest.raises(ValueError, match="no cells"):
        sensors.grid("imu")
    assert sensors.names == ["hinge", "imu", "pad"] and len(sensors) == 3
    assert sensors.description("pad").columns == 3
    assert sensors.frame("hinge")[1].translation == pytest.approx([0, 0, 1])
    assert isobar.sensor_kind_name("force_torque") == "force_torque"
    load = world.body_loads[1]
    assert load.f_bm_w[3:] == pytest.approx(load.x_wm.rotation @ sensors["hinge"][3:6])
    assert world.joint_frame("bob").translation == pytest.approx([0, 0, 1])
    with isobar.Recording(tmp_path / "a.mcap") as recording:
        assert [s.kind for s in recording.sensors] == ["joint", "imu", "tactile"]
        assert np.array_equal(recording.read(0).sensors["hinge"], sensors["hinge"])
        assert len(recording.sensors[2].value_names) == 13
        assert recording[0].grid("pad").shape == (2, 3, 6)
        with pytest.raises(ValueError, match="'imu' has no cells"):
            recording[0].grid("imu")
        with pytest.raises(KeyError, match="no sensor named 'pat'; did you mean 'pad'"):
            recording[0].grid("pat")
        with pytest.raises(isobar.NotFoundError, match="no sensor named 'hing'; did you mean 'hinge'"):
            recording[0].sensors["hing"]
        with pytest.raises(TypeError, match="'str' object cannot be interpreted as an integer"):
            recording["hinge"]
    scoped = isobar.Sensors(world, [isobar.Sensor(name="arm::pad", kind="tactile", body="bob"),
                                    isobar.Sensor(name="arm::imu", kind="imu", body="bob")])
    with isobar.Recorder(tmp_path / "b.mcap", world, scoped) as recorder:
        recorder.record()
    with isobar.Recording(tmp_path / "b.mcap") as recording:
        frame = recording[0]
        assert np.array_equal(frame.sensors["imu"], scoped["imu"]) and "imu" not in frame.sensors
        assert np.array_equal(frame.grid("pad"), scoped.grid("pad"))
    with pytest.raises(isobar.NotFoundError, match="joint named 'knee'"):
        isobar.Sensors(world, [isobar.Sensor(name="x", kind="joint", joint="knee")])


def test_movers_carry_fixed_bodies():
    model = soft_ball()
    model.add_body("lift", mass=1.0)
    model.add_joint("post", "weld", "world", "lift")
    world = isobar.World(model, time_step=1e-3)
    path = isobar.Mover(body="lift", profile="linear")
    path.path = ([0.0, 0.1, 0.2], [(0, 0, 1.0), (0, 0, 1.5), (0, 0, 1.0)])
    movers = isobar.Movers(world, [path])
    assert len(movers) == 1
    assert path.path[0].tolist() == [0.0, 0.1, 0.2] and len(path.path[1]) == 3
    assert movers.pose(0, 0.05).translation[2] == pytest.approx(1.25, abs=1e-15)
    movers.apply()
    assert world.body_twist("lift")[5] == pytest.approx(5.0, abs=1e-12)
    world.task = isobar.Task(world)
    movers.hand_to(world.task)
    world.step(100)
    assert world.body_pose("lift").translation[2] == pytest.approx(1.5, abs=1e-12)
    with pytest.raises(ValueError, match="2 times and 1 poses"):
        path.path = ([0.0, 1.0], [(0, 0, 0)])
    with pytest.raises(isobar.RangeError, match="welded"):
        isobar.Movers(world, [isobar.Mover(body="ball")])


def test_adhesion_holds_a_ball_and_its_force_is_part_of_the_state() -> None:
    model = isobar.Model()
    model.add_geometry("world", isobar.half_space(), name="plate",
                       material=isobar.Material(compliance="rigid"))
    model.add_body("ball", mass=1.0, inertia=np.eye(3) * 1e-3)
    model.add_geometry("ball", isobar.sphere(0.05), name="skin")
    model.set_free_pose("ball", isobar.Pose(translation=(0, 0, 0.0499)))
    model.add_actuator("cup", adhesion="ball", effort_limit=50.0)
    assert model.actuators[0].adhesion_body == model.body_index("ball")
    with pytest.raises(ValueError, match="expected one of them"):
        model.add_actuator("both", joint=0, adhesion="ball")
    with pytest.raises(isobar.RangeError, match="adhesion with gains kp 3"):
        model.add_actuator("stiff", adhesion="ball", kp=3.0)
    world = isobar.World(model, gravity=(0, 0, 9.81))
    assert world.actuator_adhesion_body("cup") == world.body_index("ball")
    assert (world.actuator_joint("cup"), world.actuator_fixed_tendon("cup")) == (-1, -1)
    assert world.actuator_gains("cup").effort_lower == 0.0
    world.set_actuation("cup", 80.0)  # of which 50 N are there
    world.step(400)
    np.testing.assert_allclose(abs(world.contacts[0].wrench[5]), 50.0 - 9.81, rtol=1e-3)
    state = world.save()
    world.step(20)
    first = world.state_hash
    world.restore(state)
    world.step(20)
    assert world.state_hash == first
    world.set_actuation("cup", 0.0)
    world.step(300)
    assert len(world.contacts) == 0


def test_fixed_tendons_act_along_sums_of_joints() -> None:
    model = isobar.Model()
    for name, mass in (("a", 1.0), ("b", 2.0)):
        model.add_body(name, mass=mass)
        model.add_joint(name, "prismatic", 0, name, axis=(1, 0, 0))
    index = model.add_fixed_tendon("sum", ["a", "b"], [1.0, -0.5], stiffness=4.0, spring_reference=0.25)
    model.add_actuator("pull", fixed_tendon="sum")
    assert model.fixed_tendon_index("sum") == index == 0
    with pytest.raises(isobar.NotFoundError, match="sum"):
        model.fixed_tendon_index("sun")
    tendon = model.fixed_tendons[0]
    assert (tendon.name, tendon.joints, tendon.stiffness) == ("sum", [0, 1], 4.0)
    assert (tendon.lower, tendon.upper, tendon.friction) == (-np.inf, np.inf, 0.0)
    np.testing.assert_array_equal(tendon.weights, [1.0, -0.5])
    with pytest.raises(ValueError, match="weight of each of 2 joints"):
        model.add_fixed_tendon("other", ["a", "b"], [1.0])
    with pytest.raises(ValueError, match="expected one of them"):
        model.add_actuator("none")
    world = isobar.World(model, time_step=1e-3, gravity=(0, 0, 0))
    assert (world.actuator_joint("pull"), world.actuator_fixed_tendon("pull")) == (-1, 0)
    world.set_actuation("pull", feed_forward=3.0)
    world.step()
    state = world.fixed_tendons[world.fixed_tendon_index("sum")]
    with pytest.raises(isobar.NotFoundError, match="sum"):
        world.fixed_tendon_index("sun")
    assert state.actuator_effort == 3.0
    np.testing.assert_allclose(state.passive_effort, 4.0 * (0.25 - state.length), rtol=1e-12)
    np.testing.assert_allclose(
        world.get_state()[1], 1e-3 * (3.0 + state.passive_effort) * np.array([1.0, -0.25]), rtol=1e-9)
    sensors = isobar.Sensors(world, [isobar.Sensor(name="s", kind="fixed_tendon", fixed_tendon="sum")])
    sensors.update()
    assert sensors.named("s") == {"length": state.length, "velocity": state.velocity,
                                  "passive_effort": state.passive_effort, "actuator_effort": 3.0,
                                  "limit_effort": 0.0}
    with pytest.raises(isobar.NotFoundError, match="fixed tendon named 'sun'"):
        isobar.Sensors(world, [isobar.Sensor(name="s", kind="fixed_tendon", fixed_tendon="sun")])
