# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Runs a scenario file of Isobar in MuJoCo, as point contact: same masses, sizes, friction and step.

Only scenes whose bodies are boxes, spheres, cylinders, capsules and half spaces described in the
scenario itself; MuJoCo's contacts have neither the modulus nor the dissipation of a file, its
solver's standard softness is used.
"""

import statistics
import time

import mujoco
import numpy as np

import scenario_file


class Unsupported(ValueError):
    """The scene has something that has no counterpart in MuJoCo."""


def _numbers(values):
    return " ".join(f"{float(value):.17g}" for value in values)


def _placement(pose):
    rotation, translation, base = scenario_file.pose(pose)
    if base != "world":
        raise Unsupported("poses relative to a frame")
    quaternion = np.zeros(4)
    mujoco.mju_mat2Quat(quaternion, np.ascontiguousarray(rotation).ravel())
    return f'pos="{_numbers(translation)}" quat="{_numbers(quaternion)}"'


def _size(geometry):
    shape = geometry["shape"]
    if shape == "sphere":
        return "sphere", [geometry["radius"]]
    if shape == "box":
        return "box", [0.5 * float(side) for side in geometry["size"]]
    if shape in ("cylinder", "capsule"):
        return shape, [geometry["radius"], 0.5 * float(geometry["length"])]
    if shape == "half_space":
        return "plane", [100, 100, 1]
    raise Unsupported(shape)


def _geometry(scenario, geometry, mass):
    kind, size = _size(geometry)
    material = scenario.named_material(geometry)
    friction = float(material.get("friction", material.get("friction_dynamic", 0.5)))
    weight = "" if mass is None else f'mass="{float(mass):.17g}"'
    return (
        f'<geom type="{kind}" size="{_numbers(size)}" {_placement(geometry.get("pose"))} {weight} '
        f'condim="3" friction="{friction:.17g} 0.005 0.0001"/>'
    )


def _body(scenario, entry):
    geometries = entry.get("geometry") or []
    if entry["name"] == "world" or entry.get("fixed"):
        inside = "".join(_geometry(scenario, geometry, None) for geometry in geometries)
        if entry["name"] == "world":
            return inside
        return f'<body name="{entry["name"]}" {_placement(entry.get("pose"))}>{inside}</body>'
    if len(geometries) != 1 or "mass" not in entry or "inertia" in entry:
        raise Unsupported("bodies that are not one solid with a mass")
    return (
        f'<body name="{entry["name"]}" {_placement(entry.get("pose"))}><freejoint/>'
        f'{_geometry(scenario, geometries[0], entry["mass"])}</body>'
    )


def model(path, settings=(), cone="elliptic"):
    """(model, data) in the initial state of the scenario."""
    scenario = scenario_file.read(path, settings=settings)
    for section in ("directives", "joints", "actuation", "initial", "contact_overrides"):
        if scenario.section(section):
            raise Unsupported(section)
    gravity = scenario.simulation.get("gravity", [0, 0, -9.81])
    bodies = "".join(_body(scenario, entry) for entry in scenario.section("bodies"))
    built = mujoco.MjModel.from_xml_string(
        f'<mujoco><option timestep="{scenario.time_step:.17g}" cone="{cone}" '
        f'gravity="{_numbers(gravity)}"/><worldbody>{bodies}</worldbody></mujoco>'
    )
    data = mujoco.MjData(built)
    for entry in scenario.section("bodies"):
        velocity = entry.get("velocity")
        if velocity:
            start = built.body(entry["name"]).dofadr[0]
            angular = np.array(velocity.get("angular", [0, 0, 0]), float)
            angular += np.radians(np.array(velocity.get("angular_deg", [0, 0, 0]), float))
            rotation, _, _ = scenario_file.pose(entry.get("pose"))
            data.qvel[start : start + 3] = velocity.get("linear", [0, 0, 0])
            data.qvel[start + 3 : start + 6] = rotation.T @ angular  # MuJoCo's is in the body
    mujoco.mj_forward(built, data)
    return scenario, built, data


def trajectory(path, times, settings=()):
    """Positions at the given times: a list of {body: position}."""
    scenario, built, data = model(path, settings)
    found, done = [], 0
    for moment in times:
        count = round(moment / scenario.time_step)
        if count > done:
            mujoco.mj_step(built, data, count - done)
        done = count
        mujoco.mj_kinematics(built, data)
        found.append({built.body(i).name: data.xpos[i].copy() for i in range(1, built.nbody)})
    return found


def timing(path, until=None, settings=(), repeats=3):
    """Wall time of a run: {us (median of the repeats), contacts (of the last step), steps}."""
    samples = []
    for _ in range(repeats):
        scenario, built, data = model(path, settings)
        count = int(np.ceil((until or scenario.until) / scenario.time_step - 1e-9))
        begin = time.perf_counter()
        mujoco.mj_step(built, data, count)
        samples.append((time.perf_counter() - begin) / count)
    return {"us": 1e6 * statistics.median(samples), "contacts": data.ncon, "steps": count}
