# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Motions of scenes along a run, by the program validate_trace."""

import numpy as np

import engine
import programs


class Trace:
    """times (n,); position(name) (n, 3), rotation(name) (n, 3, 3), twist(name) (n, 6): angular
    velocity, velocity of the origin; joint(name) (n, 2): position, velocity; energy(key) (n,);
    error: message of the step that failed, or None."""

    def __init__(self, lines):
        self.error = lines[-1].get("error")
        self.lines = [line for line in lines if "error" not in line]
        self.times = np.array([line["t"] for line in self.lines])

    @property
    def bodies(self):
        return list(self.lines[0]["bodies"])

    def _body(self, name):
        return np.array([line["bodies"][name] for line in self.lines])

    def position(self, name):
        return self._body(name)[:, :3]

    def rotation(self, name):
        return self._body(name)[:, 3:12].reshape(-1, 3, 3)

    def twist(self, name):
        return self._body(name)[:, 12:]

    def joint(self, name):
        return np.array([line["joints"][name] for line in self.lines])

    def energy(self, key):
        return np.array([line["energy"][key] for line in self.lines])


def run(scene, until, every=1, settings=()):
    """Trace of a scene, a line every so many steps."""
    sets = [f"{path}={value}" for path, value in dict(settings).items()]
    return Trace(programs.run("trace", scene, until, every, engine.ASSETS, *sets))


def at(trace, time):
    """Index of the line nearest to a time."""
    return int(np.argmin(np.abs(trace.times - time)))
