# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""The derivative of a step by parameters, beside worlds made anew with changed ones."""

import numpy as np
import pytest

import isobar

SHAPES = {"box": lambda s: isobar.box(2 * s, 1.6 * s, 1.8 * s), "sphere": isobar.sphere,
          "capsule": lambda s: isobar.capsule(s, s), "cylinder": lambda s: isobar.cylinder(s, 1.5 * s),
          "ellipsoid": lambda s: isobar.ellipsoid(s, 0.8 * s, 0.9 * s)}
KINDS = ("friction", "modulus", "dissipation", "pose")
# Steps of differences, of which the best counts: long ones meet edges of patches, short ones the residual
# of 1e-8 at which a step stops. Times those of a kind; others 1.
STEPS = (1e-4, 1e-3, 1e-2)
H = {"dissipation": 100.0, "pose": 1e-3}
TOLERANCE = 5e-6


def rotation(vector):
    """Rodrigues' formula."""
    angle = np.linalg.norm(vector)
    x, y, z = np.asarray(vector) / (angle or 1.0)
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * (k @ k)


class Drawn:
    """A body that slides and turns on the ground, and an arm with a motor whose tip presses on it."""

    def __init__(self, seed, shape, model, **settings):
        rng = np.random.default_rng(seed)
        self.shape, self.settings = shape, settings
        self.contact = isobar.ContactOptions(model=model, friction=settings.pop("friction", "stick"),
                                             stiction_velocity=0.05)
        self.ground_is_box = shape == "box" or model == "volumetric" or rng.random() < 0.3
        self.friction = rng.uniform(0.2, 1.0, 3)
        self.modulus = rng.uniform(1e5, 1e6, 3)
        self.dissipation = rng.uniform(2, 20, 3)
        self.mass = rng.uniform(0.2, 1.0, 2)
        self.tilt = rng.uniform(-0.3, 0.3, 3)
        self.twist = (*rng.uniform(-1, 1, 3), *rng.uniform(-0.2, 0.2, 2), -0.01)
        self.push = rng.uniform(0.2, 0.6)

    def world(self, kind=None, place=0, axis=0, change=0.0):
        friction, modulus, dissipation, mass = (x.copy() for x in (self.friction, self.modulus,
                                                                   self.dissipation, self.mass))
        pose = np.zeros((3, 6))
        if kind == "friction":
            friction[place] += change
        elif kind == "modulus":
            modulus[place] *= np.exp(change)
        elif kind == "dissipation":
            dissipation[place] += change
        elif kind == "mass":
            mass[place] *= np.exp(change)
        elif kind == "pose":
            pose[place, axis] = change
        soft = [isobar.Material(compliance="compliant", modulus=modulus[i], dissipation=dissipation[i],
                                slab_thickness=0.03, friction_static=friction[i],
                                friction_dynamic=friction[i]) for i in range(3)]

        def at(i, p=(0, 0, 0)):
            return isobar.Pose(rotation(pose[i, :3]), np.add(p, pose[i, 3:]))
        model = isobar.Model()
        model.add_body("body", mass=mass[0], inertia=np.full(3, 6e-4 * mass[0]))
        model.add_geometry("body", SHAPES[self.shape](0.05), name="skin", material=soft[0], x_bg=at(0))
        ground, depth = (isobar.box(1, 1, 0.1), -0.05) if self.ground_is_box else (isobar.half_space(), 0)
        model.add_geometry("world", ground, name="ground", material=soft[1], x_bg=at(1, (0, 0, depth)))
        model.add_body("arm", mass=mass[1], inertia=np.full(3, 1e-2 * mass[1]), center_of_mass=(0.1, 0, 0))
        model.add_joint("hinge", "revolute", "world", "arm", axis=(0, 1, 0), x_pf=(-0.2, 0, 0.125))
        model.add_actuator("motor", "hinge", kp=5.0, kd=0.1)
        model.add_geometry("arm", isobar.sphere(0.03), name="tip", material=soft[2], x_bg=at(2, (0.2, 0, 0)))
        return isobar.World(model, time_step=2e-3, contact=self.contact, **self.settings)

    def state(self):
        world = self.world()
        height = {"box": 0.0445, "cylinder": 0.0365}.get(self.shape, 0.0495)
        tilt = 0 if self.shape in ("box", "cylinder") else self.tilt[0]
        world.set_free_body("body", isobar.Pose(rotation((tilt, 0, self.tilt[2])), (0, 0, height)), self.twist)
        world.set_actuation("motor", self.push, 0.2, 0.0)
        world.step(12)
        return world


def asked(world):
    names = ("body::skin", "world::ground", "arm::tip")
    return ([(kind, name) for name in names for kind in KINDS] + [("mass", "body"), ("mass", "arm")])


def by_worlds(drawn, state, kind, place, axis, h):
    """Richardson's differences of the velocities after a step of worlds made with other parameters."""
    slopes = []
    for step in (h, h / 2):
        ends = []
        for change in (step, -step):
            world = drawn.world(kind, place, axis, change)
            world.restore(state, other_parameters=True)
            world.step()
            ends.append(world.get_state()[1])
        slopes.append((ends[0] - ends[1]) / (2 * step))
    return (4 * slopes[1] - slopes[0]) / 3


CASES = [("box", "pressure_field", "lagged", "stick"), ("sphere", "pressure_field", "sap", "regularized"),
         ("capsule", "pressure_field", "similar", "regularized"),
         ("cylinder", "pressure_field", "lagged", "regularized"),
         ("ellipsoid", "pressure_field", "lagged", "stick"), ("sphere", "hertz", "lagged", "regularized"),
         ("box", "volumetric", "lagged", "regularized")]


@pytest.mark.parametrize(("shape", "model", "method", "friction"), CASES)
def test_parameters_act_as_in_worlds_made_with_other_ones(shape, model, method, friction):
    drawn = Drawn(CASES.index((shape, model, method, friction)), shape, model, method=method,
                  friction=friction)
    world = drawn.state()
    before, state = world.state_hash, world.save()
    parameters = asked(world)
    found = world.linearize(parameters=parameters)
    assert found.reason is None and world.state_hash == before
    compared, moved = 0, 0
    for parameter in parameters:
        kind, name = parameter
        place = {"body": 0, "world": 1, "arm": 2}[name.split("::")[0]] - (parameter == ("mass", "arm"))
        columns = found.p[parameter].reshape(len(found.a), -1)
        for axis in range(columns.shape[1]):
            if np.ravel(found.p_errors[parameter])[axis] > 1e-6:
                continue
            column, velocities = columns[:, axis], world.v_count
            best = np.inf
            for step in STEPS:
                want = by_worlds(drawn, state, kind, place, axis, step * H.get(kind, 1.0))
                best = min(best, np.abs(column[velocities:] - want).max() / max(1.0, np.abs(want).max()))
                if best < TOLERANCE:
                    break
            assert best < TOLERANCE, (parameter, axis)
            compared, moved = compared + 1, moved + (np.abs(want).max() > 1e-6)
    assert compared >= 10 and moved >= 8, (compared, moved)


@pytest.mark.parametrize("method", ["midpoint", "tamsi"])
def test_other_methods_are_differentiated_by_whole_steps(method):
    drawn = Drawn(3, "sphere", "pressure_field", method=method, friction="regularized")
    world = drawn.state()
    found = world.linearize(parameters=[("friction", "body::skin"), ("mass", "body")])
    assert "none of lagged" in found.reason
    for parameter, kind in ((("friction", "body::skin"), "friction"), (("mass", "body"), "mass")):
        want = by_worlds(drawn, world.save(), kind, 0, 0, 1e-3)
        np.testing.assert_allclose(found.p[parameter][world.v_count:], want, atol=1e-4 * np.abs(want).max())


# Friction of sap and similar is regularised, whatever is asked.
LAWS = [(model, *law) for model in ("pressure_field", "hertz", "volumetric")
        for law in (("lagged", "stick"), ("lagged", "regularized"), ("sap", "regularized"), ("similar", "regularized"))]


@pytest.mark.parametrize(("model", "method", "friction"), LAWS)
def test_a_derivative_is_that_of_whole_steps_in_motion_and_near_rest(model, method, friction):
    """Steps that are compared are solved to rounding: else those near rest are off by 5e-4 and say 1e-8."""
    worst, compared = 0.0, 0
    for seed in range(2):
        for shape in ("sphere",) if model == "hertz" else ("sphere", "box"):
            world = Drawn(seed, shape, model, method=method, friction=friction).state()
            for steps in (0, 100, 500):
                world.step(steps)
                found, whole = world.linearize(), world.linearize(differences=True)
                assert found.reason is None
                smooth = (found.a_errors < 1e-6) & (whole.a_errors < 1e-6)
                off = np.abs(found.a - whole.a).max(axis=0) / np.maximum(1, np.abs(whole.a).max(axis=0))
                worst, compared = off[smooth].max(initial=worst), compared + smooth.sum()
    assert compared >= 60
    assert worst < 2e-5  # measured 7.3e-6 (hertz that sticks), else 1.4e-6


def test_what_has_no_such_parameter_is_refused():
    world = Drawn(1, "sphere", "pressure_field").state()
    for parameter, error, message in ((("modulus", "body"), isobar.NotFoundError, "no contact geometry is named 'body'"),
                                      (("mass", "arms"), isobar.NotFoundError, "no body is named 'arms'"),
                                      (("colour", "body::skin"), isobar.ArgumentError, "a kind of friction"),
                                      ("mass", isobar.ArgumentError, "a kind of friction")):
        with pytest.raises(error, match=message):
            world.linearize(parameters=[parameter])


def test_products_with_parameters_are_those_of_their_columns():
    world = Drawn(2, "sphere", "pressure_field").state()
    found = world.linearize(parameters=asked(world))
    g = np.random.default_rng(5).normal(size=len(found.a))
    products = found.vjp_parameters(g)
    assert products[("pose", "body::skin")].shape == (6,) and products[("mass", "body")].shape == ()
    for parameter, column in found.p.items():
        np.testing.assert_allclose(products[parameter], column.T @ g, rtol=1e-12)


def test_torch_differentiates_a_step():
    torch = pytest.importorskip("torch")
    drawn = Drawn(4, "sphere", "pressure_field", friction="regularized")
    state, parameter = drawn.state().save(), ("friction", "body::skin")

    class Step(torch.autograd.Function):
        @staticmethod
        def forward(ctx, change):
            world = drawn.world("friction", change=float(change))
            world.restore(state, other_parameters=True)
            ctx.found = world.linearize(parameters=[parameter])
            world.step()
            return torch.from_numpy(np.array(world.get_state()[1]))

        @staticmethod
        def backward(ctx, gradient):
            whole = np.concatenate([np.zeros(len(gradient)), gradient.numpy()])  # of q, and of v
            return torch.tensor(float(ctx.found.vjp_parameters(whole)[parameter]), dtype=torch.float64)

    change = torch.tensor(0.0, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(Step.apply, (change,), eps=1e-3, atol=1e-4)


def test_jax_differentiates_a_step():
    """By velocity and actuation, through pure_callback: JAX traces, so the state of the forward pass is its argument."""
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    drawn = Drawn(4, "sphere", "pressure_field", friction="regularized")
    start = drawn.state()
    state, start_v, count = start.save(), np.array(start.get_state()[1]), start.v_count

    def at(v, push):
        world = drawn.world()
        world.restore(state)
        world.set_state(None, np.asarray(v))
        world.set_actuation("motor", float(push), 0.2, 0.0)
        return world

    def run(v, push):
        world = at(v, push)
        world.step()
        return np.array(world.get_state()[1])

    def pull(v, push, gradient):
        x, u = at(v, push).linearize().vjp(np.concatenate([np.zeros(count), np.asarray(gradient)]))
        return x[count:], u[0, 0]

    velocities, number = jax.ShapeDtypeStruct((count,), float), jax.ShapeDtypeStruct((), float)

    @jax.custom_vjp
    def step(v, push):
        return jax.pure_callback(run, velocities, v, push)

    step.defvjp(lambda v, push: (step(v, push), (v, push)),
                lambda kept, gradient: jax.pure_callback(pull, (velocities, number), *kept, gradient))
    weights = np.random.default_rng(1).normal(size=count)

    @jax.jit
    def loss(v, push):
        return jax.numpy.dot(weights, step(v, push)) ** 2

    found_v, found_push = jax.grad(loss, argnums=(0, 1))(start_v, drawn.push)
    for i in range(count):
        h = 1e-4 * np.eye(count)[i]
        want = (loss(start_v + h, drawn.push) - loss(start_v - h, drawn.push)) / 2e-4
        np.testing.assert_allclose(found_v[i], want, rtol=1e-4, atol=1e-6 * np.abs(found_v).max())
    want = (loss(start_v, drawn.push + 1e-3) - loss(start_v, drawn.push - 1e-3)) / 2e-3
    np.testing.assert_allclose(found_push, want, rtol=1e-4)
