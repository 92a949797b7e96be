# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""The derivative of a step: World.linearize() beside MuJoCo's mjd_transitionFD, one MJCF file for both.

The scene is that of rollout.py, whose arm moves over three primitives at rest: 46 numbers of state, five
motors. `us_step` is a step of the same world."""

import statistics
import tempfile
import time

import numpy as np
import rollout

TURNS = 9
STEPS = 200  # until the primitives rest


def _micros(run, times=1):
    start = time.perf_counter()
    for _ in range(times):
        run()
    return 1e6 * (time.perf_counter() - start) / times


def _ours(path):
    import isobar
    loaded = isobar.load(path)
    world = isobar.World(loaded.model, loaded.settings)
    world.step(STEPS)
    clone = world.clone()

    def turn():
        found = world.linearize()
        assert found.reason is None
        return {"us": _micros(world.linearize), "us_step": _micros(clone.step, 20),
                "us_differences": _micros(lambda: world.linearize(differences=True))}
    return turn


def _theirs(path):
    import mujoco
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    for _ in range(STEPS):
        mujoco.mj_step(model, data)
    a = np.zeros((2 * model.nv + model.na, 2 * model.nv + model.na))
    b = np.zeros((2 * model.nv + model.na, model.nu))
    return lambda: {"us": _micros(lambda: mujoco.mjd_transitionFD(model, data, 1e-6, True, a, b, None, None))}


def rows(peers, wanted, turns, paired_ratio):
    """The case derivative/rollout. @param turns, paired_ratio  those of run.py"""
    name = "derivative/rollout"
    if not wanted(name):
        return []
    with tempfile.NamedTemporaryFile("w", suffix=".xml") as file:
        file.write(rollout.scene())
        file.flush()
        measures = [_ours(file.name)]
        if peers["mujoco_scenario"]:
            measures.append(_theirs(file.name))
        found = turns(TURNS, *measures)
    ours = [sample["us"] for sample in found[0]]
    row = {"case": name, "engine": "isobar", "faces": None, "steps": None, "allocations": None}
    result = [{**row, "us": statistics.median(ours), "us_best": min(ours),
               **{key: statistics.median(sample[key] for sample in found[0])
                  for key in ("us_step", "us_differences")}}]
    for samples in found[1:]:
        theirs = [sample["us"] for sample in samples]
        result.append({**row, "engine": "mujoco", "us": statistics.median(theirs), "us_best": min(theirs),
                       "ratio": paired_ratio(theirs, ours)})
    print(", ".join(f"{row['engine']} {row['us']:.4g} us" for row in result) + f" a derivative of {name}, "
          f"a step {result[0]['us_step']:.4g} us, by differences of steps {result[0]['us_differences']:.4g} us",
          flush=True)
    return result
