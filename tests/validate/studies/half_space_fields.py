# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Elandt 2022, appendix B: pressure fields that give an elastic half space its forces.

A rigid cylinder and a rigid sphere press a box whose modulus follows eqs. B.2 and B.4; the program
validate_punch uses the engine as a step does. Error of the mesh: sides of the cylinder; rings of the
cap and layers of the box for the sphere, whose field has an infinite gradient at the skin.
"""

import math

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402

import programs  # noqa: E402
import report  # noqa: E402

_B = "Elandt 2022, app. B"


def _plot(spheres, caps):
    figure, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
    depth = np.array([item["depth"] for item in spheres])
    axes[0].loglog(depth, [item["force"] for item in spheres], "o", label="pressure field")
    axes[0].loglog(depth, [item["expected"] for item in spheres], "k-", label="Hertz")
    axes[0].set(xlabel="penetration [m]", ylabel="force [N]")
    axes[0].legend()
    layers = np.array([item["layers"] + 1 for item in caps])
    errors = np.array([abs(item["force"] / item["expected"] - 1) for item in caps])
    axes[1].loglog(layers, errors, "o-")
    axes[1].set(xlabel="layers of the box", ylabel="relative error of the force")
    figure.savefig(programs.plot("half_space_sphere.png"), dpi=120)
    plt.close(figure)


def rows():
    found = programs.run("punch")
    cylinders = [item for item in found if item["kind"] == "cylinder"]
    caps = [item for item in found if item["kind"] == "paraboloid"]
    spheres = [item for item in found if item["kind"] == "sphere"]
    by_rings, by_layers = caps[:4], caps[4:]
    _plot(spheres, by_layers)
    result = []
    for item in cylinders:
        # A flat end of n sides has the area n/2 sin(2 pi/n) R^2; nothing else is lost, measured 5e-14.
        share = item["sides"] / (2 * math.pi) * math.sin(2 * math.pi / item["sides"])
        result.append(report.relative(
            "000-B.2", f"cylinder of {item['sides']} sides: force over 2 E* R d", share,
            "area of the polygon", item["force"] / item["expected"], 1e-9))
    # Measured 1.8e-4.
    result.append(report.relative("000-B.1", "cylinder: force [N], 192 sides",
                                  cylinders[-1]["expected"], f"{_B}, (B.1)", cylinders[-1]["force"],
                                  1e-3))
    finest = by_layers[-1]
    result += [
        # Measured 0.38 %: 0.1 % rings, 0.3 % layers.
        report.relative("000-B.3", "sphere (paraboloid): force [N], 32 rings, 128 layers",
                        finest["expected"], f"{_B}, (B.3), Hertz", finest["force"], 8e-3),
        # Measured 1.90 and 1.81.
        report.absolute("000-B.3", "sphere: order in the number of layers, by differences", 2.0,
                        "graded layers",
                        math.log2((by_layers[2]["force"] - by_layers[1]["force"])
                                  / (by_layers[3]["force"] - by_layers[2]["force"])), 0.35),
        report.absolute("000-B.3", "sphere: order in the number of rings, by differences", 2.0,
                        "flat triangles",
                        math.log2((by_rings[1]["force"] - by_rings[0]["force"])
                                  / (by_rings[2]["force"] - by_rings[1]["force"])), 0.4),
    ]
    radius = math.sqrt(2 * finest["depth"] * finest["radius"])
    result += [
        # Measured 1.1e-4.
        report.relative("000-B.3", "radius of the contact surface [m], sqrt(area / pi)", radius,
                        "R_e = sqrt(2 d R)", math.sqrt(finest["area"] / math.pi), 2e-3),
        # The printed coefficient 1/3 would be off by a factor 2.8.
        report.relative("000-B.8", "coefficient of the force: F / (E* R_e d)",
                        2 * math.sqrt(2) / 3, f"{_B}, (B.8) derived: 2 sqrt(2) / 3",
                        finest["force"] / (finest["star"] * radius * finest["depth"]), 8e-3),
    ]
    for item in spheres:
        # Deep: the sphere leaves its paraboloid, 0.3 %. Shallow: few layers are that thin, 4.7 %.
        result.append(report.relative(
            "000-B.3", f"true sphere, d / R = {item['depth'] / item['radius']:.3g}: force [N]",
            item["expected"], f"{_B}, (B.3)", item["force"], 0.06))
    return result
