# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Tendons over sites, spheres, cylinders and pulleys, and actuators of sites, balls and free joints
have the lengths, rates, passive forces and accelerations that MuJoCo finds, in drawn scenes; and so
have armatures of such tendons.

Skipped where mujoco or the shared library are missing.
"""

import pathlib
import re
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


def draw_route(random, sides, bodies=BODIES):
    """What a <spatial> runs over; not two sites alone, which are a constraint here. Without sides only
    over sites and pulleys."""
    parts = []
    pieces = int(random.integers(1, 4))
    for piece in range(pieces):
        if piece > 0:
            parts.append(f'<pulley divisor="{random.uniform(0.5, 3):.17g}"/>')
        names = list(random.permutation([f"s_{b}{i}" for b in bodies for i in range(3)]))
        for i in range(int(random.integers(3, 6))):
            if i > 0 and sides and random.random() < 0.7:
                kind, body = random.choice(["sphere", "cylinder"]), random.choice(bodies[1:])
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


def draw_armatures(seed, sides, bodies):
    """A branch and two others, and two tendons with armatures."""
    random = np.random.default_rng(seed)
    axis = [random.normal(size=3) for _ in range(4)]
    b = draw_body(random, "b", '<joint name="jb" type="ball"/>')
    a = draw_body(random, "a", f'<joint name="ja" axis="{numbers(axis[0])}"/>'
                               f'<joint name="ka" type="slide" axis="{numbers(axis[1])}"/>', b)
    d = draw_body(random, "d", f'<joint name="jd" axis="{numbers(axis[2])}"/>')
    c = draw_body(random, "c", '<freejoint name="jc"/>', d)
    e = draw_body(random, "e", f'<joint name="je" axis="{numbers(axis[3])}"/>')
    tendons = "".join(f'<spatial name="t{k}" armature="{random.uniform(0.2, 2):.17g}">'
                      f'{draw_route(random, sides, bodies)}</spatial>' for k in range(2))
    return (f'<mujoco model="m"><option gravity="1 -2 -9"/><worldbody>{draw_sites(random, "world")}'
            f'{a}{c}{e}</worldbody><tendon>{tendons}</tendon></mujoco>'), random


def slopes(model, data):
    """dl/dq of all tendons."""
    full = np.zeros((model.ntendon, model.nv))
    for k in range(model.ntendon):
        start, count = model.ten_J_rowadr[k], model.ten_J_rownnz[k]
        full[k, model.ten_J_colind[start:start + count]] = data.ten_J[start:start + count]
    return full


def slope_changes(model, data):
    """d(dl/dq)/dt v by differences, and how far two of them are apart."""
    moved, found = mujoco.MjData(model), []
    for step in (2e-4, 1e-4):
        sides = []
        for way in (step, -step):
            moved.qpos[:] = data.qpos
            mujoco.mj_integratePos(model, moved.qpos, data.qvel, way)
            mujoco.mj_fwdPosition(model, moved)
            sides.append(slopes(model, moved))
        found.append((sides[0] - sides[1]) @ data.qvel / (2 * step))
    return (4 * found[1] - found[0]) / 3, np.abs(found[1] - found[0]).max()


def whole_mass(model, data):
    full, unit = np.zeros((model.nv, model.nv)), np.eye(model.nv)
    for i in range(model.nv):
        mujoco.mj_mulM(model, data, full[i], unit[i])
    return full


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

    def compare_armatures(self, seed, sides, bodies, is_direct):
        """Mass matrix and accelerations: MuJoCo's own, or what its slopes of lengths make of them, as it
        takes no armature of tendons that are wound and none between branches."""
        text, random = draw_armatures(seed, sides, bodies)
        plain = re.sub(' armature="[^"]*"', "", text)
        model = mujoco.MjModel.from_xml_string(text if is_direct else plain)
        rotors = np.diag([float(x) for x in re.findall(' armature="([^"]*)"', text)])
        data = mujoco.MjData(model)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "m.xml"
            path.write_text(text, encoding="utf-8")
            world = isobar.load(path).create_world()
        joints = state_map(model, world, "m")
        worst, count = np.zeros(2), 0
        for _ in range(6):
            q_mujoco, q, s = random_state(model, joints, world.q_count, random)
            data.qpos[:], data.qvel[:] = q_mujoco, random.normal(size=model.nv)
            mujoco.mj_forward(model, data)
            world.set_state(q, s @ data.qvel)
            mass, expected = whole_mass(model, data), np.array(data.qacc)
            if not is_direct:
                change, jump = slope_changes(model, data)
                if jump > 1e-4:  # a line begins to touch what it is wound around
                    continue
                j, inertial = slopes(model, data), mass @ data.qacc
                mass = mass + j.T @ rotors @ j
                expected = np.linalg.solve(mass, inertial - j.T @ rotors @ change)
            count += 1
            off = s.T @ world.mass_matrix() @ s - mass
            worst[0] = max(worst[0], np.abs(off).max())
            ours = np.array(world.forward_dynamics(world.passive_forces()))
            worst[1] = max(worst[1], np.abs(ours - s @ expected).max())
        return worst, count

    def compare_all_armatures(self, seeds, sides, bodies, is_direct):
        every, count = np.zeros(2), 0
        for seed in seeds:
            with self.subTest(seed=seed):
                worst, states = self.compare_armatures(seed, sides, bodies, is_direct)
                every = np.maximum(every, worst)
                count += states
        self.assertGreater(count, 4 * len(seeds))
        return every

    def test_armatures_over_sites_and_pulleys_are_those_of_mujoco(self):
        mass, acceleration = self.compare_all_armatures(range(100, 125), [], ("world", "a", "b"), True)
        self.assertLess(mass, 1e-12)  # measured 5.0e-14
        self.assertLess(acceleration, 1e-12)  # 4.5e-14

    def test_armatures_of_wound_tendons_and_between_branches_follow_from_lengths(self):
        mass, acceleration = self.compare_all_armatures(range(200, 230), ["none", "out"], BODIES, False)
        self.assertLess(mass, 1e-12)  # measured 4.0e-14
        self.assertLess(acceleration, 5e-9)  # 6.4e-10, of the differences

    def test_along_the_inside_it_is_within_the_tolerance_of_mujoco(self):
        """Its search for the point ends at 1e-6: lengths, which are shortest there, feel little."""
        length, rate, passive, acceleration = self.compare_all(range(40, 70), ["in"])
        self.assertLess(length, 1e-12)  # measured 1.4e-13
        self.assertLess(rate, 1e-5)  # 1.2e-6
        self.assertLess(passive, 1e-3)  # 5.9e-5
        self.assertLess(acceleration, 1e-3)  # 1.1e-4


if __name__ == "__main__":
    unittest.main()
