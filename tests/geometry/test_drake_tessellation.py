# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Compare the tetrahedra of primitives with those of Drake, tetrahedron by tetrahedron.

Skipped where pydrake is absent.
"""

import math
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

try:
    import numpy as np
    import pydrake.geometry as mut
except ImportError:
    print("skipped: pydrake is not installed")
    sys.exit(77)

DUMP = pathlib.Path(os.environ["ISOBAR_BINARY_DIR"]) / "tests" / "test_geometry_tessellation"

# Largest distance between two vertices that are the same [m]; measured 1.9e-15, and 4.5e-13 at the
# centroid of a hull.
TOLERANCE = 1e-12


def drake_mesh(shape, hint, compliant=True):
    graph = mut.SceneGraph()
    source = graph.RegisterSource("isobar")
    properties = mut.ProximityProperties()
    if compliant:
        mut.AddCompliantHydroelasticProperties(hint, 1e5, properties)
    else:
        mut.AddRigidHydroelasticProperties(hint, properties)
    from pydrake.math import RigidTransform

    instance = mut.GeometryInstance(RigidTransform(), shape, "g")
    instance.set_proximity_properties(properties)
    geometry = graph.RegisterAnchoredGeometry(source, instance)
    return graph.model_inspector().maybe_get_hydroelastic_mesh(geometry)


def drake_tets(shape, hint):
    mesh = drake_mesh(shape, hint)
    vertices = np.array(mesh.vertices())
    tets = [[mesh.element(i).vertex(k) for k in range(4)] for i in range(mesh.num_elements())]
    return vertices, np.array(tets)


def isobar_tets(kind, a, b, c, hint):
    command = [str(DUMP), kind, *(x if isinstance(x, str) else repr(float(x)) for x in (a, b, c, hint))]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    vertex_count, tet_count = map(int, lines[0].split())
    rows = [list(map(float, line.split())) for line in lines[1 : 1 + vertex_count]]
    tets = [list(map(int, line.split())) for line in lines[1 + vertex_count :]]
    assert len(tets) == tet_count
    rows = np.array(rows)
    return rows[:, :3], rows[:, 3], np.array(tets)


def match_vertices(ours, theirs):
    """For each of our vertices the index of Drake's at the same place."""
    order = {}
    for index, point in enumerate(theirs):
        order.setdefault(tuple(np.round(point, 9) + 0.0), []).append(index)
    matched, worst = [], 0.0
    for point in ours:
        candidates = [
            index
            for dx in (-1e-9, 0, 1e-9)
            for dy in (-1e-9, 0, 1e-9)
            for dz in (-1e-9, 0, 1e-9)
            for index in order.get(tuple(np.round(point + (dx, dy, dz), 9) + 0.0), ())
        ]
        distances = [float(np.linalg.norm(theirs[i] - point)) for i in candidates] or [math.inf]
        worst = max(worst, min(distances))
        matched.append(candidates[int(np.argmin(distances))] if candidates else -1)
    return np.array(matched), worst


class DrakeTessellation(unittest.TestCase):
    def compare(self, name, kind, sizes, shape, hint):
        with self.subTest(name):
            a, b, c = (*sizes, 1.0, 1.0)[:3]
            vertices, extents, tets = isobar_tets(kind, a, b, c, hint)
            drake_vertices, drake_tetrahedra = drake_tets(shape, hint)
            self.assertEqual(len(vertices), len(drake_vertices))
            self.assertEqual(len(tets), len(drake_tetrahedra))
            matched, worst = match_vertices(vertices, drake_vertices)
            self.assertLessEqual(worst, TOLERANCE)
            self.assertEqual(len(set(matched)), len(vertices))
            ours = {tuple(sorted(t)) for t in matched[tets]}
            theirs = {tuple(sorted(t)) for t in drake_tetrahedra}
            self.assertEqual(len(ours), len(tets))
            self.assertEqual(len(ours - theirs), 0, f"{len(ours - theirs)} of {len(tets)} differ")
            self.assertTrue(set(np.unique(extents)) <= {0.0, 1.0})
            print(f"{name}: {len(tets)} tetrahedra equal, vertices within {worst:.1e} m")

    def test_boxes_are_the_same(self):
        for sizes in [
            (2, 2, 2), (2, 2, 4), (2, 4, 2), (4, 2, 2), (4, 4, 2), (4, 2, 4), (2, 4, 4),
            (2, 4, 6), (2, 6, 4), (4, 2, 6), (6, 2, 4), (4, 6, 2), (6, 4, 2), (0.1, 0.2, 0.02),
        ]:
            self.compare(f"box {sizes}", "box", sizes, mut.Box(*sizes), 1.0)

    def test_spheres_are_the_same(self):
        for radius, hint in [(1, 2), (1, 1.5), (1, 1), (1, 0.5), (0.05, 0.01), (3, 0.4)]:
            self.compare(f"sphere {radius} {hint}", "sphere", (radius,), mut.Sphere(radius), hint)

    def test_ellipsoids_are_the_same(self):
        for axes, hint in [((1, 2, 3), 3), ((3.01, 3.5, 4), 2), ((0.0035, 0.007, 0.0035), 0.001)]:
            self.compare(f"ellipsoid {axes} {hint}", "ellipsoid", axes, mut.Ellipsoid(*axes), hint)

    def test_cylinders_are_the_same(self):
        for radius, length in [(1, 4), (1, 2), (2, 0.5), (0.05, 0.1), (0.015, 0.11), (0.1, 0.01)]:
            for relative_hint in [100, 2, 0.9, 0.3, 0.11]:
                hint = relative_hint * radius
                self.compare(f"cylinder {radius} {length} {hint}", "cylinder", (radius, length),
                             mut.Cylinder(radius, length), hint)

    def test_capsules_are_the_same(self):
        for radius, length in [(1, 2), (0.02, 0.3), (0.5, 0.01)]:
            for relative_hint in [100, 2, 1.3, 0.9, 0.3, 0.11]:
                hint = relative_hint * radius
                self.compare(f"capsule {radius} {length} {hint}", "capsule", (radius, length),
                             mut.Capsule(radius, length), hint)

    def test_convex_hulls_of_triangles_are_the_same(self):
        random = np.random.default_rng(5)
        with tempfile.TemporaryDirectory() as folder:
            for count in [4, 12, 60]:
                points = random.normal(size=(count, 3))
                points /= np.linalg.norm(points, axis=1)[:, None]
                points = points.astype(np.float32).astype(float)  # what .obj readers agree on
                path = os.path.join(folder, f"points_{count}.obj")
                with open(path, "w", encoding="ascii") as file:
                    for p in points:
                        file.write("v {:.17g} {:.17g} {:.17g}\n".format(*p))
                    for i in range(count):  # every vertex is in a face
                        file.write(f"f {i + 1} {(i + 1) % count + 1} {(i + 2) % count + 1}\n")
                self.compare(f"convex of {count}", "convex", (path,), mut.Convex(path, 1.0), 1.0)


if __name__ == "__main__":
    unittest.main()
