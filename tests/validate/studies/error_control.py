# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Errors of methods with error control over the accuracy that was asked for, and energy that appears: drawn
bodies that fly, drop, rest, slide and roll on a floor, level or tilted.

Drawn: shapes, contact models, stiffness, damping, friction, spins, time steps and accuracies down to 1e-7.
Velocity-level methods are held to themselves at a thirtieth of the accuracy, relative to the size of the body;
continuous ones to `radau` at 1e-10. What tumbles on edges multiplies errors, so nine in ten are bounded.
"""

import json
import logging
import math
import os
import random
import sys

import numpy as np

import engine
import report

sys.path.insert(0, str(engine.ROOT / "python"))
os.environ.setdefault("ISOBAR_LIBRARY", str(engine.ISOBAR.parents[1] / "lib" / "libisobar.so"))

import isobar  # noqa: E402

logging.getLogger("isobar").setLevel(logging.CRITICAL)
_STUDY, _SOURCE, _COUNT, _END, _G = "error-control", "the accuracy asked for", 25, 0.1, 9.81
# Bound of nine errors in ten [accuracies]. Measured 0.2, 0.2, 0.5, 0.2, 0.2; 0.15, 0.3, 0.4, 2.
_BOUNDS = {"lagged": 1.0, "midpoint": 1.0, "tamsi": 1.0, "similar": 1.0, "sap": 1.0,
           "rk23": 1.0, "rk45": 1.0, "radau": 1.0, "cvode": 4.0}
_CONTINUOUS = ("rk23", "rk45", "radau", "cvode")
_GAIN = 5e-3  # of the energy at the start, and of a fall by the body's size. Measured 1.2e-3


def _draw_shape(draw, kind):
    """Its members, and half of its height."""
    r = 10 ** draw.uniform(-2, -0.7)
    if kind == "sphere":
        return {"radius": r, "resolution_hint": 0.5 * r}, r
    if kind == "box":
        size = [r * draw.uniform(0.5, 2) for _ in range(3)]
        return {"size": size}, size[2] / 2
    if kind == "ellipsoid":
        axes = [r * draw.uniform(0.5, 1) for _ in range(3)]
        return {"semi_axes": axes, "resolution_hint": 0.4 * r}, axes[2]
    length = r * draw.uniform(0.5, 2)
    return ({"radius": r, "length": length, "resolution_hint": 0.5 * r},
            length / 2 + (r if kind == "capsule" else 0))


def _draw_motion(draw, half, reach):
    """Height, orientation and velocities of a body that flies, drops, rests, slides or rolls."""
    regime = draw.choice(("fly", "drop", "drop", "rest", "slide", "roll"))
    linear = [draw.uniform(-2, 2), draw.uniform(-1, 1), draw.uniform(-3, 1)]
    angular = [draw.gauss(0, 1) * draw.choice((0, 3, 30)) for _ in range(3)]
    turn = [draw.gauss(0, 1) for _ in range(4)]
    height = reach + draw.uniform(0, 0.1) + 3 * (regime == "fly")
    if regime in ("rest", "slide", "roll"):
        height, turn = half, [1, 0, 0, 0]
        linear = [0.0 if regime == "rest" else linear[0], 0, 0]
        angular = [0, linear[0] / half if regime == "roll" else 0, 0.0 if regime == "rest" else angular[2]]
    length = math.hypot(*turn)
    return {"pose": {"translation": [0, 0, height], "rotation": {"wxyz": [x / length for x in turn]}},
            "velocity": {"linear": linear, "angular": angular}}


def _draw(seed):
    """A scene, half of the largest way across the body, its time step and accuracy."""
    draw = random.Random(seed)
    model = draw.choice(("hertz", "pressure_field", "pressure_field", "volumetric"))
    kind = "sphere" if model == "hertz" else draw.choice(("sphere", "box", "capsule", "ellipsoid", "cylinder"))
    shape, half = _draw_shape(draw, kind)
    sides = shape.get("size") or [2 * a for a in shape.get("semi_axes", [shape.get("radius", 0)] * 3)]
    reach = 0.5 * math.hypot(*sides, shape.get("length", 0)) * 1.2
    stiff = 10 ** draw.uniform(5, 8)
    material = {"compliance": "rigid", "model": "hertz", "young_modulus": stiff} if model == "hertz" else {
        "compliance": "compliant", "modulus": stiff}
    tilt = draw.choice((0, 0, 0.1, 0.3))
    ball = {"name": "ball", "density": 10 ** draw.uniform(2.5, 3.9), **_draw_motion(draw, half, reach),
            "geometry": [{"name": "g", "shape": kind, **shape, **material}]}
    scene = {"name": "drawn", "bodies": [
        {"name": "floor", "fixed": True, "geometry": [{"name": "top", "shape": "half_space", "compliance": "rigid"}]},
        ball], "simulation": {"gravity": [_G * math.sin(tilt), 0, -_G * math.cos(tilt)], "contact_model": model},
        "default_material": {"friction": draw.choice((0, 0.2, 0.5, 1)), "margin": 0,
                             "dissipation": draw.choice((0, 0, 0.1, 1, 10))}}
    return scene, reach, draw.choice((1e-3, 0.01, 0.05, 0.1)), draw.choice((1, 2, 3, 4, 5))


def _go(path, reach, method, accuracy, step):
    """Pose at the end, and the share of energy that appeared; None where it still touches."""
    settings = {"method": method, "accuracy": accuracy, "time_step": step, "max_substeps": 100000}
    if method not in ("lagged", "midpoint"):
        settings["stiction_velocity"] = 3e-3
    world = isobar.load(path, settings={f"simulation.{key}": value for key, value in settings.items()}).create_world()
    start = world.energy()
    world.step(round(_END / step))
    end, pose = world.energy(), world.body_pose("ball")
    gain = end.kinetic + end.potential - start.kinetic - start.potential
    scale = start.kinetic + 2 * world.body_mass("ball") * _G * reach
    return np.array(pose.translation), np.array(pose.rotation), None if len(world.contacts) else gain / scale


def _apart(first, second, size):
    turn = (3 - np.trace(first[1].T @ second[1])) / 4
    return max(np.linalg.norm(first[0] - second[0]) / size, 2 * math.asin(math.sqrt(min(max(turn, 0), 1))))


def _errors(method):
    """[(error over accuracy, seed)], [(gain, seed)], [(seed, error message)]."""
    errors, gains, failed = [], [], []
    for seed in range(_COUNT):
        scene, reach, step, power = _draw(seed)
        path = engine.scratch("error_control") / f"{seed}.yaml"
        path.write_text(json.dumps(scene))
        is_continuous = method in _CONTINUOUS
        accuracy = 10.0 ** -(power + 2 if is_continuous else power)
        try:
            found = _go(path, reach, method, accuracy, step)
            exact = (_go(path, reach, "radau", 1e-10, 0.01) if is_continuous else
                     _go(path, reach, method, max(accuracy / 30, 1e-8), step))
        except isobar.Error as problem:
            failed.append((seed, str(problem)))
            continue
        errors.append((_apart(found, exact, 1.0 if is_continuous else 2 * reach) / accuracy, seed))
        gains += [(found[2], seed)] if found[2] is not None else []
    return sorted(errors), sorted(gains), failed


def rows():
    found = []
    for method, bound in _BOUNDS.items():
        if not isobar.method_is_built(method):
            continue
        errors, gains, failed = _errors(method)
        told = "; ".join(f"{seed}: {text}" for seed, text in failed) or "none"
        found.append(report.bound(_STUDY, f"{method}: drawn worlds that fail ({told})", _SOURCE, len(failed), 0))
        error, seed = errors[9 * len(errors) // 10]
        found.append(report.bound(_STUDY, f"{method}: of nine in ten, error over accuracy (seed {seed})", _SOURCE,
                                  error, bound))
        error, seed = errors[-1]
        found.append(report.reported(_STUDY, f"{method}: largest error over accuracy (seed {seed})", _SOURCE, error))
        gain, seed = gains[-1]
        found.append(report.bound(_STUDY, f"{method}: energy that appears, relative (seed {seed})", "no work",
                                  max(gain, 0.0), _GAIN))
    return found
