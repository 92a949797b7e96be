# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Drawn contacts against tamaas, drawn regressions against scikit-learn, where those are installed."""

import json
import pathlib
import subprocess
import tempfile

import numpy as np

import report

CONTACTS, REGRESSIONS = 24, 12


def _lab(*arguments):
    found = subprocess.run(["isobar", "lab", *map(str, arguments), "--json"], capture_output=True,
                           text=True, check=True)
    return json.loads(found.stdout)


def _contact(draw, tamaas, folder, is_free):
    """Pressures of one rough surface by both. Even sizes: of odd ones tamaas' periodic pressures leave
    gaps of up to 4 % of the rms height where they touch, ours none."""
    rows, columns = (int(n) for n in draw.choice([8, 12, 16, 24, 32, 48, 64], 2))
    pitch, modulus = float(10.0 ** draw.uniform(-9.0, 0.0)), float(10.0 ** draw.uniform(3.0, 12.0))
    heights = draw.normal(size=(rows, columns))
    for _ in range(int(draw.integers(0, 6))):
        heights = (heights + np.roll(heights, 1, 0) + np.roll(heights, 1, 1)) / 3.0
    heights *= pitch * 10.0 ** draw.uniform(-3.0, 0.0) / heights.std()
    load = float(min(modulus * heights.std() / pitch * 10.0 ** draw.uniform(-3.0, 0.5), 0.9 * modulus))
    path = folder / "surface.csv"
    np.savetxt(path, heights, delimiter=",", fmt="%.17g")
    _lab("contact", "--from", path, "--pitch", pitch, "--contact-modulus", modulus, "--load", load, "-o",
         folder / "contact.npz", "--tolerance", 1e-11, *(["--free"] if is_free else []))
    ours = np.load(folder / "contact.npz")["pressures"]
    model = tamaas.Model(tamaas.model_type.basic_2d, [rows * pitch, columns * pitch], [rows, columns])
    model.E, model.nu = modulus, 0.0
    solver = tamaas.PolonskyKeerRey(model, heights, 1e-13)
    solver.max_iter = 20000
    if is_free:
        tamaas.ModelFactory.registerNonPeriodic(model, "dcfft")
        solver.setIntegralOperator("dcfft")
    solver.solve(load)
    return (np.abs(ours - model.traction).max() / model.traction.max(),
            int(((ours > 0.0) != (model.traction > 0.0)).sum()))


def _contacts():
    try:
        import tamaas
    except ImportError:
        print("  lab_oracles: tamaas is not installed, its contacts are skipped")
        return []
    tamaas.set_log_level(tamaas.LogLevel.error)
    draw, out = np.random.default_rng(31), []
    with tempfile.TemporaryDirectory() as folder:
        for is_free in (False, True):
            found = [_contact(draw, tamaas, pathlib.Path(folder), is_free) for _ in range(CONTACTS // 2)]
            name = "free" if is_free else "periodic"
            out.append(report.bound("003-half-space", f"pressures of {name} contacts, worst difference over "
                                    "the largest", "tamaas, drawn", max(e for e, _ in found), 1e-8))
            out.append(report.absolute("003-half-space", f"points that touch in one of both, {name}", 0,
                                       "tamaas, drawn", sum(n for _, n in found), 0))
    return out


def _regression(draw, svm, folder):
    """Errors of the rows, trained with and left out, by both."""
    count, kind = int(draw.integers(4, 50)), str(draw.choice(["raw", "standard", "log"]))
    pair = np.concatenate([np.array([10.0 ** draw.uniform(-3.0, 3.0, count), draw.uniform(0.0, 0.49, count),
                                     10.0 ** draw.uniform(2.0, 4.3, count)]).T for _ in range(2)], axis=1)
    friction = np.abs(0.6 + 0.3 * np.sin(pair[:, 0] / 50.0) + 0.2 * draw.normal(size=count))
    path, model = folder / "rows.csv", folder / "model.json"
    path.write_text("".join(f"a{i},{','.join(map(repr, map(float, row[:3])))},b{i},"
                            f"{','.join(map(repr, map(float, row[3:])))},{float(mu)!r}\n"
                            for i, (row, mu) in enumerate(zip(pair, friction))), encoding="utf-8")
    said = _lab("learn", "--from", path, "--features", kind, "--one-way", "-o", model)
    options = json.loads(model.read_text(encoding="utf-8"))
    if kind == "log":
        pair[:, [0, 2, 3, 5]] = np.log(pair[:, [0, 2, 3, 5]])

    def predict(kept, asked):
        centre, spread = (0.0, 1.0) if kind == "raw" else (pair[kept].mean(0), pair[kept].std(0))
        other = svm.SVR(gamma=options["gamma"], C=options["penalty"], epsilon=options["epsilon"], tol=1e-8)
        other.fit((pair[kept] - centre) / spread, friction[kept])
        return other.predict((pair[asked] - centre) / spread)

    every = np.arange(count)
    trained = predict(every, every) - friction
    left_out = np.array([predict(every != i, every == i)[0] for i in every]) - friction
    return max(abs(np.sqrt((trained**2).mean()) - said["train_rmse"]),
               abs(np.sqrt((left_out**2).mean()) - said["left_out_rmse"]))


def _regressions():
    try:
        from sklearn import svm
    except ImportError:
        print("  lab_oracles: scikit-learn is not installed, its regressions are skipped")
        return []
    draw = np.random.default_rng(32)
    with tempfile.TemporaryDirectory() as folder:
        worst = max(_regression(draw, svm, pathlib.Path(folder)) for _ in range(REGRESSIONS))
    return [report.bound("003-svr", "rms of rows trained with and left out, drawn tables, worst difference",
                         "scikit-learn, drawn", worst, 1e-6)]


def rows():
    return _contacts() + _regressions()
