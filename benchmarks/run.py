# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Measure Isobar beside Drake and MuJoCo: build/bench/bench.json, targets.json and report.html.

  run.py [FILTER]   only cases whose name contains FILTER

Every engine runs on one thread. The engines take turns within a case, so that a change of the
machine's speed meets all of them; numbers are medians: of the turns, or of the batches of all turns.
docs/performance.md explains them and the targets.
"""

import html
import json
import math
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests" / "validate"), str(ROOT / "tests" / "peers")]

import arm  # noqa: E402
import engine  # noqa: E402

STAGES = (
    "kinematics", "broad phase", "patches", "contact model", "dynamics", "advance", "commit",
    "observers",
)
PROGRAMS = pathlib.Path(os.environ.get("ISOBAR_BENCH_DIR", engine.ISOBAR.parent))

# Simulated seconds: long scenes are cut to what a turn of a second or two can hold.
PATCH_TURNS = 3

# What is asked of contact patches: of every pair with this many polygons or more, ...
MANY_FACES = 100
LEAST_RATIO = 10.0  # Drake's time over Isobar's
MOST_US_PER_FACE = 0.5
# ... of whole scenes,
LEAST_SCENE_RATIOS = {"scene/coin": 10.0}
# ... of friction that sticks: its time over that of regularised friction, ...
MOST_STICKING_RATIO = 1.15
STICKING_SCENES = ("balls_in_bin", "slope", "stack")
# ... of many worlds stepped together by two threads: what these gain over one, and the worlds, ...
LEAST_BATCH_RATIO = 1.9
BATCH_SCENES = {"balls_in_bin": 20, "slope": 500, "stack": 50}  # with the steps of every world
BATCH_WORLDS = 64
# ... and of the limits.
LEAST_REAL_TIME = 5.0  # of pancake/lagged/polygon: simulated time over processor time
MOST_EXPONENT = 1.1  # of time over polygons, from 100 polygons up
MOST_LOAD_SECONDS = 0.5

UNTIL = {"coin": 0.5, "slope": 2.0, "spatula_slip_control": 12.0, "rolling_sphere": 2.0}
TURNS = 5


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
        for _ in range(TURNS):
            for friction, samples in found.items():
                samples.append(engine.run(path, until=UNTIL.get(scene), threads=1, settings={
                    "simulation.friction": friction})["performance"])
        rows.append(_scene_row(name, found["stick"]))
        rows[-1]["us_regularized"] = statistics.median(
            sample["us_per_step"] for sample in found["regularized"])
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


def _patches(peers, text, wanted):
    """bench_patch and Drake on the same pairs, in turns."""
    assets = [str(engine.ASSETS)] if engine.ASSETS.is_dir() else []
    if assets and text.startswith("patch/"):
        assets.append(text.removeprefix("patch/"))
    ours, theirs, queries = [], {}, None
    for _ in range(PATCH_TURNS):
        ours.append({line["case"]: line for line in _lines("bench_patch", *assets)})
        if queries is None:
            queries = _drake_queries(peers, ours[0], wanted)
        for name, query in queries.items():
            theirs.setdefault(name, []).extend(query.means())
    rows = []
    for name, line in ours[0].items():
        if not wanted(f"patch/{name}"):
            continue
        us = statistics.median(turn[name]["us"] for turn in ours)
        row = {"case": f"patch/{name}", "engine": "isobar", "us": us,
               "us_best": min(turn[name]["us_best"] for turn in ours), "faces": line["faces"],
               "steps": None, "allocations": max(turn[name]["allocations"] for turn in ours)}
        row |= {key: line[key] for key in ("area", "least_bytes", "least_flops", "threads",
                                         "cpu_ratio", "wall_ratio") if key in line}
        rows.append(row)
        if line["faces"]:
            rows[-1]["us_per_face"] = us / line["faces"]
        if name in theirs:
            rows.append({"case": f"patch/{name}", "engine": "drake", "steps": None,
                         "allocations": None, "us": statistics.median(theirs[name]),
                         "us_best": min(theirs[name]), **queries[name].summary()})
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
               "exponent": _exponent([p for p in points if p["faces"] >= MANY_FACES])}
        for name, points in found["scaling"].items()
        if sum(p["faces"] >= MANY_FACES for p in points) > 1
    }
    return found


# --- targets ------------------------------------------------------------------------------------------


def _target(name, value, bound, is_met):
    return {"target": name, "value": value, "bound": bound, "pass": is_met}


def _targets(cases, limits):
    """Every target with its value, its bound and whether it is met."""
    found = []
    for name, engines in cases.items():
        ours = engines.get("isobar", {})
        if name.startswith("sticking/"):
            found.append(_target(f"{name}: sticking / regularised", ours["ratio"],
                                 MOST_STICKING_RATIO, ours["ratio"] <= MOST_STICKING_RATIO))
        if name.startswith("batch/"):
            found.append(_target(f"{name}: one thread / two", ours["cpu_ratio"], LEAST_BATCH_RATIO,
                                 ours["cpu_ratio"] >= LEAST_BATCH_RATIO))
            found.append(_target(f"{name}: allocations", ours["allocations"], 0,
                                 ours["allocations"] == 0))
        if not name.startswith("patch/") or "threads" in ours:
            continue
        found.append(_target(f"{name}: allocations", ours["allocations"], 0,
                             ours["allocations"] == 0))
        if ours["faces"] < MANY_FACES:
            continue
        found.append(_target(f"{name}: us per polygon", ours["us_per_face"], MOST_US_PER_FACE,
                             ours["us_per_face"] <= MOST_US_PER_FACE))
        if "drake" in engines:
            value = ratio(engines, "drake")
            found.append(_target(f"{name}: Drake / Isobar", value, LEAST_RATIO,
                                 value >= LEAST_RATIO))
    for name, least in LEAST_SCENE_RATIOS.items():
        if "drake" in cases.get(name, {}):
            value = ratio(cases[name], "drake")
            found.append(_target(f"{name}: Drake / Isobar", value, least, value >= least))
    robot = cases.get("pancake/lagged/polygon", {}).get("isobar")
    if robot:
        found.append(_target("pancake/lagged/polygon: faster than real time", robot["real_time"],
                             LEAST_REAL_TIME, robot["real_time"] >= LEAST_REAL_TIME))
    for name, series in limits.get("scaling", {}).items():
        found.append(_target(f"scaling/{name}: exponent", series["exponent"], MOST_EXPONENT,
                             series["exponent"] <= MOST_EXPONENT))
    for line in limits.get("load", []):
        found.append(_target(f"load/{line['case']}: seconds", line["seconds"], MOST_LOAD_SECONDS,
                             line["seconds"] <= MOST_LOAD_SECONDS))
    return found


def _roofline(row, machine):
    """Least time of a patch on this machine [us]: bytes through the second-level cache, or
    arithmetic in full lanes, whichever takes longer."""
    return 1e6 * max(row["least_bytes"] / machine["near_bytes_per_s"],
                     row["least_flops"] / machine["wide_flops_per_s"])


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


# --- report -------------------------------------------------------------------------------------------

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; }
table { border-collapse: collapse; margin-bottom: 2rem; }
th, td { border-bottom: 1px solid #8884; padding: .25rem .6rem; text-align: right; white-space: nowrap;
         font-variant-numeric: tabular-nums; }
th:first-child, td:first-child { text-align: left; }
.slow { color: #cf222e; font-weight: 700; }
.pass { color: #1a7f37; }
"""


def _cell(value, digits=3):
    if value is None:
        return "<td>"
    return f"<td>{value:,.{digits}g}" if abs(value) < 1000 else f"<td>{value:,.0f}"


def _table(head, lines):
    top = "".join(f"<th>{html.escape(name)}" for name in head)
    return f"<table><tr>{top}</tr>" + "".join(f"<tr>{line}</tr>" for line in lines) + "</table>"


def _ratio_cell(ratio):
    if ratio is None:
        return "<td>"
    return f'<td class="{"slow" if ratio < 1 else ""}">{ratio:.1f}'


def _by_case(rows):
    cases = {}
    for row in rows:
        cases.setdefault(row["case"], {})[row["engine"]] = row
    return cases


def ratio(engines, peer):
    """How many times longer the peer takes; None where one of both is missing."""
    if "isobar" not in engines or peer not in engines or not engines["isobar"]["us"]:
        return None
    return engines[peer]["us"] / engines["isobar"]["us"]


def _comparison(cases, prefix, unit):
    lines = []
    for name, engines in cases.items():
        if not name.startswith(prefix):
            continue
        ours = engines["isobar"]
        drake, mujoco = engines.get("drake", {}), engines.get("mujoco", {})
        lines.append(
            f"<td>{html.escape(name.removeprefix(prefix))}" + _cell(ours["us"])
            + _cell(drake.get("us")) + _cell(mujoco.get("us"))
            + _ratio_cell(ratio(engines, "drake")) + _cell(ours["faces"], 4)
            + _cell(drake.get("faces"), 4) + _cell(ours.get("us_per_face"))
            + _cell(drake.get("us_per_face") or (
                drake["us"] / drake["faces"] if drake.get("faces") else None))
            + _cell(ours["allocations"])
        )
    head = ["case", f"Isobar [us/{unit}]", "Drake", "MuJoCo (points)", "Drake / Isobar",
            "faces Isobar", "faces Drake", "us/face Isobar", "us/face Drake", "allocations"]
    return _table(head, lines)


def _stages(cases):
    lines = []
    for name, engines in cases.items():
        stages = engines.get("isobar", {}).get("stages")
        if stages:
            rest = engines["isobar"]["us"] - sum(stages)
            lines.append(f"<td>{html.escape(name)}" + "".join(_cell(us) for us in stages)
                         + _cell(rest) + _cell(engines["isobar"]["iterations"])
                         + _cell(engines["isobar"]["line_search"]))
    head = ["scene", *(f"{i + 1} {stage}" for i, stage in enumerate(STAGES)), "rest",
            "Newton iterations", "line search"]
    return _table(head, lines)


def _batch_table(cases):
    lines = []
    for name, engines in cases.items():
        if name.startswith("batch/"):
            row = engines["isobar"]
            lines.append(f"<td>{html.escape(name.removeprefix('batch/'))}" + _cell(row["us_alone"])
                         + _cell(row["us"]) + _cell(row["cpu_ratio"]) + _cell(row["wall_ratio"])
                         + _cell(row["allocations"]))
    return _table(["scene/worlds", "us by one thread", "us by two", "one / two",
                   "by the clock", "allocations"], lines)


def _kernel_table(cases):
    lines = []
    for name, engines in cases.items():
        if name.startswith(("points/", "multibody/")):
            row = engines["isobar"]
            lines.append(f"<td>{html.escape(name)}" + _cell(row["us"])
                         + _cell(row.get("ns_per_point")))
    return _table(["kernel", "us", "ns/point"], lines)


def _target_table(targets):
    lines = []
    for row in targets:
        mark = '<td class="pass">pass' if row["pass"] else '<td class="slow">fail'
        lines.append(f"<td>{html.escape(row['target'])}" + _cell(row["value"]) + _cell(row["bound"])
                     + mark)
    return _table(["target", "value", "bound", ""], lines)


def _roofline_table(cases, machine):
    lines = []
    for name, engines in cases.items():
        row = engines.get("isobar", {})
        if row.get("faces", 0) and row["faces"] >= MANY_FACES and "least_bytes" in row:
            least = _roofline(row, machine)
            lines.append(
                f"<td>{html.escape(name.removeprefix('patch/'))}" + _cell(row["us"])
                + _cell(least) + _cell(row["us"] / least)
                + _cell(row["least_bytes"] / row["faces"]) + _cell(row["least_flops"] / row["faces"])
                + _cell(1e-3 * row["least_flops"] / row["us"])
            )
    return _table(["pair", "us", "least us", "times the least", "least bytes / polygon",
                   "least flops / polygon", "useful Gflop/s"], lines)


def _limit_sections(cases, limits):
    """HTML of everything bench_limits measures."""
    if not limits:
        return ""
    machine = limits["machine"]
    text = (
        f"<h2>This machine</h2><p>a = b + s c in the second-level cache "
        f"{1e-9 * machine['near_bytes_per_s']:.3g} GB/s, in memory "
        f"{1e-9 * machine['far_bytes_per_s']:.3g} GB/s; multiply and add in four lanes "
        f"{1e-9 * machine['wide_flops_per_s']:.3g} Gflop/s, one by one "
        f"{1e-9 * machine['scalar_flops_per_s']:.3g} Gflop/s.</p>"
        f"<h2>Distance from the limits</h2>{_roofline_table(cases, machine)}"
    )
    lines = []
    for name, series in limits["scaling"].items():
        for point in series["points"]:
            lines.append(f"<td>{html.escape(name)}" + _cell(point["tets"]) + _cell(point["faces"], 6)
                         + _cell(point["us"], 4) + _cell(1e3 * point["us"] / point["faces"])
                         + _cell(series["exponent"]))
    text += "<h2>The same scene refined</h2>" + _table(
        ["scene", "tetrahedra", "polygons", "us", "ns / polygon", "exponent"], lines)
    lines = [f"<td>{html.escape(line['case'])}" + _cell(line["tets"]) + _cell(line["seconds"])
             for line in limits["load"]]
    text += "<h2>Load and prepare</h2>" + _table(["file", "tetrahedra", "seconds"], lines)
    lines = [f"<td>{html.escape(line['case'])}" + _cell(line["derived_bytes_per_tet"])
             + _cell(line["mesh_bytes_per_tet"]) for line in limits["memory"]]
    return text + "<h2>Bytes per tetrahedron</h2>" + _table(["file", "derived", "mesh"], lines)


def _pancake_table(cases):
    lines = []
    for name, engines in cases.items():
        row = engines.get("isobar", {})
        if name.startswith("pancake/"):
            lines.append(f"<td>{html.escape(name.removeprefix('pancake/'))}" + _cell(row["us"])
                         + _cell(row["real_time"]) + _cell(row["faces"], 4)
                         + _cell(row["most_faces"], 4) + _cell(row["geometry_us"])
                         + _cell(row["points_us"]) + _cell(row["pooled_us"])
                         + _cell(row["per_face_us"]))
    return _table(["method", "us/step", "times real time", "faces", "most faces", "geometry us",
                   "potentials us", "solver us", "solver, face by face us"], lines)


def _median_ratio(cases, prefix):
    """Over the cases in which there is contact."""
    found = [ratio(engines, "drake") for name, engines in cases.items()
             if name.startswith(prefix) and engines["isobar"]["faces"]]
    found = [value for value in found if value is not None]
    return statistics.median(found) if found else None


def _write(rows, limits, directory, seconds):
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "bench.json").write_text(json.dumps(rows, indent=1) + "\n")
    cases = _by_case(rows)
    targets = _targets(cases, limits)
    (directory / "targets.json").write_text(
        json.dumps({"targets": targets, "limits": limits}, indent=1) + "\n")
    middle = {"scenes": _median_ratio(cases, "scene/"), "patches": _median_ratio(cases, "patch/")}
    summary = ", ".join(
        f"{kind}: Drake takes {value:.1f} times as long (median)"
        for kind, value in middle.items() if value
    )
    (directory / "report.html").write_text(
        "<!doctype html><meta charset=utf-8><title>Isobar benchmarks</title>"
        f"<style>{_STYLE}</style><h1>Isobar benchmarks</h1>"
        f"<p>One thread, {html.escape(_processor())}, {seconds:.0f} s. {summary}. Medians; "
        "docs/performance.md explains the columns.</p>"
        f"<h2>Targets</h2>{_target_table(targets)}"
        f"<h2>Scenes, per step</h2>{_comparison(cases, 'scene/', 'step')}"
        f"<h2>Stages of a step in Isobar [us]</h2>{_stages(cases)}"
        f"<h2>A robot turns a pancake</h2>{_pancake_table(cases)}"
        f"<h2>Arms without contact, per step</h2>{_comparison(cases, 'arm/', 'step')}"
        f"<h2>Many worlds, processor time per step and world</h2>{_batch_table(cases)}"
        f"<h2>Contact patches, per query</h2>{_comparison(cases, 'patch/', 'query')}"
        f"{_limit_sections(cases, limits)}"
        f"<h2>Kernels</h2>{_kernel_table(cases)}\n"
    )
    return summary


def _processor():
    try:
        text = pathlib.Path("/proc/cpuinfo").read_text()
        names = [line for line in text.splitlines() if line.startswith("model name")]
        return names[0].partition(":")[2].strip()
    except (OSError, IndexError):
        return platform.processor() or platform.machine()


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
            cases = _by_case(rows)[f"scene/{path.stem}"]
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
    summary = _write(rows, limits, directory, time.perf_counter() - begin)
    print(f"{summary}\n{directory / 'report.html'}: {len(rows)} rows, "
          f"{time.perf_counter() - begin:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
