# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Sphinx's settings for the site of the documents: tools/build_docs writes build/docs/site.

Sources are the pages as they stand in the repository, which GitHub shows too. The site needs no
network: formulas become MathML as it is built, and its theme brings its own files."""

import pathlib
import re
import sys

import docutils.nodes
import latex2mathml.converter

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

project = "Isobar"
copyright = "2026 The Isobar authors"
author = "The Isobar authors"
version = re.search(r"VERSION (\d+\.\d+\.\d+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
release = version

extensions = ["myst_parser", "sphinx.ext.autodoc"]
root_doc = "docs/site/index"
include_patterns = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/**"]
exclude_patterns = ["docs/man/**"]
source_suffix = {".md": "markdown"}

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 5
myst_dmath_double_inline = True
# Blocks may hold what their language does not know, as lines with three dots.
suppress_warnings = ["misc.highlighting_failure"]
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
python_use_unqualified_type_names = True

html_theme = "furo"
html_title = f"Isobar {version}"
html_additional_pages = {"index": "start.html"}
templates_path = ["templates"]
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {"navigation_with_keys": True}
pygments_style = "friendly"
html_math_renderer = "mathml"
html_static_path = ["static"]
html_css_files = ["site.css"]


def to_mathml(node, display):
    return latex2mathml.converter.convert(node.astext(), display=display)


def visit_inline(translator, node):
    translator.body.append(to_mathml(node, "inline"))
    raise docutils.nodes.SkipNode


def visit_block(translator, node):
    translator.body.append(f'<div class="math">{to_mathml(node, "block")}</div>\n')
    raise docutils.nodes.SkipNode


def escape_docstring(app, what, name, obj, options, lines):
    """Docstrings are plain text, with code indented by four, not reStructuredText."""
    made, is_code = [], False
    for line in lines:
        is_indented = line.startswith("    ")
        if is_indented and not is_code and made and not made[-1].strip():
            made += ["::", ""]
            is_code = True
        elif line.strip() and not is_indented:
            is_code = False
        made.append(line if is_code else re.sub(r"([\\*`|_])", r"\\\1", line))
    lines[:] = made


def setup(app):
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    app.connect("autodoc-process-docstring", escape_docstring)
