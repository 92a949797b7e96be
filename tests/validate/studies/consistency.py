# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Masterjohn 2022, section IV: the discrete law tends to the continuous one as the step goes to 0.

A soft ball with friction and dissipation is thrown on a plane; the velocity-level method `lagged` at
halved steps is held against error-controlled integration of the continuous law (rk45, accuracy 1e-9).
With culling both laws take one sample a face, so the limit is the same to rounding. Without it each
has its own rule for the samples of a face; what differs is the error of those rules, of second order
in the size of a face.
"""

import numpy as np

import engine
import report
import worlds

_END = 0.12  # the ball is leaving the plane again [s]


def _ball(name, method, step, cull, hint):
    material = {"compliance": "compliant", "modulus": 1e5, "dissipation": 2.0, "friction": 0.5,
                "resolution_hint": hint}
    ball = {"name": "ball", "mass": 0.1, "pose": {"translation": [0, 0, 0.06]},
            "velocity": {"linear": [0.3, 0, -0.3]},
            "geometry": [{"name": "c", "shape": "sphere", "radius": 0.05, **material}]}
    plane = {"name": "world", "geometry": [{"name": "plane", "shape": "half_space",
                                            "compliance": "rigid", "friction": 0.5}]}
    path = worlds.write_scenario(
        "consistency", f"{name}_{cull}_{hint:g}", bodies=[plane, ball],
        simulation={"method": method, "time_step": step, "cull": cull,
                    **({"friction": "regularized"} if method == "lagged" else {"accuracy": 1e-9})})
    state = engine.run(path, until=_END)["bodies"]["ball"]
    return np.array(state["position"]), np.array(state["velocity"])


def _errors(steps, cull, hint):
    """(position [m], velocity [m/s]) of lagged beside rk45, one pair a step."""
    position, velocity = _ball("continuous", "rk45", 1e-3, cull, hint)
    found = []
    for step in steps:
        p, v = _ball(f"lagged_{step:g}", "lagged", step, cull, hint)
        found.append((np.linalg.norm(p - position), np.linalg.norm(v - velocity)))
    return found


def rows():
    steps = [1e-3 / 2**k for k in range(3, 7)]
    source = "rk45 of the continuous law, accuracy 1e-9"
    name = "001-IV-consistency"
    found = []
    errors = _errors(steps, "drake", 0.0125)
    for column, what in ((0, "position [m]"), (1, "velocity [m/s]")):
        order = float(np.polyfit(np.log(steps), np.log([e[column] for e in errors]), 1)[0])
        found.append(report.absolute(name, f"order in the step, {what}, steps {steps[0]:g} to "
                                     f"{steps[-1]:g} s", 1.0, "theory: first order", order, 0.1))
    found.append(report.bound(name, f"error of the position at step {steps[-1]:g} s [m]", source,
                              errors[-1][0], 2e-5))
    found.append(report.bound(name, f"error of the velocity at step {steps[-1]:g} s [m/s]", source,
                              errors[-1][1], 3e-3))
    for hint, bound in ((0.0125, 5e-5), (0.00625, 2e-5)):
        last = _errors(steps[-1:], "none", hint)[0]
        found.append(report.bound(name, f"the same without culling, resolution {hint:g} m [m]",
                                  source, last[0], bound))
    return found
