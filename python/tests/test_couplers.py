# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Couplers with a curve, a flywheel that drives a slider by a polynomial, against the time that its
energy integral gives; and couplers that are switched while a world runs."""

import numpy as np
import pytest

import isobar

INERTIA, MASS = 0.3, 1.7


def slope(c, q):
    return c[1] + q * (2.0 * c[2] + q * (3.0 * c[3] + q * 4.0 * c[4]))


def place(c, q):
    return c[0] + q * (c[1] + q * (c[2] + q * (c[3] + q * c[4])))


def draw(seed):
    random = np.random.default_rng(seed)
    return np.array([random.uniform(-0.2, 0.2), *random.uniform(-0.4, 0.4, 4)])


def make(c, q, rate, time_step, method, is_off=False):
    model = isobar.Model()
    for name in ("wheel", "slider"):
        model.add_body(name, mass=MASS, inertia=np.diag([INERTIA] * 3))
    model.add_joint("turn", "revolute", isobar.WORLD_BODY, "wheel", axis=(0, 0, 1), position=q,
                    velocity=rate)
    model.add_joint("way", "prismatic", isobar.WORLD_BODY, "slider", axis=(1, 0, 0),
                    position=place(c, q), velocity=slope(c, q) * rate)
    model.add_coupler("cam", "turn", "way", ratio=c[1], offset=c[0], curve=c[2:], is_off=is_off)
    return isobar.World(model, time_step=time_step, method=method, gravity=(0, 0, 0))


def time_of(c, q0, q1, energy):
    """Gauss-Legendre: 2 E = (I + m f'^2) (dq/dt)^2."""
    x, w = np.polynomial.legendre.leggauss(60)
    q = 0.5 * (q0 + q1) + 0.5 * (q1 - q0) * x
    return 0.5 * (q1 - q0) * float(w @ np.sqrt((INERTIA + MASS * slope(c, q) ** 2) / (2.0 * energy)))


def positions(world):
    return np.array(world.get_state()[0])


def position(world, body):
    return positions(world)[world.coordinates(body).q_index]


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(("method", "step", "tolerance"),
                         [("rk4", 2e-3, 1e-7), ("radau", 2e-3, 1e-5), ("lagged", 5e-4, 1e-5)])  # 2.6e-8, 3.2e-6, 1.7e-6
def test_flywheel_with_a_cam_takes_the_time_of_its_energy_integral(seed, method, step, tolerance):
    c, q0 = draw(seed), 0.3
    world = make(c, q0, 1.5, step, method)
    energy = 0.5 * (INERTIA + MASS * slope(c, q0) ** 2) * 1.5 ** 2
    for _ in range(round(0.6 / step)):
        world.step()
    assert time_of(c, q0, position(world, "wheel"), energy) == pytest.approx(world.time, abs=tolerance)
    (cam,) = world.couplers
    assert abs(cam.residual) < tolerance
    assert cam.slope == pytest.approx(slope(c, position(world, "wheel")), abs=1e-12)


def test_coupler_that_is_off_does_nothing_until_it_is_switched_and_a_state_carries_it():
    c = draw(1)
    world = make(c, 0.3, 1.5, 1e-3, "lagged", is_off=True)
    for _ in range(20):
        world.step()
    (cam,) = world.couplers
    assert not cam.is_on and cam.effort == 0.0
    assert position(world, "wheel") == pytest.approx(0.3 + 1.5 * world.time, abs=1e-12)
    world.switch_coupler("cam", True)
    saved = world.save()
    other = world.clone()
    for _ in range(200):
        world.step()
        other.step()
    assert abs(world.couplers[0].residual) < 1e-4 and world.couplers[0].is_on
    assert np.array_equal(positions(world), positions(other))
    kept = positions(world)
    world.switch_coupler("cam", False)
    world.restore(saved)
    assert world.couplers[0].is_on
    for _ in range(200):
        world.step()
    assert np.array_equal(positions(world), kept)


def test_gap_that_is_too_wide_and_unknown_names_are_refused():
    world = make(np.array([0.0, 1.0, 0.5, 0.0, 0.0]), 0.0, 1.0, 1e-3, "lagged", is_off=True)
    world.set_state(positions(world) + np.array([0.0, 0.3]), None)
    with pytest.raises(isobar.RangeError, match="coupler 'cam' would close a gap of 0.3"):
        world.switch_coupler("cam", True)
    with pytest.raises(isobar.NotFoundError, match="did you mean 'cam'"):
        world.switch_coupler("cams", True)


SCENE = """
simulation: {time_step: 0.001, gravity: [0, 0, 0]}
bodies:
- {name: wheel, mass: 1, inertia: [0.3, 0.3, 0.3]}
- {name: slider, mass: 1, inertia: [0.3, 0.3, 0.3]}
- {name: arm, mass: 1, inertia: [0.3, 0.3, 0.3]}
joints:
- {name: turn, type: revolute, parent: world, child: wheel, axis: [0, 0, 1]}
- {name: way, type: prismatic, parent: world, child: slider, axis: [1, 0, 0]}
- {name: lift, type: revolute, parent: world, child: arm, axis: [0, 0, 1]}
couplers:
- {name: cam, joint_a: turn, joint_b: way, ratio: 0.1, curve: [0.5, 0, -0.2], active: false}
initial:
- {joint: turn, velocity: 2}
programs:
- name: main
  joints: [lift]
  kp: 100
  kd: 10
  steps:
  - {name: wait, duration: 0.01}
  - {name: hold, duration: 0.1, attach: cam}
"""


def test_program_attaches_a_coupler_of_a_file(tmp_path):
    path = tmp_path / "cam.yaml"
    path.write_text(SCENE, encoding="utf-8")
    scene = isobar.load(path)
    (coupler,) = scene.model.couplers
    assert coupler.is_off and coupler.curve.tolist() == [0.5, 0.0, -0.2]
    world = scene.create_world()
    seen = []
    for _ in range(60):
        world.step()
        seen.append(world.couplers[0].is_on)
    assert not any(seen[:9]) and all(seen[12:])
    assert abs(world.couplers[0].residual) < 1e-4
