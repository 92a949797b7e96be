# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Programs and controllers from Python."""

import numpy as np
import pytest

import isobar


def arm_world(**settings):
    """Two links of 0.5 m in the x-y plane, without gravity, with actuators a1 and a2."""
    model = isobar.Model()
    parent = 0
    for i in range(2):
        link = model.add_body(f"l{i + 1}", mass=1.0, inertia=np.eye(3) * 0.01)
        joint = model.add_joint(f"j{i + 1}", kind="revolute", parent=parent, child=link,
                                axis=[0, 0, 1], lower=-3.0, upper=3.0, velocity_limit=4.0,
                                position=0.4,
                                x_pf=isobar.Pose(np.eye(3), [0.5 * i, 0, 0]))
        model.add_actuator(f"a{i + 1}", joint=joint, kp=4000.0, kd=80.0, effort_limit=500.0)
        parent = link
    return isobar.World(model, gravity=[0, 0, 0], **settings)


def tip(world):
    pose = world.body_pose("l2")
    return pose.translation + pose.rotation @ [0.5, 0, 0]


def test_limits_and_gains_are_told():
    world = arm_world()
    limits, gains = world.joint_limits("j1"), world.actuator_gains("a2")
    assert (limits.lower, limits.upper, limits.velocity) == (-3.0, 3.0, 4.0)
    assert (gains.kp, gains.kd, gains.effort_limit) == (4000.0, 80.0, 500.0)


@pytest.mark.parametrize("method, error", [("lagged", 1e-9), ("midpoint", 1e-6)])
def test_a_program_moves_the_tip(method, error):
    world = arm_world(method=method)
    start = tip(world)
    reach = isobar.ProgramStep(
        name="reach", motion="frame", body="l2", x_bt=isobar.Pose(np.eye(3), [0.5, 0, 0]),
        orientation_weight=0.0, is_relative=False,
        keyframes=[isobar.Keyframe(time=0.5, x_rt=isobar.Pose(np.eye(3), start + [-0.1, 0.1, 0]))])
    home = isobar.ProgramStep(motion="joints", is_kept=[False, True],
                              keyframes=[isobar.Keyframe(time=0.2, positions=[0.1, 0.0])])
    still = isobar.ProgramStep(
        conditions=[isobar.Condition(kind="joint_speed", is_below=True, value=1e-3)], timeout=2.0)
    program = isobar.Program(name="arm", actuators=["a1", "a2"], feed_forward="dynamics",
                             steps=[reach, home, still])
    assert program.actuators == ["a1", "a2"] and len(program.steps) == 3
    world.task = isobar.Task(world, programs=[program])
    world.step(500)
    assert world.task.programs[0].step_name == "reach"
    # The error at the end of the motion; measured 4e-15 m and 4e-7 m.
    assert np.linalg.norm(tip(world) - start - [-0.1, 0.1, 0]) < error
    world.step(201)
    assert world.actuation("a1")[1] == pytest.approx(0.1, abs=1e-15)
    while not world.task.programs[0].is_done:
        world.step()
    assert world.joint_velocities == pytest.approx([0, 0], abs=1e-3)


def test_an_unreachable_target_names_the_step():
    world = arm_world()
    far = isobar.ProgramStep(name="far", motion="frame", body="l2", orientation_weight=0.0,
                             keyframes=[isobar.Keyframe(time=1.0, x_rt=isobar.Pose(np.eye(3),
                                                                                   [2, 0, 0]))])
    world.task = isobar.Task(world, programs=[isobar.Program(name="arm", actuators=["a1", "a2"],
                                                             steps=[far])])
    with pytest.raises(isobar.NoConvergenceError, match="program 'arm', step 'far'"):
        world.step(1000)
    assert np.isfinite(world.joint_positions).all()


def test_a_callable_controls():
    world, times = arm_world(), []

    def control(seen, time, actuations):
        assert seen is world and actuations.shape == (2, 3)
        times.append(time)
        mass = world.mass_matrix()
        assert mass.shape == (2, 2)
        actuations[0] = [1.5, *world.actuation("a1")[1:]]

    world.task = isobar.Task(world, controller=control)
    world.step(3)
    assert times == pytest.approx([0.0, 0.001, 0.002])
    assert world.actuation("a1")[0] == 1.5
    world.task.set_controller(lambda w, t, a: np.full((2, 3), 0.25))
    world.step()
    assert (world.actuation("a2") == 0.25).all()
    world.task.set_controller(None)
    world.step()


@pytest.mark.parametrize("deed, error, match", [
    (lambda w: 1 / 0, ZeroDivisionError, "division"),
    (lambda w: w.step(), isobar.ArgumentError, "cannot be stepped"),
    (lambda w: w.update_contacts(), isobar.ArgumentError, "cannot be given new contacts"),
    (lambda w: w.restore(w.save()), isobar.ArgumentError, "cannot be restored"),
    (lambda w: w.set_joint("j1", 0.0), isobar.ArgumentError, "cannot be set to another state"),
    (lambda w: w.close(), isobar.StaleError, "closed"),
])
def test_a_controller_that_fails_or_changes_the_state_raises(deed, error, match):
    world = arm_world()
    world.task = isobar.Task(world, controller=lambda w, t, a: deed(w) and None)
    with pytest.raises(error, match=match):
        world.step()


def test_a_swallowed_error_is_still_an_error():
    world = arm_world()

    def control(seen, time, actuations):
        try:
            seen.set_joint("j1", 0.0)
        except isobar.ArgumentError:
            pass

    world.task = isobar.Task(world, controller=control)
    with pytest.raises(isobar.ArgumentError, match="went too far"):
        world.step()


@pytest.mark.parametrize("method", [m for m in ("rk45", "radau", "cvode", "lagged")
                                    if isobar.method_is_built(m)])
@pytest.mark.parametrize("effort", [1e100, 1e140, 1e160, 1e300])
def test_efforts_out_of_proportion_name_what_runs_away(method, effort):
    model = isobar.Model()
    body = model.add_body("mass", mass=1.0, inertia=np.eye(3))
    model.add_joint("slide", kind="prismatic", parent=0, child=body, axis=(0, 0, 1))
    model.add_actuator("push", joint="slide")
    world = isobar.World(model, time_step=0.01, method=method)

    def push(world, time, actuations):
        actuations[0, 0] = effort

    world.task = isobar.Task(world, controller=push)
    with pytest.raises(isobar.Error, match="body 'mass'|'slide'|work of the energy ledger"):
        world.step()
    assert world.time == 0.0


def test_commands_that_are_not_finite_name_the_actuator():
    world = arm_world()
    world.task = isobar.Task(world, controller=lambda w, t, a: a * np.nan)
    with pytest.raises(isobar.RangeError, match="tells actuator 'a1'"):
        world.step()


def test_held_worlds_do_not_change():
    world = arm_world()
    with pytest.raises(isobar.ArgumentError), world.held():
        world.step()
    world.step()


def test_a_world_closed_while_it_is_held_ends_afterwards():
    world = arm_world()
    with world.held():
        world.close()
    with pytest.raises(isobar.StaleError):
        world.step()


def test_a_program_keeps_what_it_was_given():
    world = arm_world()
    keyframe = isobar.Keyframe(time=0.2, positions=[0.6, 0.2])
    step = isobar.ProgramStep(name="there", motion="joints", keyframes=[keyframe])
    program = isobar.Program(name="arm", actuators=["a1", "a2"], steps=[step])
    # What replaces the old values must not be what the library then reads, nor free it.
    keyframe.positions = [9.0, 9.0]
    step.name = "elsewhere" * 100
    step.keyframes = [isobar.Keyframe(time=5.0, positions=[8.0, 8.0])]
    world.task = isobar.Task(world, programs=[program])
    assert world.task.programs[0].step_name == "there"
    world.step(300)
    assert world.task.programs[0].is_done
    np.testing.assert_allclose(world.get_state()[0], [0.6, 0.2], atol=1e-3)  # measured 4e-6


def test_a_controller_may_take_itself_away():
    world = arm_world()
    calls = []

    def control(_world, _time, _actuations):
        calls.append(1)
        world.task.set_controller(None)

    world.task = isobar.Task(world, controller=control)
    world.step(3)
    assert len(calls) == 1


def test_attachments_travel_with_the_state():
    world = arm_world()
    assert world.attachment("mine") is None
    world.attach("mine", [1.0, 2.0, 3.5])
    state = world.save()
    world.attach("mine", [0.0])
    world.restore(state)
    assert world.attachment("mine").tolist() == [1.0, 2.0, 3.5]
    assert world.clone().attachment("mine").tolist() == [1.0, 2.0, 3.5]


def test_a_cubic_signal_has_a_rate():
    signal = isobar.Signal(kind="cubic", table=([0.0, 2.0], [1.0, 5.0]))
    assert signal(1.0) == 3.0 and signal.rate(1.0) == 3.0 and signal.rate(0.0) == 0.0


def test_a_controller_of_another_shape_is_told():
    world = arm_world()
    world.task = isobar.Task(world, controller=lambda world, time, rows: rows[:1])
    with pytest.raises(ValueError, match=r"returned shape \(1, 3\), expected \(2, 3\)"):
        world.step()


def test_a_clone_goes_on_with_the_programs_of_the_scene(tmp_path):
    path = tmp_path / "scene.yaml"
    path.write_text("""
bodies:
- {name: link, mass: 1, inertia: [0.1, 0.1, 0.1], com: [0.5, 0, 0]}
joints:
- {name: hinge, type: revolute, parent: world, child: link, axis: [0, 1, 0]}
programs:
- name: arm
  joints: [hinge]
  kp: 100
  kd: 10
  steps:
  - move_joints: {positions: [0.5], duration: 0.2}
  - move_joints: {positions: [-0.5], duration: 0.2}
""")
    scene = isobar.load(path)
    world = scene.create_world()
    world.step(250)  # in the second move
    idle, clone = world.clone(), world.clone()
    clone.task = scene.create_task(clone)
    for each in (world, idle, clone):
        each.step(50)
    assert idle.task is None and idle.state_hash != world.state_hash
    assert clone.state_hash == world.state_hash
    assert clone.task.programs[0].step == world.task.programs[0].step == 1
