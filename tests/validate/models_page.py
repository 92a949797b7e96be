#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""One page: where pressure fields, volumes and Hertz points differ on one geometry, and which is right.

models_page.py [OUT.html]

Its numbers are those of build/validate/report.json, of the studies contact_models and contact_tasks:
`tests/validate/run.py contact_models contact_tasks`.
"""

import argparse
import base64
import html
import json
import pathlib

import engine
import programs

MODELS = ("pressure_field", "volumetric", "hertz")
# Task, the end of the rows' ids, and who is right.
TASKS = (
    ("Ball that rests", "rest", "A solid ball is Hertz's: depth to the power of 1.5. A skin on something hard is that of the other two."),
    ("Box that stands", "flat", "Fields and volumes agree with F h / (E A). A flat face has no point: its pair takes the field."),
    ("Ball that spins", "spin", "3 pi / 16 for an elastic solid. A layer has 8 / 15, which the field gives; the volume's gyration is 8 % "
     "above it. A point has none: wrong."),
    ("Ball that rolls", "roll", "Fields and volumes agree with the closed form of a foundation that damps. A point has no resistance: wrong."),
    ("E3, a slope", "E3", "5/7 g sin of a rigid ball. Soft layers lose a little to rolling resistance, as they must."),
    ("E4, E5, E8, a cylinder", "E4 E5 E8", "A rigid ball's speed and spin. Layers slow the motion along."),
    ("E6, a double pendulum", "E6", "The floor fixes the sum of the angles; where in the cone of friction it sticks is chance."),
    ("E6b, its lossless blow", "E6b", "What a lossless spring leaves does not depend on how it stiffens: all agree with the thesis' equations."),
    ("E7, a press", "E7", "Each finds its own law: the exponent of the data tells which model a part has."),
    ("E9, E10, over an edge", "E9 E10", "A rigid ball on a sharp edge. Points are nearest; layers leave with a centre that has sunk. Fixed "
     "steps change little."),
    ("E11, a tippe-top", "E11", "Friction in spin keeps the top slipping, which flips it within the thesis' time: fields and volumes. A point sticks, rolls and never flips: wrong."),
    ("E12, a box in its worksite", "E12", "Fields and volumes carry its weight."),
)
STYLE = ("body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:75rem;padding:0 1rem}img{max-width:100%}"
         "table{border-collapse:collapse;width:100%}th,td{border-bottom:1px solid #8884;padding:.3rem .6rem;text-align:left}"
         "td.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}")


def read_rows():
    rows = json.loads((engine.BUILD / "validate" / "report.json").read_text(encoding="utf-8"))
    return [row for row in rows if row["study"] in ("contact_models", "contact_tasks")]


def split(row):
    """The model that a quantity is of, and the quantity."""
    for model in MODELS:
        for mark in (f"{model}: ", f", {model}"):
            if mark in row["quantity"]:
                return model, row["quantity"].replace(mark, "")
    return None, row["quantity"]


def table(rows):
    lines = {}
    for row in rows:
        model, quantity = split(row)
        if model:
            right = "" if row["reference"] is None else f" of {row['reference']:.5g}"
            cell = f"{row['ours']:.5g}{right}" + ("" if row["pass"] else " (failed)")
            lines.setdefault(quantity, {"source": row["source"]})[model] = cell
    head = "<tr><th>quantity<th>right is" + "".join(f"<th>{model}" for model in MODELS) + "</tr>"
    body = []
    for quantity, line in lines.items():
        ours = "".join(f'<td class="n">{html.escape(line.get(model, ""))}' for model in MODELS)
        body.append(f"<tr><td>{html.escape(quantity)}<td>{html.escape(line['source'])}{ours}</tr>")
    return f"<table>{head}{''.join(body)}</table>" if body else ""


def picture(name):
    path = pathlib.Path(programs.plot(name))
    data = base64.b64encode(path.read_bytes()).decode() if path.is_file() else ""
    return f'<img alt="{html.escape(name)}" src="data:image/png;base64,{data}">' if data else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", nargs="?", default=str(engine.BUILD / "validate" / "models.html"))
    path = pathlib.Path(parser.parse_args().output)
    rows, parts = read_rows(), []
    for title, ends, verdict in TASKS:
        found = table([row for row in rows if row["id"].split("-")[-1] in ends.split()])
        parts.append(f"<h2>{html.escape(title)}</h2><p>{html.escape(verdict)}</p>{found}")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("<!doctype html><html lang=en><meta charset=utf-8><title>Three contact models</title>"
                    f"<style>{STYLE}</style><h1>One geometry, three contact models</h1>"
                    '<p>Where they differ, and which is right: tasks of Y. Gonthier, Contact Dynamics Modelling (2007). "1 of 2": ours, and the right one.</p>'
                    f"{picture('contact_models.png')}{picture('contact_tasks.png')}{''.join(parts)}</html>\n", encoding="utf-8")
    print(path)


if __name__ == "__main__":
    main()
