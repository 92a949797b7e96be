# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Tries many worlds with every method, several at once, and sums up what they show."""

import concurrent.futures
import dataclasses
import logging
import math
import time

import numpy as np

import isobar

from . import build, converge, draw, ledger, limits, measure, planar
from .measure import Finding, Rejected

_MEASURES = {"slide": measure.slide, "rest": measure.rest, "push": measure.push,
             "spin": planar.spin, "slide_spin": planar.slide_spin}
CONVERGING = ("oblique", "bounce", "roll", "tip")


@dataclasses.dataclass
class Result:
    """Of one world: findings, and why it was left out with which method."""

    seed: int
    motion: str
    findings: list
    rejected: list
    seconds: float = 0.0
    drawn: int = 1
    beyond: list = dataclasses.field(default_factory=list)  # of the stated limit of a method


def try_world(seed, methods):
    """Result of a seed with some methods."""
    logging.getLogger("isobar").setLevel(logging.CRITICAL)
    motion = draw.motion_of(seed)
    result = Result(seed, motion, [], [])
    try:
        world = draw.draw(seed)
    except RuntimeError as problem:
        result.rejected.append(("all", str(problem)))
        return result
    result.drawn += world["rejected"]
    ask = converge.converge if motion in CONVERGING else _MEASURES.get(motion)
    start = time.process_time()
    for method in methods if ask else ():
        try:
            result.findings += ask(world, method)
            if motion in ("oblique", "bounce"):
                result.findings += ledger.ledger(world, method) + ledger.momentum(world, method)
        except limits.Beyond as problem:
            result.beyond.append((method, str(problem)))
        except (Rejected, build.Slow) as problem:
            result.rejected.append((method, str(problem)))
        except (isobar.Error, ArithmeticError, LookupError, np.linalg.LinAlgError) as problem:
            result.findings.append(Finding("steps that failed", 1.0, 0.0, seed, method,
                                           f"{measure.describe(world)}: {problem}"))
    result.seconds = time.process_time() - start
    return result


def run(seeds, methods=None, motion=None, jobs=2):
    """Results as they come, in the order of the seeds."""
    methods = methods or list(build.METHODS)
    seeds = [seed for seed in seeds if motion in (None, draw.motion_of(seed))]
    if jobs == 1 or len(seeds) == 1:
        for seed in seeds:
            yield try_world(seed, methods)
        return
    with concurrent.futures.ProcessPoolExecutor(jobs) as pool:
        for result in pool.map(try_world, seeds, [methods] * len(seeds), chunksize=1):
            yield result


def _badness(finding):
    """By how much a finding misses its limit, to put the worst first; what is not finite is worst."""
    error = finding.error if math.isfinite(finding.error) else math.inf
    if not finding.limit:
        return (math.inf if error > 0 and finding.limit is not None else 0.0), error
    return error / finding.limit, error


def worst(results):
    """{(row, method): (how many, how many fail, the finding that is worst)}."""
    rows = {}
    for result in results:
        for finding in result.findings:
            count, failed, one = rows.get((finding.row, finding.method), (0, 0, None))
            bad = finding.limit is not None and not finding.error <= finding.limit
            if one is None or _badness(finding) > _badness(one):
                one = finding
            rows[finding.row, finding.method] = count + 1, failed + bad, one
    return rows


def show(results, with_all):
    """Print the worst of each row, and each finding that fails."""
    failed, given, results = 0, results, []
    for result in given:
        results.append(result)
        for method, why in result.rejected:
            if with_all:
                print(f"seed {result.seed} {result.motion} {method}: left out, {why}", flush=True)
        for method, why in result.beyond:
            if with_all:
                print(f"seed {result.seed} {result.motion} {method}: beyond its limit, {why}", flush=True)
        for finding in result.findings:
            bad = finding.limit is not None and not finding.error <= finding.limit
            failed += bad
            if bad or with_all:
                print(f"{'FAILS' if bad else 'holds'} seed {finding.seed} {finding.method}: {finding.row}: "
                      f"{finding.error:.3g} (limit {finding.limit})\n    {finding.note}", flush=True)
    print()
    for (row, method), (count, bad, one) in sorted(worst(results).items()):
        print(f"{row:62s} {method:19s} {bad:3d} of {count:3d} fail, worst {one.error:9.3g} seed {one.seed}")
    for motion in sorted({result.motion for result in results}):
        spent = [result.seconds for result in results if result.motion == motion]
        print(f"{motion}: {len(spent)} worlds, {sum(spent):.1f} s of a core, {max(spent):.1f} s the longest")
    for method in sorted({name for result in results for name, _ in result.beyond}):
        count = sum(name == method for result in results for name, _ in result.beyond)
        print(f"{method}: {count} worlds beyond its stated limits")
    out = sum(bool(result.rejected) for result in results)
    drawn = sum(result.drawn for result in results)
    print(f"{len(results)} worlds of {drawn} drawn, {out} left out with some method, {failed} findings fail")
    return 1 if failed else 0
