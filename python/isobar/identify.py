# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Parameters of contact from measurements, and by rules of thumb."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ._native import Context, encode, ffi, lib, text
from ._struct import enum_name, enum_value
from .errors import ArgumentError
from .geometry import PathLike

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Parameter:
    """A value in its unit ("" for a number), and the interval that holds it in 95 of 100 such
    measurements."""

    value: float
    low: float
    high: float
    unit: str


class Identified:
    """What a fit found: kind; parameters {name: Parameter}; sample_count; residual, the root mean
    square of what the curve leaves."""

    def __init__(self, context: Context, table: Any, keep: list[Any], found: Any) -> None:
        self._context, self._table, self._keep, self._c = context, table, keep, found
        self.kind: str = enum_name("iso_identify_kind", found.kind)
        self.parameters: dict[str, Parameter] = {
            text(p.name): Parameter(p.value, p.low, p.high, text(p.unit))
            for p in found.parameters[0:found.count]}
        self.sample_count = int(found.sample_count)
        self.residual = float(found.residual)

    def __repr__(self) -> str:
        found = ", ".join(f"{name} {p.value:.4g} {p.unit}".rstrip()
                          for name, p in self.parameters.items())
        return f"<Identified {self.kind}: {found}>"

    def curve(self, x: npt.ArrayLike) -> Array:
        """The fitted curve at values of the first column."""
        places = np.asarray(x, dtype=float)
        values = [lib.iso_identified_curve(self._c, place) for place in places.ravel()]
        return np.array(values).reshape(places.shape)

    def write_svg(self, path: PathLike) -> None:
        """A picture of samples, curve and parameters."""
        self._context.call(lib.iso_identified_write_svg, self._context.pointer, self._table, self._c,
                           encode(path))


def _table_of(columns: Mapping[str, npt.ArrayLike]) -> tuple[Any, list[Any]]:
    """A table that borrows, and what it borrows."""
    arrays = {name: np.asarray(column, float) for name, column in columns.items()}
    shapes = [array.shape for array in arrays.values()]
    if any(len(shape) != 1 or shape != shapes[0] for shape in shapes):
        raise ArgumentError("columns of samples are "
                            + ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
                            + ", expected one dimension and one length")
    values = np.ascontiguousarray(np.column_stack(list(arrays.values()))) if arrays else np.empty((0, 0))
    names = [ffi.new("char[]", encode(name)) for name in columns]
    pointers = ffi.new("char*[]", names)
    table = ffi.new("iso_table*")
    table.column_count, table.row_count = values.shape[1], values.shape[0]
    table.names = ffi.cast("const char* const*", pointers)
    table.values = ffi.cast("double*", ffi.from_buffer(values))
    return table, [values, names, pointers]


def identify(samples: PathLike | Mapping[str, npt.ArrayLike], kind: str = "auto",
             exponent: float = 0.0, load_acceleration: float = 0.0) -> Identified:
    """Parameters of a measurement, by least squares.

    samples: a CSV file, or columns by name: depth, force; time, position; speed, friction, normal;
    before, after; pressure, reading. kind: "indentation", "tap", "sliding", "impacts", "presses", or
    "auto": by the names. exponent: of the depth, 0: fitted. load_acceleration: normal force over
    the tapped mass, 0: 9.81 m/s^2. Samples that leave a parameter open are a NoConvergenceError."""
    context, found = Context(), ffi.new("iso_identified*")
    options = ffi.new("iso_identify_options*", {"exponent": exponent,
                                                "load_acceleration": load_acceleration})
    if isinstance(samples, Mapping):
        table, keep = _table_of(samples)
    else:
        def release(owned: Any) -> None:
            lib.iso_table_destroy(context.pointer, owned)

        table, keep = ffi.gc(ffi.new("iso_table*"), release), [context]
        context.call(lib.iso_table_read, context.pointer, encode(os.fspath(samples)), table)
    context.call(lib.iso_identify_table, context.pointer, table, enum_value("iso_identify_kind", kind),
                 options, found)
    return Identified(context, table, keep, found)


def bristle_guess(friction_dynamic: float, friction_static: float = 0.0, presliding: float = 0.0,
                  sliding_speed: float = 0.0, load_acceleration: float = 0.0) -> dict[str, float]:
    """Members of a Material with bristles where nothing was measured but the coefficient: stiffness
    from the way at breakaway (0: 0.1 mm), critical damping under load_acceleration (0: 9.81 m/s^2),
    a Stribeck speed of a hundredth of sliding_speed (0: 0.1 m/s). friction_static 0: the same."""
    context, params = Context(), ffi.new("iso_bristle_params*")
    guess = ffi.new("iso_bristle_guess*", {
        "friction_dynamic": friction_dynamic, "friction_static": friction_static,
        "presliding": presliding, "sliding_speed": sliding_speed,
        "load_acceleration": load_acceleration})
    context.call(lib.iso_bristle_from_guess, context.pointer, guess, params)
    return {"friction_static": params.friction_static, "friction_dynamic": params.friction_dynamic,
            "bristle_stiffness": params.stiffness, "bristle_damping": params.damping,
            "bristle_viscous": params.viscous, "stribeck_speed": params.stribeck_speed,
            "dwell_time": params.dwell_time}
