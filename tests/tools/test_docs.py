# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Links, anchors and file names of the documents lead somewhere; a wrong one is found."""

import importlib.machinery
import importlib.util
import os
import pathlib
import tempfile
import unittest

ROOT = pathlib.Path(os.environ.get("ISOBAR_SOURCE_DIR", pathlib.Path(__file__).parents[2]))


def load():
    loader = importlib.machinery.SourceFileLoader("check_docs", str(ROOT / "tools" / "check_docs"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("check_docs", loader))
    loader.exec_module(module)
    return module


class Documents(unittest.TestCase):
    def test_links_and_files_of_all_pages_are_there(self):
        docs, known = load(), {}
        found = [fault for page in docs.pages() for fault in docs.check_page(page, known)]
        self.assertEqual(found + docs.check_code() + docs.check_folders(), [])

    def test_broken_link_anchor_and_file_are_found(self):
        docs = load()
        with tempfile.TemporaryDirectory(dir=ROOT / "docs") as folder:
            page = pathlib.Path(folder) / "page.md"
            page.write_text("# Here\n[a](none.md) [b](#there) [c](#here) `src/none.c`\n")
            found = docs.check_page(page, {})
        self.assertEqual(len(found), 3, found)

    def test_sentences_of_all_pages_are_short(self):
        docs = load()
        self.assertEqual([fault for page in docs.pages() for fault in docs.check_sentences(page)], [])

    def test_long_sentence_is_found_and_code_tables_and_formulas_are_not(self):
        docs, words = load(), " word" * 30
        with tempfile.TemporaryDirectory(dir=ROOT / "docs") as folder:
            page = pathlib.Path(folder) / "page.md"
            page.write_text(f"# Title{words}\n\n```\n{words}\n```\n\n    {words}\n\n|{words} |\n\n"
                            f"$$ {words} $$\n\nShort `{words}`. Short ${words}$.\n\n* One{words}.\n")
            found = docs.check_sentences(page)
        self.assertEqual([fault.split(":")[1] for fault in found], ["15"], found)


if __name__ == "__main__":
    unittest.main()
