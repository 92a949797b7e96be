# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Shapes, meshes and extent fields."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from ._native import Context, Handle, Lease, callback, encode, ffi, lib, text
from ._struct import Struct, enum_value, to_c
from ._views import array_over

Array = npt.NDArray[np.float64]
PathLike = str | os.PathLike[str]


class MassProperties(Struct):
    """volume [m^3], center_of_mass (3,) [m], inertia (3, 3) about it, of density 1 [kg m^2]."""

    _ctype = "iso_mass_properties"

    volume: float
    center_of_mass: Array
    inertia: Array


class MeshReport(Struct):
    """What `isobar inspect` says of a mesh: area [m^2], volume [m^3], bounds [m]."""

    _ctype = "iso_mesh_report"
    _own = ("intersections",)

    vertex_count: int
    triangle_count: int
    tet_count: int
    component_count: int
    boundary_edge_count: int
    non_manifold_edge_count: int
    degenerate_count: int
    is_closed: bool
    is_oriented: bool
    lower: Array
    upper: Array
    area: float
    volume: float
    intersection_count: int

    @property
    def intersections(self) -> Array:
        """(n, 3) where triangles cut through each other or lie upon each other, the first ones [m]."""
        count = min(self._c.intersection_count, len(self._c.intersections))
        points = [(p.x, p.y, p.z) for p in (self._c.intersections[i] for i in range(count))]
        return np.array(points, dtype=np.float64).reshape(-1, 3)


class ExtentReport(Struct):
    """How an extent field was found."""

    _ctype = "iso_extent_report"

    core_vertex_count: int
    exposed_vertex_count: int
    free_vertex_count: int
    clamped_count: int
    residual: float


def _rows(array: Any, width: int, what: str) -> Any:
    """(n, width) of such an array, or of a flat one."""
    if array.ndim == 1 and array.size % width == 0:
        return array.reshape(-1, width)
    if array.ndim != 2 or array.shape[1] != width:
        raise ValueError(f"{what} have shape {array.shape}, expected (n, {width})")
    return array


class _Mesh:
    """Vertices and elements in memory of NumPy or of the library; neither is copied."""

    _ctype = ""
    _elements = ""
    _corners = 0
    #: Of the object that the mesh lies in; None: its own.
    _lease: Lease | None = None

    def __init__(self, vertices: npt.ArrayLike, elements: npt.ArrayLike) -> None:
        points = _rows(np.ascontiguousarray(vertices, dtype=np.float64), 3, "vertices")
        corners = _rows(np.ascontiguousarray(elements, dtype=np.int32), self._corners,
                        self._elements + "s")
        self._points: Any = points
        self._indices: Any = corners
        self._c = ffi.new(self._ctype + "*")
        self._c.vertex_count = len(points)
        setattr(self._c, self._elements + "_count", len(corners))
        self._c.vertices = ffi.cast("iso_vec3*", points.ctypes.data)
        setattr(self._c, self._elements + "s", ffi.cast(f"int(*)[{self._corners}]",
                                                         corners.ctypes.data))
        self.context = Context()

    @classmethod
    def _borrow(cls, c: Any, keep: Handle, context: Context, is_writable: bool) -> Any:
        self = cls.__new__(cls)
        self._c, self.context, self._lease = c, context, Lease(keep)
        self._points = array_over(c.vertices, (c.vertex_count, 3), np.float64, keep, is_writable)
        self._indices = array_over(getattr(c, cls._elements + "s"),
                                   (getattr(c, cls._elements + "_count"), cls._corners),
                                   np.int32, keep, is_writable)
        return self

    @classmethod
    def _fill(cls, context: Context, function: Any, *args: Any) -> Any:
        """A mesh that a function of the library makes."""
        out = ffi.new(cls._ctype + "*")
        context.call(function, context.pointer, *args, out)
        destroy = getattr(lib, cls._ctype + "_destroy")
        keep = Handle(out, lambda: destroy(context.pointer, out), [context.handle])
        return cls._borrow(out, keep, context, True)

    @property
    def vertices(self) -> Array:
        """(n, 3) in the shape's frame G [m]; not a copy."""
        points: Array = self._points
        return points

    def __repr__(self) -> str:
        return (f"<{type(self).__name__} of {len(self._points)} vertices, "
                f"{len(self._indices)} {self._elements}s>")


class TriMesh(_Mesh):
    """A surface of triangles, counter-clockwise seen from outside."""

    _ctype, _elements, _corners = "iso_tri_mesh", "triangle", 3

    @classmethod
    def load(cls, path: PathLike, scale: npt.ArrayLike = (1.0, 1.0, 1.0)) -> TriMesh:
        """Read .obj, .stl, .gltf, .glb, .dae or .ply."""
        mesh: TriMesh = cls._fill(Context(), lib.iso_tri_mesh_load, encode(path),
                                  to_c("iso_vec3", scale)[0])
        return mesh

    @property
    def triangles(self) -> npt.NDArray[np.int32]:
        """(m, 3) vertex indices; not a copy."""
        indices: npt.NDArray[np.int32] = self._indices
        return indices

    def inspect(self) -> MeshReport:
        """Count, measure and judge."""
        report = MeshReport()
        self.context.call(lib.iso_tri_mesh_inspect, self.context.pointer, self._c, report._c)
        return report

    def mass_properties(self) -> MassProperties:
        """Of the solid of density 1 that the surface bounds."""
        result = MassProperties()
        self.context.call(lib.iso_tri_mesh_mass_properties, self.context.pointer, self._c,
                          result._c)
        return result


class TetMesh(_Mesh):
    """A volume of tetrahedra, each of positive volume."""

    _ctype, _elements, _corners = "iso_tet_mesh", "tet", 4

    @classmethod
    def load(cls, path: PathLike, scale: npt.ArrayLike = (1.0, 1.0, 1.0)) -> TetMesh:
        """Read .vtk, .vtu or .msh."""
        mesh: TetMesh = cls._fill(Context(), lib.iso_tet_mesh_load, encode(path),
                                  to_c("iso_vec3", scale)[0])
        return mesh

    @property
    def tets(self) -> npt.NDArray[np.int32]:
        """(m, 4) vertex indices; not a copy."""
        indices: npt.NDArray[np.int32] = self._indices
        return indices

    def inspect(self) -> MeshReport:
        """Count, measure and judge."""
        report = MeshReport()
        self.context.call(lib.iso_tet_mesh_inspect, self.context.pointer, self._c, report._c)
        return report

    def mass_properties(self) -> MassProperties:
        """Of density 1."""
        result = MassProperties()
        self.context.call(lib.iso_tet_mesh_mass_properties, self.context.pointer, self._c,
                          result._c)
        return result

    def skin(self) -> TriMesh:
        """Outer surface."""
        mesh: TriMesh = TriMesh._fill(Context(), lib.iso_tet_mesh_skin, self._c)
        return mesh

    def extents(self, kind: str = "auto", is_core: npt.ArrayLike | None = None,
                core: TriMesh | None = None,
                is_insulated: npt.ArrayLike | None = None) -> tuple[Array, ExtentReport]:
        """Extent field, 0 on the exposed skin and 1 at a core or where deepest.

        kind: "auto", "distance" or "poisson"; is_core: (n,) bool; core: its surface;
        is_insulated: bool for each triangle of skin(). Returns (n,) extents and a report.
        """
        desc = ffi.new("iso_extent_desc*")
        desc[0] = lib.iso_extent_desc_default()
        desc.kind = enum_value("iso_extent_kind", kind)
        keep = []
        for name, flags, count in (("is_core", is_core, len(self._points)),
                                   ("is_insulated", is_insulated, None)):
            if flags is not None:
                array = np.ascontiguousarray(flags, dtype=np.bool_).ravel()
                wanted = len(self.skin().triangles) if count is None else count
                if len(array) != wanted:
                    raise ValueError(f"{name} has {len(array)} values, expected {wanted}")
                keep.append(array)
                setattr(desc, name, ffi.cast("bool*", array.ctypes.data))
        if core is not None:
            desc.core = core._c
        extents = np.empty(len(self._points))
        report = ExtentReport()
        self.context.call(lib.iso_extent_solve, self.context.pointer, self._c, desc,
                          ffi.cast("double*", extents.ctypes.data), report._c)
        return extents, report


class Shape(Struct):
    """A shape: kind "sphere", "ellipsoid", "box", "cylinder", "capsule", "half_space", "convex" or
    "mesh"; radius, length [m]; size: box full edges, ellipsoid semi-axes (3,) [m]; path, scale,
    surface or volume of convex and mesh."""

    _ctype = "iso_shape_desc"
    _own = ("surface", "volume")

    kind: str
    radius: float
    length: float
    size: Array
    path: str | None
    scale: Array

    def __init__(self, kind: str = "sphere", **members: Any) -> None:
        super().__init__()
        self._c[0] = lib.iso_shape_desc_default(enum_value("iso_shape_kind", kind))
        for name, value in members.items():
            setattr(self, name, value)

    @property
    def surface(self) -> TriMesh | None:
        """Triangles given inline."""
        mesh: TriMesh | None = self._keep.get("surface")
        return mesh

    @surface.setter
    def surface(self, mesh: TriMesh | None) -> None:
        self._keep["surface"] = mesh
        self._c.surface = c_pointer_of(mesh)

    @property
    def volume(self) -> TetMesh | None:
        """Tetrahedra given inline."""
        mesh: TetMesh | None = self._keep.get("volume")
        return mesh

    @volume.setter
    def volume(self, mesh: TetMesh | None) -> None:
        self._keep["volume"] = mesh
        self._c.volume = c_pointer_of(mesh)

    @property
    def kind_name(self) -> str:
        """Name of the kind as the library spells it."""
        return text(lib.iso_shape_kind_name(self._c.kind))

    def mass_properties(self) -> MassProperties:
        """Volume, centre of mass and inertia of a solid of density 1."""
        context, result = Context(), MassProperties()
        context.call(lib.iso_shape_mass_properties, context.pointer, self._c, result._c)
        return result

    def tessellate(self, resolution_hint: float) -> TriMesh:
        """A surface that shows the shape; resolution_hint: edge length [m]."""
        mesh: TriMesh = TriMesh._fill(Context(), lib.iso_shape_surface, self._c, resolution_hint)
        return mesh

    def tet_count(self, resolution_hint: float) -> float:
        """Number of tetrahedra that a hint [m] asks for, also beyond where tessellation stops; 0 for
        shapes that no hint divides."""
        return float(lib.iso_shape_tet_count(self._c, resolution_hint))


def c_pointer_of(mesh: _Mesh | None) -> Any:
    """Pointer to the C mesh, NULL for None."""
    return ffi.NULL if mesh is None else mesh._c


def sphere(radius: float) -> Shape:
    """Sphere about the origin [m]."""
    return Shape("sphere", radius=radius)


def box(x: float, y: float, z: float) -> Shape:
    """Box about the origin, full edge lengths [m]."""
    return Shape("box", size=(x, y, z))


def ellipsoid(x: float, y: float, z: float) -> Shape:
    """Ellipsoid about the origin, semi-axes [m]."""
    return Shape("ellipsoid", size=(x, y, z))


def cylinder(radius: float, length: float) -> Shape:
    """Cylinder about the origin, axis z [m]."""
    return Shape("cylinder", radius=radius, length=length)


def capsule(radius: float, length: float) -> Shape:
    """Capsule about the origin, axis z; length of the cylindrical part [m]."""
    return Shape("capsule", radius=radius, length=length)


def half_space() -> Shape:
    """Solid where z <= 0."""
    return Shape("half_space")


def mesh(source: PathLike | TriMesh | TetMesh, scale: npt.ArrayLike = (1.0, 1.0, 1.0)) -> Shape:
    """The mesh of a file, or one given inline."""
    return _with_mesh(Shape("mesh", scale=scale), source)


def convex(source: PathLike | TriMesh, scale: npt.ArrayLike = (1.0, 1.0, 1.0)) -> Shape:
    """Convex hull of the vertices of a file, or of a surface given inline."""
    return _with_mesh(Shape("convex", scale=scale), source)


def _with_mesh(shape: Shape, source: PathLike | TriMesh | TetMesh) -> Shape:
    if isinstance(source, TriMesh):
        shape.surface = source
    elif isinstance(source, TetMesh):
        shape.volume = source
    else:
        shape.path = os.fspath(source)
    return shape


def layer_modulus(youngs_modulus: float, poisson_ratio: float) -> float:
    """Modulus of a thin bonded layer [Pa]; NaN when out of range."""
    return float(lib.iso_layer_modulus(youngs_modulus, poisson_ratio))


def half_space_modulus(youngs_modulus: float, poisson_ratio: float) -> float:
    """E* = E / (1 - nu^2) [Pa]; NaN when out of range."""
    return float(lib.iso_half_space_modulus(youngs_modulus, poisson_ratio))


def half_space_pressure_cylinder(modulus: float, radius: float, depth: float) -> float:
    """Pressure at a depth that gives the flat end of a cylinder its elastic force [Pa]."""
    return float(lib.iso_half_space_pressure_cylinder(modulus, radius, depth))


def half_space_pressure_sphere(modulus: float, radius: float, depth: float) -> float:
    """The same for a sphere [Pa]."""
    return float(lib.iso_half_space_pressure_sphere(modulus, radius, depth))


def half_space_force_cylinder(modulus: float, radius: float, penetration: float) -> float:
    """Elastic force on the flat end of a cylinder [N]."""
    return float(lib.iso_half_space_force_cylinder(modulus, radius, penetration))


def half_space_force_sphere(modulus: float, radius: float, penetration: float) -> float:
    """Hertz' force on a sphere [N]."""
    return float(lib.iso_half_space_force_sphere(modulus, radius, penetration))


def modulus_table(law: Callable[[float], float], thickness: float, row_count: int) -> Array:
    """(row_count, 2) of extent and modulus [Pa], for Material.modulus_table, that give a body whose
    full extent lies at depth `thickness` [m] the pressures law(depth [m]) [Pa]."""
    raised: list[BaseException] = []

    @callback("double(void*, double)")
    def evaluate(_user: Any, depth: float) -> float:
        try:
            return float(law(depth))
        except BaseException as error:  # carried over the C frames, raised again below
            raised.append(error)
            return float("nan")

    rows = np.empty((max(row_count, 0), 2))
    context = Context()
    try:
        context.call(lib.iso_modulus_table_fill, context.pointer, evaluate, ffi.NULL, thickness,
                     ffi.cast("iso_modulus_row*", rows.ctypes.data), row_count)
    finally:
        if raised:
            raise raised[0]
    return rows


def tet_quality(a: npt.ArrayLike, b: npt.ArrayLike, c: npt.ArrayLike, d: npt.ArrayLike) -> float:
    """3 inradius / circumradius: 1 for a regular tetrahedron, 0 for a flat one."""
    return float(lib.iso_tet_quality(*(to_c("iso_vec3", corner)[0] for corner in (a, b, c, d))))
