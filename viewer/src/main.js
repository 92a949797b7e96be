// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Starts the page: a recording that is embedded in it, or a live view of whoever served it.

import "./style.css";
import "./extras.css";
import { Film } from "./panels/film.js";
import { Live } from "./live/live.js";
import { Recording } from "./data/recording.js";
import { Viewer } from "./viewer.js";

const byId = (id) => document.getElementById(id);

function showNotice(message) {
    const notice = byId("notice");
    notice.hidden = false;
    notice.textContent = message;
}

function readEmbedded() {
    const text = byId("isobar-data").textContent.trim();
    if (!text.startsWith("{")) {
        throw new Error("this page holds no recording; make one with: isobar view RECORDING.mcap");
    }
    return JSON.parse(text);
}

/** What scripts and tests may ask of the page. */
function offer(viewer) {
    Object.assign(window.isobar, {
        setFrame: (frame) => viewer.timeline.seek(frame),
        play: () => viewer.timeline.play(),
        pause: () => viewer.timeline.pause(),
        selectPair: (pair) => viewer.select(pair),
        selectBody: (index) => viewer.selectBody(index),
        stats: () => viewer.stats(),
        locate: (pair) => viewer.locate(pair),
        locateBody: (index) => viewer.locateBody(index),
        film: new Film(viewer),
        pose: (body) => [...viewer.recording.poses(viewer.timeline.frame).subarray(7 * body, 7 * body + 7)],
        joints: () => [...viewer.recording.frames.joints(viewer.timeline.frame)],
    });
    Object.defineProperty(window.isobar, "frame", { get: () => viewer.timeline.frame });
}

async function start() {
    try {
        const json = readEmbedded();
        byId("isobar-data").textContent = ""; // the text is parsed; let it go
        if (json.format === "isobar-live-1") {
            await new Promise((resolve) => {
                window.isobar.live = new Live(
                    (recording, live) => new Viewer(recording, live),
                    (viewer) => resolve(offer(viewer)),
                );
            });
        } else {
            offer(new Viewer(new Recording(json)));
        }
        await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
        return true;
    } catch (error) {
        document.documentElement.dataset.theme = "light";
        showNotice(`Cannot show this recording: ${error.message}`);
        return false;
    }
}

// ready resolves to true once the first frame is drawn, to false when there is nothing to show.
window.isobar = {};
window.isobar.ready = start();
