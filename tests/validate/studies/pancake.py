# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Masterjohn et al. 2022, section V-B, figs. 7 to 9: a robot takes a spatula in soft bubbles, scoops
a pancake and turns it over (scenes/pancake.yaml), on grids from coarse to fine, with polygons and
with triangles, with pooled contacts and with a constraint for every face (bench_pancake).
"""

import json
import subprocess

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402

import engine  # noqa: E402
import programs  # noqa: E402
import report  # noqa: E402
import traces  # noqa: E402

_SCENE = engine.ROOT / "scenes" / "pancake.yaml"
_SOURCE = "Masterjohn 2022, V-B"
_STOVE = np.array([0.48, 0.25])
_STOVE_RADIUS = 0.13
_STOVE_TOP = 0.08
_HALF_THICKNESS = 0.008
# Hints of pancake, bubbles and handle in the scene, and by what the grids multiply them.
_HINTS = (0.015, 0.02, 0.01)
_SCALES = (1.35, 1.2, 0.7, 0.6, 0.5, 0.36)
_FINE_SCALES = (0.25, 0.18, 0.12, 0.09)
# Runs whose times are compared with each other take turns; the best time of every sample counts.
_TURNS = 3
# How far exponents of the geometry may lie above their goal of 1.05, for machines with other work:
# measured 0.94 up to 1,750 faces and 1.01 to 1.07 with the finest grids.
_SPREAD = 0.05
_EVENTS = {"grasp": "grasp", "lift": "lift", "touch": "lower", "scoop": "scoop", "take off": "raise",
           "flip": "flip"}


class _Run:
    """bench_pancake: numbers by name; times and faces of its samples; events (time, step)."""

    def __init__(self, scale=1.0, **settings):
        line = [str(programs.BIN / "bench_pancake"), str(_SCENE)]
        line += [f"contact_overrides.{i}.resolution_hint={scale * hint:.6g}"
                 for i, hint in enumerate(_HINTS)]
        line += [f"simulation.{key}={value}" for key, value in settings.items()]
        done = subprocess.run(line, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise engine.Failed(f"{' '.join(line)}: {done.stderr.strip()}")
        lines = [json.loads(text) for text in done.stdout.splitlines()]
        self.numbers = lines[-1]
        samples = [part for part in lines[:-1] if "faces" in part]
        self.times = np.array([part["t"] for part in samples])
        self.faces = np.array([part["faces"] for part in samples])
        self.stages = {key: np.array([part[key] for part in samples])
                       for key in samples[0] if key.endswith("_us")}
        begun = [part for part in lines[:-1] if part.get("program") == "arm"]
        self.events = [(part["t"], part["step"]) for part in begun]
        self.before_flip = next((part for part in begun if part["step"] == "flip"), None)

    def __getitem__(self, key):
        return self.numbers[key]

    def keep_best(self, again):
        """Of the times of the same run once more, whose samples are the same steps."""
        for key, value in again.numbers.items():
            if key.endswith("_us"):
                self.numbers[key] = min(self[key], value)
        for key, times in again.stages.items():
            self.stages[key] = np.minimum(self.stages[key], times)
            self.numbers[key] = float(np.mean(self.stages[key]))
        self.numbers["real_time"] = max(self["real_time"], again["real_time"])

    @property
    def solver_us(self):
        """Contact potentials and convex solver."""
        return self["points_us"] + self["pooled_us"]

    @property
    def tilt(self):
        """Of the pancake against upside down [deg]."""
        return float(np.degrees(np.arccos(np.clip(-self["up"], -1.0, 1.0))))

    @property
    def carried(self):
        """How high above the stove the blade has it before the flip [m]; -1: it does not lie flat,
        or there is no flip."""
        is_flat = self.before_flip is not None and self.before_flip["up"] > 0.99
        return self.before_flip["pancake"][2] - _STOVE_TOP if is_flat else -1.0

    @property
    def from_middle(self):
        """Of the stove [m]."""
        return float(np.linalg.norm(np.array(self["pancake"][:2]) - _STOVE))

    @property
    def lift(self):
        """Of the pancake above where it would just touch the stove [m]; infinite: it lies beside."""
        if self.from_middle > _STOVE_RADIUS:
            return float("inf")
        return self["pancake"][2] - _STOVE_TOP - _HALF_THICKNESS


def _take_turns(*settings):
    """A run for each settings, with the best times of its turns."""
    best = [_Run(**each) for each in settings]
    for _ in range(_TURNS - 1):
        for run, each in zip(best, settings):
            run.keep_best(_Run(**each))
    return best


def _exponent(runs, value):
    """Of a power law in the mean number of faces."""
    return float(np.polyfit(np.log([run["sampled_faces"] for run in runs]),
                            np.log([value(run) for run in runs]), 1)[0])


def _plot_faces(polygons, triangles):
    figure, axes = plt.subplots(figsize=(9, 3.4), layout="constrained")
    axes.plot(triangles.times, triangles.faces, label="triangles")
    axes.plot(polygons.times, polygons.faces, label="polygons")
    for time, step in polygons.events:
        if step in _EVENTS:
            axes.axvline(time, color="0.7", linewidth=0.8)
            axes.annotate(_EVENTS[step], (time, 1.0), xycoords=("data", "axes fraction"),
                          xytext=(2, -10), textcoords="offset points", fontsize=8)
    axes.set(xlabel="t [s]", ylabel="faces", ylim=(0, None))
    axes.legend(loc="lower right", fontsize=8)
    figure.savefig(programs.plot("pancake_faces.png"), dpi=120)
    plt.close(figure)


def _plot_scaling(runs):
    faces = np.array([run["sampled_faces"] for run in runs])
    figure, axes = plt.subplots(figsize=(5, 4), layout="constrained")
    for name, value in (("geometry", lambda run: run["geometry_us"]),
                        ("solver", lambda run: run.solver_us)):
        y = np.array([value(run) for run in runs])
        power = _exponent(runs, value)
        axes.loglog(faces, 1e-3 * y, "o", label=f"{name}: faces^{power:.2f}")
        fit = np.exp(np.mean(np.log(y)) + power * (np.log(faces) - np.mean(np.log(faces))))
        axes.loglog(faces, 1e-3 * fit, "-", color="0.6", linewidth=0.8)
    axes.set(xlabel="mean faces of a step", ylabel="mean time of a step [ms]")
    axes.legend(fontsize=8)
    figure.savefig(programs.plot("pancake_scaling.png"), dpi=120)
    plt.close(figure)


def _task_rows(runs, others):
    least, most = runs[0]["faces"], runs[-1]["faces"]
    grids = f"{len(runs)} grids, {least:.0f} to {most:.0f} faces a step"
    runs = [*runs, *others]
    grids += ", that of the scene, triangles, and both with SAP"
    return [
        # Measured 0.126 m, with the blade at 0.12 m. One that falls off the blade may also come to
        # lie upside down.
        report.Row("001-V-B-carried", f"pancake above the stove before the flip, least, {grids} [m]",
                   0.12, "the robot raises it on the blade, flat", min(run.carried for run in runs),
                   max(0.0, 0.12 - min(run.carried for run in runs)), 0.0),
        # Measured 0.00 degrees.
        report.bound("001-V-B-turned", f"pancake against upside down, {grids} [deg]",
                     f"{_SOURCE}: succeeds on all grids", max(run.tilt for run in runs), 15.0),
        # Measured 0.047 m.
        report.bound("001-V-B-on-stove", f"pancake from the middle of the stove, {grids} [m]",
                     "its rim stays on the stove", max(run.from_middle for run in runs), 0.075),
        # Measured 7e-4 m on fine grids: it sinks in by its weight.
        report.bound("001-V-B-rests", f"it rests: height above touching the stove, {grids} [m]",
                     "weight of the pancake", max(abs(run.lift) for run in runs), 2e-3),
    ]


def _grip_rows():
    """The spatula in the gripper: what the bubbles let it move between grasp and end."""
    trace = traces.run(_SCENE, 10.0, 25)
    lifted, scooped, end = (traces.at(trace, t) for t in (2.4, 7.1, 10.0))

    def held(index):
        palm, spatula = "gripper::palm", "spatula::spatula"
        axes = trace.rotation(palm)[index]
        return (axes.T @ (trace.position(spatula)[index] - trace.position(palm)[index]),
                axes.T @ trace.rotation(spatula)[index])

    def moved(a, b):
        (p, r), (q, s) = held(a), held(b)
        turn = np.arccos(np.clip((np.trace(r.T @ s) - 1.0) / 2.0, -1.0, 1.0))
        return float(np.linalg.norm(q - p)), float(np.degrees(turn))

    there, turned = moved(lifted, end)
    return [
        # Measured 3.9e-4 m.
        report.bound("001-V-B-grip", "blade moved in the gripper from lift to end [m]",
                     f"{_SOURCE}: a secure grasp", there, 2e-3),
        # Measured 0.12 degrees.
        report.bound("001-V-B-grip-turn", "spatula turned in the gripper from lift to end [deg]",
                     f"{_SOURCE}: a secure grasp", turned, 0.5),
        report.reported("001-V-B-grip-carry", "turned between lift and the pancake on the blade [deg]",
                        "elastic", moved(lifted, scooped)[1]),
    ]


def _scaling_rows(runs, reach):
    source = f"goal; {_SOURCE}, fig. 8"
    grids = f"{runs[0]['faces']:.0f} to {runs[-1]['faces']:.0f} faces"
    geometry = _exponent(runs, lambda run: run["geometry_us"])
    solver = _exponent(runs, lambda run: run.solver_us)
    return [
        report.Row(f"001-fig8-geometry{reach}", f"exponent of geometry over faces, {grids}", 1.05,
                   f"{source}: 1.0", geometry, max(0.0, geometry - 1.05), _SPREAD),
        # Measured 0.69; with the finest grids 0.86.
        report.Row(f"001-fig8-solver{reach}", f"exponent of potentials and solver, {grids}", 1.05,
                   f"{source}: 1.3", solver, max(0.0, solver - 1.05), 0.0),
    ]


def _speed_rows(run):
    return [
        # Measured 0.05 to 0.06 on a machine with other work.
        report.bound("001-V-B-speed",
                     f"processor time over simulated time, 4 ms steps, {run['faces']:.0f} faces "
                     f"(most {run['most_faces']})", "five times faster than real time",
                     1.0 / run["real_time"], 0.2),
        report.bound("001-V-B-faces", "most faces of a step", "up to 500", run["most_faces"], 500),
    ]


def _representation_rows(polygons, triangles, sap, sap_triangles):
    def ratio(key, a, b):
        return a[key] / b[key]

    def gain(key):
        return ratio(key, sap_triangles, sap)

    return [
        # Measured 3.68; it depends on how fine the rigid bodies are.
        report.relative("001-fig9-faces", "faces of triangles over polygons", 4.05,
                        f"{_SOURCE}, fig. 9", ratio("faces", triangles, polygons), 0.15),
        # Measured 3.68 to 3.71 for 3.68 times as many faces.
        report.relative("001-V-B-solver", "solver with a constraint for every face: time with "
                        "triangles over polygons", 4.09, _SOURCE, gain("per_face_us"), 0.3),
        report.reported("001-V-B-pooled", "the same, pooled by pairs",
                        f"{_SOURCE}: 4.09 with constraints for faces", gain("pooled_us")),
        report.Row("001-V-B-geometry", "geometry: time saved by polygons", 0.10, _SOURCE,
                   1.0 - ratio("geometry_us", polygons, triangles), 0.0, None),
        # Both solve the same convex problem: measured 2e-14.
        report.bound("001-V-B-same", "velocities: pooled against face by face, largest "
                     "difference of all steps [m/s, rad/s]", "one cost, one minimiser",
                     max(sap["difference"], sap_triangles["difference"]), 1e-6),
        # Measured 0.07 to 0.10.
        report.bound("001-V-B-pooling", "pooled solver over one with a constraint for every face, "
                     "polygons: time", "at most a fifth",
                     sap["pooled_us"] / sap["per_face_us"], 0.2),
    ]


def rows():
    base, triangles = _take_turns({}, {"representation": "triangle"})
    runs = _take_turns(*({"scale": scale} for scale in (*_SCALES, *_FINE_SCALES)))
    grids, fine = runs[:len(_SCALES)], runs[len(_SCALES):]
    sap, sap_triangles = _take_turns({"method": "sap"},
                                     {"method": "sap", "representation": "triangle"})
    _plot_faces(base, triangles)
    _plot_scaling([*grids, *fine])
    return [
        *_task_rows([*grids, *fine], [base, triangles, sap, sap_triangles]),
        *_grip_rows(),
        *_scaling_rows(grids, ""),
        *_scaling_rows([*grids, *fine], "-fine"),
        *_speed_rows(base),
        *_representation_rows(base, triangles, sap, sap_triangles),
    ]
