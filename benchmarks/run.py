# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Measure Isobar beside Drake, MuJoCo and Simbody: build/bench/bench.json, targets.json and report.html.

  run.py [FILTER]   only cases whose name contains FILTER

Every engine runs on one thread. The engines take turns within a case, so that a change of the
machine's speed meets all of them. Times are medians of the turns, ratios medians of the ratios of
neighbouring turns. docs/performance.md explains them and the targets.
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
import derivative  # noqa: E402
import engine  # noqa: E402
import page  # noqa: E402
import round_bodies  # noqa: E402
import targets  # noqa: E402

PROGRAMS = pathlib.Path(os.environ.get("ISOBAR_BENCH_DIR", engine.ISOBAR.parent))

# Turns of a scene and of a pair; simulated seconds of the scenes that are cut to what a turn of a
# second or two can hold. All are odd, so that a ratio and its reciprocal have the same median turn.
TURNS = 5
PATCH_TURNS = 61
UNTIL = {"coin": 0.5, "slope": 2.0, "spatula_slip_control": 12.0, "rolling_sphere": 2.0}

# Scenes and their turns. Nine turns of the short ones are 0.4 and 1 s: the machine may be slow for as
# long, in one engine more than in the other.
STICKING_SCENES = {"balls_in_bin": 45, "slope": 81, "stack": 81}
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


def _turns(count, *engines, begin=lambda turn: None):
    """What each engine measures in so many turns; every other turn begins with the last engine."""
    found = [[] for _ in engines]
    both = list(zip(engines, found))
    for turn in range(count):
        begin(turn)
        for measure, samples in both if turn % 2 == 0 else reversed(both):
            samples.append(measure())
    return found


def _paired_ratio(above, below):
    """Median of the ratios of neighbouring turns."""
    return statistics.median(a / b for a, b in zip(above, below))


# --- scenes ---------------------------------------------------------------------------------------


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
    def points():
        try:
            return peers["mujoco_scenario"].timing(path, until, repeats=1)
        except peers["mujoco_scenario"].Unsupported:
            return None

    measures = {"isobar": lambda: engine.run(path, until=until, threads=1)["performance"]}
    if drake:
        measures["drake"] = drake.turn
    if peers["mujoco_scenario"]:
        measures["mujoco"] = points
    found = dict(zip(measures, _turns(TURNS, *measures.values())))
    rows = [_scene_row(name, found["isobar"])]
    ours = [sample["us_per_step"] for sample in found["isobar"]]
    if drake:
        rows[0]["steps"] = drake.steps
        theirs = found["drake"]
        faces = drake.faces()
        rows.append({"case": name, "engine": "drake", "us": statistics.median(theirs),
                     "ratio": _paired_ratio(theirs, ours), "faces": faces, "steps": drake.steps,
                     "allocations": None})
        if faces:
            rows[-1]["us_per_face"] = rows[-1]["us"] / faces
    if "mujoco" in found and found["mujoco"][0]:
        theirs = [timing["us"] for timing in found["mujoco"]]
        rows.append({"case": name, "engine": "mujoco", "us": statistics.median(theirs),
                     "ratio": _paired_ratio(theirs, ours), "faces": None,
                     "steps": found["mujoco"][-1]["steps"], "allocations": None,
                     "contacts": found["mujoco"][-1]["contacts"]})
    return rows


def _sticking(wanted):
    """The same scenes with friction that sticks and with regularised friction, in turns."""
    rows = []
    for scene, turns in STICKING_SCENES.items():
        name = f"sticking/{scene}"
        if not wanted(name):
            continue
        path = engine.PEERS / f"{scene}.yaml"

        def run(friction, path=path, until=UNTIL.get(scene)):
            return engine.run(path, until=until, threads=1, settings={
                "simulation.friction": friction})["performance"]

        stick, regularized = _turns(turns, lambda run=run: run("stick"),
                                    lambda run=run: run("regularized"))
        medians = [[sample["us_step_median"] for sample in samples]
                   for samples in (stick, regularized)]
        rows.append(_scene_row(name, stick))
        rows[-1]["us"] = statistics.median(medians[0])
        rows[-1]["us_regularized"] = statistics.median(medians[1])
        rows[-1]["iterations_regularized"] = regularized[0]["iterations_per_step"]
        rows[-1]["ratio"] = _paired_ratio(*medians)
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


class _Pair:
    """bench_patch with one pair, which takes a turn whenever it is asked to."""

    def __init__(self, assets, name):
        self._program = subprocess.Popen([str(PROGRAMS / "bench_patch"), assets, name, "turns"],
                                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.facts = json.loads(self._program.stdout.readline())

    def turn(self):
        self._program.stdin.write("\n")
        self._program.stdin.flush()
        return json.loads(self._program.stdout.readline())

    def go_to(self, cores):
        """Run the thread that queries, and this one, on these cores."""
        for thread in (0, self._program.pid):
            os.sched_setaffinity(thread, cores)

    def end(self):
        self._program.stdin.close()
        self._program.wait()
        self._program.stdout.close()


def _patch_row(facts, samples=()):
    """A row of bench_patch, of the turns it took if any."""
    row = {"case": f"patch/{facts['case']}", "steps": None}
    row |= {key: value for key, value in facts.items() if key not in ("case", "us_per_face")}
    if samples:
        row["us"] = statistics.median(sample["us"] for sample in samples)
        row["us_best"] = min(sample["us"] for sample in samples)
        row["allocations"] = max(sample["allocations"] for sample in samples)
    if row["faces"]:
        row["us_per_face"] = row["us"] / row["faces"]
    return row


def _patch_rows(assets, name, query):
    """One pair in bench_patch and in Drake, in turns of some milliseconds on the same core: what
    slows the machine, or one of its cores, for longer meets both."""
    pair = _Pair(assets, name)
    cores = sorted(os.sched_getaffinity(0))
    ours, *peer = _turns(PATCH_TURNS, pair.turn, *([query.turn] if query else []),
                         begin=lambda turn: pair.go_to({cores[turn % len(cores)]}))
    pair.go_to(cores)
    pair.end()
    rows = [_patch_row(pair.facts, ours)]
    for theirs in peer:
        rows.append({"case": rows[0]["case"], "engine": "drake", "steps": None, "allocations": None,
                     "us": statistics.median(theirs), "us_best": min(theirs),
                     "ratio": _paired_ratio(theirs, [turn["us"] for turn in ours]),
                     **query.summary()})
    return rows


def _patches(peers, text, wanted):
    """All pairs of bench_patch, one after the other. It takes the turns of a pair that is shared by
    two threads itself."""
    assets = str(engine.ASSETS)
    chosen = [text.removeprefix("patch/")] if text.startswith("patch/") else []
    listed = [line for line in
              _lines("bench_patch", *([assets, *chosen] if engine.ASSETS.is_dir() else []))
              if wanted(f"patch/{line['case']}")]
    queries = _drake_queries(peers, [line["case"] for line in listed], wanted)
    rows = []
    for line in listed:
        rows += ([_patch_row(line)] if "threads" in line
                 else _patch_rows(assets, line["case"], queries.get(line["case"])))
    return rows


def _exponent(faces, us):
    """Slope of log(time) over log(polygons), least squares."""
    return statistics.linear_regression([math.log(count) for count in faces],
                                        [math.log(time) for time in us]).slope


def _series(points):
    """Sizes of a scene with their median times. Every round of turns has an exponent; their median."""
    many = [point for point in points if point["faces"] >= targets.MANY_FACES]
    faces = [point["faces"] for point in many]
    exponents = [_exponent(faces, us) for us in zip(*(point["us_turns"] for point in many))]
    for point in points:
        point["us"] = statistics.median(point.pop("us_turns"))
    return {"points": points, "exponent": statistics.median(exponents)}


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
    found["scaling"] = {name: _series(points) for name, points in found["scaling"].items()}
    return found


def _arms(peers, text, wanted):
    """Robots that touch nothing, in Isobar and MuJoCo in turns: a step of 1 ms."""
    if not _reaches(text, "arm/") or not engine.ASSETS.is_dir():
        return []
    directory = engine.BUILD / "bench"
    directory.mkdir(parents=True, exist_ok=True)
    found = {name: path for name, path in arm.skeletons(engine.ASSETS, directory).items()
             if wanted(f"arm/{name}")}
    rows = []
    for name, path in found.items():
        measures = [lambda path=path: _lines("bench_arm", str(path))[0]]
        if peers["mujoco_scenario"]:
            measures.append(lambda path=path: arm.mujoco_us(path))
        lines, *peer = _turns(TURNS, *measures)
        rows.append({"case": f"arm/{name}", "engine": "isobar", "faces": None,
                     "us": statistics.median(line["us"] for line in lines),
                     "us_best": min(line["us_best"] for line in lines),
                     "steps": lines[0]["steps"],
                     "allocations": max(line["allocations"] for line in lines)})
        for theirs in peer:
            rows.append({"case": f"arm/{name}", "engine": "mujoco", "faces": None,
                         "us": statistics.median(turn[0] for turn in theirs),
                         "us_best": min(turn[1] for turn in theirs),
                         "ratio": _paired_ratio([turn[0] for turn in theirs],
                                                [line["us"] for line in lines]),
                         "steps": None, "allocations": None})
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

def _volumes(text, wanted):
    """Rows of bench_volume."""
    if not _reaches(text, "volume/"):
        return []
    rows = [{"case": f"volume/{line['case']}/{line['triangles']}", "engine": "isobar",
             "us": line["us"], "faces": line["faces"], "steps": None,
             "us_per_face": line["us_per_face"], "allocations": line["allocations"]}
            for line in _lines("bench_volume")]
    return [row for row in rows if wanted(row["case"])]


# Commands of the laboratory. Those of many steps are timed by the step, with what they begin with.
LAB_CASES = {
    "contact/256": ("contact", "--points", "256", "--load", "1e6"),
    "contact/1024": ("contact", "--points", "1024", "--load", "1e6"),
    "slide/plane": ("slide",),
    "slide/space": ("e2", "--travel", "2e-5"),
    "slide/barrier": ("slide", "--dimension", "3", "--points", "24", "--upper-points", "12", "--across", "12",
                      "--height", "8e-6", "--travel", "1e-6", "--settle", "4"),
}
LAB_TURNS = 3
# [Datta2018] 4.2.1: 60,000 tetrahedra and 40,000 pairs; 4.1: 28 sets of 12 pairs of surfaces.
PAPER_STEP = ("e2", "--points", "64", "--upper-points", "40", "--across", "40", "--reach", "0.02",
              "--sample", "1e-6")
TABLE_RUNS = 28 * 12


def _processor_seconds(*arguments):
    """Processor time of a command of the laboratory and its workers, and what it says."""
    command = [str(engine.ISOBAR), "lab", *arguments, "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        said = json.loads(process.stdout.read())
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime, said


def _thesis(wanted):
    """An explicit step of the thesis' size, from a short and a long way; its table of E1 from one
    pair of surfaces of the five moduli, whose longest runs are those of other sets, too."""
    rows = []
    if wanted("lab/step/paper"):
        (short, _), (long, said) = (_processor_seconds(*PAPER_STEP, "--travel", way) for way in ("1e-6", "9e-6"))
        steps = 8e-6 / 0.2 / said["step"]
        rows.append({"case": "lab/step/paper", "engine": "isobar", "us": 1e6 * (long - short) / steps,
                     "faces": None, "steps": round(steps), "allocations": None,
                     "elements": said["elements"], "pairs": said["contacts"]})
    if wanted("lab/e1/run"):
        spent, said = _processor_seconds("e1", "--series", "young", "--surfaces", "1", "--workers", "1")
        each = spent / len(said["sets"])
        rows.append({"case": "lab/e1/run", "engine": "isobar", "us": 1e6 * each, "faces": None,
                     "steps": None, "allocations": None, "table_hours": each * TABLE_RUNS / 2 / 3600,
                     "longest_s": said["longest_run_cpu_s"]})
    for row in rows:
        hours = f", the whole table {row['table_hours']:.3g} h of two cores" if "table_hours" in row else ""
        print(f"{row['case']}: {row['us']:.4g} us{hours}", flush=True)
    return rows


def _laboratory(wanted):
    """Wall time of rough contact, and of steps of blocks that slide: implicit in the plane, explicit
    in space. Steps of such a run are all those that were taken, not the rows alone."""
    rows = []
    for name, arguments in LAB_CASES.items():
        if not wanted(f"lab/{name}"):
            continue
        times, processor, steps = [], [], 1
        for _ in range(LAB_TURNS):
            start = time.perf_counter()
            spent, said = _processor_seconds(*arguments, "--quiet")
            times.append(1e6 * (time.perf_counter() - start))
            processor.append(spent)
            if "steps" in said:
                # rows of an explicit slide stand for many steps each
                sample = max(said["step"], 2e-5 if arguments[0] == "e2" else 0.0)
                steps = round(said["steps"] * sample / said["step"])
        rows.append({"case": f"lab/{name}", "engine": "isobar", "us": statistics.median(times) / steps,
                     "us_best": min(times) / steps, "faces": None, "steps": steps,
                     "allocations": None, "processor_s": min(processor)})
        print(f"lab/{name}: {rows[-1]['us']:.4g} us", flush=True)
    return rows


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
                            "arm/", "volume/", "lab/", "round/", "derivative/", "world/")):
        rows += _patches(peers, text, wanted)
    limits = _limits(text)
    rows += _kernels(text, wanted)
    rows += _volumes(text, wanted)
    rows += round_bodies.rows(peers, PROGRAMS, wanted, _turns, _paired_ratio)
    rows += derivative.rows(peers, wanted, _turns, _paired_ratio)
    rows += _pancake(wanted)
    rows += _arms(peers, text, wanted)
    rows += _laboratory(wanted)
    rows += _thesis(wanted)
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
