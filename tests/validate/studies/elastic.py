# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Friction that emerges from rough elastic blocks ([Datta2018] E1): signs, scaling, cost."""

import json
import math
import subprocess

import programs
import report

SURFACES = 4  # the same pairs of profiles for every set of parameters; the thesis has 12
SERIES = "young,poisson-0.5,beta-0.5,density-0.25"
# Exponents of the thesis' own means, and the effect of Poisson's ratio itself.
THESIS = {"young": 0.122, "poisson": 0.138, "beta": 0.0475, "density": -0.18}


def _lab(*arguments):
    found = subprocess.run(["isobar", "lab", *map(str, arguments), "--json"], capture_output=True,
                           text=True, check=True)
    return json.loads(found.stdout)


def _doubled(factor):
    """E, density and, with them, stiffness, weight and the rate of the force times a factor."""
    return _lab("slide", "--kind", "pink", "--pitch", 0.5, "--points", 256, "--upper-points", 104,
                "--rms", 3, "--shortest", 16, "--longest", 50, "--poisson", 0.25, "--beta", 0.1,
                "--gravity", 10, "--height", 20, "--speed", 20, "--step", 0.05, "--settle", 40,
                "--young", 1e5 * factor, "--block-density", 0.5 * factor, "--force-rate",
                2080 * factor)["static_friction"]


def _step_of_a_peak(step):
    """Surface 1 at E 1e6, the set whose rank swaps. Its peak falls on a hop beyond 4 units of way; up
    to there steps of 0.05 and 0.025 agree to 3e-4."""
    return _lab("slide", "--kind", "pink", "--pitch", 0.5, "--points", 512, "--upper-points", 208, "--rms",
                5, "--shortest", 16, "--longest", 100, "--young", 1e6, "--poisson", 0.25,
                "--block-density", 0.5, "--beta", 0.2, "--gravity", 10, "--height", 40, "--force-rate",
                8320, "--speed", 20, "--step", step, "--settle", round(3 / step))["static_friction"]


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
        report.absolute("003-A1", "peak pressure of Hertz by load and area, and by (2.13), relative",
                        0.0, source, worst["hertz"], 1e-12),
        report.absolute("003-A3", "force differentials against differences, of the largest", 0.0,
                        source, worst["difference"], 1e-6),
        report.absolute("003-A3", "largest power of stiffness damping near rest", 0.0, source,
                        max(worst["power"], 0.0), 0.0),
        report.absolute("003-A6", "penalty forces against (3.50) to (3.52), relative", 0.0, source,
                        worst["penalty"], 1e-12),
        report.absolute("003-A2", "forces against differences of the energy, of the largest", 0.0,
                        source, worst["slope"], 1e-6),
        report.absolute("003-A2", "small-strain modulus, relative: E, in the plane E / (1 - nu^2)",
                        0.0, source, worst["modulus"], 1e-5),
        report.absolute("003-A4", "overshoot of the critically damped highest mode", 0.0, source,
                        worst["overshoot"], 0.0),
        report.absolute("003-A4", "modes that do not stay bounded at 0.99 of the longest step, or do at "
                        "1.01", 0, source, worst["wrong"], 0),
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
    """E1 on a part of its grid: signs, effects with intervals over pairs of surfaces."""
    found = _lab("e1", "--series", SERIES, "--surfaces", SURFACES)
    source, out = "[Datta2018] table 4.1", []
    for series in found["series"]:
        name, sign = series["parameter"], -1.0 if series["parameter"] == "density" else 1.0
        if name in ("young", "density"):
            out.append(report.at_least("003-A9", f"sign of the effect of {name}, and of the ranks",
                                       source, min(math.copysign(1.0, sign * series["slope"]),
                                                   math.copysign(1.0, sign * series["rank"])), 1.0))
            out.append(report.reported("003-A9", f"rank of mu over the levels of {name}; "
                                       f"the thesis' twelve surfaces: {sign:g}; swaps of one surface are "
                                       "within what its peak changes by with the step", source,
                                       series["rank"]))
        thesis = THESIS[name]
        out.append(report.reported("003-E1", f"slope of ln mu with {name} ({thesis} in the thesis)",
                                   source, series["slope"]))
        out.append(report.reported("003-E1", f"half of its 95 % interval, {SURFACES} surfaces",
                                   "ours", series["slope_half"]))
        out.append(report.reported("003-E1", f"mu at the last less at the first level of {name}",
                                   source, series["effect"]))
    out.extend(report.reported("003-A9", "static friction of one surface, E 1e6, density 0.5, step "
                               f"{step} s (E 5e5: 0.81)", "ours", _step_of_a_peak(step))
               for step in (0.05, 0.025))
    base = next(one for one in found["sets"] if one["young"] == 1e5 and one["density"] == 0.5
                and one["beta"] == 0.1 and one["poisson"] == 0.25)
    out.append(report.at_least("003-A9", "static friction from geometry alone", source,
                               base["mean"], 0.0))
    out.append(report.reported("003-E1", "static friction, E 1e5, density 0.5 (0.75 in the thesis)",
                               source, base["mean"]))
    out.append(report.absolute("003-A9", "E, density, stiffness and force times 2: change of static "
                               "friction", 0.0, "exact", abs(_doubled(1) - _doubled(2)), 0.0))
    out.append(report.absolute("003-E1", "longest run to onset [s of one core], the thesis needs 8 to 24 hours",
                               0.0, "2 minutes wanted", found["longest_run_cpu_s"], 120.0))
    return out
