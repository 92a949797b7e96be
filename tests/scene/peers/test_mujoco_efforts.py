# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Drawn robots with springs, dampers, tendons, drives of all kinds and bodies carried against gravity:
mass matrix, bias, passive forces and the accelerations of a first step are those of MuJoCo.

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
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

STEP = 1e-8  # [s] of a step whose mean acceleration is that of its start


def number(value):
    return " ".join(f"{x:.17g}" for x in np.atleast_1d(value))


class Draw:
    """One file: what it says and how each thing is said are drawn."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.unit = self.random.choice(["degree", "radian"])
        self.scale = 180 / np.pi if self.unit == "degree" else 1.0
        self.joints, self.kinds, self.bodies, self.bounded = [], {}, 0, set()

    def maybe(self, chance, text):
        return text if self.random.random() < chance else ""

    def uniform(self, low, high, size=None):
        return number(self.random.uniform(low, high, size))

    def passive(self, kind):
        """Springs, dampers and so on, of a joint or a class of joints (kind None: of all)."""
        angle = self.scale if kind in ("hinge", None) else 1.0
        words = self.maybe(0.4, f' damping="{self.uniform(0, 2)}"') + \
            self.maybe(0.3, f' armature="{self.uniform(0, 0.5)}"')
        if kind == "free":  # which has none here
            words += ' stiffness="0"'
        else:
            words += self.maybe(0.4, f' stiffness="{self.uniform(0, 5)}"')
        if kind in ("hinge", "slide"):
            words += self.maybe(0.3, f' springref="{number(self.random.uniform(-1, 1) * angle)}"')
            words += self.maybe(0.3, f' ref="{number(self.random.uniform(-1, 1) * angle)}"')
            words += self.maybe(0.15, f' springdamper="{self.uniform(0.1, 1)} {self.uniform(0.2, 2)}"')
        return words

    def joint(self, kind):
        name = f"j{len(self.joints)}"
        self.joints.append(name)
        self.kinds[name] = kind
        words = self.passive(kind) + self.maybe(0.3, f' class="{self.random.choice(["p", "q"])}"')
        if kind in ("hinge", "slide"):
            words += f' axis="{number(self.random.normal(size=3))}" pos="{self.uniform(-.1, .1, 3)}"'
            if self.random.random() < 0.3:
                words += f' actuatorfrcrange="{self.uniform(-3, -1)} {self.uniform(1, 3)}"'
                self.bounded.add(name)
            reach = 20 * (self.scale if kind == "hinge" else 1.0)
            words += self.maybe(0.3, f' range="{number(-reach)} {number(2 * reach)}"')
        return f'<joint name="{name}" type="{kind}"{words}/>'

    def body(self, depth):
        name, joints = f"b{self.bodies}", ""
        self.bodies += 1
        if depth == 0 and self.random.random() < 0.25:
            joints = self.joint("free")
        else:
            for _ in range(int(self.random.choice([0, 1, 1, 1, 2, 3]))):
                joints += self.joint(str(self.random.choice(["hinge", "hinge", "slide"])))
            if self.random.random() < 0.15:
                joints += self.joint("ball")
        words = self.maybe(0.3, f' gravcomp="{self.uniform(0, 1.5)}"') + self.maybe(0.2, ' childclass="p"')
        inner = "".join(self.body(depth + 1) for _ in range(int(self.random.choice([0, 1, 1, 2]))) if self.bodies < 7)
        return (f'<body name="{name}" pos="{self.uniform(-.3, .3, 3)}" euler="{self.uniform(-1, 1, 3)}"{words}>{joints}'
                f'<geom type="{self.random.choice(["box", "ellipsoid"])}" size="{self.uniform(.05, .2, 3)}" '
                f'pos="{self.uniform(-.1, .1, 3)}"/>{inner}</body>')

    def law(self, kind, joint):
        gear = self.maybe(0.5, f' gear="{number(self.random.normal() * 2)}"')
        words = gear + self.maybe(0.3, f' forcerange="{self.uniform(-3, -.5)} {self.uniform(.5, 3)}"') + \
            self.maybe(0.15, f' forcelimited="{self.random.choice(["false", "auto"])}"') + \
            self.maybe(0.2, f' class="{self.random.choice(["p", "q"])}"')
        bounds = f' ctrlrange="{self.uniform(-1, -.3)} {self.uniform(.3, 1)}"'
        if kind == "damper":
            return words + f' ctrlrange="0 {self.uniform(.5, 1)}" kv="{self.uniform(0, 3)}"'
        words += self.maybe(0.4, bounds) + self.maybe(0.15, ' ctrllimited="false"')
        if kind in ("position", "intvelocity"):
            words += self.maybe(0.6, f' kp="{self.uniform(0, 9)}"') + self.maybe(0.5, f' kv="{self.uniform(0, 2)}"')
            if "kv" not in words and self.random.random() < 0.4 and "free" != self.kinds.get(joint):
                words += f' dampratio="{self.uniform(0.1, 2)}"'
            if kind == "position":
                words += self.maybe(0.2, f' timeconst="{self.uniform(.1, 1)}"')
            else:
                words += f' actrange="{self.uniform(-2, -1)} {self.uniform(1, 2)}"'
        if kind == "velocity":
            words += self.maybe(0.6, f' kv="{self.uniform(0, 5)}"')
        if kind == "cylinder":
            words += self.maybe(0.5, f' area="{self.uniform(.5, 2)}"') + self.maybe(0.5, f' diameter="{self.uniform(.5, 2)}"')
            words += self.maybe(0.6, f' bias="{self.uniform(-1, 1)} {self.uniform(-1, 0, 2)}"') + self.maybe(0.5, f' timeconst="{self.uniform(.1, 1)}"')
        if kind == "general":
            words += self.maybe(0.6, f' gainprm="{self.uniform(-3, 3)}"')
            words += self.maybe(0.6, f' biastype="affine" biasprm="{number([self.random.uniform(-2, 2), *self.random.uniform(-2, 0, 2)])}"')
            if self.random.random() < 0.5:
                words += f' dyntype="{self.random.choice(["integrator", "filter", "filterexact"])}"' + \
                    self.maybe(0.4, f' actrange="{self.uniform(-2, -1)} {self.uniform(1, 2)}"')
            words += self.maybe(0.1, ' gaintype="fixed"')
        return words

    def drives(self):
        kinds = ["motor", "position", "velocity", "intvelocity", "damper", "cylinder", "general", "general"]
        text = ""
        for i in range(int(self.random.integers(1, 7))):
            kind, joint = str(self.random.choice(kinds)), str(self.random.choice(self.joints))
            target = f'joint="{joint}"'
            if self.tendons and self.random.random() < 0.3:
                target, joint = f'tendon="{self.random.choice(self.tendons)}"', None
            elif self.kinds[joint] in ("free", "ball"):
                kind = "motor"
            text += f'<{kind} name="a{i}" {target}{self.law(kind, joint)}/>'
        return text

    def ropes(self):
        simple = [j for j in self.joints if self.kinds[j] in ("hinge", "slide") and
                  j not in self.bounded]  # which tendons do not heed here
        self.tendons, text = [], ""
        for i in range(int(self.random.integers(0, 3)) if simple else 0):
            self.tendons.append(f"t{i}")
            inside = "".join(f'<joint joint="{j}" coef="{number(self.random.normal())}"/>'
                             for j in self.random.permutation(simple)[:int(self.random.integers(1, 4))])
            words = self.maybe(0.5, f' stiffness="{self.uniform(0, 5)}"') + self.maybe(0.5, f' damping="{self.uniform(0, 2)}"')
            words += self.maybe(0.5, f' springlength="{number(self.random.uniform(-1, 1))}"')
            text += f'<fixed name="t{i}"{words}>{inside}</fixed>'
        return text

    def class_drive(self):
        """Gains of a class, which other kinds do not go on from."""
        kind = str(self.random.choice(["general", "position", "motor", "velocity", "intvelocity"]))
        words = f' gear="{self.uniform(-2, 2)}"' + \
            self.maybe(0.6, f' ctrlrange="{self.uniform(-1, -.3)} {self.uniform(.3, 1)}"')
        if kind in ("position", "intvelocity"):
            words += self.maybe(0.7, f' kp="{self.uniform(0, 9)}"') + self.maybe(0.5, f' kv="{self.uniform(0, 2)}"')
        if kind == "velocity":
            words += self.maybe(0.7, f' kv="{self.uniform(0, 5)}"')
        if kind == "general":
            words += self.maybe(0.5, f' gainprm="{self.uniform(.5, 3)}"')
        return kind, f"<{kind}{words}/>"

    def classes(self):
        def one():
            drives = dict(self.class_drive() for _ in range(int(self.random.choice([0, 1, 1, 2, 3]))))
            return self.maybe(0.6, f"<joint{self.passive(None)}/>") + "".join(drives.values())
        more = self.class_drive()[1] if self.random.random() < 0.4 else ""
        return (f'<default>{one()}<geom density="{self.uniform(100, 2000)}" contype="0" conaffinity="0"/>'
                f'<default class="p">{one()}<default class="q">{one()}</default></default></default>'
                f'<default>{more}</default>')

    def file(self):
        classes, bodies = self.classes(), ""
        while not self.joints:
            bodies += self.body(0)
        bodies += self.body(0)
        ropes = self.ropes()
        drives = self.drives()
        flags = "".join(self.maybe(0.06, f' {flag}="disable"') for flag in ("spring", "damper", "gravity", "clampctrl"))
        return (f'<mujoco model="m"><compiler angle="{self.unit}" eulerseq="{self.random.choice(["xyz", "XYZ", "zyx"])}"/>'
                f'<option gravity="{self.uniform(-5, 5, 3)}"><flag{flags}/></option>{classes}'
                f'<worldbody>{bodies}</worldbody><tendon>{ropes}</tendon><actuator>{drives}</actuator>')

    def key(self, model):
        """A state and controls; activations that are lagged controls have arrived."""
        qpos, qvel = model.qpos0.copy(), self.random.normal(size=model.nv)
        for j in range(model.njnt):
            a, kind = model.jnt_qposadr[j], int(model.jnt_type[j])
            if kind < 2:  # free, ball
                place = a + (3 if kind == 0 else 0)
                quaternion = self.random.normal(size=4)
                qpos[place:place + 4] = quaternion / np.linalg.norm(quaternion)
                qpos[a:place] = self.random.normal(size=place - a)
            else:
                qpos[a] += self.random.normal()
        ctrl, act = self.random.uniform(-1.5, 1.5, model.nu), np.zeros(model.na)
        for i in range(model.nu):
            a = model.actuator_actadr[i]
            if model.actuator_gaintype[i] == mujoco.mjtGain.mjGAIN_AFFINE:
                ctrl[i] = abs(ctrl[i])
            if a >= 0:
                clamped = model.actuator_ctrllimited[i] and not model.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_CLAMPCTRL
                act[a] = np.clip(ctrl[i], *model.actuator_ctrlrange[i]) if clamped else ctrl[i]
                if model.actuator_dyntype[i] == mujoco.mjtDyn.mjDYN_INTEGRATOR:
                    act[a] = self.random.uniform(-1.5, 1.5)
                if model.actuator_actlimited[i]:
                    act[a] = np.clip(act[a], *model.actuator_actrange[i])
        return qpos, qvel, ctrl, act


def apart(ours, theirs, size=1.0):
    return float(np.abs(ours - theirs).max() / max(size, np.abs(theirs).max())) if np.size(theirs) else 0.0


def full_matrix(model, data):
    full = np.zeros((model.nv, model.nv))
    for i, unit in enumerate(np.eye(model.nv)):
        mujoco.mj_mulM(model, data, full[i], unit)
    return full


def to_ours(model, world, qpos):
    """MuJoCo's positions as ours, and S with v_isobar = S v_mujoco."""
    q, s = np.zeros(world.q_count), np.zeros((model.nv, model.nv))
    places = {world.coordinates(b).joint_name: world.coordinates(b) for b in range(1, world.body_count)}
    for j in range(model.njnt):
        kind, a, va = int(model.jnt_type[j]), model.jnt_qposadr[j], model.jnt_dofadr[j]
        c = places.get("m::" + model.joint(j).name) or world.coordinates("m::" + model.body(model.jnt_bodyid[j]).name)
        count = {0: 7, 1: 4}.get(kind, 1)
        theirs, turn = qpos[a:a + count], np.zeros(9)
        if count == 1:
            q[c.q_index], s[c.v_index, va] = theirs[0], 1.0
            continue
        mujoco.mju_quat2Mat(turn, np.ascontiguousarray(theirs[-4:]))
        q[c.q_index:c.q_index + count] = [*theirs[-4:], *theirs[:-4]]
        angular = va + count - 4
        s[c.v_index:c.v_index + 3, angular:angular + 3] = turn.reshape(3, 3)
        if count == 7:
            s[c.v_index + 3:c.v_index + 6, va:va + 3] = np.eye(3)
    return q, s


class Efforts(unittest.TestCase):
    def compare(self, seed, folder):
        draw = Draw(seed)
        text = draw.file()
        self.text = text
        model = mujoco.MjModel.from_xml_string(text + "</mujoco>")
        qpos, qvel, ctrl, act = draw.key(model)
        key = f'<keyframe><key qpos="{number(qpos)}" qvel="{number(qvel)}" ctrl="{number(ctrl)}"' + \
            (f' act="{number(act)}"' if model.na else "") + "/></keyframe></mujoco>"
        self.text = text + key
        model = mujoco.MjModel.from_xml_string(text + key)
        data = mujoco.MjData(model)
        mujoco.mj_resetDataKeyframe(model, data, 0)
        mujoco.mj_forward(model, data)
        path = pathlib.Path(folder) / "m.xml"
        path.write_text(text + key, encoding="utf-8")
        scene = isobar.load(path, keyframe=0, settings={"simulation.method": "rk4", "simulation.time_step": STEP})
        world = scene.create_world()
        world.task = scene.create_task(world)
        q, s = to_ours(model, world, qpos)
        result = {"velocities": apart(world.get_state()[1], s @ qvel), "places": max(
                      apart(world.body_pose("m::" + model.body(b).name).translation, data.xpos[b]) for b in range(1, model.nbody)),
                  "mass": apart(s.T @ world.mass_matrix() @ s, full_matrix(model, data))}
        # What carries bodies against gravity is passive there and less gravity here.
        theirs = data.qfrc_passive - data.qfrc_bias
        result["passive and bias"] = apart(s.T @ (world.passive_forces() - world.bias()), theirs)
        result["passive"] = apart(s.T @ world.passive_forces(), data.qfrc_spring + data.qfrc_damper)
        before = np.array(world.get_state()[1])
        world.step()
        found = (np.array(world.get_state()[1]) - before) / STEP
        result["first step"] = apart(found, s @ data.qacc)
        return result

    def test_they_are_those_of_mujoco(self):
        first, count = map(int, os.environ.get("ISO_DRAWN", "0 25").split())
        logging.getLogger("isobar").setLevel(logging.ERROR)
        worst = {}
        for seed in [*range(first, first + count), 120, 166, 182, 230, 401, 515, 715, 758]:  # classes that grow later; controls beyond actrange
            with self.subTest(seed=seed), tempfile.TemporaryDirectory() as folder:
                result = self.compare(seed, folder)
                for name, found in result.items():
                    worst[name] = max(worst.get(name, 0.0), found)
                for name, found in result.items():
                    self.assertLess(found, 1e-3 if name == "first step" else 1e-9, f"{name}: {result}")
        print(f"{count} robots: " + ", ".join(f"{name} {found:.1e}" for name, found in worst.items()))

    def test_actuators_go_on_from_classes_as_in_mujoco(self):
        random, kinds = np.random.default_rng(3), {
            "motor": "", "position": 'kp="2" kv="3"', "velocity": 'kv="4"', "intvelocity": 'kp="5" kv="6"',
            "general": 'gainprm="10" biasprm="13 -14 -15" biastype="affine"', "cylinder": 'area="9" bias="-1 -2 -3"'}

        def elements():
            chosen = random.choice(sorted(kinds), random.integers(0, 4), replace=False)
            return "".join(f"<{k} {kinds[k] if random.random() < 0.6 else ''}/>" for k in chosen)

        logging.getLogger("isobar").setLevel(logging.ERROR)
        for draw in range(250):
            own = random.choice(sorted(kinds)) + random.choice(["", ' class="p"', ' class="q"'])
            text = f"""<mujoco><default>{elements()}<default class="p">{elements()}<default class="q">{elements()}
                </default></default></default><default>{elements()}</default>
                <worldbody><body><joint name="j"/><geom size="1"/></body></worldbody>
                <actuator><{own} joint="j"/></actuator></mujoco>"""
            with tempfile.TemporaryDirectory() as folder:
                (pathlib.Path(folder) / "m.xml").write_text(text, encoding="utf-8")
                found = isobar.load(pathlib.Path(folder) / "m.xml").model.actuators[0]
            model = mujoco.MjModel.from_xml_string(text)
            gains = -model.actuator_biasprm[0, 1:3] * model.actuator_biastype[0]
            if gains[1] >= 0.0:  # else a share of critical damping
                self.assertEqual((found.kp, found.kd), tuple(gains), f"{draw}: {text}")


if __name__ == "__main__":
    unittest.main()
