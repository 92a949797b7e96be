# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Contact of two shapes without a world."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from ._native import Context, Handle, expect, ffi, lib
from ._struct import Struct, c_pointer, dtype_of, from_c, to_c
from ._views import Epoch
from .contact import ContactOptions, ElasticEnergy, Material, Patch, _Volatile
from .geometry import Shape, TriMesh
from .pose import Pose, PoseLike, as_poses

Array = npt.NDArray[np.float64]

#: A row of Query.batch(): members of iso_query_summary.
SUMMARY_DTYPE = dtype_of("iso_query_summary")


class Distance(Struct):
    """Point of a surface nearest to a query point: distance [m], nearest (3,) in G [m], normal
    (3,), triangle of surface (-1: primitive), is_signed."""

    _ctype = "iso_distance"

    distance: float
    nearest: Array
    normal: Array
    triangle: int
    is_signed: bool


class RayHit(Struct):
    """Where a ray meets a shape: distance [m], point (3,) in G [m], normal (3,), triangle."""

    _ctype = "iso_ray_hit"

    distance: float
    point: Array
    normal: Array
    triangle: int


class ContactShape:
    """What a geometry looks like to contact: built once, used by any number of queries. Threads
    take turns."""

    def __init__(self, shape: Shape, material: Material | None = None) -> None:
        context, out = Context(), ffi.new("iso_contact_shape**")
        expect(shape, "Shape", "shape")
        chosen = Material() if material is None else expect(material, "Material", "material")
        context.call(lib.iso_contact_shape_create, context.pointer, shape._c, chosen._c, out)
        pointer = out[0]
        self._context = context
        self._handle = Handle(
            pointer, lambda: lib.iso_contact_shape_destroy(context.handle._pointer, pointer),
            [context.handle])

    def close(self) -> None:
        """Release it now; memory goes with the last query that knows it."""
        self._handle.release()

    @property
    def is_rigid(self) -> bool:
        """It has no pressure field of its own."""
        return bool(lib.iso_contact_shape_is_rigid(self._handle.pointer))

    @property
    def is_half_space(self) -> bool:
        return bool(lib.iso_contact_shape_is_half_space(self._handle.pointer))

    @property
    def is_closed(self) -> bool:
        """The boundary encloses a volume: distances have a sign."""
        return bool(lib.iso_contact_shape_is_closed(self._handle.pointer))

    @property
    def bounds(self) -> tuple[Array, Array]:
        """Lower and upper corner (3,) in G, margin included [m]."""
        lower, upper = ffi.new("iso_vec3*"), ffi.new("iso_vec3*")
        lib.iso_contact_shape_bounds(self._handle.pointer, lower, upper)
        return from_c("iso_vec3", lower), from_c("iso_vec3", upper)

    @property
    def surface(self) -> TriMesh:
        """Contact surface in G; not a copy."""
        mesh: TriMesh = TriMesh._borrow(lib.iso_contact_shape_surface(self._handle.pointer),
                                        self._handle, self._context, False)
        return mesh

    @property
    def tet_count(self) -> int:
        """Tetrahedra of the pressure field."""
        return int(lib.iso_contact_shape_tet_count(self._handle.pointer))

    @property
    def thickness(self) -> float:
        """Characteristic thickness of the compliant region [m]; 0 when rigid."""
        return float(lib.iso_contact_shape_thickness(self._handle.pointer))

    @property
    def max_pressure(self) -> float:
        """Largest pressure of the field [Pa]; 0 when rigid."""
        return float(lib.iso_contact_shape_max_pressure(self._handle.pointer))

    def pressure(self, point: npt.ArrayLike) -> float | None:
        """Pressure [Pa] of the field at a point (3,) of G [m]; None outside the field."""
        is_in, value = ffi.new("bool*"), ffi.new("double*")
        self._context.call(lib.iso_contact_shape_pressure, self._handle.pointer,
                           to_c("iso_vec3", point)[0], is_in, value)
        return float(value[0]) if is_in[0] else None

    def distance(self, point: npt.ArrayLike) -> Distance:
        """Distance from a point (3,) of G to the nominal surface [m]."""
        result = Distance()
        self._context.call(lib.iso_contact_shape_distance, self._handle.pointer,
                           to_c("iso_vec3", point)[0], result._c)
        return result

    def ray_cast(self, origin: npt.ArrayLike, direction: npt.ArrayLike,
                 max_distance: float = float("inf")) -> RayHit | None:
        """First point at which a ray meets the surface; None when it misses. In G [m]."""
        result, is_hit = RayHit(), ffi.new("bool*")
        self._context.call(lib.iso_contact_shape_ray_cast, self._handle.pointer,
                           to_c("iso_vec3", origin)[0], to_c("iso_vec3", direction)[0],
                           max_distance, is_hit, result._c)
        return result if is_hit[0] else None


class QueryResult(_Volatile):
    """Patch, wrench, energy and derivatives of one pair. Patch, tractions and slip velocities are
    valid until the next call with the query; the rest stays."""

    def __repr__(self) -> str:
        faces = f"{self.patch.face_count} faces" if self.is_valid else "patch gone"
        return (f"<QueryResult, {faces}, force {self.wrench[3:]} N, "
                f"elastic energy {self.elastic_energy:g} J>")

    @property
    def patch(self) -> Patch:
        return Patch(self._get("patch"), self._owner, self._epoch)

    def _spatial(self, name: str) -> Array:
        value: Array = from_c("iso_spatial", getattr(self._c, name))
        return value

    def _matrix(self, name: str) -> Array:
        return np.frombuffer(ffi.buffer(getattr(self._c, name)), dtype=np.float64).reshape(6, 6).copy()

    @property
    def wrench(self) -> Array:
        """(6,) moment about P [N m], force [N]; on B with damping and friction, in W."""
        return self._spatial("f_bp_w")

    @property
    def elastic_wrench(self) -> Array:
        """(6,) the same of the pressure alone."""
        return self._spatial("elastic_f_bp_w")

    @property
    def elastic_energy(self) -> float:
        """[J]"""
        return float(self._c.elastic_energy)

    @property
    def tractions(self) -> Any:
        """(face_count, 3) mean traction on B [Pa]"""
        return self._view("tractions", (self._get("patch").face_count, 3))

    @property
    def slip_velocities(self) -> Any:
        """(face_count, 3) tangential v_B - v_A [m/s]"""
        return self._view("slip_velocities", (self._get("patch").face_count, 3))

    @property
    def stiffness(self) -> Array:
        """(6, 6): the wrench loses stiffness @ d when B moves by the small twist d. Zero unless
        derivatives were asked for."""
        return self._matrix("stiffness")

    @property
    def damping(self) -> Array:
        """(6, 6): the wrench loses damping @ d when the relative twist grows by d."""
        return self._matrix("damping")

    @property
    def elastic_stiffness(self) -> Array:
        """(6, 6): as stiffness, of elastic_wrench."""
        return self._matrix("elastic_stiffness")


class Query:
    """Answers questions about pairs of shapes. Long calls release the interpreter's lock; one query
    serves one thread at a time, a second one waits. thread_count threads divide the poses of a batch
    and search pairs of large compliant meshes together; answers do not depend on it."""

    def __init__(self, options: ContactOptions | None = None, thread_count: int = 1) -> None:
        desc = ffi.new("iso_query_desc*")
        desc[0] = lib.iso_query_desc_default()
        if options is not None:
            desc.options = expect(options, "ContactOptions", "options")._c[0]
        desc.thread_count = thread_count
        context, out = Context(), ffi.new("iso_query**")
        context.call(lib.iso_query_create, context.pointer, desc, out)
        pointer = out[0]
        self._context = context
        self._handle = Handle(pointer, lambda: lib.iso_query_destroy(pointer), [context.handle])
        self._epoch = Epoch()

    def close(self) -> None:
        """Release it now; its patches become stale."""
        self._epoch.end("the query was closed")
        self._handle.release()

    @contextlib.contextmanager
    def _asking(self, a: ContactShape, b: ContactShape) -> Iterator[None]:
        """Hold the locks of the query and of both shapes, always in the same order."""
        for shape, what in ((a, "a"), (b, "b")):
            expect(shape, "ContactShape", what)
        contexts = {id(c): c for c in (a._context, b._context)}
        with contextlib.ExitStack() as stack:
            stack.enter_context(self._context.lock)
            for key in sorted(contexts):
                stack.enter_context(contexts[key].lock)
            for shape in (a, b):
                self._handle.add_parent(shape._handle)
            epoch, self._epoch = self._epoch, Epoch()
            epoch.end("the query was asked again")
            yield

    def patch(self, a: ContactShape, x_wa: PoseLike, b: ContactShape, x_wb: PoseLike) -> Patch:
        """Contact patch of two shapes at two poses; face_count 0 without contact."""
        out = ffi.new("iso_patch*")
        with self._asking(a, b):
            self._context.call(lib.iso_query_patch, self._handle.pointer, a._handle.pointer,
                               to_c("iso_pose", x_wa), b._handle.pointer, to_c("iso_pose", x_wb),
                               out)
            return Patch(out, self._handle, self._epoch)

    def wrench(self, a: ContactShape, x_wa: PoseLike, b: ContactShape, x_wb: PoseLike,
               p_wp: npt.ArrayLike = (0.0, 0.0, 0.0),
               v_ab: npt.ArrayLike = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
               material_a: Material | None = None, material_b: Material | None = None,
               derivatives: bool = False) -> QueryResult:
        """Patch, wrench, energy and on request derivatives.

        p_wp: (3,) point P about which twist and wrenches are stated, in W [m]; v_ab: (6,) of B
        relative to A, angular velocity [rad/s], velocity at P [m/s], in W; materials: damping and
        friction in place of the shapes' own.
        """
        motion = ffi.new("iso_query_motion*")
        motion[0] = lib.iso_query_motion_default()
        motion.p_wp, motion.v_ab = to_c("iso_vec3", p_wp)[0], to_c("iso_spatial", v_ab)[0]
        motion.material_a = c_pointer(material_a, "Material", "material_a")
        motion.material_b = c_pointer(material_b, "Material", "material_b")
        motion.wants_derivatives = derivatives
        out = ffi.new("iso_query_result*")
        with self._asking(a, b):
            self._context.call(lib.iso_query_wrench, self._handle.pointer, a._handle.pointer,
                               to_c("iso_pose", x_wa), b._handle.pointer, to_c("iso_pose", x_wb),
                               motion, out)
            return QueryResult(out, self._handle, self._epoch)

    def elastic_energy(self, a: ContactShape, x_wa: PoseLike, b: ContactShape,
                       x_wb: PoseLike) -> ElasticEnergy:
        """Energy stored in the overlap of two shapes, exact where it can be (`is_exact`)."""
        out = ffi.new("iso_elastic_energy*")
        with self._asking(a, b):
            self._context.call(lib.iso_query_elastic_energy, self._handle.pointer,
                               a._handle.pointer, to_c("iso_pose", x_wa), b._handle.pointer,
                               to_c("iso_pose", x_wb), out)
        value: ElasticEnergy = ElasticEnergy._copy(out[0])
        return value

    def batch(self, a: ContactShape, b: ContactShape,
              x_ab: npt.NDArray[Any] | list[Pose]) -> npt.NDArray[np.void]:
        """Contact at many relative poses, over the query's threads. x_ab: poses of B in A, an array
        of POSE_DTYPE (taken without a copy), (n, 4, 4), or a list. Returns (n,) of SUMMARY_DTYPE:
        face_count, area [m^2], max_pressure [Pa], centroid, center_of_pressure [m], f_ba_a (6,)
        wrench of the pressure on B about A's origin [N m], [N], elastic_energy [J]; in A."""
        poses = as_poses(x_ab)
        out = np.zeros(len(poses), dtype=SUMMARY_DTYPE)
        with self._asking(a, b):
            self._context.call(lib.iso_query_batch, self._handle.pointer, a._handle.pointer,
                               b._handle.pointer, ffi.cast("iso_pose*", poses.ctypes.data),
                               len(poses), ffi.cast("iso_query_summary*", out.ctypes.data))
        return out
