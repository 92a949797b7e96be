# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""The derivative of a step: closed forms, the chain rule, and where there is none."""

import conftest
import numpy as np
import pytest

import isobar

SEED = 99


def slide(mass, damping, kp, kd, step, contact=None):
    """A body on a vertical slide with a motor, over a floor when it has a geometry."""
    model = isobar.Model()
    model.add_body("carriage", mass=mass, inertia=(1e-2, 1e-2, 1e-2))
    model.add_joint("slide", "prismatic", "world", "carriage", axis=(0, 0, 1), damping=damping)
    model.add_actuator("motor", "slide", kp=kp, kd=kd)
    if contact is not None:
        model.add_geometry("world", isobar.half_space(), name="floor", material=isobar.Material(**contact))
        model.add_geometry("carriage", isobar.box(0.2, 0.2, 0.04), name="foot",
                           material=isobar.Material(compliance="rigid", friction_static=0.0,
                                                    friction_dynamic=0.0))
    return isobar.World(model, time_step=step)


def test_a_motor_on_a_slide_is_differentiated_as_on_paper():
    rng = np.random.default_rng(SEED)
    for _ in range(5):
        m, c, kp, kd, h = rng.uniform([0.1, 0, 0, 0, 1e-3], [3, 5, 500, 30, 0.02])
        world = slide(m, c, kp, kd, h)
        world.set_state(rng.uniform(-1, 1, 1), rng.uniform(-1, 1, 1))
        world.set_actuation("motor", *rng.uniform(-1, 1, 3))
        found = world.linearize()
        # m (v' - v) = h (u + kp (q* - q - h v') + kd (v* - v') - c v' - m g), q' = q + h v'
        d = m + h * (c + kd) + h * h * kp
        v = np.array([-h * kp / d, m / d])  # measured 3e-10 below
        np.testing.assert_allclose(found.a, [[1 + h * v[0], h * v[1]], v], atol=2e-9, rtol=0)
        b = np.array([h / d, h * kp / d, h * kd / d])
        np.testing.assert_allclose(found.b[:, 0], [h * b, b], atol=2e-9, rtol=0)
        assert found.is_smooth(3e-8)  # rounding over 1e-7 m; measured 6e-9


def test_a_block_on_soft_ground_is_differentiated_as_on_paper():
    """Without damping the lagged law is the linear spring of the ground at the end of the step
    (without friction, as the foot's sides rub on the ground)."""
    rng = np.random.default_rng(SEED)
    for _ in range(4):
        m, modulus, h = rng.uniform([0.5, 1e5, 1e-3], [3, 1e6, 5e-3])
        world = slide(m, 0.0, 0.0, 0.0, h, {"compliance": "compliant", "modulus": modulus,
                                            "slab_thickness": 0.02, "dissipation": 0.0, "margin": 0.0})
        k = modulus * 0.04 / 0.02  # [N/m]: the pressure rises to the modulus over the slab
        depth = rng.uniform(0.5, 2) * m * 9.81 / k
        world.set_state([0.02 - depth], rng.uniform(-0.01, 0.01, 1))
        found = world.linearize()
        d = m + h * h * k
        v = np.array([-h * k / d, m / d])
        np.testing.assert_allclose(found.a[:, 0], [1 + h * v[0], v[0]], rtol=1e-7)  # measured 1e-9
        # The law damps a little by the speed at the start: 3e-5 of the stiffness times the step. It is
        # affine in it, so any secant is the derivative.
        np.testing.assert_allclose(found.a[:, 1], [h * v[1], v[1]], rtol=1e-3)
        np.testing.assert_allclose(found.a[:, 1], secant(world, depth, h), rtol=1e-7)
        assert found.is_smooth()


def secant(world, depth, h):
    """Of a step over speeds that leave the foot in the ground."""
    ends = []
    for speed in (-0.4 * depth / h, 0.2 * depth / h):
        clone = world.clone()
        clone.set_state(None, [speed])
        clone.step()
        ends.append(np.concatenate(clone.get_state()))
    return (ends[1] - ends[0]) / (0.6 * depth / h)


def rolling(seed, friction="regularized", **settings):
    """A ball that rolls and an arm that presses on it, in a drawn state."""
    rng = np.random.default_rng(seed)
    model = conftest.soft_ball()
    model.add_body("link", mass=0.5, inertia=(5e-3, 5e-3, 5e-3), center_of_mass=(0.1, 0, 0))
    model.add_joint("hinge", "revolute", "world", "link", axis=(0, 1, 0), x_pf=(-0.2, 0, 0.115))
    model.add_actuator("motor", "hinge", kp=1.0, kd=0.1)
    model.add_geometry("link", isobar.box(0.5, 0.1, 0.02), x_bg=(0.1, 0, 0),
                       material=isobar.Material(compliance="rigid", friction_static=0.6, friction_dynamic=0.6))
    options = isobar.ContactOptions(friction=friction, stiction_velocity=0.5)
    world = isobar.World(model, **{"time_step": 2e-3, "contact": options, **settings})
    world.set_free_body("ball", (0, 0, 0.0489), (*rng.uniform(-2, 2, 3), *rng.uniform(-0.1, 0.1, 2), 0))
    world.set_joint("hinge", rng.uniform(0.05, 0.06), rng.uniform(-0.1, 0.1))
    world.set_actuation("motor", rng.uniform(0, 0.5), 0.1, 0.0)
    world.step(5)
    return world


def test_two_steps_are_the_product_of_each():
    """The chain rule holds between states that come one after the other: with contacts, rotations and
    an actuator."""
    worst = 0.0
    for seed in range(4):
        world = rolling(seed)
        assert len(world.contacts) >= 1
        first, both = world.linearize(), world.linearize(step_count=2)
        world.step()
        second = world.linearize()
        scale = np.abs(both.a).max()
        worst = max(worst, np.abs(second.a @ first.a - both.a).max() / scale,
                    np.abs(second.a @ first.b.reshape(len(first.a), -1)
                           + second.b.reshape(len(first.a), -1)
                           - both.b.reshape(len(first.a), -1)).max())
    assert worst < 1e-6  # measured 1.2e-9


@pytest.mark.parametrize(("method", "friction"), [("lagged", "stick"), ("lagged", "regularized"),
                                                  ("sap", "regularized"), ("similar", "regularized")])
def test_the_derivative_of_a_step_is_that_of_whole_steps(method, friction):
    """The implicit function theorem beside differences of steps, wherever these are smooth:
    both solve to rounding."""
    worst, compared = 0.0, 0
    for seed in range(4):
        world = rolling(seed, friction, method=method)
        found, whole = world.linearize(), world.linearize(differences=True)
        assert found.reason is None
        assert whole.reason == "differences are asked for"
        smooth = (found.a_errors < 1e-6) & (whole.a_errors < 1e-7)
        size = np.maximum(1, np.abs(whole.a).max(axis=0))
        worst = max(worst, (np.abs(found.a - whole.a).max(axis=0) / size)[smooth].max(),
                    np.abs(found.b - whole.b).max())
        compared += smooth.sum()
    assert compared >= 40  # measured 56 of 56
    assert worst < 1e-6  # measured 3.1e-7 (lagged that sticks), else 2.9e-8


def test_a_body_that_sticks_comes_back_with_its_stretch():
    """Friction that sticks remembers a place: what moves the body from there pushes it back, and a body
    at rest is the same after a step, whatever its stretch."""
    world = rolling(3, "stick")
    world.set_actuation("motor", 0.5, 0.1, 0.0)
    world.step(400)
    found = world.linearize()
    assert found.reason is None
    whole = world.linearize(differences=True)
    size = np.maximum(1, np.abs(whole.a).max(axis=0))
    assert (np.abs(found.a - whole.a).max(axis=0) / size).max() < 1e-5  # measured 2.1e-6, of the residual of steps


def test_steps_without_a_derivative_of_their_own_say_why():
    for settings, why in (({"method": "midpoint"}, "none of lagged, sap, similar"),
                          ({"method": "rk4", "time_step": 1e-4}, "none of lagged, sap, similar"),
                          ({"error_control": True}, "error control")):
        found = rolling(0, **settings).linearize()
        assert why in found.reason
    assert "several steps" in rolling(0).linearize(step_count=2).reason


def test_the_product_with_a_vector_is_that_of_the_matrices():
    found = rolling(1).linearize()
    g = np.random.default_rng(SEED).normal(size=len(found.a))
    x, u = found.vjp(g)
    np.testing.assert_allclose(x, found.a.T @ g, rtol=1e-12)
    np.testing.assert_allclose(u.ravel(), found.b.reshape(len(g), -1).T @ g, rtol=1e-12)


def test_threads_change_nothing_and_the_world_stays():
    world = rolling(2)
    before = world.save()
    one = world.linearize(differences=True)
    many = world.linearize(differences=True, thread_count=3)
    np.testing.assert_array_equal(one.a, many.a)
    np.testing.assert_array_equal(one.b, many.b)
    assert world.save() == before


def test_where_there_is_no_derivative_the_errors_say_so():
    world = slide(1.0, 0.0, 0.0, 0.0, 1e-3, {"compliance": "compliant", "modulus": 1e6,
                                        "slab_thickness": 0.02, "dissipation": 0.0, "margin": 0.0})
    world.set_state([0.02], [9.81e-3])  # at the end of the step it just touches
    found = world.linearize()
    assert not found.is_smooth(1e-3)
    with pytest.raises(isobar.RangeError, match="0 time steps"):
        world.linearize(step_count=0)
    with pytest.raises(isobar.RangeError, match="position step is -1"):
        world.linearize(position_step=-1)
