# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""MJCF files have the masses, inertias, poses, mass matrices, weights and servos that MuJoCo finds.

Skipped where mujoco or the shared library are missing.
"""

import itertools
import pathlib
import sys
import tempfile
import unittest

MODELS = sorted((pathlib.Path(__file__).parents[1] / "mjcf").glob("*.xml"))

try:
    import mujoco
    import numpy as np

    import isobar
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)


def rotation(quaternion):
    matrix = np.zeros(9)
    mujoco.mju_quat2Mat(matrix, np.asarray(quaternion, dtype=float))
    return matrix.reshape(3, 3)


def state_map(model, world, scope):
    """For each joint of MuJoCo: its kind, name, and where its coordinates are in q and v here."""
    by_name = {}
    for body in range(1, world.body_count):
        coordinates = world.coordinates(body)
        name = coordinates.joint_name or "free:" + world.body_names[body]
        by_name[name] = coordinates
    joints = []
    for j in range(model.njnt):
        name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_JOINT, j)
        kind = model.jnt_type[j]
        if kind == mujoco.mjtJoint.mjJNT_FREE:
            body = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_BODY, model.jnt_bodyid[j])
            key = f"free:{scope}::{body}"
        else:
            key = f"{scope}::{name}"
        joints.append((kind, model.jnt_qposadr[j], model.jnt_dofadr[j], by_name[key]))
    return joints


def random_state(model, joints, nq, generator):
    """Random positions of both, and S with v_isobar = S v_mujoco."""
    q_mujoco, q = np.zeros(model.nq), np.zeros(nq)
    s = np.zeros((model.nv, model.nv))
    for kind, qa, va, c in joints:
        if kind == mujoco.mjtJoint.mjJNT_FREE:
            quaternion = generator.normal(size=4)
            quaternion /= np.linalg.norm(quaternion)
            p = generator.uniform(-1, 1, 3)
            q_mujoco[qa:qa + 7] = [*p, *quaternion]
            q[c.q_index:c.q_index + 7] = [*quaternion, *p]
            s[c.v_index:c.v_index + 3, va + 3:va + 6] = rotation(quaternion)
            s[c.v_index + 3:c.v_index + 6, va:va + 3] = np.eye(3)
        elif kind == mujoco.mjtJoint.mjJNT_BALL:
            quaternion = generator.normal(size=4)
            quaternion /= np.linalg.norm(quaternion)
            q_mujoco[qa:qa + 4] = q[c.q_index:c.q_index + 4] = quaternion
            s[c.v_index:c.v_index + 3, va:va + 3] = rotation(quaternion)
        else:
            q_mujoco[qa] = q[c.q_index] = generator.uniform(-1, 1)
            s[c.v_index, va] = 1.0
    return q_mujoco, q, s


BIRD = """<mujoco model="m"><worldbody><body name="b"><joint name="f" type="free" damping="0.3"/>
<inertial pos="0.1 0.2 0" mass="2" diaginertia="0.1 0.2 0.15"/></body></worldbody></mujoco>"""


class FreeJoints(unittest.TestCase):
    def test_damping_of_a_free_joint_is_that_of_mujoco(self):
        model = mujoco.MjModel.from_xml_string(BIRD)
        data = mujoco.MjData(model)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "bird.xml"
            path.write_text(BIRD, encoding="utf-8")
            world = isobar.load(path).create_world()
        generator = np.random.default_rng(5)
        for _ in range(10):
            joints = [(mujoco.mjtJoint.mjJNT_FREE, 0, 0, world.coordinates("b"))]
            q_mujoco, q, s = random_state(model, joints, world.q_count, generator)
            data.qpos[:], data.qvel[:] = q_mujoco, generator.normal(size=6)
            mujoco.mj_forward(model, data)
            world.set_state(q, s @ data.qvel)
            forces = world.passive_forces()
            # Measured 2.2e-16 and 7.1e-15.
            self.assertLess(np.abs(s.T @ forces - data.qfrc_passive).max(), 1e-14)
            off = data.qacc - np.linalg.solve(s, world.forward_dynamics(forces))
            self.assertLess(np.abs(off).max(), 1e-13)


ROLLERS = """<mujoco model="m"><worldbody>
<body name="a" euler="20 30 40"><joint type="ball" pos="0.1 0 0.2"/><geom size="0.1"/>
<body name="b" pos="0.4 0 0" euler="0 50 10"><joint type="ball"/><geom size="0.1"/></body></body>
<body name="c" euler="10 0 70"><freejoint/><geom size="0.1"/></body></worldbody>
<keyframe><key qpos="0.8 0.2 -0.4 0.4 0.1 0.7 0.1 0.7 1 2 3 0.5 0.5 -0.5 0.5"
qvel="1 2 -3 0.4 -0.5 0.6 7 8 9 -1 0.2 3"/></keyframe></mujoco>"""


class Keyframes(unittest.TestCase):
    def test_bodies_that_roll_start_with_the_velocities_of_mujoco(self):
        model = mujoco.MjModel.from_xml_string(ROLLERS)
        data = mujoco.MjData(model)
        mujoco.mj_resetDataKeyframe(model, data, 0)
        mujoco.mj_forward(model, data)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "rollers.xml"
            path.write_text(ROLLERS, encoding="utf-8")
            world = isobar.load(path, keyframe=0).create_world()
        twist = np.zeros(6)
        for b in range(1, model.nbody):
            mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_XBODY, b, twist, 0)
            off = np.abs(world.body_twist(f"m::{'abc'[b - 1]}") - twist).max()
            self.assertLess(off, 1e-13)  # measured 1.3e-15


class MujocoModels(unittest.TestCase):
    def compare(self, path):
        model = mujoco.MjModel.from_xml_path(str(path))
        data = mujoco.MjData(model)
        scene = isobar.load(path)
        world = scene.create_world()
        scope = path.stem
        joints = state_map(model, world, scope)
        self.assertEqual(world.v_count, model.nv)
        for b in range(1, model.nbody):
            name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_BODY, b)
            mass = model.body_mass[b]  # measured 4.5e-16 of it
            self.assertAlmostEqual(world.body_mass(f"{scope}::{name}"), mass, delta=1e-14 * mass)
        generator = np.random.default_rng(1)
        residuals = [0.0, 0.0, 0.0, 0.0]
        for _ in range(20):
            q_mujoco, q, s = random_state(model, joints, world.q_count, generator)
            data.qpos[:] = q_mujoco
            mujoco.mj_forward(model, data)
            full = np.zeros((model.nv, model.nv))
            unit = np.zeros(model.nv)
            for i in range(model.nv):  # mj_fullM's arguments depend on the version
                unit[:] = 0.0
                unit[i] = 1.0
                mujoco.mj_mulM(model, data, full[i], unit)
            world.set_state(q)
            ours = s.T @ world.mass_matrix() @ s
            residuals[0] = max(residuals[0], np.abs(ours - full).max() / np.abs(full).max())
            weights = data.qfrc_bias - data.qfrc_gravcomp  # at rest
            off = np.abs(s.T @ world.bias() - weights).max()
            residuals[3] = max(residuals[3], off / np.abs(weights).max())
            for b in range(1, model.nbody):
                name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_BODY, b)
                pose = world.body_pose(f"{scope}::{name}")
                residuals[1] = max(residuals[1], np.abs(pose.translation - data.xpos[b]).max())
                turned = pose.rotation - data.xmat[b].reshape(3, 3)
                residuals[2] = max(residuals[2], np.abs(turned).max())
        return residuals

    def test_mass_matrices_weights_and_poses_are_those_of_mujoco(self):
        self.assertGreaterEqual(len(MODELS), 3)
        for path in MODELS:
            with self.subTest(model=path.name):
                residuals = self.compare(path)
                print(path.name, *(f"{r:.1e}" for r in residuals))
                # Measured 1.5e-15; 4.8e-12 with meshes, whose centres MuJoCo keeps in single
                # precision.
                self.assertLess(max(residuals), 1e-10)

    def test_dampings_of_servos_are_those_of_mujoco(self):
        path = MODELS[0].parent / "servos.xml"
        model = mujoco.MjModel.from_xml_path(str(path))
        world = isobar.load(path).create_world()
        worst = 0.0
        for i in range(model.nu):
            name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_ACTUATOR, i)
            gains = world.actuator_gains(f"servos::{name}")
            theirs = -model.actuator_biasprm[i][1:3] * model.actuator_gear[i][0] ** 2
            worst = max(worst, *np.abs(np.array([gains.kp, gains.kd]) / theirs - 1.0))
        print(f"servos.xml: gains differ by {worst:.1e}")
        self.assertLess(worst, 1e-13)

    def test_fixed_tendons_move_as_those_of_mujoco(self):
        """Springs, dampers and actuators along sums of joints of one tree and of two."""
        path = MODELS[0].parent / "tendons.xml"
        model = mujoco.MjModel.from_xml_path(str(path))
        data = mujoco.MjData(model)
        mujoco.mj_resetDataKeyframe(model, data, 0)
        scene = isobar.load(path, keyframe=0)
        world = scene.create_world(method="rk4")
        task = scene.create_task(world)
        for i in range(model.nu):
            name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_ACTUATOR, i)
            gains = world.actuator_gains(f"tendons::{name}")
            theirs = -model.actuator_biasprm[i][1:3] * model.actuator_gear[i][0] ** 2
            np.testing.assert_allclose([gains.kp, gains.kd], theirs, rtol=1e-8)  # measured 2e-9
        for _ in range(400):
            task.step()
            mujoco.mj_step(model, data)
        q, v = world.get_state()
        worst = max(np.abs(q - data.qpos).max(), np.abs(v - data.qvel).max())
        lengths = np.array([tendon.length for tendon in world.fixed_tendons])
        print(f"tendons.xml: state differs by {worst:.1e}")
        self.assertLess(worst, 1e-9)  # measured 1.2e-14 with gains of the same bits
        np.testing.assert_allclose(lengths, data.ten_length, atol=1e-9)

    def test_springs_of_tendons_rest_where_those_of_mujoco_do(self):
        """-1 says where the joints' springs rest, every other number is a length, below 0 too."""
        worst = 0.0
        for rest, fixed in itertools.product(("-1", "-0.5", "-1 -1", "-2 -2", "0", "0.3"),
                                             ('<joint joint="a" coef="0.7"/>',
                                              '<joint joint="a" coef="0.7"/><joint joint="b" coef="-2"/>')):
            text = f"""<mujoco model="rest"><worldbody>
              <body><joint name="a" axis="0 1 0" springref="20" damping="0.1"/><geom size="0.1"/>
              <body pos="1 0 0"><joint name="b" type="slide" ref="0.1"/><geom size="0.1"/></body>
              </body></worldbody>
              <tendon><fixed stiffness="3" damping="0.2" springlength="{rest}">{fixed}</fixed></tendon>
              </mujoco>"""
            model = mujoco.MjModel.from_xml_string(text)
            data = mujoco.MjData(model)
            with tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder) / "rest.xml"
                path.write_text(text, encoding="utf-8")
                world = isobar.load(path).create_world()
            generator = np.random.default_rng(5)
            for _ in range(5):
                data.qpos[:], data.qvel[:] = generator.uniform(-1, 1, (2, 2))
                mujoco.mj_forward(model, data)
                world.set_state(data.qpos, data.qvel)
                worst = max(worst, np.abs(world.passive_forces() - data.qfrc_passive).max())
        print(f"springs of tendons at rest anywhere: differ by {worst:.1e}")
        self.assertLess(worst, 1e-13)

    def test_equalities_of_tendons_hold_what_those_of_mujoco_do(self):
        """One joint, two and three, of one tendon and of two: where ours hold, MuJoCo's errors are 0."""
        joints = "".join(f"""<body pos="0.3 0 0"><joint name="{n}" axis="0 1 0" ref="{10 * i}"/>
          <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.02"/>""" for i, n in enumerate("abcdefg"))
        joints += 7 * "</body>"
        text = f"""<mujoco model="held"><option gravity="1 0 -9.81"><flag contact="disable"/></option>
          <worldbody>{joints}</worldbody><tendon>
          <fixed name="one"><joint joint="a" coef="2"/></fixed>
          <fixed name="two" stiffness="3" range="0.9 1" limited="true"><joint joint="b" coef="0.5"/>
            <joint joint="c" coef="-1.5"/></fixed>
          <fixed name="three"><joint joint="d" coef="1"/><joint joint="e" coef="0.3"/></fixed>
          <fixed name="other"><joint joint="f" coef="-2"/><joint joint="e" coef="0.1"/></fixed>
          <fixed name="last"><joint joint="g" coef="3"/></fixed>
          <fixed name="also"><joint joint="f" coef="1"/></fixed></tendon>
          <equality><tendon name="one" tendon1="one" polycoef="0.2"/>
          <tendon name="two" tendon1="two"/>
          <tendon name="three" tendon1="three" tendon2="other" polycoef="0.1 0.5 0 0 0"/>
          <tendon name="pair" tendon1="last" tendon2="also" polycoef="-0.3 2 0 0 0"/></equality></mujoco>"""
        model = mujoco.MjModel.from_xml_string(text)
        data = mujoco.MjData(model)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "held.xml"
            path.write_text(text, encoding="utf-8")
            scene = isobar.load(path)
        order = [joint.name[-1] for joint in scene.model.joints]
        couplers, (tie,) = scene.model.couplers, scene.model.fixed_tendons
        self.assertEqual((tie.name, tie.lower), ("held::three_equality", tie.upper))
        generator = np.random.default_rng(9)
        worst = 0.0
        for _ in range(10):
            q = generator.uniform(-1, 1, 7)
            q[0] = scene.model.joints[0].upper
            # In their order: "pair" gives g by f, the three of "tie" give d by e and f.
            for coupler in couplers:
                q[coupler.joint_b] = coupler.ratio * q[coupler.joint_a] + coupler.offset
            q[tie.joints[0]] += (tie.lower - tie.weights @ q[tie.joints]) / tie.weights[0]
            data.qpos[:] = [q[order.index(n)] for n in "abcdefg"]
            mujoco.mj_forward(model, data)
            errors = data.efc_pos[data.efc_type == int(mujoco.mjtConstraint.mjCNSTR_EQUALITY)]
            self.assertEqual(len(errors), 4)
            worst = max(worst, np.abs(errors).max())
        # Limits close over steps, as the pose of the file is not where the sum of three is held; then
        # all stay while the chain falls.
        slack = 0.0
        world = scene.create_world(time_step=1e-3)
        world.step(100)
        for _ in range(400):
            world.step()
            q, v = world.get_state()
            slack = max(slack, abs(tie.weights @ q[tie.joints] - tie.lower), abs(q[0] - scene.model.joints[0].upper),
                        *(abs(q[c.joint_b] - c.ratio * q[c.joint_a] - c.offset) for c in couplers))
        print(f"tendon equalities: MuJoCo's errors {worst:.1e}, ours {slack:.1e} rad along steps, "
              f"at {np.abs(v).max():.1f} rad/s")
        self.assertLess(worst, 1e-14)  # measured 8.9e-16
        self.assertLess(slack, 1e-5)  # measured 6.4e-7

    def test_tendons_pull_chains_of_couplings_as_one(self):
        """b = r a and c = s b move as one mass; a tendon over a and c pulls it by its weight of a, be
        it the joint's (c = r s a) or a fixed tendon's (each coupled with the next)."""
        generator = np.random.default_rng(3)
        worst = 0.0
        for is_chain in 20 * (False, True):
            r, s, weight, pull = generator.uniform(0.3, 2, 4) * generator.choice((-1, 1), 4)
            leader, ratio = ("b", s) if is_chain else ("a", r * s)
            bodies = "".join(f"""<body><joint name="{n}" type="slide" axis="1 0 0"/>
              <geom size="0.1" mass="{i + 1}" contype="0"/></body>""" for i, n in enumerate("abc"))
            text = f"""<mujoco model="m"><option gravity="0 0 0"/><worldbody>{bodies}</worldbody>
              <equality><joint joint1="b" joint2="a" polycoef="0 {r:.17g} 0 0 0"/>
              <joint joint1="c" joint2="{leader}" polycoef="0 {ratio:.17g} 0 0 0"/></equality>
              <tendon><fixed name="t"><joint joint="a" coef="1"/><joint joint="c" coef="{weight:.17g}"/>
              </fixed></tendon><actuator><motor name="pull" tendon="t"/></actuator></mujoco>"""
            with tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder) / "chain.xml"
                path.write_text(text, encoding="utf-8")
                world = isobar.load(path).create_world(time_step=1e-3)
            self.assertEqual(len(world.fixed_tendons), int(is_chain))
            whole = 1 + weight * r * s
            world.set_actuation("m::pull", feed_forward=pull * (1 if is_chain else whole))
            world.step(100)
            v = world.joint_velocities[[world.joint_index(f"m::{n}") for n in "abc"]]
            expected = 0.1 * pull * whole / (1 + 2 * r**2 + 3 * (r * s)**2) * np.array([1, r, r * s])
            worst = max(worst, np.abs(v - expected).max() / np.abs(0.1 * pull))
        print(f"tendons over couplings: {worst:.1e} of the velocity of the pull alone")
        self.assertLess(worst, 1e-9)  # measured 2.1e-11

    def test_motors_reach_the_efforts_of_mujoco(self):
        """At both ends of their controls and beyond, whatever bounds them on which side."""
        path = MODELS[0].parent / "motors.xml"
        model = mujoco.MjModel.from_xml_path(str(path))
        data = mujoco.MjData(model)
        for control in (-100.0, -1.5, 0.0, 1.0, 100.0):
            data.ctrl[:] = control
            mujoco.mj_forward(model, data)
            world = isobar.load(path).create_world()
            for i in range(model.nu):
                gear = model.actuator_gear[i][0]
                world.set_actuation(f"motors::m{i}", feed_forward=gear * control)
            world.step()
            for i in range(model.nu):
                ours = world.joint_efforts[world.actuator_joint(f"motors::m{i}")]
                self.assertAlmostEqual(ours, data.qfrc_actuator[i], delta=1e-12)  # measured 0

    def test_a_joint_bounds_what_its_actuators_do_together_as_in_mujoco(self):
        """Motors against each other and servos, of which each alone is bounded elsewhere."""
        motors = '<motor joint="j" gear="10"/><motor joint="j" gear="-3"/>'
        servos = '<position joint="j" kp="50" forcerange="-40 30"/><velocity joint="j" kv="50"/>'
        cases = ((motors, (1, 1), 0), (motors, (1, 3), 0), (motors, (-1, 3), 0),
                 (motors, (0.4, 0.9), 0), (servos, (1, 0), 3), (servos, (1, 0), -3),
                 (servos, (1, 0.02), -0.58), (servos + motors, (1, 1, -0.3, 2), 0.8))
        worst = 0.0
        for actuators, controls, speed in cases:
            text = f"""<mujoco model="m"><option timestep="0.001"/>
<worldbody><body><joint name="j" axis="0 1 0" actuatorfrcrange="-1 2"/>
<geom type="capsule" size=".05" fromto="0 0 0 .5 0 0"/></body></worldbody>
<actuator>{actuators}</actuator>
<keyframe><key qvel="{speed}" ctrl="{' '.join(map(str, controls))}"/></keyframe></mujoco>"""
            model = mujoco.MjModel.from_xml_string(text)
            model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
            data = mujoco.MjData(model)
            mujoco.mj_resetDataKeyframe(model, data, 0)
            with tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder) / "m.xml"
                path.write_text(text, encoding="utf-8")
                worlds = [isobar.load(path, settings={"simulation.method": method}, keyframe=0).create_world()
                          for method in ("rk4", "lagged")]
            for world in worlds:
                for _ in range(50):
                    world.step()
            mujoco.mj_step(model, data, 50)
            mujoco.mj_forward(model, data)
            exact, lagged = worlds
            worst = max(worst, abs(exact.joint_efforts[0] - data.qfrc_actuator[0]),
                        abs(exact.joint_velocities[0] - data.qvel[0]))
            self.assertAlmostEqual(lagged.joint_efforts[0], data.qfrc_actuator[0], delta=0.05)
            self.assertAlmostEqual(lagged.joint_velocities[0], data.qvel[0], delta=6e-3)  # measured 3e-3: order 1
            self.assertTrue(-1 - 1e-12 < lagged.joint_efforts[0] < 2 + 1e-12)
        print(f"efforts bounded together: {worst:.1e}")
        self.assertLess(worst, 1e-9)

    def test_flags_and_a_spring_of_rest_length_0_move_as_in_mujoco(self):
        """One after the other disabled; the spring of a site pulls at another."""
        flags = ("limit", "spring", "damper", "equality", "clampctrl", "actuation", "gravity", "")
        worst = 0.0
        for flag in flags:
            text = f"""<mujoco model="m"><compiler autolimits="true"/><option timestep="0.001">
<flag {f'{flag}="disable"' if flag else ''}/></option>
<worldbody><site name="w" pos="0 0 1.5"/><body name="a"><joint name="j" axis="0 1 0" damping="0.3"
stiffness="2" range="-5 5"/><geom type="capsule" size=".05" fromto="0 0 0 .5 0 0"/>
<site name="s" pos=".5 0 0"/></body>
<body name="b" pos="0 1 0"><joint name="k" axis="0 1 0"/><geom size="0.1" pos="0.2 0 0"/></body></worldbody>
<tendon><spatial springlength="0" stiffness="30" damping="1"><site site="w"/><site site="s"/></spatial></tendon>
<equality>{'' if flag != 'equality' else '<joint joint1="j" joint2="k"/>'}</equality>
<actuator><motor joint="j" ctrlrange="-1 1"/></actuator>
<keyframe><key ctrl="3" qvel="0.5 1"/></keyframe></mujoco>"""
            model = mujoco.MjModel.from_xml_string(text)
            model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
            data = mujoco.MjData(model)
            mujoco.mj_resetDataKeyframe(model, data, 0)
            with tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder) / "m.xml"
                path.write_text(text, encoding="utf-8")
                world = isobar.load(path, settings={"simulation.method": "rk4"}, keyframe=0).create_world()
            steps = 100 if flag == "limit" else 20  # a limit is not reached before
            for _ in range(steps):
                world.step()
            mujoco.mj_step(model, data, steps)
            ours = [world.joint_velocities[world.joint_index(f"m::{n}")] for n in "jk"]
            worst = max(worst, np.abs(ours - data.qvel).max())
        print(f"flags: {worst:.1e} rad/s")
        self.assertLess(worst, 1e-9)

    def test_bounds_of_mass_and_inertia_are_those_of_mujoco(self):
        worst = 0.0
        inertials = ('mass="1" diaginertia="1 1e-3 1e-3"', 'mass="1e-3" diaginertia="1 0.3 0.9"',
                     'mass="1" fullinertia="0.5 0.4 0.7 0.1 0.2 0.05"',
                     'mass="3" fullinertia="5 4 8 0.1 0.2 0.05"', 'mass="1e-4" diaginertia="1e-9 1e-9 1e-9"')
        bodies = "".join(f'<body name="b{i}"><joint/><inertial pos="0 0 1" euler="10 {20 * i} 30" '
                         f'{text}/></body>' if "full" not in text else
                         f'<body name="b{i}"><joint/><inertial pos="0 0 1" {text}/></body>'
                         for i, text in enumerate(inertials))
        for setting in ('boundinertia="0.6"', 'boundinertia="0.6" balanceinertia="true"',
                        'boundinertia="0.1" balanceinertia="true" boundmass="0.5"',
                        'boundinertia="0.55" boundmass="2"'):
            text = (f'<mujoco model="m"><compiler {setting}/><worldbody>{bodies}'
                    '<body name="ball"><joint/><geom size="0.1"/></body>'
                    '<body name="mount"><body name="wheel"><joint/>'  # bodies without mass
                    '<body name="rim" pos="0.1 0.2 0"><geom size="0.1"/></body></body></body>'
                    '</worldbody></mujoco>')
            model = mujoco.MjModel.from_xml_string(text)
            with tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder) / "bounds.xml"
                path.write_text(text, encoding="utf-8")
                scene = isobar.load(path)
            found = {body.name: body for body in scene.model.bodies}
            data, matrix = mujoco.MjData(model), np.zeros((model.nv, model.nv))
            mujoco.mj_forward(model, data)
            mujoco.mj_fullM(model, data, matrix)
            ours = scene.create_world().mass_matrix()
            # The same joints in another order. Measured 5.6e-14 of 8.
            self.assertLess(np.abs(np.sort(np.diag(ours)) - np.sort(np.diag(matrix))).max(), 1e-12)
            for b in range(1, model.nbody):
                name = model.body(b).name
                body, turn = found[f"m::{name}"], rotation(model.body_iquat[b])
                wanted = turn @ np.diag(model.body_inertia[b]) @ turn.T
                self.assertAlmostEqual(body.mass, model.body_mass[b], delta=1e-15, msg=name)
                worst = max(worst, np.abs(body.inertia - wanted).max())
                # measured 5.5e-14 of 8: MuJoCo's principal axes of a full inertia
                self.assertLess(np.abs(body.inertia - wanted).max(), 1e-12, f"{name}, {setting}")
        print(f"bounds of inertia: {worst:.1e} kg m^2 apart")

    def test_meshes_in_the_format_of_mujoco_have_its_masses(self):
        corners = [(x, y, z) for x in (0, 1) for y in (0, 2) for z in (0, 3)]
        faces = [(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1),
                 (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3)]
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "robot.xml"
            (path.parent / "box.msh").write_bytes(
                np.array([8, 0, 0, 12], dtype="<i4").tobytes()
                + np.array(corners, dtype="<f4").tobytes() + np.array(faces, dtype="<i4").tobytes())
            path.write_text(
                "<mujoco model='m'><asset><mesh file='box.msh' scale='0.1 0.2 0.1'/></asset>"
                "<worldbody><body name='b'><freejoint/><geom type='mesh' mesh='box'/></body>"
                "</worldbody></mujoco>", encoding="utf-8")
            model = mujoco.MjModel.from_xml_path(str(path))
            world = isobar.load(path).create_world()
        self.assertAlmostEqual(world.body_mass("m::b"), 12.0, delta=1e-12)
        self.assertAlmostEqual(model.body_mass[1], 12.0, delta=1e-5)  # of single precision

    def test_corners_with_a_vertex_each_are_joined(self):
        """MuJoCo's files keep the vertices of every triangle; open surfaces weigh as their hulls."""
        corners = np.array([(0, 0, 0), (2, 0, 0), (0, 2, 0), (0, 0, 2), (0.5, 0.5, 0.5)], dtype="<f4")
        faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 4), (2, 3, 4), (3, 1, 4)]  # not convex
        points = corners[np.array(faces).ravel()]
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "robot.xml"
            (path.parent / "dent.msh").write_bytes(
                np.array([18, 0, 0, 6], dtype="<i4").tobytes() + points.tobytes()
                + np.arange(18, dtype="<i4").tobytes())
            path.write_text(
                "<mujoco model='m'><asset><mesh file='dent.msh'/></asset>"
                "<worldbody><body name='b'><freejoint/><geom type='mesh' mesh='dent'/></body>"
                "</worldbody></mujoco>", encoding="utf-8")
            world = isobar.load(path).create_world()
        # Three pyramids over the sides at the axes: 3 * (2 * 0.5) / 3 m^3.
        self.assertAlmostEqual(world.body_mass("m::b"), 1000.0, delta=1e-9)  # measured 0

    def test_hollows_have_the_mass_that_inertia_says(self):
        """A cube with a deep pyramid cut into its top, turned by a scale that mirrors it."""
        points = "0 0 0  2 0 0  2 2 0  0 2 0  0 0 2  2 0 2  2 2 2  0 2 2  1 1.25 0.25"
        faces = ("0 2 1  0 3 2  0 1 5  0 5 4  1 2 6  1 6 5  2 3 7  2 7 6  3 0 4  3 4 7 "
                 " 4 5 8  5 6 8  6 7 8  7 4 8")
        worst = 0.0
        for inertia in ("legacy", "exact", "convex"):
            text = (f"<mujoco model='m'><asset><mesh name='o' vertex='{points}' face='{faces}' "
                    f"scale='-0.125 0.25 0.125' inertia='{inertia}'/></asset><worldbody>"
                    "<body name='b'><freejoint/><geom type='mesh' mesh='o'/></body></worldbody>"
                    "</mujoco>")
            with tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder) / "m.xml"
                path.write_text(text, encoding="utf-8")
                model = mujoco.MjModel.from_xml_path(str(path))
                world = isobar.load(path).create_world()
            full = np.zeros((6, 6))
            data = mujoco.MjData(model)
            mujoco.mj_forward(model, data)
            for i in range(6):
                mujoco.mj_mulM(model, data, full[i], np.eye(6)[i])
            swap = np.eye(6)[[3, 4, 5, 0, 1, 2]]
            off = np.abs(swap @ world.mass_matrix() @ swap.T - full).max() / np.abs(full).max()
            worst = max(worst, off)
            print(f"{inertia}: mass {world.body_mass('m::b')} kg, differs by {off:.1e}")
        self.assertLess(worst, 1e-8)

    def test_copies_and_what_refers_to_them_are_named_as_mujoco_names_them(self):
        path = MODELS[0].parent / "copies.xml"
        model = mujoco.MjModel.from_xml_path(str(path))
        data = mujoco.MjData(model)
        scene = isobar.load(path, keyframe=0)
        world = scene.create_world()
        world.task = scene.create_task(world)
        world.step()
        mujoco.mj_resetDataKeyframe(model, data, 0)
        mujoco.mj_forward(model, data)

        def names(kind, count):
            return sorted("copies::" + mujoco.mj_id2name(model, kind, i) for i in range(count))

        obj = mujoco.mjtObj
        self.assertEqual(model.nbody, 28)
        self.assertEqual(sorted(world.body_names[1:]), names(obj.mjOBJ_BODY, model.nbody)[:-1])
        self.assertEqual(sorted(world.actuator_names), names(obj.mjOBJ_ACTUATOR, model.nu))
        self.assertEqual(sorted(scene.create_sensors(world).names),
                         names(obj.mjOBJ_SENSOR, model.nsensor))
        sites = names(obj.mjOBJ_SITE, model.nsite)
        self.assertEqual(sorted(f.name for f in scene.frames if f.name in sites), sites)
        start = scene.create_world()
        for i in range(model.nsite):
            name = mujoco.mj_id2name(model, obj.mjOBJ_SITE, i)
            place = scene.frame_pose(start, "copies::" + name).translation
            self.assertLess(np.abs(place - data.site_xpos[i]).max(), 1e-14)  # measured 2e-15
        for i in range(model.nu):  # controls come to the copies in MuJoCo's order
            name = "copies::" + mujoco.mj_id2name(model, obj.mjOBJ_ACTUATOR, i)
            gear = 4.0 if "rope" in name else 1.0
            self.assertEqual(world.actuation(name)[1 if "servo" in name else 0], gear * (i + 1))

    def law_of(self, world, name, q, v):
        """Effort that an actuator would have at a position and velocity of its joint."""
        gains, told = world.actuator_gains(name), world.actuation(name)
        effort = told[0] + gains.kp * (told[1] - q) + gains.kd * (told[2] - v)
        return min(max(effort, gains.effort_lower), gains.effort_upper)

    def drive(self, key, steps):
        """drives.xml from a keyframe on for some steps: MuJoCo's model and data, our world."""
        text = (MODELS[0].parent / "drives.xml").read_text(encoding="utf-8")
        text = text.replace("</mujoco>", f"<keyframe>{key}</keyframe></mujoco>")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "drives.xml"
            path.write_text(text, encoding="utf-8")
            model = mujoco.MjModel.from_xml_string(text)
            scene = isobar.load(path, keyframe=0 if key else None)
        data = mujoco.MjData(model)
        if model.nkey:
            mujoco.mj_resetDataKeyframe(model, data, 0)
        world = scene.create_world()
        world.task = scene.create_task(world)
        for step in range(steps + 1):  # the last one only tells the actuators
            world.step()
            if step < steps:
                mujoco.mj_step(model, data)
        return model, data, world

    def test_actuators_pull_as_those_of_mujoco(self):
        """At random states, after some time, whatever becomes of the controls of a keyframe; what
        lags is compared once it has arrived."""
        generator = np.random.default_rng(2)
        worst = 0.0
        for steps in (0, 1, 7, 40, 90):
            control = generator.uniform(-0.5, 1.5, 13)
            activation = generator.uniform(-0.2, 0.1, 10)
            key = "" if steps == 7 else '<key ctrl="%s"%s/>' % (
                " ".join(map(repr, map(float, control))), "" if steps == 1 else
                ' act="%s"' % " ".join(map(repr, map(float, activation))))
            model, data, world = self.drive(key, steps)
            self.assertEqual((model.nu, model.na), (13, 10))
            for i in range(model.nu):
                a = model.actuator_actadr[i]
                if a >= 0 and model.actuator_dyntype[i] != mujoco.mjtDyn.mjDYN_INTEGRATOR:
                    low, high = model.actuator_ctrlrange[i]
                    u = data.ctrl[i]
                    data.act[a] = min(max(u, low), high) if model.actuator_ctrllimited[i] else u
                elif a >= 0 and model.actuator_actlimited[i]:  # MuJoCo's first step only clamps
                    data.act[a] = np.clip(data.act[a], *model.actuator_actrange[i])
            for _ in range(5):
                data.qpos[:], data.qvel[:] = generator.uniform(-1, 1, 3), generator.uniform(-1, 1, 3)
                data.qpos[1], data.qvel[1] = 0.3 - 2.0 * data.qpos[0], -2.0 * data.qvel[0]
                mujoco.mj_forward(model, data)
                for i in range(model.nu):
                    name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_ACTUATOR, i)
                    slide = name in ("ratio", "damper", "cylinder", "lagged", "exact", "integrator")
                    # Along the motion that the equality leaves.
                    scale = 0.5 - 2.0 * 1.5 if name == "tendon" else 1.0
                    theirs = data.actuator_force[i] * model.actuator_gear[i][0] * scale
                    dof = 2 if slide else 0
                    ours = self.law_of(world, f"drives::{name}", data.qpos[dof], data.qvel[dof])
                    with self.subTest(steps=steps, actuator=name):
                        self.assertAlmostEqual(ours, theirs, delta=1e-12)
                    worst = max(worst, abs(ours - theirs))
        print(f"drives.xml: efforts differ by {worst:.1e}")  # measured 1e-14

    def test_fixed_tendons_pull_as_those_of_mujoco(self):
        path = MODELS[0].parent / "drives.xml"
        model = mujoco.MjModel.from_xml_path(str(path))
        data = mujoco.MjData(model)
        world = isobar.load(path).create_world()
        generator = np.random.default_rng(3)
        worst = 0.0
        for _ in range(20):
            q, v = generator.uniform(-1, 1, 3), generator.uniform(-1, 1, 3)
            q[1], v[1] = 0.3 - 2.0 * q[0], -2.0 * v[0]
            data.qpos[:], data.qvel[:] = q, v
            mujoco.mj_forward(model, data)
            world.set_state(q, v)
            ours, theirs = world.passive_forces(), data.qfrc_passive
            along = np.array([[1.0, -2.0, 0.0], [0.0, 0.0, 1.0]])  # what the equality leaves
            worst = max(worst, np.abs(along @ ours - along @ theirs).max())
        print(f"drives.xml: springs and dampers differ by {worst:.1e}")
        self.assertLess(worst, 1e-12)  # measured 1e-14
        limits = world.joint_limits("drives::s")
        self.assertEqual((limits.lower, limits.upper), (-1.5, 0.5))


if __name__ == "__main__":
    unittest.main()
