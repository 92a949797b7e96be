# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Contacts and their patches."""

from __future__ import annotations

import math
import threading
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from ._native import Handle, callback, ffi, lib, text
from ._struct import Struct, enum_value, from_c
from ._views import Epoch, View, view_over

Array = npt.NDArray[np.float64]
FrictionFunction = Callable[[tuple[float, float, float], float], float]


class Material(Struct):
    """Contact properties of one geometry. Units: modulus [Pa], lengths [m], dissipation [s/m],
    relaxation_time [s], adhesion [Pa], young_modulus [Pa], bristle_stiffness [1/m] (0: no bristles),
    bristle_damping and bristle_viscous [s/m], stribeck_speed [m/s], dwell_time [s]. modulus_table: (n, 2) of extent and modulus [Pa]."""

    _ctype = "iso_contact_material"
    _default = "iso_contact_material_default"
    _own = ("modulus_table", "modulus_row_count")

    compliance: str
    modulus: float
    resolution_hint: float
    margin: float
    slab_thickness: float
    dissipation: float
    relaxation_time: float
    friction_static: float
    friction_dynamic: float
    extent_kind: str
    stiffening: float
    layer_count: int
    is_mesh_kept: bool
    is_skin_bonded: bool
    expansion_rate: float
    restitution: float
    restitution_speed: float
    adhesion: float
    model: str
    young_modulus: float
    poisson_ratio: float
    bristle_stiffness: float
    bristle_damping: float
    bristle_viscous: float
    stribeck_speed: float
    dwell_time: float
    restitution_slope: float

    @property
    def modulus_table(self) -> Array | None:
        """Rows of (extent, modulus [Pa]), or None."""
        count, rows = self._c.modulus_row_count, self._c.modulus_table
        if rows == ffi.NULL:
            return None
        size = count * ffi.sizeof("iso_modulus_row")
        return np.frombuffer(ffi.buffer(rows, size)).reshape(count, 2).copy()

    @modulus_table.setter
    def modulus_table(self, rows: npt.ArrayLike | None) -> None:
        if rows is None:
            self._c.modulus_table, self._c.modulus_row_count = ffi.NULL, 0
            return
        table = np.ascontiguousarray(rows, dtype=np.float64).reshape(-1, 2)
        self._keep["modulus_table"] = table
        self._c.modulus_table = ffi.cast("const iso_modulus_row*", ffi.from_buffer(table))
        self._c.modulus_row_count = len(table)


class ElasticEnergy(Struct):
    """Energy stored in contacts: energy [J]; is_exact: the integral of the smaller pressure over
    the overlap, else columns along the normal."""

    _ctype = "iso_elastic_energy"

    energy: float
    is_exact: bool


class ContactOptions(Struct):
    """Choices that hold for every pair. rigid_layer_thickness [m], rigid_layer_modulus [Pa],
    stiction_velocity [m/s], friction_stiffness [1/m] (0: from the patch itself),
    friction_damping_time [s] (< 0: critical), brush_size [m] (0: from the geometries).
    friction_law: of the continuous methods."""

    _ctype = "iso_contact_options"
    _default = "iso_contact_options_default"
    _own = ("own_friction",)

    representation: str
    cull: str
    combine: str
    regularization: str
    damping: str
    rigid_layer_thickness: float
    rigid_layer_modulus: float
    stiction_velocity: float
    friction: str
    friction_stiffness: float
    friction_damping_time: float
    brush_size: float
    model: str
    friction_law: str

    @property
    def own_friction(self) -> FrictionFunction | None:
        """A friction law of your own: a function of the pair's (static coefficient, dynamic
        coefficient, regularisation velocity [m/s]) and the slip speed [m/s] that gives the friction
        coefficient, 0 at speed 0. Setting it sets friction_law to "own". The continuous methods call
        it for every sample of every contact in every evaluation: a microsecond or more each time,
        so that it soon is all that a step costs. Its exceptions come out of World.step(). It is
        kept until the process ends."""
        kept = _own_frictions.get(_address(self._c.own_friction.coefficient))
        return None if kept is None else kept[0]

    @own_friction.setter
    def own_friction(self, function: FrictionFunction | None) -> None:
        self._c.own_friction.coefficient = ffi.NULL
        self.friction_law = "viscous"
        if function is not None:
            self._c.own_friction.coefficient = _keep_friction(function)
            self.friction_law = "own"


#: Laws of users by the addresses of their callbacks: worlds may outlive the options they came from.
_own_frictions: dict[int, tuple[FrictionFunction, Any]] = {}


def _address(pointer: Any) -> int:
    return int(ffi.cast("uintptr_t", pointer))


class FrictionErrors:
    """While it lasts, in this thread, an exception of a law of a user's makes it and all later calls
    NaN, so that the step fails; then it is `error`."""

    error: BaseException | None = None

    def __enter__(self) -> FrictionErrors:
        self._outer: FrictionErrors | None = getattr(_now, "errors", None)
        _now.errors = self
        return self

    def __exit__(self, *_: object) -> None:
        _now.errors = self._outer


_now = threading.local()


def _keep_friction(function: FrictionFunction) -> Any:
    for known, kept in _own_frictions.values():
        if known is function:
            return kept

    @callback("double(void*, const iso_friction_params*, double)")
    def coefficient(_user: Any, pair: Any, speed: float) -> float:
        found: FrictionErrors | None = getattr(_now, "errors", None)
        if found is not None and found.error is not None:
            return math.nan
        try:
            return float(function((pair.friction_static, pair.friction_dynamic, pair.velocity),
                                  speed))
        except BaseException as error:  # the world then names what is not finite
            if found is None:
                traceback.print_exc()
            else:
                found.error = error
            return math.nan

    _own_frictions[_address(coefficient)] = (function, coefficient)
    return coefficient


def friction_coefficient(law: str, speed: float, *, friction_static: float, friction_dynamic: float,
                         stiction_velocity: float = 1e-4, damping: float = 0.0) -> float:
    """Friction over normal force by a law at a slip speed [m/s]; damping [s/m]: of "compliant"."""
    pair = ffi.new("iso_friction_params*")
    pair.friction_static, pair.friction_dynamic = friction_static, friction_dynamic
    pair.velocity, pair.damping = stiction_velocity, damping
    value = enum_value("iso_friction_law", law)
    if law == "own":
        raise ValueError("a law of your own has its own function")
    return float(lib.iso_friction_coefficient(value, ffi.NULL, pair, speed))


class _Volatile:
    """Something of the library that is valid until its owner changes."""

    def __init__(self, c: Any, keep: Handle, epoch: Epoch) -> None:
        self._c = c
        self._owner = keep
        self._epoch = epoch

    def _get(self, name: str) -> Any:
        self._epoch.check()
        return getattr(self._c, name)

    def _vector(self, name: str) -> Array:
        self._epoch.check()
        value: Array = from_c("iso_vec3", getattr(self._c, name))
        return value

    def _view(self, name: str, shape: tuple[int, ...], dtype: Any = np.float64) -> View | None:
        pointer = self._get(name)
        if pointer == ffi.NULL and shape[0] > 0:
            return None
        return view_over(pointer, shape, dtype, self._owner, self._epoch)

    @property
    def is_valid(self) -> bool:
        """False once what it shows has changed: then everything else raises StaleError."""
        return not self._epoch.is_over


class Patch(_Volatile):
    """A contact patch between A and B: flat faces in W. Arrays are read-only views of the library's
    memory, not copies. Those that a recording does not hold are None."""

    @property
    def face_count(self) -> int:
        return int(self._get("face_count"))

    @property
    def vertex_count(self) -> int:
        return int(self._get("vertex_count"))

    @property
    def is_rigid_a(self) -> bool:
        """A has no pressure field: its gradients are zero."""
        return bool(self._get("is_rigid_a"))

    @property
    def is_rigid_b(self) -> bool:
        """B has no pressure field: its gradients are zero."""
        return bool(self._get("is_rigid_b"))

    @property
    def face_offsets(self) -> Any:
        """(face_count + 1,): face f owns the vertices face_offsets[f] to face_offsets[f + 1]."""
        return self._view("face_offsets", (self.face_count + 1 if self.face_count else 0,),
                          np.int32)

    @property
    def vertices(self) -> Any:
        """(vertex_count, 3) [m], counter-clockwise about each face's normal."""
        return self._view("vertices", (self.vertex_count, 3))

    @property
    def vertex_pressures(self) -> Any:
        """(vertex_count,) [Pa]"""
        return self._view("vertex_pressures", (self.vertex_count,))

    @property
    def areas(self) -> Any:
        """(face_count,) [m^2]"""
        return self._view("areas", (self.face_count,))

    @property
    def centroids(self) -> Any:
        """(face_count, 3) [m]"""
        return self._view("centroids", (self.face_count, 3))

    @property
    def normals(self) -> Any:
        """(face_count, 3) unit, from A into B."""
        return self._view("normals", (self.face_count, 3))

    @property
    def pressures(self) -> Any:
        """(face_count,) at the centroid [Pa]"""
        return self._view("pressures", (self.face_count,))

    @property
    def gradients_a(self) -> Any:
        """(face_count, 3) of the field of A [Pa/m]"""
        return self._view("gradients_a", (self.face_count, 3))

    @property
    def gradients_b(self) -> Any:
        """(face_count, 3) of the field of B [Pa/m]"""
        return self._view("gradients_b", (self.face_count, 3))

    @property
    def elements(self) -> Any:
        """(face_count, 2) tetrahedron or triangle that carries the face in A, in B; -1: half
        space."""
        return self._view("elements", (self.face_count, 2), np.int32)

    @property
    def area(self) -> float:
        """Sum [m^2]"""
        return float(self._get("area"))

    @property
    def max_pressure(self) -> float:
        """Largest vertex pressure [Pa]"""
        return float(self._get("max_pressure"))

    @property
    def centroid(self) -> Array:
        """(3,) area weighted [m]"""
        return self._vector("centroid")

    @property
    def center_of_pressure(self) -> Array:
        """(3,) weighted with area times pressure [m]"""
        return self._vector("center_of_pressure")

    def face(self, index: int) -> Any:
        """(n, 3) corners of a face [m]"""
        offsets = self.face_offsets
        return self.vertices[offsets[index]:offsets[index + 1]]


class Contact(_Volatile):
    """One contact: a pair of geometries whose patch is not empty. Valid until the world changes."""

    @property
    def body_a(self) -> int:
        return int(self._get("body_a"))

    @property
    def body_b(self) -> int:
        return int(self._get("body_b"))

    @property
    def body_name_a(self) -> str:
        """Scoped, before body_name_b in the order of names."""
        return text(self._get("body_name_a"))

    @property
    def body_name_b(self) -> str:
        return text(self._get("body_name_b"))

    @property
    def geometry_name_a(self) -> str:
        return text(self._get("geometry_name_a"))

    @property
    def geometry_name_b(self) -> str:
        return text(self._get("geometry_name_b"))

    @property
    def model(self) -> str:
        """Of the contact: "pressure_field", "hertz", "volumetric"; the last two have no faces."""
        return text(self._get("model"))

    @property
    def normal(self) -> Array:
        """(3,) mean, unit, from A into B, in W; zero where there is none."""
        return self._vector("normal")

    @property
    def patch(self) -> Patch:
        return Patch(self._get("patch"), self._owner, self._epoch)

    @property
    def tractions(self) -> Any:
        """(face_count, 3) mean traction on B, in W [Pa]"""
        return self._view("tractions", (self._get("patch").face_count, 3))

    @property
    def slip_velocities(self) -> Any:
        """(face_count, 3) tangential v_B - v_A [m/s]"""
        return self._view("slip_velocities", (self._get("patch").face_count, 3))

    @property
    def stretches(self) -> Any:
        """(face_count, 3) mean stretch of the springs of the laws "compliant" and "brush", in W [m]: B
        has moved so far while it stuck. None: other friction."""
        return self._view("stretches", (self._get("patch").face_count, 3))

    @property
    def sliding(self) -> Any:
        """(face_count,) share of the force of a face that slides, of those laws, 0 to 1; None."""
        return self._view("sliding", (self._get("patch").face_count,))

    @property
    def wrench(self) -> Array:
        """(6,) moment about the centre of pressure [N m], force [N]; on B, in W. A gets its
        opposite."""
        self._epoch.check()
        value: Array = from_c("iso_spatial", self._c.f_b_w)
        return value

    @property
    def elastic_energy(self) -> float:
        """Of a world by columns along the normal, which is rough (World.elastic_energy() is exact);
        of a recording as is_energy_exact says [J]."""
        return float(self._get("elastic_energy"))

    @property
    def is_energy_exact(self) -> bool:
        """elastic_energy is the integral of the smaller pressure over the overlap; recordings."""
        return bool(self._get("is_energy_exact"))

    @property
    def extent_a(self) -> float:
        """Largest pressure of the patch over the largest of the field of A; 0 when rigid."""
        return float(self._get("extent_a"))

    @property
    def extent_b(self) -> float:
        """As extent_a, of B."""
        return float(self._get("extent_b"))

    @property
    def sheet_thickness(self) -> float:
        """Thickness of something thinner than the penetration [m]; 0: none."""
        return float(self._get("sheet_thickness"))

    @property
    def sheet_depth(self) -> float:
        """Penetration there [m]; 0: none."""
        return float(self._get("sheet_depth"))

    def __repr__(self) -> str:
        force = self.wrench[3:]
        return (f"<Contact {self.body_name_a} - {self.body_name_b}, {self.patch.face_count} faces, "
                f"force {force} N>")
