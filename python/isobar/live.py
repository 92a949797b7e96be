# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Live views: a world in browsers while it runs (docs/live.md)."""

from __future__ import annotations

import time
import webbrowser
from typing import TYPE_CHECKING, Any

from ._native import Handle, encode, expect, ffi, lib, text, viewer_page

if TYPE_CHECKING:
    from .sensor import Sensors
    from .world import World

_SLICE = 0.1  # how long a signal may wait [s]


class LiveView:
    """A server that shows a world in browsers. World.show() makes one.

    Either run() steps the world as the pages say, or the program steps it and calls update() after
    each step. The server answers pages on a thread of its own; only these calls touch the world."""

    def __init__(self, world: World, sensors: Sensors | None = None, *, host: str = "127.0.0.1",
                 port: int = 0, token: str | None = None, frame_rate: float | None = None) -> None:
        """host: IPv4 address to listen on, this machine only unless told. port 0: a free one.
        token: what pages must know, made at random unless given. frame_rate: frames per second at
        most [Hz]. sensors: shown too."""
        expect(world, "World", "world")
        page = viewer_page()
        desc = ffi.new("iso_live_desc*")
        desc[0] = lib.iso_live_desc_default()
        kept = [ffi.new("char[]", encode(host)), ffi.from_buffer(page)]
        desc.host, desc.page, desc.page_size, desc.port = kept[0], kept[1], len(page), port
        if token is not None:
            kept.append(ffi.new("char[]", encode(token)))
            desc.token = kept[-1]
        if frame_rate is not None:
            desc.frame_rate = frame_rate
        out = ffi.new("iso_live**")
        self._context, self._world = world._context, world
        self._context.call(lib.iso_live_create, self._context.pointer, desc, out)
        pointer = out[0]
        parents = [world._handle] if sensors is None else [world._handle, sensors._handle]
        self._handle = Handle(pointer, lambda: lib.iso_live_destroy(pointer), parents)
        self._task = world.task
        if self._task is not None:
            self._handle.add_parent(self._task._handle)
        task = self._task._handle.pointer if self._task is not None else ffi.NULL
        shown = sensors._handle.pointer if sensors is not None else ffi.NULL
        try:
            world._changed("contacts were computed anew")
            self._context.call(lib.iso_live_show, pointer, encode(world._scene_name or ""),
                               world._handle.pointer, task, shown)
        except BaseException:
            self._handle.release()
            raise

    @staticmethod
    def is_built() -> bool:
        """Whether the library was built with libwebsockets."""
        return bool(lib.iso_live_is_built())

    @property
    def url(self) -> str:
        """Address to open in a browser, token included."""
        return text(lib.iso_live_url(self._handle.pointer))

    @property
    def client_count(self) -> int:
        """Pages that are connected."""
        return int(lib.iso_live_client_count(self._handle.pointer))

    @property
    def playing(self) -> bool:
        """Whether run() steps the world; pages change it too."""
        return bool(lib.iso_live_is_playing(self._handle.pointer))

    @playing.setter
    def playing(self, is_playing: bool) -> None:
        lib.iso_live_set_playing(self._handle.pointer, bool(is_playing))

    def notify(self, message: str) -> None:
        """Tell the pages something, in one line."""
        lib.iso_live_notify(self._handle.pointer, encode(message))

    def run(self, seconds: float | None = None) -> None:
        """Do what pages ask for during so much wall time [s]; None: until interrupted. Views and
        contacts taken before become stale."""
        end = None if seconds is None else time.monotonic() + seconds
        while True:
            left = _SLICE if end is None else min(_SLICE, end - time.monotonic())
            self._world._changed("a live view has stepped the world since")
            self._context.call(lib.iso_live_run, self._handle.pointer, max(left, 0.0), ffi.NULL)
            self._raise_from_task()
            if end is not None and time.monotonic() >= end:
                return

    def update(self) -> None:
        """Show the world as it is now, and let pages pull bodies in its next step: for programs that
        step it themselves. Costs nothing while no frame is due."""
        self._context.call(lib.iso_live_update, self._handle.pointer)

    def open(self) -> None:
        """Open the page in this machine's browser."""
        webbrowser.open(self.url)

    def close(self) -> None:
        """Close all connections."""
        self._handle.release()

    def _raise_from_task(self) -> None:
        raised = getattr(self._task, "_raised", None)
        if raised is not None:
            assert self._task is not None
            self._task._raised = None
            raise raised

    def __enter__(self) -> LiveView:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def _repr_html_(self) -> str | None:
        """The page, inline in a notebook of this machine: a cell that calls run() moves it."""
        from .notebook import live_html
        return None if self._handle._is_released else live_html(self)

    def __repr__(self) -> str:
        return "<LiveView, closed>" if self._handle._is_released else f"<LiveView {self.url}>"
