# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""The same indentation as finite_strain.indent() with CalculiX: finite strain, its own contact."""

import time

import numpy as np

from fem import calculix
from fem import mesh as meshes

# Pressure over penetration of the contact, in layer moduli per thickness.
STIFFNESS = 3e3
# Half the height of the rigid body, and how far it reaches beyond the layer's sides.
_HEIGHT, _BEYOND = 0.1, 0.2


def force(directory, name, mesh, indenter, thickness, depth, law, young, nu):
    """(vertical force over the width of the mesh, seconds); law: "svk" or "ciarlet"."""
    width = mesh.nodes[mesh.bottom[-1], 0]
    tool = meshes.Mesh(np.linspace(-_BEYOND, width + _BEYOND, 161), np.array([0.0, _HEIGHT]))
    tool.nodes[:, 1] += thickness + indenter(tool.nodes[:, 0])[0]
    nodes, elements = len(mesh.nodes), len(mesh.elements)
    top = np.flatnonzero(np.isin(mesh.elements[:, 2], mesh.top))
    # The name CIARLET_EL chooses the law; *ELASTIC at large strain is Saint Venant and Kirchhoff's.
    material = {"svk": f"*MATERIAL, NAME=SVK\n*ELASTIC\n{young:.12e}, {nu}",
                "ciarlet": "*MATERIAL, NAME=CIARLET_EL\n*USER MATERIAL, CONSTANTS=2\n"
                           f"{young:.12e}, {nu}"}[law]
    star = young * (1 - nu) / ((1 + nu) * (1 - 2 * nu))
    deck = "\n".join([
        calculix.mesh_cards(mesh, "CPE8", "LAYER"),
        calculix.mesh_cards(tool, "CPE8", "TOOL", nodes, elements),
        calculix.node_set("BOTTOM", mesh.bottom),
        calculix.node_set("SIDES", np.concatenate([mesh.left, mesh.right])),
        calculix.node_set("RIGID", np.arange(len(tool.nodes)) + nodes),
        "*SURFACE, NAME=LAYER_TOP, TYPE=ELEMENT", *[f"{k + 1}, S3" for k in top],
        "*SURFACE, NAME=TOOL_FACE, TYPE=ELEMENT",
        *[f"{k + 1 + elements}, S1" for k in range(len(tool.elements))],
        material, "*MATERIAL, NAME=TOOL_M", "*ELASTIC", "1000, 0.3",
        f"*SOLID SECTION, ELSET=LAYER, MATERIAL={material.split('NAME=')[1].split()[0]}", "1",
        "*SOLID SECTION, ELSET=TOOL, MATERIAL=TOOL_M", "1",
        "*SURFACE INTERACTION, NAME=TOUCH",
        "*SURFACE BEHAVIOR, PRESSURE-OVERCLOSURE=LINEAR", f"{STIFFNESS * star / thickness:.12e}",
        "*CONTACT PAIR, INTERACTION=TOUCH, TYPE=NODE TO SURFACE", "LAYER_TOP, TOOL_FACE",
        "*BOUNDARY", "BOTTOM, 1, 2", "SIDES, 1, 1",
        "*STEP, INC=1000, NLGEOM", "*STATIC", "0.05, 1, 1e-6, 0.1",
        "*BOUNDARY", "RIGID, 1, 1, 0", f"RIGID, 2, 2, {-depth:.12e}",
        "*NODE PRINT, NSET=BOTTOM, TOTALS=ONLY", "RF", "*END STEP", "",
    ])
    start = time.perf_counter()
    text = calculix.run(directory, name, deck)
    return calculix.table(text, "total force")[0, 1], time.perf_counter() - start
