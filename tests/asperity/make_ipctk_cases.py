# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Write ipctk_cases.h: drawn cases and what ipctk (PyPI) finds of them. Run by hand where ipctk is."""

import pathlib

import ipctk
import numpy

CASES = 12
draw = numpy.random.default_rng(2026)


def row(*values):
    return "    {" + ", ".join(repr(float(v)) for v in numpy.concatenate(
        [numpy.ravel(v) for v in values])) + "},"


def barrier():
    law = ipctk.ClampedLogBarrier()
    for _ in range(CASES):
        squared = 10.0 ** draw.uniform(-8.0, 0.0)
        reach = squared * 10.0 ** draw.uniform(-0.5, 3.0)
        yield row(squared, reach, law(squared, reach), law.first_derivative(squared, reach),
                  law.second_derivative(squared, reach))


def slip():
    for _ in range(CASES):
        e = 10.0 ** draw.uniform(-6.0, 0.0)
        y = e * draw.uniform(0.0, 1.5)
        yield row(y, e, ipctk.smooth_friction_f0(y, e), ipctk.smooth_friction_f1(y, e),
                  ipctk.smooth_friction_f1_over_x(y, e), ipctk.smooth_friction_f2(y, e))


def distances(count, of):
    for _ in range(CASES):
        places = draw.normal(size=(count, 3 if count == 4 else 2)).round(3)
        yield row(places, of(*places))


def parallels():
    for _ in range(CASES):
        rest = draw.normal(size=(4, 3)).round(3)
        now = draw.normal(size=(4, 3)).round(3)
        now[3] = (now[2] + (now[1] - now[0]) * draw.uniform(0.5, 2.0)
                  + 0.02 * draw.normal(size=3)).round(4)  # nearly parallel
        bound = ipctk.edge_edge_mollifier_threshold(*rest)
        yield row(rest, now, ipctk.edge_edge_mollifier(*now, bound),
                  ipctk.edge_edge_mollifier_gradient(*now, bound))


def collisions(count, of, ccd):
    for _ in range(CASES):
        begin = draw.normal(size=(count, 3 if count == 4 else 2)).round(3)
        through = begin[:-of].mean(axis=0) - begin[-of:].mean(axis=0)  # most go towards each other
        end = begin + 2.0 * through * (numpy.arange(count) >= count - of)[:, None]
        end = (end + 0.4 * draw.normal(size=begin.shape)).round(3)
        hits, time = ccd(*begin, *end, min_distance=0.0, tmax=1.0)
        yield row(begin, end - begin, time if hits else 2.0)


def main():
    exact = ipctk.TightInclusionCCD(1e-9, 10**8, 1.0 - 1e-7)
    tables = (
        ("ipctk_barrier", 5, "squared distance, squared reach, value, slope, curvature", barrier()),
        ("ipctk_slip", 6, "slip, bound, work, share, share over slip, slope of the share", slip()),
        ("ipctk_point_edge", 7, "edge, point, squared distance", distances(
            3, lambda a, b, p: ipctk.point_edge_distance(p, a, b))),
        ("ipctk_point_face", 13, "face, point, squared distance", distances(
            4, lambda a, b, c, p: ipctk.point_triangle_distance(p, a, b, c))),
        ("ipctk_edge_edge", 13, "edges, squared distance", distances(4, ipctk.edge_edge_distance)),
        ("ipctk_parallel", 37, "edges at rest, edges now, factor, slopes", parallels()),
        ("ipctk_hit_point_edge", 13, "edge, point, their motion, time of contact or 2", collisions(
            3, 1, lambda a, b, p, c, d, q, **more: exact.point_edge_ccd(p, a, b, q, c, d, **more))),
        ("ipctk_hit_point_face", 25, "face, point, their motion, time of contact or 2", collisions(
            4, 1, lambda a, b, c, p, e, f, g, q, **more: exact.point_triangle_ccd(
                p, a, b, c, q, e, f, g, **more))),
        ("ipctk_hit_edge_edge", 25, "edges, their motion, time of contact or 2", collisions(
            4, 2, exact.edge_edge_ccd)),
    )
    text = ["// SPDX-FileCopyrightText: 2026 The Isobar authors",
            "// SPDX-License-Identifier: Apache-2.0", "", "#pragma once", "",
            f"// Written by make_ipctk_cases.py with ipctk {ipctk.__version__}.", "",
            f"enum {{ IPCTK_CASES = {CASES} }};", "", "// clang-format off"]
    for name, width, meaning, rows in tables:
        text += ["", f"// {meaning}", f"static const double {name}[IPCTK_CASES][{width}] = {{",
                 *rows, "};"]
    text += ["// clang-format on", ""]
    pathlib.Path(__file__).with_name("ipctk_cases.h").write_text("\n".join(text), encoding="utf-8")


if __name__ == "__main__":
    main()
