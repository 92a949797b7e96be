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
    from pydrake.math import RigidTransform
except ImportError:
    print("skipped: pydrake is not installed")
    sys.exit(77)

DUMP = pathlib.Path(os.environ["ISOBAR_BINARY_DIR"]) / "tests" / "test_geometry_tessellation"

# Largest distance between two vertices that are the same [m]; measured 1.9e-15.
TOLERANCE = 1e-12


def drake_mesh(shape, hint, compliant=True):
    graph = mut.SceneGraph()
    source = graph.RegisterSource("isobar")
    properties = mut.ProximityProperties()
    if compliant:
        mut.AddCompliantHydroelasticProperties(hint, 1e5, properties)
    else:
        mut.AddRigidHydroelasticProperties(hint, properties)
    instance = mut.GeometryInstance(RigidTransform(), shape, "g")
    instance.set_proximity_properties(properties)
    geometry = graph.RegisterAnchoredGeometry(source, instance)
    return graph.model_inspector().maybe_get_hydroelastic_mesh(geometry)


def drake_tets(shape, hint):
    mesh = drake_mesh(shape, hint)
    vertices = np.array(mesh.vertices())
    tets = [[mesh.element(i).vertex(k) for k in range(4)] for i in range(mesh.num_elements())]
    return vertices, np.array(tets)


def drake_triangles(shape, hint):
    mesh = drake_mesh(shape, hint, compliant=False)
    return np.array(mesh.vertices()), np.array(
        [[triangle.vertex(k) for k in range(3)] for triangle in mesh.triangles()]
    )


def take_mesh(lines):
    """One mesh of the dump: vertices (with further columns), elements; what follows it."""
    vertex_count, element_count = map(int, lines[0].split())
    end = 1 + vertex_count + element_count
    vertices = np.array([list(map(float, line.split())) for line in lines[1 : 1 + vertex_count]])
    elements = np.array([list(map(int, line.split())) for line in lines[1 + vertex_count : end]])
    return vertices, elements, lines[end:]


def isobar_meshes(kind, sizes, hint):
    """Vertices, extents and tetrahedra, then vertices and triangles of the rigid surface."""
    sizes = [size if isinstance(size, str) else repr(float(size)) for size in sizes]
    command = [str(DUMP), kind, *(sizes + ["1.0", "1.0"])[:3], repr(float(hint))]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    vertices, tets, lines = take_mesh(lines)
    skin_vertices, triangles, lines = take_mesh(lines)
    assert not lines
    return vertices[:, :3], vertices[:, 3], tets, skin_vertices, triangles


def turned(triangle):
    """The same triangle, its smallest index first."""
    start = int(np.argmin(triangle))
    return tuple(int(triangle[(start + k) % 3]) for k in range(3))


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
    def match(self, ours, theirs):
        self.assertEqual(len(ours), len(theirs))
        matched, worst = match_vertices(ours, theirs)
        self.assertLessEqual(worst, TOLERANCE)
        self.assertEqual(len(set(matched)), len(ours))
        return matched, worst

    def compare(self, name, kind, sizes, shape, hint):
        with self.subTest(name):
            vertices, extents, tets, skin_vertices, triangles = isobar_meshes(kind, sizes, hint)
            drake_vertices, drake_elements = drake_tets(shape, hint)
            matched, worst = self.match(vertices, drake_vertices)
            ours = {tuple(sorted(t)) for t in matched[tets]}
            theirs = {tuple(sorted(t)) for t in drake_elements}
            self.assertEqual(len(ours), len(tets))
            self.assertEqual(ours, theirs)
            self.assertTrue(set(np.unique(extents)) <= {0.0, 1.0})

            drake_vertices, drake_elements = drake_triangles(shape, hint)
            matched, _ = self.match(skin_vertices, drake_vertices)
            ours = {turned(t) for t in matched[triangles]}
            theirs = {turned(t) for t in drake_elements}
            self.assertEqual(len(ours), len(triangles))
            self.assertEqual(ours, theirs)
            print(f"{name}: {len(tets)} tetrahedra and {len(triangles)} triangles equal, "
                  f"vertices within {worst:.1e} m")

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
