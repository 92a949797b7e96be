# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Forces over time and criteria of scenarios: drawn ones beside the law of motion, by hand."""

import json
import random
import subprocess

import numpy as np
import pytest

import isobar
from isobar._native import program

STEP = 1e-3


def draw_signal(draw, size):
    kind = draw.choice(["number", "constant", "square_wave", "table", "cubic"])
    if kind == "number":
        return round(draw.uniform(-size, size), 4)
    if kind == "constant":
        return {"type": kind, "value": round(draw.uniform(-size, size), 4)}
    if kind == "square_wave":
        return {"type": kind, "offset": round(draw.uniform(-size, size), 4), "amplitude": size,
                "period": round(draw.uniform(0.03, 0.3), 3), "duty": round(draw.random(), 3),
                "phase": round(draw.random(), 3)}
    times = sorted({round(draw.uniform(-0.1, 0.6), 3) for _ in range(draw.randint(1, 5))})
    return {"type": kind, "times": times,
            "values": [round(draw.uniform(-size, size), 4) for _ in times]}


def draw_scene(seed):
    draw = random.Random(seed)
    axes = draw.choice(["world", "body"])
    pose = {"translation": [round(draw.uniform(-0.1, 0.1), 3) for _ in range(3)],
            "rotation": {"deg": [round(draw.uniform(-180, 180), 1) for _ in range(3)]}}
    forces = [{"body": "box", "axes": axes, "pose": pose,
               "force": [draw_signal(draw, 5.0) for _ in range(3)],
               "torque": [draw_signal(draw, 0.01) for _ in range(3)]}]
    if draw.random() < 0.5:
        forces.append({"body": "box", "force": [draw_signal(draw, 5.0), 0, 0]})
    level = round(draw.uniform(0.0005, 0.05), 5)
    return {
        "simulation": {"time_step": STEP, "until": 0.4, "gravity": [0, 0, 0]},
        "bodies": [{"name": "box", "mass": 2, "inertia": [0.02, 0.03, 0.04],
                    "geometry": [{"name": "skin", "shape": "box", "size": [0.1, 0.1, 0.1]}]}],
        "forces": forces,
        "criteria": [
            {"name": "fast", "when": {"body_speed": "box", "above": 4 * level}},
            {"name": "away", "when": [{"body_x": "box", "above": level}, {"time": 0.05}],
             "hold_time": 0.02},
            {"name": "deep", "when": {"body_z": "box", "below": -level}, "stop": True}],
    }


def save(scene, path):
    path.write_text(json.dumps(scene).replace("Infinity", ".inf"), encoding="utf-8")
    return path


def value_over(signal, start, end):
    value = signal(start)
    return 0.5 * (value + signal(end)) if signal.kind in ("table", "cubic") else value


@pytest.mark.parametrize("seed", range(6))
def test_a_body_moves_as_its_forces_say(seed, tmp_path):
    scene = isobar.load(save(draw_scene(seed), tmp_path / "s.yaml"))
    world = scene.create_world()
    for _ in range(120):
        pose, twist = world.body_pose("box"), world.body_twist("box").copy()
        start = world.time
        f, moment = np.zeros(3), np.zeros(3)
        for force in scene.forces:
            turn = pose.rotation @ force.x_bf.rotation if force.is_in_body else np.eye(3)
            part = turn @ [value_over(s, start, start + STEP) for s in force.force]
            moment += turn @ [value_over(s, start, start + STEP) for s in force.torque]
            moment += np.cross(pose.rotation @ force.x_bf.translation, part)
            f += part
        world.step()
        assert np.allclose(world.body_twist("box")[3:], twist[3:] + f / 2 * STEP, atol=1e-12)
        inertia = pose.rotation @ np.diag([0.02, 0.03, 0.04]) @ pose.rotation.T
        spin = twist[:3] + np.linalg.solve(
            inertia, moment - np.cross(twist[:3], inertia @ twist[:3])) * STEP
        # Gyroscopic torques are integrated otherwise: of second order in the step.
        assert np.allclose(world.body_twist("box")[:3], spin, atol=2e-4 * (1 + np.dot(spin, spin)))


@pytest.mark.parametrize("seed", range(6))
def test_criteria_are_met_at_the_step_that_meets_them(seed, tmp_path):
    data = draw_scene(seed)
    world = isobar.load(save(data, tmp_path / "s.yaml")).create_world()
    level = -data["criteria"][2]["when"]["below"]
    met, since = {}, None
    for _ in range(400):
        world.step()
        x, z = world.body_pose("box").translation[[0, 2]]
        speed = np.linalg.norm(world.body_twist("box")[3:])
        since = (world.time if since is None else since) \
            if x >= level and world.time >= 0.05 else None
        now = {"fast": speed >= 4 * level, "deep": z < -level,
               "away": since is not None and world.time - since >= 0.02 - 1e-12}
        for name, holds in now.items():
            if holds:
                met.setdefault(name, world.time)
        assert {p.name: p.step_time for p in world.task.programs if p.is_done} == met
        assert world.task.is_over == ("deep" in met)
    assert all(p.is_criterion for p in world.task.programs)


@pytest.mark.parametrize("seed", range(6))
def test_a_saved_state_and_the_command_go_on_with_the_same_bits(seed, tmp_path):
    path = save(draw_scene(seed), tmp_path / "s.yaml")
    world = isobar.load(path).create_world()
    while not world.task.is_over and world.time < 0.4 - STEP / 2:
        if round(world.time / STEP) == 60:
            world.task.apply()  # a second time does no harm, nor does a state from in between
            world.restore(world.save())
        world.step()
    done = subprocess.run([program(), "run", path, "--json", "--quiet"], capture_output=True,
                          text=True, check=True)
    told = json.loads(done.stdout)
    assert int(told["state_hash"], 16) == world.state_hash
    assert told["steps"] == world.step_count
    assert {n: p["is_done"] for n, p in told["programs"].items()} \
        == {p.name: p.is_done for p in world.task.programs}


@pytest.mark.parametrize("order", ["early late", "late early"])
def test_criteria_are_met_in_the_same_steps_in_any_order(order, tmp_path):
    when = {"early": {"time": 0.01}, "late": {"program": "early", "step": "when"}}
    scene = draw_scene(0) | {"criteria": [{"name": name, "when": when[name]} for name in order.split()]}
    world = isobar.load(save(scene, tmp_path / "scene.yaml")).create_world()
    world.step(20)
    met = {p.name: p.step_time for p in world.task.programs}
    assert met == pytest.approx({"early": 0.01, "late": 0.01 + STEP})


@pytest.mark.parametrize("more", [0, 1, 2])
def test_who_looks_again_does_not_move_criteria_on(more):
    model = isobar.Model()
    model.add_solid("ball", isobar.sphere(0.05), 500.0)
    world = isobar.World(model, time_step=STEP)
    when = isobar.Condition(kind="time", value=0.005)
    steps = [isobar.ProgramStep(name=name, conditions=[when]) for name in "abc"]
    world.task = isobar.Task(world, programs=[isobar.Program(name="three", steps=steps)])
    for _ in range(7):
        world.step()
        for _ in range(more):
            world.task.observe()
    assert world.task.programs[0].step_time == pytest.approx(0.007)


def test_forces_of_a_program_are_those_of_a_file(tmp_path):
    path = save(draw_scene(3), tmp_path / "s.yaml")
    scene = isobar.load(path)
    world, other = scene.create_world(), isobar.World(scene.model, scene.settings)
    forces = []
    for force in scene.forces:
        copy = isobar.Force(body=force.body, x_bf=force.x_bf, is_in_body=force.is_in_body)
        for name in ("force", "torque"):
            signals = []
            for part in getattr(force, name):
                signal = isobar.Signal(kind=part.kind, offset=part.offset, period=part.period,
                                       amplitude=part.amplitude, duty=part.duty, phase=part.phase)
                if part.table is not None:
                    signal.table = part.table
                signals.append(signal)
            setattr(copy, name, signals)
        forces.append(copy)
    other.task = isobar.Task(other, forces=forces)
    for _ in range(200):
        world.step()
        other.step()
        assert np.array_equal(world.get_state()[0], other.get_state()[0])


def when(condition):
    return {"criteria": [{"name": "a", "when": condition}]}


def test_the_state_that_ends_a_run_is_recorded(tmp_path):
    drawn = draw_scene(3)
    drawn["criteria"] = [{"name": "late", "when": {"time": 0.137}, "stop": True}]
    recorded = tmp_path / "s.mcap"
    subprocess.run([program(), "run", save(drawn, tmp_path / "s.yaml"), "--record", recorded, "--frame-rate", "10",
                    "--quiet"], check=True, capture_output=True)
    times = [frame.time for frame in isobar.Recording(recorded)]
    assert times == pytest.approx([0.0, 0.1, 0.137], abs=1.5 * STEP) and times[-1] >= 0.137 - 1e-9


@pytest.mark.parametrize(("change", "message"), [
    ({"forces": [{"body": "box"}]}, "needs force or torque"),
    ({"forces": [{"body": "bx", "force": [0, 0, 1]}]}, "did you mean 'box'"),
    ({"forces": [{"body": "world", "force": [0, 0, 1]}]}, "nothing can move body 'world'"),
    ({"forces": [{"body": "box", "force": [0, 1]}]}, "three numbers or signals"),
    ({"forces": [{"body": "box", "force": 3}]}, "three numbers or signals"),
    ({"forces": [{"body": "box", "force": [0, 0, 1], "axes": "box"}]}, "expected one of world, body"),
    ({"forces": [{"body": "box", "force": [0, 0, 1], "pose": {"base_frame": "box"}}]},
     "expected no base_frame"),
    ({"forces": [{"body": "box", "force": [0, 0, {"type": "table", "times": [1, 0], "values": [1, 2]}]}]},
     "expected increasing"),
    ({"criteria": [{"name": "a"}]}, "needs the key .when."),
    ({"criteria": [{"when": {"time": 1}}]}, "needs the key .name."),
    ({"criteria": [{"name": "a", "when": []}]}, "when is empty"),
    ({"criteria": [{"name": "a", "when": {"body_z": "box"}}]}, "either above or below"),
    ({"criteria": [{"name": "a", "when": {"body_z": "bax", "above": 1}}]}, "did you mean 'box'"),
    ({"criteria": [{"name": "a", "when": {"time": 1}, "hold_time": -1}]}, "hold_time is -1"),
    ({"criteria": [{"name": "a", "when": {"time": 1}}] * 2}, "already a program or criterion named 'a'"),
    ({"criteria": [{"name": "a", "when": {"program": "b", "step": "c"}}]}, "no program named 'b'"),
    (when({"contact": "box", "above": -1}), "criterion 'a': .*above is -1 N, expected >= 0"),
    (when({"contact": "box", "below": 0}), "below is 0 N, expected > 0"),
    (when({"body_speed": "box", "above": -1}), "above is -1 m/s, expected >= 0"),
    (when({"body_z": "box", "above": float("inf")}), "above is inf m, expected finite"),
    (when({"speed": "all", "below": 1}), "speed of all joints, but a criterion has none"),
    (when({"contact": ["box", "box"], "above": 1}), "contact of body 'box' with itself"),
    (when({"program": "a", "step": "when"}), "criterion 'a', .*waits for step 'when' of itself"),
    ({"forces": [{"body": "box", "force": [1, 2, float("inf")]}]}, r"force z \[N\]: .*expected finite"),
    ({"forces": [{"body": "box", "torque": [1, "two", 2]}]}, r"torque y \[N m\] is 'two'"),
    ({"forces": [{"body": "box", "force": [1, 2]}]}, "force is a list of 2, expected three"),
    ({"forces": [{"body": "box", "force": [0, 0, {"type": "table", "times": [], "values": []}]}]},
     "times is empty"),
])
def test_what_is_wrong_is_said_with_its_line(change, message, tmp_path):
    path = save({**draw_scene(0), **change}, tmp_path / "s.yaml")
    with pytest.raises(isobar.Error, match=message) as error:
        isobar.load(path).create_world().step()
    assert f"{path}:1: " in str(error.value)


def test_only_waits_have_no_actuators(tmp_path):
    world = isobar.load(save(draw_scene(0), tmp_path / "s.yaml")).create_world()
    with pytest.raises(isobar.ArgumentError, match="a program without actuators only waits"):
        world.task.add_program(isobar.Program(name="p", steps=[
            isobar.ProgramStep(motion="effort", efforts=[])]))
    with pytest.raises(ValueError, match="force has 2 components"):
        isobar.Force(body="box", force=[0, 1])


@pytest.mark.parametrize(("size", "held"), [("contact", False), ("contact", True), ("body_speed", False),
                                            ("body_speed", True)])
def test_a_size_above_zero_is_there(size, held, tmp_path):
    scene = draw_scene(0) | {"criteria": [{"name": "a", "when": {size: "box", "above": 0}}], "forces": []}
    if size == "contact" and held:
        scene["bodies"] = [*scene["bodies"], {"name": "floor", "fixed": True, "geometry": [
            {"name": "top", "shape": "box", "size": [1, 1, 1],
             "pose": {"translation": [0, 0, -0.549]}}]}]
    elif held:
        scene["forces"] = [{"body": "box", "force": [1, 0, 0]}]
    world = isobar.load(save(scene, tmp_path / "s.yaml")).create_world()
    world.step(5)
    assert world.task.programs[0].is_done == held


def test_who_repeats_cannot_end_the_run():
    model = isobar.Model()
    model.add_solid("ball", isobar.sphere(0.05), 500.0)
    world = isobar.World(model, time_step=STEP)
    with pytest.raises(isobar.ArgumentError, match="criterion 'p': it repeats and is to end the run"):
        isobar.Task(world, programs=[isobar.Program(name="p", ends_run=True, is_repeated=True,
                                                    steps=[isobar.ProgramStep(duration=1)])])


@pytest.mark.parametrize("value", [3, None, "abc", [0, None, 1], [0, "1", 2]])
def test_a_force_is_three_numbers(value):
    with pytest.raises(TypeError, match="force is .*expected"):
        isobar.Force(body="box", force=value)


def test_forces_of_a_task_are_a_list(tmp_path):
    world = isobar.load(save(draw_scene(0), tmp_path / "s.yaml")).create_world()
    with pytest.raises(TypeError, match="expected a list of Force, not Force"):
        isobar.Task(world, forces=isobar.Force(body="box", force=[0, 0, 1]))


def test_inspect_tells_frames_and_conditions(tmp_path):
    bodies = draw_scene(0)["bodies"]
    turned = {"rotation": {"deg": [0, 0, 90]}, "translation": [0.1, 0, 0]}
    path = save(draw_scene(0) | {
        "bodies": bodies,
        "directives": [{"add_frame": {"name": "tip", "X_PF": turned | {"base_frame": "box"}}}],
        "forces": [{"body": "tip", "axes": "body", "force": [1, 0, 0]},
                   {"body": "box", "torque": [0, 0, 1]},
                   {"body": "box", "axes": "body", "force": [0, 2, 0],
                    "pose": {"rotation": {"deg": [180, 0, 0]}}}],
        "criteria": [{"name": "up", "when": [{"body_z": "box", "below": 3}, {"time": 1}],
                      "hold_time": 0.5, "stop": True}]}, tmp_path / "s.yaml")
    plain, told = (subprocess.run([program(), "inspect", path, *more], capture_output=True, text=True,
                                  check=True).stdout for more in ([], ["--json"]))
    for line in ("force    on box at tip, 0.1 0 0 m in it, axes of tip, turned by 0.707107 0 0 0.707107 "
                 "(w x y z): 1 0 0 N, 0 0 0 N m",
                 "force    on box, axes of the world: 0 0 0 N, 0 0 1 N m",
                 "force    on box at 0 0 0 m in it, axes of its pose, turned by 0 1 0 0 (w x y z): 0 2 0 N",
                 "criterion up (ends the run): body_z box below 3 m and time above 1 s, for 0.5 s"):
        assert line in plain
    forces, criterion = json.loads(told)["forces"], json.loads(told)["programs"][0]
    assert [force["frame"] for force in forces] == ["tip", "box", None]
    assert forces[0]["quaternion_in_body_wxyz"] == pytest.approx([0.5**0.5, 0, 0, 0.5**0.5])
    assert criterion["is_criterion"] and criterion["steps"][0]["hold_time"] == 0.5
    assert criterion["steps"][0]["until"] == [
        {"kind": "body_z", "name": "box", "other": None, "below": 3},
        {"kind": "time", "name": None, "other": None, "above": 1}]
