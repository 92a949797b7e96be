# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Sweeps and derivatives of a step hold against closed forms and the chain rule.

A block slides under 40 drawn coefficients of friction, by `isobar sweep`: v = v0 - mu g t. Then balls that
roll between a floor and an arm, in 40 drawn states: two steps differentiate to the product of each.
"""

import csv
import os
import sys
import time

import numpy as np

import engine
import report

os.environ.setdefault("ISOBAR_LIBRARY", str(engine.BUILD / "release" / "lib" / "libisobar.so"))
sys.path.insert(0, str(engine.ROOT / "python"))

SEED, STATES = 11, 40
SLIDE = """
name: slide
simulation: {time_step: 1.0e-3, friction: regularized}
bodies:
- name: floor
  fixed: true
  geometry: [{name: top, shape: box, size: [4, 4, 0.2], compliance: rigid}]
  pose: {translation: [0, 0, -0.1]}
- name: block
  mass: 1.0
  geometry: [{name: skin, shape: box, size: [0.3, 0.3, 0.02], modulus: 1.0e6}]
  pose: {translation: [0, 0, 0.0099989]}
  velocity: {linear: [1, 0, 0]}
"""


def sweep(folder, workers):
    """Worst error of the speeds over mu g t, and how long it took [s]."""
    values = np.random.default_rng(SEED).uniform(0.05, 0.9, STATES)
    table = folder / f"table_{workers}.csv"
    table.with_suffix(".csv.journal").unlink(missing_ok=True)
    (folder / "slide.yaml").write_text(SLIDE)
    start = time.perf_counter()
    engine.command("sweep", folder / "slide.yaml", "--over", "friction=" + ",".join(map(repr, map(float, values))),
                   "--until", 0.1, "--measure", "speed(block)", "-o", table, "--quiet", "--workers",
                   workers, packages=False)
    seconds = time.perf_counter() - start
    with open(table, newline="", encoding="utf-8") as file:
        speeds = [float(row["speed(block)"]) for row in csv.DictReader(file)]
    lost = values * 9.81 * 0.1
    return float(np.max(np.abs(1 - lost - speeds) / lost)), seconds, table.read_bytes()


def rolling(isobar, rng):
    model = isobar.Model()
    rigid = isobar.Material(compliance="rigid")
    model.add_geometry("world", isobar.half_space(), name="ground", material=rigid)
    model.add_body("ball", mass=0.5, inertia=(5e-4, 5e-4, 5e-4))
    model.add_geometry("ball", isobar.sphere(0.05), material=isobar.Material(
        compliance="compliant", modulus=1e5, resolution_hint=0.02))
    model.add_body("link", mass=0.5, inertia=(5e-3, 5e-3, 5e-3), center_of_mass=(0.1, 0, 0))
    model.add_joint("hinge", "revolute", "world", "link", axis=(0, 1, 0), x_pf=(-0.2, 0, 0.115))
    model.add_actuator("motor", "hinge", kp=1.0, kd=0.1)
    model.add_geometry("link", isobar.box(0.5, 0.1, 0.02), x_bg=(0.1, 0, 0), material=rigid)
    world = isobar.World(model, time_step=2e-3, contact=isobar.ContactOptions(
        friction="regularized", stiction_velocity=0.5))
    world.set_free_body("ball", (0, 0, 0.0489),
                        (*rng.uniform(-2, 2, 3), *rng.uniform(-0.1, 0.1, 2), 0))
    world.set_joint("hinge", rng.uniform(0.05, 0.06), rng.uniform(-0.1, 0.1))
    world.set_actuation("motor", rng.uniform(0, 0.5), 0.1, 0.0)
    world.step(5)
    return world


def chain():
    """Errors of the product, of states without a kink, and how many had one."""
    import isobar

    rng, errors, kinks, steps = np.random.default_rng(SEED), [], 0, []
    for _ in range(STATES):
        world = rolling(isobar, rng)
        start = time.perf_counter()
        first = world.linearize()
        middle = time.perf_counter()
        both = world.linearize(step_count=2)
        clone = world.clone()
        before = time.perf_counter()
        clone.step(20)
        steps.append((middle - start) / ((time.perf_counter() - before) / 20))
        world.step()
        second = world.linearize()
        if not all(found.is_smooth(1e-6) for found in (first, both, second)):
            kinks += 1
            continue
        errors.append(np.abs(second.a @ first.a - both.a).max() / np.abs(both.a).max())
    return errors, kinks, float(np.median(steps))


def rows():
    folder = engine.scratch("learning")
    error, one, table = sweep(folder, 1)
    _, two, other = sweep(folder, 2)
    errors, kinks, cost = chain()
    return [
        # Measured 1.1e-4.
        report.bound("X11-sweep", "speed of 40 sliding blocks, error over mu g t", "v = v0 - mu g t", error, 5e-4),
        report.bound("X11-sweep", "bytes in which tables of 1 and 2 workers differ", "the same table",
                     float(table != other), 0.0),
        report.reported("X11-sweep", "time of 1 worker over that of 2", "40 short variants", one / two),
        # Measured 2.1e-9.
        report.bound("X12-linearize", f"chain rule, worst of {len(errors)} states", "A(2 steps) = A A",
                     max(errors), 1e-6),
        report.at_least("X12-linearize", "states without a kink", f"of {STATES}", len(errors), 35),
        report.reported("X12-linearize", "cost of all 17 columns [steps]", "6 to 18 steps a column", cost),
    ]
