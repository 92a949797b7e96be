# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""A Jaco arm takes a bell pepper with a gripper of two soft bubbles: where does the hand hold it?
Run from the top of the source tree; needs the package drake_models (ISOBAR_ASSETS)."""

import numpy as np

import isobar

scene = isobar.load("scenes/jaco_grasp.yaml")
world = scene.create_world()

step = -1
while world.time < scene.until:
    world.step()
    arm = world.task.programs[0]
    if arm.step != step:  # the program has gone on
        step = arm.step
        hand = world.body_pose("gripper::gripper").matrix
        pepper = world.body_pose("yellow_bell_pepper_no_stem").matrix
        x, y, z = 1e3 * np.linalg.solve(hand, pepper)[:3, 3]
        print(f"t = {world.time:.3f} s  {arm.step_name or 'done':8} pepper at height "
              f"{pepper[2, 3]:.4f} m, in the hand {x:.3f} {y:.3f} {z:.3f} mm")
