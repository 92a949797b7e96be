# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Friction laws from Python: by name, and one's own."""

import math
import subprocess

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
