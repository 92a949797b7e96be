# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Random trees of bodies and joints as files, read by Isobar and by Drake or MuJoCo: a case is a
seed.

SDFormat for Drake: joints revolute, continuous, prismatic, fixed, screw, universal, ball, planar
and none; axes in any frame, dampers, springs, rotors behind gears. MJCF for MuJoCo: hinges,
slides, balls, free bodies, welds, two joints in a body; dampers, springs, armatures, references,
compensated gravity.
"""

import numpy as np
from scipy.spatial.transform import Rotation

import isobar

SDF_KINDS = ("revolute", "continuous", "prismatic", "fixed", "screw", "universal", "ball",
             "planar", "free")
MJCF_KINDS = ("hinge", "slide", "ball", "free", "weld", "two")


def _text(*values):
    return " ".join(f"{x:.17g}" for x in np.concatenate([np.atleast_1d(v) for v in values]))


def _inertia(random, mass):
    """That of five points."""
    points, weights = random.normal(size=(5, 3)) * 0.3, random.uniform(0.1, 1, 5)
    weights *= mass / weights.sum()
    points -= weights @ points / mass
    return sum(w * (p @ p * np.eye(3) - np.outer(p, p)) for w, p in zip(weights, points))


def _unit(random):
    vector = random.normal(size=3)
    return vector / np.linalg.norm(vector)


def draw(seed, kinds):
    """(random, bodies)"""
    random = np.random.default_rng(seed)
    bodies = []
    for i in range(int(random.integers(1, 17))):
        kind = str(random.choice(kinds))
        parent = i - 1 if random.random() < 0.5 else int(random.integers(-1, i))
        if kind == "planar" and parent < 0:
            kind = "screw"  # Drake wants a link for its parent
        mass = 10 ** random.uniform(-1, 1)
        bodies.append({
            "kind": kind, "parent": -1 if kind == "free" else parent, "mass": mass,
            "inertia": _inertia(random, mass), "com": 0.2 * random.normal(size=3),
            "pose": np.concatenate([0.5 * random.normal(size=3), random.uniform(-1.5, 1.5, 3)]),
            "frame": np.concatenate([0.3 * random.normal(size=3), random.uniform(-1.5, 1.5, 3)]),
            "axes": [_unit(random), _unit(random)], "pitch": random.uniform(0.1, 1),
            "damping": random.uniform(0, 2) * (random.random() < 0.5),
            "stiffness": random.uniform(0, 20) * (random.random() < 0.4),
            "reference": random.uniform(-1, 1), "gear": random.uniform(-100, 100),
            "rotor": 10 ** random.uniform(-4, -1) * (random.random() < 0.4),
            "lifted": random.uniform(0, 2) * (random.random() < 0.2)})
    return random, bodies


def _sdf_axis(random, i, body):
    expressed = random.choice(["", ' expressed_in="__model__"', ' expressed_in="l0"'])
    spring = ""
    if body["stiffness"] and body["kind"] != "screw":
        spring = (f"<spring_stiffness>{_text(body['stiffness'])}</spring_stiffness>"
                  f"<spring_reference>{_text(body['reference'])}</spring_reference>")
    rotor = pitch = ""
    if body["kind"] == "screw":
        pitch = f"<screw_thread_pitch>{_text(body['pitch'])}</screw_thread_pitch>"
    elif body["rotor"]:
        rotor = (f"<drake:rotor_inertia>{_text(body['rotor'])}</drake:rotor_inertia>"
                 f"<drake:gear_ratio>{_text(body['gear'])}</drake:gear_ratio>")
    return (f"<axis><xyz{expressed}>{_text(body['axes'][0])}</xyz><dynamics>"
            f"<damping>{_text(body['damping'])}</damping>{spring}</dynamics>"
            f"<limit><effort>{'1e6' if rotor else '0'}</effort></limit></axis>{pitch}{rotor}")


def _sdf_joint(random, i, body):
    kind = body["kind"]
    parent = "world" if body["parent"] < 0 else f"l{body['parent']}"
    damping = _text(body["damping"])
    if kind == "planar":
        return (f'<frame name="f{i}" attached_to="l{i}"><pose>{_text(body["frame"])}</pose></frame>'
                f'<drake:joint name="j{i}" type="planar"><drake:parent>{parent}</drake:parent>'
                f"<drake:child>f{i}</drake:child>"
                f"<drake:damping>{damping} {damping} {damping}</drake:damping></drake:joint>")
    inside = ""
    if kind in ("revolute", "continuous", "prismatic", "screw"):
        inside = _sdf_axis(random, i, body)
    elif kind == "universal":
        rest = (f"<dynamics><damping>{damping}</damping></dynamics>"
                "<limit><effort>0</effort></limit>")
        inside = (f"<axis><xyz>1 0 0</xyz>{rest}</axis><axis2><xyz>0 1 0</xyz>{rest}</axis2>")
    return (f'<joint name="j{i}" type="{kind}"><parent>{parent}</parent><child>l{i}</child>'
            f"<pose>{_text(body['frame'])}</pose>{inside}</joint>")


def write_sdf(random, bodies, path):
    text = '<sdf version="1.9"><model name="m">'
    for i, body in enumerate(bodies):
        relative = f' relative_to="l{body["parent"]}"' if body["parent"] >= 0 else ""
        m = body["inertia"]
        entries = zip(("ixx", "iyy", "izz", "ixy", "ixz", "iyz"),
                      (m[0, 0], m[1, 1], m[2, 2], m[0, 1], m[0, 2], m[1, 2]))
        inertia = "".join(f"<{key}>{_text(value)}</{key}>" for key, value in entries)
        text += (f'<link name="l{i}"><pose{relative}>{_text(body["pose"])}</pose><inertial>'
                 f"<pose>{_text(body['com'])} 0 0 0</pose><mass>{_text(body['mass'])}</mass>"
                 f"<inertia>{inertia}</inertia></inertial></link>")
        if body["kind"] != "free":
            text += _sdf_joint(random, i, body)
    path.write_text(text + "</model></sdf>")


def _mjcf_joints(i, body):
    if body["kind"] == "free":
        return f'<freejoint name="j{i}"/>'
    kinds = {"two": ("hinge", "slide"), "weld": ()}.get(body["kind"], (body["kind"],))
    text = ""
    for kind, axis, suffix in zip(kinds, body["axes"], ("", "b")):
        text += (f'<joint name="j{i}{suffix}" type="{kind}" pos="{_text(body["frame"][:3])}" '
                 f'axis="{_text(axis)}" damping="{_text(body["damping"])}" '
                 f'stiffness="{_text(body["stiffness"])}"')
        if kind != "ball":
            text += (f' springref="{_text(body["reference"])}" armature="{_text(body["rotor"])}" '
                     f'ref="{_text(0.3 * body["reference"])}"')
        text += "/>"
    return text


def write_mjcf(random, bodies, path):
    def element(i):
        body = bodies[i]
        turn = Rotation.from_euler("xyz", body["pose"][3:]).as_quat()
        m = body["inertia"]
        inertia = _text([m[0, 0], m[1, 1], m[2, 2], m[0, 1], m[0, 2], m[1, 2]])
        children = [k for k, other in enumerate(bodies) if other["parent"] == i]
        return (f'<body name="l{i}" pos="{_text(body["pose"][:3])}" '
                f'quat="{_text(turn[3], turn[:3])}" gravcomp="{_text(body["lifted"])}">'
                f'<inertial pos="{_text(body["com"])}" mass="{_text(body["mass"])}" '
                f'fullinertia="{inertia}"/>{_mjcf_joints(i, body)}'
                + "".join(map(element, children)) + "</body>")

    roots = [i for i, body in enumerate(bodies) if body["parent"] < 0]
    path.write_text('<mujoco model="m"><compiler angle="radian"/>'
                    f'<option gravity="{_text(6 * random.normal(size=3))}"/><worldbody>'
                    + "".join(map(element, roots)) + "</worldbody></mujoco>")


def _error(ours, theirs, unit=1.0):
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    largest = max(np.abs(ours).max(initial=0.0), np.abs(theirs).max(initial=0.0), unit)
    return float(np.abs(ours - theirs).max(initial=0.0) / largest)


def _quaternion(rotation):
    x, y, z, w = rotation.as_quat()
    return [w, x, y, z]


def _turn(random):
    return Rotation.random(random_state=int(random.integers(1 << 31)))


def drake_errors(seed, directory):
    """{quantity: relative error}"""
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant
    from pydrake.multibody.tree import JacobianWrtVariable

    random, bodies = draw(seed, SDF_KINDS)
    path = directory / "tree.sdf"
    write_sdf(random, bodies, path)
    world = isobar.load(path).create_world(method="rk4")
    plant = MultibodyPlant(0.0)
    Parser(plant).AddModels(str(path))
    plant.Finalize()
    context = plant.CreateDefaultContext()
    joints = {joint.child_body().name(): joint
              for joint in map(plant.get_joint, plant.GetJointIndices())}
    q, v = np.zeros(world.q_count), 2 * random.normal(size=world.v_count)
    their_q, order = np.zeros(plant.num_positions()), np.zeros(world.v_count, int)
    for i, body in enumerate(bodies):
        joint, at = joints[f"l{i}"], world.coordinates(f"m::l{i}")
        if body["kind"] == "free":
            mine = theirs = [*_quaternion(_turn(random)), *random.normal(size=3)]
        elif body["kind"] == "ball":
            theirs = random.uniform(-1.2, 1.2, 3)
            mine = _quaternion(Rotation.from_euler("xyz", theirs))
        else:
            mine = theirs = random.uniform(-2, 2, at.q_count)
        q[at.q_index:at.q_index + at.q_count] = mine
        their_q[joint.position_start():joint.position_start() + joint.num_positions()] = theirs
        order[at.v_index:at.v_index + at.v_count] = joint.velocity_start() + np.arange(at.v_count)
    world.set_state(q, v)
    plant.SetPositions(context, their_q)
    their_v, tau = np.zeros(len(v)), 3 * random.normal(size=len(v))
    their_v[order] = v
    plant.SetVelocities(context, their_v)

    weight = sum(body["mass"] for body in bodies)
    last, point = len(bodies) - 1, random.normal(size=3)
    frame = plant.GetBodyByName(f"l{last}").body_frame()
    jacobian = plant.CalcJacobianSpatialVelocity(
        context, JacobianWrtVariable.kV, frame, point, plant.world_frame(), plant.world_frame())
    gravity = plant.CalcGravityGeneralizedForces(context)
    mass_matrix = plant.CalcMassMatrix(context)[np.ix_(order, order)]
    found = {
        "mass matrix": _error(world.mass_matrix(), mass_matrix, 1e-12),
        "gravity": _error(world.gravity_forces(), gravity[order], weight),
        "bias": _error(world.bias(), (plant.CalcBiasTerm(context) - gravity)[order], weight),
        "Jacobian": _error(world.jacobian(f"m::l{last}", point), jacobian[:, order]),
        "pose": 0.0,
    }
    for i in range(len(bodies)):
        x = plant.EvalBodyPoseInWorld(context, plant.GetBodyByName(f"l{i}"))
        pose = world.body_pose(f"m::l{i}")
        found["pose"] = max(found["pose"], _error(pose.rotation, x.rotation().matrix()),
                            _error(pose.translation, x.translation()))
    their_tau = np.zeros(len(v))
    their_tau[order] = tau
    plant.get_applied_generalized_force_input_port().FixValue(context, their_tau)
    if plant.num_actuators():
        plant.get_actuation_input_port().FixValue(context, np.zeros(plant.num_actuators()))
    rates = plant.EvalTimeDerivatives(context).CopyToVector()
    acceleration = rates[plant.num_positions():plant.num_positions() + len(v)][order]
    efforts = mass_matrix @ acceleration
    found["effort of accelerations"] = _error(
        mass_matrix @ world.forward_dynamics(tau + world.passive_forces()), efforts, weight)
    return found


def _set_mujoco_state(random, bodies, model, data, world):
    """The same random state for both; the map from Isobar's velocities to MuJoCo's."""
    q, v = np.zeros(world.q_count), 2 * random.normal(size=world.v_count)
    to_theirs = np.zeros((model.nv, model.nv))
    for i, body in enumerate(bodies):
        for suffix in {"weld": (), "two": ("", "b")}.get(body["kind"], ("",)):
            joint = model.joint(f"j{i}{suffix}")
            at, to, dof = world.coordinates(f"m::l{i}"), joint.qposadr[0], joint.dofadr[0]
            if body["kind"] in ("free", "ball"):
                turn, place = _turn(random), random.normal(size=3)
                is_free = body["kind"] == "free"
                q[at.q_index:at.q_index + 4] = _quaternion(turn)
                data.qpos[to + 3 * is_free:to + 3 * is_free + 4] = _quaternion(turn)
                rotation = to_theirs[dof + 3 * is_free:][:3, at.v_index:at.v_index + 3]
                rotation[:] = turn.as_matrix().T
                if is_free:
                    q[at.q_index + 4:at.q_index + 7] = data.qpos[to:to + 3] = place
                    to_theirs[dof:dof + 3, at.v_index + 3:at.v_index + 6] = np.eye(3)
                continue
            at = world.coordinates(world.joint_body(f"m::j{i}{suffix}"))
            q[at.q_index] = data.qpos[to] = random.uniform(-2, 2)
            to_theirs[dof, at.v_index] = 1.0
    world.set_state(q, v)
    data.qvel[:] = to_theirs @ v
    return to_theirs


def mujoco_errors(seed, directory):
    """{quantity: relative error}"""
    import mujoco

    random, bodies = draw(seed, MJCF_KINDS)
    path = directory / "tree.xml"
    write_mjcf(random, bodies, path)
    world = isobar.load(path).create_world(method="rk4")
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    t = _set_mujoco_state(random, bodies, model, data, world)
    mujoco.mj_forward(model, data)
    full, point, last = np.zeros((model.nv, model.nv)), random.normal(size=3), len(bodies) - 1
    mujoco.mj_fullM(model, data, full)
    at = model.body(f"l{last}").id
    moving, turning = np.zeros((3, model.nv)), np.zeros((3, model.nv))
    mujoco.mj_jac(model, data, moving, turning,
                  data.xpos[at] + data.xmat[at].reshape(3, 3) @ point, at)
    weight = np.linalg.norm(model.opt.gravity) * model.body_mass.sum() * 0.1
    passive = t.T @ (data.qfrc_spring + data.qfrc_damper)
    found = {
        "mass matrix": _error(world.mass_matrix(), t.T @ full @ t, 1e-12),
        "bias": _error(world.bias(), t.T @ (data.qfrc_bias - data.qfrc_gravcomp), weight),
        "springs and dampers": _error(world.passive_forces(), passive),
        "Jacobian": _error(world.jacobian(f"m::l{last}", point), np.vstack([turning, moving]) @ t),
        "pose": 0.0,
    }
    for i in range(len(bodies)):
        at, pose = model.body(f"l{i}").id, world.body_pose(f"m::l{i}")
        found["pose"] = max(found["pose"], _error(pose.rotation, data.xmat[at].reshape(3, 3)),
                            _error(pose.translation, data.xpos[at]))
    return found
