# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Pads that spin on a floor: a warning wherever slip changes the normal force, and nowhere else.

Drawn: sizes, stiffness, friction, speed of spin and steps. The torque of even pressure is known
(docs/theory/contact.md). ISO_DRAWN="FIRST COUNT" looks at other seeds. Skipped where the shared
library is missing.
"""

import logging
import math
import os
import random
import sys
import unittest

try:
    import isobar
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

FIRST, COUNT = (int(x) for x in os.environ.get("ISO_DRAWN", "1 30").split())
WARNING = "slip moves pressure"  # of similar
LIFTED = "slip adds to the normal force"  # of sap
ARM = (math.sqrt(2) + math.log(1 + math.sqrt(2))) / 6  # mean, over the side of a square
G = 9.81
# The torque of a warned pad is off by more than this; that of another one by less than the second,
# which has the difference of torque per torque that the warning's bound allows, 0.05, and lag.
LEAST_OFF, MOST_OFF = 0.02, 0.07


def draw(seed):
    """Half side [m], modulus [Pa], friction, spin [rad/s], step [s] and mass [kg]."""
    r = random.Random(seed)
    half = 10 ** r.uniform(-2.3, -0.7)
    density = 10 ** r.uniform(2.3, 3.9)
    modulus = 10 ** r.uniform(5.5, 11)
    # Pads are at most 6e-4 of their size deep: walls that are pressed by friction do not count.
    modulus = max(modulus, density * G * 2 * half / 6e-4)
    return half, modulus, r.uniform(0.1, 0.8), r.uniform(0.5, 5), 10 ** r.uniform(-4, -2.7), density * 8 * half**3


def pad(seed, method, relaxation_time=0.1, **settings):
    """A world with a pad that spins, its expected angular deceleration and its spin."""
    half, modulus, mu, spin, step, mass = draw(seed)
    material = {"friction_static": mu, "friction_dynamic": mu, "relaxation_time": relaxation_time}
    model = isobar.Model()
    moment = mass * 8 * half**2 / 12
    model.add_body("pad", mass, [moment] * 3)
    soft = isobar.Material(compliance="compliant", modulus=modulus, dissipation=10, **material)
    model.add_geometry("pad", isobar.box(2 * half, 2 * half, 2 * half), "skin", material=soft)
    model.add_body("floor", 1, [1, 1, 1])
    model.add_joint("base", "weld", "world", "floor")
    model.add_geometry("floor", isobar.half_space(), "top", material=isobar.Material(compliance="rigid", **material))
    depth = mass * G / (4 * half**2 * modulus) * half
    model.set_free_pose("pad", isobar.Pose(translation=[0, 0, half - depth]))
    model.set_free_twist("pad", [0, 0, spin, 0, 0, 0])
    contact = isobar.ContactOptions(friction="regularized")
    world = isobar.World(model, time_step=step, gravity=[0, 0, -G], method=method, contact=contact, **settings)
    return world, mu * mass * G * ARM * 2 * half / moment, spin


def run(seed, method, **changes):
    """How far the torque is off, relative to even pressure; and what was warned of."""
    world, slowing, spin = pad(seed, method, **changes)
    first = int(0.2 * spin / slowing / world.settings.time_step)
    last = int(0.3 * spin / slowing / world.settings.time_step)
    if first < 8:
        return None  # too few steps before it stops
    world.step(min(first, 800))
    start = world.body_twist("pad")[2]
    last = min(last, 800)
    world.step(last)
    return abs((start - world.body_twist("pad")[2]) / (last * world.settings.time_step * slowing) - 1)


class Coupling(unittest.TestCase):
    """What was said, with numbers."""

    def setUp(self):
        self.messages = []
        test = self

        class Keep(logging.Handler):
            def emit(self, record):
                test.messages.append(record.getMessage())

        self.handler = Keep()
        logging.getLogger("isobar").addHandler(self.handler)
        self.addCleanup(logging.getLogger("isobar").removeHandler, self.handler)

    def warned(self, text):
        """Whether that was said since the last time."""
        found = any(text in m for m in self.messages)
        self.messages.clear()
        return found

    def test_similar(self):
        seen = {True: 0, False: 0}
        for seed in range(FIRST, FIRST + COUNT):
            off = run(seed, "similar")
            is_warned = self.warned(WARNING)
            if off is None:
                continue
            seen[is_warned] += 1
            with self.subTest(seed=seed, off=off, warned=is_warned):
                self.assertTrue(off > LEAST_OFF if is_warned else off < MOST_OFF)
        self.assertTrue(seen[True] and seen[False], seen)

    def test_lagged_and_tamsi_are_quiet(self):
        for seed in range(FIRST, FIRST + COUNT // 3):
            for method in ("lagged", "tamsi"):
                off = run(seed, method)
                with self.subTest(seed=seed, method=method, off=off):
                    self.assertFalse(self.warned("with method"))
                    self.assertTrue(off is None or off < LEAST_OFF)

    def test_sap_rides(self):
        """By relaxation time and slip: with materials' default all these do."""
        for seed in range(FIRST, FIRST + COUNT // 3):
            off = run(seed, "sap")
            is_warned = self.warned(LIFTED)
            with self.subTest(seed=seed, off=off):
                self.assertTrue(off is None or off < LEAST_OFF or is_warned)

    def test_sap_rides_under_error_control(self):
        """However short its substeps are, as long as the relaxation time is not."""
        for seed in range(FIRST, FIRST + COUNT // 3):
            for time in (0.1, 1e-7):
                off = run(seed, "sap", relaxation_time=time, error_control=True, accuracy=1e-2)
                is_warned = self.warned(LIFTED)
                with self.subTest(seed=seed, time=time, off=off):
                    self.assertTrue(off is None or (off < LEAST_OFF or is_warned if time > 1e-3 else not is_warned))


if __name__ == "__main__":
    unittest.main()
