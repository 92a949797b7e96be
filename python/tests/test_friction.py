# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Friction laws from Python: by name, and one's own."""

import math

import isobar
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


def test_laws_that_drive_or_raise_are_errors(capfd):
    with pytest.raises(isobar.RangeError, match="expected finite and >= 0, and 0 at rest"):
        sliding(isobar.ContactOptions(own_friction=lambda _pair, _speed: 0.5))
    with pytest.raises(isobar.RangeError, match="gives nan"):
        sliding(isobar.ContactOptions(own_friction=lambda _pair, _speed: 1 / 0))
    assert "ZeroDivisionError" in capfd.readouterr().err
    with pytest.raises(ValueError, match="three_peice.*did you mean"):
        isobar.ContactOptions(friction_law="three_peice")
