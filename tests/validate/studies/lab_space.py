# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Rough blocks in space: E2, E3 and E4 of [Datta2018], surfaces, the price of an explicit step."""

import json
import math
import os
import pathlib
import subprocess
import tempfile

import numpy as np

import report

STARTS = 24


def _lab(*arguments):
    found = subprocess.run(["isobar", "lab", *map(str, arguments), "--json"], capture_output=True,
                           text=True, check=True)
    return json.loads(found.stdout)


def _surface():
    """A7: the surface that is wanted is the one that is made."""
    white = _lab("surface", "--kind", "white", "--points", 64, "--pitch", 0.005, "--rms", 0.0028)
    source = "[Datta2018] section 4.2"
    return [report.relative("003-A7", "standard deviation of heights [m]", 0.0028, source,
                            white["rms_height"], 1e-9)]


def _kinetic():
    """E2, a way of eight pitches on smaller blocks. They are softer, which allows longer steps: 15 N
    deform neither."""
    found = _lab("e2", "--young", 1e8, "--travel", 0.04, "--sample", 5e-4, "--points", 24, "--upper-points", 8,
                 "--across", 8)
    source = "[Datta2018] section 4.2.1"
    return [
        report.at_least("003-A10", "share of steps with a normal force within 5 % of 15 N", source,
                        found["held"], 0.95),
        # Standard error of four parts of the way: 0.014.
        report.bound("003-A10", "kinetic friction without a local law, size", source,
                     abs(found["kinetic_friction"]), 0.05),
        report.bound("003-A10", "force across over the normal force, size", source,
                     abs(found["transverse"]), 0.1),
        report.reported("003-E2", "kinetic friction (4.1) (0.0016 in the thesis)", source,
                        found["kinetic_friction"]),
        report.reported("003-E2", "its standard error, of four parts of the way", "ours",
                        found["kinetic_error"]),
        report.reported("003-E2", "of it the slope of its way, which is no loss", "ours",
                        found["slope"]),
        report.reported("003-E2", "force across over the normal force (1e-5 in the thesis)", source,
                        found["transverse"]),
        report.reported("003-E2", "its standard error, of four parts of the way", "ours",
                        found["transverse_error"]),
    ]


def _starts():
    """What E2's first moment says. The thesis' way of a millimetre is a fifth of a pitch: there both
    forces are how steep the start lies, across as along, and only over starts do they average out."""
    found = [_lab("e2", "--young", 1e8, "--travel", 4e-6, "--points", 16, "--upper-points", 8, "--across", 8,
                  "--seed", seed) for seed in range(1, STARTS + 1)]
    along, across = (np.array([one[key] for one in found]) for key in ("kinetic_friction", "transverse"))
    source, shares = "[Datta2018] section 4.2.1", across.mean() / across.std(ddof=1) * math.sqrt(STARTS)
    return [
        report.bound("003-A10", f"mean force across of {STARTS} starts over its standard error", source,
                     abs(float(shares)), 3.0),
        # Both have as many freedoms: less than one chance in a thousand lies beyond.
        report.absolute("003-A10", "how much steeper starts lie across than along, factors of 2", 0.0,
                        "all directions are alike", float(np.log2(across.std(ddof=1) / along.std(ddof=1))), 1.0),
        report.reported("003-E2", f"force along over the normal one, mean of {STARTS} starts", "ours",
                        float(along.mean())),
        report.reported("003-E2", "its standard error", "ours", float(along.std(ddof=1) / math.sqrt(STARTS)))]


def _pull(*options):
    """E3 on smaller blocks: what it says, and the rows while the force grows."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "rows.csv"
        found = _lab("e3", "--points", 16, "--upper-points", 8, "--across", 8, "--table", path, *options)
        rows = np.genfromtxt(path, delimiter=",", names=True)
    rows = rows[rows["time"] > 0.0]
    return found, rows["time"], rows["tangential"] / rows["normal"]


def _static():
    """E3: the largest force while the block hardly moves, and what comes after. Within 0.2 ms below
    0.01 m/s it moves 2 micrometres at most, over which forces of this range change by 0.3 %: the
    value is how steep the start lies, and may be negative."""
    source, peaks, held = "[Datta2018] table 4.2", [], []
    for seed in (1, 2, 3, 4):
        found, time, ratio = _pull("--seed", seed)
        peaks.append(found["peak_friction"])
        held.append(found["held"])
        if seed == 1:
            first, fall = found, found["peak_friction"] - float(ratio[time > found["peak_time"]].min())
    slow, time, ratio = _pull("--young", 1e7, "--force-rate", 30, "--alpha", 700, "--sample", 2e-3)
    slow_fall = slow["peak_friction"] - float(ratio[time > slow["peak_time"]].min())
    out = [report.reported("003-E3", f"tangential over normal force up to 0.01 m/s, start {i + 1} (0.081 and "
                           "0.096 in the thesis)", source, peak) for i, peak in enumerate(peaks)]
    return out + [
        report.absolute("003-A10", "the same, root mean square of four starts", 0.089, source,
                        float(np.sqrt(np.mean(np.square(peaks)))), 0.05),
        report.absolute("003-A10", "time of that peak, start 1 [s]", 2e-4, source, first["peak_time"], 1e-4),
        report.at_least("003-A10", "fall after it while the block speeds up, start 1", source, fall, 1e-3),
        report.at_least("003-A10", "fall after the peak of a force that grows for 0.25 s", source, slow_fall,
                        0.01),
        report.reported("003-E3", "the peak of that force over the normal one", "ours", slow["peak_friction"]),
        report.at_least("003-A10", "share of steps of E3 with a normal force within 5 % of 15 N", source,
                        min(held), 0.95),
    ]


def _cpu_seconds(travel):
    """Processor time of so long a way, and its explicit steps."""
    command = ["isobar", "lab", "e2", "--points", "64", "--upper-points", "40", "--across", "40",
               "--reach", "0.02", "--sample", "1e-6", "--travel", str(travel), "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        said = json.loads(process.stdout.read())
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime, said


def _speed():
    """An explicit step of 60,000 tetrahedra: the difference of a long and a short way."""
    short, _ = _cpu_seconds(1e-6)
    long, said = _cpu_seconds(9e-6)
    steps = 8e-6 / 0.2 / said["step"]
    source = "the thesis needs 10 to 15 s on four cores"
    return [
        report.at_least("003-speed", "tetrahedra", source, said["elements"], 60000),
        report.at_least("003-speed", "pairs in reach", source, said["contacts"], 40000),
        report.bound("003-speed", "an explicit step [s], one core", source, (long - short) / steps,
                     0.05),
    ]


def rows():
    return _surface() + _kinetic() + _starts() + _static() + _speed()
