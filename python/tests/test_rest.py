# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""What rests is not solved again, and nobody can tell: drawn heaps, disturbed now and then, beside clones.

A clone has found nothing at rest yet, so it solves every island. Both must agree to the bit, in states and in
what a step reports."""

import numpy as np
import pytest

import isobar

METHODS = {"lagged": ("stick", "regularized", "brush"), "sap": ("regularized",), "similar": ("regularized",)}
ROUNDS, STEPS, SETTLING = 12, 6, 1500


def material(rng, **kw):
    return isobar.Material(friction_static=(mu := rng.uniform(0.2, 0.9)) + 0.1, friction_dynamic=mu,
                           modulus=10 ** rng.uniform(5, 7), dissipation=rng.uniform(0.5, 3.0),
                           resolution_hint=0.05, **kw)


def draw_shape(rng):
    size = rng.uniform(0.04, 0.08)
    kind = rng.integers(4)
    if kind == 0:
        return isobar.sphere(size), size
    if kind == 1:
        return isobar.cylinder(size, 2 * size), size
    if kind == 2:
        return isobar.capsule(size, size), 1.5 * size
    return isobar.box(2 * size, 2 * size, 1.5 * size), 0.75 * size


def heap(rng):
    """A world with a floor, a shelf that may be moved, columns of bodies and a driven ram."""
    model = isobar.Model()
    model.add_geometry("world", isobar.half_space(), "floor", material=material(rng, compliance="rigid"))
    model.add_body("shelf")
    model.add_joint("hold", "weld", "world", "shelf", x_pf=(0, 1, 0.1))
    model.add_geometry("shelf", isobar.box(0.6, 0.4, 0.2), "top", material=material(rng),
                       surface_velocity=(rng.choice([0.0, 0.0, 0.2]), 0, 0))
    names = []
    for column in range(int(rng.integers(2, 5))):
        on_shelf = column % 2 == 1
        x, y, top = 0.4 * column, 1.0 if on_shelf else 0.0, 0.2 if on_shelf else 0.0
        x = 0.25 * (column - 2) if on_shelf else x
        for level in range(int(rng.integers(1, 4))):
            shape, half = draw_shape(rng)
            names.append(f"b{column}{level}")
            model.add_solid(names[-1], shape, 500.0, material=material(rng))
            model.set_free_pose(names[-1], isobar.Pose(None, (x, y, top + half)))
            top += 2 * half
    model.add_solid("ram", isobar.box(0.1, 0.1, 0.06), 500.0, material=material(rng))
    model.add_joint("slide", "prismatic", "world", "ram", axis=(1, 0, 0), x_pf=(-0.3, 0, 0.05))
    model.add_actuator("push", "slide", kp=0.0, kd=50.0)
    method = str(rng.choice(list(METHODS), p=(0.7, 0.15, 0.15)))
    friction = str(rng.choice(METHODS[method]))
    world = isobar.World(model, method=method, time_step=float(rng.choice([1e-3, 2e-3, 5e-3])),
                         thread_count=int(rng.integers(1, 3)), contact=isobar.ContactOptions(friction=friction))
    return world, names


def disturb(rng, names):
    """Something that happens to both worlds: once, and before every step."""
    kind = rng.integers(7)
    name = str(rng.choice(names))
    shelf = isobar.Pose(None, (0, 1, 0.1))
    if kind == 0:
        wrench = np.concatenate([np.zeros(3), rng.normal(0, 1, 3)]) * 10 ** rng.uniform(-6, 1)
        return None, lambda w: w.apply_wrench_for_one_step(name, wrench)
    if kind == 1:
        speed = rng.uniform(-0.5, 0.5)
        return lambda w: w.set_actuation("push", velocity=speed), None
    if kind == 2:
        twist = np.concatenate([np.zeros(3), rng.normal(0, 1, 3)]) * 10 ** rng.uniform(-12, -1)
        return lambda w: w.set_prescribed("shelf", shelf, twist), None
    if kind == 3:
        away = rng.normal(0, 1, 3) * rng.choice([1e-12, 1e-6, 1.0])
        return lambda w: w.set_prescribed("shelf", isobar.Pose(None, away + (0, 1, 0.1))), None
    if kind == 4:
        twist = np.concatenate([np.zeros(3), rng.normal(0, 1, 3)]) * 10 ** rng.uniform(-15, -2)
        return lambda w: w.set_free_body(name, w.body_pose(name), w.body_twist(name) + twist), None
    if kind == 5:
        return lambda w: w.set_free_body(name, w.body_pose(name), w.body_twist(name)), None
    return None, None


def values(world):
    """What a step leaves: state, report but for clocks, contacts, energies."""
    report = world.report()
    numbers = [getattr(report, key) for key in type(report).__annotations__
               if key not in ("_ctype", "stage_seconds")]
    faces = [np.array(getattr(contact, key)).tobytes() for contact in world.contacts
             for key in ("wrench", "tractions", "slip_velocities", "stretches", "sliding")]
    return world.save(), repr(numbers), faces, repr(world.energy())


@pytest.mark.parametrize("seed", range(6))
def test_what_rests_is_solved_alike(seed):
    rng = np.random.default_rng(seed)
    world, names = heap(rng)
    world.step(SETTLING)
    rest = world.save()
    for _ in range(ROUNDS):
        world.restore(rest)
        world.step(3)
        clone = world.clone()
        once, always = disturb(rng, names)
        for _ in range(STEPS):
            for act in (once, always):
                if act:
                    act(world)
                    act(clone)
            once = None
            world.step()
            clone.step()
            assert values(world) == values(clone)
