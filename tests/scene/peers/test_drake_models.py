# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Every model of the assets has the masses, inertias, joints and link poses that Drake reads.

Skipped where pydrake, the assets or the `isobar` command are missing.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

ASSETS = pathlib.Path(os.environ.get("ISOBAR_ASSETS", "../shared/assets")).resolve()
COMMAND = shutil.which("isobar")

try:
    import numpy as np
    from pydrake.common.eigen_geometry import Quaternion
    from pydrake.geometry import SceneGraph
    from pydrake.math import RotationMatrix
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant
except ImportError:
    print("skipped: pydrake is not installed")
    sys.exit(77)
if not ASSETS.is_dir() or not COMMAND:
    print(f"skipped: no assets at {ASSETS}, or no isobar in PATH")
    sys.exit(77)

MODELS = sorted(p for p in ASSETS.rglob("*") if p.suffix in (".sdf", ".urdf"))


def read_with_drake(path):
    plant, scene_graph = MultibodyPlant(1e-3), SceneGraph()
    plant.RegisterAsSourceForSceneGraph(scene_graph)
    parser = Parser(plant)
    packages = parser.package_map()
    if packages.Contains("drake_models"):
        packages.Remove("drake_models")
    packages.Add("drake_models", str(ASSETS))
    parser.AddModels(str(path))
    plant.Finalize()
    return plant, scene_graph  # the plant refers to it


def read_with_isobar(path):
    result = subprocess.run(
        [COMMAND, "inspect", "--json", "--package", f"drake_models={ASSETS}", str(path)],
        capture_output=True, text=True, check=False,
    )
    if result.returncode != 0:
        raise AssertionError(f"{path}: {result.stderr}")
    return json.loads(result.stdout)


class DrakeModels(unittest.TestCase):
    def compare_bodies(self, plant, scene):
        context = plant.CreateDefaultContext()
        bodies = {}
        for body in (plant.get_body(i) for i in plant.GetBodyIndices(world_and_models(plant))):
            model = plant.GetModelInstanceName(body.model_instance())
            bodies[f"{model}::{body.name()}"] = body
        self.assertEqual(sorted(bodies), sorted(b["name"] for b in scene["bodies"]))
        for ours in scene["bodies"]:
            body = bodies[ours["name"]]
            inertia = body.default_spatial_inertia()
            mass = inertia.get_mass()
            self.assertAlmostEqual(ours["mass"], mass, delta=1e-15 * (1 + mass))
            if mass > 0:
                com = inertia.get_com()
                np.testing.assert_array_equal(ours["center_of_mass"], com)
                about_com = inertia.Shift(com).CalcRotationalInertia()
                moments, products = about_com.get_moments(), about_com.get_products()
                # Drake keeps the inertia about the link's origin and takes m c^2 off again. Measured
                # 2.2e-16.
                np.testing.assert_allclose(
                    ours["inertia_xx_yy_zz_xy_xz_yz"], [*moments, *products], atol=1e-15)
            pose = plant.EvalBodyPoseInWorld(context, body)
            # Measured 1.1e-15 and 1.4e-15 (chains of up to 14 joints).
            np.testing.assert_allclose(ours["position"], pose.translation(), atol=1e-14)
            rotation = RotationMatrix(Quaternion(np.array(ours["quaternion_wxyz"])))
            np.testing.assert_allclose(rotation.matrix(), pose.rotation().matrix(), atol=1e-14)

    def compare_joints(self, plant, scene, unlimited):
        kinds = {"revolute": "revolute", "prismatic": "prismatic", "weld": "weld"}
        drake = {}
        for index in plant.GetJointIndices(world_and_models(plant)):
            joint = plant.get_joint(index)
            if joint.type_name() in kinds:
                model = plant.GetModelInstanceName(joint.model_instance())
                drake[f"{model}::{joint.name()}"] = joint
        ours = {j["name"]: j for j in scene["joints"]}
        moving = {n for n, j in ours.items() if j["kind"] != "weld"}
        self.assertEqual(moving, {n for n, j in drake.items() if j.type_name() != "weld"})
        for name in moving:
            mine, his = ours[name], drake[name]
            self.assertEqual(mine["kind"], his.type_name())
            lower, upper = his.position_lower_limits()[0], his.position_upper_limits()[0]
            if name.split("::")[-1] in unlimited:
                lower, upper = -np.inf, np.inf
            self.assertEqual(mine["lower"], None if np.isinf(lower) else lower)
            self.assertEqual(mine["upper"], None if np.isinf(upper) else upper)
            self.assertEqual(mine["damping"], his.default_damping())

    def test_models_are_read_as_drake_reads_them(self):
        self.assertGreaterEqual(len(MODELS), 48)
        for path in MODELS:
            with self.subTest(model=str(path.relative_to(ASSETS))):
                (plant, _), scene = read_with_drake(path), read_with_isobar(path)
                self.compare_bodies(plant, scene)
                self.compare_joints(plant, scene, continuous_joints(path))


def continuous_joints(path):
    """Those of a URDF, which have no limits, though Drake takes what <limit> says."""
    text = path.read_text(encoding="utf-8") if path.suffix == ".urdf" else ""
    tags = re.findall(r"<joint\s[^>]*>", text)
    return {re.search(r'name="([^"]*)"', tag)[1] for tag in tags if 'type="continuous"' in tag}


def world_and_models(plant):
    """The one model instance that a file adds (0 is the world, 1 the default)."""
    from pydrake.multibody.tree import ModelInstanceIndex

    assert plant.num_model_instances() == 3
    return ModelInstanceIndex(2)


if __name__ == "__main__":
    unittest.main()
