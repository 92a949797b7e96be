# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""What notebooks show of scenes, worlds, recordings and live views: the viewer's page, inline."""

from __future__ import annotations

import html
import json
import os
import re
import tempfile
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .live import LiveView
    from .record import Recording
    from .scene import Scene
    from .world import World

_SIZE_LIMIT = 8_000_000  # of the frames in a notebook [bytes]
_HEIGHT = 520  # [pixels]


def recording_html(recording: Recording) -> str:
    """The page in a frame of its own; frames and faces are left out beyond some megabytes."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "page.html")
        recording.write_view(path, size_limit=_SIZE_LIMIT)
        with open(path, encoding="utf-8") as stream:
            page = stream.read()
    # Plain ASCII, whatever the notebook is written in.
    inline = html.escape(page).encode("ascii", "xmlcharrefreplace").decode()
    return (f'<iframe srcdoc="{inline}" style="width: 100%; height: {_HEIGHT}px; border: 0" '
            'title="Isobar"></iframe>')


def world_html(world: World) -> str:
    """The present state of a world, with the contacts of its last step."""
    from .record import Recorder, Recording
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "world.mcap")
        with Recorder(path, world, frame_rate=0, with_foxglove=False) as recorder:
            recorder.record()
        with Recording(path) as recording:
            return recording_html(recording)


def scene_html(scene: Scene) -> str:
    """The initial state of a scene, in a world of its own."""
    world = scene.create_world()
    world.update_contacts()
    return world_html(world)


def live_html(view: LiveView) -> str:
    """The page of a live view, which its server sends: for notebooks of this machine."""
    return (f'<iframe src="{html.escape(view.url)}" style="width: 100%; height: {_HEIGHT}px; border: 0" '
            'title="Isobar, live"></iframe>')


def _page_of(shown: Scene | World | Recording) -> str:
    """The page as text; of a world its present state, of a scene its initial one."""
    cell = shown._repr_html_()
    return html.unescape(cell[cell.index('"') + 1:cell.index('"', cell.index('"') + 1)])


def _frame_count(page: str) -> int:
    data = re.search(r'id="isobar-data"[^>]*>(.*?)</script>', page, re.DOTALL)
    return len(json.loads(data[1])["times"]) if data else 0


_SCRIPT = """
function render({ model, el }) {
    const view = document.createElement("iframe");
    view.title = "Isobar";
    Object.assign(view.style, { width: "100%", height: `${model.get("height")}px`, border: "0" });
    let page = null;
    const seek = () => page && page.frame !== model.get("frame") && page.setFrame(model.get("frame"));
    const load = () => {
        page = null;
        view.srcdoc = model.get("page");
    };
    view.addEventListener("load", async () => {
        const loaded = view.contentWindow.isobar;
        if (loaded && (await loaded.ready)) {
            page = loaded;
            seek();
        }
    });
    const watch = setInterval(() => {
        if (page && page.frame !== model.get("frame")) {
            model.set("frame", page.frame);
            model.save_changes();
        }
    }, 100);
    model.on("change:page", load);
    model.on("change:frame", seek);
    load();
    el.append(view);
    return () => clearInterval(watch);
}
export default { render };
"""


def widget(shown: Scene | World | Recording, height: int = _HEIGHT) -> Any:
    """A widget (anywidget) of the viewer's page for Jupyter, so many pixels high.

    Its `frame` follows the page's and moves it when set, 0 to `frame_count` - 1: those of the page, which
    may have fewer than the recording. `update()` shows the world as it is now, in the cell where the
    widget is; `page` is the text of the page."""
    from .record import Recording
    from .scene import Scene
    from .world import World
    if not isinstance(shown, (Scene, World, Recording)):
        raise TypeError(f"a widget of a {type(shown).__name__}, expected a Scene, World or Recording")
    if isinstance(height, bool) or not isinstance(height, int) or not 1 <= height <= 10_000:
        raise ValueError(f"height is {height!r}, expected a whole number of pixels, 1 to 10000")
    try:
        import anywidget
        import traitlets
    except ImportError as error:
        raise ImportError("widgets need anywidget: pip install 'isobar[notebook]' "
                          "(without it, a Scene, World or Recording as last line of a cell shows itself)") from error
    first = _page_of(shown)

    def check_frame(viewer: Any, proposal: Any) -> int:
        frame = int(proposal["value"])
        if not 0 <= frame < max(viewer.frame_count, 1):
            raise traitlets.TraitError(f"frame is {frame}, expected 0 to {viewer.frame_count - 1}")
        return frame

    class Viewer(anywidget.AnyWidget):
        _esm = _SCRIPT
        page = traitlets.Unicode().tag(sync=True)
        frame = traitlets.Int(0).tag(sync=True)
        height = traitlets.Int(_HEIGHT, min=1, max=10_000).tag(sync=True)
        frame_count = _frame_count(first)

        # No decorator: without traitlets mypy does not know its type.
        _check_frame = traitlets.validate("frame")(check_frame)

        def update(self) -> None:
            page = _page_of(shown)
            self.frame_count = _frame_count(page)
            self.frame = min(self.frame, max(self.frame_count - 1, 0))
            self.page = page

    return Viewer(page=first, height=height)
