# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Motions that have names: Painleve's rod, which friction may jam, and Euler's disc.

Drawn from a seed as the other worlds, and held against rk45 as the step falls. The ball that lands
obliquely is among those worlds; the rattleback is the study of that name.
"""

import math

import numpy as np

from . import build, converge, draw, turns

_CALIBRATED = 1e6  # modulus with which a force is measured, which is proportional to it [Pa]


def _plain(seed, motion, body, random):
    """A world of a rigid body on a half space, without what draw.py adds to others."""
    size = max(body["sizes"])
    return {"seed": seed, "motion": motion, "is_round": False, "body": {"is_rigid": True, "cells": 2, **body},
            "support": {"form": "half_space", "is_rigid": False, "cells": 2, "modulus": _CALIBRATED,
                        "depth": size * random.uniform(0.2, 0.6)},
            "layer": 1e-2 * size, "layer_modulus": 1e6, "margin": "0", "carrier": "still", "belt": [0.0, 0.0],
            "mass_ratio": 1e3, "is_body_first": bool(random.random() < 0.5), "normal_gravity": draw.GRAVITY,
            "turn": (turns.draw(random) if random.random() < 0.5 else np.zeros(3)).tolist(),
            "pull": [0.0, 0.0], "time_step": 1e-3}


def _bear(world, depth):
    """Lays the body so deep on the support, with the modulus that bears its weight there."""
    world["height"] = draw._reach(world, world["tilt"]) - depth
    still = {**world, "velocity": [0.0] * 3, "spin": [0.0] * 3, "dissipation": 0.0}
    made, body, support, turn = build.make(still, "rk45", 1e-3)
    force = build._force(made, body, support, turn[:, 2], turn, world["height"])
    ratio = draw.mass(world)[0] * draw.GRAVITY / force
    world["body"]["modulus"] = world["support"]["modulus"] = ratio * _CALIBRATED
    return world


def rod(seed):
    """A rod that leans on its lower end and slides. Where it leads with that end, friction above 4/3 may
    press it down by more than the floor lifts it."""
    random = np.random.default_rng([seed, 1895])
    length = 10 ** random.uniform(-1.3, 0.0)
    wide = length * random.uniform(0.05, 0.15)
    world = _plain(seed, "rod", {"form": "capsule", "sizes": [wide, wide, length], "density": 1e3,
                                 "hint": 0.1 * wide, "modulus": _CALIBRATED}, random)
    lean = random.uniform(0.3, 0.9)
    world["tilt"] = [0.0, lean, 0.0]  # the upper end towards +x
    world.update(mu=random.uniform(0.2, 2.5), dissipation=float(random.choice([0.0, random.uniform(0.1, 5.0)])))
    along = float(random.choice([-1.0, -1.0, 1.0])) * random.uniform(0.3, 2.0) * math.sqrt(draw.GRAVITY * length)
    world.update(velocity=[along, 0.0, 0.0], spin=[0.0, 0.0, 0.0], speed=abs(along), until=0.04,
                 blow_time=0.01)
    return _bear(world, wide * 10 ** random.uniform(-3.0, -1.1))


def disc(seed):
    """A disc that rolls round on its rim, its centre at rest: of no thickness it would keep its tilt."""
    random = np.random.default_rng([seed, 1765])
    wide = 10 ** random.uniform(-1.5, -0.3)
    world = _plain(seed, "disc", {"form": "cylinder", "sizes": [wide, wide, wide * random.uniform(0.05, 0.2)],
                                  "density": 3e3, "hint": wide * random.uniform(0.04, 0.07),
                                  "modulus": _CALIBRATED}, random)
    tilt = random.uniform(0.15, 0.8)
    world["tilt"] = [0.0, tilt, 0.0]
    world.update(mu=random.uniform(0.2, 1.0), dissipation=float(random.choice([0.0, random.uniform(0.1, 5.0)])))
    # From the centre to the rim's lowest point, which both are at rest.
    down = turns.of_vector(world["tilt"]) @ [1.0, 0.0, 0.0]
    rate = float(random.choice([-1.0, 1.0])) * math.sqrt(4 * draw.GRAVITY * math.sin(tilt) / (0.5 * wide))
    world.update(velocity=[0.0, 0.0, 0.0], spin=(rate * down).tolist(), speed=abs(rate) * 0.5 * wide,
                 until=min(0.3, 4.0 / abs(rate)), blow_time=0.01)
    return _bear(world, wide * 10 ** random.uniform(-3.0, -1.5))


def check_rod(seed, method):
    return converge.converge(rod(seed), method)


def check_disc(seed, method):
    return converge.converge(disc(seed), method)
