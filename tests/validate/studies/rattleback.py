# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""A rattleback, an ellipsoid whose axes of inertia are askew to its own, turns back: when, with each
method at the velocity level at 1 ms, and as the step falls, beside rk45; the other way it goes on.

It starts as deep as it rests. Laid on without pressure it bounces: with rk45 for ever where nothing
damps that, with implicit steps not, at any step a simulation takes. In the mean a bouncing contact is
wider, so friction against spinning takes more.

That it turns back at all is checked with the equations of a rigid body that rolls without slip and
without friction against spinning: https://en.wikipedia.org/wiki/Rattleback, the one-way instability.
"""

import math

import numpy as np

import report
import traces
import worlds

_G, _MASS, _MU = 9.81, 1.0, 0.3
_AXES = np.array([0.25, 0.12, 0.1])
_CENTRE = np.array([0.0, 0.0, 0.03])  # of the ellipsoid, above the centre of mass
_INERTIA = np.array([[0.01, -0.008, 0.0], [-0.008, 0.03, 0.0], [0.0, 0.0, 0.038]])
_SPIN, _TILT, _UNTIL = 3.0, 0.05, 7.0
_MODULUS, _SLAB = 1e8, 0.05
# A paraboloid in a pressure that rises with depth.
_DEPTH = math.sqrt(_MASS * _G * _SLAB * _AXES[2] / (_MODULUS * math.pi * _AXES[0] * _AXES[1]))


def _contact_arm(n):
    """From the centre of mass to the lowest point; n: upwards, in the axes of the body."""
    s = _AXES**2 * n
    return _CENTRE - s / math.sqrt(n @ s)


def _rates(state):
    """Of n and of the spin, in the axes of the body: I w' = -w x I w + r x F, F = m (a + g n), v = -w x r."""
    n, w = state[:3], state[3:]
    root, s = math.sqrt(n @ (_AXES**2 * n)), _AXES**2 * n
    r, n_rate = _contact_arm(n), -np.cross(w, n)
    s_rate = _AXES**2 * n_rate
    r_rate = -s_rate / root + s * (n @ s_rate) / root**3
    skew = np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])
    force = _MASS * (-np.cross(w, r_rate) - np.cross(w, np.cross(w, r)) + _G * n)
    torque = np.cross(r, force) - np.cross(w, _INERTIA @ w)
    return np.concatenate([n_rate, np.linalg.solve(_INERTIA - _MASS * skew @ skew, torque)])


def _rolls(spin, step=1e-3):
    """Spin about the vertical of the body that only rolls, after each step, by Runge and Kutta."""
    state = np.array([0.0, math.sin(_TILT), math.cos(_TILT), 0.0, spin * math.sin(_TILT),
                      spin * math.cos(_TILT)])
    found = []
    for _ in range(round(_UNTIL / step)):
        a = _rates(state)
        b = _rates(state + 0.5 * step * a)
        c = _rates(state + 0.5 * step * b)
        state = state + step / 6 * (a + 2 * b + 2 * c + _rates(state + step * c))
        found.append(state[:3] @ state[3:])
    return np.array(found)


def _scenario(name, spin, method, friction, step, depth, dissipation, cull):
    """Starts tilted by a rotation about x, at rest on its lowest point but for the spin."""
    n = np.array([0.0, math.sin(_TILT), math.cos(_TILT)])
    turn = np.array([[1, 0, 0], [0, n[2], -n[1]], [0, n[1], n[2]]])
    arm = turn @ _contact_arm(n)
    material = {"friction": _MU, "dissipation": dissipation, "modulus": _MODULUS}
    i = _INERTIA
    stone = {"name": "stone", "mass": _MASS,
             "inertia": [i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[0, 2], i[1, 2]],
             "pose": {"translation": [0, 0, -float(arm[2]) - depth],
                      "rotation": {"deg": [math.degrees(_TILT), 0, 0]}},
             "velocity": {"angular": [0, 0, spin],
                          "linear": (-np.cross([0, 0, spin], arm)).tolist()},
             "geometry": [{"name": "skin", "shape": "ellipsoid", "semi_axes": _AXES.tolist(),
                           "pose": {"translation": _CENTRE.tolist()}, "compliance": "rigid",
                           "resolution_hint": 0.004, **material}]}
    floor = {"name": "world", "geometry": [{"name": "floor", "shape": "half_space", "slab_thickness": _SLAB,
                                            "compliance": "compliant", **material}]}
    # Slip of 1 mm/s at the rim of the patch is little beside 0.7 m/s of the body's ends.
    choice = ({"accuracy": 1e-6, "stiction_velocity": 1e-3} if method == "rk45" else
              {"time_step": step, "stiction_velocity": 1e-4})
    simulation = {"method": method, "friction": friction, "cull": cull, **choice}
    return worlds.write_scenario("rattleback", name, simulation=simulation, bodies=[floor, stone])


def _spins(name, spin, method, friction, step=1e-3, depth=_DEPTH, dissipation=0.0, cull="none"):
    scene = _scenario(name, spin, method, friction, step, depth, dissipation, cull)
    trace = traces.run(scene, _UNTIL, round(5e-3 / step))
    assert trace.error is None, trace.error
    return trace.times, trace.twist("stone")[:, 2]


def _turning(times, spins):
    """When the spin changes its sign for good; infinity: it does not."""
    same = np.nonzero(spins * spins[0] > 0)[0]
    return math.inf if same[-1] == len(spins) - 1 else float(times[same[-1]])


def _turning_of(name, *choice, **more):
    return _turning(*_spins(name, -_SPIN, *choice, **more))


def _undamped():
    found, study = [], "rattleback"
    back = _turning_of("rk45", "rk45", "regularized")
    found.append(report.bound(study, "rk45, with friction against spinning: turns back after [s]", "later",
                              back, _UNTIL))
    for method, friction in (("lagged", "stick"), ("lagged", "regularized"), ("midpoint", "stick"),
                             ("midpoint", "regularized"), ("tamsi", "regularized"), ("sap", "regularized")):
        name = f"{method}_{friction}"
        found.append(report.relative(study, f"{name}, 1 ms: turns back after [s]", back, "rk45",
                                     _turning_of(name, method, friction), 0.005))
        other = _spins(f"{name}_other", _SPIN, method, friction)[1]
        found.append(report.bound(study, f"{name}: the other way, spin back over the first", "it goes on",
                                  max(0.0, float(-other.min() / _SPIN)), 0.0))
    for step in (4e-3, 5e-4, 2.5e-4):
        found.append(report.relative(study, f"lagged_stick, {step:g} s: turns back after [s]", back, "rk45",
                                     _turning_of(f"lagged_{step:g}", "lagged", "stick", step=step), 0.01))
    bounces = _turning_of("bounces", "rk45", "regularized", depth=0.0)
    found.append(report.at_least(study, "rk45, laid on without pressure: turns back later by [s]",
                                 "it bounces on", bounces - back, 0.1))
    calm = _turning_of("calm", "rk45", "regularized", depth=0.0, dissipation=1.0)
    found.append(report.relative(study, "lagged, laid on without pressure, dissipation of 1 s/m [s]", calm,
                                 "rk45", _turning_of("calm_lagged", "lagged", "stick", depth=0.0,
                                                     dissipation=1.0), 0.005))
    return found


def _damped():
    """With the usual damping: one sample a face for both, and for lagged alone."""
    found, study = [], "rattleback"
    back = _turning_of("damped", "rk45", "regularized", dissipation=50.0, cull="drake")
    for method, step in (("lagged", 1e-4), ("midpoint", 1e-3)):
        ours = _turning_of(f"damped_{method}", method, "stick", step=step, dissipation=50.0, cull="drake")
        found.append(report.relative(study, f"damped by 50 s/m, faces as Drake's, {method}, {step:g} s [s]",
                                     back, "rk45", ours, 0.01))
    back = _turning_of("damped_none", "rk45", "regularized", dissipation=50.0)
    for method, step in (("lagged", 1e-3), ("midpoint", 1e-3), ("tamsi", 2.5e-4)):
        friction = "regularized" if method == "tamsi" else "stick"
        found.append(report.relative(study, f"damped by 50 s/m, 90 faces, {method}, {step:g} s [s]", back,
                                     "rk45", _turning_of(f"damped_none_{method}", method, friction,
                                                         step=step, dissipation=50.0), 0.04))
    return found


def rows():
    study = "rattleback"
    rolling = _rolls(-_SPIN)
    return [report.bound(study, "a rigid body that rolls, -3 rad/s: turns back after [s]", "it does",
                         _turning(1e-3 * np.arange(len(rolling)), rolling), _UNTIL),
            *_undamped(), *_damped()]
