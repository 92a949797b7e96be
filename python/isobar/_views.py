# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""NumPy arrays over memory of the library, without copies."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._native import Handle, ffi
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
    """Memory of the library for NumPy, with what keeps it alive."""

    def __init__(self, address: int, shape: tuple[int, ...], dtype: np.dtype[Any], keep: Any,
                 is_writable: bool) -> None:
        self.keep = keep
        self.__array_interface__ = {"version": 3, "shape": shape, "typestr": dtype.str,
                                    "data": (address, not is_writable)}


def array_over(pointer: Any, shape: tuple[int, ...], dtype: Any, keep: Handle,
               is_writable: bool = False) -> np.ndarray[Any, Any]:
    """Array over memory that lives as long as `keep`."""
    kind = np.dtype(dtype)
    if pointer == ffi.NULL or 0 in shape:
        return np.empty(shape, dtype=kind)
    return np.asarray(_Memory(int(ffi.cast("uintptr_t", pointer)), shape, kind, keep, is_writable))


class View(np.ndarray):
    """Read-only array over memory of the library that is reused when a world steps (a query is
    asked again, a recording is read on). From then on every use of it or of its slices raises
    StaleError. What NumPy hands out as a plain array (np.asarray(view), memoryview(view)) is not
    watched: copy instead."""

    _epoch: Epoch | None = None

    def __array_finalize__(self, source: Any) -> None:
        self._epoch = getattr(source, "_epoch", None) if isinstance(source, View) else None

    def _check(self) -> None:
        epoch = super().__getattribute__("_epoch")
        if epoch is not None:
            epoch.check()

    def __getattribute__(self, name: str) -> Any:
        if name not in ("__class__", "_epoch", "_check", "__array_finalize__", "__dict__"):
            epoch = super().__getattribute__("_epoch")
            if epoch is not None:
                epoch.check()
        return super().__getattribute__(name)

    def __getitem__(self, key: Any) -> Any:
        self._check()
        return super().__getitem__(key)

    def __len__(self) -> int:
        self._check()
        return super().__len__()

    def __iter__(self) -> Any:
        self._check()
        return super().__iter__()

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        plain = [_plain(value) for value in inputs]
        if "out" in options:
            options["out"] = tuple(_plain(value) for value in options["out"])
        return getattr(ufunc, method)(*plain, **options)

    def __array_function__(self, function: Any, types: Any, args: Any, options: Any) -> Any:
        self._check()
        return function(*_plain_all(args), **{k: _plain_all(v) for k, v in options.items()})

    def __repr__(self) -> str:
        self._check()
        return repr(super().view(np.ndarray))

    def __str__(self) -> str:
        self._check()
        return str(super().view(np.ndarray))

    def __float__(self) -> float:
        self._check()
        return float(super().view(np.ndarray))

    def __int__(self) -> int:
        self._check()
        return int(super().view(np.ndarray))

    def __bool__(self) -> bool:
        self._check()
        return bool(super().view(np.ndarray))

    def __contains__(self, value: Any) -> bool:
        self._check()
        return bool(super().__contains__(value))

    def copy(self, order: Any = "C") -> np.ndarray[Any, Any]:  # type: ignore[override]
        """A plain array that stays."""
        self._check()
        return np.array(super().view(np.ndarray), order=order, copy=True)


def _plain(value: Any) -> Any:
    """A view, once checked, as a plain array; anything else as it is."""
    if isinstance(value, View):
        value._check()
        return np.ndarray.view(value, np.ndarray)
    return value


def _plain_all(value: Any) -> Any:
    """The same within lists and tuples."""
    if isinstance(value, (list, tuple)):
        return type(value)(_plain_all(item) for item in value)
    return _plain(value)


def view_over(pointer: Any, shape: tuple[int, ...], dtype: Any, keep: Handle,
              epoch: Epoch) -> View:
    """Watched view over memory of the library."""
    view = array_over(pointer, shape, dtype, keep).view(View)
    view._epoch = epoch
    view.flags.writeable = False
    return view
