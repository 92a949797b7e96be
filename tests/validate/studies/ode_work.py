# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Work and precision of the implicit methods on stiff problems, beside CVODE and SciPy's Radau.

Work is counted in right-hand sides, those of Jacobians by differences included, so that languages do
not matter. The plot is ode_work.png.
"""

import math

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

import programs  # noqa: E402
import report  # noqa: E402

_TITLES = {"robertson": "Robertson to 1e11 s", "van_der_pol": "van der Pol, mu = 1e3, to 2000 s",
           "hires": "HIRES to 322 s"}
_SOURCE = "published end, Test Set for IVP Solvers"
# Error over accuracy; measured at most 0.5, HIRES 18; CVODE, whose errors add up, 39.
_BOUNDS = {"radau": 60.0, "cvode": 200.0}


def _robertson(t, y):
    a, b, c = y
    first, last = -0.04 * a + 1e4 * b * c, 3e7 * b * b
    return [first, -first - last, last]


def _van_der_pol(t, y):
    return [y[1], 1e3 * (1 - y[0] ** 2) * y[1] - y[0]]


def _hires(t, y):
    meeting = 280 * y[5] * y[7]
    return [-1.71 * y[0] + 0.43 * y[1] + 8.32 * y[2] + 0.0007, 1.71 * y[0] - 8.75 * y[1],
            -10.03 * y[2] + 0.43 * y[3] + 0.035 * y[4], 8.32 * y[1] + 1.71 * y[2] - 1.12 * y[3],
            -1.745 * y[4] + 0.43 * y[5] + 0.43 * y[6],
            -meeting + 0.69 * y[3] + 1.71 * y[4] - 0.43 * y[5] + 0.69 * y[6],
            meeting - 1.81 * y[6], -meeting + 1.81 * y[6]]


_SCIPY = {
    "robertson": (_robertson, 1e11, 1e-9, [1, 0, 0],
                  [0.2083340149701255e-7, 0.8333360770334713e-13, 0.9999999791665050]),
    "van_der_pol": (_van_der_pol, 2000.0, 1e-3, [2, 0],
                    [1.706167732170483, -0.8928097010247975e-3]),
    "hires": (_hires, 321.8122, 1e-4, [1, 0, 0, 0, 0, 0, 0, 0.0057],
              [0.7371312573325668e-3, 0.1442485726316185e-3, 0.5888729740967575e-4,
               0.1175651343283149e-2, 0.2386356198831331e-2, 0.6238968252742796e-2,
               0.2849998395185769e-2, 0.2850001604814231e-2]),
}


def _scipy():
    """The same lines by SciPy's Radau of order 5; none without SciPy."""
    try:
        from scipy.integrate import solve_ivp
    except ImportError:
        return []
    found = []
    for name, (rhs, end, scale, start, last) in _SCIPY.items():
        for k in range(3, 10):
            accuracy = 10.0 ** -k
            made = solve_ivp(rhs, (0, end), start, method="Radau", rtol=accuracy,
                             atol=accuracy * scale)
            error = max(abs(y / e - 1) for y, e in zip(made.y[:, -1], last))
            # SciPy counts the right-hand sides of its Jacobians apart.
            work = made.nfev + made.njev * len(start)
            found.append({"problem": name, "method": "SciPy Radau", "accuracy": accuracy,
                          "ok": made.success, "error": error, "rhs": work})
    return found


def _work_at(lines, error):
    """Right-hand sides for an error, by the line through neighbours in logarithms."""
    points = sorted((math.log(line["error"]), math.log(line["rhs"])) for line in lines)
    wanted = math.log(error)
    for (x0, y0), (x1, y1) in zip(points, points[1:]):
        if x0 <= wanted <= x1 and x1 > x0:
            return math.exp(y0 + (y1 - y0) * (wanted - x0) / (x1 - x0))
    return math.nan


def _plot(groups):
    figure, axes = plt.subplots(1, len(_TITLES), figsize=(15, 4.5))
    for axis, (problem, title) in zip(axes, _TITLES.items()):
        for (name, method), lines in groups.items():
            if name == problem:
                axis.loglog([line["error"] for line in lines], [line["rhs"] for line in lines],
                            "o-", markersize=3, label=method)
        axis.set(title=title, xlabel="largest relative error at the end",
                 ylabel="right-hand sides, Jacobians included")
        axis.invert_xaxis()
    axes[0].legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(programs.plot("ode_work.png"), dpi=110)
    plt.close(figure)


def rows():
    groups = {}
    for line in programs.run("ode_work") + _scipy():
        groups.setdefault((line["problem"], line["method"]), []).append(line)
    found = []
    for (problem, method), lines in groups.items():
        if method in _BOUNDS or method.startswith("radau_"):
            worst = max(line["error"] / line["accuracy"] for line in lines
                        if line["accuracy"] > 1e-9)
            found.append(report.bound(f"ode-{problem}", f"{method}: error over accuracy, 1e-3 to 1e-8",
                                      _SOURCE, worst, _BOUNDS.get(method, _BOUNDS["radau"])))
        for error in (1e-4, 1e-7):
            work = _work_at(lines, error)
            if math.isfinite(work):
                found.append(report.reported(f"ode-{problem}",
                                             f"{method}: right-hand sides for an error of {error:g}",
                                             _SOURCE, work))
    if not any(method == "SciPy Radau" for _, method in groups):
        found.append(report.reported("ode-scipy", "SciPy is not installed: its rows are left out",
                                     "-", 0.0))
    _plot(groups)
    return found
