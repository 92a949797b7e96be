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

const LIVE_KEYS = [
    ["drag a body", "pull it with a spring; with alt turn the scene"],
    ["R", "reset the world"],
];

export class Help {
    constructor(isLive) {
        this.node = byId("help");
        const list = element("dl", "numbers");
        for (const [key, text] of isLive ? [...LIVE_KEYS, ...KEYS] : KEYS) {
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
