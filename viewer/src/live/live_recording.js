// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// What a live view has sent so far, as a recording that grows; the oldest frames go.

import { LiveFrames } from "../data/frames.js";
import { Recording } from "../data/recording.js";

const FRAME_LIMIT = 3600;
const BYTE_LIMIT = 96e6;
const KEPT = 0.75; // of them, when a limit is reached

const NAMES = ["kinetic", "potential", "elastic", "total"];

export class LiveRecording extends Recording {
    constructor(model, pairs, bytes) {
        const frames = new LiveFrames();
        frames.append(bytes);
        super({ ...model, pairs, frames });
        this.controls = model.controls;
        this.bytes = bytes.length;
        this.energy = NAMES.map((name) => [name, []]);
        this.#countEnergy(0);
    }

    get isLive() {
        return true;
    }

    /** What tells frames apart where their numbers change: the oldest go. */
    frameKey(frame) {
        return this.frames.list[frame];
    }

    /** Returns true when a pair touches for the first time. */
    append(bytes) {
        const numbers = this.frames.append(bytes);
        const last = this.frameCount - 1;
        if (last > 0 && numbers.time < this.times[last - 1]) {
            this.#forget(last); // the world was reset: time begins anew
        }
        this.bytes += bytes.length;
        const frame = this.frameCount - 1;
        this.countFrame(frame);
        this.#countEnergy(frame);
        const isNew = this.series.size > this.activePairs.length;
        if (isNew) {
            this.activePairs = [...this.series.keys()].sort((a, b) => a - b);
        }
        if (this.frameCount > FRAME_LIMIT || this.bytes > BYTE_LIMIT) {
            this.#forget(Math.ceil((1 - KEPT) * this.frameCount));
        }
        return isNew;
    }

    #countEnergy(frame) {
        const [kinetic, potential, elastic] = this.frames.list[frame].numbers.energy;
        [kinetic, potential, elastic, kinetic + potential + elastic].forEach((value, k) => {
            this.energy[k][1].push(value);
        });
    }

    #forget(count) {
        for (const { bytes } of this.frames.list.slice(0, count)) {
            this.bytes -= bytes.length;
        }
        this.frames.forget(count);
        this.framePressure.splice(0, count);
        this.frameForce.splice(0, count);
        this.energy.forEach(([, values]) => values.splice(0, count));
        for (const series of this.series.values()) {
            series.force.splice(0, count);
            series.area.splice(0, count);
        }
    }
}
