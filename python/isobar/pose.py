# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Rigid poses."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ._native import ffi

Array = npt.NDArray[np.float64]

#: A pose as the library stores it: arrays of it are passed without a copy.
POSE_DTYPE = np.dtype([("rotation", np.float64, (3, 3)), ("translation", np.float64, (3,))])
assert POSE_DTYPE.itemsize == ffi.sizeof("iso_pose")


class Pose:
    """Rigid pose X_AB: p_A = rotation @ p_B + translation.

    rotation: (3, 3), a rotation to 1e-9; translation: (3,), origin of B in A [m].
    """

    __slots__ = ("rotation", "translation")

    def __init__(self, rotation: npt.ArrayLike | None = None,
                 translation: npt.ArrayLike = (0.0, 0.0, 0.0)) -> None:
        self.rotation: Array = np.array(np.eye(3) if rotation is None else rotation,
                                        dtype=np.float64).reshape(3, 3)
        self.translation: Array = np.array(translation, dtype=np.float64).reshape(3)

    @classmethod
    def from_matrix(cls, matrix: npt.ArrayLike) -> Pose:
        """From a homogeneous (4, 4) matrix."""
        m = np.asarray(matrix, dtype=np.float64).reshape(4, 4)
        return cls(m[:3, :3], m[:3, 3])

    @classmethod
    def from_quaternion(cls, wxyz: npt.ArrayLike,
                        translation: npt.ArrayLike = (0.0, 0.0, 0.0)) -> Pose:
        """From a quaternion (w, x, y, z), normalised here, and a position [m]."""
        q = np.asarray(wxyz, dtype=np.float64).reshape(4)
        w, x, y, z = q / np.linalg.norm(q)
        return cls([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                    [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                    [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]],
                   translation)

    @classmethod
    def from_rpy(cls, roll: float, pitch: float, yaw: float,
                 translation: npt.ArrayLike = (0.0, 0.0, 0.0)) -> Pose:
        """Rz(yaw) Ry(pitch) Rx(roll) [rad], as in URDF and SDFormat."""
        cr, sr, cp, sp = np.cos(roll), np.sin(roll), np.cos(pitch), np.sin(pitch)
        cy, sy = np.cos(yaw), np.sin(yaw)
        return cls([[cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
                    [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
                    [-sp, cp * sr, cp * cr]], translation)

    @property
    def matrix(self) -> Array:
        """Homogeneous (4, 4) matrix."""
        m = np.eye(4)
        m[:3, :3], m[:3, 3] = self.rotation, self.translation
        return m

    def inverse(self) -> Pose:
        """X_BA."""
        return Pose(self.rotation.T, -self.rotation.T @ self.translation)

    def __matmul__(self, other: Pose) -> Pose:
        return Pose(self.rotation @ other.rotation,
                    self.rotation @ other.translation + self.translation)

    def transform(self, points: npt.ArrayLike) -> Array:
        """Points (..., 3) given in B, in A [m]."""
        result: Array = np.asarray(points, dtype=np.float64) @ self.rotation.T + self.translation
        return result

    def __repr__(self) -> str:
        return f"Pose(rotation={self.rotation.tolist()}, translation={self.translation.tolist()})"


#: What is taken for a pose: Pose, (4, 4) matrix, or (3,) position.
PoseLike = Pose | npt.ArrayLike


def as_pose(value: PoseLike) -> Pose:
    """Pose of whatever is taken for one."""
    if isinstance(value, Pose):
        return value
    array = np.asarray(value, dtype=np.float64)
    if array.shape == (3,):
        return Pose(None, array)
    if array.shape == (4, 4):
        return Pose.from_matrix(array)
    raise ValueError(f"a pose is a Pose, a (4, 4) matrix or a (3,) position, not shape {array.shape}")


def as_poses(values: npt.ArrayLike | list[Pose]) -> npt.NDArray[np.void]:
    """Array of POSE_DTYPE. One that already is contiguous POSE_DTYPE is taken as it is; otherwise
    a list of poses or an (n, 4, 4) array is copied."""
    if isinstance(values, np.ndarray) and values.dtype == POSE_DTYPE:
        if values.ndim != 1:
            raise ValueError(f"poses have shape {values.shape}, expected (n,)")
        return np.ascontiguousarray(values)
    if isinstance(values, np.ndarray):
        if values.ndim != 3 or values.shape[1:] != (4, 4):
            raise ValueError(f"poses have shape {values.shape} and type {values.dtype}, expected "
                             "(n, 4, 4), or POSE_DTYPE")
        matrices = np.asarray(values, dtype=np.float64).reshape(-1, 4, 4)
    else:
        matrices = np.array([as_pose(v).matrix for v in values]).reshape(-1, 4, 4)  # type: ignore
    result = np.empty(len(matrices), dtype=POSE_DTYPE)
    result["rotation"] = matrices[:, :3, :3]
    result["translation"] = matrices[:, :3, 3]
    return result
