# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Drawn pairs of shapes, materials, states and methods: contact never pulls, friction stays in its
cone, all numbers are finite, and no pair takes long."""

import logging
import os
import time

import numpy as np
import pytest

import isobar

SHAPES = ["sphere", "capsule", "box", "cylinder", "ellipsoid"]
METHODS = ["lagged", "sap", "similar", "tamsi", "midpoint", "rk4", "rk45", "radau"]
# Friction of the normal force that a step begins with, point by point. Undamped, so that it is that of the state before.
LAGS = ("lagged", "midpoint")
COUNT = int(os.environ.get("ISOBAR_ATTACK_COUNT", "90"))
SEED = int(os.environ.get("ISOBAR_TEST_SEED", "0"))
SLOWEST = 20.0  # of processor time [s], two steps


def draw_shape(random, kinds):
    kind = str(random.choice(kinds))
    a, b, c = (float(x) for x in 10 ** random.uniform(-1.5, -0.7, size=3))
    return {"sphere": lambda: isobar.sphere(a), "capsule": lambda: isobar.capsule(a, 2 * b),
            "cylinder": lambda: isobar.cylinder(a, 2 * b), "box": lambda: isobar.box(2 * a, 2 * b, 2 * c),
            "ellipsoid": lambda: isobar.ellipsoid(a, b, c), "half_space": lambda: isobar.half_space()}[kind](), kind


def draw_rotation(random):
    if random.random() < 0.4:
        return np.eye(3)
    q = np.linalg.qr(random.normal(size=(3, 3)))[0]
    return q * np.sign(np.linalg.det(q))


def draw_material(random, mu, method):
    return isobar.Material(compliance=str(random.choice(["rigid", "compliant"])), modulus=float(10 ** random.uniform(5, 8)),
                           friction_static=mu, friction_dynamic=mu, dissipation=0.0 if method in LAGS else float(random.choice([0, 5, 50, 1000])),
                           resolution_hint=0.05, slab_thickness=0.1)


def touch(world, rotation, way):
    """The largest distance along a line at which they touch."""
    low, high = 0.0, 0.6
    for _ in range(14):
        middle = 0.5 * (low + high)
        world.set_free_body("b", isobar.Pose(rotation, middle * way))
        world.update_contacts()
        low, high = (middle, high) if world.contacts else (low, middle)
    return low


def draw_world(seed):
    random = np.random.default_rng(seed)
    model, mu = str(random.choice(["volumetric", "hertz"])), float(random.choice([0, 0.3, 1.0]))
    method = METHODS[seed % len(METHODS)]
    a, kind = draw_shape(random, SHAPES + ["half_space"])
    b, other = draw_shape(random, SHAPES)
    base, rotation = draw_rotation(random), draw_rotation(random)
    way = base[:, 2] if kind == "half_space" else random.normal(size=3)
    built = isobar.Model()
    built.add_geometry(0, a, name="a", material=draw_material(random, mu, method), x_bg=isobar.Pose(base, (0, 0, 0)))
    body = built.add_body("b", mass=1.0, inertia=(0.01, 0.01, 0.01))
    built.add_geometry(body, b, name="b", material=draw_material(random, mu, method))
    world = isobar.World(built, time_step=float(10 ** random.uniform(-4, -2.3)), method=method, gravity=(0, 0, 0),
                         contact=isobar.ContactOptions(model=model))
    way = way / np.linalg.norm(way)
    twist = np.concatenate([random.normal(size=3) * 10 ** random.uniform(-1, 1),
                            random.normal(size=3) * 10 ** random.uniform(-2, 0.5)])
    reach = touch(world, rotation, way) - 10 ** random.uniform(-4, -1.3)
    world.set_free_body("b", isobar.Pose(rotation, reach * way), twist)
    world.update_contacts()
    has_ends = model == "hertz" and "capsule" in (kind, other)
    return world, method, mu, has_ends


def steps(world, method):
    """False: too stiff for a continuous method at this step, which says so."""
    try:
        world.step()
    except (isobar.NoConvergenceError, isobar.NumericError):
        assert method.startswith("r"), method
        return False
    return True


def split(contact):
    force, normal = np.array(contact.wrench[3:]), np.array(contact.normal)
    return float(force @ normal), float(np.linalg.norm(force - force @ normal * normal))


@pytest.mark.parametrize("part", range(3))
def test_no_pair_pulls_or_rubs_beyond_its_cone(part):
    logging.getLogger("isobar").setLevel(logging.CRITICAL)
    pressed = 0
    for seed in range(SEED + part, SEED + COUNT, 3):
        begun = time.process_time()
        world, method, mu, has_ends = draw_world(seed)
        before = 0.0
        for step in range(3):
            contacts = [c for c in world.contacts if c.model != "pressure_field"]
            for contact in contacts:
                assert np.all(np.isfinite(contact.wrench)), (seed, step)
                along, across = split(contact)
                size = max(1.0, abs(along))
                assert along >= -1e-7 * size, (seed, step, along)
                limit = max(along, before) if method in LAGS else along
                # Points of a lying capsule have normals of their own: the sum is in no cone about their mean.
                assert has_ends or across <= mu * limit * (1.05 if method in LAGS else 1.001) + 1e-6 * size, (seed, step, method, across, mu * along, mu * before)
                pressed += along > 0.0
            world.update_contacts()
            before = max((split(c)[0] for c in world.contacts), default=0.0)
            if step < 2 and not steps(world, method):
                break
        assert time.process_time() - begun < SLOWEST, seed
    assert pressed > COUNT / 6
