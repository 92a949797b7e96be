# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""The pages of docs/tutorials do what they say: their blocks are run as a reader would run them.

In a new folder per page, with `scenes` beside it: a block whose first line is `# NAME.EXTENSION` is
that file, `sh` blocks are run by bash, `python` blocks of a page by one interpreter one after the
other. A `text` block says what the block before printed: its lines are found there in this order,
words equal, numbers to 2 %. Blocks behind `<!-- not run -->` are left out.

    python3 tests/tutorials/test_tutorials.py [PAGE...]
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(os.environ.get("ISOBAR_SOURCE_DIR", pathlib.Path(__file__).parents[2]))
PAGES = ROOT / "docs" / "tutorials"
COMMAND = shutil.which("isobar") or str(ROOT / "build" / "release" / "bin" / "isobar")
BLOCK = re.compile(r"(<!-- not run -->\n+)?^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NAMED = re.compile(r"# ([\w-]+\.\w+)$")
NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
TOLERANCE = 0.02
SECONDS = 120  # of one block, on a busy machine
NEEDS = {"prepare_a_pad": "gmsh"}  # programs that a page needs beside Isobar
MODULES = {"train": "gymnasium"}

# Runs the blocks it is told of one after the other, so that they share their names.
INTERPRETER = """
import sys
names = {"__name__": "__main__"}
for line in sys.stdin:
    path = line.strip()
    try:
        exec(compile(open(path).read(), path, "exec"), names)
    except BaseException:
        import traceback
        traceback.print_exc(file=sys.stdout)
        print("\\0failed", flush=True)
        sys.exit(1)
    print("\\0done", flush=True)
"""


def blocks(text):
    """(language, text) of the blocks that are run."""
    return [(kind, body) for skipped, kind, body in BLOCK.findall(text) if not skipped]


def is_like(wanted, line):
    """Is a line the wanted one, but for the last digits of its numbers?"""
    if NUMBER.sub("#", " ".join(wanted.split())) != NUMBER.sub("#", " ".join(line.split())):
        return False
    pairs = zip(NUMBER.findall(wanted), NUMBER.findall(line))
    return all(abs(float(a) - float(b)) <= TOLERANCE * abs(float(a)) + 1e-12 for a, b in pairs)


def missing_line(wanted, printed):
    """The first line of `wanted` that is not in `printed` in this order, or None."""
    rest = iter(printed.splitlines())
    for line in filter(str.strip, wanted.splitlines()):
        if line.strip() != "..." and not any(is_like(line, found) for found in rest):
            return line
    return None


class Reader:
    """Someone who follows a page in a folder of their own."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        (self.folder / "scenes").symlink_to(ROOT / "scenes")
        tools = self.folder / ".bin"
        tools.mkdir()
        (tools / "isobar").symlink_to(pathlib.Path(COMMAND).resolve())
        (tools / "python3").symlink_to(sys.executable)
        paths = [str(ROOT / "python"), os.environ.get("PYTHONPATH", "")]
        self.environment = dict(
            os.environ, PATH=f"{tools}:{os.environ['PATH']}", MPLBACKEND="Agg",
            PYTHONPATH=os.pathsep.join(filter(None, paths)))
        self.python = None
        self.count = 0

    def run_shell(self, body):
        made = subprocess.run(["bash", "-euo", "pipefail", "-c", body], cwd=self.folder, text=True,
                              env=self.environment, stdout=subprocess.PIPE, timeout=SECONDS,
                              stderr=subprocess.STDOUT)
        return made.stdout, made.returncode == 0

    def run_python(self, body):
        if self.python is None:
            self.python = subprocess.Popen(
                [sys.executable, "-c", INTERPRETER], cwd=self.folder, env=self.environment,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.count += 1
        path = self.folder / f"block_{self.count}.py"
        path.write_text(body)
        self.python.stdin.write(f"{path}\n")
        self.python.stdin.flush()
        printed = []
        for line in self.python.stdout:
            if line.startswith("\0"):
                return "".join(printed), line == "\0done\n"
            printed.append(line)
        return "".join(printed), False

    def close(self):
        if self.python is not None:
            self.python.stdin.close()
            self.python.stdout.close()
            self.python.wait(SECONDS)


def follow(page, folder, show=False):
    """Do all that a page says; what is wrong, or None."""
    reader, printed = Reader(folder), None
    try:
        for kind, body in blocks(page.read_text(encoding="utf-8")):
            named = NAMED.match(body.splitlines()[0]) if body else None
            if kind == "text":
                line = missing_line(body, printed or "")
                if line is not None:
                    return f"{page.name}: no line\n{line}\nin\n{printed}"
            elif named and kind != "sh":
                (reader.folder / named[1]).write_text(body)
            elif kind in ("sh", "python"):
                run = reader.run_shell if kind == "sh" else reader.run_python
                printed, is_good = run(body)
                if show:
                    print(f"--- {kind}\n{body}>>>\n{printed}")
                if not is_good:
                    return f"{page.name}: this failed:\n{body}\n{printed}"
    finally:
        reader.close()
    return None


def needs(page):
    """What a page needs and is not there, or None."""
    program, module = NEEDS.get(page.stem), MODULES.get(page.stem)
    if program and not shutil.which(program):
        return f"no {program}"
    if module:
        found = subprocess.run([sys.executable, "-c", f"import {module}"], capture_output=True)
        if found.returncode:
            return f"no {module}"
    return None


class Pages(unittest.TestCase):
    def test_there_are_eight_tutorials_and_a_beginning(self):
        listed = set(re.findall(r"\((\w+)\.md\)", (PAGES / "README.md").read_text()))
        pages = {page.stem for page in PAGES.glob("*.md")} - {"README"}
        self.assertEqual(pages - listed, set(), "pages that README.md does not list")
        self.assertGreaterEqual(len(pages), 9)

    def test_wrong_output_is_found(self):
        self.assertIsNone(missing_line("force 21.0 N\n", "first\nforce 21.1 N\n"))
        for wrong in ("force 22.0 N\n", "force 21.0 Pa\n"):
            self.assertIsNotNone(missing_line(wrong, "first\nforce 21.1 N\n"))
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "page.md"
            page.write_text("```python\nx = 1\n```\n```python\nassert x == 2\n```\n")
            self.assertIn("AssertionError", follow(page, folder))


def add_test(page):
    def test(self):
        missing = needs(page)
        if missing:
            self.skipTest(missing)
        with tempfile.TemporaryDirectory() as folder:
            self.assertIsNone(follow(page, folder))
    setattr(Pages, f"test_{page.stem}", test)


for each in sorted(PAGES.glob("*.md")):
    if each.stem != "README":
        add_test(each)


def main(names):
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            problem = follow(PAGES / f"{name}.md", folder, show=True)
        print(problem or f"{name}: good")


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        main(sys.argv[1:])
    else:
        unittest.main()
