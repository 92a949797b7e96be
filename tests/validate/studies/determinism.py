# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""A run ends in the same bits however it is made.

Every case is run with one thread; then with two and five, again, with the lists of its file
backwards, saved half way and gone on with by another process, as a copy of the world stepped in a
batch beside its original, and by a build without SIMD. The hash of the final state must be the same.
"""

import concurrent.futures
import csv
import dataclasses
import hashlib
import json
import os
import pathlib
import re
import sys

import engine
import report

SCENES = engine.ROOT / "scenes"
SCALAR = pathlib.Path(
    os.environ.get("ISOBAR_SCALAR_COMMAND", engine.BUILD / "scalar" / "bin" / "isobar"))
LIBRARY = os.environ.get("ISOBAR_LIBRARY", str(engine.BUILD / "release" / "lib" / "libisobar.so"))


@dataclasses.dataclass
class Case:
    """A scene, what is changed in it, how long it runs [s]."""

    name: str
    path: pathlib.Path
    until: float = 0.5
    settings: dict = dataclasses.field(default_factory=dict)
    backwards: pathlib.Path | None = None  # the same scene, listed backwards

    def arguments(self):
        return [part for key, value in self.settings.items() for part in ("--set", f"{key}={value}")]


# --- scenes -----------------------------------------------------------------------------------------

_SOFT = {"compliance": "compliant", "modulus": 1e6, "friction": 0.6, "dissipation": 10}
_GROUND = {"name": "world", "geometry": [
    {"name": "ground", "shape": "half_space", "compliance": "rigid", "friction": 0.6}]}


def _cube(name, x, z, size=0.1):
    return {"name": name, "mass": 1, "pose": {"translation": [x, 0.01 * z, z]},
            "geometry": [{"name": "skin", "shape": "box", "size": [size] * 3, **_SOFT}]}


def _islands():
    """Three piles that do not touch, with names that mix them, and a ball that joins two of them."""
    names = iter(("m", "c", "x", "a", "q", "f", "t", "b", "p"))
    cubes = [_cube(next(names), 0.5 * pile, 0.0499 + 0.0998 * level)
             for pile in range(3) for level in range(3)]
    ball = {"name": "k", "mass": 0.5, "pose": {"translation": [0.25, 0, 0.6]},
            "velocity": {"linear": [1, 0, 0]},
            "geometry": [{"name": "skin", "shape": "sphere", "radius": 0.06, **_SOFT}]}
    return {"bodies": [_GROUND, *cubes, ball]}


def _motions():
    """Cubes on a turntable that turns and a lift that rises."""
    return {
        "bodies": [
            _GROUND, _cube("on_table", 0.0, 0.1999), _cube("on_lift", 1.0, 0.1999),
            *({"name": name, "fixed": True, "pose": {"translation": [x, 0, 0.1]},
               "geometry": [{"name": "top", "shape": "box", "size": [0.5, 0.5, 0.1],
                             "compliance": "rigid", "friction": 0.6}]}
              for name, x in (("table", 0.0), ("lift", 1.0)))],
        "motions": [
            {"body": "table", "velocity": {"angular_deg": [0, 0, 60]}},
            {"body": "lift", "times": [0.1, 0.4],
             "poses": [{"translation": [1, 0, 0.1]}, {"translation": [1.05, 0, 0.15]}]}],
    }


def _sensors():
    """A finger on two joints that comes down until its sensor feels the ground, then turns and
    lifts."""
    tip = {"name": "tip", "shape": "sphere", "radius": 0.03, "resolution_hint": 0.01, **_SOFT,
           "modulus": 1e5, "pose": {"translation": [0.01, 0.005, 0]}}
    return {
        "bodies": [
            _GROUND, {"name": "base", "fixed": True, "pose": {"translation": [0, 0, 0.15]}},
            {"name": "arm", "mass": 0.5, "inertia": [1e-3] * 3},
            {"name": "finger", "mass": 0.2, "geometry": [tip]}],
        "joints": [
            {"name": "slide", "type": "prismatic", "parent": "base", "child": "arm",
             "axis": [0, 0, 1]},
            {"name": "wrist", "type": "revolute", "parent": "arm", "child": "finger",
             "axis": [0, 1, 0], "child_pose": {"translation": [0, 0, 0.05]}}],
        "sensors": [
            {"name": "wrist", "type": "force_torque", "joint": "wrist"},
            {"name": "imu", "type": "imu", "body": "finger"},
            {"name": "skin", "type": "tactile", "body": "finger", "rows": 4, "columns": 6,
             "size": [0.03, 0.02], "pose": {"translation": [0, 0, -0.03]}}],
        "programs": [
            {"name": "press", "joints": ["slide"], "kp": 500, "kd": 50, "steps": [
                {"name": "down", "move_joints": {"positions": [-0.2], "duration": 0.5},
                 "until": {"sensor": "wrist", "component": 2, "below": -5}, "timeout": 3},
                {"name": "hold", "duration": 0.1},
                {"name": "up", "move_joints": {"positions": [0], "duration": 0.3}}]},
            {"name": "turn", "joints": ["wrist"], "kp": 5, "kd": 0.5, "steps": [
                {"name": "wait", "until": {"program": "press", "step": "down"}},
                {"name": "turn", "move_joints": {"positions": [0.5], "duration": 0.3}}]}],
    }


def _written(name, made, until):
    """A case of a scene made here, with its lists in both orders."""
    directory = engine.scratch("determinism")
    head = {"name": name, "simulation": {"time_step": 1e-3, "until": until}}
    paths = [directory / f"{name}.yaml", directory / f"{name}.backwards.yaml"]
    paths[0].write_text(json.dumps(head | made))
    paths[1].write_text(json.dumps(head | {key: made[key][::-1] for key in made}))
    return Case(name, paths[0], until, backwards=paths[1])


# Sections whose order means nothing. Overrides and directives are taken in their order.
_UNORDERED = ("bodies", "joints", "initial", "actuation", "programs", "couplers", "sensors")


def _backwards(path):
    """A copy of a scenario with the items of these sections, and models in a row, backwards."""
    text = path.read_text().replace("file: models/", f"file: {SCENES / 'models'}/")
    sections = re.split(r"(?m)^(?=\w)", text)
    for index, section in enumerate(sections):
        head, *items = re.split(r"(?m)^(?=- )", section)
        if head.partition(":")[0] in _UNORDERED:
            items.reverse()
        elif head.startswith("directives"):
            models = [i for i, item in enumerate(items) if item.startswith("- add_model:")]
            turned = dict(zip(models, [items[i] for i in reversed(models)]))
            rest = [item for i, item in enumerate(items) if i not in turned]
            items = list(turned.values()) + rest
        sections[index] = head + "".join(items)
    copy = engine.scratch("determinism") / f"{path.stem}.backwards.yaml"
    copy.write_text("".join(sections))
    return copy


def _cases():
    found = [Case(f"{path.stem}, as compared with Drake", path)
             for path in sorted(engine.PEERS.glob("*.yaml"))]
    for scene, method in (("stack", "lagged"), ("slope", "lagged"), ("balls_in_bin", "lagged"),
                          ("spatula_slip_control", "lagged"), ("stack", "sap"),
                          ("balls_in_bin", "similar"), ("coin", "similar"),
                          ("balls_in_bin", "tamsi"), ("spatula_slip_control", "tamsi"),
                          ("coin", "tamsi"), ("ball_paddle", "rk4"), ("rolling_sphere", "rk45")):
        settings = {"simulation.method": method}
        if method == "lagged":
            settings["simulation.friction"] = "stick"
        word = "sticking" if method == "lagged" else method
        until = 0.1 if method.startswith("rk") else 0.5
        found.append(Case(f"{scene}, {word}", engine.PEERS / f"{scene}.yaml", until, settings))
    for scene, until in (("bridge", 0.5), ("demo", 2.0), ("slip_control", 2.0), ("pancake", 2.0),
                         ("jaco_grasp", 0.2), ("bolt", 1.5), ("cleat", 1.5),
                         ("sorting", 3.0)):
        found.append(Case(scene, SCENES / f"{scene}.yaml", until))
    for case in found:
        case.backwards = _backwards(case.path)
    return found + [_written("islands", _islands(), 1.0), _written("motions", _motions(), 0.5),
                    _written("sensors", _sensors(), 1.0)]


# --- ways to run --------------------------------------------------------------------------------------


def _run(case, *more, path=None, until=None, program=engine.ISOBAR):
    return engine.command("run", path or case.path, "--hash", "--quiet", "--until",
                          case.until if until is None else until, *case.arguments(), *more,
                          program=program).strip()


def _in_two_parts(case, index):
    state = engine.scratch("determinism") / f"{index}.state"
    _run(case, "--save", state, until=0.5 * case.until)
    return _run(case, "--restore", state, "--threads", 2)


def _as_copies(case):
    """The original and its copy, made half way and stepped together."""
    sys.path.insert(0, str(engine.ROOT / "python"))
    os.environ["ISOBAR_LIBRARY"] = LIBRARY
    import isobar

    packages = {"drake_models": engine.ASSETS} if engine.ASSETS.is_dir() else {}
    scene = isobar.load(case.path, packages=packages, settings=case.settings)
    world = scene.create_world()
    step = world.settings.time_step
    count = int(-(-case.until // step)) if case.until / step % 1 > 1e-6 else round(case.until / step)
    world.step(count // 2)
    if world.task is None:
        copy = world.clone()
    else:
        copy = scene.create_world()
        copy.restore(world.save())
    isobar.WorldBatch([copy, world], thread_count=2).step(count - count // 2)
    hashes = {f"{one.state_hash:016x}" for one in (copy, world)}
    return hashes.pop() if len(hashes) == 1 else "copy and original differ"


def _ways(case, index):
    """{what is different: hash of the final state}"""
    found = {
        "two threads": _run(case, "--threads", 2),
        "five threads": _run(case, "--threads", 5),
        "a second run": _run(case),
        "listed backwards": _run(case, path=case.backwards),
        "saved half way, restored by another process": _in_two_parts(case, index),
        "a copy made half way, in a batch beside its original": _as_copies(case),
    }
    if SCALAR.exists():
        found["without SIMD"] = _run(case, program=SCALAR)
    return found


def _readings(case, name, *more, path=None, program=engine.ISOBAR):
    """Hash of all values that the sensors of a run gave, whatever their order."""
    directory = engine.scratch("determinism") / name
    recording = directory.with_suffix(".mcap")
    _run(case, "--record", recording, *more, path=path, program=program)
    engine.command("export", recording, "--csv", directory, "--quiet", packages=False)
    with open(directory / "sensors.csv", newline="") as file:
        lines = sorted(csv.reader(file))
    return hashlib.sha256(repr(lines).encode()).hexdigest(), len(lines)


def _of_sensors(case):
    one, count = _readings(case, "one")
    if count < 1000:
        raise engine.Failed(f"only {count} readings")
    ways = {"two threads": _readings(case, "two", "--threads", 2)[0],
            "listed backwards": _readings(case, "backwards", path=case.backwards)[0]}
    if SCALAR.exists():
        ways["without SIMD"] = _readings(case, "scalar", program=SCALAR)[0]
    return [_row(f"{case.name}: {count} readings", what, one, other)
            for what, other in ways.items()]


def _row(what, way, one, other):
    return report.absolute("determinism", f"{what}, {way} (0 the same, 1 different)", 0,
                           "one thread", float(other != one), 0)


def rows():
    cases = _cases()
    found = []
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        ones = list(pool.map(_run, cases))
        for case, one, ways in zip(cases, ones, pool.map(_ways, cases, range(len(cases)))):
            found += [_row(f"{case.name}: hash of the state", way, one, other)
                      for way, other in ways.items()]
    moved = len({*ones})
    found.append(report.absolute("determinism", "cases that end in states of their own",
                                 len(cases), "all", moved, 0))
    return found + _of_sensors(cases[-1])
