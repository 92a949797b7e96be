# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Measure Isobar beside Drake and MuJoCo: build/bench/bench.json, targets.json and report.html.

  run.py [FILTER]   only cases whose name contains FILTER

Every engine runs on one thread. The engines take turns within a case, so that a change of the
machine's speed meets all of them; numbers are medians: of the turns, or of the batches of all turns.
docs/performance.md explains them and the targets.
"""

import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests" / "validate"), str(ROOT / "tests" / "peers")]

import arm  # noqa: E402
import engine  # noqa: E402
import page  # noqa: E402
import targets  # noqa: E402

PROGRAMS = pathlib.Path(os.environ.get("ISOBAR_BENCH_DIR", engine.ISOBAR.parent))

# Turns of a scene and of a pair; simulated seconds of the scenes that are cut to what a turn of a
# second or two can hold.
TURNS = 5
STICKING_TURNS = 9
PATCH_TURNS = 7
UNTIL = {"coin": 0.5, "slope": 2.0, "spatula_slip_control": 12.0, "rolling_sphere": 2.0}

STICKING_SCENES = ("balls_in_bin", "slope", "stack")
BATCH_SCENES = {"balls_in_bin": 20, "slope": 500, "stack": 50}  # with the steps of every world
BATCH_WORLDS = 64


def _peers():
    """The modules that drive the other engines; None where an engine is not installed."""
    found = {}
    for name in ("drake_scenario", "drake_patch", "mujoco_scenario"):
        try:
            found[name] = __import__(name)
        except ImportError as problem:
            print(f"bench: without {name}: {problem}", file=sys.stderr)
            found[name] = None
    return found


# --- scenes -----------------------------------------------------------------------------------------


def _scene_row(name, samples):
    """Median over the turns of `isobar run`."""
    def middle(key):
        return statistics.median(sample[key] for sample in samples)

    stages = [statistics.median(column) for column in zip(*(s["us_per_stage"] for s in samples))]
    row = {
        "case": name,
        "engine": "isobar",
        "us": middle("us_per_step"),
        "faces": samples[0]["faces_per_step"],
        "steps": None,
        "allocations": max(sample["allocations_second_half"] for sample in samples),
        "stages": stages,
        "iterations": samples[0]["iterations_per_step"],
        "line_search": samples[0]["line_search_per_step"],
    }
    if row["faces"]:
        row["us_per_face"] = row["us"] / row["faces"]
        row["patch_us_per_face"] = stages[2] / row["faces"]
    return row


class _DrakeScene:
    """One Drake run after the other of the same scene."""

    def __init__(self, module, path, until):
        self._scene = module.Scene(path, {"drake_models": engine.ASSETS})
        self._module = module
        step = self._scene.scenario.time_step
        self.steps = int(math.ceil(until / step - 1e-9))
        self._end = self.steps * step

    def turn(self):
        simulator, _ = self._scene.start()
        begin = time.perf_counter()
        simulator.AdvanceTo(self._end)
        return 1e6 * (time.perf_counter() - begin) / self.steps

    def faces(self):
        return self._module.mean_faces(self._scene, self.steps)


def _scene(path, peers):
    import scenario_file

    until = UNTIL.get(path.stem, scenario_file.read(path).until)
    name = f"scene/{path.stem}"
    drake = _DrakeScene(peers["drake_scenario"], path, until) if peers["drake_scenario"] else None
    ours, theirs, points, point_steps, point_contacts = [], [], [], 0, 0
    for _ in range(TURNS):
        ours.append(engine.run(path, until=until, threads=1)["performance"])
        if drake:
            theirs.append(drake.turn())
        if peers["mujoco_scenario"]:
            try:
                timing = peers["mujoco_scenario"].timing(path, until, repeats=1)
            except peers["mujoco_scenario"].Unsupported:
                continue
            points.append(timing["us"])
            point_steps, point_contacts = timing["steps"], timing["contacts"]
    rows = [_scene_row(name, ours)]
    if drake:
        rows[0]["steps"] = drake.steps
        faces = drake.faces()
        rows.append({"case": name, "engine": "drake", "us": statistics.median(theirs),
                     "faces": faces, "steps": drake.steps, "allocations": None})
        if faces:
            rows[-1]["us_per_face"] = rows[-1]["us"] / faces
    if points:
        rows.append({"case": name, "engine": "mujoco", "us": statistics.median(points),
                     "faces": None, "steps": point_steps, "allocations": None,
                     "contacts": point_contacts})
    return rows


def _sticking(wanted):
    """The same scenes with friction that sticks and with regularised friction, in turns."""
    rows = []
    for scene in STICKING_SCENES:
        name = f"sticking/{scene}"
        if not wanted(name):
            continue
        path = engine.PEERS / f"{scene}.yaml"
        found = {"stick": [], "regularized": []}
        for _ in range(STICKING_TURNS):
            for friction, samples in found.items():
                samples.append(engine.run(path, until=UNTIL.get(scene), threads=1, settings={
                    "simulation.friction": friction})["performance"])
        middle = {friction: min(sample["us_step_median"] for sample in samples)
                  for friction, samples in found.items()}
        rows.append(_scene_row(name, found["stick"]))
        rows[-1]["us"] = middle["stick"]
        rows[-1]["us_regularized"] = middle["regularized"]
        rows[-1]["iterations_regularized"] = found["regularized"][0]["iterations_per_step"]
        rows[-1]["ratio"] = rows[-1]["us"] / rows[-1]["us_regularized"]
        print(f"{name}: {rows[-1]['us']:.4g} us per step, {rows[-1]['ratio']:.2f} of regularised "
              f"friction, iterations {rows[-1]['iterations']:.2f} and "
              f"{rows[-1]['iterations_regularized']:.2f}", flush=True)
    return rows


def _batches(wanted):
    """Clones of a scene stepped together by one thread and by two."""
    rows = []
    for scene, steps in BATCH_SCENES.items():
        name = f"batch/{scene}/{BATCH_WORLDS}"
        if not wanted(name):
            continue
        turns = [_lines("bench_batch", str(engine.PEERS / f"{scene}.yaml"), str(BATCH_WORLDS),
                        str(steps)) for _ in range(TURNS)]
        two = [line for turn in turns for line in turn if line["threads"] == 2]
        rows.append({"case": name, "engine": "isobar", "faces": None, "steps": steps,
                     "us": statistics.median(line["cpu_us_per_step"] for line in two),
                     "us_alone": statistics.median(turn[0]["cpu_us_per_step"] for turn in turns),
                     # A thread that other programs hold up leaves its worlds to the other one.
                     "cpu_ratio": max(line["cpu_ratio"] for line in two),
                     "wall_ratio": statistics.median(line["wall_ratio"] for line in two),
                     "allocations": max(line["allocations"] for line in two)})
        print(f"{name}: {rows[-1]['us']:.4g} us of processor time per step and world, two threads "
              f"gain {rows[-1]['cpu_ratio']:.2f} ({rows[-1]['wall_ratio']:.2f} by the clock)",
              flush=True)
    return rows


# --- single patches -----------------------------------------------------------------------------------


def _lines(program, *arguments):
    """What a bench program prints: one JSON object a line."""
    path = PROGRAMS / program
    if not path.exists():
        raise SystemExit(f"bench: {path} is not built")
    done = subprocess.run([str(path), *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"bench: {program} failed: {done.stderr.strip()}")
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def _reaches(text, prefix):
    """Whether cases that begin with the prefix may contain the text."""
    return not text or text.startswith(prefix) or text in prefix


def _drake_queries(peers, names, wanted):
    """One query of Drake's for every pair of bench_patch."""
    if not peers["drake_patch"]:
        return {}
    cases = peers["drake_patch"].cases(engine.ASSETS)
    return {
        case.name: peers["drake_patch"].Query(case)
        for case in cases if case.name in names and wanted(f"patch/{case.name}")
    }


def _patch_rows(name, ours, theirs, query):
    """A row of the turns of bench_patch, one of Drake's batches."""
    us = statistics.median(turn["us"] for turn in ours)
    row = {"case": f"patch/{name}", "engine": "isobar", "us": us,
           "us_best": min(turn["us_best"] for turn in ours), "faces": ours[0]["faces"],
           "steps": None, "allocations": max(turn["allocations"] for turn in ours)}
    row |= {key: ours[0][key] for key in ("area", "least_bytes", "least_flops", "threads")
            if key in ours[0]}
    row |= {key: statistics.median(turn[key] for turn in ours)
            for key in ("cpu_ratio", "wall_ratio") if key in ours[0]}
    if row["faces"]:
        row["us_per_face"] = us / row["faces"]
    if not theirs:
        return [row]
    return [row, {"case": f"patch/{name}", "engine": "drake", "steps": None, "allocations": None,
                  "us": statistics.median(theirs), "us_best": min(theirs), **query.summary()}]


def _patches(peers, text, wanted):
    """bench_patch and Drake in turns of a tenth of a second pair by pair: the machine slows for
    seconds, which must meet both."""
    assets = str(engine.ASSETS)
    chosen = [text.removeprefix("patch/")] if text.startswith("patch/") else []
    listed = _lines("bench_patch", *([assets, *chosen] if engine.ASSETS.is_dir() else []))
    names = [line["case"] for line in listed if wanted(f"patch/{line['case']}")]
    queries = _drake_queries(peers, names, wanted)
    rows = []
    for name in names:
        ours, theirs = [], []
        for _ in range(PATCH_TURNS):
            ours += [line for line in _lines("bench_patch", assets, name) if line["case"] == name]
            theirs += queries[name].means() if name in queries else []
        rows += _patch_rows(name, ours, theirs, queries.get(name))
    return rows


def _exponent(points):
    """Slope of log(time) over log(polygons), least squares."""
    x = [math.log(point["faces"]) for point in points]
    y = [math.log(point["us"]) for point in points]
    mean_x, mean_y = statistics.fmean(x), statistics.fmean(y)
    return (sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y))
            / sum((a - mean_x) ** 2 for a in x))


def _limits(text):
    """What bench_limits prints, by kind; a series gets its exponent."""
    if not _reaches(text, "limits/"):
        return {}
    assets = [str(engine.ASSETS)] if engine.ASSETS.is_dir() else []
    found = {"scaling": {}, "load": [], "memory": [], "machine": None}
    for line in _lines("bench_limits", *assets):
        kind = line.pop("kind")
        if kind == "machine":
            found["machine"] = line
        elif kind == "scaling":
            found["scaling"].setdefault(line.pop("case"), []).append(line)
        else:
            found[kind].append(line)
    found["scaling"] = {
        name: {"points": points,
               "exponent": _exponent([p for p in points if p["faces"] >= targets.MANY_FACES])}
        for name, points in found["scaling"].items()
        if sum(p["faces"] >= targets.MANY_FACES for p in points) > 1
    }
    return found


def _arms(peers, text, wanted):
    """Robots that touch nothing, in Isobar and MuJoCo in turns: a step of 1 ms."""
    if not _reaches(text, "arm/") or not engine.ASSETS.is_dir():
        return []
    directory = engine.BUILD / "bench"
    directory.mkdir(parents=True, exist_ok=True)
    found = {name: path for name, path in arm.skeletons(engine.ASSETS, directory).items()
             if wanted(f"arm/{name}")}
    ours, theirs, rows = {}, {}, []
    for _ in range(TURNS if found else 0):
        lines = _lines("bench_arm", *[str(path) for path in found.values()])
        for (name, path), line in zip(found.items(), lines):
            ours.setdefault(name, []).append(line)
            if peers["mujoco_scenario"]:
                theirs.setdefault(name, []).append(arm.mujoco_us(path))
    for name, lines in ours.items():
        rows.append({"case": f"arm/{name}", "engine": "isobar", "faces": None,
                     "us": statistics.median(line["us"] for line in lines),
                     "us_best": min(line["us_best"] for line in lines),
                     "steps": lines[0]["steps"],
                     "allocations": max(line["allocations"] for line in lines)})
        if name in theirs:
            rows.append({"case": f"arm/{name}", "engine": "mujoco", "faces": None,
                         "us": statistics.median(turn[0] for turn in theirs[name]),
                         "us_best": min(turn[1] for turn in theirs[name]), "steps": None,
                         "allocations": None})
            print(f"arm/{name}: isobar {rows[-2]['us']:.3g} us ({rows[-2]['us_best']:.3g} at "
                  f"best), mujoco {rows[-1]['us']:.3g} us ({rows[-1]['us_best']:.3g}) per step",
                  flush=True)
    return rows


def _pancake(wanted):
    """A robot that turns a pancake: whole steps, their geometry, their solver as it is and with a
    constraint for every face (method sap)."""
    rows = []
    for method in ("lagged", "sap"):
        for representation in ("polygon", "triangle"):
            name = f"pancake/{method}/{representation}"
            if not wanted(name):
                continue
            line = _lines("bench_pancake", str(ROOT / "scenes" / "pancake.yaml"),
                          f"simulation.method={method}",
                          f"simulation.representation={representation}")[-1]
            keys = ("steps", "faces", "most_faces", "real_time", "geometry_us", "points_us",
                    "pooled_us", "per_face_us")
            rows.append({"case": name, "engine": "isobar", "us": line["step_us"],
                         "allocations": None, **{key: line.get(key) for key in keys}})
            print(f"{name}: {line['step_us']:.4g} us per step, {line['real_time']:.3g} times "
                  "faster than real time", flush=True)
    return rows


def _kernels(text, wanted):
    """Rows of bench_points [ns per point, as us] and bench_multibody."""
    rows = []
    if not any(_reaches(text, prefix) for prefix in ("points/", "multibody/")):
        return rows
    for line in _lines("bench_points"):
        for key in ("build_ns", "hessian_ns", "gradient_ns", "line_ns"):
            rows.append({"case": f"points/{line['law']}/{line['points']}/{key[:-3]}",
                         "engine": "isobar", "us": 1e-3 * line[key] * line["points"],
                         "faces": line["points"], "steps": None, "allocations": None,
                         "ns_per_point": line[key]})
    for line in _lines("bench_multibody"):
        for key in ("kinematics_us", "mass_matrix_us", "bias_us", "acceleration_us"):
            rows.append({"case": f"multibody/{line['case']}/{key[:-3]}", "engine": "isobar",
                         "us": line[key], "faces": None, "steps": None, "allocations": None})
    return [row for row in rows if wanted(row["case"])]

def main(arguments):
    text = arguments[0] if arguments else ""
    if text.startswith("-"):
        print("usage: benchmarks/run.py [TEXT]   only cases whose name contains TEXT, such as "
              "scene/slope, patch/pepper or arm/ (docs/performance.md)", file=sys.stderr)
        return 0 if text in ("-h", "--help") else 2

    def wanted(name):
        return text in name

    begin = time.perf_counter()
    peers = _peers()
    rows = []
    for path in sorted(engine.PEERS.glob("*.yaml")):
        if wanted(f"scene/{path.stem}"):
            rows += _scene(path, peers)
            cases = targets.by_case(rows)[f"scene/{path.stem}"]
            times = ", ".join(f"{name} {row['us']:.4g} us" for name, row in cases.items())
            print(f"{path.stem}: {times} per step", flush=True)
    rows += _sticking(wanted)
    rows += _batches(wanted)
    if not text.startswith(("scene/", "sticking/", "batch/", "pancake/", "points/", "multibody/", "limits/",
                            "arm/")):
        rows += _patches(peers, text, wanted)
    limits = _limits(text)
    rows += _kernels(text, wanted)
    rows += _pancake(wanted)
    rows += _arms(peers, text, wanted)
    if not rows and not any(limits.values()):
        print(f"no case has '{text}' in its name; docs/performance.md lists them", file=sys.stderr)
        return 2
    directory = engine.BUILD / "bench"
    summary = page.write(rows, limits, directory, time.perf_counter() - begin)
    print(f"{summary}\n{directory / 'report.html'}: {len(rows)} rows, "
          f"{time.perf_counter() - begin:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
