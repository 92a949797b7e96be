# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Models: bodies, joints and geometries, by hand or from a file."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ._native import Context, Handle, encode, expect, ffi, index_of, lib
from ._struct import Struct, c_array, to_c
from ._views import Epoch
from .contact import Material
from .geometry import Shape
from .pose import Pose, PoseLike, as_pose

Array = npt.NDArray[np.float64]

#: Index of the body "world".
WORLD_BODY = 0
#: For Material.margin: |gravity| times the square of the time step.
MARGIN_AUTO = -1.0


class Body(Struct):
    """mass [kg], center_of_mass (3,) [m], inertia (3, 3) about it in the body's axes [kg m^2],
    gravity_compensation: the part of its weight that something else carries; bodies of one
    exclusion other than 0 do not touch each other."""

    _ctype = "iso_body_desc"
    _default = "iso_body_desc_default"

    name: str | None
    mass: float
    center_of_mass: Array
    inertia: Array
    source: str | None
    collision_group: int
    collision_mask: int
    gravity_compensation: float
    exclusion: int


class Geometry(Struct):
    """A geometry used for contact: shape, pose x_bg in its body, material, surface_velocity of a
    conveyor (3,) [m/s] in the axes of the shape."""

    _ctype = "iso_geometry_desc"
    _default = "iso_geometry_desc_default"

    name: str | None
    shape: Shape
    x_bg: Pose
    material: Material
    source: str | None
    surface_velocity: Array
    collision_group: int
    collision_mask: int


class Visual(Struct):
    """A geometry that is only shown; rgba (4,) in [0, 1]."""

    _ctype = "iso_visual_desc"
    _default = "iso_visual_desc_default"

    name: str | None
    shape: Shape
    x_bg: Pose
    rgba: npt.NDArray[np.float32]


class Joint(Struct):
    """A joint between frame F, fixed to the parent, and M, fixed to the child. kind: "weld",
    "revolute", "prismatic", "free", "screw", "universal", "ball" or "planar". Units of what turns:
    rad and N m; of what moves: m and N."""

    _ctype = "iso_joint_desc"
    _default = "iso_joint_desc_default"

    name: str | None
    kind: str
    parent: int
    child: int
    x_pf: Pose
    x_cm: Pose
    axis: Array
    lower: float
    upper: float
    velocity_limit: float
    effort_limit: float
    damping: float
    position: float
    velocity: float
    source: str | None
    axis_2: Array
    pitch: float
    friction: float
    stiffness: float
    spring_reference: float
    rotor_inertia: float
    gear_ratio: float
    positions: Array
    velocities: Array
    effort_lower: float
    effort_upper: float


class Coupler(Struct):
    """q_b = offset + ratio q_a + curve[0] q_a^2 + curve[1] q_a^3 + curve[2] q_a^4 between two joints of
    one degree of freedom. is_off: it is not there until World.switch_coupler()."""

    _ctype = "iso_coupler_desc"
    _default = "iso_coupler_desc_default"

    name: str | None
    joint_a: int
    joint_b: int
    ratio: float
    offset: float
    source: str | None
    curve: Array
    is_off: bool


class RoutePart(Struct):
    """What a tendon that runs through space meets: a "point" (the origin of S, at x_bs in `body`), a
    "sphere" or "cylinder" (about z of S, with `radius`) between two points, which it is wound around
    where it meets it, or a "pulley", behind which lengths count 1 / divisor. The origin of O, at x_bo in
    body `other` (-1: none), is the side of a sphere or cylinder on which the tendon runs; within it, it
    runs inside. "frame" and "wrench": `weights` (6,) on S against O."""

    _ctype = "iso_route_part"
    _default = "iso_route_part_default"

    kind: str
    body: int
    x_bs: Pose
    radius: float
    divisor: float
    other: int
    x_bo: Pose
    weights: Array
    is_in_other: bool


class FixedTendon(Struct):
    """l = sum of weights[i] q[joints[i]] over joints of one degree of freedom, with a spring at rest at
    spring_reference, a damper, dry friction, limits and the inertia of a rotor along it; joint i feels
    weights[i] times their effort. is_off: no limits until World.switch_fixed_tendon(). Or l is the length of a route."""

    _ctype = "iso_fixed_tendon_desc"
    _default = "iso_fixed_tendon_desc_default"
    _own = ("joint_count", "joints", "weights", "part_count", "parts")
    _set_by = "Model.add_fixed_tendon(name, joints, weights) or add_route(name, parts) sets it"

    name: str | None
    stiffness: float
    damping: float
    spring_reference: float
    lower: float
    upper: float
    friction: float
    rotor_inertia: float
    is_off: bool
    source: str | None

    @property
    def joints(self) -> list[int]:
        """Joint indices."""
        return [int(self._c.joints[i]) for i in range(self._c.joint_count)]

    @property
    def weights(self) -> Array:
        """(joint_count,) one of each joint."""
        return np.array([self._c.weights[i] for i in range(self._c.joint_count)], dtype=np.float64)

    @property
    def parts(self) -> list[RoutePart]:
        """Of its route, copied; none of a sum of joints."""
        return [RoutePart._copy(self._c.parts[i]) for i in range(self._c.part_count)]

    def _set_parts(self, parts: Sequence[RoutePart]) -> None:
        self._keep["parts"] = c_array("iso_route_part", parts)
        self._c.parts, self._c.part_count = self._keep["parts"][0], len(parts)

    def _set_joints(self, joints: Sequence[int], weights: npt.ArrayLike) -> None:
        numbers = np.asarray(weights, dtype=np.float64)
        if numbers.shape != (len(joints),):
            raise ValueError(f"expected a weight of each of {len(joints)} joints, not an array of "
                             f"shape {numbers.shape}")
        self._keep["joints"] = ffi.new("int[]", list(joints))
        self._keep["weights"] = ffi.new("double[]", numbers.tolist())
        self._c.joints, self._c.weights = self._keep["joints"], self._keep["weights"]
        self._c.joint_count = len(joints)


class Constraint(Struct):
    """Closes a loop between frame P of body A and Q of body B. kind: "weld", "ball", "distance" or
    "tendon"; length [m], stiffness [N/m], damping [N s/m] of the last two. is_off: it is not there until
    World.switch_constraint()."""

    _ctype = "iso_constraint_desc"
    _default = "iso_constraint_desc_default"

    name: str | None
    kind: str
    body_a: int
    body_b: int
    x_ap: Pose
    x_bq: Pose
    length: float
    stiffness: float
    damping: float
    is_off: bool
    source: str | None


class GeometryPair(Struct):
    """Two geometries with a rule of their own. is_unfiltered: they may touch whatever joints,
    excluded pairs and bits say; is_excluded: they never touch; friction coefficients of -1: what those of both combine to;
    model: "pressure_field", "hertz" or "volumetric" whatever their materials name, "default": what these name."""

    _ctype = "iso_geometry_pair_desc"
    _default = "iso_geometry_pair_desc_default"

    geometry_a: int
    geometry_b: int
    is_unfiltered: bool
    is_excluded: bool
    friction_static: float
    friction_dynamic: float
    model: str


class Actuator(Struct):
    """effort = feed_forward + kp (position - q) + kd (velocity - v), within +-effort_limit [N m] or
    [N] and from effort_lower to effort_upper; of a joint, or, where joint is -1, of a fixed tendon
    along its length, or, where that is -1, too, of adhesion_body and what it touches: contacts
    share the effort by their areas, and pull along their normals."""

    _ctype = "iso_actuator_desc"
    _default = "iso_actuator_desc_default"

    name: str | None
    joint: int
    fixed_tendon: int
    effort_limit: float
    kp: float
    kd: float
    effort_lower: float
    effort_upper: float
    adhesion_body: int

    def check(self) -> None:
        """Raise what is wrong with its efforts and gains."""
        context = Context()
        context.call(lib.iso_actuator_desc_check, context.pointer, self._c)


class Model:
    """Bodies, joints and geometries; World(model) makes a world of it. Parts are referred to by the
    index that adding them returned, bodies, joints, actuators and contact geometries also by scoped
    name, or by the end of it where only one matches; body 0 is "world". Everything passed in is copied.

    Parts read back (bodies, joints...) can be edited: numbers only; a world checks them again.
    After the next part of that kind was added they raise StaleError: read them again."""

    def __init__(self) -> None:
        context = Context()
        out = ffi.new("iso_model**")
        context.call(lib.iso_model_create, context.pointer, out)
        pointer = out[0]
        self._set(context, Handle(pointer, lambda: lib.iso_model_destroy(pointer),
                                  [context.handle]))

    def _set(self, context: Context, handle: Handle) -> None:
        self._context = context
        self._handle = handle
        self._epochs: dict[str, Epoch] = {}

    @classmethod
    def _own(cls, context: Context, handle: Handle) -> Model:
        self = cls.__new__(cls)
        self._set(context, handle)
        return self

    def __repr__(self) -> str:
        if self._handle._is_released:
            return "<Model, closed>"
        counts = (len(self.bodies), len(self.joints), len(self.geometries), len(self.actuators))
        return "<Model of %d bodies, %d joints, %d geometries, %d actuators>" % counts

    def _add(self, kind: type[Struct], function: Any, *args: Any) -> int:
        out = ffi.new("int*")
        epoch = self._epochs.pop(kind.__name__, None)
        if epoch is not None:
            epoch.end(f"a {kind.__name__.lower()} was added to the model since")
        self._context.call(function, self._handle.pointer, *args, out)
        return int(out[0])

    def body_index(self, body: int | str) -> int:
        """Index of a body of the model by name; an index stays. World.body_index() differs: a world
        sorts by name."""
        return self._find(lib.iso_model_find_body, body, "body", "bodies")

    def joint_index(self, joint: int | str) -> int:
        """Index of a joint of the model by name; an index stays. World.joint_index() differs."""
        return self._find(lib.iso_model_find_joint, joint, "joint", "joints")

    def actuator_index(self, actuator: int | str) -> int:
        """Index of an actuator of the model by name; an index stays. Rows of actuations are those of
        World.actuator_index(), which differs."""
        return self._find(lib.iso_model_find_actuator, actuator, "actuator", "actuators")

    def fixed_tendon_index(self, tendon: int | str) -> int:
        """Index of a fixed tendon by name; an index stays."""
        return self._find(lib.iso_model_find_fixed_tendon, tendon, "fixed tendon", "fixed_tendons")

    def geometry_index(self, geometry: int | str) -> int:
        """Index of a contact geometry by name, "body::geometry" or what only one ends in; an index
        stays."""
        if not isinstance(geometry, str):
            return operator.index(geometry)
        index = int(lib.iso_model_find_geometry(self._handle.pointer, encode(geometry)))
        if index >= 0:
            return index
        bodies = [body.name for body in self.bodies]
        return index_of("geometry", geometry, [f"{bodies[self.body_of_geometry(i)]}::{one.name}"
                                               for i, one in enumerate(self.geometries)])

    def _find(self, function: Any, key: int | str, kind: str, kinds: str) -> int:
        if not isinstance(key, str):
            return operator.index(key)
        index = int(function(self._handle.pointer, encode(key)))
        return index if index >= 0 else index_of(kind, key, [p.name for p in getattr(self, kinds)])

    def add_body(self, name: str, mass: float = 1.0, inertia: npt.ArrayLike | None = None,
                 center_of_mass: npt.ArrayLike = (0.0, 0.0, 0.0), **more: Any) -> int:
        """Add a body: mass [kg], inertia (3, 3) or its diagonal (3,) about the centre of mass
        [kg m^2], center_of_mass (3,) [m]; further members as of Body."""
        body = Body(name=name, mass=mass, center_of_mass=center_of_mass, **more)
        if inertia is not None:
            matrix = np.asarray(inertia, dtype=np.float64)
            body.inertia = np.diag(matrix) if matrix.shape == (3,) else matrix
        return self._add(Body, lib.iso_model_add_body, body._c)

    def add_solid(self, name: str, shape: Shape, density: float, x_bg: PoseLike = (0.0, 0.0, 0.0),
                  material: Material | None = None) -> int:
        """Add a body of one homogeneous shape that also is its contact geometry; density [kg/m^3].
        The body's frame is placed by x_bg, the pose of the shape in it."""
        solid, pose = expect(shape, "Shape", "shape").mass_properties(), as_pose(x_bg)
        inertia = density * (pose.rotation @ solid.inertia @ pose.rotation.T)
        body = self.add_body(name, density * solid.volume, 0.5 * (inertia + inertia.T),
                             pose.transform(solid.center_of_mass))
        self.add_geometry(body, shape, x_bg=pose, material=material)
        return body

    def add_geometry(self, body: int | str, shape: Shape, name: str = "geometry",
                     x_bg: PoseLike = (0.0, 0.0, 0.0), material: Material | None = None,
                     **more: Any) -> int:
        """Add contact geometry to a body; further members as of Geometry."""
        geometry = Geometry(name=name, shape=shape, x_bg=x_bg, **more)
        if material is not None:
            geometry.material = material
        return self._add(Geometry, lib.iso_model_add_geometry, self.body_index(body), geometry._c)

    def add_visual(self, body: int | str, shape: Shape, name: str = "visual",
                   x_bg: PoseLike = (0.0, 0.0, 0.0),
                   rgba: npt.ArrayLike = (0.5, 0.5, 0.5, 1.0)) -> int:
        """Add something to show."""
        visual = Visual(name=name, shape=shape, x_bg=x_bg, rgba=rgba)
        return self._add(Visual, lib.iso_model_add_visual, self.body_index(body), visual._c)

    def add_joint(self, name: str, kind: str, parent: int | str, child: int | str,
                  **more: Any) -> int:
        """Add a joint; further members as of Joint."""
        joint = Joint(name=name, kind=kind, parent=self.body_index(parent),
                      child=self.body_index(child), **more)
        return self._add(Joint, lib.iso_model_add_joint, joint._c)

    def add_actuator(self, name: str, joint: int | str | None = None, kp: float = 0.0,
                     kd: float = 0.0, effort_limit: float = float("inf"),
                     effort_lower: float = float("-inf"), effort_upper: float = float("inf"),
                     fixed_tendon: int | str | None = None,
                     adhesion: int | str | None = None) -> int:
        """Add an actuator on a joint of one degree of freedom, on a fixed tendon, or one that pulls
        a body (adhesion) and what it touches together."""
        if (joint, fixed_tendon, adhesion).count(None) != 2:
            raise ValueError("an actuator acts on a joint, on a fixed tendon or on the contacts of a "
                             "body (adhesion), expected one of them")
        actuator = Actuator(name=name, joint=-1 if joint is None else self.joint_index(joint),
                            fixed_tendon=(-1 if fixed_tendon is None
                                          else self.fixed_tendon_index(fixed_tendon)), kp=kp, kd=kd,
                            effort_limit=effort_limit, effort_lower=effort_lower,
                            effort_upper=effort_upper,
                            adhesion_body=-1 if adhesion is None else self.body_index(adhesion))
        return self._add(Actuator, lib.iso_model_add_actuator, actuator._c)

    def add_coupler(self, name: str, joint_a: int | str, joint_b: int | str, ratio: float = 1.0,
                    offset: float = 0.0, curve: npt.ArrayLike = (0.0, 0.0, 0.0),
                    is_off: bool = False) -> int:
        """Couple two joints: q_b = offset + ratio q_a + curve[0] q_a^2 + curve[1] q_a^3 +
        curve[2] q_a^4. is_off: not before World.switch_coupler()."""
        coupler = Coupler(name=name, joint_a=self.joint_index(joint_a),
                          joint_b=self.joint_index(joint_b), ratio=ratio, offset=offset,
                          curve=curve, is_off=is_off)
        return self._add(Coupler, lib.iso_model_add_coupler, coupler._c)

    def add_fixed_tendon(self, name: str, joints: Sequence[int | str], weights: npt.ArrayLike,
                         **more: Any) -> int:
        """Add a weighted sum of joints; further members as of FixedTendon."""
        tendon = FixedTendon(name=name, **more)
        tendon._set_joints([self.joint_index(joint) for joint in joints], weights)
        return self._add(FixedTendon, lib.iso_model_add_fixed_tendon, tendon._c)

    def add_route(self, name: str, parts: Sequence[RoutePart], **more: Any) -> int:
        """Add a tendon that runs through space, over at least two points; further members as of
        FixedTendon. What it runs over makes one tree of bodies."""
        tendon = FixedTendon(name=name, **more)
        tendon._set_parts(parts)
        return self._add(FixedTendon, lib.iso_model_add_fixed_tendon, tendon._c)

    def add_constraint(self, name: str, kind: str, body_a: int | str, body_b: int | str,
                       **more: Any) -> int:
        """Close a loop; further members as of Constraint."""
        constraint = Constraint(name=name, kind=kind, body_a=self.body_index(body_a),
                                body_b=self.body_index(body_b), **more)
        return self._add(Constraint, lib.iso_model_add_constraint, constraint._c)

    def set_material(self, geometry: int | str, material: Material) -> None:
        """Replace the contact material of a geometry."""
        self._context.call(lib.iso_model_set_material, self._handle.pointer,
                           self.geometry_index(geometry),
                           expect(material, "Material", "material")._c)

    def exclude_pair(self, body_a: int | str, body_b: int | str) -> None:
        """Never look for contact between these two bodies."""
        self._context.call(lib.iso_model_exclude_pair, self._handle.pointer,
                           self.body_index(body_a), self.body_index(body_b))

    def add_geometry_pair(self, geometry_a: int | str, geometry_b: int | str,
                          is_unfiltered: bool = False, friction_static: float = -1.0,
                          friction_dynamic: float = -1.0, is_excluded: bool = False,
                          model: str = "default") -> None:
        """Give two geometries a rule of their own: whether filters count for them, or they never
        touch, friction in the place of what theirs combine to (-1: that), and a contact model
        in the place of that of their materials ("default": that)."""
        pair = GeometryPair(geometry_a=self.geometry_index(geometry_a),
                            geometry_b=self.geometry_index(geometry_b),
                            is_unfiltered=is_unfiltered, friction_static=friction_static,
                            friction_dynamic=friction_dynamic, is_excluded=is_excluded,
                            model=model)
        self._context.call(lib.iso_model_add_geometry_pair, self._handle.pointer, pair._c)

    def set_free_pose(self, body: int | str, x_wb: PoseLike) -> None:
        """Initial pose of a body that floats freely."""
        self._context.call(lib.iso_model_set_free_pose, self._handle.pointer,
                           self.body_index(body), to_c("iso_pose", x_wb))

    def set_free_twist(self, body: int | str, v_wb: npt.ArrayLike) -> None:
        """Initial twist (6,): angular velocity [rad/s], velocity of the origin [m/s]; in W."""
        self._context.call(lib.iso_model_set_free_twist, self._handle.pointer,
                           self.body_index(body), to_c("iso_spatial", v_wb)[0])

    def _all(self, kind: type[Struct], count: Any, get: Any, with_body: bool = False) -> list[Any]:
        pointer = self._handle.pointer
        more = (ffi.NULL,) if with_body else ()
        epoch = self._epochs.setdefault(kind.__name__, Epoch())
        return [kind._refer(get(pointer, index, *more), self._handle, epoch)
                for index in range(count(pointer))]

    @property
    def bodies(self) -> list[Body]:
        """By index; "world" first."""
        return self._all(Body, lib.iso_model_body_count, lib.iso_model_body)

    @property
    def joints(self) -> list[Joint]:
        """By index."""
        return self._all(Joint, lib.iso_model_joint_count, lib.iso_model_joint)

    @property
    def geometries(self) -> list[Geometry]:
        """Contact geometries, by index."""
        return self._all(Geometry, lib.iso_model_geometry_count, lib.iso_model_geometry, True)

    @property
    def visuals(self) -> list[Visual]:
        """By index."""
        return self._all(Visual, lib.iso_model_visual_count, lib.iso_model_visual, True)

    @property
    def actuators(self) -> list[Actuator]:
        """By index."""
        return self._all(Actuator, lib.iso_model_actuator_count, lib.iso_model_actuator)

    @property
    def couplers(self) -> list[Coupler]:
        """By index."""
        return self._all(Coupler, lib.iso_model_coupler_count, lib.iso_model_coupler)

    @property
    def fixed_tendons(self) -> list[FixedTendon]:
        """By index."""
        return self._all(FixedTendon, lib.iso_model_fixed_tendon_count, lib.iso_model_fixed_tendon)

    @property
    def constraints(self) -> list[Constraint]:
        """By index."""
        return self._all(Constraint, lib.iso_model_constraint_count, lib.iso_model_constraint)

    def body_of_geometry(self, geometry: int | str) -> int:
        """Index of the body that a contact geometry belongs to."""
        return self._body_of(lib.iso_model_geometry, lib.iso_model_geometry_count,
                             self.geometry_index(geometry))

    def body_of_visual(self, visual: int) -> int:
        """Index of the body that a visual belongs to."""
        return self._body_of(lib.iso_model_visual, lib.iso_model_visual_count, visual)

    def _body_of(self, get: Any, count: Any, index: int) -> int:
        if not 0 <= index < count(self._handle.pointer):
            raise IndexError(f"index {index}, expected 0 to {count(self._handle.pointer) - 1}")
        out = ffi.new("int*")
        get(self._handle.pointer, index, out)
        return int(out[0])

    def close(self) -> None:
        """Release it now; worlds made from it stay."""
        self._handle.release()
