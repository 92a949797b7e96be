# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Tries many worlds of held and resting bodies, several at once."""

import concurrent.futures
import logging
import time

import isobar

from studies.law_limits.battery import Result
from studies.law_limits.measure import Finding, Rejected

from . import draw, measure


def try_world(seed, is_halved, method=None):
    """Result of a seed; is_halved: with half the step as well."""
    logging.getLogger("isobar").setLevel(logging.CRITICAL)
    kind, start = draw.kind_of(seed), time.process_time()
    result = Result(seed, kind, [], [])
    try:
        result.findings += measure.halved(seed, method) if is_halved else measure.check(seed, method)[0]
    except Rejected as problem:
        result.rejected.append((kind, str(problem)))
    except isobar.Error as problem:
        result.findings.append(Finding("steps that failed", 1.0, 0.0, seed, kind, str(problem)))
    result.seconds = time.process_time() - start
    return result


def run(seeds, is_halved, method=None, jobs=2):
    """Results as they are ready."""
    if jobs == 1 or len(seeds) == 1:
        for seed in seeds:
            yield try_world(seed, is_halved, method)
        return
    with concurrent.futures.ProcessPoolExecutor(jobs) as pool:
        given = [pool.submit(try_world, seed, is_halved, method) for seed in seeds]
        try:
            for done in concurrent.futures.as_completed(given):
                yield done.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
