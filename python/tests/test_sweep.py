# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Sweeps from Python: the function, and variants run one by one."""

import concurrent.futures
import pickle

import numpy as np
import pytest

import isobar

SCENE = """
name: drop
simulation: {time_step: 2.0e-3}
bodies:
- name: floor
  fixed: true
  geometry: [{name: top, shape: box, size: [1, 1, 0.2], compliance: rigid, friction: 0.3}]
  pose: {translation: [0, 0, -0.1]}
- name: ball
  mass: 0.3
  geometry: [{name: skin, shape: sphere, radius: 0.05, modulus: 1.0e5, resolution_hint: 0.03, friction: 0.5}]
  pose: {translation: [0, 0, 0.06]}
"""
MEASURES = ["min_z(ball)", "max_force(ball)", "max_pressure(ball|floor)"]


@pytest.fixture
def scene(tmp_path):
    path = tmp_path / "drop.yaml"
    path.write_text(SCENE)
    return path


def test_a_sweep_gives_the_numbers_of_its_variants_run_one_by_one(scene, tmp_path):
    over = {"modulus": np.array([1e5, 3e5]), "mass(ball)": [0.1, 0.2, 0.4]}
    table = isobar.sweep(scene, over, MEASURES, tmp_path / "table.csv", until=0.1)
    one = isobar.Sweep(scene, over, MEASURES, until=0.1)
    assert len(table) == len(one) == 6 and table.computed == 6
    assert table.axes == one.axes == ["modulus", "mass(ball)"] and table.measures == one.measures
    assert one.values(1) == ["0.1", "0.2", "0.4"]
    np.testing.assert_array_equal(table["mass(ball)"], np.tile([0.1, 0.2, 0.4], 2))
    for i in range(6):
        np.testing.assert_array_equal(one.run(i), [table[name][i] for name in MEASURES])
        assert float(one.variant(i)["modulus"]) == table["modulus"][i]
    # Heavier falls deeper, stiffer less deep.
    depth = 0.05 - table["min_z(ball)"].reshape(2, 3)
    assert (np.diff(depth, axis=1) > 0).all() and (depth[1] < depth[0]).all()
    again = isobar.sweep(scene, over, MEASURES, tmp_path / "table.csv", until=0.1)
    assert again.computed == 0
    np.testing.assert_array_equal(dict(again)["min_z(ball)"], table["min_z(ball)"])


def test_variants_are_shared_out_over_threads_and_pickled(scene):
    variants = isobar.Sweep(scene, {"friction": "0:1:4"}, MEASURES, until=0.05)
    other = pickle.loads(pickle.dumps(variants))
    assert other.hash == variants.hash and repr(other) == "<Sweep of 4 variants over friction>"
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        found = list(pool.map(variants.run, range(4)))
    np.testing.assert_array_equal(found, [other.run(i) for i in range(4)])


def test_the_friction_of_a_contact_is_what_both_surfaces_combine_to(scene):
    low, high = 0.3, 0.7
    loaded = isobar.load(scene, settings={"bodies.ball.geometry.skin.friction": high})
    world = loaded.create_world()
    world.step(60)
    assert world.contact_friction(0) == pytest.approx(2 * low * high / (low + high), rel=1e-15)
    with pytest.raises(IndexError):
        world.contact_friction(len(world.contacts))


def test_what_is_wrong_is_named(scene, tmp_path):
    with pytest.raises(isobar.Error, match="did you mean 'ball'"):
        isobar.sweep(scene, {"friction": [1]}, ["z(bal)"], tmp_path / "table.csv")
    with pytest.raises(isobar.NotFoundError, match="changes nothing"):
        isobar.Sweep(scene, {"modulus(floor)": [1e5]}, ["z(ball)"])
    variants = isobar.Sweep(scene, {"friction": [1]}, ["z(ball)"])
    with pytest.raises(isobar.RangeError, match="variant 1, expected 0 to 0"):
        variants.run(1)
    with pytest.raises(IndexError):
        variants.variant(-1)
