# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""From the public headers to declarations for cffi, so that the two cannot drift apart.

    python _headers.py INCLUDE_DIR --declarations OUT.py   what the package loads
    python _headers.py INCLUDE_DIR --check OUT.c           a C file that compiles only where the
                                                           layout of every structure agrees
    python _headers.py INCLUDE_DIR --layout OUT.c          the table behind iso_layout_count()

Only what the headers of Isobar use is understood: no compiler is needed.
"""

from __future__ import annotations

import argparse
import pathlib
import re

# base.h first; every header comes after those it includes.
_ROOT = "isobar.h"


def _ordered(include: pathlib.Path) -> list[pathlib.Path]:
    """The headers that isobar.h includes, each after its own."""
    order: list[pathlib.Path] = []

    def visit(path: pathlib.Path) -> None:
        for name in re.findall(r'^#include "isobar/([^"]+)"', path.read_text(encoding="utf-8"), re.M):
            if include / "isobar" / name not in order:
                visit(include / "isobar" / name)
        if path not in order:
            order.append(path)

    visit(include / "isobar" / _ROOT)
    for path in sorted((include / "isobar").glob("*.h")):
        if path not in order:
            visit(path)
    return order


def _strip_comments(text: str) -> str:
    return re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)


def _strip_cplusplus(text: str) -> str:
    """Leave out what is for C++ alone."""
    return re.sub(r"^#ifdef __cplusplus\n.*?^#endif\n", "", text, flags=re.M | re.S)


def _expand_lists(text: str) -> str:
    """Apply X-macro lists: #define NAME_LIST(X) X(a, b)... used as NAME_LIST(ENUM_MACRO)."""
    lists = dict(re.findall(r"#define (\w+_LIST)\(X\)((?:[^\n]*\\\n)*[^\n]*)", text))
    for name, body in lists.items():
        first = ", ".join(re.findall(r"X\((\w+),", body)) + ","
        text = re.sub(rf"^[ \t]*{name}\(\w+\)[ \t]*$", first, text, flags=re.M)
    return text


def _strip_inline(text: str) -> str:
    """Leave out static inline functions: they have no symbol."""
    while (start := text.find("static inline")) >= 0:
        at = text.index("{", start)
        depth, end = 1, at + 1
        while depth:
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        text = text[:start] + text[end:]
    return text


def _constants(text: str) -> dict[str, str]:
    """Numbers given by #define."""
    number = r"\(?(-?[0-9][0-9.eE+-]*)\)?"
    return dict(re.findall(rf"^#define (ISO_\w+) {number}[ \t]*$", text, re.M))


def declarations(include: pathlib.Path) -> tuple[str, dict[str, str]]:
    """Text for ffi.cdef() and the constants of the headers."""
    text, constants = "", {}
    for path in _ordered(include):
        part = _strip_cplusplus(_strip_comments(path.read_text(encoding="utf-8")))
        constants.update(_constants(part))
        text += _expand_lists(part)
    text = re.sub(r"\\\n", " ", text)
    text = re.sub(r"^[ \t]*#[^\n]*$", "", text, flags=re.M)
    text = re.sub(r"\bISO_PRINTF\([^)]*\)|\bISO_API\b|\bISO_NODISCARD\b", "", text)
    text = _strip_inline(text)
    text = re.sub(r"[ \t]+\n", "\n", text)
    return re.sub(r"\n{2,}", "\n", text).strip() + "\n", constants


def functions(cdef: str) -> list[str]:
    """Names of the functions declared in a text made by declarations()."""
    outside = re.sub(r"\{[^{}]*\}", "", re.sub(r"\{[^{}]*\}", "", cdef))
    names = re.findall(r"\b(iso_\w+)\s*\((?!\*)", outside)
    return sorted({name for name in names if not name.endswith("_fn")})


def structures(cdef: str) -> list[str]:
    """Names of the structures whose members are declared."""
    return re.findall(r"typedef struct (iso_\w+) \{", cdef)


def enumerations(cdef: str) -> list[str]:
    """Names of the enumerations."""
    return re.findall(r"typedef enum (iso_\w+) \{", cdef)


def members(cdef: str) -> list[tuple[str, str]]:
    """(structure, member) for every member of every structure."""
    found = []
    for name, body in re.findall(r"typedef struct (iso_\w+) \{(.*?)\n\} \1;", cdef, re.S):
        for statement in re.sub(r"\{[^{}]*\}", "", body).split(";"):
            if pointer := re.search(r"\(\*(\w+)\)", statement):  # to a function or to an array
                found.append((name, pointer[1]))
            elif statement.strip():
                found += [(name, member) for member in
                          re.findall(r"(\w+)(?:\[[^\]]*\])*\s*(?:,|$)", statement)]
    return found


def enumerators(cdef: str) -> list[str]:
    """Names of all enumerators."""
    bodies = re.findall(r"typedef enum iso_\w+ \{(.*?)\}", cdef, re.S)
    return [name for body in bodies for name in re.findall(r"\b(ISO_\w+)\s*(?:=[^,]*)?(?:,|$)", body)]


def layout_source(cdef: str) -> str:
    """C file with sizes of structures, offsets of members and values of enumerators."""
    rows = [(name, f"sizeof({name})") for name in structures(cdef)]
    rows += [(f"{kind}.{member}", f"offsetof({kind}, {member})") for kind, member in members(cdef)]
    rows += [(name, name) for name in enumerators(cdef)]
    lines = ['#include "base/system/layout.h"', '#include "isobar/deformed.h"', '#include "isobar/isobar.h"',
             "#include <stddef.h>", "const iso_layout_entry iso_layout_entries[] = {"]
    lines += [f'    {{"{name}", (long long){value}}},' for name, value in rows]
    return "\n".join(lines) + f"\n}};\nconst int iso_layout_entry_count = {len(rows)};\n"


def check_source(cdef: str) -> str:
    """C file of static assertions: sizes and offsets as cffi has them."""
    import cffi

    ffi = cffi.FFI()
    ffi.cdef(cdef)
    lines = ["#include <stddef.h>", '#include "isobar/isobar.h"']
    for path_name in ("deformed.h",):
        lines.append(f'#include "isobar/{path_name}"')
    for name in structures(cdef):
        kind = ffi.typeof(name)
        lines.append(f'_Static_assert(sizeof({name}) == {ffi.sizeof(kind)}, "{name}");')
        for member, field in kind.fields or []:
            lines.append(f"_Static_assert(offsetof({name}, {member}) == {field.offset}, "
                         f'"{name}.{member}");')
    return "\n".join(lines) + "\nextern int isobar_layout_agrees;\n"


def module_source(cdef: str, constants: dict[str, str]) -> str:
    """Python module that holds the declarations."""
    return ('"""Made from the public headers by _headers.py."""\n\n'
            f"CONSTANTS: dict[str, str] = {constants!r}\n\nCDEF = '''\n{cdef}'''\n")


def main() -> None:
    parser = argparse.ArgumentParser(description="Declarations for cffi from the public headers.")
    parser.add_argument("include", type=pathlib.Path)
    parser.add_argument("--declarations", type=pathlib.Path)
    parser.add_argument("--check", type=pathlib.Path)
    parser.add_argument("--layout", type=pathlib.Path)
    options = parser.parse_args()
    cdef, constants = declarations(options.include)
    if options.declarations:
        options.declarations.parent.mkdir(parents=True, exist_ok=True)
        options.declarations.write_text(module_source(cdef, constants), encoding="utf-8")
    if options.layout:
        options.layout.parent.mkdir(parents=True, exist_ok=True)
        options.layout.write_text(layout_source(cdef), encoding="utf-8")
    if options.check:
        options.check.parent.mkdir(parents=True, exist_ok=True)
        options.check.write_text(check_source(cdef), encoding="utf-8")


if __name__ == "__main__":
    main()
