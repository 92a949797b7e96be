# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Tendons that run through space, made in Python and in scenario files: both are the same tendon,
its length is that of the straight pieces, and its rate the slope of its length."""

import numpy as np
import pytest

import isobar

BODIES = ("world", "upper", "lower")


def draw_parts(random):
    """Points on three bodies, an obstacle with or without a side, a pulley."""
    def place():
        return [round(float(x), 3) for x in random.uniform(-0.5, 0.5, 3)]

    parts = [("point", BODIES[i % 3], place()) for i in range(int(random.integers(2, 5)))]
    kind = str(random.choice(["sphere", "cylinder"]))
    side = ("lower", place()) if random.random() < 0.5 else None
    parts.insert(1, (kind, "upper", place(), round(float(random.uniform(0.02, 0.2)), 3), side))
    if random.random() < 0.6:
        parts += [("pulley", round(float(random.uniform(0.5, 3)), 3)), ("point", "world", place()),
                  ("point", "lower", place())]
    return parts


def pose_of(place):
    return isobar.Pose(translation=place)


def make_part(model, part):
    if part[0] == "pulley":
        return isobar.RoutePart(kind="pulley", divisor=part[1])
    made = isobar.RoutePart(kind=part[0], body=model.body_index(part[1]), x_bs=pose_of(part[2]))
    if part[0] != "point":
        made.radius = part[3]
        if part[4]:
            made.other, made.x_bo = model.body_index(part[4][0]), pose_of(part[4][1])
    return made


def text_of(part):
    if part[0] == "pulley":
        return f"{{pulley: {part[1]}}}"
    more = "" if part[0] == "point" else f", radius: {part[3]}"
    if len(part) > 4 and part[4]:
        more += f", side: {part[4][0]}, side_pose: {{translation: {part[4][1]}}}"
    return f"{{{part[0]}: {part[1]}, pose: {{translation: {part[2]}}}{more}}}"


SCENE = """
bodies:
- {{name: upper, mass: 1, inertia: [0.1, 0.1, 0.1]}}
- {{name: lower, mass: 1, inertia: [0.1, 0.1, 0.1]}}
joints:
- {{name: a, type: revolute, parent: world, child: upper, axis: [0, 1, 0]}}
- {{name: b, type: revolute, parent: upper, child: lower, axis: [1, 0, 0]}}
fixed_tendons:
- {{name: rope, route: [{route}], stiffness: 3, damping: 0.2, spring_reference: 0.4}}
"""


def make_world(parts):
    model = isobar.Model()
    for name in ("upper", "lower"):
        model.add_body(name, mass=1.0, inertia=np.eye(3) * 0.1)
    model.add_joint("a", "revolute", isobar.WORLD_BODY, "upper", axis=(0, 1, 0))
    model.add_joint("b", "revolute", "upper", "lower", axis=(1, 0, 0))
    model.add_route("rope", [make_part(model, part) for part in parts], stiffness=3.0, damping=0.2,
                    spring_reference=0.4)
    (tendon,) = model.fixed_tendons
    assert [part.kind for part in tendon.parts] == [part[0] for part in parts]
    return isobar.World(model, time_step=1e-3)


@pytest.mark.parametrize("seed", range(12))
def test_routes_of_python_and_of_files_are_the_same_tendon(seed, tmp_path):
    random = np.random.default_rng(seed)
    parts = draw_parts(random)
    path = tmp_path / "scene.yaml"
    path.write_text(SCENE.format(route=", ".join(map(text_of, parts))), encoding="utf-8")
    worlds = make_world(parts), isobar.load(path).create_world()
    q, v, h = random.uniform(-1, 1, 2), random.uniform(-1, 1, 2), 1e-6
    states = []
    for world in worlds:
        lengths = []
        for step in (h, -h, 0.0):
            world.set_state(q + step * v, v)
            lengths.append(world.fixed_tendons[0].length)
        state = world.fixed_tendons[0]
        assert state.velocity == pytest.approx((lengths[0] - lengths[1]) / (2 * h), abs=1e-8)
        assert state.passive_effort == pytest.approx(-3 * (state.length - 0.4) - 0.2 * state.velocity)
        states.append((state.length, state.velocity))
    assert states[0] == states[1]


def test_straight_pieces_are_as_long_as_their_points_are_apart():
    random = np.random.default_rng(5)
    places = [[float(x) for x in random.uniform(-1, 1, 3)] for _ in range(3)]
    world = make_world([("point", body, place) for body, place in zip(BODIES, places, strict=True)])
    spans = [np.linalg.norm(np.subtract(a, b)) for a, b in zip(places, places[1:], strict=False)]
    assert world.fixed_tendons[0].length == pytest.approx(sum(spans), abs=1e-14)


@pytest.mark.parametrize(("route", "message"), [
    ("{point: world}, {sphere: upper, radius: 0.1}", "each sphere and cylinder of its route between"),
    ("{point: world, radius: 1}, {point: upper}", "a point of a route has no radius"),
    ("{point: world, sphere: upper, radius: 1}", "has 2 of point, sphere, cylinder and pulley"),
    ("{pulley: 0}, {point: upper}, {point: world}", "divisor of part 0 is 0, expected finite and not 0"),
    ("{sphere: upper}", "radius"),
    ("{point: uper}, {point: world}", "did you mean 'upper'"),
])
def test_bad_routes_are_named_with_their_line(route, message, tmp_path):
    path = tmp_path / "scene.yaml"
    path.write_text(SCENE.format(route=route), encoding="utf-8")
    with pytest.raises(isobar.Error, match="scene.yaml:9.*" + message):
        isobar.load(path)
