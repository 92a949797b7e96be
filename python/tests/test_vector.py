# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Many worlds through arrays are the worlds that one steps one by one."""

import conftest
import numpy as np
import pytest

import isobar

SEED = 4711


def arm(mass=1.0):
    """Two links with motors over a floor that the lower one hits."""
    model = conftest.pendulum()
    model.add_geometry("world", isobar.half_space(), name="floor", x_bg=(0, 0, -1.95),
                       material=isobar.Material(compliance="rigid"))
    model.add_geometry("link2", isobar.sphere(0.1), name="tip", x_bg=(0, 0, -0.9),
                       material=isobar.Material(modulus=1e6, resolution_hint=0.06))
    model.bodies[2].mass = mass
    return isobar.World(model, time_step=2e-3)


def sensors():
    return [isobar.Sensor(name="imu", kind="imu", body="link2"),
            isobar.Sensor(name="touch", kind="contact", body="link2")]


def drawn(count):
    rng = np.random.default_rng(SEED)
    q, v = rng.uniform(-0.5, 0.5, (count, 2)), rng.uniform(-1, 1, (count, 2))
    actuations = rng.uniform(-5, 5, (3, count, 2, 3))
    return q, v, actuations, rng.integers(0, 2, count)


@pytest.mark.parametrize("threads", [1, 3])
def test_every_row_has_the_bits_of_a_world_stepped_alone(threads):
    count, variants = 7, [arm(), arm(mass=2.5)]
    q, v, actuations, kinds = drawn(count)
    worlds = isobar.WorldVector(variants, count, threads, sensors())
    worlds.reset(variants=kinds, q=q, v=v)
    for rows in actuations:
        worlds.step(100, rows)
    assert (worlds.variants == kinds).all() and not worlds.failed.any()
    forces = 0
    for i in range(count):
        alone = variants[kinds[i]].clone()
        alone.set_state(q[i], v[i])
        for rows in actuations:
            for a, row in enumerate(rows[i]):
                alone.set_actuation(a, *row)
            alone.step(100)
        np.testing.assert_array_equal(worlds.q[i], alone.get_state()[0])
        np.testing.assert_array_equal(worlds.v[i], alone.get_state()[1])
        assert worlds.times[i] == alone.time
        np.testing.assert_array_equal(worlds.body_twists[i], alone.body_twists)
        np.testing.assert_array_equal(worlds.body_poses[i][:, :3], alone.body_poses[:, :3, 3])
        np.testing.assert_array_equal(worlds.joint_efforts[i], alone.joint_efforts)
        read = isobar.Sensors(alone, sensors())
        read.update()
        for name in ("imu", "touch"):
            np.testing.assert_array_equal(worlds.sensor_values[i, worlds.sensor_columns(name)],
                                          read[name])
        total = sum((c.wrench[3:] * (1 if c.body_name_b == "link2" else -1) for c in alone.contacts),
                    np.zeros(3))
        np.testing.assert_array_equal(worlds.contact_forces[i, alone.body_index("link2")], total)
        forces += bool(alone.contacts)
    assert forces  # the floor was met somewhere


def test_a_reset_of_some_leaves_the_others_and_their_next_steps():
    count = 6
    q, v, actuations, kinds = drawn(count)
    variants = [arm(), arm(mass=2.5)]
    one, other = (isobar.WorldVector(variants, count) for _ in range(2))
    mask = np.array([True, False, True, False, False, True])
    for worlds in (one, other):
        worlds.reset(variants=kinds, q=q, v=v)
        worlds.step(50, actuations[0])
    one.reset(mask, variants=1 - kinds, q=q[::-1], v=v)
    np.testing.assert_array_equal(one.q[mask], q[::-1][mask])
    assert (one.times[mask] == 0).all() and (one.variants == np.where(mask, 1 - kinds, kinds)).all()
    for worlds in (one, other):
        worlds.step(50)
    np.testing.assert_array_equal(one.q[~mask], other.q[~mask])
    assert (one.q[mask] != other.q[mask]).any(axis=1).all()


def test_a_checkpoint_goes_on_with_the_same_bits():
    q, v, actuations, kinds = drawn(5)
    worlds = isobar.WorldVector([arm(), arm(mass=2.5)], 5)
    worlds.reset(variants=kinds, q=q, v=v)
    worlds.step(120, actuations[0])
    saved = worlds.save()
    worlds.step(80)
    after = worlds.q
    worlds.reset(variants=0)
    worlds.restore(saved)
    assert (worlds.variants == kinds).all()
    worlds.step(80)
    np.testing.assert_array_equal(worlds.q, after)


def test_what_is_wrong_is_named():
    with pytest.raises(isobar.ArgumentError, match="variant 1 is of another structure: its body count is 2"):
        isobar.WorldVector([arm(), isobar.World(conftest.soft_ball())], 2)
    with pytest.raises(isobar.NotFoundError, match="link9"):
        isobar.WorldVector([arm()], 1, sensors=[isobar.Sensor(name="x", kind="imu", body="link9")])
    worlds = isobar.WorldVector([arm()], 3)
    bad = np.zeros((3, 2, 3))
    bad[2, 1, 0] = np.nan
    with pytest.raises(isobar.RangeError, match="'motor2' in world 2 is"):
        worlds.step(1, bad)
    assert (worlds.times == 0).all()
    for count in (-1, 0, 10**9):
        with pytest.raises(isobar.RangeError, match=f"{count} worlds, expected in"):
            isobar.WorldVector([arm()], count)
    with pytest.raises(isobar.RangeError, match="world 0 is to be of variant 1, expected 0 to 0"):
        worlds.reset(variants=1)
    with pytest.raises(isobar.RangeError, match="world 1"):
        worlds.reset(q=[[0, 0], [0, np.nan], [0, 0]])
    with pytest.raises(KeyError):
        worlds.sensor_columns("touch")
    worlds.close()
    with pytest.raises(isobar.StaleError):
        worlds.step()


def test_a_world_that_cannot_step_stays_and_the_others_go_on():
    worlds = isobar.WorldVector([isobar.World(conftest.pendulum(), time_step=2e-3, method="rk45",
                                              max_substeps=3)], 3)
    q = np.array([[0.1, 0.1], [0.2, 0.3], [0.0, 0.0]])
    worlds.reset(q=q, v=[[0, 0], [3e3, -5e3], [0, 0]])
    worlds.step(2)
    assert worlds.failed.tolist() == [False, True, False]
    assert worlds.status(1) is isobar.NoConvergenceError and worlds.status(0) is None
    np.testing.assert_array_equal(worlds.times, [0.004, 0, 0.004])
    np.testing.assert_array_equal(worlds.q[1], q[1])
    worlds.reset([False, True, False])
    assert not worlds.failed.any()
