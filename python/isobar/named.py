# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Arrays over the coordinates of a world that know what each number is of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ._native import index_of, no_such

#: What the numbers of a joint of this kind are called, behind its name; one number is as the joint.
VELOCITIES = {"universal": ("angle_1", "angle_2"), "planar": ("x", "y", "angle"),
              "ball": ("wx", "wy", "wz"), "free": ("wx", "wy", "wz", "vx", "vy", "vz")}
POSITIONS = {"universal": ("angle_1", "angle_2"), "planar": ("x", "y", "angle"),
             "ball": ("qw", "qx", "qy", "qz"), "free": ("qw", "qx", "qy", "qz", "x", "y", "z")}


class Named(np.ndarray[Any, np.dtype[np.float64]]):
    """An array of numbers that have names: values["arm::joint_1"], values["joint_1"] where only one
    ends so, values.names, values.items(). Element-wise results keep the names, anything else is a
    plain array. Where the coordinates are not those of joints alone (floating bodies, ball joints),
    a loop over the numbers is an error: beside world.joint_names it would pair the wrong ones.
    Copies and slices keep the names; sorting in place drops them."""

    _names: tuple[str, ...]
    _joint_names: tuple[str, ...]

    def __new__(cls, values: Any, names: Sequence[str], joint_names: Sequence[str]) -> Named:
        """joint_names: of the world, in the order of its joints."""
        self: Named = np.asarray(values, dtype=np.float64).view(cls)
        self._names, self._joint_names = tuple(names), tuple(joint_names)
        return self

    def __array_finalize__(self, other: Any) -> None:
        self._names = self._joint_names = ()  # whoever knows that the order is the same sets them

    @property
    def names(self) -> tuple[str, ...]:
        """What each number is of."""
        return self._names

    def items(self) -> list[tuple[str, float]]:
        """(name, number) of each."""
        return list(zip(self._names, self.tolist()))

    def _index(self, name: str) -> int:
        if not self._names and self.size:
            raise LookupError(f"{name!r}: this array has no names; .copy(), slices and element-wise "
                              "results keep those of the array they come from, all else drops them")
        if not self._names:
            raise no_such("coordinate", name, ())
        if name in self._names:
            return self._names.index(name)
        return index_of("coordinate", name, self._names)

    def __getitem__(self, key: Any) -> Any:
        """One number by name or index; a slice with its names, anything else as a plain array."""
        values = self.view(np.ndarray)[self._index(key) if isinstance(key, str) else key]
        if isinstance(key, slice) and self._names:
            has_joints = self._names == self._joint_names  # else a loop stays an error
            return Named(values, self._names[key], self._names[key] if has_joints else ())
        return values

    def __setitem__(self, key: Any, value: Any) -> None:
        self.view(np.ndarray)[self._index(key) if isinstance(key, str) else key] = value

    def sort(self, *options: Any, **more: Any) -> None:
        """In place: the numbers move away from their names, which go."""
        self._names = self._joint_names = ()
        self.view(np.ndarray).sort(*options, **more)

    def partition(self, *options: Any, **more: Any) -> None:
        """In place, as sort()."""
        self._names = self._joint_names = ()
        self.view(np.ndarray).partition(*options, **more)

    def copy(self, order: Any = "C") -> Named:
        """The same numbers under the same names."""
        return Named(self.view(np.ndarray).copy(order), self._names, self._joint_names)

    def flatten(self, order: Any = "C") -> Named:
        """A copy: there is one dimension."""
        return self.copy(order)

    def ravel(self, order: Any = "C") -> Named:
        """The array itself: there is one dimension."""
        return self if self.ndim == 1 else Named(self.view(np.ndarray).ravel(order), (), ())

    def astype(self, dtype: Any, *more: Any, **options: Any) -> Any:
        """As doubles the same numbers under the same names, else a plain array."""
        values = self.view(np.ndarray).astype(dtype, *more, **options)
        return (Named(values, self._names, self._joint_names) if values.dtype == np.float64
                else values)

    def __copy__(self) -> Named:
        return self.copy()

    def __deepcopy__(self, _: Any) -> Named:
        return self.copy()

    def __iter__(self) -> Any:
        if self._names != self._joint_names:
            raise TypeError(
                "these numbers are not one for each joint, but "
                f"{', '.join(self._names[:8])}{', ...' if len(self._names) > 8 else ''}: "
                "take them by name (values['joint'], .items()), or loop over numpy.asarray(values)")
        return iter(self.view(np.ndarray))

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        def plain(value: Any) -> Any:
            return value.view(np.ndarray) if isinstance(value, Named) else value

        if "out" in options:
            options["out"] = tuple(plain(one) for one in options["out"])
        result = getattr(ufunc, method)(*(plain(one) for one in inputs), **options)
        named = [one for one in inputs if isinstance(one, Named) and one._names]
        if (method == "__call__" and ufunc.signature is None and isinstance(result, np.ndarray)
                and named and result.shape == named[0].shape and result.dtype == np.float64
                and all(one._names == named[0]._names for one in named)):
            return Named(result, named[0]._names, named[0]._joint_names)
        return result

    def __reduce__(self) -> Any:
        return Named, (np.array(self), self._names, self._joint_names)


def coordinate_names(owner: str, kind: str, count: int, suffixes: dict[str, tuple[str, ...]]
                     ) -> list[str]:
    """What the count numbers of a joint are called; owner: the joint, or the body that floats."""
    if count == 1:
        return [owner]
    return [f"{owner}.{suffix}" for suffix in suffixes[kind]] if count else []
