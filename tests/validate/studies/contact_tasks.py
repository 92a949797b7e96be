# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Tasks of Gonthier 2007 beyond the paper: the same geometry with pressure-field patches, volumes and Hertz points.

A ball in a cylinder (E4, E5, E8), a double pendulum on a floor (E6) and its single impact (E6b), a press by `isobar
identify` (E7), steps of other lengths (E10), a tippe-top (E11). Each beside what does not depend on the model: a rigid
body that rolls, a lossless blow. Study contact_models has E3, E9 and E12; tests/validate/models_page.py tells of both.
"""

import json
import math

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402

import engine  # noqa: E402
import programs  # noqa: E402
import report  # noqa: E402
import traces  # noqa: E402
from studies import contact_models, volumetric_worlds  # noqa: E402

_G = 9.81
_MODELS = ("pressure_field", "volumetric", "hertz")


def _trace(name, text, until, every, model, settings=()):
    path = engine.scratch("contact_tasks") / f"{name}.yaml"
    path.write_text(text)
    trace = traces.run(path, until, every, {"simulation.contact_model": model, **dict(settings)})
    if trace.error:
        raise engine.Failed(f"{path}: {trace.error}")
    return trace


# --- E4, E5, E8 ---------------------------------------------------------------------------------------


def _groove(model, along, until):
    """A ball laid at rest on the side of a cylinder of radius 1 m; it rolls from 0.3 m across. Trace, ideal speed."""
    volumetric_worlds._groove(engine.scratch("contact_tasks") / "groove.obj", 52)
    start = .9 + math.sqrt(2 * _G / (math.pi * 1e6))
    down = math.sqrt(start ** 2 - .09)
    text = f"""simulation: {{method: rk45, accuracy: 1.0e-6, time_step: 1.0e-3}}
bodies:
- name: groove
  fixed: true
  geometry: [{{name: block, shape: mesh, file: groove.obj, compliance: rigid, friction: 0.5}}]
- name: ball
  mass: 2
  geometry: [{{name: skin, shape: sphere, radius: 0.1, modulus: 1.0e+6, young_modulus: 1.0e+6, margin: 0, resolution_hint: 0.02,
              dissipation: 1, friction: 0.5}}]
  pose: {{translation: [0.3, 0, {-down:.17g}]}}
  velocity: {{linear: [0, {along}, 0], angular: [{-along / .1}, 0, 0]}}
"""
    return _trace(f"groove_{along}", text, until, 5, model), math.sqrt(10 / 7 * _G * (start - down))


def _cylinder(axes):
    """A point has no place on faces: patches and volumes alone."""
    result, slows = [], {}
    for model in _MODELS[:2]:
        trace, ideal = _groove(model, 0, .75)
        speed, spin = trace.twist("ball")[:, [3, 5]], trace.twist("ball")[:, 1]
        fastest, astray = np.max(np.linalg.norm(speed, axis=1)), np.max(np.abs(trace.position("ball")[:, 1]))
        along, _ = _groove(model, .3, .75)
        slows[model] = math.log(.3 / along.twist("ball")[-1, 4]) / .75
        axes.plot(along.times, along.twist("ball")[:, 4], label=model)
        result += [
            # Both resist rolling, and the last but flat faces: 3 %.
            report.relative("004-tasks-E4", f"{model}: largest speed of a ball in a cylinder [m/s]", ideal, "closed form: rigid",
                            fastest, .04),
            report.relative("004-tasks-E4", f"{model}: largest spin times radius over speed", 1, "it rolls",
                            .1 * np.max(np.abs(spin)) / fastest, .035),
            report.bound("004-tasks-E4", f"{model}: motion out of the plane [m]", "thesis: none", astray, 1e-6),
            report.at_least("004-tasks-E5", f"{model}: decay along the cylinder [1/s]", "a point has none: wrong",
                            slows[model], .03),
        ]
    axes.set(xlabel="t [s]", ylabel="speed along [m/s]", title="ball in a cylinder")
    axes.legend()
    return result + [report.relative("004-tasks-E8", "decay along the cylinder [1/s], pressure_field", slows["volumetric"],
                                     "volumetric: both are layers", slows["pressure_field"], .3)]


# --- E6, E6b ------------------------------------------------------------------------------------------

_PENDULUM = """simulation: {{{method}, time_step: {step}, gravity: [0, 0, {gravity}]}}
bodies:
- name: floor
  fixed: true
  geometry: [{{name: top, shape: half_space, compliance: compliant, slab_thickness: 0.01, modulus: {modulus}, {young}
              friction: {mu}, dissipation: {dissipation}}}]
  pose: {{translation: [0, 0, {floor:.17g}]}}
- {{name: upper, mass: {m1}, com: [0, 0, {c1}], inertia: [{i1}, {i1}, {i1}]}}
- name: lower
  mass: {m2}
  com: [0, 0, {c2}]
  inertia: [{i2}, {i2}, {i2}]
  geometry: [{{name: tip, shape: sphere, radius: {r}, compliance: rigid, friction: {mu}, resolution_hint: {hint},
              pose: {{translation: [0, 0, {l2n}]}}}}]
joints:
- {{name: one, type: revolute, parent: world, child: upper, axis: [0, -1, 0], position: {p1:.17g}, velocity: {v1:.17g}}}
- {{name: two, type: revolute, parent: upper, child: lower, pose: {{translation: [0, 0, {l1n}]}}, axis: [0, -1, 0],
   position: {p2:.17g}, velocity: {v2:.17g}}}
"""


def _rise(trace, count):
    """Largest, of the most in so many lines: within them a blow stores some [J]."""
    energy = trace.energy("kinetic") + trace.energy("potential")
    most = energy[:len(energy) // count * count].reshape(-1, count).max(axis=1)
    return max(0.0, float(np.max(np.diff(most))))


def _pendulum(name, model, until, every, method, **values):
    values = {"step": 1e-4, "gravity": 0, "dissipation": 0, "r": .01, "hint": 5e-4, "v1": 0, "v2": 0, "p2": 0} | values
    values["young"] = f"young_modulus: {values['modulus']}," if model == "hertz" else ""
    values |= {"l1n": -values.pop("l1"), "l2n": -values.pop("l2")}
    return _trace(name, _PENDULUM.format(method=method, **values), until, every, model)


def _swing(model):
    """E6: point masses at the ends; it bounces, sways and sticks."""
    return _pendulum("swing", model, 10, 20, "method: lagged", step=5e-4, hint=2e-3, gravity=-_G, modulus=6e8, mu=.15, dissipation=.15, floor=-.62,
                     m1=5, c1=-.5, i1=1e-6, m2=2, c2=-.25, i2=1e-6, l1=.5, l2=.25, p1=math.radians(45),
                     v1=math.radians(-120), v2=math.radians(130))


def _blow(model, first, second, mu):
    """E6b with e = 1: what a lossless blow leaves does not depend on how its spring stiffens. Share of energy lost [%]."""
    first, second = math.radians(first), math.radians(second)
    trace = _pendulum("blow", model, .01, 1, "method: rk45, accuracy: 1.0e-7", modulus=1e12, r=.004, hint=2e-4, mu=mu, m1=2, c1=-.5, i1=1 / 6, m2=2, c2=-.5, i2=1 / 6,
                      l1=1, l2=1, p1=first, p2=second - first, v1=-1, floor=-math.cos(first) - math.cos(second) - .004 - 1e-5)
    energy = trace.energy("kinetic")
    return 100 * (1 - energy[-1] / energy[0])


_TOP = """simulation: {{method: {method}, time_step: {step}, contact_model: volumetric}}
bodies:
- name: floor
  fixed: true
  geometry: [{{name: top, shape: half_space, compliance: compliant, slab_thickness: 0.015, modulus: {modulus}, dissipation: 0.1, friction: 0.3}}]
- name: top
  mass: 6.0e-3
  inertia: [8.0e-7, 8.0e-7, 7.0e-7]
  geometry:
  - {{name: round, shape: sphere, radius: 0.015, compliance: rigid, resolution_hint: {hint}, friction: 0.3, pose: {{translation: [0, 0, 0.003]}}}}
  - {{name: stem, shape: sphere, radius: 0.005, compliance: rigid, resolution_hint: {hint}, friction: 0.3, pose: {{translation: [0, 0, 0.016]}}}}
  pose: {{translation: [0, 0, 0.0120149], rotation: !Rpy {{rad: [0.1, 0, 0]}}}}
  velocity: {{angular: [0, -19.966683, 199.000833]}}
"""


def _top(model, until=2.0, method="lagged", step=1e-4, hint=5e-4, modulus=2.697e8):
    trace = _trace(f"top_{model}", _TOP.format(method=method, step=step, hint=hint, modulus=modulus), until, 20, model)
    return trace, np.arccos(np.clip(trace.rotation("top")[:, 2, 2], -1, 1))


def _pendulums(axes):
    result = []
    for model in _MODELS:
        trace = _swing(model)
        one, two = (np.degrees(trace.joint(name)[:, 0]) for name in ("one", "two"))
        axes.plot(trace.times, one, label=model)
        # Where in the cone of friction it sticks is chance; the floor says the rest.
        flat = math.degrees(math.acos((.61 - .5 * math.cos(math.radians(one[-1]))) / .25))
        result += [
            report.bound("004-tasks-E6", f"{model}: rest angle of joint 1 [degrees]", "thesis: 2.2, ours 0.45", one[-1], 4),
            report.absolute("004-tasks-E6", f"{model}: angle of joint 1 and 2 together at rest [degrees]", flat, "the floor",
                            abs(one[-1] + two[-1]), .1),
            report.bound("004-tasks-E6", f"{model}: spin at the end [rad/s]", "it sticks", trace.joint("one")[-1, 1], 1e-3),
            report.bound("004-tasks-E6", f"{model}: largest rise of the energy in 0.25 s [J] of 20", "never", _rise(trace, 25), 1e-3),
        ]
        for mu, lost in ((.2, 14.58), (.6, 27.91), (1.0, 34.09)):
            result.append(report.relative("004-tasks-E6b", f"{model}: energy lost in a lossless blow, friction {mu:g} [%]", lost,
                                          "independent; of no model", _blow(model, 0, 20.7, mu), .02))
    axes.set(xlabel="t [s]", ylabel="joint 1 [degrees]", title="double pendulum")
    axes.legend()
    return result


def _press():
    """E7: force over depth of a ball, by `isobar identify`: each finds its own law again."""
    result, radius, modulus = [], .05, 1e6
    exact = {"pressure_field": math.pi * modulus, "volumetric": math.pi * modulus,
             "hertz": 4 / 3 * modulus / .91 * math.sqrt(radius)}
    for model in _MODELS:
        lines = ["depth,force"]
        for depth in np.linspace(1e-4, 1e-3, 12):
            path = engine.scratch("contact_tasks") / "press.yaml"
            path.write_text(f"""bodies:
- {{name: floor, fixed: true, geometry: [{{name: top, shape: half_space, compliance: rigid}}]}}
- name: ball
  mass: 1
  geometry: [{{name: skin, shape: sphere, radius: {radius}, modulus: {modulus}, young_modulus: {modulus}, margin: 0, resolution_hint: 0.002}}]
  pose: {{translation: [0, 0, {radius - depth:.17g}]}}
""")
            contacts = engine.patch(path, {"simulation.contact_model": model})["contacts"]
            lines.append(f"{depth:.17g},{abs(contacts[0]['force'][2]):.17g}")
        table = engine.scratch("contact_tasks") / "press.csv"
        table.write_text("\n".join(lines) + "\n")
        said = engine.command("identify", table, "--json", "--exponent", 1.5 if model == "hertz" else 2, packages=False)
        result.append(report.relative("004-tasks-E7", f"{model}: stiffness by isobar identify", exact[model], "closed form",
                                      json.loads(said)["parameters"]["stiffness"]["value"], .04))
    return result


def _steps():
    """E10: over the edge with fixed steps. Touch is located, so that they end alike."""
    result = []
    for model in _MODELS:
        exact = contact_models._edge(model)
        for step in (2.5e-4, 1e-3):
            path = engine.scratch("contact_models") / "edge.yaml"
            done = engine.run(path, until=1.4, settings={"simulation.contact_model": model, "simulation.method": "rk4",
                                                         "simulation.time_step": step})
            result.append(report.relative("004-tasks-E10", f"{model}: spin over the edge, rk4 in steps of {step:g} s [rad/s]",
                                          exact, "rk45", done["bodies"]["ball"]["angular_velocity"][0], .02))
    return result


def _tops(axes):
    """E11: friction in spin keeps it slipping, which flips it. A point without sticks, rolls and goes on spinning."""
    result = []
    for model in _MODELS:
        trace, tilt = _top(model)
        axes.plot(trace.times, tilt, label=model)
        flips = float(trace.times[np.argmax(tilt > 2.8)]) if np.max(tilt) > 2.8 else 9.0
        result += [report.bound("004-tasks-E11", "hertz: largest tilt in 2 s [rad]", "it never flips: wrong", np.max(tilt), .2)
                   if model == "hertz" else
                   report.absolute("004-tasks-E11", f"{model}: tilt above 2.8 [s]", 1.65, "independent: from 1.3 to 2.0",
                                   flips, .35),
                   report.bound("004-tasks-E11", f"{model}: largest rise of the energy in 20 ms [J] of 0.015", "never",
                                _rise(trace, 10), 1e-6)]
    axes.set(xlabel="t [s]", ylabel="tilt [rad]", title="tippe-top")
    axes.legend()
    return result


def rows():
    figure, axes = plt.subplots(1, 3, figsize=(14, 4), layout="constrained")
    result = _cylinder(axes[0]) + _pendulums(axes[1]) + _press() + _steps() + _tops(axes[2])
    figure.savefig(programs.plot("contact_tasks.png"), dpi=120)
    plt.close(figure)
    assert all(math.isfinite(row.ours) for row in result)
    return result
