# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""The friction laboratory against closed forms: a sphere (Hertz) and a sine (Westergaard)."""

import json
import math
import subprocess

import report


def _contact(*arguments):
    found = subprocess.run(["isobar", "lab", "contact", "--json", *map(str, arguments)],
                           capture_output=True, text=True, check=True)
    return json.loads(found.stdout)["loads"][-1]


def _learn(*arguments):
    found = subprocess.run(["isobar", "lab", "learn", "--json", *arguments], capture_output=True,
                           text=True, check=False)
    if found.returncode != 0 and "libsvm" in found.stderr:
        return None
    found.check_returncode()
    return json.loads(found.stdout)


def _learned():
    """Support vectors of table 4.3 against another solver, and what they are worth."""
    source, found = "another solver, gap below 1e-6", []
    for features, known in (("raw", (26, 0.5820, 0.0902, 0.2946)),
                            ("standard", (27, 0.4074, 0.1791, 0.3053)),
                            ("log", (27, 0.4472, 0.2008, 0.3261))):
        learned = _learn("--one-way", "--features", features)
        if learned is None:
            print("  asperity: support vectors are skipped: this build has no libsvm")
            break
        for name, key, value in zip(("support vectors", "bias", "rms of the rows",
                                     "rms of rows left out"),
                                    ("support_vectors", "bias", "train_rmse", "left_out_rmse"), known):
            found.append(report.absolute("003-svr", f"{name}, {features} features", value, source,
                                         learned[key], 1e-3))
    for model in ("svr", "gp"):
        learned = _learn("--model", model)
        if learned is None:
            continue
        found.append(report.absolute("003-svr", f"rows left out within the 90 % interval, {model}",
                                     0.9, "conformal prediction", learned["coverage_90"], 0.05))
    return found


def _rigid():
    """Every formulation that can meet a scene's answer, and the worlds beside them."""
    found = subprocess.run(["isobar", "lab", "rigid", "--json"], capture_output=True, text=True,
                           check=True)
    out = []
    for row in json.loads(found.stdout)["rows"]:
        name = f"{row['scene']}: {row['quantity']}, {row['law']}"
        misses = {"pyramid, Gauss-Seidel": ("diagonal",), "world, sap, regularized":
                  ("slide", "diagonal"), "relaxed cone, Gauss-Seidel": ("slide", "diagonal")}
        if row["scene"] == "rod" and row["law"].startswith("acceleration"):
            out.append(report.absolute("003-rigid", "rod: no solution, " + row["law"], 1,
                                       "[Datta2018] section 2.8", int(row["no_solution"]), 0))
        elif row["scene"] not in misses.get(row["law"], ()):
            tolerance = 0.01 if row["scene"] == "table" else 1e-4
            out.append(report.absolute("003-rigid", name, row["expected"], "closed form",
                                       row["value"], tolerance))
    return out


def rows():
    modulus, radius, a, points = 1e9, 1.0, 0.01, 96
    pitch = a / 24.0
    force, area = 4.0 * modulus * a**3 / (3.0 * radius), (points * pitch) ** 2
    hertz = _contact("--kind", "sphere", "--free", "--points", points, "--pitch", pitch, "--radius",
                     radius, "--contact-modulus", modulus, "--load", force / area)
    rms, wave = 1e-7, 128e-6
    full = math.pi * modulus * math.sqrt(2.0) * rms / wave
    sine = _contact("--kind", "sine", "--points", 128, "--pitch", 1e-6, "--rms", rms,
                    "--contact-modulus", modulus, "--load", 0.5 * full)
    source, other = "Hertz: [Datta2018] 2.9 to 2.13", "Westergaard 1939"
    return _learned() + _rigid() + [
        # Measured 1.7e-2 at most over drawn radii: whole cells.
        report.relative("003-hertz", "contact area", math.pi * a * a, source,
                        hertz["contact_share"] * area, 0.02),
        report.relative("003-hertz", "greatest pressure", 1.5 * force / (math.pi * a * a), source,
                        hertz["max_pressure"], 2e-3),
        report.relative("003-hertz", "approach", a * a / radius, source, hertz["approach"], 2e-3),
        report.absolute("003-westergaard", "share in contact at half the load that closes it", 0.5,
                        other, sine["contact_share"], 2.0 / 128),
        report.relative("003-westergaard", "greatest pressure", math.sqrt(2.0) * full, other,
                        sine["max_pressure"], 2e-3),
    ]
