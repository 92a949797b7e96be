# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Makes an isobar.World of a drawn world, and runs it."""

import dataclasses
import time

import numpy as np

import isobar

from . import draw, meshes, turns

# Names of methods here: method of the step, friction.
METHODS = {"lagged": ("lagged", "stick"), "lagged_regularized": ("lagged", "regularized"),
           "sap": ("sap", "regularized"), "similar": ("similar", "regularized"),
           "tamsi": ("tamsi", "regularized"), "midpoint": ("midpoint", "stick"),
           "lagged_brush": ("lagged", "brush")}
# Those whose motion depends on nothing but the bodies: the grid of a field lies somewhere.
EVEN_METHODS = [name for name, (_, friction) in METHODS.items() if friction != "brush"]


def sticks(method):
    """Whether friction of a method holds a load without creeping."""
    return METHODS[method][1] in ("stick", "brush")


def _shape(form, sizes, cells):
    sizes = np.array(sizes)
    if form == "box":
        return isobar.box(*sizes)
    if form == "cylinder":
        return isobar.cylinder(0.5 * sizes[0], sizes[2])
    if form == "sphere":
        return isobar.sphere(0.5 * sizes[0])
    if form == "capsule":
        return isobar.capsule(0.5 * sizes[0], sizes[2] - sizes[0])
    if form == "ellipsoid":
        return isobar.ellipsoid(*(0.5 * sizes))
    if form == "half_space":
        return isobar.half_space()
    if form in ("triangles_12", "convex"):
        make = isobar.convex if form == "convex" else isobar.mesh
        return make(isobar.TriMesh(*meshes.box_triangles(sizes, 1)))
    if form == "triangles_many":
        return isobar.mesh(isobar.TriMesh(*meshes.box_triangles(sizes, cells)))
    if form == "tets":
        return isobar.mesh(isobar.TetMesh(*meshes.box_tets(sizes, (cells, cells, 2))))
    if form == "ball_triangles":
        return isobar.mesh(isobar.TriMesh(*meshes.ball_triangles(0.5 * sizes[0], 2)))
    return isobar.mesh(isobar.TetMesh(*meshes.ball_tets(0.5 * sizes[0], 2)))


def _material(world, part, time_step):
    size = max(world["body"]["sizes"])
    margin = {"auto": isobar.MARGIN_AUTO, "0": 0.0, "wide": 2e-4 * size}[world["margin"]]
    # As wide as the geometry is an error: the automatic one of a large step on a small body.
    if world["margin"] == "auto" and draw.GRAVITY * time_step**2 > 0.05 * min(world["body"]["sizes"]):
        margin = 0.0
    material = isobar.Material(
        compliance="rigid" if part["is_rigid"] else "compliant", modulus=part["modulus"],
        dissipation=world["dissipation"], relaxation_time=world.get("relaxation_time", 0.1),
        margin=margin, friction_static=world["mu"], friction_dynamic=world["mu"],
        resolution_hint=part.get("hint", 0.0))
    if part.get("form") == "half_space":
        material.slab_thickness = part["depth"]
    return material


def _support_sizes(world):
    """Wide enough for the body and its way."""
    size = max(world["body"]["sizes"])
    way = world.get("way", 0.0) + np.linalg.norm(world["velocity"]) * world["until"] + np.linalg.norm(
        world["belt"]) * world["until"] * (world["carrier"] == "surface")
    wide = 2.0 * (1.5 * size + way)
    return [wide, wide, world["support"]["depth"]]


def _options(world, friction, stiction, representation, cull):
    law = world.get("law", "viscous")
    # Springs of a field are stretched by at most mu hundred thousandths of the body.
    stiffness = 1e5 / max(world["body"]["sizes"]) if "brush" in (friction, law) else 0.0
    return isobar.ContactOptions(
        friction=friction, friction_law=law, representation=representation, cull=cull,
        stiction_velocity=stiction, friction_stiffness=stiffness,
        rigid_layer_thickness=world["layer"],
        rigid_layer_modulus=world["layer_modulus"])


def make(world, method, time_step, stiction=1e-4, accuracy=1e-7, representation="polygon", cull="none"):
    """(isobar.World, name of the body, of the support, rotation of the support).

    Steps are those asked for with every method: the accuracy is that of continuous ones alone.
    """
    body_name, support_name = ("a_body", "b_support") if world["is_body_first"] else ("b_body", "a_support")
    turn = turns.of_vector(world["turn"])
    step_method, friction = METHODS.get(method, (method, "regularized"))
    m, moments = draw.mass(world)
    model = isobar.Model()
    model.add_body(body_name, m, moments)
    model.add_geometry(body_name, _shape(world["body"]["form"], world["body"]["sizes"],
                                         world["body"]["cells"]),
                       "skin", material=_material(world, world["body"], time_step))
    body_turn = turn @ turns.of_vector(world["tilt"])
    belt = np.array([*world["belt"], 0.0])
    velocity = np.array(world["velocity"]) + belt
    model.set_free_pose(body_name, isobar.Pose(body_turn, turn @ [0.0, 0.0, world["height"]]))
    model.set_free_twist(body_name, np.concatenate([turn @ world["spin"], turn @ velocity]))
    _add_support(model, world, support_name, turn, belt, time_step)
    pull = np.array([*world["pull"], -world["normal_gravity"]])
    result = isobar.World(model, time_step=time_step, gravity=turn @ pull, method=step_method,
                          contact=_options(world, friction, stiction, representation, cull),
                          accuracy=accuracy, error_control=False, max_substeps=100000)
    if world["carrier"] == "prescribed":
        result.set_prescribed(support_name, isobar.Pose(turn, np.zeros(3)),
                              np.concatenate([np.zeros(3), turn @ belt]))
    return result, body_name, support_name, turn


def support_moment(world):
    """Of a support that floats: so large that it hardly turns."""
    return 10.0 * draw.mass(world)[0] * world["mass_ratio"] * max(_support_sizes(world)) ** 2


def _add_support(model, world, name, turn, belt, time_step):
    support, carrier = world["support"], world["carrier"]
    sizes = _support_sizes(world)
    shape = _shape(support["form"], sizes, support["cells"])
    low = [0.0, 0.0, 0.0 if support["form"] == "half_space" else -0.5 * sizes[2]]
    heavy = draw.mass(world)[0] * world["mass_ratio"]
    model.add_body(name, heavy, [support_moment(world)] * 3,
                   gravity_compensation=1.0 if carrier == "heavy" else 0.0)
    pose = isobar.Pose(turn, np.zeros(3))
    more = {"surface_velocity": belt} if carrier == "surface" else {}
    model.add_geometry(name, shape, "skin", x_bg=low,
                       material=_material(world, support, time_step), **more)
    if carrier == "heavy":
        model.set_free_pose(name, pose)
        model.set_free_twist(name, np.concatenate([np.zeros(3), turn @ belt]))
    else:
        model.add_joint("base", "weld", "world", name, x_pf=pose)


def _force(made, body, support, up, turn, height):
    """Elastic force along the normal at a height of the body [N]."""
    pose = isobar.Pose(made.body_pose(body).rotation, turn @ [0.0, 0.0, height])
    made.set_free_body(body, pose)
    made.update_contacts()
    total = 0.0
    for contact in made.contacts:
        sign = 1.0 if contact.body_name_b == body else -1.0
        total += sign * float(np.asarray(contact.wrench)[3:] @ up)
    return total


def equilibrium(world):
    """Height at which the elastic force bears the weight, for the rotation of the start."""
    still = {**world, "velocity": [0.0] * 3, "spin": [0.0] * 3, "belt": [0.0, 0.0], "carrier": "still",
             "dissipation": 0.0}
    made, body, support, turn = make(still, "rk45", 1e-3)
    up = turn[:, 2]
    weight = draw.mass(world)[0] * world["normal_gravity"]
    high = 0.51 * world["body"]["sizes"][2]
    low = high - 0.3 * min(world["body"]["sizes"])
    for _ in range(60):
        middle = 0.5 * (low + high)
        if _force(made, body, support, up, turn, middle) > weight:
            low = middle
        else:
            high = middle
    return high


@dataclasses.dataclass
class Motion:
    """Motion of the body in the axes of the support, relative to the belt's speed."""

    times: np.ndarray
    position: np.ndarray  # (n, 3)
    rotation: np.ndarray  # (n, 3, 3)
    velocity: np.ndarray  # (n, 3), of the centre
    spin: np.ndarray      # (n, 3)
    seconds: float = 0.0


class Slow(RuntimeError):
    """A run took longer than it may."""


def _relative(made, body, frame, back):
    """Place, rotation and twist of the body, in the axes of the support; of a support that floats,
    as it sees the body."""
    pose, twist = made.body_pose(body), made.body_twist(body)
    if not frame:
        return back @ pose.translation, back @ pose.rotation, np.concatenate(
            [back @ twist[:3], back @ twist[3:]])
    base, moved = made.body_pose(frame), made.body_twist(frame)
    back, arm = base.rotation.T, pose.translation - base.translation
    velocity = twist[3:] - moved[3:] - np.cross(moved[:3], arm)
    return back @ arm, back @ pose.rotation, np.concatenate([back @ (twist[:3] - moved[:3]),
                                                              back @ velocity])


def run(world, method, time_step, until=None, every=1, limit=20.0, **options):
    """Motion of a world, a state every so many steps."""
    if world.get("lies") and "found_height" not in world:
        world["found_height"] = True
        world["height"] = equilibrium(world) + world.get("lift", 0.0)
    made, body, support, turn = make(world, method, time_step, **options)
    until = world["until"] if until is None else until
    count = max(1, round(until / time_step / every))
    back = turn.T
    belt = np.array([*world["belt"], 0.0])
    frame = {"heavy": support}.get(world["carrier"])
    times, places, rotations, twists = [], [], [], []
    start = time.process_time()
    for index in range(count + 1):
        if index:
            made.step(every)
        place, rotation, twist = _relative(made, body, frame, back)
        times.append(made.time)
        places.append(place)
        rotations.append(rotation)
        twists.append(twist - (0.0 if frame else np.array([0.0, 0.0, 0.0, *belt])))
        if time.process_time() - start > limit:
            raise Slow(f"{method} at {time_step:g} s: {made.time:.3g} of {until:.3g} s in {limit:g} s")
    times, twists = np.array(times), np.array(twists)
    places = np.array(places)
    if not frame:
        places = places - times[:, None] * belt
    return Motion(times, places, np.array(rotations), twists[:, 3:], twists[:, :3],
                  time.process_time() - start)


def contact_force(world, motion, first, last=-1):
    """Mean force of contact on the body between two states [N], in the axes of the support."""
    m = draw.mass(world)[0]
    time_between = motion.times[last] - motion.times[first]
    pull = np.array([*world["pull"], -world["normal_gravity"]])
    change = (motion.velocity[last] - motion.velocity[first]) / time_between
    if world["carrier"] == "heavy":
        reduced = m / (1.0 + 1.0 / world["mass_ratio"])
        return reduced * (change - pull)
    return m * (change - pull)
