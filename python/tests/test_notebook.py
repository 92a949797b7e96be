# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Notebooks show recordings and worlds: the page is whole in the cell, and the world is unchanged."""

import html
import json
import re

import pytest

import isobar
from isobar._native import viewer_page


@pytest.fixture(autouse=True)
def page():
    try:
        return viewer_page()
    except isobar.UnsupportedError as error:
        pytest.skip(str(error))


def shown(cell):
    """The data of the page in a cell."""
    inline = re.fullmatch(r'<iframe srcdoc="([^"]*)"[^>]*></iframe>', cell)
    assert cell.isascii()
    text = html.unescape(inline[1])
    assert "http-equiv" not in text.split("</head>")[0] and text.lower().startswith("<!doctype html>")
    return json.loads(re.search(r'id="isobar-data"[^>]*>(.*?)</script>', text, re.DOTALL)[1])


def test_a_world_is_shown_as_it_is(ball_world):
    state = ball_world.save()
    data = shown(ball_world._repr_html_())
    assert data["times"] == [pytest.approx(ball_world.time)]
    assert [body["name"] for body in data["bodies"]] == ball_world.body_names
    assert ball_world.save() == state
    assert len(ball_world.contacts) == 1


def test_a_recording_is_shown(ball_world, tmp_path):
    path = tmp_path / "ball.mcap"
    with isobar.Recorder(path, ball_world, frame_rate=0) as recorder:
        for _ in range(3):
            ball_world.step(20)
            recorder.record()
    with isobar.Recording(path) as recording:
        assert len(shown(recording._repr_html_())["times"]) == 3
