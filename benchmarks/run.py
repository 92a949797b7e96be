# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Measure Isobar beside Drake and MuJoCo: build/bench/bench.json and build/bench/report.html.

  run.py [FILTER]   only cases whose name contains FILTER

Every engine runs on one thread. The engines take turns within a case, so that a change of the
machine's speed meets all of them; numbers are medians of the turns, those of single patches the
smallest means of batches. docs/performance.md explains them.
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

import engine  # noqa: E402

STAGES = (
    "kinematics", "broad phase", "patches", "contact model", "dynamics", "advance", "commit",
    "observers",
)
PROGRAMS = pathlib.Path(os.environ.get("ISOBAR_BENCH_DIR", engine.ISOBAR.parent))

# Simulated seconds: long scenes are cut to what a turn of a second or two can hold.
UNTIL = {"slope": 2.0, "spatula_slip_control": 12.0, "rolling_sphere": 2.0}
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


def _patches(peers, wanted):
    """bench_patch, Drake on the same pairs, bench_patch again."""
    assets = [str(engine.ASSETS)] if engine.ASSETS.is_dir() else []
    first = {line["case"]: line for line in _lines("bench_patch", *assets)}
    theirs = {}
    if peers["drake_patch"]:
        for case in peers["drake_patch"].cases(engine.ASSETS):
            if case.name in first and wanted(f"patch/{case.name}"):
                query = peers["drake_patch"].Query(case)
                theirs[case.name] = {**query.summary(), "us": query.time()}
    second = {line["case"]: line for line in _lines("bench_patch", *assets)}
    rows = []
    for name, line in first.items():
        if not wanted(f"patch/{name}"):
            continue
        us = min(line["us"], second[name]["us"])
        rows.append({"case": f"patch/{name}", "engine": "isobar", "us": us, "faces": line["faces"],
                     "steps": None, "allocations": line["allocations"], "area": line["area"]})
        if line["faces"]:
            rows[-1]["us_per_face"] = us / line["faces"]
        if name in theirs:
            rows.append({"case": f"patch/{name}", "engine": "drake", "steps": None,
                         "allocations": None, **theirs[name]})
    return rows


def _kernels(wanted):
    """Rows of bench_points [ns per point, as us] and bench_multibody."""
    rows = []
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


def _kernel_table(cases):
    lines = []
    for name, engines in cases.items():
        if name.startswith(("points/", "multibody/")):
            row = engines["isobar"]
            lines.append(f"<td>{html.escape(name)}" + _cell(row["us"])
                         + _cell(row.get("ns_per_point")))
    return _table(["kernel", "us", "ns/point"], lines)


def _median_ratio(cases, prefix):
    """Over the cases in which there is contact."""
    found = [ratio(engines, "drake") for name, engines in cases.items()
             if name.startswith(prefix) and engines["isobar"]["faces"]]
    found = [value for value in found if value is not None]
    return statistics.median(found) if found else None


def _write(rows, directory, seconds):
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "bench.json").write_text(json.dumps(rows, indent=1) + "\n")
    cases = _by_case(rows)
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
        f"<h2>Scenes, per step</h2>{_comparison(cases, 'scene/', 'step')}"
        f"<h2>Stages of a step in Isobar [us]</h2>{_stages(cases)}"
        f"<h2>Contact patches, per query</h2>{_comparison(cases, 'patch/', 'query')}"
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
    rows += _patches(peers, wanted)
    rows += _kernels(wanted)
    directory = engine.BUILD / "bench"
    summary = _write(rows, directory, time.perf_counter() - begin)
    print(f"{summary}\n{directory / 'report.html'}: {len(rows)} rows, "
          f"{time.perf_counter() - begin:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
