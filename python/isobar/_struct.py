# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""C structures as Python objects with the same members."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from ._native import Handle, Lease, did_you_mean, encode, expect, ffi, lib, text
from ._views import Epoch
from .pose import Pose, as_pose

_SHAPES = {"iso_vec3": (3,), "iso_quat": (4,), "iso_spatial": (6,), "iso_mat3": (3, 3)}


def enum_names(kind: str) -> dict[int, str]:
    """{value: name in lower case without the family's prefix} of a C enumeration."""
    elements: dict[int, str] = ffi.typeof(kind).elements
    prefix = os.path.commonprefix(list(elements.values())).rpartition("_")[0] + "_"
    return {value: elements[value][len(prefix):].lower() for value in sorted(elements)}


def enum_value(kind: str, name: str) -> int:
    """Value of an enumerator by its short name."""
    names = enum_names(kind)
    for value, known in names.items():
        if known == name:
            return value
    what = kind[4:].replace("_", " ")
    raise ValueError(f"'{name}' is not {'an' if what[0] in 'aeiou' else 'a'} {what}; expected one of "
                     + ", ".join(names.values()) + did_you_mean(name, names.values()))


def enum_name(kind: str, value: int) -> str:
    """Short name of an enumerator."""
    return enum_names(kind)[int(value)]


def to_c(kind: str, value: Any) -> Any:
    """Pointer to a new value structure (iso_vec3, iso_mat3, iso_spatial, iso_pose)."""
    out = ffi.new(kind + "*")
    store_value(out, kind, value)
    return out


def store_value(pointer: Any, kind: str, value: Any) -> None:
    """Write vectors, matrices and poses through a pointer."""
    target = np.frombuffer(ffi.buffer(pointer, ffi.sizeof(kind)), dtype=np.float64)
    if kind == "iso_pose":
        pose = as_pose(value)
        target[:9], target[9:] = pose.rotation.ravel(), pose.translation
    else:
        shape = _SHAPES[kind]
        array = np.asarray(value, dtype=np.float64)
        if array.shape != shape:
            raise ValueError(f"expected shape {shape}, not {array.shape}")
        target[:] = array.ravel()


def from_c(kind: str, value: Any) -> Any:
    """Vectors and matrices as arrays, poses as Pose; copied."""
    address = value if ffi.typeof(value).kind == "pointer" else ffi.addressof(value)
    data = np.frombuffer(ffi.buffer(address, ffi.sizeof(kind)), dtype=np.float64).copy()
    return Pose(data[:9], data[9:]) if kind == "iso_pose" else data.reshape(_SHAPES[kind])


def dtype_of(kind: str) -> np.dtype[Any]:
    """NumPy type with the members and the layout of a C structure of numbers."""
    names: list[str] = []
    formats: list[Any] = []
    offsets: list[int] = []
    for name, field in ffi.typeof(kind).fields:
        inner = field.type
        names.append(name)
        offsets.append(field.offset)
        if inner.kind == "struct":
            formats.append((np.float64, _SHAPES[inner.cname]))
        else:
            formats.append({"double": np.float64, "int": np.int32, "bool": np.bool_,
                            "_Bool": np.bool_}[inner.cname])
    return np.dtype({"names": names, "formats": formats, "offsets": offsets,
                     "itemsize": ffi.sizeof(kind)})


def _snapshot(keep: dict[str, Any]) -> dict[str, Any]:
    return {name: _snapshot(value) if isinstance(value, dict) else value
            for name, value in keep.items()}


def _held(value: Struct) -> tuple[Struct, dict[str, Any]]:
    """What a copy of a structure points to now, also when the structure gets other members later."""
    return value, _snapshot(value._keep)


def c_array(kind: str, values: Sequence[Struct]) -> tuple[Any, list[Any]]:
    """C array of copies of structures, and what must live as long as it."""
    name = _REGISTRY[kind].__name__
    if not isinstance(values, Sequence):
        raise TypeError(f"expected a list of {name}, not {type(values).__name__}")
    array = ffi.new(f"{kind}[]", max(len(values), 1))
    for index, value in enumerate(values):
        array[index] = expect(value, name, f"element {index}")._c[0]
    return array, [_held(value) for value in values]


class Struct:
    """A C structure. Members are set by keyword or by attribute and start from the library's
    defaults; vectors are arrays, enumerations their short names, poses are Pose."""

    _ctype: ClassVar[str] = ""
    #: Function of the library that gives the defaults; "" for zeros.
    _default: ClassVar[str] = ""
    #: Members that a subclass reads and writes in its own way, or that do not concern Python.
    _own: ClassVar[tuple[str, ...]] = ()
    #: What sets those that are only read; ends the message when they are set otherwise.
    _set_by: ClassVar[str] = ""
    #: Members of nested structures that go by another name in files.
    _elsewhere: ClassVar[dict[str, str]] = {}

    _c: Any
    #: What the pointers of the structure point to, by member; of nested structures, by "." and member.
    _keep: dict[str, Any]
    #: What the structure lies in: a Lease or another Struct.
    _owner: Any
    #: Ends when the structure moves; None: it stays.
    _epoch: Epoch | None
    #: It belongs to the library, which owns what its pointers point to.
    _is_foreign: bool

    def __init__(self, **members: Any) -> None:
        made = ffi.new(self._ctype + "*")
        if self._default:
            made[0] = getattr(lib, self._default)()
        self._set_up(made)
        for name, value in members.items():
            setattr(self, name, value)

    def _set_up(self, c: Any, owner: Any = None, keep: dict[str, Any] | None = None,
                epoch: Epoch | None = None, is_foreign: bool = False) -> None:
        for name, value in (("_c", c), ("_owner", owner), ("_keep", {} if keep is None else keep),
                            ("_epoch", epoch), ("_is_foreign", is_foreign)):
            object.__setattr__(self, name, value)

    @classmethod
    def _copy(cls, value: Any, keep: Handle | None = None) -> Any:
        """From a C value or a pointer to one; keep owns what its pointers point to."""
        self = cls.__new__(cls)
        made = ffi.new(cls._ctype + "*")
        made[0] = value[0] if ffi.typeof(value).kind == "pointer" else value
        self._set_up(made, owner=None if keep is None else Lease(keep))
        return self

    @classmethod
    def _refer(cls, pointer: Any, keep: Handle | Struct, epoch: Epoch | None = None) -> Any:
        """To a C structure of `keep` that stays where it is while the epoch lasts."""
        self = cls.__new__(cls)
        self._set_up(pointer, owner=Lease(keep) if isinstance(keep, Handle) else keep, epoch=epoch,
                     is_foreign=True)
        return self

    def _nested(self, name: str, kind: str) -> Any:
        """A structure in this one."""
        inner = _REGISTRY[kind]
        self_in = inner.__new__(inner)
        self_in._set_up(ffi.addressof(self._c, name), owner=self,
                        keep=self._keep.setdefault("." + name, {}), epoch=self._epoch,
                        is_foreign=self._is_foreign)
        return self_in

    def _check(self) -> None:
        if self._epoch is not None:
            self._epoch.check()

    @classmethod
    def member_names(cls) -> list[str]:
        """Names of the members, in the order of the C structure."""
        return [name for name, _ in ffi.typeof(cls._ctype).fields]

    @classmethod
    def _field(cls, name: str) -> Any:
        for known, field in ffi.typeof(cls._ctype).fields:
            if known == name:
                return field.type
        if name in cls._elsewhere:
            raise AttributeError(f"{cls.__name__} has no member '{name}'; set "
                                 f"{cls._elsewhere[name]}")
        raise AttributeError(f"{cls.__name__} has no member '{name}'; it has "
                             + ", ".join(cls.member_names())
                             + did_you_mean(name, cls.member_names()))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        kind = self._field(name)
        self._check()
        value = getattr(self._c, name)
        if kind.kind == "enum":
            return enum_name(kind.cname, int(ffi.cast("int", value)))
        if kind.kind == "struct":
            if kind.cname in _SHAPES or kind.cname == "iso_pose":
                return from_c(kind.cname, value)
            return self._nested(name, kind.cname)
        if kind.kind == "pointer":
            if kind.cname == "char *":
                return None if value == ffi.NULL else text(value)
            raise AttributeError(f"{name} has no reader")
        if kind.kind == "array":
            return _read_array(kind, value)
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        is_property = isinstance(getattr(type(self), name, None), property)
        self._check()
        if self._is_foreign and (is_property or _has_pointers(self._field(name))):
            raise AttributeError(f"{name} cannot be set here: of what the library holds only "
                                 "numbers, vectors and choices can")
        if is_property:
            if getattr(type(self), name).fset is None:
                raise AttributeError(f"{name} of {type(self).__name__} cannot be set here"
                                     + (f"; {self._set_by}" if self._set_by else ""))
            object.__setattr__(self, name, value)
            return
        kind = self._field(name)
        if kind.kind == "enum":
            setattr(self._c, name, enum_value(kind.cname, value))
        elif kind.kind == "struct" and (kind.cname in _SHAPES or kind.cname == "iso_pose"):
            try:
                store_value(ffi.addressof(self._c, name), kind.cname, value)
            except ValueError as error:
                raise ValueError(f"{name}: {error}") from None
        elif kind.kind == "struct":
            expect(value, _REGISTRY[kind.cname].__name__, name)
            setattr(self._c, name, value._c[0])
            self._keep[name] = _held(value)
            self._keep.pop("." + name, None)
        elif kind.kind == "pointer":
            if kind.cname != "char *":
                raise AttributeError(f"{name} cannot be set")
            kept = ffi.NULL if value is None else ffi.new("char[]", encode(value))
            self._keep[name] = kept
            setattr(self._c, name, kept)
        elif kind.kind == "array":
            array = np.asarray(value, dtype=np.float64).ravel()
            if len(array) > kind.length:
                raise ValueError(f"{name} has {len(array)} values, expected {kind.length} at most")
            for index in range(kind.length):
                getattr(self._c, name)[index] = array[index] if index < len(array) else 0.0
        else:
            try:
                setattr(self._c, name, value)
            except TypeError as error:
                raise TypeError(f"{name} is {value!r}: {error}") from None

    def as_dict(self) -> dict[str, Any]:
        """Members that can be read, by name."""
        result = {}
        for name in self.member_names():
            try:
                result[name] = getattr(self, name)
            except AttributeError:
                continue
        return result

    def __repr__(self) -> str:
        inside = ", ".join(f"{name}={value!r}" for name, value in self.as_dict().items())
        return f"{type(self).__name__}({inside})"

    def __init_subclass__(cls) -> None:
        if cls._ctype:
            _REGISTRY[cls._ctype] = cls


_REGISTRY: dict[str, type[Struct]] = {}


def _has_pointers(kind: Any) -> bool:
    if kind.kind in ("struct", "array"):
        inner = [field.type for _, field in kind.fields] if kind.kind == "struct" else [kind.item]
        return any(_has_pointers(item) for item in inner)
    return bool(kind.kind == "pointer")


def _read_array(kind: Any, value: Any) -> Any:
    """Numbers as an array, characters as str, anything else as a list."""
    item = kind.item
    if item.cname == "char":
        return text(value)
    if item.kind == "array" and item.item.cname == "char":
        return [text(value[i]) for i in range(kind.length)]
    if item.kind == "struct":
        if item.cname in _SHAPES:
            return np.array([from_c(item.cname, value[i]) for i in range(kind.length)])
        if item.cname in _REGISTRY:
            return [_REGISTRY[item.cname]._copy(value[i]) for i in range(kind.length)]
        raise AttributeError("no reader")
    shape, inner = [], kind
    while inner.kind == "array":
        shape.append(inner.length)
        inner = inner.item
    types = {"double": np.float64, "float": np.float32, "int": np.int32}
    return np.frombuffer(ffi.buffer(value), dtype=types[inner.cname]).reshape(shape).copy()


def c_pointer(value: Struct | None, name: str, what: str) -> Any:
    """Pointer to a structure of the class of that name, NULL for None."""
    return ffi.NULL if value is None else expect(value, name, what)._c
