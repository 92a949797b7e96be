# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Programs and libraries, built and installed, look for no library in the current folder, and are
compiled and linked so that a fault does not become somebody's program."""

import functools
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["ISOBAR_SOURCE_DIR"])
BUILD = pathlib.Path(os.environ["ISOBAR_BINARY_DIR"])


def run(*command, **options):
    """Output of a command; the test fails with all it printed when the command does."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True,
                          check=False, **options)
    if done.returncode != 0:
        raise AssertionError(f"{command}\n{done.stdout}\n{done.stderr}")
    return done.stdout


def is_elf(path):
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


@functools.lru_cache
def built():
    """Every program and shared library of the build."""
    found = [path for folder in ("bin", "bin/examples", "lib", "tests", "fuzz")
             for path in sorted((BUILD / folder).glob("*"))]
    return [path for path in found if path.is_file() and not path.is_symlink() and is_elf(path)]


@functools.lru_cache
def read(path, *options):
    return run("readelf", "-W", *options, path)


def cache(name):
    found = re.search(rf"^{name}:\w+=(.*)$", (BUILD / "CMakeCache.txt").read_text(), re.M)
    return found[1] if found else ""


def run_path(path):
    """Folders in which a file has the loader look first."""
    return [folder for line in re.findall(r"\((?:RUNPATH|RPATH)\).*\[(.*)\]", read(path, "-d"))
            for folder in line.split(":")]


class Hardening(unittest.TestCase):
    def assert_folders(self, folders, where):
        for folder in folders:
            self.assertRegex(folder, r"^(/|\$ORIGIN(/|$))", f"{where} looks in {folders}")

    def test_what_is_built_looks_for_libraries_in_no_relative_folder(self):
        self.assertTrue({"isobar", "libisobar.so.0.1.0"} <= {path.name for path in built()})
        for path in built():
            self.assert_folders(run_path(path), path)

    def test_folders_of_the_system_are_not_named(self):
        """What the loader finds anyway it need not be told: a folder that is named may be missing elsewhere."""
        known = set(re.findall(r"^\t(\S+) ", subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True).stdout, re.M))
        for path in built():
            for folder in run_path(path):
                if folder.startswith("/") and BUILD not in pathlib.Path(folder).parents:
                    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", read(path, "-d"))
                    self.assertTrue(any((pathlib.Path(folder) / name).exists() and name not in known for name in needed),
                                    f"{path} looks in {folder}")

    def test_what_is_installed_looks_for_libraries_in_no_relative_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            run("cmake", "--install", BUILD, "--prefix", folder)
            installed = [path for path in pathlib.Path(folder).rglob("*")
                         if path.is_file() and is_elf(path)]
            self.assertIn("isobar", {path.name for path in installed})
            for path in installed:
                self.assert_folders(run_path(path), path)

    def test_a_shared_build_looks_for_libraries_beside_its_programs(self):
        for libdir in ("lib", "lib/some-machine"):
            with tempfile.TemporaryDirectory() as folder:
                run("cmake", "-G", "Ninja", "-S", SOURCE, "-B", folder, "-DBUILD_SHARED_LIBS=ON",
                    "-DISOBAR_VIEWER=OFF", f"-DCMAKE_INSTALL_LIBDIR={libdir}")
                rules = (pathlib.Path(folder) / "build.ninja").read_text()
                found = {folders.replace("\\$$", "$").replace("$$", "$")
                         for folders in re.findall(r"-Wl,-rpath,(\S+)", rules)}
                self.assertTrue(any(f"$ORIGIN/../{libdir}" in paths for paths in found), found)
                for paths in found:
                    self.assert_folders(paths.strip('"').split(":"), "build.ninja")

    def test_libraries_of_the_current_folder_do_not_run(self):
        command = BUILD / "bin" / "isobar"
        names = re.findall(r"\(NEEDED\).*\[(.*)\]", read(command, "-d"))
        self.assertIn("libyaml-0.so.2", names)
        environment = {k: v for k, v in os.environ.items() if k != "LD_LIBRARY_PATH"}
        with tempfile.TemporaryDirectory() as folder:
            for name in names:
                (pathlib.Path(folder) / name).write_bytes(b"not a library")
            self.assertIn("isobar", run(command, "--version", cwd=folder, env=environment))

    def test_addresses_are_random_and_tables_of_them_read_only(self):
        for path in built():
            self.assertRegex(read(path, "-h"), r"Type:\s+DYN", path)
            self.assertIn("GNU_RELRO", read(path, "-l"), path)
            self.assertRegex(read(path, "-d"), r"BIND_NOW|Flags:.*\bNOW\b", path)

    @unittest.skipIf(cache("ISOBAR_SANITIZE"), "sanitizers have checks of their own")
    def test_stacks_have_canaries_and_copies_are_checked(self):
        for name in ("bin/isobar", "lib/libisobar.so"):
            path = BUILD / name
            if path.exists():
                symbols = read(path, "--dyn-syms")
                self.assertIn("__stack_chk_fail", symbols, path)
                if cache("CMAKE_BUILD_TYPE") == "Release":
                    self.assertRegex(symbols, r"__(v?snprintf|memcpy|memmove|strcat|fprintf)_chk", path)


if __name__ == "__main__":
    unittest.main()
