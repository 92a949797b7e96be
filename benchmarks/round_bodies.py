# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Points and volumes beside MuJoCo's point contact and Simbody's compliant contact: bodies on the
ground, steps of a millisecond."""

import json
import random
import resource
import statistics
import subprocess
import sys

import engine

COUNT = 16
REST, UNTIL = 0.2, 0.7  # measured after the first one; bench_simbody has the same [s]
TURNS = 9

# Isobar's model and shape for what Simbody has, and the fineness of its meshes: that at which its
# force on a ball is within 2 % of that of finer ones.
SIMBODY = {
    "hertz": ("hertz", "shape: sphere, radius: 0.05", 0),
    "spheres": ("volumetric", "shape: sphere, radius: 0.05", 5),
    "boxes": ("volumetric", "shape: box, size: [0.1, 0.1, 0.1]", 8),
}

# Experiments of [Gonthier2007] as worlds, with the steps of the thesis: E9 and E12.
WORLDS = {
    "world/over_the_edge": {"simulation.method": "rk4", "simulation.time_step": 5e-5, "simulation.until": 4.5},
    "world/battery_box": {"simulation.time_step": 2.5e-4},
}
WORLD_TURNS = 3

_HEAD = """simulation: {{method: lagged, time_step: 1.0e-3, until: {until}, contact_model: {model}}}
default_material: {{friction: 0.5, dissipation: 5, modulus: 1.0e+6, compliance: compliant}}
bodies:
- name: world
  geometry:
  - {{name: floor, shape: half_space, compliance: rigid}}
"""
_WALL = "  - {{name: wall_{name}, shape: box, size: [{x}, {y}, 0.2], pose: {{translation: [{at_x}, {at_y}, 0.1]}}}}\n"
_BODY = ("- {{name: body_{i:02}, mass: 0.5, pose: {{translation: [{x:.4f}, {y:.4f}, {z:.4f}], rotation: "
         "!Rpy {{deg: [{roll:.2f}, {pitch:.2f}, 0]}}}}, geometry: [{{name: skin, {shape}}}]}}\n")


def _side_by_side(model, shape):
    text = _HEAD.format(until=UNTIL, model=model)
    for i in range(COUNT):
        text += _BODY.format(i=i, x=.15 * (i % 8), y=.15 * (i // 8), z=.05 - 1e-4, roll=0, pitch=0, shape=shape)
    return text


def _tray():
    """Balls and capsules that lie about between boxes."""
    draw = random.Random(7)
    text = _HEAD.format(until=2.0, model="hertz")
    for name, x, y, at_x, at_y in (("a", .02, .8, -.4, 0), ("b", .02, .8, .4, 0), ("c", .8, .02, 0, -.4),
                                   ("d", .8, .02, 0, .4)):
        text += _WALL.format(name=name, x=x, y=y, at_x=at_x, at_y=at_y)
    for i in range(24):
        shape = ("shape: sphere, radius: 0.05" if i % 3 else "shape: capsule, radius: 0.04, length: 0.08")
        text += _BODY.format(i=i, x=-.3 + .15 * (i % 5), y=-.3 + .15 * (i // 5), z=.06 + .02 * draw.random(),
                             roll=draw.uniform(60, 120), pitch=draw.uniform(-20, 20), shape=shape)
    return text


def _write(name, text):
    directory = engine.BUILD / "bench"
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / f"{name}.yaml"
    path.write_text(text)
    return path


def _simbody_us(program, kind):
    done = subprocess.run([str(program), kind, str(COUNT), str(SIMBODY[kind][2])], capture_output=True, text=True,
                          check=True)
    return json.loads(done.stdout)["us"]


def _ours(path):
    """As `isobar run` measures: the median step, as the peers' means have no warm-up in them."""
    return engine.run(path, threads=1)["performance"]


def _rows(name, found, peer, paired_ratio):
    ours = [sample["us_step_median"] for sample in found[0]]
    rows = [{"case": name, "engine": "isobar", "us": statistics.median(ours), "faces": None, "steps": None,
             "allocations": max(sample["allocations_second_half"] for sample in found[0])}]
    for theirs in found[1:]:
        rows.append({"case": name, "engine": peer, "us": statistics.median(theirs), "faces": None, "steps": None,
                     "allocations": None, "ratio": paired_ratio(theirs, ours)})
    print(", ".join(f"{row['engine']} {row['us']:.4g} us" for row in rows), f"per step of {name}", flush=True)
    return rows


def _world(name, settings):
    """Processor time of the whole run, with what it begins with."""
    scene = engine.ROOT / "scenes" / f"{name.partition('/')[2]}.yaml"
    seconds = []
    for _ in range(WORLD_TURNS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        said = engine.run(scene, threads=1, settings=settings)
        seconds.append(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before)
    taken = statistics.median(seconds)
    row = {"case": name, "engine": "isobar", "us": 1e6 * taken / said["steps"], "faces": None, "steps": said["steps"],
           "allocations": said["performance"]["allocations_second_half"], "real_time": said["time"] / taken}
    print(f"{name}: {taken:.3g} s, {row['real_time']:.3g} times faster than real time", flush=True)
    return row


def rows(peers, programs, wanted, turns, paired_ratio):
    """Cases round/...: one of MuJoCo's and those of Simbody; and world/...: alone.

    @param turns, paired_ratio  those of run.py
    """
    result = [_world(name, settings) for name, settings in WORLDS.items() if wanted(name)]
    if wanted("round/tray"):
        path = _write("tray", _tray())
        measures = [lambda: _ours(path)]
        if peers["mujoco_scenario"]:
            measures.append(lambda: peers["mujoco_scenario"].timing(path, repeats=1)["us"])
        result += _rows("round/tray", turns(TURNS, *measures), "mujoco", paired_ratio)
    program = programs / "bench_simbody"
    if not program.exists():
        print("bench: without bench_simbody, which needs libsimbody-dev", file=sys.stderr)
    for kind, (model, shape, _) in SIMBODY.items():
        name = f"round/{kind}"
        if wanted(name):
            path = _write(f"round_{kind}", _side_by_side(model, shape))
            measures = [lambda path=path: _ours(path)]
            if program.exists():
                measures.append(lambda kind=kind: _simbody_us(program, kind))
            result += _rows(name, turns(TURNS, *measures), "simbody", paired_ratio)
    return result
