# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Indentation of a bonded elastic layer by a body without symmetry of revolution: the compliance of
bonded_layer.py on a periodic grid, by fast Fourier transforms, and conjugate gradients that keep
pressures positive [Polonsky1999]."""

import numpy as np

from fem import bonded_layer

STEPS = 400
GAP = 1e-9  # of the depth: the largest gap left under positive pressure


def _lowering(lengths, count, thickness, young, nu):
    """The map from pressures on the grid to the lowering of the surface."""
    kx, ky = (2 * np.pi * np.fft.fftfreq(count, length / count) for length in lengths)
    wave = np.hypot(*np.meshgrid(kx, ky, indexing="ij"))
    wave[0, 0] = 1.0
    compliance = (2 / bonded_layer.plane_modulus(young, nu) / wave
                  * bonded_layer.compliance_factor(wave * thickness, nu))
    compliance[0, 0] = thickness / bonded_layer.layer_modulus(young, nu)
    return lambda p: np.fft.ifft2(compliance * np.fft.fft2(p)).real


def force(radius_x, radius_y, thickness, depth, young, nu, count=192):
    """Force on a paraboloid of curvature radii along x and y, pressed in by `depth`.

    The grid's period leaves four thicknesses between the contact and its images, whose influence
    decays over about one thickness."""
    reach = np.sqrt(2 * depth * np.array([radius_x, radius_y]))
    lengths = 2 * reach + 4 * thickness
    lowered = _lowering(lengths, count, thickness, young, nu)
    share = (np.arange(count) + 0.5) / count - 0.5
    x, y = np.meshgrid(share * lengths[0], share * lengths[1], indexing="ij")
    wanted = depth - x**2 / (2 * radius_x) - y**2 / (2 * radius_y)
    p = np.maximum(wanted, 0) * bonded_layer.layer_modulus(young, nu) / thickness
    direction, before, restart = np.zeros_like(p), 1.0, True
    for _ in range(STEPS):
        gap = lowered(p) - wanted
        inside = p > 0
        now = (gap[inside]**2).sum()
        if np.abs(gap[inside]).max() < GAP * depth and gap[~inside].min() > -GAP * depth:
            return p.sum() * lengths[0] * lengths[1] / count**2
        direction = np.where(inside, gap + (0 if restart else now / before) * direction, 0)
        before = now
        response = lowered(direction)
        length = (gap[inside] @ direction[inside]) / (response[inside] @ direction[inside])
        p = np.maximum(p - length * direction, 0)
        entering = (p == 0) & (gap < 0)
        restart = bool(entering.any())
        p[entering] -= length * gap[entering]
    raise RuntimeError(f"no equilibrium under the ellipsoid in {STEPS} steps")
