# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Drawn pairs of points and volumes, two free bodies of 1 mm to 1 m: the same in other units, powers of two, bit for bit
but for rounding; momentum stays, and no method at the velocity level gains energy."""

import logging

import numpy as np
import pytest

import isobar

SHAPES = {"hertz": (["sphere", "capsule", "box", "cylinder"], ["sphere", "capsule"]),
          "volumetric": (["sphere", "capsule", "box", "cylinder", "ellipsoid"],) * 2}
METHODS = ["lagged", "midpoint", "similar", "tamsi"]
UNITS = (2.0**7, 2.0**-9, 2.0**3)  # of length, mass and time


def make_shape(kind, sizes):
    a, b, c = (float(x) for x in sizes)
    return {"sphere": lambda: isobar.sphere(a), "capsule": lambda: isobar.capsule(a, 2 * b),
            "cylinder": lambda: isobar.cylinder(a, 2 * b), "box": lambda: isobar.box(2 * a, 2 * b, 2 * c),
            "ellipsoid": lambda: isobar.ellipsoid(a, b, c)}[kind]()


def make_world(seed, units=(1.0, 1.0, 1.0), gap=None):
    """The world, how far apart the bodies start in units of length, and their masses."""
    length, mass, time = units
    random = np.random.default_rng(seed)
    model, size = ["hertz", "volumetric"][seed % 2], 10 ** random.uniform(-3, 0)
    mu, options = float(random.choice([0, 0.3, 1])), isobar.ContactOptions(model=model)
    options.stiction_velocity *= length / time
    options.rigid_layer_thickness = size * length
    built = isobar.Model()
    for name, kinds in zip("ab", SHAPES[model]):
        material = isobar.Material(compliance="compliant", modulus=10 ** random.uniform(4, 7) * mass / (length * time**2), friction_static=mu,
                                   friction_dynamic=mu, dissipation=float(random.choice([0, 1, 20])) * time / length, margin=0.0,
                                   resolution_hint=0.3 * size * length)
        own = 1000 * size**3 * 10 ** random.uniform(-0.3, 0.3)
        body = built.add_body(name, mass=own * mass, inertia=own * size**2 * random.uniform(0.3, 0.5, size=3) * mass * length**2)
        sizes = size * 10 ** random.uniform(-0.3, 0.3, size=3) * length
        built.add_geometry(body, make_shape(str(random.choice(kinds)), sizes), name="g" + name, material=material)
    world = isobar.World(built, time_step=float(10 ** random.uniform(-5, -3)) * time, method=METHODS[seed // 2 % 4], gravity=(0, 0, 0), contact=options)
    way = random.normal(size=3)
    way /= np.linalg.norm(way)
    turn = np.linalg.qr(random.normal(size=(3, 3)))[0]
    turn *= np.sign(np.linalg.det(turn))
    twist = np.concatenate([random.normal(size=3) / time, (0.1 * random.normal(size=3) - 0.3 * way) * length / time])
    low, high = 0.0, 4 * size
    for _ in range(20 if gap is None else 0):
        middle = 0.5 * (low + high)
        world.set_free_body("b", isobar.Pose(turn, middle * way))
        world.update_contacts()
        low, high = (middle, high) if world.contacts else (low, middle)
    gap = low - 0.01 * size if gap is None else gap
    world.set_free_body("b", isobar.Pose(turn, gap * length * way), twist)
    world.update_contacts()
    return world, gap


def energy(world):
    world.update_contacts()
    now = world.energy()
    return now.kinetic + now.elastic + now.stretch


def momentum(world):
    return sum(world.body_mass(name) * world.body_twist(name)[3:] for name in "ab")


@pytest.mark.parametrize("part", range(2))
def test_other_units_change_nothing(part):
    logging.getLogger("isobar").setLevel(logging.CRITICAL)
    touched = 0
    length, mass, time = UNITS
    for seed in range(part, 48, 2):
        world, gap = make_world(seed)
        other, _ = make_world(seed, UNITS, gap)
        start, before = energy(world), momentum(world)
        assert len(world.contacts) == len(other.contacts), seed
        touched += len(world.contacts)
        for contact, same in zip(world.contacts, other.contacts):
            force = np.array(contact.wrench[3:])
            assert np.allclose(np.array(same.wrench[3:]) * time**2 / (mass * length), force, rtol=0, atol=1e-8 * np.linalg.norm(force)), seed
        for _ in range(6):
            world.step()
            other.step()
            assert energy(world) <= 1.02 * start, (seed, energy(world) / start)
        twist, same = world.body_twist("b"), other.body_twist("b") * time
        same[3:] /= length
        assert np.allclose(same, twist, rtol=0, atol=1e-6 * np.linalg.norm(twist)), (seed, same - twist)
        assert np.linalg.norm(momentum(world) - before) <= 1e-10 * np.linalg.norm(before), seed
    assert touched >= 20
