# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Events and states within steps, from Python, scenarios and the command."""

import json
import math
import subprocess

import numpy as np
import pytest

import isobar
from conftest import soft_ball

SCENE = """
name: dropped
simulation: {accuracy: 1.0e-4, time_step: 0.5, until: 1}
default_material: {margin: 0, dissipation: 0.5}
events: {EVENTS}
bodies:
- name: world
  geometry: [{name: floor, shape: half_space, compliance: rigid, friction: 0.5}]
- name: ball
  mass: 0.5
  pose: {translation: [0, 0, 0.25]}
  geometry: [{name: skin, shape: sphere, radius: 0.05, compliance: compliant, modulus: 1.0e+6, friction: 0.5, resolution_hint: 0.01}]
"""
FALL = math.sqrt(2 * 0.2 / 9.81)


def scene_file(tmp_path, events=""):
    path = tmp_path / "dropped.yaml"
    path.write_text(SCENE.replace("EVENTS", events))
    return path


def test_a_scenario_asks_for_events(tmp_path):
    world = isobar.load(scene_file(tmp_path, "slip: false")).create_world()
    world.step()
    first, second = world.events[:2]
    assert (first.kind, second.kind) == ("contact_begins", "contact_ends")
    assert first.time == pytest.approx(FALL, abs=1e-3) and first.time < second.time <= 0.5
    assert (first.body_a, first.geometry_a) == ("ball", "skin")
    assert (first.body_b, first.geometry_b) == ("world", "floor")


def test_the_command_tells_events(tmp_path):
    done = subprocess.run(["isobar", "run", str(scene_file(tmp_path)), "--json", "--quiet"], check=True,
                          capture_output=True, text=True)
    events = json.loads(done.stdout)["events"]
    assert events[0]["kind"] == "contact_begins" and events[0]["bodies"] == ["ball", "world"]
    assert events[0]["time"] == pytest.approx(FALL, abs=1e-3)
    text = subprocess.run(["isobar", "run", str(scene_file(tmp_path))], check=True, capture_output=True,
                          text=True).stdout
    assert "contact_begins   0.2" in text and "ball::skin | world::floor" in text


LEVEL = "contacts: false, slip: false, levels: [{name: half, quantity: body_z, of: ball, level: 0.08, direction: %s}]"


@pytest.mark.parametrize("direction, kinds", [("falling", [-1, -1]), ("rising", [1]), ("both", [-1, 1, -1])])
def test_a_scenario_names_levels(tmp_path, direction, kinds):
    path = scene_file(tmp_path, LEVEL % direction)
    world = isobar.load(path).create_world()
    world.step()
    assert [(e.kind, e.function, e.direction) for e in world.events] == [("level", "half", k) for k in kinds]
    if kinds[0] < 0:
        assert world.events[0].time == pytest.approx(math.sqrt(2 * 0.17 / 9.81), abs=1e-4)
    done = subprocess.run(["isobar", "run", str(path), "--json", "--quiet", "--until", "0.5"], check=True,
                          capture_output=True, text=True)
    assert [(e["name"], e["direction"]) for e in json.loads(done.stdout)["events"]] == [("half", k) for k in kinds]
    text = subprocess.run(["isobar", "run", str(path)], check=True, capture_output=True, text=True).stdout
    assert "half falls" in text or "half rises" in text


def test_levels_of_joints():
    model = isobar.Model()
    model.add_body("arm", mass=1.0, inertia=(0.1, 0.1, 0.1))
    model.add_joint("hinge", "revolute", "world", "arm", axis=(0, 0, 1))
    world = isobar.World(model, time_step=0.5, accuracy=1e-4, gravity=(0, 0, 0))
    world.set_joint("hinge", 0.0, 2.0)
    world.watch(levels=[isobar.EventLevel("joint_position", "hinge", 0.75, 1)])
    world.step()
    assert [(e.function, e.time) for e in world.events] == [("hinge", pytest.approx(0.375, abs=1e-9))]
    with pytest.raises(isobar.NotFoundError, match="no joint"):
        world.watch(levels=[isobar.EventLevel("joint_velocity", "hing", 0.75)])


@pytest.mark.parametrize("events, part", [("slip_speed: 0", "slip_speed"), ("contact: true", "contact"),
                                          ("levels: [{quantity: body_w, of: ball, level: 1}]", "body_w"),
                                          ("levels: [{quantity: body_z, of: bal, level: 1}]", "bal"),
                                          ("levels: [{quantity: body_z, of: ball}]", "level"),
                                          ("levels: [{quantity: body_z, of: ball, level: 1, direction: up}]", "up"),
                                          ("slip: 3", "slip")])
def test_events_of_a_scenario_are_checked(tmp_path, events, part):
    with pytest.raises(isobar.Error, match=part):
        isobar.load(scene_file(tmp_path, events))


def test_functions_pass_zero_where_a_parabola_does():
    world = isobar.World(soft_ball(), accuracy=1e-4, time_step=0.1)
    world.set_free_body("ball", (0.0, 0.0, 1.0))
    height = world.body_pose("ball").translation[2]
    ball = world.body_index("ball")
    mark = height - 0.01
    world.watch(contacts=False, slip=False,
                functions={"mark": lambda time, poses, twists: poses[ball].translation[2] - mark})
    world.step()
    (event,) = world.events
    assert (event.kind, event.function, event.direction) == ("function", "mark", -1)
    assert event.time == pytest.approx(math.sqrt(2 * 0.01 / 9.81), abs=1e-5)
    world.unwatch()
    world.step()
    assert world.events == []


def test_states_within_a_step_lie_on_the_parabola():
    world = isobar.World(soft_ball(), accuracy=1e-4, time_step=0.05)
    world.set_free_body("ball", (0.0, 0.0, 1.0))
    clone = world.clone()
    height = world.body_pose("ball").translation[2]
    world.watch()
    world.step()
    for time in np.linspace(0, 0.05, 11):
        q, v = world.state_within(time)
        assert q.shape == (world.q_count,) and v.shape == (world.v_count,)
        world.place_within(time, clone)
        assert clone.time == pytest.approx(time)
        assert clone.body_pose("ball").translation[2] == pytest.approx(height - 4.905 * time**2, abs=1e-6)
        assert clone.body_twist("ball")[5] == pytest.approx(-9.81 * time, abs=1e-6)
    with pytest.raises(isobar.RangeError, match="expected within the last step"):
        world.state_within(0.06)


def test_exceptions_of_a_function_come_out_of_the_step():
    world = isobar.World(soft_ball(), accuracy=1e-3)
    for broken, error, message in (
            (lambda time, poses, twists: 1 / 0, ZeroDivisionError, "division"),
            (lambda time, poses, twists: float("nan"), isobar.NumericError, "'broken', is nan"),
            (lambda time, poses, twists: world.step() or 1.0, isobar.ArgumentError, "cannot be stepped"),
            (lambda time, poses, twists: world.unwatch() or 1.0, isobar.ArgumentError, "watched otherwise")):
        world.watch(functions={"broken": broken})
        with pytest.raises(error, match=message):
            world.step()
        assert world.time == 0
    world.unwatch()
    world.step()


def test_recordings_look_into_long_steps(tmp_path):
    """Frames come at their rate whatever the step, and the run has the same bits."""
    def run(*arguments):
        line = ["isobar", "run", str(scene_file(tmp_path)), "--json", "--quiet", *arguments]
        return json.loads(subprocess.run(line, capture_output=True, text=True, check=True).stdout)

    path = tmp_path / "long.mcap"
    assert run("--record", str(path), "--frame-rate", "50")["state_hash"] == run()["state_hash"]
    recording = isobar.Recording(path)
    frames = [(recording[i].time, float(recording[i].poses["translation"][:, 2].max())) for i in range(len(recording))]
    assert [time for time, _ in frames] == pytest.approx([i / 50 for i in range(51)], abs=1e-6)
    assert [height for time, height in frames if time < FALL] == pytest.approx(
        [0.25 - 4.905 * time**2 for time, _ in frames if time < FALL], abs=1e-5)
    replayed = subprocess.run(["isobar", "replay", str(path)], capture_output=True, text=True, check=False)
    assert replayed.returncode == 0, replayed.stderr


def test_a_recorder_keeps_frames_within_steps(tmp_path):
    world = isobar.World(soft_ball(), accuracy=1e-4, time_step=0.1)
    world.set_free_body("ball", (0.0, 0.0, 2.0))
    height = world.body_pose("ball").translation[2]
    world.watch()
    path = tmp_path / "within.mcap"
    with isobar.Recorder(path, world, frame_rate=50) as recorder:
        recorder.record()
        clone = world.clone()
        for _ in range(3):
            world.step()
            while recorder.next_time < world.time - 1e-9:
                world.place_within(recorder.next_time, clone)
                clone.update_contacts()
                recorder.record_within(clone)
            recorder.record()
        with pytest.raises(isobar.ArgumentError, match="clone has other bodies"):
            recorder.record_within(isobar.World(isobar.Model()))
        assert recorder.frame_count == 16
    recording = isobar.Recording(path)
    for i in range(16):
        time = recording[i].time
        assert time == pytest.approx(i / 50, abs=1e-9)
        fallen = height - 4.905 * time**2
        assert recording[i].poses["translation"][:, 2].max() == pytest.approx(fallen, abs=1e-6)


def test_frames_without_bound_are_refused(tmp_path):
    line = ["isobar", "run", str(scene_file(tmp_path)), "--record", str(tmp_path / "x.mcap"), "--frame-rate", "1e9"]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert done.returncode == 3 and "frames in a step of 0.5 s, expected at most 10000" in done.stderr


def test_recordings_keep_events(tmp_path):
    """Those of functions too, each once, whatever the frame rate, and of steps behind the last frame."""
    world = isobar.load(scene_file(tmp_path)).create_world(time_step=0.01)
    world.watch(functions={"rolls off": lambda time, poses, twists: poses[1].translation[2] - 0.1},
                levels=[isobar.EventLevel("body_speed", "ball", 1.0, direction=1, name="fast")])
    told = []
    with isobar.Recorder(tmp_path / "run.mcap", world, frame_rate=3.0) as recorder:
        for _ in range(45):
            world.step()
            told += world.events
            recorder.record()
    recording = isobar.Recording(tmp_path / "run.mcap")
    assert len({event.kind for event in told}) >= 4 and told[-1].time > recording[-1].time
    assert recording.events == told
    recording.export_csv(tmp_path / "tables")
    rows = (tmp_path / "tables" / "events.csv").read_text().splitlines()
    assert rows[0] == "time_s,kind,name,body_a,body_b,geometry_a,geometry_b,direction"
    assert [float(row.split(",")[0]) for row in rows[1:]] == [event.time for event in told]
    recording.write_view(tmp_path / "run.html")
    page = (tmp_path / "run.html").read_text()
    assert page.count('"kind":"function"') == sum(event.kind == "function" for event in told) > 0
