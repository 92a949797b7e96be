# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Frames per second of a live view: what a WebSocket client gets, and what Chromium shows of it.

    python3 benchmarks/live.py [--bodies N] [--pages N] [--seconds T] [--size WxH] [--scene FILE]

A hundred balls rest on a plate. Without a graphics card the processor draws: pages are measured
without drawing, too."""

import argparse
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests/support"), str(ROOT / "tests/live")]

import browser  # noqa: E402
from test_live import Server, crowd  # noqa: E402
from web_client import BINARY, Frame  # noqa: E402

LEAST_RATE = 30.0


def client_rate(server, seconds):
    """Frames per second, bytes of one, the last one."""
    with server.open() as page:
        page.send(do="play")
        page.frame(lambda f: f.status["playing"] and f.time > 0.1)
        begin, sizes = time.monotonic(), []
        while time.monotonic() - begin < seconds:
            opcode, payload = page.receive()
            if opcode == BINARY:
                sizes.append(len(payload))
                last = payload
        return len(sizes) / (time.monotonic() - begin), sum(sizes) / len(sizes), Frame(last)


def pages(server, options, draws):
    """What live_rate.mjs prints."""
    command = ["node", str(ROOT / "tests/live/live_rate.mjs"), f"http://127.0.0.1:{server.port}/?token={server.token}",
               browser.browser(), str(options.pages), str(options.seconds), options.size, draws]
    return subprocess.run(command, capture_output=True, text=True, timeout=300,
                          check=True).stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bodies", type=int, default=100)
    parser.add_argument("--pages", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--size", default="1280x720")
    parser.add_argument("--scene", type=pathlib.Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        scene = options.scene or pathlib.Path(folder) / "crowd.yaml"
        if not options.scene:
            scene.write_text(crowd(options.bodies))
        with Server(scene) as server:
            rate, size, frame = client_rate(server, options.seconds)
            faces = sum(contact["faces"] for contact in frame.contacts)
            print(f"client: {len(frame.poses) - 1} bodies, {faces} faces: {rate:.1f} frames/s of {size:.0f} bytes, "
                  f"{frame.status['rate']:.2f} x real time (at least {LEAST_RATE:g} frames/s are asked)")
            missing = browser.what_is_missing()
            for draws in "01":
                print(f"Chromium: missing {', '.join(missing)}" if missing else
                      pages(server, options, draws).rstrip())


if __name__ == "__main__":
    main()
