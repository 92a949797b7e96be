# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""MJCF files of kinds that MuJoCo takes load here, too, and are what they are there: velocities, masses,
poses and mass matrices, as tools/try_models compares them.

Skipped where mujoco or the shared library are missing.
"""

import importlib.machinery
import importlib.util
import os
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(os.environ.get("ISOBAR_SOURCE_DIR", pathlib.Path(__file__).parents[3]))

try:
    import mujoco
    import numpy as np

    import isobar
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)


def load_try_models():
    loader = importlib.machinery.SourceFileLoader("try_models", str(ROOT / "tools" / "try_models"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("try_models", loader))
    sys.dont_write_bytecode = True
    loader.exec_module(module)
    return module


try_models = load_try_models()
TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


def body(content, **attributes):
    words = "".join(f' {name}="{value}"' for name, value in attributes.items())
    return f"<body{words}>{content}</body>"


def world(content, head="", tail=""):
    return f'<mujoco model="m">{head}<worldbody>{content}</worldbody>{tail}</mujoco>'


class Files(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name) / "m.xml"

    def write(self, text, files=None):
        self.path.write_text(text, encoding="utf-8")
        for name, content in (files or {}).items():
            path = self.path.parent / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, bytes):
                path.write_bytes(content)
            else:
                path.write_text(content, encoding="utf-8")

    def load(self, text, files=None, **options):
        self.write(text, files)
        return isobar.load(self.path, **options)

    def check(self, text, files=None, tolerance=1e-12):
        """Load with both and compare; our world, and MuJoCo's model."""
        scene = self.load(text, files)
        made = scene.create_world()
        apart = try_models.compare(self.path, made, "m", False)
        for quantity, difference in apart.items():
            self.assertLessEqual(abs(difference), tolerance, f"{quantity}: {apart}")
        return scene, mujoco.MjModel.from_xml_path(str(self.path))

    def test_unnamed_geoms_may_have_bodies_and_frames_between_them(self):
        ball = '<geom size=".1"/>'
        inner = body("<joint/>" + ball, pos=".3 0 0")
        scene, model = self.check(world(
            ball + body(f"<freejoint/>{ball}<frame pos='0 0 .5'>{ball}<frame>{inner}{ball}</frame></frame>",
                        pos="0 0 2") + f'<frame pos="1 0 0">{ball}</frame>'))
        self.assertEqual(len(scene.model.geometries), model.ngeom)

    def test_assets_are_looked_for_beside_the_file_that_names_them(self):
        part = '<x><asset><mesh name="t" file="t.obj"/></asset></x>'
        robot = body('<freejoint/><geom type="mesh" mesh="t"/>')
        for head, files in (
                ('<include file="parts/a.xml"/>', {"parts/a.xml": part, "parts/t.obj": TETRAHEDRON}),
                ('<compiler meshdir="main"/><include file="parts/a.xml"/>',  # that of the main file wins
                 {"parts/a.xml": part, "main/t.obj": TETRAHEDRON, "parts/t.obj": "v 0 0 0\n"}),
                ('<include file="parts/b.xml"/>',
                 {"parts/b.xml": '<x><include file="deep/a.xml"/></x>', "parts/deep/a.xml": part,
                  "parts/deep/t.obj": TETRAHEDRON})):
            with self.subTest(files=sorted(files)):
                self.check(world(robot, head), files)
        self.write(world(robot, '<include file="none/a.xml"/>'), {"none/a.xml": part})
        with self.assertRaisesRegex(isobar.Error, "t.obj"):
            isobar.load(self.path)

    def test_keyframes_are_as_long_as_mujoco_makes_them(self):
        """Shorter ones go on as the pose of the file, longer ones are refused by both."""
        text = ('<joint name="j" ref="20"/><geom size=".1"/>' + body('<joint type="ball"/><geom size=".1"/>'))
        bodies = body(text) + body('<freejoint/><geom size=".1"/>', pos="1 2 3", euler="10 20 30") + \
            body("", mocap="true", pos="4 5 6", name="t")
        for key in ('qpos="1"', 'qpos="1 0.6 0.8"', 'qpos="1 0.6 0.8 0 0 7 8"', 'qvel="3 1"', 'mpos="1 2 3"',
                    'mquat="0 1 0 0"', 'qpos=""'):
            with self.subTest(key=key):
                scene = self.load(world(bodies, tail=f"<keyframe><key {key}/></keyframe>"), keyframe=0)
                model = mujoco.MjModel.from_xml_path(str(self.path))
                data = mujoco.MjData(model)
                mujoco.mj_resetDataKeyframe(model, data, 0)
                mujoco.mj_forward(model, data)
                made = scene.create_world()
                for b in range(1, model.nbody):
                    pose = made.body_pose("m::t" if b == 4 else f"m::body_{b}")
                    off = max(np.abs(pose.translation - data.xpos[b]).max(),
                              np.abs(pose.rotation - data.xmat[b].reshape(3, 3)).max())
                    self.assertLess(off, 1e-14)  # measured 6.7e-16
        for key in ('qpos="' + 13 * "0 " + '"', 'qvel="' + 11 * "0 " + '"', 'ctrl="1"', 'mpos="1 2 3 4"'):
            self.write(world(bodies, tail=f"<keyframe><key {key}/></keyframe>"))
            with self.assertRaises(ValueError):
                mujoco.MjModel.from_xml_path(str(self.path))
            with self.assertRaisesRegex(isobar.ParseError, "numbers, expected"):
                isobar.load(self.path)

    def test_limits_of_balls_without_a_range_and_worlds_where_nothing_moves_load(self):
        geom = '<geom size=".1"/>'
        limited = '<default><joint limited="true"/></default>'
        for text in (world(body(f'<joint type="ball"/>{geom}'), limited), world(geom), "<mujoco model='m'/>",
                     world('<geom size=".1" contype="0" conaffinity="0"/>'), world(body(geom, name="a"))):
            self.check(text)
        for joint in ('type="ball" limited="true" range="1 2"', 'limited="true"', 'limited="true" range="1 0"'):
            self.write(world(body(f"<joint {joint}/>{geom}")))  # which neither takes
            with self.assertRaises(ValueError):
                mujoco.MjModel.from_xml_path(str(self.path))
            with self.assertRaisesRegex(isobar.RangeError, "range"):
                isobar.load(self.path)

    def test_ties_between_what_cannot_part_are_left_out(self):
        geom = '<geom size=".1"/><site name="{0}"/>'
        bodies = body(geom.format("s"), name="a") + body(geom.format("t"), name="b", pos="1 0 0") + \
            body("<freejoint/>" + geom.format("u") + body(geom.format("w"), name="d", pos="0 0 .3"), name="c", pos="3 0 0")
        ties = ('<weld body1="a" body2="b"/><weld body1="a"/><connect body1="c" body2="d" anchor="0 0 0"/>'
                '<weld site1="s" site2="t"/>')
        tendons = "".join(f'<spatial range="0 2"><site site="{a}"/><site site="{b}"/></spatial>'
                          for a, b in ("st", "uw"))
        with self.assertLogs("isobar", "WARNING") as log:
            scene, _ = self.check(world(bodies, tail=f"<equality>{ties}</equality><tendon>{tendons}</tendon>"))
        self.assertEqual(len(scene.model.constraints), 0)
        self.assertIn("between bodies 'a' and 'b' is left out", "".join(log.output))
        scene, _ = self.check(world(bodies, tail='<equality><weld body1="a" body2="d"/></equality>'))
        self.assertEqual(len(scene.model.constraints), 1)

    def test_inactive_equalities_wait_until_they_are_switched_on(self):
        bodies = "".join(body(f'<joint name="j{n}"/><geom size=".1"/>', name=n) for n in "ab")
        tie = '<{} active="false"/>'
        ties = tie.format('weld body1="a" body2="b"') + tie.format('joint joint1="ja" joint2="jb"')
        scene, _ = self.check(world(bodies, tail=f"<equality>{ties}</equality>"))
        self.assertEqual([one.is_off for one in scene.model.constraints], [True])
        self.assertEqual([one.is_off for one in scene.model.couplers], [True])

    def test_coefficients_of_higher_powers_are_left_out_with_a_warning(self):
        joint = '<joint name="j" damping="3 4" stiffness="1 2 5"/><geom size=".1"/>'
        tendon = '<tendon><fixed stiffness="2 3" damping="4 5"><joint joint="j" coef="2"/></fixed></tendon>'
        with self.assertLogs("isobar", "WARNING") as log:
            scene, _ = self.check(world(body(joint), tail=tendon))
        self.assertIn("stiffness is 1 2 5: only the first, which is linear, is read", "".join(log.output))
        joint = scene.model.joints[0]
        self.assertEqual((joint.damping, joint.stiffness), (3 + 4 * 4, 1 + 2 * 4))

    def accelerations(self, made, model, position, velocity, rotated):
        """Of one ball or hinge in a state, ours and MuJoCo's; velocities here are in the parent."""
        data = mujoco.MjData(model)
        data.qpos[:], data.qvel[:] = position, velocity
        mujoco.mj_forward(model, data)
        r = try_models.rotation(position) if rotated else np.eye(1)
        made.set_state(position, r @ velocity)
        return made.forward_dynamics(made.passive_forces()), r @ data.qacc

    def test_armatures_load_balls_and_what_tendons_and_actuators_pull(self):
        ball = body('<joint type="ball" armature="0.3"/><geom type="capsule" size=".05" fromto="0 0 0 .3 .1 0"/>')
        scene, model = self.check(world(ball))
        generator = np.random.default_rng(3)
        for _ in range(10):
            q = generator.normal(size=4)
            ours, theirs = self.accelerations(scene.create_world(), model, q / np.linalg.norm(q),
                                              generator.normal(size=3), True)
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12)  # measured 1.4e-14
        hinge = body('<joint name="j" axis="0 1 0" armature="0.2"/><geom size=".1" pos=".3 0 0"/>')
        for tail in ('<tendon><fixed armature="0.7"><joint joint="j" coef="-3"/></fixed></tendon>',
                     '<actuator><motor joint="j" gear="5" armature="0.1" damping="0.2"/></actuator>',
                     '<tendon><fixed name="t"><joint joint="j" coef="2"/></fixed></tendon><actuator>'
                     '<position tendon="t" kp="3" gear="5" armature="0.1" damping="0.2"/></actuator>'):
            with self.subTest(tail=tail):
                scene, model = self.check(world(hinge, tail=tail))
                made, data = scene.create_world(), mujoco.MjData(model)
                data.qvel[0] = 1.5
                mujoco.mj_forward(model, data)
                made.set_state([0.0], [1.5])
                self.assertAlmostEqual(made.passive_forces()[0], data.qfrc_passive[0], delta=1e-13)

    def test_armatures_load_sums_of_joints(self):
        # On one branch: between branches MuJoCo leaves them out of its mass matrix.
        arm = body('<joint name="a" axis="0 1 0"/><geom size=".1" pos=".3 0 0"/>'
                   + body('<joint name="b" axis="0 .6 .8"/><geom size=".1" pos=".2 .1 0"/>'))
        fixed = ('<tendon><fixed name="t" armature="0.7"><joint joint="a" coef="1"/>'
                 '<joint joint="b" coef="-2"/></fixed></tendon>')
        for actuator in ("", '<actuator><motor tendon="t" gear="3" armature="0.1"/></actuator>'):
            with self.subTest(actuator=actuator):
                scene, model = self.check(world(arm, tail=fixed + actuator))
                made, data = scene.create_world(), mujoco.MjData(model)
                data.qpos[:], data.qvel[:] = [0.4, -0.7], [1.1, 0.3]
                mujoco.mj_forward(model, data)
                made.set_state(data.qpos, data.qvel)
                ours = made.forward_dynamics(made.passive_forces())
                np.testing.assert_allclose(ours, data.qacc, rtol=0, atol=1e-12)

    def test_attached_files_have_classes_of_their_own_whatever_their_prefix(self):
        files = {}
        for name, size in (("A", .1), ("B", .3)):
            main = '<default class="main">' if name == "B" else "<default>"
            files[f"{name}.xml"] = (
                f'<mujoco model="{name}">{main}<geom size="{size / 2}"/><joint armature="{size}"/><default class="c">'
                f'<geom size="{size}"/></default></default><worldbody>' +
                "".join(body(f'<joint/><geom class="c"/><geom pos="{size} 1 0"/>', name=f"{name}{i}")
                        for i in range(2)) + "</worldbody></mujoco>")
        head = ('<default><joint armature="2"/></default><asset><model name="A" file="A.xml"/>'
                '<model name="B" file="B.xml"/></asset>')
        for prefix in ("", "p_"):
            content = "".join(f'<attach model="{name[0]}" body="{name}" prefix="{prefix}"/>'
                              for name in ("A0", "B0", "B1", "A1"))
            with self.subTest(prefix=prefix):
                scene, model = self.check(world(content + body('<joint/><geom size=".2"/>'), head=head), files)
                self.assertEqual(model.nv, 5)
                self.assertEqual(len(scene.model.geometries), 9)

    def test_what_refers_to_a_replicate_of_no_copies_is_left_out(self):
        parts = body('<joint name="j"/><geom name="g" size=".1"/>', name="b")
        for count in (0, 1, 2):
            content = f'<replicate count="{count}" offset="1 0 0">{parts}</replicate>' + \
                body('<joint name="k"/><geom size=".1"/>', pos="0 3 0")
            for tail in ('<actuator><motor joint="j"/><motor joint="k"/></actuator>',
                         '<tendon><fixed><joint joint="j" coef="2"/></fixed></tendon>',
                         '<contact><exclude body1="b" body2="world"/></contact>'):
                with self.subTest(count=count, tail=tail):
                    scene, model = self.check(world(content, tail=tail))
                    self.assertEqual(len(scene.model.actuators), model.nu)

    def test_armatures_load_free_joints(self):
        """A body off its joint's point, alone and with one on a hinge: accelerations, and 0.3 s of flight."""
        part = '<joint type="free" armature="0.7"/><geom type="box" size=".1 .2 .05" pos=".1 .05 -.02"/>'
        arm = body('<joint axis="0 1 0" damping="0.2"/><geom type="capsule" size=".05" fromto="0 0 0 .3 .1 0"/>',
                   pos=".1 0 .2")
        generator = np.random.default_rng(4)
        for content in (part, part + arm):
            scene, model = self.check(world(body(content, pos="0 0 2"), head='<option timestep=".001"/>'))
            for _ in range(5):
                q = generator.normal(size=model.nq)
                q[3:7] /= np.linalg.norm(q[3:7])
                v = generator.normal(size=model.nv)
                data, made, r = mujoco.MjData(model), scene.create_world(), try_models.rotation(q[3:7])
                data.qpos[:], data.qvel[:] = q, v
                mujoco.mj_forward(model, data)
                turned = lambda x: np.concatenate([r @ x[3:6], x[:3], x[6:]])
                made.set_state(np.concatenate([q[3:7], q[:3], q[7:]]), turned(v))
                ours = made.forward_dynamics(made.passive_forces())
                np.testing.assert_allclose(ours, turned(data.qacc), rtol=0, atol=1e-11)
                model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
                for _ in range(300):
                    mujoco.mj_step(model, data)
                    made.step()
                ours = np.asarray(made.get_state()[0])
                # Measured 1.4e-3, of which half a step of falling is 1.3e-3; 3.6e-4.
                np.testing.assert_allclose(ours[4:7], data.qpos[:3], rtol=0, atol=1.5e-3)
                np.testing.assert_allclose(ours[7:], data.qpos[7:], rtol=0, atol=1e-3)

    def test_an_aligned_free_body_has_the_frame_of_its_inertia(self):
        """Of one geom, of several, of an <inertial>, of a mesh; sites and keyframes follow."""
        box = '<geom type="box" size=".3 .2 .1" pos="1 0 0" euler="10 20 90"/>'
        ball = '<geom size=".2" pos="0 .5 .3"/>'
        moments = '<inertial pos=".1 .2 .3" mass="2" fullinertia=".5 .4 .8 .01 .02 .05"/>'
        given = '<inertial pos=".1 .2 .3" euler="10 70 20" mass="2" diaginertia=".4 .5 .7"/>'
        mesh = '<asset><mesh name="t" vertex="0 0 0  1 0 0  0 2 0  0 0 3  1 1 1"/></asset>'
        text = '<frame pos="0 .1 0" euler="0 0 30"><freejoint name="f" align="true"/>{0}<site name="s" pos=".1 .2 .3"/></frame>'
        for parts, head, align in ((box, "", ""), (box + ball, "", ""), (moments + ball, "", ""), (given + ball, "", ""),
                                   ('<geom type="mesh" mesh="t" euler="5 6 7" pos="1 2 3"/>', mesh, ""),
                                   (box + ball, '<compiler alignfree="true"/>', "auto"), (box, "", "false"),
                                   (box + body(ball), "", "")):
            words = text.format(parts).replace("true", align or "true")
            with self.subTest(parts=parts, align=align):
                scene, model = self.check(world(body(words, name="b", pos="0 0 1", euler="30 0 0"), head,
                                                '<keyframe><key qpos="1 2 3 0.6 0.8 0 0"/></keyframe>'), tolerance=1e-7)
                data = mujoco.MjData(model)
                for key in (None, 0):
                    mujoco.mj_resetData(model, data) if key is None else mujoco.mj_resetDataKeyframe(model, data, 0)
                    mujoco.mj_forward(model, data)
                    scene = isobar.load(self.path, keyframe=key)
                    place = scene.frame_pose(scene.create_world(), "m::s").translation
                    # Measured 4e-16, of the mesh 2.1e-8, which MuJoCo keeps in single precision.
                    self.assertLess(np.abs(place - data.site_xpos[0]).max(), 1e-7)

    def check_mesh(self, mesh, geom='type="mesh" mesh="t"', files=None, head="", tolerance=1e-7):  # MuJoCo keeps meshes in single precision
        part = f'<freejoint/><geom {geom} pos=".1 .2 .3" euler="10 20 30"/><site name="s" pos="1 0 0"/>'
        return self.check(world(body(part, pos="1 2 3"), f'{head}<asset><mesh name="t" {mesh}/></asset>'),
                          files, tolerance)

    def test_meshes_of_points_are_their_hulls(self):
        points = "v 0 0 0\nv 1 0 0 1 0 0\n# f 1 2 3\nv 0 1 0\r\nvn 0 0 1\nv 0 0 1\nv .75 .75 .875"
        self.check_mesh('file="p.obj"', files={"p.obj": points})
        self.check_mesh('vertex="0 0 0  1 0 0  0 1 0  0 0 1  .75 .75 .875" scale="1 2 -1"')
        for count in (4, 35, 36, 37, 1000):  # '$', which 36 begins with, is the first byte of Gmsh's files
            with self.subTest(vertices=count):
                vertices = np.random.default_rng(count).normal(size=(count, 3)).astype("<f4")
                data = np.array([count, 0, 0, 0], dtype="<i4").tobytes() + vertices.tobytes()
                self.check_mesh(f'file="p{count}.msh"', files={f"p{count}.msh": data})  # MuJoCo keeps files it has read
        self.check_mesh('vertex="0 0 0  1 0 0  0 1 0  0 0 1  .75 .75 .875" inertia="shell"')
        faces = 'face="0 2 1  0 1 3  0 3 2" inertia="exact"'  # open: what the tetrahedra have
        self.check_mesh(f'vertex="0 0 0  1 0 0  0 1 0  0 0 1" {faces}')
        for wrong, message in (("v 0 0 0\nv 1 0 0\nv 0 1 0\n", "3 vertices and no faces, expected at least 4"),
                               ("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 x 0\n", "p.obj:4: expected 'v' and three")):
            self.write(world(body('<geom type="mesh" mesh="t"/>'), '<asset><mesh name="t" file="p.obj"/></asset>'),
                       {"p.obj": wrong})
            with self.assertRaisesRegex(isobar.Error, message):
                isobar.load(self.path)

    def test_meshes_are_moved_and_turned_by_their_reference(self):
        vertices = 'vertex="0 0 0  1 0 0  0 2 0  0 0 3  1 1 1" face="0 2 1  0 1 3  0 3 2  1 2 4  2 3 4  3 1 4"'
        for reference in ('refpos="1 2 3"', 'refquat="1 2 3 4"', 'refpos="1 2 3" scale="1 2 -0.5"',
                          'refpos="1 2 3" refquat="1 2 3 4" scale=".5 .5 .5"', 'refpos="1 2 3" refquat="1 2 3 4" scale="1 2 -.5"'):
            with self.subTest(reference=reference):
                self.check_mesh(f"{vertices} {reference}")

    def test_builtin_meshes_have_the_masses_of_those_of_mujoco(self):
        for mesh in ("sphere 0", "sphere 3", "hemisphere 0", "hemisphere 4", "supersphere 7 .4 2", "supersphere 30 1 1",
                     "supertorus 9 .3 1 2", "supertorus 30 .5 .4 .4", "cone 5 0", "cone 12 .4", "wedge 5 7 90 45 0",
                     "wedge 9 9 60 20 .5"):
            with self.subTest(mesh=mesh):
                kind, params = mesh.split(" ", 1)
                self.check_mesh(f'builtin="{kind}" params="{params}" scale=".5 .3 .2"')
        self.check_mesh('builtin="plate" params="4 5" scale=".5 .3 .2"', 'type="mesh" mesh="t" contype="0" conaffinity="0"')
        for mesh, message in (('builtin="sphere"', "needs the attribute 'params'"),
                              ('builtin="sphere" params="9"', "param 1 of a sphere is 9, expected 0 to 4"),
                              ('builtin="pyramid" params="9"', "no builtin mesh named 'pyramid'"),
                              ("", "has 0 of file, vertex and builtin")):
            self.write(world("", f'<asset><mesh name="t" {mesh}/></asset>'))
            with self.assertRaisesRegex(isobar.Error, message):
                isobar.load(self.path)

    def test_shapes_are_fitted_to_meshes_as_by_mujoco(self):
        solid = 'vertex="0 0 0  1 0 0  0 2 0  0 0 3  1 1 1" face="0 2 1  0 1 3  0 3 2  1 2 4  2 3 4  3 1 4"'
        torus = 'builtin="supertorus" params="20 .4 1 1" scale=".5 .3 .8"'
        names = {"sphere": 1, "capsule": 2, "cylinder": 2, "box": 3, "ellipsoid": 3}
        for mesh in (solid, solid + ' refpos=".1 .2 .3"', torus + ' inertia="shell"', torus + ' inertia="convex"',
                     torus + ' inertia="exact"'):
            for kind, count in names.items():
                for head in ("", '<compiler fitaabb="true"/>'):
                    with self.subTest(mesh=mesh, kind=kind, head=head):
                        scene, model = self.check_mesh(mesh, f'type="{kind}" mesh="t" fitscale="1.25" name="g"', head=head,
                                                       tolerance=1e-7)
                        sizes = scene.model.geometries[0].shape
                        ours = [sizes.radius, 0.5 * sizes.length] if count < 3 else \
                            np.asarray(sizes.size) * (0.5 if kind == "box" else 1.0)
                        np.testing.assert_allclose(ours[:count], model.geom_size[0][:count], rtol=1e-6)
        self.check_mesh('file="p.obj"', 'type="box" mesh="t"', {"p.obj": TETRAHEDRON}, tolerance=1e-7)

    def test_shells_of_shapes_weigh_what_those_of_mujoco_do(self):
        for shape in ('type="sphere" size=".3"', 'type="capsule" size=".1 .3"', 'type="cylinder" size=".2 .3"',
                      'type="box" size=".1 .2 .4"', 'type="ellipsoid" size=".1 .2 .4"'):
            for mass in ('density="7"', 'mass="3"', ""):
                with self.subTest(shape=shape, mass=mass):
                    geom = f'<geom {shape} {mass} shellinertia="true" pos=".1 .2 .3" euler="10 20 30"/>'
                    # Measured 4e-16; of the ellipsoid, a difference of two solids, 2e-10.
                    self.check(world(body("<freejoint/>" + geom)), tolerance=1e-9)
        self.write(world(body('<freejoint/><geom type="mesh" mesh="t" shellinertia="true"/>'),
                         '<asset><mesh name="t" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset>'))
        with self.assertRaisesRegex(isobar.ParseError, "a <mesh> says it as inertia"):
            isobar.load(self.path)

    def test_paths_of_assets_are_stripped_on_request(self):
        part = body('<freejoint/><geom type="mesh" mesh="t"/>')
        self.check(world(part, '<compiler strippath="true" meshdir="here"/><asset><mesh file="there/t.obj"/></asset>'),
                   {"here/t.obj": TETRAHEDRON})

    ARM = """<mujoco model="arm"><compiler angle="radian" autolimits="true"/><default><geom size="0.2" density="500"/>
      <default class="big"><geom size="0.4"/><joint damping="3"/></default></default>
      <worldbody><geom name="table" type="box" size="1 1 .1"/><body name="base" childclass="big" euler="0.3 0 0" pos="0 0 1">
      <joint name="j" range="-1 1"/><geom/><frame name="fr" pos="0 0 1"><body name="tip" pos="1 0 0">
      <joint name="k" class="main"/><geom class="main"/><geom type="mesh" mesh="t"/><site name="s"/></body></frame></body>
      <body name="other"><joint name="o"/><geom/></body></worldbody>
      <asset><mesh name="t" vertex="0 0 0 1 0 0 0 1 0 0 0 1" scale=".5 .5 .5"/></asset>
      <tendon><fixed name="t"><joint joint="j" coef="1"/><joint joint="k" coef="2"/></fixed>
      <fixed name="u"><joint joint="o" coef="1"/></fixed></tendon>
      <equality><joint joint1="j" joint2="k"/><joint joint1="j" joint2="o"/></equality>
      <actuator><motor name="a" joint="j"/><position name="b" tendon="t" kp="3"/><motor name="c" joint="o"/></actuator>
      <sensor><jointpos name="sj" joint="j"/></sensor></mujoco>"""
    MIDDLE = """<mujoco model="mid"><asset><model name="a" file="arm.xml"/></asset><worldbody>
      <body name="mid" euler="10 20 30"><joint name="m"/><geom size=".3"/><attach model="a" body="base" prefix="n_"/></body>
      </worldbody><actuator><motor name="mm" joint="n_k"/></actuator></mujoco>"""

    def test_attached_files_are_what_mujoco_attaches(self):
        """Bodies, frames and whole files, in frames and copies, nested, and of the file itself."""
        files = {"arm.xml": self.ARM, "mid.xml": self.MIDDLE}
        head = ('<default><geom size=".1"/><joint damping="9"/></default>'
                '<asset><model name="arm" file="arm.xml"/><model file="mid.xml"/></asset>')
        base = '<attach model="arm" body="base" prefix="x_"/>'
        tip = '<attach model="arm" body="tip" prefix="y_"/>'
        for content in (base, f'<frame pos="1 0 0" euler="0 90 0">{base}</frame>{tip}',
                        '<attach model="arm" frame="fr" prefix="x_"/>', '<attach model="arm" prefix="x_"/>',
                        base + f'<replicate count="2" offset="0 0 1">{tip}</replicate>',
                        '<attach model="mid" body="mid" prefix="x_"/><attach model="mid" prefix="z_"/>'):
            with self.subTest(content=content):
                root = body(f'<geom/><joint name="r" range="-90 90"/>{content}', name="root", pos="1 2 3")
                drive = '<actuator><motor name="own" joint="r"/></actuator>'
                scene, model = self.check(world(root, head, drive), files, tolerance=1e-7)
                self.assertEqual(sorted(a.name for a in scene.model.actuators), sorted(
                    "m::" + mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_ACTUATOR, i) for i in range(model.nu)))
                ours = {joint.name: joint for joint in scene.model.joints}
                for j in range(model.njnt):
                    joint = ours["m::" + mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_JOINT, j)]
                    self.assertAlmostEqual(joint.damping, model.dof_damping[j], delta=1e-15)
                    if model.jnt_limited[j]:
                        np.testing.assert_allclose((joint.lower, joint.upper), model.jnt_range[j], rtol=1e-15)
        parts = {"i.xml": "<x>" + body('<joint name="ij"/><geom size=".1"/>', name="i") + "</x>",
                 "w.xml": "<x><worldbody>" + body('<joint name="wj"/><geom size=".1"/>', name="w") + "</worldbody></x>"}
        part = world('<include file="i.xml"/>', '<include file="w.xml"/>',
                     '<actuator><motor name="im" joint="ij"/><motor name="wm" joint="wj"/></actuator>')
        for content in ('<attach model="p" body="i" prefix="x_"/><attach model="p" body="w" prefix="y_"/>',
                        '<attach model="p" prefix="x_"/><attach model="p" prefix="y_"/>'):
            with self.subTest(content=content):  # parts of several documents
                self.check(world(body(f'<geom size=".1"/><joint/>{content}', name="root"),
                                 '<asset><model name="p" file="p.xml"/></asset>'), {**parts, "p.xml": part})
        arm = body('<joint name="j"/><geom size=".1"/>', name="a")
        self.check(world(arm + body('<attach body="a" prefix="c_"/>', name="b", pos="1 0 0"),
                         tail='<actuator><motor name="d" joint="j"/></actuator>'))
        for attach, message in (('<attach model="arm" body="none" prefix="x"/>', "there is no body named 'none' in '"),
                                ('<attach model="leg" prefix="x"/>', "there is no <model> named 'leg'")):
            self.write(world(attach, head), files)
            with self.assertRaisesRegex(isobar.NotFoundError, message):
                isobar.load(self.path)
        self.write(world('<attach model="arm" prefix="x"/>', head),
                   {"arm.xml": world('<attach model="m" prefix="u"/>', '<asset><model name="m" file="m.xml"/></asset>')})
        with self.assertRaisesRegex(isobar.Error, "file includes itself"):
            isobar.load(self.path)

    def test_chains_of_more_than_64_bodies_load(self):
        link = '<body pos=".1 0 0"><joint axis="0 1 0"/><geom size=".02"/>'
        for count in (70, 230):
            self.check(world(count * link + count * "</body>"))
        self.write(world(245 * link + 245 * "</body>"))
        with self.assertRaisesRegex(isobar.Error, "nested deeper than 240"):
            isobar.load(self.path)

    def test_deformable_bodies_are_refused_as_written_and_as_saved(self):
        self.write(world('<flexcomp name="c" type="grid" count="3 3 1" spacing=".1 .1 .1" dim="2" mass="1"/>'))
        saved = self.path.parent / "saved.xml"
        mujoco.mj_saveLastXML(str(saved), mujoco.MjModel.from_xml_path(str(self.path)))
        for path, word in ((self.path, "<flexcomp>"), (saved, "<flex>")):
            with self.assertRaisesRegex(isobar.UnsupportedError, word + ": a deformable body is not supported"):
                isobar.load(path)


if __name__ == "__main__":
    unittest.main()
