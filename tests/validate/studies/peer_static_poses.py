# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Patches of 20 static poses of asset meshes against Drake: area, face count, force."""

import numpy as np

import engine
import report

_COUNT = 20

# (fixed model, moving model, free body of the moving model, centre and half range of its position)
_PAIRS = [
    (
        ("bowl", "package://drake_models/dishes/evo_bowl.sdf", "bowl"),
        (
            "pepper",
            "package://drake_models/veggies/yellow_bell_pepper_no_stem_low.sdf",
            "yellow_bell_pepper_no_stem",
        ),
        (0.01, 0.02, -0.056),
        (0.01, 0.01, 0.006),
    ),
    (
        ("floor", "package://drake_models/drake_examples/ball_plate/floor.sdf", "Floor"),
        ("plate", "package://drake_models/dishes/plate_8in.sdf", "plate_8in"),
        (0.0, 0.0, -0.004),
        (0.03, 0.03, 0.003),
    ),
    (
        ("table", "package://drake_models/drake_examples/python_nonconvex_mesh/table.sdf", "table"),
        ("bowl", "package://drake_models/dishes/evo_bowl_compliant.urdf", "bowl"),
        (0.0, 0.0, 0.0405),
        (0.02, 0.02, 0.0015),
    ),
    (
        (
            "gripper",
            "package://drake_models/wsg_50_description/sdf/schunk_wsg_50_hydro_bubble.sdf",
            "gripper",
        ),
        (
            "pepper",
            "package://drake_models/veggies/yellow_bell_pepper_no_stem_low.sdf",
            "yellow_bell_pepper_no_stem",
        ),
        (0.0, 0.0, -0.22),
        (0.02, 0.02, 0.02),
    ),
]


def _directives(fixed, moving, position, rpy_deg, welded_link):
    """Both models in one file that both engines read."""
    weld = (
        f"- add_weld: {{parent: world, child: {fixed[0]}::{welded_link}}}\n" if welded_link else ""
    )
    return (
        "directives:\n"
        f"- add_model: {{name: {fixed[0]}, file: {fixed[1]}}}\n{weld}"
        "- add_model:\n"
        f"    name: {moving[0]}\n    file: {moving[1]}\n"
        f"    default_free_body_pose:\n      {moving[2]}:\n"
        f"        translation: [{position[0]:.17g}, {position[1]:.17g}, {position[2]:.17g}]\n"
        f"        rotation: !Rpy {{deg: [{rpy_deg[0]:.17g}, {rpy_deg[1]:.17g}, {rpy_deg[2]:.17g}]}}\n"
    )


def _poses():
    random = np.random.default_rng(7)
    directory = engine.scratch("static_poses")
    for index in range(_COUNT):
        fixed, moving, center, spread = _PAIRS[index % len(_PAIRS)]
        position = np.array(center) + np.array(spread) * random.uniform(-1, 1, 3)
        tilt = 180.0 if fixed[0] == "gripper" else 10.0
        rpy = tilt * random.uniform(-1, 1, 3)
        path = directory / f"pose{index:02d}.dmd.yaml"
        path.write_text(_directives(fixed, moving, position, rpy, fixed[2]))
        yield index, path


# Largest measured error 2.4e-13.
_TOLERANCE = 1e-9


def _compare(index, path, drake):
    settings = {
        "simulation.representation": "polygon",
        "simulation.cull": "drake",
        "default_material.keep_mesh": "true",
        "default_material.margin": "0",
    }
    ours = {}
    for contact in engine.patch(path, settings)["contacts"]:
        ours.setdefault(tuple(contact["pair"]), []).append(contact)
    rows = []
    name = f"peer-static-{index:02d}"
    if set(ours) != set(drake):
        return [report.bound(name, f"pairs {sorted(ours)} against {sorted(drake)}", "Drake", 1, 0)]
    for pair, theirs in drake.items():
        label = f"{pair[0]} x {pair[1]}"
        area = sum(t["area"] for t in theirs)
        faces = sum(t["faces"] for t in theirs)
        force = sum(t["force"] for t in theirs)
        mine = ours[pair]
        my_force = sum(np.array(c["force"]) for c in mine)
        rows += [
            report.relative(name, f"{label}: area [m2]", area, "Drake, same file",
                            sum(c["area"] for c in mine), _TOLERANCE),
            report.absolute(name, f"{label}: faces", faces, "Drake, same file",
                            sum(c["faces"] for c in mine), 0),
            report.Row(name, f"{label}: force [N], relative error of the vector",
                       float(np.linalg.norm(force)), "Drake, same file",
                       float(np.linalg.norm(my_force)),
                       float(np.linalg.norm(my_force - force) / max(np.linalg.norm(force), 1e-12)),
                       _TOLERANCE),
        ]
    return rows


def rows():
    import drake_static

    found = []
    for index, path in _poses():
        drake = drake_static.surfaces(path, {"drake_models": engine.ASSETS})
        found += _compare(index, path, drake)
    return found
