# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Friction that sticks: the convex step's, six numbers of compliance and a field, side by side.

A cylinder stands on a floor and is pushed by a force that grows slowly, or turned by a moment. All
three have the same springs. Scales: mu N, 2/3 mu N R, mu / kbar and mu / (kbar R).
"""

import math

import isobar
import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

import programs  # noqa: E402
import report  # noqa: E402

_RADIUS, _STIFFNESS, _TIME, _FRICTION, _MASS = 0.03, 500.0, 0.008, 0.5, 0.5
_NORMAL = 9.81 * _MASS
_STRETCH = _FRICTION / _STIFFNESS
_MOMENT = 2.0 / 3.0 * _FRICTION * _NORMAL * _RADIUS
_LAWS = ("stick", "compliant", "brush")
_HEIGHT = 0.02  # of the centre of mass


def _world(law):
    material = {"friction_static": _FRICTION, "friction_dynamic": _FRICTION}
    model = isobar.Model()
    model.add_body("zcylinder", mass=_MASS, inertia=(4e-5,) * 3)
    model.add_geometry("zcylinder", isobar.cylinder(_RADIUS, 2 * _HEIGHT), material=isobar.Material(
        compliance="compliant", modulus=1e6, dissipation=50.0, resolution_hint=0.004, **material))
    model.add_geometry("world", isobar.half_space(), material=isobar.Material(compliance="rigid", **material))
    options = isobar.ContactOptions(friction_stiffness=_STIFFNESS, friction_damping_time=_TIME, brush_size=7.5e-3)
    options.friction_law = "viscous" if law == "stick" else law
    world = isobar.World(model, method="lagged" if law == "stick" else "rk45", accuracy=1e-6,
                         time_step=1e-3 if law == "stick" else 4e-3, contact=options)
    world.set_free_body("zcylinder", (0, 0, 0.99825 * _HEIGHT))
    world.step(200 if law == "stick" else 50)
    return world


def _load(law, force, moment):
    """Path and angle by load, over mu / kbar and that by R, while the load grows to its end in 1.2 s."""
    world = _world(law)
    steps = 1200 if law == "stick" else 300
    start, found = np.array(world.get_state()[0]), []
    for i in range(steps):
        share = (i + 1) / steps
        world.apply_wrench("zcylinder", (0, -_HEIGHT * share * force, share * moment, share * force, 0, 0))
        world.step(1)
        q = np.array(world.get_state()[0])
        angle = 2.0 * math.asin(q[3] * start[0] - q[0] * start[3])
        found.append((share, (q[4] - start[4]) / _STRETCH, angle * _RADIUS / _STRETCH))
    return np.array(found)


def _exact_angle(share):
    """Angle of a disc at a share of the largest moment: all sticks to 3/4, then the rim slides inwards."""
    return share * 4.0 / 3.0 if share <= 0.75 else (4.0 * (1.0 - share)) ** (-1.0 / 3.0)


def rows():
    result, id = [], "000-6.2-sticking"
    pushed = {law: _load(law, 0.95 * _FRICTION * _NORMAL, 0.0) for law in _LAWS}
    turned = {law: _load(law, 0.0, 0.97 * _MOMENT) for law in _LAWS}
    at = {law: lambda runs, load, end, column, law=law: float(np.interp(load / end, runs[law][:, 0], runs[law][:, column]))
          for law in _LAWS}
    for law in _LAWS:
        for load in (0.3, 0.6, 0.9):
            result.append(report.absolute(id, f"{law}: path under {load} mu N, over mu / kbar", load, "Hooke",
                                          at[law](pushed, load, 0.95, 1), 0.03))
        for load in (0.3, 0.6):
            result.append(report.absolute(id, f"{law}: angle under {load} of the largest moment, over mu / (kbar R)",
                                          _exact_angle(load), "closed form, all sticks", at[law](turned, load, 0.97, 2), 0.03))
    for load in (0.85, 0.95):
        exact = _exact_angle(load)
        result.append(report.relative(id, f"brush: angle under {load} of the largest moment, the rim slides", exact,
                                      "closed form", at["brush"](turned, load, 0.97, 2), 0.05))
        result.append(report.reported(id, f"stick: the same, all sticks ({exact:.3g} in closed form)", "measured",
                                      at["stick"](turned, load, 0.97, 2)))
        result.append(report.reported(id, f"compliant: the same, slides from 3/4 on ({exact:.3g} in closed form)",
                                      "measured", at["compliant"](turned, load, 0.97, 2)))
    figure, axes = plt.subplots(1, 2, figsize=(11, 4.5))
    for law in _LAWS:
        axes[0].plot(pushed[law][:, 1], 0.95 * pushed[law][:, 0], label=law)
        axes[1].plot(turned[law][:, 2], 0.97 * turned[law][:, 0], label=law)
    loads = np.linspace(0.0, 0.97, 200)
    axes[1].plot([_exact_angle(load) for load in loads], loads, "k:", label="closed form")
    axes[0].set(xlabel="path / (mu / kbar)", ylabel="force / (mu N)", title="pushed")
    axes[1].set(xlabel="angle / (mu / (kbar R))", ylabel="moment / (2/3 mu N R)", title="turned", xlim=(0, 4))
    for axis in axes:
        axis.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(programs.plot("stick_or_slide.png"), dpi=110)
    plt.close(figure)
    return result
