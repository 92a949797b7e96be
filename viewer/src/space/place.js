// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Time, selected pair and camera in the address of the page (after the #), so that it can be sent or
// reloaded: t=TIME&pair=N&from=X,Y,Z&at=X,Y,Z.

const QUIET = 400; // what still moves is not written down [ms]

const numbers = (text, count) => {
    const values = text ? text.split(",").map(Number) : [];
    return values.length === count && values.every(Number.isFinite) ? values : null;
};

const short = (values) => values.map((value) => Number(value.toPrecision(6))).join(",");

export class Place {
    constructor(viewer) {
        this.viewer = viewer;
        viewer.stage.controls.addEventListener("change", () => this.changed());
    }

    /** Go where the address says. */
    apply() {
        const fields = new URLSearchParams(window.location.hash.slice(1));
        const { stage, timeline, recording } = this.viewer;
        const time = numbers(fields.get("t"), 1);
        const pair = numbers(fields.get("pair"), 1);
        const from = numbers(fields.get("from"), 3);
        const at = numbers(fields.get("at"), 3);
        if (time && !recording.isLive) {
            timeline.seek(recording.frameAt(time[0] * (1 + 1e-6) + 1e-9));
        }
        if (pair) {
            this.viewer.select(pair[0]);
        }
        if (from && at) {
            stage.setView(from, at);
        }
    }

    /** Something changed; the address follows when it rests. */
    changed() {
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.save(), QUIET);
    }

    save() {
        clearTimeout(this.timer);
        const { stage, timeline, recording, selected } = this.viewer;
        if (timeline.playing && !recording.isLive) {
            return; // when it stops
        }
        const fields = [];
        if (!recording.isLive) {
            fields.push(`t=${Number(recording.times[timeline.frame].toPrecision(7))}`);
        }
        if (selected >= 0) {
            fields.push(`pair=${selected}`);
        }
        fields.push(`from=${short(stage.camera.position.toArray())}`, `at=${short(stage.controls.target.toArray())}`);
        try {
            window.history.replaceState(null, "", `#${fields.join("&")}`);
        } catch {
            // Browsers limit how often, and some do not allow it for files.
        }
    }
}
