# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Grasp a spanner with soft fingers; print the forces and draw the pressure of a patch.

    python python/examples/grasp.py [--output patch.png]
"""

import argparse
import pathlib

import matplotlib

matplotlib.use("Agg")
import matplotlib.collections
import matplotlib.pyplot as plt
import numpy as np

import isobar

SCENES = pathlib.Path(__file__).resolve().parents[2] / "scenes"

# %% Parameters
parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--output", default="patch.png", help="picture to write")
output = parser.parse_args().output

# %% A world: the scene's model, its commands press one finger with 30 N.
scene = isobar.load(SCENES / "demo.yaml")
world = scene.create_world()
spanner = world.body_index("spanner::spanner")
weight = world.body_mass(spanner) * np.linalg.norm(world.settings.gravity)
print(f"spanner: {world.body_mass(spanner):.3f} kg, weight {weight:.3f} N")

# %% Half a second of simulated time.
print("  t [s]  finger                 force on spanner [N]          area [mm^2]  p_max [kPa]")
for _ in range(5):
    world.step(round(0.1 / world.settings.time_step))
    for contact in world.contacts:
        if "finger" not in contact.body_name_a + contact.body_name_b:
            continue
        sign = 1.0 if contact.body_b == spanner else -1.0  # wrenches act on B
        force = sign * contact.wrench[3:]
        finger = contact.body_name_a if sign > 0 else contact.body_name_b
        print(f"{world.time:7.3f}  {finger:22s} {force[0]:9.3f} {force[1]:9.3f} {force[2]:9.3f}"
              f" {1e6 * contact.patch.area:12.1f} {1e-3 * contact.patch.max_pressure:12.1f}")

# %% What holds the spanner carries its weight.
held = sum((1.0 if c.body_b == spanner else -1.0) * c.wrench[3:] for c in world.contacts)
print(f"sum of forces: {held} N")

# %% Pressure over one patch, in the plane of the finger (y, z).
contact = next(c for c in world.contacts if "finger" in c.body_name_a + c.body_name_b)
patch = contact.patch
faces = [1e3 * patch.face(i)[:, 1:].copy() for i in range(patch.face_count)]
figure, axes = plt.subplots(figsize=(6, 5))
polygons = matplotlib.collections.PolyCollection(faces, array=1e-3 * patch.pressures.copy(),
                                                 edgecolors="white", linewidths=0.2)
axes.add_collection(polygons)
axes.plot(*(1e3 * patch.center_of_pressure[1:]), "r+", markersize=12, label="centre of pressure")
axes.autoscale()
axes.set(aspect="equal", xlabel="y [mm]", ylabel="z [mm]",
         title=f"{contact.body_name_a} - {contact.body_name_b}")
axes.legend()
figure.colorbar(polygons, label="pressure [kPa]")
figure.savefig(output, dpi=120)
print(f"wrote {output}")
