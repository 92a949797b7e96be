# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""NumPy arrays over memory of the library, without copies."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.lib.mixins import NDArrayOperatorsMixin

from ._native import Handle, Lease, ffi
from .errors import StaleError


class Epoch:
    """True to its name until what the views of it show changes."""

    __slots__ = ("is_over", "reason")

    def __init__(self) -> None:
        self.is_over = False
        self.reason = ""

    def end(self, reason: str) -> None:
        self.is_over = True
        self.reason = reason

    def check(self) -> None:
        if self.is_over:
            raise StaleError(f"this view is out of date: {self.reason}; copy what is to be kept")


class _Memory:
    """Memory of the library for NumPy, with what keeps it alive, even when its owner is closed."""

    def __init__(self, address: int, shape: tuple[int, ...], dtype: np.dtype[Any], keep: Handle,
                 is_writable: bool) -> None:
        self.lease = Lease(keep)
        self.__array_interface__ = {"version": 3, "shape": shape, "typestr": dtype.str,
                                    "data": (address, not is_writable)}


def array_over(pointer: Any, shape: tuple[int, ...], dtype: Any, keep: Handle,
               is_writable: bool = False) -> np.ndarray[Any, Any]:
    """Array over memory that lives as long as `keep`: closing that frees it once the array and all
    arrays made from it are gone."""
    kind = np.dtype(dtype)
    if pointer == ffi.NULL or 0 in shape:
        return np.empty(shape, dtype=kind)
    return np.asarray(_Memory(int(ffi.cast("uintptr_t", pointer)), shape, kind, keep, is_writable))


class View(NDArrayOperatorsMixin):
    """Read-only array over memory of the library that is reused when a world steps (a query is
    asked again, a recording is read on). It does what a NumPy array does, without a copy, until then;
    from then on every use of it or of its slices raises StaleError. Plain arrays made from it
    (np.asarray(view), np.array(view), view.copy()) are copies that stay."""

    __slots__ = ("_array", "_epoch")

    #: Functions of NumPy take a view where an array may stand on either side.
    __array_priority__ = 20.0

    def __init__(self, array: np.ndarray[Any, Any], epoch: Epoch) -> None:
        self._array = array
        self._epoch = epoch

    def _plain(self) -> np.ndarray[Any, Any]:
        self._epoch.check()
        return self._array

    def _wrap(self, value: Any) -> Any:
        """What shows the same memory is watched too; results of their own are plain."""
        if isinstance(value, np.ndarray):
            return View(value, self._epoch) if np.may_share_memory(value, self._array) else value
        if type(value) in (list, tuple):
            return type(value)([self._wrap(item) for item in value])
        return value

    def __array__(self, dtype: npt.DTypeLike | None = None,
                  copy: bool | None = None) -> np.ndarray[Any, Any]:
        if copy is False:
            raise ValueError("a plain array that is no copy cannot be had from a view")
        return np.array(self._plain(), dtype=dtype, copy=True)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        if any(isinstance(value, View) for value in options.get("out", ())):
            raise ValueError("a view of the library's memory is read-only")
        options = {name: _plain_all(value) for name, value in options.items()}
        return getattr(ufunc, method)(*_plain_all(inputs), **options)

    def __array_function__(self, function: Any, types: Any, args: Any, options: Any) -> Any:
        result = function(*_plain_all(args), **{k: _plain_all(v) for k, v in options.items()})
        for view in _views_in([args, options]):
            result = view._wrap(result)
        return result

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name in ("base", "data"):
            raise AttributeError(f"a view has no attribute '{name}'")
        value = getattr(self._plain(), name)
        if not callable(value):
            return self._wrap(value)

        def method(*args: Any, **options: Any) -> Any:
            result = getattr(self._plain(), name)(
                *_plain_all(args), **{k: _plain_all(v) for k, v in options.items()})
            return self._wrap(result)

        return method

    def __getitem__(self, key: Any) -> Any:
        return self._wrap(self._plain()[_plain_all(key)])

    def __setitem__(self, key: Any, value: Any) -> None:
        self._plain()
        raise ValueError("a view of the library's memory is read-only")

    def __len__(self) -> int:
        return len(self._plain())

    def __iter__(self) -> Iterator[Any]:
        for index in range(len(self)):
            yield self[index]

    def __contains__(self, value: Any) -> bool:
        return bool(_plain_all(value) in self._plain())

    def __repr__(self) -> str:
        return repr(self._plain())

    def __str__(self) -> str:
        return str(self._plain())

    def __format__(self, spec: str) -> str:
        return format(self._plain(), spec)

    def __float__(self) -> float:
        return float(self._plain())

    def __int__(self) -> int:
        return int(self._plain())

    def __bool__(self) -> bool:
        return bool(self._plain())

    def __copy__(self) -> np.ndarray[Any, Any]:
        return self.copy()

    def __deepcopy__(self, _memo: Any) -> np.ndarray[Any, Any]:
        return self.copy()

    def __reduce__(self) -> Any:
        return self.copy().__reduce__()

    def copy(self, order: Any = "C") -> np.ndarray[Any, Any]:
        """A plain array that stays."""
        return np.array(self._plain(), order=order, copy=True)


def _plain_all(value: Any) -> Any:
    """Views, once checked, as plain arrays, within lists and tuples too; anything else as it is."""
    if isinstance(value, View):
        return value._plain()
    if type(value) in (list, tuple):
        return type(value)([_plain_all(item) for item in value])
    return value


def _views_in(value: Any) -> Iterator[View]:
    if isinstance(value, View):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _views_in(item)
    elif isinstance(value, dict):
        yield from _views_in(list(value.values()))


def view_over(pointer: Any, shape: tuple[int, ...], dtype: Any, keep: Handle,
              epoch: Epoch) -> View:
    """Watched view over memory of the library."""
    array = array_over(pointer, shape, dtype, keep)
    array.flags.writeable = False
    return View(array, epoch)
