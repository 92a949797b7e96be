// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Keys of the page; help.js lists them.

const byId = (id) => document.getElementById(id);

// Elements that take keys themselves.
const isTyping = (target) => target.tagName === "SELECT" || (target.tagName === "INPUT" && target.type === "text");

export function connectKeys(viewer) {
    const press = (id) => byId(id).click();
    const { timeline, bodyPanel } = viewer;
    const actions = {
        " ": () => timeline.toggle(),
        ArrowLeft: (event) => timeline.step(event.shiftKey ? -10 : -1),
        ArrowRight: (event) => timeline.step(event.shiftKey ? 10 : 1),
        ArrowUp: () => timeline.changeSpeed(1),
        ArrowDown: () => timeline.changeSpeed(-1),
        Home: () => timeline.seek(0),
        End: () => timeline.seek(viewer.recording.frameCount - 1),
        Escape: () => {
            viewer.help.toggle(false);
            viewer.deselect();
        },
        "?": () => viewer.help.toggle(),
        l: () => timeline.toggleLoop(),
        f: () => viewer.fly(),
        c: () => bodyPanel.toggleFollow(),
        h: (event) => (event.shiftKey ? bodyPanel.showAll() : bodyPanel.toggleHidden()),
        s: () => viewer.savePicture(),
        p: () => press("toggle-patches"),
        e: () => press("toggle-edges"),
        x: () => press("toggle-xray"),
        v: () => press("toggle-forces"),
        g: () => document.querySelector("#geometry-mode button:not(.on)").click(),
        ...(viewer.live ? { r: () => press("reset") } : {}),
    };
    window.addEventListener("keydown", (event) => {
        const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
        if (!action || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) {
            return;
        }
        event.preventDefault();
        action(event);
    });
}
