# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""(c) Trajectories tend to the oracle's as the step falls, at the stated order."""

import numpy as np

import isobar

from . import build, draw, limits
from .measure import Finding, Rejected, describe

STEPS = (4e-3, 2e-3, 1e-3, 4e-4, 2e-4, 1e-4, 4e-5, 2e-5, 1e-5)
_BLOW_STEPS = (1e-4, 4e-5, 2e-5, 1e-5, 4e-6, 2e-6, 1e-6)  # of what changes too fast for those
_FINER = ((0.4, 0.2), (0.04, 0.02))  # of the finest, where the error still falls there
_MOST_CHANGE = 0.03  # of the speed, of the oracle's velocity in the finest step
_SECONDS = 8.0
_oracles = {}


def _rk45(world, stiction, **options):
    depth = draw.impact(world, max(world["speed"], 0.05))[0]
    accuracy = min(1e-6, max(1e-9, 1e-4 * depth))
    step = world["until"] / 400
    try:
        return build.run(world, "rk45", step, limit=_SECONDS, stiction=stiction, accuracy=accuracy,
                         representation=world.get("representation", "polygon"), **options)
    except (build.Slow, isobar.Error) as slow:
        raise Rejected(f"rk45 is too dear: {slow}") from slow


def oracle(world):
    """(times, values, floor): Coulomb's motion, from rk45 with two stiction velocities, or that of the
    world's law of friction, and how far it may be off. Rejected where it leaves, passes through or changes faster than the finest step sees."""
    return _oracle(world)[:3]


def ladder(world):
    """The steps with which a world is tried, from coarse to fine."""
    return _oracle(world)[3]


def _oracle(world):
    key = world["motion"], world["seed"], world["dissipation"], world.get("law")
    if key not in _oracles:
        _oracles.clear()
        try:
            _oracles[key] = _ask(world)
        except Rejected as problem:
            _oracles[key] = problem
    if isinstance(_oracles[key], Rejected):
        raise _oracles[key]
    return _oracles[key]


def _ask(world):
    vs = 1e-3 * world["speed"]
    fine = _rk45(world, vs)
    values = _values(world, fine)
    steps = _check(world, fine, values)
    if world["mu"] == 0 or "law" in world:
        return fine.times, values, 1e-6, steps
    truth = 2 * values - _values(world, _rk45(world, 2 * vs))
    return fine.times, truth, max(1e-6, _distance(fine.times, truth, fine.times, values)), steps


def _sampling(world):
    """How far one sample a face moves the oracle itself: what faces, not steps, are too coarse for."""
    times, truth, _ = oracle(world)
    vs = 1e-3 * world["speed"]
    values = _values(world, _rk45(world, vs, cull="drake"))
    if world["mu"] > 0 and "law" not in world:
        values = 2 * values - _values(world, _rk45(world, 2 * vs, cull="drake"))
    return float(np.mean(np.linalg.norm(values - truth, axis=1)))


def _check(world, motion, values):
    """The steps that are fine enough for the oracle's motion."""
    places, sizes = motion.position[:, 2], world["body"]["sizes"]
    if np.abs(places).max() > 10 * max(sizes) + world["speed"] * world["until"]:
        raise Rejected("oracle flies off")
    if places.min() < 0.1 * min(sizes):
        raise Rejected("oracle passes through")
    rate = (np.abs(np.diff(values[:, :6], axis=0)).max(axis=1) / np.diff(motion.times)).max()
    for steps in (STEPS, _BLOW_STEPS):
        if rate * steps[-1] <= _MOST_CHANGE:
            return steps
    raise Rejected(f"the oracle's velocity changes by {rate * _BLOW_STEPS[-1]:.2g} of the speed in the finest step")


def _values(world, motion):
    """Rows of velocity, spin times size, place over the way of the run; all over the speed."""
    size = 0.5 * max(world["body"]["sizes"])
    way = world["speed"] * world["until"]
    return np.column_stack([motion.velocity / world["speed"], motion.spin * size / world["speed"],
                            motion.position / way])


def _distance(times, truth, sample_times, samples):
    """Mean over time of the distance of two motions."""
    between = np.column_stack([np.interp(times, sample_times, column) for column in samples.T])
    return float(np.mean(np.linalg.norm(between - truth, axis=1)))


def errors(world, method, steps=None, seconds=6.0):
    """[(step, error), ...] from coarse to fine; of the world's ladder without steps."""
    times, truth, _ = oracle(world)
    found, spent = [], 0.0
    for step in steps or ladder(world):
        count = max(1, int(np.ceil(world["until"] / step)))
        every = max(1, count // 400)
        motion = build.run(world, method, step, until=count * step, every=every)
        found.append((step, _distance(times, truth, motion.times, _values(world, motion))))
        spent += motion.seconds
        if spent > seconds:
            break
    return found


def order(found, floor, fast):
    """Slope of log error over log step where the step resolves the blow and the oracle is finer: of the
    last four steps or, where it bends down only at the end, the last two."""
    rows = [(h, e) for h, e in found if h <= fast and e > 3 * floor]
    if len(rows) < 3:
        return None
    h, e = np.log(np.array(rows[-4:])).T
    return max(float(np.polyfit(h, e, 1)[0]), float((e[-1] - e[-2]) / (h[-1] - h[-2])))


def _left(found):
    """What a first-order method leaves at step 0, by the two finest steps; what grows, as it is."""
    (coarse, far), (fine, near) = found[-2:]
    return max(0.0, near - max(0.0, far - near) * fine / (coarse - fine))


def _is_rough(found, floor, fast):
    """Whether what may be left hides the order of what falls."""
    slope = order(found, floor, fast)
    return slope is not None and slope < 0.7 and found[-1][1] > 0.01 + 3 * floor


def _allowed(world, method, found, floor):
    """(what may be left at step 0, how it comes about). The faces' part is looked for where it matters."""
    back = limits.spring_back(world, method)
    allowed = 0.01 + 3 * floor + back
    text = f"; springs back by at most {back:.2g}" if back > 0 else ""
    if _left(found) <= allowed:
        return allowed, text
    coarse = _sampling(world)
    return allowed + 0.5 * coarse, f"{text}; one sample a face moves the oracle by {coarse:.2g}"


def converge(world, method):
    if method == "sap":  # its damping is another law: compared without damping
        world = {**world, "dissipation": 0.0, "relaxation_time": 0.0}
    found, finest = errors(world, method), ladder(world)[-1]
    floor = oracle(world)[2]
    fast = 0.1 * world.get("blow_time", 0.2 * world["until"])
    for shares in _FINER:  # a short blow over few faces has errors of both signs on the way; rods jam late
        if _left(found) > 0.01 + 3 * floor or _is_rough(found, floor, fast):
            found += errors(world, method, [share * finest for share in shares])
    allowed, text = _allowed(world, method, found, floor)
    slope, (step, last) = order(found, floor, fast), found[-1]
    line = " ".join(f"{e:.2g}" for _, e in found)
    left = _left(found)
    note = (f"{describe(world)}, {world['speed']:.2g} m/s: errors at {found[0][0]:g} to {step:g} s: {line}; "
            f"oracle to {floor:.1e}; order {'-' if slope is None else f'{slope:.2f}'}; left at step 0: "
            f"{left:.2g}{text}")
    if world["mu"] > 0:  # only what sticks knows of the stiction velocity
        note += "; it slips throughout" if floor <= 1e-6 else "; it sticks for a while"
    row = f"{world['motion']}: distance from the oracle, extrapolated to step 0"
    result = [Finding(row, left, allowed, world["seed"], method, note)]
    if slope is not None and last > allowed:
        result.append(Finding(f"{world['motion']}: order of convergence, missing from 0.7",
                              max(0.0, 0.7 - slope), 0.0, world["seed"], method, note))
    return result
