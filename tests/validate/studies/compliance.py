# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Elandt 2022, chapter 6: Coulomb friction with tangential compliance.

Dragging in one and two dimensions (figures 6.2, 6.3), rigid sliding (6.4), a cylinder that spins on its
end (6.5), table 6.1. The thesis gives no parameters: mu 0.5, kbar 1e4 / m, tau 10 ms are ours. The plot
is compliance.png.
"""

import math
import time

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402

import programs  # noqa: E402
import report  # noqa: E402

_MU, _STIFFNESS, _TIME = 0.5, 1e4, 0.01
_LENGTH = _MU / _STIFFNESS
_CONTINUOUS = 2 * math.pi * _MU / 3  # (6.15), of a disc of 1 m under 1 Pa
_REDUCED = math.pi * _MU / 2  # (6.16)


def _series(found, kind):
    lines = [line for line in found if line["kind"] == kind]
    return {key: np.array([line[key] for line in lines]) for key in lines[0] if key != "kind"}


def _dragging(found):
    drag = _series(found, "drag1")
    t, stretch = drag["t"], drag["stretch"][:, 0]
    speed = drag["v"][0, 0]
    start, stop = _LENGTH / speed - _TIME, 0.03
    last = _LENGTH - (_LENGTH - speed * start) * math.exp(-(stop - start) / _TIME)
    sliding = _LENGTH - (_LENGTH - speed * start) * np.exp(-(t - start) / _TIME)
    exact = np.where(t <= start, speed * t, np.where(t <= stop, sliding, last))
    friction = np.where(t <= start, -_STIFFNESS * (speed * t + _TIME * speed), -_MU)
    friction = np.where(t < stop - 1e-9, friction, -_STIFFNESS * last)
    jump = drag["friction"][0, 0]
    return drag, [
        # Measured 2.7e-14.
        report.bound("000-fig6.2", "stretch against the closed form, over mu / kbar", "closed form",
                     np.abs(stretch - exact).max() / _LENGTH, 1e-9),
        report.bound("000-fig6.2", "friction against the closed form, over mu", "closed form",
                     np.abs(drag["friction"][:, 0] - friction).max() / _MU, 1e-9),
        report.relative("000-fig6.2", "friction jumps at the start, by the damper alone",
                        -_STIFFNESS * _TIME * speed, "statement of the figure", jump, 1e-12),
        report.relative("000-fig6.2", "friction locked in after the stop, over mu", last / _LENGTH,
                        "closed form", -drag["friction"][-1, 0] / _MU, 1e-9),
    ]


def _oracle(speed, times):
    """The same motion from equations of its own, by the classical method in steps of a thousandth of
    tau: to 1e-12, as halved steps show."""
    def rate(d):
        stick = (-_STIFFNESS * d[0] - _STIFFNESS * _TIME * speed, -_STIFFNESS * d[1])
        share = min(1.0, _MU / math.hypot(*stick)) / _STIFFNESS
        return tuple(-(stick[k] * share + d[k]) / _TIME for k in range(2))

    now, step, found = (0.0, _LENGTH), (times[1] - times[0]) / 10, []
    for _ in times:
        found.append(now)
        for _ in range(10):
            a = rate(now)
            b = rate([now[k] + step / 2 * a[k] for k in range(2)])
            c = rate([now[k] + step / 2 * b[k] for k in range(2)])
            d = rate([now[k] + step * c[k] for k in range(2)])
            now = tuple(now[k] + step / 6 * (a[k] + 2 * (b[k] + c[k]) + d[k]) for k in range(2))
    return np.array(found)


def _turning(found):
    drag = _series(found, "drag2")
    slip = drag["v"] - drag["rate"]
    friction = drag["friction"]
    across = (slip[:, 0] * friction[:, 1] - slip[:, 1] * friction[:, 0])
    sizes = np.linalg.norm(slip, axis=1) * np.linalg.norm(friction, axis=1)
    rest = friction + _STIFFNESS * (drag["stretch"] + _TIME * drag["rate"])
    damper = np.linalg.norm(drag["rate"], axis=1) * _TIME / _LENGTH
    oracle = _oracle(drag["v"][0, 0], drag["t"])
    rows = [
        report.bound("000-fig6.3", "friction against the slip of the shell: sine of the angle",
                     "statement (1)", np.abs(across / sizes).max(), 1e-9),
        report.bound("000-fig6.3", "friction along the slip of the shell: largest cosine above 0", "statement (1)",
                     max(0.0, ((slip * friction).sum(axis=1) / sizes).max()), 0.0),
        report.bound("000-fig6.3", "sum of spring, damper and friction over mu", "statement (2)",
                     np.abs(rest).max() / _MU, 1e-12),
        report.bound("000-fig6.3", "spring just after the turn, change over its size",
                     "statement (3): continuous", abs(drag["stretch"][0, 1] / _LENGTH - 1), 1e-15),
        report.bound("000-fig6.3", "damper at the end over the bound", "statement: towards zero",
                     damper[-1], 0.01),
    ]
    rows.append(report.bound("000-fig6.3", "stretch against the oracle, over mu / kbar",
                             "equations of its own, to 1e-12",
                             np.abs(drag["stretch"] - oracle).max() / _LENGTH, 1e-9))
    return drag, rows


def _rigid(found):
    titles = {"block": "block, translating", "bore": "piston in a bore"}
    return [report.bound("000-fig6.4", f"{titles[line['name']]}: reduced against a point, over the bound",
                         "thesis: exact", line["worst"], 1e-12)
            for line in found if line["kind"] == "rigid"]


def _steady(rate):
    """Steady moment of the reduced model: q / 2 = 2 / 3 - 1 / (6 a^3), a = q + tau rate / length."""
    low, high = 0.0, 2.0
    for _ in range(100):
        q = 0.5 * (low + high)
        a = q + _TIME * rate / _LENGTH
        pull = a if a < 1 else 4 / 3 - 1 / (3 * a ** 3)
        low, high = (q, high) if pull > q else (low, q)
    return math.pi * _MU * 0.5 * (low + high) / 2


def _spinning(found):
    lines = [line for line in found if line["kind"] == "spin"]
    first = lines[0]["rate"]
    series = [line for line in lines if line["rate"] == first and line["field"] > 0]
    run = {key: np.array([line[key] for line in series]) for key in series[0] if key != "kind"}
    t, step = run["t"], run["t"][1] - run["t"][0]
    start = _LENGTH / first - _TIME
    stuck = t < start
    at = [int(round(x / step)) for x in (0.5 * start, start, 1.3 * start, 1.9 * start)] + [-1]
    linear = _STIFFNESS * first * (t + _TIME) * math.pi / 2
    rows = [
        report.bound("000-fig6.5", "times 1 and 2, all sticks: reduced over full - 1", "thesis: exact",
                     np.abs(run["reduced"][stuck] / run["full"][stuck] - 1).max(), 1e-9),
        report.bound("000-fig6.5", "moment while it sticks over the linear one - 1", "closed form",
                     np.abs(run["full"][stuck] / linear[stuck] - 1).max(), 1e-3),
        report.relative("000-fig6.5", "moment where slip begins at the rim, (6.16) pi mu p R^3 / 2",
                        _REDUCED, "thesis, 6.16", np.interp(start, t, run["reduced"]), 2e-3),
        report.bound("000-fig6.5", "times 2 to 4: share that sticks in the full model",
                     "thesis: falls from 1", abs(1 - run["full_sliding"][at[1]] - 1), 0.05),
        report.bound("000-fig6.5", "times 3 and 4: the same", "thesis: not all sticks, not all slides",
                     max(1 - run["full_sliding"][at[2:4]]), 0.95),
        report.relative("000-fig6.5", "time 5: full model, (6.15) 2 pi mu p R^3 / 3", _CONTINUOUS,
                        "thesis, 6.15", run["full"][-1], 1e-3),
        report.relative("000-fig6.5", "time 5: reduced model, steady", _steady(first), "closed form",
                        run["reduced"][-1], 2e-3),
        report.bound("000-fig6.5", "field on a grid against a point each ring, over (6.15)",
                     "thesis' full model", np.abs(run["field"][1:] - run["full"][1:]).max() / _CONTINUOUS,
                     0.02),
    ]
    steady = sorted((line["rate"], line["reduced"]) for line in lines if line["field"] == 0)
    for rate, moment in steady:
        rows.append(report.relative("000-fig6.5", f"steady reduced moment, tau omega R kbar / mu = "
                                    f"{rate * _TIME / _LENGTH:.3g}", _steady(rate), "closed form",
                                    moment, 2e-3))
    rows.append(report.bound("000-fig6.5", "steady reduced moment at the highest rate over (6.15) - 1",
                             "thesis: towards it", abs(steady[-1][1] / _CONTINUOUS - 1), 1e-3))
    rows.append(report.bound("000-fig6.5", "largest fall of the steady reduced moment with the rate",
                             "thesis: rises", max(0.0, max(a[1] - b[1] for a, b in zip(steady, steady[1:]))), 0.0))
    return run, at, rows


def _table(found):
    ratios = {"ring": 1.0, "disc": 0.75, "half-sphere": 32 / (15 * math.pi), "cone": 0.6}
    rows = []
    for line in found:
        if line["kind"] == "resist":
            name = line["profile"]
            rows.append(report.relative("000-tab6.1", f"M_reduced / M_cont, {name}", ratios[name],
                                        "thesis, table 6.1", line["reduced"] / line["cont"], 1e-3))
    return rows


def _plot(one, two, run, at, rigid, table):
    figure, axes = plt.subplots(1, 4, figsize=(19, 4.5))
    ms = 1e3 * one["t"]
    axes[0].plot(ms, _STIFFNESS * one["stretch"][:, 0], label="spring")
    axes[0].plot(ms, _STIFFNESS * _TIME * one["rate"][:, 0], label="damper")
    axes[0].plot(ms, -one["friction"][:, 0], "k", label="friction")
    axes[0].set(title="fig. 6.2: dragging in one dimension", xlabel="t [ms]", ylabel="traction / p")
    path = two["v"][:, :1] * two["t"][:, None] * [[1.0, 0.0]]
    shell = path - two["stretch"]
    path, shell = path[:400], shell[:400]
    axes[1].plot(1e3 * path[:, 0], 1e3 * path[:, 1], "k", label="body B")
    axes[1].plot(1e3 * shell[:, 0], 1e3 * shell[:, 1], "0.6", label="shell")
    for i in (0, 40, 100, 200):
        for name, force in (("C0", -_STIFFNESS * -two["stretch"]), ("C1", _STIFFNESS * _TIME * two["rate"]),
                            ("k", two["friction"])):
            axes[1].annotate("", 1e3 * (shell[i] + 6e-5 * force[i]), 1e3 * shell[i],
                             arrowprops={"arrowstyle": "->", "color": name})
    axes[1].set(ylim=(-0.09, 0.01), title="fig. 6.3: spring, damper, friction on the shell", xlabel="x [mm]", ylabel="y [mm]")
    axes[2].plot(1e3 * run["t"], run["full"] / _CONTINUOUS, label="full, a point each ring")
    axes[2].plot(1e3 * run["t"], run["field"] / _CONTINUOUS, "--", label="full, field on a grid")
    axes[2].plot(1e3 * run["t"], run["reduced"] / _CONTINUOUS, label="reduced")
    axes[2].plot(1e3 * run["t"][at], run["full"][at] / _CONTINUOUS, "ko", markersize=4)
    axes[2].set(title="fig. 6.5: spinning cylinder", xlabel="t [ms]", ylabel="moment / (6.15)")
    axes[3].plot([row.reference for row in table], "k_", markersize=20, label="thesis")
    axes[3].plot([row.ours for row in table], "o", label="ours")
    axes[3].set_xticks(range(len(table)), [row.quantity.split(", ")[1] for row in table])
    worst = max(row.ours for row in rigid)
    axes[3].set(title=f"table 6.1; fig. 6.4: worst {worst:.1g} of the bound", ylabel="M reduced / M cont")
    for axis in axes:
        axis.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(programs.plot("compliance.png"), dpi=110)
    plt.close(figure)


def rows():
    start = time.perf_counter()
    found = programs.run("compliance")
    seconds = time.perf_counter() - start
    one, dragging = _dragging(found)
    two, turning = _turning(found)
    run, at, spinning = _spinning(found)
    rigid, table = _rigid(found), _table(found)
    _plot(one, two, run, at, rigid, table)
    wall = report.reported("000-fig6.5", "wall time of all of chapter 6 [s]", "measured", seconds)
    return dragging + turning + rigid + spinning + table + [wall]
