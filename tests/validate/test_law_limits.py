# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""The instrument of the study law_limits itself: what it draws, its oracles, that it sees faults.

Skipped where the shared library is missing.
"""

import contextlib
import io
import logging
import math
import sys
import unittest

import numpy as np

try:
    import isobar
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

from studies.law_limits import battery, build, converge, draw, facets, measure, meshes, piles, planar, symmetry

logging.getLogger("isobar").setLevel(logging.CRITICAL)


def _square(seed=14):
    """A spinning world whose body is a rigid mesh of 16 x 16 squares a face."""
    world = draw.draw(seed)
    world["body"].update(form="triangles_many", is_rigid=True, cells=16)
    return world


class Drawn(unittest.TestCase):
    def test_worlds_are_functions_of_their_seeds_and_of_every_kind(self):
        worlds = [draw.draw(seed) for seed in range(300)]
        self.assertEqual(str(draw.draw(17)), str(worlds[17]))
        self.assertEqual({w["motion"] for w in worlds}, set(draw.MOTIONS))
        pairs = {(w["body"]["is_rigid"], w["support"]["is_rigid"]) for w in worlds}
        self.assertEqual(len(pairs), 4)
        self.assertGreaterEqual(len({w["body"]["form"] for w in worlds}), 10)
        self.assertEqual(len({w["support"]["form"] for w in worlds}), 5)
        for world in worlds:
            self.assertTrue(all(1e4 <= m for _, m in draw.compliances(world)), world["seed"])
            self.assertLessEqual(max(world["body"]["sizes"]), 3.0)

    def test_meshes_are_closed_and_of_the_right_volume(self):
        size = np.array([0.3, 0.2, 0.1])
        for cells in (1, 3):
            surface = isobar.TriMesh(*meshes.box_triangles(size, cells))
            self.assertTrue(surface.inspect().is_closed and surface.inspect().is_oriented)
            self.assertAlmostEqual(surface.mass_properties().volume, size.prod(), 12)
            solid = isobar.TetMesh(*meshes.box_tets(size, (cells, cells, 2)))
            self.assertAlmostEqual(solid.mass_properties().volume, size.prod(), 12)
        ball = isobar.TetMesh(*meshes.ball_tets(0.5, 2))
        self.assertAlmostEqual(ball.mass_properties().volume, math.pi / 6, delta=0.02)


class Oracles(unittest.TestCase):
    def test_mean_arm_of_a_rectangle_is_that_of_the_closed_form(self):
        world = _square()
        places, shares = planar.patch_points(world)
        a, b = (0.5 * side for side in world["body"]["sizes"][:2])
        d = math.hypot(a, b)
        mean = d / 3 + (a * a * math.asinh(b / a) / b + b * b * math.asinh(a / b) / a) / 6
        found = float(shares @ np.linalg.norm(places, axis=1))
        self.assertAlmostEqual(found / mean, 1.0, delta=2e-3)  # 8e-4: the bins

    def test_a_body_that_only_slides_loses_mu_g(self):
        world = _square(9)
        places, shares = planar.patch_points(world)
        velocity, rate = planar._coast(world, places, shares, np.array([1.0, 0.0]), 0.0, 0.01)
        self.assertAlmostEqual(velocity[0], 1.0 - world["mu"] * 0.0981, 6)
        self.assertLess(abs(rate) * max(world["body"]["sizes"]), 1e-5)

    def test_a_fine_mesh_has_coulombs_torque(self):
        world = _square()
        for method in ("lagged_regularized", "tamsi"):
            finding = planar.spin(world, method)[0]
            self.assertLess(finding.error, 5e-3, finding.note)  # 1e-3

    def test_regularised_friction_tends_to_the_oracle(self):
        for method in ("lagged_regularized", "tamsi"):
            for finding in converge.converge(draw.draw(12), method):
                self.assertLessEqual(finding.error, finding.limit, finding.note)


class Faults(unittest.TestCase):
    def test_friction_off_by_3_percent_is_seen(self):
        worlds = (draw.draw(seed) for seed in range(0, 400, 5))
        world = next(w for w in worlds if w["mu"] > 0.1 and not w["is_round"]
                     and measure.slide(w, "tamsi")[0].error < 2e-3)
        motion = build.run(world, "tamsi", world["time_step"])
        found, _ = measure.effective_friction(world, motion)
        wrong = build.run({**world, "mu": 1.03 * world["mu"], "found_height": True},
                          "tamsi", world["time_step"])
        other, _ = measure.effective_friction(world, wrong)
        # Damping of faces across the way adds to both.
        self.assertAlmostEqual(found / world["mu"], 1.0, delta=3e-2)
        self.assertAlmostEqual(other / found, 1.03, delta=3e-3)

    def test_a_law_with_other_damping_does_not_tend_to_the_oracle(self):
        world = draw.draw(12)
        times, truth, _ = converge.oracle(world)
        other = build.run({**world, "dissipation": 3 * world["dissipation"]}, "tamsi", 1e-4)
        off = converge._distance(times, truth, other.times, converge._values(world, other))
        self.assertGreater(off, 0.05)


class Facets(unittest.TestCase):
    def test_a_first_order_step_loses_what_is_said_and_a_second_order_one_hardly_anything(self):
        given = facets.draw(16)
        truth, floor, rate = facets._truth(given, "lagged")
        self.assertLess(floor, 1e-3)
        lost = {m: truth - facets._run(given, m, 1e-3, 1e-3 * given["speed"]) for m in ("lagged", "midpoint")}
        self.assertGreater(lost["lagged"], 0.5 * rate * 1e-3)
        self.assertLess(lost["lagged"], 1.2 * rate * 1e-3)
        self.assertLess(abs(lost["midpoint"]), 0.05 * rate * 1e-3)


class Judgement(unittest.TestCase):
    def test_a_box_that_rocks_near_tipping_settles_and_its_leaning_face_creeps_faster(self):
        for method in ("lagged", "lagged_regularized"):
            for finding in measure.push(draw.draw(6303), method):
                self.assertTrue(finding.limit is None or finding.error <= finding.limit, finding.note)

    def test_what_swings_less_and_less_is_told_from_what_swings_on(self):
        times = np.linspace(0, 8, 801)
        for decay, settles in ((0.0, False), (0.5, True)):
            place = np.zeros((801, 3))
            place[:, 0] = np.exp(-decay * times) * np.sin(5 * times)
            motion = build.Motion(times, place, None, None, None)
            self.assertEqual(measure._swings_down(motion), settles)

    def test_sides_that_dip_in_rub_at_the_rim(self):
        for finding in planar.spin(draw.draw(6114), "tamsi"):
            self.assertLess(finding.error, 2e-3, finding.note)  # 5e-4; 1.5e-2 without them


class Symmetries(unittest.TestCase):
    def check(self, findings):
        for finding in findings:
            self.assertIsNotNone(finding.limit, finding.note)
            self.assertLessEqual(finding.error, finding.limit, f"{finding.row}: {finding.note}")

    def test_a_speed_that_all_share_changes_nothing_that_midpoint_remembers(self):
        for seed in (0, 6, 15, 30):
            self.check(symmetry.check(seed, "midpoint", kinds=("speed",)))

    def test_the_order_of_round_bodies_of_a_volumetric_pair_changes_nothing(self):
        self.check(symmetry.check(48, "sap", kinds=("order",)))

    def test_drawn_scenes_are_the_same_wherever_and_however_they_lie(self):
        for seed in range(100, 106):
            method = build.EVEN_METHODS[seed % len(build.EVEN_METHODS)]
            self.check(symmetry.check(seed, method, "drake" if seed % 2 else "none"))

    def test_a_modulus_off_by_a_ten_thousandth_is_seen(self):
        given = symmetry.scenes(0)
        other = symmetry.scene.changed(given)
        other["layer_modulus"] *= 1 + 1e-4
        for part in other["parts"]:
            part["modulus"] *= 1 + 1e-4
        off = symmetry._apart(given, symmetry._outcome(given, "tamsi", "none"),
                              symmetry._outcome(other, "tamsi", "none"), lambda time, *state: state)
        self.assertGreater(off.max() / given["speed"], 2e-6)  # limits: some 1e-6

    def test_piles_keep_their_momentum(self):
        for seed, method in enumerate(build.METHODS):
            self.check(piles.momentum(seed, method))


class Reports(unittest.TestCase):
    def test_a_run_that_is_stopped_has_told_each_world_and_sums_up(self):
        printed = io.StringIO()

        def given():
            for seed, error in ((3, 0.5), (13, 2.0)):
                finding = measure.Finding("a row", error, 1.0, seed, "lagged", "a note")
                yield battery.Result(seed, "push", [finding], [])
                told.append(printed.getvalue())
            raise KeyboardInterrupt

        told = []
        with contextlib.redirect_stdout(printed):
            self.assertEqual(battery.show(given(), False), 130)
        self.assertIn("seed 3 push: lagged 0.5 of the limit", told[0])
        self.assertIn("FAILS seed 13 lagged", told[1])
        self.assertRegex(printed.getvalue(), r"stopped before its end\na row +lagged +1 of +2 fail")


if __name__ == "__main__":
    unittest.main()
