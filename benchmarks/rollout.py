# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Steps per second of many worlds: WorldVector beside MuJoCo's rollout, one MJCF file for both.

    python3 benchmarks/rollout.py [--worlds N] [--steps N] [--threads N] [--resolution H] [--model M]

An arm of five hinges with motors, a ball at its tip, and three primitives on a plane. Both start from
the same drawn states and get the same drawn torques, held over the run. What each engine computes in a
contact differs: Isobar finds patches of pressure, MuJoCo points."""

import argparse
import json
import os
import pathlib
import tempfile
import time

import numpy as np

import isobar

LINKS = 5
SCENE = """<mujoco model="rollout"><option timestep="0.002"/>
<worldbody><geom name="floor" type="plane" size="5 5 0.1"/>{arm}
<body name="ball" pos="0.5 0.3 0.049"><freejoint/><geom type="sphere" size="0.05" density="500"/></body>
<body name="brick" pos="0.5 -0.3 0.049"><freejoint/><geom type="box" size="0.05 0.05 0.05" density="500"/></body>
<body name="can" pos="-0.5 0.3 0.049"><freejoint/><geom type="cylinder" size="0.05 0.05" density="500"/></body>
</worldbody><actuator>{motors}</actuator></mujoco>"""


def scene():
    arm = '<geom type="sphere" size="0.03" density="500"/>'
    for i in reversed(range(LINKS)):
        axis = "0 1 0" if i % 2 else "1 0 0"
        place = "0 0 0.8" if i == 0 else "0.12 0 0"
        arm = (f'<body name="link{i}" pos="{place}"><joint name="joint{i}" axis="{axis}" damping="0.05"/>'
               f'<geom type="capsule" fromto="0.02 0 0 0.1 0 0" size="0.015" density="1000" contype="0" '
               f'conaffinity="0"/>' + (f'<geom name="tip" type="sphere" pos="0.12 0 0" size="0.03"/>'
                                       if i == LINKS - 1 else "") + (arm if i < LINKS - 1 else "")
               + "</body>")
    motors = "".join(f'<motor name="motor{i}" joint="joint{i}"/>' for i in range(LINKS))
    return SCENE.format(arm=arm, motors=motors)


def run_isobar(path, states, torques, steps, threads, resolution, contact=None):
    loaded = isobar.load(path)
    for geometry in loaded.model.geometries:
        geometry.material.resolution_hint = resolution
    if contact:
        loaded.settings.contact.model = contact
    world = isobar.World(loaded.model, loaded.settings)
    worlds = isobar.WorldVector([world], len(states), threads)
    joints = [world.coordinates(world.joint_body(f"joint{i}")).q_index for i in range(LINKS)]
    q = np.tile(np.asarray(world.get_state()[0]), (len(states), 1))
    q[:, joints] = states
    worlds.reset(q=q, v=0.0)
    rows = np.zeros((len(states), LINKS, 3))
    rows[:, [world.actuator_index(f"motor{i}") for i in range(LINKS)], 0] = torques
    start = time.perf_counter()
    worlds.step(steps, rows)
    seconds = time.perf_counter() - start
    assert not worlds.failed.any()
    return len(states) * steps / seconds


def run_mujoco(path, states, torques, steps, threads, *_):
    import mujoco
    from mujoco import rollout
    model = mujoco.MjModel.from_xml_path(str(path))
    data = [mujoco.MjData(model) for _ in range(threads)]
    size = mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    initial = np.empty((len(states), size))
    joints = [model.joint(f"joint{i}").qposadr[0] for i in range(LINKS)]
    for row, state in zip(initial, states):
        mujoco.mj_resetData(model, data[0])
        data[0].qpos[joints] = state
        mujoco.mj_getState(model, data[0], row, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    control = np.repeat(torques[:, None], steps, axis=1)
    with rollout.Rollout(nthread=threads) as pool:
        start = time.perf_counter()
        pool.rollout(model, data, initial, control)
        return len(states) * steps / (time.perf_counter() - start)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--worlds", type=int, default=64)
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--resolution", type=float, default=0.0,
                        help="edge length of Isobar's tessellated primitives [m]; 0: from their size")
    parser.add_argument("--model", help="Isobar's contact model: pressure_field, volumetric, hertz; default: "
                        "that of the file")
    options = parser.parse_args()
    rng = np.random.default_rng(1)
    states = rng.uniform(-1, 1, (options.worlds, LINKS))
    torques = rng.uniform(-0.1, 0.1, (options.worlds, LINKS))
    best = {}
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "rollout.xml"
        path.write_text(scene())
        for _ in range(options.runs):  # in turns, as the machine may be busy
            for name, run in (("isobar", run_isobar), ("mujoco", run_mujoco)):
                rate = run(path, states, torques, options.steps, options.threads,
                           options.resolution, options.model)
                best[name] = max(best.get(name, 0.0), rate)
    print(json.dumps({"worlds": options.worlds, "steps": options.steps, "threads": options.threads,
                      "resolution": options.resolution, "model": options.model,
                      "isobar_steps_per_s": best["isobar"], "mujoco_steps_per_s": best["mujoco"],
                      "ratio": best["isobar"] / best["mujoco"]}, indent=1))


if __name__ == "__main__":
    main()
