# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""What is asked of the measured cases: every target with its value, its bound and whether it is met.

docs/performance.md lists them.
"""

import statistics

LEAST_RATIO = 10.0  # Drake's time over Isobar's, of scenes and of pairs

# Pairs of bodies with this many polygons or more, and whole steps of scenes.
MANY_FACES = 100
MOST_US_PER_FACE = 0.5
MANY_SCENE_FACES = 500
MOST_SCENE_US_PER_FACE = 0.8

MOST_VOLUME_US_PER_FACE = 1.0

MOST_STICKING_RATIO = 1.15  # friction that sticks over regularised friction
LEAST_SIMBODY_RATIO = 10.0  # Simbody's time over Isobar's; its Hertz points miss it
MOST_HERTZ_RATIO = 1.0  # Isobar's time over MuJoCo's, as many contacts
MOST_ARM_RATIO = 1.5  # Isobar's time over MuJoCo's
LEAST_THREADS_RATIO = 1.8  # one large pair, one thread over two
LEAST_BATCH_RATIO = 1.9  # many worlds, one thread over two
LEAST_REAL_TIME = 5.0  # of pancake/lagged/polygon: simulated time over processor time

# Drake 1.51.1 on a quiet machine of the kind that the bounds in microseconds were set on [us].
QUIET_DRAKE_US = {
    "scene/ball_plate": 1383, "scene/pepper_bowl": 7160, "scene/stack": 1047,
    "scene/balls_in_bin": 14700, "scene/balls_in_bin_fine": 33800, "scene/coin": 1869,
    "scene/slope": 159,
    "patch/bubble-cylinder/h0.01/z0": 770, "patch/bubble-cylinder/h0.005/z0": 1560,
    "patch/bubble-cylinder/h0.0025/z0": 2930,
    "patch/compliant-compliant/poly/res1/ov1": 1500,
    "patch/compliant-compliant/poly/res2/ov1": 11700,
    "patch/compliant-compliant/poly/res3/ov1": 77000,
}

LEAST_WORLD_REAL_TIME = {"world/over_the_edge": 2.25, "world/battery_box": 1.0}

MOST_PAPER_STEP_US = 50000  # of lab/step/paper; the thesis needs 10 to 15 s on four cores
MOST_CONTACT_SECONDS = 10.0  # of lab/contact/1024, one core
MOST_ONSET_SECONDS = 120.0  # of lab/e1: a run in the plane until the block slides
MOST_TABLE_HOURS = 24.0  # of lab/e1: the thesis needs as much for one of its 336 runs
MOST_EXPONENT = 1.1  # of time over polygons, from 100 polygons up
MOST_LOAD_SECONDS = 0.5
MOST_BYTES_PER_TET = 300.0


def by_case(rows):
    """{case: {engine: row}}"""
    cases = {}
    for row in rows:
        cases.setdefault(row["case"], {})[row["engine"]] = row
    return cases


def ratio(engines, peer):
    """How many times longer the peer takes, median over turns; None where it is missing."""
    return engines.get(peer, {}).get("ratio")


def slowdown(cases):
    """How many times longer Drake takes than on the quiet machine: the median over the cases whose
    time there is known, or None."""
    found = [engines["drake"]["us"] / QUIET_DRAKE_US[name] for name, engines in cases.items()
             if name in QUIET_DRAKE_US and "drake" in engines]
    return statistics.median(found) if found else None


def _at_least(name, value, bound):
    return {"target": name, "value": value, "bound": bound, "pass": value >= bound}


def _at_most(name, value, bound):
    return {"target": name, "value": value, "bound": bound, "pass": value <= bound}


def _of_scene(name, engines):
    ours = engines["isobar"]
    found = [_at_most(f"{name}: allocations in the second half", ours["allocations"], 0)]
    if "drake" in engines:
        found.append(_at_least(f"{name}: Drake / Isobar", ratio(engines, "drake"), LEAST_RATIO))
    if ours["faces"] >= MANY_SCENE_FACES:
        found.append(_at_most(f"{name}: us per polygon", ours["us_per_face"], MOST_SCENE_US_PER_FACE))
    return found


def _of_patch(name, engines):
    ours = engines["isobar"]
    if "threads" in ours:
        return [_at_least(f"{name}: one thread / two", ours["cpu_ratio"], LEAST_THREADS_RATIO)]
    found = [_at_most(f"{name}: allocations", ours["allocations"], 0)]
    if ours["faces"] >= MANY_FACES:
        found.append(_at_most(f"{name}: us per polygon", ours["us_per_face"], MOST_US_PER_FACE))
        if "drake" in engines:
            target = _at_least(f"{name}: Drake / Isobar", ratio(engines, "drake"), LEAST_RATIO)
            # Quickest turns are those in which no neighbour kept the core's units busy.
            target["quiet"] = engines["drake"]["us_best"] / ours["us_best"]
            found.append(target)
    return found


def _of_sticking(name, engines):
    return [_at_most(f"{name}: sticking / regularised", engines["isobar"]["ratio"],
                     MOST_STICKING_RATIO)]


def _of_batch(name, engines):
    ours = engines["isobar"]
    return [_at_least(f"{name}: one thread / two", ours["cpu_ratio"], LEAST_BATCH_RATIO),
            _at_most(f"{name}: allocations", ours["allocations"], 0)]


def _of_arm(name, engines):
    found = [_at_most(f"{name}: allocations", engines["isobar"]["allocations"], 0)]
    if "mujoco" in engines:
        found.append(_at_most(f"{name}: Isobar / MuJoCo", 1 / ratio(engines, "mujoco"),
                              MOST_ARM_RATIO))
    return found


def _of_pancake(name, engines):
    if name != "pancake/lagged/polygon":
        return []
    return [_at_least(f"{name}: faster than real time", engines["isobar"]["real_time"],
                      LEAST_REAL_TIME)]


def _of_volume(name, engines):
    ours = engines["isobar"]
    found = [_at_most(f"{name}: allocations", ours["allocations"], 0)]
    if ours["faces"] >= MANY_FACES:
        found.append(_at_most(f"{name}: us per clipped face", ours["us_per_face"],
                              MOST_VOLUME_US_PER_FACE))
    return found


def _of_round(name, engines):
    found = [_at_most(f"{name}: allocations in the second half", engines["isobar"]["allocations"], 0)]
    if "simbody" in engines:
        found.append(_at_least(f"{name}: Simbody / Isobar", ratio(engines, "simbody"), LEAST_SIMBODY_RATIO))
    if "mujoco" in engines:
        found.append(_at_most(f"{name}: Isobar / MuJoCo", 1 / ratio(engines, "mujoco"), MOST_HERTZ_RATIO))
    return found


def _of_world(name, engines):
    return [_at_least(f"{name}: faster than real time", engines["isobar"]["real_time"], LEAST_WORLD_REAL_TIME[name])]


def _of_lab(name, engines):
    ours, found = engines["isobar"], []
    if name == "lab/contact/1024":
        found.append(_at_most(f"{name}: processor time [s]", ours["processor_s"], MOST_CONTACT_SECONDS))
    if name == "lab/step/paper":
        found.append(_at_most(f"{name}: us of a step", ours["us"], MOST_PAPER_STEP_US))
    if name == "lab/e1/run":
        found.append(_at_most(f"{name}: hours of the whole table, two cores", ours["table_hours"],
                              MOST_TABLE_HOURS))
        found.append(_at_most(f"{name}: seconds of the longest run to onset", ours["longest_s"], MOST_ONSET_SECONDS))
    return found


_KINDS = {"lab": _of_lab, "world": _of_world, "round": _of_round, "scene": _of_scene, "sticking": _of_sticking,
          "pancake": _of_pancake, "batch": _of_batch,
          "arm": _of_arm, "patch": _of_patch, "volume": _of_volume}


def find(cases, limits):
    """All targets of the cases and of what bench_limits printed."""
    found = []
    for name, engines in cases.items():
        kind = name.partition("/")[0]
        if kind in _KINDS and "isobar" in engines:
            found += _KINDS[kind](name, engines)
    for name, series in limits.get("scaling", {}).items():
        found.append(_at_most(f"scaling/{name}: exponent", series["exponent"], MOST_EXPONENT))
    for line in limits.get("load", []):
        found.append(_at_most(f"load/{line['case']}: seconds", line["seconds"], MOST_LOAD_SECONDS))
    for line in limits.get("memory", []):
        found.append(_at_most(f"memory/{line['case']}: derived bytes per tetrahedron",
                              line["derived_bytes_per_tet"], MOST_BYTES_PER_TET))
    machine = slowdown(cases)
    if machine is not None:  # what a bound in microseconds would see on the quiet machine
        for target in found:
            if target["target"].endswith(": us per polygon"):
                target["quiet"] = target["value"] / machine
    return found
