# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Rows of a validation report, as JSON and as a page."""

import dataclasses
import html
import json
import math
import pathlib


@dataclasses.dataclass
class Row:
    """One claim: our number, the number it is held against, and whether it holds.

    id         paper and figure, or law: "000-fig4.11", "law-sphere-plane"
    quantity   what is compared, with its unit
    reference  the number to reproduce (None: the claim is a bound on `error`)
    source     where the reference comes from
    ours       our number
    error      |ours - reference|, relative where the quantity says so
    tolerance  largest error that passes; None: reported only
    study      the study that the row is of; run.py fills it in
    """

    id: str
    quantity: str
    reference: float | None
    source: str
    ours: float
    error: float
    tolerance: float | None
    study: str = ""

    @property
    def passed(self):
        if self.tolerance is None:
            return math.isfinite(self.ours)
        return bool(math.isfinite(self.error) and self.error <= self.tolerance)

    def as_json(self):
        row = dataclasses.asdict(self)
        for key in ("reference", "ours", "error", "tolerance"):
            row[key] = None if row[key] is None else float(row[key])
        row["pass"] = self.passed
        return row


def relative(id, quantity, reference, source, ours, tolerance):
    """A row whose error is relative to the reference."""
    error = abs(ours - reference) / abs(reference) if reference else abs(ours)
    return Row(id, quantity + ", relative error", reference, source, ours, error, tolerance)


def absolute(id, quantity, reference, source, ours, tolerance):
    return Row(id, quantity, reference, source, ours, abs(ours - reference), tolerance)


def bound(id, quantity, source, ours, tolerance):
    """A row that says: ours must not exceed the tolerance."""
    return Row(id, quantity, None, source, ours, abs(ours), tolerance)


def at_least(id, quantity, source, ours, least):
    """A row whose error is what is missing; what goes the other way misses more."""
    return Row(id, quantity, least, source, ours, max(least - ours, 0.0), 0.0)


def reported(id, quantity, source, ours):
    """A row without a claim: a number to know."""
    return Row(id, quantity, None, source, ours, 0.0, None)


def _number(value):
    return "" if value is None else f"{value:.6g}"


_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; }
th, td { border-bottom: 1px solid #8884; padding: .3rem .6rem; text-align: left; vertical-align: top; }
td.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.pass { color: #1a7f37; } .fail { color: #cf222e; font-weight: 700; }
"""


def write(rows, directory, title, note):
    """Write report.json and report.html into a directory."""
    directory = pathlib.Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "report.json").write_text(
        json.dumps([row.as_json() for row in rows], indent=1) + "\n"
    )
    lines = []
    for row in rows:
        mark = "pass" if row.passed else "fail"
        if row.tolerance is None:
            mark = "reported"
        cells = [html.escape(row.id), html.escape(row.quantity), html.escape(row.source)]
        numbers = [row.reference, row.ours, row.error, row.tolerance]
        lines.append(
            "<tr>"
            + "".join(f"<td>{cell}</td>" for cell in cells)
            + "".join(f'<td class="n">{_number(value)}</td>' for value in numbers)
            + f'<td class="{mark}">{mark}</td></tr>'
        )
    failed = sum(not row.passed for row in rows)
    (directory / "report.html").write_text(
        f"<!doctype html><meta charset=utf-8><title>{html.escape(title)}</title>"
        f"<style>{_STYLE}</style><h1>{html.escape(title)}</h1>"
        f"<p>{html.escape(note)}</p><p>{len(rows)} rows, {failed} failed.</p>"
        "<table><tr><th>id<th>quantity<th>source of the reference<th>reference<th>ours<th>error"
        "<th>tolerance<th>result</tr>" + "\n".join(lines) + "</table>\n"
    )
    return failed
