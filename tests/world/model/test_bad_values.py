# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Every number of every descriptor of the C API, out of range: an error that names it, never a crash.

Descriptors are walked through as the headers declare them, so that new members take part. What is
taken must not matter (NaN of a member that a kind does not look at) or leave finite states. Drawn;
ISO_DRAWN="FIRST COUNT" looks at other seeds. Skipped where the shared library is missing.
"""

import math
import os
import random
import sys
import unittest

try:
    from isobar._native import ffi, lib, text
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

CASES = 250
NUMBERS = [math.nan, math.inf, -math.inf, -1.0, 0.0, 1e300, -1e300]
WHOLE = [-1, -2**31, 2**31 - 1, 10**6]
KEPT = []  # what descriptors borrow


def new(kind, value=None):
    KEPT.append(ffi.new(kind, value) if value is not None else ffi.new(kind))
    return KEPT[-1]


def desc(kind, /, **members):
    """A descriptor with its defaults, and these members."""
    function = getattr(lib, f"iso_{kind}_default")
    result = new(f"{function().__class__ and ffi.typeof(function()).cname}*", function())
    for name, value in members.items():
        setattr(result, name, new("char[]", value.encode()) if isinstance(value, str) else value)
    return result


def enum(name):
    return getattr(lib, "ISO_" + name)


def shape(kind):
    result = lib.iso_shape_desc_default(enum("SHAPE_" + kind))
    if kind in ("MESH", "CONVEX"):
        vertices = new("iso_vec3[4]", [(0, 0, 0), (.1, 0, 0), (0, .1, 0), (0, 0, .1)])
        triangles = new("int[4][3]", [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
        result.surface = new("iso_tri_mesh*", (4, 4, vertices, triangles))
    return result


class Refused(Exception):
    pass


class Case:
    """A model of two bodies on two joints, in contact with the ground and each other."""

    def __init__(self):
        out = new("iso_context**")
        silent = new("iso_context_desc*", lib.iso_context_desc_default())
        silent.log_fn = SILENT
        assert lib.iso_context_create(silent, out) == 0
        self.ctx = out[0]
        out = new("iso_model**")
        self.call(lib.iso_model_create(self.ctx, out))
        self.model = out[0]
        self.body, self.other = self.add("body", name="a"), self.add("body", name="b")
        self.hinge = self.add("joint", name="j", kind=enum("JOINT_REVOLUTE"), parent=0, child=self.body)
        self.slide = self.add("joint", name="k", kind=enum("JOINT_PRISMATIC"), parent=self.body, child=self.other)
        self.add_geometry(0, name="floor", shape=shape("HALF_SPACE"))
        self.geometry = self.add_geometry(self.other, name="ball", shape=shape("SPHERE"))
        self.world = None

    def call(self, status):
        if status:
            raise Refused(text(lib.iso_context_error(self.ctx)))

    def add(self, kind, /, **members):
        out = new("int*")
        self.call(getattr(lib, f"iso_model_add_{kind}")(self.model, desc(kind + "_desc", **members), out))
        return out[0]

    def add_geometry(self, body, **members):
        geometry, out = desc("geometry_desc", **members), new("int*")
        geometry.material.compliance = enum("COMPLIANCE_RIGID" if body == 0 else "COMPLIANCE_COMPLIANT")
        self.call(lib.iso_model_add_geometry(self.model, body, geometry, out))
        return out[0]

    def add_tendon(self):
        joints, weights = new("int[2]", [self.hinge, self.slide]), new("double[2]", [1, 2])
        return self.add("fixed_tendon", name="t", joint_count=2, joints=joints, weights=weights)

    def make_world(self, settings=None):
        out = new("iso_world**")
        self.call(lib.iso_world_create(self.ctx, self.model, settings or desc("world_desc"), out))
        self.world = out[0]

    def state(self):
        """Positions and velocities after two steps."""
        if not self.world:
            self.make_world()
        for _ in range(2):
            self.call(lib.iso_world_step(self.world))
        q, v = (new("double[]", n(self.world)) for n in (lib.iso_world_q_count, lib.iso_world_v_count))
        self.call(lib.iso_world_get_state(self.world, q, v))
        return [*q, *v]

    def free(self):
        lib.iso_world_destroy(self.world or ffi.NULL)
        lib.iso_model_destroy(self.model)
        lib.iso_context_destroy(self.ctx)


@ffi.callback("void(void*, iso_log_level, const char*)")
def SILENT(_data, _level, _message):
    pass


def adds(kind, /, **members):
    """Makes a descriptor for iso_model_add_KIND(), and what adds it."""
    def make(case):
        ready = {k: v(case) if isinstance(v, type(adds)) else v for k, v in members.items()}
        made = desc(kind + "_desc", name="x", **ready) if kind != "geometry_pair" else desc(kind + "_desc", **ready)
        add = getattr(lib, f"iso_model_add_{kind}")
        return made, lambda: case.call(add(case.model, made, *([] if kind == "geometry_pair" else [ffi.NULL])))
    return make


def adds_part(kind, owner, /, **members):
    def make(case):
        made = desc(kind + "_desc", name="x", **members)
        return made, lambda: case.call(getattr(lib, f"iso_model_add_{kind}")(case.model, getattr(case, owner), made, ffi.NULL))
    return make


def adds_route(kind):
    def make(case):
        alone = kind in ("FRAME", "WRENCH")
        middle = 0 if alone else 2 if kind == "PULLEY" else 1
        bodies = [case.other] if alone else [0, case.body, case.other] if middle == 1 else [0, case.body, 0, case.other, 0]
        parts = new("iso_route_part[]", [lib.iso_route_part_default() for _ in bodies])
        for i, body in enumerate(bodies):
            parts[i].body, parts[i].x_bs.p = body, (1 + i, 0, 1)
        part = ffi.addressof(parts, middle)
        part.kind, part.radius = enum("ROUTE_" + kind), 0.1
        if alone:
            part.other, part.weights.translational.x = 0, 1
        route = desc("fixed_tendon_desc", name="x", parts=parts, part_count=len(bodies))
        return part, lambda: case.call(lib.iso_model_add_fixed_tendon(case.model, route, ffi.NULL))
    return make


def sets_material(case):
    made = desc("contact_material")
    made.compliance = enum("COMPLIANCE_COMPLIANT")
    return made, lambda: case.call(lib.iso_model_set_material(case.model, case.geometry, made))


def places(case):
    free = case.add("body", name="free")
    pose = new("iso_pose*", lib.iso_pose_identity() if hasattr(lib, "iso_pose_identity") else {"r": {"m": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}})
    return pose, lambda: case.call(lib.iso_model_set_free_pose(case.model, free, pose))


def moves(case):
    free, twist = case.add("body", name="free"), new("iso_spatial*")
    return twist, lambda: case.call(lib.iso_model_set_free_twist(case.model, free, twist[0]))


def settings(method):
    def make(case):
        made = desc("world_desc", method=enum("METHOD_" + method))
        return made, lambda: case.make_world(made)
    return make


def senses(kind):
    def make(case):
        case.add_tendon()
        case.make_world()
        names = {"JOINT": {"joint": "j"}, "FORCE_TORQUE": {"joint": "j"}, "FIXED_TENDON": {"fixed_tendon": "t"}}
        made = desc("sensor_desc", name="x", kind=enum("SENSOR_" + kind), **names.get(kind, {"body": "b"}))
        out = new("iso_sensors**")

        def run():
            case.call(lib.iso_sensors_create(case.world, made, 1, out))
            status = lib.iso_sensors_update(out[0], case.world)
            lib.iso_sensors_destroy(out[0])
            case.call(status)
        return made, run
    return make


def mover(case):
    case.add("joint", name="w", parent=0, child=case.add("body", name="base"))
    case.make_world()
    made, out = desc("mover_desc", body="base"), new("iso_movers**")

    def run():
        case.call(lib.iso_movers_create(case.world, made, 1, out))
        status = lib.iso_movers_apply(out[0], case.world)
        lib.iso_movers_destroy(out[0])
        case.call(status)
    return made, run


def signal(kind):
    def make(case):
        table = new("double[2]", [0, 1])
        made = desc("signal_desc", kind=enum("SIGNAL_" + kind), table_count=2, table_times=table, table_values=table)
        return made, lambda: case.call(lib.iso_signal_check(case.ctx, made))
    return make


KINDS = {
    "body": adds("body"),
    **{f"geometry {k}": adds_part("geometry", "other", shape=shape(k)) for k in
       ("SPHERE", "ELLIPSOID", "BOX", "CYLINDER", "CAPSULE", "CONVEX", "MESH")},
    **{f"visual {k}": adds_part("visual", "other", shape=shape(k)) for k in ("SPHERE", "BOX", "HALF_SPACE", "MESH")},
    **{f"joint {k}": adds("joint", kind=enum("JOINT_" + k), parent=0, child=lambda c: c.add("body", name="n"),
                          pitch=0.1 if k == "SCREW" else 0.0)
       for k in ("WELD", "REVOLUTE", "PRISMATIC", "FREE", "SCREW", "UNIVERSAL", "BALL", "PLANAR")},
    "coupler": adds("coupler", joint_a=lambda c: c.hinge, joint_b=lambda c: c.slide),
    "fixed tendon": adds("fixed_tendon", joint_count=1, joints=lambda c: new("int[1]", [c.hinge]), weights=lambda _: new("double[1]", [1])),
    **{f"route {k}": adds_route(k) for k in ("POINT", "SPHERE", "CYLINDER", "PULLEY", "FRAME", "WRENCH")},
    **{f"constraint {k}": adds("constraint", kind=enum("CONSTRAINT_" + k), body_a=0, body_b=lambda c: c.other)
       for k in ("WELD", "BALL", "TENDON")},
    "actuator joint": adds("actuator", joint=lambda c: c.hinge),
    "actuator tendon": adds("actuator", joint=-1, fixed_tendon=lambda c: c.add_tendon()),
    "actuator adhesion": adds("actuator", joint=-1, fixed_tendon=-1, adhesion_body=lambda c: c.other),
    "pair": adds("geometry_pair", geometry_a=0, geometry_b=1),
    "material": sets_material, "free pose": places, "free twist": moves,
    **{f"world {k}": settings(k) for k in ("LAGGED", "SAP", "RK4", "RK45", "RADAU")},
    **{f"sensor {k}": senses(k) for k in ("JOINT", "FORCE_TORQUE", "CONTACT", "TACTILE", "IMU", "FRAME", "VELOCITY",
                                          "SUBTREE", "FIXED_TENDON", "RANGE", "ACCELERATION")},
    "mover": mover,
    **{f"signal {k}": signal(k) for k in ("CONSTANT", "SQUARE_WAVE", "TABLE", "CUBIC")},
}


def members(kind, prefix=()):
    """Paths of all numbers of a structure, with the values to try."""
    values = {"double": NUMBERS, "float": NUMBERS, "int": WHOLE}
    for name, field in kind.fields:
        path = (*prefix, name)
        if field.type.kind == "struct":
            yield from members(field.type, path)
        elif field.type.kind == "enum":
            yield path, [2**32 - 1, 999]
        elif field.type.kind == "array":
            item, index = field.type, ()
            while item.kind == "array":
                item, index = item.item, (*index, 0)
            if item.cname in values:
                yield (*path, *index), values[item.cname]
        elif field.type.cname in values:
            is_length = name.endswith("_count") and name not in ("layer_count", "thread_count")  # of an array
            yield path, [-1, -2**31] if is_length else values[field.type.cname]


def assign(target, path, value):
    for step in path[:-1]:
        target = target[step] if isinstance(step, int) else getattr(target, step)
    if isinstance(path[-1], int):
        target[path[-1]] = value
    else:
        setattr(target, path[-1], value)


def run(make, path=None, value=None):
    """The state after two steps, or Refused; where it was refused: while it was made or later."""
    case = Case()
    try:
        made, use = make(case)
        if path:
            assign(made, path, value)
        use()
        return case.state()
    finally:
        case.free()
        KEPT[FIRST_KEPT:] = []


FIRST_KEPT = len(KEPT)


def spelled(value):
    return "%g" % value if isinstance(value, float) else str(value - 2**32 if value == 2**32 - 1 else value)


class BadValues(unittest.TestCase):
    def check(self, name, path, value, base):
        where = f"{name}.{'.'.join(map(str, path))} = {value}"
        try:
            state = run(KINDS[name], path, value)
        except Refused as refused:
            message = str(refused)
            self.assertTrue("expected" in message or spelled(value) in message, f"{where}: {message}")
            return
        if isinstance(value, float) and math.isnan(value):
            self.assertEqual(state, base, where + " is taken and changes the motion")
        self.assertTrue(all(map(math.isfinite, state)), f"{where}: {state}")

    def test_values_out_of_range_are_refused_or_have_no_effect(self):
        first, count = map(int, os.environ.get("ISO_DRAWN", f"0 {CASES}").split())
        drawn = random.Random(first)
        base, tried = {}, {}
        for name, make in KINDS.items():
            base[name] = run(make)  # all are valid as they stand
            case = Case()
            made, _ = make(case)
            tried[name] = list(members(ffi.typeof(made).item))
            case.free()
        for _ in range(count):
            name = drawn.choice(list(KINDS))
            path, values = drawn.choice(tried[name])
            value = drawn.choice(values)
            with self.subTest(name=name, path=path, value=value):
                self.check(name, path, value, base[name])

    def test_what_a_pulley_does_not_look_at_cannot_crash(self):
        base = run(KINDS["route PULLEY"])
        for path in (("body",), ("other",)):
            for value in WHOLE:
                self.assertEqual(run(KINDS["route PULLEY"], path, value), base)


if __name__ == "__main__":
    unittest.main()
