# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Robots without geometry, the same file for every engine: masses and joints of a URDF only.

Shapes, limits, transmissions and mimic relations are left out, so that what is compared is the
dynamics of the tree.
"""

import pathlib
import time
import xml.etree.ElementTree as ElementTree

ROBOTS = {
    "iiwa_7": "iiwa_description/urdf/iiwa14_no_collision.urdf",
    "jaco_9": "jaco_description/urdf/j2n6s300.urdf",
    "jaco_10": "jaco_description/urdf/j2s7s300.urdf",
}
STEPS = 500
BATCHES = 20


def skeleton(source, target):
    """Write the robot of a URDF without shapes; every moving joint turns or slides without end."""
    robot = ElementTree.parse(source).getroot()
    for child in list(robot):
        if child.tag not in ("link", "joint"):
            robot.remove(child)
    for link in robot.findall("link"):
        for shape in link.findall("visual") + link.findall("collision"):
            link.remove(shape)
    for joint in robot.findall("joint"):
        for tag in ("mimic", "safety_controller", "calibration"):
            for element in joint.findall(tag):
                joint.remove(element)
        if joint.get("type") in ("revolute", "continuous", "prismatic"):
            for limit in joint.findall("limit"):
                joint.remove(limit)
            joint.set("type", "prismatic" if joint.get("type") == "prismatic" else "continuous")
            if joint.get("type") == "prismatic":
                ElementTree.SubElement(joint, "limit", lower="-100", upper="100", effort="1e9",
                                       velocity="1e9")
    ElementTree.ElementTree(robot).write(target, xml_declaration=True, encoding="utf-8")
    return target


def root(path):
    """Name of the link that hangs on no joint."""
    robot = ElementTree.parse(path).getroot()
    children = {joint.find("child").get("link") for joint in robot.findall("joint")}
    return next(link.get("name") for link in robot.findall("link")
                if link.get("name") not in children)


def skeletons(assets, directory):
    """{name: file} of all robots whose assets are there."""
    found = {}
    for name, relative in ROBOTS.items():
        source = pathlib.Path(assets) / relative
        if source.exists():
            found[name] = skeleton(source, pathlib.Path(directory) / f"{name}.urdf")
    return found


def mujoco_model(path):
    """The robot in MuJoCo, standing on the world, step 1 ms."""
    import mujoco

    text = pathlib.Path(path).read_text(encoding="utf-8")
    head, tail = text.split("<robot", 1)
    attributes, body = tail.split(">", 1)
    options = '<mujoco><compiler fusestatic="false" balanceinertia="false"/></mujoco>'
    model = mujoco.MjModel.from_xml_string(f"{head}<robot{attributes}>{options}{body}")
    model.opt.timestep = 1e-3
    return model


def mujoco_us(path):
    """Median microseconds of a step as bench_arm takes it: from q = 0.3, v = 0, falling."""
    import mujoco
    import statistics

    model = mujoco_model(path)
    data = mujoco.MjData(model)
    times = []
    for _ in range(BATCHES):
        mujoco.mj_resetData(model, data)
        data.qpos[:] = 0.3
        start = time.perf_counter()
        mujoco.mj_step(model, data, STEPS)
        times.append(1e6 * (time.perf_counter() - start) / STEPS)
    return statistics.median(times), min(times), int(model.nv)
