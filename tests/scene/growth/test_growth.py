# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Loading a file of n elements of one kind takes time that grows with n, not with its square.

python3 tests/support/grown_files.py [WORD]... prints the cost of all kinds as they grow.
Skipped where the shared library is missing.
"""

import logging
import pathlib
import sys
import tempfile
import unittest

try:
    import isobar
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import grown_files  # noqa: E402

N = 600
# Four times as many elements: 4 when the time is of O(n), 16 of O(n^2), 64 of O(n^3).
MOST = 9.0
SLACK = 0.05  # [s], of measurement
KINDS = ["mjcf_classes", "mjcf_blocks_of_defaults", "mjcf_elements_of_a_class", "mjcf_childclasses",
         "mjcf_active_connects", "mjcf_welds", "mjcf_fixed_tendons_in_a_ring", "mjcf_sites_of_one_tendon",
         "mjcf_unnamed_sensors", "mjcf_tendon_sensors", "urdf_chain", "urdf_materials", "urdf_late_materials",
         "sdf_frame_chain", "sdf_reversed_frame_chain", "sdf_jointed_links", "sdf_colliding_links",
         "yaml_constraints", "yaml_initial_joints", "drake_unscoped_frames"]


class Growth(unittest.TestCase):
    def setUp(self):
        logging.disable(logging.CRITICAL)
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def cost(self, name, n):
        path = grown_files.write(name, n, self.folder.name)
        return min(grown_files.cost(path) for _ in range(2))

    def test_files_of_one_kind_of_element_load_in_time_that_grows_with_them(self):
        self.cost("yaml_bodies", 10)
        for name in KINDS:
            few, many = self.cost(name, N), self.cost(name, 4 * N)
            print(f"{name:32} {few:.3f} s, {many:.3f} s")
            self.assertLess(many, MOST * few + SLACK, name)

    def test_bodies_take_memory_that_grows_with_them(self):
        for name in ("mjcf_free_bodies", "mjcf_excludes", "yaml_fixed_bodies"):
            few, many = (grown_files.peak(grown_files.write(name, n, self.folder.name)) for n in (2000, 8000))
            print(f"{name:32} {few:.1f} MiB, {many:.1f} MiB")
            self.assertLess(many, 6.0 * few + 20.0, name)  # the process has some to spare

    def test_a_step_of_few_couplings_takes_no_cubic_time(self):
        few, many = (grown_files.step_cost(grown_files.write("mjcf_fixed_tendons_in_a_ring", n, self.folder.name))
                     for n in (400, 1600))
        print(f"tendons in a ring: {few:.3f} s, {many:.3f} s")
        self.assertLess(many, MOST * few + SLACK)

    def test_every_kind_of_file_is_read(self):
        for name in grown_files.KINDS:
            with self.subTest(name):
                grown_files.cost(grown_files.write(name, 60, self.folder.name))

    def test_long_chains_of_frames_and_large_models_are_taken(self):
        for name in ("sdf_frame_chain", "sdf_reversed_frame_chain", "sdf_colliding_links"):
            scene = isobar.load(grown_files.write(name, 2000, self.folder.name))
            self.assertIn("m", scene.create_world().body_names[1])


if __name__ == "__main__":
    unittest.main()
