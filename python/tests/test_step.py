# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""A step at the velocity level against Newton's method in numpy, from the faces of the patch alone."""

import math

import numpy as np
import pytest

import isobar

DT, FRICTION, DISSIPATION, STICTION, MASS, SIDE = 1e-3, 0.5, 10.0, 1e-4, 1.0, 0.1


def cross(r):
    return np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])


def cube_in_the_ground(method, tilt, velocity):
    model = isobar.Model()
    soft = isobar.Material(compliance="compliant", modulus=1e6, dissipation=DISSIPATION, margin=0.0)
    inertia = np.eye(3) * MASS * SIDE**2 / 6
    cube = model.add_body("cube", mass=MASS, inertia=np.diag(inertia))
    model.add_geometry(cube, isobar.box(SIDE, SIDE, SIDE), material=soft)
    model.add_geometry("world", isobar.half_space(), material=isobar.Material(compliance="rigid"))
    world = isobar.World(model, time_step=DT, method=method,
                         contact=isobar.ContactOptions(cull="drake", regularization="drake",
                                                       friction="regularized"))
    turn = np.array([[math.cos(tilt), 0, math.sin(tilt)], [0, 1, 0],
                     [-math.sin(tilt), 0, math.cos(tilt)]])
    world.set_free_body("cube", isobar.Pose(turn, [0, 0, 0.5 * SIDE]), velocity)
    return world, inertia


def velocity_after_a_step(world, inertia, v0, is_similar):
    """Least of |v - v*|^2 / 2 + the potentials of docs/theory/contact.md, to rounding."""
    world.update_contacts()
    patch = world.contacts[0].patch
    assert world.contacts[0].body_name_b == "world"  # so the cube is A, and v_B - v_A is minus its
    normals, gradients = np.array(patch.normals), np.array(patch.gradients_a)
    slopes = -np.einsum("ij,ij->i", gradients, normals)
    kept = slopes > 1e-12 * np.linalg.norm(gradients, axis=1)
    areas, normals = np.array(patch.areas)[kept], normals[kept]
    force, stiffness = areas * np.array(patch.pressures)[kept], areas * slopes[kept]
    arms = np.array(patch.centroids)[kept] - world.body_pose("cube").translation
    jacobians = [-np.hstack([-cross(r), np.eye(3)]) for r in arms]
    mass = np.block([[inertia, np.zeros((3, 3))], [np.zeros((3, 3)), MASS * np.eye(3)]])
    free = v0 + DT * np.array([0, 0, 0, 0, 0, -9.81])

    def derivatives(v):
        gradient, hessian = mass @ (v - free), mass.copy()
        for n, f, k, j in zip(normals, force, stiffness, jacobians):
            across = np.eye(3) - np.outer(n, n)
            n0 = DT * f * max(1 - DISSIPATION * (n @ j @ v0), 0)
            mobility = across @ j @ np.linalg.solve(mass, j.T) @ across
            eps = max(STICTION, FRICTION * 1e-3 * 0.5 * np.linalg.norm(mobility) * n0)
            slip, z = across @ j @ v, n @ j @ v
            soft = math.sqrt(slip @ slip + eps**2)
            t = slip / soft
            z -= FRICTION * (soft - eps) if is_similar else 0.0
            impulse, fall = 0.0, 0.0
            if z < min(f / (DT * k), 1 / DISSIPATION):
                impulse = DT * (f - DT * k * z) * (1 - DISSIPATION * z)
                fall = DT * (DT * k * (1 - DISSIPATION * z) + DISSIPATION * (f - DT * k * z))
            load = FRICTION * (impulse if is_similar else n0)
            rise = n - FRICTION * t if is_similar else n
            gradient -= j.T @ (impulse * n - load * t)
            bend = load / soft * (across - np.outer(t, t)) + fall * np.outer(rise, rise)
            hessian += j.T @ bend @ j
        return gradient, hessian

    v = v0.copy()
    for _ in range(200):
        gradient, hessian = derivatives(v)
        step = np.linalg.solve(hessian, gradient)
        share = 1.0  # down to where the slope along the step is gone, or nearly
        while -derivatives(v - share * step)[0] @ step > 0.1 * (gradient @ step) and share > 1e-9:
            share *= 0.5
        v = v - share * step
        if np.linalg.norm(step) < 1e-15:
            break
    return v


@pytest.mark.parametrize("method", ["lagged", "similar"])
def test_a_step_is_the_least_of_its_potentials(method):
    random = np.random.default_rng(7)
    for _ in range(10):
        v0 = np.concatenate([random.normal(0, 0.5, 3), random.normal(0, 0.02, 3)])
        world, inertia = cube_in_the_ground(method, random.uniform(-0.02, 0.02), v0)
        expected = velocity_after_a_step(world, inertia, v0, method == "similar")
        world.step()
        error = np.abs(world.body_twist("cube") - expected).max()
        assert error < 1e-8  # measured 9.2e-10: the solver stops at a residual of 1e-8


@pytest.mark.parametrize("method, accuracy, creep", [
    ("lagged", 1e-3, lambda r: r / math.sqrt(1 - r**2)),
    ("similar", 1e-3, lambda r: r / math.sqrt(1 - r**2)),
    ("tamsi", 1e-3, lambda r: 1 - math.sqrt(1 - r)),
    ("rk45", 1e-6, lambda r: r),
    ("rk23", 1e-6, lambda r: r),
    ("radau", 1e-6, lambda r: r),
    ("cvode", 1e-6, lambda r: r),
])
def test_regularised_friction_creeps_at_the_rate_of_its_law(method, accuracy, creep):
    """A cube of 0.2 kg at rest that 0.5 N pull at its foot: the slip at which friction is 0.5 N."""
    if not isobar.method_is_built(method):
        pytest.skip(f"this library has no {method}")
    mass, pull = 0.2, 0.5
    model = isobar.Model()
    soft = isobar.Material(compliance="compliant", modulus=1e6)
    cube = model.add_body("cube", mass=mass, inertia=np.full(3, mass * SIDE**2 / 6))
    model.add_geometry(cube, isobar.box(SIDE, SIDE, SIDE), material=soft)
    model.add_geometry("world", isobar.half_space(), material=isobar.Material(compliance="rigid"))
    model.set_free_pose(cube, (0, 0, SIDE / 2))
    world = isobar.World(model, time_step=DT, method=method, accuracy=accuracy, error_control=False,
                         contact=isobar.ContactOptions(friction="regularized"))
    for _ in range(400):
        height = world.body_pose("cube").translation[2]
        world.apply_wrench("cube", [0, -height * pull, 0, pull, 0, 0])
        world.step()
    expected = STICTION * creep(pull / (FRICTION * mass * 9.81))
    # Measured 1.6e-12, 5.2e-12, 3.6e-8 (a residual of 1e-8 for tamsi), 3.6e-5, 1.1e-4; radau 3.5e-8,
    # cvode 1.9e-11.
    tolerance = 5e-4 if method[:2] == "rk" else 1e-6
    assert world.body_twist("cube")[3] == pytest.approx(expected, rel=tolerance)


@pytest.mark.parametrize("method", ["lagged", "similar", "midpoint", "tamsi"])
def test_light_cubes_under_heavy_ones_creep_as_stated(method):
    """docs/theory/sticking.md: the stiction velocity counts as at least 1e-5 mu w N dt, 3 / m the mean mobility w
    of a cube on its face; that of tamsi as it is. With friction that sticks nothing creeps."""
    random = np.random.default_rng(2666)
    for _ in range(4):
        side, ratio, mu = 10**random.uniform(-2, -0.5), 10**random.uniform(2, 4.3), random.uniform(0.2, 1.0)
        share, step, mass = random.uniform(0.1, 0.3), float(random.choice([5e-4, 1e-3])), 1e3 * side**3
        soft = isobar.Material(compliance="compliant", modulus=1e4 * ratio * mass * 9.81 / side**2,
                               friction_static=mu, friction_dynamic=mu, dissipation=10.0)
        model = isobar.Model()
        for name, weight, height in (("light", mass, 0.5 * side), ("heavy", ratio * mass, 1.5 * side)):
            model.add_body(name, weight, np.full(3, weight * side**2 / 6))
            model.add_geometry(name, isobar.box(side, side, side), material=soft)
            model.set_free_pose(name, (0, 0, height))
        model.add_geometry("world", isobar.half_space(), material=isobar.Material(
            compliance="rigid", friction_static=mu, friction_dynamic=mu))
        impulse = mass * (1 + ratio) * 9.81 * step
        least = 0.0 if method == "tamsi" else 1e-5 * mu * 3 / mass * impulse
        creep = (lambda r: 1 - math.sqrt(1 - r)) if method == "tamsi" else (lambda r: r / math.sqrt(1 - r**2))
        for friction in ("regularized", "stick") if method in ("lagged", "midpoint") else ("regularized",):
            world = isobar.World(model, time_step=step, gravity=(share * mu * 9.81, 0, -9.81), method=method,
                                 contact=isobar.ContactOptions(friction=friction))
            world.step(round(0.6 / step))
            start = world.body_pose("light").translation[0]
            world.step(round(0.2 / step))
            found = (world.body_pose("light").translation[0] - start) / 0.2
            if friction == "stick":
                assert abs(found) < 1e-10  # measured 3.2e-12
            else:  # measured 4.1e-4: the cube leans
                assert found == pytest.approx(max(STICTION, least) * creep(share), rel=2e-3)
