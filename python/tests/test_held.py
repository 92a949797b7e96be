# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Light bodies between soft pads, drawn: their swing dies out, and friction gives no energy.

The study `held` (tests/validate) asks more of more worlds."""

import numpy as np
import pytest

import isobar

RADIUS = 0.03


def gripper(rng):
    """Two soft pads, one or both on a slide with a constant effort, hold an upright body."""
    form = str(rng.choice(["cylinder", "cylinder", "capsule", "box"]))
    shape = {"cylinder": isobar.cylinder(RADIUS, 0.12), "capsule": isobar.capsule(RADIUS, 0.06),
             "box": isobar.box(2 * RADIUS, 2 * RADIUS, 0.12)}[form]
    mu, axes = rng.uniform(0.5, 1.2), np.array([0.01, 0.02, 0.02]) * rng.uniform(0.7, 1.5, 3)
    height, effort, damping = rng.choice([0.0, 0.01]), rng.uniform(10, 40), 10 ** rng.uniform(0.5, 1.7)
    depth = rng.uniform(0.05, 0.2) * axes[0]
    soft = isobar.Material(modulus=effort / (np.pi * depth**2), resolution_hint=rng.uniform(0.004, 0.008),
                           friction_static=mu, friction_dynamic=mu)
    model = isobar.Model()
    model.add_solid("held", shape, 10 ** rng.uniform(2.2, 3.0), material=isobar.Material(
        compliance="rigid", friction_static=mu, friction_dynamic=mu))
    model.set_free_pose("held", (0, 0, 0))
    jaws = ["left"] if rng.random() < 0.6 else ["left", "right"]
    for name, side in (("left", -1), ("right", 1)):
        model.add_body(name, 0.1, (1e-4,) * 3)
        model.add_geometry(name, isobar.ellipsoid(*axes), material=soft)
        place = (side * (RADIUS + axes[0] - 0.5 * depth), 0, height)
        if name in jaws:
            model.add_joint(f"{name}_slide", "prismatic", "world", name, axis=(-side, 0, 0), x_pf=place)
            model.add_actuator(name, f"{name}_slide", kd=damping)
        else:
            model.add_joint(name, "weld", "world", name, x_pf=place)
    world = isobar.World(model, time_step=10 ** rng.uniform(-3.0, -2.6))
    for name in jaws:
        world.set_actuation(name, effort)
    return world


def swing(world, steps):
    """The largest speed of the body in so many steps."""
    top = 0.0
    for _ in range(steps):
        world.step()
        twist = world.body_twist("held")
        top = max(top, np.linalg.norm(twist[3:]) + RADIUS * np.linalg.norm(twist[:3]))
    return top


@pytest.mark.parametrize("seed", range(4))
def test_the_swing_of_a_light_body_between_soft_pads_dies_out(seed):
    world = gripper(np.random.default_rng([41, seed]))
    few = round(0.1 / world.settings.time_step)
    world.step(6 * few)
    first, before = swing(world, few), world.energy()
    world.step(9 * few)
    last, after = swing(world, few), world.energy()
    assert last < max(0.8 * first, 1e-9)
    # What friction took less what its spring holds, but for the first order of the time step.
    gave = (before.friction - before.stretch) - (after.friction - after.stretch)
    assert gave < 3e-3 * after.elastic
