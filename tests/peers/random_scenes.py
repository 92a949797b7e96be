# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Random heaps of bodies that fall, and what must not change how they move: a case is a seed.

The order of bodies and the number of threads, a state restored in another world, and the units:
lengths and times in powers of two, masses in powers of four keep every bit but of TAMSI, which
pivots. Without a floor and gravity momentum stays.
"""

import numpy as np
from scipy.spatial.transform import Rotation

import isobar

_SHAPES = {
    "sphere": (isobar.sphere, ((0.03, 0.08),)),
    "box": (isobar.box, ((0.05, 0.2),) * 3),
    "cylinder": (isobar.cylinder, ((0.03, 0.08), (0.05, 0.15))),
    "capsule": (isobar.capsule, ((0.03, 0.06), (0.05, 0.15))),
    "ellipsoid": (isobar.ellipsoid, ((0.03, 0.08),) * 3),
}


def draw(seed):
    random = np.random.default_rng(seed)
    bodies = []
    for i in range(int(random.integers(1, 6))):
        shape = str(random.choice(sorted(_SHAPES)))
        friction = random.uniform(0, 1.2)
        turn = Rotation.random(random_state=int(random.integers(1 << 31))).as_matrix()
        bodies.append({
            "shape": shape, "sizes": [random.uniform(*span) for span in _SHAPES[shape][1]],
            "compliance": "rigid" if random.random() < 0.25 else "compliant",
            "modulus": 10 ** random.uniform(4.5, 7), "friction_static": friction,
            "friction_dynamic": friction * random.uniform(0.5, 1),
            "dissipation": random.uniform(0, 60), "density": random.uniform(100, 3000),
            "turn": turn, "place": np.append(random.uniform(-0.08, 0.08, 2), 0.09 + 0.16 * i),
            "twist": random.normal(size=6) * random.uniform(0, [4] * 3 + [0.5] * 3)})
    tilt = Rotation.from_euler("xy", random.uniform(-0.3, 0.3, 2)).as_matrix()
    return {
        "random": random, "bodies": bodies, "tilt": tilt if random.random() < 0.5 else np.eye(3),
        "is_plane": random.random() < 0.5,
        "floor": {"compliance": "rigid" if random.random() < 0.6 else "compliant",
                  "modulus": 10 ** random.uniform(5, 7), "dissipation": 30.0,
                  "friction_static": 0.6, "friction_dynamic": 0.5},
        "method": str(random.choice(["lagged", "lagged", "lagged", "sap", "similar", "tamsi"])),
        "friction": str(random.choice(["stick", "regularized"])),
        "regularization": str(random.choice(["patch", "drake"])),
        "representation": str(random.choice(["polygon", "triangle"])),
        "margin": float(random.choice([0.0, 1e-5])),
        "time_step": float(random.choice([5e-4, 1e-3, 2e-3, 5e-3]))}


def _material(scene, part, length, time, pressure, hint):
    names = ("compliance", "friction_static", "friction_dynamic")
    return isobar.Material(
        modulus=part["modulus"] * pressure, dissipation=part["dissipation"] * time / length,
        resolution_hint=hint * length, margin=scene["margin"] * length,
        slab_thickness=0.05 * length, relaxation_time=0.1 * time,
        **{name: part[name] for name in names})


def world(scene, units=(1.0, 1.0, 1.0), order=None, has_floor=True, **settings):
    """The scene with one metre, second, kilogram written as so many."""
    length, time, mass = units
    pressure = mass / (length * time**2)
    model = isobar.Model()
    if has_floor:
        shape = (isobar.half_space() if scene["is_plane"]
                 else isobar.box(2 * length, 2 * length, 0.2 * length))
        depth = 0.0 if scene["is_plane"] else 0.1 * length
        model.add_geometry("world", shape, "floor", isobar.Pose(
            scene["tilt"], scene["tilt"] @ [0, 0, -depth]),
            _material(scene, scene["floor"], length, time, pressure, 0.0))
    count = len(scene["bodies"])
    for i in range(count) if order is None else order:
        body = scene["bodies"][i]
        shape = _SHAPES[body["shape"]][0](*(size * length for size in body["sizes"]))
        model.add_solid(f"b{i}", shape, body["density"] * mass / length**3,
                        material=_material(scene, body, length, time, pressure, 0.03))
        model.set_free_pose(f"b{i}", isobar.Pose(body["turn"], body["place"] * length))
        model.set_free_twist(f"b{i}", body["twist"] * ([1 / time] * 3 + [length / time] * 3))
    options = isobar.ContactOptions(
        friction=scene["friction"] if scene["method"] == "lagged" else "regularized",
        regularization=scene["regularization"], representation=scene["representation"],
        stiction_velocity=1e-4 * length / time, friction_stiffness=1e4 / length,
        friction_damping_time=5e-3 * time, rigid_layer_thickness=1e-3 * length,
        rigid_layer_modulus=1e7 * pressure)
    gravity = (0, 0, -9.81 * length / time**2 if has_floor else 0.0)
    return isobar.World(model, time_step=scene["time_step"] * time, gravity=gravity,
                        method=scene["method"], contact=options, **settings)


def _state(world, scene, units=(1.0, 1.0, 1.0)):
    """Places, rotations, twists of all bodies in metres and seconds, in a row."""
    length, time, _ = units
    names = [f"b{i}" for i in range(len(scene["bodies"]))]
    poses = [world.body_pose(name) for name in names]
    twists = np.array([world.body_twist(name) for name in names])
    twists *= [time] * 3 + [time / length] * 3
    return np.concatenate([np.ravel([pose.translation / length for pose in poses]),
                           np.ravel([pose.rotation for pose in poses]), twists.ravel()])


def _momentum_gained(scene):
    """Of what flies together and collides, over that of all at 1 m/s."""
    free = world(scene, has_floor=False)
    for i, body in enumerate(scene["bodies"]):
        twist = np.append(body["twist"][:3], body["twist"][3:] - 3 * (body["place"] - 0.3))
        free.set_free_body(f"b{i}", isobar.Pose(body["turn"], body["place"] * 0.6), twist)
    before = free.momentum()[3:]
    free.step(40)
    mass = sum(free.body_mass(f"b{i}") for i in range(len(scene["bodies"])))
    return float(np.abs(free.momentum()[3:] - before).max() / mass)


def _depth(world, scene):
    """Of the lowest centre of those over the floor; what slides off it falls."""
    places = _state(world, scene)[:3 * len(scene["bodies"])].reshape(-1, 3) @ scene["tilt"]
    is_over = scene["is_plane"] | (np.abs(places[:, :2]).max(axis=1) < 0.8)
    return max([0.0, *-places[is_over, 2]])


def errors(seed):
    """{claim: largest distance in m, rad, m/s, rad/s}"""
    scene = draw(seed)
    random, steps = scene["random"], int(scene["random"].integers(20, 60))
    first = world(scene)
    first.step(steps)
    then = _state(first, scene)
    other = world(scene, order=random.permutation(len(scene["bodies"])), thread_count=2)
    other.step(steps)
    found = {"order and threads": np.abs(_state(other, scene) - then).max()}
    units = 2.0 ** random.integers(-3, 4, 3)
    units[2] *= units[2]
    scaled = world(scene, units)
    scaled.step(steps)
    name = "units, TAMSI" if scene["method"] == "tamsi" else "units"
    found[name] = np.abs(_state(scaled, scene, units) - then).max()
    saved = first.save()
    first.step(steps)
    other.restore(saved)
    other.step(steps)
    found["restored"] = np.abs(_state(other, scene) - _state(first, scene)).max()
    first.step(10 * steps)
    found["depth of a centre under the floor"] = _depth(first, scene)
    found["momentum"] = _momentum_gained(scene)
    return {name: float(value) for name, value in found.items()}
