# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""One geometry, three contact models: where pressure fields, volumes and Hertz points differ, and which is right.

A ball at rest, that spins, that rolls, and a box, each beside the closed form of its model. An elastic half space is
Hertz's: force as depth^1.5. A layer on something hard is that of the other two: force as depth^2. A point resists
neither spin nor rolling; the others do. A flat face has no point. Then requirements R1 to R10 of Gonthier 2007, section 1.2,
each with the command that shows it.
"""

import json
import math
import os
import subprocess
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402
import yaml  # noqa: E402

import engine  # noqa: E402
import programs  # noqa: E402
import report  # noqa: E402
from studies import volumetric_worlds  # noqa: E402

_MODELS = ("pressure_field", "volumetric", "hertz")
_R, _M, _G, _NU = .05, 1e6, 9.81, .3
_SCENE = """name: {name}
simulation: {{method: {method}, accuracy: {accuracy}, time_step: 1.0e-3, until: {until}}}
bodies:
- name: world
  geometry: [{{name: top, shape: half_space, compliance: rigid}}]
- name: thing
  mass: {mass}
  geometry: [{{name: skin, {shape}, modulus: {modulus}, young_modulus: {modulus}, resolution_hint: 0.004, dissipation: {dissipation}, margin: 0}}]
  pose: {{translation: [0, 0, {height}]}}
  velocity: {{linear: [{speed}, 0, 0], angular: [0, {roll}, {spin}]}}
"""


def _scene(name, mass, **changes):
    values = {"method": "lagged", "accuracy": 1e-4, "until": 1, "shape": f"shape: sphere, radius: {_R}", "modulus": _M,
              "dissipation": 20, "height": _R, "speed": 0, "roll": 0, "spin": 0} | changes
    path = engine.scratch("contact_models") / f"{name}.yaml"
    path.write_text(_SCENE.format(name=name, mass=mass, **values))
    return path


def _compare(path, models=_MODELS, *more):
    said = engine.command("compare", path, "--json", "--quiet", "--models", ",".join(models), *more, packages=False)
    return {run["model"]: run for run in json.loads(said)["models"]}


def _force(model, depth):
    """Of the ball at a depth, as each model has it."""
    height = _R - depth
    if model == "hertz":
        return 4 / 3 * _M / (1 - _NU ** 2) * math.sqrt(_R) * depth ** 1.5
    if model == "volumetric":
        return _M / _R * math.pi * depth ** 2 * (_R - depth / 3)
    return math.pi * _M * (_R ** 2 - height ** 2 - 2 * (_R ** 3 - height ** 3) / (3 * _R))


def _depth(model, force):
    low, high = 0.0, _R / 2
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if _force(model, middle) < force else (low, middle)
    return low


def _rest(axes):
    masses = (.5, 2.0, 8.0)
    found = {model: [] for model in _MODELS}
    for mass in masses:
        height = _R - _depth("hertz", mass * _G)
        for model, run in _compare(_scene(f"rest_{mass:g}", mass, height=height, until=2)).items():
            found[model].append(_R - run["bodies"]["thing"]["position"][2])
    result = []
    for model, exponent, allowed in (("pressure_field", 2.0, .05), ("volumetric", 2.0, 1e-6), ("hertz", 1.5, 1e-6)):
        off = max(abs(d / _depth(model, m * _G) - 1) for m, d in zip(masses, found[model]))
        result.append(report.bound("004-models-rest", f"{model}: depth of a ball under 5, 20 and 78 N, largest relative "
                                   "difference", "closed form of the model", off, allowed))
        rises = math.log(masses[-1] / masses[0]) / math.log(found[model][-1] / found[model][0])
        right = "Hertz: right for a solid ball" if model == "hertz" else "a layer on something hard: right for a skin"
        result.append(report.absolute("004-models-rest", f"{model}: force as depth to the power of", exponent, right, rises, .06))
        depths = np.linspace(0, 5.5e-3, 60)
        axes[0].plot(depths * 1e3, [_force(model, d) for d in depths], label=model)
        axes[0].plot(np.array(found[model]) * 1e3, np.array(masses) * _G, "k.")
    axes[0].set(xlabel="depth [mm]", ylabel="force [N]", title="ball on a floor: law, worlds at rest")
    axes[0].legend()
    return result


def _flat():
    size, mass = .1, 4.0
    path = _scene("flat", mass, shape=f"shape: box, size: [{size}, {size}, {size}]", height=size / 2, until=2)
    runs, depth = _compare(path), mass * _G * size / 2 / (_M * size ** 2)
    result = [report.relative("004-models-flat", f"{model}: depth of a box that stands [m]", depth, "F h / (M A): all agree",
                              size / 2 - runs[model]["bodies"]["thing"]["position"][2], allowed)
              for model, allowed in (("pressure_field", .02), ("volumetric", 1e-6))]
    return result + [report.absolute("004-models-flat", "hertz: contacts that have another model", 1,
                                     "a flat face has no point", runs["hertz"]["contacts_of_other_models"], 0)]


def _spin(axes):
    """Torque over mu F a: 3 pi / 16 of an elastic solid, 8 / 15 of a layer, the gyration of a volume 1 / sqrt 3."""
    mass, spin, until = 2.0, 60.0, .02
    result, bars = [], {}
    for model, share, allowed in (("pressure_field", 8 / 15, .05), ("volumetric", 1 / math.sqrt(3), .03), ("hertz", 0.0, None)):
        depth = _depth(model, mass * _G)
        path = _scene(f"spin_{model}", mass, height=_R - depth, spin=spin, until=until)
        left = _compare(path, [model])[model]["bodies"]["thing"]["angular_velocity"][2]
        torque = .4 * mass * _R ** 2 * (spin - left) / until
        bars[model] = torque / (.5 * mass * _G * math.sqrt(2 * _R * depth - depth ** 2))
        what = f"{model}: torque against spin over mu F a"
        source = "closed form of the model; of a solid, by Hertz's pressure, 0.589"
        result.append(report.relative("004-models-spin", what, share, source, bars[model], allowed) if share else
                      report.bound("004-models-spin", what, "a point has none: wrong", bars[model], 1e-9))
    axes[1].bar(list(bars), list(bars.values()))
    axes[1].axhline(3 * math.pi / 16, color="k", label="elastic solid")
    axes[1].set(title="torque against spin over mu F a")
    axes[1].legend()
    return result


def _roll(axes):
    """A foundation that damps slows what rolls by g d a^2 / (8.4 R^2), a the radius of contact."""
    mass, speed, until = 2.0, .3, .4
    result, bars = [], {}  # all lose 0.01 until they roll about their flattened radius
    for model, allowed in (("pressure_field", .1), ("volumetric", .08), ("hertz", None)):
        depth = _depth(model, mass * _G)
        path = _scene(f"roll_{model}", mass, height=_R - depth, speed=speed, roll=speed / _R, until=until, method="rk45",
                      accuracy=1e-7)
        left = _compare(path, [model])[model]["bodies"]["thing"]["velocity"][0]
        bars[model] = math.log(speed / left) / until
        closed = _G * 20 * (2 * _R * depth) / (8.4 * _R ** 2)
        what = f"{model}: decay of a rolling ball [1/s]"
        result.append(report.relative("004-models-roll", what, closed, "closed form: rolling resistance", bars[model], allowed)
                      if allowed else report.bound("004-models-roll", what, "a point has no resistance: wrong", bars[model], .03))
    axes[2].bar(list(bars), list(bars.values()))
    axes[2].set(title="decay of rolling [1/s]")
    return result


# --- tasks of the thesis ---------------------------------------------------------------------------------------


def _task(name, settings, floor, ball, until, model):
    """Where the ball of E3 and E9 is at the end, and its twist."""
    path = engine.scratch("contact_models") / f"{name}.yaml"
    path.write_text(f"""simulation: {{method: rk45, accuracy: 1.0e-6, time_step: 1.0e-3, {settings}}}
bodies:
- {{name: floor, fixed: true, {floor}}}
- name: ball
  mass: 2
  geometry: [{{name: skin, shape: sphere, radius: 0.1, modulus: 1.0e+7, young_modulus: 1.0e+7, dissipation: 1, margin: 0,
              resolution_hint: 0.02, friction: 0.4}}]
  {ball}
""")
    body = engine.run(path, until=until, settings={"simulation.contact_model": model})["bodies"]["ball"]
    return body["velocity"], body["angular_velocity"]


def _incline(model):
    """E3: from rest, on the plane."""
    a, depth = math.radians(20), 1e-4
    gravity = f"gravity: [{_G * math.sin(a):.17g}, 0, {-_G * math.cos(a):.17g}]"
    floor = "geometry: [{name: top, shape: half_space, compliance: rigid, friction: 0.4}]"
    speed, _ = _task("incline", gravity, floor, f"pose: {{translation: [0, 0, {.1 - depth}]}}", 1.0, model)
    return speed[0]


def _edge(model):
    """E9: slowly over a sharp edge."""
    floor = ("pose: {translation: [0, -0.2, -0.25]}, geometry: [{name: top, shape: box, size: [1, 1, 0.5], compliance: rigid, "
             "friction: 0.4}]")
    ball = "pose: {translation: [0, 0.27, 0.0999]}\n  velocity: {linear: [0, 0.05, 0], angular: [-0.5, 0, 0]}"
    return _task("edge", "until: 2", floor, ball, 1.4, model)[1][0]


def _worksite(model):
    """E12 with regularised friction and one dissipation: force of the box on its worksite at the end."""
    text = (engine.ROOT / "scenes" / "battery_box.yaml").read_text()
    lines = [line for line in text.splitlines() if not line.strip().startswith(("restitution", "friction: {bristle"))]
    path = engine.scratch("contact_models") / "worksite.yaml"
    path.write_text("\n".join(lines).replace("modulus: 2.0e+8", "modulus: 2.0e+8\n    dissipation: 2\n    friction: 0.3"))
    done = engine.run(path, settings={"simulation.contact_model": model, "simulation.method": "lagged",
                                      "simulation.time_step": 1e-3})
    return abs(sum(c["force"][0] for c in done["contacts"]))


def _tasks():
    rigid = volumetric_worlds._rigid_spin(static=.4, dynamic=.4)
    rolls = 5 / 7 * _G * math.sin(math.radians(20))
    result = []
    # Depths of 1 %: rolling takes 1 and 2 %, and the ball leaves the edge with its centre lower. Points have neither.
    for model, down, over in (("pressure_field", .03, .13), ("volumetric", .02, .09), ("hertz", .002, .02)):
        result += [report.relative("004-models-E3", f"{model}: speed of a ball that rolls down for 1 s [m/s]", rolls,
                                   "closed form: rigid", _incline(model), down),
                   report.relative("004-models-E9", f"{model}: spin of a ball that rolled over an edge [rad/s]", rigid,
                                   "a rigid ball on a sharp edge", _edge(model), over)]
    result += [report.relative("004-models-E12", f"{model}: force of a box on its worksite [N]", 100, "its weight",
                               _worksite(model), .01) for model in _MODELS[:2]]
    return result


# --- requirements -------------------------------------------------------------------------------------------


def _attack():
    """Drawn pairs: no normal is chosen by hand, none fails."""
    test = engine.ROOT / "python" / "tests" / "test_pair_attack.py"
    paths = os.pathsep.join(filter(None, [str(engine.ROOT / "python"), os.environ.get("PYTHONPATH")]))
    return subprocess.run([sys.executable, "-m", "pytest", "-q", str(test)], capture_output=True, check=False,
                          env={"ISOBAR_LIBRARY": str(engine.BUILD / "release" / "lib" / "libisobar.so"), **os.environ,
                               "PYTHONPATH": paths}).returncode


def _requirements():
    scenes, folder = engine.ROOT / "scenes", engine.scratch("contact_models")
    box = engine.run(scenes / "battery_box.yaml")
    pushed = abs(sum(c["force"][0] for c in box["contacts"]))
    table = folder / "press.csv"
    depths = np.linspace(1e-5, 1e-3, 40)
    table.write_text("depth,force\n" + "".join(f"{d:.17g},{2.5e8 * d ** 1.5:.17g}\n" for d in depths))
    fitted = json.loads(engine.command("identify", table, "--json", packages=False))
    stiffness = fitted["parameters"]["stiffness"]["value"]
    edge = engine.run(scenes / "over_the_edge.yaml", until=1, settings={"simulation.method": "rk4", "simulation.time_step": 1e-3})
    volumetric_worlds._groove(folder / "groove.obj", 52)
    groove = folder / "groove.yaml"
    groove.write_text(f"""bodies:
- {{name: groove, fixed: true, geometry: [{{name: block, shape: mesh, file: groove.obj, compliance: rigid}}]}}
- {{name: ball, mass: 2, pose: {{translation: [0, 0, -0.9]}}, geometry: [{{name: skin, shape: sphere, radius: 0.1, model: volumetric}}]}}
""")
    held = engine.run(groove, until=1)
    numbers = [k for k, v in yaml.safe_load((scenes / "over_the_edge.yaml").read_text())["simulation"].items()
               if k in ("time_step", "accuracy", "max_step", "initial_step", "stiction_velocity") and v is not None]
    smallest = _scene("smallest", 1)
    page = folder / "models.html"
    _compare(smallest, _MODELS, "--until", .1, "-o", page)
    laws = ("viscous", "tanh", "atan", "stribeck", "three_piece", "compliant")
    ran = sum(engine.run(smallest, until=.02, settings={"simulation.contact_model": m, "simulation.friction_law": law,
                                                        "simulation.method": "rk45"})["time"] > .019
              for m in _MODELS for law in laws)
    own = "requirement of the thesis"
    return [
        report.relative("004-R1", "isobar run scenes/battery_box.yaml: force at the end [N]", 100, own, pushed, 1e-3),
        report.relative("004-R2", "isobar identify press.csv: stiffness [N/m^1.5]", 2.5e8, own, stiffness, 1e-6),
        report.absolute("004-R3", "isobar run scenes/over_the_edge.yaml --set simulation.method=rk4 --dt 1e-3: came to [s]", 1,
                        own, edge["time"], 1e-9),
        report.relative("004-R4", "isobar run groove.yaml, a surface that is not convex: force on a ball [N]", 2 * _G, own,
                        sum(abs(c["force"][2]) for c in held["contacts"]), 1e-3),
        report.bound("004-R5", "numerical parameters in scenes/over_the_edge.yaml", own, len(numbers), 2),
        report.at_least("004-R6", "isobar compare smallest.yaml -o models.html: bytes of the page", own, page.stat().st_size, 1e5),
        report.absolute("004-R7", "pytest python/tests/test_pair_attack.py: exit code", 0, own, _attack(), 0),
        report.absolute("004-R8", "isobar run --set simulation.friction_law=LAW: models and laws that run, of 18", 18, own, ran, 0),
        report.bound("004-R9", "lines of smallest.yaml", own, len(smallest.read_text().splitlines()), 12),
    ]


def rows():
    figure, axes = plt.subplots(1, 3, figsize=(14, 4), layout="constrained")
    result = _rest(axes) + _flat() + _spin(axes) + _roll(axes) + _tasks() + _requirements()
    resisted = [row for row in result if row.id in ("004-models-spin", "004-models-roll") and row.quantity.startswith("vol")]
    result += [report.at_least("004-R10", f"isobar compare: {row.quantity}", "requirement of the thesis", row.ours, .1)
               for row in resisted]
    figure.savefig(programs.plot("contact_models.png"), dpi=120)
    plt.close(figure)
    return result
