# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""One exception per status of the library; the text is the library's own."""

from __future__ import annotations


class Error(Exception):
    """Anything that Isobar reports. str() is the message of the C library, one line."""

    status_name = ""


class ArgumentError(Error, ValueError):
    """ISO_ERR_ARGUMENT: argument missing or inconsistent."""

    status_name = "ISO_ERR_ARGUMENT"


class RangeError(Error, ValueError):
    """ISO_ERR_RANGE: value outside its valid range."""

    status_name = "ISO_ERR_RANGE"


class OutOfMemoryError(Error, MemoryError):
    """ISO_ERR_MEMORY: allocation failed."""

    status_name = "ISO_ERR_MEMORY"


class FileError(Error, OSError):
    """ISO_ERR_IO: file cannot be read or written."""

    status_name = "ISO_ERR_IO"


class ParseError(Error, ValueError):
    """ISO_ERR_PARSE: malformed input; the message starts with file:line."""

    status_name = "ISO_ERR_PARSE"


class UnsupportedError(Error, NotImplementedError):
    """ISO_ERR_UNSUPPORTED: not supported."""

    status_name = "ISO_ERR_UNSUPPORTED"


class NotFoundError(Error, KeyError):
    """ISO_ERR_NOT_FOUND: name not found."""

    status_name = "ISO_ERR_NOT_FOUND"

    def __str__(self) -> str:
        return Exception.__str__(self)  # KeyError's quotes the message


class GeometryError(Error, ValueError):
    """ISO_ERR_GEOMETRY: unusable geometry."""

    status_name = "ISO_ERR_GEOMETRY"


class NoConvergenceError(Error, ArithmeticError):
    """ISO_ERR_NO_CONVERGENCE: iteration limit reached."""

    status_name = "ISO_ERR_NO_CONVERGENCE"


class NumericError(Error, ArithmeticError):
    """ISO_ERR_NUMERIC: not a finite number."""

    status_name = "ISO_ERR_NUMERIC"


class StaleError(Error, ReferenceError):
    """A view or contact was used after what it shows had changed or was closed. Copy what you keep
    (array.copy()), or ask again."""


BY_STATUS_NAME: dict[str, type[Error]] = {
    kind.status_name: kind
    for kind in (ArgumentError, RangeError, OutOfMemoryError, FileError, ParseError,
                 UnsupportedError, NotFoundError, GeometryError, NoConvergenceError, NumericError)
}
