# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""What two solids have in common: volume, centroid, inertia, contact normal."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ._native import Context, Handle, expect, ffi, lib
from ._struct import Struct, to_c
from .errors import RangeError
from .geometry import Shape
from .pose import Pose, PoseLike

Array = npt.NDArray[np.float64]


class VolumeSettings(Struct):
    """by_octree: by distances alone, a check of the other methods; the digits that its volume
    shall have, 1 to 6, and its max_depth, 2 to 10."""

    _ctype = "iso_volume_settings"
    _default = "iso_volume_settings_default"

    by_octree: bool
    digits: float
    max_depth: int


class VolumeNormal(Struct):
    """direction (3,) from A into B; status: found, plane, isotropic, ambiguous or none; cosine of
    the angle to the guess; separation of the eigenvalue; gyration about the normal [m]."""

    _ctype = "iso_volume_normal"

    direction: Array
    status: str
    cosine: float
    separation: float
    gyration: float
    iterations: int


class VolumeMetrics(Struct):
    """volume [m^3], centroid (3,) [m], inertia (3, 3) of unit density about it [m^5]; area (3,)
    [m^2] and turn (3,) [m^3]: derivatives of the volume by a displacement of B and by a rotation
    of B about the centroid; method: polyhedral, analytic or octree; face_count; error, relative."""

    _ctype = "iso_volume_metrics"

    volume: float
    centroid: Array
    inertia: Array
    area: Array
    turn: Array
    method: str
    face_count: int
    error: float

    def normal(self, previous: npt.ArrayLike = (0.0, 0.0, 0.0)) -> VolumeNormal:
        """The contact normal: the principal axis nearest to the geometry's, or to the one before."""
        if not np.isfinite(np.asarray(previous, dtype=float)).all():
            raise RangeError(f"previous is {previous!r}, expected three finite numbers")
        normal = VolumeNormal()
        normal._c[0] = lib.iso_volume_find_normal(self._c, to_c("iso_vec3", previous)[0])
        return normal

    def join(self, cell: VolumeMetrics) -> None:
        """Add the volume of another cell of the same bodies."""
        lib.iso_volume_join(self._c, expect(cell, "VolumeMetrics", "cell")._c)


class VolumeBody:
    """A solid prepared for volume queries: closed meshes, boxes and convex shapes as polyhedra,
    other primitives as they are."""

    def __init__(self, shape: Shape) -> None:
        context, out = Context(), ffi.new("iso_volume_body**")
        expect(shape, "Shape", "shape")
        context.call(lib.iso_volume_body_create, context.pointer, shape._c, out)
        pointer = out[0]
        self._context = context
        self._handle = Handle(
            pointer, lambda: lib.iso_volume_body_destroy(context.handle._pointer, pointer),
            [context.handle])

    def close(self) -> None:
        """Release it now."""
        self._handle.release()

    @property
    def volume(self) -> float:
        """Of the solid itself [m^3]; inf for half spaces."""
        return float(lib.iso_volume_body_volume(self._handle.pointer))

    def intersect(self, other: VolumeBody, pose: PoseLike | None = None,
                  own_pose: PoseLike | None = None,
                  settings: VolumeSettings | None = None) -> VolumeMetrics:
        """What this solid A and another one B have in common, in the frame of both poses.

        pose: of B, own_pose: of A; the identity without.
        """
        chosen = VolumeSettings() if settings is None else settings
        expect(other, "VolumeBody", "other")
        metrics = VolumeMetrics()
        x_wa = to_c("iso_pose", Pose() if own_pose is None else own_pose)
        x_wb = to_c("iso_pose", Pose() if pose is None else pose)
        self._context.call(lib.iso_volume_intersect, self._context.pointer, self._handle.pointer,
                           x_wa, other._handle.pointer, x_wb,
                           expect(chosen, "VolumeSettings", "settings")._c, metrics._c)
        return metrics
