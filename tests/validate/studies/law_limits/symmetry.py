# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""What must not change a motion: where and how a scene lies, its mirror image, units, the order of its
bodies. Outcomes differ by rounding and by what Newton's method leaves. The scene itself enlarges both, as it
does displacements of the size of rounding."""

import numpy as np

from . import build, draw, scene, turns
from .measure import Finding

_STEPS = (1, 3, 10, 20)
_NEWTON = 1e-8       # residual of a step over its momenta
_ROUNDING = 2.0**-52
_COPIES, _SAFETY = 3, 30.0
_FAR = 1e3           # [m]
_GRAVITY = 0.9e9     # what a world takes, of any units
_SENSITIVE = 1e-3    # of the speed: what enlarges rounding so much is not judged
CHANGES = ("rotation", "translation", "mirror", "units", "order", "speed")


def _outcome(given, method, cull, time_step=None):
    """Rows of place, axes times size, velocity, spin times size of the bodies that move; by step."""
    made, names = scene.make(given, method, time_step, cull)
    moving = [(name, part) for name, part in zip(names, given["parts"]) if not part["is_fixed"]]
    rows, done = [], 0
    for count in _STEPS:
        made.step(count - done)
        done = count
        state = []
        for name, part in moving:
            pose, twist = made.body_pose(name), made.body_twist(name)
            state.append((pose.translation, pose.rotation, twist[3:], twist[:3]))
        rows.append((made.time, state))
    return rows


def _apart(given, truth, found, back):
    """Largest distance of two outcomes in velocity, of places as by that in the time that passed; by step."""
    sizes = [max(p["sizes"]) for p in given["parts"] if not p["is_fixed"]]
    result = []
    for (time, states), (_, others) in zip(truth, found):
        worst = 0.0
        for size, one, other in zip(sizes, states, others):
            place, rotation, velocity, spin = back(time, *other)
            worst = max(worst, np.abs(velocity - one[2]).max(), size * np.abs(spin - one[3]).max(),
                        np.abs(place - one[0]).max() / time, size * np.abs(rotation - one[1]).max() / time)
        result.append(float(worst))
    return np.array(result)


def _displaced(given, random, way):
    given = scene.changed(given)
    for part in given["parts"]:
        part["place"] = part["place"] + way * random.uniform(-1, 1, 3)
        part["rotation"] = turns.of_vector(4 * _ROUNDING * random.uniform(-1, 1, 3)) @ part["rotation"]
        for key in ("velocity", "sizes"):
            part[key] = part[key] * (1 + 4 * _ROUNDING * random.uniform(-1, 1, 3))
    given["gravity"] = given["gravity"] * (1 + 4 * _ROUNDING * random.uniform(-1, 1, 3))
    return given


def _change(given, kind, random):
    """(arguments of scene.changed(), what leads its outcome back)."""
    if kind == "rotation":
        turn = turns.of_vector(turns.draw(random))
        return {"rotation": turn}, lambda t, x, r, v, w: (turn.T @ x, turn.T @ r, turn.T @ v, turn.T @ w)
    if kind == "translation":
        move = random.normal(size=3)
        move *= _FAR / np.linalg.norm(move)
        return {"shift": move}, lambda t, x, r, v, w: (x - move, r, v, w)
    if kind == "mirror":
        m = np.diag([-1.0, 1.0, 1.0])
        return {"is_mirrored": True}, lambda t, x, r, v, w: (m @ x, m @ r @ m, m @ v, -m @ w)
    if kind == "speed":
        boost = random.normal(size=3)
        return {"boost": boost}, lambda t, x, r, v, w: (x - t * boost, r, v - boost, w)
    if kind == "order":
        return {"is_reversed": True}, lambda t, x, r, v, w: (x, r, v, w)
    length, time, mass = (10.0 ** random.uniform(-3, 3) for _ in range(3))
    time = min(time, 0.5 / given["time_step"])  # a world takes steps up to 1 s
    length = min(length, _GRAVITY * time**2 / np.abs(given["gravity"]).max(initial=1e-300))
    return {"units": (length, time, mass)}, lambda t, x, r, v, w: (
        x / length, r, v * time / length, w * time)


def scenes(seed):
    """A drawn body on its support, or every third time a pile that already touches."""
    if seed % 3:
        world = draw.draw(seed)
        if world.get("lies"):
            world["height"] = build.equilibrium(world)
        world["time_step"] = min(world["time_step"], world["until"] / _STEPS[-1])
        return scene.of_world(world)
    given = scene.pile(seed)
    for part in given["parts"]:  # closer, so that they meet at once
        part["place"] = 0.55 * part["place"]
    return given


def _enlarged(given, truth, random, way, run):
    """What comes of displacements and of turns by some roundings; by step."""
    copies = [run(_displaced(given, random, way)) for _ in range(_COPIES)]
    return np.max([_apart(given, truth, copy, lambda time, *state: state) for copy in copies], axis=0)


def _limits(given, speed, grown):
    """What is allowed at each step. A residual is a share of the root of the kinetic energy of all bodies, with
    the speed that they share, and moves or turns the lightest; it grows as what comes of rounding does."""
    moving = [p for p in given["parts"] if not p["is_fixed"]]
    most = np.sqrt(2 * sum(p["mass"] for p in moving))
    least = min(min(np.sqrt(p["mass"]), np.sqrt(min(p["moments"])) / max(p["sizes"])) for p in moving)
    left = _NEWTON * most / least * speed * np.array(_STEPS)
    return left * np.maximum(1.0, grown / max(grown[0], 1e-300)) + _SAFETY * grown


def check(seed, method, cull="none", kinds=CHANGES):
    """Findings of a seed: of the step that comes nearest to its limit."""
    given = scenes(seed)
    random = np.random.default_rng([2028, seed])

    def run(one):
        return _outcome(one, method, cull)

    truth, parts = run(given), given["parts"]
    time = _STEPS[-1] * given["time_step"]
    speed = max(max(np.abs(p["velocity"]).max(), np.abs(p["spin"]).max() * max(p["sizes"])) for p in parts) + (
        time * np.linalg.norm(given["gravity"])) + max(np.abs(s[2]).max() for _, row in truth for s in row)
    extent = max(np.abs(p["place"]).max() + max(p["sizes"]) for p in parts if p["form"] != "half_space")
    found = []
    for kind in kinds:
        is_skipped = kind == "mirror" and any(p["form"] not in (*scene.MESHES, "half_space") for p in parts)
        if is_skipped or kind == "speed" and any(p["is_fixed"] or np.any(p["belt"]) for p in parts):
            continue
        far = _FAR if kind == "translation" else extent + 10.0 * time if kind == "speed" else extent
        grown = _enlarged(given, truth, random, 4 * _ROUNDING * far, run)
        arguments, back = _change(given, kind, random)
        outcome = run(scene.changed(given, **arguments))
        if kind == "order":
            outcome = [(when, row[::-1]) for when, row in outcome]
        shared = np.linalg.norm(arguments.get("boost", np.zeros(3)))
        off, limit = _apart(given, truth, outcome, back) / speed, _limits(given, speed + shared, grown) / speed
        judged = [k for k in range(len(_STEPS)) if limit[k] < _SENSITIVE]
        k = max(judged, key=lambda k: off[k] / limit[k]) if judged else 0
        units = f"; units {arguments['units']}" if kind == "units" else ""
        found.append(Finding(f"change of {kind}{'' if cull == 'none' else ', cull drake'}", float(off[k]),
                             float(limit[k]) if judged else None, seed, method,
                             f"{given['name']}, {speed:.2g} m/s, dt {given['time_step']:.2g}, after {_STEPS[k]} "
                             f"steps{units}; rounding comes to {grown[k] / speed:.1e}"))
    return found
