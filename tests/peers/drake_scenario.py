# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Runs a scenario file of Isobar in Drake: same bodies, materials, actuation, step and choices.

One thread, no visualiser. Names of bodies are Isobar's: "model::link", or the bare name of a body
that the scenario itself describes.
"""

import fnmatch
import statistics
import time

import numpy as np
from pydrake.common.eigen_geometry import Quaternion
from pydrake.geometry import (
    AddCompliantHydroelasticProperties,
    AddCompliantHydroelasticPropertiesForHalfSpace,
    AddContactMaterial,
    AddRigidHydroelasticProperties,
    Box,
    Capsule,
    Convex,
    Cylinder,
    Ellipsoid,
    HalfSpace,
    HydroelasticContactRepresentation,
    Mesh,
    ProximityProperties,
    Role,
    RoleAssign,
    Sphere,
)
from pydrake.math import RigidTransform, RotationMatrix
from pydrake.multibody.parsing import (
    LoadModelDirectivesFromString,
    Parser,
    ProcessModelDirectives,
)
from pydrake.multibody.math import SpatialVelocity
from pydrake.multibody.plant import (
    AddMultibodyPlant,
    CoulombFriction,
    MultibodyPlantConfig,
)
from pydrake.multibody.tree import (
    BodyIndex,
    CalcSpatialInertia,
    FixedOffsetFrame,
    ModelInstanceIndex,
    PdControllerGains,
    PrismaticJoint,
    RevoluteJoint,
    SpatialInertia,
    UnitInertia,
)
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder, LeafSystem

import drake_static
import scenario_file

_INLINE = "inline"  # model instance of the bodies a scenario describes itself


def _transform(pose):
    rotation, translation, _ = scenario_file.pose(pose)
    # A matrix computed from angles may miss orthogonality by more than Drake accepts.
    return RigidTransform(RotationMatrix.ProjectToRotationMatrix(rotation), translation)


class _Inputs(LeafSystem):
    """The signals of a scenario as a vector; `rows` are functions of time."""

    def __init__(self, rows):
        super().__init__()
        self._rows = rows
        self.DeclareVectorOutputPort("u", max(1, len(rows)), self._calc)

    def _calc(self, context, output):
        now = context.get_time()
        output.SetFromVector([row(now) for row in self._rows] or [0.0])


class Scene:
    """A Drake diagram made from a scenario file."""

    def __init__(self, path, packages=(), settings=()):
        self.scenario = scenario_file.read(path, packages, settings)
        self._builder = DiagramBuilder()
        self.plant, self.scene_graph = AddMultibodyPlant(self._plant_config(), self._builder)
        self._set_defaults()
        self._add_bodies()
        self._add_directives()
        self._place_fixed()
        self._add_joints()
        self._override_materials()
        self._add_actuators()
        gravity = self.scenario.simulation.get("gravity", [0, 0, -9.81])
        self.plant.mutable_gravity_field().set_gravity_vector(np.array(gravity, float))
        self.plant.Finalize()
        self._connect_actuation()
        self.diagram = self._builder.Build()
        self.bodies = {}
        for index in range(1, self.plant.num_bodies()):
            body = self.plant.get_body(BodyIndex(index))
            self.bodies[_scoped_name(self.plant, body)] = body

    # --- building ---------------------------------------------------------------------------------

    def _plant_config(self):
        simulation = self.scenario.simulation
        method = simulation.get("method", "lagged")
        if method not in ("lagged", "sap", "similar", "tamsi"):
            raise ValueError(f"method {method} has no counterpart among Drake's discrete steps")
        return MultibodyPlantConfig(
            time_step=self.scenario.time_step,
            contact_model="hydroelastic_with_fallback",
            discrete_contact_approximation=method,
            contact_surface_representation=simulation.get("representation", "polygon"),
            stiction_tolerance=float(simulation.get("stiction_velocity", 1e-4)),
        )

    def _set_defaults(self):
        """default_material, and Isobar's rule that a geometry is compliant unless it says rigid."""
        standard = self.scenario.root.get("default_material") or {}
        config = self.scene_graph.get_config()
        target = config.default_proximity_properties
        target.compliance_type = standard.get("compliance", "compliant")
        names = {
            "modulus": "hydroelastic_modulus",
            "resolution_hint": "resolution_hint",
            "margin": "margin",
            "slab_thickness": "slab_thickness",
            "dissipation": "hunt_crossley_dissipation",
            "relaxation_time": "relaxation_time",
            "friction_static": "static_friction",
            "friction_dynamic": "dynamic_friction",
        }
        for key, name in names.items():
            if key in standard:
                setattr(target, name, float(standard[key]))
        if "friction" in standard:
            target.static_friction = target.dynamic_friction = float(standard["friction"])
        self.scene_graph.set_config(config)

    def _add_bodies(self):
        self._instance = self.plant.AddModelInstance(_INLINE)
        for entry in self.scenario.section("bodies"):
            if entry["name"] == "world":
                body = self.plant.world_body()
            else:
                body = self.plant.AddRigidBody(entry["name"], self._instance, _inertia(entry))
            for index, geometry in enumerate(entry.get("geometry") or []):
                properties = _properties(self.scenario.named_material(geometry), geometry["shape"])
                self.plant.RegisterCollisionGeometry(
                    body,
                    _transform(geometry.get("pose")),
                    _shape(self.scenario, geometry),
                    geometry.get("name", f"{entry['name']}_{index}"),
                    properties,
                )

    def _add_directives(self):
        if not self.scenario.directives:
            return
        parser = Parser(self.plant)
        for name, directory in self.scenario.packages.items():
            if parser.package_map().Contains(name):
                parser.package_map().Remove(name)
            parser.package_map().Add(name, str(directory))
        text = self.scenario.directives
        here = "isobar_scenario_directory"
        parser.package_map().Add(here, str(self.scenario.path.parent.resolve()))
        # Isobar also takes file names relative to the scenario; Drake wants URIs.
        lines = []
        for line in text.splitlines():
            head, separator, name = line.partition("file: ")
            if separator and "://" not in name and not name.startswith("/"):
                line = f"{head}{separator}package://{here}/{name}"
            lines.append(line)
        ProcessModelDirectives(LoadModelDirectivesFromString("\n".join(lines)), parser)

    def _frame(self, name):
        """A frame or body by Isobar's name."""
        if name == "world":
            return self.plant.world_frame()
        model, separator, link = name.rpartition("::")
        if separator:
            instance = self.plant.GetModelInstanceByName(model)
            return self.plant.GetFrameByName(link, instance)
        if self.plant.HasFrameNamed(name, self._instance):
            return self.plant.GetFrameByName(name, self._instance)
        return self.plant.GetFrameByName(name)

    def _place_fixed(self):
        for entry in self.scenario.section("bodies"):
            if entry.get("fixed"):
                base = self._frame((entry.get("pose") or {}).get("base_frame", "world"))
                child = self.plant.GetFrameByName(entry["name"], self._instance)
                self.plant.WeldFrames(base, child, _transform(entry.get("pose")))

    def _add_joints(self):
        kinds = {"revolute": RevoluteJoint, "prismatic": PrismaticJoint}
        for entry in self.scenario.section("joints"):
            parent, child = self._frame(entry["parent"]), self._frame(entry["child"])
            x_pf, x_cm = _transform(entry.get("pose")), _transform(entry.get("child_pose"))
            if entry["type"] == "fixed":
                self.plant.WeldFrames(parent, child, x_pf @ x_cm.inverse())
                continue
            name, limits = entry["name"], entry.get("limits") or {}
            frame_f = self.plant.AddFrame(FixedOffsetFrame(f"{name}_f", parent, x_pf))
            frame_m = self.plant.AddFrame(FixedOffsetFrame(f"{name}_m", child, x_cm))
            axis = np.array(entry.get("axis", [0, 0, 1]), float)
            self.plant.AddJoint(
                kinds[entry["type"]](
                    name,
                    frame_f,
                    frame_m,
                    axis / np.linalg.norm(axis),
                    float(limits.get("lower", -np.inf)),
                    float(limits.get("upper", np.inf)),
                    float(entry.get("damping", 0)),
                )
            )

    def _override_materials(self):
        overrides = self.scenario.section("contact_overrides")
        if not overrides:
            return
        inspector = self.scene_graph.model_inspector()
        source = self.plant.get_source_id()
        for geometry in inspector.GetAllGeometryIds(Role.kProximity):
            body = self.plant.GetBodyFromFrameId(inspector.GetFrameId(geometry))
            last = inspector.GetName(geometry).rpartition("::")[2]
            name = f"{_scoped_name(self.plant, body)}::{last}"
            for entry in overrides:
                if fnmatch.fnmatchcase(name, entry["geometry"]):
                    merged = _merge(
                        inspector.GetProximityProperties(geometry),
                        self.scenario.named_material(entry),
                    )
                    self.scene_graph.AssignRole(source, geometry, merged, RoleAssign.kReplace)

    def _joint(self, name):
        model, separator, last = name.rpartition("::")
        if separator:
            return self.plant.GetJointByName(last, self.plant.GetModelInstanceByName(model))
        return self.plant.GetJointByName(name)

    def _actuator(self, entry):
        if "actuator" in entry:
            model, separator, last = entry["actuator"].rpartition("::")
            if separator:
                instance = self.plant.GetModelInstanceByName(model)
                return self.plant.GetJointActuatorByName(last, instance)
            return self.plant.GetJointActuatorByName(last)
        joint = self._joint(entry["joint"])
        for index in self.plant.GetJointActuatorIndices():
            actuator = self.plant.get_joint_actuator(index)
            if actuator.joint().index() == joint.index():
                return actuator
        return self.plant.AddJointActuator(f"{joint.name()}_actuator", joint)

    def _add_actuators(self):
        self._commands = []  # (actuator, entry)
        for entry in self.scenario.section("actuation"):
            actuator = self._actuator(entry)
            if "effort_limit" in entry:
                actuator.set_effort_limit(float(entry["effort_limit"]))
            if "kp" in entry or "kd" in entry:
                gains = PdControllerGains(
                    p=float(entry.get("kp", 0)), d=float(entry.get("kd", 0))
                )
                actuator.set_controller_gains(gains)
            self._commands.append((actuator, entry))

    def _connect_actuation(self):
        plant, builder = self.plant, self._builder
        entries = {actuator.index(): entry for actuator, entry in self._commands}
        zero = scenario_file.signal(0.0)

        def row(index, key):
            entry = entries.get(index, {})
            return scenario_file.signal(entry[key]) if key in entry else zero

        for instance in (ModelInstanceIndex(i) for i in range(plant.num_model_instances())):
            indices = plant.GetJointActuatorIndices(instance)
            if not indices:
                continue
            efforts = builder.AddSystem(_Inputs([row(index, "effort") for index in indices]))
            builder.Connect(efforts.get_output_port(), plant.get_actuation_input_port(instance))
            if any(plant.get_joint_actuator(i).has_controller() for i in indices):
                # The port has all actuators; what it says of those without a controller is ignored.
                rows = [row(index, "position") for index in indices]
                rows += [row(index, "velocity") for index in indices]
                wanted = builder.AddSystem(_Inputs(rows))
                port = plant.get_desired_state_input_port(instance)
                builder.Connect(wanted.get_output_port(), port)

    # --- running ----------------------------------------------------------------------------------

    def _start_body(self, context, name, entry):
        plant = self.plant
        body = self._frame(name).body()
        if "pose" in entry:
            _, _, base = scenario_file.pose(entry["pose"])
            x_wb = self._frame(base).CalcPoseInWorld(context) @ _transform(entry["pose"])
            plant.SetFreeBodyPose(context, body, x_wb)
        velocity = entry.get("velocity")
        if velocity:
            angular = np.array(velocity.get("angular", [0, 0, 0]), float)
            angular += np.radians(np.array(velocity.get("angular_deg", [0, 0, 0]), float))
            linear = np.array(velocity.get("linear", [0, 0, 0]), float)
            plant.SetFreeBodySpatialVelocity(context, body, SpatialVelocity(angular, linear))

    def _start_joint(self, context, joint, entry):
        positions, velocities = (self.plant.GetPositions(context), self.plant.GetVelocities(context))
        if "position" in entry:
            positions[joint.position_start()] = float(entry["position"])
        if "velocity" in entry:
            velocities[joint.velocity_start()] = float(entry["velocity"])
        self.plant.SetPositions(context, positions)
        self.plant.SetVelocities(context, velocities)

    def start(self):
        """A simulator in the initial state of the scenario."""
        simulator = Simulator(self.diagram)
        context = self.plant.GetMyMutableContextFromRoot(simulator.get_mutable_context())
        for entry in self.scenario.section("joints"):
            if entry["type"] != "fixed":
                self._start_joint(context, self._joint(entry["name"]), entry)
        initial = self.scenario.section("initial")
        for entry in initial:
            if "joint" in entry:
                self._start_joint(context, self._joint(entry["joint"]), entry)
        for entry in self.scenario.section("bodies"):
            if entry["name"] != "world" and not entry.get("fixed"):
                self._start_body(context, entry["name"], entry)
        for entry in initial:
            if "body" in entry:
                self._start_body(context, entry["body"], entry)
        simulator.Initialize()
        return simulator, context

    def state(self, context):
        """{name: {position, quaternion_wxyz, velocity, angular_velocity}}, as `isobar run --json`."""
        found = {}
        for name, body in self.bodies.items():
            pose = self.plant.EvalBodyPoseInWorld(context, body)
            velocity = self.plant.EvalBodySpatialVelocityInWorld(context, body)
            found[name] = {
                "position": pose.translation(),
                "quaternion_wxyz": pose.rotation().ToQuaternion().wxyz(),
                "velocity": velocity.translational(),
                "angular_velocity": velocity.rotational(),
            }
        return found

    def face_count(self, context):
        """Faces of the hydroelastic contacts of the last step."""
        results = self.plant.get_contact_results_output_port().Eval(context)
        return sum(
            results.hydroelastic_contact_info(i).contact_surface().num_faces()
            for i in range(results.num_hydroelastic_contacts())
        )

    def surfaces(self, context, representation=None):
        """Contact surfaces of the present state."""
        kind = representation or self.scenario.simulation.get("representation", "polygon")
        query = self.plant.get_geometry_query_input_port().Eval(context)
        kinds = HydroelasticContactRepresentation
        return query.ComputeContactSurfaces(kinds.kPolygon if kind == "polygon" else kinds.kTriangle)

    def resultants(self, context):
        """What the surfaces of the present state add up to: drake_static.by_pair."""
        return drake_static.by_pair(self.surfaces(context), self.plant,
                                    self.scene_graph.model_inspector(),
                                    lambda body: _scoped_name(self.plant, body))


def trajectory(path, times, packages=(), settings=()):
    """Body states at the given times: a list of {body: {position, ...}}, after whole steps."""
    scene = Scene(path, packages, settings)
    simulator, context = scene.start()
    step = scene.scenario.time_step
    found = []
    for moment in times:
        count = round(moment / step)
        simulator.AdvanceTo(count * step)
        done = simulator.get_num_discrete_updates() + simulator.get_num_unrestricted_updates()
        if done != count:
            raise RuntimeError(f"{path}: {done} updates at {moment} s, expected {count}")
        found.append(scene.state(context))
    return found


def timing(path, until=None, packages=(), settings=(), repeats=3):
    """Wall time of a run: {us_per_step (median of the repeats), faces (mean of all steps), steps}."""
    scene = Scene(path, packages, settings)
    step = scene.scenario.time_step
    count = int(np.ceil((until or scene.scenario.until) / step - 1e-9))
    samples = []
    for _ in range(repeats):
        simulator, _ = scene.start()
        begin = time.perf_counter()
        simulator.AdvanceTo(count * step)
        samples.append((time.perf_counter() - begin) / count)
    return {"us": 1e6 * statistics.median(samples), "faces": mean_faces(scene, count), "steps": count}


def mean_faces(scene, count):
    """Faces of a step, averaged over a run of `count` steps (not for timing)."""
    simulator, context = scene.start()
    total = 0
    for index in range(1, count + 1):
        simulator.AdvanceTo(index * scene.scenario.time_step)
        total += scene.face_count(context)
    return total / count


# --- translation of single things -----------------------------------------------------------------


def _scoped_name(plant, body):
    instance = plant.GetModelInstanceName(body.model_instance())
    if instance == _INLINE or body.index() == plant.world_body().index():
        return body.name()
    return f"{instance}::{body.name()}"


def _shape(scenario, geometry):
    kind = geometry["shape"]
    number = {key: float(geometry[key]) for key in ("radius", "length") if key in geometry}
    if kind == "sphere":
        return Sphere(number["radius"])
    if kind == "box":
        return Box(np.array(geometry["size"], float))
    if kind == "cylinder":
        return Cylinder(number["radius"], number["length"])
    if kind == "capsule":
        return Capsule(number["radius"], number["length"])
    if kind == "ellipsoid":
        return Ellipsoid(np.array(geometry["semi_axes"], float))
    if kind == "half_space":
        return HalfSpace()
    path = geometry["file"]
    if path.startswith("package://"):
        name, _, rest = path[len("package://") :].partition("/")
        path = scenario.packages[name] / rest
    else:
        path = scenario.path.parent / path
    scale = geometry.get("scale", 1.0)
    scale = np.array(scale if isinstance(scale, list) else [scale] * 3, float)
    return (Convex if kind == "convex" else Mesh)(str(path), scale)


def _inertia(entry):
    if "mass" not in entry and "density" not in entry:
        return SpatialInertia(0.0, np.zeros(3), UnitInertia(0, 0, 0), skip_validity_check=True)
    if "inertia" in entry:
        moments = np.zeros(6)
        moments[: len(entry["inertia"])] = entry["inertia"]
        mass, com = float(entry["mass"]), np.array(entry.get("com", [0, 0, 0]), float)
        about_com = UnitInertia(*(moments / mass))
        central = SpatialInertia(mass, np.zeros(3), about_com)
        return central.Shift(-com)
    total = None
    for geometry in entry["geometry"]:
        unit = CalcSpatialInertia(_shape(None, geometry), 1.0)
        x_bg = _transform(geometry.get("pose"))
        unit = unit.ReExpress(x_bg.rotation()).Shift(-x_bg.translation())
        if total is None:
            total = unit
        else:
            total += unit
    density = float(entry["density"]) if "density" in entry else float(entry["mass"]) / total.get_mass()
    return SpatialInertia(density * total.get_mass(), total.get_com(), total.get_unit_inertia())


def _friction(material):
    static = material.get("friction", material.get("friction_static"))
    dynamic = material.get("friction", material.get("friction_dynamic", static))
    static = dynamic if static is None else static
    return None if static is None else CoulombFriction(float(static), float(dynamic))


def _properties(material, shape):
    """Drake's proximity properties of an inline geometry; what is not said comes from the defaults."""
    properties = ProximityProperties()
    if material.get("compliance") == "rigid":
        AddRigidHydroelasticProperties(float(material.get("resolution_hint") or 1.0), properties)
    elif material.get("compliance") == "compliant" or "modulus" in material:
        if "modulus" not in material:
            raise ValueError("a compliant geometry of a comparison must state its modulus")
        modulus = float(material["modulus"])
        if shape == "half_space":
            slab = float(material["slab_thickness"])
            AddCompliantHydroelasticPropertiesForHalfSpace(slab, modulus, properties)
        else:
            hint = float(material.get("resolution_hint") or 1.0)
            AddCompliantHydroelasticProperties(hint, modulus, properties)
    return _merge_others(properties, material)


def _merge_others(properties, material):
    dissipation, friction = material.get("dissipation"), _friction(material)
    if dissipation is not None:
        AddContactMaterial(dissipation=float(dissipation), friction=friction, properties=properties)
    elif friction is not None:
        AddContactMaterial(friction=friction, properties=properties)
    if "margin" in material:
        properties.AddProperty("hydroelastic", "margin", float(material["margin"]))
    if "relaxation_time" in material:
        properties.AddProperty("material", "relaxation_time", float(material["relaxation_time"]))
    return properties


def _merge(old, material):
    """Properties `old` with what an override says put over them."""
    merged = ProximityProperties(old)
    plain = {
        "modulus": ("hydroelastic", "hydroelastic_modulus"),
        "resolution_hint": ("hydroelastic", "resolution_hint"),
        "margin": ("hydroelastic", "margin"),
        "slab_thickness": ("hydroelastic", "slab_thickness"),
        "dissipation": ("material", "hunt_crossley_dissipation"),
        "relaxation_time": ("material", "relaxation_time"),
    }
    for key, (group, name) in plain.items():
        if key in material:
            merged.UpdateProperty(group, name, float(material[key]))
    friction = _friction(material)
    if friction is not None:
        merged.UpdateProperty("material", "coulomb_friction", friction)
    if "compliance" in material:
        probe = ProximityProperties()
        if material["compliance"] == "rigid":
            AddRigidHydroelasticProperties(1.0, probe)
        else:
            AddCompliantHydroelasticProperties(1.0, 1.0, probe)
        kind = probe.GetProperty("hydroelastic", "compliance_type")
        merged.UpdateProperty("hydroelastic", "compliance_type", kind)
    return merged


def rotation_angle(first, second):
    """Angle between two orientations given as quaternions w, x, y, z [rad]."""
    a, b = (RotationMatrix(Quaternion(np.array(q, float) / np.linalg.norm(q))) for q in (first, second))
    return abs((a.inverse() @ b).ToAngleAxis().angle())
