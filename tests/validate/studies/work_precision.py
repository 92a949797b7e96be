# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Work and precision of error-controlled and fixed steps at the velocity level, and of Drake's CENIC.

Error: the largest distance of a body at the end from the limit of fixed steps, which two runs of
`lagged` extrapolate; of CENIC from its own finest run, as its law of friction is another. Work: the wall
time of stepping, the least of three runs in this process, one thread. Where Drake is installed, its
convex error-controlled integrator runs the same scenes, in this process, too: what both do for the
first time is in neither. The plot is work_precision.png.
"""

import json
import logging
import math
import os
import random
import sys
import time

import engine
import report

sys.path.insert(0, str(engine.ROOT / "python"))
os.environ.setdefault("ISOBAR_LIBRARY", str(engine.ISOBAR.parents[1] / "lib" / "libisobar.so"))

import isobar  # noqa: E402

logging.getLogger("isobar").setLevel(logging.CRITICAL)

_ID = "work-precision"
_SOURCE = "limit of fixed steps"

# Scene: (end [s], step of the reference [s], largest time step with error control [s],
#         bound of the error at an accuracy of 1e-3 [m])
# The measured error is half of the bound or less.
_SCENES = {
    "stack": (0.5, 2e-5, 0.1, 1e-6),
    "slope": (0.5, 2e-5, 0.1, 2e-5),
    "rolling_sphere": (0.5, 1e-5, 0.1, 5e-4),
    "ball_plate": (0.5, 2e-5, 0.1, 5e-3),
    "coin": (0.5, 5e-5, 0.1, 1e-3),
    "spatula_slip_control": (3.0, 1e-4, 0.02, 5e-4),
    "pepper_bowl": (0.2, 2e-5, 0.1, 1e-2),
    "balls_in_bin": (0.2, 1e-4, 0.1, 1e-4),
    "spoon": (3.0, 4e-5, 0.01, 5e-5),
}
_ACCURACIES = (1e-1, 1e-2, 1e-3, 1e-4)
_COARSE = (100.0, 10.0, 1.0)  # of ours: as wrong as CENIC at 1e-1 and 1e-2
_STEPS = (4e-3, 2e-3, 1e-3, 5e-4, 2e-4)
_METHODS = ("lagged", "midpoint")
# Where its friction, which creeps by another law, tends to the same motion: what slides.
_TAMSI = ("coin", "pepper_bowl")


def _methods(name):
    return (*_METHODS, "tamsi") if name in _TAMSI else _METHODS


def _path(name):
    path = engine.PEERS / f"{name}.yaml"
    return path if path.exists() else engine.ROOT / "scenes" / path.name


def _distance(found, expected):
    return max(math.dist(found[name], expected[name]) for name in expected)


def _run(path, end, settings):
    """Positions and the least wall time of three runs, fewer where one takes long."""
    least = math.inf
    packages = {"drake_models": engine.ASSETS} if engine.ASSETS.is_dir() else None
    scene = isobar.load(path, packages=packages, settings=settings)
    for _ in range(3):
        world = scene.create_world()
        begin = time.perf_counter()
        world.step(round(end / world.settings.time_step))
        least = min(least, time.perf_counter() - begin)
        if least > 1.0:
            break
    bodies = {name: world.body_pose(name).translation for name in world.body_names[1:]}
    return bodies, least


def _limit(path, end, step):
    """Where fixed steps lead, the error being of first order."""
    coarse, fine = (_run(path, end, {"simulation.time_step": h})[0] for h in (step, step / 2))
    return {name: [2 * y - x for x, y in zip(coarse[name], fine[name])] for name in fine}


def _cenic_run(path, end, accuracy):
    """Positions and wall time of Drake's CENIC."""
    import drake_scenario
    from pydrake.multibody.plant import MultibodyPlantConfig
    from pydrake.systems.analysis import ApplySimulatorConfig, SimulatorConfig

    class Scene(drake_scenario.Scene):
        def _plant_config(self):
            settings = self.scenario.simulation
            return MultibodyPlantConfig(
                time_step=0.0, contact_model="hydroelastic_with_fallback",
                contact_surface_representation=settings.get("representation", "polygon"),
                stiction_tolerance=float(settings.get("stiction_velocity", 1e-4)))

    scene = Scene(path, [("drake_models", str(engine.ASSETS))])
    simulator, _ = scene.start()
    ApplySimulatorConfig(SimulatorConfig(integration_scheme="cenic", max_step_size=0.1,
                                         accuracy=accuracy, use_error_control=True), simulator)
    simulator.Initialize()
    begin = time.perf_counter()
    simulator.AdvanceTo(end)
    wall = time.perf_counter() - begin
    context = scene.plant.GetMyContextFromRoot(simulator.get_context())
    return {name: scene.plant.EvalBodyPoseInWorld(context, body).translation()
            for name, body in scene.bodies.items()}, wall


def _cenic(path, end):
    """(accuracy, error from its own run at a tenth of the finest, wall); nothing without Drake."""
    try:
        import pydrake.systems.analysis  # noqa: F401
    except ImportError:
        return []
    made = {}
    for accuracy in (*_ACCURACIES, 0.1 * _ACCURACIES[-1]):
        try:
            x, wall = _cenic_run(path, end, accuracy)
            for _ in range(2 if wall < 1.0 else 0):
                wall = min(wall, _cenic_run(path, end, accuracy)[1])
            made[accuracy] = (x, wall)
        except Exception as problem:  # an assertion of its line search, say
            print(f"  work_precision: CENIC at {accuracy:g} on {path.name}: {problem}")
    if not made:
        return []
    finest = made.pop(min(made))[0]
    return [(a, _distance(x, finest), wall) for a, (x, wall) in made.items() if finest]


def _lines(path, end, sample, limit):
    """{label: [(setting, error, wall)]}."""
    lines = {}
    for method in _methods(path.stem):
        fixed, controlled = [], []
        for h in _STEPS:
            x, wall = _run(path, end, {"simulation.method": method, "simulation.time_step": h})
            fixed.append((h, _distance(x, limit), wall))
        for accuracy in (*_COARSE, *_ACCURACIES):
            try:
                x, wall = _run(path, end, {"simulation.method": method,
                                           "simulation.time_step": sample,
                                           "simulation.accuracy": accuracy,
                                           "simulation.max_substeps": 20000})
            except isobar.Error:
                continue
            controlled.append((accuracy, _distance(x, limit), wall))
        lines[f"{method}, fixed steps"] = fixed
        lines[f"{method}, error control"] = controlled
    lines["Drake's CENIC"] = _cenic(path, end) if path.parent == engine.PEERS else []
    return lines


def _least_wall(points, error):
    """The least time of what is at least as precise; infinite where nothing is."""
    return min((wall for _, e, wall in points if e <= error), default=math.inf)


def _gain(lines, ours, theirs):
    """How much faster the one is at the errors of the other: geometric mean; None without any."""
    ratios = [wall / _least_wall(lines[ours], error) for _, error, wall in lines[theirs]]
    ratios = [r for r in ratios if r > 0]
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else None


def _rows_of(name, lines, bound):
    found = []
    for label, points in lines.items():
        for setting, error, wall in points:
            word = "step" if "fixed" in label else "accuracy"
            found.append(report.reported(_ID, f"{name}, {label}, {word} {setting:g}: wall time [s]; "
                                         f"error {error:.2g} m", _SOURCE, wall))
    for method in _methods(name):
        at = {s: e for s, e, _ in lines[f"{method}, error control"]}
        found.append(report.bound(_ID, f"{name}, {method}: error at an accuracy of 1e-3 [m]", _SOURCE,
                                  at.get(1e-3, math.inf), bound))
        gain = _gain(lines, f"{method}, error control", f"{method}, fixed steps")
        if gain is not None:
            found.append(report.reported(_ID, f"{name}, {method}: time of fixed steps over that of "
                                         "error control as precise", _SOURCE, gain))
    every = {kind: [p for m in _methods(name) for p in lines[f"{m}, {kind}"]]
             for kind in ("fixed steps", "error control")}
    best = [(s, e, w) for s, e, w in every["fixed steps"] if w <= _least_wall(every["fixed steps"], e)]
    gain = _gain({**every, "best": best}, "error control", "best")
    if gain is not None:
        found.append(report.reported(_ID, f"{name}, best method of each: time of fixed steps over that of error "
                                     "control as precise", _SOURCE, gain))
    ours, theirs = lines["lagged, error control"], lines["Drake's CENIC"]
    gain = _gain(lines, "lagged, error control", "Drake's CENIC")
    if gain is not None:
        least = min(wall / _least_wall(ours, error) for _, error, wall in theirs)
        found.append(report.reported(_ID, f"{name}: time of CENIC over that of lagged with error "
                                     f"control as precise, at least {least:.2g}", _SOURCE, gain))
    return found


def _plot(all_lines):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, 5, figsize=(20, 8), constrained_layout=True)
    for place, (name, lines) in zip(axes.flat, all_lines.items()):
        for label, points in lines.items():
            if points:
                place.loglog([max(e, 1e-12) for _, e, _ in points], [w for _, _, w in points],
                             "o--" if "fixed" in label else "o-", label=label, markersize=4)
        place.set_title(name)
        place.set_xlabel("error [m]")
        place.set_ylabel("wall time [s]")
    axes.flat[0].legend(fontsize=7)
    directory = engine.BUILD / "validate"
    directory.mkdir(parents=True, exist_ok=True)
    figure.savefig(directory / "work_precision.png", dpi=110)
    plt.close(figure)


def _rest():
    """Time of a stack that rests: fixed steps of 1 ms over error control."""
    path, walls = engine.PEERS / "stack.yaml", {}
    for label, settings in (("fixed", {"simulation.time_step": 1e-3}),
                            ("sampled", {"simulation.time_step": 1e-2, "simulation.accuracy": 1e-3}),
                            ("long", {"simulation.time_step": 1.0, "simulation.accuracy": 1e-3})):
        last = 10.0 if label == "fixed" else 205.0
        short, long = (_run(path, end, settings)[1] for end in (5.0, last))
        walls[label] = max(long - short, 1e-9) / (last - 5.0)
    return [
        # Measured 130 to 220, and 115 to 730 on a busy machine.
        report.at_least(_ID, "stack at rest: time of steps of 1 ms over that of error control, looked "
                        "at every 10 ms", "steps of 1 ms", walls["fixed"] / walls["sampled"], 100.0),
        report.at_least(_ID, "stack at rest: the same, looked at every second", "steps of 1 ms",
                        walls["fixed"] / walls["long"], 100.0),
    ]


def _ball(modulus):
    """A scenario of a ball without dissipation above a rigid floor; its path."""
    def geometry(**more):
        return [{"name": "g", "friction": 0.5, "dissipation": 0, **more}]

    root = {"name": "ball", "default_material": {"margin": 0},
            "bodies": [{"name": "world", "geometry": geometry(shape="half_space", compliance="rigid")},
                       {"name": "ball", "mass": 0.5, "pose": {"translation": [0, 0, 0.55]},
                        "geometry": geometry(shape="sphere", radius=0.05, compliance="compliant",
                                             modulus=modulus, resolution_hint=0.02)}]}
    path = engine.scratch("work_precision") / f"ball_{modulus:g}.yaml"
    path.write_text(json.dumps(root))
    return path


def _energy():
    """What a ball loses that bounces for ten seconds, at its first state in the air from then on."""
    found = []
    for modulus in (1e6, 1e8):
        for method, bound in (("midpoint", 0.01), ("lagged", 0.01)):
            settings = {"simulation.method": method, "simulation.accuracy": 1e-3,
                        "simulation.time_step": 1e-2}
            for end in (10.0, 10.05, 10.1):
                made = engine.run(_ball(modulus), until=end, settings=settings)
                if not made["contacts"]:
                    break
            e = made["energy"]
            weight = 0.5 * 9.81
            loss = 1 - (e["kinetic"] + e["potential"] - 0.05 * weight) / (0.5 * weight)
            # Measured 4e-4 and 8e-3.
            found.append(report.bound(_ID, f"ball of {modulus:g} Pa, 10 s, {method}, accuracy 1e-3: "
                                      "energy lost, relative", "no dissipation", loss, bound))
    return found


def _cubes():
    """What thirty cubes without dissipation and friction lose that fall and tumble for a second."""
    draw, found = random.Random(1), []
    geometry = {"name": "g", "friction": 0, "dissipation": 0}
    bodies = [{"name": "world", "geometry": [{**geometry, "shape": "half_space", "compliance": "rigid"}]}]
    for i in range(30):
        w = [draw.gauss(0, 1) for _ in range(4)]
        bodies.append({"name": f"cube_{i:02d}", "density": 1000,
                       "pose": {"translation": [0.3 * (i % 6), 0.3 * (i // 6), 0.3],
                                "rotation": {"wxyz": [x / math.hypot(*w) for x in w]}},
                       "geometry": [{**geometry, "shape": "box", "size": [0.1, 0.1, 0.1],
                                     "compliance": "compliant", "modulus": 1e7}]})
    path = engine.scratch("work_precision") / "cubes.yaml"
    path.write_text(json.dumps({"name": "cubes", "default_material": {"margin": 0}, "bodies": bodies}))
    start = 30 * 0.1**3 * 1000 * 9.81 * 0.3
    for method in ("midpoint", "lagged"):
        e = engine.run(path, until=1.0, settings={"simulation.method": method,
                                                  "simulation.accuracy": 1e-3})["energy"]
        loss = 1 - (e["kinetic"] + e["potential"] + e["elastic"]) / start
        # Measured -3e-6 and 5e-4.
        found.append(report.bound(_ID, f"30 cubes, 1 s, {method}, accuracy 1e-3: energy lost, relative",
                                  "no dissipation", loss, 0.01))
    return found


def _heap(seed):
    """A scenario of ten bodies of drawn shapes, sizes and masses that fall onto each other; its path."""
    draw = random.Random(seed)
    material = {"name": "g", "dissipation": draw.choice([0, 1, 10])}
    bodies = [{"name": "world", "geometry": [{**material, "shape": "half_space", "compliance": "rigid",
                                              "friction": draw.uniform(0.2, 0.8)}]}]
    for i in range(10):
        w, size = [draw.gauss(0, 1) for _ in range(4)], 0.05 * draw.uniform(1, 3)
        kind = draw.choice(["box", "sphere", "ellipsoid"])
        shape = {"box": {"size": [size * draw.uniform(0.6, 1) for _ in range(3)]},
                 "sphere": {"radius": size / 2, "resolution_hint": size / 4},
                 "ellipsoid": {"semi_axes": [size * draw.uniform(0.3, 0.5) for _ in range(3)],
                               "resolution_hint": size / 4}}[kind]
        bodies.append({"name": f"b{i}", "density": 10 ** draw.uniform(2.5, 3.9),
                       "pose": {"translation": [draw.uniform(-0.02, 0.02), draw.uniform(-0.02, 0.02),
                                                0.1 + 0.16 * i],
                                "rotation": {"wxyz": [x / math.hypot(*w) for x in w]}},
                       "geometry": [{**material, "shape": kind, "compliance": "compliant",
                                     "friction": draw.uniform(0.2, 0.8),
                                     "modulus": 10 ** draw.uniform(5, 7), **shape}]})
    path = engine.scratch("work_precision") / f"heap_{seed}.yaml"
    path.write_text(json.dumps({"name": "heap", "default_material": {"margin": 0}, "bodies": bodies}))
    return path


def _heaps():
    """Error control and fixed steps of heaps that fall for a third of a second."""
    found, end, step = [], 0.35, 1e-4
    for seed in (2, 3, 4):  # of the first, no steps agree on where a body rolls
        path = _heap(seed)
        limit = _limit(path, end, 2e-5)
        x, fixed_wall = _run(path, end, {"simulation.time_step": step})
        fixed_error = _distance(x, limit)
        for accuracy in (1e-1, 1e-2):
            x, wall = _run(path, end, {"simulation.accuracy": accuracy, "simulation.max_substeps": 50000})
            error = _distance(x, limit)
            # Fixed steps are of first order. Measured 2.9 to 16.
            gain = fixed_wall * fixed_error / error / wall
            found.append(report.at_least(_ID, f"heap {seed}, accuracy {accuracy:g}, error {error:.2g} m: time of "
                                         "fixed steps as precise over its", _SOURCE, gain, 1.0))
    return found


def rows():
    found, all_lines = _rest() + _energy() + _cubes() + _heaps(), {}
    for name, (end, step, sample, bound) in _SCENES.items():
        path = _path(name)
        try:
            limit = _limit(path, end, step)
        except isobar.Error as problem:
            if "drake_models" not in str(problem):  # assets that are not here
                raise
            print(f"  work_precision: {name} is skipped: {problem}")
            continue
        all_lines[name] = _lines(path, end, sample, limit)
        found += _rows_of(name, all_lines[name], bound)
    _plot(all_lines)
    return found
