# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Contact patches of random pairs of shapes, by Isobar and by Drake: a case is a seed.

Shapes of all kinds, hulls and surfaces of random points, meshes of the assets; rigid or compliant,
any modulus, resolution, pose; polygons or triangles. Pairs that Drake does not know are not drawn.
"""

import dataclasses
import pathlib

import numpy as np
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

import isobar

# Relative to the largest pressure; Drake keeps the faces of tetrahedra without a field.
_NO_PRESSURE = 1e-10


@dataclasses.dataclass
class Side:
    kind: str
    ours: isobar.Shape
    drake: object
    reach: float  # half the size [m]; 0: half space
    center: np.ndarray
    is_rigid: bool = False
    modulus: float = 1e7
    hint: float = 0.02
    slab: float = 0.05


def _assets(directory):
    names = ("dishes/assets/evo_bowl_coarse3k.vtk", "wsg_50_description/meshes/bubble.vtk",
             "veggies/assets/yellow_bell_pepper_no_stem_low.vtk",
             "dishes/assets/plate_8in_col.obj",
             "iiwa_description/meshes/iiwa14/collision/link_6.obj")
    return [directory / name for name in names] if directory and directory.is_dir() else []


def _hull(random, size, path):
    """A convex surface of random points, as a file."""
    points = random.normal(size=(int(random.integers(5, 40)), 3))
    points *= size * random.uniform(0.3, 1, 3)
    points = points[ConvexHull(points).vertices]
    middle = points.mean(axis=0)
    lines = ["v " + " ".join(f"{x:.17g}" for x in point) for point in points]
    for triangle in ConvexHull(points).simplices:
        a, b, c = points[triangle]
        is_outward = np.cross(b - a, c - a) @ (a - middle) > 0
        lines.append("f " + " ".join(str(i + 1) for i in triangle[:: 1 if is_outward else -1]))
    path.write_text("\n".join(lines) + "\n")
    return points


def _primitive(random, kind, size):
    from pydrake import geometry

    def of(low, high):
        return float(size * random.uniform(low, high))

    if kind == "half_space":
        return isobar.half_space(), geometry.HalfSpace(), 0.0
    if kind == "sphere":
        radius = of(0.3, 1)
        return isobar.sphere(radius), geometry.Sphere(radius), radius
    if kind == "ellipsoid":
        axes = [of(0.3, 1) for _ in range(3)]
        return isobar.ellipsoid(*axes), geometry.Ellipsoid(*axes), max(axes)
    if kind == "box":
        edges = [of(0.3, 2) for _ in range(3)]
        return isobar.box(*edges), geometry.Box(*edges), max(edges) / 2
    radius, length = of(0.2, 1), of(0.2, 3)
    if kind == "cylinder":
        return (isobar.cylinder(radius, length), geometry.Cylinder(radius, length),
                max(radius, length / 2))
    return isobar.capsule(radius, length), geometry.Capsule(radius, length), radius + length / 2


def _side(random, directory, assets, name):
    from pydrake import geometry

    kinds = ["sphere", "ellipsoid", "box", "cylinder", "capsule", "half_space", "surface", "convex"]
    kind = str(random.choice(kinds + ["asset"] * bool(assets)))
    size = 10 ** random.uniform(-2, 0.5) if random.random() < 0.3 else 0.1
    if kind not in ("surface", "convex", "asset"):
        return Side(kind, *_primitive(random, kind, size), np.zeros(3))
    scale = 1.0
    if kind == "asset":
        path = assets[int(random.integers(len(assets)))]
        scale = float(random.uniform(0.5, 2))
        kind = "volume" if path.suffix == ".vtk" else "surface"
        mesh = isobar.TetMesh.load(path) if kind == "volume" else isobar.TriMesh.load(path)
        points = mesh.vertices * scale
    else:
        path = pathlib.Path(directory) / f"{name}.obj"
        points = _hull(random, size, path)
    low, high = points.min(axis=0), points.max(axis=0)
    make, of_drake = ((isobar.convex, geometry.Convex) if kind == "convex"
                      else (isobar.mesh, geometry.Mesh))
    return Side(kind, make(path, scale=(scale,) * 3), of_drake(str(path), scale),
                float(np.linalg.norm(high - low)) / 2, (low + high) / 2)


def _is_known(a, b):
    """Drake has this pair."""
    kinds = {a.kind, b.kind}
    soft_plane = any(side.kind == "half_space" and not side.is_rigid for side in (a, b))
    return not (a.is_rigid and b.is_rigid or a.kind == b.kind == "half_space" or
                kinds == {"surface"} or soft_plane and not (a.is_rigid or b.is_rigid))


def draw(seed, directory, assets=None):
    """(side, pose, side, pose, representation)"""
    random = np.random.default_rng(seed)
    files = _assets(assets)
    while True:
        a, b = (_side(random, directory, files, name) for name in "ab")
        for side in (a, b):
            side.is_rigid = side.kind == "surface" or bool(random.random() < 0.35)
        if _is_known(a, b):
            break
    for side, other in ((a, b), (b, a)):
        reach = side.reach or other.reach
        side.modulus = float(10 ** random.uniform(3, 8))
        side.hint = float(reach * random.uniform(0.12, 1.2))
        side.slab = float(reach * random.uniform(0.1, 1))
    turns = Rotation.random(2, random_state=int(random.integers(1 << 31))).as_matrix()
    away = random.normal(size=3)
    away *= (a.reach + b.reach) * random.uniform(0.1, 0.85) / np.linalg.norm(away)
    p_a = random.uniform(-0.06, 0.06, 3)
    for plane, other, turn, sign in ((a, b, turns[0], 1), (b, a, turns[1], -1)):
        if plane.kind == "half_space":
            away = sign * turn @ (other.reach * random.uniform(-0.9, 0.9, 3))
    p_b = p_a + turns[0] @ a.center + away - turns[1] @ b.center
    kind = str(random.choice(["polygon", "triangle"]))
    return a, isobar.Pose(turns[0], p_a), b, isobar.Pose(turns[1], p_b), kind


def _sums(areas, centroids, normals, pressures, largest):
    """(faces, area, centroid, force on B, its moment about the origin, largest pressure)"""
    kept = pressures > _NO_PRESSURE * largest
    areas, centroids, normals, pressures = (
        x[kept] for x in (areas, centroids, normals, pressures))
    if not len(areas):
        return 0, 0.0, np.zeros(3), np.zeros(3), np.zeros(3), 0.0
    forces = (areas * pressures)[:, None] * normals
    return (len(areas), areas.sum(), areas @ centroids / areas.sum(), forces.sum(axis=0),
            np.cross(centroids, forces).sum(axis=0), largest)


def isobar_sums(a, x_a, b, x_b, kind):
    shapes = []
    for side in (a, b):
        material = isobar.Material(
            compliance="rigid" if side.is_rigid else "compliant", modulus=side.modulus,
            resolution_hint=side.hint, margin=0.0, is_mesh_kept=True)
        if side.kind == "half_space":
            material.slab_thickness = side.slab
        else:
            material.extent_kind = "distance"
        shapes.append(isobar.ContactShape(side.ours, material))
    query = isobar.Query(isobar.ContactOptions(representation=kind, cull="drake"))
    patch = query.patch(shapes[0], x_a, shapes[1], x_b)
    if patch.face_count == 0:
        return _sums(*(np.zeros(shape) for shape in (0, (0, 3), (0, 3), 0)), 0.0)
    return _sums(*(np.array(x) for x in (patch.areas, patch.centroids, patch.normals,
                                         patch.pressures)), patch.max_pressure)


def _properties(side):
    from pydrake import geometry

    properties = geometry.ProximityProperties()
    if side.is_rigid:
        geometry.AddRigidHydroelasticProperties(side.hint, properties)
    elif side.kind == "half_space":
        geometry.AddCompliantHydroelasticPropertiesForHalfSpace(side.slab, side.modulus, properties)
    else:
        geometry.AddCompliantHydroelasticProperties(side.hint, side.modulus, properties)
    return properties


def drake_sums(a, x_a, b, x_b, kind):
    import drake_patch
    from pydrake.math import RigidTransform, RotationMatrix

    def pose(x):
        return RigidTransform(RotationMatrix(x.rotation), x.translation)

    x_ab = pose(x_a).inverse() @ pose(x_b)
    representation = drake_patch.POLYGON if kind == "polygon" else drake_patch.TRIANGLE
    case = drake_patch.Case("", a.drake, _properties(a), b.drake, _properties(b), x_ab,
                            representation)
    query = drake_patch.Query(case)
    surfaces = query.surfaces()
    if not surfaces:
        return _sums(*(np.zeros(shape) for shape in (0, (0, 3), (0, 3), 0)), 0.0)
    (surface,) = surfaces
    faces = range(surface.num_faces())
    mesh = surface.tri_mesh_W() if surface.is_triangle() else surface.poly_mesh_W()
    field = surface.tri_e_MN() if surface.is_triangle() else surface.poly_e_MN()
    at_vertices = np.array([field.EvaluateAtVertex(i) for i in range(surface.num_vertices())])
    centroids = np.array([np.ravel(surface.centroid(i)) for i in faces])
    if surface.is_triangle():
        corners = [[mesh.element(i).vertex(k) for k in range(3)] for i in faces]
        pressures = at_vertices[corners].mean(axis=1)
    else:
        pressures = np.array([field.EvaluateCartesian(i, centroids[i]) for i in faces])
    sign = 1.0 if query.is_b_first(surface) else -1.0  # its normal points out of N into M
    normals = sign * np.array([np.ravel(surface.face_normal(i)) for i in faces])
    to_world = pose(x_a)
    rotation = to_world.rotation().matrix()
    return _sums(np.array([surface.area(i) for i in faces]),
                 centroids @ rotation.T + to_world.translation(), normals @ rotation.T, pressures,
                 at_vertices.max())


def errors(case):
    """{quantity: relative error}, empty where nothing touches; "faces": how many differ."""
    ours, theirs = isobar_sums(*case), drake_sums(*case)
    if ours[0] == theirs[0] == 0:
        return {}
    area, pressure = max(ours[1], theirs[1]), max(ours[5], theirs[5])
    size = max(case[0].reach, case[2].reach) + 0.1
    units = {"area": area, "centroid": size, "force": pressure * area,
             "moment": pressure * area * size, "largest pressure": pressure}
    found = {name: float(np.max(np.abs(ours[i] - theirs[i])) / unit)
             for i, (name, unit) in enumerate(units.items(), start=1)}
    found["faces"] = abs(ours[0] - theirs[0])
    return found
