# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Isobar: contact mechanics for robotics. Everything in SI units and right-handed frames; normals
point from A into B, wrenches act on B, spatial vectors are (rotational; translational).

    world = isobar.load("scenes/demo.yaml").create_world()
    world.step(100)
    for contact in world.contacts:
        print(contact.body_name_a, contact.body_name_b, contact.wrench[3:])

Objects may be used from any thread; one object serves one thread at a time. See docs/python.md.
"""

from ._native import simd_backend, version
from ._views import View
from .compare import ModelRun, compare
from .contact import (Contact, ContactOptions, ElasticEnergy, Material, Patch,
                      friction_coefficient)
from .dynamics import (BodyLoad, ConstraintState, Coordinates, CouplerState, FixedTendonState,
                       IkReport, IkTarget, SubtreeMotion)
from .errors import (ArgumentError, Error, FileError, GeometryError, NoConvergenceError,
                     NotFoundError, NumericError, OutOfMemoryError, ParseError, RangeError,
                     StaleError, UnsupportedError)
from .events import Event, EventLevel
from .geometry import (ExtentReport, MassProperties, MeshReport, Shape, TetMesh, TriMesh, box,
                       capsule, convex, cylinder, ellipsoid, half_space,
                       half_space_force_cylinder, half_space_force_sphere, half_space_modulus,
                       half_space_pressure_cylinder, half_space_pressure_sphere, layer_modulus,
                       mesh, modulus_table, sphere, tet_quality)
from .identify import Identified, Parameter, bristle_guess, identify
from .linearize import Linearization
from .live import LiveView
from .model import (MARGIN_AUTO, WORLD_BODY, Actuator, Body, Constraint, Coupler,
                    FixedTendon, Geometry, GeometryPair, Joint, Model, RoutePart, Visual)
from .mover import Mover, Movers
from .point import (Curvature, Hertz, damping_factor, damping_restitution, damping_share, hertz,
                    hertz_spheres, impact_depth, pair_modulus)
from .pose import POSE_DTYPE, Pose
from .prepare import (Deviation, Hole, PrepareOptions, PrepareReport, VolumeReport, guess_unit,
                      inspect_volume, prepare, unit_length)
from .program import (ActuatorGains, Condition, JointLimits, Keyframe, Program, ProgramState,
                      ProgramStep, ProgramSwitch)
from .query import SUMMARY_DTYPE, ContactShape, Distance, Query, QueryResult, RayHit
from .record import Frame, RecordedBody, RecordedSensor, Recorder, RecorderOptions, Recording
from .scene import Scene, SceneFrame, load, method_is_built, names
from .sensor import Sensor, Sensors, sensor_kind_name
from .state import WorldBatch
from .sweep import Sweep, SweepTable, sweep
from .task import Command, Force, Signal, Task
from .vector import WorldVector
from .volume import VolumeBody, VolumeMetrics, VolumeNormal, VolumeSettings
from . import notebook
from .world import World
from .world_values import (ContactPassage, ContactPeak, Deformed, Energy, StepReport, Surface,
                           WorldRayHit, WorldSettings)

__version__ = version()

__all__ = [
    "Actuator", "ActuatorGains", "ArgumentError", "Body", "BodyLoad", "Command", "Condition", "Constraint", "ConstraintState", "Contact",
    "ContactOptions", "ContactPassage", "ContactPeak", "ContactShape", "Coordinates", "Coupler", "CouplerState", "Curvature",
    "Deformed", "Deviation", "Distance", "ElasticEnergy", "Energy", "Error", "Event", "EventLevel", "ExtentReport", "FileError", "FixedTendon", "FixedTendonState", "Force",
    "Frame", "Geometry", "GeometryError", "GeometryPair", "Hertz", "Hole", "Identified", "IkReport", "IkTarget",
    "Joint", "JointLimits", "Keyframe", "Linearization", "LiveView", "MARGIN_AUTO",
    "MassProperties", "Material", "MeshReport", "Model", "ModelRun", "Mover", "Movers", "NoConvergenceError",
    "NotFoundError", "NumericError", "OutOfMemoryError", "POSE_DTYPE", "ParseError", "Patch",
    "Pose", "Parameter", "PrepareOptions", "PrepareReport", "Program", "ProgramState", "ProgramStep",
    "ProgramSwitch", "Query", "QueryResult", "RangeError", "RayHit", "RecordedBody",
    "RecordedSensor", "Recorder", "RecorderOptions", "Recording", "RoutePart", "SUMMARY_DTYPE",
    "Scene", "SceneFrame", "Sensor", "Sensors", "Shape", "Signal", "StaleError", "StepReport",
    "SubtreeMotion", "Surface", "Sweep", "SweepTable", "Task", "TetMesh", "TriMesh",
    "UnsupportedError", "View", "Visual", "VolumeBody", "VolumeMetrics", "VolumeNormal", "VolumeReport", "VolumeSettings", "WORLD_BODY", "World", "WorldBatch", "WorldRayHit",
    "WorldSettings", "WorldVector", "box", "bristle_guess", "capsule", "compare", "convex", "cylinder", "damping_factor", "damping_restitution", "damping_share", "ellipsoid", "friction_coefficient", "guess_unit",
    "half_space", "half_space_force_cylinder", "half_space_force_sphere", "half_space_modulus",
    "half_space_pressure_cylinder", "half_space_pressure_sphere", "hertz", "hertz_spheres", "identify", "impact_depth", "inspect_volume", "layer_modulus",
    "load", "mesh", "method_is_built", "modulus_table", "names", "pair_modulus", "prepare", "sensor_kind_name", "simd_backend", "sphere", "sweep", "tet_quality", "unit_length", "version",
]
