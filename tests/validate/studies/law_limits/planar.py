# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Coulomb's law of a flat patch, integrated finely: what a body that spins, or slides and spins, feels.

Pressures are those of the patch at rest, corner by corner, so no rule of quadrature of the engine's is
in them but the force. Friction tips the body: pressure then has a slope in the plane that holds its
moment, as of a rigid body on springs.
"""

import numpy as np

from . import build, draw, limits
from .measure import Finding, Rejected, check_steady, describe, oracle

_CUTS = 5


def _cut(corners, pressures):
    """Centroids, areas, pressures of the parts of a triangle cut in 4**_CUTS."""
    points, values = corners[None], pressures[None]
    for _ in range(_CUTS):
        a, b, c = (points[:, i] for i in range(3))
        p, q, r = (values[:, i] for i in range(3))
        ab, bc, ca = 0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + a)
        pq, qr, rp = 0.5 * (p + q), 0.5 * (q + r), 0.5 * (r + p)
        points = np.concatenate([np.stack(t, axis=1) for t in (
            (a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))])
        values = np.concatenate([np.stack(t, axis=1) for t in (
            (p, pq, rp), (pq, q, qr), (rp, qr, r), (pq, qr, rp))])
    areas = 0.5 * np.linalg.norm(np.cross(points[:, 1] - points[:, 0], points[:, 2] - points[:, 0]),
                                 axis=1)
    return points.mean(axis=1), areas * np.maximum(values.mean(axis=1), 0.0)


def patch_points(world):
    """(places in the plane about the body's axis (n, 2), shares of the normal force (n,)) of the patch
    at rest, in the axes of the support. Into the world goes side_arm: the moment that the sides, which dip
    in and bear no weight, have by friction in spin, over friction times the normal force."""
    if "found_height" not in world:
        world["height"] = build.equilibrium(world)
        world["found_height"] = True
    still = {**world, "velocity": [0.0] * 3, "spin": [0.0] * 3, "carrier": "still", "dissipation": 0.0}
    made, body, _, turn = build.make(still, "rk45", 1e-3)
    made.update_contacts()
    if len(made.contacts) == 0:
        raise Rejected("no patch at rest")
    places, forces, sides = [], [], 0.0
    for contact in made.contacts:
        patch = contact.patch
        vertices = (np.asarray(patch.vertices) - made.body_pose(body).translation) @ turn
        pressures, offsets = np.asarray(patch.vertex_pressures), np.asarray(patch.face_offsets)
        normals = np.asarray(patch.normals) @ turn
        for face in range(patch.face_count):
            corners = range(int(offsets[face]), int(offsets[face + 1]))
            for second, third in zip(corners[1:], corners[2:]):
                chosen = [corners[0], second, third]
                place, force = _cut(vertices[chosen], pressures[chosen])
                if abs(normals[face, 2]) < 0.99:  # it stands on an edge and bears no weight
                    slip = np.stack([-place[:, 1], place[:, 0], np.zeros(len(place))], axis=1)
                    slip -= np.outer(slip @ normals[face], normals[face])
                    sides += float(force @ np.linalg.norm(slip, axis=1))
                    continue
                places.append(place)
                forces.append(force)
    places, forces = np.concatenate(places)[:, :2], np.concatenate(forces)
    keep = forces > 0
    world["side_arm"] = sides / forces.sum()
    # A grid of bins keeps the number of points small however many faces there are.
    return _binned(places[keep], forces[keep] / forces.sum())


def _binned(places, shares, count=28):
    low, high = places.min(axis=0), places.max(axis=0)
    index = np.minimum((count * (places - low) / (high - low + 1e-300)).astype(int), count - 1)
    key = index[:, 0] * count + index[:, 1]
    total = np.bincount(key, shares, count * count)
    used = total > 0
    middle = np.stack([np.bincount(key, shares * places[:, i], count * count)[used] / total[used]
                       for i in range(2)], axis=1)
    return middle, total[used]


def spin(world, method):
    """The moment about the normal of a flat body that spins in its place."""
    places, shares = patch_points(world)
    limits.check_tall(world, method, places, shares)
    world, more = limits.fit(world, method)
    arm = float(shares @ np.linalg.norm(places, axis=1)) + world["side_arm"]
    weight = draw.mass(world)[0] * world["normal_gravity"]
    torque = world["mu"] * weight * arm
    every = max(1, round(world["until"] / world["time_step"] / 200))
    motion = build.run(world, method, world["time_step"], every=every)
    first = int(np.searchsorted(motion.times, world["settle"]))
    moment = draw.mass(world)[1][2]
    gained = motion.spin[-1, 2] - motion.spin[first, 2]
    normal = build.contact_force(world, motion, first)[2]
    found = -np.sign(world["spin"][2]) * moment * gained / (motion.times[-1] - motion.times[first])
    if normal > 0.2 * weight:  # else it flies
        found *= weight / normal
    off = abs(found / torque - 1)
    if off > 0.01 + more:
        check_steady(world)
    note = (f"{describe(world)}, {world['spin'][2]:.3g} rad/s, dt {world['time_step']:.2g}: torque "
            f"{found:.5g} Nm, Coulomb {torque:.5g}")
    return [Finding("spinning: torque over Coulomb's", off, 0.01 + more,
                    world["seed"], method, note)]


def _accelerations(world, places, shares, velocity, spin_rate):
    """Of a body that slides and spins, with the slope of pressure that its tipping moment asks for."""
    m, moments = draw.mass(world)
    slips = velocity + spin_rate * np.stack([-places[:, 1], places[:, 0]], axis=1)
    speeds = np.maximum(np.linalg.norm(slips, axis=1), 1e-9)
    directions = -world["mu"] * slips / speeds[:, None]
    centred = places - shares @ places
    second = (centred * shares[:, None]).T @ centred
    weights = shares
    for _ in range(4):
        force = weights @ directions
        shift = -world["height"] * force - shares @ places
        slope = np.linalg.solve(second, shift)
        weights = np.maximum(shares * (1.0 + centred @ slope), 0.0)
        weights = weights / weights.sum()
    normal = m * world["normal_gravity"]
    force = weights @ directions
    torque = weights @ (places[:, 0] * directions[:, 1] - places[:, 1] * directions[:, 0])
    return normal * force / m, normal * torque / moments[2]


def _coast(world, places, shares, velocity, spin_rate, time, steps=80):
    """Velocity and spin after a time, by Runge and Kutta's method; the patch turns with the body."""
    angle, h = 0.0, time / steps

    def rate(state):
        c, s = np.cos(state[3]), np.sin(state[3])
        turned = places @ np.array([[c, s], [-s, c]])
        linear, angular = _accelerations(world, turned, shares, state[:2], state[2])
        return np.array([*linear, angular, state[2]])

    state = np.array([*velocity, spin_rate, angle])
    for _ in range(steps):
        a = rate(state)
        b = rate(state + 0.5 * h * a)
        state = state + h * b
    return state[:2], state[2]


def _beyond_coast(world, motion, places, shares):
    """What a motion ends with beyond Coulomb's, over what friction takes: velocity and spin (3,); and a note."""
    first = int(np.searchsorted(motion.times, world["settle"]))
    turned = np.arctan2(motion.rotation[first, 1, 0], motion.rotation[first, 0, 0]) - np.arctan2(
        motion.rotation[0, 1, 0], motion.rotation[0, 0, 0])
    c, s = np.cos(turned), np.sin(turned)
    places = places @ np.array([[c, s], [-s, c]])
    span = motion.times[-1] - motion.times[first]
    # Friction follows the normal force there is, which swings about the weight.
    normal = build.contact_force(world, motion, first)[2] / draw.mass(world)[0]
    velocity, rate = _coast({**world, "normal_gravity": normal}, places, shares,
                            motion.velocity[first, :2], motion.spin[first, 2], span)
    size = 0.5 * float(np.hypot(*world["body"]["sizes"][:2]))
    off = np.array([*(motion.velocity[-1, :2] - velocity), (motion.spin[-1, 2] - rate) * size])
    note = (f"ends with {motion.velocity[-1, :2].round(5)} m/s, {motion.spin[-1, 2]:.5g} rad/s, "
            f"Coulomb {velocity.round(5)}, {rate:.5g}")
    return off / (world["mu"] * draw.GRAVITY * span), note


def _size(off):
    return float(np.linalg.norm(off[:2]) + abs(off[2]))


def slide_spin(world, method):
    """Velocity and spin after a while of sliding and spinning. What rocks without damping has other
    friction than at rest; steps damp it, so that a method may lie between rk45 and the patch at rest."""
    places, shares = patch_points(world)
    world, more = limits.fit(world, method)
    more += limits.turning_lag(world, method)
    every = max(1, round(world["until"] / world["time_step"] / 200))
    motion = build.run(world, method, world["time_step"], every=every)
    beyond, note = _beyond_coast(world, motion, places, shares)
    off = _size(beyond)
    if off > 0.02 + more:
        check_steady(world)
        try:
            truth, _ = _beyond_coast(world, oracle(world), places, shares)
            off = max(off - _size(truth), 0.0)
            note += f", rk45 is {_size(truth):.3g} off that"
        except Rejected as problem:
            note += f", {problem}"
    note = (f"{describe(world)}, {np.linalg.norm(world['velocity']):.3g} m/s, {world['spin'][2]:.3g} rad/s, "
            f"dt {world['time_step']:.2g}: {note}")
    return [Finding("sliding and spinning: error over what friction takes", off, 0.02 + more,
                    world["seed"], method, note)]
