# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Elandt 2022, appendix A: the energy of a contact is the integral of the smaller field over the
overlap, and the work done against the contact on any way from separation; section 5.0.3: which
quadrature gives which part of the wrench exactly.

The program validate_energy moves five pairs along random paths. Its oracle cuts every pair of
tetrahedra into tetrahedra and shares no code with the engine.
"""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

import engine  # noqa: E402
import programs  # noqa: E402
import report  # noqa: E402

_A = "Elandt 2022, (A.4)"


def _plot(trace):
    """Work and energies on the way of one path of every pair."""
    pairs = list(dict.fromkeys(item["pair"] for item in trace))
    figure, axes = plt.subplots(1, len(pairs), figsize=(3 * len(pairs), 3), layout="constrained")
    for axis, pair in zip(axes, pairs):
        mine = [item for item in trace if item["pair"] == pair]
        share = [item["share"] for item in mine]
        axis.plot(share, [item["exact"] for item in mine], label="integral over the overlap")
        axis.plot(share, [item["work"] for item in mine], "o", ms=4, mfc="none", label="work")
        axis.plot(share, [item["engine"] for item in mine], "--", label="columns (engine)")
        axis.plot(share, [item["flux"] for item in mine], "k.", ms=2, label="flux")
        axis.set(title=pair, xlabel="share of the path", ylabel="energy [J]")
    axes[0].legend(fontsize=7)
    figure.savefig(programs.plot("energy_paths.png"), dpi=120)
    plt.close(figure)


def rows():
    found = programs.run("energy")
    paths = [item for item in found if item["kind"] == "path"]
    ends = [item for item in paths if item["share"] > 0.999]
    loops = [item for item in found if item["kind"] == "loop"]
    _plot([item for item in paths if item["path"] == 0])

    def worst(values, key, reference):
        return max(abs(v[key] - v[reference]) / abs(v[reference]) for v in values)

    exact = "exact integral over the overlap"
    result = [
        # Measured 2.7e-12: the trapezoidal rule, 8000 steps a path.
        report.bound("000-A.1-work", f"work from separation against the integral of the smaller "
                     f"field, {len(ends)} random paths of 5 pairs, largest relative error", _A,
                     worst(ends, "work", "exact"), 1e-9),
        # Measured 4.7e-11: the trapezoidal rule, 2000 steps a path.
        report.bound("000-A.1-loop", f"work over {len(loops)} closed paths over the sum of its "
                     "absolute parts", "theory: 0",
                     max(abs(item["work"]) / item["total"] for item in loops), 1e-8),
        # Measured 4.4e-16: every point of the overlap belongs to the body of the larger field.
        report.bound("000-A.2-complete", "volumes displaced from both bodies against the volume of "
                     "the overlap, relative", "Elandt 2022, A.2",
                     worst(ends, "displaced", "overlap"), 1e-13),
        # Measured 2.7e-14.
        report.bound("000-A.1-flux", "energy as a flux through the contact surface "
                     "(docs/theory/energy_flux.md), largest relative error", exact,
                     worst(ends, "flux", "exact"), 1e-12),
    ]
    for pair in dict.fromkeys(item["pair"] for item in ends):
        mine = [item for item in ends if item["pair"] == pair]
        result.append(report.reported(
            "000-A.1-engine", f"elastic_energy of the engine, {pair}, largest relative error of "
            f"{len(mine)} poses", exact, worst(mine, "engine", "exact")))
    column = next(item for item in found if item["kind"] == "column")
    result.append(report.relative(
        "000-A.1-engine", "elastic_energy of a block pressed flat into a slab [J]",
        column["exact"], exact, column["engine"], 1e-13))  # measured 9e-16
    for rule, what, tolerance in (("fan", "force", 1e-13), ("fan", "moment", 1e-13),
                                  ("centroid", "force", 1e-13), ("centroid", "moment", None)):
        errors = [item[what] for item in found if item["kind"] == "rule" and item["rule"] == rule]
        # Measured 7.8e-16, 1.0e-16, 2.7e-16; the moment of the centroid rule 4.9e-2.
        quantity = f"{what} by the {rule} rule, error over area x peak pressure"
        if what == "moment":
            quantity += " x sqrt(area)"
        result.append(report.Row("000-5.0.3-rule", quantity, 0.0, "exact integral over the faces",
                                 max(errors), max(errors), tolerance))
    return result
