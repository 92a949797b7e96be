# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Sweeps: one scene, run once for every combination of values (docs/sweeps.md)."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ._command import run_command, texts
from ._native import Context, Handle, encode, ffi, lib, text
from .geometry import PathLike
from .scene import scene_options, setting_text

Array = npt.NDArray[np.float64]
Values = str | Sequence[Any] | npt.NDArray[Any]


def _axis(name: str, values: Values) -> str:
    """NAME=VALUES as the command has it: text as it is, numbers with all their digits."""
    if isinstance(values, str):
        return f"{name}={values}"
    return f"{name}=" + ",".join(setting_text(value) for value in values)


class SweepTable:
    """What a sweep came to. Columns by name, one number per variant: axes that are numbers, and
    measures (NaN where there is none); texts of axes that are not. `errors` has a text per variant
    that failed, "" else; `computed`, how many variants this call ran; the others were in the
    journal."""

    def __init__(self, said: Mapping[str, Any]) -> None:
        variants = said["variants"]
        self.path = str(said["table"])
        self.computed = int(said["computed"])
        self.axes: list[str] = list(variants[0]["over"])
        self.measures: list[str] = list(variants[0]["measures"])
        self.errors: list[str] = [variant["error"] or "" for variant in variants]
        self._columns: dict[str, Any] = {}
        for name in self.axes:
            self._columns[name] = _numbers([variant["over"][name] for variant in variants])
        for name in self.measures:
            self._columns[name] = np.array([variant["measures"][name] for variant in variants],
                                           dtype=np.float64)

    def __len__(self) -> int:
        return len(self.errors)

    def __getitem__(self, column: str) -> Any:
        if column not in self._columns:
            raise KeyError(f"there is no column '{column}', expected one of "
                           + ", ".join(self._columns))
        return self._columns[column]

    def keys(self) -> list[str]:
        """Names of the columns: dict(table) makes a dictionary of arrays."""
        return list(self._columns)

    def __repr__(self) -> str:
        failed = sum(bool(error) for error in self.errors)
        return (f"<SweepTable of {len(self)} variants over {', '.join(self.axes)}"
                + (f", {failed} failed" if failed else "") + ">")


def _numbers(texts: list[str]) -> Any:
    try:
        return np.array([float(one) for one in texts])
    except ValueError:
        return texts


def sweep(scene: PathLike, over: Mapping[str, Values], measures: Sequence[str], output: PathLike,
          until: float | None = None, workers: int | None = None,
          settings: Mapping[str, Any] | None = None,
          packages: Mapping[str, PathLike] | None = None, page: PathLike | None = None,
          timeout: float | None = None) -> SweepTable:
    """Run a scene for every combination of values, on all cores: `isobar sweep` as a function.

    over: {"friction": np.linspace(0.2, 1.2, 6), "modulus(pad)": "1e5:1e7:3:log"}; measures:
    ["max_slip(spanner)"]; output: the table (CSV), beside which the journal lies: what it has is not
    run again, so a call that was killed is simply made again. until [s], by default what the scene
    says; workers: processes at once, by default one per processor; page: of plots; timeout [s], after
    which what is finished stays in the journal. The last axis changes fastest."""
    arguments = []
    for name, values in over.items():
        arguments += ["--over", _axis(name, values)]
    for measure in texts("measures", measures, "['max_slip(spanner)']"):
        arguments += ["--measure", measure]
    options = {"-o": output, "--until": until, "--workers": workers, "--page": page}
    return SweepTable(run_command("sweep", scene, arguments, options, settings, packages, timeout))


class Sweep:
    """The variants of a sweep, to be run one by one by whoever shares them out: a pool of processes,
    Ray, Dask. It can be pickled. Arguments as those of sweep(); run(variant) is a function of the
    files alone."""

    def __init__(self, scene: PathLike, over: Mapping[str, Values], measures: Sequence[str],
                 until: float | None = None, settings: Mapping[str, Any] | None = None,
                 packages: Mapping[str, PathLike] | None = None) -> None:
        self._arguments = (os.fspath(scene), dict(over), list(measures), until,
                           dict(settings or {}), dict(packages or {}))
        context, out = Context(), ffi.new("iso_sweep**")
        options, _kept = scene_options(packages or {}, settings or {})
        axes = [ffi.new("char[]", encode(_axis(name, values))) for name, values in over.items()]
        texts = [ffi.new("char[]", encode(measure)) for measure in measures]
        path = ffi.new("char[]", encode(scene))
        desc = ffi.new("iso_sweep_desc*")
        desc.scene, desc.options, desc.until = path, options, until or 0.0
        axis_list, measure_list = ffi.new("char*[]", axes), ffi.new("char*[]", texts)
        desc.axes, desc.axis_count = axis_list, len(axes)
        desc.measures, desc.measure_count = measure_list, len(texts)
        context.call(lib.iso_sweep_create, context.pointer, desc, out)
        pointer = out[0]
        self._handle = Handle(pointer, lambda: lib.iso_sweep_destroy(pointer), [context.handle])

    def __reduce__(self) -> tuple[Any, ...]:
        return Sweep, self._arguments

    def __len__(self) -> int:
        return int(lib.iso_sweep_variant_count(self._handle.pointer))

    def __repr__(self) -> str:
        return f"<Sweep of {len(self)} variants over {', '.join(self.axes)}>"

    @property
    def axes(self) -> list[str]:
        """Names, in their order."""
        pointer = self._handle.pointer
        return [text(lib.iso_sweep_axis_name(pointer, i))
                for i in range(lib.iso_sweep_axis_count(pointer))]

    @property
    def measures(self) -> list[str]:
        """As they were given."""
        pointer = self._handle.pointer
        return [text(lib.iso_sweep_measure(pointer, i))
                for i in range(lib.iso_sweep_measure_count(pointer))]

    @property
    def hash(self) -> int:
        """FNV-1a of all that the results depend on."""
        return int(lib.iso_sweep_hash(self._handle.pointer))

    def values(self, axis: int) -> list[str]:
        """All values of an axis, as texts."""
        pointer = self._handle.pointer
        return [text(lib.iso_sweep_value(pointer, axis, i))
                for i in range(lib.iso_sweep_value_count(pointer, axis))]

    def variant(self, variant: int) -> dict[str, str]:
        """Values of a variant by axis."""
        if not 0 <= variant < len(self):
            raise IndexError(f"variant {variant}, expected 0 to {len(self) - 1}")
        pointer = self._handle.pointer
        return {name: text(lib.iso_sweep_value(pointer, i,
                                               lib.iso_sweep_value_index(pointer, variant, i)))
                for i, name in enumerate(self.axes)}

    def run(self, variant: int) -> Array:
        """(measures,) of a variant, which is loaded and stepped to its end; NaN where there was
        nothing to measure. Threads may run variants at once."""
        context = Context()
        out = np.empty(lib.iso_sweep_measure_count(self._handle.pointer))
        self._handle.use()
        try:
            context.call(lib.iso_sweep_run, self._handle.pointer, context.pointer, variant,
                         ffi.cast("double*", out.ctypes.data))
        finally:
            self._handle.disuse()
        return out
