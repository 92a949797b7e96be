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


def rows():
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
