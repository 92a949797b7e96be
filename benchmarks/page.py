# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Writes what was measured: bench.json, targets.json and the page report.html."""

import html
import json
import pathlib
import platform
import statistics

import targets
from targets import ratio

STAGES = (
    "kinematics", "broad phase", "patches", "contact model", "dynamics", "advance", "commit",
    "observers",
)

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
        if name.startswith(("points/", "multibody/", "lab/")):
            row = engines["isobar"]
            lines.append(f"<td>{html.escape(name)}" + _cell(row["us"])
                         + _cell(row.get("ns_per_point")))
    return _table(["kernel", "us", "ns/point"], lines)


def _target_table(found):
    lines = []
    for row in found:
        mark = '<td class="pass">pass' if row["pass"] else '<td class="slow">fail'
        lines.append(f"<td>{html.escape(row['target'])}" + _cell(row["value"]) + _cell(row["bound"])
                     + mark + _cell(row.get("quiet")))
    return _table(["target", "value", "bound", "", "undisturbed"], lines)


def _roofline_table(cases, machine):
    lines = []
    for name, engines in cases.items():
        row = engines.get("isobar", {})
        if row.get("faces", 0) and row["faces"] >= targets.MANY_FACES and "least_bytes" in row:
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

def _roofline(row, machine):
    """Least time of a patch on this machine [us]: bytes through the second-level cache, or
    arithmetic in full lanes, whichever takes longer."""
    return 1e6 * max(row["least_bytes"] / machine["near_bytes_per_s"],
                     row["least_flops"] / machine["wide_flops_per_s"])

def _median_ratio(cases, prefix):
    """Over the cases in which there is contact."""
    found = [ratio(engines, "drake") for name, engines in cases.items()
             if name.startswith(prefix) and engines["isobar"]["faces"]]
    found = [value for value in found if value is not None]
    return statistics.median(found) if found else None


def write(rows, limits, directory, seconds):
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "bench.json").write_text(json.dumps(rows, indent=1) + "\n")
    cases = targets.by_case(rows)
    found = targets.find(cases, limits)
    (directory / "targets.json").write_text(
        json.dumps({"targets": found, "limits": limits, "slowdown": targets.slowdown(cases)},
                   indent=1) + "\n")
    middle = {"scenes": _median_ratio(cases, "scene/"), "patches": _median_ratio(cases, "patch/")}
    summary = ", ".join(
        f"{kind}: Drake takes {value:.1f} times as long (median)"
        for kind, value in middle.items() if value
    )
    machine = targets.slowdown(cases)
    quiet = "" if machine is None else (
        f" Drake takes {machine:.2f} times as long as on the quiet machine that the bounds in "
        "microseconds are meant for; the last column divides them by that, and has the ratios of "
        "pairs by the quickest turns.")
    (directory / "report.html").write_text(
        "<!doctype html><meta charset=utf-8><title>Isobar benchmarks</title>"
        f"<style>{_STYLE}</style><h1>Isobar benchmarks</h1>"
        f"<p>One thread, {html.escape(_processor())}, {seconds:.0f} s. {summary}. Medians; "
        f"docs/performance.md explains the columns.{quiet}</p>"
        f"<h2>Targets</h2>{_target_table(found)}"
        f"<h2>Scenes, per step</h2>{_comparison(cases, 'scene/', 'step')}"
        f"<h2>Stages of a step in Isobar [us]</h2>{_stages(cases)}"
        f"<h2>A robot turns a pancake</h2>{_pancake_table(cases)}"
        f"<h2>Arms without contact, per step</h2>{_comparison(cases, 'arm/', 'step')}"
        f"<h2>Points and volumes, per step</h2>{_comparison(cases, 'round/', 'step')}{_comparison(cases, 'world/', 'step')}"
        f"<h2>Many worlds, processor time per step and world</h2>{_batch_table(cases)}"
        f"<h2>Contact patches, per query</h2>{_comparison(cases, 'patch/', 'query')}"
        f"{_limit_sections(cases, limits)}"
        f"<h2>Kernels, the laboratory</h2>{_kernel_table(cases)}\n"
    )
    return summary


def _processor():
    try:
        text = pathlib.Path("/proc/cpuinfo").read_text()
        names = [line for line in text.splitlines() if line.startswith("model name")]
        return names[0].partition(":")[2].strip()
    except (OSError, IndexError):
        return platform.processor() or platform.machine()
