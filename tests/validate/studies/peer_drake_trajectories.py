# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Motion of scenes/peers against Drake: the same file, tessellation, approximation and step.

Positions within 1e-4 m, orientations within 0.1 degrees for all bodies at several times. Beyond the
times below trajectories part because they are chaotic (falling balls), because Drake turns free
bodies by an explicit step of the quaternion and Isobar exactly (a pepper spinning at 150 rad/s turns
74 instead of 86 degrees in 10 ms), or because Isobar regularises friction per patch and Drake per
face, which shows where regularised creep is the motion (the spatula at its own step of 40 ms).
"""

import math

import numpy as np

import engine
import report

_POSITION, _ANGLE = 1e-4, 0.1

# (scene, settings, times, what is measured there: largest position error [m], angle [deg])
_RUNS = [
    ("spatula_slip_control", {}, (0.04, 0.2, 1.0)),  # 6.3e-5, 0.020
    ("spatula_slip_control", {"simulation.time_step": 0.01}, (0.2, 1.0, 3.0)),  # 3.6e-11, 1e-7
    ("spatula_slip_control", {"simulation.time_step": 1e-3}, (1.0, 3.0)),  # 5e-13, 1e-9
    ("ball_plate", {}, (0.01, 0.02, 0.05, 0.1)),  # 2.0e-7, 6e-4
    ("stack", {}, (0.1, 0.5, 1.0)),  # 1.9e-6, 8e-5
    ("slope", {}, (0.1, 1.0, 3.0)),  # 1.8e-10, 9e-8
    ("ball_paddle", {}, (0.1, 0.15, 0.3, 0.5)),  # 9e-9, 9e-6
    ("rolling_sphere", {}, (0.1, 0.5, 2.0)),  # 8.5e-7, 0.015
    ("balls_in_bin", {}, (0.1, 0.2, 0.5)),  # 6.7e-6, 0.014
    ("pepper_bowl", {"simulation.time_step": 1e-4}, (0.01, 0.05, 0.1)),  # 9.4e-6, 0.016
]


def _short(scene, settings):
    step = settings.get("simulation.time_step")
    return scene if step is None else f"{scene} (step {step:g} s)"


def rows():
    import drake_scenario

    found = []
    for scene, settings, times in _RUNS:
        path = engine.PEERS / f"{scene}.yaml"
        packages = {"drake_models": engine.ASSETS}
        theirs = drake_scenario.trajectory(path, times, packages, settings)
        for moment, drake in zip(times, theirs):
            ours = engine.run(path, until=moment, settings=settings)["bodies"]
            far, turned = 0.0, 0.0
            for name, body in ours.items():
                error = np.array(body["position"]) - drake[name]["position"]
                far = max(far, float(np.linalg.norm(error)))
                turned = max(turned, math.degrees(drake_scenario.rotation_angle(
                    body["quaternion_wxyz"], drake[name]["quaternion_wxyz"])))
            name = f"peer-drake-{scene}"
            where = f"{_short(scene, settings)}, t = {moment:g} s"
            found += [
                report.bound(name, f"{where}: largest distance of a body [m]", "Drake, same file",
                             far, _POSITION),
                report.bound(name, f"{where}: largest angle of a body [deg]", "Drake, same file",
                             turned, _ANGLE),
            ]
    return found
