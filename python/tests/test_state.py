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
    assert (magic, version, bodies, memories) == (b"ISOSTATE", 3, 2, 1)
    assert size == len(state) == start + 8 * numbers + memory * memories
    total = 0xCBF29CE484222325  # FNV-1a of all bytes but the sum itself
    for byte in state[:24] + state[32:]:
        total = (total ^ byte) * 0x100000001B3 % 2**64
    assert struct.unpack_from("<Q", state, 24) == (total,)
    assert struct.unpack_from("<d", state, start) == (ball_world.time,)


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


def test_a_batch_names_itself_without_its_worlds(ball_world):
    other = ball_world.clone()
    batch = isobar.WorldBatch([ball_world, other])
    batch.step()
    other.close()
    time = f"{ball_world.time:g}"
    assert repr(batch) == f"<WorldBatch of 2 worlds at t = {time} to {time} s>"
    assert repr(isobar.WorldBatch([])) == "<WorldBatch of 0 worlds>"
