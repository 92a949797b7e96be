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
        if (this.follows) {
            super.seek(last);
        } else {
            super.seek(Math.min(this.frame, last));
        }
    }

    seek(frame) {
        this.follows = Math.round(frame) >= this.recording.frameCount - 1;
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

    tick() {}

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
