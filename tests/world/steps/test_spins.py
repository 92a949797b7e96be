# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Balls that roll and spin about the normal of their contact, by methods of steps with error control.

Drawn: radii, masses, stiffness, damping, friction, spins, speeds and which body comes first. Each ends
where an integrator of high order takes it, in as many steps as one that does not spin. Contact is that
of points, as the law is one then. ISO_DRAWN="FIRST COUNT" looks at other seeds.
Skipped where the shared library is missing.
"""

import math
import os
import random
import sys
import tempfile
import unittest

try:
    import isobar
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

FIRST, COUNT = (int(x) for x in os.environ.get("ISO_DRAWN", "0 5").split())
METHODS = ("lagged", "midpoint", "tamsi")  # others take slip for approach, or damp it
PLACE, SPEED, SUBSTEPS = 3e-3, 1e-3, 12000  # measured: 1.3e-3 of the diameter, 4.4e-4 of the speed, 6699
SCENE = """
simulation: {{method: {method}, time_step: 0.05, accuracy: {accuracy}, contact_model: hertz}}
default_material: {{friction: {friction}, dissipation: {damping}}}
bodies:
- {{name: {floor}, fixed: true, geometry: [{{name: top, shape: half_space, compliance: rigid}}]}}
- {{name: ball, mass: {mass:.12f}, geometry: [{{name: g, shape: sphere, radius: {radius:.9f},
    compliance: rigid, young_modulus: {modulus:.1f}}}],
   pose: {{translation: [0, 0, {height:.9f}]}}, velocity: {{linear: {linear}, angular: {angular}}}}}
"""


def draw(seed):
    r = random.Random(seed)
    radius = 10 ** r.uniform(-2, -0.8)
    along = [r.uniform(-3, 3), r.uniform(-3, 3)]
    spin = r.choice((-1, 1)) * 10 ** r.uniform(0.5, 2.3)
    rolls = r.random() < 0.5
    return {
        "damping": r.choice((0, 0.2, 1, 5)),
        "friction": r.choice((0.2, 0.5, 1)),
        "floor": r.choice(("a_floor", "floor")),
        "mass": 10 ** r.uniform(2.5, 3.9) * 4 / 3 * math.pi * radius**3,
        "radius": radius,
        "modulus": 10 ** r.uniform(5.5, 7.5),
        "height": 0.999 * radius,
        "linear": along + [0],
        "angular": ([-along[1] / radius, along[0] / radius] if rolls else [0, 0]) + [spin],
    }


def run(scene, method, accuracy):
    """Where the ball is after 0.3 s, its twist, and the number of its substeps."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "scene.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(SCENE.format(method=method, accuracy=accuracy, **scene))
        world = isobar.load(path).create_world()
    count = 0
    while world.time < 0.3 - 1e-9:
        world.step()
        count += world.report().substep_count
    return list(world.body_pose("ball").translation), list(world.body_twist("ball")), count


def distance(a, b):
    """Along the floor."""
    return math.dist(a[:2], b[:2])


class Spins(unittest.TestCase):
    def test_balls_that_spin_roll_as_an_integrator_takes_them(self):
        for seed in range(FIRST, FIRST + COUNT):
            scene = draw(seed)
            place, twist, _ = run(scene, "radau", "1.0e-7")
            for method in METHODS:
                with self.subTest(seed=seed, method=method, scene=scene):
                    end, motion, count = run(scene, method, "1.0e-3")
                    speed = math.hypot(*scene["linear"])
                    self.assertLess(distance(end, place), PLACE * 2 * scene["radius"])
                    self.assertLess(distance(motion[3:], twist[3:]), SPEED * speed)
                    self.assertLess(distance(motion, twist) * scene["radius"], SPEED * speed)
                    self.assertLess(count, SUBSTEPS)


if __name__ == "__main__":
    unittest.main()
