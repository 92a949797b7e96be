# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""What the tests of the package share."""

import pathlib

import hypothesis
import numpy as np
import pytest

import isobar

SOURCE = pathlib.Path(__file__).resolve().parents[2]

# The same examples every time; the machine may be busy.
hypothesis.settings.register_profile("isobar", deadline=None, derandomize=True, max_examples=40)
hypothesis.settings.load_profile("isobar")


@pytest.fixture
def scenes():
    """Directory of the scenes of the repository."""
    return SOURCE / "scenes"


def soft_ball(modulus=1e5):
    """Model of a soft ball of radius 0.05 m, 0.5 kg, 1 mm above its rest on a rigid table."""
    model = isobar.Model()
    model.add_geometry("world", isobar.half_space(), name="ground",
                       material=isobar.Material(compliance="rigid"))
    ball = model.add_body("ball", mass=0.5, inertia=(5e-4, 5e-4, 5e-4))
    model.add_geometry(ball, isobar.sphere(0.05),
                       material=isobar.Material(compliance="compliant", modulus=modulus,
                                                resolution_hint=0.02))
    model.set_free_pose(ball, (0.0, 0.0, 0.048))
    return model


@pytest.fixture
def ball_world():
    """World of soft_ball() with a contact."""
    world = isobar.World(soft_ball(), time_step=1e-3)
    world.step(10)
    assert len(world.contacts) == 1
    return world


def pendulum():
    """Model of two links of 1 m and 1 kg each on hinges about y, with motors."""
    model = isobar.Model()
    inertia = np.diag([1 / 12, 1 / 12, 1e-3])
    for index, parent in enumerate(("world", "link1")):
        name = f"link{index + 1}"
        model.add_body(name, mass=1.0, inertia=inertia, center_of_mass=(0, 0, -0.5))
        model.add_joint(f"hinge{index + 1}", "revolute", parent, name, axis=(0, 1, 0),
                        x_pf=(0, 0, 0 if index == 0 else -1.0), position=0.3)
        model.add_actuator(f"motor{index + 1}", f"hinge{index + 1}", kp=10.0, kd=1.0)
    return model


@pytest.fixture
def arm():
    return isobar.World(pendulum(), time_step=1e-3)


def pytest_sessionfinish(session, exitstatus):
    """A run in which every test was skipped counts as skipped for CTest, not as passed."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    is_good = exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)
    if is_good and reporter is not None:
        if reporter.stats.get("skipped") and not reporter.stats.get("passed"):
            session.exitstatus = 77
