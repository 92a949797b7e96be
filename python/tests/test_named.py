# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Names of joints and numbers over coordinates go together: what one writes first is right, or fails."""

import copy
import pickle

import numpy as np
import pytest

import isobar
from isobar.named import Named

LINK = """<link name="{0}"><inertial><origin xyz="{1} 0.02 0.1"/><mass value="{2}"/>
<inertia ixx="0.02" iyy="0.03" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>"""
JOINT = """<joint name="{0}" type="{1}"><parent link="{2}"/><child link="{3}"/>
<origin xyz="0.1 0 0.2" rpy="0 {4} 0"/><axis xyz="{5}"/>
<limit lower="-2" upper="2" effort="500" velocity="9"/></joint>"""
# No order of names is that of the tree: roots have the last names, joints cross their bodies'.
LINKS = ("z_base", "plate", "y_upper", "b_fore", "a_hand", "m_tool", "c_arm", "d_flap")
JOINTS = (("fixed_plate", "fixed", "z_base", "plate", 0.2, "0 0 1"),
          ("z_shoulder", "revolute", "plate", "y_upper", 0.3, "0 1 0"),
          ("m_elbow", "continuous", "y_upper", "b_fore", 0.5, "1 0 0"),
          ("a_slide", "prismatic", "b_fore", "a_hand", 0.1, "1 0 0"),
          ("weld_tool", "fixed", "a_hand", "m_tool", 0.4, "0 0 1"),
          ("k_other", "revolute", "z_base", "c_arm", 1.1, "0 1 0"),
          ("b_flap", "revolute", "c_arm", "d_flap", 0.2, "0 1 0"))


def robot(folder, is_fixed):
    text = "".join(LINK.format(name, 0.05 + 0.01 * i, 1.0 + 0.3 * i) for i, name in enumerate(LINKS))
    text += "".join(JOINT.format(*joint) for joint in JOINTS)
    if is_fixed:
        text += ('<link name="world"/><joint name="anchor" type="fixed"><parent link="world"/>'
                 '<child link="z_base"/></joint>')
    path = folder / "robot.urdf"
    path.write_text(f'<robot name="r">{text}</robot>')
    return isobar.load(path).create_world(time_step=1e-3)


def force_of_gravity(world, joint):
    """By moving the joint: minus the slope of the potential energy."""
    q = world.get_state()[0]
    energies = []
    for step in (-1e-4, 1e-4):
        world.set_joint(joint, float(q[joint]) + step)
        energies.append(world.energy().potential)
        world.set_state(q)
    return (energies[0] - energies[1]) / 2e-4


def test_joints_and_forces_of_a_fixed_robot_are_in_one_order(tmp_path):
    world = robot(tmp_path, True)
    assert world.v_count == world.joint_count == 5
    assert world.velocity_names == world.position_names == world.joint_names
    assert world.joint_names != sorted(world.joint_names)
    for name, force in zip(world.joint_names, -world.gravity_forces()):
        assert force == pytest.approx(-force_of_gravity(world, name), abs=1e-6), name
    # All that is by joint is in that order, too.
    world.set_state(np.arange(5) / 10)
    assert np.array_equal(world.joint_positions, np.arange(5) / 10)
    for i, name in enumerate(world.joint_names):
        assert world.joint_index(name) == i == world.coordinates(world.joint_body(i)).v_index


def test_what_gravity_takes_motors_of_the_same_names_give(tmp_path):
    """The code of a first day: every joint's motor is told the force of that name, and nothing moves."""
    world = robot(tmp_path, True)
    model = isobar.load(tmp_path / "robot.urdf").model
    for name in world.joint_names:
        model.add_actuator(name, name)
    world = isobar.World(model, time_step=1e-3)
    world.task = isobar.Task(world, commands=[
        isobar.Command(actuator=name, kind="effort", signal=isobar.Signal(kind="constant", offset=force))
        for name, force in zip(world.joint_names, -world.gravity_forces())])
    before = world.joint_positions
    world.step(20)
    assert np.abs(world.joint_positions - before).max() < 1e-9


def test_a_floating_robot_pairs_no_joint_with_a_number_that_is_not_its(tmp_path):
    world = robot(tmp_path, False)
    assert world.v_count == 11 and world.q_count == 12
    forces = -world.gravity_forces()
    with pytest.raises(TypeError, match=r"z_base\.wx"):
        dict(zip(world.joint_names, forces))
    for name in world.joint_names:
        assert forces[name] == pytest.approx(-force_of_gravity(world, name), abs=1e-6)
        assert forces[name] == forces[world.coordinates(world.joint_body(name)).v_index]
        assert forces[name.removeprefix("r::")] == forces[name]
    assert forces["z_base.vz"] == pytest.approx(9.81 * sum(1.0 + 0.3 * i for i in range(8)), rel=1e-3)
    q, v = world.get_state()
    assert q.names[:7] == tuple(f"r::z_base.{what}" for what in ("qw", "qx", "qy", "qz", "x", "y", "z"))
    assert dict(v.items()).keys() == set(world.velocity_names)
    with pytest.raises(isobar.NotFoundError, match="m_elbow"):
        forces["m_elbo"]


def test_kinds_of_joints_have_names_for_each_of_their_numbers():
    model = isobar.Model()
    kinds = ("universal", "planar", "ball", "weld", "screw", "free")
    for i, kind in enumerate(kinds):
        model.add_body(f"body{i}", mass=1.0, inertia=(1.0, 1.0, 1.0))
        model.add_joint(f"{kind}_joint", kind, "world", f"body{i}", **({"pitch": 0.1} if kind == "screw" else {}))
    world = isobar.World(model)
    assert len(world.velocity_names) == world.v_count == 2 + 3 + 3 + 0 + 1 + 6
    assert len(world.position_names) == world.q_count == 2 + 3 + 4 + 0 + 1 + 7
    for names in (world.velocity_names, world.position_names):
        assert len(set(names)) == len(names) and "screw_joint" in names
        assert {"universal_joint.angle_1", "planar_joint.angle"} <= set(names)
    assert {"free_joint.x", "ball_joint.qw"} <= set(world.position_names)
    assert {"free_joint.vx", "ball_joint.wz"} <= set(world.velocity_names)
    world.set_state(v=np.arange(15.0))
    v = world.get_state()[1]
    for i, kind in enumerate(kinds):
        at = world.coordinates(f"body{i}")
        mine = [value for name, value in v.items() if name.startswith(f"{kind}_joint")]
        assert mine == list(range(at.v_index, at.v_index + at.v_count))


def test_names_go_with_values_as_far_as_the_order_does():
    values = Named([1.0, 2.0, 3.0], ["a", "b", "m::c"], ["a", "b", "m::c"])
    assert list(values) == [1, 2, 3]
    for same in (-values, 2 * values, values + values, values + [1, 1, 1], np.abs(values),
                 np.multiply(values, 2, out=np.empty(3)) + values, pickle.loads(pickle.dumps(values))):
        assert isinstance(same, Named) and same.names == values.names
    assert (values + 1.0)["c"] == 4 and values["b"] == 2
    for same in (values.copy(), values.astype(float), copy.copy(values), copy.deepcopy(values)):
        assert isinstance(same, Named) and same.names == values.names and same is not values
    assert values[::-1].names == ("m::c", "b", "a") and values[::-1]["b"] == 2
    assert values[1:].names == ("b", "m::c") and list(values[1:]) == [2, 3]
    for same in (values.flatten(), values.ravel(), np.ravel(values)):
        assert isinstance(same, Named) and same.names == values.names
    unlike = Named([1.0, 2.0, 3.0], ["a", "b", "m::c"], ["j"])  # no number for each joint
    for part in (unlike, unlike.copy(), unlike[:], unlike[1:], copy.deepcopy(unlike[:2])):
        with pytest.raises(TypeError, match="not one for each joint"):
            list(part)
        assert part["b"] == 2
    for lost in (np.copy(values, subok=True), np.zeros_like(values), values.take([0, 1])):
        with pytest.raises(LookupError, match="'c': this array has no names"):
            lost["c"]
    for name in ("sort", "partition"):
        moved = Named([3.0, 1.0, 2.0], ["a", "b", "c"], ["a", "b", "c"])
        getattr(moved, name)(*([0] if name == "partition" else []))
        assert moved.names == () and moved[0] == 1
    for other in (values[[2, 0, 1]], np.sort(values), values.astype(int), np.eye(3) @ values,
                  values + Named([1.0, 2.0, 3.0], ["x", "y", "z"], []), values > 1, values.reshape(3, 1)):
        assert not (isinstance(other, Named) and other.names)
    values["c"] = 7
    values[0] = 5
    values += 1
    assert values.names == ("a", "b", "m::c") and np.asarray(values).tolist() == [6, 3, 8]
    assert float(values.sum()) == 17 and (values @ values) == 109
    assert type(values[[1, 2]]) is np.ndarray and isinstance(values[0], float)
