# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Elandt 2022, section 5.3: mechanisms that work by patches on coarse, non-convex meshes, and a
controller that feels them. A cleat (scenes/cleat.yaml) lets a rod through one way and jams the
other; a bolt (scenes/bolt.yaml) slips over the thread of its hole once a turn until it is turned
the right way; a paddle (scenes/sorting.yaml) sorts cubes by the area in contact.
"""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402

import engine  # noqa: E402
import programs  # noqa: E402
import report  # noqa: E402
import traces  # noqa: E402

_CLEAT, _BOLT = "Elandt 2022, 5.3.2, fig. 5.4", "Elandt 2022, 5.3.4, fig. 5.6"
_SORTING = "Elandt 2022, 5.3.3, fig. 5.5"
_PITCH = 4e-3
_BINS = {"small_1": 0.0, "small_2": 0.0, "medium_1": 120.0, "large_1": 240.0}  # directions [deg]
_DOWN = 1.0  # until then the rod is drawn down
_TURNED = 2.15  # the bolt is turned the other way


def _pace(id, source, name, most):
    return report.bound(id, f"{name}: processor time of a simulated second, fixed steps [s]", source,
                        engine.pace(engine.ROOT / "scenes" / f"{name}.yaml"), most)


def _rod(until, friction=None):
    settings = {} if friction is None else {f"materials.{name}.friction": friction
                                            for name in ("rubber", "steel")}
    trace = traces.run(engine.ROOT / "scenes" / "cleat.yaml", until, 10, settings)
    return trace, trace.joint("slide")[:, 0]


def _cleat(axes):
    trace, z = _rod(4.0)
    smooth, z_smooth = _rod(4.0, 0.2)  # below tan 15 degrees = 0.27, the slope of the spiral
    axes.plot(trace.times, 1e3 * z, label="friction 0.6")
    axes.plot(smooth.times, 1e3 * z_smooth, label="friction 0.2")
    axes.set(xlabel="t [s]", ylabel="rod [mm]")
    axes.legend()
    down, held = traces.at(trace, _DOWN), traces.at(trace, 3.0)
    late = trace.joint("slide")[held:, 1]
    slips = z_smooth[-1] - z_smooth[traces.at(smooth, 3.0)]
    cam = trace.joint("left_pin")[:, 0]
    return [
        # Measured 44 mm.
        report.at_least("000-5.3.2-cleat", "drawn down by 4 N: its way in the second half of a second [m]",
                        _CLEAT, z[traces.at(trace, 0.5)] - z[down], 0.02),
        # Measured 1.9 mm: slack, and what the rubber gives way.
        report.bound("000-5.3.2-cleat", "drawn up by 20 N: how far it comes [m]", _CLEAT,
                     z[-1] - np.min(z), 4e-3),
        report.at_least("000-5.3.2-cleat", "the same: it moves a little [m]", _CLEAT,
                        z[-1] - np.min(z), 1e-4),
        # Measured 0.085 rad: from the side of small radius to where it jams.
        report.at_least("000-5.3.2-cleat", "the same: it takes the cams along [rad]", _CLEAT,
                        cam[down] - cam[-1], 0.05),
        report.bound("000-5.3.2-cleat", "and then not at all: drift over the last second [m/s]",
                     _CLEAT, abs(z[-1] - z[held]) / (trace.times[-1] - trace.times[held]), 1e-12),
        report.bound("000-5.3.2-cleat", "and then not at all: largest speed in the last second [m/s]",
                     _CLEAT, float(np.max(np.abs(late))), 1e-12),
        # Measured 13 mm: the teeth of the cams hold it back, but do not stop it.
        report.at_least("000-5.3.2-cleat", "friction 0.2, less than the slope of the cams: it creeps through, "
                        "its way up in the last second [m]", "statics", slips, 5e-3),
        # The thesis took a second of computing a second. Measured 0.05.
        _pace("000-5.3.2-cleat", _CLEAT, "cleat", 1.0),
    ]


def _falls(times, z):
    """Where z falls by more than half a pitch within 60 ms: [(time, how far from top to bottom)]"""
    step = round(0.06 / (times[1] - times[0]))
    found, i = [], 0
    while i + step < len(z):
        if z[i] - np.min(z[i : i + step]) > 0.5 * _PITCH:
            found.append((times[i], np.max(z[i : i + step]) - np.min(z[i : i + 2 * step])))
            i += step
        i += 1
    return found


def _bolt(axes):
    trace = traces.run(engine.ROOT / "scenes" / "bolt.yaml", 5.0, 1)
    z, turn = trace.joint("z")[:, 0], trace.joint("turn")[:, 0] / (2.0 * np.pi)
    axes.plot(trace.times, 1e3 * z)
    axes.axvline(_TURNED, color="grey", linewidth=0.5)
    axes.set(xlabel="t [s]", ylabel="bolt [mm]")
    landed = traces.at(trace, 0.2)
    back = slice(landed, traces.at(trace, _TURNED))
    falls = _falls(trace.times[back], z[back])
    turns = np.interp([t for t, _ in falls], trace.times, turn)
    engaged = slice(traces.at(trace, 3.0), None)
    slope, offset = np.polyfit(turn[engaged], z[engaged], 1)
    ripple = float(np.max(np.abs(slope * turn[engaged] + offset - z[engaged])))
    fall = float(np.mean([depth for _, depth in falls]))
    return [
        report.absolute("000-5.3.4-bolt", "turned backwards from 0.2 to 2.15 s: falls", 2, _BOLT,
                        len(falls), 0),
        report.relative("000-5.3.4-bolt", "turns from one fall to the next", 1.0, _BOLT,
                        float(np.mean(np.diff(turns))), 0.02),
        # It tips by its play as less and less of the thread carries it: measured 3.73 mm.
        report.relative("000-5.3.4-bolt", "how far it falls [m], pitch", _PITCH, _BOLT, fall, 0.15),
        # The thread is one of 23 corners: measured 3e-4 and 5e-5 m.
        report.relative("000-5.3.4-bolt", "turned forwards: how far it goes in a turn [m]", _PITCH,
                        _BOLT, float(slope), 2e-3),
        report.bound("000-5.3.4-bolt", "the same: largest distance from the thread [m]", _BOLT,
                     ripple, 1e-4),
        # The thesis took four hours for all. Measured 0.46.
        _pace("000-5.3.4-bolt", _BOLT, "bolt", 1.0),
    ]


def _sorting(axes):
    bodies = engine.run(engine.ROOT / "scenes" / "sorting.yaml")["bodies"]
    result = []
    for name, direction in _BINS.items():
        x, y, z = bodies[name]["position"]
        axes.plot(1e3 * x, 1e3 * y, "s", label=name)
        off = np.degrees(np.arctan2(y, x)) - direction
        # Walls between bins, which meet at the axis, are 60 degrees off.
        result.append(report.bound("000-5.3.3-sorting", f"{name}: distance from the middle of its bin "
                                   "[deg]", _SORTING, abs((off + 180.0) % 360.0 - 180.0), 60.0))
        # The middle of one of 5 cm that lies flat is at 25 mm; the paddle hangs at 35 cm.
        result.append(report.bound("000-5.3.3-sorting", f"{name}: height on the floor [m]", _SORTING, z, 0.06))
    for wall in np.radians((60.0, 180.0, 300.0)):
        axes.plot([0, 600 * np.cos(wall)], [0, 600 * np.sin(wall)],
                  color="grey")
    axes.set(xlabel="x [mm]", ylabel="y [mm]", aspect="equal")
    axes.legend()
    # The thesis took four hours.
    return [*result, _pace("000-5.3.3-sorting", _SORTING, "sorting", 300.0 / 13.0)]


def rows():
    figure, axes = plt.subplots(1, 3, figsize=(12, 3.4), layout="constrained")
    result = _cleat(axes[0]) + _bolt(axes[1]) + _sorting(axes[2])
    figure.savefig(programs.plot("mechanisms.png"), dpi=120)
    plt.close(figure)
    return result
