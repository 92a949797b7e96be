# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Whole states of worlds, and many worlds stepped together."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any

from ._native import Context, Handle, error_class, expect, ffi, lib, text
from .contact import FrictionErrors
from .errors import Error
from .world import World


def _noted(error: Any, index: int) -> Any:
    """An exception of a user's function, which says where it was raised."""
    if hasattr(error, "add_note"):  # Python 3.11
        error.add_note(f"world {index} of the batch")
    return error


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
        self._thread_count = thread_count
        self._errors: list[type[Any] | None] = [None] * len(self._worlds)

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
        """Advance every world by `count` steps, with the commands of its task. A world whose step or
        task fails stays in the state before that step, the others go on to the end; then the error
        of the failed world with the smallest index is raised, see errors(). Views of all worlds
        become stale."""
        assert self._handle.pointer is not None  # raises when closed
        contexts = {id(world._context): world._context for world in self._worlds}
        failures: dict[int, Exception] = {}
        with contextlib.ExitStack() as stack:
            for key in sorted(contexts):
                stack.enter_context(contexts[key].lock)
            for world in self._worlds:
                assert world._handle.pointer is not None  # raises when closed
                world._changed("the world has stepped since")
            if count > 0 and any(world.task is not None for world in self._worlds):
                self._step_with_tasks(count, failures)
            else:
                self._advance(self, list(range(len(self))), count, failures)
        self._errors = [type(failures[i]) if i in failures else None for i in range(len(self))]
        if failures:
            raise failures[min(failures)]

    def _step_with_tasks(self, count: int, failures: dict[int, Exception]) -> None:
        batch, members = self, list(range(len(self)))
        for _ in range(count):
            going = self._attempt(members, "apply", failures)
            if len(going) < len(members):  # go on without those that failed
                members = going
                batch = WorldBatch([self._worlds[i] for i in going], self._thread_count)
            self._advance(batch, members, 1, failures)
            going = [i for i in members if i not in failures]
            going = self._attempt(going, "observe", failures)
            if len(going) < len(members):
                members = going
                batch = WorldBatch([self._worlds[i] for i in going], self._thread_count)

    def _attempt(self, indices: list[int], name: str,
                 failures: dict[int, Exception]) -> list[int]:
        """Have the worlds' tasks do something; those that could."""
        for index in indices:
            task = self._worlds[index].task
            try:
                if task is not None:
                    getattr(task, name)()
            except Error as error:
                failures[index] = type(error)(f"world {index} of the batch: {error}")
            except Exception as error:  # of a controller: as it is, since its class may be any
                failures[index] = _noted(error, index)
        return [index for index in indices if index not in failures]

    def _advance(self, batch: WorldBatch, members: list[int], count: int,
                 failures: dict[int, Exception]) -> None:
        """Step a batch of those worlds."""
        pointer = batch._handle.pointer
        status = lib.iso_world_batch_step(pointer, count)
        if status == lib.ISO_OK:
            return
        for place, index in enumerate(members):
            own = lib.iso_world_batch_status(pointer, place)
            if own != lib.ISO_OK:
                failures[index] = self._failure(index, own)
        if not failures:
            raise error_class(status)(text(lib.iso_status_text(status)))

    def _failure(self, index: int, status: int) -> Exception:
        """What kept a world from stepping: a step is a function of the state, and fails once more
        the same way."""
        message = text(lib.iso_status_text(status))
        world = self._worlds[index]
        world._event_error = None
        with FrictionErrors() as friction:
            if status != lib.ISO_ERR_MEMORY and lib.iso_world_step(world._handle.pointer) == status:
                message = text(lib.iso_context_error(world._context.pointer)) or message
        raised, world._event_error = world._event_error or friction.error, None
        if raised is not None:
            failure: Exception = _noted(raised, index)
            return failure
        return error_class(status)(f"world {index} of the batch: {message}")

    def errors(self) -> list[type[Any] | None]:
        """What the last step() came to for each world: None, or the class of its error."""
        return list(self._errors)

    def close(self) -> None:
        """Release it now; its worlds stay."""
        self._handle.release()
