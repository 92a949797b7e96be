# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Patches of the stack of cubes against Drake and against their closed form.

Cubes exactly on top of each other have equal fields in a wedge beside every side (Elandt 2022, C.1),
and every surface through a wedge carries the same weight. Isobar gives each pair one whole surface: four
triangles in the middle and twelve polygons through the wedges, tilted by 45 degrees. With side L, depth d
and s = L - d:

    area = s^2 + sqrt(2) (L^2 - s^2)        force = E d / L (L^2 - L d + d^2 / 3)

Isobar's cubes stay aligned, so a pair has 16 faces. Drake's wander by a micrometre in the first second
(its contact of aligned cubes pushes them aside); the planes of their meshes then no longer coincide, and
slivers make 42 faces of the 16. At the same poses both engines find the same.
"""

import copy
import json
import math

import numpy as np

import engine
import report

_SCENE = engine.PEERS / "stack.yaml"
_END = 1.0  # at rest [s]
_SIDE, _MODULUS = 0.1, 1e6
_NAME = "peer-stack"


def _at(states, name):
    """The scene with its cubes where they are in `states`; its path."""
    import scenario_file

    root = copy.deepcopy(scenario_file.read(_SCENE).root)
    for body in root["bodies"]:
        if body["name"] in states:
            state = states[body["name"]]
            body["pose"] = {"translation": [float(x) for x in state["position"]],
                            "rotation": {"wxyz": [float(x) for x in state["quaternion_wxyz"]]}}
    path = engine.scratch("peer_stack") / f"{name}.yaml"
    path.write_text(json.dumps(root))
    return path


def _pairs(path):
    """{pair: contact} of Isobar and {pair: resultant} of Drake."""
    import drake_scenario

    scene = drake_scenario.Scene(path)
    theirs = scene.resultants(scene.start()[1])
    ours = {tuple(contact["pair"]): contact for contact in engine.patch(path)["contacts"]}
    return ours, {pair: found[0] for pair, found in theirs.items() if len(found) == 1}


def _moment(contact):
    """About the world's origin."""
    return np.array(contact["moment"]) + np.cross(contact["center_of_pressure"], contact["force"])


def _same_poses(states, moment):
    """Rows of every pair where Drake's run is."""
    ours, theirs = _pairs(_at(states, f"drake_{moment:g}"))
    rows = [report.bound(_NAME, f"Drake's poses at {moment:g} s: pairs that only one engine finds",
                         "Drake, same poses", len(set(ours) ^ set(theirs)), 0)]
    for pair in sorted(set(ours) & set(theirs)):
        mine, drake = ours[pair], theirs[pair]
        label = f"Drake's poses at {moment:g} s, {pair[0]} x {pair[1]}"
        push = np.linalg.norm(drake["force"])
        force = np.linalg.norm(np.array(mine["force"]) - drake["force"]) / push
        turn = np.linalg.norm(_moment(mine) - _moment(drake)) / (push * _SIDE)
        # Measured at most 1.0e-14, 1.3e-12, 1.3e-12.
        rows += [
            report.absolute(_NAME, f"{label}: faces", drake["faces"], "Drake, same poses",
                            mine["faces"], 0),
            report.relative(_NAME, f"{label}: area [m2]", drake["area"], "Drake, same poses",
                            mine["area"], 1e-9),
            report.bound(_NAME, f"{label}: force apart, of the force", "Drake, same poses", force, 1e-9),
            report.bound(_NAME, f"{label}: moment apart, of force times side", "Drake, same poses", turn,
                         1e-9),
        ]
    return rows


def _aligned(states):
    """Rows of every pair of cubes where Isobar's run is: the closed form, and what Drake has there."""
    ours, theirs = _pairs(_at(states, "aligned"))
    rows, short = [], []
    for pair, contact in sorted(ours.items()):
        if "world" in pair:
            continue
        depth = _SIDE - states[pair[1]]["position"][2] + states[pair[0]]["position"][2]
        inner = _SIDE - depth
        area = inner**2 + math.sqrt(2) * (_SIDE**2 - inner**2)
        force = _MODULUS * depth / _SIDE * (_SIDE**2 - _SIDE * depth + depth**2 / 3)
        label = f"aligned cubes, {pair[0]} x {pair[1]}"
        # Measured at most 1.0e-15, 2.3e-13 (the depth is a difference of heights), 7e-17.
        rows += [
            report.absolute(_NAME, f"{label}: faces", 16, "4 in the middle, 12 in the wedges",
                            contact["faces"], 0),
            report.relative(_NAME, f"{label}: area [m2]", area, "closed form", contact["area"], 1e-12),
            report.relative(_NAME, f"{label}: force up [N]", force, "closed form", contact["force"][2],
                            1e-11),
            report.bound(_NAME, f"{label}: force sideways, of the force up", "symmetry",
                         math.hypot(*contact["force"][:2]) / force, 1e-12),
        ]
        if pair in theirs:
            short.append(1 - theirs[pair]["force"][2] / force)
    rows.append(report.reported(_NAME, "aligned cubes: what Drake's force up lacks at most, relative",
                                "closed form", max(short)))
    return rows


def _faces():
    """Faces of a step, averaged over the run."""
    import drake_scenario

    scene = drake_scenario.Scene(_SCENE)
    count = round(_END / scene.scenario.time_step)
    return [
        report.reported(_NAME, "faces of a step, Isobar", "-",
                        engine.run(_SCENE, until=_END)["performance"]["faces_per_step"]),
        report.reported(_NAME, "faces of a step, Drake", "-", drake_scenario.mean_faces(scene, count)),
    ]


def rows():
    import drake_scenario

    times = (0.01, 0.1, _END)
    found = []
    for moment, states in zip(times, drake_scenario.trajectory(_SCENE, times)):
        found += _same_poses(states, moment)
    return found + _aligned(engine.run(_SCENE, until=_END)["bodies"]) + _faces()
