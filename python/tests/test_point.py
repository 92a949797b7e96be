# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Laws of contact in a point against closed forms, integrals and worlds."""

import math

import isobar
import numpy as np
import pytest

SEEDS = range(5)


@pytest.mark.parametrize("seed", SEEDS)
def test_spheres_are_hertz_closed_form(seed):
    rng = np.random.default_rng(seed)
    (e1, e2), (r1, r2) = 10 ** rng.uniform(5, 11, 2), 10 ** rng.uniform(-3, 1, 2)
    nu = rng.uniform(-0.5, 0.5, 2)
    modulus = isobar.pair_modulus((e1, nu[0]), (e2, nu[1]))
    assert 1 / modulus == pytest.approx((1 - nu[0] ** 2) / e1 + (1 - nu[1] ** 2) / e2, rel=1e-14)
    k = 4 / 3 * modulus * math.sqrt(r1 * r2 / (r1 + r2))
    found = isobar.hertz(modulus, 1 / r1, 1 / r2)
    assert found.stiffness == pytest.approx(k, rel=1e-12)
    assert isobar.hertz_spheres(modulus, r1, r2) == pytest.approx(k, rel=1e-14)
    depth = 1e-4 * r1
    assert found.depth(found.force(depth)) == pytest.approx(depth, rel=1e-14)
    a2 = found.major * found.minor * depth  # pi a^2 with a peak of 3/2 of the mean pressure
    assert found.peak(depth) == pytest.approx(1.5 * found.force(depth) / (math.pi * a2), rel=1e-13)


@pytest.mark.parametrize("seed", SEEDS)
def test_ellipse_lies_along_the_blunter_curvature_in_any_frame(seed):
    rng = np.random.default_rng(seed)
    frame = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    sharp, blunt = 40.0, 10.0 ** rng.uniform(-1, 1.5)
    found = isobar.hertz(1e9, isobar.Curvature(sharp, blunt, frame[0]), normal=frame[2])
    assert abs(found.major_axis @ frame[1]) == pytest.approx(1, abs=1e-9)
    assert found.major > found.minor
    along = isobar.hertz(1e9, isobar.Curvature(blunt, sharp))
    assert found.stiffness == pytest.approx(along.stiffness, rel=1e-12)


def rebound(share, exponent, dt=1e-5):
    """Speeds over that of impact of x'' = -x^p (1 + A x'), and the greatest depth: by RK4."""
    def rate(y):
        return np.array([y[1], -max(y[0], 0.0) ** exponent * max(1 + share * y[1], 0.0)])

    y, deepest = np.array([0.0, 1.0]), 0.0
    while y[0] >= 0.0:
        k1 = rate(y)
        k2 = rate(y + 0.5 * dt * k1)
        k3 = rate(y + 0.5 * dt * k2)
        y = y + dt / 6 * (k1 + 2 * k2 + 2 * k3 + rate(y + dt * k3))
        deepest = max(deepest, y[0])
        dt = 1e-3
    return -y[1], deepest


@pytest.mark.parametrize("law", ["exact", "hunt_crossley", "lankarani_nikravesh"])
@pytest.mark.parametrize("e", [0.2, 0.5, 0.9])
def test_impacts_integrated_end_at_the_restitution_and_depth_of_the_share(law, e):
    share = isobar.damping_share(e, law)
    out, deepest = rebound(share, 1.5)
    assert out == pytest.approx(isobar.damping_restitution(share), rel=2e-6)
    assert deepest == pytest.approx(isobar.impact_depth(1.0, 1.0, 1.0, share), rel=2e-6)
    assert (abs(out - e) < 2e-6) == (law == "exact")
    assert isobar.damping_share(e) == pytest.approx(isobar.damping_factor(e) / e, rel=1e-15)


BALL = """
simulation: {{time_step: 1.0e-3, gravity: [0, 0, -9.81], contact_model: hertz}}
default_material: {{young_modulus: {young}, poisson_ratio: 0.3, dissipation: 20}}
bodies:
- name: world
  geometry: [{{name: floor, shape: half_space, compliance: rigid}}]
- name: ball
  mass: {mass}
  geometry: [{{name: skin, shape: sphere, radius: {radius}, compliance: compliant, modulus: 1.0e+6}}]
  pose: {{translation: [0, 0, {radius}]}}
"""


@pytest.mark.parametrize("seed", SEEDS)
def test_ball_of_a_world_rests_at_the_depth_of_the_law(seed, tmp_path):
    rng = np.random.default_rng(seed)
    radius, mass, young = rng.uniform(0.02, 0.1), rng.uniform(0.2, 2), 10 ** rng.uniform(5.5, 7)
    path = tmp_path / "ball.yaml"
    path.write_text(BALL.format(radius=radius, mass=mass, young=f"{young:.17e}"))
    world = isobar.load(path).create_world()
    world.step(3000)
    law = isobar.hertz(isobar.pair_modulus((young, 0.3), (young, 0.3)), 1 / radius)
    depth = radius - world.body_pose("ball").translation[2]
    assert depth == pytest.approx(law.depth(mass * 9.81), rel=1e-4)


def test_what_is_out_of_range_is_an_error():
    for a, b in ((0.0, 0.0), (isobar.Curvature(10.0, 0.0), 0.0), (10.0, -10.0), (5.0, -10.0),
                 (math.nan, 0.0)):
        with pytest.raises(isobar.RangeError, match="curvatures"):
            isobar.hertz(1e9, a, b)
    for normal in ((0, 0, 0), (0, 0, 2), (math.nan, 0, 0)):
        with pytest.raises(isobar.RangeError, match="normal"):
            isobar.hertz(1e9, 1.0, normal=normal)
    for modulus in (0.0, -1.0, math.nan, math.inf):
        with pytest.raises(isobar.RangeError, match="modulus"):
            isobar.hertz(modulus, 1.0)
    with pytest.raises(isobar.RangeError, match="Poisson"):
        isobar.pair_modulus((1e9, 0.6), (1e9, 0.3))
    with pytest.raises(isobar.RangeError, match="finite"):
        isobar.pair_modulus((math.inf, 0.3), (math.inf, 0.3))
    for e in (0.0, -0.5, 1.5, math.nan, math.inf):
        for law in (isobar.damping_factor, isobar.damping_share):
            with pytest.raises(isobar.RangeError, match=f"restitution is {e}, expected .*1e-100"):
                law(e)
    for share in (-1.0, math.nan):
        with pytest.raises(isobar.RangeError, match=f"share is {share}"):
            isobar.damping_restitution(share)
    for given in ((1e6, 1.0, 1.0, -1.0), (1e6, 1.0, 1.0, math.nan), (-1.0, 1.0, 1.0), (1e6, -1.0, 1.0),
                  (1e6, 1.0, math.nan), (1e6, 1.0, 1.0, 0.0, 0.5)):
        with pytest.raises(isobar.RangeError, match="expected stiffness > 0"):
            isobar.impact_depth(*given)
    for given in ((1e6, 0.1, -0.05), (math.nan, 0.1), (-1.0, 0.1), (0.0, 0.1), (1e6, -0.1), (1e6, 0.1, 0.0)):
        with pytest.raises(isobar.RangeError, match="radii are"):
            isobar.hertz_spheres(*given)
    with pytest.raises(ValueError, match="hunt_crossley"):
        isobar.damping_share(0.5, "hunt_crosley")
