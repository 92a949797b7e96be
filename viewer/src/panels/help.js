// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// The list of keys.

import { element } from "./panel.js";

const byId = (id) => document.getElementById(id);

const KEYS = [
    ["space", "play, pause"],
    ["← →", "one frame; with shift ten"],
    ["home, end", "first, last frame"],
    ["↑ ↓", "speed"],
    ["F", "fly to the selected pair or body, or frame the scene"],
    ["double click", "fly there"],
    ["C", "follow the selected body"],
    ["H", "hide the selected body; with shift show all"],
    ["G", "visual or collision geometry"],
    ["P, E, X, V", "patches, their edges, seen through bodies, forces"],
    ["S", "save a picture (PNG)"],
    ["L", "repeat"],
    ["escape", "deselect"],
    ["?", "this list"],
];

// Where a world is live: these first, and in the place of the others'.
const LIVE_KEYS = [
    ["drag a body", "pull it with a spring; with alt turn the scene"],
    ["R", "reset the world"],
    ["→", "one time step; with shift ten"],
    ["←", "back through what was seen; with shift ten"],
];
const NOT_LIVE = ["← →", "L"];

export class Help {
    constructor(isLive) {
        this.node = byId("help");
        const list = element("dl", "numbers");
        const keys = isLive ? [...LIVE_KEYS, ...KEYS.filter(([key]) => !NOT_LIVE.includes(key))] : KEYS;
        for (const [key, text] of keys) {
            list.append(element("dt", "", key), element("dd", "", text));
        }
        byId("help-list").replaceChildren(list);
        byId("help-button").addEventListener("click", () => this.toggle());
        byId("help-close").addEventListener("click", () => this.toggle(false));
    }

    toggle(isOpen = this.node.hidden) {
        this.node.hidden = !isOpen;
    }
}
