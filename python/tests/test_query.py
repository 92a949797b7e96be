# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Contact of two shapes: properties over random poses."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import isobar
from isobar import _native

BALL = isobar.ContactShape(isobar.sphere(0.1), isobar.Material(resolution_hint=0.04))
BRICK = isobar.ContactShape(isobar.box(0.2, 0.3, 0.1), isobar.Material(modulus=5e6))
QUERY = isobar.Query()

unit = st.floats(-1.0, 1.0, allow_nan=False)


@st.composite
def rotations(draw):
    q = np.array([draw(unit) for _ in range(4)])
    return isobar.Pose.from_quaternion(q if np.linalg.norm(q) > 0.1 else (1, 0, 0, 0)).rotation


@st.composite
def poses(draw, size=1.0):
    return isobar.Pose(draw(rotations()), [size * draw(unit) for _ in range(3)])


@st.composite
def touching(draw):
    """Pose of the ball in the brick, near its surface."""
    return isobar.Pose(draw(rotations()), [0.12 * draw(unit), 0.16 * draw(unit), 0.13 * draw(unit)])


def adjoint(pose, wrench):
    """The same wrench in another frame: moment about that frame's origin."""
    force = pose.rotation @ wrench[3:]
    return np.concatenate([pose.rotation @ wrench[:3] + np.cross(pose.translation, force), force])


@given(touching())
def test_wrenches_obey_the_third_law(x_ab):
    there = QUERY.wrench(BRICK, (0, 0, 0), BALL, x_ab).wrench
    back = QUERY.wrench(BALL, x_ab, BRICK, (0, 0, 0)).wrench
    # Measured 0: the same sums.
    assert np.allclose(there, -back, rtol=1e-9, atol=1e-9 * (1.0 + np.abs(there).max()))


@given(touching(), poses())
def test_moving_both_moves_the_answer(x_ab, x_wa):
    here = QUERY.wrench(BRICK, (0, 0, 0), BALL, x_ab, derivatives=True)
    wrench, energy, faces = here.wrench, here.elastic_energy, here.patch.face_count
    there = QUERY.wrench(BRICK, x_wa, BALL, x_wa @ x_ab)
    # Slivers at the rim may come and go with rounding; the sums stay: measured 1e-10
    # in the wrench (2e-11 of its largest component), 2e-14 of the energy.
    assert abs(there.patch.face_count - faces) <= max(2, 0.05 * faces)
    expected = adjoint(x_wa, wrench)
    assert np.allclose(there.wrench, expected, rtol=1e-8, atol=1e-8 * (1 + np.abs(wrench).max()))
    assert there.elastic_energy == pytest.approx(energy, rel=1e-8, abs=1e-12)


@given(st.lists(touching(), min_size=1, max_size=8))
def test_a_batch_is_what_single_queries_are(x_ab):
    rows = QUERY.batch(BRICK, BALL, x_ab)
    threaded = isobar.Query(thread_count=2).batch(BRICK, BALL, x_ab)
    assert rows.tobytes() == threaded.tobytes()
    for row, pose in zip(rows, x_ab):
        one = QUERY.wrench(BRICK, (0, 0, 0), BALL, pose)
        assert row["face_count"] == one.patch.face_count
        # The batch works in A: with A at the origin only the order of sums may differ.
        assert row["area"] == pytest.approx(one.patch.area, rel=1e-12)
        assert row["max_pressure"] == pytest.approx(one.patch.max_pressure, rel=1e-12)
        assert np.allclose(row["f_ba_a"], one.elastic_wrench, rtol=1e-9, atol=1e-9)


def test_poses_are_taken_without_a_copy():
    poses = np.zeros(5, dtype=isobar.POSE_DTYPE)
    poses["rotation"] = np.eye(3)
    poses["translation"][:, 2] = np.linspace(0.10, 0.16, 5)
    from isobar.pose import as_poses

    assert as_poses(poses) is poses
    areas = QUERY.batch(BRICK, BALL, poses)["area"]
    assert np.all(np.diff(areas) < 0) and areas[-1] == 0.0
    matrices = np.array([isobar.Pose(None, t).matrix for t in poses["translation"]])
    assert np.array_equal(QUERY.batch(BRICK, BALL, matrices)["area"], areas)
    assert len(QUERY.batch(BRICK, BALL, poses[:0])) == 0
    poses["rotation"][3] *= 1.1
    with pytest.raises(isobar.RangeError, match="3"):
        QUERY.batch(BRICK, BALL, poses)


def test_stiffness_is_the_derivative_of_the_wrench():
    def elastic(height):
        return QUERY.wrench(BRICK, (0, 0, 0), BALL, (0, 0, height), p_wp=(0, 0, height)
                            ).elastic_wrench

    result = QUERY.wrench(BRICK, (0, 0, 0), BALL, (0, 0, 0.13), p_wp=(0, 0, 0.13),
                          derivatives=True)
    slope = -(elastic(0.13 + 1e-6) - elastic(0.13 - 1e-6))[5] / 2e-6
    # Central difference: measured 2.5e-10.
    assert result.elastic_stiffness[5, 5] == pytest.approx(slope, rel=1e-5)
    assert result.damping[5, 5] > 0.0
    assert result.stiffness.shape == (6, 6)


def test_patches_are_views_until_the_next_question():
    result = QUERY.wrench(BRICK, (0, 0, 0), BALL, (0, 0, 0.13))
    count, energy = result.patch.face_count, result.elastic_energy
    assert re.fullmatch(rf"<QueryResult, {count} faces, force \[.*\] N, "
                        rf"elastic energy {energy:g} J>", repr(result))
    patch = QUERY.patch(BRICK, (0, 0, 0), BALL, (0, 0, 0.13))
    assert repr(result).startswith("<QueryResult, patch gone, force [")
    view = patch.pressures
    assert view.ctypes.data == int(_native.ffi.cast("uintptr_t", patch._c.pressures))
    QUERY.patch(BRICK, (0, 0, 0), BALL, (0, 0, 0.12))
    with pytest.raises(isobar.StaleError, match="asked again"):
        view.sum()
    assert QUERY.patch(BRICK, (0, 0, 0), BALL, (0, 0, 9.0)).face_count == 0


def test_damping_pushes_harder_on_approach():
    still = QUERY.wrench(BRICK, (0, 0, 0), BALL, (0, 0, 0.14)).wrench[5]
    closing = QUERY.wrench(BRICK, (0, 0, 0), BALL, (0, 0, 0.14),
                           v_ab=(0, 0, 0, 0, 0, -0.01)).wrench[5]
    # Without friction too: the patch is curved, so that approach is slip at its rim.
    soft = isobar.Material(dissipation=0.0, friction_static=0.0, friction_dynamic=0.0)
    undamped = QUERY.wrench(BRICK, (0, 0, 0), BALL, (0, 0, 0.14), v_ab=(0, 0, 0, 0, 0, -0.01),
                            material_a=soft, material_b=soft).wrench[5]
    assert closing > 1.1 * still
    assert undamped == pytest.approx(still, rel=1e-9)


@given(st.floats(0.0, 0.3), rotations())
def test_distance_to_a_ball_is_that_to_its_centre(radius, rotation):
    found = BALL.distance(radius * rotation[0])
    assert found.is_signed
    assert found.distance == pytest.approx(radius - 0.1, abs=1e-12)


def test_rays_meet_the_box():
    hit = BRICK.ray_cast((0, 0, 1.0), (0, 0, -2.0))
    assert hit is not None
    assert hit.distance == pytest.approx(0.95, abs=1e-14)
    assert np.allclose(hit.normal, (0, 0, 1))
    assert BRICK.ray_cast((0, 0, 1.0), (0, 0, 1.0)) is None
    assert BRICK.ray_cast((0, 0, 1.0), (0, 0, -1.0), max_distance=0.5) is None
    with pytest.raises(isobar.RangeError):
        BRICK.ray_cast((0, 0, 1.0), (0, 0, 0))


def test_shapes_tell_what_they_are():
    assert not BRICK.is_rigid and BRICK.is_closed and not BRICK.is_half_space
    assert BRICK.tet_count > 0 and BRICK.thickness == pytest.approx(0.05)
    assert BRICK.max_pressure == pytest.approx(5e6)
    lower, upper = BRICK.bounds
    assert np.allclose(upper - lower, (0.2, 0.3, 0.1))
    assert BRICK.pressure((0, 0, 0)) == pytest.approx(5e6)
    assert BRICK.pressure((0, 0, 1.0)) is None
    assert BRICK.surface.triangles.shape[1] == 3
    assert isobar.ContactShape(isobar.half_space()).is_half_space
    with pytest.raises(isobar.GeometryError):
        QUERY.patch(*(isobar.ContactShape(isobar.half_space()), (0, 0, 0)) * 2)


@given(touching(), poses())
def test_exact_energy_does_not_depend_on_where_the_pair_is(x_ab, x_wa):
    here = QUERY.elastic_energy(BRICK, (0, 0, 0), BALL, x_ab)
    there = QUERY.elastic_energy(BRICK, x_wa, BALL, x_wa @ x_ab)
    assert here.is_exact
    assert there.is_exact
    # Measured 2.4e-11 J where the energy is large, 5e-15 of it.
    assert there.energy == pytest.approx(here.energy, rel=1e-8, abs=1e-12)


def test_poses_of_another_shape_are_refused():
    for wrong in (np.zeros((3, 4)), np.zeros((8, 4)), np.zeros((2, 3))):
        with pytest.raises(ValueError, match=r"poses have shape \(\d, \d\).*expected \(n, 4, 4\)"):
            QUERY.batch(BRICK, BRICK, wrong)


def test_a_contact_normal_takes_finite_guesses_only():
    cube = isobar.VolumeBody(isobar.box(1, 1, 1))
    metrics = cube.intersect(isobar.VolumeBody(isobar.box(1, 1, 1)), (0, 0, 0.9))
    assert metrics.normal((0, 0, 1)).direction[2] == pytest.approx(1.0, abs=1e-12)
    for guess in ((np.nan, 0, 0), (0, np.inf, 0)):
        with pytest.raises(isobar.RangeError, match="previous is .*, expected three finite numbers"):
            metrics.normal(guess)
