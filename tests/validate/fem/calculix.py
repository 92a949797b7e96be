# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Writes CalculiX input decks, runs `ccx` and reads its tables."""

import os
import re
import shutil
import subprocess

import numpy as np

PROGRAM = os.environ.get("ISOBAR_CCX", "ccx")


class Missing(RuntimeError):
    """CalculiX is not installed."""


def find():
    path = shutil.which(PROGRAM)
    if path is None:
        raise Missing(f"the program {PROGRAM} (Debian package calculix-ccx) is not installed")
    return path


def version():
    done = subprocess.run([find(), "-v"], capture_output=True, text=True, check=False)
    found = re.search(r"[Vv]ersion\s+([\d.]+)", done.stdout)
    return found.group(1) if found else "of unknown version"


def _numbers(values, per_line):
    values = [str(value) for value in values]
    return "\n".join(", ".join(values[k:k + per_line]) for k in range(0, len(values), per_line))


def mesh_cards(mesh, kind, name="SOLID", node_offset=0, element_offset=0):
    """*NODE and *ELEMENT cards of a mesh; `kind` is CAX8 or CPE8."""
    lines = ["*NODE"]
    for k, (x, y) in enumerate(mesh.nodes):
        lines.append(f"{k + 1 + node_offset}, {x:.12e}, {y:.12e}, 0")
    lines.append(f"*ELEMENT, TYPE={kind}, ELSET={name}")
    for k, nodes in enumerate(mesh.elements):
        lines.append(f"{k + 1 + element_offset}, "
                     + ", ".join(str(n + 1 + node_offset) for n in nodes))
    return "\n".join(lines)


def node_set(name, nodes):
    return f"*NSET, NSET={name}\n" + _numbers([n + 1 for n in nodes], 12)


def run(directory, name, deck):
    """Run a deck; the text of its .dat file."""
    program = find()
    directory.mkdir(parents=True, exist_ok=True)
    (directory / f"{name}.inp").write_text(deck)
    (directory / f"{name}.dat").unlink(missing_ok=True)
    environment = dict(os.environ, OMP_NUM_THREADS="1")
    done = subprocess.run([program, "-i", name], cwd=directory, capture_output=True, text=True,
                          env=environment, check=False)
    (directory / f"{name}.log").write_text(done.stdout + done.stderr)
    data = directory / f"{name}.dat"
    if done.returncode != 0 or "*ERROR" in done.stdout or not data.exists():
        raise RuntimeError(f"ccx failed on {directory / name}.inp: see its .log")
    return data.read_text()


def tables(text):
    """Tables of a .dat file: list of (title, time, array of rows)."""
    found, title, time, rows = [], None, 0.0, []

    def finish():
        if title is not None:
            found.append((title, time, np.array(rows)))

    for line in text.splitlines():
        heading = re.match(r"\s*(.+?) (?:for set (\S+) )?and time\s+(\S+)", line)
        if heading:
            finish()
            title, time, rows = f"{heading[1]} {heading[2] or ''}".strip(), float(heading[3]), []
        elif title is not None and line.strip():
            try:
                # Fortran drops the E of exponents of three digits.
                line = re.sub(r"(\d)([+-]\d{3})\b", r"\1E\2", line)
                rows.append([float(word) for word in line.split()])
            except ValueError:
                continue  # a line of text between the tables
    finish()
    return found


def table(text, start):
    """The last table whose title starts so."""
    return [rows for title, _, rows in tables(text) if title.startswith(start)][-1]
