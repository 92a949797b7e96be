// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// A live view: makes the page when the first frame is there, then keeps it up to date.

import { LiveDrag } from "./live_drag.js";
import { LiveLink } from "./live_link.js";
import { LivePanel } from "./live_panel.js";
import { LiveRecording } from "./live_recording.js";

const byId = (id) => document.getElementById(id);
const PLOT_PERIOD = 250; // [ms]

export class Live {
    /** makeViewer(recording, live) makes the page; onReady(viewer) is called once it is there. */
    constructor(makeViewer, onReady) {
        this.makeViewer = makeViewer;
        this.onReady = onReady;
        this.pairs = [];
        this.pending = null;
        this.link = new LiveLink({
            model: (json) => this.#takeModel(json),
            pairs: (pairs) => this.#takePairs(pairs),
            frame: (status, bytes) => this.#takeFrame(status, bytes),
            state: (isConnected) => this.#tellState(isConnected),
        });
    }

    #takeModel(json) {
        if (this.viewer) {
            this.viewer.place.save();
            this.isLeaving = true; // what still comes is of the other scene
            window.location.reload(); // everything is made anew
            return;
        }
        this.model = json;
    }

    #takePairs(pairs) {
        if (this.isLeaving) {
            return;
        }
        this.pairs = pairs;
        if (this.viewer) {
            this.recording.pairs = pairs;
        }
    }

    #takeFrame(status, bytes) {
        if (this.isLeaving) {
            return;
        }
        this.status = status;
        byId("live-notice").textContent = status.notice;
        byId("live-notice").hidden = status.notice === "";
        if (!this.viewer) {
            this.#begin(bytes);
        } else {
            this.hasNewPair = this.recording.append(bytes) || this.hasNewPair;
        }
        this.isFresh = true;
    }

    #begin(bytes) {
        this.recording = new LiveRecording(this.model, this.pairs, bytes);
        this.viewer = this.makeViewer(this.recording, this);
        this.panel = new LivePanel(this.recording, this.link);
        this.drag = new LiveDrag(this.viewer, this.link);
        this.onReady(this.viewer);
    }

    /** Once per animation frame: show what has arrived since the last one. */
    tick(now) {
        if (!this.isFresh || !this.panel) {
            return;
        }
        this.isFresh = false;
        const { viewer, recording } = this;
        if (this.hasNewPair) {
            this.hasNewPair = false;
            viewer.pairsChanged();
        }
        viewer.timeline.arrived(this.status);
        this.panel.show(recording.frameCount - 1, this.status);
        this.drag.show(this.status.drags);
        viewer.stage.invalidate();
        if (now - (this.plotted ?? -Infinity) > PLOT_PERIOD) {
            this.plotted = now;
            viewer.refreshPlots();
        }
    }

    #tellState(isConnected) {
        document.documentElement.dataset.live = isConnected ? "connected" : "lost";
        byId("live-state").hidden = false;
        byId("live-state").textContent = isConnected ? "live" : "connection lost, trying again";
    }
}
