# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Every message that docs/errors.md shows is one that the sources can say."""

import os
import pathlib
import re
import unittest

ROOT = pathlib.Path(os.environ.get("ISOBAR_SOURCE_DIR", pathlib.Path(__file__).parents[2]))
FOLDERS = {
    "surface and contact": ["src/surface", "src/friction", "src/contact"],
    "multibody and solver": ["src/multibody", "src/solver", "src/world"],
    "integrator and stepper": ["src/integrator", "src/stepper"],
    "scene: all formats": ["src/scene"],
    "scene: scenarios": ["src/scene"],
    "scene: SDFormat, URDF, MJCF": ["src/scene"],
    "The command": ["cli"],
}
LEAST_LETTERS = 3  # of a piece that is looked for


def literals(folders):
    """All string literals of C files, neighbours joined, macros between them left out."""
    found = []
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*.[ch]")):
            text = path.read_text(encoding="utf-8")
            text = re.sub(r'"\s*(?:PRI\w+\s*)?"', "", text)
            for literal in re.findall(r'"((?:[^"\\\n]|\\.)*)"', text):
                found.append(literal.replace('\\"', '"').replace("\\n", ""))
    return found


def rows(text):
    """(section, message) of the catalogue."""
    section = None
    for line in text[text.index("## Catalogue"):].splitlines():
        if line.startswith("### "):
            section = line[4:]
        cells = [cell.strip() for cell in line.split("|")]
        if section and len(cells) == 6 and not set(cells[1]) <= set("-: ") and "`" in cells[2]:
            for message in re.findall(r"`([^`]+)`", cells[2]):
                yield section, message


class Catalogue(unittest.TestCase):
    def test_messages_are_in_the_sources(self):
        page = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
        known, count = {}, 0
        for section, message in rows(page):
            folders = FOLDERS.get(section, [f"src/{section}"])
            if section not in known:
                known[section] = literals(folders)
                self.assertGreater(len(known[section]), 10, section)
            pieces = [p.strip() for p in message.split("\u2026")]
            pieces = [p for p in pieces if len(re.sub(r"[^A-Za-z]", "", p)) >= LEAST_LETTERS]
            self.assertTrue(pieces or "is \u2026" in message, f"{section}: '{message}' says nothing")
            is_said = any(all(piece in literal for piece in pieces) for literal in known[section])
            with self.subTest(section=section, message=message):
                self.assertTrue(is_said, "no such message in " + ", ".join(folders))
            count += 1
        self.assertGreater(count, 150)


if __name__ == "__main__":
    unittest.main()
