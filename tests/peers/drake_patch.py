# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Drake's contact-surface queries on the pairs of benchmarks/bench_patch.c, under the same names."""

import dataclasses
import math
import time

import numpy as np
from pydrake.common.value import Value
from pydrake.geometry import (
    AddCompliantHydroelasticProperties,
    AddCompliantHydroelasticPropertiesForHalfSpace,
    AddRigidHydroelasticProperties,
    Box,
    Cylinder,
    Ellipsoid,
    FramePoseVector,
    GeometryFrame,
    GeometryInstance,
    HalfSpace,
    HydroelasticContactRepresentation,
    Mesh,
    ProximityProperties,
    SceneGraph,
    Sphere,
)
from pydrake.math import RigidTransform, RollPitchYaw
from pydrake.systems.framework import DiagramBuilder

POLYGON = HydroelasticContactRepresentation.kPolygon
TRIANGLE = HydroelasticContactRepresentation.kTriangle


@dataclasses.dataclass
class Case:
    name: str
    shape_a: object
    properties_a: ProximityProperties
    shape_b: object
    properties_b: ProximityProperties
    x_ab: RigidTransform
    representation: HydroelasticContactRepresentation = POLYGON


def _soft(modulus, hint=1.0):
    properties = ProximityProperties()
    AddCompliantHydroelasticProperties(hint, modulus, properties)
    return properties


def _rigid(hint=1.0):
    properties = ProximityProperties()
    AddRigidHydroelasticProperties(hint, properties)
    return properties


def _shift(x, y, z):
    return RigidTransform(np.array([x, y, z], float))


def _primitives():
    cube = Box(0.1, 0.1, 0.1)
    tilted = RigidTransform(RollPitchYaw(0.1, 0.2, 0.3), [0, 0, 0.1])
    yield Case("box-box/tilted", cube, _soft(1e6), cube, _soft(1e6), tilted)
    aligned = _shift(0.01, 0.02, 0.099)
    yield Case("box-box/aligned", cube, _soft(1e6), cube, _soft(1e6), aligned)
    for power in range(5):
        hint = 0.05 / 2**power
        yield Case(
            f"half_space-sphere/h{hint:g}",
            HalfSpace(),
            _rigid(),
            Sphere(0.05),
            _soft(1e5, hint),
            _shift(0, 0, 0.04),
        )


def _slabs():
    slab = ProximityProperties()
    AddCompliantHydroelasticPropertiesForHalfSpace(0.05, 1e6, slab)
    for hint in (0.00625, 0.003125):
        name = f"slab-rigid_sphere/h{hint:g}"
        yield Case(name, HalfSpace(), slab, Sphere(0.05), _rigid(hint), _shift(0, 0, 0.02))


def _ellipsoids():
    for level, hint in enumerate((4.0, 2.0, 1.0, 0.5)):
        for overlap, s in enumerate((3.5, 1.2, 0.0)):
            soft, ball = Ellipsoid(3.01, 3.5, 4.0), Sphere(3.0)
            x = _shift(s, s, s)
            for word, kind in (("poly", POLYGON), ("tri", TRIANGLE)):
                name = f"rigid_sphere-compliant_ellipsoid/{word}/res{level}/ov{overlap}"
                yield Case(name, soft, _soft(1e5, hint), ball, _rigid(hint), x, kind)
            if overlap < 2:
                name = f"compliant-compliant/poly/res{level}/ov{overlap}"
                yield Case(name, soft, _soft(1e5, hint), ball, _soft(1e5, hint), x)


def _meshes(assets):
    bubble = Mesh(str(assets / "wsg_50_description/meshes/bubble.vtk"))
    for hint in (0.01, 0.005, 0.0025):
        for z in (0.0, 0.02):
            handle = Cylinder(0.015, 0.11)
            name = f"bubble-cylinder/h{hint:g}/z{z:g}"
            yield Case(name, bubble, _soft(1e4), handle, _soft(1e8, hint), _shift(0, 0, z))
    pepper = Mesh(str(assets / "veggies/assets/yellow_bell_pepper_no_stem_low.vtk"))
    turn = RollPitchYaw(0.3, 0.2, 0.4)
    x = _shift(0.005, 0, 0.03)
    x_turned = RigidTransform(turn, x.translation())
    for name, file, properties, pose in (
        ("pepper-bowl_coarse3k", "evo_bowl_coarse3k.vtk", _soft(1e7), x),
        ("pepper-bowl_fine44k", "evo_bowl_fine44k.vtk", _soft(1e7), x),
        ("pepper-bowl_obj", "evo_bowl_col.obj", _rigid(), x),
        ("pepper-bowl_coarse3k/turned", "evo_bowl_coarse3k.vtk", _soft(1e7), x_turned),
        ("pepper-bowl_obj/turned", "evo_bowl_col.obj", _rigid(), x_turned),
    ):
        bowl = Mesh(str(assets / "dishes/assets" / file))
        yield Case(name, pepper, _soft(1e6), bowl, properties, pose)
    x_turned = RigidTransform(turn, [0, 0, 0.02])
    handle = Cylinder(0.015, 0.11)
    name = "bubble-cylinder/h0.0025/turned"
    yield Case(name, bubble, _soft(1e4), handle, _soft(1e8, 0.0025), x_turned)
    plate = Mesh(str(assets / "dishes/assets/plate_8in_col.obj"))
    floor = Box(0.3, 0.3, 0.05)
    yield Case("floor-plate", floor, _soft(3e4), plate, _rigid(), _shift(0, 0, 0.02))


def cases(assets=None):
    """All pairs; those of real meshes only with the directory of assets."""
    yield from _primitives()
    yield from _slabs()
    yield from _ellipsoids()
    if assets is not None and assets.is_dir():
        yield from _meshes(assets)


class Query:
    """One pair in a scene graph, ready to be asked for its contact surface again and again."""

    def __init__(self, case):
        builder = DiagramBuilder()
        graph = builder.AddSystem(SceneGraph())
        source = graph.RegisterSource("pair")
        frame = graph.RegisterFrame(source, GeometryFrame("b"))
        for owner, shape, properties, name in (
            (None, case.shape_a, case.properties_a, "a"),
            (frame, case.shape_b, case.properties_b, "b"),
        ):
            instance = GeometryInstance(RigidTransform(), shape, name)
            instance.set_proximity_properties(properties)
            if owner is None:
                graph.RegisterAnchoredGeometry(source, instance)
            else:
                self._id_b = graph.RegisterGeometry(source, owner, instance)
        poses = FramePoseVector()
        poses.set_value(frame, case.x_ab)
        builder.ExportOutput(graph.get_query_output_port(), "query")
        self._diagram = builder.Build()
        context = self._diagram.CreateDefaultContext()
        graph_context = graph.GetMyMutableContextFromRoot(context)
        graph.get_source_pose_port(source).FixValue(
            graph_context, Value[FramePoseVector](poses)
        )
        self._context = context
        self._query = self._diagram.GetOutputPort("query").Eval(context)
        self._representation = case.representation
        self.surfaces()

    def is_b_first(self, surface):
        """B is Drake's M."""
        return surface.id_M() == self._id_b

    def surfaces(self):
        return self._query.ComputeContactSurfaces(self._representation)

    def summary(self):
        surfaces = self.surfaces()
        return {
            "faces": sum(surface.num_faces() for surface in surfaces),
            "area": sum(surface.total_area() for surface in surfaces),
        }

    def _mean(self, count):
        """Mean processor time of a query [s]."""
        begin = time.thread_time()
        for _ in range(count):
            self.surfaces()
        return (time.thread_time() - begin) / count

    def turn(self):
        """Mean processor time of a query over 5 ms of them [us], as a turn of bench_patch has it."""
        first = self._mean(1)
        return 1e6 * (self._mean(math.ceil(0.005 / first)) if first < 0.005 else first)
