# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""What a recording costs: processor time of runs with and without one, by turns.

    python3 benchmarks/recording.py [SCENE...] [--turns N] [--frame-rate F] [--no-faces]

`thread` is of the thread that steps, which a run waits for where another core is free; `all` counts the
thread that writes, too. The first row of a scene is of its loading, whose visuals a recording reads."""

import argparse
import pathlib
import statistics
import tempfile
import time

import isobar

ROOT = pathlib.Path(__file__).resolve().parents[1]
MOST = 1.2  # times a run without a recording


def spent():
    return time.thread_time(), time.process_time()


def run(scene, folder, options):
    """Seconds of (thread, all) for loading and for the rest, bytes of the recording (0: none)."""
    start = spent()
    loaded = isobar.load(scene)
    world = loaded.create_world(load_visuals=options is not None)
    path = pathlib.Path(folder) / "run.mcap"
    recorder = None if options is None else isobar.Recorder(path, world, **options)
    middle = spent()
    while world.time < loaded.until - 1e-9:
        world.step()
        if recorder:
            recorder.record()
    if recorder:
        recorder.close()
    end = spent()
    size = path.stat().st_size if recorder else 0
    world.close()
    return [b - a for a, b in zip(start, middle)] + [b - a for a, b in zip(middle, end)] + [size]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenes", nargs="*", type=pathlib.Path,
                        default=[ROOT / f"scenes/{name}.yaml" for name in ("demo", "pancake", "coin", "boxes", "mug")])
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--frame-rate", type=float, default=60.0)
    parser.add_argument("--no-faces", action="store_true")
    given = parser.parse_args()
    options = {"frame_rate": given.frame_rate, "with_faces": not given.no_faces}
    print(f"{'scene':24} {'plain [s]':>10} {'thread':>8} {'all':>8} {'MB':>8}   (times a run without; {MOST:g} is asked)")
    with tempfile.TemporaryDirectory() as folder:
        for scene in given.scenes:
            turns = [(run(scene, folder, None), run(scene, folder, options)) for _ in range(given.turns)]
            for what, thread, both in (("load", 0, 1), ("run", 2, 3)):
                plain = statistics.median(a[both] for a, _ in turns)
                ratios = [statistics.median(b[k] / a[k] for a, b in turns) for k in (thread, both)]
                size = turns[0][1][4] / 1e6 if what == "run" else 0.0
                print(f"{scene.stem + ' ' + what:24} {plain:10.3f} {ratios[0]:8.2f} {ratios[1]:8.2f} {size:8.1f}", flush=True)


if __name__ == "__main__":
    main()
