# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Friction that emerges from rough elastic blocks ([Datta2018] E1): signs, scaling, cost."""

import concurrent.futures
import json
import math
import os
import statistics
import subprocess
import time

import programs
import report

SURFACES = (1, 2, 3, 4)  # the same pairs of profiles for every set of parameters
# The thesis' numbers where it says them; units are not said, gravity and the rest are choices.
BASE = {"kind": "pink", "pitch": 0.5, "points": 512, "upper-points": 208, "rms": 5, "shortest": 16,
        "longest": 100, "poisson": 0.25, "beta": 0.1, "gravity": 10, "height": 40, "speed": 20,
        "step": 0.05, "settle": 60}
SETS = ((1e5, 0.5), (2.5e5, 0.5), (5e5, 0.5), (1e5, 0.125), (1e5, 0.25), (2e5, 1.0))  # E, density


def _slide(young, density, seed):
    weight = 208 * 0.5 * 40 * density * 10
    options = {**BASE, "young": young, "block-density": density, "seed": seed,
               "force-rate": 0.4 * weight}
    command = ["isobar", "lab", "slide", "--json"]
    for name, value in options.items():
        command += ["--" + name, str(value)]
    begin = time.perf_counter()
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    said = json.loads(found.stdout)
    said["wall"] = time.perf_counter() - begin
    return said


def _run_all():
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = {key: [pool.submit(_slide, *key, seed) for seed in SURFACES] for key in SETS}
        return {key: [job.result() for job in found] for key, found in jobs.items()}


def _mean(found):
    return statistics.fmean(one["static_friction"] for one in found)


def _exponent(low, high, ratio):
    """Mean over the surfaces of d ln mu / d ln x, and its standard error: paired."""
    slopes = [math.log(b["static_friction"] / a["static_friction"]) / math.log(ratio)
              for a, b in zip(low, high, strict=True)]
    return statistics.fmean(slopes), statistics.stdev(slopes) / math.sqrt(len(slopes))


def _rises(values):
    return float(sum(b > a for a, b in zip(values, values[1:], strict=False)))


def _kinetic(*options):
    command = ["isobar", "lab", "slide", "--points", "128", "--upper-points", "48", "--kind",
               "pink", "--shortest", "8e-6", "--rms", "3e-7", "--travel", "4e-6", "--speed", "0.1",
               "--beta", "6e-9", "--json", *options]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(found.stdout)["kinetic_friction"]


def _closed_forms():
    [worst] = programs.run("elastic")
    source = "drawn cases"
    return [
        report.absolute("003-A2", "forces against differences of the energy, of the largest", 0.0,
                        source, worst["slope"], 1e-6),
        report.absolute("003-A2", "small-strain modulus, relative: E, in the plane E / (1 - nu^2)",
                        0.0, source, worst["modulus"], 1e-5),
        report.absolute("003-A4", "overshoot of the critically damped highest mode", 0.0, source,
                        worst["overshoot"], 0.0),
        report.absolute("003-A5", "how far an encounter ends short of H, over H", 0.0, source,
                        max(worst["short_of"], 0.0), 1e-12),
        report.absolute("003-A5", "energy of an encounter not accounted for, relative", 0.0, source,
                        worst["energy"], 1e-14),
    ]


def _steps():
    barrier, finer = _kinetic(), _kinetic("--step", "6.25e-7")
    impulses = _kinetic("--method", "explicit")
    return [
        report.relative("003-step", "kinetic friction at a quarter of the implicit step", finer,
                        "the finer step", barrier, 0.03),
        report.relative("003-step", "kinetic friction, the thesis' impulses and explicit steps",
                        barrier, "barrier and implicit steps", impulses, 0.05),
    ]


def rows():
    return _closed_forms() + _steps() + _experiment()


def _experiment():
    found = _run_all()
    source = "[Datta2018] table 4.1"
    stiff = [_mean(found[key]) for key in ((1e5, 0.5), (2.5e5, 0.5), (5e5, 0.5))]
    light = [_mean(found[key]) for key in ((1e5, 0.5), (1e5, 0.25), (1e5, 0.125))]
    by_young, error_young = _exponent(found[1e5, 0.5], found[5e5, 0.5], 5.0)
    by_density, error_density = _exponent(found[1e5, 0.125], found[1e5, 0.5], 4.0)
    same = max(abs(a["static_friction"] - b["static_friction"])
               for a, b in zip(found[1e5, 0.5], found[2e5, 1.0], strict=True))
    wall = max(one["wall"] for runs in found.values() for one in runs)
    return [
        report.absolute("003-A9", "steps of E over which mean static friction rises", 2.0, source,
                        _rises(stiff), 0.0),
        report.absolute("003-A9", "steps of 1/density over which mean static friction rises", 2.0,
                        source, _rises(light), 0.0),
        report.absolute("003-A9", "E, density, stiffness and force times 2: change of static "
                        "friction", 0.0, "exact", same, 0.0),
        report.reported("003-E1", "mean static friction, E 1e5, density 0.5 (0.75 in the thesis)",
                        source, stiff[0]),
        report.reported("003-E1", "exponent of E (0.12 in the thesis)", source, by_young),
        report.reported("003-E1", "its standard error, four pairs of surfaces", "ours",
                        error_young),
        report.reported("003-E1", "exponent of density (-0.18 in the thesis)", source, by_density),
        report.reported("003-E1", "its standard error, four pairs of surfaces", "ours",
                        error_density),
        report.absolute("003-E1", "longest run to onset [s], the thesis needs 8 to 24 hours", 0.0,
                        "2 minutes wanted", wall, 120.0),
    ]
