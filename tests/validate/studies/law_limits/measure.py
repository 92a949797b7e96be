# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""What a world shows of the law with one method: a list of findings, each an error and a limit.

Oracles: Coulomb's law in closed form for flat bodies; rk45 where the answer depends on more.
A world whose oracle leaves the support, tips over or is too dear to run is `Rejected`.
"""

import dataclasses
import math

import numpy as np

import isobar

from . import build, draw, limits


class Rejected(RuntimeError):
    """The world is no fair question; the text says why."""


@dataclasses.dataclass
class Finding:
    """row: what is claimed; error: what was found; limit: what passes (None: reported)."""

    row: str
    error: float
    limit: float | None
    seed: int
    method: str
    note: str


_ORACLE_SECONDS = 4.0  # of a core
_LONGEST = 16.0  # that what still settles is followed for [s]
_truths = {}


def describe(world):
    body, support = world["body"], world["support"]
    soft = [f"{c[1]:.1e} Pa" for c in draw.compliances(world)]
    return (f"{'rigid' if body['is_rigid'] else 'soft'} {body['form']} "
            f"{'x'.join(f'{s:.2g}' for s in body['sizes'])} m on "
            f"{'rigid' if support['is_rigid'] else 'soft'} {support['form']}, {'/'.join(soft)}, "
            f"mu {world['mu']:.2g}, d {world['dissipation']:.2g}, {world['carrier']}")


def oracle(world, time_step=None, until=None, stiction=1e-4):
    """Motion by rk45; three samples a face, as one has too small a moment where faces are few."""
    depth = draw.rest_depth(world, draw.mass(world)[0] * draw.GRAVITY)[0]
    accuracy = min(1e-6, max(1e-10, 1e-3 * depth))
    until = world["until"] if until is None else until
    step = until / 400 if time_step is None else time_step
    try:
        return build.run(world, "rk45", step, until=until, limit=_ORACLE_SECONDS, stiction=stiction,
                         accuracy=accuracy, representation="triangle")
    except (build.Slow, isobar.Error) as slow:
        raise Rejected(f"rk45 is too dear: {slow}") from slow


def _check_state(world, motion):
    """The oracle's body stays on its support and upright."""
    if not np.all(np.isfinite(motion.velocity)):
        raise Rejected("oracle not finite")
    size = max(world["body"]["sizes"])
    lift = motion.position[:, 2] - world["height"]
    if lift.max() > 0.2 * size or lift.min() < -0.2 * size:
        raise Rejected(f"oracle leaves its height by {lift.max():.2g}, {lift.min():.2g} m")
    if not world["is_round"] and np.min(motion.rotation[:, 2, 2]) < math.cos(0.15):
        raise Rejected("oracle tips")


def _slip(world, motion, index):
    """Velocity of the lowest point of the body on the support."""
    arm = np.array([0.0, 0.0, -0.5 * world["body"]["sizes"][2]])
    slip = motion.velocity[index] + np.cross(motion.spin[index], arm)
    return slip[:2]


def effective_friction(world, motion):
    """Force against slip over normal force, means of the window; and the slip there."""
    first = int(np.searchsorted(motion.times, world["settle"]))
    force = build.contact_force(world, motion, first)
    slip = _slip(world, motion, (first + len(motion.times)) // 2)
    speed = float(np.linalg.norm(slip))
    if force[2] <= 0:
        return math.nan, speed
    return float(-force[:2] @ slip / max(speed, 1e-12) / force[2]), speed


def _due(world):
    """Slip of Coulomb's law in the middle of the window; 0 for what rolls."""
    if world["is_round"]:
        return 0.0
    time = 0.5 * (world["settle"] + world["until"])
    gain = np.linalg.norm(world["pull"]) - world["mu"] * world["normal_gravity"]
    return float(np.linalg.norm(world["velocity"]) + gain * time)


def slide(world, method):
    """(b) friction is mu N while a body slides, and nothing drags without friction."""
    mu, weight = world["mu"], draw.mass(world)[0] * world["normal_gravity"]
    flight = _flight(world, method)
    world, more = limits.fit(world, method)
    more += limits.facet_lag(world, method)
    every = max(1, round(world["until"] / world["time_step"] / 200))
    motion = build.run(world, method, world["time_step"], every=every)
    found, speed = effective_friction(world, motion)
    more += limits.swing_lag(world, method, _swing(world, motion))
    truth, source, due = mu, "closed form", _due(world)
    off = abs(found - mu) / (mu if mu > 0 else 1.0)
    if not off <= 0.005 or world["is_round"]:
        truth, source, due = _friction_truth(world)
        off = _off(world, found, truth)
    vn = float(np.abs(motion.velocity[:, 2]).max())
    note = (f"{describe(world)}, dt {world['time_step']:.2g}: effective friction {found:.5g}, "
            f"{source} {truth:.5g}; slip {speed:.3g} m/s, weight {weight:.3g} N, v_n {vn:.2g}")
    if speed < 0.5 * due:  # what is lost, over what friction takes or, where it takes little, over the slip
        taken = world["mu"] * world["normal_gravity"] * 0.5 * (world["settle"] + world["until"])
        off = max(off, (due - speed) / max(taken, due))
        note += f"; its slip should be {due:.3g} m/s"
    row = f"sliding{' of balls' if world['is_round'] else ''}: friction over mu N"
    if mu == 0:
        row = "sliding without friction: drag over N"
    if not math.isfinite(off):
        off, note = 1e3, note + "; no contact"
    limit = (0.01 if mu > 0 else 0.002) + more
    if limit < off < 1e3:
        limits.check_shallow(world, method)
        first = int(np.searchsorted(motion.times, world["settle"]))
        spin = float(np.linalg.norm(motion.spin[first:], axis=1).mean())
        limit += limits.turning_ball_lag(world, method, spin)
    return [*flight, Finding(row, off, limit, world["seed"], method, note)]


def _off(world, found, truth):
    """Distance from the oracle's friction. What is flat may lie between it and mu N: edges of a damped
    body that plough add d v times what presses on them, which steps longer than their passage take in part."""
    low, high = sorted((truth, truth if world["is_round"] else world["mu"]))
    distance = max(low - found, found - high, 0.0) if math.isfinite(found) else math.inf
    return distance / (truth if world["mu"] > 0 else 1.0)


def _swing(world, motion):
    """Accelerations along the normal in the window [m/s^2]."""
    first = int(np.searchsorted(motion.times, world["settle"]))
    return np.diff(motion.velocity[first:, 2]) / np.diff(motion.times[first:])


def _flight(world, method):
    """SAP with its relaxation time: a body that slides leaves the ground with at most mu times its slip,
    and what its depth over step and relaxation time adds."""
    if method != "sap" or world["mu"] == 0 or world["is_round"]:
        return []
    motion = build.run(world, method, world["time_step"], every=1)
    fastest = float(motion.velocity[:, 2].max())
    depth = draw.rest_depth(world, draw.mass(world)[0] * world["normal_gravity"])[0]
    slip = max(np.linalg.norm(_slip(world, motion, i)) for i in range(len(motion.times)))
    bound = world["mu"] * slip + depth / (world["time_step"] + 0.1)
    note = f"{describe(world)}: {fastest:.3g} m/s, slip {slip:.3g} m/s"
    return [Finding("sliding, sap: speed off the ground over what is stated", fastest / bound, 1.02,
                    world["seed"], method, note)]


def _friction_truth(world):
    """Effective friction of the oracle, where it is from, and the slip; once for all methods of a law."""
    key = world["seed"], world["dissipation"], world.get("law")
    if key not in _truths:
        _truths.clear()
        try:
            _truths[key] = _ask_oracle(world)
        except Rejected as problem:
            _truths[key] = problem
    if isinstance(_truths[key], Rejected):
        raise _truths[key]
    return _truths[key]


def _ask_oracle(world):
    try:
        motion = oracle(world)
    except Rejected:
        # Stiff and flat: what the edges add is a share of the depth over the size.
        if world["is_round"]:
            raise
        return world["mu"], "closed form (rk45 too dear)", _due(world)
    _check_state(world, motion)
    friction, speed = effective_friction(world, motion)
    if world["mu"] == 0 and abs(friction) > 0.002:
        raise Rejected(f"rk45 rocks on the facets of the ball: drag {friction:.2g}")
    return friction, "rk45", speed


def _swings_down(motion):
    """Whether what rocks does so less and less: in the last quarter of the run the way to and fro is smaller
    than in the one before, which two places a swing apart do not show."""
    ends = [round(share * (len(motion.times) - 1)) for share in (0.5, 0.75, 1.0)]
    before, now = (float(np.linalg.norm(np.ptp(motion.position[a:b + 1], axis=0)))
                   for a, b in zip(ends, ends[1:]))
    return now < 0.7 * before


def rest(world, method):
    """(a) what rests stays, and its normal force is steady."""
    limits.check_passing(world, method)
    chunk, share = 0.25, world["share"]
    every = max(1, round(0.005 / world["time_step"]))
    motion = build.run(world, method, world["time_step"], until=world["until"], every=every)
    count = max(2, round(chunk / (every * world["time_step"])))
    size = max(world["body"]["sizes"])

    def drift(last):
        first = last - count
        time = motion.times[last] - motion.times[first]
        turn = np.abs(motion.rotation[last] - motion.rotation[first]).max() * size
        return float(np.linalg.norm(motion.position[last] - motion.position[first]) + turn) / time

    end = len(motion.times) - 1
    if drift(end) > 1e-3:
        _check_rest(world)
    now, before, earlier = drift(end), drift(end - 2 * count), drift(end - 4 * count)
    swing = float(np.std(motion.velocity[end - count:, 2])) / (draw.GRAVITY * world["time_step"])
    note = (f"{describe(world)}, dt {world['time_step']:.2g}, {share:.2f} of what friction holds: drift "
            f"{now:.3g} m/s after {world['until']:g} s, {before:.3g} half a second before")
    lever = share * world["mu"] * world["body"]["sizes"][2] / min(world["body"]["sizes"][:2])
    note += f"; centre of pressure at {lever:.2f} of the half width"
    if np.linalg.norm(motion.position[-1]) > 2 * size:
        note += f"; it ends at {motion.position[-1].round(4)} m"
    # Fast, or slowly, as a tall body on a strongly damped one; what creeps keeps its speed.
    slowly = 1 - 0.12 / world["until"]  # as a power of time
    settling = now > 1e-10 and (now < 0.5 * before or (now < slowly * before and before < slowly * earlier)
                                or _swings_down(motion))
    if settling and not world["is_round"] and 2 * world["until"] <= _LONGEST:
        return rest({**world, "until": 2 * world["until"]}, method)
    creeps = not build.sticks(method) and share > 0 and world["mu"] > 0
    row = "rest: drift [m/s]"
    if settling:
        row = "rest: drift of what still settles [m/s]"
    elif creeps:
        tilt = math.acos(min(1.0, float(motion.rotation[-1, 2, 2])))
        return _creep(world, method, now, note, tilt)
    elif world["is_round"]:  # it may roll from facet to facet
        row = "rest of balls: drift [m/s]"
    least, swings = _least(world, method)
    is_asked = not settling and not world["is_round"]
    found = [Finding(row, now, least if is_asked else None, world["seed"], method, note)]
    if is_asked:
        found.append(Finding("rest: change of the normal force within a step over weight", swing, swings,
                             world["seed"], method, note))
    return found


def _least(world, method):
    """(drift [m/s], change of the normal force over the weight) that count as none.

    Regularised friction creeps under what little the sides of an uneven mesh push. Surfaces between two
    meshes with ties are made anew from fields moved by 4e-9 of a radius, and back, as rounding goes: 2e-7
    of the weight (seed 873). On a skin that moves over a mesh faces come and go, each with its samples.
    """
    forms = (world["body"]["form"], world["support"]["form"])
    if world["carrier"] == "surface" and world["support"]["form"] in ("triangles_12", "triangles_many"):
        return 1e-7, 1e-5
    if forms == ("tets", "tets") or not build.sticks(method) and "tets" in forms:
        return 1e-8, 1e-6
    return 1e-10, 1e-6


def check_steady(world):
    """The patch at rest is an oracle for a body that stays flat on it; one that flutters, as friction
    that tips it turns with its spin, does so with rk45 too."""
    key = "steady", world["seed"], world["dissipation"], world.get("law")
    if key not in _truths:
        _truths.clear()
        _truths[key] = None
        try:
            motion = oracle(world)
        except Rejected:
            return
        rocking = np.linalg.norm(motion.spin[:, :2], axis=1).max() * max(world["body"]["sizes"])
        slip = np.linalg.norm(world["velocity"]) + abs(world["spin"][2]) * max(world["body"]["sizes"])
        if rocking > 0.02 * slip:
            _truths[key] = Rejected(f"rk45 flutters: it rocks with {rocking / slip:.2g} of its slip")
    if _truths[key] is not None:
        raise _truths[key]


def _check_rest(world):
    """Statics says that it rests; where rk45 can say so in time, so must it, with friction that is cheap."""
    world = {**world, "law": "viscous"}
    key = "rest", world["seed"]
    if key not in _truths:
        _truths.clear()
        _truths[key] = None
        try:
            found = oracle(world, until=0.25, stiction=1e-3)
        except Rejected:
            return
        try:
            _check_state(world, found)
        except Rejected as problem:
            _truths[key] = problem
    if _truths[key] is not None:
        raise _truths[key]


def _creep(world, method, now, note, tilt):
    """Regularised friction creeps as docs/theory/sticking.md says. A body near tipping leans, and its face with
    it: along that the load is up to tilt (1 + (mu r)^2) / mu more of what friction holds."""
    limits.check_start(world, method)
    r, vs, mu = world["share"], 1e-4, world["mu"]
    steep = min(r + tilt * (1 + (mu * r) ** 2) / mu, 0.999)
    laws = {"lagged_regularized": lambda r: vs * r / math.sqrt(1 - r * r),
            "tamsi": lambda r: vs * (1 - math.sqrt(1 - r))}
    laws["similar"] = laws["lagged_regularized"]
    law = laws[method](r) if method in laws else None
    if law is None:  # sap: with the step; its slope is 1e-4 of the mobility
        law = 20 * 1e-4 * draw.GRAVITY * world["time_step"]
        return [Finding("rest, sap: creep over 2e-3 g dt", now / law, 1.0, world["seed"], method, note)]
    # Two uneven meshes never settle while one creeps over the other: reported.
    is_steady = (world["body"]["form"], world["support"]["form"]) != ("tets", "tets")
    return [Finding("rest, regularised: creep over its law, less 1", abs(now / law - 1),
                    0.02 + laws[method](steep) / law - 1 if is_steady else None, world["seed"], method,
                    f"{note}; law {law:.3g}")]


def push(world, method):
    """Just below what friction holds nothing moves, just above it slides as Coulomb says."""
    if world["share"] < 1:
        return [dataclasses.replace(f, row=f.row.replace("rest", "pushed below the limit"))
                for f in rest({**world, "until": 4.0}, method)]
    world, more = limits.fit(world, method)
    every = max(1, round(world["until"] / world["time_step"] / 400))
    motion = build.run(world, method, world["time_step"], every=every)
    settled = int(np.searchsorted(motion.times, 0.4 * world["until"]))
    force = build.contact_force(world, motion, settled)
    pull = np.array(world["pull"])
    found = float(-force[:2] @ pull / np.linalg.norm(pull) / force[2]) if force[2] > 0 else math.inf
    off = abs(found / world["mu"] - 1)
    truth, source = world["mu"], "closed form"
    if off > 0.005:
        truth, source, _ = _friction_truth({**world, "settle": 0.4 * world["until"]})
        off = abs(found / truth - 1)
    note = (f"{describe(world)}, dt {world['time_step']:.2g}, pushed with {world['share']:.3f} mu N: "
            f"friction {found:.5g}, {source} {truth:.5g}")
    return [Finding("pushed beyond the limit: friction over mu N", off, 0.01 + more,
                    world["seed"], method, note)]
