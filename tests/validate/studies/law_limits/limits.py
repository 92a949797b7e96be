# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""What a method states that it cannot do, as docs/theory/contact.md derives it ("Where methods differ").

A world beyond such a limit is counted, not judged; one within it may be off by what the limit says.
"""

import math

import numpy as np

from . import draw

_MOST_STEPS = 3000
_MOST_SHARE = 0.3   # of the pressures, changed by slip
_FINE_SHARE = 0.02  # what the step is made fine for
_SHALLOW = 1e-8     # depth over the size, below which places of a step's end miss its forces
_TALL = 0.9         # gain of friction that takes the pressures of the step before
LAGGED = ("lagged", "lagged_regularized", "lagged_brush", "midpoint")


class Beyond(RuntimeError):
    """The world lies beyond a stated limit of the method; the text says which."""


def _rim(world):
    return 0.5 * math.hypot(*world["body"]["sizes"][:2])


def _slip(world):
    """(fastest slip [m/s], its fastest change [m/s^2]) of a body that slides, spins or is pushed."""
    drag = world["mu"] * world["normal_gravity"]
    pull = float(np.linalg.norm(world["pull"]))
    slip = float(np.linalg.norm(world["velocity"])) + abs(world["spin"][2]) * _rim(world)
    change = max(drag, pull) if world["is_round"] else abs(drag - pull)
    if world["is_round"]:
        change *= 3.5
    if world["motion"] in ("spin", "slide_spin"):
        m, moments = draw.mass(world)
        change = drag * m * _rim(world) ** 2 / moments[2] + drag
    if world["motion"] == "push":
        slip += change * world["until"]
    return slip, change


def _changed_share(world, method, dt):
    """Share of its pressures that slip changes: SAP rises by (dt + tau) mu v, `similar` sinks by
    dt^2 mu a."""
    depth = draw.rest_depth(world, draw.mass(world)[0] * world["normal_gravity"])[0]
    slip, change = _slip(world)
    if method == "sap":
        return (dt + world["relaxation_time"]) * world["mu"] * slip / depth
    return dt * dt * world["mu"] * change / depth if method == "similar" else 0.0


def fit(world, method):
    """(the world with what the method needs to have Coulomb's friction there, what it may be off by).

    SAP without its relaxation time, by which whatever slides leaves the ground, and so against an oracle
    without dissipation, which SAP does not know; steps that are fine enough for SAP and `similar`, if
    that is not too many of them. Beyond where it is.
    """
    if method == "sap":
        world = {**world, "relaxation_time": 0.0, "dissipation": 0.0}
    share = _changed_share(world, method, world["time_step"])
    if share > _FINE_SHARE:
        power = 1.0 if method == "sap" else 0.5
        finest = min(world["until"] / _MOST_STEPS, world["time_step"])
        dt = max(world["time_step"] * (_FINE_SHARE / share) ** power, finest)
        world = {**world, "time_step": dt}
        share = _changed_share(world, method, dt)
    if share > _MOST_SHARE:
        raise Beyond(f"slip changes pressures by {share:.2g} of them at {world['time_step']:.2g} s")
    return world, 0.5 * share


def check_start(world, method):
    """Beyond where what pulls a body that should stay gives it, in the first step, a slip by which SAP or
    `similar` lifts it off: it then goes in hops."""
    depth = draw.rest_depth(world, draw.mass(world)[0] * world["normal_gravity"])[0]
    way = world["time_step"] + (world.get("relaxation_time", 0.1) if method == "sap" else 0.0)
    slip = float(np.linalg.norm(world["pull"])) * world["time_step"]
    share = way * world["mu"] * slip / depth
    if method in ("sap", "similar") and share > _MOST_SHARE:
        raise Beyond(f"the first step's slip changes pressures by {share:.2g} of them")


def check_passing(world, method):
    """Beyond where faces of a belt pass by the springs of a field and change what each of them carries."""
    if method == "lagged_brush" and world["carrier"] == "surface" and world["support"]["form"] != "half_space":
        raise Beyond("faces of the belt pass by the springs of its field")


def check_tall(world, method, places, shares):
    """Beyond where friction of the pressures of the step before grows from step to step: a body that
    spins, whose step does not resolve how it rocks, with the gain mu h r / (2 k^2)."""
    depth = draw.rest_depth(world, draw.mass(world)[0] * world["normal_gravity"])[0]
    radius = float(shares @ np.linalg.norm(places, axis=1))
    second = float(shares @ np.sum(places**2, axis=1))
    gain = world["mu"] * world["height"] * radius / second  # k^2 of each axis is half of `second`
    resolved = world["normal_gravity"] * world["time_step"] ** 2 < 0.1 * depth
    if method in LAGGED and gain > _TALL and not resolved:
        raise Beyond(f"friction of the step before has the gain {gain:.2g}")


def check_shallow(world, method):
    """Beyond where a body that slides lies so little deep that what a step misses of its place, v w dt^2 where
    the support turns or friction lifts the body half off, is a share of the depth (seeds 2095, 2145)."""
    sizes = world["body"]["sizes"]
    depth = draw.rest_depth(world, draw.mass(world)[0] * world["normal_gravity"])[0]
    is_lifted = 3.0 * world["mu"] * world["height"] > 0.5 * min(sizes[:2])
    if method in LAGGED and not world["is_round"] and depth < _SHALLOW * max(sizes) and (
            is_lifted or world["carrier"] == "heavy"):
        raise Beyond(f"it lies {depth / max(sizes):.1e} of its size deep")


def turning_lag(world, method):
    """Friction that takes the pressures of the step before lags by the angle of a step."""
    return 0.5 * abs(world["spin"][2]) * world["time_step"] if method in LAGGED else 0.0


def swing_lag(world, method, accelerations):
    """Midpoint takes friction from where the start's velocity leads in half a step, not from where the mean
    one does: k dt^2 a / 4 more of a patch of stiffness k whose body has the acceleration a. What swings has
    a steady k and a mean of no a, and no error; what lifts its faces off, or flies, has k where a is
    positive alone, which is half of the mean |a|. Its damping is that of the start's velocity: d dt a / 2
    of the force m (g + a) more, in the mean d dt a^2 / (2 g)."""
    if method != "midpoint":
        return 0.0
    dt, gravity = world["time_step"], world["normal_gravity"]
    depth = draw.rest_depth(world, draw.mass(world)[0] * gravity)[0]
    damped = 0.5 * world["dissipation"] * dt * float(np.mean(accelerations**2)) / gravity
    return 0.125 * float(np.mean(np.abs(accelerations))) * dt**2 / depth + damped


def facet_lag(world, method):
    """The same of a ball that turns over its faces: by their share that it turns in a step, at the
    spin that friction gives it by the end."""
    if method not in LAGGED or not world["is_round"]:
        return 0.0
    radius = 0.5 * world["body"]["sizes"][0]
    spin = 2.5 * world["mu"] * world["normal_gravity"] * world["until"] / radius
    facet = {"sphere": world["body"]["hint"] / radius}.get(world["body"]["form"], 0.3)
    return 0.5 * spin * world["time_step"] / facet


def turning_ball_lag(world, method, spin):
    """What friction of the step before lacks on a ball that turns over a plane. A point of the patch comes
    down by v = w x, so that its force f (1 - d v) is (f - dt k v) (1 - d v) at the end of the step: dt d k v^2
    more. Of a paraboloid patch of radius a that is dt d w^2 R of the whole; where d v is large, so that what
    rises bears nothing, (15 pi / 16) dt w R / a. Less what is steady of the motion. Beyond where it is most."""
    if method not in LAGGED[:3] or not world["is_round"]:
        return 0.0
    radius = 0.5 * world["body"]["sizes"][0]
    depth = draw.rest_depth(world, draw.mass(world)[0] * world["normal_gravity"])[0]
    whole = world["dissipation"] * spin * radius
    most = 15 * math.pi / 16 * math.sqrt(0.5 * radius / depth)
    lag = world["time_step"] * spin * min(whole, most)
    if lag > _MOST_SHARE:
        raise Beyond(f"friction of the step before lacks up to {lag:.2g} on a damped ball that turns")
    return lag


def spring_back(world, method):
    """Of a blow, over the speed: 1.6 % of friction times the speed of approach, and with it the spin
    of the body (docs/theory/sticking.md)."""
    if method not in ("lagged", "midpoint") or world["motion"] == "roll":
        return 0.0
    approach = world["speed"] if world["motion"] == "tip" else abs(world["velocity"][2])
    return 0.016 * world["mu"] * approach / world["speed"] * math.hypot(1.0, 2.5)
