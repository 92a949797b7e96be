# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Friction laws from Python: by name, and one's own."""

import math
import subprocess

import isobar
import numpy as np
import pytest

LEAN = 0.2


def sliding(options):
    """A ball that cannot roll on a floor that leans, after 1 s."""
    model = isobar.Model()
    model.add_body("ball", mass=0.5, inertia=(1e9, 1e9, 1e9))
    model.add_geometry("ball", isobar.sphere(0.05), material=isobar.Material(
        compliance="compliant", modulus=1e6, dissipation=50.0, resolution_hint=0.03))
    model.add_geometry("world", isobar.half_space(), material=isobar.Material(compliance="rigid"))
    world = isobar.World(model, method="rk45", accuracy=1e-7, time_step=5e-3, contact=options,
                         gravity=(9.81 * math.sin(LEAN), 0, -9.81 * math.cos(LEAN)))
    world.set_free_body("ball", (0, 0, 0.0495))
    world.step(200)
    return world.get_state()[1][3]


@pytest.mark.parametrize("law", ["viscous", "tanh", "atan", "stribeck", "three_piece"])
def test_steady_sliding_has_the_speed_of_the_law(law):
    speed = sliding(isobar.ContactOptions(friction_law=law, stiction_velocity=0.02))
    mu = isobar.friction_coefficient(law, speed, friction_static=0.5, friction_dynamic=0.5,
                                     stiction_velocity=0.02)
    assert mu == pytest.approx(math.tan(LEAN), rel=1e-6)


def test_a_law_of_ones_own():
    calls = []

    def law(pair, speed):
        calls.append(pair)
        return pair[1] * speed / (speed + 0.3 * pair[2])

    options = isobar.ContactOptions(own_friction=law, stiction_velocity=0.02)
    assert options.friction_law == "own" and options.own_friction is law
    speed = sliding(options)
    assert law((0.5, 0.5, 0.02), speed) == pytest.approx(math.tan(LEAN), rel=1e-6)
    assert len(calls) > 1000 and calls[-2] == (0.5, 0.5, 0.02)
    options.own_friction = None
    assert options.friction_law == "viscous" and options.own_friction is None


class Broken(Exception):
    """Of a law of a user's."""


def breaking_world(limit):
    """A ball that is pulled along a floor by a law that raises beyond a speed."""
    def law(pair, speed):
        if limit < speed < 10 * limit:
            raise Broken(f"{limit} m/s")
        return pair[1] * speed / (speed + pair[2])

    model = isobar.Model()
    model.add_body("ball", mass=0.5, inertia=(1e9, 1e9, 1e9))
    model.add_geometry("ball", isobar.sphere(0.05), material=isobar.Material(
        compliance="compliant", modulus=1e6, dissipation=50.0, resolution_hint=0.03))
    model.add_geometry("world", isobar.half_space(), material=isobar.Material(compliance="rigid"))
    options = isobar.ContactOptions(own_friction=law, stiction_velocity=1e-5)
    world = isobar.World(model, method="rk45", accuracy=1e-4, time_step=1e-2, contact=options,
                         max_substeps=300, gravity=(9.81 * math.sin(1.2), 0, -9.81 * math.cos(1.2)))
    world.set_free_body("ball", (0, 0, 0.0495))
    return world


@pytest.mark.parametrize("threads", [1, 3])
def test_exceptions_of_laws_come_out_with_the_world(threads):
    worlds = [breaking_world(limit) for limit in (50.0, 0.4, 0.2)]
    with pytest.raises(Broken, match="0.4 m/s"):
        breaking_world(0.4).step(40)
    batch = isobar.WorldBatch(worlds, threads)
    with pytest.raises(Broken, match="0.4 m/s") as caught:
        batch.step(40)
    if hasattr(caught.value, "__notes__"):
        assert "world 1 of the batch" in caught.value.__notes__
    assert batch.errors() == [None, Broken, Broken]
    assert worlds[0].time == pytest.approx(0.4)
    assert 0 < worlds[2].time < worlds[1].time < 0.4  # each in its last good state


def test_exceptions_of_events_come_out_of_batches():
    worlds = [breaking_world(50.0) for _ in range(2)]

    def value(time, _poses, _twists):
        if time > 0.025:
            raise Broken("of an event")
        return 1.0

    worlds[1].watch(contacts=False, slip=False, functions={"broken": value})
    with pytest.raises(Broken, match="of an event") as caught:
        isobar.WorldBatch(worlds, 2).step(5)
    if hasattr(caught.value, "__notes__"):
        assert "world 1 of the batch" in caught.value.__notes__
    assert [round(world.time, 9) for world in worlds] == [0.05, 0.02]


def test_states_of_worlds_with_own_laws_go_on_bit_by_bit():
    first, second = breaking_world(50.0), breaking_world(50.0)
    first.step(10)
    second.restore(first.save())
    first.step(10)
    second.step(10)
    assert first.state_hash == second.state_hash


def test_laws_that_drive_or_raise_are_errors(capfd):
    with pytest.raises(isobar.RangeError, match="expected finite and >= 0, and 0 at rest"):
        sliding(isobar.ContactOptions(own_friction=lambda _pair, _speed: 0.5))
    with pytest.raises(isobar.RangeError, match="gives nan"):
        sliding(isobar.ContactOptions(own_friction=lambda _pair, _speed: 1 / 0))
    assert "ZeroDivisionError" in capfd.readouterr().err
    with pytest.raises(ValueError, match="three_peice.*did you mean"):
        isobar.ContactOptions(friction_law="three_peice")


def test_no_replay_runs_a_law_of_ones_own(tmp_path):
    path = tmp_path / "own.yaml"
    path.write_text("""
simulation: {method: rk45, time_step: 0.01}
bodies:
- {name: floor, fixed: true, geometry: [{name: top, shape: half_space, compliance: rigid}]}
- {name: ball, mass: 0.1, geometry: [{name: skin, shape: sphere, radius: 0.05, modulus: 1.0e+5}], pose: {translation: [0, 0, 0.045]}}
""")
    options = isobar.ContactOptions(own_friction=lambda pair, speed: pair[1] * speed / (speed + pair[2]))
    world = isobar.load(path).create_world(contact=options)
    with isobar.Recorder(tmp_path / "own.mcap", world, scene_path=str(path)) as recorder:
        for _ in range(3):
            world.step()
            recorder.record()
    done = subprocess.run(["isobar", "replay", str(tmp_path / "own.mcap")], capture_output=True, text=True)
    assert done.returncode != 0
    assert "friction law is own, expected own_friction with a function" in done.stderr


BRUSH = """
simulation: {METHOD, time_step: 2.0e-3, friction_stiffness: 2000, brush_size: 0.01}
bodies:
- name: floor
  fixed: true
  geometry: [{name: top, shape: half_space, compliance: rigid, friction: 0.5}]
- name: puck
  mass: 0.2
  geometry: [{name: g, shape: cylinder, radius: 0.03, length: 0.02, compliance: compliant, modulus: 1.0e+6, friction: 0.5, resolution_hint: 0.015}]
  pose: {translation: [0, 0, 0.00999]}
  velocity: {angular: [0, 0, 4.0]}
sensors:
- {name: skin, type: tactile, body: floor, rows: 7, columns: 7, size: [0.07, 0.07]}
"""


@pytest.mark.parametrize("method", ["method: rk45, accuracy: 1.0e-5, friction_law: brush",
                                    "method: lagged, friction: brush",
                                    "method: midpoint, friction: brush",
                                    "method: lagged, accuracy: 1.0e-4, friction: brush"])
def test_the_brush_field_is_data(tmp_path, method):
    """Stretch and what slides, of each face: in Python, recorded, exported, and in the tactile sensor."""
    path = tmp_path / "puck.yaml"
    path.write_text(BRUSH.replace("METHOD", method))
    scene = isobar.load(path)
    world = scene.create_world()
    options = world.settings.contact
    assert "brush" in (options.friction_law, options.friction) and options.brush_size == 0.01
    sensors = scene.create_sensors(world)
    seen = []
    with isobar.Recorder(tmp_path / "run.mcap", world, frame_rate=0) as recorder:
        for _ in range(12):
            world.step()
            recorder.record()
            contact, = world.contacts
            seen.append((np.array(contact.stretches), np.array(contact.sliding)))
    force = np.linalg.norm(np.asarray(contact.tractions)[:, :2], axis=1) / np.asarray(contact.patch.pressures)
    assert np.all(force < 0.5001) and np.linalg.norm(seen[-1][0], axis=1).max() > 0.0
    assert any(sliding.max() > 0.5 for _, sliding in seen)
    sensors.update()
    states = sensors.states("skin")
    slides = np.asarray(contact.sliding) > 0.5
    assert states[3, 3] == (2 if slides.all() else states[3, 3]) and set(np.unique(states)) <= {0, 1, 2}
    assert states[0, 0] == 0 and (states > 0).sum() > 9
    arrays = isobar.Recording(tmp_path / "run.mcap").arrays()
    last = arrays["contacts/face_starts"][-2]
    assert np.array_equal(arrays["faces/stretches"][last:], seen[-1][0])
    assert np.array_equal(arrays["faces/sliding"][last:], seen[-1][1])
    isobar.Recording(tmp_path / "run.mcap").export_csv(tmp_path / "tables")
    head, *rows = (tmp_path / "tables" / "faces.csv").read_text().splitlines()
    assert head.endswith("stretch_x_m,stretch_y_m,stretch_z_m,sliding")
    assert float(rows[-1].split(",")[-1]) == seen[-1][1][-1]


@pytest.mark.parametrize("seed", range(8))
def test_what_slides_is_stretched_to_the_bound_and_more_only_as_its_load_falls(seed):
    """Springs keep their energy: under a load that falls by exp(-r h) a step they are at q / (1 - (1 - q) exp(r h / 2))
    of Coulomb's bound, where relaxation leaves 1 - q of what is beyond it."""
    random = np.random.default_rng(seed)
    method, rate = ("lagged", "rk45")[seed % 2], (0.0, 20.0)[seed // 2 % 2]
    step, time = 10 ** random.uniform(-3.5, -2.7), 10 ** random.uniform(-3.3, -2.3)
    stiffness, mu = 10 ** random.uniform(2.5, 3.5), random.uniform(0.2, 0.8)
    model = isobar.Model()
    model.add_body("zpuck", mass=1.0, inertia=(1e3,) * 3)  # it carries the field
    material = {"friction_static": mu, "friction_dynamic": mu}
    model.add_geometry("zpuck", isobar.box(0.1, 0.08, 0.04), material=isobar.Material(
        compliance="compliant", modulus=1e5, dissipation=2000.0, **material))
    model.add_geometry("world", isobar.half_space(), material=isobar.Material(compliance="rigid", **material))
    options = isobar.ContactOptions(friction="brush", friction_law="brush" if method == "rk45" else "viscous",
                                    friction_stiffness=stiffness, friction_damping_time=time, brush_size=0.03)
    world = isobar.World(model, method=method, time_step=step, accuracy=1e-5, gravity=(0, 0, 0), contact=options)
    world.set_free_body("zpuck", (0, 0, 0.0199), (0, 0, 0, 15.0, 0, 0))
    for i in range(int(0.12 / step)):
        world.apply_wrench("zpuck", (0, 0, 0, 0, 0, -100.0 * np.exp(-rate * (i + 1) * step)))
        world.step()
    contact, = world.contacts
    assert np.all(np.asarray(contact.sliding) > 0.99)
    beyond = np.linalg.norm(contact.stretches, axis=1).max() * stiffness / mu - 1.0
    left = time / (step + time) if method == "lagged" else np.exp(-step / time)
    grown = np.exp(rate * step / 2)
    expected = (1.0 - left) / (1.0 - left * grown) - 1.0
    assert abs(beyond - expected) <= 0.15 * expected + 1e-3, (method, step, time, rate, beyond, expected)


def test_other_laws_have_no_stretch():
    options = isobar.ContactOptions(friction_law="viscous")
    model = isobar.Model()
    model.add_body("ball", mass=0.5, inertia=(1e-3, 1e-3, 1e-3))
    model.add_geometry("ball", isobar.sphere(0.05), material=isobar.Material(compliance="compliant", modulus=1e6))
    model.add_geometry("world", isobar.half_space(), material=isobar.Material(compliance="rigid"))
    world = isobar.World(model, method="rk45", contact=options)
    world.set_free_body("ball", (0, 0, 0.0495))
    world.step()
    assert world.contacts[0].stretches is None and world.contacts[0].sliding is None


def pressed(friction, random, is_by_poses):
    """Forces of a box on a floor after a rigid plate came slowly down on it."""
    modulus, dissipation = 10 ** random.uniform(6.5, 9), float(random.choice([0, 10, 50]))
    step, way, count = float(random.choice([1e-3, 1e-2])), random.uniform(5e-5, 2e-4), 200
    rigid = isobar.Material(compliance="rigid")
    model = isobar.Model()
    model.add_body("box", mass=0.1, inertia=(2.7e-5,) * 3)
    model.add_geometry("box", isobar.box(0.04, 0.04, 0.04), material=isobar.Material(
        compliance="compliant", modulus=modulus, dissipation=dissipation))
    model.add_body("plate", mass=1.0)
    model.add_joint("hold", "weld", "world", "plate")
    model.add_geometry("plate", isobar.box(0.1, 0.1, 0.02), material=rigid)
    model.add_geometry("world", isobar.half_space(), material=rigid)
    world = isobar.World(model, time_step=step, contact=isobar.ContactOptions(friction=friction))
    world.set_free_body("box", (0, 0, 0.02 - 1e-7))
    top, speed = 0.05 + 1e-5, way / (count * step)
    world.set_prescribed("plate", (0, 0, top), (0, 0, 0, 0, 0, -speed))
    for i in range(count):
        if is_by_poses:
            world.set_prescribed("plate", (0, 0, top - way * i / count))
        world.step()
    return [float(abs(contact.wrench[5])) for contact in world.contacts]


@pytest.mark.parametrize("is_by_poses", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_what_sticks_bears_a_slow_press(seed, is_by_poses):
    sticking, regularised = (pressed(friction, np.random.default_rng(seed), is_by_poses)
                             for friction in ("stick", "regularized"))
    assert len(sticking) == 2 and min(regularised) > 1.0
    assert sticking == pytest.approx(regularised, rel=1e-6)


LINK = """<link name="{}"><inertial><mass value="1"/>
<inertia ixx=".01" iyy=".01" izz=".01" ixy="0" ixz="0" iyz="0"/></inertial>{}</link>"""
BOX = """<collision><origin rpy="0 {} 0"/><geometry><box size=".1 .1 .1"/></geometry></collision>"""
HINGE = """<joint name="{0}_joint" type="continuous"><parent link="a"/><child link="{0}"/>
<origin xyz="0 0 .2"/><axis xyz="0 1 0"/></joint>"""


@pytest.mark.parametrize("method", ["lagged", "midpoint"])
@pytest.mark.parametrize("angle", [1e-6, 1e-3, 0.02, 0.1, 0.3, 0.7])
def test_links_in_one_place_on_one_hinge_fall_as_any_body(tmp_path, method, angle):
    """They can turn about the middle of their patch alone: there its mobility is rounding."""
    path = tmp_path / "robot.urdf"
    links = LINK.format("a", "") + LINK.format("b", BOX.format(0)) + LINK.format("c", BOX.format(angle))
    path.write_text(f'<robot name="r">{links}{HINGE.format("b")}{HINGE.format("c")}</robot>')
    world = isobar.load(path).create_world(method=method)
    world.step(50)
    fallen = [world.body_twist(f"r::{link}")[5] for link in "abc"]
    assert np.mean(fallen) == pytest.approx(-9.81 * world.time, rel=1e-9)
