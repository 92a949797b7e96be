# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Drake's point contact as Hertz contact: what rests lies as deep as in Drake, slides and begins to roll
as there, and returns as much of an impact. Drawn: stiffness, dissipation and friction of both bodies,
sizes, masses, and a plane or a box as floor. The law of depth differs, so that no more is the same.

ISO_DRAWN="FIRST COUNT" looks at other seeds. Skipped where pydrake or the shared library are missing.
"""

import logging
import os
import pathlib
import sys
import tempfile
import unittest

try:
    import numpy as np
    from pydrake.math import RigidTransform
    from pydrake.multibody.math import SpatialVelocity
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import AddMultibodyPlant, MultibodyPlantConfig
    from pydrake.systems.analysis import Simulator
    from pydrake.systems.framework import DiagramBuilder

    import isobar
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

FIRST, COUNT = (int(x) for x in os.environ.get("ISO_DRAWN", "0 6").split())
DEPTH, SPEED, RETURNED = 1e-6, 3e-3, 8e-3  # relative; of the speed, as some roll; of the speed of impact
STEP = 1e-5  # of impacts [s]
logging.getLogger("isobar").setLevel(logging.ERROR)

TAGS = """<drake:proximity_properties><drake:point_contact_stiffness>{k}</drake:point_contact_stiffness>
  <drake:hunt_crossley_dissipation>{d}</drake:hunt_crossley_dissipation><drake:mu_static>{mu}</drake:mu_static>
  <drake:mu_dynamic>{mu}</drake:mu_dynamic></drake:proximity_properties>"""
SDF = """<sdf version="1.9"><model name="m"><link name="thing"><inertial><mass>{mass}</mass>
  <inertia><ixx>{moment}</ixx><iyy>{moment}</iyy><izz>{moment}</izz><ixy>0</ixy><ixz>0</ixz><iyz>0</iyz></inertia></inertial>
  <collision name="c"><geometry><sphere><radius>{radius}</radius></sphere></geometry>{ball}</collision></link></model></sdf>"""
FLOOR = """<sdf version="1.9"><model name="ground"><static>true</static><link name="l"><collision name="c">
  {floor_shape}{floor}</collision></link></model></sdf>"""
SHAPES = ("<geometry><plane/></geometry>", "<pose>0 0 -0.5 0 0 0</pose><geometry><box><size>9 9 1</size></box></geometry>")


def draw(seed):
    random = np.random.default_rng(seed)
    radius, mass = 10 ** random.uniform(-1.5, -0.5), 10 ** random.uniform(-1, 2)
    k = mass * 9.81 / (radius * 10 ** random.uniform(-4, -2, size=2))
    d, mu = random.uniform(0.2, 3, size=2), random.uniform(0.2, 1, size=2)
    ball, floor = (TAGS.format(k=k[i], d=d[i], mu=mu[i]) for i in range(2))
    numbers = {"radius": radius, "mass": mass, "moment": 0.4 * mass * radius**2, "ball": ball, "floor": floor,
               "floor_shape": SHAPES[seed % 2]}
    return {**numbers, "stiffness": k[0] * k[1] / k.sum(), "speed": random.uniform(0.1, 0.5)}


class Drake:
    """The two files in Drake, with contact by points."""

    def __init__(self, folder, step, gravity):
        builder = DiagramBuilder()
        config = MultibodyPlantConfig(time_step=step, contact_model="point", discrete_contact_approximation="lagged")
        self.plant, _ = AddMultibodyPlant(config, builder)
        for name in ("ball.sdf", "floor.sdf"):
            Parser(self.plant).AddModels(str(folder / name))
        self.plant.mutable_gravity_field().set_gravity_vector([0, 0, -gravity])
        self.plant.Finalize()
        self.simulator = Simulator(builder.Build())
        self.context = self.plant.GetMyMutableContextFromRoot(self.simulator.get_mutable_context())
        self.body = self.plant.GetBodyByName("thing")

    def place(self, height, velocity):
        self.plant.SetFreeBodyPose(self.context, self.body, RigidTransform([0, 0, height]))
        self.plant.SetFreeBodySpatialVelocity(self.body, SpatialVelocity(np.zeros(3), velocity), self.context)

    def run(self, seconds):
        time = self.simulator.get_context().get_time()
        self.simulator.AdvanceTo(time + seconds)
        twist = self.body.EvalSpatialVelocityInWorld(self.context)
        place = self.body.EvalPoseInWorld(self.context).translation()
        return place[2], np.concatenate([twist.rotational(), twist.translational()])


class Isobar:
    """Mapped under the weight that the files have; then gravity may be another."""

    def __init__(self, folder, step, gravity):
        scene = folder / "scene.yaml"
        scene.write_text(f"""
simulation: {{time_step: {step}, point_parameters: hertz, friction: regularized}}
directives: [{{add_model: {{file: ball.sdf, name: m}}}}, {{add_model: {{file: floor.sdf, name: ground}}}}]
""")
        loaded = isobar.load(scene)
        loaded.settings.gravity = (0, 0, -gravity)
        self.world, self.step = loaded.create_world(), step

    def place(self, height, velocity):
        self.world.set_free_body("m::thing", isobar.Pose(np.eye(3), (0, 0, height)), (0, 0, 0, *velocity))

    def run(self, seconds):
        self.world.step(round(seconds / self.step))
        return self.world.body_pose("m::thing").translation[2], np.array(self.world.body_twist("m::thing"))


class Points(unittest.TestCase):
    def both(self, seed, folder, step, gravity):
        given, folder = draw(seed), pathlib.Path(folder)
        (folder / "ball.sdf").write_text(SDF.format(**given))
        (folder / "floor.sdf").write_text(FLOOR.format(**given))
        return given, Drake(folder, step, gravity), Isobar(folder, step, gravity)

    def test_balls_lie_as_deep_and_slide_as_in_drake(self):
        for seed in range(FIRST, FIRST + COUNT):
            with self.subTest(seed=seed), tempfile.TemporaryDirectory() as folder:
                given, drake, ours = self.both(seed, folder, 1e-3, 9.81)
                radius, depth = given["radius"], given["mass"] * 9.81 / given["stiffness"]
                ends = []
                for world in (drake, ours):
                    world.place(radius - depth, (0, 0, 0))
                    height, _ = world.run(1.0)
                    world.place(height, (given["speed"], 0, 0))
                    ends.append((radius - height, world.run(0.02)[1]))
                self.assertLess(abs(ends[0][0] - ends[1][0]), DEPTH * depth)
                off = np.abs(ends[0][1] - ends[1][1])
                self.assertLess(off[3:].max(), SPEED * given["speed"], (ends, given))
                # The force acts at another depth between both surfaces.
                self.assertLess(off[:3].max(), depth / radius * np.abs(ends[0][1][:3]).max(), (ends, given))

    def test_impacts_return_as_much_as_in_drake(self):
        for seed in range(FIRST, FIRST + COUNT, 2):
            with self.subTest(seed=seed), tempfile.TemporaryDirectory() as folder:
                given, drake, ours = self.both(seed, folder, STEP, 0)
                returned = []
                for world in (drake, ours):
                    world.place(given["radius"] + 1e-6, (0, 0, -given["speed"]))
                    height, twist = world.run(round(12 * np.sqrt(given["mass"] / given["stiffness"]) / STEP) * STEP)
                    self.assertGreater(height, given["radius"])
                    returned.append(twist[5] / given["speed"])
                self.assertLess(abs(returned[0] - returned[1]), RETURNED, (returned, given))


if __name__ == "__main__":
    unittest.main()
