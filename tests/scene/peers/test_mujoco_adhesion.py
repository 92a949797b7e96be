# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""What an MJCF file's adhesion holds under a plate hangs with the force that MuJoCo finds, and what
it does not hold falls in both: drawn balls, densities, gains and controls.

Skipped where mujoco or the shared library are missing.
"""

import pathlib
import sys
import tempfile
import unittest

try:
    import mujoco
    import numpy as np

    import isobar
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

ROUNDS = 8
GRAVITY = 9.81


def write(random, share):
    """A ball under a plate, which pulls by a share of its weight."""
    radius, density = random.uniform(0.02, 0.06), random.uniform(300, 3000)
    weight = density * 4 / 3 * np.pi * radius**3 * GRAVITY
    gain, control = random.uniform(1, 5), random.uniform(0.5, 2)
    gain *= share * weight / (gain * control)
    owner = random.choice(["ball", "plate"])
    return weight, gain * control, f"""
<mujoco model="m"><option timestep="0.001"/>
<worldbody><body name="plate"><geom name="plate" type="box" size="0.3 0.3 0.05" pos="0 0 0.05"/>
</body><body name="ball" pos="0 0 {-radius + 1e-4:.9f}"><freejoint/>
<geom name="ball" type="sphere" size="{radius:.9f}" density="{density:.9f}"/></body></worldbody>
<actuator><adhesion name="cup" body="{owner}" gain="{gain:.12g}" ctrlrange="0 9"/></actuator>
<keyframe><key name="on" qpos="0 0 {-radius + 1e-4:.9f} 1 0 0 0" ctrl="{control:.12g}"/></keyframe>
</mujoco>"""


def in_mujoco(path, steps):
    """Normal force [N] and height [m] at the end."""
    model = mujoco.MjModel.from_xml_path(path)
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    for _ in range(steps):
        mujoco.mj_step(model, data)
    force, sum_of = np.zeros(6), 0.0
    for i in range(data.ncon):
        mujoco.mj_contactForce(model, data, i, force)
        sum_of += force[0]
    return sum_of, data.body("ball").xpos[2]


def in_isobar(path, steps):
    """The same here."""
    scene = isobar.load(path, settings={"simulation.keyframe": "on"})
    world = scene.create_world()
    world.step(steps)
    force = sum(abs(contact.wrench[5]) for contact in world.contacts)
    return force, world.body_pose("ball").translation[2]


class Adhesion(unittest.TestCase):
    """Of a plate and a ball."""

    def draw(self, seed, share, steps):
        random = np.random.default_rng(seed)
        weight, pull, text = write(random, share(random))
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "m.xml"
            path.write_text(text)
            return weight, pull, in_mujoco(str(path), steps), in_isobar(str(path), steps)

    def test_what_hangs_presses_as_in_mujoco(self):
        for seed in range(ROUNDS):
            with self.subTest(seed=seed):
                weight, pull, theirs, ours = self.draw(
                    seed, lambda random: random.uniform(1.3, 4), 600)
                self.assertAlmostEqual(theirs[0] / (pull - weight), 1.0, delta=1e-6)  # 5e-8
                self.assertAlmostEqual(ours[0] / theirs[0], 1.0, delta=1e-3)  # 2.4e-4

    def test_what_weighs_more_falls_as_in_mujoco(self):
        for seed in range(ROUNDS):
            with self.subTest(seed=seed):
                _, _, theirs, ours = self.draw(seed, lambda random: random.uniform(0.1, 0.8), 600)
                self.assertEqual(ours[0], 0.0)
                self.assertEqual(theirs[0], 0.0)
                self.assertLess(max(ours[1], theirs[1]), -0.3)


if __name__ == "__main__":
    unittest.main()
