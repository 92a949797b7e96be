# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Stiff bodies at rest do not jitter, with a margin of g dt^2 or without.

Two boxes .2 x .15 x .08 m of 0.2 kg (and twice, four times as large) stacked on rigid ground, lagged
law, friction as in Drake, dissipation 20 s/m; modulus 1e4 to 1e9 Pa, steps 0.625 to 10 ms, four
starts each. Plotted over pi1 = dt sqrt(E A / (H m)), the step over the time of the contact's spring: pi2 = std(distance) / (g dt^2).
"""

import math

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

import programs  # noqa: E402
import report  # noqa: E402


def _plot(found):
    figure, axes = plt.subplots(figsize=(7, 4.5))
    for margin, color, label in ((0, "tab:red", "margin 0"), (-1, "tab:blue", "margin auto")):
        points = [(case["pi1"], max(value, 1e-14)) for case in found if case["margin"] == margin
                  for value in case["pi2"]]
        axes.loglog(*zip(*points), ".", color=color, label=label, alpha=0.6)
    axes.axvline(math.pi, color="gray", lw=0.8)
    axes.set(xlabel="pi1 = dt sqrt(E A / (H m))", ylabel="pi2 = std(distance) / (g dt^2)")
    axes.legend()
    figure.tight_layout()
    figure.savefig(programs.plot("margin.png"), dpi=120)


def rows():
    found = programs.run("margin")
    _plot(found)

    def values(margin, low, high=math.inf):
        return [value for case in found
                if case["margin"] == margin and low < case["pi1"] / math.pi <= high
                for value in case["pi2"]]

    name, source = "X10-margin", "Drake's documentation: a margin of g dt^2 keeps all faces"
    stiff, all_stiff = values(0, 16.0), values(0, 1.0)
    jitters = sum(value > 1e-3 for value in all_stiff) / len(all_stiff)
    return [
        # Measured 4.4e-7: the slowest contacts are still settling.
        report.bound(name, "margin auto: largest pi2, pi1 > pi", source, max(values(-1, 1.0)), 1e-5),
        # Measured 4.8e-5: settling too.
        report.bound(name, "margin 0: largest pi2, pi/4 < pi1 < pi", "it dies off below pi",
                     max(values(0, 0.25, 1.0)), 1e-3),
        report.Row(name, "margin 0: largest pi2, pi1 > 16 pi", 0.6, "Drake: 0.1 to 0.6",
                   max(stiff), max(stiff), None),
        report.Row(name, "margin 0: share of starts with pi2 > 1e-3, pi1 > pi", None, "reported",
                   jitters, jitters, None),
        # Friction bound by what the step finds has nothing to jitter with. Measured 3.0e-7.
        report.bound(name, "margin 0: largest pi2, pi1 > pi", "Drake: 0.1 to 0.6",
                     max(all_stiff), 1e-3),
    ]
