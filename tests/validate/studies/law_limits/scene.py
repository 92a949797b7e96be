# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Scenes of drawn bodies as plain values that can be turned, moved, mirrored, put in other units or
another order; and drawn piles of them."""

import copy
import math

import numpy as np

import isobar

from . import build, draw, meshes, turns

MESHES = ("triangles_12", "convex", "triangles_many", "tets", "ball_triangles", "ball_tets")
_MIRROR = np.diag([-1.0, 1.0, 1.0])


def _elements(part):
    """(vertices, elements) of a form that is a mesh."""
    sizes, cells, form = np.array(part["sizes"]), part["cells"], part["form"]
    if form in ("triangles_12", "convex"):
        return meshes.box_triangles(sizes, 1)
    if form == "triangles_many":
        return meshes.box_triangles(sizes, cells)
    if form == "tets":
        return meshes.box_tets(sizes, (cells, cells, 2))
    make = meshes.ball_triangles if form == "ball_triangles" else meshes.ball_tets
    return make(0.5 * sizes[0], 2)


def _shape(part):
    if part["form"] not in MESHES:
        return build._shape(part["form"], part["sizes"], part["cells"])
    vertices, elements = _elements(part)
    if part["is_mirrored"]:  # the last two vertices change places
        vertices = vertices @ _MIRROR
        elements = np.concatenate([elements[:, :-2], elements[:, :-3:-1]], axis=1)
    if elements.shape[1] == 4:
        return isobar.mesh(isobar.TetMesh(vertices, elements))
    make = isobar.convex if part["form"] == "convex" else isobar.mesh
    return make(isobar.TriMesh(vertices, elements))


def of_world(world):
    """Scene of a drawn world of a body on a support."""
    turn, still = turns.of_vector(world["turn"]), np.zeros(3)
    m, moments = draw.mass(world)
    margin = {"auto": isobar.MARGIN_AUTO, "0": 0.0, "wide": 2e-4 * max(world["body"]["sizes"])}[world["margin"]]
    common = {"mu": world["mu"], "dissipation": world["dissipation"], "margin": margin, "is_mirrored": False,
              "model": "pressure_field"}
    body = {**world["body"], **common, "mass": m, "moments": moments, "is_fixed": False, "belt": still,
            "rotation": turn @ turns.of_vector(world["tilt"]), "place": turn @ [0.0, 0.0, world["height"]],
            "velocity": turn @ world["velocity"], "spin": turn @ world["spin"]}
    sizes = build._support_sizes(world)
    low = 0.0 if world["support"]["form"] == "half_space" else -0.5 * sizes[2]
    is_heavy = world["carrier"] == "heavy"
    support = {**world["support"], **common, "sizes": sizes, "mass": m * world["mass_ratio"],
               "moments": [build.support_moment(world)] * 3, "is_fixed": not is_heavy, "rotation": turn,
               "belt": np.array([*world["belt"], 0.0]) if world["carrier"] == "surface" else still,
               "place": turn @ [0.0, 0.0, low], "velocity": still, "spin": still}
    parts = [body, support] if world["is_body_first"] else [support, body]
    pull = np.array([*world["pull"], -world["normal_gravity"]])
    return {"parts": parts, "gravity": turn @ pull, "time_step": world["time_step"], "layer": world["layer"],
            "layer_modulus": world["layer_modulus"], "stiction": 1e-4, "relaxation_time": 0.1,
            "seed": world["seed"], "name": f"{world['body']['form']} on {world['support']['form']}"}


_FORMS = ("box", "cylinder", "sphere", "capsule", "ellipsoid", "triangles_12", "convex", "triangles_many",
          "tets", "ball_triangles", "ball_tets")


def _pile_part(random, size, model):
    form = "sphere" if model == "hertz" else str(random.choice(_FORMS))
    if model == "volumetric" and form in draw._RIGID_ONLY:
        form = "box"
    size = size * draw._log(random, 0.5, 1.5)
    if form in ("sphere", "ball_triangles", "ball_tets"):
        sizes = [size] * 3
    else:
        sizes = list(size * random.uniform(0.5, 1.0, 3))
    if form in ("cylinder", "capsule"):
        sizes[1] = sizes[0]
    if form == "capsule":
        sizes[2] = sizes[0] * random.uniform(1.3, 2.0)
    is_rigid = draw._is_rigid(random, form) and model == "pressure_field"
    m = draw._log(random, 200.0, 5000.0) * np.prod(sizes) * 0.6
    return {"form": form, "sizes": sizes, "cells": int(random.integers(2, 4)), "hint": 0.2 * size,
            "is_rigid": is_rigid, "mass": m, "is_mirrored": False, "is_fixed": False, "belt": np.zeros(3),
            "moments": [m / 12 * (sizes[1]**2 + sizes[2]**2), m / 12 * (sizes[0]**2 + sizes[2]**2),
                        m / 12 * (sizes[0]**2 + sizes[1]**2)],
            "mu": 0.0 if random.random() < 0.1 else random.uniform(0.05, 1.2), "margin": 0.0,
            "dissipation": 0.0 if random.random() < 0.2 else draw._log(random, 0.1, 20.0), "model": model,
            "depth": size}


def pile(seed, blow_steps=10):
    """3 to 6 drawn bodies without gravity and ground that fly at each other; they meet in blows that take
    some steps or more."""
    random = np.random.default_rng([2027, seed])
    size, count, speed = draw._log(random, 1e-3, 1.0), int(random.integers(3, 7)), draw._log(random, 0.05, 2.0)
    model = str(random.choice(["pressure_field"] * 3 + ["hertz", "volumetric"]))
    parts = [_pile_part(random, size, model) for _ in range(count)]
    placed = []
    for part in parts:
        reach = 0.5 * float(np.linalg.norm(part["sizes"]))
        way = random.normal(size=3)
        way /= np.linalg.norm(way)
        far = 0.0
        while any(np.linalg.norm(far * way - other) < 1.02 * (reach + more) for other, more in placed):
            far += 0.02 * size
        placed.append((far * way, reach))
        part["place"], part["rotation"] = far * way, turns.of_vector(turns.draw(random))
        # To the middle, past it a little; the first one drifts.
        part["velocity"] = speed * (-way * random.uniform(0.5, 1.5) + 0.3 * random.normal(size=3))
        part["spin"] = speed / size * random.normal(size=3) * random.choice([0.0, 1.0, 2.0])
    # Pressure rises by the modulus over a length of half a size: k = E size / 2 of a face as large.
    mass, blow = float(np.mean([p["mass"] for p in parts])), 0.02 * size / speed
    modulus = mass / size * (math.pi / blow) ** 2
    for part in parts:
        part["modulus"] = modulus * draw._log(random, 0.3, 3.0)
    return {"parts": parts, "gravity": np.zeros(3), "time_step": blow / blow_steps, "layer": 0.05 * size,
            "layer_modulus": 0.1 * modulus, "stiction": 1e-3 * speed, "relaxation_time": 0.1 * blow, "seed": seed,
            "speed": speed, "size": size, "until": 4.0 * size / speed,
            "name": f"{count} bodies of {size:.2g} m, {model}: {' '.join(p['form'] for p in parts)}"}


def make(scene, method, time_step=None, cull="none"):
    """(isobar.World, names of the parts)."""
    kind, friction = build.METHODS.get(method, (method, "regularized"))
    model, names = isobar.Model(), []
    for index, part in enumerate(scene["parts"]):
        names.append(name := f"part{index}")
        material = isobar.Material(
            compliance="rigid" if part["is_rigid"] else "compliant", modulus=part["modulus"],
            young_modulus=part["modulus"], model=part["model"], dissipation=part["dissipation"],
            relaxation_time=scene["relaxation_time"], margin=part["margin"], friction_static=part["mu"],
            friction_dynamic=part["mu"], resolution_hint=part.get("hint", 0.0))
        if part["form"] == "half_space":
            material.slab_thickness = part["depth"]
        model.add_body(name, part["mass"], part["moments"])
        more = {"surface_velocity": part["belt"]} if np.any(part["belt"]) else {}
        model.add_geometry(name, _shape(part), "skin", material=material, **more)
        pose = isobar.Pose(part["rotation"], part["place"])
        if part["is_fixed"]:
            model.add_joint(f"base{index}", "weld", "world", name, x_pf=pose)
        else:
            model.set_free_pose(name, pose)
            model.set_free_twist(name, np.concatenate([part["spin"], part["velocity"]]))
    options = isobar.ContactOptions(friction=friction, cull=cull, stiction_velocity=scene["stiction"],
                                    rigid_layer_thickness=scene["layer"],
                                    rigid_layer_modulus=scene["layer_modulus"])
    return isobar.World(model, time_step=time_step or scene["time_step"], gravity=scene["gravity"], method=kind,
                        contact=options, accuracy=1e-7, error_control=False, max_substeps=100000), names


def changed(scene, rotation=None, shift=None, is_mirrored=False, units=(1.0, 1.0, 1.0), is_reversed=False,
            boost=None):
    """The same scene turned, then moved; mirrored; in units of length, time and mass that are smaller by
    these factors; with its bodies in reverse order; seen from where all moves with the speed `boost`."""
    scene = copy.deepcopy(scene)
    turn = np.eye(3) if rotation is None else rotation
    length, time, mass = units
    mirror = _MIRROR if is_mirrored else np.eye(3)
    move = np.zeros(3) if shift is None else np.array(shift)
    for part in scene["parts"]:
        part["is_mirrored"] = part["is_mirrored"] != is_mirrored
        part["place"] = length * (turn @ mirror @ part["place"]) + move
        part["rotation"] = turn @ mirror @ part["rotation"] @ mirror
        part["velocity"] = length / time * (turn @ mirror @ part["velocity"])
        part["spin"] = (-1 if is_mirrored else 1) / time * (turn @ mirror @ part["spin"])
        part["belt"] = length / time * (mirror @ part["belt"])
        part["sizes"] = [length * s for s in part["sizes"]]
        part["mass"], part["moments"] = mass * part["mass"], [mass * length**2 * i for i in part["moments"]]
        part["modulus"] *= mass / length / time**2
        part["dissipation"] *= time / length
        for key in ("hint", "depth"):
            part[key] = length * part.get(key, 0.0)
        part["margin"] *= length if part["margin"] > 0 else 1.0
        if boost is not None:
            part["velocity"] = part["velocity"] + boost
    scene["gravity"] = length / time**2 * (turn @ mirror @ scene["gravity"])
    scene["layer_modulus"] *= mass / length / time**2
    for key, factor in (("time_step", time), ("relaxation_time", time), ("layer", length), ("stiction", length / time)):
        scene[key] *= factor
    if is_reversed:
        scene["parts"].reverse()
    return scene
