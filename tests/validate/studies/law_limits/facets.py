# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Balls and cylinders of few facets that roll on a half space, beside rk45.

A patch resists rolling by K, the moment that a turn of the body raises in it. Over all facets that is
repaid by the way of the patch along the body. A step of first order takes K at its end and the arms at its
start, so that it loses dt V K V a second of a twist V. What it loses is held against that.

Faces have one sample each, as Drake's: rk45 has three to each triangle of a face otherwise, and damping of
rolling differs by about 2 over the number of faces.
"""

import math
import time

import numpy as np

import isobar

from . import build, meshes, turns
from .draw import GRAVITY
from .measure import Finding, Rejected

_STEP, _SHARES = 1e-3, (1.0, 0.5, 0.25)
_MOST_LOST = 0.2  # of the energy in the coarsest step: above that the loss is not proportional to the step
_SECONDS = 12.0
_truths = {}


def _prism(count, radius, width):
    """Vertices and triangles of a cylinder of so many sides about y."""
    angles = 2 * np.pi * np.arange(count) / count
    ring = [[radius * np.cos(a), y, radius * np.sin(a)] for y in (-0.5 * width, 0.5 * width) for a in angles]
    vertices = np.array([*ring, [0, -0.5 * width, 0], [0, 0.5 * width, 0]])
    triangles = []
    for i in range(count):
        k = (i + 1) % count
        triangles += [[i, k, count + k], [i, count + k, count + i], [2 * count, k, i],
                      [2 * count + 1, count + i, count + k]]
    triangles = np.array(triangles)
    a, b, c = (vertices[triangles[:, i]] for i in range(3))
    inwards = np.einsum("ij,ij->i", np.cross(b - a, c - a), a + b + c) < 0
    triangles[inwards] = triangles[inwards][:, [0, 2, 1]]
    return vertices, triangles


def draw(seed):
    """A body that rolls along x: form, sizes, materials, speed."""
    random = np.random.default_rng([seed, 26])
    radius = 10 ** random.uniform(-2, -0.3)
    given = {"seed": seed, "form": str(random.choice(["prism", "triangles", "tets"])), "radius": radius}
    given.update(sides=int(random.integers(6, 28)), levels=int(random.integers(0, 3)))
    given.update(width=radius * random.uniform(0.5, 1.5), density=10 ** random.uniform(2.5, 3.8))
    given.update(mu=random.uniform(0.3, 1.0), slab=radius * random.uniform(0.2, 0.6))
    given["dissipation"] = float(random.choice([0.0, random.uniform(0.0, 5.0), random.uniform(5.0, 50.0)]))
    given["speed"] = min(3.0, random.uniform(0.3, 3.0) * math.sqrt(GRAVITY * radius))
    given["depth"] = radius * 10 ** random.uniform(-2.5, -1.3)
    given["roll"] = random.uniform(0, 2 * np.pi)
    given["until"] = 0.04 * math.ceil(min(0.5, 4 * radius / given["speed"]) / 0.04)
    solid = math.pi * radius**2 * given["width"] if given["form"] == "prism" else 4 / 3 * math.pi * radius**3
    given["mass"] = m = given["density"] * solid
    side = m * (3 * radius**2 + given["width"] ** 2) / 12
    given["moments"] = [side, 0.5 * m * radius**2, side] if given["form"] == "prism" else [0.4 * m * radius**2] * 3
    chord = 2 * math.sqrt(2 * radius * given["depth"])
    area = given["width"] * chord if given["form"] == "prism" else math.pi * chord**2 / 4
    given["modulus"] = m * GRAVITY * given["slab"] / (0.5 * given["depth"] * area)
    return given


def _skin(given):
    """(shape, vertices in the body's axes, rotation at the start)."""
    if given["form"] == "prism":
        made = _prism(given["sides"], given["radius"], given["width"])
        half = math.pi / given["sides"]
        # The face between the first two corners is turned down.
        return isobar.mesh(isobar.TriMesh(*made)), made[0], turns.about([0, 1, 0], half + 0.5 * math.pi)
    turn = turns.about([1, 0, 0], given["roll"])
    vertices = meshes.ball_triangles(given["radius"], given["levels"])[0]
    if given["form"] == "tets":
        return isobar.mesh(isobar.TetMesh(*meshes.ball_tets(given["radius"], given["levels"]))), vertices, turn
    return isobar.mesh(isobar.TriMesh(*meshes.ball_triangles(given["radius"], given["levels"]))), vertices, turn


def make(given, method, time_step, stiction):
    """isobar.World of a drawn body."""
    step_method, friction = build.METHODS.get(method, (method, "regularized"))
    is_soft = given["form"] == "tets"
    material = {"modulus": given["modulus"], "margin": 0.0, "relaxation_time": 0.0,
                "dissipation": 0.0 if method == "sap" else given["dissipation"],
                "friction_static": given["mu"], "friction_dynamic": given["mu"]}
    shape, vertices, turn = _skin(given)
    model = isobar.Model()
    model.add_body("body", given["mass"], given["moments"])
    model.add_geometry("body", shape, "skin", material=isobar.Material(
        compliance="compliant" if is_soft else "rigid", **material))
    model.add_body("floor", 1.0, [1.0] * 3)
    model.add_joint("base", "weld", "world", "floor")
    model.add_geometry("floor", isobar.half_space(), "skin", material=isobar.Material(
        compliance="rigid" if is_soft else "compliant", slab_thickness=given["slab"], **material))
    low = -float((vertices @ turn.T)[:, 2].min())
    model.set_free_pose("body", isobar.Pose(turn, [0.0, 0.0, low - given["depth"]]))
    speed = given["speed"]
    model.set_free_twist("body", [0.0, speed / given["radius"], 0.0, speed, 0.0, 0.0])
    return isobar.World(model, time_step=time_step, gravity=[0.0, 0.0, -GRAVITY], method=step_method,
                        contact=isobar.ContactOptions(friction=friction, stiction_velocity=stiction, cull="drake"),
                        accuracy=1e-7, error_control=False, max_substeps=100000)


def _energy(given, made):
    """Of motion and height [J]."""
    pose, twist = made.body_pose("body"), np.array(made.body_twist("body"))
    spin = pose.rotation.T @ twist[:3]
    return (0.5 * given["mass"] * float(twist[3:] @ twist[3:]) + 0.5 * float(np.array(given["moments"]) @ spin**2)
            + given["mass"] * GRAVITY * pose.translation[2])


def _run(given, method, time_step, stiction, see=None):
    """Mean energy of the last fifth of a run, over that of its start's rolling; see(world): after steps."""
    made = make(given, method, time_step, stiction)
    count, found, start = math.ceil(given["until"] / time_step), [], time.process_time()
    for index in range(count):
        made.step()
        if index >= 0.8 * count:
            found.append(_energy(given, made))
        if see and index % max(1, round(1e-3 / time_step)) == 0:
            see(made)
        if time.process_time() - start > _SECONDS:
            raise build.Slow(f"{method} at {time_step:g} s: {made.time:.3g} of {given['until']:.3g} s")
    return float(np.mean(found)) / (0.5 * given["mass"] * given["speed"] ** 2)


def _resistance(given, scratch, pose, twist):
    """V K V [W/s]: what a patch gains on forces by the motion there is, its places at rest."""
    forces, time_step = [], 1e-5 * given["radius"] / given["speed"]
    for sign in (-1.0, 1.0):
        turn = turns.of_vector(sign * time_step * twist[:3])
        place = pose.translation + sign * time_step * twist[3:]
        scratch.set_free_body("body", isobar.Pose(turn @ pose.rotation, place))
        scratch.update_contacts()
        total = np.zeros(6)
        for contact in scratch.contacts:
            part = np.array(contact.wrench) * (1.0 if contact.body_name_b == "body" else -1.0)
            part[:3] += np.cross(contact.patch.center_of_pressure - pose.translation, part[3:])
            total += part
        forces.append(total)
    return max(0.0, -float(twist @ (forces[1] - forces[0])) / (2 * time_step))


def _truth(given, method):
    """(energy at the end, how far it may be off, what a first-order step loses a second of its length)."""
    damping = 0.0 if method == "sap" else given["dissipation"]
    if (given["seed"], damping) not in _truths:
        _truths.clear()
        scratch = make({**given, "dissipation": 0.0, "mu": 0.0}, "rk45", 1e-3, 1e-3)
        rates = []

        def see(made):
            rates.append(_resistance(given, scratch, made.body_pose("body"), np.array(made.body_twist("body"))))

        given = {**given, "dissipation": damping}
        slip = 1e-3 * given["speed"]
        ends = [_run(given, "rk45", 1e-3, slip, see), _run(given, "rk45", 1e-3, 2 * slip)]
        rate = float(np.mean(rates)) * given["until"] / (0.5 * given["mass"] * given["speed"] ** 2)
        _truths[given["seed"], damping] = 2 * ends[0] - ends[1], abs(ends[1] - ends[0]), rate
    return _truths[given["seed"], damping]


def check(seed, method):
    given = draw(seed)
    truth, floor, rate = _truth(given, method)
    if floor > 0.02:
        raise Rejected(f"the oracle's energy depends on the stiction velocity by {floor:.2g}")
    steps = [share * min(_STEP, _MOST_LOST / max(rate, 1e-9)) for share in _SHARES]
    lost = [truth - _run(given, method, step, 1e-3 * given["speed"]) for step in steps]
    left = abs(2 * lost[-1] - lost[-2])
    sides = given["sides"] if given["form"] == "prism" else 20 * 4 ** given["levels"]
    note = (f"{given['form']} of {sides} facets, radius {given['radius']:.2g} m, {given['speed']:.2g} m/s, modulus "
            f"{given['modulus']:.2g} Pa, dissipation {given['dissipation']:.2g} s/m: lost "
            f"{' '.join(f'{e:.2g}' for e in lost)} at {steps[0]:.2g} to {steps[-1]:.2g} s; dt V K V of the first "
            f"takes {rate * steps[0]:.2g}; oracle to {floor:.1e}")
    allowed = 0.02 + 3 * floor
    beyond = max(abs(loss) - 1.2 * rate * step for step, loss in zip(steps, lost))
    return [Finding("facets: energy of rolling that is off, extrapolated to step 0", left,
                    allowed + 0.1 * abs(lost[0]), seed, method, note),
            Finding("facets: energy of rolling that is off beyond dt V K V", max(0.0, beyond), allowed, seed,
                    method, note)]
