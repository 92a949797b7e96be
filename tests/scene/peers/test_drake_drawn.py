# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Drawn SDFormat and URDF robots, alone and put together by model directives: names, masses, poses,
limits, mimics, actuators, mass matrix, gravity, springs and dampers are those of Drake.

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
    from pydrake.multibody.parsing import LoadModelDirectives, Parser, ProcessModelDirectives
    from pydrake.multibody.plant import DiscreteContactApproximation, MultibodyPlant
    from pydrake.multibody.tree import ModelInstanceIndex, MultibodyForces
    from scipy.spatial.transform import Rotation

    import isobar
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

TOLERANCE = 1e-12  # measured 6.0e-15
ONE = ("revolute", "continuous", "prismatic", "screw")


def number(*values):
    return " ".join(f"{x:.17g}" for x in np.concatenate([np.atleast_1d(v) for v in values]))


class Draw:
    """What both formats say."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.count = 0

    def maybe(self, chance, text):
        return text if self.random.random() < chance else ""

    def uniform(self, low, high, size=None):
        return number(self.random.uniform(low, high, size))

    def choice(self, items):
        return items[int(self.random.integers(len(items)))]

    def next(self, letter):
        self.count += 1
        return f"{letter}{self.count}"

    def inertia(self):
        """(mass, ixx iyy izz ixy ixz iyz) of five points"""
        mass, points, weights = 10 ** self.random.uniform(-2, 1), self.random.normal(size=(5, 3)), self.random.uniform(.1, 1, 5)
        weights *= mass / weights.sum()
        points -= weights @ points / mass
        m = sum(w * (p @ p * np.eye(3) - np.outer(p, p)) for w, p in zip(weights, points)) * 0.1
        return mass, dict(ixx=m[0, 0], iyy=m[1, 1], izz=m[2, 2], ixy=m[0, 1], ixz=m[0, 2], iyz=m[1, 2])

    def limits(self):
        """{lower, upper, velocity, effort}"""
        said = {"lower": self.random.uniform(-3, -1), "upper": self.random.uniform(1, 3), "velocity": self.random.uniform(1, 9),
                "effort": self.choice([0.0, self.random.uniform(1, 99)])}
        return said  # which what mimics, too, reaches


class Urdf(Draw):
    suffix = ".urdf"

    def origin(self):
        return self.maybe(0.8, f'<origin{self.maybe(0.8, f""" xyz="{self.uniform(-.5, .5, 3)}" """)}'
                               f'{self.maybe(0.7, f""" rpy="{self.uniform(-3, 3, 3)}" """)}/>')

    def link(self, name):
        mass, moments = self.inertia()
        words = "".join(f' {key}="{number(value)}"' for key, value in moments.items())
        return (f'<link name="{name}"><inertial>{self.origin()}<mass value="{number(mass)}"/><inertia{words}/></inertial></link>')

    def joint(self, name, kind, parent, child):
        inside = f'<parent link="{parent}"/><child link="{child}"/>' + self.origin()
        if kind in ("revolute", "continuous", "prismatic", "planar", "screw"):
            inside += self.maybe(0.8, f'<axis xyz="{self.uniform(-1, 1, 3)}"/>')
        if kind in ("revolute", "continuous", "prismatic"):
            said = self.limits()
            keys = [key for key in said if kind != "continuous" or key in ("velocity", "effort")]
            inside += self.maybe(0.8 if kind == "continuous" else 1, "<limit" + "".join(f' {key}="{number(said[key])}"' for key in keys) + "/>")
            if self.random.random() < 0.25 and self.single:
                inside += f'<mimic joint="{self.choice(self.single)}"' + self.maybe(0.6, f' multiplier="{self.uniform(-2, 2)}"') + \
                    self.maybe(0.5, f' offset="{self.uniform(-1, 1)}"') + "/>"
            self.single.append(name)
        if kind not in ("fixed", "floating"):
            damping = number([self.random.uniform(0, 2)] * (3 if kind == "planar" else 1))  # one for all here
            inside += self.maybe(0.6, f'<dynamics damping="{damping}"/>')
        tag = "drake:joint" if kind in ("screw", "ball", "universal", "planar") else "joint"
        if kind == "screw":
            inside += f'<drake:screw_thread_pitch value="{self.uniform(.1, 1)}"/>'
        return f'<{tag} name="{name}" type="{kind}">{inside}</{tag}>'

    def write(self, folder, name):
        self.single, links, text = [], [], ""
        for _ in range(int(self.random.integers(1, 9))):
            link = self.next("l")
            if links and self.random.random() > 0.05:
                parent = self.choice(links)
                kind = str(self.random.choice(["revolute", "continuous", "prismatic", "fixed", "floating", "planar", "screw", "ball", "universal"],
                                              p=[.3, .1, .2, .12, .05, .08, .05, .05, .05]))
                text += self.joint(self.next("j"), kind, parent, link)
            elif self.random.random() < 0.5:
                text += self.joint(self.next("j"), str(self.random.choice(["fixed", "revolute", "prismatic"])), "world", link)
                text = ('<link name="world"/>' if "world" not in links else "") + text
                links += ["world"] if "world" not in links else []
            elif links:
                text += self.joint(self.next("j"), "floating", links[0], link)
            links.append(link)
            text += self.link(link)
        for joint in self.single:
            if self.random.random() < 0.4:
                drake = self.maybe(0.5, f'<drake:gear_ratio value="{self.uniform(1, 50)}"/><drake:rotor_inertia value="{self.uniform(0, .01)}"/>')
                text += (f'<transmission><type>transmission_interface/SimpleTransmission</type><joint name="{joint}"/>'
                         f'<actuator name="a_{joint}">{drake}</actuator></transmission>')
        for i in range(int(self.random.choice([0, 0, 1]))):
            text += f'<frame name="f{i}" link="{links[-1]}" xyz="{self.uniform(-1, 1, 3)}" rpy="{self.uniform(-1, 1, 3)}"/>'
        path = folder / f"{name}.urdf"
        path.write_text(f'<robot xmlns:drake="http://drake.mit.edu" name="{name}">{text}</robot>', encoding="utf-8")
        self.base = next(link for link in links if link != "world")
        self.is_fixed = "world" in links
        return path


class Sdf(Draw):
    suffix = ".sdf"

    def pose(self, scope, chance=0.8):
        relative = self.maybe(0.4, f' relative_to="{self.choice(scope)}"') if scope else ""
        degrees = self.maybe(0.2, ' degrees="true"') if self.version >= 1.9 else ""
        turn = self.random.uniform(-3, 3, 3) * (180 / np.pi if degrees else 1)
        return self.maybe(chance, f'<pose{relative}{degrees}>{self.uniform(-.5, .5, 3)} {number(turn)}</pose>')

    def link(self, name, scope):
        mass, moments = self.inertia()
        inside = "".join(f"<{key}>{number(value)}</{key}>" for key, value in moments.items())
        return (f'<link name="{name}">{self.pose(scope)}<inertial>{self.pose([])}<mass>{number(mass)}</mass>'
                f"<inertia>{inside}</inertia></inertial></link>")

    def axis(self, kind, scope, tag="axis"):
        expressed = self.maybe(0.4, f' expressed_in="{self.choice([*scope, "__model__"])}"')
        said = self.limits()
        bounds = f"<lower>{number(said['lower'])}</lower><upper>{number(said['upper'])}</upper>" if kind in ("revolute", "prismatic") else ""
        spring = self.maybe(0.4, f"<spring_stiffness>{self.uniform(0, 9)}</spring_stiffness><spring_reference>{self.uniform(-1, 1)}"
                                 "</spring_reference>") if kind in ("revolute", "prismatic", "continuous") else ""
        return (f"<{tag}><xyz{expressed}>{self.uniform(-1, 1, 3)}</xyz><limit>{bounds}<effort>{number(said['effort'])}</effort></limit>"
                f"<dynamics>{self.maybe(0.7, f'<damping>{self.uniform(0, 2)}</damping>')}{spring}</dynamics></{tag}>")

    def joint(self, name, kind, parent, child, scope):
        inside, tag = f"<parent>{parent}</parent><child>{child}</child>", "joint"
        if kind == "planar":
            tag, inside = "drake:joint", f"<drake:parent>{parent}</drake:parent><drake:child>{child}</drake:child>"
            return f'<drake:joint name="{name}" type="planar">{inside}<drake:damping>{number([self.random.uniform(0, 2)] * 3)}</drake:damping></drake:joint>'
        inside += self.pose(scope)
        if kind in ONE:
            inside += self.axis(kind, scope)
        if kind == "universal":
            effort = "<limit><effort>0</effort></limit>"
            damping = f"<dynamics><damping>{self.uniform(0, 2)}</damping></dynamics>"
            inside += f"<axis><xyz>1 0 0</xyz>{effort}{damping}</axis><axis2><xyz>0 1 0</xyz>{effort}{damping}</axis2>"
        if kind == "screw":
            inside += f"<screw_thread_pitch>{self.uniform(.1, 1)}</screw_thread_pitch>"
        if kind in ("revolute", "prismatic"):
            if self.random.random() < 0.2 and self.single:
                inside += (f'<drake:mimic joint="{self.choice(self.single)}" multiplier="{self.uniform(-2, 2)}" offset="{self.uniform(-1, 1)}"/>')
            self.single.append(name)
            inside += self.maybe(0.3, f"<drake:rotor_inertia>{self.uniform(0, .01)}</drake:rotor_inertia>"
                                      f"<drake:gear_ratio>{self.uniform(1, 50)}</drake:gear_ratio>")
        return f'<{tag} name="{name}" type="{kind}">{inside}</{tag}>'

    def model(self, depth, is_whole=True):
        """(text within <model>, names of its links from there)"""
        self.single, own, scope, text = [], [], [], ""
        for _ in range(int(self.random.integers(1, 5 if depth else 7))):
            chance = self.random.random()
            if chance < 0.15 and depth < 3 and own:
                names = self.inner(depth, scope)
                text += names[0]
                single, self.single = self.single, []
                text += self.tie(names[1] if self.random.random() < 0.2 else names[1][:1], own, scope)
                self.single = single
                own += names[1]
                scope += names[2]
                continue
            link = self.next("l")
            text += self.link(link, scope)
            scope.append(link)
            if own:
                text += self.tie([link], own, scope)
            elif depth == 0 and self.random.random() < 0.4:
                text += self.joint(self.next("j"), self.choice(["fixed", "revolute", "prismatic"]), "world", link, scope)
                self.is_fixed = True
            own.append(link)
            if self.random.random() < 0.3:
                frame = self.next("f")
                text += f'<frame name="{frame}"{self.maybe(0.7, f""" attached_to="{self.choice(scope)}" """)}>{self.pose(scope)}</frame>'
                scope.append(frame)
        return text, own, scope

    def tie(self, children, parents, scope):
        if self.random.random() < 0.1:
            return ""  # it moves by itself
        parent, child = self.choice(parents), self.choice(children)
        kind = str(self.random.choice([*ONE, "fixed", "ball", "universal", "planar"], p=[.3, .1, .2, .05, .15, .05, .05, .1]))
        if kind in ("screw", "ball", "universal", "planar") and (child != children[0] or "::" in parent + child):
            kind = "revolute"  # Drake turns no others round, and has planar ones of plain names alone
        return self.joint(self.next("j"), kind, parent, child, scope)

    def inner(self, depth, scope):
        saved, name, kind = self.single, self.next("n"), self.choice(["model", "include", "merge"])
        text, own, inside = self.model(depth + 1)
        self.single = saved
        pose, placed = self.pose(scope), self.placed(inside)
        if kind == "model":
            return f'<model name="{name}"{placed}>{pose}{text}</model>', [f"{name}::{link}" for link in own], []
        (self.folder / f"{name}.sdf").write_text(self.wrap(f'<model name="{self.choice(["same", name])}"{placed}>{self.pose([])}{text}</model>'))
        said = self.included(inside) if pose else ""  # a frame without a pose is an error
        merged = kind == "merge" and self.version >= 1.9
        link = f"<include{' merge=' + chr(34) + 'true' + chr(34) if merged else ''}><uri>package://drawn/{name}.sdf</uri><name>{name}</name>{pose}{said}</include>"
        return link, own if merged else [f"{name}::{link}" for link in own], []

    def placed(self, scope):
        """What of a model lies where its pose says, and which link's it moves with."""
        links = [name for name in scope if name[0] == "l"]
        return self.maybe(0.3, f' placement_frame="{self.choice(scope)}"') + self.maybe(0.2, f' canonical_link="{self.choice(links)}"')

    def included(self, scope):
        return self.maybe(0.2, f"<placement_frame>{self.choice(scope)}</placement_frame>")

    def wrap(self, text):
        return f'<sdf xmlns:drake="http://drake.mit.edu" version="{self.version:g}">{text}</sdf>'

    def write(self, folder, name):
        self.folder, self.is_fixed = folder, False
        self.version = float(self.choice([1.7, 1.8, 1.9, 1.10, 1.11]))
        self.version = 1.9 if self.version == 1.1 else self.version
        text, own, inside = self.model(0)
        path = folder / f"{name}.sdf"
        path.write_text(self.wrap(f'<model name="{name}"{self.placed(inside)}>{self.pose([])}{text}</model>'), encoding="utf-8")
        self.base = own[0]
        return path


def directives(seed, folder):
    """One to three robots, maybe several of one file, maybe one on the other."""
    random = np.random.default_rng([seed, 1])
    files, text, fixed = [], "directives:\n", []
    for i in range(int(random.integers(1, 4))):
        if not files or random.random() < 0.6:
            draw = [Urdf, Sdf][int(random.integers(2))](1000 * seed + i)
            files.append((draw, draw.write(folder, f"r{i}")))
        draw, path = files[int(random.integers(len(files)))]
        text += f"- add_model:\n    name: m{i}\n    file: file://{path}\n"
        place = random.uniform(-1, 1, 6)
        if not draw.is_fixed and "::" not in draw.base and random.random() < 0.6:
            on = "world" if not fixed or random.random() < 0.5 else fixed[int(random.integers(len(fixed)))]
            text += (f"- add_frame:\n    name: m{i}_at\n    X_PF:\n      base_frame: {on}\n      translation: {place[:3].tolist()}\n"
                     f"      rotation: !Rpy {{deg: {(place[3:] * 90).tolist()}}}\n"
                     f"- add_weld:\n    parent: m{i}_at\n    child: m{i}::{draw.base}\n")
        fixed.append(f"m{i}::{draw.base}")
    path = folder / "scene.dmd.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def write(seed, folder):
    kind = seed % 3
    if kind == 2:
        return directives(seed, folder)
    return (Urdf, Sdf)[kind](seed).write(folder, "m")


def read_with_drake(path):
    plant = MultibodyPlant(1e-3)
    plant.set_discrete_contact_approximation(DiscreteContactApproximation.kSap)  # which takes mimics
    parser = Parser(plant)
    parser.package_map().Add("drawn", str(path.parent))
    if path.suffix == ".yaml":
        ProcessModelDirectives(LoadModelDirectives(str(path)), plant=plant, parser=parser)
    else:
        parser.AddModels(str(path))
    plant.Finalize()
    return plant


def scoped(plant, element):
    model = plant.GetModelInstanceName(element.model_instance())
    return element.name() if model in ("WorldModelInstance", "DefaultModelInstance") else f"{model}::{element.name()}"


def plain(name):
    """Joints are of their child's model there, of the model that says them here; names differ in a file."""
    parts = name.split("::")
    return f"{parts[0]}::{parts[-1]}"


def their_name(plant, joint):
    return plain(scoped(plant, joint))


def apart(ours, theirs, size=1.0):
    ours, theirs = np.asarray(ours, float), np.asarray(theirs, float)
    return float(np.abs(ours - theirs).max(initial=0.0) / max(size, np.abs(theirs).max(initial=0.0)))


def turn(pose):
    return np.concatenate([np.ravel(pose.rotation), pose.translation])


class Pair:
    """A file that both have read, in one state."""

    def __init__(self, path, random):
        self.plant = read_with_drake(path)
        self.scene = isobar.load(path, packages={"drawn": path.parent})
        self.world = self.scene.create_world(method="rk4")
        self.context = self.plant.CreateDefaultContext()
        models = [ModelInstanceIndex(i) for i in range(self.plant.num_model_instances())]
        self.bodies = {scoped(self.plant, b): b for m in models for b in map(self.plant.get_body, self.plant.GetBodyIndices(m))}
        self.bodies.pop("world", None)
        self.joints = {their_name(self.plant, j): j for m in models for j in map(self.plant.get_joint, self.plant.GetJointIndices(m))}
        self.random = random
        self.has_floats = any('type="floating"' in p.read_text(encoding="utf-8") for p in path.parent.iterdir())

    def place(self):
        plant, world = self.plant, self.world
        q, v = np.zeros(world.q_count), 2 * self.random.normal(size=world.v_count)
        theirs, self.order = np.zeros(plant.num_positions()), np.full(world.v_count, -1)
        for body in range(1, world.body_count):
            at = world.coordinates(body)
            if not at.v_count:
                continue
            joint = self.joints[plain(at.joint_name or world.body_names[body])]
            if joint.num_velocities() != at.v_count:
                raise AssertionError(f"{at.joint_name}: {at.v_count} velocities, Drake {joint.num_velocities()}")
            value = self.random.uniform(-2, 2, joint.num_positions())
            mine = value
            if joint.num_positions() == 7:
                value[:4] /= np.linalg.norm(value[:4])
            elif joint.type_name() == "ball_rpy":
                x, y, z, w = Rotation.from_euler("xyz", value * 0.6).as_quat()
                value, mine = value * 0.6, [w, x, y, z]
            theirs[joint.position_start():joint.position_start() + joint.num_positions()] = value
            q[at.q_index:at.q_index + at.q_count] = mine
            self.order[at.v_index:at.v_index + at.v_count] = joint.velocity_start() + np.arange(at.v_count)
        world.set_state(q, v)
        plant.SetPositions(self.context, theirs)
        their_v = np.zeros(len(v))
        their_v[self.order] = v
        plant.SetVelocities(self.context, their_v)
        self.v = their_v

    def poses(self):
        return max((apart(turn(self.world.body_pose(name)), np.concatenate(
            [np.ravel(x.rotation().matrix()), x.translation()])) for name, x in
            ((n, self.plant.EvalBodyPoseInWorld(self.context, b)) for n, b in self.bodies.items())), default=0.0)

    def efforts(self):
        plant, order = self.plant, self.order
        gravity = plant.CalcGravityGeneralizedForces(self.context)
        forces = MultibodyForces(plant)
        plant.CalcForceElementsContribution(self.context, forces)
        springs = np.array(forces.generalized_forces())  # dampers, too
        matrix = plant.CalcMassMatrix(self.context)[np.ix_(order, order)]
        weight = sum(b.default_mass() for b in self.bodies.values())
        bias = plant.CalcBiasTerm(self.context)
        return {"mass matrix": apart(self.world.mass_matrix(), matrix, 1e-3),
                "gravity": apart(self.world.gravity_forces(), gravity[order], weight),
                "bias": apart(self.world.bias(), (bias - gravity)[order], weight),
                "springs and dampers": apart(self.world.passive_forces(), springs[order])}


class Drawn(unittest.TestCase):
    def compare_bodies(self, pair):
        ours = {b.name: b for b in pair.scene.model.bodies if b.name != "world"}
        self.assertEqual(sorted(ours), sorted(pair.bodies))
        worst = 0.0
        for name, body in ours.items():
            theirs = pair.bodies[name].default_spatial_inertia()
            about = theirs.Shift(theirs.get_com()).CalcRotationalInertia().CopyToFullMatrix3()
            worst = max(worst, apart(body.mass, theirs.get_mass()), apart(body.center_of_mass, theirs.get_com()),
                        apart(body.inertia, about))
        return worst

    def compare_joints(self, pair):
        worst = 0.0
        names = {name for name, j in pair.joints.items() if j.num_velocities() and j.name() != j.child_body().name()}
        model = pair.scene.model
        ours = {plain(j.name): j for j in model.joints if j.kind not in ("weld", "free") or plain(j.name) in names}
        self.assertEqual(sorted(ours), sorted(names))
        for name, joint in ours.items():
            theirs = pair.joints[name]
            if theirs.num_positions() != 1:
                continue
            for mine, his in ((joint.lower, theirs.position_lower_limits()[0]), (joint.upper, theirs.position_upper_limits()[0])):
                self.assertEqual(np.isinf(mine), np.isinf(his), f"{name}: {mine} {his}")
                worst = max(worst, abs(mine - his) if np.isfinite(mine) else 0.0)
        theirs = sorted(their_name(pair.plant, a.joint()) for a in map(pair.plant.get_joint_actuator, pair.plant.GetJointActuatorIndices()))
        self.assertEqual(sorted(plain(model.joints[a.joint].name) for a in model.actuators), theirs)
        return worst

    def compare(self, seed, folder):
        pair = Pair(write(seed, folder), np.random.default_rng([seed, 2]))
        result = {"bodies": self.compare_bodies(pair), "joints": self.compare_joints(pair)}
        self.assertEqual(len(pair.scene.model.couplers), pair.plant.num_constraints())
        # Mimics hold from the start here, and floating links stand where their joint puts them.
        if not pair.scene.model.couplers and not pair.has_floats:
            result["start"] = pair.poses()
        pair.place()
        return {**result, "poses": pair.poses(), **pair.efforts()}

    def test_they_are_those_of_drake(self):
        first, count = map(int, os.environ.get("ISO_DRAWN", "0 30").split())
        logging.getLogger("isobar").setLevel(logging.ERROR)
        logging.getLogger("drake").setLevel(logging.ERROR)
        worst = {}
        for seed in range(first, first + count):
            with self.subTest(seed=seed), tempfile.TemporaryDirectory() as folder:
                try:
                    result = self.compare(seed, pathlib.Path(folder))
                except RuntimeError as error:
                    self.assertIn("does not support reversed", str(error))  # there
                    continue
                for name, found in result.items():
                    worst[name] = max(worst.get(name, 0.0), found)
                    self.assertLess(found, TOLERANCE, f"{name}: {result}")
        print(f"{count} robots: " + ", ".join(f"{name} {found:.1e}" for name, found in worst.items()))


def held(parent_of_world, direction, masses):
    """Two links that a fixed joint with a sensor ties, one of them fixed to the world."""
    links = "".join(f"<link name='{name}'><pose>{i} 0 0 0 0 0</pose><inertial><mass>{number(mass)}</mass></inertial></link>"
                    for i, (name, mass) in enumerate(zip("ab", masses)))
    return (f"<sdf version='1.9'><model name='m'>{links}<joint name='j' type='fixed'><parent>a</parent><child>b</child>"
            f"<sensor name='s' type='force_torque'><force_torque><measure_direction>{direction}</measure_direction></force_torque>"
            f"</sensor></joint><joint name='hold' type='fixed'><parent>world</parent><child>{parent_of_world}</child></joint>"
            "</model></sdf>")


class Turned(unittest.TestCase):
    def test_sensors_stay_on_the_end_that_the_file_means(self):
        random = np.random.default_rng(7)
        for end, direction in ((e, d) for e in "ab" for d in ("child_to_parent", "parent_to_child")):
            masses = random.uniform(0.5, 2, 2)
            with self.subTest(end=end, direction=direction), tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder) / "m.sdf"
                path.write_text(held(end, direction, masses), encoding="utf-8")
                scene = isobar.load(path)
                world = scene.create_world()
                sensors = scene.create_sensors(world)
                sensors.update()
                up_on_b = 9.8 * masses[1] if end == "a" else -9.8 * masses[0]  # a holds b, or b a
                gravity = -scene.settings.gravity[2] / 9.8
                sign = -1 if direction == "child_to_parent" else 1
                np.testing.assert_allclose(np.asarray(sensors["m::s"])[:3], [0, 0, sign * up_on_b * gravity], atol=1e-9)


if __name__ == "__main__":
    unittest.main()
