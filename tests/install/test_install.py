# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""An installed Isobar can be used from C and C++ through pkg-config and CMake's find_package."""

import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["ISOBAR_SOURCE_DIR"])
BUILD = pathlib.Path(os.environ["ISOBAR_BINARY_DIR"])
EMULATOR = next(filter(None, map(shutil.which, ("qemu-x86_64", "qemu-x86_64-static"))), None)
CLIENT = SOURCE / "tests" / "install" / "client"
sys.path.insert(0, str(SOURCE / "python" / "isobar"))
from _headers import declarations, functions  # noqa: E402 - of the source tree


def run(*command, **options):
    """Output of a command; the test fails with all it printed when the command does."""
    command = [str(part) for part in command]
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        raise AssertionError(f"{shlex.join(command)}\n{done.stdout}\n{done.stderr}")
    return done.stdout


def block(page, language):
    """The first block of this language in a page of the source tree."""
    text = (SOURCE / page).read_text(encoding="utf-8")
    return re.search(rf"```{language}\n(.*?)```", text, re.DOTALL)[1]


def project_version():
    text = (SOURCE / "CMakeLists.txt").read_text()
    return re.search(r"project\(isobar VERSION ([\d.]+)", text)[1]


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="isobar-install-"))
        # Installed in one place and moved to another: nothing may remember the first.
        run("cmake", "--install", BUILD, "--prefix", cls.folder / "first")
        cls.prefix = cls.folder / "moved"
        (cls.folder / "first").rename(cls.prefix)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def assert_client_runs(self, program):
        libraries = {"LD_LIBRARY_PATH": str(self.prefix / "lib")}
        said = run(program, env={**os.environ, **libraries})
        self.assertRegex(said, rf"^isobar {re.escape(project_version())} (avx512|avx2|neon|scalar)\n$")

    @unittest.skipIf(EMULATOR is None, "no qemu-x86_64 (Debian's qemu-user)")
    def test_a_processor_without_the_instructions_is_told(self):
        """Whatever it lacks, and whatever is asked for: no command dies of an instruction."""
        command = self.prefix / "bin" / "isobar"
        for processor in ("Nehalem", "SandyBridge", "IvyBridge"):
            for words in (["--version"], ["run", SOURCE / "scenes" / "ball.yaml"], ["inspect"], []):
                done = subprocess.run([EMULATOR, "-cpu", processor, command, *words], capture_output=True,
                                      text=True, check=False, env={**os.environ, "LD_LIBRARY_PATH": str(self.prefix / "lib")})
                self.assertEqual(done.returncode, 3, (processor, words, done.stderr))
                self.assertIn("isobar: error: this processor lacks instructions", done.stderr)

    def test_every_public_header_is_installed(self):
        installed = {p.name for p in (self.prefix / "include" / "isobar").iterdir()}
        public = {p.name for p in (SOURCE / "include" / "isobar").iterdir()}
        self.assertEqual(installed, public)

    def test_pages_that_the_manual_names_are_installed(self):
        manual = (self.prefix / "share" / "man" / "man1" / "isobar.1").read_text(encoding="utf-8")
        pages = {*re.findall(r"docs/[\w/]+\.md", manual), "docs/scenario.schema.json", "docs/references.bib"}
        self.assertGreater(len(pages), 4)
        for page in pages:
            self.assertTrue((self.prefix / "share" / "doc" / "isobar" / page).is_file(), page)

    def test_client_builds_through_pkg_config(self):
        env = {**os.environ, "PKG_CONFIG_PATH": str(self.prefix / "lib" / "pkgconfig")}
        self.assertEqual(run("pkg-config", "--modversion", "isobar", env=env).strip(),
                         project_version())
        flags = shlex.split(run("pkg-config", "--cflags", "--libs", "isobar", env=env))
        program = self.folder / "client-pkg-config"
        run("cc", "-std=c17", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
            CLIENT / "client.c", "-o", program, *flags)
        self.assert_client_runs(program)

    def test_client_builds_through_find_package(self):
        build = self.folder / "client-cmake"
        run("cmake", "-S", CLIENT, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}")
        run("cmake", "--build", build)
        self.assert_client_runs(build / "client")
        self.assert_client_runs(build / "client_cpp")

    def cpp(self, name, text=None):
        """Compile and link a program in C++ without any warning; its own text or the client's."""
        source = CLIENT / "client.cpp"
        if text is not None:
            source = self.folder / f"{name}.cpp"
            source.write_text(text, encoding="utf-8")
        flags = shlex.split(run("pkg-config", "--cflags", "--libs", "isobar", env={
            **os.environ, "PKG_CONFIG_PATH": str(self.prefix / "lib" / "pkgconfig")}))
        program = self.folder / name
        run("c++", "-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror", source,
            "-o", program, *flags)
        return program

    def test_client_in_cpp_builds_through_pkg_config(self):
        self.assert_client_runs(self.cpp("client-cpp"))

    def test_every_function_links_from_cpp(self):
        cdef, _ = declarations(self.prefix / "include")
        names = functions(cdef)
        self.assertGreater(len(names), 250)
        headers = sorted(path.name for path in (self.prefix / "include" / "isobar").iterdir())
        includes = "".join(f"#include <isobar/{name}>\n" for name in headers)
        table = "".join(f"    reinterpret_cast<function>({name}),\n" for name in names)
        program = self.cpp("every-function", f"""{includes}using function = void (*)();
const function functions[] = {{\n{table}}};
int main() {{
    int count = 0;
    for (function f : functions) {{
        count += f != nullptr;
    }}
    return count == {len(names)} ? 0 : 1;
}}
""")
        run(program, env={**os.environ, "LD_LIBRARY_PATH": str(self.prefix / "lib")})

    def test_every_header_compiles_alone_in_cpp(self):
        for header in sorted((self.prefix / "include" / "isobar").iterdir()):
            self.cpp(f"alone-{header.stem}", f"#include <isobar/{header.name}>\nint main() {{}}\n")

    def assert_program_of_the_readme_runs(self, pkg_config, name):
        folder = self.folder / name
        folder.mkdir()
        (folder / "program.c").write_text(block("README.md", "c"), encoding="utf-8")
        scene = block("docs/tutorials/get_started.md", "yaml").replace("[0, 0, 0.1]", "[0, 0, 0.045]")  # it touches
        (folder / "scene.yaml").write_text(scene, encoding="utf-8")
        flags = shlex.split(run("pkg-config", "--cflags", "--libs", "isobar",
                                env={**os.environ, "PKG_CONFIG_PATH": str(pkg_config)}))
        run("cc", "-std=c17", "-Wall", "-Wextra", "-Werror", "program.c", "-o", "program", *flags,
            cwd=folder)
        libraries = {"LD_LIBRARY_PATH": str(pkg_config.parent)}
        said = run(folder / "program", cwd=folder, env={**os.environ, **libraries})
        self.assertRegex(said, r"^[\d.]+ N\n$")

    def test_the_program_of_the_readme_builds_and_runs(self):
        self.assert_program_of_the_readme_runs(self.prefix / "lib" / "pkgconfig", "readme")

    def test_the_program_of_the_readme_needs_no_more_of_a_shared_library(self):
        run("cmake", "-S", SOURCE, "-B", self.folder / "shared", "-DBUILD_SHARED_LIBS=ON",
            "-DISOBAR_VIEWER=OFF")
        prefix = self.folder / "moved-shared"
        (prefix / "lib" / "pkgconfig").mkdir(parents=True)
        for library in (BUILD / "lib").glob("libisobar.so*"):
            shutil.copy(library, prefix / "lib", follow_symlinks=False)
        shutil.copy(self.folder / "shared" / "isobar.pc", prefix / "lib" / "pkgconfig")
        (prefix / "include").symlink_to(self.prefix / "include")
        self.assert_program_of_the_readme_runs(prefix / "lib" / "pkgconfig", "readme-shared")

    def test_installed_command_runs(self):
        said = run(self.prefix / "bin" / "isobar", "--version")
        self.assertIn(project_version(), said)


if __name__ == "__main__":
    unittest.main()
