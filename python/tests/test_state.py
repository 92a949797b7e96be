# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Saved states, clones and batches."""

import re
import struct

import pytest

import isobar
from conftest import SOURCE, soft_ball


def test_a_saved_state_steps_on_with_the_same_bits(ball_world, tmp_path):
    state = ball_world.save()
    ball_world.save_file(tmp_path / "state")
    ball_world.step(50)
    expected = ball_world.state_hash
    ball_world.restore(state)
    assert ball_world.contacts == [] and ball_world.step_count == 10
    ball_world.step(50)
    assert ball_world.state_hash == expected
    ball_world.load_file(tmp_path / "state")
    ball_world.step(50)
    assert ball_world.state_hash == expected
    with pytest.raises(isobar.ParseError):
        ball_world.restore(state[:-3])
    assert ball_world.state_hash == expected
    other = isobar.World(soft_ball(modulus=2e5))
    assert other.model_hash != ball_world.model_hash
    with pytest.raises(isobar.NotFoundError):
        other.restore(state)


def test_a_state_has_the_layout_that_its_page_says(ball_world, tmp_path):
    ball_world.step(50)  # at rest on the ground: the pair has a memory
    ball_world.save_file(tmp_path / "state")
    state = (tmp_path / "state").read_bytes()
    page = (SOURCE / "docs" / "recording.md").read_text(encoding="utf-8")
    start, memory = map(int, re.search(r"\| (\d+) \+ 8 n \| m times (\d+) bytes", page).groups())
    magic, version, bodies, size = struct.unpack_from("<8sIIQ", state)
    memories, numbers = struct.unpack_from("<II", state, 128)
    assert (magic, version, bodies, memories) == (b"ISOSTATE", 7, 2, 1)
    assert size == len(state) == start + 8 * numbers + memory * memories
    assert struct.unpack_from("<Q", state, 24) == (checksum(state),)
    assert struct.unpack_from("<d", state, start) == (ball_world.time,)


def checksum(state):
    """FNV-1a of all bytes of a state but the sum itself."""
    total = 0xCBF29CE484222325
    for byte in state[:24] + state[32:]:
        total = (total ^ byte) * 0x100000001B3 % 2**64
    return total


@pytest.mark.parametrize("method", ["lagged", "midpoint", "sap", "similar", "tamsi"])
def test_energy_that_a_contact_may_give_back_is_finite_and_not_negative(method):
    """A state with any other number in the memory of a pair is refused and changes nothing."""
    world = isobar.World(soft_ball(), time_step=1e-3, method=method)
    world.step(10)
    state = world.save()
    hash_before, numbers = world.state_hash, struct.unpack_from("<I", state, 132)[0]
    first = 136 + 8 * numbers + 8  # of the memory's 23 numbers
    absorbed = 22 if method in ("lagged", "midpoint") else 6
    assert len(state) == first + 8 * 23
    assert struct.unpack_from("<d", state, first + 8 * absorbed)[0] > 0.0
    wrong = [(k, value) for k in range(23) for value in (float("nan"), float("inf"), -float("inf"))]
    for k, value in [*wrong, (absorbed, -5e-324), (absorbed, -1.0)]:
        damaged = bytearray(state)
        struct.pack_into("<d", damaged, first + 8 * k, value)
        struct.pack_into("<Q", damaged, 24, checksum(damaged))
        with pytest.raises(isobar.RangeError, match="memory 0 of the state, .* is unusable"):
            world.restore(bytes(damaged))
        assert world.state_hash == hash_before


def test_clones_are_worlds_of_their_own(ball_world):
    clone = ball_world.clone()
    assert clone.state_hash == ball_world.state_hash
    clone.apply_wrench("ball", (0, 0, 0, 5.0, 0, 0))
    clone.step(20)
    ball_world.step(20)
    assert clone.state_hash != ball_world.state_hash
    ball_world.close()
    del ball_world
    clone.step()
    assert len(clone.contacts) == 1


def test_a_batch_steps_like_single_worlds(ball_world):
    alone = ball_world.clone()
    batch = isobar.WorldBatch([ball_world, *(ball_world.clone() for _ in range(3))],
                              thread_count=2)
    view = ball_world.contacts[0].patch.pressures
    batch.step(100)
    alone.step(100)
    assert repr(batch) == "<WorldBatch of 4 worlds at t = 0.11 to 0.11 s>"
    assert len(batch) == 4 and batch.errors() == [None] * 4
    assert {world.state_hash for world in batch.worlds} == {alone.state_hash}
    with pytest.raises(isobar.StaleError):
        view.sum()
    with pytest.raises(isobar.ArgumentError):
        isobar.WorldBatch([ball_world, ball_world])


def batch_of_sliders(tell, count=3):
    """Worlds of one slider, driven by tell(index of the world, time)."""
    model = isobar.Model()
    model.add_body("a", mass=1e-6, inertia=[1e-7] * 3)
    model.add_joint("j", "prismatic", "world", "a", axis=(1, 0, 0))
    model.add_actuator("u", "j")
    worlds = []
    for index in range(count):
        world = isobar.World(model)
        world.task = isobar.Task(world, controller=lambda _world, time, told, index=index:
                                 told.__setitem__((0, 0), tell(index, time)))
        worlds.append(world)
    return isobar.WorldBatch(worlds)


def counts(batch):
    return [world.step_count for world in batch.worlds]


def test_the_others_of_a_batch_go_on_when_one_step_fails():
    batch = batch_of_sliders(lambda index, time: 1e308 if index == 1 and time > 2.5e-3 else 1.0)
    with pytest.raises(isobar.NumericError, match="^world 1 of the batch: step 4 at t = 0.003 s: "):
        batch.step(10)
    assert counts(batch) == [10, 3, 10]
    assert batch.errors() == [None, isobar.NumericError, None]
    alone = batch_of_sliders(lambda index, time: 1.0, count=1)
    alone.step(10)
    assert {batch.worlds[i].state_hash for i in (0, 2)} == {alone.worlds[0].state_hash}


def test_the_others_of_a_batch_go_on_when_a_task_fails():
    nan = float("nan")
    batch = batch_of_sliders(lambda index, time: nan if index > 0 and time > index * 2e-3 else 1.0)
    with pytest.raises(isobar.Error, match="^world 1 of the batch: step 4 at t = 0.003 s: the contr"):
        batch.step(10)
    assert counts(batch) == [10, 3, 5]
    assert batch.errors()[0] is None and all(issubclass(e, isobar.Error) for e in batch.errors()[1:])

    def tell(index, time):
        if index == 2 and time > 2.5e-3:
            raise ZeroDivisionError("of the controller")
        return 1.0

    batch = batch_of_sliders(tell)
    with pytest.raises(ZeroDivisionError) as raised:
        batch.step(10)
    assert getattr(raised.value, "__notes__", ["world 2 of the batch"]) == ["world 2 of the batch"]
    assert counts(batch) == [10, 10, 3] and batch.errors() == [None, None, ZeroDivisionError]


def test_a_batch_names_itself_without_its_worlds(ball_world):
    other = ball_world.clone()
    batch = isobar.WorldBatch([ball_world, other])
    batch.step()
    other.close()
    time = f"{ball_world.time:g}"
    assert repr(batch) == f"<WorldBatch of 2 worlds at t = {time} to {time} s>"
    assert repr(isobar.WorldBatch([])) == "<WorldBatch of 0 worlds>"


def sloping_block(friction, mass=1.0, name="block", gravity=(2.0, 0.0, -9.0)):
    """A block on a floor, gravity aslant."""
    model = isobar.Model()
    material = isobar.Material(compliance="compliant", modulus=1e6, friction_static=friction,
                               friction_dynamic=friction, resolution_hint=0.2)
    model.add_geometry("world", isobar.half_space(), name="floor",
                       material=isobar.Material(compliance="rigid", friction_static=friction,
                                                friction_dynamic=friction))
    body = model.add_body(name, mass=mass, inertia=(1e-2, 1e-2, 1e-2))
    model.add_geometry(body, isobar.box(0.4, 0.4, 0.04), name="skin", material=material)
    model.set_free_pose(body, (0, 0, 0.02 - 1.1e-6))
    return isobar.World(model, time_step=1e-3, gravity=gravity)


def test_a_state_goes_on_in_a_world_of_other_numbers():
    rough, smooth = sloping_block(0.5), sloping_block(0.1)
    assert rough.model_hash != smooth.model_hash
    assert rough.structure_hash == smooth.structure_hash
    rough.step(300)
    state = rough.save()
    assert abs(rough.body_twist("block")[3]) < 1e-9  # it sticks: 2.0 < 0.5 * 9.0
    with pytest.raises(isobar.NotFoundError, match="another model"):
        smooth.restore(state)
    assert smooth.time == 0.0
    smooth.restore(state, other_parameters=True)
    assert smooth.time == rough.time
    smooth.step(200)
    # v = (2.0 - 0.1 * 9.0) t; measured 2e-6
    assert smooth.body_twist("block")[3] == pytest.approx(1.1 * 0.2, abs=2e-5)
    rough.restore(smooth.save(), other_parameters=True)
    rough.step(300)  # 0.22 m/s are stopped by (0.5 * 9.0 - 2.0) m/s^2 within 0.09 s
    assert abs(rough.body_twist("block")[3]) < 1e-9
    heavy = sloping_block(0.5, mass=3.0)
    heavy.restore(rough.save(), other_parameters=True)
    heavy.step(500)
    assert -heavy.contacts[0].wrench[5] == pytest.approx(27.0, rel=1e-9)  # it bears three times as much


def test_a_state_of_another_structure_is_refused():
    world = sloping_block(0.5)
    state = world.save()
    with pytest.raises(isobar.NotFoundError, match="another structure"):
        sloping_block(0.5, name="brick").restore(state, other_parameters=True)
    with pytest.raises(isobar.NotFoundError, match="another structure"):
        isobar.World(soft_ball()).restore(state, other_parameters=True)
    world.restore(state, other_parameters=True)  # its own numbers do no harm
    old = bytearray(state)
    old[96:104] = bytes(8)  # of a version that did not say
    total = 0xCBF29CE484222325
    for byte in old[:24] + old[32:]:
        total = (total ^ byte) * 0x100000001B3 % 2**64
    old[24:32] = total.to_bytes(8, "little")
    world.restore(bytes(old))
    with pytest.raises(isobar.NotFoundError):
        sloping_block(0.4).restore(bytes(old), other_parameters=True)


def test_a_wrench_lasts_the_step_that_its_name_says():
    world = sloping_block(0.0, gravity=(0, 0, -9.0))
    world.apply_wrench_for_one_step("block", (0, 0, 0, 5.0, 0, 0))
    world.step()
    speed = world.body_twist("block")[3]
    assert speed == pytest.approx(5.0 * 1e-3, rel=1e-6)
    world.step(10)
    assert world.body_twist("block")[3] == pytest.approx(speed, rel=1e-9)
