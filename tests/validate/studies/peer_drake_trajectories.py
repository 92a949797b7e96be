# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Motion of scenes/peers against Drake: the same file, tessellation, approximation and step.

Positions within 1e-4 m, orientations within 0.1 degrees for all bodies at several times. Both engines
stop their solvers at a relative residual, so their states differ by about 1e-8 from the start; beyond
the times below falling balls amplify that (chaos). Drake turns free bodies by an explicit step of the
quaternion, Isobar exactly: a pepper spinning at 150 rad/s turns 74 instead of 86 degrees in the 10 ms
of its scene, so it and the coin are compared at a small step. Drake takes gyroscopic moments at the start
of the step, Isobar at its middle, and Isobar's step keeps the momentum of the pepper's centre of mass, which lies
beside its origin, to rounding: with 0.1 ms Drake is 9.9e-4 m off after 0.1 s, Isobar 1.6e-5 m (against steps of 2 us). So
the pepper is held against what two runs of Drake, the second at half the step, tend to (2 x(h/2) - x(h)). Where the ball strikes the plate's rim at
21 ms TAMSI needs 20 Newton steps of 1 ms, which Drake may take in parts; after that the states differ
by 0.2 mm, so that run goes on at a quarter of the step. Skins that coincide to rounding (the cubes of the
stack at the start) touch or not by chance, which the damping of sap shows for some milliseconds.
"""

import math

import numpy as np

import engine
import report
import worlds

_POSITION, _ANGLE = 1e-4, 0.1

# (scene, settings, times); behind them the largest error of position [m] and angle [deg] measured.
_SAP = {"simulation.method": "sap"}
_SIMILAR = {"simulation.method": "similar"}
_TAMSI = {"simulation.method": "tamsi"}
_AS_DRAKE = {"simulation.cull": "drake", "simulation.regularization": "drake",
             "simulation.friction": "regularized"}
_RUNS = [
    ("spatula_slip_control", {}, (0.04, 0.2, 1.0, 3.0, 6.0)),  # 3.9e-5, 0.015
    ("spatula_slip_control", {"simulation.time_step": 1e-3}, (1.0, 3.0)),  # 1.7e-8, 6e-6
    ("ball_plate", {}, (0.01, 0.02, 0.05, 0.1)),  # 1.9e-7, 6e-4
    ("stack", {}, (0.1, 0.5, 1.0)),  # 1.9e-6, 8e-5
    ("slope", {}, (0.1, 1.0, 3.0)),  # 2.4e-10, 9e-8
    ("ball_paddle", {}, (0.1, 0.15, 0.3, 0.5)),  # 2.1e-8, 2e-5
    ("rolling_sphere", {}, (0.1, 0.5, 2.0)),  # 1.5e-6, 0.015
    ("balls_in_bin", {}, (0.1, 0.2, 0.3)),  # 1.3e-5, 0.035
    ("balls_in_bin", {"simulation.time_step": 1e-3}, (0.2, 0.5)),  # 3.7e-8, 8e-4
    ("balls_in_bin_fine", {}, (0.1, 0.2, 0.4)),  # 9.0e-9, 9e-4
    ("spatula_slip_control", _SAP, (0.04, 0.2, 1.0)),  # 8.9e-6, 0.004
    ("ball_plate", _SAP, (0.01, 0.02, 0.05, 0.1)),  # 1.9e-7, 0.002
    ("stack", _SAP, (0.5, 1.0)),  # 9.1e-6, 2e-6
    ("slope", _SAP, (0.1, 1.0, 3.0)),  # 1.1e-6, 1e-5
    ("ball_paddle", _SAP, (0.15, 0.3)),  # 1.1e-7, 2e-4
    ("rolling_sphere", _SAP, (0.1, 0.5)),  # 3.6e-6, 0.014
    ("balls_in_bin", _SAP, (0.1, 0.2)),  # 2.9e-6, 0.007
    ("spatula_slip_control", _SIMILAR, (0.04, 0.2, 1.0)),  # 2.6e-6, 8e-4
    ("ball_plate", _SIMILAR, (0.01, 0.02, 0.05, 0.1)),  # 1.9e-7, 7e-4
    ("stack", _SIMILAR, (0.5, 1.0)),  # 1.6e-6, 7e-5
    ("slope", _SIMILAR, (0.1, 1.0, 3.0)),  # 3.8e-9, 4e-6
    ("ball_paddle", _SIMILAR, (0.15, 0.3)),  # 4.9e-8, 2e-5
    ("rolling_sphere", _SIMILAR, (0.1, 0.5)),  # 4.7e-6, 0.003
    ("balls_in_bin", _SIMILAR, (0.1, 0.2)),  # 2.8e-6, 0.009
    ("spatula_slip_control", _TAMSI, (0.04, 0.2, 1.0)),  # 2.9e-8, 1e-5
    ("ball_plate", _TAMSI, (0.01, 0.02)),  # 1.4e-8, 8e-5
    ("ball_plate", {**_TAMSI, "simulation.time_step": 2.5e-4}, (0.02, 0.05, 0.1)),  # 1.7e-8, 5e-5
    ("stack", _TAMSI, (0.5, 1.0)),  # 1.0e-6, 3e-5
    ("slope", _TAMSI, (0.1, 1.0, 3.0)),  # 1.1e-8, 1e-6
    ("ball_paddle", _TAMSI, (0.15, 0.3)),  # 3.2e-9, 9e-6
    ("rolling_sphere", _TAMSI, (0.1, 0.5)),  # 1.4e-7, 0.008
    ("balls_in_bin", _TAMSI, (0.1, 0.2)),  # 1.5e-5, 0.016
    ("coin", {"simulation.time_step": 1e-4}, (0.1,)),  # 7.9e-12, 0.018
    ("coin", {**_TAMSI, "simulation.time_step": 1e-4}, (0.1,)),  # 1.9e-11, 0.018
    ("demo", _AS_DRAKE, (0.05, 0.5)),  # 9.3e-12, 4e-7
    ("mechanism", {}, (0.1, 0.5, 1.0)),  # 2.5e-10, 6e-9
    ("pepper_bowl", {"simulation.time_step": 1e-4}, (0.01, 0.05)),  # 2.5e-5, 0.0041
    ("pepper_bowl", {"simulation.time_step": 2.5e-5}, (0.1,)),  # 1.2e-5, 9e-4
]
# Compared with Drake at two steps, extrapolated to none.
_EXTRAPOLATED = ("pepper_bowl",)


def _mechanism():
    """Every kind of joint, inertia, limit and command that a scenario can describe, no contact."""
    box = {"name": "c", "shape": "box", "size": [0.1, 0.2, 0.05],
           "pose": {"translation": [0.05, 0, 0], "rotation": {"deg": [0, 0, 30]}}}
    return worlds.write_scenario(
        "peers", "mechanism",
        simulation={"time_step": 1e-3},
        bodies=[
            {"name": "base", "fixed": True,
             "pose": {"translation": [0, 0, 1], "rotation": {"deg": [0, 10, 20]}}},
            {"name": "link", "mass": 1, "com": [0.02, 0.1, 0.3],
             "inertia": [0.01, 0.02, 0.015, 0.001, 0.002, 0.003]},
            {"name": "slider", "density": 500,
             "geometry": [box, {"name": "d", "shape": "sphere", "radius": 0.03}]},
        ],
        joints=[
            {"name": "hinge", "type": "revolute", "parent": "base", "child": "link",
             "pose": {"translation": [0, 0, 0.1]}, "child_pose": {"translation": [0, 0, -0.1]},
             "axis": [1, 1, 0], "damping": 0.1, "position": 0.3, "velocity": 1},
            {"name": "rail", "type": "prismatic", "parent": "link", "child": "slider",
             "pose": {"translation": [0, 0.3, 0.2]}, "axis": [0, 0, 1],
             "limits": {"lower": -0.1, "upper": 0.1}, "position": 0.05},
        ],
        actuation=[
            {"joint": "hinge", "kp": 20, "kd": 2, "position": 0.4,
             "effort": {"type": "table", "times": [0, 1], "values": [0, 3]}},
            {"joint": "rail", "effort": 2, "effort_limit": 1.5},
        ])


def _path(scene):
    if scene == "mechanism":
        return _mechanism()
    path = engine.PEERS / f"{scene}.yaml"
    return path if path.exists() else engine.ROOT / "scenes" / f"{scene}.yaml"


def _short(scene, settings):
    """The scene and what is changed of it."""
    changes = [f"{key.rpartition('.')[2]} {value}" for key, value in settings.items()]
    return scene if not changes else f"{scene} ({', '.join(changes)})"


def _extrapolate(whole, half):
    """A state {body: {position, quaternion_wxyz}} from runs at a step and at half of it."""
    found = {}
    for name, body in whole.items():
        turn, finer = np.array(body["quaternion_wxyz"]), np.array(half[name]["quaternion_wxyz"])
        turn = 2 * finer - (turn if turn @ finer > 0 else -turn)
        found[name] = {"position": 2 * np.array(half[name]["position"]) - body["position"],
                       "quaternion_wxyz": turn / np.linalg.norm(turn)}
    return found


def _drake_states(scene, path, settings, times):
    import drake_scenario

    packages = {"drake_models": engine.ASSETS}
    states = drake_scenario.trajectory(path, times, packages, settings)
    if scene not in _EXTRAPOLATED:
        return states
    step = "simulation.time_step"
    finer = drake_scenario.trajectory(path, times, packages, {**settings, step: settings[step] / 2})
    return [_extrapolate(whole, half) for whole, half in zip(states, finer)]


def rows():
    import drake_scenario

    found = []
    for scene, settings, times in _RUNS:
        path = _path(scene)
        theirs = _drake_states(scene, path, settings, times)
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
