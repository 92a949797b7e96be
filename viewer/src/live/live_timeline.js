// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// The clock of a live view: its buttons act on the server's world; the slider goes through what was
// seen.

import { Timeline } from "../panels/timeline.js";

const byId = (id) => document.getElementById(id);

export class LiveTimeline extends Timeline {
    constructor(recording, onFrame, link) {
        super(recording, onFrame);
        this.link = link;
        this.follows = true;
        this.isLate = false; // frames have come that are not shown yet
        this.slider.disabled = false;
        byId("loop").hidden = true;
        byId("reset").hidden = false;
        byId("reset").addEventListener("click", () => {
            this.follows = true;
            this.link.send("reset");
        });
        this.speedSelect.addEventListener("change", () => this.#sendSpeed());
    }

    /** The recording has one more frame, or fewer. */
    arrived(status) {
        const last = this.recording.frameCount - 1;
        this.status = status;
        this.slider.max = last;
        if (status.playing !== this.playing) {
            this.playing = status.playing;
            this.drawButton();
        }
        const speed = [...this.speedSelect.options].findIndex((option) => Number(option.value) === status.speed);
        if (document.activeElement !== this.speedSelect && speed >= 0) {
            this.speedSelect.selectedIndex = speed;
        }
        this.isLate = this.follows && this.frame <= last;
        if (!this.isLate) {
            super.seek(this.follows ? last : Math.min(this.frame, last));
        }
    }

    seek(frame) {
        this.follows = Math.round(frame) >= this.recording.frameCount - 1;
        this.isLate = false;
        super.seek(frame);
    }

    step(count) {
        if (count > 0 && this.follows) {
            this.link.send("step", { count });
        } else {
            this.seek(this.frame + count);
        }
    }

    play() {
        this.follows = true;
        this.link.send("play");
    }

    pause() {
        this.link.send("pause");
    }

    toggleLoop() {}

    changeSpeed(direction) {
        super.changeSpeed(direction);
        this.#sendSpeed();
    }

    /** The newest frame is shown when the page draws: it may get more of them than it can draw. */
    tick() {
        if (this.isLate) {
            this.isLate = false;
            super.seek(this.recording.frameCount - 1);
        }
    }

    note(frame) {
        if (!this.status) {
            return "";
        }
        const { rate, steps, playing } = this.status;
        const behind = this.recording.frameCount - 1 - frame;
        if (!this.follows && behind > 0) {
            return `${behind} frames ago`;
        }
        return playing ? `${rate.toFixed(2)}× real time` : `step ${steps}`;
    }

    #sendSpeed() {
        this.link.send("speed", { value: this.speed });
    }
}
