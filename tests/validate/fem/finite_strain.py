# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""A small finite-element program for plane strain at finite strain: eight-node elements, nine
integration points, Newton's method with exact tangents, and a rigid, frictionless indenter that
nodes cannot pass (active set with Lagrange multipliers).

Material laws give the first Piola-Kirchhoff stress P of the deformation gradient F. All have the
same small-strain limit. Pressed uniformly to the stretch s between walls, with the layer modulus E*
they carry, per undeformed area,

    log_cauchy  Cauchy stress   lambda tr(ln V) + 2 mu ln V    -E* ln s         (true strain)
    hencky      Kirchhoff stress of the same form              -E* ln(s) / s
    ciarlet     S = lambda/2 (J^2 - 1) C^-1 + mu (1 - C^-1)     E* (1/s - s) / 2
    svk         S = lambda tr(E) + 2 mu E                       E* s (1 - s^2) / 2

log_cauchy is what codes without a hyperelastic law integrate when they are given E and nu at large
strain; svk is CalculiX's *ELASTIC with NLGEOM, ciarlet its material CIARLET_EL. hencky, ciarlet and
svk have a strain energy; log_cauchy has none.
"""

import dataclasses
import time

import numpy as np
import scipy.sparse as sparse
import scipy.sparse.linalg

from fem import mesh as meshes

NEWTON_STEPS = 40
RESIDUAL = 1e-10  # of the largest nodal force, or of the layer modulus times a node's length


def _det(a):
    return a[..., 0, 0] * a[..., 1, 1] - a[..., 0, 1] * a[..., 1, 0]


def _inverse(a):
    adjugate = np.stack([np.stack([a[..., 1, 1], -a[..., 0, 1]], -1),
                         np.stack([-a[..., 1, 0], a[..., 0, 0]], -1)], -2)
    return adjugate / _det(a)[..., None, None]


def _transposed(a):
    return np.swapaxes(a, -1, -2)


def _log_stretch(f):
    """ln V = ln(F F^T) / 2 in closed form; analytic, so that complex steps pass through."""
    b = f @ _transposed(f)
    mean = 0.5 * (b[..., 0, 0] + b[..., 1, 1])
    determinant = _det(b)
    q = 1 - determinant / mean**2  # ((b1 - b2) / (b1 + b2))^2
    small = np.abs(q) < 1e-3
    root = np.sqrt(np.where(small, 0.25, q))
    ratio = np.where(small, 1 + q / 3 + q**2 / 5 + q**3 / 7 + q**4 / 9,
                     0.5 * np.log((1 + root) / (1 - root)) / root)
    eye = np.eye(2)
    deviator = b - mean[..., None, None] * eye
    return (0.25 * np.log(determinant)[..., None, None] * eye
            + 0.5 * (ratio / mean)[..., None, None] * deviator)


def _isotropic(strain, lame, shear):
    trace = strain[..., 0, 0] + strain[..., 1, 1]
    return lame * trace[..., None, None] * np.eye(2) + 2 * shear * strain


def log_cauchy(f, lame, shear):
    return _det(f)[..., None, None] * hencky(f, lame, shear)


def hencky(f, lame, shear):
    return _isotropic(_log_stretch(f), lame, shear) @ _transposed(_inverse(f))


def ciarlet(f, lame, shear):
    turned = _transposed(_inverse(f))
    volume = _det(f)[..., None, None]
    return 0.5 * lame * (volume**2 - 1) * turned + shear * (f - turned)


def svk(f, lame, shear):
    return f @ _isotropic(0.5 * (_transposed(f) @ f - np.eye(2)), lame, shear)


UNIFORM = {  # force per area over the layer modulus at stretch s
    log_cauchy: lambda s: -np.log(s),
    hencky: lambda s: -np.log(s) / s,
    ciarlet: lambda s: 0.5 * (1 / s - s),
    svk: lambda s: 0.5 * s * (1 - s * s),
}


class Solid:
    """A mesh of one material: internal forces and their tangent."""

    def __init__(self, mesh, law, young, nu):
        self.mesh, self.law = mesh, law
        self.lame = young * nu / ((1 + nu) * (1 - 2 * nu))
        self.shear = young / (2 * (1 + nu))
        g, w = np.polynomial.legendre.leggauss(3)
        xi, eta = (a.ravel() for a in np.meshgrid(g, g, indexing="ij"))
        slope = _shape_slopes(xi, eta)                        # [point, node, 2]
        corners = mesh.nodes[mesh.elements]                   # [element, node, 2]
        jacobian = np.einsum("end,pnk->epdk", corners, slope)
        gradient = np.einsum("pnk,epkd->epnd", slope, _inverse(jacobian))
        self.weights = np.outer(w, w).ravel() * _det(jacobian)
        # du/dX = B u: rows (0,0) (0,1) (1,0) (1,1), columns (node 0, x), (node 0, y), ...
        self.b = np.zeros(gradient.shape[:2] + (4, 16))
        for i in range(2):
            for j in range(2):
                self.b[:, :, 2 * i + j, i::2] = gradient[..., j]
        self.dofs = (2 * mesh.elements[:, :, None] + np.arange(2)).reshape(-1, 16)
        self.rows = np.repeat(self.dofs, 16, axis=1).ravel()
        self.columns = np.tile(self.dofs, (1, 16)).ravel()
        self.size = 2 * len(mesh.nodes)

    def deformation(self, u):
        """F at every integration point; None where an element is inverted."""
        f = (self.b @ u[self.dofs][:, None, :, None])[..., 0].reshape(self.b.shape[:2] + (2, 2))
        f = f + np.eye(2)
        return f if np.min(_det(f)) > 0 else None

    def forces(self, u):
        """Internal forces [size] and their sparse derivative."""
        f = self.deformation(u)
        p = self.law(f, self.lame, self.shear).reshape(f.shape[:2] + (4,))
        weighted = self.b * self.weights[..., None, None]
        internal = np.bincount(self.dofs.ravel(), np.einsum("epi,epij->ej", p, weighted).ravel(),
                               self.size)
        moduli = np.empty(f.shape[:2] + (4, 4))
        for k in range(4):
            step = f.astype(complex)
            step[..., k // 2, k % 2] += 1e-30j
            moduli[..., k] = self.law(step, self.lame, self.shear).imag.reshape(p.shape) / 1e-30
        stiffness = (_transposed(weighted) @ (moduli @ self.b)).sum(axis=1)
        matrix = sparse.csc_matrix((stiffness.ravel(), (self.rows, self.columns)),
                                   shape=(self.size, self.size))
        return internal, matrix


def _shape_slopes(xi, eta):
    slopes = np.empty((len(xi), 8, 2))
    for n, (a, b) in enumerate(meshes.NODES):
        if a != 0 and b != 0:
            slopes[:, n, 0] = 0.25 * a * (1 + b * eta) * (2 * a * xi + b * eta)
            slopes[:, n, 1] = 0.25 * b * (1 + a * xi) * (2 * b * eta + a * xi)
        elif a == 0:
            slopes[:, n, 0] = -xi * (1 + b * eta)
            slopes[:, n, 1] = 0.5 * b * (1 - xi * xi)
        else:
            slopes[:, n, 0] = 0.5 * a * (1 - eta * eta)
            slopes[:, n, 1] = -eta * (1 + a * xi)
    return slopes


@dataclasses.dataclass
class Indentation:
    depths: np.ndarray
    forces: np.ndarray      # vertical, over the width of the mesh
    displacements: list     # at every depth
    pushes: list            # vertical forces on the nodes of the top, at every depth
    iterations: int
    seconds: float


class Indenter:
    """A rigid surface of height h(x) above its lowest point, with its slope and curvature."""

    def __init__(self, amplitude, wavelength):
        self.amplitude, self.k = amplitude, 2 * np.pi / wavelength

    def __call__(self, x):
        a, k = self.amplitude, self.k
        return a * (1 - np.cos(k * x)), a * k * np.sin(k * x), a * k * k * np.cos(k * x)


def indent(solid, indenter, thickness, depths):
    """Press the indenter into the top, depth after depth; sides slide, the bottom is bonded."""
    mesh = solid.mesh
    start = time.perf_counter()
    fixed = np.concatenate([2 * mesh.left, 2 * mesh.right, 2 * mesh.bottom, 2 * mesh.bottom + 1])
    free = np.setdiff1d(np.arange(solid.size), fixed)
    u = np.zeros(solid.size)
    active = np.zeros(len(mesh.top), bool)
    push = np.zeros(len(mesh.top))
    out = Indentation(np.asarray(depths, float), np.zeros(len(depths)), [], [], 0, 0.0)
    for step, depth in enumerate(depths):
        for iteration in range(1, NEWTON_STEPS + 1):
            out.iterations += 1
            change, push, active, error = _newton_step(solid, indenter, thickness - depth, free, u,
                                                       push, active)
            u = _limited(solid, u, change)
            if error < RESIDUAL:
                break
        else:
            raise RuntimeError(f"depth {depth:g}: no equilibrium in {NEWTON_STEPS} steps, "
                               f"residual {error:.2g}")
        out.forces[step] = push.sum()
        out.displacements.append(u.copy())
        out.pushes.append(push)
    out.seconds = time.perf_counter() - start
    return out


def _limited(solid, u, change):
    scale = 1.0
    while solid.deformation(u + scale * change) is None:
        scale *= 0.5
    return u + scale * change


def _newton_step(solid, indenter, lowest, free, u, push, active):
    """Newton step of equilibrium and of gap = 0 on the active set, after updating that set."""
    mesh = solid.mesh
    x = mesh.nodes[mesh.top, 0] + u[2 * mesh.top]
    y = mesh.nodes[mesh.top, 1] + u[2 * mesh.top + 1]
    height, slope, curvature = indenter(x)
    gap = lowest + height - y
    scale = solid.lame + 2 * solid.shear
    changed = (active & (push > 0)) | (gap < -1e-12)
    has_changed = bool((changed != active).any())
    active = changed
    push = np.where(active, push, 0.0)
    internal, stiffness = solid.forces(u)
    # f_int = push grad(gap), grad(gap) = (slope, -1)
    nodes = mesh.top
    external = np.zeros(solid.size)
    external[2 * nodes] = push * slope
    external[2 * nodes + 1] = -push
    curved = sparse.csc_matrix((push * curvature, (2 * nodes, 2 * nodes)),
                               shape=stiffness.shape)
    count = int(active.sum())
    index = np.arange(count)
    normal = sparse.csc_matrix(
        (np.concatenate([slope[active], -np.ones(count)]),
         (np.concatenate([2 * nodes[active], 2 * nodes[active] + 1]), np.tile(index, 2))),
        shape=(solid.size, count))[free]
    residual = (internal - external)[free]
    matrix = sparse.bmat([[(stiffness - curved)[free][:, free], -normal], [normal.T, None]], "csc")
    solution = sparse.linalg.spsolve(matrix, np.concatenate([-residual, -gap[active]]))
    change = np.zeros(solid.size)
    change[free] = solution[:len(free)]
    push = push.copy()
    push[active] += solution[len(free):]
    error = max(np.abs(residual).max() / scale, np.abs(gap[active]).max(initial=0.0))
    return change, push, active, (np.inf if has_changed else error)


def layer_mesh(half_wavelength, thickness, columns, rows):
    """Uniform columns; rows graded to the top by 3 to 1."""
    share = np.linspace(0, 1, rows + 1)
    y = thickness * (1.5 * share - 0.5 * share**2)
    return meshes.Mesh(np.linspace(0, half_wavelength, columns + 1), y)
