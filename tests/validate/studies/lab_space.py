# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Rough blocks in space: E2, E3 and E4 of [Datta2018], surfaces, the price of an explicit step."""

import json
import os
import subprocess

import report


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
    """E2, a shorter way on smaller blocks."""
    found = _lab("e2", "--travel", 2e-4, "--sample", 1e-5, "--points", 16, "--upper-points", 8,
                 "--across", 8)
    source = "[Datta2018] section 4.2.1"
    return [
        report.at_least("003-A10", "share of steps with a normal force within 5 % of 15 N", source,
                        found["held"], 0.95),
        report.bound("003-A10", "kinetic friction without a local law, size", source,
                     abs(found["kinetic_friction"]), 0.2),
        report.reported("003-E2", "kinetic friction (4.1) (0.0016 in the thesis)", source,
                        found["kinetic_friction"]),
        report.reported("003-E2", "of it the slope of its way, which is no loss", "ours",
                        found["slope"]),
        report.reported("003-E2", "force across over the normal force (1e-5 in the thesis)", source,
                        found["transverse"]),
    ]


def _static():
    """E3: the largest force while the block hardly moves."""
    found = _lab("e3", "--points", 16, "--upper-points", 8, "--across", 8)
    source = "[Datta2018] table 4.2"
    return [
        report.reported("003-E3", "tangential over normal force up to 0.01 m/s (0.081 and 0.096 in "
                        "the thesis)", source, found["peak_friction"]),
        report.at_least("003-A10", "time at which that force is largest [s]", source,
                        found["peak_time"], 1e-5),
    ]


def _cpu_seconds(travel):
    """Processor time of so long a way, and its explicit steps."""
    command = ["isobar", "lab", "e2", "--points", "64", "--upper-points", "40", "--across", "40",
               "--sample", "1e-6", "--travel", str(travel), "--json"]
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
    return _surface() + _kinetic() + _static() + _speed()
