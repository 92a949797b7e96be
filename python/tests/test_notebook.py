# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Notebooks show scenes, worlds, recordings and live views: the page is whole in the cell, or its
server's, and the world is unchanged."""

import html
import json
import pathlib
import re
import sys
import urllib.request

import pytest

import isobar
from isobar._native import viewer_page
from isobar.notebook import widget


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


def test_a_scene_is_shown_as_it_begins():
    scene = isobar.load(pathlib.Path(__file__).parents[2] / "scenes" / "demo.yaml")
    data = shown(scene._repr_html_())
    world = scene.create_world()
    assert data["times"] == [0.0]
    assert [body["name"] for body in data["bodies"]] == world.body_names


def test_a_live_view_is_framed_by_pages_of_this_machine_until_it_closes(ball_world):
    if not isobar.LiveView.is_built():
        pytest.skip("no libwebsockets")
    with ball_world.show(token="a_token-of-20-chars") as view:
        cell = view._repr_html_()
        address = html.unescape(re.fullmatch(r'<iframe src="([^"]*)"[^>]*></iframe>', cell)[1])
        assert address == view.url
        with urllib.request.urlopen(address, timeout=10) as answer:
            policy = answer.headers["content-security-policy"]
    assert re.search(r"frame-ancestors ([^;]*);", policy)[1] == "http://127.0.0.1:* http://localhost:*"
    assert view._repr_html_() is None


def test_a_widget_says_what_it_needs(ball_world, monkeypatch):
    monkeypatch.setitem(sys.modules, "anywidget", None)
    with pytest.raises(ImportError, match=r"pip install 'isobar\[notebook\]'"):
        widget(ball_world)


def test_a_widget_shows_the_world_as_it_is_when_updated(ball_world):
    pytest.importorskip("anywidget")
    view = widget(ball_world)
    pages = [view.page]
    ball_world.step(5)
    assert view.page == pages[0]
    view.update()
    for page, time in ((pages[0], ball_world.time - 5e-3), (view.page, ball_world.time)):
        data = json.loads(re.search(r'id="isobar-data"[^>]*>(.*?)</script>', page, re.DOTALL)[1])
        assert data["times"] == [pytest.approx(time)]


def test_a_widget_takes_what_has_a_page_and_says_what_else_it_was_given(ball_world, tmp_path):
    pytest.importorskip("anywidget")
    for wrong in ("scenes/ball.yaml", None, [ball_world], ball_world.settings):
        with pytest.raises(TypeError, match=f"of a {type(wrong).__name__}, expected a Scene"):
            widget(wrong)
    for wrong in (0, -5, 1.5, True, "300", 10_001):
        with pytest.raises(ValueError, match="expected a whole number of pixels"):
            widget(ball_world, height=wrong)
    assert widget(ball_world, height=300).height == 300
    assert widget(isobar.load(pathlib.Path(__file__).parents[2] / "scenes" / "ball.yaml")).frame_count == 1


def test_frames_of_a_widget_are_those_of_its_page(ball_world, tmp_path):
    traitlets = pytest.importorskip("anywidget") and pytest.importorskip("traitlets")
    for rate in (0, 100):
        path = tmp_path / f"{rate}.mcap"
        with isobar.Recorder(path, ball_world, frame_rate=rate) as recorder:
            recorder.record()
            for _ in range(6):
                ball_world.step()
                recorder.record()
        with isobar.Recording(path) as recording:
            view = widget(recording)
            shown = [frame for frame in range(-2, 12) if is_frame(view, frame, traitlets.TraitError)]
            assert shown == list(range(view.frame_count))
            assert 1 <= view.frame_count <= 7


def is_frame(view, frame, error):
    try:
        view.frame = frame
    except error as refusal:
        assert f"frame is {frame}, expected 0 to {view.frame_count - 1}" in str(refusal)
        return False
    return view.frame == frame
