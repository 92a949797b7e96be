# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Drawn MJCF files with what MuJoCo's compiler makes of them: options of <compiler>, nested classes and
frames, shapes between two points, meshes of all scales, masses of shapes and bounds of them, included
files, copies. Coordinates, masses, poses, the mass matrix and the accelerations of a first step are
those of MuJoCo.

ISO_DRAWN="FIRST COUNT" looks at other seeds. Skipped where mujoco or the shared library are missing.
"""

import logging
import os
import pathlib
import sys
import tempfile
import unittest

try:
    import mujoco
    import numpy as np

    import isobar
    from test_mujoco_efforts import STEP, apart, full_matrix, number, to_ours
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

# Numbers that MuJoCo's single precision holds; no moments are equal.
TETRAHEDRON = "v 0 0 0\nv 1 0.125 0\nv 0.25 1.125 0\nv 0.125 0.375 0.75\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
DENT = ("v 0 0 0\nv 1 0.125 0\nv 0.25 1.125 0\nv 0.125 0.375 0.75\nv 0.375 0.5 0.125\n"
        "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 5\nf 3 4 5\nf 4 2 5\n")
CLASSES = {"p": (), "q": ("p",), "r": ("q", "p"), "s": ()}  # a class and those above it


class Draw:
    """One model: what it says and how each thing is said are drawn."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.degrees, self.count, self.files, self.classes = self.random.random() < 0.5, 0, {}, {}
        self.sequence = "".join(self.random.choice(list("xyzXYZ"), 3)) if self.maybe(0.5) else "xyz"
        self.meshes = [f"m{i}" for i in range(int(self.random.integers(0, 4)))]

    def maybe(self, chance):
        return self.random.random() < chance

    def uniform(self, low, high, size=None):
        return number(self.random.uniform(low, high, size))

    def angle(self, low, high, size=None):
        return number(self.random.uniform(low, high, size) * (180 / np.pi if self.degrees else 1))

    def turn(self):
        way = int(self.random.integers(7))
        if way == 0:
            return f' quat="{number(self.random.normal(size=4))}"'
        if way == 1:
            return f' euler="{self.angle(-3, 3, 3)}"'
        if way == 2:
            return f' axisangle="{number(self.random.normal(size=3))} {self.angle(-3, 3)}"'
        if way == 3:
            return f' xyaxes="{number(self.random.normal(size=6))}"'
        if way == 4:
            return f' zaxis="{number(self.random.normal(size=3))}"'
        return ""

    def pose(self):
        return (f' pos="{self.uniform(-0.3, 0.3, 3)}"' if self.maybe(0.7) else "") + self.turn()

    def weight(self):
        way = int(self.random.integers(4))
        return f' mass="{self.uniform(0.1, 2)}"' if way == 0 else \
            f' density="{self.uniform(200, 3000)}"' if way == 1 else ""

    def shape(self):
        kind = str(self.random.choice(["sphere", "box", "capsule", "cylinder", "ellipsoid"]))
        if kind in ("box", "capsule", "cylinder", "ellipsoid") and self.maybe(0.4):
            ends = self.random.uniform(-0.2, 0.2, 6)
            count = int(self.random.integers(1, 3)) if kind in ("box", "ellipsoid") else 1
            return f' type="{kind}" fromto="{number(ends)}" size="{self.uniform(0.02, 0.1, count)}"'
        count = {"sphere": 1, "capsule": 2, "cylinder": 2}.get(kind, 3)
        return f' type="{kind}" size="{self.uniform(0.04, 0.15, count)}"' + self.pose()

    def class_of(self, chance=0.3):
        return f' class="{self.random.choice(sorted(CLASSES))}"' if self.maybe(chance) else ""

    def geom(self):
        group = f' group="{self.random.integers(0, 5)}"' if self.maybe(0.4) else ""
        if self.meshes and self.maybe(0.4):
            shape = f' type="mesh" mesh="{self.random.choice(self.meshes)}"' + self.pose()
            if self.maybe(0.2):
                shape = shape.replace('type="mesh"', f'type="{self.random.choice(["box", "sphere", "capsule"])}"')
        else:
            shape = self.shape()
        shell = ' shellinertia="true"' if self.maybe(0.15) and "mesh=" not in shape else ""
        return f"<geom{shape}{self.weight()}{group}{shell}{self.class_of()}/>"

    def joint(self):
        kind = str(self.random.choice(["hinge", "slide", "ball"], p=[0.5, 0.3, 0.2]))
        of_angle = kind == "hinge"
        words = f' type="{kind}"' if kind != "hinge" or self.maybe(0.5) else ""
        if kind != "ball":
            words += f' axis="{number(self.random.normal(size=3))}"'
            limits = np.sort(self.random.uniform(1.0, 3.0, 1))[0]
            say = self.angle(limits, limits) if of_angle else number(limits)
            words += f' range="-{say} {say}"' if self.maybe(0.3) else ""
            ref = self.angle(-0.5, 0.5) if of_angle else self.uniform(-0.5, 0.5)
            words += f' ref="{ref}"' if self.maybe(0.3) else ""
        words += f' pos="{self.uniform(-0.2, 0.2, 3)}"' if self.maybe(0.5) else ""
        words += f' armature="{self.uniform(0, 0.2)}"' if self.maybe(0.3) else ""
        self.count += 1
        return f'<joint name="j{self.count}"{words}{self.class_of()}/>', kind

    def joints(self, is_root):
        if is_root and self.maybe(0.2):
            self.count += 1
            return f'<freejoint name="j{self.count}"/>'
        text, has_ball, count = "", False, int(self.random.choice([0, 1, 1, 1, 2, 3]))
        for _ in range(count):
            made, kind = self.joint()
            if kind == "ball" and (has_ball or text):
                continue
            text, has_ball = text + made, has_ball or kind == "ball"
            if has_ball:
                break
        return text

    def inertial(self):
        moments = self.random.uniform(1.0, 1.9, 3) * self.random.uniform(0.001, 0.05)
        mass = self.uniform(0.1, 3)
        if self.maybe(0.4):
            basis = np.linalg.qr(self.random.normal(size=(3, 3)))[0]
            m = basis @ np.diag(moments) @ basis.T
            six = number([m[0, 0], m[1, 1], m[2, 2], m[0, 1], m[0, 2], m[1, 2]])
            return f'<inertial pos="{self.uniform(-0.1, 0.1, 3)}" mass="{mass}" fullinertia="{six}"/>'
        return f'<inertial pos="{self.uniform(-0.1, 0.1, 3)}"{self.turn()} mass="{mass}" diaginertia="{number(moments)}"/>'

    def wrap(self, text):
        """In frames, or in a file of its own."""
        while self.maybe(0.25):
            child = f' childclass="{self.random.choice(sorted(CLASSES))}"' if self.maybe(0.4) else ""
            text = f"<frame{self.pose()}{child}>{text}</frame>"
        if self.maybe(0.12):
            name = f"part{len(self.files)}.xml"
            self.files[name] = f"<mujocoinclude>{text}</mujocoinclude>"
            text = f'<include file="{name}"/>'
        return text

    def body(self, depth):
        number_of = self.count = self.count + 1
        child = f' childclass="{self.random.choice(sorted(CLASSES))}"' if self.maybe(0.3) else ""
        parts = [self.joints(depth == 0)]
        parts += [self.wrap(self.geom()) for _ in range(int(self.random.integers(1, 4)))]
        parts += [self.inertial()] if self.maybe(0.3) else []
        parts += [self.body(depth + 1) for _ in range(int(self.random.integers(0, 3))) if depth < 3]
        return self.wrap(f'<body name="b{number_of}"{self.pose()}{child}>{"".join(parts)}</body>')

    def defaults(self):
        def inside():
            text = f'<geom{self.weight()}{self.turn()}/>' if self.maybe(0.6) else ""
            text += f'<joint armature="{self.uniform(0, 0.3)}" pos="{self.uniform(-0.1, 0.1, 3)}"/>' if self.maybe(0.5) else ""
            return text + (f'<mesh scale="{number(self.scale())}"/>' if self.maybe(0.3) else "")
        return (f'<default>{inside()}<default class="p">{inside()}<default class="q">{inside()}<default class="r">'
                f'{inside()}</default></default></default><default class="s">{inside()}</default></default>')

    def scale(self):
        return self.random.uniform(0.1, 0.4, 3) * self.random.choice([-1, 1], 3)

    def mesh(self, name):
        self.files[f"{name}.obj"] = TETRAHEDRON if self.maybe(0.5) else DENT
        words = f' scale="{number(self.scale())}"' if self.maybe(0.7) else ' scale="0.2 0.2 0.2"'
        words += f' refpos="{self.uniform(-0.2, 0.2, 3)}"' if self.maybe(0.3) else ""
        words += f' refquat="{number(self.random.normal(size=4))}"' if self.maybe(0.3) else ""
        kind = self.random.choice(["convex", "exact", "legacy", "shell", ""])
        words += f' inertia="{kind}"' if kind else ""
        return f'<mesh name="{name}" file="{name}.obj"{words}{self.class_of()}/>'

    def compiler(self):
        words = f' angle="{"degree" if self.degrees else "radian"}"'
        words += f' eulerseq="{self.sequence}"' if self.sequence != "xyz" else ""
        for name, values in (("autolimits", ["true"]), ("inertiafromgeom", ["true", "false", "auto"]),
                             ("balanceinertia", ["true"]), ("fitaabb", ["true", "false"]), ("fusestatic", ["false"])):
            words += f' {name}="{self.random.choice(values)}"' if self.maybe(0.25) else ""
        words += f' boundmass="{self.uniform(0.1, 2)}"' if self.maybe(0.2) else ""
        words += f' boundinertia="{self.uniform(0.001, 0.1)}"' if self.maybe(0.2) else ""
        words += f' settotalmass="{self.uniform(1, 20)}"' if self.maybe(0.2) else ""
        low = int(self.random.integers(0, 3))
        words += f' inertiagrouprange="{low} {low + int(self.random.integers(1, 4))}"' if self.maybe(0.15) else ""
        return f"<compiler{words}/>"

    def write(self, folder):
        bodies = "".join(self.body(0) for _ in range(int(self.random.integers(1, 4))))
        meshes = "".join(self.mesh(name) for name in self.meshes)
        text = (f'<mujoco model="m">{self.compiler()}<option gravity="{self.uniform(-5, 5, 3)}">'
                f'<flag contact="disable"/></option>{self.defaults()}<asset>{meshes}</asset>'
                f"<worldbody>{bodies}</worldbody></mujoco>")
        for name, part in [*self.files.items(), ("m.xml", text)]:
            (folder / name).write_text(part, encoding="utf-8")
        return folder / "m.xml"


class Compiled(unittest.TestCase):
    def compare(self, path):
        """None: MuJoCo refuses the file."""
        try:
            model = mujoco.MjModel.from_xml_path(str(path))
        except ValueError as error:
            self.refusal = str(error)
            return None
        data = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
        scene = isobar.load(path, settings={"simulation.method": "rk4", "simulation.time_step": STEP})
        world = scene.create_world()
        self.assertEqual(world.v_count, model.nv)
        names = ["m::" + model.body(b).name for b in range(1, model.nbody)]
        ours = [world.body_mass(name) for name in names]
        result = {"masses": apart(np.array(ours), model.body_mass[1:], 1e-3),
                  "places": max(apart(world.body_pose(n).translation, data.xpos[b + 1]) for b, n in enumerate(names)),
                  "turns": max(apart(world.body_pose(n).rotation, data.xmat[b + 1].reshape(3, 3)) for b, n in enumerate(names))}
        if model.nv:
            q, s = to_ours(model, world, data.qpos)
            full = full_matrix(model, data)
            start = np.array(world.get_state()[0])
            result["start"] = max(min(abs(a - b), abs(a + b)) for a, b in zip(start, q))  # q and -q turn alike
            result["mass"] = apart(s.T @ world.mass_matrix() @ s, full, 1e-6)
            if np.linalg.cond(full) < 1e6:
                before = np.array(world.get_state()[1])
                world.step()
                result["first step"] = apart((np.array(world.get_state()[1]) - before) / STEP, s @ data.qacc) * 1e-6
        return result

    def test_drawn_files_are_as_mujoco_compiles_them(self):
        first, count = map(int, os.environ.get("ISO_DRAWN", "0 40").split())
        logging.getLogger("isobar").setLevel(logging.ERROR)
        worst, refused = {}, 0
        for seed in range(first, first + count):
            with self.subTest(seed=seed), tempfile.TemporaryDirectory() as folder:
                result = self.compare(Draw(seed).write(pathlib.Path(folder)))
                refused += result is None
                for name, found in (result or {}).items():
                    worst[name] = max(worst.get(name, 0.0), found)
                    self.assertLess(found, 1e-8, f"{name}: {result}")  # measured 2.3e-9, meshes in single precision
        print(f"{count} files, {refused} of them refused: " + ", ".join(f"{n} {f:.1e}" for n, f in worst.items()))


if __name__ == "__main__":
    unittest.main()
