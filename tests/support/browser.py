# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""What tests of pages need: Chromium, node and Playwright."""

import os
import pathlib
import shutil

ROOT = pathlib.Path(__file__).resolve().parents[2]

# tools/setup puts a newer Node there where the system's is too old for Playwright.
os.environ["PATH"] = f"{ROOT / 'build/node/bin'}:{os.environ.get('PATH', '')}"


def browser():
    """Path of Chromium; None: there is none."""
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    return os.environ.get("ISOBAR_CHROMIUM") or next(filter(None, map(shutil.which, names)), None)


def what_is_missing(*programs):
    """Names of what a page cannot be tested without, of these programs too."""
    missing = [name for name in ("node", *programs) if not shutil.which(name)]
    if not browser():
        missing.append("chromium")
    if not (ROOT / "viewer/node_modules/playwright-core").exists():
        missing.append("viewer/node_modules (run npm ci in viewer/)")
    return missing
