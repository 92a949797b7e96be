# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""What worlds are made with and what they report."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ._native import Context, Handle, lib, text
from ._struct import Struct, from_c
from ._views import array_over
from .contact import ContactOptions
from .geometry import TriMesh
from .pose import Pose

Array = npt.NDArray[np.float64]


class WorldSettings(Struct):
    """time_step [s], gravity (3,) [m/s^2], method ("lagged", "sap", "similar", "tamsi", "midpoint",
    "rk4", "rk23", "rk45", "radau", "cvode"), accuracy, max_substeps, initial_step and max_step [s] of those with error control,
    error_control of velocity-level methods, contact, thread_count, load_visuals."""

    _ctype = "iso_world_desc"
    _default = "iso_world_desc_default"
    _elsewhere = {"contact_model": "contact.model, or contact=ContactOptions(model=...)",
                  "threads": "thread_count"}

    time_step: float
    gravity: Array
    method: str
    accuracy: float
    error_control: bool
    max_substeps: int
    initial_step: float
    max_step: float
    contact: ContactOptions
    thread_count: int
    load_visuals: bool


class Energy(Struct):
    """Energy of a state and what was dissipated since the world was made; all [J]."""

    _ctype = "iso_energy"

    kinetic: float
    potential: float
    elastic: float
    actuation: float
    contact: float
    damping: float
    spring: float
    constraint: float
    stretch: float
    stretch_booked: float
    applied: float
    friction: float
    contact_damping: float
    limit: float


class StepReport(Struct):
    """What the last step cost; stage_seconds (8,), the stages of docs/pipeline.md. Islands are groups
    of trees of bodies that touch or are tied, each solved on its own; reason says why the slowest one
    took many iterations."""

    _ctype = "iso_step_report"

    pair_count: int
    contact_count: int
    face_count: int
    iterations: int
    line_search_iterations: int
    total_iterations: int
    island_count: int
    largest_island: int
    residual: float
    cost: float
    slowest_body: int
    reason: str
    reason_body_a: int
    reason_body_b: int
    stage_seconds: Array
    substep_count: int
    rejected_count: int
    smallest_substep: float
    largest_substep: float
    substep_error: float

    def reason_text(self) -> str:
        """A few words for the reason."""
        return text(lib.iso_step_reason_text(self._c.reason))


class ContactPeak(Struct):
    """The contact that came nearest to passing through; extent 0 to 1, time [s]."""

    _ctype = "iso_contact_peak"

    extent: float
    time: float
    body_name_a: str
    body_name_b: str
    geometry_name_a: str
    geometry_name_b: str


class ContactPassage(Struct):
    """Pairs of geometries that went through each other unseen: how many, time [s] and names of the
    first."""

    _ctype = "iso_contact_passage"

    pair_count: int
    time: float
    body_name_a: str
    body_name_b: str
    geometry_name_a: str
    geometry_name_b: str


class WorldRayHit(Struct):
    """Where a ray meets a geometry of a world: index of its body, its name, distance [m], point
    (3,) [m] and outward normal (3,) in W."""

    _ctype = "iso_world_ray_hit"

    body: int
    geometry_name: str
    distance: float
    point_w: Array
    normal_w: Array


class Surface:
    """A shown or colliding surface of a body: name, is_collision, pose x_bg in the body, rgba,
    mesh in G (not a copy)."""

    def __init__(self, c: Any, handle: Handle, context: Context) -> None:
        self.name = text(c.name)
        self.is_collision = bool(c.is_collision)
        self.x_bg: Pose = from_c("iso_pose", c.x_bg)
        self.rgba = np.array([c.rgba[i] for i in range(4)])
        self.mesh: TriMesh = TriMesh._borrow(c.mesh, handle, context, False)


class Deformed:
    """What contact leaves of a compliant geometry, in W. Arrays own their memory: vertices (n, 3)
    [m], pressures (n,) [Pa], tets (m, 4), triangles (k, 3), is_contact (k,); volume and
    displaced_volume [m^3]."""

    def __init__(self, c: Any, keep: Handle) -> None:
        self.vertices: Array = array_over(c.vertices, (c.vertex_count, 3), np.float64, keep)
        self.pressures: Array = array_over(c.pressures, (c.vertex_count,), np.float64, keep)
        self.tets = array_over(c.tets, (c.tet_count, 4), np.int32, keep)
        self.triangles = array_over(c.triangles, (c.triangle_count, 3), np.int32, keep)
        self.is_contact = array_over(c.is_contact, (c.triangle_count,), np.bool_, keep)
        self.volume = float(c.volume)
        self.displaced_volume = float(c.displaced_volume)
