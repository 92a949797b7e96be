# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Live views from Python; what pages do is in tests/live."""

import pathlib
import sys

import isobar
import numpy as np
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tests" / "live"))
from web_client import WebSocket  # noqa: E402

TOKEN = "python-live-view"


@pytest.fixture
def view(ball_world):
    try:
        view = ball_world.show(token=TOKEN)
    except isobar.UnsupportedError as error:
        pytest.skip(str(error))
    with view:
        yield view


def port_of(view):
    return int(view.url.split(":")[2].split("/")[0])


def test_run_steps_as_pages_say(ball_world, view):
    with WebSocket(port_of(view), TOKEN) as page:
        assert "ball" in str(page.model()["bodies"])
        start = ball_world.step_count
        assert page.frame().status["steps"] == start
        view.run(0.0)
        assert view.client_count == 1
        page.send(do="step", count=7)
        while ball_world.step_count < start + 7:
            view.run(0.01)
        frame = page.frame(lambda f: f.status["steps"] == start + 7)
        assert ball_world.step_count == start + 7
        expected = ball_world.body_pose(1).translation.astype(np.float32)
        assert frame.poses[1][:3] == pytest.approx(expected, abs=0)
        page.send(do="play")
        while not view.playing:
            view.run(0.01)
        view.run(0.05)
        assert ball_world.step_count > start + 7
        view.playing = False
        steps = ball_world.step_count
        view.run(0.03)
        assert ball_world.step_count == steps


def test_a_program_that_steps_itself_shows_what_it_does(ball_world, view):
    with WebSocket(port_of(view), TOKEN) as page:
        page.model()
        start = ball_world.step_count
        for _ in range(5):
            ball_world.step()
        view.notify("stepped by hand")
        view.update()
        frame = page.frame(lambda f: f.status["steps"] == start + 5)
        assert frame.status["notice"] == "stepped by hand"
        assert frame.time == pytest.approx(ball_world.time, abs=1e-12)


def test_an_exception_of_a_controller_comes_out_of_run(ball_world):
    def controller(*_):
        raise KeyError("controller")

    ball_world.task = isobar.Task(ball_world, controller=controller)
    try:
        view = ball_world.show(token=TOKEN)
    except isobar.UnsupportedError as error:
        pytest.skip(str(error))
    with view:
        view.playing = True
        with pytest.raises(KeyError, match="controller"):
            view.run(1.0)
        assert not view.playing


def test_bad_options_are_refused(ball_world):
    if not isobar.LiveView.is_built():
        pytest.skip("built without libwebsockets")
    for options in ({"port": 70000}, {"host": "example.com"}, {"token": "a b"}, {"frame_rate": 0.0}):
        with pytest.raises(isobar.RangeError):
            ball_world.show(**options)
