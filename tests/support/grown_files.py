# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Files that grow in one kind of element at a time, of every format that is read.

KINDS maps a name to a function of n that gives (suffix of the file, its text). What stands in a file
besides the n elements of the kind is either of fixed size or of one element for each. `of_drake`
kinds also write a model beside the file: their function takes the folder, too.
"""

import logging
import math
import os
import pathlib
import sys
import tempfile
import time

KINDS = {}


def kind(function):
    KINDS[function.__name__] = function
    return function


def many(n, text):
    """n copies of a text, with I, J and K for the number of each, the next one and the one before."""
    return "".join(text.replace("@I", str(i)).replace("@J", str((i + 1) % n)).replace("@K", str(max(i - 1, 0)))
                   for i in range(n))


# --- MJCF --------------------------------------------------------------------------------------------

MASS = "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>"
HINGED = f"<body name='b@I' pos='@I 0 0'><joint name='j@I' axis='0 0 1'/>{MASS}<site name='s@I' pos='0 0 1'/></body>"
FREE = f"<body name='b@I' pos='@I 0 0'><freejoint name='j@I'/>{MASS}<site name='s@I' pos='0 0 1'/></body>"


def mjcf(world="", rest=""):
    return ".xml", f"<mujoco><worldbody>{world}</worldbody>{rest}</mujoco>"


def mjcf_kind(name, world="", rest="", one="", around="", before=""):
    """world, rest: repeated; `around` is what the repeated rest stands in."""
    def make(n):
        inner = many(n, rest)
        rests = before + (f"<{around}>{inner}</{around}>" if around else inner)
        return mjcf(one + many(n, world), rests)
    KINDS["mjcf_" + name] = make


BALL = f"<body name='b'><freejoint/>{MASS}"
mjcf_kind("free_bodies", FREE)
mjcf_kind("hinged_bodies", HINGED)
mjcf_kind("fixed_bodies", f"<body name='b@I' pos='@I 0 0'>{MASS}</body>")
mjcf_kind("unnamed_bodies", f"<body pos='@I 0 0'><joint/>{MASS}</body>")
mjcf_kind("free_spheres", "<body name='b@I' pos='@I 0 0'><freejoint/><geom size='.1'/></body>")
mjcf_kind("fixed_geoms", "<geom name='g@I' size='.1' pos='@I 0 0'/>")
mjcf_kind("unnamed_geoms", "<geom size='.1' pos='@I 0 0'/>")
mjcf_kind("visual_geoms", "<geom size='.1' pos='@I 0 0' contype='0' conaffinity='0'/>")
mjcf_kind("sites", "<site name='s@I' pos='@I 0 0'/>")
mjcf_kind("cameras", "<camera name='c@I' pos='@I 0 0'/>")
mjcf_kind("lights", "<light name='c@I' pos='@I 0 0'/>")
mjcf_kind("frames", f"<frame pos='@I 0 0'><body name='b@I'><freejoint/>{MASS}</body></frame>")
mjcf_kind("materials", "<geom size='.1' pos='@I 0 0' material='m@I'/>", "<material name='m@I' rgba='1 0 0 1'/>", around="asset")
mjcf_kind("textures", "", "<texture name='t@I' type='2d' builtin='flat' width='4' height='4'/><material name='m@I' texture='t@I'/>", around="asset")
mjcf_kind("meshes", "<geom type='mesh' mesh='m@I' pos='@I 0 0'/>",
          "<mesh name='m@I' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/>", around="asset")
mjcf_kind("hfields", "", "<hfield name='h@I' nrow='2' ncol='2' size='1 1 1 1' elevation='0 1 1 0'/>", around="asset")
mjcf_kind("classes", "<geom class='c@I' pos='@I 0 0'/>", "<default class='c@I'><geom size='.1'/></default>", around="default")
mjcf_kind("blocks_of_defaults", "<geom size='.1' pos='@I 0 0'/>", "<default><geom margin='0.0@I'/></default>")
mjcf_kind("elements_of_a_class", "<geom size='.1' pos='@I 0 0'/>", "<site size='.1'/>", around="default")
mjcf_kind("childclasses", f"<body childclass='c@I' pos='@I 0 0'><joint/>{MASS}</body>", "<default class='c@I'><joint damping='1'/></default>", around="default")
mjcf_kind("excludes", FREE, "<exclude body1='b@I' body2='b@J'/>", around="contact")
mjcf_kind("pairs", f"<body name='b@I' pos='@I 0 0'><freejoint/><geom name='g@I' size='.1'/></body>",
          "<pair geom1='g@I' geom2='g@J'/>", around="contact")
mjcf_kind("connects", FREE, "<connect body1='b@I' body2='b@J' anchor='0 0 0' active='false'/>", around="equality")
mjcf_kind("active_connects", FREE, "<connect name='c@I' body1='b@I' anchor='0 0 0'/>", around="equality")
mjcf_kind("welds", FREE, "<weld name='c@I' body1='b@I' body2='b@J'/>", around="equality")
mjcf_kind("welds_to_the_world", FREE, "<weld name='c@I' body1='b@I'/>", around="equality")
mjcf_kind("couplings", HINGED, "<joint name='c@I' joint1='j@I' joint2='j@J'/>", around="equality")
mjcf_kind("couplings_in_pairs", HINGED + HINGED.replace("'b@I", "'bx@I").replace("j@I", "jx@I").replace("s@I", "sx@I"), "<joint name='c@I' joint1='j@I' joint2='jx@I'/>", around="equality")
mjcf_kind("fixed_tendons", HINGED, "<fixed name='t@I' stiffness='1'><joint joint='j@I' coef='1'/></fixed>", around="tendon")
mjcf_kind("fixed_tendons_in_a_ring", HINGED, "<fixed name='t@I' stiffness='1'><joint joint='j@I' coef='1'/><joint joint='j@J' coef='-1'/></fixed>", around="tendon")
mjcf_kind("limits_of_tendons", HINGED, "<fixed name='t@I' limited='true' range='-1 1'><joint joint='j@I' coef='1'/></fixed>", around="tendon")
mjcf_kind("spatial_tendons", HINGED, "<spatial name='t@I' stiffness='1'><site site='s@I'/><site site='w'/></spatial>", one="<site name='w'/>", around="tendon")
mjcf_kind("spatial_tendons_in_a_ring", HINGED, "<spatial name='t@I' stiffness='1'><site site='s@I'/><site site='s@J'/></spatial>", around="tendon")
mjcf_kind("motors", HINGED, "<motor name='a@I' joint='j@I'/>", around="actuator")
mjcf_kind("unnamed_motors", HINGED, "<motor joint='j@I'/>", around="actuator")
mjcf_kind("positions", HINGED, "<position name='a@I' joint='j@I' kp='1'/>", around="actuator")
mjcf_kind("bounded_motors_on_one_joint", "", "<motor name='a@I' joint='j'/>", around="actuator",
          one=f"<body><joint name='j' actuatorfrcrange='-1 1' actuatorfrclimited='true'/>{MASS}</body>")
mjcf_kind("bounded_motors", HINGED.replace("<joint ", "<joint actuatorfrcrange='-1 1' actuatorfrclimited='true' "),
          "<motor name='a@I' joint='j@I'/>", around="actuator")
mjcf_kind("motors_at_sites", FREE, "<motor name='a@I' site='s@I'/>", around="actuator")
mjcf_kind("adhesions", "<body name='b@I' pos='@I 0 0'><freejoint/><geom size='.1'/></body>", "<adhesion body='b@I' ctrlrange='0 1' gain='1'/>", around="actuator")
mjcf_kind("joint_sensors", HINGED, "<jointpos name='n@I' joint='j@I'/>", around="sensor")
mjcf_kind("unnamed_sensors", HINGED, "<jointpos joint='j@I'/>", around="sensor")
mjcf_kind("frame_sensors", FREE, "<framepos name='n@I' objtype='site' objname='s@I'/>", around="sensor")
mjcf_kind("touches", "<body name='b@I' pos='@I 0 0'><freejoint/><geom size='.1'/><site name='s@I' size='.1'/></body>", "<touch name='n@I' site='s@I'/>", around="sensor")
mjcf_kind("gyros", FREE, "<gyro name='n@I' site='s@I'/>", around="sensor")
mjcf_kind("forces", HINGED, "<force name='n@I' site='s@I'/>", around="sensor")
mjcf_kind("keys", "", "<key name='k@I' qpos='0'/>", one=f"<body><joint name='j'/>{MASS}</body>", around="keyframe")
mjcf_kind("numerics", "", "<numeric name='k@I' data='0'/>", around="custom")
mjcf_kind("texts", "", "<text name='k@I' data='a'/>", around="custom")
mjcf_kind("tuples", "<body name='b@I'/>", "<tuple name='k@I'><element objtype='body' objname='b@I'/></tuple>", around="custom")
mjcf_kind("misspelt_attributes", "<site name='s@I' poz='0 0 0'/>")
mjcf_kind("comments", "<!-- c@I -->")


@kind
def mjcf_motors_on_tendons(n):
    return mjcf(many(n, HINGED), "<tendon>" + many(n, "<fixed name='t@I'><joint joint='j@I' coef='1'/></fixed>") + "</tendon><actuator>" +
                many(n, "<motor name='a@I' tendon='t@I'/>") + "</actuator>")


@kind
def mjcf_equal_tendons(n):
    return mjcf(many(n, HINGED), "<tendon>" + many(n, "<fixed name='t@I'><joint joint='j@I' coef='1'/></fixed>") + "</tendon><equality>" +
                many(n, "<tendon name='e@I' tendon1='t@I'/>") + "</equality>")


@kind
def mjcf_tendon_sensors(n):
    return mjcf(many(n, HINGED), "<tendon>" + many(n, "<fixed name='t@I'><joint joint='j@I' coef='1'/></fixed>") + "</tendon><sensor>" +
                many(n, "<tendonpos name='e@I' tendon='t@I'/>") + "</sensor>")


@kind
def mjcf_actuator_sensors(n):
    return mjcf(many(n, HINGED), "<actuator>" + many(n, "<motor name='a@I' joint='j@I'/>") + "</actuator><sensor>" +
                many(n, "<actuatorfrc name='e@I' actuator='a@I'/>") + "</sensor>")


@kind
def mjcf_joints_of_one_tendon(n):
    return mjcf(many(n, HINGED), "<tendon><fixed name='t'>" + many(n, "<joint joint='j@I' coef='1'/>") + "</fixed></tendon>")


@kind
def mjcf_sites_of_one_tendon(n):
    return mjcf(many(n, FREE), "<tendon><spatial name='t'>" + many(n, "<site site='s@I'/>") + "</spatial></tendon>")


@kind
def mjcf_nested_classes(n):
    depth = n // 50  # of nested elements there are 240 at most
    inner = "".join(f"<default class='c{i}'><geom size='.{i + 1}'/>" for i in range(depth))
    return mjcf(f"<geom class='c{depth - 1}'/>" * n, "<default>" + inner + "</default>" * (depth + 1))


@kind
def mjcf_geoms_of_a_body(n):
    return mjcf("<body><freejoint/>" + many(n, "<geom name='g@I' size='.1' pos='@I 0 0'/>") + "</body>")


@kind
def mjcf_replicas(n):
    return mjcf(f"<replicate count='{n}' offset='1 0 0'><body name='b'><freejoint/>{MASS}<geom size='.1'/></body></replicate>")


@kind
def mjcf_replicates(n):
    return mjcf(many(n, f"<replicate count='1'><body name='b@I'><freejoint/>{MASS}</body></replicate>"))


@kind
def mjcf_welded_bodies(n):
    return mjcf(f"<body name='b'><freejoint/>{MASS}" + many(n, f"<body name='b@I'>{MASS}</body>") + "</body>")


@kind
def mjcf_fingers(n):
    return mjcf(f"<body name='b'>{MASS}" + many(n, HINGED) + "</body>")


@kind
def mjcf_vertices(n):
    points = " ".join(f"{i % 17} {i % 23} {i * i % 19 * 0.1}" for i in range(10 * n))
    return mjcf("<geom type='mesh' mesh='m'/>", f"<asset><mesh name='m' vertex='{points}'/></asset>")


@kind
def mjcf_heights(n):
    rows = n // 20
    heights = " ".join(str((i * 7919 % 101) / 101) for i in range(rows * 20))
    return mjcf("<geom type='hfield' hfield='h'/>", f"<asset><hfield name='h' nrow='{rows}' ncol='20' size='{rows / 20} 1 1 1' elevation='{heights}'/></asset>")


@kind
def mjcf_positions_of_a_key(n):
    return mjcf(many(n, HINGED), f"<keyframe><key name='k' qpos='{'0 ' * n}'/></keyframe>")


# --- URDF --------------------------------------------------------------------------------------------

INERTIAL = "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"
LINK = f"<link name='l@I'>{INERTIAL}</link>"
JOINT = "<joint name='j@I' type='revolute'><parent link='base'/><child link='l@I'/><limit lower='-1' upper='1' effort='1' velocity='1'/></joint>"
FIXED = "<joint name='j@I' type='fixed'><parent link='base'/><child link='l@I'/></joint>"
CHAIN = "<joint name='j@I' type='{}'><parent link='p@I'/><child link='p@L'/><axis xyz='0 0 1'/></joint>"


def urdf_kind(name, text, one="", base=INERTIAL):
    KINDS["urdf_" + name] = lambda n: (".urdf", f"<robot name='r'><link name='base'>{base}</link>{one}{many(n, text)}</robot>")


urdf_kind("links", LINK + JOINT)
urdf_kind("fixed_links", LINK + FIXED)
urdf_kind("massless_links", "<link name='l@I'/>" + FIXED)
urdf_kind("moving_massless_links", "<link name='l@I'/>" + JOINT)
urdf_kind("links_of_shapes", "<link name='l@I'><collision><geometry><sphere radius='.1'/></geometry></collision></link>" + JOINT)
urdf_kind("collisions_of_links", f"<link name='l@I'>{INERTIAL}<collision name='c@I'><geometry><sphere radius='.1'/></geometry></collision></link>" + FIXED)
urdf_kind("materials", f"<material name='m@I'><color rgba='1 0 0 1'/></material><link name='l@I'><visual><geometry><sphere radius='.1'/></geometry><material name='m@I'/></visual></link>" + FIXED)
urdf_kind("inline_materials", f"<link name='l@I'><visual><geometry><sphere radius='.1'/></geometry><material name='m@I'><color rgba='1 0 0 1'/></material></visual></link>" + FIXED)
urdf_kind("late_materials", f"<link name='l@I'><visual><geometry><sphere radius='.1'/></geometry><material name='m@I'/></visual></link>" + FIXED + "<material name='m@I'><color rgba='1 0 0 1'/></material>")
urdf_kind("mimics", LINK + JOINT.replace("</joint>", "<mimic joint='j@J'/></joint>").replace("revolute", "continuous"))
urdf_kind("mimics_of_one", LINK + JOINT.replace("</joint>", "<mimic joint='lead'/></joint>"), one=LINK.replace("@I", "x") + JOINT.replace("j@I", "lead").replace("@I", "x"))
urdf_kind("mimics_in_pairs", LINK + JOINT + (LINK + JOINT.replace("</joint>", "<mimic joint='j@M'/></joint>")).replace("@I", "x@I").replace("@M", "@I"))
urdf_kind("transmissions", LINK + JOINT + "<transmission name='t@I'><type>transmission_interface/SimpleTransmission</type><joint name='j@I'><hardwareInterface>EffortJointInterface</hardwareInterface></joint><actuator name='a@I'><mechanicalReduction>1</mechanicalReduction></actuator></transmission>")
urdf_kind("gazebo_links", LINK + JOINT + "<gazebo reference='l@I'><mu1>0.5</mu1><material>Gazebo/Red</material></gazebo>")
urdf_kind("gazebo_joints", LINK + JOINT + "<gazebo reference='j@I'><preserveFixedJoint>true</preserveFixedJoint></gazebo>")
urdf_kind("gazebo_sensors", LINK + JOINT + "<gazebo reference='l@I'><sensor name='s@I' type='imu'><always_on>1</always_on></sensor></gazebo>")
urdf_kind("contact_sensors", f"<link name='l@I'>{INERTIAL}<collision name='c@I'><geometry><sphere radius='.1'/></geometry></collision></link>" + FIXED + "<gazebo reference='l@I'><sensor name='s@I' type='contact'><contact><collision>c@I</collision></contact></sensor></gazebo>")
urdf_kind("drake_groups", LINK + JOINT + "<drake:collision_filter_group name='g@I'><drake:member link='l@I'/><drake:ignored_collision_filter_group name='g@J'/></drake:collision_filter_group>")
urdf_kind("drake_groups_of_groups", LINK + JOINT + "<drake:collision_filter_group name='g@I'><drake:member link='l@I'/></drake:collision_filter_group><drake:collision_filter_group name='h@I'><drake:member_collision_filter_group name='g@I'/><drake:ignored_collision_filter_group name='h@I'/></drake:collision_filter_group>")
urdf_kind("frames", "<frame name='f@I' link='base' xyz='0 0 0' rpy='0 0 0'/>")


@kind
def urdf_fixed_chain(n):
    links = "".join(f"<link name='p{i}'>{INERTIAL}</link>" for i in range(n + 1))
    return ".urdf", f"<robot name='r'>{links}" + "".join(CHAIN.format("fixed").replace("@I", str(i)).replace("@L", str(i + 1)) for i in range(n)) + "</robot>"


@kind
def urdf_chain(n):
    text = urdf_fixed_chain(n)[1].replace("'fixed'", "'continuous'")
    return ".urdf", text


@kind
def urdf_reversed_chain(n):
    links = "".join(f"<link name='p{i}'>{INERTIAL}</link>" for i in reversed(range(n + 1)))
    return ".urdf", f"<robot name='r'>{links}" + "".join(CHAIN.format("fixed").replace("@I", str(i)).replace("@L", str(i + 1)) for i in reversed(range(n))) + "</robot>"


@kind
def urdf_collisions_of_a_link(n):
    return ".urdf", f"<robot name='r'><link name='base'>{INERTIAL}" + many(n, "<collision name='c@I'><origin xyz='@I 0 0'/><geometry><sphere radius='.1'/></geometry></collision>") + "</link></robot>"


@kind
def urdf_visuals_of_a_link(n):
    return ".urdf", f"<robot name='r'><link name='base'>{INERTIAL}" + many(n, "<visual name='c@I'><origin xyz='@I 0 0'/><geometry><sphere radius='.1'/></geometry></visual>") + "</link></robot>"


# --- SDFormat ----------------------------------------------------------------------------------------

SDF_MASS = "<inertial><mass>1</mass></inertial>"
SDF_LINK = f"<link name='l@I'><pose>@I 0 0 0 0 0</pose>{SDF_MASS}</link>"
SDF_JOINT = "<joint name='j@I' type='revolute'><parent>base</parent><child>l@I</child><axis><xyz>0 0 1</xyz></axis></joint>"
SDF_SPHERE = "<geometry><sphere><radius>.1</radius></sphere></geometry>"
SDF_BASE = f"<link name='base'>{SDF_MASS}</link>"


def sdf_kind(name, text, one=SDF_BASE):
    KINDS["sdf_" + name] = lambda n: (".sdf", f"<sdf version='1.9'><model name='m'>{one}{many(n, text)}</model></sdf>")


sdf_kind("links", SDF_LINK)
sdf_kind("jointed_links", SDF_LINK + SDF_JOINT)
sdf_kind("colliding_links", f"<link name='l@I'><pose>@I 0 0 0 0 0</pose>{SDF_MASS}<collision name='c'>{SDF_SPHERE}</collision></link>")
sdf_kind("frames", "<frame name='f@I' attached_to='base'/>")
sdf_kind("relative_links", f"<link name='l@I'><pose relative_to='f@I'>0 0 0 0 0 0</pose>{SDF_MASS}</link><frame name='f@I'><pose>@I 0 0 0 0 0</pose></frame>")
sdf_kind("models", f"<model name='n@I'><pose>@I 0 0 0 0 0</pose><link name='l'>{SDF_MASS}</link></model>")
sdf_kind("force_torques", SDF_LINK + SDF_JOINT.replace("</joint>", "<sensor name='s@I' type='force_torque'/></joint>"))
sdf_kind("imus", f"<link name='l@I'><pose>@I 0 0 0 0 0</pose>{SDF_MASS}<sensor name='s@I' type='imu'/></link>")
sdf_kind("contacts", f"<link name='l@I'><pose>@I 0 0 0 0 0</pose>{SDF_MASS}<collision name='c'>{SDF_SPHERE}</collision><sensor name='s@I' type='contact'><contact><collision>c</collision></contact></sensor></link>")
sdf_kind("ball_constraints", SDF_LINK + "<drake:ball_constraint><drake:ball_constraint_body_A>base</drake:ball_constraint_body_A>"
         "<drake:ball_constraint_body_B>l@I</drake:ball_constraint_body_B><drake:ball_constraint_p_AP>@I 0 0</drake:ball_constraint_p_AP>"
         "<drake:ball_constraint_p_BQ>0 0 0</drake:ball_constraint_p_BQ></drake:ball_constraint>")
sdf_kind("mimics", SDF_LINK + SDF_JOINT.replace("</axis>", "<mimic joint='j@J'><multiplier>1</multiplier><offset>0</offset></mimic></axis>"))
sdf_kind("groups", SDF_LINK + "<drake:collision_filter_group name='g@I'><drake:member>l@I</drake:member><drake:ignored_collision_filter_group>g@J</drake:ignored_collision_filter_group></drake:collision_filter_group>")
sdf_kind("massless_links", "<link name='l@I'/><joint name='j@I' type='fixed'><parent>base</parent><child>l@I</child></joint>")


@kind
def sdf_frame_chain(n):
    return ".sdf", f"<sdf version='1.9'><model name='m'><link name='f-1'>{SDF_MASS}</link>" + "".join(
        f"<frame name='f{i}' attached_to='f{i - 1}'><pose>.1 0 0 0 0 0</pose></frame>" for i in range(n)) + "</model></sdf>"


@kind
def sdf_reversed_frame_chain(n):
    return ".sdf", f"<sdf version='1.9'><model name='m'><link name='f-1'>{SDF_MASS}</link>" + "".join(
        f"<frame name='f{i}' attached_to='f{i - 1}'><pose>.1 0 0 0 0 0</pose></frame>" for i in reversed(range(n))) + "</model></sdf>"


@kind
def sdf_chain(n):
    return ".sdf", f"<sdf version='1.9'><model name='m'><link name='f-1'>{SDF_MASS}</link>" + "".join(
        f"<link name='f{i}'><pose relative_to='f{i - 1}'>.1 0 0 0 0 0</pose>{SDF_MASS}</link><joint name='j{i}' type='fixed'><parent>f{i - 1}</parent><child>f{i}</child></joint>" for i in range(n)) + "</model></sdf>"


@kind
def sdf_frames_of_models(n):
    return ".sdf", f"<sdf version='1.9'><model name='m'>" + many(n, f"<model name='n@I'><link name='l'>{SDF_MASS}</link><frame name='f'/></model><frame name='g@I' attached_to='n@I::f'/>") + "</model></sdf>"


@kind
def sdf_world_models(n):
    return ".sdf", "<sdf version='1.9'><world name='w'>" + many(n, f"<model name='n@I'><pose>@I 0 0 0 0 0</pose><link name='l'>{SDF_MASS}<collision name='c'>{SDF_SPHERE}</collision></link></model>") + "</world></sdf>"


@kind
def sdf_static_models(n):
    return ".sdf", "<sdf version='1.9'><world name='w'>" + many(n, f"<model name='n@I'><static>true</static><pose>@I 0 0 0 0 0</pose><link name='l'>{SDF_MASS}<collision name='c'>{SDF_SPHERE}</collision></link></model>") + "</world></sdf>"


@kind
def sdf_collisions_of_a_link(n):
    return ".sdf", f"<sdf version='1.9'><model name='m'><link name='l'>{SDF_MASS}" + many(n, f"<collision name='c@I'><pose>@I 0 0 0 0 0</pose>{SDF_SPHERE}</collision>") + "</link></model></sdf>"


@kind
def sdf_visuals_of_a_link(n):
    return ".sdf", f"<sdf version='1.9'><model name='m'><link name='l'>{SDF_MASS}" + many(n, f"<visual name='c@I'><pose>@I 0 0 0 0 0</pose>{SDF_SPHERE}</visual>") + "</link></model></sdf>"


@kind
def sdf_points_of_a_polyline(n):
    points = "".join(f"<point>{math.cos(2 * math.pi * i / n)} {math.sin(2 * math.pi * i / n)}</point>" for i in range(n))
    return ".sdf", f"<sdf version='1.9'><model name='m'><link name='l'>{SDF_MASS}<collision name='c'><geometry><polyline>{points}<height>1</height></polyline></geometry></collision></link></model></sdf>"


# --- scenarios ---------------------------------------------------------------------------------------


def yaml_kind(name, *sections, before=""):
    """sections: (key, element of a list), repeated."""
    KINDS["yaml_" + name] = lambda n: (".yaml", before + "".join(f"{key}:\n" + many(n, text + "\n") for key, text in sections))


Y_BODY = ("bodies", "- {name: b@I, mass: 1, inertia: [1, 1, 1], pose: {translation: [@I, 0, 0]}}")
Y_SPHERE = ("bodies", "- {name: b@I, mass: 1, inertia: [1, 1, 1], pose: {translation: [@I, 0, 0]}, geometry: [{name: g, shape: sphere, radius: 0.1}]}")
Y_JOINT = ("joints", "- {name: j@I, type: revolute, parent: world, child: b@I, axis: [0, 0, 1]}")
Y_JOINTED = ("bodies", "- {name: b@I, mass: 1, inertia: [1, 1, 1]}")
yaml_kind("bodies", Y_BODY)
yaml_kind("spheres", Y_SPHERE)
yaml_kind("fixed_bodies", ("bodies", "- {name: b@I, fixed: true, geometry: [{name: g, shape: sphere, radius: 0.1}]}"))
yaml_kind("joints", Y_JOINTED, Y_JOINT)
yaml_kind("materials", ("materials", "  m@I: {friction: 0.5}"), ("bodies", "- {name: b@I, mass: 1, inertia: [1, 1, 1], pose: {translation: [@I, 0, 0]}, geometry: [{name: g, shape: sphere, radius: 0.1, material: m@I}]}"))
yaml_kind("overrides", Y_SPHERE, ("contact_overrides", "- {geometry: 'b@I::g', friction: 0.3}"))
yaml_kind("exclusions", Y_SPHERE, ("excluded_geometries", "- {geometry_a: 'b@I::g', geometry_b: 'b@J::g'}"))
yaml_kind("models_of_pairs", Y_SPHERE, ("contact_models", "- {geometry_a: 'b@I::g', geometry_b: 'b@J::g', model: hertz}"))
yaml_kind("couplers", Y_JOINTED, Y_JOINT, ("couplers", "- {name: c@I, joint_a: j@I, joint_b: j@J}"))
yaml_kind("constraints", Y_BODY, ("constraints", "- {name: c@I, type: weld, body_a: b@I, body_b: world, pose_b: {translation: [@I, 0, 0]}}"))
yaml_kind("links", Y_BODY, ("constraints", "- {name: c@I, type: distance, body_a: world, body_b: b@I, length: 1, active: false}"))
yaml_kind("springs", Y_BODY, ("constraints", "- {name: c@I, type: tendon, body_a: world, body_b: b@I, length: 1, stiffness: 10}"))
yaml_kind("fixed_tendons", Y_JOINTED, Y_JOINT, ("fixed_tendons", "- {name: t@I, joints: [j@I], weights: [1], stiffness: 1}"))
yaml_kind("routes", Y_JOINTED, Y_JOINT, ("fixed_tendons", "- {name: t@I, route: [{point: world}, {point: b@I, pose: {translation: [0, 1, 0]}}], stiffness: 1}"))
yaml_kind("initial_joints", Y_JOINTED, Y_JOINT, ("initial", "- {joint: j@I, position: 0.1}"))
yaml_kind("initial_bodies", Y_BODY, ("initial", "- {body: b@I, pose: {translation: [@I, 1, 0]}}"))
yaml_kind("actuation", Y_JOINTED, Y_JOINT, ("actuation", "- {joint: j@I, kp: 1, effort_limit: 2, position: 0.1}"))
yaml_kind("adhesion", Y_SPHERE, ("actuation", "- {adhesion: b@I, effort: 1}"))
yaml_kind("sensors", Y_JOINTED, Y_JOINT, ("sensors", "- {name: s@I, type: joint, joint: j@I}"))
yaml_kind("frame_sensors", Y_BODY, ("sensors", "- {name: s@I, type: frame, body: b@I}"))
yaml_kind("contact_sensors", Y_SPHERE, ("sensors", "- {name: s@I, type: contact, body: b@I, geometry: g}"))
yaml_kind("motions", ("bodies", "- {name: b@I, fixed: true}"), ("motions", "- {body: b@I, velocity: {linear: [1, 0, 0]}}"))
yaml_kind("programs", Y_JOINTED, Y_JOINT, ("programs", "- {name: p@I, joints: [j@I], kp: 1, kd: 1, steps: [{name: a, move_joints: {positions: [0.5], duration: 1}}]}"))
yaml_kind("frames", Y_BODY, ("directives", "- add_frame: {name: f@I, X_PF: {base_frame: b@I}}"))
yaml_kind("welds", Y_JOINTED, ("directives", "- add_weld: {parent: world, child: b@I, X_PC: {translation: [@I, 0, 0]}}"))
yaml_kind("groups", Y_BODY, ("directives", "- add_collision_filter_group: {name: g@I, members: [b@I], ignored_collision_filter_groups: [g@J]}"))
yaml_kind("anchors", ("bodies", "- &a@I {name: b@I, mass: 1, inertia: [1, 1, 1]}"))


@kind
def yaml_frame_chain(n):
    return ".yaml", "bodies: [{name: b, mass: 1, inertia: [1, 1, 1]}]\ndirectives:\n" + "".join(f"- add_frame: {{name: f{i}, X_PF: {{base_frame: {'f' + str(i - 1) if i else 'world'}}}}}\n" for i in range(n))


@kind
def yaml_watched_contacts(n):
    return ".yaml", "bodies:\n" + many(n, Y_SPHERE[1] + "\n") + "events:\n  levels:\n" + many(n, "  - {name: e@I, quantity: body_z, of: b@I, level: 1}\n")


@kind
def yaml_aliases(n):
    return ".yaml", "bodies:\n" + many(n, "- {name: b@I, mass: 1, inertia: &a@I [1, 1, 1]}\n- {name: c@I, mass: 1, inertia: *a@I}\n")


@kind
def yaml_geometries_of_a_body(n):
    return ".yaml", "bodies:\n- name: b\n  mass: 1\n  geometry:\n" + many(min(n, 1000), "  - {name: g@I, shape: sphere, radius: 0.1}\n")


@kind
def yaml_members_of_a_group(n):
    return ".yaml", "bodies:\n" + many(n, Y_BODY[1] + "\n") + f"directives:\n- add_collision_filter_group: {{name: g, members: [{', '.join(f'b{i}' for i in range(n))}], ignored_collision_filter_groups: [g]}}\n"


@kind
def yaml_joints_of_one_tendon(n):
    return ".yaml", "bodies:\n" + many(n, Y_JOINTED[1] + "\n") + "joints:\n" + many(n, Y_JOINT[1] + "\n") + (
        f"fixed_tendons:\n- {{name: t, joints: [{', '.join(f'j{i}' for i in range(n))}], weights: [{', '.join('1' for i in range(n))}]}}\n")


@kind
def yaml_chain(n):
    return ".yaml", "bodies:\n" + many(n, Y_JOINTED[1] + "\n") + "joints:\n" + "".join(
        f"- {{name: j{i}, type: fixed, parent: {'b' + str(i - 1) if i else 'world'}, child: b{i}}}\n" for i in range(n))


@kind
def yaml_steps_of_a_program(n):
    return ".yaml", "bodies: [{name: b, mass: 1, inertia: [1, 1, 1]}]\njoints: [{name: j, type: revolute, parent: world, child: b, axis: [0, 0, 1]}]\nprograms:\n- name: p\n  joints: [j]\n  kp: 1\n  kd: 1\n  steps:\n" + many(
        n, "  - {name: s@I, move_joints: {positions: [0.5], duration: 1}}\n")


@kind
def yaml_keyframes_of_a_step(n):
    return ".yaml", "bodies: [{name: b, mass: 1, inertia: [1, 1, 1]}]\njoints: [{name: j, type: revolute, parent: world, child: b, axis: [0, 0, 1]}]\nprograms:\n- name: p\n  joints: [j]\n  kp: 1\n  kd: 1\n  steps:\n  - move_joints:\n      keyframes:\n" + "".join(
        f"      - {{time: {i + 1}, positions: [0.{i % 7}]}}\n" for i in range(n))


@kind
def yaml_poses_of_a_motion(n):
    return ".yaml", f"bodies: [{{name: b, fixed: true}}]\nmotions:\n- body: b\n  times: [{', '.join(str(i) for i in range(n))}]\n  poses:\n" + many(n, "  - {translation: [@I, 0, 0]}\n")


@kind
def yaml_values_of_a_table(n):
    return ".yaml", "bodies: [{name: b, mass: 1, inertia: [1, 1, 1]}]\njoints: [{name: j, type: revolute, parent: world, child: b, axis: [0, 0, 1]}]\nactuation:\n- " + (
        f"{{joint: j, effort: {{type: table, times: [{', '.join(str(i) for i in range(n))}], values: [{', '.join('1' for i in range(n))}]}}}}\n")


# --- models that a scenario names --------------------------------------------------------------------


def directives_kind(name, *sections):
    def make(n, folder):
        (pathlib.Path(folder) / "one.sdf").write_text(
            f"<sdf version='1.9'><model name='m'><link name='l'>{SDF_MASS}</link><link name='k'>{SDF_MASS}</link>"
            "<joint name='j' type='revolute'><parent>l</parent><child>k</child><axis><xyz>0 0 1</xyz></axis></joint></model></sdf>")
        (pathlib.Path(folder) / "frame.yaml").write_text("directives:\n- add_frame: {name: f, X_PF: {base_frame: world}}\n")
        return ".yaml", "".join(f"{key}:\n" + many(n, text + "\n") for key, text in sections)
    make.of_drake = True
    KINDS["drake_" + name] = make


D_MODEL = "- add_model: {name: m@I, file: one.sdf}"
directives_kind("models", ("directives", D_MODEL))
directives_kind("positions", ("directives", "- add_model: {name: m@I, file: one.sdf, default_joint_positions: {j: [0.1]}, default_free_body_pose: {l: {translation: [@I, 0, 0]}}}"))
directives_kind("welds", ("directives", D_MODEL + "\n- add_weld: {parent: world, child: 'm@I::l'}"))
directives_kind("files", ("bodies", "- {name: b@I, mass: 1, inertia: [1, 1, 1]}"), ("directives", "- add_directives: {file: frame.yaml, model_namespace: n@I}"))
directives_kind("actuation", ("directives", D_MODEL), ("actuation", "- {joint: 'm@I::j', effort: 1}"))
directives_kind("unscoped_frames", ("directives", D_MODEL + "\n- add_frame: {name: 'x@I::f@I', X_PF: {base_frame: 'm@I::l'}}"), ("sensors", "- {name: s@I, type: frame, body: f@I}"))


def write(name, n, folder):
    """Write the file of a kind and what it needs; its path."""
    make = KINDS[name]
    suffix, text = make(n, folder) if getattr(make, "of_drake", False) else make(n)
    path = pathlib.Path(folder) / f"{name}_{n}{suffix}"
    path.write_text(text, encoding="utf-8")
    return path


def cost(path):
    """Processor time [s] of this process for loading a file and making its world, sensors and task."""
    import isobar
    start = time.process_time()
    scene = isobar.load(path)
    world = scene.create_world()
    scene.create_sensors(world)
    scene.create_task(world)
    return time.process_time() - start


def step_cost(path):
    """Processor time [s] of a step of its world, the quickest of three."""
    import isobar
    world = isobar.load(path).create_world()
    costs = []
    for _ in range(3):
        start = time.process_time()
        world.step()
        costs.append(time.process_time() - start)
    return min(costs)


def _memory(key):
    lines = pathlib.Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(key)) / 1024.0


def peak(path):
    """Memory [MiB] by which a process of its own grows at most while it loads a file and steps its world."""
    import isobar
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            pathlib.Path("/proc/self/clear_refs").write_text("5")  # the peak starts here
            before = _memory("VmRSS")
            isobar.load(path).create_world().step()
            os.write(writer, str(_memory("VmHWM") - before).encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as file:
        text = file.read()
    os.waitpid(child, 0)
    return float(text)


def main():
    """Print the cost of each kind whose name contains an argument (of all without any) as it grows."""
    logging.disable(logging.CRITICAL)
    with tempfile.TemporaryDirectory() as folder:
        for name in KINDS:
            if not sys.argv[1:] or any(word in name for word in sys.argv[1:]):
                try:
                    costs = [cost(write(name, n, folder)) for n in (250, 500, 1000, 2000)]
                    print(f"{name:36}" + "".join(f" {seconds:7.3f}" for seconds in costs), flush=True)
                except ValueError as error:
                    print(f"{name:36} {error}", flush=True)


if __name__ == "__main__":
    main()
