# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""The laws of contact in a point: Hertz's stiffness, and what damping an impact needs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ._native import Context, ffi, lib
from ._struct import enum_value, from_c, to_c
from .errors import RangeError

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Curvature:
    """Principal curvatures of a surface where it touches [1/m], positive where it is convex;
    direction (3,): unit, tangential, along which the curvature is `first`."""

    first: float
    second: float
    direction: npt.ArrayLike = (1.0, 0.0, 0.0)


@dataclass(frozen=True)
class Hertz:
    """stiffness k of f = k depth^1.5 [N/m^1.5]; major and minor: half axes of the ellipse of contact
    over sqrt(depth) [sqrt(m)]; modulus E* [Pa]; major_axis (3,), unit."""

    stiffness: float
    major: float
    minor: float
    modulus: float
    major_axis: Array

    def force(self, depth: float) -> float:
        """k depth^1.5 [N], 0 apart."""
        return float(self.stiffness * max(depth, 0.0) ** 1.5)

    def depth(self, force: float) -> float:
        """Depth at rest under a force [m], 0 for one that does not press."""
        return float((max(force, 0.0) / self.stiffness) ** (2.0 / 3.0))

    def peak(self, depth: float) -> float:
        """Pressure in the middle of the ellipse [Pa]."""
        c = ffi.new("iso_hertz*", {"stiffness": self.stiffness, "major": self.major, "minor": self.minor})
        return float(lib.iso_hertz_peak(c, max(depth, 0.0)))


def _known(value: float, given: str, expected: str) -> float:
    if math.isnan(value):
        raise RangeError(f"{given}, expected {expected}")
    return float(value)


_RESTITUTION = "restitution >= 1e-100 and <= 1 (0 would need infinite damping)"


def pair_modulus(a: tuple[float, float], b: tuple[float, float]) -> float:
    """E* of two materials, each (Young's modulus [Pa], math.inf: rigid; Poisson's ratio):
    1/E* = (1 - nu_a^2)/E_a + (1 - nu_b^2)/E_b."""
    context, out = Context(), ffi.new("double*")
    first, second = ffi.new("iso_elastic*", a), ffi.new("iso_elastic*", b)
    context.call(lib.iso_elastic_pair, context.pointer, first, second, out)
    return float(out[0])


def _curvature(value: Curvature | float) -> Any:
    known = value if isinstance(value, Curvature) else Curvature(value, value)
    return ffi.new("iso_curvature*", {"first": known.first, "second": known.second,
                                      "direction": to_c("iso_vec3", known.direction)[0]})


def hertz(modulus: float, a: Curvature | float, b: Curvature | float = 0.0,
          normal: npt.ArrayLike = (0.0, 0.0, 1.0)) -> Hertz:
    """Contact of two smooth surfaces under E* [Pa]. a, b: their curvatures; a number means a
    sphere of 1/radius, 0 a plane. Surfaces that do not touch in a point are a RangeError."""
    context, out = Context(), ffi.new("iso_hertz*")
    context.call(lib.iso_hertz_make, context.pointer, modulus, _curvature(a), _curvature(b),
                 to_c("iso_vec3", normal)[0], out)
    return Hertz(out.stiffness, out.major, out.minor, out.modulus, from_c("iso_vec3", out.major_axis))


def hertz_spheres(modulus: float, radius_a: float, radius_b: float = math.inf) -> float:
    """k of two spheres [N/m^1.5]; radius_b inf: a plane, below 0: a hollow sphere around a. A hollow
    that is narrower than what lies in it is a RangeError."""
    return _known(lib.iso_hertz_spheres(modulus, radius_a, radius_b),
                  f"modulus is {modulus} Pa, radii are {radius_a} m and {radius_b} m",
                  "a modulus > 0, radius_a > 0 and radius_b > 0 or, of a hollow, <= -radius_a")


def damping_factor(restitution: float) -> float:
    """d of (1 + d/e) / (1 - d) = exp(d (1 + e) / e), e from 1e-100 to 1."""
    return _known(lib.iso_damping_factor(restitution, ffi.NULL), f"restitution is {restitution}", _RESTITUTION)


def damping_share(restitution: float, law: str = "exact") -> float:
    """A of f = k depth^p (1 + A w), w the speed of approach over that at impact; restitution from
    1e-100 to 1. law: "exact", "hunt_crossley" or "lankarani_nikravesh", which are right near 1 only."""
    return _known(lib.iso_damping_share(enum_value("iso_impact_damping", law), restitution),
                  f"restitution is {restitution}", _RESTITUTION)


def damping_restitution(share: float) -> float:
    """Restitution that comes of A, >= 0."""
    return _known(lib.iso_damping_restitution(share), f"share is {share}", ">= 0")


def impact_depth(stiffness: float, mass: float, speed: float, share: float = 0.0,
                 exponent: float = 1.5) -> float:
    """Greatest depth of an impact of the reduced mass [kg] at a speed of approach [m/s]; stiffness
    [N/m^exponent]."""
    return _known(lib.iso_impact_depth(stiffness, exponent, mass, speed, share),
                  f"stiffness is {stiffness} N/m^p, mass {mass} kg, speed {speed} m/s, share {share}, exponent {exponent}",
                  "stiffness > 0, mass >= 0, share >= 0, exponent >= 1, a finite speed")
