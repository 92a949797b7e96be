# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Motions that take few steps, or that friction decides: landings, a rod of Painlevé's that digs in,
bounces, rolling capsules, an Euler disc, pads that spin, the ledger of a blow; what SAP creeps and rides.

The oracle is rk45 at small tolerance. `midpoint` is held to it where a step resolves the contact;
`lagged` is of first order and held to that, its errors at 1 ms are reported.
"""

import logging
import math
import os
import sys

import numpy as np

import engine
import report

sys.path.insert(0, str(engine.ROOT / "python"))
os.environ.setdefault("ISOBAR_LIBRARY", str(engine.ISOBAR.parents[1] / "lib" / "libisobar.so"))

import isobar  # noqa: E402

logging.getLogger("isobar").setLevel(logging.CRITICAL)
_G, _STUDY = 9.81, "few-steps"
_STICK = ("lagged", "midpoint")


def _world(shape, mass, moments, material, step, method, pose, twist, gravity=(0, 0, -_G), stiction=1e-4):
    """A soft body "a" over a rigid plane."""
    model = isobar.Model()
    model.add_body("a", mass, list(moments))
    model.add_geometry("a", shape, "skin", material=isobar.Material(compliance="compliant", **material))
    shared = {k: v for k, v in material.items() if k in ("friction_static", "friction_dynamic",
                                                         "relaxation_time", "dissipation")}
    model.add_body("b", 1.0, [1, 1, 1])
    model.add_joint("base", "weld", "world", "b")
    model.add_geometry("b", isobar.half_space(), "top", material=isobar.Material(
        compliance="rigid", modulus=material["modulus"], **shared))
    model.set_free_pose("a", pose)
    model.set_free_twist("a", list(twist))
    friction = "stick" if method in _STICK else "regularized"
    return isobar.World(model, time_step=step, gravity=list(gravity), method=method, accuracy=1e-8,
                        error_control=False, max_substeps=100000, contact=isobar.ContactOptions(
                            friction=friction, stiction_velocity=stiction))


def _material(modulus, mu, **more):
    return {"modulus": modulus, "friction_static": mu, "friction_dynamic": mu, **more}


def _ball(method, step, radius, modulus, mu, height, twist, **more):
    mass = 4e3 / 3 * math.pi * radius**3
    return _world(isobar.sphere(radius), mass, [0.4 * mass * radius**2] * 3,
                  _material(modulus, mu, margin=0.0, **more), step, method,
                  isobar.Pose(np.eye(3), [0, 0, radius + height]), twist)


def _landing(method, step, radius, modulus, mu, dissipation):
    """Velocity along the floor, and of the rim, after a landing at 0.8 m/s along and 1 m/s down."""
    made = _ball(method, step, radius, modulus, mu, 1e-6, [0, 0, 0, 0.8, 0, -1.0], dissipation=dissipation)
    made.step(round(0.02 / step))
    twist = made.body_twist("a")
    return np.array([twist[3], radius * twist[1]])


def _rod(method, step, mu, tilt, modulus):
    """Place and tilt of a rod of 1 m that slides with its lower end ahead, after 80 ms."""
    radius, length = 0.02, 1.0
    c, s = math.cos(tilt), math.sin(tilt)
    pose = isobar.Pose([[c, 0, s], [0, 1, 0], [-s, 0, c]], [0, 0, (0.5 * length - radius) * c + radius])
    made = _world(isobar.capsule(radius, length - 2 * radius), 1.0, [length**2 / 12] * 2 + [2e-4],
                  _material(modulus, mu, margin=0.0, dissipation=0.0, resolution_hint=0.005), step,
                  method, pose, [0, 0, 0, 2.0, 0, 0])
    made.step(round(0.08 / step))
    found = made.body_pose("a")
    turn = found.rotation
    return np.array([*found.translation[[0, 2]], math.atan2(turn[0, 2], turn[2, 2])])


def _converges(what, run, cases, first, last, settle):
    """Errors against rk45 fall with the step, of the worst of the cases: in `last` steps below `settle`."""
    found = []
    for method in _STICK:
        error = {first: [], last: []}
        for case in cases:
            truth = run("rk45", 1e-3, *case)
            for step in error:
                error[step].append(float(np.abs(run(method, step, *case) - truth).max()))
        found.append(report.reported(f"{_STUDY}/{method}", f"{what}, worst error at {first:g} s", "rk45",
                                     max(error[first])))
        found.append(report.bound(f"{_STUDY}/{method}", f"{what}, worst error at {last:g} s", "rk45",
                                  max(error[last]), settle[method]))
    return found


def _third_peak(method, step, radius, modulus, restitution):
    """Height of the third bounce after a fall of 1 m, without friction, which rk45 would resolve at
    zero slip."""
    made = _ball(method, step, radius, modulus, 0.0, 1.0, [0] * 6, restitution=restitution,
                 restitution_speed=math.sqrt(2 * _G))
    peaks, was = [], -1.0
    while len(peaks) < 3:
        made.step(1)
        speed = made.body_twist("a")[5]
        if was > 0 >= speed:
            peaks.append(made.body_pose("a").translation[2] - radius)
        was = speed
    return peaks[2]


def _capsule(method, step, slope):
    """Acceleration of a fine capsule that rolls down a slope, over g sin / (1 + I / m r^2)."""
    radius, length, mass = 0.03, 0.1, 0.3
    moment = 0.45 * mass * radius**2
    turn = [[1, 0, 0], [0, 0, -1], [0, 1, 0]]
    gravity = [_G * math.sin(slope), 0, -_G * math.cos(slope)]
    made = _world(isobar.capsule(radius, length), mass, [mass * length**2 / 12] * 2 + [moment],
                  _material(1e7, 0.6, resolution_hint=0.003), step, method,
                  isobar.Pose(turn, [0, 0, radius]), [0] * 6, gravity)
    made.step(round(0.5 / step))
    return made.body_twist("a")[3] / 0.5 / (gravity[0] / 1.45)


def _pad(method, step, shape, hint, side=0.04, height=0.01, modulus=1e6, mass=0.2):
    """Torque of a soft pad that spins on its face, over mu N and the mean arm of a square or a disc."""
    is_box = shape == "box"
    area = side**2 * (1.0 if is_box else 0.25 * math.pi)
    arm = side * ((math.sqrt(2) + math.log(1 + math.sqrt(2))) / 6 if is_box else 1 / 3)
    moment, depth = mass * side**2 / 6, mass * _G / area * 0.5 * height / modulus
    made = _world(isobar.box(side, side, height) if is_box else isobar.cylinder(0.5 * side, height), mass,
                  [0.5 * moment + mass * height**2 / 12] * 2 + [moment],
                  _material(modulus, 0.5, dissipation=10.0, resolution_hint=hint), step, method,
                  isobar.Pose(np.eye(3), [0, 0, 0.5 * height - depth]), [0, 0, 20.0, 0, 0, 0])
    made.step(5)
    start, time = made.body_twist("a"), 0.02
    made.step(round(time / step))
    change = (made.body_twist("a") - start) / time
    return -moment * change[2] / (0.5 * mass * (_G + change[5]) * arm)


def _pads():
    """A square has the same corners whatever its hint; a disc is a polygon."""
    found = []
    for method in (*_STICK, "tamsi"):
        for shape, hints in (("box", (0.0, 5e-4, 0.04)), ("cylinder", (5e-4, 2e-3))):
            for hint in hints:
                name = "square" if shape == "box" else "disc"
                found.append(report.relative(  # 2.3e-4 measured of the square, 1.4e-3 of the coarse disc
                    f"{_STUDY}/{method}", f"{name} pad that spins, hint {hint:g} m: torque over Coulomb's",
                    1.0, "closed form", _pad(method, 1e-3, shape, hint), 0.01))
    return found


def _disc(method, step, modulus, until=0.4):
    """Inclination in degrees of an Euler disc that starts to roll at 10 degrees."""
    radius, height, mass, tilt = 0.0375, 0.006, 0.4, math.radians(10)
    c, s = math.cos(tilt), math.sin(tilt)
    turn = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
    lowest = turn @ [radius, 0, -0.5 * height]
    spin = math.sqrt(4 * _G * s / radius) * lowest / np.linalg.norm(lowest)
    side = mass * (3 * radius**2 + height**2) / 12
    made = _world(isobar.cylinder(radius, height), mass, [side, side, 0.5 * mass * radius**2],
                  _material(modulus, 0.5, dissipation=0.0, resolution_hint=0.003), step, method,
                  isobar.Pose(turn, [0, 0, -lowest[2]]), [*spin, 0, 0, 0], stiction=1e-3)
    made.step(round(until / step))
    return math.degrees(math.acos(min(1.0, abs(made.body_pose("a").rotation[2, 2]))))


def _ledger(method, step, modulus, restitution):
    """What an oblique bounce leaves open of the ledger, over the work of contact."""
    made = _ball(method, step, 0.05, modulus, 0.3, 0.02, [0, 0, 0, 0.8, 0, -1.0], restitution=restitution)

    def total():
        e = made.energy()
        return np.array([e.kinetic + e.potential + e.spring - e.actuation - e.contact - e.constraint
                         - e.limit + e.damping, e.contact])

    before = total()
    made.step(round(0.08 / step))
    change = total() - before
    return abs(change[0] / change[1])


def _at_one_ms(what, run, cases, limit):
    """Of both methods beside rk45 at 1 ms, relative."""
    found = []
    for case in cases:
        truth = run("rk45", 1e-3, *case)
        for method in _STICK:
            ours = run(method, 1e-3, *case)
            found.append(report.relative(f"{_STUDY}/{method}", f"{what}, {case} at 1 ms", truth, "rk45",
                                         ours, limit if method == "midpoint" else None))
    return found


def _order(what, run, cases):
    """Of the ledger, from 0.5 to 0.25 ms."""
    found = []
    for case in cases:
        for method, least in (("lagged", 0.8), ("midpoint", 1.8)):
            coarse, fine = (run(method, step, *case) for step in (5e-4, 2.5e-4))
            order = math.log2(coarse / fine)
            found.append(report.at_least(f"{_STUDY}/{method}", f"{what}, {case}: order in the step",
                                         "its order", order, least))
            found.append(report.reported(f"{_STUDY}/{method}", f"{what}, {case}: at 0.25 ms", "-", fine))
    return found


def _block(side, height, modulus, mu, mass, step, pull, velocity, relaxation):
    depth = mass * _G / side**2 * 0.5 * height / modulus
    across = mass * (side**2 + height**2) / 12
    return _world(isobar.box(side, side, height), mass, [across, across, mass * side**2 / 6],
                  _material(modulus, mu, relaxation_time=relaxation), step, "sap",
                  isobar.Pose(np.eye(3), [0, 0, 0.5 * height - depth]), [0, 0, 0, velocity, 0, 0],
                  [pull * _G, 0, -_G])


def _sap():
    """Creep sigma w T dt with sigma = 1e-4 (mean mobility w = 3 / m of a cube on its face); what
    slides rides (dt + tau) mu v high, tau the sum of both bodies'."""
    found = []
    for side, mass, step in ((0.1, 1.0, 1e-3), (0.02, 0.02, 5e-3), (0.5, 300.0, 2e-4)):
        made = _block(side, side, 1e7, 0.5, mass, step, 0.2, 0.0, 0.01)
        made.step(round(1.0 / step))
        start = made.body_pose("a").translation[0]
        made.step(round(1.0 / step))
        ours = made.body_pose("a").translation[0] - start
        found.append(report.relative(f"{_STUDY}/sap", f"cube of {side} m at {step:g} s: creep [m/s]",
                                     1e-4 * 3.0 * 0.2 * _G * step, "sigma w T dt", ours, 0.02))
    for tau, speed, step in ((0.005, 0.3, 1e-3), (0.01, 0.15, 2e-3)):
        heights = []
        for v in (0.0, speed):
            made = _block(0.2, 0.02, 1e3, 0.2, 1.0, step, 0.2 * (v > 0), v, tau)
            made.step(round(0.4 / step))
            heights.append((made.body_pose("a").translation[2], made.body_twist("a")[3]))
        rise = (step + 2 * tau) * 0.2 * heights[1][1]
        found.append(report.relative(f"{_STUDY}/sap", f"slides at {speed} m/s, tau {tau}: rides [m]", rise,
                                     "(dt + tau) mu v", heights[1][0] - heights[0][0], 0.05))
    return found


def rows():
    # What stops sliding is pushed back by up to 1.6 % of mu v_n: docs/theory/sticking.md.
    landings = [(0.05, 1e7, 0.3, 0.0), (0.02, 1e8, 0.1, 0.0), (0.1, 1e6, 0.8, 1.0)]
    rods = [(2.0, -0.4, 1e8), (3.0, -0.8, 1e8)]
    found = _converges("a ball that lands at a slant: velocity [m/s]", _landing, landings, 1e-3, 2e-6,
                       {"lagged": 4e-3, "midpoint": 4e-3})
    found += _converges("a rod that digs in [m, rad]", _rod, rods, 1e-3, 2e-5,
                        {"lagged": 5e-3, "midpoint": 1e-4})
    found += _at_one_ms("third bounce [m]", _third_peak, [(0.1, 1e6, 0.7), (0.15, 1e6, 0.9)], 0.03)
    found += _at_one_ms("a capsule rolls down: over theory", _capsule, [(0.2,)], 0.01)
    found += _at_one_ms("inclination of an Euler disc [degrees]", _disc, [(1e7,)], 0.06)
    found += _order("ledger of a bounce", _ledger, [(1e7, 0.7), (1e6, 0.9)])
    return found + _pads() + _sap()
