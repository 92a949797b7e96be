# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""The shared library, its contexts and the lifetime of what it makes."""

from __future__ import annotations

import logging
import os
import pathlib
import re
import reprlib
import shutil
import sys
import threading
from collections.abc import Callable, Iterable
from typing import Any

import cffi
from isobar_command import takes_baseline

from . import _headers, errors

logger = logging.getLogger("isobar")
_LEVELS = (logging.DEBUG, logging.INFO, logging.WARNING, logging.ERROR)
_PACKAGE = pathlib.Path(__file__).resolve().parent


def _declarations() -> tuple[str, dict[str, str]]:
    """Those made when the package was built; in a source tree, straight from the headers."""
    try:
        from . import _declarations as made  # type: ignore[attr-defined, unused-ignore]
    except ImportError:
        return _headers.declarations(_PACKAGE.parent.parent / "include")
    return made.CDEF, made.CONSTANTS


def _library_path() -> str:
    """The library beside this file, the one of plain C where the processor has no AVX2, or the one that
    ISOBAR_LIBRARY names."""
    if name := os.environ.get("ISOBAR_LIBRARY"):
        return name
    suffix = "dylib" if sys.platform == "darwin" else "so"
    path = _PACKAGE / f"libisobar.{suffix}"
    if takes_baseline(_PACKAGE):
        path = _PACKAGE / "baseline" / f"libisobar.{suffix}"
    if not path.exists():
        raise ImportError(f"{path} is missing: install the package (pip install .), or let "
                          "ISOBAR_LIBRARY name a shared libisobar")
    return os.fspath(path)


def _package_version() -> str:
    """Version that the declarations are of; asked only when something is wrong."""
    import importlib.metadata

    project = _PACKAGE.parent.parent / "CMakeLists.txt"
    try:
        if project.exists():
            found = re.search(r"project\(isobar VERSION ([\d.]+)", project.read_text("utf-8"))
            return found[1] if found else "?"
        return importlib.metadata.version("isobar")
    except (OSError, importlib.metadata.PackageNotFoundError):
        return "?"


def _layout() -> dict[str, int]:
    """Sizes, offsets and enumerators as cffi has them, under the names of iso_layout_name()."""
    structures, enumerations = _headers.structures(CDEF), _headers.enumerations(CDEF)
    # The arguments of one type: parsing the names one by one takes cffi half a second.
    kinds = ffi.typeof(f"void(*)({', '.join(name + '*' for name in structures + enumerations)})")
    numbers: dict[str, int] = {}
    for name, pointer in zip(structures + enumerations, kinds.args):
        kind = pointer.item
        if kind.kind == "enum":
            numbers.update((enumerator, value) for value, enumerator in kind.elements.items())
            continue
        numbers[name] = ffi.sizeof(kind)
        for member, field in kind.fields or []:
            numbers[f"{name}.{member}"] = field.offset
    return numbers


def _check_layout(path: str) -> None:
    """Refuse a library that was built from other headers: it would read and write past structures."""
    try:
        found = text(lib.iso_version())
    except AttributeError:
        raise errors.UnsupportedError(f"{path} is no libisobar: it has no iso_version()") from None
    try:
        known = {text(lib.iso_layout_name(i)): int(lib.iso_layout_value(i))
                 for i in range(lib.iso_layout_count())}
    except AttributeError:
        raise _misfit(path, found, "it is older and does not say how its structures are laid "
                      "out") from None
    wanted = _layout()
    if known != wanted:
        differing = [name for name in wanted if known.get(name) != wanted[name]]
        differing += [name for name in known if name not in wanted]
        theirs, ours = (str(numbers.get(differing[0], "missing")) for numbers in (known, wanted))
        rest = f" and {len(differing) - 1} more" if len(differing) > 1 else ""
        raise _misfit(path, found, f"{differing[0]} is {theirs} in the library, {ours} in the "
                      f"package{rest}")


def _misfit(path: str, found: str, why: str) -> errors.UnsupportedError:
    return errors.UnsupportedError(
        f"{path} is libisobar {found}, which does not fit the Python package isobar "
        f"{_package_version()}: {why}; build both from the same sources")


def text(pointer: Any) -> str:
    """A C string; "" for NULL."""
    return "" if pointer == ffi.NULL else ffi.string(pointer).decode("utf-8", "replace")


CDEF, CONSTANTS = _declarations()
ffi = cffi.FFI()
ffi.cdef(CDEF)
LIBRARY = _library_path()
lib: Any = ffi.dlopen(LIBRARY)
_check_layout(LIBRARY)


def _check_processor(path: str) -> None:
    """Refuse a library whose instructions this processor does not have, before any of them runs."""
    context = ffi.new("iso_context**")
    if lib.iso_context_create(ffi.NULL, context) == lib.ISO_ERR_UNSUPPORTED:
        backend = text(lib.iso_simd_backend())
        raise errors.UnsupportedError(f"{path} is built for processors with more instructions ({backend}) than "
                                      "this one has: build with -DISOBAR_SIMD=scalar")
    lib.iso_context_destroy(context[0])


_check_processor(LIBRARY)


def _bind_destructors() -> None:
    """Look up at once what ends objects. The garbage collector may end one while cffi holds its own
    lock; a function that cffi has not seen before would wait for that lock forever."""
    for name in _headers.functions(CDEF):
        if name.endswith(("_destroy", "_close")) and not hasattr(lib, name):
            raise _misfit(LIBRARY, text(lib.iso_version()), f"it has no {name}()")


_bind_destructors()


def callback(signature: str) -> Callable[[Callable[..., Any]], Any]:
    """Decorator: a function that C may call while the result lives."""
    decorator: Callable[[Callable[..., Any]], Any] = ffi.callback(signature)
    return decorator


@callback("void(void*, iso_log_level, const char*)")
def _on_log(_user: Any, level: int, message: Any) -> None:
    logger.log(_LEVELS[min(int(level), len(_LEVELS) - 1)], "%s",
               ffi.string(message).decode("utf-8", "replace"))


def no_such(noun: str, name: str, names: Iterable[str]) -> errors.NotFoundError:
    """The error for a name that means none of these, in the library's words: there is none, and
    what might be meant, or it is the end of more than one."""
    pointers = [ffi.new("char[]", encode(known)) for known in names]
    out = ffi.new("char[]", 1024)
    lib.iso_name_explain(noun.encode(), encode(name), ffi.new("char*[]", pointers), len(pointers),
                         out, 1024)
    return errors.NotFoundError(text(out))


def index_of(noun: str, name: str, names: Iterable[str]) -> int:
    """Index of the name that ends in "::" and this one, where it is the only one."""
    known = list(names)
    ends = [i for i, one in enumerate(known) if one.endswith("::" + name)]
    if len(ends) != 1:
        raise no_such(noun, name, known)
    return ends[0]


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """"; did you mean 'radius'?", or "" when no name is near."""
    known = list(names)
    pointers = [ffi.new("char[]", encode(one)) for one in known]
    nearest = lib.iso_name_nearest(encode(name), ffi.new("char*[]", pointers), len(pointers))
    return f"; did you mean '{known[nearest]}'?" if nearest >= 0 else ""


def expect(value: Any, name: str, what: str) -> Any:
    """The value, if it is an object of the class of that name; modules that would import each other
    in a circle can ask for each other's classes."""
    if not any(base.__name__ == name for base in type(value).__mro__):
        raise TypeError(f"{what} is {reprlib.repr(value)}, expected a {name}")
    return value


_lifetime_lock = threading.RLock()


class Handle:
    """Owns one C object. It is destroyed when it was released and nothing made from it is left, so
    that neither the garbage collector nor close() can end things in the wrong order."""

    def __init__(self, pointer: Any, destroy: Callable[[], Any],
                 parents: Iterable[Handle] = ()) -> None:
        self._pointer = pointer
        self._destroy = destroy
        self._parents = list(parents)
        self._user_count = 0
        self._is_released = False
        with _lifetime_lock:
            for parent in self._parents:
                parent._user_count += 1

    @property
    def pointer(self) -> Any:
        if self._is_released:
            raise errors.StaleError("this object was closed")
        return self._pointer

    def use(self) -> None:
        """Keep the C object after release() until disuse()."""
        with _lifetime_lock:
            assert self.pointer is not None  # raises when closed
            self._user_count += 1

    def disuse(self) -> None:
        with _lifetime_lock:
            self._user_count -= 1
            self._end_if_unused()

    def add_parent(self, parent: Handle) -> None:
        """The parent must outlive this object from now on."""
        with _lifetime_lock:
            if not any(parent is other for other in self._parents):
                parent._user_count += 1
                self._parents.append(parent)

    def release(self) -> None:
        with _lifetime_lock:
            if not self._is_released:
                self._is_released = True
                self._end_if_unused()

    def _end_if_unused(self) -> None:
        if self._is_released and self._user_count == 0:
            self._destroy()
            parents, self._parents = self._parents, []
            for parent in parents:
                parent._user_count -= 1
                parent._end_if_unused()

    def __del__(self) -> None:
        if hasattr(self, "_is_released"):
            self.release()


class Lease:
    """Keeps the C object of a handle, closed or not, for as long as it lives itself: for whoever
    holds pointers into it."""

    __slots__ = ("_handle",)

    def __init__(self, handle: Handle) -> None:
        handle.use()
        self._handle = handle

    def __del__(self) -> None:
        if hasattr(self, "_handle"):
            self._handle.disuse()


class Context:
    """An iso_context with the lock that lets one thread in at a time. Every Isobar object has its
    own, so different objects may be used by different threads at once."""

    def __init__(self) -> None:
        desc = lib.iso_context_desc_default()
        desc.log_fn = _on_log
        level = logger.getEffectiveLevel()
        desc.log_level = sum(level > known for known in _LEVELS[:-1])
        out = ffi.new("iso_context**")
        keep = ffi.new("iso_context_desc*", desc)
        status = lib.iso_context_create(keep, out)
        if status != lib.ISO_OK:
            raise error_class(status)(text(lib.iso_status_text(status)))
        pointer = out[0]
        self.lock = threading.RLock()
        self.handle = Handle(pointer, lambda: lib.iso_context_destroy(pointer))

    @property
    def pointer(self) -> Any:
        return self.handle.pointer

    def call(self, function: Callable[..., int], *args: Any, also: Context | None = None) -> None:
        """Call what returns a status, without the interpreter's lock; raise what it reports. also:
        the context of an argument, which may get the message in place of this one."""
        with self.lock:
            status = function(*args)
            if status != lib.ISO_OK:
                message = text(lib.iso_context_error(self.pointer))
                if not message and also is not None:
                    message = text(lib.iso_context_error(also.pointer))
                raise error_class(status)(message or text(lib.iso_status_text(status)))


def error_class(status: int) -> type[errors.Error]:
    """Exception class of a status."""
    name = ffi.typeof("iso_status").elements.get(int(status), "")
    return errors.BY_STATUS_NAME.get(name, errors.Error)


def encode(path: str | os.PathLike[str]) -> bytes:
    """A path or name as the library wants it."""
    encoded = os.fsencode(path)
    if b"\0" in encoded:
        raise ValueError(f"{path!r} has a null character, where it would end")
    return encoded


def program() -> str:
    """The command isobar: that of the package, or in a source tree that of the library's build, or the
    one on the PATH."""
    own = "baseline" if takes_baseline(_PACKAGE) else "bin"
    for path in (_PACKAGE / own / "isobar",
                 pathlib.Path(LIBRARY).resolve().parent.parent / "bin" / "isobar"):
        if path.is_file():
            return os.fspath(path)
    # Relative entries mean the current folder, which may be anybody's.
    folders = [folder for folder in os.get_exec_path() if os.path.isabs(folder)]
    found = shutil.which("isobar", path=os.pathsep.join(folders))
    if found is None:
        raise errors.UnsupportedError(f"{_PACKAGE / 'bin' / 'isobar'} is missing: install the package "
                                      "anew, or build the command")
    return found


def viewer_page() -> bytes:
    """The viewer's page: that of the package, or in a source tree that of the library's build."""
    pages = [_PACKAGE / "viewer.html",
             pathlib.Path(LIBRARY).resolve().parent.parent / "viewer" / "index.html"]
    for page in pages:
        if page.is_file():
            return page.read_bytes()
    raise errors.UnsupportedError(f"{pages[0]} is missing: this package was built without the "
                                  "viewer's page, which needs npm (tools/setup)")


def version() -> str:
    """Version of the library, "major.minor.patch"."""
    return text(lib.iso_version())


def simd_backend() -> str:
    """SIMD back end of the library: "avx512", "avx2", "neon" or "scalar"."""
    return text(lib.iso_simd_backend())
