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
# Task, the end of the rows' ids, and why models differ there; which is right is said by the numbers.
TASKS = (
    ("Ball that rests", "rest", "The depth of a solid ball goes with the power of 1.5 in its force, that of a skin on something hard is linear."),
    ("Box that stands", "flat", "A layer gives way by F h / (E A). A flat face has no point: its pair takes the field."),
    ("Ball that spins", "spin", "3 pi / 16 for an elastic solid, 8 / 15 for a layer. A point has no arm."),
    ("Ball that rolls", "roll", "The closed form is that of a foundation that damps. A point has no resistance."),
    ("E3, a slope", "E3", "5/7 g sin of a rigid ball. Soft layers lose to rolling resistance."),
    ("E4, E5, E8, a cylinder", "E4 E5 E8", "A rigid ball's speed and spin. Layers slow the motion along."),
    ("E6, a double pendulum", "E6", "The floor fixes the sum of the angles; where in the cone of friction it sticks is chance."),
    ("E6b, its lossless blow", "E6b", "What a lossless spring leaves does not depend on how it stiffens."),
    ("E7, a press", "E7", "Each has a law of its own: the exponent of the data tells which model a part has."),
    ("E9, E10, over an edge", "E9 E10", "A rigid ball on a sharp edge. Layers leave it with a centre that has sunk."),
    ("E11, a tippe-top", "E11", "Friction in spin keeps the top slipping, which flips it. A point has none."),
    ("E12, a box in its worksite", "E12", "What presses on the worksite is its weight."),
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


def verdict(rows):
    """What the numbers say of each model: how many of its quantities lie within the bounds of the
    study, and how far the farthest is from what is right."""
    parts = []
    for model in MODELS:
        mine = [row for row in rows if split(row)[0] == model]
        off = [abs(row["ours"] - row["reference"]) / abs(row["reference"]) for row in mine if row["reference"]]
        if mine:
            within = sum(row["pass"] for row in mine)
            far = f", off by up to {max(off):.2%}" if off else ""
            parts.append(f"{model}: {within} of {len(mine)} within bounds{far}")
    return "; ".join(parts) + "." if parts else "No numbers: run its study."


def picture(name):
    path = pathlib.Path(programs.plot(name))
    data = base64.b64encode(path.read_bytes()).decode() if path.is_file() else ""
    return f'<img alt="{html.escape(name)}" src="data:image/png;base64,{data}">' if data else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", nargs="?", default=str(engine.BUILD / "validate" / "models.html"))
    path = pathlib.Path(parser.parse_args().output)
    rows, parts = read_rows(), []
    for title, ends, reason in TASKS:
        mine = [row for row in rows if row["id"].split("-")[-1] in ends.split()]
        parts.append(f"<h2>{html.escape(title)}</h2><p>{html.escape(reason)}</p>"
                     f"<p><strong>{html.escape(verdict(mine))}</strong></p>{table(mine)}")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("<!doctype html><html lang=en><meta charset=utf-8><title>Three contact models</title>"
                    f"<style>{STYLE}</style><h1>One geometry, three contact models</h1>"
                    '<p>Where they differ, and which is right: tasks of Y. Gonthier, Contact Dynamics Modelling (2007). "1 of 2": ours, and the right one.</p>'
                    f"{picture('contact_models.png')}{picture('contact_tasks.png')}{''.join(parts)}</html>\n", encoding="utf-8")
    print(path)


if __name__ == "__main__":
    main()
