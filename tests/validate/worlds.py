# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Writes small SDFormat worlds and scenarios for the studies.

Margins are 0 unless a study states one: closed forms and the papers know none.
"""

import dataclasses
import json

import engine

_HEAD = '<?xml version="1.0"?>\n<sdf version="1.9" xmlns:drake="drake.mit.edu">\n'


@dataclasses.dataclass
class Solid:
    """One model with one link and one collision; it reports as `name`::link.

    shape     sphere (radius), box (x, y, z), cylinder (radius, length), plane ()
    material  proximity properties without their prefix: {"hydroelastic_modulus": 1e6, ...}
    mass      None: static (two static bodies are never a pair)
    """

    name: str
    shape: str
    size: tuple = ()
    position: tuple = (0.0, 0.0, 0.0)
    rpy: tuple = (0.0, 0.0, 0.0)
    rigid: bool = False
    material: dict = dataclasses.field(default_factory=dict)
    mass: float | None = None

    @property
    def link(self):
        return f"{self.name}::link"

    def _geometry(self):
        tags = {"sphere": ("radius",), "cylinder": ("radius", "length")}
        if self.shape == "box":
            return f"<box><size>{_text(self.size)}</size></box>"
        if self.shape == "plane":
            return "<plane><normal>0 0 1</normal><size>1 1</size></plane>"
        inside = "".join(f"<{t}>{v:.17g}</{t}>" for t, v in zip(tags[self.shape], self.size))
        return f"<{self.shape}>{inside}</{self.shape}>"

    def moments(self):
        """Principal moments of the solid, or of a unit sphere when it has no mass."""
        m = self.mass or 1.0
        if self.shape == "sphere":
            return (0.4 * m * self.size[0] ** 2,) * 3
        if self.shape == "box":
            x, y, z = (side * side * m / 12 for side in self.size)
            return (y + z, x + z, x + y)
        if self.shape == "cylinder":
            radius, length = self.size
            side = m * (3 * radius**2 + length**2) / 12
            return (side, side, 0.5 * m * radius**2)
        return (1.0, 1.0, 1.0)

    def sdf(self):
        kind = "rigid" if self.rigid else "compliant"
        material = self.material if self.rigid else {"hydroelastic_margin": 0.0, **self.material}
        tags = "".join(f"<drake:{k}>{v:.17g}</drake:{k}>" for k, v in material.items())
        xx, yy, zz = self.moments()
        inertial = (
            f"<inertial><mass>{self.mass:.17g}</mass><inertia><ixx>{xx:.17g}</ixx>"
            f"<iyy>{yy:.17g}</iyy><izz>{zz:.17g}</izz><ixy>0</ixy><ixz>0</ixz><iyz>0</iyz>"
            "</inertia></inertial>"
            if self.mass
            else ""
        )
        return (
            f'<model name="{self.name}"><static>{"false" if self.mass else "true"}</static>'
            f"<pose>{_text(self.position)} {_text(self.rpy)}</pose>"
            f'<link name="link">{inertial}<collision name="c"><geometry>{self._geometry()}'
            f"</geometry><drake:proximity_properties><drake:{kind}_hydroelastic/>{tags}"
            "</drake:proximity_properties></collision></link></model>\n"
        )


def _text(values):
    return " ".join(f"{float(value):.17g}" for value in values)


def write(study, name, solids, gravity=9.81):
    """A world file below the build directory; its path."""
    path = engine.scratch(study) / f"{name}.sdf"
    path.write_text(
        f'{_HEAD}<world name="{name}"><gravity>0 0 {-gravity:.17g}</gravity>\n'
        + "".join(solid.sdf() for solid in solids)
        + "</world></sdf>\n"
    )
    return path


def ground(**material):
    """A rigid half space below z = 0."""
    return Solid("a_ground", "plane", rigid=True, material=material)


def write_scenario(study, name, **sections):
    """A scenario file below the build directory (JSON is YAML); its path."""
    path = engine.scratch(study) / f"{name}.yaml"
    sections["default_material"] = {"margin": 0, **sections.get("default_material", {})}
    path.write_text(json.dumps({"name": name, **sections}, indent=1) + "\n")
    return path
