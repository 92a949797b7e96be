# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Limits of geometry: compliant contact tends to rigid contact; one tetrahedron models a layer (Elandt
2022, section 5.0.1); cube of 12 and icosahedron of 20 tetrahedra (Elandt 2019, section VI); bodies
exactly on each other (appendix C.2); a thin box deep inside a half space (Masterjohn 2022, section
VI); and the deformed configuration as geometry (figs. 4.7, 4.8, C.1).
"""

import math

import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.collections import PolyCollection  # noqa: E402

import engine  # noqa: E402
import programs  # noqa: E402
import report  # noqa: E402
import worlds  # noqa: E402

_E = 1e5


def _stiffness(found):
    items = [item for item in found if item["kind"] == "stiffness"]
    ratios = np.log([item["ratio"] for item in items[2:]])
    rows = []
    for key in ("force", "moment"):
        rate = float(np.polyfit(ratios, np.log([item[key] for item in items[2:]]), 1)[0])
        # Measured -1.0003, -1.0002.
        rows.append(report.absolute("000-5.0.2-rigid-limit", f"{key}: rate at which compliant tends to "
                                    "rigid, exponent in the ratio of stiffness", -1.0,
                                    "Elandt 2022, section 4.3.2", rate, 0.01))
    last = items[-1]
    rows.append(report.bound("000-5.0.2-rigid-limit", f"force at a ratio of {last['ratio']:g} against "
                             "the rigid box, relative", "Elandt 2022, section 4.3.2", last["force"],
                             2e-7))  # measured 9.3e-8
    return rows


def _cross_section(planes, height):
    """Area of {n . x <= d for all planes} at z = -height: half planes clip a square."""
    polygon = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
    for n, d in planes:
        inside = d - polygon @ n[:2] + n[2] * height
        following, out = np.roll(polygon, -1, axis=0), []
        for a, b, at_a, at_b in zip(polygon, following, inside, np.roll(inside, -1)):
            if at_a >= 0:
                out.append(a)
            if at_a * at_b < 0:
                out.append(a + at_a / (at_a - at_b) * (b - a))
        polygon = np.array(out)
        if not len(polygon):
            return 0.0
    x, y = polygon.T
    return 0.5 * abs(float(np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y)))


def _icosahedron_planes(inner):
    """Its 20 faces, one of them downward."""
    g = (1 + math.sqrt(5)) / 2
    corners = np.array([[s * a, t * b, 0] for s in (1, -1) for t in (1, -1) for a, b in ((1, g),)])
    corners = np.concatenate([np.roll(corners, k, axis=1) for k in range(3)])
    edge = 2.0
    normals = [np.sum(corners[[i, j, k]], axis=0)
               for i in range(12) for j in range(i) for k in range(j)
               if all(abs(np.linalg.norm(corners[p] - corners[q]) - edge) < 1e-9
                      for p, q in ((i, j), (j, k), (k, i)))]
    normals = np.array([n / np.linalg.norm(n) for n in normals])
    down = np.array([0.0, 0.0, -1.0])
    v, c = np.cross(normals[0], down), normals[0] @ down
    skew = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    turn = np.eye(3) + skew + skew @ skew / (1 + c)
    return [(turn @ n, inner) for n in normals]


def _solids(found):
    """Pressed flat on a face by d: the field is E (1 - gauge), so F = E int t^2 S(c/t) dt, S the area
    of the section at a distance from the middle, c = inner radius - d; quadratic in t."""
    rows = []
    radius, half = 0.05, 0.05
    inner = radius * math.sqrt((5 + 2 * math.sqrt(5)) / 15)
    planes = _icosahedron_planes(inner)
    nodes, weights = np.polynomial.legendre.leggauss(3)
    errors = {"cube": [], "icosahedron": []}
    counts = {}
    for item in (item for item in found if item["kind"] == "solid"):
        depth = item["depth"]
        if item["name"] == "cube":
            x = depth / half
            exact = 4 * _E * half * depth * (1 - x + x * x / 3)
        else:
            c = inner - depth
            low = c / inner
            t = low + (1 - low) * 0.5 * (nodes + 1)
            exact = _E * 0.5 * (1 - low) * float(
                sum(w * s * s * _cross_section(planes, c / s) for w, s in zip(weights, t)))
        errors[item["name"]].append(abs(item["force"] / exact - 1))
        counts[item["name"]] = item["tets"]
        if item["name"] == "icosahedron" and item["depth"] == found_last_depth(found):
            sphere = math.pi * _E * depth**2 * (1 - 2 * depth / (3 * radius))
            rows.append(report.reported("002-VI-solids", "icosahedron on a face against the sphere "
                                        f"through its corners, depth {depth:g} m: force over force",
                                        "closed form of the sphere", item["force"] / sphere))
    for name, worst in errors.items():
        # Measured 9e-16, 3e-14.
        rows.append(report.bound("002-VI-solids", f"{name} of {counts[name]} tetrahedra pressed flat on "
                                 f"a plane, {len(worst)} depths: force, largest relative error",
                                 "closed form", max(worst), 1e-12))
    own = next(item for item in found if item["kind"] == "own_cube")
    rows.append(report.bound("002-VI-solids", f"cube of 12 tetrahedra against Isobar's of "
                             f"{own['tets']}: the same field, force at 50 random poses, relative",
                             "same field", own["difference"], 1e-12))  # measured 6.1e-16
    layer = next(item for item in found if item["kind"] == "layer")
    rows.append(report.bound("000-5.0.1-layer", "layer of a single tetrahedron, 6 m wide, against a "
                             "half space of the same slope: wrench of rigid ball and box at 50 random "
                             "poses, relative", "Elandt 2022, section 5.0.1", layer["difference"],
                             1e-12))  # measured 1.9e-15
    return rows


def found_last_depth(found):
    return max(item["depth"] for item in found if item["kind"] == "solid")


def _superimposed(found):
    items = {(item["height"] > 0, item["offset"]): item for item in found
             if item["kind"] == "superimposed"}
    name, source = "000-C.2-superimposed", "Elandt 2022, C.2"
    exact, off = items[False, 0.0], items[False, 1e-9]
    rows = [
        report.bound(name, "cubes exactly superimposed: faces", source, exact["faces"], 0),
        report.reported(name, "cubes superimposed but for 1e-9 m: area of the surface [m^2]", source,
                        off["area"]),
    ]
    exact, off = items[True, 0.0], items[True, 1e-9]
    rows.append(report.relative(name, "cube exactly on a cube: force against that at an offset of 1e-9 "
                                "m [N]", off["force"], source, exact["force"], 1e-6))
    # Beside each side the fields are equal in a wedge, and the surface runs through it at 45 degrees. Where
    # the cubes are aside it does so too, up at two sides and down at the others; two upright triangles
    # between these, of a pressure that pushes sideways alone, are what the aligned cubes do not have.
    side, depth = 0.1, 0.01
    inner = side - depth
    whole = inner**2 + math.sqrt(2) * (side**2 - inner**2)
    rows += [
        # Measured 4.8e-16, 1.6e-8.
        report.relative(name, "cube exactly on a cube: area [m^2]", whole, "closed form", exact["area"],
                        1e-12),
        report.relative(name, "cube 1e-9 m aside on a cube: area [m^2]", whole + depth**2 / math.sqrt(2),
                        "closed form", off["area"], 1e-7),
    ]
    return rows


def _swallowed(found):
    items = [item for item in found if item["kind"] == "swallowed"]
    gone = next(item["depth"] for item in items[1:] if item["faces"] == 0)
    # Its middle, thickness / 2 below its top, is reached where slope (d - t/2) = E: at 0.015 m.
    exact = 0.005 + 1e4 / 1e6
    return [report.absolute("001-VI-swallowed", "box of 0.01 m (1e4 Pa) in a half space (1e6 Pa/m): depth "
                            "at which the surface is gone, steps of 0.002 m [m]", exact + 0.001,
                            "closed form: between 0.015 and the next step", gone, 0.001 + 1e-12),
            report.bound("001-VI-swallowed", "force below that [N]", "Masterjohn 2022, VI",
                         max(item["force"] for item in items if item["depth"] > exact + 1e-9), 0)]


# ---- deformed configurations --------------------------------------------------------------------


def _read_vtk(path):
    """Points and tetrahedra of a legacy file of ours."""
    lines = path.read_text().splitlines()
    count = int(lines[4].split()[1])
    points = np.array([[float(x) for x in line.split()] for line in lines[5:5 + count]])
    cells = int(lines[5 + count].split()[1])
    tets = np.array([[int(x) for x in line.split()[1:]]
                     for line in lines[6 + count:6 + count + cells]])
    return points, tets


def _slice(points, tets, y):
    """Polygons in which tetrahedra meet a plane of constant y."""
    polygons = []
    for tet in points[tets]:
        at = tet[:, 1] - y
        if at.min() >= 0 or at.max() <= 0:
            continue
        cut = [tet[i] + at[i] / (at[i] - at[j]) * (tet[j] - tet[i])
               for i in range(4) for j in range(i) if at[i] * at[j] < 0]
        cut = np.array(cut)[:, [0, 2]]
        if len(cut) > 2:
            middle = cut.mean(axis=0)
            angle = np.arctan2(*(cut - middle).T)
            polygons.append(cut[np.argsort(angle)])
    return polygons


def _volume(points, tets):
    v = points[tets]
    return float(np.abs(np.linalg.det(v[:, 1:] - v[:, :1])).sum() / 6)


def _body(name, shape, position, *, rpy=(0, 0, 0), modulus=_E, rigid=False, **sizes):
    geometry = {"name": "c", "shape": shape, "compliance": "rigid" if rigid else "compliant", **sizes}
    if not rigid:
        geometry["modulus"] = modulus
    return {"name": name, "mass": 1.0, "geometry": [geometry],
            "pose": {"translation": list(position), "rotation": {"deg": list(rpy)}}}


_SCENES = {
    "fig. 4.7: soft box in a stiffer ball": [
        _body("a", "sphere", (0, 0, 0), modulus=2e5, radius=0.05, resolution_hint=0.0125),
        _body("b", "box", (0.01, 0, 0.075), rpy=(0, 25, 0), size=[0.06, 0.08, 0.06])],
    "fig. 4.8: ellipsoid and rigid box": [
        _body("a", "ellipsoid", (0, 0, 0), semi_axes=[0.07, 0.04, 0.04], resolution_hint=0.01),
        _body("b", "box", (0.02, 0, 0.055), rpy=(0, -10, 0), rigid=True, size=[0.06, 0.06, 0.06])],
    "fig. C.1: equal boxes on each other": [
        _body("a", "box", (0, 0, 0), size=[0.1, 0.1, 0.06]),
        _body("b", "box", (0, 0, 0.045), size=[0.1, 0.1, 0.06])],
    "the same, 1e-6 m aside": [
        _body("a", "box", (0, 0, 0), size=[0.1, 0.1, 0.06]),
        _body("b", "box", (1e-6, 7e-7, 0.045), size=[0.1, 0.1, 0.06])],
}


def _pictures():
    figure, axes = plt.subplots(1, len(_SCENES), figsize=(15, 4), layout="constrained")
    rows = []
    for index, (axis, (title, bodies)) in enumerate(zip(axes, _SCENES.items())):
        path = worlds.write_scenario("geometry_limits", f"deformed_{index}", bodies=bodies)
        folder = engine.scratch("geometry_limits") / f"deformed_{index}"
        for old in folder.glob("*.vtk"):
            old.unlink()
        engine.command("patch", path, "--deformed", folder, "--quiet", packages=False)
        volume = 0.0
        for file, color in zip(sorted(folder.glob("*c.vtk")), ("tab:orange", "tab:green")):
            points, tets = _read_vtk(file)
            volume += _volume(points, tets)
            axis.add_collection(PolyCollection(_slice(points, tets, 1e-4), facecolors=color,
                                               edgecolors=color, alpha=0.8, linewidths=0.2))
        for other in bodies:
            if other["geometry"][0]["compliance"] == "rigid":
                _outline(axis, other)
        axis.set(title=title, aspect="equal", xlim=(-0.09, 0.09), ylim=(-0.06, 0.12))
        rows.append((title, volume))
    figure.savefig(programs.plot("deformed.png"), dpi=120)
    plt.close(figure)
    equal, aside = rows[2][1], rows[3][1]
    # Overlap d, half side h. Beside each of the four sides the fields are equal in a wedge of volume
    # d^2 h / 2 - d^3 / 12, which both boxes keep: the red triangles of the figure.
    d, h = 0.015, 0.05
    union = 4 * h * h * (2 * 0.06 - d)
    return [
        report.relative("000-C.1-deformed", "equal boxes 1e-6 m aside: volume of both deformed bodies "
                        "against that of their union [m^3]", union, "geometry", aside, 1e-5),
        report.relative("000-C.1-deformed", "equal boxes exactly on each other: volume that both keep "
                        "[m^3]", 4 * (d * d * h / 2 - d**3 / 12), "Elandt 2022, fig. C.1; closed form",
                        equal - union, 1e-9),
    ]


def _outline(axis, body):
    size = np.array(body["geometry"][0]["size"]) / 2
    angle = math.radians(body["pose"]["rotation"]["deg"][1])
    corners = np.array([[-size[0], -size[2]], [size[0], -size[2]], [size[0], size[2]],
                        [-size[0], size[2]], [-size[0], -size[2]]])
    turn = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    at = np.array(body["pose"]["translation"])[[0, 2]]
    axis.plot(*(corners @ turn + at).T, color="tab:blue")


def _deformed(found):
    item = next(item for item in found if item["kind"] == "deformed")
    name = "000-A.2-deformed"
    return [
        # Measured 4.3e-15, 1.8e-15, 5.3e-15.
        report.bound(name, "deformed volume and displaced volume against the body's, ball and box at 10 "
                     "random poses, relative", "geometry", item["sum"], 1e-12),
        report.bound(name, "displaced volume against the exact integral, over the overlap", "oracle",
                     item["displaced"], 1e-12),
        report.bound(name, "volume enclosed by what is left of the skin and the contact surface against "
                     "that of the tetrahedra: the surface is complete", "Elandt 2022, A.2",
                     item["surface"], 1e-12),
    ]


def rows():
    found = programs.run("limits")
    return (_stiffness(found) + _solids(found) + _superimposed(found) + _swallowed(found)
            + _deformed(found) + _pictures())
