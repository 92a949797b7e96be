# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""The package and the public headers say the same."""

import inspect
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

import isobar
from isobar import _headers, _native, _struct, errors

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = pathlib.Path(isobar.__file__).parent

# Public functions that Python has no use for, each with its reason.
NOT_WRAPPED = {
    "iso_name_find": "names(family).index(name)",
    "iso_world_find_inboard_joint": "World.coordinates() takes bodies",
    "iso_mesh_file_kind_of": "TriMesh.load() and TetMesh.load() say which files they take",
    "iso_mesh_file_extensions": "TriMesh.load() and TetMesh.load() say which files they take",
    "iso_taxels_is_set": "sensors that read nothing more have no readings()",
    "iso_sensors_values": "Sensors copies values with iso_sensors_read",
    "iso_world_batch_world": "a WorldBatch knows its worlds",
    "iso_route_measure": "lengths of routes are those of World.fixed_tendons",
    "iso_volume_method_name": "VolumeMetrics.method is the name",
    "iso_volume_normal_status_name": "VolumeNormal.status is the name",
    "iso_bristle_check": "worlds check the bristles of their materials",
    "iso_condition_key": "Condition.kind is a name",
    "iso_condition_unit": "messages and `isobar inspect` tell units",
    "iso_impact_damping_name": "damping_share() takes the names",
    "iso_identify": "identify() has tables",
    "iso_identify_column": "identify() names the columns",
    "iso_identify_kind_name": "Identified.kind is the name",
    "iso_identify_measured": "write_svg() has what is fitted",
    "iso_is_same_file": "os.path.samefile()",
    "iso_sweep_check_axis": "Sweep checks what it is made of",
    "iso_sweep_check_measure": "Sweep checks what it is made of",
    "iso_sweep_quantity_count": "isobar sweep --help lists the quantities",
    "iso_sweep_quantity_name": "isobar sweep --help lists the quantities",
    "iso_sweep_quantity_subject": "isobar sweep --help lists the quantities",
    "iso_sweep_measure_unit": "docs/sweeps.md has them",
    "iso_table_check": "the command writes the tables",
    "iso_lab_text_write": "the laboratory is the command's: isobar lab",
    "iso_lab_arrays_write": "the laboratory is the command's: isobar lab",
    "iso_lab_arrays_check": "the laboratory is the command's: isobar lab",
    "iso_lab_contact_desc_default": "the laboratory is the command's: isobar lab",
    "iso_lab_contact_free": "the laboratory is the command's: isobar lab",
    "iso_lab_contact_solve": "the laboratory is the command's: isobar lab",
    "iso_lab_points_free": "the laboratory is the command's: isobar lab",
    "iso_lab_poisson_disc": "the laboratory is the command's: isobar lab",
    "iso_lab_slide_create": "the laboratory is the command's: isobar lab",
    "iso_lab_slide_desc_default": "the laboratory is the command's: isobar lab",
    "iso_lab_slide_destroy": "the laboratory is the command's: isobar lab",
    "iso_lab_slide_info_of": "the laboratory is the command's: isobar lab",
    "iso_lab_slide_restore": "the laboratory is the command's: isobar lab",
    "iso_lab_slide_save": "the laboratory is the command's: isobar lab",
    "iso_lab_slide_step": "the laboratory is the command's: isobar lab",
    "iso_lab_slide_steps": "the laboratory is the command's: isobar lab",
    "iso_lab_slide_view_of": "the laboratory is the command's: isobar lab",
    "iso_lab_surface_desc_default": "the laboratory is the command's: isobar lab",
    "iso_lab_surface_free": "the laboratory is the command's: isobar lab",
    "iso_lab_surface_make": "the laboratory is the command's: isobar lab",
    "iso_lab_surface_measure": "the laboratory is the command's: isobar lab",
    "iso_lab_surface_write": "the laboratory is the command's: isobar lab",
    "iso_lab_surface_read": "the laboratory is the command's: isobar lab",
    "iso_trib_adhesion": "the laboratory is the command's: isobar lab",
    "iso_trib_archard_growing": "the laboratory is the command's: isobar lab",
    "iso_trib_archard_multiplying": "the laboratory is the command's: isobar lab",
    "iso_trib_atomic_friction": "the laboratory is the command's: isobar lab",
    "iso_trib_bowden_tabor": "the laboratory is the command's: isobar lab",
    "iso_trib_contact_modulus": "the laboratory is the command's: isobar lab",
    "iso_trib_hertz_of": "the laboratory is the command's: isobar lab",
    "iso_trib_hertz_pressure": "the laboratory is the command's: isobar lab",
    "iso_trib_radius": "the laboratory is the command's: isobar lab",
    "iso_trib_rough_friction": "the laboratory is the command's: isobar lab",
    "iso_trib_summit_friction": "the laboratory is the command's: isobar lab",
    "iso_trib_work_of_adhesion": "the laboratory is the command's: isobar lab",
    "iso_fclib_allocate": "the laboratory is the command's: isobar lab",
    "iso_fclib_free": "the laboratory is the command's: isobar lab",
    "iso_fclib_of_scene": "the laboratory is the command's: isobar lab",
    "iso_fclib_read": "the laboratory is the command's: isobar lab",
    "iso_fclib_solve": "the laboratory is the command's: isobar lab",
    "iso_fclib_write": "the laboratory is the command's: isobar lab",
    "iso_rigid_law_name": "the laboratory is the command's: isobar lab",
    "iso_rigid_run": "the laboratory is the command's: isobar lab",
    "iso_rigid_setup_of": "the laboratory is the command's: isobar lab",
    "iso_rigid_value": "the laboratory is the command's: isobar lab",
    "iso_learned_desc_default": "the laboratory is the command's: isobar lab",
    "iso_learned_destroy": "the laboratory is the command's: isobar lab",
    "iso_learned_evaluate": "the laboratory is the command's: isobar lab",
    "iso_learned_find": "the laboratory is the command's: isobar lab",
    "iso_learned_material_at": "the laboratory is the command's: isobar lab",
    "iso_learned_material_count": "the laboratory is the command's: isobar lab",
    "iso_learned_predict": "the laboratory is the command's: isobar lab",
    "iso_learned_read": "the laboratory is the command's: isobar lab",
    "iso_learned_rows_free": "the laboratory is the command's: isobar lab",
    "iso_learned_rows_read": "the laboratory is the command's: isobar lab",
    "iso_learned_table": "the laboratory is the command's: isobar lab",
    "iso_learned_train": "the laboratory is the command's: isobar lab",
    "iso_learned_write": "the laboratory is the command's: isobar lab",
    "iso_world_differentiate_step": "World.linearize() calls it of a clone",
    "iso_world_solve_closely": "World.linearize() calls it of a clone",
    "iso_world_vary": "World.linearize() calls it of a clone",
}


def cdef():
    return _headers.declarations(SOURCE / "include")[0]


def test_every_public_function_is_wrapped_or_listed():
    used = set()
    for path in PACKAGE.glob("*.py"):
        if path.name not in ("_headers.py", "_declarations.py"):
            text = path.read_text(encoding="utf-8")
            used.update(re.findall(r"\blib\.(iso_\w+)", text))
            used.update(re.findall(r'_default = "(iso_\w+)"', text))
    used.update(kind._ctype + "_destroy" for kind in (isobar.TriMesh, isobar.TetMesh))
    public = set(_headers.functions(cdef()))
    assert len(public) > 150  # 182 when written: the headers were understood
    assert sorted(public - used - set(NOT_WRAPPED)) == []
    assert sorted(set(NOT_WRAPPED) & used) == []
    assert sorted(used - public) == []


def test_every_public_function_is_in_the_library():
    for name in _headers.functions(cdef()):
        assert getattr(_native.lib, name), name


def test_every_public_header_is_read():
    included = (SOURCE / "include" / "isobar").glob("*.h")
    text = cdef()
    for path in included:
        for kind in re.findall(r"^\} (iso_\w+);", path.read_text(encoding="utf-8"), re.M):
            assert re.search(rf"\b{kind}\b", text), f"{path.name}: {kind}"


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_layout_of_structures_agrees_with_c(tmp_path):
    source = _headers.check_source(cdef())
    assert source.count("_Static_assert") > 400
    (tmp_path / "check.c").write_text(source)
    command = ["cc", "-std=c17", "-c", "-I", str(SOURCE / "include"), "check.c"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    broken = source.replace("sizeof(iso_pose) == 96", "sizeof(iso_pose) == 97")
    (tmp_path / "check.c").write_text(broken)
    assert broken != source
    assert subprocess.run(command, cwd=tmp_path, capture_output=True, check=False).returncode != 0


@pytest.mark.parametrize("kind", sorted(_struct._REGISTRY.values(), key=lambda k: k.__name__))
def test_members_are_those_of_the_structure(kind):
    said = set(kind.__annotations__) | set(kind._own)
    assert said == set(kind.member_names())


def test_every_status_has_its_exception():
    statuses = set(_native.ffi.typeof("iso_status").elements.values())
    assert statuses - {"ISO_OK", "ISO_STATUS_COUNT"} == set(errors.BY_STATUS_NAME)


def test_enumerators_have_short_names():
    assert set(_struct.enum_names("iso_method").values()) == {"lagged", "sap", "rk4", "rk23",
                                                               "rk45", "similar", "tamsi", "midpoint",
                                                               "radau", "cvode"}
    for family in _struct.enum_names("iso_name_family").values():
        assert isobar.names(family) == list(_struct.enum_names("iso_" + family).values())
    with pytest.raises(ValueError, match="'jelly' is not a shape kind; expected one of sphere"):
        isobar.Shape("jelly")


def test_version_is_that_of_the_project():
    text = (SOURCE / "CMakeLists.txt").read_text()
    assert isobar.__version__ == re.search(r"project\(isobar VERSION ([\d.]+)", text)[1]
    assert isobar.simd_backend() in ("avx512", "avx2", "neon", "scalar")


def test_everything_public_is_documented():
    for name in isobar.__all__:
        thing = getattr(isobar, name)
        if inspect.isclass(thing) or inspect.isfunction(thing):
            assert inspect.getdoc(thing), name


def test_package_is_cleanly_typed():
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy", "--config-file", str(SOURCE / "pyproject.toml"),
               "--cache-dir", os.devnull, str(SOURCE / "python" / "isobar")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=SOURCE)
    assert done.returncode == 0, done.stdout + done.stderr
