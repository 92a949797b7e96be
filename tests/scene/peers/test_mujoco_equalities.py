# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Equalities of joints and tendons in drawn files: curves up to the fourth power, reference positions,
lengths of routes. Errors and slopes at drawn positions are those of MuJoCo, active or not; and a
mechanism that is let go stays on its curve.

Skipped where mujoco or the shared library are missing.
"""

import pathlib
import sys
import tempfile
import unittest

from test_mujoco_models import random_state, state_map
from test_mujoco_routes import draw_body, draw_route, draw_sites

try:
    import mujoco
    import numpy as np

    import isobar
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)


TOLERANCE = 1e-13


def numbers(values):
    return " ".join(f"{value:.17g}" for value in np.atleast_1d(values))


def draw_chain(random, count):
    """A chain of hinges and slides with reference positions, and a site on each body."""
    text = ""
    for i in reversed(range(count)):
        kind = random.choice(["hinge", "slide"])
        ref = numbers(random.uniform(-0.4, 0.4)) if random.random() < 0.7 else "0"
        text = (f'<body name="b{i}" pos="{numbers(random.uniform(-0.3, 0.3, 3))}">'
                f'<joint name="j{i}" type="{kind}" axis="{numbers(random.normal(size=3))}" ref="{ref}"/>'
                f'<inertial pos="{numbers(random.uniform(-.1, .1, 3))}" mass="{random.uniform(1, 2)}" '
                f'diaginertia="0.03 0.035 0.04"/>'
                f'<site name="s{i}" pos="{numbers(random.uniform(-0.3, 0.3, 3))}"/>{text}</body>')
    return text


def draw_polynomial(random):
    """Up to the fourth power; some of the numbers 0, not all of them beyond the first."""
    c = random.uniform(-0.5, 0.5, 5) * (random.random(5) < 0.7)
    if not c[1:].any():
        c[int(random.integers(1, 5))] = 0.5
    return c


def load(text):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "m.xml"
        path.write_text(text, encoding="utf-8")
        return isobar.load(path)


def draw_joint_scene(seed, gravity="0 0 -9.81"):
    random = np.random.default_rng(seed)
    pairs = [(1, 0), (2, 0), (3, 2)]
    ties = "".join(f'<joint name="e{k}" joint1="j{b}" joint2="j{a}" polycoef="{numbers(draw_polynomial(random))}" '
                   f'active="{random.choice(["true", "false"])}"/>' for k, (b, a) in enumerate(pairs))
    text = (f'<mujoco model="m"><compiler angle="radian"/><option gravity="{gravity}"/>'
            f'<worldbody>{draw_chain(random, 4)}</worldbody><equality>{ties}</equality></mujoco>')
    return text, pairs, random


def errors_of(data, model, world, joints, random):
    """At drawn positions: the row of each equality of MuJoCo, all of them active."""
    q_mujoco, q, s = random_state(model, joints, world.q_count, random)
    data.qpos[:] = q_mujoco
    data.eq_active[:] = 1
    mujoco.mj_forward(model, data)
    world.set_state(q, np.zeros(world.v_count))
    return [list(data.efc_id[:data.ne]).index(k) for k in range(model.neq)], s


class Joints(unittest.TestCase):
    def test_errors_and_slopes_of_couplers_are_those_of_mujoco(self):
        worst = np.zeros(2)
        for seed in range(60):
            text, pairs, random = draw_joint_scene(seed)
            model = mujoco.MjModel.from_xml_string(text)
            data = mujoco.MjData(model)
            world = load(text).create_world()
            joints = state_map(model, world, "m")
            active = {c.name: c.is_on for c in world.couplers}
            for k in range(len(pairs)):
                self.assertEqual(active[f"m::e{k}"], bool(model.eq_active0[k]), seed)
            for _ in range(3):
                rows, _ = errors_of(data, model, world, joints, random)
                jacobian = data.efc_J.reshape(-1, model.nv)
                couplers = {c.name: c for c in world.couplers}
                for k, (_, a) in enumerate(pairs):
                    state = couplers[f"m::e{k}"]
                    worst[0] = max(worst[0], abs(state.residual - data.efc_pos[rows[k]]))
                    worst[1] = max(worst[1], abs(state.slope + jacobian[rows[k], a]))
        self.assertLess(worst[0], TOLERANCE, worst)  # measured 4.4e-16
        self.assertLess(worst[1], TOLERANCE, worst)  # 8.9e-16

    def test_what_starts_on_its_curve_stays_there(self):
        """Gaps close within the step after them, so they are of the order of the step's square. What is
        off feels nothing."""
        worst = 0.0
        for seed in range(20):
            text, _, _ = draw_joint_scene(seed, gravity="1 2 -3")
            world = load(text).create_world()
            for _ in range(50):
                world.step()
                worst = max([worst] + [abs(c.residual) for c in world.couplers if c.is_on])
            self.assertTrue(all(c.effort == 0.0 for c in world.couplers if not c.is_on))
        self.assertLess(worst, 1e-3)  # measured 2e-4


def draw_route_scene(seed):
    random = np.random.default_rng(1000 + seed)
    axes = [numbers(random.normal(size=3)) for _ in range(5)]
    b = draw_body(random, "b", f'<joint name="jb" axis="{axes[1]}"/>')
    a = draw_body(random, "a", f'<joint name="ja" axis="{axes[0]}"/>', b)
    d = draw_body(random, "d", f'<joint name="jd" type="slide" axis="{axes[2]}"/>')
    c = draw_body(random, "c", '<freejoint name="jc"/>', d)
    e = draw_body(random, "e", f'<joint name="je" axis="{axes[3]}"/>')
    tendons = "".join(f'<spatial name="t{k}">{draw_route(random, ["none", "out"])}</spatial>'
                      for k in range(3))
    ties = (f'<tendon name="one" tendon1="t0" polycoef="{numbers(random.uniform(-1, 1))} 0" '
            f'active="{random.choice(["true", "false"])}"/>'
            f'<tendon name="two" tendon1="t1" tendon2="t2" active="{random.choice(["true", "false"])}" '
            f'polycoef="{numbers(random.uniform(-1, 1, 2))} 0 0 0"/>')
    return (f'<mujoco model="m"><worldbody>{draw_sites(random, "world")}{a}{c}{e}</worldbody>'
            f'<tendon>{tendons}</tendon><equality>{ties}</equality></mujoco>'), random


class Routes(unittest.TestCase):
    def test_errors_of_routes_are_those_of_mujoco(self):
        worst = np.zeros(2)
        for seed in range(30):
            text, random = draw_route_scene(seed)
            model = mujoco.MjModel.from_xml_string(text)
            data = mujoco.MjData(model)
            scene = load(text)
            world = scene.create_world()
            lower = {t.name: t.lower for t in scene.model.fixed_tendons}
            joints = state_map(model, world, "m")
            on = [world.fixed_tendons[world.fixed_tendon_index(f"m::{name}_equality")].is_on
                  for name in ("one", "two")]
            self.assertEqual(on, [bool(active) for active in model.eq_active0], seed)
            for _ in range(3):
                rows, s = errors_of(data, model, world, joints, random)
                jacobian = data.efc_J.reshape(-1, model.nv)
                v = random.normal(size=model.nv)
                world.set_state(None, s @ v)
                for k, name in enumerate(["m::one_equality", "m::two_equality"]):
                    state = world.fixed_tendons[world.fixed_tendon_index(name)]
                    worst[0] = max(worst[0], abs(state.length - lower[name] - data.efc_pos[rows[k]]))
                    worst[1] = max(worst[1], abs(state.velocity - jacobian[rows[k]] @ v))
        self.assertLess(worst[0], 10 * TOLERANCE, worst)  # measured 1.1e-14
        self.assertLess(worst[1], 10 * TOLERANCE, worst)  # 3.1e-14

    def test_shares_of_critical_damping_along_routes_are_those_of_mujoco(self):
        worst = 0.0
        for seed in range(40):
            text, _ = draw_route_scene(seed)
            servos = "".join(f'<position name="p{k}" tendon="t{k}" kp="{k + 2}" dampratio="0.7" gear="1.5"/>'
                             for k in range(3))
            text = text.replace("</mujoco>", f"<actuator>{servos}</actuator></mujoco>")
            model = mujoco.MjModel.from_xml_string(text)
            for actuator in load(text).model.actuators:
                k = int(actuator.name[-1])
                expected = -model.actuator_biasprm[k, 2] * 1.5 ** 2
                worst = max(worst, abs(actuator.kd - expected) / expected)
        self.assertLess(worst, 1e-9)  # measured 1.8e-11

    def test_sums_of_three_joints_are_switched_on(self):
        bodies = "".join(f'<body name="{n}"><joint name="{n}" type="slide" axis="1 0 0"/>'
                         f'<inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/></body>' for n in "abc")
        text = (f'<mujoco model="m"><option gravity="0 0 0"/><worldbody>{bodies}</worldbody><tendon>'
                '<fixed name="t"><joint joint="a" coef="1"/><joint joint="b" coef="-2"/>'
                '<joint joint="c" coef="3"/></fixed></tendon>'
                '<equality><tendon name="e" tendon1="t" active="false"/></equality></mujoco>')
        world = load(text).create_world()
        world.set_state(None, [0.1, 0.2, 0.3])
        world.step()
        tendon = world.fixed_tendon_index("m::e_equality")
        self.assertAlmostEqual(world.fixed_tendons[tendon].velocity, 0.6, delta=1e-12)
        world.switch_fixed_tendon("m::e_equality", True)
        for _ in range(100):
            world.step()
        self.assertAlmostEqual(world.fixed_tendons[tendon].velocity, 0.0, delta=1e-9)
        self.assertAlmostEqual(world.fixed_tendons[tendon].length, 0.0, delta=1e-6)
        with self.assertRaises(isobar.NotFoundError):
            world.switch_fixed_tendon("no", True)


if __name__ == "__main__":
    unittest.main()
