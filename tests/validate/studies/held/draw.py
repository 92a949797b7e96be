# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Drawn worlds of bodies that grippers hold or that rest, as plain values; each from a seed."""

import math

import numpy as np

GRAVITY = 9.81
KINDS = ("grip", "grip", "bottle", "rest", "rest", "pile", "lean", "wedge", "bottle", "grip")
_ROUND = ("sphere", "cylinder", "capsule", "ball_tets")  # about z
_HELD = ("sphere", "ellipsoid", "box", "cylinder", "cylinder", "capsule", "box_tets", "ball_tets")
_PADS = ("ellipsoid", "sphere", "box", "capsule", "cylinder", "box_tets", "ball_tets")
_FLAT = ("box", "cylinder", "box_tets")


def log(random, low, high):
    return float(math.exp(random.uniform(math.log(low), math.log(high))))


def _chance(random, share):
    return bool(random.random() < share)


def _pick(random, names):
    return str(random.choice(list(names)))


def sizes_of(random, form, size):
    """Extents along the axes of a form; round ones stand on their axis z."""
    if form in ("sphere", "ball_tets"):
        return [size] * 3
    sizes = [float(x) for x in size * random.uniform(0.4, 1.0, 3)]
    if form in ("cylinder", "capsule"):
        sizes[1] = sizes[0]
    if form == "capsule":
        sizes[2] = sizes[0] * float(random.uniform(1.2, 2.0))
    return sizes


def _part(name, form, sizes, **more):
    return {"name": name, "form": form, "sizes": sizes, "rotation": np.eye(3), "place": np.zeros(3),
            "is_rigid": False, "modulus": 1e6, "hint": 0.3 * min(sizes), "density": 1000.0, "mass": None,
            "joint": None, **more}


def volume(part):
    x, y, z = part["sizes"]
    form = part["form"]
    if form in ("sphere", "ellipsoid", "ball_tets"):
        return math.pi / 6 * x * y * z
    if form == "cylinder":
        return math.pi / 4 * x * y * z
    if form == "capsule":
        return math.pi / 4 * x * x * (z - x) + math.pi / 6 * x**3
    return x * y * z


def _weight(part):
    return part["density"] * volume(part) * GRAVITY


def _stiff_enough(modulus, force, radius):
    """A modulus under which a force presses in by less than a quarter of a radius."""
    return max(modulus, force / (math.pi * (0.25 * radius) ** 2))


def _common(random, seed, kind, size):
    mu = float(random.uniform(0.3, 1.2))
    world = {"seed": seed, "kind": kind, "size": size, "mu": mu, "mu_dynamic": mu,
             "gravity": np.array([0, 0, -GRAVITY]),
             "time_step": min(log(random, 2e-4, 1e-2), 0.2 * math.sqrt(size / GRAVITY)),
             "method": _pick(random, ("lagged", "lagged", "midpoint")), "dissipation": None, "margin": None,
             "parts": [], "loads": [], "pulse": None, "carried": None, "shaken": None, "kick": None}
    if _chance(random, 0.2):
        world["mu_dynamic"] = mu * float(random.uniform(0.7, 1.0))
    if _chance(random, 0.3):
        world["dissipation"] = log(random, 0.1, 20.0)
    if _chance(random, 0.3):
        world["margin"] = log(random, 1e-4, 5e-3) * size
    return world


def _softness(random, world, pads, held):
    """Which of pads and body are soft, and how."""
    thin = 0.5 * min(part["sizes"][0] for part in (*pads, held))
    case = _pick(random, ("pads", "pads", "both", "body", "neither"))
    for part in (*pads, held):
        is_pad = part is not held
        soft = case == "both" or case == ("pads" if is_pad else "body")
        part["is_rigid"] = not soft and not part["form"].endswith("tets")
        part["modulus"] = _stiff_enough(log(random, 5e4, 1e8), world["force"], thin)
        part["hint"] = float(random.uniform(0.2, 0.6)) * min(part["sizes"])


def _turn_z(angle):
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])


_UP_TO = {"x": np.array([[0, 0, 1.0], [0, 1, 0], [-1, 0, 0]]), "y": np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]]),
          "z": np.eye(3)}  # z to the named axis


def _extent_x(part):
    """Half of a part's extent along x of the world, and the radius of curvature scale."""
    turn, sizes = part["rotation"], np.array(part["sizes"])
    if part["form"] in ("sphere", "ball_tets"):
        return 0.5 * sizes[0]
    if part["form"] in ("ellipsoid",):
        return 0.5 * float(np.linalg.norm(turn[0] * sizes))
    if part["form"] in ("cylinder", "capsule"):
        axis = abs(turn[0, 2])
        across = math.sqrt(max(0.0, 1 - axis * axis))
        if part["form"] == "cylinder":
            return 0.5 * (sizes[2] * axis + sizes[0] * across)
        return 0.5 * ((sizes[2] - sizes[0]) * axis + sizes[0])
    return 0.5 * float(np.abs(turn[0]) @ sizes)


def _pulse(random, world, most):
    steps = max(8, round(1.0 / (log(random, 2.0, 100.0) * world["time_step"])))
    world["pulse"] = {"share": float(random.uniform(0.3, 1.0)) * most, "steps": steps}


def _bottle(random, world, pads, held):
    """Soft flat pads hold a light upright body firmly: it swings on friction's springs."""
    held["is_rigid"] = True
    thin = min(pads[0]["sizes"][0], held["sizes"][0])
    modulus = world["force"] / (math.pi * (0.5 * thin * log(random, 0.05, 0.25)) ** 2)
    for pad in pads:
        pad.update(is_rigid=False, modulus=modulus, hint=float(random.uniform(0.2, 0.6)) * min(pad["sizes"]))


def _held(random, count, size, is_bottle):
    """What so many pads hold, and how many there are: a bottle has two."""
    form = _pick(random, _ROUND if count == 3 else _HELD)
    held = _part("held", form, sizes_of(random, form, size), density=log(random, 50.0, 3000.0))
    if count == 2 and form in ("cylinder", "capsule"):
        held["rotation"] = _UP_TO[_pick(random, "xyz")]
    if is_bottle:
        form = _pick(random, ("cylinder", "cylinder", "capsule", "box"))
        held = _part("held", form, sizes_of(random, form, size), density=log(random, 50.0, 2000.0))
    return held, 2 if is_bottle else count


def _jaw(random, world, pad, inward, lever):
    """How a pad moves inwards: along it, or hinged at a pivot above it where there is a lever."""
    mass, force = pad["mass"], world["force"]
    damping = log(random, 0.05, 2.0) * math.sqrt(mass * force / (0.05 * world["size"]))
    if lever:
        pad["joint"] = {"kind": "revolute", "axis": np.cross([0, 0, -1.0], inward), "kd": damping * lever**2,
                        "arm": np.array([0, 0, lever])}
    else:
        pad["joint"] = {"kind": "prismatic", "axis": inward, "kd": damping, "arm": np.zeros(3)}
    world["loads"].append({"joint": f"joint_{pad['name']}", "effort": force * (lever or 1.0)})


def _pads(random, world, held, count, form):
    """Pads around a body that press on it with the force of the world."""
    size = world["size"]
    sizes = sizes_of(random, form, size * log(random, 0.2, 0.8))
    share = float(random.uniform(0.05, 0.3) if _chance(random, 0.5) else random.uniform(0.3, 0.95))
    if world["kind"] == "bottle":
        share = log(random, 0.005, 0.2)
    world["share"] = share
    world["force"] = force = _weight(held) / (count * world["mu_dynamic"] * share)
    is_hinged, is_first_fixed = _chance(random, 0.35), count == 2 and _chance(random, 0.3)
    mass = held["density"] * volume(held) * log(random, 0.1, 10.0)
    up = float(random.uniform(0.0, 0.15)) * held["sizes"][2] if share < 0.5 and _chance(random, 0.3) else 0.0
    reach = _extent_x(held) - 0.04 * min(sizes) * float(random.uniform(0, 1))
    turn = _UP_TO[_pick(random, "xyz")] if form in ("cylinder", "capsule") else np.eye(3)
    # No jaw moves by more than a part of a pad in a step.
    world["time_step"] = min(world["time_step"], math.sqrt(0.01 * min(sizes) * mass / force))
    pads, lever = [], size * float(random.uniform(1.0, 3.0))
    for i in range(count):
        about = _turn_z(math.pi + 2 * math.pi * i / count)
        pad = _part(f"pad{i}", form, sizes, rotation=turn, mass=mass, joint={"kind": "fixed"})
        far = reach + _extent_x(pad)
        pad["rotation"], pad["place"] = about @ turn, about @ [far, 0, 0] + [0, 0, up]
        if not (is_first_fixed and i == 1):
            _jaw(random, world, pad, about @ [-1.0, 0, 0], lever if is_hinged else 0.0)
        pads.append(pad)
    return pads, "hinged" if is_hinged else "sliding"


def grip(random, seed, kind="grip"):
    world = _common(random, seed, kind, log(random, 5e-3, 0.3))
    held, count = _held(random, 3 if _chance(random, 0.2) else 2, world["size"], kind == "bottle")
    form = "ellipsoid" if kind == "bottle" else _pick(random, _PADS)
    pads, joined = _pads(random, world, held, count, form)
    (_bottle if kind == "bottle" else _softness)(random, world, pads, held)
    for pad in pads[1:]:
        pad.update({k: pads[0][k] for k in ("is_rigid", "modulus", "hint")})
    world["parts"] = [*pads, held]
    if _chance(random, 0.2):
        world["gravity"], world["share"] = np.zeros(3), 0.0
    else:
        world["carried"] = held["name"] if _chance(random, 0.5) else None
    share = world["share"]
    if _chance(random, 0.5):
        _pulse(random, world, 1.0 - share / 0.9 if share < 0.8 else 0.5 * (1.0 - share))
    world["name"] = f"{count} {joined} {form}{_rigid(pads[0])} hold {held['form']}{_rigid(held)} at {share:.2f}"
    return world


def _rigid(part):
    return " rigid" if part["is_rigid"] else ""


def _floor(random, world, force, reach):
    size = world["size"]
    floor = _part("floor", _pick(random, ("half_space", "half_space", "box")), [4 * size, 4 * size, size],
                  joint={"kind": "fixed"})
    if floor["form"] == "box":
        floor["place"] = np.array([0, 0, -0.5 * floor["sizes"][2]])
    floor["is_rigid"] = _chance(random, 0.6)
    floor["modulus"] = _stiff_enough(log(random, 5e4, 1e8), force, reach)
    return floor


def _soft_body(random, part, force, floor):
    part["is_rigid"] = not floor["is_rigid"] and part["form"] != "box_tets" and _chance(random, 0.5)
    part["modulus"] = _stiff_enough(log(random, 5e4, 1e8), force, 0.5 * min(part["sizes"]))
    part["hint"] = float(random.uniform(0.2, 0.6)) * min(part["sizes"])


def _pusher(random, world, body, press):
    """A second body on a slide that presses on the first."""
    shape, size = _pick(random, ("sphere", "ellipsoid", "box")), world["size"]
    pusher = _part("pusher", shape, sizes_of(random, shape, size * log(random, 0.2, 0.6)),
                   mass=press / GRAVITY * log(random, 0.1, 1.0))
    pusher["place"] = np.array([0, 0, body["sizes"][2] + 0.5 * pusher["sizes"][2]])
    pusher["modulus"] = _stiff_enough(log(random, 5e4, 1e8), press, 0.5 * min(pusher["sizes"]))
    pusher["is_rigid"] = not body["is_rigid"] and _chance(random, 0.5)
    pusher["joint"] = {"kind": "prismatic", "axis": np.array([0, 0, -1.0]), "arm": np.zeros(3),
                       "kd": log(random, 0.05, 2.0) * math.sqrt(pusher["mass"] * press / (0.05 * size))}
    world["parts"].append(pusher)
    world["loads"].append({"joint": "joint_pusher", "effort": press})


def _shake(world, floor, mass, down):
    """The floor follows a wave, on a stiff drive; down: share of gravity that presses on it."""
    rate = 2 * math.pi / (world["pulse"]["steps"] * world["time_step"])
    follow = max(5 * rate, 50 / math.sqrt(world["size"] / GRAVITY))
    floor["mass"] = mass
    floor["joint"] = {"kind": "prismatic", "axis": np.array([0, 0, 1.0]), "arm": np.zeros(3),
                      "kd": 2 * mass * follow, "kp": mass * follow**2}
    world["shaken"] = {"joint": "joint_floor", "amplitude": world["pulse"]["share"] * GRAVITY * down / rate**2}


def rest(random, seed):
    """A flat body on a slope; its normal load pulses by a force, by a pusher or by the floor that shakes."""
    size = log(random, 5e-3, 0.3)
    world = _common(random, seed, "rest", size)
    form = _pick(random, _FLAT)
    body = _part("held", form, sizes_of(random, form, size), density=log(random, 50.0, 3000.0))
    body["sizes"][2] = min(body["sizes"][:2]) * float(random.uniform(0.2, 0.8))
    body["place"] = np.array([0, 0, 0.5 * body["sizes"][2]])
    body["rotation"] = _turn_z(float(random.uniform(0, 6)))
    weight = _weight(body)
    how = _pick(random, ("force", "pusher", "shaken"))
    press = weight * (log(random, 0.3, 10.0) if how == "pusher" else 0.0)
    floor = _floor(random, world, weight + press, 0.5 * min(body["sizes"]))
    _soft_body(random, body, weight + press, floor)
    share = float(random.uniform(0.0, 0.9))
    slope = min(share * world["mu_dynamic"], 0.5 * min(body["sizes"][:2]) / body["sizes"][2])
    share, angle, way = slope / world["mu_dynamic"], math.atan(slope), float(random.uniform(0, 6))
    along = math.sin(angle)
    world["gravity"] = GRAVITY * np.array([along * math.cos(way), along * math.sin(way), -math.cos(angle)])
    world["parts"] = [floor, body]
    _pulse(random, world, 0.9 * (1.0 - share / 0.95))
    if how == "force":
        world["loads"].append({"body": "held", "force": np.array([0, 0, weight * math.cos(angle)]), "only_pulse": True})
    if how == "pusher":
        _pusher(random, world, body, press)
    if how == "shaken":
        _shake(world, floor, 100 * weight / GRAVITY, math.cos(angle))
    world["name"] = f"{form}{_rigid(body)} on {floor['form']}, {how}, slope {share:.2f}"
    return world


def pile(random, seed):
    size = log(random, 5e-3, 0.3)
    world = _common(random, seed, "pile", size)
    count, top = int(random.integers(2, 5)), 0.0
    bodies = []
    for i in range(count):
        form = _pick(random, _FLAT)
        body = _part(f"held{i}", form, sizes_of(random, form, size), density=log(random, 50.0, 3000.0))
        body["sizes"][2] = min(body["sizes"][:2]) * float(random.uniform(0.2, 0.8))
        body["place"] = np.array([*(0.05 * size * random.uniform(-1, 1, 2)), top + 0.5 * body["sizes"][2]])
        body["rotation"] = _turn_z(float(random.uniform(0, 6)))
        top += body["sizes"][2] + 0.01 * size
        bodies.append(body)
    weight = sum(_weight(body) for body in bodies)
    floor = _floor(random, world, weight, 0.5 * min(min(body["sizes"]) for body in bodies))
    for body in bodies:
        _soft_body(random, body, weight, floor)
        body["is_rigid"] = False
    world["parts"] = [floor, *bodies]
    if _chance(random, 0.6):
        _pulse(random, world, 0.5)
        world["loads"].append({"body": bodies[-1]["name"], "only_pulse": True,
                               "force": np.array([0, 0, _weight(bodies[-1]) * log(random, 0.3, 3.0)])})
    world["name"] = f"pile of {' '.join(b['form'] for b in bodies)} on {floor['form']}"
    return world


def lean(random, seed):
    """A board between floor and wall."""
    size = log(random, 2e-2, 0.3)
    world = _common(random, seed, "lean", size)
    form = _pick(random, ("box", "box_tets", "capsule"))
    sizes = [size * float(random.uniform(0.08, 0.25)), size * float(random.uniform(0.2, 0.6)), size]
    board = _part("held", form, sizes, density=log(random, 50.0, 3000.0))
    if form == "capsule":
        board["sizes"][1] = board["sizes"][0]
    mu = world["mu_dynamic"]
    steepest = math.atan2(2 * mu, 1 - mu * mu)
    angle = min(float(random.uniform(0.2, 0.85)) * steepest, 1.1)
    c, s = math.cos(angle), math.sin(angle)
    board["rotation"] = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
    half = _extent_x(board)
    board["place"] = np.array([-half, 0, 0.5 * (board["sizes"][0] * s + board["sizes"][2] * c)])
    if form == "capsule":
        board["place"][2] = 0.5 * ((size - board["sizes"][0]) * c + board["sizes"][0])
    floor = _part("floor", "half_space", [4 * size] * 3, joint={"kind": "fixed"}, is_rigid=True)
    wall = _part("wall", "half_space", [4 * size] * 3, joint={"kind": "fixed"}, is_rigid=True,
                 rotation=np.array([[0, 0, -1.0], [0, 1, 0], [1, 0, 0]]))
    board["modulus"] = _stiff_enough(log(random, 5e4, 1e8), _weight(board), 0.3 * min(board["sizes"]))
    board["hint"] = float(random.uniform(0.3, 0.8)) * min(board["sizes"])
    world["parts"] = [floor, wall, board]
    if _chance(random, 0.6):
        _pulse(random, world, 0.5)
        world["loads"].append({"body": "held", "only_pulse": True, "force": np.array([0, 0, _weight(board)])})
    world["name"] = f"{form} leans at {angle:.2f} of {steepest:.2f}"
    return world


def wedge(random, seed):
    """A body pressed into a groove."""
    size = log(random, 5e-3, 0.3)
    world = _common(random, seed, "wedge", size)
    form = _pick(random, ("cylinder", "capsule", "box", "ellipsoid"))
    body = _part("held", form, sizes_of(random, form, size), density=log(random, 50.0, 3000.0))
    if form in ("cylinder", "capsule"):
        body["rotation"] = _UP_TO["y"]
    half_angle = float(random.uniform(0.15, 1.0))  # of each side to the vertical
    reach = 0.5 * body["sizes"][0]
    if form == "box":
        body["sizes"][2] = body["sizes"][0]
        c = math.sqrt(0.5)
        body["rotation"], half_angle = np.array([[c, 0, c], [0, 1, 0], [-c, 0, c]]), math.pi / 4
    if form == "ellipsoid":
        body["sizes"][2] = body["sizes"][0]
    press = _weight(body) * log(random, 0.5, 10.0)
    load = (press + _weight(body)) / (2 * math.sin(half_angle))
    soft_sides = _chance(random, 0.4)
    body["modulus"] = _stiff_enough(log(random, 5e4, 1e8), load, 0.5 * min(body["sizes"]))
    body["hint"] = float(random.uniform(0.2, 0.6)) * min(body["sizes"])
    body["is_rigid"] = soft_sides and _chance(random, 0.5)
    for i, sign in enumerate((-1.0, 1.0)):
        normal = np.array([-sign * math.cos(half_angle), 0, math.sin(half_angle)])
        across = np.array([0, 1.0, 0])
        side = _part(f"side{i}", "half_space", [4 * size] * 3, joint={"kind": "fixed"}, is_rigid=not soft_sides,
                     rotation=np.column_stack([np.cross(across, normal), across, normal]))
        side["place"] = -reach * normal
        side["modulus"] = body["modulus"]
        world["parts"].append(side)
    world["parts"].append(body)
    world["loads"].append({"body": "held", "force": np.array([0, 0, -press])})
    if _chance(random, 0.6):
        _pulse(random, world, 0.8)
    world["name"] = f"{form}{_rigid(body)} in {'soft ' if soft_sides else ''}groove of {half_angle:.2f}"
    return world


_OF_KIND = {"grip": grip, "bottle": lambda *given: grip(*given, "bottle"), "rest": rest, "pile": pile, "lean": lean,
            "wedge": wedge}


def kind_of(seed):
    return KINDS[seed % len(KINDS)]


def draw(seed):
    """A world: parts, loads, pulses and a blow."""
    random = np.random.default_rng([2026, seed])
    world = _OF_KIND[kind_of(seed)](random, seed)
    if _chance(random, 0.7):
        speed = log(random, 1e-3, 0.1) * math.sqrt(GRAVITY * world["size"])
        twist = speed * random.normal(size=6)
        world["kick"] = np.concatenate([twist[:3] / world["size"], twist[3:]])
    return world
