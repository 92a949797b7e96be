# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""The site of the documents: what tools/build_docs takes for a part from a network, and settings of
Sphinx that keep docstrings and formulas readable. The whole site takes a minute: make docs."""

import importlib.machinery
import importlib.util
import os
import pathlib
import sys
import unittest

ROOT = pathlib.Path(os.environ.get("ISOBAR_SOURCE_DIR", pathlib.Path(__file__).parents[2]))


def load(name, path):
    loader = importlib.machinery.SourceFileLoader(name, str(path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


def settings():
    try:
        import docutils  # noqa: F401
        import latex2mathml  # noqa: F401
    except ImportError:
        return None
    sys.dont_write_bytecode = True
    return load("conf", ROOT / "docs/site/conf.py")


class Site(unittest.TestCase):
    def test_parts_from_a_network_are_found(self):
        loaded = load("build_docs", ROOT / "tools/build_docs").LOADED
        for part in ('<script async src="https://cdn.x/m.js">', "<img src='//x/a.png'>",
                     '<link href="a.css" rel="stylesheet" href="http://x/a.css">',
                     "@import url(https://fonts.x/css)"):
            self.assertTrue(loaded.search(part), part)
        for part in ('<a href="https://mcap.dev">', '<script src="_static/a.js">',
                     '<link rel="canonical" href="https://x">'):
            self.assertIsNone(loaded.search(part), part)

    def test_every_page_is_in_the_contents(self):
        text = (ROOT / "docs/site/index.md").read_text(encoding="utf-8")
        for page in (ROOT / "docs/tutorials").glob("*.md"):
            self.assertIn(f"../tutorials/{page.stem}\n", text)

    @unittest.skipIf(settings() is None, "no Sphinx: tools/setup --docs")
    def test_docstrings_keep_code_and_plain_text(self):
        lines = ["a*b and `c`:", "", "    x = a_b", "", "end_"]
        settings().escape_docstring(None, "", "", None, None, lines)
        self.assertEqual(lines, [r"a\*b and \`c\`:", "", "::", "", "    x = a_b", "", r"end\_"])


if __name__ == "__main__":
    unittest.main()
