# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Point contact of MJCF, Drake's and ODE's tags as Hertz contact: what rests lies as deep as MuJoCo has
it, and is damped there as fast. Balls, lying capsules, several balls on one body or welded to it, balls on
balls, on slides and on hinges; sizes, solref, solimp of all forms, cones, friction, priorities and gravity
drawn from seeds. What has no such depth is said.

Skipped where mujoco or the shared library are missing.
"""

import logging
import pathlib
import re
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

ROUNDS = 30
TOLERANCE = 1e-4  # of the depth; worst measured 1e-7
UNEVEN_TOLERANCE = 1e-3  # where balls bear unlike loads, so that they tilt; worst measured 1.4e-4
logging.getLogger("isobar").setLevel(logging.ERROR)  # deep balls


KINDS = ("ball", "capsule", "balls", "welded", "uneven", "on a ball", "slide", "hinge", "class", "two")


def drawn_law(random):
    solref = (random.uniform(0.004, 0.05), random.uniform(0.5, 1.5))
    if random.random() < 0.3:
        solref = (-(10 ** random.uniform(3, 5)), -(10 ** random.uniform(1.5, 2.5)))
    low = random.uniform(0.1, 0.97)
    high = random.uniform(low, 0.999)
    low, high = (high, low) if random.random() < 0.15 else (low, high)
    solimp = (low, high, random.choice([0, -1, 10 ** random.uniform(-3.5, -2)], p=[0.1, 0.1, 0.8]),
              random.choice([0, 1, random.uniform(0.1, 0.9)], p=[0.1, 0.1, 0.8]), random.choice([0.5, 1, 2, 3.5]))
    text = f'solref="{solref[0]:.6g} {solref[1]:.6g}" solimp="{" ".join(f"{x:.6g}" for x in solimp)}"'
    return (f'{text} friction="{random.uniform(0.3, 1.2):.4g}" solmix="{random.choice([0, 1, 2.5])}" '
            f'priority="{random.integers(2)}" condim="{random.choice([1, 3, 4, 6])}"')


def drawn_body(random, kind, radius, law):
    """What stands on the floor: its joint and geoms, and how many bear."""
    density = f'density="{10 ** random.uniform(2, 4):.4g}"'
    ball = f'<geom type="sphere" size="{radius:.6g}" {density} {law}'
    if kind == "capsule":
        length = random.uniform(1, 3) * radius
        return f'<freejoint/><geom type="capsule" size="{radius:.6g} {length:.6g}" zaxis="1 0 0" {density} {law}/>'
    if kind in ("balls", "welded", "uneven"):
        angles = np.linspace(0, 2 * np.pi, random.integers(3, 7), endpoint=False)
        geoms = [f'{ball} pos="{4 * radius * np.cos(a):.9g} {4 * radius * np.sin(a):.9g} 0"/>' for a in angles]
        high = f'<geom type="sphere" size="{radius / 2:.6g}" pos="{radius:.6g} {radius / 2:.6g} {radius:.6g}" {density} {law}/>'
        if kind == "welded":
            geoms = geoms[:1] + [f'<body name="w{i}">{geom}</body>' for i, geom in enumerate(geoms[1:])]
        return "<freejoint/>" + "".join(geoms) + (high if kind != "balls" else "")
    joint = {"slide": '<joint type="slide" axis="0 0 1"/>',
             "hinge": f'<joint type="hinge" axis="0 1 0" pos="{-5 * radius:.9g} 0 {-radius:.9g}"/>'}
    return joint.get(kind, "<freejoint/>") + ball + "/>"


def draw(seed):
    """A scene of one body over a floor, and its radius."""
    random = np.random.default_rng(seed)
    radius, kind = 10 ** random.uniform(-1.5, -0.3), KINDS[seed % len(KINDS)]
    law, floor = drawn_law(random), 'type="plane" size="9 9 9"'
    if kind == "on a ball":
        below = radius * 10 ** random.uniform(-0.5, 1)
        floor = f'type="sphere" size="{below:.9g}" pos="0 0 {-below:.9g}"'
    body = drawn_body(random, kind, radius, "" if kind == "class" else law)
    other = f'<body name="other" pos="{9 * radius:.6g} 0 {radius:.9g}">{body}</body>' if kind == "two" else ""
    text = f"""<mujoco model="m"><option timestep="0.001" cone="{random.choice(['elliptic', 'pyramidal'])}"
        impratio="{random.choice([1, 5])}" gravity="0 0 {-random.uniform(1, 20):.5g}" tolerance="1e-14"/>
      <default><geom {law if kind == "class" else ""}/></default>
      <worldbody><geom name="floor" {floor} {drawn_law(random)}/>
      <body name="thing" pos="0 0 {radius:.9g}">{body}</body>{other}</worldbody></mujoco>"""
    return text, radius, kind


def draw_shared(seed):
    """Balls on a slide, on a hinge or free, all that touch alike or not, and how many."""
    random = np.random.default_rng(seed)
    tilt = random.normal(size=2) * random.choice([0, 0.5])
    joint = [f'<joint type="slide" axis="{tilt[0]} {tilt[1]} 1"/>', "<freejoint/>",
             f'<joint type="hinge" axis="0 1 {tilt[0]}" pos="-1 0 {-0.1 + tilt[1]:.9g}"/>'][seed % 3]
    count, friction = [(1, 2, 4), (3, 4, 4), (1, 1, 2)][seed % 3][random.integers(3)], random.choice([0, 0.7])
    law, is_even, geoms = drawn_law(random), random.random() < 0.5, ""
    for i in range(count):
        angle = 2 * np.pi * i / count
        density = 500 if is_even else 10 ** random.uniform(2.5, 3.5)
        geoms += (f'<geom type="sphere" size="0.1" pos="{0.4 * np.cos(angle):.9g} {0.4 * np.sin(angle):.9g} 0" '
                  f'density="{density:.6g}" {law if is_even else drawn_law(random)}/>')
    text = f"""<mujoco model="m"><option timestep="0.001" cone="elliptic"/><worldbody><geom type="plane" size="9 9 9" {law}/>
      <body name="thing" pos="0 0 0.1">{joint}{geoms}</body></worldbody></mujoco>"""
    return re.sub('friction="[^"]*"', f'friction="{friction}"', text), count


def mujoco_rest(text):
    """Height, speed left, and damping over mass there, by the acceleration that a small speed makes."""
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    for _ in range(6000):
        mujoco.mj_step(model, data)
    height, speed = data.body("thing").xpos[2], np.abs(data.qvel).max()
    up = 2 if model.nv > 1 else 0
    accelerations = []
    for kick in (0.0, -1e-6):
        data.qvel[:] = 0.0
        data.qvel[up] = kick
        mujoco.mj_forward(model, data)
        accelerations.append(data.qacc[up])
    return height, speed, (accelerations[1] - accelerations[0]) / 1e-6


def mapped(folder, text, name="scene.xml", **settings):
    path = pathlib.Path(folder) / name
    path.write_text(text)
    settings = {"simulation.point_parameters": "hertz", **settings}
    return isobar.load(path, settings={key.replace("__", "."): value for key, value in settings.items()})


NAME = "m::thing"
UNEVEN = ("hinge", "welded", "uneven")  # a small speed turns them


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
    def check(self, scene, radius, height, rate, steps=3000):
        """A body comes to rest at this height, damped at this rate [1/s]; None: not looked at."""
        world = scene.create_world()
        for _ in range(steps):
            world.step()
        found = world.body_pose(NAME).translation[2]
        self.assertEqual(world.contacts[0].model, "hertz")
        tolerance = TOLERANCE if rate is not None else UNEVEN_TOLERANCE
        self.assertLess(abs(found - height), tolerance * (radius - height), (found - radius, height - radius))
        if rate is None:
            return
        material = next(g.material for g in scene.model.geometries
                        if g.shape.kind in ("sphere", "capsule") and g.name != "floor")
        gravity = np.linalg.norm(scene.settings.gravity)
        self.assertLess(abs(material.dissipation * gravity / rate - 1), 1e-3, (material.dissipation, rate))

    def test_bodies_lie_as_deep_as_in_mujoco_and_are_damped_as_fast(self):
        count = 0
        for seed in range(ROUNDS):
            text, radius, kind = draw(seed)
            height, speed, rate = mujoco_rest(text)
            if speed < 1e-9:  # it has come to rest
                count += 1
                with self.subTest(seed=seed, kind=kind), tempfile.TemporaryDirectory() as folder:
                    self.check(mapped(folder, text), radius, height, None if kind in UNEVEN else rate)
        self.assertGreater(count, ROUNDS // 2)

    def test_what_has_no_such_depth_is_said(self):
        law, ball = 'solref="0.02 1"', '<geom type="sphere" size="0.1" mass="1" {}/>'
        boxed = '<geom type="box" size="0.1 0.1 0.1" mass="1" pos="0 0 0.5"/>'
        cases = {"several depths": [ball.format('solimp="0.99 0.1 0.001" priority="1"')],
                 "does not rest": [ball.format(law) + '<geom type="sphere" size="0.05" pos="0.3 0 0" mass="9"/>'],
                 "no sphere or capsule": [ball.format(law) + boxed],
                 "may press each other": [ball.format(law), ball.format(law)]}
        for words, bodies in cases.items():
            text = "".join(f'<body name="b{i}" pos="{i} 0 0.1"><freejoint/>{b}</body>' for i, b in enumerate(bodies))
            text = f'<mujoco model="m"><worldbody><geom type="plane" size="9 9 9"/>{text}</worldbody></mujoco>'
            with self.subTest(words), tempfile.TemporaryDirectory() as folder:
                with self.assertLogs("isobar", logging.WARNING) as log:
                    mapped(folder, text)
                self.assertIn(words, " ".join(log.output))

    def test_depths_that_differ_are_said(self):
        """Friction that bears weight, and unlike balls that share it."""
        said, silent = 0, 0
        for seed in range(16):
            text, count = draw_shared(seed)
            model = mujoco.MjModel.from_xml_string(text)
            data = mujoco.MjData(model)
            mujoco.mj_step(model, data, 5000)
            depth = model.geom_size[1:, 0] - data.geom_xpos[1:, 2]
            with self.subTest(seed=seed), tempfile.TemporaryDirectory() as folder:
                with self.assertLogs("isobar", logging.WARNING) as log:
                    logging.getLogger("isobar").warning("a line, as there must be one")
                    world = mapped(folder, text).create_world()
                words = " ".join(log.output)
                is_said = "rubs along the floor" in words or "unlike points bear" in words or "does not rest" in words
                world.step(3000)
                pose = world.body_pose(NAME)
                found = [0.1 - (pose.rotation @ model.geom_pos[i] + pose.translation)[2] for i in range(1, count + 1)]
                off = np.abs(np.array(found) - depth).max() / depth.max()
                still = np.abs(data.qvel).max() < 1e-9
                self.assertTrue(is_said or not still or off < UNEVEN_TOLERANCE, (off, words))
                said, silent = said + (is_said and off > UNEVEN_TOLERANCE), silent + (not is_said)
        self.assertGreater(said, 3)
        self.assertGreater(silent, 2)

    def test_what_stands_on_some_of_its_points_is_not_said_to_sink(self):
        ball = '<geom type="sphere" size="0.1" mass="0.001" pos="{} {} 0"/>'
        for seed in range(12):  # the centre of mass lies anywhere above the square
            x, y = np.random.default_rng(seed).uniform(-0.9, 0.9, 2)
            balls = "".join(ball.format(i, j) for i in (-1, 1) for j in (-1, 1))
            text = f"""<mujoco model="m"><worldbody><geom type="plane" size="9 9 9"/><body name="b" pos="0 0 0.1">
              <freejoint/><inertial pos="{x} {y} 0" mass="4" diaginertia="1 1 1"/>{balls}</body></worldbody></mujoco>"""
            with self.subTest(seed=seed), tempfile.TemporaryDirectory() as folder:
                with self.assertLogs("isobar", logging.WARNING) as log:
                    logging.getLogger("isobar").warning("a line, as there must be one")
                    world = mapped(folder, text).create_world()
                self.assertNotIn("does not rest", " ".join(log.output))
                world.step(200)
                self.assertGreater(world.body_pose("m::b").translation[2], 0.099)

    def test_impacts_return_what_the_page_says(self):
        for (radius, mass), (speed, share) in zip(((0.1, 1), (0.02, 0.05)), ((0.1, 0.60), (1.0, 0.10)), strict=True):
            text = f"""<mujoco model="m"><worldbody><geom type="plane" size="9 9 9"/><body name="thing" pos="0 0 {radius}">
              <freejoint/><geom type="sphere" size="{radius}" mass="{mass}"/></body></worldbody></mujoco>"""
            with tempfile.TemporaryDirectory() as folder:
                scene = mapped(folder, text, simulation__method="rk45")
            scene.settings.gravity = (0, 0, 0)
            world = scene.create_world()
            world.set_free_body(NAME, isobar.Pose(np.eye(3), (0, 0, radius)), (0, 0, 0, 0, 0, -speed))
            for _ in range(400):
                world.step()
            self.assertAlmostEqual(np.array(world.body_twist(NAME))[-1] / speed, share, delta=0.005)

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
