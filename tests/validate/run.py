# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Run every validation study and write build/validate/report.html and report.json.

Each module studies/*.py, or folder of modules there, has a function rows() that returns report
rows. Names on the command line choose studies; without any, all run. Exit status 1 when a row fails.
"""

import importlib
import pathlib
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE.parent / "peers"))

import engine  # noqa: E402
import report  # noqa: E402


def main(names):
    found = sorted([path.stem for path in (HERE / "studies").glob("*.py") if path.stem[0] != "_"]
                   + [path.parent.name for path in (HERE / "studies").glob("*/__init__.py")])
    unknown = set(names) - set(found)
    if unknown:
        print(f"unknown studies {sorted(unknown)}; there are {found}", file=sys.stderr)
        return 2
    rows = []
    for name in names or found:
        start = time.perf_counter()
        study = importlib.import_module(f"studies.{name}")
        try:
            mine = study.rows()
        except Exception as problem:  # a study that cannot run is a failed row, not a lost report
            mine = [report.bound(name, f"the study stopped: {problem}", "-", float("inf"), 0.0)]
        for row in mine:
            row.study = name
        rows += mine
        failed = [row for row in mine if not row.passed]
        print(
            f"{name}: {len(mine)} rows, {len(failed)} failed, "
            f"{time.perf_counter() - start:.1f} s",
            flush=True,
        )
        for row in failed:
            print(f"  FAILED {row.id}: {row.quantity}: ours {row.ours:.8g}, "
                  f"error {row.error:.3g} > {row.tolerance}")
    directory = engine.BUILD / "validate"
    made_by = f"{engine.command('version', packages=False).strip()}, {time.strftime('%Y-%m-%d')}."
    failed = report.write(rows, directory, "Isobar validation", made_by)
    print(f"{directory / 'report.html'}: {len(rows)} rows, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
