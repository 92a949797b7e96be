# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Gonthier 2007, chapter 5: the experiments of the point model that need no world.

An impact (E1), a block on a moving plate (E2), a ball on an incline (E3) and in a cylinder (E4, E5), a
double pendulum (E6) and its single-impact benchmark (E6b), the identification of one's own rig (E7);
their acceptance numbers (T1 to T8). "Independent" numbers were computed apart from this code, from the thesis' equations: its
figures have no tables.
"""

import json
import math
import pathlib
import tempfile

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402

import engine  # noqa: E402
import programs  # noqa: E402
import report  # noqa: E402

_HC = [1.01002, 1.04109, 1.09714, 1.18658, 1.32592, 1.54934, 1.93763, 2.73427, 5.15833]
_LN = [1.01464, 1.05888, 1.13710, 1.26025, 1.45048, 1.75409, 2.28075, 3.36131, 6.65265]
_D = {.1: .99981593975, .2: .98383334316, .3: .92612459434, .4: .83299926566, .5: .71637526664,
      .6: .58492302649, .7: .44437979689, .8: .29851696269, .9: .14983375562, .99: .01499984849}
_FORCES = {.05: [1.5, 1.4955, 1.4954], .1: [1.5, 1.4455, 1.4377, 1.4364],
           .15: [1.5, 1.3680, 1.3288, 1.3132, 1.3062]}
_POSITIONS = {.05: (.7554, 15.16), .1: (.7644, 7.74), .15: (.7774, 5.32)}
_LOSS = {("b", 1): [0, 8.48, 14.58, 19.16, 22.73, 25.58, 27.91, 29.85, 31.48, 32.88, 34.09],
         ("b", .9): [1.26, 9.33, 15.13, 19.51, 22.92, 25.64, 27.88, 29.74, 31.31, 32.65, 33.82],
         ("b", .5): [4.95, 11.34, 15.98, 19.50, 22.26, 24.48, 26.31, 27.83, 29.13, 30.24, 31.20],
         ("a", .5): [59.0, 74.4, 61.6, 62.5, 63.0, 63.4, 63.7, 63.9, 64.1, 64.2, 64.3],
         ("a", 1): [0, 59.3, 22.1, 26.3, 29.1, 31.0, 32.5, 33.6, 34.5, 35.2, 35.8]}
_OWN = "independent"


def _impacts(found):
    cases = [item for item in found if item["kind"] == "impact"]
    ratios = {name: [item["ratio"] for item in cases if item["model"] == name]
              for name in ("exact", "hunt_crossley", "lankarani_nikravesh")}
    result = [
        # Measured 1.7e-9.
        report.bound("004-E1", "e_eff / e_emp - 1, v = 0.5 ... 4.5 m/s", "thesis, fig. 5.1: 1",
                     max(abs(ratio - 1) for ratio in ratios["exact"]), 1e-6),
        report.bound("004-T2", "greatest depth over the closed form - 1", "closed form",
                     max(abs(item["depth"] - 1) for item in cases), 1e-6),
        report.bound("004-E1", "least normal force [N]", "never tensile",
                     min(item["least"] for item in cases), 0.0),
    ]
    for name, table in (("hunt_crossley", _HC), ("lankarani_nikravesh", _LN)):
        # Measured 4e-6: the digits of the table.
        worst = max(abs(ours - theirs) for ours, theirs in zip(ratios[name], table))
        result.append(report.bound("004-T3", f"{name}: ratio of nine speeds, difference",
                                   _OWN, worst, 1e-5))
    factors = {round(item["e"], 2): item["d"] for item in found if item["kind"] == "factor"}
    result.append(report.bound("004-T1", "d(e), largest difference", f"{_OWN}, 11 digits",
                               max(abs(factors[e] - d) for e, d in _D.items()), 1e-10))
    return result, ratios


def _blocks(found):
    result = []
    for item in (item for item in found if item["kind"] == "block"):
        plate = item["plate"]
        name = f"plate at {plate} m/s"
        result.append(report.relative("004-E2", f"{name}: first peak of friction [N]", 1.5,
                                      "thesis: mu_S f_n", item["forces"][0], 1e-4))
        pairs = list(zip(item["forces"], _FORCES[plate]))
        result.append(report.bound("004-T4", f"{name}: peaks of friction, relative", _OWN,
                                   max(abs(a / b - 1) for a, b in pairs), 1e-4))
        highest, when = _POSITIONS[plate]
        result.append(report.relative("004-E2", f"{name}: first turn |r| [m]", highest, _OWN,
                                      item["positions"][0], 1e-4))
        result.append(report.absolute("004-E2", f"{name}: its time [s]", when, _OWN,
                                      item["times"][0], 5e-3))
        result.append(report.bound("004-E2", f"{name}: |x - y| [m]", "one vector law",
                                   item["asymmetry"], 1e-14))
    return result


def _balls(found):
    ball = next(item for item in found if item["kind"] == "incline")
    result = [
        report.relative("004-T6", "speed across the slope [m/s]", 5 / 7 * .5, "closed form",
                        ball["along"], 1e-4),
        report.relative("004-T6", "acceleration down the slope when it rolls [m/s^2]",
                        5 / 7 * 9.81 * math.sin(math.radians(20)), "closed form", ball["gains"], 1e-3),
        report.relative("004-E3", "speed down the slope at 2 s [m/s]", 4.122, _OWN, ball["down"],
                        1e-4),
        report.relative("004-E3", "rolling: R w_y [m/s]", ball["down"], "thesis: v = R w",
                        .1 * ball["spin_y"], 1e-4),
        report.bound("004-E3", "times of five impacts [s], difference", _OWN,
                     max(abs(a - b) for a, b in
                         zip(ball["times"], [.5112, 1.0646, 1.3403, 1.4770, 1.5438])), 1e-4),
    ]
    across, along = [item for item in found if item["kind"] == "cylinder"]
    result += [
        report.bound("004-E4", "motion out of the plane [m]", "thesis: none", across["astray"],
                     0.0),
        report.relative("004-E4", "largest speed [m/s]", 1.0, "thesis: 1 (graph)",
                        across["fastest"], .03),
        report.relative("004-E4", "largest spin [rad/s]", 10.0, "thesis: 10 (graph)",
                        across["spinning"], .03),
        report.relative("004-E5", "largest speed across [m/s]", .984, _OWN, along["fastest"], 1e-3),
        report.bound("004-T7", "change of energy from 3 to 6.5 s [J] of 20", "thesis: constant",
                     along["drift"], 1e-4),
    ]
    return result


def _pendulum(found):
    pendulum = next(item for item in found if item["kind"] == "pendulum")
    result = [
        report.Row("004-E6", "rest angle of joint 1 [degrees]", 2.2, "thesis (masses unstated)",
                   pendulum["phi_1"], abs(pendulum["phi_1"] - 2.2), 4.0),
        report.absolute("004-E6", "rest angle of joint 2 [degrees]", -65.0, "thesis",
                        pendulum["phi_2"], 3.0),
        report.absolute("004-T8", "rest angle of joint 1 [degrees], point masses", .45, _OWN,
                        pendulum["phi_1"], .01),
        report.absolute("004-T8", "rest angle of joint 2 [degrees], point masses", -64.16, _OWN,
                        pendulum["phi_2"], .01),
        report.absolute("004-E6", "time from which it sticks [s]", 7.0, "thesis: after 6.5",
                        pendulum["sticks"], 2.0),
        report.bound("004-T8", "largest rise of the energy [J] of 20", "never",
                     pendulum["rise"], 1e-5),
    ]
    losses = {(item["case"], item["e"]): item["loss"] for item in found
              if item["kind"] == "benchmark"}
    for key, table in _LOSS.items():
        digits = .0055 if key[0] == "b" else .055
        worst = max(abs(a - b) for a, b in zip(losses[key], table))
        result.append(report.bound("004-T8b", f"({key[0]}) e = {key[1]}: energy lost in an impact "
                                   "at eleven mu, difference [% of 100]", f"{_OWN}, its digits",
                                   worst, digits))
    higher = [mu / 10 for mu in range(11) if losses["b", 1][mu] > losses["b", .5][mu]]
    result.append(report.at_least("004-E6b", "(b) friction coefficients where e = 1 loses more "
                                  "than e = 0.5", "thesis: some", len(higher), 1))
    return result, losses


def _loop():
    """E7: a rig of our own through `isobar identify`, with the thesis' noise."""
    rng = np.random.default_rng(2007)
    truth = {"stiffness": 2.5413e8, "friction_static": .16, "friction_dynamic": .1}
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)

        def identify(name, columns, values, *arguments):
            path = folder / f"{name}.csv"
            np.savetxt(path, values, delimiter=",", header=columns, comments="")
            out = engine.command("identify", path, "--json", *arguments, packages=False)
            return json.loads(out)["parameters"]

        depth = np.linspace(1e-5, 1.3e-4, 400)  # up to 380 N, force noise 1 N
        force = truth["stiffness"] * depth ** 1.5 + rng.normal(0, 1, depth.size)
        found.update(identify("press", "depth,force", np.c_[depth, force], "--exponent", "1.5"))
        speed = np.linspace(.001, .5, 400)
        normal = np.full(speed.size, 30.0)
        friction = normal * (.1 + .06 * np.exp(-(speed / .1) ** 2)) + rng.normal(0, .1, speed.size)
        found.update(identify("slide", "speed,friction,normal", np.c_[speed, friction, normal]))
    result = []
    for name, value in truth.items():
        ours = found[name]
        low, high = ours["interval_95"]
        result.append(report.relative("004-E7", f"{name} from its own measurement", value,
                                      "thesis, table 5.4", ours["value"], .02))
        result.append(report.bound("004-E7", f"{name}: distance from the truth over the half "
                                   "interval of 95 %", "of 20 measurements one is beyond 1",
                                   abs(ours["value"] - value) / (.5 * (high - low)), 1.5))
    return result


def _plot(ratios, losses, found):
    figure, axes = plt.subplots(1, 3, figsize=(13, 4), layout="constrained")
    speed = [.5 * i for i in range(1, 10)]
    for name, values in ratios.items():
        axes[0].plot(speed, values, "o-", label=name)
    axes[0].set(xlabel="impact speed [m/s]", ylabel="e_eff / e_emp", title="E1")
    axes[0].legend()
    for item in (item for item in found if item["kind"] == "block"):
        axes[1].plot(range(1, len(item["forces"]) + 1), item["forces"], "o-",
                     label=f"{item['plate']} m/s")
    axes[1].set(xlabel="breakaway", ylabel="friction [N]", title="E2")
    axes[1].legend()
    for (case, e), values in losses.items():
        axes[2].plot([mu / 10 for mu in range(11)], values, "-" if case == "b" else "--",
                     label=f"({case}) e = {e}")
    axes[2].set(xlabel="friction coefficient", ylabel="energy lost [%]", title="E6b")
    axes[2].legend(fontsize=8)
    figure.savefig(programs.plot("point_contact.png"), dpi=120)
    plt.close(figure)


def rows():
    found = programs.run("point")
    impacts, ratios = _impacts(found)
    pendulum, losses = _pendulum(found)
    _plot(ratios, losses, found)
    result = impacts + _blocks(found) + _balls(found) + pendulum + _loop()
    assert all(math.isfinite(row.ours) for row in result)
    return result
