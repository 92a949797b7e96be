# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Tries many worlds with every method, several at once, and sums up what they show."""

import concurrent.futures
import dataclasses
import logging
import math
import signal
import time

import numpy as np

import isobar

from . import build, converge, draw, facets, ledger, limits, measure, named, piles, planar, symmetry
from .measure import Finding, Rejected

_MEASURES = {"slide": measure.slide, "rest": measure.rest, "push": measure.push,
             "spin": planar.spin, "slide_spin": planar.slide_spin}
CONVERGING = ("oblique", "bounce", "roll", "tip")
# Asked of every seed by name; what they draw is their own.
SEPARATE = {"symmetry": symmetry.check, "pile": piles.check, "facets": facets.check,
            "rod": named.check_rod, "disc": named.check_disc}


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


def _ask(result, method, ask):
    """Add what `ask()` finds, or why it finds nothing."""
    try:
        result.findings += ask()
    except limits.Beyond as problem:
        result.beyond.append((method, str(problem)))
    except (Rejected, build.Slow) as problem:
        result.rejected.append((method, str(problem)))
    except (isobar.Error, ArithmeticError, LookupError, np.linalg.LinAlgError) as problem:
        result.findings.append(Finding("steps that failed", 1.0, 0.0, result.seed, method,
                                       f"{result.motion}: {problem}"))


def _questions(world, method):
    """What a world is asked with a method."""
    if build.METHODS[method][1] == "brush":  # its own law in continuous time is the oracle
        world = {**world, "law": "brush"}
    if world["motion"] not in CONVERGING:
        return _MEASURES[world["motion"]](world, method)
    found = converge.converge(world, method)
    if world["motion"] in ("oblique", "bounce"):
        found += ledger.ledger(world, method) + ledger.momentum(world, method)
    return found


def try_world(seed, methods, separate=None):
    """Result of a seed with some methods; separate: asked for by a name of SEPARATE."""
    logging.getLogger("isobar").setLevel(logging.CRITICAL)
    result = Result(seed, separate or draw.motion_of(seed), [], [])
    start = time.process_time()
    if separate:
        for method in methods:
            _ask(result, method, lambda: SEPARATE[separate](seed, method))
    else:
        try:
            world = draw.draw(seed)
        except RuntimeError as problem:
            result.rejected.append(("all", str(problem)))
            return result
        result.drawn += world["rejected"]
        for method in methods:
            _ask(result, method, lambda: _questions(world, method))
    result.seconds = time.process_time() - start
    return result


def run(seeds, methods=None, motion=None, jobs=2):
    """Results as they are ready. motion: one of draw.MOTIONS or of SEPARATE; None: all of the former."""
    separate = motion if motion in SEPARATE else None
    methods = methods or (build.EVEN_METHODS if separate else list(build.METHODS))
    seeds = [seed for seed in seeds if separate or motion in (None, draw.motion_of(seed))]
    if jobs == 1 or len(seeds) == 1:
        for seed in seeds:
            yield try_world(seed, methods, separate)
        return
    with concurrent.futures.ProcessPoolExecutor(jobs) as pool:
        given = [pool.submit(try_world, seed, methods, separate) for seed in seeds]
        try:
            for done in concurrent.futures.as_completed(given):
                yield done.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


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
            bad = is_bad(finding)
            if one is None or _badness(finding) > _badness(one):
                one = finding
            rows[finding.row, finding.method] = count + 1, failed + bad, one
    return rows


def is_bad(finding):
    return finding.limit is not None and not finding.error <= finding.limit


def _tell(result, with_all):
    """Print a world: how near each method came to its limits, what fails, and what was left out."""
    nearest = {}
    for finding in result.findings:
        nearest[finding.method] = max(nearest.get(finding.method, 0.0), _badness(finding)[0])
    shares = ", ".join(f"{method} {share:.2g}" for method, share in nearest.items())
    print(f"seed {result.seed} {result.motion}: {shares or 'not judged'} of the limit, "
          f"{result.seconds:.1f} s", flush=True)
    for left_out, text in ((result.rejected, "left out"), (result.beyond, "beyond its limit")):
        for method, why in left_out if with_all else ():
            print(f"    {method}: {text}, {why}", flush=True)
    for finding in result.findings:
        if is_bad(finding) or with_all:
            print(f"  {'FAILS' if is_bad(finding) else 'holds'} seed {finding.seed} {finding.method}: "
                  f"{finding.row}: {finding.error:.3g} (limit {finding.limit})\n    {finding.note}", flush=True)


def _stop(signal_number, frame):
    raise KeyboardInterrupt


def show(given, with_all):
    """Print each world as it is ready, then the worst of each row; the latter also of a run that is stopped.
    Status of the process: 1 where a finding fails, 130 where the run was stopped."""
    results = []
    before, stopped = signal.signal(signal.SIGTERM, _stop), False
    try:
        for result in given:
            results.append(result)
            _tell(result, with_all)
    except KeyboardInterrupt:
        stopped = True
    finally:
        signal.signal(signal.SIGTERM, before)
    _sum_up(results, stopped)
    return 130 if stopped else int(any(is_bad(f) for result in results for f in result.findings))


def _sum_up(results, stopped):
    print("\nstopped before its end" if stopped else "")
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
    failed = sum(is_bad(f) for result in results for f in result.findings)
    print(f"{len(results)} worlds of {drawn} drawn, {out} left out with some method, {failed} findings fail",
          flush=True)
