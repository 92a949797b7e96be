# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Constraints that a program, or the caller, attaches and detaches while a world runs."""

import shutil
import subprocess

import numpy as np
import pytest

import isobar

LIFT = """<robot name="lift"><link name="base"/><link name="cup"><inertial><mass value="2"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="rail" type="prismatic"><parent link="base"/><child link="cup"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="500" velocity="5"/></joint></robot>"""
SCENE = """
simulation: {{time_step: 0.002, until: 1.2}}
directives:
- add_model: {{name: lift, file: lift.urdf}}
- add_weld: {{parent: world, child: "lift::base", X_PC: {{translation: [0, 0, 1]}}}}
bodies:
- name: box
  mass: 0.5
  inertia: [0.001, 0.001, 0.001]
  pose: {{translation: [0.02, 0.01, 0.05]}}
  geometry: [{{shape: box, size: [0.1, 0.1, 0.1], compliance: compliant, modulus: 1.0e+6}}]
- {{name: floor, fixed: true, geometry: [{{shape: half_space, compliance: rigid}}]}}
constraints:
- {{name: suction, type: weld, body_a: "lift::cup", body_b: box, active: false}}
programs:
- name: arm
  joints: ["lift::rail"]
  kp: 5000
  kd: 200
  feed_forward: gravity
  steps:
  - {{name: down, move_joints: {{positions: [-0.8], duration: 0.4}}}}
  - {{name: grasp, duration: 0.1, attach: {attach}}}
  - {{name: up, move_joints: {{positions: [-0.5], duration: 0.4}}}}
  - {{name: drop, duration: 0.1, detach: suction}}
"""


def scene(folder, attach="{constraint: suction, keep_offset: true}"):
    (folder / "lift.urdf").write_text(LIFT)
    path = folder / "scene.yaml"
    path.write_text(SCENE.format(attach=attach))
    return path


def height(world):
    return float(world.body_pose("box").translation[2])


def test_a_program_lifts_by_suction_and_drops(tmp_path):
    world = isobar.load(scene(tmp_path)).create_world()
    world.step(200)
    rest = height(world)
    assert not world.constraints[0].is_on
    world.step(10)
    assert world.constraints[0].is_on
    world.step(90)  # going up faster, at 0.6 s
    assert world.constraints[0].f_b_w[5] == pytest.approx(0.5 * (9.81 + 5.6), rel=0.2)
    world.step(140)  # up, at 0.88 s
    assert height(world) == pytest.approx(rest + 0.3, abs=0.02)
    offset = world.body_pose("box").translation - world.body_pose("lift::cup").translation
    assert offset == pytest.approx([0.02, 0.01, -0.15], abs=0.02)  # as it was
    world.step(45)
    assert not world.constraints[0].is_on
    assert height(world) < rest + 0.29


def test_states_and_recordings_carry_what_is_attached(tmp_path):
    path = scene(tmp_path)
    world = isobar.load(path).create_world()
    world.step(300)
    state = world.save()
    other = isobar.load(path).create_world()
    other.restore(state)
    assert other.constraints[0].is_on
    for one in (world, other, world.clone()):
        one.step(5)
    world.step(200)
    other.step(200)
    assert world.state_hash == other.state_hash
    isobar_command = shutil.which("isobar")
    for command in (("run", path, "--record", tmp_path / "run.mcap", "--quiet"),
                    ("replay", tmp_path / "run.mcap", "--quiet")):
        done = subprocess.run([isobar_command, *map(str, command)], capture_output=True, text=True,
                              check=False, cwd=tmp_path)
        assert done.returncode == 0, done.stderr


def test_names_are_checked_before_the_first_step(tmp_path):
    with pytest.raises(isobar.Error, match="no constraint named 'sucktion', expected 'suction'|"
                                           "did you mean 'suction'"):
        isobar.load(scene(tmp_path, "sucktion")).create_world()
    with pytest.raises(isobar.Error, match="attach"):
        isobar.load(scene(tmp_path, "{constraint: suction, keep: true}"))
    world = isobar.load(scene(tmp_path)).create_world()
    with pytest.raises(isobar.NotFoundError, match="suction"):
        world.switch_constraint("suktion", True)
    with pytest.raises(isobar.RangeError, match=r"expected in \[0, 1\)"):
        world.switch_constraint(1, True)


def test_the_caller_attaches_and_detaches():
    """With the offset kept a load stays where it hangs; without it comes to where the model has it."""
    for keep in (True, False):
        model = isobar.Model()
        model.add_body("load", mass=1.0, inertia=(0.1, 0.1, 0.1))
        model.set_free_pose("load", (0.0, 0.0, 0.01))
        model.add_constraint("magnet", "weld", "world", "load", is_off=True)
        world = isobar.World(model, time_step=1e-3)
        world.step(10)
        fallen = world.body_pose("load").translation[2]
        assert fallen == pytest.approx(0.01 - 0.5 * 9.81 * 0.01**2, abs=1e-4)
        world.switch_constraint("magnet", True, keep_offset=keep)
        world.step(100)
        assert world.body_pose("load").translation[2] == pytest.approx(fallen if keep else 0.0, abs=2e-4)
        assert world.constraints[0].f_b_w[5] == pytest.approx(9.81, rel=1e-3)
        world.switch_constraint("magnet", False)
        world.set_free_body("load", (0.0, 0.0, 0.3))
        with pytest.raises(isobar.RangeError, match="would close a gap of 0.3 m"):
            world.switch_constraint("magnet", True)
        assert np.all(world.constraints[0].f_b_w == 0) and not world.constraints[0].is_on
        world.step(10)
        assert world.get_state()[1][5] == pytest.approx(-9.81 * 0.01, rel=1e-2)


def test_a_program_of_python_switches(tmp_path):
    world = isobar.load(scene(tmp_path)).create_world()
    steps = [isobar.ProgramStep(motion="hold", duration=0.01),
             isobar.ProgramStep(motion="hold", duration=0.01, switches=[
                 isobar.ProgramSwitch(constraint="suction", is_on=True, keeps_offset=True)]),
             isobar.ProgramStep(motion="hold", duration=0.01, switches=[
                 isobar.ProgramSwitch(constraint="suction", is_on=False)])]
    world.task = isobar.Task(world, programs=[
        isobar.Program(name="p", actuators=["lift::rail"], steps=steps)])
    seen = []
    for _ in range(15):
        world.step()
        seen.append(world.constraints[0].is_on)
    assert seen == [False] * 5 + [True] * 5 + [False] * 5


def test_a_step_that_only_switches_takes_no_time_and_names_each_constraint_once(tmp_path):
    path = scene(tmp_path)
    text = path.read_text()
    path.write_text(text.replace("duration: 0.1, attach", "attach"))
    world = isobar.load(path).create_world()
    world.step(202)
    assert world.constraints[0].is_on
    path.write_text(text.replace("detach: suction}", "detach: suction, attach: suction}"))
    with pytest.raises(isobar.ParseError, match="'suction' is named twice"):
        isobar.load(path)


def test_a_controller_does_not_switch():
    model = isobar.Model()
    model.add_body("load", mass=1.0, inertia=(0.1, 0.1, 0.1))
    model.add_constraint("magnet", "weld", "world", "load", is_off=True)
    world = isobar.World(model, time_step=1e-3)
    world.task = isobar.Task(world, controller=lambda w, _time, _told: w.switch_constraint("magnet", True))
    with pytest.raises(isobar.ArgumentError, match="cannot be changed by switching a constraint while a "
                                                   "controller or another callback looks at it"):
        world.step()
