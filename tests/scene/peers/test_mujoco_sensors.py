# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Sensors of an MJCF file read what MuJoCo reads: without contact, in random states with random
efforts, and along steps.

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

MODEL = """
<mujoco model="arm">
  <option timestep="0.001" gravity="0.3 -0.2 -9.81"/>
  <worldbody>
    <body name="base" pos="0.1 0.2 0.3" euler="10 20 30">
      <inertial pos="0 0.1 0" mass="2" diaginertia="0.1 0.2 0.15"/>
      <joint name="turn" axis="0 0 1" damping="0.3" armature="0.05"/>
      <site name="base_site" pos="0.1 0 0.05" euler="0 30 0"/>
      <body name="upper" pos="0 0 0.4">
        <inertial pos="0.1 0 0.2" mass="1.5" diaginertia="0.05 0.06 0.02"/>
        <joint name="swing" axis="0 1 0.2" pos="0 0.05 0" stiffness="3"/>
        <joint name="slide" type="slide" axis="1 0 0"/>
        <site name="elbow" pos="0.02 0.03 0.3" euler="40 0 -20"/>
        <body name="hand" pos="0.1 0 0.5" euler="0 0 45">
          <inertial pos="0.02 0 0.1" mass="0.7" diaginertia="0.004 0.005 0.003"/>
          <joint name="wrist" type="ball"/>
          <site name="tip" pos="0 0.05 0.2" euler="90 0 10"/>
          <geom name="palm" type="box" size="0.1 0.2 0.05" pos="0.1 0 0.2" euler="20 50 10"
                contype="0" conaffinity="0"/>
          <body name="gauge" pos="0.05 0 0.1">
            <inertial pos="0 0.01 0" mass="0.1" diaginertia="1e-4 1e-4 1e-4"/>
            <site name="gauge_site" pos="0.01 0 0" euler="0 0 30"/>
          </body>
        </body>
      </body>
    </body>
    <body name="post" pos="2 0 0">
      <inertial pos="0 0.1 0.2" mass="3" diaginertia="0.1 0.2 0.15"/>
    </body>
    <body name="bird" pos="1 1 1">
      <inertial pos="0.05 0 0" mass="0.4" diaginertia="0.01 0.02 0.015"/>
      <freejoint name="air"/>
      <site name="beak" pos="0.2 0 0.1" euler="15 0 0"/>
    </body>
  </worldbody>
  <tendon>
    <fixed name="sum" stiffness="2" damping="0.3" springlength="-0.4">
      <joint joint="turn" coef="0.7"/><joint joint="swing" coef="-1.3"/>
      <joint joint="slide" coef="2"/>
    </fixed>
    <fixed name="one"><joint joint="swing" coef="-2"/></fixed>
  </tendon>
  <actuator>
    <motor name="m" joint="turn"/>
    <motor name="pull" tendon="sum"/>
    <motor name="single" tendon="one"/>
  </actuator>
  <sensor>
    <accelerometer name="acc_tip" site="tip"/>
    <gyro name="gyro_tip" site="tip"/>
    <accelerometer name="acc_base" site="base_site"/>
    <accelerometer name="acc_beak" site="beak"/>
    <gyro name="gyro_beak" site="beak"/>
    <force name="force_elbow" site="elbow"/>
    <torque name="torque_elbow" site="elbow"/>
    <force name="force_tip" site="tip"/>
    <torque name="torque_tip" site="tip"/>
    <force name="force_gauge" site="gauge_site"/>
    <torque name="torque_gauge" site="gauge_site"/>
    <force name="force_base" site="base_site"/>
    <torque name="torque_base" site="base_site"/>
    <jointpos name="pos_turn" joint="turn"/>
    <jointvel name="vel_turn" joint="turn"/>
    <jointpos name="pos_slide" joint="slide"/>
    <jointvel name="vel_slide" joint="slide"/>
    <ballquat name="quat_wrist" joint="wrist"/>
    <framepos name="pos_tip" objtype="site" objname="tip"/>
    <framequat name="quat_tip" objtype="site" objname="tip"/>
    <framelinvel name="lin_tip" objtype="site" objname="tip"/>
    <frameangvel name="ang_tip" objtype="site" objname="tip"/>
    <framepos name="rel_pos" objtype="site" objname="tip" reftype="xbody" refname="upper"/>
    <framelinvel name="rel_lin" objtype="site" objname="tip" reftype="xbody" refname="upper"/>
    <frameangvel name="rel_ang" objtype="xbody" objname="bird" reftype="site" refname="tip"/>
    <framexaxis name="x_tip" objtype="site" objname="tip"/>
    <frameyaxis name="y_rel" objtype="site" objname="tip" reftype="xbody" refname="bird"/>
    <framezaxis name="z_geom" objtype="geom" objname="palm"/>
    <framepos name="pos_geom" objtype="geom" objname="palm"/>
    <framepos name="pos_inertial" objtype="body" objname="hand"/>
    <framelinvel name="lin_inertial" objtype="body" objname="hand"/>
    <frameangvel name="ang_inertial" objtype="body" objname="hand" reftype="site" refname="beak"/>
    <framelinacc name="linacc_tip" objtype="site" objname="tip"/>
    <frameangacc name="angacc_tip" objtype="site" objname="tip"/>
    <framelinacc name="linacc_inertial" objtype="body" objname="hand"/>
    <framelinacc name="linacc_bird" objtype="xbody" objname="bird"/>
    <velocimeter name="velo_tip" site="tip"/>
    <velocimeter name="velo_beak" site="beak"/>
    <subtreecom name="com_base" body="base"/>
    <subtreecom name="com_upper" body="upper"/>
    <subtreecom name="com_world" body="world"/>
    <subtreelinvel name="comvel_upper" body="upper"/>
    <subtreelinvel name="comvel_world" body="world"/>
    <subtreeangmom name="mom_base" body="base"/>
    <subtreeangmom name="mom_hand" body="hand"/>
    <subtreeangmom name="mom_world" body="world"/>
    <ballangvel name="vel_wrist" joint="wrist"/>
    <actuatorpos name="act_pos" actuator="m"/>
    <actuatorvel name="act_vel" actuator="m"/>
    <actuatorfrc name="act_frc" actuator="m"/>
    <actuatorpos name="pull_pos" actuator="pull"/>
    <actuatorvel name="pull_vel" actuator="pull"/>
    <actuatorfrc name="pull_frc" actuator="pull"/>
    <tendonpos name="ten_pos" tendon="sum"/>
    <tendonvel name="ten_vel" tendon="sum"/>
    <tendonactuatorfrc name="ten_frc" tendon="sum"/>
    <tendonpos name="one_pos" tendon="one"/>
    <tendonvel name="one_vel" tendon="one"/>
    <tendonactuatorfrc name="one_frc" tendon="one"/>
    <clock name="time"/>
  </sensor>
</mujoco>
"""

# Which values of the Isobar sensor a kind of MuJoCo's is.
PARTS = {
    "accelerometer": slice(0, 3), "gyro": slice(3, 6), "force": slice(0, 3),
    "torque": slice(3, 6), "jointpos": slice(0, 1), "jointvel": slice(1, 2),
    "ballquat": slice(0, 4), "framepos": slice(0, 3), "framequat": slice(3, 7),
    "framelinvel": slice(7, 10), "frameangvel": slice(10, 13), "framexaxis": slice(3, 7),
    "frameyaxis": slice(3, 7), "framezaxis": slice(3, 7), "velocimeter": slice(0, 3),
    "subtreecom": slice(0, 3), "subtreelinvel": slice(3, 6), "subtreeangmom": slice(6, 9),
    "actuatorpos": slice(0, 1), "actuatorvel": slice(1, 2), "tendonpos": slice(0, 1),
    "tendonvel": slice(1, 2), "framelinacc": slice(0, 3), "frameangacc": slice(3, 6),
}
NAMES = {int(getattr(mujoco.mjtSensor, "mjSENS_" + kind.upper())): kind for kind in PARTS}


def quaternion_matrix(quaternion):
    matrix = np.zeros(9)
    mujoco.mju_quat2Mat(matrix, np.asarray(quaternion, dtype=float))
    return matrix.reshape(3, 3)


# A stool on three balls, so that statics alone says what each carries; its weight is off the middle.
# Sites around soles, around all, beside, above, and below the floor where only normals reach them.
STOOL = """
<mujoco model="stool">
  <option timestep="0.001" gravity="0 0 -9.81"/>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 1"/>
    <body name="stool" pos="0 0 0.05">
      <freejoint/>
      <inertial pos="0.04 0 0.1" mass="2" diaginertia="0.05 0.05 0.05"/>
      <geom name="left" size="0.05" pos="-0.1 0 0"/>
      <geom name="front" size="0.05" pos="0.1 0.1 0"/>
      <geom name="back" size="0.05" pos="0.1 -0.1 0"/>
      <site name="left" type="box" size="0.04 0.06 0.01" pos="-0.1 0 -0.05"/>
      <site name="right" type="capsule" size="0.03 0.1" pos="0.1 0 -0.05" euler="90 0 0"/>
      <site name="front" type="cylinder" size="0.05 0.01" pos="0.1 0.1 -0.05"/>
      <site name="all" type="ellipsoid" size="0.4 0.4 0.1" pos="0 0 -0.05"/>
      <site name="beside" type="sphere" size="0.02" pos="0 0 -0.05"/>
      <site name="above" type="box" size="0.04 0.06 0.01" pos="-0.1 0 0.2"/>
      <site name="below" type="capsule" size="0.02 0.1" pos="-0.1 0 -0.2" euler="90 0 0"/>
    </body>
  </worldbody>
  <sensor>
    <touch name="left" site="left"/><touch name="right" site="right"/>
    <touch name="front" site="front"/><touch name="all" site="all"/>
    <touch name="beside" site="beside"/><touch name="above" site="above"/>
    <touch name="below" site="below"/>
  </sensor>
</mujoco>
"""


class Touch(unittest.TestCase):
    """A touch sensor feels what is in the volume of its site, or reaches it along the normal."""

    def test_feet_carry_what_statics_says(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "stool.xml"
            path.write_text(STOOL, encoding="utf-8")
            model = mujoco.MjModel.from_xml_path(str(path))
            data = mujoco.MjData(model)
            mujoco.mj_step(model, data, 5000)
            scene = isobar.load(path, settings={"default_material.resolution_hint": 0.01})
            world = scene.create_world()
            sensors = scene.create_sensors(world)
            for _ in range(2000):
                world.step()
            sensors.update()
        weight = 2 * 9.81
        # Moments about the left ball: the centre of mass is 0.14 m of 0.2 m to the right.
        wanted = {"left": 0.3 * weight, "right": 0.7 * weight, "front": 0.35 * weight,
                  "all": weight, "beside": 0.0, "above": 0.0, "below": 0.3 * weight}
        self.assertEqual(sensors.names, ["stool::" + name for name in wanted])
        for i, (name, force) in enumerate(wanted.items()):
            values = sensors.named(name)
            normal = values["area"] * values["mean_pressure"]
            mujocos = float(data.sensordata[model.sensor_adr[i]])
            self.assertEqual(values["contacts"] > 0, force > 0, name)
            # The facets of the balls carry a little moment: measured 1.9e-3 N, and 1.5e-11 N of
            # all together; from MuJoCo 8.7e-4 N.
            self.assertAlmostEqual(normal, force, delta=1e-8 if name == "all" else 0.01, msg=name)
            self.assertAlmostEqual(normal, mujocos, delta=0.01, msg=name)


# Bodies of every shape that fly about an eye with three hundred rangefinders, over a floor.
SHAPES = """
<mujoco model="view">
  <default><geom contype="1" conaffinity="0"/></default>
  <asset><mesh name="wedge" vertex="0 0 0  0.5 0 0  0 0.4 0  0 0 0.3  0.3 0.3 0.4"/></asset>
  <worldbody>
    <geom name="floor" type="plane" size="0 0 1"/>
    <body name="eye" pos="0 0 1.5">
      <freejoint name="eye"/><geom size="0.05"/>
      {sites}
    </body>
    {bodies}
  </worldbody>
  <sensor>{sensors}</sensor>
</mujoco>
"""
KINDS = ('type="sphere" size="0.2"', 'type="box" size="0.2 0.3 0.15"',
         'type="capsule" size="0.1 0.2"', 'type="cylinder" size="0.15 0.25"',
         'type="ellipsoid" size="0.3 0.2 0.1"', 'type="mesh" mesh="wedge"')


class Range(unittest.TestCase):
    """A rangefinder ends at the shape that MuJoCo's ends at, as far away."""

    def test_rays_end_where_those_of_mujoco_do(self):
        generator, count = np.random.default_rng(5), 300
        words = [" ".join(f"{x:.17g}" for x in generator.normal(size=3)) for _ in range(count)]
        text = SHAPES.format(
            sites="".join(f'<site name="s{i}" pos="0.01 0.02 0" zaxis="{w}"/>'
                          for i, w in enumerate(words)),
            sensors="".join(f'<rangefinder name="r{i}" site="s{i}"/>' for i in range(count)),
            bodies="".join(f'<body name="b{i}" pos="0 0 {i}"><freejoint name="b{i}"/>'
                           f'<geom {KINDS[i % 6]}/></body>' for i in range(12)))
        model = mujoco.MjModel.from_xml_string(text)
        data = mujoco.MjData(model)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "view.xml"
            path.write_text(text, encoding="utf-8")
            scene = isobar.load(path)
        world = scene.create_world()
        sensors = scene.create_sensors(world)
        worst, misses = {"mesh": (0.0, 0), "other": (0.0, 0)}, 0
        for _ in range(10):
            for i, name in enumerate(["eye"] + [f"b{i}" for i in range(12)]):
                away = generator.normal(size=3)
                place = np.array([0, 0, 2.5]) + (i > 0) * away / np.linalg.norm(away)
                quaternion = generator.normal(size=4)
                quaternion /= np.linalg.norm(quaternion)
                at = model.joint(name).qposadr[0]
                data.qpos[at:at + 7] = [*place, *quaternion]
                world.set_free_body(name, isobar.Pose(quaternion_matrix(quaternion), place))
            mujoco.mj_forward(model, data)
            sensors.update()
            for i in range(count):
                wanted, distance = float(data.sensordata[i]), sensors[f"r{i}"][0]
                hit = world.ray_cast(data.site_xpos[i], data.site_xmat[i].reshape(3, 3)[:, 2],
                                     ignored_body="eye")
                self.assertEqual(wanted < 0, distance < 0, f"ray {i}")
                self.assertEqual(wanted < 0, hit is None, f"ray {i}")
                if hit is None:
                    misses += 1
                    continue
                self.assertAlmostEqual(hit.distance / distance, 1.0, delta=1e-12)
                name = world.body_names[hit.body].split("::")[-1]
                kind = "mesh" if name in ("b5", "b11") else "other"
                error, hits = worst[kind]
                worst[kind] = max(error, abs(wanted - distance) / max(1.0, wanted)), hits + 1
        print(f"rangefinder: {worst}, {misses} without a hit")
        self.assertTrue(worst["mesh"][1] > 50 and worst["other"][1] > 1000 and misses > 1000)
        self.assertLess(worst["other"][0], 1e-11)  # measured 2.5e-13; meshes 8.1e-8
        self.assertLess(worst["mesh"][0], 1e-6)  # MuJoCo keeps vertices as floats


class MujocoSensors(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        path = pathlib.Path(self.folder.name) / "arm.xml"
        path.write_text(MODEL, encoding="utf-8")
        self.model = mujoco.MjModel.from_xml_path(str(path))
        self.data = mujoco.MjData(self.model)
        self.scene = isobar.load(path)

    def tearDown(self):
        self.folder.cleanup()

    def set_state(self, world, generator):
        model, data = self.model, self.data
        data.qvel[:] = generator.normal(size=model.nv)
        q, v = world.get_state()
        for body in range(1, world.body_count):
            c = world.coordinates(body)
            if c.v_count == 0:
                continue
            name = (c.joint_name or "arm::air").split("::")[-1]
            j = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_JOINT, name)
            qa, va = model.jnt_qposadr[j], model.jnt_dofadr[j]
            twist = data.qvel[va:va + c.v_count]
            if c.q_count == 1:
                data.qpos[qa] = q[c.q_index] = generator.uniform(-1, 1)
                v[c.v_index] = twist[0]
                continue
            quaternion = generator.normal(size=4)
            quaternion /= np.linalg.norm(quaternion)
            q[c.q_index:c.q_index + 4] = quaternion
            turn = quaternion_matrix(quaternion)
            if c.q_count == 4:
                data.qpos[qa:qa + 4] = quaternion
                v[c.v_index:c.v_index + 3] = turn @ twist
            else:
                place = generator.uniform(-1, 1, 3)
                data.qpos[qa:qa + 7] = [*place, *quaternion]
                q[c.q_index + 4:c.q_index + 7] = place
                v[c.v_index:c.v_index + 3] = turn @ twist[3:]
                v[c.v_index + 3:c.v_index + 6] = twist[:3]
        world.set_state(q, v)

    def compare(self, sensors, worst):
        model, data = self.model, self.data
        for i in range(model.nsensor):
            kind = NAMES.get(int(model.sensor_type[i]))
            if kind is None:
                continue
            name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_SENSOR, i)
            start, size = model.sensor_adr[i], model.sensor_dim[i]
            wanted, found = data.sensordata[start:start + size], sensors[name][PARTS[kind]]
            if kind == "framelinacc":
                found = found - model.opt.gravity
            if "axis" in kind:  # a column of the turn
                found = quaternion_matrix(found)[:, "xyz".index(kind[5])]
            if "quat" in kind:  # either sign
                found = found * np.sign(np.dot(found, wanted))
            scale = max(1.0, np.abs(wanted).max())
            worst[kind] = max(worst.get(kind, 0.0), np.abs(wanted - found).max() / scale)

    def test_random_states(self):
        world = self.scene.create_world()
        world.task = None
        sensors = self.scene.create_sensors(world)
        self.assertEqual(len(sensors), self.model.nsensor - 1)  # the clock is warned of
        generator = np.random.default_rng(7)
        worst = {}
        for _ in range(30):
            self.set_state(world, generator)
            self.data.ctrl[:] = efforts = generator.normal(size=3)
            mujoco.mj_forward(self.model, self.data)
            for name, gear, effort in zip(("m", "pull", "single"), (1, 1, -2), efforts):
                world.set_actuation(name, gear * effort)
            world.update_contacts()
            sensors.update()
            self.compare(sensors, worst)
        self.assertEqual(set(worst), set(PARTS))
        for kind, error in worst.items():
            # Relative where values are above 1. Measured: framelinacc 3.8e-14, torque 1.1e-14,
            # force 8.7e-15, gyro 2.2e-15, the others 2e-15 at most.
            self.assertLess(error, 1e-11, kind)
        print({kind: f"{error:.1e}" for kind, error in worst.items() if "tendon" in kind})

    def test_a_step_reads_the_accelerations_at_its_start(self):
        # Explicit: no damper and no spring, so that the mean over a step is the value at its start.
        self.model.dof_damping[:] = 0.0
        self.model.jnt_stiffness[:] = 0.0
        self.model.tendon_damping[:] = 0.0
        self.model.tendon_stiffness[:] = 0.0
        for part in self.scene.model.joints + self.scene.model.fixed_tendons:
            part.damping = part.stiffness = 0.0
        world = self.scene.create_world(method="lagged")
        world.task = None
        sensors = self.scene.create_sensors(world)
        self.set_state(world, np.random.default_rng(3))
        self.data.ctrl[:] = 0.7, 0.4, -0.3
        mujoco.mj_forward(self.model, self.data)
        for name, effort in (("m", 0.7), ("pull", 0.4), ("single", 0.6)):
            world.set_actuation(name, effort)
        world.step()
        sensors.update()
        turn, swing = 0.7 + 0.7 * 0.4, 0.6 - 1.3 * 0.4  # what all actuators do there
        self.assertAlmostEqual(sensors["act_frc"][2], turn, delta=1e-15)
        np.testing.assert_allclose([sensors.named("ten_frc")["actuator_effort"],
                                    sensors.named("pull_frc")["actuator_effort"]],
                                   float(self.data.sensor("ten_frc").data[0]), rtol=1e-15)
        # The tendon of one joint amounts to it: the effort there.
        self.assertAlmostEqual(sensors.named("one_frc")["effort"], swing, delta=1e-15)
        for name in ("acc_tip", "force_elbow", "torque_tip", "gyro_beak", "acc_beak"):
            i = mujoco.mj_name2id(self.model, mujoco.mjtObj.mjOBJ_SENSOR, name)
            start = self.model.sensor_adr[i]
            wanted = self.data.sensordata[start:start + 3]
            found = sensors[name][PARTS[NAMES[int(self.model.sensor_type[i])]]]
            # The solver's tolerance; measured 2e-12. The gyroscopic moment of the free bird is that of
            # the middle of the step, half a step later: measured 5.6e-5.
            bound = 5e-4 if name == "acc_beak" else 1e-8
            self.assertLess(np.abs(wanted - found).max(), bound * max(1, np.abs(wanted).max()), name)


if __name__ == "__main__":
    unittest.main()
