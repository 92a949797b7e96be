# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Run a Python test file as a script, and fail if it would test nothing.

A test file ends with `if __name__ == "__main__": unittest.main()` (or its own main); without that
it would pass whatever it contains.
"""

import os
import pathlib
import runpy
import sys


def main():
    path = pathlib.Path(sys.argv[1])
    if '__name__ == "__main__"' not in path.read_text(encoding="utf-8"):
        sys.exit(f'{path}: no `if __name__ == "__main__":` line, so no test would run')
    sys.argv = [str(path)] + sys.argv[2:]
    sys.path.insert(0, os.fspath(path.parent))
    runpy.run_path(os.fspath(path), run_name="__main__")


if __name__ == "__main__":
    main()
