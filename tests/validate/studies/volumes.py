# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Gonthier 2007, chapter 4: volumes and their cells (T9), the plate between two foundations (T10), contact normals (T11)
and Contensou's coupling of slip and spin (T12), on drawn bodies; a tap on a block at rest gives its bristles (T5)."""

import json
import math

import numpy as np

import engine
import programs
import report
import traces

_THESIS, _CLOSED, _G = "thesis", "closed form", 9.81
#: u = v / w of a plate of radius 1: friction and torque by the thesis, and Coulomb's exact torque of a Winkler disc.
_COUPLING = {0: (0, .5774, .5333), .5: (.655, .436, .389), 1: (.866, .289, .181), 5: (.993, .0662, .0334), 1e300: (1, 0, 0)}

# It cannot roll: a tap moves it on its bristles.
_TAPPED = """name: tapped
simulation: {{method: rk45, accuracy: 1.0e-10, time_step: 2.0e-5}}
bodies:
- name: floor
  fixed: true
  geometry: [{{name: top, shape: half_space, compliance: rigid, friction_static: 0.5, friction_dynamic: 0.4}}]
- name: ball
  mass: 1
  inertia: [1.0e+9, 1.0e+9, 1.0e+9]
  pose: {{translation: [0, 0, {height:.17g}]}}
  velocity: {{linear: [1.0e-4, 0, 0]}}
  geometry:
  - {{name: skin, shape: sphere, radius: 0.1, compliance: compliant, young_modulus: 1.0e+9, poisson_ratio: 0, model: hertz,
     dissipation: 0, friction: {{bristle: {{sigma0: {sigma0:.17g}, sigma1: {sigma1:.17g}, static: 0.5, dynamic: 0.4,
     stribeck_speed: 0.1}}}}}}
"""


def _tap(share):
    sigma0 = 2e4
    rate = math.sqrt(sigma0 * _G)
    depth = (_G / (4 / 3 * 1e9 * math.sqrt(.1))) ** (2 / 3)
    folder = engine.scratch("volumes")
    scene = folder / "tapped.yaml"
    truth = {"sigma0": sigma0, "sigma1": 2 * share * rate / _G}
    scene.write_text(_TAPPED.format(height=.1 - depth, **truth))
    trace = traces.run(scene, .03, 4)
    if trace.error:
        raise engine.Failed(f"{scene}: {trace.error}")
    path = folder / "tap.csv"
    np.savetxt(path, np.c_[trace.times, trace.position("ball")[:, 0]], delimiter=",", header="time,position", comments="")
    found = json.loads(engine.command("identify", path, "--json", packages=False))["parameters"]
    return [report.relative("004-T5", f"tap of {share:g} of critical damping: {name}", truth[key], "set in the scene",
                            found[name]["value"], .01)
            for key, name in (("sigma0", "bristle_stiffness"), ("sigma1", "bristle_damping"))]


def _volumes(found):
    caps, cells, plates, normals = (found[kind] for kind in ("caps", "cells", "plates", "normals"))
    return [
        report.bound("004-T9", "cap of a ball below a half space, relative", _CLOSED, caps["plane"], 1e-12),
        report.bound("004-T9", "its moment of inertia about the normal, relative", _CLOSED, caps["inertia"], 1e-12),
        report.bound("004-T9", "cap in a big box by sums over clipped faces, relative", _CLOSED, caps["box"], 1e-11),
        report.bound("004-T9", "the same by an octree of two digits, relative", _CLOSED, caps["octree"], .01),
        report.bound("004-T9", "force on 100 drawn bodies, table in two cells for one, relative", f"{_THESIS}: none",
                     cells["force"], 1e-12),
        report.bound("004-T9", "its place, difference [m]", f"{_THESIS}: none", cells["moment"], 1e-12),
        report.bound("004-T10", "k_a V_a over k_b V_b and over k_v V of 1000 drawn pairs, difference from 1",
                     f"{_THESIS} (4.126), (4.132)", plates["worst"], 1e-12),
        report.bound("004-T10", "share of the volume on the side of a rigid body", f"{_THESIS} (4.128): 0", plates["rigid"], 0),
        report.bound("004-T11", "axes of 50 drawn lenses, 1 - cosine to the line of centres", f"{_THESIS}: the normal",
                     normals["lens"], 1e-12),
        report.bound("004-T11", "turn of the axis over an edge in 0.1 mm [rad]", f"{_THESIS}: smooth", normals["turn"], 2e-3),
        report.bound("004-T11", "volumes of a cube with a normal", f"{_THESIS}: degenerate, detected",
                     float(normals["cube"] != "isotropic"), 0),
    ]


def _coupling(found):
    result = []
    for item in found:
        force, torque, exact = _COUPLING[item["u"]]
        name = "slip alone" if item["u"] > 1e3 else f"u = {item['u']:g}"
        result.append(report.absolute("004-T12", f"{name}: friction over mu f", force, f"{_THESIS} (4.205), table 6.2 of its check",
                                      item["force"], 5e-4))
        result.append(report.absolute("004-T12", f"{name}: torque over mu f a", torque, f"{_THESIS} (4.208)", item["torque"], 5e-4))
        result.append(report.reported("004-T12", f"{name}: that torque; Coulomb's exact one of a disc is {exact}",
                                      "closed form", item["torque"]))
    return result


def rows():
    found = programs.run("volume")
    single = {item["kind"]: item for item in found if item["kind"] != "contensou"}
    coupling = [item for item in found if item["kind"] == "contensou"]
    return _volumes(single) + _coupling(coupling) + _tap(.3) + _tap(1.0)
