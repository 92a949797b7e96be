# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Random numbers of many worlds at once: those of a world depend on its seed and its episode alone,
not on how many worlds there are or which of them begin together."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Words = npt.NDArray[np.uint64]


def _mix(words: Words) -> Words:
    """The output function of SplitMix64 (Steele, Lea, Flood 2014)."""
    with np.errstate(over="ignore"):
        words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


class Draws:
    """uniform() gives the next numbers of the worlds that begin an episode."""

    def __init__(self, seeds: Words, episodes: npt.NDArray[np.int64]) -> None:
        with np.errstate(over="ignore"):
            self._keys = _mix(_mix(seeds + np.uint64(0x9E3779B97F4A7C15))
                              + episodes.astype(np.uint64) * np.uint64(0xD1342543DE82EF95))
        self._count = 0

    def uniform(self, low: float, high: float, count: int = 1) -> Array:
        """(worlds, count) in [low, high)."""
        steps = np.arange(self._count + 1, self._count + count + 1, dtype=np.uint64)
        self._count += count
        with np.errstate(over="ignore"):
            words = _mix(self._keys[:, None] + steps * np.uint64(0x9E3779B97F4A7C15))
        return np.asarray(low + (high - low) * ((words >> np.uint64(11)) * 2.0**-53), dtype=np.float64)

    def index(self, count: int) -> npt.NDArray[np.int32]:
        """(worlds,) in 0 .. count - 1."""
        return np.minimum(self.uniform(0, count)[:, 0].astype(np.int32), np.int32(count - 1))
