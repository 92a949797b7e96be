# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Where undeformed geometry is not enough: things thinner than the penetration, and equal fields.

Elandt 2022 section 7.2 (a card between two fingers), Masterjohn 2022 section VI (a thin box in a
half space), Elandt 2022 appendix C.2 (identical boxes face to face, and superimposed).
"""

import math

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402

import engine  # noqa: E402
import programs  # noqa: E402
import report  # noqa: E402
import worlds  # noqa: E402

_MODULUS, _SLAB = 1e6, 0.1
_SLOPE = _MODULUS / _SLAB
_SOURCE = "closed form"


def _patch(name, bodies, **simulation):
    path = worlds.write_scenario("sheets", name, bodies=bodies, simulation=simulation)
    return engine.patch(path)["contacts"]


def _slab(**more):
    return {"name": "world", "geometry": [{"name": "slab", "shape": "half_space",
                                           "compliance": "compliant", "modulus": _MODULUS,
                                           "slab_thickness": _SLAB, **more}]}


def _box(name, size, z, x=0.0, **more):
    return {"name": name, "mass": 1.0, "pose": {"translation": [x, 0, z]},
            "geometry": [{"name": "c", "shape": "box", "size": size, **more}]}


def _plate_force(kind, thickness, depth):
    """Force up on a plate whose underside is `depth` below the slab's surface."""
    plate = _box("plate", [0.1, 0.08, thickness], 0.5 * thickness - depth, **kind)
    contacts = _patch(f"plate_{thickness}_{depth:g}", [_slab(), plate])
    return contacts, sum(c["force"][2] * (1 if c["pair"][1] == "plate" else -1) for c in contacts)


def _plate():
    """A plate of 2 mm in a slab: p A until it is below the surface, then t dp/dz A."""
    area, t, rows, name = 0.008, 0.002, [], "001-VI-thin-plate"
    rigid, soft = {"compliance": "rigid"}, {"compliance": "compliant", "modulus": _MODULUS}
    depths = np.array([0.0005, 0.001, 0.0015, 0.00199, 0.00201, 0.003, 0.006, 0.02, 0.05])
    forces = [_plate_force(rigid, t, d)[1] for d in depths]
    for d, force in zip(depths, forces):
        exact = _SLOPE * area * min(d, t)
        if d in (0.001, 0.02):
            rows.append(report.relative(name, f"rigid plate of 2 mm, {1e3 * d:g} mm deep: force [N]",
                                        exact, "weight of what it displaces: dp/dz V", force, 1e-9))
    rows.append(report.Row(name, "rigid plate of 2 mm, 20 mm deep: share of the force of its front",
                           1.0, "a surface that is pressed 20 mm", forces[7] / (_SLOPE * area * 0.02),
                           abs(forces[7] / (_SLOPE * area * 0.02) - 1), None))
    contacts, force = _plate_force(soft, t, 0.02)
    sheet = contacts[0]["sheet"]
    rows += [
        report.absolute(name, "soft plate of 2 mm, 20 mm deep: thickness found [m]", t, "the plate",
                        sheet["thickness"], 1e-12),
        report.absolute(name, "soft plate of 2 mm, 20 mm deep: depth found [m]", 0.02, "the plate",
                        sheet["depth"], 1e-12),
        report.Row(name, "soft plate, 20 mm deep: share of the force of its front", 1.0,
                   "a surface that is pressed 20 mm", force / (_SLOPE * area * 0.02),
                   abs(force / (_SLOPE * area * 0.02) - 1), None),
        report.absolute(name, "soft plate below the depth where the slab reaches its modulus: patches",
                        0, "no surface of equal pressure", len(_plate_force(soft, t, 0.105)[0]), 0),
    ]
    tilted = _box("plate", [0.1, 0.08, t], -0.01, **rigid)
    tilted["pose"]["rotation"] = {"deg": [5, 12, 0]}
    found = _patch("tilted", [_slab(), tilted])[0]["sheet"]["thickness"]
    rows.append(report.absolute(name, "rigid plate turned by 5 and 12 degrees, half below: thickness "
                                "found [m]", t, "the plate", found, 1e-12))
    _plot_plate(depths, forces, area, t)
    return rows


def _plot_plate(depths, forces, area, thickness):
    figure, axes = plt.subplots(figsize=(6, 4))
    axes.plot(1e3 * depths, forces, "o-", label="rigid plate of 2 mm in the field")
    axes.plot(1e3 * depths, _SLOPE * area * depths, "--", label="its front alone")
    axes.axvline(1e3 * thickness, color="gray", lw=0.8)
    axes.set(xlabel="depth [mm]", ylabel="force [N]", xscale="log", yscale="log")
    axes.legend()
    figure.tight_layout()
    figure.savefig(programs.plot("sheet_plate.png"), dpi=120)


def _card():
    """A card of 1 mm, each finger (20 mm, 1e6 Pa) 0.4 to 3 mm into it: forces on the upper finger."""
    rows, t, area, slope = [], 1e-3, 0.0004, 1e6 / 0.01
    name = "000-7.2-card"
    for depth in (0.0004, 0.0007, 0.003):
        finger = {"compliance": "compliant", "modulus": 1e6}
        bodies = [_box("card", [0.08, 0.05, t], 0.0, compliance="rigid"),
                  _box("lower", [0.02] * 3, -0.0105 + depth, **finger),
                  _box("upper", [0.02] * 3, 0.0105 - depth, **finger)]
        contacts = _patch(f"card_{depth:g}", bodies)
        upper, loads = 0.0, 0.0
        for c in contacts:
            sign = {"upper": 1}.get(c["pair"][1], 0) - {"upper": 1}.get(c["pair"][0], 0)
            upper += sign * c["force"][2]
            loads += abs(c["force"][2]) if "card" in c["pair"] else 0.0
        label = f"fingers {1e3 * depth:g} mm into a card of 1 mm"
        # Sides of the finger carry less: the field of a box falls off to its edges.
        alone = _patch(f"one_{depth:g}", bodies[:1] + bodies[2:])
        front = abs(alone[0]["force"][2]) if depth < t else None
        rows.append(report.Row(name, f"{label}: patches", 2, "two, one on each side", len(contacts),
                               abs(len(contacts) - 2), None))
        rows.append(report.Row(name, f"{label}: patches named as extraneous", None, "reported",
                               sum("sheet" in c for c in contacts), 0, None))
        ideal = front or _front_force(depth)
        rows.append(report.Row(name, f"{label}: force on a finger over that of its front", 1.0,
                               "front of the card alone", abs(upper) / ideal,
                               abs(abs(upper) / ideal - 1), None))
    return rows


def _front_force(depth):
    """The finger on a thick block: what its front alone feels."""
    bodies = [_box("block", [0.08, 0.05, 0.05], -0.0245, compliance="rigid"),
              _box("upper", [0.02] * 3, 0.0105 - depth, compliance="compliant", modulus=1e6)]
    return abs(_patch(f"front_{depth:g}", bodies)[0]["force"][2])


def _identical():
    """C.2: two equal boxes face to face. Equal gradients leave holes only where they are exact."""
    size, depth, name = 0.1, 0.002, "000-C.2-identical-boxes"
    soft = {"compliance": "compliant", "modulus": 1e6}

    def force(shift, turn=0.0):
        bodies = [_box("lower", [size] * 3, 0.0, **soft),
                  _box("upper", [size] * 3, size - 2 * depth, x=shift, **soft)]
        bodies[1]["pose"]["rotation"] = {"rad": [0, 0, turn]}
        found = _patch(f"identical_{shift:g}_{turn:g}", bodies)
        sign = 1 if found[0]["pair"][1] == "upper" else -1
        return np.array(found[0]["force"]) * sign, found[0]["area"]

    aligned, area = force(0.0)
    near = [force(shift)[0] for shift in (1e-12, -1e-12, 1e-9, 1e-6)]
    jump = max(abs(f[2] - aligned[2]) for f in near[:2]) / aligned[2]
    turned = np.linalg.norm(force(0.0, 1e-9)[0] - aligned) / aligned[2]
    # The pressure on the middle plane is 1e6 min(depth, distance to the side) / h: a pyramid's.
    h = 0.5 * size
    x = depth / h
    exact = 1e6 * x * size**2 * (1 - x + x * x / 3)
    # Next to the sides both fields rise inward alike: no surface of equal pressure is between them
    # until one box is shifted, when it runs at 45 degrees from the middle plane to the skin of the
    # box that lies further out, on both sides the same way: the boxes push each other sideways.
    sideways = 1e6 / h * size * depth**2 * (1 - x / 3)
    return [
        report.relative(name, "aligned: force [N]", exact, _SOURCE, aligned[2], 1e-12),  # 2e-16
        report.bound(name, "aligned: sideways force over force", "symmetry",
                     float(np.linalg.norm(aligned[:2]) / aligned[2]), 1e-12),  # measured 1e-19
        report.bound(name, "shift by 1e-12 m, either way: change of the normal force, relative",
                     "continuity", float(jump), 1e-10),  # measured 1.0e-11
        report.bound(name, "turn by 1e-9: change of the force, relative", "continuity",
                     float(turned), 1e-7),  # measured 2e-9
        report.relative(name, "shift by 1e-12 m: sideways force, which jumps as the gradients there "
                        "are equal [N]", sideways, _SOURCE, float(near[0][0]), 1e-6),
        report.absolute(name, "shift by -1e-12 m: the same the other way [N]", -sideways, _SOURCE,
                        float(near[1][0]), 1e-6),
        report.Row(name, "aligned: area of the patch over that of the faces", 1.0,
                   "the paper's Fig. C.1 has holes where gradients are equal", area / size**2,
                   abs(area / size**2 - 1), None),
    ]


def _superimposed():
    """Six boxes in one place on the ground, within rounding of each other or a micrometre apart.

    Where all faces coincide every box is pushed alike from all sides: nothing moves but by what
    rounding leaves, so the row of boxes that part starts a little beside that.
    """
    rows, name = [], "000-C.2-six-boxes"
    soft = {"compliance": "compliant", "modulus": 1e5, "dissipation": 1.0}
    ground = {"name": "world", "geometry": [{"name": "g", "shape": "half_space",
                                             "compliance": "rigid"}]}
    for method, apart_by, step, moments in (("rk4", 0.0, 5e-4, (0.2, 1.0)),
                                            ("rk4", 1e-6, 5e-4, (0.02, 0.05, 0.1, 0.2, 1.0)),
                                            ("lagged", 0.0, 2e-3, (0.1, 2.0))):
        bodies = [ground] + [_box(f"box{i}", [0.1] * 3, 0.05 + i * apart_by, **soft)
                             for i in range(6)]
        path = worlds.write_scenario("sheets", f"six_{method}_{apart_by:g}", bodies=bodies,
                                     simulation={"method": method, "time_step": step})
        apart, top = [], 0.0
        for until in moments:
            state = engine.run(path, until=until)["bodies"]
            places = np.array([state[f"box{i}"]["position"] for i in range(6)])
            top = max(top, float(places[:, 2].max()))
            apart.append(sum(np.linalg.norm(places[i] - places[j]) > 0.05
                             for i in range(6) for j in range(i)))
        finite = bool(np.isfinite(places).all())
        when = ", ".join(f"{a} at {t:g} s" for a, t in zip(apart, moments))
        what, parts = f"{method}, {apart_by:g} m apart", apart_by > 0.0
        rows.append(report.Row(name, f"{what}: of 15 pairs, more than half an edge apart: {when}; "
                               "the last", 15 if parts else None,
                               "the paper: they fly up one at a time", apart[-1],
                               15 - apart[-1] if finite else math.inf, 0 if parts else None))
        rows.append(report.Row(name, f"{what}: highest box seen [m]", None, "reported", top, 0.0,
                               None))
    return rows


def rows():
    return _plate() + _card() + _identical() + _superimposed()
