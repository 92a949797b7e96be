# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Draws a world from a seed: a body on a support, how both are made, and how they move.

The seed chooses the motion by its remainder, all else at random. What could not be judged is left
out while drawing: bodies whose weight alone presses them half through, boxes that friction tips.
Everything is stated in the frame of the support: z is its normal, the body's start is above z = 0.
"""

import math

import numpy as np

from . import turns

GRAVITY = 9.81
MOTIONS = ("slide", "rest", "oblique", "push", "spin", "slide", "roll", "bounce", "tip", "slide_spin")

_FLAT = ("box", "box", "cylinder", "triangles_12", "triangles_many", "tets", "convex")
_ROUND = ("sphere", "sphere", "ball_triangles", "ball_tets")
_LONG = ("capsule", "ellipsoid")
_SUPPORTS = ("half_space", "half_space", "box", "triangles_12", "triangles_many", "tets")
# Forms that are surfaces have no field, those of tetrahedra must have one.
_RIGID_ONLY, _SOFT_ONLY = ("triangles_12", "triangles_many", "ball_triangles"), ("tets", "ball_tets")
_CARRIERS = ("still", "still", "prescribed", "surface", "heavy")


def _log(random, low, high):
    return float(np.exp(random.uniform(math.log(low), math.log(high))))


def _is_rigid(random, form):
    if form in _RIGID_ONLY or form in _SOFT_ONLY:
        return form in _RIGID_ONLY
    return bool(random.random() < 0.5)


def motion_of(seed):
    return MOTIONS[seed % len(MOTIONS)]


def draw(seed):
    """World of a seed; the first of its tries that can be judged. rejected: tries before it."""
    random = np.random.default_rng([2026, seed])
    for attempt in range(200):
        world = _try(random, seed)
        if world is not None:
            return {**world, "rejected": attempt}
    raise RuntimeError(f"seed {seed}: nothing to judge in 200 tries")


def _try(random, seed):
    motion = motion_of(seed)
    is_round = motion in ("roll",) or (motion in ("oblique", "bounce") and random.random() < 0.6) or (
        motion in ("slide", "rest") and random.random() < 0.25)
    world = {"seed": seed, "motion": motion, "is_round": bool(is_round)}
    world["mu"] = 0.0 if random.random() < 0.12 else random.uniform(0.02, 1.5)
    if motion in ("push", "spin", "slide_spin", "tip", "rest"):
        world["mu"] = random.uniform(0.05, 1.5)
    world["dissipation"] = 0.0 if random.random() < 0.15 else _log(random, 0.1, 200.0)
    _draw_bodies(random, world)
    world["margin"] = str(random.choice(["auto", "0", "wide"]))
    world["carrier"] = str(random.choice(_CARRIERS))
    if motion in ("rest", "push") and world["carrier"] == "heavy":
        world["carrier"] = "prescribed"  # what floats turns, and with it where gravity pulls
    world["belt"] = [0.0, 0.0]
    if world["carrier"] != "still":
        world["belt"] = list(_log(random, 0.01, 3.0) * _direction(random.uniform(0, 2 * math.pi)))
    world["mass_ratio"] = _log(random, 1e3, 1e6)
    world["is_body_first"] = bool(random.random() < 0.5)
    world["turn"] = (turns.draw(random) if random.random() < 0.5 else np.zeros(3)).tolist()
    world["heading"] = random.uniform(0, 2 * math.pi)
    world["yaw"] = random.uniform(0, 2 * math.pi)
    return _DRAW[motion](random, world) if _is_sound(world) else None


def _direction(angle):
    return np.array([math.cos(angle), math.sin(angle)])


def _draw_bodies(random, world):
    form = str(random.choice(_ROUND if world["is_round"] else _FLAT))
    if not world["is_round"] and world["motion"] in ("oblique", "bounce") and random.random() < 0.35:
        form = str(random.choice(_LONG))
    size = _log(random, 1e-3, 1.0)
    body = {"form": form, "is_rigid": _is_rigid(random, form)}
    if world["is_round"]:
        body["sizes"] = [size, size, size]
    else:
        side, low = random.uniform(0.5, 1.0, 2), random.uniform(0.1, 1.2)
        body["sizes"] = [size * side[0], size * side[1], size * low * min(side)]
        if form in ("cylinder", "capsule"):
            body["sizes"][1] = body["sizes"][0]
        if form == "capsule":
            body["sizes"][2] = body["sizes"][0] * random.uniform(1.3, 3.0)
    body["cells"] = int(random.integers(2, 5))
    body["hint"] = random.uniform(0.15, 0.5) * size / 2
    body["density"] = _log(random, 100.0, 10000.0)
    form = str(random.choice(_SUPPORTS))
    support = {"form": form, "is_rigid": _is_rigid(random, form), "cells": int(random.integers(2, 5)),
               "depth": size * random.uniform(0.2, 1.0)}
    for part in (body, support):
        part["modulus"] = _log(random, 1e4, 2e11)
    world.update(body=body, support=support)
    world["layer"] = size * _log(random, 5e-3, 5e-2)
    world["layer_modulus"] = _log(random, 1e5, 1e9)


def is_layer(world):
    return world["body"]["is_rigid"] and world["support"]["is_rigid"]


def mass(world):
    """Of the body [kg], and its moments about its centre."""
    body = world["body"]
    x, y, z = body["sizes"]
    if world["is_round"]:
        m = body["density"] * math.pi / 6 * x**3
        return m, [0.1 * m * x * x] * 3
    m = body["density"] * x * y * z * (0.52 if body["form"] in _LONG else 1.0)
    if body["form"] == "cylinder":
        m *= math.pi / 4
        side = m * (3 * x * x / 4 + z * z) / 12
        return m, [side, side, m * x * x / 8]
    return m, [m * (y * y + z * z) / 12, m * (x * x + z * z) / 12, m * (x * x + y * y) / 12]


def footprint(world):
    """Area of the flat end [m^2]."""
    x, y, _ = world["body"]["sizes"]
    return x * y * (math.pi / 4 if world["body"]["form"] == "cylinder" else 1.0)


def compliances(world):
    """[(length over which the pressure rises, its modulus), ...] of what gives way."""
    if is_layer(world):
        return [(world["layer"], world["layer_modulus"])]
    parts = []
    if not world["body"]["is_rigid"]:
        parts.append((0.5 * min(world["body"]["sizes"]), world["body"]["modulus"]))
    if not world["support"]["is_rigid"]:
        depth = world["support"]["depth"]
        parts.append((depth if world["support"]["form"] == "half_space" else 0.5 * depth,
                      world["support"]["modulus"]))
    return parts


def give(world):
    """Depth over pressure of the pair [m/Pa]."""
    return sum(length / modulus for length, modulus in compliances(world))


def rest_depth(world, force):
    """How deep a force presses the body in, and the pressure there."""
    c = give(world)
    if world["is_round"]:
        depth = math.sqrt(force * c / (math.pi * 0.5 * world["body"]["sizes"][0]))
        return depth, depth / c
    pressure = force / footprint(world)
    return pressure * c, pressure


def _raise_moduli(random, world, pressure_of, most):
    """Moduli at which the body gives way by at most a share of its fields; False: not found."""
    share = most * _log(random, 0.1, 1.0)
    for _ in range(60):
        pressure = pressure_of()
        worst = max(pressure / modulus for _, modulus in compliances(world))
        if worst <= most:
            return True
        factor = 1.5 * worst / share if worst > 10 * most else 1.5
        for part in (world["body"], world["support"]):
            if pressure > most * part["modulus"]:
                part["modulus"] *= factor
        if pressure > most * world["layer_modulus"]:
            world["layer_modulus"] *= factor
    return False


def _is_sound(world):
    body, support = world["body"], world["support"]
    # A skin that moves over tetrahedra of unlike slopes is no steady support.
    if world["carrier"] == "surface" and not support["is_rigid"] and support["form"] != "half_space":
        return False
    # Two open or flat rigid surfaces have no layer between them.
    return not (is_layer(world) and support["form"] == "triangles_12" and body["form"] == "triangles_12"
                and support["depth"] < 2 * world["layer"])


def _bear(random, world, most=0.03):
    """The weight presses in by at most 3 % of what gives way."""
    weight = mass(world)[0] * GRAVITY
    return _raise_moduli(random, world, lambda: rest_depth(world, weight)[1], most)


def _lie(world, speed=0.0, spin=0.0):
    """The body lies on the support as deep as its weight asks, and moves."""
    depth = rest_depth(world, mass(world)[0] * world["normal_gravity"])[0]
    world["height"] = 0.5 * world["body"]["sizes"][2] - depth
    world["lies"] = True
    world["tilt"] = [0.0, 0.0, world["yaw"]]
    way = _direction(world["heading"])
    world["velocity"] = [*(speed * way), 0.0]
    world["spin"] = [0.0, 0.0, spin]


def _lean(world, share, heading):
    """Gravity along the support is a share of what friction holds, its normal part the rest."""
    slope = share * world["mu"]
    world["normal_gravity"] = GRAVITY / math.hypot(1.0, slope)
    world["pull"] = list(world["normal_gravity"] * slope * _direction(heading))


def _tips(world, share, load=None):
    """Friction moves the centre of pressure by more than a share of the half width."""
    x, y, z = world["body"]["sizes"]
    slope = world["mu"] if load is None else load
    return not world["is_round"] and slope * 0.5 * z > share * 0.5 * min(x, y)


def _smooth(random, world):
    """Soft enough to turn over its facets without leaps, which no step of 10 us would follow."""
    radius = 0.5 * world["body"]["sizes"][0]
    depth = rest_depth(world, mass(world)[0] * GRAVITY)[0]
    ratio = (depth / (radius * _log(random, 8e-3, 3e-2))) ** 2
    world["body"]["hint"] = radius * random.uniform(0.15, 0.22)
    return _scale(world, ratio) and _bear(random, world, 0.05)


def _slide(random, world):
    speed = _log(random, 0.01, 3.0)
    if _tips(world, 0.6) or not _bear(random, world):
        return None
    dt = min(1e-3, 1e-3 / speed) * float(random.choice([1.0, 1.0, 0.5, 0.2]))
    drag = world["mu"] * GRAVITY
    if world["is_round"] and drag > 0:
        dt = min(dt, 0.5 * speed / (3.5 * drag * 60))
    steps = int(random.integers(80, 200))
    rise = 4 * 5e-5 / speed
    time = rise + steps * dt
    share = 0.0
    if drag > 0 and not world["is_round"]:
        share = 1.0 - min(1.0, 0.5 * speed / (drag * time)) * random.uniform(0.3, 1.0)
    elif drag > 0:
        time = min(time, 0.5 * speed / (3.5 * drag))
        turned = 1.25 * drag / (0.5 * world["body"]["sizes"][0]) * time**2
        if time < 2 * rise or (turned > 0.05 and not _smooth(random, world)):
            return None
    _lean(world, share, world["heading"])
    _lie(world, speed)
    world.update(time_step=dt, until=time, settle=min(0.5 * time, rise + 0.3 * steps * dt))
    return world


def _rest(random, world):
    world["dissipation"] = max(world["dissipation"], 2.0)
    share = 0.0 if world["is_round"] or random.random() < 0.5 else random.uniform(0.1, 0.9)
    if _tips(world, 0.8, share * world["mu"]) or not _bear(random, world):
        return None
    _lean(world, share, world["heading"])
    _lie(world)
    world["lift"] = random.uniform(0, 0.5) * rest_depth(world, mass(world)[0] * GRAVITY)[0]
    world.update(time_step=float(random.choice([5e-4, 1e-3, 1e-3, 2e-3, 5e-3])), until=4.0,
                 share=share)
    return world


def _push(random, world):
    share = float(random.choice([random.uniform(0.8, 0.95), random.uniform(1.03, 1.3)]))
    if _tips(world, 0.92, share * world["mu"]) or not _bear(random, world):
        return None
    world["dissipation"] = max(world["dissipation"], 2.0)
    _lean(world, share, world["heading"])
    _lie(world)
    until = 2.0
    if share > 1:  # it slides 0.1 to 3 m/s fast and at least fifty times what it sticks over
        until = max(0.1, min(0.3, 1.0 / ((share - 1) * world["mu"] * GRAVITY)))
    world.update(time_step=float(random.choice([5e-4, 1e-3, 2e-3])), until=until, share=share,
                 way=0.5 * max(share - 1, 0) * world["mu"] * GRAVITY * until**2)
    return world


def _spins(random, world, speed):
    """Spins of a flat body whose rim moves by at most 1 mm a step."""
    x, y, _ = world["body"]["sizes"]
    rim = _log(random, 0.02, 1.0)
    dt = min(1e-3, 1e-3 / max(rim, speed)) * float(random.choice([1.0, 0.5, 0.2]))
    return float(random.choice([-1, 1])) * 2 * rim / math.hypot(x, y), rim, dt


def _is_shallow(world, speed):
    """The edges, which the continuous law damps as they plough, take at most 0.4 % of the friction.
    Moduli rise until it is so; False: they would be too high."""
    length = min(world["body"]["sizes"][:2])
    for _ in range(60):
        depth = rest_depth(world, mass(world)[0] * GRAVITY)[0]
        if depth * max(1.0, world["dissipation"] * speed) <= 0.004 * world["mu"] * length:
            return all(modulus <= 2e11 for _, modulus in compliances(world))
        _scale(world, 1.5)
    return False


def _spin(random, world):
    if not _bear(random, world):
        return None
    _lean(world, 0.0, 0.0)
    spin, rim, dt = _spins(random, world, 0.0)
    if not _is_shallow(world, rim):
        return None
    _lie(world, 0.0, spin)
    slowing = abs(spin) / (world["mu"] * GRAVITY * world["body"]["sizes"][0] * mass(world)[0] / (
        3 * mass(world)[1][2]))
    dt = min(dt, 0.4 * slowing / 60)
    rise = 4 * 5e-5 / rim
    world.update(time_step=dt, until=0.4 * slowing, settle=min(0.1 * slowing, rise + 10 * dt))
    return world


def _slide_spin(random, world):
    speed = _log(random, 0.02, 1.0)
    if _tips(world, 0.3) or not _bear(random, world):
        return None
    _lean(world, 0.0, 0.0)
    spin, rim, dt = _spins(random, world, speed)
    if not _is_shallow(world, rim + speed):
        return None
    _lie(world, speed, spin)
    slowing = min(speed, rim) / (world["mu"] * GRAVITY)
    rise = 4 * 5e-5 / min(speed, rim)
    if rise > 0.3 * slowing:
        return None
    world.update(time_step=min(dt, slowing / 60), until=0.7 * slowing, settle=rise)
    return world


def impact(world, speed):
    """Depth, time and pressure of a blow at a speed of approach."""
    m, c = mass(world)[0], give(world)
    # What is flat or long is hit on a blunt side at best, on a sharp one at worst.
    radius = 0.5 * min(world["body"]["sizes"])
    depth = (1.5 * m * speed**2 * c / (math.pi * radius)) ** (1 / 3)
    return depth, 3.0 * depth / speed, depth / c


def _scale(world, ratio):
    """Moduli times a ratio; whether they stay in range."""
    for part in (world["body"], world["support"]):
        part["modulus"] *= ratio
    world["layer_modulus"] *= ratio
    return all(1e4 <= modulus <= 2e11 for _, modulus in compliances(world))


def _blow(random, world, speed):
    """Moduli at which a blow takes at least 0.6 ms; None: there are none."""
    if not _bear(random, world, 0.02):
        return None
    if not _raise_moduli(random, world, lambda: impact(world, speed)[2], 0.12):
        return None
    if impact(world, speed)[1] < 6e-4:
        return None
    return impact(world, speed) if _scale(world, 1.0) else None


def _reach(world, turn):
    """How far the body, turned, reaches down from its centre."""
    half, form = 0.5 * np.array(world["body"]["sizes"]), world["body"]["form"]
    down = turns.of_vector(turn)[2]
    if world["is_round"]:
        return half[2]
    if form == "ellipsoid":
        return float(np.linalg.norm(half * down))
    if form == "capsule":
        return float((half[2] - half[0]) * abs(down[2]) + half[0])
    return float(half @ np.abs(down))


def _fall(random, world, along, down, spin):
    blow = _blow(random, world, down)
    if blow is None:
        return None
    _lean(world, 0.0, 0.0)
    turn = turns.draw(random)
    world["height"] = _reach(world, turn) * 1.001 + 0.1 * blow[0]
    world["tilt"] = turn.tolist()
    world["velocity"] = [*(along * _direction(world["heading"])), -down]
    world["spin"] = list(spin)
    world.update(blow_time=blow[1], until=min(0.04, 2.5 * blow[1] + 0.004), speed=math.hypot(along, down),
                 time_step=1e-3)
    return world


def _oblique(random, world):
    down = _log(random, 0.1, 3.0)
    along = down * _log(random, 0.1, 5.0)
    if along > 3.0:
        return None
    spin = random.normal(size=3) * along / world["body"]["sizes"][0] * random.choice([0, 0, 1])
    return _fall(random, world, along, down, spin)


def _bounce(random, world):
    return _fall(random, world, 0.0, _log(random, 0.1, 3.0), np.zeros(3))


def _roll(random, world):
    speed = _log(random, 0.03, 3.0)
    if world["mu"] < 0.1 or world["body"]["form"] != "sphere":
        return None
    radius = 0.5 * world["body"]["sizes"][0]
    if not _smooth(random, world):
        return None
    depth = rest_depth(world, mass(world)[0] * GRAVITY)[0]
    world["blow_time"] = 2 * math.pi * math.sqrt(depth / GRAVITY)
    _lean(world, 0.0, 0.0)
    _lie(world, speed)
    ratio = float(random.choice([1.0, 1.0, random.uniform(-0.5, 2.0)]))
    way = _direction(world["heading"])
    world["spin"] = list(ratio * speed / radius * np.array([-way[1], way[0], 0.0]))
    world.update(until=min(0.04, 2 * radius / speed), speed=speed, time_step=1e-3)
    return world


def _tip(random, world):
    """A box turned up about an edge falls back on its face."""
    half = 0.5 * np.array(world["body"]["sizes"])
    angle = _log(random, 0.005, 0.2)
    fall = math.sqrt(2 * angle * half[0] / GRAVITY) * 1.5
    speed = GRAVITY * fall
    # The face comes down flat: soft enough that this takes some tenths of a millisecond.
    slam, stiffness = _log(random, 3e-4, 8e-3), footprint(world) / give(world)
    period = math.pi * math.sqrt(mass(world)[0] / stiffness)
    if fall > 0.06 or not _scale(world, (period / slam) ** 2):
        return None
    depth = speed * slam / math.pi
    if any(depth / give(world) > 0.1 * modulus for _, modulus in compliances(world)):
        return None
    _lean(world, 0.0, 0.0)
    turn = [0.0, angle, 0.0]
    world["height"] = _reach(world, turn) - 0.5 * rest_depth(world, mass(world)[0] * GRAVITY)[0]
    world["tilt"] = turn
    world["velocity"], world["spin"] = [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]
    world.update(until=min(0.06, fall + 3 * slam), speed=speed, blow_time=slam, time_step=1e-3)
    return world


_DRAW = {"slide": _slide, "rest": _rest, "push": _push, "spin": _spin, "slide_spin": _slide_spin,
         "oblique": _oblique, "bounce": _bounce, "roll": _roll, "tip": _tip}
