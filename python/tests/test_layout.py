# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""A library that was built from other headers is refused before anything is read from it."""

import os
import pathlib
import shutil
import subprocess
import sys

import pytest

from isobar import _headers, _native

SOURCE = pathlib.Path(__file__).resolve().parents[2]
needs_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")

VERSION = 'const char* iso_version(void) { return "9.8.7"; }\n'
ACCESS = """
iso_status iso_context_create(const iso_context_desc* desc, iso_context** out) { (void)desc, *out = 0; return ISO_OK; }
int iso_layout_count(void) { return iso_layout_entry_count; }
const char* iso_layout_name(int i) { return iso_layout_entries[i].name; }
long long iso_layout_value(int i) { return iso_layout_entries[i].value; }
"""


def endings(without=""):
    """Definitions of the functions that end objects."""
    names = [name for name in _headers.functions(_native.CDEF)
             if name.endswith(("_destroy", "_close")) and name != without]
    assert len(names) > 10
    return "".join(f"void {name}(void) {{}}\n" for name in names)


def import_with(tmp_path, *sources):
    """Compile a stub of a library and import the package with it: (path, last line of the error)."""
    names = [f"stub{number}.c" for number in range(len(sources))]
    for name, source in zip(names, sources):
        (tmp_path / name).write_text(source)
    path = tmp_path / "libstub.so"
    include = [f"-I{SOURCE / 'include'}", f"-I{SOURCE / 'src'}"]
    subprocess.run(["cc", "-std=c17", "-shared", "-fPIC", *include, "-o", path, *names],
                   cwd=tmp_path, check=True)
    environment = {**os.environ, "ISOBAR_LIBRARY": str(path),
                   "PYTHONPATH": str(pathlib.Path(_native.__file__).parents[1])}
    done = subprocess.run([sys.executable, "-c", "import isobar"], env=environment,
                          capture_output=True, text=True, check=False, timeout=300)
    return path, done.stderr.strip().splitlines()[-1] if done.returncode else ""


def layout(change=lambda text: text):
    """A stub that says the layout of these headers, changed."""
    return change(_headers.layout_source(_native.CDEF)) + VERSION + ACCESS


@needs_compiler
def test_the_layout_of_these_headers_is_accepted(tmp_path):
    assert import_with(tmp_path, layout(), endings()) == (tmp_path / "libstub.so", "")
    error = import_with(tmp_path, layout(), endings(without="iso_query_destroy"))[1]
    assert "it has no iso_query_destroy(); build both from the same sources" in error


@needs_compiler
@pytest.mark.parametrize("old,new,said", [
    # A structure that grew, a member that moved, an enumerator that was put in before others.
    ("sizeof(iso_world_desc)", "sizeof(iso_world_desc) + 8", "iso_world_desc is {} in the library"),
    ("offsetof(iso_pose, p)", "0", "iso_pose.p is 0 in the library, 72 in the package;"),
    ("(long long)ISO_METHOD_SAP", "7", "ISO_METHOD_SAP is 7 in the library, 1 in the package;"),
    ('"iso_pose"', '"iso_place"', "iso_pose is missing in the library, 96 in the package and 1 more;"),
])
def test_another_layout_is_told(tmp_path, old, new, said):
    size = _native.ffi.sizeof("iso_world_desc")
    source = layout(lambda text: text.replace(old, new, 1))
    assert source != layout()
    path, error = import_with(tmp_path, source)
    assert error.startswith("isobar.errors.UnsupportedError: ")
    assert said.format(size + 8) in error
    assert f"{path} is libisobar 9.8.7, which does not fit the Python package isobar" in error
    assert f"package isobar {_native.version()}" in error


@needs_compiler
def test_libraries_that_say_nothing_are_told(tmp_path):
    path, error = import_with(tmp_path, VERSION)
    assert error.startswith(f"isobar.errors.UnsupportedError: {path} is libisobar 9.8.7")
    assert "it is older and does not say how its structures are laid out" in error
    path, error = import_with(tmp_path, "int other(void) { return 0; }")
    assert error.endswith(f"{path} is no libisobar: it has no iso_version()")


def test_every_member_and_enumerator_is_compared():
    ffi, cdef = _native.ffi, _native.CDEF
    wanted = {(kind, member) for kind in _headers.structures(cdef)
              for member, _ in ffi.typeof(kind).fields}
    assert set(_headers.members(cdef)) == wanted
    known = {name for kind in _headers.enumerations(cdef)
             for name in ffi.typeof(kind).elements.values()}
    assert set(_headers.enumerators(cdef)) == known
    assert _native.lib.iso_layout_count() == len(
        _headers.structures(cdef)) + len(wanted) + len(known)
