# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Parameters from measurements that are drawn, and by rules of thumb."""

import json
import math
import subprocess

import isobar
import numpy as np
import pytest


def presses(seed, noise=0.0):
    rng = np.random.default_rng(seed)
    k, depth = 10 ** rng.uniform(6, 9), np.linspace(1e-5, 2e-4, 60)
    force = k * depth ** 1.5
    return k, {"depth": depth, "force": force + noise * force[-1] * rng.normal(size=depth.size)}


@pytest.mark.parametrize("seed", range(5))
def test_columns_and_files_give_what_the_samples_are_made_of(seed, tmp_path):
    k, columns = presses(seed, 1e-3)
    found = isobar.identify(columns, exponent=1.5)
    stiffness = found.parameters["stiffness"]
    assert found.kind == "indentation" and found.sample_count == 60
    assert stiffness.low < stiffness.value < stiffness.high and stiffness.unit == "N/m^p"
    assert stiffness.value == pytest.approx(k, rel=0.01)
    table = tmp_path / "press.csv"
    np.savetxt(table, np.c_[columns["depth"], columns["force"]], delimiter=",", header="depth,force",
               comments="", fmt="%.17g")
    assert isobar.identify(table, exponent=1.5).parameters == found.parameters
    told = subprocess.run(["isobar", "identify", table, "--exponent", "1.5", "--json"], check=True,
                          capture_output=True, text=True).stdout
    assert json.loads(told)["parameters"]["stiffness"]["value"] == stiffness.value
    curve = found.curve(columns["depth"])
    assert np.sqrt(np.mean((curve - columns["force"]) ** 2)) == pytest.approx(found.residual, rel=0.1)
    found.write_svg(tmp_path / "fit.svg")
    assert "<svg" in (tmp_path / "fit.svg").read_text()


def test_a_tap_gives_the_bristles_of_a_scene():
    sigma0, g = 2e4, 9.81
    rate, zeta = math.sqrt(sigma0 * g), 0.3
    t = np.linspace(0, 0.08, 400)
    swing = rate * math.sqrt(1 - zeta ** 2)
    found = isobar.identify({"time": t, "position": 1e-5 * np.exp(-zeta * rate * t) * np.sin(swing * t)})
    assert found.kind == "tap"
    values = [p.value for p in found.parameters.values()]
    assert values[0] == pytest.approx(sigma0, rel=1e-3)
    assert values[1] == pytest.approx(2 * zeta * rate / g, rel=1e-3)


def test_bad_samples_name_place_value_and_range():
    _, columns = presses(1)
    slides = {"speed": np.linspace(0.01, 1, 20), "friction": np.full(20, 3.0), "normal": np.full(20, 9.0)}
    slides["normal"][7] = -1.0
    with pytest.raises(isobar.RangeError, match="table: sample 8: normal is -1"):
        isobar.identify(slides)
    with pytest.raises(isobar.NotFoundError, match="force"):
        isobar.identify({"depth": [1.0, 2.0]}, kind="indentation")
    for wrong in ([1.0, 2.0, 3.0], 1.0, [[1.0], [2.0]]):
        with pytest.raises(isobar.ArgumentError, match="depth .2,., force .*expected one dimension"):
            isobar.identify({"depth": [1.0, 2.0], "force": wrong})
    with pytest.raises(ValueError, match="is not an identify kind; expected one of indentation"):
        isobar.identify(columns, kind="press")
    with pytest.raises(isobar.FileError):
        isobar.identify("no.csv")


def test_a_guess_is_a_material():
    guess = isobar.bristle_guess(0.3, friction_static=0.4, presliding=2e-4, sliding_speed=0.5)
    material = isobar.Material(**guess)
    assert material.bristle_stiffness == pytest.approx(0.4 / 2e-4)
    assert material.bristle_damping == pytest.approx(2 * math.sqrt(2e3 / 9.81))
    assert material.stribeck_speed == pytest.approx(5e-3)
    assert isobar.bristle_guess(0.3)["friction_static"] == 0.3
    with pytest.raises(isobar.RangeError):
        isobar.bristle_guess(-1.0)
