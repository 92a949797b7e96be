# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Contact models by name in scenarios: what sensors, recordings and states make of contacts that
have no faces."""

import numpy as np
import pytest

import isobar

SCENE = """
simulation: {{time_step: 1.0e-3, method: {method}}}
default_material: {{friction: 0.5, dissipation: 20, model: {model}}}
bodies:
- name: world
  geometry: [{{name: floor, shape: half_space, compliance: rigid}}]
- name: ball
  mass: {mass}
  geometry: [{{name: skin, shape: sphere, radius: 0.05, compliance: compliant, modulus: 1.0e+6}}]
  pose: {{translation: [0.01, 0.02, 0.05]}}
"""


def make(tmp_path, model, method, mass):
    path = tmp_path / "scene.yaml"
    path.write_text(SCENE.format(model=model, method=method, mass=mass))
    return isobar.load(path).create_world()


@pytest.mark.parametrize("model", ["hertz", "volumetric", "pressure_field"])
@pytest.mark.parametrize("seed", range(3))
def test_sensors_feel_the_weight_whatever_the_model(tmp_path, model, seed):
    random = np.random.default_rng(seed)
    mass = float(random.uniform(0.2, 3.0))
    method = ["lagged", "midpoint", "tamsi"][seed]
    world = make(tmp_path, model, method, mass)
    world.step(1500)
    contact = world.contacts[0]
    assert contact.model == model
    assert (contact.patch.face_count == 0) == (model != "pressure_field")
    assert np.allclose(np.abs(contact.normal), [0, 0, 1], atol=1e-6)
    weight = mass * 9.81
    assert abs(contact.wrench[5]) == pytest.approx(weight, rel=1e-6)
    sensors = isobar.Sensors(world, [
        isobar.Sensor(name="load", kind="contact", body="ball"),
        isobar.Sensor(name="skin", kind="tactile", body="world", rows=4, columns=4, width=0.2,
                      height=0.2, reach=0.05)])
    sensors.update()
    load, skin = np.asarray(sensors["load"]), np.asarray(sensors["skin"])
    assert load[2] == pytest.approx(weight, rel=1e-5)
    assert load[7] * load[6] == pytest.approx(weight, rel=1e-5)  # mean pressure times area
    assert skin[2] == pytest.approx(-weight, rel=1e-5)  # all of it on the cells
    state = world.save()
    world.step()
    after = world.contacts[0].wrench[5]
    world.restore(state)
    world.step()
    assert world.contacts[0].wrench[5] == after


def test_two_models_for_one_pair_are_refused(tmp_path):
    path = tmp_path / "two.yaml"
    text = SCENE.format(model="hertz", method="lagged", mass=1.0)
    path.write_text(text.replace("modulus: 1.0e+6}", "modulus: 1.0e+6, model: volumetric}"))
    with pytest.raises(isobar.Error, match="asks for contact model"):
        isobar.load(path).create_world()


DROP = """
simulation: {{time_step: 1.0e-2, gravity: [0, 0, -9.81], accuracy: {accuracy}, method: {method}, contact_model: {model}}}
default_material: {{friction: 0, dissipation: 0, margin: 0}}
bodies:
- name: world
  geometry: [{{name: floor, shape: half_space, compliance: rigid}}]
- name: ball
  mass: 0.1
  geometry: [{{name: skin, shape: sphere, radius: 0.05, compliance: compliant, modulus: 1.0e+9}}]
  pose: {{translation: [0, 0, {height}]}}
  velocity: {{linear: [0, 0, -3]}}
"""


@pytest.mark.parametrize("model", ["hertz", "volumetric", "pressure_field"])
@pytest.mark.parametrize("seed", range(4))
def test_error_control_sees_contacts_that_begin_whatever_the_model(tmp_path, model, seed):
    random = np.random.default_rng(seed)
    path = tmp_path / "drop.yaml"
    path.write_text(DROP.format(model=model, accuracy=1e-3, height=random.uniform(0.5, 0.7),
                                method=["lagged", "midpoint"][seed % 2]))
    world = isobar.load(path).create_world()
    start = world.energy().kinetic + world.energy().potential
    world.step(40)
    energy = world.energy()
    now = energy.kinetic + energy.potential + energy.elastic
    assert now == pytest.approx(start, rel=0.02)  # measured 0.004


def test_round_shapes_touch_where_they_are_and_not_where_their_meshes_are(tmp_path):
    path = tmp_path / "roll.yaml"
    path.write_text("""
simulation: {time_step: 1.0e-3, contact_model: hertz}
default_material: {friction: 0.5, dissipation: 20}
bodies:
- name: world
  geometry:
  - {name: log, shape: cylinder, radius: 0.3, length: 1, compliance: rigid,
     pose: {translation: [0, 0, -0.3], rotation: !Rpy {deg: [90, 0, 0]}}}
- name: ball
  mass: 0.5
  geometry: [{name: skin, shape: sphere, radius: 0.05, compliance: compliant, modulus: 1.0e+7}]
  pose: {translation: [0, 0, 0.05]}
""")
    world = isobar.load(path).create_world()
    world.step(300)
    assert len(world.contacts) == 1
    assert abs(world.body_twist("ball")[5]) < 1e-6


BRISTLES = """
simulation: {{time_step: 2.0e-3, method: {method}, gravity: [{pull}, 0, -9.81]}}
default_material: {{model: {model}, dissipation: 20, friction: {friction}}}
bodies:
- name: world
  geometry: [{{name: floor, shape: half_space, compliance: rigid}}]
- name: box
  mass: 1.0
  geometry:
  - {{name: skin, shape: {shape}, compliance: compliant, modulus: 1.0e+6, pose: {{translation: [0, 0, 0.05]}}}}
"""


def bristles(tmp_path, friction, model="volumetric", method="rk45", pull=0.0,
             shape="box, size: [0.1, 0.1, 0.1]"):
    path = tmp_path / "scene.yaml"
    path.write_text(BRISTLES.format(friction=friction, model=model, method=method, pull=pull,
                                    shape=shape))
    return isobar.load(path)


@pytest.mark.parametrize("seed", range(3))
def test_bristles_of_a_scene_bend_as_far_as_they_must(tmp_path, seed):
    random = np.random.default_rng(seed)
    stiffness, pull = 10.0 ** random.uniform(2.0, 4.0), random.uniform(0.5, 2.0)
    friction = f"{{bristle: {{sigma0: {stiffness:.9e}, static: 0.6, dynamic: 0.5, stribeck_speed: 1}}}}"
    world = bristles(tmp_path, friction, pull=pull).create_world()
    world.step(1500)
    assert world.body_pose("box").translation[0] == pytest.approx(pull / 9.81 / stiffness, rel=3e-3)
    again = bristles(tmp_path, friction, pull=pull).create_world()
    again.restore(world.save())
    world.step(20)
    again.step(20)
    assert world.save() == again.save()


@pytest.mark.parametrize("method", ["rk45", "rk23", "radau", "cvode"])
def test_a_ball_on_bristles_that_hits_the_floor_comes_to_roll(tmp_path, method):
    friction = "{bristle: {sigma0: 1.0e+4, dwell_time: 0.2}}"
    world = bristles(tmp_path, friction, model="hertz", method=method, shape="sphere, radius: 0.05").create_world()
    random = np.random.default_rng(2)
    place = isobar.Pose(translation=[0.3, -0.2, random.uniform(0.001, 0.01)])
    world.set_free_body("box", place, [0, 0, 0, random.uniform(0.2, 0.5), 0.1, -random.uniform(0.5, 1)])
    world.step(400)
    twist, (contact,) = world.body_twist("box"), world.contacts
    arm = contact.patch.center_of_pressure - world.body_pose("box").translation
    slip = twist[3:] + np.cross(twist[:3], arm)
    assert np.linalg.norm(twist[:3]) > 1
    assert np.linalg.norm(slip[:2]) < 1e-4


@pytest.mark.parametrize("friction, model, words", [
    ("{bristle: {sigma1: 3}}", "hertz", ["sigma0"]),
    ("{bristle: {sigma0: -1}}", "hertz", ["sigma0", "-1"]),
    ("{bristle: {sigma0: 1, dwell: 2}}", "hertz", ["dwell"]),
    ("{bristle: {sigma0: 1, static: 0.1, dynamic: 0.2}}", "hertz", ["0.1", "0.2"]),
    ("{bristle: {sigma0: 1}, learned: x.json}", "hertz", ["learned"]),
    ("{bristle: {sigma0: 1}}", "pressure_field", ["bristle", "hertz or volumetric"]),
])
def test_bristles_that_cannot_be_are_refused(tmp_path, friction, model, words):
    with pytest.raises(isobar.Error) as caught:
        bristles(tmp_path, friction, model=model, shape="sphere, radius: 0.05").create_world()
    for word in words:
        assert word in str(caught.value)


def test_the_velocity_level_says_what_it_has_of_bristles(tmp_path, caplog):
    bristles(tmp_path, "{bristle: {sigma0: 1.0e+4}}", model="hertz", method="lagged",
             shape="sphere, radius: 0.05").create_world()
    assert "stiffness and damping alone of the bristle friction" in caplog.text


IMPACT = """
simulation: {{time_step: 1.0e-3, method: {method}, accuracy: 1.0e-8, gravity: [0, 0, 0]}}
default_material: {{model: {model}, restitution: {base}, restitution_speed: 0, restitution_slope: {slope}}}
bodies:
- name: world
  geometry: [{{name: floor, shape: half_space, compliance: rigid}}]
- name: ball
  mass: 1.0
  geometry: [{{name: skin, shape: sphere, radius: 0.05, compliance: compliant, modulus: 1.0e+6}}]
  pose: {{translation: [0, 0, {height}]}}
"""


def test_the_velocity_level_says_at_which_speed_restitution_holds(tmp_path, caplog):
    path = tmp_path / "scene.yaml"
    path.write_text(IMPACT.format(method="lagged", model="hertz", base=0.5, slope=0, height=0.05))
    isobar.load(path).create_world()
    assert "at 1 m/s, not at the speed of each impact" in caplog.text


@pytest.mark.parametrize("model", ["hertz", "volumetric"])
@pytest.mark.parametrize("seed", range(3))
def test_restitution_holds_at_the_speed_of_each_impact(tmp_path, model, seed):
    random = np.random.default_rng(seed)
    base, slope = random.uniform(0.5, 0.95), seed * random.uniform(0.0, 0.1)
    path = tmp_path / "scene.yaml"
    path.write_text(IMPACT.format(method=["rk45", "rk23", "radau"][seed], model=model, base=base,
                                  slope=slope, height=0.05 + random.uniform(1e-6, 1e-2)))
    for speed in random.uniform(0.05, 3.0, 3):
        world = isobar.load(path).create_world()
        world.set_free_body("ball", world.body_pose("ball"), [0, 0, 0, 0, 0, -speed])
        while world.body_twist("ball")[5] < 0 or world.body_pose("ball").translation[2] < 0.05:
            world.step()
        assert world.body_twist("ball")[5] / speed == pytest.approx(base - slope * speed, rel=1e-3)


def test_settings_say_where_the_model_is():
    with pytest.raises(AttributeError, match=r"contact\.model"):
        isobar.WorldSettings(contact_model="hertz")
    with pytest.raises(AttributeError, match="thread_count"):
        isobar.WorldSettings(threads=2)
    settings = isobar.WorldSettings(contact=isobar.ContactOptions(model="hertz"))
    assert settings.contact.model == "hertz"


@pytest.mark.parametrize("shift, is_said", [(0.05, True), (0.1, False)])
def test_cells_that_overlap_are_said(tmp_path, caplog, shift, is_said):
    cell = "shape: box, size: [0.1, 0.1, 0.1], compliance: compliant"
    text = SCENE.format(model="volumetric", method="lagged", mass=1.0)
    head = text[:text.index("  geometry: [{name: skin")]
    path = tmp_path / "cells.yaml"
    path.write_text(head + f"  geometry: [{{name: c1, {cell}}}, {{name: c2, {cell}, pose: "
                    f"{{translation: [{shift}, 0, 0]}}}}]\n")
    with caplog.at_level("INFO"):
        isobar.load(path).create_world()
    assert ("overlap by 50 % of the smaller one" in caplog.text) == is_said
    assert ("cells 'c1' and 'c2' of 'ball'" in caplog.text) == is_said


def test_a_volume_that_nearly_swallows_a_body_is_said(tmp_path, caplog):
    text = SCENE.format(model="volumetric", method="lagged", mass=1.0)
    path = tmp_path / "deep.yaml"
    path.write_text(text.replace("[0.01, 0.02, 0.05]", "[0.01, 0.02, 0.008]"))
    world = isobar.load(path).create_world()
    world.update_contacts()
    contact = world.contacts[0]
    depth, radius = 0.042, 0.05
    volume = np.pi * depth**2 * (radius - depth / 3)
    area = np.pi * depth * (2 * radius - depth)
    extent = max(contact.extent_a, contact.extent_b)
    assert extent == pytest.approx(2 * volume / area / radius, rel=1e-9)
    world.step()
    assert "near 100 % bodies pass through each other" in caplog.text


@pytest.mark.parametrize("seed", range(4))
def test_the_softer_of_two_elastic_bodies_damps_a_hertz_impact(tmp_path, seed):
    """Young's moduli weigh dissipations, not the moduli of pressure fields; a rigid geometry with one is elastic."""
    random = np.random.default_rng(seed)
    dissipation, speed = random.uniform(0.2, 3), random.uniform(0.3, 1)
    compliance = ["rigid", "compliant"][seed % 2]
    path = tmp_path / "scene.yaml"
    path.write_text(f"""
simulation: {{time_step: 1.0e-4, method: rk45, accuracy: 1.0e-8, gravity: [0, 0, 0], contact_model: hertz}}
bodies:
- name: world
  geometry: [{{name: floor, shape: half_space, compliance: {compliance}, young_modulus: 1.0e+14, slab_thickness: 0.1, dissipation: 50}}]
- name: ball
  mass: 1
  geometry: [{{name: skin, shape: sphere, radius: 0.05, young_modulus: 1.0e+6, dissipation: {dissipation}}}]
  pose: {{translation: [0, 0, 0.0501]}}
  velocity: {{linear: [0, 0, {-speed}]}}
""")
    world = isobar.load(path).create_world()
    world.step(2000)
    expected = isobar.damping_restitution(dissipation * speed)
    assert world.body_twist("ball")[5] / speed == pytest.approx(expected, rel=1e-3)


def disc_friction(slip, pressure):
    """Force over that of sliding and torque over that and the radius, of a disc that slides and spins at 1 rad/s."""
    r, turn = np.meshgrid(np.sqrt((np.arange(200) + 0.5) / 200), (np.arange(200) + 0.5) * np.pi / 100)
    x, y, p = r * np.cos(turn), r * np.sin(turn), pressure(r) / np.sum(pressure(r))
    along, speed = slip - y, np.hypot(slip - y, x)
    return np.sum(p * along / speed), np.sum(p * (x * x - y * along) / speed)


@pytest.mark.parametrize("seed", range(12))
def test_volumes_that_slide_and_spin_rub_nearly_as_discs(tmp_path, seed):
    """By the integral of Coulomb's law over the plate; a ball presses as 1 - r^2, an upright cylinder evenly."""
    random = np.random.default_rng(seed)
    method, is_ball = ["lagged", "similar", "tamsi"][seed % 3], seed % 2 == 0
    shape, pressure = ("sphere", lambda r: 1 - r**2) if is_ball else ("cylinder, length: 0.1", np.ones_like)
    depth = 10 ** random.uniform(-5, -4)
    radius = np.sqrt(0.1 * depth) if is_ball else 0.05
    slip, spin, turn = random.uniform(0.2, 1.5), random.uniform(5, 50), random.uniform(0, 2 * np.pi)
    path = tmp_path / "disc.yaml"
    path.write_text(f"""
simulation: {{time_step: 1.0e-6, method: {method}, gravity: [0, 0, 0], stiction_velocity: 1.0e-7, friction: regularized}}
default_material: {{friction: 0.3, dissipation: 0, model: volumetric, modulus: 1.0e+6}}
bodies:
- {{name: world, geometry: [{{name: floor, shape: half_space, compliance: rigid}}]}}
- {{name: disc, mass: 100, inertia: [1, 1, 1], geometry: [{{name: skin, shape: {shape}, radius: 0.05, compliance: compliant}}]}}
""")
    world = isobar.load(path).create_world()
    way = np.array([np.cos(turn), np.sin(turn), 0])
    world.set_free_body("disc", isobar.Pose(translation=[0, 0, 0.05 - depth]), [0, 0, spin, *(slip * spin * radius * way)])
    world.step()
    moment, force = world.contacts[0].wrench[:3], world.contacts[0].wrench[3:]
    pressed = 0.3 * abs(force[2])
    expected = disc_friction(slip, pressure)
    assert abs(force @ way) / pressed == pytest.approx(expected[0], abs=0.1)  # 0.08; 0.3 with points on the line of slip
    assert abs(moment[2]) / pressed / radius == pytest.approx(expected[1], abs=0.07)  # 0.05; 0.14
