# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Compare interference volumes of drawn meshes with the solids that manifold3d makes of them.

Skipped where manifold3d is absent.
"""

import sys
import unittest

try:
    import manifold3d
    import numpy as np
except ImportError:
    print("skipped: manifold3d is not installed")
    sys.exit(77)

import isobar

# Of volumes and moments about 1; measured 1.7e-15.
TOLERANCE = 1e-14


def draw(rng):
    """A ball with a bite, a torus or a star, pressed out and turned: not convex, hundreds of faces."""
    kind = rng.integers(3)
    if kind == 0:
        ball = manifold3d.Manifold.sphere(0.7, int(rng.integers(8, 40)))
        bite = manifold3d.Manifold.cube([0.8, 0.8, 0.8]).translate(list(rng.uniform(-0.4, 0.1, 3)))
        return ball - bite
    angle = np.linspace(0, 2 * np.pi, int(rng.integers(5, 30)), endpoint=False)
    if kind == 1:
        ring = np.column_stack([0.6 + 0.2 * np.cos(angle), 0.2 * np.sin(angle)])
        return manifold3d.CrossSection([ring]).revolve(int(rng.integers(6, 40)))
    radius = rng.uniform(0.3, 1.0, len(angle))
    star = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    return manifold3d.CrossSection([star]).extrude(0.8, 4, float(rng.uniform(-60, 60)))


def arrays(solid):
    mesh = solid.to_mesh64()
    return np.asarray(mesh.vert_properties, dtype=float)[:, :3], np.asarray(mesh.tri_verts)


def moments(vertices, triangles):
    """Volume, first and second moments by tetrahedra about the origin."""
    corners = vertices[triangles]
    volume = np.linalg.det(corners) / 6
    total = corners.sum(axis=1)
    second = np.einsum("n,nki,nkj->ij", volume, corners, corners)
    second += np.einsum("n,ni,nj->ij", volume, total, total)
    return volume.sum(), np.einsum("n,ni->i", volume, total) / 4, second / 20


class Volumes(unittest.TestCase):
    def test_drawn_solids_have_manifolds_volume(self):
        rng = np.random.default_rng(7)
        worst = 0.0
        met = 0
        for _ in range(150):
            a, b = draw(rng), draw(rng)
            q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
            q *= np.linalg.det(q)
            pose = isobar.Pose(q, rng.uniform(-0.6, 0.6, 3))
            b = b.transform(np.column_stack([pose.rotation, pose.translation]))
            bodies = [isobar.VolumeBody(isobar.mesh(isobar.TriMesh(*arrays(s)))) for s in (a, b)]
            found = bodies[0].intersect(bodies[1])
            volume, first, second = moments(*arrays(a ^ b)) if not (a ^ b).is_empty() else (
                0.0, np.zeros(3), np.zeros((3, 3)))
            inertia = np.trace(second) * np.eye(3) - second
            c = found.centroid
            about = found.inertia + found.volume * (c @ c * np.eye(3) - np.outer(c, c))
            worst = max(worst, abs(found.volume - volume),
                        np.abs(found.volume * c - first).max(), np.abs(about - inertia).max())
            met += volume > 1e-3
        print(f"{met} pairs met, worst residual {worst:.2g}")
        self.assertGreater(met, 80)
        self.assertLess(worst, TOLERANCE)


if __name__ == "__main__":
    unittest.main()
