# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Contact surfaces of Drake at the default state of a model-directives file."""

import numpy as np
from pydrake.geometry import HydroelasticContactRepresentation
from pydrake.multibody.parsing import LoadModelDirectives, Parser, ProcessModelDirectives
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph
from pydrake.systems.framework import DiagramBuilder


# Where the skins of two fields coincide Drake keeps faces on which both pressures are 0 (to rounding,
# so their sign is chance); Isobar drops them. They carry no force and are not counted.
_NO_PRESSURE = 1e-9  # of the largest pressure


def resultant(surface):
    """Area, face count, and the sum of p A n and its moment about the centre of pressure."""
    is_triangle = surface.is_triangle()
    mesh = surface.tri_mesh_W() if is_triangle else surface.poly_mesh_W()
    field = surface.tri_e_MN() if is_triangle else surface.poly_e_MN()
    force, moment, weighted, total = np.zeros(3), np.zeros(3), np.zeros(3), 0.0
    count, area = 0, 0.0
    centers = []
    faces = range(surface.num_faces())
    centroids = [np.asarray(mesh.element_centroid(face)).ravel() for face in faces]
    pressures = [field.EvaluateCartesian(face, centroids[face]) for face in faces]
    largest = max(pressures, default=0.0)
    for face, center, pressure in zip(faces, centroids, pressures):
        if pressure <= _NO_PRESSURE * largest:
            continue
        count += 1
        area += mesh.area(face)
        normal = np.asarray(mesh.face_normal(face)).ravel()  # out of N, into M
        centers.append((center, pressure * mesh.area(face) * normal))
        force += pressure * mesh.area(face) * normal
        weighted += pressure * mesh.area(face) * center
        total += pressure * mesh.area(face)
    center_of_pressure = weighted / total if total > 0 else np.zeros(3)
    for center, push in centers:
        moment += np.cross(center - center_of_pressure, push)
    return {
        "area": area,
        "faces": count,
        "force_on_m": force,
        "moment_on_m": moment,
        "center_of_pressure": center_of_pressure,
    }


def surfaces(directives_path, packages, representation="polygon"):
    """A dictionary {(body, body): resultant}; scoped names in alphabetic order, force on the second."""
    builder = DiagramBuilder()
    plant, scene_graph = AddMultibodyPlantSceneGraph(builder, 1e-3)
    parser = Parser(plant)
    for name, directory in packages.items():
        if parser.package_map().Contains(name):
            parser.package_map().Remove(name)
        parser.package_map().Add(name, str(directory))
    ProcessModelDirectives(LoadModelDirectives(str(directives_path)), parser)
    plant.Finalize()
    diagram = builder.Build()
    context = diagram.CreateDefaultContext()
    plant_context = plant.GetMyContextFromRoot(context)
    query = plant.get_geometry_query_input_port().Eval(plant_context)
    kind = (
        HydroelasticContactRepresentation.kPolygon
        if representation == "polygon"
        else HydroelasticContactRepresentation.kTriangle
    )
    return by_pair(
        query.ComputeContactSurfaces(kind), plant, query.inspector(),
        lambda body: f"{plant.GetModelInstanceName(body.model_instance())}::{body.name()}")


def by_pair(surfaces, plant, inspector, name):
    """{(body, body): [resultant, ...]}: names in alphabetic order, force on the second body."""
    found = {}
    for surface in surfaces:
        bodies = [name(plant.GetBodyFromFrameId(inspector.GetFrameId(geometry)))
                  for geometry in (surface.id_M(), surface.id_N())]
        result = resultant(surface)
        sign = 1.0 if bodies[0] > bodies[1] else -1.0
        result["force"] = sign * result.pop("force_on_m")
        result["moment"] = sign * result.pop("moment_on_m")
        found.setdefault(tuple(sorted(bodies)), []).append(result)
    return found
