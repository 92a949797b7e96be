# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Which geoms of an MJCF file touch, and with which friction, is what MuJoCo says: random trees,
bits, priorities, pairs and excluded bodies.

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

ROUNDS = 60
logging.getLogger("isobar").setLevel(logging.ERROR)  # so many balls in one place


class Writer:
    """A random model: all geoms are balls about one place, so that all of them overlap."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.bodies, self.geoms = [], []

    def chance(self, share):
        return self.random.random() < share

    def geom(self):
        name = f"g{len(self.geoms)}"
        self.geoms.append(name)
        words = [f'name="{name}" size="{self.random.uniform(0.2, 0.3):.3f}"']
        words.append('pos="%.3f %.3f %.3f"' % tuple(self.random.uniform(-0.06, 0.06, 3)))
        if self.chance(0.5):
            words.append(f'contype="{self.random.integers(4)}"')
            words.append(f'conaffinity="{self.random.integers(4)}"')
        if self.chance(0.5):
            words.append(f'friction="{self.random.uniform(0.1, 1.5):.3f}"')
        if self.chance(0.4):
            words.append('condim="1"')
        if self.chance(0.3):
            words.append(f'priority="{self.random.integers(3)}"')
        return f"<geom {' '.join(words)}/>"

    def body(self, depth):
        name = f"b{len(self.bodies)}"
        self.bodies.append(name)
        joints = ""
        kind = self.random.integers(5)
        if kind == 0 and depth == 0:
            joints = "<freejoint/>"
        elif kind >= 2:
            axes = self.random.normal(size=(kind // 2, 3))
            joints = "".join('<joint axis="%.3f %.3f %.3f"/>' % tuple(axis) for axis in axes)
        inside = self.geom() + (self.geom() if self.chance(0.3) else "")
        while depth < 4 and len(self.bodies) < 14 and self.chance(0.5):
            inside += self.body(depth + 1)
        inertial = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
        return f'<body name="{name}">{inertial}{joints}{inside}</body>'

    def pair(self):
        a, b = self.random.choice(self.geoms, 2, replace=False)
        words = [f'geom1="{a}" geom2="{b}"']
        if self.chance(0.6):
            friction = self.random.uniform(0.1, 1.5)
            rolling = " 0.005 0.0001 0.0001" if self.chance(0.3) else ""
            words.append(f'friction="{friction:.3f} {friction:.3f}{rolling}"')
        if self.chance(0.5):
            words.append(f'condim="{self.random.choice([1, 3, 4])}"')
        return (a, b), f"<pair {' '.join(words)}/>"

    def write(self):
        world = self.geom() + "".join(self.body(0) for _ in range(4))
        contact, paired = "", set()
        for _ in range(self.random.integers(6)):
            names, text = self.pair()
            if frozenset(names) not in paired:
                paired.add(frozenset(names))
                contact += text
        for _ in range(self.random.integers(3)):
            a, b = self.random.choice(self.bodies, 2, replace=False)
            contact += f'<exclude body1="{a}" body2="{b}"/>'
        return f"<mujoco><worldbody>{world}</worldbody><contact>{contact}</contact></mujoco>"


def mujoco_pairs(path):
    """{names: friction} of what touches and can move to each other."""
    model = mujoco.MjModel.from_xml_path(path)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    found = {}
    for contact in data.contact:
        geoms = contact.geom
        welds = [model.body_weldid[model.geom_bodyid[g]] for g in geoms]
        if welds[0] != welds[1]:
            names = frozenset(model.geom(g).name for g in geoms)
            found[names] = contact.friction[0] if contact.dim > 1 else 0.0
    return found


def isobar_pairs(path, settings=None):
    """The same here; the friction is that of faces that slip. Tractions are means over a face."""
    scene = isobar.load(path, settings={"default_material.dissipation": 0.0,
                                           "default_material.resolution_hint": 0.1,
                                           **(settings or {})})
    world = scene.create_world()
    gen = np.random.default_rng(1)
    world.set_state(v=gen.uniform(-50, 50, world.v_count))
    world.update_contacts()
    found = {}
    for contact in world.contacts:
        normal = contact.patch.normals
        across = np.einsum("ij,ij->i", contact.tractions, normal)
        along = np.linalg.norm(contact.tractions - across[:, None] * normal, axis=1)
        speeds = np.linalg.norm(contact.slip_velocities, axis=1)
        face = np.argmax(np.abs(across) * speeds)
        assert speeds[face] > 0.01 and abs(across[face]) > 0  # 1e-4 is where it saturates
        found[frozenset((contact.geometry_name_a, contact.geometry_name_b))] = \
            along[face] / abs(across[face])
    return found


class Pairs(unittest.TestCase):
    """What touches."""

    def test_random_files_have_the_same_pairs_and_friction(self):
        count, worst = 0, 0.0
        with tempfile.TemporaryDirectory() as folder:
            path = str(pathlib.Path(folder) / "pairs.xml")
            for seed in range(ROUNDS):
                text = Writer(seed).write()
                pathlib.Path(path).write_text(text, encoding="utf-8")
                theirs, ours = mujoco_pairs(path), isobar_pairs(path)
                with self.subTest(seed=seed, text=text):
                    self.assertEqual({tuple(sorted(p)) for p in theirs},
                                     {tuple(sorted(p)) for p in ours})
                for names, friction in theirs.items():
                    error = abs(ours[names] - friction)
                    worst = max(worst, error)
                    with self.subTest(seed=seed, pair=sorted(names)):
                        self.assertLess(error, 1e-2 * max(friction, 1e-4))  # 6e-3: mean over a face
                count += len(theirs)
        print(f"{count} pairs, friction off by {worst:.1e} at most")
        self.assertGreater(count, 1000)

    def test_an_override_of_friction_wins_over_what_two_geoms_make_but_not_over_a_pair(self):
        body = '<body name="{0}"><freejoint/><geom name="{0}" size="0.2" friction="{1}" {2}/></body>'
        bodies = "".join(body.format(*row) for row in (
            ("a", 0.2, ""), ("b", 0.4, 'pos="0.05 0 0"'), ("c", 0.9, 'pos="0 0.06 0"'),
            ("d", 0.9, 'pos="0 0.02 0.06"')))
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "m.xml").write_text(
                f'<mujoco model="m"><worldbody>{bodies}</worldbody><contact>'
                '<pair geom1="a" geom2="b" friction="0.7 0.7"/></contact></mujoco>',
                encoding="utf-8")
            (folder / "s.yaml").write_text(
                "directives:\n- add_model: {name: m, file: m.xml}\n"
                "contact_overrides:\n- {geometry: '*::b::b', friction: 0.1}\n", encoding="utf-8")
            found = isobar_pairs(str(folder / "s.yaml"))
        expected = {"ab": 0.7, "ac": 0.9, "bc": 2 * 0.1 * 0.9 / (0.1 + 0.9), "bd": 0.18, "ad": 0.9,
                    "cd": 0.9}
        for names, friction in expected.items():
            self.assertAlmostEqual(found[frozenset(names)], friction, delta=1e-4)  # 1.2e-6


if __name__ == "__main__":
    unittest.main()
