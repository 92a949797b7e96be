# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Elandt 2022, section 4.5: a rigid sphere and a rigid flat-ended cylinder press a compliant layer
of thickness H; both scenarios are rotationally symmetric (fig. 4.10). Pressure field p = E* depth / H
against linear elasticity, nu = 0.3, bonded below, without friction.

Elasticity comes twice: finite elements (CalculiX, eight-node axisymmetric elements, contact nodes
found by iteration) and the exact solution of the bonded layer (tests/validate/fem). Isobar's layer
is a mesh of tetrahedra, queried as in a step. D is the diameter of the pressure field's patch.
"""

import math

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402

import engine  # noqa: E402
import programs  # noqa: E402
import report  # noqa: E402
from fem import bonded_layer, calculix, ellipsoid, indentation  # noqa: E402

NU = 0.3
YOUNG = 1.0
STAR = bonded_layer.layer_modulus(YOUNG, NU)
RATIOS = (0.05, 0.1, 0.25, 0.5, 1.0)  # H / D
SPHERE_WIDTH, PUNCH_WIDTH = 40.0, 60.0
_PAPER = "Elandt 2022, fig. 4.11"
_EXACT = "exact solution of the bonded layer"


class Case:
    """A sphere (R = 1600, H = 1, depth varied) or a cylinder (R = 1, depth H / 100, H varied)."""

    def __init__(self, kind, ratio, size=None, scale=1.0, young=YOUNG):
        self.kind, self.ratio, self.young = kind, ratio, young
        if kind == "sphere":
            self.thickness, self.radius = 1.0, 1600.0 * scale
            self.depth = (self.thickness / ratio)**2 / (8 * self.radius)
            self.touched = 0.5 / ratio  # radius of the pressure field's patch
            self.size = size or self.touched / 100
        else:
            self.thickness, self.radius = 2 * ratio * scale, scale
            self.depth = self.thickness / 100
            self.touched = self.radius
            self.size = size or 1e-3 * scale
        self.star = bonded_layer.layer_modulus(young, NU)

    def profile(self, r):
        if self.kind == "sphere":
            return r * r / (2 * self.radius) - self.depth
        return np.where(r <= self.radius * (1 + 1e-9), -self.depth, self.depth)

    def exact(self):
        """(force, contact radius)."""
        if self.kind == "sphere":
            return bonded_layer.sphere_contact(self.radius, self.thickness, self.depth, self.young,
                                               NU)
        return bonded_layer.punch_force(self.radius, self.thickness, self.depth, self.young,
                                        NU), self.radius

    def fem(self):
        if self.kind == "sphere":
            mesh = indentation.sphere_mesh(0.5 * SPHERE_WIDTH, self.thickness, self.touched,
                                           self.size)
        else:
            mesh = indentation.punch_mesh(0.5 * PUNCH_WIDTH * self.radius, self.thickness,
                                          self.radius, self.size)
        guess = self.exact()[1] * (1 + 1e-9)
        return indentation.solve(engine.BUILD / "validate" / "calculix",
                                 f"{self.kind}_{self.ratio:g}", mesh, self.young, NU, self.profile,
                                 guess)

    def isobar(self, **more):
        mine = {"modulus": self.star, "thickness": self.thickness, "depth": self.depth,
                "half_x": 1.3 * self.touched, "half_y": 1.3 * self.touched, "cells": 2,
                "sectors": 384, "rings": 96}
        if self.kind == "sphere":
            mine |= {"indenter": "cap", "ax": self.radius, "ay": self.radius, "az": self.radius}
        else:
            mine |= {"indenter": "punch", "radius": self.radius}
        return query(**(mine | more))

    def field_force(self):
        """The pressure field's force in closed form: E* / H times the overlap's volume."""
        if self.kind == "sphere":
            volume = math.pi * self.depth**2 * (self.radius - self.depth / 3)
        else:
            volume = math.pi * self.radius**2 * self.depth
        return self.star / self.thickness * volume

    def point_force(self):
        """Hertz and Boussinesq: the layer taken for a half space, as point contact does."""
        modulus = bonded_layer.plane_modulus(self.young, NU)
        if self.kind == "sphere":
            return 4 / 3 * modulus * math.sqrt(self.radius) * self.depth**1.5
        return 2 * modulus * self.radius * self.depth


def query(**values):
    return programs.run("layer", *[f"{name}={value}" for name, value in values.items()])[0]


def _closed_forms():
    """The exact solution tends to Hertz and to the thin layer."""
    hertz = Case("sphere", 1000.0)
    thin = {kind: Case(kind, 0.01) for kind in ("sphere", "cylinder")}
    rows = [report.relative("000-4.5-exact", "bonded layer, H/D = 1000: force of a sphere", 1.0,
                            "Hertz", hertz.exact()[0] / hertz.point_force(), 1e-3)]  # 3.1e-4
    for kind, case in thin.items():
        # Measured 5.4e-5 and 4.9e-3: the cylinder's edge carries a share proportional to H / D.
        rows.append(report.relative(
            "000-4.5-exact", f"bonded layer, H/D = 0.01: force of the {kind}", 1.0,
            "thin layer, p = E* depth / H", case.exact()[0] / case.field_force(),
            1e-4 if kind == "sphere" else 6e-3))
    return rows


def _uniform():
    """CalculiX alone: the whole top of a layer between walls pressed down uniformly."""
    mesh = indentation.sphere_mesh(2.0, 1.0, 2.0, 0.1)
    result = indentation.solve(engine.BUILD / "validate" / "calculix", "uniform", mesh, YOUNG, NU,
                               lambda r: np.full_like(r, -0.01), 2.1)
    return [report.relative("000-4.5-fem", "CalculiX: force on a layer pressed uniformly",
                            STAR * 0.01 * math.pi * 4.0, "closed form, p = E* depth / H",
                            result.force, 1e-6)]  # measured 1.2e-8: printed digits


def _convergence():
    """CalculiX: force at H / D = 1/4 against the exact solution, mesh after mesh."""
    rows = []
    # The edge of the sphere's patch falls anywhere in an element, so its error does not fall
    # regularly; the cylinder's pressure is singular at the edge, so its error is of first order.
    for kind, sizes, tolerances in (
            ("sphere", (0.1, 0.05, 0.025), _SPHERE_SIZES),
            ("cylinder", (8e-3, 4e-3, 2e-3, 1e-3), _PUNCH_SIZES)):
        errors = []
        for size, tolerance in zip(sizes, tolerances):
            case = Case(kind, 0.25, size=size)
            result, exact = case.fem(), case.exact()[0]
            errors.append(abs(result.force / exact - 1))
            rows.append(report.relative(
                "000-4.5-fem", f"CalculiX: force of the {kind}, H/D = 0.25, elements of {size:g} "
                f"at the edge, {result.nodes} nodes", exact, _EXACT, result.force, tolerance))
        if kind == "cylinder":
            rows.append(report.absolute(
                "000-4.5-fem", "CalculiX: order of convergence of the cylinder's force", 1.0,
                "theory: the pressure is singular at the edge, energy error of order 1",
                float(np.polyfit(np.log(sizes), np.log(errors), 1)[0]), 0.1))
    return rows


# Measured 2.7e-4, 9e-6, 3.5e-5 and 1.50e-3, 7.5e-4, 3.7e-4, 1.9e-4.
_SPHERE_SIZES = (4e-4, 1e-4, 1e-4)
_PUNCH_SIZES = (1.6e-3, 8e-4, 4e-4, 2.1e-4)


def _sweep(kind):
    """Force accuracy over H / D: rows, and the numbers the figures and the claims need."""
    rows, found = [], {}
    for ratio in RATIOS:
        case = Case(kind, ratio)
        ours, fem, (exact, radius) = case.isobar(repeats=5), case.fem(), case.exact()
        force = ours["force"][2]
        found[ratio] = case, ours, fem, exact, radius, force / fem.force
        rows += [
            # The indenter's facets; measured 7.7e-5 (sphere) and 4.5e-5 (cylinder) at every H / D.
            report.relative("000-fig4.11", f"{kind}, H/D = {ratio:g}: force of Isobar",
                            case.field_force(), "closed form, E* / H times the volume", force,
                            1e-4),
            # Measured at most 2e-5 (sphere) and 2.0e-4 (cylinder, elements of 0.001 at its edge).
            report.relative("000-fig4.11", f"{kind}, H/D = {ratio:g}: force of CalculiX, "
                            f"{fem.nodes} nodes, {fem.runs} passes", exact, _EXACT, fem.force,
                            3e-4),
            # Both errors above together; measured at most 2.4e-4.
            report.relative("000-fig4.11", f"{kind}, H/D = {ratio:g}: force accuracy, Isobar over "
                            "CalculiX", case.field_force() / exact,
                            "closed form over " + _EXACT, force / fem.force, 4e-4),
        ]
    return rows, found


def _claims(sphere, cylinder):
    """What section 4.5 says of fig. 4.11 and 4.13."""
    at = lambda found, ratio: found[ratio][5]  # noqa: E731
    limit = 2 * at(cylinder, 0.05) - at(cylinder, 0.1)
    worse = max(abs(at(sphere, r) - 1) - abs(at(cylinder, r) - 1) for r in RATIOS)
    rows = [
        # Measured 2.1e-3 and 9e-4: what is left at these H / D.
        report.absolute("000-fig4.11", "accuracy -> 1 as H/D -> 0: sphere at 0.05", 1.0, _PAPER,
                        at(sphere, 0.05), 3e-3),
        report.absolute("000-fig4.11", "accuracy -> 1 as H/D -> 0: cylinder, line through 0.05 and "
                        "0.1", 1.0, _PAPER, limit, 1e-3),
        report.Row("000-fig4.11", "sphere, H/D = 1: accuracy is at least 0.70", 0.70, _PAPER,
                   at(sphere, 1.0), max(0.0, 0.70 - at(sphere, 1.0)), 0.0),
        # 0.592: the exact solution says so too. The paper reads "at least 60 %" off its plot.
        report.Row("000-fig4.11", "cylinder, H/D = 1: accuracy is at least 0.60", 0.60, _PAPER,
                   at(cylinder, 1.0), max(0.0, 0.60 - at(cylinder, 1.0)), 0.01),
        report.Row("000-fig4.11", "largest |1 - accuracy| of the sphere minus the cylinder's, at "
                   "equal H/D: negative, the sphere is better", None, _PAPER, worse,
                   max(0.0, worse), 0.0),
    ]
    case, ours, fem, exact, radius, _ = sphere[0.25]
    rows += [
        # CalculiX knows it to the distance of nodes; measured 4.7e-3.
        report.relative("000-fig4.13", "sphere, H/D = 0.25: contact radius of CalculiX", radius,
                        _EXACT, fem.radius, 1.5 * fem.spacing / radius),
        report.relative("000-fig4.13", "sphere, H/D = 0.25: contact radius of Isobar",
                        math.sqrt(2 * case.radius * case.depth), "closed form, sqrt(2 R h)",
                        ours["reach_x"], 1e-4),  # facets; measured 2.7e-5
        # "slightly larger": 7.6 % by the exact solution.
        report.relative("000-fig4.13", "sphere, H/D = 0.25: Isobar's radius over CalculiX's",
                        case.touched / radius, _EXACT + "; larger than 1 as in the paper",
                        ours["reach_x"] / fem.radius, 1.5 * fem.spacing / radius),
    ]
    case, ours, fem, *_ = cylinder[0.25]
    uniform = case.star * case.depth / case.thickness
    rim = fem.positions > 0.98 * case.radius
    share = np.trapezoid((fem.pressures * fem.positions)[rim], fem.positions[rim])
    share /= np.trapezoid(fem.positions[rim], fem.positions[rim]) * uniform
    rows += [
        report.relative("000-fig4.13", "cylinder: contact radius of Isobar", case.radius,
                        "radius of the cylinder", ours["reach_x"], 1e-4),  # facets; 3.3e-5
        report.relative("000-fig4.13", "cylinder, H/D = 0.25: largest pressure of Isobar", uniform,
                        "uniform, E* depth / H", ours["max_pressure"], 1e-12),  # measured 2e-16
        # The peak that the field misses: measured 4.3.
        report.Row("000-fig4.13", "cylinder, H/D = 0.25: CalculiX's mean pressure in the outer 2 % "
                   "of the radius over Isobar's, at least 2", None, _PAPER, float(share),
                   max(0.0, 2.0 - float(share)), 0.0),
    ]
    return rows


def _only_ratio(sphere, cylinder):
    """At equal H / D the accuracy does not depend on R, depth, H or E."""
    rows = []
    for kind, found, changes in (
            ("sphere", sphere, "R / 4, depth x 4, E x 7"),
            ("cylinder", cylinder, "R, H, depth x 3, E x 7")):
        case = Case(kind, 0.25, scale=0.25 if kind == "sphere" else 3.0, young=7.0)
        accuracy = case.isobar()["force"][2] / case.fem().force
        # Measured 3.9e-6 (depth / R is 16 times larger) and 2.7e-9.
        rows.append(report.relative("000-4.5.5-size",
                                    f"{kind}, H/D = 0.25: accuracy after {changes}",
                                    found[0.25][5], "the same H/D before", accuracy, 6e-6))
    return rows


def _ellipsoids():
    """An ellipsoid pressed in as deep as the sphere of radius sqrt(Rx Ry)."""
    rows = []
    for ratio in (0.1, 0.25, 1.0):
        case = Case("sphere", ratio)
        exact, _ = case.exact()
        grid = ellipsoid.force(case.radius, case.radius, case.thickness, case.depth, YOUNG, NU)
        # Measured 9e-5, 2.7e-4, 3.5e-4: the grid has no boundary to the patch.
        rows.append(report.relative("000-4.5.5-shape", f"sphere, H/D = {ratio:g}: force by Fourier "
                                    "transforms on a grid", exact, _EXACT, grid, 5e-4))
        for stretch, bounds in ((1.5, _NEARLY_ROUND), (2.0, _LONG)):
            rx, ry = case.radius * stretch, case.radius / stretch
            # Semi-axes ax ay az have curvature radii ax^2 / az, ay^2 / az; mean ax ay / az.
            ours = case.isobar(ax=case.radius * math.sqrt(stretch),
                               ay=case.radius / math.sqrt(stretch), az=case.radius,
                               half_x=1.3 * case.touched * math.sqrt(stretch))["force"][2]
            accuracy = ours / ellipsoid.force(rx, ry, case.thickness, case.depth, YOUNG, NU)
            rows += [
                report.relative("000-4.5.5-shape", f"ellipsoid Rx / Ry = {stretch**2:g}, H/D = "
                                f"{ratio:g}: force of Isobar", case.isobar()["force"][2],
                                "Isobar, sphere of the effective radius", ours, 1e-6),
                report.relative("000-4.5.5-shape", f"ellipsoid Rx / Ry = {stretch**2:g}, H/D = "
                                f"{ratio:g}: force accuracy", case.field_force() / exact,
                                "the sphere's", accuracy, bounds[ratio]),
            ]
    return rows


# The claim is "similar": measured 4e-5, 2.2e-3, 0.017 and 4e-4, 6.1e-3, 0.046.
_NEARLY_ROUND = {0.1: 5e-4, 0.25: 3e-3, 1.0: 0.02}
_LONG = {0.1: 1e-3, 0.25: 7e-3, 1.0: 0.05}


def _speed(sphere, cylinder):
    """One linear solve in the plane of symmetry against one query in space."""
    rows = []
    for kind, found in (("sphere", sphere), ("cylinder", cylinder)):
        case, _, fem, *_ = found[0.25]
        ours = case.isobar(rings=24, sectors=96, repeats=20)
        error = ours["force"][2] / case.field_force() - 1
        factor = fem.seconds / fem.runs / ours["seconds"]
        rows.append(report.Row(
            "000-4.5-time", f"{kind}, H/D = 0.25: time of one CalculiX pass "
            f"({fem.seconds / fem.runs:.2g} s) over one patch query ({ours['seconds']:.2g} s, "
            f"{ours['faces']} faces, mesh error {error:.1e}), at least 100", None,
            "measured here", factor, max(0.0, 100 - factor), 0.0))
    return rows


def _curve(kind, ratios):
    cases = [Case(kind, ratio) for ratio in ratios]
    exact = np.array([case.exact()[0] for case in cases])
    field = np.array([case.field_force() for case in cases]) / exact
    return field, np.array([case.point_force() for case in cases]) / exact


def _plot_accuracy(sphere, cylinder):
    ratios = np.linspace(0.02, 1.0, 50)
    figure, axis = plt.subplots(figsize=(7, 4.5), layout="constrained")
    for kind, found, color in (("sphere", sphere, "C0"), ("cylinder", cylinder, "C3")):
        field, point = _curve(kind, ratios)
        axis.plot(ratios, 100 * field, color, label=f"{kind}: pressure field over exact layer")
        axis.plot(ratios, 100 * point, color, ls=":",
                  label=f"{kind}: point contact ({'Hertz' if kind == 'sphere' else 'Boussinesq'})")
        axis.plot(RATIOS, [100 * found[r][5] for r in RATIOS], color + "o", mfc="none",
                  label=f"{kind}: Isobar over CalculiX")
    axis.set(xlabel="layer thickness H over patch diameter D", ylabel="force accuracy [%]",
             xlim=(0, 1.02), ylim=(0, 110), title="Rigid indenter on a bonded layer, nu = 0.3")
    axis.axhline(100, color="0.7", lw=0.8)
    axis.legend(fontsize=8)
    figure.savefig(programs.plot("fem_layer_accuracy.png"), dpi=130)
    plt.close(figure)


def _plot_profiles(sphere, cylinder):
    figure, axes = plt.subplots(2, 2, figsize=(10, 8), layout="constrained")
    for (line, disc), (kind, found) in zip(axes, (("sphere", sphere), ("cylinder", cylinder))):
        case, _, fem, *_ = found[0.25]
        field = np.array(case.isobar(profile=1, rings=24, sectors=96)["profile"])
        r = np.hypot(field[:, 0], field[:, 1])
        unit = case.star * case.depth / case.thickness
        size = case.touched
        # The last element of the cylinder holds the singularity: its nodes oscillate.
        shown = slice(None if kind == "sphere" else -2)
        line.plot(fem.positions[shown] / size, fem.pressures[shown] / unit, "C1",
                  label="CalculiX")
        line.plot(r / size, field[:, 2] / unit, "C0.", ms=3, label="Isobar, vertices of the patch")
        line.set(title=f"{kind}, H/D = 1/4", xlabel="r / (D/2)", ylabel="p / (E* h / H)",
                 xlim=(0, 1.1), ylim=(0, 2.5 if kind == "cylinder" else 1.35))
        line.legend()
        top = 2.0 if kind == "cylinder" else 1.3
        grid = np.linspace(-1.1, 1.1, 401)
        x, y = np.meshgrid(grid, grid)
        radius = np.hypot(x, y)
        elastic = np.interp(radius, fem.positions / size, fem.pressures / unit, right=0)
        elastic[radius > fem.radius / size] = np.nan
        profile = np.argsort(r)
        ours = np.interp(radius, r[profile] / size, field[profile, 2] / unit, right=0)
        ours[radius > 1] = np.nan
        picture = disc.imshow(np.where(x < 0, elastic, ours), extent=(-1.1, 1.1) * 2, vmin=0,
                              vmax=top, cmap="viridis", origin="lower")
        disc.axvline(0, color="w", lw=1)
        disc.plot([0], [0], "r.", ms=4)
        disc.set(title="left CalculiX, right Isobar; red: point contact", xticks=[], yticks=[])
        figure.colorbar(picture, ax=disc, label="p / (E* h / H)", extend="max")
    figure.savefig(programs.plot("fem_layer_pressure.png"), dpi=130)
    plt.close(figure)


def rows():
    result = _closed_forms() + _ellipsoids()
    try:
        calculix.find()
    except calculix.Missing as problem:
        return result + [report.Row("000-fig4.11", f"left out: {problem}", None, "-", 0.0, 0.0,
                                    None)]
    result += _uniform() + _convergence()
    sphere_rows, sphere = _sweep("sphere")
    cylinder_rows, cylinder = _sweep("cylinder")
    result += sphere_rows + cylinder_rows + _claims(sphere, cylinder)
    result += _only_ratio(sphere, cylinder) + _speed(sphere, cylinder)
    _plot_accuracy(sphere, cylinder)
    _plot_profiles(sphere, cylinder)
    return result
