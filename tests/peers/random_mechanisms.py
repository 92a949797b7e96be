# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Random mechanisms and what must hold however they move: a case is a seed.

Joints of all kinds with limits, dampers, dry friction, springs, rotors behind gears, drives at
their effort limits, couplers and loops. Newton's law of every body with the loads that are
reported; the same mechanism in a mirror, turned, and in other units; poses that inverse kinematics
finds; and how many Newton iterations a step takes at most.
"""

import numpy as np
from random_trees import _inertia, _turn, _unit

import isobar

_KINDS = ("revolute", "prismatic", "screw", "universal", "ball", "planar", "free", "weld")
_ONE = ("revolute", "prismatic", "screw")  # of one degree of freedom
_METHODS = ("lagged", "sap", "similar")
_MIRROR = np.diag([1.0, 1.0, -1.0])


def _pose(random, size):
    return isobar.Pose(_turn(random).as_matrix(), size * random.normal(size=3))


def _body(random, i):
    kind = str(random.choice(_KINDS[:-1] if i == 0 else _KINDS))
    parent = i - 1 if random.random() < 0.6 else int(random.integers(-1, i))
    mass, axis = 10 ** random.uniform(-0.7, 0.7), _unit(random)
    across = np.cross(axis, _unit(random))
    body = {
        "kind": kind, "parent": parent, "mass": mass, "inertia": _inertia(random, mass),
        "com": 0.1 * random.normal(size=3), "x_pf": _pose(random, 0.3), "x_cm": _pose(random, 0.1),
        "axis": axis, "axis_2": across / np.linalg.norm(across),
        "pitch": random.uniform(0.1, 0.5), "position": random.uniform(-1, 1),
        "below": random.uniform(0.01, 0.3), "above": random.uniform(0.01, 0.3),
        "is_limited": random.random() < 0.4, "velocities": random.normal(size=6),
        "gear": random.uniform(-10, 10), "reference": random.uniform(-1, 1),
        "drive": {"feed_forward": random.normal(), "position": random.uniform(-1, 1),
                  "velocity": random.normal()},
        "kp": 10 ** random.uniform(-1, 3), "kd": 10 ** random.uniform(-2, 1),
        "effort": 10 ** random.uniform(-1, 1.5), "is_driven": random.random() < 0.4}
    for name, size, share in (("damping", 0.5, 0.5), ("friction", 0.5, 0.3), ("stiffness", 20, 0.4),
                              ("rotor", 0.01, 0.4)):
        has_units = name == "rotor" or kind not in ("planar", "free", "weld")
        body[name] = random.uniform(0, size) * (random.random() < share) * has_units
    return body


def draw(seed):
    random = np.random.default_rng(seed)
    bodies = [_body(random, i) for i in range(int(random.integers(2, 9)))]
    single = [i for i, body in enumerate(bodies) if body["kind"] in _ONE]
    coupled = random.permutation(single)[:2] if random.random() < 0.4 else []
    mechanism = {
        "random": random, "bodies": bodies, "loops": [], "ratio": random.uniform(0.3, 3),
        "coupled": coupled if len(coupled) == 2 else [], "gravity": 5 * random.normal(size=3),
        "method": _METHODS[seed % len(_METHODS)]}
    still = world(mechanism)
    poses = _poses(still, mechanism)
    for _ in range(int(random.integers(0, 3))):
        kind = str(random.choice(["ball", "distance", "tendon"]))
        a, b = (int(i) for i in random.choice(np.arange(-1, len(bodies)), 2, replace=False))
        if all(i < 0 or still.body_is_fixed(f"b{i}") for i in (a, b)):
            continue
        p, q = 0.2 * random.normal(size=(2, 3))
        if kind == "ball":
            q = poses[b].inverse().transform(poses[a].transform(p))
        span = np.linalg.norm(poses[b].transform(q) - poses[a].transform(p))
        slack = random.uniform(0, 0.05) if kind == "tendon" else 0.0
        mechanism["loops"].append({"kind": kind, "a": a, "b": b, "p": p, "q": q,
                                   "length": span + slack})
    return mechanism


def _seen(pose, length, is_mirrored):
    mirror = _MIRROR if is_mirrored else np.eye(3)
    return isobar.Pose(mirror @ pose.rotation @ mirror, length * mirror @ pose.translation)


def _add_joint(model, i, body, units, is_mirrored):
    length, time, mass = units
    kind, moves = body["kind"], body["kind"] == "prismatic"
    span = length if moves else 1.0  # a position of 1
    effort = mass * length / time**2 * (1.0 if moves else length)
    settings = {
        "x_pf": _seen(body["x_pf"], length, is_mirrored),
        "x_cm": _seen(body["x_cm"], length, is_mirrored)}
    if kind != "weld":
        settings |= {"damping": body["damping"] * effort / span * time,
                     "friction": body["friction"] * effort,
                     "stiffness": body["stiffness"] * effort / span}
    if kind in _ONE or kind == "universal":
        hand = (_MIRROR if moves else -_MIRROR) if is_mirrored else np.eye(3)
        settings |= {"axis": hand @ body["axis"], "axis_2": hand @ body["axis_2"]}
    if kind in _ONE:
        settings |= {
            "pitch": body["pitch"] * length * (-1 if is_mirrored else 1),
            "position": body["position"] * span, "spring_reference": body["reference"] * span,
            "rotor_inertia": body["rotor"] * effort / span * time**2, "gear_ratio": body["gear"]}
        if body["is_limited"]:
            settings |= {"lower": (body["position"] - body["below"]) * span,
                         "upper": (body["position"] + body["above"]) * span}
    parent = "world" if body["parent"] < 0 else f"b{body['parent']}"
    model.add_joint(f"j{i}", kind, parent, f"b{i}", **settings)
    if kind in _ONE and body["is_driven"]:
        model.add_actuator(f"j{i}", f"j{i}", body["kp"] * effort / span,
                           body["kd"] * effort / span * time,
                           effort_limit=body["effort"] * effort)
    return span, effort


def _close_loops(model, mechanism, length, is_mirrored):
    mirror = _MIRROR if is_mirrored else np.eye(3)
    for i, loop in enumerate(mechanism["loops"]):
        names = ["world" if k < 0 else f"b{k}" for k in (loop["a"], loop["b"])]
        settings = {} if loop["kind"] == "ball" else {"length": length * loop["length"]}
        model.add_constraint(f"k{i}", loop["kind"], *names, x_ap=length * mirror @ loop["p"],
                             x_bq=length * mirror @ loop["q"], **settings)


def world(mechanism, units=(1.0, 1.0, 1.0), is_mirrored=False):
    """One metre, second, kilogram written as so many."""
    length, time, mass = units
    mirror = _MIRROR if is_mirrored else np.eye(3)
    model, spans, efforts = isobar.Model(), [], []
    for i, body in enumerate(mechanism["bodies"]):
        model.add_body(f"b{i}", mass * body["mass"],
                       mass * length**2 * mirror @ body["inertia"] @ mirror,
                       center_of_mass=length * mirror @ body["com"])
    for i, body in enumerate(mechanism["bodies"]):
        span, effort = _add_joint(model, i, body, units, is_mirrored)
        spans.append(span)
        efforts.append(effort)
    if len(mechanism["coupled"]):
        a, b = (int(k) for k in mechanism["coupled"])
        at_a, at_b = (mechanism["bodies"][k]["position"] for k in (a, b))
        model.add_coupler("c", f"j{a}", f"j{b}", mechanism["ratio"] * spans[b] / spans[a],
                          (at_b - mechanism["ratio"] * at_a) * spans[b])
    _close_loops(model, mechanism, length, is_mirrored)
    made = isobar.World(model, time_step=1e-3 * time, method=mechanism["method"],
                        gravity=mirror @ mechanism["gravity"] * length / time**2)
    v = np.zeros(made.v_count)
    for i, body in enumerate(mechanism["bodies"]):
        at, kind = made.coordinates(f"b{i}"), body["kind"]
        rates = np.array(body["velocities"][:at.v_count]) / time
        if kind in ("ball", "free") and is_mirrored:
            rates *= np.append(-np.diag(_MIRROR), np.diag(_MIRROR))[:len(rates)]
        moving = {"prismatic": slice(0, 1), "planar": slice(0, 2), "free": slice(3, 6)}
        rates[moving.get(kind, slice(0, 0))] *= length
        v[at.v_index:at.v_index + at.v_count] = rates
        if kind in _ONE and body["is_driven"]:
            drive = body["drive"]
            made.set_actuation(f"j{i}", drive["feed_forward"] * efforts[i],
                               drive["position"] * spans[i], drive["velocity"] * spans[i] / time)
    made.set_state(None, v)
    return made


def _poses(made, mechanism):
    return {i: made.body_pose(f"b{i}") for i in range(len(mechanism["bodies"]))} | {
        -1: isobar.Pose()}


def _apart(poses, others):
    return max(max(np.abs(x.rotation - y.rotation).max(),
                   np.abs(x.translation - y.translation).max())
               for x, y in ((poses[i], others[i]) for i in poses))


def _newton_error(made, mechanism, before):
    """Force and moment that bodies lack, over the largest; before: poses before the last step."""
    lack, largest = np.zeros((len(mechanism["bodies"]) + 1, 6)), 1e-9  # the last is the world

    def add(body, at, wrench):
        arm = at - before[body].translation
        lack[body] += np.append(wrench[:3] + np.cross(arm, wrench[3:]), wrench[3:])

    loads = dict(zip(made.body_names, made.body_loads))
    for i, body in enumerate(mechanism["bodies"]):
        load = loads[f"b{i}"]
        wrench, at = np.array(load.f_bm_w), load.x_wm.translation
        largest = max(largest, np.abs(wrench).max())
        add(i, at, wrench)
        add(body["parent"], at, -wrench)
    for constraint in made.constraints:
        loop, wrench = mechanism["loops"][int(constraint.name[1:])], np.array(constraint.f_b_w)
        at = before[loop["b"]].transform(loop["q"])
        largest = max(largest, np.abs(wrench).max())
        add(loop["b"], at, wrench)
        add(loop["a"], at, -wrench)
    for i, body in enumerate(mechanism["bodies"]):
        spin, a = np.array(loads[f"b{i}"].v_wb)[:3], np.array(loads[f"b{i}"].a_wb)
        r = before[i].rotation
        arm, inertia = r @ body["com"], r @ body["inertia"] @ r.T
        force = body["mass"] * (a[3:] + np.cross(a[:3], arm)
                                + np.cross(spin, np.cross(spin, arm))
                                - mechanism["gravity"])
        moment = inertia @ a[:3] + np.cross(spin, inertia @ spin) + np.cross(arm, force)
        lack[i] -= np.append(moment, force)
        largest = max(largest, np.abs(force).max())
    return np.abs(lack[:-1]).max() / largest


def _reach(made, mechanism):
    """How far frames are from where inverse kinematics should bring them, from a guess nearby."""
    random, targets, there = mechanism["random"], [], made.clone()
    q, _ = made.inverse_kinematics([])  # what a step leaves of loops is closed
    there.set_state(q)
    poses = _poses(there, mechanism)
    for i in range(len(mechanism["bodies"])):
        if random.random() < 0.5:
            target = isobar.IkTarget(x_bt=_pose(random, 0.1))
            target.body = f"b{i}"
            target.x_wt = poses[i] @ target.x_bt
            targets.append(target)
    found, _ = made.inverse_kinematics(targets, q + 0.02 * random.normal(size=len(q)))
    there.set_state(found)
    limits = [made.joint_limits(name) for name in made.joint_names]
    beyond = max([max(limit.lower - at, at - limit.upper)
                  for limit, at in zip(limits, there.joint_positions)] + [0.0])
    return max([_apart({0: there.body_pose(target.body) @ target.x_bt}, {0: target.x_wt})
                for target in targets] + [beyond])


def errors(seed):
    """{claim: largest error}; "iterations" counts."""
    mechanism = draw(seed)
    first, steps = world(mechanism), int(mechanism["random"].integers(20, 120))
    iterations = 0
    for _ in range(steps):
        before = _poses(first, mechanism)
        first.step()
        iterations = max(iterations, first.report().iterations)
    then = _poses(first, mechanism)
    found = {"iterations": iterations, "Newton's law": _newton_error(first, mechanism, before)}
    mirrored = world(mechanism, is_mirrored=True)
    mirrored.step(steps)
    found["mirrored"] = _apart(then, {
        i: _seen(pose, 1.0, True) for i, pose in _poses(mirrored, mechanism).items()})
    if not mechanism["loops"]:  # how fast these close has a unit
        units = 2.0 ** mechanism["random"].integers(-3, 4, 3)
        scaled = world(mechanism, units * [1, 1, units[2]])
        scaled.step(steps)
        found["units"] = _apart(then, {
            i: _seen(pose, 1 / units[0], False) for i, pose in _poses(scaled, mechanism).items()})
    found["reached"] = _reach(first, mechanism)
    return {name: float(value) for name, value in found.items()}
