# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Masterjohn 2022, section V-A: a coin that slides and spins; fig. 5 and fig. 6.

Radius 12.13 mm, thickness 1.75 mm, 5.67 g, friction 0.2, modulus 1 GPa, steps of 1 ms. Whatever its
start, v / (w R) tends to one number before the coin stops [Farkas2003]: 0.65299 for a disk (computed
here). On the paper's fan of 152 triangles with one sample each, 0.64426, all samples lie on a circle just
outside the point that stands still, and the number depends on how the coin moves over its triangles: 0.64426
towards a sample, 0.64415 between two (computed here), 1.34 to 1.36 % from the disk's. The ratio is read at the
last step that ends above 1 mm/s (a step takes 2 mm/s); friction is regularised below 1e-6 m/s, for the
viscous law below the stiction velocity has no such limit: the ratio falls there without end. Initial speeds are
ours: the faster of v and w R is 5 or 10 m/s, on fine grids 3 m/s.

Finer grids are disks with 6 j vertices on ring j, rigid on a soft floor: the same pressures.
"""

import math

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402

import engine  # noqa: E402
import programs  # noqa: E402
import report  # noqa: E402
import worlds  # noqa: E402

_RADIUS, _THICKNESS, _MASS, _MU, _MODULUS = 0.01213, 0.00175, 5.67e-3, 0.2, 1e9
_GRAVITY = 9.81
_FAN, _DISK, _PAPER = 0.64426, 0.653, "[Masterjohn2022] section V-A"
_SLOWEST = 1e-3
_STEP = {"simulation.time_step": 1e-3}

# Law of the step, and what keeps friction sharp near the stop.
_LAGGED = {"simulation.method": "lagged", "simulation.friction": "regularized",
           "simulation.stiction_velocity": 1e-6}
_TAMSI = {**_LAGGED, "simulation.method": "tamsi"}
_STICK = {"simulation.method": "lagged", "simulation.friction": "stick",
          "simulation.friction_stiffness": 1e6}
_LAWS = {"tamsi": _TAMSI, "lagged": _LAGGED, "sticking": _STICK}


# --- meshes and scenes --------------------------------------------------------------------------------


def _rings(count):
    """Vertices, triangles and rim of a unit disk with 6 j vertices on ring j."""
    points, rings = [(0.0, 0.0)], [[0]]
    for j in range(1, count + 1):
        rings.append(list(range(len(points), len(points) + 6 * j)))
        angles = [2 * math.pi * i / (6 * j) for i in range(6 * j)]
        points += [(j / count * math.cos(a), j / count * math.sin(a)) for a in angles]
    triangles = []
    for inner, outer in zip(rings, rings[1:]):
        if len(inner) == 1:
            triangles += [(0, outer[i], outer[(i + 1) % 6]) for i in range(6)]
            continue
        m, n, a, b = len(inner), len(outer), 0, 0
        while a < m or b < n:
            if b < n and (a >= m or (b + 1) * m <= (a + 1) * n):
                triangles.append((inner[a % m], outer[b], outer[(b + 1) % n]))
                b += 1
            else:
                triangles.append((inner[a], outer[b % n], inner[(a + 1) % m]))
                a += 1
    return np.array(points), triangles, rings[-1]


def _ringed_coin(count, modulus=_MODULUS, name="coin"):
    """A scene with a rigid coin of so many rings on a soft floor, as deep as it rests; its path."""
    points, triangles, rim = _rings(count)
    half, n, m = _THICKNESS / 2, len(points), len(rim)
    vertices = [(x * _RADIUS, y * _RADIUS, -half) for x, y in points]
    vertices += [(points[i][0] * _RADIUS, points[i][1] * _RADIUS, half) for i in rim]
    vertices.append((0.0, 0.0, half))
    faces = [(a, c, b) for a, b, c in triangles]
    for i in range(m):
        j = (i + 1) % m
        faces += [(rim[i], rim[j], n + j), (rim[i], n + j, n + i), (n + m, n + i, n + j)]
    path = engine.scratch("coin") / f"rings_{count}.obj"
    path.write_text("".join("v %.17g %.17g %.17g\n" % v for v in vertices)
                    + "".join("f %d %d %d\n" % (a + 1, b + 1, c + 1) for a, b, c in faces))
    area = 0.5 * m * math.sin(2 * math.pi / m) * _RADIUS**2
    depth = _MASS * _GRAVITY * half / (modulus * area)
    side = _MASS * (3 * _RADIUS**2 + _THICKNESS**2) / 12
    ground = {"name": "ground", "shape": "half_space", "compliance": "compliant",
              "modulus": modulus, "slab_thickness": half, "friction": _MU, "dissipation": 50}
    disk = {"name": "disk", "shape": "mesh", "file": str(path), "compliance": "rigid",
            "friction": _MU}
    return worlds.write_scenario(
        "coin", f"{name}_{count}_{modulus:g}", simulation={"cull": "drake"},
        bodies=[{"name": "world", "geometry": [ground]},
                {"name": name, "mass": _MASS, "com": [0, 0, 0],
                 "inertia": [side, side, 0.5 * _MASS * _RADIUS**2], "geometry": [disk],
                 "pose": {"translation": [0, 0, half - depth]},
                 "velocity": {"linear": [0, 0, 0], "angular": [0, 0, 0]}}])


def _path(scene, speed, rim_speed, settings, *, until=20.0, slowest=1e-9, stride=1, name="coin"):
    """Samples (t, x, y, v, w) as columns."""
    start = {f"bodies.{name}.velocity.linear": f"[{speed:.17g}, 0, 0]",
             f"bodies.{name}.velocity.angular": f"[0, 0, {rim_speed / _RADIUS:.17g}]"}
    changes = [f"{key}={value}" for key, value in {**settings, **start}.items()]
    lines = programs.run("coin", scene, name, stride, until, slowest, *changes)
    return np.array([[line[key] for key in ("t", "x", "y", "v", "w")] for line in lines])


# --- fig. 5 -------------------------------------------------------------------------------------------


def _limit(x, y, share):
    """Where v / (w R) stays for pressure in these shares at points of a disk of radius 1: friction f
    and torque t obey f = 2 e t at v = e, w = 1."""

    def excess(e):
        ux, uy = e - y, x
        return np.sum(share * (ux - 2 * e * (x * uy - y * ux)) / np.hypot(ux, uy))

    low, high = 0.5, 0.8
    for _ in range(50):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if excess(low) * excess(middle) <= 0 else (middle, high)
    return 0.5 * (low + high)


def _farkas():
    """The limit of a uniform disk."""
    node, weight = np.polynomial.legendre.leggauss(200)
    r = np.repeat((node[:, None] + 1) / 2, 1000, axis=1)
    angle = (np.arange(1000) + 0.5) * 2 * math.pi / 1000
    share = weight[:, None] * r
    return _limit(r * np.cos(angle), r * np.sin(angle), share / share.sum())


def _fan_limit(phase, count=152):
    """The limit of a fan with a sample in the centroid of every triangle, when the coin moves towards a
    sample (phase 0) or between two (0.5)."""
    angle = (np.arange(count) + phase) * 2 * math.pi / count
    r = 2 / 3 * math.cos(math.pi / count)
    return _limit(r * np.cos(angle), r * np.sin(angle), np.full(count, 1 / count))


def _ratio(samples, slowest=_SLOWEST):
    """v / (w R) at the last sample that is faster."""
    last = samples[samples[:, 3] > slowest][-1]
    return last[3] / (last[4] * _RADIUS)


def _speeds(ratio, fastest):
    return (fastest, fastest / ratio) if ratio >= 1 else (fastest * ratio, fastest)


def _fastest(ratio):
    """From far away the ratio needs more speed to lose before it is where it goes."""
    return 10.0 if ratio < 0.15 or ratio > 5 else 5.0


def _outside(ratio, band):
    return max(band[0] - ratio, ratio - band[1], 0.0) / _FAN


def _fan():
    """All initial ratios on the fan of 152 triangles."""
    scene = engine.PEERS / "coin.yaml"
    starts = [0.1, 0.2, 0.4, 0.65, 1.0, 2.0, 4.0, 7.0, 10.0]
    band = _fan_limit(0.5), _fan_limit(0.0)
    found = [report.relative("001-fig5", "eps* of the fan by quadrature, moving towards a sample", _FAN,
                             _PAPER, band[1], 1e-5)]  # measured 1.8e-6
    drawn = {}
    for law, settings in _LAWS.items():
        ratios = [_ratio(_path(scene, *_speeds(e, _fastest(e)), {**settings, **_STEP}))
                  for e in starts]
        drawn[law] = ratios
        what = f"eps* of a fan of 152 triangles, {law}, eps0 0.1 to 10: furthest from"
        # Measured 2.5e-4, 2.0e-4, 0.9e-4 from the paper's number, 1.363, 1.358, 1.348 % from the disk's.
        for reference, name, bound in ((_FAN, "one sample for each of 152 triangles", 5e-3),
                                       (_DISK, "the disk", 1.4e-2)):
            worst = max(ratios, key=lambda x: abs(x - reference))
            found.append(report.relative("001-fig5", f"{what} {name}", reference, _PAPER, worst, bound))
        found.append(report.bound(
            "001-fig5", f"{what} what quadrature gives ({band[0]:.6f} to {band[1]:.6f}), relative",
            "computed here", max(_outside(x, band) for x in ratios), 2e-4))  # measured 8e-5
    # In smaller steps they end inside. Friction below the middle of the coin moves its pressure by 4 %
    # to the front, which adds up to 3.4e-5.
    fine = [_ratio(_path(scene, *_speeds(e, _fastest(e)), {**_TAMSI, "simulation.time_step": 2.5e-4}))
            for e in (0.1, 1.0, 10.0)]
    found.append(report.bound("001-fig5", "the same, tamsi, eps0 0.1, 1, 10, steps of 0.25 ms",
                              "computed here", max(_outside(x, band) for x in fine), 3.4e-5))  # 0
    figure, axes = plt.subplots(figsize=(6, 4))
    for law, ratios in drawn.items():
        axes.semilogx(starts, ratios, "o", ms=4, label=law)
    axes.axhline(_FAN, color="gray", ls="-.", lw=0.8)
    axes.axhline(_DISK, color="gray", ls="--", lw=0.8)
    axes.set(xlabel="initial v / (w R)", ylabel="v / (w R) at the stop", ylim=(0.63, 0.66))
    axes.legend()
    figure.savefig(programs.plot("coin_ratio.png"), dpi=120)
    plt.close(figure)
    return found


def _ringed():
    """A fine grid, from both sides: the ratio approaches its limit without crossing it."""
    scene = _ringed_coin(40)
    exact = _farkas()
    found = [report.relative("001-V-A", "eps* of a uniform disk, computed by quadrature", _DISK,
                             "[Farkas2003]", exact, 5e-5)]  # measured 1.3e-5
    for law, settings in _LAWS.items():
        ends = [_ratio(_path(scene, *_speeds(e, 3.0), {**settings, **_STEP}))
                for e in (0.645, 0.66)]
        # Measured 3.7e-4, all three.
        worst = max(ends, key=lambda x: abs(x - _DISK))
        found.append(report.relative("001-V-A", f"eps* with 40 rings (9,600 triangles), {law}, "
                                     "from 0.645 and 0.66: the further one", _DISK, "[Farkas2003]",
                                     worst, 1e-3))
    return found


def _regularised():
    """What is left of the ratio below the stiction velocity: Drake's 1e-4 m/s, read later."""
    scene = engine.PEERS / "coin.yaml"
    samples = _path(scene, 1.0, 1.0, {**_LAGGED, **_STEP, "simulation.stiction_velocity": 1e-4})
    late = _ratio(samples, 1e-5)
    return [report.Row("001-V-A", "eps at the last step above 0.01 mm/s with friction regularised "
                       "below 0.1 mm/s", None, "viscous law: no limit", late, abs(late - _FAN),
                       None)]


# --- fig. 6 -------------------------------------------------------------------------------------------


def _error(samples, reference):
    """|x_d - x| / |x| over the times of the samples, which the reference has too."""
    rows = {round(row[0] * 1e7): row[1:3] for row in reference}
    path = np.array([rows[round(row[0] * 1e7)] for row in samples])
    return float(np.linalg.norm(samples[:, 1:3] - path) / np.linalg.norm(path))


def _slope(sizes, errors):
    return float(np.polyfit(np.log(sizes), np.log(errors), 1)[0])


def _time_study(scene, settings, steps, reference, until, every):
    errors = []
    for step in steps:
        samples = _path(scene, 1.0, 1.0, {**settings, "simulation.time_step": step}, until=until,
                        stride=round(every / step))
        errors.append(_error(samples, reference))
    return errors


def _orders():
    until, every = 0.4, 8e-3
    coarse = _ringed_coin(5)  # 2.4 mm
    curves, found = {}, []
    for law, settings in _LAWS.items():
        # The near-rigid floor of lagged, sticking or not, softens this coin in steps longer than
        # 1 ms, so that it begins to sink, with too little friction.
        steps = [8e-3, 4e-3, 2e-3, 1e-3, 5e-4] if law == "tamsi" else [1e-3, 5e-4, 2.5e-4]
        reference = _path(coarse, 1.0, 1.0, {**settings, "simulation.time_step": 2.5e-5},
                          until=until, stride=320)
        errors = _time_study(coarse, settings, steps, reference, until, every)
        curves[law] = (steps, errors)
        found.append(report.absolute(
            "001-fig6-left", f"order in the time step, {law}, {1e3 * steps[-1]:g} to "
            f"{1e3 * steps[0]:g} ms, 2.4 mm", 1.0, _PAPER, _slope(steps, errors), 0.1))

    rings = [2, 3, 4, 5, 7, 10]
    fine = _path(_ringed_coin(100), 1.0, 1.0, {**_TAMSI, **_STEP}, until=until, stride=8)
    sizes = [_RADIUS / count for count in rings]
    grid = [_error(_path(_ringed_coin(count), 1.0, 1.0, {**_TAMSI, **_STEP}, until=until, stride=8),
                   fine) for count in rings]
    found.append(report.absolute("001-fig6-right", "order in the grid size, tamsi, 1.2 to 6 mm, 1 ms",
                                 2.0, _PAPER, _slope(sizes, grid), 0.3))
    found += _continuous(curves)
    _draw(curves, sizes, grid)
    return found


def _continuous(curves):
    """The same with a coin so soft that explicit methods can follow it: section IV, and rk4."""
    soft, until, every = _ringed_coin(5, modulus=1e5), 0.2, 8e-3
    sharp = {"simulation.stiction_velocity": 1e-2, "simulation.friction": "regularized"}
    exact = _path(soft, 1.0, 1.0, {**sharp, "simulation.method": "rk4",
                                   "simulation.time_step": 1e-5}, until=until, stride=800)
    steps = [8e-4, 4e-4, 2e-4, 1e-4]  # rk4 errors measured 2.0e-6 to 6.7e-9
    rk4 = _time_study(soft, {**sharp, "simulation.method": "rk4"}, steps, exact, until, every)
    tamsi = _time_study(soft, {**sharp, "simulation.method": "tamsi"}, steps, exact, until, every)
    curves["rk4 (soft)"] = (steps, rk4)
    curves["tamsi (soft)"] = (steps, tamsi)
    least = report.bound("001-fig6-left", "rk4 on a coin of 0.1 MPa: what its order lacks of 2", "-",
                         max(0.0, 2.0 - _slope(steps, rk4)), 0.0)
    return [
        least,
        report.Row("001-fig6-left", "rk4 on a coin of 0.1 MPa: order in the time step, 0.1 to 0.8 ms",
                   None, "-", _slope(steps, rk4), 0.0, None),
        report.absolute("001-IV-coin", "discrete points tend to the continuous model with the step: "
                        "order, tamsi, coin of 0.1 MPa", 1.0, "rk4 of the continuous law",
                        _slope(steps, tamsi), 0.15),
        report.bound("001-IV-coin", "tamsi at 0.1 ms against the continuous model, |dx| / |x|",
                     "rk4 of the continuous law at 0.01 ms", tamsi[-1], 1e-3),
    ]


def _either_name():
    """Names decide which body of a pair is A: what sticks must not depend on that."""
    until, found = 0.4, []
    paths = {name: _path(_ringed_coin(5, name=name), 1.0, 1.0, {**_STICK, **_STEP}, until=until,
                         name=name) for name in ("coin", "zloty")}
    apart = np.abs(paths["coin"][:, 1:3] - paths["zloty"][:, 1:3]).max()
    found.append(report.bound("001-V-A", "sticking, 1 ms: coin that is A of its pair against one "
                              "that is B, furthest apart [m]", "the same law", apart, 1e-11))  # measured 2.8e-13
    plain = _path(_ringed_coin(5), 1.0, 1.0, {**_LAGGED, **_STEP}, until=until)
    aside = np.abs(paths["coin"][:, 1:3] - plain[:, 1:3]).max()
    found.append(report.bound("001-V-A", "sticking, 1 ms: from the path with regularised friction "
                              "[m]", "lagged, 1e-6 m/s", aside, 1e-6))  # measured 6.8e-8
    return found


def _draw(curves, sizes, grid):
    figure, axes = plt.subplots(1, 2, figsize=(9, 4))
    for law, (steps, errors) in curves.items():
        axes[0].loglog(steps, errors, "o-", ms=4, label=law)
    steps, errors = curves["tamsi"]
    axes[0].loglog(steps, [errors[-1] * s / steps[-1] for s in steps], "k--", lw=0.8)
    axes[0].set(xlabel="time step [s]", ylabel="|x_d - x| / |x|")
    axes[0].legend()
    axes[1].loglog(sizes, grid, "o-", ms=4)
    axes[1].loglog(sizes, [grid[-1] * (s / sizes[-1]) ** 2 for s in sizes], "k--", lw=0.8)
    axes[1].set(xlabel="grid size [m]")
    figure.savefig(programs.plot("coin_order.png"), dpi=120)
    plt.close(figure)


def rows():
    return _fan() + _ringed() + _regularised() + _either_name() + _orders()
