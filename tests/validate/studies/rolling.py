# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""What rolls, rocks and spins means the same with every method: closed forms of a rocking ellipsoid and
of a ball that spins against friction, and drawn ellipsoids whose axes of inertia are askew, beside rk45.

What a method tends to is extrapolated from its two finest steps. Faces have one sample each, as Drake's:
rk45 has three to each triangle of a face otherwise, and damping and friction differ by about 2 over the
number of faces.
"""

import math

import numpy as np

import report
import traces
import worlds

_G, _STUDY = 9.81, "rolling"
_STEPS = (4e-3, 2e-3, 1e-3, 5e-4, 2.5e-4)
_VELOCITY_LEVEL = (("lagged", "stick"), ("lagged", "regularized"), ("midpoint", "stick"),
                   ("midpoint", "regularized"), ("tamsi", "regularized"), ("similar", "regularized"))
# With a relaxation time that is short beside what it sees: sap rides (dt + tau) mu v high.
_WITH_SAP = (*_VELOCITY_LEVEL, ("sap", "regularized"), ("rk45", "regularized"))


def _axis_turn(axis, angle):
    c, s = math.cos(angle), math.sin(angle)
    i, k = [(1, 2), (2, 0), (0, 1)][axis]
    turn = np.eye(3)
    turn[i, i] = turn[k, k] = c
    turn[i, k], turn[k, i] = -s, s
    return turn


def _depth(axes, mass, modulus, slab):
    """At rest: a paraboloid in a pressure that rises with depth."""
    return math.sqrt(mass * _G * slab * axes[2] / (modulus * math.pi * axes[0] * axes[1]))


def _write(name, stone, cull="none", **simulation):
    """An ellipsoid that is tilted (roll, pitch), rolls with a twist and presses as it does at rest."""
    axes, tilt = np.array(stone["axes"]), stone["tilt"]
    turn = _axis_turn(1, tilt[1]) @ _axis_turn(0, tilt[0])
    n = turn.T @ [0.0, 0.0, 1.0]
    arm = turn @ (-axes**2 * n / math.sqrt(n @ (axes**2 * n)))
    depth = _depth(axes, stone["mass"], stone["modulus"], stone["slab"])
    material = {key: stone[key] for key in ("friction", "dissipation", "modulus")}
    material["relaxation_time"] = 1e-4
    i = stone["inertia"]
    body = {"name": "stone", "mass": stone["mass"],
            "inertia": [i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[0, 2], i[1, 2]],
            "pose": {"translation": [0, 0, -float(arm[2]) - depth],
                     "rotation": {"deg": [math.degrees(tilt[0]), math.degrees(tilt[1]), 0]}},
            "velocity": {"angular": list(map(float, stone["spin"])),
                         "linear": (-np.cross(stone["spin"], arm)).tolist()},
            "geometry": [{"name": "skin", "shape": "ellipsoid", "semi_axes": axes.tolist(),
                          "compliance": "rigid", "resolution_hint": stone["hint"], **material}]}
    floor = {"name": "world", "geometry": [{"name": "floor", "shape": "half_space", "compliance": "compliant",
                                            "slab_thickness": stone["slab"], **material}]}
    return worlds.write_scenario(_STUDY, name, simulation={"cull": cull, **simulation}, bodies=[floor, body])


def _end(name, stone, until, method, friction, step, slip=1e-4, **more):
    """Twist at the end, and the trace."""
    choice = {"accuracy": 1e-8} if method == "rk45" else {}
    scene = _write(name, stone, method=method, friction=friction, time_step=step, stiction_velocity=slip,
                   **choice, **more)
    trace = traces.run(scene, until, max(1, round(1e-3 / step)))
    assert trace.error is None, trace.error
    return trace.twist("stone")[-1], trace


def _rocking():
    """Small oscillations about y of a body that rolls on its curvature R, its centre h above it. Places of
    the patch slip by the spin times the depth, 0.1 mm/s here: regularised friction is sharper than that."""
    axes, mass = np.array([0.2, 0.12, 0.08]), 2.0
    inertia = np.diag(mass / 5 * (np.sum(axes**2) - axes**2))
    stone = {"axes": axes, "mass": mass, "inertia": inertia, "tilt": (0.0, 0.02), "spin": (0.0, 0.0, 0.0),
             "friction": 0.5, "dissipation": 1.0, "modulus": 1e7, "slab": 0.05, "hint": 0.008}
    radius, height = axes[0] ** 2 / axes[2], axes[2]
    rate = math.sqrt(mass * _G * (radius - height) / (inertia[1, 1] + mass * height**2))
    until = 2.3 * 2 * math.pi / rate
    found = []
    for method, friction in reversed(_WITH_SAP):
        trace = _end(f"rock_{method}_{friction}", stone, until, method, friction, 2.5e-4, slip=2e-5)[1]
        spins, times = trace.twist("stone")[:, 1], trace.times
        up = [times[i] + (times[i + 1] - times[i]) * spins[i] / (spins[i] - spins[i + 1])
              for i in range(10, len(spins) - 1) if spins[i] < 0 <= spins[i + 1]]
        found.append(report.relative(_STUDY, f"rocking, {method} {friction}, 0.25 ms: period [s]",
                                     2 * math.pi / rate, "closed form", (up[-1] - up[0]) / (len(up) - 1), 0.01))
        period = round((up[1] - up[0]) / 1e-3)
        tilts = np.abs(trace.rotation("stone")[:, 0, 2])
        kept = float(tilts[-period:].max() / tilts[:period].max())
        truth = kept if method == "rk45" else truth
        found.append(report.absolute(_STUDY, f"rocking, {method} {friction}, 0.25 ms: kept of the first swing",
                                     truth, "rk45", kept, 0.02 if method == "sap" else 0.01))
    return found


def _spinning():
    """A ball spins on the spot: friction takes 8/15 mu m g a of a pressure that falls with r^2 to 0 at a."""
    radius, mass, modulus, slab, friction = 0.05, 0.5, 1e6, 0.02, 0.4
    a = math.sqrt(2 * radius * _depth((radius,) * 3, mass, modulus, slab))
    slowing = 8 / 15 * friction * mass * _G * a / (0.4 * mass * radius**2)
    stone = {"axes": (radius,) * 3, "mass": mass, "inertia": 0.4 * mass * radius**2 * np.eye(3),
             "tilt": (0.0, 0.0), "spin": (0.0, 0.0, 20.0), "friction": friction, "dissipation": 1.0,
             "modulus": modulus, "slab": slab, "hint": radius / 16}
    until = round(0.5 * 20.0 / slowing, 3)
    found = []
    for method, choice in _WITH_SAP:
        spin = _end(f"spin_{method}_{choice}", stone, until, method, choice, 1e-3)[0][2]
        found.append(report.relative(_STUDY, f"a ball that spins, {method} {choice}, 1 ms: slows by [rad/s^2]",
                                     slowing, "closed form", (20.0 - spin) / until, 0.03))
    return found


def _draw(seed):
    draw = np.random.default_rng(seed)
    size = 10 ** draw.uniform(-1.5, -0.5)
    axes = size * np.array([1.0, draw.uniform(0.5, 1.0), draw.uniform(0.3, 0.6)])
    mass = 4000.0 * axes.prod() * draw.uniform(0.5, 2.0)
    askew = _axis_turn(2, draw.uniform(-0.5, 0.5))
    moments = np.diag(mass / 5 * (np.sum(axes**2) - axes**2))
    return {"axes": axes, "mass": mass, "inertia": askew @ moments @ askew.T,
            "tilt": draw.uniform(-0.15, 0.15, 2), "spin": draw.uniform(-0.4, 0.4, 3) * math.sqrt(_G / size),
            "friction": draw.uniform(0.2, 0.8), "dissipation": draw.uniform(1.0, 10.0), "slab": 0.5 * size,
            "modulus": 10 ** draw.uniform(6.5, 7.5) * size, "hint": float(axes.min() / 6)}


def _drawn(count):
    """Worst of what each method tends to, and its order as the step falls, of all worlds together."""
    limits, sums = {}, {}
    for seed in range(count):
        stone = _draw(seed)
        fall = math.sqrt(float(stone["axes"][0]) / _G)
        until = 0.02 * math.ceil(1.5 * fall / 0.02)
        truth = _end(f"rk45_{seed}", stone, until, "rk45", "regularized", 4e-3, cull="drake")[0][:3]
        for method, friction in _VELOCITY_LEVEL:
            # similar with Drake's faces presses by d mu v more: its damping counts slip as approach.
            cull = "none" if method == "similar" else "drake"
            ends = [_end(f"{method}_{friction}_{seed}", stone, until, method, friction, step,
                         cull=cull)[0][:3] for step in _STEPS]
            errors = [float(np.linalg.norm(end - truth)) * fall for end in (*ends, 2 * ends[-1] - ends[-2])]
            key = f"{method} {friction}"
            limits.setdefault(key, []).append((errors[-1], seed))
            sums.setdefault(key, []).append(errors[:-1])
    found = []
    for key in limits:
        worst, seed = max(limits[key])
        bound = {"lagged stick": 1e-3, "midpoint stick": 1e-3, "similar regularized": 3e-3}.get(key, 4e-4)
        found.append(report.bound(_STUDY, f"{count} drawn ellipsoids, {key}: limit, off in sqrt(g / size), "
                                  f"seed {seed}", "rk45", worst, bound))
        mean = np.mean(sums[key], axis=0)
        found.append(report.reported(_STUDY, f"{count} drawn ellipsoids, {key}: mean off at 1 ms", "rk45",
                                     float(mean[2])))
        found.append(report.reported(_STUDY, f"{count} drawn ellipsoids, {key}: order from 4 to 1 ms", "rk45",
                                     float(math.log2(mean[0] / mean[2]) / 2)))
    return found


def rows():
    return [*_rocking(), *_spinning(), *_drawn(6)]
