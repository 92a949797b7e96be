# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Mass matrix, bias, gravity and Jacobians of robots at random states, beside Drake and MuJoCo.

The same URDF, masses and joints only, for all three. Errors are relative to the largest entry.
"""

import numpy as np

import arm
import engine
import programs
import report

_STATES = 20
_TOLERANCE = 1e-12  # measured 2e-15 at most


def _error(ours, theirs):
    return float(np.max(np.abs(ours - theirs)) / np.max(np.abs(theirs)))


def _drake(path):
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant
    from pydrake.multibody.tree import JacobianWrtVariable

    plant = MultibodyPlant(0.0)
    plant_model = Parser(plant).AddModels(str(path))[0]
    if arm.root(path) != "world":
        plant.WeldFrames(plant.world_frame(), plant.GetFrameByName(arm.root(path)))
    plant.Finalize()
    context = plant.CreateDefaultContext()

    def at(state):
        names = state["joints"]
        order = [plant.GetJointByName(name, plant_model).velocity_start() for name in names]
        q, v = np.zeros(plant.num_positions()), np.zeros(plant.num_velocities())
        for k, name in enumerate(names):
            q[plant.GetJointByName(name, plant_model).position_start()] = state["q"][k]
        v[order] = state["v"]
        plant.SetPositions(context, q)
        plant.SetVelocities(context, v)
        gravity = plant.CalcGravityGeneralizedForces(context)
        frame = plant.GetBodyByName(state["last"], plant_model).body_frame()
        jacobian = plant.CalcJacobianSpatialVelocity(
            context, JacobianWrtVariable.kV, frame, np.zeros(3), plant.world_frame(),
            plant.world_frame())
        center = plant.CalcJacobianCenterOfMassTranslationalVelocity(
            context, JacobianWrtVariable.kV, plant.world_frame(), plant.world_frame())
        # Drake counts what stands on the world, Isobar only what can move.
        still = sum(body.get_mass(context) for body in plant.GetBodiesWeldedTo(plant.world_body())
                    if body.index() != plant.world_body().index())
        total = plant.CalcTotalMass(context)
        center = center * total / (total - still)
        return {
            "mass_matrix": plant.CalcMassMatrix(context)[np.ix_(order, order)],
            "bias": (plant.CalcBiasTerm(context) - gravity)[order],
            "gravity": gravity[order],
            "jacobian": jacobian[:, order],
            "center_jacobian": center[:, order],
        }

    return at


def _mujoco(path):
    import mujoco

    model = arm.mujoco_model(path)
    data = mujoco.MjData(model)

    def at(state):
        joints = [mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_JOINT, name)
                  for name in state["joints"]]
        order = model.jnt_dofadr[joints]
        data.qpos[model.jnt_qposadr[joints]] = state["q"]
        data.qvel[order] = state["v"]
        mujoco.mj_forward(model, data)
        full = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, full)
        bias = data.qfrc_bias.copy()
        data.qvel[:] = 0
        mujoco.mj_forward(model, data)
        gravity = -data.qfrc_bias
        position, rotation = np.zeros((3, model.nv)), np.zeros((3, model.nv))
        body = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, state["last"])
        mujoco.mj_jacBody(model, data, position, rotation, body)
        return {
            "mass_matrix": full[np.ix_(order, order)],
            "bias": bias[order],
            "gravity": gravity[order],
            "jacobian": np.vstack([rotation, position])[:, order],
        }

    return at


def rows():
    if not engine.ASSETS.is_dir():
        return []
    found = []
    for name, path in arm.skeletons(engine.ASSETS, engine.scratch("robot_dynamics")).items():
        states = programs.run("robot_dynamics", str(path), str(_STATES))
        for source, make in (("Drake", _drake), ("MuJoCo", _mujoco)):
            try:
                peer = make(path)
            except ImportError:
                continue
            worst = {}
            for state in states:
                n = len(state["q"])
                for key, theirs in peer(state).items():
                    ours = np.array(state[key])
                    ours = ours.reshape(-1, n) if theirs.ndim == 2 else ours
                    worst[key] = max(worst.get(key, 0.0), _error(ours, theirs))
            for key, error in worst.items():
                quantity = f"largest error of {key.replace('_', ' ')}, {_STATES} random states"
                found.append(report.bound(f"robot_dynamics/{name}/{source}/{key}", quantity,
                                          f"{source}, same URDF", error, _TOLERANCE))
    return found
