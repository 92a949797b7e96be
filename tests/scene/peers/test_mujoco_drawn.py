# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Drawn robots, each written as MJCF, URDF and SDFormat in ways that are drawn too: turns, frames,
classes, inertias, the order of the file. Masses, coordinates, poses and mass matrices of all three
are those of MuJoCo.

ISO_DRAWN="FIRST COUNT" looks at other seeds. Skipped where mujoco, scipy or the shared library are
missing.
"""

import logging
import os
import pathlib
import sys
import tempfile
import unittest

from test_mujoco_models import random_state, state_map

try:
    import mujoco
    import numpy as np
    from scipy.spatial.transform import Rotation

    import isobar
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

TOLERANCE = 1e-12  # measured 6.2e-15


def text(*values):
    return " ".join(f"{x:.17g}" for x in np.concatenate([np.atleast_1d(v) for v in values]))


class Pose:
    def __init__(self, turn=None, place=(0.0, 0.0, 0.0)):
        self.turn, self.place = Rotation.identity() if turn is None else turn, np.array(place)

    def __mul__(self, other):
        return Pose(self.turn * other.turn, self.place + self.turn.apply(other.place))

    def inverse(self):
        return Pose(self.turn.inv(), -self.turn.inv().apply(self.place))


def draw_pose(random, size=0.5):
    turn = Rotation.random(random_state=int(random.integers(2**31))) if random.random() < 0.8 else None
    return Pose(turn, random.uniform(-size, size, 3))


def draw_shape(random):
    """Kind, sizes, and where it is; half lengths for boxes and rods."""
    kind = str(random.choice(["sphere", "box", "cylinder", "capsule"]))
    count = {"sphere": 1, "box": 3}.get(kind, 2)
    return kind, random.uniform(0.05, 0.2, count), draw_pose(random, 0.1)


def draw(random):
    """Bodies: parent (-1: the world), pose in it, joint, axis, inertia, shape."""
    bodies = []
    for i in range(int(random.integers(1, 8))):
        moments = random.uniform(1.0, 1.9, 3) * random.uniform(0.01, 0.1)
        bodies.append({
            "parent": int(random.integers(-1, i)), "pose": draw_pose(random),
            "joint": str(random.choice(["hinge", "slide", "weld"], p=[0.55, 0.25, 0.2])),
            "axis": (lambda v: v / np.linalg.norm(v))(random.normal(size=3)),
            "mass": random.uniform(0.1, 3), "center": draw_pose(random, 0.1), "moments": moments,
            "shape": draw_shape(random), "damping": random.uniform(0, 1),
            "range": [-random.uniform(0.1, 3), random.uniform(0.1, 3)] if random.random() < 0.3 else None})
    if all(body["joint"] == "weld" for body in bodies):
        bodies[0]["joint"] = "hinge"
    return bodies


# --- MJCF ------------------------------------------------------------------------------------------


def mjcf_pose(random, pose):
    turn = pose.turn
    way = int(random.integers(5))
    if way == 0:
        how = f'quat="{text(np.roll(turn.as_quat(), 1) * random.uniform(0.5, 2))}"'
    elif way == 1:
        how = f'euler="{text(turn.as_euler("XYZ"))}"'
    elif way == 2:
        vector = turn.as_rotvec()
        angle = np.linalg.norm(vector)
        how = f'axisangle="{text(vector if angle > 0 else [0, 0, 1], angle)}"'
    elif way == 3:
        x, y, _ = turn.as_matrix().T
        how = f'xyaxes="{text(x * 2, y + 0.3 * x)}"'
    else:
        how = "" if turn.magnitude() == 0 else f'quat="{text(np.roll(turn.as_quat(), 1))}"'
    return f'pos="{text(pose.place)}" {how}'


def mjcf_inertial(random, body):
    center, moments = body["center"], body["moments"]
    if random.random() < 0.5:
        full = center.turn.as_matrix() @ np.diag(moments) @ center.turn.as_matrix().T
        six = text([full[0, 0], full[1, 1], full[2, 2], full[0, 1], full[0, 2], full[1, 2]])
        return f'<inertial pos="{text(center.place)}" mass="{text(body["mass"])}" fullinertia="{six}"/>'
    return (f'<inertial {mjcf_pose(random, center)} mass="{text(body["mass"])}" '
            f'diaginertia="{text(moments)}"/>')


def mjcf(random, bodies):
    classes = "".join(f'<default class="c{i}"><joint damping="{text(random.uniform(0, 1))}"/>'
                      f'<geom density="{text(random.uniform(100, 9000))}"/></default>' for i in range(2))

    def write(i):
        body = bodies[i]
        kind, sizes, place = body["shape"]
        joint = ""
        if body["joint"] != "weld":
            limits = f' range="{text(body["range"])}"' if body["range"] else ""
            joint = (f'<joint name="j{i}" type="{body["joint"]}" axis="{text(body["axis"] * 3)}"{limits} '
                     f'damping="{text(body["damping"])}"/>')
        geom = f'<geom type="{kind}" size="{text(sizes)}" {mjcf_pose(random, place)}/>'
        parts = [joint, mjcf_inertial(random, body), geom] + [
            write(k) for k in range(len(bodies)) if bodies[k]["parent"] == i]
        childclass = f' childclass="c{random.integers(2)}"' if random.random() < 0.4 else ""
        outer = draw_pose(random, 0.2) if random.random() < 0.4 else None
        pose = body["pose"] if outer is None else outer.inverse() * body["pose"]
        made = f'<body name="b{i}" {mjcf_pose(random, pose)}{childclass}>{"".join(parts)}</body>'
        return made if outer is None else f'<frame {mjcf_pose(random, outer)}>{made}</frame>'

    roots = "".join(write(i) for i in range(len(bodies)) if bodies[i]["parent"] < 0)
    return (f'<mujoco model="m"><compiler angle="radian"/><default>{classes}</default>'
            f'<worldbody>{roots}</worldbody></mujoco>')


# --- URDF ------------------------------------------------------------------------------------------


def urdf_origin(pose):
    return f'<origin xyz="{text(pose.place)}" rpy="{text(pose.turn.as_euler("xyz"))}"/>'


def matrix_of(random, body):
    """The pose of an inertial frame that is turned as one likes, and the inertia in it."""
    turn = Rotation.random(random_state=int(random.integers(2**31)))
    relative = (turn.inv() * body["center"].turn).as_matrix()
    return Pose(turn, body["center"].place), relative @ np.diag(body["moments"]) @ relative.T


def urdf(random, bodies):
    parts = ['<link name="world"/>']
    for i, body in enumerate(bodies):
        center, m = matrix_of(random, body)
        six = " ".join(f'i{a}{b}="{text(m["xyz".index(a), "xyz".index(b)])}"'
                       for a, b in ("xx", "yy", "zz", "xy", "xz", "yz"))
        kind, sizes, place = body["shape"]
        geometry = {"sphere": f'<sphere radius="{text(sizes[0])}"/>',
                    "box": f'<box size="{text(sizes * 2)}"/>'}.get(
                        kind, f'<cylinder radius="{text(sizes[0])}" length="{text(sizes[-1])}"/>')
        parts.append(f'<link name="b{i}"><inertial>{urdf_origin(center)}<mass value="{text(body["mass"])}"/>'
                     f'<inertia {six}/></inertial><collision>{urdf_origin(place)}<geometry>{geometry}'
                     f'</geometry></collision></link>')
        parent = "world" if body["parent"] < 0 else f"b{body['parent']}"
        limits = f'lower="{text(body["range"][0])}" upper="{text(body["range"][1])}"' if body["range"] else \
            'lower="-100" upper="100"'
        kind = {"hinge": "revolute" if body["range"] else "continuous", "slide": "prismatic",
                "weld": "fixed"}[body["joint"]]
        axis = "" if kind == "fixed" else (f'<axis xyz="{text(body["axis"])}"/>'
                                           f'<limit {limits} effort="100" velocity="9"/>')
        parts.append(f'<joint name="j{i}" type="{kind}"><parent link="{parent}"/><child link="b{i}"/>'
                     f'{urdf_origin(body["pose"])}{axis}</joint>')
    random.shuffle(parts)
    return f'<robot name="m">{"".join(parts)}</robot>'


# --- SDFormat --------------------------------------------------------------------------------------


def sdf_pose(pose, relative_to=""):
    where = f' relative_to="{relative_to}"' if relative_to else ""
    return f'<pose{where}>{text(pose.place, pose.turn.as_euler("xyz"))}</pose>'


def sdf(random, bodies):
    absolute, parts = [], []
    for i, body in enumerate(bodies):
        parent = body["parent"]
        absolute.append(body["pose"] if parent < 0 else absolute[parent] * body["pose"])
        center, m = matrix_of(random, body)
        six = "".join(f'<i{a}{b}>{text(m["xyz".index(a), "xyz".index(b)])}</i{a}{b}>'
                      for a, b in ("xx", "yy", "zz", "xy", "xz", "yz"))
        way = int(random.integers(3))
        if way == 0 and parent >= 0:
            where = sdf_pose(body["pose"], f"b{parent}")
        elif way == 1:
            frame = draw_pose(random)
            parts.append(f'<frame name="f{i}">{sdf_pose(frame)}</frame>')
            where = sdf_pose(frame.inverse() * absolute[i], f"f{i}")
        else:
            where = sdf_pose(absolute[i])
        kind, sizes, place = body["shape"]
        geometry = {"sphere": f"<sphere><radius>{text(sizes[0])}</radius></sphere>",
                    "box": f"<box><size>{text(sizes * 2)}</size></box>"}.get(
                        kind, f"<{kind}><radius>{text(sizes[0])}</radius>"
                              f"<length>{text(sizes[-1])}</length></{kind}>")
        parts.append(f'<link name="b{i}">{where}<inertial>{sdf_pose(center)}<mass>{text(body["mass"])}</mass>'
                     f'<inertia>{six}</inertia></inertial><collision name="c">{sdf_pose(place)}'
                     f'<geometry>{geometry}</geometry></collision></link>')
        kind = {"hinge": "revolute", "slide": "prismatic", "weld": "fixed"}[body["joint"]]
        axis = ""
        if kind != "fixed":
            seen = random.choice(["", "__model__"])
            vector = absolute[i].turn.apply(body["axis"]) if seen else body["axis"]
            expressed = f' expressed_in="{seen}"' if seen else ""
            axis = f"<axis><xyz{expressed}>{text(vector)}</xyz></axis>"
        owner = "world" if parent < 0 else f"b{parent}"
        parts.append(f'<joint name="j{i}" type="{kind}"><parent>{owner}</parent><child>b{i}</child>'
                     f'{axis}</joint>')
    random.shuffle(parts)
    return f'<sdf version="1.9"><model name="m">{"".join(parts)}</model></sdf>'


# --- comparison ------------------------------------------------------------------------------------


def mass_matrix(model, data):
    full, unit = np.zeros((model.nv, model.nv)), np.zeros(model.nv)
    for i in range(model.nv):
        unit[:] = 0.0
        unit[i] = 1.0
        mujoco.mj_mulM(model, data, full[i], unit)
    return full


class Drawn(unittest.TestCase):
    def compare(self, model, world, random):
        data = mujoco.MjData(model)
        joints = state_map(model, world, "m")
        self.assertEqual(world.v_count, model.nv)
        worst = 0.0
        for _ in range(2):
            q_mujoco, q, s = random_state(model, joints, world.q_count, random)
            data.qpos[:] = q_mujoco
            mujoco.mj_forward(model, data)
            world.set_state(q)
            full = mass_matrix(model, data)
            worst = max(worst, np.abs(s.T @ world.mass_matrix() @ s - full).max() / np.abs(full).max())
            for b in range(1, model.nbody):
                name = "m::" + mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_BODY, b)
                pose = world.body_pose(name)
                worst = max(worst, np.abs(pose.translation - data.xpos[b]).max(),
                            np.abs(pose.rotation - data.xmat[b].reshape(3, 3)).max(),
                            abs(world.body_mass(name) - model.body_mass[b]))
        return worst

    def test_all_formats_say_what_mujoco_understands(self):
        first, count = map(int, os.environ.get("ISO_DRAWN", "0 12").split())
        logging.getLogger("isobar").setLevel(logging.ERROR)
        worst = 0.0
        for seed in range(first, first + count):
            random = np.random.default_rng(seed)
            bodies = draw(random)
            written = {"xml": mjcf(random, bodies), "urdf": urdf(random, bodies), "sdf": sdf(random, bodies)}
            model = mujoco.MjModel.from_xml_string(written["xml"])
            spec = mujoco.MjSpec.from_string(written["urdf"])
            spec.compiler.fusestatic = False
            models = {"xml": [model], "urdf": [model, spec.compile()], "sdf": [model]}
            for ending, content in written.items():
                with self.subTest(seed=seed, format=ending), tempfile.TemporaryDirectory() as folder:
                    path = pathlib.Path(folder) / f"m.{ending}"
                    path.write_text(content, encoding="utf-8")
                    world = isobar.load(path).create_world()
                    for peer in models[ending]:
                        found = self.compare(peer, world, random)
                        self.assertLess(found, TOLERANCE)
                        worst = max(worst, found)
        print(f"{count} robots: {worst:.1e}")


if __name__ == "__main__":
    unittest.main()
