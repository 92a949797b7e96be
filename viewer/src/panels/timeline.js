// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// The playback clock and its controls. Frames are shown as recorded; nothing is interpolated.

import { digits } from "../data/units.js";

const byId = (id) => document.getElementById(id);
const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10];

const icon = (path) => `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${path}"/></svg>`;
const ICONS = {
    play: icon("M7 4.5v15l13-7.5z"),
    pause: icon("M6 4.5h4.2v15H6zM13.8 4.5H18v15h-4.2z"),
    back: icon("M6 5h2.4v14H6zM19 5v14L9.6 12z"),
    forward: icon("M15.6 5H18v14h-2.4zM5 5v14l9.4-7z"),
};

// More would hide each other.
const MOST_MARKS = 500;

/** What happened, when and between whom, in words. */
function describe({ time, kind, name, direction, a, b }) {
    const way = direction > 0 ? " rises" : direction < 0 ? " falls" : "";
    const who = a === undefined ? `${name}${way}` : `${a} | ${b}`;
    return `${digits(time, 6)} s: ${kind.replaceAll("_", " ")}, ${who}`;
}

export class Timeline {
    constructor(recording, onFrame) {
        this.recording = recording;
        this.onFrame = onFrame;
        this.frame = 0;
        this.playing = false;
        this.loop = false;
        this.time = recording.startTime;
        this.button = byId("play");
        this.slider = byId("slider");
        this.clock = byId("clock");
        this.speedSelect = byId("speed");
        byId("step-back").innerHTML = ICONS.back;
        byId("step-forward").innerHTML = ICONS.forward;
        this.slider.max = recording.frameCount - 1;
        this.slider.disabled = recording.frameCount < 2;
        for (const speed of SPEEDS) {
            this.speedSelect.add(new Option(`${speed}×`, speed, speed === 1, speed === 1));
        }
        this.button.addEventListener("click", () => this.toggle());
        byId("step-back").addEventListener("click", () => this.step(-1));
        byId("step-forward").addEventListener("click", () => this.step(1));
        byId("loop").addEventListener("click", () => this.toggleLoop());
        this.slider.addEventListener("input", () => this.seek(Number(this.slider.value)));
        this.#markEvents();
        this.drawButton();
    }

    /** A mark above the slider for each event: it tells what happened, and leads there. */
    #markEvents() {
        const { events = [], frameCount } = this.recording;
        const marks = byId("events");
        marks.hidden = events.length === 0 || frameCount < 2;
        for (const event of marks.hidden ? [] : events.slice(0, MOST_MARKS)) {
            const frame = this.recording.frameAt(event.time);
            const mark = document.createElement("button");
            mark.className = `event ${event.kind}`;
            mark.style.left = `${(100 * frame) / (frameCount - 1)}%`;
            mark.title = describe(event);
            mark.setAttribute("aria-label", mark.title);
            mark.addEventListener("click", () => {
                this.pause();
                this.seek(frame);
            });
            marks.append(mark);
        }
    }

    get speed() {
        return Number(this.speedSelect.value);
    }

    seek(frame) {
        const last = this.recording.frameCount - 1;
        const next = Math.min(last, Math.max(0, Math.round(frame)));
        this.time = this.recording.times[next];
        this.#show(next);
    }

    step(count) {
        this.pause();
        this.seek(this.frame + count);
    }

    play() {
        if (this.recording.frameCount < 2) {
            return;
        }
        if (this.frame === this.recording.frameCount - 1) {
            this.seek(0);
        }
        this.playing = true;
        this.lastTick = undefined;
        this.drawButton();
    }

    pause() {
        this.playing = false;
        this.drawButton();
    }

    toggle() {
        if (this.playing) {
            this.pause();
        } else {
            this.play();
        }
    }

    toggleLoop() {
        this.loop = !this.loop;
        byId("loop").classList.toggle("on", this.loop);
    }

    changeSpeed(direction) {
        const index = this.speedSelect.selectedIndex + direction;
        this.speedSelect.selectedIndex = Math.min(SPEEDS.length - 1, Math.max(0, index));
    }

    /** Advance with the wall clock [ms]; call once per animation frame. */
    tick(now) {
        if (!this.playing) {
            return;
        }
        const elapsed = Math.min(0.25, (now - (this.lastTick ?? now)) / 1000);
        this.lastTick = now;
        this.time += elapsed * this.speed;
        if (this.time >= this.recording.endTime) {
            if (this.loop) {
                this.time = this.recording.startTime;
            } else {
                this.time = this.recording.endTime;
                this.pause();
            }
        }
        this.#show(this.recording.frameAt(this.time));
    }

    #show(frame) {
        const { times, frameCount, endTime } = this.recording;
        this.slider.value = frame;
        const done = frameCount > 1 ? (100 * frame) / (frameCount - 1) : 0;
        this.slider.style.setProperty("--done", `${done}%`);
        this.clock.innerHTML =
            `<b>${times[frame].toFixed(3)}</b>${this.recording.isLive ? "" : ` / ${digits(endTime, 5)}`} s` +
            `<span>${this.note(frame)}</span>`;
        this.frame = frame;
        this.onFrame(frame);
    }

    /** What stands below the time. */
    note(frame) {
        return `frame ${frame + 1} of ${this.recording.frameCount}`;
    }

    drawButton() {
        this.button.innerHTML = this.playing ? ICONS.pause : ICONS.play;
        this.button.setAttribute("aria-label", this.playing ? "Pause" : "Play");
    }
}
