# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""From a raw surface to a checked compliant mesh (docs/prepare.md)."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from ._native import Context, callback, encode, ffi, lib, text
from ._struct import Struct
from .geometry import MassProperties, MeshReport, PathLike

Array = npt.NDArray[np.float64]

_UNITS = ("um", "mm", "cm", "m", "in", "ft")


class PrepareOptions(Struct):
    """What to prepare, and how: files, units ("mm", "in", ...; unit: metres in one) and scale, core, backing (a surface, or a plane by backing_point and
    backing_normal), size [m], mesher ("auto", "gmsh",
    "ftetwild"), field ("auto", "distance", "poisson", "laplace"), density [kg/m^3], modulus [Pa],
    dissipation [s/m]. time_limit [s]; memory_limit [bytes]."""

    _ctype = "iso_prepare_desc"
    _default = "iso_prepare_desc_default"

    input: str | None
    output: str | None
    core: str | None
    backing: str | None
    backing_point: Array
    backing_normal: Array
    report: str | None
    sdf: str | None
    urdf: str | None
    log: str | None
    name: str | None
    unit: float
    scale: float
    weld_tolerance: float
    size: float
    is_solid: bool
    grading: float
    layers: int
    mesher: str
    gmsh: str | None
    python: str | None
    time_limit: float
    memory_limit: float
    field: str
    density: float
    modulus: float
    dissipation: float
    friction_static: float
    friction_dynamic: float

    @property
    def units(self) -> str | None:
        """Word for `unit`: "um", "mm", "cm", "m", "in", "ft"; None for any other and when not set."""
        return next((name for name in _UNITS if unit_length(name) == self.unit), None)

    @units.setter
    def units(self, name: str) -> None:
        self.unit = unit_length(name)


class Hole(Struct):
    """A closed chain of edges of one triangle each: center (3,), length [m]."""

    _ctype = "iso_prepare_hole"

    center: Array
    length: float
    edge_count: int


class Deviation(Struct):
    """How far one surface lies from another [m]: the largest distance, where, and the rms."""

    _ctype = "iso_prepare_deviation"

    max: float
    rms: float
    where: Array


class PrepareReport(Struct):
    """What was found and done; lengths [m] after scaling, angles [rad]."""

    _ctype = "iso_prepare_report"
    _own = ("warnings", "stages", "holes", "intersections")

    scale: float
    lower: Array
    upper: Array
    input_vertex_count: int
    input_triangle_count: int
    vertex_count: int
    triangle_count: int
    part_count: int
    welded_count: int
    collapsed_count: int
    duplicate_count: int
    degenerate_count: int
    turned_count: int
    cavity_count: int
    dropped_count: int
    hole_count: int
    non_manifold_edge_count: int
    inconsistent_edge_count: int
    intersection_count: int
    untangled_count: int
    surface_area: float
    surface_volume: float
    mesher: str | None
    mesh_vertex_count: int
    mesh_tet_count: int
    inner_vertex_count: int
    quality_bins: npt.NDArray[np.int32]
    quality_min: float
    quality_mean: float
    dihedral_min: float
    mesh_volume: float
    skin_off: Deviation
    surface_off: Deviation
    thickness: float
    full_depth_low: float
    full_depth_high: float
    field: str | None
    core_vertex_count: int
    clamped_count: int
    residual: float
    extent_mean: float
    mass: float
    center_of_mass: Array
    inertia: Array
    warning_count: int
    stage_count: int

    @property
    def holes(self) -> list[Hole]:
        """The longest first, as many as a report holds."""
        count = min(self._c.hole_count, len(self._c.holes))
        return [Hole._copy(self._c.holes[i]) for i in range(count)]

    @property
    def intersections(self) -> Array:
        """(n, 3) where the surface meets itself, the first ones [m]."""
        count = min(self._c.intersection_count, len(self._c.intersections))
        points = [(p.x, p.y, p.z) for p in (self._c.intersections[i] for i in range(count))]
        return np.array(points, dtype=np.float64).reshape(-1, 3)

    @property
    def warnings(self) -> list[str]:
        """Doubts, as many as a report holds."""
        return [text(self._c.warnings[i])
                for i in range(min(self._c.warning_count, len(self._c.warnings)))]

    @property
    def stages(self) -> list[tuple[str, float, str]]:
        """Name, seconds and note of each stage."""
        return [(text(s.name), float(s.seconds), text(s.note))
                for s in (self._c.stages[i] for i in range(self._c.stage_count))]


class VolumeReport(Struct):
    """What `isobar inspect` says of a volume file beyond its mesh."""

    _ctype = "iso_volume_report"

    mesh: MeshReport
    quality_bins: npt.NDArray[np.int32]
    quality_min: float
    quality_mean: float
    dihedral_min: float
    has_extent: bool
    has_pressure: bool
    has_modulus: bool
    extent_low: float
    extent_high: float
    pressure_low: float
    pressure_high: float
    modulus_low: float
    modulus_high: float
    skin_extent_max: float
    skin_pressure_max: float
    skin_element_count: int
    thickness: float
    full_depth_low: float
    full_depth_high: float
    edge_mean: float


def prepare(input: PathLike, output: PathLike,  # noqa: A002 - the names of the C structure
            progress: Callable[[str, float, str], object] | None = None,
            is_cancelled: Callable[[], bool] | None = None,
            **options: Any) -> PrepareReport:
    """Read a surface, repair and check it, fill it with tetrahedra and write .vtk or .vtu.

    progress(stage, elapsed seconds, message) is told how it goes; is_cancelled() ends the work
    (NoConvergenceError). options: further members of PrepareOptions. An exception in one of the
    two ends the work too. On failure the exception's `report` says how far it came. fTetWild is
    that of this interpreter, where it has pytetwild and neither python= nor ISOBAR_PYTHON names
    another. Only the mesh is written, and sdf=, urdf=, report= where they name files.
    """
    is_named = "python" in options or os.environ.get("ISOBAR_PYTHON")
    if not is_named and importlib.util.find_spec("pytetwild"):
        options["python"] = sys.executable or None  # an embedded interpreter has none
    desc = PrepareOptions(input=input, output=output, **options)
    raised: list[BaseException] = []

    @callback("void(void*, const char*, double, const char*)")
    def on_progress(_user: Any, stage: Any, elapsed: float, message: Any) -> None:
        if progress is not None and not raised:
            try:
                progress(text(stage), elapsed, text(message))
            except BaseException as error:  # carried over the C frames, raised again below
                raised.append(error)

    @callback("bool(void*)")
    def on_cancel(_user: Any) -> bool:
        if not raised and is_cancelled is not None:
            try:
                return bool(is_cancelled())
            except BaseException as error:
                raised.append(error)
        return bool(raised)

    callbacks = ffi.new("iso_prepare_callbacks*")
    callbacks.progress, callbacks.is_cancelled = on_progress, on_cancel
    context, report = Context(), PrepareReport()
    try:
        context.call(lib.iso_prepare, context.pointer, desc._c, callbacks, report._c)
    except Exception as error:
        error.report = report  # type: ignore[attr-defined]
        raise raised[0] if raised else error
    if raised:
        raise raised[0]
    return report


def inspect_volume(path: PathLike) -> tuple[VolumeReport, MassProperties]:
    """Read .vtk, .vtu or .msh and judge it; mass properties of density 1."""
    context, report, mass = Context(), VolumeReport(), MassProperties()
    context.call(lib.iso_volume_inspect, context.pointer, encode(path), report._c, mass._c)
    return report, mass


def guess_unit(side: float) -> str | None:
    """Unit of coordinates that would make a largest side [m] plausible ("mm", "um", "m"); None when
    it is."""
    value = lib.iso_guess_unit(side)
    return None if value == ffi.NULL else text(value)


def unit_length(name: str) -> float:
    """Metres in a unit of length: "um", "mm", "cm", "m", "in" or "ft"."""
    metres = float(lib.iso_unit_length(encode(name)))
    if metres == 0.0:
        raise ValueError(f"'{name}' is not a unit of length; expected one of " + ", ".join(_UNITS))
    return metres
