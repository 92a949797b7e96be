# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""isobar.compare(): what runs with each contact model come to, as worlds of these models have it."""

import math

import numpy as np
import pytest

import isobar

SCENE = """
simulation: {{time_step: 1.0e-3, until: 0.05}}
bodies:
- {{name: world, geometry: [{{name: floor, shape: half_space, compliance: rigid}}]}}
- name: thing
  mass: {mass}
  geometry: [{{name: skin, {shape}, modulus: 1.0e+6, resolution_hint: 0.02}}]
  pose: {{translation: [0, 0, 0.05]}}
  velocity: {{linear: [{speed}, 0, 0]}}
"""


def write(tmp_path, **values):
    path = tmp_path / "scene.yaml"
    path.write_text(SCENE.format(**values))
    return path


@pytest.mark.parametrize("seed", range(3))
def test_runs_are_those_of_worlds_with_the_model(tmp_path, seed):
    random = np.random.default_rng(seed)
    path = write(tmp_path, mass=random.uniform(0.5, 2), speed=random.uniform(-1, 1), shape="shape: sphere, radius: 0.05")
    models = [str(m) for m in random.permutation(["pressure_field", "volumetric", "hertz"])]
    mass = float(random.uniform(0.5, 2))
    runs = isobar.compare(path, models, settings={"bodies.thing.mass": mass}, until=0.03)
    assert [run.model for run in runs] == models
    for run in runs:
        world = isobar.load(path, settings={"bodies.thing.mass": mass, "simulation.contact_model": run.model}).create_world()
        world.step(30)
        assert (run.error, run.steps, run.contacts_of_other_models) == ("", 30, 0)
        assert np.array_equal(run.bodies["thing"]["position"], world.body_pose("thing").translation)
        assert [c["model"] for c in run.contacts] == [run.model]
    assert runs[0].differences is None and runs[1].differences is not None


def test_what_cannot_run_says_so_and_what_cannot_be_read_is_raised(tmp_path):
    path = write(tmp_path, mass=1, speed=0, shape="shape: box, size: [0.1, 0.1, 0.1]")
    runs = isobar.compare(path, output=tmp_path / "page.html") if has_viewer(tmp_path) else isobar.compare(path)
    assert [run.contacts_of_other_models for run in runs] == [0, 0, 1]  # a box is no point
    with pytest.raises(isobar.Error, match="missing.yaml"):
        isobar.compare(tmp_path / "missing.yaml")
    with pytest.raises(isobar.Error, match="'points'"):
        isobar.compare(path, ["points"])


def has_viewer(tmp_path):
    with pytest.raises(isobar.Error) as caught:
        isobar.compare(tmp_path / "missing.yaml", output=tmp_path / "page.html")
    return "viewer" not in str(caught.value)


@pytest.mark.parametrize("models", ["hertz", [1], None, b"hertz"])
def test_models_that_are_no_list_of_names_are_refused_with_an_example(tmp_path, models):
    path = write(tmp_path, mass=1, speed=0, shape="shape: sphere, radius: 0.05")
    with pytest.raises(isobar.ArgumentError, match=r"models is .*, expected a list of texts, such as \['hertz'"):
        isobar.compare(path, models)
    with pytest.raises(isobar.ArgumentError, match="measures is"):
        isobar.sweep(path, {"bodies.thing.mass": [1]}, models, tmp_path / "table.csv")


def test_what_takes_too_long_ends_with_a_cure_and_leaves_nothing(tmp_path, monkeypatch):
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    path = write(tmp_path, mass=1, speed=0, shape="shape: sphere, radius: 0.05")
    has_page = has_viewer(tmp_path)
    with pytest.raises(isobar.Error, match="compare did not end within timeout = 1 s; give it more"):
        isobar.compare(path, until=1e6, timeout=1, output=tmp_path / "page.html" if has_page else None)
    assert list(folder.iterdir()) == []
    assert not (tmp_path / "page.html").exists()


@pytest.mark.parametrize("wrong", [
    {"models": []}, {"models": ["hertzz"]}, {"models": ["hertz", "hertz"]}, {"until": -1.0}, {"until": math.nan},
    {"timeout": -1}, {"timeout": "a"}, {"timeout": math.nan}, {"frame_rate": -3.0}])
def test_wrong_arguments_are_named(tmp_path, wrong):
    scene = tmp_path / "scene.xml"
    scene.write_text("<mujoco/>")
    with pytest.raises(isobar.ArgumentError, match=next(iter(wrong)).replace("_", ".")):
        isobar.compare(scene, **wrong)


def test_a_scene_that_is_not_there_is_named(tmp_path):
    with pytest.raises(isobar.FileError, match="nothing.yaml"):
        isobar.compare(tmp_path / "nothing.yaml")
