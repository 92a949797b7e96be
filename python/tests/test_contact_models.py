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
