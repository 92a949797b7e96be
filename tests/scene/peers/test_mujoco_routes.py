# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Tendons over sites, spheres, cylinders and pulleys, and actuators of sites, balls and free joints
have the lengths, rates, passive forces and accelerations that MuJoCo finds, in drawn scenes.

Skipped where mujoco or the shared library are missing.
"""

import pathlib
import sys
import tempfile
import unittest

from test_mujoco_models import random_state, state_map

try:
    import mujoco
    import numpy as np

    import isobar
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

BODIES = ("world", "a", "b", "c", "d", "e")


def numbers(values):
    return " ".join(f"{value:.17g}" for value in np.atleast_1d(values))


def draw_sites(random, body, count=3):
    return "".join(f'<site name="s_{body}{i}" pos="{numbers(random.uniform(-1, 1, 3))}" '
                   f'euler="{numbers(random.uniform(-90, 90, 3))}"/>' for i in range(count))


def draw_body(random, name, joint, inside=""):
    """A body with sites, an obstacle of each kind, and sites within and beside them."""
    obstacles = sides = ""
    for kind in ("sphere", "cylinder"):
        place, radius = random.uniform(-0.5, 0.5, 3), random.uniform(0.1, 0.5)
        size = radius if kind == "sphere" else [radius, 0.3]
        turn = random.uniform(-90, 90, 3)
        obstacles += (f'<geom name="{kind}_{name}" type="{kind}" size="{numbers(size)}" mass="0" '
                      f'pos="{numbers(place)}" euler="{numbers(turn)}" contype="0" '
                      f'conaffinity="0"/>')
        for where, reach in (("in", 0.3), ("out", 2.0)):
            way = random.normal(size=3)
            way *= reach * radius / np.linalg.norm(way)
            sides += f'<site name="{where}_{kind}_{name}" pos="{numbers(place + way)}"/>'
    return (f'<body name="{name}" pos="{numbers(random.uniform(-1, 1, 3))}" '
            f'euler="{numbers(random.uniform(-90, 90, 3))}">{joint}'
            f'<inertial pos="{numbers(random.uniform(-.1, .1, 3))}" mass="{random.uniform(1, 2)}" '
            f'diaginertia="0.3 0.35 0.4"/>{obstacles}{sides}{draw_sites(random, name)}{inside}'
            f'</body>')


def draw_route(random, sides):
    """What a <spatial> runs over; not two sites alone, which are a constraint here."""
    parts = []
    pieces = int(random.integers(1, 4))
    for piece in range(pieces):
        if piece > 0:
            parts.append(f'<pulley divisor="{random.uniform(0.5, 3):.17g}"/>')
        names = list(random.permutation([f"s_{b}{i}" for b in BODIES for i in range(3)]))
        for i in range(int(random.integers(3, 6))):
            if i > 0 and random.random() < 0.7:
                kind, body = random.choice(["sphere", "cylinder"]), random.choice(BODIES[1:])
                side = random.choice(sides)
                more = "" if side == "none" else f' sidesite="{side}_{kind}_{body}"'
                parts.append(f'<geom geom="{kind}_{body}"{more}/>')
            parts.append(f'<site site="{names[i]}"/>')
    return "".join(parts)


def draw_scene(seed, sides):
    """The file; by actuator its control, and its feed-forward effort here."""
    random = np.random.default_rng(seed)
    axis = [random.normal(size=3) for _ in range(4)]
    b = draw_body(random, "b", '<joint name="jb" type="ball"/>')
    a = draw_body(random, "a", f'<joint name="ja" axis="{numbers(axis[0])}"/>'
                               f'<joint name="ka" type="slide" axis="{numbers(axis[1])}"/>', b)
    d = draw_body(random, "d", f'<joint name="jd" axis="{numbers(axis[2])}"/>')
    c = draw_body(random, "c", '<freejoint name="jc"/>', d)
    e = draw_body(random, "e", f'<joint name="je" axis="{numbers(axis[3])}"/>')
    tendons = actuators = ""
    controls = {}
    for k in range(3):
        rest = random.choice(["", f' springlength="{random.uniform(0, 3):.17g}"'])
        tendons += (f'<spatial name="t{k}" stiffness="{random.uniform(1, 9):.17g}" '
                    f'damping="{random.uniform(0, 1):.17g}"{rest}>{draw_route(random, sides)}</spatial>')
    sites = random.permutation([f"s_{body}{i}" for body in BODIES for i in range(3)])
    moving = [site for site in sites if "world" not in site]
    targets = ['tendon="t0"', 'tendon="t1"', f'site="{moving[0]}"',
               f'site="{moving[1]}" refsite="{next(s for s in sites if s[2] != moving[1][2])}"',
               'joint="jb"', 'jointinparent="jb"', 'joint="jc"', 'jointinparent="jc"']
    for k, target in enumerate(targets):
        gears = random.normal(size=1 if "tendon" in target else 6)
        gear, control = numbers(gears), random.normal()
        controls[f"m{k}"] = control, control * gears[0] if "tendon" in target else control
        if random.random() < 0.5:
            actuators += f'<motor name="m{k}" {target} gear="{gear}"/>'
        else:
            actuators += (f'<general name="m{k}" {target} gear="{gear}" biastype="affine" '
                          f'gainprm="1" biasprm="0 {-random.uniform(0, 3):.17g} '
                          f'{-random.uniform(0, 1):.17g}"/>')
    text = (f'<mujoco model="m"><option gravity="0 0 0"/><worldbody>{draw_sites(random, "world")}'
            f'{a}{c}{e}</worldbody><tendon>{tendons}</tendon><actuator>{actuators}</actuator>'
            f'</mujoco>')
    return text, controls, random


class Routes(unittest.TestCase):
    def compare(self, seed, sides):
        text, controls, random = draw_scene(seed, sides)
        model = mujoco.MjModel.from_xml_string(text)
        data = mujoco.MjData(model)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "m.xml"
            path.write_text(text, encoding="utf-8")
            world = isobar.load(path).create_world()
        joints = state_map(model, world, "m")
        worst = np.zeros(4)
        wound = 0
        for _ in range(5):
            q_mujoco, q, s = random_state(model, joints, world.q_count, random)
            data.qpos[:], data.qvel[:] = q_mujoco, random.normal(size=model.nv)
            data.ctrl[:] = [control for control, _ in controls.values()]
            mujoco.mj_forward(model, data)
            mujoco.mj_rnePostConstraint(model, data)
            world.set_state(q, s @ data.qvel)
            for name, (_, effort) in controls.items():
                world.set_actuation(f"m::{name}", effort)
            for k in range(3):
                state = world.fixed_tendons[world.fixed_tendon_index(f"m::t{k}")]
                wound += int(data.ten_wrapnum[k]) > 4
                worst[0] = max(worst[0], abs(state.length - data.ten_length[k]))
                worst[1] = max(worst[1], abs(state.velocity - data.ten_velocity[k]))
            off = s.T @ world.passive_forces() - data.qfrc_passive
            worst[2] = max(worst[2], np.abs(off).max())
            world.update_contacts()
            a = np.zeros(6)
            loads, names = world.body_loads, list(world.body_names)
            for b in range(1, model.nbody):
                mujoco.mj_objectAcceleration(model, data, mujoco.mjtObj.mjOBJ_XBODY, b, a, 0)
                load = loads[names.index("m::" + BODIES[b])]
                worst[3] = max(worst[3], np.abs(np.asarray(load.a_wb) - a).max())
        return worst, wound

    def compare_all(self, seeds, sides):
        every, wound = np.zeros(4), 0
        for seed in seeds:
            with self.subTest(seed=seed):
                worst, count = self.compare(seed, sides)
                every = np.maximum(every, worst)
                wound += count
        self.assertGreater(wound, 5 * len(seeds))
        return every

    def test_all_is_that_of_mujoco(self):
        length, rate, passive, acceleration = self.compare_all(range(40), ["none", "out"])
        self.assertLess(length, 1e-13)  # measured 1.8e-14
        self.assertLess(rate, 1e-13)  # 1.6e-14
        self.assertLess(passive, 1e-11)  # 1.7e-12
        self.assertLess(acceleration, 1e-11)  # 2.3e-12

    def test_along_the_inside_it_is_within_the_tolerance_of_mujoco(self):
        """Its search for the point ends at 1e-6: lengths, which are shortest there, feel little."""
        length, rate, passive, acceleration = self.compare_all(range(40, 70), ["in"])
        self.assertLess(length, 1e-12)  # measured 1.4e-13
        self.assertLess(rate, 1e-5)  # 1.2e-6
        self.assertLess(passive, 1e-3)  # 5.9e-5
        self.assertLess(acceleration, 1e-3)  # 1.1e-4


if __name__ == "__main__":
    unittest.main()
