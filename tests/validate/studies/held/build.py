# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Makes the drawn worlds, and loads them step by step."""

import math

import numpy as np

import isobar

from studies.law_limits import meshes

from . import draw


def _shape(part):
    x, y, z = part["sizes"]
    form, cells = part["form"], 3
    if form == "box_tets":
        return isobar.mesh(isobar.TetMesh(*meshes.box_tets(np.array([x, y, z]), (cells, cells, cells))))
    if form == "ball_tets":
        return isobar.mesh(isobar.TetMesh(*meshes.ball_tets(0.5 * x, 2)))
    return {"sphere": lambda: isobar.sphere(0.5 * x), "box": lambda: isobar.box(x, y, z),
            "ellipsoid": lambda: isobar.ellipsoid(0.5 * x, 0.5 * y, 0.5 * z),
            "cylinder": lambda: isobar.cylinder(0.5 * x, z), "capsule": lambda: isobar.capsule(0.5 * x, z - x),
            "half_space": isobar.half_space}[form]()


def _material(world, part):
    material = isobar.Material(compliance="rigid" if part["is_rigid"] else "compliant", modulus=part["modulus"],
                               friction_static=world["mu"], friction_dynamic=world["mu_dynamic"],
                               resolution_hint=part["hint"])
    if part["form"] == "half_space":
        material.slab_thickness = world["size"]
    for name in ("dissipation", "margin"):
        if world[name] is not None:
            setattr(material, name, world[name])
    return material


def _join(model, part):
    """The joint of a part, placed so that its body's frame is where it was drawn."""
    name, joint, pose = part["name"], part["joint"], isobar.Pose(part["rotation"], part["place"])
    if joint is None:
        model.set_free_pose(name, pose)
    elif joint["kind"] == "fixed":
        model.add_joint(f"joint_{name}", "weld", "world", name, x_pf=pose)
    else:
        arm = joint["arm"]
        model.add_joint(f"joint_{name}", joint["kind"], "world", name, axis=joint["axis"],
                        x_pf=isobar.Pose(None, part["place"] + arm),
                        x_cm=isobar.Pose(part["rotation"].T, part["rotation"].T @ arm))
        model.add_actuator(f"drive_{name}", f"joint_{name}", kp=joint.get("kp", 0.0), kd=joint["kd"])


def inertia(part):
    """Mass and moments, those of a box."""
    mass, (x, y, z) = part["mass"] or part["density"] * draw.volume(part), part["sizes"]
    return mass, [mass * i / 12 for i in (y * y + z * z, x * x + z * z, x * x + y * y)]


class Loaded:
    """A world with its loads. `step(n, pulse)` moves on; what it carries at first is let go slowly."""

    def __init__(self, world, time_step=None, **settings):
        self.given, self.time_step = world, time_step or world["time_step"]
        model, self.names = isobar.Model(), []
        for part in world["parts"]:
            shape = _shape(part)
            if part["form"] == "half_space" and part["mass"] is None:
                model.add_body(part["name"])
            else:
                mass, moments = inertia(part)
                model.add_body(part["name"], mass, moments)
            model.add_geometry(part["name"], shape, material=_material(world, part))
            _join(model, part)
            if part["joint"] is None or part["joint"]["kind"] != "fixed":
                self.names.append(part["name"])
        for i, first in enumerate(world["parts"]):  # parts of one gripper do not meet
            for second in world["parts"][:i]:
                if first["joint"] is not None and second["joint"] is not None:
                    model.exclude_pair(first["name"], second["name"])
        settings = {"method": world["method"], **settings}
        self.world = isobar.World(model, time_step=self.time_step, gravity=world["gravity"], **settings)
        self.carry, self.count, self.worked, self.last = 1.0, 0, 0.0, 0.0
        self.weight = {part["name"]: self.world.body_mass(part["name"]) for part in world["parts"]}

    def _factor(self, is_pulsing):
        pulse = self.given["pulse"]
        if not is_pulsing or pulse is None:
            return 0.0
        return pulse["share"] * math.sin(2 * math.pi * self.count / self.steps_of_pulse())

    def steps_of_pulse(self):
        return round(self.given["pulse"]["steps"] * self.given["time_step"] / self.time_step)

    def _load(self, is_pulsing):
        more = self._factor(is_pulsing)
        for load in self.given["loads"]:
            if "joint" in load:
                self.world.set_actuation(load["joint"].replace("joint_", "drive_"), load["effort"] * (1 + more))
            else:
                force = (more if load.get("only_pulse") else 1 + more) * load["force"]
                self.world.apply_wrench_for_one_step(load["body"], np.concatenate([np.zeros(3), force]))
        shaken = self.given["shaken"]
        if shaken is not None and self.given["pulse"]:
            rate = 2 * math.pi / (self.steps_of_pulse() * self.time_step)
            phase = rate * self.count * self.time_step
            # From rest: 1 - cos.
            size = shaken["amplitude"] if is_pulsing else 0.0
            self.world.set_actuation(shaken["joint"].replace("joint_", "drive_"), 0.0, size * (1 - math.cos(phase)),
                                     size * rate * math.sin(phase))
        held = self.given["carried"]
        if held is not None and self.carry > 0:
            force = -self.carry * self.weight[held] * self.given["gravity"]
            self.world.apply_wrench_for_one_step(held, np.concatenate([np.zeros(3), force]))

    def step(self, is_pulsing=False):
        self._load(is_pulsing)
        self.count = self.count + 1 if is_pulsing else 0
        self.world.step()

    def kick(self):
        """One step with a blow on each free body, after which it moves as drawn."""
        twist = self.given["kick"]
        self._load(False)
        for part in self.given["parts"]:
            if part["joint"] is None:
                mass, moments = inertia(part)
                turn = self.world.body_pose(part["name"]).rotation
                blow = np.concatenate([turn @ (moments * (turn.T @ twist[:3])), mass * twist[3:]]) / self.time_step
                # A body is loaded once a step: what it bears besides comes with it.
                self.world.apply_wrench_for_one_step(part["name"], blow + self._borne(part["name"]))
        self.world.step()

    def _borne(self, name):
        force = sum((load["force"] for load in self.given["loads"] if load.get("body") == name
                     and not load.get("only_pulse")), np.zeros(3))
        return np.concatenate([np.zeros(3), force])

    def speed(self):
        """The largest speed of a body, of its points half a size away included."""
        size = self.given["size"]
        twists = [self.world.body_twist(name) for name in self.names]
        return max(float(np.linalg.norm(t[3:]) + 0.5 * size * np.linalg.norm(t[:3])) for t in twists)

    def place(self):
        """Places of the free bodies, with their turns over half a size, (n, 12)."""
        found = []
        for part in self.given["parts"]:
            if part["joint"] is None:
                pose = self.world.body_pose(part["name"])
                found.append(np.concatenate([pose.translation, 0.5 * self.given["size"] * pose.rotation.ravel()]))
        return np.array(found)

    def off_from(self, place):
        """How far bodies are off from where they were. Two jaws that push with equal efforts let go along x."""
        off, jaws = self.place() - place, self.given["loads"]
        if self.given["kind"] in ("grip", "bottle") and len(jaws) == 2:
            off[:, 0] = 0.0
        return off
