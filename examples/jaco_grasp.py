# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""A Jaco arm takes a bell pepper with a gripper of two soft bubbles: how far does the pepper move in
the hand? Run from the top of the source tree; needs the package drake_models (ISOBAR_ASSETS)."""

import numpy as np

import isobar

scene = isobar.load("scenes/jaco_grasp.yaml")
world = scene.create_world()


def pepper_in_hand():
    hand, pepper = (world.body_pose(name).matrix
                    for name in ("gripper::gripper", "yellow_bell_pepper_no_stem"))
    return np.linalg.solve(hand, pepper)


step = -1
while world.time < scene.until:
    world.step()
    arm = world.task.programs[0]
    if arm.step != step:
        step = arm.step
        if step <= 2:  # until the arm begins to lift
            held = pepper_in_hand()
        moved = np.linalg.solve(held, pepper_in_hand())
        angle = np.degrees(np.arccos(min(1.0, (np.trace(moved[:3, :3]) - 1.0) / 2.0)))
        height = world.body_pose("yellow_bell_pepper_no_stem").translation[2]
        print(f"t = {world.time:.3f} s  {arm.step_name or 'done':8} pepper at height {height:.4f} m, "
              f"moved in the hand {1e3 * np.linalg.norm(moved[:3, 3]):.3f} mm, {angle:.3f} deg")
