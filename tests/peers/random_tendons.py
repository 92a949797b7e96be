# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Random fixed tendons over random trees (random_trees.py) as MJCF, read and stepped by Isobar and
by MuJoCo: a case is a seed.

Hinges and slides with dampers, springs, armatures; one to four sums of two to six joints of any of
the trees, with springs, dampers, motors and servos, some at their effort limits.
"""

import numpy as np
import random_trees

import isobar

_KINDS = ("hinge", "slide", "weld", "two")
_TIME, _STEP = 0.05, 5e-4


def _joints(bodies):
    kinds = {"weld": (), "two": ("", "b")}
    return [f"j{i}{suffix}" for i, body in enumerate(bodies)
            for suffix in kinds.get(body["kind"], ("",))]


def _tendon(random, k, joints):
    count = int(random.integers(2, min(len(joints), 6) + 1))
    inside = "".join(f'<joint joint="{name}" coef="{random.normal():.17g}"/>'
                     for name in random.choice(joints, count, replace=False))
    spring = random.uniform(0, 30) * (random.random() < 0.7)
    damper = random.uniform(0, 0.3) * (random.random() < 0.5)
    return (f'<fixed name="t{k}" stiffness="{spring:.17g}" damping="{damper:.17g}" '
            f'springlength="{random.normal():.17g}">{inside}</fixed>')


def _actuator(random, k):
    """Its element, its control, and whether that is a position."""
    control = random.normal()
    bounds = ' forcerange="-0.5 0.7"' if random.random() < 0.4 else ""
    if random.random() < 0.4:
        return f'<motor name="m{k}" tendon="t{k}"{bounds}/>', control, False
    gains = f'kp="{random.uniform(1, 30):.17g}" kv="{random.uniform(0, 0.3):.17g}"'
    return f'<position name="m{k}" tendon="t{k}" {gains}{bounds}/>', control, True


def _draw(seed, path):
    """Writes the file; the generator and the controls of its actuators; None: too few joints."""
    random, bodies = random_trees.draw(seed, _KINDS)
    joints = _joints(bodies)
    if len(joints) < 2:
        return None
    random_trees.write_mjcf(random, bodies, path)
    count = int(random.integers(1, 5))
    tendons = "".join(_tendon(random, k, joints) for k in range(count))
    actuators = [(k, *_actuator(random, k)) for k in range(count) if random.random() < 0.7]
    text = path.read_text().replace(
        "</mujoco>", f'<option integrator="RK4" timestep="{_STEP}"/><tendon>{tendons}</tendon>'
        f'<actuator>{"".join(element for _, element, _, _ in actuators)}</actuator></mujoco>')
    path.write_text(text)
    return random, {f"m{k}": (control, is_position) for k, _, control, is_position in actuators}


def _made(scene, controls, q, v, **settings):
    world = scene.create_world(**settings)
    for name, (control, is_position) in controls.items():
        world.set_actuation(f"m::{name}", **{"position" if is_position else "feed_forward": control})
    world.set_state(q, v)
    return world


def _stepped(world, step):
    for _ in range(round(_TIME / step)):
        world.step()
    return np.concatenate(world.get_state())


def mujoco_errors(seed, directory):
    """{quantity: error}: after 0.05 s, states relative to the largest number in them."""
    import mujoco

    path = directory / "tendons.xml"
    drawn = _draw(seed, path)
    if drawn is None:
        return {}
    random, controls = drawn
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    scene = isobar.load(path)
    still = scene.create_world()
    q, v = random.uniform(-1, 1, still.q_count), random.normal(size=still.v_count)
    names = [mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_JOINT, i) for i in range(model.njnt)]
    order = np.array([still.coordinates(still.joint_body(f"m::{name}")).q_index for name in names])
    data.qpos[:], data.qvel[:] = q[order], v[order]
    for name, (control, _) in controls.items():
        data.ctrl[model.actuator(name).id] = control
    mujoco.mj_forward(model, data)
    world = _made(scene, controls, q, v, method="rk4")
    found = {"length": max((abs(tendon.length - data.tendon(tendon.name[3:]).length[0])
                            for tendon in world.fixed_tendons), default=0.0)}
    for _ in range(round(_TIME / _STEP)):
        mujoco.mj_step(model, data)
    theirs = np.concatenate([data.qpos, data.qvel])
    order = np.concatenate([order, order + len(order)])
    unit = max(1.0, np.abs(theirs).max())
    found["rk4"] = float(np.abs(_stepped(world, _STEP)[order] - theirs).max() / unit)
    # At the velocity level, of first order: two step sizes show where it tends to.
    coarse, fine = (_stepped(_made(scene, controls, q, v, time_step=step), step)[order]
                    for step in (_STEP / 5, _STEP / 10))
    found["lagged"] = float(np.abs(fine - theirs).max() / unit)
    found["lagged, extrapolated"] = float(np.abs(2.0 * fine - coarse - theirs).max() / unit)
    return found
