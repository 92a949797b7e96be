# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Bodies of drawn collision filter groups touch exactly where no group of one ignores a group of the other.

Groups overlap, hold each other, and ignore themselves and others. ISO_GROUPS="FIRST COUNT" looks at
other seeds. Skipped where the shared library is missing.
"""

import itertools
import logging
import os
import pathlib
import random
import sys
import tempfile
import unittest

try:
    import isobar
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

FIRST, COUNT = (int(x) for x in os.environ.get("ISO_GROUPS", "1 60").split())
MODEL = """<sdf version='1.9'><model name='m'>{self}{links}</model></sdf>"""
LINK = """<link name='l{i}'><pose>{x} 0 0 0 0 0</pose><inertial><mass>1</mass></inertial>
<collision name='g'><geometry><sphere><radius>1</radius></sphere></geometry></collision></link>"""


class FilterGroups(unittest.TestCase):
    def setUp(self):
        logging.disable(logging.CRITICAL)
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        self.folder = pathlib.Path(held.name)

    def touching(self, text):
        path = self.folder / "groups.yaml"
        path.write_text(text, encoding="utf-8")
        world = isobar.load(path).create_world()
        world.step()
        return {frozenset((c.body_name_a, c.body_name_b)) for c in world.contacts}

    def draw(self, draw):
        """Text of a scenario and the pairs that touch."""
        count, of_model = draw.randrange(3, 9), draw.choice([0, 0, 3])
        names = [f"b{i}" for i in range(count)] + [f"m::l{i}" for i in range(of_model)]
        collides = draw.random() < 0.5
        links = "".join(LINK.format(i=i, x=0.05 * (count + i)) for i in range(of_model))
        (self.folder / "m.sdf").write_text(
            MODEL.format(self=f"<self_collide>{str(collides).lower()}</self_collide>", links=links))
        groups = [draw.sample(names, draw.randrange(1, len(names) + 1)) for _ in range(draw.randrange(1, 5))]
        parts = [[k for k in range(i) if draw.random() < 0.2] for i in range(len(groups))]
        ignored = [[k for k in range(len(groups)) if draw.random() < (0.5 if i == k else 0.2)] for i in range(len(groups))]
        bodies = "".join(f"- {{name: b{i}, mass: 1, inertia: [1, 1, 1], pose: {{translation: [{0.05 * i}, 0, 0]}},"
                         " geometry: [{name: g, shape: sphere, radius: 1, compliance: rigid}]}\n" for i in range(count))
        lines = ["- add_model: {name: m, file: m.sdf}"] if of_model else []
        for i, members in enumerate(groups):
            listed = ", ".join(members)
            held = ", ".join(f"g{k}" for k in parts[i])
            others = ", ".join(f"g{k}" for k in ignored[i])
            lines.append(f"- add_collision_filter_group: {{name: g{i}, members: [{listed}], member_groups: [{held}],"
                         f" ignored_collision_filter_groups: [{others}]}}")
        full = []
        for i, members in enumerate(groups):
            full.append(set(members).union(*(full[k] for k in parts[i])))
        apart = {frozenset(p) for i, k in ((i, k) for i in range(len(groups)) for k in ignored[i])
                 for p in itertools.product(full[i], full[k])}
        if not collides:
            apart |= {frozenset(p) for p in itertools.combinations(names[count:], 2)}
        touching = {frozenset(p) for p in itertools.combinations(names, 2)} - apart
        text = f"simulation: {{gravity: [0, 0, 0], time_step: 1.0e-6}}\nbodies:\n{bodies}directives:\n" + "\n".join(lines) + "\n"
        return text, touching

    def test_drawn_groups_keep_those_apart_that_they_name(self):
        for seed in range(FIRST, FIRST + COUNT):
            text, expected = self.draw(random.Random(seed))
            self.assertEqual(self.touching(text), expected, f"seed {seed}: {text}")

    def test_a_group_of_thousands_may_ignore_itself(self):
        count = 4000
        bodies = "".join(f"- {{name: b{i}, mass: 1, inertia: [1, 1, 1]}}\n" for i in range(count))
        names = ", ".join(f"b{i}" for i in range(count))
        path = self.folder / "many.yaml"
        path.write_text(f"bodies:\n{bodies}directives:\n- add_collision_filter_group: {{name: g, members: [{names}],"
                        " ignored_collision_filter_groups: [g]}\n", encoding="utf-8")
        isobar.load(path).create_world().step()


if __name__ == "__main__":
    unittest.main()
