# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Error control of velocity-level methods from Python, scenarios and the command."""

import json
import math
import random
import re
import subprocess

import numpy as np
import pytest

import isobar
from conftest import SOURCE, soft_ball

METHODS = ("lagged", "sap", "similar", "tamsi", "midpoint")


@pytest.mark.parametrize("method", METHODS)
def test_an_accuracy_asks_for_error_control(method):
    world = isobar.World(soft_ball(), method=method, accuracy=1e-3)
    assert world.settings.error_control and world.settings.time_step == 0.01
    world.step(20)
    report = world.report()
    assert world.time == pytest.approx(0.2)
    assert report.substep_count + report.rejected_count >= 1
    assert 0 < report.smallest_substep <= report.largest_substep <= 0.01
    assert 0 <= report.substep_error <= 1


def test_without_an_accuracy_steps_are_fixed():
    world = isobar.World(soft_ball(), time_step=1e-3)
    world.step()
    assert not world.settings.error_control and world.report().substep_count == 0


# Where nothing happens a time step is one substep, which is cut where the step ends.
@pytest.mark.parametrize("method", ["rk23", "rk45", "radau", "cvode", *METHODS])
def test_a_time_step_of_one_substep_has_a_length(method):
    world = isobar.World(soft_ball(), method=method, accuracy=1e-2, time_step=1e-3)
    lengths, counts = [], []
    for _ in range(100):
        world.step()
        lengths.append(world.report().smallest_substep)
        counts.append(world.report().substep_count)
    assert 1 in counts or method == "cvode"  # it makes three at least
    for length, count in zip(lengths, counts):
        assert 0 < length <= 1e-3 * (1 + 1e-9)
        assert count > 1 or length == pytest.approx(1e-3, rel=1e-6)


def test_continuous_methods_count_substeps_too():
    world = isobar.World(soft_ball(), method="rk45", accuracy=1e-6)
    world.step()
    assert not world.settings.error_control and world.settings.time_step == 1e-3
    assert world.report().substep_count >= 1


@pytest.mark.parametrize("accuracy", [0.0, 1e-20, math.nan, -1.0, 101.0])
def test_accuracies_out_of_range_name_the_range(accuracy):
    with pytest.raises(isobar.RangeError, match=r"accuracy is .*, expected in \[1e-09, 100\]"):
        isobar.World(soft_ball(), accuracy=accuracy)


SCENE = """
name: thrown
simulation: {accuracy: ACCURACY, until: 0.5, method: METHOD}
bodies:
- name: world
  geometry: [{name: ground, shape: half_space, compliance: rigid, friction: 0.4}]
- name: ball
  mass: 0.1
  geometry: [{name: g, shape: sphere, radius: 0.05, compliance: compliant, modulus: 1.0e5, friction: 0.4}]
  pose: {translation: [0, 0, 0.1]}
  velocity: {linear: [0.5, 0, 0]}
"""


def written(tmp_path, method="lagged", accuracy="1.0e-3"):
    path = tmp_path / "thrown.yaml"
    path.write_text(SCENE.replace("METHOD", method).replace("ACCURACY", accuracy))
    return path


@pytest.mark.parametrize("accuracy", ["0", "1.0e-20", ".nan", "200"])
def test_scenarios_refuse_them_with_file_and_line(tmp_path, accuracy):
    with pytest.raises(isobar.Error, match=r"thrown.yaml:3.*accuracy is "):
        isobar.load(written(tmp_path, accuracy=accuracy))


@pytest.mark.parametrize("method", METHODS)
def test_recording_changes_nothing(tmp_path, method):
    """A recorded run, one with a saved state in the middle and one without have the same bits."""
    path = written(tmp_path, method)

    def run(*arguments):
        line = ["isobar", "run", str(path), "--json", "--quiet", *map(str, arguments)]
        return json.loads(subprocess.run(line, capture_output=True, text=True, check=True).stdout)

    plain = run()
    assert plain["steps"] == 50
    substeps = plain["performance"]["substeps"]
    assert substeps["count"] >= 50 and substeps["smallest"] < substeps["largest"] <= 0.01
    recorded = run("--record", tmp_path / "run.mcap")
    assert recorded["state_hash"] == plain["state_hash"]
    run("--until", "0.23", "--save", tmp_path / "state")
    assert run("--restore", tmp_path / "state")["state_hash"] == plain["state_hash"]
    replayed = subprocess.run(["isobar", "replay", str(tmp_path / "run.mcap")], capture_output=True,
                              text=True, check=False)
    assert replayed.returncode == 0, replayed.stderr


@pytest.mark.parametrize("method", ["lagged", "tamsi", "rk45", "radau"])
def test_the_first_and_the_longest_substep_are_those_asked_for(method):
    settings = dict(method=method, accuracy=1e-2, time_step=0.01)
    world = isobar.World(soft_ball(), initial_step=3e-5, max_step=4e-4, **settings)
    world.step()
    assert world.settings.initial_step == 3e-5 and world.settings.max_step == 4e-4
    assert world.report().smallest_substep == pytest.approx(3e-5, rel=1e-9)
    assert world.report().substep_count >= 25
    for wrong in ({"max_step": -1.0}, {"initial_step": math.nan}):
        with pytest.raises(isobar.RangeError, match=f"{next(iter(wrong))} is "):
            isobar.World(soft_ball(), **settings, **wrong)


def test_a_coarse_accuracy_takes_few_iterations():
    """Equations are solved as closely as the accuracy needs, from where the whole substep ends."""
    world = isobar.load(SOURCE / "scenes/peers/stack.yaml", settings={
        "simulation.accuracy": 0.1, "simulation.time_step": 0.1}).create_world()
    count, substeps = 0, 0
    for _ in range(5):
        world.step()
        count += world.report().total_iterations
        substeps += world.report().substep_count
    # Measured 118 in 19 substeps; 154 to 1e-8, from the velocities of the start.
    assert count <= 7 * substeps


_SHAPES = {"sphere": "radius: {r}, resolution_hint: {h}", "box": "size: [{r}, {h}, {r}]",
           "ellipsoid": "semi_axes: [{r}, {r}, {h}], resolution_hint: {h}",
           "cylinder": "radius: {r}, length: {r}, resolution_hint: {h}",
           "capsule": "radius: {h}, length: {r}, resolution_hint: {h}"}
_FALL = """
name: fall
simulation: {{time_step: 0.02, stiction_velocity: 1.0e-3}}
bodies:
- name: world
  geometry: [{{name: ground, shape: {ground}, {floor}, friction: {friction}, dissipation: {dissipation}}}]
- name: body
  density: {density}
  geometry: [{{name: g, shape: {kind}, {size}, compliance: compliant, modulus: {modulus}, friction: {friction},
              dissipation: {dissipation}}}]
  pose: {{translation: [0, 0, 0.15], rotation: {{deg: [{roll}, {pitch}, 0]}}}}
"""
# Largest error [m] over the accuracy; of twelve drawn falls it was 0.07, 0.14, 0.12, 1.6, 0.4, 0.5 and 0.1.
_MULTIPLES = {"rk23": 0.5, "rk45": 0.5, "radau": 0.5, "cvode": 2.5, "lagged": 0.6, "midpoint": 0.8, "tamsi": 0.4}


def _fall(seed):
    draw = random.Random(seed)
    kind, r = draw.choice(sorted(_SHAPES)), draw.uniform(0.03, 0.08)
    return _FALL.format(
        kind=kind, size=_SHAPES[kind].format(r=r, h=r * draw.uniform(0.4, 0.8)), density=10 ** draw.uniform(2.5, 3.9),
        ground=draw.choice(["half_space", "box, size: [2, 2, 0.2], pose: {translation: [0, 0, -0.1]}"]),
        floor=draw.choice(["compliance: rigid", "compliance: compliant, modulus: 1.0e7, slab_thickness: 0.1"]),
        friction=draw.choice([0, 0.3, 0.8]), dissipation=draw.choice([0, 1, 20]), modulus=10 ** draw.uniform(5, 7.5),
        roll=draw.uniform(-180, 180), pitch=draw.uniform(-80, 80))


def _end(path, method, accuracy):
    world = isobar.load(path, settings={"simulation.method": method, "simulation.accuracy": accuracy,
                                        "simulation.max_substeps": 100000}).create_world()
    world.step(15)
    return world.body_pose("body").translation


@pytest.mark.parametrize("method", sorted(_MULTIPLES))
def test_errors_of_drawn_falls_follow_the_accuracy(method, tmp_path):
    if not isobar.method_is_built(method):
        pytest.skip("this build has no cvode")
    is_own, path = method in METHODS, tmp_path / "fall.yaml"
    for seed in range(6 if method != "tamsi" else 4):
        path.write_text(_fall(seed))
        exact = _end(path, method, 1e-6) if is_own else _end(path, "radau", 1e-9)
        errors = [math.dist(_end(path, method, a), exact) / a for a in (1e-2, 1e-3, 1e-4)]
        assert max(errors) <= _MULTIPLES[method], (seed, errors)
        assert 1e-4 * errors[2] <= 1e-2 * errors[0] + 1e-5, (seed, errors)


@pytest.mark.parametrize("method", ["lagged", "midpoint", "rk23", "rk45", "radau"])
def test_the_recording_of_a_failed_run_ends_with_the_last_good_state(tmp_path, method):
    """Also where that state lies between two frames: impacts at drawn times fail for want of substeps."""
    draw = random.Random(method)
    for _ in range(4):
        path = tmp_path / "thrown.yaml"
        path.write_text(SCENE.replace("METHOD", f"{method}, max_substeps: 12, time_step: 0.01")
                        .replace("ACCURACY", "1.0e-4").replace("0, 0.1]", f"0, {draw.uniform(0.06, 0.3)}]"))
        line = ["isobar", "run", str(path), "--quiet", "--record", str(tmp_path / "run.mcap")]
        run = subprocess.run(line, capture_output=True, text=True, check=False)
        assert run.returncode != 0
        failed = float(re.search(r"step \d+ at t = (\S+) s", run.stderr)[1])
        assert 0 < failed < 0.5
        with isobar.Recording(tmp_path / "run.mcap") as recording:
            assert recording.times[-1] == pytest.approx(failed, abs=1e-9)
        replayed = subprocess.run(["isobar", "replay", str(tmp_path / "run.mcap")], capture_output=True,
                                  text=True, check=False)
        assert replayed.returncode == 0 and f"to t = {failed:g} s" in replayed.stdout + replayed.stderr


@pytest.mark.parametrize("method", ["rk23", "rk45", "radau", "lagged", "midpoint"])
@pytest.mark.parametrize("force", [1e100, 1e200, 1e300])
def test_forces_that_overflow_name_their_body_and_keep_the_state(tmp_path, method, force):
    world = isobar.load(written(tmp_path, method)).create_world()
    world.step(2)
    before = world.state_hash
    with pytest.raises(isobar.Error, match="body 'ball'"):
        world.apply_wrench_for_one_step("ball", [0, 0, 0, force, 0, 0])
        world.step()
    assert world.state_hash == before


@pytest.mark.parametrize("method", ["lagged", "rk45", "radau"])
@pytest.mark.parametrize("is_caught", [False, True])
def test_a_recorder_of_a_loop_that_fails_ends_with_the_last_good_state(tmp_path, method, is_caught):
    """With frames less frequent than steps, within `with` and closed by hand, once and not twice."""
    draw = random.Random(method)
    for case in range(4):
        path, times = tmp_path / "thrown.yaml", []
        path.write_text(SCENE.replace("METHOD", f"{method}, max_substeps: 12, time_step: 0.01")
                        .replace("ACCURACY", "1.0e-4").replace("0, 0.1]", f"0, {draw.uniform(0.06, 0.3)}]"))
        world = isobar.load(path).create_world()
        recorder = isobar.Recorder(tmp_path / "run.mcap", world, frame_rate=draw.choice([0, 7, 30]))

        def loop(world=world, recorder=recorder, times=times):
            while world.time < 0.5:
                world.step()
                times.append(world.time)
                recorder.record()
        if is_caught:
            with pytest.raises(isobar.Error):
                loop()
            recorder.close()
        else:
            with pytest.raises(isobar.Error), recorder:
                loop()
        with isobar.Recording(tmp_path / "run.mcap") as recording:
            kept = list(recording.times)
            assert kept[-1] == pytest.approx(times[-1], abs=1e-12) and len(set(kept)) == len(kept)
            assert recording[len(kept) - 1].poses["translation"][1, 2] == pytest.approx(world.body_pose("ball").translation[2])


def test_a_recorder_closed_after_good_steps_adds_nothing(tmp_path):
    world = isobar.World(soft_ball(), time_step=0.01)
    with isobar.Recorder(tmp_path / "run.mcap", world, frame_rate=10) as recorder:
        for _ in range(15):
            world.step()
            recorder.record()
        count = recorder.frame_count
    with isobar.Recording(tmp_path / "run.mcap") as recording:
        assert len(recording.times) == count


_HELD = """
name: held
simulation: {{accuracy: {accuracy}, time_step: 0.1}}
bodies:
- name: world
  geometry: [{{name: floor, shape: half_space, friction: {friction}, {floor}}}]
- name: body
  mass: {mass}
  geometry: [{{name: skin, {skin}, friction: {friction}}}]
  pose: {{translation: [0, 0, {height}]}}
  velocity: {{linear: [{slip}, 0, {speed}]}}
"""
_TIED = """
name: tied
simulation: {{accuracy: {accuracy}, time_step: 0.1}}
bodies:
- {{name: body, mass: {mass}, inertia: [1.0e-4, 1.0e-4, 1.0e-4]}}
joints:
- {{name: slide, type: prismatic, parent: world, child: body, axis: [0, 0, 1], damping: {damping}}}
"""


def _stiffly_held(kind, draw):
    r, accuracy = draw.uniform(0.01, 0.12), draw.choice(["1.0e-2", "1.0e-3", "1.0e-4"])
    if kind == "drives":
        return _TIED.format(accuracy=accuracy, mass=10 ** draw.uniform(-2, -1), damping=10 ** draw.uniform(4, 5))
    if kind == "damping":
        return _HELD.format(accuracy=accuracy, friction=0, floor="compliance: rigid", mass=40 * r ** 3, height=0.99 * r,
                            skin=f"shape: sphere, radius: {r}, compliance: compliant, modulus: {10 ** draw.uniform(7, 8)}, "
                                 f"dissipation: {draw.uniform(10, 100)}", slip=0, speed=0)
    return _HELD.format(accuracy=accuracy, friction=draw.choice([0.2, 0.5]), mass=4000 * r ** 3, height=1.02 * r,
                        floor=f"compliance: compliant, slab_thickness: 0.02, modulus: {10 ** draw.uniform(4, 6)}",
                        skin=f"shape: box, size: [{2 * r}, {2 * r}, {2 * r}], compliance: compliant, "
                             f"modulus: {10 ** draw.uniform(4, 6)}", slip=draw.uniform(-2, 2), speed=-draw.uniform(2, 15))


@pytest.mark.parametrize("method", METHODS)
def test_what_moves_past_others_too_fast_is_named_with_them(tmp_path, method):
    """No error keeps substeps short there, so none is named."""
    path, draw = tmp_path / "spun.yaml", random.Random(method)
    for case in range(3):
        spin = [10 ** draw.uniform(5.3, 5.8), 0, 10 ** draw.uniform(5.3, 5.8)]
        text = SCENE.replace("METHOD", f"{method}, max_substeps: {draw.choice([100, 600])}")
        path.write_text(text.replace("ACCURACY", draw.choice(["1.0e-2", "1.0e-3"])).replace("0, 0.1]", "0, 0.06]")
                        .replace("[0.5, 0, 0]", f"[0.5, 0, 0], angular: {spin}"))
        world, good = isobar.load(path).create_world(), []
        with pytest.raises(isobar.NoConvergenceError, match="'ball' and 'world' move past each other") as told:
            while world.time < 0.2:
                good = [world.state_hash, world.time]
                world.step()
        assert f"at t = {good[1]:g} s" in str(told.value) and "accuracy" not in str(told.value)
        assert world.state_hash == good[0]


def test_small_damped_bounces_of_many_take_few_substeps(tmp_path):
    """An impact that takes most of its speed is not followed by many, and none errs by more than its speed."""
    path, counts, errors = tmp_path / "cubes.yaml", {0.1: 0, 1e-2: 0}, []
    for seed in range(2):
        draw = random.Random(seed)
        floor = {"name": "floor", "shape": "half_space", "compliance": "rigid", "friction": 0.3, "dissipation": 20}
        bodies = [{"name": "world", "geometry": [floor]}]
        for i in range(5):
            side = draw.uniform(0.03, 0.06)
            bodies.append({
                "name": f"cube_{i}", "density": 1000,
                "pose": {"translation": [0.1 * i, 0, side / 2 + 10 ** draw.uniform(-5, -3.5)],
                         "rotation": {"deg": [0, 0, draw.uniform(0, 90)]}},
                "geometry": [{"name": "g", "shape": "box", "size": [side] * 3, "compliance": "compliant",
                              "modulus": 10 ** draw.uniform(7, 9), "friction": 0.3,
                              "dissipation": 10 ** draw.uniform(0.5, 2)}]})
        path.write_text(json.dumps({"name": "cubes", "bodies": bodies}))
        ends = {}
        for accuracy in counts:
            world = isobar.load(path, settings={"simulation.accuracy": accuracy,
                                                "simulation.max_substeps": 50000}).create_world()
            while world.time < 0.05:
                world.step()
                counts[accuracy] += world.report().substep_count + world.report().rejected_count
            ends[accuracy] = np.array([world.body_pose(f"cube_{i}").translation for i in range(5)])
        errors.append(np.abs(ends[0.1] - ends[1e-2]).max())
    # Measured 730; 1541 where every impact counts as ten.
    assert counts[0.1] < 1100 and max(errors) < 1e-4, (counts, errors)


@pytest.mark.parametrize("method", METHODS)
def test_what_spins_beside_a_plate_takes_few_substeps_and_does_not_pass_it(tmp_path, method):
    """Their boxes overlap. Rods that stay apart fly as in the void; those that fly into the plate are thrown back."""
    path, draw = tmp_path / "rod.yaml", random.Random(method)
    for case in range(6):
        tilt, spin, is_hit = draw.uniform(0.6, 1.0), draw.uniform(100, 200), case % 2 == 1
        normal = np.array([math.sin(tilt), 0, math.cos(tilt)])
        start, speed = draw.uniform(0.2, 0.25) * normal, -draw.uniform(2, 4) if is_hit else 0.1
        path.write_text(f"""
name: rod
simulation: {{accuracy: 0.1, method: {method}, gravity: [0, 0, 0], time_step: 0.02}}
bodies:
- name: world
  geometry: [{{name: plate, shape: box, size: [2, 2, 0.01], compliance: rigid, pose: {{rotation: !Rpy {{rad: [0, {tilt}, 0]}}}}}}]
- name: rod
  mass: 0.1
  geometry: [{{name: g, shape: box, size: [0.2, 0.02, 0.02], compliance: compliant, modulus: 1.0e6}}]
  pose: {{translation: {start.tolist()}}}
  velocity: {{linear: {(speed * normal).tolist()}, angular: [0, 0, {spin}]}}
""")
        world, substeps = isobar.load(path).create_world(), 0
        while world.time < 0.2:
            world.step()
            substeps += world.report().substep_count + world.report().rejected_count
        way = normal @ (world.body_pose("rod").translation - start)
        if is_hit:
            assert way + np.linalg.norm(start) > 0, case
        else:
            assert abs(way - speed * world.time) < 1e-9 and substeps < 30, (case, substeps)


@pytest.mark.parametrize("kind", ["friction", "damping", "drives"])
@pytest.mark.parametrize("method", ["rk23", "rk45"])
def test_what_is_too_stiff_for_explicit_methods_is_left_to_radau_and_named(tmp_path, caplog, kind, method):
    """Whatever makes it stiff: no drawn world stops, and each names its cause at most once."""
    path, said, draw = tmp_path / "held.yaml", [], random.Random(kind)
    for case in range(6):
        path.write_text(_stiffly_held(kind, draw))
        ends = {}
        for way in ("radau", method):
            world = isobar.load(path, settings={"simulation.method": way}).create_world()
            caplog.clear()
            world.step(3)
            ends[way] = world.body_pose("body").translation
        messages = [record.getMessage() for record in caplog.records if "too stiff" in record.getMessage()]
        assert len(messages) <= 1 and all(f"for {method} at" in m and "radau goes on" in m for m in messages)
        assert math.dist(ends[method], ends["radau"]) < 3 * world.settings.accuracy, (case, ends)
        said += messages
    words = {"friction": "friction", "damping": "pressure and its damping of", "drives": "joints, drives or springs"}
    assert said and all(words[kind] in m for m in said), said


def test_a_stiction_velocity_too_small_to_resolve_is_named_with_the_least_one(tmp_path):
    """Where a spinning ball lands: 1e-7 m/s is followed, and what fails below says from where on."""
    path = tmp_path / "landing.yaml"
    path.write_text("""
name: landing
simulation: {method: radau, accuracy: 1.0e-3, time_step: 0.01}
bodies:
- name: world
  geometry: [{name: floor, shape: half_space, compliance: rigid, friction: 0.5}]
- name: ball
  mass: 0.1
  geometry: [{name: skin, shape: sphere, radius: 0.03, compliance: rigid, model: hertz, young_modulus: 1.0e8,
              friction: 0.5, dissipation: 0.1}]
  pose: {translation: [0, 0, 0.05]}
  velocity: {linear: [0.5, 0, -0.5], angular: [0, 0, 20]}
""")
    isobar.load(path, settings={"simulation.stiction_velocity": 1e-7}).create_world().step(20)
    world = isobar.load(path, settings={"simulation.stiction_velocity": 1e-9}).create_world()
    with pytest.raises(isobar.NoConvergenceError, match="stiction_velocity is 1e-09 m/s, expected at least 1e-07 m/s"):
        world.step(20)
