# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Point contact of MJCF, Drake's and ODE's tags as Hertz contact: balls and lying capsules that rest
lie as deep as MuJoCo has them, and are damped there as fast; sizes, solref, solimp, cones, friction,
priorities and gravity drawn from seeds.

Skipped where mujoco or the shared library are missing.
"""

import logging
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

ROUNDS = 24
TOLERANCE = 1e-4  # of the depth; worst measured 3e-6, of steps that MuJoCo has not come to rest in
logging.getLogger("isobar").setLevel(logging.ERROR)  # deep balls


def drawn_law(random, standard):
    solref = (random.uniform(0.004, 0.05), random.uniform(0.5, 1.5))
    if not standard:
        solref = (-(10 ** random.uniform(3, 5)), -(10 ** random.uniform(1.5, 2.5)))
    low = random.uniform(0.3, 0.95)
    solimp = (low, random.uniform(low, 0.999), 10 ** random.uniform(-3.5, -2), random.uniform(0.1, 0.9),
              random.choice([1, 2, 3.5]))
    text = f'solref="{solref[0]:.6g} {solref[1]:.6g}" solimp="{" ".join(f"{x:.6g}" for x in solimp)}"'
    return f'{text} friction="{random.uniform(0.3, 1.2):.4g}" solmix="{random.uniform(0, 2):.3g}"'


def draw(seed):
    """A scene of one body over a plane; radius, and whether it is a capsule."""
    random = np.random.default_rng(seed)
    radius = 10 ** random.uniform(-1.5, -0.3)
    is_capsule = random.random() < 0.3
    standard = random.random() < 0.7
    shape = f'type="sphere" size="{radius:.6g}"'
    if is_capsule:
        shape = f'type="capsule" size="{radius:.6g} {random.uniform(1, 3) * radius:.6g}" zaxis="1 0 0"'
    priority = f'priority="{random.integers(2)}"' if random.random() < 0.3 else ""
    condim = random.choice([1, 3, 4])
    text = f"""<mujoco model="m"><option timestep="0.001" cone="{random.choice(['elliptic', 'pyramidal'])}"
        impratio="{random.choice([1, 5])}" gravity="0 0 {-random.uniform(1, 20):.5g}" tolerance="1e-14"/>
      <worldbody><geom name="floor" type="plane" size="9 9 9" condim="{condim}" {drawn_law(random, standard)}/>
      <body name="thing" pos="0 0 {radius:.9g}"><freejoint/>
        <geom {shape} density="{10 ** random.uniform(2, 4):.4g}" condim="{condim}" {priority}
          {drawn_law(random, standard)}/></body></worldbody></mujoco>"""
    return text, radius, is_capsule


def mujoco_rest(text):
    """Height, speed left, and damping over mass there, by the acceleration that a small speed makes."""
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    for _ in range(6000):
        mujoco.mj_step(model, data)
    height, speed = data.qpos[2], abs(data.qvel[2])
    accelerations = []
    for kick in (0.0, -1e-6):
        data.qvel[:] = 0.0
        data.qvel[2] = kick
        mujoco.mj_forward(model, data)
        accelerations.append(data.qacc[2])
    return height, speed, (accelerations[1] - accelerations[0]) / 1e-6


def mapped(folder, text, name="scene.xml", **settings):
    path = pathlib.Path(folder) / name
    path.write_text(text)
    settings = {"simulation.point_parameters": "hertz", **settings}
    return isobar.load(path, settings={key.replace("__", "."): value for key, value in settings.items()})


NAME = "m::thing"


SDF = """<sdf version="1.9"><model name="m"><link name="thing"><pose>0 0 {radius} 0 0 0</pose><inertial><mass>{mass}</mass></inertial>
  <collision name="c"><geometry><sphere><radius>{radius}</radius></sphere></geometry>{ball}</collision></link></model>
  <model name="ground"><static>true</static><link name="l"><collision name="c">
  <geometry><plane/></geometry>{floor}</collision></link></model></sdf>"""


def drake(stiffness, dissipation):
    return f"""<drake:proximity_properties><drake:point_contact_stiffness>{stiffness}</drake:point_contact_stiffness>
      <drake:hunt_crossley_dissipation>{dissipation}</drake:hunt_crossley_dissipation></drake:proximity_properties>"""


def ode(kp, kd):
    return f"<surface><contact><ode><kp>{kp}</kp><kd>{kd}</kd></ode></contact></surface>"


class Points(unittest.TestCase):
    def check(self, scene, radius, height, rate):
        """A body started at rest in this height stays there, damped at this rate [1/s]."""
        world = scene.create_world()
        world.set_free_body(NAME, isobar.Pose(world.body_pose(NAME).rotation, (0, 0, height)))
        for _ in range(500):
            world.step()
        found = world.body_pose(NAME).translation[2]
        self.assertEqual(world.contacts[0].model, "hertz")
        self.assertLess(abs(found - height), TOLERANCE * (radius - height), (found - radius, height - radius))
        material = next(g.material for g in scene.model.geometries if g.shape.kind in ("sphere", "capsule"))
        gravity = np.linalg.norm(scene.settings.gravity)
        self.assertLess(abs(material.dissipation * gravity / rate - 1), 1e-3, (material.dissipation, rate))

    def test_bodies_lie_as_deep_as_in_mujoco_and_are_damped_as_fast(self):
        count = 0
        for seed in range(ROUNDS):
            text, radius, _ = draw(seed)
            height, speed, rate = mujoco_rest(text)
            if speed < 1e-9:  # it has come to rest
                count += 1
                with self.subTest(seed=seed), tempfile.TemporaryDirectory() as folder:
                    self.check(mapped(folder, text), radius, height, rate)
        self.assertGreater(count, ROUNDS // 2)

    def test_numbers_of_both_formats_are_mujocos_default(self):
        text = """<mujoco model="m"><option timestep="0.001"/><worldbody><geom type="plane" size="9 9 9"/>
          <body name="thing" pos="0 0 0.1"><freejoint/>
          <geom type="sphere" size="0.1" density="500" priority="1" solref="{}"/></body></worldbody></mujoco>"""
        mujoco.set_mju_user_warning(lambda text: None)  # else it writes them to a file, for each step
        self.addCleanup(mujoco.set_mju_user_warning, None)
        expected = mujoco_rest(text.format("0.02 1"))
        for solref in ("0 1", "-1000 10", "-0.02 1", "0.02 -1", "0.02 0"):
            height, _, rate = mujoco_rest(text.format(solref))
            self.assertAlmostEqual(height, expected[0], delta=1e-12)
            with self.subTest(solref=solref), tempfile.TemporaryDirectory() as folder:
                self.check(mapped(folder, text.format(solref)), 0.1, height, rate)
        with tempfile.TemporaryDirectory() as folder:  # nothing holds it in MuJoCo: its material stays
            scene = mapped(folder, text.format("0 0"))
            plain = isobar.load(pathlib.Path(folder) / "scene.xml")
            self.assertEqual([g.material.young_modulus for g in scene.model.geometries][1:],
                             [g.material.young_modulus for g in plain.model.geometries][1:])

    def test_stiffnesses_of_drake_and_ode_stand_in_a_row(self):
        for seed in range(ROUNDS):
            random = np.random.default_rng(seed)
            radius, mass = 10 ** random.uniform(-1.5, -0.5), 10 ** random.uniform(-1, 2)
            weight = mass * 9.81
            k = weight / (radius * 10 ** random.uniform(-5, -2, size=2))
            d = random.uniform(0.1, 10, size=2)
            with self.subTest(seed=seed), tempfile.TemporaryDirectory() as folder:
                pair = k[0] * k[1] / (k[0] + k[1])
                text = SDF.format(radius=radius, mass=mass, ball=drake(k[0], d[0]), floor=drake(k[1], d[1]))
                dissipation = (k[1] * d[0] + k[0] * d[1]) / (k[0] + k[1])
                self.check(mapped(folder, text, "drake.sdf"), radius, radius - weight / pair, 9.81 * dissipation)
                text = SDF.format(radius=radius, mass=mass, ball=ode(k[0], d[0]), floor=ode(k[1], d[1]))
                self.check(mapped(folder, text, "ode.sdf"), radius, radius - weight / pair, (d[0] + d[1]) / mass)
                text = SDF.format(radius=radius, mass=mass, ball=drake(k[0], d[0]), floor="")
                self.check(mapped(folder, text, "alone.sdf"), radius, radius - weight / k[0], 9.81 * d[0])

    def test_moduli_that_are_stated_stay(self):
        text, _, _ = draw(1)
        with tempfile.TemporaryDirectory() as folder:
            scene = mapped(folder, text, default_material__young_modulus=3e6, default_material__dissipation=7.0)
            for geometry in scene.model.geometries:
                self.assertEqual((geometry.material.young_modulus, geometry.material.dissipation), (3e6, 7.0))


if __name__ == "__main__":
    unittest.main()
