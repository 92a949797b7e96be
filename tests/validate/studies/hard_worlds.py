# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Every step finds its minimum: random worlds with extreme values (tests/support/hard_world.h).

Sizes 0.1 mm to 1 km, masses unlike by up to 1e8, moduli 1e2 to 1e12 Pa, steps 1 us to 0.1 s, up to 300 bodies, some in one
place, joints, limits, drives, loops; all velocity-level methods. One seed alone:

    build/release/bin/validate_hard_worlds SEED 1 60
"""

import programs
import report

FIRST, COUNT = 30000, 200
SECONDS = 60 # for one world
TOLERANCE = 1e-8 # of the steppers, relative to momenta
ROUNDING = "rounding"


def _is_told(world):
    """What a step of that length cannot follow is an error that says so, and which step could."""
    return "s would do" in world["message"] or "expected at most 1e+12" in world["message"]


def _worst(worlds, key):
    world = max(worlds, key=lambda world: world[key])
    return world[key], f"seed {world['seed']}"


def rows():
    worlds = programs.run("hard_worlds", FIRST, COUNT, SECONDS)
    name, source = "hard-worlds", "a convex problem has a minimum"
    failed = [world for world in worlds if world["status"] != 0 and not _is_told(world)]
    seeds = ", ".join(str(world["seed"]) for world in failed) or "none"
    told = [world for world in worlds if world["status"] != 0 and _is_told(world)]
    slowest, slowest_seed = _worst(worlds, "seconds")
    good = [world for world in worlds if world["status"] == 0]
    exact = [world for world in good if not world["reason"].startswith(ROUNDING)]
    rounded = [world for world in good if world["reason"].startswith(ROUNDING)]
    convex = [world for world in exact if world["method"] != "tamsi"]
    residual, residual_seed = _worst(convex, "residual")
    found = [
        report.bound(name, f"worlds with a step that fails, of {COUNT} (seeds: {seeds})", source,
                     len(failed), 0),
        report.bound(name, f"residual of steps of convex methods, not at rounding ({residual_seed})",
                     "tolerance of a step", residual, TOLERANCE),
        report.bound(name, f"seconds of a world ({slowest_seed})", "it ends in time", slowest,
                     SECONDS),
        report.Row(name, "worlds that spin or fly beyond what the step can follow", None, "reported",
                   len(told), len(told), None),
    ]
    if rounded:
        residual, seed = _worst(rounded, "residual")
        found.append(report.Row(name, f"residual where rounding is all that is left ({seed})", None,
                                "reported", residual, residual, None))
    return found
