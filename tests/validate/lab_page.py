#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""One page with the figures of [Datta2018] and what `isobar lab` has in their place.

lab_page.py [OUT.html] [--e1 FILE] [--e2 FILE] [--e3 FILE]

Without files E1 is that of data/lab_e1.csv, and E2 and E3 are computed on small blocks. FILE is of a
longer run: `isobar lab e1 --json > FILE`, `isobar lab e2 --table FILE`, `isobar lab e3 --table FILE`.
"""

import argparse
import csv
import html
import io
import json
import math
import pathlib
import subprocess
import tempfile

import matplotlib
import matplotlib.ticker
import numpy as np

matplotlib.use("svg")
from matplotlib import pyplot as plt  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
THESIS, OURS = "0.55", "C0"
SMALL = ("--points", 16, "--upper-points", 8, "--across", 8)
# Levels of the series of figure 4.2: what varies, what is held.
SERIES = (("a", "young", [{"poisson": 0.25, "beta": 0.2, "density": 0.5}]),
          ("b", "poisson", [{"young": 1e5, "beta": 0.1, "density": d} for d in (0.25, 0.5, 1.0)]),
          ("c", "beta", [{"young": 1e5, "poisson": 0.25, "density": d} for d in (0.25, 0.5, 1.0)]),
          ("d", "density", [{"young": 1e5, "beta": 0.1, "poisson": p} for p in (0.48, 0.25, 0.1)]))
NAMES = {"young": "E", "poisson": "nu", "beta": "beta", "density": "rho"}


def lab(*arguments):
    found = subprocess.run(["isobar", "lab", *map(str, arguments), "--json"], capture_output=True,
                           text=True, check=True)
    return json.loads(found.stdout)


def as_svg(figure):
    text = io.StringIO()
    figure.tight_layout()
    figure.savefig(text, format="svg")
    plt.close(figure)
    return text.getvalue()[text.getvalue().index("<svg"):]


# --- surfaces and meshes -------------------------------------------------------------------------

def noises(folder):
    """Figure 3.3: noises of equal energy and different spectra."""
    figure, axes = plt.subplots(2, 3, figsize=(10, 4.6))
    for k, kind in enumerate(("white", "pink", "self-affine")):
        path = folder / f"{kind}.npz"
        said = lab("surface", "--kind", kind, "--profile", "--points", 1024, "--pitch", 0.5, "--rms", 5,
                   "--seed", 3, "-o", path)
        heights = np.load(path)["heights"].ravel()
        axes[0, k].plot(0.5 * np.arange(len(heights)), heights, color=OURS, linewidth=0.7)
        axes[0, k].set(title=f"{kind}, rms height {said['rms_height']:.3g}", xlabel="x", ylim=(-20, 20))
        axes[1, k].loglog(said["wave_numbers"], said["spectrum"], color=OURS, linewidth=0.7)
        axes[1, k].set(xlabel="wave number", ylabel="power" if k == 0 else "")
    return as_svg(figure)


def mesh(folder):
    """Figure 3.5: elements are small near the rough face."""
    path = folder / "slide.npz"
    lab("slide", "--kind", "pink", "--pitch", 0.5, "--points", 128, "--upper-points", 64, "--rms", 1.5,
        "--shortest", 8, "--longest", 30, "--young", 1e5, "--poisson", 0.25, "--block-density", 0.5,
        "--gravity", 10, "--height", 16, "--speed", 20, "--travel", 2, "--step", 0.05, "--settle", 20,
        "-o", path)
    data = np.load(path)
    figure, axis = plt.subplots(figsize=(10, 4.4))
    drawn = axis.tripcolor(data["places"][:, 0], data["places"][:, 1], data["elements"].astype(int),
                           np.sqrt(data["energies"].ravel()), edgecolors="0.4", linewidth=0.2, cmap="YlOrRd")
    figure.colorbar(drawn, label="root of the energy density")
    axis.set_aspect("equal")
    return as_svg(figure)


# --- friction ------------------------------------------------------------------------------------

def read_sets(path):
    """Sets of E1: what `isobar lab e1 --json` says, or the table beside this file."""
    if path is not None:
        return json.loads(pathlib.Path(path).read_text(encoding="utf-8"))["sets"]
    lines = (HERE / "data" / "lab_e1.csv").read_text(encoding="utf-8").splitlines()
    sets = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(lines[1:])]
    for one in sets:
        one["static_friction"] = [value for key, value in one.items() if key.startswith("surface_")]
    return sets


def sweeps(sets):
    """Figure 4.2: the coefficient over E, nu, beta and rho; ours over that of the middle of each series."""
    figure, axes = plt.subplots(2, 4, figsize=(12, 6), sharey="row")
    for k, (letter, name, held) in enumerate(SERIES):
        for c, fixed in enumerate(held):
            found = sorted((one for one in sets if all(math.isclose(one[key], value) for key, value in fixed.items())),
                           key=lambda one: one[name])
            level = [one[name] for one in found]
            ours = np.array([[np.nan if mu is None else mu for mu in one["static_friction"]] for one in found])
            label = ", ".join(f"{NAMES[key]} {value:g}" for key, value in fixed.items() if key in ("density", "poisson"))
            axes[0, k].errorbar(level, [one["thesis_mean"] for one in found],
                                [one["thesis_deviation"] for one in found], marker="o", capsize=2,
                                color=str(0.2 + 0.25 * c), label=label)
            count = ours.shape[1]
            # Pairs of surfaces differ more than sets: deviations are those of what is left without them.
            paired = ours - np.nanmean(ours, axis=0, keepdims=True)
            axes[1, k].errorbar(level, np.nanmean(ours, axis=1), np.nanstd(paired, axis=1, ddof=1), marker="o",
                                capsize=2, color=f"C{c}", label=f"{label}, {count} surfaces")
        for axis, whose in zip(axes[:, k], ("thesis", "ours")):
            axis.set(title=f"4.2 {letter}, {whose}", xlabel=NAMES[name], xscale="linear" if name == "poisson" else "log")
            axis.xaxis.set_minor_formatter(matplotlib.ticker.NullFormatter())
            axis.legend(fontsize=6)
    axes[0, 0].set_ylabel("static friction")
    axes[1, 0].set_ylabel("static friction")
    return as_svg(figure)


def read_rows(path, folder, experiment, *arguments):
    if path is None:
        path = folder / f"{experiment}.csv"
        lab(experiment, *SMALL, *arguments, "--table", path)
    return np.genfromtxt(path, delimiter=",", names=True)


def kinetic(path, folder):
    """E2: forces along and across; only signs and shares of their areas are stated in the text."""
    rows = read_rows(path, folder, "e2", "--travel", 2e-4, "--sample", 1e-5)
    figure, axis = plt.subplots(figsize=(10, 3.4))
    after = rows["time"] > 0.0
    axis.plot(1e3 * rows["time"][after], rows["tangential"][after], color="C3", label="along the drag")
    axis.plot(1e3 * rows["time"][after], rows["transverse"][after], color="C2", label="across")
    axis.set(xlabel="time [ms]", ylabel="force [N]")
    other = axis.twinx()
    other.plot(1e3 * rows["time"][after], rows["normal"][after], color=THESIS)
    other.set_ylim(0.0, 20.0)
    other.set_ylabel("normal force [N], 15 wanted", color=THESIS)
    axis.legend()
    step = np.diff(rows["time"][after], prepend=0.0)
    areas = [float((rows[name][after] * step).sum()) for name in ("tangential", "transverse", "normal")]
    return as_svg(figure), areas


def static(path, folder):
    """E3: the force rises to a peak while the block hardly moves."""
    rows = read_rows(path, folder, "e3")
    after = rows["time"] > 0.0
    figure, axis = plt.subplots(figsize=(10, 3.4))
    ratio = rows["tangential"][after] / rows["normal"][after]
    axis.plot(1e3 * rows["time"][after], ratio, color=OURS, label="ours")
    for value in (0.081, 0.096):
        axis.axhline(value, color=THESIS, linestyle="--", label="thesis, table 4.2" if value == 0.081 else None)
    axis.set(xlabel="time [ms]", ylabel="tangential over normal force")
    other = axis.twinx()
    other.plot(1e3 * rows["time"][after], rows["velocity"][after], color="C1", linewidth=0.8)
    other.set_ylabel("mean speed [m/s]", color="C1")
    axis.legend()
    slow = np.abs(rows["velocity"][after]) <= 0.01
    return as_svg(figure), float(ratio[slow].max())


# --- the learned coefficient ---------------------------------------------------------------------

def predict(model, changes):
    """Support vectors at the mean of all features but those that are changed (both bodies alike)."""
    def features(a, b):
        return [a["young_modulus"] / 1e9, a["poisson"], a["density"], b["young_modulus"] / 1e9, b["poisson"], b["density"]]

    known = np.array([features(row["a"], row["b"]) for row in model["rows"]])
    centre, spread = known.mean(axis=0), known.std(axis=0)
    at = centre.copy()
    for key, value in changes.items():
        at[key] = at[key + 3] = value
    return model["bias"] + np.exp(-model["gamma"] * (((known - at) / spread) ** 2).sum(axis=1)) @ model["coefficients"]


def learned(folder):
    """Figure 4.7: the coefficient over E, nu and rho; the specification's numbers of the same model."""
    lab("learn", "--one-way", "-o", folder / "m.json")
    model = json.loads((folder / "m.json").read_text(encoding="utf-8"))
    stated = ((5, 200, (.628, .784, .921, .968, .890, .717)), (.20, .45, (.549, .791, .945, .903, .704, .483)),
              (1000, 9000, (.898, .985, .975, .880, .749, .630)))
    figure, axes = plt.subplots(1, 3, figsize=(11, 3.4), sharey=True)
    worst = 0.0
    for k, (name, (low, high, known)) in enumerate(zip(("E [GPa]", "nu", "rho [kg/m^3]"), stated)):
        x = np.linspace(low, high, 80)
        axes[k].plot(x, [predict(model, {k: value}) for value in x], color=OURS, label="ours")
        places = np.linspace(low, high, 6)
        axes[k].plot(places, known, "o", color=THESIS, label="another solver, same data")
        worst = max(worst, max(abs(predict(model, {k: p}) - m) for p, m in zip(places, known)))
        axes[k].set(title=f"4.7 {'abc'[k]}, thesis: {'rises' if k < 2 else 'falls'}", xlabel=name)
    axes[0].set_ylabel("static friction")
    axes[0].legend(fontsize=7)
    return as_svg(figure), worst


# --- the page ------------------------------------------------------------------------------------

def make_parts(options, folder):
    forces, areas = kinetic(options.e2, folder)
    peak, ratio = static(options.e3, folder)
    fit, worst = learned(folder)
    count = len(read_sets(options.e1)[0]["static_friction"])
    return (
        ("Figure 3.3: noises of equal energy", "The thesis shows kinds of noise without exponent or band.",
         noises(folder)),
        ("Figure 3.5: elements near the rough face", "The thesis has small elements near the rough face and large "
         "ones in the interior. Ours double their width in each layer.", mesh(folder)),
        ("Figure 4.2: static friction over E, nu, beta, rho (E1)", "Grey: table 4.1, 12 surfaces each, with its "
         f"deviation. Colours: the same sets on {count} pairs of surfaces; bars are deviations without what the "
         "pairs have in common. Units, gravity and spectrum are not stated, so levels differ.",
         sweeps(read_sets(options.e1))),
        ("E2: forces of a block that is dragged", "Thesis: areas 1.17e-4 N s along and 8.88e-7 across, mu = 0.0016. Ours: "
         f"{areas[0]:.3g} along, {areas[1]:.3g} across, {areas[2]:.3g} of the normal force. Within a fraction of a pitch "
         "(5 mm) both are how steep the start lies, here about as steep across as along: no friction, and of either sign "
         "from start to start. Longer ways average it out, and the study lab_space judges those.", forces),
        ("E3: a force that grows until the block slides", "Thesis: 0.081 and 0.096, peaks at about 0.2 ms. Ours: "
         f"{ratio:.3g} while the mean speed is at most 0.01 m/s.", peak),
        ("Figure 4.7: the learned coefficient over E, nu, rho", "The thesis' curves have no numbers. Points: the same "
         f"regression by another solver; ours are {worst:.1g} off at most.", fit))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", nargs="?", default="build/validate/lab_figures.html")
    for name in ("--e1", "--e2", "--e3"):
        parser.add_argument(name, metavar="FILE")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        parts = make_parts(options, pathlib.Path(folder))
    body = "\n".join(f"<h2>{html.escape(title)}</h2><p>{html.escape(text)}</p>{svg}" for title, text, svg in parts)
    path = pathlib.Path(options.output)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("<!DOCTYPE html><html lang='en'><meta charset='utf-8'><title>Friction laboratory: figures of the "
                    "thesis and ours</title><style>body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;"
                    "max-width:75rem}svg{max-width:100%;height:auto}</style><h1>Figures of the thesis and ours</h1>"
                    f"<p>A. Datta, A Numerical Study of Frictional Contact (2018).</p>\n{body}\n</html>\n",
                    encoding="utf-8")
    print(path)


if __name__ == "__main__":
    main()
