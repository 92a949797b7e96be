# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Whole states of worlds, and many worlds stepped together."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any

from ._native import Context, Handle, error_class, expect, ffi, lib, text
from .world import World


class WorldBatch:
    """Independent worlds that are stepped together over threads. Every world comes to the same bits
    as when it is stepped alone. World.clone() is the cheap way to many."""

    def __init__(self, worlds: Sequence[World], thread_count: int = 1) -> None:
        """worlds: each once; thread_count: 1 to 256."""
        context, out = Context(), ffi.new("iso_world_batch**")
        for index, world in enumerate(worlds):
            expect(world, "World", f"world {index}")
        pointers = ffi.new("iso_world*[]", [world._handle.pointer for world in worlds])
        context.call(lib.iso_world_batch_create, context.pointer, pointers, len(worlds),
                     thread_count, out)
        pointer = out[0]
        self._handle = Handle(pointer, lambda: lib.iso_world_batch_destroy(pointer),
                              [context.handle, *(world._handle for world in worlds)])
        self._worlds = list(worlds)

    def __repr__(self) -> str:
        if self._handle._is_released:
            return "<WorldBatch, closed>"
        times = [world.time for world in self._worlds if not world._handle._is_released]
        when = f" at t = {min(times):g} to {max(times):g} s" if times else ""
        return f"<WorldBatch of {len(self)} world{'' if len(self) == 1 else 's'}{when}>"

    def __len__(self) -> int:
        return int(lib.iso_world_batch_count(self._handle.pointer))

    @property
    def worlds(self) -> list[World]:
        """In the order given."""
        return list(self._worlds)

    def step(self, count: int = 1) -> None:
        """Advance every world by `count` steps, with the commands of its task. A world whose step
        fails stays in the state before that step, the others go on; then the first one's error is
        raised, see errors(). Views of all worlds become stale."""
        pointer = self._handle.pointer
        tasks = [world.task for world in self._worlds if world.task is not None]
        contexts = {id(world._context): world._context for world in self._worlds}
        with contextlib.ExitStack() as stack:
            for key in sorted(contexts):
                stack.enter_context(contexts[key].lock)
            for world in self._worlds:
                assert world._handle.pointer is not None  # raises when closed
                world._changed("the world has stepped since")
            for steps in [1] * count if tasks else [count]:
                for task in tasks:
                    task.apply()
                status = lib.iso_world_batch_step(pointer, steps)
                if status != lib.ISO_OK:
                    self._raise(status)
                for task in tasks:
                    task.observe()

    def _raise(self, status: int) -> None:
        for index, world in enumerate(self._worlds):
            if lib.iso_world_batch_status(self._handle.pointer, index) != lib.ISO_OK:
                message = text(lib.iso_context_error(world._context.pointer))
                raise error_class(status)(message or text(lib.iso_status_text(status)))
        raise error_class(status)(text(lib.iso_status_text(status)))

    def errors(self) -> list[type[Any] | None]:
        """What the last step came to for each world: None, or the class of its error."""
        statuses = [lib.iso_world_batch_status(self._handle.pointer, i) for i in range(len(self))]
        return [None if status == lib.ISO_OK else error_class(status) for status in statuses]

    def close(self) -> None:
        """Release it now; its worlds stay."""
        self._handle.release()
